//! The pages for players and onlookers.

use plyground_core::sync::lock;
use plyground_match::date_text;
use plyground_session::open;
use plyground_statistics::{MatchResult, Rating};

use super::html::Html;
use crate::arena::Arena;
use crate::bots::upload::Language;
use crate::bots::{bot_of, bot_spec};
use crate::journal::{ArenaPlayer, VersionState};
use crate::kits::KITS;
use crate::ladder::results::{GameLine, in_order};
use crate::ladder::{CHALLENGE, Standing};
use crate::settings::LEAGUES;

/// Challenges of a player that may wait at the same time.
const CHALLENGES: usize = 3;
/// Games in a list.
const GAMES: usize = 20;

/// A time in seconds since 1970, to the minute.
pub(super) fn moment(seconds: i64) -> String {
    let text = date_text(seconds).replace('T', " ");
    text.get(..16).map_or_else(|| text.clone(), |minutes| format!("{minutes} UTC"))
}

fn shown(rating: Option<Rating>) -> String {
    rating.map_or_else(|| "–".to_owned(), |rating| format!("{:.0} ± {:.0}", rating.elo, rating.error()))
}

/// The league of someone; levels are of the house, and guards say so.
fn league(arena: &Arena, standing: &Standing) -> String {
    match standing.league {
        Some(league) => LEAGUES[league].to_owned(),
        None => match arena.settings.bosses.iter().position(|boss| *boss == standing.name) {
            Some(place) => format!("guards {}", LEAGUES[place + 1]),
            None => "house".to_owned(),
        },
    }
}

fn links(html: &mut Html) {
    html.raw("<nav><a href=\"/\">Ladder</a><a href=\"/projector\">Projector</a><a href=\"/rules\">Rules</a></nav>\n");
}

pub(super) fn home(arena: &Arena) -> String {
    let mut html = Html::default();
    links(&mut html);
    html.element("h1", &arena.settings.title);
    html.raw("<form method=\"post\" action=\"/join\" enctype=\"multipart/form-data\">");
    html.raw(
        "<input name=\"code\" placeholder=\"Code of the arena\" aria-label=\"Code of the arena\" required maxlength=\"20\">",
    );
    html.raw("<input name=\"name\" placeholder=\"Name of your bot\" aria-label=\"Name of your bot\" required maxlength=\"32\">");
    html.raw("<button>Join</button></form>\n");
    html.live("ladder", |html| ladder(arena, html));
    html.live("latest", |html| {
        html.element("h2", "Latest games");
        let latest: Vec<GameLine> = lock(&arena.ladder.results).latest.iter().take(GAMES).cloned().collect();
        games(arena, html, &latest, None);
    });
    html.page(&arena.settings.title)
}

fn ladder(arena: &Arena, html: &mut Html) {
    html.columns(&["", "name", "league", "rating", "games"]);
    for (place, (standing, rating, played)) in arena.ranked().iter().enumerate() {
        html.raw("<tr><td>").text(place + 1).raw("</td><td>");
        match standing.player {
            Some(id) => html.raw(&format!("<a href=\"/bot/{id}\">")).text(&standing.name).raw("</a>"),
            None => html.text(&standing.name),
        };
        html.raw("</td><td>").text(league(arena, standing)).raw("</td><td>").text(shown(*rating)).raw("</td><td>");
        html.text(played).raw("</td></tr>\n");
    }
    html.end_table();
    html.element(
        "p",
        "Ratings are those of Bradley and Terry with their 95 % intervals; the weakest level has 0. A bot moves up when it has beaten the \
         level that guards the next league by more than luck (a sequential test).",
    );
}

/// A list of games, in the view of one who played in all of them or of none.
fn games(arena: &Arena, html: &mut Html, lines: &[GameLine], own: Option<&str>) {
    if lines.is_empty() {
        html.element("p", "None yet.");
        return;
    }
    html.columns(&["", "first", "second", "why", "moves", "longest thought", ""]);
    for line in lines {
        let result = match own.and_then(|own| line.specs.iter().position(|spec| spec == own)) {
            Some(seat) => line.result_of(seat).to_owned(),
            None => match line.outcome {
                "first" => "1 : 0".to_owned(),
                "second" => "0 : 1".to_owned(),
                _ => "½ : ½".to_owned(),
            },
        };
        let names = line.specs.each_ref().map(|spec| arena.name_of(spec));
        let slowest = format!("{:.0} ms, {:.0} ms", line.slowest[0], line.slowest[1]);
        html.raw("<tr>");
        for cell in [&result, &names[0], &names[1], &line.reason, &line.plies.to_string(), &slowest] {
            html.raw("<td>").text(cell).raw("</td>");
        }
        html.raw("<td><a href=\"/record/").text(&line.run).raw(&format!("/{}/{}\">record</a></td></tr>\n", line.pair, line.game));
    }
    html.end_table();
}

