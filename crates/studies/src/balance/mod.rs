//! The balance of a game, for its designer: is it fair, how long does it last, how much is there to choose, and how does all of that
//! change with the strength of the players and with the parameters of the game?
//!
//! Every setting of the game is a run of its own, in which each agent plays against itself, always from the same start. What follows
//! from the games alone is counted over all of them. Who was ahead when is the judgement of one agent, the judge, which is the same
//! for all players; it sees a part of the games.

mod lead;
mod sweep;
mod words;

use plyground_core::{CancelToken, GameValue, InputError, Player, Resources};

pub use lead::{AHEAD, LeadHistory, PositionJudge, branching};
pub use sweep::{Axis, Setting, Sweep};
pub use words::{COLUMNS, Favoured, rows, sentences};

use plyground_match::{Experiment, Format, GameRow, Openings, Run, RunError, RunPrefix, Seats, Store, pairings, parallel_map};
use plyground_statistics::{
    CONFIDENCE, GameResult, Interval, MeanEstimate, Tally, mean, per_cent, redundancy, simultaneous, wilson,
};

/// The default players: the random agent, then MCTS with ten times as many simulations at each step.
pub const LADDER: [&str; 4] = ["random", "mcts:sims=10", "mcts:sims=100", "mcts:sims=1000"];
/// The default judge of who is ahead.
pub const JUDGE: &str = "mcts:sims=200";

/// The runs of a balance study: one for each setting of the game.
#[derive(Clone, Debug)]
pub struct BalancePlan {
    /// The settings of the game.
    pub sweep: Sweep,
    /// The agents as they were typed, the weakest first.
    pub agents: Vec<String>,
    /// A run for each setting: the agents have the same numbers in all of them.
    pub runs: Vec<Run>,
    /// Do the games of all players count together? Then one agent stands for them.
    pub of_all_players: bool,
}

/// The agent that stands for all players of a run.
const PLAYERS: &str = "all players";

impl BalancePlan {
    /// A plan whose game, settings and agents are checked: each agent can play all settings.
    pub fn new(
        sweep: Sweep,
        agents: &[String],
        openings: &Openings,
        seed: u64,
        resources: &dyn Resources,
    ) -> Result<Self, InputError> {
        let run = |setting: &Setting| {
            let experiment = Experiment::new(&setting.game, agents, resources)?;
            let (format, seats, openings) = (Format::SelfPlay, Seats::Fixed, openings.clone());
            Ok(Experiment { openings, format, seats, seed, ..experiment }.run())
        };
        let runs = sweep.settings.iter().map(run).collect::<Result<_, InputError>>()?;
        Ok(Self { sweep, agents: agents.to_vec(), runs, of_all_players: false })
    }

    /// The plan of games that there are already, as in an imported run: nothing of it is played.
    pub fn of_run(run: Run) -> Result<Self, InputError> {
        let sweep = Sweep::new(&run.experiment.game, &[])?;
        Ok(Self { sweep, agents: vec![PLAYERS.to_owned()], runs: vec![run], of_all_players: true })
    }

    /// The pairings of every run: each agent against itself.
    pub fn pairings(&self) -> Vec<[usize; 2]> {
        pairings(Format::SelfPlay, self.agents.len())
    }
}

/// The results of one setting with one agent.
#[derive(Clone, Debug, PartialEq)]
pub struct BalanceCell {
    /// The number of the setting.
    pub setting: usize,
    /// The number of the agent.
    pub agent: usize,
    /// The results in the view of the first player; games that ended by a fault of an agent do not count.
    pub tally: Tally,
    /// The number of games that ended by a fault.
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

impl BalanceCell {
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

/// The results of a balance study.
#[derive(Clone, Debug)]
pub struct BalanceFindings {
    /// The plan.
    pub plan: BalancePlan,
    /// The agent that judged.
    pub judge: String,
    /// Setting by setting, in each agent by agent.
    pub cells: Vec<BalanceCell>,
    /// The value of each setting for the first player with perfect play, where it is known.
    pub values: Vec<Option<GameValue>>,
}

impl BalanceFindings {
    /// The cell of a setting and an agent.
    pub fn cell(&self, setting: usize, agent: usize) -> &BalanceCell {
        &self.cells[setting * self.plan.agents.len() + agent]
    }

    /// The strongest agent: the one that was named last.
    pub fn strongest(&self) -> usize {
        self.plan.agents.len() - 1
    }

    /// The favoured player of a cell, if the advantage is significant among all cells (a simultaneous interval).
    pub fn favoured(&self, cell: &BalanceCell) -> Favoured {
        match cell.score(simultaneous(self.cells.len())) {
            Some(score) if score.interval.low > 0.5 => Favoured::Shown(Player::First),
            Some(score) if score.interval.high < 0.5 => Favoured::Shown(Player::Second),
            _ => Favoured::NotShown,
        }
    }

