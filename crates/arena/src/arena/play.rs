//! The ladder at work: boards that play pair after pair, ratings, promotions.

use std::thread;
use std::time::{Duration, Instant};

use plyground_core::sync::lock;
use plyground_match::{
    AgentFactory, Results, Run, RunDriver, RunError, RunEvent, RunObserver, RunPrefix, Seats, Threads, seconds_now,
};
use plyground_statistics::Rating;

use super::Arena;
use crate::bots::{bot_of, bot_spec, pair_run};
use crate::journal::Event;
use crate::ladder::Standing;
use crate::ladder::results::{GameLine, in_order, ratings};
use crate::ladder::schedule::{Entrant, MOST_PAIRS, next_pairing};
use crate::settings::LEAGUES;

/// The pause of a board that has nothing to play.
const IDLE: Duration = Duration::from_millis(300);
/// Ratings are computed again after this time, and after ten times what computing them took.
const RATING: Duration = Duration::from_secs(1);

impl Arena {
    /// All who are on the ladder: the levels, and the current versions of bots.
    pub(crate) fn standings(&self) -> Vec<Standing> {
        let levels = self.levels.iter().map(|(name, spec)| Standing {
            spec: spec.clone(),
            name: name.clone(),
            player: None,
            league: None,
        });
        let journal = lock(&self.journal);
        let bots = journal.known.players.iter().filter(|(_, player)| !player.banned).filter_map(|(&id, player)| {
            let version = player.current()?.number;
            let (spec, name) = (bot_spec(id, version), player.name.clone());
            Some(Standing { spec, name, player: Some(id), league: Some(player.league) })
        });
        levels.chain(bots).collect()
    }

    /// The name of someone, whatever the version.
    pub(crate) fn name_of(&self, spec: &str) -> String {
        if let Some((name, _)) = self.levels.iter().find(|(_, level)| level == spec) {
            return name.clone();
        }
        let Some((player, version)) = bot_of(spec) else { return spec.to_owned() };
        let name = lock(&self.journal).known.players.get(&player).map(|player| player.name.clone());
        format!("{} v{version}", name.unwrap_or_else(|| "?".to_owned()))
    }

