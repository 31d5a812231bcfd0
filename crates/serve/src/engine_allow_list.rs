//! The allow-list of external engines: pages can use those named on the command line of the server, and no others. A page that could
//! name a command could do everything on this computer.

use std::collections::BTreeMap;
use std::sync::Arc;

use plyground_match::{FileResources, OwnNetworks};
use plyground_session::{Engine, InputError, Resources};

/// The external engines that pages may use, by name.
#[derive(Clone, Default)]
pub struct EngineAllowList {
    commands: BTreeMap<String, String>,
    /// The resources that start them.
    programs: Option<Arc<dyn Resources + Send + Sync>>,
}

impl EngineAllowList {
    /// An allow-list of names, each with the command of its engine (the text behind `cmd:`).
    pub fn new(commands: BTreeMap<String, String>, programs: Arc<dyn Resources + Send + Sync>) -> Self {
        Self { commands, programs: Some(programs) }
    }

    /// The spec of an agent with the name of an engine replaced by its command, as runs store it.
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

/// The resources for requests of pages: networks that come with the program, and allowed engines.
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

/// The resources for runs of the lab: files of this computer that they have read before, and allowed engines.
pub(crate) struct AllowedEnginesAndFiles<'a>(pub &'a EngineAllowList);

impl Resources for AllowedEnginesAndFiles<'_> {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        FileResources.read(name)
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
        let allowed = EngineAllowList::new(commands, Arc::clone(&asked) as Arc<dyn Resources + Send + Sync>);
        let words = |command: &str| allowed.engine(command).err().unwrap().to_string();
        for other in ["rm -rf /", "./bot", "", "mine;", "sh -c mine", "./bot --fast --more"] {
            assert!(words(other).contains("unknown program of this server"), "{other}: {}", words(other));
            assert!(AllowedEnginesAndFiles(&allowed).engine(other).is_err());
        }
        assert!(asked.0.lock().unwrap().is_empty());
        assert!(words("mine").contains("it was asked for") && words("./bot --fast").contains("it was asked for"));
        assert_eq!(*asked.0.lock().unwrap(), ["./bot --fast"; 2]);
        assert_eq!(allowed.written_out("cmd:mine"), "cmd:./bot --fast");
        assert_eq!(allowed.written_out("cmd:other"), "cmd:other");
        assert_eq!(allowed.written_out("level=2"), "level=2");
    }

    #[test]
    fn no_engine_is_allowed_by_default() {
        let error = EngineAllowList::default().engine("sh").err().unwrap().to_string();
        assert_eq!(error, "unknown program of this server 'sh'; expected none at all");
    }
}
