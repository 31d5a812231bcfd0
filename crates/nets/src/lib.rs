//! Neural networks: architectures described by data, their inference, their training, and their weights in files.
//!
//! An [`Architecture`] says what a [`Network`] is made of; a network is an architecture with weights. A [`Predictor`] asks it about one
//! position at a time, a [`Trainer`] improves it with mini-batches. Files hold weights as safetensors with a header ([`weights`]), and
//! [`onnx`] writes networks for other programs.
//!
//! The kernels are our own: on boards this small, everything stays in the caches of one core, and what general frameworks do
//! between the kernels takes longer than the kernels. The machine's vector instructions are chosen at run time ([`Isa`]).
#![warn(missing_docs)]

mod architecture;
mod backward;
mod forward;
mod half;
mod kernels;
mod network;
pub mod onnx;
mod plan;
mod predictor;
mod simd;
mod stack;
mod train;
pub mod weights;

pub use architecture::{Architecture, Layer, Shape, Size};
pub use network::{Network, Tensor};
pub use predictor::{Predictor, softmax};
pub use simd::Isa;
pub use train::{Batch, Learning, Losses, Rule, Trainer, ValueLoss};

/// The reason why a network, a file or a batch cannot be used, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetError {
    /// A description that makes no network.
    #[error("not a network: {0}")]
    Architecture(String),
    /// A file that holds no usable weights.
    #[error("the weights cannot be used: {0}")]
    Weights(String),
    /// A position or target that does not fit the network.
    #[error("this does not fit the network: {0}")]
    Input(String),
}

impl NetError {
    fn architecture(why: impl Into<String>) -> Self {
        Self::Architecture(why.into())
    }
    fn weights(why: impl Into<String>) -> Self {
        Self::Weights(why.into())
    }
    fn input(why: impl Into<String>) -> Self {
        Self::Input(why.into())
    }
}
