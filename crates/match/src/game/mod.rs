//! One game between two contestants, with clocks, faults and the same luck for both.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use plyground_core::{AgentError, Clock, InputError, Limits, Outcome, PlayedMove, Player, Resources, Rng, Seed, Turn};
use plyground_session::{ProgressObserver, SearchProgress, Seat, Session};

/// The prefix of the specs of remote players, which no agent of ours has: the rest is the name that the player joins by.
pub const REMOTE: &str = "udp:";

/// Somebody who can be asked for a move.
pub trait Contestant: Send {
    /// Takes a seat at the game, with a stream of randomness.
    fn sit(&mut self, session: &mut dyn Session, seed: Seed) -> Result<(), InputError>;
    /// Chooses a move for the player to move. Once `cut_short` says so nobody waits for the answer any more.
    fn choose(
        &mut self,
        session: &mut dyn Session,
        limits: Limits,
        clock: &dyn Clock,
        cut_short: &dyn Fn() -> bool,
    ) -> Result<Reply, Fault>;
    /// Is asked once, before the first move. Whoever is not there loses.
    fn ready(&mut self, _: &dyn Session) -> Result<(), Fault> {
        Ok(())
    }
    /// Hears what has happened at the board, also what it has done itself; the first player hears it first.
    fn hear(&mut self, _: &dyn Session, _: Moment<'_>) {}
}

/// What there is to tell those who play.
#[derive(Clone, Copy, Debug)]
pub enum Moment<'a> {
    /// The game begins.
    Begun,
    /// Somebody has moved, chance has settled what is due, and the game goes on.
    Moved,
    /// The game is over.
    Over(&'a Played),
}

/// Where contestants come from.
pub trait PlayerFactory: Sync {
    /// The contestant that a spec describes.
    fn invite(&self, spec: &str) -> Result<Box<dyn Contestant + '_>, InputError>;
    /// The two who play a game, in the order in which they move. It may take until both are there; nobody if somebody said stop.
    fn seat(&self, specs: &[String; 2], _: &dyn Fn() -> bool) -> Result<Option<Seated<'_>>, InputError> {
        let [one, other] = specs.each_ref().map(|spec| self.invite(spec));
        Ok(Some([one?, other?]))
    }
}

/// The two who play a game.
pub type Seated<'a> = [Box<dyn Contestant + 'a>; 2];

/// The agents of the table, with a shelf for the files that they name.
pub struct AgentFactory<'a>(pub &'a (dyn Resources + Sync));

impl PlayerFactory for AgentFactory<'_> {
    fn invite(&self, spec: &str) -> Result<Box<dyn Contestant + '_>, InputError> {
        let absent = Fault::Crashed("it was asked before it had a seat".to_owned());
        Ok(Box::new(BuiltIn { spec: spec.to_owned(), shelf: self.0, seat: Err(absent) }))
    }
}

struct BuiltIn<'a> {
    spec: String,
    shelf: &'a (dyn Resources + Sync),
    /// Or why it has none.
    seat: Result<Seat, Fault>,
}

impl Contestant for BuiltIn<'_> {
    fn sit(&mut self, session: &mut dyn Session, seed: Seed) -> Result<(), InputError> {
        self.seat = match session.seat(&self.spec, seed, self.shelf) {
            // A program that does not even start loses its game; the others are played.
            Err(InputError::Engine { error, .. }) => Err(error.into()),
            seat => Ok(seat?),
        };
        Ok(())
    }

    fn choose(
        &mut self,
        session: &mut dyn Session,
        limits: Limits,
        clock: &dyn Clock,
        cut_short: &dyn Fn() -> bool,
    ) -> Result<Reply, Fault> {
        let advice = session.think(self.seat.clone()?, limits, clock, &mut Impatient(cut_short))?;
        Ok(Reply { mv: advice.mv, value: advice.value })
    }
}

/// Watches nothing but whether somebody still waits.
struct Impatient<'a>(&'a dyn Fn() -> bool);

impl ProgressObserver for Impatient<'_> {
    fn progress(&mut self, _: &SearchProgress<'_>) -> ControlFlow<()> {
        if (self.0)() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// A chosen move.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The move as text.
    pub mv: String,
    /// What the mover expects, from -1 to +1.
    pub value: Option<f32>,
}

/// Why a contestant lost a game that it did not lose on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It ended, or gave an error instead of a move.
    Crashed(String),
    /// It gave a move that the rules do not allow.
    Cheated(String),
    /// It answered too late.
    Overran(String),
    /// It did not answer.
    Stalled(String),
}

impl From<AgentError> for Fault {
    fn from(error: AgentError) -> Self {
        match error {
            AgentError::Crashed(detail) => Self::Crashed(detail),
            AgentError::Stalled(detail) => Self::Stalled(detail),
            AgentError::Cheated(detail) => Self::Cheated(detail),
            other => Self::Crashed(other.to_string()),
        }
    }
}

