//! Flat Monte Carlo: the same number of random games after each legal move; the best average is played.

use plyground_core::{
    Agent, AgentError, Candidate, Choice, Game, InputError, KeyInfo, Opinion, Params, Player, Resources, Rng, Scratch,
    SearchRequest, sort_moves,
};

use crate::{AgentInfo, SIMS, TIME, limit_checker::LimitChecker};

pub(crate) const INFO: AgentInfo = AgentInfo {
    name: "mc",
    summary: "flat Monte Carlo: random games after each legal move, the best average is played",
    keys: &[
        KeyInfo {
            key: "playouts",
            value: "N",
            default: "100, or until sims or time is used up",
            meaning: "random games for each legal move",
        },
        KeyInfo { meaning: "stop after N random games in all", ..SIMS },
        TIME,
    ],
    evaluates: false,
};

pub(crate) fn build<G: Game>(_: &G, params: &Params, _: &dyn Resources) -> Result<FlatMonteCarlo, InputError> {
    Ok(FlatMonteCarlo { playouts: params.number("playouts", 1..=u64::from(u32::MAX))? })
}

/// Flat Monte Carlo.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlatMonteCarlo {
    /// Random games for each legal move; without it, as many as the budget allows, or 100 if that has no limit either.
    pub playouts: Option<u64>,
}

struct Arm<G: Game> {
    mv: G::Move,
    child: G::State,
    games: u64,
    reward: f64,
}

impl<G: Game> Arm<G> {
    fn average(&self) -> f64 {
        if self.games == 0 { 0.5 } else { self.reward / self.games as f64 }
    }
}

fn best_arm<G: Game>(arms: &[Arm<G>]) -> usize {
    (1..arms.len()).fold(0, |best, arm| if arms[arm].average() > arms[best].average() { arm } else { best })
}

impl<G: Game> Agent<G> for FlatMonteCarlo {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        let mover = request.mover()?;
        let SearchRequest { game, state, budget, rng, observer } = request;
        let mut arms = arms(game, state, rng);
        let limited = budget.limits.simulations.is_some() || budget.limits.time.is_some();
        let rounds = self.playouts.unwrap_or(if limited { u64::MAX } else { 100 });
        let all = rounds.saturating_mul(arms.len() as u64);
        let most = budget.limits.simulations.map_or(all, |most| most.min(all));
        let mut checker = LimitChecker::new(&budget, observer, Some(most), 256);
        simulate(game, &mut arms, mover, rounds, rng, &mut checker);
        let best = best_arm(&arms);
        let Opinion { value, candidates, .. } = opinion(&arms);
        Ok(Choice {
            value,
            principal_variation: vec![arms[best].mv],
            candidates,
            nodes: checker.steps,
            simulations: checker.steps,
            elapsed: budget.clock.elapsed(),
            ..Choice::bare(arms[best].mv)
        })
    }
}

/// The legal moves in random order (so that equals are chosen by the seed), each with the position it leads to.
fn arms<G: Game>(game: &G, state: &G::State, rng: &mut Rng) -> Vec<Arm<G>> {
    let mut moves = Vec::new();
    game.moves(state, &mut moves);
    rng.shuffle(&mut moves);
    let arm = |mv| {
        let mut child = state.clone();
        game.play(&mut child, mv);
        Arm { mv, child, games: 0, reward: 0.0 }
    };
    moves.into_iter().map(arm).collect()
}

fn simulate<G: Game>(
    game: &G,
    arms: &mut [Arm<G>],
    mover: Player,
    rounds: u64,
    rng: &mut Rng,
    checker: &mut LimitChecker<'_, '_, G::Move>,
) {
    let mut scratch = Scratch::default();
    for _ in 0..rounds {
        for number in 0..arms.len() {
            let arm = &mut arms[number];
            let outcome = game.playout(&arm.child, rng, &mut scratch);
            arm.games += 1;
            arm.reward += f64::from(outcome.reward(mover));
            if checker.step(|| opinion(arms)) {
                return;
            }
        }
    }
}

/// What the games so far say.
fn opinion<G: Game>(arms: &[Arm<G>]) -> Opinion<G::Move> {
    let candidate = |arm: &Arm<G>| Candidate {
        mv: arm.mv,
        visits: arm.games,
        value: (arm.games > 0).then(|| (2.0 * arm.average() - 1.0) as f32),
    };
    let mut candidates: Vec<_> = arms.iter().map(candidate).collect();
    sort_moves(&mut candidates, |a, b| b.value.partial_cmp(&a.value).expect("averages are numbers").then(a.mv.cmp(&b.mv)));
    let best = candidate(&arms[best_arm(arms)]);
    Opinion { value: best.value, depth: None, line: vec![best.mv], candidates }
}
