//! The host: pairs clients as they arrive, in a series, or in a round robin. Every game belongs to a run.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use plyground_core::sync::{into_inner, lock};
use plyground_match::{Book, Experiment, Format, Hosted, News, REMOTE, Run, RunDriver, RunError, RunPrefix, Seats, Store};
use plyground_session::{InputError, Limits, Player, Resources};

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
    pub shelf: &'a (dyn Resources + Sync),
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
    /// The stop flag.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Called with every event of a run, from any thread.
    pub listen: &'a (dyn Fn(&Run, &News<'_>) + Sync),
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
    fn run(&self, agents: Vec<String>, format: Format) -> Result<Run, InputError> {
        let at_home: Vec<String> = agents.iter().filter(|agent| !agent.starts_with(REMOTE)).cloned().collect();
        let checked = Experiment::new(self.game, &at_home, self.shelf)?;
        // Agents of the host, with ready-made opponents written out.
        let mut written = checked.agents.clone().into_iter();
        let agents = agents.into_iter().filter_map(|agent| if agent.starts_with(REMOTE) { Some(agent) } else { written.next() });
        let settings = Experiment {
            agents: agents.collect(),
            format,
            seats: Seats::Fixed,
            limits: Limits { time: Some(self.time.a_move), ..Limits::default() },
            game_time: Some(self.time.a_game),
            own_limits: true,
            seed: self.seed,
            ..checked
        };
        Ok(settings.run())
    }

    fn conduct<T>(
        &self,
        run: &Run,
        threads: usize,
        act: impl FnOnce(&RunDriver<'_>) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        act(&RunDriver {
            store: self.store,
            run,
            shelf: self.shelf,
            crew: &Hosted { threads, porter: self.server },
            command: self.command,
            stop: self.stop,
            enough: &|_| false,
            listen: &|news| (self.listen)(run, news),
        })
    }

    /// A game for every two clients (or for every one, against an agent of the host), several at the same time.
    fn one_by_one(&self, against: Option<&String>, games: Option<u64>) -> Result<(), RunError> {
        let begun = AtomicU64::new(0);
        let failure = Mutex::new(None);
        let numbers = Numbers::default();
        let over = || (self.stop)() || lock(&failure).is_some();
        std::thread::scope(|scope| {
            for _ in 0..self.boards.max(1) {
                scope.spawn(|| {
                    while !over() && games.is_none_or(|games| begun.fetch_add(1, Ordering::Relaxed) < games) {
                        let Some(pair) = self.server.next_pair(&over) else { break };
                        if let Err(error) = self.single(&pair, against, &numbers) {
                            lock(&failure).get_or_insert(error);
                        }
                    }
                });
            }
        });
        into_inner(failure).map_or(Ok(()), Err)
    }

    /// The next game of a pair, first player first; each order has a run of its own.
    fn single(&self, pair: &[(String, Player)], against: Option<&String>, numbers: &Numbers) -> Result<(), RunError> {
        let mut agents: Vec<String> = pair.iter().map(|(name, _)| format!("{REMOTE}{name}")).collect();
        if let (Some(spec), [(_, colour)]) = (against, pair) {
            agents.insert(colour.other().index(), spec.clone());
        }
        let run = self.run(agents, Format::Games { rounds: None, double: false })?;
        let games = self.next_number(&run, numbers)?;
        self.conduct(&run, 1, |conduct| conduct.play(&mut Book::new(&run.experiment)?, &[[0, 1]], games)).map(drop)
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
        let Some(pair) = self.server.next_pair(self.stop) else { return Ok(()) };
        let names: Vec<String> = pair.into_iter().map(|(name, _)| name).collect();
        self.server.admit_only(&names);
        let agents = names.iter().map(|name| format!("{REMOTE}{name}")).collect();
        let run = self.run(agents, Format::Games { rounds: None, double: true })?;
        let mut book = Book::new(&run.experiment)?;
        self.conduct(&run, 1, |conduct| {
            conduct.ask(&mut book, &[[0, 1], [1, 0]], games / 2)?;
            conduct.ask(&mut book, &[[0, 1]], games.div_ceil(2))?;
            conduct.play_what_is_asked(games.div_ceil(2))
        })
        .map(drop)
    }

    fn round_robin(&self, players: usize, double: bool) -> Result<(), RunError> {
        let Some(names) = self.server.gather(players, self.stop) else { return Ok(()) };
        let agents = names.iter().map(|name| format!("{REMOTE}{name}")).collect();
        let run = self.run(agents, Format::Games { rounds: None, double })?;
        self.conduct(&run, self.boards, |conduct| conduct.play_format(1)).map(drop)
    }
}
