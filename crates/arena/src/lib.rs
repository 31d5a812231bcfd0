//! A class arena: students upload bots, the bots climb a ladder that never sleeps, and a page shows it on the projector.
//!
//! An [`Arena`] is a folder: the journal (who joined, what was uploaded), the uploads, and the store with all games. [`Arena::open`] reads
//! it, [`Arena::work`] plays and checks until it is told to stop, and [`Arena::site`] are the pages. Bots run in the sandbox of
//! `plyground-sandbox`; without one the arena takes no uploads, unless the host says that it may do without.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod arena;
mod at_home;
mod bots;
mod journal;
mod kits;
mod ladder;
mod settings;
mod site;

pub use arena::{Arena, ArenaError, ArenaOptions};
pub use at_home::{TriedBot, try_bot};
pub use bots::build::{BotFolder, Builder, Built, Runtimes};
pub use bots::upload::{Language, Source, SourceFile};
pub use settings::{ArenaSettings, LEAGUES};
