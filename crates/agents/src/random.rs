//! Any legal move, with equal chances: the yardstick of every study.

use plyground_core::{Agent, AgentError, Choice, Game, InputError, Params, Scratch, Shelf, Thought};

use crate::AgentInfo;

pub(crate) const INFO: AgentInfo =
    AgentInfo { name: "random", summary: "any legal move, with equal chances", keys: &[], evaluates: false };

#[expect(clippy::unnecessary_wraps, reason = "all agents are built through one signature")]
pub(crate) fn build<G: Game>(_: &G, _: &Params, _: &dyn Shelf) -> Result<Random, InputError> {
    Ok(Random)
}

/// Plays any legal move.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl<G: Game> Agent<G> for Random {
    fn choose(&mut self, thought: Thought<'_, G>) -> Result<Choice<G>, AgentError> {
        thought.mover()?;
        let Thought { game, state, budget, rng, .. } = thought;
        let mv = game.random_move(state, rng, &mut Scratch::default());
        Ok(Choice { elapsed: budget.clock.elapsed(), ..Choice::bare(mv) })
    }
}
