//! A training on one screen: what it is doing, its curves, and how strong it is by now.

use plyground_train::{Measured, Phase, Round, TrainingPlan, TrainingStage};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Block, Chart, Dataset, GraphType, LineGauge, Paragraph};

use crate::text::count;

/// The dashboard of a training, with what it shows.
pub struct Dashboard {
    /// Game and size of the network.
    pub title: String,
    /// What it runs on.
    pub device: String,
    /// The opponents, in the order of their colours.
    pub anchors: Vec<String>,
    /// Simulations of the network's search against them.
    pub sims: u32,
    /// Seconds of training in all.
    pub total: f64,
    /// All rounds of all sittings.
    pub rounds: Vec<Round>,
    /// What it is doing.
    pub stage: Option<TrainingStage>,
    /// Was it asked to stop?
    pub stopping: bool,
}

/// A curve: a point for each round, by the seconds of training.
type Curve = Vec<(f64, f64)>;

const COLOURS: [Color; 6] = [Color::Cyan, Color::Green, Color::Yellow, Color::Magenta, Color::Red, Color::Blue];

/// An interval without an end is drawn to the edge of the chart.
const ENDLESS: f64 = 4_000.0;

impl Dashboard {
    pub fn new(plan: &TrainingPlan, device: String, total: f64, rounds: &[Round]) -> Self {
        Self {
            title: format!("{}, {} planes, {} blocks", plan.game, plan.channels, plan.blocks),
            device,
            anchors: plan.anchors.clone(),
            sims: plan.anchor_sims,
            total,
            rounds: rounds.to_vec(),
            stage: None,
            stopping: false,
        }
    }

    pub fn draw(&self, frame: &mut Frame<'_>) {
        let [head, charts, numbers, foot] =
            Layout::vertical([Constraint::Length(4), Constraint::Min(0), Constraint::Length(9), Constraint::Length(1)])
                .areas(frame.area());
        self.draw_head(frame, head);
        let [policy, value, elo] =
            Layout::horizontal([Constraint::Fill(3), Constraint::Fill(3), Constraint::Fill(4)]).areas(charts);
        self.draw_loss(frame, policy, "policy loss", |round| round.policy_loss);
        self.draw_loss(frame, value, "value loss", |round| round.value_loss);
        self.draw_elo(frame, elo);
        let [games, strength] = Layout::horizontal([Constraint::Length(34), Constraint::Fill(1)]).areas(numbers);
        self.draw_games(frame, games);
        self.draw_strength(frame, strength);
        let hint = if self.stopping { " stopping …" } else { " q: stop; the same command goes on from the last round" };
        frame.render_widget(Paragraph::new(hint.dim()), foot);
    }

    /// Seconds of training so far.
    fn seconds(&self) -> f64 {
        let told = self.stage.map_or(0.0, |stage| stage.seconds);
        self.rounds.last().map_or(0.0, |round| round.seconds).max(told)
    }

    fn draw_head(&self, frame: &mut Frame<'_>, area: Rect) {
        let [title, device, speed, doing] = Layout::vertical([Constraint::Length(1); 4]).areas(area);
        let left = clock((self.total - self.seconds()).max(0.0));
        let words = Line::from(vec![
            Span::from(format!(" {} ", self.title)).bold(),
            Span::from(format!("· {} of training, {left} left", clock(self.seconds()))),
        ]);
        frame.render_widget(Paragraph::new(words), title);
        frame.render_widget(Paragraph::new(format!(" {}", self.device).dim()), device);
        let words = self.rounds.last().map_or("no round is over yet".to_owned(), |round| {
            let asked = if round.taught {
                String::new()
            } else {
                let share = 100.0 * round.network_share;
                format!("{} judgements/s ({share:.0} % of the time), ", count(round.judgements_per_second as u64))
            };
            format!("{asked}{} games/h, {:.1} steps/s", count(round.games_per_hour as u64), round.steps_per_second)
        });
        frame.render_widget(Paragraph::new(format!(" {words}")), speed);
        let Some(stage) = self.stage else { return };
        let label = format!(" round {}: {}, {} of {}", stage.round, doing_words(stage.phase), count(stage.done), count(stage.of));
        let gauge = LineGauge::default()
            .ratio((stage.done as f64 / stage.of.max(1) as f64).clamp(0.0, 1.0))
            .label(label)
            .filled_style(Style::new().fg(Color::Cyan));
        frame.render_widget(gauge, doing);
    }

