//! Competitions: entrants, pairings, time control and tie breaks, as a file states them.

mod file;
mod ranking;

use std::net::SocketAddr;
use std::time::Duration;

use plyground_core::{InputError, Limits, Resources};

use plyground_match::{Experiment, Format, GameRow, Openings, REMOTE, Results, Run, Seats, rounds_so_far};

pub use ranking::{Ranking, RankingRow, TieBreak};

/// A competition.
#[derive(Clone, Debug, PartialEq)]
pub struct Competition {
    /// Its name.
    pub title: String,
    /// The game with its parameters.
    pub game: String,
    /// The participants.
    pub entrants: Vec<Entrant>,
    /// The rounds of a Swiss system; without them it is a round robin.
    pub rounds: Option<u32>,
    /// Does each pairing play a second game with the seats swapped?
    pub double: bool,
    /// The time for every move: a player that takes longer has lost. Entrants whose specs name limits keep to those.
    pub move_time: Option<Duration>,
    /// The time for all moves of a player.
    pub clock: Option<Duration>,
    /// The time for all moves of both players, in games with points: then the points decide.
    pub game_time: Option<Duration>,
    /// The tie breaks between equal points, in their order.
    pub tie_breaks: Vec<TieBreak>,
    /// Games at the same time.
    pub boards: Option<u32>,
    /// Random plies at the start of each game.
    pub opening_plies: u32,
    /// The seed of all randomness.
    pub seed: u64,
    /// The settings for clients that connect over the network.
    pub network: NetworkSettings,
}

/// A participant of a competition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// Its name in tables.
    pub name: String,
    /// Its spec: an agent, a program (`cmd:…`), or a client that connects over the network (`udp:NAME`).
    pub spec: String,
}

/// The settings for clients that connect over the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkSettings {
    /// The address of the server.
    pub listen: SocketAddr,
    /// A client that has not connected for its game after this time loses it.
    pub wait: Duration,
    /// The time between the connection of the second player and the start of the game.
    pub begin_delay: Duration,
    /// Is the last message repeated to a player that has been silent for a second?
    pub resend: bool,
}

impl NetworkSettings {
    /// Settings for a competition to which no clients come.
    pub fn none() -> Self {
        Self { listen: SocketAddr::from(([127, 0, 0, 1], 0)), wait: Duration::ZERO, begin_delay: Duration::ZERO, resend: false }
    }
}

impl Competition {
    /// Reads a competition from the text of its file. An error names the line, and what was expected there.
    pub fn read(text: &str, resources: &dyn Resources) -> Result<Self, InputError> {
        file::read(text, resources)
    }

    /// Does a client connect over the network?
    pub fn has_guests(&self) -> bool {
        self.entrants.iter().any(|entrant| entrant.spec.starts_with(REMOTE))
    }

    /// The names of the clients that connect over the network.
    pub fn guests(&self) -> Vec<String> {
        self.entrants.iter().filter_map(|entrant| entrant.spec.strip_prefix(REMOTE)).map(str::to_owned).collect()
    }

    /// The run that plays it. Every entrant is checked; its number in the run is that in the file.
    pub fn run(&self, resources: &dyn Resources) -> Result<Run, InputError> {
        let specs: Vec<String> = self.entrants.iter().map(|entrant| entrant.spec.clone()).collect();
        let openings = match self.opening_plies {
            0 => Openings::Start,
            plies => Openings::Random { plies },
        };
        let settings = Experiment {
            openings,
            format: Format::Games { rounds: self.rounds, double: self.double },
            seats: Seats::Fixed,
            limits: Limits { time: self.move_time, ..Limits::default() },
            clock: self.clock,
            game_time: self.game_time,
            own_limits: true,
            seed: self.seed,
            ..Experiment::with_remote(&self.game, &specs, resources)?
        };
        Ok(settings.run())
    }

    /// The table after these games of its run. In a Swiss system an entrant that rests gets the points of a round.
    pub fn ranking(&self, run: &Run, results: &Results, bouts: &[Bout]) -> Ranking {
        let mut free = vec![0.0; self.entrants.len()];
        if self.rounds.is_some() {
            for round in rounds_so_far(&run.experiment, results) {
                let resting = (0..free.len()).filter(|entrant| !round.iter().flatten().any(|player| player == entrant));
                resting.collect::<Vec<_>>().into_iter().for_each(|entrant| free[entrant] += if self.double { 2.0 } else { 1.0 });
            }
        }
        Ranking::new(self.entrants.len(), bouts, &free, &self.tie_breaks)
    }
}

/// A game of a competition, as far as the table is concerned.
#[derive(Clone, Debug, PartialEq)]
pub struct Bout {
    /// The players, in the order in which they moved.
    pub players: [usize; 2],
    /// 1, a half or 0 for each.
    pub scores: [f64; 2],
    /// The first one's points on the board minus the second one's.
    pub margin: i32,
    /// The points on the board.
    pub points: Option<[i32; 2]>,
    /// Moves of both.
    pub plies: usize,
    /// The reason of its end.
    pub reason: String,
    /// The time of its end, in seconds since 1970.
    pub ended: i64,
}

impl From<&GameRow> for Bout {
    fn from(game: &GameRow) -> Self {
        let first = f64::from(game.outcome.value()).mul_add(0.5, 0.5);
        Self {
            players: game.agents,
            scores: [first, 1.0 - first],
            margin: game.points.map_or(game.outcome.margin, |[first, second]| first - second),
            points: game.points,
            plies: game.plies(),
            reason: game.reason.clone(),
            ended: game.ended,
        }
    }
}
