//! The program of the Pawn Game's study of 2020, written a second time from what its appendix does, and the agents of this project that
//! re-do it: values, choices among equal moves, and how often each move is played must agree.

use std::collections::{HashMap, HashSet};

use plyground_core::{Rng, Seed};
use plyground_session::open;

/// A board as the player sees it whose move is being chosen: row 0 is that player's first rank, 1 is a pawn that goes to higher rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Board {
    rows: Vec<Vec<i8>>,
    /// Who moves: 1 for the player who chooses, -1 for the opponent.
    mover: i8,
}

/// From a square (row, column) to another.
type Way = [(usize, usize); 2];

impl Board {
    fn read(position: &str) -> Self {
        let (board, side) = position.split_once(' ').unwrap();
        let own = if side.starts_with('w') { 'P' } else { 'p' };
        let row = |text: &str| {
            let cells = text.chars().flat_map(|letter| match letter.to_digit(10) {
                Some(empty) => vec![0; empty as usize],
                None => vec![if letter == own { 1 } else { -1 }],
            });
            cells.collect::<Vec<i8>>()
        };
        let mut rows: Vec<Vec<i8>> = board.split('/').map(row).collect();
        if own == 'P' {
            rows.reverse();
        }
        Self { rows, mover: 1 }
    }

    fn ways(&self) -> Vec<Way> {
        let mut ways = Vec::new();
        for (row, cells) in self.rows.iter().enumerate() {
            for column in (0..cells.len()).filter(|&column| cells[column] == self.mover) {
                let Some(ahead) = row.checked_add_signed(isize::from(self.mover)) else { continue };
                let Some(next) = self.rows.get(ahead) else { continue };
                for (to, &found) in next.iter().enumerate().filter(|&(to, _)| to.abs_diff(column) <= 1) {
                    let wanted = if to == column { 0 } else { -self.mover };
                    if found == wanted {
                        ways.push([(row, column), (ahead, to)]);
                    }
                }
            }
        }
        ways
    }

    fn after(&self, [from, to]: Way) -> Self {
        let mut child = self.clone();
        child.rows[from.0][from.1] = 0;
        child.rows[to.0][to.1] = self.mover;
        child.mover = -self.mover;
        child
    }

    fn children(&self) -> Vec<Self> {
        self.ways().into_iter().map(|way| self.after(way)).collect()
    }

    /// 1 or -1 when the game is over.
    fn winner(&self) -> Option<i8> {
        if self.rows[0].contains(&-1) {
            Some(-1)
        } else if self.rows[self.rows.len() - 1].contains(&1) {
            Some(1)
        } else {
            self.ways().is_empty().then_some(-self.mover)
        }
    }

    fn squares_of(&self, sign: i8) -> impl Iterator<Item = usize> {
        self.rows
            .iter()
            .enumerate()
            .flat_map(move |(row, cells)| cells.iter().filter(move |&&cell| cell == sign).map(move |_| row))
    }

    /// What the program says of a board where it stops looking.
    fn evaluation(&self, advanced: bool) -> f64 {
        let (mine, theirs) = (self.squares_of(1).count() as i32, self.squares_of(-1).count() as i32);
        let pawns = (mine - theirs + 1) * (mine - theirs).abs();
        let mut value = pawns;
        if advanced {
            let last = self.rows.len() as i32 - 1;
            let to_go: i32 = self.squares_of(1).map(|row| last - row as i32).sum();
            let they_to_go: i32 = self.squares_of(-1).map(|row| row as i32).sum();
            let distance: i32 = (0..self.rows[0].len()).map(|column| self.distance(column)).sum();
            value = they_to_go - to_go + 2 * pawns + if distance % 2 == 1 { distance } else { -distance };
        }
        f64::from(value * i32::from(self.mover))
    }

    /// Down one column: from the first pawn of the mover, squares that are not the other's are counted, and for each of the other's
    /// pawns the count so far is added.
    fn distance(&self, column: usize) -> i32 {
        let cells: Vec<i8> = self.rows.iter().map(|row| row[column]).collect();
        let Some(first) = cells.iter().position(|&cell| cell == self.mover) else { return 0 };
        let below = &cells[first + 1..];
        let counted = |end: usize| below[..end].iter().filter(|&&cell| cell != -self.mover).count() as i32;
        (0..below.len()).filter(|&at| below[at] == -self.mover).map(counted).sum()
    }

    /// Minimax without any pruning; shorter wins are a little better.
    fn worth(&self, plies: u32, advanced: bool) -> f64 {
        if let Some(winner) = self.winner() {
            return f64::from(winner) * (100.0 + 0.001 * f64::from(plies));
        }
        if plies == 0 {
            return self.evaluation(advanced);
        }
        let worths = self.children().into_iter().map(|child| child.worth(plies - 1, advanced));
        if self.mover == 1 { worths.fold(f64::MIN, f64::max) } else { worths.fold(f64::MAX, f64::min) }
    }
}

