//! What goes wrong in a history, when, and for how long.

use std::sync::Arc;
use std::time::Duration;

use plyground_core::Rng;
use plyground_core::sync::lock;

use crate::programs::{ProgramRole, Stage};
use crate::server::Noise;
use crate::world::{Life, ProgramId, World};

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A worker is killed.
    KillWorker,
    /// A coordinator is killed; what it has written is there.
    KillCoordinator,
    /// The machine of a coordinator loses its power in the middle of a transaction.
    PowerLoss,
    /// A coordinator is killed, and its store is gone.
    StoreLoss,
    /// A coordinator is killed, and bits of its store have changed when it is started again.
    BitFlips,
    /// The disk of a coordinator has no room for a while.
    FullDisk,
    /// The disk of a coordinator takes seconds to write for a while.
    SlowDisk,
    /// A program is stopped for a while and knows nothing of it.
    Freeze,
    /// A program cannot reach the server for a while.
    Cut,
    /// The server is down for a while and comes back with all that it had.
    Restart,
    /// The server comes back without its last seconds.
    LostSeconds,
    /// The server comes back as it was minutes ago.
    RollBack,
    /// The server comes back empty.
    Wipe,
    /// All keys are gone.
    ExpiredKeys,
    /// All jobs of the queue are gone.
    LostJobs,
    /// The clock of a program is set forward.
    ClockJump,
    /// Messages get lost, arrive twice, late, changed or in another order, until that changes again.
    Noise,
}

impl FaultKind {
    const ALL: [Self; 17] = [
        Self::KillWorker,
        Self::KillCoordinator,
        Self::PowerLoss,
        Self::StoreLoss,
        Self::BitFlips,
        Self::FullDisk,
        Self::SlowDisk,
        Self::Freeze,
        Self::Cut,
        Self::Restart,
        Self::LostSeconds,
        Self::RollBack,
        Self::Wipe,
        Self::ExpiredKeys,
        Self::LostJobs,
        Self::ClockJump,
        Self::Noise,
    ];

    /// Whether a coordinator forgets what it knows about workers.
    fn ends_coordinators(self) -> bool {
        matches!(self, Self::KillCoordinator | Self::PowerLoss | Self::StoreLoss | Self::BitFlips | Self::FullDisk)
    }
}

/// The faults of a history: some of all kinds, so that rare meetings of two are not hidden by all the others.
pub struct Faults {
    kinds: Vec<FaultKind>,
    /// The time between two, at about.
    between: Duration,
}

impl Faults {
    pub fn new(rng: &mut Rng, is_fragile: bool) -> Self {
        let mut kinds = FaultKind::ALL.to_vec();
        kinds.retain(|kind| rng.below(5) < 2 && !(is_fragile && kind.ends_coordinators()));
        Self { kinds, between: Duration::from_secs_f64(3.0 * 20_f64.powf(rng.unit())) }
    }
}

/// The choice of faults for all programs of a history.
pub struct Fate {
    pub stage: Arc<Stage>,
    /// The role of each program.
    pub roles: Vec<ProgramRole>,
    /// The time from which on no more faults happen.
    pub calm_at: Duration,
    pub faults: Faults,
}

/// Starts all programs, lets things go wrong until it is calm, and starts again what has come to an end.
pub async fn rule(fate: Arc<Fate>) {
    let world = &fate.stage.world;
    for (program, _) in programs(&fate) {
        world.sleep(uniform(world, Duration::ZERO, Duration::from_secs(10))).await;
        world.launch(program);
    }
    while world.state().now < fate.calm_at {
        let time = fate.faults.between;
        world.sleep(uniform(world, time / 4, time * 2)).await;
        let fault = {
            let mut state = world.state();
            let kinds = &fate.faults.kinds;
            (!kinds.is_empty()).then(|| kinds[state.rng.below(kinds.len() as u32) as usize])
        };
        if let Some(fault) = fault {
            strike(&fate, fault);
        }
        for (program, _) in programs(&fate) {
            if uniform(world, Duration::ZERO, Duration::from_secs(3)) > Duration::from_secs(1) {
                world.launch(program);
            }
        }
    }
    calm(&fate);
    loop {
        for (program, part) in programs(&fate) {
            if !matches!(part, ProgramRole::Liar(_)) {
                world.launch(program);
            }
        }
        world.sleep(Duration::from_secs(20)).await;
    }
}

/// Everything but the fate itself.
fn programs(fate: &Fate) -> impl Iterator<Item = (ProgramId, ProgramRole)> {
    fate.roles.iter().copied().enumerate().filter(|(_, part)| *part != ProgramRole::Fate)
}

fn uniform(world: &World, least: Duration, most: Duration) -> Duration {
    world.state().time_between(least, most)
}

/// One of the programs that are wanted.
fn any(fate: &Fate, wanted: impl Fn(ProgramRole) -> bool) -> Option<(ProgramId, ProgramRole)> {
    let fitting: Vec<(ProgramId, ProgramRole)> = programs(fate).filter(|(_, part)| wanted(*part)).collect();
    let count = fitting.len().max(1) as u32;
    fitting.get(fate.stage.world.state().rng.below(count) as usize).copied()
}

