//! The workers at a queue on the network, to be looked at.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::{Lab, Refusal};

/// Says who works: `{"queue": …, "workers": […], …}`, or why that is not known.
pub type Look = Box<dyn Fn() -> Result<Value, String> + Send + Sync>;

/// All workers; without a queue there are none.
pub async fn show(State(lab): State<Arc<Lab>>) -> Result<Json<Value>, Refusal> {
    let look = |lab: &Lab| match lab.fleet.get() {
        None => Ok(json!({"queue": null, "workers": []})),
        Some(look) => look().map_err(|error| Refusal::new(StatusCode::BAD_GATEWAY, error)),
    };
    lab.look(look).await.map(Json)
}