    fn draw_loss(&self, frame: &mut Frame<'_>, area: Rect, title: &str, loss: fn(&Round) -> f64) {
        let curve: Curve = self.rounds.iter().map(|round| (round.seconds, loss(round))).collect();
        let title = curve.last().map_or(title.to_owned(), |(_, last)| format!("{title} {last:.3}"));
        let range = range(curve.iter().map(|&(_, value)| value), 0.02);
        let line = dataset(&curve, GraphType::Line, Color::Cyan);
        frame.render_widget(self.chart(vec![line], &title, range, |value| format!("{value:.2}")), area);
    }

    /// The measurements of a player against an opponent, with the seconds of training at which they were made.
    fn measured<'a>(&'a self, player: &'a str, anchor: &'a str) -> impl Iterator<Item = (f64, &'a Measured)> {
        let of = move |measured: &&Measured| measured.player == player && measured.anchor == anchor;
        self.rounds.iter().filter_map(move |round| Some((round.seconds, round.measured.iter().find(of)?)))
    }

    fn draw_elo(&self, frame: &mut Frame<'_>, area: Rect) {
        let mut curves: Vec<(Curve, GraphType, Color)> = Vec::new();
        for (number, anchor) in self.anchors.iter().enumerate() {
            let colour = colour(number);
            let middle = self.measured("search", anchor).map(|(seconds, measured)| (seconds, measured.elo_value())).collect();
            curves.push((middle, GraphType::Line, colour));
            for (seconds, measured) in self.measured("search", anchor) {
                let [low, high] = measured.elo;
                curves.push((vec![(seconds, low), (seconds, high)], GraphType::Line, colour));
            }
        }
        let known = curves.iter().flat_map(|(curve, ..)| curve).map(|&(_, elo)| elo).filter(|elo| elo.abs() < ENDLESS);
        let range = range(known, 100.0);
        for (curve, ..) in &mut curves {
            for (_, elo) in curve {
                *elo = elo.clamp(range[0], range[1]);
            }
        }
        let lines = curves.iter().map(|(curve, kind, colour)| dataset(curve, *kind, *colour)).collect();
        frame.render_widget(self.chart(lines, "Elo against anchors", range, |elo| format!("{elo:+.0}")), area);
    }

    /// A chart over the time of training.
    fn chart<'a>(
        &self,
        curves: Vec<Dataset<'a>>,
        title: &str,
        [low, high]: [f64; 2],
        label: impl Fn(f64) -> String,
    ) -> Chart<'a> {
        let end = self.rounds.last().map_or(1.0, |round| round.seconds);
        let faint = Style::new().add_modifier(Modifier::DIM);
        let x = Axis::default().bounds([0.0, end]).labels(["0".to_owned(), short_clock(end)]).style(faint);
        let y = Axis::default().bounds([low, high]).labels([label(low), label(high)]).style(faint);
        Chart::new(curves).block(Block::bordered().title(title.to_owned())).x_axis(x).y_axis(y)
    }

    fn draw_games(&self, frame: &mut Frame<'_>, area: Rect) {
        let block = Block::bordered().title("games and positions");
        let Some(round) = self.rounds.last() else {
            frame.render_widget(Paragraph::new(" none yet").block(block), area);
            return;
        };
        let whose = if round.taught { " (of the teacher)" } else { "" };
        let line = |name: &str, value: String| Line::from(vec![Span::from(format!(" {name:<11}")).dim(), Span::from(value)]);
        let lines = vec![
            line("games", count(round.games) + whose),
            line("length", format!("{:.1} plies", round.plies)),
            line("first", format!("{:.1} % of the points", 100.0 * round.first_score)),
            line("repeated", format!("{:.1} %", 100.0 * round.redundancy)),
            line("window", format!("{} positions", count(round.window as u64))),
            line("age", format!("{} games", count(round.age as u64))),
            line("reuse", format!("{:.2} a round", round.reuse)),
        ];
        frame.render_widget(Paragraph::new(lines).block(block), area);
    }

    fn draw_strength(&self, frame: &mut Frame<'_>, area: Rect) {
        let title = format!("Elo with {} simulations, and alone", self.sims);
        let last = |player: &str, anchor: &str| {
            self.measured(player, anchor).last().map_or(String::new(), |(_, measured)| elo_words(measured))
        };
        let mut lines: Vec<Line<'_>> = Vec::new();
        for (number, anchor) in self.anchors.iter().enumerate().take(6) {
            let row = format!("{anchor:<17.17} {:>13} {:>11}", last("search", anchor), last("alone", anchor));
            lines.push(Line::from(vec![Span::from("■").fg(colour(number)), Span::from(row)]));
        }
        // Where there are many anchors, the solver takes the place of the last one.
        lines.truncate(usize::from(area.height).saturating_sub(3));
        lines.push(Line::from(self.agreement_words()));
        frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(title)), area);
    }

    fn agreement_words(&self) -> String {
        let Some(agreement) = self.rounds.iter().rev().find_map(|round| round.agreement) else { return String::new() };
        let share = |share: Option<f64>| share.map_or("–".to_owned(), |share| format!("{:.0} %", 100.0 * share));
        let (winner, mv) = (share(agreement.value()), share(agreement.policy()));
        format!(" solver: winner {winner}, move {mv} right of {}", agreement.solved)
    }
}

