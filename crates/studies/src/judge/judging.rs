//! How good is a way of choosing moves, measured by what positions are really worth? No games are played: the solver knows the truth.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::time::Duration;

use plyground_agents::{AgentSpec, Lookahead};
use plyground_core::{
    Budget, Clock, ExactSolver, Game, GameValue, InputError, NoObserver, Outcome, PlayableGame, Player, Resources, Scratch,
    SearchRequest, Seed, StopCheck, Turn, Visitor,
};
use plyground_session::{build_agent, build_solver};

/// Somebody whose choices are judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contender {
    /// What to call it.
    pub name: String,
    /// The agent that chooses where the first player is to move, and the one where the second is; most often the same. An evaluation
    /// is judged as an agent that looks a fixed number of plies ahead with it: `minimax:depth=1,eval=NAME`.
    pub specs: [String; 2],
}

/// What is to be judged, and on which positions.
pub struct JudgeOrder<'a> {
    /// Who.
    pub contenders: &'a [Contender],
    /// If no more positions than this can be reached, all are looked at.
    pub most: usize,
    /// Otherwise so many, each from a random game of its own.
    pub sample: usize,
    /// Of the sample, and of agents that choose by chance.
    pub seed: Seed,
    /// The memory of the solver, in megabytes.
    pub memory: usize,
    /// A sample that takes longer to solve ends early.
    pub time: Duration,
    /// Starts a clock.
    pub clock: &'a dyn Fn() -> Box<dyn Clock>,
}

/// What takes its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeStage {
    /// Positions are looked for.
    Listing,
    /// They are solved.
    Solving,
    /// The contenders choose.
    Judging,
}

/// Told how many of how many are done (0 where nobody knows); `Break` ends it.
pub type JudgeWatch<'a> = dyn FnMut(JudgeStage, u64, u64) -> ControlFlow<()> + 'a;

/// A choice, measured by the truth. Of moves that look equally good to an evaluation each is as likely; of other agents one choice is
/// measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// How likely it is that a best move is chosen: one that keeps what the position is worth.
    pub best: f64,
    /// What is thrown away, in points (a win is 1, a draw a half), on the average.
    pub loss: f64,
}

/// A position as it really is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Truth {
    /// Who is to move.
    pub mover: Player,
    /// What the position is worth to the player to move.
    pub worth: GameValue,
    /// How long a won or lost game lasts with best play; known where all positions were looked at.
    pub plies: Option<u32>,
    /// Is there a move that throws something away?
    pub can_err: bool,
    /// How often a random game comes by; where positions were drawn from random games, 1.
    pub reach: f64,
}

/// What a contender made of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// How its choice does.
    pub verdict: Verdict,
    /// What an evaluation says of the position itself, in the first player's view; other agents do not say it.
    pub said: Option<f32>,
    /// What it says after looking ahead, in the first player's view, where it has an opinion.
    pub seen: Option<f32>,
}

/// The outcome of judging.
#[derive(Clone, Debug, Default)]
pub struct Judging {
    /// The positions.
    pub truths: Vec<Truth>,
    /// By contender, what it made of each position.
    pub judged: Vec<Vec<Judged>>,
    /// By contender, is all that it could choose known, so that nothing depends on a draw?
    pub exact: Vec<bool>,
    /// Are these all positions that can be reached?
    pub all: bool,
    /// Positions that the solver gave up, and that are not among these.
    pub given_up: usize,
    /// Where all positions are known: the points that a contender moving first (row) takes on the average from one moving second
    /// (column), exactly, without playing. Only those of which all choices are known are there.
    pub scores: Option<Vec<Vec<f64>>>,
}

/// The agent whose choices are known without asking.
const RANDOM: &str = "random";

/// A position that the solver has not finished after so many steps is left out of a sample.
const PATIENCE: u64 = 1_000_000;

/// Told how far it is every so many positions.
const EVERY: usize = 64;

/// Someone has said stop.
struct Stopped;

/// The choices of evaluations and agents, in the positions that can follow this one (by default the start of the game), measured by
/// what the positions are really worth; `None` if the watch said stop.
pub fn judge(
    game: &str,
    position: Option<&str>,
    order: &JudgeOrder<'_>,
    shelf: &dyn Resources,
    watch: &mut JudgeWatch<'_>,
) -> Result<Option<Judging>, InputError> {
    struct Judge<'a, 'b, 'c> {
        order: &'a JudgeOrder<'b>,
        shelf: &'a dyn Resources,
        watch: &'a mut JudgeWatch<'c>,
    }
    impl Visitor for Judge<'_, '_, '_> {
        type Output = Result<Option<Judging>, InputError>;
        fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Self::Output {
            judge_game(&game, &state, self.order, self.shelf, self.watch)
        }
    }
    plyground_games::open(game, position, Judge { order, shelf, watch })?
}

