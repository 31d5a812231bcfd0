//! Replications of published studies: the published numbers beside ours.

use std::cmp::Ordering;
use std::ops::Range;

use plyground_core::{InputError, Limits, Resources, parse_duration};
use plyground_match::{Experiment, Results, Run, Seats};
use plyground_statistics::{CONFIDENCE, Interval, MeanEstimate, Tally, mean, wilson};
use serde::Deserialize;
use toml::Spanned;

use crate::measure::StudyMeasure;
use crate::verdict::Verdict;

/// A table of a published study, or a question that it left open, as its file says it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// The title of the table.
    pub title: String,
    /// The source.
    pub source: String,
    /// The question of the study.
    pub question: String,
    /// Games for each cell, where a run does not say it.
    pub games: u64,
    /// Remarks beside the numbers.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// The runs: one for each game and budget.
    #[serde(rename = "run")]
    pub runs: Vec<Part>,
}

/// The matches of a study that are played under the same conditions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The game.
    pub game: String,
    /// The seats.
    #[serde(default)]
    pub seats: Seats,
    /// Games for each cell.
    #[serde(default)]
    pub games: Option<u64>,
    /// Time for every move of all agents.
    #[serde(default)]
    pub move_time: Option<String>,
    /// The cells that are compared.
    #[serde(rename = "cell")]
    pub cells: Vec<StudyCell>,
}

/// A cell of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyCell {
    /// The agent whose result it is. With fixed seats it moves first.
    pub first: String,
    /// Its opponent.
    pub second: String,
    /// The name of the row, where that is not the agent.
    #[serde(default)]
    pub row: Option<String>,
    /// The name of the column, where that is not the opponent.
    #[serde(default)]
    pub column: Option<String>,
    /// The published share of the points, a drawn game being half a point, with as many digits as were printed. Beside `games` or
    /// `of` it is a check of the counts.
    #[serde(default)]
    pub share: Option<Spanned<f64>>,
    /// The number of games of that share, or of `outcomes`, where it is known.
    #[serde(default)]
    pub of: Option<u64>,
    /// The published games won, drawn and lost. Where counts were printed they are given, and not only the share.
    #[serde(default)]
    pub games: Option<[u64; 3]>,
    /// The published points of both in a single game: who has more has won.
    #[serde(default)]
    pub points: Option<[i32; 2]>,
    /// The published shares of games won, drawn and lost, where no counts were printed.
    #[serde(default)]
    pub outcomes: Option<Spanned<[f64; 3]>>,
    /// Are the shares of games won, drawn and lost compared one by one, instead of the points? They are where `outcomes` are published.
    #[serde(default)]
    pub each_outcome: bool,
    /// The published length of a game in plies, on the average.
    #[serde(default)]
    pub plies: Option<f64>,
}

/// A number with ours beside it.
#[derive(Clone, Debug)]
pub struct Finding<'a> {
    /// The game.
    pub game: &'a str,
    /// The cell.
    pub cell: &'a StudyCell,
    /// The quantity of the cell.
    pub measure: StudyMeasure,
    /// The published value.
    pub published: Option<f64>,
    /// Our value; `None` before there are games.
    pub ours: Option<MeanEstimate>,
    /// Our games, in the view of the cell's agent.
    pub tally: Tally,
    /// The one beside the other.
    pub verdict: Verdict,
}

impl<'a> Finding<'a> {
    /// The names of its row and its column.
    pub fn names(&self) -> [&'a str; 2] {
        let cell = self.cell;
        [cell.row.as_deref().unwrap_or(&cell.first), cell.column.as_deref().unwrap_or(&cell.second)]
    }

    /// The published value in figures.
    pub fn published_words(&self) -> String {
        self.published.map_or("-".to_owned(), |published| self.measure.number(published))
    }

    /// Our value with its interval.
    pub fn our_words(&self) -> String {
        let words = |ours: MeanEstimate| format!("{} {}", self.measure.number(ours.value), self.measure.range(ours.interval));
        self.ours.map_or("-".to_owned(), words)
    }

