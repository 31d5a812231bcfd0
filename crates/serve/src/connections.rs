//! The open connections, up to a limit: when all slots are taken, the client that has most of them makes room.
//!
//! There is no fixed limit for a client, because many people can share one address. A client can have all slots as long as no other
//! client wants any, and no client can keep the others out.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use plyground_core::sync::lock;
use tokio::sync::Notify;

use crate::origin::ClientNetwork;

/// The table of open connections.
pub struct ConnectionTable {
    most: usize,
    open: Mutex<OpenConnections>,
}

#[derive(Default)]
struct OpenConnections {
    /// The number of changes so far: the names and the ages of connections.
    changes: u64,
    connections: HashMap<u64, OpenConnection>,
}

struct OpenConnection {
    client: ClientNetwork,
    /// The requests that are being answered; without any, the connection is idle.
    requests: usize,
    /// When it was opened, or its last request was answered.
    since: u64,
    displaced: Arc<Notify>,
}

impl ConnectionTable {
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, open: Mutex::default() })
    }

    /// A slot for a connection of a client, if there is a free one or another connection can be displaced for it.
    pub fn admit(self: &Arc<Self>, client: ClientNetwork) -> Option<ConnectionSlot> {
        let mut open = lock(&self.open);
        if open.connections.len() >= self.most {
            let victim = open.displaceable_for(client)?;
            open.connections.remove(&victim)?.displaced.notify_one();
        }
        let (id, displaced) = (open.change(), Arc::new(Notify::new()));
        let connection = OpenConnection { client, requests: 0, since: id, displaced: Arc::clone(&displaced) };
        open.connections.insert(id, connection);
        Some(ConnectionSlot { table: Arc::clone(self), id, displaced })
    }
}

impl OpenConnections {
    fn change(&mut self) -> u64 {
        self.changes += 1;
        self.changes
    }

    /// The connection that makes room for one of this client: the oldest idle one of the client with the most connections, or a busy one
    /// of a client that has at least two more than this client.
    fn displaceable_for(&self, client: ClientNetwork) -> Option<u64> {
        let mut counts: HashMap<ClientNetwork, usize> = HashMap::new();
        for connection in self.connections.values() {
            *counts.entry(connection.client).or_default() += 1;
        }
        let count = |client: ClientNetwork| counts.get(&client).copied().unwrap_or(0);
        let own = count(client);
        let oldest_of_the_heaviest = |may_go: &dyn Fn(&OpenConnection) -> bool| {
            let candidates = self.connections.iter().filter(|(_, connection)| may_go(connection));
            candidates.max_by_key(|(_, connection)| (count(connection.client), Reverse(connection.since))).map(|(id, _)| *id)
        };
        oldest_of_the_heaviest(&|open| open.requests == 0 && (open.client == client || count(open.client) > own))
            .or_else(|| oldest_of_the_heaviest(&|open| count(open.client) > own + 1))
    }
}

/// The slot of an open connection, free again when it is dropped.
pub struct ConnectionSlot {
    table: Arc<ConnectionTable>,
    id: u64,
    displaced: Arc<Notify>,
}

impl ConnectionSlot {
    /// Waits until another connection has taken the slot; this one has to be closed then.
    pub async fn displaced(&self) {
        self.displaced.notified().await;
    }

    /// Marks the connection as busy with a request until the guard is dropped.
    pub fn busy(self: &Arc<Self>) -> ActiveRequest {
        if let Some(connection) = lock(&self.table.open).connections.get_mut(&self.id) {
            connection.requests += 1;
        }
        ActiveRequest(Arc::clone(self))
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        lock(&self.table.open).connections.remove(&self.id);
    }
}

/// The guard of a request that is being answered.
pub struct ActiveRequest(Arc<ConnectionSlot>);

impl ActiveRequest {
    /// The slot of its connection.
    pub fn slot(&self) -> &ConnectionSlot {
        &self.0
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        let mut open = lock(&self.0.table.open);
        let now = open.change();
        if let Some(connection) = open.connections.get_mut(&self.0.id) {
            connection.requests -= 1;
            connection.since = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn client(last: u8) -> ClientNetwork {
        IpAddr::from([192, 0, 2, last]).into()
    }

    fn is_open(slot: &ConnectionSlot) -> bool {
        lock(&slot.table.open).connections.contains_key(&slot.id)
    }

    #[test]
    fn the_oldest_idle_connection_of_the_heaviest_client_makes_room() {
        let table = ConnectionTable::new(4);
        let light = table.admit(client(1)).unwrap();
        let heavy: Vec<_> = (0..3).map(|_| Arc::new(table.admit(client(2)).unwrap())).collect();
        let (_first, second) = (heavy[0].busy(), heavy[1].busy());
        let newcomer = table.admit(client(3)).unwrap();
        assert!(is_open(&light) && is_open(&heavy[0]) && is_open(&heavy[1]) && !is_open(&heavy[2]) && is_open(&newcomer));
        // The heaviest client makes room for itself.
        drop(second);
        let own = table.admit(client(2)).unwrap();
        assert!(is_open(&light) && is_open(&newcomer) && is_open(&heavy[0]) && !is_open(&heavy[1]) && is_open(&own));
    }

    #[test]
    fn busy_connections_make_room_only_for_clients_with_fewer() {
        let table = ConnectionTable::new(3);
        let slots: Vec<_> = (0..3).map(|_| Arc::new(table.admit(client(1)).unwrap())).collect();
        let _busy: Vec<_> = slots.iter().map(ConnectionSlot::busy).collect();
        assert!(table.admit(client(1)).is_none(), "a client cannot displace its own requests");
        let one = Arc::new(table.admit(client(2)).unwrap());
        let _request = one.busy();
        assert!(!is_open(&slots[0]) && is_open(&slots[1]) && is_open(&slots[2]));
        assert!(table.admit(client(2)).is_none(), "two and one is as fair as one and two");
        let another = Arc::new(table.admit(client(3)).unwrap());
        let _request = another.busy();
        assert!(table.admit(client(4)).is_none(), "each client has one");
        drop(another);
    }
}
