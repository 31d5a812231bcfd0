//! What Monte Carlo tree search promises, held against naive searches and exact values.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use plyground_agents::AgentSpec;
use plyground_core::{
    Agent, Budget, Choice, Evaluator, Game, Limits, NoClock, NoObserver, NoResources, Params, PlayableGame, Player, Progress,
    Rng, Scratch, SearchObserver, SearchRequest, Seed, Turn, Visitor, WIN_SCORE,
};
use plyground_games::{clobber, for_each_sample, mnk, open_one, pawn};
use plyground_session::build_agent;

mod naive;

use naive::{Known, Naive};

use crate::refusal;

fn agent<G: PlayableGame>(game: &G, spec: &str) -> (Box<dyn Agent<G>>, Limits) {
    let spec = AgentSpec::parse(spec, game).unwrap();
    (build_agent(&spec, game, &NoResources).unwrap_or_else(|error| panic!("{}: {error}", spec.text())), spec.limits().unwrap())
}

fn ask<G: PlayableGame>(agent: &mut dyn Agent<G>, limits: Limits, game: &G, state: &G::State, rng: &mut Rng) -> Choice<G> {
    let budget = Budget { limits, clock: &NoClock };
    agent.choose(SearchRequest { game, state, budget, rng, observer: &mut NoObserver }).unwrap()
}

fn choose<G: PlayableGame>(game: &G, state: &G::State, spec: &str, seed: u64) -> Choice<G> {
    let (mut agent, limits) = agent(game, spec);
    ask(&mut *agent, limits, game, state, &mut Seed(seed).rng())
}

fn fact<G: Game>(choice: &Choice<G>, name: &str) -> f64 {
    choice.facts.iter().find(|fact| fact.name == name).unwrap_or_else(|| panic!("no fact {name}")).value
}

fn after<G: Game>(game: &G, state: &G::State, mv: G::Move) -> G::State {
    let mut child = state.clone();
    game.play(&mut child, mv);
    child
}

/// Visits and values by move.
fn table<G: Game>(choice: &Choice<G>) -> Vec<(G::Move, u64, Option<f32>)> {
    let mut table: Vec<_> = choice.candidates.iter().map(|c| (c.mv, c.visits, c.value)).collect();
    table.sort_by_key(|row| row.0);
    table
}

/// Positions of random games in which a player is to move.
fn positions<G: Game>(game: &G, start: &G::State, count: usize, seed: u64) -> Vec<G::State> {
    let (mut rng, mut scratch) = (Seed(seed).rng(), Scratch::default());
    let mut found = Vec::new();
    let mut state = start.clone();
    while found.len() < count {
        let mv = match game.turn(&state) {
            Turn::Over(_) => {
                state = start.clone();
                continue;
            }
            Turn::Chance => game.random_outcome(&state, &mut rng, &mut scratch),
            Turn::Player(_) => {
                found.push(state.clone());
                game.random_move(&state, &mut rng, &mut scratch)
            }
        };
        game.play(&mut state, mv);
    }
    found
}

/// The value of a position for the first player: 1, 0 or -1, by brute force.
struct Exact<G: Game>(HashMap<G::State, i8>);

impl<G: Game> Exact<G> {
    fn value(&mut self, game: &G, state: &G::State) -> i8 {
        let player = match game.turn(state) {
            Turn::Over(outcome) => return outcome.value() as i8,
            Turn::Chance => panic!("brute force is for games without chance"),
            Turn::Player(player) => player,
        };
        if let Some(&known) = self.0.get(state) {
            return known;
        }
        let mut moves = Vec::new();
        game.moves(state, &mut moves);
        let values = moves.into_iter().map(|mv| self.value(game, &after(game, state, mv)));
        let best = if player == Player::First { values.max() } else { values.min() };
        self.0.insert(state.clone(), best.unwrap());
        best.unwrap()
    }
}

struct AgainstNaive {
    name: &'static str,
    spec: &'static str,
    c: f32,
    /// The number of the evaluator that judges leaves.
    eval: Option<usize>,
    rave: Option<f32>,
    full: bool,
    scores: bool,
    without_chance: bool,
}

