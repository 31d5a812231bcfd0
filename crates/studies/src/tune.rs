//! Tuning: the values of an agent's keys that win the most games.
//!
//! The next games depend on the results so far and on nothing else: with the games from the store the same command takes the same path
//! again, and goes on where it ended.

use plyground_core::{InputError, Rng, Seed, split_spec};
use plyground_statistics::least_squares;
use serde::Serialize;

/// A key of an agent, and the values that it may have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Param {
    /// The key.
    pub key: String,
    /// Its values.
    pub domain: Domain,
}

/// The values that a key may have.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    /// Numbers from the first to the second.
    Real {
        /// The least.
        low: f64,
        /// The greatest.
        high: f64,
        /// Do equal factors count the same, and not equal differences?
        logarithmic: bool,
    },
    /// Whole numbers from the first to the second.
    Whole {
        /// The least.
        low: i64,
        /// The greatest.
        high: i64,
        /// Do equal factors count the same, and not equal differences?
        logarithmic: bool,
    },
    /// One of these words.
    Words(Vec<String>),
}

impl Param {
    /// Reads `c=0.1..2.0`, `depth=1..6` (whole numbers), `sims=10..1000:log` or `leaf=a|b|c`.
    pub fn read(text: &str) -> Result<Self, InputError> {
        const EXPECTED: &str = "expected key=from..to like c=0.1..2.0, depth=1..6 or sims=10..1000:log, or key=word|word";
        let malformed = |detail: &str| InputError::malformed("parameter", text, detail);
        let (key, values) = text.split_once('=').ok_or_else(|| malformed(EXPECTED))?;
        let (key, values) = (key.trim(), values.trim());
        if key.is_empty() {
            return Err(malformed(EXPECTED));
        }
        let param = |domain| Ok(Self { key: key.to_owned(), domain });
        let Some((low, high)) = values.split_once("..") else {
            let words: Vec<String> = values.split('|').map(|word| word.trim().to_owned()).collect();
            if words.len() < 2 || words.iter().any(String::is_empty) {
                return Err(malformed(EXPECTED));
            }
            return param(Domain::Words(words));
        };
        let (high, logarithmic) = high.strip_suffix(":log").map_or((high, false), |high| (high, true));
        let whole = low.parse::<i64>().ok().zip(high.parse::<i64>().ok());
        let real = low.parse::<f64>().ok().zip(high.parse::<f64>().ok());
        let (from, to) = real.filter(|(low, high)| low.is_finite() && high.is_finite()).ok_or_else(|| malformed(EXPECTED))?;
        if from >= to {
            return Err(malformed("expected a smaller number before the dots than behind them"));
        }
        if logarithmic && from <= 0.0 {
            return Err(malformed("expected numbers above 0 on a logarithmic scale"));
        }
        match whole {
            Some((low, high)) => param(Domain::Whole { low, high, logarithmic }),
            None => param(Domain::Real { low: from, high: to, logarithmic }),
        }
    }
}

impl Domain {
    /// The value at a place from 0 to 1, as text. Numbers have four figures: more could not be told apart by games.
    pub fn text(&self, place: f64) -> String {
        match self {
            Self::Words(words) => words[((place * words.len() as f64) as usize).min(words.len() - 1)].clone(),
            Self::Whole { low, high, .. } => (self.number(place).round() as i64).clamp(*low, *high).to_string(),
            Self::Real { low, high, .. } => four_figures(self.number(place)).clamp(*low, *high).to_string(),
        }
    }

    fn number(&self, place: f64) -> f64 {
        let (low, high, logarithmic) = self.ends();
        let place = place.clamp(0.0, 1.0);
        if logarithmic { low * (high / low).powf(place) } else { low + place * (high - low) }
    }

    fn ends(&self) -> (f64, f64, bool) {
        match *self {
            Self::Real { low, high, logarithmic } => (low, high, logarithmic),
            Self::Whole { low, high, logarithmic } => (low as f64, high as f64, logarithmic),
            Self::Words(ref words) => (0.0, words.len() as f64 - 1.0, false),
        }
    }

    /// The place of a value, if it is one of these.
    pub fn place(&self, text: &str) -> Option<f64> {
        if let Self::Words(words) = self {
            let number = words.iter().position(|word| word == text)?;
            return Some((number as f64 + 0.5) / words.len() as f64);
        }
        let (low, high, logarithmic) = self.ends();
        let value: f64 = text.parse().ok().filter(|value| (low..=high).contains(value))?;
        Some(if logarithmic { (value / low).ln() / (high / low).ln() } else { (value - low) / (high - low) })
    }

    /// Is there an order, so that a little more or less makes sense?
    fn is_ordered(&self) -> bool {
        !matches!(self, Self::Words(_))
    }

