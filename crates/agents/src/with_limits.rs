//! Limits of an agent's own, for requests that set none.

use plyground_core::{Agent, AgentError, Choice, Game, Limits, SearchRequest};

/// An agent that keeps to its own limits where a request sets none.
pub(crate) struct WithLimits<A> {
    pub agent: A,
    pub limits: Limits,
}

impl<G: Game, A: Agent<G>> Agent<G> for WithLimits<A> {
    fn choose(&mut self, mut request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        if request.budget.limits == Limits::default() {
            request.budget.limits = self.limits;
        }
        self.agent.choose(request)
    }
}
