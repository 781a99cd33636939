//! Skeletons as expressions whose tasks have functions.

use std::collections::HashMap;

use skel::prelude::*;

struct Picture(u32);
struct Sharp(u32);

#[test]
fn types_go_from_task_to_task() {
    let mut read = 0;
    let mut written = Vec::new();
    pipe!(
        task("read", 20.0, |number: u32| {
            read += 1;
            Picture(number)
        }),
        farm(3, "sharpen", 5.0, |picture| Sharp(10 * picture.0)),
        task(30.0, |sharp| written.push(sharp.0)),
    )
    .communicating(1e6)
    .buffers(4)
    .run()
    .over(0..100)
    .unwrap();
    assert_eq!(read, 100);
    assert_eq!(written, (0..100).map(|number| 10 * number).collect::<Vec<u32>>());
}

fn length(text: &str) -> usize {
    text.len()
}

#[test]
fn any_structure_runs() {
    let program = pipe!(
        deal(2, pipe(farm(2, 1.0, |text: &'static str| text), task("length", 3.0, length))),
        pipe(task(2.0, move |length| length + 1), farm(3, "double", 1.0, |length| 2 * length)),
    );
    let again = program.clone();
    assert_eq!(program.run().collect(["", "a", "bc"]).unwrap().0, [2, 4, 6]);
    assert_eq!(again.run().collect(["abc"]).unwrap().0, [8]);
    assert_eq!(farm!(2, "negate", 1.0, |number: i32| -number).run().collect(0..3).unwrap().0, [0, -1, -2]);
    assert_eq!(deal!(2, 1.0, |number: i32| -number).run().collect(0..3).unwrap().0, [0, -1, -2]);
    assert_eq!(task!("negate", 1.0, |number: i32| -number).run().collect(0..3).unwrap().0, [0, -1, -2]);
}

#[test]
fn sixteen_stages_run() {
    macro_rules! sixteen {
        ($($rate:literal)*) => { pipe!($(task($rate, |number: u64| number + $rate)),*) };
    }
    let run = sixteen!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16).run();
    assert_eq!(run.collect([0, 1]).unwrap().0, [136, 137]);
}

#[test]
fn parts_are_made_on_their_own() {
    let worker = farm!(2, pipe(task(1.0, |number: u32| number + 1), task(1.0, |number| number.to_string())));
    let last = task!("length", 1.0, |text: String| text.len());
    let program = pipe!(task("read", 1.0, |number: u32| number), worker, last);
    assert_eq!(program.run().collect([8, 9]).unwrap().0, [1, 2]);
}

#[test]
fn a_task_and_its_copy_in_one_program_take_turns() {
    let mut count = 0;
    let counting = task!(1.0, |number: u32| {
        count += 1;
        number
    });
    let program = pipe!(counting.clone(), counting);
    assert_eq!(program.run().collect(0..100).unwrap().0.len(), 100);
    assert_eq!(count, 200);
}

#[test]
fn the_head_of_a_closure_may_have_commas() {
    let program = pipe!(
        task(1.0, |words: HashMap<u8, Vec<u8>>| -> (HashMap<u8, Vec<u8>>, u8) { (words, 1) }),
        task("sum", 1.0, move |(words, one): (HashMap<u8, Vec<u8>>, u8)| -> Result<u8, String> {
            Ok(words.values().flatten().sum::<u8>() + one)
        }),
        task(1.0, |sum| if sum < Ok(3) { 1 > 2 } else { true }),
    );
    let words = HashMap::from([(1, vec![1, 2])]);
    assert_eq!(program.run().collect([words]).unwrap().0, [true]);
}

#[test]
fn a_program_with_functions_is_predicted_as_one_without() {
    let with =
        pipe!(task("read", 20.0, |n: u32| n), farm(3, "sharpen", 5.0, |n| n), task("write", 30.0, drop));
    let without = pipe!(task("read", 20.0), farm(3, "sharpen", 5.0), task("write", 30.0));
    assert_eq!(with.tree().unwrap(), without.tree().unwrap());
    assert!(format!("{with:?}").contains("fn(u32) -> u32"), "{with:?}");
}
