//! Q-learning: perfect where it has seen everything, and careful with its files.

use std::collections::HashMap;
use std::ops::ControlFlow;

use plyground_agents::{AgentSpec, Learner};
use plyground_core::{
    Agent, Budget, Choice, Game, InputError, Limits, NoClock, NoObserver, NoResources, PlayableGame, Player, Progress, Resources,
    Scratch, SearchObserver, SearchRequest, Seed, Turn, Visitor,
};
use plyground_games::{for_each_sample, mnk, open, open_one};
use plyground_session::{build_agent, build_learner};

fn choose<G: Game>(agent: &mut (impl Agent<G> + ?Sized), game: &G, state: &G::State, seed: u64) -> Choice<G> {
    let budget = Budget { limits: Limits::default(), clock: &NoClock };
    agent.choose(SearchRequest { game, state, budget, rng: &mut Seed(seed).rng(), observer: &mut NoObserver }).unwrap()
}

fn enrolled<G: PlayableGame>(game: &G, spec: &str) -> Box<dyn Learner<G>> {
    build_learner(&AgentSpec::parse(spec, game).unwrap(), game).unwrap()
}

fn trained<G: PlayableGame>(game: &G, spec: &str, games: u64) -> Box<dyn Learner<G>> {
    let mut agent = enrolled(game, spec);
    agent.train(game, games, &mut |_| ControlFlow::Continue(()));
    assert_eq!(agent.learnt().games, games);
    agent
}

fn children<G: Game>(game: &G, state: &G::State) -> Vec<(G::Move, G::State)> {
    let mut moves = Vec::new();
    game.moves(state, &mut moves);
    let child = |mv| {
        let mut child = state.clone();
        game.play(&mut child, mv);
        (mv, child)
    };
    moves.into_iter().map(child).collect()
}

/// The result for the first player when both play perfectly, by brute force, for every position that can be reached.
fn solve<G: Game>(game: &G, state: &G::State, known: &mut HashMap<G::State, f32>) -> f32 {
    if let Some(&value) = known.get(state) {
        return value;
    }
    let value = match game.turn(state) {
        Turn::Over(outcome) => outcome.value(),
        Turn::Chance => unreachable!("no chance in these games"),
        Turn::Player(player) => {
            let values = children(game, state).into_iter().map(|(_, child)| player.sign() * solve(game, &child, known));
            player.sign() * values.fold(f32::NEG_INFINITY, f32::max)
        }
    };
    known.insert(state.clone(), value);
    value
}

/// The worst result that the agent gets as `seat`, whatever the other side plays.
fn worst<G: Game>(
    agent: &mut dyn Learner<G>,
    game: &G,
    state: &G::State,
    seat: Player,
    known: &mut HashMap<G::State, f32>,
) -> f32 {
    if let Some(&value) = known.get(state) {
        return value;
    }
    let mut replies = match game.turn(state) {
        Turn::Over(outcome) => return outcome.value() * seat.sign(),
        _ => children(game, state),
    };
    if game.turn(state) == Turn::Player(seat) {
        let mv = choose(agent, game, state, 0).mv;
        replies.retain(|reply| reply.0 == mv);
    }
    let value = replies.iter().map(|(_, child)| worst(agent, game, child, seat, known)).fold(f32::INFINITY, f32::min);
    known.insert(state.clone(), value);
    value
}

/// Plays perfectly in every position and against every reply.
struct Perfect {
    spec: &'static str,
    positions: usize,
    start: f32,
}

impl Visitor for Perfect {
    type Output = ();
    fn visit<G: PlayableGame>(self, game: G, start: G::State) {
        let mut values = HashMap::new();
        let value = solve(&game, &start, &mut values);
        assert_eq!((values.len(), value), (self.positions, self.start), "{}", game.spec());
        let mut agent = enrolled(&game, self.spec);
        let episodes = agent.episodes();
        agent.train(&game, episodes, &mut |_| ControlFlow::Continue(()));
        let mut mistakes = Vec::new();
        for (state, &value) in &values {
            if matches!(game.turn(state), Turn::Player(_)) {
                let mv = choose(agent.as_mut(), &game, state, 1).mv;
                let after = children(&game, state).into_iter().find(|child| child.0 == mv).unwrap().1;
                if values[&after] != value {
                    mistakes.push(game.position_text(state));
                }
            }
        }
        assert!(mistakes.is_empty(), "{}: {} mistakes: {mistakes:?}", game.spec(), mistakes.len());
        for seat in Player::BOTH {
            let result = worst(agent.as_mut(), &game, &start, seat, &mut HashMap::new());
            assert_eq!(result, value * seat.sign(), "{}: as {seat:?}", game.spec());
        }
    }
}

#[test]
fn perfect_in_all_positions_of_small_games() {
    for (game, positions, start) in [("tictactoe", 5_478, 0.0), ("pawn:size=3x3", 135, -1.0), ("pawn:size=4x3", 1_128, 1.0)] {
        for spec in ["q", "q:seed=1,alpha=0.5,epsilon=0.2", "q:alpha=1,gamma=1"] {
            open_among!([mnk, pawn], game, Perfect { spec, positions, start });
        }
    }
}

