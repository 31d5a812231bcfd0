//! The inventor's report on a game: is it fair, how long does it last, how much is there to choose, and how does all of that change with
//! the strength of the players and with the parameters of the game?
//!
//! Every setting of the game is a run of its own, in which each agent plays against itself, always from the same start. What follows
//! from the games alone is counted over all of them; who was ahead when is asked of a judge, the same for all agents, for some of them.

mod lead;
mod sweep;
mod words;

use plyground_core::{CancelToken, GameValue, InputError, Player, Resources};

pub use lead::{AHEAD, Judge, Story, branching};
pub use sweep::{Axis, Setting, Sweep};
pub use words::{COLUMNS, Favoured, rows, sentences};

use plyground_match::{Experiment, Format, GameRow, Openings, Run, RunError, RunPrefix, Seats, Store, pairings, parallel_map};
use plyground_statistics::{
    CONFIDENCE, GameResult, Interval, MeanEstimate, Tally, mean, per_cent, redundancy, simultaneous, wilson,
};

/// Who plays when nobody is named: from no thought at all in steps of ten.
pub const LADDER: [&str; 4] = ["random", "mcts:sims=10", "mcts:sims=100", "mcts:sims=1000"];
/// Who says who is ahead when nobody is named.
pub const JUDGE: &str = "mcts:sims=200";

/// What is to be played.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The settings of the game.
    pub sweep: Sweep,
    /// The agents as they were typed, the weakest first.
    pub agents: Vec<String>,
    /// A run for each setting: the agents have the same numbers in all of them.
    pub runs: Vec<Run>,
}

impl Plan {
    /// Everything is checked: the game, its settings, and that each agent can play all of them.
    pub fn new(
        sweep: Sweep,
        agents: &[String],
        openings: &Openings,
        seed: u64,
        shelf: &dyn Resources,
    ) -> Result<Self, InputError> {
        let run = |setting: &Setting| {
            let experiment = Experiment::new(&setting.game, agents, shelf)?;
            let (format, seats, openings) = (Format::SelfPlay, Seats::Fixed, openings.clone());
            Ok(Experiment { openings, format, seats, seed, ..experiment }.run())
        };
        let runs = sweep.settings.iter().map(run).collect::<Result<_, InputError>>()?;
        Ok(Self { sweep, agents: agents.to_vec(), runs })
    }

    /// Who meets whom in every run: each agent itself.
    pub fn pairings(&self) -> Vec<[usize; 2]> {
        pairings(Format::SelfPlay, self.agents.len())
    }
}

/// What was found about one setting with one agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The number of the setting.
    pub setting: usize,
    /// The number of the agent.
    pub agent: usize,
    /// In the view of the first player; games that ended by a fault of an agent do not count.
    pub tally: Tally,
    /// How many those are.
    pub faults: u64,
    /// The share of the games that repeat an earlier one.
    pub redundancy: f64,
    /// Moves of a game.
    pub plies: Option<MeanEstimate>,
    /// Their standard deviation.
    pub plies_deviation: f64,
    /// Legal moves of a position: averaged over a game, then over the games.
    pub branching: Option<MeanEstimate>,
    /// Games that were judged.
    pub judged: u64,
    /// Changes of the lead in a game.
    pub lead_changes: Option<MeanEstimate>,
    /// The share of the games in which the lead changed at all.
    pub turned: Option<MeanEstimate>,
    /// The part of a game after which its winner was ahead for good.
    pub decided_at: Option<MeanEstimate>,
}

impl Cell {
    /// The first player's share of the points.
    pub fn score(&self, confidence: f64) -> Option<MeanEstimate> {
        let sample = self.tally.sample();
        (sample.games > 0.0).then(|| MeanEstimate { value: sample.mean, interval: sample.interval(confidence) })
    }

    /// The share of drawn games.
    pub fn draws(&self, confidence: f64) -> Option<MeanEstimate> {
        share(self.tally.draws, self.tally.games(), confidence)
    }
}

fn share(count: u64, of: u64, confidence: f64) -> Option<MeanEstimate> {
    (of > 0).then(|| MeanEstimate { value: count as f64 / of as f64, interval: wilson(count, of, confidence) })
}

