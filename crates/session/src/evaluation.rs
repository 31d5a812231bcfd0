//! What the evaluators of a game say about a position.

use plyground_core::{EvaluationTerm, Evaluator as _, InputError, Params, PlayableGame, Turn, split_spec};

/// The evaluation of a position, in the view of the first player.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The score, in the evaluator's own unit.
    pub score: f32,
    /// The first player's expected result, from 0 to 1.
    pub chance: f32,
    /// The terms whose sum is the score.
    pub terms: Vec<EvaluationTerm>,
}

/// What the evaluator with this name and these keys (`links:w=0.5`) says.
pub(crate) fn evaluate<G: PlayableGame>(game: &G, state: &G::State, evaluator: &str) -> Result<Evaluation, InputError> {
    let (name, keys) = split_spec(evaluator);
    let known = G::evaluators();
    let info = known.iter().find(|info| info.name == name);
    let info = info.ok_or_else(|| InputError::unknown("evaluator", name, known.iter().map(|info| info.name)))?;
    let params = Params::parse(keys)?;
    params.check(name, info.keys)?;
    let mut evaluator = game.evaluator(name, &params)?;
    // As an agent asks that is to move.
    if let Turn::Player(player) = game.turn(state) {
        evaluator.side_with(player);
    }
    let score = evaluator.score(game, state);
    Ok(Evaluation { score, chance: evaluator.win_chance(score), terms: evaluator.terms(game, state) })
}
