//! What is played in a room: game after game of whoever comes, a series, or a round robin. Every game is a game of a run of the lab.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use plyground_core::sync::{into_inner, lock};
use plyground_match::{Book, Experiment, Format, Hosted, News, REMOTE, Run, RunDriver, RunError, RunPrefix, Seats, Store};
use plyground_session::{InputError, Limits, Player, Resources};

use crate::server::{Admission, Room};

/// What is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Programme {
    /// The first two who come play each other, then the next two, and so on; so many games, or until somebody says stop.
    InTurn {
        /// How many.
        games: Option<u64>,
    },
    /// Whoever comes plays against this agent.
    Against {
        /// The agent.
        spec: String,
        /// How many games.
        games: Option<u64>,
    },
    /// The first two who come play so many games, with colours in turn.
    Series {
        /// How many.
        games: u64,
    },
    /// When so many have come, everybody plays everybody.
    RoundRobin {
        /// How many players.
        players: usize,
        /// Do all play twice, the other way round?
        double: bool,
    },
}

impl Programme {
    /// Who is let in at first.
    pub fn admission(&self) -> Admission {
        match self {
            Self::InTurn { .. } | Self::Series { .. } => Admission::InTurn,
            Self::Against { .. } => Admission::Alone,
            Self::RoundRobin { .. } => Admission::Gathering,
        }
    }
}

/// The time that the players have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// For a move: whoever takes longer has lost.
    pub a_move: Duration,
    /// For a game: then the points decide.
    pub a_game: Duration,
}

impl TimeControl {
    /// That of a competition, by its year. That of 2019 is not known: it was like that of 2022.
    pub fn of_year(year: &str) -> Self {
        match year {
            "2021" => Self { a_move: Duration::from_secs(6), a_game: Duration::from_mins(14) },
            _ => Self { a_move: Duration::from_secs(4), a_game: Duration::from_mins(12) },
        }
    }
}

/// Lets a programme be played.
pub struct Host<'a> {
    /// Where the players are.
    pub room: &'a Room,
    /// Where the games are kept.
    pub store: &'a Store,
    /// Where agents of the house find the files that they name.
    pub shelf: &'a (dyn Resources + Sync),
    /// The game with its parameters.
    pub game: &'a str,
    /// How much time there is.
    pub time: TimeControl,
    /// From which all chance comes.
    pub seed: u64,
    /// Games at the same time.
    pub boards: usize,
    /// How one would ask for this on the command line.
    pub command: &'a str,
    /// Is asked again and again whether to stop.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Hears what happens, from any thread.
    pub listen: &'a (dyn Fn(&Run, &News<'_>) + Sync),
}

/// How many games of each run have begun.
type Numbers = Mutex<HashMap<String, u64>>;

impl Host<'_> {
    /// Plays it to its end, or until somebody says stop.
    pub fn play(&self, programme: &Programme) -> Result<(), RunError> {
        match programme {
            Programme::InTurn { games } => self.one_by_one(None, *games),
            Programme::Against { spec, games } => self.one_by_one(Some(spec), *games),
            Programme::Series { games } => self.series(*games),
            Programme::RoundRobin { players, double } => self.round_robin(*players, *double),
        }
    }

    /// A run between these.
    fn run(&self, agents: Vec<String>, format: Format) -> Result<Run, InputError> {
        let at_home: Vec<String> = agents.iter().filter(|agent| !agent.starts_with(REMOTE)).cloned().collect();
        let checked = Experiment::new(self.game, &at_home, self.shelf)?;
        // Those of the house with ready-made opponents written out.
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
            crew: &Hosted { threads, porter: self.room },
            command: self.command,
            stop: self.stop,
            enough: &|_| false,
            listen: &|news| (self.listen)(run, news),
        })
    }

    /// A game for every two who come (or for everybody, against an agent of the house), several at the same time.
    fn one_by_one(&self, against: Option<&String>, games: Option<u64>) -> Result<(), RunError> {
        let begun = AtomicU64::new(0);
        let failure = Mutex::new(None);
        let numbers = Numbers::default();
        let over = || (self.stop)() || lock(&failure).is_some();
        std::thread::scope(|scope| {
            for _ in 0..self.boards.max(1) {
                scope.spawn(|| {
                    while !over() && games.is_none_or(|games| begun.fetch_add(1, Ordering::Relaxed) < games) {
                        let Some(pair) = self.room.next_pair(&over) else { break };
                        if let Err(error) = self.single(&pair, against, &numbers) {
                            lock(&failure).get_or_insert(error);
                        }
                    }
                });
            }
        });
        into_inner(failure).map_or(Ok(()), Err)
    }

    /// The next game of those who move first and second; each order has a run of its own.
    fn single(&self, pair: &[(String, Player)], against: Option<&String>, numbers: &Numbers) -> Result<(), RunError> {
        let mut agents: Vec<String> = pair.iter().map(|(name, _)| format!("{REMOTE}{name}")).collect();
        if let (Some(spec), [(_, colour)]) = (against, pair) {
            agents.insert(colour.other().index(), spec.clone());
        }
        let run = self.run(agents, Format::Games { rounds: None, double: false })?;
        let games = self.next_number(&run, numbers)?;
        self.conduct(&run, 1, |conduct| conduct.play(&mut Book::new(&run.experiment)?, &[[0, 1]], games)).map(drop)
    }

    /// How many games of a run there are with the one that begins now. Players come again as soon as they have heard of the end, which may
    /// be before their last game is kept.
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
        let Some(pair) = self.room.next_pair(self.stop) else { return Ok(()) };
        let names: Vec<String> = pair.into_iter().map(|(name, _)| name).collect();
        self.room.admit_only(&names);
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
        let Some(names) = self.room.gather(players, self.stop) else { return Ok(()) };
        let agents = names.iter().map(|name| format!("{REMOTE}{name}")).collect();
        let run = self.run(agents, Format::Games { rounds: None, double })?;
        self.conduct(&run, self.boards, |conduct| conduct.play_format(1)).map(drop)
    }
}
