//! The record format of the Crosphere thesis, both ways.

use plyground_core::{GameRecord, PlayableGame, PlayedMove, RecordFormat, Scratch, Seed, Turn, Visitor};
use plyground_games::{open, record_formats};
use proptest::prelude::*;

const FILE: &str = include_str!("../data/crosphere-thesis.txt");

fn format() -> &'static RecordFormat {
    record_formats().into_iter().find(|format| format.name == "crosphere-thesis").unwrap()
}

fn read(text: &str) -> Result<Vec<GameRecord>, String> {
    (format().read)(text).map_err(|error| error.to_string())
}

fn write(records: &[GameRecord]) -> Result<String, String> {
    (format().write)(records).map_err(|error| error.to_string())
}

/// A finished random game on the thesis' board.
struct RandomRecord(u64);

impl Visitor for RandomRecord {
    type Output = GameRecord;
    fn visit<G: PlayableGame>(self, game: G, mut state: G::State) -> GameRecord {
        let mut rng = Seed(self.0).rng();
        let mut record = GameRecord { version: GameRecord::VERSION, game: game.spec(), ..GameRecord::default() };
        record.players[0].name = format!("type=random, number={}", self.0);
        while let Turn::Player(_) = game.turn(&state) {
            let mv = game.random_move(&state, &mut rng, &mut Scratch::default());
            record.moves.push(PlayedMove { text: game.move_text(&state, mv), ..PlayedMove::default() });
            game.play(&mut state, mv);
        }
        game.turn(&state).result_word().clone_into(&mut record.result);
        record.reason = game.why_over(&state).map_or_else(String::new, |why| why.english);
        record
    }
}

#[test]
fn a_record_of_the_thesis_is_read() {
    let records = read(FILE).unwrap();
    let [record] = &records[..] else { panic!("one game, not {}", records.len()) };
    assert_eq!(record.game, "crosphere:size=8x8,strong=5");
    assert_eq!((record.start.as_deref(), record.result.as_str()), (None, "second"));
    assert_eq!(record.reason, "Pink has linked the left and the right edge");
    assert!(record.players[0].name.starts_with("type=MCTS_heuristic, exploration_weight=0.44"));
    assert_eq!(record.date.as_deref(), Some("13-03-2024 10:48:22"));
    assert_eq!(record.tags["Device"], "system=Linux, node=laptop");
    assert_eq!(record.tags.len(), 1);
    let moves: Vec<&str> = record.moves.iter().map(|played| played.text.as_str()).collect();
    assert_eq!((moves.len(), moves[0], moves[25]), (26, "sg7", "we5"));
}

#[test]
fn the_layout_of_the_thesis_is_kept_byte_for_byte() {
    assert_eq!(write(&read(FILE).unwrap()).unwrap(), FILE);
    let two = format!("{FILE}\n{FILE}");
    let records = read(&two).unwrap();
    assert_eq!(records.len(), 2);
    assert_eq!(write(&records).unwrap(), two);
    assert_eq!((read("").unwrap(), write(&[]).unwrap()), (Vec::new(), String::new()));
}

/// Listing 3.1 is printed with the tags of the players over two lines.
#[test]
fn tags_may_be_broken_over_lines_as_they_are_printed() {
    let printed = FILE.replace("=0.44, rollouts", "=0.44,\n rollouts").replace("=0.5, rollouts", "=0.5,\r\n\n rollouts");
    assert_ne!(printed, FILE);
    assert_eq!(read(&printed).unwrap(), read(FILE).unwrap());
    for (broken, message) in [
        (FILE.replacen("\"]\n[Result", "\n[Result", 1), "line 2: expected a tag"),
        (FILE.replace("\"]\n1. (", "\n1. ("), "line 5: expected a tag"),
        (FILE.replacen(", stone", &" x\n".repeat(20), 1), "line 1: expected a tag"),
    ] {
        let found = read(&broken).unwrap_err();
        assert!(found.contains(message), "{found}");
    }
}

#[test]
fn the_games_of_a_file_are_found_one_by_one() {
    let two = format!("\u{feff}{FILE}\n{}", FILE.replace("=0.44, rollouts", "=0.44,\n rollouts"));
    let parts = (format().split)(&two);
    let lines = FILE.lines().count();
    assert_eq!(parts.iter().map(|part| part.0).collect::<Vec<_>>(), [1, lines + 2]);
    assert!(parts.iter().all(|part| read(part.1).unwrap() == read(FILE).unwrap()));
    assert!((format().split)(" \n\n").is_empty());
}

#[test]
fn dates_are_written_as_the_thesis_writes_them() {
    let mut record = read(FILE).unwrap().swap_remove(0);
    record.date = Some("2026-11-18T20:44:37Z".to_owned());
    let text = write(&[record]).unwrap();
    assert!(text.contains("[Datetime \"18-11-2026 20:44:37\"]"), "{text}");
    assert_eq!(write(&read(&text).unwrap()).unwrap(), text);
}

#[test]
fn other_layouts_mean_the_same() {
    let plain = read(FILE).unwrap();
    assert_eq!(read(&FILE.replace('\n', "\r\n")).unwrap(), plain);
    assert_eq!(read(&FILE.replace('\n', "\n\n")).unwrap(), plain);
    assert_eq!(read(&format!("\u{feff}\n{}", FILE.replace(", (", ",(").trim_end())).unwrap(), plain);
    // Games without blank lines between them.
    assert_eq!(read(&format!("{FILE}{FILE}")).unwrap().len(), 2);
    let bare: String = FILE.split_inclusive('\n').filter(|line| !line.contains('D')).collect();
    let bare = &read(&bare).unwrap()[0];
    assert!(bare.date.is_none() && bare.tags.is_empty());
    let tagged = FILE.replace("[Device", "[Opening \"centre, [b] first\"]\n[Device");
    assert_eq!(read(&tagged).unwrap()[0].tags["Opening"], "centre, [b] first");
}