impl AgainstNaive {
    fn new(name: &'static str, spec: &'static str, c: f32) -> Self {
        Self { name, spec, c, eval: None, rave: None, full: false, scores: false, without_chance: false }
    }
}

impl Visitor for AgainstNaive {
    type Output = ();
    fn visit<G: PlayableGame>(self, game: G, start: G::State) {
        const SIMULATIONS: u64 = 1_500;
        for (number, state) in positions(&game, &start, 4, 7).into_iter().enumerate() {
            let mut rng = Seed(number as u64).rng();
            let Turn::Player(mover) = game.turn(&state) else { panic!("no player is to move") };
            let evaluator = self.eval.map(|number| {
                let mut evaluator = game.evaluator(G::evaluators()[number].name, &Params::default()).unwrap();
                evaluator.side_with(mover);
                evaluator
            });
            let known = HashMap::from([(Vec::new(), Known { visits: 0, sum: 0.0, moves: Vec::new(), tried: 0 })]);
            let mut naive = Naive {
                game: &game,
                c: self.c,
                evaluator,
                rave: self.rave,
                scores: self.scores,
                without_chance: self.without_chance,
                full: self.full,
                known,
                later: HashMap::new(),
            };
            for _ in 0..SIMULATIONS {
                naive.simulate(&state, &mut rng);
            }
            let choice = choose(&game, &state, &format!("{},sims={SIMULATIONS}", self.spec), number as u64);
            let expected = |mv: G::Move| naive.known.get(&vec![mv]).map_or(0, |known| u64::from(known.visits));
            for candidate in &choice.candidates {
                let here = game.position_text(&state);
                assert_eq!(candidate.visits, expected(candidate.mv), "{} {}: {here} {:?}", self.name, self.spec, candidate.mv);
            }
            assert_eq!(choice.candidates.iter().map(|candidate| candidate.visits).sum::<u64>(), SIMULATIONS);
        }
    }
}

/// Opens one of the games of the tests that follow.
fn open_naive(spec: &str, visitor: AgainstNaive) {
    open_among!([mnk, clobber, pawn, crosphere, connect_four, tuc_chess], spec, visitor);
}

#[test]
fn the_tree_counts_what_a_naive_search_counts() {
    for name in ["tictactoe", "clobber:size=4x4", "pawn", "crosphere:size=4x4,strong=2", "connect-four", "tuc-chess"] {
        for (spec, c) in [("mcts:c=0.5", 0.5), ("mcts:c=1,formula=2ln", std::f32::consts::SQRT_2)] {
            open_naive(name, AgainstNaive::new(name, spec, c));
        }
    }
}

#[test]
fn without_chance_and_with_scores_the_tree_counts_what_a_naive_search_counts() {
    let spec = "mcts:c=2,leaf=cut-rollout,cut=0,chance=ignore";
    let quiet = |name, spec| AgainstNaive { full: true, without_chance: true, ..AgainstNaive::new(name, spec, 2.0) };
    for name in ["tuc-chess:worth=0.5,appear=0.9", "tuc-chess:limit=30", "pawn"] {
        open_naive(name, AgainstNaive { eval: Some(0), ..quiet(name, spec) });
    }
    let specs = [
        "mcts:c=2,leaf=cut-rollout,cut=0,chance=ignore,reward=score",
        "mcts:c=2,leaf=cut-rollout,cut=0,chance=ignore,reward=score,eval=points",
        "mcts:c=2,leaf=cut-rollout,cut=0,chance=ignore,reward=score,eval=report-own-king",
        "mcts:c=2,leaf=cut-rollout,cut=0,chance=ignore,reward=score,eval=report-constant",
    ];
    for (number, spec) in specs.into_iter().enumerate() {
        // Games that end soon, so that finished ones are judged, too.
        for name in ["tuc-chess:limit=30", "tuc-chess:limit=6"] {
            open_naive(name, AgainstNaive { eval: Some(number), scores: true, ..quiet(name, spec) });
        }
    }
}

