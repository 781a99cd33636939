//! Arrays of more copies than are checked one by one.

use skel::number::ratio;
use skel::prelude::*;

const MANY: u64 = 20_000;

/// The findings of a text, without their places.
fn findings(text: &str) -> Vec<String> {
    skel::text::parse(text).diagnostics.iter().map(ToString::to_string).collect()
}

/// The throughput of `n` machines that break at the rate 1 and are repaired by two servers at the rate 5
/// each, from the closed form of a birth-death chain: `p(k + 1) / p(k) = (n - k) / min(3 (k + 1), 10)`.
fn repaired(n: u64) -> f64 {
    let repair = |broken: u64| f64::min(3.0 * broken as f64, 10.0);
    // From the side of many broken ones, where the probability is.
    let (mut weight, mut sum, mut throughput) = (1.0, 0.0, 0.0);
    for broken in (0..=n).rev() {
        sum += weight;
        throughput += weight * repair(broken);
        if broken > 0 {
            weight *= repair(broken) / (n - broken + 1) as f64;
        }
    }
    throughput / sum
}

#[test]
fn many_copies_are_solved_by_counts() -> skel::Result<()> {
    let text = format!("M = (fail, 1).B; B = (repair, 3).M; S = (repair, 5).S; M[{MANY}] <repair> S[2];");
    let space = Model::from_text(&text)?.explorer().lumped().explore()?;
    assert_eq!(space.states() as u64, MANY + 1);
    let pi = space.steady_state()?;
    let (throughput, expected) = (pi.throughput_named("repair")?, repaired(MANY));
    assert!((throughput / expected - 1.0).abs() < 1e-10, "{throughput}, not {expected}");
    assert!((pi.population_named("M")? + pi.population_named("B")? - MANY as f64).abs() < 1e-6);
    Ok(())
}

#[test]
fn a_size_that_is_large_makes_the_same_model_as_a_number() -> skel::Result<()> {
    let text = |size: &str| format!("n = {size}; P = (a, 1).Q; Q = (b, 2).P; C = P <a> Q; C[n] || P[3]");
    let direct = Model::from_text(&text("6000"))?;
    let small = Model::from_text(&text("2"))?;
    let size = small.parameter_named("n").unwrap();
    let resized = small.with_rates(&[(size, 6000.into())])?;
    assert_eq!(direct.positions(), 12_003);
    assert_eq!(direct.nodes(), resized.nodes());
    assert_eq!(direct.arrays(), resized.arrays());
    assert_eq!(direct.initial_state(), resized.initial_state());
    Ok(())
}

#[test]
fn arrays_of_large_arrays_have_all_their_copies() -> skel::Result<()> {
    let model = Model::from_text("P = (a, 1).Q; Q = (b, 2).P; R = P[11000]; S = R || Q; S[3] || P")?;
    assert_eq!(model.positions(), 3 * 11_001 + 1);
    let q = model.local_state_named("Q").unwrap();
    let initial = model.initial_state();
    let starts_in_q: Vec<usize> = (0..initial.len()).filter(|&at| initial[at] == q).collect();
    assert_eq!(starts_in_q, [11_000, 22_001, 33_002]);
    let sizes: Vec<_> = model.arrays().iter().map(|array| (array.copies, array.width)).collect();
    assert_eq!(sizes, [(11_000, 1), (11_000, 1), (11_000, 1), (3, 11_001)]);
    Ok(())
}

#[test]
fn result_lines_leave_large_arrays_open() -> skel::Result<()> {
    let text = "P = (a, 1/1000000).P; Q = (b, 1).R; R = (c, 3).Q; Q || P[15000] || R || P[12000]; both = {R || ** || Q || **};";
    let pi = Model::from_text(text)?.explore()?.steady_state_exact()?;
    assert_eq!(pi.result_named("both")?, ratio(3, 16));
    Ok(())
}

#[test]
fn findings_do_not_depend_on_the_number_of_copies() {
    for text in [
        "P = (a, 1).Q; Q = (b, 1).P; S = (c, 1).S; P[COPIES] <a> S",
        "P = (a, 1).Q; Q = (b, 1).P; P[COPIES, {a, c}]",
        "P = (a, infty).Q; Q = (b, 1).P; P[COPIES] || P",
        "P = (a, 1).P; Q = (a, infty).Q; P[COPIES, {a}] <a> Q",
        "P = (a, infty).P; Q = (a, 1).R; R = (b, 1).Q; C = P || Q; C[COPIES] <a, b> Q",
        "P = (a, 1).P; P[COPIES]/{a, b}",
    ] {
        let with = |copies: &str| findings(&text.replace("COPIES", copies));
        assert_eq!(with("3"), with("30000"), "{text}");
        let inner = text.replace("COPIES", "2");
        assert_eq!(findings(&inner), with("3"), "{text}");
    }
}
