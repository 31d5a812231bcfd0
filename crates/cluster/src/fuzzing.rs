//! The readers of everything that arrives from a queue, for the fuzz targets (`fuzz/`): each reads bytes as its receiver does, and
//! panics if what it accepts breaks a law.

use plyground_match::{Experiment, GameRow, Job};
use plyground_train::{SelfPlayGame, TrainingPlan};

use crate::announcement::Announcement;
use crate::fleet::Presence;
use crate::training::{TrainingAnnouncement, played, sent};
use crate::wire::{BatchResults, JobBatch, WireGame, packed, unpacked};

/// The jobs of a message, if it is accepted; written again, it reads the same.
pub fn accepted_jobs(message: &[u8]) -> Option<Vec<Job>> {
    let batch: JobBatch = unpacked(message).ok()?;
    assert_eq!(unpacked::<JobBatch>(&packed(&batch)).as_ref(), Ok(&batch));
    Some(batch.jobs)
}

/// The games of a message with results, if it is accepted; written again, it reads the same.
pub fn accepted_results(message: &[u8]) -> Option<Vec<Vec<GameRow>>> {
    let results: BatchResults = unpacked(message).ok()?;
    assert_eq!(unpacked::<BatchResults>(&packed(&results)).as_ref(), Ok(&results));
    let row = |game: WireGame| {
        let row = GameRow::from(game.clone());
        assert_eq!(WireGame::from(&row), game, "a game is the same in the store and on the wire");
        row
    };
    Some(results.jobs.into_iter().map(|games| games.into_iter().map(row).collect()).collect())
}

/// A message with these games, as an honest worker sends it.
pub fn results_message(jobs: &[Vec<GameRow>]) -> Vec<u8> {
    let jobs = jobs.iter().map(|games| games.iter().map(WireGame::from).collect()).collect();
    packed(&BatchResults { jobs, ..BatchResults::default() }).into()
}

/// A message with these jobs, as a coordinator sends it.
pub fn jobs_message(jobs: Vec<Job>) -> Vec<u8> {
    packed(&JobBatch { jobs }).into()
}

/// The experiment of an announcement of a run, if it is accepted: its name is the hash of its settings, and its files are hashes.
pub fn accepted_run(payload: &[u8]) -> Option<Experiment> {
    let announcement: Announcement = serde_json::from_slice(payload).ok()?;
    let run = announcement.experiment.clone().run();
    assert!(announcement.check("another").is_err(), "the settings of a run are not those of another");
    let files = announcement.check(&run.id).ok()?;
    assert!(files.values().all(|hash| hash.as_str().len() == 64));
    let written = serde_json::to_vec(&announcement).expect("an announcement is plain data");
    let again: Announcement = serde_json::from_slice(&written).expect("what was written can be read");
    assert_eq!(again.experiment.run().id, run.id, "written again, it is the same run");
    Some(announcement.experiment)
}

/// The plan of an announcement of a training, if it is accepted; written again, it reads the same.
pub fn accepted_training(payload: &[u8]) -> Option<TrainingPlan> {
    let announcement = TrainingAnnouncement::read(payload)?;
    let written = serde_json::to_vec(&announcement).expect("an announcement is plain data");
    assert_eq!(TrainingAnnouncement::read(&written).as_ref(), Some(&announcement));
    Some(announcement.plan)
}

/// Whether a heartbeat of a worker is accepted; written again, it reads the same.
pub fn accepts_presence(payload: &[u8]) -> bool {
    let Some(presence) = Presence::read(payload) else { return false };
    let written = serde_json::to_vec(&presence).expect("a presence is plain data");
    assert_eq!(Presence::read(&written).as_ref(), Some(&presence));
    true
}

/// The self-play game of a message, if there is one; its bytes, and the round that it was played for, are those that were sent.
pub fn received_game(message: &[u8]) -> Option<SelfPlayGame> {
    let (stamp, game) = played(message)?;
    let again = played(&sent(stamp, &game));
    assert!(again.is_some_and(|(found, _)| found == stamp), "written again, it is a game of the same round");
    Some(game)
}
