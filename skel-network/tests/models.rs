//! Models and contention against values of an independent program.

use serde_json::Value;
use skel_network::{
    Bytes, CommunicationModel, GapTable, Hockney, LoGpc, LoPc, LogGp, LogP, Model, PLogP, SharedLink, Time,
};

fn reference(section: &str) -> Value {
    let mut all: Value = serde_json::from_str(include_str!("seeds/communication_more.json")).unwrap();
    all[section].take()
}

fn rows(section: &str) -> Vec<Value> {
    reference(section).as_array().unwrap().clone()
}

fn us(value: &Value) -> Time {
    Time::microseconds(value.as_f64().unwrap())
}

fn table(knots: &Value) -> GapTable {
    let knots = knots.as_array().unwrap().iter();
    GapTable::new(knots.map(|knot| (Bytes::new(knot[0].as_u64().unwrap()), us(&knot[1])))).unwrap()
}

#[track_caller]
fn same(found: f64, expected: &Value) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() <= 1e-13 * expected.abs(), "{found} is not {expected}");
}

fn model(name: &str, given: &Value) -> Model {
    let loggp = || LogGp::new(us(&given["L"]), us(&given["o"]), us(&given["g"]), us(&given["G"])).unwrap();
    match name {
        "Hockney" => Hockney::new(us(&given["alpha"]), given["beta"].as_f64().unwrap()).unwrap().into(),
        "LogP" => {
            let packet = Bytes::new(given["w"].as_u64().unwrap());
            LogP::new(us(&given["L"]), us(&given["o"]), us(&given["g"]), packet).unwrap().into()
        }
        "LogGP" => loggp().into(),
        "LoGPC" => LoGpc::new(loggp(), given["gamma"].as_f64().unwrap()).unwrap().into(),
        "pLogP" => PLogP::new(us(&given["L"]), table(&given["g"]))
            .unwrap()
            .with_sender_overhead(table(&given["o_s"]))
            .with_receiver_overhead(table(&given["o_r"]))
            .into(),
        other => panic!("{other}"),
    }
}

#[test]
fn every_model_has_the_times_of_the_reference() {
    let models = rows("a_point_to_point");
    assert_eq!(models.len(), 5);
    for given in models {
        let model = model(given["model"].as_str().unwrap(), &given["params"]);
        assert_eq!(model.name(), given["model"]);
        for row in given["rows"].as_array().unwrap() {
            let size = Bytes::new(row["m"].as_u64().unwrap());
            let (time, gap) = (model.time(size).unwrap(), model.gap(size).unwrap());
            same(time.as_microseconds(), &row["time"]);
            same(gap.as_microseconds(), &row["gap"]);
            same(model.sender_busy(size).unwrap().as_microseconds(), &row["sender_busy"]);
            same(model.receiver_busy(size).unwrap().as_microseconds(), &row["receiver_busy"]);
            same(model.train(size, 10).unwrap().as_microseconds(), &row["train_of_10"]);
            assert_eq!(model.train(size, 0).unwrap(), Time::ZERO);
            let latency = model.latency(size).unwrap();
            assert!((latency - (time - gap)).as_microseconds().abs() < 1e-9 * time.as_microseconds());
        }
    }
}

#[test]
fn lopc_has_the_times_of_the_reference() {
    let sets = rows("a_lopc");
    assert_eq!(sets.len(), 6);
    for set in sets {
        let lopc = |variation| LoPc::new(us(&set["W"]), us(&set["L"]), us(&set["o"]), variation).unwrap();
        same(lopc(0.0).without_contention().as_microseconds(), &set["contention_free"]);
        for (variation, name) in [(1.0, "lopc_exponential"), (0.0, "lopc_constant")] {
            let (found, expected) = (lopc(variation).solve(), &set[name]);
            let close = |found: f64, name: &str| {
                let expected = expected[name].as_f64().unwrap();
                assert!((found - expected).abs() <= 1e-11 * expected, "{name}: {found} is not {expected}");
            };
            close(found.cycle.as_microseconds(), "R");
            close(found.work.as_microseconds(), "Rw");
            close(found.request.as_microseconds(), "Rq");
            close(found.reply.as_microseconds(), "Ry");
            close(found.requests_queued, "Qq");
            close(found.replies_queued, "Qy");
            close(found.utilisation, "Uq");
            close(found.contention.as_microseconds(), "contention");
        }
        same(lopc(0.5).solve().cycle.as_microseconds(), &set["lopc_C2_half"]);
    }
}

#[test]
fn lopc_is_near_the_simulation_of_constant_handlers() {
    for set in rows("a_lopc") {
        let lopc = LoPc::new(us(&set["W"]), us(&set["L"]), us(&set["o"]), 0.0).unwrap().solve();
        for run in set["simulated_constant_handlers"].as_array().unwrap() {
            let above = lopc.cycle.as_microseconds() / run["R"].as_f64().unwrap() - 1.0;
            assert!((above - run["lopc_over_sim"].as_f64().unwrap()).abs() < 1e-9);
            let range = if run["P"] == 2 { -0.047..0.004 } else { -0.003..0.034 };
            assert!(range.contains(&above), "{above} {run}");
        }
    }
}

#[test]
fn handlers_alone_cost_what_the_rule_of_thumb_says() {
    let limit = reference("a_lopc_limit");
    let alone = |variation| {
        let lopc = LoPc::new(Time::ZERO, Time::ZERO, Time::microseconds(1.0), variation).unwrap();
        lopc.solve().cycle.as_microseconds()
    };
    same(alone(0.0), &limit["R"]);
    same(alone(1.0), &limit["R_exponential"]);
    assert!(alone(0.0) < 3.46);
}

#[test]
fn shared_links_have_the_waits_of_the_reference() {
    let rows = rows("a_link_contention");
    assert_eq!(rows.len(), 6);
    for row in rows {
        let link = SharedLink::new(row["N"].as_u64().unwrap() as u32, us(&row["Z"]), us(&row["S"])).unwrap();
        for (found, name) in
            [(link.exact(), "exact"), (link.bard(), "bard"), (link.schweitzer(), "schweitzer")]
        {
            let wait = row[format!("{name}_wait")].as_f64().unwrap();
            assert!((found.wait.as_microseconds() - wait).abs() <= 1e-12 * wait, "{name} {found:?} {row}");
            same(found.cycle.as_microseconds(), &row[format!("{name}_cycle")]);
        }
    }
}

#[test]
fn one_sender_never_waits() {
    let link = SharedLink::new(1, Time::microseconds(100.0), Time::microseconds(50.0)).unwrap();
    assert_eq!(link.exact().wait, Time::ZERO);
    assert!(link.schweitzer().wait.as_microseconds() < 1e-12);
    assert!(link.bard().wait.as_microseconds() > 20.0, "this is what is wrong with it");
}
