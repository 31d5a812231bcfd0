//! Learning: mini-batches, losses, gradients, steps.

use std::ops::Range;

use crate::backward::{Gradients, MovesAt};
use crate::forward::{Pass, Prepared, Workspace};
use crate::kernels::Block;
use crate::kernels::plain::AdamStep;
use crate::network::{parameters, tensors};

use crate::{Architecture, Isa, NetError, Network, Tensor, softmax, weights};

/// Positions with what the network should say about them.
#[derive(Clone, Debug)]
pub struct Batch {
    numbers: usize,
    known_moves: usize,
    has_value: bool,
    /// Does the network speak of 0 to 1 instead of -1 to 1?
    from_zero: bool,
    planes: Vec<f32>,
    moves: Vec<usize>,
    probabilities: Vec<f32>,
    /// Where the moves of each position end.
    ends: Vec<usize>,
    values: Vec<Option<f32>>,
    /// How much each position counts for the policy.
    weights: Vec<f32>,
}

impl Batch {
    /// An empty one for networks of this architecture.
    pub fn new(architecture: &Architecture) -> Self {
        Self {
            numbers: architecture.input.numbers(),
            known_moves: architecture.moves(),
            has_value: architecture.value.is_some(),
            from_zero: architecture.speaks_from_zero(),
            planes: Vec::new(),
            moves: Vec::new(),
            probabilities: Vec::new(),
            ends: Vec::new(),
            values: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// Adds a position with the result from -1 to 1 as its value, which is put as the network speaks. A network without a policy, or
    /// without a value, learns only the other one.
    pub fn push_result(&mut self, planes: &[f32], moves: &[usize], probabilities: &[f32], result: f32) -> Result<(), NetError> {
        let value = self.has_value.then_some(if self.from_zero { 0.5 + 0.5 * result } else { result });
        if self.known_moves == 0 { self.push(planes, &[], &[], value) } else { self.push(planes, moves, probabilities, value) }
    }

    /// Says how much the policy of the last position counts; 1 if nothing is said. Below 0 its moves become less likely instead of more.
    pub fn weigh_last(&mut self, weight: f32) -> Result<(), NetError> {
        match self.weights.last_mut() {
            Some(last) if weight.is_finite() => *last = weight,
            _ => return Err(NetError::input(format!("the weight {weight} for the last of {} positions", self.len()))),
        }
        Ok(())
    }

    /// Adds a position: its planes as encoders write them, its legal moves with their probabilities (none: the policy learns nothing
    /// from it), and its value (none: the value head learns nothing from it).
    pub fn push(&mut self, planes: &[f32], moves: &[usize], probabilities: &[f32], value: Option<f32>) -> Result<(), NetError> {
        let refuse = |why: String| Err(NetError::input(why));
        if planes.len() != self.numbers {
            return refuse(format!("{} numbers for a position; the network wants {}", planes.len(), self.numbers));
        }
        if let Some(number) = planes.iter().chain(&value).find(|number| !number.is_finite()) {
            return refuse(format!("{number} among the numbers of a position"));
        }
        if let Some(strange) = moves.iter().find(|&&mv| mv >= self.known_moves) {
            return refuse(format!("a move with index {strange}; the network knows {} moves", self.known_moves));
        }
        if moves.len() != probabilities.len() {
            return refuse(format!("{} probabilities for {} moves", probabilities.len(), moves.len()));
        }
        let sum: f32 = probabilities.iter().sum();
        let proper = probabilities.iter().all(|&probability| probability >= 0.0) && (sum - 1.0).abs() < 1e-3;
        if !moves.is_empty() && !proper {
            return refuse(format!("probabilities of moves that add up to {sum}; expected 1, and none below 0"));
        }
        if value.is_some() && !self.has_value {
            return refuse("a value, but the network has no value head".to_owned());
        }
        self.planes.extend_from_slice(planes);
        self.moves.extend_from_slice(moves);
        self.probabilities.extend_from_slice(probabilities);
        self.ends.push(self.moves.len());
        self.values.push(value);
        self.weights.push(1.0);
        Ok(())
    }

    /// The planes of all positions, one after the other.
    pub fn planes(&self) -> &[f32] {
        &self.planes
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Takes all positions out, to be filled again.
    pub fn clear(&mut self) {
        self.planes.clear();
        self.moves.clear();
        self.probabilities.clear();
        self.ends.clear();
        self.values.clear();
        self.weights.clear();
    }

    fn moves_of(&self, position: usize) -> Range<usize> {
        let begin = if position == 0 { 0 } else { self.ends[position - 1] };
        begin..self.ends[position]
    }
}

/// The settings of learning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Learning {
    /// The size of a step.
    pub rate: f32,
    /// The optimiser: how a gradient becomes a step.
    pub rule: Rule,
    /// The weight of the policy in the loss.
    pub policy_weight: f32,
    /// The weight of the value in the loss.
    pub value_weight: f32,
    /// The loss of a value.
    pub value_loss: ValueLoss,
    /// A longer gradient is shortened to this.
    pub longest_gradient: Option<f32>,
}

/// The loss of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueLoss {
    /// The square of the difference; the best answer is the expected result.
    #[default]
    Squared,
    /// The size of the difference; the best answer is the result that half of the games do not exceed.
    Absolute,
    /// The cross-entropy of a win, in nats; a value from -1 to 1 is put as a chance first.
    CrossEntropy,
}

impl ValueLoss {
    /// The loss of a value and its slope. A chance is kept a little from 0 and 1, where the slope has no end.
    fn of(self, value: f32, target: f32, from_zero: bool) -> (f64, f32) {
        let error = value - target;
        match self {
            Self::Squared => (f64::from(error) * f64::from(error), 2.0 * error),
            Self::Absolute => (f64::from(error.abs()), if error == 0.0 { 0.0 } else { error.signum() }),
            Self::CrossEntropy => {
                const NEAREST: f32 = 1e-6;
                let (middle, share) = if from_zero { (0.0, 1.0) } else { (0.5, 0.5) };
                let [said, wanted] = [value, target].map(|number| middle + share * number);
                let said = said.clamp(NEAREST, 1.0 - NEAREST);
                let (p, t) = (f64::from(said), f64::from(wanted));
                (-(t * p.ln() + (1.0 - t) * (1.0 - p).ln()), share * (said - wanted) / (said * (1.0 - said)))
            }
        }
    }
}

/// The optimiser: how a gradient becomes a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Adam with decoupled weight decay (Loshchilov and Hutter, 2019); biases do not decay.
    Adam {
        /// How slowly the means of the gradient and of its square follow.
        beta: [f32; 2],
        /// Keeps small gradients from taking large steps.
        epsilon: f32,
        /// The share of each weight that is lost in a step is this times the rate.
        weight_decay: f32,
    },
    /// Straight down the gradient, as the Clobber thesis did.
    Descent,
    /// Down the sum of this gradient and a share of those before (Polyak, 1964).
    Momentum {
        /// The share that is left of the step before.
        beta: f32,
    },
    /// Each number in the unit of its recent gradients (Tieleman and Hinton, 2012).
    RmsProp {
        /// How slowly the mean of the squared gradient follows.
        beta: f32,
        /// Keeps small gradients from taking large steps.
        epsilon: f32,
    },
}

