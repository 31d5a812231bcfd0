//! Games that are written in Python: the object is asked for the rules, everything else is as in other games.
//!
//! Rules in Python can fail at any moment, and the trait of games has no room for that: the first exception is kept, the position in which
//! it was raised counts as a draw, and the call that came from Python raises it when it is done.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex};

use plyground_core::sync::lock;
use plyground_core::{
    BoardView, Encodable, Encoder, EncoderInfo, Evaluated, Evaluator, Game, GameInfo, InputError, MoveSquares, Outcome, Owner,
    Piece, Player, Rng, Scratch, Seed, Solvable, Square, Turn, quoted,
};
use plyground_session::session_of;
use pyo3::prelude::*;

use crate::errors;
use crate::game::{CHANCE, Failure, PyGame};
use crate::typed::TypedRules;

/// The name of the encoder of these games.
const ENCODER: &str = "python";
/// Random games that show which moves and pieces there are.
const WATCHED: u64 = 50;
/// The most plies of such a game: rules that never end are found out by `plyground.check`.
const WATCHED_PLIES: u32 = 2_000;
/// The most different moves of all games of a program.
const MOST_MOVES: usize = 1_000_000;
/// The longest text of a move.
const LONGEST_MOVE: usize = 100;

static INFO: GameInfo =
    GameInfo { name: "python", title: "A game in Python", summary: "A game that is written in Python", ..GameInfo::NONE };

/// A move: its text, kept once for the whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Word(&'static str);

impl Word {
    fn of(text: &str) -> Result<Self, InputError> {
        static WORDS: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);
        let expected = |detail: &str| InputError::malformed("move", text, detail.to_owned());
        if text.is_empty() || text.len() > LONGEST_MOVE || text.chars().any(char::is_whitespace) {
            return Err(expected("expected a word of at most 100 bytes without spaces"));
        }
        let mut words = lock(&WORDS);
        if let Some(&word) = words.get(text) {
            return Ok(Self(word));
        }
        if words.len() >= MOST_MOVES {
            return Err(expected("there are a million different moves already; expected moves that repeat"));
        }
        let word: &'static str = Box::leak(text.to_owned().into_boxed_str());
        words.insert(word);
        Ok(Self(word))
    }
}

/// A position: the object of the rules, and what they say about it.
#[derive(Clone, Debug)]
pub(crate) struct Node(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    object: Py<PyAny>,
    text: String,
    turn: Turn,
    moves: Vec<Word>,
    outcomes: Vec<(Word, f64)>,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.0.text == other.0.text
    }
}

impl Eq for Node {}

impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.text.hash(state);
    }
}

/// A game whose rules are an object of Python with the methods of `plyground.Game`.
#[derive(Clone)]
pub(crate) struct PythonGame {
    object: Arc<Py<PyAny>>,
    spec: String,
    start: Node,
    most_moves: Option<u32>,
    most_outcomes: u32,
    has_board: bool,
    has_evaluation: bool,
    pieces: Arc<Vec<(char, Piece)>>,
    /// The numbers of the moves.
    numbers: Arc<HashMap<Word, usize>>,
    failure: Failure,
}

