//! States by degree, in doubly linked lists.

pub(super) const NONE: u32 = u32::MAX;

pub(super) struct Buckets {
    /// Per degree the first state of it.
    heads: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    /// No list before this one has a state.
    least: usize,
}

impl Buckets {
    /// For so many states, whose degrees are less than their number.
    pub(super) fn new(count: usize) -> Buckets {
        Buckets { heads: vec![NONE; count], next: vec![NONE; count], previous: vec![NONE; count], least: 0 }
    }

    pub(super) fn insert(&mut self, state: u32, degree: u32) {
        let head = std::mem::replace(&mut self.heads[degree as usize], state);
        self.next[state as usize] = head;
        self.previous[state as usize] = NONE;
        if head != NONE {
            self.previous[head as usize] = state;
        }
        self.least = self.least.min(degree as usize);
    }

    pub(super) fn remove(&mut self, state: u32, degree: u32) {
        let (previous, next) = (self.previous[state as usize], self.next[state as usize]);
        match previous {
            NONE => self.heads[degree as usize] = next,
            _ => self.next[previous as usize] = next,
        }
        if next != NONE {
            self.previous[next as usize] = previous;
        }
    }

    /// A state of the least degree, if there is one.
    pub(super) fn least(&mut self) -> Option<u32> {
        while *self.heads.get(self.least)? == NONE {
            self.least += 1;
        }
        Some(self.heads[self.least])
    }
}
