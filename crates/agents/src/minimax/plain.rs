//! Minimax to a fixed depth, without any pruning: the definition that faster searches are held to.

use plyground_core::{
    Agent, AgentError, Budget, Candidate, Choice, Evaluated, Evaluator, Fact, Game, InputError, KeyInfo, Opinion, Params, Player,
    Resources, SearchRequest, Turn, WIN_SCORE, sort_moves,
};

use super::expected;
use super::settings::{CHANCE, COUNTED, ENDS, EVAL, plies_more};
use crate::futures::{ChanceMode, Futures};
use crate::{AgentInfo, NODES, TIME, evaluator, limit_checker::LimitChecker};

pub(crate) const INFO: AgentInfo = AgentInfo {
    name: "minimax",
    summary: "looks at every line of play to a fixed depth, averaging over chance; no pruning",
    keys: &[
        KeyInfo {
            key: "depth",
            value: "PLIES",
            default: "2, or as deep as time or nodes allow",
            meaning: "moves of the players looked ahead (chance events come on top)",
        },
        COUNTED,
        NODES,
        TIME,
        EVAL,
        CHANCE,
        ENDS,
    ],
    evaluates: true,
};

const DEFAULT_DEPTH: u32 = 2;

pub(crate) fn build<G: Evaluated>(game: &G, params: &Params, _: &dyn Resources) -> Result<Minimax<G::Evaluator>, InputError> {
    Minimax::new(params, evaluator(game, params)?)
}

/// Plain minimax; at chance events the average (expectiminimax, Michie 1966), if they are not ignored or drawn.
#[derive(Clone, Debug)]
pub struct Minimax<E> {
    evaluator: E,
    chance: ChanceMode,
    /// Are finished games judged by the evaluator?
    judges_ends: bool,
    /// Plies looked ahead beyond the depth that the budget names: 1 where it is counted from the positions behind the moves.
    plies_more: u32,
}

impl<E> Minimax<E> {
    /// The agent with these keys, with any evaluator.
    pub fn new(params: &Params, evaluator: E) -> Result<Self, InputError> {
        let judges_ends = params.choice("ends", &["result", "eval"])? == 1;
        Ok(Self { evaluator, chance: ChanceMode::read(params)?, judges_ends, plies_more: plies_more(params)? })
    }
}

struct RootMove<M> {
    mv: M,
    /// In the first player's view.
    score: f32,
    line: Vec<M>,
}

impl<G: Game, E: Evaluator<G>> Agent<G> for Minimax<E> {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        let mover = request.mover()?;
        let SearchRequest { game, state, budget, rng, observer } = request;
        let limits = budget.limits;
        let open_ended = limits.time.is_some() || limits.nodes.is_some();
        let deepest = limits.depth.unwrap_or(if open_ended { u32::MAX } else { DEFAULT_DEPTH }).saturating_add(self.plies_more);
        // With only a depth to reach, there is no use in searching shallower first.
        let mut depth = if open_ended { 1 } else { deepest };
        // Equal moves are chosen by the seed.
        let mut moves = Vec::new();
        game.moves(state, &mut moves);
        rng.shuffle(&mut moves);
        self.evaluator.side_with(mover);
        let futures = Futures::new(self.chance, rng);
        let mut search = Search {
            game,
            evaluator: &self.evaluator,
            checker: LimitChecker::new(&budget, observer, limits.nodes, 1_024),
            futures,
            judges_ends: self.judges_ends,
            cut_off: false,
        };
        let mut best = search.root(state, &moves, depth);
        let mut reached = depth;
        while search.cut_off && depth < deepest && !search.checker.stopped() {
            depth += 1;
            search.cut_off = false;
            let deeper = search.root(state, &moves, depth);
            // A search that was stopped in the middle knows less than the one before.
            if search.checker.stopped() {
                break;
            }
            (best, reached) = (deeper, depth);
        }
        let nodes = search.checker.steps;
        let choice = self.explain(&best, mover, reached, nodes, &budget);
        Ok(Choice { principal_variation: futures.written(game, state, &choice.principal_variation), ..choice })
    }
}

