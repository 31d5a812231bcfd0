//! The contents of the report on a run.

use std::collections::BTreeMap;

use plyground_core::{Limits, split_spec};
use plyground_match::{Experiment, Format, GameRow, Openings, Results, RunError, RunPrefix, RunRow, Seats, Store, day_text};
use plyground_session::open;
use plyground_statistics::{
    Anchor, CONFIDENCE, MatchResult, Ratings, Tally, describe_match, logistic_elo, per_cent, rate, score_words, wilson,
};

use super::boards::{COLOURS, boards};
use super::plots::{self, HeatMap, Range};
use super::{Block, Report};

/// The games of a run, counted in all the ways that the report needs.
pub(super) struct Findings<'a> {
    pub row: &'a RunRow,
    pub results: Results,
    /// Strength on one scale, where games connect all agents.
    ratings: Option<Ratings>,
    /// By agent: the times of all its moves in milliseconds, in order.
    times: Vec<Vec<f64>>,
    /// The number of games by plies.
    lengths: BTreeMap<usize, u64>,
    /// A game of each kind that is worth a look, with what it is.
    samples: Vec<(&'static str, GameRow)>,
}

impl<'a> Findings<'a> {
    pub(super) fn read(store: &Store, row: &'a RunRow) -> Result<Self, RunError> {
        let agents = row.run.experiment.agents.len();
        let (mut lengths, mut times) = (BTreeMap::new(), vec![Vec::new(); agents]);
        let mut samples: Vec<(&'static str, GameRow)> = Vec::new();
        let results = Results::read_with(store, row.run.experiment.seats, RunPrefix::all(&row.run.id), |game| {
            *lengths.entry(game.plies()).or_insert(0) += 1;
            game.thinking().for_each(|(seat, ms)| times[game.agents[seat.index()]].push(ms));
            if game.fault.is_some() {
                return;
            }
            if samples.is_empty() {
                samples = ["The first game", "The shortest game", "The longest game"].map(|name| (name, game.clone())).to_vec();
            } else if game.plies() < samples[1].1.plies() {
                samples[1].1 = game;
            } else if game.plies() > samples[2].1.plies() {
                samples[2].1 = game;
            }
        })?;
        // One game may be the first and the shortest: it is shown once.
        let name = |game: &GameRow| (game.job.clone(), game.game);
        samples.dedup_by_key(|(_, game)| name(game));
        if samples.len() == 3 && name(&samples[0].1) == name(&samples[2].1) {
            samples.pop();
        }
        for times in &mut times {
            times.sort_by(f64::total_cmp);
        }
        let ratings = rate(agents, &results.meetings(), Anchor::Mean).ok();
        Ok(Self { row, results, ratings, times, lengths, samples })
    }

    /// The same without all but the first of the games to look at.
    pub fn with_one_sample(mut self) -> Self {
        self.samples.truncate(1);
        self
    }

    fn experiment(&self) -> &Experiment {
        &self.row.run.experiment
    }

    fn agents(&self) -> &[String] {
        &self.experiment().agents
    }

    /// The agents, the strongest first.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.agents().len()).collect();
        let strength = |agent: usize| match &self.ratings {
            Some(ratings) => ratings.players[agent].elo,
            None => self.results.of(agent).sample().mean,
        };
        order.sort_by(|&a, &b| strength(b).total_cmp(&strength(a)).then(a.cmp(&b)));
        order
    }

    /// The rating of an agent as a row of a plot.
    fn rating(&self, agent: usize) -> Option<Range> {
        let rating = self.ratings.as_ref()?.players[agent];
        let (middle, error) = (rating.elo, rating.error());
        Some(Range { name: self.agents()[agent].clone(), low: middle - error, middle, high: middle + error })
    }
}

/// Rows of text from rows of anything that is text.
pub(super) fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> Block {
    let rows = rows.into_iter().map(|row| row.to_vec());
    Block::Table(std::iter::once(head.map(str::to_owned).to_vec()).chain(rows).collect())
}

