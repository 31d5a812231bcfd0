//! The positions of a run as arrays, to train networks with.
//!
//! Every position in which an agent chose a move is there with the move and the result, in three parts: to learn from, to watch over the
//! learning, and to test what was learnt. A game is in one part only, and so are two games with the same moves; a game stays in
//! its part when the run grows. Games are read one by one, and what they give goes to files at once.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use plyground_core::{InputError, Player, Seed};
use plyground_match::{GameRow, Run, RunError, RunPrefix, Store};
use serde_json::{Map, Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::{EncodedPosition, Encoding, encoding};

/// The names of the parts, and how many of ten games belong to each.
pub const PARTS: [(&str, u32); 3] = [("train", 7), ("validation", 2), ("test", 1)];

/// The version of what is written.
const VERSION: u32 = 1;

/// The files that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// One compressed archive of `NumPy` arrays.
    Npz,
    /// One file of tensors, as Hugging Face reads them.
    Safetensors,
    /// A directory with a `NumPy` array in each file, which need not be read as a whole.
    Directory,
}

impl Container {
    /// The container that the ending of a name asks for; a name without one is a directory.
    pub fn of(path: &Path) -> Result<Self, InputError> {
        match path.extension().map(|ending| ending.to_string_lossy()) {
            None => Ok(Self::Directory),
            Some(ending) if ending == "npz" => Ok(Self::Npz),
            Some(ending) if ending == "safetensors" => Ok(Self::Safetensors),
            Some(ending) => Err(InputError::unknown(
                "ending of a file of positions",
                &ending,
                ["npz", "safetensors", "no ending at all (a directory)"],
            )),
        }
    }
}

/// An array of what is kept of every position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Array {
    Planes,
    Policy,
    Value,
    FirstWon,
    Game,
    Legal,
}

impl Array {
    /// Those with wide numbers first, so that all of them begin at whole multiples of their width.
    const ALL: [Self; 6] = [Self::Planes, Self::Policy, Self::Value, Self::FirstWon, Self::Game, Self::Legal];

    fn name(self) -> &'static str {
        match self {
            Self::Planes => "planes",
            Self::Policy => "policy",
            Self::Value => "value",
            Self::FirstWon => "first_won",
            Self::Game => "game",
            Self::Legal => "legal",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Planes => "the position: planes, ranks from the top, files from the left",
            Self::Policy => "the index of the move that was played",
            Self::Value => "the result in the view of the player to move: 1 won, 0 drawn, -1 lost",
            Self::FirstWon => "did the first player win: 1 yes, 0 no, 0.5 for a draw",
            Self::Game => "the number of the game in the run, from 0",
            Self::Legal => {
                "a bit for each index of a move, 1 if it is legal; eight to a byte, the highest bit first (numpy.unpackbits)"
            }
        }
    }

    /// As `NumPy` and safetensors call the numbers.
    fn kinds(self) -> [&'static str; 2] {
        match self {
            Self::Planes | Self::Value | Self::FirstWon => ["<f4", "F32"],
            Self::Policy | Self::Game => ["<i4", "I32"],
            Self::Legal => ["|u1", "U8"],
        }
    }

    fn shape(self, positions: u64, encoding: &dyn Encoding) -> Vec<u64> {
        let [ranks, files] = encoding.board();
        let behind: &[usize] = match self {
            Self::Planes => &[encoding.planes().len(), ranks, files],
            Self::Legal => &[encoding.moves().div_ceil(8)],
            _ => &[],
        };
        [positions].into_iter().chain(behind.iter().map(|&size| size as u64)).collect()
    }
}

/// The size of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Games.
    pub games: u64,
    /// Positions.
    pub positions: u64,
}

/// The part that a game belongs to, by number.
pub fn part_of(game: &GameRow, seed: u64) -> usize {
    part_by_moves(game.hash(), seed)
}

/// The same, by the hash of its moves.
pub fn part_by_moves(hash: u64, seed: u64) -> usize {
    let all = PARTS.iter().map(|part| part.1).sum();
    let mut drawn = Seed(seed).named("part").numbered(hash).rng().below(all);
    PARTS
        .iter()
        .position(|&(_, share)| {
            let inside = drawn < share;
            drawn = drawn.saturating_sub(share);
            inside
        })
        .expect("the shares add up to what was drawn from")
}

