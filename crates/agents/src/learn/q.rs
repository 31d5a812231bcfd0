//! Tabular Q-learning by self-play (Watkins, 1989), for games whose positions fit into a table.
//!
//! What is learnt is the value of the position after a move (an afterstate; Sutton and Barto, 2018, section 6.8): all moves that
//! lead to one position share what is known of it, symmetric positions do, too, and where chance follows a move the average is
//! over its outcomes. The update is Watkins's: towards the value of the best move of the player to move next, whatever was played.

use std::ops::ControlFlow;

use plyground_core::{
    Agent, AgentError, Budget, Candidate, Choice, Fact, Game, InputError, KeyInfo, Opinion, Params, Player, Progress, Resources,
    Rng, Scratch, SearchObserver, SearchRequest, Seed, Turn, sort_moves,
};

use super::{Learner, LearnerObserver, Learnt, TrainingProgress, values::Entry, values::Values, values::key};
use crate::{AgentInfo, TIME};

pub(crate) const INFO: AgentInfo = AgentInfo {
    name: "q",
    summary: "tabular Q-learning: plays by a table that it has learnt in games against itself; for small games",
    keys: &[
        KeyInfo {
            key: "table",
            value: "FILE",
            default: "trains itself before its first move",
            meaning: "play by the table that ply train has made",
        },
        KeyInfo { key: "episodes", value: "N", default: "20000", meaning: "training games" },
        KeyInfo {
            key: "alpha",
            value: "A",
            default: "0.2",
            meaning: "learning rate, from 0 to 1; at the n-th visit of a position at least 1/n",
        },
        KeyInfo {
            key: "epsilon",
            value: "E",
            default: "0.5",
            meaning: "a training game makes a share of exploring moves between E and 1, drawn for each game",
        },
        KeyInfo { key: "gamma", value: "G", default: "0.99", meaning: "discount a move: below 1, short wins are better" },
        KeyInfo { key: "states", value: "N", default: "1000000", meaning: "positions that the table may hold" },
        KeyInfo { key: "seed", value: "N", default: "0", meaning: "of the training games" },
        KeyInfo { meaning: "stop after this time, though training goes on with the next move: 100ms, 1.5s, 2min", ..TIME },
    ],
    evaluates: false,
};

/// The keys that only matter while it learns.
const TRAINING_KEYS: &[&str] = &["episodes", "alpha", "epsilon", "gamma", "states", "seed"];

/// Positions, each in all its symmetries, between two looks at the clock: about a millisecond on the largest boards.
const LOOK_EVERY: usize = 1_000;

/// A line is followed until so many positions have been looked at for it.
const LINE_EFFORT: usize = 5_000;

pub(crate) fn build<G: Game>(game: &G, params: &Params, resources: &dyn Resources) -> Result<QLearning, InputError> {
    let mut agent = QLearning::new(params)?;
    if let Some(name) = params.get("table") {
        if let Some(key) = TRAINING_KEYS.iter().find(|key| params.has(key)) {
            return Err(InputError::malformed("key", key, "a table that is read from a file is not trained"));
        }
        agent.load(game, name, &resources.read(name)?)?;
        return Ok(agent);
    }
    Ok(QLearning { owed: agent.episodes, ..agent })
}

pub(crate) fn learner<G: Game>(_: &G, params: &Params) -> Result<QLearning, InputError> {
    if params.has("table") || params.has("time") {
        let key = if params.has("table") { "table" } else { "time" };
        return Err(InputError::malformed("key", key, format!("it is for playing; expected {}", TRAINING_KEYS.join(", "))));
    }
    QLearning::new(params)
}

/// Tabular Q-learning.
#[derive(Clone, Debug)]
pub struct QLearning {
    alpha: f32,
    epsilon: f64,
    gamma: f32,
    episodes: u64,
    /// Training games that must have been played before the first move: none where the caller trains.
    owed: u64,
    seed: Seed,
    values: Values,
}

impl Default for QLearning {
    /// With the usual settings, and nothing learnt yet.
    fn default() -> Self {
        Self::new(&Params::default()).expect("no key has a wrong value where there is none")
    }
}

impl QLearning {
    fn new(params: &Params) -> Result<Self, InputError> {
        Ok(Self {
            alpha: params.number("alpha", 0.0..=1.0)?.unwrap_or(0.2),
            epsilon: params.number("epsilon", 0.0..=1.0)?.unwrap_or(0.5),
            gamma: params.number("gamma", 0.0..=1.0)?.unwrap_or(0.99),
            episodes: params.number("episodes", 1..=1_000_000_000_000)?.unwrap_or(20_000),
            owed: 0,
            seed: Seed(params.number("seed", 0..=u64::MAX)?.unwrap_or(0)).named("q"),
            values: Values::new(params.number("states", 1..=100_000_000)?.unwrap_or(1_000_000)),
        })
    }

