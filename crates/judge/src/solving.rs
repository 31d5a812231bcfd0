//! The exact values of positions, by the solver.

use std::ops::ControlFlow;

use plyground_core::{ExactSolver, GameValue, PlayableGame, Player, StopCheck};

use crate::listing::{Graph, Next, random_position};
use crate::settings::JudgeSettings;
use crate::watch::{JudgeStage, JudgeWatch, Stopped, report_progress};

/// The exact value of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Truth {
    /// The player to move.
    pub mover: Player,
    /// The value for the player to move.
    pub value: GameValue,
    /// The length of a won or lost game with best play; known where all positions were listed.
    pub plies: Option<u32>,
    /// Is there a move that is not a best move?
    pub can_err: bool,
    /// The probability that a random game visits the position; where positions were drawn from random games, 1.
    pub reach: f64,
}

impl Truth {
    /// The truth of a position whose moves lead to these values for the player to move.
    fn new(mover: Player, after: &[GameValue]) -> Self {
        let value = after.iter().copied().max().unwrap_or(GameValue::Loss);
        let can_err = after.iter().any(|&after| after < value);
        Self { mover, value, plies: None, can_err, reach: 1.0 }
    }
}

/// A position that the solver has not finished after so many steps is left out of a sample.
const PATIENCE: u64 = 1_000_000;

/// A stop check for the solver: the watch, a limit of steps and a time limit.
struct SolverStop<'a, 'b> {
    watch: &'a mut JudgeWatch<'b>,
    done: u64,
    of: u64,
    stopped: bool,
    /// The count of steps at which the solver gives up, and the time.
    last: u64,
    late: &'a dyn Fn() -> bool,
}

impl StopCheck for SolverStop<'_, '_> {
    fn check(&mut self, nodes: u64) -> ControlFlow<()> {
        self.stopped |= (self.watch)(JudgeStage::Solving, self.done, self.of).is_break();
        if self.stopped || nodes > self.last || (self.late)() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The values of all positions of a game graph, each for the player to move.
fn graph_values<G: PlayableGame>(
    game: &G,
    graph: &Graph<G::State>,
    solver: &mut dyn ExactSolver<G>,
    watch: &mut JudgeWatch<'_>,
) -> Result<Vec<GameValue>, Stopped> {
    let count = graph.states.len();
    let mut values = vec![GameValue::Loss; count];
    // Positions near the end come first: the solver finds the others in its transposition table.
    let from_the_end: Vec<u32> = graph.order.clone().unwrap_or_else(|| (0..count as u32).rev().collect());
    for (solved, &number) in from_the_end.iter().enumerate() {
        report_progress(watch, JudgeStage::Solving, solved, count)?;
        let mut stop =
            SolverStop { watch, done: solved as u64, of: count as u64, stopped: false, last: u64::MAX, late: &|| false };
        let value = solver.value(game, &graph.states[number as usize], &mut stop);
        values[number as usize] = value.ok_or(Stopped)?;
    }
    Ok(values)
}

/// A game graph with the exact values of its positions.
pub(crate) struct SolvedGraph<'a, S> {
    pub graph: &'a Graph<S>,
    /// By position, its value for the player to move.
    values: Vec<GameValue>,
    pub truths: Vec<Truth>,
}

impl<'a, S> SolvedGraph<'a, S> {
    /// The graph, solved.
    pub fn new<G: PlayableGame<State = S>>(
        game: &G,
        graph: &'a Graph<S>,
        solver: &mut dyn ExactSolver<G>,
        watch: &mut JudgeWatch<'_>,
    ) -> Result<Self, Stopped> {
        let values = graph_values(game, graph, solver, watch)?;
        let mut solved = Self { graph, values, truths: Vec::new() };
        solved.truths = (0..graph.states.len()).map(|number| Truth::new(graph.movers[number], &solved.after(number))).collect();
        if let Some(order) = &graph.order {
            graph.measure(order, &mut solved.truths);
        }
        Ok(solved)
    }

