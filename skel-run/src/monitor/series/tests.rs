//! Series: in bounded memory, written and read back.

use std::sync::Arc;
use std::time::Duration;

use crate::monitor::tests::{ended, task};
use crate::monitor::{Monitors, Sampling, Series, Snapshot, Watch};
use skel_core::skeleton::StageId;

fn monitors() -> Arc<Monitors> {
    Monitors::of(["read", "sharpen"].map(|name| (StageId(name.len() as u32), name.to_owned())))
}

/// Serves as many parcels as its thread can.
fn serve(monitors: &Monitors, parcels: usize) {
    let (first, second) = (monitors.replica(0), monitors.replica(1));
    let (mut first, mut second) = (Watch::new(&first), Watch::new(&second));
    for _ in 0..parcels {
        for watch in [&mut first, &mut second] {
            watch.took(1, true);
            watch.served(1);
            watch.gave(1, false);
        }
    }
}

#[test]
fn a_sampler_keeps_the_first_the_last_and_no_more_than_it_may() {
    let monitors = monitors();
    let sampler = Sampling::every(Duration::from_millis(1)).at_most(8).start(&monitors);
    serve(&monitors, 100);
    std::thread::sleep(Duration::from_millis(60));
    assert!(sampler.series().snapshots().len() <= 8);
    let series = sampler.stop();
    let snapshots = series.snapshots();
    assert!((2..=8).contains(&snapshots.len()), "{}", snapshots.len());
    assert_eq!(snapshots[0].tasks[0].replicas.len(), 0);
    assert_eq!(series.last().unwrap().tasks[1].items(), 100);
    assert!(snapshots.is_sorted_by_key(|snapshot| snapshot.at));
    // The windows are the whole.
    let items: u64 = series.windows().map(|window| window.tasks[1].items()).sum();
    assert_eq!(items, 100);
}

#[test]
fn a_sampler_that_is_dropped_leaves_no_thread() {
    let monitors = monitors();
    drop(Sampling::every(Duration::from_secs(3600)).start(&monitors));
    assert_eq!(Arc::strong_count(&monitors), 1);
}

#[test]
fn a_table_has_a_line_for_each_task_and_interval() {
    let beginning = Snapshot { at: Duration::ZERO, ..ended(&[task("read", &[]), task("a,\"b", &[])]) };
    let mut end = ended(&[task("read", &[(40, 60, 0)]), task("a,\"b", &[(25, 25, 50)])]);
    end.tasks[0].replicas[0].items = 3;
    end.tasks[1].queue = Some(2);
    let table = Series::of([beginning, end.clone()]).to_csv();
    let expected = "from_s,at_s,task,replicas,items,throughput,busy,starved,blocked,waiting,overhead,mean_service_s,scv,queue,skipped,retried,replaced\n\
        0,0.0000001,read,1,3,30000000,0.4,0.6,0,0,0,,,,0,0,0\n\
        0,0.0000001,\"a,\"\"b\",1,0,0,0.25,0.25,0.5,0,0,,,2,0,0,0\n";
    assert_eq!(table, expected);
    assert_eq!(end.to_csv(), expected);
}

#[cfg(feature = "json")]
mod json {
    use proptest::prelude::*;

    use super::*;
    use crate::monitor::{For, ReadErrors, ReplicaFigures, TaskFigures};

    #[test]
    fn a_run_is_read_back_as_it_was_written() {
        let monitors = monitors();
        let sampler = Sampling::every(Duration::from_millis(1)).start(&monitors);
        serve(&monitors, 1000);
        let series = sampler.stop();
        assert_eq!(Series::from_json_lines(&series.to_json_lines()), Ok(series));
    }

    fn time() -> impl Strategy<Value = Duration> {
        any::<u64>().prop_map(Duration::from_nanos)
    }

    prop_compose! {
        fn replica()(
            counts in any::<[u64; 11]>(),
            squares in any::<u128>(),
            times in [time(), time(), time(), time(), time(), time(), time(), time(), time(), time()],
            moments in proptest::option::of([time(), time(), time()]),
            waiting in proptest::option::of((0..3usize, time())),
        ) -> ReplicaFigures {
            let [served, items, taken, given, timed, in_hand, states, kept, skipped, retried, replaced] = counts;
            let [busy, starved, blocked, awaiting, overhead, service, timed_service, held, renewing, began] = times;
            ReplicaFigures {
                worker: moments.map(|_| served as usize),
                processor: waiting.map(|_| items as usize),
                served, items, taken, given, busy, starved, blocked, awaiting, overhead, timed, service, timed_service,
                squares,
                scv: crate::monitor::figures::scv(timed, timed_service, squares),
                in_hand, held, states, renewing, kept, skipped, retried, replaced, began,
                first_arrival: moments.map(|moments| moments[0]),
                last_departure: moments.map(|moments| moments[1]),
                left: moments.map(|moments| moments[2]),
                waiting: waiting.map(|(what, since)| ([For::Items, For::Room, For::Others][what], since)),
            }
        }
    }

