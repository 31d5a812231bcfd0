//! What the tests share: a host in a thread, and clients that know nothing but the bytes of the protocol.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use plyground_core::CancelToken;
use plyground_match::{Experiment, GameRow, RunPrefix, Store};
use plyground_serve::LivePage;
use plyground_session::{Seed, Session, Turn, open};
use plyground_tuc::{CompetitionTimes, DroppedDatagrams, Host, HostOptions, Programme, RunningUdpServer, UdpServer};

/// Nothing here takes so long; a test that waits longer has failed.
pub const FOR_EVER: Duration = Duration::from_mins(1);

/// A directory of its own for a test, gone when the test is over.
pub struct Directory(PathBuf);

impl Directory {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("plyground-tuc-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn store(&self) -> Store {
        Store::open(&self.0.join("runs.sqlite")).unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// How a host is set up.
pub struct HostSetup {
    pub programme: Programme,
    pub options: HostOptions,
    pub time: CompetitionTimes,
    pub game: &'static str,
    pub boards: usize,
}

impl HostSetup {
    /// Time enough for everything, and no ceremony.
    pub fn new(programme: Programme) -> Self {
        let options = HostOptions { begin_delay: Duration::from_millis(20), wait: Some(FOR_EVER), ..HostOptions::default() };
        Self { programme, options, time: CompetitionTimes { a_move: FOR_EVER, a_game: FOR_EVER }, game: "tuc-chess", boards: 4 }
    }

    pub fn move_time(mut self, time: Duration) -> Self {
        self.time.a_move = time;
        self
    }
}

/// A host at work. It ends with its programme, or when it is told to.
pub struct Hosting {
    pub address: SocketAddr,
    pub server: Arc<RunningUdpServer>,
    pub page: Arc<LivePage>,
    pub directory: Directory,
    cancel: CancelToken,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Hosting {
    pub fn start(setup: HostSetup) -> Self {
        let directory = Directory::new();
        let store = directory.store();
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let page = Arc::new(LivePage::new("a test", []));
        let seen = Arc::clone(&page);
        let admission = setup.programme.admission();
        let server = Arc::new(
            UdpServer::open(socket, setup.options.clone(), admission, move |event| {
                let (player, received, text) = event.message();
                seen.message(player, received, text);
            })
            .unwrap(),
        );
        let cancel = CancelToken::new();
        let (address, seen) = (server.address().unwrap(), Arc::clone(&page));
        let (inside, cancelled) = (Arc::clone(&server), cancel.clone());
        let thread = std::thread::spawn(move || {
            let host = Host {
                server: &inside,
                store: &store,
                resources: &plyground_match::FileResources,
                game: setup.game,
                time: setup.time,
                seed: 7,
                boards: setup.boards,
                command: "ply host tuc-chess",
                cancel: &cancelled,
                observer: seen.as_ref(),
            };
            host.play(&setup.programme).unwrap();
        });
        Self { address, server, page, directory, cancel, thread: Some(thread) }
    }

    /// Waits until the programme is over; all games with their settings, in the order in which they ended.
    pub fn games(&mut self) -> Vec<(GameRow, Experiment)> {
        self.games_within(FOR_EVER)
    }

    /// The same, for those that take longer.
    pub fn games_within(&mut self, longest: Duration) -> Vec<(GameRow, Experiment)> {
        let begin = Instant::now();
        while !self.thread.as_ref().is_none_or(std::thread::JoinHandle::is_finished) {
            assert!(begin.elapsed() < longest, "the host does not come to an end");
            std::thread::sleep(Duration::from_millis(5));
        }
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
        kept(&self.directory.store())
    }

    pub fn only_game(&mut self) -> (GameRow, Experiment) {
        let mut games = self.games();
        assert_eq!(games.len(), 1);
        games.remove(0)
    }

    pub fn dropped(&self) -> DroppedDatagrams {
        self.server.dropped()
    }

    pub fn stop(&self) {
        self.cancel.cancel();
    }
}

impl Drop for Hosting {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            // A test that has failed has said so already.
            let _ = thread.join();
        }
    }
}

/// All games of a store.
pub fn kept(store: &Store) -> Vec<(GameRow, Experiment)> {
    let mut games = Vec::new();
    for row in store.runs().unwrap() {
        store.games(RunPrefix::all(&row.run.id), |game| games.push((game, row.run.experiment.clone()))).unwrap();
    }
    games.sort_by_key(|(game, _)| game.ended);
    games
}

/// A client as the original ones are: it sends and hears bytes.
pub struct Raw {
    pub socket: UdpSocket,
    pub server: SocketAddr,
}

impl Raw {
    pub fn new(server: SocketAddr) -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        socket.set_read_timeout(Some(FOR_EVER)).unwrap();
        Self { socket, server }
    }

