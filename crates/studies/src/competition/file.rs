//! The file of a competition: TOML, read so that whatever is wrong in it is answered with its line and what was expected there.

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Range;
use std::time::Duration;

use plyground_core::{InputError, Resources, parse_duration};
use plyground_match::{Experiment, Format, REMOTE};
use plyground_session::open;
use serde::Deserialize;
use toml::Spanned;

use super::{Competition, Entrant, NetworkSettings, TieBreak};

/// The port at which clients of the original TUC-Chess server look for one.
const PORT: u16 = 9876;
/// The default time to wait for a client.
const WAIT: Duration = Duration::from_mins(2);
const BEGIN_DELAY: Duration = Duration::from_secs(3);
/// The most of everything: a mistyped number should not fill a disk.
const ENTRANTS: usize = 256;
const ROUNDS: u32 = 1_000;
const BOARDS: u32 = 256;
const OPENING: u32 = 200;
/// The most letters of a name, and of a spec that stands for one.
const NAME: usize = 100;
const SPEC: usize = 4_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    title: String,
    game: Spanned<String>,
    #[serde(default)]
    format: Kind,
    #[serde(default)]
    double: bool,
    rounds: Option<Spanned<u32>>,
    move_time: Option<Spanned<String>>,
    clock: Option<Spanned<String>>,
    game_time: Option<Spanned<String>>,
    tie_breaks: Option<Vec<Spanned<String>>>,
    boards: Option<Spanned<u32>>,
    opening_plies: Option<Spanned<u32>>,
    #[serde(default)]
    seed: u64,
    listen: Option<Spanned<String>>,
    wait: Option<Spanned<String>>,
    begin_delay: Option<Spanned<String>>,
    #[serde(default)]
    resend: bool,
    #[serde(rename = "entrant", default)]
    entrants: Vec<Spanned<Entry>>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    #[default]
    RoundRobin,
    Swiss,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<Spanned<String>>,
    agent: Option<Spanned<String>>,
    udp: Option<Spanned<String>>,
}

/// The text of a file, to say where in it something is.
struct Text<'a>(&'a str);

impl Text<'_> {
    /// Something at this place is not what was expected.
    fn error(&self, place: Range<usize>, detail: impl std::fmt::Display) -> InputError {
        let line = self.0[..place.start.min(self.0.len())].matches('\n').count() + 1;
        let found = self.0.lines().nth(line - 1).unwrap_or_default().trim();
        InputError::malformed("competition", found, format!("line {line}: {detail}"))
    }

    fn duration(&self, value: Option<&Spanned<String>>) -> Result<Option<Duration>, InputError> {
        let read = |value: &Spanned<String>| {
            let time = parse_duration(value.get_ref()).ok().filter(|time| !time.is_zero());
            time.ok_or_else(|| self.error(value.span(), "expected a time like 500ms, 4s or 12min"))
        };
        value.map(read).transpose()
    }

    fn number(&self, value: Option<&Spanned<u32>>, range: std::ops::RangeInclusive<u32>) -> Result<Option<u32>, InputError> {
        let read = |value: &Spanned<u32>| {
            let number = *value.get_ref();
            let expected = || format!("expected a whole number from {} to {}", range.start(), range.end());
            if range.contains(&number) { Ok(number) } else { Err(self.error(value.span(), expected())) }
        };
        value.map(read).transpose()
    }
}

pub(super) fn read(text: &str, resources: &dyn Resources) -> Result<Competition, InputError> {
    let place = Text(text);
    let file: File = toml::from_str(text).map_err(|error| place.error(error.span().unwrap_or(0..0), error.message()))?;
    let session = open(file.game.get_ref(), None).map_err(|error| place.error(file.game.span(), error))?;
    let entrants = entrants(&place, &file, resources)?;
    let swiss = file.format == Kind::Swiss;
    if let Some(rounds) = file.rounds.as_ref().filter(|_| !swiss) {
        return Err(place.error(rounds.span(), "rounds are for format = \"swiss\"; in a round robin everybody meets everybody"));
    }
    let rounds = place.number(file.rounds.as_ref(), 1..=ROUNDS)?;
    let game_time = place.duration(file.game_time.as_ref())?;
    if let Some(time) = file.game_time.as_ref().filter(|_| session.points().is_none()) {
        let title = session.info().title;
        let detail =
            format!("{title} has no points to decide a game when its time is over; expected clock, the time of each player");
        return Err(place.error(time.span(), detail));
    }
    let usual_rounds = |agents: usize| match Format::swiss(agents, None, 1) {
        Format::Swiss { rounds, .. } => rounds,
        _ => 1,
    };
    Ok(Competition {
        rounds: swiss.then(|| rounds.unwrap_or_else(|| usual_rounds(entrants.len()))),
        double: file.double,
        move_time: place.duration(file.move_time.as_ref())?,
        clock: place.duration(file.clock.as_ref())?,
        game_time,
        tie_breaks: tie_breaks(&place, file.tie_breaks.as_deref(), swiss)?,
        boards: place.number(file.boards.as_ref(), 1..=BOARDS)?,
        opening_plies: place.number(file.opening_plies.as_ref(), 0..=OPENING)?.unwrap_or(0),
        seed: file.seed,
        network: network(&place, &file)?,
        game: session.spec(),
        title: file.title,
        entrants,
    })
}

