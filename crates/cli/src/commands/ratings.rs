//! `ply ratings RUN…`: the agents of one or several runs on one scale.

use std::io::Write;

use anyhow::bail;
use plyground_match::{Results, RunPrefix};
use plyground_statistics::{Anchor, Meeting, RatingError, Ratings, rate};
use serde_json::{Value, json};

use crate::runs::{find_run, open_store};
use plyground_args::{Global, RatingsArgs};
use plyground_terminal::{Lean, columns, print_json};

pub fn run(args: &RatingsArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let store = open_store(global)?;
    let mut agents: Vec<String> = Vec::new();
    let mut meetings = Vec::new();
    let mut game: Option<String> = None;
    for name in &args.runs {
        let row = find_run(&store, name)?;
        let played = row.run.experiment.game.clone();
        if let Some(other) = game.replace(played.clone()).filter(|other| *other != played) {
            bail!("expected runs of one game, found {other} and {played}");
        }
        let number: Vec<usize> = row.run.experiment.agents.iter().map(|agent| number_of(&mut agents, agent)).collect();
        let of_run = Results::read(&store, row.run.experiment.seats, RunPrefix::all(&row.run.id))?.meetings();
        meetings.extend(of_run.into_iter().map(|met| Meeting { first: number[met.first], second: number[met.second], ..met }));
    }
    let ratings = match rate(agents.len(), &meetings, Anchor::Mean) {
        Ok(ratings) => ratings,
        Err(RatingError::Disconnected { groups }) => {
            let named = |group: &Vec<usize>| group.iter().map(|&agent| agents[agent].as_str()).collect::<Vec<_>>().join(", ");
            let groups: Vec<String> = groups.iter().map(named).collect();
            bail!("expected games that connect all agents, found groups that never met: {}", groups.join(" | "));
        }
        Err(error) => return Err(error.into()),
    };
    let mut order: Vec<usize> = (0..agents.len()).collect();
    order.sort_by(|&a, &b| ratings.players[b].elo.total_cmp(&ratings.players[a].elo));
    if global.json {
        return print_json(out, &page(&agents, &order, &ratings));
    }
    writeln!(out, "{}", game.unwrap_or_default())?;
    let mut rows = vec![["", "agent", "Elo", "stronger than the next"].map(str::to_owned)];
    for (place, &agent) in order.iter().enumerate() {
        let next = order.get(place + 1).map(|&next| format!("{:.1} %", 100.0 * ratings.superiority(agent, next)));
        let rating = ratings.players[agent];
        rows.push([(place + 1).to_string(), agents[agent].clone(), rating.to_string(), next.unwrap_or_default()]);
    }
    write!(out, "{}", columns([Lean::Right, Lean::Left, Lean::Right, Lean::Right], &rows))?;
    writeln!(
        out,
        "\nmoving first is worth {} Elo; {:.1} % of the games between equals are drawn",
        ratings.first_move,
        100.0 * ratings.draw_share
    )?;
    writeln!(out, "\nlikelihood of superiority of the row over the column, in per cent")?;
    let width = 5;
    write!(out, "{:>4}", "")?;
    (1..=order.len()).try_for_each(|place| write!(out, "{place:>width$}"))?;
    writeln!(out)?;
    for (place, &one) in order.iter().enumerate() {
        write!(out, "{:>4}", place + 1)?;
        for &other in &order {
            let cell = if one == other { "-".to_owned() } else { format!("{:.0}", 100.0 * ratings.superiority(one, other)) };
            write!(out, "{cell:>width$}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn number_of(agents: &mut Vec<String>, agent: &str) -> usize {
    agents.iter().position(|known| known == agent).unwrap_or_else(|| {
        agents.push(agent.to_owned());
        agents.len() - 1
    })
}

fn page(agents: &[String], order: &[usize], ratings: &Ratings) -> Value {
    let agent = |&agent: &usize| {
        let rating = ratings.players[agent];
        json!({"agent": agents[agent], "elo": rating.elo, "elo_error": rating.error()})
    };
    let superiority: Vec<Vec<f64>> =
        order.iter().map(|&one| order.iter().map(|&other| ratings.superiority(one, other)).collect()).collect();
    json!({
        "agents": order.iter().map(agent).collect::<Vec<_>>(),
        "first_move": ratings.first_move.elo,
        "first_move_error": ratings.first_move.error(),
        "draw_share": ratings.draw_share,
        "superiority": superiority,
    })
}
