//! Compares products, sweeps and searches with the generator matrix, for blocks of several sizes.

use crate::chain::Generator;
use crate::limits::Limits;
use crate::operator::kronecker::*;
use crate::random_model::random_model;
use crate::space::{Explore, Options, StateSpace, Storage};
use crate::team::counted::{Counted, OF_ROW, OF_VECTORS, gains};
use std::cmp::Ordering;

const MODELS: [&str; 5] = [
    "P = (a, 1).Q; Q = (b, 2).R; R = (c, 3).P; P || P || P",
    // A pipeline of stages; every combination is a state.
    "S = (in, 3).(work, 2).(hand, 1).S; T = (hand, infty).(use, 4).(pass, 5).T; U = (pass, infty).(out, 6).U;          S <hand> T <pass> U",
    // Apparent rates that depend on both sides, self-loops, and an action that is enabled in two ways.
    "P = (a, 1).Q + (a, 2).P; Q = (a, 3).R + (b, 1).Q; R = (b, 4).P; V = (a, 2).W + (b, 1).V; W = (a, 1).V + (b, 5).W;          P <a, b> V",
    // A token that goes round; most combinations are not reachable.
    "A = (go, 1).B; B = (back, infty).A; C = (go, infty).D; D = (back, 2).C; E = (idle, 1).F; F = (go, infty).E;          (A <go, back> C) <go> E",
    "P = (a, 1).P1; P1 = (b, infty).P; Q = (b, 2).Q1 + (d, 1).Q; Q1 = (c, 1).Q; P <b> (Q <b> P) || Q",
];

fn space(text: &str) -> StateSpace {
    let model = skel_core::text::parse(text).into_model().expect("a model");
    let options = Options { storage: Storage::Bitset, ..Options::default() };
    model.explorer().options(&options).explore().expect("a space")
}

fn rates_of(descriptor: (&Bitset, Descriptor), threads: usize) -> KroneckerRates<'_> {
    KroneckerRates::new(descriptor, threads, &mut Watch::start(&Limits::default())).unwrap()
}

/// The off-diagonal rates `q(i, j)`, by the generator matrix.
fn rates(space: &StateSpace) -> Vec<Vec<f64>> {
    let generator = Generator::<f64>::of(space);
    let mut rates = vec![vec![0.0; space.states()]; space.states()];
    for (from, row) in rates.iter_mut().enumerate() {
        generator.rates_from(from).for_each(|(to, &rate)| row[to] = rate);
    }
    rates
}

fn assert_near(found: &[f64], expected: &[f64], what: &str) {
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{what}: {found} {expected}");
    }
}

fn sum(states: usize, rate: impl Fn(usize) -> f64) -> f64 {
    (0..states).map(rate).sum()
}

#[test]
fn products_and_sweeps_are_those_of_the_matrix() {
    for text in MODELS {
        let space = space(text);
        let (q, states) = (rates(&space), space.states());
        let exits: Vec<f64> = q.iter().map(|row| row.iter().sum()).collect();
        let x: Vec<f64> = (0..states).map(|state| 1.0 + (state * 7 % 5) as f64).collect();
        for most in [1, 2, 4, 9, 8192] {
            let what = format!("blocks of {most}: {text}");
            let kronecker = rates_of(Descriptor::in_blocks(&space, most, u64::MAX).expect("terms"), 2);
            assert_near(kronecker.exits(), &exits, &what);
            let mut found = vec![0.0; states];
            kronecker.inflow(&x, &mut found);
            let inflow: Vec<f64> = (0..states).map(|to| sum(states, |from| x[from] * q[from][to])).collect();
            assert_near(&found, &inflow, &what);
            let mut found = x.clone();
            kronecker.later_inflow(&mut found);
            let later = |to: usize| sum(states, |from| if from > to { x[from] * q[from][to] } else { 0.0 });
            assert_near(&found, &(0..states).map(later).collect::<Vec<_>>(), &what);
            let (mut found, mut expected) = (x.clone(), x.clone());
            kronecker.substitute(&mut found);
            for to in 0..states {
                expected[to] = (x[to] + sum(to, |from| expected[from] * q[from][to])) / exits[to];
            }
            assert_near(&found, &expected, &what);
            for weight in [0.75, 1.0] {
                let (mut found, mut expected) = (x.clone(), x.clone());
                kronecker.sweep(&mut found, weight);
                for to in 0..states {
                    let balanced = sum(states, |from| expected[from] * q[from][to]) / exits[to];
                    expected[to] += weight * (balanced - expected[to]);
                }
                assert_near(&found, &expected, &what);
            }
        }
    }
}

