//! `solve`: plays perfectly where it can solve the position in its time, and sensibly where it cannot.

use std::ops::ControlFlow;

use plyground_core::{
    Agent, AgentError, Budget, Candidate, Choice, Fact, Heuristics, InputError, KeyInfo, Limits, Opinion, Params, Progress,
    Pulse, Rng, Shelf, Thought, Unwatched, Watcher, Worth,
};

use super::{
    solver::{Method, Solution, Solver},
    table::Bounds,
    tablebase::Tablebase,
};
use crate::{AgentInfo, Minimax, NODES, TABLEBASE, TIME};

pub(crate) const INFO: AgentInfo = AgentInfo {
    name: "solve",
    summary: "exact: plays perfectly once it has solved the position; until then, what a short look-ahead likes best",
    keys: &[
        KeyInfo {
            key: "method",
            value: "auto|alphabeta|dfpn",
            default: "auto",
            meaning: "alpha-beta or proof-number search; auto takes the game's own solver where it has one",
        },
        KeyInfo { key: "memory", value: "MB", default: "256", meaning: "the size of its table" },
        TABLEBASE,
        KeyInfo {
            key: "regions",
            value: "FILE",
            default: "",
            meaning: "values of small regions that ply regions has written, for a game whose own solver uses them",
        },
        KeyInfo { default: "5000000, or until time is used up", ..NODES },
        TIME,
    ],
    evaluates: false,
};

const DEFAULT_NODES: u64 = 5_000_000;
/// The look-ahead that chooses a move in case the position is not solved: its positions, and its part of the time.
const LOOK_AHEAD: u64 = 20_000;
const LOOK_AHEAD_PART: u32 = 10;

pub(crate) fn build<G: Heuristics>(game: &G, params: &Params, shelf: &dyn Shelf) -> Result<Solve<G>, InputError> {
    let method = Method::ALL[params.choice("method", &Method::WORDS)?];
    let memory = params.number("memory", 1..=1_000_000)?.unwrap_or(256_usize).saturating_mul(1_000_000);
    let read = |name: &str| Tablebase::from_bytes(&shelf.read(name)?, game, name);
    let tablebase = params.get("tb").map(read).transpose()?;
    let regions = params.get("regions").map(|name| shelf.read(name)).transpose()?;
    let names: Vec<&str> = G::evaluators().iter().map(|info| info.name).collect();
    let evaluator = game.evaluator(names[0], &Params::default())?;
    let solver = Solver::new(game, method, memory, tablebase, regions.as_deref())?;
    Ok(Solve { solver, look_ahead: Minimax { evaluator } })
}

/// The agent that solves.
pub struct Solve<G: Heuristics> {
    solver: Solver<G>,
    look_ahead: Minimax<G::Evaluator>,
}

/// Lets the watcher look at the solver, and keeps it within the budget.
struct Looking<'a, 'b, G: Heuristics> {
    budget: &'a Budget<'b>,
    watcher: &'a mut dyn Watcher<G::Move>,
    most: Option<u64>,
    before: u64,
    /// What to say before the position is solved.
    opinion: &'a Choice<G>,
}