pub(super) fn report(store: &Store, row: &RunRow, title: Option<&str>) -> Result<Report, RunError> {
    let findings = Findings::read(store, row)?;
    let agents = findings.agents();
    let info = open(&findings.experiment().game, None)?.info();
    let question = match agents {
        [alone] => format!("{}: what happens when {alone} plays against itself?", info.title),
        [one, other] => format!("{}: who is stronger, {one} or {other}?", info.title),
        _ => format!("{}: who is the strongest of {} agents?", info.title, agents.len()),
    };
    let results = &findings.results;
    let kind = match findings.experiment().seats {
        Seats::Swapped => format!("in {} pairs", results.pairs()),
        Seats::Fixed => "with fixed seats".to_owned(),
    };
    let subtitle = format!(
        "{}, {} games {kind}, begun on {}. All intervals are 95 %.",
        findings.experiment().game,
        results.games(),
        day_text(row.begun)
    );
    let mut blocks = vec![Block::Paragraph(answer(&findings))];
    blocks.extend(uncounted([results]));
    if results.games() > 0 {
        blocks.extend(strength(&findings));
        blocks.extend(first_move(&findings, info.players));
        blocks.extend(games(&findings));
    }
    blocks.extend(settings(&findings));
    if results.games() > 0 {
        blocks.extend(samples(&findings, info.players)?);
    }
    Ok(Report { title: title.map_or(question, str::to_owned), subtitle, blocks })
}

/// What does not count, where there is such a thing.
pub(super) fn uncounted<'a>(results: impl IntoIterator<Item = &'a Results>) -> Vec<Block> {
    let sentences: Vec<String> = results.into_iter().flat_map(Results::uncounted).collect();
    if sentences.is_empty() {
        return Vec::new();
    }
    // As it is: other machines choose their names, and a name must not be read as Markdown.
    vec![Block::Heading("What does not count".to_owned()), Block::Code(sentences.join("\n"))]
}

/// The result in a sentence or two.
fn answer(findings: &Findings<'_>) -> String {
    let (agents, results) = (findings.agents(), &findings.results);
    if let [one, other] = agents {
        return describe_match(one, other, &results.between([0, 1])) + ".";
    }
    if let [alone] = agents {
        let plies = results.mean_plies().map_or_else(String::new, |plies| format!(", {plies:.1} plies on the average"));
        return format!("{} games of {alone} against itself{plies}.", results.games());
    }
    let order = findings.order();
    let (best, next) = (order[0], order[1]);
    match &findings.ratings {
        Some(ratings) => format!(
            "{} comes first with Elo {}, then {} with {}. That the first is stronger than the second has a likelihood of {}.",
            agents[best],
            ratings.players[best],
            agents[next],
            ratings.players[next],
            match ratings.superiority(best, next) {
                nearly_one if nearly_one > 0.999 => "over 99.9 %".to_owned(),
                likelihood => per_cent(likelihood),
            },
        ),
        None => "Not all agents have met, not even by way of others, so there is no common scale yet.".to_owned(),
    }
}