fn judge_game<G: PlayableGame>(
    game: &G,
    start: &G::State,
    order: &JudgeOrder<'_>,
    shelf: &dyn Resources,
    watch: &mut JudgeWatch<'_>,
) -> Result<Option<Judging>, InputError> {
    let mut solver = build_solver(game, order.memory.saturating_mul(1_000_000))?;
    let seated = |contender: &Contender| {
        let [first, second] = contender.specs.each_ref().map(|spec| Chooser::new(game, spec, shelf));
        Ok([first?, second?])
    };
    let mut contenders = order.contenders.iter().map(seated).collect::<Result<Vec<_>, InputError>>()?;
    let is_exact = |chooser: &Chooser<'_, G>| !matches!(chooser, Chooser::Agent { .. });
    let exact: Vec<bool> = contenders.iter().map(|choosers| choosers.iter().all(is_exact)).collect();
    let mut judge = || {
        let judging = match explore(game, start, order.most, watch)? {
            Some(graph) => judge_all(game, &graph, &mut *solver, (&mut contenders, &exact), order, watch)?,
            None => judge_sample(game, start, &mut *solver, &mut contenders, order, watch)?,
        };
        Ok(Judging { exact: exact.clone(), ..judging })
    };
    Ok(judge().map_err(|Stopped| ()).ok())
}

fn told(watch: &mut JudgeWatch<'_>, stage: JudgeStage, done: usize, of: usize) -> Result<(), Stopped> {
    if done.is_multiple_of(EVERY) && watch(stage, done as u64, of as u64).is_break() {
        return Err(Stopped);
    }
    Ok(())
}

/// A contender that can be asked, in one of the seats.
enum Chooser<'a, G: PlayableGame> {
    /// Of an evaluation, all is known.
    Lookahead {
        lookahead: Lookahead<G, G::Evaluator>,
        depth: u32,
    },
    /// Any move, each as likely.
    Random,
    Agent {
        spec: AgentSpec,
        shelf: &'a dyn Resources,
    },
}

/// What a contender thinks of the moves of a position.
struct Thinking {
    /// The numbers of those that it may choose, each as likely.
    chosen: Vec<usize>,
    said: Option<f32>,
    seen: Option<f32>,
}

impl<'a, G: PlayableGame> Chooser<'a, G> {
    fn new(game: &G, spec: &str, shelf: &'a dyn Resources) -> Result<Self, InputError> {
        let spec = AgentSpec::parse(spec, game)?;
        build_agent(&spec, game, shelf)?;
        Ok(match spec.fixed_lookahead(game)? {
            Some((evaluator, depth)) => Self::Lookahead { lookahead: Lookahead::new(evaluator), depth },
            None if spec.text() == RANDOM => Self::Random,
            None => Self::Agent { spec, shelf },
        })
    }

    fn think(&mut self, game: &G, state: &G::State, mover: Player, moves: &[G::Move], draw: Draw<'_>) -> Thinking {
        match self {
            Self::Lookahead { lookahead, depth } => {
                let mut scores = Vec::new();
                lookahead.score_moves(game, state, moves, *depth, &mut scores);
                let best = scores.iter().map(|score| score * mover.sign()).fold(f32::NEG_INFINITY, f32::max) * mover.sign();
                let chosen = (0..moves.len()).filter(|&number| scores[number] == best).collect();
                Thinking { chosen, said: Some(lookahead.judge(game, state)), seen: Some(best) }
            }
            Self::Random => Thinking { chosen: (0..moves.len()).collect(), said: None, seen: None },
            Self::Agent { spec, shelf } => {
                let agent = build_agent(spec, game, *shelf).and_then(|agent| Ok((agent, spec.limits()?)));
                let (mut agent, limits) = agent.expect("it could be made before");
                let clock = (draw.clock)();
                let budget = Budget { limits, clock: clock.as_ref() };
                let thought = SearchRequest { game, state, budget, rng: &mut draw.seed.rng(), observer: &mut NoObserver };
                let choice = agent.choose(thought).expect("a player is to move");
                let chosen = (0..moves.len()).filter(|&number| moves[number] == choice.mv).collect();
                Thinking { chosen, said: None, seen: choice.value.map(|value| value * mover.sign()) }
            }
        }
    }
}

