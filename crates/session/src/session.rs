//! A game in progress, all in text.

use plyground_agents::catalogue::{self, LEVEL_TITLES};
use plyground_agents::{AgentInfo, AgentSpec};
use plyground_core::{
    Agent, AgentError, BoardView, Budget, Clock, EvaluatorInfo, GameInfo, GameRecord, InputError, KeyInfo, Limits, MoveSquares,
    NoObserver, NoResources, OutcomeText, PlayableGame, PlayedMove, Player, RecordedPlayer, Resources, Rng, Scratch,
    SearchRequest, Seed, Sentence, StopCheck, Turn, Visitor, WallClock,
};

use crate::advice::{Advice, Onlooker, Watcher};
use crate::external::{self, EXTERNAL, Followed, Guest, Place};
use crate::solving::{SolveOrder, Solved, solve};

/// A game in progress: the position, how it came about, and the agents that have been given a seat.
pub trait Session: Send {
    /// The description of the game.
    fn info(&self) -> &'static GameInfo;
    /// The game with its parameters, as text that opens it again.
    fn spec(&self) -> String;
    /// The position as text.
    fn position(&self) -> String;
    /// Who acts.
    fn turn(&self) -> Turn;
    /// The points of both players, in games with points.
    fn points(&self) -> Option<[i32; 2]>;
    /// Why the game ended, in words; none while it goes on.
    fn reason(&self) -> Option<Sentence>;
    /// Why the game ended, in English; empty while it goes on.
    fn why_over(&self) -> String {
        self.reason().map_or_else(String::new, |why| why.english)
    }
    /// What to draw.
    fn view(&self) -> BoardView;
    /// The squares of the last move of a player.
    fn last_move(&self) -> MoveSquares;
    /// The legal moves, sorted by their text; none unless a player is to move.
    fn moves(&self) -> Vec<LegalMove>;
    /// What chance may do and how likely it is, sorted by text; none unless chance is due.
    fn outcomes(&self) -> Vec<(String, f64)>;
    /// Plays a move or an outcome of chance, and gives its canonical text.
    fn play(&mut self, text: &str) -> Result<String, InputError>;
    /// Lets chance decide, if it is due: draws an outcome with its probability and plays it.
    fn roll(&mut self, rng: &mut Rng) -> Option<String>;
    /// Takes back the last move or outcome of chance.
    fn undo(&mut self) -> Option<PlayedMove>;
    /// What has been played so far.
    fn history(&self) -> &[PlayedMove];
    /// Who made move `number` of the history (0 is the first); `None` for an outcome of chance.
    fn mover(&self, number: usize) -> Option<Player>;
    /// Move `number` of the history as people like to read it, and the squares that it touched.
    fn played(&self, number: usize) -> Option<LegalMove>;
    /// Move `number` of the history in words, if it was an outcome of chance that needs them.
    fn outcome_text(&self, number: usize) -> Option<OutcomeText>;
    /// Was move `number` of the history all that chance could do? Then nobody has learnt anything by it.
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
    /// The keys that an agent (one of [`crate::AGENTS`]) understands in this game.
    fn agent_keys(&self, agent: &AgentInfo) -> Vec<KeyInfo>;
    /// The ready-made opponents of the game: the levels, the best, and presets.
    fn opponents(&self) -> Vec<Opponent>;
    /// Gives an agent a seat, with its own stream of randomness. The files that its spec names are read from the shelf.
    fn seat(&mut self, spec: &str, seed: Seed, shelf: &dyn Resources) -> Result<Seat, InputError>;
    /// Lets a seated agent think about the position. `limits`, where there are any that the agent keeps to, take the place of all
    /// those of its spec; the others are named in the notes of the advice.
    fn think(&mut self, seat: Seat, limits: Limits, clock: &dyn Clock, watcher: &mut dyn Watcher) -> Result<Advice, AgentError>;
    /// Solves the position; a tablebase to begin with is read from the shelf. The pulse may end it at any time.
    fn solve(&self, order: &SolveOrder, shelf: &dyn Resources, pulse: &mut dyn StopCheck) -> Result<Solved, InputError>;
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
    /// As people like to read it; often the same.
    pub label: String,
    /// The squares it touches.
    pub squares: MoveSquares,
}

