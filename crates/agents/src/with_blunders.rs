//! Deliberate blunders: with some probability a random legal move is played.
//!
//! A search with few nodes is weak in the large and still sees everything near; a beginner is the other way round. Where even the
//! smallest search plays a game well, slips are the only way down.

use plyground_core::{Agent, AgentError, Choice, Game, Scratch, SearchRequest};

/// An agent that plays any legal move with some probability.
pub(crate) struct WithBlunders<G: Game> {
    pub agent: Box<dyn Agent<G>>,
    pub probability: f64,
}

impl<G: Game> Agent<G> for WithBlunders<G> {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        request.mover()?;
        if request.rng.unit() >= self.probability {
            return self.agent.choose(request);
        }
        let mv = request.game.random_move(request.state, request.rng, &mut Scratch::default());
        Ok(Choice { elapsed: request.budget.clock.elapsed(), ..Choice::bare(mv) })
    }
}
