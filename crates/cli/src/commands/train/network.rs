//! `ply train GAME`: a network learns by playing against itself.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::bail;
use plyground_cluster::SelfPlayers;
use plyground_core::sync::lock;
use plyground_match::{FileResources, machine, shell_word};
use plyground_nets::Size;
use plyground_session::InputError;
use plyground_train::{End, Phase, Round, Training, TrainingObserver, TrainingPlan, TrainingStage};
use serde_json::json;

use crate::executor::connect;
use crate::store::{data_dir, typed};
use plyground_args::{Global, QueueArgs, TrainArgs};
use plyground_terminal::interrupt;
use plyground_terminal::{Dashboard, TrainingScreen};
use plyground_terminal::{LiveText, bar};
use plyground_terminal::{count, print_json, print_notes, seconds};

pub fn run(args: &TrainArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    if args.games.is_some() {
        bail!(InputError::malformed("option", "--games", "it is for --agent; a network is trained by time: --hours"));
    }
    let plan = plan(args, global)?;
    let folder = folder(args, global, &plan)?;
    let threads =
        args.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), |threads| threads as usize);
    let mut training = if Training::is_in(&folder) {
        let training = Training::resume(&folder, threads)?;
        if let Some(difference) = difference(training.plan(), &plan) {
            bail!(InputError::malformed(
                "training",
                &folder.display().to_string(),
                format!("it was begun with {difference}; choose another folder with --out")
            ));
        }
        training
    } else {
        Training::begin(&folder, plan, threads)?
    };
    if let Some(players) = players(&args.queue, global.quiet)? {
        training.played_by(Box::new(players));
    }
    interrupt::catch()?;
    let total = args.hours * 3600.0;
    let before = training.rounds().len();
    let observer: Box<dyn TrainingObserver> = if TrainingScreen::is_there() && !global.quiet && !args.plain {
        Box::new(TrainingScreen::open(Dashboard::new(training.plan(), machine(), total, training.rounds()))?)
    } else {
        Box::new(Live { text: Mutex::new(LiveText::new(global.quiet)), total, quiet: global.quiet })
    };
    training.run(End::Seconds(total), &command(args), &FileResources, interrupt::token(), observer.as_ref())?;
    drop(observer);
    let rounds = training.rounds();
    if global.json {
        return print_json(
            out,
            &json!({"game": training.plan().game, "folder": folder, "network": training.network_file(), "rounds": rounds}),
        );
    }
    let Some(last) = rounds.last() else {
        writeln!(out, "Stopped before the first round was over: nothing is learnt yet.")?;
        return Ok(());
    };
    writeln!(
        out,
        "{} rounds, {} games, {} steps, {} of training ({} rounds in this sitting).",
        rounds.len(),
        count(last.games),
        count(last.steps),
        seconds(Duration::from_secs_f64(last.seconds)),
        rounds.len() - before
    )?;
    for measured in rounds.iter().rev().find(|round| !round.measured.is_empty()).map_or(&[][..], |round| &round.measured) {
        let [low, high] = measured.elo;
        writeln!(
            out,
            "{} against {}: {:.1} % of {} games, Elo {low:+.0} to {high:+.0}",
            measured.player,
            measured.anchor,
            100.0 * measured.score,
            measured.games
        )?;
    }
    writeln!(out, "{}", training.network_file().display())?;
    if !global.quiet {
        writeln!(
            out,
            "Play against it with: ply play {} --against az:net={},sims=400",
            training.plan().game,
            typed(&training.network_file())
        )?;
    }
    Ok(())
}

/// The workers at a queue, if that is who is to play.
fn players(queue: &QueueArgs, quiet: bool) -> anyhow::Result<Option<SelfPlayers>> {
    let Some(access) = queue.access()? else { return Ok(None) };
    Ok(Some(SelfPlayers::new(Arc::new(connect(&access, quiet)?))?.telling(move |note| print_notes(&[note.to_owned()], quiet))))
}

