//! The final: a competition of the best.

use std::path::PathBuf;
use std::time::Instant;

use plyground_match::{AgentFactory, Results, RunDriver, RunPrefix, Seats, Threads, machine, seconds_now};
use plyground_studies::competition::{Bout, Competition, Entrant, NetworkSettings, TieBreak};
use plyground_studies::report::{Provenance, Report};

use super::Arena;
use crate::journal::Event;

impl Arena {
    /// The page with the table of the final.
    pub(crate) fn final_file(&self) -> PathBuf {
        self.folder.join("final.html")
    }

    /// Notes who plays the final; the first board plays it.
    pub(crate) fn start_final(&self) -> Result<(), String> {
        let bots = self.ranked().into_iter().filter(|(standing, ..)| standing.player.is_some());
        let entrants: Vec<String> = bots.map(|(standing, ..)| standing.spec).take(self.settings.finalists).collect();
        if entrants.len() < 2 {
            return Err("Expected two bots on the ladder at least.".to_owned());
        }
        self.note(Event::Final { entrants, time: seconds_now() })
    }

    /// Plays the final, or goes on with it: a competition as `ply compete` plays it, a double round robin.
    pub(super) fn play_final(&self, finalists: &[String]) -> Result<(), String> {
        let entrants = finalists.iter().map(|spec| Entrant { name: self.name_of(spec), spec: spec.clone() }).collect();
        let competition = Competition {
            title: format!("{}: the final", self.settings.title),
            game: self.settings.game.clone(),
            entrants,
            rounds: None,
            double: true,
            move_time: Some(self.settings.move_time),
            clock: None,
            game_time: None,
            tie_breaks: vec![TieBreak::Direct, TieBreak::SonnebornBerger, TieBreak::Wins],
            boards: None,
            opening_plies: 0,
            seed: self.settings.seed,
            network: NetworkSettings::none(),
        };
        let words = |error: &dyn std::fmt::Display| format!("the final: {error}");
        let run = competition.run(&self.bots.unstarted()).map_err(|error| words(&error))?;
        let players = AgentFactory::of_run(&self.bots, &run);
        let executor = Threads(self.settings.boards);
        let driver = RunDriver::new(&self.store, &run, &executor, &players)
            .for_command("ply arena")
            .cancelled_by(&self.cancel)
            .observed_by(self.live.as_ref());
        let begun = Instant::now();
        driver.play_format(1).map_err(|error| words(&error))?;
        let mut bouts = Vec::new();
        let results =
            Results::read_with(&self.store, Seats::Fixed, RunPrefix::all(&run.id), |game| bouts.push(Bout::from(&game)))
                .map_err(|error| words(&error))?;
        bouts.sort_by_key(|bout| bout.ended);
        let ranking = competition.ranking(&run, &results, &bouts);
        self.live.show_table(ranking.table(&competition));
        let provenance = Provenance { command: "ply arena", machine: &machine(), seconds: begun.elapsed().as_secs_f64() };
        let report = Report::on_competition(&competition, &run, &bouts, &ranking, &provenance);
        report.write(&self.final_file()).map_err(|error| words(&error))
    }
}
