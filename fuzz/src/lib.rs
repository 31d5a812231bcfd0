//! Fuzz targets: a law for every format and message that comes from outside.
//!
//! A law reads bytes as the program would and panics if what is accepted breaks a promise: written again it reads the same, and it
//! keeps to the rules. The same functions are called by libFuzzer (`cargo xtask fuzz`) and, with the corpus in `fuzz/corpus` and every
//! input that was ever a finding, by the ordinary tests. Memory is limited in both: [`Target::run`] panics if a law took more than
//! [`MOST_MEMORY`].

mod certificates;
mod datagrams;
mod engines;
mod files;
mod memory;
mod queue;
mod store;
mod text;
mod web;

pub use memory::MOST_MEMORY;

/// A fuzz target.
pub struct Target {
    /// Its name, which is also that of its folder in the corpus.
    pub name: &'static str,
    /// The longest input that is tried, in bytes.
    pub longest: usize,
    /// The law: reads an input, and panics if something is wrong. True if the input was accepted.
    law: fn(&[u8]) -> bool,
    /// Honest inputs to begin with: the law accepts all of them.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

impl Target {
    /// Checks an input; true if it was accepted. Panics if the law does not hold, or took too much memory.
    pub fn run(&self, input: &[u8]) -> bool {
        memory::limited(|| (self.law)(input))
    }
}

/// The most bytes of an ordinary input.
const SHORT: usize = 4 << 10;
const LONG: usize = 64 << 10;

/// All targets.
pub static TARGETS: &[Target] = &[
    Target { name: "specs", longest: SHORT, law: text::specs, seeds: text::spec_seeds },
    Target { name: "positions", longest: SHORT, law: text::positions, seeds: text::position_seeds },
    Target { name: "moves", longest: SHORT, law: text::moves, seeds: text::move_seeds },
    Target { name: "records", longest: LONG, law: text::records, seeds: text::record_seeds },
    Target { name: "imports", longest: LONG, law: text::imports, seeds: text::import_seeds },
    Target { name: "evaluations", longest: SHORT, law: text::evaluations, seeds: text::evaluation_seeds },
    Target { name: "openings", longest: SHORT, law: text::openings, seeds: text::opening_seeds },
    Target { name: "experiments", longest: SHORT, law: text::experiments, seeds: text::experiment_seeds },
    Target { name: "studies", longest: LONG, law: files::studies, seeds: files::study_seeds },
    Target { name: "competitions", longest: LONG, law: files::competitions, seeds: files::competition_seeds },
    Target { name: "networks", longest: LONG, law: files::networks, seeds: files::network_seeds },
    Target { name: "tables", longest: LONG, law: files::tables, seeds: files::table_seeds },
    Target { name: "certificates", longest: SHORT, law: certificates::certificates, seeds: certificates::seeds },
    Target { name: "store", longest: 256, law: store::damaged_store, seeds: store::seeds },
    Target { name: "jobs", longest: LONG, law: queue::jobs, seeds: queue::job_seeds },
    Target { name: "results", longest: LONG, law: queue::results, seeds: queue::result_seeds },
    Target { name: "announcements", longest: LONG, law: queue::announcements, seeds: queue::announcement_seeds },
    Target { name: "lessons", longest: LONG, law: queue::lessons, seeds: queue::lesson_seeds },
    Target { name: "requests", longest: LONG, law: web::requests, seeds: web::request_seeds },
    Target { name: "run-requests", longest: SHORT, law: web::run_requests, seeds: web::run_request_seeds },
    Target { name: "friends", longest: SHORT, law: web::friends, seeds: web::friend_seeds },
    Target { name: "headers", longest: SHORT, law: web::headers, seeds: web::header_seeds },
    Target { name: "datagrams", longest: SHORT, law: datagrams::datagrams, seeds: datagrams::seeds },
    Target { name: "server-messages", longest: SHORT, law: datagrams::server_messages, seeds: datagrams::message_seeds },
    Target { name: "engine-output", longest: LONG, law: engines::output, seeds: engines::output_seeds },
    Target { name: "ugi", longest: SHORT, law: engines::ugi, seeds: engines::ugi_seeds },
    Target { name: "commands", longest: SHORT, law: engines::commands, seeds: engines::command_seeds },
];

/// The target of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// The first byte of an input as a number below `below`, and the rest.
fn choice(input: &[u8], below: usize) -> Option<(usize, &[u8])> {
    let (first, rest) = input.split_first()?;
    Some((usize::from(*first) % below, rest))
}

/// The input of a target with its first byte.
fn chosen(number: usize, rest: impl AsRef<[u8]>) -> Vec<u8> {
    let mut input = vec![number as u8];
    input.extend_from_slice(rest.as_ref());
    input
}
