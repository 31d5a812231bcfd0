//! A report as Markdown: a page, and the plots that it links to as SVG files of their own.

use super::boards::Board;
use super::html::escaped;
use super::{Block, Report};

/// A plot of a page.
pub(super) struct Plot {
    /// The name of its file, in the folder [`PLOTS`].
    pub name: String,
    /// The content of its file.
    pub svg: String,
}

/// The folder of the plots, beside the page.
pub(super) const PLOTS: &str = "plots";

/// The page without plots.
pub(super) fn page(report: &Report) -> String {
    let blocks: String = report.blocks.iter().map(written).collect();
    headed(report, &blocks)
}

/// The page of a file with this name (without its ending), and its plots, numbered from 1.
pub(super) fn page_with_plots(report: &Report, stem: &str) -> (String, Vec<Plot>) {
    let (mut blocks, mut plots) = (String::new(), Vec::new());
    for block in &report.blocks {
        let Block::Figure { svg, caption } = block else {
            blocks += &written(block);
            continue;
        };
        let name = format!("{stem}-{}.svg", plots.len() + 1);
        let short = caption.split([':', ';']).next().unwrap_or(caption).trim_end_matches('.').replace(['[', ']'], "");
        blocks += &format!("![{short}]({PLOTS}/{})\n\n*{caption}*\n\n", address(&name));
        plots.push(Plot { svg: on_its_own(svg, caption), name });
    }
    (headed(report, &blocks), plots)
}

/// A plot as a file: with a title, and on white ground, because a page around it may be dark.
fn on_its_own(svg: &str, caption: &str) -> String {
    let end = svg.find('>').map_or(0, |end| end + 1);
    let (tag, drawing) = svg.split_at(end);
    let ground = "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>";
    format!("{tag}\n<title>{}</title>\n{ground}{drawing}\n", escaped(caption))
}

/// A file's name as part of an address.
fn address(name: &str) -> String {
    let part = |byte: u8| match byte {
        b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    name.bytes().map(part).collect()
}

fn headed(report: &Report, blocks: &str) -> String {
    format!("# {}\n\n{}\n\n{blocks}", report.title, report.subtitle)
}

fn written(block: &Block) -> String {
    match block {
        Block::Heading(heading) => format!("## {heading}\n\n"),
        Block::Paragraph(words) => format!("{words}\n\n"),
        Block::Code(code) => format!("```\n{code}\n```\n\n"),
        Block::Facts(facts) => {
            let line = |[name, value]: &[String; 2]| format!("- {name}: {value}\n");
            facts.iter().map(line).collect::<String>() + "\n"
        }
        Block::Figure { .. } => String::new(),
        Block::Boards(boards) => {
            let picture = |board: &Board| format!("{}:\n\n```\n{}```\n\n", board.caption, board.text);
            boards.iter().map(picture).collect()
        }
        Block::Table(rows) => {
            let line = |cells: &Vec<String>| {
                let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
                format!("| {} |\n", cells.join(" | "))
            };
            let (head, body) = rows.split_first().expect("a table has a first row");
            let rule = format!("|---|{}\n", "---:|".repeat(head.len() - 1));
            line(head) + &rule + &body.iter().map(line).collect::<String>() + "\n"
        }
    }
}
