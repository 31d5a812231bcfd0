//! One history from a seed: what there is, what goes wrong, and whether the run comes to the right end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use plyground_core::sync::lock;
use plyground_core::{Rng, Seed};
use plyground_match::GameRow;

use crate::disk::Disk;
use crate::experiments::known_tables;
use crate::faults::{Fate, Faults, after, rule};
use crate::liars::Lie;
use crate::programs::{ProgramRole, Stage, coordinate, work};
use crate::server::ServerDisk;
use crate::world::{ProgramId, World, WorldEvents, WorldState};

/// The time in which a run must come to its end once no more faults happen: this, and so many times what one worker takes for all
/// of it.
const LONGEST: Duration = Duration::from_mins(10);
const LONGEST_TIMES: u32 = 3;

/// The result of a simulated history.
#[derive(Clone, Debug)]
pub struct SimulatedHistory {
    /// Its seed.
    pub seed: u64,
    /// The time that passed in it.
    pub time: Duration,
    /// The programs that were started in it, again and again.
    pub starts: u64,
    /// The failure at the end, in words; `None` if the run came to the table of one computer.
    pub failure: Option<String>,
    /// The log, if it was wanted.
    pub log: Vec<String>,
}

/// Everything of a history.
struct History {
    fate: Arc<Fate>,
    /// The time that the run has once no more faults happen.
    longest: Duration,
}

/// Simulates the history of a seed. The same seed is the same history.
pub fn simulate(seed: u64, with_log: bool) -> SimulatedHistory {
    let mut history = SimulatedHistory { seed, time: Duration::ZERO, starts: 0, failure: None, log: Vec::new() };
    let made = Arc::new(History::new(Seed(seed).named("history"), with_log));
    let world = made.fate.stage.world.clone();
    let events = Events(Arc::clone(&made));
    let ran = catch_unwind(AssertUnwindSafe(|| {
        made.fate
            .roles
            .iter()
            .enumerate()
            .filter(|(_, part)| **part == ProgramRole::Fate)
            .for_each(|(fate, _)| world.launch(fate));
        world.run(made.fate.calm_at + made.longest, &events);
        made.verdict()
    }));
    history.failure = match ran {
        Ok(verdict) => verdict.err(),
        Err(panic) => Some(format!("a panic: {}", panic_words(panic.as_ref()))),
    };
    history.time = world.state().now;
    history.starts = world.state().programs.iter().map(|program| program.starts).sum();
    history.log = world.take_log();
    world.clear();
    history
}

fn panic_words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned())).unwrap_or_else(|| "without words".to_owned())
}

impl History {
    fn new(seed: Seed, with_log: bool) -> Self {
        let mut rng = seed.rng();
        let world = World::new(seed, with_log);
        world.state().server.disk = ServerDisk::used(&mut rng);
        let tables = known_tables();
        let table = &tables[rng.below(tables.len() as u32) as usize];
        let coordinators = 1 + usize::from(rng.below(3) == 0);
        let workers = 1 + rng.below(3) as usize;
        let liars = if rng.below(3) == 0 { 1 + rng.below(2) as usize } else { 0 };
        let mut roles = vec![ProgramRole::Fate];
        roles.extend((0..coordinators).map(ProgramRole::Coordinator));
        roles.extend((0..workers).map(|_| ProgramRole::Worker));
        roles.extend((0..liars).map(|_| ProgramRole::Liar(Lie::ALL[rng.below(Lie::ALL.len() as u32) as usize])));
        for (number, part) in roles.iter().enumerate() {
            let name = match part {
                ProgramRole::Fate => "fate".to_owned(),
                ProgramRole::Coordinator(_) => format!("coordinator-{number}"),
                ProgramRole::Worker => format!("worker-{number}"),
                ProgramRole::Liar(lie) => format!("liar-{number}-{lie:?}"),
            };
            world.add_program(&name, if *part == ProgramRole::Fate { 1.0 } else { clock_rate(&mut rng) });
        }
        let calm_at = Duration::from_secs_f64(60.0 * 30_f64.powf(rng.unit()));
        let jobs = table.games.len() / usize::from(table.run.experiment.seats.games());
        let stage = Stage {
            world,
            table,
            // Without faults the run would take about as long as they last.
            job_time: (calm_at * workers as u32 / jobs as u32).mul_f64(0.2 + rng.unit()),
            sample: 1.0,
            disks: (0..coordinators).map(|_| Mutex::new(Disk::new())).collect(),
            ended: Mutex::default(),
            liars: Mutex::default(),
        };
        // Samples that were not played yet are forgotten with their coordinator.
        let is_fragile = roles.contains(&ProgramRole::Liar(Lie::OtherGame));
        let longest = LONGEST + stage.job_time * jobs as u32 * LONGEST_TIMES;
        let faults = Faults::new(&mut rng, is_fragile);
        Self { fate: Arc::new(Fate { stage: Arc::new(stage), roles, calm_at, faults }), longest }
    }

