//! Fairy-Stockfish (a program of its own, under the GPL, never linked): an opponent in UCI, and a second opinion on legal moves.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use plyground_session::{Seed, Turn, open};

use crate::{Directory, endings, play_match};

/// Where it is; nowhere where it is not installed, which is said.
fn stockfish() -> Option<PathBuf> {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&search).chain([PathBuf::from("/usr/games")]);
    let found = folders.map(|folder| folder.join("fairy-stockfish")).find(|path| path.is_file());
    if found.is_none() {
        eprintln!("skipped: fairy-stockfish is not here (Debian: apt-get install fairy-stockfish)");
    }
    found
}

/// Games, what it calls them, and how many random games are looked at.
const GAMES: [(&str, &str, u32); 7] = [
    ("clobber:size=5x6", "clobber", 30),
    ("clobber:size=10x10", "clobber10", 4),
    ("clobber:size=8x8", "plyclobber8x8", 6),
    ("clobber:size=3x4", "plyclobber3x4", 40),
    ("pawn:size=4x4", "plypawn4x4", 60),
    ("pawn:size=5x6", "plypawn5x6", 30),
    ("pawn:size=8x8", "plypawn8x8", 10),
];

#[test]
fn it_plays_clobber_and_the_pawn_game_on_our_table() {
    if stockfish().is_none() {
        return;
    }
    for (game, variant, _) in GAMES {
        let data = Directory::new("stockfish");
        let spec = format!("cmd:protocol=uci,variant={variant},nodes=2000 fairy-stockfish");
        let games = play_match(&data, game, [&spec, "random"], &["--pairs", "1"]);
        assert_eq!(games.len(), 2);
        assert!(games.iter().all(|game| game["fault"].is_null()), "{game}: {:?}", endings(&games));
    }
    let data = Directory::new("stockfish-refused");
    let output = crate::ply(&data).args(["think", "tictactoe", "--agent", "cmd:protocol=uci fairy-stockfish"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(crate::err(&output).contains("expected clobber or pawn"), "{}", crate::err(&output));
}

#[test]
fn it_wins_against_random_play() {
    if stockfish().is_none() {
        return;
    }
    // If positions or moves reached it mirrored or with the colours swapped, it would lose half of them.
    for game in ["clobber:size=4x4", "pawn:size=4x4"] {
        let data = Directory::new("stockfish-wins");
        let spec = "cmd:protocol=uci,nodes=20000 fairy-stockfish";
        let games = play_match(&data, game, [spec, "random"], &["--pairs", "10"]);
        let won = games.iter().filter(|game| game["winner"] == if game["agents"][0] == spec { 1 } else { 2 }).count();
        assert!(won >= 16, "{game}: {won} of {}", games.len());
    }
}

struct Oracle {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Oracle {
    fn new(path: &Path, definition: &Path, variant: &str) -> Self {
        let mut child = Command::new(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut oracle = Self { child, lines };
        if definition.exists() {
            oracle.say(&format!("setoption name VariantPath value {}", definition.display()));
        }
        oracle.say(&format!("setoption name UCI_Variant value {variant}"));
        oracle
    }

    fn say(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The legal moves, sorted.
    fn moves(&mut self, fen: &str) -> Vec<String> {
        self.say(&format!("position fen {fen}"));
        self.say("go perft 1");
        let mut moves = Vec::new();
        for line in self.lines.by_ref().map(Result::unwrap) {
            match line.split_once(": ") {
                Some(("Nodes searched", _)) => break,
                Some((mv, "1")) => moves.push(mv.to_owned()),
                _ => {}
            }
        }
        moves.sort();
        moves
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        self.say("quit");
        let _ = self.child.wait();
    }
}

#[test]
fn it_finds_the_same_legal_moves() {
    let Some(path) = stockfish() else { return };
    for (game, variant, games) in GAMES {
        let data = Directory::new(variant);
        // What it has to learn is written for it where a program is asked, and here it is read again.
        let spec = "cmd:protocol=uci,depth=1 fairy-stockfish";
        let asked = crate::ply(&data).args(["think", game, "--quiet", "--agent", spec]).output().unwrap();
        assert!(asked.status.success(), "{}", crate::err(&asked));
        let mut oracle = Oracle::new(&path, &data.0.join(format!("engines/{variant}.ini")), variant);
        let (mut rng, mut positions) = (Seed(3).rng(), 0);
        for number in 0..games {
            // Every second one from stones that lie anyhow, where that is known.
            let random = number % 2 == 1 && game.starts_with("clobber");
            let spec = if random { format!("{game},random={number}") } else { game.to_owned() };
            let mut session = open(&spec, None).unwrap();
            while matches!(session.turn(), Turn::Player(_)) {
                let ours: Vec<String> = session.moves().into_iter().map(|mv| mv.text).collect();
                assert_eq!(oracle.moves(&fen(&session.position())), ours, "{}", session.position());
                positions += 1;
                session.play(&ours[rng.below(ours.len() as u32) as usize]).unwrap();
            }
        }
        assert!(positions > 200, "{game}: {positions}");
    }
}

/// A position as it writes it: the first player is White.
fn fen(position: &str) -> String {
    let (board, side) = position.split_once(' ').unwrap();
    let side = if ["x", "w"].contains(&side) { "w" } else { "b" };
    format!("{} {side} - - 0 1", board.replace('x', "P").replace('o', "p"))
}
