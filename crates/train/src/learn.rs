//! Supervised learning from recorded games: a network learns the moves and results of their positions, in several epochs.

use std::ops::ControlFlow;
use std::time::Instant;

use plyground_core::{GameRecord, InputError, Rng, Seed};
use plyground_match::RunError;
use plyground_nets::{Architecture, Batch, Learning, Losses, Network, Rule, Trainer, ValueLoss};
use serde::Serialize;

use crate::positions::{PARTS, part_by_moves};
use crate::{SelfPlayGame, TrainableGame};

/// The games, in the parts of [`PARTS`]: to learn from, to watch over the learning, and to test what was learnt. A game is in one part only.
#[derive(Debug, Default)]
pub struct Games {
    parts: [Vec<SelfPlayGame>; 3],
}

impl Games {
    /// Adds a game; the seed draws its part.
    pub fn add(&mut self, trainable: &dyn TrainableGame, record: &GameRecord, seed: u64) -> Result<(), InputError> {
        let hash = record.moves.iter().fold(Seed(0), |hash, played| hash.named(&played.text)).0;
        let self_play_game = trainable.recorded(record)?;
        if !self_play_game.targets.is_empty() {
            self.parts[part_by_moves(hash, seed)].push(self_play_game);
        }
        Ok(())
    }

    /// The number of games in each part.
    pub fn counts(&self) -> [usize; 3] {
        self.parts.each_ref().map(Vec::len)
    }

    /// The positions of a part by game and number: so many of each game, or all of them.
    fn positions(&self, part: usize, most: Option<usize>, rng: &mut Rng) -> Vec<(u32, u16)> {
        let mut positions = Vec::new();
        let mut numbers: Vec<u16> = Vec::new();
        for (game, self_play_game) in self.parts[part].iter().enumerate() {
            numbers.clear();
            numbers.extend(0..self_play_game.targets.len() as u16);
            if let Some(most) = most {
                rng.shuffle(&mut numbers);
                numbers.truncate(most);
            }
            positions.extend(numbers.iter().map(|&number| (game as u32, number)));
        }
        positions
    }
}

/// The settings of supervised learning.
#[derive(Clone, Debug)]
pub struct Course {
    /// The network.
    pub architecture: Architecture,
    /// The number of passes over all positions.
    pub epochs: u32,
    /// Positions of each game, drawn once; all of them if nothing is said.
    pub positions: Option<usize>,
    /// Positions of a step.
    pub batch: usize,
    /// The size of a step.
    pub rate: f32,
    /// The loss of a value.
    pub loss: ValueLoss,
    /// The optimiser: how a gradient becomes a step.
    pub optimizer: Optimizer,
    /// The seed of all randomness.
    pub seed: u64,
    /// Threads to compute with.
    pub threads: usize,
}

/// A rule of learning with the numbers that Keras gives it when nothing is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Optimizer {
    /// Adam (Kingma and Ba, 2015), as in the Crosphere thesis.
    #[default]
    Adam,
    /// Straight down the gradient.
    Descent,
    /// Down the gradient with a momentum of 0.9.
    Momentum,
    /// The mean of recent squared gradients as the unit (Tieleman and Hinton, 2012).
    RmsProp,
}

impl Optimizer {
    fn rule(self) -> Rule {
        match self {
            Self::Adam => Rule::Adam { beta: [0.9, 0.999], epsilon: 1e-7, weight_decay: 0.0 },
            Self::Descent => Rule::Descent,
            Self::Momentum => Rule::Momentum { beta: 0.9 },
            Self::RmsProp => Rule::RmsProp { beta: 0.9, epsilon: 1e-7 },
        }
    }
}

/// The losses of an epoch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Epoch {
    /// Its number, from 1.
    pub epoch: u32,
    /// Steps in all.
    pub steps: u64,
    /// Seconds since the beginning.
    pub seconds: f64,
    /// Was it ended before it was over?
    pub stopped: bool,
    /// The losses of the positions that were learnt from, while they were.
    pub train: Loss,
    /// The losses of the positions that watch over the learning.
    pub validation: Loss,
    /// The losses of those that nothing else is done with.
    pub test: Loss,
}

