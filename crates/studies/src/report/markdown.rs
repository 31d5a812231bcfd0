//! A report as Markdown.

use super::boards::Board;
use super::{Block, Report};

pub(super) fn page(report: &Report) -> String {
    let blocks: String = report.blocks.iter().map(written).collect();
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
