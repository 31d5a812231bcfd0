//! Starter kits: a bot that plays random legal moves, with the rules of the game and how to go on, as a zip that can be uploaded as it is.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use plyground_session::{InputError, open};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::bots::upload::Language;

/// The languages with a kit, each with the word for it in addresses, its file and the bot.
pub(crate) const KITS: [(Language, &str, &str, &str); 4] = [
    (Language::Python, "python", "random_bot.py", include_str!("../../../bots/random_bot.py")),
    (Language::Java, "java", "RandomBot.java", include_str!("../../../bots/RandomBot.java")),
    (Language::Rust, "rust", "random_bot.rs", include_str!("../../../bots/random_bot.rs")),
    (Language::Cpp, "cpp", "random_bot.cpp", include_str!("../../../bots/random_bot.cpp")),
];

/// The kit of a game in a language, by its word; `None` if there is none.
pub(crate) fn kit(game: &str, word: &str) -> Result<Option<Vec<u8>>, InputError> {
    let Some((_, _, file, bot)) = KITS.iter().find(|(_, known, ..)| *known == word) else { return Ok(None) };
    let readme = readme(game, file)?;
    let packed = || {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in [(*file, *bot), ("README.md", readme.as_str())] {
            zip.start_file(name, SimpleFileOptions::default())?;
            zip.write_all(text.as_bytes())?;
        }
        zip.finish().map(Cursor::into_inner)
    };
    Ok(packed().ok())
}

fn readme(game: &str, file: &str) -> Result<String, InputError> {
    let mut session = open(game, None)?;
    let info = session.info();
    let mut text = format!(
        "# A bot for {}\n\n`{file}` plays random legal moves in `{}`. Change the function `choose`, and nothing else has to change.\n\n\
         Try it with the checks and the limits of the arena, at home:\n\n```sh\nply arena try {file} --game {}\n```\n\n\
         Then upload it: the file alone, or a zip with all its files.\n\n## The rules\n\n{}\n\n## How moves are written\n\n{}\n",
        info.title,
        session.spec(),
        session.spec(),
        info.rules,
        info.notation
    );
    // A position with its moves says more than a description of them.
    let moves = |session: &dyn plyground_session::Session| {
        session.moves().iter().map(|mv| mv.text.clone()).take(20).collect::<Vec<_>>().join(" ")
    };
    let _ = write!(text, "\nAt the start the position is `{}`", session.position());
    let first = moves(session.as_ref());
    if let Some(mv) = first.split(' ').next().filter(|mv| !mv.is_empty()).map(str::to_owned) {
        let _ = write!(text, ", and among the legal moves are `{first}`.");
        if session.play(&mv).is_ok() {
            let _ = write!(text, " After `{mv}` it is `{}`", session.position());
        }
    }
    text += ".\n";
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots::upload::Source;

    #[test]
    fn kits_of_all_games_in_all_languages_can_be_uploaded_as_they_are() {
        let games: Vec<&str> = plyground_session::infos().iter().map(|info| info.name).collect();
        assert!(games.len() >= 6, "{games:?}");
        for game in games {
            for (language, word, file, _) in KITS {
                let kit = kit(game, word).unwrap().unwrap();
                let source = Source::unpack("kit.zip", kit).unwrap();
                assert_eq!((source.language, source.main.as_str()), (language, file), "{game}");
                let readme = source.files.iter().find(|file| file.name == "README.md").unwrap();
                let readme = String::from_utf8(readme.contents.clone()).unwrap();
                assert!(readme.contains("## The rules") && readme.contains("At the start the position is"), "{readme}");
            }
        }
        assert_eq!(kit("tictactoe", "cobol"), Ok(None));
    }
}
