//! `solve`: plays perfectly where it can solve the position in its time, and sensibly where it cannot.

use std::ops::ControlFlow;

use plyground_core::{
    Agent, AgentError, Budget, Candidate, Choice, Fact, GameValue, InputError, KeyInfo, Limits, NoObserver, Opinion, Params,
    PlayableGame, Progress, Resources, SearchObserver, SearchRequest, StopCheck, sort_moves,
};

use super::{
    solver::{Method, Solution, Solver},
    table::Bounds,
    tablebase::Tablebase,
};
use crate::mcts::uct;
use crate::net::{az, one_ply::NET};
use crate::{AgentInfo, NODES, TABLEBASE, TIME};

pub(crate) const INFO: AgentInfo = AgentInfo {
    name: "solve",
    summary: "exact: plays perfectly once it has solved the position; until then, what a tree search likes best",
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
        KeyInfo {
            meaning: "until it is solved, search with this network (as az does) instead of random games",
            default: "",
            ..NET
        },
        KeyInfo {
            key: "part",
            value: "P",
            default: "0.5",
            meaning: "the part of the time that goes into solving, from 0.01 to 0.99; the rest chooses a move otherwise",
        },
        KeyInfo { default: "5000000, or until time is used up", ..NODES },
        TIME,
    ],
    evaluates: false,
};

const DEFAULT_NODES: u64 = 5_000_000;
/// The part of the time that goes into solving; in the rest a move is chosen in case the position is not solved.
const SOLVING_PART: f32 = 0.5;
/// So many simulated games choose that move where the time is not limited, or so many judgements of a network.
const SIMULATIONS: u64 = 10_000;
const JUDGEMENTS: u64 = 800;
/// So many choose what is said before anything is known.
const FIRST_SIMULATIONS: u64 = 50;

pub(crate) fn build<G: PlayableGame>(game: &G, params: &Params, resources: &dyn Resources) -> Result<Solve<G>, InputError> {
    let method = Method::ALL[params.choice("method", &Method::WORDS)?];
    let memory = params.number("memory", 1..=1_000_000)?.unwrap_or(256_usize).saturating_mul(1_000_000);
    let read = |name: &str| Tablebase::from_bytes(&resources.read(name)?, game, name);
    let tablebase = params.get("tb").map(read).transpose()?;
    let regions = params.get("regions").map(|name| resources.read(name)).transpose()?;
    let solver = Solver::new(game, method, memory, tablebase, regions.as_deref())?;
    let (otherwise, simulations): (Box<dyn Agent<G>>, u64) = match params.get("net") {
        Some(net) => (Box::new(az::build(game, &Params::parse(&format!("net={net}"))?, resources)?), JUDGEMENTS),
        None => (Box::new(uct::build(game, &Params::parse("solver=on")?, resources)?), SIMULATIONS),
    };
    let part = params.number("part", 0.01..=0.99)?.unwrap_or(SOLVING_PART);
    Ok(Solve { solver, part, otherwise, simulations })
}

/// The agent that solves.
pub struct Solve<G: PlayableGame> {
    solver: Solver<G>,
    /// Of the time, for solving.
    part: f32,
    /// Who chooses where the position is not solved in time.
    otherwise: Box<dyn Agent<G>>,
    /// With so many simulations where the time is not limited.
    simulations: u64,
}

/// Lets the observer look at the solver, and keeps it within its part of the budget.
struct Looking<'a, 'b, G: PlayableGame> {
    budget: &'a Budget<'b>,
    observer: &'a mut dyn SearchObserver<G::Move>,
    most: Option<u64>,
    /// Of the time.
    part: f32,
    before: u64,
    /// What to say before the position is solved.
    first: &'a Choice<G>,
    /// Did the observer say stop?
    told: bool,
}

impl<G: PlayableGame> StopCheck for Looking<'_, '_, G> {
    fn check(&mut self, nodes: u64) -> ControlFlow<()> {
        let nodes = nodes.saturating_sub(self.before);
        let by_nodes = self.most.map_or(0.0, |most| nodes as f32 / most as f32);
        let by_time = self.budget.time_used().unwrap_or(0.0);
        let done = by_nodes.max(by_time).min(1.0);
        let opinion = || Opinion {
            value: self.first.value,
            depth: self.first.depth,
            line: self.first.principal_variation.clone(),
            candidates: self.first.candidates.clone(),
        };
        self.told |= self.observer.progress(&Progress { done, nodes, opinion: &opinion }).is_break();
        if self.told || by_nodes >= 1.0 || by_time >= self.part { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<G: PlayableGame> Agent<G> for Solve<G> {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        request.mover()?;
        let SearchRequest { game, state, budget, rng, observer } = request;
        let clock = budget.clock;
        let simulate = |simulations, time| Budget { limits: Limits { simulations, time, ..Limits::default() }, clock };
        let shortest = simulate(Some(FIRST_SIMULATIONS), budget.limits.time);
        let first =
            self.otherwise.choose(SearchRequest { game, state, budget: shortest, rng: &mut *rng, observer: &mut NoObserver })?;
        let open_ended = budget.limits.nodes.is_none() && budget.limits.time.is_none();
        let most = if open_ended { Some(DEFAULT_NODES) } else { budget.limits.nodes };
        let before = self.solver.nodes();
        let mut looking =
            Looking { budget: &budget, observer: &mut *observer, most, part: self.part, before, first: &first, told: false };
        let solution = self.solver.solve(game, state, &mut looking);
        let told = looking.told;
        let known = self.solver.moves(game, state);
        let mut choice = match solution.bounds.exact().zip(solution.best) {
            Some((value, best)) => perfect(&solution, value, best, &known),
            None if told => hopeful(first, &known),
            None => {
                let budget = simulate(budget.limits.time.is_none().then_some(self.simulations), budget.limits.time);
                hopeful(self.otherwise.choose(SearchRequest { game, state, budget, rng, observer })?, &known)
            }
        };
        choice.nodes += solution.nodes;
        choice.elapsed = budget.clock.elapsed();
        Ok(choice)
    }
}

/// The position is solved.
fn perfect<G: PlayableGame>(solution: &Solution<G>, value: GameValue, best: G::Move, known: &[(G::Move, Bounds)]) -> Choice<G> {
    let mut choice = Choice::bare(best);
    choice.value = Some(value.value());
    choice.principal_variation = solution.line.clone();
    choice.depth = Some(solution.plies);
    choice.facts.push(Fact { name: "plies to the end", value: f64::from(solution.plies) });
    if !solution.plies_exact && value != GameValue::Draw {
        choice.notes.push("solved, but a faster win or a slower loss may exist".to_owned());
    }
    let candidate = |&(mv, bounds): &(G::Move, Bounds)| {
        let value = if mv == best { Some(value) } else { bounds.exact() };
        Candidate { mv, visits: 0, value: value.map(GameValue::value) }
    };
    choice.candidates = known.iter().map(candidate).collect();
    sort_moves(&mut choice.candidates, |a, b| {
        let rank = |candidate: &Candidate<G::Move>| (candidate.mv != best, -candidate.value.unwrap_or(-2.0));
        rank(a).partial_cmp(&rank(b)).expect("values are numbers")
    });
    choice
}

/// The position is not solved: the move of the other agent, unless it is known to be worse than another.
fn hopeful<G: PlayableGame>(mut choice: Choice<G>, known: &[(G::Move, Bounds)]) -> Choice<G> {
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
    choice.notes.push("not solved within its limits: the move is that of a tree search".to_owned());
    choice
}
