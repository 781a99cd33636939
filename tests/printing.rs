//! A model printed and read again: what generated models do not have.

use skel::prelude::*;

/// The model of a printed model, after the check that it prints as it is read and has the same figures.
fn again(model: &Model) -> Model {
    let text = model.to_string();
    let again = Model::from_text(&text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    assert_eq!(again.to_string(), text);
    let figures = |model: &Model| {
        let pi = model.explore().unwrap().steady_state_exact().unwrap();
        let own = |figures: Vec<(&str, Ratio)>| {
            figures.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Vec<_>>()
        };
        (pi.space().states(), own(pi.throughputs()), own(pi.results().unwrap()))
    };
    assert_eq!(figures(&again), figures(model), "{text}");
    again
}

#[test]
fn every_construct_of_the_syntax_is_printed() -> skel::Result<()> {
    for (text, printed) in [
        ("r = 2; s = r/3 - (1 - 2*r)/7; t = s; P = (a, -(-1)*t).P; P", "s = r / 3 - (1 - 2 * r) / 7;"),
        ("P = (a, 1).((b, 2).P + (c, 3).(d, 4).P); P", "P = (a, 1).((b, 2).P + (c, 3).(d, 4).P);"),
        ("P = (a, infty).P + (a, 2 * infty).Q; Q = (b, 1).P; R = (a, 3).R; P <*> R", "P <a> R"),
        (
            "P = (a, 1e-33 * infty).P + (a, (1 + 2) * infty).Q; Q = (b, 1).P; R = (a, 3).R; P <*> R",
            "(a, (1 + 2) * infty).Q",
        ),
        (
            "P = (a, 2.5e-13 * infty).P + (a, infty).Q; Q = (b, 1).P; R = (a, 3).R; P <*> R",
            "(a, 1 / 4000000000000 * infty).P",
        ),
        ("P = (a, 1).P; Q = (a, 1).(b, 2).Q; (P || P) <a> (Q || Q)", "P || P <a> (Q || Q)"),
        ("P = (a, 1).P; Q = (a, 1).(b, 2).Q; (P <a> Q)/{a} || P", "(P <a> Q)/{a} || P"),
        ("P = (a, 1).P; Q = (a, 2).(b, 2).Q; A = P <a> Q; A[3, {b}]", "Group1 = P <a> Q;\nGroup1[3, {b}]"),
        ("P = (a, 1).(b, 2).P; A = P[2]; B = A/{b}; B[2, {a}]", "Group1 = P[2]/{b};\nGroup1[2, {a}]"),
        (
            "\"get it\" = (\"a b\", 1).\"get it\"; \"get it\" || \"get it\"",
            "\"get it\" = (\"a b\", 1).\"get it\";",
        ),
        ("P = (a, 1).Q; Q = (b, 2).P; P || Q; x = 2 * {Q || **};", "x = 2 * {Q || **};"),
        ("P = (a, 1).(b, 2).P; (P || P) || P; x = {(P || (b, 2).P) || **};", "x = {P || (b, 2).P || **};"),
        (
            "// skel: allow(blocked_action)\nP = (a, 1).P + (b, 1).P; Q = (b, 2).Q; P <a> Q",
            "allow(blocked_action)",
        ),
        ("P = Q + (a, 1).P; Q = (b, 2).Q; P", "P = (b, 2).Q + (a, 1).P;"),
        ("P = (\"infty\", 1).Q; Q = (\"T\", 2).P; P", "P = (\"infty\", 1).Q;\nQ = (T, 2).P;"),
    ] {
        let model = Model::from_text(text)?;
        let shown = model.to_string();
        assert!(shown.contains(printed), "{shown}");
        again(&model);
    }
    Ok(())
}

/// The text says nothing of `Q`, so it knows no `a`.
#[test]
fn what_is_hidden_and_never_done_is_left_out() -> skel::Result<()> {
    let model = Model::from_text("P = (b, 1).(c, 1).P; Q = (a, 2).Q; P/{a, b}")?;
    let printed = "P = (b, 1).(c, 1).P;\nP/{b}\n";
    assert_eq!(model.to_string(), printed);
    assert_eq!(Model::from_text(printed)?.to_string(), printed);
    Ok(())
}

/// Of a number and what it is written as, one is read if the other is.
#[test]
fn numbers_of_hundreds_of_digits_are_printed_as_they_are_read() {
    let digits = |count: usize| "7".repeat(count);
    for number in [format!("1.{}e-300", digits(298)), format!("0.{}", "0".repeat(299) + &digits(298))] {
        let parsed = skel::text::parse(&format!("P = (a, {number}).P; P"));
        assert!(parsed.model.is_some(), "{:?}", parsed.diagnostics);
        let printed = skel::syntax::print::print(&parsed.ast());
        assert_eq!(skel::text::parse(&printed).model, parsed.model, "{printed}");
    }
}

#[test]
fn rates_are_printed_as_they_are_now() -> skel::Result<()> {
    let model = Model::from_text("r = 1; s = 2 * r; P = (a, s).Q; Q = (b, 1).P; P")?;
    let r = model.parameter_named("r").unwrap();
    let changed = model.with_rates(&[(r, ratio(1, 3).into())])?;
    assert!(changed.to_string().starts_with("r = 1 / 3;\ns = 2 * r;"));
    again(&changed);
    let s = model.parameter_named("s").unwrap();
    assert!(model.with_rates(&[(s, 5.into())])?.to_string().contains("s = 5;"));
    let from_rust = pepa! { r = 2; P = (a, { 0.5 } * r).Q; Q = (b, { 3 }).P; P };
    let model = from_rust.build()?;
    assert!(model.to_string().contains("P = (a, 0.5 * r).Q;"), "{model}");
    again(&model);
    Ok(())
}

#[test]
fn the_models_of_the_folder_print_as_themselves() -> skel::Result<()> {
    let mut count = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/models")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "pepa") {
            continue;
        }
        let model = Model::from_file(&path)?;
        let text = model.to_string();
        let again = Model::from_text(&text)?;
        assert_eq!(again.to_string(), text);
        let size = |model: &Model| model.explore().map(|space| (space.states(), space.transitions()));
        assert_eq!(size(&again)?, size(&model)?, "{}", path.display());
        count += 1;
    }
    assert!(count > 15);
    Ok(())
}
