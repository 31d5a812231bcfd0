//! Roles of the clients of a server with accounts, and the one file that a client of such a server needs.
//!
//! A role is known on both sides: the server refuses what a role may not do (`permissions`), and the program uses the subjects of its
//! role. Workers and onlookers are in accounts of their own, since a server sends its answer to any subject that a request names: in
//! the account of the coordinator a worker could have an answer written over a key.

use std::fmt;
use std::path::Path;

use async_nats::ConnectOptions;
use async_nats::rustls::pki_types::CertificateDer;
use async_nats::rustls::pki_types::pem::PemObject as _;
use async_nats::rustls::{ClientConfig, RootCertStore};
use nkeys::{KeyPair, KeyPairType};
use plyground_core::InputError;
use plyground_match::read_bounded;
use serde::{Deserialize, Serialize};

use crate::names::{SubjectName, WorkerName};

/// The name of all workers that share one file.
pub const SHARED: &str = "worker";
/// The prefix of JetStream's requests in the accounts of workers and onlookers. Under the usual one, the account itself would answer,
/// too, that it has no streams.
pub const API: &str = "ply.api";
/// The version of the file, and the most bytes of one.
const VERSION: u32 = 1;
const LARGEST: u64 = 1 << 16;

/// The role of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Publishes jobs, announcements and files, and reads results.
    Coordinator,
    /// Takes jobs and publishes results.
    Worker,
    /// Reads who works, and how much is queued.
    Onlooker,
}

impl fmt::Display for Role {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Coordinator => "coordinator",
            Self::Worker => "worker",
            Self::Onlooker => "onlooker",
        })
    }
}

/// The file of one client: its role and name, the addresses of the server, its secret, and the authority of the server's certificate.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct RoleCredentials {
    version: u32,
    role: Role,
    name: SubjectName,
    urls: Vec<String>,
    seed: String,
    authority: String,
}

/// Without the secret.
impl fmt::Debug for RoleCredentials {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RoleCredentials")
            .field("role", &self.role)
            .field("name", &self.name.as_str())
            .field("urls", &self.urls)
            .finish_non_exhaustive()
    }
}

impl RoleCredentials {
    /// The credentials of a new client, with the public key that the server knows it by.
    pub(super) fn generate(
        role: Role,
        name: SubjectName,
        urls: Vec<String>,
        authority: &str,
    ) -> Result<(Self, String), nkeys::error::Error> {
        let key = KeyPair::new_user();
        let credentials = Self { version: VERSION, role, name, urls, seed: key.seed()?, authority: authority.to_owned() };
        Ok((credentials, key.public_key()))
    }

    /// Reads the file of a client.
    pub fn read(file: &Path) -> Result<Self, InputError> {
        let shown = file.display().to_string();
        let refused = |detail: String| InputError::malformed("queue file", &shown, detail);
        let bytes = read_bounded(file, LARGEST).map_err(|error| refused(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| refused("expected text, found other bytes".to_owned()))?;
        Self::parse(&text).map_err(refused)
    }

    fn parse(text: &str) -> Result<Self, String> {
        const EXPECTED: &str = "expected a file that `ply queue init` has written";
        let read: Self = toml::from_str(text).map_err(|error| format!("{EXPECTED}: {}", error.message()))?;
        if read.version != VERSION {
            return Err(format!("expected version {VERSION} of the file, found {}", read.version));
        }
        if let Some(url) = read
            .urls
            .iter()
            .find(|url| !url.starts_with("tls://") || url.contains([',', '@']) || url.contains(char::is_whitespace))
        {
            return Err(format!("expected addresses like tls://HOST:4222, found {url:?}"));
        }
        if read.urls.is_empty() {
            return Err("expected the address of a server, found none".to_owned());
        }
        let key = KeyPair::from_seed(&read.seed).map_err(|error| format!("expected the secret of a user (seed): {error}"))?;
        if key.key_pair_type() != KeyPairType::User {
            return Err("expected the secret of a user (seed), found that of another kind of key".to_owned());
        }
        read.roots()?;
        Ok(read)
    }

    /// The text of the file.
    pub fn to_text(&self) -> String {
        let Self { version, role, name, urls, seed, authority } = self;
        let urls = urls.iter().map(|url| format!("{url:?}")).collect::<Vec<_>>().join(", ");
        format!(
            "# The file of {name}, a client of a Plyground queue. It is a secret: who has it can act as this {role}.\n\
             version = {version}\n\
             role = \"{role}\"\n\
             name = \"{name}\"\n\
             urls = [{urls}]\n\
             seed = \"{seed}\"\n\
             authority = '''\n{}\n'''\n",
            authority.trim()
        )
    }

    /// The role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The name that the server knows this client by.
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The addresses of the server, behind commas.
    pub fn url(&self) -> String {
        self.urls.join(",")
    }

    fn roots(&self) -> Result<RootCertStore, String> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(self.authority.as_bytes()) {
            let certificate = certificate.map_err(|error| format!("the certificate of the authority: {error}"))?;
            roots.add(certificate).map_err(|error| format!("the certificate of the authority: {error}"))?;
        }
        if roots.is_empty() { Err("expected the certificate of an authority, found none".to_owned()) } else { Ok(roots) }
    }

