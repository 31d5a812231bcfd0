//! What every agent promises, on every game of the list.

use std::collections::HashMap;
use std::ops::ControlFlow;

use plyground_agents::{AgentSpec, INFOS, build};
use plyground_core::{
    Budget, Choice, Evaluator, Game, Limits, NoClock, NoObserver, NoResources, Outcome, Params, PlayableGame, Player, Progress,
    Rng, Scratch, SearchObserver, SearchRequest, Seed, Turn, Visitor, WIN_SCORE,
};
use plyground_games::{for_each_sample, mnk, open, open_one};

use crate::refusal;

/// Small budgets, so that every agent can play on every board.
const SPECS: &[&str] = &[
    "random",
    "mc:playouts=2",
    "mcts:sims=40",
    "mcts:sims=40,c=0.3,memory=1",
    "minimax:depth=1",
    "alphabeta:nodes=300",
    "pvs:depth=1,quiescence=2,tt=1",
    "negascout:nodes=200,reduce=3",
    "mtdf:nodes=300,contempt=1",
    "sss:depth=1",
    "sss:nodes=300,form=list",
    "expectimax:depth=2,samples=1,singular=1",
    "alphabeta:depth=2,chance=ignore",
    "pvs:depth=2,chance=sample,ends=eval,tt=1",
    "mcts:preset=report,sims=40",
];

fn choose<G: PlayableGame>(game: &G, state: &G::State, spec: &str, limits: Limits, rng: &mut Rng) -> Choice<G> {
    let spec = AgentSpec::parse(spec, game).unwrap();
    let limits = if limits == Limits::default() { spec.limits().unwrap() } else { limits };
    let budget = Budget { limits, clock: &NoClock };
    build(&spec, game, &NoResources)
        .unwrap()
        .choose(SearchRequest { game, state, budget, rng, observer: &mut NoObserver })
        .unwrap()
}

/// Plays a game between two specs and gives the moves and the outcome.
fn play<G: PlayableGame>(game: &G, start: &G::State, specs: [&str; 2], seed: Seed) -> (Vec<G::Move>, Outcome) {
    let mut state = start.clone();
    let mut moves = Vec::new();
    let mut rng = seed.rng();
    let mut scratch = Scratch::default();
    loop {
        let mv = match game.turn(&state) {
            Turn::Over(outcome) => return (moves, outcome),
            Turn::Chance => game.random_outcome(&state, &mut rng, &mut scratch),
            Turn::Player(player) => {
                let choice = choose(game, &state, specs[player.index()], Limits::default(), &mut rng);
                let mut legal = Vec::new();
                game.moves(&state, &mut legal);
                assert!(legal.contains(&choice.mv), "{specs:?}: a legal move");
                check_explanation(game, &state, &choice, legal.len());
                choice.mv
            }
        };
        moves.push(mv);
        game.play(&mut state, mv);
    }
}

/// The line can be played, the values are values, no candidate appears twice.
fn check_explanation<G: Game>(game: &G, state: &G::State, choice: &Choice<G>, legal: usize) {
    let mut ahead = state.clone();
    for (index, &mv) in choice.principal_variation.iter().enumerate() {
        assert!(index > 0 || mv == choice.mv, "the line begins with the move");
        let text = game.move_text(&ahead, mv);
        assert_eq!(game.legal_move(&ahead, &text).as_ref(), Ok(&mv), "the line can be played");
        game.play(&mut ahead, mv);
    }
    let values = choice.candidates.iter().filter_map(|candidate| candidate.value).chain(choice.value);
    assert!(values.into_iter().all(|value| (-1.0..=1.0).contains(&value)));
    let mut seen: Vec<G::Move> = choice.candidates.iter().map(|candidate| candidate.mv).collect();
    seen.sort_unstable();
    seen.dedup();
    assert!(seen.len() == choice.candidates.len() && seen.len() <= legal);
}

