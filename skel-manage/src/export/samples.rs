//! A log for tests of what becomes of it.

use std::time::Duration;

use skel_core::skeleton::StageId;

use crate::action::{Action, Refusal};
use crate::decision::{Decision, Event, Log, Outcome};
use crate::measure::{Measures, StageMeasures};
use crate::model::{Method, Prediction};
use crate::quantity::ServiceTime;

fn ms(milliseconds: f64) -> ServiceTime {
    ServiceTime::of_seconds(milliseconds / 1e3)
}

fn stage(id: u32, name: &str, replicas: u32, time: f64, busy: f64) -> StageMeasures {
    StageMeasures {
        id: StageId(id),
        name: name.to_owned(),
        replicas,
        workers: 1,
        services: 400,
        time,
        scv: Some(1.02),
        worker_times: vec![time],
        busy,
        starved: 1.0 - busy,
        blocked: 0.0,
        waiting: 0.0,
        queue: (id > 1).then_some(4),
        visits: 1.0,
        state: None,
    }
}

/// Eight workers become fifteen.
pub(super) fn decision() -> Decision {
    Decision {
        at: Duration::from_millis(62_400),
        measures: Measures {
            at: 62.4,
            span: 3.2,
            items: 163,
            items_in_a_parcel: 1.0,
            service_time: ms(19.6),
            error: 0.02,
            arrival_time: None,
            output_time: None,
            stages: vec![
                stage(1, "read", 1, 0.01, 0.51),
                stage(3, "sharpen", 8, 0.157, 0.99),
                stage(4, "write", 1, 0.01, 0.5),
            ],
        },
        now: Prediction { formula: ms(19.6), chain: ms(20.1), method: Method::Chain },
        then: Some(Prediction { formula: ms(10.5), chain: ms(11.9), method: Method::Interpolated }),
        rule: "grow".to_owned(),
        actions: vec![Action::SetReplicas { stage: StageId(2), from: 8, to: 15 }],
        reason: "the service time of 19.6 ms is beyond the limit of 12.6 ms".to_owned(),
        cost: Duration::from_micros(300),
        decided_in: Duration::from_micros(4200),
        outcome: Outcome::Done,
    }
}

/// That decision, a check of its prediction, and a report that was refused.
pub(super) fn log() -> Log {
    let at = Duration::from_millis(70_000);
    let checked = Event::Checked {
        at,
        predicted: ms(11.9),
        measured: ms(14.1),
        error: 0.015,
        recalibrated: Some(1.185),
    };
    let report = Decision {
        at,
        then: None,
        rule: "violate".to_owned(),
        actions: vec![Action::Report { reason: "`read` alone takes 20 ms for each item".to_owned() }],
        cost: Duration::ZERO,
        outcome: Outcome::Refused { action: 0, refusal: Refusal("the run has ended".to_owned()) },
        ..decision()
    };
    Log { events: vec![Event::Decided(Box::new(decision())), checked, Event::Decided(Box::new(report))] }
}
