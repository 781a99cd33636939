//! Every phase looks at the limits, and a stop at any look ends the work without an answer.

mod gains;
mod immediate;

use std::fmt::Write as _;

use skel_core::model::{ActionId, Model};

use crate::error::{Error, Stopped};
use crate::limits::looks::Looks;
use crate::limits::{Limit, Limits};
use crate::quotient::Measure;
use crate::space::{Explore, Options as SpaceOptions, StateSpace, Storage};
use crate::steady::{Method, Options};

/// A pipeline of so many stages, each of which receives, works and hands over: `3^stages` states.
fn pipeline(stages: usize, handing_over: &str) -> String {
    let mut text = format!("la = {handing_over};\n");
    for stage in 1..=stages {
        let (next, rate) = (stage + 1, 10.0 + stage as f64 / 7.0);
        writeln!(
            text,
            "Stage{stage} = (move{stage}, la).(work{stage}, {rate}).(move{next}, la).Stage{stage};"
        )
        .unwrap();
    }
    text += "Stage1";
    for stage in 2..=stages {
        write!(text, " <move{stage}> Stage{stage}").unwrap();
    }
    text
}

/// The same, and a process that is left for ever once it has begun.
fn begun(stages: usize) -> String {
    format!("Begin = (begin, 1).Begun; Begun = (go_on, 1).Begun;\n{} || Begin", pipeline(stages, "10"))
}

fn space(text: &str, storage: Storage, limits: &Limits) -> Result<StateSpace, Error> {
    let options = SpaceOptions { storage, ..SpaceOptions::default() };
    let model = Model::from_text(text).unwrap();
    Ok(model.explorer().options(&options).limits(limits).explore()?.untyped())
}

fn iterating(method: Method) -> Options {
    Options { method, direct_up_to: 0, ..Options::default() }
}

/// Some work, within limits.
type Work<'w> = Box<dyn Fn(&Limits) -> Result<(), Error> + 'w>;

fn solving<'w>(space: &'w StateSpace, options: Options) -> Work<'w> {
    Box::new(move |limits| space.solver().options(&options).limits(limits).solve().map(|_| ()))
}

fn without_time_to_hand_over(space: &StateSpace) -> Work<'_> {
    let moves = |action: &ActionId| space.model().action(*action).starts_with("move");
    let actions = space.model().actions().map(|(action, _)| action);
    let immediate: Vec<ActionId> = actions.filter(moves).collect();
    let options = iterating(Method::Automatic);
    Box::new(move |limits| {
        let explorer = space.model().explorer().immediate(immediate.iter().copied());
        let tangible = explorer.limits(limits).explore()?;
        tangible.solver().options(&options).limits(limits).solve().map(|_| ())
    })
}

fn works_of<'w>(
    listed: &'w StateSpace,
    bits: &'w StateSpace,
    stiff: &'w StateSpace,
    begun: &'w StateSpace,
    small: &'w StateSpace,
) -> Vec<(&'static str, Work<'w>)> {
    let worked = || [Measure::throughput_named("work1")];
    vec![
        ("stored rates", solving(listed, iterating(Method::BiCgStab))),
        ("Kronecker rates", solving(bits, iterating(Method::BiCgStab))),
        ("incomplete factors", solving(listed, iterating(Method::BiCgStabIlu))),
        ("factors that share the rates", solving(bits, iterating(Method::BiCgStabDilu))),
        ("GMRES", solving(bits, iterating(Method::Gmres))),
        ("Gauss-Seidel", solving(bits, iterating(Method::GaussSeidel))),
        ("parts", solving(stiff, iterating(Method::Automatic))),
        ("parts of Kronecker rates", solving(stiff, iterating(Method::Automatic))),
        ("classes", solving(begun, iterating(Method::BiCgStab))),
        ("elimination", solving(small, Options { method: Method::Direct, ..Options::default() })),
        ("exact", Box::new(|limits| small.solver().exact().limits(limits).solve().map(|_| ()))),
        ("immediate actions", without_time_to_hand_over(listed)),
        ("quotient", Box::new(move |limits| listed.quotient_within(&worked(), limits).map(|_| ()))),
    ]
}

