//! `ply join tuc-chess`: an agent plays at a server of the TUC-Chess protocol, the original or ours.

use std::io::Write;
use std::net::{SocketAddr, ToSocketAddrs};

use anyhow::{Context, anyhow};
use plyground_match::{AgentFactory, Experiment, names_limits};
use plyground_session::{Limits, Player, Seed, split_spec};
use plyground_tuc::{Client, CompetitionTimes, Joined, PORT, SILENCE};
use serde_json::json;

use crate::commands::host::networked;
use crate::engines::CommandResources;
use plyground_args::{Global, JoinArgs};
use plyground_terminal::interrupt;
use plyground_terminal::print_notes;

/// The original server knows no limit of moves.
const LIMIT: &str = "limit=10000";

pub fn run(args: &JoinArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let (spec, year) = networked(&args.game)?;
    let game = match split_spec(&spec) {
        (_, keys) if keys.contains("limit=") => spec.clone(),
        (name, "") => format!("{name}:{LIMIT}"),
        (name, keys) => format!("{name}:{keys},{LIMIT}"),
    };
    let agent = Experiment::new(&game, std::slice::from_ref(&args.agent), &CommandResources)?.agents.remove(0);
    let move_time = args.move_time.unwrap_or(CompetitionTimes::of_year(&year).a_move);
    // What is thought is still to be sent, over networks of all kinds.
    let time = (!names_limits(&agent)).then_some(move_time * 3 / 4);
    let name = args.name.clone().unwrap_or_else(|| default_name(&args.agent));
    let server = resolved(&args.server)?;
    let seed = Seed(global.seed_or_time());
    interrupt::catch()?;
    let messages = args.messages && !global.quiet;
    let client = Client {
        server,
        name: &name,
        game: &game,
        agent: &agent,
        players: &AgentFactory::new(&CommandResources),
        limits: Limits { time, ..Limits::default() },
        cut_short: move_time * 9 / 10,
        resend: args.resend.then_some(SILENCE),
        patience: args.patience,
        cancel: interrupt::token(),
        listen: &|ours, text| print_notes(&[format!("{} {text}", if ours { "->" } else { "<-" })], !messages),
    };
    for number in 1..=args.games {
        let Some(joined) = client.play(seed.numbered(number))? else { break };
        print_result(out, global, number, &joined)?;
    }
    Ok(())
}

/// The name of the agent. One letter is no name for `ply host`.
fn default_name(agent: &str) -> String {
    match split_spec(agent).0 {
        name if name.chars().count() < 2 => format!("agent {name}"),
        name => name.to_owned(),
    }
}

fn resolved(server: &str) -> anyhow::Result<SocketAddr> {
    let expected = || anyhow!("malformed server '{server}': expected HOST:PORT, like 192.168.1.10:{PORT}");
    let (host, port) = match server.rsplit_once(':') {
        Some((host, port)) => (host, port.parse::<u16>().map_err(|_| expected())?),
        None => (server, PORT),
    };
    if host.is_empty() {
        return Err(expected());
    }
    let mut addresses = (host, port).to_socket_addrs().with_context(|| format!("the server '{host}' is not known"))?;
    addresses.find(SocketAddr::is_ipv4).with_context(|| format!("the server '{host}' has no IPv4 address"))
}

fn print_result(out: &mut impl Write, global: &Global, number: u64, joined: &Joined) -> anyhow::Result<()> {
    let Joined { colour, points: [white, black], moves, missed } = joined;
    let (own, other) = if *colour == Player::First { (white, black) } else { (black, white) };
    if global.json {
        let line = json!({"game": number, "colour": colour.word(), "points": [white, black], "moves": moves, "missed": missed});
        writeln!(out, "{line}")?;
    } else {
        let colour = if *colour == Player::First { "White" } else { "Black" };
        let words = match own.cmp(other) {
            std::cmp::Ordering::Greater => "more points",
            std::cmp::Ordering::Equal => "equal points",
            std::cmp::Ordering::Less => "fewer points",
        };
        let missed = if *missed > 0 { format!(", {missed} messages were lost") } else { String::new() };
        writeln!(out, "game {number}: {colour}, {white} : {black}, {words} ({moves} moves{missed})")?;
    }
    out.flush()?;
    Ok(())
}
