//! The results of a run so far.

use std::collections::{BTreeMap, HashMap};

use plyground_core::Player;
use plyground_statistics::{GameResult, MatchResult, Meeting, redundancy};

use crate::{Damage, GameRow, RefusedResults, RunError, RunPrefix, Seats, Store, refused_in_words};

/// The results of a run, in the order of its agents.
#[derive(Clone, Debug, Default)]
pub struct Results {
    seats: Seats,
    /// By the numbers of two agents, in the view of the first one.
    matches: BTreeMap<[usize; 2], MatchResult>,
    /// By the same numbers and that of the pair: the results of its games.
    pairs: BTreeMap<([usize; 2], u64), [GameResult; 2]>,
    /// Games of pairs whose other game is not there yet.
    halves: HashMap<String, (u8, GameResult)>,
    /// By the same numbers: the plies of every game.
    lengths: BTreeMap<[usize; 2], Vec<f64>>,
    /// By the same numbers: the points on the board of both agents at the end of every game, in games with points.
    points: BTreeMap<[usize; 2], Vec<[f64; 2]>>,
    /// The number of times that each game was played, by its players and its moves.
    sequences: HashMap<([usize; 2], u64), u32>,
    /// By agent and fault: the games lost by it.
    faults: BTreeMap<(usize, String), u64>,
    /// Jobs that could not be done, with the reasons.
    failures: Vec<(String, String)>,
    /// Damage in the store: jobs whose games do not count.
    damage: Vec<Damage>,
    /// Results of other machines that do not count.
    refused: Vec<RefusedResults>,
    games: u64,
    plies: u64,
    first_wins: u64,
    draws: u64,
    /// By agent: milliseconds of thinking, and moves.
    thinking: BTreeMap<usize, (f64, u64)>,
}

impl Results {
    /// No results yet, of games with these seats.
    pub fn new(seats: Seats) -> Self {
        Self { seats, ..Self::default() }
    }

    /// All games of a prefix that are kept.
    pub fn read(store: &Store, seats: Seats, prefix: RunPrefix<'_>) -> Result<Self, RunError> {
        Self::read_with(store, seats, prefix, |_| {})
    }

    /// The same, with each game shown to a function.
    pub fn read_with(
        store: &Store,
        seats: Seats,
        prefix: RunPrefix<'_>,
        mut look: impl FnMut(GameRow),
    ) -> Result<Self, RunError> {
        let mut results = Self { failures: store.failures(prefix)?, refused: store.refused(prefix.run)?, ..Self::new(seats) };
        results.damage = store.read_games(prefix, &mut |game| {
            results.add(&game);
            look(game);
        })?;
        Ok(results)
    }

    /// Counts a game.
    pub fn add(&mut self, game: &GameRow) {
        let pairing = game.pairing();
        let seat = if game.game == 0 { Player::First } else { Player::Second };
        let result = GameResult::of(seat, game.outcome.winner);
        match self.halves.remove(&game.job) {
            None if self.seats == Seats::Fixed => self.matches.entry(pairing).or_default().add_single(seat.index(), result),
            None => drop(self.halves.insert(game.job.clone(), (game.game, result))),
            Some((number, other)) => {
                let in_order = if number == 0 { [other, result] } else { [result, other] };
                self.matches.entry(pairing).or_default().add_pair(in_order);
                self.pairs.insert((pairing, game.pair), in_order);
            }
        }
        self.lengths.entry(pairing).or_default().push(game.plies() as f64);
        if let Some([first, second]) = game.points.map(|points| points.map(f64::from)) {
            let in_order = if seat == Player::First { [first, second] } else { [second, first] };
            self.points.entry(pairing).or_default().push(in_order);
        }
        *self.sequences.entry((pairing, game.hash())).or_default() += 1;
        if let Some(fault) = &game.fault {
            let loser = if game.outcome.winner == Some(Player::First) { game.agents[1] } else { game.agents[0] };
            *self.faults.entry((loser, fault.clone())).or_default() += 1;
        }
        self.games += 1;
        self.first_wins += u64::from(game.outcome.winner == Some(Player::First));
        self.draws += u64::from(game.outcome.winner.is_none());
        self.plies += game.plies() as u64;
        for (seat, ms) in game.thinking() {
            let thinking = self.thinking.entry(game.agents[seat.index()]).or_default();
            *thinking = (thinking.0 + ms, thinking.1 + 1);
        }
    }

    /// Every match, by the numbers of the two agents, in the view of the first.
    pub fn matches(&self) -> impl Iterator<Item = ([usize; 2], &MatchResult)> {
        self.matches.iter().map(|(&agents, result)| (agents, result))
    }

    /// All games between two agents in the view of the first one given, in either order of their names; zeros before they have met.
    pub fn between(&self, [one, other]: [usize; 2]) -> MatchResult {
        let mut all = self.pairing([one, other]);
        if one != other {
            all += self.pairing([other, one]).reversed();
        }
        all
    }

