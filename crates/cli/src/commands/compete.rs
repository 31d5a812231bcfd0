//! `ply compete FILE`: a competition, from its file to its table.

use std::io::Write;
use std::net::UdpSocket;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use anyhow::Context;
use plyground_match::{
    AgentFactory, PlayerFactory, Results, Run, RunDriver, RunError, RunEvent, RunObserver, RunPrefix, Seats, Store, Threads,
    machine, pairings,
};
use plyground_serve::LivePage;
use plyground_session::Resources;
use plyground_session::sync::lock;
use plyground_studies::competition::{Bout, Competition, Ranking};
use plyground_studies::report::{Provenance, Report};
use plyground_tuc::{Admission, HostOptions, RemotePlayers, RunningUdpServer, SILENCE, UdpServer};
use serde_json::{Value, json};

use crate::engines::{CommandResources, UnstartedPrograms};
use crate::runs::{command, open_store, stopped, threads};
use crate::store::read_settings;
use crate::web::LiveServer;
use plyground_args::{CompeteArgs, Global};
use plyground_terminal::interrupt;
use plyground_terminal::{Lean, columns, print_json, print_notes, rows_of_cells};

/// The page of results is not written more often.
const EVERY: Duration = Duration::from_secs(2);
/// How often the page in the browser hears who waits.
const LOBBY: Duration = Duration::from_millis(300);
/// Games at the same time where clients think on computers of their own.
const GUEST_BOARDS: usize = 8;

/// Everything about a competition that is being played.
struct Contest<'a> {
    competition: &'a Competition,
    run: &'a Run,
    live_page: Arc<LivePage>,
    out: PathBuf,
    command: &'static str,
    begun: Instant,
    known: Mutex<Known>,
}

/// What has come out so far.
struct Known {
    bouts: Vec<Bout>,
    results: Results,
    /// Games that the table shows, and when the page was written for the last time.
    shown: usize,
    written: Instant,
}

pub fn run(args: &CompeteArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let named = || args.file.display().to_string();
    let starts_programs = !args.check || args.start_programs;
    let resources: &dyn Resources = if starts_programs { &CommandResources } else { &UnstartedPrograms };
    let mut competition = Competition::read(&read_settings(&args.file)?, resources).with_context(named)?;
    competition.seed = global.seed.unwrap_or(competition.seed);
    let run = competition.run(resources).with_context(named)?;
    if args.check {
        let has_programs = competition.entrants.iter().any(|entrant| entrant.spec.starts_with("cmd:"));
        let note = "no program was started: --start-programs starts each, and waits until it is ready";
        print_notes(&[note.to_owned()], global.quiet || starts_programs || !has_programs);
        return check(&competition, &run, global, out);
    }
    let store = open_store(global)?;
    let names = run.experiment.agents.iter().zip(&competition.entrants);
    let live_page =
        Arc::new(LivePage::new(&competition.title, names.map(|(spec, entrant)| (spec.clone(), entrant.name.clone()))));
    let event = Contest {
        competition: &competition,
        run: &run,
        live_page: Arc::clone(&live_page),
        out: args.out.clone().unwrap_or_else(|| args.file.with_extension("html")),
        command: command(),
        begun: Instant::now(),
        known: Mutex::new(Known { bouts: Vec::new(), results: Results::new(Seats::Fixed), shown: 0, written: Instant::now() }),
    };
    event.read(&store)?;
    event.write()?;
    live_page.expect(wanted(&competition, &run) as u64);
    let udp_server = competition.has_guests().then(|| open_udp_server(&competition, &live_page)).transpose()?;
    let page = LiveServer::open(&live_page, args.web)?;
    interrupt::catch()?;
    if !global.json && !global.quiet {
        event.greet(udp_server.as_ref(), page.as_ref(), out)?;
    }
    let complete = event.play(&store, udp_server.as_deref(), global, out)?;
    drop(udp_server);
    event.write()?;
    live_page.show_table(event.ranking(&event.known()).table(&competition));
    live_page.close();
    event.finish(complete, global, out)?;
    if args.stay && page.is_some() {
        print_notes(&["everything is played; Ctrl-C ends the page".to_owned()], global.quiet);
        while !interrupt::asked() {
            std::thread::sleep(LOBBY);
        }
    }
    Ok(())
}

