//! The results of a balance study, as a table and as sentences.

use std::cmp::Ordering;

use plyground_core::{GameValue, Player};
use plyground_statistics::{CONFIDENCE, Interval, MeanEstimate, difference, normal_quantile, per_cent, simultaneous};

use super::{BalanceCell, BalanceFindings, BalanceMeasure};

/// The favoured player of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Favoured {
    /// This player, and that is not chance.
    Shown(Player),
    /// The score is not distinguishable from an even one.
    NotShown,
}

impl Favoured {
    /// The favoured player in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Shown(player) => player.word(),
            Self::NotShown => "-",
        }
    }
}

/// The columns of [`rows`].
pub const COLUMNS: [&str; 11] = [
    "setting",
    "agent",
    "games",
    "first player's score",
    "favoured",
    "drawn",
    "plies",
    "spread",
    "legal moves",
    "lead changes",
    "decided after",
];

/// A row for every cell.
pub fn rows(findings: &BalanceFindings) -> Vec<[String; COLUMNS.len()]> {
    let row = |cell: &BalanceCell| {
        let written = |measure: BalanceMeasure| measure.of(cell).map_or("-".to_owned(), |found| measure.written(found));
        [
            findings.plan.sweep.settings[cell.setting].label.clone(),
            findings.plan.agents[cell.agent].clone(),
            cell.tally.games().to_string(),
            written(BalanceMeasure::Score),
            findings.favoured(cell).word().to_owned(),
            written(BalanceMeasure::Draws),
            written(BalanceMeasure::Plies),
            format!("{:.1}", cell.plies_deviation),
            written(BalanceMeasure::Branching),
            written(BalanceMeasure::LeadChanges),
            written(BalanceMeasure::DecidedAt),
        ]
    };
    findings.cells.iter().map(row).collect()
}

/// The conclusions in plain sentences, the most important first.
pub fn sentences(findings: &BalanceFindings) -> Vec<String> {
    let mut words = Vec::new();
    words.extend(fairness(findings));
    words.extend(perfect_play(findings));
    words.extend(strength(findings));
    words.extend(parameters(findings));
    words.extend(
        [BalanceMeasure::Draws, BalanceMeasure::Plies, BalanceMeasure::Branching, BalanceMeasure::LeadChanges]
            .map(|measure| extent(findings, measure))
            .into_iter()
            .flatten(),
    );
    words.extend(doubts(findings));
    words
}

fn label<'a>(findings: &'a BalanceFindings, cell: &BalanceCell) -> &'a str {
    &findings.plan.sweep.settings[cell.setting].label
}

/// The cells of an agent that have games.
fn played(findings: &BalanceFindings, agent: usize) -> Vec<&BalanceCell> {
    findings.cells.iter().filter(|cell| cell.agent == agent && cell.tally.games() > 0).collect()
}

fn score(cell: &BalanceCell) -> MeanEstimate {
    cell.score(CONFIDENCE).expect("only cells with games are asked")
}

/// A score in the view of a player.
fn seen_by(player: Player, score: MeanEstimate) -> MeanEstimate {
    match player {
        Player::First => score,
        Player::Second => {
            let Interval { low, high } = score.interval;
            MeanEstimate { value: 1.0 - score.value, interval: Interval { low: 1.0 - high, high: 1.0 - low } }
        }
    }
}

