//! Files as agents and people name them.

use std::fs;

use plyground_core::{InputError, Shelf};

/// The files that agent specs name: paths, looked for where the program was started.
pub struct Files;

impl Shelf for Files {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        fs::read(name).map_err(|error| InputError::malformed("file", name, format!("it cannot be read: {error}")))
    }
}

/// A word as one would type it in a shell.
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+~:=,".contains(c);
    if text.chars().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