fn strength(findings: &Findings<'_>) -> Vec<Block> {
    let (agents, results, order) = (findings.agents(), &findings.results, findings.order());
    let mut blocks = vec![Block::Heading("Strength".to_owned())];
    let head = ["agent", "rating", "games", "won", "drawn", "lost", "score", "Elo against all"];
    let standing = |&agent: &usize| {
        let all = results.of(agent);
        let tally = all.tally();
        let rating = findings.ratings.as_ref().map_or("-".to_owned(), |ratings| ratings.players[agent].to_string());
        let [games, won, drawn, lost] = [tally.games(), tally.wins, tally.draws, tally.losses].map(|number| number.to_string());
        [agents[agent].clone(), rating, games, won, drawn, lost, score_words(&all), logistic_elo(&all.sample()).to_string()]
    };
    blocks.push(table(head, order.iter().map(standing)));
    let ladder: Option<Vec<Range>> = order.iter().map(|&agent| findings.rating(agent)).collect();
    if let Some(ladder) = ladder {
        blocks.push(Block::Figure {
            svg: plots::ladder(&ladder, "Elo; the mean of all is 0", false),
            caption: "Ratings (Bradley and Terry, with draws and the first move) and their 95 % intervals.".to_owned(),
        });
    }
    blocks.extend(curves(findings));
    if agents.len() > 2 {
        let row = |([one, other], result): ([usize; 2], &MatchResult)| {
            let tally = result.tally();
            let counts = format!("{} {} {}", tally.wins, tally.draws, tally.losses);
            let redundancy = per_cent(results.redundancy_between([one, other]));
            [format!("{} against {}", agents[one], agents[other]), counts, score_words(result), redundancy]
        };
        blocks.push(table(["match", "won drawn lost", "score", "redundancy"], results.matches().map(row)));
    }
    let meetings = results.meetings();
    let score = |row: usize, column: usize| {
        let met = meetings.iter().find(|met| met.first == order[row] && met.second == order[column])?;
        Tally { wins: met.wins, draws: met.draws, losses: met.losses }.score()
    };
    let names: Vec<String> = order.iter().map(|&agent| agents[agent].clone()).collect();
    let (rows, columns) = plots::numbered(&names);
    blocks.push(Block::Figure {
        svg: plots::heat_map(&HeatMap { rows: &rows, columns: &columns, share: &score, full: 0.5 }),
        caption: "Points of the agent that moves first (row) against the one that moves second (column), in per cent.".to_owned(),
    });
    blocks
}

/// A number in the spec of an agent.
pub(super) struct NumberInSpec {
    pub key: String,
    pub number: f64,
    /// The spec with `N` for the number.
    pub rest: String,
}

pub(super) fn numbers_in(spec: &str) -> impl Iterator<Item = NumberInSpec> {
    let (name, keys) = split_spec(spec);
    let keys: Vec<&str> = keys.split(',').collect();
    (0..keys.len()).filter_map(move |place| {
        let (key, number) = keys[place].split_once('=')?;
        let number = number.parse().ok()?;
        let others = keys.iter().enumerate().filter(|&(other, _)| other != place).map(|(_, pair)| *pair);
        let rest = format!("{name}:{}", others.chain([format!("{key}=N").as_str()]).collect::<Vec<_>>().join(","));
        Some(NumberInSpec { key: key.to_owned(), number, rest })
    })
}

/// Specs that differ in one number: their strength against it.
fn curves(findings: &Findings<'_>) -> Vec<Block> {
    let mut groups: BTreeMap<(String, String), Vec<(f64, usize)>> = BTreeMap::new();
    for (agent, spec) in findings.agents().iter().enumerate() {
        for NumberInSpec { key, number, rest } in numbers_in(spec) {
            groups.entry((key, rest)).or_default().push((number, agent));
        }
    }
    let mut blocks = Vec::new();
    for ((key, rest), mut members) in groups {
        members.sort_by(|a, b| a.0.total_cmp(&b.0));
        let points: Option<Vec<(f64, Range)>> =
            members.iter().map(|&(number, agent)| Some((number, findings.rating(agent)?))).collect();
        if let Some(points) = points.filter(|points| points.len() > 2) {
            let caption = format!("Strength of {rest} for each value of {key}, with 95 % intervals.");
            blocks.push(Block::Figure { svg: plots::curve(&points, &key, "Elo"), caption });
        }
    }
    blocks
}

