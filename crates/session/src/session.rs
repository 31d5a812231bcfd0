//! The session: a game in progress, all in text.

use plyground_agents::catalogue::{self, LEVEL_TITLES, Preset};
use plyground_agents::{AgentInfo, AgentSpec};
use plyground_core::{
    Agent, AgentError, BoardView, Budget, Clock, EvaluatorInfo, GameInfo, GameRecord, InputError, KeyInfo, Limits, MoveSquares,
    NoObserver, NoResources, OutcomeText, PlayableGame, PlayedMove, Player, RecordedPlayer, Resources, Rng, Scratch,
    SearchRequest, Seed, Sentence, Square, StopCheck, Turn, Visitor, WallClock,
};

use crate::advice::{Advice, ProgressObserver, TextObserver};
use crate::evaluation::{Evaluation, evaluate};
use crate::external::{self, EXTERNAL, ExternalAgent, ExternalPosition, Followed};
use crate::solving::{SolveOrder, Solved, solve};

/// A game in progress: the position, how it came about, and the agents that have been given a seat.
pub trait Session: Send {
    /// The description of the game.
    fn info(&self) -> &'static GameInfo;
    /// The game with its parameters, as text that opens it again.
    fn spec(&self) -> String;
    /// The position as text.
    fn position(&self) -> String;
    /// The player to move, chance, or the outcome.
    fn turn(&self) -> Turn;
    /// The points of both players, in games with points.
    fn points(&self) -> Option<[i32; 2]>;
    /// Why the game ended, in words; none while it goes on.
    fn reason(&self) -> Option<Sentence>;
    /// Why the game ended, in English; empty while it goes on.
    fn why_over(&self) -> String {
        self.reason().map_or_else(String::new, |why| why.english)
    }
    /// The squares that decided the game, where it is over and they can be named.
    fn winning_squares(&self) -> Vec<Square>;
    /// The board to draw.
    fn view(&self) -> BoardView;
    /// The squares of the last move of a player.
    fn last_move(&self) -> MoveSquares;
    /// The legal moves, sorted by their text; none unless a player is to move.
    fn moves(&self) -> Vec<LegalMove>;
    /// The chance outcomes and their probabilities, sorted by text; none unless chance has the turn.
    fn outcomes(&self) -> Vec<(String, f64)>;
    /// Plays a move or an outcome of chance, and gives its canonical text.
    fn play(&mut self, text: &str) -> Result<String, InputError>;
    /// Draws a chance outcome by its probability and plays it, if chance has the turn.
    fn roll(&mut self, rng: &mut Rng) -> Option<String>;
    /// Follows a line from here without playing it, and without a history: much quicker than [`Session::play`]. Outcomes of chance behind
    /// the opening, a number of moves and outcomes, have to be those that are drawn with this random stream.
    fn follow(&self, line: &[&str], opening: usize, chance: &mut dyn FnMut() -> Rng) -> Result<LineEnd, LineError>;
    /// Takes back the last move or outcome of chance.
    fn undo(&mut self) -> Option<PlayedMove>;
    /// The moves and chance outcomes played so far.
    fn history(&self) -> &[PlayedMove];
    /// The player of move `number` of the history (0 is the first); `None` for a chance outcome.
    fn mover(&self, number: usize) -> Option<Player>;
    /// Move `number` of the history with its label and its squares.
    fn played(&self, number: usize) -> Option<LegalMove>;
    /// A description of move `number` of the history, if it was a chance outcome that needs one.
    fn outcome_text(&self, number: usize) -> Option<OutcomeText>;
    /// Was move `number` of the history the only possible chance outcome? Then it gave no information.
    fn certain(&self, number: usize) -> bool;
    /// Notes the thinking time in milliseconds and the expectation of the mover beside the last move.
    fn annotate(&mut self, ms: Option<f64>, value: Option<f32>);
    /// The game so far as a record.
    fn record(&self, players: [RecordedPlayer; 2], seed: Option<u64>) -> GameRecord;
    /// The number of sequences of `depth` moves from here.
    fn perft(&self, depth: u32) -> u64;
    /// The number of sequences of `depth` moves from here, by first move, sorted by text.
    fn divide(&self, depth: u32) -> Vec<(String, u64)>;
    /// The evaluators of the game.
    fn evaluators(&self) -> &'static [EvaluatorInfo];
    /// What an evaluator of the game, with its keys (`links:w=0.5`), says about the position, which is not over.
    fn evaluate(&self, evaluator: &str) -> Result<Evaluation, InputError>;
    /// The keys that an agent (one of [`crate::AGENTS`]) understands in this game.
    fn agent_keys(&self, agent: &AgentInfo) -> Vec<KeyInfo>;
    /// The ready-made opponents of the game: the levels, the best, and presets.
    fn opponents(&self) -> Vec<Opponent>;
    /// Builds an agent and gives it a seat, with its own random stream. The files that its spec names are read from the resources.
    fn seat(&mut self, spec: &str, seed: Seed, resources: &dyn Resources) -> Result<Seat, InputError>;
    /// The advice of a seated agent in this position. `limits` that the agent knows replace all limits of its spec; the others are
    /// named in the notes of the advice.
    fn think(
        &mut self,
        seat: Seat,
        limits: Limits,
        clock: &dyn Clock,
        observer: &mut dyn ProgressObserver,
    ) -> Result<Advice, AgentError>;
    /// Solves the position; a tablebase to begin with is read from the resources. The stop check may end it at any time.
    fn solve(&self, order: &SolveOrder, resources: &dyn Resources, stop_check: &mut dyn StopCheck) -> Result<Solved, InputError>;
}

