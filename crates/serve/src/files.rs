//! The files of the app, embedded in the program.

use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use include_dir::{Dir, include_dir};

static APP: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../app");

/// A file of the app by the path of a request. Only embedded files are found.
pub async fn file(request: Request) -> Response {
    let name = match request.uri().path().trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    named(name)
}

/// The file of the app with this name.
pub fn named(name: &str) -> Response {
    match APP.get_file(name) {
        Some(file) => {
            ([(header::CONTENT_TYPE, kind(name)), (header::CACHE_CONTROL, "no-cache")], file.contents()).into_response()
        }
        None => (StatusCode::NOT_FOUND, "There is nothing here. The app is at /\n").into_response(),
    }
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("wasm") => "application/wasm",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
