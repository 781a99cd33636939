//! Programs composed of segments: the graph DP*Graph++ of the paper, as a text.
//!
//! A rectangle of the graph is a computation, a triangle a communication, a dotted line around others a
//! repetition, and there is a column for each process. Overlap and choice are additions.
//!
//! ```text
//! model = "graph" NAME "(" [NAME {"," NAME}] ")" block ;      block = "{" {stmt} "}" ;
//! stmt  = "comp" NAME [":" expr] ";"                          seconds of a computation
//!       | ("send"|"recv"|"bcast"|"gather"|"exchange") NAME ["[" expr "]"] [":" expr] ";"
//!                                                             seconds of a communication; the bytes in brackets are m in its seconds
//!       | "loop" expr block
//!       | "par" "{" {"process" NAME ["*" expr] block} "}"
//!       | "overlap" [expr] block "with" block
//!       | "choice" "{" {expr "->" block} "}" ;                probabilities
//! expr  = numbers, parameters, + - * / ^, brackets, log2(..) ;
//! ```
//!
//! # What takes how long
//! Statements one after the other add up. `loop k` takes `k` times its body. `par` takes as long as its
//! slowest process; several processes of one kind take as long as one, and none of a kind take no time.
//! `overlap e` takes the longer of its two blocks and `1 - e` of the shorter: with `e` = 1, which is meant
//! where nothing is said, one is hidden behind the other. `choice` takes the mean of its blocks by their
//! probabilities. Columns do not wait for each other but at their ends: where a process waits for another in
//! between, write a communication there.
//!
//! A statement without seconds is a segment whose model is fitted: [`Graph::times_with`] takes its times from
//! a function.
//!
//! Source: J. M. Laine and E. T. Midorikawa, PEMPIs-Het, section 4 and Fig. 4, which shows the graph as a
//! picture alone.

mod expression;
mod lex;
mod parse;
mod picture;
mod time;

use std::collections::HashSet;

use skel_core::diagnostic::{Diagnostic, TextSpan};

use expression::{Expression, Place};

pub use time::{GraphError, PartTime, Times};

/// A program as a composition of segments.
///
/// # Examples
/// ```
/// use skel_fit::graph::Graph;
/// let graph = Graph::from_text("graph product(n, p) {
///     bcast matrix [8*n^2] : 1e-4 + 9e-9*m;
///     par { process master { comp divide : 1e-3; }
///           process worker * (p-1) { comp rows : 2e-9*n^3/(p-1); } }
/// }").unwrap();
/// let times = graph.times(&[("n", 1000.0), ("p", 5.0)])?;
/// assert!((times.seconds - (0.0721 + 0.5)).abs() < 1e-12);
/// # Ok::<(), skel_fit::graph::GraphError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Graph {
    name: String,
    parameters: Vec<String>,
    body: Block,
}

/// Statements one after the other.
type Block = Vec<Statement>;

/// A part of a program, with its place in the text.
#[derive(Clone, Debug)]
enum Statement {
    Segment(Segment),
    Loop { times: Expression, body: Block },
    Parallel(Vec<Process>),
    Overlap { part: Option<Expression>, one: Block, other: Block },
    Choice { branches: Vec<(Expression, Block)>, place: Place },
}

/// A column of processes that do the same.
#[derive(Clone, Debug)]
struct Process {
    name: String,
    copies: Option<Expression>,
    body: Block,
}

/// A computation or a communication.
#[derive(Clone, Debug)]
struct Segment {
    kind: SegmentKind,
    name: String,
    bytes: Option<Expression>,
    /// Without them, the segment has a fitted model.
    seconds: Option<Expression>,
}

/// What a segment of a program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentKind {
    /// It computes.
    Computation,
    /// It sends a message.
    Send,
    /// It receives a message.
    Receive,
    /// It sends a message to all.
    Broadcast,
    /// It receives a message from all.
    Gather,
    /// It sends and receives.
    Exchange,
}