impl Default for Learning {
    fn default() -> Self {
        let rule = Rule::Adam { beta: [0.9, 0.999], epsilon: 1e-8, weight_decay: 1e-4 };
        let value_loss = ValueLoss::default();
        Self { rate: 1e-3, rule, policy_weight: 1.0, value_weight: 1.0, value_loss, longest_gradient: Some(10.0) }
    }
}

/// The losses of a network, on the mean of the positions that have something to learn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Cross-entropy of the policy, in nats.
    pub policy: f64,
    /// The loss of the value, as [`Learning::value_loss`] counts it.
    pub value: f64,
    /// Squared error of the value, whatever the loss.
    pub squared: f64,
    /// The length of the gradient, before it was shortened; 0 where none was computed.
    pub gradient: f64,
}

/// A batch of the same network is always cut into as many parts, each with a gradient of its own, and these are added in order: so the
/// same batches give the same weights, whatever the number of threads.
const PARTS: usize = 8;
/// Parts where there are more than [`LARGE`] weights: to add up gradients would take longer than to compute them.
const PARTS_OF_LARGE: usize = 2;
/// Blocks of weights: four million numbers.
const LARGE: usize = 1 << 18;
/// Positions that go through the network at once: enough for long products, few enough for the cache.
const AT_ONCE: usize = 16;

