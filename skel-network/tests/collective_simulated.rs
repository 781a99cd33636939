//! Every recurrence against the messages played one by one.

mod links;

use links::plogp;
use proptest::prelude::*;
use skel_network::collective::{Algorithm, Collective, Operation, Predicted};
use skel_network::simulate::{self, Message, Plan};
use skel_network::{Bytes, CommunicationModel, Hockney, LogGp, LogP, Model, OutsideTable, PLogP, Time};

/// More messages of a chain are not played: the sum of so many steps has fewer than 12 right digits.
const MOST_MESSAGES: u64 = 10_000;

fn can_be_played(chain: &Collective, segment: Bytes) -> bool {
    chain.size().get().div_ceil(segment.get()) * u64::from(chain.processes()) <= MOST_MESSAGES
}

fn us(value: f64) -> Time {
    Time::microseconds(value)
}

fn played(collective: &Collective, predicted: &Predicted, model: &dyn CommunicationModel) -> Time {
    let plan = Plan::of(collective, predicted.algorithm, predicted.segment).unwrap();
    simulate::end(&simulate::run(&plan, model).unwrap())
}

fn close(a: Time, b: Time) -> bool {
    let (a, b) = (a.as_microseconds(), b.as_microseconds());
    (a - b).abs() <= 1e-12 * a.max(b)
}

#[track_caller]
fn compare(collective: &Collective, predicted: &Predicted, model: &dyn CommunicationModel) {
    let played = played(collective, predicted, model);
    assert!(close(played, predicted.time), "{collective:?} by {predicted:?} takes {played} on {model:?}");
}

/// A model of which nothing is known: its latency depends on the size and may be below 0, its gap need not
/// grow.
#[derive(Debug)]
struct Strange {
    gap: fn(f64) -> f64,
    latency: fn(f64) -> f64,
}

impl CommunicationModel for Strange {
    fn name(&self) -> &'static str {
        "strange"
    }
    fn time(&self, size: Bytes) -> Result<Time, OutsideTable> {
        Ok(us((self.gap)(size.as_f64()) + (self.latency)(size.as_f64())))
    }
    fn gap(&self, size: Bytes) -> Result<Time, OutsideTable> {
        Ok(us((self.gap)(size.as_f64())))
    }
    fn sender_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.gap(size)
    }
    fn receiver_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.gap(size)
    }
}

fn models() -> Vec<Box<dyn CommunicationModel>> {
    let near = [(1, 12.0), (1024, 21.5), (8192, 79.0), (65_536, 560.0), (1 << 28, 2_161_000.0)];
    let far = [(1, 90.0), (4096, 160.0), (65_536, 1500.0), (1 << 28, 5_300_000.0)];
    vec![
        Box::new(plogp(48.39, near)),
        Box::new(plogp(6577.49, far)),
        Box::new(Hockney::new(us(50.0), 120.0).unwrap()),
        // A message of one packet takes less than the gap: the latency less the gap is below 0.
        Box::new(LogP::new(us(4.0), us(1.0), us(10.0), Bytes::new(1500)).unwrap()),
        // The overhead is longer than the gap: short messages have a longer latency.
        Box::new(LogGp::new(us(40.0), us(30.0), us(5.0), us(0.01)).unwrap()),
        // Latency and gap in steps.
        Box::new(Strange { gap: |m| (m / 1500.0).ceil() * 12.0, latency: |m| 1.0 + (m / 4096.0).floor() }),
        // Short messages are dearer than long ones.
        Box::new(Strange { gap: |m| if m < 512.0 { 70.0 } else { 20.0 + m / 1000.0 }, latency: |_| 3.0 }),
    ]
}

fn some_processes() -> impl Iterator<Item = u32> {
    (1..=34).chain([47, 48, 63, 64, 65, 100, 127, 128, 129, 200, 255, 256, 257, 299, 300])
}

#[test]
fn every_operation_takes_as_long_as_its_messages() {
    let mut comparisons = 0;
    for model in models() {
        for processes in some_processes() {
            for size in [1, 1000, 65_537] {
                for operation in Operation::ALL {
                    comparisons += compare_all(operation, processes, Bytes::new(size), &*model);
                }
            }
        }
    }
    assert!(comparisons > 9_000, "only {comparisons} comparisons");
}