pub(super) fn first_move(findings: &Findings<'_>, players: [&str; 2]) -> Vec<Block> {
    let (agents, results) = (findings.agents(), &findings.results);
    let [first, drawn, second] = results.by_seat();
    let games = results.games();
    let share = |count: u64| format!("{} {}", per_cent(count as f64 / games as f64), wilson(count, games, CONFIDENCE));
    let mut words = format!(
        "{}, who moves first, won {} of the games, {} {}; drawn were {}.",
        players[0],
        share(first),
        players[1],
        share(second),
        share(drawn)
    );
    if let Some(ratings) = &findings.ratings {
        words += &format!(" Between equals, moving first is worth {} Elo.", ratings.first_move);
    }
    let mut rows = vec![("all games".to_owned(), [first, drawn, second])];
    for agent in findings.order() {
        for (seat, moves) in ["first", "second"].into_iter().enumerate() {
            let tally = results.of(agent)[seat];
            if tally.games() == 0 {
                continue;
            }
            rows.push((format!("{} moving {moves}", agents[agent]), [tally.wins, tally.draws, tally.losses]));
        }
    }
    vec![
        Block::Heading("The first move".to_owned()),
        Block::Paragraph(words),
        Block::Figure {
            svg: plots::shares(&rows, ["won", "drawn", "lost"]),
            caption: "Results of all games in the view of who moved first, and of each agent in each seat.".to_owned(),
        },
    ]
}

pub(super) fn games(findings: &Findings<'_>) -> Vec<Block> {
    let (agents, results) = (findings.agents(), &findings.results);
    let lengths: Vec<(usize, u64)> = findings.lengths.iter().map(|(&plies, &games)| (plies, games)).collect();
    let mut blocks = vec![
        Block::Heading("The games".to_owned()),
        Block::Paragraph(format!(
            "A game took {:.1} plies on the average, the opening included, the shortest {}, the longest {}. {} of the games repeat an \
            earlier one of the same two agents: the more, the less each new game says.",
            results.mean_plies().unwrap_or(0.0),
            lengths[0].0,
            lengths[lengths.len() - 1].0,
            per_cent(results.redundancy()),
        )),
        Block::Figure { svg: plots::histogram(&lengths, "plies"), caption: "Games by their length.".to_owned() },
    ];
    let faults: Vec<[String; 3]> =
        results.faults().map(|(agent, fault, times)| [agents[agent].clone(), fault.to_owned(), times.to_string()]).collect();
    blocks.push(if faults.is_empty() {
        Block::Paragraph("No game was lost by a crash, an illegal move or the clock.".to_owned())
    } else {
        table(["games lost by a fault", "which", "games"], faults)
    });
    let at = |times: &[f64], share: f64| times[(share * (times.len() - 1) as f64).round() as usize];
    // What answers within less than a microsecond does not think.
    let thinks = |agent: &usize| !findings.times[*agent].is_empty() && at(&findings.times[*agent], 0.5) >= 1e-3;
    let thinking: Vec<usize> = findings.order().into_iter().filter(thinks).collect();
    let rows = thinking.iter().map(|&agent| {
        let times = &findings.times[agent];
        let mean = results.mean_ms(agent).unwrap_or(0.0);
        let [median, most] = [0.5, 0.95].map(|share| format!("{:.3}", at(times, share)));
        [agents[agent].clone(), times.len().to_string(), format!("{mean:.3}"), median, most]
    });
    if !thinking.is_empty() {
        blocks.push(table(["milliseconds a move", "moves", "mean", "median", "95 % are below"], rows));
    }
    let ranges: Vec<Range> = thinking
        .iter()
        .map(|&agent| {
            let [low, middle, high] = [0.05, 0.5, 0.95].map(|share| at(&findings.times[agent], share));
            Range { name: agents[agent].clone(), low, middle, high }
        })
        .collect();
    if !ranges.is_empty() {
        blocks.push(Block::Figure {
            svg: plots::ladder(&ranges, "milliseconds a move", true),
            caption: "Time per move: the median, and from where to where nine of ten moves lie.".to_owned(),
        });
    }
    blocks
}

