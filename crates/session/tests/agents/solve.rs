//! What exact solving promises: it agrees with brute force, its agents never give away what they have, and its files are safe.

use std::collections::HashMap;
use std::ops::ControlFlow;

use plyground_agents::{AgentSpec, Bounds, Method, Solver, Tablebase};
use plyground_core::{
    Budget, Game, GameValue, InputError, Limits, NoClock, NoObserver, NoResources, PlayableGame, Player, Progress, Resources,
    Scratch, SearchObserver, SearchRequest, Seed, StopCheck, Turn, Visitor,
};
use plyground_games::{clobber, mnk, open, open_one, pawn, tuc_chess};
use plyground_session::build_agent;

/// A check that never stops the solver.
struct Untimed;

impl StopCheck for Untimed {
    fn check(&mut self, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// The value for the player to move, and the plies to the end of a decided game.
type Value = (GameValue, Option<u32>);

/// Brute force, by the definition: every position behind this one, each looked at once.
fn brute_force<G: Game>(game: &G, state: &G::State, known: &mut HashMap<G::State, Value>) -> Value {
    if let Some(&value) = known.get(state) {
        return value;
    }
    let Turn::Player(mover) = game.turn(state) else { panic!("asked in a position with a player to move") };
    let mut moves = Vec::new();
    game.moves(state, &mut moves);
    let children: Vec<Value> = moves
        .into_iter()
        .map(|mv| {
            let mut child = state.clone();
            game.play(&mut child, mv);
            if let Turn::Over(outcome) = game.turn(&child) {
                return (GameValue::of(outcome, mover), outcome.winner.map(|_| 1));
            }
            let (worth, plies) = brute_force(game, &child, known);
            (worth.opposite(), plies.map(|plies| plies + 1))
        })
        .collect();
    let best = children.iter().map(|child| child.0).max().expect("a live position has a move");
    let lengths = children.iter().filter(|child| child.0 == best).filter_map(|child| child.1);
    let plies = if best == GameValue::Win { lengths.min() } else { lengths.max() };
    known.insert(state.clone(), (best, plies));
    (best, plies)
}

/// Positions of random games in which a player is to move.
fn random_positions<G: Game>(game: &G, count: usize, seed: Seed) -> Vec<G::State> {
    let mut rng = seed.rng();
    let mut scratch = Scratch::default();
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut state = game.start();
        while let (Turn::Player(_), true) = (game.turn(&state), positions.len() < count) {
            positions.push(state.clone());
            let mv = game.random_move(&state, &mut rng, &mut scratch);
            game.play(&mut state, mv);
        }
    }
    positions
}

/// Boards that brute force can exhaust.
const SMALL: &[&str] = &[
    "tictactoe",
    "mnk:size=4x3,k=3",
    "mnk:size=4x3,k=4",
    "mnk:size=2x5,k=2",
    "pawn:size=4x4",
    "pawn:size=3x5",
    "pawn:size=5x4",
    "pawn:size=3x6,double",
    "pawn:size=4x5,double",
    "crosphere:size=3x3,strong=1",
    "crosphere:size=3x3,strong=2",
    "crosphere:size=4x3,strong=1",
    "crosphere:size=3x4,strong=0",
    "clobber:size=4x3",
    "clobber:size=4x3,own",
    "clobber:size=3x5",
    "connect-four:size=4x4",
    "connect-four:size=4x4,k=3",
    "connect-four:size=5x3,k=3",
    "breakthrough:size=3x4",
    "breakthrough:size=3x5",
    "breakthrough:size=2x7",
];

struct AgreesWithBruteForce(&'static str);

impl Visitor for AgreesWithBruteForce {
    type Output = ();
    fn visit<G: PlayableGame>(self, game: G, _: G::State) {
        let mut known = HashMap::new();
        let positions = random_positions(&game, 1_000, Seed(21).named(self.0));
        let values: Vec<Value> = positions.iter().map(|state| brute_force(&game, state, &mut known)).collect();
        for method in Method::ALL {
            let mut solver = None;
            let mut exact = 0;
            for (number, (state, &(worth, plies))) in positions.iter().zip(&values).enumerate() {
                // Both a fresh solver and one that has learnt something.
                if number % 10 == 0 {
                    solver = Some(Solver::new(&game, method, 8_000_000, None, None).unwrap());
                }
                let solution = solver.as_mut().unwrap().solve(&game, state, &mut Untimed);
                let here = format!("{} {method:?} {}", self.0, game.position_text(state));
                assert_eq!(solution.bounds, Bounds::exactly(worth), "{here}");
                if solution.plies_exact {
                    exact += 1;
                    assert_eq!(Some(solution.plies), plies, "{here}");
                    assert_eq!((solution.line.len() as u32, solution.line_exact), (solution.plies, true), "{here}");
                } else {
                    assert!(worth == GameValue::Draw, "{here}: short games have a known length");
                }
                check_line(&game, state, &solution.line, worth, &mut known);
            }
            let decided = values.iter().filter(|value| value.1.is_some()).count();
            assert!(exact == decided && decided > 20, "{} {method:?}: {exact} of {decided}", self.0);
        }
        check_knowledge(&game, &known);
    }
}

/// The line goes to the end, and neither player in it gives anything away.
fn check_line<G: Game>(game: &G, state: &G::State, line: &[G::Move], worth: GameValue, known: &mut HashMap<G::State, Value>) {
    let mut state = state.clone();
    let mut expected = worth;
    for &mv in line {
        let Turn::Player(mover) = game.turn(&state) else { panic!("the line goes on after the end") };
        game.play(&mut state, mv);
        let found = match game.turn(&state) {
            Turn::Over(outcome) => GameValue::of(outcome, mover),
            _ => brute_force(game, &state, known).0.opposite(),
        };
        assert_eq!(found, expected, "{}", game.position_text(&state));
        expected = expected.opposite();
    }
    assert!(matches!(game.turn(&state), Turn::Over(_)), "{}", game.position_text(&state));
}

/// What a game claims to know without a search is so, and positions that share a key share their value.
fn check_knowledge<G: PlayableGame>(game: &G, known: &HashMap<G::State, Value>) {
    let mut keys: HashMap<u128, Value> = HashMap::new();
    for (state, &value) in known {
        if let Some(foregone) = game.known_value(state) {
            assert_eq!(foregone, value.0, "{}", game.position_text(state));
        }
        let other = *keys.entry(game.value_key(state)).or_insert(value);
        assert_eq!(other, value, "{}", game.position_text(state));
    }
}

#[test]
fn solving_agrees_with_brute_force() {
    for spec in SMALL {
        open_among!([mnk, pawn, crosphere, clobber, connect_four, breakthrough], spec, AgreesWithBruteForce(spec));
    }
}

/// In every position that can come up, the agent keeps what the position is worth.
struct NeverGivesAway;

impl Visitor for NeverGivesAway {
    type Output = usize;
    fn visit<G: PlayableGame>(self, game: G, start: G::State) -> usize {
        let mut known = HashMap::new();
        brute_force(&game, &start, &mut known);
        let mut positions: Vec<(G::State, Value)> = known.iter().map(|(state, value)| (state.clone(), *value)).collect();
        positions.sort_by_key(|(state, _)| game.hash(state));
        for method in ["alphabeta", "dfpn"] {
            let spec = AgentSpec::parse(&format!("solve:memory=8,nodes=20000,method={method}"), &game).unwrap();
            let mut agent = build_agent(&spec, &game, &NoResources).unwrap();
            for (state, (worth, _)) in &positions {
                let budget = Budget { limits: spec.limits().unwrap(), clock: &NoClock };
                let rng = &mut Seed(22).rng();
                let choice = agent.choose(SearchRequest { game: &game, state, budget, rng, observer: &mut NoObserver }).unwrap();
                let Turn::Player(mover) = game.turn(state) else { unreachable!("only live positions are known") };
                let mut child = state.clone();
                game.play(&mut child, choice.mv);
                let kept = match game.turn(&child) {
                    Turn::Over(outcome) => GameValue::of(outcome, mover),
                    _ => known[&child].0.opposite(),
                };
                assert_eq!(kept, *worth, "{method}: {}", game.position_text(state));
            }
        }
        positions.len()
    }
}

#[test]
fn perfect_agents_never_give_anything_away() {
    // 5,478 positions, of which 958 are finished.
    assert_eq!(open_one::<mnk::Rules, _>("tictactoe", None, NeverGivesAway).unwrap(), 4_520);
    assert!(open_one::<pawn::Rules, _>("pawn:size=4x4", None, NeverGivesAway).unwrap() > 1_000);
}

/// The worth of the start, and the length of the game where it is asked for.
struct Start {
    method: Method,
    length: bool,
}

impl Visitor for Start {
    type Output = (GameValue, Option<u32>);
    fn visit<G: PlayableGame>(self, game: G, start: G::State) -> Self::Output {
        let mut solver = Solver::new(&game, self.method, 64_000_000, None, None).unwrap();
        let worth = solver.value(&game, &start, &mut Untimed).exact().expect("it was not stopped");
        let solution = self.length.then(|| solver.solve(&game, &start, &mut Untimed));
        (worth, solution.filter(|solution| solution.plies_exact).map(|solution| solution.plies))
    }
}

fn oracle(text: &str) -> Vec<serde_json::Value> {
    let page: serde_json::Value = serde_json::from_str(text).unwrap();
    page["starts"].as_array().unwrap().clone()
}

fn squares(size: &str) -> u32 {
    size.split('x').map(|part| part.parse::<u32>().unwrap()).product()
}

fn first_player_wins(wins: bool) -> GameValue {
    if wins { GameValue::Win } else { GameValue::Loss }
}

/// Left out: boards of more than 36 squares, which take minutes here all together; `docs/solved.md` lists them with `ply solve`'s
/// results.
#[test]
fn the_pawn_game_is_solved_as_published() {
    let (mut checked, mut lengths) = (0, 0);
    for start in oracle(include_str!("../../../games/tests/data/pawn.json")) {
        let size = start["size"].as_str().unwrap();
        if squares(size) > 36 {
            continue;
        }
        let double = if start["double"] == true { ",double" } else { "" };
        let spec = format!("pawn:size={size}{double}");
        let length = start["plies"].as_u64().map(|plies| plies as u32);
        let (worth, plies) = open_among!([pawn], &spec, Start { method: Method::Auto, length: length.is_some() });
        assert_eq!((worth, plies), (first_player_wins(start["first_wins"] == true), length), "{spec}");
        lengths += u32::from(length.is_some());
        checked += 1;
    }
    assert!(checked > 50 && lengths > 20, "{checked} {lengths}");
}

/// Left out: 5x5 with 3 and 4 strong stones (ten seconds and a minute).
#[test]
fn crosphere_is_solved_as_published() {
    let mut checked = 0;
    for start in oracle(include_str!("../../../games/tests/data/crosphere.json")) {
        let (size, strong) = (start["size"].as_str().unwrap(), start["strong"].as_u64().unwrap());
        if size == "5x5" && strong > 2 {
            continue;
        }
        let spec = format!("crosphere:size={size},strong={strong}");
        let (worth, ..) = open_among!([crosphere], &spec, Start { method: Method::Auto, length: false });
        let expected = match start["winner"].as_str().unwrap() {
            "first" => GameValue::Win,
            "second" => GameValue::Loss,
            _ => GameValue::Draw,
        };
        assert_eq!(worth, expected, "{spec}");
        checked += 1;
    }
    assert_eq!(checked, 10);
}

/// By the general methods, which know nothing of sums: boards of more than 16 squares are left to the game's own solver.
#[test]
fn clobber_is_solved_as_published() {
    let mut checked = 0;
    for start in oracle(include_str!("../../../games/tests/data/clobber.json")) {
        let size = start["size"].as_str().unwrap();
        if squares(size) > 16 || size == "1x1" {
            continue;
        }
        for method in [Method::AlphaBeta, Method::DfPn] {
            let spec = format!("clobber:size={size}");
            let (worth, ..) = open_among!([clobber], &spec, Start { method, length: false });
            assert_eq!(worth, first_player_wins(start["first_wins"] == true), "{spec} {method:?}");
        }
        checked += 1;
    }
    assert!(checked > 20, "{checked}");
}

/// A shelf with one file on it.
struct OneFile(Vec<u8>);

impl Resources for OneFile {
    fn read(&self, _: &str) -> Result<Vec<u8>, InputError> {
        Ok(self.0.clone())
    }
}

struct KeepsAndReads;

impl Visitor for KeepsAndReads {
    type Output = Vec<u8>;
    fn visit<G: PlayableGame>(self, game: G, start: G::State) -> Vec<u8> {
        let mut solver = Solver::new(&game, Method::AlphaBeta, 64_000_000, None, None).unwrap();
        let solution = solver.solve(&game, &start, &mut Untimed);
        let tablebase = solver.tablebase(&game, &start, &solution, 1_000);
        assert!((10..=1_000 + solution.line.len()).contains(&tablebase.len()), "{}", tablebase.len());
        let bytes = tablebase.to_bytes(&game);
        let again = Tablebase::from_bytes(&bytes, &game, "file").unwrap();
        assert_eq!(again, tablebase);
        let worth = solution.bounds.exact().unwrap();
        assert_eq!(again.probe(&game, &start), Some((worth, Some(solution.plies))));
        assert_eq!(again.probe(&game, &game.symmetric_state(&start, 1)), again.probe(&game, &start));
        // Everything that is kept is so, and solving again takes nothing.
        let mut fresh = Solver::new(&game, Method::AlphaBeta, 64_000_000, None, None).unwrap();
        let mut found = 0;
        for state in random_positions(&game, 2_000, Seed(23)) {
            if let Some((worth, _)) = again.probe(&game, &state) {
                assert_eq!(fresh.value(&game, &state, &mut Untimed), Bounds::exactly(worth));
                found += 1;
            }
        }
        assert!(found > 20, "{found}");
        let mut with_file = Solver::new(&game, Method::AlphaBeta, 64_000_000, Some(again), None).unwrap();
        let second = with_file.solve(&game, &start, &mut Untimed);
        assert_eq!((second.bounds, second.plies, second.plies_exact, second.nodes), (solution.bounds, solution.plies, true, 0));
        assert_eq!(second.line, solution.line);
        // And an agent that is given the file plays by it.
        let spec = AgentSpec::parse("solve:tb=file,memory=8,nodes=1000", &game).unwrap();
        let mut agent = build_agent(&spec, &game, &OneFile(bytes.clone())).unwrap();
        let budget = Budget { limits: spec.limits().unwrap(), clock: &NoClock };
        let (rng, observer) = (&mut Seed(24).rng(), &mut NoObserver);
        let choice = agent.choose(SearchRequest { game: &game, state: &start, budget, rng, observer }).unwrap();
        assert_eq!((choice.mv, choice.depth), (solution.line[0], Some(solution.plies)));
        any_agent_plays_by(&game, &start, &bytes);
        bytes
    }
}

/// An agent that knows nothing follows the line of the tablebase to the end, and thinks for itself where the file knows nothing.
fn any_agent_plays_by<G: PlayableGame>(game: &G, start: &G::State, bytes: &[u8]) {
    let spec = AgentSpec::parse("random:tb=file", game).unwrap();
    let mut agent = build_agent(&spec, game, &OneFile(bytes.to_vec())).unwrap();
    let mut choose = |state: &G::State| {
        let budget = Budget { limits: Limits::default(), clock: &NoClock };
        let (rng, observer) = (&mut Seed(26).rng(), &mut NoObserver);
        agent.choose(SearchRequest { game, state, budget, rng, observer }).unwrap()
    };
    let mut solver = Solver::new(game, Method::AlphaBeta, 64_000_000, None, None).unwrap();
    let mut state = start.clone();
    let worth = solver.value(game, &state, &mut Untimed).exact().unwrap();
    let winner = if worth == GameValue::Win { Player::First } else { Player::Second };
    let mut plies = 0;
    while let Turn::Player(_) = game.turn(&state) {
        let choice = choose(&state);
        game.play(&mut state, choice.mv);
        plies += 1;
    }
    let Turn::Over(outcome) = game.turn(&state) else { panic!("the game is over") };
    let again = Tablebase::from_bytes(bytes, game, "file").unwrap();
    assert_eq!((outcome.winner, Some(plies)), (Some(winner), again.probe(game, start).unwrap().1));
    let unknown = random_positions(game, 2_000, Seed(27)).into_iter().filter(|state| again.probe(game, state).is_none());
    let searched = unknown.map(|state| choose(&state)).filter(|choice| choice.value.is_none()).count();
    assert!(searched > 100, "{searched}");
}

/// The game's own solver also has more to keep than its line.
struct OwnKeeps;

impl Visitor for OwnKeeps {
    type Output = usize;
    fn visit<G: PlayableGame>(self, game: G, start: G::State) -> usize {
        let mut solver = Solver::new(&game, Method::Auto, 64_000_000, None, None).unwrap();
        let solution = solver.solve(&game, &start, &mut Untimed);
        let tablebase = solver.tablebase(&game, &start, &solution, 5_000);
        let mut general = Solver::new(&game, Method::AlphaBeta, 64_000_000, None, None).unwrap();
        let mut found = 0;
        for state in random_positions(&game, 4_000, Seed(25)) {
            if let Some((worth, _)) = tablebase.probe(&game, &state) {
                assert_eq!(general.value(&game, &state, &mut Untimed), Bounds::exactly(worth));
                found += 1;
            }
        }
        found
    }
}

#[test]
fn a_tablebase_has_what_the_own_solver_of_a_game_knows() {
    let found = open_one::<clobber::Rules, _>("clobber:size=4x4", None, OwnKeeps).unwrap();
    assert!(found > 100, "{found}");
}

/// Tries to read bytes for a game, and gives the message if it is refused.
struct Reads<'a>(&'a [u8]);

impl Visitor for Reads<'_> {
    type Output = Option<String>;
    fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Option<String> {
        Tablebase::from_bytes(self.0, &game, "file").err().map(|error| error.to_string())
    }
}

