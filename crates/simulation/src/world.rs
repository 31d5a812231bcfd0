//! A world with a clock of its own: programs as tasks of one thread, in an order that only the seed decides.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures_util::future::{BoxFuture, LocalBoxFuture};
use plyground_cluster::parts::Machine;
use plyground_core::sync::lock;
use plyground_core::{Rng, Seed};

pub use crate::server::ProgramId;
use crate::server::ServerState;

/// The interval at which programs of a simulation read their tokens.
const TICK: Duration = Duration::from_secs(1);
/// The most lines of a log that are kept.
const MOST_LINES: usize = 20_000;

/// A handle to a world.
#[derive(Clone)]
pub struct World {
    state: Arc<Mutex<WorldState>>,
    ready: Arc<ReadyQueue>,
}

/// Everything that there is.
pub struct WorldState {
    pub now: Duration,
    pub rng: Rng,
    pub server: ServerState,
    pub programs: Vec<Program>,
    /// True once no more faults happen.
    pub calm: bool,
    timers: BTreeMap<(Duration, u64), Waker>,
    /// Tasks that wait for the server to change.
    waiting: Vec<Waker>,
    /// The number of changes of the server.
    pub changes: u64,
    count: u64,
    orders: Vec<Order>,
    /// `None` where no log is wanted.
    log: Option<Vec<String>>,
}

/// Whether a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It is not started, or was killed.
    Waiting,
    Running,
    /// It has done all that it had to do.
    Ended,
}

/// A program and the machine that it runs on.
pub struct Program {
    pub name: String,
    pub life: Life,
    pub is_frozen: bool,
    /// True while its cable is pulled.
    pub is_cut: bool,
    /// The speed of its clock, and what was added to it.
    rate: f64,
    ahead: Duration,
    /// The number of times that it was started.
    pub starts: u64,
    /// The number of connections so far.
    pub connections: u64,
    /// Tasks that are ready while it is frozen.
    stopped: Vec<usize>,
}

/// What the executor is to do next.
enum Order {
    Start(ProgramId, BoxFuture<'static, ()>),
    Launch(ProgramId),
    Kill(ProgramId),
}

/// A task of a program.
struct WorldTask {
    program: ProgramId,
    waker: Waker,
    future: LocalBoxFuture<'static, ()>,
}

/// The reactions to what happens to a program.
pub trait WorldEvents {
    /// The task that a program starts with.
    fn launch(&self, program: ProgramId) -> LocalBoxFuture<'static, ()>;
    /// A program was killed, and its tasks are still there.
    fn killed(&self, program: ProgramId);
    /// A program has made a step.
    fn stepped(&self, program: ProgramId);
    /// Whether all is over.
    fn is_over(&self, state: &WorldState) -> bool;
}

/// The tasks that can go on, in order.
#[derive(Default)]
struct ReadyQueue(Mutex<VecDeque<usize>>);

struct TaskWaker {
    task: usize,
    ready: Arc<ReadyQueue>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut ready = lock(&self.ready.0);
        if !ready.contains(&self.task) {
            ready.push_back(self.task);
        }
    }
}

impl World {
    /// A world of this seed.
    pub fn new(seed: Seed, with_log: bool) -> Self {
        let state = WorldState {
            now: Duration::ZERO,
            rng: seed.named("world").rng(),
            server: ServerState::default(),
            programs: Vec::new(),
            calm: false,
            timers: BTreeMap::new(),
            waiting: Vec::new(),
            changes: 0,
            count: 0,
            orders: Vec::new(),
            log: with_log.then(Vec::new),
        };
        Self { state: Arc::new(Mutex::new(state)), ready: Arc::default() }
    }

