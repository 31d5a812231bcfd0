//! Properties of everything that reads text: any text is an error or means something, and nothing panics.

use plyground_session::{JSON_LINES, NoResources, Seed, formats, infos, open, parse_duration, read_any, replay};
use proptest::prelude::*;

fn any_game() -> impl Strategy<Value = &'static str> {
    let names: Vec<&'static str> = infos().into_iter().map(|info| info.name).collect();
    prop::sample::select(names)
}

fn any_sample() -> impl Strategy<Value = &'static str> {
    let samples: Vec<&'static str> = infos().into_iter().flat_map(|info| info.samples.iter().copied()).collect();
    prop::sample::select(samples)
}

/// Text made of what positions, moves and specs are made of: more of it gets far into the parsers.
const LIKELY: &str = "[0-9xoGPprkRKwbg*@+?a-h/ ,=:-]{0,40}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn positions(game in any_game(), text in prop_oneof![LIKELY, ".{0,60}"]) {
        if let Ok(session) = open(game, Some(&text)) {
            prop_assert_eq!(session.position(), text);
        }
    }

    #[test]
    fn moves(sample in any_sample(), text in prop_oneof![LIKELY, ".{0,12}"]) {
        let mut session = open(sample, None).unwrap();
        let listed: Vec<String> = session.moves().into_iter().map(|mv| mv.text).collect();
        match session.play(&text) {
            Ok(played) => prop_assert!(listed.contains(&played)),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn specs(game in any_game(), keys in prop_oneof!["(size|k|own|double|random|strong|year|limit)=?[0-9x.-]{0,6}", LIKELY, ".{0,30}"]) {
        if let Ok(session) = open(&format!("{game}:{keys}"), None) {
            prop_assert_eq!(open(&session.spec(), None).unwrap().position(), session.position());
        }
        let mut session = open(game, None).unwrap();
        for agent in plyground_session::AGENTS {
            let _ = session.seat(&format!("{}:{keys}", agent.name), Seed(0), &NoResources);
        }
        let _ = session.seat(&keys, Seed(0), &NoResources);
        let _ = parse_duration(&keys);
    }

    #[test]
    fn records(text in prop_oneof![".{0,200}", "\\{\"plyground\":[0-9]{1,3}.{0,100}", "(\\[Player_1 \".{0,9}\"\\]\n)?([0-9]{1,2}\\. \\([01], \\([0-9], [0-9]\\)\\)\n){0,5}"]) {
        for format in formats() {
            if let Ok(records) = (format.read)(&text) {
                for record in &records {
                    let _ = replay(record);
                }
                prop_assert_eq!(read_any(&(JSON_LINES.write)(&records).unwrap()).unwrap(), records);
            }
        }
    }
}
