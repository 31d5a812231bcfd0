//! `ply train GAME --agent SPEC --sweep KEY=A|B` or `--seeds N`: the same training with several values and seeds, side by side.

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::bail;
use plyground_core::sync::lock;
use plyground_match::{machine, parallel_map};
use plyground_session::{InputError, open};
use plyground_studies::report::{Provenance, Report, Trained, TrainedVariant};
use plyground_studies::tune::{Domain, Param, with_values};
use plyground_train::TrainingCurve;

use super::table::{SET, prepared};
use crate::runs::threads;
use crate::store::typed;
use plyground_args::{Global, TrainArgs};
use plyground_terminal::interrupt;
use plyground_terminal::{Lean, columns, count, print_json, print_notes};
use plyground_terminal::{LiveText, bar};

pub fn run(args: &TrainArgs, agent: &str, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let begin = Instant::now();
    let variants = variants(args, agent)?;
    let seeds: Vec<u64> = (0..u64::from(args.seeds.unwrap_or(1))).map(|seed| global.seed.unwrap_or(0) + seed).collect();
    let jobs: Vec<(usize, String)> = variants
        .iter()
        .enumerate()
        .flat_map(|(number, (_, spec))| seeds.iter().map(move |&seed| (number, with_seed(spec, seed))))
        .collect();
    // What is wrong with a value should come to light before an hour of training with the others.
    let first = jobs.iter().map(|(_, spec)| prepared(args, spec)).collect::<anyhow::Result<Vec<_>>>()?.swap_remove(0);
    if first.results().is_none() {
        bail!(InputError::malformed("option", "--sweep", "expected --agent ffn, whose training games have results"));
    }
    let games = args.games.unwrap_or_else(|| first.training_games());
    interrupt::catch()?;
    let Some(curves) = trained(args, &jobs, games, global.quiet)? else {
        print_notes(&["stopped: nothing is kept of a sweep that is not over".to_owned()], global.quiet);
        return Ok(());
    };
    let of = |variant: usize| jobs.iter().zip(&curves).filter(move |((number, _), _)| *number == variant);
    let trained = Trained {
        game: open(&args.game, None)?.spec(),
        agent: agent.to_owned(),
        against: args.against.clone(),
        games,
        seeds,
        variants: variants
            .iter()
            .enumerate()
            .map(|(number, (name, _))| TrainedVariant {
                name: name.clone(),
                curves: of(number).map(|(_, curve)| curve.clone()).collect(),
            })
            .collect(),
    };
    if let Some(file) = &args.out {
        let occasion =
            Provenance { command: crate::runs::command(), machine: &machine(), seconds: begin.elapsed().as_secs_f64() };
        Report::on_training(&trained, &occasion)?.write(file)?;
    }
    if global.json {
        return print_json(out, &serde_json::to_value(&trained)?);
    }
    writeln!(out, "{}\n", trained.title())?;
    let [head, rows @ ..] = &trained.rows()[..] else { return Ok(()) };
    let rows: Vec<[String; 3]> = std::iter::once(head).chain(rows).cloned().collect();
    write!(out, "{}", columns([Lean::Left, Lean::Right, Lean::Right], &rows))?;
    writeln!(out, "\n{}", Trained::LEGEND)?;
    if let Some(file) = args.out.as_ref().filter(|_| !global.quiet) {
        writeln!(out, "the page is in {}", typed(file))?;
    }
    Ok(())
}

/// The name and the spec of each variant.
fn variants(args: &TrainArgs, agent: &str) -> anyhow::Result<Vec<(String, String)>> {
    let Some(sweep) = &args.sweep else { return Ok(vec![(agent.to_owned(), agent.to_owned())]) };
    let param = Param::read(sweep)?;
    let Domain::Words(values) = &param.domain else {
        bail!(InputError::malformed(
            "option",
            &format!("--sweep {sweep}"),
            "expected the values one by one, like alpha=0.01|0.02"
        ));
    };
    let variant = |value: &String| {
        let spec = with_values(agent, std::slice::from_ref(&param), std::slice::from_ref(value));
        (format!("{}={value}", param.key), spec)
    };
    Ok(values.iter().map(variant).collect())
}

fn with_seed(spec: &str, seed: u64) -> String {
    let key = Param { key: "seed".to_owned(), domain: Domain::Words(Vec::new()) };
    with_values(spec, &[key], &[seed.to_string()])
}

/// The curves of all trainings, in their order; `None` if it was stopped.
fn trained(args: &TrainArgs, jobs: &[(usize, String)], games: u64, quiet: bool) -> anyhow::Result<Option<Vec<TrainingCurve>>> {
    let (text, played) = (Mutex::new(LiveText::new(quiet)), Mutex::new(vec![0; jobs.len()]));
    let told = |number: usize, done: u64| -> ControlFlow<()> {
        let sum = {
            let mut played = lock(&played);
            played[number] = done;
            played.iter().sum::<u64>()
        };
        let all = games * jobs.len() as u64;
        let line = || format!("{} of {} training games", count(sum), count(all));
        lock(&text).show(|| format!("{} (Ctrl-C: stop)\n{}", bar(sum as f32 / all as f32), line()), line);
        interrupt::flow()
    };
    let states = vec![(); threads(args.threads).min(jobs.len())];
    let curves = parallel_map(states, jobs.len() as u64, interrupt::token(), |(), number| {
        let number = number as usize;
        one(args, &jobs[number].1, games, &mut |done| told(number, done))
    })?;
    Ok(curves.and_then(|curves| curves.into_iter().collect()))
}

/// The curve of a training; `None` if it was stopped.
fn one(
    args: &TrainArgs,
    spec: &str,
    games: u64,
    told: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> anyhow::Result<Option<TrainingCurve>> {
    let mut training = prepared(args, spec)?;
    let mut curve = TrainingCurve::default();
    while training.learnt().games < games {
        let done = training.learnt().games;
        curve.train(training.as_mut(), SET, games - done, &mut |lesson| told(done + lesson.games))?;
        if interrupt::asked() {
            return Ok(None);
        }
    }
    Ok(Some(curve))
}
