//! What the agents of the minimax family promise: whatever they leave out, value and move are those of plain minimax; and what changes
//! the value changes it as its definition says.

use plyground_agents::{Lookahead, Minimax, Searcher};
use plyground_core::{
    Agent, Budget, Choice, Evaluated, Evaluator, Game, Limits, NoClock, NoObserver, Params, PlayableGame, Player, Rng, Scratch,
    SearchRequest, Seed, Turn, Visitor, WIN_SCORE,
};
use plyground_games::{connect_four, infos, open, open_one, tuc_chess};

/// Judges positions without anything about the game that might help a search to be right by luck, or as the game itself does.
enum TestEvaluator<E> {
    /// Pseudo-random.
    Hashed,
    /// A rough one, so that many moves are equal.
    Coarse,
    /// The game's first evaluator.
    Own(E),
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for TestEvaluator<E> {
    fn score(&self, game: &G, state: &G::State) -> f32 {
        match self {
            Self::Hashed => (game.hash(state) % 2_001) as f32 - 1_000.0,
            Self::Coarse => (game.hash(state) % 3) as f32 - 1.0,
            Self::Own(own) => own.score(game, state),
        }
    }
    fn win_chance(&self, score: f32) -> f32 {
        match self {
            Self::Hashed | Self::Coarse => 0.5 + score / 4_000.0,
            Self::Own(own) => own.win_chance(score),
        }
    }
    fn judges_children_at_once(&self) -> bool {
        matches!(self, Self::Own(own) if own.judges_children_at_once())
    }
    fn side_with(&mut self, player: Player) -> bool {
        match self {
            Self::Own(own) => own.side_with(player),
            Self::Hashed | Self::Coarse => false,
        }
    }
    fn evaluate_children(&self, game: &G, state: &G::State, moves: &[G::Move], scores: &mut Vec<f32>) {
        match self {
            Self::Own(own) => own.evaluate_children(game, state, moves, scores),
            Self::Hashed | Self::Coarse => {
                scores.clear();
                scores.extend(moves.iter().map(|&mv| {
                    let child = after(game, state, mv);
                    match game.turn(&child) {
                        Turn::Over(outcome) => outcome.value() * WIN_SCORE,
                        Turn::Player(_) | Turn::Chance => self.score(game, &child),
                    }
                }));
            }
        }
    }
}

/// One of three judges by number.
fn judge<G: PlayableGame>(game: &G, number: usize) -> TestEvaluator<G::Evaluator> {
    match number % 3 {
        0 => TestEvaluator::Hashed,
        1 => TestEvaluator::Coarse,
        _ => TestEvaluator::Own(game.evaluator(G::evaluators()[0].name, &Params::default()).unwrap()),
    }
}

fn after<G: Game>(game: &G, state: &G::State, mv: G::Move) -> G::State {
    let mut child = state.clone();
    game.play(&mut child, mv);
    child
}

fn legal<G: Game>(game: &G, state: &G::State) -> Vec<G::Move> {
    let mut moves = Vec::new();
    game.moves(state, &mut moves);
    moves
}

fn think<G: Game>(agent: &mut impl Agent<G>, game: &G, state: &G::State, depth: u32, seed: Seed) -> Choice<G> {
    let budget = Budget { limits: Limits { depth: Some(depth), ..Limits::default() }, clock: &NoClock };
    agent.choose(SearchRequest { game, state, budget, rng: &mut seed.rng(), observer: &mut NoObserver }).unwrap()
}

fn fact<G: Game>(choice: &Choice<G>, name: &str) -> Option<f64> {
    choice.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value)
}

/// The score of the chosen move in the mover's view and in the units of the evaluator.
fn score<G: Game>(choice: &Choice<G>) -> f32 {
    fact(choice, "score").expect("a search that was not stopped has a score") as f32
}

fn searcher<E>(spec: &str, evaluator: E) -> Searcher<E> {
    let (name, keys) = spec.split_once(':').unwrap_or((spec, ""));
    Searcher::new(name, &Params::parse(keys).unwrap(), evaluator).unwrap()
}

/// The positions of a random game in which a player is to move.
fn random_game<G: Game>(game: &G, start: &G::State, rng: &mut Rng) -> Vec<G::State> {
    let mut scratch = Scratch::default();
    let mut found = Vec::new();
    let mut state = start.clone();
    loop {
        let mv = match game.turn(&state) {
            Turn::Over(_) => return found,
            Turn::Chance => game.random_outcome(&state, rng, &mut scratch),
            Turn::Player(_) => {
                found.push(state.clone());
                game.random_move(&state, rng, &mut scratch)
            }
        };
        game.play(&mut state, mv);
    }
}

/// A tree to a fixed depth.
#[derive(Clone, Copy)]
struct Tree {
    /// All positions but the root.
    nodes: u64,
    /// Is there a line as long as the depth?
    is_deep: bool,
}

/// The tree below a position, if it has at most so many nodes.
fn tree<G: Game>(game: &G, state: &G::State, depth: u32, most: u64) -> Option<Tree> {
    fn grow<G: Game>(game: &G, state: &G::State, depth: u32, most: u64, tree: &mut Tree) -> Option<()> {
        let (mut children, mut left) = (Vec::new(), depth);
        match game.turn(state) {
            Turn::Over(_) => {}
            Turn::Player(_) if depth == 0 => tree.is_deep = true,
            Turn::Player(_) => {
                children = legal(game, state);
                left -= 1;
            }
            Turn::Chance => {
                let mut outcomes = Vec::new();
                game.chance(state, &mut outcomes);
                children.extend(outcomes.iter().map(|&(outcome, _)| outcome));
            }
        }
        for mv in children {
            tree.nodes += 1;
            if tree.nodes > most {
                return None;
            }
            grow(game, &after(game, state, mv), left, most, tree)?;
        }
        Some(())
    }
    let mut found = Tree { nodes: 0, is_deep: false };
    grow(game, state, depth, most, &mut found)?;
    Some(found)
}

