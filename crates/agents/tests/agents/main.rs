//! The tests of all agents, in one program: every agent is built for every game in it, and the compiler does that once.

mod mcts;
mod minimax;
mod net;
mod promises;
mod pupils;
mod q;
mod solve;
