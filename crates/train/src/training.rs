//! Training by self-play: a network plays against itself, learns from its games, and is measured, in rounds.
//!
//! Everything is in rounds: games are played by all threads with one network, then the network learns from the newest ones, then
//! all is written down. Killed at any moment, a training goes on with the round that it was in; the same seed gives the same network,
//! however many threads there are and however often it was killed.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use plyground_core::{CancelToken, Resources, Seed};
use plyground_match::{RunError, parallel_map};
use plyground_nets::weights::{self, Header};
use plyground_nets::{Batch, Learning, Losses, Network, Predictor, Trainer};
use plyground_statistics::redundancy;
use serde::Serialize;

use crate::folder::Folder;
use crate::measure::measure;
use crate::remote::{RemoteActors, SelfPlayRequest};
use crate::replay::ReplayBuffer;
use crate::{Round, SelfPlayActor, SelfPlayGame, TrainableGame, TrainingPlan, trainable_game};

/// The phase of a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The teacher plays.
    Teaching,
    /// The network plays against itself.
    Playing,
    /// The network learns.
    Learning,
    /// The network is measured.
    Measuring,
}

/// The progress of a training in its phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TrainingStage {
    /// The phase.
    pub phase: Phase,
    /// The amount that is done.
    pub done: u64,
    /// The whole amount.
    pub of: u64,
    /// The round, from 1.
    pub round: u64,
    /// Seconds of training in all sittings.
    pub seconds: f64,
}

/// The end of a training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// After so many seconds in all sittings.
    Seconds(f64),
    /// After so many rounds: then nothing that is learnt depends on a clock.
    Rounds(u64),
}

/// A subscriber to the progress of a training.
pub trait TrainingObserver: Sync {
    /// Takes note of how far it is; called often, from any thread.
    fn stage(&self, stage: TrainingStage);
    /// Takes note of a round that is over and written down.
    fn round(&self, round: &Round);
}

/// A training under way.
pub struct Training {
    plan: TrainingPlan,
    trainable: Box<dyn TrainableGame>,
    folder: Folder,
    trainer: Trainer,
    /// The running average of the network, which is what plays.
    average: Network,
    replay: ReplayBuffer,
    rounds: Vec<Round>,
    threads: usize,
    /// The actors on other computers, if they play the games.
    remote: Option<Box<dyn RemoteActors>>,
    begun: Instant,
    /// Seconds before this sitting.
    before: f64,
}

/// Positions that the solver is asked about in a measurement, and what each of them may cost.
const SOLVED_POSITIONS: usize = 200;
const SOLVER_NODES: u64 = 20_000;

/// The average follows the network by this share after every step.
const FOLLOW: f32 = 0.01;

impl Training {
    /// Begins a training in a new folder.
    pub fn begin(folder: &Path, plan: TrainingPlan, threads: usize) -> Result<Self, RunError> {
        let trainable = trainable_game(&plan.game, Some(&plan.encoder))?;
        let network = untaught(trainable.as_ref(), &plan)?;
        let trainer = Trainer::new(network.clone(), Learning::default(), threads);
        let folder = Folder::create(folder, &plan)?;
        let replay = ReplayBuffer::new(plan.window);
        Ok(Self {
            trainable,
            folder,
            trainer,
            average: network,
            replay,
            rounds: Vec::new(),
            threads,
            remote: None,
            begun: Instant::now(),
            before: 0.0,
            plan,
        })
    }

    /// Is there a training in this folder?
    pub fn is_in(folder: &Path) -> bool {
        Folder::is_in(folder)
    }

