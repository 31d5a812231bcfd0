//! What makes an experiment worth something: fair pairs, the same games from the same seed, faults that cost one game and no more, and
//! a store that loses nothing and keeps nothing twice.

mod common;
mod damage;
mod driver;
mod export;
mod faults;
mod import;
mod openings;
mod pairs;
mod place;
mod queue;
mod queue_laws;
mod retract;
mod seats;
mod store;
mod verify;
