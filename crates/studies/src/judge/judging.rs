//! Choices of moves measured against the exact values of positions. No games are played: the solver gives the values.

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

/// An agent (or one for each seat) whose choices are judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contender {
    /// What to call it.
    pub name: String,
    /// The agent that chooses where the first player is to move, and the one where the second is; most often the same. An evaluation
    /// is judged as an agent that looks a fixed number of plies ahead with it: `minimax:depth=1,eval=NAME`.
    pub specs: [String; 2],
}

/// The settings of a judgement: the contenders, and the positions they are judged on.
pub struct JudgeSettings<'a> {
    /// The contenders.
    pub contenders: &'a [Contender],
    /// If no more positions than this can be reached, all are judged.
    pub most: usize,
    /// Otherwise a sample of so many, each from a random game of its own.
    pub sample: usize,
    /// The seed of the sample, and of agents that choose by chance.
    pub seed: Seed,
    /// The memory of the solver, in megabytes.
    pub memory: usize,
    /// A sample that takes longer to solve ends early.
    pub time: Duration,
    /// Starts a clock.
    pub clock: &'a dyn Fn() -> Box<dyn Clock>,
}

/// A stage of judging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeStage {
    /// The reachable positions are listed.
    Listing,
    /// They are solved.
    Solving,
    /// The contenders choose.
    Judging,
}

/// A callback that is given the stage, how many are done and of how many (0 where that is not known); `Break` ends the judging.
pub type JudgeWatch<'a> = dyn FnMut(JudgeStage, u64, u64) -> ControlFlow<()> + 'a;

/// The quality of a choice, measured by the exact values. Of moves that look equally good to an evaluation each is as likely; of other
/// agents one choice is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChoiceQuality {
    /// The probability of a best move: one that keeps the value of the position.
    pub best: f64,
    /// The expected loss, in points (a win is 1, a draw a half).
    pub loss: f64,
}

/// The exact value of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Truth {
    /// The player to move.
    pub mover: Player,
    /// The value for the player to move.
    pub value: GameValue,
    /// The length of a won or lost game with best play; known where all positions were listed.
    pub plies: Option<u32>,
    /// Is there a move that is not a best move?
    pub can_err: bool,
    /// How often a random game comes by; where positions were drawn from random games, 1.
    pub reach: f64,
}

/// The judgement of a contender's choice in a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The quality of its choice.
    pub quality: ChoiceQuality,
    /// The evaluation of the position itself, in the first player's view; `None` for other agents.
    pub said: Option<f32>,
    /// The value after the search, in the first player's view, where the agent reports one.
    pub seen: Option<f32>,
}

/// The judged positions and choices.
#[derive(Clone, Debug, Default)]
pub struct Judging {
    /// The positions.
    pub truths: Vec<Truth>,
    /// By contender, the judgement of its choice in each position.
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

/// The agent whose choices are known without a search.
const RANDOM: &str = "random";

/// A position that the solver has not finished after so many steps is left out of a sample.
const PATIENCE: u64 = 1_000_000;

/// Positions between two calls of the watch.
const EVERY: usize = 64;

/// The watch ended the judging.
struct Stopped;

/// The choices of evaluations and agents, in the positions that can follow this one (by default the start of the game), measured by
/// the exact values of the positions; `None` if the watch ended it.
pub fn judge(
    game: &str,
    position: Option<&str>,
    settings: &JudgeSettings<'_>,
    resources: &dyn Resources,
    watch: &mut JudgeWatch<'_>,
) -> Result<Option<Judging>, InputError> {
    struct OpenGame<'a, 'b, 'c> {
        settings: &'a JudgeSettings<'b>,
        resources: &'a dyn Resources,
        watch: &'a mut JudgeWatch<'c>,
    }
    impl Visitor for OpenGame<'_, '_, '_> {
        type Output = Result<Option<Judging>, InputError>;
        fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Self::Output {
            judge_game(&game, &state, self.settings, self.resources, self.watch)
        }
    }
    plyground_games::open(game, position, OpenGame { settings, resources, watch })?
}

