//! Two agents play a game of Connect Four. Another game, or another agent: `cargo run --example play clobber level=3 mcts:sims=500`.

use plyground::prelude::*;
use plyground::session;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let mut word = |usual: &str| words.next().unwrap_or_else(|| usual.to_owned());
    let mut game = session::open(&word("connect-four"), None)?;
    let agents = [word("mcts:sims=300"), word("alphabeta:depth=5")];
    let seats = [game.add_agent(&agents[0], Seed(1))?, game.add_agent(&agents[1], Seed(2))?];
    let mut chance = Seed(3).rng();
    let outcome = loop {
        match game.turn() {
            Turn::Over(outcome) => break outcome,
            Turn::Chance => drop(game.roll(&mut chance)),
            Turn::Player(player) => {
                let advice = game.choose(seats[player.index()])?;
                game.play(&advice.mv)?;
            }
        }
    };
    let moves: Vec<&str> = game.history().iter().map(|played| played.text.as_str()).collect();
    println!("{}", moves.join(" "));
    println!("{}", session::draw_board(&game.view(), &game.last_move()));
    match outcome.winner {
        Some(winner) => println!("{} wins: {}", agents[winner.index()], game.why_over()),
        None => println!("a draw: {}", game.why_over()),
    }
    Ok(())
}
