//! Sessions: games as text, for every game in the list.

use std::any::Any;

use plyground_agents::{AgentSpec, refuse_chance};
use plyground_core::{PlayableGame, Visitor};
use plyground_games::connect_four::ConnectFour;
use plyground_games::for_each_sample;
use plyground_session::{
    AGENTS, JSON_LINES, Limits, NoClock, NoObserver, NoResources, RecordedPlayer, Seed, Session, Turn, build_agent, build_solver,
    draw_board, draw_counters, infos, open, parse_limits, read_any, replay, session_of,
};

fn samples() -> impl Iterator<Item = &'static str> {
    infos().into_iter().flat_map(|info| info.samples.iter().copied())
}

/// Plays a random game with seated agents, as text.
fn play_random(spec: &str, seed: Seed) -> Box<dyn Session> {
    let mut session = open(spec, None).unwrap();
    let seats = [0, 1].map(|player| session.seat("random", seed.numbered(player), &NoResources).unwrap());
    let mut chance = seed.named("chance").rng();
    loop {
        match session.turn() {
            Turn::Over(_) => return session,
            Turn::Chance => assert!(session.roll(&mut chance).is_some()),
            Turn::Player(player) => {
                let seat = seats[player.index()];
                let advice = session.think(seat, Limits::default(), &NoClock, &mut NoObserver).unwrap();
                let number = session.history().len();
                assert_eq!(session.play(&advice.mv).unwrap(), advice.mv);
                assert_eq!(session.mover(number), Some(player));
                session.annotate(Some(0.5), advice.value);
            }
        }
    }
}

fn unnamed_players() -> [RecordedPlayer; 2] {
    [RecordedPlayer::default(), RecordedPlayer::default()]
}

#[test]
fn games_go_through_records_and_back() {
    for sample in samples() {
        for game in 0..5 {
            let session = play_random(sample, Seed(1).named(sample).numbered(game));
            let record = session.record(unnamed_players(), Some(game));
            let text = (JSON_LINES.write)(std::slice::from_ref(&record)).unwrap();
            assert_eq!(read_any(&text).unwrap(), std::slice::from_ref(&record), "{sample}");
            let again = replay(&record).unwrap();
            assert_eq!(again.position(), session.position(), "{sample}");
            assert_eq!(again.spec(), session.spec(), "{sample}");
            assert_eq!(again.record(unnamed_players(), Some(game)), record, "{sample}: times and values stay");
        }
    }
}

#[test]
fn everything_can_be_taken_back() {
    for sample in samples() {
        let mut session = play_random(sample, Seed(2).named(sample));
        let moves: Vec<String> = session.history().iter().map(|played| played.text.clone()).collect();
        let mut positions = vec![session.position()];
        while let Some(played) = session.undo() {
            assert_eq!(played.text, moves[session.history().len()]);
            positions.push(session.position());
        }
        assert_eq!(positions.pop().unwrap(), open(sample, None).unwrap().position());
        for mv in &moves {
            session.play(mv).unwrap();
            assert_eq!(Some(session.position()), positions.pop(), "{sample}");
        }
    }
}

#[test]
fn a_game_from_a_position_remembers_it() {
    for info in infos() {
        let session = open(info.name, Some(info.example.position)).unwrap();
        let record = session.record(unnamed_players(), None);
        assert_eq!(record.start.as_deref(), Some(info.example.position));
        assert_eq!(replay(&record).unwrap().position(), info.example.position, "{}", info.name);
    }
}

#[test]
fn records_that_break_the_rules_are_refused() {
    for sample in samples() {
        let good = play_random(sample, Seed(3).named(sample)).record(unnamed_players(), None);
        let mut wrong_result = good.clone();
        wrong_result.result = if good.result == "draw" { "first" } else { "draw" }.to_owned();
        assert!(replay(&wrong_result).err().unwrap().to_string().contains("the record says"), "{sample}");
        let mut wrong_points = good.clone();
        wrong_points.points = Some([500, 0]);
        assert!(replay(&wrong_points).err().unwrap().to_string().contains("the record says 500:0"), "{sample}");
        let mut too_long = good.clone();
        too_long.moves.push(good.moves[0].clone());
        assert!(replay(&too_long).err().unwrap().to_string().contains("the game is over"), "{sample}");
        let mut mislabelled = good.clone();
        mislabelled.moves[0].chance = true;
        assert!(replay(&mislabelled).err().unwrap().to_string().contains("move 1 of the game"), "{sample}");
        let mut nonsense = good;
        nonsense.moves[0].text = "nonsense".to_owned();
        assert!(replay(&nonsense).err().unwrap().to_string().contains("move 1 of the game"), "{sample}");
    }
}