    /// Goes on where a training was.
    pub fn resume(folder: &Path, threads: usize) -> Result<Self, RunError> {
        let (folder, found) = Folder::open(folder)?;
        let trainable = trainable_game(&found.plan.game, Some(&found.plan.encoder))?;
        let (trainer, average) = if let Some([trainer, average]) = found.networks {
            (Trainer::resume(&trainer, Learning::default(), threads)?, weights::read(&average)?.1)
        } else {
            let network = untaught(trainable.as_ref(), &found.plan)?;
            (Trainer::new(network.clone(), Learning::default(), threads), network)
        };
        let mut replay = ReplayBuffer::new(found.plan.window);
        found.self_play_games.into_iter().for_each(|self_play_game| replay.push(self_play_game));
        let before = found.rounds.last().map_or(0.0, |round| round.seconds);
        folder.remove_leftovers(found.rounds.len() as u64);
        Ok(Self {
            plan: found.plan,
            trainable,
            folder,
            trainer,
            average,
            replay,
            rounds: found.rounds,
            threads,
            remote: None,
            begun: Instant::now(),
            before,
        })
    }

    /// Has the games played on other computers; this one learns and measures. The network then depends on their speed.
    pub fn played_by(&mut self, remote: Box<dyn RemoteActors>) {
        self.remote = Some(remote);
    }

    /// Its settings.
    pub fn plan(&self) -> &TrainingPlan {
        &self.plan
    }

    /// All rounds so far.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// The file of the network.
    pub fn network_file(&self) -> PathBuf {
        self.folder.network()
    }

    /// Seconds of training in all sittings.
    pub fn seconds(&self) -> f64 {
        self.before + self.begun.elapsed().as_secs_f64()
    }

    /// The share of the training that is done.
    fn done(&self, end: End) -> f64 {
        match end {
            End::Seconds(seconds) => self.seconds() / seconds,
            End::Rounds(rounds) => self.rounds.len() as f64 / rounds as f64,
        }
    }

    /// Trains to the end, or until it is cancelled: what the round in progress has brought is lost then.
    pub fn run(
        &mut self,
        end: End,
        command: &str,
        resources: &(dyn Resources + Sync),
        cancel: &CancelToken,
        observer: &dyn TrainingObserver,
    ) -> Result<(), RunError> {
        self.begun = Instant::now();
        self.before = self.rounds.last().map_or(0.0, |round| round.seconds);
        while self.done(end) < 1.0 && !cancel.is_cancelled() {
            let Some(round) = self.round(end, resources, cancel, observer)? else { break };
            self.rounds.push(round);
            let header =
                Header { training: command.to_owned(), strength: self.strength(), ..self.trainable.header(&self.average) };
            self.folder.keep(&self.trainer, &header, &self.average, &self.rounds)?;
            observer.round(self.rounds.last().expect("a round was pushed"));
        }
        Ok(())
    }

    /// The last measurement, in words.
    fn strength(&self) -> String {
        let last = self.rounds.iter().rev().find(|round| !round.measured.is_empty());
        let words = last.into_iter().flat_map(|round| &round.measured).filter(|measured| measured.player == "search");
        let words: Vec<String> =
            words.map(|measured| format!("{:.0} % against {}", 100.0 * measured.score, measured.anchor)).collect();
        if words.is_empty() { String::new() } else { format!("with {} simulations: {}", self.plan.anchor_sims, words.join(", ")) }
    }

