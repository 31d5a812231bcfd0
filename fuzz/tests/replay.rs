//! The corpus, and every input that was ever a finding, go through their targets in the ordinary tests.

use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use plyground_fuzz::TARGETS;

/// One test, because memory is counted for the whole process.
#[test]
fn every_kept_input_keeps_the_law_of_its_target_and_honest_inputs_are_accepted() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut faults = Vec::new();
    for target in TARGETS {
        for (number, seed) in (target.seeds)().iter().enumerate() {
            match catch_unwind(|| target.run(seed)) {
                Ok(true) => {}
                Ok(false) => faults.push(format!("{}: honest input {number} is refused", target.name)),
                Err(_) => faults.push(format!("{}: honest input {number} breaks the law", target.name)),
            }
        }
        let mut files: Vec<_> = fs::read_dir(corpus.join(target.name))
            .unwrap_or_else(|error| panic!("fuzz/corpus/{}: {error}", target.name))
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let input = fs::read(&file).unwrap();
            if catch_unwind(|| target.run(&input)).is_err() {
                faults.push(format!("{} breaks the law", file.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let folders: BTreeSet<String> =
        fs::read_dir(&corpus).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(folders, TARGETS.iter().map(|target| target.name.to_owned()).collect(), "a folder for each target, and no other");
}
