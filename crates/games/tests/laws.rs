//! The laws that every game in the list keeps, on every sample of its sizes and variants.

use std::collections::{HashMap, HashSet};

use plyground_core::{
    Encoder, Evaluator, GENERAL_PHRASES, Game, GameInfo, GeneralEncoder, MoverEncoder, Outcome, Owner, Params, PlayableGame,
    Player, Rng, Scratch, Seed, Sentence, Turn, Visitor, WIN_SCORE,
};
use plyground_games::{for_each_sample, infos, open};

/// Walks through random games and shows every position, finished ones included, to `look`.
fn random_walk<G: Game>(game: &G, start: &G::State, positions: usize, rng: &mut Rng, mut look: impl FnMut(&G::State, &mut Rng)) {
    let mut scratch = Scratch::default();
    let mut state = start.clone();
    for _ in 0..positions {
        look(&state, rng);
        match game.turn(&state) {
            Turn::Over(_) => state = start.clone(),
            Turn::Player(_) => {
                let mv = game.random_move(&state, rng, &mut scratch);
                game.play(&mut state, mv);
            }
            Turn::Chance => {
                let mv = game.random_outcome(&state, rng, &mut scratch);
                game.play(&mut state, mv);
            }
        }
    }
}

/// Opens a game at a position and gives back the position's text and the game's spec.
struct Reopen;

impl Visitor for Reopen {
    type Output = (String, String, Turn);
    fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Self::Output {
        (game.spec(), game.position_text(&state), game.turn(&state))
    }
}