impl<G: Heuristics> Pulse for Looking<'_, '_, G> {
    fn beat(&mut self, nodes: u64) -> ControlFlow<()> {
        let nodes = nodes.saturating_sub(self.before);
        let by_nodes = self.most.map_or(0.0, |most| nodes as f32 / most as f32);
        let done = by_nodes.max(self.budget.time_used().unwrap_or(0.0)).min(1.0);
        let opinion = || Opinion {
            value: self.opinion.value,
            depth: self.opinion.depth,
            line: self.opinion.principal_variation.clone(),
            candidates: self.opinion.candidates.clone(),
        };
        self.watcher.progress(&Progress { done, nodes, opinion: &opinion })?;
        if done >= 1.0 || self.budget.out_of_time() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<G: Heuristics> Agent<G> for Solve<G> {
    fn choose(&mut self, thought: Thought<'_, G>) -> Result<Choice<G>, AgentError> {
        thought.mover()?;
        let Thought { game, state, budget, rng, watcher } = thought;
        let first = self.first_choice(game, state, &budget, rng)?;
        let open_ended = budget.limits.nodes.is_none() && budget.limits.time.is_none();
        let most = if open_ended { Some(DEFAULT_NODES) } else { budget.limits.nodes };
        let before = self.solver.nodes();
        let mut looking = Looking { budget: &budget, watcher, most, before, opinion: &first };
        let solution = self.solver.solve(game, state, &mut looking);
        Ok(self.explain(game, state, first, &solution, &budget))
    }
}

impl<G: Heuristics> Solve<G> {
    /// What to play if the position is not solved.
    fn first_choice(&mut self, game: &G, state: &G::State, budget: &Budget<'_>, rng: &mut Rng) -> Result<Choice<G>, AgentError> {
        let time = budget.limits.time.map(|time| time / LOOK_AHEAD_PART);
        let nodes = budget.limits.nodes.map_or(LOOK_AHEAD, |nodes| (nodes / u64::from(LOOK_AHEAD_PART)).clamp(1, LOOK_AHEAD));
        let limits = Limits { nodes: Some(nodes), time, depth: None, simulations: None };
        let budget = Budget { limits, clock: budget.clock };
        self.look_ahead.choose(Thought { game, state, budget, rng, watcher: &mut Unwatched })
    }

    fn explain(
        &self,
        game: &G,
        state: &G::State,
        mut choice: Choice<G>,
        solution: &Solution<G>,
        budget: &Budget<'_>,
    ) -> Choice<G> {
        let known = self.solver.moves(game, state);
        choice.nodes += solution.nodes;
        choice.elapsed = budget.clock.elapsed();
        match solution.bounds.exact().zip(solution.best) {
            Some((worth, best)) => perfect(&mut choice, solution, worth, best, &known),
            None => hopeful(&mut choice, &known),
        }
        choice
    }
}

/// The position is solved.
fn perfect<G: Heuristics>(
    choice: &mut Choice<G>,
    solution: &Solution<G>,
    worth: Worth,
    best: G::Move,
    known: &[(G::Move, Bounds)],
) {
    choice.mv = best;
    choice.value = Some(worth.value());
    choice.principal_variation = solution.line.clone();
    choice.depth = Some(solution.plies);
    choice.facts.push(Fact { name: "plies to the end", value: f64::from(solution.plies) });
    if !solution.plies_exact && worth != Worth::Draw {
        choice.notes.push("solved, but a faster win or a slower loss may exist".to_owned());
    }
    let candidate = |&(mv, bounds): &(G::Move, Bounds)| {
        let worth = if mv == best { Some(worth) } else { bounds.exact() };
        Candidate { mv, visits: 0, value: worth.map(Worth::value) }
    };
    choice.candidates = known.iter().map(candidate).collect();
    choice.candidates.sort_by(|a, b| {
        let rank = |candidate: &Candidate<G::Move>| (candidate.mv != best, -candidate.value.unwrap_or(-2.0));
        rank(a).partial_cmp(&rank(b)).expect("values are numbers")
    });
}

/// The position is not solved: the best move of the look-ahead, unless it is known to be worse than another.
fn hopeful<G: Heuristics>(choice: &mut Choice<G>, known: &[(G::Move, Bounds)]) {
    let bounds = |mv: G::Move| known.iter().find(|(other, _)| *other == mv).map_or(Bounds::OPEN, |(_, bounds)| *bounds);
    let rank = |mv: G::Move| (bounds(mv).most, bounds(mv).least);
    // Of equals, the first: candidates come best first.
    let mut best = choice.mv;
    for candidate in &choice.candidates {
        if rank(candidate.mv) > rank(best) {
            best = candidate.mv;
        }
    }
    if best != choice.mv {
        choice.mv = best;
        choice.principal_variation = vec![best];
    }
    choice.notes.push("not solved within its limits: the move is that of a short look-ahead".to_owned());
}
