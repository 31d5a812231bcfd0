//! `ply balance GAME`: the inventor's report, also on the games of a run.

use std::io::Write;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::bail;
use plyground_match::{AgentFactory, Openings, Results, Run, Store, Threads, machine};
use plyground_session::{GameValue, SolveOrder, StopCheck, info, open, split_spec};
use plyground_studies::balance::{
    BalanceAnalysis, BalanceFindings, BalanceMeasure, BalancePlan, COLUMNS, LADDER, PositionJudge, Sweep, analyse, rows,
    sentences,
};
use plyground_studies::report::{Provenance, Report, ReportFormat};
use serde_json::{Value, json};

use crate::engines::CommandResources;
use crate::runs::{command, driver, open_store, stopped, threads};
use crate::store::typed;
use plyground_args::{BalanceArgs, Global};
use plyground_terminal::LiveText;
use plyground_terminal::RunView;
use plyground_terminal::interrupt;
use plyground_terminal::{Lean, columns, print_json, print_notes, wrapped};

pub fn run(args: &BalanceArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let (begin, quiet) = (Instant::now(), global.quiet || global.json);
    let store = open_store(global)?;
    let plan = plan(args, &store, global)?;
    let judge = PositionJudge { spec: &args.judge, resources: &CommandResources };
    for setting in plan.sweep.settings.iter().filter(|_| args.judged > 0) {
        judge.check(&setting.game)?;
    }
    let left_out = plan.sweep.left_out.iter().map(|(spec, error)| format!("{spec} is left out: {error}"));
    print_notes(&left_out.collect::<Vec<_>>(), global.quiet);
    interrupt::catch()?;
    let executor = Threads(threads(args.threads));
    for (number, run) in plan.runs.iter().enumerate().filter(|_| !plan.of_all_players) {
        let place = format!("setting {} of {}, {}", number + 1, plan.runs.len(), plan.sweep.settings[number].label);
        let summary = |_: &Results| place.clone();
        let view = RunView::new(&store, quiet).with_summary(&summary);
        let players = AgentFactory::of_run(&CommandResources, run);
        let (_, complete) = driver(&store, run, &executor, &players, &view).play(&plan.pairings(), args.games)?;
        if !complete {
            print_notes(&[stopped(run)], global.quiet);
            break;
        }
    }
    let analysis = BalanceAnalysis {
        store: &store,
        games: args.games,
        judge,
        judged: args.judged,
        threads: threads(args.threads),
        cancel: interrupt::token(),
    };
    let (mut live, settings) = (LiveText::new(quiet), plan.runs.len());
    let mut findings = analyse(plan, &analysis, &mut |done| {
        let line = || format!("{} looks at the games: {done} of {settings} settings", args.judge);
        live.show(line, line);
    })?;
    drop(live);
    if let Some(time) = args.solve {
        solve(&mut findings, time, quiet)?;
    }
    print(args, global, &findings, begin.elapsed().as_secs_f64(), out)
}

fn plan(args: &BalanceArgs, store: &Store, global: &Global) -> anyhow::Result<BalancePlan> {
    if let Some(run) = run_named(&args.game, store) {
        if !args.agents.is_empty() || !args.varied.0.is_empty() {
            bail!("run {}: its games are there already; expected neither --agents nor parameters beside a run", run.id);
        }
        return Ok(BalancePlan::of_run(run)?);
    }
    let agents = if args.agents.is_empty() { LADDER.map(str::to_owned).to_vec() } else { args.agents.clone() };
    let openings = match args.opening_plies {
        0 => Openings::Start,
        plies => Openings::Random { plies },
    };
    let sweep = Sweep::new(&args.game, &args.varied.0)?;
    Ok(BalancePlan::new(sweep, &agents, &openings, global.seed.unwrap_or(0), &CommandResources)?)
}

/// Fewer letters than this are the name of a game, mistyped.
const FEWEST_OF_A_RUN: usize = 4;

/// The run that is meant, where no game has this name.
fn run_named(name: &str, store: &Store) -> Option<Run> {
    if info(split_spec(name).0).is_ok() || name.len() < FEWEST_OF_A_RUN {
        return None;
    }
    store.find(name).ok().map(|row| row.run)
}

