//! Games and positions with their types erased: one virtual call for a move, actions are numbers.
//!
//! A session ([`plyground_session::Session`]) does the same in text. Loops in Python ask millions of positions, so here nothing is text that
//! need not be.

use std::sync::Arc;

use plyground_core::{BoardView, Encoder, GameInfo, InputError, MoveSquares, PlayableGame, Seed, Turn, Visitor, encoder, quoted};
use plyground_session::Session;

use crate::batch::{Batch, TypedBatch};

/// A game with its encoder, which numbers the moves: the number of a move is its action.
pub(crate) trait Rules: Send + Sync {
    fn info(&self) -> &'static GameInfo;
    /// The game with its parameters.
    fn spec(&self) -> String;
    /// The position that games begin with, if it is not the usual one.
    fn start_text(&self) -> Option<&str>;
    fn encoder_name(&self) -> &str;
    /// The actions of players are below this number.
    fn actions(&self) -> usize;
    /// What each plane shows.
    fn planes(&self) -> Vec<String>;
    /// Planes, ranks and files.
    fn shape(&self) -> [usize; 3];
    /// How actions are numbered, in a line.
    fn action_order(&self) -> String;
    /// The most moves of the players in a game, where that is known.
    fn most_moves(&self) -> Option<u32>;
    /// The most outcomes of an event of chance.
    fn most_outcomes(&self) -> u32;
    /// The position that games begin with.
    fn start(self: Arc<Self>) -> Box<dyn Position>;
    /// So many games at once, from the start.
    fn batch(self: Arc<Self>, games: usize, seed: Seed, threads: usize) -> Result<Box<dyn Batch>, InputError>;
    /// A session from the start, in which agents can take a seat.
    fn session(&self) -> Result<Box<dyn Session>, InputError>;
}

/// A position, and how it came about.
pub(crate) trait Position: Send + Sync {
    fn copy(&self) -> Box<dyn Position>;
    /// The same position without how it came about.
    fn fresh(&self) -> Box<dyn Position>;
    fn turn(&self) -> Turn;
    /// The legal actions in ascending order; at a chance event its outcomes, which are numbered from 0.
    fn legal(&mut self) -> Result<Vec<u32>, InputError>;
    /// The outcomes of chance with their probabilities; none unless chance has the turn.
    fn outcomes(&self) -> Vec<(u32, f64)>;
    fn apply(&mut self, action: u32) -> Result<(), InputError>;
    /// Takes back the last move or outcome of chance. False if there is none.
    fn undo(&mut self) -> bool;
    /// Actions and outcomes so far, each with who made it.
    fn history(&self) -> Vec<(Turn, u32)>;
    fn move_number(&self) -> usize;
    /// The same as text.
    fn history_text(&self) -> Vec<String>;
    fn action_text(&mut self, action: u32) -> Result<String, InputError>;
    fn parse_action(&mut self, text: &str) -> Result<u32, InputError>;
    fn text(&self) -> String;
    /// Writes the planes into `planes`; zeros where no player is to move and the encoder shows the view of the mover.
    fn encode(&self, planes: &mut Vec<f32>);
    fn view(&self) -> BoardView;
    fn last_move(&self) -> MoveSquares;
    fn points(&self) -> Option<[i32; 2]>;
    fn why_over(&self) -> String;
    fn hash(&self) -> u64;
}

/// Opens a game of the list, with the encoder of this name or its default.
pub(crate) fn open(spec: &str, position: Option<&str>, encoder: Option<&str>) -> Result<Arc<dyn Rules>, InputError> {
    struct Open<'a> {
        info: &'static GameInfo,
        encoder: Option<&'a str>,
        at_position: bool,
    }
    impl Visitor for Open<'_> {
        type Output = Result<Arc<dyn Rules>, InputError>;
        fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Self::Output {
            let start_text = self.at_position.then(|| game.position_text(&state));
            let session = |rules: &TypedRules<G>| plyground_session::open(&rules.game.spec(), rules.start_text.as_deref());
            Ok(Arc::new(TypedRules::new(self.info, game, (state, start_text), self.encoder, session)?))
        }
    }
    let info = plyground_games::info(plyground_core::split_spec(spec).0)?;
    plyground_games::open(spec, position, Open { info, encoder, at_position: position.is_some() })?
}

