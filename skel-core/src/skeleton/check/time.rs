//! The check of times: from what was said of a distribution to one that exists.

use num_traits::{One, Zero};

use super::value::{LEAST, LONGEST, MEAN, PROBABILITY, SCV, TimeCheck};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::number::{Number, Ratio, display_ratio};
use crate::rate::{OUT_OF_RANGE, positive};
use crate::skeleton::bounds::MOST_PHASES;
use crate::skeleton::written::{DistributionWord, TimeArgument, Value, WrittenTime};
use crate::time::{Distribution, PhaseType, PhaseTypeError, PhaseTypePlace, ServiceTime};

impl<S: Span> TimeCheck<'_, S> {
    /// The time, unless something is wrong or unknown.
    pub(super) fn time(&mut self, written: &WrittenTime<S>) -> Option<ServiceTime> {
        let said = match written {
            WrittenTime::FromRust(_) | WrittenTime::Rate(Value::FromRust(_)) => self.unknown(),
            WrittenTime::Rate(Value::Known(rate, span)) => {
                self.plain_rate(rate, *span).map(Distribution::Exponential)
            }
            WrittenTime::Distribution { word, arguments, span } => self.distribution(*word, arguments, *span),
        };
        self.in_range(ServiceTime::from_checked(said?), written.span())
    }

    fn distribution(
        &mut self,
        word: DistributionWord,
        arguments: &[TimeArgument<S>],
        span: S,
    ) -> Option<Distribution> {
        match (word, arguments) {
            (DistributionWord::Exponential, [rate]) => self.rate(rate).map(Distribution::Exponential),
            (DistributionWord::Erlang, [phases, mean]) => {
                let (phases, mean) = (self.phase_count(phases), self.time_of(mean, MEAN));
                Some(Distribution::Erlang { phases: phases?, mean: mean? })
            }
            (DistributionWord::Hyperexponential, [probabilities, rates]) => {
                self.hyperexponential(probabilities, rates, span)
            }
            (DistributionWord::Phases, [initial, generator]) => self.phases(initial, generator),
            (DistributionWord::Fitted, [mean, scv]) => {
                let (mean, scv) = (self.time_of(mean, MEAN), self.fitted_scv(scv));
                Some(Distribution::Fitted { mean: mean?, scv: scv? })
            }
            (DistributionWord::Measured, [TimeArgument::Measured(Ok(measurement), _)]) => {
                Some(Distribution::Measured(measurement.clone()))
            }
            (DistributionWord::Measured, [TimeArgument::Measured(Err(errors), span)]) => {
                for error in errors {
                    self.wrong::<()>(*span, error.message.clone(), error.help.clone());
                }
                None
            }
            (DistributionWord::Deterministic, [time]) => {
                self.time_of(time, MEAN).map(Distribution::Deterministic)
            }
            (DistributionWord::Uniform, [from, to]) => self.uniform(from, to, span),
            (DistributionWord::Lognormal, [mean, scv]) => {
                let (mean, scv) = (self.time_of(mean, MEAN), self.number(scv, SCV));
                Some(Distribution::Lognormal { mean: mean?, scv: scv? })
            }
            (DistributionWord::Weibull, [mean, shape]) => {
                let (mean, shape) = (self.time_of(mean, MEAN), self.shape(shape));
                Some(Distribution::Weibull { mean: mean?, shape: shape? })
            }
            _ => {
                let message = format!("`{}` takes {}", word.text(), word.takes());
                self.wrong(span, message, format!("write `{}`, say", word.example()))
            }
        }
    }

    fn hyperexponential(
        &mut self,
        probabilities: &TimeArgument<S>,
        rates: &TimeArgument<S>,
        span: S,
    ) -> Option<Distribution> {
        let place = probabilities.span();
        let lists = [self.list(probabilities, "list of probabilities"), self.list(rates, "list of rates")];
        let [Some(probabilities), Some(rates)] = lists else { return None };
        if probabilities.len() != rates.len() {
            let (probabilities, rates) = (probabilities.len(), rates.len());
            let message =
                format!("the list of probabilities has length {probabilities}, that of rates length {rates}");
            return self.wrong(span, message, "each of the exponential times has a probability and a rate");
        }
        if rates.is_empty() || rates.len() > MOST_PHASES {
            let message = format!("the hyperexponential time {} has {} phases", self.subject, rates.len());
            return self.wrong(span, message, format!("it has from 1 to {MOST_PHASES}"));
        }
        let probabilities = all(probabilities.iter().map(|one| self.number(one, PROBABILITY)));
        let rates = all(rates.iter().map(|rate| self.rate(rate)));
        let probabilities = probabilities?;
        let sum = probabilities.iter().fold(Ratio::zero(), |sum, probability| sum + probability);
        if !sum.is_one() {
            let message =
                format!("the probabilities {} sum to {}, not to 1", self.subject, display_ratio(&sum));
            return self.wrong(place, message, "a third is written `1/3`, exactly");
        }
        Some(Distribution::Hyperexponential { probabilities, rates: rates? })
    }

    fn phases(&mut self, initial: &TimeArgument<S>, generator: &TimeArgument<S>) -> Option<Distribution> {
        let lists = [self.list(initial, "list of probabilities"), self.list(generator, "list of rows")];
        let [Some(starts), Some(rows)] = lists else { return None };
        let count = starts.len().max(rows.len());
        if count > MOST_PHASES {
            let message = format!("the time {} has {count} phases", self.subject);
            return self.wrong(initial.span(), message, format!("the most is {MOST_PHASES}"));
        }
        let rows = all(rows.iter().map(|row| self.list(row, "list of rates")));
        let probabilities = all(starts.iter().map(|one| self.entry(one)));
        let entries = all(rows?.iter().map(|row| all(row.iter().map(|one| self.entry(one)))));
        match PhaseType::general(&probabilities?, &entries?) {
            Ok(phases) => Some(Distribution::Phases(phases)),
            Err(errors) => {
                for PhaseTypeError { place, message, help } in errors {
                    self.wrong::<()>(place_of(place, initial, generator), message, help);
                }
                None
            }
        }
    }

    fn uniform(&mut self, from: &TimeArgument<S>, to: &TimeArgument<S>, span: S) -> Option<Distribution> {
        let (from, to) = (self.time_of(from, LEAST), self.time_of(to, LONGEST));
        let (from, to) = (from?, to?);
        if from > to {
            let (subject, least, longest) = (self.subject, display_ratio(&from), display_ratio(&to));
            let message =
                format!("the least time {subject} is {least}, which is above the longest, {longest}");
            return self.wrong(span, message, "write the least time first");
        }
        Some(Distribution::Uniform { from, to })
    }

    /// The time, unless its mean, its variation or a rate of its phases is none that a float can hold.
    fn in_range(&mut self, time: ServiceTime, span: S) -> Option<ServiceTime> {
        if time.is_exponential() || time.rate().to_float().is_normal() && has_range(&time) {
            return Some(time);
        }
        let message =
            format!("the time {} has a rate or a variation beyond the range of a 64-bit float", self.subject);
        self.findings.push(Diagnostic::new(Code::RateOutOfRange, span, message).help(OUT_OF_RANGE));
        None
    }
}

