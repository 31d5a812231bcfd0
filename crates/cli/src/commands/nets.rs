//! `ply nets`: what networks there are, what they are made of, how fast and how strong they are.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context, bail};
use plyground_core::sync::lock;
use plyground_match::{FileResources, NETWORKS, machine};
use plyground_nets::weights::Header;
use plyground_nets::{Layer, Network, onnx};
use plyground_session::{InputError, Resources as _};
use plyground_train::{ANCHORS, Measured, Trial, evaluations_per_second, header_game, measure, read_network};
use serde_json::{Value, json};

use crate::store::write_whole;
use plyground_args::{Global, MeasureNetArgs, NetsAction, NetsArgs};
use plyground_terminal::interrupt;
use plyground_terminal::{Lean, columns, count, print_json};
use plyground_terminal::{LiveText, bar};

pub fn run(args: &NetsArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    match &args.action {
        None => list(&found(&args.files)?, global, out),
        Some(NetsAction::Verify { networks }) => verify(&found(networks)?, global, out),
        Some(NetsAction::Measure(measure)) => measured(measure, global, out),
        Some(NetsAction::Export { network, out: file, onnx }) => {
            export(network, onnx_file(file.as_deref(), onnx.as_deref())?, global, out)
        }
    }
}

/// A network file, whether it can be used or not.
struct File {
    name: String,
    bytes: usize,
    network: Result<(Header, Network), InputError>,
}

impl File {
    fn read(name: &str) -> Self {
        let contents = FileResources.read(name);
        let bytes = contents.as_ref().map_or(0, Vec::len);
        Self { name: name.to_owned(), bytes, network: contents.and_then(|contents| read_network(name, &contents)) }
    }

    fn json(&self) -> Value {
        match &self.network {
            Ok((header, network)) => json!({
                "name": self.name, "game": header_game(header), "encoder": header.encoder, "numbers": network.size(),
                "bytes": self.bytes, "architecture": network.architecture(), "training": header.training,
                "strength": header.strength, "refused": null,
            }),
            Err(error) => json!({"name": self.name, "refused": error.to_string()}),
        }
    }
}

/// The networks that come with the program, or those that are named: built-in ones, files, and all files of folders.
fn found(names: &[String]) -> anyhow::Result<Vec<File>> {
    if names.is_empty() {
        return Ok(NETWORKS.iter().map(|network| File::read(network.name)).collect());
    }
    let mut files = Vec::new();
    for name in names {
        if !Path::new(name).is_dir() {
            files.push(File::read(name));
            continue;
        }
        let entries = fs::read_dir(name).with_context(|| format!("cannot read {name}"))?;
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|ending| ending == "safetensors")).collect();
        paths.sort();
        files.extend(paths.iter().map(|path| File::read(&path.display().to_string())));
    }
    Ok(files)
}

fn list(files: &[File], global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    if global.json {
        return print_json(out, &files.iter().map(File::json).collect());
    }
    if files.is_empty() {
        if !global.quiet {
            writeln!(out, "no networks; train one with: ply train tictactoe --hours 0.1")?;
        }
        return Ok(());
    }
    let mut rows = vec![["network", "numbers", "bytes", "game", "encoder"].map(str::to_owned)];
    rows.extend(files.iter().map(|file| match &file.network {
        Ok((header, network)) => [
            file.name.clone(),
            count(network.size() as u64),
            count(file.bytes as u64),
            header_game(header),
            header.encoder.clone(),
        ],
        Err(_) => {
            [file.name.clone(), String::new(), count(file.bytes as u64), "refused: see ply nets verify".to_owned(), String::new()]
        }
    }));
    write!(out, "{}", columns([Lean::Left, Lean::Right, Lean::Right, Lean::Left, Lean::Left], &rows))?;
    Ok(())
}

fn verify(files: &[File], global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    if global.json {
        print_json(out, &files.iter().map(File::json).collect())?;
    } else {
        for file in files {
            match &file.network {
                Ok((header, network)) => write!(out, "{}", description(file, header, network))?,
                Err(error) => writeln!(out, "{}: refused\n  {error}", file.name)?,
            }
        }
    }
    match files.iter().filter(|file| file.network.is_err()).count() {
        0 => Ok(()),
        refused => bail!("{refused} of {} network files cannot be used", files.len()),
    }
}

/// What a network is, in some lines.
fn description(file: &File, header: &Header, network: &Network) -> String {
    let architecture = network.architecture();
    let input = architecture.input;
    let words = |layers: &[Layer]| if layers.is_empty() { "none".to_owned() } else { layer_words(layers) };
    let or_none = |layers: &Option<Vec<Layer>>| words(layers.as_deref().unwrap_or_default());
    let or_nothing = |words: &str| if words.is_empty() { "not known".to_owned() } else { words.to_owned() };
    let rows = [
        ["  game".to_owned(), header_game(header)],
        ["  sees".to_owned(), format!("{} planes of {}x{} ({})", input.planes, input.ranks, input.files, header.encoder)],
        ["  trunk".to_owned(), words(&architecture.trunk)],
        ["  policy".to_owned(), or_none(&architecture.policy)],
        ["  value".to_owned(), or_none(&architecture.value)],
        ["  size".to_owned(), format!("{} numbers, {} bytes", count(network.size() as u64), count(file.bytes as u64))],
        ["  training".to_owned(), or_nothing(&header.training)],
        ["  strength".to_owned(), or_nothing(&header.strength)],
    ];
    format!("{}: good\n{}", file.name, columns([Lean::Left, Lean::Left], &rows))
}

