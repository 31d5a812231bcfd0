//! A report is one well-formed page with the numbers in it, and needs nothing from outside.

use std::fs;
use std::path::Path as FilePath;

use plyground_match::{Experiment, RefusedResults, RunRow, Seats, Store};
use plyground_statistics::{Anchor, logistic_elo, rate, score_words};
use plyground_studies::report::{Report, ReportFormat};

use crate::common::{Directory, experiment, play, play_pairings};

/// The names of all elements of a page; a panic where tags do not match.
pub fn elements(page: &str) -> Vec<String> {
    let (mut open, mut all): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    for part in page.strip_prefix("<!DOCTYPE html>").expect("a doctype").split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap_or_else(|| panic!("a tag that does not end: {part}"));
        assert!(!text.contains('>'), "a stray bracket: {text}");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "before {text}");
        } else {
            let name = tag.split([' ', '/', '\n']).next().unwrap();
            all.push(name.to_owned());
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
        for entity in text.split('&').skip(1) {
            let known = ["amp;", "lt;", "gt;", "quot;", "apos;"];
            assert!(known.iter().any(|name| entity.starts_with(name)), "&{entity}");
        }
    }
    assert!(open.is_empty(), "{open:?}");
    all
}

/// Nothing on the page is fetched or run.
pub fn stands_alone(page: &str) {
    let page = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    for outside in ["http", "//", "src=", "href", "url(", "@import", "<script", "<link", "<iframe", "onload"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(!page.contains("NaN") && !page.contains(">inf"));
}

/// A small tournament in the store, as the store knows it.
fn played(store: &Store, game: &str, agents: &[&str], pairs: u64) -> RunRow {
    let run = experiment(game, agents, 2).run();
    play(store, &run, pairs);
    store.find(&run.id).unwrap()
}

#[test]
fn a_page_says_what_does_not_count() {
    let directory = Directory::new();
    let store = directory.store();
    let row = played(&store, "tictactoe", &["random", "mcts:sims=4"], 6);
    let page = |store: &Store| {
        let report = Report::on_run(store, &row, None).unwrap();
        [report.html(), report.markdown()]
    };
    assert!(page(&store).iter().all(|page| !page.contains("What does not count")));
    let refused = RefusedResults {
        worker: "<b>[liar](x)</b>".to_owned(),
        results: 3,
        reason: "moves: expected moves that the rules allow, found z9z9".to_owned(),
        banned: true,
    };
    store.note_refused(&row.run.id, &[refused]).unwrap();
    rusqlite::Connection::open(directory.0.join("runs.sqlite"))
        .unwrap()
        .execute("UPDATE games SET margin = 7 WHERE pair = 2", [])
        .unwrap();
    let [html, markdown] = page(&store);
    elements(&html);
    assert!(!html.contains("<b>") && html.contains("3 results were refused and do not count: 3 from &lt;b&gt;[liar](x)"));
    for page in [&html, &markdown] {
        assert!(page.contains("What does not count") && page.contains("found z9z9"), "{page}");
        assert!(page.contains("The store is damaged in 1 place, which does not count"), "{page}");
        assert!(page.contains("10 games in 5 pairs"), "{page}");
    }
    assert!(markdown.contains("```\nThe store is damaged"), "{markdown}");
}

#[test]
fn a_page_holds_the_numbers_of_the_run() {
    let directory = Directory::new();
    let store = directory.store();
    let agents = ["random", "mcts:sims=4", "mcts:sims=16", "mcts:sims=64"];
    let row = played(&store, "crosphere:size=4x4,strong=2", &agents, 6);
    let results = play(&store, &row.run, 6);
    let ratings = rate(4, &results.meetings(), Anchor::Mean).unwrap();
    let (page, text) =
        (Report::on_run(&store, &row, None).unwrap().html(), Report::on_run(&store, &row, None).unwrap().markdown());
    let elements = elements(&page);
    stands_alone(&page);
    let mut numbers: Vec<String> = vec![row.run.id.clone(), "72 games in 36 pairs".to_owned(), "ply match".to_owned()];
    numbers.push("a machine".to_owned());
    numbers.push(format!("{:.1} plies on the average", results.mean_plies().unwrap()));
    numbers.push(format!("{:.1} % of the games repeat", 100.0 * results.redundancy()));
    numbers.push(format!("moving first is worth {} Elo", ratings.first_move));
    for agent in 0..4 {
        let all = results.of(agent);
        numbers.extend([score_words(&all), logistic_elo(&all.sample()).to_string(), ratings.players[agent].to_string()]);
    }
    numbers.extend(results.matches().map(|(_, result)| score_words(result)));
    for number in numbers {
        assert!(page.contains(&number), "{number} is not on the page");
        assert!(text.contains(&number), "{number} is not in the text");
    }
    // Ladder, strength by simulations, heat map, seats, lengths, times; and two or three games with up to three boards each.
    let pictures = elements.iter().filter(|name| *name == "svg").count();
    assert!((6 + 4..=6 + 9).contains(&pictures), "{pictures}");
    assert!(page.contains("Strength of mcts:sims=N for each value of sims"));
    assert_eq!(page, Report::on_run(&store, &row, None).unwrap().html(), "the same run gives the same page");
}

#[test]
fn every_game_can_be_reported() {
    let directory = Directory::new();
    let store = directory.store();
    for game in plyground_session::infos() {
        let row = played(&store, game.name, &["random", "mc:playouts=1"], 1);
        let page = Report::on_run(&store, &row, None).unwrap().html();
        elements(&page);
        stands_alone(&page);
        assert!(page.contains("who is stronger, random or mc:playouts=1?"));
        let text = Report::on_run(&store, &row, None).unwrap().markdown();
        assert!(text.contains("┌") && !text.contains('\u{1b}'), "boards without colours");
    }
}

#[test]
fn a_run_without_games_has_a_page() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("tictactoe", &["random", "mcts:sims=10"], 2).run();
    store.begin(&run, "ply match", "a machine").unwrap();
    let page = Report::on_run(&store, &store.find(&run.id).unwrap(), None).unwrap().html();
    elements(&page);
    assert!(page.contains("have not finished a game"));
}

