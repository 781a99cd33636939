//! Questions about collective operations that have no answer, and what is said then.

mod links;

use links::plogp;
use skel_network::collective::{Algorithm, Collective, CostError, Operation, Predicted, Problem};
use skel_network::simulate::Plan;
use skel_network::{Bytes, CommunicationModel, Hockney, OutsideTable, PLogP, Time};

fn link() -> PLogP {
    plogp(48.39, [(64, 12.0), (65_536, 560.0)])
}

fn collective(operation: Operation, processes: u32, size: u64) -> Collective {
    Collective::new(operation, processes, Bytes::new(size)).unwrap()
}

#[track_caller]
fn refused<T: std::fmt::Debug, E: std::fmt::Display>(answer: Result<T, E>, text: &str) {
    assert_eq!(answer.expect_err("it is refused").to_string(), text);
}

#[test]
fn no_process() {
    refused(
        Collective::new(Operation::Broadcast, 0, Bytes::new(1)),
        "broadcast over 0 processes; help: at least 1 process takes part",
    );
}

#[test]
fn a_time_to_combine_that_is_no_time() {
    let reduce = collective(Operation::Reduce, 2, 1);
    for (value, text) in [(-1.0, "-1 us"), (f64::NAN, "NaN us"), (f64::INFINITY, "inf s")] {
        let text =
            format!("combining takes {text} for each byte; help: a time is a number that is not below 0");
        refused(reduce.combining(Time::microseconds(value)), &text);
    }
}

#[test]
fn segments_of_no_byte_and_segments_larger_than_the_message() {
    let broadcast = collective(Operation::Broadcast, 20, 1000);
    let chain = |segment| broadcast.time_with_segment(Algorithm::Chain, &link(), Bytes::new(segment));
    refused(
        chain(0),
        "broadcast of 1000 B over 20 processes by chain: a segment of 0 bytes; \
         help: a segment has at least 1 byte, and at most those of the message",
    );
    refused(
        chain(1001),
        "broadcast of 1000 B over 20 processes by chain: a segment of 1001 B, which is larger than the message; \
         help: a segment has at least 1 byte, and at most those of the message",
    );
    assert_eq!(chain(1000).unwrap().segment, Some(Bytes::new(1000)));
    refused(
        broadcast.time_with_segment(Algorithm::Flat, &link(), Bytes::new(100)),
        "broadcast of 1000 B over 20 processes by flat: a segment was given, but this algorithm sends whole messages; \
         help: only a broadcast by chain has segments",
    );
    let planned =
        |algorithm, segment| Plan::of(&broadcast, algorithm, Some(Bytes::new(segment))).unwrap_err();
    assert_eq!(planned(Algorithm::Chain, 0).problem, Problem::BadSegment(Bytes::new(0)));
    assert_eq!(planned(Algorithm::Chain, 1001).problem, Problem::BadSegment(Bytes::new(1001)));
    assert_eq!(planned(Algorithm::Binary, 100).problem, Problem::Unsegmented);
}

#[test]
fn algorithms_of_other_operations() {
    refused(
        collective(Operation::Scatter, 20, 1000).time(Algorithm::Ring, &link()),
        "scatter of 1000 B over 20 processes by ring: this algorithm does not carry out this operation; \
         help: the algorithms of scatter are flat, binomial",
    );
    for operation in Operation::ALL {
        for algorithm in Algorithm::ALL {
            let collective = collective(operation, 1, 1000);
            let belongs = operation.algorithms().contains(&algorithm);
            assert_eq!(collective.time(algorithm, &link()).is_ok(), belongs, "{operation} by {algorithm}");
            assert_eq!(Plan::of(&collective, algorithm, None).is_ok(), belongs, "{operation} by {algorithm}");
            let is_printed = belongs && operation == Operation::Broadcast;
            assert_eq!(collective.time_as_printed(algorithm, &link()).is_ok(), is_printed);
        }
    }
}

