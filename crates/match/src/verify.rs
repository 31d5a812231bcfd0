//! Verification of results that another machine has sent: each game against its job, and by the rules.
//!
//! A result is proved before it counts: the moves are played again, outcomes of chance are those of the seed, and the end of the game
//! is the one that the rules say. What only the players know (that they chose these moves, and how long they thought) is not proved
//! here; for that a game must be played again.

use std::fmt;

use plyground_core::{InputError, Outcome, Player, Turn};
use plyground_session::{LineEnd, LineError, Session, split_spec};

use crate::experiment::seated;
use crate::game::time_control::shown;
use crate::{Experiment, GameRow, Job, PlayerFactory, Run, TimeControl};

/// The reason why a result is refused: what was expected, and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The part of the result that is wrong.
    pub part: &'static str,
    /// The expected value.
    pub expected: String,
    /// The found value, shortened.
    pub found: String,
    /// Is it proof that the sender has made it up? A result that does not fit its job may come from a job that another client forged.
    pub proof: bool,
}

/// The longest text of a message that is repeated in a report.
const SHOWN: usize = 80;

impl Refusal {
    fn new(part: &'static str, expected: &dyn fmt::Display, found: &dyn fmt::Display) -> Self {
        let found = found.to_string().chars().filter(|letter| !letter.is_control()).take(SHOWN).collect();
        Self { part, expected: expected.to_string(), found, proof: true }
    }

    /// The same for a result that may be an honest one of another job.
    fn of_another_job(self) -> Self {
        Self { proof: false, ..self }
    }

    /// The refusal of a game that was played again and came out differently.
    fn differs(part: &'static str, expected: &dyn fmt::Display, found: &dyn fmt::Display) -> Self {
        Self::new(part, &format!("{expected} when it is played again"), found)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: expected {}, found {}", self.part, self.expected, self.found)
    }
}

impl std::error::Error for Refusal {}

/// An error if two values differ.
fn same<T: PartialEq + fmt::Debug>(part: &'static str, expected: &T, found: &T) -> Result<(), Refusal> {
    if expected == found { Ok(()) } else { Err(Refusal::new(part, &format!("{expected:?}"), &format!("{found:?}"))) }
}

/// A job as a worker receives it, checked against its run: its name, its agents, and an opening that the rules allow.
pub fn verify_job(run: &Run, games: &dyn PlayerFactory, job: &Job) -> Result<(), Refusal> {
    let agents = run.experiment.agents.len();
    if let Some(agent) = job.agents.into_iter().find(|&agent| agent >= agents) {
        return Err(Refusal::new("agents", &format!("numbers below {agents}"), &agent).of_another_job());
    }
    let of_job = |checked: Result<(), Refusal>| checked.map_err(Refusal::of_another_job);
    of_job(same("run", &run.id, &job.run))?;
    of_job(same("job", &run.experiment.job_id(&run.id, job.agents, job.pair), &job.id))?;
    let unopened = |error: InputError| Refusal::new("opening", &"moves that the rules allow", &error).of_another_job();
    let mut session = games.open(&run.experiment.game).map_err(unopened)?;
    for text in &job.opening {
        session.play(text).map_err(unopened)?;
    }
    Ok(())
}

/// The games of a job as they came back, checked against the job and by the rules. The games are those that `games` opens.
pub fn verify_games(experiment: &Experiment, games: &dyn PlayerFactory, job: &Job, rows: &[GameRow]) -> Result<(), Refusal> {
    let open = ResultVerifier::new(experiment, games);
    open.map_err(|error| Refusal::new("game", &"a game that can be opened", &error).of_another_job())?.verify(job, rows)
}

/// A verifier of the results of one experiment, which opens its game once.
pub struct ResultVerifier<'a> {
    experiment: &'a Experiment,
    start: Box<dyn Session>,
}

