//! The files of the app, embedded in the program.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::sync::OnceLock;

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use include_dir::{Dir, include_dir};

static APP: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../app");

/// A file as it is sent.
struct Sent {
    plain: &'static [u8],
    /// The same compressed, where that is shorter.
    gzip: Option<Vec<u8>>,
    /// Names the content, compressed or not: a browser that has it is told so and gets nothing else.
    tag: HeaderValue,
}

impl Sent {
    fn new(plain: &'static [u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        plain.hash(&mut hasher);
        let tag = HeaderValue::from_str(&format!("W/\"{:016x}\"", hasher.finish())).expect("digits are a header");
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        // Writing to memory does not fail; if it did, the file would be sent as it is.
        let gzip = encoder.write_all(plain).and_then(|()| encoder.finish()).ok().filter(|gzip| gzip.len() < plain.len());
        Self { plain, gzip, tag }
    }
}

/// All files by their names, compressed once.
fn files() -> &'static HashMap<String, Sent> {
    fn add(folder: &'static Dir<'static>, all: &mut HashMap<String, Sent>) {
        for file in folder.files() {
            // A path of this program is written with the separator of the computer that it was built on.
            all.insert(file.path().to_string_lossy().replace('\\', "/"), Sent::new(file.contents()));
        }
        folder.dirs().for_each(|folder| add(folder, all));
    }
    static FILES: OnceLock<HashMap<String, Sent>> = OnceLock::new();
    FILES.get_or_init(|| {
        let mut all = HashMap::new();
        add(&APP, &mut all);
        all
    })
}

/// A file of the app by the path of a request. Only embedded files are found.
pub async fn file(request: Request) -> Response {
    let name = match request.uri().path().trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    named(name, request.headers())
}

/// The file of the app with this name, for a request with these headers.
pub fn named(name: &str, asked: &HeaderMap) -> Response {
    let Some(file) = files().get(name) else {
        return (StatusCode::NOT_FOUND, "There is nothing here. The app is at /\n").into_response();
    };
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(name)));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(header::ETAG, file.tag.clone());
    if has(asked, header::IF_NONE_MATCH, |tag| tag.as_bytes() == file.tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    let accepted = has(asked, header::ACCEPT_ENCODING, |coding| {
        let mut parts = coding.split(';').map(str::trim);
        parts.next() == Some("gzip") && parts.all(|weight| weight.replace(' ', "").trim_end_matches(['0', '.']) != "q=")
    });
    match &file.gzip {
        Some(gzip) if accepted => {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            (headers, gzip.as_slice()).into_response()
        }
        _ => (headers, file.plain).into_response(),
    }
}

/// Does a header that is a list have an element that fits?
fn has(headers: &HeaderMap, name: header::HeaderName, fits: impl Fn(&str) -> bool) -> bool {
    headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|list| list.split(','))
        .any(|one| fits(one.trim()))
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("wasm") => "application/wasm",
        Some("json") => "application/json",
        Some("jsonl") => "application/jsonl; charset=utf-8",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