/// Positions of random games with trees of that depth that have at most so many nodes and are nowhere near the end of all lines: at
/// most three of a game, at most `count`.
fn positions<G: Game>(game: &G, start: &G::State, depth: u32, most: u64, count: usize, rng: &mut Rng) -> Vec<(G::State, Tree)> {
    let mut found = Vec::new();
    let mut games = 0;
    // A board that has hardly any such positions is given up.
    while found.len() < count && games < 100 + 8 * found.len() {
        games += 1;
        // From the end of the game on backwards, trees grow, though not with every move.
        let mut played = random_game(game, start, rng);
        played.reverse();
        let mut too_large = 0;
        let trees = played.into_iter().map_while(|state| {
            let tree = tree(game, &state, depth, most);
            too_large += u32::from(tree.is_none());
            (too_large < 2).then_some((state, tree))
        });
        let mut deep: Vec<_> =
            trees.filter_map(|(state, tree)| tree.filter(|tree| tree.is_deep).map(|tree| (state, tree))).collect();
        rng.shuffle(&mut deep);
        found.extend(deep.into_iter().take(3));
    }
    found.truncate(count);
    found
}

/// Every agent, and every switch that keeps the value, in turn and together.
const EXACT: &[&str] = &[
    "alphabeta:tt=2",
    "alphabeta:tt=0,order=none,iterative=off",
    "alphabeta:tt=0",
    "alphabeta:tt=1,order=none",
    "alphabeta:tt=1,replace=always,iterative=off",
    "alphabeta:tt=1,replace=depth,order=hints",
    "alphabeta:tt=1,order=history+killers,aspiration=0",
    "alphabeta:tt=2,aspiration=30,order=killers",
    "pvs:tt=2",
    "pvs:tt=0,order=none,iterative=off",
    "pvs:tt=0,order=hints+killers",
    "pvs:tt=1,replace=depth,aspiration=2",
    "pvs:tt=1,replace=always,order=hash",
    "negascout:tt=1,iterative=off,order=history",
    "mtdf:tt=2",
    "mtdf:tt=0,order=none",
    "mtdf:iterative=off,tt=1,replace=always",
    "sss:tt=2",
    "sss:iterative=off,tt=1,replace=depth",
    "sss:tt=8,form=list",
    "sss:tt=8,form=list,iterative=off,order=none",
    "sss:form=list,tt=0",
    "expectimax:tt=2",
    "expectimax:star=1,tt=1,order=none",
    "expectimax:star=off,tt=0,iterative=off",
    "expectimax:star=2,tt=0,order=hints",
];

/// Boards beside the samples on which plain minimax gets far.
const MORE: &[&str] = &["crosphere:size=4x4,strong=1", "crosphere:size=5x3,strong=2", "tuc-chess:appear=0,worth=0.5"];

/// Positions of each game and depth.
const POSITIONS: usize = 500;
/// Plain minimax may visit so many positions.
const AFFORDABLE: u64 = 12_000;

struct Agreement {
    sample: &'static str,
    depth: u32,
    count: usize,
    /// Other positions each time.
    pass: u64,
}

impl Visitor for Agreement {
    type Output = usize;

    /// How many positions were compared.
    fn visit<G: PlayableGame>(self, game: G, start: G::State) -> usize {
        let Self { sample, depth, count, pass } = self;
        let mut rng = Seed(6).named(sample).numbered(u64::from(depth)).numbered(pass).rng();
        let found = positions(&game, &start, depth, AFFORDABLE, count, &mut rng);
        // The searchers keep their tables from position to position.
        let mut searchers: Vec<Vec<_>> =
            (0..3).map(|number| EXACT.iter().map(|spec| searcher(spec, judge(&game, number))).collect()).collect();
        for (number, (state, tree)) in found.iter().enumerate() {
            let here = || format!("{sample} depth {depth}: {}", game.position_text(state));
            let seed = Seed(7).numbered(number as u64);
            let plain = think(&mut Minimax::new(&Params::default(), judge(&game, number)).unwrap(), &game, state, depth, seed);
            assert_eq!(plain.nodes, tree.nodes, "minimax: {}", here());
            // All methods in turn, so that each of them meets all games.
            for (spec, kept) in EXACT.iter().zip(&mut searchers[number % 3]).skip(number % 7).step_by(7) {
                let choice = think(kept, &game, state, depth, seed);
                assert_eq!(score(&choice), score(&plain), "{spec}: {}", here());
                assert_eq!(choice.mv, plain.mv, "{spec}: {}", here());
                // (Star2 looks at some positions twice.)
                if spec.starts_with("expectimax:star=off,tt=0,iterative=off") {
                    assert!(choice.nodes <= tree.nodes, "{spec}: {} of {} nodes, {}", choice.nodes, tree.nodes, here());
                }
            }
        }
        found.len()
    }
}

#[test]
fn every_search_has_the_value_and_the_move_of_plain_minimax() {
    for info in infos() {
        let mut compared = [0; 6];
        for (depth, compared) in (1..).zip(&mut compared) {
            // Boards on which trees of this depth are too large even late in the game leave their share to the others.
            let more = MORE.iter().filter(|spec| spec.starts_with(info.name));
            let mut samples: Vec<&str> = info.samples.iter().chain(more).copied().collect();
            for pass in 0..12 {
                samples.retain(|&sample| {
                    let count = (POSITIONS - *compared).min(POSITIONS.div_ceil(info.samples.len()));
                    let found = open(sample, None, Agreement { sample, depth, count, pass }).unwrap();
                    *compared += found;
                    found > 0
                });
            }
        }
        println!("{}: {compared:?}", info.name);
        assert_eq!(compared, [POSITIONS; 6], "{}", info.name);
    }
}

/// The definitions of the switches that change the value, without tables, ordering or narrow windows: values in the first player's
/// view.
struct Definition<'a, G: PlayableGame> {
    game: &'a G,
    judge: &'a TestEvaluator<G::Evaluator>,
    /// What a draw counts.
    draw: f32,
    quiescence: i32,
    gains: bool,
    singular: Option<f32>,
    /// As deep as the root is asked for.
    root_depth: i32,
}

impl<'a, G: PlayableGame> Definition<'a, G> {
    fn new(game: &'a G, judge: &'a TestEvaluator<G::Evaluator>) -> Self {
        Self { game, judge, draw: 0.0, quiescence: 0, gains: false, singular: None, root_depth: 0 }
    }

