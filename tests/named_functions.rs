//! Skeletons that are items, given a function for each task by its name.
#![allow(
    clippy::redundant_closure_for_method_calls,
    reason = "a user writes closures, whose types have to be found"
)]

use skel::prelude::*;

pipe! {
    /// Reads images, sharpens them, writes them.
    pub skeleton Images { task("read", 20.0), farm(3, "sharpen", 5.0), task("write", 30.0) }
}

struct Picture(u32);
struct Sharp(u32);

impl Picture {
    fn sharpened(self) -> Sharp {
        Sharp(10 * self.0)
    }
}

#[test]
fn each_task_is_given_what_the_one_before_makes() {
    let mut read = 0;
    let mut written = Vec::new();
    let report = Images::new()
        .communicating(1e6)
        .buffers(4)
        .run()
        .read(|number: u32| {
            read += 1;
            Picture(number)
        })
        .sharpen(|picture| picture.sharpened())
        .write(|sharp| written.push(sharp.0))
        .over(0..100)
        .unwrap();
    assert_eq!(read, 100);
    assert_eq!(written, (0..100).map(|number| 10 * number).collect::<Vec<u32>>());
    let _: StageOf<Images, Task> = Images::sharpen;
    drop::<skel::run::Report<Images>>(report);
}

#[test]
fn a_skeleton_runs_without_rates_of_its_moves() {
    let (sharp, _) = Images::new()
        .run()
        .read(Picture)
        .sharpen(Picture::sharpened)
        .write(|sharp| sharp.0)
        .collect(vec![1, 2, 3])
        .unwrap();
    assert_eq!(sharp, [10, 20, 30]);
}

#[test]
fn states_and_errors() {
    let run = Images::new()
        .run()
        .try_read_with(
            || 100,
            |count, text: &str| {
                *count += 1;
                text.parse().map(|number: u32| number + *count)
            },
        )
        .skip_failures()
        .sharpen_with(String::new, |scratch, number| {
            scratch.clear();
            scratch.push_str(&number.to_string());
            scratch.chars().rev().collect::<String>()
        })
        .try_write(|text| if text.starts_with('3') { Err("it begins with 3") } else { Ok(text) });
    let error = run.collect(["1", "two", "3", "4", "5", "x", "96", "3"]).unwrap_err();
    assert!(error.to_string().contains("it begins with 3"), "{error}");
}

#[test]
fn an_item_is_tried_again() {
    let mut attempts = 0;
    let (sharp, _) = Images::new()
        .run()
        .read(|number: u32| number)
        .try_sharpen(|number| if number < 3 { Ok(number) } else { Err(format!("{number} is too large")) })
        .retry(2)
        .skip_failures()
        .try_write(|number| {
            attempts += 1;
            if attempts % 3 == 0 { Ok(number) } else { Err("try again") }
        })
        .retry(2)
        .collect(0..10)
        .unwrap();
    assert_eq!((sharp, attempts), (vec![0, 1, 2], 9));
}

pipe! {
    /// Counts and rates are parameters.
    skeleton Sized(n: usize, mu: f64) {
        task("first", mu), deal(n, pipe(task("left", 1.0), farm(n, "right", mu))), task("last", 1.0),
    }
}

farm! { skeleton Farm1 { 2, "worker", 2.0 } }

task! { skeleton Alone { "only", 1.0 } }

#[test]
fn any_structure_has_its_functions_in_a_row() {
    for n in 1..4 {
        let mut count = 0;
        let (made, _) = Sized::new(n, 2.0)
            .run()
            .first(|number: u64| {
                count += 1;
                (count, number)
            })
            .left(|(count, number)| format!("{count}{number}"))
            .right(|text| text + "!")
            .last(|text| text.len())
            .collect(8..12)
            .unwrap();
        assert_eq!(made, [3, 3, 4, 4]);
    }
    let worker = Farm1::new().run().worker(|number: i32| -number).collect(0..3).unwrap().0;
    assert_eq!(worker, [0, -1, -2]);
    let only = Alone::new().run().only(|text: &str| text.len()).collect(["a", "bc"]).unwrap().0;
    assert_eq!(only, [1, 2]);
}

/// Names that Rust has, that the type with the methods has, and that a form of another task has.
mod names {
    use skel::prelude::*;

    pipe! {
        pub skeleton Names {
            task("over", 1.0),
            task("type", 1.0),
            task("new", 1.0),
            task("read it", 1.0),
            task("load", 1.0),
            deal(2, "try_load", 1.0),
            task("A", 1.0),
            task("try_A_with", 1.0),
            task("retry", 1.0),
        }
    }
}

#[test]
fn every_name_is_a_method() {
    let function = |number: u32| number + 1;
    let run = names::Names::new()
        .run()
        .over(function)
        .try_type(|number: u32| Ok::<_, std::num::ParseIntError>(number))
        .new_task(function)
        .read_it(function)
        .load(function)
        .try_load_(function)
        .A_with(|| 3, |state, number| *state + number)
        .try_try_A_with_(u8::try_from)
        .try_retry__with(|| 1, |_, number| Ok::<_, String>(number))
        .retry(3)
        .skip_failures();
    assert_eq!(run.collect([1, 2]).unwrap().0, [9, 10]);
}

#[test]
fn workers_that_serve_one_item_together_run() {
    pipe! {
        skeleton Matching { task("read", 1.0), map(3, "compare", 2.0) }
    }
    let run = Matching::new().run().read(|number: u32| 0..number).compare(|part| part.end);
    assert_eq!(run.collect(2..4).unwrap().0, [[1, 2, 2], [1, 2, 3]]);
}
