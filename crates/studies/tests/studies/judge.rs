//! What `ply judge` says of evaluations is what follows from looking at every position by hand.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;

use plyground_core::{Limits, NoClock, NoObserver, NoResources, Player, Seed, Turn};
use plyground_judge::{Contender, JudgeSettings, Judging, judge};
use plyground_session::{Session, open};
use plyground_statistics::kendall_tau_b;
use plyground_studies::judge::{JudgeFindings, Judgement, contenders_of, evaluations, findings, predictions, score_in};
use plyground_studies::report::{Played, Provenance, Report};
use plyground_studies::study::Study;

use crate::common::{Directory, play_pairings};

fn order(contenders: &[Contender], most: usize, sample: usize) -> JudgeSettings<'_> {
    let time = Duration::from_secs(1);
    JudgeSettings { contenders, most, sample, seed: Seed(1), memory: 16, time, clock: &|| Box::new(NoClock) }
}

fn judging(game: &str, order: &JudgeSettings<'_>) -> Judging {
    let found = judge(game, None, order, &NoResources, &mut |_, _, _| ControlFlow::Continue(()));
    found.unwrap().expect("the watch did not end it")
}

fn judged(game: &str, contenders: &[Contender], most: usize, sample: usize) -> JudgeFindings {
    findings(game, &judging(game, &order(contenders, most, sample)), contenders, Seed(1))
}

fn random() -> Contender {
    Contender { name: "random".to_owned(), specs: ["random".to_owned(), "random".to_owned()] }
}

/// A position by hand: who moves, what it is worth to the first player, and where the moves lead.
struct Known {
    mover: Option<Player>,
    value: f64,
    /// The plies to the end with best play, where a player wins.
    plies: u32,
    next: Vec<(String, String)>,
}

/// All positions behind this one by plain minimax on texts.
fn learn(session: &mut dyn Session, known: &mut BTreeMap<String, Known>) -> String {
    let position = session.position();
    if known.contains_key(&position) {
        return position;
    }
    let found = match session.turn() {
        Turn::Over(outcome) => Known { mover: None, value: f64::from(outcome.value()), plies: 0, next: Vec::new() },
        Turn::Chance => panic!("no chance here"),
        Turn::Player(mover) => {
            let mut next = Vec::new();
            for legal in session.moves() {
                session.play(&legal.text).unwrap();
                next.push((legal.text, learn(session, known)));
                session.undo();
            }
            let sign = f64::from(mover.sign());
            let value = sign * next.iter().map(|(_, child)| sign * known[child].value).fold(f64::NEG_INFINITY, f64::max);
            let lengths =
                next.iter().map(|(_, child)| &known[child]).filter(|child| child.value == value).map(|child| child.plies + 1);
            let plies = if sign * value > 0.0 { lengths.min() } else { lengths.max() };
            Known { mover: Some(mover), value, plies: plies.unwrap(), next }
        }
    };
    known.insert(position.clone(), found);
    position
}

/// The moves that an agent thinks best, by asking it for its opinion of all of them.
fn best_in_its_eyes(game: &str, position: &str, spec: &str) -> Vec<String> {
    let mut session = open(game, Some(position)).unwrap();
    if spec == "random" {
        return session.moves().into_iter().map(|legal| legal.text).collect();
    }
    let seat = session.seat(spec, Seed(5), &NoResources).unwrap();
    let advice = session.think(seat, Limits::default(), &NoClock, &mut NoObserver).unwrap();
    let best = advice.candidates[0].value;
    advice.candidates.into_iter().take_while(|candidate| candidate.value == best).map(|candidate| candidate.mv).collect()
}

/// Share of best moves in all positions and where one can err, and points lost.
fn by_hand(game: &str, known: &BTreeMap<String, Known>, contender: &Contender) -> [f64; 3] {
    let (mut best, mut hard, mut loss, mut positions, mut can_err) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (position, here) in known {
        let Some(mover) = here.mover else { continue };
        let chosen = best_in_its_eyes(game, position, &contender.specs[mover.index()]);
        let after = |mv: &String| known[&here.next.iter().find(|(text, _)| text == mv).unwrap().1].value;
        let kept = chosen.iter().filter(|mv| after(mv) == here.value).count() as f64 / chosen.len() as f64;
        let lost = chosen.iter().map(|mv| (here.value - after(mv)).abs() / 2.0).sum::<f64>() / chosen.len() as f64;
        let errors = here.next.iter().any(|(_, child)| known[child].value != here.value);
        positions += 1.0;
        best += kept;
        loss += lost;
        if errors {
            can_err += 1.0;
            hard += kept;
        }
    }
    [best / positions, hard / can_err, loss / positions]
}

