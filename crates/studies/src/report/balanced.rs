//! The inventor's report on a game.

use plyground_core::{GameValue, split_spec};
use plyground_match::RunError;
use plyground_session::info;
use plyground_statistics::{CONFIDENCE, MeanEstimate, per_cent};

use super::contents::table;
use super::plots::{self, HeatMap, Range};
use super::{Block, Provenance, Report};
use crate::balance::{BalanceFindings, BalanceMeasure, COLUMNS, rows, sentences};

pub(super) fn report(findings: &BalanceFindings, provenance: &Provenance<'_>) -> Result<Report, RunError> {
    let game = info(split_spec(&findings.plan.sweep.settings[0].game).0)?;
    let games: u64 = findings.cells.iter().map(|cell| cell.tally.games()).sum();
    let played = if findings.plan.of_all_players {
        format!("{games} games of run {}, of all its players", findings.plan.runs[0].id)
    } else {
        let (settings, agents) = (findings.plan.sweep.settings.len(), findings.plan.agents.len());
        format!("{settings} settings, {agents} agents, each against itself; {games} games")
    };
    let [first, second] = game.players;
    let subtitle = format!("{played}. {first} moves first, {second} second. All intervals are 95 %.");
    let mut blocks: Vec<Block> = sentences(findings).into_iter().map(Block::Paragraph).collect();
    blocks.extend(fairness(findings));
    blocks.extend(parameters(findings));
    blocks.extend(strength(findings));
    blocks.push(Block::Heading("All figures".to_owned()));
    blocks.push(table(COLUMNS, rows(findings)));
    blocks.extend(notes(findings));
    blocks.extend(settings(findings, provenance));
    Ok(Report { title: format!("{}: is it fair, and how does it play?", game.title), subtitle, blocks })
}

fn agents_by_number(findings: &BalanceFindings) -> String {
    let agents = findings.plan.agents.iter().enumerate();
    agents.map(|(number, agent)| format!("{} is {agent}", number + 1)).collect::<Vec<_>>().join(", ")
}

/// Full colour at 30 and 70 %: few games that people play are further from even.
const FULL: f64 = 0.2;

fn fairness(findings: &BalanceFindings) -> Vec<Block> {
    let sweep = &findings.plan.sweep;
    let score = |setting: usize, agent: usize| Some(findings.cell(setting, agent).score(CONFIDENCE)?.value);
    let mut blocks = vec![Block::Heading("Who is favoured".to_owned())];
    if let [down, across] = &sweep.axes[..] {
        let labels: [Vec<String>; 2] = [down, across].map(|axis| (0..axis.values.len()).map(|value| axis.label(value)).collect());
        let strongest = |row: usize, column: usize| {
            let setting = sweep.settings.iter().position(|setting| setting.values == [row, column])?;
            score(setting, findings.strongest())
        };
        blocks.push(Block::Figure {
            svg: plots::heat_map(&HeatMap { rows: &labels[0], columns: &labels[1], share: &strongest, full: FULL }),
            caption: format!(
                "Points of the first player in per cent, with {} on both sides: blue favours the first player, orange the second, white is fair.",
                findings.plan.agents[findings.strongest()]
            ),
        });
    }
    let labels: Vec<String> = sweep.settings.iter().map(|setting| setting.label.clone()).collect();
    let (_, numbers) = plots::numbered(&findings.plan.agents);
    blocks.push(Block::Figure {
        svg: plots::heat_map(&HeatMap { rows: &labels, columns: &numbers, share: &score, full: FULL }),
        caption: format!("The same for every agent: {}.", agents_by_number(findings)),
    });
    let perfect: Vec<[String; 3]> = sweep
        .settings
        .iter()
        .zip(&findings.values)
        .enumerate()
        .filter_map(|(number, (setting, value))| {
            let word = match (*value)? {
                GameValue::Win => "the first player wins",
                GameValue::Draw => "a draw",
                GameValue::Loss => "the second player wins",
            };
            let found = findings.cell(number, findings.strongest()).score(CONFIDENCE);
            let practice = found.map_or("-".to_owned(), |found| BalanceMeasure::Score.written(found));
            Some([setting.label.clone(), word.to_owned(), practice])
        })
        .collect();
    if !perfect.is_empty() {
        let agent = format!("first player's score with {}", findings.plan.agents[findings.strongest()]);
        blocks.push(table(["setting", "with perfect play", &agent], perfect));
    }
    blocks
}