pub(super) fn player(arena: &Arena, id: u32, key: &str) -> String {
    let mut html = Html::default();
    links(&mut html);
    let known = lock(&arena.journal).known.clone();
    let Some(player) = known.players.get(&id) else { return html.page("No such player") };
    html.element("h1", &player.name);
    html.raw("<p class=\"note\">The address of this page is your key: keep it, and show it to nobody. If it is lost or stolen, the host \
              gives you another one.</p>\n");
    if player.banned {
        html.raw("<p class=\"bad\">The host has banned this bot.</p>\n");
    }
    if known.frozen || known.finalists.is_some() {
        html.raw("<p class=\"note\">The arena is frozen: no more uploads.</p>\n");
    } else {
        html.element("h2", "Upload");
        html.raw("<form method=\"post\" enctype=\"multipart/form-data\" action=\"/p/").text(key);
        html.raw(
            "/upload\"><input type=\"file\" name=\"file\" required aria-label=\"Your bot\"><button>Upload</button></form>\n",
        );
        let languages: Vec<&str> =
            Language::ALL.into_iter().filter(|&language| arena.runtimes.know(language)).map(Language::title).collect();
        let upload = arena.settings.upload;
        html.element(
            "p",
            format!("One file or a zip, at most {upload} MB: {}. See the rules for starter kits.", languages.join(", ")),
        );
    }
    html.live("versions", |html| versions(html, player, key));
    if let Some(current) = player.current() {
        let spec = bot_spec(id, current.number);
        html.element("h2", "Challenge");
        html.raw("<form method=\"post\" enctype=\"multipart/form-data\" action=\"/p/").text(key);
        html.raw("/challenge\"><select name=\"opponent\" aria-label=\"Opponent\">");
        for standing in arena.standings().iter().filter(|standing| standing.spec != spec) {
            html.raw("<option value=\"").text(&standing.spec).raw("\">").text(&standing.name).raw("</option>");
        }
        html.raw("</select><button>Challenge</button></form>\n");
    }
    html.live("games", |html| {
        html.element("h2", "Games");
        if let Some(version) = player.versions.last() {
            let spec = bot_spec(id, version.number);
            let current = player.current().map(|current| bot_spec(id, current.number)).filter(|current| *current != spec);
            for spec in [Some(spec), current].into_iter().flatten() {
                html.element("h3", arena.name_of(&spec));
                let lines: Vec<GameLine> = lock(&arena.ladder.results).lines(&spec).take(GAMES).cloned().collect();
                games(arena, html, &lines, Some(&spec));
            }
        }
    });
    html.raw("<p><a href=\"/bot/").text(id).raw("\">The public page of the bot</a></p>\n");
    html.page(&player.name)
}

fn versions(html: &mut Html, player: &ArenaPlayer, key: &str) {
    html.element("h2", "Versions");
    if player.versions.is_empty() {
        html.element("p", "None yet.");
        return;
    }
    html.columns(&["", "file", "language", "uploaded", "check", "stderr"]);
    for version in player.versions.iter().rev() {
        let current = player.current().is_some_and(|current| current.number == version.number);
        html.raw("<tr><td>").text(format!("v{}", version.number)).raw("</td><td>").text(&version.file).raw("</td><td>");
        html.text(&version.language).raw("</td><td>").text(moment(version.uploaded)).raw("</td><td>");
        match &version.state {
            VersionState::Checking => html.text("it is compiled, and plays its first games …"),
            VersionState::Passed if current => html.text("passed: it is on the ladder"),
            VersionState::Passed => html.text("passed"),
            VersionState::Refused(why) => html.raw("<pre>").text(why).raw("</pre>"),
        };
        html.raw("</td><td><a href=\"/p/").text(key).raw(&format!("/log/{0}\">read</a></td></tr>\n", version.number));
    }
    html.end_table();
}

/// A score with the games it comes from.
fn score(result: &MatchResult) -> String {
    let tally = result.tally();
    format!("{} won, {} drawn, {} lost", tally.wins, tally.draws, tally.losses)
}

