//! Predictions and plans: the tables of the specification, and laws.

mod made;

use made::model;
use skel_core::skeleton::StageId;
use skel_manage::{Consult, Goal, Method, Plan, ServiceTime};

const FARM: StageId = StageId(2);

fn goal(seconds: f64, consult: Consult) -> Goal {
    Goal { service_time: ServiceTime::of_seconds(seconds), consult, correction: 1.0, most: 64 }
}

fn workers(plan: &Plan) -> Vec<u32> {
    match plan {
        Plan::Replicas { replicas, .. } => replicas.iter().map(|&(_, number)| number).collect(),
        Plan::Impossible(obstacle) => panic!("{obstacle:?}"),
    }
}

/// `pipe(task, farm, task)` with exponential times.
fn farm(times: [f64; 3], buffer: u32) -> skel_manage::Model {
    let text = format!("pipe(task(1), farm(2, 1), task(1)); buffers({buffer}); communication(none);");
    model(&text, &times.map(|time| (time, 1.0)))
}

#[test]
fn workers_for_a_service_time_of_six_tenths() {
    for (worker, formula, by_buffer) in
        [(4.0, 7, [(0, 11), (1, 10), (4, 8), (16, 7)]), (8.0, 14, [(0, 19), (1, 17), (4, 15), (16, 14)])]
    {
        for (buffer, chain) in by_buffer {
            let model = farm([0.5, worker, 0.5], buffer);
            assert_eq!(workers(&model.plan(&goal(0.6, Consult::Formula))), [formula], "{worker} {buffer}");
            let plan = model.plan(&goal(0.6, Consult::Chain));
            assert_eq!(workers(&plan), [chain], "{worker} {buffer}");
            let at = |workers| model.predict(&[(FARM, workers)]);
            assert!(at(chain).chain.seconds() <= 0.6 && at(chain - 1).chain.seconds() > 0.6);
            assert_eq!(at(chain).method, Method::Chain);
        }
    }
}
