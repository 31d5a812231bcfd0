//! Refused results of a run: what other machines have sent that does not count, and who sent it.

use serde::Serialize;

/// The refused results of one sender in one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RefusedResults {
    /// The name that the sender signs with; empty for messages that could not be read or are not signed.
    pub worker: String,
    /// The number of refused results.
    pub results: u64,
    /// The reason of the first refusal.
    pub reason: String,
    /// Is the sender banned from the run, with its other results played again?
    pub banned: bool,
}

impl RefusedResults {
    /// The name of the sender for readers.
    pub fn sender(&self) -> &str {
        if self.worker.is_empty() { "senders without a name" } else { &self.worker }
    }
}

/// Refused results in a sentence; `None` if there are none.
pub fn refused_in_words(refused: &[RefusedResults]) -> Option<String> {
    const NAMED: usize = 5;
    let results: u64 = refused.iter().map(|sender| sender.results).sum();
    let named = |sender: &RefusedResults| {
        let banned = if sender.banned { " (banned, its other results are played again)" } else { "" };
        format!("{} from {}{banned}", sender.results, sender.sender())
    };
    let mut parts: Vec<String> = refused.iter().take(NAMED).map(named).collect();
    if refused.len() > NAMED {
        parts.push(format!("the rest from {} others", refused.len() - NAMED));
    }
    let (verb, noun) = if results == 1 { ("was", "result") } else { ("were", "results") };
    let counts = if results == 1 { "does not count" } else { "do not count" };
    (results > 0).then(|| format!("{results} {noun} {verb} refused and {counts}: {}", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_results_are_counted_and_named() {
        let sender =
            |worker: &str, results, banned| RefusedResults { worker: worker.into(), results, banned, ..Default::default() };
        assert_eq!(refused_in_words(&[]), None);
        assert_eq!(
            refused_in_words(&[sender("liar", 5, true), sender("", 2, false)]).unwrap(),
            "7 results were refused and do not count: 5 from liar (banned, its other results are played again), \
             2 from senders without a name"
        );
        assert_eq!(refused_in_words(&[sender("w", 1, false)]).unwrap(), "1 result was refused and does not count: 1 from w");
        let many: Vec<RefusedResults> = (0..8).map(|number| sender(&number.to_string(), 1, false)).collect();
        assert!(refused_in_words(&many).unwrap().ends_with("1 from 4, the rest from 3 others"));
    }
}