    /// Plays up to so many pairs of two; those that were played before count.
    pub(crate) fn play(&self, one: &str, other: &str, pairs: u64) -> Result<(Results, bool), RunError> {
        let [first, second] = in_order(one, other);
        let run = pair_run(&self.bots, &self.settings, [&first, &second])?;
        let players = AgentFactory::of_run(&self.bots, &run);
        let observer = |run: &Run, event: &RunEvent<'_>| {
            RunObserver::observe(self.live.as_ref(), run, event);
            if let RunEvent::JobFinished { games, .. } = event {
                let mut results = lock(&self.ladder.results);
                games.iter().for_each(|game| results.add(GameLine::new(run, game)));
            }
        };
        let (executor, cancel) = (Threads(1), self.cancel.child());
        let driver = RunDriver::new(&self.store, &run, &executor, &players)
            .for_command("ply arena")
            .cancelled_by(&cancel)
            .observed_by(&observer);
        let played = driver.play(&[[0, 1]], pairs)?;
        lock(&self.ladder.results).replace(&run, &played.0);
        Ok(played)
    }

    /// Reads what was played before.
    pub(crate) fn read_results(&self) -> Result<(), RunError> {
        let mut lines = Vec::new();
        for row in self.store.runs()? {
            let experiment = &row.run.experiment;
            if experiment.agents.len() != 2 || experiment.seats != Seats::Swapped || experiment.game != self.settings.game {
                continue;
            }
            let prefix = RunPrefix::all(&row.run.id);
            let read =
                Results::read_with(&self.store, experiment.seats, prefix, |game| lines.push(GameLine::new(&row.run, &game)))?;
            lock(&self.ladder.results).replace(&row.run, &read);
        }
        lines.sort_by_key(|line| line.ended);
        for line in lines {
            lock(&self.ladder.results).add(line);
        }
        self.rate();
        Ok(())
    }

    /// A board: plays pair after pair until the arena is closed.
    pub(crate) fn board(&self) {
        while !self.cancel.is_cancelled() {
            let Some([one, other]) = self.take_pairing() else {
                thread::sleep(IDLE);
                continue;
            };
            let pairs = lock(&self.ladder.results).pairs(&one, &other) + 1;
            let played = self.play(&one, &other, pairs);
            let trouble = played.err().map(|error| format!("{} against {}: {error}", self.name_of(&one), self.name_of(&other)));
            let mut boards = lock(&self.ladder.boards);
            boards.running.retain(|running| *running != [one.clone(), other.clone()]);
            if trouble.is_some() {
                boards.trouble = trouble;
                drop(boards);
                // A full disk, for example, does not go away at once.
                thread::sleep(RATING);
                continue;
            }
            drop(boards);
            self.promote(&one, &other);
        }
    }

    /// The next two, who count as playing from now on.
    fn take_pairing(&self) -> Option<[String; 2]> {
        {
            let journal = lock(&self.journal);
            if journal.known.paused || journal.known.finalists.is_some() {
                return None;
            }
        }
        let standings = self.standings();
        if standings.iter().all(|standing| standing.player.is_none()) {
            return None;
        }
        let is_here = |spec: &String| standings.iter().any(|standing| standing.spec == *spec);
        let results = lock(&self.ladder.results);
        let mut boards = lock(&self.ladder.boards);
        while let Some(pairing) = boards.wanted.pop_front() {
            let is_new = !boards.running.contains(&pairing) && results.pairs(&pairing[0], &pairing[1]) < MOST_PAIRS;
            if is_new && pairing.iter().all(is_here) {
                boards.running.push(pairing.clone());
                return Some(pairing);
            }
        }
        let boss_of = |league: usize| self.levels.iter().position(|(name, _)| Some(name) == self.settings.bosses.get(league));
        let entrants: Vec<Entrant> = standings
            .iter()
            .map(|standing| Entrant {
                rating: results.ratings.get(&standing.spec).copied(),
                level: self.levels.iter().position(|(_, spec)| *spec == standing.spec),
                boss: standing.league.and_then(boss_of),
                busy: boards.running.iter().filter(|pairing| pairing.contains(&standing.spec)).count(),
                pairs: results.pairs_of(&standing.spec),
            })
            .collect();
        let specs: Vec<&str> = standings.iter().map(|standing| standing.spec.as_str()).collect();
        let played = results.pairs_among(&specs);
        let are_playing = |one: &str, other: &str| {
            boards.running.iter().any(|[first, second]| [one, other] == [first, second] || [other, one] == [first, second])
        };
        let pairs =
            |one: usize, other: usize| (!are_playing(specs[one], specs[other])).then(|| played[one * specs.len() + other]);
        let [one, other] = next_pairing(&entrants, pairs)?;
        let pairing = in_order(&standings[one].spec, &standings[other].spec);
        boards.running.push(pairing.clone());
        Some(pairing)
    }

    /// Moves a bot up that has beaten the guard of the next league.
    fn promote(&self, one: &str, other: &str) {
        for (bot, guard) in [(one, other), (other, one)] {
            let Some((id, version)) = bot_of(bot) else { continue };
            let mut journal = lock(&self.journal);
            let Some(player) = journal.known.players.get(&id) else { continue };
            let league = player.league;
            let is_current = player.current().is_some_and(|current| current.number == version);
            let boss = self.settings.bosses.get(league).and_then(|name| self.levels.iter().find(|(level, _)| level == name));
            let is_guard = boss.is_some_and(|(_, spec)| spec == guard);
            if !is_current || !is_guard || !lock(&self.ladder.results).has_beaten(bot, guard) {
                continue;
            }
            let name = player.name.clone();
            // Where it cannot be noted, it is found again after the next pair.
            if journal.note(Event::Promoted { player: id, league: league + 1, time: seconds_now() }).is_ok() {
                self.live.message(&name, true, &format!("moves up: {}", LEAGUES[league + 1]));
            }
        }
    }

    /// Computes the ratings again whenever there are new games, until the arena is closed.
    pub(crate) fn keep_rating(&self) {
        while !self.cancel.is_cancelled() {
            let begin = Instant::now();
            if lock(&self.ladder.results).unrated > 0 {
                self.rate();
            }
            // The table of the final is shown instead of that of the ladder.
            if lock(&self.journal).known.finalists.is_none() {
                self.show_table();
            }
            thread::sleep(RATING.max(begin.elapsed() * 10));
        }
    }

    fn rate(&self) {
        let (specs, meetings) = {
            let mut results = lock(&self.ladder.results);
            results.unrated = 0;
            results.meetings()
        };
        let zero = self.levels.first().map_or("", |(_, spec)| spec.as_str());
        let rated = ratings(specs, &meetings, zero);
        lock(&self.ladder.results).ratings = rated;
    }

    /// The ladder, the best first: rating, then name.
    pub(crate) fn ranked(&self) -> Vec<(Standing, Option<Rating>, u64)> {
        let standings = self.standings();
        let results = lock(&self.ladder.results);
        let row = |standing: Standing| {
            let (rating, pairs) = (results.ratings.get(&standing.spec).copied(), results.pairs_of(&standing.spec));
            (standing, rating, 2 * pairs)
        };
        let mut rows: Vec<_> = standings.into_iter().map(row).collect();
        let elo = |row: &(Standing, Option<Rating>, u64)| row.1.map_or(f64::NEG_INFINITY, |rating| rating.elo);
        rows.sort_by(|a, b| elo(b).total_cmp(&elo(a)).then_with(|| a.0.name.cmp(&b.0.name)));
        rows
    }

    /// Brings the table of the projector up to date.
    fn show_table(&self) {
        let rows = self.ranked();
        let cells = |(place, (standing, rating, _)): (usize, &(Standing, Option<Rating>, u64))| {
            self.live.call(&standing.spec, &standing.name);
            let league = standing.league.map_or("house", |league| LEAGUES[league]);
            let rating = rating.map_or_else(|| "–".to_owned(), |rating| format!("{:.0} ± {:.0}", rating.elo, rating.error()));
            let tally = lock(&self.ladder.results).tally_of(&standing.spec);
            let points = tally.wins as f64 + tally.draws as f64 / 2.0;
            let counts = [tally.wins, tally.draws, tally.losses].map(|count| count.to_string());
            let [place, name, points] = [(place + 1).to_string(), standing.name.clone(), points.to_string()];
            [place, name, points].into_iter().chain(counts).chain([league.to_owned(), rating]).collect()
        };
        let rows = rows.iter().enumerate().map(cells).collect();
        self.live.show_table((
            ["place", "name", "points", "won", "drawn", "lost", "league", "rating"].map(str::to_owned).to_vec(),
            rows,
        ));
    }
}
