//! Results of games and of pairs of games, in the view of the agent that is named first.

use std::ops::{AddAssign, Index};

use serde::Serialize;

/// The result of a game for the agent that is named first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GameResult {
    /// It lost.
    Loss,
    /// A draw.
    Draw,
    /// It won.
    Win,
}

impl GameResult {
    /// The result of `player`; a game without a winner is drawn.
    pub fn of<P: Copy + PartialEq>(player: P, winner: Option<P>) -> Self {
        match winner {
            None => Self::Draw,
            Some(winner) if winner == player => Self::Win,
            Some(_) => Self::Loss,
        }
    }

    /// 0, 1 or 2: a draw is worth half a win.
    fn half_points(self) -> usize {
        self as usize
    }
}

/// Games won, drawn and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Tally {
    /// Counts a game.
    pub fn add(&mut self, result: GameResult) {
        match result {
            GameResult::Win => self.wins += 1,
            GameResult::Draw => self.draws += 1,
            GameResult::Loss => self.losses += 1,
        }
    }

    /// The same in the view of the other agent.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// Games played.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The share of the points, a draw being half a point; `None` without games.
    pub fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| (self.wins as f64 + 0.5 * self.draws as f64) / self.games() as f64)
    }

    /// The sample of independent games (the trinomial model).
    pub fn sample(&self) -> Sample {
        Sample::of(&self.units())
    }

    fn units(self) -> [Unit; 3] {
        let unit = |score, count| Unit { weight: 1.0, score, count };
        [unit(0.0, self.losses), unit(0.5, self.draws), unit(1.0, self.wins)]
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// Pairs by their points, 0, ½, 1, 1½ and 2: the pentanomial counts [LL, LD, WL+DD, WD, WW] (Van den Bergh, fishtest 2019).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Pairs(pub [u64; 5]);

impl Pairs {
    /// Counts a pair; the order of its games does not matter.
    pub fn add(&mut self, results: [GameResult; 2]) {
        self.0[results[0].half_points() + results[1].half_points()] += 1;
    }

    /// The number of pairs.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The sample of independent pairs (the pentanomial model).
    pub fn sample(&self) -> Sample {
        Sample::of(&self.units())
    }

    fn units(self) -> [Unit; 5] {
        std::array::from_fn(|points| Unit { weight: 2.0, score: points as f64 / 4.0, count: self.0[points] })
    }
}

impl AddAssign for Pairs {
    fn add_assign(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }
}

/// All games between two agents, in the view of the one that is named first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MatchResult {
    seats: [Tally; 2],
    pairs: Pairs,
    singles: Tally,
}

impl MatchResult {
    /// Counts a pair: the first result is that of the game in which the agent moved first.
    pub fn add_pair(&mut self, results: [GameResult; 2]) {
        for (tally, result) in self.seats.iter_mut().zip(results) {
            tally.add(result);
        }
        self.pairs.add(results);
    }

    /// Counts a game without a partner: the seats are fixed, or the pair was never finished.
    pub fn add_single(&mut self, seat: usize, result: GameResult) {
        self.seats[seat].add(result);
        self.singles.add(result);
    }

    /// The same in the view of the other agent.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let [first, second] = self.seats.map(Tally::reversed);
        let mut pairs = self.pairs;
        pairs.0.reverse();
        Self { seats: [second, first], pairs, singles: self.singles.reversed() }
    }

    /// All games.
    pub fn tally(&self) -> Tally {
        let mut all = self.seats[0];
        all += self.seats[1];
        all
    }

    /// The complete pairs.
    pub fn pairs(&self) -> Pairs {
        self.pairs
    }

    /// The sample of independent pairs, and of independent games where a game has no partner.
    pub fn sample(&self) -> Sample {
        let mut units = self.pairs.units().to_vec();
        units.extend(self.singles.units());
        Sample::of(&units)
    }
}

/// The games in which the agent moved first (0) or second (1).
impl Index<usize> for MatchResult {
    type Output = Tally;

    fn index(&self, seat: usize) -> &Tally {
        &self.seats[seat]
    }
}