fn compare_all(operation: Operation, processes: u32, size: Bytes, model: &dyn CommunicationModel) -> usize {
    let collective = Collective::new(operation, processes, size).unwrap().combining(us(0.0008)).unwrap();
    let algorithms = collective.algorithms().filter(|algorithm| match algorithm {
        Algorithm::Chain => false,
        // A ring has a message for each pair.
        Algorithm::Ring => processes <= 34 || size.get() == 1000 && processes.is_multiple_of(100),
        _ => true,
    });
    algorithms
        .map(|algorithm| compare(&collective, &collective.time(algorithm, model).unwrap(), model))
        .count()
}

#[test]
fn chains_take_as_long_as_their_messages_with_any_segment() {
    let mut comparisons = 0;
    for model in models() {
        for processes in [1, 2, 3, 4, 5, 20, 64, 300] {
            for size in [1, 1000, 65_536, 524_289] {
                let broadcast = Collective::new(Operation::Broadcast, processes, Bytes::new(size)).unwrap();
                let segments = [1, 3, 64, 500, 512, 999, 1000, 1024, 4096, 60_000, 524_288];
                for segment in segments.into_iter().filter(|segment| *segment <= size) {
                    let segment = Bytes::new(segment);
                    if can_be_played(&broadcast, segment) {
                        let chain = broadcast.time_with_segment(Algorithm::Chain, &*model, segment).unwrap();
                        compare(&broadcast, &chain, &*model);
                        comparisons += 1;
                    }
                }
                let best = broadcast.time(Algorithm::Chain, &*model).unwrap();
                if can_be_played(&broadcast, best.segment.unwrap()) {
                    compare(&broadcast, &best, &*model);
                }
            }
        }
    }
    assert!(comparisons > 800, "only {comparisons} comparisons");
}

/// A model of any of the literature's kinds.
fn platform() -> impl Strategy<Value = Model> {
    let time = |most| (0.0..most).prop_map(us);
    let per_byte = || (-4.0..-1.0).prop_map(|exponent| f64::powf(10.0, exponent));
    let startup = || (1.0..50.0).prop_map(us);
    prop_oneof![
        3 => (0.0..500.0, prop::collection::vec((1.0..100.0, 0.0..0.02), 6)).prop_map(|(l, steps)| Model::PLogP(plogp_of(l, &steps))),
        1 => (startup(), per_byte()).prop_map(|(alpha, slope)| Model::Hockney(Hockney::new(alpha, 1.0 / slope).unwrap())),
        1 => (time(200.0), time(20.0), startup(), 500_u64..9000)
            .prop_map(|(l, o, g, w)| Model::LogP(LogP::new(l, o, g, Bytes::new(w)).unwrap())),
        1 => (time(200.0), time(50.0), startup(), per_byte())
            .prop_map(|(l, o, g, slope)| Model::LogGp(LogGp::new(l, o, g, us(slope)).unwrap())),
    ]
}

/// Each knot, from 1 B to 1 GiB, adds to the gap something and something for each of its bytes.
fn plogp_of(latency: f64, steps: &[(f64, f64)]) -> PLogP {
    let sizes = [1, 256, 4096, 65_536, 1 << 20, 1 << 30];
    let gap = |gap: &mut f64, (size, (more, slope)): (u64, &(f64, f64))| {
        *gap += more + size as f64 * slope;
        Some((size, *gap))
    };
    plogp(latency, sizes.into_iter().zip(steps).scan(0.0, gap))
}