impl Fault {
    /// One word for it, as it is kept and counted.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Crashed(_) => "crashed",
            Self::Cheated(_) => "cheated",
            Self::Overran(_) => "overran",
            Self::Stalled(_) => "stalled",
        }
    }

    /// What happened.
    pub fn detail(&self) -> &str {
        match self {
            Self::Crashed(detail) | Self::Cheated(detail) | Self::Overran(detail) | Self::Stalled(detail) => detail,
        }
    }
}

/// How much time there is.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// For every move; where nothing is limited, each agent keeps to its own limits.
    pub limits: Limits,
    /// For all moves of a player in a game.
    pub clock: Option<Duration>,
    /// For all moves of both: when it is over, the points decide.
    pub game: Option<Duration>,
    /// Who is not told the limits because it has its own. It must keep to the time all the same.
    pub own: [bool; 2],
    /// How much later than its time an answer may come: a machine has other things to do, too.
    pub grace: Duration,
    /// Whoever has not answered after this time, and all the time that it had, has stalled.
    pub patience: Option<Duration>,
    /// How fast the clocks run: on a computer that is twice as fast as the one that times are meant for, twice as fast.
    pub tempo: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            clock: None,
            game: None,
            own: [false; 2],
            grace: Duration::from_millis(100),
            patience: None,
            tempo: 1.0,
        }
    }
}

/// The patience with agents that know how long they may think, and with those that keep to limits of their own.
const PATIENCE_AFTER_TIME: Duration = Duration::from_secs(10);
const PATIENCE_WITHOUT_TIME: Duration = Duration::from_mins(10);

/// A player with a clock thinks for this part of what is left of it.
const PART_OF_CLOCK: u32 = 25;

/// A game as it was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// Moves and outcomes of chance, the opening included.
    pub moves: Vec<PlayedMove>,
    /// Who made each of them; nobody where it was chance.
    pub movers: Vec<Option<Player>>,
    /// How many of them are the opening.
    pub opening: usize,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it ended, in words.
    pub reason: String,
    /// Who lost by a fault, if that is how it ended, and which.
    pub fault: Option<(Player, Fault)>,
    /// The points of both players, in games with points.
    pub points: Option<[i32; 2]>,
}

struct Watch {
    begun: Instant,
    tempo: f64,
}

impl Clock for Watch {
    fn elapsed(&self) -> Duration {
        self.begun.elapsed().mul_f64(self.tempo)
    }
}

/// What a game begins with.
pub struct Table<'a> {
    /// At the start of the game.
    pub session: Box<dyn Session>,
    /// In the order in which they move.
    pub contestants: [&'a mut dyn Contestant; 2],
    /// Their streams of randomness.
    pub seeds: [Seed; 2],
    /// Of which chance makes use.
    pub luck: Rng,
    /// Moves and outcomes of chance that are played before anybody thinks.
    pub opening: &'a [String],
    /// Is asked before every move and while somebody thinks whether to stop.
    pub stop: &'a dyn Fn() -> bool,
    /// Hears of every move behind the opening, and who has chosen it; nobody where it was chance.
    pub moved: &'a dyn Fn(Option<Player>, &PlayedMove),
}

/// How a game came to its end.
enum Ending {
    OnTheBoard(Outcome),
    Fault(Player, Fault),
    /// The time of the game is over.
    TimeIsUp,
    /// Neither player was there.
    NobodyCame,
}

/// Plays a game to its end; `None` if it was told to stop before that. An error is a mistake of whoever set it up; a mistake of a
/// contestant costs it the game.
pub fn play_game(mut table: Table<'_>, pace: Pace) -> Result<Option<Played>, InputError> {
    for (contestant, seed) in table.contestants.iter_mut().zip(table.seeds) {
        contestant.sit(table.session.as_mut(), seed)?;
    }
    for text in table.opening {
        table.session.play(text)?;
    }
    let missing = table.contestants.each_mut().map(|contestant| contestant.ready(table.session.as_ref()).err());
    let ending = match missing {
        [None, None] => {
            table.tell(Moment::Begun);
            table.play(pace)
        }
        [Some(fault), None] => Some(Ending::Fault(Player::First, fault)),
        [None, Some(fault)] => Some(Ending::Fault(Player::Second, fault)),
        [Some(_), Some(_)] => Some(Ending::NobodyCame),
    };
    let Some(ending) = ending else { return Ok(None) };
    let played = table.played(ending, pace);
    table.tell(Moment::Over(&played));
    Ok(Some(played))
}

