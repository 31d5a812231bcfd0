//! What `ply solve --save` promises: an agent that plays by the file never loses what it has, whatever the opponent does.

use std::collections::HashSet;

use plyground_session::{GameValue, InputError, NoObserver, Player, Resources, Seat, Seed, Session, SolveOrder, Turn, open};

/// One file, under any name.
struct OneFile(Vec<u8>);

impl Resources for OneFile {
    fn read(&self, _: &str) -> Result<Vec<u8>, InputError> {
        Ok(self.0.clone())
    }
}

fn order(keep: usize) -> SolveOrder {
    let method = "auto".to_owned();
    SolveOrder { method, memory: 16, tablebase: None, regions: None, keep, strategy: true }
}

/// Plays `player` by the file against everything that the opponent can do. The agent itself knows nothing.
struct Exhaustive<'a> {
    session: &'a mut dyn Session,
    seat: Seat,
    player: Player,
    least: GameValue,
    seen: HashSet<String>,
    ends: u32,
}

impl Exhaustive<'_> {
    fn play_on(&mut self) {
        match self.session.turn() {
            Turn::Over(outcome) => {
                assert!(GameValue::of(outcome, self.player) >= self.least, "{}: {outcome:?}", self.session.position());
                self.ends += 1;
            }
            Turn::Player(mover) if mover == self.player => {
                let advice = self.session.choose(self.seat).unwrap();
                self.play(&advice.mv);
            }
            Turn::Player(_) => {
                if self.seen.insert(self.session.position()) {
                    self.session.moves().iter().for_each(|mv| self.play(&mv.text));
                }
            }
            Turn::Chance => panic!("games of chance are not solved"),
        }
    }

    fn play(&mut self, mv: &str) {
        self.session.play(mv).unwrap();
        self.play_on();
        self.session.undo();
    }
}

#[test]
fn an_agent_that_plays_by_a_saved_strategy_never_loses_what_it_has() {
    for game in [
        "pawn:size=4x4",
        "pawn:size=5x4",
        "pawn:size=5x5",
        "breakthrough:size=4x4",
        "clobber:size=4x4",
        "clobber:size=5x3",
        "crosphere:size=3x3,strong=2",
        "crosphere:size=3x3,strong=3",
        "connect-four:size=4x4,k=3",
        "mnk:size=3x3,k=3",
        "mnk:size=4x4,k=4",
    ] {
        let solved = open(game, None).unwrap().solve(&order(1_000_000), &OneFile(Vec::new()), &mut NoObserver).unwrap();
        assert!(solved.whole, "{game}");
        let value = solved.value().unwrap();
        let (file, least) = (OneFile(solved.tablebase), value.max(value.opposite()));
        let players = match value {
            GameValue::Win => &[Player::First][..],
            GameValue::Loss => &[Player::Second],
            GameValue::Draw => &Player::BOTH,
        };
        for &player in players {
            let mut session = open(game, None).unwrap();
            let seat = session.seat("random:tb=file", Seed(1), &file).unwrap();
            let mut play = Exhaustive { session: session.as_mut(), seat, player, least, seen: HashSet::new(), ends: 0 };
            play.play_on();
            assert!(play.ends > 1, "{game}: {} ends", play.ends);
        }
    }
}

#[test]
fn a_strategy_that_does_not_fit_says_so() {
    let session = open("pawn:size=5x5", None).unwrap();
    let cut = session.solve(&order(100), &OneFile(Vec::new()), &mut NoObserver).unwrap();
    assert!(!cut.whole && cut.kept < 200, "{}", cut.kept);
    assert_eq!(cut.value(), Some(GameValue::Win));
}

/// Boards that are too large to play everything on them: games against agents, among them the best one of these boards (with a limit that
/// is no time). The agent with the file knows nothing else.
#[test]
fn on_larger_boards_it_never_loses_what_it_has_against_agents() {
    for game in ["pawn:size=5x5", "pawn:size=5x5,double", "pawn:size=6x6,double", "pawn:size=6x6"] {
        let solved = open(game, None).unwrap().solve(&order(5_000_000), &OneFile(Vec::new()), &mut NoObserver).unwrap();
        assert!(solved.whole, "{game}");
        let winner = if solved.value() == Some(GameValue::Win) { Player::First } else { Player::Second };
        let file = OneFile(solved.tablebase);
        for (opponent, games) in [("random", 30), ("mcts:sims=100", 3), ("solve:nodes=3000,memory=8", 1)] {
            for seed in 0..games {
                let mut session = open(game, None).unwrap();
                let perfect = session.seat("random:tb=file", Seed(seed), &file).unwrap();
                let other = session.seat(opponent, Seed(seed), &file).unwrap();
                while let Turn::Player(mover) = session.turn() {
                    let advice = session.choose(if mover == winner { perfect } else { other }).unwrap();
                    session.play(&advice.mv).unwrap();
                }
                let Turn::Over(outcome) = session.turn() else { panic!("chance plays no part") };
                assert_eq!(outcome.winner, Some(winner), "{game} against {opponent}, seed {seed}: {}", session.position());
            }
        }
    }
}
