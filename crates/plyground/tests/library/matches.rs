//! Matches between agents of the list and of a user's own, in a game of a user's own.

use plyground::agents::{AgentError, Limits, SearchRequest};
use plyground::matches::MatchReport;
use plyground::matches::pipeline::RunError;
use plyground::prelude::*;
use plyground::statistics::Tally;

/// Stones are taken from a pile, one to three at a time; the player who takes the last one wins.
#[derive(Clone)]
struct Subtraction {
    stones: u32,
}

impl Game for Subtraction {
    type State = (u32, Player);
    type Move = u32;

    fn spec(&self) -> String {
        format!("subtraction:stones={}", self.stones)
    }

    fn start(&self) -> Self::State {
        (self.stones, Player::First)
    }

    fn turn(&self, &(stones, side): &Self::State) -> Turn {
        if stones == 0 { Turn::Over(Outcome::win(side.other())) } else { Turn::Player(side) }
    }

    fn moves(&self, &(stones, _): &Self::State, moves: &mut Vec<u32>) {
        moves.clear();
        moves.extend(1..=stones.min(3));
    }

    fn play(&self, state: &mut Self::State, mv: u32) {
        *state = (state.0 - mv, state.1.other());
    }
}

impl Evaluated for Subtraction {
    type Evaluator = NoHeuristic;
}

impl Solvable for Subtraction {}

impl Encodable for Subtraction {}

const GAME: Subtraction = Subtraction { stones: 21 };

/// An agent that leaves a multiple of four where it can.
struct Perfect;

impl Agent<Subtraction> for Perfect {
    fn choose(&mut self, request: SearchRequest<'_, Subtraction>) -> Result<Choice<Subtraction>, AgentError> {
        request.mover()?;
        Ok(Choice::bare((request.state.0 % 4).max(1)))
    }
}

/// An agent that takes more than there is.
struct Cheat;

impl Agent<Subtraction> for Cheat {
    fn choose(&mut self, _: SearchRequest<'_, Subtraction>) -> Result<Choice<Subtraction>, AgentError> {
        Ok(Choice::bare(4))
    }
}

#[test]
fn agents_of_the_list_meet_in_a_game_of_ones_own() {
    let play = |seed| Match::new(&GAME, "solve", "random").pairs(20).seed(seed).play().unwrap();
    let report = play(1);
    assert_eq!(report.tally().games(), 40);
    assert!(report.interval().low > 0.5 && report.interval().contains(report.score()), "{report}");
    assert!(report.elo().value() > Some(0.0));
    assert!(report.to_string().starts_with("solve is stronger than random: "), "{report}");
    assert_eq!(report.result(), play(1).result(), "the same seed gives the same match");
}

#[test]
fn an_agent_of_ones_own_plays_and_pays_for_its_faults() {
    let own = || MatchAgent::own("perfect", &GAME, || Perfect);
    // From a random opening one of the two can be won by each seat: perfect play loses none of them against itself by chance.
    let report = Match::new(&GAME, own(), "random").pairs(20).seed(3).play().unwrap();
    assert!(report.score() > 0.8 && report.faults().is_empty(), "{report}");
    let report = Match::new(&GAME, own(), "solve").pairs(10).opening_plies(0).play().unwrap();
    assert_eq!(report.tally(), Tally { wins: 10, draws: 0, losses: 10 }, "the first player wins with 21 stones");

    let report = Match::new(&GAME, MatchAgent::own("cheat", &GAME, || Cheat), "random").pairs(1).play().unwrap();
    assert_eq!((report.score(), report.faults().len()), (0.0, 2));
    assert_eq!(report.faults()[0].0, "cheat");
}

#[test]
fn limits_of_the_match_take_the_place_of_those_of_the_agents() {
    let limits = Limits { simulations: Some(1), ..Limits::default() };
    let weak = Match::new(&GAME, "mcts:sims=2000", "solve:nodes=100000").limits(limits).pairs(10).seed(1).play().unwrap();
    let strong = Match::new(&GAME, "mcts:sims=2000", "solve:nodes=100000").pairs(10).seed(1).play().unwrap();
    assert!(weak.score() < strong.score(), "{weak}; {strong}");
}

#[test]
fn what_cannot_be_played_is_refused() {
    let refusal = |result: Result<MatchReport, RunError>| result.unwrap_err().to_string();
    let unknown = Match::of_spec("conect-four", "random", "random").map(drop).unwrap_err();
    assert!(unknown.to_string().contains("did you mean 'connect-four'?"));
    assert!(refusal(Match::new(&GAME, "alfabeta", "random").play()).contains("did you mean 'alphabeta'?"));
    let other = MatchAgent::own("perfect", &Subtraction { stones: 5 }, || Perfect);
    assert!(refusal(Match::new(&GAME, other, "random").play()).contains("subtraction:stones=5"));
}