/// What an agent has to choose with.
#[derive(Clone, Copy)]
struct Draw<'a> {
    seed: Seed,
    clock: &'a dyn Fn() -> Box<dyn Clock>,
}

fn points(worth: GameValue) -> f64 {
    0.5 + 0.5 * f64::from(worth.value())
}

/// How a choice does among moves that lead to these worths for the player who moves.
fn verdict(after: &[GameValue], chosen: &[usize]) -> Verdict {
    let best = after.iter().copied().max().unwrap_or(GameValue::Loss);
    let share =
        |value: &dyn Fn(GameValue) -> f64| chosen.iter().map(|&number| value(after[number])).sum::<f64>() / chosen.len() as f64;
    Verdict { best: share(&|worth| f64::from(u8::from(worth == best))), loss: share(&|worth| points(best) - points(worth)) }
}

fn truth(mover: Player, after: &[GameValue]) -> Truth {
    let worth = after.iter().copied().max().unwrap_or(GameValue::Loss);
    let can_err = after.iter().any(|&after| after < worth);
    Truth { mover, worth, plies: None, can_err, reach: 1.0 }
}

// All positions.

/// What a move leads to: a position by its number, or an end.
#[derive(Clone, Copy)]
enum Next {
    Position(u32),
    End(Outcome),
}

/// All positions that can be reached in which a player is to move.
struct Graph<S> {
    states: Vec<S>,
    movers: Vec<Player>,
    /// By position, what its moves lead to, in the order of the moves.
    next: Vec<Box<[Next]>>,
    /// The positions, each behind all that can follow it. Where a position can come again there is no such order.
    order: Option<Vec<u32>>,
}

/// Depth first, with a stack of its own: games may be long. `None` if there are more than `most` positions, or chance plays.
fn explore<G: Game>(
    game: &G,
    start: &G::State,
    most: usize,
    watch: &mut JudgeWatch<'_>,
) -> Result<Option<Graph<G::State>>, Stopped> {
    let mut graph = Graph { states: Vec::new(), movers: Vec::new(), next: Vec::new(), order: None };
    let mut numbers: HashMap<G::State, u32> = HashMap::new();
    let Turn::Player(mover) = game.turn(start) else { return Ok(None) };
    if most == 0 {
        return Ok(None);
    }
    numbers.insert(start.clone(), 0);
    graph.states.push(start.clone());
    graph.movers.push(mover);
    let mut done = vec![false];
    let (mut order, mut circular) = (Vec::new(), false);
    let mut moves = Vec::new();
    let mut open: Vec<(u32, Vec<Next>, Vec<G::Move>)> = Vec::new();
    let mut enter = Some(0_u32);
    loop {
        if let Some(number) = enter.take() {
            game.moves(&graph.states[number as usize], &mut moves);
            moves.reverse();
            open.push((number, Vec::with_capacity(moves.len()), moves.clone()));
        }
        let Some((number, next, left)) = open.last_mut() else { break };
        let Some(mv) = left.pop() else {
            let (number, next, _) = open.pop().expect("it is there");
            done[number as usize] = true;
            graph.next.resize_with(graph.states.len(), Box::default);
            graph.next[number as usize] = next.into_boxed_slice();
            order.push(number);
            continue;
        };
        let mut child = graph.states[*number as usize].clone();
        game.play(&mut child, mv);
        let mover = match game.turn(&child) {
            Turn::Over(outcome) => {
                next.push(Next::End(outcome));
                continue;
            }
            Turn::Chance => return Ok(None),
            Turn::Player(mover) => mover,
        };
        match numbers.entry(child) {
            Entry::Occupied(known) => {
                circular |= !done[*known.get() as usize];
                next.push(Next::Position(*known.get()));
            }
            Entry::Vacant(new) => {
                let count = graph.states.len();
                if count == most {
                    return Ok(None);
                }
                next.push(Next::Position(count as u32));
                graph.states.push(new.key().clone());
                graph.movers.push(mover);
                done.push(false);
                enter = Some(*new.insert(count as u32));
                told(watch, JudgeStage::Listing, count, 0)?;
            }
        }
    }
    graph.order = (!circular).then_some(order);
    Ok(Some(graph))
}

/// Passes on what the solver says.
struct Relay<'a, 'b> {
    watch: &'a mut JudgeWatch<'b>,
    done: u64,
    of: u64,
    stopped: bool,
    /// The count of steps at which the solver gives up, and the time.
    last: u64,
    late: &'a dyn Fn() -> bool,
}

