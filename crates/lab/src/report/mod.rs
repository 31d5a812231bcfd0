//! A run as a page that can be handed in: what was asked, what came out, how sure that is, and how to do it again.
//!
//! A report is a list of blocks; [`html`] and [`markdown`] write the same blocks in two ways.

mod boards;
mod contents;
mod html;
mod judged;
mod markdown;
mod plots;
mod tuned;

pub use judged::{Occasion, Played};
pub use tuned::{Path, Points, Tuned};

use crate::judge::Findings;
use crate::{LabError, RunRow, Store};

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

/// What a page begins with, and its parts.
struct Report {
    title: String,
    subtitle: String,
    blocks: Vec<Block>,
}

/// The report on a run as one HTML page that needs no other file. Without a title, its heading is the question that the run answers.
pub fn html(store: &Store, row: &RunRow, title: Option<&str>) -> Result<String, LabError> {
    Ok(html::page(&contents::report(store, row, title)?))
}

/// The same as Markdown: text, tables and boards, without the plots.
pub fn markdown(store: &Store, row: &RunRow, title: Option<&str>) -> Result<String, LabError> {
    Ok(markdown::page(&contents::report(store, row, title)?))
}

/// What judging has found as one HTML page; `played` are games to compare it with.
pub fn judged_html(findings: &Findings, played: Option<&Played>, occasion: &Occasion<'_>) -> Result<String, LabError> {
    Ok(html::page(&judged::report(findings, played, occasion)?))
}

/// What tuning has found as one HTML page.
pub fn tuned_html(tuned: &Tuned, occasion: &Occasion<'_>) -> Result<String, LabError> {
    Ok(html::page(&tuned::report(tuned, occasion)?))
}