fn counted(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

fn off_even(cell: &BalanceCell) -> f64 {
    (score(cell).value - 0.5).abs()
}

/// A game of which more than this is drawn is not made fair by that.
const DRAWISH: f64 = 0.1;

/// The favoured players of the settings, with the strongest agent.
fn fairness(findings: &BalanceFindings) -> Vec<String> {
    let agent = &findings.plan.agents[findings.strongest()];
    let cells = played(findings, findings.strongest());
    let Some(closest) = cells.iter().min_by(|one, other| off_even(one).total_cmp(&off_even(other))) else {
        return vec![format!("{agent} has not finished a game.")];
    };
    let favouring = |player: Player| -> Vec<&BalanceCell> {
        cells.iter().copied().filter(|cell| findings.favoured(cell) == Favoured::Shown(player)).collect()
    };
    if let [only] = cells[..] {
        let verdict = match findings.favoured(only) {
            Favoured::Shown(player) => format!("the {} player is favoured", player.word()),
            Favoured::NotShown => "that is not distinguishable from fair".to_owned(),
        };
        let found = BalanceMeasure::Score.written(score(only));
        let games = if findings.plan.of_all_players {
            format!("In the {} of {}", counted(only.tally.games() as usize, "game", "games"), label(findings, only))
        } else {
            format!("When {agent} plays {} against itself", label(findings, only))
        };
        return vec![format!("{games}, the first player scores {found}: {verdict}.")];
    }
    let (first, second) = (favouring(Player::First), favouring(Player::Second));
    let open = cells.len() - first.len() - second.len();
    let mut words = vec![format!(
        "With {agent} on both sides, the first player is favoured in {} of {} settings, the second in {}; {open} {} not distinguishable from fair.",
        first.len(),
        cells.len(),
        second.len(),
        if open == 1 { "is" } else { "are" },
    )];
    for (player, mut favouring) in [(Player::First, first), (Player::Second, second)] {
        favouring.sort_by(|one, other| off_even(other).total_cmp(&off_even(one)));
        if let Some(most) = favouring.first() {
            let found = BalanceMeasure::Score.written(seen_by(player, score(most)));
            words.push(format!(
                "The {} player is favoured most with {}: {found} of the points.",
                player.word(),
                label(findings, most)
            ));
        }
    }
    let found = BalanceMeasure::Score.written(score(closest));
    let aside = match findings.favoured(closest) {
        Favoured::Shown(player) => format!("and even there the {} player is favoured", player.word()),
        Favoured::NotShown if open == 1 => "not distinguishable from fair".to_owned(),
        Favoured::NotShown => format!(
            "not distinguishable from fair (nor {} {})",
            if open == 2 { "is" } else { "are" },
            counted(open - 1, "other setting", "other settings")
        ),
    };
    let drawish = closest.draws(CONFIDENCE).filter(|draws| draws.value > DRAWISH);
    let drawish = drawish.map_or_else(String::new, |draws| format!(" But {} of its games are drawn.", per_cent(draws.value)));
    words.push(format!(
        "Closest to fair is {}, where the first player scores {found}, {aside}.{drawish}",
        label(findings, closest)
    ));
    words.extend(steadiest(findings));
    words
}

/// The setting whose score stays closest to even over all agents.
fn steadiest(findings: &BalanceFindings) -> Option<String> {
    let agents = findings.plan.agents.len();
    let scores = |setting: usize| -> Option<Vec<f64>> {
        (0..agents).map(|agent| findings.cell(setting, agent).score(CONFIDENCE).map(|score| score.value)).collect()
    };
    let farthest = |scores: &[f64]| scores.iter().map(|score| (score - 0.5).abs()).fold(0.0, f64::max);
    let settings = (0..findings.plan.sweep.settings.len()).filter_map(|setting| Some((setting, scores(setting)?)));
    let (setting, scores) =
        settings.min_by(|one, other| farthest(&one.1).total_cmp(&farthest(&other.1))).filter(|_| agents > 1)?;
    let [low, high] = [scores.iter().copied().fold(1.0, f64::min), scores.iter().copied().fold(0.0, f64::max)].map(per_cent);
    let label = &findings.plan.sweep.settings[setting].label;
    Some(format!("Over all agents {label} stays closest to fair: the first player scores from {low} to {high}."))
}

/// The results of perfect play, beside those of the agents.
fn perfect_play(findings: &BalanceFindings) -> Vec<String> {
    let labels = |value: GameValue| {
        let settings = findings.plan.sweep.settings.iter().zip(&findings.values).filter(move |(_, known)| **known == Some(value));
        settings.map(|(setting, _)| setting.label.as_str()).collect::<Vec<_>>()
    };
    let known: Vec<String> = [
        (GameValue::Win, "the first player wins"),
        (GameValue::Loss, "the second player wins"),
        (GameValue::Draw, "it is a draw"),
    ]
    .into_iter()
    .filter(|(value, _)| !labels(*value).is_empty())
    .map(|(value, words)| format!("{words} with {}", labels(value).join("; ")))
    .collect();
    if known.is_empty() {
        return Vec::new();
    }
    let mut words = vec![format!("With perfect play {}.", known.join(". With perfect play "))];
    let agent = findings.strongest();
    let decided = findings.values.iter().enumerate().filter_map(|(setting, value)| {
        let winner = match (*value)? {
            GameValue::Win => Player::First,
            GameValue::Loss => Player::Second,
            GameValue::Draw => return None,
        };
        Some(findings.favoured(findings.cell(setting, agent)) == Favoured::Shown(winner))
    });
    let shown: Vec<bool> = decided.collect();
    if !shown.is_empty() {
        words.push(format!(
            "With {} the player who should win is the favoured one in {} of these {} decided settings.",
            findings.plan.agents[agent],
            shown.iter().filter(|shown| **shown).count(),
            shown.len()
        ));
    }
    words
}

/// Is the second of two values higher or lower, beyond what chance does somewhere among so many comparisons?
fn shift(from: MeanEstimate, to: MeanEstimate, comparisons: usize) -> Option<Ordering> {
    // Intervals of 95 % become wider as those of a normal distribution do.
    let quantile = |confidence: f64| normal_quantile(0.5 + 0.5 * confidence);
    let wider = quantile(simultaneous(comparisons)) / quantile(CONFIDENCE);
    let widened = |MeanEstimate { value, interval }: MeanEstimate| {
        (value, Interval { low: value - wider * (value - interval.low), high: value + wider * (interval.high - value) })
    };
    let interval = difference(widened(to), widened(from));
    if interval.low > 0.0 {
        Some(Ordering::Greater)
    } else if interval.high < 0.0 {
        Some(Ordering::Less)
    } else {
        None
    }
}

/// The change of the first player's score from the weakest to the strongest agent.
fn strength(findings: &BalanceFindings) -> Vec<String> {
    let (agents, last) = (&findings.plan.agents, findings.strongest());
    let settings = findings.plan.sweep.settings.len();
    if last == 0 {
        return Vec::new();
    }
    let mut changes: Vec<(usize, f64, f64, Option<Ordering>)> = Vec::new();
    for setting in 0..settings {
        if let [Some(from), Some(to)] = [0, last].map(|agent| findings.cell(setting, agent).score(CONFIDENCE)) {
            changes.push((setting, from.value, to.value, shift(from, to, settings)));
        }
    }
    if changes.is_empty() {
        return Vec::new();
    }
    let described = |ordering: Ordering, verb: &str| {
        let of_these: Vec<_> = changes.iter().filter(|change| change.3 == Some(ordering)).collect();
        let most = of_these.iter().max_by(|one, other| (one.2 - one.1).abs().total_cmp(&(other.2 - other.1).abs()))?;
        let label = &findings.plan.sweep.settings[most.0].label;
        let which = if settings == 1 {
            String::new()
        } else {
            format!(" in {} of {settings} settings, most with {label}:", of_these.len())
        };
        Some(format!("{verb}{which} from {} to {}", per_cent(most.1), per_cent(most.2)))
    };
    let mut parts: Vec<String> = [(Ordering::Greater, "rises"), (Ordering::Less, "falls")]
        .into_iter()
        .filter_map(|(ordering, verb)| described(ordering, verb))
        .collect();
    let same = changes.iter().filter(|change| change.3.is_none()).count();
    if same > 0 {
        parts.push(if settings == 1 { "shows no change".to_owned() } else { format!("shows no change in {same}") });
    }
    vec![format!("From {} to {} the first player's score {}.", agents[0], agents[last], parts.join("; it "))]
}

/// The changes along each parameter, averaged over the others, with the strongest agent.
fn parameters(findings: &BalanceFindings) -> Vec<String> {
    let axes = &findings.plan.sweep.axes;
    let varied: Vec<usize> = (0..axes.len()).filter(|&axis| axes[axis].values.len() > 1).collect();
    let comparisons = varied.len() * BalanceMeasure::ALL.len();
    let mut words = Vec::new();
    for axis in varied {
        let last = axes[axis].values.len() - 1;
        let mut parts = Vec::new();
        for measure in BalanceMeasure::ALL {
            let ends = [0, last].map(|value| findings.average(axis, value, findings.strongest(), measure));
            let [Some(from), Some(to)] = ends else { continue };
            let verb = match shift(from, to, comparisons) {
                Some(Ordering::Greater) => "rises",
                Some(Ordering::Less) => "falls",
                _ => continue,
            };
            parts.push(format!("{} {verb} from {} to {}", subject(measure), measure.value(from.value), measure.value(to.value)));
        }
        let (from, to) = (axes[axis].label(0), axes[axis].label(last));
        let others = if axes.len() > 1 { ", averaged over the other parameters" } else { "" };
        words.push(if parts.is_empty() {
            format!("From {from} to {to}{others}, no change is shown.")
        } else {
            format!("From {from} to {to}{others}: {}.", parts.join(", "))
        });
    }
    words
}

fn subject(measure: BalanceMeasure) -> &'static str {
    match measure {
        BalanceMeasure::Score => "the first player's score",
        BalanceMeasure::Draws => "the share of drawn games",
        BalanceMeasure::Plies => "the number of plies",
        BalanceMeasure::Branching => "the number of legal moves",
        BalanceMeasure::LeadChanges => "the number of lead changes",
        BalanceMeasure::DecidedAt => "the part of a game before it is decided",
    }
}

