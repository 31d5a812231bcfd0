//! The report on trainings with several values of a key and several seeds.

use plyground_match::RunError;
use plyground_session::open;
use plyground_train::TrainingCurve;
use serde::Serialize;

use super::contents::table;
use super::plots::{self, Range};
use super::{Block, Provenance, Report};

/// The steps of a plotted curve.
const STEPS: u64 = 20;

/// The training games at either end that a table shows, as the Clobber thesis does.
const SET: u64 = 1_000;

/// Trainings that differ in one value, each with several seeds.
#[derive(Clone, Debug, Serialize)]
pub struct Trained {
    /// The game.
    pub game: String,
    /// The agent that was trained, without the values.
    pub agent: String,
    /// Its opponent.
    pub against: Option<String>,
    /// The training games of each training.
    pub games: u64,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// The values, in their order.
    pub variants: Vec<TrainedVariant>,
}

/// The trainings with one value.
#[derive(Clone, Debug, Serialize)]
pub struct TrainedVariant {
    /// The key with its value.
    pub name: String,
    /// The curve of each seed.
    pub curves: Vec<TrainingCurve>,
}

impl TrainedVariant {
    /// The first player's score in a part of the training: the mean of the seeds, the lowest and the highest.
    fn score(&self, from: u64, to: u64) -> Option<[f64; 3]> {
        let scores: Vec<f64> = self.curves.iter().filter_map(|curve| curve.score(from, to)).map(|score| 100.0 * score).collect();
        let (low, high) = scores.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &score| (low.min(score), high.max(score)));
        (!scores.is_empty()).then(|| [scores.iter().sum::<f64>() / scores.len() as f64, low, high])
    }

    fn words(&self, from: u64, to: u64) -> String {
        let words = |[mean, low, high]: [f64; 3]| format!("{mean:.1} % ({low:.1} to {high:.1})");
        self.score(from, to).map_or("-".to_owned(), words)
    }
}

impl Trained {
    /// The legend of the table.
    pub const LEGEND: &'static str =
        "The first player's score in training games: the mean of the seeds (the lowest to the highest).";

    /// The title: what was trained, in a line.
    pub fn title(&self) -> String {
        let against = self.against.as_ref().map_or_else(String::new, |against| format!(" against {against}"));
        format!(
            "{}: {}{against}, {} training games, {} seed{}",
            self.game,
            self.agent,
            self.games,
            self.seeds.len(),
            if self.seeds.len() == 1 { "" } else { "s" }
        )
    }

    /// The first and the last games of each variant, below a head.
    pub fn rows(&self) -> Vec<[String; 3]> {
        let set = SET.min(self.games);
        let head = [String::new(), format!("first {set} games"), format!("last {set} games")];
        let row =
            |variant: &TrainedVariant| [variant.name.clone(), variant.words(0, set), variant.words(self.games - set, self.games)];
        std::iter::once(head).chain(self.variants.iter().map(row)).collect()
    }

    /// The curve of each variant: the scores of the seeds in each part of the training.
    fn lines(&self) -> Vec<(String, Vec<Range>)> {
        let steps = STEPS.min(self.games / SET).max(1);
        let end = |step: u64| self.games * step / steps;
        let range = |variant: &TrainedVariant, step: u64| {
            let [middle, low, high] = variant.score(end(step), end(step + 1))?;
            Some(Range { name: thousands(end(step + 1)), low, middle, high })
        };
        let line =
            |variant: &TrainedVariant| (variant.name.clone(), (0..steps).filter_map(|step| range(variant, step)).collect());
        self.variants.iter().map(line).collect()
    }
}

/// A number of games in thousands, short enough to stand twenty times below a plot.
fn thousands(games: u64) -> String {
    let digits = usize::from(games < 10_000 && !games.is_multiple_of(1_000));
    format!("{:.digits$}", games as f64 / 1e3)
}

pub(super) fn report(trained: &Trained, provenance: &Provenance<'_>) -> Result<Report, RunError> {
    let info = open(&trained.game, None)?.info();
    let rows = trained.rows();
    let (head, rest) = rows.split_first().map_or(([const { String::new() }; 3], &[][..]), |(head, rest)| (head.clone(), rest));
    let head = head.each_ref().map(String::as_str);
    let blocks = vec![
        Block::Paragraph(Trained::LEGEND.to_owned()),
        table(head, rest.iter().cloned()),
        Block::Figure {
            svg: plots::lines(&trained.lines(), "training games, thousands", "first player's score, %", Some(50.0)),
            caption: "The score in the games up to each mark, with the spread of the seeds.".to_owned(),
        },
        Block::Heading("Settings".to_owned()),
        Block::Facts(vec![
            ["game".to_owned(), trained.game.clone()],
            ["agent".to_owned(), trained.agent.clone()],
            ["opponent".to_owned(), trained.against.clone().unwrap_or_else(|| "-".to_owned())],
            ["training games".to_owned(), trained.games.to_string()],
            ["seeds".to_owned(), trained.seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")],
            ["time".to_owned(), format!("{:.1} seconds", provenance.seconds)],
            ["machine".to_owned(), provenance.machine.to_owned()],
            ["made by".to_owned(), format!("ply {}", env!("CARGO_PKG_VERSION"))],
        ]),
        Block::Paragraph("To do it again:".to_owned()),
        Block::Code(provenance.command.to_owned()),
    ];
    Ok(Report { title: format!("Training of {}: {}", info.title, trained.agent), subtitle: trained.title(), blocks })
}
