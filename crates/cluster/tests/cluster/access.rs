//! Servers that check their clients: certificates on both sides, credentials, passwords.

use std::fs;
use std::path::PathBuf;

use data_encoding::BASE64URL_NOPAD;
use nkeys::KeyPair;
use plyground_cluster::{Access, Broker, NatsQueue};
use plyground_match::{Lease, Queue, Worker};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair as CertificateKey};
use serde_json::{Value, json};

use crate::common::{Directory, all_jobs, experiment};
use crate::server::Server;

/// Jobs go in and come out.
fn works(access: &Access) {
    let queue = NatsQueue::new(Broker::connect(access).unwrap().into());
    let jobs = all_jobs(&experiment("tictactoe", &["random", "mcts:sims=10"], 2).run(), 3);
    assert_eq!(queue.push(&jobs).unwrap(), 3);
    let worker = Worker("one".to_owned());
    assert_eq!(queue.lease(&worker, 3).unwrap(), Lease::Jobs(jobs.clone()));
    queue.finish(&jobs).unwrap();
    assert_eq!(queue.lease(&worker, 1).unwrap(), Lease::Done);
}

/// It is refused in words, which name the address and no secret.
fn refused(access: &Access) -> String {
    let Err(error) = Broker::connect(access) else { panic!("{access:?} was let in") };
    let text = error.to_string();
    assert!(text.contains(&access.shown()) && !text.contains("secret"), "{text}");
    text
}

/// A folder with the certificate of an authority, and those of a server and a client with their keys.
struct Certificates(Directory);

impl Certificates {
    fn new() -> Self {
        let folder = Directory::new();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, CertificateKey::generate().unwrap()).unwrap();
        fs::write(folder.0.join("ca.pem"), authority.pem()).unwrap();
        for name in ["server", "client"] {
            let key = CertificateKey::generate().unwrap();
            let params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
            let certificate = params.signed_by(&key, &authority).unwrap();
            fs::write(folder.0.join(format!("{name}.pem")), certificate.pem()).unwrap();
            fs::write(folder.0.join(format!("{name}.key")), key.serialize_pem()).unwrap();
        }
        Self(folder)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.0.join(name)
    }

    /// The settings of a server that wants a certificate of every client.
    fn settings(&self) -> String {
        let [ca, certificate, key] = ["ca.pem", "server.pem", "server.key"].map(|name| self.file(name).display().to_string());
        format!("tls {{ ca_file: {ca:?}, cert_file: {certificate:?}, key_file: {key:?}, verify: true }}")
    }
}

#[test]
fn certificates_open_the_door_and_nothing_else_does() {
    let certificates = Certificates::new();
    let Some(server) = Server::with(certificates.settings()) else { return };
    let nothing = Access::new(&server.url());
    let trusting = Access { authority: Some(certificates.file("ca.pem")), ..nothing.clone() };
    let certificate = Some((certificates.file("client.pem"), certificates.file("client.key")));
    let known = Access { certificate, ..trusting.clone() };
    works(&known);
    assert_eq!(Broker::connect(&known).unwrap().warning(), None);
    // Another authority, made in the same way.
    let others = Certificates::new();
    let stranger = Access { certificate: Some((others.file("client.pem"), others.file("client.key"))), ..trusting.clone() };
    let suspicious = Access { authority: Some(others.file("ca.pem")), ..known.clone() };
    let missing = Access { authority: Some(certificates.file("nowhere.pem")), ..known };
    for access in [nothing, trusting, stranger, suspicious, missing] {
        refused(&access);
    }
}

/// A signed token: the claims of one key about another.
fn token(says: &KeyPair, of: &KeyPair, name: &str, claims: &Value) -> String {
    let header = json!({"typ": "JWT", "alg": "ed25519-nkey"});
    let body = json!({"jti": name, "iat": 1, "iss": says.public_key(), "name": name, "sub": of.public_key(), "nats": claims});
    let text = [header, body].map(|part| BASE64URL_NOPAD.encode(part.to_string().as_bytes())).join(".");
    let signature = says.sign(text.as_bytes()).unwrap();
    format!("{text}.{}", BASE64URL_NOPAD.encode(&signature))
}

/// An operator, an account of the house, an account that may keep streams, and a user of it.
struct Operation {
    operator: KeyPair,
    house: KeyPair,
    account: KeyPair,
    user: KeyPair,
}

impl Operation {
    fn new() -> Self {
        Self {
            operator: KeyPair::new_operator(),
            house: KeyPair::new_account(),
            account: KeyPair::new_account(),
            user: KeyPair::new_user(),
        }
    }

    fn settings(&self) -> String {
        let Self { operator, house, account, .. } = self;
        let limits = |storage: i64| {
            json!({"type": "account", "version": 2, "limits": {
                "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
                "mem_storage": storage, "disk_storage": storage, "streams": storage, "consumer": storage}})
        };
        let trusted = json!({"type": "operator", "version": 2, "system_account": house.public_key()});
        let accounts = [(house, limits(0)), (account, limits(-1))]
            .map(|(of, limits)| format!("{}: {}", of.public_key(), token(operator, of, "account", &limits)));
        format!(
            "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{ {} }}\n",
            token(operator, operator, "operator", &trusted),
            house.public_key(),
            accounts.join(", ")
        )
    }

    /// What the user shows, if this account says who it is.
    fn credentials(&self, account: &KeyPair) -> String {
        let claims = json!({"type": "user", "version": 2, "pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1});
        let (token, seed) = (token(account, &self.user, "user", &claims), self.user.seed().unwrap());
        format!(
            "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        )
    }
}

#[test]
fn credentials_open_the_door_and_forged_ones_do_not() {
    let operation = Operation::new();
    let Some(server) = Server::with(operation.settings()) else { return };
    let folder = Directory::new();
    let shown = |name: &str, text: String| {
        let file = folder.0.join(name);
        fs::write(&file, text).unwrap();
        Access { credentials: Some(file), ..Access::new(&server.url()) }
    };
    works(&shown("good.creds", operation.credentials(&operation.account)));
    refused(&Access::new(&server.url()));
    refused(&shown("forged.creds", operation.credentials(&KeyPair::new_account())));
    let error = refused(&shown("rubbish.creds", "rubbish".to_owned()));
    assert!(error.contains("rubbish.creds"), "{error}");
    let error = refused(&Access { credentials: Some(folder.0.join("missing.creds")), ..Access::new(&server.url()) });
    assert!(error.contains("missing.creds"), "{error}");
}

#[test]
fn a_password_opens_the_door_and_a_wrong_one_does_not() {
    let Some(server) = Server::with("authorization { user: me, password: secret }".to_owned()) else { return };
    let with = |login: &str| Access::new(&server.url().replace("nats://", &format!("nats://{login}")));
    works(&with("me:secret@"));
    refused(&with("me:secreT@"));
    refused(&with(""));
}