fn operation() -> impl Strategy<Value = Operation> {
    prop::sample::select(&Operation::ALL[..])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// On a thousand random platforms and sizes, the messages of no algorithm end before those of the
    /// algorithm that is chosen.
    #[test]
    fn the_algorithm_that_is_chosen_ends_first(
        link in platform(), operation in operation(), processes in 1_u32..130, size in 0.0..20.0, per_byte in 0.0..0.05,
    ) {
        let size = Bytes::new(f64::exp2(size) as u64);
        let collective = Collective::new(operation, processes, size).unwrap().combining(us(per_byte)).unwrap();
        let ranking = collective.fastest(&link).unwrap();
        prop_assert!(ranking.unpredicted.is_empty());
        let segments = ranking.predictions.iter().filter_map(|predicted| predicted.segment);
        prop_assume!(segments.into_iter().all(|segment| can_be_played(&collective, segment)));
        let ends: Vec<Time> = ranking.predictions.iter().map(|predicted| played(&collective, predicted, &link)).collect();
        for (predicted, end) in ranking.predictions.iter().zip(&ends) {
            prop_assert!(close(predicted.time, *end), "{predicted:?} ends at {end}");
            prop_assert!(ends[0] <= *end || close(ends[0], *end), "{predicted:?} ends at {end}, before {}", ends[0]);
        }
    }

    /// No segment that is tried ends before the one that is chosen.
    #[test]
    fn the_segment_that_is_chosen_ends_first(link in platform(), processes in 2_u32..12, size in 1_u64..5000) {
        let broadcast = Collective::new(Operation::Broadcast, processes, Bytes::new(size)).unwrap();
        let chosen = broadcast.time(Algorithm::Chain, &link).unwrap();
        let end = played(&broadcast, &chosen, &link);
        let segments = (4..13).map(|bits| 1 << bits).filter(|segment| *segment < size).chain([size]);
        for segment in segments.map(Bytes::new) {
            let other = broadcast.time_with_segment(Algorithm::Chain, &link, segment).unwrap();
            let other_end = played(&broadcast, &other, &link);
            prop_assert!(end <= other_end || close(end, other_end));
            if other_end <= end {
                prop_assert!(segment <= chosen.segment.unwrap() || close(end, other_end));
            }
        }
    }
}

#[test]
fn ports_are_serial_and_take_messages_in_order_of_arrival() {
    let link = plogp(100.0, [(0, 10.0), (1000, 110.0)]);
    let mut plan = Plan::new(4);
    let long = plan.send(Message::new(1, 0, Bytes::new(1000)), &[]).unwrap();
    let short = plan.send(Message::new(2, 0, Bytes::new(100)), &[]).unwrap();
    let combined = Message { combining: us(500.0), ..Message::new(3, 0, Bytes::new(100)) };
    let combined = plan.send(combined, &[]).unwrap();
    let onwards = plan.send(Message::new(0, 1, Bytes::new(100)), &[combined]).unwrap();
    let transfers = simulate::run(&plan, &link).unwrap();
    let times = |id: simulate::MessageId| {
        let transfer = transfers[id.index()];
        [transfer.start, transfer.sender_free, transfer.received, transfer.combined]
            .map(Time::as_microseconds)
    };
    assert_eq!(times(long), [0.0, 110.0, 210.0, 210.0]);
    assert_eq!(times(short), [0.0, 20.0, 230.0, 230.0]);
    assert_eq!(times(combined), [0.0, 20.0, 250.0, 750.0]);
    assert_eq!(times(onwards), [750.0, 770.0, 870.0, 870.0]);
    assert_eq!(simulate::end(&transfers), us(870.0));
}

#[test]
fn a_plan_refuses_what_cannot_be_sent() {
    let mut plan = Plan::new(3);
    let size = Bytes::new(1);
    let mut error =
        |message, after: &[simulate::MessageId]| plan.send(message, after).map_err(|error| error.to_string());
    let first = error(Message::new(0, 1, size), &[]).unwrap();
    let later = error(Message::new(1, 2, size), &[first]).unwrap();
    assert_eq!(
        error(Message::new(3, 1, size), &[]).unwrap_err(),
        "there is no process 3: the plan has 3, from 0 on"
    );
    assert_eq!(error(Message::new(2, 2, size), &[]).unwrap_err(), "process 2 sends to itself");
    assert_eq!(
        error(Message::new(2, 0, size), &[first]).unwrap_err(),
        "process 2 waits for message 0, which process 1 receives"
    );
    let combined = Message { combining: us(f64::NAN), ..Message::new(2, 0, size) };
    assert_eq!(error(combined, &[later]).unwrap_err(), "combining takes NaN us, which is no time");
    let mut other = Plan::new(3);
    assert_eq!(
        other.send(Message::new(1, 2, size), &[later]).unwrap_err().to_string(),
        "a wait for message 1, where 0 are planned, from 0 on"
    );
    assert_eq!(simulate::end(&simulate::run(&other, &plogp(1.0, [(1, 1.0)])).unwrap()), Time::ZERO);
}
