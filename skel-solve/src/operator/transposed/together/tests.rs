//! Several threads give the bits of one, and what each of them does is counted.

use std::ops::ControlFlow;

use super::Schedule;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::operator::transposed::{Rows, TransposedRates};
use crate::operator::{RateOperator, TriangularSweep};
use crate::space::{Explore, StateSpace};
use crate::team::share;
use crate::vector::random;

/// The rates of a space.
fn rates_of(space: &StateSpace) -> TransposedRates {
    let limits = Limits::default();
    TransposedRates::of_space(space, MemoryBudget::new(&limits), &mut Watch::start(&limits)).unwrap()
}

fn with_rows(states: usize, rows: Rows<'_>) -> TransposedRates {
    let limits = Limits::default();
    TransposedRates::new(states, rows, MemoryBudget::new(&limits), &mut Watch::start(&limits)).unwrap()
}

/// A chain with so many states and random rates, of which `distinct` are distinct.
fn random_chain(seed: usize, states: usize, distinct: usize) -> TransposedRates {
    let number = |at: usize, below: usize| ((random(seed * 1_000_003 + at) - 0.5) * below as f64) as usize;
    let rows: Rows<'_> = &|_, visit| {
        for state in 0..states {
            let near = |at: usize| (state + number(state * 16 + at, states)) % states;
            let mut targets: Vec<usize> = (0..1 + number(state, 5)).map(near).collect();
            targets.push((state + 1) % states);
            targets.sort_unstable();
            targets.dedup();
            let rate = |&target: &usize| (target as u32, 0.1 + number(state * 31 + target, distinct) as f64);
            let row: Vec<(u32, f64)> = targets.iter().filter(|&&target| target != state).map(rate).collect();
            visit(state, &row);
        }
        Ok(())
    };
    with_rows(states, rows)
}

fn shared(chain: TransposedRates, threads: usize, least_level: usize) -> TransposedRates {
    chain.shared_by(threads, least_level, &mut Watch::start(&Limits::default())).unwrap()
}

/// Bits of vectors, and rates with their states.
type Results = (Vec<Vec<u64>>, Vec<(usize, usize, u64)>);

/// The bits of the results of all operations, and all rates in their order.
fn results(chain: &TransposedRates) -> Results {
    let states = chain.states();
    let x: Vec<f64> = (0..states).map(|state| random(state + 17) - 0.6).collect();
    let bits = |work: &dyn Fn(&mut [f64])| {
        let mut x = x.clone();
        work(&mut x);
        x.iter().map(|value| value.to_bits()).collect::<Vec<u64>>()
    };
    let operations = vec![
        bits(&|y| chain.inflow(&x, y)),
        bits(&|y| chain.substitute(y)),
        bits(&|y| chain.later_inflow(y)),
        bits(&|y| chain.substitute_for_later(y)),
        bits(&|y| chain.sweep(y, 0.9)),
    ];
    let mut rates = Vec::new();
    chain.for_each_rate(&mut |from, to, rate| {
        rates.push((from, to, rate.to_bits()));
        ControlFlow::Continue(())
    });
    (operations, rates)
}

#[test]
fn several_threads_give_the_bits_of_one() {
    for (seed, (states, distinct)) in
        [(1, 1), (2, 3), (3, 9), (40, 3), (300, 300), (2000, 9), (900, 1 << 20)].into_iter().enumerate()
    {
        let chain = || random_chain(seed, states, distinct);
        let expected = results(&chain());
        for threads in [1, 2, 3, 8] {
            // With levels, and without.
            for least_level in [0, usize::MAX / 4] {
                let found = results(&shared(chain(), threads, least_level));
                assert!(found == expected, "{states} states, {threads} threads, {least_level}");
            }
        }
    }
}

