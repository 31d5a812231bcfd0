//! What can be typed to find out how a game plays with other parameters.

use std::path::PathBuf;
use std::time::Duration;

use plyground_session::infos;

use super::{duration, games};

#[derive(clap::Args)]
pub struct BalanceArgs {
    /// The game, with the parameters that stay the same, e.g. crosphere or mnk:k=4 (see `ply games`); or a run, to look at the games that
    /// it has (see `ply runs`, `ply import`)
    #[arg(value_name = "GAME|RUN")]
    pub game: String,
    #[command(flatten)]
    pub varied: VariedKeys,
    /// Who plays, each against itself, the weakest first [default: random mcts:sims=10 mcts:sims=100 mcts:sims=1000]
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    pub agents: Vec<String>,
    /// Games of each agent in each setting
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = games)]
    pub games: u64,
    /// Who says who is ahead, the same for all agents
    #[arg(long, value_name = "SPEC", default_value = plyground_studies::balance::JUDGE)]
    pub judge: String,
    /// Games of each agent in each setting that are judged; 0 for none
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub judged: u64,
    /// Try to solve every setting for this long, too: 5s
    #[arg(long, value_name = "T", value_parser = duration)]
    pub solve: Option<Duration>,
    /// Begin every game after so many random plies, for agents that always play the same game
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=200))]
    pub opening_plies: u32,
    /// Games played at the same time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub threads: Option<u32>,
    /// Write the report to this file (replaced if it is there), as Markdown where it ends in .md
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write the report as Markdown; without -o to standard output, without plots
    #[arg(long)]
    pub md: bool,
}

/// Parameters of a game with the values that they take, each with its key: an option for every key that some game has, and `--param` for
/// whatever has none.
pub struct VariedKeys(pub Vec<(String, String)>);

/// Every key of some game, once, with what it means.
fn game_keys() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut keys: Vec<(&str, Vec<&str>)> = Vec::new();
    for info in infos() {
        for key in info.keys {
            match keys.iter_mut().find(|(known, _)| *known == key.key) {
                Some((_, games)) => games.push(info.name),
                None => keys.push((key.key, vec![info.name])),
            }
        }
    }
    keys
}

impl VariedKeys {
    /// Does some game have a parameter of this name?
    pub fn is_key(word: &str) -> bool {
        game_keys().iter().any(|(key, _)| *key == word)
    }
}

const PARAM: &str = "param";

impl clap::Args for VariedKeys {
    fn augment_args(command: clap::Command) -> clap::Command {
        const HEADING: &str = "Parameters of the game";
        let param = clap::Arg::new(PARAM)
            .long(PARAM)
            .value_name("KEY=VALUES")
            .action(clap::ArgAction::Append)
            .value_parser(key_and_values)
            .help_heading(HEADING)
            .help(
                "A parameter and its values: from one to another (strong=2..5, size=5x5..8x8: both sides grow together), or \
                behind commas (k=3,5); on and off for a flag. Every combination is played",
            );
        game_keys().into_iter().fold(command.arg(param), |command, (key, games)| {
            let help = format!("Short for --param {key}=VALUES ({})", games.join(", "));
            command.arg(clap::Arg::new(key).long(key).value_name("VALUES").help_heading(HEADING).help(help))
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for VariedKeys {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let given = matches.get_many::<(String, String)>(PARAM).into_iter().flatten().cloned();
        let short = |(key, _): (&'static str, _)| Some((key.to_owned(), matches.get_one::<String>(key)?.clone()));
        Ok(Self(given.chain(game_keys().into_iter().filter_map(short)).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn key_and_values(text: &str) -> Result<(String, String), String> {
    let (key, values) = text.split_once('=').ok_or_else(|| "expected KEY=VALUES, like size=5x5..8x8".to_owned())?;
    Ok((key.trim().to_owned(), values.trim().to_owned()))
}