    /// Plays one game against itself and learns from it; false if the coach stopped it, and then nothing is learnt.
    fn episode<G: Game>(&mut self, game: &G, notes: &mut Notes<G>, mut go_on: impl FnMut(&Self, usize) -> bool) -> bool {
        // Each game has its own numbers: where training was interrupted makes no difference.
        let mut rng = self.seed.numbered(self.values.games).rng();
        let exploring = self.epsilon + (1.0 - self.epsilon) * rng.unit();
        notes.choices.clear();
        notes.children.clear();
        let mut state = game.start();
        let outcome = loop {
            match game.turn(&state) {
                Turn::Over(outcome) => break outcome,
                Turn::Chance => {
                    let outcome = game.random_outcome(&state, &mut rng, &mut notes.scratch);
                    game.play(&mut state, outcome);
                }
                Turn::Player(player) => {
                    let first = notes.children.len();
                    game.moves(&state, &mut notes.scratch.moves);
                    if !go_on(self, notes.scratch.moves.len()) {
                        return false;
                    }
                    notes.children.extend(notes.scratch.moves.iter().map(|&mv| key(game, &after(game, &state, mv))));
                    let children = &notes.children[first..];
                    let explores = rng.unit() < exploring;
                    let chosen = if explores { self.newest(children, &mut rng) } else { self.best(children, player, &mut rng) };
                    notes.choices.push(Decision { player, first, chosen: first + chosen });
                    game.play(&mut state, notes.scratch.moves[chosen]);
                }
            }
        };
        self.learn(notes, outcome.value());
        true
    }

    /// From the last move to the first, so that a result is felt at once in all positions that led to it (Lin, 1992).
    fn learn<G: Game>(&mut self, notes: &Notes<G>, result: f32) {
        let mut target = result;
        let mut end = notes.children.len();
        for decision in notes.choices.iter().rev() {
            if let Some(entry) = self.values.entry(notes.children[decision.chosen]) {
                entry.visits = entry.visits.saturating_add(1);
                let rate = self.alpha.max(1.0 / entry.visits as f32);
                entry.value = (entry.value + rate * (target - entry.value)).clamp(-1.0, 1.0);
            }
            let sign = decision.player.sign();
            let values = notes.children[decision.first..end].iter().map(|&child| sign * self.value(child));
            target = self.gamma * sign * values.fold(f32::NEG_INFINITY, f32::max);
            end = decision.first;
        }
        self.values.games += 1;
    }

    /// The value of a position for the first player; 0 where nothing is known.
    fn value(&self, key: u64) -> f32 {
        self.values.get(key).map_or(0.0, |entry| entry.value)
    }

    /// The move to the position that was visited least: so all that can be reached is reached soon.
    fn newest(&self, children: &[u64], rng: &mut Rng) -> usize {
        let visits = |key: u64| self.values.get(key).map_or(0, |entry| entry.visits);
        any_highest(children.iter().map(|&child| -i64::from(visits(child))), rng)
    }

    /// The best move; of equals any.
    fn best(&self, children: &[u64], player: Player, rng: &mut Rng) -> usize {
        any_highest(children.iter().map(|&child| player.sign() * self.value(child)), rng)
    }

    /// What it says of the moves in a position, best first, equals in random order.
    fn judged<G: Game>(&self, game: &G, state: &G::State, player: Player, rng: &mut Rng) -> Vec<(G::Move, Option<Entry>)> {
        let mut moves = Vec::new();
        game.moves(state, &mut moves);
        rng.shuffle(&mut moves);
        let judge = |mv: G::Move| (mv, self.values.get(key(game, &after(game, state, mv))));
        let mut judged: Vec<_> = moves.into_iter().map(judge).collect();
        // An unknown position is worth what training began with; of equals the known one is the better bet.
        let rank = |entry: Option<Entry>| (entry.map_or(0.0, |entry| player.sign() * entry.value), entry.is_some());
        sort_moves(&mut judged, |a, b| rank(b.1).partial_cmp(&rank(a.1)).expect("values are numbers"));
        judged
    }

    /// The best moves of both sides, as long as the table knows the positions.
    fn line<G: Game>(&self, game: &G, state: &G::State, mv: G::Move, rng: &mut Rng) -> Vec<G::Move> {
        let mut line = vec![mv];
        let mut state = after(game, state, mv);
        let mut effort = 0;
        while let Turn::Player(player) = game.turn(&state)
            && effort < LINE_EFFORT
        {
            let judged = self.judged(game, &state, player, rng);
            effort += judged.len() * usize::from(game.symmetries());
            let (mv, Some(_)) = judged[0] else { break };
            line.push(mv);
            game.play(&mut state, mv);
        }
        line
    }

