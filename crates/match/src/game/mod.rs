//! One game between two players, with clocks, faults and the same outcomes of chance for both games of a pair.

pub(crate) mod fault;
pub(crate) mod player;
pub(crate) mod time_control;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use plyground_core::{CancelToken, Clock, InputError, Limits, Outcome, PlayedMove, Player, Rng, Seed, Turn, WallClock};
use plyground_session::Session;

use self::time_control::{MoveTime, shown};
use crate::{Fault, GameNotice, MatchPlayer, TimeControl};

/// A game as it was played.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// Moves and outcomes of chance, the opening included.
    pub moves: Vec<PlayedMove>,
    /// The player of each of them; `None` for chance.
    pub movers: Vec<Option<Player>>,
    /// The number of them that are the opening.
    pub opening: usize,
    /// The outcome.
    pub outcome: Outcome,
    /// Why it ended, in words.
    pub reason: String,
    /// The player that lost by a fault, if the game ended so, and the fault.
    pub fault: Option<(Player, Fault)>,
    /// The points of both players, in games with points.
    pub points: Option<[i32; 2]>,
}

/// The setup of a game: players, time control, observers.
pub struct GameSetup<'a> {
    /// The game at its start.
    pub session: Box<dyn Session>,
    /// The players, in the order in which they move.
    pub players: [&'a mut dyn MatchPlayer; 2],
    /// Their streams of randomness.
    pub seeds: [Seed; 2],
    /// The stream of randomness of chance.
    pub chance: Rng,
    /// Moves and outcomes of chance that are played before the players are asked.
    pub opening: &'a [String],
    /// The time that the players have.
    pub time: TimeControl,
    /// Stops the game, also while a player thinks.
    pub cancel: &'a CancelToken,
    /// A callback for every move after the opening and its player; `None` for chance.
    pub on_move: &'a dyn Fn(Option<Player>, &PlayedMove),
}

/// The end of a game.
enum Ending {
    OnTheBoard(Outcome),
    Fault(Player, Fault),
    /// The time of the game is over.
    TimeIsUp,
    /// Neither player was there.
    NeitherReady,
}

/// Plays a game to its end; `None` if it was cancelled before that. An error is a mistake in the setup; a mistake of a player costs it
/// the game.
pub fn play_game(mut game: GameSetup<'_>) -> Result<Option<PlayedGame>, InputError> {
    for (player, seed) in game.players.iter_mut().zip(game.seeds) {
        player.start(game.session.as_mut(), seed)?;
    }
    for text in game.opening {
        game.session.play(text)?;
    }
    let missing = game.players.each_mut().map(|player| player.ready(game.session.as_ref()).err());
    let ending = match missing {
        [None, None] => {
            game.notify(GameNotice::Started);
            game.play()
        }
        [Some(fault), None] => Some(Ending::Fault(Player::First, fault)),
        [None, Some(fault)] => Some(Ending::Fault(Player::Second, fault)),
        [Some(_), Some(_)] => Some(Ending::NeitherReady),
    };
    let Some(ending) = ending else { return Ok(None) };
    let played = game.played(ending);
    game.notify(GameNotice::Over(&played));
    Ok(Some(played))
}

