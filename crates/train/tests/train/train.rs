//! Trainings of networks: stopped, resumed, with any number of threads, they come to the same.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use plyground_core::CancelToken;
use plyground_match::FileResources;
use plyground_nets::Size;
use plyground_train::{End, Phase, Round, Training, TrainingObserver, TrainingPlan, TrainingStage};

/// A folder of its own for a test, gone when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("plyground-training-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A training of a second.
fn tiny() -> TrainingPlan {
    TrainingPlan {
        teacher: "mcts:sims=20".to_owned(),
        teacher_games: 20,
        round_games: 20,
        full: 16,
        fast: 8,
        batch: 16,
        window: 150,
        anchor_games: 0,
        ..TrainingPlan::new("tictactoe", None, Size { channels: 8, blocks: 1 }).unwrap()
    }
}

/// Cancels in the middle of a round, after so many calls in a phase.
struct Impatient {
    phase: Phase,
    round: u64,
    calls: AtomicU64,
    cancel: CancelToken,
}

impl Impatient {
    fn new(round: u64, phase: Phase) -> Self {
        Self { phase, round, calls: AtomicU64::new(0), cancel: CancelToken::new() }
    }
}

impl TrainingObserver for Impatient {
    fn stage(&self, stage: TrainingStage) {
        let is_awaited = stage.phase == self.phase && stage.round == self.round;
        if is_awaited && self.calls.fetch_add(1, Ordering::Relaxed) >= 2 {
            self.cancel.cancel();
        }
    }
    fn round(&self, _: &Round) {}
}

/// Looks on to the end.
fn patient() -> Impatient {
    Impatient::new(u64::MAX, Phase::Playing)
}

const ROUNDS: u64 = 5;

fn run(training: &mut Training, observer: &Impatient) {
    training.run(End::Rounds(ROUNDS), "ply train", &FileResources, &observer.cancel, observer).unwrap();
}

/// What a training has come to: its network, bit for bit.
fn network(folder: &Path) -> Vec<u8> {
    std::fs::read(folder.join("network.safetensors")).unwrap()
}

/// What does not depend on a clock.
fn curves(training: &Training) -> Vec<(u64, u64, u64, usize, f64, f64, f64)> {
    let point = |round: &Round| {
        (round.round, round.games, round.steps, round.window, round.policy_loss, round.value_loss, round.first_score)
    };
    training.rounds().iter().map(point).collect()
}

#[test]
fn a_training_that_is_stopped_again_and_again_learns_the_same_as_one_that_is_not() {
    let (whole, parts, threads) = (Folder::new("whole"), Folder::new("parts"), Folder::new("threads"));
    let mut training = Training::begin(&whole.0, tiny(), 1).unwrap();
    run(&mut training, &patient());
    let expected = curves(&training);
    assert_eq!(expected.len() as u64, ROUNDS);
    assert!(expected[1].3 < expected[0].1 as usize * 9, "the window drops something: {expected:?}");

    let mut training = Training::begin(&parts.0, tiny(), 1).unwrap();
    for (round, phase) in [(1, Phase::Teaching), (1, Phase::Learning), (2, Phase::Playing), (4, Phase::Learning)] {
        run(&mut training, &Impatient::new(round, phase));
        assert_eq!(training.rounds().len() as u64, round - 1, "stopped in round {round}, {phase:?}");
        drop(training);
        // What a process leaves that is killed while it writes.
        let left =
            ["round-9.trainer", "round-9.average", "round-1.average.part", "checkpoint.json.part"].map(|name| parts.0.join(name));
        for file in &left {
            std::fs::write(file, "half").unwrap();
        }
        training = Training::resume(&parts.0, 2).unwrap();
        assert!(left.iter().all(|file| !file.exists()), "{left:?}");
    }
    run(&mut training, &patient());
    assert_eq!(curves(&training), expected);
    assert!(network(&parts.0) == network(&whole.0), "stopped and resumed");

    let mut training = Training::begin(&threads.0, tiny(), 2).unwrap();
    run(&mut training, &patient());
    assert_eq!(curves(&training), expected);
    assert!(network(&threads.0) == network(&whole.0), "two threads");
}

/// The folder of the training of a process that is killed.
const KILLED: &str = "PLYGROUND_KILLED_TRAINING";

