//! Programs that wait for their next game: starting one takes longer than many a game.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use plyground_session::sync::lock;
use plyground_session::{AgentError, Engine, EngineInfo, InputError, Limits, SearchQuery, Seed};

use crate::client::Dialogue;
use crate::command::Command;
use crate::process::Setting;

/// Starts programs, and keeps those that have played for the next game.
pub struct Programs {
    setting: Arc<Setting>,
    /// By the text of their commands.
    idle: Mutex<HashMap<String, Vec<Dialogue>>>,
}

impl Programs {
    /// Nobody waits yet.
    pub fn new(setting: Setting) -> Arc<Self> {
        Arc::new(Self { setting: Arc::new(setting), idle: Mutex::default() })
    }

    /// The program of a command; a process of its own for whoever asks. It is started when it is needed.
    pub fn hire(self: &Arc<Self>, command: &str) -> Result<Box<dyn Engine>, InputError> {
        let parsed = Command::parse(command)?;
        let waiting = self.waiting().get_mut(command).and_then(Vec::pop);
        let dialogue = waiting.unwrap_or_else(|| Dialogue::new(parsed, Arc::clone(&self.setting)));
        Ok(Box::new(Hired { command: command.to_owned(), dialogue: Some(dialogue), programs: Arc::clone(self) }))
    }

    /// Ends all that wait.
    pub fn dismiss(&self) {
        let idle = std::mem::take(&mut *self.waiting());
        drop(idle);
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<String, Vec<Dialogue>>> {
        lock(&self.idle)
    }
}

/// A program that has a game; afterwards it waits for the next one.
struct Hired {
    command: String,
    /// There until the end.
    dialogue: Option<Dialogue>,
    programs: Arc<Programs>,
}

impl Hired {
    fn dialogue(&mut self) -> &mut Dialogue {
        self.dialogue.as_mut().expect("it is there until the end")
    }
}

impl Engine for Hired {
    fn begin(&mut self, game: &str, seed: Seed) -> Result<(), AgentError> {
        self.dialogue().begin(game, seed)
    }

    fn ask(
        &mut self,
        question: &SearchQuery<'_>,
        listener: &mut dyn FnMut(&EngineInfo) -> ControlFlow<()>,
    ) -> Result<(String, EngineInfo), AgentError> {
        self.dialogue().ask(question, listener)
    }

    fn limits(&self) -> Limits {
        self.dialogue.as_ref().map(Engine::limits).unwrap_or_default()
    }

    fn files(&self) -> Vec<(String, PathBuf)> {
        self.dialogue.as_ref().map(Engine::files).unwrap_or_default()
    }
}

impl Drop for Hired {
    fn drop(&mut self) {
        if let Some(dialogue) = self.dialogue.take().filter(Dialogue::is_fresh) {
            self.programs.waiting().entry(self.command.clone()).or_default().push(dialogue);
        }
    }
}