    /// What the root comes to in the mover's view: no root move is extended.
    fn root(mut self, state: &G::State, depth: i32) -> f32 {
        self.root_depth = depth;
        let Turn::Player(player) = self.game.turn(state) else { panic!("no player is to move") };
        let moves = legal(self.game, state);
        let values = moves.iter().map(|&mv| self.value(&after(self.game, state, mv), depth - 1, 1) * player.sign());
        values.fold(f32::NEG_INFINITY, f32::max)
    }

    fn value(&self, state: &G::State, depth: i32, ply: i32) -> f32 {
        let player = match self.game.turn(state) {
            Turn::Over(outcome) => return outcome.winner.map_or(self.draw, |winner| winner.sign() * (WIN_SCORE - ply as f32)),
            Turn::Chance => {
                let mut outcomes = Vec::new();
                self.game.chance(state, &mut outcomes);
                let weighed = outcomes.iter().map(|&(outcome, probability)| {
                    probability * f64::from(self.value(&after(self.game, state, outcome), depth, ply))
                });
                return weighed.sum::<f64>() as f32;
            }
            Turn::Player(player) => player,
        };
        let mut moves = legal(self.game, state);
        let mut best = f32::NEG_INFINITY;
        let mut extended = None;
        if depth <= 0 {
            // The player may leave it at that, or make a noisy move.
            best = self.judge.score(self.game, state) * player.sign();
            if self.gains {
                self.game.gaining_moves(state, &mut moves);
            }
            moves.retain(|&mv| -depth < self.quiescence && (self.gains || self.game.is_noisy(state, mv)));
        } else if let Some(margin) = self.singular.filter(|_| depth >= 3 && ply < 2 * self.root_depth && moves.len() >= 2) {
            let shallow = |mv| self.value(&after(self.game, state, mv), depth - 3, ply + 1) * player.sign();
            let values: Vec<f32> = moves.iter().map(|&mv| shallow(mv)).collect();
            let highest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let near = values.iter().filter(|&&value| value >= highest - margin).count();
            extended = values.iter().position(|&value| value == highest).filter(|_| near == 1);
        }
        for (number, &mv) in moves.iter().enumerate() {
            let left = depth - 1 + i32::from(extended == Some(number));
            best = best.max(self.value(&after(self.game, state, mv), left, ply + 1) * player.sign());
        }
        best * player.sign()
    }
}

/// Compares searches with a definition in positions of random games, each with all judges in turn, and says how often the value
/// differed from that of plain minimax.
struct Held {
    specs: &'static [&'static str],
    depth: u32,
    /// Of the tree without the switch.
    most: u64,
    quiescence: i32,
    /// Does quiescence follow all that gains something?
    gains: bool,
    singular: Option<f32>,
}

impl Visitor for Held {
    type Output = usize;

    fn visit<G: PlayableGame>(self, game: G, start: G::State) -> usize {
        let mut rng = Seed(8).named("held").numbered(u64::from(self.depth)).rng();
        let found = positions(&game, &start, self.depth, self.most, 120, &mut rng);
        assert!(found.len() >= 100, "{} positions of {}", found.len(), game.spec());
        let mut changed = 0;
        for (number, (state, _)) in found.iter().enumerate() {
            let judged = judge(&game, number);
            let definition = Definition {
                quiescence: self.quiescence,
                gains: self.gains,
                singular: self.singular,
                ..Definition::new(&game, &judged)
            };
            let wanted = definition.root(state, self.depth as i32);
            for spec in self.specs {
                let choice = think(&mut searcher(spec, judge(&game, number)), &game, state, self.depth, Seed(1));
                assert_eq!(score(&choice), wanted, "{spec}, depth {}: {}", self.depth, game.position_text(state));
            }
            changed += usize::from(wanted != Definition::new(&game, &judged).root(state, self.depth as i32));
        }
        changed
    }
}

#[test]
fn quiescence_follows_the_noisy_moves_as_defined() {
    let specs: &[&str] = &[
        "alphabeta:quiescence=3,tt=0,order=none,iterative=off",
        "alphabeta:quiescence=3,tt=1",
        "pvs:quiescence=3,tt=1",
        "mtdf:quiescence=3,tt=1",
        "sss:quiescence=3,tt=1",
        "sss:quiescence=3,tt=8,form=list",
        "expectimax:quiescence=3,tt=1,star=1",
    ];
    for (sample, depths) in [("pawn:size=6x6", [1, 4]), ("pawn:size=6x6,double", [2, 3]), ("tuc-chess:appear=0", [1, 2])] {
        for depth in depths {
            let held = Held { specs, depth, most: 1_000, quiescence: 3, gains: false, singular: None };
            let changed = open_among!([pawn, tuc_chess], sample, held);
            assert!(changed >= 10, "{sample} depth {depth}: quiescence changed {changed} values");
        }
    }
}

#[test]
fn quiescence_follows_all_that_gains_as_defined() {
    let specs: &[&str] = &[
        "alphabeta:quiescence=3,follow=gains,tt=0,order=none,iterative=off",
        "pvs:quiescence=3,follow=gains,tt=1",
        "mtdf:quiescence=3,follow=gains,tt=1",
    ];
    for depth in [1, 2] {
        let held = Held { specs, depth, most: 1_000, quiescence: 3, gains: true, singular: None };
        let changed = open_one::<tuc_chess::Rules, _>("tuc-chess:appear=0", None, held).unwrap();
        assert!(changed >= 10, "depth {depth}: quiescence changed {changed} values");
    }
}

/// Null moves, futility and reductions by logarithm under principal variation search: what is cut off depends on the window, so it is part
/// of the definition. In the view of the player to move, moves in the order of the game, as if chance did nothing.
struct Selective<'a> {
    game: &'a tuc_chess::TucChess,
    judge: &'a TestEvaluator<tuc_chess::TucEvaluator>,
    null: Option<i32>,
    futility: Option<f32>,
    reduces: bool,
}

