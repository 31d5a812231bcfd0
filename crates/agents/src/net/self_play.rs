//! Games to learn from: a network against itself, or an agent that is already good.

use plyground_core::{
    Agent, AgentError, Budget, CancelToken, Encoder, Limits, NoClock, NoObserver, PlayableGame, Player, Rng, Scratch,
    SearchRequest, Turn, Viewpoint,
};
use plyground_nets::{Batch, NetError};

use super::evaluator::NetEvaluator;
use super::gumbel;
use super::search::{NetSearcher, Settings};
use super::tree::{ROOT, Tree};

/// A game to learn from. Moves are numbers in the lists of the rules, so it means nothing without them, and takes little room.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfPlayGame {
    /// The number of the move, or of the chance outcome, that was played in each position.
    pub moves: Vec<u16>,
    /// The result in the first player's view: -1, 0 or 1.
    pub result: f32,
    /// The training targets.
    pub targets: Vec<Target>,
    /// Judgements that the game took.
    pub judgements: u64,
}

/// The training target of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Moves before it.
    pub ply: u16,
    /// The number of legal moves.
    pub moves: u16,
    /// The policy target: numbers of moves with their probabilities.
    pub policy: Vec<(u16, f32)>,
    /// The value of the search, in the first player's view.
    pub value: f32,
    /// Is the value exact?
    pub certain: bool,
}

impl Target {
    /// What is less likely is left out: nothing is learnt from it, and it takes room.
    const LEAST: f32 = 1e-3;

    fn new(ply: usize, policy: &[f32], value: f32, certain: bool) -> Self {
        let greatest = policy.iter().copied().fold(0.0, f32::max);
        let numbered = (0..).zip(policy.iter().copied());
        let mut kept: Vec<(u16, f32)> = numbered.filter(|&(_, share)| share >= Self::LEAST.min(greatest)).collect();
        let sum: f32 = kept.iter().map(|(_, share)| share).sum();
        for (_, share) in &mut kept {
            *share /= sum;
        }
        Self { ply: ply as u16, moves: policy.len() as u16, policy: kept, value, certain }
    }
}

/// The settings of self-play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelfPlay {
    /// Simulations for a move that is learnt from.
    pub full: u32,
    /// For the others, which only bring the game forward (playout cap randomisation; Wu, 2019).
    pub fast: u32,
    /// The share of the moves that are learnt from.
    pub full_share: f64,
    /// The most random moves at the beginning of a game; how many is drawn for each game.
    pub random_plies: u32,
    /// The switches of the search.
    pub settings: Settings,
}

impl Default for SelfPlay {
    fn default() -> Self {
        Self { full: 128, fast: 24, full_share: 0.33, random_plies: 4, settings: Settings::default() }
    }
}

/// Games without progress are ended and not learnt from.
const LONGEST: usize = 2_000;

/// A game on its way.
struct Play<'a, G: PlayableGame> {
    game: &'a G,
    state: G::State,
    moves: Vec<u16>,
    scratch: Scratch<G::Move>,
}

impl<'a, G: PlayableGame> Play<'a, G> {
    fn new(game: &'a G) -> Self {
        Self { game, state: game.start(), moves: Vec::new(), scratch: Scratch::default() }
    }

    /// Lets chance do what it has to, and says who is to move; an error holds the result.
    fn turn(&mut self, rng: &mut Rng) -> Result<Player, f32> {
        loop {
            match self.game.turn(&self.state) {
                Turn::Over(outcome) => return Err(outcome.value()),
                Turn::Player(player) => {
                    self.game.moves(&self.state, &mut self.scratch.moves);
                    return Ok(player);
                }
                Turn::Chance => {
                    let outcome = self.game.random_outcome(&self.state, rng, &mut self.scratch);
                    self.game.chance(&self.state, &mut self.scratch.outcomes);
                    let number = self.scratch.outcomes.iter().position(|&(possible, _)| possible == outcome);
                    self.moves.push(number.expect("what chance does is among what it can do") as u16);
                    self.game.play(&mut self.state, outcome);
                }
            }
        }
    }

    /// Plays the legal move with this number.
    fn play(&mut self, number: usize) {
        self.game.play(&mut self.state, self.scratch.moves[number]);
        self.moves.push(number as u16);
    }

    /// Begins with some random moves, so that no two games are the same.
    fn open(&mut self, most: u32, rng: &mut Rng) {
        for _ in 0..rng.below(most + 1) {
            let (before, moves) = (self.state.clone(), self.moves.len());
            if self.turn(rng).is_err() {
                break;
            }
            self.play(rng.below(self.scratch.moves.len() as u32) as usize);
            if matches!(self.game.turn(&self.state), Turn::Over(_)) {
                // A game that is over before it has begun teaches nothing.
                self.state = before;
                self.moves.truncate(moves);
                break;
            }
        }
    }
}

