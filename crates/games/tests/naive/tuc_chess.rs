//! TUC-Chess, read off its rules: every square is asked whether a piece may go there.

use super::{Naive, Rows, read, write};

pub struct TucChess {
    rows: Rows,
    white_moves: bool,
    points: [i32; 2],
    plies: usize,
    pending: &'static str,
    worth: f64,
    appear: f64,
    limit: usize,
}

impl TucChess {
    pub fn new(spec: &str, position: &str) -> Self {
        let (rows, fields) = read(position);
        let (mut worth, mut appear, mut limit) = (0.95, 0.2, 200);
        for key in spec.split([':', ',']).skip(1) {
            match key.split_once('=').unwrap() {
                ("year", "2021") => (worth, appear) = (0.9, 0.1),
                ("year", "2019") => (worth, appear) = (0.85, 0.25),
                ("worth", value) => worth = value.parse().unwrap(),
                ("appear", value) => appear = value.parse().unwrap(),
                ("limit", value) => limit = value.parse().unwrap(),
                _ => panic!("{key}"),
            }
        }
        Self {
            rows,
            white_moves: fields[0] == "w",
            points: [fields[1].parse().unwrap(), fields[2].parse().unwrap()],
            plies: fields[3].parse().unwrap(),
            pending: match fields.get(4).map(String::as_str) {
                Some("?+") => "?+",
                Some("?@") => "?@",
                _ => "",
            },
            worth,
            appear,
            limit,
        }
    }

    fn is_own(&self, cell: char) -> bool {
        cell.is_ascii_alphabetic() && cell.is_ascii_uppercase() == self.white_moves
    }

    fn may_go(&self, from: (i32, i32), to: (i32, i32)) -> bool {
        let cell = |(row, column): (i32, i32)| self.rows[row as usize][column as usize];
        let target = cell(to);
        if self.is_own(target) {
            return false;
        }
        let (down, right) = (to.0 - from.0, to.1 - from.1);
        match cell(from).to_ascii_lowercase() {
            'p' => {
                let ahead = if self.white_moves { -1 } else { 1 };
                let captures = target.is_ascii_alphabetic();
                down == ahead && (right == 0 && !captures || right.abs() == 1 && captures)
            }
            'k' => down.abs() + right.abs() == 1,
            _ => {
                let distance = down.abs() + right.abs();
                (down == 0 || right == 0)
                    && distance <= 3
                    && (1..distance).all(|step| cell((from.0 + down.signum() * step, from.1 + right.signum() * step)) == '.')
            }
        }
    }

    /// The moves that the rules of movement allow, whether or not the game is over or waits for chance.
    fn steps(&self) -> impl Iterator<Item = String> {
        let squares = || (0..7).flat_map(|row| (0..5).map(move |column| (row, column)));
        let own = squares().filter(|from| self.is_own(self.rows[from.0 as usize][from.1 as usize]));
        own.flat_map(move |from| {
            let targets = squares().filter(move |&to| self.may_go(from, to));
            targets.map(move |to| format!("{}{}{}{}", from.0, from.1, to.0, to.1))
        })
    }

    fn has_ended(&self) -> bool {
        let pieces: String = self.rows.iter().flatten().filter(|cell| cell.is_ascii_alphabetic()).collect();
        !pieces.contains('K')
            || !pieces.contains('k')
            || pieces.len() == 2
            || self.steps().next().is_none()
            || self.plies == self.limit
    }

    fn appear_if_going_on(&mut self) {
        self.pending = if self.has_ended() { "" } else { "?@" };
    }

    fn free_squares(&self) -> Vec<String> {
        let mut free = Vec::new();
        for (row, cells) in self.rows.iter().enumerate() {
            for (column, &cell) in cells.iter().enumerate() {
                if cell == '.' {
                    free.push(format!("@{row}{column}"));
                }
            }
        }
        free
    }
}

impl Naive for TucChess {
    fn moves(&self) -> Vec<String> {
        if self.pending.is_empty() && !self.has_ended() { self.steps().collect() } else { Vec::new() }
    }

    fn chance(&self) -> Vec<(String, f64)> {
        let mut outcomes = Vec::new();
        if self.pending == "?+" {
            outcomes.push(("+1".to_owned(), self.worth));
            outcomes.push(("+0".to_owned(), 1.0 - self.worth));
        } else if self.pending == "?@" {
            let free = self.free_squares();
            if free.is_empty() {
                return vec![("@-".to_owned(), 1.0)];
            }
            outcomes.push(("@-".to_owned(), 1.0 - self.appear));
            let each = self.appear / free.len() as f64;
            outcomes.extend(free.into_iter().map(|outcome| (outcome, each)));
        }
        outcomes.into_iter().filter(|outcome| outcome.1 > 0.0).collect()
    }

    fn play(&mut self, mv: &str) {
        let digits: Vec<usize> = mv.chars().filter_map(|c| c.to_digit(10)).map(|digit| digit as usize).collect();
        if mv.starts_with('+') {
            // White has moved when Black moves next.
            self.points[usize::from(self.white_moves)] += digits[0] as i32;
            self.appear_if_going_on();
            return;
        }
        if mv.starts_with('@') {
            if mv != "@-" {
                self.rows[digits[0]][digits[1]] = '*';
            }
            self.pending = "";
            return;
        }
        let piece = std::mem::replace(&mut self.rows[digits[0]][digits[1]], '.');
        let target = std::mem::replace(&mut self.rows[digits[2]][digits[3]], piece);
        let mover = usize::from(!self.white_moves);
        self.points[mover] += match target.to_ascii_lowercase() {
            'p' => 1,
            'r' => 3,
            'k' => 8,
            _ => 0,
        };
        let last_row = if self.white_moves { 0 } else { 6 };
        if piece.eq_ignore_ascii_case(&'p') && digits[2] == last_row {
            self.rows[digits[2]][digits[3]] = '.';
            self.points[mover] += 1;
        }
        self.plies += 1;
        self.white_moves = !self.white_moves;
        if target == '*' {
            self.pending = "?+";
        } else {
            self.appear_if_going_on();
        }
    }

    fn result(&self) -> &'static str {
        if !self.pending.is_empty() || !self.has_ended() {
            return "open";
        }
        match self.points[0] - self.points[1] {
            1.. => "first",
            0 => "draw",
            _ => "second",
        }
    }

    fn position(&self) -> String {
        let side = if self.white_moves { "w" } else { "b" };
        let [white, black] = self.points;
        let text = format!("{} {side} {white} {black} {}", write(&self.rows), self.plies);
        if self.pending.is_empty() { text } else { format!("{text} {}", self.pending) }
    }

    fn points(&self) -> Option<[i32; 2]> {
        Some(self.points)
    }
}
