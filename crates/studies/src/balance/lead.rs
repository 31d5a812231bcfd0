//! The lead in a game: which player was ahead at which time, in the judgement of an agent.

use plyground_core::{InputError, Limits, NoClock, NoObserver, Player, Resources, Seed, Turn};
use plyground_match::GameRow;
use plyground_session::{Session, open};

/// The expectation from which on a player is ahead: 60 % (0.2 from -1 to +1). Between 40 % and 60 % the player who was ahead before
/// still is, so that a judge that wavers about an even position makes no lead changes.
pub const AHEAD: f32 = 0.2;

/// The lead of a game in the judgement of an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeadHistory {
    /// The number of times that the lead went from one player to the other.
    pub lead_changes: u32,
    /// The part of the game after which its winner was ahead for good, from 0 to 1; `None` for a drawn game.
    pub decided_at: Option<f64>,
}

impl LeadHistory {
    /// The lead from the values that the judge expected for the first player (-1 to +1) before every move, and from the result. A short
    /// search overrates the player to move, so each value is averaged with the next one. The result counts as the last value; a draw
    /// leaves the lead where it was.
    pub fn new(opinions: &[f32], winner: Option<Player>) -> Self {
        let ahead = |opinion: f32| match opinion {
            opinion if opinion >= AHEAD => Some(Player::First),
            opinion if opinion <= -AHEAD => Some(Player::Second),
            _ => None,
        };
        let together = opinions.windows(2).map(|two| ahead(f32::midpoint(two[0], two[1])));
        let mut lead_changes = 0;
        let mut leader: Option<(Player, usize)> = None;
        for (index, player) in together.chain([winner]).enumerate() {
            let Some(player) = player.filter(|&player| leader.is_none_or(|(leader, _)| leader != player)) else { continue };
            lead_changes += u32::from(leader.is_some());
            leader = Some((player, index + 1));
        }
        let since = winner.and(leader).map(|(_, since)| since);
        let decided_at = since.map(|since| since as f64 / opinions.len().max(1) as f64);
        Self { lead_changes, decided_at }
    }
}

/// An agent that judges positions.
pub struct PositionJudge<'a> {
    /// The spec of an agent that reports the value it expects.
    pub spec: &'a str,
    /// The files that it names.
    pub resources: &'a (dyn Resources + Sync),
}

impl PositionJudge<'_> {
    /// Checks that this agent can judge a game.
    pub fn check(&self, game: &str) -> Result<(), InputError> {
        let mut session = open(game, None)?;
        let seat = session.seat(self.spec, Seed(0), self.resources)?;
        let mut rng = Seed(0).rng();
        while session.roll(&mut rng).is_some() {}
        let advice = session.think(seat, Limits::default(), &NoClock, &mut NoObserver);
        match advice.map(|advice| advice.value) {
            Ok(Some(_)) => Ok(()),
            Ok(None) => Err(InputError::malformed(
                "judge",
                self.spec,
                "expected an agent that says what it expects, found one that does not",
            )),
            Err(error) => Err(InputError::malformed("judge", self.spec, error.to_string())),
        }
    }

    /// The lead in a game, from the end of its opening.
    pub fn lead_history(&self, game: &str, row: &GameRow) -> Result<LeadHistory, InputError> {
        let mut session = open(game, None)?;
        // The same game is judged in the same way, whatever else is judged.
        let seat = session.seat(self.spec, Seed(row.hash()).named("judge"), self.resources)?;
        let mut opinions = Vec::with_capacity(row.moves.len());
        for (number, played) in row.moves.iter().enumerate() {
            if let (Turn::Player(player), true) = (session.turn(), number >= row.opening) {
                let advice = session.think(seat, Limits::default(), &NoClock, &mut NoObserver);
                let value = advice.ok().and_then(|advice| advice.value).unwrap_or(0.0);
                opinions.push(if player == Player::First { value } else { -value });
            }
            session.play(&played.text)?;
        }
        Ok(LeadHistory::new(&opinions, row.outcome.winner))
    }
}

/// The mean number of legal moves over the positions of a game in which a player moves.
pub fn branching(game: &str, row: &GameRow) -> Result<Option<f64>, InputError> {
    let mut session: Box<dyn Session> = open(game, None)?;
    let (mut moves, mut positions) = (0, 0);
    for played in &row.moves {
        if matches!(session.turn(), Turn::Player(_)) {
            moves += session.perft(1);
            positions += 1;
        }
        session.play(&played.text)?;
    }
    Ok((positions > 0).then(|| moves as f64 / f64::from(positions)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Player::{First, Second};

    fn lead(opinions: &[f32], winner: Option<Player>) -> (u32, Option<f64>) {
        let lead = LeadHistory::new(opinions, winner);
        (lead.lead_changes, lead.decided_at)
    }

    #[test]
    fn the_lead_changes_when_the_other_one_is_clearly_ahead() {
        assert_eq!(lead(&[0.0, 0.1, 0.3, 0.9], Some(First)), (0, Some(0.5)));
        assert_eq!(lead(&[0.3, 0.3, -0.1, -0.1, -0.3], Some(Second)), (1, Some(0.8)));
        assert_eq!(lead(&[0.4, 0.4, -0.4, -0.4, 0.4, 0.4, -0.4, -0.4], Some(Second)), (3, Some(7.0 / 8.0)));
        // Wavering about an even position changes nothing, and neither does a judge that favours the player to move.
        assert_eq!(lead(&[0.1, -0.1, 0.1, -0.1], Some(First)), (0, Some(1.0)));
        assert_eq!(lead(&[0.9, -0.9, 0.9, -0.9], Some(First)), (0, Some(1.0)));
    }

    #[test]
    fn the_result_is_the_last_word() {
        assert_eq!(lead(&[0.9, 0.9], Some(Second)), (1, Some(1.0)));
        assert_eq!(lead(&[0.9, 0.9, -0.9, -0.9], None), (1, None));
        assert_eq!(lead(&[0.9], Some(First)), (0, Some(1.0)));
        assert_eq!(lead(&[], None), (0, None));
    }
}