/// Plays a game against itself. `None` if it was cancelled.
pub fn play<G: PlayableGame>(
    game: &G,
    net: &mut NetEvaluator<G>,
    how: &SelfPlay,
    rng: &mut Rng,
    cancel: &CancelToken,
) -> Option<SelfPlayGame> {
    let mut play = Play::new(game);
    let mut searcher = NetSearcher::new(game, how.settings, None);
    let mut tree = Tree::new();
    let mut targets = Vec::new();
    let before = net.judgements();
    play.open(how.random_plies, rng);
    let result = loop {
        if cancel.is_cancelled() || play.moves.len() > LONGEST {
            return None;
        }
        if let Err(result) = play.turn(rng) {
            break result;
        }
        if play.scratch.moves.len() == 1 {
            play.play(0);
            continue;
        }
        let full = rng.unit() < how.full_share;
        tree.clear();
        let simulations = if full { how.full } else { how.fast };
        let verdict = gumbel::search(&mut searcher, &mut tree, net, &play.state, simulations, rng);
        let certain = tree.node(ROOT).proof.is_some();
        if full || certain {
            targets.push(Target::new(play.moves.len(), &verdict.policy, verdict.value, certain));
        }
        if certain {
            // The rest is known: both would only play it out.
            break verdict.value;
        }
        let number = verdict.edge - tree.node(ROOT).first as usize;
        play.play(number);
    };
    Some(SelfPlayGame { moves: play.moves, result, targets, judgements: net.judgements() - before })
}

/// Lets an agent play against itself and keeps what it thought of the moves. `None` if it was cancelled.
pub fn teach<G: PlayableGame>(
    game: &G,
    agent: &mut dyn Agent<G>,
    limits: Limits,
    random_plies: u32,
    rng: &mut Rng,
    cancel: &CancelToken,
) -> Result<Option<SelfPlayGame>, AgentError> {
    let mut play = Play::new(game);
    let mut targets = Vec::new();
    play.open(random_plies, rng);
    let result = loop {
        if cancel.is_cancelled() || play.moves.len() > LONGEST {
            return Ok(None);
        }
        let mover = match play.turn(rng) {
            Err(result) => break result,
            Ok(mover) => mover,
        };
        let budget = Budget { limits, clock: &NoClock };
        let choice = agent.choose(SearchRequest { game, state: &play.state, budget, rng, observer: &mut NoObserver })?;
        let visits =
            |mv: G::Move| choice.candidates.iter().find(|candidate| candidate.mv == mv).map_or(0, |candidate| candidate.visits);
        let all: u64 = choice.candidates.iter().map(|candidate| candidate.visits).sum();
        let moves = &play.scratch.moves;
        let policy: Vec<f32> = match all {
            0 => moves.iter().map(|&mv| f32::from(u8::from(mv == choice.mv))).collect(),
            _ => moves.iter().map(|&mv| visits(mv) as f32 / all as f32).collect(),
        };
        let number = moves.iter().position(|&mv| mv == choice.mv).expect("an agent chooses a legal move");
        let value = choice.value.unwrap_or(0.0) * mover.sign();
        targets.push(Target::new(play.moves.len(), &policy, value, false));
        play.play(number);
    };
    Ok(Some(SelfPlayGame { moves: play.moves, result, targets, judgements: 0 }))
}

fn unfit() -> NetError {
    NetError::Input("a game that the rules do not allow".to_owned())
}

/// A position of a self-play game, and the player to move. An error if the record does not fit the game.
pub fn position<G: PlayableGame>(game: &G, record: &SelfPlayGame, target: usize) -> Result<(G::State, Player), NetError> {
    let target = &record.targets[target];
    let (mut state, mut scratch) = (game.start(), Scratch::default());
    for &number in record.moves.get(..target.ply.into()).ok_or_else(unfit)? {
        let number = usize::from(number);
        let mv = match game.turn(&state) {
            Turn::Over(_) => return Err(unfit()),
            Turn::Player(_) => {
                game.moves(&state, &mut scratch.moves);
                scratch.moves.get(number).copied()
            }
            Turn::Chance => {
                game.chance(&state, &mut scratch.outcomes);
                scratch.outcomes.get(number).map(|&(outcome, _)| outcome)
            }
        };
        game.play(&mut state, mv.ok_or_else(unfit)?);
    }
    let Turn::Player(mover) = game.turn(&state) else { return Err(unfit()) };
    game.moves(&state, &mut scratch.moves);
    if scratch.moves.len() == usize::from(target.moves) { Ok((state, mover)) } else { Err(unfit()) }
}

/// Adds a position of a self-play game to a batch, seen through one of the symmetries of the game. The value to learn is between the
/// result (`trust` 0) and what the search expected (1). An error if the record does not fit the game.
pub fn fill<G: PlayableGame>(
    game: &G,
    encoder: &dyn Encoder<G>,
    record: &SelfPlayGame,
    target: usize,
    symmetry: u8,
    trust: f32,
    batch: &mut Batch,
) -> Result<(), NetError> {
    let (state, mover) = position(game, record, target)?;
    let target = &record.targets[target];
    let mut scratch = Scratch::default();
    game.moves(&state, &mut scratch.moves);
    let seen = game.symmetric_state(&state, symmetry);
    let mut shares = vec![0.0; scratch.moves.len()];
    for &(number, share) in &target.policy {
        *shares.get_mut(usize::from(number)).ok_or_else(unfit)? = share;
    }
    let (mut planes, mut indices, mut policy) = (Vec::new(), Vec::new(), Vec::new());
    encoder.encode(game, &seen, &mut planes);
    for (&mv, share) in scratch.moves.iter().zip(shares) {
        if let Some(index) = encoder.move_index(game, &seen, game.symmetric_move(mv, symmetry)) {
            indices.push(index);
            policy.push(share);
        }
    }
    let sum: f32 = policy.iter().sum();
    if sum > 0.0 {
        for share in &mut policy {
            *share /= sum;
        }
    } else {
        (indices, policy) = (Vec::new(), Vec::new());
    }
    let value = if target.certain { target.value } else { record.result + trust * (target.value - record.result) };
    let value = if encoder.viewpoint() == Viewpoint::Mover { value * mover.sign() } else { value };
    batch.push_result(&planes, &indices, &policy, value)
}
