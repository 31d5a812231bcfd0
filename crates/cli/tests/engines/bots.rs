//! The bots that others begin with: each plays every game without a fault.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{Directory, endings, play_match, root};

/// Is this program here?
fn there(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn plays_everything(name: &str, command: &str) {
    for game in ["tictactoe", "clobber", "pawn", "crosphere:size=4x4,strong=2", "connect-four", "tuc-chess"] {
        let data = Directory::new(name);
        let games = play_match(&data, game, [&format!("cmd:start=60s,{command}"), "random"], &["--pairs", "1"]);
        assert_eq!(games.len(), 2, "{game}");
        assert!(games.iter().all(|game| game["fault"].is_null()), "{name}, {game}: {:?}", endings(&games));
    }
}

#[test]
fn the_bot_in_python() {
    if !there("python3") {
        eprintln!("skipped: there is no python3 here");
        return;
    }
    plays_everything("python", "time=10s python3 bots/random_bot.py");
}

#[test]
fn the_bot_in_java() {
    if !there("java") || !there("javac") {
        eprintln!("skipped: there is no Java compiler here");
        return;
    }
    let classes = Directory::new("java-classes");
    let compiled =
        Command::new("javac").current_dir(root()).arg("-d").arg(&classes.0).arg("bots/RandomBot.java").status().unwrap();
    assert!(compiled.success());
    plays_everything("java", &format!("time=10s java -cp {} RandomBot", classes.0.display()));
}

#[test]
fn the_bot_in_rust() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    if !there(&rustc) {
        eprintln!("skipped: there is no {rustc} here");
        return;
    }
    let folder = Directory::new("rust-bot");
    let bot = folder.0.join("random_bot");
    let compiled =
        Command::new(rustc).current_dir(root()).args(["--edition", "2024", "bots/random_bot.rs", "-o"]).arg(&bot).status();
    assert!(compiled.unwrap().success());
    plays_everything("rust", &format!("time=10s {}", bot.display()));
}

#[test]
fn each_is_short_enough_to_be_read() {
    for entry in fs::read_dir(root().join("bots")).unwrap() {
        let path = entry.unwrap().path();
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines < 80, "{}: {lines} lines", Path::new(&path).display());
    }
}
