//! The page of a competition: its table, who has beaten whom, and every game.

use plyground_match::{Run, day_text};

use super::contents::table;
use super::{Block, Provenance, Report};
use crate::competition::{Bout, Competition, Ranking, RankingRow};

/// Points as people write them.
fn written(points: f64) -> String {
    let whole = points.trunc();
    match (whole, points.fract()) {
        (_, 0.0) => format!("{whole}"),
        (0.0, 0.5) => "½".to_owned(),
        (_, 0.5) => format!("{whole}½"),
        _ => format!("{points:.2}"),
    }
}

impl Ranking {
    /// The names of its columns, and its rows.
    pub fn table(&self, competition: &Competition) -> (Vec<String>, Vec<Vec<String>>) {
        let mut columns = ["place", "name", "points", "games", "won", "drawn", "lost"].map(str::to_owned).to_vec();
        columns.extend(self.tie_breaks.iter().map(|tie_break| tie_break.word().to_owned()));
        let row = |place: &RankingRow| {
            let mut row = vec![place.place.to_string(), competition.entrants[place.entrant].name.clone(), written(place.points)];
            row.push(place.games.to_string());
            row.extend(place.tally.map(|count| count.to_string()));
            row.extend(place.tie_breaks.iter().map(|&value| written(value)));
            row
        };
        (columns, self.places.iter().map(row).collect())
    }
}

pub(super) fn report(
    competition: &Competition,
    run: &Run,
    bouts: &[Bout],
    ranking: &Ranking,
    provenance: &Provenance<'_>,
) -> Report {
    let name = |entrant: usize| competition.entrants[entrant].name.clone();
    let (columns, rows) = ranking.table(competition);
    // In a report the first column names the rows.
    let named = |mut row: Vec<String>| {
        row.swap(0, 1);
        row
    };
    let mut blocks = vec![
        Block::Heading("Table".to_owned()),
        Block::Table(std::iter::once(columns).chain(rows).map(named).collect()),
        Block::Heading("Who has beaten whom".to_owned()),
        Block::Paragraph("The points of each against each, in games; the best are at the top and on the left.".to_owned()),
        crosstable(bouts, ranking, &name),
        Block::Heading("Games".to_owned()),
    ];
    if bouts.is_empty() {
        blocks.push(Block::Paragraph("No game is over yet.".to_owned()));
    } else {
        let line = |(number, bout): (usize, &Bout)| {
            let points = bout.points.map_or("-".to_owned(), |[first, second]| format!("{first} : {second}"));
            let score = format!("{} : {}", written(bout.scores[0]), written(bout.scores[1]));
            let [first, second] = bout.players.map(name);
            [format!("{}. {first} – {second}", number + 1), score, points, bout.plies.to_string(), bout.reason.clone()]
        };
        blocks.push(table(["game", "result", "on the board", "plies", "why"], bouts.iter().enumerate().map(line)));
    }
    let last = bouts.iter().map(|bout| bout.ended).max().map_or("-".to_owned(), day_text);
    let fact = |name: &str, value: String| [name.to_owned(), value];
    let time = |time: Option<std::time::Duration>| time.map_or("-".to_owned(), |time| format!("{} s", time.as_secs_f64()));
    blocks.push(Block::Heading("How it was played".to_owned()));
    blocks.push(Block::Facts(vec![
        fact("game", competition.game.clone()),
        fact("time for a move", time(competition.move_time)),
        fact("time of a player for a game", time(competition.clock)),
        fact("time of both for a game", time(competition.game_time)),
        fact("the last game ended on", last),
        fact("all games with their moves", format!("ply runs games {}", run.id)),
        fact("machine", provenance.machine.to_owned()),
    ]));
    blocks.push(Block::Facts(competition.entrants.iter().map(|entrant| fact(&entrant.name, entrant.spec.clone())).collect()));
    blocks.push(Block::Code(provenance.command.to_owned()));
    let subtitle = format!("{}, {} entrants, {} games so far.", competition.game, competition.entrants.len(), bouts.len());
    Report { title: competition.title.clone(), subtitle, blocks }
}

fn crosstable(bouts: &[Bout], ranking: &Ranking, name: &dyn Fn(usize) -> String) -> Block {
    let order: Vec<usize> = ranking.places.iter().map(|place| place.entrant).collect();
    let head = std::iter::once(String::new()).chain((1..=order.len()).map(|number| number.to_string())).collect();
    let cell = |row: usize, column: usize| {
        if row == column {
            return "×".to_owned();
        }
        let score = |bout: &Bout| {
            let seat = bout.players.iter().position(|&player| player == row)?;
            (bout.players[1 - seat] == column).then_some(bout.scores[seat])
        };
        let scores: Vec<f64> = bouts.iter().filter_map(score).collect();
        if scores.is_empty() { "-".to_owned() } else { format!("{} / {}", written(scores.iter().sum()), scores.len()) }
    };
    let row = |(number, &entrant): (usize, &usize)| {
        let own = format!("{}. {}", number + 1, name(entrant));
        std::iter::once(own).chain(order.iter().map(|&other| cell(entrant, other))).collect()
    };
    Block::Table(std::iter::once(head).chain(order.iter().enumerate().map(row)).collect())
}
