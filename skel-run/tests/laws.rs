//! A run has the results of the sequential program, whatever its structure, buffers, batches and engine.

mod trial;

use proptest::prelude::*;
use skel_core::skeleton::Replication;
use skel_run::Engine;

use trial::run::{Trial, run};
use trial::shape::Shape;

/// Skeletons of at most 12 tasks.
fn shapes() -> impl Strategy<Value = Shape> {
    let whole = Just(Shape::Task).prop_recursive(4, 12, 4, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        prop_oneof![
            2 => prop::collection::vec(inner.prop_map(unpiped), 2..4).prop_map(Shape::Pipe),
            1 => (1..4_u32, boxed.clone()).prop_map(|(replicas, worker)| Shape::Farm(replicas, worker)),
            1 => (1..4_u32, boxed).prop_map(|(replicas, worker)| Shape::Deal(replicas, worker)),
        ]
    });
    whole.prop_filter("too large", |shape| shape.threads() <= 40 && tasks(shape) <= 12)
}

/// A pipe is no stage of a pipe.
fn unpiped(shape: Shape) -> Shape {
    match shape {
        Shape::Pipe(stages) => Shape::Farm(2, Box::new(Shape::Pipe(stages))),
        other => other,
    }
}

fn tasks(shape: &Shape) -> usize {
    match shape {
        Shape::Task | Shape::Team(..) => 1,
        Shape::Pipe(stages) => stages.iter().map(tasks).sum(),
        Shape::Farm(_, worker) | Shape::Deal(_, worker) => tasks(worker),
    }
}

/// Runs without faults. Tasks count what they served where that is defined, and wait now and then.
fn trials() -> impl Strategy<Value = Trial> {
    let settings = (
        prop_oneof![Just(0_u32), Just(1), Just(2), Just(4)],
        prop_oneof![Just(None), Just(Some(1_usize)), Just(Some(1)), (2..20_usize).prop_map(Some)],
        prop_oneof![Just(1_u32), Just(2), Just(16)],
        prop_oneof![Just(Engine::Threads), Just(Engine::Automatic), (1..4_usize).prop_map(Engine::Pull)],
    );
    (shapes(), settings, 0..200_u64, any::<u64>()).prop_map(
        |(shape, (buffers, batch, window, engine), items, seed)| {
            let mut trial = Trial { buffers, batch, window, seed, ..Trial::quiet(&shape.text(), items) };
            let has_deal = trial.groups().iter().any(|group| group.kind == Replication::Deal);
            trial.engine =
                if has_deal && matches!(engine, Engine::Pull(_)) { Engine::Threads } else { engine };
            for task in &mut trial.tasks {
                task.waits = seed % 8 * 5;
                task.counts = task.is_alone() || (task.is_dealt() && batch == Some(1));
            }
            trial
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Also of tasks that count: those outside of farms see every item in order, and a replica of a deal sees
    /// exactly those whose turn it is.
    #[test]
    fn ordered_runs_equal_the_sequential_program(trial in trials()) {
        run(&trial).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn unordered_runs_have_the_same_results(mut trial in trials()) {
        let farm = trial.groups().into_iter().find(|group| group.kind == Replication::Farm);
        trial.unordered = farm.iter().map(|farm| farm.id).collect();
        trial.tasks.iter_mut().for_each(|task| task.counts = false);
        run(&trial).map_err(TestCaseError::fail)?;
    }

    /// What is taken is delivered, skipped, discarded or failed, and what is delivered is what the sequential
    /// program delivers.
    #[test]
    fn failures_are_those_of_the_sequential_program(mut trial in trials(), fails in 1..100_u64, skips in any::<bool>()) {
        for (number, task) in trial.tasks.iter_mut().enumerate() {
            task.counts = task.is_alone();
            task.fails = if number % 2 == 0 { fails } else { 0 };
            task.skips = skips && number % 4 == 0;
            task.retries = number as u32 % 3;
        }
        run(&trial).map_err(TestCaseError::fail)?;
    }
}