/// Moves in the order of their texts. Not a method of a game's session: it would be compiled for every game.
fn in_order(mut moves: Vec<LegalMove>) -> Vec<LegalMove> {
    moves.sort_by(|a, b| a.text.cmp(&b.text));
    moves
}

/// What belongs to texts, in their order.
fn by_text<T>(mut parts: Vec<(String, T)>) -> Vec<(String, T)> {
    parts.sort_by(|a, b| a.0.cmp(&b.0));
    parts
}

/// A legal move as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegalMove {
    /// Its canonical text.
    pub text: String,
    /// Its label for people; often the same.
    pub label: String,
    /// The squares it touches.
    pub squares: MoveSquares,
}

/// The end of a line that was followed.
#[derive(Clone, Debug, PartialEq)]
pub struct LineEnd {
    /// The player of each move; `None` for outcomes of chance.
    pub movers: Vec<Option<Player>>,
    /// The player to move at the end, chance, or the outcome.
    pub turn: Turn,
    /// The points of both players, in games with points.
    pub points: Option<[i32; 2]>,
    /// The reason why the game ended, in English; empty if it goes on.
    pub reason: String,
}

/// The reason why a line cannot be followed to its end.
#[derive(Clone, Debug, PartialEq)]
pub enum LineError {
    /// A move that the rules do not allow.
    Illegal(InputError),
    /// An outcome of chance that was not drawn, or a move that is not written in its canonical form.
    Differs {
        /// The canonical text of the move, or of the outcome that was drawn.
        expected: String,
        /// The text in the line.
        found: String,
    },
}

/// A ready-made opponent of a game: a level, the best agent, or an agent of a published work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opponent {
    /// The short spec that users type.
    pub name: String,
    /// A description in one line.
    pub summary: String,
    /// The published work that it comes from, if it does: `the thesis on Crosphere, 2024`.
    pub work: Option<&'static str>,
    /// The full spec that it stands for.
    pub spec: String,
}

/// A handle of an agent in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat(usize);

/// Opens the game of a spec, at its start or at a position.
pub fn open(spec: &str, position: Option<&str>) -> Result<Box<dyn Session>, InputError> {
    struct Open {
        info: &'static GameInfo,
        at_position: bool,
    }
    impl Visitor for Open {
        type Output = Box<dyn Session>;
        fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Box<dyn Session> {
            let start = self.at_position.then(|| game.position_text(&state));
            Box::new(TypedSession::new(self.info, game, state, start))
        }
    }
    let info = plyground_games::info(plyground_core::split_spec(spec).0)?;
    plyground_games::open(spec, position, Open { info, at_position: position.is_some() })
}

