//! The fuzzer: libFuzzer on the target that an environment variable names. `cargo xtask fuzz` builds and runs it.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use plyground_fuzz::{TARGETS, Target, target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("PLYGROUND_FUZZ_TARGET").unwrap_or_default();
    target(&name).unwrap_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        panic!("expected PLYGROUND_FUZZ_TARGET to be one of {}, found {name:?}", names.join(", "))
    })
});

/// Writes the honest inputs of the target to the folder that the environment names, before the fuzzer reads it.
fn write_seeds() {
    let Some(folder) = std::env::var_os("PLYGROUND_FUZZ_SEEDS") else { return };
    for (number, seed) in (TARGET.seeds)().into_iter().enumerate() {
        std::fs::write(Path::new(&folder).join(format!("seed-{number}")), seed)
            .expect("the folder of the corpus can be written to");
    }
}

fuzz_target!(
    init: write_seeds(),
    |input: &[u8]| -> Corpus {
        if input.len() > TARGET.longest {
            return Corpus::Reject;
        }
        TARGET.run(input);
        Corpus::Keep
    }
);
