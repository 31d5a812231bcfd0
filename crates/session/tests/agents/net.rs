//! Agents that ask a network, with networks that have learnt nothing: what they are worth, `ply train` measures; here is what must
//! hold whatever the network says.

use std::ops::ControlFlow;

use plyground_agents::net::{NetEvaluator, SelfPlay, fill, header, play, teach};
use plyground_agents::{AgentSpec, INFOS};
use plyground_core::{
    Agent, Budget, CancelToken, Choice, Game, InputError, Limits, MoverEncoder, NoClock, NoObserver, NoResources, PlayableGame,
    Resources, Scratch, SearchRequest, Seed, StopCheck, Turn, Viewpoint, Visitor, encoder,
};
use plyground_games::{clobber, for_each_sample, mnk, open_one};
use plyground_nets::{Architecture, Batch, Network, Shape, Size, weights};
use plyground_session::build_agent;

/// A network without knowledge, as a file.
fn untaught<G: PlayableGame>(game: &G, seed: u64) -> (Network, Vec<u8>) {
    let name = game.default_encoder();
    let eyes = encoder(game, name).unwrap();
    let [ranks, files] = eyes.board();
    let input = Shape { planes: eyes.planes().len(), ranks, files };
    let architecture = Architecture::policy_value(input, eyes.moves() / (ranks * files), Size { channels: 8, blocks: 1 });
    let network = Network::new(architecture, Seed(seed)).unwrap();
    let file = weights::write(&header(game, name, &network), &network).unwrap();
    (network, file)
}

struct OneFile(Vec<u8>);

impl Resources for OneFile {
    fn read(&self, _: &str) -> Result<Vec<u8>, InputError> {
        Ok(self.0.clone())
    }
}

fn agent<G: PlayableGame>(game: &G, spec: &str, file: &[u8]) -> Result<Box<dyn Agent<G>>, InputError> {
    build_agent(&AgentSpec::parse(spec, game)?, game, &OneFile(file.to_vec()))
}

fn ask<G: PlayableGame>(game: &G, state: &G::State, agent: &mut dyn Agent<G>, simulations: u64, seed: u64) -> Choice<G> {
    let budget = Budget { limits: Limits { simulations: Some(simulations), ..Limits::default() }, clock: &NoClock };
    agent.choose(SearchRequest { game, state, budget, rng: &mut Seed(seed).rng(), observer: &mut NoObserver }).unwrap()
}

/// A position somewhere in a random game, in which a player is to move.
fn somewhere<G: Game>(game: &G, plies: u32, seed: u64) -> G::State {
    let (mut state, mut rng, mut scratch) = (game.start(), Seed(seed).rng(), Scratch::default());
    let mut last = state.clone();
    for _ in 0..plies {
        let mv = match game.turn(&state) {
            Turn::Over(_) => break,
            Turn::Player(_) => game.random_move(&state, &mut rng, &mut scratch),
            Turn::Chance => game.random_outcome(&state, &mut rng, &mut scratch),
        };
        game.play(&mut state, mv);
        if matches!(game.turn(&state), Turn::Player(_)) {
            last = state.clone();
        }
    }
    last
}

#[test]
fn they_play_every_game_and_the_same_seed_gives_the_same_move() {
    struct Every(&'static str);
    impl Visitor for Every {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, _: G::State) {
            let (_, file) = untaught(&game, 1);
            let specs = [
                "net:net=x",
                "net:net=x,by=policy",
                "az:net=x",
                "az:net=x,batch=4",
                "az:net=x,policy=uniform",
                "mcts:leaf=net,net=x",
                "mcts:leaf=net,net=x,solver=on,rave=0.01,transpositions=on",
                "mcts:leaf=net,net=x,bias=0.3,widening=2,fpu=1,reuse=on",
                "mcts:leaf=net,net=x,chance=open",
                "mcts:leaf=net,net=x,threads=2",
                "hybrid:leaf=net,net=x,backprop=2",
            ];
            for spec in specs {
                for plies in [0, 5, 11] {
                    let state = somewhere(&game, plies, 3);
                    let [one, other] = [1, 2].map(|_| {
                        let mut agent = agent(&game, spec, &file).unwrap();
                        ask(&game, &state, agent.as_mut(), 30, 7)
                    });
                    let mut moves = Vec::new();
                    game.moves(&state, &mut moves);
                    assert!(moves.contains(&one.mv), "{} {spec}", self.0);
                    assert_eq!((one.mv, one.value), (other.mv, other.value), "{} {spec}", self.0);
                    assert!(one.value.is_some_and(|value| (-1.0..=1.0).contains(&value)), "{} {spec}: {:?}", self.0, one.value);
                }
            }
        }
    }
    for_each_sample(Every);
}