#[test]
fn tablebases_are_kept_read_and_refused() {
    let bytes = open_one::<pawn::Rules, _>("pawn:size=5x5", None, KeepsAndReads).unwrap();
    let refused = |bytes: &[u8], game: &str| open_among!([pawn, mnk], game, Reads(bytes));
    assert_eq!(refused(&bytes, "pawn:size=5x5"), None);
    for (game, message) in [
        ("pawn:size=5x4", "malformed tablebase 'file': it is for 'pawn:size=5x5', not for pawn:size=5x4"),
        ("tictactoe", "malformed tablebase 'file': it is for 'pawn:size=5x5', not for mnk:size=3x3,k=3"),
    ] {
        assert_eq!(refused(&bytes, game).as_deref(), Some(message));
    }
    let wrong = refused(b"GIF89a, not a tablebase", "pawn:size=5x5").unwrap();
    assert!(wrong.contains("does not begin like a file that ply solve has written"), "{wrong}");
    // Cut off anywhere, changed anywhere, longer than it should be: refused, and no panic.
    for length in (0..bytes.len()).step_by(if bytes.len() > 4_000 { 7 } else { 1 }) {
        assert!(refused(&bytes[..length], "pawn:size=5x5").is_some(), "{length}");
    }
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 1 << (place % 8);
        assert!(refused(&changed, "pawn:size=5x5").is_some(), "{place}");
    }
    let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
    assert!(refused(&longer, "pawn:size=5x5").unwrap().contains("1 bytes follow"));
    // Claims that no file can keep.
    let count = bytes.iter().position(|&byte| byte == b':').unwrap() + "size=5x5".len() + 1 + 8;
    for claim in [u64::MAX, u64::from(u32::MAX), 1 << 61] {
        let mut changed = bytes.clone();
        changed[count..count + 8].copy_from_slice(&claim.to_le_bytes());
        assert!(refused(&changed, "pawn:size=5x5").is_some(), "{claim}");
    }
}