fn open_udp_server(competition: &Competition, live_page: &Arc<LivePage>) -> anyhow::Result<RunningUdpServer> {
    let network = &competition.network;
    let socket = UdpSocket::bind(network.listen)
        .with_context(|| format!("cannot listen on {} (UDP): is another server running there?", network.listen))?;
    let options = HostOptions {
        begin_delay: network.begin_delay,
        wait: Some(network.wait),
        resend: network.resend.then_some(SILENCE),
        ..HostOptions::default()
    };
    let live_page = Arc::clone(live_page);
    Ok(UdpServer::open(socket, options, Admission::Only(competition.guests()), move |notice| {
        let (player, received, text) = notice.message();
        live_page.message(player, received, text);
    })?)
}

/// How many games there are, or at most will be.
fn wanted(competition: &Competition, run: &Run) -> usize {
    let first = pairings(run.experiment.format, competition.entrants.len()).len();
    first * competition.rounds.map_or(1, |rounds| rounds as usize)
}

fn check(competition: &Competition, run: &Run, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let games = wanted(competition, run);
    if global.json {
        let entrants: Vec<Value> =
            competition.entrants.iter().map(|entrant| json!({"name": entrant.name, "spec": entrant.spec})).collect();
        let page =
            json!({"title": competition.title, "game": competition.game, "entrants": entrants, "games": games, "run": run.id});
        return print_json(out, &page);
    }
    writeln!(
        out,
        "{}\n{}, {} entrants, {games} games, run {}\n",
        competition.title,
        competition.game,
        competition.entrants.len(),
        run.id
    )?;
    let rows: Vec<[String; 2]> =
        competition.entrants.iter().map(|entrant| [entrant.name.clone(), entrant.spec.clone()]).collect();
    write!(out, "{}", columns([Lean::Left, Lean::Left], &rows))?;
    Ok(())
}