impl PythonGame {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let failure = Failure::default();
        let spec: String = object.call_method0("spec")?.extract()?;
        let pieces: HashMap<char, Option<usize>> = object.getattr("pieces")?.extract()?;
        let mut pieces: Vec<(char, Piece)> =
            pieces.into_iter().map(|(letter, owner)| Ok((letter, piece(letter, owner)?))).collect::<PyResult<_>>()?;
        pieces.sort_by_key(|&(letter, _)| letter);
        let empty = Node(Arc::new(Inner {
            object: py.None(),
            text: String::new(),
            turn: Turn::Over(Outcome::DRAW),
            moves: Vec::new(),
            outcomes: Vec::new(),
        }));
        let mut game = Self {
            object: Arc::new(object.clone().unbind()),
            spec,
            start: empty,
            most_moves: object.getattr("most_moves")?.extract()?,
            most_outcomes: object.getattr("most_outcomes")?.extract()?,
            has_board: object.getattr("has_board")?.extract()?,
            has_evaluation: object.getattr("has_evaluation")?.extract()?,
            pieces: Arc::new(pieces),
            numbers: Arc::default(),
            failure,
        };
        game.start = game.node(object.call_method0("start")?)?;
        let listed: Option<Vec<String>> = object.call_method0("all_moves")?.extract()?;
        let moves: Vec<Word> = match listed {
            Some(texts) => texts.iter().map(|text| Word::of(text).map_err(errors::input)).collect::<PyResult<_>>()?,
            None => game.watch()?.into_iter().collect(),
        };
        game.numbers = Arc::new(moves.into_iter().zip(0..).collect());
        Ok(game)
    }

    /// The moves of some random games, in the order of their texts.
    fn watch(&self) -> PyResult<BTreeSet<Word>> {
        let (mut seen, mut scratch) = (BTreeSet::new(), Scratch::default());
        for number in 0..WATCHED {
            let (mut state, mut rng) = (self.start.clone(), Seed(0).numbered(number).rng());
            for _ in 0..WATCHED_PLIES {
                let mv = match state.0.turn {
                    Turn::Over(_) => break,
                    Turn::Chance => self.random_outcome(&state, &mut rng, &mut scratch),
                    Turn::Player(_) => {
                        seen.extend(state.0.moves.iter().copied());
                        self.random_move(&state, &mut rng, &mut scratch)
                    }
                };
                self.play(&mut state, mv);
            }
            if let Some(error) = lock(&self.failure).take() {
                return Err(error);
            }
        }
        Ok(seen)
    }

    /// What the rules say about a position.
    fn node(&self, object: Bound<'_, PyAny>) -> PyResult<Node> {
        let rules = self.object.bind(object.py());
        let text: String = rules.call_method1("text", (&object,))?.extract()?;
        let turn = turn(&rules.call_method1("turn", (&object,))?)?;
        let (mut moves, mut outcomes) = (Vec::new(), Vec::new());
        match turn {
            Turn::Over(_) => {}
            Turn::Player(_) => {
                let texts: Vec<String> = rules.call_method1("moves", (&object,))?.extract()?;
                moves = texts.iter().map(|text| Word::of(text).map_err(errors::input)).collect::<PyResult<Vec<_>>>()?;
                if moves.is_empty() {
                    return Err(errors::bad(format!("expected a move in {}: a player is to move there", quoted(&text))));
                }
            }
            Turn::Chance => {
                let pairs: Vec<(String, f64)> = rules.call_method1("chance", (&object,))?.extract()?;
                for (text, probability) in pairs {
                    outcomes.push((Word::of(&text).map_err(errors::input)?, probability));
                }
                let sum: f64 = outcomes.iter().map(|&(_, probability)| probability).sum();
                if (sum - 1.0).abs() > 1e-6 {
                    return Err(errors::bad(format!("expected probabilities that sum to 1 in {}, found {sum}", quoted(&text))));
                }
            }
        }
        Ok(Node(Arc::new(Inner { object: object.unbind(), text, turn, moves, outcomes })))
    }

    /// What the rules answer; an exception of theirs is kept.
    fn ask<T>(&self, question: impl FnOnce(Python<'_>) -> PyResult<T>) -> Option<T> {
        let keep = |error| {
            lock(&self.failure).get_or_insert(error);
        };
        Python::attach(|py| question(py).map_err(keep).ok())
    }
}

fn piece(letter: char, owner: Option<usize>) -> PyResult<Piece> {
    let owner = match owner {
        None => Owner::Neutral,
        Some(0) => Owner::First,
        Some(1) => Owner::Second,
        Some(other) => {
            return Err(errors::bad(format!("expected player 0 or 1 or None as the owner of the piece {letter}, found {other}")));
        }
    };
    let name = Word::of(&letter.to_string()).map_err(errors::input)?.0;
    Ok(Piece { letter, glyph: letter, owner, name })
}

