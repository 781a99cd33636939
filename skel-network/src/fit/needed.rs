//! How many runs each model needs.

use std::fmt;

use crate::model::Kind;

/// The fewest runs from which a model can be found. More of each kind make the fit better, and only more than
/// these show how good it is.
///
/// Nasri, Steffenel and Trystram weigh this: LogP and LogGP are cheap, because they extrapolate from a few
/// runs, while pLogP needs runs for every size, and is right where the time is no straight line.
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
/// let dear = Kind::PLogP.measurements_needed(20);
/// assert_eq!((dear.runs(), dear.runs_with_overheads()), (22, 62));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needed {
    required: Vec<(usize, String)>,
    /// For tables of overheads that the model can do without.
    overheads: Vec<(usize, String)>,
}

impl Needed {
    /// The number of runs that the model cannot do without.
    #[must_use]
    pub fn runs(&self) -> usize {
        count(&self.required)
    }

    /// The number of runs with those for its tables of overheads, if it has such tables.
    #[must_use]
    pub fn runs_with_overheads(&self) -> usize {
        self.runs() + count(&self.overheads)
    }

    /// How many runs of which kind.
    #[must_use]
    pub fn parts(&self) -> &[(usize, String)] {
        &self.required
    }
}

impl Kind {
    /// The fewest runs that the model needs, where messages of a number of different sizes are of interest.
    /// Only pLogP needs runs for each size; those are the runs that Kielmann and others propose, which cover
    /// empty messages too. LoPC has no parameters of its own to be measured on the network: it takes those of
    /// LogP, and the work and the handlers of the program.
    #[must_use]
    pub fn measurements_needed(self, sizes: usize) -> Needed {
        let overhead = || some(1, "send overhead");
        let burst = || (1, "burst of 2 messages or more".to_owned());
        let two_sizes = || (2, "half round trips of different sizes".to_owned());
        let mut overheads = Vec::new();
        let required = match self {
            Kind::Hockney => vec![two_sizes()],
            Kind::LogP | Kind::LoPc => vec![some(1, "half round trip"), overhead(), burst()],
            Kind::LogGp => vec![two_sizes(), overhead(), burst()],
            Kind::LoGpc => {
                let crowded = (1, "half round trip while all transfers share the network".to_owned());
                vec![two_sizes(), overhead(), burst(), crowded]
            }
            Kind::PLogP => {
                overheads = vec![some(sizes, "send overhead"), some(sizes, "receive overhead")];
                let empty = (1, "round trip of an empty message".to_owned());
                let others = format!("{} with an empty reply", some(sizes, "round trip").1);
                vec![(1, "gap of empty messages".to_owned()), empty, (sizes, others)]
            }
        };
        Needed { required: at_least_one(required), overheads: at_least_one(overheads) }
    }
}

fn some(count: usize, noun: &str) -> (usize, String) {
    (count, if count == 1 { noun.to_owned() } else { format!("{noun}s") })
}

fn at_least_one(parts: Vec<(usize, String)>) -> Vec<(usize, String)> {
    parts.into_iter().filter(|(count, _)| *count > 0).collect()
}

fn count(parts: &[(usize, String)]) -> usize {
    parts.iter().map(|(count, _)| count).sum()
}

impl fmt::Display for Needed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |parts: &[(usize, String)]| {
            let parts: Vec<String> = parts.iter().map(|(count, what)| format!("{count} {what}")).collect();
            parts.join(", ")
        };
        write!(f, "{} runs: {}", self.runs(), list(&self.required))?;
        if self.overheads.is_empty() {
            return Ok(());
        }
        write!(f, "; for its overheads {} more: {}", count(&self.overheads), list(&self.overheads))
    }
}
