//! How many runs each model needs.

use std::fmt;

use crate::model::Kind;

/// The fewest runs from which a model can be found. More of each kind make the fit better, and only more than these show how good it is.
///
/// Nasri, Steffenel and Trystram weigh this: LogP and LogGP are cheap, because they extrapolate from a few runs, while pLogP
/// needs runs for every size, and is right where the time is no straight line.
///
/// # Examples
/// ```
/// use skel_network::Kind;
/// let cheap = Kind::LogGp.measurements_needed(20);
/// assert_eq!(cheap.runs(), 4);
/// assert_eq!(
///     cheap.to_string(),
///     "4 runs: 2 half round trips of different sizes, 1 send overhead, 1 burst of 2 messages or more"
/// );
/// assert_eq!(Kind::PLogP.measurements_needed(20).runs(), 62);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needed {
    /// How many of what.
    parts: Vec<(usize, &'static str)>,
}

impl Needed {
    /// The number of all runs together.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.parts.iter().map(|(count, _)| count).sum()
    }

    /// How many runs of which kind.
    #[must_use]
    pub fn parts(&self) -> &[(usize, &'static str)] {
        &self.parts
    }
}

impl Kind {
    /// The fewest runs that the model needs, where messages of a number of different sizes are of interest. Only pLogP needs runs for each size;
    /// its tables of overheads are counted, though it can do without them. LoPC has no parameters of its own to be measured on the network: it
    /// takes those of LogP, and the work and the handlers of the program.
    #[must_use]
    pub fn measurements_needed(self, sizes: usize) -> Needed {
        const SIZES: &str = "half round trips of different sizes";
        const OVERHEAD: (usize, &str) = (1, "send overhead");
        const BURST: (usize, &str) = (1, "burst of 2 messages or more");
        let parts = match self {
            Kind::Hockney => vec![(2, SIZES)],
            Kind::LogP | Kind::LoPc => vec![(1, "half round trip"), OVERHEAD, BURST],
            Kind::LogGp => vec![(2, SIZES), OVERHEAD, BURST],
            Kind::LoGpc => {
                vec![(2, SIZES), OVERHEAD, BURST, (1, "half round trip with all transfers at once")]
            }
            Kind::PLogP => vec![
                (1, "gap of empty messages"),
                (1, "round trip of an empty message"),
                (sizes, "round trips with empty replies"),
                (sizes, "send overheads"),
                (sizes, "receive overheads"),
            ],
        };
        Needed { parts }
    }
}

impl fmt::Display for Needed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} runs: ", self.runs())?;
        for (index, (count, what)) in self.parts.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{count} {what}")?;
        }
        Ok(())
    }
}
