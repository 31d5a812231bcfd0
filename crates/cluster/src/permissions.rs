//! Permissions of each role, and the configuration of a server that enforces them.
//!
//! The streams belong to the account of the coordinators. Workers and onlookers have accounts of their own without streams, into which
//! exactly the requests are imported that these roles make. Each user may publish and subscribe to the subjects below and to no other.

use std::fmt::Write as _;
use std::net::IpAddr;
use std::path::PathBuf;

use crate::nats::{FILES, JOBS, RESULTS, SELF_PLAY, VALUES, WORKERS};
use crate::role::{API, Role, inbox};

/// The accounts.
const COORDINATORS: &str = "PLY";
const WORKER_ACCOUNT: &str = "PLY_WORKERS";
const ONLOOKER_ACCOUNT: &str = "PLY_ONLOOKERS";
/// The most bytes of a message, of what is in memory, and of all that is kept on the disk.
const LARGEST_MESSAGE: &str = "1MB";
const MEMORY: &str = "256MB";
const DISK: &str = "10GB";

/// A client that a server knows.
pub struct User {
    pub role: Role,
    pub name: String,
    /// Its public key.
    pub key: String,
}

/// The settings of a server.
pub struct ServerSettings {
    pub hosts: Vec<String>,
    pub port: u16,
    /// The folder of its streams.
    pub store: PathBuf,
    pub certificate: PathBuf,
    pub certificate_key: PathBuf,
    pub users: Vec<User>,
}

/// The requests to JetStream of a role that is in an account of its own.
fn requests(role: Role) -> Vec<String> {
    let information = [JOBS, RESULTS, SELF_PLAY, VALUES].map(|stream| format!("STREAM.INFO.{stream}"));
    let mut requests = information.to_vec();
    requests.push(format!("CONSUMER.INFO.{JOBS}.{WORKERS}"));
    if role == Role::Worker {
        requests.extend([
            next_jobs(),
            format!("STREAM.MSG.GET.{VALUES}"),
            format!("STREAM.INFO.OBJ_{FILES}"),
            format!("STREAM.MSG.GET.OBJ_{FILES}"),
            format!("DIRECT.GET.OBJ_{FILES}.$O.{FILES}.M.*"),
        ]);
    }
    requests
}

fn next_jobs() -> String {
    format!("CONSUMER.MSG.NEXT.{JOBS}.{WORKERS}")
}

/// The subjects that workers publish to in the account of the coordinators: acknowledgements, results, games for trainings.
fn worker_messages() -> [String; 3] {
    [format!("$JS.ACK.{JOBS}.{WORKERS}.>"), "ply.results.*.*".to_owned(), "ply.lessons.*".to_owned()]
}

/// The subjects of the coordinators that workers listen to.
fn announcements() -> [String; 3] {
    ["ply.end.*".to_owned(), "ply.roll-call".to_owned(), "$KV.plyground.train.*".to_owned()]
}

/// The subjects of heartbeats.
const HEARTBEATS: &str = "ply.workers.*";

/// The requests of a coordinator: it makes and changes the streams of Plyground, but deletes none and makes no other.
fn coordinator_requests() -> Vec<String> {
    let files = format!("OBJ_{FILES}");
    let mut requests = Vec::new();
    for stream in [JOBS, RESULTS, SELF_PLAY, VALUES, &files] {
        requests.extend(["INFO", "CREATE", "UPDATE"].map(|act| format!("STREAM.{act}.{stream}")));
    }
    requests.extend([JOBS, VALUES, &files].map(|stream| format!("STREAM.PURGE.{stream}")));
    requests.extend([VALUES, &files].map(|stream| format!("STREAM.MSG.GET.{stream}")));
    requests.push(format!("DIRECT.GET.{files}.>"));
    requests.extend(["INFO", "CREATE", "DURABLE.CREATE"].map(|act| format!("CONSUMER.{act}.{JOBS}.{WORKERS}")));
    for stream in [RESULTS, SELF_PLAY] {
        requests.push(format!("CONSUMER.CREATE.{stream}"));
        requests.extend(["CREATE", "INFO", "DELETE", "MSG.NEXT"].map(|act| format!("CONSUMER.{act}.{stream}.>")));
    }
    requests.into_iter().map(|request| format!("$JS.API.{request}")).collect()
}

