//! Asking a network about one position at a time.

use std::sync::Arc;

use crate::forward::{Pass, Prepared, Workspace};
use crate::kernels::Block;
use crate::plan::{INPUT, Plan};
use crate::{Isa, NetError, Network};

/// A network ready to be asked. Asking allocates nothing. A clone shares the weights and has room of its own, for another thread.
#[derive(Clone, Debug)]
pub struct Predictor {
    shared: Arc<Shared>,
    workspace: Workspace,
}

#[derive(Debug)]
struct Shared {
    plan: Plan,
    parameters: Vec<Block>,
    prepared: Prepared,
    isa: Isa,
    moves: usize,
}

impl Predictor {
    /// For this network, on its board; see [`Network::resized`] for others.
    pub fn new(network: &Network) -> Self {
        Self::with_isa(network, Isa::best())
    }

    /// With these vector instructions.
    pub fn with_isa(network: &Network, isa: Isa) -> Self {
        let plan = network.plan.clone();
        let mut prepared = Prepared::new(&plan, false);
        prepared.fill(&plan, isa, &network.parameters);
        let workspace = Workspace::new(&plan, 1, false);
        let moves = network.architecture().moves();
        Self { shared: Arc::new(Shared { plan, parameters: network.parameters.clone(), prepared, isa, moves }), workspace }
    }

    /// The expected result of a position, and the logits of its legal moves. Planes lie one after the other, as encoders write them;
    /// `logits` takes as many numbers as there are `moves`. A network without a value expects 0, and one without a policy gives every
    /// move the logit 0.
    pub fn evaluate(&mut self, planes: &[f32], moves: &[usize], logits: &mut [f32]) -> Result<f32, NetError> {
        let Shared { plan, parameters, prepared, isa, moves: known } = &*self.shared;
        let wanted = plan.shapes[INPUT].numbers();
        if planes.len() != wanted {
            return Err(NetError::input(format!("{} numbers for a position; the network wants {wanted}", planes.len())));
        }
        if moves.len() != logits.len() {
            return Err(NetError::input(format!("room for {} logits of {} moves", logits.len(), moves.len())));
        }
        let pass = Pass { plan, isa: *isa, parameters, prepared };
        self.workspace.load(plan, 0, planes);
        pass.forward(&mut self.workspace, 1);
        match plan.policy {
            Some(end) => {
                if let Some(strange) = moves.iter().find(|&mv| mv >= known) {
                    return Err(NetError::input(format!("a move with index {strange}; the network knows {known} moves")));
                }
                pass.logits(end, &self.workspace, 0, moves, logits);
            }
            None => logits.fill(0.0),
        }
        Ok(plan.value.map_or(0.0, |value| self.workspace.value(value)[0].0[0]))
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
