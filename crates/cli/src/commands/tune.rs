//! `ply tune GAME SPEC --param KEY=VALUES`: better values for the keys of an agent.

use std::io::Write;

use anyhow::bail;
use plyground_match::{
    AgentFactory, Executor, Experiment, Format, Results, Run, RunDriver, RunError, Store, machine, match_json,
};
use plyground_session::{KEY_SYNONYMS, Seed, open, split_spec, usual_words};
use plyground_statistics::{CONFIDENCE, describe_match};
use plyground_studies::report::{GridPoint, Provenance, Report, Tuned, TuningPath};
use plyground_studies::tune::{Halving, Param, QuadraticModel, Spsa, grid, value_in, with_values};
use serde_json::json;

use crate::engines::CommandResources;
use crate::executor::executor;
use crate::runs::{driver, open_store, run_of, stopped};
use crate::store::{data_dir, typed};
use plyground_args::{Global, TuneArgs, TuneMethod};
use plyground_terminal::interrupt;
use plyground_terminal::{EventLog, RunView};
use plyground_terminal::{Lean, columns, count, print_json, print_notes};
use plyground_terminal::{LiveText, bar};

/// The place from 0 to 1 in its range where a key without a known value starts: the middle.
const MIDDLE: f64 = 0.5;

/// Values along which the strength is drawn.
const HILL_POINTS: u32 = 24;

pub fn run(args: &TuneArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let begin = std::time::Instant::now();
    let params = args.params.iter().map(|text| Ok(Param::read(&usual_key(text))?)).collect::<anyhow::Result<Vec<Param>>>()?;
    for (number, param) in params.iter().enumerate() {
        if params[..number].iter().any(|known| known.key == param.key) {
            bail!("expected each parameter once, found {} twice", param.key);
        }
    }
    interrupt::catch()?;
    let tuning = Tuning {
        args,
        global,
        params: &params,
        original: original(args, &params)?,
        log: EventLog::open(args.conditions.events.as_deref())?,
        executor: executor(args.conditions.threads, &args.conditions.fleet, global.quiet)?,
    };
    let found = match args.method {
        TuneMethod::Spsa => tuning.spsa()?,
        TuneMethod::Grid => tuning.grid()?,
    };
    let Some(found) = found else { return Ok(()) };
    let spec = with_values(&tuning.original.spec, &params, &found.values);
    let verified = tuning.verify(&spec)?;
    let tuned = Tuned {
        game: open(&args.game, None)?.spec(),
        original: tuning.original.spec.clone(),
        spec: spec.clone(),
        params: params.clone(),
        before: tuning.original.values.clone(),
        values: found.values,
        path: found.path,
        points: found.points,
        pairs: found.pairs,
        verdict: verified.as_ref().map(|results| describe_match("the tuned agent", "the original", &results.between([0, 1]))),
    };
    if let Some(file) = &args.out {
        let occasion =
            Provenance { command: crate::runs::command(), machine: &machine(), seconds: begin.elapsed().as_secs_f64() };
        Report::on_tuning(&tuned, &occasion)?.write(file)?;
    }
    if global.json {
        let mut page = serde_json::to_value(&tuned)?;
        let numbers = |results: &Results| match_json([&spec, &tuned.original], &results.between([0, 1]), results.redundancy());
        page["match"] = verified.as_ref().map_or(json!(null), numbers);
        return print_json(out, &page);
    }
    print(&tuned, out)?;
    if let Some(file) = args.out.as_ref().filter(|_| !global.quiet) {
        writeln!(out, "the page is in {}", typed(file))?;
    }
    Ok(())
}

/// A parameter with its values, under the key that is written where another one is understood.
fn usual_key(text: &str) -> String {
    let is_key = |word: &str| text.split('=').next().is_some_and(|key| key.trim() == word);
    let synonym = KEY_SYNONYMS.iter().find(|(synonym, _)| is_key(synonym));
    synonym.map_or_else(|| text.to_owned(), |(synonym, usual)| text.replacen(synonym, usual, 1))
}

/// The agent as it was, with what is known of its values.
struct Original {
    spec: String,
    /// As the spec says, or its default; nothing where neither is known.
    values: Vec<Option<String>>,
}

fn original(args: &TuneArgs, params: &[Param]) -> anyhow::Result<Original> {
    let session = open(&args.game, None)?;
    let ready_made = session.opponents().into_iter().find(|opponent| opponent.name == args.spec.trim());
    let spec = ready_made.map_or_else(|| usual_words(args.spec.trim()), |opponent| opponent.spec);
    let info = plyground_session::AGENTS.iter().find(|info| info.name == split_spec(&spec).0);
    let keys = info.map_or_else(Vec::new, |info| session.agent_keys(info));
    let default = |key: &str| keys.iter().find(|info| info.key == key).map(|info| info.default.to_owned());
    let value = |param: &Param| {
        let value = value_in(&spec, &param.key).or_else(|| default(&param.key))?;
        param.domain.place(&value).map(|_| value)
    };
    Ok(Original { values: params.iter().map(value).collect(), spec })
}

