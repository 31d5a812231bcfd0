//! Law: a position is refused with an error, or accepted and written back the same; an accepted one can be played on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plyground_session::{Seed, infos, open};

fuzz_target!(|input: (u8, u64, &str)| {
    let (game, seed, text) = input;
    let infos = infos();
    let info = infos[usize::from(game) % infos.len()];
    let Ok(mut session) = open(info.name, Some(text)) else { return };
    assert_eq!(session.position(), text);
    let again = open(&session.spec(), Some(text)).expect("the spec of an accepted position fits it");
    assert_eq!(again.position(), text);
    let mut rng = Seed(seed).rng();
    for _ in 0..20 {
        if session.roll(&mut rng).is_some() {
            continue;
        }
        let moves = session.moves();
        if moves.is_empty() {
            break;
        }
        session.play(&moves[rng.below(moves.len() as u32) as usize].text).expect("a listed move can be played");
    }
    let _ = session.view();
});
