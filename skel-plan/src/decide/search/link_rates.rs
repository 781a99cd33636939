//! The rates at which links carry the moves of a program, as the search needs them: equal links are one kind,
//! and for each move the best link from or to a processor is known.
//!
//! Two links are of one kind if every move of the program has the same rate on both. So links with different
//! models may be of one kind, and a link with a model may be of one kind with a link that has a bandwidth.
//!
//! If all links have bandwidths, the rate of a move is the bandwidth divided by the size of its data, and the
//! best link is the same for every size. If one of them has a model, each size that occurs has a table of its
//! own, since the best link for small items need not be the best for large ones.

use std::collections::HashMap;

use skel_core::model::{BuildError, BuildErrors};
use skel_core::number::{Number, Ratio};

use crate::platform::{Carrier, NoTime, Platform, ProcessorId};
use crate::program::{Application, Move};

/// What links do with the moves of a program.
pub(super) struct LinkRates {
    processors: usize,
    /// For each pair of processors, row by row, the kind of its link. Kind 0 is no link.
    kinds: Vec<usize>,
    tables: Vec<Table>,
    /// For each move its table, and the number by which the rates of the table are divided.
    moves: Vec<(usize, f64)>,
}

/// Rates by links, for items of one size or of size 1.
struct Table {
    /// Zero where there is no link.
    by_kind: Vec<f64>,
    /// The highest rate from, and to, each processor.
    best_from: Vec<f64>,
    best_to: Vec<f64>,
    best: f64,
}

impl LinkRates {
    /// Finds the kinds and their rates.
    ///
    /// # Errors
    /// Every size of which the model of some link says nothing. A search that left such a link out would
    /// prove too much.
    pub(super) fn new(application: &Application, platform: &Platform) -> Result<LinkRates, BuildErrors> {
        let (mut kinds, carriers) = Carriers::of(platform);
        let count = platform.processors().len();
        let floats = |rates: &mut dyn Iterator<Item = &Ratio>| -> Vec<f64> {
            std::iter::once(0.0).chain(rates.map(Number::to_float)).collect()
        };
        let bandwidths: Option<Vec<&Ratio>> =
            carriers.iter().map(|known| known.carrier.bandwidth()).collect();
        if let Some(bandwidths) = bandwidths {
            let tables = vec![Table::new(count, &kinds, floats(&mut bandwidths.into_iter()))];
            let moves = application.moves.iter().map(|one| (0, one.size.to_float())).collect();
            return Ok(LinkRates { processors: count, kinds, tables, moves });
        }
        let sizes = Sizes::new(&application.moves);
        let rates = rates(&carriers, &sizes.distinct)?;
        join_equal(&mut kinds, &rates);
        let column = |number: usize| floats(&mut rates.iter().map(|of_kind| &of_kind[number]));
        let tables = (0..sizes.distinct.len()).map(|number| Table::new(count, &kinds, column(number)));
        let moves = sizes.of_moves.iter().map(|&number| (number, 1.0)).collect();
        Ok(LinkRates { processors: count, tables: tables.collect(), kinds, moves })
    }

    /// The rate of a move between two processors, of which either may be unknown; then it is that of the best
    /// link there is.
    pub(super) fn best(&self, number: usize, from: Option<usize>, to: Option<usize>) -> f64 {
        let (table, divisor) = self.moves[number];
        let table = &self.tables[table];
        let rate = match (from, to) {
            (Some(from), Some(to)) => table.by_kind[self.kind(from, to)],
            (Some(from), None) => table.best_from[from],
            (None, Some(to)) => table.best_to[to],
            (None, None) => table.best,
        };
        rate / divisor
    }

    /// The kind of a link. Links of one kind have equal rates for every move.
    pub(super) fn kind(&self, from: usize, to: usize) -> usize {
        self.kinds[from * self.processors + to]
    }
}

impl Table {
    fn new(count: usize, kinds: &[usize], by_kind: Vec<f64>) -> Table {
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let rate = |&kind: &usize| by_kind[kind];
        let best_from: Vec<f64> = kinds.chunks(count).map(|row| largest(&mut row.iter().map(rate))).collect();
        let best_to =
            (0..count).map(|to| largest(&mut kinds.iter().skip(to).step_by(count).map(rate))).collect();
        Table { best: largest(&mut best_from.iter().copied()), best_from, best_to, by_kind }
    }
}

