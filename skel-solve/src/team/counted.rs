//! For tests: what threads do between the places where they meet, counted in entries.
//!
//! The slowest thread of each stretch counts. So the figures say how well work is divided, and what waiting
//! costs if it costs so much; they don't say what caches and memory do.

/// What a barrier costs, in entries: about a microsecond.
const OF_BARRIER: usize = 800;

/// What a row costs beside its entries.
pub(crate) const OF_ROW: usize = 4;

/// What the steps between two products cost, for each state.
pub(crate) const OF_VECTORS: usize = 6;

/// Work that is divided among threads.
pub(crate) struct Counted {
    threads: usize,
    pub(crate) whole: usize,
    /// The work of the slowest thread, stretch by stretch, and the barriers.
    pub(crate) longest: usize,
}

impl Counted {
    pub(crate) fn by(threads: usize) -> Counted {
        Counted { threads, whole: 0, longest: 0 }
    }

    /// A stretch with so much work for each thread, and the barrier at its end.
    pub(crate) fn stretch(&mut self, of_thread: impl Fn(usize) -> usize) {
        self.whole += (0..self.threads).map(&of_thread).sum::<usize>();
        self.longest += (0..self.threads).map(of_thread).max().unwrap_or(0);
        self.longest += if self.threads > 1 { OF_BARRIER } else { 0 };
    }

    /// Work for which threads wait for one another in between: all of it, and how long it takes.
    pub(crate) fn passes(&mut self, [whole, longest]: [usize; 2]) {
        self.whole += whole;
        self.longest += longest;
    }

    /// How many times less the slowest thread does than one thread alone.
    pub(crate) fn gain(&self) -> f64 {
        self.whole as f64 / self.longest as f64
    }
}

/// A row of a table of gains, for 1, 2, 4, 8 and 16 threads.
pub(crate) fn gains(counted: impl Fn(usize) -> Counted) -> [f64; 5] {
    [1, 2, 4, 8, 16].map(|threads| counted(threads).gain())
}
