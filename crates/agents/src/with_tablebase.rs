//! Agents with a tablebase: where it knows a move that keeps the value of the position, that move is played.

use plyground_core::{Agent, AgentError, Choice, GameValue, Player, SearchRequest, Solvable};

use crate::solve::Tablebase;

/// An agent that searches only where the tablebase has no answer.
pub(crate) struct WithTablebase<G: Solvable> {
    pub agent: Box<dyn Agent<G>>,
    pub tablebase: Tablebase,
}

/// A move whose value for the mover is known, with the length of the game after it where that is known, too.
struct Known<M> {
    mv: M,
    value: GameValue,
    plies: Option<u32>,
}

impl<G: Solvable> WithTablebase<G> {
    fn known(&self, game: &G, state: &G::State, mover: Player, mv: G::Move) -> Option<Known<G::Move>> {
        let mut child = state.clone();
        game.play(&mut child, mv);
        let mut plies = Some(0);
        let value = GameValue::of_position(game, &child, mover, |child| {
            let (value, length) = self.tablebase.probe(game, child)?;
            plies = length;
            Some(value)
        })?;
        Some(Known { mv, value, plies })
    }

    /// The move to play: the fastest win, the slowest loss, as far as lengths are known; of drawn moves, one to which a strategy leads.
    fn best(&self, game: &G, state: &G::State, mover: Player) -> Option<Known<G::Move>> {
        let mut moves = Vec::new();
        game.moves(state, &mut moves);
        let known: Vec<_> = moves.iter().filter_map(|&mv| self.known(game, state, mover, mv)).collect();
        let all = known.len() == moves.len();
        let best = known.into_iter().max_by_key(|known| {
            let length = known.plies.map(i64::from);
            let speed = if known.value == GameValue::Win { -length.unwrap_or(i64::MAX) } else { length.unwrap_or(-1) };
            (known.value, speed, std::cmp::Reverse(known.mv))
        })?;
        let whole = self.tablebase.probe(game, state).map(|(value, _)| value);
        (all || best.value == GameValue::Win || whole == Some(best.value)).then_some(best)
    }
}

impl<G: Solvable> Agent<G> for WithTablebase<G> {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        let mover = request.mover()?;
        let Some(best) = self.best(request.game, request.state, mover) else { return self.agent.choose(request) };
        Ok(Choice {
            value: Some(best.value.value()),
            principal_variation: vec![best.mv],
            depth: best.plies.filter(|_| best.value != GameValue::Draw).map(|plies| plies + 1),
            elapsed: request.budget.clock.elapsed(),
            notes: vec!["the move is from the tablebase".to_owned()],
            ..Choice::bare(best.mv)
        })
    }
}