/// Layers in a line; what is there several times in a row is said once.
fn layer_words(layers: &[Layer]) -> String {
    let word = |layer: &Layer| match layer {
        Layer::Conv3(planes) => format!("3x3 to {planes}"),
        Layer::Conv1(planes) => format!("1x1 to {planes}"),
        Layer::Conv3d(channels) => format!("3x3x3 to {channels}"),
        Layer::Dense(numbers) => format!("dense to {numbers}"),
        Layer::Relu => "relu".to_owned(),
        Layer::Tanh => "tanh".to_owned(),
        Layer::Sigmoid(_) => "sigmoid".to_owned(),
        Layer::Residual(inner) => format!("+({})", layer_words(inner)),
        Layer::Pool => "pool".to_owned(),
    };
    let words: Vec<String> = layers.iter().map(word).collect();
    // A block and what follows it repeat together.
    let mut parts: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let times = |length: usize| {
            let block = &words[at..(at + length).min(words.len())];
            words[at..].chunks(length).take_while(|chunk| *chunk == block).count()
        };
        let length = if times(2) > 1 { 2 } else { 1 };
        let block = words[at..at + length].join(", ");
        parts.push(if times(length) > 1 { format!("{} x ({block})", times(length)) } else { block });
        at += length * times(length);
    }
    parts.join(", ")
}

/// Positions at once for which the speed is measured.
const AT_ONCE: [usize; 3] = [1, 8, 32];

fn measured(args: &MeasureNetArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let contents = FileResources.read(&args.network)?;
    let (header, network) = read_network(&args.network, &contents)?;
    let mut speeds = Vec::new();
    for at_once in AT_ONCE {
        speeds.push((at_once, evaluations_per_second(&header, &network, at_once)?));
    }
    let against = match args.against.as_slice() {
        [] => ANCHORS.map(str::to_owned).to_vec(),
        given => given.to_vec(),
    };
    let game = header_game(&header);
    let trial =
        Trial { game: &game, seed: global.seed.unwrap_or(0), anchors: &against, pairs: args.pairs as usize, sims: args.sims };
    let measured = if args.pairs > 0 { games(&trial, &contents, global)? } else { Vec::new() };
    if global.json {
        let speeds: Vec<Value> =
            speeds.iter().map(|(at_once, speed)| json!({"at_once": at_once, "evaluations_per_second": speed})).collect();
        let page = json!({"network": args.network, "game": game, "machine": machine(), "sims": args.sims, "speed": speeds, "measured": measured});
        return print_json(out, &page);
    }
    writeln!(out, "{} ({}), on {}", args.network, game, machine())?;
    for (at_once, speed) in speeds {
        writeln!(out, "{} evaluations a second on one core, {at_once} at once", count(speed as u64))?;
    }
    let mut rows = vec![["player", "against", "games", "score", "95 %", "Elo"].map(str::to_owned)];
    rows.extend(measured.iter().map(row));
    if rows.len() > 1 {
        let leans = [Lean::Left, Lean::Left, Lean::Right, Lean::Right, Lean::Right, Lean::Right];
        writeln!(out, "\nwith a search of {} simulations, and alone (one ply):", args.sims)?;
        write!(out, "{}", columns(leans, &rows))?;
    }
    Ok(())
}

/// Plays against the anchors; nothing if Ctrl-C ended it.
fn games(trial: &Trial<'_>, network: &[u8], global: &Global) -> anyhow::Result<Vec<Measured>> {
    interrupt::catch()?;
    let live = Mutex::new(LiveText::new(global.quiet));
    let told = |done: u64, of: u64| {
        let line = || format!("{} of {} pairs of games", count(done), count(of));
        let full = || format!("{} (Ctrl-C: stop)\n{}", bar(done as f32 / of as f32), line());
        lock(&live).show(full, line);
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(measure(trial, network, &FileResources, threads, interrupt::token(), &told)?.unwrap_or_default())
}

fn row(measured: &Measured) -> [String; 6] {
    let [low, high] = measured.score_ends().map(|score| format!("{:.1}", 100.0 * score));
    let elo = match measured.score {
        score if score >= 1.0 => format!("at least {:+.0}", measured.elo[0]),
        score if score <= 0.0 => format!("at most {:+.0}", measured.elo[1]),
        _ => format!("{:+.0} to {:+.0}", measured.elo[0], measured.elo[1]),
    };
    [
        measured.player.clone(),
        measured.anchor.clone(),
        count(measured.games),
        format!("{:.1} %", 100.0 * measured.score),
        format!("[{low}, {high}]"),
        elo,
    ]
}

/// The file for ONNX, of which there is one.
fn onnx_file<'a>(file: Option<&'a Path>, onnx: Option<&'a Path>) -> Result<&'a Path, InputError> {
    let named = |path: &&Path| onnx.is_some() || path.extension().is_some_and(|ending| ending == "onnx");
    let path = onnx.or(file).unwrap_or(Path::new(""));
    let detail = "expected a name that ends in .onnx, the format of networks for other programs";
    Some(path).filter(named).ok_or_else(|| InputError::malformed("file", &path.display().to_string(), detail))
}

fn export(name: &str, file: &Path, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let (header, network) = read_network(name, &FileResources.read(name)?)?;
    let bytes = onnx::export(&network)?;
    write_whole(file, &bytes)?;
    if global.json {
        return print_json(out, &json!({"network": name, "game": header_game(&header), "file": file, "bytes": bytes.len()}));
    }
    if !global.quiet {
        writeln!(out, "{}: {} bytes of ONNX", file.display(), count(bytes.len() as u64))?;
    }
    Ok(())
}
