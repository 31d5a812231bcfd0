//! `ply watch GAME SPEC SPEC`: two agents play, and every board is drawn.

use std::io::{IsTerminal as _, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::Context;
use plyground_core::WallClock;
use plyground_session::{
    Advice, Clock, InputError, Limits, Player, ProgressObserver, RecordedPlayer, SearchProgress, Seat, Seed, Session, Turn, open,
};
use serde_json::json;

use crate::commands::play::PERSON;
use crate::engines::CommandResources;
use crate::store::{Origin, typed, write_record};
use plyground_args::{Global, WatchArgs};
use plyground_terminal::{ThinkingBar, interrupt, milliseconds, percent, print_json, print_notes, seconds, status_line, table};

/// The time from board to board on a terminal, where nothing else was asked for.
const PACE: Duration = Duration::from_millis(500);

pub fn run(args: &WatchArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let mut session = open(&args.place.game, args.place.position.as_deref())?;
    let specs = [args.first.as_str(), args.second.as_str()];
    if specs.contains(&PERSON) {
        let detail = format!("people play with `ply play {} --against SPEC`; expected two agents", args.place.game);
        return Err(InputError::malformed("agent", PERSON, detail).into());
    }
    let seed = global.seed_or_time();
    let seeds = [0, 1].map(|seat| Seed(seed).named("agent").numbered(seat));
    let mut seat = |player: usize| session.seat(specs[player], seeds[player], &CommandResources);
    let seats = [seat(0)?, seat(1)?];
    let usual = if std::io::stdout().is_terminal() { PACE } else { Duration::ZERO };
    interrupt::catch()?;
    let mut game = WatchedGame {
        session,
        specs,
        seats,
        limits: args.budget.limits(),
        chance: Seed(seed).named("chance"),
        pace: args.pace.unwrap_or(usual),
        global,
    };
    if !global.json {
        writeln!(out, "{}: {} (first) against {} (second), seed {seed}\n", game.session.spec(), specs[0], specs[1])?;
    }
    let origin = Origin::here(None);
    game.play(out)?;
    let session = game.session;
    if let Some(file) = &args.out {
        let player = |seat: usize| RecordedPlayer { name: specs[seat].to_owned(), seed: Some(seeds[seat].0) };
        write_record(file, &origin.stamp(session.record([player(0), player(1)], Some(seed))))?;
    }
    if global.json {
        let page = json!({"game": session.spec(), "players": specs, "seed": seed, "moves": session.history().len(),
            "result": session.turn().result_word(), "reason": session.why_over(), "points": session.points()});
        return print_json(out, &page);
    }
    match session.turn() {
        Turn::Over(_) => writeln!(out, "{}", status_line(session.as_ref()))?,
        _ => writeln!(out, "stopped; {}", status_line(session.as_ref()))?,
    }
    if let Some(file) = args.out.as_ref().filter(|_| !global.quiet) {
        writeln!(out, "The game is in {}.", typed(file))?;
    }
    Ok(())
}

struct WatchedGame<'a> {
    session: Box<dyn Session>,
    specs: [&'a str; 2],
    seats: [Seat; 2],
    limits: Limits,
    chance: Seed,
    pace: Duration,
    global: &'a Global,
}

impl WatchedGame<'_> {
    /// Plays to the end, or until Ctrl-C.
    fn play(&mut self, out: &mut impl Write) -> anyhow::Result<()> {
        if !self.global.json {
            writeln!(out, "{}", table(self.session.as_ref()))?;
        }
        out.flush()?;
        while !interrupt::asked() {
            let begin = Instant::now();
            match self.session.turn() {
                Turn::Over(_) => return Ok(()),
                Turn::Chance => {
                    // One stream per event, as in every game here.
                    let event = self.session.history().len() as u64;
                    let outcome = self.session.roll(&mut self.chance.numbered(event).rng()).unwrap_or_default();
                    self.show(None, &outcome, None, out)?;
                }
                Turn::Player(player) => {
                    let advice = self.think(player)?;
                    if interrupt::asked() {
                        return Ok(());
                    }
                    self.session.play(&advice.mv)?;
                    self.session.annotate(Some(milliseconds(advice.elapsed)), advice.value);
                    // A board stays for its time; then comes the next one.
                    wait(self.pace.saturating_sub(begin.elapsed()));
                    self.show(Some(player), &advice.mv.clone(), Some(&advice), out)?;
                }
            }
        }
        Ok(())
    }

    fn think(&mut self, player: Player) -> anyhow::Result<Advice> {
        let spec = self.specs[player.index()];
        let clock = WallClock::start();
        let mut view = StoppableBar(ThinkingBar::new(spec, self.global.quiet || self.global.json));
        let seat = self.seats[player.index()];
        let advice = self.session.think(seat, self.limits, &clock as &dyn Clock, &mut view);
        drop(view);
        let advice = advice.with_context(|| format!("{spec} cannot go on"))?;
        print_notes(&advice.notes, self.global.quiet);
        Ok(advice)
    }

    /// A move, or an outcome of chance, and the board after it.
    fn show(&self, mover: Option<Player>, text: &str, advice: Option<&Advice>, out: &mut impl Write) -> anyhow::Result<()> {
        let number = self.session.history().len();
        if self.global.json {
            let chance = advice.and_then(|advice| advice.value).map(|value| f64::from(value + 1.0) / 2.0);
            let line = json!({"number": number, "player": mover.map_or("chance", Player::word), "move": text,
                "win_chance": chance, "ms": advice.map(|advice| milliseconds(advice.elapsed)),
                "position": self.session.position()});
            print_json(out, &line)?;
        } else {
            let who = mover.map_or("chance", |player| self.session.info().players[player.index()]);
            let chance =
                advice.and_then(|advice| advice.value).map_or(String::new(), |value| format!(", win chance {}", percent(value)));
            let time = advice.map_or(String::new(), |advice| format!(", {}", seconds(advice.elapsed)));
            writeln!(out, "{number}. {who}: {text}{chance}{time}\n{}", table(self.session.as_ref()))?;
        }
        out.flush()?;
        Ok(())
    }
}

/// Waits for a time, or until Ctrl-C.
fn wait(time: Duration) {
    const STEP: Duration = Duration::from_millis(50);
    let begin = Instant::now();
    while !interrupt::asked() && begin.elapsed() < time {
        std::thread::sleep(STEP.min(time.saturating_sub(begin.elapsed())));
    }
}

/// The bar of a thought that Ctrl-C ends.
struct StoppableBar(ThinkingBar);

impl ProgressObserver for StoppableBar {
    fn progress(&mut self, progress: &SearchProgress<'_>) -> ControlFlow<()> {
        match self.0.progress(progress) {
            ControlFlow::Continue(()) => interrupt::flow(),
            stop @ ControlFlow::Break(()) => stop,
        }
    }
}
