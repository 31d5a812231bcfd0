//! `ply learn` from the games of a run: what it keeps is a network of one of its epochs, and it says of which.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn ply(directory: &Path, words: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ply")).current_dir(directory).args(words.split_whitespace()).output().unwrap();
    assert!(output.status.success(), "ply {words}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_network_learns_from_a_run_and_its_best_epoch_is_kept() {
    let directory = std::env::temp_dir().join(format!("plyground-learn-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    ply(&directory, "match tictactoe random mcts:sims=2 --pairs 30 --data . --quiet");
    let runs: Value = serde_json::from_str(&ply(&directory, "runs --data . --json")).unwrap();
    let run = runs[0]["run"].as_str().unwrap();
    let learn = format!("learn tictactoe --from {run} --data . --epochs 3 --out net.safetensors");
    let learnt: Value = serde_json::from_str(&ply(&directory, &format!("{learn} --json"))).unwrap();
    let epochs = learnt["epochs"].as_array().unwrap();
    let loss = |epoch: &Value| epoch["validation"]["policy"].as_f64().unwrap() + epoch["validation"]["value"].as_f64().unwrap();
    let best = epochs.iter().min_by(|a, b| loss(a).total_cmp(&loss(b))).unwrap();
    assert_eq!(learnt["best"], best["epoch"]);
    let said = ply(&directory, &learn);
    assert!(said.starts_with(&format!("net.safetensors: epoch {}, test ", best["epoch"])), "{said}");
    assert!(ply(&directory, "nets verify net.safetensors").starts_with("net.safetensors: good\n"));
    fs::remove_dir_all(&directory).unwrap();
}
