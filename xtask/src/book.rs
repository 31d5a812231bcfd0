//! The book in `docs/`: `cargo xtask book` builds it with mdBook, and `cargo xtask test` checks its pages.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::CommandFactory as _;

use crate::Cli;
use crate::doc_names::Declared;
use crate::process::{self, cargo};
use crate::promises;
use crate::workspace::Workspace;

const MDBOOK: &str = "mdbook";
/// The version that is installed where there is none.
const VERSION: &str = "0.5.4";
/// How long installing it may take; on two busy cores it takes some minutes.
const PATIENCE: Duration = Duration::from_mins(20);

/// Builds the book into the folder that `book.toml` names.
pub fn run() -> Result<()> {
    let workspace = Workspace::load()?;
    check_pages(&workspace.root)?;
    let out = workspace.target.join("book");
    process::run(Command::new(mdbook(&workspace)?).arg("build").arg("--dest-dir").arg(&out).arg(&workspace.root))?;
    println!("the book: {}", out.join("index.html").display());
    Ok(())
}

/// The mdBook on the path, or one in the target folder, which is installed there if it is missing.
fn mdbook(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(found) = process::find(MDBOOK) {
        return Ok(found);
    }
    let tools = workspace.target.join("tools");
    let program = tools.join("bin").join(MDBOOK).with_extension(std::env::consts::EXE_EXTENSION);
    if !program.is_file() {
        println!("mdBook is missing: installing version {VERSION} into {}", tools.display());
        let mut install = cargo();
        install.args(["install", MDBOOK, "--locked", "--version", VERSION, "--no-default-features", "--features", "search"]);
        process::run_within(install.arg("--root").arg(&tools), PATIENCE).with_context(|| {
            format!("mdBook could not be installed; `cargo install mdbook --version {VERSION}` does it by hand")
        })?;
    }
    Ok(program)
}

/// Checks that every relative link and anchor of the pages resolves, that pages of the book link to nothing outside of it, that all
/// are in its summary, that every `cargo xtask` command, type and file that they name exists, and that every promise has its tests.
pub fn check_pages(root: &Path) -> Result<()> {
    let pages = pages(root)?;
    let declared = Declared::read(root)?;
    let mut faults = Vec::new();
    for page in &pages {
        faults.extend(
            page.links.iter().filter_map(|link| Some(format!("{}: {}", page.name.display(), fault(root, &pages, page, link)?))),
        );
        let unknown = page.tasks.iter().filter(|task| Cli::command().find_subcommand(task).is_none());
        faults.extend(unknown.map(|task| format!("{}: there is no `cargo xtask {task}`", page.name.display())));
        // The list of changes names what is gone.
        if page.name != Path::new(CHANGES) {
            let unknown = page.code.iter().flat_map(|code| declared.unknown(root, code));
            faults.extend(unknown.map(|name| format!("{}: there is no {name}", page.name.display())));
        }
    }
    faults.extend(unlisted(&pages));
    faults.extend(promises::faults(root)?);
    if faults.is_empty() {
        println!("{} pages with {} links", pages.len(), pages.iter().map(|page| page.links.len()).sum::<usize>());
        return Ok(());
    }
    bail!("{}", faults.join("\n"))
}

const BOOK: &str = "docs";
const CHANGES: &str = "CHANGELOG.md";

/// A Markdown file.
#[derive(Default)]
struct Page {
    /// Its path from the root.
    name: PathBuf,
    links: Vec<String>,
    anchors: HashSet<String>,
    /// Its inline code.
    code: Vec<String>,
    /// The subcommands of `cargo xtask` that it names.
    tasks: Vec<String>,
}

/// The pages for people: those of the root and of the book.
fn pages(root: &Path) -> Result<Vec<Page>> {
    let mut names: Vec<PathBuf> = ["README.md", "CONTRIBUTING.md", "SECURITY.md", CHANGES].map(PathBuf::from).to_vec();
    let mut folders = vec![PathBuf::from(BOOK)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).with_context(|| format!("{} cannot be read", folder.display()))? {
            let name = folder.join(entry?.file_name());
            if root.join(&name).is_dir() {
                folders.push(name);
            } else if name.extension().is_some_and(|ending| ending == "md") {
                names.push(name);
            }
        }
    }
    names.sort();
    let read = |name: PathBuf| {
        let text = fs::read_to_string(root.join(&name)).with_context(|| format!("{} cannot be read", name.display()))?;
        Ok(Page { name, ..Page::parse(&text) })
    };
    names.into_iter().map(read).collect()
}

impl Page {
    fn parse(text: &str) -> Self {
        let mut page = Self { tasks: tasks(text), ..Self::default() };
        let mut repeated: HashMap<String, usize> = HashMap::new();
        let mut fence = None;
        // Inline code may go on in the next line of its paragraph.
        let mut paragraph = String::new();
        for line in text.lines() {
            let start = line.trim_start();
            let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
            match (fence, mark) {
                (None, Some(_)) => fence = mark,
                (Some(open), _) if mark == Some(open) => fence = None,
                (Some(_), _) => {}
                (None, None) if line.is_empty() => page.add(&std::mem::take(&mut paragraph)),
                (None, None) => {
                    if let Some(title) = heading(line) {
                        let anchor = anchor(title);
                        let before = repeated.entry(anchor.clone()).and_modify(|count| *count += 1).or_insert(0);
                        page.anchors.insert(if *before == 0 { anchor } else { format!("{anchor}-{before}") });
                    }
                    paragraph.push_str(line);
                    paragraph.push('\n');
                }
            }
        }
        page.add(&paragraph);
        page
    }

