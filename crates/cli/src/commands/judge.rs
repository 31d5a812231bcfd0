//! `ply judge GAME`: evaluations measured by the truth, without playing games.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::bail;
use plyground_core::WallClock;
use plyground_judge::{Contender, JudgeSettings, JudgeStage};
use plyground_match::{AgentFactory, Results, Threads, machine};
use plyground_session::{Seed, Session, open};
use plyground_studies::judge::{
    COLUMNS, EXACT_SCORE, FEW_POSITIONS, JudgeFindings, Judgement, contenders_of, evaluations, findings, predictions, score_in,
};
use plyground_studies::report::{Played, Provenance, Report};
use plyground_studies::study::Study;
use serde_json::json;

use crate::engines::CommandResources;
use crate::runs::{command, driver, open_store, stopped, threads};
use crate::store::typed;
use plyground_args::{Global, JudgeArgs};
use plyground_terminal::interrupt;
use plyground_terminal::{Lean, columns, count, print_json, print_notes, wrapped};
use plyground_terminal::{LiveText, bar};
use plyground_terminal::{RunView, standings};

/// Positions of a sample by default.
const SAMPLE: u64 = 2_000;
/// Megabytes for the solver.
const MEMORY: usize = 256;

pub fn run(args: &JudgeArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let study = args.study.as_deref().map(read_study).transpose()?;
    let game = study.as_ref().map(|study| study.runs[0].game.clone()).or_else(|| args.game.clone()).unwrap_or_default();
    let session = open(&game, None)?;
    let contenders = match &study {
        Some(study) => contenders_of(&study.runs[0]),
        None => asked_for(args, session.as_ref())?,
    };
    interrupt::catch()?;
    let played = match &study {
        Some(study) => match play(study, &contenders, global)? {
            None => return Ok(()),
            played => played,
        },
        None => None,
    };
    let begin = Instant::now();
    let Some(found) = judge(args, global, session.as_ref(), &contenders)? else {
        print_notes(&["stopped; nothing was found".to_owned()], global.quiet);
        return Ok(());
    };
    let seconds = begin.elapsed().as_secs_f64();
    let played = played.or_else(|| known_scores(&found)).map(|played| {
        let mut predictions = predictions(&found.judgements, &|name| played.score(name));
        // A number says nothing about itself.
        predictions.retain(|prediction| study.is_some() || prediction.criterion != EXACT_SCORE);
        Played { predictions, ..played }
    });
    if let Some(file) = &args.out {
        let occasion = Provenance { command: command(), machine: &machine(), seconds };
        Report::on_judging(&found, played.as_ref(), &occasion)?.write(file)?;
    }
    if global.json {
        let mut page = serde_json::to_value(&found)?;
        page["seconds"] = seconds.into();
        if let Some(played) = &played {
            page["played"] = json!({"title": played.title, "scores": played.scores, "predictions": played.predictions});
        }
        return print_json(out, &page);
    }
    print(&found, played.as_ref(), seconds, out)?;
    if let Some(file) = args.out.as_ref().filter(|_| !global.quiet) {
        writeln!(out, "the page is in {}", typed(file))?;
    }
    Ok(())
}

/// Who is judged, if it is not those of a study: evaluations, agents, and random moves to compare with.
fn asked_for(args: &JudgeArgs, session: &dyn Session) -> anyhow::Result<Vec<Contender>> {
    let known = || session.evaluators().iter().map(|info| info.name.to_owned()).collect();
    let names: Vec<String> = if args.eval.is_empty() { known() } else { args.eval.clone() };
    let depths: Vec<u32> = (args.depth.from..=args.depth.to).collect();
    let mut contenders = evaluations(&names, &depths, &args.second);
    let random = "random".to_owned();
    let agents = args.agent.iter().chain(Some(&random).filter(|random| !args.agent.contains(random)));
    contenders.extend(agents.map(|spec| Contender { name: spec.clone(), specs: [spec.clone(), spec.clone()] }));
    for (number, contender) in contenders.iter().enumerate() {
        if contenders[..number].iter().any(|known| known.name == contender.name) {
            bail!("expected evaluations and agents that differ, found {} twice", contender.name);
        }
    }
    Ok(contenders)
}

fn read_study(file: &Path) -> anyhow::Result<Study> {
    let study = super::study::read_study(file)?;
    let [part] = study.runs.as_slice() else {
        bail!("{}: expected a study with one run, found {}", file.display(), study.runs.len());
    };
    match contenders_of(part).len() {
        0..=2 => bail!("{}: expected at least three rows that are columns, too, found fewer", file.display()),
        _ => Ok(study),
    }
}

