//! Matches, tournaments and tests, in the store that the command uses.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use plyground_core::sync::{into_inner, lock};
use plyground_core::{CancelToken, Clock, InputError, Limits, Resources, Seed};
use plyground_match::{
    AgentFactory, AgentPlayer, Experiment, Fault, Format, MatchPlayer, Openings, PlayerFactory, Reply, Results, Run, RunDriver,
    RunError, RunEvent, RunPrefix, Seats, SprtProgress, Store, Threads, add_uncounted, match_json, opening_plies_of,
    results_json,
};
use plyground_session::Session;
use plyground_statistics::{EloModel, Sprt, describe_match, describe_sprt};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use serde_json::{Value, json};

use crate::errors;
use crate::game::{PyGame, State, checked};
use crate::interrupt::interruptible;
use crate::resources::LocalResources;
use crate::rules::{Position, Rules};

/// The prefix of the specs of agents that are written in Python; no agent of the list is called so.
const OWN: &str = "own:";

/// Pairs of a test that are laid out at a time: a decided one leaves few behind.
const AHEAD: u64 = 500;

/// The settings of an experiment, as the functions of `plyground.experiments` hand them over.
#[derive(FromPyObject)]
pub(crate) struct Settings {
    /// `match`, `tournament`, `gauntlet`, `self-play` or `sprt`.
    kind: String,
    pairs: u64,
    seed: u64,
    opening_plies: Option<u32>,
    /// The limits of a move.
    time: Option<f64>,
    sims: Option<u64>,
    threads: usize,
    /// The file of the store; none is a store in memory.
    store: Option<PathBuf>,
    /// What the run is asked for by, as it is noted in the store.
    command: String,
    /// elo0, elo1, alpha and beta of a test, and whether its Elo is normalised.
    sprt: Option<(f64, f64, f64, f64, bool)>,
}

/// An agent: its spec, or a name with what Python calls for a move.
type Contender = (String, Option<Py<PyAny>>);

/// How far a run has come: jobs done and wanted.
type Progress = Mutex<(u64, u64)>;

/// Plays an experiment, and says what came of it as JSON. `progress` is called with the pairs that are done and wanted.
#[pyfunction]
pub(crate) fn play_experiment(
    py: Python<'_>,
    game: Py<PyGame>,
    agents: Vec<Contender>,
    settings: Settings,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let limits =
        Limits { simulations: settings.sims, time: settings.time.map(crate::agent::seconds).transpose()?, ..Limits::default() };
    let contest = Contest { rules: Arc::clone(&game.get().rules), game: game.clone_ref(py), agents };
    let far = Progress::default();
    let mut told = None;
    let tick = |py: Python<'_>| {
        let now = *lock(&far);
        if let (Some(progress), true) = (&progress, told != Some(now) && now.1 > 0) {
            progress.call1(py, now)?;
            told = Some(now);
        }
        Ok(())
    };
    let played = interruptible(py, tick, |cancel| play(&contest, &settings, limits, cancel, &far))?;
    let page = checked(&game, played)?.map_err(errors::run)?;
    Ok(page.to_string())
}

