//! The address of a NATS server, with credentials and certificates.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use async_nats::ConnectOptions;
use plyground_match::RunError;
use tokio::runtime::Runtime;

use crate::message_server::ANSWER;
use crate::role::RoleCredentials;

/// The ping interval: a connection without an answer is found dead after two of these.
const PING: Duration = Duration::from_secs(5);

/// The address of a NATS server, with credentials and certificates.
#[derive(Clone, Debug)]
pub struct Access {
    /// `nats://HOST:PORT`, `tls://HOST:PORT`, with `USER:PASSWORD@` where the server wants that; several behind commas.
    pub url: String,
    /// A file of NATS credentials.
    pub credentials: Option<PathBuf>,
    /// The certificates of the authority that signed the server's, beside those of the system.
    pub authority: Option<PathBuf>,
    /// A client certificate, and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// The length of leases, after which a job without an extension goes to another worker; `None` leaves it as the queue has it.
    pub lease: Option<Duration>,
    /// The file of a client of a server with roles, which has all of the above.
    pub role: Option<RoleCredentials>,
}

impl Access {
    /// An address without credentials.
    pub fn new(url: &str) -> Self {
        Self { url: url.to_owned(), credentials: None, authority: None, certificate: None, lease: None, role: None }
    }

    /// The servers that the file of a client names, in its role.
    pub fn of_role(credentials: RoleCredentials) -> Self {
        let url = credentials.url();
        Self { role: Some(credentials), ..Self::new(&url) }
    }

    /// The address without a password.
    pub fn shown(&self) -> String {
        self.parts().map(|(_, address)| address).collect::<Vec<_>>().join(",")
    }

    /// The login and the address without it, of every server.
    fn parts(&self) -> impl Iterator<Item = (Option<&str>, String)> {
        self.url.split(',').map(|url| {
            let (scheme, rest) = url.split_once("://").unwrap_or(("nats", url));
            let (login, host) = rest.rsplit_once('@').map_or((None, rest), |(login, host)| (Some(login), host));
            (login, format!("{scheme}://{host}"))
        })
    }

    /// Are all of its servers on this computer?
    pub(super) fn is_local(&self) -> bool {
        self.parts().all(|(_, address)| {
            let authority = address.split_once("://").map_or("", |(_, authority)| authority);
            let end = authority.rfind(':').filter(|&colon| !authority[colon..].contains(']')).unwrap_or(authority.len());
            let host = authority[..end].trim_matches(['[', ']']);
            host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        })
    }

    /// A warning about a server on the network that demands no credentials, or gets them unencrypted.
    pub fn warning(&self, demands_credentials: bool) -> Option<String> {
        let secret = self.role.is_some() || self.credentials.is_some() || self.certificate.is_some() || self.url.contains('@');
        let encrypted =
            self.role.is_some() || self.authority.is_some() || self.certificate.is_some() || self.url.contains("tls://");
        let said = match (demands_credentials || self.certificate.is_some(), secret && !encrypted) {
            _ if self.is_local() => return None,
            (false, _) => {
                "the server demands no credentials: everyone who reaches it can do what a coordinator can; \
                 `ply queue init` sets up a server with roles"
            }
            (true, true) => "the connection is not encrypted: others on the network can read it, and the password",
            (true, false) => return None,
        };
        Some(format!("{}: {said}", self.shown()))
    }

    pub(super) fn options(&self) -> Result<ConnectOptions, RunError> {
        let mut options = ConnectOptions::new()
            .name("plyground")
            .ping_interval(PING)
            .request_timeout(Some(ANSWER))
            .connection_timeout(ANSWER)
            .max_reconnects(None)
            .reconnect_delay_callback(|attempts| Duration::from_millis((100 << attempts.min(5)) as u64));
        // The client does not take them from the address.
        if let Some(login) = self.parts().find_map(|(login, _)| login) {
            options = match login.split_once(':') {
                Some((user, password)) => options.user_and_password(user.to_owned(), password.to_owned()),
                None => options.token(login.to_owned()),
            };
        }
        if let Some(file) = &self.credentials {
            let refused = |error: std::io::Error| self.refused(format!("the credentials in {}: {error}", file.display()));
            let text = std::fs::read_to_string(file).map_err(refused)?;
            options = options.credentials(&text).map_err(refused)?;
        }
        if let Some(file) = &self.authority {
            options = options.add_root_certificates(file.clone()).require_tls(true);
        }
        if let Some((certificate, key)) = &self.certificate {
            options = options.add_client_certificate(certificate.clone(), key.clone()).require_tls(true);
        }
        if let Some(role) = &self.role {
            options = role.apply(options).map_err(|detail| self.refused(detail))?;
        }
        Ok(options)
    }

    /// A runtime for connections.
    pub(super) fn runtime(&self, threads: usize) -> Result<Runtime, RunError> {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(threads).thread_name("nats").enable_all().build();
        runtime.map_err(|error| self.refused(error.to_string()))
    }

    pub(super) fn refused(&self, detail: String) -> RunError {
        RunError::Queue { queue: self.shown(), detail }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_shown_and_what_is_missing_is() {
        let mut access = Access::new("nats://me:secret@host:4222");
        assert_eq!(access.shown(), "nats://host:4222");
        let unencrypted = access.warning(true).unwrap();
        assert!(unencrypted.starts_with("nats://host:4222: the connection is not encrypted"), "{unencrypted}");
        access.authority = Some("ca.pem".into());
        assert_eq!(access.warning(true), None);
        for open in [
            "nats://host",
            "tls://host:4222",
            "nats://192.168.1.10:4222",
            "nats://127.0.0.1,nats://host",
            "nats://[fe80::1]:4222",
        ] {
            let said = Access::new(open).warning(false).unwrap();
            assert!(
                said.contains("the server demands no credentials: everyone who reaches it can do what a coordinator can"),
                "{said}"
            );
        }
        for local in ["nats://localhost", "nats://127.0.0.1:4222", "nats://[::1]:4222", "nats://me:secret@127.0.0.1"] {
            assert_eq!(Access::new(local).warning(false), None, "{local}");
        }
    }
}