/// How the moments of Adam are called in checkpoints, before the names of the weights.
const MOMENTS: [&str; 2] = ["first-moment.", "second-moment."];

/// Improves a network.
#[derive(Debug)]
pub struct Trainer {
    network: Network,
    isa: Isa,
    /// May be changed at any time.
    pub learning: Learning,
    prepared: Prepared,
    steps: u64,
    moments: [Vec<Block>; 2],
    parts: Vec<Part>,
    workers: Vec<Worker>,
}

/// What comes out of a part of a batch.
#[derive(Clone, Debug)]
struct Part {
    gradient: Vec<Block>,
    /// Sums over its positions: policy, value, squared error of the value.
    losses: [f64; 3],
}

/// What a thread needs.
#[derive(Clone, Debug)]
struct Worker {
    workspace: Workspace,
    gradients: Gradients,
    logits: Vec<f32>,
}

impl Trainer {
    /// A trainer of a network, on this many threads. The number of threads does not change what is learnt.
    pub fn new(network: Network, learning: Learning, threads: usize) -> Self {
        Self::with_isa(network, learning, threads, Isa::best())
    }

    /// A trainer with these vector instructions.
    pub fn with_isa(network: Network, learning: Learning, threads: usize, isa: Isa) -> Self {
        let plan = &network.plan;
        let mut prepared = Prepared::new(plan, true);
        prepared.fill(plan, isa, &network.parameters);
        let zero = vec![Block::ZERO; plan.parameter_blocks];
        let workspace = Workspace::new(plan, AT_ONCE, true);
        let worker = Worker { workspace, gradients: Gradients::new(plan, AT_ONCE), logits: Vec::new() };
        let parts = if plan.parameter_blocks > LARGE { PARTS_OF_LARGE } else { PARTS };
        Self {
            isa,
            learning,
            prepared,
            steps: 0,
            moments: [zero.clone(), zero.clone()],
            parts: vec![Part { gradient: zero, losses: [0.0; 3] }; parts],
            workers: vec![worker; threads.clamp(1, parts)],
            network,
        }
    }

    /// The network as it is now.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The losses of a batch, without learning from it.
    pub fn measure(&mut self, batch: &Batch) -> Result<Losses, NetError> {
        self.run(batch, false)
    }