impl Selective<'_> {
    fn value(&self, state: &tuc_chess::State, [depth, ply]: [i32; 2], [alpha, beta]: [f32; 2], may_pass: bool) -> f32 {
        let player = match self.game.turn(state) {
            Turn::Over(outcome) => {
                return outcome.winner.map_or(0.0, |winner| winner.sign() * (WIN_SCORE - ply as f32));
            }
            Turn::Chance => panic!("chance is ignored"),
            Turn::Player(player) => player,
        };
        let own = |score: f32| score * player.sign();
        let judged = own(self.judge.score(self.game, state));
        if depth <= 0 {
            return own(judged);
        }
        let is_null = beta <= alpha.next_up() && beta.abs() < WIN_SCORE - 10_000.0;
        if let Some(margin) = self.futility.filter(|_| is_null && depth <= 4 && ply > 0) {
            let kept = judged - margin * depth as f32;
            if kept >= beta {
                return own(kept);
            }
        }
        if let Some(less) = self.null.filter(|_| is_null && depth >= 3 && judged >= beta && may_pass && ply > 0)
            && let Some(passed) = self.game.passed(state)
        {
            let floor = beta.next_down();
            let value = self.asked(&passed, player, [depth - 1 - less - depth / 5, ply + 1], [floor, floor.next_up()], false);
            if value >= beta {
                return own(if value >= WIN_SCORE - 10_000.0 { beta } else { value });
            }
        }
        let mut best = f32::NEG_INFINITY;
        for (turn, mv) in legal(self.game, state).into_iter().enumerate() {
            let mut child = *state;
            self.game.play_without_chance(&mut child, mv);
            let floor = alpha.max(best);
            let ask = |less: i32, window| self.asked(&child, player, [depth - 1 - less, ply + 1], window, true);
            let is_late = self.reduces && ply > 0 && depth >= 3 && turn >= 2 && !self.game.is_noisy(state, mv);
            let less = ((turn + 1).ilog2() * depth.unsigned_abs().ilog2() / 4).max(1) as i32;
            let mut value = if is_late { ask(less, [floor, floor.next_up()]) } else { f32::INFINITY };
            if value > floor {
                let narrow = turn > 0 && (depth > 1 || ply == 0) && beta > alpha.next_up().max(floor.next_up());
                value = if narrow { ask(0, [floor, floor.next_up()]) } else { f32::INFINITY };
                if value > floor && (!narrow || value < beta) {
                    value = ask(0, [floor, beta]);
                }
            }
            best = best.max(value);
            if best >= beta {
                break;
            }
        }
        own(best)
    }

    /// The value of a position for a player who need not be to move.
    fn asked(&self, state: &tuc_chess::State, player: Player, at: [i32; 2], [alpha, beta]: [f32; 2], may_pass: bool) -> f32 {
        let is_other = matches!(self.game.turn(state), Turn::Player(mover) if mover != player);
        let window = if is_other { [-beta, -alpha] } else { [alpha, beta] };
        self.value(state, at, window, may_pass) * player.sign()
    }
}

#[test]
fn what_is_cut_off_without_a_look_at_the_moves_is_as_defined() {
    let game = tuc_chess::TucChess::default();
    let mut rng = Seed(12).named("selective").rng();
    let mut found: Vec<_> = (0..12).flat_map(|_| random_game(&game, &game.start(), &mut rng)).collect();
    rng.shuffle(&mut found);
    let switches = [(Some(1), None, false), (None, Some(300.0), false), (None, None, true), (Some(2), Some(200.0), true)];
    for (null, futility, reduces) in switches {
        let mut changed = 0;
        for (number, state) in found.iter().take(60).enumerate() {
            let judged = judge(&game, number);
            let twin = Selective { game: &game, judge: &judged, null, futility, reduces };
            let without = "pvs:chance=ignore,tt=0,order=none,iterative=off,shuffle=off";
            let plain = think(&mut searcher(without, judge(&game, number)), &game, state, 4, Seed(1));
            let player = Player::BOTH[usize::from(game.turn(state) == Turn::Player(Player::Second))];
            let root = |twin: &Selective<'_>| twin.value(state, [4, 0], [f32::NEG_INFINITY, f32::INFINITY], true) * player.sign();
            let keys = [
                null.map(|less| format!("null={less}")),
                futility.map(|margin| format!("futility={margin}")),
                reduces.then(|| "reduce=log".to_owned()),
            ];
            let keys: Vec<String> = keys.into_iter().flatten().collect();
            let spec = format!("{without},{}", keys.join(","));
            let choice = think(&mut searcher(&spec, judge(&game, number)), &game, state, 4, Seed(1));
            assert_eq!(score(&choice), root(&twin), "{spec}: {}", game.position_text(state));
            changed += usize::from(choice.nodes != plain.nodes);
        }
        assert!(changed >= 10, "{null:?} {futility:?} {reduces}: {changed} searches changed");
    }
}

#[test]
fn threads_that_share_a_table_find_the_value_of_plain_minimax() {
    for sample in ["pawn:size=5x5", "connect-four:size=5x4,k=3", "tuc-chess:appear=0.2"] {
        open_among!([pawn, connect_four, tuc_chess], sample, Threads);
    }
}

struct Threads;

impl Visitor for Threads {
    type Output = ();

    fn visit<G: PlayableGame>(self, game: G, start: G::State) {
        let mut rng = Seed(14).rng();
        let depth = if game.spec().starts_with("tuc-chess") { 1 } else { 4 };
        for (number, (state, _)) in positions(&game, &start, depth, 20_000, 20, &mut rng).iter().enumerate() {
            let wanted = Definition::new(&game, &judge(&game, number)).root(state, depth as i32);
            for spec in ["alphabeta:threads=3,tt=1", "pvs:threads=2,tt=1", "mtdf:threads=3,tt=1"] {
                let choice = think(&mut searcher(spec, judge(&game, number)), &game, state, depth, Seed(1));
                assert_eq!(score(&choice), wanted, "{spec}: {}", game.position_text(state));
            }
        }
    }
}

