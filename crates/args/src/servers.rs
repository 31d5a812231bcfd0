//! What can be typed after `ply host`, `ply join` and `ply compete`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4};
use std::path::PathBuf;
use std::time::Duration;

use plyground_tuc::{PORT, Returning};

use super::{duration, games};

/// Where something is shown in the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebAddress {
    /// Nowhere.
    Off,
    /// At this address.
    At(SocketAddr),
}

fn ipv4(text: &str) -> Result<SocketAddrV4, String> {
    text.parse().map_err(|_| format!("expected an IPv4 address and a port, like 0.0.0.0:{PORT}"))
}

const WEB: &str = "127.0.0.1:7777";

fn web(text: &str) -> Result<WebAddress, String> {
    match text {
        "off" => Ok(WebAddress::Off),
        _ => match text.parse::<u16>() {
            Ok(port) => Ok(WebAddress::At(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port))),
            Err(_) => text.parse().map(WebAddress::At).map_err(|_| "expected ADDRESS:PORT, a port, or off".to_owned()),
        },
    }
}

/// How a player of a series or a round robin is known when it comes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ReturningBy {
    Name,
    Stem,
    Address,
}

impl From<ReturningBy> for Returning {
    fn from(by: ReturningBy) -> Self {
        match by {
            ReturningBy::Name => Self::Name,
            ReturningBy::Stem => Self::Stem,
            ReturningBy::Address => Self::Address,
        }
    }
}

#[derive(clap::Args)]
pub struct HostArgs {
    /// The game: tuc-chess, with the year of the competition if it is not 2022 (tuc-chess:year=2021)
    pub game: String,
    /// Play a series: the first two who come, so many games, with colours in turn [default: game after game, for every two who come]
    #[arg(long, value_name = "GAMES", value_parser = games)]
    pub series: Option<u64>,
    /// Wait for so many players; then everybody plays everybody
    #[arg(long, value_name = "PLAYERS", conflicts_with = "series", value_parser = clap::value_parser!(u16).range(2..=256))]
    pub round_robin: Option<u16>,
    /// In a round robin: everybody plays everybody twice, once with each colour
    #[arg(long, requires = "round_robin")]
    pub double: bool,
    /// Every client plays against this agent (see `ply agents`)
    #[arg(long, value_name = "SPEC", conflicts_with_all = ["series", "round_robin"])]
    pub against: Option<String>,
    /// End after so many games [default: at Ctrl-C]
    #[arg(long, value_name = "N", conflicts_with_all = ["series", "round_robin"], value_parser = games)]
    pub games: Option<u64>,
    /// Games at the same time
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=128))]
    pub boards: u16,
    /// The time for a move; a longer one loses [default: by year, 4s in 2022, 6s in 2021]
    #[arg(long, value_name = "T", value_parser = duration)]
    pub move_time: Option<Duration>,
    /// The time for a game; then the points decide [default: by year, 12min in 2022, 14min in 2021]
    #[arg(long, value_name = "T", value_parser = duration)]
    pub game_time: Option<Duration>,
    /// The time between the second player's coming and the beginning
    #[arg(long, value_name = "T", default_value = "3s", value_parser = duration)]
    pub begin_delay: Duration,
    /// In a series or a round robin: a client that has not come for its game after this time loses it
    #[arg(long, value_name = "T", default_value = "2min", value_parser = duration)]
    pub wait: Duration,
    /// A client that waits for an opponent is dismissed after so long without a word, so that those who have gone hold no seat
    #[arg(long, value_name = "T", default_value = "10min", value_parser = duration)]
    pub seat_time: Duration,
    /// In a series or a round robin, how a player is known when it comes again: by its name; by its name but for the digits at its end (for
    /// clients that draw a new number at every start); or by its address
    #[arg(long, value_name = "HOW", default_value = "name")]
    pub returning: ReturningBy,
    /// Say the last message once more to a player that is silent for a second; clients of the original server do not expect that
    #[arg(long)]
    pub resend: bool,
    /// Where players come to (UDP)
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, PORT), value_parser = ipv4)]
    listen: SocketAddrV4,
    /// The port of that place, on all addresses of this computer
    #[arg(long, value_name = "N", conflicts_with = "listen", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Where the games are shown in the browser: ADDRESS:PORT, a port of this computer, or off; 0.0.0.0:7777 shows them to everybody
    #[arg(long, value_name = "PLACE", default_value = WEB, value_parser = web)]
    pub web: WebAddress,
}

