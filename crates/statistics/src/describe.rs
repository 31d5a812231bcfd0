//! Descriptions of results in plain English.

use crate::elo::signed;
use crate::{CONFIDENCE, EloModel, MatchResult, Sprt, SprtDecision, SprtStatus, logistic_elo};

/// A match in a sentence: who is stronger, if that is shown, and by how much.
pub fn describe_match(first: &str, second: &str, result: &MatchResult) -> String {
    let sample = result.sample();
    if sample.games == 0.0 {
        return format!("{first} and {second} have not finished a game");
    }
    let interval = sample.interval(CONFIDENCE);
    let finding = if interval.low > 0.5 {
        format!("{first} is stronger than {second}")
    } else if interval.high < 0.5 {
        format!("{first} is weaker than {second}")
    } else {
        format!("no difference between {first} and {second} is shown")
    };
    let (score, played, elo) = (100.0 * sample.mean, games_played(result), logistic_elo(&sample));
    format!("{finding}: {score:.1} % {interval} over {played}, Elo {elo}")
}

/// A share in per cent.
pub fn per_cent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// The score of a match with its interval, `61.2 % [57.0, 65.2]`; a dash without games.
pub fn score_words(result: &MatchResult) -> String {
    let sample = result.sample();
    if sample.games == 0.0 {
        return "-".to_owned();
    }
    format!("{} {}", per_cent(sample.mean), sample.interval(CONFIDENCE))
}

fn games_played(result: &MatchResult) -> String {
    let pairs = result.pairs().count();
    let singles = result.tally().games() - 2 * pairs;
    match (pairs, singles) {
        (0, singles) => counted(singles, "game"),
        (pairs, 0) => counted(pairs, "pair"),
        (pairs, singles) => format!("{} and {}", counted(pairs, "pair"), counted(singles, "single game")),
    }
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A sequential test in a sentence: what is decided, or how far it is from a decision.
pub fn describe_sprt(new: &str, old: &str, sprt: &Sprt, status: &SprtStatus) -> String {
    let ([elo0, elo1], model) = (sprt.hypotheses(), sprt.model());
    // Accepting a hypothesis means that the other one is refuted, and that is what can be said.
    let finding = match status.verdict {
        SprtDecision::AcceptH1 => compared(new, old, ["stronger", "weaker"], elo0, model),
        SprtDecision::AcceptH0 => compared(new, old, ["weaker", "stronger"], -elo1, model),
        SprtDecision::Continue => format!("{new} against {old} is not decided"),
    };
    let (llr, lower, upper, pairs) = (signed(status.llr, 2), status.lower, status.upper, counted(status.pairs, "pair"));
    format!("{finding}: LLR {llr} [{lower:.2}, {upper:.2}] after {pairs}, for {elo0} against {elo1} {model}")
}

/// That the lead is more than `by`, which may be negative.
fn compared(new: &str, old: &str, [more, less]: [&str; 2], by: f64, model: EloModel) -> String {
    if by > 0.0 {
        format!("{new} is {more} than {old} by more than {by} {model}")
    } else if by < 0.0 {
        format!("{new} is not {less} than {old} by {} {model} or more", -by)
    } else {
        format!("{new} is {more} than {old}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GameResult, Pairs};

    /// A match with these pairs; where they are split the first player won.
    fn paired(counts: [u64; 5]) -> MatchResult {
        use GameResult::{Draw, Loss, Win};
        let mut result = MatchResult::default();
        for (results, count) in [[Loss, Loss], [Draw, Loss], [Win, Loss], [Win, Draw], [Win, Win]].into_iter().zip(counts) {
            (0..count).for_each(|_| result.add_pair(results));
        }
        result
    }

    #[test]
    fn matches() {
        let describe = |counts| describe_match("mcts:sims=1000", "minimax:depth=4", &paired(counts));
        assert_eq!(
            describe([60, 20, 200, 60, 160]),
            "mcts:sims=1000 is stronger than minimax:depth=4: 62.0 % [59.1, 64.8] over 500 pairs, Elo +85 ± 21"
        );
        assert_eq!(
            describe([160, 60, 200, 20, 60]),
            "mcts:sims=1000 is weaker than minimax:depth=4: 38.0 % [35.2, 40.9] over 500 pairs, Elo -85 ± 21"
        );
        assert_eq!(
            describe([6, 2, 20, 6, 7]),
            "no difference between mcts:sims=1000 and minimax:depth=4 is shown: 53.7 % [44.3, 62.8] over 41 pairs, Elo +25 ± 65"
        );
        assert_eq!(
            describe([0, 0, 0, 0, 12]),
            "mcts:sims=1000 is stronger than minimax:depth=4: 100.0 % [75.8, 100.0] over 12 pairs, Elo at least +198"
        );
        assert_eq!(describe([0; 5]), "mcts:sims=1000 and minimax:depth=4 have not finished a game");
    }

    #[test]
    fn games_without_a_partner_are_named() {
        let mut result = MatchResult::default();
        result.add_single(0, GameResult::Win);
        let text = describe_match("a", "b", &result);
        assert_eq!(text, "no difference between a and b is shown: 100.0 % [20.7, 100.0] over 1 game, Elo at least -234");
        result.add_pair([GameResult::Win, GameResult::Loss]);
        assert!(describe_match("a", "b", &result).contains("over 1 pair and 1 single game"));
    }

    #[test]
    fn tests() {
        let counts = [Pairs([184, 15, 508, 17, 290]), Pairs([290, 17, 508, 15, 184]), Pairs([0, 0, 1, 0, 0])];
        let describe = |elo0, elo1, model, pairs| {
            let sprt = Sprt::new(model, elo0, elo1).unwrap();
            describe_sprt("new", "old", &sprt, &sprt.status(&pairs))
        };
        let normalised = EloModel::Normalised;
        assert_eq!(
            describe(0.0, 5.0, normalised, counts[0]),
            "new is stronger than old: LLR +2.95 [-2.94, 2.94] after 1014 pairs, for 0 against 5 normalised Elo"
        );
        assert_eq!(
            describe(0.0, 5.0, normalised, counts[1]),
            "new is not stronger than old by 5 normalised Elo or more: LLR -3.37 [-2.94, 2.94] after 1014 pairs, for 0 against 5 \
             normalised Elo"
        );
        assert_eq!(
            describe(0.0, 0.5, normalised, counts[2]),
            "new against old is not decided: LLR +0.00 [-2.94, 2.94] after 1 pair, for 0 against 0.5 normalised Elo"
        );
        assert!(
            describe(-5.0, 0.0, normalised, counts[0]).starts_with("new is not weaker than old by 5 normalised Elo or more: ")
        );
        assert!(describe(-5.0, 0.0, normalised, counts[1]).starts_with("new is weaker than old: "));
        assert!(describe(3.0, 9.0, EloModel::Logistic, counts[0]).starts_with("new is stronger than old by more than 3 Elo: "));
        assert!(describe(-9.0, -3.0, EloModel::Logistic, counts[1]).starts_with("new is weaker than old by more than 3 Elo: "));
    }
}
