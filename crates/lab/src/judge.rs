//! Evaluations measured by the truth: how often does what they choose keep what the position is worth, and do they put positions in
//! the right order?

use plyground_core::{InputError, Seed, Worth, split_spec};
use plyground_table::{Contender, Judged, Judging, Truth, Verdict};
use serde::Serialize;

use crate::statistics::{CONFIDENCE, Interval, MeanEstimate, Sample, bootstrap, kendall_tau_b, spearman};

/// Samples drawn for the interval of a correlation.
const ROUNDS: usize = 200;

/// Where a game has more positions than this, a sample of them is looked at.
pub const FEW_POSITIONS: usize = 300_000;

/// How good an evaluation or an agent is. Where all positions were looked at and nothing is left to chance, the intervals are points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judgement {
    /// Who.
    pub name: String,
    /// How often a best move is chosen.
    pub best: Option<MeanEstimate>,
    /// The same in those positions in which there is a move that throws something away.
    pub best_of_hard: Option<MeanEstimate>,
    /// Points thrown away with each choice, on the average.
    pub loss: Option<MeanEstimate>,
    /// Points thrown away with each choice where every position counts as often as random games come by.
    pub loss_in_play: Option<MeanEstimate>,
    /// Does the evaluation put positions in their true order (win, draw, loss)? Kendall's tau-b.
    pub tau: Option<MeanEstimate>,
    /// Spearman's rank correlation of the same.
    pub spearman: Option<MeanEstimate>,
    /// Tau-b of the true order in which a faster win is better, and a slower loss.
    pub tau_with_length: Option<MeanEstimate>,
    /// Tau-b of what a search of this depth says, and the true order (win, draw, loss).
    pub tau_ahead: Option<MeanEstimate>,
    /// The mean of the exact scores against all others, in both seats, where they are known.
    pub score: Option<f64>,
}

/// What is known of a game's positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Population {
    /// Positions looked at.
    pub positions: usize,
    /// Those in which the player to move wins, draws and loses.
    pub worths: [usize; 3],
    /// Those in which a mistake can be made.
    pub hard: usize,
    /// Are these all that can be reached?
    pub all: bool,
    /// Positions that the solver gave up.
    pub given_up: usize,
}

/// The evaluations of a game at each of the depths. `second` are keys that are added for positions in which the second player is to move.
pub fn evaluations(names: &[String], depths: &[u32], second: &str) -> Result<Vec<(String, Contender)>, InputError> {
    let with_keys = |spec: &str| match (second, split_spec(spec)) {
        ("", _) => spec.to_owned(),
        (keys, (name, "")) => format!("{name}:{keys}"),
        (keys, (name, own)) => format!("{name}:{own},{keys}"),
    };
    let mut found: Vec<(String, Contender)> = Vec::new();
    for spec in names {
        for &depth in depths {
            let name = if depths.len() > 1 { format!("{spec} depth {depth}") } else { spec.clone() };
            if found.iter().any(|(known, _)| *known == name) {
                return Err(InputError::malformed("evaluation", spec, "it is there twice"));
            }
            found.push((name, Contender::Evaluation { specs: [spec.clone(), with_keys(spec)], depth }));
        }
    }
    Ok(found)
}

/// What is known of the positions.
pub fn population(judging: &Judging) -> Population {
    let count = |worth: Worth| judging.truths.iter().filter(|truth| truth.worth == worth).count();
    Population {
        positions: judging.truths.len(),
        worths: [Worth::Win, Worth::Draw, Worth::Loss].map(count),
        hard: judging.truths.iter().filter(|truth| truth.can_err).count(),
        all: judging.all,
        given_up: judging.given_up,
    }
}

/// The judgement of each contender, in their order, and of random moves behind them. `agents` says which of them choose by chance.
pub fn judgements(judging: &Judging, contenders: &[(String, Contender)], seed: Seed) -> Vec<Judgement> {
    let mut row = 0;
    let mut found: Vec<Judgement> = Vec::new();
    for ((name, contender), judged) in contenders.iter().zip(&judging.judged) {
        let is_evaluation = matches!(contender, Contender::Evaluation { .. });
        let scored = is_evaluation.then_some(row);
        row += usize::from(is_evaluation);
        found.push(judgement(name, judging, &|number| judged[number], is_evaluation && judging.all, scored, seed));
    }
    let random = |number: usize| Judged { verdict: judging.truths[number].random, said: None, seen: None };
    found.push(judgement("random", judging, &random, judging.all, Some(row), seed));
    found
}

