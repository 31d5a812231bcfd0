//! How far a sequential test (SPRT) has come.

use plyground_statistics::{Pairs, Sprt, SprtDecision};

use crate::Results;

/// The progress of a sequential test in a run of two agents. It follows the pairs by their numbers and stops at the one that decides,
/// whatever was played beyond it: so the same command ends at the same pair, however many threads there are and however often it is
/// killed.
#[derive(Default)]
pub struct SprtProgress {
    counted: Pairs,
    decided: bool,
    /// The number of pairs in the results that were last followed.
    seen: u64,
}

impl SprtProgress {
    /// The pairs that count.
    pub fn counted(&self) -> &Pairs {
        &self.counted
    }

    /// Goes on as far as pairs are there without a gap; true if the test is decided.
    pub fn follow(&mut self, test: &Sprt, results: &Results) -> bool {
        // Results of a worker that was banned were taken back: what they have led to does not count.
        if results.pairs() < self.seen {
            *self = Self::default();
        }
        self.seen = results.pairs();
        while !self.decided
            && let Some(pair) = results.pair([0, 1], self.counted.count())
        {
            self.counted.add(pair);
            self.decided = test.status(&self.counted).verdict != SprtDecision::Continue;
        }
        self.decided
    }
}

#[cfg(test)]
mod tests {
    use plyground_session::{Outcome, Player};
    use plyground_statistics::EloModel;

    use super::*;
    use crate::{GameRow, Seats};

    /// So many pairs that the first agent has won, without those in this range.
    fn won(pairs: u64, without: std::ops::Range<u64>) -> Results {
        let mut results = Results::new(Seats::Swapped);
        for (pair, game) in (0..pairs).filter(|pair| !without.contains(pair)).flat_map(|pair| [(pair, 0), (pair, 1)]) {
            let winner = if game == 0 { Player::First } else { Player::Second };
            results.add(&GameRow {
                job: format!("job {pair}"),
                pair,
                game,
                agents: if game == 0 { [0, 1] } else { [1, 0] },
                outcome: Outcome::win(winner),
                reason: String::new(),
                fault: None,
                points: None,
                opening: 0,
                moves: Vec::new(),
                movers: Vec::new(),
                ended: 0,
            });
        }
        results
    }

    #[test]
    fn results_that_are_taken_back_decide_nothing() {
        let test = Sprt::with_error_rates(EloModel::Logistic, 0.0, 5.0, 0.05, 0.05).unwrap();
        let mut progress = SprtProgress::default();
        assert!(!progress.follow(&test, &won(3, 0..0)));
        assert_eq!(progress.counted.count(), 3);
        assert!(!progress.follow(&test, &won(3, 1..2)));
        assert_eq!(progress.counted.count(), 1, "up to the gap");
        assert!(!progress.follow(&test, &won(4, 0..0)));
        assert_eq!(progress.counted.count(), 4);
    }
}
