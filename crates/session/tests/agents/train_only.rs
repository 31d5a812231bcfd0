//! Networks that learn from games of their own: that they learn, that the same training gives the same network, and what is refused.

use std::ops::ControlFlow;

use plyground_agents::{AgentSpec, Learner};
use plyground_core::{
    Agent, Budget, Game, InputError, Limits, NoClock, NoObserver, NoResources, PlayableGame, Player, Resources, Scratch,
    SearchRequest, Seed, Turn, Visitor, encoder,
};
use plyground_games::{clobber, for_each_sample, mnk, open_one};
use plyground_nets::weights;
use plyground_session::{build_agent, build_learner, build_training_opponent};

struct OneFile(Vec<u8>);

impl Resources for OneFile {
    fn read(&self, _: &str) -> Result<Vec<u8>, InputError> {
        Ok(self.0.clone())
    }
}

fn enrolled<G: PlayableGame>(game: &G, spec: &str) -> Result<Box<dyn Learner<G>>, InputError> {
    build_learner(&AgentSpec::parse(spec, game)?, game)
}

fn go_on(_: plyground_agents::TrainingProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Points of an agent in games against random moves, as often first as second.
fn against_random<G: Game>(agent: &mut dyn Agent<G>, game: &G, games: u64) -> f64 {
    let mut points = 0.0;
    for number in 0..games {
        let seat = Player::BOTH[number as usize % 2];
        let (mut state, mut scratch, mut rng) = (game.start(), Scratch::default(), Seed(8).numbered(number).rng());
        points += loop {
            let mv = match game.turn(&state) {
                Turn::Over(outcome) => break f64::from(outcome.reward(seat)),
                Turn::Chance => game.random_outcome(&state, &mut rng, &mut scratch),
                Turn::Player(player) if player == seat => {
                    let budget = Budget { limits: Limits::default(), clock: &NoClock };
                    let request = SearchRequest { game, state: &state, budget, rng: &mut rng, observer: &mut NoObserver };
                    agent.choose(request).unwrap().mv
                }
                Turn::Player(_) => game.random_move(&state, &mut rng, &mut scratch),
            };
            game.play(&mut state, mv);
        };
    }
    points / games as f64
}

const SPECS: [&str; 5] = [
    "ffn",
    "ffn:play=both,hidden=5+4,halve=3",
    "ffn:conv=2,hidden=4,encoder=general",
    "reinforce:hidden=8",
    "ppo:hidden=8,batch=4",
];

#[test]
fn every_game_can_be_learnt_and_interruptions_make_no_difference() {
    struct Learns(&'static str);
    impl Visitor for Learns {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, _: G::State) {
            for spec in SPECS {
                let here = format!("{} {spec}", self.0);
                let [mut through, mut stopped, mut resumed] = [1, 2, 3].map(|_| enrolled(&game, spec).unwrap());
                through.train(&game, 6, &mut go_on);
                stopped.train(&game, 2, &mut go_on);
                stopped.train(&game, 0, &mut go_on);
                resumed.load(&game, "FILE", &stopped.save(&game)).unwrap();
                assert_eq!(resumed.learnt(), stopped.learnt(), "{here}");
                resumed.train(&game, 4, &mut go_on);
                assert_eq!((resumed.learnt().games, resumed.learnt()), (6, through.learnt()), "{here}");
                let file = through.save(&game);
                assert!(resumed.save(&game).len() == file.len() && resumed.save(&game) == through.save(&game), "{here}");
                // What plays by the file plays what the pupil plays.
                let player = AgentSpec::parse(&through.player("FILE"), &game).unwrap();
                let mut player = build_agent(&player, &game, &OneFile(file)).unwrap();
                let state = game.start();
                if let Turn::Player(_) = game.turn(&state) {
                    let ask = |agent: &mut dyn Agent<G>| {
                        let budget = Budget { limits: Limits::default(), clock: &NoClock };
                        let (rng, observer) = (&mut Seed(1).rng(), &mut NoObserver);
                        agent.choose(SearchRequest { game: &game, state: &state, budget, rng, observer }).unwrap().mv
                    };
                    assert_eq!(ask(player.as_mut()), ask(through.as_mut()), "{here}");
                }
            }
        }
    }
    for_each_sample(Learns);
}

#[test]
fn they_learn() {
    struct Better {
        spec: &'static str,
        games: u64,
        least: f64,
    }
    impl Visitor for Better {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, _: G::State) {
            let mut pupil = enrolled(&game, self.spec).unwrap();
            let before = against_random(pupil.as_mut(), &game, 400);
            pupil.train(&game, self.games, &mut go_on);
            let after = against_random(pupil.as_mut(), &game, 400);
            assert!(after >= self.least && after > before, "{}: {before} before, {after} after", self.spec);
        }
    }
    open_one::<clobber::Rules, _>("clobber:size=4x4", None, Better { spec: "ffn:play=own", games: 50_000, least: 0.7 }).unwrap();
    open_one::<mnk::Rules, _>("tictactoe", None, Better { spec: "reinforce", games: 30_000, least: 0.85 }).unwrap();
    open_one::<mnk::Rules, _>("tictactoe", None, Better { spec: "ppo", games: 30_000, least: 0.85 }).unwrap();
}

