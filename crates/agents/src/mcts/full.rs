//! Simulations with all switches: solver, RAVE, progressive bias and widening, first-play urgency, shared positions, and minimax.

use plyground_core::{Game, PlayableGame, Player, Turn, sort_moves};

use super::amaf::move_key;
use super::arena::{Kind, Proof, ROOT, Tree};
use super::leaf::Leaf;
use super::options::Options;
use super::search::{Memory, Searcher, Simulation, SimulationPolicy, Step, Stop};
use super::shallow::Shallow;
use super::solver;

/// UCT and everything that can be added to it.
pub(crate) struct Full;

/// Longer ways exist only where positions repeat, which sharing them does not allow for.
const LONGEST: usize = 10_000;

impl<G: PlayableGame> SimulationPolicy<G> for Full {
    const PROVES: bool = true;

    fn descend(searcher: &mut Searcher<'_, G>, memory: &mut Memory<G::Move>, simulation: &mut Simulation<G>) -> Stop {
        let game = searcher.leaf_evaluator.game;
        simulation.passed.clear();
        simulation.played.clear();
        let mut at = ROOT;
        let mut reference = ROOT;
        loop {
            if searcher.options.minimax.backprop > 0 {
                simulation.passed.push(simulation.state.clone());
            }
            if at != ROOT {
                look_ahead(game, searcher.options, &mut memory.tree, at, &simulation.state);
            }
            let node = &memory.tree.nodes[at];
            if node.proof != Proof::Unknown && (searcher.options.solver || node.kind == Kind::Over) {
                return Stop::Reward(node.proof.reward());
            }
            if node.kind == Kind::Leaf {
                if node.visits == 0 || simulation.steps.len() > LONGEST {
                    return Stop::Leaf;
                }
                if !searcher.expand_ordered(&mut memory.tree, at, &simulation.state) {
                    return Stop::Leaf;
                }
            }
            let node = &memory.tree.nodes[at];
            if searcher.options.rave.is_some_and(|(_, least)| node.visits >= least) {
                reference = at;
            }
            let pick = match node.kind {
                Kind::Over if searcher.options.backs_up_scores => {
                    return Stop::Reward(searcher.leaf_evaluator.judged(&simulation.state));
                }
                Kind::Over => return Stop::Reward(node.proof.reward()),
                Kind::Chance => {
                    let outcome = game.random_outcome(&simulation.state, searcher.rng, &mut searcher.scratch);
                    let index = memory.tree.outcome(at, outcome);
                    if index < memory.tree.nodes[at].open { Pick::Visited(index) } else { Pick::New(index) }
                }
                Kind::Leaf | Kind::First | Kind::Second => searcher.pick(memory, at, reference),
            };
            let (step, new) = match pick {
                Pick::Visited(index) => {
                    let edge = memory.tree.nodes[at].first + index;
                    searcher.leaf_evaluator.futures.play(game, &mut simulation.state, memory.tree.moves[edge as usize]);
                    (Step { edge, node: memory.tree.child[edge as usize] }, false)
                }
                Pick::New(index) => match searcher.open(memory, at, index, &mut simulation.state) {
                    Some((step, new)) => (step, new),
                    None => return Stop::Leaf,
                },
            };
            let judged = searcher.options.leaf == Leaf::Eval && memory.tree.nodes[at].kind != Kind::Chance;
            at = step.node as usize;
            simulation.steps.push(step);
            if new && judged && memory.tree.nodes[at].kind == Kind::Leaf {
                return Stop::Reward(searcher.leaf_evaluator.chance(memory.tree.score[step.edge as usize]));
            }
        }
    }

    fn value(searcher: &mut Searcher<'_, G>, simulation: &mut Simulation<G>) -> f32 {
        let Searcher { leaf_evaluator, rng, scratch, options, .. } = searcher;
        // A network plays no moves that could be learnt from.
        if options.rave.is_some() && options.leaf != Leaf::Net {
            leaf_evaluator.play(&simulation.state, rng, scratch, |player, mv| simulation.played.push((player, mv)))
        } else {
            searcher.reward(&simulation.state)
        }
    }

