//! Ratings of many players from their games: Bradley and Terry (1952) with draws after Davidson (1970) and a first-move
//! advantage after Davidson and Beaver (1977).
//!
//! Let t be the difference of the strengths, plus the advantage of the first move. Then win, draw and loss of the first player
//! are as likely as exp(t/2) : v : exp(-t/2). Davidson's draws rather than those of Rao and Kupper (1967), because with them the
//! points of a player are all that matters about its results: the fitted ratings expect exactly the points that were scored, as
//! everybody who reads a table of points assumes. Besides, the likelihood is concave, so that there is one best fit and Newton's
//! method finds it.

use std::f64::consts::LN_10;
use std::fmt;

use serde::Serialize;
use thiserror::Error;

use crate::elo::signed;
use crate::intervals::two_sided;
use crate::matrix::Symmetric;
use crate::{CONFIDENCE, normal_cdf};

/// All games of two players with the same one moving first. Both may be the same: such games tell about the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The number of the player who moved first.
    pub first: usize,
    /// The number of the player who moved second.
    pub second: usize,
    /// Games that the first player won.
    pub wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that the first player lost.
    pub losses: u64,
}

impl Meeting {
    fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

/// Only differences of ratings have a meaning; this says where zero is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Anchor {
    /// The mean of all ratings is 0.
    #[default]
    Mean,
    /// This player has this rating; its error is 0 and those of the others are relative to it.
    Player(usize, f64),
}

/// Games that give no ratings.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RatingError {
    /// A meeting or the anchor names a player that is not there.
    #[error("expected players numbered below {players}, found {found}")]
    Player {
        /// How many there are.
        players: usize,
        /// The number that was given.
        found: usize,
    },
    /// Some players never met each other, not even by way of others: nothing tells their difference.
    #[error("expected games that connect all players, found {} groups that never met", groups.len())]
    Disconnected {
        /// The players of each group.
        groups: Vec<Vec<usize>>,
    },
    /// The fit did not settle.
    #[error("expected the ratings to settle within {0} steps, and they did not")]
    Unsettled(u32),
}

/// A value in Elo and how surely it is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// The value.
    pub elo: f64,
    /// Its standard error.
    pub standard_error: f64,
}

impl Rating {
    /// Half the width of its 95 % interval.
    pub fn error(self) -> f64 {
        two_sided(CONFIDENCE) * self.standard_error
    }
}

/// As `+79 ± 31`, with the decimals that the format asks for.
impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = f.precision().unwrap_or(0);
        write!(f, "{} ± {:.places$}", signed(self.elo, places), self.error())
    }
}

/// Ratings of all players, estimated from their games.
///
/// The scale is that of logistic Elo: near equality a difference of one means the same expected score as there. (As in Coulom's
/// Bayeselo, 2005; unscaled, draws would stretch the differences.)
#[derive(Clone, Debug, Serialize)]
pub struct Ratings {
    /// The players by number.
    pub players: Vec<Rating>,
    /// The advantage of moving first.
    pub first_move: Rating,
    /// The share of draws between equals.
    pub draw_share: f64,
    /// In Elo², of the ratings before they were anchored.
    #[serde(skip)]
    covariance: Symmetric,
}

impl Ratings {
    /// How much stronger `one` is than `other`. The error takes into account that the errors of both are related.
    pub fn difference(&self, one: usize, other: usize) -> Rating {
        let c = &self.covariance;
        let variance = c.get(one, one) + c.get(other, other) - 2.0 * c.get(one, other);
        Rating { elo: self.players[one].elo - self.players[other].elo, standard_error: variance.max(0.0).sqrt() }
    }

    /// The probability that `one` is stronger than `other`.
    pub fn superiority(&self, one: usize, other: usize) -> f64 {
        let difference = self.difference(one, other);
        if difference.standard_error > 0.0 { normal_cdf(difference.elo / difference.standard_error) } else { 0.5 }
    }

    /// All of them: row `i`, column `j` holds the probability that `i` is stronger than `j`.
    pub fn superiority_matrix(&self) -> Vec<Vec<f64>> {
        let players = 0..self.players.len();
        players.clone().map(|one| players.clone().map(|other| self.superiority(one, other)).collect()).collect()
    }
}