struct Conformance(&'static str);

impl Visitor for Conformance {
    type Output = ();

    fn visit<G: PlayableGame>(self, game: G, start: G::State) {
        let spec = self.0;
        let mut by_hash: HashMap<u64, G::State> = HashMap::new();
        let mut seen = Vec::new();
        assert_eq!(game.start(), start, "{spec}: opened without a position, a game is at its start");
        assert_eq!(open(&game.spec(), None, Reopen).unwrap().0, game.spec(), "{spec}: the spec opens the same game");
        let info = plyground_games::info(spec.split(':').next().unwrap()).unwrap();
        let mut encoders: Vec<Box<dyn Encoder<G>>> =
            vec![Box::new(GeneralEncoder::new(&game)), Box::new(MoverEncoder::new(&game))];
        encoders.extend(G::encoders().iter().filter_map(|info| game.encoder(info.name)));
        let (most_moves, mut made, mut outcomes) = (game.most_moves().unwrap_or(0), 0, Vec::new());
        random_walk(&game, &start, 3_000, &mut Seed(5).named(spec).rng(), |state, rng| {
            let here = format!("{spec}: {}", game.position_text(state));
            match game.turn(state) {
                Turn::Player(_) => made += 1,
                Turn::Chance => {
                    game.chance(state, &mut outcomes);
                    assert!(outcomes.len() <= game.most_outcomes() as usize, "{here}: {} outcomes", outcomes.len());
                }
                Turn::Over(_) => {
                    assert!(made <= most_moves, "{here}: after {made} moves, no more than {most_moves} are possible");
                    made = 0;
                }
            }
            check_texts(&game, state, &here);
            for piece in game.view(state).cells.iter().flatten() {
                assert!(info.pieces.contains(piece), "{here}: {piece:?} is not among the pieces of the description");
            }
            if let Turn::Player(_) = game.turn(state) {
                check_encoders(&game, state, &encoders, &here);
            }
            let moves = check_moves(&game, state, &here);
            check_sentences(&game, state, info, &moves, &mut seen, &here);
            check_symmetries(&game, state, &moves, rng, &here);
            let hash = game.hash(state);
            if let Some(known) = by_hash.insert(hash, state.clone()) {
                assert_eq!(&known, state, "{here}: different positions have different hashes");
            }
            assert_eq!(hash, game.hash(&state.clone()), "{here}: equal positions have equal hashes");
        });
    }
}

/// Positions round-trip through text, and the view shows every piece.
fn check_texts<G: Game>(game: &G, state: &G::State, here: &str) {
    let text = game.position_text(state);
    let reopened = open(&game.spec(), Some(&text), Reopen).unwrap_or_else(|error| panic!("{here}: {error}"));
    assert_eq!(reopened, (game.spec(), text.clone(), game.turn(state)), "{here}: positions round-trip");
    let name = game.spec().split(':').next().unwrap().to_owned();
    let bare = open(&name, Some(&text), Reopen).unwrap_or_else(|error| panic!("{here}: {error}"));
    assert_eq!(bare.1, text, "{here}: a position sets the parameters that it needs");

    let view = game.view(state);
    assert_eq!(view.cells.len(), usize::from(view.files) * usize::from(view.ranks));
    let board = text.split(' ').next().unwrap();
    let drawn: String = view.cells.iter().flatten().map(|piece| piece.letter).collect();
    let written: String = board.chars().filter(|c| !c.is_ascii_digit() && *c != '/').collect();
    assert_eq!(drawn, written, "{here}: the view shows every piece");
}

/// Encoders show as much as they say, and tell the moves of a position apart.
fn check_encoders<G: PlayableGame>(game: &G, state: &G::State, encoders: &[Box<dyn Encoder<G>>], here: &str) {
    let (mut moves, mut values) = (Vec::new(), Vec::new());
    game.moves(state, &mut moves);
    for encoder in encoders {
        encoder.encode(game, state, &mut values);
        let [ranks, files] = encoder.board();
        assert_eq!(values.len(), encoder.planes().len() * ranks * files, "{here}: planes are full");
        assert!(values.iter().all(|value| value.is_finite()), "{here}: planes hold numbers");
        let mut indices = HashSet::new();
        for &mv in &moves {
            let index = encoder.move_index(game, state, mv).unwrap_or_else(|| panic!("{here}: {mv:?} has no index"));
            assert!(index < encoder.moves() && indices.insert(index), "{here}: {mv:?} has an index of its own");
        }
        // Looking a move up tries all of them: some are enough.
        for &mv in moves.iter().step_by(7) {
            let index = encoder.move_index(game, state, mv).unwrap();
            assert_eq!(encoder.move_at(game, state, index), Some(mv), "{here}: indices lead back to their moves");
        }
    }
}

/// What can be played is there when it should be, unique, and round-trips through text. Gives it back, chance included.
fn check_moves<G: Game>(game: &G, state: &G::State, here: &str) -> Vec<G::Move> {
    let (mut moves, mut outcomes) = (Vec::new(), Vec::new());
    game.moves(state, &mut moves);
    game.chance(state, &mut outcomes);
    match game.turn(state) {
        Turn::Player(_) => assert!(!moves.is_empty() && outcomes.is_empty(), "{here}: a live position has a move"),
        Turn::Chance => {
            assert!(moves.is_empty() && !outcomes.is_empty(), "{here}: chance has outcomes");
            let sum: f64 = outcomes.iter().map(|(_, probability)| probability).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{here}: chance sums to 1, not {sum}");
            assert!(outcomes.iter().all(|&(_, probability)| probability > 0.0), "{here}: outcomes are possible");
            moves.extend(outcomes.iter().map(|&(mv, _)| mv));
        }
        Turn::Over(_) => {
            assert!(moves.is_empty() && outcomes.is_empty(), "{here}: a finished position has no moves");
            assert!(game.legal_move(state, "a1").is_err(), "{here}: a finished position refuses");
            assert!(game.why_over(state).is_some(), "{here}: a finished game says why");
            check_winning_squares(game, state, here);
        }
    }
    let mut sorted = moves.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), moves.len(), "{here}: moves are unique");
    let view = game.view(state);
    let mut texts: Vec<String> = moves.iter().map(|&mv| game.move_text(state, mv)).collect();
    for (&mv, text) in moves.iter().zip(&texts) {
        assert_eq!(game.legal_move(state, text).as_ref(), Ok(&mv), "{here}: {text} round-trips");
        let label = game.move_label(state, mv);
        assert_eq!(game.legal_move(state, &label).as_ref(), Ok(&mv), "{here}: {label} round-trips");
        let squares = game.move_squares(state, mv);
        for square in [squares.from, squares.to].into_iter().flatten() {
            assert!(square.file < view.files && square.rank < view.ranks, "{here}: {text} stays on the board");
        }
    }
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), moves.len(), "{here}: texts are unique");
    moves
}