/// The settings that were asked for.
fn plan(args: &TrainArgs, global: &Global) -> anyhow::Result<TrainingPlan> {
    let size = Size::named(&args.net).ok_or_else(|| InputError::unknown("size of a network", &args.net, ["small", "medium"]))?;
    let mut plan = TrainingPlan::new(&args.game, args.encoder.as_deref(), size)?;
    plan.seed = global.seed.unwrap_or(plan.seed);
    if let Some(teacher) = &args.teacher {
        plan.teacher = if teacher == "none" { String::new() } else { teacher.clone() };
    }
    plan.teacher_games = args.teacher_games.unwrap_or(plan.teacher_games);
    for setting in &args.set {
        let Some((key, value)) = setting.split_once('=') else {
            bail!(InputError::malformed("setting", setting, "expected KEY=VALUE"));
        };
        let mut settings = serde_json::to_value(&plan)?;
        let known: Vec<String> = settings.as_object().into_iter().flat_map(|map| map.keys().cloned()).collect();
        if !known.iter().any(|known| known == key) {
            bail!(InputError::unknown("setting", key, known.iter().map(String::as_str)));
        }
        settings[key] = serde_json::from_str(value).unwrap_or_else(|_| value.into());
        plan = serde_json::from_value(settings).map_err(|error| InputError::malformed("setting", setting, error.to_string()))?;
    }
    Ok(plan)
}

/// Where the training is kept.
fn folder(args: &TrainArgs, global: &Global, plan: &TrainingPlan) -> anyhow::Result<PathBuf> {
    if let Some(out) = &args.out {
        return Ok(out.clone());
    }
    let name: String = plan.game.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    Ok(data_dir(global)?.join("training").join(format!("{name}-{}", args.net)))
}

/// The first setting in which two plans differ, as the older one has it.
fn difference(older: &TrainingPlan, newer: &TrainingPlan) -> Option<String> {
    let [older, newer] = [older, newer].map(|plan| serde_json::to_value(plan).expect("a plan is plain data"));
    let differs = |(key, value): (&String, &serde_json::Value)| {
        (newer[key] != *value).then(|| format!("{key}={value}, not {}", newer[key]))
    };
    older.as_object()?.iter().find_map(differs)
}

/// The command as it was typed, for the header of the network.
fn command(args: &TrainArgs) -> String {
    let mut words = vec!["ply train".to_owned(), shell_word(&args.game), format!("--hours {} --net {}", args.hours, args.net)];
    words.extend(args.encoder.iter().map(|encoder| format!("--encoder {encoder}")));
    words.extend(args.teacher.iter().map(|teacher| format!("--teacher {}", shell_word(teacher))));
    words.extend(args.teacher_games.iter().map(|games| format!("--teacher-games {games}")));
    words.extend(args.set.iter().map(|setting| format!("--set {}", shell_word(setting))));
    words.join(" ")
}

/// Shows how far it is.
struct Live {
    text: Mutex<LiveText>,
    /// Seconds of training in all.
    total: f64,
    quiet: bool,
}

impl TrainingObserver for Live {
    fn stage(&self, stage: TrainingStage) {
        let doing = match stage.phase {
            Phase::Teaching => "games of the teacher",
            Phase::Playing => "games against itself",
            Phase::Learning => "steps of learning",
            Phase::Measuring => "pairs of games against the anchors",
        };
        let left = seconds(Duration::from_secs_f64((self.total - stage.seconds).max(0.0)));
        let line = || format!("round {}: {} of {} {doing}, {left} left", stage.round, count(stage.done), count(stage.of));
        let full =
            || format!("{} (Ctrl-C: stop; the same command goes on)\n{}", bar((stage.seconds / self.total) as f32), line());
        lock(&self.text).show(full, line);
    }

    fn round(&self, round: &Round) {
        if self.quiet {
            return;
        }
        let mut text = format!(
            "round {}: {} games, policy {:.3}, value {:.3}, {:.0} plies, first {:.0} %, {:.0} games/h, {:.0} judgements/s ({:.0} % of the time), {:.1} steps/s",
            round.round,
            count(round.games),
            round.policy_loss,
            round.value_loss,
            round.plies,
            100.0 * round.first_score,
            round.games_per_hour,
            round.judgements_per_second,
            100.0 * round.network_share,
            round.steps_per_second,
        );
        for measured in &round.measured {
            text += &format!(
                "\n  {} against {}: {:.1} % of {}",
                measured.player,
                measured.anchor,
                100.0 * measured.score,
                measured.games
            );
        }
        lock(&self.text).print(&text);
    }
}