impl User {
    /// The subjects that it may publish to.
    pub fn publishes(&self) -> Vec<String> {
        let name = &self.name;
        match self.role {
            Role::Coordinator => {
                let mut subjects = coordinator_requests();
                subjects
                    .extend(["ply.jobs.*", "ply.end.*", "ply.roll-call", "$KV.plyground.>", "$O.plyground.>"].map(str::to_owned));
                subjects
            }
            Role::Worker => {
                let mut subjects: Vec<String> = requests(self.role).iter().map(|request| format!("{API}.{request}")).collect();
                subjects.extend(
                    worker_messages().map(|subject| subject.replace("ply.results.*.*", &format!("ply.results.{name}.*"))),
                );
                subjects.push(HEARTBEATS.replace('*', name));
                subjects
            }
            Role::Onlooker => requests(self.role).iter().map(|request| format!("{API}.{request}")).collect(),
        }
    }

    /// The subjects that it may subscribe to.
    pub fn subscribes(&self) -> Vec<String> {
        let mut subjects = vec![format!("{}.>", inbox(&self.name))];
        match self.role {
            Role::Coordinator | Role::Onlooker => subjects.push(HEARTBEATS.to_owned()),
            Role::Worker => subjects.extend(announcements()),
        }
        subjects
    }

    fn text(&self) -> String {
        let [publishes, subscribes] = [self.publishes(), self.subscribes()].map(|subjects| list(&subjects, 8));
        format!(
            "      # {}\n      {{ nkey: {}, permissions: {{\n        publish: {publishes}\n        subscribe: {subscribes}\n      }} }}\n",
            self.name, self.key
        )
    }
}

impl ServerSettings {
    /// The configuration file.
    pub fn text(&self) -> String {
        let (port, listen) = (self.port, listening(&self.hosts));
        let [store, certificate, key] =
            [&self.store, &self.certificate, &self.certificate_key].map(|path| path.display().to_string());
        let workers = Account { name: WORKER_ACCOUNT, role: Role::Worker };
        let onlookers = Account { name: ONLOOKER_ACCOUNT, role: Role::Onlooker };
        format!(
            "# A nats-server for Plyground, as `ply queue init` has written it. Start it with: nats-server -c FILE\n\
             host: {listen:?}\nport: {port}\nmax_payload: {LARGEST_MESSAGE}\n\
             jetstream {{\n  store_dir: {store:?}\n  max_memory_store: {MEMORY}\n  max_file_store: {DISK}\n}}\n\
             tls {{\n  cert_file: {certificate:?}\n  key_file: {key:?}\n  timeout: 5\n}}\n\
             accounts {{\n{}{}{}}}\n",
            self.coordinators(&[&workers, &onlookers]),
            workers.text(&self.users, &worker_messages(), &announcements()),
            onlookers.text(&self.users, &[], &[]),
        )
    }

    /// The account that has the streams.
    fn coordinators(&self, others: &[&Account]) -> String {
        let mut exports = String::new();
        let mut all: Vec<String> = others.iter().flat_map(|account| requests(account.role)).collect();
        all.sort_unstable();
        all.dedup();
        for request in all {
            let named: Vec<&str> = others.iter().filter(|of| requests(of.role).contains(&request)).map(|of| of.name).collect();
            let response = if request == next_jobs() { ", response_type: stream" } else { "" };
            let _ = writeln!(exports, "      {{ service: \"$JS.API.{request}\"{response}, accounts: [{}] }}", named.join(", "));
        }
        for subject in worker_messages() {
            let _ = writeln!(exports, "      {{ service: {subject:?}, accounts: [{WORKER_ACCOUNT}] }}");
        }
        for subject in announcements() {
            let _ = writeln!(exports, "      {{ stream: {subject:?}, accounts: [{WORKER_ACCOUNT}] }}");
        }
        format!(
            "  {COORDINATORS} {{\n    jetstream: enabled\n    users: [\n{}    ]\n    exports: [\n{exports}    ]\n\
             \x20   imports: [ {{ stream: {{ account: {WORKER_ACCOUNT}, subject: {HEARTBEATS:?} }} }} ]\n  }}\n",
            users(&self.users, Role::Coordinator)
        )
    }
}

/// An account without streams.
struct Account {
    name: &'static str,
    role: Role,
}

impl Account {
    fn text(&self, all: &[User], messages: &[String], heard: &[String]) -> String {
        let mut imports = String::new();
        for request in requests(self.role) {
            let _ = writeln!(
                imports,
                "      {{ service: {{ account: {COORDINATORS}, subject: \"$JS.API.{request}\" }}, to: \"{API}.{request}\" }}"
            );
        }
        for subject in messages {
            let _ = writeln!(imports, "      {{ service: {{ account: {COORDINATORS}, subject: {subject:?} }} }}");
        }
        for subject in heard {
            let _ = writeln!(imports, "      {{ stream: {{ account: {COORDINATORS}, subject: {subject:?} }} }}");
        }
        let mut exports = String::new();
        if self.role == Role::Worker {
            let _ = writeln!(
                exports,
                "    exports: [ {{ stream: {HEARTBEATS:?}, accounts: [{COORDINATORS}, {ONLOOKER_ACCOUNT}] }} ]"
            );
        } else {
            let _ = writeln!(imports, "      {{ stream: {{ account: {WORKER_ACCOUNT}, subject: {HEARTBEATS:?} }} }}");
        }
        format!(
            "  {} {{\n    users: [\n{}    ]\n{exports}    imports: [\n{imports}    ]\n  }}\n",
            self.name,
            users(all, self.role)
        )
    }
}