impl<E> Minimax<E> {
    fn explain<G: Game>(
        &self,
        moves: &[RootMove<G::Move>],
        mover: Player,
        depth: u32,
        nodes: u64,
        budget: &Budget<'_>,
    ) -> Choice<G>
    where
        E: Evaluator<G>,
    {
        let value = |score: f32| expected(&self.evaluator, score, mover);
        // Stable: of equals the first in the shuffled order stays first (and 0 and -0 are equal).
        let mut moves: Vec<&RootMove<G::Move>> = moves.iter().collect();
        sort_moves(&mut moves, |a, b| (b.score * mover.sign() + 0.0).total_cmp(&(a.score * mover.sign() + 0.0)));
        let best = moves[0];
        let candidate = |mv: &&RootMove<G::Move>| Candidate { mv: mv.mv, visits: 0, value: Some(value(mv.score)) };
        Choice {
            value: Some(value(best.score)),
            principal_variation: best.line.clone(),
            candidates: moves.iter().map(candidate).collect(),
            nodes,
            depth: Some(depth),
            facts: vec![Fact { name: "score", value: f64::from(best.score * mover.sign()) }],
            elapsed: budget.clock.elapsed(),
            ..Choice::bare(best.mv)
        }
    }
}

struct Search<'a, 'b, 'c, G: Game, E> {
    game: &'a G,
    evaluator: &'a E,
    checker: LimitChecker<'b, 'c, G::Move>,
    futures: Futures,
    judges_ends: bool,
    /// Was a position judged before its end?
    cut_off: bool,
}

impl<G: Game, E: Evaluator<G>> Search<'_, '_, '_, G, E> {
    /// The scores of the root moves. When stopped in the middle, the moves not yet looked at count as lost.
    fn root(&mut self, state: &G::State, moves: &[G::Move], depth: u32) -> Vec<RootMove<G::Move>> {
        let Turn::Player(mover) = self.game.turn(state) else {
            return Vec::new();
        };
        let mut scored: Vec<RootMove<G::Move>> = Vec::new();
        for &mv in moves {
            if self.checker.stopped() && !scored.is_empty() {
                scored.push(RootMove { mv, score: -WIN_SCORE * mover.sign(), line: vec![mv] });
                continue;
            }
            let mut child = state.clone();
            self.futures.play(self.game, &mut child, mv);
            let mut line = Vec::new();
            let score = self.score(&child, depth - 1, 1, &mut line);
            line.insert(0, mv);
            scored.push(RootMove { mv, score, line });
        }
        scored
    }

    /// The score of a position in the first player's view, and the line of play behind it (up to the first chance event).
    fn score(&mut self, state: &G::State, depth: u32, ply: u32, line: &mut Vec<G::Move>) -> f32 {
        line.clear();
        self.checker.step(Opinion::default);
        match self.game.turn(state) {
            Turn::Over(_) if self.judges_ends => self.evaluator.score(self.game, state),
            // Shorter wins and longer losses are better.
            Turn::Over(outcome) => outcome.value() * (WIN_SCORE - ply as f32),
            Turn::Chance => self.average(state, depth, ply),
            Turn::Player(_) if depth == 0 || self.checker.stopped() => {
                self.cut_off = true;
                self.evaluator.score(self.game, state)
            }
            Turn::Player(player) => self.best(state, player, depth, ply, line),
        }
    }

    fn best(&mut self, state: &G::State, player: Player, depth: u32, ply: u32, line: &mut Vec<G::Move>) -> f32 {
        let mut moves = Vec::new();
        self.game.moves(state, &mut moves);
        let mut best = f32::NEG_INFINITY;
        let mut reply = Vec::new();
        for mv in moves {
            let mut child = state.clone();
            self.futures.play(self.game, &mut child, mv);
            let score = self.score(&child, depth - 1, ply + 1, &mut reply) * player.sign();
            if score > best {
                best = score;
                line.clear();
                line.push(mv);
                line.append(&mut reply);
            }
        }
        best * player.sign()
    }

    fn average(&mut self, state: &G::State, depth: u32, ply: u32) -> f32 {
        let mut outcomes = Vec::new();
        self.game.chance(state, &mut outcomes);
        let mut line = Vec::new();
        let weighted = outcomes.iter().map(|&(outcome, probability)| {
            let mut child = state.clone();
            self.game.play(&mut child, outcome);
            probability * f64::from(self.score(&child, depth, ply, &mut line))
        });
        weighted.sum::<f64>() as f32
    }
}
