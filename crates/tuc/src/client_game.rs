//! The game state of a client, reconstructed from the messages of the server, some of which may be lost.

use plyground_core::{GameRecord, Outcome, RecordedPlayer};
use plyground_match::MatchPlayer;
use plyground_session::{InputError, Player, Seed, Session, Turn, open};

use crate::wire::{Message, Moved};

/// The parameter with which the game goes on when only the kings are left.
const KINGS_PLAY: &str = "kings=play";

/// The game so far, with the player of one side.
pub(super) struct ClientGame<'a> {
    pub session: Box<dyn Session>,
    pub player: Box<dyn MatchPlayer + 'a>,
    pub colour: Player,
    /// A move that was sent and is not confirmed yet.
    pub sent: Option<String>,
    /// The last move that was sent.
    pub last_sent: Option<String>,
    /// Messages that did not arrive, as far as that can be told.
    pub missed: u32,
    last: Option<Moved>,
    seed: Seed,
}

/// The meaning of a `T` message for the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// It was received before.
    Again,
    /// It is our turn.
    OurTurn,
    /// It is the opponent's turn.
    Theirs,
}

impl<'a> ClientGame<'a> {
    pub fn new(game: &str, mut player: Box<dyn MatchPlayer + 'a>, colour: Player, seed: Seed) -> Result<Self, InputError> {
        let mut session = open(game, None)?;
        player.start(session.as_mut(), seed)?;
        Ok(Self { session, player, colour, sent: None, last_sent: None, missed: 0, last: None, seed })
    }

    /// Has anything been played?
    pub fn has_begun(&self) -> bool {
        !self.session.history().is_empty() || self.last.is_some()
    }

    pub fn is_our_turn(&self) -> bool {
        self.sent.is_none() && self.session.turn() == Turn::Player(self.colour)
    }

    /// Applies a move of the server. An error if it is not legal here.
    pub fn take(&mut self, moved: Moved) -> Result<Meaning, InputError> {
        let meaning = if moved.next == self.colour { Meaning::OurTurn } else { Meaning::Theirs };
        // Two messages in a row are never about the same player's move.
        if self.last.as_ref() == Some(&moved) {
            return Ok(Meaning::Again);
        }
        let mover = moved.next.other();
        match self.sent.take() {
            // The message about our own move was lost; where a bonus appeared then is not known.
            Some(own) if mover != self.colour => {
                self.missed += 1;
                self.play(&own, None, moved.points[self.colour.index()], self.colour)?;
            }
            _ => {}
        }
        let before = self.session.position();
        let bonus = moved.bonus.as_deref();
        self.play(&moved.mv, bonus, moved.points[mover.index()], mover)?;
        if matches!(self.session.turn(), Turn::Over(_)) {
            // The server decides when a game ends. The original one counts a piece too many once a pawn has captured on the last rank,
            // and then goes on with the two kings.
            let spec = self.session.spec();
            let link = if spec.contains(':') { ',' } else { ':' };
            self.reopen(&format!("{spec}{link}{KINGS_PLAY}"), &before)?;
            self.play(&moved.mv, bonus, moved.points[mover.index()], mover)?;
        }
        self.correct(moved.points)?;
        self.last = Some(moved);
        Ok(meaning)
    }

    /// Plays a move and the chance outcomes after it: the points tell what a bonus was worth.
    fn play(&mut self, mv: &str, bonus: Option<&str>, points: i32, mover: Player) -> Result<(), InputError> {
        if self.session.turn() != Turn::Player(mover) {
            let detail = format!("{} is not to move here", self.session.info().players[mover.index()]);
            return Err(InputError::malformed("move of the server", mv, detail));
        }
        self.session.play(mv)?;
        while self.session.turn() == Turn::Chance {
            let known = self.session.points().unwrap_or_default()[mover.index()];
            let outcomes = self.session.outcomes();
            let (worth, square) = (if points > known { "+1" } else { "+0" }, format!("@{}", bonus.unwrap_or("-")));
            let is_there = |text: &str| outcomes.iter().any(|(outcome, _)| outcome == text);
            let text = [worth, &square, "@-"].into_iter().find(|text| is_there(text));
            // The only possible outcome, where there is one.
            let text = text.or(outcomes.first().map(|(outcome, _)| outcome.as_str())).unwrap_or_default().to_owned();
            self.session.play(&text)?;
        }
        Ok(())
    }

    /// Sets the points to those of the server. They differ where a message was missed.
    fn correct(&mut self, points: [i32; 2]) -> Result<(), InputError> {
        let known = self.session.points().unwrap_or_default();
        let differ = known.into_iter().zip(points).any(|(known, told)| Message::is_exact(told) && known != told);
        if !differ {
            return Ok(());
        }
        let position = self.session.position();
        let mut fields: Vec<String> = position.split(' ').map(str::to_owned).collect();
        for (field, points) in fields.iter_mut().skip(2).zip(points) {
            *field = points.to_string();
        }
        self.reopen(&self.session.spec(), &fields.join(" "))
    }

