//! The inventor's report, held to plain counting over the same games.

use plyground_core::{CancelToken, GameValue, Limits, NoClock, NoObserver, NoResources, Player, Seed, Turn};
use plyground_match::{Experiment, GameRow, Openings, RunPrefix, Seats, Store};
use plyground_session::open;
use plyground_statistics::Tally;
use plyground_studies::balance::{
    AHEAD, BalanceAnalysis, BalanceCell, BalanceFindings, BalanceMeasure, BalancePlan, Favoured, PositionJudge, Sweep, analyse,
    rows, sentences,
};
use plyground_studies::report::{Provenance, Report};

use crate::common::{Directory, experiment, games, play, play_pairings};

const GAMES: u64 = 40;
const JUDGED: u64 = 10;
const JUDGE: &str = "mcts:sims=20";

fn plan(game: &str, varied: &[(&str, &str)], agents: &[&str]) -> BalancePlan {
    let varied: Vec<(String, String)> = varied.iter().map(|&(key, values)| (key.to_owned(), values.to_owned())).collect();
    let agents: Vec<String> = agents.iter().map(|&agent| agent.to_owned()).collect();
    BalancePlan::new(Sweep::new(game, &varied).unwrap(), &agents, &Openings::Start, 3, &NoResources).unwrap()
}

fn played(store: &Store, plan: &BalancePlan) -> BalanceFindings {
    for run in &plan.runs {
        play_pairings(store, run, &plan.pairings(), GAMES);
    }
    let judge = PositionJudge { spec: JUDGE, resources: &NoResources };
    let analysis = BalanceAnalysis { store, games: GAMES, judge, judged: JUDGED, threads: 2, cancel: &CancelToken::new() };
    analyse(plan.clone(), &analysis, &mut |_| {}).unwrap()
}

/// The number of legal moves before every move of a player.
fn choices(game: &str, row: &GameRow) -> Vec<f64> {
    let mut session = open(game, None).unwrap();
    let mut choices = Vec::new();
    for played in &row.moves {
        if let Turn::Player(_) = session.turn() {
            choices.push(session.moves().len() as f64);
        }
        session.play(&played.text).unwrap();
    }
    choices
}

/// Who is ahead before every move but the first, by the plain definition: `None` where neither player clearly is.
fn leaders(game: &str, row: &GameRow) -> Vec<Option<Player>> {
    let mut session = open(game, None).unwrap();
    let seat = session.seat(JUDGE, Seed(row.hash()).named("judge"), &NoResources).unwrap();
    let mut opinions = Vec::new();
    for played in &row.moves {
        if let Turn::Player(player) = session.turn() {
            let value = session.think(seat, Limits::default(), &NoClock, &mut NoObserver).unwrap().value.unwrap();
            opinions.push(if player == Player::First { value } else { -value });
        }
        session.play(&played.text).unwrap();
    }
    let leader = |index: usize| {
        let both = f32::midpoint(opinions[index], opinions[index - 1]);
        if both >= AHEAD {
            Some(Player::First)
        } else if both <= -AHEAD {
            Some(Player::Second)
        } else {
            None
        }
    };
    (1..opinions.len()).map(leader).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-9
}

#[test]
fn every_figure_is_what_plain_counting_gives() {
    let directory = Directory::new();
    let store = directory.store();
    // One game with draws, one with chance.
    for (game, varied, agents) in [
        ("mnk", &[("size", "3x3..4x4"), ("k", "3")][..], &["random", "mcts:sims=15"][..]),
        ("tuc-chess", &[("limit", "6,20")], &["random"]),
    ] {
        let plan = plan(game, varied, agents);
        let findings = played(&store, &plan);
        assert_eq!(findings.cells.len(), plan.runs.len() * agents.len());
        for (setting, run) in plan.runs.iter().enumerate() {
            let all = games(&store, run);
            for agent in 0..agents.len() {
                let (cell, rows): (&BalanceCell, Vec<&GameRow>) =
                    (findings.cell(setting, agent), all.iter().filter(|row| row.agents[0] == agent).collect());
                check(cell, &run.experiment.game, &rows);
            }
        }
    }
}

#[test]
fn the_games_of_a_run_count_for_all_its_players() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("crosphere:size=4x4,strong=2", &["random", "mcts:sims=4", "mcts:sims=9"], 2).run();
    let games = play(&store, &run, 5).games();
    let judge = PositionJudge { spec: JUDGE, resources: &NoResources };
    let analysis = BalanceAnalysis { store: &store, games: 1, judge, judged: 3, threads: 2, cancel: &CancelToken::new() };
    let findings = analyse(BalancePlan::of_run(run.clone()).unwrap(), &analysis, &mut |_| {}).unwrap();
    let mut rows = Vec::new();
    store.games(RunPrefix { run: &run.id, pairs: 5 }, |row| rows.push(row)).unwrap();
    let [cell] = &findings.cells[..] else { panic!("{:?}", findings.cells) };
    assert_eq!((cell.tally.games(), cell.judged, rows.len() as u64), (games, 3, games), "three pairings of five pairs");
    let won = rows.iter().filter(|row| row.outcome.winner == Some(Player::First)).count() as u64;
    let plies = rows.iter().map(|row| row.plies() as f64).sum::<f64>() / games as f64;
    assert_eq!(cell.tally.wins, won);
    assert!(near(cell.plies.unwrap().value, plies));
    let said = sentences(&findings);
    assert!(
        said[0].starts_with(&format!("In the {games} games of crosphere:size=4x4,strong=2, the first player scores ")),
        "{said:?}"
    );
    let provenance = Provenance { command: "ply balance", machine: "a machine", seconds: 1.0 };
    let page = Report::on_balance(&findings, &provenance).unwrap().markdown();
    assert!(page.contains(&format!("{games} games of run {}, of all its players.", run.id)), "{page}");
}

