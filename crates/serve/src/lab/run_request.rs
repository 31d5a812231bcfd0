//! The request of a page for a new run.

use plyground_match::{Experiment, Format, Openings, Run, opening_plies, pairings, shell_word};
use plyground_session::{InputError, Limits as SearchLimits, parse_duration};
use serde::Deserialize;

use crate::{EngineAllowList, ServerLimits};

/// The settings of a run, with those of `ply match` and `ply tournament` where nothing is said.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRequest {
    /// The game with its parameters.
    game: String,
    /// The specs of the agents.
    agents: Vec<String>,
    /// Pairs of games for every pairing.
    pub pairs: u64,
    /// The format of the tournament.
    #[serde(default)]
    format: Kind,
    /// The rounds of a Swiss tournament.
    rounds: Option<u32>,
    /// Simulated games for every move, for all agents.
    sims: Option<u64>,
    /// Time for every move, for all agents: 100ms, 1s.
    move_time: Option<String>,
    #[serde(default)]
    seed: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    #[default]
    RoundRobin,
    Gauntlet,
    Swiss,
}

/// The most rounds of a Swiss tournament.
const ROUNDS: u32 = 1_000;

impl RunRequest {
    /// The run of this request, or the first thing that is wrong with it.
    pub fn run(&self, limits: &ServerLimits, allowed: &EngineAllowList) -> Result<Run, InputError> {
        let found = self.agents.len();
        if !(2..=limits.run_agents).contains(&found) {
            let expected = format!("expected two or more, at most {}", limits.run_agents);
            return Err(InputError::malformed("number of agents", &found.to_string(), expected));
        }
        self.agents.iter().try_for_each(|agent| limits.allowance.check(agent))?;
        // A page cannot name files of this computer, or programs to start.
        let agents: Vec<String> = self.agents.iter().map(|agent| allowed.written_out(agent)).collect();
        let mut experiment = Experiment::new(&self.game, &agents, allowed)?;
        experiment.format = self.format()?;
        experiment.openings = Openings::Random { plies: opening_plies(&experiment.game)? };
        let time = self.move_time.as_deref().map(parse_duration).transpose()?;
        at_least_one("number of simulations", self.sims.unwrap_or(1))?;
        experiment.limits = SearchLimits { time, simulations: self.sims, ..SearchLimits::default() };
        experiment.seed = self.seed;
        self.check_pairs(experiment.format, limits)?;
        Ok(experiment.run())
    }

    fn format(&self) -> Result<Format, InputError> {
        if let Some(rounds) = self.rounds.filter(|rounds| !(1..=ROUNDS).contains(rounds) || self.format != Kind::Swiss) {
            let expected = format!("expected a whole number from 1 to {ROUNDS}, in a Swiss tournament only");
            return Err(InputError::malformed("number of rounds", &rounds.to_string(), expected));
        }
        Ok(match self.format {
            Kind::RoundRobin => Format::RoundRobin,
            Kind::Gauntlet => Format::Gauntlet,
            Kind::Swiss => Format::swiss(self.agents.len(), self.rounds, self.pairs),
        })
    }

    fn check_pairs(&self, format: Format, limits: &ServerLimits) -> Result<(), InputError> {
        at_least_one("number of pairs", self.pairs)?;
        let meet = match format {
            Format::Swiss { rounds, .. } => u64::from(rounds) * (self.agents.len() as u64 / 2),
            format => pairings(format, self.agents.len()).len() as u64,
        };
        if self.pairs.saturating_mul(meet) > limits.run_pairs {
            let most = limits.run_pairs / meet.max(1);
            let expected = format!("expected at most {most} where {meet} meet; longer runs are for the command line");
            return Err(InputError::malformed("number of pairs", &self.pairs.to_string(), expected));
        }
        Ok(())
    }

