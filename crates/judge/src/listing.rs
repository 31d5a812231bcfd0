//! The positions of a game: all that can be reached, or one of a random game.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use plyground_core::{Game, Outcome, Player, Scratch, Seed, Turn};

use crate::watch::{JudgeStage, JudgeWatch, Stopped, report_progress};

/// The successor of a move: a position by its number, or the end of the game.
#[derive(Clone, Copy)]
pub(crate) enum Next {
    Position(u32),
    End(Outcome),
}

/// The game graph: all reachable positions in which a player is to move.
pub(crate) struct Graph<S> {
    pub states: Vec<S>,
    pub movers: Vec<Player>,
    /// By position, the successors of its moves, in the order of the moves.
    pub next: Vec<Box<[Next]>>,
    /// The positions, each behind all that can follow it. Where a position can come again there is no such order.
    pub order: Option<Vec<u32>>,
}

/// The game graph, listed depth first with an explicit stack, since games may be long. `None` if there are more than `most` positions,
/// or chance plays.
pub(crate) fn explore<G: Game>(
    game: &G,
    start: &G::State,
    most: usize,
    watch: &mut JudgeWatch<'_>,
) -> Result<Option<Graph<G::State>>, Stopped> {
    let mut graph = Graph { states: Vec::new(), movers: Vec::new(), next: Vec::new(), order: None };
    let mut numbers: HashMap<G::State, u32> = HashMap::new();
    let Turn::Player(mover) = game.turn(start) else { return Ok(None) };
    if most == 0 {
        return Ok(None);
    }
    numbers.insert(start.clone(), 0);
    graph.states.push(start.clone());
    graph.movers.push(mover);
    let mut done = vec![false];
    let (mut order, mut circular) = (Vec::new(), false);
    let mut moves = Vec::new();
    let mut open: Vec<(u32, Vec<Next>, Vec<G::Move>)> = Vec::new();
    let mut enter = Some(0_u32);
    loop {
        if let Some(number) = enter.take() {
            game.moves(&graph.states[number as usize], &mut moves);
            moves.reverse();
            open.push((number, Vec::with_capacity(moves.len()), moves.clone()));
        }
        let Some((number, next, left)) = open.last_mut() else { break };
        let Some(mv) = left.pop() else {
            let (number, next, _) = open.pop().expect("it is there");
            done[number as usize] = true;
            graph.next.resize_with(graph.states.len(), Box::default);
            graph.next[number as usize] = next.into_boxed_slice();
            order.push(number);
            continue;
        };
        let mut child = graph.states[*number as usize].clone();
        game.play(&mut child, mv);
        let mover = match game.turn(&child) {
            Turn::Over(outcome) => {
                next.push(Next::End(outcome));
                continue;
            }
            Turn::Chance => return Ok(None),
            Turn::Player(mover) => mover,
        };
        match numbers.entry(child) {
            Entry::Occupied(known) => {
                circular |= !done[*known.get() as usize];
                next.push(Next::Position(*known.get()));
            }
            Entry::Vacant(new) => {
                let count = graph.states.len();
                if count == most {
                    return Ok(None);
                }
                next.push(Next::Position(count as u32));
                graph.states.push(new.key().clone());
                graph.movers.push(mover);
                done.push(false);
                enter = Some(*new.insert(count as u32));
                report_progress(watch, JudgeStage::Listing, count, 0)?;
            }
        }
    }
    graph.order = (!circular).then_some(order);
    Ok(Some(graph))
}

/// A position of a random game, each of those in which a player is to move as likely as the others.
pub(crate) fn random_position<G: Game>(game: &G, start: &G::State, seed: Seed) -> Option<(G::State, Player)> {
    let mut rng = seed.rng();
    let mut scratch = Scratch::default();
    let mut state = start.clone();
    let mut visited = Vec::new();
    loop {
        let mv = match game.turn(&state) {
            Turn::Over(_) => break,
            Turn::Chance => game.random_outcome(&state, &mut rng, &mut scratch),
            Turn::Player(mover) => {
                visited.push((state.clone(), mover));
                game.random_move(&state, &mut rng, &mut scratch)
            }
        };
        game.play(&mut state, mv);
    }
    if visited.is_empty() {
        return None;
    }
    Some(visited.swap_remove(rng.below(visited.len() as u32) as usize))
}
