//! The openings of a campaign: all positions up to a depth, symmetric ones once, and what follows from those that are solved.

use std::collections::HashMap;

use plyground_core::{GameValue, InputError, Player, Solvable, Turn};

use super::lookup::symmetric_key;

/// The most positions in the tree of openings.
const MOST: usize = 1_000_000;
/// More than any number of openings that is left.
const NEVER: u32 = u32::MAX / 2;

/// A position of the tree.
struct Node<S> {
    state: S,
    /// Has the player who moves first in the tree the turn here?
    ours: bool,
    /// What can follow; nothing behind an opening.
    children: Vec<usize>,
    /// The value for the player who moves first in the tree, where it is known.
    worth: Option<GameValue>,
    /// Is a thread at work on it?
    busy: bool,
    /// The least numbers of openings that have to be solved to prove that it reaches the goal, and that it does not.
    numbers: [u32; 2],
}

/// The tree of openings. Positions stand in it in the order of their plies.
pub(super) struct Openings<S> {
    nodes: Vec<Node<S>>,
    /// Where the openings begin.
    first: usize,
    goal: GameValue,
}

impl<S: Clone> Openings<S> {
    /// All positions that can arise within `depth` plies, from one in which a player is to move.
    pub fn new<G: Solvable<State = S>>(game: &G, start: &S, depth: u32) -> Result<Self, InputError> {
        let mut nodes: Vec<Node<S>> = Vec::new();
        let first_player = game.turn(start);
        let node = |state: S, worth| {
            let ours = game.turn(&state) == first_player;
            Node { state, ours, children: Vec::new(), worth, busy: false, numbers: [1; 2] }
        };
        let Turn::Player(mover) = first_player else {
            return Err(InputError::malformed(
                "position",
                &game.position_text(start),
                "the game is over: there is nothing to solve",
            ));
        };
        nodes.push(node(start.clone(), None));
        let mut ply = 0..1;
        for _ in 0..depth {
            let (begin, mut places) = (nodes.len(), HashMap::new());
            for parent in ply {
                if nodes[parent].worth.is_some() {
                    continue;
                }
                let mut moves = Vec::new();
                game.moves(&nodes[parent].state, &mut moves);
                for mv in moves {
                    let mut child = nodes[parent].state.clone();
                    game.play(&mut child, mv);
                    let place = *places.entry(symmetric_key(game, &child)).or_insert(nodes.len());
                    if place == nodes.len() {
                        let worth = worth_at_once(game, &child, mover);
                        nodes.push(node(child, worth));
                    }
                    if !nodes[parent].children.contains(&place) {
                        nodes[parent].children.push(place);
                    }
                }
                if nodes.len() > MOST {
                    let detail = format!("that is more than {MOST} positions: expected a smaller number");
                    return Err(InputError::malformed("depth", &depth.to_string(), detail));
                }
            }
            ply = begin..nodes.len();
        }
        let mut openings = Self { nodes, first: ply.start, goal: GameValue::Win };
        openings.update();
        Ok(openings)
    }

    /// The openings: their numbers and positions.
    pub fn all(&self) -> impl Iterator<Item = (usize, &S)> {
        self.nodes.iter().enumerate().skip(self.first).map(|(number, node)| (number, &node.state))
    }

    /// The position of an opening.
    pub fn state(&self, opening: usize) -> &S {
        &self.nodes[opening].state
    }

    /// How many openings are solved, and how many there are.
    pub fn count(&self) -> [usize; 2] {
        let openings = &self.nodes[self.first..];
        [openings.iter().filter(|node| node.worth.is_some()).count(), openings.len()]
    }

    /// The least number of openings that have to be solved still, and how many are left in which the value of the start may lie.
    pub fn left(&self) -> [usize; 2] {
        if self.worth().is_some() {
            return [0; 2];
        }
        let left = self.undecided().into_iter().filter(|&number| number >= self.first).count();
        [self.nodes[0].numbers.into_iter().min().unwrap_or(0) as usize, left]
    }

    /// The value of the start for the player to move, where it follows from what is solved.
    pub fn worth(&self) -> Option<GameValue> {
        self.nodes[0].worth
    }

