//! Exact solvers: the game-theoretic value of a position.

mod agent;
mod alphabeta;
mod campaign;
mod certificate;
mod dfpn;
mod distance;
mod lookup;
mod openings;
mod range_encoder;
mod solver;
mod strategy;
mod table;
mod tablebase;

pub use agent::Solve;
pub(crate) use agent::{INFO, build};
pub use campaign::{Campaign, CampaignObserver, CampaignOptions, CampaignProgress, CampaignResult, SolvedOpening};
pub use certificate::{Certificate, CertificateOptions, CertifyError, certify};
pub use solver::{Method, Solution, Solver, refuse_chance, solve};
pub use table::Bounds;
pub use tablebase::Tablebase;
