//! Pairs of states that exchange much probability.

/// The least flow between the states of a pair, relative to the harmonic mean of their whole flows.
const LEAST: f64 = 1.0 / 32.0;

/// No state.
pub(super) const NONE: u32 = u32::MAX;

/// States in groups of one or two, numbered by their least states.
pub(super) struct Aggregates {
    /// The group of each state.
    pub(super) of_state: Vec<u32>,
    /// The states of each group; the second may be none.
    pub(super) members: Vec<[u32; 2]>,
}

impl Aggregates {
    /// Takes the states in their order, and pairs each with that of its sources from which most flows to it,
    /// relative to what flows through both.
    pub(super) fn pairs<R: Iterator<Item = (usize, f64)>>(
        (values, inverses): (&[f64], &[f64]),
        rates_into: impl Fn(usize) -> R,
    ) -> Aggregates {
        // The mean time between two passages.
        let times: Vec<f64> = values.iter().zip(inverses).map(|(value, inverse)| inverse / value).collect();
        let mut partners = vec![NONE; times.len()];
        for state in 0..times.len() {
            if partners[state] != NONE {
                continue;
            }
            let (mut best, mut partner) = (LEAST, NONE);
            for (from, rate) in rates_into(state) {
                if partners[from] != NONE || from == state {
                    continue;
                }
                let strength = 0.25 * values[from] * rate * (times[from] + times[state]);
                if strength >= best {
                    (best, partner) = (strength, from as u32);
                }
            }
            if partner != NONE {
                (partners[state], partners[partner as usize]) = (partner, state as u32);
            }
        }
        Aggregates::numbered(&partners)
    }

    fn numbered(partners: &[u32]) -> Aggregates {
        let (mut of_state, mut members) = (vec![NONE; partners.len()], Vec::new());
        for (state, &partner) in partners.iter().enumerate() {
            if of_state[state] != NONE {
                continue;
            }
            of_state[state] = members.len() as u32;
            if partner != NONE {
                of_state[partner as usize] = members.len() as u32;
            }
            members.push([state as u32, partner]);
        }
        Aggregates { of_state, members }
    }

    pub(super) fn count(&self) -> usize {
        self.members.len()
    }
}