struct Games(&'static str);

impl Visitor for Games {
    type Output = ();
    fn visit<G: PlayableGame>(self, game: G, start: G::State) {
        for (number, &spec) in SPECS.iter().enumerate() {
            let other = SPECS[(number + 1) % SPECS.len()];
            let once = play(&game, &start, [spec, other], Seed(1).named(self.0));
            let again = play(&game, &start, [spec, other], Seed(1).named(self.0));
            assert!(once == again, "{}: {spec}: same seed, same game", self.0);
        }
    }
}

#[test]
fn every_agent_plays_every_game_and_the_same_seed_gives_the_same_game() {
    for_each_sample(Games);
}

/// Score of the first spec over `pairs` pairs with swapped seats, from 0 to 1.
struct Score<'a> {
    specs: [&'a str; 2],
    pairs: u64,
}

impl Visitor for Score<'_> {
    type Output = f32;
    fn visit<G: PlayableGame>(self, game: G, start: G::State) -> f32 {
        let [strong, weak] = self.specs;
        let mut score = 0.0;
        for pair in 0..self.pairs {
            let seed = Seed(2).numbered(pair);
            score += play(&game, &start, [strong, weak], seed).1.reward(Player::First);
            score += play(&game, &start, [weak, strong], seed).1.reward(Player::Second);
        }
        score / (2 * self.pairs) as f32
    }
}

#[test]
fn thinking_beats_not_thinking() {
    // One deterministic game, one with points and chance, and the default of every other game.
    for info in plyground_games::infos() {
        for strong in ["mc:playouts=30", "mcts:sims=400"] {
            let score = open(info.name, None, Score { specs: [strong, "random"], pairs: 15 }).unwrap();
            assert!(score >= 0.75, "{}: {strong} scores {score} against random", info.name);
        }
    }
    for (game, strong) in [("tictactoe", "minimax:depth=9"), ("pawn", "minimax:depth=5"), ("tuc-chess", "minimax:depth=1")] {
        let score = open(game, None, Score { specs: [strong, "random"], pairs: 15 }).unwrap();
        assert!(score >= 0.8, "{game}: {strong} scores {score} against random");
    }
}

/// A pseudo-random evaluator: nothing about the game helps a search to be right by luck.
struct Hashed;

impl<G: Game> Evaluator<G> for Hashed {
    fn score(&self, game: &G, state: &G::State) -> f32 {
        (game.hash(state) % 2_001) as f32 - 1_000.0
    }
}

/// Minimax by its definition, written apart from the agent.
fn definition<G: Game>(game: &G, state: &G::State, depth: u32, ply: u32) -> f64 {
    let child = |mv| {
        let mut child = state.clone();
        game.play(&mut child, mv);
        child
    };
    match game.turn(state) {
        Turn::Over(outcome) => f64::from(outcome.value() * (WIN_SCORE - ply as f32)),
        Turn::Chance => {
            let mut outcomes = Vec::new();
            game.chance(state, &mut outcomes);
            outcomes.into_iter().map(|(mv, p)| p * definition(game, &child(mv), depth, ply)).sum()
        }
        Turn::Player(_) if depth == 0 => f64::from(Hashed.score(game, state)),
        Turn::Player(player) => {
            let mut moves = Vec::new();
            game.moves(state, &mut moves);
            let scores = moves.into_iter().map(|mv| definition(game, &child(mv), depth - 1, ply + 1));
            if player == Player::First { scores.fold(f64::MIN, f64::max) } else { scores.fold(f64::MAX, f64::min) }
        }
    }
}

