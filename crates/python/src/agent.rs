//! Agents that are asked for a move.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Duration;

use plyground_core::sync::lock;
use plyground_core::{CancelToken, InputError, Limits, Seed, StopCheck, WallClock};
use plyground_session::{Advice, ProgressObserver, SearchProgress, Seat, Session, SolveOrder};
use pyo3::prelude::*;

use crate::errors;
use crate::game::{PyGame, State, checked};
use crate::interrupt::interruptible;
use crate::resources::LocalResources;

/// A move with what the agent thinks of it.
#[pyclass(module = "plyground._core", frozen, get_all)]
pub(crate) struct Choice {
    action: u32,
    #[pyo3(name = "move")]
    mv: String,
    value: Option<f32>,
    line: Vec<String>,
    candidates: Vec<Py<Candidate>>,
    nodes: u64,
    simulations: u64,
    depth: Option<u32>,
    seconds: f64,
    facts: Vec<(String, f64)>,
    notes: Vec<String>,
}

#[pymethods]
impl Choice {
    /// The share of the points that the mover expects.
    #[getter]
    fn win_chance(&self) -> Option<f32> {
        self.value.map(|value| 0.5 + 0.5 * value)
    }

    fn __repr__(&self) -> String {
        let value = self.value.map(|value| format!(", value {value:+.3}")).unwrap_or_default();
        format!("<plyground.Choice {}{value}, {} simulations, {} nodes>", self.mv, self.simulations, self.nodes)
    }
}

/// One of the moves that an agent has looked at.
#[pyclass(module = "plyground._core", frozen, get_all)]
pub(crate) struct Candidate {
    action: u32,
    #[pyo3(name = "move")]
    mv: String,
    visits: u64,
    value: Option<f32>,
}

#[pymethods]
impl Candidate {
    fn __repr__(&self) -> String {
        let value = self.value.map(|value| format!(", value {value:+.3}")).unwrap_or_default();
        format!("<plyground.Candidate {}, {} visits{value}>", self.mv, self.visits)
    }
}

/// An agent of the list, in a game that it has been asked about.
struct Seated {
    game: Py<PyGame>,
    session: Box<dyn Session>,
    seat: Seat,
}

/// An agent by its spec. It keeps what it has learnt between moves of a game, as agents do.
#[pyclass(name = "Agent", module = "plyground._core", frozen)]
pub(crate) struct PyAgent {
    spec: String,
    seed: u64,
    seated: Mutex<Option<Seated>>,
}

#[pymethods]
impl PyAgent {
    #[new]
    fn new(spec: String, seed: u64) -> Self {
        Self { spec, seed, seated: Mutex::new(None) }
    }

    #[getter]
    fn spec(&self) -> &str {
        &self.spec
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// Forgets the game, and begins the random numbers anew.
    fn restart(&self) {
        *lock(&self.seated) = None;
    }

    /// Chooses a move in a position in which a player is to move. Limits replace those of the spec.
    #[pyo3(signature = (state, *, time=None, sims=None, nodes=None, depth=None))]
    fn choose(
        &self,
        py: Python<'_>,
        state: PyRef<'_, State>,
        time: Option<f64>,
        sims: Option<u64>,
        nodes: Option<u64>,
        depth: Option<u32>,
    ) -> PyResult<Choice> {
        let limits = Limits { simulations: sims, nodes, depth, time: time.map(seconds).transpose()? };
        let moves = state.position.history_text();
        let mut taken = py.detach(|| lock(&self.seated).take());
        if let Some(seated) = &mut taken
            && (!seated.game.bind(py).eq(state.game.bind(py))? || follow(seated.session.as_mut(), &moves).is_err())
        {
            taken = None;
        }
        let mut seated = match taken {
            Some(seated) => seated,
            None => self.sit(py, &state, &moves)?,
        };
        let (session, seat) = (&mut seated.session, seated.seat);
        let thought =
            interruptible(py, |_| Ok(()), |cancel| session.think(seat, limits, &WallClock::start(), &mut Until(cancel)))?;
        let advice = checked(&state.game, thought)?.map_err(errors::agent)?;
        let choice = choice(py, advice, &state)?;
        py.detach(|| *lock(&self.seated) = Some(seated));
        Ok(choice)
    }

    fn __repr__(&self) -> String {
        format!("<plyground.Agent {}>", self.spec)
    }
}

impl PyAgent {
    fn sit(&self, py: Python<'_>, state: &State, moves: &[String]) -> PyResult<Seated> {
        let rules = &state.game.get().rules;
        let (spec, seed) = (&self.spec, Seed(self.seed));
        // Seats may read files, start programs, and ask a game that is written in Python.
        let seated = py.detach(|| {
            let mut session = rules.session()?;
            let seat = session.seat(spec, seed, &LocalResources)?;
            follow(session.as_mut(), moves)?;
            Ok((session, seat))
        });
        let (session, seat) = seated.map_err(errors::input)?;
        Ok(Seated { game: state.game.clone_ref(py), session, seat })
    }
}

pub(crate) fn seconds(seconds: f64) -> PyResult<Duration> {
    let expected = || errors::bad(format!("expected a time in seconds, found {seconds}"));
    Duration::try_from_secs_f64(seconds).map_err(|_| expected())
}

/// Brings a session to the position after these moves, from wherever it is.
pub(crate) fn follow(session: &mut dyn Session, moves: &[String]) -> Result<(), InputError> {
    let common = session.history().iter().zip(moves).take_while(|(played, text)| played.text == **text).count();
    while session.history().len() > common {
        session.undo();
    }
    for text in &moves[common..] {
        session.play(text)?;
    }
    Ok(())
}

fn choice(py: Python<'_>, advice: Advice, state: &State) -> PyResult<Choice> {
    let mut position = state.position.copy();
    let mut action = |text: &str| position.parse_action(text).map_err(errors::input);
    let candidate = |advised: plyground_session::AdvisedMove, action| Candidate {
        action,
        mv: advised.mv,
        visits: advised.visits,
        value: advised.value,
    };
    let chosen = action(&advice.mv)?;
    let candidates = advice
        .candidates
        .into_iter()
        .map(|advised| {
            let action = action(&advised.mv)?;
            Py::new(py, candidate(advised, action))
        })
        .collect::<PyResult<_>>()?;
    Ok(Choice {
        action: chosen,
        mv: advice.mv,
        value: advice.value,
        line: advice.line,
        candidates,
        nodes: advice.nodes,
        simulations: advice.simulations,
        depth: advice.depth,
        seconds: advice.elapsed.as_secs_f64(),
        facts: advice.facts.into_iter().map(|fact| (fact.name.to_owned(), fact.value)).collect(),
        notes: advice.notes,
    })
}

/// Ends a search when its token is cancelled.
struct Until<'a>(&'a CancelToken);

