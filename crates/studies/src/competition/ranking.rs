//! The table of a competition: points, and tie breaks between equal points.

use std::cmp::Ordering;

use super::Bout;

/// A rule that orders entrants with equal points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieBreak {
    /// Points in the games among the tied entrants.
    Direct,
    /// The points of those that were beaten, and half the points of those with a draw, for every game (Sonneborn and Berger).
    SonnebornBerger,
    /// The points of all opponents, each once (Buchholz).
    Buchholz,
    /// Games won.
    Wins,
    /// Games won as the second player.
    SecondWins,
    /// Points on the board, those of the opponents taken off.
    Margin,
}

impl TieBreak {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Direct, Self::SonnebornBerger, Self::Buchholz, Self::Wins, Self::SecondWins, Self::Margin];

    /// Its name in files and tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::SonnebornBerger => "sonneborn-berger",
            Self::Buchholz => "buchholz",
            Self::Wins => "wins",
            Self::SecondWins => "second-wins",
            Self::Margin => "margin",
        }
    }
}

/// The row of an entrant in the table.
#[derive(Clone, Debug, PartialEq)]
pub struct RankingRow {
    /// The number of the entrant.
    pub entrant: usize,
    /// 1 is the best; equals share a place.
    pub place: usize,
    /// 1 for a game that was won, a half for a draw.
    pub points: f64,
    /// Games played.
    pub games: usize,
    /// Games won, drawn and lost.
    pub tally: [usize; 3],
    /// The values of the tie breaks, in their order.
    pub tie_breaks: Vec<f64>,
}

/// The table: the best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The tie breaks, in their order.
    pub tie_breaks: Vec<TieBreak>,
    /// All entrants.
    pub places: Vec<RankingRow>,
}

/// The games and points that the table is made from.
struct Sheet<'a> {
    bouts: &'a [Bout],
    points: Vec<f64>,
}

impl Ranking {
    /// The table after these games. `free` are points without a game, by entrant: those of a rest in a Swiss system.
    pub fn new(entrants: usize, bouts: &[Bout], free: &[f64], tie_breaks: &[TieBreak]) -> Self {
        let mut points: Vec<f64> = (0..entrants).map(|entrant| free.get(entrant).copied().unwrap_or(0.0)).collect();
        for bout in bouts {
            (0..2).for_each(|seat| points[bout.players[seat]] += bout.scores[seat]);
        }
        let sheet = Sheet { bouts, points };
        let mut tied = groups((0..entrants).collect(), |entrant| sheet.points[entrant]);
        let mut said: Vec<Vec<f64>> = vec![Vec::new(); entrants];
        for &tie_break in tie_breaks {
            let refined = tied.into_iter().flat_map(|group| {
                let values: Vec<(usize, f64)> =
                    group.iter().map(|&entrant| (entrant, sheet.value(tie_break, entrant, &group))).collect();
                for &(entrant, value) in &values {
                    said[entrant].push(value);
                }
                let value = |entrant| values.iter().find(|known| known.0 == entrant).map_or(0.0, |known| known.1);
                groups(group, value)
            });
            tied = refined.collect();
        }
        let mut places = Vec::with_capacity(entrants);
        for group in tied {
            let place = places.len() + 1;
            places.extend(group.into_iter().map(|entrant| sheet.place(entrant, place, std::mem::take(&mut said[entrant]))));
        }
        Self { tie_breaks: tie_breaks.to_vec(), places }
    }
}

/// Those with the same value together, the highest value first.
fn groups(mut entrants: Vec<usize>, value: impl Fn(usize) -> f64) -> Vec<Vec<usize>> {
    entrants.sort_by(|&a, &b| value(b).partial_cmp(&value(a)).unwrap_or(Ordering::Equal).then(a.cmp(&b)));
    entrants.chunk_by(|&a, &b| value(a) == value(b)).map(<[usize]>::to_vec).collect()
}

