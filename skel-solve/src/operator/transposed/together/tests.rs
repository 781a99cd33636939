//! Several threads give the bits of one, and what each of them does is counted.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::division::level_ends;
use super::{LEAST_GAIN, LEAST_LEVEL, Schedule, Worth};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::operator::transposed::{Rows, TransposedRates, WithinLevels};
use crate::operator::{RateOperator, SharedPass, TriangularSweep};
use crate::space::{Explore, StateSpace};
use crate::team::counted::{Counted, OF_ROW, OF_VECTORS, gains};
use crate::team::{in_chunks, together};
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

/// Threads share levels, whatever these are like; or strips; or products alone.
const BY_LEVEL: Worth = Worth { level: 0, gain: 0.0 };
const BY_STRIP: Worth = Worth { level: usize::MAX / 4, gain: 0.0 };
const NOT_AT_ALL: Worth = Worth { level: usize::MAX / 4, gain: f64::INFINITY };

fn shared(chain: TransposedRates, threads: usize, worth: Worth) -> TransposedRates {
    chain.shared_by(threads, worth, &mut Watch::start(&Limits::default())).unwrap()
}

/// Bits of vectors, and rates with their states.
type Results = (Vec<Vec<u64>>, Vec<(usize, usize, u64)>);

/// The bits of the results of all operations, and all rates in their order.
fn results(chain: &TransposedRates) -> Results {
    let states = chain.states();
    let x: Vec<f64> = (0..states).map(|state| random(state + 17) - 0.6).collect();
    let low: Vec<f64> = x.iter().map(|value| 1e-17 * value).collect();
    let bits = |work: &dyn Fn(&mut [f64])| {
        let mut x = x.clone();
        work(&mut x);
        x.iter().map(|value| value.to_bits()).collect::<Vec<u64>>()
    };
    let operations = vec![
        bits(&|y| chain.inflow(&x, y)),
        bits(&|y| chain.net_exactly([&x, &low], &chain.exit_remainders(), y)),
        bits(&|y| chain.substitute(y)),
        bits(&|y| chain.later_inflow(y)),
        bits(&|y| chain.substitute_for_later(y)),
        bits(&|y| chain.sweep(y, 0.9)),
        bits(&|y| chain.sweep(y, 1.0)),
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
            for worth in [BY_LEVEL, BY_STRIP, NOT_AT_ALL] {
                let found = results(&shared(chain(), threads, worth));
                assert!(found == expected, "{states} states, {threads} threads, {worth:?}");
            }
        }
    }
}

impl TransposedRates {
    /// Three queues in a line, each with so many places less one.
    pub(crate) fn lattice(places: usize) -> TransposedRates {
        let rows: Rows<'_> = &|_, visit| {
            let mut row = Vec::new();
            for state in 0..places.pow(3) {
                let at = [state / places.pow(2), state / places % places, state % places];
                let moves = [[1, 0, 0], [-1, 1, 0], [0, -1, 1], [0, 0, -1]];
                row.clear();
                for (rate, step) in (1..).zip(moves) {
                    let next: [Option<usize>; 3] =
                        std::array::from_fn(|queue| at[queue].checked_add_signed(step[queue]));
                    if let [Some(x), Some(y), Some(z)] =
                        next.map(|place| place.filter(|place| *place < places))
                    {
                        row.push((((x * places + y) * places + z) as u32, f64::from(rate)));
                    }
                }
                row.sort_unstable_by_key(|entry| entry.0);
                visit(state, &row);
            }
            Ok(())
        };
        with_rows(places.pow(3), rows)
    }
}

#[test]
fn the_strips_of_a_lattice_leave_the_chain_as_it_is_and_two_threads_share_them() {
    let limits = Limits::default();
    let (mut watch, budget) = (Watch::start(&limits), MemoryBudget::new(&limits));
    let chain = TransposedRates::lattice(38).by_level(budget, &mut watch).unwrap();
    let order = chain.order().expect("levels have hundreds of states").to_vec();
    assert!(chain.count_levels() > 1000, "levels are divided among the strips");
    chain.for_each_rate(&mut |from, to, _| {
        assert_eq!(from < to, order[from] < order[to], "from {from} to {to}");
        ControlFlow::Continue(())
    });
    // Of the transposed equations, states come the other way round.
    let dual = TransposedRates::dual(&chain, budget, &mut watch).unwrap().expect("it fits");
    let worth = Worth { level: LEAST_LEVEL, gain: LEAST_GAIN };
    for chain in [chain, dual] {
        assert!(chain.has_shared_sweeps());
        let expected = results(&chain);
        assert!(results(&shared(chain, 2, worth)) == expected);
    }
}

