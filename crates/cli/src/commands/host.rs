//! `ply host tuc-chess`: a server for clients of the original TUC-Chess protocol.

use std::collections::HashMap;
use std::io::Write;
use std::net::UdpSocket;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use plyground_core::sync::lock;
use plyground_match::{Experiment, GameRow, REMOTE, Run, RunEvent, RunObserver};
use plyground_serve::LivePage;
use plyground_session::{info, open, split_spec};
use plyground_tuc::{
    CompetitionTimes, Host as TucHost, HostEvent, HostOptions, Programme, RunningUdpServer, SILENCE, UdpServer, with_squares,
};
use serde_json::json;

use crate::engines::CommandResources;
use crate::runs::{command, open_store};
use crate::web::LiveServer;
use plyground_args::{Global, HostArgs};
use plyground_terminal::interrupt;
use plyground_terminal::print_notes;

/// How often the page hears who waits.
const LOBBY: Duration = Duration::from_millis(300);
/// How long a player may be missing before it is said.
const AWAITED_AFTER: Duration = Duration::from_secs(5);

/// The game with its parameters, without a limit of moves unless one is named, and its year, if it is one that can be played over the
/// network.
pub fn networked(game: &str) -> anyhow::Result<(String, String)> {
    let spec = open(game, None)?.spec();
    let (name, keys) = split_spec(&spec);
    if name != "tuc-chess" {
        bail!("expected tuc-chess, found {}: no other game has a network protocol", info(name)?.name);
    }
    let year = keys.split(',').find_map(|key| key.strip_prefix("year=")).unwrap_or("2022").to_owned();
    Ok((plyground_tuc::without_limit(&spec), year))
}

fn programme(args: &HostArgs) -> Programme {
    match (args.series, args.round_robin, &args.against) {
        (Some(games), ..) => Programme::Series { games },
        (_, Some(players), _) => Programme::RoundRobin { players: players.into(), double: args.double },
        (.., Some(spec)) => Programme::Against { spec: spec.clone(), games: args.games },
        _ => Programme::InTurn { games: args.games },
    }
}

/// What is told from any thread, and printed by one.
enum Told {
    Came(String),
    Over { game: Box<GameRow>, players: [String; 2], run: String, seconds: f64 },
}

/// Where it is played, shown and printed.
struct Stage<'a> {
    udp_server: RunningUdpServer,
    live_page: Arc<LivePage>,
    tell: mpsc::Sender<Told>,
    global: &'a Global,
    /// When the games began that are being played, by job and number.
    begun: Mutex<HashMap<(String, u8), Instant>>,
}

pub fn run(args: &HostArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let (game, year) = networked(&args.game)?;
    let usual = CompetitionTimes::of_year(&year);
    let (a_move, a_game) = (args.move_time.unwrap_or(usual.a_move), args.game_time.unwrap_or(usual.a_game));
    let programme = programme(args);
    if let Some(spec) = &args.against {
        Experiment::new(&game, std::slice::from_ref(spec), &CommandResources)?;
    }
    let store = open_store(global)?;
    let (tell, told) = mpsc::channel();
    let stage = Stage::open(args, &programme, &year, tell, global)?;
    let page = LiveServer::open(&stage.live_page, args.web)?;
    interrupt::catch()?;
    if !global.json && !global.quiet {
        writeln!(
            out,
            "{game}, {} s for a move: waiting for players on {} (UDP)",
            a_move.as_secs_f64(),
            stage.udp_server.address()?
        )?;
        if let Some(page) = &page {
            writeln!(out, "the games are shown at http://{} (Ctrl-C ends it)", page.address)?;
        }
        out.flush()?;
    }
    let host = TucHost {
        server: &stage.udp_server,
        store: &store,
        resources: &CommandResources,
        game: &game,
        time: CompetitionTimes { a_move, a_game },
        seed: global.seed_or_time(),
        boards: args.boards.into(),
        command: command(),
        cancel: interrupt::token(),
        observer: &stage,
    };
    let played = std::thread::scope(|scope| {
        let playing = scope.spawn(|| host.play(&programme));
        // A reader that has closed the pipe has seen enough.
        stage.print(out, &told, || playing.is_finished()).inspect_err(|_| interrupt::ask())?;
        anyhow::Ok(playing.join().expect("the players hold no panics"))
    })?;
    stage.live_page.close();
    stage.count_dropped();
    Ok(played?)
}

/// Passes on what happens to the page, and to the thread that prints.
impl RunObserver for Stage<'_> {
    fn observe(&self, run: &Run, event: &RunEvent<'_>) {
        self.live_page.observe(run, event);
        if let RunEvent::GameStarted { job, game, .. } = event {
            lock(&self.begun).insert((job.id.clone(), *game), Instant::now());
        }
        let RunEvent::JobFinished { games, .. } = event else { return };
        for game in *games {
            let players = game.agents.map(|agent| run.experiment.agents[agent].trim_start_matches(REMOTE).to_owned());
            // With the last wait, which is no move.
            let begun = lock(&self.begun).remove(&(game.job.clone(), game.game));
            let seconds = begun.map_or(0.0, |begun| begun.elapsed().as_secs_f64());
            // The receiver is gone when the program ends.
            let _ = self.tell.send(Told::Over { game: Box::new(game.clone()), players, run: run.id.clone(), seconds });
        }
    }
}

