//! Positions as arrays: read back from every kind of file, and held to a plain encoding of the same games.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::Read;
use std::path::Path;

use plyground_core::{Player, Turn};
use plyground_match::{Experiment, GameRow, Run, Seats, Store};
use plyground_session::{Session, format_named, open};
use plyground_train::positions::{Counts, PARTS, part_of, write_positions};
use safetensors::SafeTensors;
use serde_json::Value;

use crate::common::{Directory, experiment, games, play, play_pairings};

/// An array as it came out of a file: sizes, and numbers as they are.
#[derive(Clone, Debug, PartialEq)]
struct Array {
    kind: String,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Array {
    /// Reads the `NumPy` format, which its documentation describes.
    fn npy(bytes: &[u8]) -> Self {
        assert_eq!(bytes[..8], *b"\x93NUMPY\x01\x00");
        let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!((10 + length) % 64, 0, "numbers begin at a multiple of 64");
        let header = std::str::from_utf8(&bytes[10..10 + length]).unwrap();
        let field = |name: &str, open: char, close: char| {
            let behind = header.split_once(&format!("'{name}': {open}")).unwrap().1;
            behind.split_once(close).unwrap().0.to_owned()
        };
        assert!(header.contains("'fortran_order': False") && header.ends_with('\n'), "{header}");
        let shape = field("shape", '(', ')').split(',').filter_map(|size| size.trim().parse().ok()).collect();
        Self { kind: field("descr", '\'', '\''), shape, bytes: bytes[10 + length..].to_vec() }
    }

    fn f32(&self) -> Vec<f32> {
        assert!(self.kind == "<f4" || self.kind == "F32", "{}", self.kind);
        self.bytes.chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
    }

    fn i32(&self) -> Vec<i32> {
        assert!(self.kind == "<i4" || self.kind == "I32", "{}", self.kind);
        self.bytes.chunks(4).map(|four| i32::from_le_bytes(four.try_into().unwrap())).collect()
    }
}

type Arrays = BTreeMap<String, Array>;

fn read_npz(file: &Path) -> (Arrays, Value) {
    let mut archive = zip::ZipArchive::new(fs::File::open(file).unwrap()).unwrap();
    let (mut arrays, mut about) = (Arrays::new(), Value::Null);
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number).unwrap();
        let (name, mut bytes) = (entry.name().unwrap().into_owned(), Vec::new());
        entry.read_to_end(&mut bytes).unwrap();
        match name.strip_suffix(".npy") {
            Some(name) => drop(arrays.insert(name.to_owned(), Array::npy(&bytes))),
            None => about = serde_json::from_slice(&bytes).unwrap(),
        }
    }
    (arrays, about)
}

fn read_safetensors(file: &Path) -> (Arrays, Value) {
    let bytes = fs::read(file).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let array = |(name, tensor): (String, safetensors::tensor::TensorView<'_>)| {
        let kind = format!("{:?}", tensor.dtype());
        (name, Array { kind, shape: tensor.shape().to_vec(), bytes: tensor.data().to_vec() })
    };
    let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
    let about = serde_json::from_str(&header.metadata().as_ref().unwrap()["about"]).unwrap();
    (tensors.tensors().into_iter().map(array).collect(), about)
}

fn read_directory(directory: &Path) -> (Arrays, Value) {
    let (mut arrays, mut about) = (Arrays::new(), Value::Null);
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        match path.extension().unwrap().to_str() {
            Some("npy") => drop(arrays.insert(path.file_stem().unwrap().to_str().unwrap().to_owned(), Array::npy(&bytes))),
            _ => about = serde_json::from_slice(&bytes).unwrap(),
        }
    }
    (arrays, about)
}

/// A position as the plain encoding sees it.
struct Plain {
    planes: Vec<f32>,
    legal: HashSet<usize>,
    played: usize,
    mover: Player,
}

/// Rows of letters and the fields behind them, from the text of a position.
fn board(session: &dyn Session) -> (Vec<Vec<char>>, Vec<String>) {
    let position = session.position();
    let mut fields = position.split(' ').map(str::to_owned);
    let row = |row: &str| {
        let squares = row.chars().flat_map(|c| match c.to_digit(10) {
            Some(empty) => vec!['.'; empty as usize],
            None => vec![c],
        });
        squares.collect()
    };
    let rows = fields.next().unwrap().split('/').map(row).collect();
    (rows, fields.collect())
}

