//! Games and positions with their types erased: one virtual call for a move, actions are numbers.
//!
//! A session ([`plyground_session::Session`]) does the same in text. Loops in Python ask millions of positions, so here nothing is text that
//! need not be.

use std::sync::Arc;

use plyground_core::{BoardView, GameInfo, InputError, MoveSquares, PlayableGame, Seed, Turn, Visitor};
use plyground_session::Session;

use crate::batch::{Batch, TypedBatch};
use crate::typed::{Legal, TypedRules};

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
            None => {
                let mut actions: Vec<u32> = self.legal.numbered.iter().map(|&(action, _)| action).collect();
                actions.sort_unstable();
                Ok(actions)
            }
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