/// Everything that was found.
#[derive(Clone, Debug)]
pub struct Findings {
    /// The plan.
    pub plan: Plan,
    /// Who judged.
    pub judge: String,
    /// Setting by setting, in each agent by agent.
    pub cells: Vec<Cell>,
    /// What each setting is worth to the first player when both play perfectly, where that is known.
    pub worth: Vec<Option<GameValue>>,
}

impl Findings {
    /// One setting with one agent.
    pub fn cell(&self, setting: usize, agent: usize) -> &Cell {
        &self.cells[setting * self.plan.agents.len() + agent]
    }

    /// The strongest agent: the one that was named last.
    pub fn strongest(&self) -> usize {
        self.plan.agents.len() - 1
    }

    /// Who is favoured in a cell, if that is shown beyond what chance does somewhere among all cells.
    pub fn favoured(&self, cell: &Cell) -> Favoured {
        match cell.score(simultaneous(self.cells.len())) {
            Some(score) if score.interval.low > 0.5 => Favoured::Shown(Player::First),
            Some(score) if score.interval.high < 0.5 => Favoured::Shown(Player::Second),
            _ => Favoured::NotShown,
        }
    }

    /// A measure of the settings with one value on an axis, averaged over these settings, for an agent; nothing where a cell has
    /// nothing to say.
    pub fn average(&self, axis: usize, value: usize, agent: usize, measure: Measure) -> Option<MeanEstimate> {
        let settings = self.plan.sweep.settings.iter().enumerate().filter(|(_, setting)| setting.values[axis] == value);
        let parts: Option<Vec<MeanEstimate>> = settings.map(|(number, _)| measure.of(self.cell(number, agent))).collect();
        averaged(&parts?)
    }
}

/// The mean of independent estimates: their errors add up like the sides of a right angle.
fn averaged(parts: &[MeanEstimate]) -> Option<MeanEstimate> {
    if parts.is_empty() {
        return None;
    }
    let count = parts.len() as f64;
    let value = parts.iter().map(|part| part.value).sum::<f64>() / count;
    let error = |side: fn(&MeanEstimate) -> f64| parts.iter().map(side).fold(0.0, f64::hypot) / count;
    let low = value - error(|part| part.value - part.interval.low);
    let high = value + error(|part| part.interval.high - part.value);
    Some(MeanEstimate { value, interval: Interval { low, high } })
}

/// What is measured of a setting with an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The first player's share of the points.
    Score,
    /// The share of drawn games.
    Draws,
    /// Moves of a game.
    Plies,
    /// Legal moves of a position.
    Branching,
    /// Changes of the lead in a game.
    LeadChanges,
    /// The part of a game after which its winner was ahead for good.
    DecidedAt,
}

impl Measure {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Score, Self::Draws, Self::Plies, Self::Branching, Self::LeadChanges, Self::DecidedAt];

    /// What it is called in tables and plots.
    pub fn name(self) -> &'static str {
        match self {
            Self::Score => "first player's score",
            Self::Draws => "drawn games",
            Self::Plies => "plies of a game",
            Self::Branching => "legal moves",
            Self::LeadChanges => "lead changes a game",
            Self::DecidedAt => "decided after",
        }
    }

    /// Is it a share, to be written in per cent?
    pub fn is_share(self) -> bool {
        matches!(self, Self::Score | Self::Draws | Self::DecidedAt)
    }

    /// What a cell says about it, with a 95 % interval.
    pub fn of(self, cell: &Cell) -> Option<MeanEstimate> {
        match self {
            Self::Score => cell.score(CONFIDENCE),
            Self::Draws => cell.draws(CONFIDENCE),
            Self::Plies => cell.plies,
            Self::Branching => cell.branching,
            Self::LeadChanges => cell.lead_changes,
            Self::DecidedAt => cell.decided_at,
        }
    }

    /// A value as people read it.
    pub fn value(self, value: f64) -> String {
        let decimals = if self == Self::LeadChanges { 2 } else { 1 };
        if self.is_share() { per_cent(value) } else { format!("{value:.decimals$}") }
    }

    /// A value with its interval: that of a share in brackets, of others, which lies evenly around them, behind a ±.
    pub fn written(self, estimate: MeanEstimate) -> String {
        let MeanEstimate { value, interval } = estimate;
        let half = 0.5 * (interval.high - interval.low);
        match self {
            Self::Score | Self::Draws => format!("{} {interval}", self.value(value)),
            Self::DecidedAt => format!("{:.0} % ± {:.0}", 100.0 * value, 100.0 * half),
            _ => format!("{} ± {}", self.value(value), self.value(half)),
        }
    }
}

