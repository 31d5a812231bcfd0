//! Pieces that walk over a grid of characters, each square looked at in turn.

use super::{Naive, Rows, find, name, read, write};

pub struct Breakthrough {
    rows: Rows,
    side: char,
}

impl Breakthrough {
    pub fn new(position: &str) -> Self {
        let (rows, fields) = read(position);
        Self { rows, side: fields[0].chars().next().unwrap() }
    }

    fn at(&self, row: i32, column: i32) -> Option<char> {
        let row = self.rows.get(usize::try_from(row).ok()?)?;
        row.get(usize::try_from(column).ok()?).copied()
    }
}

impl Naive for Breakthrough {
    fn moves(&self) -> Vec<String> {
        if self.result() != "open" {
            return Vec::new();
        }
        // Rows count from the top: White goes to smaller ones.
        let forward = if self.side == 'w' { -1 } else { 1 };
        let mut moves = Vec::new();
        for row in 0..self.rows.len() as i32 {
            for column in 0..self.rows[0].len() as i32 {
                if self.at(row, column) != Some(self.side) {
                    continue;
                }
                for sideways in [-1, 0, 1] {
                    let may = match self.at(row + forward, column + sideways) {
                        None => false,
                        Some('.') => true,
                        Some(piece) => piece != self.side && sideways != 0,
                    };
                    if may {
                        let square = |row: i32, column: i32| name(&self.rows, row as usize, column as usize);
                        moves.push(square(row, column) + &square(row + forward, column + sideways));
                    }
                }
            }
        }
        moves
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
        let left = |piece: char| self.rows.iter().flatten().any(|&cell| cell == piece);
        if self.rows[0].contains(&'w') || !left('b') {
            "first"
        } else if self.rows[self.rows.len() - 1].contains(&'b') || !left('w') {
            "second"
        } else {
            "open"
        }
    }

    fn position(&self) -> String {
        format!("{} {}", write(&self.rows), self.side)
    }
}
