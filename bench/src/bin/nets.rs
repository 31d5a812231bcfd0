//! Networks, measured: `cargo run --release -p plyground-bench --bin nets`.

use std::time::{Duration, Instant};

use plyground_core::Seed;
use plyground_nets::{Architecture, Batch, Isa, Learning, Network, Predictor, Shape, Size, Trainer};

const ROUND: Duration = Duration::from_millis(500);

fn rate(mut work: impl FnMut()) -> f64 {
    let (mut done, begin) = (0.0, Instant::now());
    while begin.elapsed() < ROUND {
        for _ in 0..10 { work(); }
        done += 10.0;
    }
    done / begin.elapsed().as_secs_f64()
}

fn main() -> anyhow::Result<()> {
    let input = Shape { planes: 12, ranks: 8, files: 8 };
    for (name, size) in [("small", Size::SMALL), ("medium", Size::MEDIUM)] {
        let architecture = Architecture::policy_value(input, 4, size);
        let network = Network::new(architecture.clone(), Seed(1))?;
        let mut rng = Seed(1).rng();
        let planes: Vec<f32> = (0..input.numbers()).map(|_| rng.below(2) as f32).collect();
        let moves: Vec<usize> = (0..40).collect();
        let mut logits = vec![0.0; 40];
        for isa in [Isa::PORTABLE, Isa::best()] {
            let mut predictor = Predictor::with_isa(&network, isa);
            let best = (0..5).map(|_| rate(|| { std::hint::black_box(predictor.evaluate(&planes, &moves, &mut logits)).ok(); })).fold(0.0, f64::max);
            println!("{name} {} {best:.0}/s", isa.name());
        }
        let mut batch = Batch::new(&architecture);
        let probabilities = vec![1.0 / 40.0; 40];
        for _ in 0..128 {
            batch.push(&planes, &moves, &probabilities, Some(0.5))?;
        }
        let mut trainer = Trainer::new(network, Learning::default(), 1);
        let best = (0..3).map(|_| rate(|| { trainer.step(&batch).ok(); })).fold(0.0, f64::max);
        println!("{name} training {best:.1}/s");
    }
    Ok(())
}
