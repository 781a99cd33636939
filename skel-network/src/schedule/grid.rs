//! The clusters of a platform and the links between their coordinators, for messages of one size.

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};

use crate::model::{CommunicationModel, OutsideTable};
use crate::quantity::{Bytes, Time};

/// What a message of one size costs from one coordinator to another.
///
/// # Examples
/// ```
/// use skel_network::Time;
/// use skel_network::schedule::Link;
/// let link = Link { latency: Time::microseconds(8602.73), gap: Time::microseconds(75.536) };
/// assert_eq!(link.time(), Time::microseconds(8678.266));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Link {
    /// The latency `L`, from the start of sending to the arrival of the first byte.
    pub latency: Time,
    /// The gap `g` of the message: how long it keeps the port of the sender.
    pub gap: Time,
}

impl Link {
    /// What a communication model says of messages of this size.
    ///
    /// # Errors
    /// The size is outside of a table of the model.
    pub fn of(model: &dyn CommunicationModel, size: Bytes) -> Result<Link, OutsideTable> {
        Ok(Link { latency: model.latency(size)?, gap: model.gap(size)? })
    }

    /// From the start of sending until the receiver has the whole message.
    #[must_use]
    pub fn time(&self) -> Time {
        self.gap + self.latency
    }
}

/// Clusters, the links between their coordinators, the times of the local operation in each, and the cluster
/// that has the message first; checked.
///
/// # Examples
/// ```
/// use skel_network::Time;
/// use skel_network::schedule::{Grid, Heuristic, Link};
/// let link = |latency| Link { latency: Time::microseconds(latency), gap: Time::microseconds(75.536) };
/// let none = Link::default();
/// let links = vec![
///     vec![none, link(5211.94), link(8602.73)],
///     vec![link(5211.94), none, link(3630.51)],
///     vec![link(8602.73), link(3630.51), none],
/// ];
/// let grid = Grid::new(["Orsay", "Toulouse", "Sophia"], links)?;
/// let schedule = grid.schedule(Heuristic::Ecef);
/// assert_eq!(schedule.transfers[0].to, 1);
/// assert_eq!(schedule.last_arrival.to_string(), "8.753802 ms");
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    names: Vec<String>,
    links: Vec<Vec<Link>>,
    inside: Vec<Time>,
    root: usize,
}

impl Grid {
    /// Clusters with the links between them: row `i` has in column `j` the link from cluster `i` to cluster
    /// `j`. What is on the diagonal is not looked at. The local operations take no time, and the first
    /// cluster is the root, until [`Grid::with_inside`] and [`Grid::with_root`] say otherwise.
    ///
    /// # Errors
    /// There is no cluster, the links are not one for each pair, or a latency or a gap is negative, infinite
    /// or not a number.
    pub fn new(
        names: impl IntoIterator<Item = impl Into<String>>,
        links: Vec<Vec<Link>>,
    ) -> Result<Grid, BuildErrors> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let count = names.len();
        if count == 0 {
            return Err(one(
                Code::OutOfRange,
                "there is no cluster".into(),
                "a grid has at least one".into(),
            ));
        }
        if links.len() != count || links.iter().any(|row| row.len() != count) {
            let message = format!("the links are not a table of {count} rows and {count} columns");
            return Err(one(
                Code::OutOfRange,
                message,
                "give a link from each cluster to each cluster".into(),
            ));
        }
        let mut errors = Vec::new();
        for (from, row) in links.iter().enumerate() {
            for (to, link) in row.iter().enumerate().filter(|&(to, _)| to != from) {
                let subject = |what| format!("the {what} from `{}` to `{}`", names[from], names[to]);
                errors.extend(fault(|| subject("latency"), link.latency));
                errors.extend(fault(|| subject("gap"), link.gap));
            }
        }
        let inside = vec![Time::ZERO; count];
        if errors.is_empty() { Ok(Grid { names, links, inside, root: 0 }) } else { Err(BuildErrors(errors)) }
    }

    /// The same with these times of the local operation, one for each cluster.
    ///
    /// # Errors
    /// There are more or fewer times than clusters, or one is negative, infinite or not a number.
    pub fn with_inside(self, inside: impl IntoIterator<Item = Time>) -> Result<Grid, BuildErrors> {
        let inside: Vec<Time> = inside.into_iter().collect();
        if inside.len() != self.len() {
            let message = format!("the number of times of local operations is {}", inside.len());
            return Err(one(
                Code::OutOfRange,
                message,
                format!("there is one for each of the {} clusters", self.len()),
            ));
        }
        let errors: Vec<BuildError> = inside
            .iter()
            .zip(&self.names)
            .filter_map(|(&time, name)| fault(|| format!("the time of the operation in `{name}`"), time))
            .collect();
        if errors.is_empty() { Ok(Grid { inside, ..self }) } else { Err(BuildErrors(errors)) }
    }

    /// The same with another root: the cluster, counted from 0, that has the message first.
    ///
    /// # Errors
    /// There is no such cluster.
    pub fn with_root(self, root: usize) -> Result<Grid, BuildErrors> {
        if root >= self.len() {
            let message = format!("there is no cluster {root} that could be the root");
            let help = format!("clusters are counted from 0, and the last of them is {}", self.len() - 1);
            return Err(one(Code::OutOfRange, message, help));
        }
        Ok(Grid { root, ..self })
    }

    /// How many clusters there are: at least one.
    #[allow(clippy::len_without_is_empty)]
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The names of the clusters.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The cluster that has the message first.
    #[must_use]
    pub fn root(&self) -> usize {
        self.root
    }

    /// The link from one cluster to another.
    ///
    /// # Panics
    /// If there is no such cluster.
    #[must_use]
    pub fn link(&self, from: usize, to: usize) -> Link {
        self.links[from][to]
    }

    /// How long the local operation takes in each cluster.
    #[must_use]
    pub fn inside(&self) -> &[Time] {
        &self.inside
    }
}

/// The longest time, in microseconds. Sums of times stay within the range of a float.
const LONGEST: f64 = 1e18;

fn fault(subject: impl FnOnce() -> String, time: Time) -> Option<BuildError> {
    let value = time.as_microseconds();
    (!(0.0..=LONGEST).contains(&value)).then(|| BuildError {
        code: Code::QuantityNotPositive,
        message: format!("{} is {value} us", subject()),
        help: "it is a time of 0 or more, and at most 1e18 microseconds".into(),
    })
}

fn one(code: Code, message: String, help: String) -> BuildErrors {
    BuildErrors(vec![BuildError { code, message, help }])
}