    /// The comparison of the two in words.
    pub fn verdict_words(&self) -> String {
        let words = |by: MeanEstimate| format!("{:+.1} {}", self.measure.scale() * by.value, self.measure.range(by.interval));
        match self.verdict {
            Verdict::Agrees => "agrees".to_owned(),
            Verdict::CannotTell(by) => format!("cannot be told: {}", words(by)),
            Verdict::Differs(by) => format!("differs by {}", words(by)),
            Verdict::New => "new".to_owned(),
        }
    }
}

impl Study {
    /// Reads a study from the text of its file.
    pub fn read(text: &str) -> Result<Self, InputError> {
        let malformed = |span: Option<Range<usize>>, why: &str| {
            let before = span.map_or("", |span| &text[..span.start]);
            let line = before.matches('\n').count() + 1;
            InputError::malformed("study", text.lines().nth(line - 1).unwrap_or_default(), format!("line {line}: {why}"))
        };
        let study: Self = toml::from_str(text).map_err(|error| malformed(error.span(), error.message()))?;
        for cell in study.runs.iter().flat_map(|part| &part.cells) {
            let name = || format!("{} - {}", cell.first, cell.second);
            if cell.of.is_some_and(|games| games == 0 || (cell.share.is_none() && cell.outcomes.is_none())) {
                return Err(InputError::malformed("cell", &name(), "expected `of`, a number of games, beside a share"));
            }
            if let Some(outcomes) = &cell.outcomes {
                cell.check_outcomes(outcomes.get_ref()).map_err(|why| malformed(Some(outcomes.span()), &why))?;
            }
            if cell.points.is_some() && (cell.share.is_some() || cell.games.is_some()) {
                return Err(InputError::malformed("cell", &name(), "expected points, or share and games, found both"));
            }
            if cell.games == Some([0; 3]) {
                return Err(InputError::malformed("cell", &name(), "expected games won, drawn and lost, found none"));
            }
            if let Some(share) = &cell.share {
                let printed = text[share.span()].split_once('.').map_or(0, |(_, digits)| digits.len());
                cell.check_share(*share.get_ref(), printed).map_err(|why| malformed(Some(share.span()), &why))?;
            }
        }
        Ok(study)
    }

    /// The games of each cell of a part, if no more than `most` are wanted.
    pub fn games(&self, part: &Part, most: Option<u64>) -> u64 {
        part.games.unwrap_or(self.games).min(most.unwrap_or(u64::MAX))
    }
}

impl Part {
    /// The run that plays this part, always from the start of the game, as the studies did.
    pub fn run(&self, seed: u64, resources: &dyn Resources) -> Result<Run, InputError> {
        let agents: Vec<String> = self.agents().into_iter().map(str::to_owned).collect();
        let time = self.move_time.as_deref().map(parse_duration).transpose()?;
        let limits = Limits { time, ..Limits::default() };
        Ok(Experiment { seats: self.seats, limits, seed, ..Experiment::new(&self.game, &agents, resources)? }.run())
    }

    /// All agents, each once.
    fn agents(&self) -> Vec<&str> {
        let mut agents: Vec<&str> = Vec::new();
        for spec in self.cells.iter().flat_map(|cell| [&cell.first, &cell.second]) {
            if !agents.contains(&spec.as_str()) {
                agents.push(spec);
            }
        }
        agents
    }

    /// The pairings by number in the run, one for each cell.
    pub fn pairings(&self) -> Vec<[usize; 2]> {
        let agents = self.agents();
        let number = |spec: &String| agents.iter().position(|known| known == spec).expect("all are listed");
        self.cells.iter().map(|cell| [number(&cell.first), number(&cell.second)]).collect()
    }

    /// Every published number, and every cell without one, with what was found.
    pub fn findings<'a>(&'a self, results: &Results) -> Vec<Finding<'a>> {
        let cells = self.cells.iter().zip(self.pairings());
        cells.flat_map(|(cell, agents)| cell.findings(self, agents, results)).collect()
    }
}