/// What decided the game stands on the board, and none of it is the loser's; nothing decided a draw.
fn check_winning_squares<G: Game>(game: &G, state: &G::State, here: &str) {
    let squares = game.winning_squares(state);
    let Turn::Over(Outcome { winner: Some(winner), .. }) = game.turn(state) else {
        assert!(squares.is_empty(), "{here}: {squares:?} decided nothing");
        return;
    };
    let view = game.view(state);
    for square in &squares {
        let piece = view.piece(*square).unwrap_or_else(|| panic!("{here}: {square} is empty"));
        assert_ne!(piece.owner, Owner::from(winner.other()), "{here}: {square} is the loser's");
    }
    let mut sorted = squares.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), squares.len(), "{here}: squares are unique");
}

/// Every sentence for players is a phrase that the game lists, with all gaps filled. `seen` holds moves of earlier positions, most of
/// which are not legal here.
fn check_sentences<G: Game>(game: &G, state: &G::State, info: &GameInfo, moves: &[G::Move], seen: &mut Vec<G::Move>, here: &str) {
    let mut said: Vec<Sentence> = game.why_over(state).into_iter().collect();
    match game.turn(state) {
        Turn::Player(_) => {
            // Each position tries some of them: there are many positions.
            let some = seen.iter().skip(game.hash(state) as usize % 8).step_by(8);
            let illegal = some.filter(|mv| !moves.contains(mv));
            said.extend(illegal.map(|&mv| game.why_illegal(state, mv)));
        }
        Turn::Chance => said.extend(moves.iter().filter_map(|&mv| Some(game.outcome_text(state, mv)?.sentence))),
        Turn::Over(_) => {}
    }
    for Sentence { key, args, english } in said {
        let phrase = info.phrases.iter().chain(GENERAL_PHRASES).find(|phrase| phrase.key == key);
        let phrase = phrase.unwrap_or_else(|| panic!("{here}: '{english}' is not among the phrases of the description"));
        let filled =
            args.iter().fold(phrase.english.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value));
        assert_eq!(english, filled, "{here}: the English text is that of the phrase {key}");
        assert!(!english.contains(['{', '}']), "{here}: an argument of '{english}' is missing");
    }
    for &mv in moves {
        if seen.len() < 40 && !seen.contains(&mv) {
            seen.push(mv);
        }
    }
}

/// Symmetries commute with play.
fn check_symmetries<G: Game>(game: &G, state: &G::State, moves: &[G::Move], rng: &mut Rng, here: &str) {
    for symmetry in 0..game.symmetries() {
        let seen = game.symmetric_state(state, symmetry);
        assert_eq!(game.turn(&seen), game.turn(state), "{here}: symmetry {symmetry} keeps the turn");
        assert!(symmetry > 0 || &seen == state, "{here}: symmetry 0 is the identity");
        if moves.is_empty() {
            continue;
        }
        let mv = moves[rng.below(moves.len() as u32) as usize];
        let (mut after, mut other) = (state.clone(), seen);
        game.play(&mut after, mv);
        game.play(&mut other, game.symmetric_move(mv, symmetry));
        assert_eq!(game.symmetric_state(&after, symmetry), other, "{here}: symmetry {symmetry} commutes with play");
    }
}

