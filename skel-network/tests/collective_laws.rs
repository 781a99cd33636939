//! Laws that the times of collective operations obey on any network.

mod links;

use links::plogp;
use proptest::prelude::*;
use skel_network::collective::{Algorithm, Collective, Operation};
use skel_network::simulate::{self, Plan};
use skel_network::{Bytes, CommunicationModel, OutsideTable, PLogP, Time};

/// A latency and gaps that do not decrease, up to 1 GiB.
fn link() -> impl Strategy<Value = PLogP> {
    (0.0..500.0, prop::collection::vec(0.0..1000.0, 6)).prop_map(|(latency, more)| {
        let gap = |gap: &mut f64, more| {
            *gap += more;
            Some(*gap)
        };
        plogp(
            latency,
            [0, 100, 1 << 10, 1 << 16, 1 << 20, 1 << 30].into_iter().zip(more.into_iter().scan(0.0, gap)),
        )
    })
}

fn questions() -> impl Strategy<Value = (Operation, Algorithm)> {
    let pairs = Operation::ALL
        .into_iter()
        .flat_map(|operation| operation.algorithms().iter().map(move |algorithm| (operation, *algorithm)));
    prop::sample::select(pairs.collect::<Vec<_>>())
}

fn collective(operation: Operation, processes: u32, size: u64) -> Collective {
    Collective::new(operation, processes, Bytes::new(size)).unwrap()
}

fn time(operation: Operation, algorithm: Algorithm, processes: u32, size: u64, link: &PLogP) -> f64 {
    collective(operation, processes, size).time(algorithm, link).unwrap().time.as_microseconds()
}

fn printed(algorithm: Algorithm, processes: u32, size: u64, link: &PLogP) -> f64 {
    let broadcast = collective(Operation::Broadcast, processes, size);
    broadcast.time_as_printed(algorithm, link).unwrap().time.as_microseconds()
}

fn at_most(a: f64, b: f64) -> bool {
    a <= b * (1.0 + 1e-12)
}