/// The bits of what threads make of a vector in two passes, after which a similarity is taken back if there
/// is one.
fn together_of(shared: &dyn SharedPass, chain: &TransposedRates, mut x: Vec<f64>) -> (Vec<u64>, bool) {
    let chunks = in_chunks(&mut x, &chain.chunk_ends());
    let is_taken_back = AtomicBool::new(false);
    together(vec![(); shared.threads()], |(), member| {
        for _ in 0..2 {
            shared.pass(member, &chunks);
            member.meet();
        }
        is_taken_back.fetch_or(shared.take_back(member, &chunks), Ordering::Relaxed);
    });
    drop(chunks);
    (x.iter().map(|value| value.to_bits()).collect(), is_taken_back.into_inner())
}

#[test]
fn the_threads_of_a_team_make_of_vectors_what_one_makes() {
    for (seed, (states, distinct)) in
        [(1, 1), (3, 9), (300, 300), (2000, 9), (900, 1 << 20)].into_iter().enumerate()
    {
        let alone = random_chain(seed, states, distinct);
        let pivots = alone.pivots();
        let start: Vec<f64> = (0..states).map(|state| random(state + 17) - 0.6).collect();
        let (mut swept, mut by_factors, mut half) = (start.clone(), start.clone(), vec![0.0; states]);
        for _ in 0..2 {
            alone.substitute_for_later(&mut swept);
            alone.rest_of_factors(&pivots, &mut by_factors, &mut half);
        }
        alone.multiply_forwards(&pivots, &mut by_factors);
        let expected =
            [swept, by_factors].map(|x| x.iter().map(|value| value.to_bits()).collect::<Vec<u64>>());
        for (threads, worth) in
            [2, 3, 8].into_iter().flat_map(|threads| [(threads, BY_LEVEL), (threads, BY_STRIP)])
        {
            let chain = shared(random_chain(seed, states, distinct), threads, worth);
            let sweeps = TriangularSweep::shared(&chain).expect("threads share sweeps");
            assert_eq!(together_of(&*sweeps, &chain, start.clone()), (expected[0].clone(), false));
            drop(sweeps);
            let factors = chain.shared_factors(&pivots).expect("threads share sweeps");
            let found = together_of(&*factors, &chain, start.clone());
            assert_eq!(found, (expected[1].clone(), true), "{states} states, {threads} threads, {worth:?}");
        }
        let chain = shared(random_chain(seed, states, distinct), 1, BY_LEVEL);
        assert!(TriangularSweep::shared(&chain).is_none() && chain.shared_factors(&pivots).is_none());
    }
}

#[test]
fn no_rate_leads_from_a_state_to_another_one_of_its_level() {
    for (seed, states) in [1, 3, 300, 2000].into_iter().enumerate() {
        for chain in [random_chain(seed, states, 9), in_levels(random_chain(seed, states, 9))] {
            let mut levels = vec![0; states];
            let mut start = 0;
            for (level, end) in chain.level_ends().into_iter().enumerate() {
                levels[start..end].fill(level);
                start = end;
            }
            chain.for_each_rate(&mut |from, to, _| {
                assert_ne!(levels[from], levels[to], "{states} states, from {from} to {to}");
                ControlFlow::Continue(())
            });
        }
    }
}

impl TransposedRates {
    fn level_ends(&self) -> Vec<usize> {
        level_ends(self.lists(), &mut Watch::start(&Limits::default())).unwrap()
    }

    fn schedule_for(&self, threads: usize) -> Schedule {
        let worth = Worth { level: LEAST_LEVEL, gain: LEAST_GAIN };
        Schedule::new(self.lists(), threads, worth, &mut Watch::start(&Limits::default())).unwrap()
    }

    /// How many levels threads can share.
    pub(crate) fn count_levels(&self) -> usize {
        self.level_ends().len()
    }

    /// Whether two threads share sweeps.
    pub(crate) fn has_shared_sweeps(&self) -> bool {
        self.schedule_for(2).shares_sweeps()
    }

    /// The work for a product in an iteration of BiCGSTAB: a forward substitution, the inflow from later
    /// states, and the steps with vectors that follow.
    pub(crate) fn counted(&self, threads: usize) -> Counted {
        let schedule = self.schedule_for(threads);
        let mut counted = Counted::by(threads);
        counted.passes(schedule.count());
        let owners = schedule.threads_of_chunks();
        let later = |chunk: usize| schedule.cut(chunk + 1).later - schedule.cut(chunk).later;
        let states = |chunk: usize| schedule.states_of(chunk..chunk + 1).len();
        let afterwards = |chunk: usize| later(chunk) + (OF_ROW + OF_VECTORS) * states(chunk);
        let of =
            |thread: usize| (0..owners.len()).filter(|&chunk| owners[chunk] == thread).collect::<Vec<_>>();
        counted.stretch(|thread| of(thread).into_iter().map(afterwards).sum());
        // In the other half of an iteration, and for its end, threads meet once more.
        counted.stretch(|_| 0);
        counted
    }

