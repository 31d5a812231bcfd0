//! The disk of a coordinator: a real SQLite file, as it is found after the process was killed or the power was lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use plyground_core::Rng;
use plyground_match::{RunError, Store};

const FILE: &str = "runs.sqlite";
const WRITE_AHEAD_LOG: &str = "runs.sqlite-wal";

/// The files of a store, as they were at some moment.
struct Image {
    database: Vec<u8>,
    log: Vec<u8>,
}

/// The disk of one machine.
pub struct Disk {
    folder: PathBuf,
    /// The number of times that a store was opened: each has a folder of its own.
    opened: u64,
    image: Option<Image>,
    /// True if the image is the one of the last crash.
    is_crashed: bool,
    /// The length of the log at which the power is lost with the next transaction.
    armed: Option<u64>,
}

impl Disk {
    pub fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        // Where files are in memory, waiting for a disk costs nothing.
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let name = format!("plyground-simulation-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Self { folder: base.join(name), opened: 0, image: None, is_crashed: false, armed: None }
    }

    fn place(&self) -> PathBuf {
        self.folder.join(self.opened.to_string())
    }

    /// The store as it was left.
    pub fn open(&mut self) -> Result<Store, RunError> {
        let _ = fs::remove_dir_all(self.place());
        self.opened += 1;
        (self.is_crashed, self.armed) = (false, None);
        let place = self.place();
        let write = |error| RunError::Write { file: place.clone(), error };
        fs::create_dir_all(&place).map_err(write)?;
        if let Some(image) = &self.image {
            fs::write(place.join(FILE), &image.database).map_err(write)?;
            fs::write(place.join(WRITE_AHEAD_LOG), &image.log).map_err(write)?;
        }
        Store::open(&place.join(FILE))
    }

    fn log_length(&self) -> u64 {
        fs::metadata(self.place().join(WRITE_AHEAD_LOG)).map_or(0, |found| found.len())
    }

    fn read(&self) -> Image {
        let read = |name: &str| fs::read(self.place().join(name)).unwrap_or_default();
        Image { database: read(FILE), log: read(WRITE_AHEAD_LOG) }
    }

    /// A text without the name of the folder, which is another one every time.
    pub fn without_folder(&self, text: &str) -> String {
        text.replace(&*self.folder.to_string_lossy(), "its disk")
    }

    /// Has the power lost in the middle of the next step in which something is written.
    pub fn arm(&mut self) {
        self.armed = (self.opened > 0).then(|| self.log_length());
    }

    /// Has the power stay.
    pub fn disarm(&mut self) {
        self.armed = None;
    }

    /// After a step of the program: true if the power was lost in the middle of it. What was written in this step is there in part,
    /// or not at all; what was written before is there, because the store waits for the disk.
    pub fn is_lost(&mut self, rng: &mut Rng) -> bool {
        let Some(before) = self.armed else { return false };
        let after = self.log_length();
        if after <= before {
            // A log that begins anew after a checkpoint is as long as before; a store that was closed has none.
            self.armed = Some(after);
            return false;
        }
        let mut image = self.read();
        let kept = before as usize + rng.below((after - before) as u32) as usize;
        if rng.below(2) == 0 {
            image.log.truncate(kept);
        } else {
            // A file grows before it is written to.
            image.log[kept..].fill(rng.bits() as u8);
        }
        (self.image, self.is_crashed, self.armed) = (Some(image), true, None);
        true
    }

    /// Keeps the files of a process that was killed: the system writes what it has accepted.
    pub fn keep(&mut self) {
        if self.opened > 0 && !self.is_crashed {
            self.image = Some(self.read());
            self.is_crashed = true;
        }
    }

    /// Loses everything.
    pub fn lose(&mut self) {
        (self.image, self.is_crashed) = (None, true);
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
