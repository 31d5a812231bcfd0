//! `ply campaign GAME`: a large game, solved opening by opening.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read as _, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use plyground_session::{
    CampaignObserver, CampaignOptions, CampaignOrder, CampaignProgress, CampaignResult, GameValue, SolvedOpening, campaign, open,
};
use serde_json::{Value, json};

use crate::engines::CommandResources;
use crate::runs::threads;
use crate::store::{data_dir, knowledge_file, typed};
use plyground_args::{CampaignArgs, Global};
use plyground_terminal::{interrupt, print_json, wrapped};

/// The table is saved so often: so much is lost at most when the program is killed.
const SAVE_EVERY: Duration = Duration::from_mins(3);
/// The most bytes of the list of solved openings: a million of them.
const LARGEST_LIST: u64 = 1 << 28;

pub fn run(args: &CampaignArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let session = open(&args.game, None)?;
    let name = format!("{}-depth{}", session.spec().replace(':', "-"), args.depth);
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => data_dir(global)?.join("campaigns").join(name),
    };
    let mut files = Files::open(folder, &json!({"campaign": session.spec(), "depth": args.depth}))?;
    let (known, before) = files.known()?;
    let regions = knowledge_file(global, session.info().name).ok().filter(|path| path.exists());
    let regions = regions.map(|path| path.display().to_string());
    let mut table = File::open(files.table()).ok().map(BufReader::new);
    let options = CampaignOptions { depth: args.depth, threads: threads(args.threads), memory: args.memory as usize * 1_000_000 };
    let table = table.as_mut().map(|table| table as &mut dyn io::Read);
    let order = CampaignOrder { options, regions: regions.as_deref(), known: &known, table };
    interrupt::catch()?;
    let mut view = View {
        begin: Instant::now(),
        limit: args.time,
        saved: Instant::now(),
        began: vec![Instant::now(); options.threads],
        spent: before,
        count: known.len(),
        told: !(global.quiet || global.json),
        files,
        fault: None,
    };
    let (result, refused) = campaign(&args.game, order, &CommandResources, &mut view)?;
    if let Some(refused) = refused.filter(|_| view.told) {
        writeln!(io::stderr(), "{}: {refused}; begun without it", typed(&view.files.table()))?;
    }
    if let Some(fault) = view.fault {
        return Err(fault).with_context(|| format!("cannot write to {}", view.files.folder.display()));
    }
    if global.json {
        return print_json(out, &page(&result, view.begin.elapsed()));
    }
    write!(out, "{}", report(&session.spec(), session.info().players, &result))?;
    if !global.quiet {
        writeln!(out, "the solved openings are in {}", typed(&view.files.folder))?;
    }
    Ok(())
}

/// The folder of a campaign.
struct Files {
    folder: PathBuf,
    /// The list of solved openings; locked, so that two campaigns do not write into one.
    list: File,
}

impl Files {
    fn open(folder: PathBuf, heading: &Value) -> anyhow::Result<Self> {
        fs::create_dir_all(&folder).with_context(|| format!("cannot make the directory {}", folder.display()))?;
        let path = folder.join("openings.jsonl");
        let list = OpenOptions::new().read(true).append(true).create(true).open(&path);
        let list = list.with_context(|| format!("cannot open {}", path.display()))?;
        if list.try_lock().is_err() {
            bail!("{}: another campaign is at work on it", folder.display());
        }
        let mut files = Self { folder, list };
        let text = files.text()?;
        match text.split_once('\n').map(|(first, _)| serde_json::from_str::<Value>(first)) {
            None => {
                // Nothing, or a heading that was not written to its end.
                files.list.set_len(0)?;
                files.add(heading)?;
            }
            Some(Ok(found)) if found == *heading => {}
            Some(Ok(found)) => {
                bail!("{}: expected the list of {heading}, found that of {found}; it stays as it is", path.display())
            }
            Some(Err(_)) => bail!("{}: its first line does not say what the campaign is on; it stays as it is", path.display()),
        }
        Ok(files)
    }

    fn table(&self) -> PathBuf {
        self.folder.join("table")
    }

    fn text(&mut self) -> anyhow::Result<String> {
        let mut text = String::new();
        io::Seek::rewind(&mut self.list)?;
        (&self.list)
            .take(LARGEST_LIST)
            .read_to_string(&mut text)
            .with_context(|| format!("cannot read {}", self.folder.display()))?;
        Ok(text)
    }