/// Writes the positions of all games of a run that ended on the board, without those of random openings. The file (or directory, which must
/// not be there) is made whole or not at all. `progress` is told the number of games that are done.
pub fn write_positions(
    store: &Store,
    run: &Run,
    planes: &str,
    seed: u64,
    path: &Path,
    progress: &mut dyn FnMut(u64),
) -> Result<[Counts; 3], RunError> {
    let container = Container::of(path)?;
    let encoding = encoding(&run.experiment.game, planes)?;
    if container == Container::Directory && path.exists() {
        return Err(InputError::malformed(
            "directory",
            &path.display().to_string(),
            "expected a new one, found one that is there",
        )
        .into());
    }
    let write = |error: io::Error| RunError::Write { file: path.to_owned(), error };
    let temporary = TemporaryDirectory::new(path).map_err(write)?;
    let mut bodies = Bodies::new(&temporary.0, encoding.moves()).map_err(write)?;
    let (mut number, mut failure) = (0, None);
    store.games(RunPrefix::all(&run.id), |game| {
        if failure.is_none() {
            failure = bodies.add(&game, number, part_of(&game, seed), encoding.as_ref()).err();
        }
        number += 1;
        progress(number);
    })?;
    match failure {
        Some(Failure::Input(error)) => return Err(error.into()),
        Some(Failure::Disk(error)) => return Err(write(error)),
        None => {}
    }
    let counts = bodies.finish().map_err(write)?;
    let about = about(run, planes, seed, encoding.as_ref(), counts);
    let arrays = arrays(&temporary.0, encoding.as_ref(), counts);
    let whole = temporary.0.join("whole");
    match container {
        Container::Npz => write_npz(&whole, &arrays, &about),
        Container::Safetensors => write_safetensors(&whole, &arrays, &about),
        Container::Directory => write_directory(&whole, &arrays, &about),
    }
    .and_then(|()| fs::rename(&whole, path))
    .map_err(write)?;
    Ok(counts)
}

/// A directory beside what is written, gone when it is done or given up.
struct TemporaryDirectory(PathBuf);

impl TemporaryDirectory {
    fn new(path: &Path) -> io::Result<Self> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".part-{}", std::process::id()));
        let directory = path.with_file_name(name);
        fs::create_dir(&directory)?;
        Ok(Self(directory))
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        // A directory that cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn body_file(directory: &Path, part: usize, array: Array) -> PathBuf {
    directory.join(format!("{}_{}", PARTS[part].0, array.name()))
}

/// Why a game could not be added.
enum Failure {
    Input(InputError),
    Disk(io::Error),
}

/// The numbers of all arrays, in a file each, before it is known how many there are.
struct Bodies {
    /// By part, in the order of [`Array::ALL`].
    files: Vec<[BufWriter<File>; 6]>,
    counts: [Counts; 3],
    moves: usize,
}

impl Bodies {
    fn new(directory: &Path, moves: usize) -> io::Result<Self> {
        let open = |part: usize, array: Array| File::create(body_file(directory, part, array)).map(BufWriter::new);
        let part = |part: usize| {
            let [planes, policy, value, first_won, game, legal] = Array::ALL.map(|array| open(part, array));
            Ok([planes?, policy?, value?, first_won?, game?, legal?])
        };
        let files = (0..PARTS.len()).map(part).collect::<io::Result<_>>()?;
        Ok(Self { files, counts: [Counts::default(); 3], moves })
    }

    fn add(&mut self, row: &GameRow, number: u64, part: usize, encoding: &dyn Encoding) -> Result<(), Failure> {
        // A player that crashed has not lost on the board, and no agent chose the moves of an opening.
        if row.fault.is_some() {
            return Ok(());
        }
        let mut opening = row.movers[..row.opening].iter().flatten().count();
        let (mut written, mut disk) = (0, Ok(()));
        let mut moves = row.moves.iter().map(|played| played.text.as_str());
        let files = &mut self.files[part];
        let encoded = encoding.encode_game(&mut moves, &mut |position| {
            if opening > 0 {
                opening -= 1;
            } else if disk.is_ok() {
                disk = write_position(files, position, row.outcome.winner, number, self.moves);
                written += 1;
            }
        });
        encoded.map_err(Failure::Input)?;
        disk.map_err(Failure::Disk)?;
        self.counts[part].games += 1;
        self.counts[part].positions += written;
        Ok(())
    }

    fn finish(self) -> io::Result<[Counts; 3]> {
        self.files.into_iter().flatten().try_for_each(|mut file| file.flush())?;
        Ok(self.counts)
    }
}

fn write_position(
    files: &mut [BufWriter<File>; 6],
    position: &EncodedPosition<'_>,
    winner: Option<Player>,
    game: u64,
    moves: usize,
) -> io::Result<()> {
    let [planes, policy, value, first_won, number, legal] = files;
    for entry in position.planes {
        planes.write_all(&entry.to_le_bytes())?;
    }
    policy.write_all(&(position.played as i32).to_le_bytes())?;
    let result: f32 = match winner {
        None => 0.0,
        Some(winner) if winner == position.mover => 1.0,
        Some(_) => -1.0,
    };
    value.write_all(&result.to_le_bytes())?;
    let label: f32 = winner.map_or(0.5, |winner| if winner == Player::First { 1.0 } else { 0.0 });
    first_won.write_all(&label.to_le_bytes())?;
    number.write_all(&(game as i32).to_le_bytes())?;
    let mut bits = vec![0_u8; moves.div_ceil(8)];
    for &index in position.legal {
        bits[index / 8] |= 0x80 >> (index % 8);
    }
    legal.write_all(&bits)
}

