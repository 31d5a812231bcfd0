//! A game of your own, in one file: Kayles (Dudeney, 1908). Pins stand in a row; a throw takes one pin, or two that stand side by side.
//! The player who takes the last pin wins.

use plyground::prelude::*;

/// The rules, with their parameter.
#[derive(Clone)]
struct Kayles {
    pins: u32,
}

/// A position: a bit for each pin that stands, and the player to move.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Row {
    standing: u32,
    side: Player,
}

/// A throw: the pins that it takes, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Throw(u32);

impl Game for Kayles {
    type State = Row;
    type Move = Throw;

    fn spec(&self) -> String {
        format!("kayles:pins={}", self.pins)
    }

    fn start(&self) -> Row {
        Row { standing: (1 << self.pins) - 1, side: Player::First }
    }

    fn turn(&self, row: &Row) -> Turn {
        if row.standing == 0 { Turn::Over(Outcome::win(row.side.other())) } else { Turn::Player(row.side) }
    }

    fn moves(&self, row: &Row, moves: &mut Vec<Throw>) {
        let throws = (0..self.pins).flat_map(|pin| [1 << pin, 3 << pin]);
        moves.clear();
        moves.extend(throws.filter(|&pins| row.standing & pins == pins).map(Throw));
    }

    fn play(&self, row: &mut Row, Throw(pins): Throw) {
        row.standing &= !pins;
        row.side = row.side.other();
    }

    fn move_text(&self, _: &Row, Throw(pins): Throw) -> String {
        let first = pins.trailing_zeros() + 1;
        if pins.is_power_of_two() { first.to_string() } else { format!("{first}+{}", first + 1) }
    }
}

// What is known about the game beyond its rules: nothing. Evaluators, hints for the solver and planes for networks would stand here.
impl Evaluated for Kayles {
    type Evaluator = NoHeuristic;
}
impl Solvable for Kayles {}
impl Encodable for Kayles {}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let game = Kayles { pins: 9 };
    let start = game.start();
    let mut rng = Seed(1).rng();

    let choice = Mcts::with_simulations(1_000).choose_move(&game, &start, &mut rng)?;
    println!("Monte Carlo tree search plays {} after {} games", game.move_text(&start, choice.mv), choice.simulations);

    let choice = AlphaBeta::with_depth(9).choose_move(&game, &start, &mut rng)?;
    println!("alpha-beta plays {} and expects {:+}", game.move_text(&start, choice.mv), choice.value.unwrap_or(0.0));

    let solution = solve(&game, &start)?;
    println!("exact play: {} in {} plies", solution.value().map_or("unknown", GameValue::word), solution.plies);

    let report = Match::new(&game, "mcts:sims=50", "random").pairs(25).seed(1).play()?;
    println!("{report}");
    Ok(())
}