impl Contest<'_> {
    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        lock(&self.known)
    }

    /// What was played before.
    fn read(&self, store: &Store) -> anyhow::Result<()> {
        let mut known = self.known();
        let mut games = Vec::new();
        store.games(RunPrefix::all(&self.run.id), |game| games.push(game))?;
        games.sort_by_key(|game| game.ended);
        for game in &games {
            known.results.add(game);
            known.bouts.push(Bout::from(game));
            self.live_page.remember(self.run, game);
        }
        known.shown = known.bouts.len();
        self.live_page.show_table(self.ranking(&known).table(self.competition));
        Ok(())
    }

    fn ranking(&self, known: &Known) -> Ranking {
        self.competition.ranking(self.run, &known.results, &known.bouts)
    }

    fn greet(
        &self,
        udp_server: Option<&RunningUdpServer>,
        page: Option<&LiveServer>,
        out: &mut impl Write,
    ) -> anyhow::Result<()> {
        let before = self.known().bouts.len();
        let already = if before > 0 { format!(", {before} of them played before") } else { String::new() };
        writeln!(out, "{}: {} games{already}, run {}", self.competition.title, wanted(self.competition, self.run), self.run.id)?;
        if let Some(udp_server) = udp_server {
            let guests = self.competition.guests().join(", ");
            writeln!(out, "waiting for {guests} on {} (UDP)", udp_server.address()?)?;
        }
        if let Some(page) = page {
            writeln!(out, "the games are shown at http://{}", page.address)?;
        }
        writeln!(out, "the results are written to {} (Ctrl-C stops; the same command goes on)", self.out.display())?;
        out.flush()?;
        Ok(())
    }

    /// Takes note of what happens, and does not hold up the players.
    fn note(&self, event: &RunEvent<'_>, tell: &mpsc::Sender<String>) {
        self.live_page.observe(self.run, event);
        let RunEvent::JobFinished { games, .. } = event else { return };
        let mut known = self.known();
        for game in *games {
            known.results.add(game);
            let bout = Bout::from(game);
            // The receiver is gone when the program ends.
            let _ = tell.send(self.line(known.bouts.len() + 1, &bout));
            known.bouts.push(bout);
        }
    }

    /// Brings the pages up to date, now and then.
    fn refresh(&self) -> Result<(), RunError> {
        let mut known = self.known();
        if known.shown == known.bouts.len() {
            return Ok(());
        }
        self.live_page.show_table(self.ranking(&known).table(self.competition));
        if known.written.elapsed() >= EVERY {
            (known.shown, known.written) = (known.bouts.len(), Instant::now());
            self.write_page(&known)?;
        }
        Ok(())
    }

    fn line(&self, number: usize, bout: &Bout) -> String {
        let [first, second] = bout.players.map(|player| &self.competition.entrants[player].name);
        let [one, other] = bout.scores;
        format!("game {number}: {first} {one} : {other} {second}: {} ({} plies)", bout.reason, bout.plies)
    }

    fn write_page(&self, known: &Known) -> Result<(), RunError> {
        let occasion = Provenance { command: self.command, machine: &machine(), seconds: self.begun.elapsed().as_secs_f64() };
        let report = Report::on_competition(self.competition, self.run, &known.bouts, &self.ranking(known), &occasion);
        report.write(&self.out)
    }

    fn write(&self) -> anyhow::Result<()> {
        Ok(self.write_page(&self.known())?)
    }

    /// Plays what is left; was all of it played?
    fn play(&self, store: &Store, udp_server: Option<&UdpServer>, global: &Global, out: &mut impl Write) -> anyhow::Result<bool> {
        let (tell, told) = mpsc::channel();
        let boards = self.competition.boards.map_or_else(
            || if udp_server.is_some() { GUEST_BOARDS.min(self.competition.entrants.len() / 2) } else { threads(None) },
            |boards| boards as usize,
        );
        let ended = AtomicBool::new(false);
        // A page that cannot be written is no reason to throw away games: it is said at the end.
        let mut failure: Option<RunError> = None;
        let (executor, agents) = (Threads(boards), || AgentFactory::of_run(&CommandResources, self.run));
        let players: Box<dyn PlayerFactory + '_> = match udp_server {
            Some(server) => Box::new(RemotePlayers { server, agents: agents() }),
            None => Box::new(agents()),
        };
        let observer = |_: &Run, event: &RunEvent<'_>| self.note(event, &tell);
        let driver = RunDriver::new(store, self.run, &executor, players.as_ref())
            .for_command(self.command)
            .cancelled_by(interrupt::token())
            .observed_by(&observer);
        std::thread::scope(|scope| {
            let playing = scope.spawn(|| {
                let played = driver.play_format(1);
                ended.store(true, Ordering::Relaxed);
                played
            });
            loop {
                if let Some(udp_server) = udp_server {
                    self.live_page.lobby(udp_server.waiting(), udp_server.dropped().counts().to_vec());
                }
                if let Err(error) = self.refresh() {
                    failure.get_or_insert(error);
                }
                match told.recv_timeout(LOBBY) {
                    Ok(line) if !global.quiet && !global.json => {
                        // A reader that has closed the pipe has seen enough.
                        writeln!(out, "{line}").and_then(|()| out.flush()).inspect_err(|_| interrupt::ask())?;
                    }
                    Err(_) if ended.load(Ordering::Relaxed) => break,
                    Ok(_) | Err(_) => {}
                }
            }
            let (_, complete) = playing.join().expect("the players hold no panics")?;
            match failure {
                Some(error) => Err(error).context("the page of results could not be written; the games are kept"),
                None => Ok(complete),
            }
        })
    }

    fn finish(&self, complete: bool, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
        let known = self.known();
        if !complete {
            print_notes(&[stopped(self.run)], global.quiet);
        }
        let ranking = self.ranking(&known);
        let (names, rows) = ranking.table(self.competition);
        if global.json {
            let row = |row: &Vec<String>| {
                names.iter().cloned().zip(row.iter().map(|cell| cell.as_str().into())).collect::<serde_json::Map<_, Value>>()
            };
            let rows: Vec<Value> = rows.iter().map(|cells| Value::Object(row(cells))).collect();
            return print_json(
                out,
                &json!({"run": self.run.id, "complete": complete, "games": known.bouts.len(), "table": rows}),
            );
        }
        let mut leans = vec![Lean::Right; names.len()];
        leans[1] = Lean::Left;
        if !global.quiet {
            writeln!(out)?;
        }
        write!(out, "{}", rows_of_cells(&leans, &std::iter::once(names).chain(rows).collect::<Vec<_>>()))?;
        Ok(())
    }
}