fn play(contest: &Contest, settings: &Settings, limits: Limits, cancel: &CancelToken, far: &Progress) -> Result<Value, RunError> {
    let run = experiment(contest, settings, limits)?.run();
    let store = match &settings.store {
        Some(file) => Store::open(file)?,
        None => Store::in_memory()?,
    };
    let executor = Threads(settings.threads.clamp(1, 1024));
    let players = Players { contest, listed: AgentFactory::of_run(&LocalResources, &run) };
    let pairs_of_job = |results: &Results| if run.experiment.seats == Seats::Swapped { results.pairs() } else { results.games() };
    let observe = |_: &Run, event: &RunEvent<'_>| match event {
        RunEvent::RunStarted { results, wanted, .. } | RunEvent::Progress { results, wanted } => {
            *lock(far) = (pairs_of_job(results), *wanted);
        }
        _ => {}
    };
    let progress = Mutex::new(SprtProgress::default());
    let test = settings.sprt.map(sprt).transpose()?;
    let decided = |results: &Results| test.is_some_and(|test| lock(&progress).follow(&test, results));
    let driver = RunDriver::new(&store, &run, &executor, &players)
        .for_command(&settings.command)
        .cancelled_by(cancel)
        .observed_by(&observe)
        .until(&decided);
    let Some(test) = test else {
        let (results, complete) = driver.play_format(settings.pairs)?;
        return page(&store, &run, &results, complete);
    };
    let mut wanted = AHEAD.min(settings.pairs);
    let complete = loop {
        let (results, complete) = driver.play(&[[0, 1]], wanted)?;
        if decided(&results) || !complete || wanted >= settings.pairs {
            break complete || decided(&results);
        }
        wanted = (wanted * 2).min(settings.pairs);
    };
    drop(driver);
    let progress = into_inner(progress);
    let counted = progress.counted();
    let results = Results::read(&store, run.experiment.seats, RunPrefix { run: &run.id, pairs: counted.count() })?;
    let status = test.status(counted);
    let mut page = page(&store, &run, &results, complete)?;
    let [new, old] = [0, 1].map(|agent: usize| run.experiment.agents[agent].as_str());
    page["llr"] = status.llr.into();
    page["llr_bounds"] = json!([status.lower, status.upper]);
    page["verdict"] = serde_json::to_value(status.verdict).unwrap_or_default();
    page["words"] = describe_sprt(new, old, &test, &status).into();
    Ok(page)
}

fn sprt((elo0, elo1, alpha, beta, is_normalised): (f64, f64, f64, f64, bool)) -> Result<Sprt, InputError> {
    let model = if is_normalised { EloModel::Normalised } else { EloModel::Logistic };
    let found = format!("elo0={elo0}, elo1={elo1}, alpha={alpha}, beta={beta}");
    Sprt::with_error_rates(model, elo0, elo1, alpha, beta)
        .map_err(|error| InputError::malformed("test", &found, error.to_string()))
}

/// The settings of the run. Agents of the list are checked and written out; the others are known by their names.
fn experiment(contest: &Contest, settings: &Settings, limits: Limits) -> Result<Experiment, InputError> {
    let format = match settings.kind.as_str() {
        "match" | "sprt" | "tournament" => Format::RoundRobin,
        "gauntlet" => Format::Gauntlet,
        "self-play" => Format::SelfPlay,
        other => {
            return Err(InputError::unknown(
                "kind of experiment",
                other,
                ["match", "sprt", "tournament", "gauntlet", "self-play"],
            ));
        }
    };
    let listed: Vec<String> = contest.agents.iter().filter(|(_, own)| own.is_none()).map(|(spec, _)| spec.clone()).collect();
    let checked = Experiment::of(contest.rules.session()?, &listed, &LocalResources)?;
    let mut written = checked.agents.clone().into_iter();
    let mut agents = Vec::new();
    for (name, own) in &contest.agents {
        let spec = if own.is_some() { format!("{OWN}{name}") } else { written.next().unwrap_or_else(|| name.clone()) };
        if agents.contains(&spec) {
            return Err(InputError::malformed("agent", name, "it is there twice; an agent plays against others"));
        }
        agents.push(spec);
    }
    let openings = match settings.opening_plies {
        Some(0) => Openings::Start,
        Some(plies) => Openings::Random { plies },
        None if format == Format::SelfPlay => Openings::Start,
        None => Openings::Random { plies: opening_plies_of(contest.rules.session()?) },
    };
    let seats = if format == Format::SelfPlay { Seats::Fixed } else { Seats::Swapped };
    Ok(Experiment { agents, format, openings, seats, limits, seed: settings.seed, ..checked })
}

/// What came of a run, with what its games were lost by that were not lost on the board.
fn page(store: &Store, run: &Run, results: &Results, complete: bool) -> Result<Value, RunError> {
    let mut page = results_json(run, results);
    page["complete"] = complete.into();
    page["failures"] = results.failures().iter().map(|(_, error)| error.as_str()).collect();
    let agents = &run.experiment.agents;
    let words: Vec<String> =
        results.matches().map(|([one, other], result)| describe_match(&agents[one], &agents[other], result)).collect();
    page["words"] = words.join("\n").into();
    page["standings"] = plyground_match::standings(run, results).iter().map(plyground_match::Standing::json).collect();
    let mut reasons = Vec::new();
    store.games(RunPrefix::all(&run.id), |game| {
        if let (Some(fault), Some(winner)) = (&game.fault, game.outcome.winner) {
            let loser = game.agents[winner.other().index()];
            reasons.push(json!({"agent": agents[loser], "fault": fault, "reason": game.reason}));
        }
    })?;
    page["reasons"] = reasons.into();
    if let ([one, other], [only]) =
        (agents.as_slice(), results.matches().map(|(_, result)| result).collect::<Vec<_>>().as_slice())
    {
        page["match"] = match_json([one, other], only, results.redundancy());
    }
    add_uncounted(&mut page, results);
    Ok(page)
}