fn check(cell: &BalanceCell, game: &str, rows: &[&GameRow]) {
    assert_eq!(rows.len() as u64, GAMES);
    let won = |winner: Option<Player>| rows.iter().filter(|row| row.outcome.winner == winner).count() as u64;
    let tally = Tally { wins: won(Some(Player::First)), draws: won(None), losses: won(Some(Player::Second)) };
    assert_eq!(cell.tally, tally);
    let score = BalanceMeasure::Score.of(cell).unwrap();
    assert!(near(score.value, (tally.wins as f64 + 0.5 * tally.draws as f64) / GAMES as f64));
    assert!(near(BalanceMeasure::Draws.of(cell).unwrap().value, tally.draws as f64 / GAMES as f64));
    let choices: Vec<Vec<f64>> = rows.iter().map(|row| choices(game, row)).collect();
    let plies: Vec<f64> = choices.iter().map(|choices| choices.len() as f64).collect();
    assert!(near(BalanceMeasure::Plies.of(cell).unwrap().value, mean(&plies)));
    let squares: Vec<f64> = plies.iter().map(|plies| plies * plies).collect();
    let variance = (mean(&squares) - mean(&plies).powi(2)) * GAMES as f64 / (GAMES as f64 - 1.0);
    assert!((cell.plies_deviation - variance.max(0.0).sqrt()).abs() < 1e-6);
    let branching: Vec<f64> = choices.iter().map(|choices| mean(choices)).collect();
    assert!(near(BalanceMeasure::Branching.of(cell).unwrap().value, mean(&branching)));
    check_stories(cell, game, rows);
}

fn check_stories(cell: &BalanceCell, game: &str, rows: &[&GameRow]) {
    let (mut changes, mut turned, mut decided) = (Vec::new(), 0, Vec::new());
    for row in rows.iter().filter(|row| row.pair < JUDGED) {
        let mut leaders = leaders(game, row);
        leaders.push(row.outcome.winner);
        let known: Vec<Player> = leaders.iter().copied().flatten().collect();
        let count = known.windows(2).filter(|two| two[0] != two[1]).count();
        changes.push(count as f64);
        turned += u32::from(count > 0);
        if let Some(winner) = row.outcome.winner {
            // The first position from which on only the winner leads, and in which the winner does.
            let since = (0..leaders.len())
                .find(|&begin| {
                    leaders[begin] == Some(winner) && leaders[begin..].iter().flatten().all(|&leader| leader == winner)
                })
                .unwrap();
            decided.push((since + 1) as f64 / leaders.len() as f64);
        }
    }
    assert_eq!(cell.judged, JUDGED);
    assert!(near(cell.lead_changes.unwrap().value, mean(&changes)));
    assert!(near(cell.turned.unwrap().value, f64::from(turned) / JUDGED as f64));
    if decided.len() > 1 {
        assert!(near(cell.decided_at.unwrap().value, mean(&decided)), "{:?} {}", cell.decided_at, mean(&decided));
    }
}

/// Findings with these results of the first player, an agent and a setting each, and nothing else.
fn imagined(tallies: &[&[[u64; 3]]]) -> BalanceFindings {
    let sizes = format!("3x3..{0}x{0}", tallies.len() + 2);
    let agents: Vec<String> = (1..=tallies[0].len()).map(|number| format!("mcts:sims={number}")).collect();
    let plan = plan("crosphere:strong=1", &[("size", &sizes)], &agents.iter().map(String::as_str).collect::<Vec<_>>());
    let mut cells = Vec::new();
    for (setting, agents) in tallies.iter().enumerate() {
        for (agent, &[wins, draws, losses]) in agents.iter().enumerate() {
            cells.push(BalanceCell {
                setting,
                agent,
                tally: Tally { wins, draws, losses },
                faults: 0,
                redundancy: 0.0,
                plies: None,
                plies_deviation: 0.0,
                branching: None,
                judged: 0,
                lead_changes: None,
                turned: None,
                decided_at: None,
            });
        }
    }
    let values = vec![None; plan.runs.len()];
    BalanceFindings { plan, judge: JUDGE.to_owned(), cells, values }
}

