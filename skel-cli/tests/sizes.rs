//! `--set` for sizes, as a user gives them: of arrays in models, of farms and deals in skeletons.

mod support;

use std::process::Output;

use support::{json, run_in};

const SHOP: &str = "n = 2; servers = 1; think = 1;
Client = (think, think).Wait; Wait = (serve, infty).Client;
Server = (serve, 3).Server;
Client[n] <serve> Server[servers]";

const IMAGES: &str = "n = 3; mu = 5; communication(100);
pipe(task(\"read\", 20), farm(n, \"sharpen\", mu), task(\"write\", 30));";

fn skel(arguments: &[&str], input: &str) -> Output {
    run_in(".", arguments, input)
}

/// The exit code, and what is said.
fn said(arguments: &[&str], input: &str) -> (Option<i32>, String) {
    let output = skel(&[arguments, &["--color", "never"]].concat(), input);
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_size_of_a_model_is_set_as_a_rate_is() {
    for (n, think) in [("1", "1"), ("3", "2"), ("20", "0.5")] {
        let written =
            SHOP.replace("n = 2", &format!("n = {n}")).replace("think = 1", &format!("think = {think}"));
        let written = json(&skel(&["solve", "-", "--json", "--exact"], &written));
        let (n, think) = (format!("n={n}"), format!("think={think}"));
        let set = json(&skel(&["solve", "-", "--json", "--exact", "--set", &n, "--set", &think], SHOP));
        for key in ["states", "transitions", "throughput", "utilisation"] {
            assert_eq!(set[key], written[key], "{n} {key}");
        }
    }
}

#[test]
fn checks_and_the_derivation_graph_have_the_size_that_is_set() {
    let checked = json(&skel(&["check", "-", "--json", "--set", "n=5"], SHOP));
    assert_eq!(
        (&checked["components"], &checked["rates"], &checked["sizes"]),
        (&6.into(), &1.into(), &2.into())
    );
    let derived = json(&skel(&["derive", "-", "--json", "--set", "n=3"], SHOP));
    assert_eq!(derived["states"].as_array().unwrap().len(), 8);
    // What the file or a flag asks to be explored is explored with that size.
    for (flags, text) in [
        (&["--max-states", "4"][..], SHOP.to_owned()),
        (&[], format!("// skel: check(max_states = 4)\n{SHOP}")),
    ] {
        for (n, code) in [("n=2", Some(0)), ("n=3", Some(3))] {
            let output = skel(&[&["check", "-", "--set", n], flags].concat(), &text);
            assert_eq!(output.status.code(), code, "{n}");
        }
    }
}

#[test]
fn what_cannot_be_set_is_explained() {
    for (settings, expected) in [
        (&["n=0"][..], "the size `n` is 0"),
        (&["n=-3"], "the size `n` is -3, which is negative"),
        (&["n=2.5"], "the size `n` is 2.5, which is not a whole number"),
        (&["n=4000000"], "the size `n` is 4000000, more than the limit of 2000000"),
        (&["n=1200000", "servers=1200000"], "the system has more than 2000000 components"),
        (&["n=3", "n=4"], "`n` is set to `3` and to `4`"),
        (
            &["server=3"],
            "the model has no rate or size `server` to set\n |\n = help: did you mean `servers`?",
        ),
        (
            &["Server=3"],
            "`Server` is a process: rates and sizes can be set\n |\n = help: the number of its copies is `servers`",
        ),
        (&["n=many"], "`many` is not a number"),
    ] {
        for command in ["check", "solve", "derive"] {
            let flags: Vec<&str> = settings.iter().flat_map(|&setting| ["--set", setting]).collect();
            let (code, message) = said(&[&[command, "-"], &flags[..]].concat(), SHOP);
            assert_eq!(code, Some(2), "{settings:?}");
            assert!(message.contains(expected), "{settings:?}: {message}");
        }
    }
    let fixed = SHOP.replace("Client[n]", "Client[3]").replace("n = 2; ", "");
    let (code, message) = said(&["solve", "-", "--set", "Client=5"], &fixed);
    assert_eq!(code, Some(2));
    assert!(message.contains("`Client` is a process") && message.contains("`Client[n]`"), "{message}");
}

#[test]
fn a_size_of_a_skeleton_is_set_as_a_rate_is() {
    let solved = |flags: &[&str], text: &str| {
        let answer = json(&skel(&[&["skeleton", "-", "--solve", "--json", "--exact"], flags].concat(), text));
        answer["throughput_of_the_whole"]["exact"].clone()
    };
    for n in ["1", "2", "4"] {
        let written =
            solved(&[], &IMAGES.replace("n = 3", &format!("n = {n}")).replace("mu = 5", "mu = 2.5"));
        assert!(written.is_string());
        assert_eq!(solved(&["--set", &format!("n={n}"), "--set", "mu=5/2"], IMAGES), written);
    }
}

#[test]
fn what_cannot_be_set_in_a_skeleton_is_explained() {
    for (settings, expected) in [
        (&["n=0"][..], "the farm has 0 replicas"),
        (&["n=2.5"], "the size `n` is 2.5, which is not a whole number"),
        (&["n=5000"], "the skeleton has 5002 tasks, more than 2000"),
        (&["mu=0"], "the rate of the task `sharpen` is 0"),
        (&["n=3", "n=4"], "`n` is set to `3` and to `4`"),
        (&["nu=3"], "the skeleton defines no `nu` to set"),
        (&["workers=3"], "the file defines `n`, `mu`"),
    ] {
        let flags: Vec<&str> = settings.iter().flat_map(|&setting| ["--set", setting]).collect();
        let (code, message) = said(&[&["skeleton", "-", "--solve"], &flags[..]].concat(), IMAGES);
        assert_eq!(code, Some(2), "{settings:?}");
        assert!(message.contains(expected), "{settings:?}: {message}");
    }
    let (code, message) = said(&["skeleton", "-", "--set", "n=5"], "farm(3, 1);");
    assert_eq!(code, Some(2));
    assert!(message.contains("the file names no number"), "{message}");
    // A text that is wrong as it stands is a wrong model.
    assert_eq!(said(&["skeleton", "-", "--set", "n=5"], "n = 1; farm(n, 0);").0, Some(1));
}
