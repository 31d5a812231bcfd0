//! The report on a tuning.

use plyground_match::RunError;
use plyground_session::open;
use plyground_statistics::{Interval, per_cent};
use serde::Serialize;

use super::contents::table;
use super::plots::{self, Range};
use super::{Block, Provenance, Report};
use crate::tune::Param;

/// The result of tuning an agent.
#[derive(Clone, Debug, Serialize)]
pub struct Tuned {
    /// The game.
    pub game: String,
    /// The agent as it was.
    pub original: String,
    /// The agent with its new values.
    pub spec: String,
    /// The tuned parameters.
    pub params: Vec<Param>,
    /// The values as they were, where they are known.
    pub before: Vec<Option<String>>,
    /// The values now.
    pub values: Vec<String>,
    /// The path of SPSA.
    pub path: Option<TuningPath>,
    /// The points of the grid that have played.
    pub points: Vec<GridPoint>,
    /// Pairs played to find the values.
    pub pairs: u64,
    /// The result of the match between the new and the old values, in words.
    pub verdict: Option<String>,
}

/// The path of SPSA.
#[derive(Clone, Debug, Serialize)]
pub struct TuningPath {
    /// By step, the values of all parameters, the start included.
    pub places: Vec<Vec<String>>,
    /// By parameter, some of its values and about how much stronger they are than what came out, in Elo.
    pub hills: Vec<Vec<(String, f64)>>,
}

/// A point of a grid.
#[derive(Clone, Debug, Serialize)]
pub struct GridPoint {
    /// The values of all parameters.
    pub values: Vec<String>,
    /// Pairs played.
    pub pairs: u64,
    /// The share of the points against the opponent, and its interval.
    pub score: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl GridPoint {
    /// The score with its interval.
    pub fn words(&self) -> String {
        format!("{} {}", per_cent(self.score), Interval { low: self.low, high: self.high })
    }
}

impl Tuned {
    /// Values with their keys.
    pub fn named(&self, values: &[String]) -> String {
        let named = self.params.iter().zip(values).map(|(param, value)| format!("{}={value}", param.key));
        named.collect::<Vec<_>>().join(", ")
    }

    /// Each key with its value before and now.
    pub fn rows(&self) -> impl Iterator<Item = [String; 3]> {
        let values = self.params.iter().zip(&self.before).zip(&self.values);
        values.map(|((param, before), now)| [param.key.clone(), before.clone().unwrap_or_else(|| "-".to_owned()), now.clone()])
    }

    /// The result in a sentence.
    pub fn answer(&self) -> String {
        match &self.verdict {
            _ if self.spec == self.original => format!("the values of {} stay as they are", self.original),
            Some(verdict) => format!("{}: {verdict}", self.spec),
            None => format!("{}: whether it is stronger was not tested", self.spec),
        }
    }
}

pub(super) fn report(tuned: &Tuned, provenance: &Provenance<'_>) -> Result<Report, RunError> {
    let info = open(&tuned.game, None)?.info();
    let mut blocks = vec![Block::Paragraph(tuned.answer() + "."), table(["key", "before", "now"], tuned.rows())];
    if let Some(path) = &tuned.path {
        blocks.extend(way(tuned, path));
    }
    if !tuned.points.is_empty() {
        blocks.extend(points(tuned));
    }
    blocks.extend([
        Block::Heading("Settings".to_owned()),
        Block::Facts(vec![
            ["game".to_owned(), tuned.game.clone()],
            ["agent".to_owned(), tuned.original.clone()],
            ["pairs".to_owned(), tuned.pairs.to_string()],
            ["time".to_owned(), format!("{:.1} seconds (games that were kept are not played again)", provenance.seconds)],
            ["machine".to_owned(), provenance.machine.to_owned()],
            ["made by".to_owned(), format!("ply {}", env!("CARGO_PKG_VERSION"))],
        ]),
        Block::Paragraph("To do it again:".to_owned()),
        Block::Code(provenance.command.to_owned()),
    ]);
    Ok(Report {
        title: format!("{}: better values for {}", info.title, tuned.original),
        subtitle: format!("{}, {} pairs of games. All intervals are 95 %.", tuned.game, tuned.pairs),
        blocks,
    })
}

fn way(tuned: &Tuned, path: &TuningPath) -> Vec<Block> {
    let mut blocks = vec![
        Block::Heading("The way".to_owned()),
        Block::Paragraph(
            "In each step two agents with values a little to both sides play each other, and the values move towards the better one \
            (simultaneous perturbation, Spall 1998). What comes out is the mean over the second half of the way."
                .to_owned(),
        ),
    ];
    for (number, param) in tuned.params.iter().enumerate() {
        let points: Vec<(f64, f64)> = path
            .places
            .iter()
            .enumerate()
            .filter_map(|(step, values)| Some((step as f64, values[number].parse().ok()?)))
            .collect();
        if let Some(now) = tuned.values[number].parse().ok().filter(|_| points.len() > 1) {
            let caption = format!("The value of {} after each step; the line across is what comes out.", param.key);
            blocks.push(Block::Figure { svg: plots::path(&points, now, "step", &param.key), caption });
        }
    }
    for (param, hill) in tuned.params.iter().zip(&path.hills) {
        let points: Vec<(f64, f64)> = hill.iter().filter_map(|(value, elo)| Some((value.parse().ok()?, *elo))).collect();
        if points.len() > 2 {
            let caption = format!(
                "What each value of {} is worth beside the one that came out, about: a square fitted to all games. Far from the way it is a guess.",
                param.key
            );
            blocks.push(Block::Figure { svg: plots::path(&points, 0.0, &param.key, "Elo"), caption });
        }
    }
    blocks
}

fn points(tuned: &Tuned) -> Vec<Block> {
    let range = |point: &GridPoint| Range {
        name: tuned.named(&point.values),
        low: 100.0 * point.low,
        middle: 100.0 * point.score,
        high: 100.0 * point.high,
    };
    let ranges: Vec<Range> = tuned.points.iter().map(range).collect();
    let row = |point: &GridPoint| [tuned.named(&point.values), point.pairs.to_string(), point.words()];
    vec![
        Block::Heading("The grid".to_owned()),
        Block::Paragraph(
            "All points play against the same opponent, the better half of them goes on, and so on (sequential halving, Karnin 2013). A point that was \
            dropped early is known less surely, and the best of many looks better than it is: believe the match at the end."
                .to_owned(),
        ),
        Block::Figure {
            svg: plots::ladder(&ranges, "score in per cent", false),
            caption: "The points of the grid with their 95 % intervals.".to_owned(),
        },
        table(["values", "pairs", "score"], tuned.points.iter().map(row)),
    ]
}