/// Opens a game of any type at its start: one that is not in our list, for instance.
///
/// Its spec ([`plyground_core::Game::spec`]) is only a name then: [`open`] does not know it.
pub fn session_of<G: PlayableGame>(game: G) -> Box<dyn Session> {
    let state = game.start();
    Box::new(TypedSession::new(G::info(), game, state, None))
}

impl dyn Session + '_ {
    /// Gives an agent a seat that reads no file: [`Session::seat`] without resources.
    pub fn add_agent(&mut self, spec: &str, seed: Seed) -> Result<Seat, InputError> {
        self.seat(spec, seed, &NoResources)
    }

    /// Lets a seated agent choose a move within the limits of its spec: [`Session::think`] with a wall clock, without an observer. For
    /// native programs.
    pub fn choose(&mut self, seat: Seat) -> Result<Advice, AgentError> {
        self.think(seat, Limits::default(), &WallClock::start(), &mut NoObserver)
    }
}

struct TypedSession<G: PlayableGame> {
    info: &'static GameInfo,
    game: G,
    start: Option<String>,
    state: G::State,
    /// The positions and moves that led here.
    before: Vec<(G::State, G::Move)>,
    history: Vec<PlayedMove>,
    seats: Vec<Seated<G>>,
}

enum Seated<G: PlayableGame> {
    Agent { agent: Box<dyn Agent<G>>, info: &'static AgentInfo, limits: Limits, rng: Rng },
    ExternalAgent(ExternalAgent),
}

/// The limits among `asked` that an agent knows, and a note on each of the others.
fn kept_limits(agent: &AgentInfo, asked: Limits) -> (Limits, Vec<String>) {
    let mut notes = Vec::new();
    let mut keeps = |key: &str| {
        let known = agent.keys.iter().any(|info| info.key == key);
        if !known {
            notes.push(format!("{} has no limit by {key}: it is not used", agent.name));
        }
        known
    };
    let kept = Limits {
        time: asked.time.filter(|_| keeps("time")),
        simulations: asked.simulations.filter(|_| keeps("sims")),
        nodes: asked.nodes.filter(|_| keeps("nodes")),
        depth: asked.depth.filter(|_| keeps("depth")),
    };
    (kept, notes)
}

/// The moves at the beginning of a line that can be played one after the other, as they are usually written, and why it ends there.
fn followed<G: PlayableGame>(game: &G, state: &G::State, line: &[String]) -> Followed {
    let (mut state, mut moves) = (state.clone(), Vec::new());
    for text in line {
        match game.legal_move(&state, text) {
            Ok(mv) => {
                moves.push(game.move_text(&state, mv));
                game.play(&mut state, mv);
            }
            Err(error) => return (moves, Some(error)),
        }
    }
    (moves, None)
}

impl<G: PlayableGame> TypedSession<G> {
    /// `start` is the position as text, unless it is the one in which all games start.
    fn new(info: &'static GameInfo, game: G, state: G::State, start: Option<String>) -> Self {
        Self { info, game, start, state, before: Vec::new(), history: Vec::new(), seats: Vec::new() }
    }

    fn described(&self, state: &G::State, mv: G::Move) -> LegalMove {
        LegalMove {
            text: self.game.move_text(state, mv),
            label: self.game.move_label(state, mv),
            squares: self.game.move_squares(state, mv),
        }
    }

    fn advance(&mut self, mv: G::Move) -> String {
        let text = self.game.move_text(&self.state, mv);
        let chance = self.game.turn(&self.state) == Turn::Chance;
        self.before.push((self.state.clone(), mv));
        self.history.push(PlayedMove { text: text.clone(), chance, ..PlayedMove::default() });
        self.game.play(&mut self.state, mv);
        text
    }
}

impl<G: PlayableGame> Session for TypedSession<G> {
    fn info(&self) -> &'static GameInfo {
        self.info
    }

    fn spec(&self) -> String {
        self.game.spec()
    }

    fn position(&self) -> String {
        self.game.position_text(&self.state)
    }

    fn turn(&self) -> Turn {
        self.game.turn(&self.state)
    }

    fn points(&self) -> Option<[i32; 2]> {
        self.game.points(&self.state)
    }

    fn reason(&self) -> Option<Sentence> {
        self.game.why_over(&self.state)
    }

