//! Tuning finds what is best where that is known, without a game; and it writes the specs that it means.

use plyground_core::{Rng, Seed};
use plyground_studies::report::{GridPoint, Provenance, Report, Tuned, TuningPath};
use plyground_studies::tune::{Halving, Param, QuadraticModel, Spsa, grid, value_in, with_values};

fn param(text: &str) -> Param {
    Param::read(text).unwrap()
}

/// The lead of one player over another of these strengths in so many games, each won with the probability that Elo's formula gives.
fn lead(rng: &mut Rng, one: f64, other: f64, games: u32) -> f64 {
    let chance = 1.0 / (1.0 + 10_f64.powf((other - one) / 400.0));
    let won = (0..games).filter(|_| rng.unit() < chance).count();
    2.0 * won as f64 / f64::from(games) - 1.0
}

#[test]
fn spsa_finds_the_top_of_a_known_hill() {
    let params = [param("c=0.1..2.0"), param("sims=10..1000:log"), param("depth=1..9")];
    // 600 Elo below the top at the far end of each range.
    let top = [0.7, 0.3, 0.5];
    let strength = |texts: &[String]| -> f64 {
        let off = params.iter().zip(texts).zip(top).map(|((param, text), top)| param.domain.place(text).unwrap() - top);
        off.map(|off| -600.0 * off * off).sum()
    };
    for seed in 0..5 {
        for start in [[0.0, 1.0, 0.0], [1.0, 0.9, 1.0], [0.2, 0.0, 0.9]] {
            let mut rng = Seed(seed).named("games").rng();
            let mut spsa = Spsa::new(&params, start.to_vec(), 500, Seed(seed)).unwrap();
            let mut steps = 0;
            while let Some(places) = spsa.ask() {
                let texts = places
                    .map(|place| params.iter().zip(&place).map(|(param, &place)| param.domain.text(place)).collect::<Vec<_>>());
                assert!(texts[0].iter().zip(&texts[1]).all(|(one, other)| one != other), "{texts:?} do not differ in everything");
                let lead = lead(&mut rng, strength(&texts[0]), strength(&texts[1]), 16);
                spsa.learn(lead);
                steps += 1;
            }
            assert_eq!((steps, spsa.path().len()), (500, 501));
            let settled = spsa.settled();
            for (place, top) in settled.iter().zip(top) {
                assert!((place - top).abs() < 0.15, "from {start:?}, seed {seed}: {settled:?}");
            }
            // The hill that it has seen has the right height, about: 600 Elo times 0.3 squared are 54.
            let hill = QuadraticModel::seen_by(&spsa).unwrap();
            let below = hill.elo(0, top[0] - 0.3, top[0]);
            assert!((-90.0..-25.0).contains(&below), "seed {seed}: {below}");
        }
    }
}

#[test]
fn spsa_without_a_difference_goes_nowhere_and_stays_inside() {
    let params = [param("c=0..1.0")];
    for start in [0.0, 0.4, 1.0] {
        let mut spsa = Spsa::new(&params, vec![start], 50, Seed(3)).unwrap();
        while let Some([one, other]) = spsa.ask() {
            assert!([one[0], other[0]].iter().all(|place| (0.0..=1.0).contains(place)) && one != other);
            spsa.learn(0.0);
        }
        assert!((spsa.settled()[0] - start).abs() < 1e-9, "{:?}", spsa.settled());
        let mut spsa = Spsa::new(&params, vec![start], 400, Seed(3)).unwrap();
        while let Some([one, other]) = spsa.ask() {
            spsa.learn(if one[0] > other[0] { 1.0 } else { -1.0 });
        }
        assert_eq!(spsa.path().last().unwrap(), &[1.0], "more is always better");
    }
    let refused = Spsa::new(&[param("leaf=a|b")], vec![0.5], 10, Seed(0)).unwrap_err().to_string();
    assert!(refused.contains("expected numbers"), "{refused}");
}

#[test]
fn halving_keeps_the_best_and_spends_what_it_may() {
    for candidates in [2_usize, 3, 7, 8, 20] {
        let mut right = 0;
        for seed in 0..40 {
            let mut rng = Seed(seed).rng();
            let best = rng.below(candidates as u32) as usize;
            let strength = |who: usize| -40.0 * (who as f64 - best as f64).abs().min(3.0);
            let mut won = vec![(0.0, 0_u64); candidates];
            let mut halving = Halving::new(candidates, 2_000);
            while let Some((left, trials)) = halving.ask() {
                for &who in left {
                    while won[who].1 < trials {
                        let lead = lead(&mut rng, strength(who), 0.0, 1);
                        won[who] = (won[who].0 + 0.5 + 0.5 * lead, won[who].1 + 1);
                    }
                }
                halving.learn(|who| won[who].0 / won[who].1 as f64);
            }
            let spent: u64 = won.iter().map(|(_, trials)| trials).sum();
            assert!((1_000..=2_100).contains(&spent), "{candidates} candidates: {spent}");
            right += u32::from((halving.best() as f64 - best as f64).abs() <= 1.0);
        }
        assert!(right >= 36, "{candidates} candidates: the best or its neighbour in {right} of 40");
    }
    assert!(Halving::new(1, 100).ask().is_none());
}