#[test]
fn children_judged_from_the_parent_are_children_judged_one_by_one() {
    for name in ["tictactoe", "clobber:size=4x4", "pawn", "crosphere:size=5x5,strong=2", "crosphere", "tuc-chess"] {
        open_naive(name, AgainstNaive { eval: Some(0), ..AgainstNaive::new(name, "mcts:c=0.4,leaf=eval", 0.4) });
        // The search with all switches, one of them without effect.
        open_naive(
            name,
            AgainstNaive { eval: Some(0), full: true, ..AgainstNaive::new(name, "mcts:c=0.4,leaf=eval,fpu=100", 0.4) },
        );
    }
}

#[test]
fn rave_counts_what_a_naive_search_counts() {
    for name in ["tictactoe", "clobber:size=4x4", "pawn"] {
        open_naive(name, AgainstNaive { rave: Some(0.01), full: true, ..AgainstNaive::new(name, "mcts:c=0.2,rave=0.01", 0.2) });
    }
}

/// Every switch at least once, and several together.
const SPECS: &[&str] = &[
    "mcts",
    "mcts:final=value",
    "mcts:final=secure",
    "mcts:preset=crosphere",
    "mcts:preset=tictactoe",
    "mcts:preset=clobber",
    "mcts:preset=tuc",
    "mcts:preset=pawn",
    "mcts:preset=pawn-code",
    "mcts:children=drawn",
    "mcts:first=root",
    "mcts:solver=on",
    "mcts:solver=on,leaf=eval",
    "mcts:rave=0.001",
    "mcts:rave=0.001,grave=20,c=0.1",
    "mcts:bias=0.5",
    "mcts:widening=1,leaf=cut-rollout,cut=3",
    "mcts:fpu=0.6",
    "mcts:chance=open",
    "mcts:chance=open,leaf=eval",
    "mcts:transpositions=on",
    "mcts:transpositions=on,solver=on,rave=0.01,bias=0.1,widening=3,fpu=0.9,reuse=on",
    "mcts:reuse=on",
    "mcts:memory=1",
    "mcts:threads=2,parallel=root",
    "mcts:threads=3,parallel=root,solver=on,rave=0.01",
    "hybrid",
    "hybrid:select=0,rollout=1",
    "hybrid:select=1,visits=0,backprop=2,reuse=on",
];