#[test]
fn a_move_is_taken_back_only_where_that_is_worth_its_price() {
    let game = tuc_chess::TucChess::default();
    let (_, start) = open_one::<tuc_chess::Rules, _>("tuc-chess", Some("2k2/5/1r3/5/3R1/5/2K2 w 3 3 60"), Opened).unwrap();
    for (price, most) in [(0.0, usize::MAX), (1_000.0, 0)] {
        let mut agents = [0, 1].map(|_| searcher(&format!("pvs:chance=ignore,tt=1,progress={price}"), judge(&game, 2)));
        let (mut state, mut last, mut taken_back) = (start, [None; 2], 0);
        for ply in 0..80 {
            let Turn::Player(player) = game.turn(&state) else { break };
            let mv = think(&mut agents[player.index()], &game, &state, 2, Seed(ply)).mv;
            let squares = game.move_squares(&state, mv);
            let is_noisy = game.is_noisy(&state, mv);
            taken_back += usize::from(!is_noisy && last[player.index()] == Some((squares.to, squares.from)));
            last[player.index()] = Some((squares.from, squares.to));
            game.play_without_chance(&mut state, mv);
        }
        assert!(taken_back <= most, "at a price of {price}: {taken_back}");
        assert!(price > 0.0 || taken_back > 0, "without a price nothing is taken back: the test shows nothing");
    }
}

/// The game and the position as they are, for tests of one game.
struct Opened;

impl Visitor for Opened {
    type Output = (String, tuc_chess::State);

    fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Self::Output {
        let state: Box<dyn std::any::Any> = Box::new(state);
        (game.spec(), *state.downcast().expect("a position of TUC-Chess"))
    }
}

#[test]
fn singular_moves_are_extended_as_defined() {
    let specs: &[&str] = &[
        "alphabeta:singular=0.5,tt=0,order=none,iterative=off",
        "alphabeta:singular=0.5,tt=0",
        "pvs:singular=0.5,tt=0",
        "mtdf:singular=0.5,tt=0,iterative=off",
    ];
    for sample in ["connect-four:size=5x4,k=3", "pawn:size=5x5", "mnk:size=4x4,k=4", "tuc-chess:appear=0"] {
        for depth in [4, 5] {
            let held = Held { specs, depth, most: 3_000, quiescence: 0, gains: false, singular: Some(0.5) };
            let changed = open_among!([connect_four, pawn, mnk, tuc_chess], sample, held);
            assert!(changed >= 5, "{sample} depth {depth}: extensions changed {changed} values");
        }
    }
}

/// Minimax without chance, straight from the definition: in the first player's view.
struct Quiet<'a, G: PlayableGame> {
    game: &'a G,
    judge: &'a TestEvaluator<G::Evaluator>,
    judges_ends: bool,
    /// Positions looked at.
    nodes: u64,
}

impl<G: PlayableGame> Quiet<'_, G> {
    /// Nothing where there is more to look at than wanted.
    fn value(&mut self, state: &G::State, depth: u32, ply: u32) -> Option<f32> {
        self.nodes += 1;
        match self.game.turn(state) {
            _ if self.nodes > AFFORDABLE => None,
            Turn::Over(_) if self.judges_ends => Some(self.judge.score(self.game, state)),
            Turn::Over(outcome) => Some(outcome.value() * (WIN_SCORE - ply as f32)),
            Turn::Chance => panic!("nothing is left to chance"),
            Turn::Player(_) if depth == 0 => Some(self.judge.score(self.game, state)),
            Turn::Player(player) => {
                let mut best = f32::NEG_INFINITY;
                for mv in legal(self.game, state) {
                    let mut child = state.clone();
                    self.game.play_without_chance(&mut child, mv);
                    best = best.max(self.value(&child, depth - 1, ply + 1)? * player.sign());
                }
                Some(best * player.sign())
            }
        }
    }
}

/// The searches of [`EXACT`] in which chance events are averages.
fn averages(spec: &str) -> bool {
    ["star", "samples"].into_iter().any(|key| spec.contains(key))
}

/// Holds all searches to the naive one without chance, and to plain minimax with one drawn future.
struct OneFuture {
    depth: u32,
    /// A key for all agents, and what it means.
    ends: (&'static str, bool),
    /// How often a drawn future and one without chance had different values.
    differ: usize,
    compared: usize,
}

impl Visitor for OneFuture {
    type Output = [usize; 2];