impl SegmentKind {
    /// The word for it in a text.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            SegmentKind::Computation => "comp",
            SegmentKind::Send => "send",
            SegmentKind::Receive => "recv",
            SegmentKind::Broadcast => "bcast",
            SegmentKind::Gather => "gather",
            SegmentKind::Exchange => "exchange",
        }
    }

    const ALL: [SegmentKind; 6] = [
        SegmentKind::Computation,
        SegmentKind::Send,
        SegmentKind::Receive,
        SegmentKind::Broadcast,
        SegmentKind::Gather,
        SegmentKind::Exchange,
    ];
}

impl Graph {
    /// Reads a text.
    ///
    /// # Errors
    /// Everything that is wrong with it, with its places. After a wrong statement, reading goes on with the
    /// next one.
    pub fn from_text(text: &str) -> Result<Graph, Vec<Diagnostic<TextSpan>>> {
        parse::graph(text)
    }

    /// The name of the program.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of the parameters, in their order.
    pub fn parameters(&self) -> impl ExactSizeIterator<Item = &str> {
        self.parameters.iter().map(String::as_str)
    }

    /// The names of the segments without seconds, whose models are fitted, in the order of the text.
    #[must_use]
    pub fn fitted_segments(&self) -> Vec<&str> {
        let (mut names, mut known) = (Vec::new(), HashSet::new());
        visit(&self.body, &mut |segment| {
            if segment.seconds.is_none() && known.insert(segment.name.as_str()) {
                names.push(segment.name.as_str());
            }
        });
        names
    }

    /// How long the program and its parts take for values of its parameters.
    ///
    /// # Errors
    /// A parameter is missing, unknown or not finite; a count, a part or a probability is not one; a time is
    /// negative or not finite; a segment has no seconds. All of these at once.
    pub fn times(&self, parameters: &[(&str, f64)]) -> Result<Times, GraphError> {
        self.times_with(parameters, |_| None)
    }

    /// The same, where segments without seconds take their times from fitted models.
    ///
    /// # Errors
    /// As for [`times`](Graph::times).
    ///
    /// # Examples
    /// ```
    /// use skel_fit::Function;
    /// use skel_fit::graph::Graph;
    /// let graph = Graph::from_text("graph sort(n) { comp divide; loop 2 { comp sort; } }").unwrap();
    /// assert_eq!(graph.fitted_segments(), ["divide", "sort"]);
    /// let sort: Function = "1e-8 n log2(n)".parse()?;
    /// let model = |segment: &str| match segment {
    ///     "sort" => Some(sort.at(1024.0)),
    ///     _ => Some(0.001),
    /// };
    /// let times = graph.times_with(&[("n", 1024.0)], model)?;
    /// assert!((times.seconds - (0.001 + 2.0 * 1.024e-4)).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn times_with(
        &self,
        parameters: &[(&str, f64)],
        model: impl Fn(&str) -> Option<f64>,
    ) -> Result<Times, GraphError> {
        time::times(self, parameters, &model)
    }

    /// The graph as an SVG figure: rectangles compute, triangles communicate, dotted lines repeat, and each
    /// kind of process has a column.
    #[must_use]
    pub fn to_svg(&self) -> String {
        picture::svg(self)
    }
}

/// Looks at all segments, in the order of the text.
fn visit<'g>(block: &'g Block, look: &mut impl FnMut(&'g Segment)) {
    for statement in block {
        match statement {
            Statement::Segment(segment) => look(segment),
            Statement::Loop { body, .. } => visit(body, look),
            Statement::Parallel(processes) => {
                for process in processes {
                    visit(&process.body, look);
                }
            }
            Statement::Overlap { one, other, .. } => {
                visit(one, look);
                visit(other, look);
            }
            Statement::Choice { branches, .. } => {
                for (_, body) in branches {
                    visit(body, look);
                }
            }
        }
    }
}
