//! Handshake between coordinator and worker: same version, same rules, and the ratio of their speeds.

use std::time::{Duration, Instant};

use plyground_core::{Limits, NoClock, NoObserver, NoResources, Seed};
use plyground_match::RunError;
use plyground_session::{Turn, infos, open};
use serde::{Deserialize, Serialize};

/// The version, rules and speed of a program on its machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Handshake {
    /// The version of the program.
    pub version: String,
    /// A hash of games as this program plays them.
    pub rules: String,
    /// Simulations a second on a fixed position, on one core.
    pub speed: f64,
}

/// The position that speed is measured on, and the simulations for one move.
const POSITION: &str = "clobber:size=6x6";
const SIMULATIONS: u64 = 2_000;
/// The largest ratio of two speeds that is believed.
const FASTEST: f64 = 1_000.0;
const MEASURED_FOR: Duration = Duration::from_millis(400);

impl Handshake {
    /// The handshake of this program on this machine. Takes half a second, to measure the speed.
    pub fn of_this_machine() -> Result<Self, RunError> {
        Ok(Self { version: env!("CARGO_PKG_VERSION").to_owned(), rules: rules()?, speed: speed()? })
    }

    /// An error if the version or the rules differ from those of the coordinator.
    pub fn check(&self, coordinator: &Self) -> Result<(), RunError> {
        if (&self.version, &self.rules) == (&coordinator.version, &coordinator.rules) {
            return Ok(());
        }
        let shown = |one: &Self| format!("version {} with rules {}", one.version, one.rules);
        Err(RunError::Refused { expected: shown(coordinator), found: shown(self) })
    }

    /// The speed of this machine relative to the coordinator, by which thinking times are scaled.
    pub fn tempo(&self, coordinator: &Self) -> f64 {
        let ratio = self.speed / coordinator.speed;
        if ratio.is_finite() && ratio > 0.0 { ratio.clamp(1.0 / FASTEST, FASTEST) } else { 1.0 }
    }
}

/// A hash of some games of every sample of every game: other rules give other games.
fn rules() -> Result<String, RunError> {
    const GAMES: u64 = 2;
    let mut hasher = blake3::Hasher::new();
    for spec in infos().into_iter().flat_map(|info| info.samples) {
        for number in 0..GAMES {
            let mut rng = Seed(number).named("rules").named(spec).rng();
            let mut session = open(spec, None)?;
            loop {
                let turn = session.turn();
                match turn {
                    Turn::Over(_) => break,
                    Turn::Chance => {
                        session.roll(&mut rng);
                    }
                    Turn::Player(_) => {
                        let moves = session.moves();
                        for mv in &moves {
                            hasher.update(mv.text.as_bytes()).update(b" ");
                        }
                        session.play(&moves[rng.below(moves.len() as u32) as usize].text)?;
                    }
                }
                hasher.update(session.position().as_bytes()).update(b"\n");
            }
            hasher.update(session.turn().result_word().as_bytes());
        }
    }
    Ok(hasher.finalize().to_hex()[..16].to_owned())
}

/// Simulations a second.
fn speed() -> Result<f64, RunError> {
    let mut session = open(POSITION, None)?;
    let seat = session.seat("mcts", Seed(0), &NoResources)?;
    let limits = Limits { simulations: Some(SIMULATIONS), ..Limits::default() };
    let mut think = || session.think(seat, limits, &NoClock, &mut NoObserver).map_err(RunError::Agent);
    // The first one finds the caches empty.
    think()?;
    let (begun, mut thoughts) = (Instant::now(), 0);
    while begun.elapsed() < MEASURED_FOR {
        think()?;
        thoughts += 1;
    }
    Ok((thoughts * SIMULATIONS) as f64 / begun.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_different_program_is_refused_in_words_and_a_faster_machine_has_faster_clocks() {
        let handshake = |version: &str, rules: &str, speed| Handshake { version: version.into(), rules: rules.into(), speed };
        let (here, there) = (handshake("1.0", "ab", 200.0), handshake("1.0", "ab", 100.0));
        assert!(here.check(&there).is_ok());
        assert_eq!(here.tempo(&there), 2.0);
        assert_eq!(here.tempo(&handshake("1.0", "ab", 0.0)), 1.0);
        for other in [handshake("1.1", "ab", 1.0), handshake("1.0", "cd", 1.0)] {
            let refused = here.check(&other).unwrap_err().to_string();
            assert!(refused.contains("expected version") && refused.contains("found version 1.0 with rules ab"), "{refused}");
        }
    }

    #[test]
    fn the_rules_have_one_hash_and_the_machine_a_speed() {
        assert_eq!(rules().unwrap(), rules().unwrap());
        assert!(speed().unwrap() > 0.0);
    }
}
