//! The disk of a coordinator: a real SQLite file, as it is found after the process was killed, the power was lost or bits have changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use plyground_core::Rng;
use plyground_match::{RunError, Store};

const FILE: &str = "runs.sqlite";
const WRITE_AHEAD_LOG: &str = "runs.sqlite-wal";
/// The most bits that change at a time.
const MOST_FLIPS: u32 = 8;
/// The longest time that a slow disk takes for what is written in a step.
const SLOWEST: Duration = Duration::from_secs(20);

/// Bits that change while no process has the files open.
struct BitFlips {
    /// Their places, as shares of all bits.
    places: Vec<f64>,
    /// True if the process was killed, and what it had not yet moved into the database is in the log; the database has everything
    /// otherwise.
    has_log: bool,
}

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
    /// The store that is open.
    store: Weak<Store>,
    is_full: bool,
    /// The length of the log after the last step, while the disk is slow.
    slow: Option<u64>,
    flips: Option<BitFlips>,
    /// True if the last program has failed because of what it has read: the next one begins with a repair.
    is_distrusted: bool,
}

impl Disk {
    pub fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        // Where files are in memory, waiting for a disk costs nothing.
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let name = format!("plyground-simulation-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Self {
            folder: base.join(name),
            opened: 0,
            image: None,
            is_crashed: false,
            armed: None,
            store: Weak::new(),
            is_full: false,
            slow: None,
            flips: None,
            is_distrusted: false,
        }
    }

    fn place(&self) -> PathBuf {
        self.folder.join(self.opened.to_string())
    }

    /// The store as it was left, with all damage told. One that cannot be read, or that no repair makes whole, is removed, as its
    /// user would have to.
    pub fn open(&mut self, tell: impl Fn(&str) + Clone + Send + Sync + 'static) -> Result<Arc<Store>, RunError> {
        self.restore()?;
        if let Some(flips) = self.flips.take() {
            self.flip(&flips)?;
        }
        let repaired = match Store::open(&self.file()) {
            Ok(store) if std::mem::take(&mut self.is_distrusted) => {
                tell("repairs its store");
                store.repair().map(|check| check.is_intact().then_some(store))
            }
            opened => opened.map(Some),
        };
        let store = match repaired {
            Ok(Some(store)) => store,
            unusable => {
                let reason = unusable.err().map_or_else(|| "no repair makes it whole".to_owned(), |error| error.to_string());
                tell(&format!("removes its store: {}", self.without_folder(&reason)));
                self.image = None;
                self.restore()?;
                Store::open(&self.file())?
            }
        };
        let store = Arc::new(store.telling(move |damage| tell(&format!("finds damage: {damage}"))));
        self.store = Arc::downgrade(&store);
        store.let_grow(!self.is_full)?;
        Ok(store)
    }

    fn file(&self) -> PathBuf {
        self.place().join(FILE)
    }

    /// Puts the files into a new folder.
    fn restore(&mut self) -> Result<(), RunError> {
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
        Ok(())
    }

    /// Changes bits of the files.
    fn flip(&mut self, flips: &BitFlips) -> Result<(), RunError> {
        if !flips.has_log {
            // A store that is closed has no log.
            drop(Store::open(&self.file())?);
        }
        let mut image = self.read();
        let (database, log) = (image.database.len(), image.log.len());
        if database + log > 0 {
            for place in &flips.places {
                let bit = (place * (8 * (database + log)) as f64) as usize;
                let (byte, mask) = (bit / 8, 1 << (bit % 8));
                let of_log = byte.checked_sub(database);
                *of_log.map_or_else(|| &mut image.database[byte], |byte| &mut image.log[byte]) ^= mask;
            }
        }
        self.image = Some(image);
        self.restore()
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

    /// Changes bits while no program has the files open.
    pub fn corrupt(&mut self, rng: &mut Rng) {
        let places = (0..=rng.below(MOST_FLIPS)).map(|_| rng.unit()).collect();
        self.flips = Some(BitFlips { places, has_log: rng.below(4) == 0 });
    }

    /// Has the next program begin with a repair.
    pub fn distrust(&mut self) {
        self.is_distrusted = true;
    }

    /// Has no room for more, or room again.
    pub fn fill(&mut self, is_full: bool) {
        self.is_full = is_full;
        if let Some(store) = self.store.upgrade() {
            // A store that cannot be asked fails with its next step.
            let _ = store.let_grow(!is_full);
        }
    }

    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Takes seconds for what is written from now on, or as good as no time again.
    pub fn slow_down(&mut self, is_slow: bool) {
        self.slow = is_slow.then(|| self.log_length());
    }

    /// The time that a slow disk takes for what was written in the last step, if anything was.
    pub fn delay(&mut self, rng: &mut Rng) -> Option<Duration> {
        let before = self.slow?;
        let after = self.log_length();
        self.slow = Some(after);
        (after > before).then(|| SLOWEST.mul_f64(rng.unit()))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