#[test]
fn an_advantage_is_named_only_if_chance_would_not_show_one_among_all_cells() {
    // 60 of 100 in one cell are an advantage (Wilson: 50.2 to 69.1 %), but not in one of six.
    let alone = imagined(&[&[[60, 0, 40]]]);
    assert_eq!(alone.favoured(&alone.cells[0]), Favoured::Shown(Player::First));
    let many = imagined(&[&[[60, 0, 40], [50, 0, 50]], &[[50, 0, 50], [50, 0, 50]], &[[40, 0, 60], [10, 0, 90]]]);
    let favoured: Vec<Favoured> = many.cells.iter().map(|cell| many.favoured(cell)).collect();
    assert_eq!(favoured[..5], [Favoured::NotShown; 5]);
    assert_eq!(favoured[5], Favoured::Shown(Player::Second));
    assert_eq!(rows(&many)[5][3..5], ["10.0 % [5.5, 17.4]".to_owned(), "second".to_owned()]);
}

#[test]
fn the_sentences_say_what_the_figures_say() {
    let mut findings = imagined(&[
        &[[500, 0, 500], [900, 0, 100]],
        &[[500, 0, 500], [300, 0, 700]],
        &[[500, 0, 500], [50, 895, 55]],
        &[[480, 0, 520], [510, 0, 490]],
    ]);
    findings.values = vec![Some(GameValue::Win), Some(GameValue::Win), None, Some(GameValue::Draw)];
    let found = sentences(&findings);
    assert_eq!(
        found[..7],
        [
            "With mcts:sims=2 on both sides, the first player is favoured in 1 of 4 settings, the second in 1; 2 are not \
             distinguishable from fair.",
            "The first player is favoured most with 3x3: 90.0 % [88.0, 91.7] of the points.",
            "The second player is favoured most with 4x4: 70.0 % [67.1, 72.8] of the points.",
            "Closest to fair is 5x5, where the first player scores 49.8 % [48.7, 50.8], not distinguishable from fair (nor is 1 \
             other setting). But 89.5 % of its games are drawn.",
            "Over all agents 5x5 stays closest to fair: the first player scores from 49.8 % to 50.0 %.",
            "With perfect play the first player wins with 3x3; 4x4. With perfect play it is a draw with 6x6.",
            "With mcts:sims=2 the player who should win is the favoured one in 1 of these 2 decided settings.",
        ]
    );
    assert_eq!(
        found[7],
        "From mcts:sims=1 to mcts:sims=2 the first player's score rises in 1 of 4 settings, most with 3x3: from 50.0 % to 90.0 %; it \
         falls in 1 of 4 settings, most with 4x4: from 50.0 % to 30.0 %; it shows no change in 2."
    );
    let nothing = sentences(&imagined(&[&[[9, 0, 1], [0, 0, 0]]]));
    assert_eq!(nothing, ["mcts:sims=2 has not finished a game."]);
}

#[test]
fn what_the_same_agents_played_against_each_other_is_another_run() {
    let directory = Directory::new();
    let store = directory.store();
    let plan = plan("tictactoe", &[], &["random", "mcts:sims=15"]);
    let other = Experiment { seats: Seats::Fixed, seed: 3, ..experiment("tictactoe", &["random", "mcts:sims=15"], 0) }.run();
    play_pairings(&store, &other, &[[0, 0], [0, 1]], GAMES);
    assert_ne!(other.id, plan.runs[0].id);
    let findings = played(&store, &plan);
    assert_eq!([0, 1].map(|agent| findings.cell(0, agent).tally.games()), [GAMES; 2]);
}

#[test]
fn a_judge_that_says_nothing_is_refused() {
    let check = |spec| PositionJudge { spec, resources: &NoResources }.check("tuc-chess");
    assert_eq!(check("mcts:sims=5"), Ok(()));
    assert!(check("random").unwrap_err().to_string().contains("expected an agent that says what it expects"));
    assert!(check("mtcs").is_err());
}

#[test]
fn the_report_has_everything_in_it() {
    let directory = Directory::new();
    let store = directory.store();
    let mut findings = played(&store, &plan("mnk", &[("size", "3x3..4x4"), ("k", "2..3")], &["random", "mcts:sims=15"]));
    findings.values[0] = Some(GameValue::Win);
    let provenance = Provenance { command: "ply balance mnk & more", machine: "a machine", seconds: 1.0 };
    let report = Report::on_balance(&findings, &provenance).unwrap();
    let (page, text) = (report.html(), report.markdown());
    assert!(!page.contains("<script") && !page.contains("src=") && !page.contains("href="), "it needs no other file");
    // Two heat maps, and for each of six measures a plot for each of two parameters.
    assert_eq!(page.matches("<svg").count(), 2 + 6 * 2);
    assert!(page.contains("ply balance mnk &amp; more") && text.contains("ply balance mnk & more"));
    for sentence in sentences(&findings) {
        assert!(text.contains(&sentence), "{sentence}");
    }
    for row in rows(&findings) {
        assert!(text.contains(&format!("| {} |", row.join(" | "))), "{row:?}");
    }
    assert!(!page.contains("NaN") && !page.contains("inf"), "no number is missing");
}
