//! The report on a study: published numbers beside ours.

use std::collections::{BTreeMap, BTreeSet};

use plyground_match::{RunError, RunRow, Store, day_text};
use plyground_session::open;

use super::contents::{Findings as Counted, NumberInSpec, first_move, games, numbers_in, samples, table, uncounted};
use super::plots::{self, Compared, HeatMap, Range};
use super::{Block, Report};
use crate::measure::StudyMeasure;
use crate::study::{Finding, Study};
use crate::verdict::{LEGEND, verdict_on_all};

/// More numbers than this are drawn as points, without their names.
const MOST_NAMED: usize = 60;

pub(super) fn report(store: &Store, study: &Study, rows: &[RunRow], title: Option<&str>) -> Result<Report, RunError> {
    let counted =
        rows.iter().map(|row| Ok(Counted::read(store, row)?.with_one_sample())).collect::<Result<Vec<_>, RunError>>()?;
    let parts = || study.runs.iter().zip(&counted);
    let findings: Vec<Finding<'_>> = parts().flat_map(|(part, counted)| part.findings(&counted.results)).collect();
    let played: u64 = counted.iter().map(|counted| counted.results.games()).sum();
    let begun = rows.iter().map(|row| row.begun).min();
    let subtitle = format!(
        "From {}. {played} games{}. All intervals are 95 %.",
        study.source,
        begun.map_or_else(String::new, |begun| format!(", begun on {}", day_text(begun)))
    );
    let mut blocks = vec![
        Block::Paragraph(study.question.clone()),
        Block::Paragraph(verdict_on_all(findings.iter().map(|finding| finding.verdict))),
    ];
    blocks.extend(study.remarks.iter().cloned().map(Block::Paragraph));
    blocks.extend(uncounted(counted.iter().map(|counted| &counted.results)));
    blocks.extend(figures(&findings));
    for (part, counted) in parts() {
        let findings = part.findings(&counted.results);
        blocks.extend(curves(&findings));
        blocks.extend(heat_maps(&findings));
    }
    blocks.push(Block::Heading("All numbers".to_owned()));
    let row = |finding: &Finding<'_>| {
        let [agent, opponent] = finding.names();
        [
            format!("{}: {agent} against {opponent}", finding.game),
            finding.measure.word().to_owned(),
            finding.published_words(),
            finding.our_words(),
            finding.tally.games().to_string(),
            finding.verdict_words(),
        ]
    };
    blocks.push(table(["", "", "published", "ours", "games", ""], findings.iter().map(row)));
    if findings.iter().any(|finding| finding.published.is_some()) {
        blocks.push(Block::Paragraph(format!("What the last column says: {LEGEND}")));
    }
    let mut shown = BTreeSet::new();
    for (part, counted) in parts().filter(|(_, counted)| counted.results.games() > 0) {
        let players = open(&part.game, None)?.info().players;
        let mut details = first_move(counted, players);
        let time = part.move_time.as_ref().map_or_else(String::new, |time| format!(", {time} a move"));
        details[0] = Block::Heading(format!("{}{time}", part.game));
        blocks.append(&mut details);
        // The heading of the games is one too many below that of the part.
        blocks.extend(games(counted).into_iter().skip(1));
        if shown.insert(&part.game) {
            blocks.extend(samples(counted, players)?.into_iter().skip(1));
        }
    }
    blocks.extend(settings(rows));
    Ok(Report { title: title.unwrap_or(&study.title).to_owned(), subtitle, blocks })
}

/// Published numbers and ours as pictures, one for each unit.
fn figures(findings: &[Finding<'_>]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for unit in [StudyMeasure::Score, StudyMeasure::Plies, StudyMeasure::Points].map(StudyMeasure::unit) {
        let chosen = findings.iter().filter(|finding| finding.measure.unit() == unit);
        let mut rows: Vec<Compared> = chosen.filter_map(compared).collect();
        // Many rows are drawn only where there is something beside them.
        if rows.len() > MOST_NAMED {
            rows.retain(|row| row.published.is_some());
        }
        if rows.is_empty() {
            continue;
        }
        blocks.push(if rows.len() <= MOST_NAMED {
            Block::Figure {
                svg: plots::comparison(&rows, unit),
                caption: "Published (diamonds) and ours (dots with 95 % intervals): orange where they differ, grey where it cannot be told.".to_owned(),
            }
        } else {
            Block::Figure {
                svg: plots::agreement(&rows, &format!("published, {unit}"), &format!("ours, {unit}")),
                caption: "Each point is a cell of the table; on the line both are equal; orange ones differ, and of grey ones it cannot be told.".to_owned(),
            }
        });
    }
    blocks
}

