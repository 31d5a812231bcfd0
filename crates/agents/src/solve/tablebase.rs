//! Solved positions in a file: what `ply solve` keeps, and what agents and the app read.
//!
//! All numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `PLYTBASE` |
//! | 4 | version of the format, 1 |
//! | 4 | length of the game's spec |
//! | … | the spec, e.g. `pawn:size=6x6` |
//! | 8 | key of the start position: another way of making keys is recognised by it |
//! | 8 | number of positions, n |
//! | 8 n | their keys, ascending |
//! | 2 n | their value to the player to move (0 loss, 1 draw, 2 win) + 4 (distance to the end + 1, or 0 where it is not known); draws |
//! |     | have no distance, and 1 there marks a position to which a strategy leads ([`REPLY`]) |
//! | 8 | checksum of all bytes before |

use plyground_core::{GameValue, InputError, Solvable, hash_state, quoted};

use super::lookup::symmetric_key;

const MAGIC: &[u8; 8] = b"PLYTBASE";
const VERSION: u32 = 1;
const LONGEST_SPEC: usize = 1_000;

/// Positions of a game with their value, and with their distance to the end where it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tablebase {
    keys: Vec<u64>,
    values: Vec<u16>,
    /// Where the keys with each value of the leading bits begin.
    directory: Vec<u32>,
    leading: u32,
}

/// A position by its key, with its value for the player to move, and its distance to the end where it is known.
pub(super) type Entry = (u128, GameValue, Option<u32>);

/// The mark, in place of a distance, of a drawn position to which the strategy of a player leads: of drawn moves, this one is played.
pub(super) const REPLY: u32 = 0;

fn key_of<G: Solvable>(game: &G, state: &G::State) -> u64 {
    (symmetric_key(game, state) >> 64) as u64
}

fn packed(value: GameValue, plies: Option<u32>) -> u16 {
    // A distance that does not fit is left unknown in the file.
    let plies = plies.and_then(|plies| u16::try_from(plies + 1).ok()).filter(|&plies| plies < 1 << 14);
    value as u16 | plies.unwrap_or(0) << 2
}

fn unpacked(entry: u16) -> (GameValue, Option<u32>) {
    let value = [GameValue::Loss, GameValue::Draw, GameValue::Win][usize::from(entry & 3)];
    (value, u32::from(entry >> 2).checked_sub(1))
}

impl Tablebase {
    /// From keys and values in any order; of the same key, what comes last counts.
    pub(super) fn new(entries: impl IntoIterator<Item = Entry>) -> Self {
        let mut all: Vec<(u64, u16)> =
            entries.into_iter().map(|(key, value, plies)| ((key >> 64) as u64, packed(value, plies))).collect();
        all.reverse();
        all.sort_by_key(|&(key, _)| key);
        all.dedup_by_key(|&mut (key, _)| key);
        let (keys, values) = all.into_iter().unzip();
        Self::sorted(keys, values)
    }