    fn round(
        &mut self,
        end: End,
        resources: &(dyn Resources + Sync),
        cancel: &CancelToken,
        observer: &dyn TrainingObserver,
    ) -> Result<Option<Round>, RunError> {
        let number = self.rounds.len() as u64 + 1;
        let games = self.rounds.last().map_or(0, |round| round.games);
        let teaching = !self.plan.teacher.is_empty() && games < self.plan.teacher_games;
        let begun = Instant::now();
        let Some(self_play_games) = self.play(number, games, teaching, resources, cancel, observer)? else { return Ok(None) };
        let playing = begun.elapsed().as_secs_f64();
        let new: usize = self_play_games.iter().map(|self_play_game| self_play_game.targets.len()).sum();
        let of = |number: f64| number / self_play_games.len() as f64;
        let judgements: u64 = self_play_games.iter().map(|self_play_game| self_play_game.judgements).sum();
        let mut round = Round {
            round: number,
            seconds: 0.0,
            taught: teaching,
            games: games + self_play_games.len() as u64,
            steps: 0,
            window: 0,
            age: 0.0,
            reuse: 0.0,
            policy_loss: 0.0,
            value_loss: 0.0,
            plies: of(self_play_games.iter().map(|self_play_game| self_play_game.moves.len() as f64).sum()),
            first_score: of(self_play_games.iter().map(|self_play_game| f64::from(self_play_game.result + 1.0) / 2.0).sum()),
            redundancy: redundancy(self_play_games.iter().map(|self_play_game| (self_play_game.moves.clone(), 1))),
            games_per_hour: self_play_games.len() as f64 * 3600.0 / playing,
            judgements_per_second: judgements as f64 / playing,
            network_share: self.network_share(judgements, playing),
            steps_per_second: 0.0,
            measured: Vec::new(),
            agreement: None,
        };
        for self_play_game in self.folder.add(&self_play_games)? {
            self.replay.push(self_play_game);
        }
        round.window = self.replay.positions();
        round.age = self.replay.games() as f64 / 2.0;
        let begun = Instant::now();
        let steps = (self.plan.passes * new as f64 / self.plan.batch as f64).ceil() as u64;
        let Some(losses) = self.learn(number, steps, end, cancel, observer)? else { return Ok(None) };
        round.steps = self.trainer.steps();
        round.steps_per_second = steps as f64 / begun.elapsed().as_secs_f64();
        round.reuse = steps as f64 * self.plan.batch as f64 / self.replay.positions() as f64;
        (round.policy_loss, round.value_loss) = (losses.policy, losses.value);
        if self.measure_now(end) {
            let file = weights::write(&self.trainable.header(&self.average), &self.average)?;
            let told = |done, of| observer.stage(self.stage(Phase::Measuring, number, done, of));
            let Some(measured) = measure(&self.plan.trial(), &file, resources, self.threads, cancel, &told)? else {
                return Ok(None);
            };
            round.measured = measured;
            let mut self_play_games = self.replay.newest().take(SOLVED_POSITIONS);
            round.agreement = self.trainable.agreement(&self.average, &mut self_play_games, SOLVER_NODES, cancel);
        }
        round.seconds = self.seconds();
        Ok(Some(round))
    }

    fn stage(&self, phase: Phase, round: u64, done: u64, of: u64) -> TrainingStage {
        TrainingStage { phase, done, of, round, seconds: self.seconds() }
    }

    /// Is it time to measure: after every so many minutes, and at the end?
    fn measure_now(&self, end: End) -> bool {
        let last = self.rounds.iter().rev().find(|round| !round.measured.is_empty()).map_or(0.0, |round| round.seconds);
        let now = self.seconds();
        let over = match end {
            End::Seconds(seconds) => now >= seconds,
            End::Rounds(rounds) => self.rounds.len() as u64 + 1 >= rounds,
        };
        self.plan.anchor_games > 0 && (over || now - last >= 60.0 * self.plan.anchor_minutes)
    }

    /// The games of a round; `None` if it was cancelled. Game number n is the same whichever thread plays it.
    fn play(
        &self,
        number: u64,
        before: u64,
        teaching: bool,
        resources: &(dyn Resources + Sync),
        cancel: &CancelToken,
        observer: &dyn TrainingObserver,
    ) -> Result<Option<Vec<SelfPlayGame>>, RunError> {
        let most = if teaching { self.plan.round_games.min(self.plan.teacher_games - before) } else { self.plan.round_games };
        let phase = if teaching { Phase::Teaching } else { Phase::Playing };
        if let Some(remote) = &self.remote {
            return self.remote_games(remote.as_ref(), number, most, teaching, cancel, observer);
        }
        let mut actors: Vec<Box<dyn SelfPlayActor>> = Vec::new();
        for _ in 0..self.threads {
            actors.push(if teaching {
                self.trainable.teacher(&self.plan.teacher, self.plan.random_plies.max(2), resources)?
            } else {
                self.trainable.learner(&self.average, self.plan.self_play())
            });
        }
        let seed = Seed(self.plan.seed).named("games").numbered(number);
        let done = AtomicU64::new(0);
        let played = parallel_map(actors, most, cancel, |actor, game| {
            let played = actor.play(seed.numbered(game), cancel)?;
            observer.stage(self.stage(phase, number, done.fetch_add(1, Ordering::Relaxed) + 1, most));
            Ok(played.filter(|played| !played.targets.is_empty()))
        });
        let Some(played) = played.map_err(RunError::Agent)?.filter(|_| !cancel.is_cancelled()) else { return Ok(None) };
        let played: Vec<SelfPlayGame> = played.into_iter().flatten().collect();
        if played.is_empty() {
            return Err(RunError::NothingToLearn { game: self.plan.game.clone() });
        }
        Ok(Some(played))
    }