#[test]
fn a_search_proves_what_is_certain_whatever_the_network_says() {
    struct Proves {
        value: f32,
        best: Option<&'static str>,
    }
    impl Visitor for Proves {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, state: G::State) {
            for seed in 0..5 {
                let (_, file) = untaught(&game, seed);
                for spec in ["az:net=x", "az:net=x,batch=8", "az:net=x,threads=3", "mcts:leaf=net,net=x,solver=on"] {
                    let choice = ask(&game, &state, agent(&game, spec, &file).unwrap().as_mut(), 20_000, seed);
                    assert_eq!(choice.value, Some(self.value), "{spec}");
                    assert!(choice.simulations < 20_000, "{spec}: a proof ends the search");
                    let text = game.move_text(&state, choice.mv);
                    assert!(self.best.is_none_or(|best| text == best), "{spec}: {text}");
                }
            }
        }
    }
    // A win at once, a loss whatever is played, the draw of Tic-Tac-Toe after both have answered well.
    open_one::<mnk::Rules, _>("tictactoe", Some("xx1/oo1/3 x 3"), Proves { value: 1.0, best: Some("c3") }).unwrap();
    open_one::<mnk::Rules, _>("tictactoe", Some("x1x/1o1/x1o o 3"), Proves { value: -1.0, best: None }).unwrap();
    open_one::<mnk::Rules, _>("tictactoe", Some("x2/1o1/2x o 3"), Proves { value: 0.0, best: None }).unwrap();
}

/// After a simulation for each move, every move is worth what the network says of the position behind it.
#[test]
fn a_leaf_is_worth_what_the_network_says() {
    struct Asks(&'static str);
    impl Visitor for Asks {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, state: G::State) {
            let (network, file) = untaught(&game, 4);
            let mut net = NetEvaluator::new(&game, game.default_encoder(), &network, 1).unwrap();
            let mut moves = Vec::new();
            game.moves(&state, &mut moves);
            for spec in ["mcts:leaf=net,net=x", "mcts:leaf=net,net=x,solver=on", "hybrid:leaf=net,net=x,select=0"] {
                let choice = ask(&game, &state, agent(&game, spec, &file).unwrap().as_mut(), moves.len() as u64, 1);
                let Turn::Player(mover) = game.turn(&state) else { unreachable!() };
                assert_eq!(choice.candidates.len(), moves.len(), "{} {spec}", self.0);
                for candidate in &choice.candidates {
                    let mut after = state.clone();
                    game.play(&mut after, candidate.mv);
                    let wanted = match game.turn(&after) {
                        Turn::Over(outcome) => outcome.value(),
                        _ => net.expect(&game, &after),
                    };
                    let found = candidate.value.unwrap() * mover.sign();
                    assert!((found - wanted).abs() < 1e-4, "{} {spec}: {found}, not {wanted}", self.0);
                }
            }
        }
    }
    for name in ["clobber:size=5x6", "crosphere:size=8x8", "tictactoe"] {
        open_among!([clobber, crosphere, mnk], name, Asks(name));
    }
}

/// What the solver at the leaves says is what the solver says of the whole, and with it far less has to be searched.
#[test]
fn the_solver_of_a_game_makes_proofs_of_leaves() {
    struct Asks;
    impl Visitor for Asks {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, _: G::State) {
            struct GoOn;
            impl StopCheck for GoOn {
                fn check(&mut self, _: u64) -> ControlFlow<()> {
                    ControlFlow::Continue(())
                }
            }
            let (_, file) = untaught(&game, 3);
            let mut solver = game.exact_solver(1 << 24, None).unwrap().unwrap();
            let mut proven = [0; 2];
            for seed in 0..40 {
                let state = somewhere(&game, 11, seed);
                let Turn::Player(_) = game.turn(&state) else { continue };
                let worth = solver.value(&game, &state, &mut GoOn).unwrap();
                for (number, spec) in ["az:net=x", "az:net=x,exact=off"].into_iter().enumerate() {
                    let choice = ask(&game, &state, agent(&game, spec, &file).unwrap().as_mut(), 60, seed);
                    let proof = choice.facts.iter().find(|fact| fact.name == "proven").unwrap();
                    if proof.value == 1.0 {
                        assert_eq!(choice.value, Some(worth.value()), "{spec}: {}", game.position_text(&state));
                        proven[number] += 1;
                    }
                }
            }
            assert!(proven[0] >= 20 && proven[1] < proven[0] / 2, "{proven:?}");
        }
    }
    open_one::<clobber::Rules, _>("clobber:size=5x6", None, Asks).unwrap();
}

