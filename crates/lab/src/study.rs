//! Published studies, re-done: what was measured there stands beside what is measured here.

use plyground_core::{InputError, Player, Shelf};
use serde::Deserialize;

use crate::statistics::{Interval, MatchResult, Tally, wilson};
use crate::{Experiment, Openings, RecordedLimits, Results, Run};

/// A table of a published study, or a question that it left open, as its file says it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Which table it is.
    pub title: String,
    /// Whose.
    pub source: String,
    /// What its author wanted to know.
    pub question: String,
    /// Games for each cell, where the cell does not say it.
    pub games: u64,
    /// What there is to know beside the numbers.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// What is played: one run for each game and budget.
    #[serde(rename = "run")]
    pub runs: Vec<Part>,
}

/// The matches of a study that are played under the same conditions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The game.
    pub game: String,
    /// Time for every move of all agents.
    #[serde(default)]
    pub move_time: Option<String>,
    /// What is compared.
    #[serde(rename = "cell")]
    pub cells: Vec<Cell>,
}

/// One number of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// The agent whose result it is. It moves first, unless `seats` says both.
    pub first: String,
    /// Its opponent.
    pub second: String,
    /// What the row is called, where that is not the agent.
    #[serde(default)]
    pub row: Option<String>,
    /// What the column is called, where that is not the opponent.
    #[serde(default)]
    pub column: Option<String>,
    /// Does the agent move first in all games, or in half of them?
    #[serde(default)]
    pub seats: Seats,
    /// The published share of games that it won (a drawn game counts half).
    #[serde(default)]
    pub share: Option<f64>,
    /// The published games won, drawn and lost.
    #[serde(default)]
    pub games: Option<[u64; 3]>,
    /// The published points of a single game.
    #[serde(default)]
    pub points: Option<[i32; 2]>,
    /// Games to play.
    #[serde(default)]
    pub play: Option<u64>,
}

/// Where the agent of a cell sits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seats {
    /// It moves first.
    #[default]
    First,
    /// In one half of the games first, in the other half second.
    Both,
}

/// What was published for a cell, as a proportion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The share of the points.
    pub share: f64,
    /// How many games it was taken from, where that is known.
    pub games: Option<u64>,
}

/// How a cell compares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The difference is within what chance does in 95 of 100 such comparisons.
    Agrees,
    /// Ours is higher or lower by this much.
    Differs(f64),
    /// Nothing was published to compare with.
    New,
}

/// A cell with our result.
#[derive(Clone, Debug)]
pub struct Finding<'a> {
    /// The game.
    pub game: &'a str,
    /// The cell.
    pub cell: &'a Cell,
    /// Our games, in the view of the cell's agent.
    pub tally: Tally,
    /// Where the true share is.
    pub interval: Interval,
    /// Beside the published one.
    pub verdict: Verdict,
}

impl Study {
    /// Reads a study from the text of its file.
    pub fn read(text: &str) -> Result<Self, InputError> {
        let study: Self =
            toml::from_str(text).map_err(|error| InputError::malformed("study", first_line(text), error.to_string()))?;
        for cell in study.runs.iter().flat_map(|part| &part.cells) {
            if cell.share.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
                let name = format!("{} - {}", cell.first, cell.second);
                return Err(InputError::malformed("cell", &name, "expected a share from 0 to 1"));
            }
        }
        Ok(study)
    }
}

fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

impl Part {
    /// The run that plays this part, always from the start of the game, as the studies did.
    pub fn run(&self, seed: u64, shelf: &dyn Shelf) -> Result<Run, InputError> {
        let mut agents: Vec<String> = Vec::new();
        for spec in self.cells.iter().flat_map(|cell| [&cell.first, &cell.second]) {
            if !agents.contains(spec) {
                agents.push(spec.clone());
            }
        }
        let mut experiment = Experiment::new(&self.game, &agents, shelf)?;
        experiment.openings = Openings::Start;
        let time = self.move_time.as_deref().map(plyground_core::parse_duration).transpose()?;
        experiment.limits = time.map(|time| RecordedLimits { time: Some(time), ..RecordedLimits::default() });
        experiment.seed = seed;
        Ok(experiment.run())
    }