struct MinimaxLaw(&'static str);

impl Visitor for MinimaxLaw {
    type Output = ();
    fn visit<G: PlayableGame>(self, game: G, start: G::State) {
        let mut rng = Seed(3).named(self.0).rng();
        let mut scratch = Scratch::default();
        let mut state = start.clone();
        for _ in 0..30 {
            match game.turn(&state) {
                Turn::Over(_) => state = start.clone(),
                Turn::Chance => {
                    let mv = game.random_outcome(&state, &mut rng, &mut scratch);
                    game.play(&mut state, mv);
                    continue;
                }
                Turn::Player(_) => {}
            }
            game.moves(&state, &mut scratch.moves);
            let depth = if scratch.moves.len() > 40 { 1 } else { 2 };
            let mut agent = plyground_agents::Minimax::new(&Params::default(), Hashed).unwrap();
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            let budget = Budget { limits, clock: &NoClock };
            let request = SearchRequest { game: &game, state: &state, budget, rng: &mut rng, observer: &mut NoObserver };
            let choice: Choice<G> = plyground_core::Agent::choose(&mut agent, request).unwrap();
            let mut after = state.clone();
            game.play(&mut after, choice.mv);
            let (best, chosen) = (definition(&game, &state, depth, 0), definition(&game, &after, depth - 1, 1));
            let here = game.position_text(&state);
            assert!((best - chosen).abs() <= 1e-3 * best.abs().max(1.0), "{}: {here}: {chosen}, not {best}", self.0);
            let mv = game.random_move(&state, &mut rng, &mut scratch);
            game.play(&mut state, mv);
        }
    }
}

#[test]
fn minimax_is_what_its_definition_says() {
    for_each_sample(MinimaxLaw);
}

#[test]
fn tic_tac_toe_is_a_draw_and_minimax_never_loses_it() {
    struct Exhaustive;
    impl Visitor for Exhaustive {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            for perfect in Player::BOTH {
                let mut known = HashMap::new();
                assert!(worst(&game, &start, perfect, &mut known) >= 0.0, "{perfect:?}");
            }
        }
    }
    /// The worst result that `perfect` gets, whatever the other side plays.
    fn worst<G: PlayableGame>(game: &G, state: &G::State, perfect: Player, known: &mut HashMap<u64, f32>) -> f32 {
        let key = game.hash(state);
        if let Some(&value) = known.get(&key) {
            return value;
        }
        let mut moves = Vec::new();
        let value = match game.turn(state) {
            Turn::Over(outcome) => return outcome.value() * perfect.sign(),
            Turn::Player(player) if player == perfect => {
                let choice = choose(game, state, "minimax:depth=9", Limits::default(), &mut Seed(key).rng());
                moves.push(choice.mv);
                f32::MAX
            }
            _ => {
                game.moves(state, &mut moves);
                f32::MAX
            }
        };
        let value = moves.into_iter().fold(value, |worst_yet, mv| {
            let mut child = state.clone();
            game.play(&mut child, mv);
            worst_yet.min(worst(game, &child, perfect, known))
        });
        known.insert(key, value);
        value
    }
    open_one::<mnk::Rules, _>("tictactoe", None, Exhaustive).unwrap();
}