    /// Catches up on training before a move; says how many games were played.
    fn catch_up<G: Game>(&mut self, game: &G, budget: &Budget<'_>, observer: &mut dyn SearchObserver<G::Move>) -> u64 {
        let before = self.values.games;
        let missing = self.owed.saturating_sub(before);
        self.train(game, missing, &mut |progress| {
            let done = (progress.games as f32 / missing as f32).max(budget.time_used().unwrap_or(0.0)).min(1.0);
            let watched = observer.progress(&Progress { done, nodes: progress.games, opinion: &Opinion::default });
            if budget.out_of_time() { ControlFlow::Break(()) } else { watched }
        });
        self.values.games - before
    }
}

impl<G: Game> Agent<G> for QLearning {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        let mover = request.mover()?;
        let SearchRequest { game, state, budget, rng, observer } = request;
        let simulations = self.catch_up(game, &budget, observer);
        let judged = self.judged(game, state, mover, rng);
        let (mv, entry) = judged[0];
        let value = |entry: Entry| mover.sign() * entry.value;
        let candidate = |&(mv, entry): &(G::Move, Option<Entry>)| Candidate {
            mv,
            visits: entry.map_or(0, |entry| u64::from(entry.visits)),
            value: entry.map(value),
        };
        let Learnt { facts, mut notes, .. } = Learner::<G>::learnt(self);
        if judged.iter().all(|(_, entry)| entry.is_none()) {
            notes.push("nothing was learnt about this position: any legal move".to_owned());
        }
        if self.values.games < self.owed {
            notes.push(format!("only {} of {} training games are played so far", self.values.games, self.owed));
        }
        Ok(Choice {
            value: entry.map(value),
            principal_variation: entry.map_or(Vec::new(), |_| self.line(game, state, mv, rng)),
            candidates: judged.iter().map(candidate).collect(),
            nodes: judged.len() as u64,
            simulations,
            elapsed: budget.clock.elapsed(),
            facts,
            notes,
            ..Choice::bare(mv)
        })
    }
}

impl<G: Game> Learner<G> for QLearning {
    fn episodes(&self) -> u64 {
        self.episodes
    }

    fn train(&mut self, game: &G, games: u64, observer: &mut LearnerObserver<'_>) {
        let mut notes = Notes { choices: Vec::new(), children: Vec::new(), scratch: Scratch::default() };
        let mut effort = 0;
        for played in 0..games {
            let go_on = |agent: &Self, children: usize| {
                effort += children * usize::from(game.symmetries());
                if effort < LOOK_EVERY {
                    return true;
                }
                effort = 0;
                observer(TrainingProgress { games: played, positions: agent.values.len() as u64 }).is_continue()
            };
            if !self.episode(game, &mut notes, go_on) {
                return;
            }
        }
    }

    fn learnt(&self) -> Learnt {
        let positions = self.values.len() as u64;
        let mut notes = Vec::new();
        if self.values.full {
            notes.push(format!("the table is full with {positions} positions (states=N): others were met, but not learnt"));
        }
        Learnt {
            games: self.values.games,
            positions,
            facts: vec![
                Fact { name: "training games", value: self.values.games as f64 },
                Fact { name: "positions in the table", value: positions as f64 },
            ],
            notes,
        }
    }

    fn save(&self, game: &G) -> Vec<u8> {
        self.values.to_file(game)
    }

    fn load(&mut self, game: &G, name: &str, file: &[u8]) -> Result<(), InputError> {
        self.values = Values::from_file(game, name, file, self.values.most)?;
        Ok(())
    }

    fn player(&self, file: &str) -> String {
        format!("{}:table={file}", INFO.name)
    }
}

/// What is remembered of a training game until its end.
struct Notes<G: Game> {
    choices: Vec<Decision>,
    /// The keys of the positions that could have been reached, those of one decision after those of the one before.
    children: Vec<u64>,
    scratch: Scratch<G::Move>,
}

/// A move of a training game.
struct Decision {
    player: Player,
    /// Where the positions that could have been reached begin among all of them.
    first: usize,
    /// Which one was.
    chosen: usize,
}

fn after<G: Game>(game: &G, state: &G::State, mv: G::Move) -> G::State {
    let mut child = state.clone();
    game.play(&mut child, mv);
    child
}

/// The place of the highest score; of equals any, with equal chances.
fn any_highest<S: PartialOrd + Copy>(scores: impl Iterator<Item = S>, rng: &mut Rng) -> usize {
    let (mut place, mut highest, mut equals) = (0, None, 0);
    for (index, score) in scores.enumerate() {
        if highest.is_none_or(|highest| score > highest) {
            (place, highest, equals) = (index, Some(score), 1);
        } else if highest == Some(score) {
            equals += 1;
            if rng.below(equals) == 0 {
                place = index;
            }
        }
    }
    place
}
