//! A writer of Parquet files, as far as tables of games need it: columns of text and numbers, some entries missing, not compressed.
//!
//! The usual crate reads and writes all of the format, and was a twentieth of the whole build; the tests still read with it what is
//! written here. The format: <https://parquet.apache.org/docs/file-format/>. Its headers are Thrift structures in the compact protocol:
//! <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>.

use std::collections::HashMap;

/// The entries of a column; `None` where there is no value.
pub enum Column<'a> {
    Text(Vec<Option<&'a str>>),
    Whole(Vec<Option<i64>>),
    Real(Vec<Option<f64>>),
}

const MAGIC: &[u8] = b"PAR1";

// Numbers that the format has for things.
const INT64: i64 = 2;
const DOUBLE: i64 = 5;
const BYTE_ARRAY: i64 = 6;
const OPTIONAL: i64 = 1;
const UTF8: i64 = 0;
const PLAIN: i64 = 0;
const RLE: i64 = 3;
const RLE_DICTIONARY: i64 = 8;
const DATA_PAGE: i64 = 0;
const DICTIONARY_PAGE: i64 = 2;
const UNCOMPRESSED: i64 = 0;

/// The bytes of a file: groups of rows, each with a column for each name, and at least one group.
pub fn write(table: &str, names: &[&str], groups: &[Vec<Column<'_>>]) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    let mut written = Vec::new();
    let mut rows = 0;
    for columns in groups {
        let length = columns.first().map_or(0, Column::len);
        let begin = file.len();
        let chunks: Vec<Struct> = names.iter().zip(columns).map(|(name, column)| chunk(&mut file, name, column)).collect();
        written.push(Struct::default().structs(1, chunks).i64(2, (file.len() - begin) as i64).i64(3, length as i64));
        rows += length;
    }
    let root = Struct::default().text(4, table).i32(5, names.len() as i64);
    let kinds = groups.first().map(|columns| names.iter().zip(columns).map(|(name, column)| column.schema(name)));
    let schema = std::iter::once(root).chain(kinds.into_iter().flatten()).collect();
    let footer = Struct::default()
        .i32(1, 1)
        .structs(2, schema)
        .i64(3, rows as i64)
        .structs(4, written)
        .text(6, concat!("plyground version ", env!("CARGO_PKG_VERSION")))
        .end();
    file.extend(&footer);
    file.extend((footer.len() as u32).to_le_bytes());
    file.extend(MAGIC);
    file
}

impl Column<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Text(entries) => entries.len(),
            Self::Whole(entries) => entries.len(),
            Self::Real(entries) => entries.len(),
        }
    }

    fn kind(&self) -> i64 {
        match self {
            Self::Text(_) => BYTE_ARRAY,
            Self::Whole(_) => INT64,
            Self::Real(_) => DOUBLE,
        }
    }

    fn schema(&self, name: &str) -> Struct {
        let schema = Struct::default().i32(1, self.kind()).i32(3, OPTIONAL).text(4, name);
        match self {
            Self::Text(_) => schema.i32(6, UTF8),
            Self::Whole(_) | Self::Real(_) => schema,
        }
    }
}

/// Writes the pages of a column, and gives the description of where they are.
fn chunk(file: &mut Vec<u8>, name: &str, column: &Column<'_>) -> Struct {
    let begin = file.len();
    let (levels, values, dictionary) = match column {
        Column::Text(entries) => {
            let (dictionary, indices) = dictionary(entries.iter().flatten());
            // Not every reader takes an empty one.
            if dictionary.count == 0 { (levels(entries), Vec::new(), None) } else { (levels(entries), indices, Some(dictionary)) }
        }
        Column::Whole(entries) => {
            (levels(entries), entries.iter().flatten().flat_map(|value| value.to_le_bytes()).collect(), None)
        }
        Column::Real(entries) => {
            (levels(entries), entries.iter().flatten().flat_map(|value| value.to_le_bytes()).collect(), None)
        }
    };
    if let Some(Dictionary { count, bytes }) = &dictionary {
        let header = Struct::default().i32(1, *count as i64).i32(2, PLAIN);
        page(file, DICTIONARY_PAGE, (7, header), bytes);
    }
    let data = file.len();
    let encoding = if dictionary.is_some() { RLE_DICTIONARY } else { PLAIN };
    let header = Struct::default().i32(1, column.len() as i64).i32(2, encoding).i32(3, RLE).i32(4, RLE);
    page(file, DATA_PAGE, (5, header), &[levels, values].concat());
    let size = (file.len() - begin) as i64;
    let mut place = Struct::default()
        .i32(1, column.kind())
        .i32s(2, &[PLAIN, RLE, encoding])
        .texts(3, &[name])
        .i32(4, UNCOMPRESSED)
        .i64(5, column.len() as i64)
        .i64(6, size)
        .i64(7, size)
        .i64(9, data as i64);
    if dictionary.is_some() {
        place = place.i64(11, begin as i64);
    }
    Struct::default().i64(2, begin as i64).child(3, place)
}