/// What is played, and who plays.
struct Contest {
    rules: Arc<dyn Rules>,
    game: Py<PyGame>,
    agents: Vec<Contender>,
}

/// The players of a run: of the list, or functions in Python.
struct Players<'a> {
    contest: &'a Contest,
    listed: AgentFactory<'a>,
}

impl PlayerFactory for Players<'_> {
    fn open(&self, _: &str) -> Result<Box<dyn Session>, InputError> {
        self.contest.rules.session()
    }

    fn player(&self, spec: &str) -> Result<Box<dyn MatchPlayer + '_>, InputError> {
        let own = spec.strip_prefix(OWN).and_then(|name| self.contest.agents.iter().find(|(known, _)| known == name));
        match own {
            Some((_, Some(function))) => {
                Ok(Box::new(PythonPlayer { function, contest: self.contest, position: None }) as Box<dyn MatchPlayer>)
            }
            _ => Ok(Box::new(AgentPlayer::new(spec, self.listed.resources()))),
        }
    }

    fn resources(&self) -> &(dyn Resources + Sync) {
        self.listed.resources()
    }
}

/// A function in Python that is asked for moves: it is given the state, and gives an action, the text of a move, or either with the value
/// that it expects.
struct PythonPlayer<'a> {
    function: &'a Py<PyAny>,
    contest: &'a Contest,
    position: Option<Box<dyn Position>>,
}

impl PythonPlayer<'_> {
    fn follow(&mut self, session: &dyn Session) -> Result<&mut Box<dyn Position>, InputError> {
        let position = self.position.get_or_insert_with(|| Arc::clone(&self.contest.rules).start());
        for played in &session.history()[position.move_number()..] {
            let action = position.parse_action(&played.text)?;
            position.apply(action)?;
        }
        Ok(position)
    }
}

impl MatchPlayer for PythonPlayer<'_> {
    fn start(&mut self, _: &mut dyn Session, _: Seed) -> Result<(), InputError> {
        self.position = None;
        Ok(())
    }

    fn choose(&mut self, session: &mut dyn Session, _: Limits, _: &dyn Clock, _: &CancelToken) -> Result<Reply, Fault> {
        let crashed = |error: InputError| Fault::Crashed(error.to_string());
        let (function, game) = (self.function, &self.contest.game);
        let position = self.follow(session).map_err(crashed)?;
        let (answer, value) = Python::attach(|py| {
            let state = Py::new(py, State { position: position.copy(), game: game.clone_ref(py) })?;
            let answer = function.bind(py).call1((state,))?;
            // A pair of an answer and a value.
            if let Ok(pair) = answer.cast::<PyTuple>() {
                return Ok((Answer::of(&pair.get_item(0)?)?, pair.get_item(1)?.extract::<Option<f32>>()?));
            }
            Ok((Answer::of(&answer)?, None))
        })
        .map_err(|error: PyErr| Fault::Crashed(error.to_string()))?;
        let cheated = |error: InputError| Fault::Cheated(error.to_string());
        let mv = match answer {
            Answer::Action(action) => position.action_text(action).map_err(cheated)?,
            Answer::Text(text) => text,
        };
        Ok(Reply { mv, value: value.filter(|value| (-1.0..=1.0).contains(value)) })
    }
}

/// What a function answers.
enum Answer {
    Action(u32),
    Text(String),
}

impl Answer {
    fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.extract::<String>() {
            return Ok(Self::Text(text));
        }
        // A choice of one of our agents.
        let number = object.getattr("action").unwrap_or_else(|_| object.clone());
        let expected = |_| errors::bad(format!("expected an action or the text of a move, found {number:?}"));
        number.call_method0("__index__").and_then(|number| number.extract()).map(Self::Action).map_err(expected)
    }
}
