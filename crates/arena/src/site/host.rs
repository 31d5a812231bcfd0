//! The page of the host: what goes on, and what may be done about it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path as FilePath;

use axum::extract::multipart::Multipart;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use plyground_core::sync::lock;
use plyground_match::{GameRow, RunPrefix, seconds_now};
use plyground_session::JSON_LINES;

use super::html::Html;
use super::pages::moment;
use super::{Form, Shared, download, fresh, nothing, said};
use crate::arena::Arena;
use crate::bots::bot_of;
use crate::journal::{Event, VersionState};
use crate::settings::LEAGUES;

pub(super) async fn page(State(arena): Shared, Path(key): Path<String>) -> Response {
    if !arena.is_host(&key) {
        return nothing();
    }
    let written = tokio::task::spawn_blocking(move || write(&arena, &key)).await;
    written.map_or_else(|_| nothing(), fresh)
}

fn write(arena: &Arena, key: &str) -> String {
    let mut html = Html::default();
    let here = format!("/host/{key}");
    let known = lock(&arena.journal).known.clone();
    html.element("h1", &arena.settings.title);
    html.raw("<p>Players join with the code <span class=\"code\">").text(&arena.code).raw("</span></p>\n");
    html.raw(
        "<p class=\"note\">The address of this page is the key of the host: show it to nobody, and not on the projector.</p>\n",
    );
    html.raw("<nav><a href=\"/\">Ladder</a><a href=\"/projector\">Projector</a><a href=\"").text(&here);
    html.raw("/marks.csv\">Marks (CSV)</a><a href=\"").text(&here).raw("/games.jsonl\">All games</a></nav>\n");
    html.live("state", |html| state(arena, html));
    html.raw("<p>");
    let word = |on: bool, yes: &'static str, no: &'static str| if on { yes } else { no };
    html.button(&here, word(known.paused, "Go on", "Pause the ladder"), &[("act", word(known.paused, "resume", "pause"))]);
    html.button(
        &here,
        word(known.frozen, "Take uploads again", "Freeze: no more uploads"),
        &[("act", word(known.frozen, "thaw", "freeze"))],
    );
    if known.finalists.is_none() {
        html.button(&here, &format!("Start the final of the best {}", arena.settings.finalists), &[("act", "final")]);
    }
    html.raw("</p>\n");
    if known.finalists.is_some() {
        html.raw("<p class=\"note\">The final: <a href=\"/final\">its table</a></p>\n");
    }
    html.element("h2", "Players");
    html.columns(&["", "name", "league", "version", "joined", ""]);
    for (id, player) in &known.players {
        let version = player.versions.last().map_or("–".to_owned(), |last| {
            let state = match &last.state {
                VersionState::Checking => "is checked",
                VersionState::Passed => "passed",
                VersionState::Refused(_) => "refused",
            };
            format!("v{} {state}", last.number)
        });
        html.raw("<tr>");
        for cell in [&id.to_string(), &player.name, &LEAGUES[player.league].to_owned(), &version, &moment(player.joined)] {
            html.raw("<td>").text(cell).raw("</td>");
        }
        html.raw("<td>");
        let number = id.to_string();
        let ban = word(player.banned, "unban", "ban");
        html.button(&here, word(player.banned, "Let in again", "Ban"), &[("act", ban), ("player", &number)]);
        html.button(&here, "New link", &[("act", "rekey"), ("player", &number)]);
        html.raw("</td></tr>\n");
    }
    html.end_table();
    html.element("p", format!("Everything is in one folder, {}: a copy of it is a backup.", arena.folder.display()));
    html.page("Host")
}

fn state(arena: &Arena, html: &mut Html) {
    let results = lock(&arena.ladder.results);
    let (games, faults, seconds) = (results.games, results.faults, results.thinking / 1e3);
    drop(results);
    let boards = lock(&arena.ladder.boards);
    html.element("h2", "Now");
    html.columns(&["", ""]);
    html.row(&[&"Games played", &games]);
    html.row(&[&"Lost by faults", &faults]);
    html.row(&[&"Thinking in a game, on the average", &format!("{:.2} s", if games > 0 { seconds / games as f64 } else { 0.0 })]);
    html.row(&[&"Boards", &format!("{} of {} are playing", boards.running.len(), arena.settings.boards)]);
    html.row(&[&"Challenges that wait", &boards.wanted.len()]);
    let trouble = boards.trouble.clone();
    drop(boards);
    html.row(&[&"Uploads that wait for their check", &lock(&arena.waiting).len()]);
    html.row(&[&"The folder", &format!("{:.1} MB", folder_size(&arena.folder) as f64 / 1e6)]);
    html.row(&[&"Sandbox", &arena.sandbox()]);
    html.end_table();
    if let Some(trouble) = trouble {
        html.raw("<p class=\"bad\">Last trouble: ").text(trouble).raw("</p>\n");
    }
}

fn folder_size(folder: &FilePath) -> u64 {
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_dir() => folder_size(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    };
    fs::read_dir(folder).into_iter().flatten().flatten().map(size).sum()
}