fn settings(findings: &Findings<'_>) -> Vec<Block> {
    let (row, experiment) = (findings.row, findings.experiment());
    let format = match experiment.format {
        Format::RoundRobin => "everybody against everybody".to_owned(),
        Format::Gauntlet => format!("{} against all others", experiment.agents[0]),
        Format::SelfPlay => "every agent against itself".to_owned(),
        Format::Swiss { rounds, pairs } => format!("Swiss, {rounds} rounds of {pairs} pairs"),
        Format::Games { rounds, double } => {
            let who = rounds.map_or("everybody against everybody".to_owned(), |rounds| format!("Swiss, {rounds} rounds"));
            format!("{who}, {}", if double { "two games each" } else { "one game each" })
        }
    };
    let rows = [
        ["run".to_owned(), row.run.id.clone()],
        ["game".to_owned(), experiment.game.clone()],
        ["agents".to_owned(), experiment.agents.join(" · ")],
        ["format".to_owned(), format],
        match experiment.seats {
            Seats::Swapped => {
                ["pairs".to_owned(), format!("{} of {} played, both games of a pair from one opening", row.done, row.pairs)]
            }
            Seats::Fixed => {
                ["games".to_owned(), format!("{} of {} played, the agent that is named first moves first", row.done, row.pairs)]
            }
        },
        ["openings".to_owned(), openings(&experiment.openings)],
        ["limits".to_owned(), limits(experiment)],
        ["seed".to_owned(), experiment.seed.to_string()],
        ["machine".to_owned(), row.machine.clone()],
        ["made by".to_owned(), format!("ply {}", env!("CARGO_PKG_VERSION"))],
    ];
    vec![
        Block::Heading("Settings".to_owned()),
        Block::Facts(rows.to_vec()),
        Block::Paragraph("To do it again:".to_owned()),
        Block::Code(row.command.clone()),
    ]
}

/// The openings in words.
pub(super) fn openings(openings: &Openings) -> String {
    match openings {
        Openings::Start => "none: all games begin at the start".to_owned(),
        Openings::Random { plies } => format!("{plies} random plies that leave the game open, a new opening for every pair"),
        Openings::Listed { lines } => format!("{} from a file, in turn", lines.len()),
    }
}

/// The time control in words.
fn limits(experiment: &Experiment) -> String {
    let Limits { simulations, nodes, depth, time } = experiment.limits;
    let mut words = Vec::new();
    words.extend(time.map(|time| format!("{time:?} a move")));
    words.extend(simulations.map(|number| format!("{number} simulations a move")));
    words.extend(nodes.map(|number| format!("{number} positions a move")));
    words.extend(depth.map(|number| format!("{number} plies")));
    words.extend(experiment.clock.map(|clock| format!("{clock:?} a game for each player")));
    if words.is_empty() { "each agent its own".to_owned() } else { words.join(", ") }
}

pub(super) fn samples(findings: &Findings<'_>, players: [&str; 2]) -> Result<Vec<Block>, RunError> {
    let mut blocks = vec![Block::Heading("Some games".to_owned())];
    for (name, game) in &findings.samples {
        let [first, second] = game.agents.map(|agent| findings.agents()[agent].as_str());
        let result = match game.outcome.winner {
            Some(winner) => format!("{} wins", players[winner.index()]),
            None => "a draw".to_owned(),
        };
        blocks.push(Block::Paragraph(format!(
            "{name}: {} is {first}, {} is {second}; {} plies, {result}: {}.",
            drawn_in(players[0], COLOURS[0]),
            drawn_in(players[1], COLOURS[1]),
            game.plies(),
            game.reason
        )));
        blocks.push(Block::Boards(boards(&findings.experiment().game, game)?));
        let moves: Vec<&str> = game.moves.iter().map(|played| played.text.as_str()).collect();
        blocks.push(Block::Code(moves.join(" ")));
    }
    Ok(blocks)
}

/// A player with its colour on the boards, where that is not its name.
fn drawn_in(player: &str, colour: &str) -> String {
    if player.eq_ignore_ascii_case(colour) { player.to_owned() } else { format!("{player} ({colour} on the boards)") }
}
