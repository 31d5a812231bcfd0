//! What was found, in a table and in plain sentences.

use std::cmp::Ordering;

use plyground_core::{GameValue, Player};
use plyground_statistics::{CONFIDENCE, Interval, MeanEstimate, difference, normal_quantile, per_cent, simultaneous};

use super::{Cell, Findings, Measure};

/// Who is favoured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Favoured {
    /// This player, and that is not chance.
    Shown(Player),
    /// The score is not distinguishable from an even one.
    NotShown,
}

impl Favoured {
    /// In a word.
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
pub fn rows(findings: &Findings) -> Vec<[String; COLUMNS.len()]> {
    let row = |cell: &Cell| {
        let written = |measure: Measure| measure.of(cell).map_or("-".to_owned(), |found| measure.written(found));
        [
            findings.plan.sweep.settings[cell.setting].label.clone(),
            findings.plan.agents[cell.agent].clone(),
            cell.tally.games().to_string(),
            written(Measure::Score),
            findings.favoured(cell).word().to_owned(),
            written(Measure::Draws),
            written(Measure::Plies),
            format!("{:.1}", cell.plies_deviation),
            written(Measure::Branching),
            written(Measure::LeadChanges),
            written(Measure::DecidedAt),
        ]
    };
    findings.cells.iter().map(row).collect()
}

/// What follows, in plain sentences, the most important first.
pub fn sentences(findings: &Findings) -> Vec<String> {
    let mut words = Vec::new();
    words.extend(fairness(findings));
    words.extend(perfect_play(findings));
    words.extend(strength(findings));
    words.extend(parameters(findings));
    words.extend(
        [Measure::Draws, Measure::Plies, Measure::Branching, Measure::LeadChanges]
            .map(|measure| extent(findings, measure))
            .into_iter()
            .flatten(),
    );
    words.extend(doubts(findings));
    words
}

fn label<'a>(findings: &'a Findings, cell: &Cell) -> &'a str {
    &findings.plan.sweep.settings[cell.setting].label
}

/// The cells of an agent that have games.
fn played(findings: &Findings, agent: usize) -> Vec<&Cell> {
    findings.cells.iter().filter(|cell| cell.agent == agent && cell.tally.games() > 0).collect()
}

fn score(cell: &Cell) -> MeanEstimate {
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

fn off_even(cell: &Cell) -> f64 {
    (score(cell).value - 0.5).abs()
}

/// A game of which more than this is drawn is not made fair by that.
const DRAWISH: f64 = 0.1;

/// Who is favoured where, with the strongest agent.
fn fairness(findings: &Findings) -> Vec<String> {
    let agent = &findings.plan.agents[findings.strongest()];
    let cells = played(findings, findings.strongest());
    let Some(closest) = cells.iter().min_by(|one, other| off_even(one).total_cmp(&off_even(other))) else {
        return vec![format!("{agent} has not finished a game.")];
    };
    let favouring = |player: Player| -> Vec<&Cell> {
        cells.iter().copied().filter(|cell| findings.favoured(cell) == Favoured::Shown(player)).collect()
    };
    if let [only] = cells[..] {
        let verdict = match findings.favoured(only) {
            Favoured::Shown(player) => format!("the {} player is favoured", player.word()),
            Favoured::NotShown => "that is not distinguishable from fair".to_owned(),
        };
        let found = Measure::Score.written(score(only));
        return vec![format!(
            "When {agent} plays {} against itself, the first player scores {found}: {verdict}.",
            label(findings, only)
        )];
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
            let found = Measure::Score.written(seen_by(player, score(most)));
            words.push(format!(
                "The {} player is favoured most with {}: {found} of the points.",
                player.word(),
                label(findings, most)
            ));
        }
    }
    let found = Measure::Score.written(score(closest));
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

/// The setting that is never far from even, whoever plays.
fn steadiest(findings: &Findings) -> Option<String> {
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

/// What perfect play would give, beside what these agents make of it.
fn perfect_play(findings: &Findings) -> Vec<String> {
    let labels = |worth: GameValue| {
        let settings = findings.plan.sweep.settings.iter().zip(&findings.worth).filter(move |(_, known)| **known == Some(worth));
        settings.map(|(setting, _)| setting.label.as_str()).collect::<Vec<_>>()
    };
    let known: Vec<String> = [
        (GameValue::Win, "the first player wins"),
        (GameValue::Loss, "the second player wins"),
        (GameValue::Draw, "it is a draw"),
    ]
    .into_iter()
    .filter(|(worth, _)| !labels(*worth).is_empty())
    .map(|(worth, words)| format!("{words} with {}", labels(worth).join("; ")))
    .collect();
    if known.is_empty() {
        return Vec::new();
    }
    let mut words = vec![format!("With perfect play {}.", known.join(". With perfect play "))];
    let agent = findings.strongest();
    let decided = findings.worth.iter().enumerate().filter_map(|(setting, worth)| {
        let winner = match (*worth)? {
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

/// How the first player's score changes from the weakest to the strongest agent.
fn strength(findings: &Findings) -> Vec<String> {
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

/// How things change along each parameter, averaged over the others, with the strongest agent.
fn parameters(findings: &Findings) -> Vec<String> {
    let axes = &findings.plan.sweep.axes;
    let varied: Vec<usize> = (0..axes.len()).filter(|&axis| axes[axis].values.len() > 1).collect();
    let comparisons = varied.len() * Measure::ALL.len();
    let mut words = Vec::new();
    for axis in varied {
        let last = axes[axis].values.len() - 1;
        let mut parts = Vec::new();
        for measure in Measure::ALL {
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

fn subject(measure: Measure) -> &'static str {
    match measure {
        Measure::Score => "the first player's score",
        Measure::Draws => "the share of drawn games",
        Measure::Plies => "the number of plies",
        Measure::Branching => "the number of legal moves",
        Measure::LeadChanges => "the number of lead changes",
        Measure::DecidedAt => "the part of a game before it is decided",
    }
}

/// The lowest and the highest value of a measure with the strongest agent.
fn extent(findings: &Findings, measure: Measure) -> Option<String> {
    let cells = played(findings, findings.strongest());
    let found: Vec<(&str, f64)> =
        cells.iter().filter_map(|cell| Some((label(findings, cell), measure.of(cell)?.value))).collect();
    let least = found.iter().min_by(|one, other| one.1.total_cmp(&other.1))?;
    let most = found.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let (low, high) = (measure.value(least.1), measure.value(most.1));
    let values = if low == high { low } else { format!("from {low} ({}) to {high} ({})", least.0, most.0) };
    Some(match measure {
        Measure::Draws => format!("Drawn are {values} of the games."),
        Measure::Plies => format!("A game lasts {values} plies."),
        Measure::LeadChanges => format!("The lead changes {values} times a game."),
        _ => format!("There are {values} legal moves on the average."),
    })
}

/// What to beware of.
fn doubts(findings: &Findings) -> Vec<String> {
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
