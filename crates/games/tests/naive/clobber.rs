//! Clobber, by asking every square and each of its neighbours.

use super::{Naive, Rows, find, name, read, write};

pub struct Clobber {
    rows: Rows,
    side: char,
    own: bool,
}

impl Clobber {
    pub fn new(position: &str) -> Self {
        let (rows, fields) = read(position);
        Self { rows, side: fields[0].chars().next().unwrap(), own: fields.get(1).is_some_and(|field| field == "own") }
    }
}

fn other(side: char) -> char {
    if side == 'x' { 'o' } else { 'x' }
}

type Square = (usize, usize);

impl Clobber {
    /// From where to where stones can move.
    fn steps(&self) -> Vec<[Square; 2]> {
        let mut steps = Vec::new();
        for (r, row) in self.rows.iter().enumerate() {
            for (c, &stone) in row.iter().enumerate() {
                if stone != self.side {
                    continue;
                }
                for (down, right) in [(0, 1), (0, -1), (1, 0), (-1, 0)] {
                    let (Some(r2), Some(c2)) = (r.checked_add_signed(down), c.checked_add_signed(right)) else {
                        continue;
                    };
                    let Some(&target) = self.rows.get(r2).and_then(|row| row.get(c2)) else {
                        continue;
                    };
                    if target == other(self.side) || (self.own && target == self.side) {
                        steps.push([(r, c), (r2, c2)]);
                    }
                }
            }
        }
        steps
    }
}

impl Naive for Clobber {
    fn moves(&self) -> Vec<String> {
        let name = |(row, column)| name(&self.rows, row, column);
        self.steps().into_iter().map(|[from, to]| name(from) + &name(to)).collect()
    }

    fn play(&mut self, mv: &str) {
        let middle = mv.rfind(char::is_alphabetic).unwrap();
        let (row, column) = find(&self.rows, &mv[..middle]);
        self.rows[row][column] = '.';
        let (row, column) = find(&self.rows, &mv[middle..]);
        self.rows[row][column] = self.side;
        self.side = other(self.side);
    }

    fn result(&self) -> &'static str {
        match (self.steps().is_empty(), self.side) {
            (false, _) => "open",
            (true, 'x') => "second",
            (true, _) => "first",
        }
    }

    fn position(&self) -> String {
        let own = if self.own { " own" } else { "" };
        format!("{} {}{own}", write(&self.rows), self.side)
    }
}