struct SameSeed(&'static str);

impl Visitor for SameSeed {
    type Output = ();
    fn visit<G: PlayableGame>(self, game: G, start: G::State) {
        for spec in SPECS {
            // Two moves in a row by the same agent, for those that remember.
            let play = || {
                let (mut agent, _) = agent(&game, spec);
                let limits = Limits { simulations: Some(60), ..Limits::default() };
                let (mut rng, mut scratch) = (Seed(1).named(self.0).rng(), Scratch::default());
                let mut state = start.clone();
                let mut tables = Vec::new();
                while let Turn::Player(player) = game.turn(&state) {
                    let choice = ask(&mut *agent, limits, &game, &state, &mut rng);
                    game.move_text(&state, choice.mv);
                    let visits: u64 = choice.candidates.iter().map(|candidate| candidate.visits).sum();
                    let kept = fact(&choice, "visits kept from the last move") as u64;
                    assert!(
                        visits <= choice.simulations + kept && visits + 3 >= choice.simulations + kept
                            || fact(&choice, "proven") == 1.0,
                        "{spec}: visits add up"
                    );
                    assert!(choice.simulations == 60 || fact(&choice, "proven") == 1.0, "{spec}");
                    tables.push(table(&choice));
                    if tables.len() == 2 {
                        break;
                    }
                    game.play(&mut state, choice.mv);
                    while game.turn(&state) == Turn::Chance {
                        let outcome = game.random_outcome(&state, &mut rng, &mut scratch);
                        game.play(&mut state, outcome);
                    }
                    if game.turn(&state) == Turn::Player(player.other()) {
                        let mv = game.random_move(&state, &mut rng, &mut scratch);
                        game.play(&mut state, mv);
                    }
                    while game.turn(&state) == Turn::Chance {
                        let outcome = game.random_outcome(&state, &mut rng, &mut scratch);
                        game.play(&mut state, outcome);
                    }
                }
                tables
            };
            assert!(play() == play(), "{}: {spec}: same seed, same moves", self.0);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_moves_and_visits_add_up_whatever_the_switches() {
    for_each_sample(SameSeed);
}

#[test]
fn the_solver_proves_what_brute_force_finds() {
    struct Proofs {
        specs: &'static [&'static str],
        count: usize,
    }
    impl Visitor for Proofs {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let mut exact = Exact(HashMap::new());
            for spec in self.specs {
                let mut proven = 0;
                for (number, state) in positions(&game, &start, self.count, 3).iter().enumerate() {
                    let choice = choose(&game, state, &format!("{spec},sims=3000"), number as u64);
                    let Turn::Player(mover) = game.turn(state) else { unreachable!() };
                    let sign = mover.sign() as i8;
                    if fact(&choice, "proven") == 1.0 {
                        proven += 1;
                        let (best, chosen) = (exact.value(&game, state), exact.value(&game, &after(&game, state, choice.mv)));
                        let here = game.position_text(state);
                        assert_eq!(choice.value, Some(f32::from(best * sign)), "{spec}: {here}");
                        assert_eq!(chosen, best, "{spec}: {here}");
                    }
                }
                assert!(proven * 2 > self.count, "{spec}: only {proven} of {} proven", self.count);
            }
        }
    }
    let specs = &[
        "mcts:solver=on",
        "mcts:solver=on,leaf=eval,c=0.5",
        "mcts:solver=on,transpositions=on",
        "mcts:solver=on,widening=1",
        "mcts:solver=on,fpu=0.5,rave=0.01",
        "hybrid:select=2,visits=1",
        "hybrid:select=0,rollout=1,backprop=2",
    ];
    for name in ["tictactoe", "pawn", "clobber:size=3x4", "crosphere:size=3x3,strong=1"] {
        open_among!([mnk, pawn, clobber, crosphere], name, Proofs { specs, count: 60 });
    }
}

#[test]
fn the_solver_proves_the_draw_of_tic_tac_toe_and_never_loses_it() {
    struct Exhaustive;
    impl Visitor for Exhaustive {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let choice = choose(&game, &start, "mcts:solver=on,sims=200000", 1);
            assert_eq!((choice.value, fact(&choice, "proven")), (Some(0.0), 1.0), "{} simulations", choice.simulations);
            let mut exact = Exact(HashMap::new());
            for perfect in Player::BOTH {
                let mut seen = HashSet::new();
                keeps(&game, &start, perfect, &mut exact, &mut seen);
                assert!(seen.len() > 100, "{}", seen.len());
            }
        }
    }
    /// Whatever the other side plays, the search never gives away what it has.
    fn keeps<G: PlayableGame>(game: &G, state: &G::State, perfect: Player, exact: &mut Exact<G>, seen: &mut HashSet<G::State>) {
        let Turn::Player(player) = game.turn(state) else { return };
        if !seen.insert(state.clone()) {
            return;
        }
        let mut moves = Vec::new();
        if player == perfect {
            let choice = choose(game, state, "mcts:solver=on,sims=30000", game.hash(state));
            let (before, then) = (exact.value(game, state), exact.value(game, &after(game, state, choice.mv)));
            assert_eq!(before, then, "{}", game.position_text(state));
            moves.push(choice.mv);
        } else {
            game.moves(state, &mut moves);
        }
        for mv in moves {
            keeps(game, &after(game, state, mv), perfect, exact, seen);
        }
    }
    open_one::<mnk::Rules, _>("tictactoe", None, Exhaustive).unwrap();
}

#[test]
fn a_won_pawn_game_is_won() {
    struct Won;
    impl Visitor for Won {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let mut exact = Exact(HashMap::new());
            let (mut rng, mut scratch) = (Seed(5).rng(), Scratch::default());
            let mut won = 0;
            for (number, state) in positions(&game, &start, 120, 5).into_iter().enumerate() {
                let Turn::Player(winner) = game.turn(&state) else { unreachable!() };
                if exact.value(&game, &state) != winner.sign() as i8 {
                    continue;
                }
                won += 1;
                let mut state = state;
                let outcome = loop {
                    let mv = match game.turn(&state) {
                        Turn::Over(outcome) => break outcome,
                        Turn::Player(player) if player == winner => {
                            choose(&game, &state, "mcts:solver=on,sims=20000", number as u64).mv
                        }
                        _ => game.random_move(&state, &mut rng, &mut scratch),
                    };
                    game.play(&mut state, mv);
                };
                assert_eq!(outcome.winner, Some(winner));
            }
            assert!(won > 30, "{won}");
        }
    }
    open_one::<pawn::Rules, _>("pawn", None, Won).unwrap();
}

