//! Trainings of networks as JSON, as `ply train` has written them.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;
use plyground_train::{TrainingSummary, trainings};
use serde_json::{Value, json};

use super::{Lab, LabRefusal, skip};

pub async fn list(State(lab): State<Arc<Lab>>) -> Result<Json<Value>, LabRefusal> {
    lab.read(|lab| Ok(json!({"trainings": lab.trainings()?.iter().map(line).collect::<Vec<Value>>()}))).await.map(Json)
}

/// A training with its rounds, without those that the client knows already.
pub async fn show(
    State(lab): State<Arc<Lab>>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, LabRefusal> {
    let skip = skip(query.as_deref())?;
    lab.read(move |lab| {
        // It is looked for among the present trainings: the name of a request is never used as a path.
        let found = lab.trainings()?.into_iter().find(|training| training.name == name);
        let training = found.ok_or_else(|| LabRefusal::new(StatusCode::NOT_FOUND, format!("there is no training '{name}'")))?;
        Ok(json!({
            "training": training.name, "plan": training.plan, "rounds": training.rounds.get(skip..).unwrap_or_default(),
            "of": training.rounds.len(), "quiet_seconds": training.quiet.as_secs(),
        }))
    })
    .await
    .map(Json)
}

impl Lab {
    fn trainings(&self) -> Result<Vec<TrainingSummary>, LabRefusal> {
        Ok(trainings(&self.file.with_file_name("training"))?)
    }
}

fn line(training: &TrainingSummary) -> Value {
    let last = training.rounds.last();
    json!({
        "training": training.name, "game": training.plan.game, "channels": training.plan.channels, "blocks": training.plan.blocks,
        "rounds": training.rounds.len(), "games": last.map_or(0, |round| round.games),
        "seconds": last.map_or(0.0, |round| round.seconds), "quiet_seconds": training.quiet.as_secs(),
    })
}
