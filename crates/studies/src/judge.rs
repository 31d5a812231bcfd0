//! Evaluations and agents measured against the exact solver: how often do they choose a best move, and do evaluations put positions in
//! their true order?

use plyground_core::{GameValue, Seed, split_spec};
use plyground_judge::{ChoiceQuality, Contender, Judged, Judging, Truth};
use plyground_match::Results;
use plyground_statistics::{CONFIDENCE, Interval, MeanEstimate, Sample, bootstrap, kendall_tau_b, per_cent, spearman};
use serde::Serialize;

use crate::measure::StudyMeasure;
use crate::study::Part;

/// Samples drawn for the interval of a correlation.
const ROUNDS: usize = 200;

/// The most positions of which all are judged by default; of more, a sample is.
pub const FEW_POSITIONS: usize = 300_000;

/// The quality of an evaluation or an agent. Where all positions were looked at and nothing is left to chance, the intervals are points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judgement {
    /// The name of the contender.
    pub name: String,
    /// The share of best moves among the choices.
    pub best: Option<MeanEstimate>,
    /// The same in those positions in which there is a move that throws something away.
    pub best_of_hard: Option<MeanEstimate>,
    /// Points thrown away with each choice, on the average.
    pub loss: Option<MeanEstimate>,
    /// The same where every position counts as often as random games come by; of a sample of random games that is the same number.
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

/// The positions that were judged on, by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Population {
    /// Positions looked at.
    pub positions: usize,
    /// Those in which the player to move wins, draws and loses.
    #[serde(rename = "worths")]
    pub values: [usize; 3],
    /// Those in which a mistake can be made.
    pub hard: usize,
    /// Are these all that can be reached?
    pub all: bool,
    /// Positions that the solver gave up.
    pub given_up: usize,
}

/// The evaluations with these names and keys (`links:w=0.5`), at each of the depths. `second` are keys that are added where the second
/// player is to move.
pub fn evaluations(names: &[String], depths: &[u32], second: &str) -> Vec<Contender> {
    let at_depth = |text: &String, depth: u32| {
        let (name, keys) = split_spec(text);
        let spec = |more: &str| {
            let keys: Vec<&str> = [keys, more].into_iter().filter(|keys| !keys.is_empty()).collect();
            [format!("minimax:depth={depth},eval={name}")].iter().map(String::as_str).chain(keys).collect::<Vec<_>>().join(",")
        };
        let name = if depths.len() > 1 { format!("{text} depth {depth}") } else { text.clone() };
        Contender { name, specs: [spec(""), spec(second)] }
    };
    names
        .iter()
        .flat_map(|name| depths.iter().map(move |&depth| (name, depth)))
        .map(|(name, depth)| at_depth(name, depth))
        .collect()
}

/// The contenders that play in a part of a study in both seats, under the names of its rows.
pub fn contenders_of(part: &Part) -> Vec<Contender> {
    let mut found: Vec<Contender> = Vec::new();
    for cell in &part.cells {
        let name = cell.row.as_ref().unwrap_or(&cell.first);
        let as_second = part.cells.iter().find(|cell| cell.column.as_ref().unwrap_or(&cell.second) == name);
        if let Some(as_second) = as_second.filter(|_| !found.iter().any(|known| known.name == *name)) {
            found.push(Contender { name: name.clone(), specs: [cell.first.clone(), as_second.second.clone()] });
        }
    }
    found
}

