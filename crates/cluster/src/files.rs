//! Networks and other files of agents, addressed by the hash of their contents.

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
    /// Uploads a file to the object store, unless it is there; its hash.
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
            self.retry(&Self::patience(begun), put).await?;
            Ok(name)
        })
    }

    /// Deletes a file from the object store.
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
            self.retry(&Self::patience(begun), get).await
        })
    }
}

/// A folder of downloaded files, named by their hashes.
#[derive(Clone)]
pub struct Cache {
    broker: Arc<Broker>,
    folder: PathBuf,
    /// Held by the thread that downloads; the others wait for it.
    downloading: Arc<Mutex<()>>,
}

impl Cache {
    pub fn new(broker: Arc<Broker>, folder: PathBuf) -> Self {
        Self { broker, folder, downloading: Arc::default() }
    }

    /// The contents with this hash: from the program itself, the folder, or the object store.
    pub fn get(&self, wanted: &str) -> Result<Vec<u8>, RunError> {
        if let Some(network) = NETWORKS.iter().find(|network| hash(network.file) == wanted) {
            return Ok(network.file.to_vec());
        }
        if let Some(contents) = self.kept(wanted) {
            return Ok(contents);
        }
        let _downloading = lock(&self.downloading);
        // Another thread may have downloaded it meanwhile.
        if let Some(contents) = self.kept(wanted) {
            return Ok(contents);
        }
        let contents = self.broker.get_file(wanted)?;
        let found = hash(&contents);
        if found != wanted {
            return Err(self.broker.refused(format!("expected a file with the hash {wanted}, found one with {found}")));
        }
        // A folder that cannot be written to costs only another download.
        let _ = std::fs::create_dir_all(&self.folder).is_ok() && write_whole(&self.folder.join(wanted), &contents).is_ok();
        Ok(contents)
    }

    /// Deletes a file that is not needed any more.
    pub fn forget(&self, hash: &str) {
        let _ = std::fs::remove_file(self.folder.join(hash));
    }

    /// The file in the folder; none if its contents have another hash (then it is downloaded again).
    fn kept(&self, wanted: &str) -> Option<Vec<u8>> {
        std::fs::read(self.folder.join(wanted)).ok().filter(|contents| hash(contents) == wanted)
    }
}

/// The files of the agents of one run, by the names in their specs. No other file of the worker's machine can be read.
pub struct RunResources {
    pub cache: Cache,
    pub hashes: BTreeMap<String, String>,
}

impl Resources for RunResources {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        let Some(hash) = self.hashes.get(name) else {
            return Err(InputError::malformed("file", name, "the coordinator has sent no such file"));
        };
        self.cache.get(hash).map_err(|error| InputError::malformed("file", name, error.to_string()))
    }
}
