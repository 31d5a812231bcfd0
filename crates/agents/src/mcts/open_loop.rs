//! Simulations whose nodes stand for the moves of the players alone (open loop; Perez, Dieskau, Hünermund, Mostaghim and Lucas
//! 2015): chance is drawn anew every time, and a node holds the average over all that chance may have done before.

use plyground_core::{PlayableGame, Turn};

use super::arena::ROOT;
use super::search::{Memory, Plain, Searcher, Simulation, SimulationPolicy, Step, Stop};

/// UCT over the moves of the players.
pub(crate) struct OpenLoop;

impl<G: PlayableGame> SimulationPolicy<G> for OpenLoop {
    const PROVES: bool = false;

    fn descend(searcher: &mut Searcher<'_, G>, memory: &mut Memory<G::Move>, simulation: &mut Simulation<G>) -> Stop {
        let game = searcher.leaf_evaluator.game;
        let tree = &mut memory.tree;
        let mut at = ROOT;
        loop {
            let player = match game.turn(&simulation.state) {
                Turn::Over(outcome) => return Stop::Reward(outcome.reward(plyground_core::Player::First)),
                Turn::Chance => {
                    let outcome = game.random_outcome(&simulation.state, searcher.rng, &mut searcher.scratch);
                    game.play(&mut simulation.state, outcome);
                    continue;
                }
                Turn::Player(player) => player,
            };
            if tree.nodes[at].visits == 0 && at != ROOT {
                return Stop::Leaf;
            }
            // What is legal here may depend on what chance has done.
            game.moves(&simulation.state, &mut searcher.scratch.moves);
            if !tree.widen(at, player.into(), &searcher.scratch.moves) {
                return Stop::Leaf;
            }
            searcher.scratch.moves.sort_unstable();
            let node = tree.nodes[at];
            let legal = |index: &u32| searcher.scratch.moves.binary_search(&tree.moves[(node.first + index) as usize]).is_ok();
            let untried: Vec<u32> = (node.open..node.count).filter(legal).collect();
            let edge = if untried.is_empty() {
                let weight = searcher.weight(&node);
                let bound = |index: u32| {
                    let edge = (node.first + index) as usize;
                    player.sign() * tree.mean[edge] + weight * tree.spread[edge]
                };
                let tried = (0..node.open).filter(legal);
                let best = tried.reduce(|best, index| if bound(index) > bound(best) { index } else { best });
                (node.first + best.expect("a player to move has a move")) as usize
            } else {
                let pick = untried[searcher.rng.below(untried.len() as u32) as usize];
                let edge = tree.place(at, pick);
                if tree.open(at, edge).is_none() {
                    return Stop::Leaf;
                }
                edge
            };
            game.play(&mut simulation.state, tree.moves[edge]);
            simulation.steps.push(Step { edge: edge as u32, node: tree.child[edge] });
            at = tree.child[edge] as usize;
        }
    }

    fn value(searcher: &mut Searcher<'_, G>, simulation: &mut Simulation<G>) -> f32 {
        Plain::value(searcher, simulation)
    }

    fn back_up(searcher: &mut Searcher<'_, G>, memory: &mut Memory<G::Move>, simulation: &Simulation<G>, reward: f32) {
        Plain::back_up(searcher, memory, simulation, reward);
    }
}
