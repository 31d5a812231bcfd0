//! Games and states, in the words of OpenSpiel.

use std::sync::{Arc, Mutex};

use numpy::{PyArray1, PyArray3, PyArrayMethods};
use plyground_core::sync::lock;
use plyground_core::{InputError, Player, Turn};
use plyground_session::{draw_board, draw_counters};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::errors;
use crate::rules::{self, Position, Rules};
use crate::svg;

/// The player who is chance, and the one at the end of a game, as OpenSpiel numbers them.
pub(crate) const CHANCE: i32 = -1;
pub(crate) const TERMINAL: i32 = -4;

/// The exception that the rules have raised, if they have.
pub(crate) type Failure = Arc<Mutex<Option<PyErr>>>;

/// The result of a call, unless the rules of the game have raised an exception meanwhile: then that.
pub(crate) fn checked<T>(game: &Py<PyGame>, result: T) -> PyResult<T> {
    match &game.get().failure {
        Some(failure) => lock(failure).take().map_or(Ok(result), Err),
        None => Ok(result),
    }
}

/// A game: rules with their parameters.
#[pyclass(name = "Game", module = "plyground._core", frozen)]
pub(crate) struct PyGame {
    pub rules: Arc<dyn Rules>,
    /// The object with the rules, for a game that is written in Python.
    pub source: Option<Py<PyAny>>,
    pub failure: Option<Failure>,
}

#[pymethods]
impl PyGame {
    /// The game with its parameters as text, which opens it again.
    #[getter]
    fn spec(&self) -> String {
        self.rules.spec()
    }

    #[getter]
    fn name(&self) -> &'static str {
        self.rules.info().name
    }

    #[getter]
    fn title(&self) -> &'static str {
        self.rules.info().title
    }

    #[getter]
    fn players(&self) -> (&'static str, &'static str) {
        self.rules.info().players.into()
    }

    #[getter]
    fn text(&self) -> &'static str {
        self.rules.info().rules
    }

    #[getter]
    fn encoder(&self) -> String {
        self.rules.encoder_name().to_owned()
    }

    #[getter]
    fn start(&self) -> Option<String> {
        self.rules.start_text().map(str::to_owned)
    }

    #[getter]
    fn action_order(&self) -> String {
        self.rules.action_order()
    }

    #[getter]
    fn source(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.source.as_ref().map(|source| source.clone_ref(py))
    }

    fn num_distinct_actions(&self) -> usize {
        self.rules.actions()
    }

    #[staticmethod]
    fn num_players() -> usize {
        2
    }

    #[staticmethod]
    fn min_utility() -> f64 {
        -1.0
    }

    #[staticmethod]
    fn max_utility() -> f64 {
        1.0
    }

    #[staticmethod]
    fn utility_sum() -> f64 {
        0.0
    }

    fn max_chance_outcomes(&self) -> u32 {
        self.rules.most_outcomes()
    }

    fn max_game_length(&self) -> PyResult<u32> {
        self.rules
            .most_moves()
            .ok_or_else(|| errors::bad(format!("{} does not say how long its games can be", self.rules.spec())))
    }

    fn observation_tensor_shape(&self) -> Vec<usize> {
        self.rules.shape().to_vec()
    }

    fn observation_tensor_size(&self) -> usize {
        self.rules.shape().iter().product()
    }

    /// What each plane of an observation shows.
    fn observation_planes(&self) -> Vec<String> {
        self.rules.planes()
    }

    fn new_initial_state(slf: &Bound<'_, Self>) -> State {
        let game = slf.get();
        State { position: Arc::clone(&game.rules).start(), game: slf.clone().unbind() }
    }

    /// The state after these moves, in text, which are checked.
    fn state_after(slf: &Bound<'_, Self>, moves: Vec<String>) -> PyResult<State> {
        let mut state = Self::new_initial_state(slf);
        state.play_all(&moves)?;
        Ok(state)
    }

    fn deserialize_state(slf: &Bound<'_, Self>, text: &str) -> PyResult<State> {
        let game = slf.get();
        let malformed = |why: &str| errors::input(InputError::malformed("state", text, why));
        let mut lines = text.lines();
        let spec = lines.next().unwrap_or_default();
        if spec != game.rules.spec() {
            return Err(malformed(&format!("expected a state of {}", game.rules.spec())));
        }
        let start = lines.next().ok_or_else(|| malformed("expected three lines: the game, the start, the moves"))?;
        if start != game.rules.start_text().unwrap_or_default() {
            return Err(malformed("its game began with another position than this one does"));
        }
        let moves = lines.next().unwrap_or_default().split_whitespace().map(str::to_owned).collect();
        Self::state_after(slf, moves)
    }

    fn __str__(&self) -> String {
        self.rules.spec()
    }

    fn __repr__(&self) -> String {
        format!("<plyground.Game {}>", self.rules.spec())
    }

    fn __eq__(&self, other: &Self) -> bool {
        let key =
            |game: &Self| (game.rules.spec(), game.rules.start_text().map(str::to_owned), game.rules.encoder_name().to_owned());
        key(self) == key(other)
    }

    fn __hash__(&self) -> u64 {
        plyground_core::hash_state(&self.rules.spec())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let module = py.import("plyground._restore")?;
        if let Some(source) = &self.source {
            return Ok((module.getattr("own_game")?, PyTuple::new(py, [source.bind(py)])?));
        }
        let arguments = (self.rules.spec(), self.start(), self.encoder());
        Ok((module.getattr("game")?, arguments.into_pyobject(py)?))
    }
}