impl AddAssign for MatchResult {
    fn add_assign(&mut self, other: Self) {
        for (seat, more) in self.seats.iter_mut().zip(other.seats) {
            *seat += more;
        }
        self.pairs += other.pairs;
        self.singles += other.singles;
    }
}

/// The mean of a number of results and its variance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// Games.
    pub games: f64,
    /// Independent units of equal weight that would tell as much as these (Kish 1965): pairs, if all games are paired.
    pub units: f64,
    /// The share of the points; one half without games.
    pub mean: f64,
    /// The variance of that mean, estimated from the spread of the units.
    pub variance: f64,
}

/// Results that are not independent of each other, taken together.
#[derive(Clone, Copy)]
struct Unit {
    /// Games.
    weight: f64,
    /// Their share of the points.
    score: f64,
    /// How many such units there are.
    count: u64,
}

impl Sample {
    fn of(units: &[Unit]) -> Self {
        let sum = |term: &dyn Fn(&Unit) -> f64| units.iter().map(|unit| unit.count as f64 * term(unit)).sum::<f64>();
        let games = sum(&|unit| unit.weight);
        if games == 0.0 {
            return Self { games: 0.0, units: 0.0, mean: 0.5, variance: 0.0 };
        }
        let mean = sum(&|unit| unit.weight * unit.score) / games;
        let variance = sum(&|unit| (unit.weight * (unit.score - mean)).powi(2)) / (games * games);
        Self { games, units: games * games / sum(&|unit| unit.weight.powi(2)), mean, variance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use GameResult::{Draw, Loss, Win};

    #[test]
    fn pairs_fall_into_the_five_classes() {
        let mut pairs = Pairs::default();
        for results in [[Loss, Loss], [Loss, Draw], [Draw, Loss], [Win, Loss], [Draw, Draw], [Loss, Win], [Win, Draw], [Win, Win]]
        {
            pairs.add(results);
        }
        assert_eq!(pairs, Pairs([1, 2, 3, 1, 1]));
        assert_eq!(pairs.count(), 8);
    }

    #[test]
    fn results_are_seen_from_the_seat() {
        assert_eq!(GameResult::of(0, Some(0)), Win);
        assert_eq!(GameResult::of(1, Some(0)), Loss);
        assert_eq!(GameResult::of(1, None), Draw);
    }

    #[test]
    fn half_a_pair_is_a_game_and_no_pair() {
        let mut result = MatchResult::default();
        result.add_pair([Win, Draw]);
        result.add_single(1, Loss);
        assert_eq!(result.tally(), Tally { wins: 1, draws: 1, losses: 1 });
        assert_eq!(result[0], Tally { wins: 1, draws: 0, losses: 0 });
        assert_eq!(result[1], Tally { wins: 0, draws: 1, losses: 1 });
        assert_eq!(result.pairs(), Pairs([0, 0, 0, 1, 0]));
        assert_eq!(result.sample().games, 3.0);
        assert!((result.sample().mean - 0.5).abs() < 1e-15);
        let mut twice = result;
        twice += result;
        assert_eq!(twice.tally(), Tally { wins: 2, draws: 2, losses: 2 });
        assert_eq!(twice.pairs().count(), 2);
        assert_eq!(twice.sample().games, 6.0);
    }

    #[test]
    fn the_spread_is_that_of_a_list_of_scores() {
        let scores = [0.0, 0.25, 0.25, 0.5, 0.5, 0.5, 0.75, 1.0];
        let mean = scores.iter().sum::<f64>() / 8.0;
        let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / 8.0;
        let sample = Pairs([1, 2, 3, 1, 1]).sample();
        assert!((sample.mean - mean).abs() < 1e-15);
        assert!((sample.variance - variance / 8.0).abs() < 1e-15);
        assert_eq!((sample.games, sample.units), (16.0, 8.0));
    }

    #[test]
    fn no_games_are_no_knowledge() {
        assert_eq!(MatchResult::default().sample(), Sample { games: 0.0, units: 0.0, mean: 0.5, variance: 0.0 });
        assert_eq!(Tally::default().score(), None);
        assert_eq!(Tally { wins: 1, draws: 1, losses: 2 }.score(), Some(0.375));
    }
}
