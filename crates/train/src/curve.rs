//! The curve of a training: the results of its games, set by set.

use std::ops::ControlFlow;

use plyground_agents::TrainingProgress;
use plyground_core::{AgentError, InputError};
use serde::{Deserialize, Serialize};

use crate::TrainableAgent;

/// A number of training games one after the other, and their results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainingSet {
    /// Training games in all when it ended.
    pub games: u64,
    /// Games won by the first player, drawn, and won by the second.
    pub results: [u64; 3],
}

impl TrainingSet {
    /// The share of the points of the first player; `None` without games.
    pub fn score(&self) -> Option<f64> {
        let [won, drawn, lost] = self.results;
        let games = won + drawn + lost;
        (games > 0).then(|| (won as f64 + 0.5 * drawn as f64) / games as f64)
    }
}

/// The first line of the table.
const HEAD: &str = "games,first won,drawn,second won";

/// The sets of a training, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainingCurve {
    /// The sets that are complete.
    pub sets: Vec<TrainingSet>,
}

impl TrainingCurve {
    /// The share of the points of the first player in the sets that end behind the first and at the second of these games.
    pub fn score(&self, from: u64, to: u64) -> Option<f64> {
        let inside = self.sets.iter().filter(|set| set.games > from && set.games <= to);
        let add = |[a, b, c]: [u64; 3], set: &TrainingSet| [a + set.results[0], b + set.results[1], c + set.results[2]];
        TrainingSet { games: to, results: inside.fold([0; 3], add) }.score()
    }

    /// Reads the table of the first so many training games; `name` is what its file is called.
    pub fn read(name: &str, csv: &str, games: u64) -> Result<Self, InputError> {
        let refuse = |detail: String| InputError::malformed("table of training games", name, detail);
        let mut lines = csv.lines();
        if lines.next() != Some(HEAD) {
            return Err(refuse(format!("expected the first line {HEAD}")));
        }
        let mut sets: Vec<TrainingSet> = Vec::new();
        for (number, line) in (2..).zip(lines) {
            let numbers: Option<Vec<u64>> = line.split(',').map(|number| number.parse().ok()).collect();
            let Some(&[games, won, drawn, lost]) = numbers.as_deref() else {
                return Err(refuse(format!("line {number}: expected four whole numbers, found '{line}'")));
            };
            if sets.last().is_some_and(|last| last.games >= games) {
                return Err(refuse(format!("line {number}: expected more games than in the line before, found {games}")));
            }
            sets.push(TrainingSet { games, results: [won, drawn, lost] });
        }
        // A training that was killed may have written its table a moment before the network.
        sets.retain(|set| set.games <= games);
        Ok(Self { sets })
    }

    /// A table in CSV, with a row for each set.
    pub fn csv(&self) -> String {
        let row = |set: &TrainingSet| {
            let [won, drawn, lost] = set.results;
            format!("{},{won},{drawn},{lost}\n", set.games)
        };
        self.sets.iter().map(row).fold(format!("{HEAD}\n"), |table, row| table + &row)
    }

    /// Plays training games up to the end of a set of `size` or until there were `most`, and notes the set if it has ended. What was
    /// played is told to `observer`, which may end it.
    pub fn train(
        &mut self,
        agent: &mut dyn TrainableAgent,
        size: u64,
        most: u64,
        observer: &mut dyn FnMut(TrainingProgress) -> ControlFlow<()>,
    ) -> Result<(), AgentError> {
        let (before, played) = (agent.results(), agent.learnt().games);
        agent.train((size - played % size).min(most), observer);
        if let Some(failure) = agent.failure() {
            return Err(failure.clone());
        }
        let games = agent.learnt().games;
        if let Some((before, after)) = before.zip(agent.results()) {
            let results = [0, 1, 2].map(|place| after[place] - before[place]);
            match self.sets.last_mut().filter(|last| last.games == played && played % size != 0) {
                // Interrupted in its middle.
                Some(last) => {
                    last.games = games;
                    last.results.iter_mut().zip(results).for_each(|(all, new)| *all += new);
                }
                None if games > played => self.sets.push(TrainingSet { games, results }),
                None => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_comes_back_and_its_sets_add_up() {
        let set = |games, won, drawn| TrainingSet { games, results: [won, drawn, 10 - won - drawn] };
        let curve = TrainingCurve { sets: vec![set(10, 3, 0), set(20, 5, 2), set(30, 10, 0)] };
        assert_eq!(curve.csv(), "games,first won,drawn,second won\n10,3,0,7\n20,5,2,3\n30,10,0,0\n");
        assert_eq!(TrainingCurve::read("FILE", &curve.csv(), 30).unwrap(), curve);
        assert_eq!(TrainingCurve::read("FILE", &curve.csv(), 29).unwrap().sets, curve.sets[..2]);
        assert_eq!([curve.score(0, 20), curve.score(20, 30), curve.score(30, 40)], [Some(0.45), Some(1.0), None]);
        for (csv, detail) in [
            ("", "expected the first line games,first won"),
            ("games,first won,drawn,second won\n10,3,7\n", "line 2: expected four whole numbers, found '10,3,7'"),
            ("games,first won,drawn,second won\n10,3,7,0\n9,3,6,0\n", "line 3: expected more games than in the line before"),
        ] {
            assert!(TrainingCurve::read("FILE", csv, 30).unwrap_err().to_string().contains(detail), "{csv}");
        }
    }
}
