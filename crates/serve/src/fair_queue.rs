//! The queue of searches: clients in turns, the connections of a client in turns, and the searches of a connection in their order.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use plyground_core::sync::lock;
use tokio::sync::oneshot;

use crate::origin::ClientNetwork;

/// The limits of a queue.
#[derive(Clone, Copy, Debug)]
pub struct QueueLimits {
    /// The most searches that run at the same time.
    pub total: usize,
    /// The most of them for one client. With fewer than in total, the next client need not wait for an end.
    pub each: usize,
    /// The time after which a search has to end if a connection without a running search waits for its place.
    pub turn: Duration,
    /// The most bytes of requests of one client that wait.
    pub waiting_bytes: usize,
}

/// The connection that a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOwner {
    pub client: ClientNetwork,
    pub connection: u64,
}

/// The reason why a search was not even queued, or never got its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueRefusal {
    /// Too much of this client is waiting.
    Full,
    /// The queue was closed.
    Closed,
}

/// A fair queue.
pub struct FairQueue {
    limits: QueueLimits,
    state: Mutex<QueueState>,
}

#[derive(Default)]
struct QueueState {
    /// The number of searches so far.
    searches: u64,
    closed: bool,
    /// The clients that wait; the first is the next.
    clients: VecDeque<WaitingClient>,
    running: Vec<RunningSearch>,
}

struct WaitingClient {
    client: ClientNetwork,
    /// The connections that wait; the first is the next.
    connections: VecDeque<WaitingConnection>,
}

struct WaitingConnection {
    connection: u64,
    searches: VecDeque<WaitingSearch>,
}

struct WaitingSearch {
    id: u64,
    bytes: usize,
    start: oneshot::Sender<()>,
}

struct RunningSearch {
    id: u64,
    owner: SearchOwner,
    since: Instant,
    /// It was told to end.
    ending: bool,
}

impl FairQueue {
    pub fn new(limits: QueueLimits) -> Arc<Self> {
        Arc::new(Self { limits, state: Mutex::default() })
    }

    /// A permit to search, as soon as it is the owner's turn. `bytes` is the length of the request.
    pub async fn permit(self: &Arc<Self>, owner: SearchOwner, bytes: usize) -> Result<QueuePermit, QueueRefusal> {
        let (start, started) = oneshot::channel();
        let permit = {
            let mut state = lock(&self.state);
            if state.closed {
                return Err(QueueRefusal::Closed);
            }
            if state.waiting_bytes(owner.client).saturating_add(bytes) > self.limits.waiting_bytes {
                return Err(QueueRefusal::Full);
            }
            state.searches += 1;
            let id = state.searches;
            state.wait(owner, WaitingSearch { id, bytes, start });
            state.start_next(&self.limits);
            QueuePermit { queue: Arc::clone(self), owner, id }
        };
        started.await.map(|()| permit).map_err(|_| QueueRefusal::Closed)
    }

    /// Refuses everything that waits and that is still to come.
    pub fn close(&self) {
        let mut state = lock(&self.state);
        state.closed = true;
        state.clients.clear();
    }
}

impl QueueState {
    fn waiting_bytes(&self, client: ClientNetwork) -> usize {
        let waiting = self.clients.iter().find(|waiting| waiting.client == client);
        let connections = waiting.into_iter().flat_map(|waiting| &waiting.connections);
        connections.flat_map(|connection| &connection.searches).map(|search| search.bytes).sum()
    }

    fn wait(&mut self, owner: SearchOwner, search: WaitingSearch) {
        let SearchOwner { client, connection } = owner;
        let Some(waiting) = self.clients.iter_mut().find(|waiting| waiting.client == client) else {
            let connections = [WaitingConnection { connection, searches: [search].into() }].into();
            return self.clients.push_back(WaitingClient { client, connections });
        };
        match waiting.connections.iter_mut().find(|waiting| waiting.connection == connection) {
            Some(waiting) => waiting.searches.push_back(search),
            None => waiting.connections.push_back(WaitingConnection { connection, searches: [search].into() }),
        }
    }

    fn running_of(&self, client: ClientNetwork) -> usize {
        self.running.iter().filter(|search| search.owner.client == client).count()
    }

    /// Starts the searches whose turn it is, as long as there are places.
    fn start_next(&mut self, limits: &QueueLimits) {
        while self.running.len() < limits.total {
            let next = self.clients.iter().position(|waiting| self.running_of(waiting.client) < limits.each);
            let Some((owner, search)) = next.and_then(|place| self.take_next_of(place)) else { return };
            // The receiver is gone if its task was ended.
            if search.start.send(()).is_ok() {
                self.running.push(RunningSearch { id: search.id, owner, since: Instant::now(), ending: false });
            }
        }
    }

    /// Takes the next search of the client at this place, who has the last turn of all then, as has the connection among the client's.
    fn take_next_of(&mut self, place: usize) -> Option<(SearchOwner, WaitingSearch)> {
        let mut client = self.clients.remove(place)?;
        let mut connection = client.connections.pop_front()?;
        let owner = SearchOwner { client: client.client, connection: connection.connection };
        let search = connection.searches.pop_front()?;
        if !connection.searches.is_empty() {
            client.connections.push_back(connection);
        }
        if !client.connections.is_empty() {
            self.clients.push_back(client);
        }
        Some((owner, search))
    }