/// A curve has as many points at least.
const FEWEST_IN_CURVE: usize = 5;

/// Agents that differ in one number and play against the same opponent: their score against it.
fn curves(findings: &[Finding<'_>]) -> Vec<Block> {
    let mut groups: BTreeMap<(String, String, &str), Vec<_>> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.measure == StudyMeasure::Score) {
        for NumberInSpec { key, number, rest } in numbers_in(&finding.cell.first) {
            groups.entry((key, rest, &finding.cell.second)).or_default().push((number, finding));
        }
    }
    let mut blocks = Vec::new();
    for ((key, rest, opponent), mut members) in groups {
        members.sort_by(|a, b| a.0.total_cmp(&b.0));
        let points: Option<Vec<(f64, Range)>> =
            members.iter().map(|(number, finding)| Some((*number, compared(finding)?.ours))).collect();
        if let Some(points) = points.filter(|points| points.len() >= FEWEST_IN_CURVE) {
            let caption = format!("Score for each value of {key}, with 95 % intervals: {rest} against {opponent}.");
            blocks.push(Block::Figure { svg: plots::curve(&points, &key, "score, per cent"), caption });
        }
    }
    blocks
}

/// Fewer names than this are better off without.
const FEWEST_IN_HEAT_MAP: usize = 4;

/// A table with the same rows and columns, ours and the published one.
fn heat_maps(findings: &[Finding<'_>]) -> Vec<Block> {
    let mut names: Vec<String> = Vec::new();
    for name in findings.iter().flat_map(Finding::names) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    let find = |row: usize, column: usize| {
        let sought = [names[row].as_str(), names[column].as_str()];
        findings.iter().find(|finding| finding.measure == StudyMeasure::Score && finding.names() == sought)
    };
    // Without most of the fields it would be a list, and there is one already.
    let filled = findings.len() * 2 > names.len() * names.len();
    if names.len() < FEWEST_IN_HEAT_MAP || !filled {
        return Vec::new();
    }
    let (rows, columns) = plots::numbered(&names);
    let drawn = |share: &dyn Fn(usize, usize) -> Option<f64>| {
        plots::heat_map(&HeatMap { rows: &rows, columns: &columns, share, full: 0.5 })
    };
    let ours = drawn(&|row, column| Some(find(row, column)?.ours?.value));
    let published = drawn(&|row, column| find(row, column)?.published);
    let caption = |whose: &str| {
        format!(
            "{whose}: points of the agent in the row against the one in the column, in per cent. With fixed seats the row moves first."
        )
    };
    let mut blocks = vec![Block::Figure { svg: ours, caption: caption("Ours") }];
    if findings.iter().any(|finding| finding.published.is_some()) {
        blocks.push(Block::Figure { svg: published, caption: caption("Published") });
    }
    blocks
}

fn compared(finding: &Finding<'_>) -> Option<Compared> {
    let (ours, scale) = (finding.ours?, finding.measure.scale());
    let [agent, opponent] = finding.names();
    let board = finding.game.split_once("size=").map_or("", |(_, size)| size.split(',').next().unwrap_or(size));
    let measure = if finding.measure == StudyMeasure::Score { "" } else { finding.measure.word() };
    let name = format!("{board} {agent} – {opponent} {measure}").trim().to_owned();
    let [low, middle, high] = [ours.interval.low, ours.value, ours.interval.high].map(|value| scale * value);
    Some(Compared {
        ours: Range { name, low, middle, high },
        published: finding.published.map(|published| scale * published),
        verdict: finding.verdict,
    })
}

fn settings(rows: &[RunRow]) -> Vec<Block> {
    let each = |text: fn(&RunRow) -> String| {
        let all: BTreeSet<String> = rows.iter().map(text).collect();
        all.into_iter().collect::<Vec<_>>()
    };
    let facts = [
        ["runs".to_owned(), each(|row| row.run.id.clone()).join(" · ")],
        ["seed".to_owned(), each(|row| row.run.experiment.seed.to_string()).join(" · ")],
        ["machine".to_owned(), each(|row| row.machine.clone()).join(" · ")],
        ["made by".to_owned(), format!("ply {}", env!("CARGO_PKG_VERSION"))],
    ];
    vec![
        Block::Heading("Settings".to_owned()),
        Block::Facts(facts.to_vec()),
        Block::Paragraph("To do it again:".to_owned()),
        Block::Code(each(|row| row.command.clone()).join("\n")),
    ]
}