/// A game of a type that is known.
pub(crate) struct TypedRules<G: PlayableGame> {
    info: &'static GameInfo,
    pub game: G,
    pub start: G::State,
    start_text: Option<String>,
    encoder_name: String,
    pub encoder: Box<dyn Encoder<G>>,
    planes: Vec<String>,
    open_session: OpenSession<G>,
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

    /// Replaces the contents of `legal` by what can be played, in the order of the actions.
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
                numbered.sort_unstable_by_key(|&(action, _)| action);
            }
            Turn::Chance => {
                let mut outcomes = Vec::new();
                self.game.chance(state, &mut outcomes);
                numbered.extend((0..).zip(outcomes.into_iter().map(|(outcome, _)| outcome)));
            }
        }
    }

    fn without_number(&self, text: &str) -> InputError {
        let detail = format!("the encoder {} has no number for it; expected another encoder", quoted(&self.encoder_name));
        InputError::malformed("move", text, detail)
    }

    /// The move of an action; an error says what it is that cannot be played.
    pub fn find(&self, state: &G::State, legal: &Legal<G>, action: u32) -> Result<G::Move, InputError> {
        if let Ok(place) = legal.numbered.binary_search_by_key(&action, |&(action, _)| action) {
            return Ok(legal.numbered[place].1);
        }
        let turn = self.game.turn(state);
        let why = match turn {
            Turn::Over(outcome) => format!("the game is over ({})", outcome.word()),
            Turn::Chance => {
                format!("chance is to move; its outcomes are the actions 0 to {}", legal.numbered.len().saturating_sub(1))
            }
            Turn::Player(_) => {
                let actions: Vec<String> = legal.numbered.iter().take(12).map(|(action, _)| action.to_string()).collect();
                let more = if legal.numbered.len() > actions.len() { " …" } else { "" };
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
    unnumbered: Option<G::Move>,
}

impl<G: PlayableGame> Default for Legal<G> {
    fn default() -> Self {
        Self { moves: Vec::new(), numbered: Vec::new(), unnumbered: None }
    }
}

impl<G: PlayableGame> Rules for TypedRules<G> {
    fn info(&self) -> &'static GameInfo {
        self.info
    }

    fn spec(&self) -> String {
        self.game.spec()
    }

    fn start_text(&self) -> Option<&str> {
        self.start_text.as_deref()
    }

    fn encoder_name(&self) -> &str {
        &self.encoder_name
    }

    fn actions(&self) -> usize {
        self.encoder.moves()
    }

    fn planes(&self) -> Vec<String> {
        self.planes.clone()
    }

    fn shape(&self) -> [usize; 3] {
        let [ranks, files] = self.encoder.board();
        [self.planes.len(), ranks, files]
    }

    fn action_order(&self) -> String {
        self.encoder.move_order()
    }

    fn most_moves(&self) -> Option<u32> {
        self.game.most_moves()
    }

    fn most_outcomes(&self) -> u32 {
        self.game.most_outcomes()
    }

    fn start(self: Arc<Self>) -> Box<dyn Position> {
        let state = self.start.clone();
        Box::new(TypedPosition { rules: self, state, before: Vec::new(), legal: Legal::default(), listed: false })
    }

    fn batch(self: Arc<Self>, games: usize, seed: Seed, threads: usize) -> Result<Box<dyn Batch>, InputError> {
        Ok(Box::new(TypedBatch::new(self, games, seed, threads)?))
    }

    fn session(&self) -> Result<Box<dyn Session>, InputError> {
        (self.open_session)(self)
    }
}

/// A move or an outcome of chance that was played, with the position before it.
#[derive(Clone)]
struct Played<G: PlayableGame> {
    state: G::State,
    mv: G::Move,
    action: u32,
}

struct TypedPosition<G: PlayableGame> {
    rules: Arc<TypedRules<G>>,
    state: G::State,
    before: Vec<Played<G>>,
    legal: Legal<G>,
    /// Is what can be played here in the list?
    listed: bool,
}

impl<G: PlayableGame> TypedPosition<G> {
    fn list(&mut self) {
        if !self.listed {
            self.rules.list(&self.state, &mut self.legal);
            self.listed = true;
        }
    }
}

impl<G: PlayableGame> Position for TypedPosition<G> {
    fn copy(&self) -> Box<dyn Position> {
        let (rules, state, before) = (Arc::clone(&self.rules), self.state.clone(), self.before.clone());
        Box::new(Self { rules, state, before, legal: Legal::default(), listed: false })
    }

    fn fresh(&self) -> Box<dyn Position> {
        let (rules, state) = (Arc::clone(&self.rules), self.state.clone());
        Box::new(Self { rules, state, before: Vec::new(), legal: Legal::default(), listed: false })
    }

    fn turn(&self) -> Turn {
        self.rules.game.turn(&self.state)
    }

    fn legal(&mut self) -> Result<Vec<u32>, InputError> {
        self.list();
        match self.legal.unnumbered {
            None => Ok(self.legal.numbered.iter().map(|&(action, _)| action).collect()),
            Some(mv) => Err(self.rules.without_number(&self.rules.game.move_text(&self.state, mv))),
        }
    }

    fn outcomes(&self) -> Vec<(u32, f64)> {
        let mut outcomes = Vec::new();
        if self.turn() == Turn::Chance {
            self.rules.game.chance(&self.state, &mut outcomes);
        }
        (0..).zip(outcomes.into_iter().map(|(_, probability)| probability)).collect()
    }

    fn apply(&mut self, action: u32) -> Result<(), InputError> {
        self.list();
        let mv = self.rules.find(&self.state, &self.legal, action)?;
        self.before.push(Played { state: self.state.clone(), mv, action });
        self.rules.game.play(&mut self.state, mv);
        self.listed = false;
        Ok(())
    }

    fn undo(&mut self) -> bool {
        let Some(played) = self.before.pop() else { return false };
        self.state = played.state;
        self.listed = false;
        true
    }

    fn history(&self) -> Vec<(Turn, u32)> {
        self.before.iter().map(|played| (self.rules.game.turn(&played.state), played.action)).collect()
    }

    fn move_number(&self) -> usize {
        self.before.len()
    }

    fn history_text(&self) -> Vec<String> {
        self.before.iter().map(|played| self.rules.game.move_text(&played.state, played.mv)).collect()
    }

    fn action_text(&mut self, action: u32) -> Result<String, InputError> {
        self.list();
        let mv = self.rules.find(&self.state, &self.legal, action)?;
        Ok(self.rules.game.move_text(&self.state, mv))
    }

    fn parse_action(&mut self, text: &str) -> Result<u32, InputError> {
        let mv = self.rules.game.legal_move(&self.state, text)?;
        self.list();
        let found = self.legal.numbered.iter().find(|&&(_, legal)| legal == mv);
        found.map(|&(action, _)| action).ok_or_else(|| self.rules.without_number(text))
    }

    fn text(&self) -> String {
        self.rules.game.position_text(&self.state)
    }

    fn encode(&self, planes: &mut Vec<f32>) {
        self.rules.encode(&self.state, planes);
    }

    fn view(&self) -> BoardView {
        self.rules.game.view(&self.state)
    }

    fn last_move(&self) -> MoveSquares {
        let game = &self.rules.game;
        let last = self.before.iter().rev().find(|played| matches!(game.turn(&played.state), Turn::Player(_)));
        last.map_or_else(MoveSquares::default, |played| game.move_squares(&played.state, played.mv))
    }

    fn points(&self) -> Option<[i32; 2]> {
        self.rules.game.points(&self.state)
    }

    fn why_over(&self) -> String {
        self.rules.game.why_over(&self.state).map_or_else(String::new, |why| why.english)
    }

    fn hash(&self) -> u64 {
        self.rules.game.hash(&self.state)
    }
}