    /// Removes a search that has ended, or that is not waited for any more.
    fn leave(&mut self, owner: SearchOwner, id: u64) {
        self.running.retain(|search| search.id != id);
        for client in self.clients.iter_mut().filter(|waiting| waiting.client == owner.client) {
            for connection in client.connections.iter_mut().filter(|waiting| waiting.connection == owner.connection) {
                connection.searches.retain(|search| search.id != id);
            }
            client.connections.retain(|connection| !connection.searches.is_empty());
        }
        self.clients.retain(|client| !client.connections.is_empty());
    }

    /// The number of connections without a running search that could have one if a search of this owner ended.
    fn waiting_for(&self, owner: SearchOwner, limits: &QueueLimits) -> usize {
        let (full, own) = (self.running.len() >= limits.total, self.running_of(owner.client));
        let gain = |waiting: &&WaitingClient| {
            let running = self.running_of(waiting.client);
            waiting.client == owner.client || (full && running < limits.each && running < own)
        };
        let without_any = |client: ClientNetwork, connection: u64| {
            !self.running.iter().any(|search| search.owner == SearchOwner { client, connection })
        };
        self.clients
            .iter()
            .filter(gain)
            .map(|waiting| {
                waiting.connections.iter().filter(|connection| without_any(waiting.client, connection.connection)).count()
            })
            .sum()
    }

    /// Does a search have to end? As many are told so as there are connections that wait for their places.
    fn has_to_end(&mut self, id: u64, limits: &QueueLimits) -> bool {
        let ending = self.running.iter().filter(|search| search.ending).count();
        let Some(search) = self.running.iter().find(|search| search.id == id) else { return false };
        if search.ending {
            return true;
        }
        if search.since.elapsed() < limits.turn || self.waiting_for(search.owner, limits) <= ending {
            return false;
        }
        self.running.iter_mut().filter(|search| search.id == id).for_each(|search| search.ending = true);
        true
    }
}

/// The permit of a search, or its place in the queue. When it is dropped, the next search starts.
pub struct QueuePermit {
    queue: Arc<FairQueue>,
    owner: SearchOwner,
    id: u64,
}

impl QueuePermit {
    /// Is the turn of this search over, because others wait for its place?
    pub fn turn_is_over(&self) -> bool {
        lock(&self.queue.state).has_to_end(self.id, &self.queue.limits)
    }
}

impl Drop for QueuePermit {
    fn drop(&mut self) {
        let mut state = lock(&self.queue.state);
        state.leave(self.owner, self.id);
        state.start_next(&self.queue.limits);
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    const LIMITS: QueueLimits = QueueLimits { total: 2, each: 1, turn: Duration::ZERO, waiting_bytes: 100 };

    fn owner(client: u8, connection: u64) -> SearchOwner {
        SearchOwner { client: IpAddr::from([192, 0, 2, client]).into(), connection }
    }

    /// Puts searches into the queue that note their owners when they start, and give their permits back at once.
    async fn order(queue: &Arc<FairQueue>, blocker: QueuePermit, owners: &[SearchOwner]) -> Vec<SearchOwner> {
        let started = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = tokio::task::JoinSet::new();
        for &owner in owners {
            let (queue, started) = (Arc::clone(queue), Arc::clone(&started));
            tasks.spawn(async move {
                let _permit = queue.permit(owner, 1).await.unwrap();
                lock(&started).push(owner);
            });
            tokio::task::yield_now().await;
        }
        drop(blocker);
        tasks.join_all().await;
        lock(&started).clone()
    }

    #[tokio::test]
    async fn clients_and_their_connections_are_served_in_turns() {
        let queue = FairQueue::new(QueueLimits { total: 1, ..LIMITS });
        let blocker = queue.permit(owner(9, 9), 1).await.unwrap();
        let greedy = [owner(1, 1), owner(1, 1), owner(1, 1), owner(1, 2), owner(1, 3)];
        let asked = [&greedy[..], &[owner(2, 4)]].concat();
        let expected = [owner(1, 1), owner(2, 4), owner(1, 2), owner(1, 3), owner(1, 1), owner(1, 1)];
        assert_eq!(order(&queue, blocker, &asked).await, expected);
    }

    #[tokio::test]
    async fn a_client_leaves_places_to_the_others() {
        let queue = FairQueue::new(LIMITS);
        let first = queue.permit(owner(1, 1), 1).await.unwrap();
        let second = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { drop(queue.permit(owner(1, 2), 1).await.unwrap()) }
        });
        tokio::task::yield_now().await;
        // The first client has its one place, and the other client does not wait.
        let other = queue.permit(owner(2, 3), 1).await.unwrap();
        assert!(!second.is_finished());
        // The other connection of the first client gains only by the end of the first search.
        assert!(!other.turn_is_over() && first.turn_is_over());
        drop(first);
        second.await.unwrap();
    }

    #[tokio::test]
    async fn what_is_not_waited_for_any_more_is_forgotten() {
        let queue = FairQueue::new(QueueLimits { total: 1, ..LIMITS });
        let running = queue.permit(owner(1, 1), 1).await.unwrap();
        let waiting = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.permit(owner(1, 2), 100).await.map(drop) }
        });
        tokio::task::yield_now().await;
        assert_eq!(queue.permit(owner(1, 3), 1).await.err(), Some(QueueRefusal::Full));
        assert!(running.turn_is_over());
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
        assert!(lock(&queue.state).clients.is_empty());
        let last = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.permit(owner(1, 3), 1).await.err() }
        });
        tokio::task::yield_now().await;
        queue.close();
        assert_eq!(last.await.unwrap(), Some(QueueRefusal::Closed));
        drop(running);
        assert_eq!(queue.permit(owner(1, 1), 1).await.err(), Some(QueueRefusal::Closed));
    }
}
