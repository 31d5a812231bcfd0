//! `ply learn GAME --from RUN|FILE --out FILE`: a network learns from games that were played.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use plyground_match::{RunError, RunPrefix};
use plyground_nets::weights::{self, Header, Precision};
use plyground_nets::{Architecture, Network, Size, ValueLoss};
use plyground_session::{GameRecord, InputError};
use plyground_train::learn::{Course, CourseObserver, CourseStage, Epoch, Games, Loss, Optimizer, learn, split_words};
use plyground_train::{TrainableGame, trainable_game};
use serde_json::{Value, json};

use crate::runs::{command, find_run, open_store, threads};
use crate::store::{read_file, read_settings, typed, write_whole};
use plyground_args::{Global, LearnArgs, LossName, OptimizerName};
use plyground_terminal::interrupt;
use plyground_terminal::{LiveText, bar};
use plyground_terminal::{count, print_json, seconds};

pub fn run(args: &LearnArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let trainable = trainable_game(&args.game, args.encoder.as_deref())?;
    let course = Course {
        architecture: architecture(&args.net, trainable.as_ref())?,
        epochs: args.epochs,
        positions: args.positions.map(|positions| positions as usize),
        batch: args.batch as usize,
        rate: args.rate,
        loss: match args.loss {
            LossName::Mse => ValueLoss::Squared,
            LossName::Mae => ValueLoss::Absolute,
            LossName::CrossEntropy => ValueLoss::CrossEntropy,
        },
        optimizer: match args.optimizer {
            OptimizerName::Adam => Optimizer::Adam,
            OptimizerName::Sgd => Optimizer::Descent,
            OptimizerName::Momentum => Optimizer::Momentum,
            OptimizerName::Rmsprop => Optimizer::RmsProp,
        },
        seed: global.seed.unwrap_or(0),
        threads: threads(args.threads),
    };
    // Nothing should stand in the way of the file after an hour of learning.
    if let Some(dir) = args.out.parent().filter(|dir| !dir.as_os_str().is_empty() && !dir.is_dir()) {
        bail!("cannot write {}: there is no directory {}", args.out.display(), dir.display());
    }
    interrupt::catch()?;
    let games = games(args, trainable.as_ref(), global)?;
    let size = Network::new(course.architecture.clone(), plyground_session::Seed(0))?.size();
    let mut live = Live {
        text: LiveText::new(global.quiet || global.json),
        quiet: global.quiet || global.json,
        epochs: args.epochs,
        file: &args.out,
        precision: if args.half { Precision::Half } else { Precision::Single },
        trainable: trainable.as_ref(),
        curve: Vec::new(),
        best: None,
    };
    let words = format!("{} numbers learn from games: {}", count(size as u64), split_words(games.counts()));
    if !live.quiet {
        live.text.print(&words);
    }
    learn(trainable.as_ref(), &games, &course, &mut live)?;
    let Live { curve, best, .. } = live;
    if global.json {
        return print_json(
            out,
            &json!({"game": trainable.game(), "file": args.out, "games": games.counts(), "best": best, "epochs": curve}),
        );
    }
    let Some(best) = best.and_then(|best| curve.iter().find(|epoch| epoch.epoch == best)) else {
        bail!("no epoch came to an end with a loss that is a number: try a lower --rate");
    };
    writeln!(out, "{}: epoch {}, test {}", typed(&args.out), best.epoch, loss_words(best.test))?;
    if !global.quiet {
        writeln!(out, "Play against it with: ply play {} --against mcts:leaf=net,net={}", trainable.game(), typed(&args.out))?;
    }
    Ok(())
}

/// The network that a word or a file describes, on what the encoder shows.
fn architecture(net: &str, trainable: &dyn TrainableGame) -> anyhow::Result<Architecture> {
    if let Some(size) = Size::named(net) {
        return Ok(trainable.architecture(size));
    }
    match net {
        "thesis" => return Ok(Architecture::crosphere_thesis(trainable.input())),
        "thesis-3d" => return Ok(Architecture::crosphere_thesis_3d(trainable.input())),
        "thesis-deep" => return Ok(Architecture::crosphere_thesis_deep(trainable.input())),
        _ => (),
    }
    let file = Path::new(net);
    if !file.exists() {
        let expected = ["thesis", "thesis-3d", "thesis-deep", "small", "medium", "a file that describes one"];
        bail!(InputError::unknown("network to teach", net, expected));
    }
    let bad = |detail: String| InputError::malformed("description of a network", net, detail);
    let mut described: Value = serde_json::from_str(&read_settings(file)?).map_err(|error| bad(error.to_string()))?;
    let Some(parts) = described.as_object_mut() else {
        bail!(bad("expected a JSON object with trunk, policy and value".to_owned()))
    };
    parts.entry("input").or_insert(serde_json::to_value(trainable.input())?);
    let architecture: Architecture = serde_json::from_value(described).map_err(|error| bad(error.to_string()))?;
    architecture.check().map_err(|error| bad(error.to_string()))?;
    if architecture.input != trainable.input() {
        bail!(bad(format!(
            "its input is {:?}, but the encoder '{}' shows {:?}",
            architecture.input,
            trainable.encoder(),
            trainable.input()
        )));
    }
    Ok(architecture)
}