/// How the games of a plan are looked at.
pub struct Look<'a> {
    /// Where they are kept.
    pub store: &'a Store,
    /// How many games of each agent in each setting count.
    pub games: u64,
    /// Who says who was ahead.
    pub judge: Judge<'a>,
    /// How many games of each agent in each setting the judge looks at.
    pub judged: u64,
    /// How many games are looked at at the same time.
    pub threads: usize,
    /// Ends the judging, which takes most of the time; the other figures are of all games.
    pub cancel: &'a CancelToken,
}

/// What one game says.
struct Observed {
    agent: usize,
    winner: Option<Player>,
    faulty: bool,
    hash: u64,
    plies: f64,
    branching: Option<f64>,
    story: Option<Story>,
}

/// Looks at all games of a plan that are kept. `progress` hears how many settings are done.
pub fn look(plan: Plan, look: &Look<'_>, progress: &mut dyn FnMut(usize)) -> Result<Findings, RunError> {
    let mut cells = Vec::new();
    for (setting, run) in plan.runs.iter().enumerate() {
        progress(setting);
        let mut rows = Vec::new();
        look.store.games(RunPrefix { run: &run.id, pairs: look.games }, |row| rows.push(row))?;
        let observed = observe(run, &rows, look)?;
        cells.extend((0..plan.agents.len()).map(|agent| cell(setting, agent, &observed)));
    }
    let worth = vec![None; plan.runs.len()];
    Ok(Findings { plan, judge: look.judge.spec.to_owned(), cells, worth })
}

fn observe(run: &Run, rows: &[GameRow], look: &Look<'_>) -> Result<Vec<Observed>, InputError> {
    let game = &run.experiment.game;
    let observe = |row: &GameRow| -> Result<Observed, InputError> {
        let is_judged = row.pair < look.judged && row.fault.is_none() && !look.cancel.is_cancelled();
        Ok(Observed {
            agent: row.agents[0],
            winner: row.outcome.winner,
            faulty: row.fault.is_some(),
            hash: row.hash(),
            plies: row.plies() as f64,
            branching: branching(game, row)?,
            story: if is_judged { Some(look.judge.story(game, row)?) } else { None },
        })
    };
    let threads = vec![(); look.threads.max(1)];
    let observed = parallel_map(threads, rows.len() as u64, &CancelToken::new(), |(), number| observe(&rows[number as usize]))?;
    Ok(observed.expect("it is not cancelled"))
}

fn cell(setting: usize, agent: usize, observed: &[Observed]) -> Cell {
    let (faulty, played): (Vec<&Observed>, Vec<&Observed>) =
        observed.iter().filter(|game| game.agent == agent).partition(|game| game.faulty);
    let mut tally = Tally::default();
    for game in &played {
        tally.add(GameResult::of(Player::First, game.winner));
    }
    let values = |value: &dyn Fn(&Observed) -> Option<f64>| played.iter().filter_map(|game| value(game)).collect::<Vec<f64>>();
    let stories: Vec<Story> = played.iter().filter_map(|game| game.story).collect();
    let of_stories =
        |value: &dyn Fn(&Story) -> Option<f64>| mean(&stories.iter().filter_map(value).collect::<Vec<f64>>(), CONFIDENCE);
    let plies = values(&|game| Some(game.plies));
    let turned = stories.iter().filter(|story| story.lead_changes > 0).count() as u64;
    Cell {
        setting,
        agent,
        tally,
        faults: faulty.len() as u64,
        redundancy: redundancy(played.iter().map(|game| (game.hash, 1))),
        plies: mean(&plies, CONFIDENCE),
        plies_deviation: deviation(&plies),
        branching: mean(&values(&|game| game.branching), CONFIDENCE),
        judged: stories.len() as u64,
        lead_changes: of_stories(&|story| Some(f64::from(story.lead_changes))),
        turned: share(turned, stories.len() as u64, CONFIDENCE),
        decided_at: of_stories(&|story| story.decided_at),
    }
}

/// The standard deviation of a sample; 0 for fewer than two values.
fn deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt()
}
