//! What `ply campaign` promises: the value that the solver finds, with any depth and any number of threads, also when it is stopped and
//! goes on.

use std::io;
use std::ops::ControlFlow;

use plyground_session::{
    CampaignObserver, CampaignOptions, CampaignOrder, CampaignProgress, CampaignResult, GameValue, InputError, NoObserver,
    NoResources, SolveOrder, SolvedOpening, campaign, open,
};

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

fn run<'a>(
    game: &str,
    options: CampaignOptions,
    known: &'a [SolvedOpening],
    table: Option<&'a mut dyn io::Read>,
    keeper: &mut Keeper,
) -> Result<(CampaignResult, Option<io::Error>), InputError> {
    campaign(game, CampaignOrder { options, regions: None, known, table }, &NoResources, keeper)
}

fn truth(game: &str) -> GameValue {
    let order = SolveOrder { method: "auto".to_owned(), memory: 16, tablebase: None, regions: None, keep: 0, strategy: false };
    open(game, None).unwrap().solve(&order, &NoResources, &mut NoObserver).unwrap().value().unwrap()
}

#[test]
fn a_campaign_finds_the_value_of_the_game_with_any_depth_and_threads() {
    for game in [
        "mnk:size=3x3,k=3",
        "pawn:size=4x4",
        "pawn:size=5x5,double",
        "pawn:size=4x5",
        "crosphere:size=3x3,strong=3",
        "clobber:size=4x4",
        "connect-four:size=4x4",
        "connect-four:size=6x4",
    ] {
        let truth = truth(game);
        for (depth, threads) in [(0, 1), (1, 2), (2, 1), (3, 3), (12, 2)] {
            let mut keeper = Keeper::new(usize::MAX);
            let (result, _) = run(game, options(depth, threads), &[], None, &mut keeper).unwrap();
            assert_eq!(result.value, Some(truth), "{game}, depth {depth}");
            assert_eq!((result.progress.at_least, result.progress.at_most), (0, 0), "{game}, depth {depth}");
            if depth > 0 && truth != GameValue::Loss {
                assert!(result.moves.iter().any(|mv| mv.1 == Some(truth)), "{game}, depth {depth}: {:?}", result.moves);
            }
            assert!(result.moves.iter().all(|mv| mv.1.is_none_or(|value| value <= truth)), "{game}, depth {depth}");
        }
    }
}

/// Stopped after each opening, it comes to the same end, and solves nothing twice.
#[test]
fn a_campaign_that_is_stopped_goes_on() {
    for game in ["pawn:size=5x5", "clobber:size=4x5", "connect-four:size=5x4"] {
        let mut known: Vec<SolvedOpening> = Vec::new();
        let (mut rounds, result) = (
            0,
            loop {
                let mut keeper = Keeper::new(1);
                let (result, _) = run(game, options(3, 1), &known, None, &mut keeper).unwrap();
                assert!(keeper.solved.iter().all(|opening| !known.iter().any(|before| before.position == opening.position)));
                known.extend(keeper.solved);
                if result.value.is_some() {
                    break result;
                }
            },
        );
        rounds += known.len();
        assert!(rounds > 3, "{game}: {rounds}");
        assert_eq!(result.value, Some(truth(game)), "{game}");
    }
}

#[test]
fn a_table_that_was_saved_saves_work_and_a_wrong_one_is_refused() {
    let game = "pawn:size=5x6";
    let mut first = Keeper::new(usize::MAX);
    run(game, options(2, 2), &[], None, &mut first).unwrap();
    let mut again = Keeper::new(usize::MAX);
    let (result, refused) = run(game, options(2, 1), &[], Some(&mut first.table.as_slice()), &mut again).unwrap();
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
        let (result, refused) = run(game, options(1, 1), &[], Some(&mut &bytes[..]), &mut keeper).unwrap();
        assert_eq!(result.value, Some(GameValue::Win));
        assert!(refused.as_ref().is_some_and(|refused| refused.to_string().contains(why)), "{refused:?}");
    }
}

#[test]
fn what_is_no_opening_of_a_campaign_is_refused() {
    let stranger = SolvedOpening { position: "4/4/4/4 x".to_owned(), value: GameValue::Win, nodes: 1 };
    let error = run("pawn:size=4x4", options(2, 1), &[stranger], None, &mut Keeper::new(1)).unwrap_err().to_string();
    assert!(error.contains("it is no opening of pawn:size=4x4 after 2 plies"), "{error}");
    let error = run("mnk:size=9x9,k=5", options(4, 1), &[], None, &mut Keeper::new(1)).unwrap_err().to_string();
    assert!(error.contains("more than 1000000 positions"), "{error}");
}