/// A way as the project writes moves.
fn text(position: &str, ranks: usize, way: Way) -> String {
    let white = position.contains(" w");
    let square = |(row, column): (usize, usize)| {
        let rank = if white { row + 1 } else { ranks - row };
        format!("{}{rank}", char::from(b'a' + column as u8))
    };
    way.map(square).concat()
}

/// Positions of random games.
fn positions(spec: &str, games: u64) -> Vec<String> {
    let mut rng = Seed(5).named(spec).rng();
    let mut positions = Vec::new();
    for _ in 0..games {
        let mut session = open(spec, None).unwrap();
        loop {
            let moves = session.moves();
            if moves.is_empty() {
                break;
            }
            positions.push(session.position());
            let index = rng.below(moves.len() as u32) as usize;
            session.play(&moves[index].text).unwrap();
        }
    }
    positions
}

/// The best moves of the program, and what they are worth to it.
fn best(position: &str, depth: u32, advanced: bool) -> (HashSet<String>, f64) {
    let board = Board::read(position);
    // The program asks for the worth of each child with the whole depth.
    let worths: Vec<(Way, f64)> = board.ways().into_iter().map(|way| (way, board.after(way).worth(depth, advanced))).collect();
    let most = worths.iter().map(|&(_, worth)| worth).fold(f64::MIN, f64::max);
    let equal = worths.iter().filter(|&&(_, worth)| worth == most);
    (equal.map(|&(way, _)| text(position, board.rows.len(), way)).collect(), most)
}

const FORMULAS: [(&str, bool); 2] = [("advanced", true), ("simple", false)];