/// All values, where there are all. Each is looked at in any case, so that all that is wrong is found.
fn all<T>(values: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    values.collect::<Vec<_>>().into_iter().collect()
}

/// The smallest place that shows what is wrong with a matrix.
fn place_of<S: Span>(place: PhaseTypePlace, initial: &TimeArgument<S>, generator: &TimeArgument<S>) -> S {
    fn part<S>(list: &TimeArgument<S>, number: usize) -> &TimeArgument<S> {
        match list {
            TimeArgument::List(parts, _) => parts.get(number).unwrap_or(list),
            _ => list,
        }
    }
    let part = match place {
        PhaseTypePlace::Initial(None) => initial,
        PhaseTypePlace::Initial(Some(phase)) => part(initial, phase),
        PhaseTypePlace::Generator(None) => generator,
        PhaseTypePlace::Generator(Some((row, None))) => part(generator, row),
        PhaseTypePlace::Generator(Some((row, Some(column)))) => part(part(generator, row), column),
    };
    part.span()
}

fn fits(value: &Ratio) -> bool {
    value.is_zero() || positive(value.clone()).is_ok()
}

/// Whether a float can hold all rates of the phases or, where there are none, the variation.
fn has_range(time: &ServiceTime) -> bool {
    match time.phase_type() {
        Err(_) => fits(&time.scv()),
        Ok(phases) => {
            let are_left = |phase| fits(&phases.rate_out(phase)) && fits(phases.exit(phase));
            (0..phases.phases()).all(are_left) && phases.moves().all(|(_, _, rate)| fits(rate))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::skeletons;

    #[test]
    fn findings() {
        skeletons(&[
            (
                "pipe(task(\"a\", erlang(0, 0)), task(erlang(2.5, -1)), task(erlang(1001, 1)), task(erlang(4ms, 1)));",
                &[
                    "bad_time `0`: the Erlang time of the task `a` has 0 phases",
                    "bad_time `0`: the mean time of the task `a` is 0",
                    "bad_time `2.5`: the Erlang time of the task has 2.5 phases",
                    "bad_time `-1`: the mean time of the task is -1, which is negative",
                    "bad_time `1001`: the Erlang time of the task has 1001 phases",
                    "bad_time `4ms`: a time stands where a number of phases is needed",
                ],
            ),
            ("task(exponential(0));", &["rate_not_positive `0`: the rate of the task is 0"]),
            ("task(exponential(2ms));", &[]),
            (
                "task(hyperexponential([0.5, 0.4], [1, -2]));",
                &[
                    "bad_time `[0.5, 0.4]`: the probabilities of the task sum to 0.9, not to 1",
                    "rate_not_positive `-2`: the rate of the task is -2, which is negative",
                ],
            ),
            (
                "task(hyperexponential([0.5, 0.5], [1]));",
                &[
                    "bad_time `hyperexponential([0.5, 0.5], [1])`: the list of probabilities has length 2, that of rates length 1",
                ],
            ),
            (
                "task(hyperexponential(1, [1]));",
                &["bad_time `1`: a number stands where a list of probabilities is needed"],
            ),
            (
                "task(hyperexponential([0, 1ms], [1, 1]));",
                &[
                    "bad_time `0`: the probability of the task is 0",
                    "bad_time `1ms`: the probability of the task is written as a time",
                ],
            ),
            (
                "task(phases([0.5, 0.4], [[-1, 2], [1]]));",
                &[
                    "bad_time `[0.5, 0.4]`: the initial probabilities sum to 0.9, not to 1",
                    "bad_time `[1]`: row 1 of the matrix has 1 entry, not 2",
                ],
            ),
            (
                "task(phases([1, 0], [[2, 1], [-1, -1]]));",
                &[
                    "bad_time `2`: the diagonal of row 0 is 2, which is not negative",
                    "bad_time `-1`: the rate from phase 1 to phase 0 is -1, which is negative",
                ],
            ),
            ("task(phases([1, 0], [[-1, 0], [1, -1]]));", &["bad_time `[1, -1]`: phase 1 is never entered"]),
            (
                "task(fitted(1, 1/65));",
                &["bad_time `1/65`: the squared coefficient of variation of the task is 1/65, below 1/64"],
            ),
            (
                "task(fitted(1, -1));",
                &["bad_time `-1`: the squared coefficient of variation of the task is -1, which is negative"],
            ),
            ("task(deterministic(0ms));", &["bad_time `0ms`: the mean time of the task is 0"]),
            ("task(uniform(0ms, 3ms));", &[]),
            (
                "task(uniform(3, 2));",
                &["bad_time `uniform(3, 2)`: the least time of the task is 3, which is above the longest, 2"],
            ),
            (
                "task(uniform(-1, 2));",
                &["bad_time `-1`: the least time of the task is -1, which is negative"],
            ),
            (
                "task(lognormal(1, 0));",
                &["bad_time `0`: the squared coefficient of variation of the task is 0"],
            ),
            ("task(weibull(1, 1e-3));", &["bad_time `1e-3`: the shape of the task is 0.001"]),
            (
                "task(fitted(1e305, 1e10));",
                &[
                    "rate_out_of_range `fitted(1e305, 1e10)`: the time of the task has a rate or a variation beyond the range of a 64-bit float",
                ],
            ),
            ("task(uniform(1));", &["bad_time `uniform(1)`: `uniform` takes the least and the longest time"]),
        ]);
    }
}