/// Rates players by their games.
///
/// It is the likeliest fit together with a weak prior: each player has half won and half lost one game against a player of
/// strength 0, so that 100 % scores stay finite; likewise one game between equals is half won by the first move, and one is half
/// drawn. Errors are those of the inverse information at the fit; games count as independent, which is on the safe side where
/// pairs with unbalanced openings are mostly split.
pub fn rate(players: usize, meetings: &[Meeting], anchor: Anchor) -> Result<Ratings, RatingError> {
    let anchored = if let Anchor::Player(index, _) = anchor { Some(index) } else { None };
    let named = meetings.iter().flat_map(|meeting| [meeting.first, meeting.second]).chain(anchored);
    if let Some(found) = named.into_iter().find(|&index| index >= players) {
        return Err(RatingError::Player { players, found });
    }
    let groups = groups(players, meetings);
    if groups.len() > 1 {
        return Err(RatingError::Disconnected { groups });
    }
    Fit::new(players, meetings).settled()?.ratings(anchor)
}

/// The players that are connected by games.
fn groups(players: usize, meetings: &[Meeting]) -> Vec<Vec<usize>> {
    let mut group: Vec<usize> = (0..players).collect();
    for meeting in meetings.iter().filter(|meeting| meeting.games() > 0) {
        let (kept, merged) = (group[meeting.first], group[meeting.second]);
        for member in &mut group {
            if *member == merged {
                *member = kept;
            }
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut number_of = vec![None; players];
    for (player, &name) in group.iter().enumerate() {
        let number = *number_of[name].get_or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[number].push(player);
    }
    groups
}

/// Some games with the same two sides: played ones, or those that the prior imagines.
struct Evidence {
    /// The parameters whose sum, with these signs, is the lead of the first player.
    lead: Vec<(usize, f64)>,
    /// Whether the games could end in a draw.
    drawable: bool,
    wins: f64,
    draws: f64,
    losses: f64,
}

impl Evidence {
    fn games(&self) -> f64 {
        self.wins + self.draws + self.losses
    }
}

/// The search for the best fit. The parameters are the natural strengths of the players, then the advantage of the first move,
/// then the logarithm of v, if there were draws at all.
struct Fit {
    players: usize,
    evidence: Vec<Evidence>,
    parameters: Vec<f64>,
}

impl Fit {
    const MOST_STEPS: u32 = 200;
    const LONGEST_STEP: f64 = 2.0;

    fn new(players: usize, meetings: &[Meeting]) -> Self {
        let first_move = players;
        let drawable = meetings.iter().any(|meeting| meeting.draws > 0);
        let split = |parameter| Evidence { lead: vec![(parameter, 1.0)], drawable: false, wins: 0.5, draws: 0.0, losses: 0.5 };
        let mut evidence: Vec<Evidence> = (0..=players).map(split).collect();
        if drawable {
            evidence.push(Evidence { lead: vec![], drawable, wins: 0.25, draws: 0.5, losses: 0.25 });
        }
        evidence.extend(meetings.iter().filter(|meeting| meeting.games() > 0).map(|meeting| Evidence {
            lead: if meeting.first == meeting.second {
                vec![(first_move, 1.0)]
            } else {
                vec![(meeting.first, 1.0), (meeting.second, -1.0), (first_move, 1.0)]
            },
            drawable,
            wins: meeting.wins as f64,
            draws: meeting.draws as f64,
            losses: meeting.losses as f64,
        }));
        Self { players, evidence, parameters: vec![0.0; players + 1 + usize::from(drawable)] }
    }

    /// The number of the parameter for draws, which exists only if there were any.
    fn draw(&self) -> usize {
        self.players + 1
    }

    /// The lead and v.
    fn situation(&self, evidence: &Evidence, parameters: &[f64]) -> (f64, f64) {
        let lead = evidence.lead.iter().map(|&(index, sign)| sign * parameters[index]).sum();
        (lead, if evidence.drawable { parameters[self.draw()].exp() } else { 0.0 })
    }

    /// The logarithm of the posterior density, up to a constant.
    fn quality(&self, parameters: &[f64]) -> f64 {
        self.evidence
            .iter()
            .map(|evidence| {
                let (lead, v) = self.situation(evidence, parameters);
                let draws = if evidence.draws > 0.0 { evidence.draws * parameters[self.draw()] } else { 0.0 };
                // The logarithm of exp(lead/2) + v + exp(-lead/2), which does not overflow.
                let away = lead.abs();
                let total = 0.5 * away + (1.0 + v * (-0.5 * away).exp() + (-away).exp()).ln();
                0.5 * lead * (evidence.wins - evidence.losses) + draws - evidence.games() * total
            })
            .sum()
    }

    /// The slope of the quality, and its curvature with the sign turned: the observed information.
    fn slope_and_information(&self) -> (Vec<f64>, Symmetric) {
        let size = self.parameters.len();
        let (mut slope, mut information) = (vec![0.0; size], Symmetric::zero(size));
        for evidence in &self.evidence {
            let (lead, v) = self.situation(evidence, &self.parameters);
            let (up, down) = ((0.5 * lead.min(0.0)).exp().powi(2), (-0.5 * lead.max(0.0)).exp().powi(2));
            let middle = v * (-0.5 * lead.abs()).exp();
            let total = up + middle + down;
            let (win, draw, loss) = (up / total, middle / total, down / total);
            let (wins, draws, losses, games) = (evidence.wins, evidence.draws, evidence.losses, evidence.games());
            // Written without differences of large, nearly equal numbers: after a billion wins those would be all noise.
            let mean = 0.5 * (win - loss);
            let surplus = wins * loss - losses * win + 0.5 * (wins - losses) * draw - draws * mean;
            let variance = games * (win * loss + 0.25 * draw * (win + loss));
            for (place, &(row, sign)) in evidence.lead.iter().enumerate() {
                slope[row] += sign * surplus;
                for &(column, other) in &evidence.lead[..=place] {
                    information.add(row, column, sign * other * variance);
                }
                if evidence.drawable {
                    information.add(self.draw(), row, -sign * games * mean * draw);
                }
            }
            if evidence.drawable {
                slope[self.draw()] += draws * (win + loss) - (wins + losses) * draw;
                information.add(self.draw(), self.draw(), games * draw * (win + loss));
            }
        }
        (slope, information)
    }

    /// Newton's method; a step that is too long is shortened, and one that makes the fit worse is halved.
    fn settled(mut self) -> Result<Self, RatingError> {
        let unsettled = RatingError::Unsettled(Self::MOST_STEPS);
        for _ in 0..Self::MOST_STEPS {
            let (slope, information) = self.slope_and_information();
            let mut step = information.factor().ok_or_else(|| unsettled.clone())?.solve(&slope);
            // The squared length of the step in standard errors.
            let length: f64 = slope.iter().zip(&step).map(|(slope, part)| slope * part).sum();
            // Far out all is flat, and a step that is too long ends there.
            let longest = step.iter().fold(Self::LONGEST_STEP, |longest, part| part.abs().max(longest));
            for part in &mut step {
                *part *= Self::LONGEST_STEP / longest;
            }
            let moved = |step: &[f64]| self.parameters.iter().zip(step).map(|(old, part)| old + part).collect::<Vec<_>>();
            let (before, mut parameters) = (self.quality(&self.parameters), moved(&step));
            // Close to the top the method needs no watching, and after a billion games the quality could not show the gain.
            while length > 0.01 && self.quality(&parameters) < before {
                for part in &mut step {
                    *part *= 0.5;
                }
                parameters = moved(&step);
            }
            self.parameters = parameters;
            if length < 1e-8 {
                return Ok(self);
            }
        }
        Err(unsettled)
    }

    fn ratings(&self, anchor: Anchor) -> Result<Ratings, RatingError> {
        let (_, information) = self.slope_and_information();
        let inverse = information.factor().ok_or(RatingError::Unsettled(Self::MOST_STEPS))?.inverse();
        let v = self.parameters.get(self.draw()).map_or(0.0, |weight| weight.exp());
        let draw_share = v / (2.0 + v);
        let scale = 400.0 / LN_10 * (1.0 - draw_share);
        let count = self.players as f64;
        let mut covariance = Symmetric::zero(self.players);
        for row in 0..self.players {
            for column in 0..=row {
                covariance.add(row, column, scale * scale * inverse.get(row, column));
            }
        }
        // What is subtracted from each rating is this mixture of them.
        let share = |player: usize| match anchor {
            Anchor::Mean => 1.0 / count,
            Anchor::Player(index, _) => f64::from(u8::from(player == index)),
        };
        let origin = if let Anchor::Player(_, elo) = anchor { elo } else { 0.0 };
        let zero: f64 = (0..self.players).map(|player| share(player) * scale * self.parameters[player]).sum();
        let with_zero = |player| (0..self.players).map(|other| share(other) * covariance.get(player, other)).sum::<f64>();
        let related: Vec<f64> = (0..self.players).map(with_zero).collect();
        let variance_of_zero: f64 = (0..self.players).map(|player| share(player) * related[player]).sum();
        let players = (0..self.players).map(|player| Rating {
            elo: scale * self.parameters[player] - zero + origin,
            standard_error: (covariance.get(player, player) - 2.0 * related[player] + variance_of_zero).max(0.0).sqrt(),
        });
        Ok(Ratings {
            players: players.collect(),
            first_move: Rating {
                elo: scale * self.parameters[self.players],
                standard_error: scale * inverse.get(self.players, self.players).sqrt(),
            },
            draw_share,
            covariance,
        })
    }
}

#[cfg(test)]
mod tests {
    use plyground_core::{Rng, Seed};

    use super::*;
    use crate::elo_of_score;

    fn meeting(first: usize, second: usize, [wins, draws, losses]: [u64; 3]) -> Meeting {
        Meeting { first, second, wins, draws, losses }
    }

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found} is not within {tolerance} of {expected}");
    }

    /// Draws games from the model itself.
    fn simulated(strengths: &[f64], first_move: f64, v: f64, games: u64, rng: &mut Rng) -> Vec<Meeting> {
        let mut meetings = Vec::new();
        for (first, one) in strengths.iter().enumerate() {
            for (second, other) in strengths.iter().enumerate().filter(|&(second, _)| second != first) {
                let lead = one - other + first_move;
                let (win, loss) = ((lead / 2.0).exp(), (-lead / 2.0).exp());
                let mut counts = [0; 3];
                for _ in 0..games {
                    let at = rng.unit() * (win + v + loss);
                    counts[if at < win { 0 } else { 1 + usize::from(at >= win + v) }] += 1;
                }
                meetings.push(meeting(first, second, counts));
            }
        }
        meetings
    }

    #[test]
    fn two_players_without_draws_have_a_closed_form() {
        // Odds as first a, as second b: strength ln sqrt(a b), first move ln sqrt(a / b). (The prior moves the last digits.)
        let games = [meeting(0, 1, [600_000, 0, 400_000]), meeting(1, 0, [550_000, 0, 450_000])];
        let (a, b) = (6.0_f64 / 4.0, 4.5_f64 / 5.5);
        let ratings = rate(2, &games, Anchor::Mean).unwrap();
        close(ratings.difference(0, 1).elo, 400.0 * (a * b).sqrt().log10(), 1e-2);
        close(ratings.players[0].elo, -ratings.players[1].elo, 1e-9);
        close(ratings.first_move.elo, 400.0 * (a / b).sqrt().log10(), 1e-2);
        assert_eq!(ratings.draw_share, 0.0);
        // The variance of a log odds is 1/w + 1/l; the strength is half the sum of two.
        let variance: f64 = 0.25 * (1.0 / 6e5 + 1.0 / 4e5 + 1.0 / 5.5e5 + 1.0 / 4.5e5);
        close(ratings.difference(0, 1).standard_error, 400.0 / LN_10 * variance.sqrt(), 1e-4);
        close(ratings.players[0].standard_error, 200.0 / LN_10 * variance.sqrt(), 1e-4);
        close(ratings.first_move.standard_error, 400.0 / LN_10 * variance.sqrt(), 1e-4);
    }

    #[test]
    fn two_players_with_draws_have_a_closed_form() {
        // With the same results in both seats: t = ln(w / l) and v = d / sqrt(w l) fit exactly.
        let games = [meeting(0, 1, [300_000, 500_000, 200_000]), meeting(1, 0, [200_000, 500_000, 300_000])];
        let ratings = rate(2, &games, Anchor::Mean).unwrap();
        let v = 5.0 / 6.0_f64.sqrt();
        close(ratings.draw_share, v / (2.0 + v), 1e-5);
        close(ratings.difference(0, 1).elo, 400.0 * 1.5_f64.log10() * 2.0 / (2.0 + v), 1e-2);
        close(ratings.first_move.elo, 0.0, 1e-6);
        // Near equality the scale is that of the score.
        close(ratings.difference(0, 1).elo, elo_of_score(0.55), 0.1);
    }

    #[test]
    fn the_fit_is_the_top_of_its_quality() {
        let mut rng = Seed(6).rng();
        for v in [0.0, 0.8] {
            let games = simulated(&[0.5, 0.0, -1.0, 2.0], 0.3, v, 30, &mut rng);
            let fit = Fit::new(4, &games).settled().unwrap();
            let (slope, information) = fit.slope_and_information();
            let at = |changes: &[(usize, f64)]| {
                let mut parameters = fit.parameters.clone();
                for &(index, by) in changes {
                    parameters[index] += by;
                }
                fit.quality(&parameters)
            };
            let h = 1e-3;
            for (row, &slope) in slope.iter().enumerate() {
                close(slope, 0.0, 1e-7);
                close((at(&[(row, h)]) - at(&[(row, -h)])) / (2.0 * h), 0.0, 1e-4);
                for column in 0..fit.parameters.len() {
                    let mixed = at(&[(row, h), (column, h)]) - at(&[(row, h), (column, -h)]) - at(&[(row, -h), (column, h)])
                        + at(&[(row, -h), (column, -h)]);
                    close(-mixed / (4.0 * h * h), information.get(row, column), 1e-3);
                }
            }
        }
    }

    #[test]
    fn the_ratings_expect_the_points_that_were_scored() {
        let mut rng = Seed(7).rng();
        let games = simulated(&[0.5, 0.0, -0.5], 0.2, 1.0, 100_000, &mut rng);
        let fit = Fit::new(3, &games).settled().unwrap();
        for player in 0..3 {
            let (mut scored, mut expected) = (0.0, 0.0);
            for game in &games {
                let lead = fit.parameters[game.first] - fit.parameters[game.second] + fit.parameters[3];
                let (win, v, loss) = ((lead / 2.0).exp(), fit.parameters[4].exp(), (-lead / 2.0).exp());
                let first = (win + v / 2.0) / (win + v + loss) * game.games() as f64;
                let points = game.wins as f64 + game.draws as f64 / 2.0;
                if game.first == player {
                    (scored, expected) = (scored + points, expected + first);
                } else if game.second == player {
                    (scored, expected) = (scored + game.games() as f64 - points, expected + game.games() as f64 - first);
                }
            }
            // The prior is worth less than one point.
            close(scored, expected, 0.5);
        }
    }

    #[test]
    fn known_strengths_are_recovered_within_the_errors() {
        let mut rng = Seed(8).rng();
        let strengths = [1.2, 0.4, 0.0, -0.3, -1.3];
        for v in [0.0, 1.0] {
            let scale = 400.0 / LN_10 * 2.0 / (2.0 + v);
            let (mut inside, mut inside_pairwise, mut first_inside, mut all) = (0, 0, 0, 0);
            for _ in 0..600 {
                let games = simulated(&strengths, 0.4, v, 40, &mut rng);
                let ratings = rate(5, &games, Anchor::Mean).unwrap();
                let within = |rating: Rating, truth: f64| u32::from((rating.elo - scale * truth).abs() <= rating.error());
                for player in 0..5 {
                    all += 1;
                    inside += within(ratings.players[player], strengths[player]);
                    let next = (player + 1) % 5;
                    inside_pairwise += within(ratings.difference(player, next), strengths[player] - strengths[next]);
                }
                first_inside += within(ratings.first_move, 0.4);
            }
            assert_eq!(all, 3000);
            for count in [inside, inside_pairwise] {
                assert!((2790..=2910).contains(&count), "v {v}: {count} of 3000");
            }
            assert!((558..=588).contains(&first_inside), "v {v}: {first_inside} of 600");
        }
    }

    #[test]
    fn names_and_order_do_not_matter() {
        let mut rng = Seed(9).rng();
        let games = simulated(&[0.3, -0.2, 0.9, 0.0], 0.2, 0.5, 20, &mut rng);
        let ratings = rate(4, &games, Anchor::Mean).unwrap();
        close(ratings.players.iter().map(|rating| rating.elo).sum(), 0.0, 1e-9);
        // Turned round, renamed, and each meeting told in two parts.
        let renamed: Vec<Meeting> = games
            .iter()
            .rev()
            .flat_map(|game| {
                let half = Meeting { wins: game.wins / 2, draws: game.draws / 2, losses: game.losses / 2, ..*game };
                let rest = [game.wins - half.wins, game.draws - half.draws, game.losses - half.losses];
                let counts = [half.wins, half.draws, half.losses];
                [rest, counts].map(|counts| meeting(3 - game.first, 3 - game.second, counts))
            })
            .collect();
        let other = rate(4, &renamed, Anchor::Mean).unwrap();
        for player in 0..4 {
            close(other.players[3 - player].elo, ratings.players[player].elo, 1e-6);
            close(other.players[3 - player].standard_error, ratings.players[player].standard_error, 1e-6);
        }
        // With wins and losses exchanged, the rating has the opposite sign.
        let turned: Vec<Meeting> =
            games.iter().map(|game| meeting(game.second, game.first, [game.wins, game.draws, game.losses])).collect();
        let turned = rate(4, &turned, Anchor::Mean).unwrap();
        for player in 0..4 {
            close(turned.players[player].elo, -ratings.players[player].elo, 1e-6);
        }
        close(turned.first_move.elo, ratings.first_move.elo, 1e-6);
    }

    #[test]
    fn an_anchor_moves_the_zero_and_no_difference() {
        let mut rng = Seed(10).rng();
        let games = simulated(&[0.3, -0.2, 0.9], 0.2, 0.5, 20, &mut rng);
        let mean = rate(3, &games, Anchor::Mean).unwrap();
        let anchored = rate(3, &games, Anchor::Player(1, 1500.0)).unwrap();
        assert_eq!(anchored.players[1].elo, 1500.0);
        close(anchored.players[1].standard_error, 0.0, 1e-6);
        close(anchored.players[0].standard_error, mean.difference(0, 1).standard_error, 1e-6);
        close(anchored.players[2].elo - 1500.0, mean.difference(2, 1).elo, 1e-9);
        close(anchored.superiority(2, 0), mean.superiority(2, 0), 1e-12);
    }

    #[test]
    fn perfect_scores_stay_finite() {
        for games in [
            vec![meeting(0, 1, [100, 0, 0]), meeting(1, 0, [0, 0, 100])],
            vec![meeting(0, 1, [1, 0, 0])],
            vec![meeting(0, 1, [0, 100, 0]), meeting(1, 0, [0, 100, 0])],
            vec![meeting(0, 1, [1_000_000_000, 0, 0]), meeting(1, 0, [0, 1, 1_000_000_000])],
            vec![meeting(0, 1, [500, 0, 0]), meeting(1, 0, [500, 0, 0]), meeting(0, 0, [100, 0, 0])],
        ] {
            let ratings = rate(2, &games, Anchor::Mean).unwrap();
            let all = ratings.players.iter().chain([&ratings.first_move]);
            for rating in all {
                assert!(rating.elo.is_finite() && rating.standard_error.is_finite(), "{games:?}: {ratings:?}");
                assert!(rating.elo.abs() < 5000.0, "{games:?}: {ratings:?}");
            }
            let superiority = ratings.superiority_matrix();
            assert!(superiority.iter().flatten().all(|p| (0.0..=1.0).contains(p)), "{superiority:?}");
        }
        // 100 wins against half an imagined loss: about 400 log10(200).
        let ratings = rate(2, &[meeting(0, 1, [50, 0, 0]), meeting(1, 0, [0, 0, 50])], Anchor::Mean).unwrap();
        close(ratings.difference(0, 1).elo, 400.0 * 200_f64.log10(), 30.0);
        assert!(ratings.superiority(0, 1) > 0.99);
    }

    #[test]
    fn every_connected_table_settles() {
        let mut rng = Seed(16).rng();
        for _ in 0..2000 {
            let players = 2 + rng.below(9) as usize;
            let counts = [0, 0, 1, 3, 40, 1000, 1_000_000];
            let mut games: Vec<Meeting> = (1..players).map(|player| meeting(player - 1, player, [1, 0, 0])).collect();
            for _ in 0..rng.below(30) {
                let [first, second] = [(); 2].map(|()| rng.below(players as u32) as usize);
                games.push(meeting(first, second, [(); 3].map(|()| counts[rng.below(7) as usize])));
            }
            let ratings = rate(players, &games, Anchor::Mean).unwrap_or_else(|error| panic!("{games:?}: {error}"));
            for rating in ratings.players.iter().chain([&ratings.first_move]) {
                assert!(rating.elo.is_finite() && rating.standard_error.is_finite(), "{games:?}: {ratings:?}");
            }
            assert!((0.0..=1.0).contains(&ratings.draw_share), "{ratings:?}");
        }
    }

    #[test]
    fn the_matrix_of_superiority_is_that_of_the_differences() {
        let ratings = rate(2, &[meeting(0, 1, [30, 5, 20]), meeting(1, 0, [20, 5, 30])], Anchor::Mean).unwrap();
        let matrix = ratings.superiority_matrix();
        let difference = ratings.difference(0, 1);
        close(matrix[0][1], normal_cdf(difference.elo / difference.standard_error), 1e-12);
        close(matrix[0][1] + matrix[1][0], 1.0, 1e-12);
        assert_eq!(matrix[0][0], 0.5);
        assert!((0.95..0.99).contains(&matrix[0][1]), "{matrix:?}");
    }

    #[test]
    fn self_play_tells_about_the_first_move_only() {
        let games = [meeting(0, 1, [50, 0, 50]), meeting(1, 0, [50, 0, 50])];
        let own = [meeting(0, 0, [900, 0, 100]), meeting(1, 1, [900, 0, 100])];
        let ratings = rate(2, &[games, own].concat(), Anchor::Mean).unwrap();
        close(ratings.difference(0, 1).elo, 0.0, 1e-9);
        assert!(ratings.first_move.elo > 200.0);
    }

    #[test]
    fn players_who_never_met_are_not_rated() {
        let games = [meeting(0, 3, [1, 0, 1]), meeting(4, 1, [0, 1, 0]), meeting(0, 1, [0, 0, 0]), meeting(2, 2, [5, 0, 0])];
        let error = rate(5, &games, Anchor::Mean).unwrap_err();
        assert_eq!(error, RatingError::Disconnected { groups: vec![vec![0, 3], vec![1, 4], vec![2]] });
        assert_eq!(error.to_string(), "expected games that connect all players, found 3 groups that never met");
        let error = rate(2, &[meeting(0, 2, [1, 0, 0])], Anchor::Mean).unwrap_err();
        assert_eq!(error.to_string(), "expected players numbered below 2, found 2");
        assert!(rate(1, &[], Anchor::Player(1, 0.0)).is_err());
        let alone = rate(1, &[], Anchor::Mean).unwrap();
        assert_eq!(alone.players[0].elo, 0.0);
        assert!(rate(0, &[], Anchor::Mean).unwrap().players.is_empty());
    }

    #[test]
    fn ratings_read_like_other_differences() {
        assert_eq!(format!("{:.1}", Rating { elo: 79.04, standard_error: 10.0 }), "+79.0 ± 19.6");
        assert_eq!(Rating { elo: -0.2, standard_error: 0.0 }.to_string(), "+0 ± 0");
    }
}