/// The points of the first player, by following every choice of both; `found` keeps those that are known already.
fn score_by_hand(
    game: &str,
    known: &BTreeMap<String, Known>,
    position: &str,
    specs: [&str; 2],
    found: &mut BTreeMap<String, f64>,
) -> f64 {
    if let Some(&score) = found.get(position) {
        return score;
    }
    let here = &known[position];
    let Some(mover) = here.mover else { return 0.5 + 0.5 * here.value };
    let chosen = best_in_its_eyes(game, position, specs[mover.index()]);
    let next = |mv: &String| &here.next.iter().find(|(text, _)| text == mv).unwrap().1;
    let points: f64 = chosen.iter().map(|mv| score_by_hand(game, known, next(mv), specs, found)).sum();
    found.insert(position.to_owned(), points / chosen.len() as f64);
    points / chosen.len() as f64
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-9
}

fn of<'a>(found: &'a JudgeFindings, name: &str) -> &'a Judgement {
    found.judgements.iter().find(|judgement| judgement.name == name).unwrap()
}

#[test]
fn all_numbers_are_those_that_come_out_by_hand() {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    for (game, evaluations, second) in [
        ("pawn:size=3x3", evaluations(&names(&["advanced", "simple"]), &[1, 2], "view=second"), true),
        ("clobber:size=3x2", evaluations(&names(&["live"]), &[1, 3], ""), false),
        ("tictactoe", evaluations(&names(&["lines"]), &[2], ""), false),
        ("crosphere:size=2x2,strong=1", evaluations(&names(&["links:w=0.7"]), &[1], ""), false),
    ] {
        let contenders: Vec<Contender> = evaluations.into_iter().chain([random()]).collect();
        assert_eq!(contenders[0].specs[0] != contenders[0].specs[1], second);
        let found = judged(game, &contenders, 10_000, 0);
        let mut known = BTreeMap::new();
        let start = learn(open(game, None).unwrap().as_mut(), &mut known);
        let open_positions: Vec<&Known> = known.values().filter(|known| known.mover.is_some()).collect();
        assert_eq!((found.population.positions, found.population.all), (open_positions.len(), true));
        let won = open_positions.iter().filter(|known| known.value * f64::from(known.mover.unwrap().sign()) > 0.0).count();
        assert_eq!(found.population.values[0], won, "{game}");
        for contender in &contenders {
            let judgement = of(&found, &contender.name);
            let [best, hard, loss] = by_hand(game, &known, contender);
            assert!(near(judgement.best.unwrap().value, best), "{game} {}: {judgement:?} {best}", contender.name);
            // Where no move is an error, no contender is measured by that.
            let found_hard = judgement.best_of_hard.map_or(f64::NAN, |share| share.value);
            assert!(near(found_hard, hard) || found_hard.is_nan() && hard.is_nan(), "{game}: {judgement:?} {hard}");
            assert!(near(judgement.loss.unwrap().value, loss), "{game} {}: {judgement:?} {loss}", contender.name);
            assert_eq!(judgement.loss.unwrap().interval.low, judgement.loss.unwrap().interval.high, "all is known");
        }
        let scores = found.scores.as_ref().unwrap();
        assert_eq!(scores.names, contenders.iter().map(|contender| contender.name.clone()).collect::<Vec<_>>());
        for (row, first) in contenders.iter().enumerate() {
            for (column, second) in contenders.iter().enumerate() {
                let expected = score_by_hand(game, &known, &start, [&first.specs[0], &second.specs[1]], &mut BTreeMap::new());
                assert!(near(scores.table[row][column], expected), "{game} {} {}: {expected}", first.name, second.name);
            }
        }
        // The lowest loss is first.
        let losses: Vec<f64> = found.judgements.iter().map(|judgement| judgement.loss.unwrap().value).collect();
        assert!(losses.is_sorted(), "{losses:?}");
    }
}

/// How long a random game lasts from here, on the average.
fn length(known: &BTreeMap<String, Known>, position: &str) -> f64 {
    let next = &known[position].next;
    if next.is_empty() { 0.0 } else { 1.0 + next.iter().map(|(_, child)| length(known, child)).sum::<f64>() / next.len() as f64 }
}

#[test]
fn lengths_and_visits_are_those_of_the_tree() {
    let game = "pawn:size=3x3";
    let contenders = [random()];
    let judging = judging(game, &order(&contenders, 10_000, 0));
    let mut known = BTreeMap::new();
    let start = learn(open(game, None).unwrap().as_mut(), &mut known);
    let count = |plies: u32| known.values().filter(|known| known.mover.is_some() && known.plies == plies).count();
    for plies in 1..20 {
        let found = judging.truths.iter().filter(|truth| truth.plies == Some(plies)).count();
        assert_eq!(found, count(plies), "{plies} plies");
    }
    // All visits together are the mean length of a random game.
    let visits: f64 = judging.truths.iter().map(|truth| truth.reach).sum();
    assert!(near(visits, length(&known, &start)), "{visits}");
}

