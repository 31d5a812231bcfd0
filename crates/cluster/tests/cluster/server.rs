//! A real nats-server for a test, on a free port of this computer, gone when the test is over.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A server with a folder of its own.
pub struct Server {
    program: PathBuf,
    folder: PathBuf,
    port: u16,
    /// What it has to know beside its place.
    settings: String,
    /// The file that has all of its settings, if that is not ours.
    configuration: Option<PathBuf>,
    process: Option<Child>,
}

impl Server {
    /// Starts one; nothing, and a word about it, where there is no such program. `cargo xtask test` sees to it that there is.
    pub fn start() -> Option<Self> {
        Self::with(String::new())
    }

    /// Starts one with these settings in its file.
    pub fn with(settings: String) -> Option<Self> {
        Self::new(settings, None, free_port())
    }

    /// Starts one with this file of settings, which says that it listens on this port.
    pub fn configured(file: &Path, port: u16) -> Option<Self> {
        Self::new(String::new(), Some(file.to_owned()), port)
    }

    fn new(settings: String, configuration: Option<PathBuf>, port: u16) -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let Some(program) = program() else {
            eprintln!("skipped: nats-server is not there (cargo xtask test installs it)");
            return None;
        };
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("plyground-nats-{}-{number}", std::process::id()));
        let mut server = Self { program, folder, port, settings, configuration, process: None };
        server.run();
        Some(server)
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// As if the power had failed.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    /// An address at which every word takes so long on its way, there and back: a bad line, or a machine that is busy with other things.
    pub fn far_away(&self, delay: Duration) -> String {
        let (listener, server) = (TcpListener::bind("127.0.0.1:0").unwrap(), self.port);
        let url = format!("nats://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                // A server that was killed is not there for a while.
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                let (there, back) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                std::thread::spawn(move || pass_on(there, server, delay));
                std::thread::spawn(move || pass_on(back, client, delay));
            }
        });
        url
    }

    /// With what it had, at the same place.
    pub fn run(&mut self) {
        self.kill();
        let [log, settings] = ["log", "settings"].map(|name| self.folder.join(name));
        std::fs::create_dir_all(&self.folder).unwrap();
        std::fs::write(&settings, &self.settings).unwrap();
        let mut command = Command::new(&self.program);
        if self.configuration.is_none() {
            command.args(["--addr", "127.0.0.1", "--port", &self.port.to_string(), "--jetstream", "--store_dir"]);
            command.arg(self.folder.join("data"));
        }
        let process = command
            .arg("--config")
            .arg(self.configuration.as_ref().unwrap_or(&settings))
            .arg("--log")
            .arg(&log)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.process = Some(process);
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(begun.elapsed() < Duration::from_mins(1), "{}", std::fs::read_to_string(&log).unwrap_or_default());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A port that no program listens on.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Forwards bytes with a delay, until one side closes the connection.
fn pass_on(mut from: TcpStream, mut to: TcpStream, delay: Duration) {
    let mut words = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut words) {
        std::thread::sleep(delay);
        if to.write_all(&words[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

/// The one that `cargo xtask test` names must be there; another one may be, where Debian puts it and only administrators look.
fn program() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("PLYGROUND_NATS_SERVER") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([Path::new("/usr/sbin").to_owned()]);
    folders.map(|folder| folder.join("nats-server")).find(|file| file.is_file())
}
