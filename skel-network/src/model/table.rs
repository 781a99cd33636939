//! Times by size of message, linear between measured sizes.

use skel_core::model::BuildErrors;

use super::OutsideTable;
use super::check::Faults;
use crate::quantity::{Bytes, Time};

/// A time for each size of message: measured at some sizes, linear between them, and not known elsewhere.
///
/// # Examples
/// ```
/// use skel_network::{Bytes, GapTable, Time};
/// let us = Time::microseconds;
/// let gap = GapTable::new([(Bytes::new(1), us(12.0)), (Bytes::new(1025), us(22.0))])?;
/// assert_eq!(gap.at(Bytes::new(513))?, us(17.0));
/// assert!(gap.at(Bytes::new(2000)).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GapTable(Vec<(Bytes, Time)>);

impl GapTable {
    /// A table with these knots, in the order of their sizes.
    ///
    /// # Errors
    /// No knot at all; every size that is not above the one before it; every time that is negative or not a
    /// number.
    pub fn new(knots: impl IntoIterator<Item = (Bytes, Time)>) -> Result<GapTable, BuildErrors> {
        let knots: Vec<(Bytes, Time)> = knots.into_iter().collect();
        let mut faults = Faults::default();
        if knots.is_empty() {
            faults.table("the table has no entry".into(), "give it a time for at least one size".into());
        }
        for pair in knots.windows(2) {
            check_order(pair[0].0, pair[1].0, &mut faults);
        }
        for (size, time) in &knots {
            faults.time(&format!("the time for {} bytes", size.get()), *time);
        }
        faults.none_or(GapTable(knots))
    }

    /// The time for a size, in time that grows with the logarithm of the number of knots.
    ///
    /// # Errors
    /// The size is below the first knot or above the last.
    pub fn at(&self, size: Bytes) -> Result<Time, OutsideTable> {
        match self.0.binary_search_by_key(&size, |knot| knot.0) {
            Ok(exact) => Ok(self.0[exact].1),
            Err(next) if next > 0 && next < self.0.len() => {
                let [(below, from), (above, to)] = [self.0[next - 1], self.0[next]];
                let part = (size.get() - below.get()) as f64 / (above.get() - below.get()) as f64;
                Ok(from + (to - from) * part)
            }
            Err(_) => {
                let (least, most) = self.range();
                Err(OutsideTable { size, least, most })
            }
        }
    }

    /// The smallest and the largest size of the table.
    #[must_use]
    pub fn range(&self) -> (Bytes, Bytes) {
        (self.0[0].0, self.0[self.0.len() - 1].0)
    }

    /// Sizes and times, smallest size first.
    #[must_use]
    pub fn knots(&self) -> &[(Bytes, Time)] {
        &self.0
    }

    /// The same table up to a larger size, for those who ask to extrapolate: the last line goes on. A size
    /// that the table covers changes nothing.
    ///
    /// # Errors
    /// The table has a single knot, or its last line falls below zero before it reaches the size.
    ///
    /// # Examples
    /// ```
    /// use skel_network::{Bytes, GapTable, Time};
    /// let us = Time::microseconds;
    /// let measured = GapTable::new([(Bytes::new(0), us(10.0)), (Bytes::new(1000), us(18.0))])?;
    /// let extended = measured.extended_to(Bytes::new(4000))?;
    /// assert_eq!(extended.at(Bytes::new(2000))?, us(26.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn extended_to(&self, size: Bytes) -> Result<GapTable, BuildErrors> {
        if size <= self.range().1 {
            return Ok(self.clone());
        }
        let mut faults = Faults::default();
        let [.., (below, from), (above, to)] = self.0[..] else {
            faults.table(
                "a table with one entry has no line that could go on".into(),
                "give it a time for another size".into(),
            );
            return faults.none_or(self.clone());
        };
        let slope = (to - from) / (above.get() - below.get()) as f64;
        let end = to + slope * (size.get() - above.get()) as f64;
        GapTable::new(self.0.iter().copied().chain([(size, end)]))
    }
}

fn check_order(before: Bytes, after: Bytes, faults: &mut Faults) {
    let (before, after) = (before.get(), after.get());
    if before == after {
        faults.table(
            format!("the table has two entries for {after} bytes"),
            "give each size once, with the median of its runs".into(),
        );
    } else if before > after {
        faults.table(
            format!("the table has {after} bytes behind {before} bytes"),
            "sort the entries by size".into(),
        );
    }
}
