//! `ply agents`: who can play.

use std::io::Write;

use plyground_session::{
    AGENTS, AgentInfo, COMMON_KEYS, EXTERNAL, EvaluatorInfo, KEY_SYNONYMS, NAME_SYNONYMS, Opponent, Session, TRAIN_ONLY, infos,
    open,
};
use serde_json::{Value, json};

use crate::commands::games::key_json;
use plyground_args::{AgentsArgs, Global};
use plyground_terminal::{Lean, columns, key_list, print_json, wrapped};

pub fn run(args: &AgentsArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let games: Vec<Box<dyn Session>> = match &args.game {
        Some(game) => vec![open(game, None)?],
        None => infos().into_iter().map(|info| open(info.name, None)).collect::<Result<_, _>>()?,
    };
    if global.json {
        return print_json(out, &listing(&games));
    }
    for agent in AGENTS {
        describe(agent, out)?;
    }
    writeln!(out, "To be trained with ply train GAME --agent SPEC:\n")?;
    for pupil in TRAIN_ONLY {
        describe(pupil, out)?;
    }
    writeln!(out, "Every agent")?;
    write!(out, "{}", key_list(COMMON_KEYS, "    "))?;
    writeln!(out, "\n{}", wrapped(&format!("Understood, too: {}.", synonyms()), ""))?;
    writeln!(out, "\nOther programs:\n")?;
    describe(&EXTERNAL, out)?;
    writeln!(out, "Ready-made opponents: write the name wherever an agent is expected.")?;
    for game in &games {
        writeln!(out, "  {}", game.spec())?;
        let row = |(opponent, _): (&Opponent, usize)| {
            [format!("    {}", opponent.name), opponent.summary.clone(), opponent.spec.clone()]
        };
        write!(out, "{}", opponent_table(&game.opponents(), [Lean::Left; 3], row))?;
    }
    writeln!(out, "\nEvaluators, for agents with the key eval (the first is the default):")?;
    for game in &games {
        writeln!(out, "  {}", game.info().name)?;
        for evaluator in game.evaluators() {
            writeln!(out, "    eval={}: {}", evaluator.name, evaluator.summary)?;
            write!(out, "{}", key_list(evaluator.keys, "        "))?;
        }
    }
    if !global.quiet {
        writeln!(
            out,
            "\nAn agent is one word everywhere: name or name:key=value,key=value, e.g. mcts:sims=5000,c=1, or level=4."
        )?;
    }
    Ok(())
}

/// The words that are understood beside those that are written, in their order.
fn synonyms() -> String {
    let words = |(synonym, usual): &(&str, &str)| format!("{synonym} for {usual}");
    NAME_SYNONYMS.iter().chain(KEY_SYNONYMS).map(words).collect::<Vec<_>>().join(", ")
}

/// Opponents in columns, numbered from 1; those of a published work stand below its name.
pub fn opponent_table<const COLUMNS: usize>(
    opponents: &[Opponent],
    leans: [Lean; COLUMNS],
    row: impl Fn((&Opponent, usize)) -> [String; COLUMNS],
) -> String {
    let rows: Vec<[String; COLUMNS]> = opponents.iter().zip(1..).map(row).collect();
    let mut work = None;
    let mut table = String::new();
    for (line, opponent) in columns(leans, &rows).lines().zip(opponents) {
        if opponent.work != work {
            work = opponent.work;
            let named = work.map_or_else(String::new, |work| format!("    from {work}:\n"));
            table.push_str(&named);
        }
        table.push_str(line);
        table.push('\n');
    }
    table
}

fn describe(agent: &AgentInfo, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "{}\n{}", agent.name, wrapped(agent.summary, "    "))?;
    write!(out, "{}", key_list(agent.keys, "    "))?;
    writeln!(out)?;
    Ok(())
}

fn listing(games: &[Box<dyn Session>]) -> Value {
    let agent_json = |agent: &AgentInfo| {
        let keys: Vec<Value> = agent.keys.iter().map(key_json).collect();
        json!({"name": agent.name, "summary": agent.summary, "keys": keys, "evaluates": agent.evaluates})
    };
    let [agents, pupils, external] =
        [AGENTS, TRAIN_ONLY, &[EXTERNAL]].map(|infos| infos.iter().map(agent_json).collect::<Vec<Value>>());
    let evaluator_json = |info: &EvaluatorInfo| json!({"name": info.name, "summary": info.summary, "keys": info.keys.iter().map(key_json).collect::<Vec<_>>()});
    let evaluators: serde_json::Map<String, Value> =
        games.iter().map(|game| (game.info().name.to_owned(), game.evaluators().iter().map(evaluator_json).collect())).collect();
    let opponent_json = |opponent: Opponent| json!({"name": opponent.name, "summary": opponent.summary, "work": opponent.work, "spec": opponent.spec});
    let opponents: serde_json::Map<String, Value> =
        games.iter().map(|game| (game.spec(), game.opponents().into_iter().map(opponent_json).collect())).collect();
    let common: Vec<Value> = COMMON_KEYS.iter().map(key_json).collect();
    json!({"agents": agents, "pupils": pupils, "external": external, "common_keys": common, "opponents": opponents, "evaluators": evaluators})
}
