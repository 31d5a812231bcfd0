//! A match between two agents, and between one of ours and one of your own: pairs of games with swapped seats, with an interval.

use plyground::agents::{AgentError, Candidate, SearchRequest};
use plyground::games::{connect_four::ConnectFour, typed};
use plyground::prelude::*;

/// An agent of your own: it takes a win where there is one, and any move otherwise.
struct Greedy;

impl<G: Game> Agent<G> for Greedy {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        let mover = request.mover()?;
        let mut moves = Vec::new();
        request.game.moves(request.state, &mut moves);
        request.rng.shuffle(&mut moves);
        let wins = |mv: &G::Move| {
            let mut child = request.state.clone();
            request.game.play(&mut child, *mv);
            request.game.turn(&child) == Turn::Over(Outcome::win(mover))
        };
        let mv = moves.iter().copied().find(wins).unwrap_or(moves[0]);
        let candidates = moves.iter().map(|&mv| Candidate { mv, visits: 0, value: None }).collect();
        Ok(Choice { candidates, ..Choice::bare(mv) })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let report = Match::of_spec("connect-four:size=5x5", "mcts:sims=100", "alphabeta:depth=2")?.pairs(20).seed(1).play()?;
    println!("{report}");
    println!("{:.1} % {}, Elo {}", 100.0 * report.score(), report.interval(), report.elo());

    let (game, _) = typed::<ConnectFour>("connect-four:size=5x5", None)?;
    let greedy = MatchAgent::own("greedy", &game, || Greedy);
    let report = Match::new(&game, "random", greedy).pairs(100).seed(1).play()?;
    println!("{report}");
    Ok(())
}