#[test]
fn what_is_typed_stays_text() {
    let directory = Directory::new();
    let store = directory.store();
    let row = played(&store, "tictactoe", &["random", "mcts:sims=10"], 1);
    let page = Report::on_run(&store, &row, Some("<script>alert(\"1 & 2\")</script>")).unwrap().html();
    elements(&page);
    assert!(page.contains("<h1>&lt;script&gt;alert(&quot;1 &amp; 2&quot;)&lt;/script&gt;</h1>"));
}

#[test]
fn a_report_on_an_agent_against_itself_says_so() {
    let directory = Directory::new();
    let store = directory.store();
    let run = Experiment { seats: Seats::Fixed, ..experiment("clobber:size=4x4", &["random"], 0) }.run();
    play_pairings(&store, &run, &[[0, 0]], 30);
    let row = store.find(&run.id).unwrap();
    assert!(Report::on_run(&store, &row, None).unwrap().html().contains("30 games with fixed seats"));
    assert!(Report::on_run(&store, &row, None).unwrap().markdown().contains("30 games of random against itself"));
}

/// The links of a Markdown page to its plots.
fn plots(page: &str) -> Vec<&str> {
    page.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link).collect()
}

#[test]
fn the_ending_of_the_file_chooses_the_format() {
    for (file, format) in [
        ("a.html", ReportFormat::Html),
        ("a.md", ReportFormat::Markdown),
        ("b/A.MD", ReportFormat::Markdown),
        ("a", ReportFormat::Html),
        (".md", ReportFormat::Html),
        ("a.md.txt", ReportFormat::Html),
    ] {
        assert_eq!(ReportFormat::of(FilePath::new(file)), format, "{file}");
    }
}

#[test]
fn markdown_has_its_plots_beside_it_and_html_has_them_within() {
    let directory = Directory::new();
    let store = directory.store();
    let row = played(&store, "clobber:size=4x4", &["random", "mc:playouts=1", "mcts:sims=8"], 2);
    let report = Report::on_run(&store, &row, Some("What is <better>?")).unwrap();
    let folder = directory.0.join("pages");
    fs::create_dir(&folder).unwrap();
    report.write(&folder.join("page.html")).unwrap();
    assert!(!folder.join("plots").exists(), "a page in HTML needs no other file");
    assert_eq!(fs::read_to_string(folder.join("page.html")).unwrap(), report.html());

    report.write(&folder.join("my page.md")).unwrap();
    let page = fs::read_to_string(folder.join("my page.md")).unwrap();
    let links = plots(&page);
    assert!(links.len() >= 4, "{links:?}");
    for (number, link) in (1..).zip(&links) {
        assert_eq!(*link, format!("plots/my%20page-{number}.svg"));
        let plot = fs::read_to_string(folder.join(link.replace("%20", " "))).unwrap();
        assert!(plot.starts_with("<svg ") && plot.contains("xmlns=\"http://www.w3.org/2000/svg\""), "{plot}");
        assert_eq!(elements(&format!("<!DOCTYPE html>{plot}"))[..3], ["svg", "title", "rect"]);
    }
    assert_eq!(fs::read_dir(folder.join("plots")).unwrap().count(), links.len());
    // Without the links it is what standard output gets.
    let text = report.markdown();
    assert!(plots(&text).is_empty());
    assert!(text.lines().all(|line| page.contains(line)));
}

#[test]
fn a_format_can_be_asked_for_whatever_the_name() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("tictactoe", &["random", "mcts:sims=10"], 2).run();
    store.begin(&run, "ply match", "a machine").unwrap();
    let report = Report::on_run(&store, &store.find(&run.id).unwrap(), None).unwrap();
    let file = directory.0.join("page.txt");
    report.write_as(ReportFormat::Markdown, &file).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), report.markdown());
    assert!(!directory.0.join("plots").exists(), "there is nothing to draw");
    assert!(report.write(&directory.0.join("nowhere/page.md")).is_err());
}