impl<'a> ResultVerifier<'a> {
    /// A verifier of games that `games` opens.
    pub fn new(experiment: &'a Experiment, games: &dyn PlayerFactory) -> Result<Self, InputError> {
        Ok(Self { experiment, start: games.open(&experiment.game)? })
    }

    /// The games of a job as they came back, checked against the job and by the rules.
    pub fn verify(&self, job: &Job, rows: &[GameRow]) -> Result<(), Refusal> {
        let games = usize::from(self.experiment.seats.games());
        same("number of games", &games, &rows.len()).map_err(Refusal::of_another_job)?;
        for (row, number) in rows.iter().zip(0..) {
            fits(job, number, row).map_err(Refusal::of_another_job)?;
            Replay { experiment: self.experiment, job, row, start: self.start.as_ref() }.check()?;
        }
        Ok(())
    }
}

/// Two plays of one job without time limits: the same moves and the same result. What the clock says may differ.
pub fn verify_same(played: &[GameRow], found: &[GameRow]) -> Result<(), Refusal> {
    same("number of games", &played.len(), &found.len())?;
    let texts = |row: &GameRow| row.moves.iter().map(|played| played.text.as_str()).collect::<Vec<_>>().join(" ");
    for (played, found) in played.iter().zip(found) {
        if texts(played) != texts(found) {
            return Err(Refusal::differs("moves", &texts(played), &texts(found)));
        }
        let result = |row: &GameRow| (row.outcome, row.points, row.fault.clone());
        if result(played) != result(found) {
            return Err(Refusal::differs("result", &format!("{:?}", result(played)), &format!("{:?}", result(found))));
        }
    }
    Ok(())
}

/// Whether the same job gives the same games on every machine: no clock decides anything, one thread thinks, and no network is asked
/// (the sums of a network depend on the processor in their last digits).
pub fn is_reproducible(experiment: &Experiment) -> bool {
    let Experiment { limits, clock, game_time, files, .. } = experiment;
    let keeps_to_counts = |agent: &String| {
        let (_, keys) = split_spec(agent);
        !keys.split(',').any(|pair| ["time", "threads"].contains(&pair.split('=').next().unwrap_or_default().trim()))
    };
    limits.time.is_none()
        && clock.is_none()
        && game_time.is_none()
        && files.is_empty()
        && experiment.agents.iter().all(keeps_to_counts)
}

/// A game compared with its place in its job.
fn fits(job: &Job, number: u8, row: &GameRow) -> Result<(), Refusal> {
    same("job", &job.id, &row.job)?;
    same("pair", &job.pair, &row.pair)?;
    same("number in the pair", &number, &row.game)?;
    same("agents", &seated(job.agents, number), &row.agents)?;
    same("length of the opening", &job.opening.len(), &row.opening)?;
    let opening = || row.moves.iter().take(row.opening).map(|played| &played.text);
    if job.opening.iter().eq(opening()) {
        return Ok(());
    }
    same("opening", &job.opening.iter().collect(), &opening().collect::<Vec<&String>>())
}

/// A game that is played again, move by move.
struct Replay<'a> {
    experiment: &'a Experiment,
    job: &'a Job,
    row: &'a GameRow,
    /// The game at its start.
    start: &'a dyn Session,
}