    /// The command line of the same run.
    pub fn command(&self, allowed: &EngineAllowList) -> String {
        let duel = self.agents.len() == 2 && self.format == Kind::RoundRobin;
        let mut words = vec!["ply".to_owned(), if duel { "match" } else { "tournament" }.to_owned(), shell_word(&self.game)];
        words.extend(self.agents.iter().map(|agent| shell_word(&allowed.written_out(agent))));
        match self.format {
            Kind::RoundRobin => {}
            Kind::Gauntlet => words.push("--gauntlet".to_owned()),
            Kind::Swiss => words.push("--swiss".to_owned()),
        }
        words.push(format!("--pairs {}", self.pairs));
        words.extend(self.rounds.map(|rounds| format!("--rounds {rounds}")));
        words.extend(self.sims.map(|sims| format!("--sims {sims}")));
        words.extend(self.move_time.as_ref().map(|time| format!("--move-time {}", shell_word(time))));
        words.extend((self.seed != 0).then(|| format!("--seed {}", self.seed)));
        words.join(" ")
    }
}

fn at_least_one(what: &'static str, number: u64) -> Result<(), InputError> {
    if number == 0 { Err(InputError::malformed(what, "0", "expected a whole number from 1")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn request(change: &Value) -> RunRequest {
        let mut fields = json!({"game": "clobber:size=4x4", "agents": ["random", "mcts:sims={5..20}", "level=2"], "pairs": 3});
        for (key, value) in change.as_object().unwrap() {
            fields[key] = value.clone();
        }
        serde_json::from_value(fields).unwrap()
    }

    #[test]
    fn the_command_asks_for_the_same() {
        let gauntlet = request(&json!({"format": "gauntlet", "sims": 9, "move_time": "1.5s", "seed": 4}));
        assert_eq!(
            gauntlet.command(&EngineAllowList::default()),
            "ply tournament clobber:size=4x4 random 'mcts:sims={5..20}' level=2 --gauntlet --pairs 3 --sims 9 --move-time 1.5s --seed 4"
        );
        assert_eq!(
            request(&json!({"agents": ["a", "b"]})).command(&EngineAllowList::default()),
            "ply match clobber:size=4x4 a b --pairs 3"
        );
        let swiss = request(&json!({"format": "swiss", "rounds": 2}));
        assert!(
            swiss.command(&EngineAllowList::default()).ends_with("--swiss --pairs 3 --rounds 2"),
            "{}",
            swiss.command(&EngineAllowList::default())
        );
    }

    #[test]
    fn what_cannot_be_played_is_refused_with_what_was_expected() {
        let limits = ServerLimits { run_pairs: 30, ..ServerLimits::default() };
        assert!(request(&json!({})).run(&limits, &EngineAllowList::default()).is_ok());
        for (change, words) in [
            (json!({"game": "clober"}), "did you mean 'clobber'"),
            (json!({"agents": ["random"]}), "number of agents '1'"),
            (json!({"agents": ["random", "random"]}), "it is there twice"),
            (json!({"agents": ["random", "mtcs"]}), "unknown agent 'mtcs'"),
            (json!({"agents": ["random", "mcts:memory=999999999"]}), "999999999"),
            (json!({"agents": ["random", "mcts:tb=/dev/zero"]}), "/dev/zero"),
            (json!({"agents": ["random", "cmd:sh -c true"]}), "unknown program of this server"),
            (json!({"agents": ["random", "cmd:time=1s /bin/sh"]}), "unknown program of this server"),
            (json!({"pairs": 0}), "expected a whole number from 1"),
            (json!({"pairs": 11}), "expected at most 10 where 3 meet"),
            (json!({"pairs": u64::MAX}), "expected at most 10 where 3 meet"),
            (json!({"sims": 0}), "number of simulations '0'"),
            (json!({"move_time": "soon"}), "100ms"),
            (json!({"rounds": 3}), "in a Swiss tournament only"),
            (json!({"format": "swiss", "rounds": 0}), "from 1 to 1000"),
        ] {
            let error = request(&change).run(&limits, &EngineAllowList::default()).unwrap_err().to_string();
            assert!(error.contains(words), "{change}: {error}");
        }
    }
}