/// The losses of a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Loss {
    /// Cross-entropy of the moves that were played.
    pub policy: f64,
    /// The loss of the result, as [`Course::loss`] counts it.
    pub value: f64,
    /// Squared error of the result, whatever the loss.
    pub squared: f64,
}

impl Loss {
    fn add(&mut self, losses: Losses, positions: usize) {
        self.policy += losses.policy * positions as f64;
        self.value += losses.value * positions as f64;
        self.squared += losses.squared * positions as f64;
    }

    fn over(self, positions: usize) -> Self {
        let count = positions.max(1) as f64;
        Self { policy: self.policy / count, value: self.value / count, squared: self.squared / count }
    }

    fn total(self) -> f64 {
        self.policy + self.value
    }
}

/// The progress of an epoch.
#[derive(Clone, Copy, Debug)]
pub struct CourseStage {
    /// The epoch, from 1.
    pub epoch: u32,
    /// Steps done of it.
    pub done: usize,
    /// The steps of the epoch.
    pub of: usize,
}

/// A subscriber to the progress of a course.
pub trait CourseObserver {
    /// Takes note of a step; `Break` ends the epoch and the course, and keeps what is learnt.
    fn stage(&mut self, stage: CourseStage) -> ControlFlow<()>;
    /// Takes note of the end of an epoch; `best` is the network if there was no better one so far, by the positions that watch over the learning.
    fn epoch(&mut self, epoch: &Epoch, best: Option<&Network>) -> Result<(), RunError>;
}

/// Positions whose losses are measured at once.
const MEASURED: usize = 256;

/// Positions by which the size of what a network sees is known.
const LOOKED_AT: usize = 1_000;

/// Teaches a new network. Weights at the start, biases and Adam are what Keras has when nothing is said, as the works that are re-done used
/// it, but for the unit in which each plane counts.
pub fn learn(
    trainable: &dyn TrainableGame,
    games: &Games,
    course: &Course,
    observer: &mut dyn CourseObserver,
) -> Result<(), RunError> {
    let seed = Seed(course.seed).named("learn");
    let mut draw = seed.named("positions").rng();
    let [mut train, validation, test] = [0, 1, 2].map(|part| games.positions(part, course.positions, &mut draw));
    if train.is_empty() {
        return Err(RunError::NothingToLearn { game: trainable.game() });
    }
    let (rule, value_loss) = (course.optimizer.rule(), course.loss);
    let learning = Learning { rate: course.rate, rule, value_loss, longest_gradient: None, ..Learning::default() };
    let mut batch = Batch::new(&course.architecture);
    show(trainable, &games.parts[0], &train[..train.len().min(LOOKED_AT)], &mut batch)?;
    let network = untaught(&course.architecture, &units(&course.architecture, &batch), seed.named("network"))?;
    let mut trainer = Trainer::new(network, learning, course.threads);
    let (begun, mut least) = (Instant::now(), f64::INFINITY);
    for number in 1..=course.epochs {
        seed.named("epoch").numbered(number.into()).rng().shuffle(&mut train);
        let (mut sum, mut seen, mut stopped) = (Loss::default(), 0, false);
        let of = train.len().div_ceil(course.batch);
        for (step, positions) in train.chunks(course.batch).enumerate() {
            show(trainable, &games.parts[0], positions, &mut batch)?;
            sum.add(trainer.step(&batch)?, positions.len());
            seen += positions.len();
            if observer.stage(CourseStage { epoch: number, done: step + 1, of }).is_break() {
                stopped = step + 1 < of || number < course.epochs;
                break;
            }
        }
        let mut measure = |part: usize, positions: &[(u32, u16)]| -> Result<Loss, RunError> {
            let mut sum = Loss::default();
            for some in positions.chunks(MEASURED) {
                show(trainable, &games.parts[part], some, &mut batch)?;
                sum.add(trainer.measure(&batch)?, some.len());
            }
            Ok(sum.over(positions.len()))
        };
        let (validation, test) = (measure(1, &validation)?, measure(2, &test)?);
        let epoch = Epoch {
            epoch: number,
            steps: trainer.steps(),
            seconds: begun.elapsed().as_secs_f64(),
            stopped,
            train: sum.over(seen),
            validation,
            test,
        };
        let better = validation.total() < least;
        least = least.min(validation.total());
        observer.epoch(&epoch, better.then(|| trainer.network()))?;
        if stopped {
            break;
        }
    }
    Ok(())
}

