//! Laws of timers over random programs: nested segments, segments inside of themselves, panics, and several
//! threads.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use proptest::prelude::*;
use skel_fit::runs::Trial;
use skel_fit::timer::{ProcessTimer, Segment, Take, Timer};

const SEGMENTS: [&str; 4] = ["zero", "one", "two", "three"];

/// A pass of a segment with passes inside of it, perhaps until it panics.
#[derive(Clone, Debug)]
struct Pass {
    segment: usize,
    inside: Vec<Pass>,
    panics: bool,
}

fn passes() -> impl Strategy<Value = Vec<Pass>> {
    let leaf = (0..4_usize, prop::bool::weighted(0.1)).prop_map(|(segment, panics)| Pass {
        segment,
        inside: vec![],
        panics,
    });
    let pass = leaf.prop_recursive(4, 40, 4, |pass| {
        (0..4_usize, prop::collection::vec(pass, 0..4), prop::bool::weighted(0.1))
            .prop_map(|(segment, inside, panics)| Pass { segment, inside, panics })
    });
    prop::collection::vec(pass, 0..6)
}

/// Without the message of a panic.
fn quietly(work: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(work));
}

fn run(process: &ProcessTimer<'_>, segments: &[Segment; 4], pass: &Pass) {
    quietly(|| {
        process.time(segments[pass.segment], || {
            for inner in &pass.inside {
                run(process, segments, inner);
            }
            std::hint::black_box((0..50).fold(1_u64, |product, factor| product.wrapping_mul(factor | 3)));
            if pass.panics {
                resume_unwind(Box::new("as the test wants it"));
            }
        });
    });
}

/// How often each segment is passed, but for passes that panic or lie inside of a pass of the same segment.
fn count(pass: &Pass, around: &mut Vec<usize>, counts: &mut [u64; 4]) {
    if !pass.panics && !around.contains(&pass.segment) {
        counts[pass.segment] += 1;
    }
    around.push(pass.segment);
    pass.inside.iter().for_each(|inner| count(inner, around, counts));
    around.pop();
}

fn counts(passes: &[Pass]) -> [u64; 4] {
    let mut counts = [0; 4];
    passes.iter().for_each(|pass| count(pass, &mut Vec::new(), &mut counts));
    counts
}

proptest! {
    /// All time belongs to one segment, and the outermost one has all of it.
    #[test]
    fn own_times_add_up(passes in passes()) {
        let (timer, [whole, zero, one, two, three]) = Timer::new(["whole", "zero", "one", "two", "three"]);
        let segments = [zero, one, two, three];
        let process = timer.process(0, "bio");
        process.time(whole, || passes.iter().for_each(|pass| run(&process, &segments, pass)));
        drop(process);
        let times = timer.times();
        let all = &times.of(whole)[0];
        let own: f64 = segments.iter().flat_map(|&segment| times.of(segment)).map(|time| time.own).sum();
        // Each time is rounded to whole nanoseconds.
        prop_assert!((own + all.own - all.seconds).abs() < 1e-8, "{own} + {} is not {}", all.own, all.seconds);
        for time in segments.iter().flat_map(|&segment| times.of(segment)) {
            prop_assert!(time.own <= time.seconds && time.seconds <= all.seconds + 1e-9);
        }
        let found = segments.map(|segment| times.of(segment).first().map_or(0, |time| time.passes));
        prop_assert_eq!(found, counts(&passes));
    }

    /// Threads have times of their own, also where several timers are of one process.
    #[test]
    fn threads_are_kept_apart(programs in prop::collection::vec((0..3_usize, passes()), 1..5)) {
        let (timer, segments) = Timer::new(SEGMENTS);
        std::thread::scope(|scope| {
            for (number, passes) in &programs {
                scope.spawn(|| {
                    let process = timer.process(*number, "bio");
                    passes.iter().for_each(|pass| run(&process, &segments, pass));
                });
            }
        });
        let times = timer.times();
        for (index, &segment) in segments.iter().enumerate() {
            for process in 0..3 {
                let of_process = programs.iter().filter(|(number, _)| *number == process);
                let expected: u64 = of_process.map(|(_, passes)| counts(passes)[index]).sum();
                let found = times.of(segment).iter().find(|time| time.process == process);
                prop_assert_eq!(found.map_or(0, |time| time.passes), expected);
            }
        }
    }
}

/// What the three ways to take seconds make of the same times.
#[test]
fn seconds_of_runs() {
    let (timer, [work, never]) = Timer::new(["work", "never"]);
    for (number, machine) in [(0, "intel"), (1, "intel"), (1, "intel"), (2, "bio")] {
        timer
            .process(number, machine)
            .time(work, || std::hint::black_box((0..20_000).map(|x| x ^ number).sum::<usize>()));
    }
    let times = timer.times();
    assert!(times.of(never).is_empty());
    let seconds: Vec<f64> = times.of(work).iter().map(|time| time.seconds).collect();
    let [zero, one, two] = seconds[..] else { panic!("{seconds:?}") };
    let near = |take: Take, expected: [f64; 2]| {
        let runs = times.runs(Trial::new(5.0).processes(3), take).unwrap();
        let found: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
        assert!(
            found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-15),
            "{found:?}"
        );
        assert_eq!(runs.machines(), ["bio", "intel"]);
    };
    near(Take::Slowest, [two, zero.max(one)]);
    near(Take::Sum, [two, zero + one]);
    near(Take::Pass, [two, (zero + one) / 3.0]);
}

/// A size that cannot be is refused, with the runs that it was given for.
#[test]
fn wrong_sizes_are_refused() {
    let (timer, [work]) = Timer::new(["work"]);
    timer
        .process(0, "")
        .time(work, || std::hint::black_box((0..10_000_u64).map(|item| item ^ 3).sum::<u64>()));
    let error = timer.times().runs(Trial::new(0.0), Take::Sum).unwrap_err();
    assert_eq!(error.to_string(), "line 1: `n` is 0; help: it must be above 0 and finite");
}

/// Processor time is that of the thread: the work of another one is not in it.
#[cfg(unix)]
#[test]
fn processor_time_is_of_one_thread() {
    let (timer, [wait, work]) = Timer::of_processor(["wait", "work"]);
    let process = timer.process(0, "bio");
    let busy = || {
        let begun = std::time::Instant::now();
        while begun.elapsed().as_millis() < 60 {
            std::hint::spin_loop();
        }
    };
    process.time(wait, || {
        std::thread::scope(|scope| {
            scope.spawn(|| timer.process(1, "bio").time(work, busy));
        });
    });
    drop(process);
    let times = timer.times();
    assert!(times.of(wait)[0].seconds < 0.03, "{:?}", times.of(wait));
    assert!(times.of(work)[0].seconds > 0.0);
}
