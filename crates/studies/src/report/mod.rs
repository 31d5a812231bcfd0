//! Reports on runs and studies: the question, the result with its intervals, and the command that repeats it.
//!
//! A report is a list of blocks, which are written as HTML or as Markdown ([`Report::write`]).

mod balanced;
mod boards;
mod competed;
mod contents;
mod html;
mod judged;
mod markdown;
mod plots;
mod published;
mod trained;
mod tuned;

pub use judged::Played;
pub use trained::{Trained, TrainedVariant};
pub use tuned::{GridPoint, Tuned, TuningPath};

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;

use crate::study::Study;
use crate::{balance, judge};
use crate::{competition::Bout, competition::Competition, competition::Ranking};
use plyground_match::{Run, RunError, RunRow, Store, write_whole};

/// A part of a report.
enum Block {
    Heading(String),
    Paragraph(String),
    /// The first row names the columns; the first column names the rows.
    Table(Vec<Vec<String>>),
    /// Names and what they stand for.
    Facts(Vec<[String; 2]>),
    /// Something to type, or moves.
    Code(String),
    Figure {
        /// An SVG element.
        svg: String,
        caption: String,
    },
    /// Positions of one game, in their order.
    Boards(Vec<boards::Board>),
}

/// A format of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    /// One page that needs no other file.
    Html,
    /// A page, and its plots as SVG files in the folder `plots` beside it, which a code host shows.
    Markdown,
}

impl ReportFormat {
    /// The format that a file's ending asks for: Markdown for `.md`, HTML for any other.
    pub fn of(file: &Path) -> Self {
        let is_markdown = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"));
        if is_markdown { Self::Markdown } else { Self::Html }
    }
}

/// The provenance of a result: command, machine and time.
pub struct Provenance<'a> {
    /// The command.
    pub command: &'a str,
    /// The machine.
    pub machine: &'a str,
    /// The seconds that it took.
    pub seconds: f64,
}

/// A report: title, subtitle and blocks.
pub struct Report {
    title: String,
    subtitle: String,
    blocks: Vec<Block>,
}

impl Report {
    /// The report on a run. Without a title, its heading is the question that the run answers.
    pub fn on_run(store: &Store, row: &RunRow, title: Option<&str>) -> Result<Self, RunError> {
        contents::report(store, row, title)
    }

    /// The report on a study whose parts were played as these runs: the published numbers and ours side by side.
    pub fn on_study(store: &Store, study: &Study, rows: &[RunRow], title: Option<&str>) -> Result<Self, RunError> {
        published::report(store, study, rows, title)
    }

    /// The report on the balance of a game.
    pub fn on_balance(findings: &balance::BalanceFindings, provenance: &Provenance<'_>) -> Result<Self, RunError> {
        balanced::report(findings, provenance)
    }

    /// The report on judged evaluations; `played` are games to compare them with.
    pub fn on_judging(
        findings: &judge::JudgeFindings,
        played: Option<&Played>,
        provenance: &Provenance<'_>,
    ) -> Result<Self, RunError> {
        judged::report(findings, played, provenance)
    }

    /// The report on a tuning.
    pub fn on_tuning(tuned: &Tuned, provenance: &Provenance<'_>) -> Result<Self, RunError> {
        tuned::report(tuned, provenance)
    }

    /// The report on trainings, side by side.
    pub fn on_training(trained: &Trained, provenance: &Provenance<'_>) -> Result<Self, RunError> {
        trained::report(trained, provenance)
    }

    /// The page of a competition, as far as it is played.
    pub fn on_competition(
        competition: &Competition,
        run: &Run,
        bouts: &[Bout],
        ranking: &Ranking,
        provenance: &Provenance<'_>,
    ) -> Self {
        competed::report(competition, run, bouts, ranking, provenance)
    }

    /// One HTML page that needs no other file.
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// The same as Markdown: text, tables and boards, without the plots, which would be files of their own.
    pub fn markdown(&self) -> String {
        markdown::page(self)
    }

    /// Writes the report to a file, in the format that its ending asks for.
    pub fn write(&self, file: &Path) -> Result<(), RunError> {
        self.write_as(ReportFormat::of(file), file)
    }

    /// Writes the report to a file, in this format. Beside a pipe or a device there is no place for plots.
    pub fn write_as(&self, format: ReportFormat, file: &Path) -> Result<(), RunError> {
        let is_device = fs::metadata(file).is_ok_and(|metadata| !metadata.is_file());
        match (format, file.file_stem().map(OsStr::to_string_lossy)) {
            (ReportFormat::Html, _) => write_whole(file, self.html()),
            (ReportFormat::Markdown, Some(stem)) if !is_device => {
                let (page, plots) = markdown::page_with_plots(self, &stem);
                let folder = file.with_file_name(markdown::PLOTS);
                if !plots.is_empty() {
                    make_folder(&folder)?;
                }
                plots.iter().try_for_each(|plot| write_whole(&folder.join(&plot.name), &plot.svg))?;
                write_whole(file, page)
            }
            (ReportFormat::Markdown, _) => write_whole(file, self.markdown()),
        }
    }
}

/// Makes a folder if it is not there; the one around it must be.
fn make_folder(folder: &Path) -> Result<(), RunError> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(RunError::Write { file: folder.to_owned(), error }),
        _ => Ok(()),
    }
}
