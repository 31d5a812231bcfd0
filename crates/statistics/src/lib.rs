//! Statistics of game results: Elo, intervals, sequential tests, ratings.
//!
//! The unit is the pair: two games from one opening with swapped seats. Its two games are not independent, so everything that
//! has an error bar takes the variance from pairs (the pentanomial counts of Van den Bergh), and falls back on single games only
//! for those that have no partner. No function here returns an infinity or NaN: a score of 100 % yields a bound, no games yield
//! the interval from 0 to 1.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod correlation;
mod describe;
mod distributions;
mod elo;
mod intervals;
mod matrix;
mod means;
mod ratings;
mod redundancy;
mod results;
mod sprt;

pub use correlation::{kendall_tau_b, spearman};
pub use describe::{describe_match, describe_sprt, per_cent, score_words};
pub use distributions::{normal_cdf, normal_quantile, student_quantile};
pub use elo::{EloEstimate, elo_of_score, likelihood_of_superiority, logistic_elo, normalised_elo, score_of_elo};
pub use intervals::{CONFIDENCE, Interval, difference, simultaneous, wilson};
pub use matrix::least_squares;
pub use means::{MeanEstimate, bootstrap, mean};
pub use ratings::{Anchor, Meeting, Rating, RatingError, Ratings, rate};
pub use redundancy::redundancy;
pub use results::{GameResult, MatchResult, Pairs, Sample, Tally};
pub use sprt::{EloModel, Sprt, SprtDecision, SprtError, SprtStatus};