#[test]
fn a_solver_with_a_network_is_perfect_where_it_has_solved_and_plays_on_where_it_has_not() {
    struct Plays;
    impl Visitor for Plays {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, state: G::State) {
            let (_, file) = untaught(&game, 1);
            for (limit, solved) in [("", true), (",nodes=1", false)] {
                let spec = AgentSpec::parse(&format!("solve:net=x{limit}"), &game).unwrap();
                let mut agent = build_agent(&spec, &game, &OneFile(file.clone())).unwrap();
                let budget = Budget { limits: spec.limits().unwrap(), clock: &NoClock };
                let request =
                    SearchRequest { game: &game, state: &state, budget, rng: &mut Seed(1).rng(), observer: &mut NoObserver };
                let choice = agent.choose(request).unwrap();
                assert_eq!(choice.notes.iter().any(|note| note.contains("not solved")), !solved, "{:?}", choice.notes);
            }
        }
    }
    open_one::<mnk::Rules, _>("mnk:size=4x4,k=4", None, Plays).unwrap();
}

#[test]
fn what_is_kept_from_the_last_move_is_counted() {
    struct Keeps;
    impl Visitor for Keeps {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, mut state: G::State) {
            let (_, file) = untaught(&game, 1);
            let kept = |choice: &Choice<G>| choice.facts.iter().find(|fact| fact.name.starts_with("visits kept")).unwrap().value;
            for (spec, expected) in [("az:net=x", true), ("az:net=x,reuse=no", false)] {
                let mut agent = agent(&game, spec, &file).unwrap();
                let first = ask(&game, &state, agent.as_mut(), 400, 1);
                assert_eq!(kept(&first), 0.0);
                let mut after = state.clone();
                for &mv in &first.principal_variation[..2] {
                    game.play(&mut after, mv);
                }
                let second = ask(&game, &after, agent.as_mut(), 400, 1);
                assert_eq!(kept(&second) > 0.0, expected, "{spec}");
                // And somewhere else altogether nothing is.
                state = game.start();
                assert_eq!(kept(&ask(&game, &somewhere(&game, 9, 1), agent.as_mut(), 10, 1)), 0.0);
            }
        }
    }
    open_one::<clobber::Rules, _>("clobber:size=5x6", None, Keeps).unwrap();
}

#[test]
fn files_that_do_not_fit_are_refused_with_the_reason() {
    struct Refuse<'a>(&'a str, Vec<u8>);
    impl Visitor for Refuse<'_> {
        type Output = Option<String>;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Option<String> {
            agent(&game, self.0, &self.1).err().map(|error| error.to_string())
        }
    }
    struct File;
    impl Visitor for File {
        type Output = Vec<u8>;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Vec<u8> {
            untaught(&game, 1).1
        }
    }
    let clobber = open_one::<clobber::Rules, _>("clobber:size=5x6", None, File).unwrap();
    let mnk = open_one::<mnk::Rules, _>("mnk:size=5x5,k=4", None, File).unwrap();
    let refusal =
        |game: &str, spec: &str, file: &[u8]| open_one::<clobber::Rules, _>(game, None, Refuse(spec, file.to_vec())).unwrap();
    // One network for all sizes, where nothing depends on the size.
    assert_eq!(refusal("clobber:size=8x8", "az:net=x", &clobber), None);
    assert_eq!(refusal("clobber:size=10x10", "az:net=x", &clobber), None);
    for (file, reason) in [
        (&mnk[..], "malformed network 'x': it is for mnk, not for clobber"),
        (&clobber[..clobber.len() - 1], "the file is damaged or no safetensors"),
        (b"nonsense", "the file is damaged or no safetensors"),
        (b"", "the file is damaged or no safetensors"),
    ] {
        let found = refusal("clobber", "az:net=x", file).unwrap();
        assert!(found.contains(reason), "{found}");
    }
    // `solve` can do without one.
    for info in INFOS.iter().filter(|info| info.name != "solve" && info.keys.iter().any(|key| key.key == "net")) {
        let leaf = if info.keys.iter().any(|key| key.key == "leaf") { ":leaf=net" } else { "" };
        let spec = format!("{}{leaf}", info.name);
        let found = refusal("clobber", &spec, &clobber).unwrap();
        assert!(found.contains("expected a network"), "{spec}: {found}");
    }
    for (spec, reason) in [
        ("mcts:net=x", "malformed key 'net': it belongs to leaf=net"),
        ("mcts:leaf=net,net=x,eval=live", "it is not used without"),
        ("mcts:leaf=net,net=x,cut=3", "malformed key 'cut': it belongs to leaf=cut-rollout"),
        ("hybrid:leaf=net,net=x,rollout=2", "malformed key 'rollout': with leaf=net there are no rollouts"),
        ("net:net=x,ends=network", "malformed key 'ends': this network sees as the player to move does"),
        ("net:net=x,ends=network,by=policy", "malformed key 'ends': with by=policy no move is looked at one ply ahead"),
    ] {
        let found = refusal("clobber", spec, &clobber).unwrap();
        assert!(found.contains(reason), "{spec}: {found}");
    }
}

