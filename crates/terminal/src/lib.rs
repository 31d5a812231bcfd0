//! The terminal: text in tables, progress bars, the views of runs, searches and trainings, and Ctrl-C.
#![forbid(unsafe_code)]

mod dashboard;
pub mod interrupt;
mod live;
mod run_view;
mod share_bar;
mod solver_view;
mod tables;
mod text;
mod thinking;
mod training_screen;

pub use dashboard::Dashboard;
pub use live::{LiveSearch, LiveText, bar, candidate_row};
pub use run_view::{EventLog, RunView};
pub use share_bar::ShareBar;
pub use solver_view::SolverView;
pub use tables::{failures, footer, standings};
pub use text::*;
pub use thinking::{ThinkingBar, milliseconds};
pub use training_screen::TrainingScreen;
