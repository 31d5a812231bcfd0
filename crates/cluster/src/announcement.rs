//! The announcement of a run, as its coordinator publishes it and workers read it.

use std::collections::BTreeMap;
use std::time::Duration;

use plyground_match::Experiment;
use serde::{Deserialize, Serialize};

use crate::handshake::Handshake;
use crate::names::ContentHash;

/// The settings of a run, as workers read them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Announcement {
    /// The handshake of the coordinator.
    #[serde(rename = "hello")]
    pub handshake: Handshake,
    /// The experiment.
    pub experiment: Experiment,
}

/// The longest time for a move or a game that is played, and the most agents and files of a run.
const LONGEST_TIME: Duration = Duration::from_hours(30 * 24);
const MOST_AGENTS: usize = 10_000;

impl Announcement {
    /// The hashes of the files of its agents; a reason in words if these are not the settings of the run, or cannot be played.
    pub fn check(&self, run: &str) -> Result<BTreeMap<String, ContentHash>, String> {
        let experiment = &self.experiment;
        let found = experiment.clone().run().id;
        // The name of a run is a hash of its settings: only its coordinator can have made them.
        if found != run {
            return Err(format!("expected the settings of the run {run}, found those of {found}"));
        }
        if experiment.version != Experiment::VERSION {
            return Err(format!("expected settings of version {}, found version {}", Experiment::VERSION, experiment.version));
        }
        let most = experiment.agents.len().max(experiment.files.len());
        if most > MOST_AGENTS {
            return Err(format!("expected at most {MOST_AGENTS} agents and files, found {most}"));
        }
        let times = [experiment.limits.time, experiment.clock, experiment.game_time, experiment.patience];
        if let Some(time) = times.into_iter().flatten().find(|&time| time > LONGEST_TIME) {
            return Err(format!("expected times of at most {} s, found {} s", LONGEST_TIME.as_secs(), time.as_secs()));
        }
        let parsed = |(name, hash): (&String, &String)| Ok((name.clone(), hash.parse::<ContentHash>()?));
        experiment.files.iter().map(parsed).collect()
    }
}

/// The subject on which the end of a run is published; workers then drop its settings.
pub fn end_of(run: &str) -> String {
    format!("ply.end.{run}")
}

/// The key of the announcement of a run.
pub fn key_of(run: &str) -> String {
    format!("run.{run}")
}