    fn visit<G: PlayableGame>(mut self, game: G, start: G::State) -> [usize; 2] {
        let mut rng = Seed(16).numbered(u64::from(self.depth)).rng();
        let own = |number: usize| {
            let info = G::evaluators()[number % G::evaluators().len()];
            TestEvaluator::Own(game.evaluator(info.name, &Params::default()).unwrap())
        };
        let judge = |number: usize| if number.is_multiple_of(2) { TestEvaluator::Hashed } else { own(number / 2) };
        let keys = |mode: &str| format!("chance={mode}{}", self.ends.0);
        let with = |spec: &str, mode: &str| format!("{spec}{}{}", if spec.contains(':') { "," } else { ":" }, keys(mode));
        let plain = |mode: &str, number| Minimax::new(&Params::parse(&keys(mode)).unwrap(), judge(number)).unwrap();
        let specs: Vec<&str> = EXACT.iter().copied().filter(|spec| !averages(spec)).collect();
        let judges = 2 * G::evaluators().len();
        // Kept from position to position, and for both players.
        let mut kept: Vec<Vec<_>> = (0..judges)
            .map(|number| {
                let each = |spec: &&str| ["ignore", "sample"].map(|mode| searcher(&with(spec, mode), judge(number)));
                specs.iter().map(each).collect()
            })
            .collect();
        let mut number = 0;
        let mut games = 0;
        while self.compared < 60 && games < 200 {
            games += 1;
            let mut played = random_game(&game, &start, &mut rng);
            rng.shuffle(&mut played);
            for state in played.iter().take(4) {
                let Turn::Player(mover) = game.turn(state) else { panic!("no player is to move") };
                let mut judged = judge(number % judges);
                judged.side_with(mover);
                let mut naive = Quiet { game: &game, judge: &judged, judges_ends: self.ends.1, nodes: 0 };
                let Some(value) = naive.value(state, self.depth, 0) else { continue };
                let nodes = naive.nodes - 1;
                let here = || format!("{} depth {}: {}", game.spec(), self.depth, game.position_text(state));
                let seed = Seed(17).numbered(number as u64);
                let quiet = think(&mut plain("ignore", number % judges), &game, state, self.depth, seed);
                assert_eq!((score(&quiet), quiet.nodes), (value * mover.sign(), nodes), "{}", here());
                let drawn = think(&mut plain("sample", number % judges), &game, state, self.depth, seed);
                self.differ += usize::from(score(&drawn) != score(&quiet));
                for (spec, agents) in specs.iter().zip(&mut kept[number % judges]).skip(number % 5).step_by(5) {
                    for (agent, wanted) in agents.iter_mut().zip([&quiet, &drawn]) {
                        let choice = think(agent, &game, state, self.depth, seed);
                        assert_eq!((score(&choice), choice.mv), (score(wanted), wanted.mv), "{spec}: {}", here());
                        let mut ahead = state.clone();
                        for &mv in &choice.principal_variation {
                            let text = game.move_text(&ahead, mv);
                            assert_eq!(game.legal_move(&ahead, &text).as_ref(), Ok(&mv), "{spec}: {}", here());
                            game.play(&mut ahead, mv);
                        }
                    }
                }
                number += 1;
                self.compared += 1;
            }
        }
        [self.compared, self.differ]
    }
}

#[test]
fn with_one_future_every_search_has_the_value_and_the_move_of_plain_minimax() {
    for depth in 1..=4 {
        for ends in [("", false), (",ends=eval", true)] {
            for sample in ["tuc-chess:worth=0.5,appear=0.9", "tuc-chess:limit=30", "tictactoe"] {
                let [compared, differ] = open_among!([tuc_chess, mnk], sample, OneFuture { depth, ends, differ: 0, compared: 0 });
                assert!(compared >= 40, "{sample} depth {depth}: {compared} positions");
                assert_eq!(differ > 0, sample != "tictactoe", "{sample} depth {depth}: {differ} of {compared}");
            }
        }
    }
}

/// Late-move reductions: what is looked at again depends on what has been found before, so the window is part of the definition.
/// Fail-soft, in the view of the player to move, moves in the order of the game.
fn reduced<G: PlayableGame>(
    game: &G,
    judge: &TestEvaluator<G::Evaluator>,
    state: &G::State,
    [depth, ply, after_moves]: [i32; 3],
    [alpha, beta]: [f32; 2],
) -> f32 {
    let player = match game.turn(state) {
        Turn::Over(outcome) => return -outcome.winner.map_or(0.0, |_| WIN_SCORE - ply as f32),
        Turn::Chance => panic!("no definition for games of chance"),
        Turn::Player(player) => player,
    };
    if depth <= 0 {
        return judge.score(game, state) * player.sign();
    }
    let mut best = f32::NEG_INFINITY;
    for (number, mv) in legal(game, state).into_iter().enumerate() {
        let child = after(game, state, mv);
        let floor = alpha.max(best);
        let ask = |less: i32, [low, high]: [f32; 2]| {
            -reduced(game, judge, &child, [depth - 1 - less, ply + 1, after_moves], [-high, -low])
        };
        // The root is not reduced.
        let is_late = ply > 0 && depth >= 3 && number as i32 >= after_moves && !game.is_noisy(state, mv);
        let mut value = if is_late { ask(1, [floor, floor.next_up()]) } else { f32::INFINITY };
        if value > floor {
            value = ask(0, [floor, beta]);
        }
        best = best.max(value);
        if best >= beta {
            break;
        }
    }
    best
}

struct Reduced;

impl Visitor for Reduced {
    type Output = usize;

    fn visit<G: PlayableGame>(self, game: G, start: G::State) -> usize {
        let mut rng = Seed(9).rng();
        let found = positions(&game, &start, 5, 6_000, 150, &mut rng);
        assert!(found.len() >= 100, "{} positions of {}", found.len(), game.spec());
        let mut changed = 0;
        for (number, (state, _)) in found.iter().enumerate() {
            let judged = judge(&game, number);
            let wanted = reduced(&game, &judged, state, [5, 0, 2], [f32::NEG_INFINITY, f32::INFINITY]);
            let spec = "alphabeta:reduce=2,tt=0,order=none,iterative=off,shuffle=off";
            let choice = think(&mut searcher(spec, judge(&game, number)), &game, state, 5, Seed(1));
            assert_eq!(score(&choice), wanted, "{}", game.position_text(state));
            let plain = Definition::new(&game, &judged).root(state, 5);
            changed += usize::from(wanted != plain);
            // With no move late enough nothing changes, whatever else is switched on.
            let choice = think(&mut searcher("pvs:reduce=300,tt=1", judged), &game, state, 5, Seed(1));
            assert_eq!(score(&choice), plain, "{}", game.position_text(state));
        }
        changed
    }
}

#[test]
fn late_moves_are_reduced_as_defined() {
    for sample in ["connect-four:size=5x4,k=3", "pawn:size=6x6", "mnk:size=4x4,k=4", "clobber:size=4x4"] {
        let changed = open_among!([connect_four, pawn, mnk, clobber], sample, Reduced);
        assert!(changed >= 10, "{sample}: reductions changed {changed} values");
    }
}

struct Contempt;

impl Visitor for Contempt {
    type Output = usize;

    fn visit<G: PlayableGame>(self, game: G, start: G::State) -> usize {
        let mut rng = Seed(10).rng();
        let mut changed = 0;
        // The same searchers for both players: what one thinks of draws must not reach the other.
        let mut searchers: Vec<_> = [
            "alphabeta:contempt=2.5,tt=1",
            "pvs:contempt=2.5,tt=0",
            "mtdf:contempt=2.5,tt=1",
            "sss:contempt=2.5,tt=1",
            "sss:contempt=2.5,tt=8,form=list",
        ]
        .map(|spec| (spec, searcher(spec, judge(&game, 1))))
        .into_iter()
        .collect();
        // Draws come late.
        let played = (0..40).flat_map(|_| random_game(&game, &start, &mut rng).into_iter().rev().take(8));
        for state in played.filter(|state| tree(&game, state, 4, 4_000).is_some()) {
            let Turn::Player(mover) = game.turn(&state) else { panic!("no player is to move") };
            let judged = judge(&game, 1);
            let wanted = Definition { draw: -2.5 * mover.sign(), ..Definition::new(&game, &judged) }.root(&state, 4);
            for (spec, kept) in &mut searchers {
                let choice = think(kept, &game, &state, 4, Seed(1));
                assert_eq!(score(&choice), wanted, "{spec}: {}", game.position_text(&state));
            }
            changed += usize::from(wanted != Definition::new(&game, &judged).root(&state, 4));
        }
        changed
    }
}

#[test]
fn contempt_is_what_a_draw_counts_less() {
    for sample in ["tictactoe", "connect-four:size=4x4", "mnk:size=4x4,k=4", "tuc-chess:limit=30"] {
        let changed = open_among!([mnk, connect_four, tuc_chess], sample, Contempt);
        assert!(changed >= 10, "{sample}: contempt changed {changed} values");
    }
}

/// Plies to the end with best play, from 0 for a finished game: the winner hurries, the loser holds out. Positive when the player to
/// move wins, negative or 0 when the other does, nothing for a draw.
fn plies_to_end<G: Game>(game: &G, state: &G::State) -> Option<i32> {
    if let Turn::Over(outcome) = game.turn(state) {
        return outcome.winner.map(|_| 0);
    }
    let ends: Vec<Option<i32>> = legal(game, state).into_iter().map(|mv| plies_to_end(game, &after(game, state, mv))).collect();
    let wins = ends.iter().flatten().filter(|&&plies| plies <= 0).map(|plies| 1 - plies);
    if let Some(win) = wins.min() {
        return Some(win);
    }
    if ends.contains(&None) { None } else { ends.into_iter().flatten().map(|plies| -1 - plies).min() }
}

struct Hurry;

impl Visitor for Hurry {
    type Output = [usize; 3];

