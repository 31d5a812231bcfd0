//! `ply play GAME`: a game in the terminal.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, bail};
use plyground_core::WallClock;
use plyground_session::{
    Advice, Clock, GameRecord, InputError, LegalMove, Limits, Outcome, Player, RecordedPlayer, Seat, Seed, Session, Turn, open,
    replay,
};

use crate::args::{DEFAULT_OPPONENT, Global, PlayArgs};
use crate::commands::start;
use crate::engines::CommandResources;
use crate::store::{self, Origin};
use plyground_terminal::{ThinkingBar, milliseconds};
use plyground_terminal::{ask, count, grid, percent, print_notes, shortened, status_line, table};

/// Who gives the hints.
const ADVISER: &str = "best";

const HELP: &str = "type a move, or
  ?          the legal moves with their numbers; a number plays that move
  hint       what a good player would do, and why
  undo       take your last move back (not across a chance event that you have seen)
  save FILE  write the game so far to a file
  resign     give up
  quit       stop here; the game is kept";

/// Who plays.
pub struct Setup {
    pub against: String,
    pub human: Player,
    pub resumed: Option<Resumed>,
}

/// A game that goes on: its record so far, and the file that it is in.
pub struct Resumed {
    pub record: GameRecord,
    pub file: PathBuf,
}

/// What records call a person, and what an opponent is called who sits at the same terminal.
pub const PERSON: &str = "human";