    /// The positions behind the start whose value is known, as far as the tree goes.
    pub fn children(&self) -> impl Iterator<Item = (&S, Option<GameValue>)> {
        self.nodes[0].children.iter().map(|&child| (&self.nodes[child].state, self.nodes[child].worth))
    }

    /// Takes up the value of an opening for the player who is to move in it.
    pub fn solved(&mut self, opening: usize, value: GameValue) {
        let node = &mut self.nodes[opening];
        node.busy = false;
        node.worth = Some(if node.ours { value } else { value.opposite() });
    }

    /// No thread is at work on an opening any more.
    pub fn given_up(&mut self, opening: usize) {
        self.nodes[opening].busy = false;
    }

    /// The opening that matters most among those on which no thread is at work; it is marked as one on which a thread is.
    pub fn next(&mut self) -> Option<usize> {
        let next = self.undecided().into_iter().find(|&number| number >= self.first && !self.nodes[number].busy)?;
        self.nodes[next].busy = true;
        Some(next)
    }

    /// The positions from which the value of the start may depend still, in the order of a search that always goes where the least is
    /// missing to a proof.
    fn undecided(&self) -> Vec<usize> {
        let (mut stack, mut seen, mut found) = (vec![0], vec![false; self.nodes.len()], Vec::new());
        while let Some(number) = stack.pop() {
            let node = &self.nodes[number];
            if node.numbers.contains(&0) || std::mem::replace(&mut seen[number], true) {
                continue;
            }
            found.push(number);
            let mut children = node.children.clone();
            // What is to be proved is to be looked at first, and so pushed last.
            children.sort_by_key(|&child| std::cmp::Reverse(self.nodes[child].numbers[usize::from(!node.ours)]));
            stack.extend(children);
        }
        found
    }

    /// What follows from the openings that are solved: values, and the numbers of a proof-number search (Allis, 1994) for "the first
    /// player wins", then, if that is not so, for "has at least a draw".
    pub fn update(&mut self) {
        for number in (0..self.first).rev() {
            if self.nodes[number].worth.is_none() {
                self.nodes[number].worth = self.worth_by_children(number);
            }
        }
        for goal in [GameValue::Win, GameValue::Draw] {
            self.goal = goal;
            for number in (0..self.nodes.len()).rev() {
                self.nodes[number].numbers = self.numbers(number);
            }
            match self.nodes[0].numbers {
                [0, _] => self.nodes[0].worth = Some(goal),
                [_, 0] if goal == GameValue::Draw => self.nodes[0].worth = Some(GameValue::Loss),
                [_, 0] => continue,
                _ => {}
            }
            break;
        }
    }

    fn worth_by_children(&self, number: usize) -> Option<GameValue> {
        let Node { ours, children, .. } = &self.nodes[number];
        let best = if *ours { GameValue::Win } else { GameValue::Loss };
        let known: Vec<GameValue> = children.iter().filter_map(|&child| self.nodes[child].worth).collect();
        if known.contains(&best) {
            return Some(best);
        }
        let all = known.len() == children.len();
        (if *ours { known.into_iter().max() } else { known.into_iter().min() }).filter(|_| all)
    }

    fn numbers(&self, number: usize) -> [u32; 2] {
        let Node { ours, children, worth, .. } = &self.nodes[number];
        match worth {
            Some(worth) if *worth >= self.goal => return [0, NEVER],
            Some(_) => return [NEVER, 0],
            None if number >= self.first => return [1; 2],
            None => {}
        }
        let of = |which: usize| children.iter().map(move |&child| self.nodes[child].numbers[which]);
        let (least, sum) = (usize::from(!*ours), usize::from(*ours));
        let mut numbers = [0; 2];
        numbers[least] = of(least).min().unwrap_or(NEVER);
        numbers[sum] = of(sum).fold(0, |sum: u32, more| sum.saturating_add(more).min(NEVER));
        numbers
    }
}

/// The value for `player` of a position that is over or follows from a rule.
fn worth_at_once<G: Solvable>(game: &G, state: &G::State, player: Player) -> Option<GameValue> {
    GameValue::of_position(game, state, player, |state| game.known_value(state))
}
