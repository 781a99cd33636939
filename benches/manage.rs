//! What one decision of a manager costs: the model of a window, the prediction for the program as it is, and
//! the plan for half of its service time.

use divan::Bencher;
use skel::manage::{Consult, Goal, Measures, Model, Plan, ServiceTime, StageMeasures};
use skel::skeleton::{Program, Tree, text};

/// What a window of 400 services says: each stage has this squared coefficient of variation.
fn measures(program: &Program<Tree>, times: &[f64], scv: f64) -> Measures {
    let tree = program.skeleton();
    let stage = |(id, &time)| StageMeasures {
        scv: Some(scv),
        ..StageMeasures::always_busy(id, tree.name(id), time, 400)
    };
    Measures {
        at: 10.0,
        span: 10.0,
        items: 400,
        items_in_a_parcel: 1.0,
        service_time: ServiceTime::of_seconds(0.025),
        error: 0.05,
        arrival_time: None,
        output_time: None,
        stages: tree.leaves().zip(times).map(stage).collect(),
    }
}

/// The answer to a doubled load: `farms` farms that need about so many workers each, after having half of
/// them. The other stages take five sixths of the goal.
fn decide(bencher: Bencher<'_, '_>, farms: usize, workers: u32, scv: f64) {
    let half = workers / 2;
    let middle = vec![format!("farm({half}, 1)"); farms].join(", ");
    let parsed = text::parse(&format!("pipe(task(1), {middle}, task(1)); buffers(4); communication(none);"));
    let program = parsed.program().expect("a program");
    let mut times = vec![f64::from(workers) * 0.01; farms + 2];
    (times[0], times[farms + 1]) = (0.01, 0.01);
    let measures = measures(&program, &times, scv);
    let service_time = ServiceTime::of_seconds(0.012);
    let goal = Goal { service_time, consult: Consult::Chain, correction: 1.0, most: 1000 };
    bencher.bench_local(|| {
        let model = Model::calibrated(&program, &measures);
        let now = model.predict(&[]);
        let plan = model.plan(&goal);
        assert!(matches!(plan, Plan::Replicas { .. }), "{plan:?}");
        (now, plan)
    });
}

#[divan::bench(args = [8, 21, 64])]
fn one_farm(bencher: Bencher<'_, '_>, workers: u32) {
    decide(bencher, 1, workers, 1.0);
}

#[divan::bench(args = [8, 21, 64])]
fn one_farm_of_steady_times(bencher: Bencher<'_, '_>, workers: u32) {
    decide(bencher, 1, workers, 0.1);
}

#[divan::bench(args = [8, 21, 64])]
fn two_farms(bencher: Bencher<'_, '_>, workers: u32) {
    decide(bencher, 2, workers, 1.0);
}