fn dataset(curve: &[(f64, f64)], kind: GraphType, colour: Color) -> Dataset<'_> {
    Dataset::default().data(curve).graph_type(kind).marker(Marker::Braille).style(Style::new().fg(colour))
}

fn colour(number: usize) -> Color {
    COLOURS[number % COLOURS.len()]
}

/// From the least to the greatest, and at least so far apart.
fn range(values: impl Iterator<Item = f64>, least: f64) -> [f64; 2] {
    let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)]);
    match high - low {
        wide if wide >= least => [low, high],
        narrow if narrow >= 0.0 => [low - (least - narrow) / 2.0, high + (least - narrow) / 2.0],
        // There are none.
        _ => [0.0, least],
    }
}

/// The interval of a difference in Elo, as short as it can be said.
fn elo_words(measured: &Measured) -> String {
    let [low, high] = measured.elo;
    match (low > -ENDLESS, high < ENDLESS) {
        (true, true) => format!("{low:+.0}…{high:+.0}"),
        (true, false) => format!("≥ {low:+.0}"),
        (false, true) => format!("≤ {high:+.0}"),
        (false, false) => "?".to_owned(),
    }
}

fn doing_words(phase: Phase) -> &'static str {
    match phase {
        Phase::Teaching => "games of the teacher",
        Phase::Playing => "games against itself",
        Phase::Learning => "steps of learning",
        Phase::Measuring => "pairs against the anchors",
    }
}

