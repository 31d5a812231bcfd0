//! The pages of the arena. There are no cookies: a player's link is its key, and so is that of the host. A page of another site that sends a
//! form cannot know either of them.

pub(crate) mod host;
pub(crate) mod html;
mod pages;

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::multipart::{Multipart, MultipartError};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{Html as Page, IntoResponse, Redirect, Response};
use axum::routing::{get, post};

use crate::arena::Arena;
use crate::kits::kit;
use html::Html;

/// The largest form without a file.
const FORM: usize = 16 * 1024;
/// The most bytes of one field of a form that is no file.
const FIELD: usize = 4 * 1024;
/// What stands around a file in a form.
const AROUND: usize = 16 * 1024;

type Shared = State<Arc<Arena>>;

impl Arena {
    /// The pages, for a server of `plyground-serve`.
    pub fn site(self: &Arc<Self>) -> Router {
        let upload = self.settings.upload as usize * 1024 * 1024 + AROUND;
        Router::new()
            .route("/p/{key}/upload", post(take_upload).layer(DefaultBodyLimit::max(upload)))
            .route("/", get(|State(arena): Shared| async move { fresh(pages::home(&arena)) }))
            .route("/rules", get(|State(arena): Shared| async move { fresh(pages::rules(&arena)) }))
            .route("/bot/{id}", get(bot))
            .route("/kit/{file}", get(starter_kit))
            .route("/record/{run}/{pair}/{game}", get(record))
            .route("/join", post(join))
            .route("/p/{key}", get(player))
            .route("/p/{key}/challenge", post(challenge))
            .route("/p/{key}/log/{version}", get(log))
            .route("/host/{key}", get(host::page).post(host::act))
            .route("/host/{key}/marks.csv", get(host::marks))
            .route("/host/{key}/games.jsonl", get(host::games))
            .route("/final", get(host::final_page))
            .route("/arena.css", get(|| async { file("text/css; charset=utf-8", include_str!("arena.css")) }))
            .route("/arena.js", get(|| async { file("text/javascript; charset=utf-8", include_str!("arena.js")) }))
            .layer(DefaultBodyLimit::max(FORM))
            .with_state(Arc::clone(self))
    }
}

fn file(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")], text).into_response()
}

/// A page that is never kept: its address may be a key, and what it shows changes.
fn fresh(page: String) -> Response {
    ([(header::CACHE_CONTROL, "no-store")], Page(page)).into_response()
}

/// A file to keep.
fn download(kind: &'static str, name: &str, contents: impl Into<Bytes>) -> Response {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    if let Ok(value) = format!("attachment; filename=\"{name}\"").parse() {
        headers.insert(HeaderName::from_static("content-disposition"), value);
    }
    (headers, contents.into()).into_response()
}

/// A page with one sentence.
fn said(status: StatusCode, title: &str, words: &str, back: &str) -> Response {
    let mut html = Html::default();
    html.element("h1", title).raw("<p class=\"bad\">").text(words).raw("</p>\n<p><a href=\"").text(back).raw("\">Back</a></p>\n");
    (status, fresh(html.page(title))).into_response()
}

fn nothing() -> Response {
    said(StatusCode::NOT_FOUND, "Not found", "There is nothing here: the link is wrong, or was revoked.", "/")
}

/// A form: its fields, and its file with its name.
#[derive(Default)]
struct Form {
    fields: Vec<(String, String)>,
    file: Option<(String, Vec<u8>)>,
}

impl Form {
    /// Reads a form. The error is an answer.
    async fn read(mut parts: Multipart) -> Result<Self, (StatusCode, String)> {
        let wrong = |error: MultipartError| (error.status(), error.body_text());
        let mut form = Self::default();
        while let Some(field) = parts.next_field().await.map_err(wrong)? {
            let name: String = field.name().unwrap_or_default().chars().take(40).collect();
            if name == "file" {
                let file = field.file_name().unwrap_or_default().chars().take(200).collect();
                form.file = Some((file, field.bytes().await.map_err(wrong)?.to_vec()));
            } else if form.fields.len() < 20 {
                let text = field.bytes().await.map_err(wrong)?;
                let text = String::from_utf8_lossy(&text[..text.len().min(FIELD)]).into_owned();
                form.fields.push((name, text));
            }
        }
        Ok(form)
    }