fn equal(a: f64, b: f64) -> bool {
    at_most(a, b) && at_most(b, a)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn more_processes_take_no_less_time(
        link in link(), (operation, algorithm) in questions(), processes in 1_u32..600, more in 0_u32..300, size in 0_u64..500_000,
    ) {
        let (few, many) = match algorithm {
            Algorithm::RecursiveDoubling => (processes.next_power_of_two(), (processes + more).next_power_of_two()),
            _ => (processes, processes + more),
        };
        let [few, many] = [few, many].map(|processes| time(operation, algorithm, processes, size, &link));
        prop_assert!(at_most(few, many), "{few} > {many}");
    }

    #[test]
    fn larger_messages_take_no_less_time(
        link in link(), (operation, algorithm) in questions(), processes in 1_u32..600, size in 0_u64..500_000, more in 0_u64..500_000,
    ) {
        let processes =
            if algorithm == Algorithm::RecursiveDoubling { processes.next_power_of_two() } else { processes };
        let [small, large] =
            [size, size + more].map(|size| time(operation, algorithm, processes, size, &link));
        prop_assert!(at_most(small, large), "{small} > {large}");
    }

    /// The printed form of the flat tree is exact, those of the chain and the binary tree are upper bounds.
    #[test]
    fn the_printed_forms_that_are_upper_bounds(link in link(), processes in 1_u32..2000, size in 1_u64..1_000_000) {
        let exact = |algorithm| time(Operation::Broadcast, algorithm, processes, size, &link);
        let printed = |algorithm| printed(algorithm, processes, size, &link);
        prop_assert!(equal(exact(Algorithm::Flat), printed(Algorithm::Flat)));
        prop_assert!(at_most(exact(Algorithm::Chain), printed(Algorithm::Chain)));
        prop_assert!(at_most(exact(Algorithm::Binary), printed(Algorithm::Binary)));
    }

    /// The binomial tree takes `ceil(log2 P) g + floor(log2 P) L`. The paper has the roundings exchanged.
    #[test]
    fn the_printed_form_of_the_binomial_tree_has_its_roundings_exchanged(
        link in link(), processes in 1_u32..u32::MAX, size in 1_u64..1_000_000,
    ) {
        let [floor, ceiling] = [f64::from(processes).log2().floor(), f64::from(processes).log2().ceil()];
        let gap = link.gap(Bytes::new(size)).unwrap().as_microseconds();
        let exact = time(Operation::Broadcast, Algorithm::Binomial, processes, size, &link);
        prop_assert!(equal(exact, ceiling * gap + floor * link.l().as_microseconds()));
        prop_assert!(equal(printed(Algorithm::Binomial, processes, size, &link), floor * gap + ceiling * link.l().as_microseconds()));
    }

    /// A gather is a scatter backwards. Ports that take messages in order of arrival can make it shorter, but
    /// not over full trees.
    #[test]
    fn a_gather_is_a_scatter_backwards(link in link(), processes in 1_u32..600, size in 0_u64..1_000_000, bits in 0_u32..10) {
        let gather = |algorithm, processes| time(Operation::Gather, algorithm, processes, size, &link);
        let scatter = |algorithm, processes| time(Operation::Scatter, algorithm, processes, size, &link);
        prop_assert!(equal(gather(Algorithm::Flat, processes), scatter(Algorithm::Flat, processes)));
        prop_assert!(at_most(gather(Algorithm::Binomial, processes), scatter(Algorithm::Binomial, processes)));
        let (gather, scatter) = (gather(Algorithm::Binomial, 1 << bits), scatter(Algorithm::Binomial, 1 << bits));
        prop_assert!(equal(gather, scatter));
    }

    /// A reduction that combines in no time is a broadcast backwards; combining adds at most its time for
    /// each child on the way.
    #[test]
    fn a_reduction_is_a_broadcast_backwards(
        link in link(), processes in 2_u32..600, size in 0_u64..1_000_000, per_byte in 0.0..0.1, bits in 0_u32..10,
    ) {
        for algorithm in [Algorithm::Flat, Algorithm::Binomial] {
            let broadcast = time(Operation::Broadcast, algorithm, processes, size, &link);
            let reduce = time(Operation::Reduce, algorithm, processes, size, &link);
            prop_assert!(at_most(reduce, broadcast));
            let combining = collective(Operation::Reduce, processes, size).combining(Time::microseconds(per_byte)).unwrap();
            let combined = combining.time(algorithm, &link).unwrap().time.as_microseconds();
            let most = combining.combining_time().as_microseconds() * f64::from(processes - 1);
            prop_assert!(at_most(reduce, combined) && at_most(combined, reduce + most));
        }
        let full = |operation| time(operation, Algorithm::Binomial, 1 << bits, size, &link);
        prop_assert!(equal(full(Operation::Reduce), full(Operation::Broadcast)));
    }

    /// In an all-gather, every process receives `P - 1` blocks on one port; recursive doubling and Bruck are
    /// the same where both are possible.
    #[test]
    fn an_all_gather_is_bounded_by_its_last_round(link in link(), bits in 1_u32..10, size in 0_u64..1_000_000) {
        let of = |algorithm| time(Operation::AllGather, algorithm, 1 << bits, size, &link);
        prop_assert!(equal(of(Algorithm::RecursiveDoubling), of(Algorithm::Bruck)));
        let half = Bytes::new(size << (bits - 1));
        prop_assert!(at_most(link.time(half).unwrap().as_microseconds(), of(Algorithm::Bruck)));
    }

    /// The segment that is found is no worse than any power of two, and the chain with it no worse than the
    /// whole message.
    #[test]
    fn the_chain_is_at_least_as_fast_as_with_any_power_of_two(link in link(), processes in 1_u32..300, size in 1_u64..1_000_000) {
        let broadcast = collective(Operation::Broadcast, processes, size);
        let chosen = broadcast.time(Algorithm::Chain, &link).unwrap();
        for segment in (0..20).map(|bits| 1 << bits).filter(|segment| *segment < size).chain([size]).map(Bytes::new) {
            let other = broadcast.time_with_segment(Algorithm::Chain, &link, segment).unwrap();
            prop_assert!(chosen.time <= other.time);
            prop_assert!(chosen.time < other.time || segment <= chosen.segment.unwrap(), "ties go to the largest");
        }
    }

    /// Algorithms come in the order of their times, and the first is the best.
    #[test]
    fn a_ranking_is_in_order(link in link(), operation in prop::sample::select(&Operation::ALL[..]), processes in 1_u32..300, size in 1_u64..1_000_000) {
        let collective = collective(operation, processes, size);
        let ranking = collective.fastest(&link).unwrap();
        prop_assert_eq!(ranking.predictions.len(), collective.algorithms().count());
        prop_assert_eq!(*ranking.best(), ranking.predictions[0]);
        for pair in ranking.predictions.windows(2) {
            prop_assert!(pair[0].time < pair[1].time || pair[0].time == pair[1].time && pair[0].algorithm < pair[1].algorithm);
        }
    }

    /// No number of processes, no size and no model makes an answer that is no time.
    #[test]
    fn an_answer_is_a_time_or_an_error(
        (operation, algorithm) in questions(), processes in extreme_u32(), size in extreme_u64(), segment in extreme_u64(),
        gap in extreme_f64(), latency in extreme_f64(), per_byte in extreme_f64(),
    ) {
        let model = Anything { gap, latency };
        let Ok(collective) = Collective::new(operation, processes, Bytes::new(size)) else {
            prop_assert_eq!(processes, 0);
            return Ok(());
        };
        let collective = collective.combining(Time::microseconds(per_byte)).unwrap_or(collective);
        let segmented = collective.time_with_segment(algorithm, &model, Bytes::new(segment));
        let answers = [collective.time(algorithm, &model), collective.time_as_printed(algorithm, &model), segmented];
        for answer in answers {
            match answer {
                Ok(predicted) => {
                    let time = predicted.time.as_microseconds();
                    prop_assert!(time.is_finite() && time >= 0.0, "{time}");
                }
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
        let _ = collective.fastest(&model);
        // Plans of up to 100 processes are played; those of millions are refused.
        if !(100..3_000_000).contains(&processes) && let Ok(plan) = Plan::of(&collective, algorithm, None) {
            let _ = simulate::run(&plan, &model);
        }
    }
}

fn extreme_u32() -> impl Strategy<Value = u32> {
    prop_oneof![0..4_u32, any::<u32>(), u32::MAX - 3..=u32::MAX, Just(1 << 31)]
}

fn extreme_u64() -> impl Strategy<Value = u64> {
    prop_oneof![0..4_u64, any::<u64>(), u64::MAX - 3..=u64::MAX, Just(1 << 63), Just(1 << 32), 0..100_000_u64]
}

fn extreme_f64() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..1e6, any::<f64>(), Just(f64::MAX), Just(f64::NAN), Just(0.0), Just(-1.0)]
}

/// The same gap and latency for all sizes, whatever they are.
#[derive(Debug)]
struct Anything {
    gap: f64,
    latency: f64,
}

impl CommunicationModel for Anything {
    fn name(&self) -> &'static str {
        "anything"
    }
    fn time(&self, _: Bytes) -> Result<Time, OutsideTable> {
        Ok(Time::microseconds(self.gap + self.latency))
    }
    fn gap(&self, _: Bytes) -> Result<Time, OutsideTable> {
        Ok(Time::microseconds(self.gap))
    }
    fn sender_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.gap(size)
    }
    fn receiver_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.gap(size)
    }
    fn latency(&self, _: Bytes) -> Result<Time, OutsideTable> {
        Ok(Time::microseconds(self.latency))
    }
}