/// All games of all sources.
fn games(args: &LearnArgs, trainable: &dyn TrainableGame, global: &Global) -> anyhow::Result<Games> {
    let mut games = Games::default();
    let mut text = LiveText::new(global.quiet || global.json);
    let mut read = 0;
    let mut add = |record: &GameRecord, source: &str| -> anyhow::Result<()> {
        read += 1;
        let line = || format!("reading the games: {}", count(read));
        text.show(line, line);
        if interrupt::asked() {
            bail!("stopped before anything was learnt");
        }
        games.add(trainable, record, global.seed.unwrap_or(0)).with_context(|| format!("{source}: game {read}"))
    };
    for source in &args.from {
        if Path::new(source).is_file() {
            for record in read_file(Path::new(source))? {
                add(&record, source)?;
            }
            continue;
        }
        let store = open_store(global)?;
        let run = find_run(&store, source)?.run;
        let mut added = Ok(());
        store.games(RunPrefix::all(&run.id), |game| {
            // Who crashed has not lost on the board.
            if added.is_ok() && game.fault.is_none() {
                added = add(&game.record(&run.experiment), source);
            }
        })?;
        added?;
    }
    Ok(games)
}

struct Live<'a> {
    text: LiveText,
    quiet: bool,
    epochs: u32,
    file: &'a PathBuf,
    precision: Precision,
    trainable: &'a dyn TrainableGame,
    curve: Vec<Epoch>,
    /// The number of the epoch whose network is in the file.
    best: Option<u32>,
}

impl CourseObserver for Live<'_> {
    fn stage(&mut self, stage: CourseStage) -> ControlFlow<()> {
        let CourseStage { epoch, done, of } = stage;
        let left = self.text.elapsed().as_secs_f64() * ((self.epochs - epoch) as f64 * of as f64 + (of - done) as f64)
            / ((epoch - 1) as f64 * of as f64 + done as f64);
        let left = seconds(Duration::from_secs_f64(left));
        let line =
            || format!("epoch {epoch} of {}: {} of {} steps, {left} left", self.epochs, count(done as u64), count(of as u64));
        let part = ((epoch - 1) as f32 + done as f32 / of as f32) / self.epochs as f32;
        self.text.show(|| format!("{} (Ctrl-C: stop and keep what is learnt)\n{}", bar(part), line()), line);
        interrupt::flow()
    }

    fn epoch(&mut self, epoch: &Epoch, best: Option<&Network>) -> Result<(), RunError> {
        if let Some(network) = best {
            let strength = format!("squared error {:.4} on games of the test part", epoch.test.squared);
            let header = Header { training: command().to_owned(), strength, ..self.trainable.header(network) };
            let bytes = weights::write_as(self.precision, &header, network)?;
            write_whole(self.file, bytes)?;
            self.best = Some(epoch.epoch);
        }
        if !self.quiet {
            self.text.print(&format!(
                "epoch {}{}: {} steps, {}; train {}, validation {}, test {}{}",
                epoch.epoch,
                if epoch.stopped { " (stopped)" } else { "" },
                count(epoch.steps),
                seconds(Duration::from_secs_f64(epoch.seconds)),
                loss_words(epoch.train),
                loss_words(epoch.validation),
                loss_words(epoch.test),
                if best.is_some() { ", kept" } else { "" }
            ));
        }
        self.curve.push(epoch.clone());
        Ok(())
    }
}

/// The loss of the value, its squared error where that is another one, and the cross-entropy of the policy where there is one.
fn loss_words(loss: Loss) -> String {
    let policy = if loss.policy == 0.0 { String::new() } else { format!(" and policy {:.4}", loss.policy) };
    let squared = if loss.value == loss.squared { String::new() } else { format!(" (squared {:.4})", loss.squared) };
    format!("{:.4}{squared}{policy}", loss.value)
}