/// The share of the points that a row of a study took from all others, in both seats, every opponent and seat counting the same.
pub fn score_in(part: &Part, results: &Results, name: &str) -> Option<f64> {
    let scores =
        part.findings(results).into_iter().filter(|finding| finding.measure == StudyMeasure::Score).filter_map(|finding| {
            let cell = finding.cell;
            let [row, column] = [cell.row.as_ref().unwrap_or(&cell.first), cell.column.as_ref().unwrap_or(&cell.second)];
            let score = finding.ours?.value;
            match (row == name, column == name) {
                (true, false) => Some(score),
                (false, true) => Some(1.0 - score),
                _ => None,
            }
        });
    let scores: Vec<f64> = scores.collect();
    (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
}

/// A number by which judgements are ranked.
#[derive(Clone, Copy, Debug)]
pub struct Criterion {
    /// Its name.
    pub name: &'static str,
    /// Is less better?
    pub less_is_better: bool,
    value: fn(&Judgement) -> Option<f64>,
}

impl Criterion {
    /// The number.
    pub fn of(&self, judgement: &Judgement) -> Option<f64> {
        (self.value)(judgement)
    }
}

/// The name of the exact score against all others.
pub const EXACT_SCORE: &str = "exact score against the others";

/// All numbers by which contenders can be ranked.
pub const CRITERIA: [Criterion; 9] = [
    Criterion { name: "points lost a choice", less_is_better: true, value: |found| Some(found.loss?.value) },
    Criterion { name: "best moves", less_is_better: false, value: |found| Some(found.best?.value) },
    Criterion { name: "best moves where one can err", less_is_better: false, value: |found| Some(found.best_of_hard?.value) },
    Criterion {
        name: "points lost a choice, weighted by random play",
        less_is_better: true,
        value: |found| Some(found.loss_in_play?.value),
    },
    Criterion { name: "tau of the evaluation", less_is_better: false, value: |found| Some(found.tau?.value) },
    Criterion { name: "Spearman of the evaluation", less_is_better: false, value: |found| Some(found.spearman?.value) },
    Criterion {
        name: "tau of the evaluation, with lengths",
        less_is_better: false,
        value: |found| Some(found.tau_with_length?.value),
    },
    Criterion { name: "tau of what it sees ahead", less_is_better: false, value: |found| Some(found.tau_ahead?.value) },
    Criterion { name: EXACT_SCORE, less_is_better: false, value: |found| found.score },
];

/// The columns of [`Judgement::row`].
pub const COLUMNS: [&str; 8] =
    ["choice by", "best moves", "where one can err", "points lost", "in random play", "tau", "tau ahead", "exact score"];

impl Judgement {
    /// The judgement as a row of a table.
    pub fn row(&self) -> [String; 8] {
        let shown = |estimate: Option<MeanEstimate>, number: &dyn Fn(f64) -> String| match estimate {
            None => "-".to_owned(),
            Some(MeanEstimate { value, interval }) if interval.low == interval.high => number(value),
            Some(MeanEstimate { value, interval }) => {
                format!(
                    "{} [{}, {}]",
                    number(value),
                    number(interval.low).trim_end_matches(" %"),
                    number(interval.high).trim_end_matches(" %")
                )
            }
        };
        let points = |value: f64| format!("{value:.4}");
        let correlation = |value: f64| format!("{value:.2}");
        [
            self.name.clone(),
            shown(self.best, &per_cent),
            shown(self.best_of_hard, &per_cent),
            shown(self.loss, &points),
            shown(self.loss_in_play, &points),
            shown(self.tau, &correlation),
            shown(self.tau_ahead, &correlation),
            self.score.map_or("-".to_owned(), per_cent),
        ]
    }
}

impl JudgeFindings {
    /// The judged positions, in a sentence.
    pub fn positions_in_words(&self) -> String {
        let Population { positions, values: [won, drawn, lost], hard, all, given_up } = self.population;
        let which = if all {
            format!("all {positions} positions that can be reached")
        } else {
            format!("{positions} positions from random games")
        };
        let mut words = format!(
            "{which}: the player to move wins {won}, draws {drawn} and loses {lost} of them, and can throw something away in {hard}"
        );
        if given_up > 0 {
            words += &format!("; {given_up} more were too hard for the solver and are left out");
        }
        words
    }

    /// The best contender, in a sentence.
    pub fn answer(&self) -> String {
        let Some((best, loss)) = self.judgements.first().and_then(|best| Some((best, best.loss?))) else {
            return "No position was solved, so nothing can be said.".to_owned();
        };
        let mut words = format!("{} throws away least, {:.4} points a choice", best.name, loss.value);
        if let Some((next, other)) = self.judgements.get(1).and_then(|next| Some((next, next.loss?))) {
            // Two intervals that do not meet are more than is needed for a difference, and enough.
            let clear = loss.interval.high < other.interval.low;
            let doubt = if clear { "" } else { ", which is no clear difference" };
            words += &format!("; next comes {} with {:.4}{doubt}", next.name, other.value);
        }
        words + "."
    }
}

/// The prediction of a ranking by games from a ranking by exact values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// The number by which the contenders are ranked.
    pub criterion: &'static str,
    /// Contenders that both rankings have.
    pub contenders: usize,
    /// Pairs of them that both rankings put in the same order.
    pub same: usize,
    /// Pairs of them in all.
    pub pairs: usize,
    /// Kendall's tau-b of the two rankings.
    pub tau: f64,
    /// Spearman's rank correlation.
    pub spearman: f64,
}