    fn back_up(searcher: &mut Searcher<'_, G>, memory: &mut Memory<G::Move>, simulation: &Simulation<G>, reward: f32) {
        let mut reward = reward;
        searcher.remember(memory, simulation, reward);
        let tree = &mut memory.tree;
        for (index, &step) in simulation.steps.iter().enumerate().rev() {
            searcher.credit(tree, step, f64::from(reward));
            if searcher.options.transpositions {
                let (through, spread) = (&mut tree.through[step.edge as usize], &mut tree.spread[step.edge as usize]);
                *through += 1;
                *spread = searcher.lookup.inverse_sqrt(*through);
            }
            if searcher.options.solver {
                let parent = index.checked_sub(1).map_or(ROOT, |before| simulation.steps[before].node as usize);
                let lost = solver::learn(tree, parent, step.node as usize);
                let depth = searcher.options.minimax.backprop;
                // The root must be proven by moves that can be chosen.
                if lost && depth > 0 && parent != ROOT && tree.nodes[parent].proof == Proof::Unknown {
                    tree.nodes[parent].proof = Shallow::new(searcher.leaf_evaluator.game).prove(&simulation.passed[index], depth);
                }
                reward = solver::corrected(&tree.nodes[parent], reward);
            }
        }
        let root = &mut tree.nodes[ROOT];
        root.visits += 1;
        root.sum += f64::from(reward);
    }
}

/// Minimax when a node is visited for the chosen time (MCTS-MS of Baier and Winands, 2013).
fn look_ahead<G: Game>(game: &G, options: &Options, tree: &mut Tree<G::Move>, at: usize, state: &G::State) {
    let (depth, node) = (options.minimax.select, &mut tree.nodes[at]);
    if depth > 0 && node.visits == options.minimax.visits && node.proof == Proof::Unknown {
        node.proof = Shallow::new(game).prove(state, depth);
    }
}

/// A choice among the edges of a node, by their place.
#[derive(Clone, Copy, Debug)]
enum Pick {
    Visited(u32),
    New(u32),
}

