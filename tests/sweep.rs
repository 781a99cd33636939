//! Sweeps: the reference values of a grid, the same figures as single solutions, the same for any number of
//! threads, points that fail beside others, limits and cancellation.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use skel::Error;
use skel::limits::{Cancellation, Limit};
use skel::prelude::*;
use skel::steady;
use skel::sweep::{Values, rate_at, rate_of, replicas_at, replicas_of};

include_pepa!(model Buffer = "models/bounded_buffer.pepa");

pipe! { skeleton Images { task("read", 20.0), farm(1, "sharpen", 5.0), task("write", 30.0) } }

pepa! {
    model Shop {
        n = 4; thinking = 1; serving = 3;
        Client = (think, thinking).Waiting;
        Waiting = (serve, infty).Client;
        Server = (serve, serving).Server;
        Client[n] <serve> Server
    }
}

pipe! {
    /// 8748 states, so that the chain is iterated.
    skeleton Long {
        task("a", 3), task("b", 4), task("c", 2), task("d", 5), task("e", 3), task("f", 4), task("g", 2.5),
        task("h", 3)
    }
}

fn threads(number: usize) -> Limits {
    Limits { threads: NonZeroUsize::new(number), ..Limits::default() }
}

/// The value of a fraction as text.
fn value(fraction: &str) -> f64 {
    use skel::number::Number;
    fraction.parse::<Ratio>().unwrap().to_float()
}

#[test]
fn the_grid_of_the_bounded_buffer_has_its_reference_values() {
    // Computed exactly by an independent program: items and blocked, for each making and eating.
    let reference = [
        (1, 1, "16265/21112", "6441/42224"),
        (1, 2, "333558080/372150259", "5236371/372150259"),
        (1, 4, "1866740/2054887", "1473/2054887"),
        (3, 1, "1242332715/1369978102", "1663267851/2739956204"),
        (3, 2, "129840/81257", "24993/81257"),
        (3, 4, "64169956740/29602596787", "1795615533/29602596787"),
        (9, 1, "1133559585/1246974928", "2015335809/2493949856"),
        (9, 2, "50193550080/30144448339", "19548032211/30144448339"),
        (9, 4, "8958704855940/3181292657107", "1290010520853/3181292657107"),
    ];
    let sweep = Sweep::of_model(&Buffer::new()).unwrap();
    let sweep = sweep.vary(Buffer::making, [1, 3, 9]).vary("eating", [1, 2, 4]);
    let points: Vec<_> = sweep.points().unwrap().collect();
    assert_eq!(points.len(), reference.len());
    for (point, (making, eating, items, blocked)) in points.iter().zip(reference) {
        assert_eq!(point.values, [ratio(making, 1), ratio(eating, 1)]);
        let answer = point.answer.as_ref().unwrap();
        for (name, expected) in [("items", value(items)), ("blocked", value(blocked))] {
            let found = answer.result_named(name).unwrap();
            assert!((found - expected).abs() < 1e-14, "{name} at {:?}: {found}", point.values);
        }
    }
}

#[test]
fn each_point_has_the_figures_of_a_single_solution() {
    let sweep = Sweep::of_model(&Shop::new()).unwrap();
    let sweep = sweep.vary("n", 1..=12).vary(Shop::serving, Values::range(1, 3, 0.5).unwrap());
    for point in sweep.points().unwrap() {
        let [n, serving] = &point.values[..] else { panic!("two things vary") };
        let shop = Shop { n: n.to_string().parse().unwrap(), serving: serving.clone().into(), ..Shop::new() };
        let single = shop.explore().unwrap().steady_state().unwrap();
        let answer = point.answer.unwrap();
        assert_eq!(answer.space().states(), single.space().states());
        let (found, expected) = (answer.throughput_of(Shop::serve), single.throughput_of(Shop::serve));
        assert!((found - expected).abs() < 1e-9 * expected, "{n} {serving}: {found} {expected}");
    }
}

#[test]
fn lumping_changes_no_figure() {
    let sweep = || Sweep::of_model(&Shop::new()).unwrap().vary("n", [2, 8]).vary("thinking", [0.5, 2.0]);
    let pairs = sweep().points().unwrap().zip(sweep().lumped().points().unwrap());
    for (apart, lumped) in pairs {
        let (apart, lumped) = (apart.answer.unwrap(), lumped.answer.unwrap());
        assert!(lumped.space().states() < apart.space().states());
        let waiting = [&apart, &lumped].map(|answer| answer.population_of(Shop::Waiting));
        assert!((waiting[0] - waiting[1]).abs() < 1e-9, "{waiting:?}");
    }
}

