//! Games between people, by a link: the tables that are open, and the WebSocket of each page.

mod clock;
mod game;
mod request;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::HeaderMap;
use axum::response::Response;
use plyground_core::sync::lock;
use plyground_core::{InputError, Seed};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::engine::Engines;
use crate::limits::FriendLimits;
use crate::origin::{ClientNetwork, RequestSource};

pub use game::{FriendGame, Person};
pub use request::FriendRequest;

/// All tables, by the names in their links.
pub struct FriendTables {
    limits: FriendLimits,
    begin: Instant,
    tables: Mutex<HashMap<String, Arc<FriendTable>>>,
}

/// A table: its game, and who is there.
struct FriendTable {
    name: String,
    /// The client that has opened it.
    client: ClientNetwork,
    seats: Mutex<Seats>,
    /// Counts the changes that pages have to hear of.
    changes: watch::Sender<u64>,
}

struct Seats {
    game: FriendGame,
    /// The keys of the host and of the guest, who may not have come yet.
    keys: [String; 2],
    taken: bool,
    /// The open connections of each person, and those of others.
    here: [usize; 2],
    watching: usize,
    /// When the last connection was closed, in milliseconds of the server.
    left: u64,
}

/// A place of a connection at a table, given up when it is dropped.
struct Place {
    table: Arc<FriendTable>,
    tables: Arc<FriendTables>,
    /// Nobody of the two: a spectator.
    person: Option<Person>,
}

impl FriendTables {
    pub fn new(limits: FriendLimits) -> Arc<Self> {
        Arc::new(Self { limits, begin: Instant::now(), tables: Mutex::default() })
    }

    /// Milliseconds since the server was started.
    fn now(&self) -> u64 {
        self.begin.elapsed().as_millis() as u64
    }

    /// The place that the first message of a connection asks for, and what the page has to keep for the next time.
    fn seat(self: &Arc<Self>, client: ClientNetwork, request: FriendRequest) -> Result<(Place, Value), InputError> {
        match request {
            FriendRequest::Open(order) => {
                let game = FriendGame::new(order, Seed(u64::from_le_bytes(random()?)))?;
                let table = self.add(client, game)?;
                let key = lock(&table.seats).keys[0].clone();
                Ok(self.place(table, Some(Person::Host), Some(&key)))
            }
            FriendRequest::Join { table, key } => {
                let found = lock(&self.tables).get(&table).cloned();
                let name: String = table.chars().take(40).collect();
                let table = found.ok_or_else(|| InputError::malformed("table", &name, GONE))?;
                let (person, key) = self.sit(&table, key.as_deref())?;
                Ok(self.place(table, person, key.as_deref()))
            }
            _ => Err(InputError::malformed("message", "", "expected open or join first")),
        }
    }

    /// Opens a table, where there is room for one.
    fn add(&self, client: ClientNetwork, game: FriendGame) -> Result<Arc<FriendTable>, InputError> {
        let name = name()?;
        let keys = [self::name()?, self::name()?];
        let now = self.now();
        let mut tables = lock(&self.tables);
        let kept = self.limits.kept.as_millis() as u64;
        tables.retain(|_, table| lock(&table.seats).empty_since().is_none_or(|left| now - left < kept));
        let full = |tables: &HashMap<String, Arc<FriendTable>>| {
            let own = tables.values().filter(|table| table.client == client).count();
            (tables.len() >= self.limits.tables, own >= self.limits.tables_of_client)
        };
        // A client makes room with its own tables; all together with the one that was left first.
        let (all, own) = full(&tables);
        if all || own {
            let empty = tables.values().filter(|table| !own || table.client == client);
            let oldest = empty.filter_map(|table| Some((lock(&table.seats).empty_since()?, table.name.clone()))).min();
            if let Some((_, oldest)) = oldest {
                tables.remove(&oldest);
            }
        }
        let (all, own) = full(&tables);
        if all || own {
            let found = tables.len().to_string();
            return Err(InputError::malformed("number of games", &found, "too many are being played here; try again later"));
        }
        let seats = Seats { game, keys, taken: false, here: [0; 2], watching: 0, left: now };
        let (changes, _) = watch::channel(0);
        let table = Arc::new(FriendTable { name: name.clone(), client, seats: Mutex::new(seats), changes });
        tables.insert(name, Arc::clone(&table));
        Ok(table)
    }

    /// The person that a key belongs to; the first without one takes the free seat and gets its key; all others watch.
    fn sit(&self, table: &FriendTable, key: Option<&str>) -> Result<(Option<Person>, Option<String>), InputError> {
        let mut seats = lock(&table.seats);
        for (person, own) in [Person::Host, Person::Guest].into_iter().zip(seats.keys.clone()) {
            if key == Some(own.as_str()) && (person == Person::Host || seats.taken) {
                return Ok((Some(person), Some(own)));
            }
        }
        if !seats.taken {
            seats.taken = true;
            return Ok((Some(Person::Guest), Some(seats.keys[1].clone())));
        }
        if seats.watching >= self.limits.watchers {
            let found = seats.watching.to_string();
            return Err(InputError::malformed("number of spectators", &found, "no more can watch this game"));
        }
        Ok((None, None))
    }