impl Until<'_> {
    fn flow(&self) -> ControlFlow<()> {
        if self.0.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl ProgressObserver for Until<'_> {
    fn progress(&mut self, _: &SearchProgress<'_>) -> ControlFlow<()> {
        self.flow()
    }
}

impl StopCheck for Until<'_> {
    fn check(&mut self, _: u64) -> ControlFlow<()> {
        self.flow()
    }
}

/// What perfect play from a position comes to.
#[pyclass(module = "plyground._core", frozen, get_all)]
pub(crate) struct Solution {
    /// For the player to move: `win`, `draw`, `loss`; none where the time was too short.
    value: Option<&'static str>,
    #[pyo3(name = "move")]
    mv: Option<String>,
    line: Vec<String>,
    plies: u32,
    plies_exact: bool,
    nodes: u64,
}

#[pymethods]
impl Solution {
    fn __repr__(&self) -> String {
        format!("<plyground.Solution {} in {} plies, {} nodes>", self.value.unwrap_or("unknown"), self.plies, self.nodes)
    }
}

/// Solves a position.
#[pyfunction]
#[pyo3(signature = (state, method, memory, time))]
pub(crate) fn solve_state(
    py: Python<'_>,
    state: PyRef<'_, State>,
    method: String,
    memory: usize,
    time: Option<f64>,
) -> PyResult<Solution> {
    let rules = state.game.get().rules.clone();
    let moves = state.position.history_text();
    let time = time.map(seconds).transpose()?;
    let order = SolveOrder { method, memory, tablebase: None, regions: None, keep: 0, strategy: false };
    let solved = interruptible(
        py,
        |_| Ok(()),
        |cancel| {
            let mut session = rules.session()?;
            follow(session.as_mut(), &moves)?;
            let token = time.map_or_else(|| cancel.clone(), |time| cancel.child_for(time));
            session.solve(&order, &LocalResources, &mut Until(&token))
        },
    )?;
    let solved = checked(&state.game, solved)?.map_err(errors::input)?;
    Ok(Solution {
        value: solved.value().map(plyground_core::GameValue::word),
        mv: solved.best,
        line: solved.line,
        plies: solved.plies,
        plies_exact: solved.plies_exact,
        nodes: solved.nodes,
    })
}

/// The number of sequences of so many moves from a position.
#[pyfunction]
pub(crate) fn perft(py: Python<'_>, state: PyRef<'_, State>, depth: u32) -> PyResult<u64> {
    let rules = state.game.get().rules.clone();
    let moves = state.position.history_text();
    let counted = interruptible(
        py,
        |_| Ok(()),
        |_| {
            let mut session = rules.session()?;
            follow(session.as_mut(), &moves)?;
            Ok(session.perft(depth))
        },
    )?;
    checked(&state.game, counted)?.map_err(errors::input)
}
