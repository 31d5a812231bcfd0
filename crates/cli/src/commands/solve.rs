//! `ply solve GAME`: who wins when both play perfectly.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write};
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use plyground_session::{GameValue, Session, SolveOrder, Solved, Turn, open, tablebase_spec};
use serde_json::json;

use crate::engines::CommandResources;
use crate::store::{data_dir, knowledge_file, typed, write_whole};
use plyground_args::{Global, SolveArgs};
use plyground_terminal::{SolverView, print_json, wrapped};

pub fn run(args: &SolveArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let session = open(&args.place.game, args.place.position.as_deref())?;
    let files = Kept::new(args, global, session.as_ref());
    // Before hours are spent on it.
    files.check_target(&session.spec())?;
    let order = SolveOrder {
        method: args.method.clone(),
        memory: args.memory as usize,
        tablebase: files.read.as_ref().map(|path| path.display().to_string()),
        regions: knowledge_file(global, session.info().name)
            .ok()
            .filter(|path| path.exists())
            .map(|path| path.display().to_string()),
        keep: args.keep,
        // In the usual place, a file is only a memory for runs to come.
        strategy: args.save.is_some(),
    };
    let mut view = SolverView::new(args.time, global.quiet || global.json)?;
    let solved = match session.solve(&order, &CommandResources, &mut view) {
        // What an earlier run has kept helps where it can be read, and was not asked for.
        Err(_) if args.tb.is_none() && (order.tablebase.is_some() || order.regions.is_some()) => {
            session.solve(&SolveOrder { tablebase: None, regions: None, ..order }, &CommandResources, &mut view)
        }
        solved => solved,
    }?;
    let seconds = view.elapsed().as_secs_f64();
    view.finish();
    let kept = files.keep(&solved, &session.spec())?;
    if global.json {
        return print_json(out, &page(&solved, seconds));
    }
    write!(out, "{}", report(session.as_ref(), &solved))?;
    let rate = solved.nodes as f64 / seconds.max(1e-9);
    writeln!(out, "{} positions in {seconds:.3} s, {rate:.0} a second", solved.nodes)?;
    if let Some(path) = kept.filter(|_| !global.quiet) {
        writeln!(out, "{} solved positions are kept in {}", solved.kept, typed(&path))?;
        if args.save.is_some() {
            writeln!(out, "{}", if solved.whole { WHOLE } else { PART })?;
        }
    }
    Ok(())
}

const WHOLE: &str = "they hold a best reply to everything that the opponent can do";
const PART: &str = "they are not the whole strategy: the position is not solved, it was stopped, or --keep is too small";

/// Less than this is found again sooner than a file is read.
const WORTH_KEEPING: u64 = 10_000;

/// More bytes than the header of a tablebase has.
const HEADER: u64 = 2_000;

/// Where tablebases are read from and written to.
struct Kept {
    read: Option<PathBuf>,
    write: Option<PathBuf>,
    /// Was the file to write asked for, or is it only the usual place?
    asked: bool,
}

impl Kept {
    fn new(args: &SolveArgs, global: &Global, session: &dyn Session) -> Self {
        let name: String = session.spec().chars().map(|c| if c == ':' { '-' } else { c }).collect();
        let usual = data_dir(global).ok().map(|dir| dir.join("solved").join(name + ".plytb"));
        let before = usual.clone().filter(|path| !args.fresh && path.exists());
        Self { read: args.tb.clone().or(before), write: args.save.clone().or(usual), asked: args.save.is_some() }
    }

    /// An error if the file that was asked for is there and is no tablebase of this game: it would be lost.
    fn check_target(&self, spec: &str) -> anyhow::Result<()> {
        let Some(path) = self.write.as_ref().filter(|path| self.asked && path.is_file()) else { return Ok(()) };
        let mut header = Vec::new();
        fs::File::open(path)
            .and_then(|file| file.take(HEADER).read_to_end(&mut header))
            .with_context(|| format!("cannot read {}", path.display()))?;
        let found = match tablebase_spec(&header) {
            _ if header.is_empty() => return Ok(()),
            Some(found) if found == spec => return Ok(()),
            Some(found) => format!("one of {found}"),
            None => "something else".to_owned(),
        };
        bail!("{}: expected a tablebase of {spec} or no file, found {found}; it stays as it is", path.display())
    }

