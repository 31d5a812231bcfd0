//! The pairings of tournaments, and the jobs of a run.

use std::ops::Range;

use plyground_core::InputError;

use crate::{Book, Format, Job, Run};

/// The pairings of a tournament of so many agents, by number; of a Swiss one, those of the first round.
pub fn pairings(format: Format, agents: usize) -> Vec<[usize; 2]> {
    match format {
        Format::RoundRobin => (0..agents).flat_map(|first| (first + 1..agents).map(move |second| [first, second])).collect(),
        Format::Gauntlet => (1..agents).map(|second| [0, second]).collect(),
        Format::SelfPlay => (0..agents).map(|agent| [agent, agent]).collect(),
        Format::Swiss { .. } => swiss_round(agents, &[], |_| 0.0),
        Format::Games { rounds: None, double } => both_ways(circle(agents), double),
        Format::Games { rounds: Some(_), double } => both_ways(swiss_round(agents, &[], |_| 0.0), double),
    }
}

/// A round robin of single games by the circle method: in each round every agent plays once (of an odd number one rests), so that many
/// games can be played at the same time. For each agent the games as first and as second player differ by at most one (the tables of
/// Berger, 1895).
fn circle(agents: usize) -> Vec<[usize; 2]> {
    let seats = agents + agents % 2;
    let others = seats.saturating_sub(1);
    let turned = |number: usize| number % others;
    let of_round = |round: usize| {
        let pairs = (1..seats / 2).map(move |step| [turned(round + step), turned(round + others - step)]);
        std::iter::once([turned(round), others]).chain(pairs)
    };
    let seated = |[one, other]: [usize; 2]| {
        let (low, high) = (one.min(other), one.max(other));
        let low_first = if high == others { low < seats / 2 } else { (low + high) % 2 == 1 };
        if low_first { [low, high] } else { [high, low] }
    };
    (0..others).flat_map(of_round).filter(|pair| pair.iter().all(|&agent| agent < agents)).map(seated).collect()
}

/// A second game of each two, the other way round, after all first ones.
fn both_ways(mut pairings: Vec<[usize; 2]>, double: bool) -> Vec<[usize; 2]> {
    if double {
        pairings.extend_from_within(..);
        let half = pairings.len() / 2;
        pairings[half..].iter_mut().for_each(|pairing| pairing.reverse());
    }
    pairings
}

/// The next round of a Swiss system of single games: of two agents, the one that has moved first less often moves first.
pub(crate) fn swiss_games(agents: usize, met: &[[usize; 2]], score: impl Fn(usize) -> f64, double: bool) -> Vec<[usize; 2]> {
    let firsts = |agent: usize| met.iter().filter(|[first, _]| *first == agent).count();
    let seated = |[one, other]: [usize; 2]| if firsts(other) < firsts(one) { [other, one] } else { [one, other] };
    both_ways(swiss_round(agents, met, score).into_iter().map(seated).collect(), double)
}

/// A round of a Swiss tournament: agents with about the same score meet, and no two meet twice. With an odd number one rests, of those
/// that have rested least the one with the lowest score. `met` are the pairings of the rounds before. When not all can be paired
/// any more, some rest; when all have met, all do.
pub fn swiss_round(agents: usize, met: &[[usize; 2]], score: impl Fn(usize) -> f64) -> Vec<[usize; 2]> {
    let is_new = |one: usize, other: usize| !met.contains(&[one, other]) && !met.contains(&[other, one]);
    let mut order: Vec<usize> = (0..agents).collect();
    order.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
    let all = if agents.is_multiple_of(2) {
        all_paired(&order, &is_new, &mut PATIENCE.clone())
    } else {
        let played = |agent: usize| met.iter().filter(|pairing| pairing.contains(&agent)).count();
        let mut resting: Vec<usize> = order.iter().rev().copied().collect();
        resting.sort_by_key(|&agent| std::cmp::Reverse(played(agent)));
        resting.into_iter().find_map(|rests| {
            let others: Vec<usize> = order.iter().copied().filter(|&agent| agent != rests).collect();
            all_paired(&others, &is_new, &mut PATIENCE.clone())
        })
    };
    all.unwrap_or_else(|| as_they_come(order, &is_new))
}

/// Attempts to pair all agents before some rest: late rounds with many agents could take for ever otherwise.
const PATIENCE: u32 = 10_000;

/// All agents paired with opponents that they have not met, the first ones with the next ones in the order.
fn all_paired(order: &[usize], is_new: &dyn Fn(usize, usize) -> bool, attempts: &mut u32) -> Option<Vec<[usize; 2]>> {
    let Some((&one, others)) = order.split_first() else {
        return Some(Vec::new());
    };
    others.iter().filter(|&&other| is_new(one, other)).find_map(|&other| {
        *attempts = attempts.checked_sub(1)?;
        let rest: Vec<usize> = others.iter().copied().filter(|&agent| agent != other).collect();
        let mut round = all_paired(&rest, is_new, attempts)?;
        round.insert(0, [one, other]);
        Some(round)
    })
}

/// Each agent paired with the next one that it has not met; an agent without such an opponent rests.
fn as_they_come(mut order: Vec<usize>, is_new: &dyn Fn(usize, usize) -> bool) -> Vec<[usize; 2]> {
    let mut round = Vec::new();
    while !order.is_empty() {
        let one = order.remove(0);
        if let Some(place) = order.iter().position(|&other| is_new(one, other)) {
            round.push([one, order.remove(place)]);
        }
    }
    round
}