fn print(
    args: &BalanceArgs,
    global: &Global,
    findings: &BalanceFindings,
    seconds: f64,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let occasion = Provenance { command: command(), machine: &machine(), seconds };
    let report = Report::on_balance(findings, &occasion)?;
    if let Some(file) = &args.out {
        report.write_as(if args.md { ReportFormat::Markdown } else { ReportFormat::of(file) }, file)?;
    }
    if global.json {
        return print_json(out, &page(findings));
    }
    match &args.out {
        Some(file) if !global.quiet => writeln!(out, "the report is in {}", typed(file))?,
        Some(_) => {}
        None if args.md => out.write_all(report.markdown().as_bytes())?,
        None => {
            let mut table = vec![COLUMNS.map(str::to_owned)];
            table.extend(rows(findings));
            let mut leans = [Lean::Right; COLUMNS.len()];
            (leans[0], leans[1], leans[4]) = (Lean::Left, Lean::Left, Lean::Left);
            writeln!(out, "{}", columns(leans, &table))?;
            for sentence in sentences(findings) {
                writeln!(out, "{}", wrapped(&sentence, ""))?;
            }
        }
    }
    Ok(())
}

/// What every setting is worth when both play perfectly, where that can be found in the time.
fn solve(findings: &mut BalanceFindings, time: Duration, quiet: bool) -> anyhow::Result<()> {
    struct Deadline(Instant, Duration);
    impl StopCheck for Deadline {
        fn check(&mut self, _: u64) -> ControlFlow<()> {
            if self.0.elapsed() >= self.1 { ControlFlow::Break(()) } else { interrupt::flow() }
        }
    }
    const MEMORY: usize = 500;
    let mut live = LiveText::new(quiet);
    let order =
        SolveOrder { method: "auto".to_owned(), memory: MEMORY, tablebase: None, regions: None, keep: 0, strategy: false };
    for (number, setting) in findings.plan.sweep.settings.iter().enumerate() {
        let line = || format!("{number} of {} settings are solved or given up", findings.plan.sweep.settings.len());
        live.show(line, line);
        let session = open(&setting.game, None)?;
        // A game of chance has no solver, and that is no reason to stop.
        let solved = session.solve(&order, &CommandResources, &mut Deadline(Instant::now(), time));
        findings.values[number] = solved.ok().and_then(|solved| solved.value());
    }
    Ok(())
}

fn page(findings: &BalanceFindings) -> Value {
    let (sweep, agents) = (&findings.plan.sweep, &findings.plan.agents);
    let cells = findings.cells.iter().map(|cell| {
        let setting = &sweep.settings[cell.setting];
        let values = sweep.axes.iter().zip(&setting.values).map(|(axis, &value)| (axis.key.clone(), axis.values[value].clone().into()));
        let estimate = |measure: BalanceMeasure| {
            measure.of(cell).map(|found| json!({"value": found.value, "low": found.interval.low, "high": found.interval.high}))
        };
        json!({
            "game": setting.game,
            "setting": setting.label,
            "parameters": Value::Object(values.collect()),
            "run": findings.plan.runs[cell.setting].id,
            "agent": agents[cell.agent],
            "games": cell.tally.games(),
            "first_won": cell.tally.wins,
            "drawn": cell.tally.draws,
            "second_won": cell.tally.losses,
            "score": estimate(BalanceMeasure::Score),
            "favoured": match findings.favoured(cell).word() { "-" => None, word => Some(word) },
            "draw_rate": estimate(BalanceMeasure::Draws),
            "plies": estimate(BalanceMeasure::Plies),
            "plies_deviation": cell.plies_deviation,
            "legal_moves": estimate(BalanceMeasure::Branching),
            "judged": cell.judged,
            "lead_changes": estimate(BalanceMeasure::LeadChanges),
            "games_with_lead_change": cell.turned.map(|share| json!({"value": share.value, "low": share.interval.low, "high": share.interval.high})),
            "decided_after": estimate(BalanceMeasure::DecidedAt),
            "redundancy": cell.redundancy,
            "faults": cell.faults,
            "perfect_play": findings.values[cell.setting].map(GameValue::word),
        })
    });
    json!({"agents": agents, "judge": findings.judge, "cells": cells.collect::<Vec<_>>(), "sentences": sentences(findings)})
}
