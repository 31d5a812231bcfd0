//! `ply serve --engine`: pages play against programs that were named, and start no others.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::{Directory, err, mock, out, ply};

struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(data: &Directory, engine: &str) -> Self {
        let mut child = ply(data).args(["serve", "--port", "0", "--engine", engine]).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
        let address = said.split("http://").nth(1).and_then(|rest| rest.split(' ').next()).expect("an address").to_owned();
        Self { child, address }
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!("{method} {path} HTTP/1.0\r\nHost: {}\r\nContent-Length: {}\r\n\r\n", self.address, body.len());
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), serde_json::from_str(body).unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_lab_plays_with_what_was_named_and_nothing_else() {
    let data = Directory::new("served");
    let engine = mock("", "good");
    let server = Server::start(&data, &format!("mine={engine}"));
    let mark = data.0.join("mark");
    for command in [format!("touch {}", mark.display()), "mine; sh".to_owned(), mock("", "cheat")[4..].to_owned()] {
        let order = json!({"game": "tictactoe", "agents": [format!("cmd:{command}"), "random"], "pairs": 1});
        let (status, answer) = server.ask("POST", "/lab/runs", &order.to_string());
        assert_eq!(status, 400, "{command}: {answer}");
    }
    assert!(!mark.exists());
    let order = json!({"game": "tictactoe", "agents": ["cmd:mine", "random"], "pairs": 2});
    let (status, answer) = server.ask("POST", "/lab/runs", &order.to_string());
    assert_eq!(status, 201, "{answer}");
    let path = format!("/lab/runs/{}", answer["run"].as_str().unwrap());
    let complete = (0..1_000).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        server.ask("GET", &path, "").1["state"] == "complete"
    });
    assert!(complete, "{}", server.ask("GET", &path, "").1);
    let run = server.ask("GET", &path, "").1.to_string();
    // The run knows what the name stands for.
    assert!(run.contains(&engine) && !run.contains("crashed"), "{run}");
}

#[test]
fn what_cannot_be_offered_is_refused() {
    let data = Directory::new("not-served");
    for (engine, words) in [
        ("mine", "expected NAME=cmd:PROGRAM ARGUMENTS"),
        ("a b=cmd:sh", "expected NAME=cmd:PROGRAM ARGUMENTS"),
        ("mine=cmd:no-such-program-anywhere", "there is no such program"),
    ] {
        let output = ply(&data).args(["serve", "--port", "0", "--engine", engine]).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", out(&output));
        assert!(err(&output).contains(words), "{}", err(&output));
    }
}
