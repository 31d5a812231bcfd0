//! What can be typed to let many machines work together.

use std::path::PathBuf;
use std::time::Duration;

use plyground_cluster::Access;

use super::duration;

/// The executor: this computer, or the workers at a queue.
#[derive(clap::Args)]
#[command(next_help_heading = "Many machines")]
pub struct QueueArgs {
    /// Let the workers at this NATS server play, e.g. `nats://HOST:4222` (start them with `ply worker`) [default: this computer plays]
    #[arg(long, value_name = "URL", value_parser = address)]
    pub queue: Option<String>,
    #[command(flatten)]
    pub door: ConnectionArgs,
    /// A job whose worker has not been heard for this long goes to another one, in all runs of this queue [default: as it is; 30s in a new
    /// queue]
    #[arg(long, value_name = "T", value_parser = lease, requires = "queue")]
    pub lease: Option<Duration>,
}

/// What to show at the door of a server.
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
pub const QUEUE_OPTIONS: [&str; 6] = ["--queue", "--creds", "--tls-ca", "--tls-cert", "--tls-key", "--lease"];

#[derive(clap::Args)]
pub struct WorkerArgs {
    /// The NATS server that coordinators use, e.g. `nats://HOST:4222`
    #[arg(long, value_name = "URL", value_parser = address)]
    pub queue: String,
    #[command(flatten)]
    pub door: ConnectionArgs,
    /// Games at the same time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub cores: Option<u32>,
    /// What others see this worker as [default: the name of this computer]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

impl ConnectionArgs {
    /// How to reach a server.
    pub fn access(&self, url: &str, lease: Option<Duration>) -> Access {
        Access {
            credentials: self.creds.clone(),
            authority: self.tls_ca.clone(),
            certificate: self.tls_cert.clone().zip(self.tls_key.clone()),
            lease,
            ..Access::new(url)
        }
    }
}

/// One address or several behind commas.
pub fn address(text: &str) -> Result<String, String> {
    let known = |url: &str| {
        let host = url.strip_prefix("nats://").or_else(|| url.strip_prefix("tls://"));
        host.is_some_and(|host| !host.is_empty() && !host.contains(char::is_whitespace))
    };
    if text.split(',').all(known) { Ok(text.to_owned()) } else { Err("expected nats://HOST:PORT or tls://HOST:PORT".to_owned()) }
}

/// Shorter ones would be over before they could be extended.
fn lease(text: &str) -> Result<Duration, String> {
    let time = duration(text)?;
    if time >= Duration::from_secs(1) { Ok(time) } else { Err("expected one second or more".to_owned()) }
}