fn page(file: &mut Vec<u8>, kind: i64, (field, header): (u8, Struct), body: &[u8]) {
    let size = body.len() as i64;
    file.extend(Struct::default().i32(1, kind).i32(2, size).i32(3, size).child(field, header).end());
    file.extend(body);
}

/// One bit for each entry: is there a value?
fn levels<T>(entries: &[Option<T>]) -> Vec<u8> {
    let bits = packed(entries.iter().map(|entry| u32::from(entry.is_some())), 1);
    [&(bits.len() as u32).to_le_bytes()[..], &bits].concat()
}

/// The different values of a column of text.
struct Dictionary {
    count: usize,
    bytes: Vec<u8>,
}

/// The different texts, and which of them each entry is.
fn dictionary<'a>(texts: impl Iterator<Item = &'a &'a str>) -> (Dictionary, Vec<u8>) {
    let (mut numbers, mut bytes) = (HashMap::new(), Vec::new());
    let mut indices = Vec::new();
    for text in texts {
        let next = numbers.len() as u32;
        let number = *numbers.entry(*text).or_insert(next);
        if number == next {
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        indices.push(number);
    }
    let width = (numbers.len().next_power_of_two().ilog2()).max(1);
    let mut body = vec![width as u8];
    body.extend(packed(indices.into_iter(), width));
    (Dictionary { count: numbers.len(), bytes }, body)
}

/// Numbers of `width` bits, in groups of eight, as one run of the hybrid of run-length encoding and bit packing.
fn packed(numbers: impl ExactSizeIterator<Item = u32>, width: u32) -> Vec<u8> {
    let groups = numbers.len().div_ceil(8);
    let mut bytes = Vec::new();
    varint(&mut bytes, (groups as u64) << 1 | 1);
    let end = bytes.len() + groups * width as usize;
    let (mut pending, mut bits) = (0_u64, 0);
    for number in numbers {
        pending |= u64::from(number) << bits;
        bits += width;
        while bits >= 8 {
            bytes.push(pending as u8);
            pending >>= 8;
            bits -= 8;
        }
    }
    bytes.push(pending as u8);
    bytes.resize(end, 0);
    bytes
}

fn varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn zigzag(bytes: &mut Vec<u8>, number: i64) {
    varint(bytes, (number << 1 ^ number >> 63) as u64);
}

/// A Thrift structure in the compact protocol, fields in the order of their numbers.
#[derive(Default)]
struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

// The types of fields in the compact protocol.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

impl Struct {
    fn field(mut self, number: u8, kind: u8, write: impl FnOnce(&mut Vec<u8>)) -> Self {
        self.bytes.push((number - self.last) << 4 | kind);
        self.last = number;
        write(&mut self.bytes);
        self
    }

    fn i32(self, number: u8, value: i64) -> Self {
        self.field(number, I32, |bytes| zigzag(bytes, value))
    }

    fn i64(self, number: u8, value: i64) -> Self {
        self.field(number, I64, |bytes| zigzag(bytes, value))
    }

    fn text(self, number: u8, value: &str) -> Self {
        self.field(number, BINARY, |bytes| text(bytes, value))
    }

    fn child(self, number: u8, value: Self) -> Self {
        self.field(number, STRUCT, |bytes| bytes.extend(value.end()))
    }

    fn list<T>(self, number: u8, kind: u8, values: Vec<T>, write: impl Fn(&mut Vec<u8>, T)) -> Self {
        self.field(number, LIST, |bytes| {
            // The short form holds up to 14 elements.
            bytes.push(0xf0 | kind);
            varint(bytes, values.len() as u64);
            for value in values {
                write(bytes, value);
            }
        })
    }

    fn i32s(self, number: u8, values: &[i64]) -> Self {
        self.list(number, I32, values.to_vec(), zigzag)
    }

    fn texts(self, number: u8, values: &[&str]) -> Self {
        self.list(number, BINARY, values.to_vec(), text)
    }

    fn structs(self, number: u8, values: Vec<Self>) -> Self {
        self.list(number, STRUCT, values, |bytes, value| bytes.extend(value.end()))
    }

    fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

fn text(bytes: &mut Vec<u8>, text: &str) {
    varint(bytes, text.len() as u64);
    bytes.extend(text.as_bytes());
}
