//! Programs that pages may ask for: those that were named on the command line of the server, and no others. A page that could name a
//! command could do everything on this computer.

use std::collections::BTreeMap;
use std::sync::Arc;

use plyground_match::{Files, OwnNetworks};
use plyground_session::{Engine, InputError, Resources};

/// The programs that are offered, by their names.
#[derive(Clone, Default)]
pub struct EngineAllowList {
    commands: BTreeMap<String, String>,
    /// Who starts them.
    programs: Option<Arc<dyn Resources + Send + Sync>>,
}

impl EngineAllowList {
    /// Offers programs: names, and what stands behind `cmd:` for each.
    pub fn new(commands: BTreeMap<String, String>, programs: Arc<dyn Resources + Send + Sync>) -> Self {
        Self { commands, programs: Some(programs) }
    }

    /// An agent as a run knows it: a name stands for the command that it was given.
    pub(crate) fn written_out(&self, agent: &str) -> String {
        let command = agent.trim().strip_prefix("cmd:").and_then(|name| self.commands.get(name.trim()));
        command.map_or_else(|| agent.to_owned(), |command| format!("cmd:{command}"))
    }

    fn start(&self, asked: &str) -> Result<Box<dyn Engine>, InputError> {
        // Runs know programs by their commands.
        let named = self.commands.get(asked).or_else(|| self.commands.values().find(|command| *command == asked));
        match (named, &self.programs) {
            (Some(command), Some(programs)) => programs.engine(command),
            _ => Err(InputError::unknown("program of this server", asked, self.commands.keys())),
        }
    }
}

/// What strangers may ask for: networks that come with the program, and programs that are offered.
impl Resources for EngineAllowList {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        OwnNetworks.read(name)
    }

    fn engine(&self, command: &str) -> Result<Box<dyn Engine>, InputError> {
        self.start(command)
    }

    fn engines(&self) -> Vec<String> {
        self.commands.keys().cloned().collect()
    }
}

/// What runs of this computer's lab may go on with: files that they have read before, and programs that are offered.
pub(crate) struct OfferAndFiles<'a>(pub &'a EngineAllowList);

impl Resources for OfferAndFiles<'_> {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        Files.read(name)
    }

    fn engine(&self, command: &str) -> Result<Box<dyn Engine>, InputError> {
        self.0.start(command)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Starts nothing, and remembers what it was asked for.
    #[derive(Default)]
    struct Asked(Mutex<Vec<String>>);

    impl Resources for Asked {
        fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
            Err(InputError::malformed("file", name, "none here"))
        }

        fn engine(&self, command: &str) -> Result<Box<dyn Engine>, InputError> {
            self.0.lock().unwrap().push(command.to_owned());
            Err(InputError::malformed("program", command, "it was asked for"))
        }
    }

    #[test]
    fn only_what_was_named_is_started() {
        let asked = Arc::new(Asked::default());
        let commands = BTreeMap::from([("mine".to_owned(), "./bot --fast".to_owned())]);
        let offer = EngineAllowList::new(commands, Arc::clone(&asked) as Arc<dyn Resources + Send + Sync>);
        let words = |command: &str| offer.engine(command).err().unwrap().to_string();
        for other in ["rm -rf /", "./bot", "", "mine;", "sh -c mine", "./bot --fast --more"] {
            assert!(words(other).contains("unknown program of this server"), "{other}: {}", words(other));
            assert!(OfferAndFiles(&offer).engine(other).is_err());
        }
        assert!(asked.0.lock().unwrap().is_empty());
        assert!(words("mine").contains("it was asked for") && words("./bot --fast").contains("it was asked for"));
        assert_eq!(*asked.0.lock().unwrap(), ["./bot --fast"; 2]);
        assert_eq!(offer.written_out("cmd:mine"), "cmd:./bot --fast");
        assert_eq!(offer.written_out("cmd:other"), "cmd:other");
        assert_eq!(offer.written_out("level=2"), "level=2");
    }

    #[test]
    fn nothing_is_offered_unless_somebody_does() {
        let error = EngineAllowList::default().engine("sh").err().unwrap().to_string();
        assert_eq!(error, "unknown program of this server 'sh'; expected none at all");
    }
}