    /// Learns from a batch. If the loss or the gradient is not a number, the network stays as it is.
    pub fn step(&mut self, batch: &Batch) -> Result<Losses, NetError> {
        let mut losses = self.run(batch, true)?;
        let (total, others) = self.parts.split_first_mut().expect("there are several parts");
        for part in others {
            self.isa.add_to(&part.gradient, &mut total.gradient);
        }
        losses.gradient =
            total.gradient.iter().flat_map(|block| block.0).map(|x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
        if !(losses.policy + losses.value + losses.gradient).is_finite() {
            return Err(NetError::input(format!(
                "the losses are {} and {}, the gradient has the length {}: the rate of learning is too high",
                losses.policy, losses.value, losses.gradient
            )));
        }
        self.steps += 1;
        let longest = self.learning.longest_gradient.map_or(f64::INFINITY, f64::from);
        self.apply((longest / losses.gradient).min(1.0) as f32);
        self.prepared.fill(&self.network.plan, self.isa, &self.network.parameters);
        Ok(losses)
    }

    /// The gradient of the last step, in the names and shapes of the weights: for tests and curves.
    pub fn gradient(&self) -> Vec<Tensor> {
        tensors(&self.network.plan, &self.parts[0].gradient)
    }

    /// Everything that the next steps depend on but the positions, as the bytes of a file: killed and resumed, a training goes on as if
    /// nothing had happened.
    pub fn checkpoint(&self) -> Result<Vec<u8>, NetError> {
        let plan = &self.network.plan;
        let mut all = self.network.tensors();
        for (prefix, moments) in MOMENTS.iter().zip(&self.moments) {
            let named = |tensor: Tensor| Tensor { name: format!("{prefix}{}", tensor.name), ..tensor };
            all.extend(tensors(plan, moments).into_iter().map(named));
        }
        let architecture = serde_json::to_string(self.network.architecture());
        let architecture = architecture.map_err(|error| NetError::weights(error.to_string()))?;
        let metadata = [("architecture", architecture), ("steps", self.steps.to_string())];
        weights::serialize(weights::Precision::Single, &all, metadata.map(|(key, value)| (key.to_owned(), value)).into())
    }

    /// Goes on where [`Trainer::checkpoint`] was.
    pub fn resume(checkpoint: &[u8], learning: Learning, threads: usize) -> Result<Self, NetError> {
        let (metadata, mut all) = weights::deserialize(checkpoint)?;
        let get = |key: &str| {
            metadata.get(key).ok_or_else(|| NetError::weights(format!("the file has no '{key}': it is no checkpoint")))
        };
        let architecture: Architecture = serde_json::from_str(get("architecture")?)
            .map_err(|error| NetError::weights(format!("its architecture cannot be read: {error}")))?;
        let steps = get("steps")?.parse().map_err(|_| NetError::weights("its number of steps is no number"))?;
        let mut moments = MOMENTS.map(|prefix| {
            let named = all.extract_if(.., |tensor| tensor.name.starts_with(prefix));
            named.map(|tensor| Tensor { name: tensor.name[prefix.len()..].to_owned(), ..tensor }).collect::<Vec<_>>()
        });
        let mut trainer = Self::new(Network::from_tensors(architecture, &all)?, learning, threads);
        for (to, from) in trainer.moments.iter_mut().zip(&mut moments) {
            *to = parameters(&trainer.network.plan, from)?;
        }
        trainer.steps = steps;
        Ok(trainer)
    }

    /// Takes the step that the summed gradient asks for.
    fn apply(&mut self, scale: f32) {
        let rate = self.learning.rate;
        let gradient = &self.parts[0].gradient;
        let Network { plan, parameters, .. } = &mut self.network;
        let [first, second] = &mut self.moments;
        let (beta, epsilon, weight_decay) = match self.learning.rule {
            Rule::Adam { beta, epsilon, weight_decay } => (beta, epsilon, weight_decay),
            Rule::RmsProp { beta, epsilon } => ([0.0, beta], epsilon, 0.0),
            Rule::Descent => return self.isa.add_scaled(-rate * scale, gradient, parameters),
            Rule::Momentum { beta } => {
                self.isa.decay(beta, first);
                self.isa.add_scaled(scale, gradient, first);
                return self.isa.add_scaled(-rate, first, parameters);
            }
        };
        // RMSprop starts from 0 without saying so; Adam makes up for it.
        let corrected = matches!(self.learning.rule, Rule::Adam { .. });
        let correction =
            beta.map(|beta| if corrected { (1.0 / (1.0 - f64::from(beta).powf(self.steps as f64))) as f32 } else { 1.0 });
        for weights in &plan.weights {
            for (range, keep) in [(weights.weight_range(), 1.0 - rate * weight_decay), (weights.bias_range(), 1.0)] {
                let step = AdamStep { rate, keep, beta, epsilon, correction, scale };
                let moments = [&mut first[range.clone()], &mut second[range.clone()]];
                self.isa.adam(step, &gradient[range.clone()], moments, &mut parameters[range]);
            }
        }
    }

    fn run(&mut self, batch: &Batch, learn: bool) -> Result<Losses, NetError> {
        let architecture = self.network.architecture();
        if batch.is_empty() {
            return Err(NetError::input("a batch without positions"));
        }
        if (batch.numbers, batch.known_moves) != (architecture.input.numbers(), architecture.moves()) {
            return Err(NetError::input(format!(
                "a batch of positions of {} numbers and {} moves; the network wants {} and {}",
                batch.numbers,
                batch.known_moves,
                architecture.input.numbers(),
                architecture.moves()
            )));
        }
        let count = |number: usize| number.max(1) as f64;
        let with_policy = count((0..batch.len()).filter(|&position| !batch.moves_of(position).is_empty()).count());
        let with_value = count(batch.values.iter().flatten().count());
        let Network { plan, parameters, .. } = &self.network;
        let pass = Pass { plan, isa: self.isa, parameters, prepared: &self.prepared };
        let weights = [f64::from(self.learning.policy_weight) / with_policy, f64::from(self.learning.value_weight) / with_value];
        let value_loss = self.learning.value_loss;
        let job = Job { pass, batch, weights: weights.map(|weight| weight as f32), value_loss, parts: self.parts.len(), learn };
        let threads = self.workers.len();
        let mut shares: Vec<Vec<(usize, &mut Part)>> = (0..threads).map(|_| Vec::new()).collect();
        for (number, part) in self.parts.iter_mut().enumerate() {
            shares[number % threads].push((number, part));
        }
        let mut work = self.workers.iter_mut().zip(shares);
        let (first, share) = work.next().expect("there is a worker");
        std::thread::scope(|scope| {
            for (worker, share) in work {
                scope.spawn(move || job.share(worker, share));
            }
            job.share(first, share);
        });
        let sum = |head: usize| self.parts.iter().map(|part| part.losses[head]).sum::<f64>();
        Ok(Losses { policy: sum(0) / with_policy, value: sum(1) / with_value, squared: sum(2) / with_value, gradient: 0.0 })
    }
}

/// What all threads share.
#[derive(Clone, Copy)]
struct Job<'a> {
    pass: Pass<'a>,
    batch: &'a Batch,
    /// What one position counts: policy, value.
    weights: [f32; 2],
    value_loss: ValueLoss,
    /// How many parts the batch is cut into.
    parts: usize,
    learn: bool,
}

