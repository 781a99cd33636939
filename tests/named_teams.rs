//! Maps, fault-tolerant stages and maps with state as items, given their functions by name.
#![allow(
    clippy::redundant_closure_for_method_calls,
    reason = "a user writes closures, whose types have to be found"
)]

use skel::prelude::*;
use skel::run::{Control, StateOr};

pipe! {
    /// Counts the words of lines, in parts.
    skeleton Words { task("split", 1e6), map(3, "count", 1e6), task("show", 1e6) }
}

#[test]
fn a_map_takes_parts_of_what_the_task_before_makes() {
    let (shown, report) = Words::new()
        .run()
        .split(|line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>())
        .count(|words| words.into_iter().map(|word| word.len()).sum::<usize>())
        .show(|counts| counts.iter().map(usize::to_string).collect::<Vec<_>>().join("+"))
        .collect(["a bb ccc", "a bb ccc dddd", ""])
        .unwrap();
    assert_eq!(shown, ["1+2+3", "3+3+4", "0+0+0"]);
    assert_eq!(report.task(Words::count).replicas, 3);
}

#[test]
fn results_are_reduced_and_policies_follow() {
    let (shown, report) = Words::new()
        .run()
        .split(|line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>())
        .try_count_with(
            || 0,
            |seen, words| {
                *seen += words.len();
                words.iter().try_fold(0, |sum, word| word.parse::<u32>().map(|number| sum + number))
            },
        )
        .reduce(|a, b| a + b)
        .skip_failures()
        .show(|sum| sum + 1)
        .collect(["1 2 3 4", "1 b", "5 6 7"])
        .unwrap();
    assert_eq!((shown, report.skipped()), (vec![11, 19], 1));
}

pipe! {
    skeleton Sums { map(2, "sum", 1e6) }
}

#[test]
fn a_map_alone_takes_items_of_the_source() {
    let control = Control::new();
    let (sums, _) = Sums::new()
        .run()
        .sum(|part: std::ops::Range<u64>| part.sum::<u64>())
        .reduce(|a, b| a + b)
        .controlled_by(&control)
        .collect([0..10, 5..5, 0..101_u64])
        .unwrap();
    assert_eq!(sums, [45, 0, 5050]);
}

pipe! {
    /// Three square roots vote.
    skeleton Roots { task("read", 1e6), fault_tolerant(3, "root", 1e6, early), task("write", 1e6) }
}

#[test]
fn functions_vote() {
    let offset = 0;
    let (roots, _) = Roots::new()
        .run()
        .read(|text: &str| text.parse::<u64>().unwrap())
        .root(
            |number| number.isqrt(),
            |number| (0..).take_while(|root| root * root <= *number).count() as u64 - 1 + offset,
            |_| 7,
        )
        .write(|root| root.to_string())
        .collect(["16", "49", "90"])
        .unwrap();
    assert_eq!(roots, ["4", "7", "9"]);

    let (roots, report) = Roots::new()
        .run()
        .read(|text: &str| text.parse::<u64>().unwrap())
        .try_root(
            |number| Ok(*number),
            |number| if *number > 50 { Err("too large") } else { Ok(*number) },
            |number| Ok(number / 2 * 2),
        )
        .skip_failures()
        .write(|root| root)
        .collect(["16", "49", "90", "91"])
        .unwrap();
    assert_eq!((roots, report.skipped()), (vec![16, 49, 90], 1));
}

pipe! {
    skeleton Search { task("read", 1e6), map_with_state(4, "find", 1e6, state(1e5, 10)), task("write", 1e6) }
}

#[test]
fn a_state_is_scattered_and_items_are_shown_to_all() {
    let inputs = [
        StateOr::State(0..100),
        StateOr::Item(30),
        StateOr::Item(70),
        StateOr::State(0..50),
        StateOr::Item(70),
    ];
    let (found, report) = Search::new()
        .run()
        .read(|input: StateOr<std::ops::Range<u32>, u32>| input)
        .find(|part, item| part.contains(item).then_some(*item))
        .reduce(|a, b| a.or(b))
        .write(|found| found)
        .collect(inputs.clone())
        .unwrap();
    assert_eq!((found, report.states()), (vec![Some(30), Some(70), None], 2));

    let (found, _) = Search::new()
        .run()
        .read(|input: StateOr<std::ops::Range<u32>, u32>| input)
        .find_with(|part| part.start, |start, item| start + item)
        .write(|found| found)
        .collect(inputs)
        .unwrap();
    assert_eq!(found[0], [30, 55, 80, 105]);
}