/// The predictions of these scores by each criterion; criteria with fewer than three contenders, or no order of them, are left
/// out.
pub fn predictions(found: &[Judgement], score: &dyn Fn(&str) -> Option<f64>) -> Vec<Prediction> {
    let predict = |criterion: &Criterion| {
        let sign = if criterion.less_is_better { -1.0 } else { 1.0 };
        let point = |judgement: &Judgement| Some((sign * criterion.of(judgement)?, score(&judgement.name)?));
        let points: Vec<(f64, f64)> = found.iter().filter_map(point).collect();
        let pairs = points.iter().enumerate().flat_map(|(number, one)| points[..number].iter().map(move |other| (one, other)));
        let same = pairs.clone().filter(|(one, other)| (one.0 - other.0) * (one.1 - other.1) > 0.0).count();
        Some(Prediction {
            criterion: criterion.name,
            contenders: points.len(),
            same,
            pairs: pairs.count(),
            tau: kendall_tau_b(&points)?,
            spearman: spearman(&points)?,
        })
        .filter(|_| points.len() > 2)
    };
    CRITERIA.iter().filter_map(predict).collect()
}

fn population(judging: &Judging) -> Population {
    let count = |value: GameValue| judging.truths.iter().filter(|truth| truth.value == value).count();
    Population {
        positions: judging.truths.len(),
        values: [GameValue::Win, GameValue::Draw, GameValue::Loss].map(count),
        hard: judging.truths.iter().filter(|truth| truth.can_err).count(),
        all: judging.all,
        given_up: judging.given_up,
    }
}

/// The results of judging.
#[derive(Clone, Debug, Serialize)]
pub struct JudgeFindings {
    /// The game.
    pub game: String,
    /// The positions.
    pub population: Population,
    /// The judgements, the lowest loss first.
    pub judgements: Vec<Judgement>,
    /// The points that the one moving first (row) takes from the one moving second (column), exactly, where they are known.
    pub scores: Option<Scores>,
}

/// The exact scores of the contenders whose choices are all known, without playing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// The names of the contenders.
    pub names: Vec<String>,
    /// The scores, in the order of the names.
    pub table: Vec<Vec<f64>>,
}

/// The results that follow from judged positions.
pub fn findings(game: &str, judging: &Judging, contenders: &[Contender], seed: Seed) -> JudgeFindings {
    let exact = contenders.iter().zip(&judging.exact).filter(|(_, exact)| **exact).map(|(contender, _)| contender.name.clone());
    let names: Vec<String> = exact.collect();
    JudgeFindings {
        game: game.to_owned(),
        population: population(judging),
        judgements: judgements(judging, contenders, seed),
        scores: judging.scores.clone().filter(|_| names.len() > 1).map(|table| Scores { names, table }),
    }
}

/// The judgement of each contender, the lowest loss first.
fn judgements(judging: &Judging, contenders: &[Contender], seed: Seed) -> Vec<Judgement> {
    let mut row = 0;
    let mut found: Vec<Judgement> = Vec::new();
    for (who, contender) in contenders.iter().enumerate() {
        let (judged, exact) = (&judging.judged[who], judging.exact[who]);
        let scored = exact.then_some(row);
        row += usize::from(exact);
        found.push(judgement(&contender.name, judging, &|number| judged[number], exact && judging.all, scored, seed));
    }
    let loss = |judgement: &Judgement| judgement.loss.map_or(f64::INFINITY, |loss| loss.value);
    found.sort_by(|a, b| loss(a).total_cmp(&loss(b)));
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
    let share = |counted: &dyn Fn(&Truth) -> f64, value: &dyn Fn(ChoiceQuality) -> f64| {
        let weighted = truths.iter().enumerate().map(|(number, truth)| (counted(truth), value(judged(number).quality)));
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
        let mut rng = seed.rng();
        bootstrap(&points, ROUNDS, CONFIDENCE, &mut |below| rng.below(below), |drawn| of(drawn).unwrap_or(f64::NAN))
    };
    let (said, seen) = (|judged: Judged| judged.said, |judged: Judged| judged.seen);
    Judgement {
        name: name.to_owned(),
        best: share(&|_| 1.0, &|quality| quality.best),
        best_of_hard: share(&|truth| f64::from(u8::from(truth.can_err)), &|quality| quality.best),
        loss: share(&|_| 1.0, &|quality| quality.loss),
        loss_in_play: share(&|truth| truth.reach, &|quality| quality.loss).filter(|_| judging.all),
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

/// The value of a position for the first player.
fn first_view(truth: &Truth) -> f64 {
    f64::from(truth.value.value() * truth.mover.sign())
}

/// The same, a faster win being better than a slower one; `None` where the length of a decided game is not known.
fn with_length(truth: &Truth) -> Option<f64> {
    let sign = first_view(truth);
    if truth.value == GameValue::Draw { Some(0.0) } else { Some(sign * (1.0 + 1.0 / f64::from(truth.plies?))) }
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
