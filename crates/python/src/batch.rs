//! Many games of one kind that go on at once, a step for each of them in one call.

use std::sync::Arc;

use plyground_core::{InputError, PlayableGame, Player, Rng, Scratch, Seed, Turn};
use rayon::prelude::*;

use crate::typed::{Legal, TypedRules};

/// Games of one part of a step: small enough for even work, large enough to be worth handing to another core.
const PART: usize = 64;

/// The player number at the end of a game, as OpenSpiel has it.
pub(crate) const TERMINAL: i8 = -4;

/// When a game that is over begins again (the modes of gymnasium).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Autoreset {
    /// In the step after its last one, whose action is ignored.
    NextStep,
    /// In its last step: what is written shows the new game already.
    SameStep,
    /// When it is asked for.
    Disabled,
}

impl Autoreset {
    pub const WORDS: [&str; 3] = ["next_step", "same_step", "disabled"];

    pub fn parse(word: &str) -> Result<Self, InputError> {
        match word {
            "next_step" => Ok(Self::NextStep),
            "same_step" => Ok(Self::SameStep),
            "disabled" => Ok(Self::Disabled),
            _ => Err(InputError::unknown("autoreset mode", word, Self::WORDS)),
        }
    }
}

/// Where a step writes to: as many entries as there are games, games one after the other.
pub(crate) struct Output<'a> {
    pub planes: Option<&'a mut [f32]>,
    pub masks: Option<&'a mut [bool]>,
    pub players: Option<&'a mut [i8]>,
    /// Of both players.
    pub rewards: Option<&'a mut [f32]>,
    pub terminated: Option<&'a mut [bool]>,
}

/// Games of a type that is not known.
pub(crate) trait Batch: Send + Sync {
    /// Begins all games anew, or those that are marked; with a seed, the random numbers begin anew, too.
    fn reset(&mut self, seed: Option<Seed>, which: Option<&[bool]>, output: Output<'_>);
    /// Plays an action in each game. An error names the game and changes nothing.
    fn step(&mut self, actions: &[i64], autoreset: Autoreset, output: Output<'_>) -> Result<(), InputError>;
    /// A random legal action for each game, 0 where there is none.
    fn random_actions(&mut self, actions: &mut [i64]);
    /// The position of a game as text.
    fn position(&self, game: usize) -> String;
}

struct Running<G: PlayableGame> {
    state: G::State,
    /// For chance.
    rng: Rng,
    /// For random actions.
    policy: Rng,
    legal: Legal<G>,
    over: bool,
    chosen: Option<G::Move>,
    /// Of the last step, for the first player.
    reward: f32,
    terminated: bool,
}

/// Games of one type.
pub(crate) struct TypedBatch<G: PlayableGame> {
    rules: Arc<TypedRules<G>>,
    games: Vec<Running<G>>,
    /// None where one thread does it all.
    pool: Option<rayon::ThreadPool>,
}

/// What a step is to do.
#[derive(Clone, Copy)]
enum Work<'a> {
    Reset(Option<&'a [bool]>),
    Step(Autoreset),
}

/// Some games with their places in the output.
struct Part<'a, G: PlayableGame> {
    first: usize,
    games: &'a mut [Running<G>],
    output: Output<'a>,
}

impl<G: PlayableGame> TypedBatch<G> {
    pub fn new(rules: Arc<TypedRules<G>>, games: usize, seed: Seed, threads: usize) -> Result<Self, InputError> {
        let pool = (threads > 1).then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build());
        let pool = pool
            .transpose()
            .map_err(|error| InputError::malformed("number of threads", &threads.to_string(), error.to_string()))?;
        let running = |number: usize| {
            let [rng, policy] = streams(seed, number);
            Running {
                state: rules.start.clone(),
                rng,
                policy,
                legal: Legal::default(),
                over: false,
                chosen: None,
                reward: 0.0,
                terminated: false,
            }
        };
        let games = (0..games).map(running).collect();
        Ok(Self { rules, games, pool })
    }

    fn run(&mut self, work: Work<'_>, output: Output<'_>) {
        let (planes, actions) = (self.rules.plane_numbers(), self.rules.encoder.moves());
        let rules = &*self.rules;
        let mut parts = Vec::with_capacity(self.games.len().div_ceil(PART));
        let mut rest = output;
        for (number, games) in self.games.chunks_mut(PART).enumerate() {
            let length = games.len();
            let (output, after) = rest.split(length, planes, actions);
            parts.push(Part { first: number * PART, games, output });
            rest = after;
        }
        match &self.pool {
            Some(pool) => pool.install(|| parts.into_par_iter().for_each(|part| part.run(rules, work))),
            None => parts.into_iter().for_each(|part| part.run(rules, work)),
        }
    }
}

/// The random streams of a game: for chance, and for random actions.
fn streams(seed: Seed, number: usize) -> [Rng; 2] {
    ["chance", "policy"].map(|name| seed.numbered(number as u64).named(name).rng())
}

