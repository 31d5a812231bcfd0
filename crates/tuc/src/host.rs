//! The host: pairs clients as they arrive, in a series, or in a round robin. Every game belongs to a run.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use plyground_core::CancelToken;
use plyground_core::sync::lock;
use plyground_match::{
    AgentFactory, Experiment, Format, REMOTE, Run, RunDriver, RunError, RunObserver, RunPrefix, Seats, Store, Threads,
    names_effort, parallel_map,
};
use plyground_session::{InputError, Limits, Player, Resources};

use crate::remote_player::RemotePlayers;
use crate::server::{Admission, UdpServer};

/// The programme of a host: which clients play each other, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Programme {
    /// The first two clients play each other, then the next two, and so on; so many games, or until the host is stopped.
    InTurn {
        /// The number of games.
        games: Option<u64>,
    },
    /// Every client plays against this agent.
    Against {
        /// The spec of the agent.
        spec: String,
        /// The number of games.
        games: Option<u64>,
    },
    /// The first two clients play so many games, with colours in turn.
    Series {
        /// The number of games.
        games: u64,
    },
    /// A round robin of so many clients.
    RoundRobin {
        /// The number of players.
        players: usize,
        /// Does each two play twice, with colours swapped?
        double: bool,
    },
}

impl Programme {
    /// The admission rule at the beginning.
    pub fn admission(&self) -> Admission {
        match self {
            Self::InTurn { .. } | Self::Series { .. } => Admission::InTurn,
            Self::Against { .. } => Admission::Alone,
            Self::RoundRobin { .. } => Admission::Gathering,
        }
    }
}

/// The times of a competition, for a move and for a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompetitionTimes {
    /// For a move: a player that takes longer has lost.
    pub a_move: Duration,
    /// For a game: then the points decide.
    pub a_game: Duration,
}

impl CompetitionTimes {
    /// The times of a year. Those of 2019 are not known, and taken to be those of 2022.
    pub fn of_year(year: &str) -> Self {
        match year {
            "2021" => Self { a_move: Duration::from_secs(6), a_game: Duration::from_mins(14) },
            _ => Self { a_move: Duration::from_secs(4), a_game: Duration::from_mins(12) },
        }
    }
}

/// A host that plays a programme.
pub struct Host<'a> {
    /// The server with its clients.
    pub server: &'a UdpServer,
    /// The store of the games.
    pub store: &'a Store,
    /// The files that agents of the host may read.
    pub resources: &'a (dyn Resources + Sync),
    /// The game with its parameters.
    pub game: &'a str,
    /// The times for a move and for a game.
    pub time: CompetitionTimes,
    /// The random seed.
    pub seed: u64,
    /// Games at the same time.
    pub boards: usize,
    /// The command line, for the record.
    pub command: &'a str,
    /// Stops the host, also while a client thinks.
    pub cancel: &'a CancelToken,
    /// The subscriber to the events of its runs.
    pub observer: &'a dyn RunObserver,
}

/// The number of games of each run that have begun.
type Numbers = Mutex<HashMap<String, u64>>;

