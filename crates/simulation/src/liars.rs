//! Workers that send what they have not played.

use std::io::Write as _;
use std::sync::OnceLock;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use plyground_core::{Outcome, Player, Rng};
use plyground_match::GameRow;

/// A way to lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// Another winner.
    Result,
    /// A move that the rules do not know.
    Move,
    /// Legal games that these agents have not played with this seed.
    OtherGame,
    /// Games under the name of another job.
    OtherJob,
    /// Games for a run that is not theirs.
    ForeignRun,
    /// A message that grows to more than is allowed.
    Oversized,
    /// The report that a job has failed for certain.
    Failure,
}

impl Lie {
    pub const ALL: [Self; 7] =
        [Self::Result, Self::Move, Self::OtherGame, Self::OtherJob, Self::ForeignRun, Self::Oversized, Self::Failure];

    /// Whether a refused result of this kind is proof that it was made up.
    pub fn is_proof(self) -> bool {
        matches!(self, Self::Result | Self::Move | Self::OtherGame)
    }
}

/// Games that are wrong in one of the ways that are in the games themselves.
pub fn falsified(lie: Lie, mut games: Vec<GameRow>, other: Option<&str>, rng: &mut Rng) -> Vec<GameRow> {
    let number = rng.below(games.len() as u32) as usize;
    let game = &mut games[number];
    match lie {
        Lie::Result => {
            let winner = game.outcome.winner.map_or(Player::First, Player::other);
            game.outcome = Outcome::win(winner);
        }
        Lie::Move => {
            if let Some(last) = game.moves.last_mut() {
                "z9z9".clone_into(&mut last.text);
            }
        }
        Lie::OtherJob => {
            if let Some(other) = other {
                for game in &mut games {
                    other.clone_into(&mut game.job);
                }
            }
        }
        Lie::OtherGame | Lie::ForeignRun | Lie::Oversized | Lie::Failure => {}
    }
    games
}

/// A small message that is large when it is unpacked.
pub fn oversized() -> Bytes {
    static BOMB: OnceLock<Bytes> = OnceLock::new();
    let made = || {
        let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
        let spaces = vec![b' '; 1 << 20];
        (0..5)
            .try_for_each(|_| packer.write_all(&spaces))
            .and_then(|()| packer.finish())
            .expect("memory can be written to")
            .into()
    };
    BOMB.get_or_init(made).clone()
}
