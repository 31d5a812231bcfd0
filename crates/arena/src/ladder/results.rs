//! The results of the ladder: pairs of games by who played them, ratings of all, promotions.

use std::collections::{BTreeMap, HashMap, VecDeque};

use plyground_match::{GameRow, Results, Run};
use plyground_statistics::{Anchor, EloModel, MatchResult, Meeting, Pairs, Rating, RatingError, Sprt, SprtDecision, Tally, rate};

/// Lines of games that are kept for each player.
const LINES: usize = 40;
/// A league is won by a lead of so many Elo over its guard, in a sequential test with 5 % errors.
const LEAD: f64 = 100.0;

/// The word for the fault of an answer that comes too late.
const LATE: &str = "overran";

/// A game in a line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GameLine {
    /// Who played, in the order in which they moved.
    pub specs: [String; 2],
    pub outcome: &'static str,
    pub reason: String,
    pub fault: Option<String>,
    /// The one that lost by the fault.
    pub loser: Option<usize>,
    pub plies: usize,
    /// The longest thought of each, in milliseconds.
    pub slowest: [f64; 2],
    /// The thinking of both, in milliseconds.
    pub thinking: f64,
    pub run: String,
    pub pair: u64,
    pub game: u8,
    pub ended: i64,
}

impl GameLine {
    pub fn new(run: &Run, game: &GameRow) -> Self {
        let mut slowest = [0.0_f64; 2];
        let mut thinking = 0.0;
        for (player, ms) in game.thinking() {
            slowest[player.index()] = slowest[player.index()].max(ms);
            thinking += ms;
        }
        let winner = game.outcome.winner.map(plyground_core::Player::index);
        Self {
            specs: game.agents.map(|agent| run.experiment.agents[agent].clone()),
            outcome: game.outcome.word(),
            reason: game.reason.clone(),
            fault: game.fault.clone(),
            loser: game.fault.as_ref().and(winner).map(|winner| 1 - winner),
            plies: game.plies(),
            slowest,
            thinking,
            run: run.id.clone(),
            pair: game.pair,
            game: game.game,
            ended: game.ended,
        }
    }

    /// The result of one of the two in a word.
    pub fn result_of(&self, seat: usize) -> &'static str {
        match (self.outcome, seat) {
            ("first", 0) | ("second", 1) => "won",
            ("first" | "second", _) => "lost",
            _ => "drew",
        }
    }
}

/// All results of two, in the view of the one whose spec comes first.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairRecord {
    pub result: MatchResult,
    pub pairs: u64,
}

/// The results of all.
#[derive(Default)]
pub(crate) struct LadderResults {
    records: BTreeMap<[String; 2], PairRecord>,
    /// By spec: pairs, and all games. Pages ask for them, so they are not counted anew each time.
    totals: HashMap<String, (u64, Tally)>,
    pub ratings: HashMap<String, Rating>,
    lines: HashMap<String, VecDeque<GameLine>>,
    pub latest: VecDeque<GameLine>,
    pub games: u64,
    pub faults: u64,
    faults_by: HashMap<String, u64>,
    /// Milliseconds of thinking of all.
    pub thinking: f64,
    /// Games since the ratings were computed.
    pub unrated: u64,
}

/// Two specs in the order in which a run names them.
pub(crate) fn in_order(one: &str, other: &str) -> [String; 2] {
    if one <= other { [one.to_owned(), other.to_owned()] } else { [other.to_owned(), one.to_owned()] }
}

impl LadderResults {
    /// All that a run between two has brought.
    pub fn replace(&mut self, run: &Run, results: &Results) {
        let [one, other] = [&run.experiment.agents[0], &run.experiment.agents[1]];
        let specs = in_order(one, other);
        let order = if specs[0] == *one { [0, 1] } else { [1, 0] };
        let record = PairRecord { result: results.between(order), pairs: results.pairs() };
        let before = self.records.get(&specs).cloned().unwrap_or_default();
        let [now, then] = [&record, &before].map(|record| record.result.tally());
        for (spec, [now, then]) in specs.iter().zip([[now, then], [now.reversed(), then.reversed()]]) {
            let (pairs, tally) = self.totals.entry(spec.clone()).or_default();
            *pairs = *pairs + record.pairs - before.pairs;
            tally.wins = tally.wins + now.wins - then.wins;
            tally.draws = tally.draws + now.draws - then.draws;
            tally.losses = tally.losses + now.losses - then.losses;
        }
        self.records.insert(specs, record);
    }

