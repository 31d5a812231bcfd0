//! Who plays what a run asks for: the threads of this computer, or whoever listens at a queue on the network.

use plyground_core::{InputError, Resources};

use crate::{
    AgentFactory, Contestant, Event, PlayerFactory, Run, RunError, RunPrefix, Seated, Setting, Store, UnchangedFiles,
    WorkerConfig, work,
};

/// What is to be played.
pub struct Task<'a> {
    /// Where everything is kept, and what was asked for.
    pub store: &'a Store,
    /// The run.
    pub run: &'a Run,
    /// Where agents find the files that they name.
    pub shelf: &'a (dyn Resources + Sync),
    /// How many pairs of each pairing are wanted.
    pub pairs: u64,
    /// Is asked again and again whether to stop.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Hears what happens, from any thread.
    pub events: &'a (dyn Fn(&Event<'_>) + Sync),
}

impl<'a> Task<'a> {
    /// What is wanted of the run.
    pub fn lot(&self) -> RunPrefix<'a> {
        RunPrefix { run: &self.run.id, pairs: self.pairs }
    }
}

/// Those who play.
pub trait Executor: Sync {
    /// Plays what was asked for and is not done, until nothing is left or somebody says stop.
    fn play(&self, task: &Task<'_>) -> Result<(), RunError>;
}

/// So many games at the same time, on this computer.
pub struct Threads(pub usize);

impl Executor for Threads {
    fn play(&self, task: &Task<'_>) -> Result<(), RunError> {
        play_here(task, self.0, None)
    }
}

/// So many games at the same time, on this computer, with guests.
pub struct Hosted<'a> {
    /// How many games.
    pub threads: usize,
    /// Who lets the guests in.
    pub porter: &'a dyn RemotePlayers,
}

impl Executor for Hosted<'_> {
    fn play(&self, task: &Task<'_>) -> Result<(), RunError> {
        play_here(task, self.threads, Some(self.porter))
    }
}

fn play_here(task: &Task<'_>, threads: usize, porter: Option<&dyn RemotePlayers>) -> Result<(), RunError> {
    let shelf = UnchangedFiles::new(task.shelf, &task.run.experiment.files);
    let agents = AgentFactory(&shelf);
    let open = porter.map(|porter| Open { agents: &agents, porter });
    let roster = open.as_ref().map_or(&agents as &dyn PlayerFactory, |open| open);
    work(&WorkerConfig {
        keeper: task.store,
        queue: &task.store.queue(task.lot()),
        runs: &Setting { run: task.run, roster, tempo: 1.0 },
        threads,
        stop: task.stop,
        events: task.events,
    })
}

/// Knows those who come from outside and are no agents of the table.
pub trait RemotePlayers: Sync {
    /// The two who play a game; those who are no guests are invited by the roster. Like [`PlayerFactory::seat`].
    fn seat<'a>(
        &'a self,
        specs: &[String; 2],
        roster: &'a dyn PlayerFactory,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Seated<'a>>, InputError>;
}

/// The agents of the table, and guests.
struct Open<'a> {
    agents: &'a dyn PlayerFactory,
    porter: &'a dyn RemotePlayers,
}

impl PlayerFactory for Open<'_> {
    fn invite(&self, spec: &str) -> Result<Box<dyn Contestant + '_>, InputError> {
        self.agents.invite(spec)
    }

    fn seat(&self, specs: &[String; 2], stop: &dyn Fn() -> bool) -> Result<Option<Seated<'_>>, InputError> {
        self.porter.seat(specs, self.agents, stop)
    }
}