    fn place(self: &Arc<Self>, table: Arc<FriendTable>, person: Option<Person>, key: Option<&str>) -> (Place, Value) {
        let mut seats = lock(&table.seats);
        match person {
            Some(person) => seats.here[person as usize] += 1,
            None => seats.watching += 1,
        }
        drop(seats);
        table.tell();
        let kept = json!({"table": table.name, "key": key});
        (Place { table, tables: Arc::clone(self), person }, kept)
    }
}

impl Seats {
    /// The time since which the table is empty; `None` while a player or a spectator is there.
    fn empty_since(&self) -> Option<u64> {
        (self.here == [0; 2] && self.watching == 0).then_some(self.left)
    }
}

impl FriendTable {
    fn tell(&self) {
        self.changes.send_modify(|changes| *changes += 1);
    }
}

impl Place {
    /// All that the page shows.
    fn state(&self) -> Value {
        let seats = lock(&self.table.seats);
        let game = &seats.game;
        let at = |person: Person| json!({"side": game.side(person).word(), "here": seats.here[person as usize] > 0});
        json!({
            "you": self.person.map(|person| if person == Person::Host { "host" } else { "guest" }),
            "host": at(Person::Host),
            "guest": at(Person::Guest),
            "taken": seats.taken,
            "watching": seats.watching,
            "game": game.state(self.tables.now()),
        })
    }

    /// Does what a message asks for; gives the answer where it is refused.
    fn handle(&self, text: &str) -> Option<Value> {
        let done = FriendRequest::parse(text).and_then(|request| {
            let person = self.person.ok_or_else(|| InputError::malformed("message", "", "spectators only watch"))?;
            let mut seats = lock(&self.table.seats);
            if !seats.taken {
                return Err(InputError::malformed("message", "", "the other player has not come yet"));
            }
            seats.game.apply(person, &request, self.tables.now())
        });
        self.table.tell();
        done.err().map(|error| refusal(&error))
    }

    /// The time until a clock falls; for ever where none runs.
    async fn clock(&self) {
        let deadline = lock(&self.table.seats).game.deadline();
        match deadline {
            Some(deadline) => tokio::time::sleep(Duration::from_millis(deadline.saturating_sub(self.tables.now()) + 1)).await,
            None => std::future::pending().await,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut seats = lock(&self.table.seats);
        match self.person {
            Some(person) => seats.here[person as usize] -= 1,
            None => seats.watching -= 1,
        }
        seats.left = self.tables.now();
        drop(seats);
        self.table.tell();
    }
}

/// What is said of a table that is not there.
const GONE: &str = "there is no such game here, or not any more";

fn refusal(error: &InputError) -> Value {
    json!({"error": error.to_string()})
}

/// Bytes that cannot be guessed.
fn random<const N: usize>() -> Result<[u8; N], InputError> {
    let mut bytes = [0; N];
    let failed = |error: getrandom::Error| InputError::malformed("random number", "", error.to_string());
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// A name that cannot be guessed: 96 bits in letters and digits.
fn name() -> Result<String, InputError> {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    Ok(random::<20>()?.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect())
}

/// The longest first message of a page, and how long it may take.
const MESSAGE: usize = 8 * 1024;
const FIRST_MESSAGE: Duration = Duration::from_secs(15);
/// A connection is heard so often at most.
const PACE: Duration = Duration::from_millis(20);

pub async fn connect(
    State(engines): State<Arc<Engines>>,
    Extension(source): Extension<RequestSource>,
    Extension(tables): Extension<Arc<FriendTables>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let slot = match engines.admit(&source, &headers) {
        Ok(slot) => slot,
        Err(refusal) => return *refusal,
    };
    let idle = engines.idle_timeout();
    upgrade.max_message_size(MESSAGE).max_frame_size(MESSAGE).on_upgrade(move |socket| async move {
        tokio::select! {
            () = talk(socket, &tables, source.client, idle) => {}
            () = slot.slot().displaced() => {}
        }
    })
}

async fn talk(mut socket: WebSocket, tables: &Arc<FriendTables>, client: ClientNetwork, idle: Duration) {
    let Ok(Some(Ok(Message::Text(first)))) = tokio::time::timeout(FIRST_MESSAGE, socket.recv()).await else { return };
    let seated = FriendRequest::parse(first.as_str()).and_then(|request| tables.seat(client, request));
    let (place, kept) = match seated {
        Ok(seated) => seated,
        Err(error) => {
            // Whether it is heard or not, there is nothing else to say.
            let _ = socket.send(Message::text(refusal(&error).to_string())).await;
            return;
        }
    };
    let mut changes = place.table.changes.subscribe();
    changes.mark_changed();
    if socket.send(Message::text(kept.to_string())).await.is_err() {
        return;
    }
    loop {
        tokio::select! {
            message = tokio::time::timeout(idle, socket.recv()) => match message {
                Ok(Some(Ok(Message::Text(text)))) => {
                    if let Some(refusal) = place.handle(text.as_str())
                        && socket.send(Message::text(refusal.to_string())).await.is_err()
                    {
                        break;
                    }
                    tokio::time::sleep(PACE).await;
                }
                Ok(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => {}
                _ => break,
            },
            Ok(()) = changes.changed() => {
                if socket.send(Message::text(place.state().to_string())).await.is_err() {
                    break;
                }
            }
            () = place.clock() => {
                let expired = lock(&place.table.seats).game.expire(tables.now());
                if expired {
                    place.table.tell();
                }
            }
        }
    }
}