    /// All of its state. No task may wait while it has this.
    pub fn state(&self) -> MutexGuard<'_, WorldState> {
        lock(&self.state)
    }

    /// Adds a program, which is not started yet. Its clock has this speed.
    pub fn add_program(&self, name: &str, rate: f64) -> ProgramId {
        let mut state = self.state();
        state.programs.push(Program {
            name: name.to_owned(),
            life: Life::Waiting,
            is_frozen: false,
            is_cut: false,
            rate,
            ahead: Duration::ZERO,
            starts: 0,
            connections: 1,
            stopped: Vec::new(),
        });
        state.programs.len() - 1
    }

    /// Starts a program, unless it runs.
    pub fn launch(&self, program: ProgramId) {
        let mut state = self.state();
        if state.programs[program].life == Life::Waiting {
            state.programs[program].life = Life::Running;
            state.programs[program].starts += 1;
            state.orders.push(Order::Launch(program));
            drop(state);
            self.log(program, || "starts".to_owned());
        }
    }

    /// Ends a program between two of its steps.
    pub fn kill(&self, program: ProgramId) {
        let mut state = self.state();
        if state.programs[program].life == Life::Running {
            state.programs[program].life = Life::Waiting;
            state.programs[program].is_frozen = false;
            state.programs[program].stopped.clear();
            state.orders.push(Order::Kill(program));
            drop(state);
            self.log(program, || "is killed".to_owned());
        }
    }

    /// Notes that a program has come to its end, for good or to be started again.
    pub fn exit(&self, program: ProgramId, for_good: bool) {
        let mut state = self.state();
        state.programs[program].life = if for_good { Life::Ended } else { Life::Waiting };
        state.orders.push(Order::Kill(program));
    }

    /// Starts a task of a program.
    pub fn start(&self, program: ProgramId, task: impl Future<Output = ()> + Send + 'static) {
        self.state().orders.push(Order::Start(program, Box::pin(task)));
    }

    /// Stops a program until it is thawed.
    pub fn freeze(&self, program: ProgramId) {
        self.state().programs[program].is_frozen = true;
        self.log(program, || "is frozen".to_owned());
    }

    /// Lets a frozen program go on.
    pub fn thaw(&self, program: ProgramId) {
        let mut state = self.state();
        if !std::mem::take(&mut state.programs[program].is_frozen) {
            return;
        }
        let stopped = std::mem::take(&mut state.programs[program].stopped);
        drop(state);
        lock(&self.ready.0).extend(stopped);
        self.log(program, || "goes on".to_owned());
    }

    /// Pulls the cable of a program, or puts it back.
    pub fn cut(&self, program: ProgramId, is_cut: bool) {
        let mut state = self.state();
        if state.programs[program].is_cut == is_cut {
            return;
        }
        state.programs[program].is_cut = is_cut;
        if !is_cut {
            state.programs[program].connections += 1;
        }
        state.changed();
        drop(state);
        self.log(program, || if is_cut { "is cut off" } else { "is connected again" }.to_owned());
    }

    /// Sets the clock of a program forward.
    pub fn jump(&self, program: ProgramId, time: Duration) {
        self.state().programs[program].ahead += time;
        self.log(program, || format!("has its clock {} s ahead", time.as_secs()));
    }

    /// The time on the clock of a program.
    fn clock(&self, program: ProgramId) -> Duration {
        let state = self.state();
        let Program { rate, ahead, .. } = state.programs[program];
        state.now.mul_f64(rate) + ahead
    }

    /// Waits for a time of the world.
    pub fn sleep(&self, time: Duration) -> Sleep {
        let until = self.state().now + time;
        Sleep { world: self.clone(), until, timer: None }
    }

    /// Waits until something changes that others could be waiting for, or for this time.
    pub async fn change(&self, seen: u64, time: Duration) {
        let sleep = self.sleep(time);
        let changed = std::future::poll_fn(|context| {
            let mut state = self.state();
            if state.changes != seen {
                return Poll::Ready(());
            }
            if !state.waiting.iter().any(|waker| waker.will_wake(context.waker())) {
                state.waiting.push(context.waker().clone());
            }
            Poll::Pending
        });
        futures_util::future::select(std::pin::pin!(changed), sleep).await;
    }

    /// Notes an event of a program, if a log is wanted.
    pub fn log(&self, program: ProgramId, event: impl FnOnce() -> String) {
        let mut state = self.state();
        let WorldState { log: Some(log), now, programs, .. } = &mut *state else { return };
        if log.len() < MOST_LINES {
            let name = programs.get(program).map_or("the server", |program| &program.name);
            log.push(format!("{:>9.3} s  {name} {}", now.as_secs_f64(), event()));
        }
    }

    /// Forgets what would keep the world alive: tasks that were ordered and never started know it.
    pub fn clear(&self) {
        let orders = std::mem::take(&mut self.state().orders);
        let timers = std::mem::take(&mut self.state().timers);
        let waiting = std::mem::take(&mut self.state().waiting);
        drop((orders, timers, waiting));
    }

    /// The log so far.
    pub fn take_log(&self) -> Vec<String> {
        self.state().log.take().unwrap_or_default()
    }

    /// Runs all programs until all is over, nothing is left to do, or the time is up.
    pub fn run(&self, until: Duration, stage: &dyn WorldEvents) {
        let mut tasks: Vec<Option<WorldTask>> = Vec::new();
        loop {
            self.obey(&mut tasks, stage);
            let next = lock(&self.ready.0).pop_front();
            let Some(number) = next else {
                if stage.is_over(&self.state()) || !self.advance(until) {
                    return;
                }
                continue;
            };
            let Some(Some(task)) = tasks.get_mut(number) else { continue };
            let program = task.program;
            {
                let mut state = self.state();
                let program = &mut state.programs[program];
                if program.is_frozen {
                    program.stopped.push(number);
                    continue;
                }
            }
            if task.future.as_mut().poll(&mut Context::from_waker(&task.waker)).is_ready() {
                tasks[number] = None;
            }
            stage.stepped(program);
        }
    }

    /// Carries out what programs and faults have ordered.
    fn obey(&self, tasks: &mut Vec<Option<WorldTask>>, stage: &dyn WorldEvents) {
        loop {
            let orders = std::mem::take(&mut self.state().orders);
            if orders.is_empty() {
                return;
            }
            for order in orders {
                let (program, future) = match order {
                    Order::Kill(program) => {
                        stage.killed(program);
                        for task in tasks.iter_mut() {
                            drop(task.take_if(|task| task.program == program));
                        }
                        continue;
                    }
                    Order::Launch(program) => (program, stage.launch(program)),
                    Order::Start(program, future) => (program, future as LocalBoxFuture<'static, ()>),
                };
                let waker = Waker::from(Arc::new(TaskWaker { task: tasks.len(), ready: Arc::clone(&self.ready) }));
                waker.wake_by_ref();
                tasks.push(Some(WorldTask { program, waker, future }));
            }
        }
    }

    /// Goes to the time of the next timer; false if there is none before the end.
    fn advance(&self, until: Duration) -> bool {
        let mut state = self.state();
        let Some((&(time, _), _)) = state.timers.first_key_value() else { return false };
        if time > until {
            return false;
        }
        state.now = state.now.max(time);
        let later = state.timers.split_off(&(time, u64::MAX));
        let due = std::mem::replace(&mut state.timers, later);
        drop(state);
        due.into_values().for_each(Waker::wake);
        true
    }
}

