//! `skel network measure` as a user runs it: two processes on the loopback, what they write, and every bad
//! command line. No time is asserted.

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use support::{json as object, run_in};

/// A process that listens, until the test is over.
struct Listening {
    process: Child,
    address: String,
}

impl Listening {
    fn start(name: &str) -> Listening {
        let mut process = Command::new(env!("CARGO_BIN_EXE_skel"))
            .args(["network", "measure", "--listen", "0", "--name", name])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().rsplit(' ').next().unwrap().to_owned();
        assert!(line.starts_with(&format!("`{name}` listens at {address} until Ctrl-C")), "{line}");
        Listening { process, address }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // If it is gone already, there is nothing to end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const QUICK: [&str; 6] = ["--largest", "2KiB", "--repetitions", "4", "--rounds", "2"];

#[test]
fn what_is_measured_is_a_network() {
    let [one, other] = ["one", "other"].map(Listening::start);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.toml");
    let file = path.to_str().unwrap();
    let ends = ["--connect", &one.address, "--connect", &other.address, "--threads", "--name", "here"];
    let arguments = [&["network", "measure", "--output", file][..], &ends, &QUICK].concat();
    let output = run_in(".", &arguments, "");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    for title in ["here, between threads: ", "here - one: ", "here - other: ", "one - other: "] {
        assert!(text.contains(title), "{title}: {text}");
    }
    let table = std::fs::read_to_string(folder.path().join("net.csv")).unwrap();
    assert!(
        table.contains("\nfrom,to,what,messages,bytes,us,spread,repetitions\nhere,here,half_round_trip,,0,"),
        "{table}"
    );
    let answer = object(&run_in(".", &["network", file, "--json", "--size", "1000"], ""));
    assert!(answer["errors"].is_null(), "{answer}");
    // And programs can be mapped to it.
    let description = folder.path().join("app.toml");
    let processors = ["here", "one", "other"].map(|name| format!("{{ name = \"{name}\", power = 1000 }}"));
    let program = format!(
        "network = \"net.toml\"\noutput = 10\nprocessor = [{}]\nlinks = {{ within = 1e9 }}\nstage = [{{ work = 1, data = 10 }}, {{ work = 1, data = 10 }}]",
        processors.join(", ")
    );
    std::fs::write(&description, program).unwrap();
    let mapped = object(&run_in(".", &["map", description.to_str().unwrap(), "--search", "--json"], ""));
    assert_eq!(mapped["search"]["proved"], true, "{mapped}");
}

#[test]
fn without_a_file_it_is_one_text() {
    let arguments = [&["network", "measure", "--threads", "--name", "a \"b\""][..], &QUICK].concat();
    let output = run_in(".", &arguments, "");
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("# Timed by `skel network measure` on 20"), "{text}");
    assert!(text.contains("machines = ['a \"b\"']\nmeasurements = \"\"\"\n"), "{text}");
    let object = object(&run_in(".", &[&arguments[..], &["--json"]].concat(), ""));
    assert_eq!((&object["machines"][0], &object["file"]), (&"a \"b\"".into(), &Value::Null));
    assert!(object["links"][0]["series"].as_array().unwrap().len() > 60);
}

#[test]
fn one_name_is_one_machine() {
    let one = Listening::start("one");
    let arguments = ["network", "measure", "--connect", &one.address, "--name", "one", "--json"];
    let output = run_in(".", &arguments, "");
    assert_eq!(output.status.code(), Some(2));
    let message = object(&output)["errors"][0]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("has the name `one`, as another of the machines"), "{message}");
}

#[test]
fn bad_command_lines_say_what_to_write() {
    let error = |arguments: &[&str]| {
        let output = run_in(".", &[&["network", "measure", "--json"], arguments].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        object(&output)["errors"][0].clone()
    };
    for (arguments, message) in [
        (&[][..], "--listen [<ADDRESS>]|--connect [<HOST:PORT>]|--threads"),
        (&["--threads", "--allow", "x:1"], "cannot be used with"),
        (&["--connect", "x:1", "--session", "9"], "cannot be used with"),
        (&["--listen", "--threads"], "cannot be used with"),
        (&["--connect", "127.0.0.1:1"], "nobody answers at `127.0.0.1:1`: "),
        (&["--connect", "nowhere"], "`nowhere` is not an address: "),
        (&["--threads", "--largest", "0"], "the largest message is 0 bytes"),
        (&["--threads", "--repetitions", "0"], "the number of repetitions is 0"),
        (&["--threads", "--output", "net.csv"], "its measurements have the ending `.csv`"),
        (&["--threads", "--output", "no/such/net.toml"], "there is no such folder"),
    ] {
        let said = error(arguments);
        assert!(said["message"].as_str().unwrap().contains(message), "{arguments:?}: {said}");
    }
    let listening = Listening::start("one");
    let taken = run_in(".", &["network", "measure", "--listen", &listening.address], "");
    assert_eq!(taken.status.code(), Some(2));
    assert!(String::from_utf8(taken.stderr).unwrap().contains("cannot listen at `127.0.0.1:"));
    let none = run_in(".", &["network"], "");
    assert!(String::from_utf8(none.stderr).unwrap().contains("<FILE>"));
}