/// Whose turn it is, as `plyground.Game.turn` answers: a player, chance, or a `plyground.Result`.
fn turn(answer: &Bound<'_, PyAny>) -> PyResult<Turn> {
    let expected = || errors::bad(format!("expected of turn(): 0, 1, plyground.CHANCE or a plyground.Result, found {answer:?}"));
    if let Ok(number) = answer.extract::<i32>() {
        return match number {
            0 => Ok(Turn::Player(Player::First)),
            1 => Ok(Turn::Player(Player::Second)),
            CHANCE => Ok(Turn::Chance),
            _ => Err(expected()),
        };
    }
    let value: String = answer.getattr("value").and_then(|value| value.extract()).map_err(|_| expected())?;
    match value.as_str() {
        "first" => Ok(Turn::Over(Outcome::win(Player::First))),
        "second" => Ok(Turn::Over(Outcome::win(Player::Second))),
        "draw" => Ok(Turn::Over(Outcome::DRAW)),
        _ => Err(expected()),
    }
}

impl Game for PythonGame {
    type State = Node;
    type Move = Word;

    fn info() -> &'static GameInfo {
        &INFO
    }

    fn spec(&self) -> String {
        self.spec.clone()
    }

    fn start(&self) -> Node {
        self.start.clone()
    }

    fn most_moves(&self) -> Option<u32> {
        self.most_moves
    }

    fn most_outcomes(&self) -> u32 {
        self.most_outcomes
    }

    fn turn(&self, state: &Node) -> Turn {
        state.0.turn
    }

    fn moves(&self, state: &Node, moves: &mut Vec<Word>) {
        moves.clone_from(&state.0.moves);
    }

    fn play(&self, state: &mut Node, Word(text): Word) {
        let next = self.ask(|py| {
            let object = self.object.bind(py).call_method1("play", (state.0.object.bind(py), text))?;
            self.node(object)
        });
        // Whatever is done with it ends soon.
        let dead = || {
            let object = Python::attach(|py| state.0.object.clone_ref(py));
            let turn = Turn::Over(Outcome::DRAW);
            Node(Arc::new(Inner {
                object,
                text: "the rules have raised an exception".to_owned(),
                turn,
                moves: Vec::new(),
                outcomes: Vec::new(),
            }))
        };
        *state = next.unwrap_or_else(dead);
    }

    fn chance(&self, state: &Node, outcomes: &mut Vec<(Word, f64)>) {
        outcomes.clone_from(&state.0.outcomes);
    }

    fn position_text(&self, state: &Node) -> String {
        state.0.text.clone()
    }

    fn move_text(&self, _: &Node, Word(text): Word) -> String {
        text.to_owned()
    }

    fn random_move(&self, state: &Node, rng: &mut Rng, _: &mut Scratch<Word>) -> Word {
        state.0.moves[rng.below(state.0.moves.len() as u32) as usize]
    }

    fn view(&self, state: &Node) -> BoardView {
        let nothing = || BoardView { files: 1, ranks: 1, cells: vec![None], counters: Vec::new() };
        if !self.has_board {
            return nothing();
        }
        let rows: Option<Vec<String>> =
            self.ask(|py| self.object.bind(py).call_method1("board", (state.0.object.bind(py),))?.extract());
        let rows: Vec<Vec<char>> = rows.unwrap_or_default().iter().map(|row| row.chars().collect()).collect();
        let files = rows.iter().map(Vec::len).max().unwrap_or(0).clamp(1, 26);
        let ranks = rows.len().clamp(1, 99);
        let at =
            |square: Square| rows.get(ranks - 1 - usize::from(square.rank)).and_then(|row| row.get(usize::from(square.file)));
        BoardView::new(files as u8, ranks as u8, |square| {
            let letter = at(square)?;
            self.pieces.iter().find(|(known, _)| known == letter).map(|&(_, piece)| piece)
        })
    }

    fn move_squares(&self, _: &Node, Word(text): Word) -> MoveSquares {
        squares(text)
    }
}

/// The squares of a move that is written as one square (b2) or two (a1b2, a1-b2).
fn squares(text: &str) -> MoveSquares {
    let second = text.char_indices().skip(1).find(|(_, letter)| letter.is_ascii_lowercase()).map(|(place, _)| place);
    let square = |text: &str| text.trim_end_matches('-').parse::<Square>().ok();
    match second {
        None => MoveSquares { to: square(text), ..MoveSquares::default() },
        Some(place) => match (square(&text[..place]), square(&text[place..])) {
            (Some(from), Some(to)) => MoveSquares { from: Some(from), to: Some(to), piece: None },
            _ => MoveSquares::default(),
        },
    }
}

