//! The JSON API answers what a page asks, and survives what a page should not ask.

use std::ops::ControlFlow;
use std::time::Duration;

use plyground_api::{Allowance, Api};
use plyground_session::{NoResources, WallClock, infos};
use proptest::prelude::*;
use serde_json::{Value, json};

fn api() -> Api<'static> {
    let allowance = Allowance { time: Duration::from_millis(150), memory: 64, threads: 1, plies: 300 };
    Api { resources: &NoResources, allowance }
}

fn raw(request: &str) -> Value {
    let text = api().handle(request, &WallClock::start(), &mut |_| ControlFlow::Continue(()));
    serde_json::from_str(&text).expect("an answer is JSON")
}

fn ask(mut request: Value) -> Value {
    request["id"] = 5.into();
    let answer = raw(&request.to_string());
    assert_eq!(answer["id"], 5);
    answer["answer"].clone()
}

fn refused(mut request: Value) -> String {
    request["id"] = 5.into();
    let answer = raw(&request.to_string());
    assert!(answer.get("answer").is_none(), "{answer}");
    answer["error"].as_str().expect("an error in words").to_owned()
}

#[test]
fn every_game_can_be_played_to_its_end_by_messages_alone() {
    let games = ask(json!({"do": "games"}));
    assert_eq!(games.as_array().unwrap().len(), infos().len());
    for game in games.as_array().unwrap() {
        let name = &game["name"];
        let opponents = ask(json!({"do": "opponents", "game": name}));
        assert!(opponents.as_array().unwrap().iter().any(|opponent| opponent["name"] == "level=8"), "{name}");
        let mut moves: Vec<Value> = Vec::new();
        loop {
            let state = ask(json!({"do": "state", "game": name, "moves": moves}));
            assert_eq!(state["history"].as_array().unwrap().len(), moves.len());
            let (files, ranks) = (state["view"]["files"].as_u64().unwrap(), state["view"]["ranks"].as_u64().unwrap());
            assert_eq!(state["view"]["cells"].as_array().unwrap().len() as u64, files * ranks);
            match state["turn"].as_str().unwrap() {
                "over" => {
                    assert!(["first", "second", "draw"].contains(&state["winner"].as_str().unwrap()), "{state}");
                    let reason = &state["reason"];
                    let phrases = game["phrases"].as_array().unwrap();
                    assert!(phrases.iter().any(|phrase| phrase["key"] == reason["key"]), "{name}: {reason}");
                    assert!(!reason["english"].as_str().unwrap().is_empty());
                    break;
                }
                "chance" => moves.push(ask(json!({"do": "chance", "game": name, "moves": moves, "seed": moves.len()}))),
                _ => {
                    let legal = state["moves"].as_array().unwrap();
                    let thought = ask(json!({"do": "think", "game": name, "moves": moves, "agent": "random", "seed": 3}));
                    assert!(legal.iter().any(|legal| legal["move"] == thought["move"]), "{thought}");
                    moves.push(thought["move"].clone());
                }
            }
        }
        let players = ["me", "random"];
        let record = ask(json!({"do": "export", "game": name, "moves": moves, "format": "jsonl", "players": players}));
        let read = ask(json!({"do": "import", "text": record}));
        assert_eq!(read[0]["moves"], Value::from(moves), "{name}");
        assert_eq!(read[0]["players"], json!(players));
    }
}

#[test]
fn a_thought_is_followed_and_kept_within_what_is_allowed() {
    let request = json!({"id": 1, "do": "think", "game": "clobber:size=8x8", "agent": "mcts:sims=4000000000", "watch": true});
    let mut heard: Vec<Value> = Vec::new();
    let mut tell = |message: &str| {
        heard.push(serde_json::from_str(message).unwrap());
        ControlFlow::Continue(())
    };
    let answer = api().handle(&request.to_string(), &WallClock::start(), &mut tell);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let simulations = answer["answer"]["simulations"].as_u64().unwrap();
    assert!((1..4_000_000_000).contains(&simulations), "{simulations}");
    assert!(!heard.is_empty() && heard.iter().all(|message| message["id"] == 1), "{heard:?}");
    assert_eq!(heard[0]["progress"]["candidates"].as_array().unwrap().len(), 112);
    // A stopped search answers with what is known.
    let stopped = api().handle(&request.to_string(), &WallClock::start(), &mut |_| ControlFlow::Break(()));
    let stopped: Value = serde_json::from_str(&stopped).unwrap();
    assert!(stopped["answer"]["move"].is_string(), "{stopped}");
}

#[test]
fn small_positions_are_solved_and_large_ones_are_given_up() {
    let won = ask(json!({"do": "solve", "game": "pawn:size=4x4"}));
    assert_eq!((won["value"].as_str(), won["plies"].as_u64()), (Some("win"), Some(11)));
    let unknown = ask(json!({"do": "solve", "game": "crosphere", "time": 20}));
    assert_eq!(unknown["value"], Value::Null);
}