impl<'a> Stage<'a> {
    fn open(
        args: &HostArgs,
        programme: &Programme,
        year: &str,
        tell: mpsc::Sender<Told>,
        global: &'a Global,
    ) -> anyhow::Result<Self> {
        let place = args.place();
        let socket = UdpSocket::bind(place)
            .with_context(|| format!("cannot listen on {place} (UDP): is another server running there?"))?;
        let live_page = Arc::new(LivePage::new(&title(programme, year), []));
        if let Some(games) = expected(programme) {
            live_page.expect(games);
        }
        let usual = HostOptions::default();
        let options = HostOptions {
            begin_delay: args.begin_delay,
            wait: matches!(programme, Programme::Series { .. } | Programme::RoundRobin { .. }).then_some(args.wait),
            resend: args.resend.then_some(SILENCE),
            seat_time: Some(args.seat_time),
            returning: args.returning.into(),
            // The players of a round robin may all be on one computer.
            seats_per_address: usual.seats_per_address.max(args.round_robin.unwrap_or_default().into()),
        };
        let (seen, arrivals) = (Arc::clone(&live_page), tell.clone());
        let udp_server = UdpServer::open(socket, options, programme.admission(), move |notice| {
            let (player, received, text) = notice.message();
            seen.message(player, received, &with_squares(text));
            let words = match notice {
                HostEvent::Arrived { name, address } => format!("{name} has come from {address}"),
                HostEvent::TurnedAway { name, address, awaited } => format!(
                    "{name} from {address} was turned away: only {} may come (a client that draws a new name at every start: \
                     --returning stem, or --returning address)",
                    awaited.join(", ")
                ),
                _ => return,
            };
            let _ = arrivals.send(Told::Came(words));
        })?;
        Ok(Self { udp_server, live_page, tell, global, begun: Mutex::default() })
    }

    /// Prints what is told until it is over.
    fn print(&self, out: &mut impl Write, told: &mpsc::Receiver<Told>, over: impl Fn() -> bool) -> anyhow::Result<()> {
        let (mut number, mut late) = (0, 0);
        let mut awaited = Vec::new();
        loop {
            // Looked at first: what was told before the end is still printed.
            let is_over = over();
            let missing = self.udp_server.awaited(AWAITED_AFTER);
            let present = self.udp_server.waiting().into_iter();
            let lobby = present.chain(missing.iter().map(|name| format!("{name} (not here yet)"))).collect();
            self.live_page.lobby(lobby, self.udp_server.dropped().counts().to_vec());
            if missing != awaited && !missing.is_empty() {
                let words = format!(
                    "waiting for {}: a client that has ended, or that heard another host, has to be started again",
                    missing.join(", ")
                );
                print_notes(&[words], self.global.quiet || self.global.json);
            }
            awaited = missing;
            match told.recv_timeout(LOBBY) {
                Ok(Told::Came(words)) => print_notes(&[words], self.global.quiet || self.global.json),
                Ok(Told::Over { game, players, run, seconds }) => {
                    number += 1;
                    late += u64::from(game.fault.as_deref() == Some(OVERRAN));
                    print_game(out, self.global, [&number.to_string(), &run], &game, &players, seconds)?;
                }
                Err(_) if is_over => {
                    print_notes(&[too_late(late, number)], self.global.quiet || self.global.json || !is_often(late, number));
                    return Ok(());
                }
                Err(_) => {}
            }
        }
    }

    fn count_dropped(&self) {
        let dropped = self.udp_server.dropped();
        let words = format!(
            "dropped datagrams: {} of strangers, {} out of turn, {} repeated, {} that were no moves",
            dropped.foreign, dropped.early, dropped.repeated, dropped.malformed
        );
        print_notes(&[words], self.global.quiet || self.global.json || dropped.all() == 0);
    }
}

/// How many games there will be, if that is known.
fn expected(programme: &Programme) -> Option<u64> {
    match programme {
        Programme::InTurn { games } | Programme::Against { games, .. } => *games,
        Programme::Series { games } => Some(*games),
        Programme::RoundRobin { players, double } => {
            let once = *players as u64 * (*players as u64 - 1) / 2;
            Some(if *double { 2 * once } else { once })
        }
    }
}

fn title(programme: &Programme, year: &str) -> String {
    let what = match programme {
        Programme::InTurn { .. } => "open table".to_owned(),
        Programme::Against { spec, .. } => format!("everybody against {spec}"),
        Programme::Series { games } => format!("a series of {games} games"),
        Programme::RoundRobin { players, .. } => format!("{players} players, everybody against everybody"),
    };
    format!("TUC-Chess {year}: {what}")
}

/// The word for a player that took too long.
const OVERRAN: &str = "overran";

/// Were so many games lost by time that it may be this computer's fault?
fn is_often(late: u64, games: u64) -> bool {
    late >= 3 && 10 * late >= games
}

fn too_late(late: u64, games: u64) -> String {
    format!(
        "{late} of {games} games were lost by time: if clients run on this computer, it may be busy (--boards plays fewer games at the \
         same time, --move-time gives more time)"
    )
}

/// A line for a game.
fn print_game(
    out: &mut impl Write,
    global: &Global,
    [number, run]: [&str; 2],
    game: &GameRow,
    players: &[String; 2],
    seconds: f64,
) -> anyhow::Result<()> {
    if global.json {
        let line = json!({
            "game": number.parse::<u64>()?, "players": players, "result": game.outcome.word(), "points": game.points, "reason": game.reason,
            "fault": game.fault, "plies": game.plies(), "seconds": seconds, "run": run,
        });
        writeln!(out, "{line}")?;
    } else {
        let [white, black] = game.points.unwrap_or_default();
        let result = match game.outcome.word() {
            "first" => "White wins",
            "second" => "Black wins",
            _ => "a draw",
        };
        let [first, second] = players;
        let plies = game.plies();
        writeln!(
            out,
            "game {number}: {first} {white} : {black} {second}, {result}: {} ({plies} plies, {seconds:.1} s, run {run})",
            game.reason
        )?;
    }
    out.flush()?;
    Ok(())
}