/// The evaluation of a game in Python: its method `evaluate`; 0 where it has none.
#[derive(Default)]
pub(crate) struct PythonEvaluator;

impl Evaluator<PythonGame> for PythonEvaluator {
    fn score(&self, game: &PythonGame, state: &Node) -> f32 {
        if !game.has_evaluation {
            return 0.0;
        }
        let score = game.ask(|py| game.object.bind(py).call_method1("evaluate", (state.0.object.bind(py),))?.extract::<f32>());
        score.filter(|score| score.is_finite()).unwrap_or(0.0).clamp(-1e5, 1e5)
    }
}

impl Evaluated for PythonGame {
    type Evaluator = PythonEvaluator;
}

impl Solvable for PythonGame {}

impl Encodable for PythonGame {
    fn default_encoder(&self) -> &'static str {
        ENCODER
    }

    fn encoders() -> &'static [EncoderInfo] {
        &[EncoderInfo { name: ENCODER, summary: "a plane for each kind of piece, and one for the player to move" }]
    }

    fn encoder(&self, name: &str) -> Option<Box<dyn Encoder<Self>>> {
        if name != ENCODER {
            return None;
        }
        let view = self.view(&self.start);
        let (pieces, numbers) = (Arc::clone(&self.pieces), Arc::clone(&self.numbers));
        Some(Box::new(PythonEncoder { board: [view.ranks.into(), view.files.into()], pieces, numbers }))
    }
}

/// The encoder of games in Python: a plane for each piece that they name, and one of ones where the first player is to move.
struct PythonEncoder {
    board: [usize; 2],
    pieces: Arc<Vec<(char, Piece)>>,
    numbers: Arc<HashMap<Word, usize>>,
}

impl Encoder<PythonGame> for PythonEncoder {
    fn planes(&self) -> Vec<String> {
        self.pieces.iter().map(|(letter, _)| letter.to_string()).chain(["first player to move".to_owned()]).collect()
    }

    fn board(&self) -> [usize; 2] {
        self.board
    }

    fn encode(&self, game: &PythonGame, state: &Node, values: &mut Vec<f32>) {
        let view = game.view(state);
        let [ranks, files] = self.board;
        let shown = |piece: Option<&Piece>, wanted: &Piece| f32::from(u8::from(piece == Some(wanted)));
        values.clear();
        for (_, wanted) in self.pieces.iter() {
            // A board that changes its size is cut, or filled up.
            let cell = |place: usize| {
                let (row, file) = (place / files, place % files);
                let is_there = row < usize::from(view.ranks) && file < usize::from(view.files);
                is_there.then(|| view.cells[row * usize::from(view.files) + file].as_ref()).flatten()
            };
            values.extend((0..ranks * files).map(|place| shown(cell(place), wanted)));
        }
        let first = f32::from(u8::from(state.0.turn == Turn::Player(Player::First)));
        values.extend(std::iter::repeat_n(first, ranks * files));
    }

    fn moves(&self) -> usize {
        self.numbers.len()
    }

    fn move_order(&self) -> String {
        "as all_moves() lists them, or by their texts where it does not".to_owned()
    }

    fn move_index(&self, _: &PythonGame, _: &Node, mv: Word) -> Option<usize> {
        self.numbers.get(&mv).copied()
    }
}

/// Makes a game of an object with rules.
#[pyfunction]
pub(crate) fn own_game(object: &Bound<'_, PyAny>) -> PyResult<PyGame> {
    let game = PythonGame::new(object)?;
    let failure = Arc::clone(&game.failure);
    let start = game.start.clone();
    let session = |rules: &TypedRules<PythonGame>| Ok(session_of(rules.game.clone()));
    let rules = TypedRules::new(&INFO, game, (start, None), None, session).map_err(errors::input)?;
    if let Some(error) = lock(&failure).take() {
        return Err(error);
    }
    Ok(PyGame { rules: Arc::new(rules), source: Some(object.clone().unbind()), failure: Some(failure) })
}
