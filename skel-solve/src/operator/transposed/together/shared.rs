//! The sweeps of a list by the threads of a team that is there already.

use std::ops::Range;
use std::sync::{MutexGuard, PoisonError};

use super::{Leveled, Schedule};
use crate::operator::SharedSweep;
use crate::operator::transposed::{Context, Pass, RateCode, TransposedRates, TriangularParts};
use crate::team::{Chunk, Member, SharedNumbers};

/// A substitution by the threads of a team.
struct SubstitutionBy<'s, 'x> {
    member: Member<'s>,
    numbers: &'s SharedNumbers,
    chunks: &'s [Chunk<'x>],
}

impl Pass for SubstitutionBy<'_, '_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        if let Some(leveled) = Leveled::of(context) {
            rates.substitute_by(self.member, leveled, self.numbers, self.chunks, true);
        }
    }
}

/// The sweeps of a list by several threads.
pub(in crate::operator::transposed) struct SharedList<'r> {
    rates: &'r TransposedRates,
    schedule: &'r Schedule,
    numbers: MutexGuard<'r, SharedNumbers>,
}

impl<'r> SharedList<'r> {
    /// If the rates have levels.
    pub(in crate::operator::transposed) fn of(rates: &'r TransposedRates) -> Option<SharedList<'r>> {
        let schedule = rates.schedule.as_ref().filter(|schedule| schedule.levels.is_some())?;
        let numbers = schedule.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        Some(SharedList { rates, schedule, numbers })
    }
}

impl SharedSweep for SharedList<'_> {
    fn threads(&self) -> usize {
        self.schedule.threads()
    }

    fn chunks_of(&self, thread: usize) -> Range<usize> {
        self.schedule.chunks_of(thread)
    }

    fn substitute_for_later(&self, member: Member<'_>, chunks: &[Chunk<'_>]) {
        self.rates.do_with(SubstitutionBy { member, numbers: &self.numbers, chunks });
    }
}
