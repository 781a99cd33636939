//! Halves of a small matrix in rows of equal length.
//!
//! Most rows have a few entries, and no two neighbours as many, so that a loop over the entries of a row is guessed wrongly
//! by the processor nearly each time, which costs more than the entries. Here every row has [`WIDTH`] of them, some with
//! the rate zero; what a row has beyond is in a list beside. Sources take 16 bits and rates, few of which are distinct, 8.

use super::sparse::{Row, Sparse};

/// The entries of a row.
const WIDTH: usize = 2;

/// Half the rows of a matrix: the entries from smaller sources, or those from larger ones.
#[derive(Clone, Debug)]
pub(crate) struct Padded {
    rows: Vec<([u16; WIDTH], [u8; WIDTH])>,
    /// The distinct rates, zero first.
    table: Box<[f64; 256]>,
    /// Places, ascending, with entries beyond the width: source and rate.
    beyond: Vec<(u32, Vec<(u16, f64)>)>,
}

impl Padded {
    /// The half of a matrix over so many places; none where sources or rates don't fit.
    pub(crate) fn new(matrix: &Sparse, places: usize, half: impl Fn(&Row) -> (u32, u32)) -> Option<Padded> {
        let last = u16::try_from(places.checked_sub(1)?).ok()?;
        let own = |place: u16| ([place; WIDTH], [0; WIDTH]);
        let mut padded =
            Padded { rows: (0..=last).map(own).collect(), table: Box::new([0.0; 256]), beyond: Vec::new() };
        let mut distinct = 1;
        for row in &matrix.rows {
            let (from, to) = half(row);
            let mut beyond = Vec::new();
            for (at, (source, rate)) in matrix.range(from, to).enumerate() {
                let source = source as u16;
                let known = padded.table[..distinct].iter().position(|&known| known == rate);
                let code = known.unwrap_or(distinct);
                *padded.table.get_mut(code)? = rate;
                distinct = distinct.max(code + 1);
                if at < WIDTH {
                    let (sources, codes) = &mut padded.rows[row.target as usize];
                    (sources[at], codes[at]) = (source, code as u8);
                } else {
                    beyond.push((source, rate));
                }
            }
            if !beyond.is_empty() {
                padded.beyond.push((row.target, beyond));
            }
        }
        Some(padded)
    }

    /// Goes through the places in their order: what flows into each, given to `set` with the values.
    #[inline]
    pub(crate) fn for_each_place(&self, values: &mut [f64], mut set: impl FnMut(usize, f64, &mut [f64])) {
        let mut beyond = &self.beyond[..];
        for (place, (sources, codes)) in self.rows.iter().enumerate() {
            let mut sum = 0.0;
            for (&source, &code) in sources.iter().zip(codes) {
                sum += self.table[usize::from(code)] * values[usize::from(source)];
            }
            if let Some(((at, entries), rest)) = beyond.split_first()
                && *at as usize == place
            {
                sum += entries.iter().map(|&(source, rate)| rate * values[usize::from(source)]).sum::<f64>();
                beyond = rest;
            }
            set(place, sum, values);
        }
    }
}