#[test]
fn recursive_doubling_over_a_number_that_is_no_power_of_two() {
    let gather = collective(Operation::AllGather, 20, 1000);
    refused(
        gather.time(Algorithm::RecursiveDoubling, &link()),
        "all-gather of 1000 B over 20 processes by recursive-doubling: the number of processes is not a power of two; \
         help: bruck does the same for any number of processes",
    );
    assert_eq!(
        Plan::of(&gather, Algorithm::RecursiveDoubling, None).unwrap_err().problem,
        Problem::NotAPowerOfTwo
    );
    assert!(gather.algorithms().eq([Algorithm::Ring, Algorithm::Bruck]));
    assert!(collective(Operation::AllGather, 16, 1).algorithms().eq([
        Algorithm::Ring,
        Algorithm::RecursiveDoubling,
        Algorithm::Bruck
    ]));
}

#[test]
fn forms_that_the_paper_does_not_print() {
    refused(
        collective(Operation::Reduce, 1, 4096).time_as_printed(Algorithm::Binomial, &link()),
        "reduce of 4 KiB over 1 process by binomial: the paper prints no formula of it; help: ask for the exact time",
    );
}

#[test]
fn sizes_outside_of_the_table() {
    let large = collective(Operation::Broadcast, 20, 100_000);
    refused(
        large.time(Algorithm::Binomial, &link()),
        "broadcast of 100000 B over 20 processes by binomial: \
         pLogP: a message of 100000 bytes is outside of the table, which covers 64 to 65536 bytes; \
         help: measure this size too, or ask for a size inside",
    );
    // Its segments are inside, but for those below 64 bytes.
    let chain = large.time(Algorithm::Chain, &link()).unwrap();
    assert_eq!(chain.segment, Some(Bytes::new(2048)));
    // The last segment of 32 bytes is outside.
    let error = large.time_with_segment(Algorithm::Chain, &link(), Bytes::new(64)).unwrap_err();
    assert!(error.to_string().contains("a message of 32 bytes is outside"), "{error}");

    let ranking = large.fastest(&link()).unwrap();
    assert_eq!(ranking.predictions, [chain]);
    let unpredicted: Vec<Algorithm> = ranking.unpredicted.iter().map(|error| error.algorithm).collect();
    assert_eq!(unpredicted, [Algorithm::Flat, Algorithm::Binary, Algorithm::Binomial]);

    // Ten blocks of 10,000 bytes are one message.
    let scatter = collective(Operation::Scatter, 20, 10_000);
    assert_eq!(scatter.fastest(&link()).unwrap().best().algorithm, Algorithm::Flat);
    assert!(scatter.time(Algorithm::Binomial, &link()).is_err());

    let small = collective(Operation::Broadcast, 20, 10).fastest(&link()).unwrap_err();
    assert_eq!(small.algorithm, Algorithm::Flat);
    let all_outside = collective(Operation::Broadcast, 20, 10).time(Algorithm::Chain, &link());
    assert!(all_outside.unwrap_err().to_string().contains("a message of 10 bytes is outside"));
}

/// Its messages do not exist, so the model is not asked.
#[test]
fn one_process_takes_no_time() {
    for operation in Operation::ALL {
        for size in [0, 1, u64::MAX] {
            let ranking = collective(operation, 1, size).fastest(&link()).unwrap();
            assert!(ranking.unpredicted.is_empty());
            assert!(ranking.predictions.iter().all(|predicted| predicted.time == Time::ZERO));
            assert_eq!(ranking.best().algorithm, operation.algorithms()[0]);
        }
    }
}