/// Says stop when asked for the fiftieth time.
struct Stop(u32);
impl<M> SearchObserver<M> for Stop {
    fn progress(&mut self, _: &Progress<'_, M>) -> ControlFlow<()> {
        self.0 += 1;
        if self.0 < 50 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

#[test]
fn without_a_table_it_trains_itself_before_its_first_move() {
    struct SelfTaught;
    impl Visitor for SelfTaught {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let mut agent = build_agent(&AgentSpec::parse("q:episodes=3000", &game).unwrap(), &game, &NoResources).unwrap();
            let first = choose(agent.as_mut(), &game, &start, 1);
            let second = choose(agent.as_mut(), &game, &start, 1);
            assert_eq!((first.simulations, second.simulations, first.mv), (3_000, 0, second.mv));
            assert_eq!(first.principal_variation.len(), 9, "both sides play for the draw, to the end");
            assert!(first.value.unwrap().abs() < 0.01 && first.notes.is_empty() && first.candidates.len() == 9);

            // A stop in the middle is answered with what there is, and training goes on with the next move.
            let mut agent = build_agent(&AgentSpec::parse("q:episodes=3000", &game).unwrap(), &game, &NoResources).unwrap();
            let budget = Budget { limits: Limits::default(), clock: &NoClock };
            let request = SearchRequest { game: &game, state: &start, budget, rng: &mut Seed(1).rng(), observer: &mut Stop(0) };
            let stopped = agent.choose(request).unwrap();
            assert!((20..1_000).contains(&stopped.simulations), "{}", stopped.simulations);
            assert!(stopped.notes[0].contains("of 3000 training games"), "{:?}", stopped.notes);
            let caught_up = choose(agent.as_mut(), &game, &start, 1);
            assert_eq!(stopped.simulations + caught_up.simulations, 3_000);
            assert_eq!((caught_up.mv, caught_up.value), (first.mv, first.value), "the stop has left no trace");
        }
    }
    open_one::<mnk::Rules, _>("tictactoe", None, SelfTaught).unwrap();
}

/// A shelf with one file.
struct One(Vec<u8>);

impl Resources for One {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        assert_eq!(name, "FILE");
        Ok(self.0.clone())
    }
}

fn read<G: PlayableGame>(game: &G, file: Vec<u8>) -> Result<Box<dyn Agent<G>>, InputError> {
    build_agent(&AgentSpec::parse("q:table=FILE", game)?, game, &One(file))
}

#[test]
fn training_goes_on_where_it_stopped_and_plays_from_its_file() {
    struct Files;
    impl Visitor for Files {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let whole = trained(&game, "q", 500).save(&game);
            let mut early = trained(&game, "q", 200);
            early.train(&game, 300, &mut |lesson| {
                if lesson.games < 50 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            let so_far = early.learnt().games;
            assert!((250..500).contains(&so_far), "{}: {so_far}", game.spec());
            let mut late = enrolled(&game, "q");
            late.load(&game, "FILE", &early.save(&game)).unwrap();
            late.train(&game, 500 - so_far, &mut |_| ControlFlow::Continue(()));
            assert!(late.save(&game) == whole, "{}: interrupted or not, the same table", game.spec());

            let mut reader = read(&game, whole).unwrap();
            let (from_file, trained) = (choose(reader.as_mut(), &game, &start, 3), choose(late.as_mut(), &game, &start, 3));
            assert_eq!((from_file.mv, from_file.value, from_file.simulations), (trained.mv, trained.value, 0));
        }
    }
    for game in ["tictactoe", "pawn", "clobber:size=3x3", "crosphere:size=3x3,strong=1"] {
        open_among!([mnk, pawn, clobber, crosphere], game, Files);
    }
}

#[test]
fn bad_files_are_refused_with_a_reason() {
    struct Bad(Vec<u8>);
    impl Visitor for Bad {
        type Output = String;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> String {
            read(&game, self.0).err().map_or("read".to_owned(), |error| error.to_string())
        }
    }
    struct Good;
    impl Visitor for Good {
        type Output = Vec<u8>;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Vec<u8> {
            trained(&game, "q", 20).save(&game)
        }
    }
    let good = open_one::<mnk::Rules, _>("tictactoe", None, Good).unwrap();
    let reason = |game: &str, file: &[u8]| open_among!([mnk], game, Bad(file.to_vec()));
    assert_eq!(reason("tictactoe", &good), "read");
    let other = reason("mnk:size=4x4", &good);
    assert!(other.contains("it was learnt for 'mnk:size=3x3,k=3', not for mnk:size=4x4"), "{other}");
    for length in 0..good.len() {
        let cut = reason("tictactoe", &good[..length]);
        assert!(cut.starts_with("malformed q table 'FILE': "), "{length}: {cut}");
    }
    for place in 0..good.len() {
        let mut flipped = good.clone();
        flipped[place] ^= 0x41;
        assert!(reason("tictactoe", &flipped).starts_with("malformed q table"), "byte {place}");
    }
    let with = |place: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[place..place + bytes.len()].copy_from_slice(bytes);
        reason("tictactoe", &file)
    };
    assert!(with(16, &9_u32.to_le_bytes()).contains("expected version 1, found version 9"));
    assert!(with(20, &u32::MAX.to_le_bytes()).contains("cut off in the game"));
    assert!(with(0, b"{").contains("expected the file of a q agent"));
    let spec = "mnk:size=3x3,k=3".len();
    for hostile in [u64::MAX, u64::MAX / 16, 0, 1 << 60] {
        let refused = with(24 + spec + 17, &hostile.to_le_bytes());
        assert!(refused.contains(&format!("expected {hostile} positions of 16 bytes")), "{refused}");
    }
    assert!(reason("tictactoe", &[good.as_slice(), b"x"].concat()).contains("and a checksum, found"));
}

