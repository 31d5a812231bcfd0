//! The players of a match, and the factories that make them from their specs.

use plyground_core::{AgentError, CancelToken, Clock, InputError, Limits, Resources, Seed};
use plyground_session::{ProgressObserver, SearchProgress, Seat, Session, open};
use std::ops::ControlFlow;

use super::PlayedGame;
use crate::resources::files::UnchangedFiles;
use crate::{Fault, Run};

/// A player of a match: an agent, a program, or a client on the network.
pub trait MatchPlayer: Send {
    /// Prepares for a game, with a stream of randomness of its own.
    fn start(&mut self, session: &mut dyn Session, seed: Seed) -> Result<(), InputError>;
    /// The move of the player to move. Once `cancel` says so the answer is not waited for any more.
    fn choose(
        &mut self,
        session: &mut dyn Session,
        limits: Limits,
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<Reply, Fault>;
    /// Whether it is there, asked once before the first move. A player that is not loses.
    fn ready(&mut self, _: &dyn Session) -> Result<(), Fault> {
        Ok(())
    }
    /// Takes note of what has happened at the board, its own moves included; the first player is told first.
    fn notify(&mut self, _: &dyn Session, _: GameNotice<'_>) {}
}

/// A message to the players of a game.
#[derive(Clone, Copy, Debug)]
pub enum GameNotice<'a> {
    /// The game begins.
    Started,
    /// A player has moved, chance has settled what is due, and the game goes on.
    Moved,
    /// The game is over.
    Over(&'a PlayedGame),
}

/// A chosen move.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The move as text.
    pub mv: String,
    /// The value that the mover expects, from -1 to +1.
    pub value: Option<f32>,
}

/// The two players of a game, in the order in which they move.
pub type PlayerPair<'a> = [Box<dyn MatchPlayer + 'a>; 2];

/// The source of games and players: from a spec to something that plays.
pub trait PlayerFactory: Sync {
    /// The game at its start. Games are those of the catalogue, unless a factory brings its own.
    fn open(&self, game: &str) -> Result<Box<dyn Session>, InputError> {
        open(game, None)
    }
    /// The player that a spec describes.
    fn player(&self, spec: &str) -> Result<Box<dyn MatchPlayer + '_>, InputError>;
    /// The two players of a game. It may wait until both are there; `None` if it was cancelled before that.
    fn players(&self, specs: &[String; 2], _: &CancelToken) -> Result<Option<PlayerPair<'_>>, InputError> {
        let [one, other] = specs.each_ref().map(|spec| self.player(spec));
        Ok(Some([one?, other?]))
    }
    /// The files and programs that specs name: an executor on other machines sends them there.
    fn resources(&self) -> &(dyn Resources + Sync);
}

/// The agents of the catalogue.
pub struct AgentFactory<'a> {
    resources: UnchangedFiles<'a>,
}

impl<'a> AgentFactory<'a> {
    /// Agents that read these resources as they are.
    pub fn new(resources: &'a (dyn Resources + Sync)) -> Self {
        Self { resources: UnchangedFiles::unchecked(resources) }
    }

    /// Agents that play a run: a file that has changed since the run was begun is refused.
    pub fn of_run(resources: &'a (dyn Resources + Sync), run: &'a Run) -> Self {
        Self { resources: UnchangedFiles::new(resources, &run.experiment.files) }
    }
}

impl PlayerFactory for AgentFactory<'_> {
    fn player(&self, spec: &str) -> Result<Box<dyn MatchPlayer + '_>, InputError> {
        Ok(Box::new(AgentPlayer::new(spec, &self.resources)))
    }

    fn resources(&self) -> &(dyn Resources + Sync) {
        &self.resources
    }
}

/// An agent of the catalogue as a player.
pub struct AgentPlayer<'a> {
    spec: String,
    resources: &'a (dyn Resources + Sync),
    /// Or why it has none.
    seat: Result<Seat, Fault>,
}

impl<'a> AgentPlayer<'a> {
    /// The agent that a spec describes. It is built when a game starts.
    pub fn new(spec: &str, resources: &'a (dyn Resources + Sync)) -> Self {
        let seat = Err(Fault::Crashed("it was asked before it had a seat".to_owned()));
        Self { spec: spec.to_owned(), resources, seat }
    }
}

impl MatchPlayer for AgentPlayer<'_> {
    fn start(&mut self, session: &mut dyn Session, seed: Seed) -> Result<(), InputError> {
        self.seat = match session.seat(&self.spec, seed, self.resources) {
            // A program that does not even start loses its game; the others are played.
            Err(InputError::Engine { error, .. }) => Err(error.into()),
            seat => Ok(seat?),
        };
        Ok(())
    }

    fn choose(
        &mut self,
        session: &mut dyn Session,
        limits: Limits,
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<Reply, Fault> {
        let advice = session.think(self.seat.clone()?, limits, clock, &mut UntilCancelled(cancel))?;
        Ok(Reply { mv: advice.mv, value: advice.value })
    }
}

/// Ends a search when its token is cancelled.
struct UntilCancelled<'a>(&'a CancelToken);

impl ProgressObserver for UntilCancelled<'_> {
    fn progress(&mut self, _: &SearchProgress<'_>) -> ControlFlow<()> {
        if self.0.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl From<AgentError> for Fault {
    fn from(error: AgentError) -> Self {
        match error {
            AgentError::Crashed(detail) => Self::Crashed(detail),
            AgentError::Stalled(detail) => Self::Stalled(detail),
            AgentError::Cheated(detail) => Self::Cheated(detail),
            other => Self::Crashed(other.to_string()),
        }
    }
}
