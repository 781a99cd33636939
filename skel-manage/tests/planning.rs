//! Predictions and plans: the tables of the specification, and laws.

mod made;

use made::{program, window};
use proptest::prelude::*;
use serde_json::Value;
use skel_core::number::{Number, Ratio};
use skel_core::skeleton::StageId;
use skel_manage::{Consult, Goal, Measures, Method, Model, Obstacle, Plan, Prediction, ServiceTime};

const FARM: StageId = StageId(2);

/// The model of a program with these times.
fn model(text: &str, times: &[(f64, f64)]) -> Model {
    let program = program(text);
    let measures = Measures::of(&window(&program, times), &program).expect("a window");
    Model::calibrated(&program, &measures)
}

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
fn farm(times: [f64; 3], buffer: u32) -> Model {
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

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-5, "{found}, not {expected}");
}

fn seconds(prediction: &Prediction) -> (f64, f64) {
    (prediction.formula.seconds(), prediction.chain.seconds())
}

fn fraction(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse::<Ratio>().unwrap().to_float())
}

/// The column `held` is another discipline, which no skeleton says; these are the 72 other cells, and the
/// formula.
#[test]
fn farms_have_the_service_times_of_an_independent_program() {
    let seeds: Value = serde_json::from_str(include_str!("../../tests/seeds/farm_ctmc.json")).unwrap();
    let cells = seeds["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 24);
    for cell in cells {
        let [dispatch, worker, collect] = ["Ts", "Tw", "Tc"].map(|name| fraction(&cell[name]));
        let workers = cell["n"].as_u64().unwrap() as u32;
        for (buffer, column) in [(0, "b0_X"), (1, "b1_X"), (4, "b4_X")] {
            let predicted = farm([dispatch, worker, collect], buffer).predict(&[(FARM, workers)]);
            let (formula, chain) = seconds(&predicted);
            close(chain, 1.0 / fraction(&cell[column]));
            close(formula, (worker / f64::from(workers)).max(dispatch).max(collect));
            assert_eq!(predicted.method, Method::Chain);
        }
    }
}

#[test]
fn a_map_takes_as_long_as_its_slowest_worker() {
    let map = model("map(8, 1); communication(none);", &[(0.5, 1.0)]);
    let (formula, chain) = seconds(&map.predict(&[]));
    close(formula, 0.5);
    close(chain, 0.5 * 761.0 / 280.0);
    // Half of the workers have parts that are twice as large.
    let (formula, chain) = seconds(&map.predict(&[(StageId(0), 4)]));
    close(formula, 1.0);
    close(chain, 25.0 / 12.0);
    // Workers that take exactly as long wait for nobody; those that vary a little wait a little.
    close(model("map(8, 1); communication(none);", &[(0.5, 0.0)]).predict(&[]).chain.seconds(), 0.5);
    let varying = model("map(8, 1); communication(none);", &[(0.5, 0.25)]).predict(&[]).chain.seconds();
    assert!(varying > 0.8 && varying < 1.0, "{varying}");
}

#[test]
fn a_map_in_a_pipe_is_nearly_that_of_its_model() {
    let text = "pipe(task(1), map(3, 1), task(1)); buffers(1); communication(none);";
    let predicted = model(text, &[(1.0, 1.0), (0.5, 1.0), (1.0, 1.0)]).predict(&[]).chain.seconds();
    let text = "pipe(task(1), map(3, 2), task(1)); buffers(1); communication(none);";
    let exact = 1.0 / skel_solve::Perform::performance(&program(text)).unwrap().throughput();
    assert!((predicted / exact - 1.0).abs() < 0.005, "{predicted} {exact}");
}

#[test]
fn a_map_with_state_spreads_the_time_for_a_state() {
    let text = "map_with_state(1, 1/5, state(1/2, 10)); communication(none);";
    let program = program(text);
    let mut window = window(&program, &[(5.0, 1.0)]);
    let worker = &mut window.tasks[0].replicas[0];
    (worker.states, worker.kept) = (made::SERVICES / 10, made::SERVICES / 10);
    worker.renewing = std::time::Duration::from_secs(2 * made::SERVICES / 10);
    let measures = Measures::of(&window, &program).unwrap();
    let state = measures.stages[0].state.unwrap();
    assert_eq!((state.time, state.items), (2.0, 10.0));
    let predicted = Model::calibrated(&program, &measures).predict(&[]);
    close(predicted.formula.seconds(), 5.7);
    // Workers that are alone finish what they have in any case: no item waits for that.
    close(predicted.chain.seconds(), 5.2);
}

#[test]
fn an_early_majority_is_that_of_its_model() {
    for (workers, expected) in [(3, 5.0 / 6.0), (5, 47.0 / 60.0), (7, 319.0 / 420.0)] {
        let text = format!("pipe(task(1000000), fault_tolerant({workers}, 1, early)); communication(none);");
        let model = model(&text, &[(1e-6, 1.0), (1.0, 1.0)]);
        let predicted = model.predict(&[]);
        assert_eq!(predicted.method, Method::Chain);
        close(predicted.formula.seconds(), 1.0);
        let exact = 1.0 / skel_solve::Perform::performance(&program(&text)).unwrap().throughput();
        assert!((predicted.chain.seconds() / exact - 1.0).abs() < 1e-4, "{predicted:?} {exact}");
        // Workers that are late begin the next item late, so that it takes longer than an item that all begin
        // together.
        assert!(predicted.chain.seconds() > expected, "{predicted:?} {expected}");
        // Their number is a choice of safety.
        assert_eq!(model.predict(&[(StageId(2), 9)]), predicted);
    }
}

#[test]
fn steady_times_need_the_workers_of_the_formula() {
    let text = "pipe(task(1), farm(2, 1), task(1)); communication(none);";
    let steady = model(text, &[(0.5, 0.0), (4.0, 0.0), (0.5, 0.0)]);
    assert_eq!(workers(&steady.plan(&goal(0.6, Consult::Chain))), [7]);
    let some = model(text, &[(0.5, 0.25), (4.0, 0.25), (0.5, 0.25)]);
    let plan = some.plan(&goal(0.6, Consult::Chain));
    // Exponential times need 11.
    assert_eq!(workers(&plan), [9]);
}

#[test]
fn several_places_are_planned_as_one_tree() {
    let text = "pipe(task(1), farm(2, pipe(task(1), farm(2, 1))), map(2, 1), task(1)); buffers(2); communication(none);";
    let model = model(text, &[(0.01, 1.0), (0.04, 1.0), (0.1, 1.0), (0.02, 1.0), (0.01, 1.0)]);
    let Plan::Replicas { replicas, predicted, tried } = model.plan(&goal(0.02, Consult::Chain)) else {
        panic!("it can be reached")
    };
    assert!(predicted.chain.seconds() <= 0.02 && tried < 40, "{predicted:?} {tried}");
    for place in 0..replicas.len() {
        let mut fewer = replicas.clone();
        fewer[place].1 -= 1;
        assert!(fewer[place].1 == 0 || model.predict(&fewer).chain.seconds() > 0.02, "{replicas:?} {place}");
    }
}

#[test]
fn what_no_worker_makes_faster_is_an_obstacle() {
    let model = farm([0.5, 4.0, 0.4], 4);
    let task = |name: &str, time| {
        Plan::Impossible(Obstacle::Task { name: name.to_owned(), time: ServiceTime::of_seconds(time) })
    };
    assert_eq!(model.plan(&goal(0.45, Consult::Chain)), task("task", 0.5));
    assert_eq!(model.plan(&goal(0.45, Consult::Formula)), task("task", 0.5));
    let few = Goal { most: 7, ..goal(0.6, Consult::Chain) };
    let Plan::Impossible(Obstacle::TooMany { reached, most: 7 }) = model.plan(&few) else { panic!() };
    close(reached.seconds(), model.predict(&[(FARM, 5)]).chain.seconds());
    // A model that turned out too fast needs more workers for the same.
    let corrected = Goal { correction: 1.1, ..goal(0.6, Consult::Chain) };
    assert!(workers(&model.plan(&corrected)) > workers(&model.plan(&goal(0.6, Consult::Chain))));
}

/// Two tasks of 11 ms, one behind the other: each keeps 12 ms alone, and both together do not, whatever
/// stands behind them.
#[test]
fn neighbours_without_replicas_are_an_obstacle_together() {
    let ends = "buffers(4); communication(none);";
    let text = format!("pipe(task(\"read\", 1), task(\"parse\", 1), farm(1, 1), task(1)); {ends}");
    let together = model(&text, &[(0.011, 1.0), (0.011, 1.0), (0.02, 1.0), (0.005, 1.0)]);
    let Plan::Impossible(Obstacle::Neighbours { names, time }) = together.plan(&goal(0.012, Consult::Chain))
    else {
        panic!("the neighbours miss the goal")
    };
    assert_eq!(names, ["read", "parse"]);
    assert!(time.seconds() > 0.012 && time.seconds() < 0.0135, "{time}");
    // By the formula they keep it.
    assert_eq!(workers(&together.plan(&goal(0.012, Consult::Formula))), [2]);
    // With a farm between them they wait for each other less, the more workers there are.
    let apart = model(
        &format!("pipe(task(1), farm(1, 1), task(1)); {ends}"),
        &[(0.01, 1.0), (0.02, 1.0), (0.01, 1.0)],
    );
    assert!(workers(&apart.plan(&goal(0.012, Consult::Chain)))[0] > 2);
}

#[test]
fn no_workers_take_infinitely_long() {
    let predicted = farm([0.5, 4.0, 0.4], 4).predict(&[(FARM, 0)]);
    assert_eq!(seconds(&predicted), (f64::INFINITY, f64::INFINITY));
}

#[test]
fn variants_differ_in_what_is_said() {
    let measured = farm([0.5, 4.0, 0.5], 0);
    let now = [(FARM, 8)];
    close(
        measured.with_buffers(4).predict(&now).chain.seconds(),
        farm([0.5, 4.0, 0.5], 4).predict(&now).chain.seconds(),
    );
    let faster = measured.with_times_longer(StageId(3), 0.5).predict(&now).chain.seconds();
    close(faster, farm([0.5, 2.0, 0.5], 0).predict(&now).chain.seconds());
    let map = model("map(2, 1); communication(none);", &[(3.0, 0.0)]);
    close(map.with_shares(StageId(0), &[1, 1], &[2, 1]).predict(&[]).formula.seconds(), 4.0);
}

#[test]
fn programs_beyond_one_chain_are_bounded_by_their_neighbours() {
    let text =
        "pipe(task(1), farm(40, 1), farm(40, 1), farm(40, 1), task(1)); buffers(4); communication(none);";
    let model = model(text, &[(0.01, 1.0), (0.4, 1.0), (0.4, 1.0), (0.4, 1.0), (0.01, 1.0)]);
    let predicted = model.predict(&[]);
    assert_eq!(predicted.method, Method::Neighbours);
    let (formula, chain) = seconds(&predicted);
    assert!(chain > 1.05 * formula, "{predicted:?}");
    let more = seconds(&model.predict(&[(StageId(2), 60), (StageId(4), 60), (StageId(6), 60)]));
    assert!(more.1 < chain);
}

#[test]
fn large_deals_are_taken_for_farms() {
    let text =
        |word: &str| format!("pipe(task(1), {word}(30, 1), task(1)); buffers(1); communication(none);");
    let predicted = |word: &str| model(&text(word), &[(0.01, 1.0), (0.25, 1.0), (0.01, 1.0)]).predict(&[]);
    let (deal, farm) = (predicted("deal"), predicted("farm"));
    assert_eq!((deal.method, farm.method), (Method::Reduced, Method::Chain));
    assert_eq!(deal.chain, farm.chain);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_chain_is_faster_than_the_formula_and_more_workers_are_no_slower(
        (dispatch, worker, collect) in (0.1..1.0_f64, 0.2..4.0_f64, 0.1..1.0_f64),
        scv in prop::sample::select(vec![0.0, 0.1, 0.5, 1.0, 2.0]),
        buffer in 0..3_u32,
    ) {
        let text = format!("pipe(task(1), farm(2, 1), task(1)); buffers({buffer}); communication(none);");
        let model = model(&text, &[(dispatch, scv), (worker, scv), (collect, scv)]);
        let mut before = f64::INFINITY;
        for workers in 1..7 {
            let predicted = model.predict(&[(FARM, workers)]);
            let (formula, chain) = seconds(&predicted);
            prop_assert!(formula <= chain * (1.0 + 1e-5), "{workers}: {predicted:?}");
            // Where the method stays the same.
            prop_assert!(chain <= before * (1.0 + 1e-5) || predicted.method == Method::Interpolated, "{workers}: {predicted:?}");
            before = chain;
        }
    }

    #[test]
    fn one_worker_fewer_misses_the_goal(
        (dispatch, worker, collect) in (0.1..0.9_f64, 0.2..9.0_f64, 0.1..0.9_f64),
        buffer in 0..5_u32,
        consult in prop::sample::select(vec![Consult::Chain, Consult::Formula]),
        correction in 0.9..1.2_f64,
    ) {
        let model = farm([dispatch, worker, collect], buffer);
        let goal = Goal { correction, ..goal(1.0, consult) };
        let time = |workers| model.predict(&[(FARM, workers)]).by(consult).seconds() * correction;
        match model.plan(&goal) {
            Plan::Replicas { replicas, predicted, tried } => {
                let workers = replicas[0].1;
                prop_assert_eq!(&predicted, &model.predict(&replicas));
                prop_assert!(time(workers) <= 1.0 + 1e-6 && (workers == 1 || time(workers - 1) > 1.0 - 1e-6));
                prop_assert!(tried <= 16, "{}", tried);
            }
            Plan::Impossible(Obstacle::TooMany { reached, most }) => {
                prop_assert!(reached.seconds() > 1.0 && time(most - 2) > 1.0 - 1e-6);
            }
            other => prop_assert!(false, "{:?}", other),
        }
    }
}
