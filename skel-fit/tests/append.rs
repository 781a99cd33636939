//! Runs that are added to files can be read again.

use proptest::prelude::*;
use skel_fit::runs::{AppendError, Runs, TimedRun};

fn name() -> impl Strategy<Value = String> {
    "[a-zA-Z#\",;äß/][a-z \",'#]{0,6}[a-z#\"]"
}

fn run() -> impl Strategy<Value = TimedRun> {
    (name(), name(), 1e-3..1e9_f64, 1..1000_u32, 1e-9..1e6_f64, 1..100_u32)
        .prop_map(|(segment, machine, n, p, seconds, run)| TimedRun { segment, machine, n, p, seconds, run })
}

proptest! {
    #[test]
    fn parts_are_one_file(
        parts in prop::collection::vec(prop::collection::vec(run(), 1..5), 1..5),
        names in Just(vec!["segment", "machine", "n", "p", "seconds", "run"]).prop_shuffle(),
        is_ordered in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let [csv, json] = ["runs.csv", "runs.jsonl"].map(|name| folder.path().join(name));
        if is_ordered {
            std::fs::write(&csv, format!("# by hand\n{}", names.join(", "))).unwrap();
        }
        for part in &parts {
            let runs = Runs::new(part.clone()).unwrap();
            runs.append_to_file(&csv).unwrap();
            runs.append_to_file(&json).unwrap();
        }
        let all = Runs::new(parts.concat()).unwrap();
        prop_assert_eq!(&Runs::from_csv(&std::fs::read_to_string(&csv).unwrap()).unwrap(), &all);
        prop_assert_eq!(&Runs::from_json_lines(&std::fs::read_to_string(&json).unwrap()).unwrap(), &all);
    }
}

#[test]
fn a_file_without_place_for_a_part_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.csv");
    std::fs::write(&file, "n,seconds\n500,0.25\n").unwrap();
    let runs = Runs::from_csv("n,seconds\n600,0.5\n").unwrap();
    let error = runs.append_to_file(&file).unwrap_err();
    assert!(matches!(&error, AppendError::Names { found } if found == "n,seconds"));
    assert_eq!(
        error.to_string(),
        "the first line of the file is `n,seconds`, so there is no place for all parts of a run; \
         help: write `segment,machine,n,p,seconds,run`, in any order, or take another file"
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "n,seconds\n500,0.25\n");
    let error = runs.append_to_file(folder.path()).unwrap_err();
    assert!(matches!(error, AppendError::File(_)));
}
