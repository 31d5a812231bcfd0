//! Law: a word is refused with an error, or it is one of the listed moves (or outcomes) and is played.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plyground_session::{infos, open};

fuzz_target!(|input: (u8, u8, &str)| {
    let (game, sample, text) = input;
    let infos = infos();
    let info = infos[usize::from(game) % infos.len()];
    let sample = info.samples[usize::from(sample) % info.samples.len()];
    let mut session = open(sample, None).expect("a sample opens");
    for word in text.split('\n') {
        let mut listed: Vec<String> = session.moves().into_iter().map(|mv| mv.text).collect();
        listed.extend(session.outcomes().into_iter().map(|(outcome, _)| outcome));
        let before = session.position();
        match session.play(word) {
            Ok(played) => assert!(listed.contains(&played), "{sample}: {before}: {word:?} was played as {played}"),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                assert_eq!(session.position(), before, "a refused move changes nothing");
            }
        }
    }
});