    /// Who meets whom, by number in the run, and how many pairs of games they need.
    pub fn meetings(&self, games: u64) -> Vec<([usize; 2], u64)> {
        let mut meetings: Vec<([usize; 2], u64)> = Vec::new();
        for cell in &self.cells {
            let agents = self.numbers(cell);
            let wanted = cell.play.unwrap_or(games);
            // A pair has a game for each of two cells, or two for the same one.
            let both = cell.seats == Seats::Both || agents[0] == agents[1];
            let pairs = if both { wanted.div_ceil(2) } else { wanted };
            let reversed = [agents[1], agents[0]];
            match meetings.iter_mut().find(|(known, _)| *known == agents || *known == reversed) {
                Some((_, known)) => *known = pairs.max(*known),
                None => meetings.push((agents, pairs)),
            }
        }
        meetings
    }

    fn numbers(&self, cell: &Cell) -> [usize; 2] {
        let mut agents: Vec<&String> = Vec::new();
        for spec in self.cells.iter().flat_map(|cell| [&cell.first, &cell.second]) {
            if !agents.contains(&spec) {
                agents.push(spec);
            }
        }
        [&cell.first, &cell.second].map(|spec| agents.iter().position(|known| *known == spec).expect("all are listed"))
    }

    /// Every cell with what was found.
    pub fn findings<'a>(&'a self, results: &Results) -> Vec<Finding<'a>> {
        self.cells
            .iter()
            .map(|cell| {
                let tally = tally_of(cell, self.numbers(cell), results);
                let interval = wilson_with_draws(tally);
                Finding { game: &self.game, cell, tally, interval, verdict: verdict(cell, tally) }
            })
            .collect()
    }
}

fn tally_of(cell: &Cell, [first, second]: [usize; 2], results: &Results) -> Tally {
    let met = results.between([first, second]);
    let result: MatchResult = if met.tally().games() > 0 { met } else { results.between([second, first]).reversed() };
    match cell.seats {
        Seats::Both => result.tally(),
        // Against itself, whoever moves first is the agent of the cell.
        Seats::First if first == second => {
            let mut tally = result[Player::First];
            tally += result[Player::Second].reversed();
            tally
        }
        Seats::First => result[Player::First],
    }
}

/// A drawn game is half a success and half a failure.
fn wilson_with_draws(tally: Tally) -> Interval {
    // Twice as many half points: where there are draws this is a little wide, never too narrow.
    let games = tally.games();
    let successes = tally.wins + tally.draws / 2;
    wilson(successes, games, crate::statistics::CONFIDENCE)
}

impl Cell {
    /// What was published, as a proportion.
    pub fn published(&self) -> Option<Published> {
        if let Some([wins, draws, losses]) = self.games {
            let tally = Tally { wins, draws, losses };
            return tally.score().map(|share| Published { share, games: Some(tally.games()) });
        }
        if let Some([own, other]) = self.points {
            let share = match own.cmp(&other) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
            return Some(Published { share, games: Some(1) });
        }
        self.share.map(|share| Published { share, games: None })
    }
}

/// Compares two proportions by the interval of their difference (Newcombe 1998, from the two Wilson intervals); where the number of
/// published games is not known, with our interval alone.
fn verdict(cell: &Cell, tally: Tally) -> Verdict {
    let (Some(published), Some(ours)) = (cell.published(), tally.score()) else { return Verdict::New };
    let own = wilson_with_draws(tally);
    let theirs = match published.games {
        Some(games) => wilson((published.share * games as f64).round() as u64, games, crate::statistics::CONFIDENCE),
        None => Interval { low: published.share, high: published.share },
    };
    let difference = ours - published.share;
    let margin = if difference > 0.0 {
        (ours - own.low).hypot(theirs.high - published.share)
    } else {
        (own.high - ours).hypot(published.share - theirs.low)
    };
    if difference.abs() <= margin { Verdict::Agrees } else { Verdict::Differs(difference) }
}