/// It is one if the model knows what a message of 0 bytes costs.
#[test]
fn a_message_of_no_bytes_is_a_message() {
    let empty = collective(Operation::Broadcast, 5, 0);
    assert!(empty.fastest(&link()).is_err());
    let hockney = Hockney::new(Time::microseconds(50.0), 100.0).unwrap();
    let time = |algorithm| empty.time(algorithm, &hockney).unwrap();
    let predicted =
        |algorithm, time, segment| Predicted { algorithm, time: Time::microseconds(time), segment };
    assert_eq!(time(Algorithm::Flat), predicted(Algorithm::Flat, 50.0, None));
    assert_eq!(time(Algorithm::Binomial), predicted(Algorithm::Binomial, 100.0, None));
    assert_eq!(time(Algorithm::Chain), predicted(Algorithm::Chain, 200.0, Some(Bytes::new(0))));
    assert!(Plan::of(&empty, Algorithm::Chain, Some(Bytes::new(0))).is_ok());
}

#[test]
fn more_bytes_than_can_be_counted() {
    let hockney = Hockney::new(Time::microseconds(50.0), 100.0).unwrap();
    refused(
        collective(Operation::Gather, 33, 1 << 60).time(Algorithm::Binomial, &hockney),
        "gather of 1099511627776 MiB over 33 processes by binomial: a message of 16 blocks has 2^64 bytes or more; \
         help: ask for smaller blocks or fewer processes",
    );
    assert!(collective(Operation::Gather, 33, 1 << 60).time(Algorithm::Flat, &hockney).is_ok());
}

#[test]
fn the_largest_numbers_that_can_be_asked_for() {
    let hockney = Hockney::new(Time::microseconds(50.0), 100.0).unwrap();
    for operation in Operation::ALL {
        let most = collective(operation, u32::MAX, 1 << 32).fastest(&hockney).unwrap();
        assert!(most.unpredicted.is_empty(), "{operation}");
        let bytes = collective(operation, 4, u64::MAX).fastest(&hockney).unwrap();
        assert!(bytes.best().time.as_microseconds() >= 1.8e17, "{operation}");
    }
}

#[test]
fn more_messages_than_are_simulated() {
    let many = collective(Operation::Broadcast, u32::MAX, 1);
    refused(
        Plan::of(&many, Algorithm::Flat, None),
        "broadcast of 1 B over 4294967295 processes by flat: \
         it has 4294967294 messages, and at most 2000000 are simulated; \
         help: ask for the recurrence, whose cost does not grow so",
    );
    let error = Plan::of(&collective(Operation::AllGather, u32::MAX, 1), Algorithm::Ring, None).unwrap_err();
    assert!(matches!(error.problem, Problem::TooManyMessages { messages: 18_446_744_060_824_649_730, .. }));
    let chain = collective(Operation::Broadcast, u32::MAX, u64::MAX);
    assert!(Plan::of(&chain, Algorithm::Chain, Some(Bytes::new(1))).is_err());
}

/// A gap that a model should not have.
#[derive(Debug)]
struct Wrong(f64);

impl CommunicationModel for Wrong {
    fn name(&self) -> &'static str {
        "wrong"
    }
    fn time(&self, _: Bytes) -> Result<Time, OutsideTable> {
        Ok(Time::microseconds(100.0))
    }
    fn gap(&self, _: Bytes) -> Result<Time, OutsideTable> {
        Ok(Time::microseconds(self.0))
    }
    fn sender_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.gap(size)
    }
    fn receiver_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.gap(size)
    }
}

#[test]
fn a_model_that_answers_with_what_is_no_time() {
    let broadcast = collective(Operation::Broadcast, 20, 1000);
    refused(
        broadcast.time(Algorithm::Chain, &Wrong(-1.0)),
        "broadcast of 1000 B over 20 processes by chain: \
         wrong: the gap of a message of 1 bytes is -1 us, which is no time; help: correct the model's parameters",
    );
    let nan = broadcast.time(Algorithm::Flat, &Wrong(f64::NAN)).unwrap_err();
    assert!(matches!(nan.problem, Problem::Cost(CostError::NotATime { what: "gap", .. })));
    refused(
        broadcast.time(Algorithm::Flat, &Wrong(f64::MAX)),
        "broadcast of 1000 B over 20 processes by flat: its time is more than a 64-bit float can hold; \
         help: look at the model's parameters, which are in microseconds",
    );
}
