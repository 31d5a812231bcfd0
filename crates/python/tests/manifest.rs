//! What the files of the package say to Cargo, to Python and to type checkers fits together. The module itself is tested in Python
//! (`cargo xtask test --only python`).

use std::fs;
use std::path::Path;

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_oldest_python_is_the_same_everywhere() {
    let (cargo, project) = (read("../../Cargo.toml"), read("pyproject.toml"));
    let minor = cargo.split("abi3-py3").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    assert!(project.contains(&format!("requires-python = \">=3.{minor}\"")), "3.{minor}");
}

#[test]
fn cargo_builds_every_other_crate_without_being_asked() {
    let cargo = read("../../Cargo.toml");
    let members = cargo.split("default-members = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    for crate_folder in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap() {
        let name = crate_folder.unwrap().file_name().into_string().unwrap();
        let is_listed = members.contains(&format!("\"crates/{name}\""));
        assert_eq!(is_listed, name != "python", "crates/{name} in default-members of Cargo.toml");
    }
}

#[test]
fn everything_in_the_module_has_its_types() {
    let (module, stubs) = (read("src/lib.rs"), read("python/plyground/_core.pyi"));
    let functions: Vec<&str> = between(&module, "wrap_pyfunction!(", ",").collect();
    assert!(functions.len() > 5, "{functions:?}");
    for path in functions {
        let name = path.rsplit("::").next().unwrap();
        assert!(stubs.contains(&format!("\ndef {name}(")), "{name} has no line in _core.pyi");
    }
}

fn between<'a>(text: &'a str, before: &'a str, after: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(before).skip(1).filter_map(move |rest| rest.split(after).next())
}
