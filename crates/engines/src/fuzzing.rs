//! The parsers of what other programs write, and of commands that people type, for the fuzz targets (`fuzz/`).

use std::sync::atomic::AtomicU64;
use std::sync::mpsc::sync_channel;

use plyground_session::EngineInfo;

use crate::client::{option_name, read_info};
use crate::command::Command;
use crate::process::read_lines;
use crate::uci::Variant;

/// The lines of the output of an engine, as they are cut and decoded.
pub fn engine_lines(output: &[u8]) -> Vec<String> {
    let (sender, lines) = sync_channel(output.len() + 1);
    read_lines(output, &sender, &AtomicU64::new(0));
    drop(sender);
    lines.into_iter().collect()
}

/// The names of the options in these lines, and what their `info` lines say in the end.
pub fn engine_report(lines: &[String]) -> (Vec<String>, EngineInfo) {
    let mut latest = EngineInfo::default();
    for info in lines.iter().filter_map(|line| line.strip_prefix("info ")) {
        read_info(info, &mut latest);
    }
    (lines.iter().filter_map(|line| option_name(line)).collect(), latest)
}

/// The words of a command behind `cmd:`, if it is accepted. The program is looked for, and not started.
pub fn command_words(text: &str) -> Option<Vec<String>> {
    Command::parse(text).ok().map(|command| command.words)
}

/// A position of a game as a UCI program is told it.
pub fn uci_position(game: &str, position: &str) -> Option<String> {
    Variant::of(game, None).ok()?.fen(position)
}
