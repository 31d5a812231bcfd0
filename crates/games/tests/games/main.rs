//! What only one game has to keep: a module for each.

mod common;
#[path = "../naive/mod.rs"]
mod naive;

mod breakthrough;
mod clobber;
mod clobber_sums;
mod connect_four;
mod connect_four_solver;
mod crosphere;
mod crosphere_thesis;
mod mnk;
mod pawn;
mod tuc_chess;