/// The player that a side names: `first`, `second`, or what the game calls it, or the beginning of that.
pub fn side(text: &str, players: [&'static str; 2]) -> Result<Player, InputError> {
    let text = text.trim();
    let typed = text.to_lowercase();
    let names = players.map(str::to_lowercase);
    let is_named = |player: &Player| player.word() == typed || names[player.index()] == typed;
    let begins = |player: &Player| !typed.is_empty() && names[player.index()].starts_with(&typed);
    let only_one = Player::BOTH.into_iter().filter(begins).count() == 1;
    let found = Player::BOTH.into_iter().find(is_named).or_else(|| Player::BOTH.into_iter().find(begins).filter(|_| only_one));
    let expected = Player::BOTH.map(Player::word).into_iter().map(str::to_owned).chain(names.clone());
    found.ok_or_else(|| InputError::unknown("side", text, expected))
}

pub fn run(args: &PlayArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let asked = |session: &dyn Session| args.side.as_deref().map(|text| side(text, session.info().players)).transpose();
    if args.against.as_deref() == Some(PERSON)
        && let Some(side) = &args.side
    {
        let detail = "with --against human two people share the terminal, and both sides are theirs; expected no side";
        return Err(InputError::malformed("option", &format!("--as {side}"), detail).into());
    }
    let usual = || args.against.clone().unwrap_or_else(|| DEFAULT_OPPONENT.to_owned());
    match (&args.resume, &args.game) {
        (Some(file), _) => {
            let record = last_open(file)?;
            let session = replay(&record).with_context(|| file.display().to_string())?;
            let was = Player::BOTH.into_iter().find(|player| record.players[player.index()].name == PERSON);
            let human = asked(session.as_ref())?.or(was).unwrap_or(Player::First);
            let against = match (&args.against, was) {
                (None, Some(was)) => record.players[was.other().index()].name.clone(),
                _ => usual(),
            };
            play(session, &Setup { against, human, resumed: Some(Resumed { record, file: file.clone() }) }, global, out)
        }
        (None, Some(game)) => {
            let session = open(game, args.position.as_deref())?;
            let human = asked(session.as_ref())?.unwrap_or(Player::First);
            play(session, &Setup { against: usual(), human, resumed: None }, global, out)
        }
        (None, None) => start::run(args.against.as_deref(), args.side.as_deref(), global, out),
    }
}

/// The last game of a file, which must not be over.
fn last_open(file: &Path) -> anyhow::Result<GameRecord> {
    let mut records = store::read_file(file)?;
    let last = records.remove(records.len() - 1);
    if last.result != "open" {
        bail!("{}: the game is over ({}), there is nothing to resume", file.display(), last.result);
    }
    Ok(last)
}

/// Plays a session to its end, or until the player leaves. Whatever happens, the game is kept.
pub fn play(session: Box<dyn Session>, setup: &Setup, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let before = setup.resumed.as_ref().and_then(|resumed| resumed.record.seed);
    let seed = global.seed.or(before).unwrap_or_else(|| global.seed_or_time());
    let mut game = Game::new(session, setup, seed, global)?;
    let players = if game.opponent.is_none() {
        game.session.info().players.map(str::to_owned)
    } else {
        let opponent = introduced(game.session.as_ref(), &game.against);
        Player::BOTH.map(|player| if player == setup.human { "you".to_owned() } else { opponent.clone() })
    };
    let [first, second] = players;
    writeln!(out, "{}: {first} (first) against {second} (second), seed {seed}", game.session.spec())?;
    if !global.quiet {
        writeln!(out, "{HELP}\n")?;
    }
    let ended = game.run(out);
    let kept = game.keep();
    ended?;
    match kept? {
        Kept::Finished(path) if !global.quiet => writeln!(out, "The game is kept in {}.", path.display())?,
        Kept::Open(path) => writeln!(out, "The game is kept; go on with: ply play --resume {}", store::typed(&path))?,
        _ => {}
    }
    Ok(())
}

/// An opponent as it is introduced: a ready-made one with what it is.
fn introduced(session: &dyn Session, spec: &str) -> String {
    let known = session.opponents().into_iter().find(|opponent| opponent.name == spec);
    known.map_or(spec.to_owned(), |opponent| {
        let work = opponent.work.map_or_else(String::new, |work| format!(", from {work}"));
        format!("{spec}, {}{work}", opponent.summary)
    })
}

struct Game {
    session: Box<dyn Session>,
    human: Player,
    against: String,
    /// The seat of the opponent; none where two people share the terminal.
    opponent: Option<Seat>,
    adviser: Seat,
    chance: Seed,
    seed: u64,
    origin: Origin,
    /// Where finished games are kept.
    games: PathBuf,
    data: PathBuf,
    /// Where this game is kept while it goes on, once there is something to keep.
    unfinished: Option<PathBuf>,
    quiet: bool,
    /// Files that this game has been saved to: only they may be written again.
    saved: Vec<PathBuf>,
    /// The player who has given up.
    resigned: Option<Player>,
    /// What the opponent had to say beside its moves: nothing is said twice.
    told: Vec<String>,
}

enum Kept {
    Finished(PathBuf),
    Open(PathBuf),
    Nothing,
}

/// Where a turn of the player leads.
enum Next {
    GoOn,
    Leave,
}

impl Game {
    fn new(mut session: Box<dyn Session>, setup: &Setup, seed: u64, global: &Global) -> anyhow::Result<Self> {
        let is_agent = setup.against != PERSON;
        let seated = is_agent.then(|| session.seat(&setup.against, Seed(seed).named("opponent"), &CommandResources));
        let opponent = seated.transpose()?;
        let adviser = session.seat(ADVISER, Seed(seed).named("adviser"), &CommandResources)?;
        let data = store::data_dir(global)?;
        std::fs::create_dir_all(&data).with_context(|| format!("cannot make the directory {}", data.display()))?;
        // A game that was kept here goes on in its file; any other file is the player's own and stays as it is.
        let kept_here = setup.resumed.as_ref().filter(|resumed| store::is_unfinished(&data, &resumed.file));
        let unfinished = kept_here.map(|resumed| resumed.file.clone());
        Ok(Self {
            session,
            human: setup.human,
            against: setup.against.clone(),
            opponent,
            adviser,
            chance: Seed(seed).named("chance"),
            seed,
            origin: Origin::here(setup.resumed.as_ref().map(|resumed| &resumed.record)),
            games: data.join("games.jsonl"),
            data,
            unfinished,
            quiet: global.quiet,
            saved: Vec::new(),
            resigned: None,
            told: Vec::new(),
        })
    }

    fn name(&self, player: Player) -> &'static str {
        self.session.info().players[player.index()]
    }

    fn run(&mut self, out: &mut impl Write) -> anyhow::Result<()> {
        write!(out, "{}", table(self.session.as_ref()))?;
        loop {
            match self.session.turn() {
                Turn::Over(outcome) => return self.announce_end(outcome, out),
                Turn::Chance => {
                    // One stream per event: the luck of a game depends on its seed, not on how it was resumed.
                    let event = self.session.history().len() as u64;
                    let outcome = self.session.roll(&mut self.chance.numbered(event).rng()).unwrap_or_default();
                    writeln!(out, "Chance: {outcome}")?;
                    if self.session.turn() != Turn::Chance {
                        write!(out, "{}", table(self.session.as_ref()))?;
                    }
                }
                Turn::Player(player) => match self.opponent.filter(|_| player != self.human) {
                    Some(opponent) => self.opponent_turn(opponent, out)?,
                    None => {
                        if let Next::Leave = self.human_turn(player, out)? {
                            return Ok(());
                        }
                    }
                },
            }
            self.keep_open()?;
        }
    }

    fn opponent_turn(&mut self, opponent: Seat, out: &mut impl Write) -> anyhow::Result<()> {
        let mut advice = self.think(opponent, &self.against.clone())?;
        advice.notes.retain(|note| !self.told.contains(note));
        print_notes(&advice.notes, self.quiet);
        self.told.append(&mut advice.notes);
        self.session.play(&advice.mv)?;
        self.session.annotate(Some(milliseconds(advice.elapsed)), advice.value);
        let expects = advice.value.map_or(String::new(), |value| format!(" (winning chance {})", percent(value)));
        writeln!(out, "{} plays {}{expects}.", self.name(self.human.other()), advice.mv)?;
        write!(out, "{}", table(self.session.as_ref()))?;
        Ok(())
    }

    fn human_turn(&mut self, player: Player, out: &mut impl Write) -> anyhow::Result<Next> {
        let begin = Instant::now();
        let you = if self.opponent.is_some() { " (you)" } else { "" };
        let question = format!("{}{you} > ", self.name(player));
        loop {
            let Some(answer) = ask(out, &question)? else {
                return Ok(Next::Leave);
            };
            let (word, rest) = answer.split_once(' ').unwrap_or((&answer, ""));
            match word {
                "" => {}
                "help" => writeln!(out, "{HELP}")?,
                "?" => self.list_moves(out)?,
                "hint" => self.hint(out)?,
                "undo" => {
                    if self.undo(out)? {
                        return Ok(Next::GoOn);
                    }
                }
                "save" => self.save(rest.trim(), out)?,
                "resign" => {
                    self.resigned = Some(player);
                    let who =
                        if self.opponent.is_some() { "You resign".to_owned() } else { format!("{} resigns", self.name(player)) };
                    writeln!(out, "{who}; {} wins.", self.name(player.other()))?;
                    return Ok(Next::Leave);
                }
                "quit" | "exit" => return Ok(Next::Leave),
                _ => match self.play_typed(&answer) {
                    Ok(_) => {
                        self.session.annotate(Some(milliseconds(begin.elapsed())), None);
                        write!(out, "{}", table(self.session.as_ref()))?;
                        return Ok(Next::GoOn);
                    }
                    Err(error) => writeln!(out, "{error} (? lists the legal moves)")?,
                },
            }
        }
    }

    /// Plays a move, or the one with this number in the list of the legal ones, where the number is no move.
    fn play_typed(&mut self, answer: &str) -> Result<String, InputError> {
        self.session.play(answer).or_else(|error| {
            let place = answer.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let numbered = place.and_then(|place| self.session.moves().into_iter().nth(place)).ok_or(error)?;
            self.session.play(&numbered.text)
        })
    }

    fn list_moves(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let named = |(mv, number): (LegalMove, usize)| {
            let label = if mv.label == mv.text { String::new() } else { format!(" ({})", mv.label) };
            format!("{number}: {}{label}", mv.text)
        };
        let moves: Vec<String> = self.session.moves().into_iter().zip(1..).map(named).collect();
        write!(out, "{} legal moves:\n{}", moves.len(), grid(&moves, "  "))?;
        Ok(())
    }

    fn hint(&mut self, out: &mut impl Write) -> anyhow::Result<()> {
        let advice = self.think(self.adviser, "The adviser")?;
        let expects = advice.value.map_or(String::new(), |value| format!(": winning chance {}", percent(value)));
        let (number, what) = match advice.simulations {
            0 => (advice.nodes, "positions"),
            simulations => (simulations, "simulated games"),
        };
        writeln!(out, "Try {}{expects}, after {} {what}.", advice.mv, count(number))?;
        if advice.line.len() > 1 {
            writeln!(out, "It looks at {}.", shortened(&advice.line, 6))?;
        }
        Ok(())
    }

    fn think(&mut self, seat: Seat, who: &str) -> anyhow::Result<Advice> {
        let clock = WallClock::start();
        let mut bar = ThinkingBar::new(who, self.quiet);
        let advice = self.session.think(seat, Limits::default(), &clock as &dyn Clock, &mut bar)?;
        Ok(advice)
    }

    /// Takes back everything since the player's last move, and that move; says why where that cannot be.
    fn undo(&mut self, out: &mut impl Write) -> anyhow::Result<bool> {
        let is_own = |player: Player| self.opponent.is_none() || player == self.human;
        let own = |&number: &usize| self.session.mover(number).is_some_and(is_own);
        let Some(target) = (0..self.session.history().len()).rev().find(own) else {
            let who = if self.opponent.is_some() { "You have not" } else { "Neither of you has" };
            writeln!(out, "{who} made a move yet.")?;
            return Ok(false);
        };
        if let Some(seen) = self.session.history()[target..].iter().find(|played| played.chance) {
            writeln!(out, "That cannot be undone: you have seen what chance did ({}).", seen.text)?;
            return Ok(false);
        }
        while self.session.history().len() > target {
            self.session.undo();
        }
        write!(out, "{}", table(self.session.as_ref()))?;
        Ok(true)
    }

    fn save(&mut self, file: &str, out: &mut impl Write) -> anyhow::Result<()> {
        let path = PathBuf::from(file);
        if file.is_empty() {
            writeln!(out, "expected a file name: save FILE")?;
        } else if path.exists() && !self.saved.contains(&path) {
            writeln!(out, "{file} is there already: choose another name")?;
        } else {
            match store::write_record(&path, &self.record()) {
                Ok(()) => {
                    let file = store::typed(&path);
                    writeln!(out, "Saved. Look at it with: ply replay {file}; go on with: ply play --resume {file}")?;
                    self.saved.push(path);
                }
                // A game is not lost over a bad file name.
                Err(error) => writeln!(out, "{error:#}")?,
            }
        }
        Ok(())
    }

    fn announce_end(&self, outcome: Outcome, out: &mut impl Write) -> anyhow::Result<()> {
        let verdict = match outcome.winner {
            Some(winner) if self.opponent.is_none() => &format!("{} wins", self.name(winner)),
            Some(winner) if winner == self.human => "You win",
            Some(_) => "You lose",
            None => "A draw",
        };
        writeln!(out, "{verdict}: {}.", status_line(self.session.as_ref()))?;
        Ok(())
    }

    fn record(&self) -> GameRecord {
        let player = |player: Player| {
            if player == self.human || self.opponent.is_none() {
                return RecordedPlayer { name: PERSON.to_owned(), seed: None };
            }
            RecordedPlayer { name: self.against.clone(), seed: Some(Seed(self.seed).named("opponent").0) }
        };
        let mut record = self.session.record(Player::BOTH.map(player), Some(self.seed));
        if let Some(player) = self.resigned {
            player.other().word().clone_into(&mut record.result);
            record.reason = format!("{} resigned", self.name(player));
        }
        self.origin.stamp(record)
    }

    /// The unfinished game, written after every move: a closed terminal loses nothing.
    fn keep_open(&mut self) -> anyhow::Result<PathBuf> {
        let path = match self.unfinished.take() {
            Some(path) => path,
            None => store::reserve_unfinished(&self.data)?,
        };
        self.unfinished = Some(path.clone());
        store::write_record(&path, &self.record())?;
        Ok(path)
    }

    fn keep(&mut self) -> anyhow::Result<Kept> {
        let record = self.record();
        if record.result == "open" {
            if record.moves.is_empty() && self.unfinished.is_none() {
                return Ok(Kept::Nothing);
            }
            return Ok(Kept::Open(self.keep_open()?));
        }
        store::append_record(&self.games, &record)?;
        if let Some(unfinished) = &self.unfinished
            && let Err(error) = std::fs::remove_file(unfinished)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(error).with_context(|| format!("cannot remove {}", unfinished.display()));
        }
        Ok(Kept::Finished(self.games.clone()))
    }
}