#[test]
fn parts_that_are_equal_at_one_point_alone_are_not_lumped_elsewhere() {
    let text = "a = 1; b = 1; P = (go, a).Q; Q = (back, 3).P; R = (go, b).S; S = (back, 3).R; P || R";
    let model = Model::from_text(text).unwrap();
    let sweep = Sweep::of_model(&model).unwrap().lumped().vary("b", [1, 2, 3]);
    for point in sweep.points().unwrap() {
        let single =
            model.with_rates(&[(model.parameter_named("b").unwrap(), point.values[0].clone().into())]);
        let single = single.unwrap().explore().unwrap().steady_state().unwrap();
        let found = point.answer.unwrap().throughput_named("go").unwrap();
        assert!((found - single.throughput_named("go").unwrap()).abs() < 1e-14);
    }
}

#[test]
fn classes_that_lumping_would_join_are_told_apart() {
    let text = "mu = 1; Wait = (take, mu).Win; Win = (win, 2).Win; Lock = (take, infty).Taken; Taken = (rest, 1).Taken;
        (Wait || Wait) <take> Lock";
    let model = Model::from_text(text).unwrap();
    let sweep = Sweep::of_model(&model).unwrap().lumped().vary("mu", [1, 2]);
    for point in sweep.points().unwrap() {
        assert!(matches!(point.answer, Err(Error::SeveralRecurrentClasses(_))));
    }
}

/// The bits of all throughputs, and how often the whole was iterated.
fn bits_of_long_pipeline(number: usize) -> (Vec<u64>, u64) {
    let sweep = Sweep::of_program(&Long::new().communicating(10.0)).unwrap();
    let sweep =
        sweep.vary(rate_of(Long::b), [3.0, 4.0]).vary(rate_of(Long::c), 1..=10).limits(&threads(number));
    let answers: Vec<_> = sweep.points().unwrap().map(|point| point.answer.unwrap()).collect();
    let iterations = answers.iter().map(|answer| answer.steady_state().report().iterations).sum();
    (answers.iter().map(|answer| answer.throughput().to_bits()).collect(), iterations)
}

#[test]
fn figures_do_not_depend_on_the_number_of_threads() {
    let (one, iterations) = bits_of_long_pipeline(1);
    assert_eq!(one.len(), 20);
    assert!(iterations > 0, "the chain is eliminated, and no start counts");
    for number in [2, 3, 8, 40] {
        assert_eq!(bits_of_long_pipeline(number), (one.clone(), iterations), "{number} threads");
    }
}

#[test]
fn a_start_from_the_neighbour_saves_iterations() {
    let values = Values::range(2, 2.0007, 0.0001).unwrap();
    let sweep = Sweep::of_program(&Long::new().communicating(10.0)).unwrap();
    let sweep = sweep.vary(rate_of(Long::c), values);
    let iterations: Vec<u64> = sweep
        .points()
        .unwrap()
        .map(|point| point.answer.unwrap().steady_state().report().iterations)
        .collect();
    assert_eq!(iterations.len(), 8);
    assert!(iterations[1..].iter().all(|&count| count < iterations[0]), "{iterations:?}");
}

#[test]
fn a_program_varies_in_replicas_and_in_rates() {
    let program = Images::new().communicating(100.0);
    let sweep = Sweep::of_program(&program).unwrap();
    let sweep = sweep.vary(replicas_of(Images::sharpen), 1..=4).vary(rate_of(Images::read), [10.0, 20.0]);
    for point in sweep.points().unwrap() {
        let [replicas, rate] = &point.values[..] else { panic!("two things vary") };
        let text = format!(
            "pipe(task(\"read\", {rate}), farm({replicas}, \"sharpen\", 5), task(\"write\", 30)); communication(100);"
        );
        let single = skel::skeleton::text::parse(&text).program().unwrap().performance().unwrap();
        let found = *point.answer.unwrap().throughput();
        assert!((found - single.throughput()).abs() < 1e-9 * found, "{text}");
    }
}

