//! Law: a game or agent spec is refused with an error, or opens a game whose own spec opens the same game.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plyground_session::{NoResources, Seed, infos, open};

fuzz_target!(|input: (u8, &str)| {
    let (game, text) = input;
    let infos = infos();
    let info = infos[usize::from(game) % infos.len()];
    for spec in [text.to_owned(), format!("{}:{text}", info.name)] {
        if let Ok(session) = open(&spec, None) {
            let again = open(&session.spec(), None).expect("a game's own spec opens it");
            assert_eq!((again.spec(), again.position()), (session.spec(), session.position()));
        }
    }
    let mut session = open(info.name, None).expect("every game opens with its defaults");
    let _ = session.seat(text, Seed(0), &NoResources);
    for agent in plyground_session::AGENTS {
        let _ = session.seat(&format!("{}:{text}", agent.name), Seed(0), &NoResources);
    }
});