/// A ready-made opponent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opponent {
    /// What to write where an agent spec is expected.
    pub name: String,
    /// What it is, in a line.
    pub summary: String,
    /// The spec that it stands for.
    pub spec: String,
}

/// An agent that sits at the table of a session.
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
            Box::new(Table::new(self.info, game, state, start))
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
    Box::new(Table::new(G::info(), game, state, None))
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

struct Table<G: PlayableGame> {
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
    Guest(Guest),
}

/// The limits among `asked` that an agent keeps to, and a word about each of the others.
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

impl<G: PlayableGame> Table<G> {
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

impl<G: PlayableGame> Session for Table<G> {
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

    fn agent_keys(&self, agent: &AgentInfo) -> Vec<KeyInfo> {
        plyground_agents::keys::<G>(agent)
    }

    fn opponents(&self) -> Vec<Opponent> {
        let opponent = |name: &str, summary: &str, spec: &str| Opponent {
            name: name.to_owned(),
            summary: summary.to_owned(),
            spec: spec.to_owned(),
        };
        let entry = catalogue::entry(&self.game.spec());
        let levels = entry.levels.into_iter().enumerate();
        let mut opponents: Vec<Opponent> =
            levels.map(|(index, spec)| opponent(&format!("level={}", index + 1), LEVEL_TITLES[index], spec)).collect();
        opponents.push(opponent("best", "the strongest agent known for this game and size", entry.best));
        opponents.extend(entry.presets.iter().map(|preset| opponent(preset.name, preset.summary, preset.spec)));
        opponents
    }

    fn seat(&mut self, spec: &str, seed: Seed, shelf: &dyn Resources) -> Result<Seat, InputError> {
        let seated = if let Some(command) = external::command(spec) {
            Seated::Guest(Guest::invite(command, &self.game.spec(), seed, shelf)?)
        } else {
            let spec = AgentSpec::parse(spec, &self.game)?;
            let agent = plyground_agents::build(&spec, &self.game, shelf)?;
            Seated::Agent { agent, info: spec.info(), limits: spec.limits()?, rng: seed.rng() }
        };
        self.seats.push(seated);
        Ok(Seat(self.seats.len() - 1))
    }

    fn think(&mut self, seat: Seat, limits: Limits, clock: &dyn Clock, watcher: &mut dyn Watcher) -> Result<Advice, AgentError> {
        let (info, own) = match &self.seats[seat.0] {
            Seated::Agent { info, limits, .. } => (*info, *limits),
            Seated::Guest(guest) => (&EXTERNAL, guest.limits()),
        };
        let (asked, notes) = kept_limits(info, limits);
        let budget = Budget { limits: if asked == Limits::default() { own } else { asked }, clock };
        let mut advice = match &mut self.seats[seat.0] {
            Seated::Agent { agent, rng, .. } => {
                let mut onlooker = Onlooker { game: &self.game, state: &self.state, watcher };
                let thought = SearchRequest { game: &self.game, state: &self.state, budget, rng, observer: &mut onlooker };
                Advice::new(&self.game, &self.state, agent.choose(thought)?)
            }
            Seated::Guest(guest) => {
                let mut legal = Vec::new();
                self.game.moves(&self.state, &mut legal);
                let place = Place {
                    game: &self.game.spec(),
                    start: self.start.as_deref(),
                    history: &self.history,
                    position: &self.game.position_text(&self.state),
                    legal: legal.into_iter().map(|mv| self.game.move_text(&self.state, mv)).collect(),
                    follow: &|line| followed(&self.game, &self.state, line),
                };
                guest.think(place, budget, watcher)?
            }
        };
        advice.notes.extend(notes);
        Ok(advice)
    }

    fn solve(&self, order: &SolveOrder, shelf: &dyn Resources, pulse: &mut dyn StopCheck) -> Result<Solved, InputError> {
        solve(&self.game, &self.state, order, shelf, pulse)
    }
}
