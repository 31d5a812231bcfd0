//! `ply join tuc-chess`: an agent plays at a server of the TUC-Chess protocol, the original or ours.

use std::io::Write;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;

use anyhow::{Context, anyhow};
use plyground_match::{AgentFactory, Experiment, names_effort};
use plyground_session::{AGENTS, GameRecord, Limits, Player, Seed, split_spec};
use plyground_tuc::{Client, CompetitionTimes, Joined, PORT, SILENCE, with_squares};
use serde_json::json;

use crate::commands::host::networked;
use crate::engines::CommandResources;
use crate::runs::threads;
use plyground_args::{Global, JoinArgs};
use plyground_terminal::interrupt;
use plyground_terminal::print_notes;

pub fn run(args: &JoinArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let (game, year) = networked(&args.game)?;
    let agent = Experiment::new(&game, std::slice::from_ref(&args.agent), &CommandResources)?.agents.remove(0);
    // It plays one game at a time, so all processors are its own; an agent that is weak on purpose has no use for them.
    let agent = if names_effort(&agent) { agent } else { with_threads(&agent, threads(None)) };
    let move_time = args.move_time.unwrap_or(CompetitionTimes::of_year(&year).a_move);
    // What is thought is still to be sent, over networks of all kinds. A time in the spec gives way to that of the protocol.
    let time = (!names_effort(&agent)).then_some(move_time * 7 / 8);
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
        cut_short: move_time * 19 / 20,
        resend: args.resend.then_some(SILENCE),
        patience: args.patience,
        cancel: interrupt::token(),
        listen: &|ours, text| print_notes(&[format!("{} {}", if ours { "->" } else { "<-" }, with_squares(text))], !messages),
        tell: &|words| print_notes(&[words.to_owned()], global.quiet || global.json),
    };
    for number in 1..=args.games {
        let Some(joined) = client.play(seed.numbered(number))? else { break };
        print_result(out, global, number, &joined)?;
        if let (Some(path), Some(record)) = (&args.out, &joined.record) {
            append(path, record).with_context(|| format!("{} cannot be written", path.display()))?;
        }
    }
    Ok(())
}

/// The spec of an agent with so many threads, where it knows threads and names none.
fn with_threads(agent: &str, threads: usize) -> String {
    const KEY: &str = "threads";
    let (name, keys) = split_spec(agent);
    let known = AGENTS.iter().any(|info| info.name == name && info.keys.iter().any(|key| key.key == KEY));
    let is_named = keys.split(',').any(|pair| pair.split('=').next().unwrap_or_default().trim() == KEY);
    match (threads > 1 && known && !is_named, keys) {
        (false, _) => agent.to_owned(),
        (true, "") => format!("{name}:{KEY}={threads}"),
        (true, keys) => format!("{name}:{keys},{KEY}={threads}"),
    }
}

/// Adds a game to a file of records.
fn append(path: &Path, record: &GameRecord) -> std::io::Result<()> {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
    writeln!(file, "{}", serde_json::to_string(record)?)
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
    let Joined { colour, points: [white, black], moves, missed, .. } = joined;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_get_all_processors_unless_they_name_threads() {
        assert_eq!(with_threads("pvs:time=1900ms", 2), "pvs:time=1900ms,threads=2");
        assert_eq!(with_threads("az", 4), "az:threads=4");
        for agent in ["pvs:threads=1", "random", "cmd:./bot"] {
            assert_eq!(with_threads(agent, 2), agent);
        }
        assert_eq!(with_threads("pvs", 1), "pvs");
    }
}
