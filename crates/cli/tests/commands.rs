//! What every command prints, and that the examples in the README and in the tour are true. After a wanted change:
//! `TRYCMD=overwrite cargo test -p plyground-cli --test commands`.

#[test]
fn commands_print_what_they_always_did() {
    let data = std::env::temp_dir().join(format!("plyground-commands-{}", std::process::id()));
    // A process of an earlier time may have had our number.
    let _ = std::fs::remove_dir_all(&data);
    trycmd::TestCases::new()
        .env("XDG_DATA_HOME", data.to_str().expect("the temporary directory has a plain name"))
        .case("tests/cmd/*.trycmd")
        .case("../../README.md")
        .case("../../docs/tour.md")
        .run();
    let _ = std::fs::remove_dir_all(&data);
}