    fn winning_squares(&self) -> Vec<Square> {
        self.game.winning_squares(&self.state)
    }

    fn view(&self) -> BoardView {
        self.game.view(&self.state)
    }

    fn last_move(&self) -> MoveSquares {
        let last = self.before.iter().rev().find(|(state, _)| matches!(self.game.turn(state), Turn::Player(_)));
        last.map_or_else(MoveSquares::default, |(state, mv)| self.game.move_squares(state, *mv))
    }

    fn moves(&self) -> Vec<LegalMove> {
        let mut moves = Vec::new();
        self.game.moves(&self.state, &mut moves);
        let moves = moves.into_iter().map(|mv| self.described(&self.state, mv)).collect();
        in_order(moves)
    }

    fn outcomes(&self) -> Vec<(String, f64)> {
        let mut outcomes = Vec::new();
        self.game.chance(&self.state, &mut outcomes);
        let text = |(mv, probability)| (self.game.move_text(&self.state, mv), probability);
        by_text(outcomes.into_iter().map(text).collect())
    }

    fn play(&mut self, text: &str) -> Result<String, InputError> {
        let mv = self.game.legal_move(&self.state, text)?;
        Ok(self.advance(mv))
    }

    fn roll(&mut self, rng: &mut Rng) -> Option<String> {
        if self.turn() != Turn::Chance {
            return None;
        }
        let outcome = self.game.random_outcome(&self.state, rng, &mut Scratch::default());
        Some(self.advance(outcome))
    }

    fn follow(&self, line: &[&str], opening: usize, chance: &mut dyn FnMut() -> Rng) -> Result<LineEnd, LineError> {
        let (game, mut state, mut scratch) = (&self.game, self.state.clone(), Scratch::default());
        let (mut movers, mut stream) = (Vec::with_capacity(line.len()), None);
        for (number, &text) in line.iter().enumerate() {
            let turn = game.turn(&state);
            let mv = if turn == Turn::Chance && number >= opening {
                game.random_outcome(&state, stream.get_or_insert_with(&mut *chance), &mut scratch)
            } else {
                game.legal_move_with(&state, text, &mut scratch).map_err(LineError::Illegal)?
            };
            let canonical = game.move_text(&state, mv);
            if canonical != text {
                return Err(LineError::Differs { expected: canonical, found: text.to_owned() });
            }
            movers.push(if let Turn::Player(player) = turn { Some(player) } else { None });
            game.play(&mut state, mv);
        }
        let reason = game.why_over(&state).map_or_else(String::new, |why| why.english);
        Ok(LineEnd { movers, turn: game.turn(&state), points: game.points(&state), reason })
    }

    fn undo(&mut self) -> Option<PlayedMove> {
        let (state, _) = self.before.pop()?;
        self.state = state;
        self.history.pop()
    }

    fn history(&self) -> &[PlayedMove] {
        &self.history
    }

    fn mover(&self, number: usize) -> Option<Player> {
        match self.game.turn(&self.before.get(number)?.0) {
            Turn::Player(player) => Some(player),
            Turn::Chance | Turn::Over(_) => None,
        }
    }

    fn played(&self, number: usize) -> Option<LegalMove> {
        self.before.get(number).map(|(state, mv)| self.described(state, *mv))
    }

    fn outcome_text(&self, number: usize) -> Option<OutcomeText> {
        self.before.get(number).and_then(|(state, mv)| self.game.outcome_text(state, *mv))
    }

    fn certain(&self, number: usize) -> bool {
        self.before.get(number).is_some_and(|(state, _)| {
            let mut outcomes = Vec::new();
            if self.game.turn(state) == Turn::Chance {
                self.game.chance(state, &mut outcomes);
            }
            outcomes.len() == 1
        })
    }

    fn annotate(&mut self, ms: Option<f64>, value: Option<f32>) {
        if let Some(last) = self.history.last_mut() {
            (last.ms, last.value) = (ms, value);
        }
    }

    fn record(&self, players: [RecordedPlayer; 2], seed: Option<u64>) -> GameRecord {
        GameRecord {
            version: GameRecord::VERSION,
            game: self.game.spec(),
            start: self.start.clone(),
            players,
            seed,
            moves: self.history.clone(),
            result: self.turn().result_word().to_owned(),
            reason: self.why_over(),
            points: self.points(),
            ..GameRecord::default()
        }
    }