#[test]
fn every_game_conforms() {
    for info in infos() {
        let name = info.name;
        assert!(info.samples.len() >= 5, "{name}: five sizes or variants at least");
        let keys: HashSet<&str> = info.phrases.iter().chain(GENERAL_PHRASES).map(|phrase| phrase.key).collect();
        assert_eq!(keys.len(), info.phrases.len() + GENERAL_PHRASES.len(), "{name}: phrases have keys of their own");
        for (shaped, _) in info.presentation.shapes {
            assert!(info.pieces.iter().any(|piece| piece.name == *shaped), "{name}: there is no piece called {shaped}");
        }
        for board in info.presentation.boards {
            open(board, None, Reopen).unwrap_or_else(|error| panic!("{name}: the board {board}: {error}"));
        }
        assert!(!info.presentation.pull.is_empty(), "{name}: a line of pull");
        let goal = info.presentation.goal.unwrap_or_else(|| panic!("{name}: a picture of a finished game"));
        let opened = open(name, Some(goal.position), Reopen).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(matches!(opened.2, Turn::Over(Outcome { winner: Some(_), .. })), "{name}: {} is won", goal.position);
        for lesson in info.presentation.lessons.iter().chain([&info.example]) {
            let opened = open(name, Some(lesson.position), Reopen).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!matches!(opened.2, Turn::Over(_)), "{name}: there is something to try in {}", lesson.position);
        }
    }
    for_each_sample(Conformance);
}

