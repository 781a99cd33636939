//! Quotients: they have the measures of the whole chain, exactly, and as few states as can be.

mod generated;

use std::collections::BTreeMap;
use std::slice::from_ref;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use skel::error::{Reached, Stopped};
use skel::limits::{Limit, Progress};
use skel::number::Number;
use skel::prelude::*;
use skel::quotient::Measure;
use skel::space::{Options, Storage};

use generated::model_text;

fn parsed(text: &str) -> Model {
    skel::text::parse(text).into_model().unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// `K` clients who share `S` servers: issue 4 has what they think on average.
fn client_server(clients: usize, servers: usize) -> Model {
    parsed(&format!(
        "Client = (think, 1).Wait; Wait = (request, infty).Busy; Busy = (serve, infty).Client;
         Server = (request, 5).Work; Work = (serve, 3).Reset; Reset = (reset, 20).Server;
         Client[{clients}] <request, serve> Server[{servers}]"
    ))
}

/// Every throughput, population and result line, or those of them that some bits choose.
fn measures(model: &Model, chosen: u64) -> Vec<Measure> {
    let throughputs = model.actions().map(|(_, name)| Measure::throughput_named(name));
    let populations = model.local_states().iter().map(|state| Measure::population_named(&state.name));
    let results = model.results().iter().map(|line| Measure::result_named(&line.name));
    let all = throughputs.chain(populations).chain(results).enumerate();
    all.filter(|(at, _)| chosen >> (at % 64) & 1 == 1).map(|(_, measure)| measure).collect()
}

/// The same measures of a steady state of the whole chain.
fn asked<N: Number>(pi: &SteadyState<Model, N>, chosen: u64) -> Vec<N> {
    let model = pi.space().model();
    let throughputs = model.actions().map(|(_, name)| pi.throughput_named(name).unwrap());
    let populations = model.local_states().iter().map(|state| pi.population_named(&state.name).unwrap());
    let results = model.results().iter().map(|line| pi.result_named(&line.name).unwrap());
    let all = throughputs.chain(populations).chain(results).enumerate();
    all.filter(|(at, _)| chosen >> (at % 64) & 1 == 1).map(|(_, value)| value).collect()
}

/// The number of blocks of the coarsest lumping that keeps the chosen measures, over the reference semantics,
/// by parting states until nothing changes.
fn blocks_of_reference(model: &Model, chosen: u64) -> usize {
    let graph = skel::explore::explore::<Ratio>(model, 10_000).unwrap();
    let rewards = |state: usize| -> Vec<Ratio> {
        let (local, row) = (&graph.states[state], &graph.transitions[state]);
        let throughputs = model.actions().map(|(wanted, _)| {
            row.iter().filter(|(action, ..)| *action == wanted).map(|(_, rate, _)| rate).sum::<Ratio>()
        });
        let populations = (0..model.local_states().len())
            .map(|at| ratio(local.iter().filter(|here| here.index() == at).count() as i64, 1));
        let results = model.results().iter().map(|line| {
            let matches =
                line.pattern.iter().zip(local).all(|(wanted, here)| wanted.is_none_or(|it| it == *here));
            ratio(matches.into(), 1)
        });
        let all = throughputs.chain(populations).chain(results).enumerate();
        all.filter(|(at, _)| chosen >> (at % 64) & 1 == 1).map(|(_, value)| value).collect()
    };
    let number = |keys: Vec<_>| -> (Vec<usize>, usize) {
        let mut known = BTreeMap::new();
        let of = keys.into_iter().map(|key| {
            let next = known.len();
            *known.entry(key).or_insert(next)
        });
        (of.collect(), known.len())
    };
    let states = 0..graph.states.len();
    let (mut of, mut count) = number(states.clone().map(|at| (0, rewards(at), BTreeMap::new())).collect());
    loop {
        let into_others = |state: usize| {
            let mut into: BTreeMap<usize, Ratio> = BTreeMap::new();
            for (_, rate, target) in &graph.transitions[state] {
                let block = of[*target as usize];
                if block != of[state] {
                    *into.entry(block).or_insert_with(|| ratio(0, 1)) += rate;
                }
            }
            into
        };
        let (refined, more) =
            number(states.clone().map(|at| (of[at], Vec::new(), into_others(at))).collect());
        if more == count {
            return count;
        }
        (of, count) = (refined, more);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn it_has_the_measures_of_the_whole_chain_and_is_the_coarsest(
        bytes in prop::collection::vec(any::<u8>(), 0..80),
        chosen in any::<u64>(),
    ) {
        let model = parsed(&model_text(&bytes));
        let space = model.explore().unwrap();
        let measures = measures(&model, chosen);
        let quotient = space.quotient_exact(&measures).unwrap();
        prop_assert_eq!(space.quotient(&measures).unwrap().states(), quotient.states());
        prop_assert_eq!(blocks_of_reference(&model, chosen), quotient.states());
        for storage in [Storage::Explicit, Storage::Bitset] {
            let options = Options { storage, ..Options::default() };
            let other = model.explorer().options(&options).explore().unwrap();
            prop_assert_eq!(other.quotient(&measures).unwrap().states(), quotient.states());
        }
        // Fractions grow fast.
        prop_assume!(space.states() <= 40);
        let Ok(pi) = space.steady_state_exact() else { return Ok(()) };
        let figures = quotient.steady_state_exact().unwrap();
        let found: Vec<Ratio> = measures.iter().map(|measure| figures.value(measure).unwrap()).collect();
        prop_assert_eq!(&found, &asked(&pi, chosen));
        let floats = space.quotient(&measures).unwrap().steady_state().unwrap();
        for ((what, float), exact) in floats.values().zip(found) {
            let exact = exact.to_float();
            prop_assert!((float - exact).abs() <= 1e-10 * exact, "{}: {} {}", what, float, exact);
        }
    }

    #[test]
    fn copies_are_lumped_as_symmetry_lumps_them_or_more(
        bytes in prop::collection::vec(any::<u8>(), 0..30),
        copies in 2..5_usize,
    ) {
        let text = model_text(&bytes);
        let (definitions, _) = text.split_once("seen").unwrap();
        let (definitions, system) = definitions.trim_end().rsplit_once('\n').unwrap();
        let model = parsed(&format!("{definitions}\nS = {}\nS[{copies}]", system.trim_start()));
        let limits = Limits { states: 3_000, ..Limits::default() };
        let Ok(space) = model.explorer().limits(&limits).explore() else { return Ok(()) };
        let lumped = model.explorer().lumped().explore().unwrap();
        let all = measures(&model, u64::MAX);
        let quotient = space.quotient(&all).unwrap();
        prop_assert!(quotient.states() <= lumped.states());
        let of_lumped = lumped.quotient(&all).unwrap();
        prop_assert_eq!(of_lumped.states(), quotient.states());
        let (Ok(one), Ok(other)) = (quotient.steady_state(), of_lumped.steady_state()) else { return Ok(()) };
        for ((what, one), (_, other)) in one.values().zip(other.values()) {
            prop_assert!((one - other).abs() <= 1e-10 * one, "{}: {} {}", what, one, other);
        }
    }
}

#[test]
fn clients_and_servers_are_counted() {
    let thinking = Measure::population_named("Client");
    let space = client_server(10, 2).explore().unwrap();
    let quotient = space.quotient(from_ref(&thinking)).unwrap();
    assert_eq!((space.states(), quotient.states()), (36_096, 62));
    let value = quotient.steady_state().unwrap().value(&thinking).unwrap();
    assert!((value - 3.426_349_362_08).abs() < 1e-11, "{value}");
    let small = client_server(4, 2);
    let exact = small.explore().unwrap().quotient_exact(from_ref(&thinking)).unwrap();
    let lumped = small.explorer().lumped().explore().unwrap();
    assert_eq!(lumped.quotient_exact(from_ref(&thinking)).unwrap().states(), exact.states());
    let (one, other) = (exact.steady_state_exact().unwrap(), lumped.steady_state_exact().unwrap());
    assert_eq!(one.value(&thinking).unwrap(), other.population_named("Client").unwrap());
}

#[test]
fn several_threads_find_the_same_blocks() {
    // 36,096 states are read in two parts, a list of 59,049 in three.
    let stages = (0..10).map(|at| format!("(m{at}, infty).(w{at}, {}).(m{}, infty).S{at};", at + 1, at + 1));
    let pipeline: String = stages.enumerate().map(|(at, stage)| format!("S{at} = {stage} ")).collect();
    let moves: String = (0..=10).map(|at| format!("M{at} = (m{at}, 20).M{at}; ")).collect();
    let stages: Vec<String> = (0..10).map(|at| format!("S{at}")).collect();
    let system = (1..10).fold(stages[0].clone(), |left, at| format!("({left} <m{at}> {})", stages[at]));
    let names: Vec<String> = (0..=10).map(|at| format!("m{at}")).collect();
    let movers: Vec<String> = (0..=10).map(|at| format!("M{at}")).collect();
    let text = format!("{pipeline} {moves} {system} <{}> ({})", names.join(", "), movers.join(" || "));
    for (model, measure) in [
        (client_server(10, 2), Measure::population_named("Client")),
        (parsed(&text), Measure::throughput_named("w3")),
    ] {
        let space = model.explorer().storage(Storage::Explicit).explore().unwrap();
        assert!(space.states() > 36_000, "{}", space.states());
        let [one, two, three] = [1, 2, 3].map(|threads| {
            let limits = Limits { threads: std::num::NonZeroUsize::new(threads), ..Limits::default() };
            space.quotient_within(from_ref(&measure), &limits).unwrap()
        });
        assert!(one.states() > 10);
        for other in [two, three] {
            assert!((0..space.states()).all(|state| one.block_of(state) == other.block_of(state)));
            assert_eq!(one.generator().matrix(), other.generator().matrix());
        }
    }
}

#[test]
fn every_golden_model_keeps_each_throughput_alone() {
    let golden: serde_json::Value = serde_json::from_str(include_str!("seeds/golden.json")).unwrap();
    let mut fewer = 0;
    for golden in golden.as_array().unwrap() {
        let space = parsed(golden["text"].as_str().unwrap()).explore().unwrap();
        for (action, value) in golden["throughput"].as_object().unwrap() {
            let measure = Measure::throughput_named(action);
            let quotient = space.quotient(from_ref(&measure)).unwrap();
            fewer += usize::from(quotient.states() < space.states());
            let found = quotient.steady_state().unwrap().value(&measure).unwrap();
            let expected = golden["throughput_float"][action].as_f64().unwrap();
            assert!((found - expected).abs() <= 1e-10 * expected, "{} {action}", golden["name"]);
            // Fractions grow fast.
            if quotient.states() <= 30 {
                let exact = space.quotient_exact(from_ref(&measure)).unwrap();
                let found = exact.steady_state_exact().unwrap().value(&measure).unwrap();
                assert_eq!(found.to_string(), value.as_str().unwrap(), "{} {action}", golden["name"]);
            }
        }
    }
    assert!(fewer > 30, "{fewer}");
}

#[test]
fn what_nobody_asks_for_is_forgotten() {
    let space = parsed("P = (a, 1).Q; Q = (b, 2).P; R = (c, 3).R1; R1 = (d, 4).R; P || P || R || R")
        .explore()
        .unwrap();
    let states = |measures: &[Measure]| space.quotient(measures).unwrap().states();
    assert_eq!(space.states(), 16);
    assert_eq!(states(&[]), 1);
    assert_eq!(states(&[Measure::throughput_named("a")]), 3);
    assert_eq!(states(&[Measure::probability_of("Q || ** || ** || **")]), 2);
    assert_eq!(states(&[Measure::probability_of("Q || Q || ** || **")]), 3);
    assert_eq!(states(&[Measure::population_named("Q"), Measure::throughput_named("d")]), 9);
    // Every copy for itself: nothing is left to lump.
    let each = ["Q || ** || ** || **", "** || Q || ** || **", "** || ** || R1 || **", "** || ** || ** || R1"];
    assert_eq!(states(&each.map(Measure::probability_of)), 16);
}

/// Several actions together are the sum of each, lumped or not, and however often one is named.
#[test]
fn throughputs_together_are_their_sum() {
    let model = parsed(
        "A = (a, 1).A1; A1 = (c, 2).A; B = (b, 1).B1; B1 = (c, 2).B; C = (d, 3).C1; C1 = (e, 1).C; A || B || C",
    );
    for is_lumped in [true, false] {
        let options = Options { is_lumped, ..Options::default() };
        let space = model.explorer().options(&options).explore().unwrap();
        assert_eq!(space.states(), if is_lumped { 6 } else { 8 });
        let together = Measure::throughputs_named(&["a", "b", "d", "a"]);
        let quotient = space.quotient_exact(from_ref(&together)).unwrap();
        let pi = quotient.steady_state_exact().unwrap();
        // Two parts at two thirds each, and one at three quarters.
        assert_eq!(pi.value(&together).unwrap(), ratio(25, 12));
        let missing = space.quotient(&[Measure::throughputs_named(&["a", "f"])]).unwrap_err();
        assert!(missing.to_string().contains("`f`"), "{missing}");
    }
}

#[test]
fn sums_are_compared_as_fractions() {
    // A half, a third and a sixth are one, in any order; three tenths are not one and two of them in `f64`.
    let model = parsed(
        "P = (a, 1/2).P1 + (a, 1/3).P2 + (a, 1/6).P3; P1 = (b, 1/10).P + (b, 2/10).P; P2 = (b, 0.3).P;
         P3 = (b, 3/10).P; P",
    );
    let space = model.explore().unwrap();
    let b = Measure::throughput_named("b");
    assert_eq!((space.states(), space.quotient(from_ref(&b)).unwrap().states()), (4, 2));
    // Floats hardly tell these rates apart, but they do: nothing is lumped.
    let near = parsed("P = (a, 1).P1 + (a, 1).P2; P1 = (b, 1).P; P2 = (b, 1.000000000000001).P; P");
    let near = near.explore().unwrap();
    assert_eq!(near.quotient(from_ref(&b)).unwrap().states(), 3);
    // Fractions tell these apart and floats don't.
    let text = "P = (a, 1).P1 + (a, 1).P2; P1 = (b, 1).P; P2 = (b, 1.00000000000000000000001).P; P";
    let nearer = parsed(text).explore().unwrap();
    assert_eq!(nearer.quotient(from_ref(&b)).unwrap().states(), 2);
    let exact = nearer.quotient_exact(from_ref(&b)).unwrap();
    assert_eq!(exact.states(), 3);
    assert_eq!(
        exact.steady_state_exact().unwrap().value(&b).unwrap(),
        nearer.steady_state_exact().unwrap().throughput_named("b").unwrap()
    );
}

#[test]
fn stiff_rates_change_nothing() {
    let text = "Off = (up, 1e-9).On; On = (down, 1e9).Off + (spin, 3e12).On1; On1 = (back, 1/7).On; Off[5]";
    let space = parsed(text).explore().unwrap();
    let all = measures(space.model(), u64::MAX);
    let quotient = space.quotient(&all).unwrap();
    assert_eq!((space.states(), quotient.states()), (243, 21));
    let exact = space.quotient_exact(&all).unwrap().steady_state_exact().unwrap();
    for ((what, float), (_, exact)) in quotient.steady_state().unwrap().values().zip(exact.values()) {
        let exact = exact.to_float();
        assert!((float - exact).abs() <= 1e-12 * exact, "{what}: {float} {exact}");
    }
}

#[test]
fn another_measure_or_name_is_refused() {
    let space = parsed("P = (go, 1).Q; Q = (back, 3).P; P || P").explore().unwrap();
    let refused = |measure: Measure| space.quotient(&[measure]).unwrap_err().to_string();
    assert_eq!(refused(Measure::throughput_named("og")), "the model has no action `og`; did you mean `go`?");
    assert_eq!(refused(Measure::population_named("R")), "the model has no local state `R`");
    assert!(refused(Measure::probability_of("Q")).contains("the pattern has 1 entry"));
    assert_eq!(refused(Measure::result_named("x")), "the model has no result `x`");
    let kept = [Measure::throughput_named("go"), Measure::utilisation_named("Q")];
    let figures = space.quotient(&kept).unwrap().steady_state().unwrap();
    assert!((figures.value(&kept[1]).unwrap() - 0.25).abs() < 1e-12);
    assert_eq!(
        figures.value(&Measure::probability_of("P || P")).unwrap_err().to_string(),
        "the quotient does not keep the pattern `P || P`; it keeps the throughput of `go`, the utilisation of `Q`"
    );
    let lumped = parsed("P = (go, 1).Q; Q = (back, 3).P; P || P").explorer().lumped().explore().unwrap();
    let refusal = lumped.quotient(&[Measure::probability_of("P || **")]).unwrap_err().to_string();
    assert_eq!(
        refusal,
        "the pattern `P || **` tells apart components that were lumped; explore without lumping for it"
    );
}

#[test]
fn classes_in_which_the_same_happens_are_one() {
    let text = "Toss = (heads, 1).H + (tails, 3).T; H = (win, 2).H1; H1 = (rest, 2).H; T = (win, 2).T1;
        T1 = (rest, 2).T; Toss";
    let space = parsed(text).explore().unwrap();
    assert!(space.steady_state().is_err());
    let win = Measure::throughput_named("win");
    let figures = space.quotient_exact(from_ref(&win)).unwrap().steady_state_exact().unwrap();
    assert_eq!(figures.quotient().states(), 3);
    assert_eq!(figures.probabilities(), [ratio(0, 1), ratio(1, 2), ratio(1, 2)]);
    assert_eq!(figures.value(&win).unwrap(), ratio(1, 1));
    let refusal = space.quotient(&[Measure::population_named("T")]).unwrap().steady_state().unwrap_err();
    let refusal = refusal.to_string();
    assert!(refusal.contains("2 recurrent classes") && refusal.contains("tails"), "{refusal}");
    let ended = parsed(
        "P = (a, 1).Q; Q = (b, 1).R + (b, 1).S; R = (c, 1).R; S = (d, 1).S1; S1 = (e, 1).S2; S2 = (d, 1).S; P",
    );
    let space = ended.explore().unwrap();
    let refusal =
        space.quotient(&[Measure::throughput_named("c")]).unwrap().steady_state().unwrap_err().to_string();
    assert!(refusal.contains("2 recurrent classes") && !refusal.contains("deadlock"), "{refusal}");
}

fn stopped<T>(outcome: Result<T, skel::Error>) -> Stopped {
    match outcome {
        Err(skel::Error::Stopped(stopped)) => stopped,
        Err(other) => panic!("not a limit: {other}"),
        Ok(_) => panic!("not stopped"),
    }
}

#[test]
fn limits_are_kept_and_named() {
    let space = parsed("P = (on, 1).Q; Q = (off, 2).P; P[12]").explore().unwrap();
    let on = [Measure::throughput_named("on")];
    let tight = Limits { memory: space.memory() + 1000, ..Limits::default() };
    for refused in
        [stopped(space.quotient_within(&on, &tight)), stopped(space.quotient_exact_within(&on, &tight))]
    {
        assert_eq!(refused.limit, Limit::Memory(tight.memory));
        assert!(refused.to_string().ends_with(": 4096 states parted into 0 blocks"), "{refused}");
    }
    let ample = Limits { memory: space.memory() + (2 << 20), ..Limits::default() };
    let quotient = space.quotient_within(&on, &ample).unwrap();
    assert_eq!(quotient.states(), 13);
    assert!(matches!(
        stopped(quotient.solver().options(&Default::default()).limits(&tight).solve()).limit,
        Limit::Memory(_)
    ));
    let at_once = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    assert_eq!(stopped(space.quotient_within(&on, &at_once)).limit, Limit::Time(Duration::ZERO));
    let cancelled = Limits::default();
    cancelled.cancellation.cancel();
    let cancelled = stopped(space.quotient_exact_within(&on, &cancelled));
    assert_eq!(
        (cancelled.limit, cancelled.reached),
        (Limit::Cancelled, Reached::Refining { blocks: 0, states: 4096 })
    );
}

#[test]
fn progress_is_reported_and_may_cancel() {
    let space = parsed("P = (on, 1).Q; Q = (off, 2).P; P[15]").explore().unwrap();
    let limits = Limits::default();
    let (switch, seen) = (limits.cancellation.clone(), Arc::new(Mutex::new(Vec::new())));
    let reports = Arc::clone(&seen);
    let progress = move |progress| {
        reports.lock().unwrap().push(progress);
        switch.cancel();
    };
    let limits = Limits { progress: Some(Arc::new(progress)), ..limits };
    // Exact rates of half a million transitions take longer than a tenth of a second.
    let stopped = stopped(space.quotient_exact_within(&[Measure::throughput_named("on")], &limits));
    assert_eq!(stopped.limit, Limit::Cancelled);
    assert!(matches!(seen.lock().unwrap()[..], [Progress::Refining { states: 32_768, .. }]));
}