    /// Which share of the rates lead from a state of one thread to one of another.
    pub(crate) fn between_threads(&self, threads: usize) -> f64 {
        let schedule = self.schedule_for(threads);
        let mut of_state = vec![0; self.states()];
        for (chunk, owner) in schedule.threads_of_chunks().into_iter().enumerate() {
            of_state[schedule.states_of(chunk..chunk + 1)].fill(owner);
        }
        let mut between = 0_u64;
        self.for_each_rate(&mut |from, to, _| {
            between += u64::from(of_state[from] != of_state[to]);
            ControlFlow::Continue(())
        });
        between as f64 / self.rates() as f64
    }
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

/// Work is shared well by up to 16 threads: the share of the slowest is counted, with what the barriers take.
/// Run it with `--nocapture` to see the figures.
#[test]
fn sixteen_threads_share_the_levels_of_many_stations() {
    let model = skel_core::text::parse(&polling(11)).into_model().unwrap();
    let space = model.explore().unwrap().untyped();
    let chain = in_levels(rates_of(&space));
    let mut before = 0.0;
    for gain in gains(|threads| chain.counted(threads)) {
        println!("{gain:.2}");
        assert!(gain > before);
        before = gain;
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

/// The place of each state in an order.
fn places_of(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &state)| places[state as usize] = place as u32);
    places
}

#[test]
fn levels_in_another_order_leave_the_chain_as_it_is() {
    let chains = [(1, 1), (2, 3), (40, 3), (3000, 9), (20_000, 1), (900, 1 << 20)].into_iter().enumerate();
    let both = [WithinLevels::AsPassed, WithinLevels::ByNumber];
    for ((seed, (states, distinct)), within) in chains.flat_map(|chain| both.map(|within| (chain, within))) {
        let chain = random_chain(seed, states, distinct);
        let mut flow: Vec<u32> = (0..states as u32).collect();
        flow.sort_unstable_by(|&one, &other| {
            random(one as usize + 99).total_cmp(&random(other as usize + 99))
        });
        let places = places_of(&flow);
        let arranged = |threads: usize| {
            let limits = Limits { threads: std::num::NonZeroUsize::new(threads), ..Limits::default() };
            let mut watch = Watch::start(&limits);
            let order = chain.large_levels_in((&flow, &places), within, 0, &mut watch).unwrap();
            let order = order.expect("it has levels");
            let budget = MemoryBudget::new(&limits);
            let arranged = TransposedRates::arranged(&chain, &places_of(&order), budget, &mut watch).unwrap();
            (arranged.expect("it fits"), order)
        };
        let (one, order) = arranged(1);
        let (vectors, mut rates) = results(&one);
        assert!(rates.is_sorted_by_key(|&(from, to, _)| (to, from)), "{states}");
        // What is before a state in the order that is given is before it in that of the levels, and it is in
        // a lower one.
        let places = order.iter().map(|&state| places[state as usize]).collect::<Vec<u32>>();
        assert!(rates.iter().all(|&(from, to, _)| (from < to) == (places[from] < places[to])), "{states}");
        let again = one.levels(&mut Watch::start(&Limits::default())).unwrap();
        assert!(again.is_sorted(), "{states}");
        // Levels of no more states than are sorted by their rates at once: states with as many rates come in
        // the order that is asked for.
        if states <= 900 {
            let [before, behind] = one.lists().map(|(counts, _)| counts);
            let rank = |at: usize| match within {
                WithinLevels::AsPassed => places[at],
                WithinLevels::ByNumber => order[at],
            };
            let ranked: Vec<_> =
                (0..states).map(|at| (again[at], before[at], behind[at], rank(at))).collect();
            assert!(
                ranked
                    .windows(2)
                    .all(|pair| pair[0] < pair[1] || pair[0].1 != pair[1].1 || pair[0].2 != pair[1].2),
                "{states}"
            );
        }
        rates.iter_mut().for_each(|(from, to, _)| {
            (*from, *to) = (order[*from] as usize, order[*to] as usize);
        });
        rates.sort_unstable_by_key(|&(from, to, _)| (to, from));
        assert!(rates == results(&chain).1, "{states}");
        for threads in [2, 3, 8] {
            let (several, of_several) = arranged(threads);
            assert!(of_several == order, "{threads} threads");
            assert!(results(&several).0 == vectors, "{threads} threads");
        }
    }
}
