//! A queue with roles: the configuration of its server, certificates, and one file for each client.

use std::fs;
use std::io::{self, Write as _};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use plyground_core::InputError;
use plyground_match::RunError;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};

use crate::permissions::{ServerSettings, User};
use crate::role::{Role, RoleCredentials, SHARED};

/// The names of the files of a queue.
const CONFIGURATION: &str = "nats-server.conf";
const AUTHORITY: &str = "ca.pem";
const CERTIFICATE: &str = "server.pem";
const CERTIFICATE_KEY: &str = "server.key";
const STORE: &str = "jetstream";
/// The ending of the files of clients.
const ENDING: &str = "queue";
/// The years for which certificates are valid.
const YEARS: i32 = 10;
/// The most workers with files of their own.
pub const MOST_WORKER_FILES: u32 = 1_000;

/// A queue with roles that is to be set up.
pub struct QueueSetup {
    /// The folder for its files.
    pub folder: PathBuf,
    /// The names and addresses of the computer that the server is to run on, as workers reach it.
    pub hosts: Vec<String>,
    /// The port of the server.
    pub port: u16,
    /// The number of workers with a file of their own; `None` for one file that all share.
    pub workers: Option<u32>,
}

/// The files of a queue that was set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueFiles {
    /// The configuration of the server.
    pub configuration: PathBuf,
    /// The file of the coordinators.
    pub coordinator: PathBuf,
    /// The files of the workers.
    pub workers: Vec<PathBuf>,
    /// The file of the onlookers.
    pub onlooker: PathBuf,
}

impl QueueSetup {
    /// Writes all files, or none: what is there already is not replaced. All but certificates and the configuration can be read by
    /// their owner alone.
    pub fn write(&self) -> Result<QueueFiles, RunError> {
        self.hosts.iter().try_for_each(|host| check_host(host))?;
        if self.hosts.is_empty() {
            return Err(InputError::malformed("host", "", "expected a name or an address of the computer of the server").into());
        }
        fs::create_dir_all(&self.folder).map_err(|error| RunError::Write { file: self.folder.clone(), error })?;
        let folder = fs::canonicalize(&self.folder).map_err(|error| RunError::Write { file: self.folder.clone(), error })?;
        let failed = |detail: String| RunError::Queue { queue: folder.display().to_string(), detail };
        let certificates = Certificates::generate(&self.hosts).map_err(|error| failed(format!("no certificate: {error}")))?;
        let urls: Vec<String> = self.hosts.iter().map(|host| address(host, self.port)).collect();
        let mut clients = Vec::new();
        for (role, name) in self.names() {
            let parsed = name.parse().expect("letters, digits and hyphens are a name");
            let made = RoleCredentials::generate(role, parsed, urls.clone(), &certificates.authority);
            let (credentials, key) = made.map_err(|error| failed(format!("no key: {error}")))?;
            clients.push((User { role, name, key }, credentials.to_text()));
        }
        let file = |name: &str| self.folder.join(format!("{name}.{ENDING}"));
        let mut files = vec![
            NewFile::public(self.folder.join(AUTHORITY), certificates.authority),
            NewFile::public(self.folder.join(CERTIFICATE), certificates.certificate),
            NewFile::secret(self.folder.join(CERTIFICATE_KEY), certificates.key),
        ];
        let mut users = Vec::new();
        for (user, text) in clients {
            files.push(NewFile::secret(file(&user.name), text));
            users.push(user);
        }
        let of_role = |role| users.iter().filter(move |user: &&User| user.role == role).map(|user| file(&user.name));
        let written = QueueFiles {
            configuration: self.folder.join(CONFIGURATION),
            coordinator: file(&Role::Coordinator.to_string()),
            workers: of_role(Role::Worker).collect(),
            onlooker: file(&Role::Onlooker.to_string()),
        };
        let settings = ServerSettings {
            hosts: self.hosts.clone(),
            port: self.port,
            store: folder.join(STORE),
            certificate: folder.join(CERTIFICATE),
            certificate_key: folder.join(CERTIFICATE_KEY),
            users,
        };
        files.push(NewFile::public(written.configuration.clone(), settings.text()));
        write_all(&files)?;
        Ok(written)
    }