    /// A measure of the settings with one value on an axis, averaged over these settings, for an agent; `None` where a cell
    /// has no value.
    pub fn average(&self, axis: usize, value: usize, agent: usize, measure: BalanceMeasure) -> Option<MeanEstimate> {
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

/// A quantity that is measured for a setting with an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BalanceMeasure {
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

impl BalanceMeasure {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Score, Self::Draws, Self::Plies, Self::Branching, Self::LeadChanges, Self::DecidedAt];

    /// Its name in tables and plots.
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

    /// The value of a cell, with a 95 % interval.
    pub fn of(self, cell: &BalanceCell) -> Option<MeanEstimate> {
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

/// The settings of the analysis of the games of a plan.
pub struct BalanceAnalysis<'a> {
    /// The store of the games.
    pub store: &'a Store,
    /// The number of games of each agent in each setting that count.
    pub games: u64,
    /// The judge of who was ahead.
    pub judge: PositionJudge<'a>,
    /// The number of games of each agent in each setting that are judged.
    pub judged: u64,
    /// The number of games that are analysed at the same time.
    pub threads: usize,
    /// Ends the judging, which takes most of the time; the other figures are of all games.
    pub cancel: &'a CancelToken,
}

/// More pairs than a store can hold.
const EVERY_PAIR: u64 = i64::MAX as u64;

/// The measurements of one game.
struct GameMeasurements {
    agent: usize,
    winner: Option<Player>,
    faulty: bool,
    hash: u64,
    plies: f64,
    branching: Option<f64>,
    lead: Option<LeadHistory>,
}

/// Measures all games of a plan that the store holds. `progress` is told how many settings are done.
pub fn analyse(
    plan: BalancePlan,
    analysis: &BalanceAnalysis<'_>,
    progress: &mut dyn FnMut(usize),
) -> Result<BalanceFindings, RunError> {
    let mut cells = Vec::new();
    for (setting, run) in plan.runs.iter().enumerate() {
        progress(setting);
        let mut rows = Vec::new();
        let prefix = RunPrefix { run: &run.id, pairs: if plan.of_all_players { EVERY_PAIR } else { analysis.games } };
        analysis.store.games(prefix, |mut row| {
            if plan.of_all_players {
                (row.agents, row.pair) = ([0; 2], rows.len() as u64);
            }
            rows.push(row);
        })?;
        let measured = measurements(run, &rows, analysis)?;
        cells.extend((0..plan.agents.len()).map(|agent| cell(setting, agent, &measured)));
    }
    let values = vec![None; plan.runs.len()];
    Ok(BalanceFindings { plan, judge: analysis.judge.spec.to_owned(), cells, values })
}

fn measurements(run: &Run, rows: &[GameRow], analysis: &BalanceAnalysis<'_>) -> Result<Vec<GameMeasurements>, InputError> {
    let game = &run.experiment.game;
    let measure = |row: &GameRow| -> Result<GameMeasurements, InputError> {
        let is_judged = row.pair < analysis.judged && row.fault.is_none() && !analysis.cancel.is_cancelled();
        Ok(GameMeasurements {
            agent: row.agents[0],
            winner: row.outcome.winner,
            faulty: row.fault.is_some(),
            hash: row.hash(),
            plies: row.plies() as f64,
            branching: branching(game, row)?,
            lead: if is_judged { Some(analysis.judge.lead_history(game, row)?) } else { None },
        })
    };
    let threads = vec![(); analysis.threads.max(1)];
    let measured = parallel_map(threads, rows.len() as u64, &CancelToken::new(), |(), number| measure(&rows[number as usize]))?;
    Ok(measured.expect("it is not cancelled"))
}

fn cell(setting: usize, agent: usize, measured: &[GameMeasurements]) -> BalanceCell {
    let (faulty, played): (Vec<&GameMeasurements>, Vec<&GameMeasurements>) =
        measured.iter().filter(|game| game.agent == agent).partition(|game| game.faulty);
    let mut tally = Tally::default();
    for game in &played {
        tally.add(GameResult::of(Player::First, game.winner));
    }
    let values =
        |value: &dyn Fn(&GameMeasurements) -> Option<f64>| played.iter().filter_map(|game| value(game)).collect::<Vec<f64>>();
    let histories: Vec<LeadHistory> = played.iter().filter_map(|game| game.lead).collect();
    let of_leads =
        |value: &dyn Fn(&LeadHistory) -> Option<f64>| mean(&histories.iter().filter_map(value).collect::<Vec<f64>>(), CONFIDENCE);
    let plies = values(&|game| Some(game.plies));
    let turned = histories.iter().filter(|lead| lead.lead_changes > 0).count() as u64;
    BalanceCell {
        setting,
        agent,
        tally,
        faults: faulty.len() as u64,
        redundancy: redundancy(played.iter().map(|game| (game.hash, 1))),
        plies: mean(&plies, CONFIDENCE),
        plies_deviation: deviation(&plies),
        branching: mean(&values(&|game| game.branching), CONFIDENCE),
        judged: histories.len() as u64,
        lead_changes: of_leads(&|lead| Some(f64::from(lead.lead_changes))),
        turned: share(turned, histories.len() as u64, CONFIDENCE),
        decided_at: of_leads(&|lead| lead.decided_at),
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