    /// An error if something is wrong at the end.
    fn verdict(&self) -> Result<(), String> {
        let ended = lock(&self.fate.stage.ended);
        if ended.len() < self.fate.stage.disks.len() {
            let minutes = self.longest.as_secs() / 60;
            return Err(format!("a run did not come to its end within {minutes} minutes after the last fault"));
        }
        let liars = lock(&self.fate.stage.liars);
        for table in ended.iter() {
            if let Some(difference) = difference(&self.fate.stage.table.games, &table.games) {
                return Err(difference);
            }
            for sender in &table.refused {
                if sender.banned && !liars.contains(&sender.worker) {
                    return Err(format!("the honest worker {} is banned: {}", sender.worker, sender.reason));
                }
                if !sender.banned && self.must_be_banned(&sender.worker) {
                    return Err(format!("the liar {} was caught and is not banned: {}", sender.worker, sender.reason));
                }
            }
        }
        Ok(())
    }

    /// Whether a refused result of this sender is proof.
    fn must_be_banned(&self, worker: &str) -> bool {
        self.fate
            .roles
            .iter()
            .any(|part| matches!(part, ProgramRole::Liar(lie) if lie.is_proof() && worker.contains(&format!("{lie:?}-"))))
    }
}

/// The speed of a clock: right, a little wrong, or very wrong.
fn clock_rate(rng: &mut Rng) -> f64 {
    match rng.below(4) {
        0 => 1.0,
        1 | 2 => 0.99 + 0.02 * rng.unit(),
        _ => 0.7 + 0.6 * rng.unit(),
    }
}

/// The first difference between two tables, in words.
fn difference(expected: &[GameRow], found: &[GameRow]) -> Option<String> {
    if expected.len() != found.len() {
        return Some(format!("expected {} games in the table, found {}", expected.len(), found.len()));
    }
    let (one, other) = expected.iter().zip(found).find(|(one, other)| one != other)?;
    Some(format!("expected the game {one:?} in the table, found {other:?}"))
}

/// What the world asks of a history.
struct Events(Arc<History>);

impl WorldEvents for Events {
    fn launch(&self, program: ProgramId) -> LocalBoxFuture<'static, ()> {
        let stage = Arc::clone(&self.0.fate.stage);
        match self.0.fate.roles[program] {
            ProgramRole::Fate => rule(Arc::clone(&self.0.fate)).boxed_local(),
            ProgramRole::Coordinator(number) => coordinate(stage, program, number).boxed_local(),
            ProgramRole::Worker => work(stage, program, None).boxed_local(),
            ProgramRole::Liar(lie) => work(stage, program, Some(lie)).boxed_local(),
        }
    }

    fn killed(&self, program: ProgramId) {
        if let ProgramRole::Coordinator(number) = self.0.fate.roles[program] {
            lock(&self.0.fate.stage.disks[number]).keep();
        }
    }

    fn stepped(&self, program: ProgramId) {
        if let ProgramRole::Coordinator(number) = self.0.fate.roles[program] {
            let stage = &self.0.fate.stage;
            let (lost, delay) = {
                let (mut disk, mut state) = (lock(&stage.disks[number]), stage.world.state());
                (disk.is_lost(&mut state.rng), disk.delay(&mut state.rng))
            };
            if lost {
                stage.world.log(program, || "loses power while it writes".to_owned());
                stage.world.kill(program);
            } else if let Some(time) = delay {
                stage.world.log(program, || "waits for its disk".to_owned());
                stage.world.freeze(program);
                after(&stage.world, time, move |world| world.thaw(program));
            }
        }
    }

    fn is_over(&self, _: &WorldState) -> bool {
        lock(&self.0.fate.stage.ended).len() == self.0.fate.stage.disks.len()
    }
}
