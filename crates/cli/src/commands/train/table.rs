//! `ply train GAME --agent q --out FILE`: an agent learns from games of its own or against an opponent, and what it has learnt is
//! kept in a file.

use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use plyground_match::{FileResources, read_bounded};
use plyground_session::{InputError, Learnt, Resources as _, Seed, TrainingProgress, open};
use plyground_train::{SeatScore, TrainableAgent, TrainingCurve, TrainingSet, trainable_agent};
use serde_json::{Value, json};

use crate::store::{read_text, typed, write_whole};
use plyground_args::{Global, TrainArgs};
use plyground_terminal::interrupt;
use plyground_terminal::{LiveText, bar};
use plyground_terminal::{count, print_json, print_notes, rate, seconds};

/// Games against random in each seat, as an honest check.
const CHECK_GAMES: u64 = 1_000;

/// The training games of a set, where nothing else is said.
pub(super) const SET: u64 = 1_000;

/// What was learnt is written at least this often: whatever happens, not more is lost.
const KEEP_EVERY: Duration = Duration::from_secs(30);

pub fn run(args: &TrainArgs, agent: &str, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    if args.queue.queue.is_some() {
        bail!(InputError::malformed(
            "option",
            "--queue",
            "it is for networks; what --agent trains learns from each game at once"
        ));
    }
    let session = open(&args.game, None)?;
    let mut training = prepared(args, agent)?;
    let file = args.out.as_ref().context("--out is missing: expected the file for what is learnt")?;
    let opponent = args.both_learn.then(|| beside(file, "-opponent"));
    let before = load(training.as_mut(), file, opponent.as_deref())?;
    let games = args.games.unwrap_or_else(|| training.training_games());
    let mut kept = Kept { args, file, opponent, curve: curve(args, before)? };
    if kept.args.curve.is_some() && training.results().is_none() {
        bail!(InputError::malformed("option", "--curve", "expected --agent ffn, whose training games have results"));
    }
    interrupt::catch()?;
    let begin = Instant::now();
    kept.train(training.as_mut(), games, global.quiet)?;
    let time = begin.elapsed();
    let learnt = training.learnt();
    let bytes = fs::metadata(file).map_or(0, |metadata| metadata.len());
    // Who has asked to stop does not want to wait for a check either.
    let tallies = if interrupt::asked() { None } else { Some(check(training.as_mut(), global)?) };
    print_notes(&learnt.notes, global.quiet);
    let sitting = Sitting {
        game: session.spec(),
        agent,
        file,
        games: learnt.games - before,
        time,
        bytes,
        player: training.player(&typed(file)),
        curve: &kept.curve,
    };
    if global.json {
        return print_json(out, &sitting.json(&learnt, tallies.as_ref()));
    }
    sitting.print(&learnt, tallies.as_ref(), global.quiet, out)
}

/// The most bytes of a file with what was learnt.
const LARGEST: u64 = 1 << 30;

/// The agent of a command, with what it begins with and its opponent.
pub(super) fn prepared(args: &TrainArgs, agent: &str) -> anyhow::Result<Box<dyn TrainableAgent>> {
    let mut training = trainable_agent(&args.game, agent)?;
    if let Some(from) = &args.from {
        training.begin_with(from, &FileResources.read(from)?)?;
    }
    if let Some(against) = &args.against {
        training.play_against(against, args.both_learn, &FileResources)?;
    }
    Ok(training)
}

/// The file of this name with something behind its stem.
fn beside(file: &Path, behind: &str) -> PathBuf {
    let stem = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let ending = file.extension().map_or_else(String::new, |ending| format!(".{}", ending.to_string_lossy()));
    file.with_file_name(format!("{stem}{behind}{ending}"))
}