/// An array that is ready to be put where it belongs.
struct Ready {
    name: String,
    array: Array,
    shape: Vec<u64>,
    body: PathBuf,
}

fn arrays(directory: &Path, encoding: &dyn Encoding, counts: [Counts; 3]) -> Vec<Ready> {
    let ready = |array: Array, part: usize| Ready {
        name: format!("{}_{}", PARTS[part].0, array.name()),
        array,
        shape: array.shape(counts[part].positions, encoding),
        body: body_file(directory, part, array),
    };
    Array::ALL.into_iter().flat_map(|array| (0..PARTS.len()).map(move |part| ready(array, part))).collect()
}

fn about(run: &Run, planes: &str, seed: u64, encoding: &dyn Encoding, counts: [Counts; 3]) -> Value {
    let part = |(part, counts): (&(&str, u32), Counts)| {
        (part.0.to_owned(), json!({"games": counts.games, "positions": counts.positions}))
    };
    let parts: Map<String, Value> = PARTS.iter().zip(counts).map(part).collect();
    let arrays: Map<String, Value> =
        Array::ALL.into_iter().map(|array| (array.name().to_owned(), array.meaning().into())).collect();
    json!({
        "plyground_positions": VERSION,
        "game": run.experiment.game,
        "agents": run.experiment.agents,
        "run": run.id,
        "encoding": planes,
        "planes": encoding.planes(),
        "board": encoding.board(),
        "moves": encoding.moves(),
        "move_order": encoding.move_order(),
        "arrays": arrays,
        "parts": parts,
        "split_seed": seed,
    })
}

/// The header of a `NumPy` array (the format of version 1.0, `NumPy` enhancement proposal 1).
fn npy_header(array: Array, shape: &[u64]) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
    let comma = if sizes.len() == 1 { "," } else { "" };
    let kind = array.kinds()[0];
    let mut words = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}{comma}), }}", sizes.join(", "));
    // Ten bytes come before the words, a line end behind them, and the numbers begin at a multiple of 64.
    let padding = (64 - (10 + words.len() + 1) % 64) % 64;
    words.push_str(&" ".repeat(padding));
    words.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((words.len() as u16).to_le_bytes());
    header.extend(words.as_bytes());
    header
}

fn write_npy(out: &mut impl Write, ready: &Ready) -> io::Result<()> {
    out.write_all(&npy_header(ready.array, &ready.shape))?;
    copy(&ready.body, out)
}

fn copy(body: &Path, out: &mut impl Write) -> io::Result<()> {
    let mut file = BufReader::new(File::open(body)?);
    io::copy(&mut file.by_ref(), out).map(drop)
}

const ABOUT: &str = "about.json";

fn write_npz(file: &Path, arrays: &[Ready], about: &Value) -> io::Result<()> {
    let mut archive = ZipWriter::new(BufWriter::new(File::create(file)?));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).large_file(true);
    for ready in arrays {
        archive.start_file(format!("{}.npy", ready.name), options)?;
        write_npy(&mut archive, ready)?;
    }
    archive.start_file(ABOUT, options)?;
    archive.write_all(about.to_string().as_bytes())?;
    archive.finish()?.flush()
}

/// The format of safetensors: the length of a header, the header as JSON, and the numbers of all tensors one after the other.
fn write_safetensors(file: &Path, arrays: &[Ready], about: &Value) -> io::Result<()> {
    let mut header = Map::new();
    header.insert("__metadata__".to_owned(), json!({"about": about.to_string()}));
    let mut begin = 0;
    for ready in arrays {
        let end = begin + fs::metadata(&ready.body)?.len();
        header.insert(
            ready.name.clone(),
            json!({"dtype": ready.array.kinds()[1], "shape": ready.shape, "data_offsets": [begin, end]}),
        );
        begin = end;
    }
    let mut words = Value::Object(header).to_string();
    words.push_str(&" ".repeat((8 - words.len() % 8) % 8));
    let mut out = BufWriter::new(File::create(file)?);
    out.write_all(&(words.len() as u64).to_le_bytes())?;
    out.write_all(words.as_bytes())?;
    for ready in arrays {
        copy(&ready.body, &mut out)?;
    }
    out.flush()
}

fn write_directory(directory: &Path, arrays: &[Ready], about: &Value) -> io::Result<()> {
    fs::create_dir(directory)?;
    for ready in arrays {
        let mut out = BufWriter::new(File::create(directory.join(format!("{}.npy", ready.name)))?);
        write_npy(&mut out, ready)?;
        out.flush()?;
    }
    fs::write(directory.join(ABOUT), about.to_string())
}