fn judgement(
    name: &str,
    judging: &Judging,
    judged: &dyn Fn(usize) -> Judged,
    exact: bool,
    row: Option<usize>,
    seed: Seed,
) -> Judgement {
    let truths = &judging.truths;
    let share = |counted: &dyn Fn(&Truth) -> f64, value: &dyn Fn(Verdict) -> f64| {
        let weighted = truths.iter().enumerate().map(|(number, truth)| (counted(truth), value(judged(number).verdict)));
        weighted_mean(&weighted.filter(|(weight, _)| *weight > 0.0).collect::<Vec<_>>(), exact)
    };
    let correlation = |opinion: &dyn Fn(Judged) -> Option<f32>, order: &dyn Fn(&Truth) -> Option<f64>, of: Correlation| {
        let point = |(number, truth): (usize, &Truth)| Some((f64::from(opinion(judged(number))?), order(truth)?));
        let points: Vec<(f64, f64)> = truths.iter().enumerate().filter_map(point).collect();
        if points.len() < truths.len() {
            return None;
        }
        if exact {
            return of(&points).map(exactly);
        }
        bootstrap(&points, ROUNDS, CONFIDENCE, seed, |drawn| of(drawn).unwrap_or(f64::NAN))
    };
    let (said, seen) = (|judged: Judged| judged.said, |judged: Judged| judged.seen);
    Judgement {
        name: name.to_owned(),
        best: share(&|_| 1.0, &|verdict| verdict.best),
        best_of_hard: share(&|truth| f64::from(u8::from(truth.can_err)), &|verdict| verdict.best),
        loss: share(&|_| 1.0, &|verdict| verdict.loss),
        loss_in_play: share(&|truth| truth.reach, &|verdict| verdict.loss),
        tau: correlation(&said, &|truth| Some(first_view(truth)), kendall_tau_b),
        spearman: correlation(&said, &|truth| Some(first_view(truth)), spearman),
        tau_with_length: correlation(&said, &with_length, kendall_tau_b),
        tau_ahead: correlation(&seen, &|truth| Some(first_view(truth)), kendall_tau_b),
        score: row.zip(judging.scores.as_ref()).and_then(|(row, scores)| mean_score(scores, row)),
    }
}

type Correlation = fn(&[(f64, f64)]) -> Option<f64>;

fn exactly(value: f64) -> MeanEstimate {
    MeanEstimate { value, interval: Interval { low: value, high: value } }
}

/// What a position is worth to the first player.
fn first_view(truth: &Truth) -> f64 {
    f64::from(truth.worth.value() * truth.mover.sign())
}

/// The same, a faster win being better than a slower one; `None` where the length of a decided game is not known.
fn with_length(truth: &Truth) -> Option<f64> {
    let sign = first_view(truth);
    if truth.worth == Worth::Draw { Some(0.0) } else { Some(sign * (1.0 + 1.0 / f64::from(truth.plies?))) }
}

/// The mean of values from 0 to 1, each with its weight; an interval as for a share of as many trials as tell as much.
fn weighted_mean(values: &[(f64, f64)], exact: bool) -> Option<MeanEstimate> {
    let weight: f64 = values.iter().map(|(weight, _)| weight).sum();
    let squares: f64 = values.iter().map(|(weight, _)| weight * weight).sum();
    let mean = values.iter().map(|(weight, value)| weight * value).sum::<f64>() / weight;
    if !mean.is_finite() {
        return None;
    }
    if exact {
        return Some(exactly(mean));
    }
    // Kish 1965: units of equal weight that would tell as much.
    let units = weight * weight / squares;
    let spread = values.iter().map(|(weight, value)| weight * (value - mean).powi(2)).sum::<f64>() / weight;
    let sample = Sample { games: units, units, mean, variance: spread / units };
    Some(MeanEstimate { value: mean, interval: sample.interval(CONFIDENCE) })
}

/// The points against all others, in both seats.
fn mean_score(scores: &[Vec<f64>], who: usize) -> Option<f64> {
    let others: Vec<usize> = (0..scores.len()).filter(|&other| other != who).collect();
    let both = others.iter().map(|&other| [scores[who][other], 1.0 - scores[other][who]]);
    let points: Vec<f64> = both.flatten().collect();
    (!points.is_empty()).then(|| points.iter().sum::<f64>() / points.len() as f64)
}
