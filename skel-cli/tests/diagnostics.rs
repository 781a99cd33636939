//! Every diagnostic for files, as a user sees it: `tests/ui/model/NAME.pepa` and what `skel check` prints.

use std::path::Path;
use std::process::Command;

#[test]
fn every_fixture_prints_its_diagnostics() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ui/model");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".pepa"))
        .collect();
    names.sort();
    assert!(names.len() >= 40);
    for name in names {
        let output = Command::new(env!("CARGO_BIN_EXE_skel"))
            .args(["check", &name, "--color", "never"])
            .current_dir(&folder)
            .output()
            .unwrap();
        let expected = match name.as_str() {
            "too_many_states.pepa" => 3,
            name if name.starts_with("warning_") => 0,
            _ => 1,
        };
        assert_eq!(output.status.code(), Some(expected), "{name}");
        let text = String::from_utf8(output.stderr).unwrap();
        insta::assert_snapshot!(name.trim_end_matches(".pepa"), text);
    }
}
