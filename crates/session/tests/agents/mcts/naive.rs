//! UCT as one would write it on a blackboard.

use std::collections::HashMap;

use plyground_core::{Evaluator, PlayableGame, Player, Rng, Scratch, Turn};

/// A map from the moves played to what is known about the position.
pub struct Naive<'a, G: PlayableGame> {
    pub game: &'a G,
    pub c: f32,
    /// Judges leaves instead of playing games.
    pub evaluator: Option<G::Evaluator>,
    /// The bias of RAVE.
    pub rave: Option<f32>,
    /// Is the evaluator's score the reward, also of finished games?
    pub scores: bool,
    /// Does nothing happen by chance?
    pub without_chance: bool,
    /// Held against the search with all switches?
    pub full: bool,
    pub known: HashMap<Vec<G::Move>, Known<G::Move>>,
    /// Games and rewards after a position in which a player made a move.
    pub later: HashMap<Later<G::Move>, (u32, f32)>,
}

/// A move that a player made after the moves of a path.
pub type Later<M> = (Vec<M>, Player, M);

pub struct Known<M> {
    pub visits: u32,
    pub sum: f64,
    /// The moves, those that have been tried in front, and how many have been.
    pub moves: Vec<M>,
    pub tried: usize,
}

impl<G: PlayableGame> Naive<'_, G> {
    fn moves(&self, state: &G::State, rng: &mut Rng) -> Vec<G::Move> {
        let mut moves = Vec::new();
        match self.game.turn(state) {
            Turn::Chance => {
                let mut outcomes = Vec::new();
                self.game.chance(state, &mut outcomes);
                moves.extend(outcomes.into_iter().map(|(outcome, _)| outcome));
            }
            _ => self.game.moves(state, &mut moves),
        }
        if self.rave.is_some() {
            rng.shuffle(&mut moves);
        }
        moves
    }

    /// A leaf's reward for the first player, and the moves that led to it.
    fn reward(&self, state: &G::State, rng: &mut Rng, played: &mut Vec<(Player, G::Move)>) -> f32 {
        let mut scratch = Scratch::default();
        if let Some(evaluator) = &self.evaluator {
            return match self.game.turn(state) {
                _ if self.scores => evaluator.score(self.game, state),
                Turn::Over(outcome) => outcome.reward(Player::First),
                _ => evaluator.win_chance(evaluator.score(self.game, state)),
            };
        }
        if self.rave.is_none() {
            return self.game.playout(state, rng, &mut scratch).reward(Player::First);
        }
        let mut state = state.clone();
        loop {
            match self.game.turn(&state) {
                Turn::Over(outcome) => return outcome.reward(Player::First),
                Turn::Chance => panic!("not tested with chance"),
                Turn::Player(player) => {
                    let mv = self.game.random_move(&state, rng, &mut scratch);
                    played.push((player, mv));
                    self.game.play(&mut state, mv);
                }
            }
        }
    }

    fn average(&self, path: &[G::Move], player: Player) -> f32 {
        let known = &self.known[path];
        let first = (known.sum / f64::from(known.visits)) as f32;
        if player == Player::First { first } else { 1.0 - first }
    }

    /// What is known of a move: its own average mixed with the one at any later time.
    fn mixed(&self, path: &[G::Move], mv: G::Move, player: Player, tried: bool) -> f32 {
        let child = [path, &[mv]].concat();
        let own = tried.then(|| (self.average(&child, player), self.known[&child].visits as f32));
        let later = self.later.get(&(path.to_vec(), player, mv)).map(|&(games, sum)| {
            let first = sum / games as f32;
            (if player == Player::First { first } else { 1.0 - first }, games as f32)
        });
        match (own, later) {
            (None, None) => f32::INFINITY,
            (None, Some((value, _))) | (Some((value, _)), None) => value,
            (Some((own, n)), Some((later, m))) => {
                let share = m / (n + m + self.rave.unwrap() * n * m);
                (1.0 - share) * own + share * later
            }
        }
    }

    /// The place of the move to follow.
    fn pick(&self, path: &[G::Move], state: &G::State, rng: &mut Rng) -> usize {
        let here = &self.known[path];
        let player = match self.game.turn(state) {
            Turn::Chance => {
                let outcome = self.game.random_outcome(state, rng, &mut Scratch::default());
                return here.moves.iter().position(|&mv| mv == outcome).unwrap();
            }
            Turn::Player(player) => player,
            Turn::Over(_) => unreachable!(),
        };
        if self.rave.is_none() && here.tried < here.moves.len() {
            return here.tried + rng.below((here.moves.len() - here.tried) as u32) as usize;
        }
        let weight = self.c * f64::from(here.visits.max(1)).ln().sqrt() as f32;
        let bound = |index: usize| {
            let mv = here.moves[index];
            let tried = index < here.tried;
            let visits = if tried { self.known[&[path, &[mv]].concat()].visits } else { 1 };
            let value = if self.full {
                self.mixed(path, mv, player, tried)
            } else {
                // Not one minus it for the second player: that would round differently.
                player.sign() * self.average(&[path, &[mv]].concat(), Player::First)
            };
            value + weight * (1.0 / (visits as f32).sqrt())
        };
        (1..here.moves.len()).fold(0, |best, index| if bound(index) > bound(best) { index } else { best })
    }

    pub fn simulate(&mut self, root: &G::State, rng: &mut Rng) {
        let mut state = root.clone();
        let mut path: Vec<G::Move> = Vec::new();
        let mut played = Vec::new();
        let reward = loop {
            if let Turn::Over(outcome) = self.game.turn(&state)
                && self.known[&path].visits > 0
            {
                let score = self.evaluator.as_ref().filter(|_| self.scores).map(|judge| judge.score(self.game, &state));
                break score.unwrap_or(outcome.reward(Player::First));
            }
            if self.known[&path].visits == 0 && !path.is_empty() {
                break self.reward(&state, rng, &mut played);
            }
            if self.known[&path].moves.is_empty() {
                self.known.get_mut(&path).unwrap().moves = self.moves(&state, rng);
            }
            let index = self.pick(&path, &state, rng);
            let here = self.known.get_mut(&path).unwrap();
            let mv = if index >= here.tried {
                here.moves.swap(here.tried, index);
                here.tried += 1;
                here.moves[here.tried - 1]
            } else {
                here.moves[index]
            };
            if self.without_chance {
                self.game.play_without_chance(&mut state, mv);
            } else {
                self.game.play(&mut state, mv);
            }
            path.push(mv);
            self.known.entry(path.clone()).or_insert(Known { visits: 0, sum: 0.0, moves: Vec::new(), tried: 0 });
        };
        self.learn(root, &path, &played, reward);
        for length in 0..=path.len() {
            let known = self.known.get_mut(&path[..length]).unwrap();
            known.visits += 1;
            known.sum += f64::from(reward);
        }
    }

    fn learn(&mut self, root: &G::State, path: &[G::Move], played: &[(Player, G::Move)], reward: f32) {
        if self.rave.is_none() {
            return;
        }
        let mut state = root.clone();
        let mut all = Vec::new();
        for &mv in path {
            let Turn::Player(player) = self.game.turn(&state) else { panic!("not tested with chance") };
            all.push((player, mv));
            self.game.play(&mut state, mv);
        }
        all.extend(played);
        for length in 0..=path.len() {
            if self.known[&path[..length]].moves.is_empty() {
                continue;
            }
            let mover = all[length].0;
            for index in length..all.len() {
                let (player, mv) = all[index];
                if player == mover && !all[length..index].contains(&all[index]) {
                    let entry = self.later.entry((path[..length].to_vec(), player, mv)).or_default();
                    *entry = (entry.0 + 1, entry.1 + reward);
                }
            }
        }
    }
}
