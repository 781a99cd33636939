//! States that go together, in the order in which an elimination was planned, and in which sequence the
//! groups go.

use std::ops::Range;

use crate::chain::transposed_lists;

/// States in order; those from one start up to the next go together.
pub(crate) struct Groups {
    pub(crate) order: Vec<u32>,
    pub(crate) starts: Vec<u32>,
}

/// Per group the later positions in the order that its states are joined with when their turn comes: those of
/// group `g` are `positions[offsets[g]..offsets[g + 1]]`.
pub(crate) struct Borders {
    pub(crate) offsets: Vec<usize>,
    pub(crate) positions: Vec<u32>,
}

/// Groups in lists by their parents, whose states are the first of their border to go. Those without a parent
/// are as if one more group were theirs.
struct Children {
    heads: Vec<u32>,
    next: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Groups {
    fn count(&self) -> usize {
        self.starts.len()
    }

    fn positions(&self, group: usize) -> Range<usize> {
        let end = self.starts.get(group + 1).map_or(self.order.len(), |&end| end as usize);
        self.starts[group] as usize..end
    }

    pub(crate) fn states(&self, group: u32) -> &[u32] {
        &self.order[self.positions(group as usize)]
    }

    /// Per position its group.
    fn by_position(&self) -> Vec<u32> {
        let mut groups = vec![0; self.order.len()];
        (0..self.count()).for_each(|group| groups[self.positions(group)].fill(group as u32));
        groups
    }

    /// What each group is joined with: the neighbours of its states, and the borders of its children, which
    /// joined these.
    pub(crate) fn borders<'n>(&self, neighbours: impl Fn(u32) -> &'n [u32]) -> Borders {
        let mut position_of = vec![0; self.order.len()];
        for (position, &state) in self.order.iter().enumerate() {
            position_of[state as usize] = position as u32;
        }
        let group_of = self.by_position();
        let mut children = Children::new(self.count());
        let mut borders = Borders { offsets: vec![0], positions: Vec::new() };
        let mut found_by = vec![NONE; self.order.len()];
        for group in 0..self.count() {
            let Range { start, end } = self.positions(group);
            let mut add = |found: &mut Vec<u32>, position: u32| {
                if position as usize >= end
                    && std::mem::replace(&mut found_by[position as usize], group as u32) != group as u32
                {
                    found.push(position);
                }
            };
            for child in children.of(group) {
                for at in borders.range(child as usize) {
                    let position = borders.positions[at];
                    add(&mut borders.positions, position);
                }
            }
            for &state in &self.order[start..end] {
                neighbours(state)
                    .iter()
                    .for_each(|&neighbour| add(&mut borders.positions, position_of[neighbour as usize]));
            }
            borders.offsets.push(borders.positions.len());
            let parent = borders.parent(group, &group_of);
            children.insert(group, parent.unwrap_or(self.count()), &borders);
        }
        borders
    }
}

impl Borders {
    fn range(&self, group: usize) -> Range<usize> {
        self.offsets[group]..self.offsets[group + 1]
    }

    fn size(&self, group: u32) -> usize {
        self.range(group as usize).len()
    }

    /// The group whose states are the first of a border to go.
    fn parent(&self, group: usize, group_of: &[u32]) -> Option<usize> {
        let first = self.positions[self.range(group)].iter().min()?;
        Some(group_of[*first as usize] as usize)
    }

    /// All groups, each right after the last of those whose parent it is; the one with the largest border
    /// comes last of these, since it is the likeliest to be merged.
    pub(crate) fn sequence(&self, groups: &Groups) -> Vec<u32> {
        let count = groups.count();
        let group_of = groups.by_position();
        let mut children = Children::new(count);
        for group in 0..count {
            children.insert(group, self.parent(group, &group_of).unwrap_or(count), self);
        }
        let mut sequence = Vec::with_capacity(count);
        let mut waiting = Vec::new();
        let mut of = count;
        // From the last to the first: a group, then its last child with all before it.
        loop {
            let mut of_group = children.of(of);
            let likeliest = of_group.next();
            waiting.extend(of_group);
            waiting.extend(likeliest);
            let Some(group) = waiting.pop() else { break };
            sequence.push(group);
            of = group as usize;
        }
        sequence.reverse();
        sequence
    }

    /// The borders of the groups of a sequence as ascending places, one border after the other, and where
    /// each begins; by the place of each position. All are sorted at once: lists that are turned round are
    /// ascending.
    pub(crate) fn in_sequence(&self, sequence: &[u32], place_of: &[u32]) -> (Vec<usize>, Vec<u32>) {
        let mut offsets = vec![0];
        let mut places = Vec::with_capacity(self.positions.len());
        for &group in sequence {
            let border = &self.positions[self.range(group as usize)];
            places.extend(border.iter().map(|&position| place_of[position as usize]));
            offsets.push(places.len());
        }
        let (offsets, fronts) = transposed_lists(&offsets, &places, place_of.len());
        transposed_lists(&offsets, &fronts, sequence.len())
    }
}

impl Children {
    fn new(groups: usize) -> Children {
        Children { heads: vec![NONE; groups + 1], next: vec![NONE; groups] }
    }

    /// The one with the largest border comes first.
    fn insert(&mut self, group: usize, parent: usize, borders: &Borders) {
        let head = &mut self.heads[parent];
        if *head == NONE || borders.size(group as u32) >= borders.size(*head) {
            self.next[group] = std::mem::replace(head, group as u32);
        } else {
            self.next[group] = std::mem::replace(&mut self.next[*head as usize], group as u32);
        }
    }

    fn of(&self, parent: usize) -> impl Iterator<Item = u32> + '_ {
        let known = |child: u32| Some(child).filter(|&child| child != NONE);
        std::iter::successors(known(self.heads[parent]), move |&child| known(self.next[child as usize]))
    }
}