    prop_compose! {
        fn snapshot()(
            from in time(),
            at in time(),
            name in ".{0,8}",
            id in any::<u32>(),
            queue in any::<Option<u64>>(),
            queued in time(),
            replicas in proptest::collection::vec(replica(), 0..3),
        ) -> Snapshot {
            Snapshot { from, at, tasks: vec![TaskFigures { id: StageId(id), name, queue, queued, replicas }] }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever the figures are, also those that no run has: none of what is asked of them panics.
        #[test]
        fn any_snapshot_is_read_back_and_answers(snapshot in snapshot(), other in snapshot()) {
            let read = Series::from_json_lines(&snapshot.to_json_line());
            prop_assert_eq!(read, Ok(Series::of([snapshot.clone()])));
            let series = Series::of([snapshot, other]);
            let _ = series.to_csv();
            for window in series.windows() {
                let whole: f64 = window.tasks.iter().map(|task| {
                    task.busy_fraction() + task.starved_fraction() + task.blocked_fraction() + task.waiting_fraction()
                        + task.overhead_fraction()
                }).sum();
                prop_assert!(whole == 0.0 || (whole - 1.0).abs() < 1e-9, "{}", whole);
                let _ = (window.items_inside(), window.mean_response_time(), window.throughput(), window.busiest());
            }
        }

        /// Whatever stands there, reading ends with a series or with errors.
        #[test]
        fn a_changed_text_is_no_panic(snapshot in snapshot(), at in any::<prop::sample::Index>(), new in any::<char>()) {
            let mut text: Vec<char> = snapshot.to_json_line().chars().collect();
            let place = at.index(text.len());
            text[place] = new;
            let _ = Series::from_json_lines(&text.into_iter().collect::<String>());
        }
    }

    fn errors(text: &str) -> String {
        Series::from_json_lines(text).map_err(|errors: ReadErrors| errors.to_string()).unwrap_err()
    }

    #[test]
    fn everything_wrong_is_named_with_its_line_and_field() {
        let mut snapshot = ended(&[task("read", &[(40, 60, 0)])]);
        let line = snapshot.to_json_line();
        let bad = line
            .replace("\"busy_ns\":40", "\"busy_ns\":\"forty\"")
            .replace("\"starved_ns\":60,", "")
            .replace("\"squares_ns2\":\"0\"", "\"squares_ns2\":\"0.5\"")
            .replace("\"waiting_for\":null", "\"waiting_for\":\"rain\"");
        insta::assert_snapshot!(errors(&format!("{line}\n\n{bad}\n")), @r#"
        line 3, `tasks[0].replicas[0].squares_ns2`: a whole number, as a text of digits, should stand here, and not "0.5"
        line 3, `tasks[0].replicas[0].busy_ns`: a whole number from 0 on should stand here, and not "forty"
        line 3, `tasks[0].replicas[0].starved_ns`: this field is missing
        line 3, `tasks[0].replicas[0].waiting_for`: "items", "room", "others" or null should stand here, and not "rain"
        "#);
        insta::assert_snapshot!(errors("{ \"version\": 2 }"), @"line 1, `version`: this is written in another version of the format; version 1 can be read");
        insta::assert_snapshot!(errors("[1]"), @"line 1: an object should stand here, and not [1]");
        insta::assert_snapshot!(errors("{ \"version\": 1"), @"line 1: this is not JSON: EOF while parsing an object at line 1 column 14");
        snapshot.at = Duration::ZERO;
        snapshot.tasks[0].name = "write".to_owned();
        snapshot.tasks[0].replicas.clear();
        insta::assert_snapshot!(errors(&format!("{line}\n{}", snapshot.to_json_line())), @r"
        line 2, `at_ns`: 0 is before 100, the time of the snapshot before
        line 2, `tasks[0].name`: a run has the same tasks all the time; here was `read`
        line 2, `tasks[0].replicas`: replicas that have left stay in the list; here are 0, and there were 1
        ");
        let many = ["[]"; 12].join("\n");
        assert!(errors(&many).ends_with("\nand 2 more"));
    }
}

#[cfg(feature = "chart")]
#[test]
fn a_chart_has_every_task_or_says_what_is_missing() {
    let beginning = Snapshot { at: Duration::ZERO, ..ended(&[task("read", &[]), task("sharpen", &[])]) };
    let end = ended(&[task("read", &[(40, 60, 0)]), task("sharpen", &[(25, 25, 50), (100, 0, 0)])]);
    let chart = Series::of([beginning, end.clone()]).to_svg().unwrap();
    for text in ["items per second", "busy", "replicas", "seconds", "read", "sharpen"] {
        assert!(chart.contains(text), "{text}");
    }
    let nothing = Series::of([end]).to_svg().unwrap_err();
    assert_eq!(
        nothing.to_string(),
        "a chart needs two snapshots and a task; there are 1 and 2. Sample at shorter intervals"
    );
}
