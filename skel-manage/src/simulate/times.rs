//! Times drawn from the distributions of service times.

use skel_core::number::{Number, Ratio};
use skel_core::time::{Distribution, PhaseType, ServiceTime};

use super::random::Random;

/// What times are drawn from, in seconds.
#[derive(Clone, Debug)]
pub(super) enum Times {
    Constant(f64),
    /// The sum of so many exponential times, each of this mean.
    Erlang(u32, f64),
    Phases(Phases),
    /// From a number on, over a width.
    Uniform(f64, f64),
    /// The mean and the standard deviation of the logarithm.
    Lognormal(f64, f64),
    /// Scale, and one over the shape.
    Weibull(f64, f64),
}

/// Exponential phases, each with its mean time and the probabilities of the next ones.
#[derive(Clone, Debug)]
pub(super) struct Phases {
    first: Vec<f64>,
    phases: Vec<(f64, Vec<f64>)>,
}

impl Times {
    pub(super) fn of(time: &ServiceTime) -> Self {
        let mean = time.mean().to_float();
        match time.distribution() {
            Distribution::Exponential(_) => Times::Erlang(1, mean),
            Distribution::Erlang { phases, .. } => Times::Erlang(*phases, mean / f64::from(*phases)),
            Distribution::Deterministic(_) => Times::Constant(mean),
            Distribution::Uniform { from, to } => Times::Uniform(from.to_float(), (to - from).to_float()),
            Distribution::Lognormal { scv, .. } => {
                let variance = scv.to_float().ln_1p();
                Times::Lognormal(mean.ln() - variance / 2.0, variance.sqrt())
            }
            Distribution::Weibull { shape, .. } => {
                let exponent = 1.0 / shape.to_float();
                Times::Weibull(mean / gamma(1.0 + exponent), exponent)
            }
            _ => match time.phase_type() {
                Ok(phases) => Times::Phases(Phases::of(&phases)),
                Err(_) => Times::of_moments(mean, time.scv().to_float()),
            },
        }
    }

    /// Uniform times with this mean and squared coefficient of variation, which is small.
    fn of_moments(mean: f64, scv: f64) -> Self {
        let half = mean * (3.0 * scv).sqrt();
        Times::Uniform(mean - half, 2.0 * half)
    }

    pub(super) fn draw(&self, random: &mut Random) -> f64 {
        match self {
            Times::Constant(time) => *time,
            Times::Erlang(phases, mean) => (0..*phases).map(|_| random.exponential()).sum::<f64>() * mean,
            Times::Phases(phases) => phases.draw(random),
            Times::Uniform(from, width) => from + width * random.uniform(),
            Times::Lognormal(mean, deviation) => (mean + deviation * random.normal()).exp(),
            Times::Weibull(scale, exponent) => scale * random.exponential().powf(*exponent),
        }
    }
}

impl Phases {
    fn of(phases: &PhaseType) -> Self {
        let float = |ratio: &Ratio| ratio.to_float();
        let phase = |from: usize| {
            let rate = -phases.generator(from, from).to_float();
            let next = (0..phases.phases())
                .map(|to| if to == from { 0.0 } else { phases.generator(from, to).to_float() / rate });
            (1.0 / rate, next.collect())
        };
        Phases {
            first: phases.initial().iter().map(float).collect(),
            phases: (0..phases.phases()).map(phase).collect(),
        }
    }

    fn draw(&self, random: &mut Random) -> f64 {
        let mut time = 0.0;
        let mut now = chosen(&self.first, random.uniform());
        while let Some(phase) = now {
            let (mean, next) = &self.phases[phase];
            time += mean * random.exponential();
            now = chosen(next, random.uniform());
        }
        time
    }
}

/// Which one a number from 0 to 1 falls on; none beyond their sum.
fn chosen(probabilities: &[f64], number: f64) -> Option<usize> {
    let mut sum = 0.0;
    probabilities.iter().position(|probability| {
        sum += probability;
        number < sum
    })
}

/// The gamma function from 1 on. C. Lanczos, *A precision approximation of the gamma function*, 1964.
fn gamma(argument: f64) -> f64 {
    const COEFFICIENTS: [f64; 6] = [
        76.180_091_729_471_46,
        -86.505_320_329_416_77,
        24.014_098_240_830_91,
        -1.231_739_572_450_155,
        0.120_865_097_386_617_9e-2,
        -0.539_523_938_495_3e-5,
    ];
    let shifted = argument + 5.5;
    let series = COEFFICIENTS.iter().zip(1..).map(|(coefficient, n)| coefficient / (argument + f64::from(n)));
    let sum = 1.000_000_000_190_015 + series.sum::<f64>();
    let logarithm = (argument + 0.5) * shifted.ln() - shifted;
    logarithm.exp() * std::f64::consts::TAU.sqrt() * sum / argument
}

#[cfg(test)]
mod tests {
    use skel_core::number::Number;
    use skel_core::skeleton::text::parse;

    use super::super::random::Random;
    use super::Times;

    /// The mean and the variation of drawn times are those of the distribution.
    #[test]
    fn drawn_times_have_the_moments_of_their_distribution() {
        let times = [
            "exponential(4)",
            "erlang(3, 0.5)",
            "deterministic(2)",
            "uniform(1, 5)",
            "lognormal(2, 0.5)",
            "weibull(2, 1.5)",
            "fitted(2, 0.3)",
            "fitted(2, 3)",
            "hyperexponential([0.3, 0.7], [1, 5])",
        ];
        for text in times {
            let tree = parse(&format!("task({text});")).into_tree().unwrap();
            let time = tree.time(tree.root()).unwrap();
            let (times, mut random) = (Times::of(time), Random::stream(3, 1));
            let drawn: Vec<f64> = (0..200_000).map(|_| times.draw(&mut random)).collect();
            let mean = drawn.iter().sum::<f64>() / 200_000.0;
            let variance = drawn.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / 200_000.0;
            let expected = time.mean().to_float();
            assert!((mean / expected - 1.0).abs() < 0.015, "{text}: {mean} for {expected}");
            let (scv, expected) = (variance / mean / mean, time.scv().to_float());
            assert!((scv - expected).abs() <= 0.05 * expected, "{text}: scv {scv} for {expected}");
        }
    }
}
