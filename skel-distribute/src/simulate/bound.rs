//! Before which time no schedule can end.

use super::scenario::Scenario;
use crate::arithmetic::Arithmetic;

impl Scenario {
    /// The time at which all items would be done if no machine were ever idle and a chunk had no overhead,
    /// with all changes of speed and losses: without them, the work over the total speed. No schedule ends
    /// before. There is none if all machines together cannot do the work before they are lost.
    ///
    /// # Examples
    /// ```
    /// use skel_core::number::{Ratio, ratio};
    /// use skel_distribute::Scenario;
    ///
    /// let scenario = Scenario::new(100, [1, 3])?.with_overhead(2)?;
    /// assert_eq!(scenario.bound(), Some(75.0));
    /// assert_eq!(scenario.with_change(0, 60, 3)?.bound::<Ratio>(), Some(ratio(90, 1)));
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn bound<N: Arithmetic>(&self) -> Option<N> {
        let mut left = N::from_items(self.items());
        let turns = self.turns::<N>();
        let mut speed = N::zero();
        for (number, (at, change)) in turns.iter().enumerate() {
            speed = speed + change.clone();
            if number + 1 == turns.len() && self.losses().len() == self.machines() {
                // What rounding leaves of the speed is nothing.
                return None;
            }
            let done = turns.get(number + 1).map(|(until, _)| speed.clone() * (until.clone() - at.clone()));
            match done {
                Some(done) if done < left => left = left - done,
                _ => return Some(at.clone() + left / speed),
            }
        }
        None
    }

    /// By time, by how much the speed of all machines together changes, in items per second.
    fn turns<N: Arithmetic>(&self) -> Vec<(N, N)> {
        let mut turns = Vec::new();
        for machine in 0..self.machines() {
            let lost = self.losses().iter().find(|loss| loss.machine == machine).map(|loss| &loss.at);
            let mut before = N::zero();
            for (at, seconds) in self.steps(machine) {
                if lost.is_none_or(|lost| at < *lost) {
                    let speed = N::one() / N::from_ratio(&seconds);
                    turns.push((at, speed.clone() - before));
                    before = speed;
                }
            }
            turns.extend(lost.map(|lost| (lost.clone(), N::zero() - before)));
        }
        turns.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut merged: Vec<(N, N)> = Vec::new();
        let mut last = None;
        for (at, change) in turns {
            match merged.last_mut() {
                Some((_, sum)) if last.as_ref() == Some(&at) => *sum = sum.clone() + change,
                _ => merged.push((N::from_ratio(&at), change)),
            }
            last = Some(at);
        }
        merged
    }
}

#[cfg(test)]
mod tests {
    use skel_core::number::{Ratio, ratio};

    use super::*;

    #[test]
    fn machines_that_are_all_lost_may_not_do_the_work() {
        let scenario = Scenario::new(10, [1, 1]).unwrap().with_loss(0, 4).unwrap();
        assert_eq!(scenario.bound::<Ratio>(), Some(ratio(6, 1)));
        let late = scenario.clone().with_loss(1, 7).unwrap();
        assert_eq!(late.bound::<Ratio>(), Some(ratio(6, 1)));
        assert_eq!(late.bound::<f64>(), Some(6.0));
        let early = scenario.with_loss(1, 5).unwrap();
        assert_eq!((early.bound::<Ratio>(), early.bound::<f64>()), (None, None));
    }
}
