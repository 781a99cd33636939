//! Entries of a small matrix in ELLPACK format, in which all rows have the same length.
//!
//! Most rows have a few entries, and their number differs from row to row. The processor then mispredicts the
//! end of almost every loop over a row, which costs more than the entries themselves. Here every row has
//! [`WIDTH`] entries, some of them with rate zero, and further entries are in a separate list. Sources take
//! 16 bits. Rates, of which few are distinct, take 8.

/// The number of entries in every row.
const WIDTH: usize = 2;

/// Some entries of a matrix, with a row for every place.
#[derive(Clone, Debug)]
pub(super) struct Ellpack {
    rows: Vec<([u16; WIDTH], [u8; WIDTH])>,
    /// The distinct rates; the first is zero.
    table: Box<[f64; 256]>,
    /// The places with more than `WIDTH` entries, in ascending order, each with the source and rate of its
    /// further entries.
    beyond: Vec<(u32, Vec<(u16, f64)>)>,
}

/// The rows of a matrix, of which one after the other is multiplied.
pub(super) struct Rows<'e> {
    ellpack: &'e Ellpack,
    beyond: &'e [(u32, Vec<(u16, f64)>)],
}

impl Ellpack {
    /// Entries `(target, source, rate)` by target, over a number of places. `None` if the sources or the
    /// distinct rates are too many for their types.
    pub(super) fn new(entries: &[(u32, u32, f64)], places: usize) -> Option<Ellpack> {
        let last = u16::try_from(places.checked_sub(1)?).ok()?;
        let own = |place: u16| ([place; WIDTH], [0; WIDTH]);
        let mut ellpack =
            Ellpack { rows: (0..=last).map(own).collect(), table: Box::new([0.0; 256]), beyond: Vec::new() };
        let mut distinct = 1;
        for row in entries.chunk_by(|one, next| one.0 == next.0) {
            let mut beyond = Vec::new();
            for (at, &(target, source, rate)) in row.iter().enumerate() {
                let source = source as u16;
                let known = ellpack.table[..distinct].iter().position(|&known| known == rate);
                let code = known.unwrap_or(distinct);
                *ellpack.table.get_mut(code)? = rate;
                distinct = distinct.max(code + 1);
                if at < WIDTH {
                    let (sources, codes) = &mut ellpack.rows[target as usize];
                    (sources[at], codes[at]) = (source, code as u8);
                } else {
                    beyond.push((source, rate));
                }
            }
            if !beyond.is_empty() {
                ellpack.beyond.push((row[0].0, beyond));
            }
        }
        Some(ellpack)
    }

    /// The rows in ascending order.
    pub(super) fn rows(&self) -> Rows<'_> {
        Rows { ellpack: self, beyond: &self.beyond }
    }
}

impl Rows<'_> {
    /// The products of the row of a place with the values of some blocks. Places must come in ascending
    /// order, and none may be left out.
    #[inline]
    pub(super) fn next_sums<const BLOCKS: usize>(
        &mut self,
        place: usize,
        values: &[&mut [f64]; BLOCKS],
    ) -> [f64; BLOCKS] {
        let Ellpack { rows, table, .. } = self.ellpack;
        let (sources, codes) = &rows[place];
        let mut sums = [0.0; BLOCKS];
        for (&source, &code) in sources.iter().zip(codes) {
            let rate = table[usize::from(code)];
            for (sum, values) in sums.iter_mut().zip(values) {
                *sum += rate * values[usize::from(source)];
            }
        }
        if let Some(((at, entries), rest)) = self.beyond.split_first()
            && *at as usize == place
        {
            for (sum, values) in sums.iter_mut().zip(values) {
                *sum += entries.iter().map(|&(source, rate)| rate * values[usize::from(source)]).sum::<f64>();
            }
            self.beyond = rest;
        }
        sums
    }
}