/// How long the command would have to wait after Ctrl-C:
/// `cargo test -p skel-solve --release --lib silence -- --ignored --nocapture`.
#[test]
#[ignore = "it measures time, on large chains"]
fn the_longest_silence_is_short() {
    let limits = Limits::default();
    let text = pipeline(13, "10");
    let mut found = Vec::new();
    let (bits, looks) = Looks::of(None, || space(&text, Storage::Automatic, &limits).unwrap());
    found.push(("exploring bits", looks));
    let text = pipeline(12, "10");
    let (listed, looks) = Looks::of(None, || space(&text, Storage::Explicit, &limits).unwrap());
    found.push(("exploring a list", looks));
    let stiff = space(&pipeline(11, "1e-4"), Storage::Explicit, &limits).unwrap();
    let begun = space(&begun(11), Storage::Automatic, &limits).unwrap();
    let small = space(&pipeline(7, "10"), Storage::Automatic, &limits).unwrap();
    for (name, work) in works_of(&listed, &bits, &stiff, &begun, &small) {
        let (outcome, looks) = Looks::of(None, || work(&limits));
        println!("{name}: {}", outcome.err().map_or("solved".into(), |error| error.to_string()));
        found.push((name, looks));
    }
    for (name, looks) in &found {
        let (longest, (from, to)) = looks.longest();
        println!(
            "{name}: {:.3} s, between {from:?} and {to:?}, {} looks",
            longest.as_secs_f64(),
            looks.count
        );
        let mut silences: Vec<_> = looks.silences.iter().map(|(places, silence)| (silence, places)).collect();
        silences.sort_unstable_by(|left, right| right.cmp(left));
        for (silence, places) in silences.iter().skip(1).take(6) {
            println!("    {:.3} s, {places:?}", silence.as_secs_f64());
        }
    }
}

#[test]
fn a_stop_at_any_look_ends_the_work_without_an_answer() {
    let limits = Limits::default();
    let listed = space(&pipeline(6, "10"), Storage::Explicit, &limits).unwrap();
    let bits = space(&pipeline(6, "10"), Storage::Bitset, &limits).unwrap();
    let stiff = space(&pipeline(6, "1e-4"), Storage::Explicit, &limits).unwrap();
    let begun = space(&begun(6), Storage::Automatic, &limits).unwrap();
    let small = space(&pipeline(4, "10"), Storage::Automatic, &limits).unwrap();
    for (name, work) in works_of(&listed, &bits, &stiff, &begun, &small) {
        let (outcome, looks) = Looks::of(None, || work(&limits));
        assert!(outcome.is_ok(), "{name}: {outcome:?}");
        for number in (1..=looks.count).step_by(1 + looks.count / 50).chain([looks.count]) {
            let limits = Limits::default();
            let cancel = Some((number, limits.cancellation.clone()));
            let (outcome, _) = Looks::of(cancel, || work(&limits));
            let is_cancelled =
                matches!(outcome, Err(Error::Stopped(Stopped { limit: Limit::Cancelled, .. })));
            assert!(is_cancelled, "{name}, at look {number} of {}: {outcome:?}", looks.count);
        }
    }
}

/// A phase that goes over all states does so in steps, between which it looks. Those that are named went over
/// all of a chain at once.
#[test]
fn every_phase_looks_at_the_limits_more_than_once() {
    let limits = Limits::default();
    let listed = space(&pipeline(9, "10"), Storage::Explicit, &limits).unwrap();
    let bits = space(&pipeline(10, "10"), Storage::Bitset, &limits).unwrap();
    let stiff = space(&pipeline(9, "1e-4"), Storage::Explicit, &limits).unwrap();
    let begun = space(&begun(9), Storage::Automatic, &limits).unwrap();
    let small = space(&pipeline(4, "10"), Storage::Automatic, &limits).unwrap();
    let phases = [
        ("stored rates", "operator/transposed/triangles.rs"),
        ("Kronecker rates", "operator/kronecker/mod.rs"),
        ("Kronecker rates", "space/bitset/bit_rows.rs"), // the search backwards
        ("incomplete factors", "linear/ilu.rs"),
        ("classes", "chain/classification.rs"),
        ("immediate actions", "space/explicit.rs"),
        ("quotient", "quotient/refinement.rs"),
        ("exact", "linear/modular/mod.rs"),
    ];
    for (name, work) in works_of(&listed, &bits, &stiff, &begun, &small) {
        let (outcome, looks) = Looks::of(None, || work(&limits));
        assert!(outcome.is_ok(), "{name}: {outcome:?}");
        for (_, file) in phases.iter().filter(|(of, _)| *of == name) {
            assert!(looks.from(file) >= 4, "{name}: {} looks in {file}", looks.from(file));
        }
    }
}
