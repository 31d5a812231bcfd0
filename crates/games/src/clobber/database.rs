//! The values of all small regions as a file, so that they need not be computed again.
//!
//! Version 1, numbers in LEB128: the mark, the version, the greatest number of stones; how many values, and for each how many options
//! of Left and of Right and their numbers, all smaller than its own (0 is the game without moves and is not listed); how many
//! regions, and for each its columns, the stones of either colour as a number (bit 0 is the lower left square, row by row), and the
//! number of its value. Last a hash of all bytes before it, eight bytes, the lowest first.

use std::collections::BTreeSet;
use std::hash::Hasher;

use plyground_core::InputError;

use super::book::RegionBook;
use super::mixing::Mixing;
use super::regions::{Frame, Region};
use super::values::{Value, Values};
use crate::bits::Bits;

const MARK: &[u8] = b"ply clobber regions\n";
const VERSION: u64 = 1;

/// Larger databases would take hours and gigabytes.
pub const MOST_STONES: u32 = 10;

/// Computes the values of all regions of at most so many stones; `report` hears how many of how many colourings are done.
pub fn build(stones: u32, report: &mut dyn FnMut(u64, u64)) -> Vec<u8> {
    // Two more in both directions: shapes grow by a square before they are moved to the corner.
    let frame = Frame::<u128>::new(stones / 2 + 3, stones + 2);
    let shapes = shapes(&frame, stones);
    let colourings = |size: usize, shapes: &BTreeSet<u128>| (shapes.len() as u64) << size;
    let total = shapes.iter().enumerate().map(|(size, shapes)| colourings(size, shapes)).sum();
    let (mut values, mut book) = (Values::new(usize::MAX), RegionBook::new(usize::MAX));
    let mut regions = Vec::new();
    let mut done = 0;
    for (size, shapes) in shapes.iter().enumerate() {
        for &shape in shapes {
            // The lowest square is of the first colour: the others are negatives.
            for region in (0..1_u32 << size).filter_map(|colours| coloured(&frame, shape, colours)) {
                let value = book.value(&frame, &mut values, region);
                regions.push((region, value.expect("there is no limit")));
            }
            done += 1 << size;
            report(done, total);
        }
    }
    encode(&frame, stones, &values, &regions)
}

/// The shapes of one to `stones` squares, less by one than their place in the list, without regard to how they are turned.
fn shapes(frame: &Frame<u128>, stones: u32) -> Vec<BTreeSet<u128>> {
    let mut shapes = vec![BTreeSet::from([1])];
    for _ in 1..stones {
        let mut grown = BTreeSet::new();
        for &shape in &shapes[shapes.len() - 1] {
            let shape = shape << (frame.columns() + 1);
            for square in (frame.neighbours(shape) & !shape).squares() {
                grown.insert(frame.region([shape | u128::bit(square), 0]).mine);
            }
        }
        shapes.push(grown);
    }
    shapes
}

/// A shape in two colours, `None` unless it is the one of its symmetric images and their negatives that is kept. Bit by bit,
/// `colours` says which squares but the lowest are of the second colour.
fn coloured(frame: &Frame<u128>, shape: u128, colours: u32) -> Option<Region<u128>> {
    let squares = shape.squares().skip(1).enumerate();
    let theirs = squares.filter(|(bit, _)| colours >> bit & 1 == 1).fold(0, |set, (_, square)| set | u128::bit(square));
    let stones = [shape & !theirs, theirs];
    let region = frame.region(stones);
    (theirs != 0 && [region.mine, region.theirs] == stones).then_some(region)
}

fn encode(frame: &Frame<u128>, stones: u32, values: &Values, regions: &[(Region<u128>, Value)]) -> Vec<u8> {
    let mut used: BTreeSet<Value> = regions.iter().map(|region| region.1).collect();
    let mut open: Vec<Value> = used.iter().copied().collect();
    while let Some(value) = open.pop() {
        let options = values.lefts(value).iter().chain(values.rights(value));
        open.extend(options.filter(|&&option| used.insert(option)));
    }
    used.insert(Value::ZERO);
    // Options are always older than what has them: the order of the store will do.
    let used: Vec<Value> = used.into_iter().collect();
    let number = |value: &Value| used.binary_search(value).expect("all options are used") as u64;
    let mut bytes = MARK.to_vec();
    push(&mut bytes, VERSION);
    push(&mut bytes, u64::from(stones));
    push(&mut bytes, used.len() as u64);
    for &value in &used[1..] {
        let (lefts, rights) = (values.lefts(value), values.rights(value));
        push(&mut bytes, lefts.len() as u64);
        push(&mut bytes, rights.len() as u64);
        lefts.iter().chain(rights).for_each(|option| push(&mut bytes, number(option)));
    }
    push(&mut bytes, regions.len() as u64);
    for (region, value) in regions {
        let (columns, _) = frame.extent(region.stones());
        push(&mut bytes, u64::from(columns));
        push(&mut bytes, frame.packed(region.mine, columns));
        push(&mut bytes, frame.packed(region.theirs, columns));
        push(&mut bytes, number(value));
    }
    let hash = hash(&bytes);
    bytes.extend(hash.to_le_bytes());
    bytes
}

fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn hash(bytes: &[u8]) -> u64 {
    let mut mixing = Mixing::default();
    mixing.write(bytes);
    mixing.finish()
}

/// A reader of numbers from untrusted bytes.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn number(&mut self, most: u64) -> Result<u64, String> {
        let begin = self.at;
        let mut number = 0_u64;
        for shift in (0..63).step_by(7) {
            let byte = *self.bytes.get(self.at).ok_or("it ends too soon")?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return if number <= most {
                    Ok(number)
                } else {
                    Err(format!("byte {begin}: expected at most {most}, found {number}"))
                };
            }
        }
        Err(format!("byte {begin}: expected a number of less than 64 bits"))
    }
}

/// Takes the values of a file up into the book, those of regions that fit into the frame, as far as there is room; gives the greatest
/// number of stones.
pub fn load<B: Bits>(bytes: &[u8], frame: &Frame<B>, values: &mut Values, book: &mut RegionBook<B>) -> Result<u32, InputError> {
    let read = read(bytes, frame, values, book);
    read.map_err(|why| InputError::malformed("database of Clobber regions", &format!("{} bytes", bytes.len()), why))
}

fn read<B: Bits>(bytes: &[u8], frame: &Frame<B>, values: &mut Values, book: &mut RegionBook<B>) -> Result<u32, String> {
    let Some((content, kept_hash)) = bytes.split_last_chunk::<8>().filter(|(content, _)| content.starts_with(MARK)) else {
        return Err("expected a file made by ply regions clobber".to_owned());
    };
    let mut reader = Reader { bytes: content, at: MARK.len() };
    let version = reader.number(u64::MAX)?;
    if version != VERSION {
        return Err(format!("expected version {VERSION}, found version {version}"));
    }
    if hash(content) != u64::from_le_bytes(*kept_hash) {
        return Err("it is damaged: its hash is not that of its contents".to_owned());
    }
    let most = reader.number(u64::from(MOST_STONES))?;
    let Some(numbers) = read_values(&mut reader, most, values)? else { return Ok(0) };
    let count = reader.number(bytes.len() as u64)?;
    let mut sample = Vec::new();
    for index in 0..count {
        let Some((region, value)) = read_region(&mut reader, frame, &numbers)? else { continue };
        if u64::from(region.stones().count()) > most {
            return Err(format!("byte {}: a region of more than {most} stones", reader.at));
        }
        book.insert(region, value);
        if index % 499 == 0 {
            sample.push((region, value));
        }
    }
    if reader.at != content.len() {
        return Err(format!("expected {} bytes", reader.at + 8));
    }
    // A hash is no proof: some values are computed from those of smaller regions.
    for (region, value) in sample {
        if book.computed(frame, values, region).is_ok_and(|computed| computed != value) {
            return Err(format!("it is wrong: the value of {region:?}"));
        }
    }
    Ok(most as u32)
}

/// The values of the file as numbers in the store; `None` when the store has no room for them. No game is longer than `most` moves.
fn read_values(reader: &mut Reader<'_>, most: u64, values: &mut Values) -> Result<Option<Vec<Value>>, String> {
    let count = reader.number(reader.bytes.len() as u64)?;
    let mut numbers = vec![Value::ZERO];
    let mut lengths = vec![0];
    for number in 1..count {
        let [lefts, rights] = [reader.number(number)?, reader.number(number)?];
        let mut length = 0;
        let mut options = |count| {
            let options = (0..count).map(|_| {
                let option = reader.number(number - 1)? as usize;
                length = length.max(lengths[option] + 1);
                Ok(numbers[option])
            });
            options.collect::<Result<Vec<Value>, String>>()
        };
        let (mut lefts, mut rights) = (options(lefts)?, options(rights)?);
        if length > most {
            return Err(format!("byte {}: a game of more than {most} moves", reader.at));
        }
        lengths.push(length);
        lefts.sort_unstable();
        rights.sort_unstable();
        let Ok(value) = values.canonical(lefts.clone(), rights.clone()) else { return Ok(None) };
        if (values.lefts(value), values.rights(value)) != (&lefts[..], &rights[..]) {
            return Err(format!("byte {}: a value that is not in canonical form", reader.at));
        }
        numbers.push(value);
    }
    Ok(Some(numbers))
}