impl Output<'_> {
    /// What belongs to the first so many games, and the rest.
    fn split(self, games: usize, planes: usize, actions: usize) -> (Self, Self) {
        fn cut<T>(slice: Option<&mut [T]>, at: usize) -> (Option<&mut [T]>, Option<&mut [T]>) {
            slice.map(|slice| slice.split_at_mut(at)).unzip()
        }
        let (planes, more_planes) = cut(self.planes, games * planes);
        let (masks, more_masks) = cut(self.masks, games * actions);
        let (players, more_players) = cut(self.players, games);
        let (rewards, more_rewards) = cut(self.rewards, 2 * games);
        let (terminated, more_terminated) = cut(self.terminated, games);
        (
            Self { planes, masks, players, rewards, terminated },
            Self {
                planes: more_planes,
                masks: more_masks,
                players: more_players,
                rewards: more_rewards,
                terminated: more_terminated,
            },
        )
    }
}

impl<G: PlayableGame> Part<'_, G> {
    fn run(self, rules: &TypedRules<G>, work: Work<'_>) {
        let Self { first, games, mut output } = self;
        let (numbers, actions) = (rules.plane_numbers(), rules.encoder.moves());
        let (mut planes, mut scratch) = (Vec::new(), Scratch::default());
        for (place, game) in games.iter_mut().enumerate() {
            match work {
                Work::Reset(Some(which)) if !which[first + place] => {}
                Work::Reset(_) => {
                    game.begin(rules, &mut scratch);
                    (game.reward, game.terminated) = (0.0, false);
                }
                Work::Step(autoreset) => game.advance(rules, autoreset, &mut scratch),
            }
            rules.list(&game.state, &mut game.legal);
            if let Some(written) = &mut output.planes {
                rules.encode(&game.state, &mut planes);
                written[place * numbers..][..numbers].copy_from_slice(&planes);
            }
            if let Some(written) = &mut output.masks {
                let mask = &mut written[place * actions..][..actions];
                mask.fill(false);
                game.legal.numbered.iter().for_each(|&(action, _)| mask[action as usize] = true);
            }
            if let Some(written) = &mut output.players {
                written[place] = match rules.game.turn(&game.state) {
                    Turn::Player(player) => player.index() as i8,
                    Turn::Chance | Turn::Over(_) => TERMINAL,
                };
            }
            if let Some(written) = &mut output.rewards {
                written[2 * place] = game.reward;
                written[2 * place + 1] = -game.reward;
            }
            if let Some(written) = &mut output.terminated {
                written[place] = game.terminated;
            }
        }
    }
}

impl<G: PlayableGame> Running<G> {
    fn begin(&mut self, rules: &TypedRules<G>, scratch: &mut Scratch<G::Move>) {
        self.state = rules.start.clone();
        self.over = false;
        self.settle(rules, scratch);
    }

    /// Lets chance do what is due.
    fn settle(&mut self, rules: &TypedRules<G>, scratch: &mut Scratch<G::Move>) -> Turn {
        loop {
            let turn = rules.game.turn(&self.state);
            if turn != Turn::Chance {
                return turn;
            }
            let outcome = rules.game.random_outcome(&self.state, &mut self.rng, scratch);
            rules.game.play(&mut self.state, outcome);
        }
    }

    fn advance(&mut self, rules: &TypedRules<G>, autoreset: Autoreset, scratch: &mut Scratch<G::Move>) {
        (self.reward, self.terminated) = (0.0, false);
        let Some(mv) = self.chosen.take() else {
            // It is over, and chosen is nothing: this step begins it again.
            self.begin(rules, scratch);
            return;
        };
        rules.game.play(&mut self.state, mv);
        if let Turn::Over(outcome) = self.settle(rules, scratch) {
            (self.reward, self.terminated) = (outcome.value() * Player::First.sign(), true);
            match autoreset {
                Autoreset::SameStep => self.begin(rules, scratch),
                Autoreset::NextStep | Autoreset::Disabled => self.over = true,
            }
        }
    }
}

impl<G: PlayableGame> Batch for TypedBatch<G> {
    fn reset(&mut self, seed: Option<Seed>, which: Option<&[bool]>, output: Output<'_>) {
        if let Some(seed) = seed {
            for (number, game) in self.games.iter_mut().enumerate() {
                if which.is_none_or(|which| which[number]) {
                    [game.rng, game.policy] = streams(seed, number);
                }
            }
        }
        self.run(Work::Reset(which), output);
    }

    fn step(&mut self, actions: &[i64], autoreset: Autoreset, output: Output<'_>) -> Result<(), InputError> {
        let rules = &*self.rules;
        for (number, (game, &action)) in self.games.iter_mut().zip(actions).enumerate() {
            game.chosen = match (game.over, autoreset) {
                (false, _) => {
                    let action = u32::try_from(action).unwrap_or(u32::MAX);
                    let found = rules.find(&game.state, &game.legal, action);
                    Some(found.map_err(|error| InputError::malformed("actions", &format!("game {number}"), error.to_string()))?)
                }
                (true, Autoreset::NextStep) => None,
                (true, _) => {
                    let why = "it is over; expected a reset of it (reset(mask=...)), or another autoreset mode";
                    return Err(InputError::malformed("actions", &format!("game {number}"), why));
                }
            };
        }
        self.run(Work::Step(autoreset), output);
        Ok(())
    }

    fn random_actions(&mut self, actions: &mut [i64]) {
        for (game, action) in self.games.iter_mut().zip(actions) {
            let legal = &game.legal.numbered;
            *action = if legal.is_empty() { 0 } else { i64::from(legal[game.policy.below(legal.len() as u32) as usize].0) };
        }
    }

    fn position(&self, game: usize) -> String {
        self.rules.game.position_text(&self.games[game].state)
    }
}
