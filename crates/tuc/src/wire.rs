//! The messages of the TUC-Chess protocol, byte for byte: one datagram each, ASCII, no terminator, no acknowledgement.

use std::fmt;

use plyground_session::{Player, Session, Turn};

/// The UDP port of the original server.
pub const PORT: u16 = 9876;

/// The longest datagram that a client sends: its name.
pub const LONGEST: usize = 200;

/// The largest points of a message: two digits.
const MOST_POINTS: i32 = 99;

/// A message of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// `PW` or `PB`: the colour of the client.
    Colour(Player),
    /// `GB`: White is to move.
    Begin,
    /// `T15242990000`: a move was made, and the other player is to move.
    Moved(Moved),
    /// `GE0114`: the game is over, with the points of White and Black.
    End([i32; 2]),
}

/// The contents of a `T` message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The player to move.
    pub next: Player,
    /// The move just made, four digits.
    pub mv: String,
    /// The row and the column of a bonus that has appeared.
    pub bonus: Option<String>,
    /// The points of White and Black.
    pub points: [i32; 2],
}

impl Moved {
    /// The message about the last move of a game that goes on; `None` before the first move.
    pub fn of(session: &dyn Session) -> Option<Self> {
        let Turn::Player(next) = session.turn() else { return None };
        let history = session.history();
        let place = history.iter().rposition(|played| !played.chance)?;
        let appeared = history[place..].iter().find_map(|played| played.text.strip_prefix('@'));
        Some(Self {
            next,
            mv: history[place].text.clone(),
            bonus: appeared.filter(|square| *square != "-").map(str::to_owned),
            points: session.points().unwrap_or_default(),
        })
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |points: i32| points.clamp(0, MOST_POINTS);
        match self {
            Self::Colour(Player::First) => f.write_str("PW"),
            Self::Colour(Player::Second) => f.write_str("PB"),
            Self::Begin => f.write_str("GB"),
            Self::Moved(Moved { next, mv, bonus, points: [white, black] }) => {
                let bonus = bonus.as_deref().unwrap_or("99");
                write!(f, "T{}{mv}{bonus}{:02}{:02}", next.index(), shown(*white), shown(*black))
            }
            Self::End([white, black]) => write!(f, "GE{:02}{:02}", shown(*white), shown(*black)),
        }
    }
}

impl Message {
    /// Reads a datagram of a server; `None` if it is malformed. Trailing bytes of C programs are ignored.
    pub fn read(datagram: &[u8]) -> Option<Self> {
        let text = trimmed(datagram)?;
        let digits = |from: usize, to: usize| text.get(from..to).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
        let points = |from: usize| Some([digits(from, from + 2)?.parse().ok()?, digits(from + 2, from + 4)?.parse().ok()?]);
        match (text, text.len()) {
            ("PW", _) => Some(Self::Colour(Player::First)),
            ("PB", _) => Some(Self::Colour(Player::Second)),
            ("GB", _) => Some(Self::Begin),
            (_, 6) if text.starts_with("GE") => points(2).map(Self::End),
            (_, 12) if text.starts_with('T') => {
                let next = match digits(1, 2)? {
                    "0" => Player::First,
                    "1" => Player::Second,
                    _ => return None,
                };
                let bonus = match digits(6, 8)? {
                    "99" => None,
                    square => Some(square.to_owned()),
                };
                Some(Self::Moved(Moved { next, mv: digits(2, 6)?.to_owned(), bonus, points: points(8)? }))
            }
            _ => None,
        }
    }

    /// Are the points of a message exact? Larger ones are cut off at two digits.
    pub fn is_exact(points: i32) -> bool {
        points < MOST_POINTS
    }
}

/// A message as people read it: with the squares of its move, if there is one.
pub fn with_squares(text: &str) -> String {
    let digits = match text.len() {
        4 if is_move(text) => text,
        12 if text.starts_with('T') => text.get(2..6).unwrap_or_default(),
        _ => "",
    };
    let square = |place: &[u8]| {
        Some(format!("{}{}", char::from(b'a' + place[1].checked_sub(b'0')?), 7_u8.checked_sub(place[0].checked_sub(b'0')?)?))
    };
    let squares = || Some(square(digits.as_bytes().get(..2)?)? + &square(digits.as_bytes().get(2..)?)?);
    squares().map_or_else(|| text.to_owned(), |squares| format!("{text} ({squares})"))
}

/// The text of a datagram without trailing zeros, spaces and line ends; `None` if it is no text.
pub fn trimmed(datagram: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(datagram).ok()?.trim_end_matches(['\0', '\r', '\n', ' ']);
    (!text.is_empty() && !text.chars().any(char::is_control)).then_some(text)
}

