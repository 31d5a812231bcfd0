//! Links by walking from stone to stone, forbidden stones by trying them.

use super::{Naive, Rows, find, name, read, write};

pub struct Crosphere {
    rows: Rows,
    side: char,
    left: [u32; 2],
}

impl Crosphere {
    pub fn new(position: &str) -> Self {
        let (rows, fields) = read(position);
        Self { rows, side: fields[0].chars().next().unwrap(), left: [fields[1].parse().unwrap(), fields[2].parse().unwrap()] }
    }

    fn own_left(&self) -> u32 {
        self.left[usize::from(self.side == 'p')]
    }

    /// The squares on which a weak stone does not complete both chains at once.
    fn weak_squares(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut tried = self.rows.clone();
        self.empty_squares().into_iter().filter(move |&(row, column)| {
            tried[row][column] = 'o';
            let both = linked(&tried, 'G') && linked(&tried, 'P');
            tried[row][column] = '.';
            !both
        })
    }

    fn empty_squares(&self) -> Vec<(usize, usize)> {
        let (height, width) = (self.rows.len(), self.rows[0].len());
        let squares = (0..height).flat_map(|row| (0..width).map(move |column| (row, column)));
        squares.filter(|&(row, column)| self.rows[row][column] == '.').collect()
    }

    fn can_move(&self) -> bool {
        self.own_left() > 0 && !self.empty_squares().is_empty() || self.weak_squares().next().is_some()
    }
}

/// Green (`G`) goes from the top row to the bottom row, Pink (`P`) from the left column to the right one.
fn linked(rows: &Rows, colour: char) -> bool {
    let (height, width) = (rows.len(), rows[0].len());
    let mut to_visit: Vec<(usize, usize)> =
        if colour == 'G' { (0..width).map(|c| (0, c)).collect() } else { (0..height).map(|r| (r, 0)).collect() };
    let mut visited = vec![false; width * height];
    while let Some((r, c)) = to_visit.pop() {
        if visited[r * width + c] || !(rows[r][c] == colour || rows[r][c] == 'o') {
            continue;
        }
        visited[r * width + c] = true;
        if if colour == 'G' { r + 1 == height } else { c + 1 == width } {
            return true;
        }
        if r > 0 {
            to_visit.push((r - 1, c));
        }
        if r + 1 < height {
            to_visit.push((r + 1, c));
        }
        if c > 0 {
            to_visit.push((r, c - 1));
        }
        if c + 1 < width {
            to_visit.push((r, c + 1));
        }
    }
    false
}

impl Naive for Crosphere {
    fn moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        if self.result() != "open" {
            return moves;
        }
        if self.own_left() > 0 {
            for (row, column) in self.empty_squares() {
                moves.push("s".to_owned() + &name(&self.rows, row, column));
            }
        }
        for (row, column) in self.weak_squares() {
            moves.push("w".to_owned() + &name(&self.rows, row, column));
        }
        moves
    }

    fn play(&mut self, mv: &str) {
        let (row, column) = find(&self.rows, &mv[1..]);
        self.rows[row][column] = match (&mv[..1], self.side) {
            ("w", _) => 'o',
            (_, 'g') => 'G',
            _ => 'P',
        };
        if mv.starts_with('s') {
            self.left[usize::from(self.side == 'p')] -= 1;
        }
        self.side = if self.side == 'g' { 'p' } else { 'g' };
    }

    fn result(&self) -> &'static str {
        if linked(&self.rows, 'G') {
            "first"
        } else if linked(&self.rows, 'P') {
            "second"
        } else if !self.can_move() {
            "draw"
        } else {
            "open"
        }
    }

    fn position(&self) -> String {
        let [green, pink] = self.left;
        format!("{} {} {green} {pink}", write(&self.rows), self.side)
    }
}