#[test]
#[ignore = "the process that the test below kills"]
fn a_training_in_a_process_of_its_own() {
    let Some(folder) = std::env::var_os(KILLED).map(PathBuf::from) else { return };
    let begun = if Training::is_in(&folder) { Training::resume(&folder, 1) } else { Training::begin(&folder, tiny(), 1) };
    run(&mut begun.unwrap(), &patient());
}

/// The files of a folder with their sizes and times.
fn files_in(folder: &Path) -> Vec<(PathBuf, u64, Option<SystemTime>)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let described = |entry: std::fs::DirEntry| {
        let data = entry.metadata().ok()?;
        Some((entry.path(), data.len(), data.modified().ok()))
    };
    let mut files: Vec<_> = entries.filter_map(described).collect();
    files.sort();
    files
}

#[test]
fn a_training_that_is_killed_again_and_again_learns_the_same_as_one_that_is_not() {
    let (whole, killed) = (Folder::new("calm"), Folder::new("killed"));
    let mut training = Training::begin(&whole.0, tiny(), 1).unwrap();
    let begin = Instant::now();
    run(&mut training, &patient());
    let took = begin.elapsed();

    let start = || {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "train::a_training_in_a_process_of_its_own", "--ignored"]).env(KILLED, &killed.0);
        child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut interrupted = 0;
    for number in 0..12 {
        let (before, mut child) = (files_in(&killed.0), start());
        // However fast this machine is at the moment: killed at its first change of a file, or some time after it.
        let mut has_ended = false;
        while !has_ended && files_in(&killed.0) == before {
            std::thread::sleep(Duration::from_millis(1));
            has_ended = child.try_wait().unwrap().is_some();
        }
        std::thread::sleep(took * (number % 4) / 20);
        interrupted += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(interrupted >= 3, "it was killed {interrupted} times before it had ended by itself");
    assert!(start().wait().unwrap().success(), "what was killed goes on");
    let found = Training::resume(&killed.0, 1).unwrap();
    assert_eq!(curves(&found), curves(&training));
    assert!(network(&killed.0) == network(&whole.0), "killed and resumed");
}

#[test]
fn a_measurement_has_all_anchors_the_network_alone_and_the_solver() {
    let folder = Folder::new("measured");
    let anchors = ["random", "mcts:sims=10", "alphabeta:depth=2"].map(str::to_owned).to_vec();
    let plan = TrainingPlan { anchors, anchor_games: 4, anchor_sims: 8, anchor_minutes: 1e6, ..tiny() };
    let mut training = Training::begin(&folder.0, plan, 2).unwrap();
    run(&mut training, &patient());
    let (last, before) = training.rounds().split_last().unwrap();
    assert!(before.iter().all(|round| round.measured.is_empty() && round.agreement.is_none()));
    let lines: Vec<(&str, &str, u64)> =
        last.measured.iter().map(|measured| (measured.player.as_str(), measured.anchor.as_str(), measured.games)).collect();
    let expected = [
        ("search", "random", 4),
        ("search", "mcts:sims=10", 4),
        ("search", "alphabeta:depth=2", 4),
        ("alone", "random", 4),
        ("alone", "mcts:sims=10", 4),
    ];
    assert_eq!(lines, expected);
    let agreement = last.agreement.unwrap();
    assert!(agreement.solved >= 40, "{agreement:?}");
    assert!(agreement.decided <= agreement.solved && agreement.winner_right <= agreement.decided, "{agreement:?}");
    assert!(agreement.to_keep <= agreement.solved && agreement.kept <= agreement.to_keep, "{agreement:?}");
    // A training knows what it was told after it is read again, too.
    assert_eq!(Training::resume(&folder.0, 1).unwrap().rounds(), training.rounds());
}

#[test]
fn where_chance_plays_there_is_no_agreement_with_a_solver() {
    let folder = Folder::new("chance");
    let game = TrainingPlan::new("tuc-chess", None, Size { channels: 8, blocks: 1 }).unwrap();
    let plan = TrainingPlan {
        game: game.game,
        encoder: game.encoder,
        teacher: "random".to_owned(),
        teacher_games: 4,
        round_games: 4,
        anchors: vec!["random".to_owned()],
        anchor_games: 2,
        anchor_sims: 4,
        ..tiny()
    };
    let mut training = Training::begin(&folder.0, plan, 2).unwrap();
    training.run(End::Rounds(1), "ply train", &FileResources, &CancelToken::new(), &patient()).unwrap();
    assert_eq!(training.rounds()[0].agreement, None);
    assert_eq!(training.rounds()[0].measured.len(), 2);
}
