//! Exact solving of a position, as text.

use std::io;

use plyground_agents::{
    Bounds, Campaign, CampaignObserver, CampaignOptions, CampaignResult, Certificate, CertificateOptions, CertifyError, Method,
    Solution, SolvedOpening, Solver, Tablebase,
};
use plyground_core::{GameValue, InputError, PlayableGame, Resources, StopCheck, Turn, Visitor};

/// The settings of a solver.
#[derive(Clone, Debug)]
pub struct SolveOrder {
    /// One of [`Method::WORDS`].
    pub method: String,
    /// The memory to use, in megabytes.
    pub memory: usize,
    /// A tablebase to begin with.
    pub tablebase: Option<String>,
    /// The name of a file of `ply regions`, for the game's own solver.
    pub regions: Option<String>,
    /// The most positions to keep for a tablebase.
    pub keep: usize,
    /// Keep a best reply to everything that the opponent can do, and not only what took the most work.
    pub strategy: bool,
}

/// The result of solving a position, complete or not.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The bounds of the value for the player to move.
    pub bounds: Bounds,
    /// A best move.
    pub best: Option<String>,
    /// The legal moves with what they are worth to the player to move, where that is known without a further search.
    pub moves: Vec<(String, Option<GameValue>)>,
    /// Best play to the end.
    pub line: Vec<String>,
    /// The length of the game with best play (or, if not exact, of the line).
    pub plies: u32,
    /// Is the length that of the fastest win against the slowest loss?
    pub plies_exact: bool,
    /// Is the line such a game, or only one that keeps the value?
    pub line_exact: bool,
    /// Positions searched.
    pub nodes: u64,
    /// The tablebase of the solved positions, as a file.
    pub tablebase: Vec<u8>,
    /// The number of its positions.
    pub kept: usize,
    /// Does it hold a best reply to everything that the opponent can do?
    pub whole: bool,
}

impl Solved {
    /// The value, where it is known.
    pub fn value(&self) -> Option<GameValue> {
        self.bounds.exact()
    }
}

/// The spec of the game that a tablebase was written for, by the first bytes of its file; `None` if it is no tablebase.
pub fn tablebase_spec(bytes: &[u8]) -> Option<&str> {
    Tablebase::spec_in(bytes)
}

pub(crate) fn solve<G: PlayableGame>(
    game: &G,
    state: &G::State,
    order: &SolveOrder,
    resources: &dyn Resources,
    stop_check: &mut dyn StopCheck,
) -> Result<Solved, InputError> {
    let method = Method::WORDS.iter().position(|word| *word == order.method);
    let method = Method::ALL[method.ok_or_else(|| InputError::unknown("method", &order.method, Method::WORDS))?];
    let read = |name: &String| Tablebase::from_bytes(&resources.read(name)?, game, name);
    let before = order.tablebase.as_ref().map(read).transpose()?;
    let regions = order.regions.as_ref().map(|name| resources.read(name)).transpose()?;
    let mut solver = Solver::new(game, method, order.memory.saturating_mul(1_000_000), before, regions.as_deref())?;
    let solution: Solution<G> = solver.solve(game, state, stop_check);
    let moves = match game.turn(state) {
        Turn::Player(_) => solver.moves(game, state),
        Turn::Chance | Turn::Over(_) => Vec::new(),
    };
    let moves = moves.into_iter().map(|(mv, bounds)| (game.move_text(state, mv), bounds.exact())).collect();
    let (tablebase, whole) = match game.turn(state) {
        // The engine of the page saves nothing, and is downloaded.
        Turn::Player(_) if order.strategy && cfg!(not(target_family = "wasm")) => {
            solver.whole_strategy(game, state, order.keep, stop_check)
        }
        Turn::Player(_) => (solver.tablebase(game, state, &solution, order.keep), false),
        Turn::Chance | Turn::Over(_) => (Tablebase::default(), false),
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
        moves,
        line,
        plies: solution.plies,
        plies_exact: solution.plies_exact,
        line_exact: solution.line_exact,
        nodes: solution.nodes,
        kept: tablebase.len(),
        whole,
        tablebase: tablebase.to_bytes(game),
    })
}

/// The database of a game's own solver ([`Solvable::solver_database`](plyground_core::Solvable::solver_database)); `None` where there
/// is none. `report` is called with how much of how much is done.
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

/// Solves a game from its start, with its own solver where it has one, and writes the proof: a certificate that other programs can
/// check. `regions` is the name of a file of `ply regions`.
pub fn certify(
    game: &str,
    memory: usize,
    regions: Option<&str>,
    options: CertificateOptions,
    resources: &dyn Resources,
    stop_check: &mut dyn StopCheck,
) -> Result<Certificate, CertifyError> {
    struct Certify<'a> {
        memory: usize,
        regions: Option<&'a str>,
        options: CertificateOptions,
        resources: &'a dyn Resources,
        stop_check: &'a mut dyn StopCheck,
    }
    impl Visitor for Certify<'_> {
        type Output = Result<Certificate, CertifyError>;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Self::Output {
            let regions = self.regions.map(|name| self.resources.read(name)).transpose()?;
            let memory = self.memory.saturating_mul(1_000_000);
            let mut solver = Solver::new(&game, Method::Auto, memory, None, regions.as_deref())?;
            plyground_agents::certify(&mut solver, &game, self.options, self.stop_check)
        }
    }
    plyground_games::open(game, None, Certify { memory, regions, options, resources, stop_check })?
}

/// What a campaign begins with.
pub struct CampaignOrder<'a> {
    /// Depth, threads, memory.
    pub options: CampaignOptions,
    /// The name of a file of `ply regions`, for the game's own solver.
    pub regions: Option<&'a str>,
    /// Openings that were solved before.
    pub known: &'a [SolvedOpening],
    /// The table that was saved before.
    pub table: Option<&'a mut dyn io::Read>,
}

/// Solves a game opening by opening, as far as the observer lets it. Beside the result: why the table that was saved before could not be
/// used, if it could not.
pub fn campaign(
    game: &str,
    order: CampaignOrder<'_>,
    resources: &dyn Resources,
    observer: &mut dyn CampaignObserver,
) -> Result<(CampaignResult, Option<io::Error>), InputError> {
    struct Run<'a, 'b> {
        order: CampaignOrder<'a>,
        resources: &'b dyn Resources,
        observer: &'b mut dyn CampaignObserver,
    }
    impl Visitor for Run<'_, '_> {
        type Output = Result<(CampaignResult, Option<io::Error>), InputError>;
        fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Self::Output {
            let CampaignOrder { options, regions, known, table } = self.order;
            let regions = regions.map(|name| self.resources.read(name)).transpose()?;
            let mut campaign = Campaign::new(&game, &state, options, regions.as_deref())?;
            campaign.resume(known)?;
            let refused = table.and_then(|table| campaign.load(table).err());
            Ok((campaign.run(self.observer)?, refused))
        }
    }
    plyground_games::open(game, None, Run { order, resources, observer })?
}
