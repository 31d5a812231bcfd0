//! `ply sprt GAME NEW OLD`: a test that stops as soon as it is decided.

use std::io::Write;

use plyground_lab::statistics::{EloModel, Sprt, Verdict, describe_match, describe_sprt};
use plyground_lab::{Book, Format, Results};

use crate::args::{Global, Scale, SprtTest};
use crate::experiments::{Conduct, footer, match_json, open_store, run_of, stopped};
use crate::interrupt;
use crate::terminal::{print_json, print_notes};

/// Pairs that are laid out at a time: a decided test leaves few behind.
const AHEAD: u64 = 500;

pub fn run(args: &SprtTest, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let model = match args.scale {
        Scale::Normalised => EloModel::Normalised,
        Scale::Logistic => EloModel::Logistic,
    };
    let test = Sprt::with_error_rates(model, args.elo0, args.elo1, args.alpha, args.beta)?;
    let agents = [args.new.clone(), args.old.clone()];
    let run = run_of(&args.game, &agents, Format::RoundRobin, &args.conditions, global)?;
    let store = open_store(global)?;
    interrupt::catch()?;
    let status = |results: &Results| test.status(&results.between([0, 1]).pairs());
    let summary = |results: &Results| describe_sprt(&args.new, &args.old, &test, &status(results));
    let conduct = Conduct {
        store: &store,
        run: &run,
        threads: args.conditions.threads,
        quiet: global.quiet || global.json,
        summary: &summary,
        enough: &|results| status(results).verdict != Verdict::Continue,
    };
    let mut book = Book::new(&run.experiment)?;
    let mut wanted = AHEAD.min(args.most_pairs);
    let results = loop {
        let (results, complete) = conduct.play(&mut book, &[[0, 1]], wanted)?;
        if status(&results).verdict != Verdict::Continue || wanted >= args.most_pairs {
            break results;
        }
        if !complete {
            print_notes(&[stopped(&run)], global.quiet);
            break results;
        }
        wanted = (wanted * 2).min(args.most_pairs);
    };
    let (status, result) = (status(&results), results.between([0, 1]));
    if global.json {
        let mut page = match_json([&args.new, &args.old], &result, results.redundancy());
        page["llr"] = status.llr.into();
        page["llr_bounds"] = [status.lower, status.upper].as_slice().into();
        page["verdict"] = serde_json::to_value(status.verdict)?;
        return print_json(out, &page);
    }
    writeln!(out, "{}: run {}\n", run.experiment.game, run.id)?;
    writeln!(out, "{}", describe_match(&args.new, &args.old, &result))?;
    write!(out, "{}", footer(&run, &results))?;
    writeln!(out, "{}", describe_sprt(&args.new, &args.old, &test, &status))?;
    Ok(())
}