impl StudyCell {
    /// Whether the printed counts of a cell have its printed share, rounded or cut off after so many digits; and if not, why.
    fn check_share(&self, share: f64, digits: usize) -> Result<(), String> {
        if !(0.0..=1.0).contains(&share) {
            return Err(format!("expected a share from 0 to 1, found {share}"));
        }
        // Fewer than two digits are those of whole numbers, such as 1.0.
        let unit = 0.1_f64.powi(digits.max(2) as i32);
        let is_printed = |counted: f64| (counted - share).abs() < unit - 1e-9;
        if let Some([wins, draws, losses]) = self.games {
            let tally = Tally { wins, draws, losses };
            let (games, counted) = (tally.games(), tally.sample().mean);
            if !is_printed(counted) {
                return Err(format!("expected the share of games = [{wins}, {draws}, {losses}], {counted:.4}, found {share}"));
            }
            if let Some(of) = self.of.filter(|&of| of != games) {
                return Err(format!("expected the sum of games = [{wins}, {draws}, {losses}], {games}, found of = {of}"));
            }
        }
        if let Some(games) = self.of {
            let halves = 2.0 * games as f64;
            let nearest = (share * halves).round() / halves;
            if !is_printed(nearest) {
                return Err(format!("expected a share that {games} games can have, such as {nearest:.4}, found {share}"));
            }
        }
        Ok(())
    }

    /// Whether printed shares of games won, drawn and lost can be those of all games; and if not, why.
    fn check_outcomes(&self, outcomes: &[f64; 3]) -> Result<(), String> {
        if self.share.is_some() || self.games.is_some() || self.points.is_some() {
            return Err("expected outcomes alone, found share, games or points beside them".to_owned());
        }
        let sum: f64 = outcomes.iter().sum();
        // Three rounded percentages may be off by half a per cent each.
        if outcomes.iter().any(|share| !(0.0..=1.0).contains(share)) || (sum - 1.0).abs() > 0.015 {
            return Err(format!("expected shares of games won, drawn and lost that add up to 1, found {outcomes:?}"));
        }
        Ok(())
    }

    fn findings<'a>(&'a self, part: &'a Part, agents: [usize; 2], results: &Results) -> Vec<Finding<'a>> {
        let result = results.between(agents);
        let (tally, sample) = match part.seats {
            Seats::Swapped => (result.tally(), result.sample()),
            Seats::Fixed => (result[0], result[0].sample()),
        };
        let played = tally.games() > 0;
        let share = |count: u64| MeanEstimate {
            value: count as f64 / tally.games() as f64,
            interval: wilson(count, tally.games(), CONFIDENCE),
        };
        let points = results.points(agents);
        let points_of = |number: usize| {
            let theirs: Vec<f64> = points.iter().map(|both| both[number]).collect();
            mean(&theirs, CONFIDENCE)
        };
        let ours = |measure: StudyMeasure| match measure {
            StudyMeasure::Score => played.then(|| MeanEstimate { value: sample.mean, interval: sample.interval(CONFIDENCE) }),
            StudyMeasure::Won => played.then(|| share(tally.wins)),
            StudyMeasure::Drawn => played.then(|| share(tally.draws)),
            StudyMeasure::Lost => played.then(|| share(tally.losses)),
            StudyMeasure::Plies => mean(results.lengths(agents), CONFIDENCE),
            StudyMeasure::Points => points_of(0),
            StudyMeasure::OpponentPoints => points_of(1),
        };
        let shares: &[StudyMeasure] = if self.each_outcome || self.outcomes.is_some() {
            &[StudyMeasure::Won, StudyMeasure::Drawn, StudyMeasure::Lost]
        } else {
            &[StudyMeasure::Score]
        };
        let of_points: &[StudyMeasure] =
            if self.points.is_some() { &[StudyMeasure::Points, StudyMeasure::OpponentPoints] } else { &[] };
        let measures = shares.iter().copied().chain(self.plies.map(|_| StudyMeasure::Plies)).chain(of_points.iter().copied());
        measures
            .map(|measure| {
                let ours = ours(measure);
                let published = match self.points_in_one_game(measure) {
                    Some(printed) => Some(as_one_of(printed, ours, points.len())),
                    None => self.published(measure),
                };
                let verdict = match (published, ours) {
                    (Some(published), Some(ours)) => Verdict::on(measure, ours, published),
                    _ => Verdict::New,
                };
                let published = published.map(|published| published.value);
                Finding { game: &part.game, cell: self, measure, published, ours, tally, verdict }
            })
            .collect()
    }