#[test]
fn rates_come_in_order_and_each_once() {
    for text in MODELS {
        let space = space(text);
        let q = rates(&space);
        let expected: Vec<(usize, usize, f64)> = (0..space.states())
            .flat_map(|to| (0..space.states()).map(move |from| (from, to)))
            .filter(|&(from, to)| q[from][to] > 0.0)
            .map(|(from, to)| (from, to, q[from][to]))
            .collect();
        for most in [1, 4, 8192] {
            let kronecker = rates_of(Descriptor::in_blocks(&space, most, u64::MAX).expect("terms"), 1);
            let mut found = Vec::new();
            kronecker.for_each_rate(&mut |from, to, rate| {
                found.push((from, to, rate));
                ControlFlow::Continue(())
            });
            assert_eq!(found, expected, "blocks of {most}: {text}");
        }
    }
}

#[test]
fn throughputs_are_those_of_the_transitions() {
    for text in MODELS {
        let space = space(text);
        let pi: Vec<f64> = (0..space.states()).map(|state| 1.0 / (2 + state) as f64).collect();
        let actions = space.model().actions().len();
        let mut expected = vec![0.0; actions];
        for (state, probability) in pi.iter().enumerate() {
            let transitions = space.transitions_from(state);
            transitions.for_each(|(action, rate, _)| expected[action.index()] += probability * rate);
        }
        for most in [1, 4, 8192] {
            let (bitset, descriptor) = Descriptor::in_blocks(&space, most, u64::MAX).expect("terms");
            let found = throughputs((bitset, &descriptor), &pi, actions, || Ok(())).unwrap();
            assert_near(&found, &expected, text);
        }
    }
}

#[test]
fn rates_are_made_anew_only_where_that_is_quick_and_within_the_memory() {
    let pipeline = space(MODELS[1]);
    assert!(Descriptor::of_space(&pipeline.untyped(), u64::MAX).is_some());
    assert!(Descriptor::of_space(&pipeline.untyped(), 1_000).is_none());
    // Blocks have three states, and there are thousands of conditions on a block.
    let ring = |ring: usize, length: usize| {
        let step = |at: usize| format!("R{ring}_{at} = (turn{ring}, 2).R{ring}_{};\n", (at + 1) % length);
        (0..length).map(step).collect::<String>()
    };
    let rings = space(&format!("{}{}R0_0 || R1_0", ring(0, 3), ring(1, 4_000)));
    assert_eq!((rings.states(), rings.storage()), (12_000, Storage::Bitset));
    assert!(Descriptor::of_space(&rings.untyped(), u64::MAX).is_none());
}

