//! Files as agents and people name them.

use std::fs;
use std::io::ErrorKind;

use plyground_core::{InputError, Shelf};

use crate::nets::{NETWORKS, built_in};

/// The files that agent specs name: networks that come with the program by their names, and paths, looked for where the program was
/// started.
pub struct Files;

impl Shelf for Files {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        if let Some(network) = built_in(name) {
            return Ok(network.file.to_vec());
        }
        fs::read(name).map_err(|error| {
            let why = match error.kind() {
                ErrorKind::NotFound => missing(name, NETWORKS.iter().map(|network| network.name)),
                _ => None,
            };
            InputError::malformed("file", name, why.unwrap_or_else(|| format!("it cannot be read: {error}")))
        })
    }
}

/// What to say of a name that is no file, where it may have been meant for one of the networks that there are.
fn missing<'a>(name: &str, networks: impl Iterator<Item = &'a str>) -> Option<String> {
    let networks: Vec<&str> = networks.collect();
    let is_path = name.contains(['/', '\\', '.']);
    (!is_path && !networks.is_empty())
        .then(|| format!("there is no such file, and the networks that come with the program are {}", networks.join(", ")))
}

/// A word as one would type it in a shell.
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+~:=,".contains(c);
    if text.chars().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_neither_file_nor_network_is_answered_with_the_networks() {
        let there = || ["clobber-8x8", "crosphere-8x8"].into_iter();
        let said = missing("clober-8x8", there()).unwrap();
        assert_eq!(said, "there is no such file, and the networks that come with the program are clobber-8x8, crosphere-8x8");
        assert_eq!(missing("nets/my.safetensors", there()), None);
        assert_eq!(missing("clober-8x8", std::iter::empty()), None);
        assert!(Files.read("no such file").unwrap_err().to_string().starts_with("malformed file 'no such file': "));
    }

    #[test]
    fn every_network_that_comes_with_the_program_fits_its_game_and_is_small() {
        for network in NETWORKS {
            assert_eq!(Files.read(network.name).unwrap(), network.file);
            plyground_table::read_network(network.name, network.file).unwrap();
            assert!(network.file.len() < 2_000_000, "{}", network.name);
        }
    }
}