fn users(all: &[User], role: Role) -> String {
    all.iter().filter(|user| user.role == role).map(User::text).collect()
}

/// Texts in brackets, one a line.
fn list(texts: &[String], indent: usize) -> String {
    let space = " ".repeat(indent);
    let lines: Vec<String> = texts.iter().map(|text| format!("{space}  {text:?}")).collect();
    format!("[\n{}\n{space}]", lines.join("\n"))
}

/// The address to listen on: no other than this computer's own if it is to be reached by that alone.
fn listening(hosts: &[String]) -> &'static str {
    let addresses = || hosts.iter().map(|host| host.parse::<IpAddr>());
    if addresses().flatten().any(|address| address.is_ipv6()) {
        "::"
    } else if hosts
        .iter()
        .zip(addresses())
        .all(|(host, address)| host == "localhost" || address.is_ok_and(|address| address.is_loopback()))
    {
        "127.0.0.1"
    } else {
        "0.0.0.0"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(role: Role, name: &str) -> User {
        User { role, name: name.to_owned(), key: "UKEY".to_owned() }
    }

    #[test]
    fn a_worker_publishes_in_its_own_name_and_changes_nothing() {
        let (publishes, subscribes) = (user(Role::Worker, "worker-3").publishes(), user(Role::Worker, "worker-3").subscribes());
        assert!(
            publishes.contains(&"ply.results.worker-3.*".to_owned()) && publishes.contains(&"ply.workers.worker-3".to_owned())
        );
        for forbidden in ["ply.jobs", "ply.end", "ply.roll-call", "$KV", "$O.", "$JS.API", "CREATE", "DELETE", "PURGE", "UPDATE"]
        {
            assert!(
                !publishes.iter().any(|subject| subject.starts_with(forbidden) || subject.contains(&format!(".{forbidden}."))),
                "{forbidden}"
            );
        }
        assert!(!subscribes.iter().any(|subject| subject.contains("results") || subject == ">" || subject == "_INBOX.>"));
        let onlooker = user(Role::Onlooker, "onlooker");
        assert!(onlooker.publishes().iter().all(|subject| subject.starts_with("ply.api.") && subject.contains(".INFO.")));
        assert!(
            !user(Role::Coordinator, "coordinator")
                .publishes()
                .iter()
                .any(|subject| subject.contains("STREAM.DELETE") || subject == ">")
        );
    }

    #[test]
    fn a_server_listens_where_it_is_to_be_reached() {
        let hosts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        assert_eq!(listening(&hosts(&["localhost", "127.0.0.1"])), "127.0.0.1");
        assert_eq!(listening(&hosts(&["127.0.0.1", "192.168.1.10"])), "0.0.0.0");
        assert_eq!(listening(&hosts(&["teacher.local"])), "0.0.0.0");
        assert_eq!(listening(&hosts(&["teacher.local", "fe80::1"])), "::");
    }

    #[test]
    fn every_request_that_is_imported_is_exported_to_that_account_alone() {
        let users = vec![user(Role::Coordinator, "coordinator"), user(Role::Worker, "worker"), user(Role::Onlooker, "onlooker")];
        let settings = ServerSettings {
            hosts: vec!["localhost".to_owned()],
            port: 4222,
            store: "/q/jetstream".into(),
            certificate: "/q/server.pem".into(),
            certificate_key: "/q/server.key".into(),
            users,
        };
        let text = settings.text();
        for line in text.lines().filter(|line| line.contains("account: PLY, subject: ")) {
            let subject = line.split("subject: ").nth(1).unwrap().split('"').nth(1).unwrap();
            assert!(
                text.contains(&format!("{{ service: \"{subject}\"")) || text.contains(&format!("{{ stream: \"{subject}\"")),
                "{line}"
            );
        }
        let exports = text.lines().filter(|line| line.contains("{ service: \"") || line.contains("{ stream: \""));
        assert!(exports.clone().count() > 10 && exports.into_iter().all(|line| line.contains("accounts: [PLY")), "{text}");
        assert!(text.contains(
            "{ service: \"$JS.API.CONSUMER.MSG.NEXT.PLY_JOBS.workers\", response_type: stream, accounts: [PLY_WORKERS] }"
        ));
    }
}