impl HostArgs {
    /// Where players come to.
    pub fn place(&self) -> SocketAddrV4 {
        self.port.map_or(self.listen, |port| SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, port))
    }
}

#[derive(clap::Args)]
pub struct JoinArgs {
    /// The game: tuc-chess, with the year of the competition if it is not 2022
    pub game: String,
    /// Who plays, e.g. best or level=5 (see `ply agents`)
    #[arg(long, value_name = "SPEC")]
    pub agent: String,
    /// Where the server is; without a port, 9876
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1")]
    pub server: String,
    /// What we are called there, up to 200 bytes [default: the name of the agent]
    #[arg(long, value_name = "NAME", value_parser = player_name)]
    pub name: Option<String>,
    /// Games to play, one after the other
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = games)]
    pub games: u64,
    /// The time for a move; an agent uses seven eighths of it, if its spec does not limit it by something else [default: by year]
    #[arg(long, value_name = "T", value_parser = duration)]
    pub move_time: Option<Duration>,
    /// Say again what may have been lost, after a second of silence; only for `ply host`: the original server would be confused
    #[arg(long)]
    pub resend: bool,
    /// Give up when nothing was heard for so long
    #[arg(long, value_name = "T", default_value = "15min", value_parser = duration)]
    pub patience: Duration,
    /// Print every message
    #[arg(long)]
    pub messages: bool,
    /// Add the record of every game to this file (`ply replay` reads it)
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

fn player_name(text: &str) -> Result<String, String> {
    let is_name = (1..=200).contains(&text.len()) && !text.chars().any(char::is_control) && !text.trim().is_empty();
    is_name.then(|| text.to_owned()).ok_or_else(|| "expected a name of 1 to 200 bytes".to_owned())
}

#[derive(clap::Args)]
pub struct CompeteArgs {
    /// The file of the competition (see docs/competitions.md)
    pub file: PathBuf,
    /// Check the file, say what would be played, and play nothing; no program is started
    #[arg(long)]
    pub check: bool,
    /// With --check: start the programs among the entrants (cmd:), and see that they get ready; they run with your rights
    #[arg(long, requires = "check")]
    pub start_programs: bool,
    /// Write the page of results to this file, as Markdown where it ends in .md [default: beside the file, with the ending .html]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Where the games are shown in the browser: ADDRESS:PORT, a port of this computer, or off; 0.0.0.0:7777 shows them to everybody
    #[arg(long, value_name = "PLACE", default_value = WEB, value_parser = web)]
    pub web: WebAddress,
    /// Go on showing the results in the browser when everything is played, until Ctrl-C
    #[arg(long)]
    pub stay: bool,
}

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ArenaArgs {
    /// The file of the arena (see docs/arena.md), or a game
    #[arg(value_name = "FILE|GAME", required = true)]
    pub place: Option<String>,
    /// The folder with everything: players, bots, games; a copy of it is a backup [default: beside the file, or arena-GAME here]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Where the pages are: ADDRESS:PORT, or a port of this computer; 0.0.0.0:7777 is for everybody in the network
    #[arg(long, value_name = "PLACE", default_value = WEB, value_parser = web)]
    pub web: WebAddress,
    /// Run bots with your rights where they cannot be confined: only for bots that you trust
    #[arg(long = "unsafe")]
    pub unconfined: bool,
    #[command(subcommand)]
    pub action: Option<ArenaAction>,
}

#[derive(clap::Subcommand)]
pub enum ArenaAction {
    /// Check a bot at home as the arena does: compile it, and let it play the weakest level with the limits of the arena
    Try(ArenaTryArgs),
}

#[derive(clap::Args)]
pub struct ArenaTryArgs {
    /// The bot: a file or a zip
    pub bot: PathBuf,
    /// The game of the arena
    #[arg(long, value_name = "GAME", required_unless_present = "arena", conflicts_with = "arena")]
    pub game: Option<String>,
    /// The file of the arena, for its limits
    #[arg(long, value_name = "FILE")]
    pub arena: Option<PathBuf>,
    /// Run it with your rights where it cannot be confined
    #[arg(long = "unsafe")]
    pub unconfined: bool,
}
