//! What the tests of every game ask: where moves lead, what is refused and how, what an evaluator says, who wins with best play.

use std::collections::HashMap;

use plyground_core::{Evaluator, Game, InputError, Outcome, Params, PlayableGame, Player, Scratch, Seed, Turn, Visitor};
use plyground_games::open;

use crate::naive;

/// All that there is to see of a position.
#[derive(Debug, PartialEq)]
pub struct Seen {
    pub spec: String,
    pub position: String,
    pub turn: Turn,
    pub points: Option<[i32; 2]>,
    pub why_over: String,
    pub moves: Vec<String>,
    pub outcomes: Vec<(String, f64)>,
    /// By the evaluators in their order; none in a finished game.
    pub scores: Vec<f32>,
}

impl Seen {
    pub fn new<G: PlayableGame>(game: &G, state: &G::State) -> Self {
        let (mut moves, mut outcomes) = (Vec::new(), Vec::new());
        game.moves(state, &mut moves);
        game.chance(state, &mut outcomes);
        let score = |name| game.evaluator(name, &Params::default()).unwrap().score(game, state);
        let live = !matches!(game.turn(state), Turn::Over(_));
        Self {
            spec: game.spec(),
            position: game.position_text(state),
            turn: game.turn(state),
            points: game.points(state),
            why_over: game.why_over(state).map_or_else(String::new, |why| why.english),
            moves: moves.iter().map(|&mv| game.move_text(state, mv)).collect(),
            outcomes: outcomes.iter().map(|&(mv, probability)| (game.move_text(state, mv), probability)).collect(),
            scores: G::evaluators().iter().filter(|_| live).map(|info| score(info.name)).collect(),
        }
    }

    /// `first`, `second`, `draw` or `open`.
    pub fn result(&self) -> &'static str {
        self.turn.result_word()
    }

    /// The result and its reason.
    pub fn end(&self) -> (&'static str, &str) {
        (self.result(), &self.why_over)
    }
}

/// Plays moves from the start or from a position and looks at where they lead.
pub fn play(spec: &str, position: Option<&str>, moves: &[&str]) -> Result<Seen, InputError> {
    struct Play<'a>(&'a [&'a str]);
    impl Visitor for Play<'_> {
        type Output = Result<Seen, InputError>;
        fn visit<G: PlayableGame>(self, game: G, mut state: G::State) -> Self::Output {
            for text in self.0 {
                let mv = game.legal_move(&state, text)?;
                game.play(&mut state, mv);
            }
            Ok(Seen::new(&game, &state))
        }
    }
    open(spec, position, Play(moves))?
}

/// The start of a game, or a position of it, that can be opened.
pub fn look(spec: &str, position: Option<&str>) -> Seen {
    play(spec, position, &[]).unwrap_or_else(|error| panic!("{spec}, {position:?}: {error}"))
}

/// The message for a game, a position or a move that is not accepted.
pub fn refusal(spec: &str, position: Option<&str>, moves: &[&str]) -> String {
    match play(spec, position, moves) {
        Ok(seen) => panic!("{spec}, {position:?}, {moves:?} was accepted: {seen:?}"),
        Err(error) => error.to_string(),
    }
}

/// The score of a position by an evaluator with its keys, and the first player's chance that it stands for.
pub fn judge(spec: &str, position: &str, evaluator: &str, keys: &str) -> Result<(f32, f32), InputError> {
    struct Evaluate<'a>(&'a str, &'a str);
    impl Visitor for Evaluate<'_> {
        type Output = Result<(f32, f32), InputError>;
        fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Self::Output {
            let Self(name, keys) = self;
            let keys = Params::parse(keys)?;
            let info = G::evaluators().iter().find(|info| info.name == name).unwrap();
            keys.check(name, info.keys)?;
            let evaluator = game.evaluator(name, &keys)?;
            let score = evaluator.score(&game, &state);
            Ok((score, evaluator.win_chance(score)))
        }
    }
    open(spec, Some(position), Evaluate(evaluator, keys))?
}

/// The states that the moves of a state lead to.
pub fn children<G: Game>(game: &G, state: &G::State) -> impl Iterator<Item = G::State> {
    let mut moves = Vec::new();
    game.moves(state, &mut moves);
    moves.into_iter().map(|mv| {
        let mut child = state.clone();
        game.play(&mut child, mv);
        child
    })
}

