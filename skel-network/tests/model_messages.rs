//! What is refused, and in which words.

use skel_core::model::BuildErrors;
use skel_network::{
    Bytes, CommunicationModel, FitError, GapTable, Hockney, LoGpc, LoPc, LogGp, LogP, Measured, Measurement,
    PLogP, SharedLink, Time, Weights,
};

fn us(value: f64) -> Time {
    Time::microseconds(value)
}

#[track_caller]
fn refused<T: std::fmt::Debug>(outcome: Result<T, BuildErrors>, expected: &[&str]) {
    let text = outcome.unwrap_err().to_string();
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

const NOT_NEGATIVE: &str = "it must be a time of 0 or more, and at most 1e18 microseconds";

#[test]
fn every_bad_value_of_a_model_is_named() {
    refused(
        Hockney::new(us(f64::NAN), 0.0),
        &[
            &format!("the start-up time alpha is NaN us; help: {NOT_NEGATIVE}"),
            "the bandwidth beta is 0 bytes per microsecond; help: it must be above 0, from 1e-18 to 1e18",
        ],
    );
    refused(
        Hockney::new(us(1.0), -3.0),
        &["the bandwidth beta is -3 bytes per microsecond; help: it must be above 0, from 1e-18 to 1e18"],
    );
    refused(
        LogP::new(us(-1.0), us(f64::INFINITY), us(-0.5), Bytes::new(0)),
        &[
            &format!("the latency L is -1 us; help: {NOT_NEGATIVE}"),
            &format!("the overhead o is inf us; help: {NOT_NEGATIVE}"),
            &format!("the gap g is -0.5 us; help: {NOT_NEGATIVE}"),
            "the size w of a packet is 0 bytes; help: it must be 1 byte or more",
        ],
    );
    refused(
        LogGp::new(us(1.0), us(1.0), us(f64::NAN), us(-1e-9)),
        &[
            &format!("the gap g is NaN us; help: {NOT_NEGATIVE}"),
            &format!("the gap G for each byte is -0.000000001 us; help: {NOT_NEGATIVE}"),
        ],
    );
    let base = LogGp::new(us(1.0), us(1.0), us(1.0), us(1e10)).unwrap();
    refused(
        LoGpc::new(base, f64::NAN),
        &["the contention factor gamma is NaN; help: it must be above 0, from 1e-18 to 1e18"],
    );
    refused(
        LoGpc::new(base, 1e10),
        &[&format!("the gap G for each byte is 100000000000000000000 us; help: {NOT_NEGATIVE}")],
    );
}

#[test]
fn every_bad_entry_of_a_table_is_named() {
    let table =
        |knots: &[(u64, f64)]| GapTable::new(knots.iter().map(|&(size, time)| (Bytes::new(size), us(time))));
    refused(table(&[]), &["the table has no entry; help: give it a time for at least one size"]);
    refused(
        table(&[(8, 1.0), (4, -1.0), (4, 2.0), (16, f64::NAN)]),
        &[
            "the table has 4 bytes behind 8 bytes; help: sort the entries by size",
            "the table has two entries for 4 bytes; help: give each size once, with the median of its runs",
            &format!("the time for 4 bytes is -1 us; help: {NOT_NEGATIVE}"),
            &format!("the time for 16 bytes is NaN us; help: {NOT_NEGATIVE}"),
        ],
    );
    refused(
        table(&[(8, 1.0)]).unwrap().extended_to(Bytes::new(9)),
        &["a table with one entry has no line that could go on; help: give it a time for another size"],
    );
    refused(
        table(&[(0, 9.0), (8, 1.0)]).unwrap().extended_to(Bytes::new(16)),
        &[&format!("the time for 16 bytes is -7 us; help: {NOT_NEGATIVE}")],
    );
    let l = PLogP::new(us(-1.0), table(&[(8, 1.0)]).unwrap());
    refused(l, &[&format!("the latency L is -1 us; help: {NOT_NEGATIVE}")]);
}

#[test]
fn a_size_outside_of_a_table_has_no_time() {
    let table = |from, to| GapTable::new([(Bytes::new(from), us(5.0)), (Bytes::new(to), us(9.0))]).unwrap();
    let link = PLogP::new(us(35.0), table(1, 1000)).unwrap().with_sender_overhead(table(16, 64));
    for size in [0, 1001, u64::MAX].map(Bytes::new) {
        let error = link.time(size).unwrap_err();
        let text = format!(
            "a message of {} bytes is outside of the table, which covers 1 to 1000 bytes",
            size.get()
        );
        assert_eq!(error.to_string(), text);
        assert_eq!(link.gap(size).unwrap_err(), error);
        assert_eq!(link.latency(size).unwrap_err(), error);
        assert_eq!(link.train(size, 3).unwrap_err(), error);
        assert_eq!(link.receiver_busy(size).unwrap_err(), error);
    }
    let error = link.sender_busy(Bytes::new(8)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a message of 8 bytes is outside of the table, which covers 16 to 64 bytes"
    );
    assert_eq!(link.time(Bytes::new(1)).unwrap(), us(40.0));
    assert_eq!(link.time(Bytes::new(1000)).unwrap(), us(44.0));
}

#[test]
fn the_largest_sizes_still_have_times() {
    let most = Bytes::new(u64::MAX);
    let largest = us(1e18);
    let models: [Box<dyn CommunicationModel>; 3] = [
        Box::new(Hockney::new(largest, 1e-18).unwrap()),
        Box::new(LogP::new(largest, largest, largest, Bytes::new(1)).unwrap()),
        Box::new(LogGp::new(largest, largest, largest, largest).unwrap()),
    ];
    for model in models {
        assert!(model.train(most, u32::MAX).unwrap().as_microseconds().is_finite());
        assert!(model.latency(most).unwrap().as_microseconds().is_finite());
    }
    assert_eq!(LogP::new(us(1.0), us(1.0), us(0.0), most).unwrap().most_in_flight(), None);
}

#[test]
fn every_bad_value_of_contention_is_named() {
    refused(
        LoPc::new(us(-1.0), us(f64::NAN), us(f64::NEG_INFINITY), -0.5),
        &[
            &format!("the work W between two requests is -1 us; help: {NOT_NEGATIVE}"),
            &format!("the latency L is NaN us; help: {NOT_NEGATIVE}"),
            &format!("the time o of a handler is -inf us; help: {NOT_NEGATIVE}"),
            "the squared coefficient of variation C2 of a handler is -0.5; help: it must be 0 or more, and at most 1e18",
        ],
    );
    refused(
        LoPc::new(us(0.0), us(0.0), us(0.0), 1.0),
        &["W, L and o are all 0, so a cycle takes no time; help: make one of them more than 0"],
    );
    refused(
        SharedLink::new(0, us(-1.0), us(f64::NAN)),
        &[
            "the number of senders is 0; help: it must be from 1 to 1000000",
            &format!("the time Z between two transfers is -1 us; help: {NOT_NEGATIVE}"),
            &format!("the time S of a transfer is NaN us; help: {NOT_NEGATIVE}"),
        ],
    );
    refused(
        SharedLink::new(3, us(0.0), us(0.0)),
        &["Z and S are both 0, so a cycle takes no time; help: make one of them more than 0"],
    );
}

#[test]
fn extreme_values_of_lopc_have_a_cycle() {
    // No handlers, nothing but handlers, and a variation for which the bisection begins far below its root.
    let largest = 1e18;
    for (work, latency, handler, variation) in [
        (1.0, 2.0, 0.0, 1.0),
        (0.0, 0.0, 1e-300, 0.0),
        (largest, largest, largest, 0.0),
        (largest, largest, largest, largest),
        (1.0, 0.0, 1.0, largest),
    ] {
        let lopc = LoPc::new(us(work), us(latency), us(handler), variation).unwrap();
        let times = lopc.solve();
        assert!(
            times.cycle.as_microseconds().is_finite() && times.cycle >= lopc.without_contention(),
            "{times:?}"
        );
        assert!(times.utilisation <= 0.5 && times.requests_queued.is_finite(), "{times:?}");
    }
}

fn run(measured: Measured, size: u64, time: f64) -> Measurement {
    Measurement {
        from: "orsay-1".into(),
        to: "orsay-2".into(),
        measured,
        size: Bytes::new(size),
        time: us(time),
    }
}

#[test]
fn every_run_that_cannot_be_is_named() {
    let runs = [
        run(Measured::HalfRoundTrip, 1, f64::NAN),
        run(Measured::HalfRoundTrip, 1, 50.0),
        run(Measured::Burst { messages: 0 }, 1, -4.0),
        run(Measured::SendOverhead, 1, 0.0),
    ];
    let time = "a time is above 0 and finite; leave the run out or repeat it";
    let expected = [
        format!("run 1, from orsay-1 to orsay-2, took NaN us; help: {time}"),
        format!("run 3, from orsay-1 to orsay-2, took -4 us; help: {time}"),
        "run 3, from orsay-1 to orsay-2, is a burst of 0 messages; help: give the number of messages of the burst, at least 1"
            .to_owned(),
        format!("run 4, from orsay-1 to orsay-2, took 0 us; help: {time}"),
    ];
    let base = LogGp::new(us(1.0), us(1.0), us(1.0), us(1.0)).unwrap();
    let errors = [
        Hockney::fit(&runs).unwrap_err(),
        LogP::fit(&runs).unwrap_err(),
        LogGp::fit(&runs).unwrap_err(),
        PLogP::fit(&runs).unwrap_err(),
        LoGpc::fit(&base, &runs).unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.to_string().lines().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_packet_of_no_bytes_and_a_base_without_a_gap_are_refused() {
    let runs = [run(Measured::HalfRoundTrip, 1, 50.0), run(Measured::HalfRoundTrip, 1000, 60.0)];
    let error = LogP::fit_with_packet(&runs, Bytes::new(0), Weights::Relative).unwrap_err();
    assert_eq!(error.to_string(), "the size w of a packet is 0 bytes; help: it must be 1 byte or more");
    let base = LogGp::new(us(1.0), us(1.0), us(1.0), us(0.0)).unwrap();
    assert_eq!(
        LoGpc::fit(&base, &runs).unwrap_err().to_string(),
        "LoGPC has 1 parameter, and 0 of the given runs say something of them; missing: a base of LogGP whose gap G for each \
         byte is above 0; help: the model needs at least 5 runs: 2 half round trips of different sizes, 1 send overhead, 1 \
         burst of 2 messages or more, 1 half round trip while all transfers share the network"
    );
}

#[test]
fn a_factor_below_zero_is_said() {
    let base = LogGp::new(us(41.0), us(4.5), us(7.0), us(0.01)).unwrap();
    let error = LoGpc::fit(&base, &[run(Measured::HalfRoundTrip, 1001, 30.0)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the runs do not fit LoGPC: gamma would be -2.0000; help: measure these runs again and more often, or take another model"
    );
}

#[test]
fn a_table_of_too_many_sizes_is_refused() {
    let runs: Vec<Measurement> = (0..600).map(|size| run(Measured::Gap, size, 10.0)).collect();
    assert_eq!(
        PLogP::fit(&runs).unwrap_err().to_string(),
        "pLogP would have 601 parameters, one for each size of its tables; help: fit at most 256: leave out some sizes"
    );
}

#[test]
fn runs_with_unknown_sizes_of_the_empty_reply_name_what_is_missing() {
    let runs = [run(Measured::EmptyReply, 1000, 110.0), run(Measured::SendOverhead, 1000, 4.0)];
    let error = PLogP::fit(&runs).unwrap_err();
    let FitError::TooFew { parameters, runs, missing, .. } = &error else { panic!("{error}") };
    let what: Vec<&str> = missing.iter().map(|missing| missing.what.as_str()).collect();
    assert_eq!((*parameters, *runs), (4, 2));
    assert_eq!(
        what,
        ["a gap of messages of 0 bytes", "a round trip of a message of 0 bytes with an empty reply"],
        "{error}"
    );
}