    /// The smallest step that can make a difference.
    fn grain(&self) -> f64 {
        match *self {
            // On a logarithmic scale the steps at the lower end are the widest.
            Self::Whole { low, high, logarithmic: true } => (1.0 + 1.0 / low as f64).ln() / (high as f64 / low as f64).ln(),
            Self::Whole { low, high, .. } => 1.0 / (high - low) as f64,
            Self::Real { .. } | Self::Words(_) => 0.0,
        }
    }

    /// At most so many values, spread over all.
    fn grid(&self, steps: usize) -> Vec<String> {
        let all = match self {
            Self::Words(words) => return words.clone(),
            Self::Whole { low, high, .. } if ((high - low) as usize) < steps => {
                (*low..=*high).map(|value| value.to_string()).collect()
            }
            _ => (0..steps).map(|step| self.text(step as f64 / (steps - 1).max(1) as f64)).collect::<Vec<_>>(),
        };
        let mut distinct: Vec<String> = Vec::new();
        for value in all {
            if !distinct.contains(&value) {
                distinct.push(value);
            }
        }
        distinct
    }
}

fn four_figures(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let scale = 10_f64.powi(3 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

/// A spec with these values in place of its own.
pub fn with_values(spec: &str, params: &[Param], values: &[String]) -> String {
    let (name, keys) = split_spec(spec);
    let mut parts: Vec<String> = keys.split(',').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    for (param, value) in params.iter().zip(values) {
        let written = format!("{}={value}", param.key);
        let known = parts.iter_mut().find(|part| part.split('=').next().is_some_and(|key| key.trim() == param.key));
        match known {
            Some(part) => *part = written,
            None => parts.push(written),
        }
    }
    format!("{name}:{}", parts.join(","))
}

/// The value of a key in a spec.
pub fn value_in(spec: &str, key: &str) -> Option<String> {
    let (_, keys) = split_spec(spec);
    keys.split(',')
        .filter_map(|part| part.split_once('='))
        .find(|(known, _)| known.trim() == key)
        .map(|(_, value)| value.trim().to_owned())
}

/// Simultaneous perturbation stochastic approximation (Spall 1992; the gains are those of Spall 1998): all parameters are moved at once
/// by a small step in a random direction and in the opposite one, and then a little towards the better of the two. All places are from
/// 0 to 1.
#[derive(Clone, Debug)]
pub struct Spsa {
    domains: Vec<Domain>,
    rng: Rng,
    steps: u64,
    /// The points of the search so far, the start included.
    path: Vec<Vec<f64>>,
    /// The current comparison: half the difference of its two points, and the middle between them.
    direction: Vec<f64>,
    middle: Vec<f64>,
    /// The results of all comparisons, as the quadratic model takes them.
    seen: Vec<(Vec<f64>, f64)>,
}

/// Spall's exponents: the slowest decline that still settles down.
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
/// The size of the first perturbation to each side, as a part of the range. Wide, since a few games tell only large differences apart: on
/// simulated hills of 150 and 600 Elo a quarter ends nearer to the top than an eighth or a fifth.
const PERTURBATION: f64 = 0.25;
/// The size of the first step if one side wins everything, as a part of the range.
const FIRST_STEP: f64 = 0.1;

impl Spsa {
    /// Begins at a place, for a known number of steps. Words have no direction and are refused.
    pub fn new(params: &[Param], start: Vec<f64>, steps: u64, seed: Seed) -> Result<Self, InputError> {
        if let Some(param) = params.iter().find(|param| !param.domain.is_ordered()) {
            let detail = "expected numbers: words have no order to go along; a grid can try them";
            return Err(InputError::malformed("parameter", &param.key, detail));
        }
        let domains = params.iter().map(|param| param.domain.clone()).collect();
        Ok(Self {
            domains,
            rng: seed.rng(),
            steps,
            path: vec![start],
            direction: Vec::new(),
            middle: Vec::new(),
            seen: Vec::new(),
        })
    }

    /// The point after each step, the start included.
    pub fn path(&self) -> &[Vec<f64>] {
        &self.path
    }

    /// The two places that are to be compared next, or nothing when all steps are done.
    pub fn ask(&mut self) -> Option<[Vec<f64>; 2]> {
        let taken = (self.path.len() - 1) as u64;
        if taken >= self.steps {
            return None;
        }
        let here = &self.path[taken as usize];
        let reach = PERTURBATION / (taken as f64 + 1.0).powf(GAMMA);
        let mut places = [here.clone(), here.clone()];
        self.direction.clear();
        self.middle.clear();
        for (number, domain) in self.domains.iter().enumerate() {
            let sign = if self.rng.below(2) == 0 { 1.0 } else { -1.0 };
            // Half a step to each side would round to the same whole number.
            let reach = reach.max(0.75 * domain.grain());
            // At the edge both sides move inwards together, so that they stay apart.
            let middle = here[number].clamp(reach.min(0.5), 1.0 - reach.min(0.5));
            places[0][number] = middle + sign * reach;
            places[1][number] = middle - sign * reach;
            self.direction.push(sign * reach);
            self.middle.push(middle);
        }
        Some(places)
    }

    /// Takes a step: `lead` is the share of the points of the first of the two places less that of the second, from -1 to 1.
    pub fn learn(&mut self, lead: f64) {
        let taken = (self.path.len() - 1) as f64;
        // The differences of x and of x squared between the two places.
        let steps = self.direction.iter().zip(&self.middle);
        self.seen.push((steps.flat_map(|(direction, middle)| [2.0 * direction, 4.0 * direction * middle]).collect(), lead));
        // Spall's advice: a tenth of the steps, so that the first ones are not too long.
        let stability = 0.1 * self.steps as f64;
        let gain = FIRST_STEP * PERTURBATION * ((1.0 + stability) / (taken + 1.0 + stability)).powf(ALPHA);
        let mut here = self.path[self.path.len() - 1].clone();
        for (place, direction) in here.iter_mut().zip(&self.direction) {
            *place = (*place + gain * lead / direction).clamp(0.0, 1.0);
        }
        self.path.push(here);
    }

    /// The estimate: the mean over the second half of the path, which is surer than its end (Polyak and Juditsky 1992).
    pub fn settled(&self) -> Vec<f64> {
        let half = &self.path[self.path.len() / 2..];
        (0..self.domains.len()).map(|number| half.iter().map(|place| place[number]).sum::<f64>() / half.len() as f64).collect()
    }
}

/// A quadratic model of the strength along each parameter, fitted to all comparisons of a search by least squares.
#[derive(Clone, Debug)]
pub struct QuadraticModel(Vec<f64>);

/// Elo for each point of a lead, near equality.
const ELO_PER_LEAD: f64 = 800.0 * std::f64::consts::LOG10_E;

impl QuadraticModel {
    /// The model of a search; `None` before its first step.
    pub fn seen_by(spsa: &Spsa) -> Option<Self> {
        // A little, so that what was hardly tried is called flat.
        least_squares(&spsa.seen, 0.05).map(Self)
    }

    /// The difference in strength between two values of a parameter, in Elo.
    pub fn elo(&self, param: usize, place: f64, than: f64) -> f64 {
        let [slope, bend] = [self.0[2 * param], self.0[2 * param + 1]];
        ELO_PER_LEAD * (slope * (place - than) + bend * (place * place - than * than))
    }
}

/// Sequential halving (Karnin, Koren and Somekh 2013): all candidates get the same number of trials, the better half of them again, and
/// so on, until one is left.
#[derive(Clone, Debug)]
pub struct Halving {
    left: Vec<usize>,
    trials: u64,
    each_round: u64,
}

impl Halving {
    /// A race of so many candidates, with about so many trials in all.
    pub fn new(candidates: usize, trials: u64) -> Self {
        let rounds = u64::from(candidates.next_power_of_two().ilog2()).max(1);
        Self { left: (0..candidates).collect(), trials: 0, each_round: trials / rounds }
    }

    /// Those that are tried in this round, and how many trials each should have had at its end; nothing when one is left.
    pub fn ask(&mut self) -> Option<(&[usize], u64)> {
        if self.left.len() < 2 {
            return None;
        }
        self.trials += (self.each_round / self.left.len() as u64).max(1);
        Some((&self.left, self.trials))
    }

    /// Keeps the better half.
    pub fn learn(&mut self, score: impl Fn(usize) -> f64) {
        // Of equals the first one stays.
        self.left.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
        self.left.truncate(self.left.len().div_ceil(2));
    }

    /// The best so far.
    pub fn best(&self) -> usize {
        self.left[0]
    }
}

/// The most points of a grid.
const MOST_POINTS: usize = 256;

/// All combinations of at most so many values of each parameter.
pub fn grid(params: &[Param], steps: usize) -> Result<Vec<Vec<String>>, InputError> {
    let mut points: Vec<Vec<String>> = vec![Vec::new()];
    for param in params {
        let values = param.domain.grid(steps);
        let longer = |point: &Vec<String>| {
            values.iter().map(|value| point.iter().chain([value]).cloned().collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        points = points.iter().flat_map(longer).collect();
        if points.len() > MOST_POINTS {
            let detail = format!(
                "the grid would have {} points by then, expected at most {MOST_POINTS}: fewer steps, please",
                points.len()
            );
            return Err(InputError::malformed("parameter", &param.key, detail));
        }
    }
    Ok(points)
}
