//! Agents that are made in code: their limits, their switches, and that they choose what their specs choose.

use std::time::{Duration, Instant};

use plyground_agents::{AgentSpec, AlphaBeta, Mcts, Random, solve};
use plyground_core::{
    Agent, Budget, Family, GameValue, Limits, NoClock, NoObserver, NoResources, PlayableGame, SearchRequest, Seed, Visitor,
};
use plyground_games::{clobber, crosphere, mnk, open_one, tuc_chess};
use plyground_session::build_agent;

/// Calls a check with a game of a family. (With all games, every agent here would be compiled for each of them.)
fn with_game<F: Family>(spec: &str, check: impl Check) {
    struct Call<C>(C);
    impl<C: Check> Visitor for Call<C> {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, state: G::State) {
            self.0.check(&game, &state);
        }
    }
    open_one::<F, _>(spec, None, Call(check)).unwrap();
}

trait Check {
    fn check<G: PlayableGame>(self, game: &G, state: &G::State);
}

#[test]
fn one_line_is_the_same_as_a_spec() {
    struct Same;
    impl Check for Same {
        fn check<G: PlayableGame>(self, game: &G, state: &G::State) {
            let mut rng = Seed(5).rng();
            let by_spec = |spec: &str| {
                let spec = AgentSpec::parse(spec, game).unwrap();
                let budget = Budget { limits: spec.limits().unwrap(), clock: &NoClock };
                let (mut rng, mut observer) = (Seed(5).rng(), NoObserver);
                let request = SearchRequest { game, state, budget, rng: &mut rng, observer: &mut observer };
                build_agent(&spec, game, &NoResources).unwrap().choose(request).unwrap()
            };
            let choice = Mcts::with_simulations(300).choose_move(game, state, &mut rng).unwrap();
            assert_eq!((choice.simulations, choice.mv), (300, by_spec("mcts:sims=300").mv));
            assert_eq!(choice.win_chance(), choice.value.map(|value| 0.5 + 0.5 * value));
            let mut switched = Mcts::with_simulations(300).with_options("solver=on,c=0.7").unwrap();
            let choice = switched.choose_move(game, state, &mut Seed(5).rng()).unwrap();
            assert_eq!(choice.mv, by_spec("mcts:sims=300,solver=on,c=0.7").mv);
            let choice = AlphaBeta::with_depth(3).choose_move(game, state, &mut Seed(5).rng()).unwrap();
            assert_eq!((choice.depth, choice.mv), (Some(3), by_spec("alphabeta:depth=3").mv));
        }
    }
    with_game::<clobber::Rules>("clobber:size=5x5", Same);
}

#[test]
fn limits_of_a_request_come_first_and_time_is_kept() {
    struct Limited;
    impl Check for Limited {
        fn check<G: PlayableGame>(self, game: &G, state: &G::State) {
            let mut agent = Mcts::with_simulations(1_000_000_000);
            let limits = Limits { simulations: Some(7), ..Limits::default() };
            let (mut rng, mut observer) = (Seed(1).rng(), NoObserver);
            let budget = Budget { limits, clock: &NoClock };
            let request = SearchRequest { game, state, budget, rng: &mut rng, observer: &mut observer };
            assert_eq!(agent.choose(request).unwrap().simulations, 7);

            let begun = Instant::now();
            Mcts::with_time(Duration::from_millis(10)).choose_move(game, state, &mut rng).unwrap();
            AlphaBeta::with_time(Duration::from_millis(10)).choose_move(game, state, &mut rng).unwrap();
            assert!(begun.elapsed() >= Duration::from_millis(20));
            assert!(begun.elapsed() < Duration::from_secs(10));
        }
    }
    with_game::<crosphere::Rules>("crosphere", Limited);
}

#[test]
fn switches_that_do_not_exist_are_refused_at_once() {
    struct Refused;
    impl Check for Refused {
        fn check<G: PlayableGame>(self, _: &G, _: &G::State) {
            let mcts = |options| Mcts::<G>::with_simulations(1).with_options(options).map(drop).unwrap_err().to_string();
            let alphabeta = |options| AlphaBeta::<G>::with_depth(1).with_options(options).map(drop).unwrap_err().to_string();
            assert!(mcts("sovler=on").contains("did you mean 'solver'?"), "{}", mcts("sovler=on"));
            assert!(mcts("solver=perhaps").contains("perhaps"));
            assert!(alphabeta("reduce=x").contains("reduce"), "{}", alphabeta("reduce=x"));
            assert!(alphabeta("slip=0.5").contains("slip"), "only specs have it");
        }
    }
    with_game::<crosphere::Rules>("crosphere", Refused);
}

#[test]
fn one_call_solves() {
    struct Solved;
    impl Check for Solved {
        fn check<G: PlayableGame>(self, game: &G, state: &G::State) {
            let solution = solve(game, state).unwrap();
            assert_eq!((solution.value(), solution.line.len()), (Some(GameValue::Draw), 9));
            let over = solution.line.iter().fold(state.clone(), |mut state, &mv| {
                game.play(&mut state, mv);
                state
            });
            assert!(Random.choose_move(game, &over, &mut Seed(1).rng()).is_err(), "the game is over");
        }
    }
    with_game::<mnk::Rules>("tictactoe", Solved);
}

#[test]
fn games_of_chance_have_no_exact_value() {
    struct Chance;
    impl Check for Chance {
        fn check<G: PlayableGame>(self, game: &G, state: &G::State) {
            assert!(solve(game, state).is_err());
        }
    }
    with_game::<tuc_chess::Rules>("tuc-chess", Chance);
}
