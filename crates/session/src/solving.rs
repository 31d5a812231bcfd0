//! Solving a position, all in text.

use plyground_agents::{Bounds, Method, Solution, Solver, Tablebase};
use plyground_core::{GameValue, InputError, PlayableGame, Resources, StopCheck, Turn, Visitor};

/// How a position is to be solved.
#[derive(Clone, Debug)]
pub struct SolveOrder {
    /// One of [`Method::WORDS`].
    pub method: String,
    /// The memory to use, in megabytes.
    pub memory: usize,
    /// A tablebase to begin with.
    pub tablebase: Option<String>,
    /// What `ply regions` has written, for the game's own solver.
    pub regions: Option<String>,
    /// The most positions to keep for a tablebase.
    pub keep: usize,
}

/// A solved position, or what was found out about it.
#[derive(Clone, Debug)]
pub struct Solved {
    /// What the position is worth to the player to move, as far as it is known.
    pub bounds: Bounds,
    /// A best move.
    pub best: Option<String>,
    /// Best play to the end.
    pub line: Vec<String>,
    /// The length of the game with best play (or, if not exact, of the line).
    pub plies: u32,
    /// Is the length that of the fastest win against the slowest loss?
    pub plies_exact: bool,
    /// Is the line such a game, or only one that keeps the worth?
    pub line_exact: bool,
    /// Positions searched.
    pub nodes: u64,
    /// The positions that are worth keeping, as a file.
    pub tablebase: Vec<u8>,
    /// How many they are.
    pub kept: usize,
}

impl Solved {
    /// The worth, where it is known.
    pub fn worth(&self) -> Option<GameValue> {
        self.bounds.exact()
    }
}

pub(crate) fn solve<G: PlayableGame>(
    game: &G,
    state: &G::State,
    order: &SolveOrder,
    shelf: &dyn Resources,
    pulse: &mut dyn StopCheck,
) -> Result<Solved, InputError> {
    let method = Method::WORDS.iter().position(|word| *word == order.method);
    let method = Method::ALL[method.ok_or_else(|| InputError::unknown("method", &order.method, Method::WORDS))?];
    let read = |name: &String| Tablebase::from_bytes(&shelf.read(name)?, game, name);
    let before = order.tablebase.as_ref().map(read).transpose()?;
    let regions = order.regions.as_ref().map(|name| shelf.read(name)).transpose()?;
    let mut solver = Solver::new(game, method, order.memory.saturating_mul(1_000_000), before, regions.as_deref())?;
    let solution: Solution<G> = solver.solve(game, state, pulse);
    let tablebase = match game.turn(state) {
        Turn::Player(_) => solver.tablebase(game, state, &solution, order.keep),
        Turn::Chance | Turn::Over(_) => Tablebase::default(),
    };
    let mut ahead = state.clone();
    let text = |&mv: &G::Move| {
        let text = game.move_text(&ahead, mv);
        game.play(&mut ahead, mv);
        text
    };
    let line: Vec<String> = solution.line.iter().map(text).collect();
    Ok(Solved {
        bounds: solution.bounds,
        best: solution.best.map(|mv| game.move_text(state, mv)),
        line,
        plies: solution.plies,
        plies_exact: solution.plies_exact,
        line_exact: solution.line_exact,
        nodes: solution.nodes,
        kept: tablebase.len(),
        tablebase: tablebase.to_bytes(game),
    })
}

/// What the game's own solver can begin with ([`Solvable::solver_database`](plyground_core::Solvable::solver_database)), computed once and for all; `None` where there is no such thing.
/// `report` hears how much of how much is done.
pub fn solver_database(game: &str, stones: u32, report: &mut dyn FnMut(u64, u64)) -> Result<Option<Vec<u8>>, InputError> {
    struct Compute<'a> {
        stones: u32,
        report: &'a mut dyn FnMut(u64, u64),
    }
    impl Visitor for Compute<'_> {
        type Output = Result<Option<Vec<u8>>, InputError>;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Self::Output {
            game.solver_database(self.stones, self.report)
        }
    }
    plyground_games::open(game, None, Compute { stones, report })?
}