/// These pairs of every pairing (or single games, where the seats are fixed), the first ones of all pairings first: when a run is
/// stopped, all have played about as much.
pub fn jobs(run: &Run, book: &mut Book<'_>, pairings: &[[usize; 2]], pairs: Range<u64>) -> Result<Vec<Job>, InputError> {
    let mut jobs = Vec::new();
    for pair in pairs {
        let opening = book.opening(pair as usize)?;
        jobs.extend(pairings.iter().map(|&agents| Job {
            id: run.experiment.job_id(&run.id, agents, pair),
            run: run.id.clone(),
            agents,
            pair,
            opening: opening.to_vec(),
        }));
    }
    Ok(jobs)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use plyground_core::Seed;

    use super::*;

    #[test]
    fn all_agents_meet_each_other_or_the_first() {
        let all = pairings(Format::RoundRobin, 5);
        assert_eq!(all.len(), 10);
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 10);
        assert!(all.iter().all(|[one, other]| one < other && *other < 5));
        assert_eq!(pairings(Format::Gauntlet, 4), [[0, 1], [0, 2], [0, 3]]);
        assert_eq!(pairings(Format::SelfPlay, 3), [[0, 0], [1, 1], [2, 2]]);
    }

    #[test]
    fn in_single_games_all_agents_meet_and_seats_are_balanced() {
        for agents in 0..=12_usize {
            let once = pairings(Format::Games { rounds: None, double: false }, agents);
            let met: HashSet<[usize; 2]> = once.iter().map(|&[one, other]| [one.min(other), one.max(other)]).collect();
            let all = agents * agents.saturating_sub(1) / 2;
            assert_eq!((once.len(), met.len()), (all, all), "{agents}");
            for agent in 0..agents {
                let [first, second] = [0, 1].map(|seat| once.iter().filter(|pairing| pairing[seat] == agent).count());
                assert!(first.abs_diff(second) <= 1, "{agents} agents: {agent} is first {first} and second {second} times");
            }
            for round in once.chunks((agents / 2).max(1)) {
                let busy: HashSet<usize> = round.iter().flatten().copied().collect();
                assert_eq!(busy.len(), 2 * round.len(), "{agents} agents: one plays twice in {round:?}");
            }
            let twice = pairings(Format::Games { rounds: None, double: true }, agents);
            assert_eq!(twice.iter().collect::<HashSet<_>>().len(), 2 * all);
        }
    }

    #[test]
    fn in_a_swiss_system_of_single_games_seats_are_balanced() {
        let mut met = pairings(Format::Games { rounds: Some(5), double: false }, 6);
        for _ in 1..5 {
            met.extend(swiss_games(6, &met, |agent| agent as f64, false));
        }
        assert_eq!(met.len(), 15);
        for agent in 0..6 {
            let first = met.iter().filter(|pairing| pairing[0] == agent).count();
            assert!((1..=4).contains(&first), "{agent} is first {first} times of 5");
        }
        let double = swiss_games(4, &[[0, 1], [2, 3], [1, 0], [3, 2]], |_| 0.0, true);
        assert_eq!(double, [[0, 2], [1, 3], [2, 0], [3, 1]]);
    }

    /// Can these be paired so that no two meet twice? By trying all ways.
    fn can_be_paired(left: &[usize], met: &HashSet<[usize; 2]>) -> bool {
        left.is_empty()
            || (1..left.len()).any(|place| {
                let mut rest = left.to_vec();
                let (other, one) = (rest.remove(place), rest.remove(0));
                !met.contains(&[one.min(other), one.max(other)]) && can_be_paired(&rest, met)
            })
    }

    #[test]
    fn no_two_meet_twice_and_all_play_while_that_can_be() {
        let mut rng = Seed(4).rng();
        for agents in 2..=9 {
            for _ in 0..20 {
                let mut met: Vec<[usize; 2]> = Vec::new();
                let mut seen = HashSet::new();
                for _ in 0..=agents {
                    let scores: Vec<f64> = (0..agents).map(|_| rng.below(4).into()).collect();
                    let round = swiss_round(agents, &met, |agent| scores[agent]);
                    let all: Vec<usize> = (0..agents).collect();
                    let without = |rests: usize| all.iter().copied().filter(|&agent| agent != rests).collect::<Vec<_>>();
                    let possible = if agents % 2 == 0 {
                        can_be_paired(&all, &seen)
                    } else {
                        all.iter().any(|&rests| can_be_paired(&without(rests), &seen))
                    };
                    assert!(!possible || round.len() == agents / 2, "{agents} agents, {met:?}: {round:?}");
                    let mut busy = HashSet::new();
                    for &[one, other] in &round {
                        assert!(busy.insert(one) && busy.insert(other), "{round:?}");
                        assert!(seen.insert([one.min(other), one.max(other)]), "{one} and {other} meet twice");
                    }
                    met.extend(round);
                }
            }
        }
    }

    #[test]
    fn equals_meet_and_the_last_one_rests_but_not_twice() {
        // After 0 beat 1, 2 beat 3 and 4 rested: the winners meet, and 3 has the lowest score of those that have not rested.
        let score = |agent: usize| [1.0, 0.0, 1.0, 0.0, 0.5][agent];
        assert_eq!(swiss_round(5, &[[0, 1], [2, 3]], score), [[0, 2], [4, 1]]);
    }

    #[test]
    fn many_agents_over_many_rounds_come_to_an_end() {
        let mut met = Vec::new();
        for _ in 0..60 {
            let round = swiss_round(60, &met, |agent| agent as f64);
            met.extend(round);
        }
        let distinct: HashSet<[usize; 2]> = met.iter().map(|&[one, other]| [one.min(other), one.max(other)]).collect();
        assert_eq!(distinct.len(), met.len());
    }
}
