//! `ply study FILE`: a published table, played again.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use plyground_match::{AgentFactory, Executor, Results};
use plyground_studies::study::{Finding, Study, verdict_on_all};
use serde_json::{Value, json};

use crate::args::{Global, StudyArgs};
use crate::engines::CommandResources;
use crate::executor::executor;
use crate::runs::{driver, open_store, stopped};
use crate::store::read_settings;
use plyground_terminal::interrupt;
use plyground_terminal::{Lean, columns, count, print_json, print_notes, wrapped};
use plyground_terminal::{RunView, failures, standings};

/// Where studies are, beside the program's sources.
const DIRECTORY: &str = "studies";

pub fn run(args: &StudyArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let files = if args.all {
        all_studies(args.file.as_deref().unwrap_or(Path::new(DIRECTORY)))?
    } else {
        args.file.clone().into_iter().collect()
    };
    // A mistake in the last file should not come to light after hours.
    let studies = files.iter().map(|file| read_study(file)).collect::<anyhow::Result<Vec<Study>>>()?;
    for (study, file) in studies.iter().zip(&files) {
        for part in &study.runs {
            part.run(global.seed.unwrap_or(0), &CommandResources).with_context(|| file.display().to_string())?;
        }
    }
    interrupt::catch()?;
    let executor = executor(args.threads, &args.queue, global.quiet)?;
    for (number, study) in studies.iter().enumerate() {
        if interrupt::asked() {
            break;
        }
        if number > 0 && !global.json {
            writeln!(out)?;
        }
        one(study, args, executor.as_ref(), global, out)?;
    }
    Ok(())
}

/// The study in a file.
pub fn read_study(file: &Path) -> anyhow::Result<Study> {
    Study::read(&read_settings(file)?).with_context(|| file.display().to_string())
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

fn one(study: &Study, args: &StudyArgs, executor: &dyn Executor, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let store = open_store(global)?;
    let mut findings: Vec<Finding<'_>> = Vec::new();
    for part in &study.runs {
        let run = part.run(global.seed.unwrap_or(0), &CommandResources)?;
        let jobs = study.games(part, args.games).div_ceil(u64::from(part.seats.games()));
        let summary = |results: &Results| standings(&run, results);
        let view = RunView::new(&store, global.quiet || global.json).with_summary(&summary);
        let players = AgentFactory::of_run(&CommandResources, &run);
        let (results, complete) = driver(&store, &run, executor, &players, &view).play(&part.pairings(), jobs)?;
        findings.extend(part.findings(&results));
        print_notes(&failures(&results).lines().map(str::to_owned).collect::<Vec<_>>(), global.quiet);
        print_notes(&results.uncounted(), global.quiet);
        if !complete {
            print_notes(&[stopped(&run)], global.quiet);
            break;
        }
    }
    if global.json {
        return print_json(out, &page(study, &findings));
    }
    writeln!(out, "{}\n{}\n{}\n", study.title, wrapped(&format!("From {}.", study.source), ""), wrapped(&study.question, ""))?;
    write!(out, "{}", table(&findings))?;
    writeln!(out, "\n{}", wrapped(&verdict_on_all(&findings), ""))?;
    for remark in &study.remarks {
        writeln!(out, "{}", wrapped(remark, ""))?;
    }
    Ok(())
}

fn table(findings: &[Finding<'_>]) -> String {
    let mut rows = vec![["game", "agent", "against", "", "published", "ours", "games", ""].map(str::to_owned)];
    for finding in findings {
        let [row, column] = finding.names();
        rows.push([
            finding.game.to_owned(),
            row.to_owned(),
            column.to_owned(),
            finding.measure.word().to_owned(),
            finding.published_words(),
            finding.our_words(),
            count(finding.tally.games()),
            finding.verdict_words(),
        ]);
    }
    let mut leans = [Lean::Left; 8];
    (leans[4], leans[5], leans[6]) = (Lean::Right, Lean::Right, Lean::Right);
    columns(leans, &rows)
}

fn page(study: &Study, findings: &[Finding<'_>]) -> Value {
    let found: Vec<Value> = findings
        .iter()
        .map(|finding| {
            let [row, column] = finding.names();
            let (tally, interval) = (finding.tally, finding.ours.map(|ours| ours.interval));
            json!({
                "game": finding.game,
                "row": row,
                "column": column,
                "first": finding.cell.first,
                "second": finding.cell.second,
                "measure": finding.measure.word(),
                "published": finding.published,
                "ours": finding.ours.map(|ours| ours.value),
                "low": interval.map(|interval| interval.low),
                "high": interval.map(|interval| interval.high),
                "wins": tally.wins,
                "draws": tally.draws,
                "losses": tally.losses,
                "verdict": finding.verdict_words(),
            })
        })
        .collect();
    json!({"title": study.title, "source": study.source, "question": study.question, "findings": found})
}
