//! Networks and other files that agents read travel by the hash of what is in them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use plyground_core::sync::lock;
use plyground_core::{InputError, Resources};
use plyground_match::{NETWORKS, RunError, hash, write_whole};
use tokio::io::AsyncReadExt as _;

use crate::broker::Broker;

impl Broker {
    /// Puts a file where workers find it, unless it is there; its hash.
    pub(super) fn put_file(&self, contents: &[u8]) -> Result<String, RunError> {
        let name = hash(contents);
        self.wait(async {
            let files = self.files().await?;
            if files.info(&name).await.is_ok_and(|info| !info.deleted && info.size == contents.len()) {
                return Ok(name);
            }
            let begun = Instant::now();
            let put = || async {
                let mut contents = contents;
                files.put(name.as_str(), &mut contents).await
            };
            self.insist(&Self::patience(begun), put).await?;
            Ok(name)
        })
    }

    /// Nobody needs a file any more.
    pub(super) fn drop_file(&self, hash: &str) {
        self.wait(async {
            if let Ok(files) = self.files().await {
                let _ = files.delete(hash).await;
            }
        });
    }

    fn get_file(&self, hash: &str) -> Result<Vec<u8>, RunError> {
        self.wait(async {
            let files = self.files().await?;
            let begun = Instant::now();
            let get = || async {
                let mut object = files.get(hash).await.map_err(|error| error.to_string())?;
                let mut contents = Vec::new();
                object.read_to_end(&mut contents).await.map_err(|error| error.to_string())?;
                Ok::<_, String>(contents)
            };
            self.insist(&Self::patience(begun), get).await
        })
    }
}

/// Files that were fetched once, in a folder, under their hashes.
#[derive(Clone)]
pub struct Cache {
    broker: Arc<Broker>,
    folder: PathBuf,
    /// One thread fetches, the others wait for it.
    turn: Arc<Mutex<()>>,
}

impl Cache {
    pub fn new(broker: Arc<Broker>, folder: PathBuf) -> Self {
        Self { broker, folder, turn: Arc::default() }
    }

    /// What has this hash: part of the program, in the folder, or with the broker.
    pub fn get(&self, wanted: &str) -> Result<Vec<u8>, RunError> {
        if let Some(network) = NETWORKS.iter().find(|network| hash(network.file) == wanted) {
            return Ok(network.file.to_vec());
        }
        if let Some(contents) = self.kept(wanted) {
            return Ok(contents);
        }
        let _turn = lock(&self.turn);
        // Somebody else may have fetched it meanwhile.
        if let Some(contents) = self.kept(wanted) {
            return Ok(contents);
        }
        let contents = self.broker.get_file(wanted)?;
        let found = hash(&contents);
        if found != wanted {
            return Err(self.broker.refused(format!("expected a file with the hash {wanted}, found one with {found}")));
        }
        // A folder that cannot be written to costs nothing but time.
        let _ = std::fs::create_dir_all(&self.folder).is_ok() && write_whole(&self.folder.join(wanted), &contents).is_ok();
        Ok(contents)
    }

    /// Forgets a file that will not be asked for again.
    pub fn forget(&self, hash: &str) {
        let _ = std::fs::remove_file(self.folder.join(hash));
    }

    /// What is in the folder; a file that was damaged since is fetched again.
    fn kept(&self, wanted: &str) -> Option<Vec<u8>> {
        std::fs::read(self.folder.join(wanted)).ok().filter(|contents| hash(contents) == wanted)
    }
}

/// The files that the agents of a run read, by the names that their specs have for them. Nothing else on this computer is read.
pub struct RunShelf {
    pub cache: Cache,
    pub hashes: BTreeMap<String, String>,
}

impl Resources for RunShelf {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        let Some(hash) = self.hashes.get(name) else {
            return Err(InputError::malformed("file", name, "the coordinator has sent no such file"));
        };
        self.cache.get(hash).map_err(|error| InputError::malformed("file", name, error.to_string()))
    }
}