/// A learner with an opponent: `against` is its spec, with `+` before it if it learns, too; files are read from `file`.
fn opposed<G: PlayableGame>(game: &G, spec: &str, against: &str, file: Vec<u8>) -> Result<Box<dyn Learner<G>>, InputError> {
    let mut pupil = enrolled(game, spec)?;
    let (learns, against) = against.strip_prefix('+').map_or((false, against), |against| (true, against));
    let opponent = build_training_opponent(&AgentSpec::parse(against, game)?, game, learns, &OneFile(file))?;
    pupil.play_against(game, against, opponent)?;
    Ok(pupil)
}

#[test]
fn training_against_an_opponent_can_be_interrupted() {
    struct Learns;
    impl Visitor for Learns {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, _: G::State) {
            let other = enrolled(&game, "ffn:seed=5").unwrap().save(&game);
            for against in ["random", "mc:playouts=1", "mcts:sims=3", "minimax:depth=1", "net:net=FILE", "+net:net=FILE"] {
                for spec in ["ffn", "ffn:play=second", "ffn:play=second,view=first", "ffn:play=own"] {
                    let here = format!("{} {spec} {against}", game.spec());
                    let [mut through, mut stopped, mut resumed] =
                        [1, 2, 3].map(|_| opposed(&game, spec, against, other.clone()).unwrap());
                    through.train(&game, 6, &mut go_on);
                    stopped.train(&game, 4, &mut go_on);
                    resumed.load(&game, "FILE", &stopped.save(&game)).unwrap();
                    if let Some(opponent) = stopped.save_opponent(&game) {
                        resumed.load_opponent(&game, "OPPONENT", &opponent).unwrap();
                    }
                    resumed.train(&game, 2, &mut go_on);
                    assert_eq!(resumed.save(&game), through.save(&game), "{here}");
                    assert_eq!(resumed.save_opponent(&game), through.save_opponent(&game), "{here}");
                    assert_eq!(through.save_opponent(&game).is_some(), against.starts_with('+'), "{here}");
                    let games = |pupil: &dyn Learner<G>| pupil.results().unwrap().iter().sum::<u64>();
                    assert_eq!((games(through.as_ref()), games(resumed.as_ref())), (6, 2), "{here}");
                }
            }
        }
    }
    open_one::<clobber::Rules, _>("clobber:size=4x4", None, Learns).unwrap();
    open_one::<mnk::Rules, _>("tictactoe", None, Learns).unwrap();
}

#[test]
fn the_way_of_the_thesis_and_the_older_specs_meet_where_they_are_the_same() {
    struct Weights(&'static str, Option<&'static str>);
    impl Visitor for Weights {
        type Output = Vec<Vec<f32>>;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Self::Output {
            let mut pupil = match self.1 {
                Some(against) => opposed(&game, self.0, against, Vec::new()).unwrap(),
                None => enrolled(&game, self.0).unwrap(),
            };
            pupil.train(&game, 50, &mut go_on);
            let (_, network) = weights::read(&pupil.save(&game)).unwrap();
            network.tensors().into_iter().map(|tensor| tensor.values).collect()
        }
    }
    let weights = |spec, against| open_one::<clobber::Rules, _>("clobber:size=4x4", None, Weights(spec, against)).unwrap();
    // Black's view is the first player's, and random moves are random moves.
    assert_eq!(weights("ffn", Some("random")), weights("ffn:play=first", None));
    assert_eq!(weights("ffn:play=second,view=first", Some("random")), weights("ffn:play=second", None));
    assert_ne!(weights("ffn:play=second", Some("random")), weights("ffn:play=second", None));
    assert_ne!(weights("ffn:halve=10", Some("random")), weights("ffn", Some("random")));
}

