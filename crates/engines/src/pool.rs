//! A pool of running engines: starting one takes longer than many games.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use plyground_session::sync::lock;
use plyground_session::{AgentError, Engine, EngineInfo, InputError, Limits, SearchQuery, Seed};

use crate::client::EngineClient;
use crate::command::{Command, ConfinedProgram};
use crate::process::ProcessOptions;

/// A pool of engine processes that are started on demand and kept for the next game.
pub struct EnginePool {
    options: Arc<ProcessOptions>,
    /// Idle engines, by the text of their commands.
    idle: Mutex<HashMap<String, Vec<EngineClient>>>,
}

impl EnginePool {
    /// An empty pool.
    pub fn new(options: ProcessOptions) -> Arc<Self> {
        Arc::new(Self { options: Arc::new(options), idle: Mutex::default() })
    }

    /// An engine for a command, with a process of its own, which is started at the first request.
    pub fn engine(self: &Arc<Self>, command: &str) -> Result<Box<dyn Engine>, InputError> {
        let parsed = Command::parse(command)?;
        let idle = self.idle().get_mut(command).and_then(Vec::pop);
        let client = idle.unwrap_or_else(|| EngineClient::new(parsed, Arc::clone(&self.options)));
        Ok(Box::new(PooledEngine { command: command.to_owned(), client: Some(client), pool: Arc::clone(self) }))
    }

    /// An engine for a program in a sandbox. Its process ends with the game.
    pub fn confined(&self, program: &ConfinedProgram) -> Result<Box<dyn Engine>, InputError> {
        if self.options.guard.is_none() {
            let detail = "programs can be confined only where a program sets up the sandbox";
            return Err(InputError::malformed("program", &program.name, detail));
        }
        Ok(Box::new(EngineClient::new(Command::from(program), Arc::clone(&self.options))))
    }

    /// The same for a program that is not started: its files are known, and it plays no game.
    pub fn unstarted_confined(program: &ConfinedProgram) -> Box<dyn Engine> {
        Box::new(UnstartedEngine(Command::from(program)))
    }

    /// An engine for a command that is looked up and never started: its limits and files are known, and it plays no game.
    pub fn unstarted(command: &str) -> Result<Box<dyn Engine>, InputError> {
        Ok(Box::new(UnstartedEngine(Command::parse(command)?)))
    }

    /// Ends all idle engines.
    pub fn clear(&self) {
        let idle = std::mem::take(&mut *self.idle());
        drop(idle);
    }

    fn idle(&self) -> MutexGuard<'_, HashMap<String, Vec<EngineClient>>> {
        lock(&self.idle)
    }
}

/// An engine that is never started.
struct UnstartedEngine(Command);

impl Engine for UnstartedEngine {
    fn begin(&mut self, _: &str, _: Seed) -> Result<(), AgentError> {
        Ok(())
    }

    fn ask(
        &mut self,
        _: &SearchQuery<'_>,
        _: &mut dyn FnMut(&EngineInfo) -> ControlFlow<()>,
    ) -> Result<(String, EngineInfo), AgentError> {
        Err(AgentError::Refused("it was not to be started".to_owned()))
    }

    fn limits(&self) -> Limits {
        self.0.limits
    }

    fn files(&self) -> Vec<(String, PathBuf)> {
        self.0.files()
    }
}

/// An engine in use; it goes back to the pool when it is dropped.
struct PooledEngine {
    command: String,
    /// Taken only when it is dropped.
    client: Option<EngineClient>,
    pool: Arc<EnginePool>,
}

impl PooledEngine {
    fn client(&mut self) -> &mut EngineClient {
        self.client.as_mut().expect("the client is taken only when it is dropped")
    }
}

impl Engine for PooledEngine {
    fn begin(&mut self, game: &str, seed: Seed) -> Result<(), AgentError> {
        self.client().begin(game, seed)
    }

    fn ask(
        &mut self,
        question: &SearchQuery<'_>,
        listener: &mut dyn FnMut(&EngineInfo) -> ControlFlow<()>,
    ) -> Result<(String, EngineInfo), AgentError> {
        self.client().ask(question, listener)
    }

    fn limits(&self) -> Limits {
        self.client.as_ref().map(Engine::limits).unwrap_or_default()
    }

    fn files(&self) -> Vec<(String, PathBuf)> {
        self.client.as_ref().map(Engine::files).unwrap_or_default()
    }
}

impl Drop for PooledEngine {
    fn drop(&mut self) {
        if let Some(client) = self.client.take().filter(EngineClient::is_fresh) {
            self.pool.idle().entry(self.command.clone()).or_default().push(client);
        }
    }
}