/// A square like `c4` by row from the top and column.
fn square(text: &str, rows: usize) -> (usize, usize) {
    let rank: usize = text[1..].parse().unwrap();
    (rows - rank, usize::from(text.as_bytes()[0] - b'a'))
}

/// The empty squares on a cheapest way from a square to the bottom or right edge, by trying to improve until nothing does.
fn ways(rows: &[Vec<char>], usable: [char; 2], to_bottom: bool) -> Vec<Vec<f32>> {
    let (height, width) = (rows.len(), rows[0].len());
    let cost = |row: usize, column: usize| match rows[row][column] {
        '.' => Some(1.0),
        stone if usable.contains(&stone) => Some(0.0),
        _ => None,
    };
    let mut ways = vec![vec![64.0; width]; height];
    loop {
        let before = ways.clone();
        for row in 0..height {
            for column in 0..width {
                let Some(own) = cost(row, column) else { continue };
                let at_edge = if to_bottom { row + 1 == height } else { column + 1 == width };
                let mut best = if at_edge { own } else { 64.0_f32 };
                for (down, right) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
                    let (next_row, next_column) = (row as i32 + down, column as i32 + right);
                    if (0..height as i32).contains(&next_row) && (0..width as i32).contains(&next_column) {
                        best = best.min(own + ways[next_row as usize][next_column as usize]);
                    }
                }
                ways[row][column] = ways[row][column].min(best.min(64.0));
            }
        }
        if ways == before {
            return ways;
        }
    }
}

/// The thesis's planes from the letters of the board.
fn thesis(session: &dyn Session) -> Vec<f32> {
    let (rows, fields) = board(session);
    let mut planes: Vec<f32> = Vec::new();
    for letter in ['.', 'o', 'G', 'P'] {
        planes.extend(rows.iter().flatten().map(|&found| if found == letter { 1.0 } else { 0.0 }));
    }
    let (down, across) = (ways(&rows, ['o', 'G'], true), ways(&rows, ['o', 'P'], false));
    planes.extend(down.iter().flatten());
    planes.extend(across.iter().flatten());
    // A link is a way from the opposite edge.
    let link = [down[0].iter().copied().fold(64.0, f32::min), across.iter().map(|row| row[0]).fold(64.0, f32::min)];
    let side = if fields[0] == "g" { 1.0 } else { 0.0 };
    for number in [link[0], link[1], side, fields[1].parse().unwrap(), fields[2].parse().unwrap()] {
        planes.extend(vec![number; rows.len() * rows[0].len()]);
    }
    planes
}

/// The general planes: letters, side, numbers behind the side.
fn general(session: &dyn Session, letters: &str, first: &str, numbers: &[usize]) -> Vec<f32> {
    let (rows, fields) = board(session);
    let mut planes: Vec<f32> = Vec::new();
    for letter in letters.chars() {
        planes.extend(rows.iter().flatten().map(|&found| if found == letter { 1.0 } else { 0.0 }));
    }
    let side = if fields[0] == first { 1.0 } else { 0.0 };
    for number in [side].into_iter().chain(numbers.iter().map(|&field| fields[field].parse().unwrap())) {
        planes.extend(vec![number; rows.len() * rows[0].len()]);
    }
    planes
}

/// All positions of a game behind its opening, by the plain encoding.
fn plain(game: &str, row: &GameRow, planes: &dyn Fn(&dyn Session) -> Vec<f32>, index: &dyn Fn(&str) -> usize) -> Vec<Plain> {
    let mut session = open(game, None).unwrap();
    let mut positions = Vec::new();
    for (number, played) in row.moves.iter().enumerate() {
        if let (Turn::Player(mover), true) = (session.turn(), number >= row.opening) {
            let legal = session.moves().iter().map(|legal| index(&legal.text)).collect();
            positions.push(Plain { planes: planes(session.as_ref()), legal, played: index(&played.text), mover });
        }
        session.play(&played.text).unwrap();
    }
    positions
}

