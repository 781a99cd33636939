//! pLogP from runs of each size.

use std::collections::BTreeSet;

use skel_core::model::BuildErrors;

use super::equations::{Equations, Proposal, check};
use super::error::FitError;
use super::fitted::Fit;
use super::least_squares::Weights;
use crate::measurement::{Measured, Measurement};
use crate::model::{GapTable, Kind, PLogP};
use crate::quantity::{Bytes, Time};

/// The sizes of a table: a parameter for each.
type Sizes = Vec<Bytes>;

/// Which parameter is where: `L`, and then the tables.
struct Layout {
    gap: Sizes,
    send: Sizes,
    receive: Sizes,
}

impl PLogP {
    /// The model of the link of these runs, with relative weights. Each size that was measured becomes a knot
    /// of its table.
    ///
    /// All kinds of runs count. The tables of overheads are there if overheads were measured.
    ///
    /// # Errors
    /// See [`fit`](crate::fit#what-is-refused).
    ///
    /// # Examples
    /// ```
    /// use skel_network::{Bytes, Measured, Measurement, PLogP, Time};
    /// let run = |measured, size, time| Measurement {
    ///     from: "a".into(),
    ///     to: "b".into(),
    ///     measured,
    ///     size: Bytes::new(size),
    ///     time: Time::microseconds(time),
    /// };
    /// let runs = [
    ///     run(Measured::Gap, 0, 11.0),
    ///     run(Measured::EmptyReply, 0, 98.0),
    ///     run(Measured::EmptyReply, 1024, 105.0),
    /// ];
    /// let link = PLogP::fit(&runs)?.model;
    /// assert!((link.l().as_microseconds() - 38.0).abs() < 1e-9);
    /// assert!((link.g().at(Bytes::new(1024)).unwrap().as_microseconds() - 18.0).abs() < 1e-9);
    ///
    /// let error = PLogP::fit(&runs[1..]).unwrap_err().to_string();
    /// assert!(error.contains("missing: a gap of messages of 0 bytes"), "{error}");
    /// # Ok::<(), skel_network::FitError>(())
    /// ```
    pub fn fit(measurements: &[Measurement]) -> Result<Fit<PLogP>, FitError> {
        PLogP::fit_with(measurements, Weights::default())
    }

    /// [`fit`](PLogP::fit) with other weights.
    ///
    /// # Errors
    /// As [`fit`](PLogP::fit).
    pub fn fit_with(measurements: &[Measurement], weights: Weights) -> Result<Fit<PLogP>, FitError> {
        check(measurements)?;
        let layout = Layout::of(measurements);
        let equations = Equations {
            model: Kind::PLogP,
            parameters: layout.parameters(),
            row: &|measured, size| Some((layout.row(measured, size), 0.0)),
            proposals: layout.proposals(),
            needed: Kind::PLogP.measurements_needed(layout.gap.iter().filter(|size| size.get() > 0).count()),
        };
        let solved = equations.solve(measurements, weights)?;
        equations.fit(solved, weights, |found| layout.model(found))
    }
}

impl Layout {
    fn of(measurements: &[Measurement]) -> Layout {
        let sizes = |is_of_table: fn(Measured) -> bool| -> BTreeSet<Bytes> {
            measurements.iter().filter(|run| is_of_table(run.measured)).map(|run| run.size).collect()
        };
        let mut gap =
            sizes(|measured| !matches!(measured, Measured::SendOverhead | Measured::ReceiveOverhead));
        if measurements.iter().any(|run| run.measured == Measured::EmptyReply) || gap.is_empty() {
            gap.insert(Bytes::new(0));
        }
        let send = sizes(|measured| measured == Measured::SendOverhead);
        let receive = sizes(|measured| measured == Measured::ReceiveOverhead);
        let [gap, send, receive] = [gap, send, receive].map(|sizes| sizes.into_iter().collect());
        Layout { gap, send, receive }
    }

    fn count(&self) -> usize {
        1 + self.gap.len() + self.send.len() + self.receive.len()
    }

    fn parameters(&self) -> Vec<(String, &'static str)> {
        let named = |table: &'static str, sizes: &Sizes| -> Vec<(String, &'static str)> {
            sizes.iter().map(|size| (format!("{table}({})", size.get()), " us")).collect()
        };
        let tables = [named("g", &self.gap), named("o_s", &self.send), named("o_r", &self.receive)]
            .into_iter()
            .flatten();
        [("L".to_owned(), " us")].into_iter().chain(tables).collect()
    }

    fn row(&self, measured: Measured, size: Bytes) -> Vec<f64> {
        let mut row = vec![0.0; self.count()];
        let mut add = |first: usize, sizes: &Sizes, size: Bytes, factor: f64| {
            if let Ok(at) = sizes.binary_search(&size) {
                row[first + at] += factor;
            }
        };
        let (send, receive) = (1 + self.gap.len(), 1 + self.gap.len() + self.send.len());
        let latencies = match measured {
            Measured::HalfRoundTrip | Measured::Burst { .. } => 1.0,
            Measured::EmptyReply => 2.0,
            _ => 0.0,
        };
        match measured {
            Measured::SendOverhead => add(send, &self.send, size, 1.0),
            Measured::ReceiveOverhead => add(receive, &self.receive, size, 1.0),
            Measured::Burst { messages } => add(1, &self.gap, size, f64::from(messages)),
            Measured::HalfRoundTrip | Measured::Gap => add(1, &self.gap, size, 1.0),
            Measured::EmptyReply => {
                add(1, &self.gap, size, 1.0);
                add(1, &self.gap, Bytes::new(0), 1.0);
            }
        }
        row[0] = latencies;
        row
    }

    /// For each size a round trip, and a gap of the smallest messages.
    fn proposals(&self) -> Vec<Proposal> {
        let trip = |&size: &Bytes| {
            let what = format!("a round trip of a message of {} bytes with an empty reply", size.get());
            (Measured::EmptyReply, size, what)
        };
        let least = self.gap[0];
        let gap = (Measured::Gap, least, format!("a gap of messages of {} bytes", least.get()));
        [gap].into_iter().chain(self.gap.iter().map(trip)).collect()
    }

    fn model(&self, found: &[f64]) -> Result<PLogP, BuildErrors> {
        let mut values = found.iter().map(|&value| Time::microseconds(value));
        let l = values.next().unwrap_or_default();
        let mut table = |sizes: &Sizes| GapTable::new(sizes.iter().copied().zip(values.by_ref()));
        let mut model = PLogP::new(l, table(&self.gap)?)?;
        if !self.send.is_empty() {
            model = model.with_sender_overhead(table(&self.send)?);
        }
        if !self.receive.is_empty() {
            model = model.with_receiver_overhead(table(&self.receive)?);
        }
        Ok(model)
    }
}
