//! The networks that come with the program.

use plyground_core::{InputError, Resources};

/// A network that is part of the program.
pub struct BuiltIn {
    /// Its name in agent specs.
    pub name: &'static str,
    /// Its file.
    pub file: &'static [u8],
}

macro_rules! networks {
    ($($name:literal),* $(,)?) => {
        &[$(BuiltIn { name: $name, file: include_bytes!(concat!("../../../../nets/", $name, ".safetensors")) }),*]
    };
}

/// All of them: `nets/NAME.safetensors` for each name.
pub static NETWORKS: &[BuiltIn] = networks!["clobber", "crosphere-8x8", "mnk-5x5", "pawn-8x8", "thesis-cnn", "tuc-chess"];

/// The network with this name.
pub fn built_in(name: &str) -> Option<&'static BuiltIn> {
    NETWORKS.iter().find(|network| network.name == name)
}

/// The networks that come with the program, and no other files: for agents that strangers ask for.
pub struct OwnNetworks;

impl Resources for OwnNetworks {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        let names = NETWORKS.iter().map(|network| network.name);
        built_in(name).map(|network| network.file.to_vec()).ok_or_else(|| InputError::unknown("network", name, names))
    }
}