    /// Options with the credentials: TLS with this authority alone, the key, and answers to subjects that no other client may read.
    pub(super) fn apply(&self, options: ConnectOptions) -> Result<ConnectOptions, String> {
        let tls = ClientConfig::builder().with_root_certificates(self.roots()?).with_no_client_auth();
        Ok(options
            .name(format!("plyground {}", self.name))
            .tls_client_config(tls)
            .require_tls(true)
            .nkey(self.seed.clone())
            .custom_inbox_prefix(inbox(self.name())))
    }
}

/// The beginning of the subjects that a client gets answers on.
pub fn inbox(name: &str) -> String {
    format!("_INBOX.{name}")
}

/// The subjects of a client: with an account, results and heartbeats are published under the name that the server knows it by.
#[derive(Clone, Debug, Default)]
pub struct Subjects(Option<(Role, SubjectName)>);

impl Subjects {
    pub fn of(credentials: Option<&RoleCredentials>) -> Self {
        Self(credentials.map(|credentials| (credentials.role, credentials.name.clone())))
    }

    /// The role; `None` at a server without accounts.
    pub fn role(&self) -> Option<Role> {
        self.0.as_ref().map(|(role, _)| *role)
    }

    /// May this client create streams, publish jobs and ask for heartbeats?
    pub fn coordinates(&self) -> bool {
        self.role().is_none_or(|role| role == Role::Coordinator)
    }

    /// The prefix of JetStream's requests.
    pub fn api(&self) -> &'static str {
        if self.coordinates() { "$JS.API" } else { API }
    }

    /// The subject to publish to: `ply.results.RUN` becomes `ply.results.NAME.RUN`, and `ply.workers` becomes `ply.workers.NAME`.
    pub fn published(&self, subject: &str) -> String {
        self.0.as_ref().map_or_else(|| subject.to_owned(), |(_, name)| signed(subject, name.as_str()))
    }

    /// The subject to read, of all clients: `ply.results.*.RUN`, `ply.workers.*`.
    pub fn read(&self, subject: &str) -> String {
        self.0.as_ref().map_or_else(|| subject.to_owned(), |_| signed(subject, "*"))
    }

    /// The worker that a message comes from, as the server vouches for it; `None` if the name in the message has to do.
    pub fn sender(&self, subject: &str) -> Option<WorkerName> {
        self.0.as_ref()?;
        let rest = SIGNED.iter().find_map(|beginning| subject.strip_prefix(beginning)?.strip_prefix('.'))?;
        let name = rest.split('.').next().filter(|name| *name != SHARED)?;
        name.parse().ok()
    }

    /// The full name of a worker: behind that of its file, if that is its own.
    pub fn full_name(&self, name: &str) -> String {
        match &self.0 {
            Some((_, user)) if user.as_str() != SHARED => format!("{user}/{name}"),
            _ => name.to_owned(),
        }
    }
}

/// The beginnings of the subjects that carry the name of their sender.
const SIGNED: [&str; 2] = ["ply.results", "ply.workers"];

