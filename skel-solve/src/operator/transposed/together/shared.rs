//! The sweeps of a list by the threads of a team that is there already.

use std::sync::MutexGuard;

use super::Schedule;
use super::schedule::Numbers;
use crate::operator::SharedPass;
use crate::operator::transposed::codes::RateCode;
use crate::operator::transposed::triangles::TriangularParts;
use crate::operator::transposed::{Context, Pass, TransposedRates};
use crate::team::{Chunk, Member, SharedNumbers};

/// A substitution by the threads of a team, and the inflow from later states.
struct SubstitutionBy<'s, 'x> {
    member: Member<'s>,
    schedule: &'s Schedule,
    numbers: &'s SharedNumbers,
    chunks: &'s [Chunk<'x>],
}

impl Pass for SubstitutionBy<'_, '_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        let SubstitutionBy { member, schedule, numbers, chunks } = self;
        rates.substitute_by(member, schedule, context, numbers, chunks);
        rates.later_inflow_by(member, schedule, context, numbers, chunks);
    }
}

/// The sweeps of a list by several threads.
pub(in crate::operator::transposed) struct SharedList<'r> {
    rates: &'r TransposedRates,
    schedule: &'r Schedule,
    numbers: MutexGuard<'r, Numbers>,
}

impl<'r> SharedList<'r> {
    /// If several threads share sweeps.
    pub(in crate::operator::transposed) fn of(rates: &'r TransposedRates) -> Option<SharedList<'r>> {
        let schedule = rates.context().sharing_sweeps()?;
        Some(SharedList { rates, schedule, numbers: schedule.numbers() })
    }
}

impl SharedPass for SharedList<'_> {
    fn threads(&self) -> usize {
        self.schedule.threads()
    }

    fn threads_of_chunks(&self) -> Vec<usize> {
        self.schedule.threads_of_chunks()
    }

    fn pass(&self, member: Member<'_>, chunks: &[Chunk<'_>]) {
        let SharedList { rates, schedule, numbers } = self;
        rates.do_with(SubstitutionBy { member, schedule, numbers: &numbers.before, chunks });
    }
}