    /// The names of all clients.
    fn names(&self) -> Vec<(Role, String)> {
        let workers = match self.workers {
            None => vec![SHARED.to_owned()],
            Some(count) => {
                let digits = count.to_string().len();
                (1..=count.min(MOST_WORKER_FILES)).map(|number| format!("{SHARED}-{number:0digits$}")).collect()
            }
        };
        let single = |role: Role| (role, role.to_string());
        let workers = workers.into_iter().map(|name| (Role::Worker, name));
        [single(Role::Coordinator), single(Role::Onlooker)].into_iter().chain(workers).collect()
    }
}

/// An error if this is no name and no address of a computer.
fn check_host(host: &str) -> Result<(), InputError> {
    let label = |label: &str| {
        (1..=63).contains(&label.len()) && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    if host.parse::<IpAddr>().is_ok() || host.len() <= 253 && host.split('.').all(label) {
        return Ok(());
    }
    Err(InputError::malformed("host", host, "expected a name like teacher.local or an address like 192.168.1.10, without a port"))
}

/// The address of a server with TLS.
fn address(host: &str, port: u16) -> String {
    if host.contains(':') { format!("tls://[{host}]:{port}") } else { format!("tls://{host}:{port}") }
}

/// The certificates of a server. The key of the authority is not kept: no other certificate can be made in its name.
struct Certificates {
    authority: String,
    certificate: String,
    key: String,
}

impl Certificates {
    fn generate(hosts: &[String]) -> Result<Self, rcgen::Error> {
        let year = 1970 + (std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_secs()) / 31_556_952) as i32;
        let valid = |mut params: CertificateParams, name: &str| {
            // The clocks of a class may differ.
            (params.not_before, params.not_after) = (date_time_ymd(year - 1, 1, 1), date_time_ymd(year + YEARS, 1, 1));
            params.distinguished_name = DistinguishedName::new();
            params.distinguished_name.push(DnType::CommonName, name);
            params
        };
        let mut params = valid(CertificateParams::default(), "Plyground queue");
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
        let mut names = hosts.to_vec();
        names.extend(["localhost", "127.0.0.1", "::1"].map(str::to_owned).into_iter().filter(|name| !hosts.contains(name)));
        let mut params = valid(CertificateParams::new(names)?, "Plyground queue server");
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &authority)?;
        Ok(Self { authority: authority.pem(), certificate: certificate.pem(), key: key.serialize_pem() })
    }
}

/// A file that is to be written.
struct NewFile {
    path: PathBuf,
    text: String,
    secret: bool,
}

impl NewFile {
    fn public(path: PathBuf, text: String) -> Self {
        Self { path, text, secret: false }
    }

    fn secret(path: PathBuf, text: String) -> Self {
        Self { path, text, secret: true }
    }

    fn write(&self) -> io::Result<()> {
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if self.secret {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let mut file = options.open(&self.path)?;
        file.write_all(self.text.as_bytes())?;
        file.sync_all()
    }
}

/// Writes new files; none if one of them is there.
fn write_all(files: &[NewFile]) -> Result<(), RunError> {
    let there = |path: &Path| fs::symlink_metadata(path).is_ok();
    if let Some(file) = files.iter().find(|file| there(&file.path)) {
        let error = io::Error::new(io::ErrorKind::AlreadyExists, "it is there already and is not replaced");
        return Err(RunError::Write { file: file.path.clone(), error });
    }
    for (number, file) in files.iter().enumerate() {
        if let Err(error) = file.write() {
            // A file that another program has made meanwhile stays.
            let ours = if error.kind() == io::ErrorKind::AlreadyExists { number } else { number + 1 };
            files[..ours].iter().for_each(|file| drop(fs::remove_file(&file.path)));
            return Err(RunError::Write { file: file.path.clone(), error });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_have_names_and_hosts_are_checked() {
        let setup = |workers| QueueSetup { folder: "q".into(), hosts: Vec::new(), port: 4222, workers };
        let names = |workers| setup(workers).names().into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        assert_eq!(names(None), ["coordinator", "onlooker", "worker"]);
        assert_eq!(names(Some(2)), ["coordinator", "onlooker", "worker-1", "worker-2"]);
        assert_eq!(names(Some(30))[2..4], ["worker-01", "worker-02"]);
        for good in ["teacher", "teacher.local", "192.168.1.10", "::1", "a-b_c.d"] {
            check_host(good).unwrap();
        }
        for bad in ["", "a b", "host:4222", "tls://host", "a..b", "\"", "*", &"x".repeat(64)] {
            assert!(check_host(bad).is_err(), "{bad}");
        }
        assert_eq!((address("h", 1), address("::1", 2)), ("tls://h:1".to_owned(), "tls://[::1]:2".to_owned()));
    }
}
