//! What a search makes of chance events: branches to average over, nothing, or one drawn outcome of each.

use plyground_core::{Game, InputError, Params, Rng, Scratch, Seed, Turn, usual_outcome};

/// The treatment of chance events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChanceMode {
    /// Every outcome is a branch: of an average over all of them (expectiminimax, Michie 1966), or drawn anew for each simulation.
    Expect,
    /// As if chance did nothing: [`Game::play_without_chance`].
    Ignore,
    /// One outcome of each event, drawn by its probability.
    Sample,
}

impl ChanceMode {
    pub fn read(params: &Params) -> Result<Self, InputError> {
        Ok([Self::Expect, Self::Ignore, Self::Sample][params.choice("chance", &["expect", "ignore", "sample"])?])
    }
}

/// How moves are played in one thought. But for the first mode there is no chance in the tree of the search: it is that of a game
/// without chance, with exact wins and one node for a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Futures {
    mode: ChanceMode,
    /// What decides the drawn outcomes, together with the position: a position has the same future wherever the search meets it.
    seed: u64,
}

impl Futures {
    /// Every outcome is a branch.
    pub const BRANCHES: Self = Self { mode: ChanceMode::Expect, seed: 0 };
    /// As if chance did nothing.
    pub const WITHOUT_CHANCE: Self = Self { mode: ChanceMode::Ignore, seed: 0 };

    /// Draws the seed, if one is needed.
    pub fn new(mode: ChanceMode, rng: &mut Rng) -> Self {
        Self { mode, seed: if mode == ChanceMode::Sample { rng.bits() } else { 0 } }
    }

    /// Do moves lead to the next player at once, as if chance did nothing?
    #[inline]
    pub fn are_without_chance(self) -> bool {
        self.mode == ChanceMode::Ignore
    }

    /// Tells the values of one thought from those of another, which rest on other draws.
    pub fn salt(self) -> u64 {
        self.seed
    }

    /// Plays a move of a player, with the chance events behind it as far as they are no branches.
    #[inline]
    pub fn play<G: Game>(self, game: &G, state: &mut G::State, mv: G::Move) {
        match self.mode {
            ChanceMode::Expect => game.play(state, mv),
            ChanceMode::Ignore => game.play_without_chance(state, mv),
            ChanceMode::Sample => {
                game.play(state, mv);
                while game.turn(state) == Turn::Chance {
                    let outcome = self.draw(game, state);
                    game.play(state, outcome);
                }
            }
        }
    }

    fn draw<G: Game>(self, game: &G, state: &G::State) -> G::Move {
        game.random_outcome(state, &mut Seed(self.seed ^ game.hash(state)).rng(), &mut Scratch::default())
    }

    /// A line of moves with the outcomes in between, as far as it can be played by the rules. What is ignored is written as the likeliest
    /// outcome.
    pub fn written<G: Game>(self, game: &G, start: &G::State, moves: &[G::Move]) -> Vec<G::Move> {
        if self.mode == ChanceMode::Expect {
            return moves.to_vec();
        }
        let (mut state, mut line, mut legal) = (start.clone(), Vec::new(), Vec::new());
        for &mv in moves {
            while game.turn(&state) == Turn::Chance {
                let outcome = if self.mode == ChanceMode::Sample { self.draw(game, &state) } else { usual_outcome(game, &state) };
                line.push(outcome);
                game.play(&mut state, outcome);
            }
            game.moves(&state, &mut legal);
            if !legal.contains(&mv) {
                break;
            }
            line.push(mv);
            game.play(&mut state, mv);
        }
        line
    }
}