/// Reads what an earlier training has left in the file, and says how many games that were.
fn load(training: &mut dyn TrainableAgent, file: &Path, opponent: Option<&Path>) -> anyhow::Result<u64> {
    let stays = |error: InputError| anyhow::anyhow!("{error}; the file stays as it is: choose another name for --out");
    match read_bounded(file, LARGEST) {
        Ok(bytes) => {
            training.load(&file.display().to_string(), &bytes).map_err(stays)?;
            if let Some(opponent) = opponent {
                let bytes = read_bounded(opponent, LARGEST).with_context(|| format!("cannot read {}", opponent.display()))?;
                training.load_opponent(&opponent.display().to_string(), &bytes).map_err(stays)?;
            }
            Ok(training.learnt().games)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            // A name that cannot be written should not come to light after an hour of training.
            match file.parent() {
                Some(dir) if !dir.as_os_str().is_empty() && !dir.is_dir() => {
                    bail!("cannot write {}: there is no directory {}", file.display(), dir.display())
                }
                _ => Ok(0),
            }
        }
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}

/// The curve so far: what the file has of the games before.
fn curve(args: &TrainArgs, before: u64) -> anyhow::Result<TrainingCurve> {
    match &args.curve {
        Some(file) if before > 0 && file.exists() => {
            Ok(TrainingCurve::read(&file.display().to_string(), &read_text(file)?, before)?)
        }
        _ => Ok(TrainingCurve::default()),
    }
}

/// What is kept of a training, and where.
struct Kept<'a> {
    args: &'a TrainArgs,
    file: &'a Path,
    /// The file of an opponent that learns, too.
    opponent: Option<PathBuf>,
    curve: TrainingCurve,
}

impl Kept<'_> {
    fn train(&mut self, training: &mut dyn TrainableAgent, games: u64, quiet: bool) -> anyhow::Result<()> {
        let mut text = LiveText::new(quiet);
        let (begin, size) = (training.learnt().games, self.args.save_every.unwrap_or(SET));
        let mut saved = Instant::now();
        loop {
            let done = training.learnt().games - begin;
            self.curve.train(training, size, games - done, &mut |lesson| {
                let lesson = TrainingProgress { games: done + lesson.games, ..lesson };
                let elapsed = text.elapsed();
                text.show(|| full_view(lesson, games, elapsed), || line(lesson, games, elapsed));
                if saved.elapsed() >= KEEP_EVERY { ControlFlow::Break(()) } else { interrupt::flow() }
            })?;
            let all = training.learnt().games;
            if self.args.save_every.is_some() && all > begin + done && all.is_multiple_of(size) {
                self.save_set(training, all)?;
            }
            let is_over = all - begin >= games || interrupt::asked();
            if is_over || saved.elapsed() >= KEEP_EVERY {
                self.save(training)?;
                saved = Instant::now();
            }
            if is_over {
                return Ok(());
            }
        }
    }

    fn save(&self, training: &dyn TrainableAgent) -> anyhow::Result<()> {
        if let Some((opponent, learnt)) = self.opponent.as_ref().zip(training.save_opponent()) {
            write_whole(opponent, learnt)?;
        }
        write_whole(self.file, training.save())?;
        if let Some(file) = &self.args.curve {
            write_whole(file, self.curve.csv())?;
        }
        Ok(())
    }

    /// Keeps what is learnt after a set of games for good.
    fn save_set(&self, training: &dyn TrainableAgent, games: u64) -> anyhow::Result<()> {
        let stem = self.file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let folder = self.file.with_file_name(format!("{stem}-every"));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let named = |what: &str| {
            let ending = self.file.extension().map_or_else(String::new, |ending| format!(".{}", ending.to_string_lossy()));
            folder.join(format!("{games:09}{what}{ending}"))
        };
        if let Some(learnt) = training.save_opponent() {
            write_whole(&named("-opponent"), learnt)?;
        }
        Ok(write_whole(&named(""), training.save())?)
    }
}

fn line(lesson: TrainingProgress, games: u64, elapsed: Duration) -> String {
    let part = lesson.games as f64 / games as f64;
    let left = elapsed.as_secs_f64() * (1.0 - part) / part.max(1e-9);
    let left = if lesson.games > 0 { format!(", {left:.0} s left") } else { String::new() };
    let a_second = rate(lesson.games, elapsed).map_or(String::new(), |rate| format!(", {rate} a second"));
    format!(
        "{} of {} training games{a_second}{left}, {} positions known",
        count(lesson.games),
        count(games),
        count(lesson.positions)
    )
}