    /// Keeps what was found, and gives the name of the file. Where no file was asked for, nothing is lost when it cannot be
    /// written.
    fn keep(&self, solved: &Solved, spec: &str) -> anyhow::Result<Option<PathBuf>> {
        let Some(path) = self.write.as_ref().filter(|_| self.asked || solved.nodes >= WORTH_KEEPING) else { return Ok(None) };
        if !self.asked {
            let parent = path.parent().map_or(Ok(()), fs::create_dir_all);
            let written = parent.map_err(anyhow::Error::from).and_then(|()| Ok(write_whole(path, &solved.tablebase)?));
            return Ok(written.ok().map(|()| path.clone()));
        }
        self.check_target(spec)?;
        write_whole(path, &solved.tablebase)?;
        Ok(Some(path.clone()))
    }
}

fn page(solved: &Solved, seconds: f64) -> serde_json::Value {
    let worth = solved.value();
    let mut page = json!({
        "value": worth.map(GameValue::word),
        "best": solved.best,
        "plies": worth.map(|_| solved.plies),
        "nodes": solved.nodes,
        "seconds": seconds,
        "line": solved.line,
        "plies_exact": worth.map(|_| solved.plies_exact),
        "line_exact": worth.map(|_| solved.line_exact),
    });
    if worth.is_some() && solved.best.is_some() {
        // What each move is worth to the player who makes it, where that is known.
        let moves = solved.moves.iter().map(|(mv, value)| (mv.clone(), value.map(GameValue::word).into()));
        page["moves"] = moves.collect::<serde_json::Map<_, _>>().into();
    }
    if worth.is_none() {
        page["at_least"] = solved.bounds.least.word().into();
        page["at_most"] = solved.bounds.most.word().into();
    }
    page
}

/// What was found, in words.
fn report(session: &dyn Session, solved: &Solved) -> String {
    let players = session.info().players;
    let Turn::Player(mover) = session.turn() else {
        return format!("the game is over: {}\n", session.why_over());
    };
    let (name, other) = (players[mover.index()], players[mover.other().index()]);
    let worth = match (solved.value(), solved.bounds.least, solved.bounds.most) {
        (Some(GameValue::Win), ..) => format!("{name} is to move and wins"),
        (Some(GameValue::Loss), ..) => format!("{name} is to move, and {other} wins"),
        (Some(GameValue::Draw), ..) => format!("{name} is to move, and it is a draw"),
        (None, GameValue::Draw, _) => format!("not solved; {name}, who is to move, has at least a draw"),
        (None, _, GameValue::Draw) => format!("not solved; {name}, who is to move, has at most a draw"),
        (None, ..) => "not solved".to_owned(),
    };
    let mut text = format!("{}: {worth}\n", session.spec());
    if let Some(worth) = solved.value() {
        let plies = if solved.plies == 1 { "1 ply".to_owned() } else { format!("{} plies", solved.plies) };
        let length = match worth {
            _ if solved.plies_exact && (solved.line_exact || solved.line.is_empty()) => {
                format!("the game lasts {plies} with best play on both sides")
            }
            _ if solved.plies_exact => {
                format!("the game lasts {plies} with best play on both sides; a line in which the winner wins, not the longest")
            }
            GameValue::Draw => format!("a line of best play, {plies}"),
            GameValue::Win | GameValue::Loss => {
                format!("a line of best play, {plies} (the exact length of the game was not found)")
            }
        };
        writeln!(text, "{length}:").expect("writing to a string");
        text += &wrapped(&solved.line.join(" "), "  ");
        text.push('\n');
    }
    text
}
