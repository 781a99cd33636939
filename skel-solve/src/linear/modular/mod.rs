//! Exact answers: fractions without rounding, in whole numbers over one denominator.
//!
//! An elimination in rationals has, at every step, fractions as long as the answer, whose common divisors
//! have to be found: six seconds for 243 states, and from two states on it is slower than this, which takes
//! words:
//!
//! ```text
//! generator -> equations: whole numbers            -> factors modulo a prime p of one word
//!           -> lifting: digit by digit in base p   -> common: numerators over one denominator -> held against the equations
//! ```
//!
//! **What proves the answer.** Only the last step. The numbers that come out are above zero and solve every
//! balance in whole numbers, exactly. An irreducible chain has exactly one such distribution, so they are
//! right, whichever prime was used. Digits are added until it is so. There are always enough of them: by
//! Cramer's rule numerators and denominator are determinants, and by Hadamard's bound these are of limited
//! length.
//!
//! **Cost.** With `n` states, `f` entries in a factor and `d` digits of 59 bits: the factors once, `2 d f`
//! multiplications, `n` products of `d` words for the numerators, and `24 f + 8 n d` bytes beside the answer,
//! counted before they are taken. The answer itself has about `n d / 2` words. The pipeline with all rates
//! equal, on one thread, from text to fractions:
//!
//! | stages | states | bits of a denominator | CPU s | peak MB |
//! |---|---|---|---|---|
//! | 5 | 243 | 253 | 0.005 | 6 |
//! | 6 | 729 | 907 | 0.03 | 7 |
//! | 7 | 2,187 | 3,129 | 0.2 | 16 |
//! | 8 | 6,561 | 10,284 | 4 | 88 |
//! | 9 | 19,683 | 33,285 | 94 | 739 |

mod common;
mod equations;
mod factors;
mod lifting;
mod prime;

use num_bigint::BigUint;
use skel_core::number::Ratio;

use crate::chain::Generator;
#[cfg(feature = "over-time")]
use crate::chain::Matrix;
use crate::error::{Error, Reached, Stopped};
#[cfg(feature = "over-time")]
use crate::fraction::reduced;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Progress, Watch};
use crate::linear::elimination::ordering;
use crate::linear::elimination::ordering::{Price, Refusal};
use common::{Uncommon, numerators};
use equations::Equations;
use factors::{Earlier, Factors, Unfactored};
use lifting::Lifting;
use prime::Prime;

/// The share of digits by which there must be more before their fractions are looked for again.
const BETWEEN_ATTEMPTS: usize = 16;

/// Whole numbers in proportion to the steady state of an irreducible chain.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn solve(
    generator: &Generator<Ratio>,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<Vec<BigUint>, Error> {
    let of = generator.states() as u64;
    if of == 1 {
        return Ok(vec![BigUint::from(1_u8)]);
    }
    let stopped = |limit, reached| Error::Stopped(Stopped { limit, reached });
    let reached = Reached::Eliminating { done: 0, of };
    let budget = budget.beside(equations::memory(generator));
    let entries = budget.left() / factors::ENTRY;
    let price = Price { entries, work: u64::MAX };
    let fronts = ordering::order(generator.matrix(), price, watch).map_err(|refusal| match refusal {
        Refusal::Limit(limit) => stopped(limit, reached),
        Refusal::Price => stopped(budget.limit(), Reached::TooDense { states: of }),
    })?;
    let equations = Equations::new(generator, &fronts, || watch.prepare())?;
    let pattern = fronts.pattern();
    let earlier = Earlier::new(&pattern);
    let budget = budget.beside(pattern.later.len() as u64 * factors::ENTRY);
    for prime in Prime::all() {
        match Factors::new(&equations, &pattern, &earlier, prime, watch) {
            Ok(factors) => {
                let unknowns = lift(&equations, &factors, budget, watch)?;
                let mut parts = equations.unscaled(unknowns, || watch.prepare())?;
                let of_state = |&place: &u32| std::mem::take(&mut parts[place as usize]);
                return Ok(fronts.places.iter().map(of_state).collect());
            }
            Err(Unfactored::Limit(limit)) => return Err(stopped(limit, reached)),
            Err(Unfactored::Unlucky) => {}
        }
    }
    unreachable!("no rates make hundreds of thousands of primes unlucky")
}