fn signed(subject: &str, name: &str) -> String {
    let found = SIGNED.iter().find_map(|beginning| Some((beginning, subject.strip_prefix(beginning)?)));
    found.map_or_else(|| subject.to_owned(), |(beginning, rest)| format!("{beginning}.{name}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credentials(name: &str) -> RoleCredentials {
        let key = rcgen::KeyPair::generate().unwrap();
        let authority = rcgen::CertificateParams::default().self_signed(&key).unwrap().pem();
        let urls = vec!["tls://host:4222".to_owned(), "tls://[::1]:4222".to_owned()];
        RoleCredentials::generate(Role::Worker, name.parse().unwrap(), urls, &authority).unwrap().0
    }

    #[test]
    fn a_file_comes_back_as_it_was_written_and_shows_no_secret() {
        let written = credentials("worker-7");
        let read = RoleCredentials::parse(&written.to_text()).unwrap();
        assert_eq!((read.name(), read.role(), read.url()), ("worker-7", Role::Worker, written.url()));
        assert_eq!(read.seed, written.seed);
        assert_eq!(RoleCredentials::parse(&read.to_text()).unwrap(), read);
        assert!(!format!("{read:?}").contains(&read.seed));
    }

    #[test]
    fn files_that_are_damaged_are_refused_in_words() {
        let good = credentials("worker-7").to_text();
        let seed = credentials("x").seed;
        let account = KeyPair::new_account().seed().unwrap();
        let line = |beginning: &str| good.lines().find(|line| line.starts_with(beginning)).unwrap().to_owned();
        for (text, words) in [
            (String::new(), "expected a file that `ply queue init` has written"),
            ("rubbish".to_owned(), "expected a file that `ply queue init` has written"),
            (good.replace("version = 1", "version = 2"), "expected version 1 of the file, found 2"),
            (good.replace("role = \"worker\"", "role = \"king\""), "unknown variant"),
            (good.replace("worker-7\"", "worker.>\""), "expected a name of 1 to 64 letters"),
            (good.replace("tls://host", "nats://host"), "expected addresses like tls://HOST:4222"),
            (good.replace(&line("urls"), "urls = []"), "expected the address of a server"),
            (good.replace(&line("seed"), "seed = \"SUrubbish\""), "expected the secret of a user"),
            (good.replace(&line("seed"), &format!("seed = \"{account}\"")), "another kind of key"),
            (good.replace("BEGIN", "BEGAN"), "expected the certificate of an authority, found none"),
            (good.replace("MII", "MIX"), "the certificate of the authority"),
        ] {
            let error = RoleCredentials::parse(&text).unwrap_err();
            assert!(error.contains(words) && !error.contains(&seed), "{words}: {error}");
        }
    }

    #[test]
    fn subjects_carry_the_name_that_the_server_vouches_for() {
        let named = Subjects::of(Some(&credentials("worker-7")));
        assert_eq!(named.published("ply.results.run"), "ply.results.worker-7.run");
        assert_eq!(named.published("ply.workers"), "ply.workers.worker-7");
        assert_eq!(named.published("ply.lessons.t"), "ply.lessons.t");
        assert_eq!(named.read("ply.results.run"), "ply.results.*.run");
        assert_eq!(named.sender("ply.results.worker-7.run").unwrap().as_str(), "worker-7");
        assert_eq!(named.sender("ply.workers.worker-7").unwrap().as_str(), "worker-7");
        assert_eq!(named.sender("ply.results.worker.run"), None, "of a file that is shared");
        assert_eq!(named.full_name("laptop-1"), "worker-7/laptop-1");
        assert_eq!(Subjects::of(Some(&credentials(SHARED))).full_name("laptop-1"), "laptop-1");
        let open = Subjects::default();
        assert_eq!(
            (open.published("ply.results.run"), open.read("ply.workers")),
            ("ply.results.run".into(), "ply.workers".into())
        );
        assert_eq!((open.sender("ply.results.run"), open.full_name("me")), (None, "me".to_owned()));
        assert!(open.coordinates() && !named.coordinates());
    }
}
