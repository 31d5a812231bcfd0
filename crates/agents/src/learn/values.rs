//! The table of learnt state values, and its file.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use plyground_core::{Game, InputError, quoted};

/// The learnt value of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Entry {
    /// The expected result for the first player, from -1 to +1.
    pub value: f32,
    /// The number of its visits in training.
    pub visits: u32,
}

/// The keys are mixed already: hashing them again would only cost time.
#[derive(Clone, Debug, Default)]
pub(super) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        unreachable!("keys are words, found {} bytes", bytes.len());
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
}

/// Values by position. Symmetric positions share an entry.
#[derive(Clone, Debug)]
pub(super) struct Values {
    entries: HashMap<u64, Entry, BuildHasherDefault<KeyHasher>>,
    /// Training games behind the values.
    pub games: u64,
    /// The most entries that there may be.
    pub most: usize,
    /// Was a position left out because there was no room for it?
    pub full: bool,
}

/// The key of a position, the same for all positions that are symmetric to it.
pub(super) fn key<G: Game>(game: &G, state: &G::State) -> u64 {
    let others = (1..game.symmetries()).map(|symmetry| game.hash(&game.symmetric_state(state, symmetry)));
    others.fold(game.hash(state), u64::min)
}

/// The first bytes of every file.
const MAGIC: &[u8; 16] = b"plyground-qtable";
const VERSION: u32 = 1;
const ENTRY_BYTES: usize = 16;

impl Values {
    /// An empty table that grows to `most` entries.
    pub fn new(most: usize) -> Self {
        Self { entries: HashMap::default(), games: 0, most, full: false }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn get(&self, key: u64) -> Option<Entry> {
        self.entries.get(&key).copied()
    }

    /// The entry of a position, made if there is room for it.
    pub fn entry(&mut self, key: u64) -> Option<&mut Entry> {
        if self.entries.len() >= self.most && !self.entries.contains_key(&key) {
            self.full = true;
            return None;
        }
        Some(self.entries.entry(key).or_default())
    }

    /// The file: magic, version, length and text of the game spec, key of the start position, training games, whether positions
    /// were left out, number of entries, the entries by ascending key, checksum of all that; numbers in little-endian order.
    pub fn to_file<G: Game>(&self, game: &G) -> Vec<u8> {
        self.write(&game.spec(), game.hash(&game.start()))
    }

    fn write(&self, spec: &str, start: u64) -> Vec<u8> {
        let mut file = Vec::with_capacity(64 + spec.len() + self.entries.len() * ENTRY_BYTES);
        file.extend(MAGIC);
        file.extend(VERSION.to_le_bytes());
        file.extend((spec.len() as u32).to_le_bytes());
        file.extend(spec.as_bytes());
        file.extend(start.to_le_bytes());
        file.extend(self.games.to_le_bytes());
        file.push(u8::from(self.full));
        file.extend((self.entries.len() as u64).to_le_bytes());
        let mut entries: Vec<(u64, Entry)> = self.entries.iter().map(|(&key, &entry)| (key, entry)).collect();
        entries.sort_unstable_by_key(|&(key, _)| key);
        for (key, entry) in entries {
            file.extend(key.to_le_bytes());
            file.extend(entry.value.to_le_bytes());
            file.extend(entry.visits.to_le_bytes());
        }
        file.extend(checksum(&file).to_le_bytes());
        file
    }

    /// Reads what [`Values::to_file`] wrote for the same game; the table grows to `most` entries, or stays as large as it is.
    /// `name` is what the file is called, for errors.
    pub fn from_file<G: Game>(game: &G, name: &str, file: &[u8], most: usize) -> Result<Self, InputError> {
        Self::read(&game.spec(), game.hash(&game.start()), name, file, most)
    }

    fn read(game: &str, start: u64, name: &str, file: &[u8], most: usize) -> Result<Self, InputError> {
        let mut reader = Reader { name, rest: file };
        if reader.take(MAGIC.len(), "the header")? != MAGIC {
            return Err(reader.malformed("expected the file of a q agent, which begins with plyground-qtable"));
        }
        let version = reader.u32("the version")?;
        if version != VERSION {
            return Err(reader.malformed(&format!("expected version {VERSION}, found version {version}")));
        }
        let length = reader.u32("the game")? as usize;
        let spec = String::from_utf8_lossy(reader.take(length, "the game")?).into_owned();
        if spec != game {
            return Err(reader.malformed(&format!("it was learnt for {}, not for {game}", quoted(&spec))));
        }
        if reader.u64("the key of the start")? != start {
            return Err(reader.malformed("it was learnt when positions had other keys: train again"));
        }
        let games = reader.u64("the number of games")?;
        let full = reader.take(1, "the number of games")?[0] != 0;
        let count = reader.u64("the number of positions")?;
        let rest = reader.rest;
        let body = usize::try_from(count).ok().and_then(|count| count.checked_mul(ENTRY_BYTES));
        if body.and_then(|body| body.checked_add(8)) != Some(rest.len()) {
            let detail = format!("expected {count} positions of {ENTRY_BYTES} bytes and a checksum, found {} bytes", rest.len());
            return Err(reader.malformed(&detail));
        }
        let (checked, sum) = file.split_at(file.len() - 8);
        if sum != checksum(checked).to_le_bytes() {
            return Err(reader.malformed("it is damaged: its checksum is wrong"));
        }
        let mut values = Self { games, full, ..Self::new(most.max(count as usize)) };
        values.entries.reserve(count as usize);
        let mut last = None;
        for _ in 0..count {
            let (key, value, visits) = (reader.u64("a key")?, reader.u32("a value")?, reader.u32("visits")?);
            let value = f32::from_bits(value);
            if last >= Some(key) || !(-1.0..=1.0).contains(&value) {
                return Err(reader.malformed("expected ascending keys and values from -1 to 1"));
            }
            last = Some(key);
            values.entries.insert(key, Entry { value, visits });
        }
        Ok(values)
    }
}

struct Reader<'a> {
    name: &'a str,
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn malformed(&self, detail: &str) -> InputError {
        InputError::malformed("q table", self.name, detail)
    }

    fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], InputError> {
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| self.malformed(&format!("it is cut off in {what}")))?;
        self.rest = rest;
        Ok(taken)
    }

    fn u32(&mut self, what: &str) -> Result<u32, InputError> {
        let bytes = self.take(4, what)?;
        Ok(u32::from_le_bytes(bytes.try_into().expect("four were taken")))
    }

    fn u64(&mut self, what: &str) -> Result<u64, InputError> {
        let bytes = self.take(8, what)?;
        Ok(u64::from_le_bytes(bytes.try_into().expect("eight were taken")))
    }
}

/// FNV-1a (Fowler, Noll and Vo): finds cut-off, exchanged and flipped bytes, which is all that is asked of it.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