fn entrants(place: &Text<'_>, file: &File, resources: &dyn Resources) -> Result<Vec<Entrant>, InputError> {
    let mut entrants: Vec<Entrant> = Vec::new();
    for entry in &file.entrants {
        let (span, entry) = (entry.span(), entry.get_ref());
        let spec = match (&entry.agent, &entry.udp) {
            (Some(agent), None) if agent.get_ref().starts_with(REMOTE) => {
                return Err(place.error(agent.span(), "expected an agent or cmd:PROGRAM; a client is entered by udp = \"NAME\""));
            }
            (Some(agent), None) => agent,
            (None, Some(guest)) => guest,
            (Some(_), Some(other)) => {
                return Err(place.error(other.span(), "expected agent or udp for an entrant, found both"));
            }
            (None, None) => {
                return Err(place.error(span, "expected agent = \"SPEC\" or udp = \"NAME OF THE CLIENT\" for this entrant"));
            }
        };
        let is_guest = entry.udp.is_some();
        let text = spec.get_ref().trim();
        if text.is_empty() || is_guest && (text.len() > 48 || text.contains(['{', '}', '#'])) {
            return Err(place.error(spec.span(), "expected a name of 1 to 48 letters without {, } and #"));
        }
        if is_guest && !file.game.get_ref().trim().starts_with("tuc-chess") {
            return Err(place.error(spec.span(), "clients come over the network in tuc-chess only; expected agent = \"SPEC\""));
        }
        if text.chars().count() > SPEC {
            return Err(place.error(spec.span(), format!("expected an agent of at most {SPEC} letters")));
        }
        if let Some(name) = entry.name.as_ref().filter(|name| !(1..=NAME).contains(&name.get_ref().trim().chars().count())) {
            return Err(place.error(name.span(), format!("expected a name of 1 to {NAME} letters")));
        }
        let entrant = Entrant {
            name: entry.name.as_ref().map_or(text, |name| name.get_ref().trim()).to_owned(),
            spec: if is_guest { format!("{REMOTE}{text}") } else { text.to_owned() },
        };
        let at = entry.name.as_ref().unwrap_or(spec).span();
        if entrants.iter().any(|other| other.name == entrant.name) {
            return Err(place.error(at, format!("there are two entrants called '{}'; expected a name of its own", entrant.name)));
        }
        if entrants.iter().any(|other| other.spec == entrant.spec) {
            return Err(place.error(spec.span(), format!("'{text}' is entered twice; an entrant plays against others")));
        }
        if !is_guest {
            // Checked here and not with the run, because here the line is known.
            let alone = [entrant.spec.clone()];
            Experiment::new(file.game.get_ref(), &alone, resources).map_err(|error| place.error(spec.span(), error))?;
        }
        entrants.push(entrant);
    }
    if !(2..=ENTRANTS).contains(&entrants.len()) {
        let end = place.0.len()..place.0.len();
        let last = file.entrants.last().map_or(end, Spanned::span);
        return Err(place.error(last, format!("expected from 2 to {ENTRANTS} of [[entrant]], found {}", entrants.len())));
    }
    Ok(entrants)
}

fn tie_breaks(place: &Text<'_>, words: Option<&[Spanned<String>]>, swiss: bool) -> Result<Vec<TieBreak>, InputError> {
    let Some(words) = words else {
        let second = if swiss { TieBreak::Buchholz } else { TieBreak::SonnebornBerger };
        return Ok(vec![TieBreak::Direct, second, TieBreak::Wins]);
    };
    let read = |word: &Spanned<String>| {
        let all = || TieBreak::ALL.map(TieBreak::word).join(", ");
        let known = TieBreak::ALL.into_iter().find(|tie_break| tie_break.word() == word.get_ref());
        known.ok_or_else(|| place.error(word.span(), format!("expected tie breaks from {}, found '{}'", all(), word.get_ref())))
    };
    words.iter().map(read).collect()
}

fn network(place: &Text<'_>, file: &File) -> Result<NetworkSettings, InputError> {
    let address = |text: &Spanned<String>| {
        let address = text.get_ref().parse::<SocketAddr>().ok().filter(SocketAddr::is_ipv4);
        address.ok_or_else(|| place.error(text.span(), "expected an IPv4 address and a port, like 0.0.0.0:9876"))
    };
    Ok(NetworkSettings {
        listen: file.listen.as_ref().map(address).transpose()?.unwrap_or((Ipv4Addr::UNSPECIFIED, PORT).into()),
        wait: place.duration(file.wait.as_ref())?.unwrap_or(WAIT),
        begin_delay: place.duration(file.begin_delay.as_ref())?.unwrap_or(BEGIN_DELAY),
        resend: file.resend,
    })
}