/// A figure for each measure: a line for each value of an axis, or each setting where there is none, over the agents.
fn strength(findings: &BalanceFindings) -> Vec<Block> {
    let (agents, sweep) = (findings.plan.agents.len(), &findings.plan.sweep);
    if agents < 2 {
        return Vec::new();
    }
    let mut blocks = vec![Block::Heading("How it changes with strength".to_owned())];
    let axes: Vec<usize> = (0..sweep.axes.len()).filter(|&axis| sweep.axes[axis].values.len() > 1).collect();
    for measure in BalanceMeasure::ALL {
        let plot = |lines: &[(String, Vec<Option<MeanEstimate>>)], averaged: &str| {
            let scale = if measure.is_share() { 100.0 } else { 1.0 };
            let range = |(agent, found): (usize, &Option<MeanEstimate>)| {
                let MeanEstimate { value, interval } = (*found)?;
                let [low, middle, high] = [interval.low, value, interval.high].map(|value| scale * value);
                Some(Range { name: (agent + 1).to_string(), low, middle, high })
            };
            let lines: Vec<(String, Vec<Range>)> = lines
                .iter()
                .map(|(name, found)| (name.clone(), found.iter().enumerate().filter_map(range).collect::<Vec<_>>()))
                .filter(|(_, ranges)| !ranges.is_empty())
                .collect();
            let up = if measure.is_share() { format!("{}, %", measure.name()) } else { measure.name().to_owned() };
            let even = (measure == BalanceMeasure::Score).then_some(50.0);
            (!lines.is_empty()).then(|| Block::Figure {
                svg: plots::lines(&lines, "agent", &up, even),
                caption: format!("{}{averaged}. {}.", capitalised(measure.name()), agents_by_number(findings)),
            })
        };
        for &axis in &axes {
            let line = |value: usize| {
                let found = (0..agents).map(|agent| findings.average(axis, value, agent, measure)).collect();
                (sweep.axes[axis].label(value), found)
            };
            let lines: Vec<_> = (0..sweep.axes[axis].values.len()).map(line).collect();
            let averaged = if axes.len() > 1 { ", averaged over the other parameters" } else { "" };
            blocks.extend(plot(&lines, averaged));
        }
        if axes.is_empty() {
            let line = (sweep.settings[0].label.clone(), (0..agents).map(|agent| measure.of(findings.cell(0, agent))).collect());
            blocks.extend(plot(&[line], ""));
        }
    }
    blocks
}

fn capitalised(words: &str) -> String {
    words.chars().next().into_iter().flat_map(char::to_uppercase).chain(words.chars().skip(1)).collect()
}

/// A table for each parameter, averaged over the others.
fn parameters(findings: &BalanceFindings) -> Vec<Block> {
    let sweep = &findings.plan.sweep;
    let mut blocks = Vec::new();
    for (axis, varied) in sweep.axes.iter().enumerate().filter(|(_, axis)| axis.values.len() > 1 && sweep.axes.len() > 1) {
        let row = |value: usize| {
            let mut cells = [const { String::new() }; 1 + BalanceMeasure::ALL.len()];
            cells[0] = varied.label(value);
            for (cell, measure) in cells[1..].iter_mut().zip(BalanceMeasure::ALL) {
                let found = findings.average(axis, value, findings.strongest(), measure);
                *cell = found.map_or("-".to_owned(), |found| measure.written(found));
            }
            cells
        };
        let mut head = [varied.key.as_str(); 1 + BalanceMeasure::ALL.len()];
        head[1..].copy_from_slice(&BalanceMeasure::ALL.map(BalanceMeasure::name));
        blocks.push(table(head, (0..varied.values.len()).map(row)));
    }
    if !blocks.is_empty() {
        let words = format!(
            "With {} on both sides, each parameter averaged over the other ones.",
            findings.plan.agents[findings.strongest()]
        );
        blocks.splice(0..0, [Block::Heading("How it changes with the parameters".to_owned()), Block::Paragraph(words)]);
    }
    blocks
}

fn notes(findings: &BalanceFindings) -> Vec<Block> {
    let judged = findings.cells.iter().map(|cell| cell.judged).max().unwrap_or(0);
    let repeated = findings.cells.iter().map(|cell| cell.redundancy).fold(0.0, f64::max);
    let facts = [
        ("first player's score", "its share of the points, a draw being half a point; 95 % intervals cell by cell".to_owned()),
        (
            "favoured",
            format!(
                "the player whose advantage is shown with 95 % for all {} cells together (Bonferroni); - is not distinguishable from fair",
                findings.cells.len()
            ),
        ),
        ("plies, spread", "moves of both players in a game, and their standard deviation over the games".to_owned()),
        ("legal moves", "of the player to move, averaged over a game, then over the games".to_owned()),
        (
            "lead changes",
            format!(
                "how often the lead goes to the other player in a game. Before every move {} says what it expects, and two positions in a row count together; a player is ahead from 60 % on and stays so until the other one is; the result is the last word. Over the first {judged} games of every cell",
                findings.judge
            ),
        ),
        (
            "decided after",
            "the part of a game after which its winner was ahead for good: near 0 % games are decided early, near 100 % late"
                .to_owned(),
        ),
        ("repeated games", format!("at most {} of the games of a cell repeat an earlier one", per_cent(repeated))),
    ];
    let facts = facts.map(|(name, meaning)| [name.to_owned(), meaning]).to_vec();
    vec![Block::Heading("What the figures mean".to_owned()), Block::Facts(facts)]
}

fn settings(findings: &BalanceFindings, provenance: &Provenance<'_>) -> Vec<Block> {
    let runs: Vec<&str> = findings.plan.runs.iter().map(|run| run.id.as_str()).collect();
    let facts = [
        ["agents".to_owned(), findings.plan.agents.join(" · ")],
        ["judge".to_owned(), findings.judge.clone()],
        ["openings".to_owned(), super::contents::openings(&findings.plan.runs[0].experiment.openings)],
        ["seed".to_owned(), findings.plan.runs[0].experiment.seed.to_string()],
        ["runs".to_owned(), runs.join(" ")],
        ["time".to_owned(), format!("{:.1} seconds (games that were kept are not played again)", provenance.seconds)],
        ["machine".to_owned(), provenance.machine.to_owned()],
        ["made by".to_owned(), format!("ply {}", env!("CARGO_PKG_VERSION"))],
    ];
    vec![
        Block::Heading("Settings".to_owned()),
        Block::Facts(facts.to_vec()),
        Block::Paragraph("To do it again:".to_owned()),
        Block::Code(provenance.command.to_owned()),
    ]
}
