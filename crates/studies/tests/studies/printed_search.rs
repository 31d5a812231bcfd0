//! The search of the Tic-Tac-Toe report of 2024 as its program is printed, written again on its own, and with its slips mended one
//! after the other. docs/studies/tictactoe.md shows the table, which
//! `cargo test -p plyground-studies --test studies printed_search -- --nocapture` prints.

use plyground_core::{Player, Rng, Seed};
use plyground_statistics::{CONFIDENCE, Interval, wilson};

/// Who has won, as the program announces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Announced {
    NoWinner,
    Won(Player),
    /// A line in a column was seen, and the square whose owner is announced is empty.
    EmptySquare,
}

/// The slips that are mended; none of them is as printed.
#[derive(Clone, Copy, Debug, Default)]
struct Mended {
    credit: Credit,
    /// The moves that lead to a node are played before the search goes on from there.
    follows: bool,
    /// A rollout ends with its game.
    stops: bool,
    /// A column belongs to the player whose marks are in it.
    columns: bool,
}

/// Who is credited with a rollout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Credit {
    /// No player: the result is a number, and is compared with letters.
    #[default]
    Never,
    /// The player who is to move at the node, whom that line names.
    ToMove,
    /// The player who has moved to the node, for whom a parent chooses.
    Moved,
}

#[derive(Clone, Copy, Debug)]
struct Board {
    marks: [Option<Player>; 9],
    side: Player,
    winner: Announced,
}

const CORNERS: [usize; 4] = [0, 2, 6, 8];
const EDGES: [usize; 4] = [1, 3, 5, 7];
const CENTRE: usize = 4;

impl Board {
    fn new() -> Self {
        Self { marks: [None; 9], side: Player::First, winner: Announced::NoWinner }
    }

    fn empty(&self) -> Vec<usize> {
        (0..9).filter(|&square| self.marks[square].is_none()).collect()
    }

    fn is_line(&self, squares: [usize; 3]) -> bool {
        self.marks[squares[0]].is_some() && squares.iter().all(|&square| self.marks[square] == self.marks[squares[0]])
    }

    fn is_over(&self) -> bool {
        self.winner != Announced::NoWinner || self.empty().is_empty()
    }

    fn play(&mut self, square: usize, mended: Mended) {
        self.marks[square] = Some(self.side);
        self.side = self.side.other();
        if let Some(owner) = self.owner_of_a_line(mended.columns) {
            self.winner = self.marks[owner].map_or(Announced::EmptySquare, Announced::Won);
        }
    }

    /// The square whose owner is the winner: for rows and columns the first of the row with the number, for diagonals the centre.
    fn owner_of_a_line(&self, columns: bool) -> Option<usize> {
        for number in 0..3 {
            if self.is_line([3 * number, 3 * number + 1, 3 * number + 2]) {
                return Some(3 * number);
            }
            if self.is_line([number, number + 3, number + 6]) {
                return Some(if columns { number } else { 3 * number });
            }
        }
        (self.is_line([0, CENTRE, 8]) || self.is_line([2, CENTRE, 6])).then_some(CENTRE)
    }
}

struct Node {
    board: Board,
    parent: Option<usize>,
    square: usize,
    children: Vec<usize>,
    untried: Vec<usize>,
    wins: f64,
    visits: u32,
}

struct Search {
    mended: Mended,
    nodes: Vec<Node>,
}

impl Search {
    fn new(board: Board, mended: Mended) -> Self {
        let mut search = Self { mended, nodes: Vec::new() };
        search.add(board, None, 0);
        search
    }

    fn add(&mut self, board: Board, parent: Option<usize>, square: usize) -> usize {
        let untried = if self.mended.stops && board.is_over() { Vec::new() } else { board.empty() };
        self.nodes.push(Node { board, parent, square, children: Vec::new(), untried, wins: 0.0, visits: 0 });
        self.nodes.len() - 1
    }

