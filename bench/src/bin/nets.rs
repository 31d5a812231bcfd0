//! Networks beside onnxruntime in one run: `cargo run --release -p plyground-bench --bin nets`.
//!
//! Evaluations a second of the small and the medium network on 12 planes of 8x8, at batch 1, 8 and 32, one thread each, best of several
//! rounds in turn; then steps of training a second at batch 128, one thread. onnxruntime computes the logits of all moves, ours those of
//! 40: searches ask for no others. Then self-play with each network that comes with the program, one thread: games an hour, and the share of
//! the time that the network takes, by what its judgements take alone. Exits with 1 if a bar is missed: 1.5 times onnxruntime at batch 1,
//! as fast at batch 32.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use plyground_bench::python::Script;
use plyground_bench::verdict;
use plyground_core::{CancelToken, Rng, Seed};
use plyground_match::{BuiltIn, NETWORKS};
use plyground_nets::{Architecture, Batch, Isa, Learning, Network, Predictor, Shape, Size, Trainer, onnx};
use plyground_train::{SelfPlay, evaluations_per_second, header_game, read_network, trainable_game};

const ONNXRUNTIME: &str = "onnxruntime==1.31.1";
const ROUNDS: u32 = 5;
/// How long every network plays against itself, at least.
const SELF_PLAY: Duration = Duration::from_secs(5);
const ROUND: Duration = Duration::from_millis(400);
const INPUT: Shape = Shape { planes: 12, ranks: 8, files: 8 };
const MOVES: usize = 40;
/// Batches, and how many times as fast as onnxruntime we have to be.
const BATCHES: [(usize, Option<f64>); 3] = [(1, Some(1.5)), (8, None), (32, Some(1.0))];
/// More positions than this are computed in parts: they would only push each other out of the cache.
const AT_ONCE: usize = 8;

fn main() -> ExitCode {
    verdict(run())
}

fn run() -> Result<bool> {
    let mut peer = Script::start(ONNXRUNTIME, include_str!("../onnx_peer.py"))
        .context("onnxruntime is needed to compare with, and could not be set up (python3 with venv and pip, and network)")?;
    let mut missed = false;
    println!("{:<8} {:>6} {:>14} {:>10} {:>7} {:>5}", "network", "batch", "onnxruntime/s", "ours/s", "ratio", "bar");
    for (name, size) in [("small", Size::SMALL), ("medium", Size::MEDIUM)] {
        let network = Network::new(Architecture::policy_value(INPUT, 4, size), Seed(1))?;
        let file = std::env::temp_dir().join(format!("plyground-{}-{name}.onnx", std::process::id()));
        std::fs::write(&file, onnx::export(&network)?).with_context(|| format!("{} cannot be written", file.display()))?;
        for (batch, bar) in BATCHES {
            let question = format!("{}\t{batch}\t{}", file.display(), ROUND.as_secs_f64());
            let (mut theirs, mut ours) = (0.0_f64, 0.0_f64);
            for _ in 0..ROUNDS {
                theirs = theirs.max(peer.ask(&question)?.parse().context("onnxruntime did not answer with a rate")?);
                ours = ours.max(evaluations(&network, batch, Isa::best()));
            }
            let ratio = ours / theirs;
            let (text, word) =
                bar.map_or((String::from("-"), ""), |bar| (bar.to_string(), if ratio < bar { "MISSED" } else { "passed" }));
            missed |= word == "MISSED";
            println!("{name:<8} {batch:>6} {theirs:>14.0} {ours:>10.0} {ratio:>7.2} {text:>5} {word}");
        }
        std::fs::remove_file(&file).with_context(|| format!("{} cannot be removed", file.display()))?;
        for isa in Isa::all() {
            println!("{name:<8} {:>6} {:>14} {:>10.0}", 1, isa.name(), evaluations(&network, 1, isa));
        }
        println!("{name:<8} {:>6} {:>14} {:>10.1}", 128, "training steps", training(network)?);
    }
    println!("\n{:<16} {:>12} {:>14} {:>18}", "self-play with", "games/hour", "judgements/s", "in the network");
    for network in NETWORKS {
        self_play(network)?;
    }
    Ok(!missed)
}

/// Games of a network against itself, as in a training with the usual settings, for some seconds.
fn self_play(built_in: &BuiltIn) -> Result<()> {
    let (header, network) = read_network(built_in.name, built_in.file)?;
    if network.architecture().policy.is_none() {
        println!("{:<16} has no policy: it cannot play against itself", built_in.name);
        return Ok(());
    }
    let trainable = trainable_game(&header_game(&header), Some(&header.encoder))?;
    let mut actor = trainable.learner(&network, SelfPlay::default());
    let (mut games, mut judgements, begin) = (0, 0, Instant::now());
    while begin.elapsed() < SELF_PLAY {
        let self_play_game = actor.play(Seed(games), &CancelToken::new())?.context("a game came to no end")?;
        games += 1;
        judgements += self_play_game.judgements;
    }
    let seconds = begin.elapsed().as_secs_f64();
    let alone = judgements as f64 / evaluations_per_second(&header, &network, 1)?;
    let (per_hour, rate, share) = (games as f64 * 3600.0 / seconds, judgements as f64 / seconds, 100.0 * alone / seconds);
    println!("{:<16} {per_hour:>12.0} {rate:>14.0} {share:>16.0} %", built_in.name);
    Ok(())
}

fn planes(rng: &mut Rng) -> Vec<f32> {
    (0..INPUT.numbers()).map(|_| rng.below(2) as f32).collect()
}

/// How often a second, in one round.
fn rate(mut work: impl FnMut()) -> f64 {
    let (mut done, begin) = (0.0, Instant::now());
    while begin.elapsed() < ROUND {
        work();
        done += 1.0;
    }
    done / begin.elapsed().as_secs_f64()
}

fn evaluations(network: &Network, batch: usize, isa: Isa) -> f64 {
    let mut rng = Seed(2).rng();
    let positions: Vec<Vec<f32>> = (0..batch).map(|_| planes(&mut rng)).collect();
    let moves: Vec<usize> = (0..MOVES).collect();
    let mut logits = [0.0; MOVES];
    let mut predictor = Predictor::with(network, batch.min(AT_ONCE), isa);
    let batches = rate(|| {
        for part in positions.chunks(AT_ONCE) {
            for (place, planes) in part.iter().enumerate() {
                predictor.load(place, planes).expect("the planes fit");
            }
            predictor.run(part.len());
            for place in 0..part.len() {
                predictor.logits(place, &moves, &mut logits).expect("the moves are known");
                black_box((predictor.value(place), logits));
            }
        }
    });
    batches * batch as f64
}

fn training(network: Network) -> Result<f64> {
    let mut rng = Seed(3).rng();
    let mut batch = Batch::new(network.architecture());
    let moves: Vec<usize> = (0..MOVES).collect();
    for _ in 0..128 {
        batch.push(&planes(&mut rng), &moves, &[1.0 / MOVES as f32; MOVES], Some(rng.unit() as f32))?;
    }
    let mut trainer = Trainer::new(network, Learning::default(), 1);
    let steps = (0..ROUNDS).map(|_| rate(|| _ = trainer.step(&batch).expect("the batch can be learnt"))).fold(0.0, f64::max);
    Ok(steps)
}
