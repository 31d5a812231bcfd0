//! The JSON API in the browser, as WebAssembly. A request is one text and so is its answer, so three functions and four imports are
//! all that page and engine need to share: `reserve(length)` is where the page writes the request, `handle()` answers it, and
//! `answer()` is where the answer stands. (Hence no binding generator, which would be one more tool to install.)
//!
//! Elsewhere than in WebAssembly there is nothing here.
#![cfg(target_arch = "wasm32")]
#![expect(unsafe_code, reason = "names and pointers that the page can see")]

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::Duration;

use plyground_api::{Allowance, Api};
use plyground_core::{Clock, InputError, Resources};

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Milliseconds since some moment in the past.
    safe fn now() -> f64;
    /// Takes a message that is not an answer; other than 0 if the thought should end.
    fn tell(text: *const u8, length: usize) -> u32;
    /// Looks for a network by its name: how many bytes it has, or less than 0 if there is none.
    fn find(name: *const u8, length: usize) -> i32;
    /// Writes the network that was found last to where there is room for it.
    fn fetch(room: *mut u8);
}

thread_local! {
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The clock of the page.
struct PageClock(f64);

impl Clock for PageClock {
    fn elapsed(&self) -> Duration {
        Duration::from_secs_f64((now() - self.0).max(0.0) / 1e3)
    }
}

/// The networks that lie beside the page. Other files there are none.
struct PageResources;

impl Resources for PageResources {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        // SAFETY: the page reads the bytes of the name before it returns, and nothing else.
        let found = unsafe { find(name.as_ptr(), name.len()) };
        let Ok(length) = usize::try_from(found) else {
            return Err(InputError::malformed("network", name, "there is no network with this name beside the page"));
        };
        let mut file = vec![0; length];
        // SAFETY: the page writes as many bytes as it has just said, and there is room for them.
        unsafe { fetch(file.as_mut_ptr()) };
        Ok(file)
    }
}

/// The buffer for a request of so many bytes, valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|request| {
        request.clear();
        request.resize(length, 0);
        request.as_mut_ptr()
    })
}

/// Answers the request that was written; the length of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn handle() -> usize {
    let request = REQUEST.with_borrow(|request| String::from_utf8_lossy(request).into_owned());
    let mut told = |message: &str| {
        // SAFETY: the page reads the bytes of this text before it returns, and nothing else.
        let stop = unsafe { tell(message.as_ptr(), message.len()) };
        if stop == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let api = Api { resources: &PageResources, allowance: Allowance { memory: 256, ..Allowance::default() } };
    let answer = api.handle(&request, &PageClock(now()), &mut told);
    ANSWER.with_borrow_mut(|kept| {
        *kept = answer;
        kept.len()
    })
}

/// The buffer of the last answer, valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}