impl Job<'_> {
    fn share(&self, worker: &mut Worker, share: Vec<(usize, &mut Part)>) {
        let each = self.batch.len().div_ceil(self.parts);
        for (number, part) in share {
            part.losses = [0.0; 3];
            if self.learn {
                part.gradient.fill(Block::ZERO);
            }
            let end = self.batch.len().min((number + 1) * each);
            let mut begin = number * each;
            while begin < end {
                let next = end.min(begin + AT_ONCE);
                self.positions(begin..next, worker, part);
                begin = next;
            }
        }
    }

    /// Forward, losses, and backward for a few positions.
    fn positions(&self, positions: Range<usize>, worker: &mut Worker, part: &mut Part) {
        let Self { pass, batch, .. } = self;
        let count = positions.len();
        for (index, position) in positions.clone().enumerate() {
            worker.workspace.load(pass.plan, index, &batch.planes[position * batch.numbers..][..batch.numbers]);
        }
        pass.forward(&mut worker.workspace, count);
        if self.learn {
            worker.gradients.clear();
        }
        for (index, position) in positions.enumerate() {
            self.policy_loss(index, position, worker, part);
            if let (Some(value), Some(target)) = (pass.plan.value, batch.values[position]) {
                let said = worker.workspace.value(value)[index].0[0];
                let (loss, slope) = self.value_loss.of(said, target, batch.from_zero);
                part.losses[1] += loss;
                part.losses[2] += f64::from(said - target).powi(2);
                if self.learn {
                    worker.gradients.of(value)[index].0[0] = slope * self.weights[1];
                }
            }
        }
        if self.learn {
            pass.backward(&mut worker.workspace, count, &mut worker.gradients, &mut part.gradient);
        }
    }

    fn policy_loss(&self, index: usize, position: usize, worker: &mut Worker, part: &mut Part) {
        let Self { pass, batch, .. } = self;
        let range = batch.moves_of(position);
        let Some(end) = pass.plan.policy.filter(|_| !range.is_empty()) else { return };
        let Worker { workspace, gradients, logits } = worker;
        let (moves, targets) = (&batch.moves[range.clone()], &batch.probabilities[range]);
        logits.resize(moves.len(), 0.0);
        pass.logits(end, workspace, index, moves, logits);
        let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let log_sum = f64::from(most) + logits.iter().map(|&logit| f64::from(logit - most).exp()).sum::<f64>().ln();
        let weight = batch.weights[position];
        part.losses[0] += f64::from(weight)
            * targets.iter().zip(&*logits).map(|(&target, &logit)| f64::from(target) * (log_sum - f64::from(logit))).sum::<f64>();
        if self.learn {
            softmax(logits);
            for (slope, target) in logits.iter_mut().zip(targets) {
                *slope = (*slope - target) * weight * self.weights[0];
            }
            let place = MovesAt { workspace, position: index, moves };
            pass.logits_back(end, place, logits, gradients, &mut part.gradient);
        }
    }
}
