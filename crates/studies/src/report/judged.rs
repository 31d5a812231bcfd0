//! The report on judged evaluations.

use plyground_match::RunError;
use plyground_session::open;
use plyground_statistics::per_cent;

use super::contents::table;
use super::plots::{self, HeatMap, Range};
use super::{Block, Provenance, Report};
use crate::judge::{COLUMNS, JudgeFindings, Judgement, Prediction, Scores};

/// Games of the same contenders, or what is known of them without playing.
pub struct Played {
    /// The title of what was played.
    pub title: String,
    /// By name, the share of the points against all others.
    pub scores: Vec<(String, f64)>,
    /// The predictions of these scores by each criterion.
    pub predictions: Vec<Prediction>,
}

impl Played {
    /// The score of a contender, if it has played.
    pub fn score(&self, name: &str) -> Option<f64> {
        self.scores.iter().find(|(known, _)| known == name).map(|(_, score)| *score)
    }
}

pub(super) fn report(findings: &JudgeFindings, played: Option<&Played>, provenance: &Provenance<'_>) -> Result<Report, RunError> {
    let info = open(&findings.game, None)?.info();
    let losses = losses(findings);
    let mut blocks = vec![
        Block::Paragraph(findings.answer()),
        part_of_table(findings, [0, 1, 2, 3, 4]),
        Block::Figure {
            svg: plots::ladder(&losses, "points thrown away with each choice", wide_apart(&losses)),
            caption: "What a choice costs on the average: a win is one point, a draw half a point. Less is better.".to_owned(),
        },
        part_of_table(findings, [0, 5, 6, 7]),
        Block::Paragraph(
            "A best move keeps what the position is worth. Of moves that look equally good, each is as likely. \"Where one can err\" leaves out \
            the positions in which every move is a best move. \"In random play\" counts a position as often as random games come by; the \
            other columns count every position once. Tau (Kendall's tau-b) says whether the evaluation puts positions in their true order, \
            from -1 to 1: of the position itself, and of what is seen after looking ahead. The exact score is the share of the points \
            against all others of which every choice is known, in both seats."
                .to_owned(),
        ),
    ];
    if let Some(scores) = &findings.scores {
        blocks.extend(exact(scores, findings));
    }
    if let Some(played) = played {
        blocks.extend(compared(findings, played));
    }
    blocks.extend([
        Block::Heading("How it was found".to_owned()),
        Block::Facts(vec![
            ["game".to_owned(), findings.game.clone()],
            ["positions".to_owned(), findings.positions_in_words()],
            ["time".to_owned(), format!("{:.1} seconds", provenance.seconds)],
            ["machine".to_owned(), provenance.machine.to_owned()],
            ["made by".to_owned(), format!("ply {}", env!("CARGO_PKG_VERSION"))],
        ]),
        Block::Paragraph("To do it again:".to_owned()),
        Block::Code(provenance.command.to_owned()),
    ]);
    let certainty = if findings.population.all { "" } else { " All intervals are 95 %." };
    Ok(Report {
        title: format!("{}: which evaluation chooses best?", info.title),
        subtitle: format!("{}, {}.{certainty}", findings.game, findings.positions_in_words()),
        blocks,
    })
}

/// Some columns of the table of judgements.
fn part_of_table<const N: usize>(findings: &JudgeFindings, which: [usize; N]) -> Block {
    let part = |judgement: &Judgement| {
        let row = judgement.row();
        which.map(|column| row[column].clone())
    };
    table(which.map(|column| COLUMNS[column]), findings.judgements.iter().map(part))
}

/// Do values lie so far apart, and all above 0, that only a logarithmic scale shows them?
fn wide_apart(ranges: &[Range]) -> bool {
    let least = ranges.iter().map(|range| range.low).fold(f64::INFINITY, f64::min);
    let most = ranges.iter().map(|range| range.high).fold(0.0, f64::max);
    least > 0.0 && most / least > 20.0
}

fn losses(findings: &JudgeFindings) -> Vec<Range> {
    let range = |judgement: &Judgement| {
        let loss = judgement.loss?;
        Some(Range { name: judgement.name.clone(), low: loss.interval.low, middle: loss.value, high: loss.interval.high })
    };
    findings.judgements.iter().filter_map(range).collect()
}

fn exact(scores: &Scores, findings: &JudgeFindings) -> Vec<Block> {
    let place = |judgement: &Judgement| scores.names.iter().position(|name| *name == judgement.name);
    let order: Vec<usize> = findings.judgements.iter().filter_map(place).collect();
    let names: Vec<String> = order.iter().map(|&number| scores.names[number].clone()).collect();
    let (rows, columns) = plots::numbered(&names);
    let share = |row: usize, column: usize| Some(scores.table[order[row]][order[column]]);
    vec![
        Block::Heading("Against each other, without a game".to_owned()),
        Block::Paragraph(
            "All positions and all choices are known, so the result of every match is known, too: this is what a match would tend to if it \
            went on for ever."
                .to_owned(),
        ),
        Block::Figure {
            svg: plots::heat_map(&HeatMap { rows: &rows, columns: &columns, share: &share, full: 0.5 }),
            caption: "Points of the first player (row) against the second player (column), in per cent.".to_owned(),
        },
    ]
}

fn compared(findings: &JudgeFindings, played: &Played) -> Vec<Block> {
    let point = |judgement: &Judgement| Some((judgement.loss?.value, played.score(&judgement.name)?, judgement.name.clone()));
    let points: Vec<(f64, f64, String)> = findings.judgements.iter().filter_map(point).collect();
    let row = |found: &Prediction| {
        [
            found.criterion.to_owned(),
            found.contenders.to_string(),
            format!("{} of {}", found.same, found.pairs),
            format!("{:.2}", found.tau),
            format!("{:.2}", found.spearman),
        ]
    };
    let mut blocks = vec![
        Block::Heading("Does this predict who wins?".to_owned()),
        Block::Paragraph(format!(
            "Beside it: {}. How well does each number put the contenders in the order of their scores there?",
            played.title
        )),
        table(["ranked by", "contenders", "pairs in the same order", "tau", "Spearman"], played.predictions.iter().map(row)),
    ];
    if points.len() > 2 {
        blocks.push(Block::Figure {
            svg: plots::scatter(&points, "points thrown away with each choice", "score"),
            caption: "The truth about the choices, and what comes of them against all others.".to_owned(),
        });
    }
    let score = |judgement: &Judgement| Some([judgement.name.clone(), per_cent(played.score(&judgement.name)?)]);
    blocks.push(table(["contender", "score"], findings.judgements.iter().filter_map(score)));
    blocks
}
