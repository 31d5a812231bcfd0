//! Second implementations of the rules, as plain as possible: grids of characters, every question answered by looking at
//! every square. Slow and simple on purpose; nothing here uses the crate under test.

mod breakthrough;
mod clobber;
mod connect_four;
mod crosphere;
mod mnk;
mod pawn;
mod tuc_chess;

/// A game in progress, all in text.
pub trait Naive {
    /// The legal moves, in any order; none when the game is over or chance is due.
    fn moves(&self) -> Vec<String>;
    /// What chance may do and how likely it is; none unless chance is due.
    fn chance(&self) -> Vec<(String, f64)> {
        Vec::new()
    }
    /// Plays a move or an outcome of chance.
    fn play(&mut self, mv: &str);
    /// `first`, `second`, `draw` or `open`.
    fn result(&self) -> &'static str;
    /// The position as text.
    fn position(&self) -> String;
    /// The points, in games with points.
    fn points(&self) -> Option<[i32; 2]> {
        None
    }
}

/// The naive implementation of the game of a spec, at a position.
pub fn open(spec: &str, position: &str) -> Box<dyn Naive> {
    match spec.split(':').next().unwrap() {
        "clobber" => Box::new(clobber::Clobber::new(position)),
        "crosphere" => Box::new(crosphere::Crosphere::new(position)),
        "mnk" | "tictactoe" => Box::new(mnk::Mnk::new(position)),
        "pawn" => Box::new(pawn::Pawn::new(position)),
        "tuc-chess" => Box::new(tuc_chess::TucChess::new(spec, position)),
        "connect-four" => Box::new(connect_four::ConnectFour::new(position)),
        "breakthrough" => Box::new(breakthrough::Breakthrough::new(position)),
        other => panic!("{other} has no naive implementation"),
    }
}

/// Rows from the top, `.` for empty squares.
pub type Rows = Vec<Vec<char>>;

/// The board of a position and the fields behind it.
pub fn read(position: &str) -> (Rows, Vec<String>) {
    let mut fields = position.split(' ');
    let mut rows = Vec::new();
    for row in fields.next().unwrap().split('/') {
        let mut cells = Vec::new();
        let mut digits = String::new();
        for c in row.chars().chain(['!']) {
            if c.is_ascii_digit() {
                digits.push(c);
                continue;
            }
            if !digits.is_empty() {
                cells.extend(vec!['.'; digits.parse().unwrap()]);
                digits.clear();
            }
            if c != '!' {
                cells.push(c);
            }
        }
        rows.push(cells);
    }
    (rows, fields.map(str::to_owned).collect())
}

/// The text of a board.
pub fn write(rows: &Rows) -> String {
    let mut text = String::with_capacity(64);
    for (number, row) in rows.iter().enumerate() {
        if number > 0 {
            text.push('/');
        }
        let mut empty = 0;
        for &c in row {
            if c == '.' {
                empty += 1;
                continue;
            }
            push_count(&mut text, &mut empty);
            text.push(c);
        }
        push_count(&mut text, &mut empty);
    }
    text
}

/// Writes the number of empty squares, if there are any, and begins to count anew.
fn push_count(text: &mut String, empty: &mut usize) {
    if *empty > 0 {
        *text += &empty.to_string();
        *empty = 0;
    }
}

/// The name of the square in a row (from the top) and a column.
pub fn name(rows: &Rows, row: usize, column: usize) -> String {
    // Room for two of them: most moves are two names, and millions are made.
    let mut name = String::with_capacity(6);
    name.push((b'a' + column as u8) as char);
    name += &(rows.len() - row).to_string();
    name
}

/// The row (from the top) and column of a named square.
pub fn find(rows: &Rows, name: &str) -> (usize, usize) {
    let column = name.as_bytes()[0] - b'a';
    (rows.len() - name[1..].parse::<usize>().unwrap(), column as usize)
}
