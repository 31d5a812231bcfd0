//! The same networks in PyTorch and onnxruntime. Both are large, and not needed for anything else: where Python does not have them, the
//! tests say so and check nothing. `PLYGROUND_PYTHON` names another Python than `python3`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use plyground_nets::weights::{FORMAT, Header};
use plyground_nets::{Architecture, Learning, Network, Predictor, Rule, Trainer, onnx, weights};
use serde_json::{Value, json};

use crate::gradients::{Sample, batch, samples};
use crate::oracle;

/// A Python that can import this module.
fn python(module: &str) -> Option<PathBuf> {
    let python = PathBuf::from(std::env::var_os("PLYGROUND_PYTHON").unwrap_or_else(|| "python3".into()));
    let found = Command::new(&python).args(["-c", &format!("import {module}")]).stderr(Stdio::null()).status();
    if found.is_ok_and(|status| status.success()) {
        return Some(python);
    }
    // Past the capture of the test harness: who reads the log must see it.
    let _ =
        writeln!(std::io::stderr(), "SKIPPED: {} cannot import {module}; networks were not compared with it", python.display());
    None
}

fn ask(python: &Path, script: &str, question: &Value) -> Value {
    let mut child = Command::new(python)
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python was just there");
    child.stdin.take().unwrap().write_all(question.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the script failed; its reason is above");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A file of its own for each test, away when it is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

fn largest_difference(ours: &[f32], theirs: &Value) -> f64 {
    let theirs = numbers(theirs);
    assert_eq!(ours.len(), theirs.len());
    ours.iter().zip(theirs).map(|(&ours, theirs)| (f64::from(ours) - theirs).abs()).fold(0.0, f64::max)
}

/// All logits and the values of all positions.
fn outputs(network: &Network, samples: &[Sample]) -> [Vec<f32>; 2] {
    let mut predictor = Predictor::new(network);
    let moves: Vec<usize> = (0..network.architecture().moves()).collect();
    let (mut policy, mut values) = (Vec::new(), Vec::new());
    for sample in samples {
        let mut logits = vec![0.0; moves.len()];
        values.push(predictor.evaluate(&sample.planes, &moves, &mut logits).unwrap());
        policy.extend(logits);
    }
    [policy, values]
}

fn compare_outputs(name: &str, architecture: &Architecture, ours: &[Vec<f32>; 2], theirs: &Value) {
    for (head, ours, there) in
        [("policy", &ours[0], architecture.policy.is_some()), ("value", &ours[1], architecture.value.is_some())]
    {
        assert_eq!(theirs.get(head).is_some(), there);
        if there {
            let difference = largest_difference(ours, &theirs[head]);
            assert!(difference < 1e-4, "{name}: {head} differs by {difference}");
        }
    }
}

#[test]
fn outputs_and_five_steps_of_adam_are_those_of_pytorch() {
    const STEPS: usize = 5;
    let Some(python) = python("torch") else { return };
    for (name, architecture) in oracle::zoo() {
        let network = oracle::random_network(&architecture, 1);
        let samples = samples(&architecture, 19, 2);
        let header = header(&architecture);
        let file = Scratch::new("torch.safetensors", &weights::write(&header, &network).unwrap());
        let (beta, epsilon, weight_decay) = ([0.9, 0.99], 1e-6, 0.1);
        let learning = Learning {
            rate: 1e-3,
            rule: Rule::Adam { beta, epsilon, weight_decay },
            policy_weight: 0.7,
            value_weight: 1.3,
            longest_gradient: Some(0.5),
            ..Learning::default()
        };
        let positions: Vec<Value> = samples
            .iter()
            .map(|sample| {
                json!({"planes": sample.planes, "moves": sample.moves, "probabilities": sample.probabilities, "value": sample.value})
            })
            .collect();
        let question = json!({
            "file": file.0,
            "positions": positions,
            "steps": STEPS,
            "learning": {"rate": learning.rate, "beta": beta, "epsilon": epsilon, "weight_decay": weight_decay,
                "policy_weight": learning.policy_weight, "value_weight": learning.value_weight,
                "longest_gradient": learning.longest_gradient},
        });
        let answer = ask(&python, include_str!("torch_peer.py"), &question);
        compare_outputs(name, &architecture, &outputs(&network, &samples), &answer["outputs"]);
        let mut trainer = Trainer::new(network, learning, 2);
        let batch = batch(&architecture, &samples);
        for step in 0..STEPS {
            let losses = trainer.step(&batch).unwrap();
            let theirs = numbers(&answer["losses"][step]);
            let difference = (losses.policy - theirs[0]).abs().max((losses.value - theirs[1]).abs());
            assert!(difference < 1e-4, "{name}: {losses:?} in step {step}, {theirs:?} there");
        }
        for tensor in trainer.network().tensors() {
            let difference = largest_difference(&tensor.values, &answer["tensors"][&tensor.name]);
            assert!(difference < 1e-4, "{name}: {} differs by {difference} after {STEPS} steps", tensor.name);
        }
    }
}

#[test]
fn onnxruntime_reads_what_is_exported() {
    let Some(python) = python("onnxruntime") else { return };
    for (name, architecture) in oracle::zoo() {
        let network = oracle::random_network(&architecture, 3);
        let samples = samples(&architecture, 3, 4);
        let file = Scratch::new("export.onnx", &onnx::export(&network).unwrap());
        let planes: Vec<&[f32]> = samples.iter().map(|sample| &*sample.planes).collect();
        let answer = ask(&python, include_str!("onnx_peer.py"), &json!({"file": file.0, "planes": planes}));
        compare_outputs(name, &architecture, &outputs(&network, &samples), &answer["outputs"]);
    }
}

pub fn header(architecture: &Architecture) -> Header {
    Header {
        format: FORMAT,
        game: "clobber".to_owned(),
        parameters: "size=8x8".to_owned(),
        encoder: "general".to_owned(),
        architecture: architecture.clone(),
        training: "ply train clobber:size=8x8 --hours 2".to_owned(),
        strength: String::new(),
    }
}