/// Is this text a move, legal or not?
pub fn is_move(text: &str) -> bool {
    text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The name in a client's first datagram. Moves and server messages are no names: they come from a game that is over, or from an
/// attacker.
pub fn name_in(datagram: &[u8]) -> Option<&str> {
    let name = trimmed(datagram).filter(|_| datagram.len() <= LONGEST)?.trim_start();
    (!name.is_empty() && !is_move(name) && Message::read(datagram).is_none()).then_some(name)
}

/// Could this name of a client be one? Those that real clients have are words; a byte or two of noise is none.
pub fn is_plausible_name(name: &str) -> bool {
    /// The fewest characters.
    const SHORTEST: usize = 2;
    name.chars().count() >= SHORTEST && name.chars().all(is_printable) && name.chars().any(char::is_alphanumeric)
}

/// Is this character seen where it is printed? Marks that change the direction of writing are not, for example.
fn is_printable(character: char) -> bool {
    let is_hidden = matches!(
        character,
        '\u{ad}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{e000}'..='\u{f8ff}'
            | '\u{feff}'
            | '\u{fff0}'..='\u{ffff}'
            | '\u{e0000}'..
    );
    !is_hidden && !character.is_control()
}

#[cfg(test)]
mod tests {
    use plyground_session::open;

    use super::*;

    #[test]
    fn the_captured_game_has_these_bytes() {
        let lines = [
            ("5444 @-", "T15444990000"),
            ("1323 @-", "T01323990000"),
            ("5343 @42", "T15343420000"),
            ("2333 +1 @40", "T02333400001"),
            ("6454 @-", "T16454990001"),
            ("3344 @21", "T03344210002"),
            ("6353 @-", "T16353990002"),
            ("4453 @22", "T04453220005"),
            ("5242 +1 @41", "T15242410105"),
        ];
        let mut session = open("tuc-chess", None).unwrap();
        for (moves, bytes) in lines {
            moves.split(' ').for_each(|text| drop(session.play(text).unwrap()));
            let moved = Message::Moved(Moved::of(session.as_ref()).unwrap());
            assert_eq!(moved.to_string(), bytes);
            assert_eq!(Message::read(bytes.as_bytes()), Some(moved));
        }
        session.play("5362").unwrap();
        assert_eq!(Moved::of(session.as_ref()), None, "the end is told by another message");
        assert_eq!(Message::End(session.points().unwrap()).to_string(), "GE0114");
    }

    #[test]
    fn every_message_comes_back_from_its_bytes_and_nothing_else_is_one() {
        for message in [Message::Colour(Player::First), Message::Colour(Player::Second), Message::Begin, Message::End([1, 14])] {
            assert_eq!(Message::read(message.to_string().as_bytes()), Some(message.clone()));
            assert_eq!(Message::read(format!("{message}\0").as_bytes()), Some(message));
        }
        for junk in ["", "P", "PX", "GB1", "GE011", "GE01145", "GE0a14", "T", "T25242990000", "T1524299000", "T1524x990000", "\0"]
        {
            assert_eq!(Message::read(junk.as_bytes()), None, "{junk:?}");
        }
        assert_eq!(Message::read(&[0xff; 12]), None);
        assert_eq!(Message::read("T1é2429900é".as_bytes()), None);
        assert_eq!(Message::End([140, -1]).to_string(), "GE9900", "two digits each, whatever happens");
    }

    #[test]
    fn moves_are_shown_with_their_squares() {
        assert_eq!(with_squares("5444"), "5444 (e2e3)");
        assert_eq!(with_squares("T15242410105"), "T15242410105 (c2c3)");
        for other in ["GE0114", "PW", "client15", "12", "9999", "T1é2429900é"] {
            assert_eq!(with_squares(other), other);
        }
    }

    #[test]
    fn names_are_told_from_moves_and_noise() {
        assert_eq!(name_in(b"client15"), Some("client15"));
        assert_eq!(name_in(b"client15\0"), Some("client15"));
        assert_eq!(name_in("Ομάδα 7\n".as_bytes()), Some("Ομάδα 7"));
        assert_eq!(name_in(&[b'x'; 200]).map(str::len), Some(200));
        assert_eq!(name_in(&[b'x'; 201]), None);
        for noise in [b"".as_slice(), b"\0", b"  ", b"5242", b"5242\0", b"PW", b"GE0114", b"T15242990000", b"a\x07b", b"\xff\xfe"]
        {
            assert_eq!(name_in(noise), None, "{noise:?}");
        }
    }

    #[test]
    fn a_plausible_name_is_more_than_a_byte_of_noise() {
        for name in ["client15", "NISHIKI", "AI", "7a", "Ομάδα 7", "Αλέξης", "x-1", "c'est moi", "12"] {
            assert!(is_plausible_name(name), "{name:?}");
        }
        for noise in ["x", "7", "?!", "--------", "a\u{202e}b", "\u{fffd}\u{fffd}a", "\u{e000}a", "\u{200b}a"] {
            assert!(!is_plausible_name(noise), "{noise:?}");
        }
    }
}