#[test]
fn a_sample_is_near_the_whole_and_says_how_near() {
    let game = "pawn:size=4x4";
    let contenders: Vec<Contender> = evaluations(&["simple".to_owned()], &[1], "").into_iter().chain([random()]).collect();
    let (whole, sample) = (judged(game, &contenders, 100_000, 0), judged(game, &contenders, 0, 600));
    assert!(!sample.population.all && sample.population.positions == 600);
    // A position of a random game, each as likely: near what counts by visits, though long games weigh less there.
    for name in ["simple", "random"] {
        let (loss, all) = (of(&sample, name).loss.unwrap(), of(&whole, name).loss_in_play.unwrap().value);
        assert!(loss.interval.low < loss.value && loss.value < loss.interval.high);
        assert!((loss.value - all).abs() < 0.08, "{name}: {loss:?} {all}");
        assert_eq!(of(&sample, name).loss_in_play, None);
    }
    let tau = of(&sample, "simple").tau.unwrap();
    assert!(tau.interval.low < tau.value && tau.value < tau.interval.high, "{tau:?}");
    assert_eq!(sample.scores, None);
}

#[test]
fn a_perfect_agent_throws_nothing_away() {
    let solve = Contender { name: "solve".to_owned(), specs: ["solve".to_owned(), "solve".to_owned()] };
    let found = judged("pawn:size=3x3", &[solve, random()], 10_000, 0);
    assert_eq!(found.judgements[0].name, "solve");
    assert_eq!(found.judgements[0].loss.unwrap().value, 0.0);
    assert_eq!(found.judgements[0].best.unwrap().value, 1.0);
    // What it could choose is not known, only what it chose.
    assert_eq!(found.judgements[0].score, None);
}

#[test]
fn nothing_is_judged_where_chance_plays_or_when_the_watch_ends_it() {
    let contenders = [random()];
    let refused = judge("tuc-chess", None, &order(&contenders, 10, 10), &NoResources, &mut |_, _, _| ControlFlow::Continue(()));
    assert!(refused.unwrap_err().to_string().contains("chance"));
    let stopped = judge("tictactoe", None, &order(&contenders, 100_000, 10), &NoResources, &mut |_, _, _| ControlFlow::Break(()));
    assert!(stopped.unwrap().is_none());
    let unknown = evaluations(&["simpel".to_owned()], &[1], "");
    let refused = judge("pawn", None, &order(&unknown, 10, 10), &NoResources, &mut |_, _, _| ControlFlow::Continue(()));
    assert!(refused.unwrap_err().to_string().contains("expected one of advanced, simple"));
}

const STUDY: &str = "
title = 'four'
source = 's'
question = 'q'
games = 20
[[run]]
game = 'pawn:size=3x3'
seats = 'fixed'
";

#[test]
fn games_of_a_study_are_compared_with_the_truth() {
    let agents = [
        ("random", "random", "random"),
        ("one", "minimax:depth=1,eval=simple", "minimax:depth=1,eval=simple,view=second"),
        ("two", "alphabeta:depth=2,eval=simple", "alphabeta:depth=2,eval=simple,view=second"),
    ];
    let mut text = STUDY.to_owned();
    for (row, first, _) in agents {
        for (column, _, second) in agents {
            text += &format!("[[run.cell]]\nrow = '{row}'\ncolumn = '{column}'\nfirst = '{first}'\nsecond = '{second}'\n");
        }
    }
    let study = Study::read(&text).unwrap();
    let part = &study.runs[0];
    let contenders = contenders_of(part);
    assert_eq!(contenders.iter().map(|contender| contender.name.as_str()).collect::<Vec<_>>(), ["random", "one", "two"]);
    assert_eq!(contenders[2].specs.each_ref().map(String::as_str), [agents[2].1, agents[2].2]);
    let directory = Directory::new();
    let run = part.run(0, &NoResources).unwrap();
    let results = play_pairings(&directory.store(), &run, &part.pairings(), 20);
    let score = |name: &str| score_in(part, &results, name);
    let total: f64 = agents.iter().map(|(name, ..)| score(name).unwrap()).sum();
    assert!(near(total, 1.5), "every point goes to a contender: {total}");
    let found = judged("pawn:size=3x3", &contenders, 10_000, 0);
    let predicted = predictions(&found.judgements, &score);
    let exact = predicted.iter().find(|prediction| prediction.criterion == "exact score against the others").unwrap();
    let points: Vec<(f64, f64)> =
        found.judgements.iter().map(|judgement| (judgement.score.unwrap(), score(&judgement.name).unwrap())).collect();
    assert_eq!((exact.contenders, exact.pairs, exact.tau), (3, 3, kendall_tau_b(&points).unwrap()));
    let scores = agents.iter().map(|(name, ..)| ((*name).to_owned(), score(name).unwrap())).collect();
    let played = Played { title: "four".to_owned(), scores, predictions: predicted };
    let page =
        Report::on_judging(&found, Some(&played), &Provenance { command: "ply judge", machine: "a machine", seconds: 1.0 })
            .unwrap()
            .html();
    crate::report::stands_alone(&page);
    assert!(crate::report::elements(&page).iter().filter(|element| *element == "svg").count() == 3);
    assert!(page.contains("exact score against the others"));
}
