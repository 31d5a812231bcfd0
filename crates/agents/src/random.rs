//! Any legal move, with equal chances: the yardstick of every study.

use plyground_core::{Agent, AgentError, Choice, Game, InputError, Params, Resources, Scratch, SearchRequest};

use crate::AgentInfo;

pub(crate) const INFO: AgentInfo =
    AgentInfo { name: "random", summary: "any legal move, with equal chances", keys: &[], evaluates: false };

#[expect(clippy::unnecessary_wraps, reason = "all agents are built through one signature")]
pub(crate) fn build<G: Game>(_: &G, _: &Params, _: &dyn Resources) -> Result<Random, InputError> {
    Ok(Random)
}

/// Plays any legal move.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl<G: Game> Agent<G> for Random {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        request.mover()?;
        let SearchRequest { game, state, budget, rng, .. } = request;
        let mv = game.random_move(state, rng, &mut Scratch::default());
        Ok(Choice { elapsed: budget.clock.elapsed(), ..Choice::bare(mv) })
    }
}