#[test]
fn values_are_written_into_specs() {
    let params = [param("c=0.1..2.0"), param("sims=10..1000:log")];
    let values = |places: [f64; 2]| params.iter().zip(places).map(|(param, place)| param.domain.text(place)).collect::<Vec<_>>();
    assert_eq!(with_values("mcts", &params, &values([0.0, 0.0])), "mcts:c=0.1,sims=10");
    assert_eq!(with_values("mcts:sims=50,reuse=on", &params, &values([1.0, 0.5])), "mcts:sims=100,reuse=on,c=2");
    assert_eq!(values([1.0 / 3.0, 2.0])[0], "0.7333");
    assert_eq!(value_in("mcts:sims=50,c=0.4", "c").as_deref(), Some("0.4"));
    assert_eq!(value_in("mcts:sims=50", "c"), None);
    for text in ["c=0.1..2.0", "sims=10..1000:log", "depth=1..6", "x=-3..3"] {
        let domain = param(text).domain;
        for step in 0..=20 {
            let place = f64::from(step) / 20.0;
            let again = domain.place(&domain.text(place)).unwrap();
            let widest = if matches!(text, "depth=1..6") {
                0.11
            } else if text == "x=-3..3" {
                0.09
            } else {
                0.02
            };
            assert!((again - place).abs() < widest, "{text} at {place}: {again}");
        }
        assert_eq!(domain.place("1e9"), None);
    }
}

#[test]
fn nonsense_is_refused_in_words() {
    for (text, expected) in [
        ("c", "expected key=from..to"),
        ("=1..2", "expected key=from..to"),
        ("c=1", "expected key=from..to"),
        ("c=2..1", "expected a smaller number before the dots"),
        ("c=1..1", "expected a smaller number before the dots"),
        ("c=0..1.0:log", "expected numbers above 0"),
        ("c=a..b", "expected key=from..to"),
        ("c=0.0..inf", "expected key=from..to"),
        ("leaf=a||b", "expected key=from..to"),
    ] {
        let refused = Param::read(text).unwrap_err().to_string();
        assert!(refused.contains(expected), "{text}: {refused}");
    }
    let many = [param("a=0.0..1.0"), param("b=0.0..1.0"), param("c=0.0..1.0")];
    assert!(grid(&many, 8).unwrap_err().to_string().contains("expected at most 256"));
}

#[test]
fn a_grid_has_every_combination_once() {
    let params = [param("depth=1..3"), param("leaf=a|b"), param("c=0.0..1.0")];
    let points = grid(&params, 5).unwrap();
    assert_eq!(points.len(), 3 * 2 * 5);
    let distinct: std::collections::HashSet<&Vec<String>> = points.iter().collect();
    assert_eq!(distinct.len(), points.len());
    assert_eq!(points[0], ["1", "a", "0"]);
    assert_eq!(points[29], ["3", "b", "1"]);
    assert_eq!(grid(&[param("sims=1..1000:log")], 4).unwrap(), [["1"], ["10"], ["100"], ["1000"]]);
}

#[test]
fn a_page_shows_the_way_and_the_points() {
    let tuned = Tuned {
        game: "tictactoe".to_owned(),
        original: "mcts:c=1".to_owned(),
        spec: "mcts:c=0.5".to_owned(),
        params: vec![param("c=0.1..2.0")],
        before: vec![None],
        values: vec!["0.5".to_owned()],
        path: Some(TuningPath {
            places: ["1", "0.8", "0.5"].map(|text| vec![text.to_owned()]).to_vec(),
            hills: vec![[("0.1", -20.0), ("0.5", 0.0), ("2", -50.0)].map(|(text, elo)| (text.to_owned(), elo)).to_vec()],
        }),
        points: vec![GridPoint { values: vec!["0.5".to_owned()], pairs: 8, score: 0.6, low: 0.5, high: 0.7 }],
        pairs: 8,
        verdict: None,
    };
    let page = Report::on_tuning(&tuned, &Provenance { command: "ply tune", machine: "a machine", seconds: 1.0 }).unwrap().html();
    crate::report::stands_alone(&page);
    assert_eq!(crate::report::elements(&page).iter().filter(|element| *element == "svg").count(), 3);
    assert!(page.contains("60.0 % [50.0, 70.0]"));
}
