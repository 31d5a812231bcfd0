//! `ply sprt GAME NEW OLD`: a test that stops as soon as it is decided.

use std::io::Write;
use std::sync::Mutex;

use plyground_match::{AgentFactory, Format, Results, RunPrefix, SprtProgress, add_uncounted, match_json};
use plyground_session::sync::{into_inner, lock};
use plyground_statistics::{EloModel, Sprt, describe_match, describe_sprt};

use crate::engines::CommandResources;
use crate::executor::executor;
use crate::runs::{driver, open_store, run_of, stopped};
use plyground_args::{EloScale, Global, SprtArgs};
use plyground_terminal::{EventLog, RunView, count, footer, interrupt, print_json, print_notes};

/// Pairs that are laid out at a time: a decided test leaves few behind.
const AHEAD: u64 = 500;

pub fn run(args: &SprtArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let model = match args.scale {
        EloScale::Normalised => EloModel::Normalised,
        EloScale::Logistic => EloModel::Logistic,
    };
    let test = Sprt::with_error_rates(model, args.elo0, args.elo1, args.alpha, args.beta)?;
    let agents = [args.new.clone(), args.old.clone()];
    let run = run_of(&args.game, &agents, Format::RoundRobin, &args.conditions, global)?;
    let store = open_store(global)?;
    let log = EventLog::open(args.conditions.events.as_deref())?;
    interrupt::catch()?;
    let executor = executor(args.conditions.threads, &args.conditions.fleet, global.quiet)?;
    let progress = Mutex::new(SprtProgress::default());
    let decided = |results: &Results| lock(&progress).follow(&test, results);
    let summary = |results: &Results| describe_sprt(&args.new, &args.old, &test, &test.status(&results.between([0, 1]).pairs()));
    let view = RunView::new(&store, global.quiet || global.json).with_summary(&summary).with_log(log.as_ref());
    let players = AgentFactory::of_run(&CommandResources, &run);
    let driver = driver(&store, &run, executor.as_ref(), &players, &view).until(&decided);
    let mut wanted = AHEAD.min(args.most_pairs);
    let complete = loop {
        let (results, complete) = driver.play(&[[0, 1]], wanted)?;
        if decided(&results) || !complete || wanted >= args.most_pairs {
            break complete || decided(&results);
        }
        wanted = (wanted * 2).min(args.most_pairs);
    };
    view.check_log(&run)?;
    if !complete {
        print_notes(&[stopped(&run)], global.quiet);
    }
    let progress = into_inner(progress);
    let counted = progress.counted();
    // With many workers, more than a few were under way when the test was decided.
    let shared = args.conditions.fleet.queue.queue.is_some();
    let played = Results::read(&store, run.experiment.seats, RunPrefix::all(&run.id))?.pairs();
    let results = Results::read(&store, run.experiment.seats, RunPrefix { run: &run.id, pairs: counted.count() })?;
    let (status, result) = (test.status(counted), results.between([0, 1]));
    if global.json {
        let mut page = match_json([&args.new, &args.old], &result, results.redundancy());
        add_uncounted(&mut page, &results);
        if shared {
            page["pairs_played"] = played.into();
        }
        page["llr"] = status.llr.into();
        page["llr_bounds"] = [status.lower, status.upper].as_slice().into();
        page["verdict"] = serde_json::to_value(status.verdict)?;
        return print_json(out, &page);
    }
    writeln!(out, "{}: run {}\n", run.experiment.game, run.id)?;
    writeln!(out, "{}", describe_match(&args.new, &args.old, &result))?;
    write!(out, "{}", footer(&run, &results))?;
    writeln!(out, "{}", describe_sprt(&args.new, &args.old, &test, &status))?;
    if shared {
        let (counted, played) = (count(counted.count()), count(played));
        writeln!(out, "{counted} pairs count, {played} were played: some were under way when it was decided")?;
    }
    Ok(())
}