    fn perft(&self, depth: u32) -> u64 {
        plyground_core::perft(&self.game, &self.state, depth)
    }

    fn divide(&self, depth: u32) -> Vec<(String, u64)> {
        let parts = plyground_core::divide(&self.game, &self.state, depth);
        by_text(parts.into_iter().map(|(mv, count)| (self.game.move_text(&self.state, mv), count)).collect())
    }

    fn evaluators(&self) -> &'static [EvaluatorInfo] {
        G::evaluators()
    }

    fn evaluate(&self, evaluator: &str) -> Result<Evaluation, InputError> {
        evaluate(&self.game, &self.state, evaluator)
    }

    fn agent_keys(&self, agent: &AgentInfo) -> Vec<KeyInfo> {
        plyground_agents::keys::<G>(agent)
    }

    fn opponents(&self) -> Vec<Opponent> {
        let opponent = |name: &str, summary: &str, spec: &str| Opponent {
            name: name.to_owned(),
            summary: summary.to_owned(),
            work: None,
            spec: spec.to_owned(),
        };
        let entry = catalogue::entry(&self.game.spec());
        let levels = entry.levels.into_iter().enumerate();
        let mut opponents: Vec<Opponent> =
            levels.map(|(index, spec)| opponent(&format!("level={}", index + 1), LEVEL_TITLES[index], spec)).collect();
        opponents.push(opponent("best", "the strongest agent known for this game and size", entry.best));
        let work = catalogue::work(&self.game.spec());
        let of_work = |preset: &Preset| Opponent { work, ..opponent(preset.name, preset.summary, preset.spec) };
        opponents.extend(entry.presets.iter().map(of_work));
        opponents
    }

    fn seat(&mut self, spec: &str, seed: Seed, resources: &dyn Resources) -> Result<Seat, InputError> {
        let seated = if let Some(command) = external::command(spec) {
            Seated::ExternalAgent(ExternalAgent::start(command, &self.game.spec(), seed, resources)?)
        } else {
            let spec = AgentSpec::parse(spec, &self.game)?;
            let agent = plyground_agents::build(&spec, &self.game, resources)?;
            Seated::Agent { agent, info: spec.info(), limits: spec.limits()?, rng: seed.rng() }
        };
        self.seats.push(seated);
        Ok(Seat(self.seats.len() - 1))
    }

    fn think(
        &mut self,
        seat: Seat,
        limits: Limits,
        clock: &dyn Clock,
        observer: &mut dyn ProgressObserver,
    ) -> Result<Advice, AgentError> {
        let (info, own) = match &self.seats[seat.0] {
            Seated::Agent { info, limits, .. } => (*info, *limits),
            Seated::ExternalAgent(external) => (&EXTERNAL, external.limits()),
        };
        let (asked, notes) = kept_limits(info, limits);
        let budget = Budget { limits: if asked == Limits::default() { own } else { asked }, clock };
        let mut advice = match &mut self.seats[seat.0] {
            Seated::Agent { agent, rng, .. } => {
                let mut text_observer = TextObserver { game: &self.game, state: &self.state, observer };
                let request = SearchRequest { game: &self.game, state: &self.state, budget, rng, observer: &mut text_observer };
                Advice::new(&self.game, &self.state, agent.choose(request)?)
            }
            Seated::ExternalAgent(external) => {
                let mut legal = Vec::new();
                self.game.moves(&self.state, &mut legal);
                let position = ExternalPosition {
                    game: &self.game.spec(),
                    start: self.start.as_deref(),
                    history: &self.history,
                    position: &self.game.position_text(&self.state),
                    legal: legal.into_iter().map(|mv| self.game.move_text(&self.state, mv)).collect(),
                    follow: &|line| followed(&self.game, &self.state, line),
                };
                external.think(position, budget, observer)?
            }
        };
        advice.notes.extend(notes);
        Ok(advice)
    }

    fn solve(&self, order: &SolveOrder, resources: &dyn Resources, stop_check: &mut dyn StopCheck) -> Result<Solved, InputError> {
        solve(&self.game, &self.state, order, resources, stop_check)
    }
}