type Sweep = dyn Fn(&KroneckerRates<'_>, &mut [f64]);

#[test]
fn sweeps_by_several_threads_have_the_bits_of_one() {
    for text in MODELS {
        let space = space(text);
        let x: Vec<f64> = (0..space.states()).map(crate::vector::random).collect();
        for most in [1, 2, 4] {
            let descriptor = || Descriptor::in_blocks(&space, most, u64::MAX).expect("terms");
            let alone = rates_of(descriptor(), 1);
            for threads in [2, 3, 8] {
                let shared = rates_of(descriptor(), threads).sweeping_by(threads);
                let sweeps: [&Sweep; 4] = [
                    &|rates, x| rates.substitute(x),
                    &|rates, x| rates.later_inflow(x),
                    &|rates, x| rates.sweep(x, 0.75),
                    &|rates, x| rates.sweep(x, 1.0),
                ];
                for sweep in sweeps {
                    let (mut one, mut several) = (x.clone(), x.clone());
                    sweep(&alone, &mut one);
                    sweep(&shared, &mut several);
                    let bits =
                        |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                    assert_eq!(bits(&one), bits(&several), "{threads} threads, blocks of {most}: {text}");
                }
            }
        }
    }
}

#[test]
fn products_and_solutions_of_random_models_are_those_of_their_rates() {
    const MODELS: usize = 40;
    let mut full = 0;
    for seed in 0..MODELS {
        let text = random_model(seed);
        let space = space(&text);
        let states = space.states();
        full += usize::from(space.bitset().expect("bits").0.is_full());
        let x: Vec<f64> = (0..states).map(crate::vector::random).collect();
        for most in [1, 3, 8, 30, 100, 8192] {
            let what = format!("blocks of {most}: {text}");
            let kronecker = rates_of(Descriptor::in_blocks(&space, most, u64::MAX).expect("terms"), 1);
            let (mut inflow, mut later, mut solution) = (vec![0.0; states], vec![0.0; states], x.clone());
            let mut at = 0;
            // Rates come by target, so all values that a solution needs are ready by then.
            kronecker.for_each_rate(&mut |from, to, rate| {
                while at < to {
                    solution[at] /= kronecker.exits()[at];
                    at += 1;
                }
                inflow[to] += x[from] * rate;
                if from > to {
                    later[to] += x[from] * rate;
                } else {
                    solution[to] += solution[from] * rate;
                }
                ControlFlow::Continue(())
            });
            (at..states).for_each(|state| solution[state] /= kronecker.exits()[state]);
            let found = |work: &dyn Fn(&mut [f64])| {
                let mut found = x.clone();
                work(&mut found);
                found
            };
            assert_near(&found(&|to| kronecker.inflow(&x, to)), &inflow, &what);
            assert_near(&found(&|x| kronecker.later_inflow(x)), &later, &what);
            assert_near(&found(&|x| kronecker.substitute(x)), &solution, &what);
            #[cfg(feature = "over-time")]
            {
                const SHARE: f64 = 0.01;
                let stays = x.iter().zip(kronecker.exits()).map(|(value, exit)| value * (1.0 - SHARE * exit));
                let next: Vec<f64> =
                    stays.zip(&inflow).map(|(stays, inflow)| stays + SHARE * inflow).collect();
                assert_near(&found(&|to| kronecker.uniformised(&x, SHARE, to)), &next, &what);
            }
        }
    }
    assert_eq!(full, MODELS.div_ceil(3), "{full} of {MODELS} spaces are full");
}

impl KroneckerRates<'_> {
    /// How many blocks there are, and in how many levels.
    pub(crate) fn count_blocks(&self) -> (usize, usize) {
        let levels = sharing::Levels::find(&self.descriptor, &mut Watch::start(&Limits::default()));
        (self.descriptor.blocks, levels.unwrap().iter().count())
    }

    fn sharing_by(&self, threads: usize) -> Sharing {
        Sharing::new(&self.descriptor, threads, &mut Watch::start(&Limits::default())).unwrap()
    }

    /// The same rates, with sweeps by so many threads.
    fn sweeping_by(self, threads: usize) -> Self {
        let sharing = self.sharing_by(threads);
        KroneckerRates { sharing, ..self }
    }

    /// The work for a product in an iteration of BiCGSTAB: both passes, and the steps with vectors that
    /// follow. A block has as many entries for each block from which rates lead to it as it has places.
    pub(crate) fn counted(&self, threads: usize) -> Counted {
        let places = self.descriptor.low;
        let runs = self.descriptor.within.diagonals.runs();
        // Half of the rates within a block are from earlier places.
        let within = runs.map(|run| run.length as usize).sum::<usize>() / 2;
        let work = |blocks: &[u32], side: Ordering| -> usize {
            let of_block = |&block: &u32| {
                let (mut digits, mut from) = (Vec::new(), Vec::new());
                self.descriptor.entering(block as usize, &mut digits, &mut from);
                let terms = from.iter().filter(|&&(from, _)| from.cmp(&(block as usize)) == side).count();
                places * (terms + OF_ROW) + within
            };
            blocks.iter().map(of_block).sum()
        };
        let mut counted = Counted::by(threads);
        let sharing = self.sharing_by(threads);
        let sides = [Ordering::Less, Ordering::Greater];
        counted.passes(sharing.count(sides.len(), |pass, blocks| work(blocks, sides[pass])));
        let owners = sharing.threads_of(self.descriptor.blocks);
        let own = |thread: usize| owners.iter().filter(|&&owner| owner == thread).count();
        counted.stretch(|thread| OF_VECTORS * places * own(thread));
        counted.stretch(|_| 0);
        counted
    }
}

#[test]
fn blocks_are_shared_by_many_threads() {
    // A pipeline of eleven stages, in blocks of six of them.
    let mut text = String::from("S0 = (m0, 2).(w0, 1).(m1, infty).S0;");
    for at in 1..11 {
        let (next, rate) = (at + 1, if at == 10 { "3" } else { "infty" });
        text += &format!("S{at} = (m{at}, 2).(w{at}, 1).(m{next}, {rate}).S{at};");
    }
    text += "S0";
    (1..11).for_each(|at| text += &format!(" <m{at}> S{at}"));
    let space = space(&text);
    let kronecker = rates_of(Descriptor::in_blocks(&space, 729, u64::MAX).expect("terms"), 1);
    let mut before = 0.0;
    for gain in gains(|threads| kronecker.counted(threads)) {
        assert!(gain > before, "{gain}");
        before = gain;
    }
    assert!(before > 4.0, "{before}");
}