    fn sorted(keys: Vec<u64>, values: Vec<u16>) -> Self {
        let leading = keys.len().max(2).ilog2();
        let mut directory = vec![0; (1 << leading) + 1];
        for &key in &keys {
            directory[(key >> (64 - leading)) as usize + 1] += 1;
        }
        for part in 1..directory.len() {
            directory[part] += directory[part - 1];
        }
        Self { keys, values, directory, leading }
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Is there nothing in it?
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The value of a position (not over) for the player to move, and the number of plies to the end with best play.
    pub fn probe<G: Solvable>(&self, game: &G, state: &G::State) -> Option<(GameValue, Option<u32>)> {
        self.find(symmetric_key(game, state))
    }

    pub(crate) fn find(&self, key: u128) -> Option<(GameValue, Option<u32>)> {
        let key = (key >> 64) as u64;
        let part = (key.checked_shr(64 - self.leading)?) as usize;
        let (from, to) = (*self.directory.get(part)? as usize, *self.directory.get(part + 1)? as usize);
        let place = self.keys[from..to].iter().position(|&known| known == key)?;
        Some(unpacked(self.values[from + place]))
    }

    /// These positions and those of `other`, which knows better where both have one.
    #[must_use]
    pub(crate) fn joined(&self, other: &Self) -> Self {
        let entries = |base: &Self| base.keys.iter().copied().zip(base.values.iter().copied()).collect::<Vec<_>>();
        let all = entries(self).into_iter().chain(entries(other));
        Self::new(all.map(|(key, value)| {
            let (value, plies) = unpacked(value);
            (u128::from(key) << 64, value, plies)
        }))
    }

    /// The contents of a file.
    pub fn to_bytes<G: Solvable>(&self, game: &G) -> Vec<u8> {
        self.write(&game.spec(), key_of(game, &game.start()))
    }

    fn write(&self, spec: &str, start: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len() * 10 + spec.len() + 40);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((spec.len() as u32).to_le_bytes());
        bytes.extend(spec.as_bytes());
        bytes.extend(start.to_le_bytes());
        bytes.extend((self.len() as u64).to_le_bytes());
        bytes.extend(self.keys.iter().flat_map(|key| key.to_le_bytes()));
        bytes.extend(self.values.iter().flat_map(|value| value.to_le_bytes()));
        let checksum = hash_state(&bytes.as_slice());
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    /// The spec of the game that a file of this kind was written for, by its first bytes; `None` if it is no such file.
    pub fn spec_in(bytes: &[u8]) -> Option<&str> {
        let rest = bytes.strip_prefix(MAGIC)?.get(4..)?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let spec = rest.get(..u32::from_le_bytes(*length) as usize)?;
        std::str::from_utf8(spec).ok()
    }

    /// Reads a file that was written for this game. `name` is what the file is called in messages.
    pub fn from_bytes<G: Solvable>(bytes: &[u8], game: &G, name: &str) -> Result<Self, InputError> {
        Self::read(bytes, &game.spec(), key_of(game, &game.start()), name)
    }

    fn read(bytes: &[u8], game: &str, start: u64, name: &str) -> Result<Self, InputError> {
        let refuse = |detail: String| InputError::malformed("tablebase", name, detail);
        let mut rest = bytes;
        let mut take = |length: usize| -> Result<&[u8], InputError> {
            let (taken, left) = rest.split_at_checked(length).ok_or_else(|| refuse("it ends too early".to_owned()))?;
            rest = left;
            Ok(taken)
        };
        if bytes.get(..8) != Some(MAGIC) {
            return Err(refuse("it does not begin like a file that ply solve has written".to_owned()));
        }
        take(8)?;
        let version = number(take(4)?);
        if version != u64::from(VERSION) {
            return Err(refuse(format!("its format is version {version}, but this program reads version {VERSION}")));
        }
        let length = number(take(4)?) as usize;
        if length > LONGEST_SPEC {
            return Err(refuse(format!("the name of its game is {length} bytes long; at most {LONGEST_SPEC} were expected")));
        }
        let spec = String::from_utf8_lossy(take(length)?).into_owned();
        if spec != game {
            return Err(refuse(format!("it is for {}, not for {game}", quoted(&spec))));
        }
        if number(take(8)?) != start {
            return Err(refuse("its keys were made by another version of this program".to_owned()));
        }
        let count = number(take(8)?);
        let needed = usize::try_from(count).ok().and_then(|count| count.checked_mul(10)).filter(|_| count < u64::from(u32::MAX));
        let needed = needed.ok_or_else(|| refuse(format!("it claims to hold {count} positions")))?;
        let body = take(needed)?;
        let checksum = number(take(8)?);
        if !rest.is_empty() {
            return Err(refuse(format!("{} bytes follow after its end", rest.len())));
        }
        if hash_state(&&bytes[..bytes.len() - 8]) != checksum {
            return Err(refuse("its checksum is wrong: it was changed or damaged".to_owned()));
        }
        let (keys, values) = body.split_at(needed / 10 * 8);
        let keys: Vec<u64> = keys.chunks_exact(8).map(number).collect();
        let values: Vec<u16> = values.chunks_exact(2).map(|bytes| number(bytes) as u16).collect();
        if keys.windows(2).any(|pair| pair[0] >= pair[1]) || values.iter().any(|value| value & 3 == 3) {
            return Err(refuse("its positions are out of order or have no value".to_owned()));
        }
        Ok(Self::sorted(keys, values))
    }
}

/// A little-endian number of at most eight bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