impl WorldState {
    /// Wakes those who wait for the server.
    pub fn changed(&mut self) {
        self.changes += 1;
        std::mem::take(&mut self.waiting).into_iter().for_each(Waker::wake);
    }

    /// Whether something with this probability happens, while faults do.
    pub fn happens(&mut self, probability: f64) -> bool {
        !self.calm && probability > 0.0 && self.rng.unit() < probability
    }

    /// A time between two.
    pub fn time_between(&mut self, least: Duration, most: Duration) -> Duration {
        least + most.saturating_sub(least).mul_f64(self.rng.unit())
    }
}

/// A wait for a time of the world.
pub struct Sleep {
    world: World,
    until: Duration,
    timer: Option<u64>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let until = self.until;
        let mut state = self.world.state();
        if state.now >= until {
            return Poll::Ready(());
        }
        let timer = self.timer.unwrap_or_else(|| {
            state.count += 1;
            state.count
        });
        state.timers.insert((until, timer), context.waker().clone());
        drop(state);
        self.timer = Some(timer);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(timer) = self.timer {
            let waker = self.world.state().timers.remove(&(self.until, timer));
            drop(waker);
        }
    }
}

/// The machine of a program.
pub struct SimulatedMachine {
    pub world: World,
    pub program: ProgramId,
}

impl Machine for SimulatedMachine {
    fn now(&self) -> Duration {
        self.world.clock(self.program)
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        let rate = self.world.state().programs[self.program].rate;
        Box::pin(self.world.sleep(time.div_f64(rate)))
    }

    fn start(&self, task: BoxFuture<'static, ()>) {
        self.world.start(self.program, task);
    }

    fn tick(&self) -> Duration {
        TICK
    }

    fn unique(&self) -> String {
        let state = self.world.state();
        let program = &state.programs[self.program];
        format!("{}-{}", program.name, program.starts)
    }

    fn random(&self) -> u64 {
        self.world.state().rng.bits()
    }
}