fn full_view(lesson: TrainingProgress, games: u64, elapsed: Duration) -> String {
    let done = lesson.games as f32 / games as f32;
    format!("{} (Ctrl-C: stop and keep what is learnt)\n{}", bar(done), line(lesson, games, elapsed))
}

fn check(training: &mut dyn TrainableAgent, global: &Global) -> anyhow::Result<[SeatScore; 2]> {
    let mut text = LiveText::new(global.quiet);
    let told = |played: u64| format!("checking: {} of {} games against random", count(played), count(2 * CHECK_GAMES));
    let tallies = training.check(CHECK_GAMES, Seed(global.seed.unwrap_or(0)).named("check"), &mut |played| {
        text.show(|| told(played), || told(played));
        interrupt::flow()
    })?;
    Ok(tallies)
}

/// What this run has done.
struct Sitting<'a> {
    game: String,
    agent: &'a str,
    file: &'a Path,
    games: u64,
    time: Duration,
    bytes: u64,
    /// The agent that plays by the file.
    player: String,
    curve: &'a TrainingCurve,
}

impl Sitting<'_> {
    fn json(&self, learnt: &Learnt, tallies: Option<&[SeatScore; 2]>) -> Value {
        let tally = |tally: &SeatScore| json!({"won": tally.won, "drawn": tally.drawn, "lost": tally.lost, "moves": tally.moves, "guesses": tally.guesses});
        json!({
            "game": self.game, "agent": self.agent, "games": self.games, "seconds": self.time.as_secs_f64(),
            "file": self.file, "bytes": self.bytes, "total_games": learnt.games, "positions": learnt.positions,
            "curve": self.curve.sets, "against_random": tallies.map(|[first, second]| json!({"first": tally(first), "second": tally(second)})), "notes": learnt.notes,
        })
    }

    /// The first and the last set of training games, in words.
    fn ends(&self) -> Option<[String; 2]> {
        let words = |set: &TrainingSet| {
            let games: u64 = set.results.iter().sum();
            let to = set.games;
            Some(format!("{:.1} % in games {} to {}", 100.0 * set.score()?, count(to - games + 1), count(to)))
        };
        Some([words(self.curve.sets.first()?)?, words(self.curve.sets.last()?)?])
    }

    fn print(&self, learnt: &Learnt, tallies: Option<&[SeatScore; 2]>, quiet: bool, out: &mut impl Write) -> anyhow::Result<()> {
        let a_second = rate(self.games, self.time).map_or(String::new(), |rate| format!(", {rate} a second"));
        writeln!(
            out,
            "{} has played {} training games of {} ({}{a_second}).",
            self.agent,
            count(self.games),
            self.game,
            seconds(self.time)
        )?;
        let (games, positions) = (count(learnt.games), count(learnt.positions));
        writeln!(out, "{}: {positions} positions from {games} games in all, {} bytes", self.file.display(), count(self.bytes))?;
        if let Some([first, last]) = self.ends() {
            writeln!(out, "the first player's score in the training games: {first}, {last}")?;
        }
        for (tally, seat) in tallies.into_iter().flatten().zip(["first", "second"]) {
            if let Some(score) = tally.score() {
                let guessed = match tally.guesses {
                    0 => String::new(),
                    guesses => format!("; {:.0} % of its moves were guesses", 100.0 * guesses as f64 / tally.moves as f64),
                };
                writeln!(
                    out,
                    "{seat} against random, {} games: {:.1} % (won {}, drawn {}, lost {}){guessed}",
                    count(tally.games()),
                    score * 100.0,
                    tally.won,
                    tally.drawn,
                    tally.lost,
                )?;
            }
        }
        if !quiet {
            writeln!(out, "Play against it with: ply play {} --against {}", self.game, self.player)?;
        }
        Ok(())
    }
}