    /// The values of a position's successors for the player who moves there, in the order of the moves.
    pub fn after(&self, number: usize) -> Vec<GameValue> {
        let mover = self.graph.movers[number];
        let value = |next: &Next| match *next {
            Next::End(outcome) => GameValue::of(outcome, mover),
            // Not every game lets the players move in turn.
            Next::Position(child) if self.graph.movers[child as usize] == mover => self.values[child as usize],
            Next::Position(child) => self.values[child as usize].opposite(),
        };
        self.graph.next[number].iter().map(value).collect()
    }
}

impl<S> Graph<S> {
    /// Sets the lengths of decided games, and the probabilities that random games visit the positions.
    fn measure(&self, order: &[u32], truths: &mut [Truth]) {
        for &number in order {
            let Truth { mover, value, .. } = truths[number as usize];
            let winner = match value {
                GameValue::Win => mover,
                GameValue::Loss => mover.other(),
                GameValue::Draw => continue,
            };
            let length = |next: &Next| match *next {
                Next::End(outcome) => (outcome.winner == Some(winner)).then_some(1),
                Next::Position(child) => {
                    let child = &truths[child as usize];
                    let wins = if child.mover == winner { GameValue::Win } else { GameValue::Loss };
                    child.plies.filter(|_| child.value == wins).map(|plies| plies + 1)
                }
            };
            let lengths = self.next[number as usize].iter().filter_map(length);
            // The winner takes the fastest way, the loser the slowest.
            truths[number as usize].plies = if winner == mover { lengths.min() } else { lengths.max() };
        }
        for truth in truths.iter_mut() {
            truth.reach = 0.0;
        }
        truths[0].reach = 1.0;
        for &number in order.iter().rev() {
            let next = &self.next[number as usize];
            let share = truths[number as usize].reach / next.len() as f64;
            for next in next {
                if let Next::Position(child) = next {
                    truths[*child as usize].reach += share;
                }
            }
        }
    }

    /// The points that the first player takes on the average, if each player chooses one of these moves, all as likely.
    pub fn score(&self, order: &[u32], choices: [&Vec<Box<[u32]>>; 2]) -> f64 {
        let mut scores = vec![0.0; self.states.len()];
        for &number in order {
            let number = number as usize;
            let chosen = &choices[self.movers[number].index()][number];
            let points = chosen.iter().map(|&mv| match self.next[number][mv as usize] {
                Next::End(outcome) => f64::from(outcome.reward(Player::First)),
                Next::Position(child) => scores[child as usize],
            });
            scores[number] = points.sum::<f64>() / chosen.len() as f64;
        }
        scores[0]
    }
}

/// Positions of random games with their exact values.
pub(crate) struct SolvedSample<S> {
    /// The positions, each with the values of its successors for the player who moves there.
    pub positions: Vec<(S, Vec<GameValue>)>,
    pub truths: Vec<Truth>,
    /// Positions that the solver gave up.
    pub given_up: usize,
}

/// A sample of positions, as many as can be solved in the time.
pub(crate) fn solve_sample<G: PlayableGame>(
    game: &G,
    start: &G::State,
    solver: &mut dyn ExactSolver<G>,
    settings: &JudgeSettings<'_>,
    watch: &mut JudgeWatch<'_>,
) -> Result<SolvedSample<G::State>, Stopped> {
    let mut sample = SolvedSample { positions: Vec::new(), truths: Vec::new(), given_up: 0 };
    let mut moves = Vec::new();
    let clock = (settings.clock)();
    let late = || clock.elapsed() > settings.time;
    for number in 0..settings.sample {
        report_progress(watch, JudgeStage::Solving, number, settings.sample)?;
        let Some((state, mover)) = random_position(game, start, settings.seed.named("position").numbered(number as u64)) else {
            break;
        };
        game.moves(&state, &mut moves);
        let last = solver.nodes() + PATIENCE;
        let mut stop = SolverStop { watch, done: number as u64, of: settings.sample as u64, stopped: false, last, late: &late };
        let mut value = |&mv: &G::Move| {
            let mut child = state.clone();
            game.play(&mut child, mv);
            GameValue::of_position(game, &child, mover, |state| solver.value(game, state, &mut stop))
        };
        let after: Option<Vec<GameValue>> = moves.iter().map(&mut value).collect();
        if stop.stopped {
            return Err(Stopped);
        }
        // A position that was not finished for lack of time does not count as given up.
        if late() && after.is_none() {
            break;
        }
        match after {
            Some(after) => {
                sample.truths.push(Truth::new(mover, &after));
                sample.positions.push((state, after));
            }
            None => sample.given_up += 1,
        }
        if late() {
            break;
        }
    }
    Ok(sample)
}