/// Compares the arrays of a file with the plain encoding of all games.
fn compare(arrays: &Arrays, about: &Value, rows: &[GameRow], moves: usize, plain: &dyn Fn(&GameRow) -> Vec<Plain>) {
    let mut seen = HashMap::new();
    for (part, (name, _)) in PARTS.into_iter().enumerate() {
        let array = |array: &str| &arrays[&format!("{name}_{array}")];
        let (planes, policy, value, number, legal) =
            (array("planes").f32(), array("policy").i32(), array("value").f32(), array("game").i32(), array("legal"));
        let first_won = array("first_won").f32();
        let size: usize = array("planes").shape[1..].iter().product();
        let width = moves.div_ceil(8);
        assert_eq!(legal.shape, [policy.len(), width]);
        let mut at = 0;
        for (game, row) in rows.iter().enumerate().filter(|(_, row)| part_of(row, 5) == part) {
            let positions = plain(row);
            assert_eq!(about["parts"][name]["games"], rows.iter().filter(|row| part_of(row, 5) == part).count());
            for position in positions {
                assert_eq!(planes[at * size..(at + 1) * size], position.planes, "game {game}");
                assert_eq!((policy[at] as usize, number[at] as usize), (position.played, game));
                let result = match row.outcome.winner {
                    None => 0.0,
                    Some(winner) if winner == position.mover => 1.0,
                    Some(_) => -1.0,
                };
                assert_eq!(value[at], result);
                let label = row.outcome.winner.map_or(0.5, |winner| f32::from(u8::from(winner == Player::First)));
                assert_eq!(first_won[at], label);
                let bit = |index: usize| legal.bytes[at * width + index / 8] >> (7 - index % 8) & 1 == 1;
                let found: HashSet<usize> = (0..8 * width).filter(|&index| bit(index)).collect();
                assert_eq!(found, position.legal);
                at += 1;
            }
            assert_eq!(seen.insert(row.hash(), part).unwrap_or(part), part, "one game is in two parts");
        }
        assert_eq!((policy.len(), value.len(), first_won.len(), number.len()), (at, at, at, at));
        assert_eq!(array("planes").shape[0], at);
        assert_eq!(about["parts"][name]["positions"], at);
    }
}

/// Writes a run in all forms and reads it back.
fn round_trip(store: &Store, run: &Run, planes: &str, directory: &Path) -> Vec<(Arrays, Value)> {
    let files = ["positions.npz", "positions.safetensors", "positions"].map(|name| directory.join(format!("{planes}-{name}")));
    let counts: Vec<[Counts; 3]> =
        files.iter().map(|file| write_positions(store, run, planes, 5, file, &mut |_| {}).unwrap()).collect();
    assert!(counts.iter().all(|same| *same == counts[0]));
    let read = vec![read_npz(&files[0]), read_safetensors(&files[1]), read_directory(&files[2])];
    let left: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains(".part"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    read
}

#[test]
fn the_planes_of_the_thesis_are_those_of_its_description() {
    let directory = Directory::new();
    let store = directory.store();
    // A board with different sides, so that rows and columns cannot be confused; openings are left out.
    let run = experiment("crosphere:size=5x4,strong=2", &["random", "mcts:sims=10"], 2).run();
    play(&store, &run, 15);
    let rows = games(&store, &run);
    let index = |text: &str| {
        let (row, column) = square(&text[1..], 4);
        usize::from(text.starts_with('s')) * 20 + row * 5 + column
    };
    let plain = |row: &GameRow| plain(&run.experiment.game, row, &thesis, &index);
    for (arrays, about) in round_trip(&store, &run, "thesis", &directory.0) {
        assert_eq!((about["moves"].as_u64(), about["planes"].as_array().unwrap().len()), (Some(40), 11));
        assert_eq!(arrays["train_planes"].shape[1..], [11, 4, 5]);
        compare(&arrays, &about, &rows, 40, &plain);
    }
}

/// A game, the number of its indices, and the plain encoding of positions and moves.
type Case<'a> = (&'a str, usize, &'a dyn Fn(&dyn Session) -> Vec<f32>, &'a dyn Fn(&str) -> usize);