#[test]
fn self_play_games_keep_to_the_rules_and_teach_the_same_through_every_symmetry() {
    struct Learn(&'static str);
    impl Visitor for Learn {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, _: G::State) {
            let (network, _) = untaught(&game, 2);
            let eyes = encoder(&game, game.default_encoder()).unwrap();
            let mut net = NetEvaluator::new(&game, game.default_encoder(), &network, 1).unwrap();
            let cancelled = CancelToken::new();
            cancelled.cancel();
            let how = SelfPlay { full: 8, fast: 4, ..SelfPlay::default() };
            let mut rng = Seed(9).named(self.0).rng();
            let played = play(&game, &mut net, &how, &mut rng, &CancelToken::new()).expect("it is not cancelled");
            let mut teacher = agent(&game, "mcts:sims=8", &[]).unwrap();
            let limits = Limits { simulations: Some(8), ..Limits::default() };
            let taught =
                teach(&game, teacher.as_mut(), limits, 3, &mut rng, &CancelToken::new()).unwrap().expect("it is not cancelled");
            assert!(!taught.targets.is_empty(), "{}", self.0);
            assert!(play(&game, &mut net, &how, &mut rng, &cancelled).is_none(), "{}", self.0);
            for lesson in [&played, &taught] {
                for target in 0..lesson.targets.len() {
                    for symmetry in 0..game.symmetries() {
                        let mut batch = Batch::new(network.architecture());
                        fill(&game, &*eyes, lesson, target, symmetry, 0.5, &mut batch).unwrap();
                        assert_eq!(batch.len(), 1);
                    }
                }
            }
            let mut false_one = taught.clone();
            false_one.moves[0] = u16::MAX;
            if let Some(last) = false_one.targets.iter().position(|target| target.ply > 0) {
                let mut batch = Batch::new(network.architecture());
                assert!(fill(&game, &*eyes, &false_one, last, 0, 0.5, &mut batch).is_err(), "{}", self.0);
            }
        }
    }
    for_each_sample(Learn);
}

/// Where a game says that it looks the same from the other side, it does: a position and the one with everything exchanged are
/// encoded the same way. The exchanged position is reached by the exchanged moves, with a wasted move in between; so it is tested on
/// positions as text.
#[test]
fn both_players_see_the_same() {
    struct Planes;
    impl Visitor for Planes {
        type Output = (Vec<f32>, Vec<usize>);
        fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Self::Output {
            let eyes = encoder(&game, game.default_encoder()).unwrap();
            assert_eq!(eyes.viewpoint(), Viewpoint::Mover);
            let mut planes = Vec::new();
            eyes.encode(&game, &state, &mut planes);
            let mut moves = Vec::new();
            game.moves(&state, &mut moves);
            let mut indices: Vec<usize> = moves.iter().map(|&mv| eyes.move_index(&game, &state, mv).unwrap()).collect();
            indices.sort_unstable();
            (planes, indices)
        }
    }
    for (game, one, other) in [
        ("clobber:size=3x3", "xox/o1o/xox x", "oxo/x1x/oxo o"),
        ("pawn:size=4x4", "pp2/2p1/PP2/2PP w", "2pp/pp2/2P1/PP2 b"),
        ("tuc-chess", "1k1rp/5/*4/2P2/1p3/5/P1K1R w 3 1 20", "p1k1r/5/1P3/2p2/*4/5/1K1RP b 1 3 21"),
        ("crosphere:size=4x4,strong=1", "G3/4/2P1/4 g 0 0", "4/1G2/4/3P p 0 0"),
    ] {
        let [one, other] =
            [one, other].map(|position| open_among!([clobber, pawn, tuc_chess, crosphere], game, Some(position), Planes));
        assert_eq!(one, other, "{game}");
    }
}

#[test]
fn the_usual_encoder_is_one_of_the_game() {
    struct Usual(&'static str);
    impl Visitor for Usual {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, _: G::State) {
            let name = game.default_encoder();
            let own = G::encoders().iter().any(|info| info.name == name);
            assert!((own || name == MoverEncoder::INFO.name) && encoder(&game, name).is_some(), "{}: {name}", self.0);
            assert!(build_agent(&AgentSpec::parse("az:net=x", &game).unwrap(), &game, &NoResources).is_err());
        }
    }
    for_each_sample(Usual);
}
