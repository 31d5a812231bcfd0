//! Programs that behave, wherever an agent can be named.

use serde_json::Value;

use crate::{Directory, endings, err, mock, out, play_match, ply, run};

/// One of our agents as a program of its own. It is told the game and the seed, and plays what it would play here.
fn ourselves(keys: &str, agent: &str) -> String {
    format!("cmd:{keys} {} ugi tictactoe --agent {agent}", env!("CARGO_BIN_EXE_ply"))
}

#[test]
fn a_program_plays_every_game() {
    for game in ["tictactoe", "clobber:size=4x4", "pawn:size=4x4", "crosphere:size=3x3", "connect-four:size=5x4,k=4", "tuc-chess"]
    {
        let data = Directory::new("every-game");
        let spec = ourselves("nodes=20", "mcts");
        let games = play_match(&data, game, [&spec, "random"], &["--pairs", "2"]);
        assert_eq!(games.len(), 4, "{game}");
        assert!(games.iter().all(|game| game["fault"].is_null()), "{game}: {:?}", endings(&games));
    }
}

#[test]
fn the_same_seed_gives_the_same_games() {
    let plays = |name: &str, threads: &str| {
        let data = Directory::new(name);
        let spec = ourselves("depth=1", "random");
        let mut games = play_match(&data, "clobber:size=4x4", [&spec, "mcts:sims=10"], &["--pairs", "8", "--threads", threads]);
        games.sort_by_key(|game| (game["job"].to_string(), game["game"].as_u64()));
        games.iter().map(|game| format!("{} {}", game["winner"], game["plies"])).collect::<Vec<_>>()
    };
    let games = plays("same-seed-1", "1");
    assert_eq!(games.len(), 16);
    assert_eq!(games, plays("same-seed-2", "2"));
}

#[test]
fn tournaments_and_tests_take_programs() {
    let data = Directory::new("tournament");
    let good = mock("", "good");
    let output =
        ply(&data).args(["tournament", "tictactoe", &good, "random", "minimax:depth=1", "--pairs", "2"]).output().unwrap();
    assert!(output.status.success() && out(&output).contains(&good), "{}{}", out(&output), err(&output));
    let sprt = ply(&data).args(["sprt", "tictactoe", "mcts:sims=100", &good, "--elo1", "200"]).output().unwrap();
    assert!(sprt.status.success() && out(&sprt).contains("LLR"), "{}{}", out(&sprt), err(&sprt));
}

#[test]
fn a_run_knows_its_program() {
    let data = Directory::new("known");
    let script = data.0.join("engine.sh");
    let mock = std::fs::read_to_string(crate::root().join("crates/cli/tests/engines/mock.sh")).unwrap();
    std::fs::write(&script, &mock).unwrap();
    let spec = format!("cmd:sh {} good", script.display());
    let runs = || {
        let output = ply(&data).args(["match", "tictactoe", &spec, "random", "--pairs", "1", "--json"]).output().unwrap();
        assert!(output.status.success(), "{}", err(&output));
        let list = ply(&data).args(["runs", "--json"]).output().unwrap();
        serde_json::from_str::<Value>(&out(&list)).unwrap().as_array().unwrap().len()
    };
    assert_eq!((runs(), runs()), (1, 1));
    // The same command with another program behind it is another run.
    std::fs::write(&script, format!("{mock}\n# better now\n")).unwrap();
    assert_eq!(runs(), 2);
}

#[test]
fn people_play_against_programs_and_see_what_they_think() {
    let data = Directory::new("people");
    let good = mock("", "good");
    let mut play = ply(&data);
    play.args(["play", "tictactoe", "--against", &good, "--quiet"]);
    let played = run(play, "b2\nc3\nb1\nb3\nc1\nc2\n");
    assert!(out(&played).contains("plays a1 (winning chance 56 %)"), "{}{}", out(&played), err(&played));
    let thought = ply(&data).args(["think", "tictactoe", "--json", "--agent", &good]).output().unwrap();
    let advice: Value = serde_json::from_slice(&thought.stdout).unwrap();
    // What it expects behind its move is no move of this game, and is not passed on.
    assert_eq!((&advice["move"], &advice["pv"], &advice["nodes"]), (&"a1".into(), &vec!["a1"].into(), &1.into()));
    let compared = ply(&data).args(["compare", "tictactoe", &good, "solve", "--quiet"]).output().unwrap();
    assert!(compared.status.success() && out(&compared).contains(&good), "{}", err(&compared));
}

#[test]
fn an_option_is_set() {
    // The mock cheats once its level is 7.
    let data = Directory::new("option");
    let spec = "cmd:option.Level=7 sh crates/cli/tests/engines/mock.sh good cheat";
    let games = play_match(&data, "tictactoe", [spec, "random"], &["--pairs", "1"]);
    assert!(games.iter().all(|game| game["fault"] == "cheated"), "{:?}", endings(&games));
}