impl StopCheck for Relay<'_, '_> {
    fn check(&mut self, nodes: u64) -> ControlFlow<()> {
        self.stopped |= (self.watch)(JudgeStage::Solving, self.done, self.of).is_break();
        if self.stopped || nodes > self.last || (self.late)() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn judge_all<G: PlayableGame>(
    game: &G,
    graph: &Graph<G::State>,
    solver: &mut dyn ExactSolver<G>,
    (contenders, exact): (&mut [[Chooser<'_, G>; 2]], &[bool]),
    order: &JudgeOrder<'_>,
    watch: &mut JudgeWatch<'_>,
) -> Result<Judging, Stopped> {
    let count = graph.states.len();
    let mut worths = vec![GameValue::Loss; count];
    // Those that are near the end come first: the others are then a look into the solver's table.
    let from_the_end: Vec<u32> = graph.order.clone().unwrap_or_else(|| (0..count as u32).rev().collect());
    for (solved, &number) in from_the_end.iter().enumerate() {
        told(watch, JudgeStage::Solving, solved, count)?;
        let mut pulse = Relay { watch, done: solved as u64, of: count as u64, stopped: false, last: u64::MAX, late: &|| false };
        let worth = solver.value(game, &graph.states[number as usize], &mut pulse);
        worths[number as usize] = worth.ok_or(Stopped)?;
    }
    let after = |number: usize| -> Vec<GameValue> {
        let mover = graph.movers[number];
        let worth = |next: &Next| match *next {
            Next::End(outcome) => GameValue::of(outcome, mover),
            // Not every game lets the players move in turn.
            Next::Position(child) if graph.movers[child as usize] == mover => worths[child as usize],
            Next::Position(child) => worths[child as usize].opposite(),
        };
        graph.next[number].iter().map(worth).collect()
    };
    let mut truths: Vec<Truth> = (0..count).map(|number| truth(graph.movers[number], &after(number))).collect();
    if let Some(order) = &graph.order {
        graph.measure(order, &mut truths);
    }
    let mut judging = Judging { truths, all: true, ..Judging::default() };
    let mut choices: Vec<Vec<Box<[u32]>>> = Vec::new();
    let mut moves = Vec::new();
    let total = contenders.len() * count;
    for (who, contender) in contenders.iter_mut().enumerate() {
        let (mut judged, mut chosen) = (Vec::with_capacity(count), Vec::new());
        for number in 0..count {
            told(watch, JudgeStage::Judging, who * count + number, total)?;
            let (state, mover) = (&graph.states[number], graph.movers[number]);
            game.moves(state, &mut moves);
            let draw = Draw { seed: order.seed.named("choice").numbered(number as u64), clock: order.clock };
            let thinking = contender[mover.index()].think(game, state, mover, &moves, draw);
            judged.push(Judged { verdict: verdict(&after(number), &thinking.chosen), said: thinking.said, seen: thinking.seen });
            if exact[who] {
                chosen.push(thinking.chosen.iter().map(|&number| number as u32).collect());
            }
        }
        judging.judged.push(judged);
        if exact[who] {
            choices.push(chosen);
        }
    }
    if let Some(order) = graph.order.as_ref().filter(|_| !choices.is_empty()) {
        let scores = |first| choices.iter().map(|second| graph.score(order, [first, second])).collect();
        judging.scores = Some(choices.iter().map(scores).collect());
    }
    Ok(judging)
}

impl<S> Graph<S> {
    /// How long decided games last, and how often random games come by.
    fn measure(&self, order: &[u32], truths: &mut [Truth]) {
        for &number in order {
            let Truth { mover, worth, .. } = truths[number as usize];
            let winner = match worth {
                GameValue::Win => mover,
                GameValue::Loss => mover.other(),
                GameValue::Draw => continue,
            };
            let length = |next: &Next| match *next {
                Next::End(outcome) => (outcome.winner == Some(winner)).then_some(1),
                Next::Position(child) => {
                    let child = &truths[child as usize];
                    let wins = if child.mover == winner { GameValue::Win } else { GameValue::Loss };
                    child.plies.filter(|_| child.worth == wins).map(|plies| plies + 1)
                }
            };
            let lengths = self.next[number as usize].iter().filter_map(length);
            // The winner takes the fastest way, the loser the slowest.
            truths[number as usize].plies = if winner == mover { lengths.min() } else { lengths.max() };
        }
        for truth in truths.iter_mut() {
            truth.reach = 0.0;
        }
        truths[0].reach = 1.0;
        for &number in order.iter().rev() {
            let next = &self.next[number as usize];
            let share = truths[number as usize].reach / next.len() as f64;
            for next in next {
                if let Next::Position(child) = next {
                    truths[*child as usize].reach += share;
                }
            }
        }
    }

    /// The points that the first player takes on the average, if each player chooses one of these moves, all as likely.
    fn score(&self, order: &[u32], choices: [&Vec<Box<[u32]>>; 2]) -> f64 {
        let mut scores = vec![0.0; self.states.len()];
        for &number in order {
            let number = number as usize;
            let chosen = &choices[self.movers[number].index()][number];
            let points = chosen.iter().map(|&mv| match self.next[number][mv as usize] {
                Next::End(outcome) => f64::from(outcome.reward(Player::First)),
                Next::Position(child) => scores[child as usize],
            });
            scores[number] = points.sum::<f64>() / chosen.len() as f64;
        }
        scores[0]
    }
}

// A sample.

/// A position of a random game, each of those in which a player is to move as likely as the others.
fn drawn<G: Game>(game: &G, start: &G::State, seed: Seed) -> Option<(G::State, Player)> {
    let mut rng = seed.rng();
    let mut scratch = Scratch::default();
    let mut state = start.clone();
    let mut come_by = Vec::new();
    loop {
        let mv = match game.turn(&state) {
            Turn::Over(_) => break,
            Turn::Chance => game.random_outcome(&state, &mut rng, &mut scratch),
            Turn::Player(mover) => {
                come_by.push((state.clone(), mover));
                game.random_move(&state, &mut rng, &mut scratch)
            }
        };
        game.play(&mut state, mv);
    }
    if come_by.is_empty() {
        return None;
    }
    Some(come_by.swap_remove(rng.below(come_by.len() as u32) as usize))
}

fn judge_sample<G: PlayableGame>(
    game: &G,
    start: &G::State,
    solver: &mut dyn ExactSolver<G>,
    contenders: &mut [[Chooser<'_, G>; 2]],
    order: &JudgeOrder<'_>,
    watch: &mut JudgeWatch<'_>,
) -> Result<Judging, Stopped> {
    let mut judging = Judging::default();
    let mut positions = Vec::new();
    let mut moves = Vec::new();
    let clock = (order.clock)();
    let late = || clock.elapsed() > order.time;
    for number in 0..order.sample {
        told(watch, JudgeStage::Solving, number, order.sample)?;
        let Some((state, mover)) = drawn(game, start, order.seed.named("position").numbered(number as u64)) else { break };
        game.moves(&state, &mut moves);
        let last = solver.nodes() + PATIENCE;
        let mut pulse = Relay { watch, done: number as u64, of: order.sample as u64, stopped: false, last, late: &late };
        let mut worth = |&mv: &G::Move| {
            let mut child = state.clone();
            game.play(&mut child, mv);
            match game.turn(&child) {
                Turn::Over(outcome) => Some(GameValue::of(outcome, mover)),
                Turn::Player(next) => {
                    let worth = solver.value(game, &child, &mut pulse)?;
                    Some(if next == mover { worth } else { worth.opposite() })
                }
                Turn::Chance => None,
            }
        };
        let after: Option<Vec<GameValue>> = moves.iter().map(&mut worth).collect();
        if pulse.stopped {
            return Err(Stopped);
        }
        // What was not finished for lack of time says nothing about itself.
        if late() && after.is_none() {
            break;
        }
        match after {
            Some(after) => {
                judging.truths.push(truth(mover, &after));
                positions.push((state, after));
            }
            None => judging.given_up += 1,
        }
        if late() {
            break;
        }
    }
    let total = contenders.len() * positions.len();
    for (who, contender) in contenders.iter_mut().enumerate() {
        let mut judged = Vec::with_capacity(positions.len());
        for (number, (state, after)) in positions.iter().enumerate() {
            told(watch, JudgeStage::Judging, who * positions.len() + number, total)?;
            game.moves(state, &mut moves);
            let draw = Draw { seed: order.seed.named("choice").numbered(number as u64), clock: order.clock };
            let mover = judging.truths[number].mover;
            let thinking = contender[mover.index()].think(game, state, mover, &moves, draw);
            judged.push(Judged { verdict: verdict(after, &thinking.chosen), said: thinking.said, seen: thinking.seen });
        }
        judging.judged.push(judged);
    }
    Ok(judging)
}