#[test]
fn a_tree_and_a_text_vary_as_a_program_does() {
    let text = "n = 1; mu = 5; c = 100; pipe(task(20), farm(n, mu), task(30)); communication(c);";
    let parsed = skel::skeleton::text::parse(text);
    let program = parsed.program().unwrap();
    let farm = program.skeleton().top_level()[1];
    let worker = skel::skeleton::StageId(farm.0 + 1);
    let by_node =
        Sweep::of_program(&program).unwrap().vary(replicas_at(farm), 1..=3).vary(rate_at(worker), [5, 6]);
    let by_name = Sweep::of_skeleton_text(text, &[], Communication::default()).unwrap();
    let by_name = by_name.vary("n", 1..=3).vary("mu", [5, 6]);
    let pairs = by_node.points().unwrap().zip(by_name.points().unwrap());
    let mut states = Vec::new();
    for (one, other) in pairs {
        let (one, other) = (one.answer.unwrap(), other.answer.unwrap());
        assert_eq!(one.throughput().to_bits(), other.throughput().to_bits());
        states.push(one.steady_state().space().states());
    }
    assert!(states[0] == states[1] && states[1] < states[2] && states[3] < states[4], "{states:?}");
}

#[test]
fn moves_without_time_are_swept_as_well() {
    let text = "mu = 1; pipe(task(2), task(mu)); communication(none);";
    let sweep = Sweep::of_skeleton_text(text, &[], Communication::default()).unwrap().vary("mu", [1, 2, 3]);
    for point in sweep.points().unwrap() {
        let mu = value(&point.values[0].to_string());
        // With no buffer both begin an item together.
        let expected = 1.0 / (0.5 + 1.0 / mu - 1.0 / (2.0 + mu));
        assert!((point.answer.unwrap().throughput() - expected).abs() < 1e-12);
    }
}

#[test]
fn a_point_that_fails_leaves_the_others() {
    let limits = Limits { states: 20, ..Limits::default() };
    let sweep = Sweep::of_model(&Shop::new()).unwrap().vary("n", [2, 9, 3, 8, 4]).limits(&limits);
    let mut points = sweep.points().unwrap();
    let answers: Vec<_> = points.by_ref().map(|point| point.answer).collect();
    let is_solved: Vec<bool> = answers.iter().map(Result::is_ok).collect();
    assert_eq!(is_solved, [true, false, true, false, true]);
    let Err(Error::Stopped(stopped)) = &answers[1] else { panic!("nine clients have 512 states") };
    assert_eq!((stopped.limit, points.stopped()), (Limit::States(20), None));
}

#[test]
fn a_rate_that_follows_may_fail_at_some_points() {
    let text = "mu = 2; slow = mu - 2; P = (go, mu).Q; Q = (back, slow + 1).P; P";
    let model = Model::from_text(&text.replace("mu = 2", "mu = 5")).unwrap();
    // At the first point, whose states the others would share, the model cannot be built.
    let sweep = Sweep::of_model(&model).unwrap().vary("mu", [1, 2, 3, 4]);
    let answers: Vec<_> = sweep.points().unwrap().map(|point| point.answer).collect();
    let is_solved: Vec<bool> = answers.iter().map(Result::is_ok).collect();
    assert_eq!(is_solved, [false, false, true, true]);
    assert!(answers[0].as_ref().unwrap_err().to_string().contains("the rate `slow` is -1"));
}

#[test]
fn a_cancelled_sweep_keeps_what_is_solved() {
    let cancellation = Cancellation::default();
    let limits = Limits { cancellation: cancellation.clone(), ..threads(1) };
    let done = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&done);
    let sweep = Sweep::of_model(&Shop::new()).unwrap().vary("n", 1..=8).limits(&limits);
    let sweep = sweep.with_progress(move |now| {
        assert_eq!(now.total, 8);
        if counted.fetch_add(1, Ordering::SeqCst) == 4 {
            cancellation.cancel();
        }
    });
    let mut points = sweep.points().unwrap();
    let answers: Vec<_> = points.by_ref().map(|point| point.answer).collect();
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 5);
    for left in &answers[5..] {
        assert!(matches!(left, Err(Error::Stopped(stopped)) if stopped.limit == Limit::Cancelled));
    }
    assert_eq!((points.stopped(), done.load(Ordering::SeqCst)), (Some(Limit::Cancelled), 8));
}

