//! `ply rules GAME`: a page of rules with an example.

use std::io::Write;

use plyground_session::{MoveSquares, draw_board, draw_counters, info, open, split_spec};
use serde_json::json;

use plyground_args::{Global, RulesArgs};
use plyground_terminal::{key_list, print_json, wrapped};

pub fn run(args: &RulesArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let (name, _) = split_spec(&args.game);
    let info = info(name)?;
    // Parameters are allowed here as everywhere, and so they are checked.
    open(&args.game, None)?;
    if global.json {
        let example = json!({"position": info.example.position, "caption": info.example.caption});
        let page = json!({
            "name": info.name, "title": info.title, "rules": info.rules, "notation": info.notation, "example": example,
        });
        return print_json(out, &page);
    }
    writeln!(out, "{}\n{}\n", info.title, "=".repeat(info.title.chars().count()))?;
    for paragraph in info.rules.split("\n\n") {
        writeln!(out, "{}\n", wrapped(paragraph, ""))?;
    }
    writeln!(out, "{}\n", wrapped(&format!("Notation. {}", info.notation), ""))?;
    writeln!(out, "Parameters, as in {}:", info.samples[info.samples.len() - 1])?;
    write!(out, "{}", key_list(info.keys, "    "))?;
    let example = open(info.name, Some(info.example.position))?;
    let view = example.view();
    writeln!(out, "\nAn example: {}\n", info.example.position)?;
    write!(out, "{}", draw_board(&view, &MoveSquares::default()))?;
    write!(out, "{}", draw_counters(&view, info.players))?;
    writeln!(out, "{}", wrapped(info.example.caption, ""))?;
    Ok(())
}