/// Does something to the world, and undoes it after a while.
fn strike(fate: &Fate, fault: FaultKind) {
    let world = &fate.stage.world;
    world.log(usize::MAX, || format!("meets a fault: {fault:?}"));
    let while_long = |most: u64| uniform(world, Duration::from_secs(1), Duration::from_secs(most));
    match fault {
        FaultKind::KillWorker => kill(fate, any(fate, |part| !matches!(part, ProgramRole::Coordinator(_)))),
        FaultKind::KillCoordinator => kill(fate, any(fate, |part| matches!(part, ProgramRole::Coordinator(_)))),
        FaultKind::PowerLoss | FaultKind::StoreLoss | FaultKind::BitFlips | FaultKind::FullDisk | FaultKind::SlowDisk => {
            let Some((program, ProgramRole::Coordinator(number))) = any(fate, |part| matches!(part, ProgramRole::Coordinator(_)))
            else {
                return;
            };
            strike_disk(fate, fault, program, number);
        }
        FaultKind::Freeze => {
            if let Some((program, _)) = any(fate, |_| true) {
                world.freeze(program);
                after(world, while_long(120), move |world| world.thaw(program));
            }
        }
        FaultKind::Cut => {
            if let Some((program, _)) = any(fate, |_| true) {
                world.cut(program, true);
                after(world, while_long(180), move |world| world.cut(program, false));
            }
        }
        FaultKind::Restart | FaultKind::LostSeconds | FaultKind::RollBack | FaultKind::Wipe => {
            let by = match fault {
                FaultKind::Restart => None,
                FaultKind::LostSeconds => Some(while_long(120)),
                FaultKind::RollBack => Some(while_long(400)),
                _ => Some(Duration::MAX),
            };
            world.state().server.is_down = true;
            after(world, while_long(60), move |world| come_back(world, by));
        }
        FaultKind::ExpiredKeys => world.state().server.disk.expire_keys(),
        FaultKind::LostJobs => world.state().server.disk.jobs.clear(),
        FaultKind::ClockJump => {
            if let Some((program, _)) = any(fate, |_| true) {
                world.jump(program, while_long(600));
            }
        }
        FaultKind::Noise => {
            let mut state = world.state();
            let mut up_to = |most: f64| if state.rng.below(2) == 0 { 0.0 } else { most * state.rng.unit() };
            let noise = Noise {
                lost_request: up_to(0.2),
                lost_answer: up_to(0.2),
                duplicate: up_to(0.3),
                reorder: up_to(1.0),
                corrupt: up_to(0.1),
                slow: up_to(0.2),
            };
            state.server.noise = noise;
        }
    }
}

/// Does something to the disk of a coordinator.
fn strike_disk(fate: &Fate, fault: FaultKind, program: ProgramId, number: usize) {
    let (world, stage) = (&fate.stage.world, Arc::clone(&fate.stage));
    let is_alive = world.state().programs[program].life == Life::Running;
    let time = || uniform(world, Duration::from_secs(1), Duration::from_mins(5));
    let mut disk = lock(&stage.disks[number]);
    match fault {
        FaultKind::FullDisk => {
            disk.fill(true);
            drop(disk);
            after(world, time(), move |_| lock(&stage.disks[number]).fill(false));
        }
        FaultKind::SlowDisk => {
            disk.slow_down(true);
            drop(disk);
            after(world, time(), move |_| lock(&stage.disks[number]).slow_down(false));
        }
        _ if !is_alive => {}
        FaultKind::PowerLoss => disk.arm(),
        FaultKind::BitFlips => {
            disk.corrupt(&mut world.state().rng);
            drop(disk);
            world.kill(program);
        }
        _ => {
            disk.lose();
            drop(disk);
            world.kill(program);
        }
    }
}

fn kill(fate: &Fate, program: Option<(ProgramId, ProgramRole)>) {
    if let Some((program, _)) = program {
        fate.stage.world.kill(program);
    }
}

/// Undoes a fault after a while.
pub fn after(world: &World, time: Duration, act: impl FnOnce(&World) + Send + 'static) {
    let later = world.clone();
    // The fate is the first program.
    world.start(0, async move {
        later.sleep(time).await;
        act(&later);
    });
}

/// The server is there again, with its disk as it was some time ago.
fn come_back(world: &World, by: Option<Duration>) {
    let mut state = world.state();
    // The calm has come before.
    if state.calm && !state.server.is_down {
        return;
    }
    let now = state.now;
    match by {
        None => state.server.restart(),
        Some(by) => state.server.set_back(now, by),
    }
    state.changed();
    drop(state);
    world.log(usize::MAX, || format!("is there again, set back by {by:?}"));
}

/// Ends everything that is wrong.
fn calm(fate: &Fate) {
    let world = &fate.stage.world;
    world.log(usize::MAX, || "meets no more faults".to_owned());
    world.state().server.noise = Noise::default();
    let is_down = world.state().server.is_down;
    if is_down {
        come_back(world, None);
    }
    world.state().calm = true;
    for (program, part) in programs(fate) {
        world.thaw(program);
        world.cut(program, false);
        if matches!(part, ProgramRole::Liar(_)) {
            world.kill(program);
        }
        if let ProgramRole::Coordinator(number) = part {
            let mut disk = lock(&fate.stage.disks[number]);
            disk.disarm();
            disk.fill(false);
            disk.slow_down(false);
        }
    }
}