/// Opens a game of the list.
#[pyfunction]
#[pyo3(signature = (spec, position=None, encoder=None))]
pub(crate) fn open_game(spec: &str, position: Option<&str>, encoder: Option<&str>) -> PyResult<PyGame> {
    Ok(PyGame { rules: rules::open(spec, position, encoder).map_err(errors::input)?, source: None, failure: None })
}

/// The names of the games of the list.
#[pyfunction]
pub(crate) fn registered_names() -> Vec<&'static str> {
    plyground_games::infos().into_iter().map(|info| info.name).collect()
}

/// A position of a game, with how it came about.
#[pyclass(name = "State", module = "plyground._core")]
pub(crate) struct State {
    pub position: Box<dyn Position>,
    pub game: Py<PyGame>,
}

impl State {
    pub fn play_all(&mut self, moves: &[String]) -> PyResult<()> {
        for text in moves {
            let action = self.position.parse_action(text).map_err(errors::input)?;
            self.apply(action)?;
        }
        Ok(())
    }

    /// Plays an action; rules that raise an exception leave everything as it was.
    fn apply(&mut self, action: u32) -> PyResult<()> {
        self.position.apply(action).map_err(errors::input)?;
        checked(&self.game, ()).inspect_err(|_| {
            self.position.undo();
        })
    }

    fn rules(&self) -> &Arc<dyn Rules> {
        &self.game.get().rules
    }

    fn utilities(&self) -> [f64; 2] {
        match self.position.turn() {
            Turn::Over(outcome) => {
                let value = f64::from(outcome.value());
                // Minus zero looks odd.
                [value, 0.0 - value]
            }
            Turn::Player(_) | Turn::Chance => [0.0, 0.0],
        }
    }
}

pub(crate) fn player_number(turn: Turn) -> i32 {
    match turn {
        Turn::Player(player) => player.index() as i32,
        Turn::Chance => CHANCE,
        Turn::Over(_) => TERMINAL,
    }
}

fn player(number: i32) -> PyResult<Player> {
    let found = usize::try_from(number).ok().and_then(|number| Player::BOTH.get(number).copied());
    found.ok_or_else(|| errors::bad(format!("expected player 0 or 1, found {number}")))
}

#[pymethods]
impl State {
    fn get_game(&self, py: Python<'_>) -> Py<PyGame> {
        self.game.clone_ref(py)
    }

    fn current_player(&self) -> i32 {
        player_number(self.position.turn())
    }

    fn is_terminal(&self) -> bool {
        matches!(self.position.turn(), Turn::Over(_))
    }