/// The sizes of the items of a program, each of them once.
struct Sizes {
    distinct: Vec<Ratio>,
    of_moves: Vec<usize>,
}

impl Sizes {
    fn new(moves: &[Move]) -> Sizes {
        let (mut distinct, mut of_moves) = (Vec::new(), Vec::with_capacity(moves.len()));
        let mut numbers: HashMap<&Ratio, usize> = HashMap::new();
        for one in moves {
            let number = *numbers.entry(&one.size).or_insert(distinct.len());
            if number == distinct.len() {
                distinct.push(one.size.clone());
            }
            of_moves.push(number);
        }
        Sizes { distinct, of_moves }
    }
}

/// A link, and the first pair of processors that has such a one.
struct Known<'p> {
    carrier: &'p Carrier,
    from: ProcessorId,
    to: ProcessorId,
}

/// Finds the links that are different as they are described.
struct Carriers<'p> {
    bandwidths: HashMap<&'p Ratio, usize>,
    models: HashMap<*const (), usize>,
    known: Vec<Known<'p>>,
}

impl<'p> Carriers<'p> {
    /// The kind of each link, row by row, and a link of each kind but that of no link.
    fn of(platform: &'p Platform) -> (Vec<usize>, Vec<Known<'p>>) {
        let mut found = Carriers { bandwidths: HashMap::new(), models: HashMap::new(), known: Vec::new() };
        let mut kinds = Vec::new();
        for from in platform.processors() {
            for to in platform.processors() {
                let link = platform.link(from, to);
                kinds.push(link.map_or(0, |carrier| found.kind_of(Known { carrier, from, to })));
            }
        }
        (kinds, found.known)
    }

    fn kind_of(&mut self, link: Known<'p>) -> usize {
        let next = self.known.len() + 1;
        let kind = match link.carrier {
            Carrier::Bandwidth(bandwidth) => *self.bandwidths.entry(bandwidth).or_insert(next),
            Carrier::Model(model) => *self.models.entry(model.identity()).or_insert(next),
        };
        if kind == next {
            self.known.push(link);
        }
        kind
    }
}

/// The rates of each kind of link for each size.
fn rates(links: &[Known<'_>], sizes: &[Ratio]) -> Result<Vec<Vec<Ratio>>, BuildErrors> {
    let (mut rates, mut errors) = (vec![Vec::with_capacity(sizes.len()); links.len()], Vec::new());
    for size in sizes {
        let mut others = 0;
        let mut first = None;
        for (link, rates) in links.iter().zip(&mut rates) {
            match link.carrier.rate(size) {
                Ok(rate) => rates.push(rate),
                Err(_) if first.is_some() => others += 1,
                Err(none) => first = Some((link, none)),
            }
        }
        errors.extend(first.map(|(link, none)| no_time(link, &none, size, others)));
    }
    if errors.is_empty() { Ok(rates) } else { Err(BuildErrors(errors)) }
}

/// The error for a size of which the model of a link says nothing, and those of so many other kinds.
fn no_time(link: &Known<'_>, none: &NoTime, size: &Ratio, others: usize) -> BuildError {
    let Known { from, to, .. } = link;
    let mut error = none.error(size, format_args!("the link from processor {from} to processor {to}"));
    match others {
        0 => {}
        1 => error.message += ", and so it is on one other kind of link",
        _ => error.message += &format!(", and so it is on {others} other kinds of links"),
    }
    error
}

/// Gives links whose rates are all equal the same kind. Kind 0, that of no link, is not among the rates.
fn join_equal(kinds: &mut [usize], rates: &[Vec<Ratio>]) {
    let mut first = HashMap::new();
    let same: Vec<usize> =
        (1..).zip(rates).map(|(kind, rates)| *first.entry(rates).or_insert(kind)).collect();
    kinds.iter_mut().filter(|kind| **kind > 0).for_each(|kind| *kind = same[*kind - 1]);
}