/// What was found.
struct Found {
    values: Vec<String>,
    path: Option<TuningPath>,
    points: Vec<GridPoint>,
    pairs: u64,
}

struct Tuning<'a> {
    args: &'a TuneArgs,
    global: &'a Global,
    params: &'a [Param],
    original: Original,
    log: Option<EventLog>,
    executor: Box<dyn Executor>,
}

impl Tuning<'_> {
    fn texts(&self, places: &[f64]) -> Vec<String> {
        self.params.iter().zip(places).map(|(param, &place)| param.domain.text(place)).collect()
    }

    /// Has a run driven, and shown unless it is a small part of many.
    fn drive(
        &self,
        store: &Store,
        run: &Run,
        shown: bool,
        act: impl FnOnce(&RunDriver<'_>) -> Result<(Results, bool), RunError>,
    ) -> anyhow::Result<(Results, bool)> {
        let quiet = !shown || self.global.quiet || self.global.json;
        let view = RunView::new(store, quiet).with_log(self.log.as_ref());
        let players = AgentFactory::of_run(&CommandResources, run);
        let played = act(&driver(store, run, self.executor.as_ref(), &players, &view))?;
        view.check_log(run)?;
        Ok(played)
    }

    fn run(&self, agents: &[String], format: Format) -> anyhow::Result<Run> {
        run_of(&self.args.game, agents, format, &self.args.conditions, self.global)
    }

    /// The steps are small matches of their own. They are kept beside the runs and not among them, where they would bury
    /// everything else.
    fn spsa(&self) -> anyhow::Result<Option<Found>> {
        let seed = Seed(self.global.seed.unwrap_or(0)).named("spsa");
        let steps = (self.args.pairs / self.pairs_of_step()).max(1);
        let places = self.params.iter().zip(&self.original.values);
        let start = places.map(|(param, value)| value.as_ref().and_then(|value| param.domain.place(value)).unwrap_or(MIDDLE));
        let mut spsa = Spsa::new(self.params, start.collect(), steps, seed)?;
        let store = Store::open(&data_dir(self.global)?.join("tuning.sqlite"))?;
        let conditions = self.run(&[self.with(&[0.0]), self.with(&[1.0])], Format::RoundRobin)?.experiment;
        let mut live = LiveText::new(self.global.quiet || self.global.json);
        let (mut step, mut pairs) = (0, 0);
        while let Some(places) = spsa.ask() {
            let Some((lead, played)) = self.step(&store, &conditions, &places, seed.numbered(step))? else {
                print_notes(&[format!("stopped after {step} of {steps} steps; the same command goes on")], self.global.quiet);
                return Ok(None);
            };
            spsa.learn(lead);
            step += 1;
            pairs += played;
            let here = self.texts(&spsa.settled());
            let words = || format!("step {} of {}: {}", count(step), count(steps), self.named(&here));
            live.show(|| format!("{}  {}", bar(step as f32 / steps as f32), words()), words);
        }
        drop(live);
        let values = self.texts(&spsa.settled());
        let path = TuningPath { places: spsa.path().iter().map(|place| self.texts(place)).collect(), hills: self.hills(&spsa) };
        Ok(Some(Found { values, path: Some(path), points: Vec::new(), pairs }))
    }

    fn hills(&self, spsa: &Spsa) -> Vec<Vec<(String, f64)>> {
        let Some(hill) = QuadraticModel::seen_by(spsa) else { return Vec::new() };
        let settled = spsa.settled();
        let hill_of = |(number, param): (usize, &Param)| {
            let places = (0..=HILL_POINTS).map(|step| f64::from(step) / f64::from(HILL_POINTS));
            places.map(|place| (param.domain.text(place), hill.elo(number, place, settled[number]))).collect()
        };
        self.params.iter().enumerate().map(hill_of).collect()
    }

    /// The agent with these places, the last of which stands for those behind it.
    fn with(&self, places: &[f64]) -> String {
        let place = |number: usize| places[number.min(places.len() - 1)];
        let places: Vec<f64> = (0..self.params.len()).map(place).collect();
        with_values(&self.original.spec, self.params, &self.texts(&places))
    }

    fn pairs_of_step(&self) -> u64 {
        self.args.batch * if self.args.against.is_some() { 2 } else { 1 }
    }

    /// The lead of the first place over the second, and how many pairs that took; `None` if it was cancelled.
    fn step(
        &self,
        store: &Store,
        conditions: &Experiment,
        places: &[Vec<f64>; 2],
        seed: Seed,
    ) -> anyhow::Result<Option<(f64, u64)>> {
        let [one, other] = places.each_ref().map(|place| self.with(place));
        if one == other {
            return Ok(Some((0.0, 0)));
        }
        let (agents, pairings): (Vec<String>, &[[usize; 2]]) = match &self.args.against {
            None => (vec![one, other], &[[0, 1]]),
            Some(opponent) => (vec![opponent.clone(), one, other], &[[0, 1], [0, 2]]),
        };
        let checked = self.run(&agents, Format::RoundRobin)?.experiment;
        // Each step has openings of its own.
        let run = Experiment { agents: checked.agents, seed: seed.0, ..conditions.clone() }.run();
        let (results, complete) = self.drive(store, &run, false, |driver| driver.play(pairings, self.args.batch))?;
        if !complete {
            return Ok(None);
        }
        let score = |agents: [usize; 2]| results.between(agents).sample().mean;
        let lead = match self.args.against {
            None => 2.0 * score([0, 1]) - 1.0,
            Some(_) => score([1, 0]) - score([2, 0]),
        };
        Ok(Some((lead, self.pairs_of_step())))
    }

    fn grid(&self) -> anyhow::Result<Option<Found>> {
        let points = grid(self.params, self.args.steps as usize)?;
        let opponent = self.args.against.clone().unwrap_or_else(|| self.original.spec.clone());
        let specs: Vec<String> = points.iter().map(|values| with_values(&self.original.spec, self.params, values)).collect();
        // A point that is the opponent itself scores one half without playing.
        let players: Vec<usize> = (0..specs.len()).filter(|&point| specs[point] != opponent).collect();
        let agents: Vec<String> = [opponent].into_iter().chain(players.iter().map(|&point| specs[point].clone())).collect();
        let agent = |point: usize| players.iter().position(|&player| player == point).map(|number| number + 1);
        let run = self.run(&agents, Format::Gauntlet)?;
        let store = open_store(self.global)?;
        let mut halving = Halving::new(points.len(), self.args.pairs);
        let mut results = Results::new(run.experiment.seats);
        while let Some((left, trials)) = halving.ask() {
            let pairings: Vec<[usize; 2]> = left.iter().filter_map(|&point| Some([0, agent(point)?])).collect();
            let (played, complete) = self.drive(&store, &run, true, |driver| {
                driver.request(&pairings, trials)?;
                driver.play_requested(trials)
            })?;
            if !complete {
                print_notes(&[stopped(&run)], self.global.quiet);
                return Ok(None);
            }
            results = played;
            halving.learn(|point| agent(point).map_or(0.5, |agent| results.between([agent, 0]).sample().mean));
        }
        let values = points[halving.best()].clone();
        let measured = |(number, values): (usize, &Vec<String>)| {
            let sample = results.between([agent(number)?, 0]).sample();
            let interval = sample.interval(CONFIDENCE);
            Some(GridPoint {
                values: values.clone(),
                pairs: sample.units as u64,
                score: sample.mean,
                low: interval.low,
                high: interval.high,
            })
        };
        let points = points.iter().enumerate().filter_map(measured).collect();
        Ok(Some(Found { values, path: None, points, pairs: results.pairs() }))
    }

    /// The tuned agent against the original, as an ordinary run.
    fn verify(&self, spec: &str) -> anyhow::Result<Option<Results>> {
        if self.args.verify == 0 || spec == self.original.spec {
            return Ok(None);
        }
        let run = self.run(&[spec.to_owned(), self.original.spec.clone()], Format::RoundRobin)?;
        // Openings that the values were not chosen by.
        let seed = Seed(self.global.seed.unwrap_or(0)).named("verify").0;
        let run = Experiment { seed, ..run.experiment }.run();
        let store = open_store(self.global)?;
        let (results, complete) = self.drive(&store, &run, true, |driver| driver.play(&[[0, 1]], self.args.verify))?;
        if !complete {
            print_notes(&[stopped(&run)], self.global.quiet);
        }
        Ok(Some(results))
    }

    fn named(&self, values: &[String]) -> String {
        let pairs: Vec<String> = self.params.iter().zip(values).map(|(param, value)| format!("{}={value}", param.key)).collect();
        pairs.join(", ")
    }
}

fn print(tuned: &Tuned, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "{}: {} pairs to find better values for {}\n", tuned.game, count(tuned.pairs), tuned.original)?;
    if !tuned.points.is_empty() {
        let mut rows = vec![["values", "pairs", "score"].map(str::to_owned)];
        rows.extend(tuned.points.iter().map(|point| [tuned.named(&point.values), count(point.pairs), point.words()]));
        writeln!(out, "{}", columns([Lean::Left, Lean::Right, Lean::Right], &rows))?;
    }
    let mut rows = vec![["key", "before", "now"].map(str::to_owned)];
    rows.extend(tuned.rows());
    writeln!(out, "{}", columns([Lean::Left, Lean::Right, Lean::Right], &rows))?;
    writeln!(out, "{}", tuned.answer())?;
    Ok(())
}
