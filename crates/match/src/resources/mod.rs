//! Resources of agent specs: files, and the networks that come with the program.

pub(crate) mod files;
pub(crate) mod networks;