fn judge_game<G: PlayableGame>(
    game: &G,
    start: &G::State,
    settings: &JudgeSettings<'_>,
    resources: &dyn Resources,
    watch: &mut JudgeWatch<'_>,
) -> Result<Option<Judging>, InputError> {
    let mut solver = build_solver(game, settings.memory.saturating_mul(1_000_000))?;
    let seated = |contender: &Contender| {
        let [first, second] = contender.specs.each_ref().map(|spec| Chooser::new(game, spec, resources));
        Ok([first?, second?])
    };
    let mut contenders = settings.contenders.iter().map(seated).collect::<Result<Vec<_>, InputError>>()?;
    let is_exact = |chooser: &Chooser<'_, G>| !matches!(chooser, Chooser::Agent { .. });
    let exact: Vec<bool> = contenders.iter().map(|choosers| choosers.iter().all(is_exact)).collect();
    let mut judge = || {
        let judging = match explore(game, start, settings.most, watch)? {
            Some(graph) => judge_all(game, &graph, &mut *solver, (&mut contenders, &exact), settings, watch)?,
            None => judge_sample(game, start, &mut *solver, &mut contenders, settings, watch)?,
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

/// A contender in one of the seats.
enum Chooser<'a, G: PlayableGame> {
    /// An evaluation with a fixed lookahead: all moves that it may choose are known.
    Lookahead { lookahead: Lookahead<G, G::Evaluator>, depth: u32 },
    /// Any move, each as likely.
    Random,
    /// Any other agent: one choice is drawn.
    Agent { spec: AgentSpec, resources: &'a dyn Resources },
}

/// A contender's choice in a position.
struct ContenderChoice {
    /// The numbers of the moves that it may choose, each as likely.
    chosen: Vec<usize>,
    said: Option<f32>,
    seen: Option<f32>,
}

impl<'a, G: PlayableGame> Chooser<'a, G> {
    fn new(game: &G, spec: &str, resources: &'a dyn Resources) -> Result<Self, InputError> {
        let spec = AgentSpec::parse(spec, game)?;
        build_agent(&spec, game, resources)?;
        Ok(match spec.fixed_lookahead(game)? {
            Some((evaluator, depth)) => Self::Lookahead { lookahead: Lookahead::new(evaluator), depth },
            None if spec.text() == RANDOM => Self::Random,
            None => Self::Agent { spec, resources },
        })
    }

    fn think(
        &mut self,
        game: &G,
        state: &G::State,
        mover: Player,
        moves: &[G::Move],
        context: ChoiceContext<'_>,
    ) -> ContenderChoice {
        match self {
            Self::Lookahead { lookahead, depth } => {
                let mut scores = Vec::new();
                lookahead.score_moves(game, state, moves, *depth, &mut scores);
                let best = scores.iter().map(|score| score * mover.sign()).fold(f32::NEG_INFINITY, f32::max) * mover.sign();
                let chosen = (0..moves.len()).filter(|&number| scores[number] == best).collect();
                ContenderChoice { chosen, said: Some(lookahead.judge(game, state)), seen: Some(best) }
            }
            Self::Random => ContenderChoice { chosen: (0..moves.len()).collect(), said: None, seen: None },
            Self::Agent { spec, resources } => {
                let agent = build_agent(spec, game, *resources).and_then(|agent| Ok((agent, spec.limits()?)));
                let (mut agent, limits) = agent.expect("it could be made before");
                let clock = (context.clock)();
                let budget = Budget { limits, clock: clock.as_ref() };
                let request = SearchRequest { game, state, budget, rng: &mut context.seed.rng(), observer: &mut NoObserver };
                let choice = agent.choose(request).expect("a player is to move");
                let chosen = (0..moves.len()).filter(|&number| moves[number] == choice.mv).collect();
                ContenderChoice { chosen, said: None, seen: choice.value.map(|value| value * mover.sign()) }
            }
        }
    }
}

/// The seed and the clock of a choice.
#[derive(Clone, Copy)]
struct ChoiceContext<'a> {
    seed: Seed,
    clock: &'a dyn Fn() -> Box<dyn Clock>,
}

/// The points of a value: 1 for a win, a half for a draw.
fn points(value: GameValue) -> f64 {
    0.5 + 0.5 * f64::from(value.value())
}

/// The quality of a choice among moves that lead to these values for the player who moves.
fn quality(after: &[GameValue], chosen: &[usize]) -> ChoiceQuality {
    let best = after.iter().copied().max().unwrap_or(GameValue::Loss);
    let share =
        |value: &dyn Fn(GameValue) -> f64| chosen.iter().map(|&number| value(after[number])).sum::<f64>() / chosen.len() as f64;
    ChoiceQuality { best: share(&|value| f64::from(u8::from(value == best))), loss: share(&|value| points(best) - points(value)) }
}

fn truth(mover: Player, after: &[GameValue]) -> Truth {
    let value = after.iter().copied().max().unwrap_or(GameValue::Loss);
    let can_err = after.iter().any(|&after| after < value);
    Truth { mover, value, plies: None, can_err, reach: 1.0 }
}

// All positions.

/// The successor of a move: a position by its number, or the end of the game.
#[derive(Clone, Copy)]
enum Next {
    Position(u32),
    End(Outcome),
}

/// The game graph: all reachable positions in which a player is to move.
struct Graph<S> {
    states: Vec<S>,
    movers: Vec<Player>,
    /// By position, the successors of its moves, in the order of the moves.
    next: Vec<Box<[Next]>>,
    /// The positions, each behind all that can follow it. Where a position can come again there is no such order.
    order: Option<Vec<u32>>,
}

/// The game graph, listed depth first with an explicit stack, since games may be long. `None` if there are more than `most` positions,
/// or chance plays.
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

/// A stop check for the solver: the watch, a limit of steps and a time limit.
struct SolverStop<'a, 'b> {
    watch: &'a mut JudgeWatch<'b>,
    done: u64,
    of: u64,
    stopped: bool,
    /// The count of steps at which the solver gives up, and the time.
    last: u64,
    late: &'a dyn Fn() -> bool,
}

impl StopCheck for SolverStop<'_, '_> {
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
    settings: &JudgeSettings<'_>,
    watch: &mut JudgeWatch<'_>,
) -> Result<Judging, Stopped> {
    let count = graph.states.len();
    let mut values = vec![GameValue::Loss; count];
    // Positions near the end come first: the solver finds the others in its transposition table.
    let from_the_end: Vec<u32> = graph.order.clone().unwrap_or_else(|| (0..count as u32).rev().collect());
    for (solved, &number) in from_the_end.iter().enumerate() {
        told(watch, JudgeStage::Solving, solved, count)?;
        let mut stop =
            SolverStop { watch, done: solved as u64, of: count as u64, stopped: false, last: u64::MAX, late: &|| false };
        let value = solver.value(game, &graph.states[number as usize], &mut stop);
        values[number as usize] = value.ok_or(Stopped)?;
    }
    let after = |number: usize| -> Vec<GameValue> {
        let mover = graph.movers[number];
        let value = |next: &Next| match *next {
            Next::End(outcome) => GameValue::of(outcome, mover),
            // Not every game lets the players move in turn.
            Next::Position(child) if graph.movers[child as usize] == mover => values[child as usize],
            Next::Position(child) => values[child as usize].opposite(),
        };
        graph.next[number].iter().map(value).collect()
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
            let context = ChoiceContext { seed: settings.seed.named("choice").numbered(number as u64), clock: settings.clock };
            let choice = contender[mover.index()].think(game, state, mover, &moves, context);
            judged.push(Judged { quality: quality(&after(number), &choice.chosen), said: choice.said, seen: choice.seen });
            if exact[who] {
                chosen.push(choice.chosen.iter().map(|&number| number as u32).collect());
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
            let Truth { mover, value, .. } = truths[number as usize];
            let winner = match value {
                GameValue::Win => mover,
                GameValue::Loss => mover.other(),
                GameValue::Draw => continue,
            };
            let length = |next: &Next| match *next {
                Next::End(outcome) => (outcome.winner == Some(winner)).then_some(1),
                Next::Position(child) => {
                    let child = &truths[child as usize];
                    let wins = if child.mover == winner { GameValue::Win } else { GameValue::Loss };
                    child.plies.filter(|_| child.value == wins).map(|plies| plies + 1)
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
    let mut visited = Vec::new();
    loop {
        let mv = match game.turn(&state) {
            Turn::Over(_) => break,
            Turn::Chance => game.random_outcome(&state, &mut rng, &mut scratch),
            Turn::Player(mover) => {
                visited.push((state.clone(), mover));
                game.random_move(&state, &mut rng, &mut scratch)
            }
        };
        game.play(&mut state, mv);
    }
    if visited.is_empty() {
        return None;
    }
    Some(visited.swap_remove(rng.below(visited.len() as u32) as usize))
}

fn judge_sample<G: PlayableGame>(
    game: &G,
    start: &G::State,
    solver: &mut dyn ExactSolver<G>,
    contenders: &mut [[Chooser<'_, G>; 2]],
    settings: &JudgeSettings<'_>,
    watch: &mut JudgeWatch<'_>,
) -> Result<Judging, Stopped> {
    let mut judging = Judging::default();
    let mut positions = Vec::new();
    let mut moves = Vec::new();
    let clock = (settings.clock)();
    let late = || clock.elapsed() > settings.time;
    for number in 0..settings.sample {
        told(watch, JudgeStage::Solving, number, settings.sample)?;
        let Some((state, mover)) = drawn(game, start, settings.seed.named("position").numbered(number as u64)) else { break };
        game.moves(&state, &mut moves);
        let last = solver.nodes() + PATIENCE;
        let mut stop = SolverStop { watch, done: number as u64, of: settings.sample as u64, stopped: false, last, late: &late };
        let mut value = |&mv: &G::Move| {
            let mut child = state.clone();
            game.play(&mut child, mv);
            GameValue::of_position(game, &child, mover, |state| solver.value(game, state, &mut stop))
        };
        let after: Option<Vec<GameValue>> = moves.iter().map(&mut value).collect();
        if stop.stopped {
            return Err(Stopped);
        }
        // A position that was not finished for lack of time does not count as given up.
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
            let context = ChoiceContext { seed: settings.seed.named("choice").numbered(number as u64), clock: settings.clock };
            let mover = judging.truths[number].mover;
            let choice = contender[mover.index()].think(game, state, mover, &moves, context);
            judged.push(Judged { quality: quality(after, &choice.chosen), said: choice.said, seen: choice.seen });
        }
        judging.judged.push(judged);
    }
    Ok(judging)
}