impl Host<'_> {
    /// Plays a programme to its end, or until the host is stopped.
    pub fn play(&self, programme: &Programme) -> Result<(), RunError> {
        match programme {
            Programme::InTurn { games } => self.one_by_one(None, *games),
            Programme::Against { spec, games } => self.one_by_one(Some(spec), *games),
            Programme::Series { games } => self.series(*games),
            Programme::RoundRobin { players, double } => self.round_robin(*players, *double),
        }
    }

    /// The run of these agents, remote or of the host.
    fn run(&self, agents: &[String], format: Format) -> Result<Run, InputError> {
        // Its agents are written out: a level names the effort that makes it weak.
        let experiment = Experiment::with_remote(self.game, agents, self.resources)?;
        let settings = Experiment {
            format,
            seats: Seats::Fixed,
            limits: Limits { time: Some(self.time.a_move), ..Limits::default() },
            game_time: Some(self.time.a_game),
            // A time in the spec of an agent gives way to that of the protocol.
            own_limits: experiment.agents.iter().any(|agent| names_effort(agent)),
            seed: self.seed,
            ..experiment
        };
        Ok(settings.run())
    }

    /// Drives a run with so many games at the same time.
    fn drive<T>(&self, run: &Run, boards: usize, act: impl FnOnce(&RunDriver<'_>) -> Result<T, RunError>) -> Result<T, RunError> {
        let executor = Threads(boards);
        let players = RemotePlayers { server: self.server, agents: AgentFactory::of_run(self.resources, run) };
        let driver = RunDriver::new(self.store, run, &executor, &players);
        act(&driver.for_command(self.command).cancelled_by(self.cancel).observed_by(self.observer))
    }

    /// A game for every two clients (or for every one, against an agent of the host), several at the same time.
    fn one_by_one(&self, against: Option<&String>, games: Option<u64>) -> Result<(), RunError> {
        let (numbers, cancel) = (Numbers::default(), self.cancel.child());
        let boards = vec![(); self.boards.max(1)];
        let played = parallel_map(boards, games.unwrap_or(u64::MAX), &cancel, |(), _| {
            let Some(pair) = self.server.next_pair(&cancel) else { return Ok(()) };
            // The other boards do not wait for players any more.
            self.single(&pair, against, &numbers).inspect_err(|_| cancel.cancel())
        });
        played.map(drop)
    }

    /// The next game of a pair, first player first; each order has a run of its own.
    fn single(&self, pair: &[(String, Player)], against: Option<&String>, numbers: &Numbers) -> Result<(), RunError> {
        let mut agents: Vec<String> = pair.iter().map(|(name, _)| format!("{REMOTE}{name}")).collect();
        if let (Some(spec), [(_, colour)]) = (against, pair) {
            agents.insert(colour.other().index(), spec.clone());
        }
        let run = self.run(&agents, Format::Games { rounds: None, double: false })?;
        let games = self.next_number(&run, numbers)?;
        self.drive(&run, 1, |driver| driver.play(&[[0, 1]], games)).map(drop)
    }

    /// The number of games of a run, with the one that begins now. Players come again as soon as they are told of the end, which may
    /// be before their last game is stored.
    fn next_number(&self, run: &Run, numbers: &Numbers) -> Result<u64, RunError> {
        let mut numbers = lock(numbers);
        let games = if let Some(games) = numbers.get(&run.id) {
            *games
        } else {
            let mut kept = 0;
            self.store.games(RunPrefix::all(&run.id), |_| kept += 1)?;
            kept
        };
        numbers.insert(run.id.clone(), games + 1);
        Ok(games + 1)
    }

    fn series(&self, games: u64) -> Result<(), RunError> {
        let Some(pair) = self.server.next_pair(self.cancel) else { return Ok(()) };
        let names: Vec<String> = pair.into_iter().map(|(name, _)| name).collect();
        self.server.admit_only(&names);
        let agents: Vec<String> = names.iter().map(|name| format!("{REMOTE}{name}")).collect();
        let run = self.run(&agents, Format::Games { rounds: None, double: true })?;
        self.drive(&run, 1, |driver| {
            driver.request(&[[0, 1], [1, 0]], games / 2)?;
            driver.request(&[[0, 1]], games.div_ceil(2))?;
            driver.play_requested(games.div_ceil(2))
        })
        .map(drop)
    }

    fn round_robin(&self, players: usize, double: bool) -> Result<(), RunError> {
        let Some(names) = self.server.gather(players, self.cancel) else { return Ok(()) };
        let agents: Vec<String> = names.iter().map(|name| format!("{REMOTE}{name}")).collect();
        let run = self.run(&agents, Format::Games { rounds: None, double })?;
        self.drive(&run, self.boards, |driver| driver.play_format(1)).map(drop)
    }
}