/// The lowest and the highest value of a measure with the strongest agent.
fn extent(findings: &BalanceFindings, measure: BalanceMeasure) -> Option<String> {
    let cells = played(findings, findings.strongest());
    let found: Vec<(&str, f64)> =
        cells.iter().filter_map(|cell| Some((label(findings, cell), measure.of(cell)?.value))).collect();
    let least = found.iter().min_by(|one, other| one.1.total_cmp(&other.1))?;
    let most = found.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let (low, high) = (measure.value(least.1), measure.value(most.1));
    let values = if low == high { low } else { format!("from {low} ({}) to {high} ({})", least.0, most.0) };
    Some(match measure {
        BalanceMeasure::Draws => format!("Drawn are {values} of the games."),
        BalanceMeasure::Plies => format!("A game lasts {values} plies."),
        BalanceMeasure::LeadChanges => format!("The lead changes {values} times a game."),
        _ => format!("There are {values} legal moves on the average."),
    })
}

/// The warnings.
fn doubts(findings: &BalanceFindings) -> Vec<String> {
    const MANY: f64 = 0.1;
    let mut words = Vec::new();
    let repeating = findings.cells.iter().filter(|cell| cell.redundancy > MANY);
    let count = repeating.clone().count();
    if let Some(most) = repeating.max_by(|one, other| one.redundancy.total_cmp(&other.redundancy)) {
        words.push(format!(
            "Beware: in {} of {} cells more than a tenth of the games repeat an earlier one, most with {} and {} ({}). The more, the less they say about the game rather than the agent.",
            count,
            findings.cells.len(),
            label(findings, most),
            findings.plan.agents[most.agent],
            per_cent(most.redundancy)
        ));
    }
    let faults: u64 = findings.cells.iter().map(|cell| cell.faults).sum();
    if faults > 0 {
        words.push(format!("Left out are {} that ended by a fault of an agent.", counted(faults as usize, "game", "games")));
    }
    words
}