#[test]
fn many_simulations_find_the_move_of_minimax() {
    struct Converge(&'static str);
    impl Visitor for Converge {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let mut exact = Exact(HashMap::new());
            let mut decisive = 0;
            for (number, state) in positions(&game, &start, 60, 11).iter().enumerate() {
                let mut moves = Vec::new();
                game.moves(state, &mut moves);
                let best = exact.value(&game, state);
                if moves.iter().all(|&mv| exact.value(&game, &after(&game, state, mv)) == best) {
                    continue;
                }
                decisive += 1;
                for spec in
                    ["mcts:sims=20000,c=0.7", "mcts:sims=20000,c=0.7,rave=0.05", "mcts:sims=20000,c=0.7,transpositions=on"]
                {
                    let mv = choose(&game, state, spec, number as u64).mv;
                    let here = game.position_text(state);
                    assert_eq!(exact.value(&game, &after(&game, state, mv)), best, "{} {spec}: {here}", self.0);
                }
            }
            assert!(decisive >= 10, "{}: {decisive}", self.0);
        }
    }
    for name in ["tictactoe", "pawn", "clobber:size=3x4"] {
        open_among!([mnk, pawn, clobber], name, Converge(name));
    }
}

#[test]
fn hybrids_see_shallow_traps() {
    struct Traps(&'static str);
    impl Visitor for Traps {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let wins_at_once = |state: &G::State| {
                let mut moves = Vec::new();
                game.moves(state, &mut moves);
                let Turn::Player(player) = game.turn(state) else { return false };
                moves
                    .into_iter()
                    .any(|mv| matches!(game.turn(&after(&game, state, mv)), Turn::Over(o) if o.winner == Some(player)))
            };
            let mut traps = 0;
            for (number, state) in positions(&game, &start, 400, 13).iter().enumerate() {
                let mut moves = Vec::new();
                game.moves(state, &mut moves);
                let (lost, fine): (Vec<_>, Vec<_>) = moves.iter().partition(|&&mv| wins_at_once(&after(&game, state, mv)));
                if wins_at_once(state) || lost.is_empty() || fine.is_empty() {
                    continue;
                }
                traps += 1;
                // One visit of every move is enough.
                let sims = moves.len();
                let choice = choose(&game, state, &format!("hybrid:sims={sims},select=1,visits=0"), number as u64);
                assert!(fine.contains(&choice.mv), "{}: {}", self.0, game.position_text(state));
            }
            assert!(traps > 10, "{}: {traps}", self.0);
        }
    }
    for name in ["tictactoe", "mnk:size=5x5,k=4", "pawn:size=5x5", "connect-four"] {
        open_among!([mnk, pawn, connect_four], name, Traps(name));
    }
}

#[test]
fn without_chance_an_open_loop_is_a_closed_one() {
    struct Same;
    impl Visitor for Same {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let closed = choose(&game, &start, "mcts:sims=2000", 1);
            let open = choose(&game, &start, "mcts:sims=2000,chance=open", 1);
            assert!(table(&closed) == table(&open));
        }
    }
    for name in ["tictactoe", "clobber:size=4x4", "pawn", "connect-four"] {
        open_among!([mnk, clobber, pawn, connect_four], name, Same);
    }
}

#[test]
fn shared_positions_have_one_node() {
    struct Shared;
    impl Visitor for Shared {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let apart = choose(&game, &start, "mcts:sims=60000", 1);
            let shared = choose(&game, &start, "mcts:sims=60000,transpositions=on", 1);
            // All that there are in Tic-Tac-Toe.
            assert!(shared.nodes <= 5_478 && apart.nodes > 10_000, "{} {}", shared.nodes, apart.nodes);
        }
    }
    open_one::<mnk::Rules, _>("tictactoe", None, Shared).unwrap();
}

