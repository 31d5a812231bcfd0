//! A game of a type that is known, with the numbers of its moves.

use plyground_core::{Encoder, GameInfo, InputError, PlayableGame, Turn, encoder, quoted};
use plyground_session::Session;

/// The actions that an error names.
const SHOWN: usize = 12;

/// A game of a type that is known.
pub(crate) struct TypedRules<G: PlayableGame> {
    pub info: &'static GameInfo,
    pub game: G,
    pub start: G::State,
    pub start_text: Option<String>,
    pub encoder_name: String,
    pub encoder: Box<dyn Encoder<G>>,
    pub planes: Vec<String>,
    pub open_session: OpenSession<G>,
}

/// How a session is made of a game: all agents are compiled where [`plyground_session::session_of`] is called, so that is not done for
/// the games of the list.
pub(crate) type OpenSession<G> = fn(&TypedRules<G>) -> Result<Box<dyn Session>, InputError>;

impl<G: PlayableGame> TypedRules<G> {
    pub fn new(
        info: &'static GameInfo,
        game: G,
        (start, start_text): (G::State, Option<String>),
        encoder_name: Option<&str>,
        open_session: OpenSession<G>,
    ) -> Result<Self, InputError> {
        let name = encoder_name.unwrap_or_else(|| game.default_encoder());
        let found = encoder(&game, name).ok_or_else(|| unknown_encoder::<G>(name))?;
        let planes = found.planes();
        Ok(Self { info, game, start, start_text, encoder_name: name.to_owned(), encoder: found, planes, open_session })
    }

    /// The numbers of a position as the encoder shows it.
    pub fn plane_numbers(&self) -> usize {
        let [ranks, files] = self.encoder.board();
        self.planes.len() * ranks * files
    }

    /// Writes the planes; zeros where the encoder has nothing to show.
    pub fn encode(&self, state: &G::State, planes: &mut Vec<f32>) {
        self.encoder.encode(&self.game, state, planes);
        planes.resize(self.plane_numbers(), 0.0);
    }

    /// Replaces the contents of `legal` by what can be played, in the order of the game.
    pub fn list(&self, state: &G::State, legal: &mut Legal<G>) {
        let Legal { moves, numbered, unnumbered } = legal;
        numbered.clear();
        *unnumbered = None;
        match self.game.turn(state) {
            Turn::Over(_) => {}
            Turn::Player(_) => {
                self.game.moves(state, moves);
                for &mv in moves.iter() {
                    match self.encoder.move_index(&self.game, state, mv) {
                        Some(action) => numbered.push((action as u32, mv)),
                        None => *unnumbered = Some(mv),
                    }
                }
            }
            Turn::Chance => {
                let mut outcomes = Vec::new();
                self.game.chance(state, &mut outcomes);
                numbered.extend((0..).zip(outcomes.into_iter().map(|(outcome, _)| outcome)));
            }
        }
    }

    pub fn without_number(&self, text: &str) -> InputError {
        let detail = format!("the encoder {} has no number for it; expected another encoder", quoted(&self.encoder_name));
        InputError::malformed("move", text, detail)
    }

    /// The move of an action; an error says what it is that cannot be played.
    pub fn find(&self, state: &G::State, legal: &Legal<G>, action: u32) -> Result<G::Move, InputError> {
        // Lists are short: looking through one takes less than sorting it.
        if let Some(&(_, mv)) = legal.numbered.iter().find(|&&(known, _)| known == action) {
            return Ok(mv);
        }
        let turn = self.game.turn(state);
        let why = match turn {
            Turn::Over(outcome) => format!("the game is over ({})", outcome.word()),
            Turn::Chance => {
                format!("chance is to move; its outcomes are the actions 0 to {}", legal.numbered.len().saturating_sub(1))
            }
            Turn::Player(_) => {
                let mut actions: Vec<u32> = legal.numbered.iter().map(|&(action, _)| action).collect();
                actions.sort_unstable();
                let more = if actions.len() > SHOWN { " …" } else { "" };
                let actions: Vec<String> = actions.iter().take(SHOWN).map(u32::to_string).collect();
                format!("legal are {}{more}", actions.join(" "))
            }
        };
        Err(InputError::malformed("action", &action.to_string(), why))
    }
}

#[cold]
fn unknown_encoder<G: PlayableGame>(name: &str) -> InputError {
    let own = G::encoders().iter().map(|encoder| encoder.name);
    let general = [plyground_core::MoverEncoder::INFO.name, plyground_core::GeneralEncoder::INFO.name];
    InputError::unknown("encoder", name, general.into_iter().chain(own))
}

/// What can be played in a position, with its numbers; the lists are used again.
pub(crate) struct Legal<G: PlayableGame> {
    moves: Vec<G::Move>,
    pub numbered: Vec<(u32, G::Move)>,
    /// A legal move that the encoder was not made for.
    pub unnumbered: Option<G::Move>,
}

impl<G: PlayableGame> Default for Legal<G> {
    fn default() -> Self {
        Self { moves: Vec::new(), numbered: Vec::new(), unnumbered: None }
    }
}
