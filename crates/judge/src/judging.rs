//! Choices of moves measured against the exact values of positions. No games are played: the solver gives the values.

use plyground_agents::{AgentSpec, Lookahead};
use plyground_core::{
    Budget, Clock, ExactSolver, GameValue, InputError, NoObserver, PlayableGame, Player, Resources, SearchRequest, Seed, Visitor,
};
use plyground_session::{build_agent, build_solver};

use crate::listing::{Graph, explore};
use crate::settings::{Contender, JudgeSettings};
use crate::solving::{SolvedGraph, Truth, solve_sample};
use crate::watch::{JudgeStage, JudgeWatch, Stopped, report_progress};

/// The quality of a choice, measured by the exact values. Of moves that look equally good to an evaluation each is as likely; of other
/// agents one choice is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChoiceQuality {
    /// The probability of a best move: one that keeps the value of the position.
    pub best: f64,
    /// The expected loss, in points (a win is 1, a draw a half).
    pub loss: f64,
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
    /// By contender, are all moves known that it may choose, so that no score depends on chance?
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

/// The positions that contenders choose in: how many, and by number the position, its mover and the values of its successors for the
/// mover.
struct JudgedPositions<'a, S> {
    count: usize,
    position: &'a dyn Fn(usize) -> (&'a S, Player, Vec<GameValue>),
}

/// The judgements of all contenders in all positions. `chosen` is given the number of the contender and the moves that it may choose.
fn judge_choices<G: PlayableGame>(
    game: &G,
    positions: &JudgedPositions<'_, G::State>,
    contenders: &mut [[Chooser<'_, G>; 2]],
    settings: &JudgeSettings<'_>,
    watch: &mut JudgeWatch<'_>,
    chosen: &mut dyn FnMut(usize, &[usize]),
) -> Result<Vec<Vec<Judged>>, Stopped> {
    let count = positions.count;
    let total = contenders.len() * count;
    let mut moves = Vec::new();
    let mut judgements = Vec::with_capacity(contenders.len());
    for (who, contender) in contenders.iter_mut().enumerate() {
        let mut judged = Vec::with_capacity(count);
        for number in 0..count {
            report_progress(watch, JudgeStage::Judging, who * count + number, total)?;
            let (state, mover, after) = (positions.position)(number);
            game.moves(state, &mut moves);
            let context = ChoiceContext { seed: settings.seed.named("choice").numbered(number as u64), clock: settings.clock };
            let choice = contender[mover.index()].think(game, state, mover, &moves, context);
            judged.push(Judged { quality: quality(&after, &choice.chosen), said: choice.said, seen: choice.seen });
            chosen(who, &choice.chosen);
        }
        judgements.push(judged);
    }
    Ok(judgements)
}

fn judge_all<G: PlayableGame>(
    game: &G,
    graph: &Graph<G::State>,
    solver: &mut dyn ExactSolver<G>,
    (contenders, exact): (&mut [[Chooser<'_, G>; 2]], &[bool]),
    settings: &JudgeSettings<'_>,
    watch: &mut JudgeWatch<'_>,
) -> Result<Judging, Stopped> {
    let solved = SolvedGraph::new(game, graph, solver, watch)?;
    let position = |number: usize| (&graph.states[number], graph.movers[number], solved.after(number));
    let positions = JudgedPositions { count: graph.states.len(), position: &position };
    let mut choices: Vec<Vec<Box<[u32]>>> = vec![Vec::new(); contenders.len()];
    let mut note = |who: usize, chosen: &[usize]| {
        if exact[who] {
            choices[who].push(chosen.iter().map(|&number| number as u32).collect());
        }
    };
    let judged = judge_choices(game, &positions, contenders, settings, watch, &mut note)?;
    let choices: Vec<Vec<Box<[u32]>>> = choices.into_iter().zip(exact).filter(|(_, exact)| **exact).map(|(one, _)| one).collect();
    let scores = graph.order.as_ref().filter(|_| !choices.is_empty()).map(|order| {
        let scores = |first| choices.iter().map(|second| graph.score(order, [first, second])).collect();
        choices.iter().map(scores).collect()
    });
    Ok(Judging { truths: solved.truths, judged, all: true, scores, ..Judging::default() })
}

fn judge_sample<G: PlayableGame>(
    game: &G,
    start: &G::State,
    solver: &mut dyn ExactSolver<G>,
    contenders: &mut [[Chooser<'_, G>; 2]],
    settings: &JudgeSettings<'_>,
    watch: &mut JudgeWatch<'_>,
) -> Result<Judging, Stopped> {
    let sample = solve_sample(game, start, solver, settings, watch)?;
    let position = |number: usize| {
        let (state, after) = &sample.positions[number];
        (state, sample.truths[number].mover, after.clone())
    };
    let positions = JudgedPositions { count: sample.positions.len(), position: &position };
    let judged = judge_choices(game, &positions, contenders, settings, watch, &mut |_, _| {})?;
    Ok(Judging { truths: sample.truths, judged, given_up: sample.given_up, ..Judging::default() })
}