#[test]
fn random_games_round_trip() {
    let records: Vec<GameRecord> = (0..200).map(|number| open("crosphere", None, RandomRecord(number)).unwrap()).collect();
    assert_eq!(read(&write(&records).unwrap()).unwrap(), records);
}

#[test]
fn broken_records_are_refused_with_their_line() {
    let cases = [
        (FILE.replace("[Result \"0\"]", "[Result \"1\"]"), "line 3: the result contradicts the moves: Pink has linked"),
        (FILE.replace("[Result \"0\"]", "[Result \"2\"]"), "line 3: expected the result 1 (first player), 0 (second"),
        (FILE.replace("[Result \"0\"]\n", ""), "line 1: this game has no Result tag"),
        (FILE.replace("[Result \"0\"]", "[Result 0]"), "line 3: expected a tag, like [Result \"1\"]"),
        (FILE.replace("Player_2", "Player_1"), "line 2: Player_1 is given twice in this game, first on line 1"),
        (FILE.replace("2. (0, (2, 3))", "2. (0, (1, 6))"), "line 7: illegal move wg7: g7 is occupied"),
        (FILE.replace("2. (0, (2, 3))", "2. (2, (2, 3))"), "line 7: expected move 2 as NUMBER. (KIND, (ROW, COLUMN))"),
        (FILE.replace("2. (0, (2, 3))", "2. (0, (8, 3))"), "line 7: expected move 2"),
        (FILE.replace("2. (0, (2, 3))", "7. (0, (2, 3))"), "line 7: expected move number 2, found 7"),
        (FILE.replace("2. (0, (2, 3))\n", ""), "line 7: expected move number 2, found 3"),
        (FILE.replace("\n26. (0, (3, 4))", ""), "line 30: the game ends here, but nobody is linked and there are moves left"),
        (format!("{FILE}27. (0, (0, 0))\n"), "line 32: illegal move wa8: the game is over (second)"),
        (format!("hello\n{FILE}"), "line 1: expected a tag like [Player_1 \"name\"] before the moves"),
        (format!("{FILE}\n[Player_1 \"alone\"]\n"), "line 33: the game ends here"),
    ];
    for (text, message) in cases {
        let error = read(&text).unwrap_err();
        assert!(error.contains(message), "{error}\nis not\n{message}");
    }
}

type Change<'a> = &'a dyn Fn(&mut GameRecord);

#[test]
fn what_the_format_cannot_hold_is_refused() {
    let good = read(FILE).unwrap().remove(0);
    let with = |change: Change<'_>| {
        let mut record = good.clone();
        change(&mut record);
        write(&[good.clone(), record])
    };
    assert!(with(&|record| record.game = "crosphere".to_owned()).is_ok());
    assert!(with(&|record| record.start = Some("8/8/8/8/8/8/8/8 g 5 5".to_owned())).is_ok());
    let changes: [(Change<'_>, &str); 10] = [
        (&|record| record.game = "crosphere:size=7x8".to_owned(), "the format knows only crosphere:size=8x8,strong=5"),
        (&|record| record.game = "crosphere:strong=4".to_owned(), "the format knows only crosphere:size=8x8,strong=5"),
        (&|record| record.game = "tictactoe".to_owned(), "the format knows only crosphere:size=8x8,strong=5"),
        (&|record| record.start = Some("8/8/8/8/8/8/8/7o g 5 5".to_owned()), "this is crosphere:size=8x8,strong=5 from 8/8"),
        (&|record| drop(record.moves.pop()), "game 2 cannot be written: it is not finished"),
        (&|record| record.result = "first".to_owned(), "its result is 'first', but Pink has linked"),
        (&|record| record.moves[1].text = "wg7".to_owned(), "move 2: illegal move 'wg7': g7 is occupied"),
        (&|record| record.players[0].name = "a \"b\"".to_owned(), "has characters that would break it"),
        (&|record| drop(record.tags.insert("two words".to_owned(), String::new())), "would break it"),
        (&|record| drop(record.tags.insert("Result".to_owned(), "1".to_owned())), "cannot be given twice"),
    ];
    for (change, message) in changes {
        let error = with(change).unwrap_err();
        assert!(error.contains(message), "{error}\nis not\n{message}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let _ = read(&text);
    }

    /// A good file with a line changed, lost, doubled or cut: read or refused, and what is read can be written and read again.
    #[test]
    fn damaged_files_are_read_or_refused(line in 0_usize..31, kind in 0..4, at in 0_usize..100, text in "[ -~éß\n]{0,12}") {
        let mut lines: Vec<String> = FILE.lines().map(str::to_owned).collect();
        let old = lines[line].clone();
        let cut = at.min(old.len());
        match kind {
            0 => lines[line] = format!("{}{text}{}", &old[..cut], &old[cut..]),
            1 => drop(lines.remove(line)),
            2 => lines.insert(line, old),
            _ => lines[line] = old[..cut].to_owned(),
        }
        if let Ok(records) = read(&lines.join("\n")) {
            prop_assert_eq!(read(&write(&records).unwrap()).unwrap(), records);
        }
    }
}