/// The result of best play, with nothing but the rules and a table of the positions seen, in games without chance.
pub fn best_result(spec: &str, position: Option<&str>) -> &'static str {
    /// 1 if the first player wins, -1 if the second one does.
    fn value<G: Game>(game: &G, state: &G::State, known: &mut HashMap<G::State, i8>) -> i8 {
        let player = match game.turn(state) {
            Turn::Over(outcome) => return outcome.value() as i8,
            Turn::Player(player) => player,
            Turn::Chance => panic!("chance is due in {}", game.position_text(state)),
        };
        if let Some(&value) = known.get(state) {
            return value;
        }
        let sign = player.sign() as i8;
        let mut best = -1;
        for child in children(game, state) {
            best = best.max(sign * value(game, &child, known));
            if best == 1 {
                break;
            }
        }
        known.insert(state.clone(), sign * best);
        sign * best
    }
    struct Solve;
    impl Visitor for Solve {
        type Output = i8;
        fn visit<G: PlayableGame>(self, game: G, state: G::State) -> i8 {
            value(&game, &state, &mut HashMap::new())
        }
    }
    let winner = match open(spec, position, Solve).unwrap() {
        1 => Some(Player::First),
        -1 => Some(Player::Second),
        _ => None,
    };
    Outcome { winner, margin: 0 }.word()
}

/// A position and what its game advises about the legal moves: the move, its hint, whether it is noisy.
pub struct Advice {
    pub position: String,
    pub moves: Vec<(String, i32, bool)>,
}

/// The advice in `count` positions of random games.
pub fn advice(spec: &str, count: usize) -> Vec<Advice> {
    struct Ask(usize);
    impl Visitor for Ask {
        type Output = Vec<Advice>;
        fn visit<G: PlayableGame>(self, game: G, start: G::State) -> Vec<Advice> {
            let (mut rng, mut scratch) = (Seed(5).rng(), Scratch::default());
            let mut found = Vec::new();
            let mut state = start.clone();
            while found.len() < self.0 {
                let mv = match game.turn(&state) {
                    Turn::Over(_) => {
                        state = start.clone();
                        continue;
                    }
                    Turn::Chance => game.random_outcome(&state, &mut rng, &mut scratch),
                    Turn::Player(_) => {
                        let mut moves = Vec::new();
                        game.moves(&state, &mut moves);
                        let about = |mv| (game.move_text(&state, mv), game.ordering_score(&state, mv), game.is_noisy(&state, mv));
                        let moves = moves.into_iter().map(about).collect();
                        found.push(Advice { position: game.position_text(&state), moves });
                        game.random_move(&state, &mut rng, &mut scratch)
                    }
                };
                game.play(&mut state, mv);
            }
            found
        }
    }
    open(spec, None, Ask(count)).unwrap()
}

/// Asserts that hints order the moves of random positions by a key: what has the higher key has the higher hint.
pub fn assert_hints_follow<K: Ord + std::fmt::Debug>(spec: &str, key: impl Fn(&str, &str) -> K) {
    for Advice { position, moves } in advice(spec, 500) {
        let mut keyed: Vec<(K, i32, &str)> = moves.iter().map(|(mv, hint, _)| (key(&position, mv), *hint, mv.as_str())).collect();
        keyed.sort();
        for pair in keyed.windows(2) {
            let [(lower, lower_hint, lower_move), (higher, higher_hint, higher_move)] = pair else { unreachable!() };
            assert_eq!(
                lower.cmp(higher),
                lower_hint.cmp(higher_hint),
                "{spec} {position}: {lower_move} {lower:?} {lower_hint}, {higher_move} {higher:?} {higher_hint}"
            );
        }
    }
}

/// In games of lines: does a move make a line of the mover, and would a stone of the opponent in its place?
pub fn lines_made(spec: &str, position: &str, mv: &str) -> [bool; 2] {
    let (before, fields) = naive::read(position);
    let mut after = naive::open(spec, position);
    after.play(mv);
    let (mut rows, _) = naive::read(&after.position());
    let wins = matches!(after.result(), "first" | "second");
    for (row, old) in rows.iter_mut().zip(before) {
        for (cell, old) in row.iter_mut().zip(old) {
            if *cell != old {
                *cell = if *cell == 'x' { 'o' } else { 'x' };
            }
        }
    }
    let replaced = naive::open(spec, &format!("{} {}", naive::write(&rows), fields.join(" ")));
    [wins, matches!(replaced.result(), "first" | "second")]
}
