//! What holds for any parameters.

use proptest::collection::btree_map;
use proptest::prelude::*;
use skel_network::{
    Bytes, CommunicationModel, GapTable, Hockney, LoGpc, LoPc, LogGp, LogP, Measured, Measurement, Model,
    PLogP, SharedLink, Time,
};

fn us(value: f64) -> Time {
    Time::microseconds(value)
}

fn close(left: Time, right: Time, part: f64) -> bool {
    (left - right).as_microseconds().abs()
        <= part * (left.as_microseconds().abs() + right.as_microseconds().abs())
}

/// A run that takes as long as a model says.
fn run(measured: Measured, size: u64, time: Time) -> Measurement {
    Measurement { from: "a".into(), to: "b".into(), measured, size: Bytes::new(size), time }
}

const SIZES: [u64; 6] = [1, 100, 1500, 10_000, 65_536, 1_000_000];

/// Every kind of run, as long as a model says that it takes.
fn runs(model: &dyn CommunicationModel, sizes: &[u64]) -> Vec<Measurement> {
    let mut runs = Vec::new();
    for &size in sizes {
        let bytes = Bytes::new(size);
        let time = model.time(bytes).unwrap();
        let burst = Measured::Burst { messages: 7 };
        runs.push(run(Measured::HalfRoundTrip, size, time));
        runs.push(run(Measured::EmptyReply, size, time + model.time(Bytes::new(0)).unwrap()));
        runs.push(run(Measured::SendOverhead, size, model.sender_busy(bytes).unwrap()));
        runs.push(run(Measured::ReceiveOverhead, size, model.receiver_busy(bytes).unwrap()));
        runs.push(run(burst, size, model.train(bytes, 7).unwrap()));
        runs.push(run(Measured::Gap, size, model.gap(bytes).unwrap()));
    }
    runs
}

fn same_times(left: &dyn CommunicationModel, right: &dyn CommunicationModel) -> Result<(), TestCaseError> {
    for bytes in SIZES.map(Bytes::new) {
        let [left_time, right_time] = [left, right].map(|model| model.time(bytes).unwrap());
        prop_assert!(close(left_time, right_time, 1e-7), "{left:?} {right:?} {bytes:?}");
        let [left_gap, right_gap] = [left, right].map(|model| model.gap(bytes).unwrap());
        prop_assert!(close(left_gap, right_gap, 1e-7), "{left:?} {right:?} {bytes:?}");
    }
    Ok(())
}

fn loggps() -> impl Strategy<Value = LogGp> {
    // The gap is at least the overhead, so that every run says what its row says.
    (1.0..500.0, 0.5..20.0, 0.0..30.0, 1e-4..0.1).prop_map(|(l, o, more, gap_per_byte)| {
        LogGp::new(us(l), us(o), us(o + more), us(gap_per_byte)).unwrap()
    })
}

fn logps() -> impl Strategy<Value = LogP> {
    (1.0..500.0, 0.5..20.0, 0.1..30.0, prop::sample::select(vec![100_u64, 1500, 10_000]))
        .prop_map(|(l, o, more, w)| LogP::new(us(l), us(o), us(o + more), Bytes::new(w)).unwrap())
}

fn hockneys() -> impl Strategy<Value = Hockney> {
    (0.1..500.0, 1.0..10_000.0).prop_map(|(alpha, beta)| Hockney::new(us(alpha), beta).unwrap())
}

/// Tables from 0 bytes to a million and more.
fn tables() -> impl Strategy<Value = GapTable> {
    let inside = btree_map(1_u64..1_000_000, 0.1..10_000.0, 0..12);
    (0.1..50.0, inside, 0.1..10_000.0).prop_map(|(first, inside, last)| {
        let knots = [(0, first)].into_iter().chain(inside).chain([(1 << 20, last)]);
        GapTable::new(knots.map(|(size, time)| (Bytes::new(size), us(time)))).unwrap()
    })
}

