//! A network alone: the move after which it expects most, as in the Clobber thesis.

use plyground_core::{
    Agent, AgentError, Candidate, Choice, Encodable, InputError, KeyInfo, Opinion, Params, Progress, Resources, Scratch,
    SearchRequest, Turn, Viewpoint, sort_moves,
};

use super::evaluator::NetEvaluator;
use crate::{AgentInfo, catalogue};

/// The key that names the network; shared by all agents with one.
pub const NET: KeyInfo =
    KeyInfo { key: "net", value: "NAME|FILE", default: "the game's own", meaning: "the network: one of ply nets, or a file" };

pub(crate) const INFO: AgentInfo = AgentInfo {
    name: "net",
    summary: "a network without a search: plays the move after which it expects most, or the one that it thinks likeliest",
    keys: &[
        NET,
        KeyInfo {
            key: "by",
            value: "value|policy",
            default: "value",
            meaning: "judge every move by the position it leads to, or all by one look at the position",
        },
        KeyInfo {
            key: "ends",
            value: "rules|network",
            default: "rules",
            meaning: "with by=value: who says what a finished game is worth; the network only where it sees as the first player",
        },
    ],
    evaluates: false,
};

pub(crate) fn build<G: Encodable>(game: &G, params: &Params, resources: &dyn Resources) -> Result<NetAlone<G>, InputError> {
    let by_policy = params.choice("by", &["value", "policy"])? == 1;
    let net = named(game, params, resources, 1)?;
    let ends_judged = params.choice("ends", &["rules", "network"])? == 1;
    if ends_judged && by_policy {
        return Err(InputError::malformed("key", "ends", "with by=policy no move is looked at one ply ahead"));
    }
    if ends_judged && net.encoder().viewpoint() == Viewpoint::Mover {
        return Err(InputError::malformed(
            "key",
            "ends",
            "this network sees as the player to move does, and there is none at the end",
        ));
    }
    Ok(NetAlone { net, by_policy, ends_judged })
}

/// The network that the key `net` names.
pub(crate) fn named<G: Encodable>(
    game: &G,
    params: &Params,
    resources: &dyn Resources,
    at_once: usize,
) -> Result<NetEvaluator<G>, InputError> {
    let name = params
        .get("net")
        .or_else(|| catalogue::entry(&game.spec()).network)
        .ok_or_else(|| InputError::malformed("key", "net", "it is missing: expected a network, net=NAME or net=FILE"))?;
    Ok(NetEvaluator::read(game, name, &resources.read(name)?, at_once)?.1)
}

/// The numbers of ranks from the highest to the lowest; of equals, the first comes first.
pub(crate) fn best_first(ranks: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    sort_moves(&mut order, |&a, &b| ranks[b].total_cmp(&ranks[a]));
    order
}

/// A network without a search.
pub struct NetAlone<G: Encodable> {
    net: NetEvaluator<G>,
    by_policy: bool,
    /// Does the network judge finished games, too?
    ends_judged: bool,
}

impl<G: Encodable> NetAlone<G> {
    /// Plays the move after which the network expects most.
    pub fn by_value(net: NetEvaluator<G>) -> Self {
        Self { net, by_policy: false, ends_judged: false }
    }

    /// Plays the move that the network thinks likeliest.
    pub fn by_policy(net: NetEvaluator<G>) -> Self {
        Self { net, by_policy: true, ends_judged: false }
    }

    /// What the first player can expect after a move, over everything that chance may do.
    fn expect(&mut self, game: &G, state: &G::State, looked: &mut u64) -> f32 {
        match game.turn(state) {
            Turn::Over(outcome) if !self.ends_judged => outcome.value(),
            Turn::Player(_) | Turn::Over(_) => {
                *looked += 1;
                self.net.expect(game, state)
            }
            Turn::Chance => {
                let mut scratch = Scratch::<G::Move>::default();
                game.chance(state, &mut scratch.outcomes);
                let mut sum = 0.0;
                for (outcome, probability) in scratch.outcomes {
                    let mut after = state.clone();
                    game.play(&mut after, outcome);
                    sum += probability as f32 * self.expect(game, &after, looked);
                }
                sum
            }
        }
    }
}

impl<G: Encodable> Agent<G> for NetAlone<G> {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        let mover = request.mover()?;
        let SearchRequest { game, state, budget, observer, .. } = request;
        let (mut moves, mut logits, mut looked) = (Vec::new(), Vec::new(), 1);
        game.moves(state, &mut moves);
        let value = self.net.judge(game, state, &moves, &mut logits) * mover.sign();
        let mut candidates: Vec<Candidate<G::Move>> = Vec::new();
        for (number, &mv) in moves.iter().enumerate() {
            let value = if self.by_policy {
                None
            } else {
                let mut after = state.clone();
                game.play(&mut after, mv);
                Some(self.expect(game, &after, &mut looked) * mover.sign())
            };
            candidates.push(Candidate { mv, visits: 0, value });
            let done = (number + 1) as f32 / moves.len() as f32;
            let progress = Progress { done, nodes: looked, opinion: &Opinion::default };
            if observer.progress(&progress).is_break() || budget.out_of_time() {
                break;
            }
        }
        // Moves that were not reached in time, or were not evaluated, are ordered by what the network thinks likely.
        let (least, most) =
            logits.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(least, most), &x| (least.min(x), most.max(x)));
        let likely = |number: usize| 1e-6 * (logits[number] - least) / (most - least).max(1e-6);
        let ranks: Vec<f32> =
            candidates.iter().enumerate().map(|(number, candidate)| candidate.value.unwrap_or(-2.0) + likely(number)).collect();
        let candidates: Vec<Candidate<G::Move>> = best_first(&ranks).into_iter().map(|number| candidates[number]).collect();
        let best = candidates[0];
        Ok(Choice {
            value: best.value.or(Some(value)),
            principal_variation: vec![best.mv],
            candidates,
            nodes: looked,
            depth: Some(1),
            elapsed: budget.clock.elapsed(),
            ..Choice::bare(best.mv)
        })
    }
}