#[cfg(test)]
mod tests {
    use plyground_core::NoResources;

    use super::*;

    const PLAIN: &str =
        "title = 'T'\ngame = 'tuc-chess'\n[[entrant]]\nagent = 'random'\n[[entrant]]\nname = 'B'\nudp = 'client15'\n";

    #[test]
    fn what_is_not_said_is_usual() {
        let competition = read(PLAIN, &NoResources).unwrap();
        let entrants = [("random", "random"), ("B", "udp:client15")];
        let entrants = entrants.map(|(name, spec)| Entrant { name: name.to_owned(), spec: spec.to_owned() });
        assert_eq!(competition.entrants, entrants);
        assert_eq!((competition.rounds, competition.double, competition.boards), (None, false, None));
        assert_eq!(competition.tie_breaks, [TieBreak::Direct, TieBreak::SonnebornBerger, TieBreak::Wins]);
        assert_eq!(competition.network.listen.to_string(), "0.0.0.0:9876");
        let swiss = read(&PLAIN.replace("[[entrant]]\nagent", "format = 'swiss'\n[[entrant]]\nagent"), &NoResources).unwrap();
        assert_eq!((swiss.rounds, swiss.tie_breaks[1]), (Some(3), TieBreak::Buchholz));
    }

    #[test]
    fn every_mistake_is_answered_with_its_line_and_what_was_expected() {
        let with = |old: &str, new: &str| read(&PLAIN.replacen(old, new, 1), &NoResources).unwrap_err().to_string();
        for (old, new, line, words) in [
            ("title = 'T'\n", "", 1, "missing field `title`"),
            ("'T'", "'T", 1, "literal string"),
            ("'T'", "7", 1, "expected a string"),
            ("'tuc-chess'", "'tuc-ches'", 2, "did you mean 'tuc-chess'"),
            ("[[entrant]]", "colour = 1\n[[entrant]]", 3, "unknown field `colour`"),
            ("[[entrant]]", "format = 'knockout'\n[[entrant]]", 3, "expected `round-robin` or `swiss`"),
            ("[[entrant]]", "rounds = 3\n[[entrant]]", 3, "rounds are for format = \"swiss\""),
            ("[[entrant]]", "format = 'swiss'\nrounds = 0\n[[entrant]]", 4, "expected a whole number from 1 to 1000"),
            ("[[entrant]]", "move_time = 'soon'\n[[entrant]]", 3, "expected a time like 500ms"),
            ("[[entrant]]", "tie_breaks = ['wins', 'luck']\n[[entrant]]", 3, "found 'luck'"),
            ("[[entrant]]", "listen = '9876'\n[[entrant]]", 3, "expected an IPv4 address and a port"),
            ("agent = 'random'", "agent = 'randm'", 4, "did you mean 'random'"),
            ("agent = 'random'", "agent = 'udp:x'", 4, "a client is entered by udp"),
            ("agent = 'random'", "agent = 'random'\nudp = 'x'", 5, "found both"),
            ("agent = 'random'", "name = 'A'", 3, "expected agent = \"SPEC\" or udp"),
            ("name = 'B'", "name = 'random'", 6, "two entrants called 'random'"),
            ("udp = 'client15'", "agent = 'random'", 7, "'random' is entered twice"),
            ("'client15'", "'a#2'", 7, "expected a name of 1 to 48 letters"),
            ("[[entrant]]\nagent = 'random'\n", "", 3, "expected from 2 to 256 of [[entrant]], found 1"),
        ] {
            let error = with(old, new);
            assert!(error.contains(&format!("line {line}: ")) && error.contains(words), "{new}: {error}");
        }
        for name in [String::new(), "x".repeat(101), "x".repeat(2_000_000)] {
            let error = with("name = 'B'", &format!("name = '{name}'"));
            assert!(error.contains("line 6: expected a name of 1 to 100 letters") && error.len() < 500, "{error}");
        }
        let long = with("agent = 'random'", &format!("agent = 'cmd:{}'", "x".repeat(4_000)));
        assert!(long.contains("line 4: expected an agent of at most 4000 letters") && long.len() < 500, "{long}");
        let pawns = with("'tuc-chess'", "'pawn'");
        assert!(pawns.contains("line 7") && pawns.contains("tuc-chess only"), "{pawns}");
        let timed = read(
            "title = 'T'\ngame = 'pawn'\ngame_time = '1min'\n[[entrant]]\nagent = 'random'\n[[entrant]]\nagent = 'mcts'\n",
            &NoResources,
        );
        assert!(timed.unwrap_err().to_string().contains("line 3: Pawn Game has no points"));
    }
}