#[test]
fn memory_is_bounded_and_the_user_is_told() {
    struct Bounded;
    impl Visitor for Bounded {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            for keys in [
                "",
                ",leaf=eval",
                ",rave=0.01,grave=5",
                ",transpositions=on",
                ",reuse=on",
                ",solver=on",
                ",threads=2,parallel=tree",
                ",threads=2",
                ",chance=open",
            ] {
                let choice = choose(&game, &start, &format!("mcts:sims=30000,memory=1{keys}"), 1);
                assert!(fact(&choice, "memory in MB") <= 1.0, "{keys}: {}", fact(&choice, "memory in MB"));
                assert_eq!(choice.simulations, 30_000, "{keys}");
                assert!(choice.notes.iter().any(|note| note.contains("memory=1 (MB)")), "{keys}: {:?}", choice.notes);
                assert_eq!(choice.candidates.iter().map(|candidate| candidate.visits).sum::<u64>(), 30_000, "{keys}");
            }
            assert!(choose(&game, &start, "mcts:sims=30000", 1).notes.is_empty());
        }
    }
    open_one::<clobber::Rules, _>("clobber:size=8x8", None, Bounded).unwrap();
}

#[test]
fn threads_do_all_simulations_and_choose_legal_moves() {
    struct Threads;
    impl Visitor for Threads {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            for keys in ["", ",solver=on", ",leaf=eval", ",rave=0.01", ",transpositions=on", ",reuse=on", ",widening=2,bias=0.3"]
            {
                for (sims, parallel) in [(1, "tree"), (5, "tree"), (20_000, "tree"), (1, "root"), (5, "root"), (20_000, "root")] {
                    let spec = format!("mcts:threads=2,parallel={parallel},sims={sims}{keys}");
                    if parallel == "root" && (keys.contains("reuse") || keys.contains("transpositions")) {
                        continue;
                    }
                    let choice = choose(&game, &start, &spec, 1);
                    assert!(game.legal_move(&start, &game.move_text(&start, choice.mv)).is_ok());
                    assert!(choice.simulations == sims || fact(&choice, "proven") == 1.0, "{keys}: {}", choice.simulations);
                    let visits: u64 = choice.candidates.iter().map(|candidate| candidate.visits).sum();
                    assert!(visits == choice.simulations || fact(&choice, "proven") == 1.0, "{keys}: {visits}");
                }
            }
        }
    }
    for name in ["clobber", "tictactoe", "tuc-chess"] {
        open_among!([clobber, mnk, tuc_chess], name, Threads);
    }
}

#[test]
fn what_is_kept_of_a_tree_is_what_was_there() {
    struct Kept;
    impl Visitor for Kept {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            for keys in ["", ",leaf=eval", ",transpositions=on", ",rave=0.01", ",solver=on"] {
                let (mut agent, _) = agent(&game, &format!("mcts:reuse=on,c=0.3{keys}"));
                let mut rng = Seed(1).rng();
                let sims = |number| Limits { simulations: Some(number), ..Limits::default() };
                let first = ask(&mut *agent, sims(5_000), &game, &start, &mut rng);
                assert_eq!(fact(&first, "visits kept from the last move"), 0.0);
                // The line of play that both expected.
                let next = after(&game, &after(&game, &start, first.principal_variation[0]), first.principal_variation[1]);
                let second = ask(&mut *agent, sims(1), &game, &next, &mut rng);
                let kept = fact(&second, "visits kept from the last move");
                assert!(kept > 20.0, "{keys}: {kept}");
                assert!(second.nodes > 20 && second.nodes < first.nodes, "{keys}");
                // A position that the tree does not know.
                let other = ask(&mut *agent, sims(10), &game, &start, &mut rng);
                assert_eq!(fact(&other, "visits kept from the last move"), 0.0);
            }
        }
    }
    open_one::<pawn::Rules, _>("pawn:size=6x6", None, Kept).unwrap();
}

