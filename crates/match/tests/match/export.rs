//! Tables for other programs hold the games, and both forms the same.

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use plyground_match::{csv, parquet};

use crate::common::{Directory, experiment, games, play};

/// The fields of a line of comma-separated values, read by the letter.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => fields.last_mut().unwrap().push(letters.next().unwrap()),
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            _ => fields.last_mut().unwrap().push(letter),
        }
    }
    fields
}

#[test]
fn both_tables_hold_all_games() {
    let directory = Directory::new();
    let store = directory.store();
    // Specs with commas, points, chance.
    let run = experiment("tuc-chess", &["random", "mcts:sims=5,c=1"], 2).run();
    play(&store, &run, 2);
    let text = csv(&store, &run).unwrap();
    let lines: Vec<Vec<String>> = text.lines().map(fields).collect();
    assert!(lines.iter().all(|line| line.len() == lines[0].len()));
    let column = |name: &str| lines[0].iter().position(|known| known == name).unwrap();
    for (line, game) in lines[1..].iter().zip(games(&store, &run)) {
        let moves: Vec<&str> = game.moves.iter().map(|played| played.text.as_str()).collect();
        assert_eq!(line[column("job")], game.job);
        assert_eq!(line[column("first")], run.experiment.agents[game.agents[0]]);
        assert_eq!(line[column("moves")], moves.join(" "));
        assert_eq!(line[column("opening_plies")], "2");
        assert_eq!(line[column("plies")], game.moves.iter().filter(|played| !played.chance).count().to_string());
        assert_eq!(line[column("second_points")], game.points.unwrap()[1].to_string());
        assert!(line[column("first_ms")].parse::<f64>().unwrap() >= 0.0);
    }
    let file = SerializedFileReader::new(bytes::Bytes::from(parquet(&store, &run).unwrap())).unwrap();
    let rows: Vec<_> = file.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    assert_eq!(rows.len(), lines.len() - 1);
    for (row, line) in rows.iter().zip(&lines[1..]) {
        for (((name, field), column), value) in row.get_column_iter().zip(&lines[0]).zip(line) {
            let shown = match field {
                Field::Str(text) => text.clone(),
                Field::Long(number) => number.to_string(),
                Field::Double(number) => format!("{number:.3}"),
                Field::Null => String::new(),
                other => panic!("{other:?}"),
            };
            assert_eq!((name, &shown), (column, value));
        }
    }
}