/// What threads that wait for one another at the end of each level spend on a forward substitution and the inflow from later
/// states, relative to one: the most entries of a thread in each level, and so many more for a barrier.
fn speed_up(chain: &TransposedRates, threads: usize) -> f64 {
    // About two microseconds.
    const OF_BARRIER: usize = 800;
    // A state takes as long as some entries.
    const OF_STATE: usize = 4;
    let schedule = Schedule::new(chain.lists(), threads, 0, &mut Watch::start(&Limits::default())).unwrap();
    let levels = schedule.levels.as_ref().expect("there are levels");
    let earlier = |chunks: std::ops::Range<usize>| {
        let entries = schedule.cut(chunks.end).earlier - schedule.cut(chunks.start).earlier;
        entries + OF_STATE * schedule.states_of(chunks).len()
    };
    let later = |chunks: std::ops::Range<usize>| {
        let entries = schedule.cut(chunks.end).later - schedule.cut(chunks.start).later;
        entries + OF_STATE * schedule.states_of(chunks).len()
    };
    let (mut start, mut of_slowest) = (0, 0);
    for &end in levels {
        let of_thread = |thread| {
            let own = share(end - start, thread, threads);
            earlier(start + own.start..start + own.end)
        };
        of_slowest +=
            (0..threads).map(of_thread).max().unwrap_or(0) + if threads > 1 { OF_BARRIER } else { 0 };
        start = end;
    }
    of_slowest += (0..threads).map(|thread| later(schedule.chunks_of(thread))).max().unwrap_or(0);
    (earlier(0..start) + later(0..start)) as f64 / of_slowest as f64
}

/// The queues of a server that goes round, of so many stations.
fn polling(stations: usize) -> String {
    let next = |at: usize| at % stations + 1;
    let mut text = String::new();
    for at in 1..=stations {
        text += &format!(
            "Empty{at} = (arrive{at}, 0.1).Full{at} + (pass{at}, infty).Empty{at};
             Full{at} = (find{at}, infty).Full{at} + (serve{at}, infty).Empty{at};
             Look{at} = (pass{at}, 200).Look{next} + (find{at}, 200).Serve{at};
             Serve{at} = (serve{at}, 1).Look{next};\n",
            next = next(at)
        );
    }
    let queues: Vec<String> = (1..=stations).map(|at| format!("Empty{at}")).collect();
    let actions = |name: &str| (1..=stations).map(|at| format!("{name}{at}")).collect::<Vec<_>>().join(", ");
    let shared = [actions("pass"), actions("find"), actions("serve")].join(", ");
    format!("{text}({}) <{shared}> Look1", queues.join(" || "))
}

fn in_levels(chain: TransposedRates) -> TransposedRates {
    chain.by_levels_of(0, &mut Watch::start(&Limits::default())).unwrap()
}

/// Work is shared well by up to 16 threads: the share of the slowest is counted, with what the barriers take. Run it with
/// `--nocapture` to see the figures.
#[test]
fn sixteen_threads_share_the_levels_of_many_stations() {
    let model = skel_core::text::parse(&polling(11)).into_model().unwrap();
    let space = model.explore().unwrap().untyped();
    let chain = in_levels(rates_of(&space));
    let mut before = 0.0;
    for threads in [1, 2, 4, 8, 16] {
        let counted = speed_up(&chain, threads);
        println!("{threads} threads: {counted:.2}");
        assert!(counted > before);
        before = counted;
    }
    assert!(before > 6.0, "{before}");
}

#[test]
fn levels_leave_the_chain_as_it_is_and_states_of_a_level_do_not_need_one_another() {
    for (seed, (states, distinct)) in
        [(1, 1), (2, 3), (40, 3), (3000, 9), (900, 1 << 20)].into_iter().enumerate()
    {
        let chain = random_chain(seed, states, distinct);
        let (_, expected) = results(&chain);
        let chain = in_levels(chain);
        let order = chain.order().expect("it has levels").to_vec();
        let (_, mut found) = results(&chain);
        assert!(found.iter().all(|&(from, to, _)| (from < to) == (order[from] < order[to])), "{states}");
        assert!(found.is_sorted_by_key(|&(from, to, _)| (to, from)), "{states}");
        found.iter_mut().for_each(|(from, to, _)| {
            (*from, *to) = (order[*from] as usize, order[*to] as usize);
        });
        found.sort_unstable_by_key(|&(from, to, _)| (to, from));
        assert!(found == expected, "{states}");
        let again = in_levels(chain);
        assert!(
            again.order().expect("it has levels").iter().enumerate().all(|(at, &state)| at == state as usize)
        );
    }
}
