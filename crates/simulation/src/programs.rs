//! The programs of a simulation: the coordinator and the worker of production, on a simulated machine with a simulated server.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{join, select};
use plyground_cluster::parts::{AnnouncedRuns, BatchResults, Failure, Heartbeats, Notes, PlayableJobs, packed, results_of};
use plyground_cluster::{Access, Broker, Fleet, FleetView, Handshake, NatsQueue, Presence};
use plyground_core::sync::lock;
use plyground_core::{CancelToken, NoResources};
use plyground_match::{
    AgentFactory, Experiment, GameRow, Job, Lease, Queue as _, RefusedResults, Run, RunContext, RunDriver, RunError, RunEvent,
    Worker, Workplace, play_job, work_at,
};

use crate::client::SimulatedClient;
use crate::disk::Disk;
use crate::experiments::{KnownTable, games};
use crate::liars::{Lie, falsified, oversized};
use crate::world::{ProgramId, SimulatedMachine, World};

/// The role of a program of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramRole {
    /// What decides over the others.
    Fate,
    /// A coordinator, with the number of its disk.
    Coordinator(usize),
    Worker,
    Liar(Lie),
}

/// The table that a coordinator has at the end.
pub struct FinalTable {
    pub games: Vec<GameRow>,
    pub refused: Vec<RefusedResults>,
}

/// The state that all programs of a history share.
pub struct Stage {
    pub world: World,
    pub table: &'static KnownTable,
    /// The time that a worker takes for a job, at about.
    pub job_time: Duration,
    /// The share of results that coordinators play again.
    pub sample: f64,
    /// The disks of the coordinators.
    pub disks: Vec<Mutex<Disk>>,
    /// The tables of the coordinators that have come to an end.
    pub ended: Mutex<Vec<FinalTable>>,
    /// The names under which liars have sent results.
    pub liars: Mutex<BTreeSet<String>>,
}

/// The handshake of all programs.
fn handshake() -> Handshake {
    Handshake { version: "simulated".to_owned(), rules: "simulated".to_owned(), speed: 1.0 }
}

fn broker(world: &World, program: ProgramId) -> Arc<Broker> {
    let client = SimulatedClient { world: world.clone(), program };
    let machine = SimulatedMachine { world: world.clone(), program };
    Arc::new(Broker::new(Box::new(client), Box::new(machine), Access::new("nats://simulated")))
}

/// The command that asks for the run, from its start to its end.
pub async fn coordinate(stage: Arc<Stage>, program: ProgramId, number: usize) {
    let ended = conduct(&stage, program, number).await;
    if let Err(RunError::Foreign { .. } | RunError::Damaged { .. } | RunError::Gone { .. } | RunError::Database { .. }) = &ended {
        let mut disk = lock(&stage.disks[number]);
        if !disk.is_full() {
            disk.distrust();
        }
    }
    stage.world.log(program, || match &ended {
        Ok(complete) => format!("ends, complete: {complete}"),
        Err(error) => format!("fails: {}", lock(&stage.disks[number]).without_folder(&error.to_string())),
    });
    stage.world.exit(program, matches!(ended, Ok(true)));
}

/// Plays the run as far as possible; true if it is complete.
async fn conduct(stage: &Stage, program: ProgramId, number: usize) -> Result<bool, RunError> {
    let KnownTable { run, pairs, .. } = stage.table;
    let broker = broker(&stage.world, program);
    let world = stage.world.clone();
    let store = lock(&stage.disks[number]).open(move |event| world.log(program, || event.to_owned()))?;
    let players = AgentFactory::new(&NoResources);
    let view = FleetView::subscribe(&broker).await?;
    let world = stage.world.clone();
    let fleet = Fleet::with_view(Arc::clone(&broker), view, handshake())
        .with_sample(stage.sample)
        .telling(move |note| world.log(program, || format!("says: {note}")));
    let driver = RunDriver::new(&store, run, &fleet, &players);
    driver.request_format(*pairs)?;
    let part = driver.begin_part(*pairs, 0)?;
    let observe = |event: &RunEvent<'_>| {
        if let RunEvent::JobFinished { job, .. } = event {
            stage.world.log(program, || format!("counts job {}", job.id));
        }
        part.observe(event);
    };
    fleet.conduct(&driver, *pairs, &part.cancel, &observe).await?;
    let (_, complete) = part.end()?;
    if complete {
        let ended = FinalTable { games: games(&store, run)?, refused: fleet.refused(&run.id) };
        lock(&stage.ended).push(ended);
    }
    Ok(complete)
}

/// A worker, from its start until it fails.
pub async fn work(stage: Arc<Stage>, program: ProgramId, lie: Option<Lie>) {
    let worked = serve(&stage, program, lie).await;
    stage.world.log(program, || format!("ends: {worked:?}"));
    stage.world.exit(program, false);
}

