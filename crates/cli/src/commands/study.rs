//! `ply study NAME`: a published table, played again.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use plyground_match::{AgentFactory, Executor, Results};
use plyground_studies::report::ReportFormat;
use plyground_studies::study::{Finding, Study};
use plyground_studies::verdict::{LEGEND, verdict_on_all};
use serde_json::{Value, json};

use super::report::on_study;
use crate::engines::CommandResources;
use crate::executor::executor;
use crate::published::{PublishedStudy, studies};
use crate::runs::{driver, is_path, open_store, stopped};
use crate::store::{read_settings, typed};
use plyground_args::{Global, StudyArgs};
use plyground_terminal::interrupt;
use plyground_terminal::{Lean, columns, count, print_json, print_notes, wrapped};
use plyground_terminal::{RunView, failures, standings};

/// Where studies are, beside the program's sources.
const DIRECTORY: &str = "studies";

pub fn run(args: &StudyArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let names: Vec<PathBuf> = match &args.file {
        None if !args.all => return list(global, out),
        Some(name) if !args.all => vec![name.clone()],
        Some(directory) => all_studies(directory)?,
        None if Path::new(DIRECTORY).is_dir() => all_studies(Path::new(DIRECTORY))?,
        None => studies().iter().map(|study| study.name.into()).collect(),
    };
    // A mistake in the last one should not come to light after hours.
    let studies = names.iter().map(|name| read_study(name)).collect::<anyhow::Result<Vec<Study>>>()?;
    for (study, name) in studies.iter().zip(&names) {
        for part in &study.runs {
            part.run(global.seed.unwrap_or(0), &CommandResources).with_context(|| name.display().to_string())?;
        }
    }
    interrupt::catch()?;
    let executor = executor(args.threads, &args.fleet, global.quiet)?;
    for (number, study) in studies.iter().enumerate() {
        if interrupt::asked() {
            break;
        }
        if number > 0 && !global.json {
            writeln!(out)?;
        }
        one(study, args, executor.as_ref(), global, out)?;
    }
    match (&args.out, &names[..]) {
        (Some(file), [name]) if !interrupt::asked() => write_report(name, file, global, out),
        _ => Ok(()),
    }
}

/// The page about what was played.
fn write_report(name: &Path, file: &Path, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    on_study(&open_store(global)?, name, None, global)?.write_as(ReportFormat::of(file), file)?;
    if !global.quiet && !global.json {
        writeln!(out, "\nthe report on the study {} is in {}", typed(name), typed(file))?;
    }
    Ok(())
}

/// The study in a file, or the one of this name that comes with the program.
pub fn read_study(name: &Path) -> anyhow::Result<Study> {
    let text = if name.exists() || name == Path::new("-") {
        read_settings(name)?
    } else {
        match PublishedStudy::named(&name.display().to_string()) {
            Ok(study) => study.text.to_owned(),
            // What is written like a path was meant as one.
            Err(_) if is_path(name) => read_settings(name)?,
            Err(error) => return Err(error.into()),
        }
    };
    Study::read(&text).with_context(|| name.display().to_string())
}

/// The studies that come with the program.
fn list(global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let mut rows = vec![["study", "title"].map(str::to_owned)];
    for study in studies() {
        rows.push([study.name.to_owned(), Study::read(study.text).with_context(|| study.name)?.title]);
    }
    if global.json {
        return print_json(out, &rows[1..].iter().map(|[name, title]| json!({"name": name, "title": title})).collect());
    }
    write!(out, "{}", columns([Lean::Left, Lean::Left], &rows))?;
    if !global.quiet {
        writeln!(out, "\nPlay one with: ply study {}", rows.last().map_or("NAME", |[name, _]| name))?;
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
    writeln!(out, "\n{}", wrapped(&verdict_on_all(findings.iter().map(|finding| finding.verdict)), ""))?;
    if findings.iter().any(|finding| finding.published.is_some()) {
        writeln!(out, "{}", wrapped(LEGEND, ""))?;
    }
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