    fn one_iteration(&mut self, rng: &mut Rng) {
        let (mut at, mut board) = (0, self.nodes[0].board);
        while self.nodes[at].untried.is_empty() && !self.nodes[at].children.is_empty() {
            at = self.best_child(at);
            if self.mended.follows {
                board.play(self.nodes[at].square, self.mended);
            }
        }
        if !self.nodes[at].untried.is_empty() {
            let number = rng.below(self.nodes[at].untried.len() as u32) as usize;
            let square = self.nodes[at].untried.remove(number);
            board.play(square, self.mended);
            let child = self.add(board, Some(at), square);
            self.nodes[at].children.push(child);
            at = child;
        }
        while !(board.empty().is_empty() || self.mended.stops && board.is_over()) {
            let square = rollout_move(&board, self.mended, rng);
            board.play(square, self.mended);
        }
        let mut node = Some(at);
        while let Some(number) = node {
            let node_here = &mut self.nodes[number];
            node_here.visits += 1;
            let to_move = node_here.board.side;
            node_here.wins += match (self.mended.credit, board.winner) {
                (Credit::Never, _) | (_, Announced::EmptySquare) => 0.0,
                (_, Announced::NoWinner) => 0.5,
                (Credit::ToMove, Announced::Won(winner)) => f64::from(u8::from(winner == to_move)),
                (Credit::Moved, Announced::Won(winner)) => f64::from(u8::from(winner != to_move)),
            };
            node = node_here.parent;
        }
    }

    /// The first of those with the highest bound, C being 2.
    fn best_child(&self, at: usize) -> usize {
        let parent = f64::from(self.nodes[at].visits);
        let bound = |&child: &usize| {
            let visits = f64::from(self.nodes[child].visits);
            self.nodes[child].wins / visits + 2.0 * (2.0 * parent.ln() / visits).sqrt()
        };
        let children = self.nodes[at].children.iter().copied();
        children.reduce(|best, child| if bound(&child) > bound(&best) { child } else { best }).unwrap()
    }

    /// The last of those with the most visits.
    fn choice(&self) -> usize {
        let children = self.nodes[0].children.iter();
        self.nodes[*children.max_by_key(|&&child| self.nodes[child].visits).unwrap()].square
    }
}

/// A move that ends the game, or the centre, a corner, an edge. The printed lines about corners are lost at the end of a page; here
/// each of them is as likely as another.
fn rollout_move(board: &Board, mended: Mended, rng: &mut Rng) -> usize {
    let empty = board.empty();
    let ends = |&square: &usize| {
        let mut after = *board;
        after.play(square, mended);
        after.winner != Announced::NoWinner
    };
    if let Some(square) = empty.iter().copied().find(ends) {
        return square;
    }
    if board.marks[CENTRE].is_none() {
        return CENTRE;
    }
    let group = [CORNERS, EDGES].map(|group| group.into_iter().filter(|square| empty.contains(square)).collect::<Vec<_>>());
    let group = group.into_iter().find(|group| !group.is_empty()).unwrap();
    group[rng.below(group.len() as u32) as usize]
}

fn search(board: Board, iterations: u32, mended: Mended, rng: &mut Rng) -> Search {
    let mut search = Search::new(board, mended);
    for _ in 0..iterations {
        search.one_iteration(rng);
    }
    search
}

/// Games won, drawn and lost by the search, which moves first, against random moves, by the rules of the game.
fn against_random(games: u32, iterations: u32, mended: Mended, rng: &mut Rng) -> [u64; 3] {
    let mut tally = [0; 3];
    let by_the_rules = Mended { columns: true, ..Mended::default() };
    for _ in 0..games {
        let mut board = Board::new();
        while !board.is_over() {
            let square = if board.side == Player::First {
                search(board, iterations, mended, rng).choice()
            } else {
                let empty = board.empty();
                empty[rng.below(empty.len() as u32) as usize]
            };
            board.play(square, by_the_rules);
        }
        match board.winner {
            Announced::Won(Player::First) => tally[0] += 1,
            Announced::Won(Player::Second) => tally[2] += 1,
            _ => tally[1] += 1,
        }
    }
    tally
}

/// The probabilities of what random play ends with: X, O, no line, and the empty square.
fn ends_of_random_play(board: Board, mended: Mended) -> [f64; 4] {
    if board.is_over() {
        let number = match board.winner {
            Announced::Won(player) => player.index(),
            Announced::NoWinner => 2,
            Announced::EmptySquare => 3,
        };
        return std::array::from_fn(|end| f64::from(u8::from(end == number)));
    }
    let empty = board.empty();
    let mut ends = [0.0; 4];
    for &square in &empty {
        let mut after = board;
        after.play(square, mended);
        for (end, probability) in ends.iter_mut().zip(ends_of_random_play(after, mended)) {
            *end += probability / empty.len() as f64;
        }
    }
    ends
}

