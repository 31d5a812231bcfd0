//! `ply study FILE`: a published table, played again.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use plyground_lab::Book;
use plyground_lab::statistics::{CONFIDENCE, Interval, per_cent};
use plyground_lab::study::{Finding, Measure, Study, Verdict};
use serde_json::{Value, json};

use crate::args::{Global, StudyOf};
use crate::experiments::{Conduct, open_store, standings, stopped};
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
    for (number, study) in studies.iter().enumerate() {
        if interrupt::asked() {
            break;
        }
        if number > 0 && !global.json {
            writeln!(out)?;
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
    let mut findings: Vec<Finding<'_>> = Vec::new();
    for part in &study.runs {
        let run = part.run(global.seed.unwrap_or(0), &Files)?;
        let jobs = study.games(part, args.games).div_ceil(u64::from(part.seats.games()));
        let conduct = Conduct {
            store: &store,
            run: &run,
            threads: args.threads,
            quiet: global.quiet || global.json,
            summary: &|results| standings(&run, results),
            enough: &|_| false,
        };
        let (results, complete) = conduct.play(&mut Book::new(&run.experiment)?, &part.pairings(), jobs)?;
        findings.extend(part.findings(&results));
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
    writeln!(out, "\n{}", wrapped(&verdict(&findings), ""))?;
    for remark in &study.remarks {
        writeln!(out, "{}", wrapped(remark, ""))?;
    }
    Ok(())
}

fn names<'a>(finding: &Finding<'a>) -> [&'a str; 2] {
    let cell = finding.cell;
    [cell.row.as_deref().unwrap_or(&cell.first), cell.column.as_deref().unwrap_or(&cell.second)]
}

/// A share in per cent, plies as they are.
fn number(measure: Measure, value: f64) -> String {
    if measure == Measure::Plies { format!("{value:.1}") } else { per_cent(value) }
}

fn table(findings: &[Finding<'_>]) -> String {
    let mut rows = vec![["game", "agent", "against", "", "published", "ours", "games", ""].map(str::to_owned)];
    for finding in findings {
        let ([row, column], measure) = (names(finding), finding.measure);
        rows.push([
            finding.game.to_owned(),
            row.to_owned(),
            column.to_owned(),
            measure.word().to_owned(),
            finding.published.map_or("-".to_owned(), |published| number(measure, published)),
            finding
                .ours
                .map_or("-".to_owned(), |ours| format!("{} {}", number(measure, ours.value), range(measure, ours.interval))),
            count(finding.tally.games()),
            word(finding),
        ]);
    }
    let mut leans = [Lean::Left; 8];
    (leans[4], leans[5], leans[6]) = (Lean::Right, Lean::Right, Lean::Right);
    columns(leans, &rows)
}

fn range(measure: Measure, interval: Interval) -> String {
    if measure == Measure::Plies { format!("[{:.1}, {:.1}]", interval.low, interval.high) } else { interval.to_string() }
}

fn word(finding: &Finding<'_>) -> String {
    match finding.verdict {
        Verdict::Agrees => "agrees".to_owned(),
        Verdict::Differs(by) => {
            let scale = if finding.measure == Measure::Plies { 1.0 } else { 100.0 };
            format!("differs by {:+.1} {}", scale * by.value, range(finding.measure, by.interval))
        }
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
        "{agree} of {} published figures agree with ours; with the same agents about {:.1} would differ by chance.",
        compared.len(),
        compared.len() as f64 * (1.0 - CONFIDENCE)
    )
}

fn page(study: &Study, findings: &[Finding<'_>]) -> Value {
    let found: Vec<Value> = findings
        .iter()
        .map(|finding| {
            let [row, column] = names(finding);
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
                "verdict": word(finding),
            })
        })
        .collect();
    json!({"title": study.title, "source": study.source, "question": study.question, "findings": found})
}
