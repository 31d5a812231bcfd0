//! What a confined program sees of this computer: its files, and its environment.

use std::fs;
use std::path::{Path, PathBuf};

/// Programs, libraries and headers, without `/usr/local`, `/usr/games`, `/usr/share` and `/usr/src`: what was installed by hand is not there.
const SYSTEM: [&str; 7] = ["/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/usr/libexec", "/usr/include"];
/// Folders at the root, which are links into `/usr` on most systems.
const LINKS: [&str; 4] = ["/bin", "/lib", "/lib32", "/lib64"];
/// Settings that compilers and runtimes read.
const SETTINGS: [&str; 2] = ["/etc/alternatives", "/etc/ld.so.cache"];
/// The settings of Java have a version in their name.
const JAVA: &str = "java";

/// The devices that a program may need.
pub const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// The environment of a confined program.
pub const ENVIRONMENT: [(&str, &str); 4] = [("PATH", "/usr/bin:/bin"), ("HOME", "/tmp"), ("TMPDIR", "/tmp"), ("LANG", "C.UTF-8")];

/// A part of the read-only file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Visible {
    /// A file or a folder of this computer, at its own place.
    Same(PathBuf),
    /// A link.
    Link { place: PathBuf, target: PathBuf },
}

/// All that is visible beside the folder of the program, `/proc`, `/dev` and `/tmp`.
pub fn visible(more: &[PathBuf]) -> Vec<Visible> {
    let there = |path: &&&str| Path::new(path).exists();
    let mut all: Vec<Visible> = SYSTEM.iter().chain(&SETTINGS).filter(there).map(|path| Visible::Same(path.into())).collect();
    for place in LINKS.iter().filter(there) {
        all.push(match fs::read_link(place) {
            Ok(target) => Visible::Link { place: place.into(), target },
            Err(_) => Visible::Same(place.into()),
        });
    }
    let settings = fs::read_dir("/etc").into_iter().flatten().flatten().map(|entry| entry.path());
    let is_java = |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(JAVA));
    all.extend(settings.filter(is_java).map(Visible::Same));
    all.extend(more.iter().cloned().map(Visible::Same));
    all
}

/// The folders above a path, from the top, without the root.
pub fn parents(path: &Path) -> Vec<PathBuf> {
    let mut above: Vec<PathBuf> =
        path.ancestors().skip(1).filter(|part| *part != Path::new("/") && *part != Path::new("")).map(Path::to_owned).collect();
    above.reverse();
    above
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_installed_by_hand_is_not_visible() {
        let all = visible(&["/opt/rust".into()]);
        assert!(all.contains(&Visible::Same("/usr/bin".into())) && all.contains(&Visible::Same("/opt/rust".into())), "{all:?}");
        for hidden in ["/usr", "/usr/local", "/usr/games", "/home", "/root", "/etc", "/var", "/tmp"] {
            assert!(!all.contains(&Visible::Same(hidden.into())), "{hidden}");
        }
    }

    #[test]
    fn folders_above_come_from_the_top() {
        assert_eq!(parents(Path::new("/usr/lib/x")), [PathBuf::from("/usr"), PathBuf::from("/usr/lib")]);
        assert!(parents(Path::new("/bin")).is_empty());
    }
}
