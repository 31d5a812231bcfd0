//! Networks and other files of agents, addressed by the hash of their contents.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use plyground_core::sync::lock;
use plyground_core::{InputError, Resources};
use plyground_match::{NETWORKS, RunError, write_whole};

use crate::broker::Broker;
use crate::names::ContentHash;

/// The largest file of an agent that is sent, read and kept.
const LARGEST_FILE: usize = 256 << 20;

impl Broker {
    /// Uploads a file to the object store, unless it is there; its hash.
    pub(super) async fn put_file(&self, contents: &[u8]) -> Result<ContentHash, RunError> {
        if contents.len() > LARGEST_FILE {
            let found = contents.len();
            return Err(self.refused(format!("expected a file of at most {LARGEST_FILE} bytes for the workers, found {found}")));
        }
        let name = ContentHash::of(contents);
        let objects = self.objects();
        if objects.object_size(name.to_string()).await == Ok(Some(contents.len())) {
            return Ok(name);
        }
        self.retry(&self.patience(), || objects.put_object(name.to_string(), contents)).await?;
        Ok(name)
    }

    /// Deletes a file from the object store.
    pub(super) fn drop_file(&self, hash: &ContentHash) {
        let _ = self.wait(self.objects().drop_object(hash.to_string()));
    }

    /// A file from the object store. It says itself how large it is, so not more than the largest is read.
    fn get_file(&self, hash: &ContentHash) -> Result<Vec<u8>, RunError> {
        let get = || self.objects().get_object(hash.to_string(), LARGEST_FILE + 1);
        self.wait(self.retry(&self.patience(), get))
    }
}

/// A folder of downloaded files, named by their hashes.
#[derive(Clone)]
pub struct Cache {
    broker: Arc<Broker>,
    folder: PathBuf,
    /// Held by the thread that downloads; the others wait for it.
    downloading: Arc<Mutex<()>>,
    /// The files that this process has written, and that it may delete.
    written: Arc<Mutex<HashSet<ContentHash>>>,
}

impl Cache {
    pub fn new(broker: Arc<Broker>, folder: PathBuf) -> Self {
        Self { broker, folder, downloading: Arc::default(), written: Arc::default() }
    }

    /// The contents with this hash: from the program itself, the folder, or the object store.
    pub fn get(&self, wanted: &ContentHash) -> Result<Vec<u8>, RunError> {
        if let Some(network) = NETWORKS.iter().find(|network| ContentHash::of(network.file) == *wanted) {
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
        let found = ContentHash::of(&contents);
        if found != *wanted {
            return Err(self.broker.refused(format!("expected a file with the hash {wanted}, found one with {found}")));
        }
        self.keep(wanted, &contents);
        Ok(contents)
    }

    /// Deletes a file that is not needed any more, if it is one that this process has written.
    pub fn forget(&self, hash: &ContentHash) {
        if lock(&self.written).remove(hash) {
            let _ = std::fs::remove_file(self.path(hash));
        }
    }

    /// The file of a hash: always directly in the folder, since a hash is nothing but digits.
    fn path(&self, hash: &ContentHash) -> PathBuf {
        self.folder.join(hash.as_str())
    }

    /// Writes a file. A folder that cannot be written to costs only another download.
    fn keep(&self, hash: &ContentHash, contents: &[u8]) {
        let path = self.path(hash);
        // What is there under this name and is no file (a link, a pipe) stays as it is.
        let replaceable = std::fs::symlink_metadata(&path).map_or(true, |found| found.is_file());
        if replaceable && std::fs::create_dir_all(&self.folder).is_ok() && write_whole(&path, contents).is_ok() {
            lock(&self.written).insert(hash.clone());
        }
    }

    /// The file in the folder; none if its contents have another hash (then it is downloaded again).
    fn kept(&self, wanted: &ContentHash) -> Option<Vec<u8>> {
        read_regular(&self.path(wanted)).filter(|contents| ContentHash::of(contents) == *wanted)
    }
}

/// The contents of a regular file of a size that is allowed: no link is followed, no pipe or device is opened.
fn read_regular(path: &Path) -> Option<Vec<u8>> {
    let fits = |found: std::fs::Metadata| found.is_file() && found.len() <= LARGEST_FILE as u64;
    if !std::fs::symlink_metadata(path).is_ok_and(fits) {
        return None;
    }
    let file = File::open(path).ok()?;
    let mut contents = Vec::new();
    file.metadata().is_ok_and(fits).then_some(())?;
    file.take(LARGEST_FILE as u64).read_to_end(&mut contents).ok()?;
    Some(contents)
}

/// The files of the agents of one run, by the names in their specs. No other file of the worker's machine can be read.
pub struct RunResources {
    pub cache: Cache,
    pub hashes: BTreeMap<String, ContentHash>,
}

impl Resources for RunResources {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        let Some(hash) = self.hashes.get(name) else {
            return Err(InputError::malformed("file", name, "the coordinator has sent no such file"));
        };
        self.cache.get(hash).map_err(|error| InputError::malformed("file", name, error.to_string()))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_read() {
        let folder = std::env::temp_dir().join(format!("plyground-cache-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (file, link, pipe) = (folder.join("file"), folder.join("link"), folder.join("pipe"));
        std::fs::write(&file, b"contents").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success());
        assert_eq!(read_regular(&file).unwrap(), b"contents");
        assert!(read_regular(&link).is_none() && read_regular(&folder).is_none());
        // Opening a pipe that no process writes to would take for ever.
        assert!(!made || read_regular(&pipe).is_none());
        assert!(read_regular(Path::new("/dev/zero")).is_none());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