#[test]
fn switches_do_what_they_say() {
    struct Switches;
    impl Visitor for Switches {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let tried = |spec: &str| choose(&game, &start, spec, 1).candidates.iter().filter(|c| c.visits > 0).count();
            assert_eq!(tried("mcts:sims=400,widening=0.2"), 4, "0.2 * sqrt(400)");
            assert_eq!(tried("mcts:sims=400,fpu=-100"), 1, "never worth trying another");
            assert_eq!(tried("mcts:sims=400"), 36, "every move");
            // What the evaluator likes best, when it decides alone.
            let evaluator = game.evaluator(G::evaluators()[0].name, &Params::default()).unwrap();
            let score = |mv| {
                let child = after(&game, &start, mv);
                match game.turn(&child) {
                    Turn::Over(outcome) => outcome.value() * WIN_SCORE,
                    _ => evaluator.score(&game, &child),
                }
            };
            let mut moves = Vec::new();
            game.moves(&start, &mut moves);
            let highest = moves.iter().map(|&mv| score(mv)).fold(f32::MIN, f32::max);
            assert_eq!(score(choose(&game, &start, "mcts:sims=5,widening=0.01", 1).mv), highest);
            // A strong bias shares the visits out by win chance.
            let visits = choose(&game, &start, "mcts:sims=4000,bias=1000", 1).candidates;
            let liked = visits.iter().filter(|candidate| score(candidate.mv) == highest);
            let lowest = moves.iter().map(|&mv| score(mv)).fold(f32::MAX, f32::min);
            let disliked = visits.iter().filter(|candidate| score(candidate.mv) == lowest);
            let (least, most) = (liked.map(|c| c.visits).min().unwrap(), disliked.map(|c| c.visits).max().unwrap());
            assert!(least > most, "{least} and {most}");
        }
    }
    open_one::<mnk::Rules, _>("mnk:size=6x6,k=4", None, Switches).unwrap();
}

#[test]
fn playouts_are_simulations_for_each_legal_move() {
    struct Count;
    impl Visitor for Count {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            for state in positions(&game, &start, 20, 5) {
                let mut moves = Vec::new();
                game.moves(&state, &mut moves);
                for (spec, expected) in [
                    ("mcts:playouts=7", 7 * moves.len() as u64),
                    ("mcts:playouts=7,chance=open", 7 * moves.len() as u64),
                    ("mcts:playouts=7,sims=10", 10.min(7 * moves.len() as u64)),
                ] {
                    assert_eq!(choose(&game, &state, spec, 1).simulations, expected, "{spec}");
                }
            }
        }
    }
    open_one::<clobber::Rules, _>("clobber:size=4x4", None, Count).unwrap();
}