/// What the contenders scored in a study; `None` if it was stopped.
fn play(study: &Study, contenders: &[Contender], global: &Global) -> anyhow::Result<Option<Played>> {
    let (store, part) = (open_store(global)?, &study.runs[0]);
    let run = part.run(global.seed.unwrap_or(0), &CommandResources)?;
    let jobs = study.games(part, None).div_ceil(u64::from(part.seats.games()));
    let executor = Threads(threads(None));
    let summary = |results: &Results| standings(&run, results);
    let view = RunView::new(&store, global.quiet || global.json).with_summary(&summary);
    let players = AgentFactory::of_run(&CommandResources, &run);
    let (results, complete) = driver(&store, &run, &executor, &players, &view).play(&part.pairings(), jobs)?;
    if !complete {
        print_notes(&[stopped(&run)], global.quiet);
        return Ok(None);
    }
    let score = |contender: &Contender| Some((contender.name.clone(), score_in(part, &results, &contender.name)?));
    let title = format!("{}, {} games", study.title, count(results.games()));
    Ok(Some(Played { title, scores: contenders.iter().filter_map(score).collect(), predictions: Vec::new() }))
}

/// What is known of the results without playing, where that is enough to compare with.
fn known_scores(found: &JudgeFindings) -> Option<Played> {
    let scores: Vec<(String, f64)> =
        found.judgements.iter().filter_map(|judgement| Some((judgement.name.clone(), judgement.score?))).collect();
    let title = "the exact scores of all matches between them".to_owned();
    (scores.len() > 3).then(|| Played { title, scores, predictions: Vec::new() })
}

fn judge(
    args: &JudgeArgs,
    global: &Global,
    session: &dyn Session,
    contenders: &[Contender],
) -> anyhow::Result<Option<JudgeFindings>> {
    let seed = Seed(global.seed.unwrap_or(0));
    let most = match (args.all, args.positions) {
        (true, _) => usize::MAX,
        (false, Some(_)) => 0,
        (false, None) => FEW_POSITIONS,
    };
    let order = JudgeSettings {
        contenders,
        most,
        sample: args.positions.unwrap_or(SAMPLE) as usize,
        seed,
        memory: MEMORY,
        time: args.time,
        clock: &|| Box::new(WallClock::start()),
    };
    let mut text = LiveText::new(global.quiet || global.json);
    let mut watch = |stage: JudgeStage, done: u64, of: u64| {
        text.show(|| shown(stage, done, of, true), || shown(stage, done, of, false));
        interrupt::flow()
    };
    let judging = plyground_judge::judge(&session.spec(), Some(&session.position()), &order, &CommandResources, &mut watch)?;
    Ok(judging.map(|judging| findings(&session.spec(), &judging, contenders, seed)))
}

fn shown(stage: JudgeStage, done: u64, of: u64, with_bar: bool) -> String {
    let words = match stage {
        JudgeStage::Listing => return format!("{} positions found", count(done)),
        JudgeStage::Solving => "positions solved",
        JudgeStage::Judging => "choices judged",
    };
    let bar = if with_bar { bar(done as f32 / of.max(1) as f32) + "  " } else { String::new() };
    format!("{bar}{} of {} {words}", count(done), count(of))
}

fn print(found: &JudgeFindings, played: Option<&Played>, seconds: f64, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "{}\n", wrapped(&format!("{}, {}", found.game, found.positions_in_words()), ""))?;
    let mut rows = vec![COLUMNS.map(str::to_owned)];
    rows.extend(found.judgements.iter().map(Judgement::row));
    let mut leans = [Lean::Right; 8];
    leans[0] = Lean::Left;
    write!(out, "{}", columns(leans, &rows))?;
    if let Some(played) = played {
        writeln!(out, "\n{}", wrapped(&format!("Does this predict who scores more? Beside it: {}.", played.title), ""))?;
        let mut rows = vec![["ranked by", "contenders", "pairs in the same order", "tau", "Spearman"].map(str::to_owned)];
        rows.extend(played.predictions.iter().map(|found| {
            let same = format!("{} of {}", found.same, found.pairs);
            let [tau, spearman] = [found.tau, found.spearman].map(|value| format!("{value:.2}"));
            [found.criterion.to_owned(), found.contenders.to_string(), same, tau, spearman]
        }));
        let mut leans = [Lean::Right; 5];
        leans[0] = Lean::Left;
        write!(out, "{}", columns(leans, &rows))?;
    }
    writeln!(out, "\n{}", found.answer())?;
    writeln!(out, "judged in {seconds:.1} s")?;
    Ok(())
}
