//! Discs that fall down a grid of characters; lines by walking in every direction from every disc.

use super::{Naive, Rows, read, write};

pub struct ConnectFour {
    rows: Rows,
    side: char,
    k: usize,
}

impl ConnectFour {
    pub fn new(position: &str) -> Self {
        let (rows, fields) = read(position);
        Self { rows, side: fields[0].chars().next().unwrap(), k: fields[1].parse().unwrap() }
    }

    fn wins(&self, disc: char) -> bool {
        let at = |row: i32, column: i32| self.rows.get(row as usize).and_then(|cells| cells.get(column as usize));
        for row in 0..self.rows.len() as i32 {
            for column in 0..self.rows[0].len() as i32 {
                for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                    let mut length = 0;
                    while at(row + length * down, column + length * right) == Some(&disc) {
                        length += 1;
                    }
                    if length as usize >= self.k {
                        return true;
                    }
                }
            }
        }
        false
    }
}

impl Naive for ConnectFour {
    fn moves(&self) -> Vec<String> {
        if self.result() != "open" {
            return Vec::new();
        }
        let open = |&column: &usize| self.rows[0][column] == '.';
        let letter = |column: usize| ((b'a' + column as u8) as char).to_string();
        (0..self.rows[0].len()).filter(open).map(letter).collect()
    }

    fn play(&mut self, mv: &str) {
        let column = (mv.as_bytes()[0] - b'a') as usize;
        let mut row = 0;
        while row + 1 < self.rows.len() && self.rows[row + 1][column] == '.' {
            row += 1;
        }
        self.rows[row][column] = self.side;
        self.side = if self.side == 'x' { 'o' } else { 'x' };
    }

    fn result(&self) -> &'static str {
        if self.wins('x') {
            "first"
        } else if self.wins('o') {
            "second"
        } else if self.rows[0].contains(&'.') {
            "open"
        } else {
            "draw"
        }
    }

    fn position(&self) -> String {
        format!("{} {} {}", write(&self.rows), self.side, self.k)
    }
}
