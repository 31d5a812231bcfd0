//! `ply games`: what can be played.

use std::io::Write;

use plyground_session::{GameInfo, KeyInfo, infos};
use serde_json::{Value, json};

use plyground_args::Global;
use plyground_terminal::{key_list, print_json, wrapped};

pub fn run(global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    if global.json {
        return print_json(out, &json!({ "games": infos().into_iter().map(game_json).collect::<Vec<_>>() }));
    }
    for info in infos() {
        writeln!(out, "{}: {}", info.name, info.title)?;
        writeln!(out, "{}", wrapped(info.summary, "    "))?;
        for alias in info.aliases {
            writeln!(out, "    {} is {}:{}", alias.name, info.name, alias.params)?;
        }
        write!(out, "{}", key_list(info.keys, "    "))?;
        writeln!(out, "{}\n", wrapped(&format!("e.g. {}", info.samples.join("  ")), "    "))?;
    }
    if !global.quiet {
        writeln!(out, "Sizes are COLUMNSxROWS. The rules: ply rules GAME. To play: ply play GAME.")?;
    }
    Ok(())
}

fn game_json(info: &GameInfo) -> Value {
    json!({
        "name": info.name,
        "title": info.title,
        "summary": info.summary,
        "players": info.players,
        "aliases": info.aliases.iter().map(|alias| json!({"name": alias.name, "keys": alias.params})).collect::<Vec<_>>(),
        "keys": info.keys.iter().map(key_json).collect::<Vec<_>>(),
        "samples": info.samples,
        "notation": info.notation,
    })
}

pub fn key_json(key: &KeyInfo) -> Value {
    json!({"key": key.key, "value": key.value, "default": key.default, "meaning": key.meaning})
}
