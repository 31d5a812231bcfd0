//! Who plays next: where a pair of games tells most, that is where ratings are uncertain and strengths close.

use plyground_statistics::Rating;

/// The most pairs of two versions: more say nothing new.
pub(crate) const MOST_PAIRS: u64 = 200;
/// Pairs of neighbouring levels, which hold the scale together.
const LEVEL_PAIRS: u64 = 10;
/// The error of a rating that is not known, in Elo.
const UNKNOWN: f64 = 400.0;
/// A game against the level that guards the next league is worth so many others.
const BOSS: f64 = 4.0;
/// Such games are played by bots that have a chance.
const CHANCE: f64 = 0.3;

/// A participant of the ladder.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entrant {
    pub rating: Option<Rating>,
    /// The place among the levels, if it is one.
    pub level: Option<usize>,
    /// The number of the level that guards its next league.
    pub boss: Option<usize>,
    /// Games that it is playing.
    pub busy: usize,
    /// Pairs that it has played.
    pub pairs: u64,
}

/// The next two; `None` if no pair would tell anything. `pairs` is how many two have played, or `None` if they are playing.
pub(crate) fn next_pairing(entrants: &[Entrant], pairs: impl Fn(usize, usize) -> Option<u64>) -> Option<[usize; 2]> {
    let mut best: Option<(f64, [usize; 2])> = None;
    for one in 0..entrants.len() {
        for other in one + 1..entrants.len() {
            let Some(played) = pairs(one, other).filter(|&played| played < MOST_PAIRS) else { continue };
            let value = value(&entrants[one], &entrants[other], played);
            if value > best.map_or(0.0, |(value, _)| value) {
                best = Some((value, [one, other]));
            }
        }
    }
    best.map(|(_, pairing)| pairing)
}

/// What a pair of games of these two is worth.
fn value(one: &Entrant, other: &Entrant, played: u64) -> f64 {
    let busy = 1.0 + 4.0 * (one.busy + other.busy) as f64;
    let value = match (one.level, other.level) {
        (Some(first), Some(second)) if first.abs_diff(second) != 1 || played >= LEVEL_PAIRS => 0.0,
        (Some(_), Some(_)) => 4.0 * UNKNOWN * UNKNOWN / (1.0 + played as f64).powi(2),
        (level, other_level) => {
            let bot = if level.is_some() { other } else { one };
            match level.or(other_level) {
                // A new bot meets the weakest level first, so that all are on one scale.
                Some(level) if bot.pairs == 0 => 8.0 * UNKNOWN * UNKNOWN / (1.0 + level as f64),
                level => {
                    let spread = |entrant: &Entrant| entrant.rating.map_or(UNKNOWN, |rating| rating.standard_error.min(UNKNOWN));
                    let uncertain = spread(one).powi(2) + spread(other).powi(2);
                    let chance = chance(one, other);
                    let boss = level.is_some_and(|level| bot.boss == Some(level));
                    let own = if level == Some(one.level.unwrap_or(usize::MAX)) { 1.0 - chance } else { chance };
                    let weight = if boss && own >= CHANCE { BOSS } else { 1.0 };
                    weight * 4.0 * chance * (1.0 - chance) * uncertain / (1.0 + played as f64 / 10.0)
                }
            }
        }
    };
    value / busy
}

/// The expected score of the first.
fn chance(one: &Entrant, other: &Entrant) -> f64 {
    let elo = |entrant: &Entrant| entrant.rating.map(|rating| rating.elo);
    match (elo(one), elo(other)) {
        (Some(one), Some(other)) => 1.0 / (1.0 + 10_f64.powf((other - one) / 400.0)),
        _ => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(place: usize, elo: f64) -> Entrant {
        Entrant { level: Some(place), ..bot(Some((elo, 20.0)), 10) }
    }

    fn bot(rating: Option<(f64, f64)>, pairs: u64) -> Entrant {
        let rating = rating.map(|(elo, standard_error)| Rating { elo, standard_error });
        Entrant { rating, level: None, boss: None, busy: 0, pairs }
    }

    #[test]
    fn a_new_bot_meets_the_weakest_level_first() {
        let entrants = [level(0, 0.0), level(1, 200.0), bot(Some((100.0, 50.0)), 9), bot(None, 0)];
        assert_eq!(next_pairing(&entrants, |_, _| Some(5)), Some([0, 3]));
    }

    #[test]
    fn close_and_uncertain_bots_meet_before_others() {
        let entrants =
            [bot(Some((0.0, 50.0)), 9), bot(Some((20.0, 50.0)), 9), bot(Some((900.0, 50.0)), 9), bot(Some((10.0, 10.0)), 90)];
        assert_eq!(next_pairing(&entrants, |_, _| Some(5)), Some([0, 1]));
        // Those who are playing each other do not meet again meanwhile.
        let others = next_pairing(&entrants, |one, other| ([one, other] != [0, 1]).then_some(5));
        assert_eq!(others, Some([0, 3]));
    }

    #[test]
    fn a_bot_with_a_chance_meets_the_guard_of_the_next_league() {
        let mut entrants = [level(0, 0.0), level(1, 300.0), bot(Some((250.0, 60.0)), 20), bot(Some((250.0, 60.0)), 20)];
        entrants[2].boss = Some(1);
        assert_eq!(next_pairing(&entrants, |_, _| Some(20)), Some([1, 2]));
        entrants[2].rating = Some(Rating { elo: -200.0, standard_error: 60.0 });
        assert_ne!(next_pairing(&entrants, |_, _| Some(20)), Some([1, 2]));
    }

    #[test]
    fn without_bots_the_levels_come_to_rest_and_nobody_plays_for_ever() {
        let levels = [level(0, 0.0), level(1, 100.0), level(2, 200.0)];
        assert_eq!(next_pairing(&levels, |_, _| Some(0)), Some([0, 1]));
        assert_eq!(next_pairing(&levels, |_, _| Some(LEVEL_PAIRS)), None);
        let all = [level(0, 0.0), bot(Some((0.0, 5.0)), 500)];
        assert_eq!(next_pairing(&all, |_, _| Some(MOST_PAIRS)), None);
    }
}