    /// Takes note of a game.
    pub fn add(&mut self, line: GameLine) {
        self.games += 1;
        self.unrated += 1;
        if let Some(loser) = line.loser {
            self.faults += 1;
            *self.faults_by.entry(line.specs[loser].clone()).or_default() += 1;
        }
        self.thinking += line.thinking;
        for spec in &line.specs {
            push(self.lines.entry(spec.clone()).or_default(), line.clone());
        }
        push(&mut self.latest, line);
    }

    /// The last games of one, the newest first.
    pub fn lines(&self, spec: &str) -> impl Iterator<Item = &GameLine> {
        self.lines.get(spec).into_iter().flatten()
    }

    /// The games that one has lost by faults.
    pub fn faults_of(&self, spec: &str) -> u64 {
        self.faults_by.get(spec).copied().unwrap_or_default()
    }

    /// The pairs of two.
    pub fn pairs(&self, one: &str, other: &str) -> u64 {
        self.records.get(&in_order(one, other)).map_or(0, |record| record.pairs)
    }

    /// The pairs of one with all others.
    pub fn pairs_of(&self, spec: &str) -> u64 {
        self.totals.get(spec).map_or(0, |(pairs, _)| *pairs)
    }

    /// All games of one.
    pub fn tally_of(&self, spec: &str) -> Tally {
        self.totals.get(spec).map_or_else(Tally::default, |(_, tally)| *tally)
    }

    /// The pairs of each of these with each: row after row.
    pub fn pairs_among(&self, specs: &[&str]) -> Vec<u64> {
        let numbers: HashMap<&str, usize> = specs.iter().enumerate().map(|(number, spec)| (*spec, number)).collect();
        let mut all = vec![0; specs.len() * specs.len()];
        for ([one, other], record) in &self.records {
            if let (Some(one), Some(other)) = (numbers.get(one.as_str()), numbers.get(other.as_str())) {
                all[one * specs.len() + other] = record.pairs;
                all[other * specs.len() + one] = record.pairs;
            }
        }
        all
    }

    /// The results of one against each other one, in its view.
    pub fn opponents(&self, spec: &str) -> Vec<(String, MatchResult)> {
        let in_view = |(specs, record): (&[String; 2], &PairRecord)| match specs.iter().position(|own| own == spec)? {
            0 => Some((specs[1].clone(), record.result)),
            _ => Some((specs[0].clone(), record.result.reversed())),
        };
        self.records.iter().filter_map(in_view).collect()
    }

    /// Has one beaten the other by enough? A sequential test, because it is asked after every pair.
    pub fn has_beaten(&self, one: &str, other: &str) -> bool {
        let record = self.records.get(&in_order(one, other)).cloned().unwrap_or_default();
        let result = if one <= other { record.result } else { record.result.reversed() };
        is_significant(&result.pairs())
    }

    /// What ratings are computed from: the players, and their games.
    pub fn meetings(&self) -> (Vec<String>, Vec<Meeting>) {
        let mut specs: Vec<String> = self.records.keys().flatten().cloned().collect();
        specs.sort();
        specs.dedup();
        let number = |spec: &String| specs.binary_search(spec).unwrap_or_default();
        let meetings = self.records.iter().flat_map(|([one, other], record)| {
            let (one, other) = (number(one), number(other));
            let meeting = |first, second, tally: Tally| Meeting {
                first,
                second,
                wins: tally.wins,
                draws: tally.draws,
                losses: tally.losses,
            };
            [meeting(one, other, record.result[0]), meeting(other, one, record.result[1].reversed())]
        });
        let meetings = meetings.collect();
        (specs, meetings)
    }
}

fn push(lines: &mut VecDeque<GameLine>, line: GameLine) {
    lines.push_front(line);
    lines.truncate(LINES);
}

fn is_significant(pairs: &Pairs) -> bool {
    let test = Sprt::new(EloModel::Logistic, 0.0, LEAD);
    test.is_ok_and(|test| test.status(pairs).verdict == SprtDecision::AcceptH1)
}

/// An error if one of these games was lost by a fault of this bot. An answer that came too late is none: it may be that the computer of the
/// arena has too much to do, and on the ladder it costs a game all the same.
pub(crate) fn fault_of<'a>(spec: &str, mut lines: impl Iterator<Item = &'a GameLine>) -> Result<(), String> {
    let is_late = |line: &GameLine| line.fault.as_deref() == Some(LATE);
    let own = |line: &&GameLine| !is_late(line) && line.loser.is_some_and(|seat| line.specs[seat] == spec);
    lines.find(own).map_or(Ok(()), |line| Err(line.reason.clone()))
}