    /// How many wins, draws and losses there were.
    fn visit<G: PlayableGame>(self, game: G, start: G::State) -> [usize; 3] {
        let mut rng = Seed(11).rng();
        let mut seen = [0; 3];
        for (number, (state, _)) in positions(&game, &start, 2, 60, 400, &mut rng).into_iter().enumerate() {
            // To the end, or not at all.
            if tree(&game, &state, 30, 4_000).is_none() {
                continue;
            }
            let wanted = plies_to_end(&game, &state);
            for spec in ["alphabeta:tt=1", "pvs:tt=1", "mtdf:tt=1", "sss:tt=1"] {
                let choice = think(&mut searcher(spec, judge(&game, 0)), &game, &state, 30, Seed(number as u64));
                let reached = match wanted {
                    None => 0.0,
                    Some(plies) if plies > 0 => WIN_SCORE - plies as f32,
                    Some(plies) => -WIN_SCORE - plies as f32,
                };
                assert_eq!(score(&choice), reached, "{spec}: {}", game.position_text(&state));
                let reply = plies_to_end(&game, &after(&game, &state, choice.mv));
                let kept = reply.map(|plies| if plies <= 0 { 1 - plies } else { -1 - plies });
                assert_eq!(kept, wanted, "{spec}: {}", game.position_text(&state));
            }
            seen[wanted.map_or(1, |plies| if plies > 0 { 0 } else { 2 })] += 1;
        }
        seen
    }
}

#[test]
fn the_shortest_win_and_the_longest_loss_are_played() {
    let mut seen = [0; 3];
    for sample in ["tictactoe", "connect-four:size=4x4", "pawn", "clobber:size=4x4"] {
        let here = open_among!([mnk, connect_four, pawn, clobber], sample, Hurry);
        seen.iter_mut().zip(here).for_each(|(all, here)| *all += here);
    }
    assert!(seen.iter().all(|&count| count >= 50), "{seen:?}");
}

struct Shuffled;

impl Visitor for Shuffled {
    type Output = ();

    fn visit<G: PlayableGame>(self, game: G, start: G::State) {
        let mut rng = Seed(12).rng();
        let mut choices = 0;
        for (state, _) in positions(&game, &start, 2, 1_000, 40, &mut rng) {
            let Turn::Player(player) = game.turn(&state) else { panic!("no player is to move") };
            let judged = judge(&game, 1);
            let value = |mv| Definition::new(&game, &judged).value(&after(&game, &state, mv), 1, 1) * player.sign();
            let moves = legal(&game, &state);
            let best = moves.iter().map(|&mv| value(mv)).fold(f32::NEG_INFINITY, f32::max);
            let equals: Vec<G::Move> = moves.into_iter().filter(|&mv| value(mv) == best).collect();
            for spec in ["alphabeta:tt=1", "pvs:tt=1", "mtdf:tt=1", "sss:tt=1", "sss:tt=8,form=list"] {
                let choose = |spec: &str, seed| think(&mut searcher(spec, judge(&game, 1)), &game, &state, 2, Seed(seed)).mv;
                let first = choose(&format!("{spec},shuffle=off"), 3);
                assert_eq!(first, equals[0], "{spec}: {}", game.position_text(&state));
                let mut missing = equals.clone();
                for seed in 0..20 * equals.len() as u64 {
                    let mv = choose(spec, seed);
                    assert_eq!(mv, choose(spec, seed), "{spec}, seed {seed}: {}", game.position_text(&state));
                    assert!(equals.contains(&mv), "{spec}, seed {seed}: {}", game.position_text(&state));
                    missing.retain(|&equal| equal != mv);
                    if missing.is_empty() {
                        break;
                    }
                }
                assert!(missing.is_empty(), "{spec}: never played {missing:?} in {}", game.position_text(&state));
            }
            choices += usize::from(equals.len() > 1);
        }
        assert!(choices >= 10, "{choices} positions with equal moves");
    }
}

#[test]
fn equal_moves_are_chosen_by_the_seed() {
    for sample in ["tictactoe", "pawn:size=5x5", "clobber:size=4x4"] {
        open_among!([mnk, pawn, clobber], sample, Shuffled);
    }
}

/// In a position with one legal move the value is an average, and samples of it are fair.
struct Fair;

impl Visitor for Fair {
    type Output = ();

