//! The machine that games are played on: times mean nothing without it.

use std::fs;

/// This machine in a line: its processor where that is known, the number of cores that can be used, and the system.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let plural = if cores == 1 { "" } else { "s" };
    // Linux only; elsewhere the system has to do.
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':').map(|(_, name)| name.trim()));
    match model {
        Some(model) => format!("{model}, {cores} core{plural}, {system}"),
        None => format!("{cores} core{plural}, {system}"),
    }
}