/// Plays a game with both sides, and gives the moves, and how often nothing was known.
fn play<G: Game>(agent: &mut dyn Learner<G>, game: &G, start: &G::State) -> (Vec<G::Move>, usize) {
    let (mut state, mut moves, mut unknown) = (start.clone(), Vec::new(), 0);
    let mut rng = Seed(1).rng();
    loop {
        let mv = match game.turn(&state) {
            Turn::Over(_) => return (moves, unknown),
            Turn::Chance => game.random_outcome(&state, &mut rng, &mut Scratch::default()),
            Turn::Player(_) => {
                let choice = choose(agent, game, &state, moves.len() as u64);
                unknown += usize::from(choice.notes.iter().any(|note| note.contains("nothing was learnt")));
                assert_eq!(choice.value.is_none(), choice.principal_variation.is_empty());
                game.legal_move(&state, &game.move_text(&state, choice.mv)).unwrap()
            }
        };
        moves.push(mv);
        game.play(&mut state, mv);
    }
}

#[test]
fn every_game_can_be_learnt_and_played_and_the_same_seed_gives_the_same_game() {
    struct Games;
    impl Visitor for Games {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let once = play(trained(&game, "q:seed=5", 3).as_mut(), &game, &start);
            let again = play(trained(&game, "q:seed=5", 3).as_mut(), &game, &start);
            assert!(once == again && !once.0.is_empty(), "{}", game.spec());
        }
    }
    for_each_sample(|_| Games);
}

#[test]
fn a_game_that_is_too_large_is_learnt_as_far_as_there_is_room() {
    struct Large;
    impl Visitor for Large {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let mut agent = trained(&game, "q:states=100", 20);
            assert_eq!(agent.learnt().positions, 100);
            assert!(agent.learnt().notes[0].contains("full with 100 positions"), "{:?}", agent.learnt().notes);
            assert!(play(agent.as_mut(), &game, &start).1 > 0, "{}: most positions are unknown", game.spec());
            let mut again = enrolled(&game, "q:states=7");
            again.load(&game, "FILE", &agent.save(&game)).unwrap();
            again.train(&game, 3, &mut |_| ControlFlow::Continue(()));
            assert_eq!(again.learnt().positions, 100, "a table that was read keeps its size");
        }
    }
    for game in ["crosphere", "clobber:size=10x10", "tuc-chess"] {
        open(game, None, Large).unwrap();
    }
}

#[test]
fn bad_keys_are_refused() {
    struct Refuse(&'static str, bool);
    impl Visitor for Refuse {
        type Output = String;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> String {
            let spec = AgentSpec::parse(self.0, &game).unwrap();
            let made = if self.1 {
                build_learner(&spec, &game).map(|_| ())
            } else {
                build_agent(&spec, &game, &NoResources).map(|_| ())
            };
            made.err().map_or("made".to_owned(), |error| error.to_string())
        }
    }
    for (spec, training, message) in [
        ("q:table=FILE,alpha=0.5", false, "malformed key 'alpha': a table that is read from a file is not trained"),
        ("q:table=FILE", false, "malformed file 'FILE': there are no files here"),
        ("q:alpha=2", false, "malformed value 'alpha=2': expected alpha from 0 to 1"),
        ("q:gamma=NaN", true, "malformed value 'gamma=NaN': expected gamma from 0 to 1"),
        ("q:states=0", true, "malformed value 'states=0': expected states from 1 to 100000000"),
        (
            "q:table=FILE",
            true,
            "malformed key 'table': it is for playing; expected episodes, alpha, epsilon, gamma, states, seed",
        ),
        (
            "q:beta=1",
            true,
            "unknown key of q 'beta'; expected one of table, episodes, alpha, epsilon, gamma, states, seed, time, tb, slip",
        ),
        ("mcts:sims=10", true, "unknown agent to train 'mcts'; expected one of q, ffn, reinforce, ppo"),
    ] {
        assert_eq!(open_one::<mnk::Rules, _>("tictactoe", None, Refuse(spec, training)).unwrap(), message, "{spec}");
    }
}
