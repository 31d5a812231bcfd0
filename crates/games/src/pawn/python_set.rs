//! The order in which Python, up to version 3.7, lists a set of pawns.
//!
//! The study's program keeps its pawns in a set. Before it began to shuffle the moves it played the first of equal ones, so that
//! which one that was depended on the hashes of tuples: they are computed here as `CPython` did (`Objects/tupleobject.c` and
//! `setobject.c` of version 3.7).

/// A pawn as the study's program stores it: the tuple (sign, (row, column)).
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedPawn {
    pub sign: i64,
    pub row: i64,
    pub column: i64,
    /// Its square here.
    pub square: u32,
}

/// The squares of pawns that are put into a set one after the other, in the order in which the set lists them.
pub(super) fn listed(pawns: &[ListedPawn]) -> Vec<u32> {
    let mut table = vec![None; 8];
    for (index, pawn) in pawns.iter().enumerate() {
        let place = hash(&[number(pawn.sign), hash(&[number(pawn.row), number(pawn.column)])]);
        insert(&mut table, (place, pawn.square));
        let used = index + 1;
        if 5 * used >= 3 * (table.len() - 1) {
            let larger = vec![None; (4 * used + 1).next_power_of_two().max(8)];
            for entry in std::mem::replace(&mut table, larger).into_iter().flatten() {
                insert(&mut table, entry);
            }
        }
    }
    table.into_iter().flatten().map(|(_, square)| square).collect()
}

/// The hash of a small number; -1 is reserved.
fn number(value: i64) -> i64 {
    if value == -1 { -2 } else { value }
}

/// The hash of a tuple, from those of its members.
fn hash(members: &[i64]) -> i64 {
    let (mut hash, mut factor) = (0x0034_5678_u64, 1_000_003_u64);
    for (index, &member) in members.iter().enumerate() {
        hash = (hash ^ member as u64).wrapping_mul(factor);
        let left = members.len() - 1 - index;
        factor = factor.wrapping_add(82_520 + 2 * left as u64);
    }
    number(hash.wrapping_add(97_531) as i64)
}

/// Puts an entry that is not there yet into an open hash table: nine places are tried in a row where the table does not end
/// before that, then another row.
fn insert(table: &mut [Option<(i64, u32)>], entry: (i64, u32)) {
    const IN_A_ROW: usize = 9;
    let mask = table.len() - 1;
    let mut rest = entry.0 as u64;
    let mut start = rest as usize & mask;
    loop {
        let row = if start + IN_A_ROW <= mask { start..=start + IN_A_ROW } else { start..=start };
        if let Some(free) = row.into_iter().find(|&place| table[place].is_none()) {
            table[free] = Some(entry);
            return;
        }
        rest >>= 5;
        start = start.wrapping_mul(5).wrapping_add(1).wrapping_add(rest as usize) & mask;
    }
}