    fn visit<G: PlayableGame>(self, game: G, state: G::State) {
        assert_eq!(legal(&game, &state).len(), 1);
        let choose = |spec: &str, seed| score(&think(&mut searcher(spec, judge(&game, 0)), &game, &state, 1, Seed(seed)));
        let whole = choose("expectimax:tt=0", 1);
        let values: Vec<f32> = (0..500).map(|seed| choose("expectimax:samples=5,star=1,tt=0", seed)).collect();
        assert_eq!(values[7], choose("expectimax:samples=5,star=2,tt=1", 7));
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        // Scores are spread evenly over 2,000: five deviations of the mean of 2,500 draws.
        assert!((mean - whole).abs() < 5.0 * 577.0 / 50.0, "{mean} instead of {whole}");
        assert!(values.iter().any(|&value| value != values[0]), "always {}", values[0]);
        // One future is one sample: always the same for a seed, whatever the search keeps.
        let values: Vec<f32> = (0..2_500).map(|seed| choose("alphabeta:chance=sample,tt=0", seed)).collect();
        let mut kept = searcher("pvs:chance=sample,tt=1", judge(&game, 0));
        for (seed, &value) in (0..).zip(&values) {
            assert_eq!(score(&think(&mut kept, &game, &state, 1, Seed(seed))), value);
        }
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        assert!((mean - whole).abs() < 5.0 * 577.0 / 50.0, "{mean} instead of {whole}");
    }
}

#[test]
fn samples_are_fair() {
    for position in ["2k1p/5/5/5/p4/Pp2P/KP3 w 0 0 10", "k4/4p/5/5/p4/Pp1P1/KP3 w 0 0 10"] {
        open_one::<tuc_chess::Rules, _>("tuc-chess:appear=0.9", Some(position), Fair).unwrap();
    }
}

struct Sampled;

impl Visitor for Sampled {
    type Output = ();

    fn visit<G: PlayableGame>(self, game: G, start: G::State) {
        let mut rng = Seed(13).rng();
        let mut nodes = [0; 3];
        for (state, _) in positions(&game, &start, 1, 2_000, 60, &mut rng) {
            let text = game.position_text(&state);
            let choose = |spec: &str, seed| think(&mut searcher(spec, judge(&game, 0)), &game, &state, 1, Seed(seed));
            let whole = score(&choose("expectimax:star=off,tt=0", 1));
            // No event has more outcomes than the board has squares.
            assert_eq!(score(&choose("expectimax:samples=36,tt=1", 1)), whole, "{text}");
            let spent = |spec| think(&mut searcher(spec, judge(&game, 2)), &game, &state, 2, Seed(1)).nodes;
            if tree(&game, &state, 2, 200_000).is_some() {
                let specs = ["off", "1", "2"].map(|star| format!("expectimax:star={star},tt=0,iterative=off"));
                nodes.iter_mut().zip(&specs).for_each(|(all, spec)| *all += spent(spec));
            }
        }
        let [off, one, two] = nodes;
        assert!(one < off && two < one, "Star1 and Star2 should save something: {nodes:?}");
    }
}

#[test]
fn enough_samples_are_all_and_star_pruning_saves() {
    open_one::<tuc_chess::Rules, _>("tuc-chess:worth=0.5,appear=0.9", None, Sampled).unwrap();
}

#[test]
fn table_probes_are_counted() {
    struct Probes;
    impl Visitor for Probes {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let own = || judge(&game, 0);
            // Three plies deep at once, every root move leads to a position that is looked up and entered; those a ply before the end
            // of the look-ahead are not.
            let choice = think(&mut searcher("alphabeta:iterative=off,tt=1", own()), &game, &start, 3, Seed(1));
            assert_eq!(fact(&choice, "table probes"), Some(legal(&game, &start).len() as f64));
            assert_eq!(fact(&choice, "table hits"), Some(0.0));
            // The second time all are there, at the same depth, and say all that is wanted.
            let mut kept = searcher("mtdf:iterative=off,tt=16", own());
            think(&mut kept, &game, &start, 3, Seed(1));
            let again = think(&mut kept, &game, &start, 3, Seed(1));
            assert_eq!(fact(&again, "table hits"), fact(&again, "table probes"));
            assert_eq!(fact(&again, "table cut-offs"), fact(&again, "table probes"));
            let none = think(&mut searcher("alphabeta:tt=0", own()), &game, &start, 3, Seed(1));
            assert_eq!(fact(&none, "table probes"), None);
        }
    }
    open_one::<connect_four::Rules, _>("connect-four", None, Probes).unwrap();
}

#[test]
fn a_lookahead_scores_the_moves_that_plain_minimax_chooses_among() {
    struct Check;
    impl Visitor for Check {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let (mut rng, mut scratch) = (Seed(21).rng(), Scratch::default());
            for number in 0..3 {
                // One for all positions: what it keeps from one must not change what it says of another.
                let mut lookahead = Lookahead::new(judge(&game, number));
                let mut state = start.clone();
                while matches!(game.turn(&state), Turn::Player(_)) {
                    let mut moves = Vec::new();
                    game.moves(&state, &mut moves);
                    for depth in 1..=3 {
                        check(&game, &state, &moves, depth, (&mut lookahead, number));
                    }
                    let mv = game.random_move(&state, &mut rng, &mut scratch);
                    game.play(&mut state, mv);
                }
            }
        }
    }
    fn check<G: PlayableGame>(
        game: &G,
        state: &G::State,
        moves: &[G::Move],
        depth: u32,
        (lookahead, number): (&mut Lookahead<G, TestEvaluator<G::Evaluator>>, usize),
    ) {
        let Turn::Player(mover) = game.turn(state) else { return };
        let mut scores = Vec::new();
        lookahead.score_moves(game, state, moves, depth, &mut scores);
        let best = scores.iter().map(|score| score * mover.sign()).fold(f32::NEG_INFINITY, f32::max);
        for seed in 0..3 {
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            let budget = Budget { limits, clock: &NoClock };
            let mut plain = Minimax::new(&Params::default(), judge(game, number)).unwrap();
            let request = SearchRequest { game, state, budget, rng: &mut Seed(seed).rng(), observer: &mut NoObserver };
            let choice = plain.choose(request).unwrap();
            let score = choice.facts.iter().find(|fact| fact.name == "score").unwrap().value;
            assert_eq!(score, f64::from(best), "{} depth {depth}", game.position_text(state));
            let chosen = moves.iter().position(|&mv| mv == choice.mv).unwrap();
            assert_eq!(scores[chosen] * mover.sign(), best, "{} depth {depth}", game.position_text(state));
        }
    }
    for spec in ["tictactoe", "pawn:size=4x4", "clobber:size=3x3", "crosphere:size=3x3,strong=2", "connect-four:size=4x4,k=3"] {
        open_among!([mnk, pawn, clobber, crosphere, connect_four], spec, Check);
    }
}