    /// The openings that were solved before, and the time that they took. What a killed program has written of a last line is taken away.
    fn known(&mut self) -> anyhow::Result<(Vec<SolvedOpening>, Duration)> {
        let text = self.text()?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        self.list.set_len(whole as u64)?;
        let (mut known, mut seconds) = (Vec::new(), 0.0);
        for (number, line) in text[..whole].lines().enumerate().skip(1) {
            let place = || format!("{}, line {}", self.folder.join("openings.jsonl").display(), number + 1);
            let line: Value = serde_json::from_str(line).with_context(place)?;
            let worth =
                [GameValue::Loss, GameValue::Draw, GameValue::Win].into_iter().find(|value| line["value"] == value.word());
            let (Some(value), Some(opening)) = (worth, line["opening"].as_str()) else {
                bail!("{}: expected an opening with the value win, draw or loss, found {line}", place());
            };
            known.push(SolvedOpening { position: opening.to_owned(), value, nodes: line["nodes"].as_u64().unwrap_or(0) });
            seconds += line["seconds"].as_f64().unwrap_or(0.0).max(0.0);
        }
        Ok((known, Duration::try_from_secs_f64(seconds).unwrap_or_default()))
    }

    fn add(&mut self, line: &Value) -> io::Result<()> {
        self.list.write_all(format!("{line}\n").as_bytes())?;
        self.list.sync_data()
    }

    /// Writes the table beside the one that is there, and then in its place.
    fn save(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let part = self.folder.join("table.part");
        let mut file = BufWriter::new(File::create(&part)?);
        write(&mut file)?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(part, self.table())
    }
}

/// What is shown of a campaign, and what is kept.
struct View {
    begin: Instant,
    limit: Option<Duration>,
    /// When the table was saved last.
    saved: Instant,
    /// When each thread began with its opening.
    began: Vec<Instant>,
    /// The time that all solved openings took, and how many they are.
    spent: Duration,
    count: usize,
    told: bool,
    files: Files,
    fault: Option<io::Error>,
}

impl CampaignObserver for View {
    fn check(&mut self, _: usize, _: u64) -> ControlFlow<()> {
        let late = self.limit.is_some_and(|limit| self.begin.elapsed() >= limit);
        if late || interrupt::asked() || self.fault.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn begins(&mut self, thread: usize, _: &str) {
        self.began[thread] = Instant::now();
    }

    fn solved(&mut self, thread: usize, opening: &SolvedOpening, progress: CampaignProgress) {
        let time = self.began[thread].elapsed();
        self.spent += time;
        self.count += 1;
        let SolvedOpening { position, value, nodes } = opening;
        let line = json!({"opening": position, "value": value.word(), "nodes": nodes, "seconds": time.as_secs_f64()});
        self.fault = self.files.add(&line).err();
        if self.told {
            let average = self.spent / self.count as u32 / self.began.len() as u32;
            let [least, most] = [progress.at_least, progress.at_most].map(|left| shown(average * left as u32));
            let CampaignProgress { solved, openings, at_least, at_most } = progress;
            // The reader may have closed the pipe.
            let _ = writeln!(
                io::stderr(),
                "{position}: {} ({nodes} positions, {}); {solved} of {openings} solved, {at_least} to {at_most} left: {least} to {most} at this rate",
                value.word(),
                shown(time)
            );
        }
    }

    fn wants_table(&mut self) -> bool {
        self.saved.elapsed() >= SAVE_EVERY
    }

    fn save(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        self.saved = Instant::now();
        // Without a table, less is known later; the openings are what counts.
        let _ = self.files.save(write);
    }
}

/// A time in words, such as 3 h 20 min.
fn shown(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7_200 => format!("{} min", seconds / 60),
        seconds => format!("{} h {} min", seconds / 3_600, seconds / 60 % 60),
    }
}

fn page(result: &CampaignResult, time: Duration) -> Value {
    let CampaignResult { value, moves, progress } = result;
    let word = |value: Option<GameValue>| value.map(GameValue::word);
    json!({
        "value": word(*value),
        "moves": moves.iter().map(|(mv, value)| (mv.clone(), word(*value).into())).collect::<serde_json::Map<_, _>>(),
        "solved": progress.solved,
        "openings": progress.openings,
        "at_least": progress.at_least,
        "at_most": progress.at_most,
        "seconds": time.as_secs_f64(),
    })
}

/// What is known, in words.
fn report(spec: &str, [first, second]: [&str; 2], result: &CampaignResult) -> String {
    let CampaignProgress { solved, openings, at_least, at_most } = result.progress;
    let worth = match result.value {
        Some(GameValue::Win) => format!("{first} wins"),
        Some(GameValue::Draw) => "it is a draw".to_owned(),
        Some(GameValue::Loss) => format!("{second} wins"),
        None => format!("not solved: {at_least} to {at_most} openings are left"),
    };
    let mut text = format!("{spec}: {worth}\n{solved} of {openings} openings are solved\n");
    for (value, words) in [(GameValue::Win, "win"), (GameValue::Draw, "draw"), (GameValue::Loss, "lose")] {
        let moves: Vec<&str> = result.moves.iter().filter(|mv| mv.1 == Some(value)).map(|mv| mv.0.as_str()).collect();
        if !moves.is_empty() {
            text += &format!("moves that {words}:\n{}\n", wrapped(&moves.join(" "), "  "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        for (seconds, text) in [(0, "0 s"), (119, "119 s"), (121, "2 min"), (7_260, "2 h 1 min")] {
            assert_eq!(shown(Duration::from_secs(seconds)), text);
        }
    }
}