#[test]
fn opponents_that_cannot_be_trained_against_are_refused() {
    struct Refuse(&'static str, &'static str);
    impl Visitor for Refuse {
        type Output = String;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> String {
            let file = enrolled(&game, "ffn:hidden=7").unwrap().save(&game);
            opposed(&game, self.0, self.1, file).err().map_or_else(String::new, |error| error.to_string())
        }
    }
    for (spec, against, message) in [
        ("q", "random", "expected --agent ffn, which trains against an opponent"),
        ("ffn", "alphabeta", "unknown opponent to train against 'alphabeta'; expected one of random, mc, mcts, minimax, net"),
        ("ffn", "mcts:time=1s", "expected an opponent without a time limit"),
        ("ffn:play=random", "random", "with an opponent expected play=first, play=second or play=own, found play=random"),
        ("ffn:play=both", "random", "found play=both"),
        ("ffn:view=own,play=own", "random", "expected play=first or play=second beside it, found play=own"),
        ("ffn", "+random", "expected net:net=FILE, a network that learns, too"),
        ("ffn", "+net:net=FILE", "expected a network of ffn with hidden=20, beta=2, conv=0 and encoder=thesis, found another"),
        ("ffn:conv=2,encoder=thesis", "random", "expected one with a board, e.g. encoder=general"),
    ] {
        let found = open_one::<clobber::Rules, _>("clobber:size=4x4", None, Refuse(spec, against)).unwrap();
        assert!(found.contains(message), "{spec} {against}: {found}");
    }
    assert_eq!(open_one::<clobber::Rules, _>("clobber:size=4x4", None, Refuse("ffn:hidden=7", "+net:net=FILE")).unwrap(), "");
}

#[test]
fn the_thesis_saw_one_number_for_each_square_and_the_side() {
    struct Sees(&'static [f32]);
    impl Visitor for Sees {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, state: G::State) {
            let eyes = encoder(&game, "thesis").unwrap();
            let mut numbers = Vec::new();
            eyes.encode(&game, &state, &mut numbers);
            assert_eq!(numbers, self.0);
            assert_eq!(eyes.planes()[..3], ["a2", "b2", "c2"]);
            assert_eq!((eyes.board(), eyes.planes().len()), ([1, 1], 7));
        }
    }
    open_one::<clobber::Rules, _>("clobber", Some("xo1/1ox x"), Sees(&[1.0, -1.0, 0.0, 0.0, -1.0, 1.0, 1.0])).unwrap();
    open_one::<clobber::Rules, _>("clobber", Some("xo1/1ox o"), Sees(&[1.0, -1.0, 0.0, 0.0, -1.0, 1.0, -1.0])).unwrap();
}

#[test]
fn what_does_not_fit_is_refused() {
    struct Refuse<'a>(&'a str, Option<Vec<u8>>);
    impl Visitor for Refuse<'_> {
        type Output = Result<Vec<u8>, String>;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Self::Output {
            let words = |error: InputError| error.to_string();
            let mut pupil = enrolled(&game, self.0).map_err(words)?;
            if let Some(file) = &self.1 {
                pupil.load(&game, "FILE", file).map_err(words)?;
            }
            Ok(pupil.save(&game))
        }
    }
    struct Play(&'static str);
    impl Visitor for Play {
        type Output = String;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> String {
            build_agent(&AgentSpec::parse(self.0, &game).unwrap(), &game, &NoResources).map(|_| ()).unwrap_err().to_string()
        }
    }
    let ask =
        |game: &str, spec: &str, file: Option<&[u8]>| open_among!([clobber, mnk], game, Refuse(spec, file.map(<[u8]>::to_vec)));
    let file = ask("clobber:size=4x4", "ffn:seed=3", None).unwrap();
    assert!(ask("clobber:size=4x4", "ffn:seed=3", Some(&file)).is_ok());
    for (game, spec, bytes, message) in [
        ("clobber:size=4x4", "ffn", Some(&file[..]), "it comes from 'ply train clobber:size=4x4 --agent ffn:"),
        ("clobber:size=4x4", "reinforce", Some(&file[..]), "it comes from"),
        ("clobber:size=5x4", "ffn:seed=3", Some(&file[..]), "it sees 17 numbers"),
        ("tictactoe", "ffn", Some(&file[..]), "it is for clobber, not for mnk"),
        ("clobber:size=4x4", "ffn:seed=3", Some(&file[..99]), "damaged or no safetensors"),
        (
            "clobber",
            "ffn:encoder=eyes",
            None,
            "unknown encoding of clobber:size=5x6 'eyes'; expected one of general, mover, thesis",
        ),
        ("clobber", "ffn:lost=2", None, "lost"),
        ("clobber", "reinforce:net=x", None, "unknown key of reinforce 'net'"),
    ] {
        let found = ask(game, spec, bytes).unwrap_err();
        assert!(found.contains(message), "{spec}: {found}");
    }
    for spec in SPECS {
        let found = open_one::<clobber::Rules, _>("clobber", None, Play(spec)).unwrap();
        assert!(
            found.ends_with("it only learns: train it with ply train GAME --agent SPEC --out FILE, then net:net=FILE plays"),
            "{found}"
        );
    }
}
