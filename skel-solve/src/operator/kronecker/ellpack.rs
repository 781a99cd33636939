//! One triangle of a small matrix in ELLPACK format, in which all rows have the same length.
//!
//! Most rows have a few entries, and their number differs from row to row. The processor then mispredicts the end of
//! almost every loop over a row, which costs more than the entries themselves. Here every row has [`WIDTH`] entries,
//! some of them with rate zero, and further entries are in a separate list. Sources take 16 bits. Rates, of which few
//! are distinct, take 8.

use super::sparse::{Row, Sparse};

/// The number of entries in every row.
const WIDTH: usize = 2;

/// One strict triangle of a matrix: for each row the entries from smaller sources, or those from larger ones.
#[derive(Clone, Debug)]
pub(crate) struct Ellpack {
    rows: Vec<([u16; WIDTH], [u8; WIDTH])>,
    /// The distinct rates; the first is zero.
    table: Box<[f64; 256]>,
    /// The places with more than `WIDTH` entries, in ascending order, each with the source and rate of its further
    /// entries.
    beyond: Vec<(u32, Vec<(u16, f64)>)>,
}

impl Ellpack {
    /// One triangle of a matrix over a number of places; `triangle` selects the entries of a row. `None` if the sources
    /// or the distinct rates are too many for their types.
    pub(crate) fn new(
        matrix: &Sparse,
        places: usize,
        triangle: impl Fn(&Row) -> (u32, u32),
    ) -> Option<Ellpack> {
        let last = u16::try_from(places.checked_sub(1)?).ok()?;
        let own = |place: u16| ([place; WIDTH], [0; WIDTH]);
        let mut ellpack =
            Ellpack { rows: (0..=last).map(own).collect(), table: Box::new([0.0; 256]), beyond: Vec::new() };
        let mut distinct = 1;
        for row in &matrix.rows {
            let (from, to) = triangle(row);
            let mut beyond = Vec::new();
            for (at, (source, rate)) in matrix.range(from, to).enumerate() {
                let source = source as u16;
                let known = ellpack.table[..distinct].iter().position(|&known| known == rate);
                let code = known.unwrap_or(distinct);
                *ellpack.table.get_mut(code)? = rate;
                distinct = distinct.max(code + 1);
                if at < WIDTH {
                    let (sources, codes) = &mut ellpack.rows[row.target as usize];
                    (sources[at], codes[at]) = (source, code as u8);
                } else {
                    beyond.push((source, rate));
                }
            }
            if !beyond.is_empty() {
                ellpack.beyond.push((row.target, beyond));
            }
        }
        Some(ellpack)
    }

    /// Visits the places in their order, and calls `set` with the inflow of each and the values.
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
