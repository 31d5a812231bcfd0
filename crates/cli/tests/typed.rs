//! Commands as people type them who know the works, other programs, or only their own words: understood, or answered so that the next
//! try is right.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A directory of its own for each test, with the data in it, removed at the end. Commands run there.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("plyground-typed-{name}-{}", std::process::id()));
        // A process of an earlier time may have had our number.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn ply(&self, line: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ply"));
        let words = shlex::split(line).unwrap();
        command.args(words).arg("--data").arg("data").current_dir(&self.0).stdin(Stdio::null()).output().unwrap()
    }

    fn said(&self, line: &str) -> String {
        let output = self.ply(line);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The error in one line, with exit code 2 and nothing on standard output.
    fn refused(&self, line: &str) -> String {
        let output = self.ply(line);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{line}: {error}");
        let [message] = error.lines().collect::<Vec<_>>()[..] else { panic!("{line}: expected one line: {error}") };
        assert!(!message.contains("use '-- "), "{line}: {message}");
        message.strip_prefix("ply: ").unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The name of the run in what a command has printed.
fn run_in(said: &str) -> &str {
    let (_, behind) = said.split_once(": run ").unwrap_or_else(|| panic!("{said}"));
    behind.split_whitespace().next().unwrap()
}

#[test]
fn synonyms_are_the_same_run() {
    let dir = Scratch::new("synonyms");
    let named = |agents: &str| run_in(&dir.said(&format!("match pawn:size=4x4 {agents} --pairs 1"))).to_owned();
    let usual = named("mcts:sims=20 random");
    for agents in ["mcts:rollouts=20 random", "mcts:iterations=20 random", "mcts:simulations=20 random", "uct:rollouts=20 random"]
    {
        assert_eq!(named(agents), usual, "{agents}");
    }
    assert_eq!(named("montecarlo:playouts=2 random"), named("mc:playouts=2 random"));
    assert_eq!(named("mcs:rollouts=20 random"), named("mc:sims=20 random"));
    assert_ne!(named("mcts:playouts=20 random"), usual, "playouts are per legal move");
    let short = run_in(&dir.said("match pawn:4x4 mcts:rollouts=20 random --pairs 1")).to_owned();
    assert_eq!(short, usual, "a bare size");
    let kept = dir.said("runs --json");
    let is_kept = |agent: &str| kept.contains(&format!("\"{agent}"));
    assert!(is_kept("mcts:sims=20\"") && !is_kept("mcts:rollouts") && !is_kept("uct") && !is_kept("montecarlo"), "{kept}");
    assert_eq!(
        dir.refused("match pawn mcts:rollouts=20,sims=5 random"),
        "malformed list of keys 'sims=20,sims=5': 'sims' is given twice"
    );
}

#[test]
fn a_bare_size_is_a_size() {
    let dir = Scratch::new("size");
    for (short, long) in [
        ("pawn:5x4", "pawn:size=5x4"),
        ("pawn:8x8,double", "pawn:size=8x8,double"),
        ("clobber:6x6,random=3", "clobber:size=6x6,random=3"),
        ("crosphere:5x5,strong=3", "crosphere:size=5x5,strong=3"),
        ("mnk:5x5,k=4", "mnk:size=5x5,k=4"),
        ("connect-four:5x4", "connect-four:size=5x4"),
        ("breakthrough:5x5", "breakthrough:size=5x5"),
    ] {
        assert_eq!(dir.said(&format!("show {short} --json")), dir.said(&format!("show {long} --json")), "{short}");
    }
    assert!(dir.refused("show pawn:4x4,size=4x4").contains("'size' is given twice"));
    assert!(dir.refused("show tictactoe:4x4").contains("it is already fixed by the name before the colon"));
    assert!(dir.refused("show tuc-chess:4x4").contains("unknown key of tuc-chess '4x4'; expected one of year"));
    assert!(dir.refused("show pawn:0x4").contains("malformed size '0x4'"));
}

#[test]
fn games_are_counted_as_they_were_asked_for() {
    let dir = Scratch::new("games");
    let fixed = dir.said("match tictactoe random mcts:sims=20 --games 9 --seats fixed --opening-plies 0");
    assert!(fixed.contains("9 games,") && fixed.contains("random moving first"), "{fixed}");
    assert!(!fixed.contains("moving second") && !fixed.contains("pairs"), "one seat only: {fixed}");
    let csv = dir.said(&format!("runs games {} --csv", run_in(&fixed)));
    assert_eq!(csv.lines().skip(1).filter(|line| line.contains(",random,mcts:sims=20,")).count(), 9, "{csv}");
    let again = dir.said("match tictactoe random mcts:sims=20 --games 9 --seats fixed --opening-plies 0 --json");
    assert!(again.contains("\"games\":9"), "{again}");

    let pairs = dir.said("match tictactoe random mcts:sims=20 --pairs 3");
    assert_eq!(run_in(&dir.said("match tictactoe random mcts:sims=20 --games 6")), run_in(&pairs));
    assert_eq!(run_in(&dir.said("match tictactoe random mcts:sims=20 --games 6 --seats swapped")), run_in(&pairs));
    assert!(dir.said("tournament tictactoe random mc:playouts=2 mcts:sims=9 --games 2").contains("6 games,"));
    let odd = dir.refused("match tictactoe random mcts:sims=20 --games 199");
    assert!(odd.contains("expected an even number") && odd.contains("--seats fixed"), "{odd}");
    assert_eq!(dir.refused("tournament tictactoe random mc --games 3").split(':').next(), Some("malformed number of games '3'"));
    let both = dir.refused("match tictactoe random mc --pairs 3 --seats fixed");
    assert!(both.contains("expected --games, as in --games 6"), "{both}");
    assert!(dir.refused("match tictactoe random mc --games 0").contains("expected a whole number from 1"));
}

#[test]
fn an_agent_plays_itself_where_the_seats_are_fixed() {
    let dir = Scratch::new("itself");
    let itself = dir.said("match tictactoe random random --games 9 --seats fixed --opening-plies 0");
    assert!(itself.contains("random moving first") && itself.contains("9 games,"), "{itself}");
    assert!(itself.contains("random against itself: what the first move is worth"), "{itself}");
    let lasting = dir.said("match tictactoe random random --for 50ms --seats fixed --opening-plies 0 --threads 1");
    assert_eq!(run_in(&lasting), run_in(&itself), "the same run goes on");
    assert_eq!(
        dir.refused("match tictactoe random random --games 10"),
        "malformed opponent 'random': with swapped seats an agent plays against others; expected another one, or --seats fixed"
    );
}

#[test]
fn a_watched_game_is_kept_with_its_time_and_device() {
    let dir = Scratch::new("watched");
    dir.said("watch tictactoe random random --seed 3 -o game.jsonl");
    let record = fs::read_to_string(dir.0.join("game.jsonl")).unwrap();
    assert!(record.contains("\"date\":\"20") && record.contains("\"Device\":\""), "{record}");
}

#[test]
fn unknown_options_are_answered_with_those_of_the_same_command() {
    let dir = Scratch::new("options");
    for (line, hint) in [
        ("sprt tictactoe random mc --games 3", "(did you mean '--most-pairs'?)"),
        ("balance tictactoe --pairs 3", "(did you mean '--games'?)"),
        ("match tictactoe random mc --swap", "(did you mean '--seats'?)"),
        ("match tictactoe random mc --rollouts 5", "(did you mean '--sims'?)"),
        ("match tictactoe random mc --time 1s", "(did you mean '--move-time'?)"),
        ("match tictactoe random mc --tehrads 1", "(did you mean '--threads'?)"),
        ("match tictactoe random mc --show", "(`ply watch GAME SPEC SPEC` draws the boards)"),
        ("match tictactoe random alphabeta --depth 3", "(a key stands behind the name of its agent: NAME:depth=…)"),
        ("solve clobber --size 5x6", "(a parameter stands behind the name of its game: GAME:size=…)"),
        ("think tictactoe --time 1s", "(did you mean '--budget'?)"),
        ("play tictactoe --opponent mcts", "(did you mean '--against'?)"),
        ("play tictactoe --side first", "(did you mean '--as'?)"),
        ("compete x.toml --port 3", "(did you mean '--web'?)"),
        ("join tuc-chess --agent random --port 3", "(did you mean '--server'?)"),
        ("convert a.txt --format jsonl", "(did you mean '--to'?)"),
        ("runs games zz --otu x", "(did you mean '--out'?)"),
    ] {
        let message = dir.refused(line);
        let words: Vec<&str> = line.split(' ').collect();
        let option = words.iter().find(|word| word.starts_with("--") && **word != "--agent").unwrap();
        assert!(
            message.starts_with("unknown option of ply ")
                && message.contains(&format!("{} '{option}'", words[usize::from(words[0] == "runs")])),
            "{line}: {message}"
        );
        assert!(message.contains(hint) && message.contains("; expected one of --"), "{line}: {message}");
    }
    let nonsense = dir.refused("match tictactoe random mc --xyzzy");
    assert!(
        nonsense.starts_with("unknown option of ply match '--xyzzy'; expected one of --pairs, --games, --seats,"),
        "{nonsense}"
    );
    assert!(dir.refused("match tictactoe random mc --seat fixed").contains("(did you mean '--seats'?)"));
    for line in
        ["match tictactoe random mc -o page.md", "tournament tictactoe random mc --save page.md", "host tuc-chess --out page.md"]
    {
        assert!(dir.refused(line).contains("(`ply report RUN -o FILE` writes a page about the run"), "{line}");
    }
    assert_eq!(
        dir.refused("train clobber:4x4 --agent ffn:opponent=mcts -o x.safetensors"),
        "unknown key of ffn 'opponent'; the opponent of training games is an option: --against SPEC"
    );
}

#[test]
fn words_too_many_and_unknown_commands_get_a_hint_that_helps() {
    let dir = Scratch::new("words");
    let braces = dir.refused("match crosphere mcts:sims=50 mcts:sims=51 mcts:sims=52 random");
    assert!(braces.starts_with("unexpected word 'mcts:sims=52': ply match takes <GAME> <SPEC> <SPEC>"), "{braces}");
    assert!(braces.contains("put it in quotes, as in 'mcts:sims={50..100}'"), "{braces}");
    assert!(dir.refused("match pawn random mc mcts").contains("`ply tournament` lets more than two agents play"));
    assert!(
        dir.refused("evaluate pawn").starts_with("unknown command 'evaluate' (did you mean 'eval'?); expected one of games, ")
    );
    assert_eq!(
        dir.refused("watch pawn random random --pace -1s"),
        "unexpected word '-1': ply watch takes no numbers below 0 here"
    );
    assert!(dir.refused("watch pawn human random").contains("people play with `ply play pawn --against SPEC`"));
    assert!(dir.refused("studies").contains("(did you mean 'study'?)"));
    assert!(dir.refused("wacth pawn").starts_with("unknown command 'wacth' (did you mean 'watch'?)"));
    assert!(
        dir.refused("runs shwo x")
            .starts_with("unknown command of ply runs 'shwo' (did you mean 'show'?); expected one of show, ")
    );
}

#[test]
fn a_mistyped_file_is_answered_as_a_file_and_a_run_as_a_run() {
    let dir = Scratch::new("files");
    fs::write(dir.0.join("games.jsonl"), "").unwrap();
    for line in
        ["learn crosphere --from gmaes.txt --out x.safetensors", "runs positions gmaes.txt -o x.npz", "runs show some/where"]
    {
        let message = dir.refused(line);
        assert!(message.contains("there is no such file") && message.starts_with("cannot read "), "{line}: {message}");
    }
    assert!(
        dir.refused("runs positions games.jsonl -o x.npz")
            .starts_with("games.jsonl is a file; expected the beginning of the name of a run")
    );
    assert!(dir.refused("runs show 54a0").contains("expected one of `ply runs`, and nothing was played yet"));
    for sims in 1..=5 {
        dir.said(&format!("match tictactoe random mcts:sims={sims} --pairs 1"));
    }
    let message = dir.refused("report zz");
    assert!(message.ends_with("another of the 5 that `ply runs` lists"), "{message}");
    assert_eq!(message.split(", ").count(), 4, "three runs are enough: {message}");
    let csv = dir.refused("convert games.jsonl games.csv");
    assert!(csv.contains("ply runs games RUN --csv --out games.csv"), "{csv}");
}

#[test]
fn networks_are_written_by_the_ending_of_the_file() {
    let dir = Scratch::new("onnx");
    dir.said("nets export mnk-5x5 -o a.onnx");
    dir.said("nets export mnk-5x5 --out b.onnx");
    dir.said("nets export mnk-5x5 --onnx c.bin");
    let [a, b, c] = ["a.onnx", "b.onnx", "c.bin"].map(|file| fs::read(dir.0.join(file)).unwrap());
    assert!(!a.is_empty() && a == b && b == c);
    assert!(dir.refused("nets export mnk-5x5 --out d.pth").contains("expected a name that ends in .onnx"));
    assert!(dir.refused("nets export mnk-5x5").contains("--out <FILE>"));
    assert!(!Path::new(&dir.0.join("d.pth")).exists());
}

#[test]
fn studies_are_known_by_their_names_in_every_folder() {
    let dir = Scratch::new("studies");
    let listed = dir.said("study");
    assert!(listed.contains("e-pawn-table") && listed.contains("c6-clobber-network"), "{listed}");
    // Its agents read networks that lie beside the studies.
    let played = dir.said("study c6-clobber-network --games 2 --threads 1 --json");
    assert!(played.contains("\"findings\":[{") && played.contains("studies/nets/clobber-"), "{played}");
    let written = dir.said("study e-pawn-mystery --games 2 -o page.md");
    assert!(written.ends_with("the report on the study e-pawn-mystery is in page.md\n"), "{written}");
    assert!(
        fs::read_to_string(dir.0.join("page.md")).unwrap().contains("| pawn:size=4x4: adv 2 against adv 2, as coded | score |")
    );
    assert!(dir.refused("study --all -o page.md").contains("--all"));
    let same = dir.said("study studies/c6-clobber-network.toml --games 2 --json");
    assert_eq!(same, played, "the file of that name, where there is none");
    assert!(dir.said("report c6-clobber-network --md").contains("clobber"), "a report needs no file either");
    assert!(
        dir.refused("study e-pawn-tabel")
            .starts_with("unknown study 'e-pawn-tabel' (did you mean 'e-pawn-table'?); expected one of a1-")
    );
    assert!(dir.refused("study nowhere.toml").starts_with("cannot read nowhere.toml"));
    assert!(dir.refused("study some/where").starts_with("cannot read some/where"));
}

#[test]
fn agents_are_watched_and_the_game_can_be_kept() {
    let dir = Scratch::new("watch");
    let said = dir.said("watch tictactoe mcts:iterations=30 random --seed 4 -o game.jsonl");
    let boards = said.matches("┌").count();
    let moves: Vec<&str> =
        said.lines().filter(|line| line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok())).collect();
    assert!(moves.len() >= 5 && boards == moves.len() + 1, "a board for every move: {said}");
    assert!(
        moves[0].starts_with("1. Crosses: ") && moves[0].contains("win chance") && moves[1].starts_with("2. Noughts: "),
        "{said}"
    );
    assert!(said.contains("the game is over, "), "{said}");
    let replayed = dir.said("replay game.jsonl");
    assert!(replayed.contains("mcts:iterations=30 (first) against random (second)"), "{replayed}");
    let json = dir.said("watch tictactoe mcts:iterations=30 random --seed 4 --json");
    assert_eq!(json.lines().count(), moves.len() + 1, "{json}");
    assert!(json.contains("\"player\":\"first\"") && json.lines().last().unwrap().contains("\"result\":"), "{json}");
    let chance = dir.said("watch tuc-chess random random --seed 1 --json");
    assert!(chance.contains("\"player\":\"chance\""), "{chance}");
    assert!(dir.said("watch tictactoe random random --seed 1 --pace 1ms").contains("the game is over"));
    assert!(dir.refused("watch tictactoe random rnadom").contains("did you mean 'random'?"));
    assert!(dir.refused("watch tictactoe random random --pace soon").contains("expected a number and ms, s or min"));
}

#[test]
fn host_takes_a_port_alone() {
    let dir = Scratch::new("host");
    let both = dir.refused("host tuc-chess --port 9876 --listen 127.0.0.1:9876");
    assert!(both.contains("cannot be used with"), "{both}");
    assert!(dir.refused("host tuc-chess --port 0").contains("0 is not in 1..=65535"));
    // A port that is taken: the message names it, so that is where it listens.
    let taken = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    assert!(
        dir.refused(&format!("host tuc-chess --port {port} --web off"))
            .starts_with(&format!("cannot listen on 0.0.0.0:{port} (UDP)"))
    );
}
