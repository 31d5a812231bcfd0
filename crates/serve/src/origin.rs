//! The origin of a request: a page of this server, a program, or a page of another site.

use std::net::{IpAddr, SocketAddr};

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, header};

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Does a request come from a page of this server, or from a program? Browsers send the origin of a script; programs send none.
pub fn same_site(headers: &HeaderMap) -> bool {
    match (text(headers, header::ORIGIN), text(headers, header::HOST)) {
        (None, _) => true,
        (Some(origin), Some(host)) => origin.split_once("://").is_some_and(|(_, site)| site == host),
        (Some(_), None) => false,
    }
}

/// Does a request come from this computer, under a name of this computer? Another site could have given its own name the address of
/// this computer, and would be of the same site then (DNS rebinding).
pub fn from_here(peer: SocketAddr, headers: &HeaderMap) -> bool {
    let named = text(headers, header::HOST).and_then(|host| host.parse::<Authority>().ok());
    peer.ip().to_canonical().is_loopback() && named.is_some_and(|name| is_this_computer(name.host()))
}

fn is_this_computer(name: &str) -> bool {
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(host: &str, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        headers
    }

    #[test]
    fn pages_of_others_are_told_apart() {
        assert!(same_site(&headers("127.0.0.1:7777", None)));
        assert!(same_site(&headers("127.0.0.1:7777", Some("http://127.0.0.1:7777"))));
        for origin in ["http://example.org", "http://127.0.0.1:8888", "http://127.0.0.1:7777.example.org", "null"] {
            assert!(!same_site(&headers("127.0.0.1:7777", Some(origin))), "{origin}");
        }
    }

    #[test]
    fn this_computer_is_known_by_its_address_and_by_its_name() {
        let (here, there): (SocketAddr, SocketAddr) = ("127.0.0.1:5".parse().unwrap(), "192.0.2.7:5".parse().unwrap());
        for host in ["127.0.0.1:7777", "localhost:7777", "localhost", "[::1]:7777"] {
            assert!(from_here(here, &headers(host, None)), "{host}");
            assert!(!from_here(there, &headers(host, None)), "{host}");
        }
        for host in ["example.org", "example.org:7777", "127.0.0.1.example.org", "192.0.2.7", "localhost.example.org"] {
            assert!(!from_here(here, &headers(host, None)), "{host}");
        }
        assert!(!from_here(here, &HeaderMap::new()));
    }
}
