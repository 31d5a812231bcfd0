//! Weakness on purpose: now and then any legal move is played.
//!
//! A search with few nodes is weak in the large and still sees everything near; a beginner is the other way round. Where even the
//! smallest search plays a game well, slips are the only way down.

use plyground_core::{Agent, AgentError, Choice, Game, Scratch, Thought};

/// An agent that plays any legal move with some probability.
pub(crate) struct Slipping<G: Game> {
    pub agent: Box<dyn Agent<G>>,
    pub probability: f64,
}

impl<G: Game> Agent<G> for Slipping<G> {
    fn choose(&mut self, thought: Thought<'_, G>) -> Result<Choice<G>, AgentError> {
        thought.mover()?;
        if thought.rng.unit() >= self.probability {
            return self.agent.choose(thought);
        }
        let mv = thought.game.random_move(thought.state, thought.rng, &mut Scratch::default());
        Ok(Choice { elapsed: thought.budget.clock.elapsed(), ..Choice::bare(mv) })
    }
}