/// Solves `A x = b` for a matrix with exactly one solution, all of which is above zero, whose rows and
/// columns go together as those of a generator do. The answer is held against the equations, in whole
/// numbers; that it is the only one is for the caller to know.
#[cfg(feature = "over-time")]
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn solve_system(
    rows: &Matrix<Ratio>,
    right: &[Ratio],
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<Vec<Ratio>, Error> {
    let of = right.len() as u64;
    if of == 0 {
        return Ok(Vec::new());
    }
    let stopped = |limit, reached| Error::Stopped(Stopped { limit, reached });
    let reached = Reached::Eliminating { done: 0, of };
    let budget = budget.beside(equations::memory_of(right.len() + 1, rows.entries() + right.len()));
    let price = Price { entries: budget.left() / factors::ENTRY, work: u64::MAX };
    let fronts = ordering::order(rows, price, watch).map_err(|refusal| match refusal {
        Refusal::Limit(limit) => stopped(limit, reached),
        Refusal::Price => stopped(budget.limit(), Reached::TooDense { states: of }),
    })?;
    let equations = Equations::of_system(rows, right, &fronts, || watch.prepare())?;
    let mut pattern = fronts.pattern();
    // The place of the right-hand side, which nothing is joined with.
    pattern.offsets.push(pattern.later.len());
    let earlier = Earlier::new(&pattern);
    let budget = budget.beside(pattern.later.len() as u64 * factors::ENTRY);
    for prime in Prime::all() {
        match Factors::new(&equations, &pattern, &earlier, prime, watch) {
            Ok(factors) => {
                let unknowns = lift(&equations, &factors, budget, watch)?;
                let denominator = &unknowns[right.len()];
                let of_state = |&place: &u32| reduced(&unknowns[place as usize], denominator);
                return Ok(fronts.places.iter().map(of_state).collect());
            }
            Err(Unfactored::Limit(limit)) => return Err(stopped(limit, reached)),
            Err(Unfactored::Unlucky) => {}
        }
    }
    unreachable!("no rates make hundreds of thousands of primes unlucky")
}

/// Adds digits until they make numbers that solve the equations.
#[cfg_attr(debug_assertions, inline)]
fn lift(
    equations: &Equations,
    factors: &Factors<'_>,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<Vec<BigUint>, Error> {
    let count = equations.matrix.rows() as u64;
    let stopped = |limit, digits| {
        Error::Stopped(Stopped { limit, reached: Reached::Lifting { digits: decimal(digits) } })
    };
    let mut lifting = Lifting::new(equations, factors);
    let (mut attempt, mut first) = (2, 0);
    loop {
        let known = lifting.digits.len();
        let mut check = || watch.check(|| Progress::Lifting { digits: decimal(known) });
        if known == attempt {
            match numerators(&lifting.digits, factors.prime(), first, &mut check) {
                Ok(unknowns) => {
                    if equations
                        .are_solved_by(&unknowns, &mut check)
                        .map_err(|limit| stopped(limit, known))?
                    {
                        return Ok(unknowns);
                    }
                }
                Err(Uncommon::Short(place)) => first = place,
                Err(Uncommon::Limit(limit)) => return Err(stopped(limit, known)),
            }
            attempt += attempt / BETWEEN_ATTEMPTS + 1;
        }
        check().map_err(|limit| stopped(limit, known))?;
        // The digits, and numerators that are half as long, once more while they are unscaled.
        if (known as u64 + 1) * count * 16 > budget.left() {
            return Err(stopped(budget.limit(), known));
        }
        lifting.lift();
    }
}

/// How many decimal digits a numerator and its denominator have together.
#[cfg_attr(debug_assertions, inline)]
fn decimal(digits: usize) -> u64 {
    (digits as f64 * 59.0 * std::f64::consts::LOG10_2) as u64
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use num_bigint::BigInt;
    use skel_core::number::ratio;

    use super::*;
    #[cfg(not(feature = "over-time"))]
    use crate::chain::Matrix;
    use crate::limits::Limits;
    use crate::linear::elimination;

    /// A chain in which state `i` leads to the next one and, if the numbers say so, to others.
    fn chain(states: usize, mut rate: impl FnMut(usize, usize) -> Option<Ratio>) -> Generator<Ratio> {
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for from in 0..states {
            let mut row: Vec<Option<Ratio>> =
                (0..states).map(|to| rate(from, to).filter(|_| to != from)).collect();
            row[from] = Some(row.iter().flatten().fold(Ratio::default(), |sum, rate| sum - rate));
            for (to, rate) in row.into_iter().enumerate() {
                if let Some(rate) = rate {
                    columns.push(to as u32);
                    values.push(rate);
                }
            }
            offsets.push(columns.len());
        }
        Generator::new(Matrix::new(offsets, columns, values))
    }

    /// A ring with some ways more, at rates from a list.
    fn scattered(states: usize, seed: u64, rates: &[Ratio]) -> Generator<Ratio> {
        let mut random = seed;
        chain(states, |from, to| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let drawn = (random >> 33) as usize;
            let is_there = to == (from + 1) % states || drawn.is_multiple_of(7);
            is_there.then(|| rates[drawn / 7 % rates.len()].clone())
        })
    }

    fn parts(generator: &Generator<Ratio>) -> Vec<BigUint> {
        let limits = Limits::default();
        solve(generator, MemoryBudget::new(&limits), &mut Watch::start(&limits)).unwrap()
    }

    /// Holds an answer against the elimination in rationals.
    fn hold(generator: &Generator<Ratio>) {
        let parts = parts(generator);
        let sum: BigUint = parts.iter().sum();
        let limits = Limits::default();
        let eliminated =
            elimination::solve(generator, u64::MAX, u64::MAX, &mut Watch::start(&limits)).ok().unwrap();
        for (part, expected) in parts.into_iter().zip(eliminated) {
            assert_eq!(Ratio::new(BigInt::from(part), BigInt::from(sum.clone())), expected);
        }
    }

    /// The modulus that is tried first.
    fn first_prime() -> i64 {
        Prime::all().next().unwrap().modulus() as i64
    }

    #[test]
    fn lifting_agrees_with_elimination_in_rationals() {
        let whole = [1, 2, 3, 10].map(|rate| ratio(rate, 1));
        let stiff = [ratio(1, 1), ratio(1, 3), ratio(1, 1_000_000_000_000), ratio(7_000_000, 11)];
        for states in [2, 3, 4, 5, 8, 13, 18] {
            hold(&scattered(states, states as u64, &whole));
            hold(&scattered(states, states as u64 + 100, &stiff));
        }
    }

    #[test]
    fn rates_may_be_longer_than_a_word() {
        let power = |base: u32, exponent: u32| BigInt::from(base).pow(exponent);
        let long = [
            Ratio::new(power(10, 30) + 57, power(7, 11)),
            Ratio::new(power(3, 1200), power(2, 2000) + 1),
            Ratio::new(BigInt::from(1), power(10, 40)),
            ratio(5, 1),
        ];
        for states in [2, 3, 5, 7] {
            hold(&scattered(states, states as u64, &long));
        }
        // The sums of an equation are just within a word, or just not; each rate is one.
        for sum in [1_i64 << 61, (1 << 62) - 3, (1 << 62) - 1, 1 << 62, i64::MAX - 7] {
            hold(&scattered(5, 3, &[ratio(sum / 3, 1), ratio(sum / 3 - 1, 1), ratio(1, 1)]));
        }
    }

    #[test]
    fn an_unlucky_prime_is_replaced() {
        // Every state is left at a rate that the prime divides, so that the first pivot is zero.
        let prime = first_prime();
        let generator = chain(6, |from, to| match (to + 6 - from) % 6 {
            1 => Some(ratio(prime - 3, 1)),
            2 => Some(ratio(2, 1)),
            3 => Some(ratio(1, 1)),
            _ => None,
        });
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let any = Price { entries: u64::MAX, work: u64::MAX };
        let fronts = ordering::order(generator.matrix(), any, &mut watch).ok().unwrap();
        let Ok(equations) = Equations::new(&generator, &fronts, || Ok::<(), Infallible>(()));
        let pattern = fronts.pattern();
        let earlier = Earlier::new(&pattern);
        let mut is_unlucky = |prime| {
            let factors = Factors::new(&equations, &pattern, &earlier, prime, &mut watch);
            matches!(factors, Err(Unfactored::Unlucky))
        };
        let primes: Vec<bool> = Prime::all().take(2).map(&mut is_unlucky).collect();
        assert_eq!(primes, [true, false]);
        hold(&generator);
        // In these the prime divides a rate, or what a later pivot is made of.
        let rates = [ratio(prime, 1), ratio(1, prime), ratio(prime + 1, 2), ratio(1, 1), ratio(prime - 1, 1)];
        for states in 2..12 {
            hold(&scattered(states, states as u64, &rates));
        }
    }

    #[test]
    fn what_would_take_too_much_memory_is_refused() {
        let generator = scattered(60, 1, &[ratio(1, 1), ratio(2, 3), ratio(5, 1)]);
        let outcome = |memory| {
            let limits = Limits { memory, ..Limits::default() };
            match solve(&generator, MemoryBudget::new(&limits), &mut Watch::start(&limits)) {
                Ok(_) => "solved".to_owned(),
                Err(stopped) => stopped.to_string().split(": ").last().unwrap().to_owned(),
            }
        };
        let mut outcomes: Vec<String> =
            (1..).map(|at| outcome(at * 2000)).take_while(|outcome| outcome != "solved").collect();
        outcomes.dedup();
        assert_eq!(
            outcomes[0],
            "the exact solution of 60 states would take more; lump what is interchangeable, or solve in `f64`"
        );
        let digits = |outcome: &String| outcome.split(' ').find_map(|word| word.parse::<u64>().ok()).unwrap();
        assert!(outcomes[1].starts_with("the exact fractions have more than "), "{outcomes:?}");
        let digits: Vec<u64> = outcomes[1..].iter().map(digits).collect();
        assert!(digits.len() > 2 && digits.is_sorted(), "{outcomes:?}");
    }
}