fn models() -> impl Strategy<Value = Model> {
    prop_oneof![
        hockneys().prop_map(Model::from),
        logps().prop_map(Model::from),
        loggps().prop_map(Model::from),
        (loggps(), 0.5..4.0).prop_map(|(base, gamma)| LoGpc::new(base, gamma).unwrap().into()),
        (0.0..500.0, tables()).prop_map(|(l, g)| PLogP::new(us(l), g).unwrap().into()),
    ]
}

proptest! {
    #[test]
    fn trains_and_latencies_follow_from_times_and_gaps(model in models(), size in 0_u64..1 << 20, count in 1_u32..50) {
        let bytes = Bytes::new(size);
        let (time, gap) = (model.time(bytes).unwrap(), model.gap(bytes).unwrap());
        prop_assert_eq!(model.train(bytes, 0).unwrap(), Time::ZERO);
        prop_assert_eq!(model.train(bytes, 1).unwrap(), time);
        let more = model.train(bytes, count + 1).unwrap() - model.train(bytes, count).unwrap();
        prop_assert!((more - gap).as_microseconds().abs() <= 1e-12 * model.train(bytes, count + 1).unwrap().as_microseconds());
        let latency = model.latency(bytes).unwrap();
        prop_assert!((latency + gap - time).as_microseconds().abs() <= 1e-12 * (time + gap).as_microseconds());
        prop_assert!(time >= Time::ZERO && gap >= Time::ZERO && model.sender_busy(bytes).unwrap() >= Time::ZERO);
    }

    #[test]
    fn a_larger_message_never_takes_less(model in models(), size in 0_u64..1 << 19, more in 0_u64..1 << 19) {
        prop_assume!(!matches!(model, Model::PLogP(_)));
        let [small, large] = [size, size + more].map(Bytes::new);
        prop_assert!(model.time(small).unwrap() <= model.time(large).unwrap());
        prop_assert!(model.gap(small).unwrap() <= model.gap(large).unwrap());
    }

    #[test]
    fn a_table_stays_between_its_knots(table in tables(), size in 0_u64..1 << 20, beyond in 1_u64..1000) {
        let knots = table.knots();
        let at = knots.partition_point(|knot| knot.0.get() <= size);
        let (below, above) = (knots[at - 1], knots[at.min(knots.len() - 1)]);
        let found = table.at(Bytes::new(size)).unwrap();
        prop_assert!(below.1.min(above.1) <= found && found <= below.1.max(above.1));
        for (size, time) in knots {
            prop_assert_eq!(table.at(*size).unwrap(), *time);
        }
        let outside = table.at(Bytes::new((1 << 20) + beyond)).unwrap_err();
        prop_assert_eq!((outside.least.get(), outside.most.get()), (0, 1 << 20));
    }

    #[test]
    fn an_extended_table_goes_on_as_a_line(table in tables(), beyond in 1_u64..1 << 20) {
        let end = (1 << 20) + beyond;
        if let Ok(extended) = table.extended_to(Bytes::new(end)) {
            let [.., (below, from), (above, to)] = table.knots() else { unreachable!() };
            let slope = (*to - *from) / (above.get() - below.get()) as f64;
            let expected = *to + slope * beyond as f64;
            prop_assert!((extended.at(Bytes::new(end)).unwrap() - expected).as_microseconds().abs() < 1e-6);
            prop_assert_eq!(extended.at(Bytes::new(12_345)), table.at(Bytes::new(12_345)));
        } else {
            let [.., (_, from), (_, to)] = table.knots() else { unreachable!() };
            prop_assert!(to < from);
        }
    }

    #[test]
    fn hockney_is_found_again(model in hockneys()) {
        let fit = Hockney::fit(&runs(&model, &SIZES)[..2 * SIZES.len()]).unwrap();
        same_times(&fit.model, &model)?;
        prop_assert!(fit.median_error() < 1e-9);
    }

    #[test]
    fn logp_is_found_again_with_its_packet(model in logps()) {
        let fit = LogP::fit(&runs(&model, &SIZES)).unwrap();
        prop_assert_eq!(fit.model.w(), model.w());
        prop_assert!(close(fit.model.l(), model.l(), 1e-7) && close(fit.model.o(), model.o(), 1e-7));
        same_times(&fit.model, &model)?;
    }

    #[test]
    fn loggp_is_found_again(model in loggps()) {
        let fit = LogGp::fit(&runs(&model, &SIZES)).unwrap();
        let differs = |left: Time, right: Time| !close(left, right, 1e-6);
        prop_assert!(!differs(fit.model.l(), model.l()) && !differs(fit.model.o(), model.o()), "{}", fit);
        prop_assert!(!differs(fit.model.gap_per_byte(), model.gap_per_byte()), "{}", fit);
        same_times(&fit.model, &model)?;
    }

    #[test]
    fn contention_is_found_again(base in loggps(), gamma in 0.5..4.0) {
        let model = LoGpc::new(base, gamma).unwrap();
        let fit = LoGpc::fit(&base, &runs(&model, &SIZES)).unwrap();
        prop_assert!((fit.model.gamma() - gamma).abs() < 1e-7 * gamma);
        prop_assert_eq!(fit.remarks.is_empty(), fit.model.gamma() >= 1.0);
    }

    #[test]
    fn plogp_is_found_again(l in 0.1..500.0, g in tables()) {
        let model = PLogP::new(us(l), g).unwrap();
        let sizes: Vec<u64> = model.g().knots().iter().map(|knot| knot.0.get()).collect();
        let fit = PLogP::fit(&runs(&model, &sizes)).unwrap();
        prop_assert!((fit.model.l() - us(l)).as_microseconds().abs() < 1e-6);
        prop_assert_eq!(fit.model.g().knots().len(), sizes.len());
        same_times(&fit.model, &model)?;
    }

    #[test]
    fn the_cycle_of_lopc_satisfies_its_equations(
        work in 0.0..1e4, latency in 0.0..1e4, handler in 0.01..1e3, variation in 0.0..10.0,
    ) {
        let lopc = LoPc::new(us(work), us(latency), us(handler), variation).unwrap();
        let times = lopc.solve();
        let [r, rw, rq, ry] = [times.cycle, times.work, times.request, times.reply].map(Time::as_microseconds);
        let same = |left: f64, right: f64| (left - right).abs() <= 1e-12 * (left.abs() + right.abs());
        prop_assert!(same(r, rw + 2.0 * latency + rq + ry));
        let (qq, qy, u) = (rq / r, ry / r, handler / r);
        prop_assert!(same(rq, handler * (1.0 + qq + qy + (variation - 1.0) * u)));
        prop_assert!(same(ry, handler * (1.0 + qq + (variation - 1.0) * u / 2.0)));
        prop_assert!(same(rw, (work + handler * qq) / (1.0 - u)));
        prop_assert!(times.cycle >= lopc.without_contention() && u + u * u < 1.0);
        let more = LoPc::new(us(work), us(latency), us(handler), variation + 1.0).unwrap().solve();
        prop_assert!(more.cycle > times.cycle);
    }

    #[test]
    fn the_exact_wait_is_that_of_the_queues_states(senders in 1_u32..60, think in 1.0..1000.0, transfer in 0.1..1000.0) {
        let link = SharedLink::new(senders, us(think), us(transfer)).unwrap();
        // p(n) is in proportion to N! / (N-n)! (S/Z)^n; the link is idle with probability p(0).
        let mut weight = 1.0;
        let mut sum = 1.0;
        for waiting in 0..senders {
            weight *= f64::from(senders - waiting) * transfer / think;
            sum += weight;
        }
        let busy = 1.0 - 1.0 / sum;
        prop_assume!(sum.is_finite());
        let cycle = f64::from(senders) * transfer / busy;
        let exact = link.exact();
        prop_assert!((exact.cycle.as_microseconds() - cycle).abs() <= 1e-9 * cycle, "{} {}", exact.cycle, cycle);
        let (schweitzer, bard) = (link.schweitzer(), link.bard());
        let rounding = us(1e-9 * cycle);
        prop_assert!(exact.wait <= schweitzer.wait + rounding && schweitzer.wait <= bard.wait);
    }
}
