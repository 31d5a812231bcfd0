//! `ply arena`: a class arena with its pages, and the check of a bot at home.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, bail};
use plyground_arena::{Arena, ArenaOptions, ArenaSettings, try_bot};
use plyground_match::read_bounded;
use plyground_sandbox::{Detection, Isolation, detect};
use plyground_serve::{Server, ServerLimits};
use serde_json::json;
use tokio::runtime::Builder;

use crate::store::read_settings;
use plyground_args::{ArenaAction, ArenaArgs, ArenaTryArgs, Global, WebAddress};
use plyground_terminal::{interrupt, print_json, print_notes};

/// Visitors at the same time, and those of them who follow the projector: a lecture hall full of phones.
const VISITORS: usize = 500;
const LISTENERS: usize = 400;

pub fn run(args: &ArenaArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    if let Some(ArenaAction::Try(args)) = &args.action {
        return try_at_home(args, global, out);
    }
    let place = args.place.as_deref().context("expected the file of an arena, or a game")?;
    let is_file = Path::new(place).is_file() || Path::new(place).extension().is_some_and(|ending| ending == "toml");
    let mut settings = if is_file { read_file(Path::new(place))? } else { ArenaSettings::for_game(place)? };
    settings.seed = global.seed.unwrap_or(settings.seed);
    let usual = || {
        let name: String = settings.game.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        if is_file { PathBuf::from(place).with_extension("arena") } else { PathBuf::from(format!("arena-{name}")) }
    };
    let folder = args.folder.clone().unwrap_or_else(usual);
    let WebAddress::At(address) = args.web else { bail!("expected an address for the pages: an arena without them is none") };
    let guard = guard()?;
    let detection = confinement(&guard, args.unconfined, global);
    let arena = Arena::open(settings, ArenaOptions { folder, guard, detection })?;
    let runtime =
        Builder::new_multi_thread().worker_threads(2).enable_all().build().context("cannot start the server's threads")?;
    let limits = ServerLimits { http_connections: VISITORS, listeners: LISTENERS, ..ServerLimits::default() };
    let mut server = runtime
        .block_on(Server::bind(address, limits))
        .with_context(|| format!("port {} is not to be had; --web 0 takes any that is free", address.port()))?;
    server.show_site(arena.site(), arena.live_page());
    interrupt::catch()?;
    let at = format!("http://{}", server.address()?);
    if global.json {
        print_json(out, &json!({"url": at, "host": format!("{at}{}", arena.host_path()), "code": arena.code()}))?;
    } else {
        writeln!(out, "The arena is at {at}, the projector at {at}/projector")?;
        writeln!(out, "Players join with the code {}", arena.code())?;
        writeln!(out, "Your page (its address is a key): {at}{}", arena.host_path())?;
        if !global.quiet {
            writeln!(out, "{}\nCtrl-C ends it; the same command goes on.", arena.sandbox())?;
        }
    }
    out.flush()?;
    thread::scope(|scope| {
        scope.spawn(|| arena.work());
        runtime.block_on(server.run(async {
            while !interrupt::asked() {
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
            arena.close();
        }));
    });
    Ok(())
}

fn read_file(file: &Path) -> anyhow::Result<ArenaSettings> {
    ArenaSettings::read(&read_settings(file)?).with_context(|| file.display().to_string())
}

fn guard() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("the path of this program is not known")
}

/// What works here; where nothing does, and the host says so, bots are not confined.
fn confinement(guard: &Path, unconfined: bool, global: &Global) -> Detection {
    let mut detection = detect(guard);
    if detection.works.is_empty() && unconfined {
        let note = format!("bots are NOT confined, and run with your rights: {}", detection.reasons.join("; "));
        print_notes(&[note], global.quiet);
        detection.works.push(Isolation::Unconfined);
    }
    detection
}

fn try_at_home(args: &ArenaTryArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let settings = match (&args.arena, &args.game) {
        (Some(file), _) => read_file(file)?,
        (None, Some(game)) => ArenaSettings::for_game(game)?,
        (None, None) => bail!("expected --game or --arena"),
    };
    let largest = settings.upload * 1024 * 1024;
    let contents = read_bounded(&args.bot, largest).with_context(|| format!("cannot read {}", args.bot.display()))?;
    let guard = guard()?;
    let detection = confinement(&guard, args.unconfined, global);
    let Some(&isolation) = detection.works.first() else {
        bail!("bots cannot be confined here ({}); --unsafe runs it with your rights", detection.reasons.join("; "));
    };
    let tried = try_bot(&args.bot, contents, &settings, &guard, isolation).map_err(anyhow::Error::msg)?;
    if global.json {
        let page = json!({"language": tried.language, "games": tried.games, "refused": tried.refused, "stderr": tried.stderr});
        print_json(out, &page)?;
    } else {
        writeln!(out, "{} ({})", args.bot.display(), tried.language)?;
        for game in &tried.games {
            writeln!(out, "  {game}")?;
        }
        for line in tried.stderr.lines().filter(|line| !line.starts_with("--- ")).take(20) {
            writeln!(out, "  stderr: {}", plyground_session::quoted(line))?;
        }
        if tried.refused.is_none() {
            writeln!(out, "The arena would take it.")?;
        }
    }
    match tried.refused {
        Some(why) => bail!("the arena would not take it: {why}"),
        None => Ok(()),
    }
}