pub(super) async fn act(State(arena): Shared, Path(key): Path<String>, parts: Multipart) -> Response {
    if !arena.is_host(&key) {
        return nothing();
    }
    let back = format!("/host/{key}");
    let form = match Form::read(parts).await {
        Ok(form) => form,
        Err((status, words)) => return said(status, "Not done", &words, &back),
    };
    let time = seconds_now();
    let player = form.field("player").parse::<u32>().ok();
    let done = match (form.field("act"), player) {
        ("pause", _) => arena.note(Event::Paused { paused: true, time }),
        ("resume", _) => arena.note(Event::Paused { paused: false, time }),
        ("freeze", _) => arena.note(Event::Frozen { frozen: true, time }),
        ("thaw", _) => arena.note(Event::Frozen { frozen: false, time }),
        ("ban", Some(player)) => arena.note(Event::Banned { player, banned: true, time }),
        ("unban", Some(player)) => arena.note(Event::Banned { player, banned: false, time }),
        ("final", _) => arena.start_final(),
        ("rekey", Some(player)) => {
            return match arena.rekey(player) {
                Ok(key) => {
                    let mut html = Html::default();
                    html.element("h1", "A new link")
                        .element("p", "The old one is worth nothing any more. Give the player this one:");
                    html.raw("<p class=\"key\"><a href=\"/p/").text(&key).raw("\">/p/").text(&key).raw("</a></p>\n<p><a href=\"");
                    html.text(&back).raw("\">Back</a></p>\n");
                    fresh(html.page("A new link"))
                }
                Err(words) => said(StatusCode::INTERNAL_SERVER_ERROR, "Not done", &words, &back),
            };
        }
        _ => Err("Expected one of the buttons of the page.".to_owned()),
    };
    match done {
        Ok(()) => Redirect::to(&back).into_response(),
        Err(words) => said(StatusCode::BAD_REQUEST, "Not done", &words, &back),
    }
}

/// A field of a table of marks: quoted, and never a formula of a spreadsheet.
fn field(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

pub(super) async fn marks(State(arena): Shared, Path(key): Path<String>) -> Response {
    if !arena.is_host(&key) {
        return nothing();
    }
    let mut text = "player,name,league,version,rating,error,games,won,drawn,lost,faults\n".to_owned();
    for (standing, rating, games) in arena.ranked() {
        let Some((id, version)) = bot_of(&standing.spec) else { continue };
        let results = lock(&arena.ladder.results);
        let tally = results.tally_of(&standing.spec);
        let faults = results.faults_of(&standing.spec);
        let rating = rating.map_or_else(|| ",".to_owned(), |rating| format!("{:.1},{:.1}", rating.elo, rating.error()));
        let (name, league) = (field(&standing.name), LEAGUES[standing.league.unwrap_or_default()]);
        let [won, drawn, lost] = [tally.wins, tally.draws, tally.losses];
        let _ = writeln!(text, "{id},{name},{league},{version},{rating},{games},{won},{drawn},{lost},{faults}");
    }
    download("text/csv; charset=utf-8", "marks.csv", text)
}

pub(super) async fn games(State(arena): Shared, Path(key): Path<String>) -> Response {
    if !arena.is_host(&key) {
        return nothing();
    }
    let all = tokio::task::spawn_blocking(move || records(&arena, |_| true)).await;
    match all {
        Ok(Some(text)) => download("application/jsonl", "games.jsonl", text),
        _ => said(StatusCode::INTERNAL_SERVER_ERROR, "Not done", "The games could not be read.", "/"),
    }
}

/// The record of a game of the ladder.
pub(super) fn record(arena: &Arena, run: &str, pair: u64, game: u8) -> Option<String> {
    let row = arena.store.runs().ok()?.into_iter().find(|row| row.run.id == run)?;
    let mut found = None;
    let prefix = RunPrefix::all(&row.run.id);
    arena
        .store
        .games(prefix, |played| {
            if (played.pair, played.game) == (pair, game) {
                found = Some(played);
            }
        })
        .ok()?;
    (JSON_LINES.write)(&[found?.record(&row.run.experiment)]).ok()
}

/// The records of all games that are wanted.
fn records(arena: &Arena, is_wanted: impl Fn(&GameRow) -> bool) -> Option<String> {
    let mut text = String::new();
    for row in arena.store.runs().ok()? {
        let mut records = Vec::new();
        let take = |game: GameRow| {
            if is_wanted(&game) {
                records.push(game.record(&row.run.experiment));
            }
        };
        arena.store.games(RunPrefix::all(&row.run.id), take).ok()?;
        text += &(JSON_LINES.write)(&records).ok()?;
    }
    Some(text)
}

pub(super) async fn final_page(State(arena): Shared) -> Response {
    match tokio::fs::read_to_string(arena.final_file()).await {
        Ok(page) => fresh(page),
        Err(_) => said(StatusCode::NOT_FOUND, "No final", "The final has not begun.", "/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_formulas_in_a_table_of_marks() {
        assert_eq!(field("=1+1"), "\"'=1+1\"");
        assert_eq!(field("a\"b"), "\"a\"\"b\"");
    }
}