#[test]
fn budgets_are_kept_and_a_watcher_can_stop() {
    struct Stop(u32);
    impl<M> SearchObserver<M> for Stop {
        fn progress(&mut self, progress: &Progress<'_, M>) -> ControlFlow<()> {
            assert!((0.0..=1.0).contains(&progress.done));
            self.0 += 1;
            if self.0 >= 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    struct Limited;
    impl Visitor for Limited {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let mut rng = Seed(4).rng();
            for (spec, sims) in [("mc:playouts=7", 7 * 9), ("mc:sims=100", 100), ("mcts:sims=500", 500), ("mcts", 1_000)] {
                let choice = choose(&game, &start, spec, Limits::default(), &mut rng);
                assert_eq!(choice.simulations, sims, "{spec}");
            }
            let limits = Limits { simulations: Some(33), ..Limits::default() };
            assert_eq!(choose(&game, &start, "mcts:sims=500", limits, &mut rng).simulations, 33);
            let nodes = choose(&game, &start, "minimax:nodes=5000", Limits::default(), &mut rng).nodes;
            assert!((5_000..5_100).contains(&nodes), "{nodes}");
            for spec in ["alphabeta:nodes=500", "pvs:nodes=500", "mtdf:nodes=500", "sss:nodes=500", "sss:form=list,nodes=500"] {
                let nodes = choose(&game, &start, spec, Limits::default(), &mut rng).nodes;
                assert_eq!(nodes, 500, "{spec}");
            }
            for spec in ["mc:sims=1000000000", "mcts:sims=1000000000", "minimax:depth=9", "alphabeta:depth=9,tt=0,order=none"] {
                let spec = AgentSpec::parse(spec, &game).unwrap();
                let budget = Budget { limits: spec.limits().unwrap(), clock: &NoClock };
                let choice = build(&spec, &game, &NoResources)
                    .unwrap()
                    .choose(SearchRequest { game: &game, state: &start, budget, rng: &mut rng, observer: &mut Stop(0) })
                    .unwrap();
                assert!(choice.nodes < 1_000_000, "{}: stopped", spec.text());
            }
        }
    }
    open_one::<mnk::Rules, _>("tictactoe", None, Limited).unwrap();
}

#[test]
fn bad_specs_are_refused() {
    for (spec, message) in [
        ("level4", "malformed level 'level4': expected level=1 to level=8"),
        ("level=9", "malformed level 'level=9': expected level=1 to level=8"),
        ("random:simms=3", "unknown key of random 'simms'; expected one of tb, slip"),
        ("mc:simms=3", "unknown key of mc 'simms' (did you mean 'sims'?); expected one of playouts, sims, time, tb, slip"),
        ("mc:slip=2", "malformed value 'slip=2': expected slip from 0 to 1"),
        ("mcts:sims=many", "malformed value 'sims=many': expected sims from 1 to 18446744073709551615"),
        ("mcts:sims", "malformed key 'sims': expected sims=N"),
        ("mcts:c=NaN", "malformed value 'c=NaN': expected c from 0 to 100"),
        ("random:sims=3", "unknown key of random 'sims'; expected one of tb, slip"),
        ("minimax:eval=linez", "unknown value of 'eval' 'linez' (did you mean 'lines'?); expected one of lines, report"),
        (
            "minimax:depth=0",
            "malformed value 'depth=0': expected depth from 1 to 10000; what an evaluation says without a search: ply eval GAME --position P",
        ),
        ("pvs:order=hash+luck", "unknown criterion of order 'luck'; expected one of hash, killers, history, hints, none"),
        ("pvs:order=hash+hints+hash", "malformed order 'hash+hints+hash': 'hash' is there twice"),
        ("alphabeta:aspiration=wide", "malformed value 'aspiration=wide': expected aspiration from 0 to 1000000"),
        (
            "alphabeta:chance=none",
            "unknown value of 'chance' 'none' (did you mean 'ignore'?); expected one of expect, ignore, sample",
        ),
        (
            "expectimax:chance=sample,samples=3",
            "malformed key 'samples': it belongs to chance=expect: otherwise there is nothing to average over",
        ),
        ("pvs:ends=eval,contempt=1", "malformed key 'contempt': with ends=eval a draw counts what the evaluator says"),
        ("sss:form=list,reduce=3", "malformed key 'reduce': form=list searches all lines to the same depth"),
        ("mcts:time=1", "malformed duration '1': expected a number and ms, s or min, like 100ms or 1.5s"),
    ] {
        assert_eq!(refusal("mnk", spec).as_deref(), Some(message), "{spec}");
    }
    let names: Vec<&str> = INFOS.iter().map(|info| info.name).collect();
    for (spec, hint) in [("mtcs", " (did you mean 'mcts'?)"), ("", "")] {
        let opponents = "report-mcts-1000, report-mcts-careful, report-opponent, report-minimax";
        let names = names.join(", ");
        let message = format!("unknown agent '{spec}'{hint}; expected one of {names}, level=1 to level=8, best, {opponents}");
        assert_eq!(refusal("mnk", spec), Some(message));
    }
}

#[test]
fn an_agent_without_a_player_to_move_says_so() {
    struct Finished;
    impl Visitor for Finished {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, state: G::State) {
            let budget = Budget { limits: Limits::default(), clock: &NoClock };
            // Those that cannot do without a network are in `net.rs`.
            for info in INFOS.iter().filter(|info| !["net", "az"].contains(&info.name)) {
                let mut agent = build(&AgentSpec::parse(info.name, &game).unwrap(), &game, &NoResources).unwrap();
                let (rng, observer) = (&mut Seed(5).rng(), &mut NoObserver);
                assert!(agent.choose(SearchRequest { game: &game, state: &state, budget, rng, observer }).is_err());
            }
        }
    }
    open_one::<mnk::Rules, _>("tictactoe", Some("xxx/oo1/3 o 3"), Finished).unwrap();
}