/// The scale of each plane: the root mean square of its numbers, and 1 where that is less.
fn units(architecture: &Architecture, batch: &Batch) -> Vec<f32> {
    let squares = architecture.input.squares();
    let mut sums = vec![0.0_f64; architecture.input.planes];
    for (number, plane) in batch.planes().chunks_exact(squares).enumerate() {
        sums[number % architecture.input.planes] += plane.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>();
    }
    let count = (batch.len() * squares) as f64;
    sums.into_iter().map(|sum| (sum / count).sqrt().max(1.0) as f32).collect()
}

/// A network that has learnt nothing, drawn as Glorot and Bengio (2010) did. What comes from a plane of large numbers is divided by their
/// size: the network of the Crosphere thesis sees distances up to 64, and otherwise says 0 to everything after the first steps, for ever.
fn untaught(architecture: &Architecture, units: &[f32], seed: Seed) -> Result<Network, RunError> {
    let mut tensors = Network::new(architecture.clone(), seed)?.tensors();
    for tensor in tensors.iter_mut().filter(|tensor| tensor.shape.len() > 1) {
        let each: usize = tensor.shape[2..].iter().product();
        let (inputs, outputs) = (tensor.shape[1] * each, tensor.shape[0] * each);
        let limit = (6.0 / (inputs + outputs) as f64).sqrt();
        let mut rng = seed.named(&tensor.name).rng();
        tensor.values.fill_with(|| ((2.0 * rng.unit() - 1.0) * limit) as f32);
    }
    // The first layer of the trunk, or of each head where there is no trunk.
    let heads = ["trunk.0.weight", "policy.0.weight", "value.0.weight"];
    let heads = if architecture.trunk.is_empty() { &heads[1..] } else { &heads[..1] };
    // The filters of a three-dimensional convolution slide over the planes: one unit has to serve for all of them.
    let mean = (units.iter().map(|unit| unit * unit).sum::<f32>() / units.len() as f32).sqrt();
    for tensor in tensors.iter_mut().filter(|tensor| heads.contains(&&*tensor.name)) {
        // Of each output: planes, then taps or squares.
        let each = tensor.values.len() / tensor.shape[0];
        let units = if tensor.shape.len() == 5 { &[mean] } else { units };
        for (place, weight) in tensor.values.iter_mut().enumerate() {
            *weight /= units[place % each * units.len() / each];
        }
    }
    Ok(Network::from_tensors(architecture.clone(), &tensors)?)
}

/// Fills a batch with positions.
fn show(
    trainable: &dyn TrainableGame,
    self_play_games: &[SelfPlayGame],
    positions: &[(u32, u16)],
    batch: &mut Batch,
) -> Result<(), RunError> {
    batch.clear();
    for &(game, number) in positions {
        trainable.show(&self_play_games[game as usize], number.into(), batch)?;
    }
    Ok(())
}

/// The names of the parts with how many games are in each, in words.
pub fn split_words(counts: [usize; 3]) -> String {
    let part = |((name, _), count): (&(&str, u32), usize)| format!("{name} {count}");
    PARTS.iter().zip(counts).map(part).collect::<Vec<_>>().join(", ")
}