#[test]
fn as_printed_no_win_is_counted_and_every_move_is_as_likely_as_another() {
    let mut rng = Seed(1).rng();
    for (iterations, searches) in [(1, 900), (60, 900), (1000, 90)] {
        let mut openings = [0_u32; 9];
        for _ in 0..searches {
            let search = search(Board::new(), iterations, Mended::default(), &mut rng);
            assert!(search.nodes.iter().all(|node| node.wins == 0.0));
            // In turn, in the order in which the children were drawn: how often says nothing about how good.
            let visits: Vec<u32> = search.nodes[0].children.iter().map(|&child| search.nodes[child].visits).collect();
            assert!(visits.iter().max().unwrap() - visits.iter().min().unwrap() <= 1, "{visits:?}");
            openings[search.choice()] += 1;
        }
        let expected = f64::from(searches) / 9.0;
        let chi_square: f64 = openings.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
        // One in a thousand is above 26.1, with 8 degrees of freedom.
        assert!(chi_square < 26.1, "{iterations} iterations: {openings:?}");
    }
}

#[test]
fn the_winner_that_is_announced_is_often_another_one() {
    let by_the_rules = ends_of_random_play(Board::new(), Mended { columns: true, ..Mended::default() });
    let printed = ends_of_random_play(Board::new(), Mended::default());
    println!("random play, by the rules: X {:.4}, O {:.4}, drawn {:.4}", by_the_rules[0], by_the_rules[1], by_the_rules[2]);
    println!(
        "as announced: X {:.4}, O {:.4}, drawn {:.4}, an empty square {:.4}",
        printed[0], printed[1], printed[2], printed[3]
    );
    // Known exactly: 737/1260, 121/420 and 8/63 of the games.
    for (found, known) in by_the_rules.into_iter().zip([737.0 / 1260.0, 121.0 / 420.0, 8.0 / 63.0, 0.0]) {
        assert!((found - known).abs() < 1e-12, "{found} {known}");
    }
    assert!((printed.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!((printed[2] - by_the_rules[2]).abs() < 1e-12, "a line is seen in any case");
    assert!(printed[0] < by_the_rules[0] && printed[3] > 0.0);
}

/// Plays against random moves, prints what came out, and gives the share of the games won.
fn played(games: u32, iterations: u32, name: &str, mended: Mended) -> Interval {
    let [won, drawn, lost] = against_random(games, iterations, mended, &mut Seed(u64::from(iterations)).rng());
    let interval = wilson(won, u64::from(games), CONFIDENCE);
    let share = 100.0 * won as f64 / f64::from(games);
    println!("{iterations:4} iterations, {name}: {won} won, {drawn} drawn, {lost} lost of {games}: {share:.1} % {interval}");
    interval
}

const RANDOM_PLAY_WINS: f64 = 737.0 / 1260.0;

#[test]
fn what_each_slip_of_the_printed_search_costs() {
    let printed = Mended::default();
    let credited = Mended { credit: Credit::Moved, ..printed };
    let followed = Mended { follows: true, ..credited };
    let stopped = Mended { stops: true, ..followed };
    let mended = Mended { columns: true, ..stopped };
    let steps = [
        ("as printed", printed),
        ("and wins are counted, for the player who moved there", credited),
        ("and the moves that lead to a node are played", followed),
        ("and a rollout ends with its game", stopped),
        ("and a column belongs to its marks", mended),
    ];
    let found = [60, 1000].map(|iterations| {
        // As printed the search takes no notice of its rollouts, so the slow ones need not be many.
        let games = if iterations == 60 { 400 } else { 100 };
        steps.map(|(name, mended)| played(games, iterations, name, mended))
    });
    for shares in found {
        assert!(shares[0].contains(RANDOM_PLAY_WINS), "as printed it plays like the random agent: {}", shares[0]);
        assert!(shares[4].low > 0.9, "with all of them mended it plays: {}", shares[4]);
    }
    let but_one = [
        ("wins are counted", Mended { credit: Credit::Never, ..mended }),
        ("wins are counted for the player who moved there, not for the one to move", Mended { credit: Credit::ToMove, ..mended }),
        ("the moves that lead to a node are played", Mended { follows: false, ..mended }),
        ("a rollout ends with its game", Mended { stops: false, ..mended }),
        ("a column belongs to its marks", Mended { columns: false, ..mended }),
    ];
    let shares = but_one.map(|(name, mended)| played(400, 60, &format!("all mended but that {name}"), mended));
    assert!(shares[0].contains(RANDOM_PLAY_WINS), "what is not counted is not learnt from");
    assert!(shares[1].high < RANDOM_PLAY_WINS, "a search that counts for the wrong side plays worse than at random");
    assert!(shares[2..].iter().all(|share| share.high < found[0][4].high), "each of the others costs games, too");
}