#[test]
fn time_is_that_of_the_whole_or_of_each_point() {
    let over = Duration::from_nanos(1);
    let sweep = || Sweep::of_model(&Shop::new()).unwrap().vary("n", [3, 4]);
    let limits = Limits { time: Some(over), ..Limits::default() };
    let whole = sweep().limits(&limits);
    let each = sweep().time_per_point(over);
    for (sweep, stopped) in [(whole, Some(Limit::Time(over))), (each, None)] {
        let mut points = sweep.points().unwrap();
        for point in points.by_ref() {
            let Err(Error::Stopped(found)) = point.answer else { panic!("no time is left") };
            assert_eq!(found.limit, Limit::Time(over));
        }
        assert_eq!(points.stopped(), stopped);
    }
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let model = Shop::new();
    let sweep = Sweep::of_model(&model)
        .unwrap()
        .vary("serwing", [1])
        .vary("n", [1.0, 2.5])
        .vary(Shop::thinking, [1.0, -1.0])
        .vary(Shop::serving, [1])
        .vary("serving", [f64::NAN])
        .vary("n", Vec::<f64>::new())
        .vary("serving", [2]);
    let told: Vec<(Option<usize>, String)> =
        sweep.problems().into_iter().map(|problem| (problem.axis, problem.error.message)).collect();
    let expected = [
        (Some(0), "the model has no rate or size `serwing`"),
        (Some(1), "the size `n` is 2.5, which is not a whole number"),
        (Some(2), "the rate `thinking` is -1, which is negative"),
        (Some(4), "the rate `serving` is not a number (`NAN`)"),
        (Some(5), "there are no values to take"),
        (Some(6), "the same thing varies twice"),
    ];
    assert_eq!(told, expected.map(|(axis, message)| (axis, message.to_owned())));
    let Err(Error::NotBuilt(errors)) = sweep.points() else { panic!("it is wrong") };
    assert_eq!(errors.0.len(), expected.len());
}

#[test]
fn sweeps_have_a_size() {
    let sweep = || Sweep::of_model(&Shop::new()).unwrap();
    let message = |sweep: Sweep<_>| sweep.points().err().unwrap().to_string();
    assert!(message(sweep()).starts_with("nothing varies in the sweep"));
    let many = message(sweep().vary("n", 1..=1000).vary("thinking", 1..=1000));
    assert!(many.starts_with("the sweep has 1000000 points, more than 100000"), "{many}");
    assert!(message(sweep().vary("n", 1..=usize::MAX)).contains("the sweep has 100001 points"));
    let uneven = message(sweep().vary("n", 1..=3).vary("thinking", 1..=2).together());
    assert!(
        uneven.starts_with("values that go together are equally many, and here they are 3 and 2"),
        "{uneven}"
    );
    for (wrong, said) in [
        (Values::range(1, 5, 0), "the step of the range is 0"),
        (Values::range(1, 5, -1), "the step -1 leads from 1 away from 5"),
        (Values::range(1, f64::INFINITY, 1), "a range of numbers cannot go from 1 to inf by 1"),
        (Values::range(0, 1, 1e-9), "the range has 1000000001 values"),
        (Values::logarithmic(0, 1, 3), "an end of the logarithmic range is 0"),
        (Values::logarithmic(1, 2, 1), "a logarithmic range of 1 values"),
    ] {
        assert!(wrong.unwrap_err().to_string().starts_with(said), "{said}");
    }
    let wide = Values::logarithmic(1e-300, 1e300, 3).unwrap();
    assert_eq!(wide.as_slice()[1], Rate::from(1));
}

#[test]
fn a_program_says_what_of_it_cannot_vary() {
    let program = Images::new().communicating(100.0);
    let message = |varied| {
        let sweep = Sweep::of_program(&program).unwrap().vary(varied, [2]);
        sweep.points().err().unwrap().to_string()
    };
    let whole = program.skeleton().whole();
    assert!(message(replicas_of(Images::read)).starts_with("`read` has no replicas"));
    assert!(message(rate_of(whole)).starts_with("`pipe` has no rate of its own"));
    assert!(message("n".into()).starts_with("a program has no such thing"));
    let text = "n = 2; pipe(task(1), farm(n, 1)); communication(1);";
    let told = |name: &str, values: Values| {
        let sweep = Sweep::of_skeleton_text(text, &[], Communication::default()).unwrap().vary(name, values);
        sweep.points().err().unwrap().to_string()
    };
    assert!(
        told("m", [1].into()).starts_with("the skeleton defines no number `m`; help: what can vary is `n`")
    );
    assert!(
        told("n", [1.0, 2.5].into()).starts_with("with n = 2.5, the size `n` is 2.5, which is not a whole")
    );
    assert!(told("n", [0, 1].into()).starts_with("with n = 0, the farm has 0 replicas"));
    assert!(told("n", [f64::NAN].into()).starts_with("`n` cannot be NaN"));
}

#[test]
fn options_and_exploration_hold_for_each_point() {
    let options = steady::Options { method: steady::Method::Power, ..steady::Options::default() };
    let sweep = Sweep::of_model(&Shop::new()).unwrap().vary("thinking", [1, 2]).options(&options);
    for point in sweep.points().unwrap() {
        assert_eq!(point.answer.unwrap().report().method.to_string(), "power method");
    }
}
