//! `ply report RUN|STUDY`: a run or a study as a page that can be handed in.

use std::io::Write;
use std::path::Path;

use plyground_match::{RunRow, Store};
use plyground_session::InputError;
use plyground_studies::report::{Report, ReportFormat};

use super::study::read_study;
use crate::engines::CommandResources;
use crate::published::PublishedStudy;
use crate::runs::{find_run, open_store};
use crate::store::typed;
use plyground_args::{Global, ReportArgs};

pub fn run(args: &ReportArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let store = open_store(global)?;
    let file = Path::new(&args.subject);
    let is_study = |name: &str| PublishedStudy::named(name).is_ok();
    let (report, name) = if file.extension().is_some_and(|ending| ending == "toml") || is_study(&args.subject) {
        (on_study(&store, file, args.title.as_deref(), global)?, format!("the study {}", typed(file)))
    } else {
        let row = find_run(&store, &args.subject)?;
        (Report::on_run(&store, &row, args.title.as_deref())?, format!("run {}", row.run.id))
    };
    match &args.out {
        None if args.md => out.write_all(report.markdown().as_bytes())?,
        None => out.write_all(report.html().as_bytes())?,
        Some(file) => {
            report.write_as(if args.md { ReportFormat::Markdown } else { ReportFormat::of(file) }, file)?;
            if !global.quiet {
                writeln!(out, "the report on {name} is in {}", typed(file))?;
            }
        }
    }
    Ok(())
}

/// On what is kept of the games of a study; all of its parts must have been begun.
pub fn on_study(store: &Store, file: &Path, title: Option<&str>, global: &Global) -> anyhow::Result<Report> {
    let study = read_study(file)?;
    let known = store.runs()?;
    let mut rows: Vec<RunRow> = Vec::new();
    for part in &study.runs {
        let run = part.run(global.seed.unwrap_or(0), &CommandResources)?;
        let Some(row) = known.iter().find(|row| row.run.id == run.id) else {
            return Err(InputError::malformed(
                "study",
                &typed(file),
                format!("expected games of all its parts, found none of {}; play them: ply study {}", part.game, typed(file)),
            )
            .into());
        };
        rows.push(row.clone());
    }
    Ok(Report::on_study(store, &study, &rows, title)?)
}
