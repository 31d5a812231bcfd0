//! A report as HTML: well-formed, with everything in it, readable on a phone and on paper.

use std::fmt::Write as _;

use super::boards::Board;
use super::{Block, Report};

const STYLE: &str = "
:root { color-scheme: light; }
body { margin: 0; background: #f4f5f7; color: #1d2330; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem clamp(1rem, 4vw, 3rem) 3rem; background: #fff; }
h1 { font-size: clamp(1.4rem, 4vw, 2rem); line-height: 1.25; margin: 0.5rem 0 0.2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 0.6rem; padding-top: 0.6rem; border-top: 1px solid #d7dbe3; }
.subtitle { color: #545d70; margin: 0 0 1.2rem; }
.scroll { overflow-x: auto; margin: 0.8rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.92rem; }
th, td { padding: 0.3rem 0.9rem 0.3rem 0; text-align: right; vertical-align: top; border-bottom: 1px solid #e4e7ed; }
th { color: #454e60; font-weight: 600; }
th:not(:first-child), td:not(:first-child) { white-space: nowrap; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; min-width: 9rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.2rem; font-size: 0.92rem; }
dt { color: #454e60; font-weight: 600; }
dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 1.2rem 0; }
figure svg { display: block; }
.scroll svg { width: 100%; min-width: 34rem; height: auto; }
figcaption { color: #454e60; font-size: 0.92rem; margin-top: 0.3rem; }
pre { background: #f4f5f7; border: 1px solid #e4e7ed; border-radius: 6px; padding: 0.6rem 0.8rem; margin: 0.8rem 0;
  white-space: pre-wrap; overflow-wrap: anywhere; font: 0.88rem/1.45 ui-monospace, monospace; }
.boards { display: flex; flex-wrap: wrap; gap: 1rem 1.5rem; margin: 0.8rem 0; }
.boards figure { margin: 0; }
@media print { body, main { background: #fff; } main { max-width: none; padding: 0; } figure, table { break-inside: avoid; } }
";

/// Text in which nothing can be taken for a tag.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

pub(super) fn page(report: &Report) -> String {
    let mut text = String::new();
    let _ = write!(
        text,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
        <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n<title>{}</title>\n<style>{STYLE}</style>\n\
        </head>\n<body>\n<main>\n<h1>{}</h1>\n<p class=\"subtitle\">{}</p>\n",
        escaped(&report.title),
        escaped(&report.title),
        escaped(&report.subtitle),
    );
    report.blocks.iter().for_each(|block| text += &written(block));
    text + "</main>\n</body>\n</html>\n"
}

fn written(block: &Block) -> String {
    match block {
        Block::Heading(heading) => format!("<h2>{}</h2>\n", escaped(heading)),
        Block::Paragraph(words) => format!("<p>{}</p>\n", escaped(words)),
        Block::Facts(facts) => {
            let line = |[name, value]: &[String; 2]| format!("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value));
            format!("<dl>\n{}</dl>\n", facts.iter().map(line).collect::<String>())
        }
        Block::Code(code) => format!("<pre>{}</pre>\n", escaped(code)),
        Block::Figure { svg, caption } => {
            format!("<figure><div class=\"scroll\">{svg}</div><figcaption>{}</figcaption></figure>\n", escaped(caption))
        }
        Block::Boards(boards) => {
            let figure =
                |board: &Board| format!("<figure>{}<figcaption>{}</figcaption></figure>\n", board.svg, escaped(&board.caption));
            format!("<div class=\"boards\">\n{}</div>\n", boards.iter().map(figure).collect::<String>())
        }
        Block::Table(rows) => {
            let row = |cells: &Vec<String>, tag: &str| {
                let cell = |cell: &String| format!("<{tag}>{}</{tag}>", escaped(cell));
                format!("<tr>{}</tr>\n", cells.iter().map(cell).collect::<String>())
            };
            let (head, body) = rows.split_first().expect("a table has a first row");
            let body: String = body.iter().map(|cells| row(cells, "td")).collect();
            format!(
                "<div class=\"scroll\"><table>\n<thead>{}</thead>\n<tbody>\n{body}</tbody>\n</table></div>\n",
                row(head, "th")
            )
        }
    }
}
