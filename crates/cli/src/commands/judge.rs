//! `ply judge GAME`: evaluations measured by the truth, without playing games.

use std::io::Write;
use std::time::{Duration, Instant};

use plyground_lab::judge::{FEW_POSITIONS, Judgement, evaluations, judgements, population};
use plyground_table::{Clock, Contender, JudgeOrder, JudgeStage, Seed, open};
use serde_json::json;

use crate::args::{Global, Judge};
use crate::interrupt;
use crate::live::{LiveText, bar};
use crate::store::Files;
use crate::terminal::{count, print_json, print_notes};

/// Positions of a sample, if nobody says how many.
const SAMPLE: u64 = 2_000;
/// Megabytes for the solver.
const MEMORY: usize = 256;

pub fn run(args: &Judge, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let session = open(&args.game, None)?;
    let names: Vec<String> = if args.eval.is_empty() {
        session.evaluators().iter().map(|info| info.name.to_owned()).collect()
    } else {
        args.eval.clone()
    };
    let depths: Vec<u32> = (args.depth.from..=args.depth.to).collect();
    let mut contenders = evaluations(&names, &depths, &args.second)?;
    contenders.extend(args.agent.iter().map(|spec| (spec.clone(), Contender::Agent { spec: spec.clone() })));
    let seed = Seed(global.seed.unwrap_or(0));
    let order = JudgeOrder {
        contenders: &contenders.iter().map(|(_, contender)| contender.clone()).collect::<Vec<_>>(),
        most: if args.all { usize::MAX } else if args.positions.is_some() { 0 } else { FEW_POSITIONS },
        sample: args.positions.unwrap_or(SAMPLE) as usize,
        seed,
        memory: MEMORY,
        clock: &|| Box::new(Watch(Instant::now())),
    };
    interrupt::catch()?;
    let begin = Instant::now();
    let mut text = LiveText::new(global.quiet || global.json);
    let mut watch = |stage: JudgeStage, done: u64, of: u64| {
        text.show(|| shown(stage, done, of, true), || shown(stage, done, of, false));
        interrupt::flow()
    };
    let Some(judging) = session.judge(&order, &Files, &mut watch)? else {
        print_notes(&["stopped".to_owned()], global.quiet);
        return Ok(());
    };
    drop(text);
    let found: Vec<Judgement> = judgements(&judging, &contenders, seed);
    print_json(out, &json!({"game": session.spec(), "seconds": begin.elapsed().as_secs_f64(), "population": population(&judging), "judgements": found, "scores": judging.scores}))
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

struct Watch(Instant);

impl Clock for Watch {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