async fn serve(stage: &Stage, program: ProgramId, lie: Option<Lie>) -> Result<(), RunError> {
    let broker = broker(&stage.world, program);
    let (handshake, cancel) = (handshake(), CancelToken::new());
    let world = stage.world.clone();
    let tell = move |note: &str| world.log(program, || format!("says: {note}"));
    let notes = Notes::new(&tell);
    let queue = NatsQueue::new(Arc::clone(&broker)).patient();
    let runs = AnnouncedRuns::new(&broker, &handshake, PathBuf::new(), &notes);
    runs.look().await?;
    let worker = Worker(broker.machine().unique());
    if lie.is_some() {
        lock(&stage.liars).insert(worker.0.clone());
    }
    let presence = || Presence {
        worker: worker.0.clone(),
        machine: "simulated".to_owned(),
        version: handshake.version.clone(),
        rules: handshake.rules.clone(),
        cores: 1,
        speed: handshake.speed,
        jobs: 0,
        retries: 0,
        failed: 0,
        self_play_games: 0,
        leaving: false,
    };
    let heartbeats = Heartbeats::begin(&broker, &queue, &presence).await?;
    let place = SimulatedPlace {
        stage,
        broker: &broker,
        playable: PlayableJobs { queue: &queue, runs: &runs },
        lie,
        last: Mutex::default(),
        cancel: &cancel,
    };
    let heart = async {
        loop {
            broker.sleep(queue.heartbeat()).await;
            let _ = queue.extend_leases(&worker).await;
        }
    };
    let beside = join(heart, heartbeats.publish(&cancel));
    match select(std::pin::pin!(work_at(&place, &worker, &cancel)), std::pin::pin!(beside)).await {
        futures_util::future::Either::Left((worked, _)) => worked,
        futures_util::future::Either::Right((((), ()), _)) => Ok(()),
    }
}

/// The place of a simulated worker: playing takes no time of ours, and some of the world.
struct SimulatedPlace<'a> {
    stage: &'a Stage,
    broker: &'a Arc<Broker>,
    playable: PlayableJobs<'a>,
    lie: Option<Lie>,
    /// The job before this one.
    last: Mutex<Option<String>>,
    cancel: &'a CancelToken,
}

impl SimulatedPlace<'_> {
    /// Plays a job, with times of the simulated clock.
    fn games(&self, run: &Run, job: &Job) -> Result<Option<Vec<GameRow>>, RunError> {
        let context = RunContext { run, players: &AgentFactory::new(&NoResources), clock_speed: 1.0 };
        let played = play_job(&context, job, self.cancel, &|_| {})?;
        let ended = self.broker.now().as_secs() as i64;
        Ok(played.map(|mut games| {
            for game in &mut games {
                game.ended = ended;
                game.moves.iter_mut().filter_map(|played| played.ms.as_mut()).for_each(|ms| *ms = 1.0);
            }
            games
        }))
    }

    /// Says something else than what is true, if this is a liar and it feels like it.
    fn lies_now(&self) -> Option<Lie> {
        self.lie.filter(|_| {
            let mut state = self.stage.world.state();
            state.rng.below(4) > 0
        })
    }

    /// Sends what a liar sends instead of results.
    async fn keep_lie(&self, lie: Lie, run: &str, jobs: &[Vec<GameRow>]) -> Result<bool, RunError> {
        let payload = match lie {
            Lie::Oversized => oversized(),
            Lie::Failure => {
                let failure = |games: &Vec<GameRow>| Failure {
                    job: games[0].job.clone(),
                    error: "it is too hard".to_owned(),
                    certain: true,
                };
                packed(&BatchResults { failures: jobs.iter().map(failure).collect(), ..BatchResults::default() })
            }
            Lie::ForeignRun => {
                self.playable.queue.keep_games("000000000000", jobs).await?;
                return Ok(true);
            }
            Lie::Result | Lie::Move | Lie::OtherGame | Lie::OtherJob => return Ok(false),
        };
        self.broker.publish(&results_of(run), None, payload).await.map(|_| true)
    }
}

impl Workplace for SimulatedPlace<'_> {
    fn now(&self) -> Duration {
        self.broker.now()
    }

    async fn pause(&self, time: Duration) {
        self.broker.sleep(time).await;
    }

    async fn lease(&self, worker: &Worker, most: usize) -> Result<Lease, RunError> {
        self.playable.lease_jobs(worker, most).await
    }

    async fn play(&self, job: &Job) -> Result<Option<Vec<GameRow>>, RunError> {
        let time = {
            let mut state = self.stage.world.state();
            state.time_between(self.stage.job_time / 2, self.stage.job_time * 2)
        };
        self.broker.sleep(time).await;
        let known = self.playable.runs.load(&job.run).await?;
        let lie = self.lies_now();
        if lie == Some(Lie::OtherGame) {
            let seed = known.run.experiment.seed.wrapping_add(1);
            let other = Run { id: job.run.clone(), experiment: Experiment { seed, ..known.run.experiment.clone() } };
            return self.games(&other, job);
        }
        let games = self.games(&known.run, job)?;
        let last = lock(&self.last).replace(job.id.clone());
        Ok(games.map(|games| match lie {
            Some(lie) => falsified(lie, games, last.as_deref(), &mut self.stage.world.state().rng),
            None => games,
        }))
    }

    async fn keep(&self, run: &str, jobs: &[Vec<GameRow>]) -> Result<Vec<bool>, RunError> {
        let lied = match self.lies_now() {
            Some(lie) => self.keep_lie(lie, run, jobs).await?,
            None => false,
        };
        if !lied {
            self.playable.queue.keep_games(run, jobs).await?;
        }
        Ok(vec![true; jobs.len()])
    }

    async fn finish(&self, jobs: &[Job]) -> Result<(), RunError> {
        self.playable.queue.finish_jobs(jobs).await;
        Ok(())
    }

    async fn fail(&self, job: &Job, error: RunError) -> Result<(), RunError> {
        self.playable.fail_job(job, &error).await
    }

    fn batch(&self) -> Duration {
        self.playable.queue.batch()
    }

    fn tell(&self, _: &RunEvent<'_>) {}
}