/// A region and its value; `None` when it does not fit into the frame.
fn read_region<B: Bits>(
    reader: &mut Reader<'_>,
    frame: &Frame<B>,
    numbers: &[Value],
) -> Result<Option<(Region<B>, Value)>, String> {
    let begin = reader.at;
    let columns = reader.number(u64::from(MOST_STONES))? as u32;
    let [mine, theirs] = [reader.number(u64::MAX)?, reader.number(u64::MAX)?];
    let value = numbers[reader.number(numbers.len() as u64 - 1)? as usize];
    let wrong = || format!("byte {begin}: expected a region in its usual orientation");
    if columns == 0 || mine == 0 || mine & theirs != 0 {
        return Err(wrong());
    }
    if columns > frame.columns() || (mine | theirs).ilog2() / columns >= frame.rows() {
        return Ok(None);
    }
    let stones = [mine, theirs].map(|set| frame.unpacked(set, columns));
    let mut parts = Vec::new();
    frame.split(stones, |part| parts.push(part));
    let region = frame.region(stones);
    if parts != [stones] || [region.mine, region.theirs] != stones || !region.mine.has(region.stones().lowest()) {
        return Err(wrong());
    }
    Ok(Some((region, value)))
}

#[cfg(test)]
mod tests {
    use plyground_core::Seed;

    use super::*;

    fn loaded(bytes: &[u8]) -> Result<(Frame<u64>, Values, RegionBook<u64>), InputError> {
        let (frame, mut values, mut book) = (Frame::new(5, 6), Values::new(1 << 20), RegionBook::new(1 << 20));
        load(bytes, &frame, &mut values, &mut book)?;
        Ok((frame, values, book))
    }

    fn refusal(bytes: &[u8]) -> String {
        loaded(bytes).map(|_| ()).unwrap_err().to_string()
    }

    /// The same bytes with the hash that they should have.
    fn rehashed(content: &[u8]) -> Vec<u8> {
        [content, &hash(content).to_le_bytes()].concat()
    }

    #[test]
    fn there_are_as_many_shapes_as_polyominoes() {
        let shapes = shapes(&Frame::new(7, 10), 8);
        let counts: Vec<usize> = shapes.iter().map(BTreeSet::len).collect();
        assert_eq!(counts, [1, 1, 2, 5, 12, 35, 108, 369]);
    }

    #[test]
    fn what_is_loaded_is_what_is_computed() {
        let mut reports = Vec::new();
        let bytes = build(6, &mut |done, total| reports.push((done, total)));
        assert!(reports.is_sorted() && reports.last().is_some_and(|(done, total)| done == total));
        let (frame, mut values, mut book) = loaded(&bytes).unwrap();
        let known = book.len();
        assert!(known > 800, "{known}");
        let mut rng = Seed(8).rng();
        let mut compared = 0;
        for _ in 0..20_000 {
            let [mine, theirs] = [rng.bits() & 0x3fff_ffff, rng.bits()];
            let mut parts = Vec::new();
            frame.split([mine & theirs, mine & !theirs & rng.bits()], |part| parts.push(frame.region(part)));
            for region in parts.into_iter().filter(|region| region.stones().count() <= 6) {
                let value = book.value(&frame, &mut values, region);
                assert_eq!(RegionBook::new(1 << 20).value(&frame, &mut values, region), value);
                compared += 1;
            }
        }
        assert!(compared > 10_000, "{compared}");
        assert_eq!(book.len(), known, "all regions were in the file");
    }

    #[test]
    fn what_is_no_database_is_refused_with_a_reason() {
        let bytes = build(4, &mut |_, _| ());
        loaded(&bytes).unwrap();
        for end in 0..bytes.len() {
            refusal(&bytes[..end]);
            let mut damaged = bytes.clone();
            damaged[end] ^= 1 << (end % 8);
            refusal(&damaged);
        }
        let content = &bytes[..bytes.len() - 8];
        let with = |at: usize, byte: u8| {
            let mut content = content.to_vec();
            content[MARK.len() + at] = byte;
            rehashed(&content)
        };
        let size = bytes.len();
        for (bytes, why) in [
            (b"something else".to_vec(), "14 bytes': expected a file made by ply regions clobber".to_owned()),
            (with(0, 2), format!("{size} bytes': expected version 1, found version 2")),
            (with(1, 11), format!("{size} bytes': byte 21: expected at most 10, found 11")),
            (with(1, 1), format!("{size} bytes': byte 31: a game of more than 1 moves")),
            (bytes[..size - 1].to_vec(), format!("{} bytes': it is damaged: its hash is not that of its contents", size - 1)),
            (rehashed(&content[..size - 9]), format!("{} bytes': it ends too soon", size - 1)),
            (rehashed(&[content, &[0]].concat()), format!("{} bytes': expected {size} bytes", size + 1)),
        ] {
            assert_eq!(refusal(&bytes), format!("malformed database of Clobber regions '{why}"));
        }
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let bytes = build(4, &mut |_, _| ());
        let mut rng = Seed(9).rng();
        let mut refused = 0;
        for _ in 0..3_000 {
            let mut content = bytes[..bytes.len() - 8].to_vec();
            for _ in 0..=rng.below(3) {
                let at = MARK.len() + 1 + rng.below((content.len() - MARK.len() - 1) as u32) as usize;
                content[at] = rng.bits() as u8;
            }
            refused += usize::from(loaded(&rehashed(&content)).is_err());
        }
        assert!(refused > 2_000, "{refused}");
    }
}
