//! Summaries of trainings, read without a change: another process may be at work there.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use plyground_match::RunError;

use super::folder::{PLAN, ROUNDS, json, read};
use super::{Round, TrainingPlan};

/// A training as it was a moment ago.
#[derive(Clone, Debug)]
pub struct TrainingSummary {
    /// The name of its folder.
    pub name: String,
    /// Its settings.
    pub plan: TrainingPlan,
    /// Its rounds so far.
    pub rounds: Vec<Round>,
    /// The time since the last write.
    pub quiet: Duration,
}

/// The trainings in a folder, by name. What is none, or cannot be read, is left out; links are not followed.
pub fn trainings(folder: &Path) -> Result<Vec<TrainingSummary>, RunError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(RunError::Foreign { file: folder.to_owned(), detail: format!("it cannot be read: {error}") });
        }
    };
    let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut found: Vec<TrainingSummary> = folders.filter_map(|entry| summary(&entry.path()).ok()).collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

fn summary(path: &Path) -> Result<TrainingSummary, RunError> {
    let plan: TrainingPlan = json(&path.join(PLAN), &read(&path.join(PLAN))?)?;
    let file = path.join(ROUNDS);
    let text = if file.exists() { read(&file)? } else { Vec::new() };
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let rounds = lines.map(|line| json(&file, line)).collect::<Result<_, _>>()?;
    let written = fs::metadata(if file.exists() { file } else { path.join(PLAN) }).and_then(|metadata| metadata.modified());
    let quiet = written.ok().and_then(|time| SystemTime::now().duration_since(time).ok()).unwrap_or_default();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(TrainingSummary { name, plan, rounds, quiet })
}
