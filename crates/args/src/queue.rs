//! What can be typed to let many machines work together.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Subcommand;
use plyground_cluster::{Access, MOST_WORKER_FILES, Role, RoleCredentials};
use plyground_session::InputError;

use super::duration;

/// The executor: this computer, or the workers at a queue.
#[derive(clap::Args)]
#[command(next_help_heading = "Many machines")]
pub struct QueueArgs {
    /// Let the workers at this NATS server play: its address, e.g. `nats://HOST:4222`, or the file of a coordinator (see `ply queue`)
    /// [default: this computer plays]
    #[arg(long, value_name = "URL|FILE", value_parser = address)]
    pub queue: Option<String>,
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// A job whose worker has not been heard for this long goes to another one, in all runs of this queue [default: as it is; 30s in a new
    /// queue]
    #[arg(long, value_name = "T", value_parser = lease, requires = "queue")]
    pub lease: Option<Duration>,
}

/// The executor of a run, whose results can be played again.
#[derive(clap::Args)]
#[command(next_help_heading = "Many machines")]
pub struct FleetArgs {
    #[command(flatten)]
    pub queue: QueueArgs,
    /// So many of a hundred results are played again here and have to be the same, in runs without time limits, threads and networks
    /// [default: 2]
    #[arg(long, value_name = "PERCENT", value_parser = percent, requires = "queue")]
    pub sample: Option<f64>,
}

/// What to show at the connection of a server.
#[derive(clap::Args, Default)]
#[command(next_help_heading = "Many machines")]
pub struct ConnectionArgs {
    /// A file of NATS credentials for the server
    #[arg(long, value_name = "FILE", requires = "queue")]
    creds: Option<PathBuf>,
    /// Use TLS, and trust a server that these certificates vouch for
    #[arg(long, value_name = "FILE", requires = "queue")]
    tls_ca: Option<PathBuf>,
    /// Use TLS with this certificate of our own
    #[arg(long, value_name = "FILE", requires_all = ["queue", "tls_key"])]
    tls_cert: Option<PathBuf>,
    /// The key of that certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
}

/// Words of the options above that take a value: they say who plays, and not what.
pub const QUEUE_OPTIONS: [&str; 7] = ["--queue", "--creds", "--tls-ca", "--tls-cert", "--tls-key", "--lease", "--sample"];

#[derive(clap::Args)]
pub struct WorkerArgs {
    /// The file of a worker, as `ply queue init` has written it
    #[arg(value_name = "FILE", required_unless_present = "queue", conflicts_with = "queue")]
    file: Option<PathBuf>,
    /// The NATS server that coordinators use, e.g. `nats://HOST:4222`, if it has no roles
    #[arg(long, value_name = "URL", value_parser = address)]
    queue: Option<String>,
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// Games at the same time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub cores: Option<u32>,
    /// What others see this worker as [default: the name of this computer]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

#[derive(clap::Args)]
pub struct QueueSetupArgs {
    #[command(subcommand)]
    pub action: QueueAction,
}

#[derive(Subcommand)]
pub enum QueueAction {
    /// Write all that a NATS server with roles needs: its configuration, certificates, and a file for each role
    ///
    /// A coordinator (commands with --queue FILE) gives work, workers (`ply worker FILE`) do it, onlookers (`ply serve --queue FILE`)
    /// watch; the server refuses all else. Files that are there are not replaced.
    Init(QueueInitArgs),
}

#[derive(clap::Args)]
pub struct QueueInitArgs {
    /// The folder for the files
    #[arg(default_value = "queue")]
    pub folder: PathBuf,
    /// A name or address of the computer that the server is to run on, as workers reach it; can be repeated [default: the name of this
    /// computer]
    #[arg(long = "host", value_name = "NAME")]
    pub hosts: Vec<String>,
    /// Write so many files for workers, each with a name that the server vouches for [default: one file, which all workers share]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_WORKER_FILES)))]
    pub workers: Option<u32>,
    /// The port of the server
    #[arg(long, value_name = "N", default_value_t = 4222, value_parser = clap::value_parser!(u16).range(1..))]
    pub port: u16,
}

impl WorkerArgs {
    /// How to reach the queue.
    pub fn access(&self) -> Result<Access, InputError> {
        match (&self.file, &self.queue) {
            (Some(file), _) => of_role(file, &[Role::Worker]),
            (None, queue) => self.connection.access(queue.as_deref().unwrap_or_default(), &[Role::Worker]),
        }
    }
}

impl QueueArgs {
    /// How to reach the queue as a coordinator, if there is one.
    pub fn access(&self) -> Result<Option<Access>, InputError> {
        let Some(place) = &self.queue else { return Ok(None) };
        let access = self.connection.access(place, &[Role::Coordinator])?;
        Ok(Some(Access { lease: self.lease, ..access }))
    }
}

impl ConnectionArgs {
    /// How to reach a server: by its address, or by the file of a client in one of these roles.
    pub fn access(&self, place: &str, roles: &[Role]) -> Result<Access, InputError> {
        if is_address(place) {
            return Ok(Access {
                credentials: self.creds.clone(),
                authority: self.tls_ca.clone(),
                certificate: self.tls_cert.clone().zip(self.tls_key.clone()),
                ..Access::new(place)
            });
        }
        if self.creds.is_some() || self.tls_ca.is_some() || self.tls_cert.is_some() {
            let detail = "such a file has credentials and certificates in it; expected no other with it";
            return Err(InputError::malformed("queue file", place, detail));
        }
        of_role(Path::new(place), roles)
    }
}

/// The server that a file names, in one of these roles.
fn of_role(file: &Path, roles: &[Role]) -> Result<Access, InputError> {
    let credentials = RoleCredentials::read(file)?;
    if roles.contains(&credentials.role()) {
        return Ok(Access::of_role(credentials));
    }
    let expected: Vec<String> = roles.iter().map(ToString::to_string).collect();
    let detail = format!("expected the file of {}, found that of the {}", expected.join(" or "), described(&credentials));
    Err(InputError::malformed("queue file", &file.display().to_string(), detail))
}

/// A role, with a name where that says more.
fn described(credentials: &RoleCredentials) -> String {
    let role = credentials.role().to_string();
    if credentials.name() == role { role } else { format!("{role} {}", credentials.name()) }
}

fn is_address(text: &str) -> bool {
    text.contains("://")
}

/// One address or several behind commas, or the name of a file.
pub fn address(text: &str) -> Result<String, String> {
    let known = |url: &str| {
        let host = url.strip_prefix("nats://").or_else(|| url.strip_prefix("tls://"));
        host.is_some_and(|host| !host.is_empty() && !host.contains(char::is_whitespace))
    };
    let fits = if is_address(text) { text.split(',').all(known) } else { Path::new(text).exists() };
    let expected = "expected nats://HOST:PORT, tls://HOST:PORT, or a file that `ply queue init` has written";
    if fits { Ok(text.to_owned()) } else { Err(expected.to_owned()) }
}

/// Shorter ones would be over before they could be extended.
fn lease(text: &str) -> Result<Duration, String> {
    let time = duration(text)?;
    if time >= Duration::from_secs(1) { Ok(time) } else { Err("expected one second or more".to_owned()) }
}

fn percent(text: &str) -> Result<f64, String> {
    let known = text.parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
    known.ok_or_else(|| "expected a number from 0 to 100".to_owned())
}