    fn field(&self, name: &str) -> &str {
        self.fields.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text.trim())
    }
}

async fn join(State(arena): Shared, parts: Multipart) -> Response {
    let form = match Form::read(parts).await {
        Ok(form) => form,
        Err((status, words)) => return said(status, "Not joined", &words, "/"),
    };
    match arena.join(form.field("code"), form.field("name")) {
        Ok(key) => Redirect::to(&format!("/p/{key}")).into_response(),
        Err(words) => said(StatusCode::BAD_REQUEST, "Not joined", &words, "/"),
    }
}

async fn player(State(arena): Shared, Path(key): Path<String>) -> Response {
    let Some(player) = arena.player_with(&key) else { return nothing() };
    fresh(pages::player(&arena, player, &key))
}

async fn take_upload(State(arena): Shared, Path(key): Path<String>, parts: Multipart) -> Response {
    let back = format!("/p/{key}");
    let refused = |status, words: &str| said(status, "Not uploaded", words, &back);
    let Some(player) = arena.player_with(&key) else { return nothing() };
    let form = match Form::read(parts).await {
        Ok(form) => form,
        Err((StatusCode::PAYLOAD_TOO_LARGE, _)) => {
            let words = format!("Expected at most {} MB, found more.", arena.settings.upload);
            return refused(StatusCode::PAYLOAD_TOO_LARGE, &words);
        }
        Err((status, words)) => return refused(status, &words),
    };
    let Some((name, contents)) = form.file else {
        return refused(StatusCode::BAD_REQUEST, "Expected a file, found none.");
    };
    if contents.len() as u64 > arena.settings.upload * 1024 * 1024 {
        let words = format!("Expected at most {} MB, found {} bytes.", arena.settings.upload, contents.len());
        return refused(StatusCode::PAYLOAD_TOO_LARGE, &words);
    }
    let taken = tokio::task::spawn_blocking(move || arena.take_upload(player, &name, &contents)).await;
    match taken {
        Ok(Ok(_)) => Redirect::to(&back).into_response(),
        Ok(Err(words)) => refused(StatusCode::BAD_REQUEST, &words),
        Err(_) => refused(StatusCode::INTERNAL_SERVER_ERROR, "The arena stumbled over this file; nothing was changed."),
    }
}

async fn challenge(State(arena): Shared, Path(key): Path<String>, parts: Multipart) -> Response {
    let back = format!("/p/{key}");
    let Some(player) = arena.player_with(&key) else { return nothing() };
    let answer = match Form::read(parts).await {
        Ok(form) => arena.challenge(player, form.field("opponent")),
        Err((status, words)) => return said(status, "No challenge", &words, &back),
    };
    match answer {
        Ok(()) => Redirect::to(&back).into_response(),
        Err(words) => said(StatusCode::BAD_REQUEST, "No challenge", &words, &back),
    }
}

async fn log(State(arena): Shared, Path((key, version)): Path<(String, u32)>) -> Response {
    let Some(player) = arena.player_with(&key) else { return nothing() };
    if arena.version_state(player, version).is_none() {
        return nothing();
    }
    let file = arena.bots.folder_of(player, version).log();
    // A bot that has written nothing has no such file.
    let text = tokio::fs::read(file).await.unwrap_or_default();
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    (headers, String::from_utf8_lossy(&text).into_owned()).into_response()
}

async fn bot(State(arena): Shared, Path(id): Path<u32>) -> Response {
    pages::bot(&arena, id).map_or_else(nothing, fresh)
}

async fn starter_kit(State(arena): Shared, Path(file): Path<String>) -> Response {
    let word = file.strip_suffix(".zip").unwrap_or_default();
    match kit(&arena.settings.game, word) {
        Ok(Some(kit)) => download("application/zip", &file, kit),
        _ => nothing(),
    }
}

async fn record(State(arena): Shared, Path((run, pair, game)): Path<(String, u64, u8)>) -> Response {
    let found = tokio::task::spawn_blocking(move || host::record(&arena, &run, pair, game)).await;
    match found.ok().flatten() {
        Some(text) => download("application/jsonl", "game.jsonl", text),
        None => nothing(),
    }
}
