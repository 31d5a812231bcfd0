//! The origin of a request: the client behind it, and whether it comes from this computer, from a page of this server, or from a page of
//! another site.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, header};

/// The headers by which reverse proxies say that they pass on a request.
const PROXY_HEADERS: [&str; 6] = ["x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host", "x-forwarded-proto", "via"];

/// The endings of names that no site on the internet can have, so that only a network of its own can give them an address.
const LOCAL_ENDINGS: [&str; 4] = [".local", ".localhost", ".internal", ".home.arpa"];

/// The network of a client, by which connections and searches are limited: an IPv4 address, or the first half of an IPv6 address, since
/// a client usually has all addresses of such a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientNetwork(IpAddr);

impl From<IpAddr> for ClientNetwork {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
        })
    }
}

/// The ways to this server that its operator has named: reverse proxies by their addresses, and names in the DNS.
#[derive(Clone, Debug, Default)]
pub struct TrustedWays {
    proxies: Vec<IpAddr>,
    names: Vec<String>,
}

impl TrustedWays {
    pub fn new(proxies: &[IpAddr], names: &[String]) -> Self {
        Self {
            proxies: proxies.iter().map(IpAddr::to_canonical).collect(),
            names: names.iter().map(|name| name.to_ascii_lowercase()).collect(),
        }
    }

    /// The source of a request that came over a connection from `peer`. What a proxy says of its client counts only if it was named.
    pub fn source(&self, peer: SocketAddr, headers: &HeaderMap) -> RequestSource {
        let peer = peer.ip().to_canonical();
        let by_named_proxy = self.proxies.contains(&peer);
        let client = if by_named_proxy { self.forwarded_for(headers).unwrap_or(peer) } else { peer };
        let direct = !by_named_proxy && !PROXY_HEADERS.iter().any(|name| headers.contains_key(*name));
        RequestSource { client: client.into(), peer, by_named_proxy, direct }
    }

    /// The client that the proxies name: the last one in the list that is not a proxy itself, since a client can have sent a list of its
    /// own that proxies add to.
    fn forwarded_for(&self, headers: &HeaderMap) -> Option<IpAddr> {
        let lists = |name: &str| -> Vec<String> {
            let lines = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
            lines.flat_map(|line| line.split(',')).map(|entry| entry.trim().to_owned()).collect()
        };
        let mut entries = lists("x-forwarded-for");
        if entries.is_empty() {
            entries = lists("forwarded").iter().filter_map(|element| for_parameter(element)).collect();
        }
        let last = entries.iter().rev().map(|entry| parse_address(entry)).find(|entry| match entry {
            Some(address) => !self.proxies.contains(address),
            None => true,
        });
        last.flatten()
    }

    /// Was a request sent to a name of this server? A site could have given its own name the address of this server (DNS rebinding), and
    /// its pages would be of the same site then. Addresses cannot be given away, nor can names that are valid in one network alone.
    pub fn is_own_name(&self, headers: &HeaderMap) -> bool {
        let Some(host) = host(headers) else { return false };
        let host = host.trim_end_matches('.');
        address_of(host).is_some()
            || !host.contains('.')
            || LOCAL_ENDINGS.iter().any(|ending| host.ends_with(ending))
            || self.names.iter().any(|name| name == host)
    }
}

/// The source of a request.
#[derive(Clone, Copy, Debug)]
pub struct RequestSource {
    /// The client that limits and turns are counted by.
    pub client: ClientNetwork,
    peer: IpAddr,
    /// Did it come by a proxy that the operator has named?
    pub by_named_proxy: bool,
    /// Did it come without a proxy?
    direct: bool,
}

impl RequestSource {
    /// Does the request come from this computer, under a name of this computer? A request by a proxy never does: the proxy may be on this
    /// computer, and its clients anywhere.
    pub fn is_local(&self, headers: &HeaderMap) -> bool {
        self.direct && self.peer.is_loopback() && host(headers).is_some_and(|name| is_this_computer(&name))
    }
}

/// The value of `for=` in an element of the header `Forwarded`.
fn for_parameter(element: &str) -> Option<String> {
    element.split(';').find_map(|pair| {
        let (key, value) = pair.trim().split_once('=')?;
        key.eq_ignore_ascii_case("for").then(|| value.trim_matches('"').to_owned())
    })
}

/// An address as proxies write it: with or without a port, IPv6 with or without brackets.
fn parse_address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    address_of(text).or_else(with_port).map(|address| address.to_canonical())
}