    /// The games of a round, played on other computers; `None` if it was cancelled.
    fn remote_games(
        &self,
        remote: &dyn RemoteActors,
        round: u64,
        games: u64,
        teaching: bool,
        cancel: &CancelToken,
        observer: &dyn TrainingObserver,
    ) -> Result<Option<Vec<SelfPlayGame>>, RunError> {
        let file = weights::write(&self.trainable.header(&self.average), &self.average)?;
        let request = SelfPlayRequest { plan: &self.plan, round, teaching, games, network: &self.average, file: &file };
        let phase = if teaching { Phase::Teaching } else { Phase::Playing };
        let told = |done: u64| observer.stage(self.stage(phase, round, done, games));
        told(0);
        let self_play_games = remote.play(&request, cancel, &told)?;
        Ok((!cancel.is_cancelled() && !self_play_games.is_empty()).then_some(self_play_games))
    }

    /// The losses of so many steps of learning; `None` if it was cancelled.
    fn learn(
        &mut self,
        number: u64,
        steps: u64,
        end: End,
        cancel: &CancelToken,
        observer: &dyn TrainingObserver,
    ) -> Result<Option<Losses>, RunError> {
        let mut rng = Seed(self.plan.seed).named("batches").numbered(number).rng();
        let mut batch = Batch::new(self.trainer.network().architecture());
        let mut sum = Losses::default();
        self.trainer.learning.rate = self.plan.rate * schedule(self.done(end));
        for step in 0..steps {
            if cancel.is_cancelled() {
                return Ok(None);
            }
            batch.clear();
            while batch.len() < self.plan.batch {
                let (self_play_game, target) = self.replay.draw(&mut rng);
                self.trainable.fill(self_play_game, target, self.plan.trust, &mut rng, &mut batch)?;
            }
            let losses = self.trainer.step(&batch)?;
            sum.policy += losses.policy / steps as f64;
            sum.value += losses.value / steps as f64;
            // Early on, the network changes too fast for a long average.
            let share = FOLLOW.max(1.0 / (1.0 + self.trainer.steps() as f32));
            self.average.approach(self.trainer.network(), share)?;
            observer.stage(self.stage(Phase::Learning, number, step + 1, steps));
        }
        Ok(Some(sum))
    }

    /// The share of the time of playing that the network took, by the time of one evaluation.
    fn network_share(&self, judgements: u64, seconds: f64) -> f64 {
        const LOOKS: u32 = 200;
        let mut predictor = Predictor::new(&self.average);
        let planes = vec![0.5; self.average.architecture().input.numbers()];
        let begun = Instant::now();
        for _ in 0..LOOKS {
            predictor.evaluate(&planes, &[], &mut []).expect("the planes fit");
        }
        let each = begun.elapsed().as_secs_f64() / f64::from(LOOKS);
        (judgements as f64 * each / (seconds * self.threads as f64)).min(1.0)
    }
}

/// The network that a training begins with.
fn untaught(trainable: &dyn TrainableGame, plan: &TrainingPlan) -> Result<Network, RunError> {
    Ok(Network::new(trainable.architecture(plan.size()), Seed(plan.seed).named("network"))?)
}

/// The rate of learning: full at first, a tenth at the end.
fn schedule(done: f64) -> f32 {
    match done {
        ..0.6 => 1.0,
        0.6..0.85 => 0.3,
        _ => 0.1,
    }
}
