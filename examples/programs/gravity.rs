//! Particles under gravity: all pairs attract each other. A step of the leapfrog pushes the velocities, and
//! then moves the particles with these.

use std::error::Error;
use std::hint::black_box;
use std::ops::Range;

use crate::loops::{Loops, repeated};

type Vector = [f64; 3];

/// The square of the distance below which particles attract each other less and less.
const SOFTENING: f64 = 0.01;

/// Particles, with the gravitational constant 1.
#[derive(Clone, Debug)]
pub(crate) struct Particles {
    masses: Vec<f64>,
    pub(crate) positions: Vec<Vector>,
    pub(crate) velocities: Vec<Vector>,
}

impl Particles {
    /// So many particles at rest: the coordinates of number `k` are the fractions of `(k + 1)` times three
    /// constants, and its mass is `(1 + k mod 3)` over their number.
    pub(crate) fn new(count: usize) -> Self {
        let factors = [0.61803398875, 0.41421356237, 0.73205080757];
        Particles {
            masses: (0..count).map(|k| (1 + k % 3) as f64 / count as f64).collect(),
            positions: (0..count).map(|k| factors.map(|factor| ((k + 1) as f64 * factor).fract())).collect(),
            velocities: vec![[0.0; 3]; count],
        }
    }

    /// So many steps of this length.
    pub(crate) fn pass(
        &mut self,
        loops: &mut impl Loops,
        steps: u32,
        length: f64,
    ) -> Result<(), Box<dyn Error>> {
        for _ in 0..steps {
            let particles = &*self;
            // The master sends all positions to a worker, and gets the new state of its particles.
            let values = |share: usize| [3 * particles.masses.len(), 6 * share];
            let work = |tenths, range| particles.after_step(tenths, range, length);
            let moved = loops.each(self.masses.len(), values, work)?.concat();
            (self.positions, self.velocities) = moved.into_iter().unzip();
        }
        Ok(())
    }

    /// Positions and velocities of some particles after a step.
    fn after_step(&self, tenths: u32, range: Range<usize>, length: f64) -> Vec<(Vector, Vector)> {
        let after = |particle: usize| {
            let mut pull = None;
            repeated(tenths, self.masses.len(), |others| {
                let sum = self.pull(black_box(particle), others);
                pull.get_or_insert(sum);
            });
            let velocity = plus(self.velocities[particle], length, pull.unwrap_or_default());
            (plus(self.positions[particle], length, velocity), velocity)
        };
        range.map(after).collect()
    }

    /// The acceleration of a particle by some others.
    fn pull(&self, particle: usize, others: Range<usize>) -> Vector {
        let here = self.positions[particle];
        let mut sum = [0.0; 3];
        for (mass, there) in self.masses[others.clone()].iter().zip(&self.positions[others]) {
            let way = [there[0] - here[0], there[1] - here[1], there[2] - here[2]];
            let square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2] + SOFTENING;
            sum = plus(sum, mass / (square * square.sqrt()), way);
        }
        black_box(sum)
    }

    /// The kinetic and the potential energy together.
    pub(crate) fn energy(&self) -> f64 {
        let square = |vector: Vector| vector.iter().map(|part| part * part).sum::<f64>();
        let kinetic = |(mass, velocity): (&f64, &Vector)| 0.5 * mass * square(*velocity);
        let pair = |one: usize, other: usize| {
            let way = plus(self.positions[one], -1.0, self.positions[other]);
            -self.masses[one] * self.masses[other] / (square(way) + SOFTENING).sqrt()
        };
        let count = self.masses.len();
        let potential: f64 = (0..count)
            .flat_map(|one| (one + 1..count).map(move |other| (one, other)))
            .map(|(one, other)| pair(one, other))
            .sum();
        self.masses.iter().zip(&self.velocities).map(kinetic).sum::<f64>() + potential
    }
}

fn plus(one: Vector, factor: f64, other: Vector) -> Vector {
    [one[0] + factor * other[0], one[1] + factor * other[1], one[2] + factor * other[2]]
}