#[test]
fn games_with_chance_are_refused() {
    struct Refuse;
    impl Visitor for Refuse {
        type Output = Option<String>;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Option<String> {
            let spec = AgentSpec::parse("solve", &game).unwrap();
            build_agent(&spec, &game, &NoResources).err().map(|error| error.to_string())
        }
    }
    let message = open_one::<tuc_chess::Rules, _>("tuc-chess", None, Refuse).unwrap().unwrap();
    assert!(message.contains("chance plays a part in it"), "{message}");
}

#[test]
fn without_enough_time_it_still_answers() {
    struct TooLarge(Limits);
    impl Visitor for TooLarge {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let spec = AgentSpec::parse("solve:memory=8", &game).unwrap();
            let mut agent = build_agent(&spec, &game, &NoResources).unwrap();
            let budget = Budget { limits: self.0, clock: &NoClock };
            let (rng, observer) = (&mut Seed(25).rng(), &mut NoObserver);
            let choice = agent.choose(SearchRequest { game: &game, state: &start, budget, rng, observer }).unwrap();
            let mut legal = Vec::new();
            game.moves(&start, &mut legal);
            assert!(legal.contains(&choice.mv));
            assert!(choice.notes.iter().any(|note| note.contains("not solved")), "{:?}", choice.notes);
        }
    }
    for spec in ["crosphere", "mnk:size=15x15,k=5", "clobber:size=10x10", "pawn:size=8x8", "connect-four"] {
        for nodes in [1, 50, 5_000] {
            open(spec, None, TooLarge(Limits { nodes: Some(nodes), ..Limits::default() })).unwrap();
        }
    }
}