pub(super) fn bot(arena: &Arena, id: u32) -> Option<String> {
    let player = lock(&arena.journal).known.players.get(&id).cloned()?;
    let mut html = Html::default();
    links(&mut html);
    html.element("h1", &player.name);
    html.element("p", format!("League: {}. Joined {}.", LEAGUES[player.league], moment(player.joined)));
    html.live("ratings", |html| {
        html.element("h2", "Versions");
        html.columns(&["", "language", "uploaded", "rating"]);
        for version in player.versions.iter().filter(|version| version.state == VersionState::Passed) {
            let now = lock(&arena.ladder.results).ratings.get(&bot_spec(id, version.number)).copied();
            let then = version.rated.map(|[elo, error]| format!("{elo:.0} ± {error:.0}"));
            let is_current = player.current().is_some_and(|current| current.number == version.number);
            let rating = if is_current { shown(now) } else { then.unwrap_or_else(|| shown(now)) };
            let uploaded = moment(version.uploaded);
            html.row(&[&format!("v{}", version.number), &version.language, &uploaded, &rating]);
        }
        html.end_table();
    });
    let Some(current) = player.current() else { return Some(html.page(&player.name)) };
    let spec = bot_spec(id, current.number);
    html.live("opponents", |html| {
        html.element("h2", "Against whom");
        let mut opponents = lock(&arena.ladder.results).opponents(&spec);
        opponents.sort_by(|a, b| a.1.tally().score().unwrap_or(0.5).total_cmp(&b.1.tally().score().unwrap_or(0.5)));
        html.columns(&["opponent", "result"]);
        for (opponent, result) in &opponents {
            html.row(&[&arena.name_of(opponent), &score(result)]);
        }
        html.end_table();
    });
    html.live("games", |html| {
        html.element("h2", "Latest games");
        let lines: Vec<GameLine> = lock(&arena.ladder.results).lines(&spec).take(GAMES).cloned().collect();
        games(arena, html, &lines, Some(&spec));
    });
    Some(html.page(&player.name))
}

pub(super) fn rules(arena: &Arena) -> String {
    let mut html = Html::default();
    let settings = &arena.settings;
    links(&mut html);
    html.element("h1", "Rules of the arena");
    html.element("p", format!("The game is {}; a move may take {:?}.", settings.game, settings.move_time));
    html.element("p", arena.sandbox());
    html.element("h2", "Bots");
    html.element(
        "p",
        "A bot speaks UGI: lines of text on standard input and output. It is asked with “go”, and answers “bestmove MOVE”. A bot that \
         crashes, answers too late or plays an illegal move has lost that game, and its page says why. For every game it is started anew. \
         The kits play random legal moves; one function has to be changed:",
    );
    html.raw("<ul>\n");
    for (language, word, ..) in KITS.iter().filter(|(language, ..)| arena.runtimes.know(*language)) {
        html.raw(&format!("<li><a href=\"/kit/{word}.zip\">")).text(language.title()).raw("</a></li>\n");
    }
    html.raw("</ul>\n");
    html.element("p", format!("To run the same checks at home: ply arena try FILE --game {}", settings.game));
    html.element("h2", "What is stored");
    html.element(
        "p",
        "The name that you join with, what you upload, what your bot writes to stderr, and its games, in one folder on the computer of \
         the host. No addresses, no cookies. Names, ratings, games and the reasons of losses are public; uploads and stderr are seen by \
         you and the host.",
    );
    if let Ok(session) = open(&settings.game, None) {
        let info = session.info();
        html.element("h2", info.title);
        for paragraph in info.rules.split("\n\n") {
            html.element("p", paragraph);
        }
        html.element("p", info.notation);
    }
    html.page("Rules")
}

impl Arena {
    /// Puts a challenge in front of what the ladder would play.
    pub(super) fn challenge(&self, player: u32, opponent: &str) -> Result<(), String> {
        let standings = self.standings();
        let own = standings.iter().find(|standing| standing.player == Some(player));
        let own = own.ok_or("Your bot is not on the ladder: upload one first.")?;
        let other = standings.iter().find(|standing| standing.spec == opponent && standing.spec != own.spec);
        let other = other.ok_or("This opponent is not on the ladder any more: choose another one.")?;
        let pairing = in_order(&own.spec, &other.spec);
        let mut boards = lock(&self.ladder.boards);
        let of_player = |pairing: &&[String; 2]| pairing.iter().any(|spec| bot_of(spec).is_some_and(|(id, _)| id == player));
        if boards.wanted.iter().filter(of_player).count() as u64 >= CHALLENGE * CHALLENGES as u64 {
            return Err(format!("At most {CHALLENGES} challenges wait at the same time."));
        }
        (0..CHALLENGE).for_each(|_| boards.wanted.push_back(pairing.clone()));
        Ok(())
    }
}
