//! What `ply campaign` promises: the value that the solver finds, with any depth and any number of threads, also when it is stopped and
//! goes on. (Here and not in the session, where it would be compiled for every game.)

use std::io;
use std::ops::ControlFlow;

use plyground_agents::{
    Campaign, CampaignObserver, CampaignOptions, CampaignProgress, CampaignResult, Method, SolvedOpening, Solver,
};
use plyground_core::{Family, GameValue, InputError, NoObserver, PlayableGame, Visitor};
use plyground_games::{clobber, connect_four, mnk, open_one, pawn};

/// Keeps what is solved, and ends the campaign after so many openings.
struct Keeper {
    solved: Vec<SolvedOpening>,
    most: usize,
    last: Option<CampaignProgress>,
    table: Vec<u8>,
}

impl Keeper {
    fn new(most: usize) -> Self {
        Self { solved: Vec::new(), most, last: None, table: Vec::new() }
    }

    fn nodes(&self) -> u64 {
        self.solved.iter().map(|opening| opening.nodes).sum()
    }
}

impl CampaignObserver for Keeper {
    fn check(&mut self, _: usize, _: u64) -> ControlFlow<()> {
        if self.solved.len() >= self.most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn begins(&mut self, _: usize, _: &str) {}

    fn solved(&mut self, _: usize, opening: &SolvedOpening, progress: CampaignProgress) {
        assert!(progress.at_least <= progress.at_most && progress.solved <= progress.openings);
        self.solved.push(opening.clone());
        self.last = Some(progress);
    }

    fn save(&mut self, write: &mut dyn FnMut(&mut dyn io::Write) -> io::Result<()>) {
        self.table.clear();
        write(&mut self.table).unwrap();
    }
}

fn options(depth: u32, threads: usize) -> CampaignOptions {
    CampaignOptions { depth, threads, memory: 16_000_000 }
}

/// What a campaign begins with.
struct Run<'a> {
    options: CampaignOptions,
    known: &'a [SolvedOpening],
    table: Option<&'a [u8]>,
    keeper: &'a mut Keeper,
}

impl Visitor for Run<'_> {
    type Output = Result<(CampaignResult, Option<io::Error>), InputError>;
    fn visit<G: PlayableGame>(self, game: G, start: G::State) -> Self::Output {
        let mut campaign = Campaign::new(&game, &start, self.options, None)?;
        campaign.resume(self.known)?;
        let refused = self.table.and_then(|mut table| campaign.load(&mut table).err());
        Ok((campaign.run(self.keeper)?, refused))
    }
}

fn run<F: Family>(
    game: &str,
    options: CampaignOptions,
    known: &[SolvedOpening],
    table: Option<&[u8]>,
    keeper: &mut Keeper,
) -> Result<(CampaignResult, Option<io::Error>), InputError> {
    open_one::<F, _>(game, None, Run { options, known, table, keeper }).unwrap()
}

/// The value as the solver finds it.
struct Truth;

impl Visitor for Truth {
    type Output = GameValue;
    fn visit<G: PlayableGame>(self, game: G, start: G::State) -> GameValue {
        let mut solver = Solver::new(&game, Method::AlphaBeta, 16_000_000, None, None).unwrap();
        solver.value(&game, &start, &mut NoObserver).exact().unwrap()
    }
}

fn finds_the_value<F: Family>(games: &[&str]) {
    for game in games {
        let truth = open_one::<F, _>(game, None, Truth).unwrap();
        // Behind the twelfth ply of this game nothing is left to be solved.
        let deep = if game.starts_with("mnk") { 12 } else { 4 };
        for (depth, threads) in [(0, 1), (1, 2), (2, 1), (3, 3), (deep, 2)] {
            let mut keeper = Keeper::new(usize::MAX);
            let (result, _) = run::<F>(game, options(depth, threads), &[], None, &mut keeper).unwrap();
            assert_eq!(result.value, Some(truth), "{game}, depth {depth}");
            assert_eq!((result.progress.at_least, result.progress.at_most), (0, 0), "{game}, depth {depth}");
            // A draw may follow from bounds, without the value of any move.
            if depth > 0 && truth == GameValue::Win {
                assert!(result.moves.iter().any(|mv| mv.1 == Some(truth)), "{game}, depth {depth}: {:?}", result.moves);
            }
            assert!(result.moves.iter().all(|mv| mv.1.is_none_or(|value| value <= truth)), "{game}, depth {depth}");
        }
    }
}

