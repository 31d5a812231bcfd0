//! Batches of games that write into arrays of the caller.

use std::sync::Arc;

use numpy::{Element, PyArrayDyn, PyReadonlyArray1, PyReadwriteArray1, PyReadwriteArrayDyn};
use plyground_core::Seed;
use pyo3::prelude::*;

use crate::batch::{Autoreset, Batch, Output};
use crate::errors;
use crate::game::PyGame;

/// The most games of a batch.
const MOST: usize = 1 << 20;

/// So many games of one kind that go on at once.
#[pyclass(name = "Batch", module = "plyground._core")]
pub(crate) struct PyBatch {
    batch: Box<dyn Batch>,
    games: usize,
    planes: usize,
    actions: usize,
}

type Array<'py, T> = Option<Bound<'py, PyArrayDyn<T>>>;

/// The arrays of a call, borrowed until it ends: an array that is written to twice, or read elsewhere meanwhile, is refused.
struct Arrays<'py> {
    planes: Option<PyReadwriteArrayDyn<'py, f32>>,
    masks: Option<PyReadwriteArrayDyn<'py, bool>>,
    players: Option<PyReadwriteArrayDyn<'py, i8>>,
    rewards: Option<PyReadwriteArrayDyn<'py, f32>>,
    terminated: Option<PyReadwriteArrayDyn<'py, bool>>,
}

fn borrowed<'py, T: Element>(array: Array<'py, T>, name: &str) -> PyResult<Option<PyReadwriteArrayDyn<'py, T>>> {
    let borrow = |array: Bound<'py, PyArrayDyn<T>>| array.try_into_readwrite(name);
    array.map(borrow).transpose()
}

/// Borrows an array for writing.
trait Borrow<'py, T: Element> {
    fn try_into_readwrite(self, name: &str) -> PyResult<PyReadwriteArrayDyn<'py, T>>;
}

impl<'py, T: Element> Borrow<'py, T> for Bound<'py, PyArrayDyn<T>> {
    fn try_into_readwrite(self, name: &str) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
        numpy::PyArrayMethods::try_readwrite(&self)
            .map_err(|error| errors::bad(format!("the array for {name} cannot be written to: {error}")))
    }
}

fn slice<'a, T: Element>(
    array: &'a mut Option<PyReadwriteArrayDyn<'_, T>>,
    length: usize,
    name: &str,
) -> PyResult<Option<&'a mut [T]>> {
    let Some(array) = array else { return Ok(None) };
    let written = array.as_slice_mut().map_err(|_| errors::bad(format!("expected a contiguous array for {name}")))?;
    if written.len() == length {
        Ok(Some(written))
    } else {
        Err(errors::bad(format!("expected {length} numbers in the array for {name}, found {}", written.len())))
    }
}

impl<'py> Arrays<'py> {
    fn new(
        planes: Array<'py, f32>,
        masks: Array<'py, bool>,
        players: Array<'py, i8>,
        rewards: Array<'py, f32>,
        terminated: Array<'py, bool>,
    ) -> PyResult<Self> {
        Ok(Self {
            planes: borrowed(planes, "planes")?,
            masks: borrowed(masks, "masks")?,
            players: borrowed(players, "players")?,
            rewards: borrowed(rewards, "rewards")?,
            terminated: borrowed(terminated, "terminated")?,
        })
    }

    fn output(&mut self, games: usize, planes: usize, actions: usize) -> PyResult<Output<'_>> {
        Ok(Output {
            planes: slice(&mut self.planes, games * planes, "planes")?,
            masks: slice(&mut self.masks, games * actions, "masks")?,
            players: slice(&mut self.players, games, "players")?,
            rewards: slice(&mut self.rewards, 2 * games, "rewards")?,
            terminated: slice(&mut self.terminated, games, "terminated")?,
        })
    }
}

#[pymethods]
impl PyBatch {
    #[new]
    fn new(game: &Bound<'_, PyGame>, games: usize, seed: u64, threads: usize) -> PyResult<Self> {
        if !(1..=MOST).contains(&games) {
            return Err(errors::bad(format!("expected 1 to {MOST} games, found {games}")));
        }
        let rules = &game.get().rules;
        let batch = Arc::clone(rules).batch(games, Seed(seed), threads.clamp(1, 256)).map_err(errors::input)?;
        Ok(Self { batch, games, planes: rules.shape().iter().product(), actions: rules.actions() })
    }

    #[pyo3(signature = (seed, which, planes, masks, players, rewards, terminated))]
    #[expect(clippy::too_many_arguments, reason = "the arrays of a step, as Python hands them over")]
    fn reset(
        &mut self,
        py: Python<'_>,
        seed: Option<u64>,
        which: Option<PyReadonlyArray1<'_, bool>>,
        planes: Array<'_, f32>,
        masks: Array<'_, bool>,
        players: Array<'_, i8>,
        rewards: Array<'_, f32>,
        terminated: Array<'_, bool>,
    ) -> PyResult<()> {
        let mut arrays = Arrays::new(planes, masks, players, rewards, terminated)?;
        let output = arrays.output(self.games, self.planes, self.actions)?;
        let which = which.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        if let Some(which) = which.filter(|which| which.len() != self.games) {
            return Err(errors::bad(format!("expected a mark for each of {} games, found {}", self.games, which.len())));
        }
        let batch = &mut self.batch;
        py.detach(|| batch.reset(seed.map(Seed), which, output));
        Ok(())
    }

    #[pyo3(signature = (actions, autoreset, planes, masks, players, rewards, terminated))]
    #[expect(clippy::too_many_arguments, reason = "the arrays of a step, as Python hands them over")]
    fn step(
        &mut self,
        py: Python<'_>,
        actions: PyReadonlyArray1<'_, i64>,
        autoreset: &str,
        planes: Array<'_, f32>,
        masks: Array<'_, bool>,
        players: Array<'_, i8>,
        rewards: Array<'_, f32>,
        terminated: Array<'_, bool>,
    ) -> PyResult<()> {
        let autoreset = Autoreset::parse(autoreset).map_err(errors::input)?;
        let mut arrays = Arrays::new(planes, masks, players, rewards, terminated)?;
        let output = arrays.output(self.games, self.planes, self.actions)?;
        let actions = actions.as_slice()?;
        if actions.len() != self.games {
            return Err(errors::bad(format!("expected an action for each of {} games, found {}", self.games, actions.len())));
        }
        let batch = &mut self.batch;
        py.detach(|| batch.step(actions, autoreset, output)).map_err(errors::input)
    }

    fn random_actions(&mut self, mut actions: PyReadwriteArray1<'_, i64>) -> PyResult<()> {
        let actions = actions.as_slice_mut()?;
        if actions.len() != self.games {
            return Err(errors::bad(format!("expected room for {} actions, found {}", self.games, actions.len())));
        }
        self.batch.random_actions(actions);
        Ok(())
    }

    fn position(&self, number: usize) -> PyResult<String> {
        if number < self.games {
            Ok(self.batch.position(number))
        } else {
            Err(errors::bad(format!("expected the number of a game below {}, found {number}", self.games)))
        }
    }
}
