//! `ply study FILE`: a published table, played again.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use plyground_lab::study::{Finding, Study, Verdict};
use plyground_lab::{Results, jobs};
use serde_json::{Value, json};

use crate::args::{Global, StudyOf};
use crate::experiments::{Conduct, open_store, share, standings};
use crate::interrupt;
use crate::store::{Files, read_text};
use crate::terminal::{Lean, columns, count, print_json, print_notes, wrapped};

/// Where studies are, beside the program's sources.
const DIRECTORY: &str = "studies";

pub fn run(args: &StudyOf, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let files = if args.all {
        all_studies(args.file.as_deref().unwrap_or(Path::new(DIRECTORY)))?
    } else {
        args.file.clone().into_iter().collect()
    };
    // A mistake in the last file should not come to light after hours.
    let read = |file: &PathBuf| Study::read(&read_text(file)?).with_context(|| file.display().to_string());
    let studies = files.iter().map(read).collect::<anyhow::Result<Vec<Study>>>()?;
    for (study, file) in studies.iter().zip(&files) {
        for part in &study.runs {
            part.run(global.seed.unwrap_or(0), &Files).with_context(|| file.display().to_string())?;
        }
    }
    interrupt::catch()?;
    for study in &studies {
        if interrupt::asked() {
            break;
        }
        one(study, args, global, out)?;
    }
    Ok(())
}

fn all_studies(directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory).with_context(|| format!("cannot read the directory {}", directory.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    if files.is_empty() {
        bail!("{}: expected files that end in .toml, found none", directory.display());
    }
    Ok(files)
}

fn one(study: &Study, args: &StudyOf, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let store = open_store(global)?;
    let mut played: Vec<(usize, Results)> = Vec::new();
    for (number, part) in study.runs.iter().enumerate() {
        let run = part.run(global.seed.unwrap_or(0), &Files)?;
        let mut all = Vec::new();
        for (agents, pairs) in part.meetings(args.games.unwrap_or(study.games)) {
            all.extend(jobs(&run, &[agents], 0..pairs)?);
        }
        // The first pairs of all meetings first, so that a study that is stopped has something to say about each.
        all.sort_by_key(|job| job.pair);
        let conduct = Conduct {
            store: &store,
            run: &run,
            threads: args.threads,
            quiet: global.quiet || global.json,
            summary: &|results| standings(&run, results),
            enough: &|_| false,
        };
        let (results, complete) = conduct.play(&all)?;
        played.push((number, results));
        if !complete {
            print_notes(&["stopped; the same command goes on".to_owned()], global.quiet);
            break;
        }
    }
    let findings: Vec<Finding<'_>> = played.iter().flat_map(|(number, results)| study.runs[*number].findings(results)).collect();
    if global.json {
        return print_json(out, &page(study, &findings));
    }
    writeln!(out, "{}\n{}\n{}\n", study.title, wrapped(&format!("From {}.", study.source), ""), wrapped(&study.question, ""))?;
    write!(out, "{}", table(&findings))?;
    writeln!(out, "\n{}", wrapped(&verdict(&findings), ""))?;
    for remark in &study.remarks {
        writeln!(out, "{}", wrapped(remark, ""))?;
    }
    writeln!(out)?;
    Ok(())
}

fn names<'a>(finding: &Finding<'a>) -> [&'a str; 2] {
    let cell = finding.cell;
    [cell.row.as_deref().unwrap_or(&cell.first), cell.column.as_deref().unwrap_or(&cell.second)]
}

fn table(findings: &[Finding<'_>]) -> String {
    let mut rows = vec![["game", "agent", "against", "published", "ours", "games", ""].map(str::to_owned)];
    for finding in findings {
        let [row, column] = names(finding);
        let published = finding.cell.published().map_or("-".to_owned(), |published| share(published.share));
        let ours = finding.tally.score().map_or("-".to_owned(), |score| format!("{} {}", share(score), finding.interval));
        rows.push([
            finding.game.to_owned(),
            row.to_owned(),
            column.to_owned(),
            published,
            ours,
            count(finding.tally.games()),
            word(finding.verdict),
        ]);
    }
    let mut leans = [Lean::Left; 7];
    (leans[3], leans[4], leans[5]) = (Lean::Right, Lean::Right, Lean::Right);
    columns(leans, &rows)
}

fn word(verdict: Verdict) -> String {
    match verdict {
        Verdict::Agrees => "agrees".to_owned(),
        Verdict::Differs(by) => format!("differs by {:+.1}", 100.0 * by),
        Verdict::New => "new".to_owned(),
    }
}

/// How many cells agree, and how many would differ by chance alone.
fn verdict(findings: &[Finding<'_>]) -> String {
    let compared: Vec<&Finding<'_>> = findings.iter().filter(|finding| finding.verdict != Verdict::New).collect();
    if compared.is_empty() {
        return "Nothing was published to compare with.".to_owned();
    }
    let agree = compared.iter().filter(|finding| finding.verdict == Verdict::Agrees).count();
    format!(
        "{agree} of {} cells agree with the published figures; with equal agents about {:.0} would differ by chance.",
        compared.len(),
        compared.len() as f64 * 0.05
    )
}

fn page(study: &Study, findings: &[Finding<'_>]) -> Value {
    let cells: Vec<Value> = findings
        .iter()
        .map(|finding| {
            let [row, column] = names(finding);
            let tally = finding.tally;
            json!({
                "game": finding.game,
                "row": row,
                "column": column,
                "first": finding.cell.first,
                "second": finding.cell.second,
                "published": finding.cell.published().map(|published| published.share),
                "wins": tally.wins,
                "draws": tally.draws,
                "losses": tally.losses,
                "score": tally.score(),
                "score_low": finding.interval.low,
                "score_high": finding.interval.high,
                "verdict": word(finding.verdict),
            })
        })
        .collect();
    json!({"title": study.title, "source": study.source, "question": study.question, "cells": cells})
}