#[test]
fn the_general_planes_show_pieces_sides_and_numbers() {
    let directory = Directory::new();
    let store = directory.store();
    // Placements of two kinds with numbers beside the board, steps, and a game of chance.
    let step = |text: &str, rows: usize, columns: usize| {
        let [from, to] = [&text[..2], &text[2..]].map(|text| square(text, rows)).map(|(row, column)| row * columns + column);
        from * rows * columns + to
    };
    let digits = |text: &str| {
        let digit = |index: usize| usize::from(text.as_bytes()[index] - b'0');
        (digit(0) * 5 + digit(1)) * 35 + digit(2) * 5 + digit(3)
    };
    let place = |text: &str| {
        let (row, column) = square(&text[1..], 4);
        usize::from(text.starts_with('w')) * 16 + row * 4 + column
    };
    let cases: [Case<'_>; 3] = [
        ("crosphere:size=4x4,strong=2", 32, &|session| general(session, "GPo", "g", &[1, 2]), &place),
        ("clobber:size=4x3", 144, &|session| general(session, "xo", "x", &[]), &|text| step(text, 3, 4)),
        ("tuc-chess:limit=12", 35 * 35, &|session| general(session, "PRKprk*", "w", &[1, 2]), &digits),
    ];
    for (game, moves, planes, index) in cases {
        let run = Experiment { seats: Seats::Fixed, ..experiment(game, &["random"], 0) }.run();
        play_pairings(&store, &run, &[[0, 0]], 25);
        let rows = games(&store, &run);
        let plain = |row: &GameRow| plain(&run.experiment.game, row, planes, index);
        let own = directory.0.join(&run.id);
        fs::create_dir(&own).unwrap();
        for (arrays, about) in round_trip(&store, &run, "general", &own) {
            assert_eq!(about["moves"], moves, "{game}");
            compare(&arrays, &about, &rows, moves, &plain);
        }
    }
}

#[test]
fn about_seven_two_and_one_of_ten_games_are_in_the_parts_and_stay_there() {
    let directory = Directory::new();
    let store = directory.store();
    let run = Experiment { seats: Seats::Fixed, ..experiment("clobber:size=4x4", &["random"], 0) }.run();
    play_pairings(&store, &run, &[[0, 0]], 1000);
    let before: HashMap<u64, usize> = games(&store, &run).iter().map(|row| (row.hash(), part_of(row, 0))).collect();
    let counts = [0, 1, 2].map(|part| before.values().filter(|found| **found == part).count());
    let total: usize = counts.iter().sum();
    for (count, share) in counts.into_iter().zip([0.7, 0.2, 0.1]) {
        // Five standard deviations.
        let (expected, spread) = (share * total as f64, (share * (1.0 - share) * total as f64).sqrt());
        assert!((count as f64 - expected).abs() < 5.0 * spread, "{counts:?}");
    }
    assert!(games(&store, &run).iter().any(|row| part_of(row, 1) != before[&row.hash()]), "the seed matters");
}

#[test]
fn nonsense_is_refused_and_leaves_nothing_behind() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("clobber:size=3x3", &["random", "mcts:sims=5"], 0).run();
    play(&store, &run, 2);
    let refused = |planes: &str, file: &str| {
        write_positions(&store, &run, planes, 0, &directory.0.join(file), &mut |_| {}).unwrap_err().to_string()
    };
    assert!(refused("ways", "a.npz").contains("unknown encoding of clobber 'ways'; expected one of general, mover, thesis"));
    assert!(refused("general", "a.csv").contains("expected one of npz, safetensors"));
    fs::create_dir(directory.0.join("there")).unwrap();
    assert!(refused("general", "there").contains("expected a new one"));
    assert!(refused("general", "no/such/place.npz").contains("cannot write"));
    let names: HashSet<String> =
        fs::read_dir(&directory.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().all(|name| name.starts_with("runs.sqlite") || name == "there"), "{names:?}");
}

#[test]
fn the_games_of_a_run_go_through_the_records_of_the_thesis() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("crosphere", &["random", "mcts:preset=crosphere,sims=20"], 2).run();
    play(&store, &run, 3);
    let records: Vec<_> = games(&store, &run).iter().map(|row| row.record(&run.experiment)).collect();
    let format = format_named("crosphere-thesis").unwrap();
    let read = (format.read)(&(format.write)(&records).unwrap()).unwrap();
    assert_eq!(read.len(), 6);
    for (before, after) in records.iter().zip(&read) {
        let texts =
            |record: &plyground_core::GameRecord| record.moves.iter().map(|played| played.text.clone()).collect::<Vec<_>>();
        assert_eq!((texts(before), &before.result), (texts(after), &after.result));
        assert_eq!(before.players[0].name, after.players[0].name);
    }
}