#[test]
fn a_watcher_can_stop_it_and_sees_how_far_it_is() {
    struct StopsAtOnce(u32);
    impl<M> SearchObserver<M> for StopsAtOnce {
        fn progress(&mut self, progress: &Progress<'_, M>) -> ControlFlow<()> {
            assert!((0.0..=1.0).contains(&progress.done) && !(progress.opinion)().line.is_empty());
            self.0 += 1;
            ControlFlow::Break(())
        }
    }
    struct Stopped(&'static str);
    impl Visitor for Stopped {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            for method in ["alphabeta", "dfpn", "auto"] {
                let spec = AgentSpec::parse(&format!("solve:memory=8,method={method}"), &game).unwrap();
                let mut agent = build_agent(&spec, &game, &NoResources).unwrap();
                let mut choose = |observer: &mut StopsAtOnce| {
                    let budget = Budget { limits: Limits::default(), clock: &NoClock };
                    let rng = &mut Seed(26).rng();
                    agent.choose(SearchRequest { game: &game, state: &start, budget, rng, observer }).unwrap()
                };
                let mut observer = StopsAtOnce(0);
                let choice = choose(&mut observer);
                assert!(observer.0 >= 1 && choice.nodes < 200_000, "{} {method}: {} nodes", self.0, choice.nodes);
                assert_eq!(choice.mv, choose(&mut StopsAtOnce(0)).mv, "{} {method}: same seed, same move", self.0);
            }
        }
    }
    for spec in ["crosphere", "mnk:size=15x15,k=5", "clobber:size=10x10", "pawn:size=8x8", "connect-four"] {
        open(spec, None, Stopped(spec)).unwrap();
    }
}