/// The address that a host is written as, IPv6 with or without brackets.
fn address_of(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The host that a request was sent to, in small letters and without its port.
fn host(headers: &HeaderMap) -> Option<String> {
    text(headers, header::HOST)?.parse::<Authority>().ok().map(|name| name.host().to_ascii_lowercase())
}

/// Does a request come from a page of this server, or from a program? Browsers send the origin of a script; programs send none.
pub fn same_site(headers: &HeaderMap) -> bool {
    match (text(headers, header::ORIGIN), text(headers, header::HOST)) {
        (None, _) => !headers.contains_key(header::ORIGIN),
        (Some(origin), Some(host)) => origin.split_once("://").is_some_and(|(_, site)| site == host),
        (Some(_), None) => false,
    }
}

fn is_this_computer(name: &str) -> bool {
    name == "localhost" || address_of(name).is_some_and(|address| address.is_loopback())
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

    fn forwarded(name: &'static str, lines: &[&str]) -> HeaderMap {
        let mut headers = headers("127.0.0.1:7777", None);
        for line in lines {
            headers.append(name, line.parse().unwrap());
        }
        headers
    }

    fn network(address: &str) -> ClientNetwork {
        address.parse::<IpAddr>().unwrap().into()
    }

    const HERE: &str = "127.0.0.1:5";
    const THERE: &str = "192.0.2.7:5";

    fn source(ways: &TrustedWays, peer: &str, headers: &HeaderMap) -> RequestSource {
        ways.source(peer.parse().unwrap(), headers)
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
        let ways = TrustedWays::default();
        let is_local = |peer: &str, headers: &HeaderMap| source(&ways, peer, headers).is_local(headers);
        for host in ["127.0.0.1:7777", "localhost:7777", "localhost", "[::1]:7777"] {
            assert!(is_local(HERE, &headers(host, None)), "{host}");
            assert!(!is_local(THERE, &headers(host, None)), "{host}");
        }
        for host in ["example.org", "example.org:7777", "127.0.0.1.example.org", "192.0.2.7", "localhost.example.org"] {
            assert!(!is_local(HERE, &headers(host, None)), "{host}");
        }
        assert!(!is_local(HERE, &HeaderMap::new()));
    }

    #[test]
    fn a_request_by_a_proxy_does_not_come_from_here() {
        for ways in [TrustedWays::default(), TrustedWays::new(&["127.0.0.1".parse().unwrap()], &[])] {
            for name in PROXY_HEADERS {
                let headers = forwarded(name, &["127.0.0.1"]);
                assert!(!source(&ways, HERE, &headers).is_local(&headers), "{name}");
            }
        }
        // A named proxy may send no header at all.
        let (named, plain) = (TrustedWays::new(&["127.0.0.1".parse().unwrap()], &[]), headers("127.0.0.1:7777", None));
        assert!(!source(&named, HERE, &plain).is_local(&plain));
    }

    #[test]
    fn what_a_proxy_says_counts_only_if_it_was_named() {
        let ways = TrustedWays::new(&["127.0.0.1".parse().unwrap(), "10.0.0.1".parse().unwrap()], &[]);
        let client = |peer: &str, headers: &HeaderMap| source(&ways, peer, headers).client;
        assert_eq!(client(THERE, &forwarded("x-forwarded-for", &["203.0.113.9"])), network("192.0.2.7"));
        for lines in [
            &["203.0.113.9"][..],
            &["198.51.100.1, 203.0.113.9"],
            &["198.51.100.1", "203.0.113.9, 10.0.0.1"],
            &["nonsense, 203.0.113.9:4711"],
        ] {
            assert_eq!(client(HERE, &forwarded("x-forwarded-for", lines)), network("203.0.113.9"), "{lines:?}");
        }
        let standard = forwarded("forwarded", &["for=198.51.100.1;proto=http, For=\"[2001:db8::1]:4711\";by=10.0.0.1"]);
        assert_eq!(client(HERE, &standard), network("2001:db8::1"));
        for lines in [&[][..], &["203.0.113.9, nonsense"], &["10.0.0.1"], &[""]] {
            assert_eq!(client(HERE, &forwarded("x-forwarded-for", lines)), network("127.0.0.1"), "{lines:?}");
        }
    }

    #[test]
    fn the_names_of_this_server_are_those_that_no_other_site_can_have() {
        let ways = TrustedWays::new(&[], &["Play.Example.org".to_owned()]);
        for host in ["192.168.1.7:7777", "[2001:db8::1]:7777", "localhost", "desk:7777", "desk.local", "play.example.org:80"] {
            assert!(ways.is_own_name(&headers(host, None)), "{host}");
        }
        for host in ["example.org", "evil.play.example.org", "127.0.0.1.example.org:7777", "local.example.org."] {
            assert!(!ways.is_own_name(&headers(host, None)), "{host}");
        }
        assert!(!ways.is_own_name(&HeaderMap::new()));
    }

    #[test]
    fn addresses_of_one_network_are_one_client() {
        assert_eq!(network("::ffff:192.0.2.7"), network("192.0.2.7"));
        assert_ne!(network("192.0.2.7"), network("192.0.2.8"));
        assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:2"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
    }
}