    fn add(&mut self, paragraph: &str) {
        self.links.extend(links(paragraph));
        self.code.extend(paragraph.split('`').skip(1).step_by(2).map(str::to_owned));
    }
}

/// The text of a heading.
fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    (1..=6).contains(&level).then(|| title.strip_prefix(' ')).flatten()
}

/// What a heading is called in a link, on code hosts and in mdBook: letters, digits, `-` and `_` stay, spaces become `-`.
fn anchor(title: &str) -> String {
    let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The targets of links and pictures in a paragraph, those in inline code left out.
fn links(paragraph: &str) -> Vec<String> {
    let plain: String = paragraph.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let behind = |mark: &str, end: char| {
        plain.split(mark).skip(1).filter_map(|rest| Some(rest.split_once(end)?.0.to_owned())).collect::<Vec<_>>()
    };
    [behind("](", ')'), behind("src=\"", '"'), behind("href=\"", '"')].concat()
}

/// The subcommands of `cargo xtask` in a text.
fn tasks(text: &str) -> Vec<String> {
    let word = |rest: &str| rest.split(|c: char| !c.is_ascii_lowercase() && c != '-').next().map(str::to_owned);
    text.split("cargo xtask ").skip(1).filter_map(word).filter(|task| !task.is_empty()).collect()
}

/// What is wrong with a link, if anything is.
fn fault(root: &Path, pages: &[Page], page: &Page, link: &str) -> Option<String> {
    if ["http://", "https://", "mailto:"].iter().any(|scheme| link.starts_with(scheme)) {
        return None;
    }
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    let folder = page.name.parent().unwrap_or(Path::new(""));
    let target = if path.is_empty() { page.name.clone() } else { plain(&folder.join(path)) };
    if !root.join(&target).exists() {
        return Some(format!("{link} leads to nothing"));
    }
    if page.name.starts_with(BOOK) && !target.starts_with(BOOK) {
        return Some(format!("{link} leaves the book, where it would be broken: name the file instead"));
    }
    let other = pages.iter().find(|other| other.name == target);
    let missing = anchor.filter(|anchor| !other.is_some_and(|other| other.anchors.contains(*anchor)));
    missing.map(|anchor| format!("{link}: there is no heading for #{anchor}"))
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, component| {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
        plain
    })
}

/// The pages of the book that its summary does not name.
fn unlisted(pages: &[Page]) -> Vec<String> {
    let summary = Path::new(BOOK).join("SUMMARY.md");
    let links = pages.iter().filter(|page| page.name == summary).flat_map(|page| &page.links);
    let listed: HashSet<PathBuf> = links.map(|link| plain(&Path::new(BOOK).join(link))).collect();
    let book = pages.iter().filter(|page| page.name.starts_with(BOOK) && page.name != summary);
    let missing = book.filter(|page| !listed.contains(&page.name));
    missing.map(|page| format!("{}: it is not in {}", page.name.display(), summary.display())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_of_this_repository_name_what_exists() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the workspace");
        check_pages(root).unwrap();
    }

    #[test]
    fn headings_are_called_as_code_hosts_call_them() {
        assert_eq!(anchor("1. One `Move` type, for moves and for chance"), "1-one-move-type-for-moves-and-for-chance");
        assert_eq!(anchor("Is it right, is it fast?"), "is-it-right-is-it-fast");
        assert_eq!(heading("### 3. Game"), Some("3. Game"));
        assert_eq!(heading("#no heading"), None);
    }

    #[test]
    fn links_are_found_and_code_is_not() {
        let page = Page::parse(
            "# A\n# A\n[x](a.md#b) and ![y](p.svg), `[z](no.md)`\n```sh\n[q](no.md)\n# no heading\n```\n<img src=\"p.png\">\n\
             `cargo xtask test --list`",
        );
        assert_eq!(page.links, ["a.md#b", "p.svg", "p.png"]);
        assert_eq!(page.anchors, ["a", "a-1"].map(str::to_owned).into());
        assert_eq!(page.code, ["[z](no.md)", "cargo xtask test --list"]);
        assert_eq!(page.tasks, ["test"]);
    }

    #[test]
    fn what_is_wrong_with_a_link_is_said() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let page = Page { name: PathBuf::from("src/main.rs"), anchors: HashSet::from(["here".to_owned()]), ..Page::default() };
        let pages = [page];
        let fault = |link: &str| fault(root, &pages, &pages[0], link);
        assert_eq!(fault("https://example.org"), None);
        assert_eq!(fault("main.rs"), None);
        assert_eq!(fault("../Cargo.toml"), None);
        assert_eq!(fault("#here"), None);
        assert_eq!(fault("#gone").as_deref(), Some("#gone: there is no heading for #gone"));
        assert_eq!(fault("nothing.md").as_deref(), Some("nothing.md leads to nothing"));
    }

    #[test]
    fn a_page_of_the_book_stays_in_it_and_is_listed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the workspace");
        let page = Page { name: PathBuf::from("docs/new.md"), ..Page::default() };
        assert!(fault(root, &[], &page, "../README.md").is_some_and(|fault| fault.contains("leaves the book")));
        assert_eq!(unlisted(&[page]), ["docs/new.md: it is not in docs/SUMMARY.md"]);
    }
}
