//! k in a row, by trying every line from every square.

use super::{Naive, Rows, find, name, read, write};

pub struct Mnk {
    rows: Rows,
    side: char,
    k: usize,
    result: &'static str,
}

impl Mnk {
    pub fn new(position: &str) -> Self {
        let (rows, fields) = read(position);
        let mut game = Self { rows, side: fields[0].chars().next().unwrap(), k: fields[1].parse().unwrap(), result: "open" };
        game.result = game.judge();
        game
    }

    fn judge(&self) -> &'static str {
        if self.has_line('x') {
            "first"
        } else if self.has_line('o') {
            "second"
        } else if self.rows.iter().flatten().all(|&cell| cell != '.') {
            "draw"
        } else {
            "open"
        }
    }

    fn has_line(&self, stone: char) -> bool {
        let (height, width) = (self.rows.len() as i32, self.rows[0].len() as i32);
        for row in 0..height {
            for column in 0..width {
                for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                    let line = (0..self.k as i32).all(|step| {
                        let (r, c) = (row + down * step, column + right * step);
                        r >= 0 && r < height && c >= 0 && c < width && self.rows[r as usize][c as usize] == stone
                    });
                    if line {
                        return true;
                    }
                }
            }
        }
        false
    }
}

impl Naive for Mnk {
    fn moves(&self) -> Vec<String> {
        if self.result() != "open" {
            return Vec::new();
        }
        let mut moves = Vec::new();
        for (r, row) in self.rows.iter().enumerate().rev() {
            for (c, &cell) in row.iter().enumerate() {
                if cell == '.' {
                    moves.push(name(&self.rows, r, c));
                }
            }
        }
        moves
    }

    fn play(&mut self, mv: &str) {
        let (row, column) = find(&self.rows, mv);
        self.rows[row][column] = self.side;
        self.side = if self.side == 'x' { 'o' } else { 'x' };
        self.result = self.judge();
    }

    fn result(&self) -> &'static str {
        self.result
    }

    fn position(&self) -> String {
        format!("{} {} {}", write(&self.rows), self.side, self.k)
    }
}