#[test]
fn presets_are_their_keys_and_a_key_beside_one_wins() {
    struct Same(&'static str, &'static str);
    impl Visitor for Same {
        type Output = bool;
        fn visit<G: PlayableGame>(self, game: G, start: G::State) -> bool {
            let limits = Limits { simulations: Some(500), ..Limits::default() };
            let [a, b] = [self.0, self.1].map(|spec| ask(&mut *agent(&game, spec).0, limits, &game, &start, &mut Seed(1).rng()));
            table(&a) == table(&b) && a.mv == b.mv
        }
    }
    for (preset, keys) in [
        ("mcts:preset=crosphere", "mcts:c=0.3,leaf=eval"),
        ("mcts:preset=crosphere,leaf=rollout,c=0.5", "mcts:c=0.5"),
        ("mcts:preset=tictactoe", "mcts:c=2,formula=2ln,leaf=heuristic-rollout"),
        ("mcts:preset=tictactoe,careful=off", "mcts:c=2,formula=2ln,leaf=heuristic-rollout"),
        ("mcts:preset=clobber", "mcts:c=0.70710678,formula=2ln,final=value"),
        ("mcts:preset=tuc", "mcts:leaf=cut-rollout,cut=10,c=1.41421356"),
        ("mcts:preset=tuc,leaf=rollout", "mcts:c=1.41421356"),
        ("mcts:preset=report", "mcts:c=1.41421356,leaf=cut-rollout,reward=score,final=value,chance=ignore"),
        ("mcts:preset=pawn", "mcts:c=1"),
        ("mcts:preset=pawn-code", "mcts:transpositions=on,final=value,first=root,children=drawn,c=1"),
        ("mcts:preset=pawn-code,children=all,first=move", "mcts:transpositions=on,final=value,c=1"),
        ("mcts:c=1,formula=2ln", "mcts"),
    ] {
        assert!(open_one::<mnk::Rules, _>("tictactoe", None, Same(preset, keys)).unwrap(), "{preset} is {keys}");
    }
    for (one, other) in [("mcts:c=0.5", "mcts"), ("mcts:preset=tictactoe", "mcts:preset=tictactoe,careful=on")] {
        assert!(!open_one::<mnk::Rules, _>("tictactoe", None, Same(one, other)).unwrap(), "{one} is not {other}");
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (spec, message) in [
        ("mcts:cut=3", "malformed key 'cut': it belongs to leaf=cut-rollout"),
        ("mcts:careful=on", "malformed key 'careful': it belongs to leaf=heuristic-rollout"),
        ("mcts:grave=3", "malformed key 'grave': it needs rave=B beside it"),
        ("mcts:chance=open,solver=on", "malformed key 'solver': it does not go together with chance=open"),
        ("mcts:chance=open,threads=2", "malformed key 'threads': it does not go together with chance=open"),
        (
            "mcts:preset=checkers",
            "unknown value of 'preset' 'checkers'; expected one of crosphere, tictactoe, clobber, tuc, pawn, report, pawn-code",
        ),
        (
            "mcts:eval=lines",
            "malformed key 'eval': it is not used without leaf=eval, leaf=cut-rollout, reward=score, bias=W or widening=W beside it",
        ),
        (
            "mcts:children=drawn,solver=on",
            "malformed key 'children': children=drawn does not go together with solver, reuse, threads and chance=open",
        ),
        (
            "mcts:first=root,threads=2",
            "malformed key 'first': first=root does not go together with solver, reuse, threads and chance=open",
        ),
        ("mcts:chance=ignore,reuse=on", "malformed key 'reuse': it does not go together with chance=ignore"),
        ("mcts:reward=score,solver=on", "malformed key 'solver': it does not go together with reward=score"),
        ("mcts:reward=score,leaf=eval", "malformed key 'reward': it needs a leaf that plays: use leaf=cut-rollout with cut=0"),
        (
            "mcts:reward=score,chance=open",
            "malformed key 'reward': reward=score does not go together with chance=open or parallel=tree",
        ),
        ("mcts:chance=none", "unknown value of 'chance' 'none' (did you mean 'ignore'?); expected one of closed, open, ignore"),
        ("mcts:threads=2,reuse=on", "malformed key 'reuse': with several threads it needs parallel=tree beside it"),
        ("mcts:parallel=root", "malformed key 'parallel': it needs threads=2 or more beside it"),
        ("mcts:solver=yes", "unknown value of 'solver' 'yes'; expected one of off, on"),
        ("hybrid:select=-1", "malformed value 'select=-1': expected select from 0 to 20"),
    ] {
        assert_eq!(refusal("mnk", spec).as_deref(), Some(message), "{spec}");
    }
}

#[test]
fn a_watcher_is_told_everything() {
    struct Look(u32);
    impl<M> SearchObserver<M> for Look {
        fn progress(&mut self, progress: &Progress<'_, M>) -> ControlFlow<()> {
            let opinion = (progress.opinion)();
            assert!(!opinion.line.is_empty() && opinion.candidates.len() == 9 && opinion.value.is_some());
            self.0 += 1;
            if self.0 >= 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    struct Watched;
    impl Visitor for Watched {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            for spec in ["mcts", "mcts:solver=on", "mcts:chance=open", "mcts:threads=2", "mcts:threads=2,parallel=tree", "hybrid"]
            {
                let (mut agent, _) = agent(&game, spec);
                let limits = Limits { simulations: Some(1_000_000_000), ..Limits::default() };
                let budget = Budget { limits, clock: &NoClock };
                let (rng, mut observer) = (&mut Seed(1).rng(), Look(0));
                let choice =
                    agent.choose(SearchRequest { game: &game, state: &start, budget, rng, observer: &mut observer }).unwrap();
                assert!(choice.simulations < 100_000 && observer.0 == 5, "{spec}");
            }
        }
    }
    open_one::<mnk::Rules, _>("tictactoe", None, Watched).unwrap();
}