/// The ratings of all who are connected by games with the one that has rating 0.
pub(crate) fn ratings(specs: Vec<String>, meetings: &[Meeting], zero: &str) -> HashMap<String, Rating> {
    let Some(anchor) = specs.iter().position(|spec| spec == zero) else { return HashMap::new() };
    match rate(specs.len(), meetings, Anchor::Player(anchor, 0.0)) {
        Ok(ratings) => specs.into_iter().zip(ratings.players).collect(),
        Err(RatingError::Disconnected { groups }) => {
            let Some(group) = groups.into_iter().find(|group| group.contains(&anchor)) else { return HashMap::new() };
            let number = |player: usize| group.iter().position(|&own| own == player);
            let own = meetings.iter().filter_map(|meeting| {
                Some(Meeting { first: number(meeting.first)?, second: number(meeting.second)?, ..*meeting })
            });
            let specs: Vec<String> = group.iter().map(|&player| specs[player].clone()).collect();
            let anchor = number(anchor).unwrap_or_default();
            let rated = rate(specs.len(), &own.collect::<Vec<_>>(), Anchor::Player(anchor, 0.0));
            rated.map(|ratings| specs.into_iter().zip(ratings.players).collect()).unwrap_or_default()
        }
        Err(_) => HashMap::new(),
    }
}

#[cfg(test)]
mod tests {
    use plyground_statistics::GameResult;

    use super::*;

    fn meeting(first: usize, second: usize, wins: u64, losses: u64) -> Meeting {
        Meeting { first, second, wins, draws: 0, losses }
    }

    #[test]
    fn totals_are_those_of_the_last_results_of_every_two() {
        let (mut results, mut played) = (LadderResults::default(), Results::new(plyground_match::Seats::Swapped));
        let agents = ["random".to_owned(), "mcts:sims=2".to_owned()];
        let experiment = plyground_match::Experiment::new("tictactoe", &agents, &plyground_session::NoResources).unwrap();
        let run = experiment.run();
        for game in [0, 1, 0, 1] {
            let agents = if game == 0 { [0, 1] } else { [1, 0] };
            let pair = played.pairs();
            played.add(&GameRow {
                job: pair.to_string(),
                pair,
                game,
                agents,
                // The agent that is named first wins whenever it moves first.
                outcome: plyground_core::Outcome::win(plyground_core::Player::First),
                reason: String::new(),
                fault: None,
                points: None,
                opening: 0,
                moves: Vec::new(),
                movers: Vec::new(),
                ended: 0,
            });
            results.replace(&run, &played);
        }
        for spec in &run.experiment.agents {
            assert_eq!((results.pairs_of(spec), results.tally_of(spec)), (2, Tally { wins: 2, draws: 0, losses: 2 }));
        }
        let specs: Vec<&str> = run.experiment.agents.iter().map(String::as_str).collect();
        assert_eq!(results.pairs_among(&specs), [0, 2, 2, 0]);
        assert_eq!(results.pairs_of("nobody"), 0);
    }

    #[test]
    fn those_without_a_connection_to_the_scale_have_no_rating() {
        let specs = || ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let rated = ratings(specs(), &[meeting(0, 1, 3, 9), meeting(2, 3, 5, 5)], "b");
        assert_eq!(rated.len(), 2);
        assert!(rated["b"].elo == 0.0 && rated["a"].elo < -50.0, "{rated:?}");
        let all = ratings(specs(), &[meeting(0, 1, 3, 9), meeting(2, 3, 5, 5), meeting(1, 2, 1, 1)], "b");
        assert_eq!(all.len(), 4);
        assert!(ratings(specs(), &[], "nobody").is_empty());
    }

    #[test]
    fn a_league_is_won_by_a_lead_that_is_no_luck() {
        let both = |count: usize, results| {
            let mut pairs = Pairs::default();
            (0..count).for_each(|_| pairs.add(results));
            pairs
        };
        let won = [GameResult::Win, GameResult::Win];
        assert!(!is_significant(&both(3, won)), "three pairs may be luck");
        assert!(is_significant(&both(30, won)));
        assert!(!is_significant(&both(100, [GameResult::Win, GameResult::Loss])));
    }
}
