//! The root of a search with few simulations (Danihelka, Guez, Schrittwieser and Silver, 2022): moves are drawn without replacement
//! by the policy, halved again and again by their values, and what comes out improves the policy however few simulations there are.

use plyground_core::{PlayableGame, Player, Rng};
use plyground_nets::softmax;

use super::evaluator::NetEvaluator;
use super::search::{NetSearcher, Visit};
use super::tree::{Kind, ROOT, Tree};

/// How much values count against the policy.
const VISIT_OFFSET: f32 = 50.0;
const VALUE_SCALE: f32 = 0.5;

/// The result of a search at the root.
pub struct RootResult {
    /// The edge to play.
    pub edge: usize,
    /// The improved policy, edge by edge.
    pub policy: Vec<f32>,
    /// The expected result of the first player.
    pub value: f32,
}

/// Puts the highest value first. (Not generic: a sort of the standard library is large, and would be compiled for every game.)
fn sort_falling(order: &mut [usize], values: &[f32]) {
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
}

/// Searches with so many simulations.
pub fn search<G: PlayableGame>(
    searcher: &mut NetSearcher<'_, G>,
    tree: &mut Tree<G::Move>,
    net: &mut NetEvaluator<G>,
    root: &G::State,
    simulations: u32,
    rng: &mut Rng,
) -> RootResult {
    let mut visit = Visit::new(root);
    if tree.node(ROOT).kind == Kind::New {
        searcher.simulate(tree, net, root, None, rng, &mut visit);
    }
    let node = *tree.node(ROOT);
    let Kind::Player(mover) = node.kind else { unreachable!("a player is to move at the root of a search") };
    let edges: Vec<usize> = node.edges().collect();
    let scores: Vec<f32> = edges.iter().map(|&edge| tree.edges[edge].logit + gumbel(rng)).collect();
    let mut order: Vec<usize> = (0..edges.len()).collect();
    sort_falling(&mut order, &scores);
    let most = considered(simulations, edges.len());
    order.truncate(most);
    let mut left = simulations;
    let mut rounds = most.next_power_of_two().trailing_zeros().max(1);
    while left > 0 && tree.node(ROOT).proof.is_none() {
        let each = (left / (rounds * order.len() as u32)).max(1);
        for _ in 0..each {
            for &index in &order {
                // Nothing is learnt from looking at what is certain.
                let certain = tree.child(edges[index]).is_some_and(|child| child.proof.is_some());
                if left > 0 && !certain {
                    searcher.simulate(tree, net, root, Some(edges[index]), rng, &mut visit);
                }
                left = left.saturating_sub(1);
            }
        }
        if order.len() > 1 {
            let completed = completed(tree, &edges, mover);
            let values: Vec<f32> = scores.iter().zip(&completed).map(|(score, value)| score + value).collect();
            sort_falling(&mut order, &values);
            order.truncate(order.len().div_ceil(2));
        }
        rounds = rounds.saturating_sub(1).max(1);
    }
    let completed = completed(tree, &edges, mover);
    let best = order.iter().copied().max_by(|&a, &b| (scores[a] + completed[a]).total_cmp(&(scores[b] + completed[b])));
    // A certain win is played, wherever it was found.
    let won = edges
        .iter()
        .position(|&edge| tree.child(edge).and_then(|child| child.proof).is_some_and(|proof| f32::from(proof) == mover.sign()));
    let chosen = won.or(best).expect("a player to move has a move");
    let mut policy: Vec<f32> = edges.iter().zip(&completed).map(|(&edge, &value)| tree.edges[edge].logit + value).collect();
    softmax(&mut policy);
    let value = match tree.node(ROOT).proof {
        Some(proof) => f32::from(proof),
        None => tree.child(edges[chosen]).map_or(node.judged, super::tree::Node::mean),
    };
    RootResult { edge: edges[chosen], policy, value }
}

/// How many moves to begin with: with few simulations, few moves are looked at well.
fn considered(simulations: u32, moves: usize) -> usize {
    let most = match simulations {
        0..=7 => 2,
        8..=15 => 4,
        16..=47 => 8,
        _ => 16,
    };
    most.min(moves)
}

/// A number of the Gumbel distribution.
fn gumbel(rng: &mut Rng) -> f32 {
    -(-(rng.unit().max(1e-12)).ln()).ln() as f32
}

/// The values of all moves in the mover's view, on the scale of the logits: those that were tried by their means, the others by a
/// mean of what is known of the position.
fn completed<M: Copy + Eq>(tree: &Tree<M>, edges: &[usize], mover: Player) -> Vec<f32> {
    let sign = mover.sign();
    let tried = |edge: usize| tree.child(edge).filter(|child| child.visits > 0);
    let (mut weight, mut sum, mut visits, mut most) = (0.0, 0.0, 0.0, 0_u32);
    for &edge in edges {
        if let Some(child) = tried(edge) {
            weight += tree.edges[edge].prior;
            sum += tree.edges[edge].prior * child.mean() * sign;
            visits += child.visits as f32;
            most = most.max(child.visits);
        }
    }
    let judged = tree.node(ROOT).judged * sign;
    let mixed = if weight > 0.0 { (judged + visits * sum / weight) / (1.0 + visits) } else { judged };
    let scale = (VISIT_OFFSET + most as f32) * VALUE_SCALE;
    edges
        .iter()
        .map(|&edge| {
            let value = tried(edge).map_or(mixed, |child| child.mean() * sign);
            // From -1..1 to 0..1, as the scale was found for.
            scale * (0.5 + 0.5 * value)
        })
        .collect()
}
