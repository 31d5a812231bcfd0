//! Exact solvers: the game-theoretic value of a position.

mod agent;
mod alphabeta;
mod dfpn;
mod distance;
mod lookup;
mod solver;
mod table;
mod tablebase;

pub use agent::Solve;
pub(crate) use agent::{INFO, build};
pub use solver::{Method, Solution, Solver, refuse_chance, solve};
pub use table::Bounds;
pub use tablebase::Tablebase;
