//! The files under `studies/`.

use std::path::{Path, PathBuf};

use plyground_core::{InputError, NoResources, Resources};
use plyground_match::{FileResources, Results};
use plyground_studies::measure::StudyMeasure;
use plyground_studies::report::Report;
use plyground_studies::study::Study;
use plyground_studies::verdict::{LEGEND, Verdict, verdict_on_all};

use crate::common::{Directory, play_pairings};
use crate::report::{elements, stands_alone};

/// Where the commands of the studies are typed.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of agents as they are found from there.
struct FromTheRoot;

impl Resources for FromTheRoot {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        let path = root().join(name);
        if path.exists() { Ok(std::fs::read(path).unwrap()) } else { FileResources.read(name) }
    }
}

fn studies() -> Vec<(String, Study)> {
    let files = std::fs::read_dir(root().join("studies")).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|file| file.is_file())
        .map(|file| {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let study = Study::read(&std::fs::read_to_string(&file).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, study)
        })
        .collect()
}

#[test]
fn every_study_can_be_played() {
    let studies = studies();
    assert!(studies.len() >= 10, "{}", studies.len());
    for (name, study) in studies {
        for part in &study.runs {
            let run = part.run(0, &FromTheRoot).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!part.cells.is_empty() && study.games(part, None) > 0, "{name}");
            for ([first, second], cell) in part.pairings().into_iter().zip(&part.cells) {
                assert_eq!(
                    [&run.experiment.agents[first], &run.experiment.agents[second]],
                    [&cell.first, &cell.second],
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn the_table_of_the_pawn_game_is_whole() {
    let (_, study) = studies().into_iter().find(|(name, _)| name == "e-pawn-table.toml").unwrap();
    let cells: Vec<_> = study.runs.iter().flat_map(|part| &part.cells).collect();
    assert_eq!(cells.len(), 13 * 13);
    // Some cells were printed with a game or two fewer, one with seven.
    assert!(cells.iter().all(|cell| cell.games.is_some_and(|games| (190..=199).contains(&games.iter().sum::<u64>()))));
    let won: u64 = cells.iter().filter_map(|cell| cell.games).map(|games| games[0]).sum();
    assert_eq!(won, PUBLISHED_FIRST_WINS);
}

/// The sum of the first numbers of all cells as they were published.
const PUBLISHED_FIRST_WINS: u64 = 19_716;

#[test]
fn printed_points_stand_beside_the_mean_of_ours() {
    let text = "title = 't'\nsource = 's'\nquestion = 'q'\ngames = 20\n[[run]]\ngame = 'tuc-chess:limit=20'\nseats = 'fixed'\n\
        [[run.cell]]\nfirst = 'alphabeta:depth=1'\nsecond = 'random'\npoints = [4, 60]\n";
    let study = Study::read(text).unwrap();
    let part = &study.runs[0];
    let run = part.run(0, &NoResources).unwrap();
    let directory = Directory::new();
    let store = directory.store();
    let results = play_pairings(&store, &run, &part.pairings(), 20);
    let findings = part.findings(&results);
    let measures: Vec<StudyMeasure> = findings.iter().map(|finding| finding.measure).collect();
    assert_eq!(measures, [StudyMeasure::Score, StudyMeasure::Points, StudyMeasure::OpponentPoints]);
    let points = results.points(part.pairings()[0]);
    assert_eq!(points.len(), 20);
    for (number, finding) in findings[1..].iter().enumerate() {
        let all: Vec<f64> = points.iter().map(|both| both[number]).collect();
        let mean = all.iter().sum::<f64>() / 20.0;
        let deviation = (all.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / 19.0).sqrt();
        let ours = finding.ours.unwrap();
        // Student's quantile for 19 degrees of freedom.
        assert!((ours.value - mean).abs() < 1e-9 && (ours.interval.high - mean - 2.093 * deviation / 20_f64.sqrt()).abs() < 1e-3);
    }
    // No random player makes 60 points in 10 moves; the verdict looks at one printed game as one of ours.
    let Verdict::Differs(by) = findings[2].verdict else { panic!("{:?}", findings[2]) };
    assert!(by.value < -40.0 && by.interval.high < 0.0, "{by:?}");
    assert!(findings[0].ours.unwrap().value > 0.8, "{:?}", findings[0]);
    let report = Report::on_study(&store, &study, &[store.find(&run.id).unwrap()], None).unwrap().markdown();
    assert!(report.contains("| opponent's points | 60.0 |"), "{report}");
}

#[test]
fn agents_that_differ_in_one_number_have_a_curve() {
    let cells = [1, 2, 4, 8, 16].map(|sims| format!("[[run.cell]]\nfirst = 'mcts:sims={sims},c=1'\nsecond = 'random'\n"));
    let page = |cells: &[String]| {
        let head = "title = 't'\nsource = 's'\nquestion = 'q'\ngames = 2\n[[run]]\ngame = 'tictactoe'\n";
        let study = Study::read(&format!("{head}{}", cells.concat())).unwrap();
        let run = study.runs[0].run(0, &NoResources).unwrap();
        let directory = Directory::new();
        let store = directory.store();
        play_pairings(&store, &run, &study.runs[0].pairings(), 2);
        Report::on_study(&store, &study, &[store.find(&run.id).unwrap()], None).unwrap().html()
    };
    let curve = "Score for each value of sims, with 95 % intervals: mcts:c=1,sims=N against random.";
    let whole = page(&cells);
    assert!(whole.contains(curve) && !whole.contains("for each value of c,"), "{whole}");
    assert!(!page(&cells[..4]).contains(curve), "four points are no curve");
}

#[test]
fn a_cell_is_told_with_the_games_that_were_played() {
    let text = "title = 't'\nsource = 's'\nquestion = 'q'\ngames = 30\n[[run]]\ngame = 'tictactoe'\nseats = 'fixed'\n\
        [[run.cell]]\nfirst = 'random'\nsecond = 'mcts:sims=50'\nshare = 0.9\n\
        [[run.cell]]\nfirst = 'mcts:sims=50'\nsecond = 'random'\n\
        [[run.cell]]\nfirst = 'random'\nsecond = 'random'\ngames = [585, 127, 288]\neach_outcome = true\nplies = 7.6\n";
    let study = Study::read(text).unwrap();
    let part = &study.runs[0];
    let run = part.run(0, &NoResources).unwrap();
    let directory = Directory::new();
    let store = directory.store();
    let before = part.findings(&Results::new(part.seats));
    assert!(before.iter().all(|finding| finding.ours.is_none() && finding.verdict == Verdict::New));
    let findings = part.findings(&play_pairings(&store, &run, &part.pairings(), 30));
    let measures: Vec<StudyMeasure> = findings.iter().map(|finding| finding.measure).collect();
    assert_eq!(
        measures,
        [
            StudyMeasure::Score,
            StudyMeasure::Score,
            StudyMeasure::Won,
            StudyMeasure::Drawn,
            StudyMeasure::Lost,
            StudyMeasure::Plies
        ]
    );
    assert!(findings.iter().all(|finding| finding.tally.games() == 30));
    // The random agent does not win 9 games in 10 against an agent that searches, and moving first does not turn it round.
    let Verdict::Differs(by) = findings[0].verdict else { panic!("{:?}", findings[0]) };
    assert!(by.value < -0.4 && by.interval.high < 0.0, "{by:?}");
    assert_eq!(findings[1].verdict, Verdict::New);
    assert!(findings[1].ours.unwrap().value > 0.7);
    // Random play wins 58.5 %, draws 12.7 % and takes 7.6 plies: known exactly, and 30 games are no proof against it. Nor are they
    // one for it, but of the plies, which vary little.
    for finding in &findings[2..5] {
        assert!(matches!(finding.verdict, Verdict::CannotTell(_)), "{finding:?}");
    }
    assert_eq!(findings[5].verdict, Verdict::Agrees);
    let counted = "Ours agree with 1 of 5 published figures and differ from 1; of 3 it cannot be told.";
    let words = verdict_on_all(findings.iter().map(|finding| finding.verdict));
    assert!(words.starts_with(counted), "{words}");
    // The page says the same in its tables and pictures.
    let report = Report::on_study(&store, &study, &[store.find(&run.id).unwrap()], None).unwrap();
    let (page, text) = (report.html(), report.markdown());
    stands_alone(&page);
    assert_eq!(elements(&page).iter().filter(|name| *name == "h1").count(), 1);
    for finding in &findings {
        let words = [finding.published_words(), finding.our_words(), finding.tally.games().to_string(), finding.verdict_words()];
        assert!(text.contains(&format!("| {} |", words.join(" | "))), "{words:?}");
        assert!(page.contains(&finding.our_words()));
    }
    assert!(text.contains(LEGEND) && text.contains(counted));
    assert!(page.contains("Published (diamonds)") && page.matches("<svg").count() >= 4, "{}", page.matches("<svg").count());
    let shares: f64 = findings[2..5].iter().map(|finding| finding.ours.unwrap().value).sum();
    assert!((shares - 1.0).abs() < 1e-12);
}