    /// The published value, with its interval where the number of games is known, and otherwise with that of its rounding.
    fn published(&self, measure: StudyMeasure) -> Option<MeanEstimate> {
        let rounded = |value: f64| {
            let off = measure.rounding();
            MeanEstimate { value, interval: Interval { low: value - off, high: value + off } }
        };
        if measure == StudyMeasure::Plies {
            return self.plies.map(rounded);
        }
        let printed = |share: f64| {
            let games_known = |games: u64| MeanEstimate {
                value: share,
                interval: wilson((share * games as f64).round() as u64, games, CONFIDENCE),
            };
            self.of.map_or_else(|| rounded(share), games_known)
        };
        if let Some(outcomes) = &self.outcomes {
            let [won, drawn, lost] = *outcomes.get_ref();
            return Some(printed(match measure {
                StudyMeasure::Won => won,
                StudyMeasure::Drawn => drawn,
                StudyMeasure::Lost => lost,
                _ => won + drawn / 2.0,
            }));
        }
        let tally = self.games.map(|[wins, draws, losses]| Tally { wins, draws, losses }).or_else(|| self.single_game());
        let Some(tally) = tally else {
            return Some(printed(*self.share.as_ref()?.get_ref()));
        };
        let count = match measure {
            StudyMeasure::Won => tally.wins,
            StudyMeasure::Drawn => tally.draws,
            StudyMeasure::Lost => tally.losses,
            _ => {
                let sample = tally.sample();
                return Some(MeanEstimate { value: sample.mean, interval: sample.interval(CONFIDENCE) });
            }
        };
        let value = count as f64 / tally.games() as f64;
        Some(MeanEstimate { value, interval: wilson(count, tally.games(), CONFIDENCE) })
    }

    fn points_in_one_game(&self, measure: StudyMeasure) -> Option<i32> {
        match measure {
            StudyMeasure::Points => Some(self.points?[0]),
            StudyMeasure::OpponentPoints => Some(self.points?[1]),
            _ => None,
        }
    }

    fn single_game(&self) -> Option<Tally> {
        let [own, other] = self.points?;
        let mut tally = Tally::default();
        match own.cmp(&other) {
            Ordering::Greater => tally.wins = 1,
            Ordering::Equal => tally.draws = 1,
            Ordering::Less => tally.losses = 1,
        }
        Some(tally)
    }
}

