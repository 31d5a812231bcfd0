//! `ply nets` with files: good ones are described, and all others are refused with the reason.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use plyground_nets::weights::{self, Header};
use plyground_nets::{Network, Size};
use plyground_session::Seed;
use plyground_train::trainable_game;
use serde_json::Value;

/// A directory of its own for a test, gone when the test is over.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("plyground-nets-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, contents: &[u8]) {
        fs::write(self.0.join(name), contents).unwrap();
    }

    fn ply(&self, words: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_ply")).current_dir(&self.0).arg("nets").args(words.split_whitespace()).output().unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A network that has learnt nothing.
fn untaught(game: &str) -> (Header, Network) {
    let dojo = trainable_game(game, None).unwrap();
    let network = Network::new(dojo.architecture(Size { channels: 8, blocks: 2 }), Seed(1)).unwrap();
    let header = Header { training: "ply train".to_owned(), ..dojo.header(&network) };
    (header, network)
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn good_networks_are_listed_and_described() {
    let directory = Directory::new("good");
    let (header, network) = untaught("tictactoe");
    directory.write("tiny.safetensors", &weights::write(&header, &network).unwrap());
    let listed = directory.ply(".");
    assert!(listed.status.success());
    let line = text(&listed.stdout).lines().nth(1).unwrap();
    assert!(line.starts_with("./tiny.safetensors") && line.contains("mnk:size=3x3,k=3"), "{line}");
    let verified = directory.ply("verify tiny.safetensors");
    assert!(verified.status.success());
    let said = text(&verified.stdout);
    for words in [
        "tiny.safetensors: good\n",
        "mnk:size=3x3,k=3",
        "3x3 to 8, 2 x (relu, +(3x3 to 8, relu, 3x3 to 8)), relu",
        "ply train\n",
        "not known\n",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    let page = json(&directory.ply("verify tiny.safetensors --json"));
    assert_eq!(page[0]["numbers"].as_u64().unwrap(), network.size() as u64);
    assert_eq!(page[0]["refused"], Value::Null);
}

#[test]
fn files_that_cannot_be_used_are_refused_with_the_reason() {
    let directory = Directory::new("bad");
    let (header, network) = untaught("tictactoe");
    let good = weights::write(&header, &network).unwrap();
    let file = |change: &dyn Fn(&mut Header)| {
        let mut header = header.clone();
        change(&mut header);
        weights::write(&header, &network).unwrap()
    };
    let cases: [(&str, Vec<u8>, &str); 7] = [
        ("good.safetensors", good.clone(), ""),
        ("truncated.safetensors", good[..good.len() - 7].to_vec(), "the file is damaged or no safetensors"),
        ("text.safetensors", b"nothing of the kind".to_vec(), "the file is damaged or no safetensors"),
        (
            "unknown.safetensors",
            file(&|header| header.game = "chess".to_owned()),
            "its game cannot be opened: unknown game 'chess'",
        ),
        ("wrong.safetensors", file(&|header| header.game = "pawn".to_owned()), "its game cannot be opened"),
        ("board.safetensors", file(&|header| header.parameters = "size=99x99".to_owned()), "its game cannot be opened"),
        ("blind.safetensors", file(&|header| header.encoder = "thesis".to_owned()), "it sees by the encoder 'thesis', which"),
    ];
    for (name, contents, reason) in &cases {
        directory.write(name, contents);
        let output = directory.ply(&format!("verify {name}"));
        assert_eq!(output.status.code(), Some(if reason.is_empty() { 0 } else { 2 }), "{name}");
        assert!(text(&output.stdout).contains(reason), "{name}: {}", text(&output.stdout));
    }
    let all = directory.ply("verify . missing.safetensors --json");
    assert_eq!(all.status.code(), Some(2));
    assert_eq!(text(&all.stderr), "ply: 7 of 8 network files cannot be used\n");
    let refused = json(&all).as_array().unwrap().iter().filter(|file| file["refused"].is_string()).count();
    assert_eq!(refused, 7);
    // A list is no judgement.
    assert!(directory.ply(".").status.success());
    for words in ["measure truncated.safetensors", "export text.safetensors --onnx x.onnx"] {
        let output = directory.ply(words);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(text(&output.stderr).contains("the file is damaged or no safetensors"), "{words}");
    }
    assert!(!directory.0.join("x.onnx").exists());
}

#[test]
fn speed_and_strength_are_measured_and_networks_are_written_for_others() {
    let directory = Directory::new("measured");
    let (header, network) = untaught("tictactoe");
    directory.write("tiny.safetensors", &weights::write(&header, &network).unwrap());
    let page = json(&directory.ply("measure tiny.safetensors --against random mcts:sims=5 --pairs 3 --sims 4 --quiet --json"));
    let speed = page["speed"].as_array().unwrap();
    assert_eq!(speed.iter().map(|line| line["at_once"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 8, 32]);
    assert!(speed.iter().all(|line| line["evaluations_per_second"].as_f64().unwrap() > 100.0), "{page}");
    let measured = page["measured"].as_array().unwrap();
    assert_eq!(measured.len(), 4, "two opponents, with a search and alone");
    assert!(measured.iter().all(|line| line["games"] == 6), "{page}");
    let said = directory.ply("measure tiny.safetensors --against random --pairs 2 --sims 4 --quiet");
    assert!(text(&said.stdout).contains("evaluations a second on one core, 32 at once"));
    assert!(text(&said.stdout).contains("player  against  games"), "{}", text(&said.stdout));
    let exported = directory.ply("export tiny.safetensors --onnx tiny.onnx");
    assert!(exported.status.success());
    let bytes = fs::read(directory.0.join("tiny.onnx")).unwrap();
    assert!(bytes.windows(6).any(|window| window == b"planes"));
}