    pub fn named(server: SocketAddr, name: &str) -> Self {
        let client = Self::new(server);
        client.say(name);
        client
    }

    pub fn say(&self, bytes: impl AsRef<[u8]>) {
        self.socket.send_to(bytes.as_ref(), self.server).unwrap();
    }

    /// The next datagram, whatever it is.
    pub fn hear(&self) -> String {
        let mut buffer = [0; 300];
        let (length, from) = self.socket.recv_from(&mut buffer).expect("a datagram");
        assert_eq!(from, self.server);
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    }

    /// Is there nothing to hear for a while?
    pub fn is_quiet(&self, time: Duration) -> bool {
        self.socket.set_read_timeout(Some(time)).unwrap();
        let quiet = self.socket.recv_from(&mut [0; 300]).is_err();
        self.socket.set_read_timeout(Some(FOR_EVER)).unwrap();
        quiet
    }
}

/// Two clients who have come one after the other, and have been told to begin.
pub fn begun(host: &Hosting) -> [Raw; 2] {
    let white = Raw::named(host.address, "client15");
    assert_eq!(white.hear(), "PW");
    let black = Raw::named(host.address, "client22");
    assert_eq!(black.hear(), "PB");
    assert_eq!([white.hear(), black.hear()], ["GB", "GB"]);
    [white, black]
}

/// Plays random moves to the end, and follows the game by what is heard alone. What both hear is compared byte by byte with the
/// description of the protocol; the points at the end.
pub fn play_out(clients: [&Raw; 2], seed: u64) -> [i32; 2] {
    let mut session = open("tuc-chess", None).unwrap();
    let mut rng = Seed(seed).rng();
    loop {
        let Turn::Player(mover) = session.turn() else { panic!("the server goes on with a game that is over") };
        let moves = session.moves();
        let chosen = moves[rng.below(moves.len() as u32) as usize].text.clone();
        clients[mover.index()].say(&chosen);
        let [white, black] = clients.map(Raw::hear);
        assert_eq!(white, black);
        if let Some(points) = white.strip_prefix("GE") {
            assert_eq!(points.len(), 4);
            return [points[..2].parse().unwrap(), points[2..].parse().unwrap()];
        }
        follow(session.as_mut(), &chosen, &white);
    }
}

/// Takes a `T` apart by the table of the specification.
fn follow(session: &mut dyn Session, sent: &str, heard: &str) {
    let Turn::Player(mover) = session.turn() else { panic!("no player is to move") };
    assert_eq!(heard.len(), 12, "{heard}");
    assert_eq!(&heard[..1], "T");
    assert_eq!(&heard[1..2], mover.other().index().to_string());
    assert_eq!(&heard[2..6], sent);
    session.play(sent).unwrap();
    let points: Vec<i32> = [8, 10].iter().map(|&at| heard[at..at + 2].parse().unwrap()).collect();
    while session.turn() == Turn::Chance {
        let known = session.points().unwrap()[mover.index()];
        let worth = if points[mover.index()] > known { "+1" } else { "+0" };
        let place = if &heard[6..8] == "99" { "@-".to_owned() } else { format!("@{}", &heard[6..8]) };
        session.play(worth).or_else(|_| session.play(&place)).unwrap();
    }
    assert_eq!(session.points().unwrap().to_vec(), points);
}