#[test]
fn agents_take_a_seat_in_every_game_and_nonsense_does_not() {
    for sample in samples() {
        let mut session = open(sample, None).unwrap();
        for agent in AGENTS {
            if let Err(refusal) = session.seat(agent.name, Seed(4), &NoResources) {
                let refusal = refusal.to_string();
                let expected: &[&str] = match agent.name {
                    "solve" => &["chance"],
                    // Where the game has one of its own, it is not among these resources.
                    "net" | "az" => &["expected a network", "there are no files here"],
                    _ => &[],
                };
                assert!(expected.iter().any(|words| refusal.contains(words)), "{sample} {}: {refusal}", agent.name);
            }
            assert!(session.seat(&format!("{}:nonsense=1", agent.name), Seed(4), &NoResources).is_err());
        }
        for evaluator in session.evaluators() {
            session.seat(&format!("minimax:depth=1,eval={}", evaluator.name), Seed(4), &NoResources).unwrap();
        }
    }
}

#[test]
fn a_budget_takes_the_place_of_the_limits_of_the_spec() {
    let mut session = open("tictactoe", None).unwrap();
    let mut think = |spec: &str, budget: &str| {
        let seat = session.seat(spec, Seed(5), &NoResources).unwrap();
        session.think(seat, parse_limits(budget).unwrap(), &NoClock, &mut NoObserver).unwrap()
    };
    assert_eq!(think("mcts:sims=50", "").simulations, 50);
    assert_eq!(think("mcts:sims=50", "sims=80").simulations, 80);
    assert!(think("minimax:depth=2", "nodes=5000").depth > Some(2), "its own depth no longer holds");
    let unknown = think("minimax:depth=2", "sims=80");
    assert_eq!((unknown.depth, unknown.notes.len()), (Some(2), 1), "what it does not know leaves its own limits alone");
    assert_eq!(unknown.notes[0], "minimax has no limit by sims: it is not used");
    for bad in ["sims", "sims=0", "time=1", "depth=0", "c=1", "sims=1,sims=2", ","] {
        assert!(parse_limits(bad).is_err(), "{bad}");
    }
}

#[test]
fn boards_are_drawn_straight() {
    for sample in samples() {
        let session = play_random(sample, Seed(5).named(sample));
        let view = session.view();
        let drawn = strip_colours(&draw_board(&view, &session.last_move()));
        let rows: Vec<&str> = drawn.lines().collect();
        assert_eq!(rows.len(), usize::from(view.ranks) + 3, "{sample}");
        let width = rows[0].chars().count();
        assert!(rows[..rows.len() - 1].iter().all(|row| row.chars().count() == width), "{sample}:\n{drawn}");
        assert!(drawn.contains('[') && drawn.contains(']'), "{sample}: the last move is marked");
        let counters = draw_counters(&view, session.info().players);
        assert_eq!(counters.lines().count() > 0, !view.counters.is_empty());
    }
}

fn strip_colours(text: &str) -> String {
    let mut plain = String::new();
    let mut escaped = false;
    for c in text.chars() {
        match (escaped, c) {
            (false, '\u{1b}') => escaped = true,
            (false, c) => plain.push(c),
            (true, 'm') => escaped = false,
            (true, _) => {}
        }
    }
    plain
}

/// Gives a game as a value of any type.
struct Boxed;

impl Visitor for Boxed {
    type Output = Box<dyn Any>;
    fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Box<dyn Any> {
        Box::new(game)
    }
}

/// One type of game is enough, and quick to build: a session of every other one is compiled in the crate under test.
#[test]
fn a_game_that_is_a_value_has_a_session() {
    let spec = "connect-four";
    let game: Box<ConnectFour> = plyground_games::open(spec, None, Boxed).unwrap().downcast().unwrap();
    let (mut own, mut listed) = (session_of(*game), open(spec, None).unwrap());
    assert_eq!((own.spec(), own.position(), own.info().name), (listed.spec(), listed.position(), listed.info().name));
    let seats = [&mut own, &mut listed].map(|session| session.add_agent("mcts:sims=20", Seed(4)).unwrap());
    let chosen = [own.choose(seats[0]).unwrap().mv, listed.choose(seats[1]).unwrap().mv];
    assert_eq!(chosen[0], chosen[1]);
}

/// Gives a game an agent and a solver whose types name the type of the game.
struct Typed;

impl Visitor for Typed {
    type Output = ();
    fn visit<G: PlayableGame>(self, game: G, _: G::State) {
        let spec = AgentSpec::parse("random", &game).unwrap();
        build_agent(&spec, &game, &NoResources).unwrap();
        // Games of chance are refused, in words.
        assert_eq!(build_solver(&game, 1_000_000).is_err(), refuse_chance(&game).is_err(), "{}", game.spec());
    }
}

#[test]
fn every_game_has_agents_and_solvers_of_its_type() {
    for_each_sample(|_| Typed);
}