    fn pairing(&self, agents: [usize; 2]) -> MatchResult {
        self.matches.get(&agents).copied().unwrap_or_default()
    }

    /// A pair between two agents in the view of the first; nothing before it was played.
    pub fn pair(&self, agents: [usize; 2], number: u64) -> Option<[GameResult; 2]> {
        self.pairs.get(&(agents, number)).copied()
    }

    /// All games of an agent, in its view.
    pub fn of(&self, agent: usize) -> MatchResult {
        self.of_pairings(agent, self.matches.keys())
    }

    /// The games of an agent in these pairings, in its view.
    pub fn of_pairings<'a>(&self, agent: usize, pairings: impl IntoIterator<Item = &'a [usize; 2]>) -> MatchResult {
        let mut all = MatchResult::default();
        for pairing in pairings {
            match pairing.iter().position(|&one| one == agent) {
                Some(0) => all += self.pairing(*pairing),
                Some(_) => all += self.pairing(*pairing).reversed(),
                None => {}
            }
        }
        all
    }

    /// Every match by who moved first, as the ratings want it.
    pub fn meetings(&self) -> Vec<Meeting> {
        let by_seat = |(&[one, other], result): (&[usize; 2], &MatchResult)| {
            let (first, second) = (result[0], result[1].reversed());
            [
                Meeting { first: one, second: other, wins: first.wins, draws: first.draws, losses: first.losses },
                Meeting { first: other, second: one, wins: second.wins, draws: second.draws, losses: second.losses },
            ]
        };
        self.matches.iter().flat_map(by_seat).collect()
    }

    /// Pairs of which both games are counted.
    pub fn pairs(&self) -> u64 {
        self.pairs.len() as u64
    }

    /// Jobs that are done: pairs, or single games where the seats are fixed.
    pub fn jobs(&self) -> u64 {
        match self.seats {
            Seats::Swapped => self.pairs(),
            Seats::Fixed => self.games,
        }
    }

    /// Games counted.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Games won by the first player, drawn games, and games won by the second player.
    pub fn by_seat(&self) -> [u64; 3] {
        [self.first_wins, self.draws, self.games - self.first_wins - self.draws]
    }

    /// Plies of a game, on the average.
    pub fn mean_plies(&self) -> Option<f64> {
        (self.games > 0).then(|| self.plies as f64 / self.games as f64)
    }

    /// The plies of every game between two agents.
    pub fn lengths(&self, agents: [usize; 2]) -> &[f64] {
        self.lengths.get(&agents).map_or(&[], Vec::as_slice)
    }

    /// The points on the board of these two agents at the end of every game between them; none in games without points.
    pub fn points(&self, agents: [usize; 2]) -> &[[f64; 2]] {
        self.points.get(&agents).map_or(&[], Vec::as_slice)
    }

    /// The share of the games that repeat an earlier one of the same two agents.
    pub fn redundancy(&self) -> f64 {
        redundancy(self.sequences.iter().map(|(&game, &times)| (game, u64::from(times))))
    }

    /// The same for the games of one pairing.
    pub fn redundancy_between(&self, agents: [usize; 2]) -> f64 {
        let of_these = self.sequences.iter().filter(|((pairing, _), _)| *pairing == agents);
        redundancy(of_these.map(|(&game, &times)| (game, u64::from(times))))
    }

    /// The games lost by faults, by agent and fault.
    pub fn faults(&self) -> impl Iterator<Item = (usize, &str, u64)> {
        self.faults.iter().map(|((agent, fault), &count)| (*agent, fault.as_str(), count))
    }

    /// Jobs that could not be done, with the reasons.
    pub fn failures(&self) -> &[(String, String)] {
        &self.failures
    }

    /// The damage that was found in the store when they were read.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Sentences about what does not count in these results: damaged games, and refused results of other machines.
    pub fn uncounted(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if let Some(first) = self.damage.first() {
            let jobs = self.damage.len();
            let (noun, verb) = if jobs == 1 { ("place", "does") } else { ("places", "do") };
            sentences.push(format!(
                "The store is damaged in {jobs} {noun}, which {verb} not count; what was there is played again when the run goes on: {first}."
            ));
        }
        if let Some(words) = refused_in_words(&self.refused) {
            let reason = self.refused.first().map_or("", |sender| sender.reason.as_str());
            sentences.push(format!("{words}; the first reason: {reason}."));
        }
        sentences
    }

    /// Results of other machines that were refused and do not count, by sender, the most first.
    pub fn refused(&self) -> &[RefusedResults] {
        &self.refused
    }

    /// Milliseconds that an agent thinks about a move, on the average.
    pub fn mean_ms(&self, agent: usize) -> Option<f64> {
        self.thinking.get(&agent).map(|&(ms, moves)| ms / moves as f64)
    }
}
