//! Results in plain English.

use super::{CONFIDENCE, MatchResult, Sprt, SprtStatus, Verdict, logistic_elo};

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
    let SprtStatus { llr, lower, upper, .. } = status;
    let ([elo0, elo1], model) = (sprt.hypotheses(), sprt.model());
    let evidence = format!("LLR {llr:+.2} [{lower:.2}, {upper:.2}] for {elo0} against {elo1} {model}");
    let pairs = counted(status.pairs, "pair");
    match status.verdict {
        Verdict::AcceptH1 => {
            format!("accepted after {pairs}: {new} against {old} is nearer to {elo1:+} than to {elo0:+} ({evidence})")
        }
        Verdict::AcceptH0 => {
            format!("rejected after {pairs}: {new} against {old} is nearer to {elo0:+} than to {elo1:+} ({evidence})")
        }
        Verdict::Continue => format!("not decided after {pairs}: {new} against {old} needs more games ({evidence})"),
    }
}

#[cfg(test)]
mod tests {
    use plyground_core::Player;

    use super::*;
    use crate::statistics::{EloModel, GameResult, Pairs};

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
            "no difference between mcts:sims=1000 and minimax:depth=4 is shown: 53.7 % [43.9, 63.1] over 41 pairs, Elo +25 ± 68"
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
        result.add_single(Player::First, GameResult::Win);
        let text = describe_match("a", "b", &result);
        assert_eq!(text, "no difference between a and b is shown: 100.0 % [20.7, 100.0] over 1 game, Elo at least -234");
        result.add_pair([GameResult::Win, GameResult::Loss]);
        assert!(describe_match("a", "b", &result).contains("over 1 pair and 1 single game"));
    }

    #[test]
    fn tests() {
        let sprt = Sprt::new(EloModel::Normalised, 0.0, 5.0).unwrap();
        let describe = |counts| describe_sprt("new", "old", &sprt, &sprt.status(&Pairs(counts)));
        assert_eq!(
            describe([184, 15, 508, 17, 290]),
            "accepted after 1014 pairs: new against old is nearer to +5 than to +0 (LLR +2.95 [-2.94, 2.94] for 0 against 5 normalised Elo)"
        );
        assert_eq!(
            describe([290, 17, 508, 15, 150]),
            "rejected after 980 pairs: new against old is nearer to +0 than to +5 (LLR -4.20 [-2.94, 2.94] for 0 against 5 normalised Elo)"
        );
        assert_eq!(
            describe([0, 0, 1, 0, 0]),
            "not decided after 1 pair: new against old needs more games (LLR -0.00 [-2.94, 2.94] for 0 against 5 normalised Elo)"
        );
    }
}
