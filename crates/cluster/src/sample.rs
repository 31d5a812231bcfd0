//! A random sample of results, played again by the coordinator: the same job must give the same games.

use plyground_core::{CancelToken, Rng, Seed};
use plyground_match::{Experiment, GameRow, Job, Refusal, RunContext, is_reproducible, play_job, verify_same};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use crate::names::WorkerName;

/// Results that wait to be played again; while so many wait, no more are drawn, unless all are to be. A coordinator has one thread for
/// it.
const WAITING: usize = 4;
/// The same for games that ended by a fault. All of them are played again, since no rule can tell whether a player has crashed.
const FAULTS_WAITING: usize = 1_000;
/// The most moves of games that wait, however many are to be played again.
const MOVES_WAITING: usize = 500_000;

/// A result of a worker that is played again.
pub struct SampledResult {
    pub worker: WorkerName,
    pub job: Job,
    pub games: Vec<GameRow>,
}

/// A sample that was played again, with what came of it.
pub type SampleVerdict = (SampledResult, Result<(), Refusal>);

/// The drawing of samples, and the thread that plays them again.
pub struct Sampler {
    share: f64,
    rng: Rng,
    samples: UnboundedSender<SampledResult>,
    checked: UnboundedReceiver<SampleVerdict>,
    waiting: usize,
    moves_waiting: usize,
}

/// The moves of games.
fn moves(games: &[GameRow]) -> usize {
    games.iter().map(|game| game.moves.len()).sum()
}

impl Sampler {
    /// A sampler of this share of the results of a run; of none where the same job need not give the same games. No worker may know
    /// the seed: it could tell which results are drawn.
    pub fn new(
        share: f64,
        experiment: &Experiment,
        seed: u64,
        samples: UnboundedSender<SampledResult>,
        checked: UnboundedReceiver<SampleVerdict>,
    ) -> Self {
        let share = if is_reproducible(experiment) { share } else { 0.0 };
        Self { share, rng: Seed(seed).rng(), samples, checked, waiting: 0, moves_waiting: 0 }
    }

    /// Draws, and has the result played again if it was drawn.
    pub fn draw(&mut self, worker: &WorkerName, job: &Job, games: &[GameRow]) {
        let faulty = games.iter().any(|game| game.fault.is_some());
        let most = match faulty {
            _ if self.share >= 1.0 => usize::MAX,
            true => FAULTS_WAITING,
            false => WAITING,
        };
        let has_room = self.waiting < most && self.moves_waiting < MOVES_WAITING;
        let drawn = self.share > 0.0 && has_room && (faulty || self.rng.unit() < self.share);
        let sample = || SampledResult { worker: worker.clone(), job: job.clone(), games: games.to_vec() };
        if drawn && self.samples.send(sample()).is_ok() {
            self.waiting += 1;
            self.moves_waiting += moves(games);
        }
    }

    /// The next result that was played again, with what came of it.
    pub fn next(&mut self) -> Option<SampleVerdict> {
        let checked = self.checked.try_recv().ok()?;
        self.waiting -= 1;
        self.moves_waiting -= moves(&checked.0.games);
        Some(checked)
    }

    /// Are there results that are still to be played again?
    pub fn is_busy(&self) -> bool {
        self.waiting > 0
    }
}

/// Plays samples again until there are no more to come. One that cannot be played here proves nothing.
pub async fn play_samples(
    context: RunContext<'_>,
    cancel: &CancelToken,
    mut samples: UnboundedReceiver<SampledResult>,
    checked: UnboundedSender<SampleVerdict>,
) {
    while let Some(sample) = samples.recv().await {
        let verdict = match play_job(&context, &sample.job, cancel, &|_| {}) {
            Ok(Some(games)) => verify_same(&games, &sample.games),
            Ok(None) | Err(_) => Ok(()),
        };
        if checked.send((sample, verdict)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use plyground_core::{NoResources, Outcome, PlayedMove};
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    #[test]
    fn all_are_drawn_where_all_are_wanted_however_many_wait() {
        let experiment = Experiment::new("tictactoe", &["random", "mcts:sims=5"].map(str::to_owned), &NoResources).unwrap();
        let job = Job { id: "r-0".to_owned(), run: "r".to_owned(), agents: [0, 1], pair: 0, opening: Vec::new() };
        let drawn = |share: f64| {
            let ((samples, mut to_play), (_judged, verdicts)) = (unbounded_channel(), unbounded_channel());
            let mut sampler = Sampler::new(share, &experiment, 7, samples, verdicts);
            (0..100).for_each(|_| sampler.draw(&WorkerName::of("one"), &job, &[]));
            std::iter::from_fn(|| to_play.try_recv().ok()).count()
        };
        assert_eq!((drawn(1.0), drawn(0.9), drawn(0.0)), (100, WAITING, 0));
    }

    #[test]
    fn long_games_that_wait_take_bounded_memory() {
        let experiment = Experiment::new("tictactoe", &["random", "mcts:sims=5"].map(str::to_owned), &NoResources).unwrap();
        let job = Job { id: "r-0".to_owned(), run: "r".to_owned(), agents: [0, 1], pair: 0, opening: Vec::new() };
        let game = GameRow {
            job: job.id.clone(),
            pair: 0,
            game: 0,
            agents: [0, 1],
            outcome: Outcome::DRAW,
            reason: String::new(),
            fault: Some("crashed".to_owned()),
            points: None,
            opening: 0,
            moves: vec![PlayedMove { text: String::new(), chance: false, ms: None, value: None }; MOVES_WAITING / 10],
            movers: Vec::new(),
            ended: 0,
        };
        let ((samples, mut to_play), (judged, verdicts)) = (unbounded_channel(), unbounded_channel());
        let mut sampler = Sampler::new(1.0, &experiment, 7, samples, verdicts);
        let mut draw = |sampler: &mut Sampler| {
            (0..20).for_each(|_| sampler.draw(&WorkerName::of("liar"), &job, std::slice::from_ref(&game)));
            std::iter::from_fn(|| to_play.try_recv().ok()).collect::<Vec<_>>()
        };
        let drawn = draw(&mut sampler);
        assert_eq!(drawn.len(), 10);
        for sample in drawn {
            judged.send((sample, Ok(()))).unwrap();
        }
        assert_eq!(std::iter::from_fn(|| sampler.next()).count(), 10);
        assert_eq!(draw(&mut sampler).len(), 10, "there is room again");
    }
}
