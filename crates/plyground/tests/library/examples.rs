//! The examples, run as programs. `cargo test -p plyground` builds them; `--test library` alone does not.

use std::path::PathBuf;
use std::process::Command;

/// What an example prints.
fn output(example: &str) -> String {
    let test = std::env::current_exe().expect("a test has a path");
    let folder: PathBuf = test.ancestors().nth(2).expect("tests are in target/PROFILE/deps").join("examples");
    let program = folder.join(format!("{example}{}", std::env::consts::EXE_SUFFIX));
    let output = Command::new(&program).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}; cargo test -p plyground builds it", program.display()));
    assert!(output.status.success(), "{example}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it prints text")
}

#[test]
fn play() {
    let text = output("play");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].split(' ').count() >= 7, "{text}");
    assert!(text.contains("a b c d e f g"), "{text}");
    let last = lines.last().expect("it prints something");
    assert!(last.contains(" wins: ") || last.starts_with("a draw: "), "{text}");
}

#[test]
fn a_match() {
    let text = output("match");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains("mcts:sims=100") && lines[0].contains(" over 20 pairs, Elo "), "{text}");
    assert!(lines[0].contains(&lines[1].replace(", Elo", " over 20 pairs, Elo")), "{text}");
    assert!(lines[2].starts_with("random is weaker than greedy: "), "{text}");
}

#[test]
fn own_game() {
    let text = output("own_game");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("Monte Carlo tree search plays ") && lines[0].ends_with(" after 1000 games"), "{text}");
    assert!(lines[1].ends_with(" and expects +1"), "{text}");
    assert_eq!(lines[2], "exact play: win in 7 plies", "the first player wins every row of pins");
    assert!(lines[3].starts_with("mcts:sims=50 is stronger than random: "), "{text}");
}

#[test]
fn train() {
    let text = output("train");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("Q-learning knows 764 positions and plays "), "{text}");
    assert!(lines[1].starts_with("round 1: 50 games, value loss 0."), "{text}");
    assert!(lines[2].starts_with("round 2: 100 games, value loss 0."), "{text}");
    assert!(lines[3].starts_with("the network is a file of "), "{text}");
}
