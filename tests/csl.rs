//! Properties in CSL against values that were computed without uniformisation (`seeds/analyses.json`), in
//! floats and in fractions, lumped and unlumped.

use skel::Error;
use skel::csl::{Answer, Checked, Figure, Fractions, Value, Verdict, parse, resolve, resolve_all};
use skel::prelude::*;
use skel::space::ToldApart;

type Json = serde_json::Value;

fn references() -> Vec<Json> {
    let text = include_str!("seeds/analyses.json");
    let all: Json = serde_json::from_str(text).unwrap();
    all["csl"].as_array().unwrap().clone()
}

fn model(name: &str) -> Model {
    let text = match name.strip_prefix("inline: ") {
        Some(text) => text.to_owned(),
        None => std::fs::read_to_string(format!("{}/models/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap(),
    };
    Model::from_text(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The spaces of a model that a property can be asked of: unlumped, and with everything lumped that the
/// property does not tell apart.
fn spaces(model: &Model, property: &str) -> Vec<StateSpace> {
    let parsed = parse(property);
    let query = resolve(parsed.entries[0].property.as_ref().expect(property), model).expect(property);
    let told_apart = ToldApart::by_property(&query, model);
    let lumped = model.explorer().lumped().telling_apart(&told_apart).explore().unwrap();
    let mut spaces = vec![model.explore().unwrap()];
    if lumped.lumping().is_some() {
        spaces.push(lumped);
    }
    spaces
}

/// A value of the reference, all of whose digits are right.
fn holds(found: &Figure, reference: &str, what: &str) {
    let value: f64 = reference.parse().unwrap();
    if value.is_infinite() {
        assert_eq!(found.value(), value, "{what}");
        return;
    }
    let off = (found.value() - value).abs();
    let printed = 1e-15 * value.abs().max(f64::MIN_POSITIVE);
    assert!(
        off <= found.error() + printed,
        "{what}: {} +- {:e} and not {reference}",
        found.value(),
        found.error()
    );
    assert!(found.error() <= 1e-9, "{what}: {:e}", found.error());
}

#[test]
fn values_of_the_reference_are_within_their_bounds() {
    let mut compared = 0;
    for reference in references() {
        let property = reference["property"].as_str().unwrap();
        let model = model(reference["model"].as_str().unwrap());
        for space in spaces(&model, property) {
            for (key, filter) in
                [("initial", None), ("min", Some("min")), ("max", Some("max")), ("avg", Some("avg"))]
            {
                let Some(value) = reference[key].as_str() else { continue };
                let asked =
                    filter.map_or(property.to_owned(), |filter| format!("filter({filter}, {property})"));
                let found = space.check(asked.as_str()).unwrap_or_else(|error| panic!("{asked}: {error}"));
                holds(found.figure().expect(&asked), value, &asked);
                compared += 1;
            }
            if let Some(count) = reference["count"].as_u64() {
                let found = space.check(property).unwrap();
                assert_eq!(found.answer, Answer::Count(count.into(), count.into()), "{property}");
                compared += 1;
            }
            if let Some(exact) = reference["exact"].as_str() {
                let found = space.check_exact(property).unwrap();
                assert_eq!(found.figure().unwrap().exact().unwrap().to_string(), exact, "{property}");
                compared += 1;
            }
        }
    }
    assert!(compared > 150, "{compared}");
}

fn verdict(space: &StateSpace, property: &str, fractions: Fractions) -> Verdict {
    let found: Checked = space.checker().fractions(fractions).check(property).unwrap();
    found.verdict().unwrap()
}

#[test]
fn a_bound_that_is_the_value_is_undecided_in_floats_and_decided_in_fractions() {
    let queue = model("mm1k.pepa").explore().unwrap();
    let tiny = model("tiny.pepa").explore().unwrap();
    let cases = [
        (&queue, "S>=243/3367 [ \"full\" ]", Verdict::True),
        (&queue, "S>243/3367 [ \"full\" ]", Verdict::False),
        (&tiny, "S>0.0625 [ \"run1\" ]", Verdict::False),
        (&tiny, "S>=0.0625 [ \"run1\" ]", Verdict::True),
        (&queue, "R{\"serve\"}<=1504/81 [ F \"full\" ]", Verdict::True),
        (&queue, "R{\"time\"}<1909/243 [ F \"full\" ]", Verdict::False),
    ];
    for (space, property, expected) in cases {
        assert_eq!(verdict(space, property, Fractions::Never), Verdict::Undecided, "{property}");
        assert_eq!(verdict(space, property, Fractions::Always), expected, "{property}");
        assert_eq!(verdict(space, property, Fractions::WhereNeeded), expected, "{property}");
        assert!(space.check(property).unwrap().decided_in_fractions);
    }
    let far = queue.check("P>=0.0722 [ F[100000,100000] \"full\" ]").unwrap();
    assert_eq!(far.verdict(), Some(Verdict::False));
    assert!(!far.decided_in_fractions);
}

#[test]
fn qualitative_bounds_go_by_the_graph_alone() {
    let queue = model("mm1k.pepa").explore().unwrap();
    let cases = [
        // 1e-300 or so: no float is near enough to 0, and the graph does not need one.
        ("P>0 [ F<=1e-60 \"full\" ]", Verdict::True),
        ("P<=0 [ F<=1e-60 \"full\" ]", Verdict::False),
        ("P<1 [ F<=100000 \"full\" ]", Verdict::True),
        ("P>=1 [ F \"full\" ]", Verdict::True),
        ("P>=1 [ F>=3 \"full\" ]", Verdict::True),
        ("P>=1 [ G[1,2] Queue0 + Queue1 + Queue2 + Queue3 + Queue4 + Queue5 = 1 ]", Verdict::True),
        ("P>0 [ !\"empty\" U \"full\" ]", Verdict::False),
        ("P>0 [ F<0 \"empty\" ]", Verdict::False),
        ("P>=1 [ F<=0 \"empty\" ]", Verdict::True),
        ("P>=1 [ F[0,0] \"empty\" ]", Verdict::True),
        ("P>=1 [ G<0 \"full\" ]", Verdict::True),
        ("P>=1 [ \"full\" U \"empty\" ]", Verdict::True),
        ("P>0 [ \"full\" U>0 \"empty\" ]", Verdict::False),
        ("P>=1 [ \"empty\" W \"full\" ]", Verdict::False),
        ("P>=1 [ X Queue1 = 1 ]", Verdict::True),
        ("\"init\" & !\"deadlock\"", Verdict::True),
    ];
    for (property, expected) in cases {
        let found = queue.checker().fractions(Fractions::Never).check(property).unwrap();
        assert_eq!(found.verdict(), Some(expected), "{property}");
    }
}

#[test]
fn undecided_states_make_intervals() {
    // After 2 units of time the expected time is 2, and only uniformisation says so: not decided.
    let queue = model("mm1k.pepa").explore().unwrap();
    let inner = "R{\"time\"}>=2 [ C<=2 ]";
    assert_eq!(verdict(&queue, inner, Fractions::WhereNeeded), Verdict::Undecided);
    let found = queue.check(format!("P=? [ F<=1 {inner} & \"full\" ]")).unwrap();
    let figure = found.figure().unwrap();
    let reached = queue.check("P=? [ F<=1 \"full\" ]").unwrap().figure().unwrap().value();
    assert_eq!(figure.at_least(), 0.0);
    assert!((figure.at_most() - reached).abs() < 1e-9);
    assert_eq!(verdict(&queue, &format!("{inner} | true"), Fractions::Never), Verdict::True);
    let counted = queue.check(format!("filter(count, {inner} & Queue0 = 0)")).unwrap();
    assert_eq!(counted.answer, Answer::Count(0, 5));
    assert_eq!(verdict(&queue, &format!("S>=0.9 [ {inner} ]"), Fractions::Never), Verdict::Undecided);
    assert_eq!(verdict(&queue, &format!("S<=1 [ {inner} ]"), Fractions::Never), Verdict::True);
}

#[test]
fn filters_and_witnesses() {
    let queue = model("mm1k.pepa").explore().unwrap();
    let found = queue.check("filter(exists, \"full\")").unwrap();
    let witness = found.witness.unwrap();
    assert_eq!(witness.path, ["arrive"; 5]);
    assert_eq!(witness.state, "Arrivals || Queue5 || Server");
    let found = queue.check("filter(forall, Queue3 = 0)").unwrap();
    assert_eq!((found.verdict(), found.witness.unwrap().path.len()), (Some(Verdict::False), 3));
    assert_eq!(queue.check("P<=0 [ F Queue2 = 1 ]").unwrap().witness.unwrap().path.len(), 2);
    let found = queue.check("filter(state, P=? [ F<=1 \"full\" ], Queue5 = 1)").unwrap();
    assert_eq!(found.figure().unwrap().value(), 1.0);
    assert!(queue.check("filter(state, Queue1, !\"full\")").unwrap_err().to_string().contains("in several"));
    assert!(queue.check("filter(min, Queue1, Queue1 = 2)").unwrap_err().to_string().contains("no states"));
    let Answer::Range(least, largest) = queue.check("filter(range, Queue1 - Queue2)").unwrap().answer else {
        panic!("a range");
    };
    assert_eq!((least.value(), largest.value()), (-1.0, 1.0));
    let Answer::States(states) = queue.check("filter(print, Queue1, Queue0 = 0)").unwrap().answer else {
        panic!("states");
    };
    assert_eq!(states.len(), 5);
}

/// A pipeline of some stages, whose states are kept as bits.
fn pipeline(stages: usize) -> StateSpace {
    let mut text = String::new();
    for stage in 1..=stages {
        let next = stage + 1;
        text += &format!(
            "Empty{stage} = (move{stage}, infty).Full{stage}; Full{stage} = (process{stage}, 10).Done{stage};
             Done{stage} = (move{next}, infty).Empty{stage};\n"
        );
    }
    let moves: Vec<String> = (1..=stages + 1).map(|stage| format!("move{stage}")).collect();
    let offers: Vec<String> = moves.iter().map(|action| format!("({action}, 10).Network")).collect();
    text += &format!("Network = {};\n", offers.join(" + "));
    let line =
        (2..=stages).fold("Empty1".to_owned(), |line, stage| format!("{line} <move{stage}> Empty{stage}"));
    text += &format!("Network <{}> ({line})", moves.join(", "));
    Model::from_text(&text).unwrap().explore().unwrap()
}

/// The least limit of memory under which a property is answered, up to 4 KiB.
fn least_memory(space: &StateSpace, property: &str) -> u64 {
    let (mut too_little, mut enough) = (0, 1 << 22);
    while enough - too_little > 1 << 12 {
        let memory = (too_little + enough) / 2;
        let limits = Limits { memory, ..Limits::default() };
        match space.checker().limits(&limits).check(property) {
            Ok(_) => enough = memory,
            Err(Error::Stopped(_)) => too_little = memory,
            Err(error) => panic!("{property}: {error}"),
        }
    }
    enough
}

#[test]
fn one_state_needs_no_list_of_the_chain() {
    let space = pipeline(7);
    for path in ["F[1,1] Done7 = 1", "Done1 < 2 U[1/4,1/2] Done7 = 1", "G<=1 Full7 = 0"] {
        let one = least_memory(&space, &format!("P=? [ {path} ]"));
        let every = least_memory(&space, &format!("filter(max, P=? [ {path} ])"));
        assert!(one < every * 2 / 3, "{path}: {one} {every}");
    }
}

#[test]
fn forwards_and_backwards_agree_over_long_times() {
    let space = pipeline(5);
    // 2,000 steps and more: the limit of distributions stands for the rest, or nothing is left to end.
    for (property, tolerance) in [
        ("P=? [ F[1000,1000] Done5 = 1 ]", 1e-9),
        ("P=? [ F[900,1000] Done1 + Done2 + Done3 + Done4 + Done5 = 5 ]", 1e-9),
        ("P=? [ Empty1 + Empty2 < 2 U[1,1000] Done5 = 1 ]", 1e-9),
        ("P=? [ G<=1000 Done5 = 0 | Done4 = 0 ]", 1e-9),
        ("R{\"move6\"}=? [ C<=1000 ]", 1e-4),
        ("R{\"Full3\"}=? [ I=1000 ]", 1e-9),
    ] {
        let checker = space.checker().tolerance(tolerance);
        let one = checker.check(property).unwrap();
        let every = checker.check(format!("filter(print, {property})")).unwrap();
        let Answer::States(states) = &every.answer else { panic!("states") };
        let Value::Figure(backwards) = &states[0].value else { panic!("a figure") };
        let forwards = one.figure().unwrap();
        let off = (forwards.value() - backwards.value()).abs();
        assert!(off <= forwards.error() + backwards.error(), "{property}: {forwards:?} {backwards:?}");
        assert!(forwards.error() <= tolerance, "{property}: {forwards:?}");
    }
}

#[test]
fn a_named_property_stands_for_its_condition_in_those_behind_it() {
    let model = model("mm1k.pepa");
    let space = model.explore().unwrap();
    let text = "\"likely\": P>=0.3 [ F<=1 \"full\" ]; P=? [ F<=1 \"likely\" ]; \"both\": !\"empty\" & \"likely\"; S=? [ \"both\" ]";
    let (queries, findings) = resolve_all(&parse(text), &model);
    assert!(findings.is_empty(), "{findings:?}");
    let answers: Vec<Checked> = queries.iter().flatten().map(|query| space.check(query).unwrap()).collect();
    assert_eq!(answers[1].property, "P=? [ F<=1 \"likely\" ]");
    let soon = answers[1].figure().unwrap();
    assert!((soon.value() - 0.2768320278638796).abs() <= soon.error());
    let share = answers[3].figure().unwrap();
    assert!((share.value() - 27.0 / 91.0).abs() <= share.error());
}

#[test]
fn properties_that_name_others_stay_small() {
    let model = model("mm1k.pepa");
    let doubled = |at: usize| format!("\"p{}\": \"p{at}\" & \"p{at}\"; ", at + 1);
    let text: String = std::iter::once("\"p0\": true; ".to_owned()).chain((0..50).map(doubled)).collect();
    let (queries, findings) = resolve_all(&parse(&text), &model);
    assert!(queries[5].is_some() && queries[50].is_none());
    // What names a property that is wrong says nothing more.
    assert!((1..=2).contains(&findings.len()), "{findings:?}");
    let longer = |at: usize| format!("\"p{}\": !\"p{at}\"; ", at + 1);
    let text: String = std::iter::once("\"p0\": true; ".to_owned()).chain((0..5000).map(longer)).collect();
    let (queries, findings) = resolve_all(&parse(&text), &model);
    assert!(queries[90].is_some() && queries[5000].is_none());
    assert!(findings[0].message.contains("too large"), "{findings:?}");
}