    fn is_chance_node(&self) -> bool {
        self.position.turn() == Turn::Chance
    }

    fn is_player_node(&self) -> bool {
        matches!(self.position.turn(), Turn::Player(_))
    }

    #[pyo3(signature = (player=None))]
    fn legal_actions<'py>(&mut self, py: Python<'py>, player: Option<i32>) -> PyResult<Bound<'py, PyList>> {
        if player.is_some_and(|player| player != self.current_player()) {
            return Ok(PyList::empty(py));
        }
        PyList::new(py, self.position.legal().map_err(errors::input)?)
    }

    #[pyo3(signature = (player=None))]
    fn legal_actions_mask<'py>(&mut self, py: Python<'py>, player: Option<i32>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let turn = self.position.turn();
        let places = if turn == Turn::Chance { self.position.outcomes().len() } else { self.rules().actions() };
        let mut mask = vec![false; places];
        if player.is_none_or(|player| player == player_number(turn)) {
            for action in self.position.legal().map_err(errors::input)? {
                mask[action as usize] = true;
            }
        }
        Ok(PyArray1::from_vec(py, mask))
    }

    fn apply_action(&mut self, action: u32) -> PyResult<()> {
        self.apply(action)
    }

    fn apply_actions(&mut self, actions: Vec<u32>) -> PyResult<()> {
        actions.into_iter().try_for_each(|action| self.apply(action))
    }

    /// Plays a move or an outcome of chance that is written as text.
    fn play(&mut self, text: &str) -> PyResult<()> {
        self.play_all(&[text.to_owned()])
    }

    /// Takes back the last move; OpenSpiel wants to be told which one it was, and it is checked.
    #[pyo3(signature = (player=None, action=None))]
    fn undo_action(&mut self, player: Option<i32>, action: Option<u32>) -> PyResult<()> {
        let Some(&(turn, last)) = self.position.history().last() else {
            return Err(errors::bad("expected a state with a move to take back, found one at the start"));
        };
        let was = player_number(turn);
        if player.is_some_and(|player| player != was) || action.is_some_and(|action| action != last) {
            return Err(errors::bad(format!("the last action was {last} of player {was}")));
        }
        self.position.undo();
        Ok(())
    }

    fn child(&self, py: Python<'_>, action: u32) -> PyResult<Self> {
        let mut child = self.__copy__(py);
        child.apply_action(action)?;
        Ok(child)
    }

    fn clone(&self, py: Python<'_>) -> Self {
        self.__copy__(py)
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        Self { position: self.position.copy(), game: self.game.clone_ref(py) }
    }

    #[pyo3(signature = (memo))]
    fn __deepcopy__(&self, py: Python<'_>, memo: &Bound<'_, PyDict>) -> Self {
        let _ = memo;
        self.__copy__(py)
    }

    fn chance_outcomes(&self) -> Vec<(u32, f64)> {
        self.position.outcomes()
    }

    fn returns(&self) -> Vec<f64> {
        self.utilities().to_vec()
    }

    fn rewards(&self) -> Vec<f64> {
        self.utilities().to_vec()
    }

    fn player_return(&self, number: i32) -> PyResult<f64> {
        Ok(self.utilities()[player(number)?.index()])
    }

    fn player_reward(&self, number: i32) -> PyResult<f64> {
        self.player_return(number)
    }

    /// The points of both players, in games with points.
    fn points(&self) -> Option<(i32, i32)> {
        self.position.points().map(Into::into)
    }

    /// Why the game ended, in words; empty while it goes on.
    fn why_over(&self) -> String {
        self.position.why_over()
    }

    #[pyo3(signature = (number=None))]
    fn observation_tensor<'py>(&self, py: Python<'py>, number: Option<i32>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        number.map(player).transpose()?;
        let mut planes = Vec::new();
        self.position.encode(&mut planes);
        checked(&self.game, ())?;
        PyArray1::from_vec(py, planes).reshape(self.rules().shape())
    }

    #[pyo3(signature = (number=None))]
    fn observation_string(&self, number: Option<i32>) -> PyResult<String> {
        number.map(player).transpose()?;
        Ok(self.position.text())
    }

    /// What a player knows: everything, so it is the game so far.
    #[pyo3(signature = (number=None))]
    fn information_state_string(&self, number: Option<i32>) -> PyResult<String> {
        number.map(player).transpose()?;
        let start = self.rules().start_text().map(|start| format!("{start};")).unwrap_or_default();
        Ok(format!("{start}{}", self.position.history_text().join(" ")))
    }

    /// An action as text; with the player in front of it, as OpenSpiel has it, the player has to be the one to move.
    #[pyo3(signature = (first, second=None))]
    fn action_to_string(&mut self, first: i64, second: Option<u32>) -> PyResult<String> {
        let action = match second {
            Some(action) if first == i64::from(self.current_player()) => action,
            Some(_) => return Err(errors::bad(format!("player {first} is not to move; expected {}", self.current_player()))),
            None => u32::try_from(first).map_err(|_| errors::bad(format!("expected an action, found {first}")))?,
        };
        self.position.action_text(action).map_err(errors::input)
    }

    /// The action of a text; with the player in front of it, as OpenSpiel has it.
    #[pyo3(signature = (first, second=None))]
    fn string_to_action(&mut self, first: &Bound<'_, PyAny>, second: Option<&str>) -> PyResult<u32> {
        let text = if let Some(text) = second { text.to_owned() } else { first.extract()? };
        self.position.parse_action(&text).map_err(errors::input)
    }

    /// The actions so far, those of chance among them.
    fn history(&self) -> Vec<u32> {
        self.position.history().into_iter().map(|(_, action)| action).collect()
    }

    fn full_history(&self) -> Vec<(i32, u32)> {
        self.position.history().into_iter().map(|(turn, action)| (player_number(turn), action)).collect()
    }

    fn history_str(&self) -> String {
        self.position.history_text().join(" ")
    }

    /// The moves so far as text.
    fn moves(&self) -> Vec<String> {
        self.position.history_text()
    }

    fn move_number(&self) -> usize {
        self.position.move_number()
    }

    #[staticmethod]
    fn num_players() -> usize {
        2
    }

    fn num_distinct_actions(&self) -> usize {
        self.rules().actions()
    }

    /// The position in the notation of the game.
    #[getter]
    fn position(&self) -> String {
        self.position.text()
    }

    fn serialize(&self) -> String {
        let rules = self.rules();
        let moves = self.position.history_text().join(" ");
        format!("{}\n{}\n{moves}\n", rules.spec(), rules.start_text().unwrap_or_default())
    }

    #[pyo3(name = "to_string")]
    fn drawn(&self) -> String {
        self.__str__()
    }

    /// The board as the terminal draws it, without colours.
    fn __str__(&self) -> String {
        let view = self.position.view();
        let board = draw_board(&view, &self.position.last_move()) + &draw_counters(&view, self.rules().info().players);
        let turn = match self.position.turn() {
            Turn::Player(player) => format!("{} is to move", self.rules().info().players[player.index()]),
            Turn::Chance => "chance is to move".to_owned(),
            Turn::Over(outcome) => format!("over: {}. {}", outcome.word(), self.position.why_over()),
        };
        without_colours(&board) + turn.trim_end()
    }

    fn __repr__(&self) -> String {
        format!("<plyground.State of {}: {}>", self.rules().spec(), self.position.text())
    }

    /// The board as the app draws it.
    fn _repr_svg_(&self) -> String {
        svg::draw(self.rules().info(), &self.position.view(), &self.position.last_move())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.rules().spec() == other.rules().spec() && self.position.text() == other.position.text()
    }

    fn __hash__(&self) -> u64 {
        self.position.hash()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("plyground._restore")?.getattr("state")?;
        Ok((restore, (self.game.clone_ref(py), self.position.history_text()).into_pyobject(py)?))
    }
}

/// The text without the sequences that colour it.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('\u{1b}') {
        plain.push_str(&rest[..start]);
        rest = rest[start..].split_once('m').map_or("", |(_, after)| after);
    }
    plain + rest
}