#[test]
fn a_campaign_finds_the_value_of_the_game_with_any_depth_and_threads() {
    finds_the_value::<mnk::Rules>(&["mnk:size=3x3,k=3", "mnk:size=4x3,k=3"]);
    finds_the_value::<pawn::Rules>(&["pawn:size=4x4", "pawn:size=5x5,double", "pawn:size=4x5"]);
    finds_the_value::<clobber::Rules>(&["clobber:size=4x3", "clobber:size=4x4"]);
    finds_the_value::<connect_four::Rules>(&["connect-four:size=4x4", "connect-four:size=5x4"]);
}

/// Stopped after each opening, it comes to the same end, and solves nothing twice.
#[test]
fn a_campaign_that_is_stopped_goes_on() {
    goes_on::<pawn::Rules>("pawn:size=5x5");
    goes_on::<clobber::Rules>("clobber:size=4x5");
    goes_on::<connect_four::Rules>("connect-four:size=5x4");
}

fn goes_on<F: Family>(game: &str) {
    let mut known: Vec<SolvedOpening> = Vec::new();
    let result = loop {
        let mut keeper = Keeper::new(1);
        let (result, _) = run::<F>(game, options(3, 1), &known, None, &mut keeper).unwrap();
        assert!(keeper.solved.iter().all(|opening| !known.iter().any(|before| before.position == opening.position)));
        known.extend(keeper.solved);
        if result.value.is_some() {
            break result;
        }
    };
    assert!(known.len() > 3, "{game}: {}", known.len());
    let mut whole = Keeper::new(usize::MAX);
    assert_eq!(result.value, run::<F>(game, options(3, 2), &[], None, &mut whole).unwrap().0.value, "{game}");
}

#[test]
fn a_table_that_was_saved_saves_work_and_a_wrong_one_is_refused() {
    let game = "pawn:size=5x6";
    let mut first = Keeper::new(usize::MAX);
    run::<pawn::Rules>(game, options(2, 1), &[], None, &mut first).unwrap();
    let mut again = Keeper::new(usize::MAX);
    let (result, refused) = run::<pawn::Rules>(game, options(2, 1), &[], Some(&first.table), &mut again).unwrap();
    assert!(refused.is_none() && result.value == Some(GameValue::Win), "{refused:?}");
    assert!(again.nodes() * 10 < first.nodes(), "{} of {}", again.nodes(), first.nodes());
    // Another game's, a damaged one, one that was cut: told, and begun without it.
    let mut damaged = first.table.clone();
    damaged[1_000] ^= 1;
    for (game, bytes, why) in [
        ("pawn:size=4x4", &first.table[..], "another game's"),
        (game, &damaged, "checksum is wrong"),
        (game, &first.table[..first.table.len() - 9], ""),
    ] {
        let mut keeper = Keeper::new(usize::MAX);
        let (result, refused) = run::<pawn::Rules>(game, options(1, 1), &[], Some(bytes), &mut keeper).unwrap();
        assert_eq!(result.value, Some(GameValue::Win));
        assert!(refused.as_ref().is_some_and(|refused| refused.to_string().contains(why)), "{refused:?}");
    }
}

#[test]
fn what_is_no_opening_of_a_campaign_is_refused() {
    let stranger = SolvedOpening { position: "4/4/4/4 x".to_owned(), value: GameValue::Win, nodes: 1 };
    let error =
        run::<pawn::Rules>("pawn:size=4x4", options(2, 1), &[stranger], None, &mut Keeper::new(1)).unwrap_err().to_string();
    assert!(error.contains("it is no opening of pawn:size=4x4 after 2 plies"), "{error}");
    let error = run::<mnk::Rules>("mnk:size=9x9,k=5", options(4, 1), &[], None, &mut Keeper::new(1)).unwrap_err().to_string();
    assert!(error.contains("more than 1000000 positions"), "{error}");
}
