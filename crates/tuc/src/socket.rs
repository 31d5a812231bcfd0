//! The socket of a server: a receive buffer for bursts, and a filter of the system for what is too long.

use std::net::UdpSocket;

use socket2::SockRef;

/// The wanted size of the receive buffer in bytes: thousands of datagrams of the protocol. The system may give less.
const RECEIVE_BUFFER: usize = 4 * 1024 * 1024;

/// Prepares a socket for floods: as much buffer as the system gives, and no room in it for datagrams that cannot be messages.
///
/// Both are precautions: a system that refuses one of them delivers the same datagrams, and loses some in a flood.
pub(super) fn prepare(socket: &UdpSocket) {
    let socket = SockRef::from(socket);
    if socket.set_recv_buffer_size(RECEIVE_BUFFER).is_err() {
        // Some systems refuse what is more than they allow, where others give what they can.
        let _ = socket.set_recv_buffer_size(RECEIVE_BUFFER / 16);
    }
    #[cfg(target_os = "linux")]
    let _ = socket.attach_filter(&long_datagrams::FILTER);
}

/// A filter that drops datagrams that are longer than any message before they take room in the receive buffer: a flood of them would
/// leave none for names and moves.
#[cfg(target_os = "linux")]
mod long_datagrams {
    use socket2::SockFilter;

    use crate::wire::LONGEST;

    /// The length of the UDP header, which the filter sees before the datagram.
    const HEADER: u32 = 8;

    // Instructions of the classic Berkeley Packet Filter.
    const LOAD_LENGTH: u16 = 0x80;
    const JUMP_IF_GREATER: u16 = 0x25;
    const RETURN: u16 = 0x06;

    pub const FILTER: [SockFilter; 4] = [
        SockFilter::new(LOAD_LENGTH, 0, 0, 0),
        SockFilter::new(JUMP_IF_GREATER, 1, 0, LONGEST as u32 + HEADER),
        SockFilter::new(RETURN, 0, 0, u32::MAX),
        SockFilter::new(RETURN, 0, 0, 0),
    ];
}