impl Replay<'_> {
    fn check(self) -> Result<(), Refusal> {
        same("number of movers", &self.row.moves.len(), &self.row.movers.len())?;
        let line: Vec<&str> = self.row.moves.iter().map(|played| played.text.as_str()).collect();
        // The outcomes of an opening were drawn when it was made.
        let mut chance = || self.experiment.chance_seed(self.job.agents, self.job.pair).rng();
        let end = self.start.follow(&line, self.row.opening, &mut chance).map_err(|error| match error {
            LineError::Illegal(error) => Refusal::new("moves", &"moves that the rules allow", &error),
            LineError::Differs { expected, found } => Refusal::new("moves", &format!("{expected:?}"), &format!("{found:?}")),
        })?;
        for ((mover, found), played) in end.movers.iter().zip(&self.row.movers).zip(&self.row.moves) {
            same("movers", mover, found)?;
            same("outcomes of chance", &mover.is_none(), &played.chance)?;
        }
        self.check_numbers()?;
        same("points", &end.points, &self.row.points)?;
        self.check_end(&end)
    }

    /// Times and expectations: measured by the sender, and so only possible or impossible.
    fn check_numbers(&self) -> Result<(), Refusal> {
        let time = TimeControl::default();
        let late = |used: f64, allowed: std::time::Duration| used > (allowed + time.grace).as_secs_f64() * 1e3 + 1.0;
        let mut used = [0.0; 2];
        for (number, (played, mover)) in self.row.moves.iter().zip(&self.row.movers).enumerate() {
            let thought = if number < self.row.opening { None } else { *mover };
            let Some(player) = thought else {
                same("thinking time of what no player chose", &None, &played.ms)?;
                same("value of what no player chose", &None, &played.value)?;
                continue;
            };
            let ms = played.ms.unwrap_or(0.0);
            used[player.index()] += ms;
            let exceeded = self.experiment.limits.time.is_some_and(|allowed| late(ms, allowed))
                || self.experiment.clock.is_some_and(|allowed| late(used[player.index()], allowed));
            if !ms.is_finite() || ms < 0.0 || exceeded {
                return Err(Refusal::new("thinking time", &"a time within the limits", &ms));
            }
            if let Some(value) = played.value.filter(|value| !value.is_finite()) {
                return Err(Refusal::new("value", &"a number", &value));
            }
        }
        Ok(())
    }

    fn check_end(&self, end: &LineEnd) -> Result<(), Refusal> {
        let row = self.row;
        match (end.turn, &row.fault) {
            (Turn::Over(outcome), None) => {
                same("result", &outcome, &row.outcome)?;
                same("reason", &end.reason, &row.reason)
            }
            (Turn::Player(loser), Some(fault)) => self.check_fault(loser, fault),
            (Turn::Player(_), None) if self.experiment.game_time.is_some() => self.check_time_is_up(end),
            (Turn::Over(_), Some(fault)) => Err(Refusal::new("fault", &"none in a game that is over", &fault)),
            (Turn::Chance, _) => Err(Refusal::new("end", &"an outcome of chance", &"no more moves")),
            (Turn::Player(_), None) => Err(Refusal::new("end", &"a game that is over", &"a game that goes on")),
        }
    }

    /// The player to move has lost without a move.
    fn check_fault(&self, loser: Player, fault: &str) -> Result<(), Refusal> {
        let Experiment { limits, clock, game_time, .. } = self.experiment;
        let timed = limits.time.is_some() || clock.is_some() || game_time.is_some();
        let possible: &[&str] =
            if timed { &["crashed", "cheated", "overran", "stalled"] } else { &["crashed", "cheated", "stalled"] };
        if !possible.contains(&fault) {
            return Err(Refusal::new("fault", &possible.join(" or "), &fault));
        }
        same("result", &Outcome::win(loser.other()), &self.row.outcome)?;
        let beginning = format!("{} {fault}: ", self.start.info().players[loser.index()]);
        if self.row.reason.starts_with(&beginning) {
            return Ok(());
        }
        Err(Refusal::new("reason", &format!("one that begins with {beginning:?}"), &self.row.reason))
    }

    /// The time of the game is over, and the points decide.
    fn check_time_is_up(&self, end: &LineEnd) -> Result<(), Refusal> {
        let points = end.points;
        let outcome = points.map_or(Outcome::DRAW, |[first, second]| Outcome::by_points(first, second));
        same("result", &outcome, &self.row.outcome)?;
        let ([first, second], names) = (points.unwrap_or_default(), self.start.info().players);
        let time = shown(self.experiment.game_time.unwrap_or_default());
        let reason = format!("the time of the game, {time}, is over; {} {first}, {} {second}", names[0], names[1]);
        same("reason", &reason, &self.row.reason)
    }
}
