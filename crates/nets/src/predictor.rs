//! Asking a network about one position at a time.

use std::sync::Arc;

use crate::forward::{Pass, Prepared, Workspace};
use crate::kernels::Block;
use crate::plan::{ExecutionPlan, INPUT};
use crate::{Isa, NetError, Network};

/// A network ready to be asked. Asking allocates nothing. A clone shares the weights and has room of its own, for another thread.
///
/// One position at a time is what it is made for. Large networks, whose weights do not fit into the cache of a core, are faster with a few
/// positions at once: [`Predictor::load`] them, [`Predictor::run`], and read their values and logits.
#[derive(Clone, Debug)]
pub struct Predictor {
    shared: Arc<Shared>,
    workspace: Workspace,
}

#[derive(Debug)]
struct Shared {
    plan: ExecutionPlan,
    parameters: Vec<Block>,
    prepared: Prepared,
    isa: Isa,
    moves: usize,
}

impl Predictor {
    /// A predictor for one position at a time on the board of this network; see [`Network::resized`] for others.
    pub fn new(network: &Network) -> Self {
        Self::with(network, 1, Isa::best())
    }

    /// A predictor for up to so many positions at once, with these vector instructions.
    pub fn with(network: &Network, positions: usize, isa: Isa) -> Self {
        let plan = network.plan.clone();
        let mut prepared = Prepared::new(&plan, false);
        prepared.fill(&plan, isa, &network.parameters);
        let workspace = Workspace::new(&plan, positions, false);
        let moves = network.architecture().moves();
        Self { shared: Arc::new(Shared { plan, parameters: network.parameters.clone(), prepared, isa, moves }), workspace }
    }

    /// The expected result of a position, and the logits of its legal moves. Planes lie one after the other, as encoders write them;
    /// `logits` takes as many numbers as there are `moves`. A network without a value expects 0, and one without a policy gives every
    /// move the logit 0.
    pub fn evaluate(&mut self, planes: &[f32], moves: &[usize], logits: &mut [f32]) -> Result<f32, NetError> {
        self.load(0, planes)?;
        self.run(1);
        self.logits(0, moves, logits)?;
        Ok(self.value(0))
    }

    /// Puts a position into a place, to be computed with others. Panics if there is no such place.
    pub fn load(&mut self, place: usize, planes: &[f32]) -> Result<(), NetError> {
        let plan = &self.shared.plan;
        let wanted = plan.shapes[INPUT].numbers();
        if planes.len() != wanted {
            return Err(NetError::input(format!("{} numbers for a position; the network wants {wanted}", planes.len())));
        }
        self.workspace.load(plan, place, planes);
        Ok(())
    }

    /// Computes the positions in the first places.
    pub fn run(&mut self, places: usize) {
        self.shared.pass().forward(&mut self.workspace, places);
    }

    /// The expected result of the position in a place; 0 if the network has no opinion.
    pub fn value(&self, place: usize) -> f32 {
        self.shared.plan.value.map_or(0.0, |value| self.workspace.value(value)[place].0[0])
    }

    /// The logits of moves in the position in a place; 0 if the network has no policy.
    pub fn logits(&self, place: usize, moves: &[usize], logits: &mut [f32]) -> Result<(), NetError> {
        if moves.len() != logits.len() {
            return Err(NetError::input(format!("room for {} logits of {} moves", logits.len(), moves.len())));
        }
        let Some(end) = self.shared.plan.policy else {
            logits.fill(0.0);
            return Ok(());
        };
        let known = self.shared.moves;
        if let Some(strange) = moves.iter().find(|&&mv| mv >= known) {
            return Err(NetError::input(format!("a move with index {strange}; the network knows {known} moves")));
        }
        self.shared.pass().logits(end, &self.workspace, place, moves, logits);
        Ok(())
    }
}

impl Shared {
    fn pass(&self) -> Pass<'_> {
        Pass { plan: &self.plan, isa: self.isa, parameters: &self.parameters, prepared: &self.prepared }
    }
}

/// Logits to probabilities.
pub fn softmax(logits: &mut [f32]) {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for logit in logits.iter_mut() {
        *logit = (*logit - most).exp();
        sum += *logit;
    }
    for logit in logits {
        *logit /= sum;
    }
}