#[test]
fn minimax_as_coded_finds_the_values_and_moves_of_the_program() {
    for (spec, games, depths) in [("pawn", 5, 1..=3), ("pawn", 1, 4..=4), ("pawn:size=5x5", 1, 1..=2)] {
        let positions = positions(spec, games);
        for depth in depths {
            for (name, advanced) in FORMULAS {
                let agent = format!("alphabeta:depth={depth},counted=child,eval={name},as=code");
                let plain = format!("minimax:depth={depth},counted=child,eval={name},as=code");
                for position in &positions {
                    let (moves, worth) = best(position, depth, advanced);
                    for agent in [&agent, &plain] {
                        let mut session = open(spec, Some(position)).unwrap();
                        let seat = session.add_agent(agent, Seed(3)).unwrap();
                        let advice = session.choose(seat).unwrap();
                        assert!(moves.contains(&advice.mv), "{agent} plays {} in {position}: {moves:?}", advice.mv);
                        let score = advice.facts.iter().find(|fact| fact.name == "score").unwrap().value;
                        if worth.abs() < 100.0 {
                            assert_eq!(score, worth, "{agent} in {position}");
                        } else {
                            assert_eq!(score.signum(), worth.signum(), "{agent} in {position}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn an_agent_that_goes_on_thinking_finds_the_same() {
    for (name, advanced) in FORMULAS {
        let mut rng = Seed(8).rng();
        for game in 0..6 {
            let mut session = open("pawn", None).unwrap();
            // One agent for both sides: it has to forget what it thought for the other one.
            let seat = session.add_agent(&format!("alphabeta:depth=3,counted=child,eval={name},as=code"), Seed(game)).unwrap();
            while !session.moves().is_empty() {
                let (moves, _) = best(&session.position(), 3, advanced);
                let advice = session.choose(seat).unwrap();
                assert!(moves.contains(&advice.mv), "{name}: {} in {}: {moves:?}", advice.mv, session.position());
                let all = session.moves();
                let any = all[rng.below(all.len() as u32) as usize].text.clone();
                session.play(&any).unwrap();
            }
        }
    }
}

#[test]
fn all_equal_moves_are_played_and_without_shuffling_the_one_listed_first() {
    // The lists are from a set in Python, with the hashes of version 3.7.
    for (position, listed) in [
        ("pppp/4/4/PPPP w", "a1a2 d1d2 c1c2 b1b2"),
        ("pppp/4/P3/1PPP b", "a4a3 d4d3 c4c3 b4b3"),
        ("p1pp/1p2/P1P1/1P1P w", "c2c3 a2a3 d1d2 b1b2 c2b3 a2b3"),
        ("p1pp/1p2/P1P1/1P1P b", "a4a3 d4d3 c4c3 b3b2 b3c2 b3a2"),
        ("ppppp/5/5/5/PPPPP w", "a1a2 e1e2 d1d2 c1c2 b1b2"),
        ("pp1pp/2p2/1P3/5/P1PPP b", "a5a4 d5d4 e5e4 b5b4 c4c3 c4b3"),
        ("pp1ppp/2p3/1P4/3P2/6/P1P1PP w", "a1a2 f1f2 e1e2 c1c2 b4b5 d3d4 b4c5"),
    ] {
        for (name, advanced) in FORMULAS {
            for depth in 1..=2 {
                let (moves, _) = best(position, depth, advanced);
                let choose = |more: &str, seed: u64| {
                    let mut session = open("pawn", Some(position)).unwrap();
                    let agent = format!("alphabeta:depth={depth},counted=child,eval={name},as=code,tt=0{more}");
                    let seat = session.add_agent(&agent, Seed(seed)).unwrap();
                    session.choose(seat).unwrap().mv
                };
                let played: HashSet<String> = (0..60).map(|seed| choose("", seed)).collect();
                assert_eq!(played, moves, "{name} at depth {depth} in {position}");
                let first = listed.split(' ').find(|mv| moves.contains(*mv)).unwrap();
                assert_eq!(choose(",shuffle=off", 1), first, "{name} at depth {depth} in {position}");
            }
        }
    }
}

/// What the program's tree search knows of a board: its reward (for who moved last), its visits, and the children it has drawn.
#[derive(Default)]
struct Known {
    reward: f64,
    visits: f64,
    children: Option<Vec<Board>>,
}

/// The tree search of the program, which plays some child of `root`.
fn tree_search(root: &Board, rollouts: u32, drawn: bool, rng: &mut Rng) -> Board {
    let mut tree: HashMap<Board, Known> = HashMap::new();
    for _ in 0..rollouts {
        let mut path = vec![root.clone()];
        while let Some(children) = tree.get(&path[path.len() - 1]).and_then(|known| known.children.clone()) {
            if children.is_empty() {
                break;
            }
            let unexplored = children.iter().find(|child| tree.get(child).is_none_or(|known| known.children.is_none()));
            if let Some(child) = unexplored {
                path.push(child.clone());
                break;
            }
            let log = tree[&path[path.len() - 1]].visits.ln();
            let bound = |child: &Board| tree[child].reward / tree[child].visits + (log / tree[child].visits).sqrt();
            let best = children.iter().max_by(|a, b| bound(a).total_cmp(&bound(b))).unwrap();
            path.push(best.clone());
        }
        let leaf = path[path.len() - 1].clone();
        let known = tree.entry(leaf.clone()).or_default();
        if known.children.is_none() {
            known.children = Some(if leaf.winner().is_some() { Vec::new() } else { some_children(&leaf, drawn, rng) });
        }
        let mut end = leaf;
        while end.winner().is_none() {
            let children = end.children();
            end = children[rng.below(children.len() as u32) as usize].clone();
        }
        let won = f64::from(u8::from(end.winner() == Some(1)));
        for board in path {
            // A board in which the opponent moves is good for the player who chose it.
            let reward = if board.mover == -1 { won } else { 1.0 - won };
            let known = tree.entry(board).or_default();
            known.visits += 1.0;
            known.reward += reward;
        }
    }
    let children = tree[root].children.clone().unwrap();
    let average =
        |child: &Board| tree.get(child).filter(|known| known.visits > 0.0).map_or(-1.0, |known| known.reward / known.visits);
    let best = children.iter().map(average).fold(f64::MIN, f64::max);
    children.into_iter().find(|child| average(child) == best).unwrap()
}

/// All children in random order, or those that as many draws come upon.
fn some_children(board: &Board, drawn: bool, rng: &mut Rng) -> Vec<Board> {
    let mut all = board.children();
    rng.shuffle(&mut all);
    if !drawn {
        return all;
    }
    let draws: HashSet<u32> = (0..all.len()).map(|_| rng.below(all.len() as u32)).collect();
    let mut draws: Vec<u32> = draws.into_iter().collect();
    draws.sort_unstable();
    draws.into_iter().map(|index| all[index as usize].clone()).collect()
}

#[test]
fn tree_search_as_coded_plays_each_move_as_often_as_the_program() {
    const SEARCHES: u64 = 1_500;
    for (position, sims, drawn) in [
        ("pppp/4/4/PPPP w", 1, true),
        ("pppp/4/4/PPPP w", 40, true),
        ("p1pp/1p2/P1P1/1P1P w", 10, true),
        ("p1pp/1p2/P1P1/1P1P b", 40, true),
        ("p1pp/4/PpP1/3P w", 100, true),
        ("p1pp/1p2/P1P1/1P1P w", 40, false),
    ] {
        let board = Board::read(position);
        let mut counts: HashMap<String, [f64; 2]> = HashMap::new();
        let mut rng = Seed(4).rng();
        let mut session = open("pawn", Some(position)).unwrap();
        let children = if drawn { "" } else { ",children=all" };
        let seat = session.add_agent(&format!("mcts:preset=pawn-code,sims={sims}{children}"), Seed(6)).unwrap();
        for _ in 0..SEARCHES {
            let child = tree_search(&board, sims, drawn, &mut rng);
            let way = board.ways().into_iter().find(|&way| board.after(way) == child).unwrap();
            counts.entry(text(position, board.rows.len(), way)).or_default()[0] += 1.0;
            counts.entry(session.choose(seat).unwrap().mv).or_default()[1] += 1.0;
        }
        let moves = board.ways().len();
        // Chi-square of two samples of one size; 30 has a chance below 1 in 10,000 with up to seven moves.
        let distance: f64 = counts.values().map(|[a, b]| (a - b).powi(2) / (a + b)).sum();
        assert!(distance < 30.0, "{distance} for {sims} in {position}: {counts:?}");
        if drawn {
            assert_eq!(counts.len(), moves, "all moves are played now and then: {counts:?}");
        }
    }
}
