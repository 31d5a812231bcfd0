//! Pawns on a grid of characters, each square looked at in turn.

use super::{Naive, Rows, find, name, read, write};

pub struct Pawn {
    rows: Rows,
    side: char,
    double: bool,
}

impl Pawn {
    pub fn new(position: &str) -> Self {
        let (rows, fields) = read(position);
        Self { rows, side: fields[0].chars().next().unwrap(), double: fields.len() == 2 }
    }

    fn at(&self, row: i32, column: i32) -> Option<char> {
        let row = self.rows.get(usize::try_from(row).ok()?)?;
        row.get(usize::try_from(column).ok()?).copied()
    }

    /// Steps and captures, without asking whether the game is over.
    fn steps(&self) -> Vec<[(i32, i32); 2]> {
        let last = self.rows.len() as i32 - 1;
        // Rows count from the top: White goes to smaller ones.
        let (own, other, forward, start) = if self.side == 'w' { ('P', 'p', -1, last - 1) } else { ('p', 'P', 1, 1) };
        let mut steps = Vec::new();
        for row in 0..=last {
            for column in 0..self.rows[0].len() as i32 {
                if self.at(row, column) != Some(own) {
                    continue;
                }
                let mut targets = Vec::new();
                if self.at(row + forward, column) == Some('.') {
                    targets.push((row + forward, column));
                    if self.double && row == start && self.at(row + 2 * forward, column) == Some('.') {
                        targets.push((row + 2 * forward, column));
                    }
                }
                for side in [column - 1, column + 1] {
                    if self.at(row + forward, side) == Some(other) {
                        targets.push((row + forward, side));
                    }
                }
                steps.extend(targets.into_iter().map(|target| [(row, column), target]));
            }
        }
        steps
    }
}

impl Naive for Pawn {
    fn moves(&self) -> Vec<String> {
        if self.result() != "open" {
            return Vec::new();
        }
        let name = |(row, column): (i32, i32)| name(&self.rows, row as usize, column as usize);
        self.steps().into_iter().map(|[from, to]| name(from) + &name(to)).collect()
    }

    fn play(&mut self, mv: &str) {
        let middle = mv.rfind(|c: char| c.is_ascii_lowercase()).unwrap();
        let (from_row, from_column) = find(&self.rows, &mv[..middle]);
        let (to_row, to_column) = find(&self.rows, &mv[middle..]);
        self.rows[to_row][to_column] = self.rows[from_row][from_column];
        self.rows[from_row][from_column] = '.';
        self.side = if self.side == 'w' { 'b' } else { 'w' };
    }

    fn result(&self) -> &'static str {
        let last = self.rows.len() - 1;
        let has_pawns = |pawn: char| self.rows.iter().flatten().any(|&cell| cell == pawn);
        if self.rows[0].contains(&'P') || !has_pawns('p') {
            "first"
        } else if self.rows[last].contains(&'p') || !has_pawns('P') {
            "second"
        } else if !self.steps().is_empty() {
            "open"
        } else if self.side == 'w' {
            "second"
        } else {
            "first"
        }
    }

    fn position(&self) -> String {
        let variant = if self.double { " double" } else { "" };
        format!("{} {}{variant}", write(&self.rows), self.side)
    }
}
