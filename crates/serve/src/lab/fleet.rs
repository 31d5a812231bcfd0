//! The route for the workers at a queue on the network.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::{Lab, LabRefusal};

/// A source of reports on workers: `{"queue": …, "workers": […], …}`, or an error.
pub type FleetSource = Box<dyn Fn() -> Result<Value, String> + Send + Sync>;

/// The report on all workers; without a queue there are none.
pub async fn show(State(lab): State<Arc<Lab>>) -> Result<Json<Value>, LabRefusal> {
    let report = |lab: &Lab| match lab.fleet.get() {
        None => Ok(json!({"queue": null, "workers": []})),
        Some(report) => report().map_err(|error| LabRefusal::new(StatusCode::BAD_GATEWAY, error)),
    };
    lab.read(report).await.map(Json)
}