/// What was printed for a single game, with the interval of a mean of one game that varies as ours do.
fn as_one_of(printed: i32, ours: Option<MeanEstimate>, games: usize) -> MeanEstimate {
    let value = f64::from(printed);
    let spread = ours.map_or(0.0, |ours| (ours.interval.high - ours.value) * (games as f64).sqrt());
    MeanEstimate { value, interval: Interval { low: value - spread, high: value + spread } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(successes: u64, trials: u64) -> MeanEstimate {
        MeanEstimate { value: successes as f64 / trials as f64, interval: wilson(successes, trials, CONFIDENCE) }
    }

    fn cell(lines: &str) -> Result<StudyCell, InputError> {
        let text = format!(
            "title = 't'\nsource = 's'\nquestion = 'q'\ngames = 4\n[[run]]\ngame = 'tictactoe'\n[[run.cell]]\nfirst = 'random'\nsecond = 'mc'\n{lines}"
        );
        Study::read(&text).map(|mut study| study.runs.remove(0).cells.remove(0))
    }

    #[test]
    fn published_numbers_are_read_in_every_form() {
        let score = |lines: &str| cell(lines).unwrap().published(StudyMeasure::Score);
        assert_eq!(score(""), None);
        let rounded = score("share = 0.512").unwrap();
        assert!((rounded.interval.high - rounded.interval.low - 0.001).abs() < 1e-12 && rounded.value == 0.512, "{rounded:?}");
        let of_33 = score("share = 0.758\nof = 33").unwrap();
        assert_eq!((of_33.value, of_33.interval), (0.758, share(25, 33).interval));
        assert_eq!(score("games = [61, 0, 39]"), Some(share(61, 100)));
        assert_eq!(score("points = [6, 18]"), Some(share(0, 1)));
        assert_eq!(score("points = [3, 3]").unwrap().value, 0.5);
        let each = cell("games = [431, 3, 566]\neach_outcome = true\nplies = 27.5").unwrap();
        let found = [StudyMeasure::Won, StudyMeasure::Drawn, StudyMeasure::Lost].map(|measure| each.published(measure).unwrap());
        assert_eq!(found, [share(431, 1000), share(3, 1000), share(566, 1000)]);
        assert_eq!(each.published(StudyMeasure::Plies).unwrap().interval, Interval { low: 27.45, high: 27.55 });
        let shares = cell("outcomes = [0.431, 0.003, 0.566]\nof = 1000").unwrap();
        let found =
            [StudyMeasure::Won, StudyMeasure::Drawn, StudyMeasure::Lost].map(|measure| shares.published(measure).unwrap());
        assert_eq!(
            found,
            [share(431, 1000), share(3, 1000), share(566, 1000)],
            "counts and shares of as many games are the same"
        );
    }

    #[test]
    fn what_is_no_study_is_refused_in_words() {
        let refused = |lines: &str| cell(lines).unwrap_err().to_string();
        assert!(refused("share = 1.5").contains("line 10: expected a share from 0 to 1, found 1.5"));
        assert!(refused("share = 0.5\npoints = [1, 2]").contains("expected points, or share and games, found both"));
        assert!(refused("games = [0, 0, 0]").contains("expected games won, drawn and lost, found none"));
        assert!(refused("of = 3").contains("expected `of`, a number of games, beside a share"));
        assert!(refused("share = 0.5\nof = 0").contains("expected `of`"));
        assert!(
            refused("outcomes = [0.431, 0.3, 0.566]")
                .contains("line 10: expected shares of games won, drawn and lost that add up to 1")
        );
        assert!(refused("outcomes = [0.5, 0.0, 0.5]\ngames = [1, 0, 1]").contains("line 10: expected outcomes alone"));
        let unknown = refused("shares = 0.5");
        assert!(unknown.contains("line 10") && unknown.contains("shares"), "{unknown}");
    }

    #[test]
    fn printed_counts_that_contradict_their_share_are_refused_with_the_line() {
        let refused = |lines: &str| cell(lines).unwrap_err().to_string();
        let found = refused("games = [44, 0, 424]\nshare = 0.096");
        assert!(found.contains("line 11: expected the share of games = [44, 0, 424], 0.0940, found 0.096"), "{found}");
        let found = refused("share = 0.758\nof = 34");
        assert!(found.contains("line 10: expected a share that 34 games can have, such as 0.7647, found 0.758"), "{found}");
        let found = refused("games = [25, 0, 8]\nshare = 0.758\nof = 34");
        assert!(found.contains("expected the sum of games = [25, 0, 8], 33, found of = 34"), "{found}");
        assert!(refused("games = [57, 0, 1]\nshare = 1.0").contains("line 11"));
        // Rounded and cut off, with drawn games, and with two digits.
        for printed in
            ["[2, 0, 1]\nshare = 0.667", "[2, 0, 1]\nshare = 0.666", "[1, 1, 2]\nshare = 0.375", "[19, 0, 1]\nshare = 0.95"]
        {
            let read = cell(&format!("games = {printed}")).unwrap();
            let tally = read.games.map(|[wins, draws, losses]| Tally { wins, draws, losses }).unwrap();
            assert_eq!(read.published(StudyMeasure::Score).unwrap().value, tally.sample().mean, "the counts rule");
        }
    }

    #[test]
    fn a_part_may_ask_for_fewer_games() {
        let text = "title = 't'\nsource = 's'\nquestion = 'q'\ngames = 40\n[[run]]\ngame = 'tictactoe'\ncell = []\n[[run]]\ngame = 'tictactoe'\ngames = 10\ncell = []";
        let study = Study::read(text).unwrap();
        let games = |most| [0, 1].map(|part| study.games(&study.runs[part], most));
        assert_eq!(games(None), [40, 10]);
        assert_eq!(games(Some(20)), [20, 10]);
        assert_eq!(games(Some(5)), [5, 5]);
    }
}