/// A time as people say it.
fn clock(seconds: f64) -> String {
    match seconds as u64 {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3_600 => format!("{} min", seconds / 60),
        seconds => format!("{} h {:02} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

/// The same where there is little room.
fn short_clock(seconds: f64) -> String {
    match seconds as u64 {
        0..3_600 => clock(seconds),
        seconds => format!("{}:{:02} h", seconds / 3_600, seconds % 3_600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use plyground_train::Agreement;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;

    /// Some rounds of a training of Clobber, with losses that fall and a strength that grows.
    fn rounds(count: u64) -> Vec<Round> {
        let round = |number: u64| {
            let done = number as f64 / 20.0;
            let measured = |player: &str, anchor: &str, score: f64, elo: [f64; 2]| Measured {
                player: player.to_owned(),
                anchor: anchor.to_owned(),
                games: 40,
                score,
                elo,
            };
            let first = 60.0 + 300.0 * done;
            let measured = vec![
                measured("search", "random", 1.0, [first, 4_800.0]),
                measured("search", "mc:playouts=10", 0.5 + 0.4 * done, [-120.0 + 400.0 * done, 60.0 + 500.0 * done]),
                measured("search", "mcts:sims=100", 0.3 + 0.3 * done, [-260.0 + 200.0 * done, -40.0 + 220.0 * done]),
                measured("search", "mcts:sims=1000", 0.0, [-4_800.0, -310.0]),
                measured("alone", "random", 0.9, [260.0, 540.0]),
            ];
            let agreement =
                Agreement { solved: 180, decided: 180, winner_right: 160 + number, to_keep: 90, kept: 70 + number / 2 };
            let at_fourth = number.is_multiple_of(4);
            Round {
                round: number,
                seconds: 300.0 * number as f64,
                taught: number <= 3,
                games: 500 * number,
                steps: 400 * number,
                window: 50_000 + 1_000 * number as usize,
                age: 150.0 * number as f64,
                reuse: 4.0 / number as f64,
                policy_loss: 1.2 + 1.5 / number as f64,
                value_loss: 0.9 - 0.02 * number as f64,
                plies: 33.3,
                first_score: 0.512,
                redundancy: 0.004,
                games_per_hour: 7_654.3,
                judgements_per_second: 23_456.7,
                network_share: 0.713,
                steps_per_second: 41.27,
                measured: if at_fourth { measured } else { Vec::new() },
                agreement: at_fourth.then_some(agreement),
            }
        };
        (1..=count).map(round).collect()
    }

    fn dashboard(count: u64) -> Dashboard {
        let stage =
            TrainingStage { phase: Phase::Playing, done: 312, of: 500, round: count + 1, seconds: 300.0 * count as f64 + 77.0 };
        Dashboard {
            title: "clobber:size=8x8, 32 planes, 3 blocks".to_owned(),
            device: "A processor with a name, 2 cores, linux x86_64".to_owned(),
            anchors: ["random", "mc:playouts=10", "mcts:sims=100", "mcts:sims=1000", "alphabeta:depth=4"]
                .map(str::to_owned)
                .to_vec(),
            sims: 100,
            total: 7_200.0,
            rounds: rounds(count),
            stage: Some(stage),
            stopping: false,
        }
    }

    fn drawn(dashboard: &Dashboard, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| dashboard.draw(frame)).unwrap();
        let buffer = terminal.backend().buffer();
        let line = |cells: &[ratatui::buffer::Cell]| {
            let text: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
            text.trim_end().to_owned() + "\n"
        };
        buffer.content().chunks(width.into()).map(line).collect()
    }

    /// What it looks like; after a wanted change: `SNAPSHOTS=overwrite cargo test -p plyground-cli dashboard`.
    #[test]
    fn a_screen_of_the_usual_size_shows_everything() {
        let text = drawn(&dashboard(20), 80, 24);
        snapbox::assert_data_eq!(&text, snapbox::file!["../tests/dashboard/usual.txt"]);
        for words in
            ["policy loss 1.275", "alphabeta:depth=4", "judgements/s (71 % of the time)", "solver: winner 100 %, move 89 %"]
        {
            assert!(text.contains(words), "{words}\n{text}");
        }
    }

    #[test]
    fn before_the_first_round_there_is_only_what_is_going_on() {
        snapbox::assert_data_eq!(drawn(&dashboard(0), 80, 24), snapbox::file!["../tests/dashboard/begin.txt"]);
    }

    #[test]
    fn no_size_is_too_small_or_too_large() {
        for (width, height) in [(1, 1), (10, 5), (40, 12), (79, 20), (200, 60), (500, 200)] {
            for count in [0, 1, 2, 20] {
                drawn(&dashboard(count), width, height);
            }
        }
    }

    #[test]
    fn times_are_told_as_people_do() {
        assert_eq!([59.9, 60.0, 3_599.0, 3_660.0, 36_000.0].map(clock), ["59 s", "1 min", "59 min", "1 h 01 min", "10 h 00 min"]);
    }
}