#[test]
fn what_decided_a_game_is_told() {
    for (game, moves, squares) in [
        ("tictactoe", &["a1", "b1", "a2", "b2", "a3"] as &[_], &["a1", "a2", "a3"] as &[_]),
        ("tictactoe", &["a1", "b1", "b2", "a2", "c3"], &["a1", "b2", "c3"]),
        ("tictactoe", &["a1", "b1"], &[]),
        ("connect-four", &["a", "b", "a", "b", "a", "b", "a"], &["a1", "a2", "a3", "a4"]),
        // The stones in file c are not in the chain.
        ("crosphere:size=3x3,strong=1", &["wb1", "wc1", "wb2", "wc2", "wb3"], &["b1", "b2", "b3"]),
        ("breakthrough:size=5x5", &["a2a3", "e4e3", "a3b4", "e3d2", "b4c5"], &["c5"]),
        ("pawn:size=1x3", &["a1a2"], &[]),
    ] {
        let won = ask(json!({"do": "state", "game": game, "moves": moves}))["won"].clone();
        assert_eq!(won, json!(squares), "{game}");
    }
}

#[test]
fn a_line_is_told_move_by_move_with_its_squares() {
    let moves = ["5242", "@-"];
    let history = ask(json!({"do": "state", "game": "tuc-chess", "moves": moves}))["history"].clone();
    let moved =
        json!({"move": "5242", "label": "c2c3", "from": "c2", "to": "c3", "piece": null, "mover": "first", "certain": false});
    assert_eq!(history[0], moved);
    assert!(history[1].get("to").is_none(), "chance moves nothing: {}", history[1]);
    assert_eq!((&history[1]["mover"], &history[1]["certain"]), (&Value::Null, &json!(false)));
    let certain = ask(json!({"do": "state", "game": "tuc-chess:appear=0", "moves": moves}))["history"].clone();
    assert_eq!(certain[1]["certain"], true, "nothing else could happen");
    let appeared = ask(json!({"do": "state", "game": "tuc-chess", "moves": ["5242", "@52"]}))["history"][1]["outcome"].clone();
    let expected = json!({"key": "appears", "args": {"square": "c2"}, "english": "a bonus appears on c2", "sign": "★ c2"});
    assert_eq!(appeared, expected);
    for (task, agent) in [("think", "alphabeta:depth=4"), ("solve", "")] {
        let answer = ask(json!({"do": task, "game": "tictactoe", "moves": ["a1", "b1", "a2", "b2"], "agent": agent}));
        assert_eq!(answer["line"], json!([{"move": "a3", "label": "a3", "from": null, "to": "a3", "piece": null}]), "{task}");
    }
}

#[test]
fn what_is_wrong_is_said_in_words() {
    let taken = refused(json!({"do": "state", "game": "tictactoe", "moves": ["b2", "b2"]}));
    assert!(taken.contains("b2") && taken.contains("illegal"), "{taken}");
    let request = json!({"id": 5, "do": "state", "game": "tictactoe", "moves": ["b2", "b2"]});
    let why = json!({"key": "occupied", "args": {"square": "b2"}, "english": "b2 is occupied"});
    assert_eq!(raw(&request.to_string())["reason"], why, "as a key with arguments, too");
    assert!(refused(json!({"do": "state", "game": "ludo"})).contains("unknown game 'ludo'"));
    assert!(refused(json!({"do": "chance", "game": "clobber"})).contains("not the turn of chance"));
    assert!(refused(json!({"do": "think", "game": "clobber", "agent": "mcts:memory=100000"})).contains("memory from 0 to 64"));
    assert!(refused(json!({"do": "think", "game": "clobber", "agent": "alphabeta:tt=100000"})).contains("tt from 0 to 64"));
    assert!(refused(json!({"do": "think", "game": "clobber", "agent": "mcts:threads=64"})).contains("threads from 0 to 1"));
    assert!(refused(json!({"do": "think", "game": "clobber", "agent": "solve:tb=/etc/passwd"})).contains("/etc/passwd"));
    assert!(refused(json!({"do": "state", "game": "clobber", "moves": vec!["a1a2"; 301]})).contains("at most 300"));
    assert!(refused(json!({"do": "export", "game": "clobber", "format": "pgn"})).contains("unknown format 'pgn'"));
    for nonsense in ["", "{}", "[]", "{\"id\":1,\"do\":\"dance\"}", "{\"id\":1,\"do\":\"games\",\"extra\":1}", "\u{0}"] {
        let answer = raw(nonsense);
        assert!(answer["error"].as_str().unwrap().starts_with("malformed request"), "{answer}");
    }
}

proptest! {
    #[test]
    fn no_request_brings_it_down(game in "[a-z:=0-9x,]{0,24}", moves in prop::collection::vec("\\PC{0,6}", 0..4), task in 0..8_usize, text in "\\PC{0,40}") {
        let task = ["games", "opponents", "state", "chance", "think", "solve", "import", "export"][task];
        let request = json!({"id": 1, "do": task, "game": game, "moves": moves, "text": text, "agent": text, "format": text, "time": 1});
        let answer = raw(&request.to_string());
        prop_assert!(answer.get("answer").is_some() || answer["error"].is_string());
    }
}
