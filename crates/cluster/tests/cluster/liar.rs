//! A client of a NATS server that is not ours.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::Value;

use crate::server::Server;

/// The longest wait for the server.
const PATIENCE: Duration = Duration::from_mins(1);

/// A client that knows only the protocol of NATS.
pub struct Liar(pub BufReader<TcpStream>);

impl Liar {
    pub fn new(server: &Server) -> Self {
        let wire = TcpStream::connect(server.url().strip_prefix("nats://").unwrap()).unwrap();
        wire.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut liar = Self(BufReader::new(wire));
        write!(liar.0.get_mut(), "CONNECT {{\"verbose\":false}}\r\n").unwrap();
        liar.flush();
        liar
    }

    pub fn publish(&mut self, subject: &str, payload: &[u8]) {
        self.send(subject, payload);
        self.flush();
    }

    /// Sends a message, and does not wait for anything.
    pub fn send(&mut self, subject: &str, payload: &[u8]) {
        let wire = self.0.get_mut();
        let message = [format!("PUB {subject} {}\r\n", payload.len()).as_bytes(), payload, b"\r\n"].concat();
        wire.write_all(&message).unwrap();
    }

    /// Waits until the server has read all of it.
    pub fn flush(&mut self) {
        self.0.get_mut().write_all(b"PING\r\n").unwrap();
        let mut line = String::new();
        while !line.starts_with("PONG") {
            line.clear();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the server has closed the connection");
            assert!(!line.starts_with("-ERR"), "{line}");
        }
    }

    pub fn set(&mut self, key: &str, value: &Value) {
        self.publish(&format!("$KV.plyground.{key}"), value.to_string().as_bytes());
    }

    pub fn send_results(&mut self, run: &str, results: &Value) {
        self.publish(&format!("ply.results.{run}"), &packed(results.to_string().as_bytes()));
    }
}

pub fn packed(text: &[u8]) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::best());
    packer.write_all(text).unwrap();
    packer.finish().unwrap()
}