impl Table<'_> {
    fn tell(&mut self, moment: Moment<'_>) {
        self.contestants.iter_mut().for_each(|contestant| contestant.hear(self.session.as_ref(), moment));
    }

    /// Lets both move until the game has ended; `None` if it was told to stop before that.
    fn play(&mut self, pace: Pace) -> Option<Ending> {
        let begun = Instant::now();
        let left = || pace.game.map(|game| game.saturating_sub(begun.elapsed()));
        let is_up = || left().is_some_and(|left| left.is_zero());
        let mut used = [Duration::ZERO; 2];
        let mut told = self.session.history().len();
        loop {
            match self.session.turn() {
                Turn::Over(outcome) => return Some(Ending::OnTheBoard(outcome)),
                Turn::Chance => {
                    self.session.roll(&mut self.luck);
                    (self.moved)(None, last_of(self.session.as_ref()));
                }
                Turn::Player(player) => {
                    if (self.stop)() {
                        return None;
                    }
                    if is_up() {
                        return Some(Ending::TimeIsUp);
                    }
                    if self.session.history().len() > told {
                        told = self.session.history().len();
                        self.tell(Moment::Moved);
                    }
                    let mover = player.index();
                    let time = Time { pace, own: pace.own[mover], left: left() };
                    let session = self.session.as_mut();
                    match ask(session, self.contestants[mover], time, &mut used[mover], self.stop) {
                        // Whoever was stopped while it thought has done nothing wrong.
                        _ if (self.stop)() => return None,
                        Ok(()) => (self.moved)(Some(player), last_of(self.session.as_ref())),
                        Err(Fault::Overran(_) | Fault::Stalled(_)) if is_up() => return Some(Ending::TimeIsUp),
                        Err(fault) => return Some(Ending::Fault(player, fault)),
                    }
                }
            }
        }
    }

    /// The game as it is kept.
    fn played(&self, ending: Ending, pace: Pace) -> Played {
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
                let time = shown(pace.game.unwrap_or_default());
                let reason = format!("the time of the game, {time}, is over; {} {first}, {} {second}", names[0], names[1]);
                (by_points(), reason, None)
            }
            Ending::NobodyCame => (Outcome::DRAW, "neither player was there".to_owned(), None),
        };
        let moves = session.history().to_vec();
        let movers = (0..moves.len()).map(|number| session.mover(number)).collect();
        Played { moves, movers, opening: self.opening.len(), outcome, reason, fault, points }
    }
}

fn shown(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

/// What has just been played.
fn last_of(session: &dyn Session) -> &PlayedMove {
    session.history().last().expect("something has just been played")
}

/// How much time there is for a move.
#[derive(Clone, Copy)]
struct Time {
    pace: Pace,
    /// Does the contestant keep to limits of its own?
    own: bool,
    /// Of the time for the game.
    left: Option<Duration>,
}

/// One move of one contestant.
fn ask(
    session: &mut dyn Session,
    contestant: &mut dyn Contestant,
    time: Time,
    used: &mut Duration,
    stop: &dyn Fn() -> bool,
) -> Result<(), Fault> {
    let pace = time.pace;
    let left = pace.clock.map(|clock| clock.saturating_sub(*used));
    let mut limits = pace.limits;
    for most in [left.map(|left| left / PART_OF_CLOCK), time.left].into_iter().flatten() {
        limits.time = Some(limits.time.unwrap_or(Duration::MAX).min(most));
    }
    let watch = Watch { begun: Instant::now(), tempo: pace.tempo };
    let usual = if limits.time.is_some() { PATIENCE_AFTER_TIME } else { PATIENCE_WITHOUT_TIME };
    let patience = limits.time.unwrap_or_default() + pace.patience.unwrap_or(usual);
    let cut_short = || stop() || watch.elapsed() >= patience;
    let told = if time.own { Limits::default() } else { limits };
    let answer = catch_unwind(AssertUnwindSafe(|| contestant.choose(session, told, &watch, &cut_short)));
    let took = watch.elapsed();
    *used += took;
    let reply = answer.unwrap_or_else(|panic| Err(Fault::Crashed(last_words(panic.as_ref()))))?;
    if took >= patience {
        return Err(Fault::Stalled(format!("no answer within {}", shown(patience))));
    }
    if let Some(allowed) = pace.limits.time.filter(|&allowed| took > allowed + pace.grace) {
        return Err(Fault::Overran(format!("{} for a move, {} were allowed", shown(took), shown(allowed))));
    }
    if let (Some(clock), Some(left)) = (pace.clock, left)
        && took > left + pace.grace
    {
        return Err(Fault::Overran(format!("{} for the game, {} were allowed", shown(*used), shown(clock))));
    }
    if time.left.is_some_and(|left| took > left + pace.grace) {
        return Err(Fault::Overran("the time of the game is over".to_owned()));
    }
    session.play(&reply.mv).map_err(|error| Fault::Cheated(error.to_string()))?;
    session.annotate(Some(took.as_secs_f64() * 1e3), reply.value);
    Ok(())
}

/// What a panic said.
fn last_words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it gave no reason".to_owned())
}