impl Sheet<'_> {
    /// The games of an entrant: who the other was, what it scored, and by how much.
    fn games(&self, entrant: usize) -> impl Iterator<Item = (usize, usize, f64, i32)> {
        self.bouts.iter().filter_map(move |bout| {
            let seat = bout.players.iter().position(|&player| player == entrant)?;
            let margin = if seat == 0 { bout.margin } else { -bout.margin };
            Some((bout.players[1 - seat], seat, bout.scores[seat], margin))
        })
    }

    fn value(&self, tie_break: TieBreak, entrant: usize, equals: &[usize]) -> f64 {
        let games = self.games(entrant);
        // The sum of no numbers is -0; adding 0 makes it 0.
        0.0 + match tie_break {
            TieBreak::Direct => games.filter(|(other, ..)| equals.contains(other)).map(|(_, _, score, _)| score).sum(),
            TieBreak::SonnebornBerger => games.map(|(other, _, score, _)| score * self.points[other]).sum(),
            TieBreak::Buchholz => {
                let mut others: Vec<usize> = games.map(|(other, ..)| other).collect();
                others.sort_unstable();
                others.dedup();
                others.into_iter().map(|other| self.points[other]).sum()
            }
            TieBreak::Wins => games.filter(|(_, _, score, _)| *score == 1.0).count() as f64,
            TieBreak::SecondWins => games.filter(|(_, seat, score, _)| *seat == 1 && *score == 1.0).count() as f64,
            TieBreak::Margin => games.map(|(_, _, _, margin)| f64::from(margin)).sum(),
        }
    }

    fn place(&self, entrant: usize, place: usize, tie_breaks: Vec<f64>) -> RankingRow {
        let count = |wanted: f64| self.games(entrant).filter(|(_, _, score, _)| *score == wanted).count();
        let games = self.games(entrant).count();
        RankingRow {
            entrant,
            place,
            points: self.points[entrant],
            games,
            tally: [count(1.0), count(0.5), count(0.0)],
            tie_breaks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bout(players: [usize; 2], first: f64, margin: i32) -> Bout {
        Bout { players, scores: [first, 1.0 - first], margin, points: None, plies: 1, reason: String::new(), ended: 0 }
    }

    fn order(bouts: &[Bout], entrants: usize, tie_breaks: &[TieBreak]) -> Vec<(usize, usize)> {
        let ranking = Ranking::new(entrants, bouts, &[], tie_breaks);
        ranking.places.iter().map(|place| (place.entrant, place.place)).collect()
    }

    #[test]
    fn points_come_first_and_equals_share_a_place() {
        let bouts = [bout([0, 1], 0.0, -3), bout([1, 2], 1.0, 1), bout([2, 0], 0.5, 0)];
        assert_eq!(order(&bouts, 3, &[]), [(1, 1), (0, 2), (2, 2)]);
        let ranking = Ranking::new(3, &bouts, &[], &[TieBreak::Margin]);
        assert_eq!(ranking.places[0].tally, [2, 0, 0]);
        assert_eq!(
            ranking.places[1],
            RankingRow { entrant: 2, place: 2, points: 0.5, games: 2, tally: [0, 1, 1], tie_breaks: vec![-1.0] }
        );
        assert_eq!(ranking.places[2].tie_breaks, [-3.0]);
    }

    #[test]
    fn each_tie_break_decides_as_it_is_defined() {
        // 0 and 1 have two points each; 1 has beaten 0. 2 and 3 have one each; 3 has beaten the better one.
        let bouts = [
            bout([0, 1], 0.0, -1),
            bout([0, 2], 1.0, 9),
            bout([0, 3], 1.0, 9),
            bout([1, 2], 1.0, 1),
            bout([3, 1], 1.0, 1),
            bout([2, 3], 1.0, 1),
        ];
        assert_eq!(order(&bouts, 4, &[TieBreak::Direct]), [(1, 1), (0, 2), (2, 3), (3, 4)]);
        // 0: has beaten 2 and 3 (1 + 1). 1: 0 and 2 (2 + 1). 2: 3 (1). 3: 1 (2).
        assert_eq!(order(&bouts, 4, &[TieBreak::SonnebornBerger]), [(1, 1), (0, 2), (3, 3), (2, 4)]);
        // 0: 17, 1: 1; 2 and 3 both -9.
        assert_eq!(order(&bouts, 4, &[TieBreak::Margin]), [(0, 1), (1, 2), (2, 3), (3, 3)]);
        // As second: 1 has won one, 0 none; neither 2 nor 3 has.
        assert_eq!(order(&bouts, 4, &[TieBreak::SecondWins]), [(1, 1), (0, 2), (2, 3), (3, 3)]);
        // All have met all: the sums of the opponents' points are the same for equals.
        assert_eq!(order(&bouts, 4, &[TieBreak::Buchholz]), [(0, 1), (1, 1), (2, 3), (3, 3)]);
        assert_eq!(order(&bouts, 4, &[TieBreak::Buchholz, TieBreak::Wins, TieBreak::Direct]), [(1, 1), (0, 2), (2, 3), (3, 4)]);
    }

    #[test]
    fn an_entrant_that_rests_has_points_without_a_game() {
        let ranking = Ranking::new(3, &[bout([0, 1], 0.5, 0)], &[0.0, 0.0, 1.0], &[TieBreak::Buchholz]);
        assert_eq!((ranking.places[0].entrant, ranking.places[0].points, ranking.places[0].games), (2, 1.0, 0));
    }
}
