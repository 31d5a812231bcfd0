//! The least that a game outside of this workspace has to bring: a subtraction game, played by searches and solved.

use plyground_agents::{AgentSpec, AlphaBeta, Mcts, Method, Solver, build, from_spec};
use plyground_core::{
    Agent, Budget, Choice, Encodable, Evaluated, Evaluator, EvaluatorSet, Game, GameValue, NoClock, NoHeuristic, NoObserver,
    NoResources, Outcome, Params, Player, SearchRequest, Seed, Solvable, Turn,
};

/// A pile of stones; a player takes one to three of them, and the one who takes the last stone wins.
#[derive(Clone)]
struct Subtraction {
    stones: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Pile {
    stones: u32,
    side: Player,
}

impl Game for Subtraction {
    type State = Pile;
    type Move = u32;

    fn spec(&self) -> String {
        format!("subtraction:stones={}", self.stones)
    }

    fn start(&self) -> Pile {
        Pile { stones: self.stones, side: Player::First }
    }

    fn turn(&self, state: &Pile) -> Turn {
        if state.stones == 0 { Turn::Over(Outcome::win(state.side.other())) } else { Turn::Player(state.side) }
    }

    fn moves(&self, state: &Pile, moves: &mut Vec<u32>) {
        moves.clear();
        moves.extend(1..=state.stones.min(3));
    }

    fn play(&self, state: &mut Pile, mv: u32) {
        state.stones -= mv;
        state.side = state.side.other();
    }
}

impl Evaluated for Subtraction {
    type Evaluator = NoHeuristic;
}

impl Solvable for Subtraction {}

impl Encodable for Subtraction {}

/// The move of the agent that a spec describes.
fn choose(game: &Subtraction, state: &Pile, spec: &str) -> u32 {
    let spec = AgentSpec::parse(spec, game).unwrap();
    let budget = Budget { limits: spec.limits().unwrap(), clock: &NoClock };
    let (mut agent, mut rng) = (build(&spec, game, &NoResources).unwrap(), Seed(1).rng());
    agent.choose(SearchRequest { game, state, budget, rng: &mut rng, observer: &mut NoObserver }).unwrap().mv
}

#[test]
fn searches_find_the_winning_move_of_a_game_that_brings_only_rules() {
    let game = Subtraction { stones: 10 };
    for spec in ["mcts:sims=2000", "alphabeta:depth=12", "solve", "level=8", "best"] {
        for stones in (5..=11).filter(|stones| stones % 4 != 0) {
            let pile = Pile { stones, side: Player::Second };
            assert_eq!(choose(&game, &pile, spec), stones % 4, "{spec}: {stones}");
        }
    }
}

/// All that an agent says of a pile.
fn opinion(mut agent: impl Agent<Subtraction>, game: &Subtraction) -> (u32, Option<f32>, u64, Option<u32>) {
    let Choice { mv, value, simulations, depth, .. } = agent.choose_move(game, &game.start(), &mut Seed(5).rng()).unwrap();
    (mv, value, simulations, depth)
}

#[test]
fn an_agent_of_a_text_keeps_to_the_limits_of_the_text() {
    let game = Subtraction { stones: 10 };
    let by_text = |text: &str| opinion(from_spec(text, &game).unwrap(), &game);
    let mcts = opinion(Mcts::with_simulations(300), &game);
    assert_eq!((by_text("mcts:sims=300"), mcts.2), (mcts, 300));
    let alphabeta = opinion(AlphaBeta::with_depth(3), &game);
    assert_eq!((by_text("alphabeta:depth=3"), alphabeta.3), (alphabeta, Some(3)));
}

#[test]
fn the_solver_knows_the_value_of_every_pile() {
    struct GoOn;
    impl plyground_core::StopCheck for GoOn {
        fn check(&mut self, _: u64) -> std::ops::ControlFlow<()> {
            std::ops::ControlFlow::Continue(())
        }
    }
    let game = Subtraction { stones: 20 };
    let mut solver = Solver::new(&game, Method::Auto, 1 << 20, None, None).unwrap();
    for stones in 1..=20 {
        let solution = solver.solve(&game, &Pile { stones, side: Player::First }, &mut GoOn);
        let worth = if stones % 4 == 0 { GameValue::Loss } else { GameValue::Win };
        assert_eq!(solution.bounds.exact(), Some(worth), "{stones}");
    }
}

#[test]
fn moves_have_a_notation_without_being_asked_for_one() {
    let game = Subtraction { stones: 2 };
    let start = game.start();
    assert_eq!(game.legal_move(&start, &game.move_text(&start, 2)), Ok(2));
    let refused = game.legal_move(&start, "3").unwrap_err().to_string();
    assert_eq!(refused, "unknown move '3'; expected one of 1, 2");
    assert_eq!(
        game.legal_move(&Pile { stones: 0, ..start }, "1").unwrap_err().to_string(),
        "illegal move '1': the game is over (second)"
    );
}

#[test]
fn an_evaluator_with_a_default_value_needs_no_list() {
    #[derive(Default)]
    struct Remainder;
    impl Evaluator<Subtraction> for Remainder {
        fn score(&self, _: &Subtraction, state: &Pile) -> f32 {
            if state.stones.is_multiple_of(4) { -state.side.sign() } else { state.side.sign() }
        }
    }
    let game = Subtraction { stones: 10 };
    let infos = <Remainder as EvaluatorSet<Subtraction>>::INFOS;
    assert_eq!(infos.iter().map(|info| info.name).collect::<Vec<_>>(), ["default"]);
    let evaluator = Remainder::with_name(&game, "default", &Params::default()).unwrap();
    assert_eq!(evaluator.score(&game, &game.start()), 1.0);
}
