//! Fairy-Stockfish (a program of its own, under the GPL, never linked): an opponent in UCI, and a second opinion on legal moves.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use plyground_table::{Seed, open};

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

#[test]
fn it_plays_clobber_on_our_table() {
    if stockfish().is_none() {
        return;
    }
    for (game, keys) in [("clobber:size=5x6", "protocol=uci,variant=clobber"), ("clobber:size=10x10", "protocol=uci")] {
        let data = Directory::new("stockfish");
        let spec = format!("cmd:{keys},depth=3 fairy-stockfish");
        let games = play_match(&data, game, [&spec, "random"], &["--pairs", "1"]);
        assert_eq!(games.len(), 2);
        assert!(games.iter().all(|game| game["fault"].is_null()), "{game}: {:?}", endings(&games));
    }
    let data = Directory::new("stockfish-refused");
    let output = crate::ply(&data).args(["think", "pawn", "--agent", "cmd:protocol=uci fairy-stockfish"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(crate::err(&output).contains("known variants: clobber is clobber:size=5x6"), "{}", crate::err(&output));
}

struct Oracle {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Oracle {
    fn new(path: &Path, variant: &str) -> Self {
        let mut child = Command::new(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut oracle = Self { child, lines };
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
    for (game, variant, games) in [("clobber:size=5x6", "clobber", 40), ("clobber:size=10x10", "clobber10", 6)] {
        let mut oracle = Oracle::new(&path, variant);
        let (mut rng, mut positions) = (Seed(3).rng(), 0);
        for number in 0..games {
            // Every second one from stones that lie anyhow.
            let spec = if number % 2 == 0 { game.to_owned() } else { format!("{game},random={number}") };
            let mut session = open(&spec, None).unwrap();
            loop {
                let ours: Vec<String> = session.moves().into_iter().map(|mv| mv.text).collect();
                let position = session.position();
                let (board, side) = position.split_once(' ').unwrap();
                let fen =
                    format!("{} {} - - 0 1", board.replace('x', "P").replace('o', "p"), if side == "x" { "w" } else { "b" });
                assert_eq!(oracle.moves(&fen), ours, "{position}");
                positions += 1;
                if ours.is_empty() {
                    break;
                }
                session.play(&ours[rng.below(ours.len() as u32) as usize]).unwrap();
            }
        }
        assert!(positions > 300, "{positions}");
    }
}