    /// The game as it was followed, which the server has ended with these points: by the rules, by time or for an illegal move, it does
    /// not say.
    pub fn record(mut self, server: &str, name: &str, agent: &str, points: [i32; 2]) -> GameRecord {
        if let Some(own) = self.sent.take() {
            // The end is told instead of the move. If it was not the move that ended it, the record ends before it.
            let _ = self.play(&own, None, points[self.colour.index()], self.colour);
        }
        let mut players = [0, 1].map(|_| RecordedPlayer { name: format!("the opponent at {server}"), seed: None });
        players[self.colour.index()] = RecordedPlayer { name: format!("{name} ({agent})"), seed: Some(self.seed.0) };
        let record = self.session.record(players, None);
        if let Turn::Over(_) = self.session.turn() {
            return record;
        }
        let result = Outcome::by_points(points[0], points[1]).word().to_owned();
        GameRecord {
            result,
            reason: format!("the server ended the game, {} : {}", points[0], points[1]),
            // Those of a record are what its moves lead to.
            points: None,
            ..record
        }
    }

    /// Goes on from a position, maybe by other rules.
    fn reopen(&mut self, spec: &str, position: &str) -> Result<(), InputError> {
        self.session = open(spec, Some(position))?;
        self.player.start(self.session.as_mut(), self.seed)
    }
}

#[cfg(test)]
mod tests {
    use plyground_match::{AgentPlayer, FileResources};

    use super::*;

    fn game(colour: Player) -> ClientGame<'static> {
        let player = Box::new(AgentPlayer::new("random", &FileResources));
        ClientGame::new("tuc-chess:limit=10000", player, colour, Seed(1)).unwrap()
    }

    fn moved(text: &str) -> Moved {
        match Message::read(text.as_bytes()) {
            Some(Message::Moved(moved)) => moved,
            other => panic!("{text}: {other:?}"),
        }
    }

    /// The captured game of the specification.
    const GAME: [&str; 9] = [
        "T15444990000",
        "T01323990000",
        "T15343420000",
        "T02333400001",
        "T16454990001",
        "T03344210002",
        "T16353990002",
        "T04453220005",
        "T15242410105",
    ];

    #[test]
    fn a_game_is_followed_to_the_same_position() {
        let mut game = game(Player::Second);
        for text in GAME {
            let heard = game.take(moved(text)).unwrap();
            assert_eq!(heard, if text.starts_with("T1") { Meaning::OurTurn } else { Meaning::Theirs });
            assert_eq!(game.take(moved(text)).unwrap(), Meaning::Again);
        }
        assert_eq!(game.session.points(), Some([1, 5]));
        let position = game.session.position();
        let mut straight = open("tuc-chess", None).unwrap();
        let moves = "5444 @- 1323 @- 5343 @42 2333 +1 @40 6454 @- 3344 @21 6353 @- 4453 @22 5242 +1 @41";
        moves.split(' ').for_each(|text| drop(straight.play(text).unwrap()));
        assert_eq!(position, straight.position());
    }

    #[test]
    fn a_lost_message_about_our_own_move_is_made_up_for() {
        // Black's 2333 took a bonus worth a point, and one appeared on 40. That message does not arrive.
        let mut game = game(Player::Second);
        for text in &GAME[..3] {
            game.take(moved(text)).unwrap();
        }
        game.sent = Some("2333".to_owned());
        assert_eq!(game.take(moved(GAME[4])).unwrap(), Meaning::OurTurn);
        assert_eq!((game.session.points(), game.missed), (Some([0, 1]), 1));
        // The bonus on 40 is not known. White's rook takes it: the points tell that something was there.
        game.sent = None;
        game.take(moved("T03344990002")).unwrap();
        game.take(moved("T16160990102")).unwrap_err();
        game.take(moved("T15040990102")).unwrap();
        assert_eq!(game.session.points(), Some([1, 2]));
    }

    #[test]
    fn a_game_that_the_server_goes_on_with_is_not_over() {
        // As on the original server once a pawn has captured on the last rank: only the kings are left after White's capture.
        let mut game = game(Player::Second);
        game.session = open("tuc-chess:limit=10000", Some("2k2/5/5/5/5/1p3/1K3 w 9 9 60")).unwrap();
        assert_eq!(game.take(moved("T16151421009")).unwrap(), Meaning::OurTurn);
        assert!(game.is_our_turn(), "{}", game.session.position());
        assert_eq!(game.session.spec(), "tuc-chess:limit=10000,kings=play");
        assert_eq!(game.session.position(), "2k2/5/5/5/2*2/1K3/5 b 10 9 61", "the bonus that appeared is there, too");
        game.take(moved("T00201991009")).unwrap();
        // The next game is by the usual rules again, and an illegal move is still one.
        game.take(moved("T15171991009")).unwrap_err();
    }

    #[test]
    fn what_cannot_be_is_refused_and_points_are_cut_off_at_two_digits() {
        let mut game = game(Player::First);
        assert!(game.take(moved("T01323990000")).unwrap_err().to_string().contains("Black is not to move here"));
        assert!(game.take(moved("T15252990000")).is_err());
        game.take(moved("T15444994000")).unwrap();
        assert_eq!(game.session.points(), Some([40, 0]), "the server knows");
        game.take(moved("T01323999900")).unwrap();
        assert_eq!(game.session.points(), Some([40, 0]), "99 may be more");
    }
}