impl<G: PlayableGame> Searcher<'_, G> {
    /// Gives a leaf its edges, in the order in which they will be considered. False if the memory is used up.
    pub fn expand_ordered(&mut self, tree: &mut Tree<G::Move>, at: usize, state: &G::State) -> bool {
        let expanded = self.expand(tree, at, state);
        if expanded {
            self.order(tree, at);
        }
        expanded
    }

    /// Puts the edges of a node that has just got them into the order in which they will be considered, where that matters.
    fn order(&mut self, tree: &mut Tree<G::Move>, at: usize) {
        let node = tree.nodes[at];
        let (Some(player), Options { widening, rave, .. }) = (node.kind.player(), self.options) else { return };
        if widening.is_none() && rave.is_none() {
            return;
        }
        let edges = node.first as usize..(node.first + node.count) as usize;
        let score = |edge: usize| tree.score.get(edge).copied().unwrap_or(0.0);
        let mut order: Vec<(f32, G::Move)> = edges.clone().map(|edge| (score(edge), tree.moves[edge])).collect();
        self.rng.shuffle(&mut order);
        if widening.is_some() {
            sort_moves(&mut order, |a, b| (b.0 * player.sign()).total_cmp(&(a.0 * player.sign())));
        }
        for (edge, (score, mv)) in edges.zip(order) {
            tree.moves[edge] = mv;
            if let Some(place) = tree.score.get_mut(edge) {
                *place = score;
            }
        }
    }

    /// How many edges of a node may be considered.
    fn considered(&self, count: u32, visits: u32) -> u32 {
        match self.options.widening {
            Some(width) => ((width * (visits as f32).sqrt()).ceil() as u32).clamp(1, count),
            None => count,
        }
    }

    /// The edge with the highest bound for the player to move.
    fn pick(&mut self, memory: &Memory<G::Move>, at: usize, reference: usize) -> Pick {
        let tree = &memory.tree;
        let node = &tree.nodes[at];
        let player = node.kind.player().expect("a player chooses");
        let considered = self.considered(node.count, node.visits);
        let untried = node.open < considered;
        let options = self.options;
        if untried && options.first_play.is_none() && options.rave.is_none() {
            return Pick::New(self.untried(tree, at));
        }
        let weight = self.weight(node);
        let (mut best, mut highest) = (None, f32::NEG_INFINITY);
        let mut settled = None;
        for index in 0..node.open {
            let edge = (node.first + index) as usize;
            let child = tree.behind(edge);
            if options.solver && child.proof != Proof::Unknown {
                if child.proof == Proof::Win(player) {
                    return Pick::Visited(index);
                }
                // What is proven needs no more simulations, as long as there is anything else.
                settled = settled.or(Some(Pick::Visited(index)));
                continue;
            }
            let visits = tree.visits(edge);
            let mut bound = self.mixed(memory, (reference, edge), player, Some((child.average(player), visits)));
            bound += weight * tree.spread[edge] + self.bias(tree, edge, player) / (visits + 1) as f32;
            if bound > highest {
                (best, highest) = (Some(Pick::Visited(index)), bound);
            }
        }
        if untried && options.rave.is_some() {
            for index in node.open..considered {
                let edge = (node.first + index) as usize;
                let known = self.mixed(memory, (reference, edge), player, None) + weight + self.bias(tree, edge, player);
                if known > highest {
                    (best, highest) = (Some(Pick::New(index)), known);
                }
            }
        } else if untried && options.first_play.is_some_and(|urgency| urgency > highest) {
            best = Some(Pick::New(self.untried(tree, at)));
        }
        match (best, settled) {
            (Some(best), _) => best,
            // All that may be considered is settled: then it is time for more.
            (None, _) if node.open < node.count => Pick::New(self.untried(tree, at)),
            (None, settled) => settled.expect("a node has edges"),
        }
    }

    /// The next edge to try.
    fn untried(&mut self, tree: &Tree<G::Move>, at: usize) -> u32 {
        if self.options.widening.is_some() { tree.nodes[at].open } else { tree.unvisited(at, self.rng) }
    }

    /// The evaluator's part in a bound.
    fn bias(&self, tree: &Tree<G::Move>, edge: usize, player: Player) -> f32 {
        if self.options.bias == 0.0 {
            return 0.0;
        }
        let first = self.leaf_evaluator.chance(tree.score[edge]);
        self.options.bias * if player == Player::First { first } else { 1.0 - first }
    }

    /// The value of an edge: its own average, mixed with that of its move at any later time (Gelly and Silver 2007). A move of which
    /// nothing is known has the first-play urgency.
    fn mixed(&self, memory: &Memory<G::Move>, (reference, edge): (usize, usize), player: Player, own: Option<(f32, u32)>) -> f32 {
        let unknown = self.options.first_play.unwrap_or(f32::INFINITY);
        let Some((bias, _)) = self.options.rave else { return own.map_or(unknown, |(average, _)| average) };
        let later = memory.amaf.get(reference as u32, move_key(player, memory.tree.moves[edge]));
        let later = later.map(|(games, first)| (if player == Player::First { first } else { 1.0 - first }, games));
        match (own, later) {
            (None, None) => unknown,
            (None, Some((average, _))) | (Some((average, _)), None) => average,
            (Some((average, visits)), Some((later, games))) => {
                let (visits, games) = (visits as f32, games as f32);
                let share = games / (visits + games + bias * visits * games);
                (1.0 - share) * average + share * later
            }
        }
    }

    /// Plays a move that has not been tried and gives its edge a node, and whether that is a new one; `None` when the memory is used
    /// up.
    fn open(&mut self, memory: &mut Memory<G::Move>, at: usize, index: u32, state: &mut G::State) -> Option<(Step, bool)> {
        let game = self.leaf_evaluator.game;
        let edge = memory.tree.place(at, index);
        self.leaf_evaluator.futures.play(game, state, memory.tree.moves[edge]);
        let key = if self.options.transpositions { game.hash(state) } else { 0 };
        if self.options.transpositions
            && let Some(known) = memory.positions.get(key)
        {
            memory.tree.link(at, edge, known as usize);
            return Some((Step { edge: edge as u32, node: known }, false));
        }
        let child = memory.tree.open(at, edge)?;
        if self.options.transpositions {
            memory.positions.insert(key, child as u32);
        }
        if self.options.solver
            && let Turn::Over(outcome) = game.turn(state)
        {
            memory.tree.finish(child, outcome.into());
        }
        Some((Step { edge: edge as u32, node: child as u32 }, true))
    }

    /// Adds the game to the statistics of all its moves as first moves, for every node that it came through.
    fn remember(&self, memory: &mut Memory<G::Move>, simulation: &Simulation<G>, reward: f32) {
        let Some((_, least)) = self.options.rave else { return };
        let Memory { tree, amaf, .. } = memory;
        let nodes: Vec<u32> = std::iter::once(ROOT as u32).chain(simulation.steps.iter().map(|step| step.node)).collect();
        // One entry for each ply; chance has none.
        let in_tree = nodes.iter().zip(&simulation.steps).map(|(&node, step)| {
            let player = tree.nodes[node as usize].kind.player()?;
            Some((player, move_key(player, tree.moves[step.edge as usize])))
        });
        let beyond = simulation.played.iter().map(|&(player, mv)| Some((player, move_key(player, mv))));
        let moves: Vec<Option<(Player, u32)>> = in_tree.chain(beyond).collect();
        for (ply, &node) in nodes.iter().enumerate() {
            let Some(mover) = tree.nodes[node as usize].kind.player() else { continue };
            for (index, &(player, mv)) in moves.iter().enumerate().skip(ply).filter_map(|(index, mv)| Some((index, mv.as_ref()?)))
            {
                // Only a node that stands in for its descendants needs the moves of both. A move counts once in a game.
                let wanted = player == mover || least > 0;
                if wanted && !moves[ply..index].contains(&Some((player, mv))) {
                    amaf.add(node, mv, reward);
                }
            }
        }
    }
}