impl GameSetup<'_> {
    fn notify(&mut self, notice: GameNotice<'_>) {
        self.players.iter_mut().for_each(|player| player.notify(self.session.as_ref(), notice));
    }

    /// Lets both move until the game has ended; `None` if it was cancelled before that.
    fn play(&mut self) -> Option<Ending> {
        let begun = Instant::now();
        let game_time = self.time.game_time;
        let game_left = || game_time.map(|time| time.saturating_sub(begun.elapsed()));
        let is_up = || game_left().is_some_and(|left| left.is_zero());
        let mut used = [Duration::ZERO; 2];
        let mut told = self.session.history().len();
        loop {
            match self.session.turn() {
                Turn::Over(outcome) => return Some(Ending::OnTheBoard(outcome)),
                Turn::Chance => {
                    self.session.roll(&mut self.chance);
                    (self.on_move)(None, last_of(self.session.as_ref()));
                }
                Turn::Player(player) => {
                    if self.cancel.is_cancelled() {
                        return None;
                    }
                    if is_up() {
                        return Some(Ending::TimeIsUp);
                    }
                    if self.session.history().len() > told {
                        told = self.session.history().len();
                        self.notify(GameNotice::Moved);
                    }
                    let used = &mut used[player.index()];
                    let clock_left = self.time.clock.map(|clock| clock.saturating_sub(*used));
                    let time = MoveTime { control: self.time, clock_left, game_left: game_left() };
                    match self.make_move(player, time, used) {
                        // A player that was stopped while it thought has done nothing wrong.
                        _ if self.cancel.is_cancelled() => return None,
                        Ok(()) => (self.on_move)(Some(player), last_of(self.session.as_ref())),
                        Err(Fault::Overran(_) | Fault::Stalled(_)) if is_up() => return Some(Ending::TimeIsUp),
                        Err(fault) => return Some(Ending::Fault(player, fault)),
                    }
                }
            }
        }
    }

    /// One move of one player, which has used so much time before.
    fn make_move(&mut self, player: Player, time: MoveTime, used: &mut Duration) -> Result<(), Fault> {
        let patience = time.patience();
        let limits = if time.control.own_limits[player.index()] { Limits::default() } else { time.limits() };
        let clock = WallClock::start().with_speed(time.control.clock_speed);
        let cancel = self.cancel.child_for(patience.div_f64(time.control.clock_speed));
        let (session, asked) = (self.session.as_mut(), &mut self.players[player.index()]);
        let answer = catch_unwind(AssertUnwindSafe(|| asked.choose(session, limits, &clock, &cancel)));
        let took = clock.elapsed();
        *used += took;
        let reply = answer.unwrap_or_else(|panic| Err(Fault::Crashed(last_words(panic.as_ref()))))?;
        if took >= patience {
            return Err(Fault::Stalled(format!("no answer within {}", shown(patience))));
        }
        if let Some(exceeded) = time.exceeded_by(took, *used) {
            return Err(Fault::Overran(exceeded));
        }
        self.session.play(&reply.mv).map_err(|error| Fault::Cheated(error.to_string()))?;
        self.session.annotate(Some(took.as_secs_f64() * 1e3), reply.value);
        Ok(())
    }

    /// The game as it is kept.
    fn played(&self, ending: Ending) -> PlayedGame {
        let (session, points) = (self.session.as_ref(), self.session.points());
        let names = session.info().players;
        let by_points = || points.map_or(Outcome::DRAW, |[first, second]| Outcome::by_points(first, second));
        let (outcome, reason, fault) = match ending {
            Ending::OnTheBoard(outcome) => (outcome, session.why_over(), None),
            Ending::Fault(loser, fault) => {
                let reason = format!("{} {}: {}", names[loser.index()], fault.word(), fault.detail());
                (Outcome::win(loser.other()), reason, Some((loser, fault)))
            }
            Ending::TimeIsUp => {
                let [first, second] = points.unwrap_or_default();
                let time = shown(self.time.game_time.unwrap_or_default());
                let reason = format!("the time of the game, {time}, is over; {} {first}, {} {second}", names[0], names[1]);
                (by_points(), reason, None)
            }
            Ending::NeitherReady => (Outcome::DRAW, "neither player was there".to_owned(), None),
        };
        let moves = session.history().to_vec();
        let movers = (0..moves.len()).map(|number| session.mover(number)).collect();
        PlayedGame { moves, movers, opening: self.opening.len(), outcome, reason, fault, points }
    }
}

/// The last move.
fn last_of(session: &dyn Session) -> &PlayedMove {
    session.history().last().expect("something has just been played")
}

/// The message of a panic.
fn last_words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it gave no reason".to_owned())
}