/// Overridden `random_move`, `random_outcome` and `playout` draw from the same distribution as their plain definitions.
struct SameLuck(&'static str);

impl Visitor for SameLuck {
    type Output = ();

    fn visit<G: PlayableGame>(self, game: G, start: G::State) {
        let spec = self.0;
        let mut rng = Seed(6).named(spec).rng();
        let mut scratch = Scratch::default();
        let mut positions = Vec::new();
        random_walk(&game, &start, 60, &mut rng, |state, _| positions.push(state.clone()));
        for state in &positions {
            let mut expected: Vec<(G::Move, f64)> = Vec::new();
            let mut moves = Vec::new();
            game.moves(state, &mut moves);
            match game.turn(state) {
                Turn::Player(_) => expected.extend(moves.iter().map(|&mv| (mv, 1.0 / moves.len() as f64))),
                Turn::Chance => game.chance(state, &mut expected),
                Turn::Over(_) => continue,
            }
            let draws = 200 * expected.len();
            let mut seen: HashMap<G::Move, usize> = HashMap::new();
            for _ in 0..draws {
                let mv = match game.turn(state) {
                    Turn::Player(_) => game.random_move(state, &mut rng, &mut scratch),
                    _ => game.random_outcome(state, &mut rng, &mut scratch),
                };
                *seen.entry(mv).or_default() += 1;
            }
            assert!(seen.keys().all(|mv| expected.iter().any(|(known, _)| known == mv)), "{spec}: only what is possible");
            let chi_square: f64 = expected
                .iter()
                .map(|(mv, probability)| {
                    let wanted = probability * draws as f64;
                    (seen.get(mv).copied().unwrap_or(0) as f64 - wanted).powi(2) / wanted
                })
                .sum();
            // Mean plus six standard deviations of chi-square: never by luck, always by a wrong distribution.
            let freedom = (expected.len() - 1) as f64;
            let limit = freedom + 6.0 * (2.0 * freedom).sqrt() + 12.0;
            assert!(chi_square < limit, "{spec}: {} chi-square {chi_square} > {limit}", game.position_text(state));
        }
        for state in positions.iter().step_by(12) {
            let games = 4_000;
            let mut fast = [0_i32; 3];
            let mut plain = [0_i32; 3];
            let (mut fast_margin, mut plain_margin) = (0_i64, 0_i64);
            for _ in 0..games {
                let outcome = game.playout(state, &mut rng, &mut scratch);
                fast[result_index(outcome)] += 1;
                fast_margin += i64::from(outcome.margin);
                let outcome = plain_playout(&game, state, &mut rng);
                plain[result_index(outcome)] += 1;
                plain_margin += i64::from(outcome.margin);
            }
            let here = format!("{spec}: {}: fast {fast:?}, plain {plain:?}", game.position_text(state));
            for result in 0..3 {
                let spread = f64::from(fast[result] + plain[result]).sqrt();
                assert!(f64::from((fast[result] - plain[result]).abs()) <= 5.0 * spread + 2.0, "{here}");
            }
            // Points of a playout differ by about ten.
            assert!((fast_margin - plain_margin).abs() < 5 * 10 * 90, "{here}: margins {fast_margin} {plain_margin}");
        }
    }
}

fn result_index(outcome: Outcome) -> usize {
    match outcome.winner {
        Some(Player::First) => 0,
        Some(Player::Second) => 1,
        None => 2,
    }
}

/// The definition of a playout, from nothing but the rules.
fn plain_playout<G: Game>(game: &G, state: &G::State, rng: &mut Rng) -> Outcome {
    let mut state = state.clone();
    let (mut moves, mut outcomes) = (Vec::new(), Vec::new());
    loop {
        let mv = match game.turn(&state) {
            Turn::Over(outcome) => return outcome,
            Turn::Player(_) => {
                game.moves(&state, &mut moves);
                moves[rng.below(moves.len() as u32) as usize]
            }
            Turn::Chance => {
                game.chance(&state, &mut outcomes);
                let mut left = rng.unit();
                let drawn = outcomes.iter().find(|(_, probability)| {
                    left -= probability;
                    left < 0.0
                });
                drawn.unwrap_or(&outcomes[outcomes.len() - 1]).0
            }
        };
        game.play(&mut state, mv);
    }
}

#[test]
fn overridden_randomness_is_the_plain_randomness() {
    for_each_sample(SameLuck);
}

/// Moves without chance: the rules where chance does not follow, a player's turn or the end where it does, and blind to symmetry.
struct WithoutChance(&'static str);

impl Visitor for WithoutChance {
    type Output = ();

    fn visit<G: PlayableGame>(self, game: G, start: G::State) {
        let mut moves = Vec::new();
        random_walk(&game, &start, 300, &mut Seed(15).named(self.0).rng(), |state, _| {
            game.moves(state, &mut moves);
            for &mv in &moves {
                let (mut child, mut quiet) = (state.clone(), state.clone());
                game.play(&mut child, mv);
                game.play_without_chance(&mut quiet, mv);
                let here = format!("{}: {} {}", self.0, game.position_text(state), game.move_text(state, mv));
                if game.turn(&child) == Turn::Chance {
                    assert_ne!(game.turn(&quiet), Turn::Chance, "{here}");
                } else {
                    assert_eq!(quiet, child, "{here}");
                }
                for symmetry in 1..game.symmetries() {
                    let mut seen = game.symmetric_state(state, symmetry);
                    game.play_without_chance(&mut seen, game.symmetric_move(mv, symmetry));
                    assert_eq!(seen, game.symmetric_state(&quiet, symmetry), "{here}: symmetry {symmetry}");
                }
            }
        });
    }
}

#[test]
fn moves_without_chance_are_the_rules_without_chance() {
    for_each_sample(WithoutChance);
}

/// Evaluators: finite, within bounds, blind to symmetry, the sum of their terms, and `evaluate_children` is what its definition says.
struct HonestAdvice(&'static str);

impl Visitor for HonestAdvice {
    type Output = ();

    fn visit<G: PlayableGame>(self, game: G, start: G::State) {
        let spec = self.0;
        assert!(!G::evaluators().is_empty(), "{spec}: at least the evaluator 'none'");
        for info in G::evaluators() {
            let evaluator = game.evaluator(info.name, &Params::default()).unwrap();
            let (mut moves, mut scores) = (Vec::new(), Vec::new());
            random_walk(&game, &start, 400, &mut Seed(7).named(spec).rng(), |state, _| {
                let here = format!("{spec}, {}: {}", info.name, game.position_text(state));
                let score = evaluator.score(&game, state);
                assert!(score.abs() < WIN_SCORE, "{here}: {score}");
                if matches!(game.turn(state), Turn::Over(_)) {
                    return;
                }
                let terms: f32 = evaluator.terms(&game, state).iter().map(|term| term.score).sum();
                assert!((terms - score).abs() < 1e-3, "{here}: the terms add up to {terms}, not to {score}");
                let chance = evaluator.win_chance(score);
                assert!((0.0..=1.0).contains(&chance), "{here}: {chance}");
                for symmetry in 1..game.symmetries() {
                    let seen = evaluator.score(&game, &game.symmetric_state(state, symmetry));
                    assert!((seen - score).abs() < 1e-3, "{here}: symmetry {symmetry} scores {seen}, not {score}");
                }
                game.moves(state, &mut moves);
                evaluator.evaluate_children(&game, state, &moves, &mut scores);
                assert_eq!(scores.len(), moves.len());
                for (&mv, &given) in moves.iter().zip(&scores) {
                    let mut child = state.clone();
                    game.play(&mut child, mv);
                    let wanted = match game.turn(&child) {
                        Turn::Over(outcome) => outcome.value() * WIN_SCORE,
                        _ => evaluator.score(&game, &child),
                    };
                    assert!((given - wanted).abs() < 1e-3, "{here}: {} scores {given}, not {wanted}", game.move_text(state, mv));
                }
            });
        }
    }
}

#[test]
fn evaluators_keep_their_contract() {
    for_each_sample(HonestAdvice);
}

/// Nonsense for positions and moves is an error, never a panic, and never accepted as something else.
struct Nonsense(&'static str);

impl Visitor for Nonsense {
    type Output = ();

    fn visit<G: PlayableGame>(self, game: G, start: G::State) {
        let spec = self.0;
        let text = game.position_text(&start);
        let mut rng = Seed(8).named(spec).rng();
        let alphabet: Vec<char> = "0123456789/ xoGPprkRK*@+-?abcdefghwgn,=é\u{0}😀".chars().collect();
        for _ in 0..3_000 {
            // A position with a few characters changed, inserted or lost.
            let mut chars: Vec<char> = text.chars().collect();
            for _ in 0..=rng.below(3) {
                let at = rng.below(chars.len() as u32) as usize;
                let new = alphabet[rng.below(alphabet.len() as u32) as usize];
                match rng.below(3) {
                    0 => chars[at] = new,
                    1 => chars.insert(at, new),
                    _ => drop(chars.remove(at)),
                }
                if chars.is_empty() {
                    chars.push('x');
                }
            }
            let changed: String = chars.iter().collect();
            if let Ok((_, text, _)) = open(&game.spec(), Some(&changed), Reopen) {
                assert_eq!(text, changed, "{spec}: what is accepted is the one way to write it");
            }
            let word: String = (0..rng.below(7)).map(|_| alphabet[rng.below(alphabet.len() as u32) as usize]).collect();
            if let Ok(mv) = game.legal_move(&start, &word) {
                // The text, the label, or the row and the column of the square that is the text.
                let text = game.move_text(&start, mv);
                let is_place = || {
                    let numbers = word.trim_matches(['(', ')']);
                    let (row, column) = numbers.split_once(',').or_else(|| numbers.split_once(' '))?;
                    let [row, column]: [u8; 2] = [row.trim().parse().ok()?, column.trim().parse().ok()?];
                    let rank = game.view(&start).ranks.checked_sub(row)?;
                    Some(text == format!("{}{rank}", char::from(b'a' + column)))
                };
                assert!(word == text || word == game.move_label(&start, mv) || is_place() == Some(true), "{spec}: {word}");
            }
        }
        for bad in ["", " ", "/", "8", "0/0 x", "99999999999999999999/1 x 3", "////// w", &"8/".repeat(500), "27 x 3", "\u{0}"] {
            assert!(open(spec, Some(bad), Reopen).is_err(), "{spec}: {bad:?} is no position");
        }
        for bad in ["size=0x0", "size=99x99", "size=axb", "size=3", "nonsense=1", "size", "=", ",,"] {
            let name = game.spec().split(':').next().unwrap().to_owned();
            assert!(open(&format!("{name}:{bad}"), None, Reopen).is_err(), "{name}:{bad} is no game");
        }
    }
}

#[test]
fn nonsense_is_refused() {
    for_each_sample(Nonsense);
}
