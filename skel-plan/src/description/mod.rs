//! Descriptions: a program, the machines and the mappings to compare, as a text.
//!
//! ```text
//! .des text -> read -\
//!                     Written -> check -> Description -> write -> .des text
//! TOML -> toml ------/
//! ```
//!
//! The `.des` form is the paper's (section 4.2), and skeletons:
//!
//! ```text
//! file     = { entry ";" }
//! entry    = "type" "=" ( "pipeline" | "skeleton" )
//!          | "nbproc" "=" count | "cp" i "=" number | "nl" i "-" j "=" number
//!          | pipeline | skeleton
//!          | "mappings" "=" mapping { "," mapping }
//!          | "throughput"
//! pipeline = "nbstage" "=" count | "w" i "=" number | "ds" i "=" number
//! skeleton = "skeleton" "=" "{" the text of a skeleton "}" | "ds" "=" number | "ds" i "-" j "=" number
//! mapping  = "[" input "," tuple "," output "]"      of a pipeline
//!          | tuple                                   of a skeleton
//! tuple    = "(" processor { "," processor } ")"
//! number   = digits, a decimal, or one over another: 1/3
//! ```
//! Entries come in any order, each once. Comments are `//`, `/* */` and lines that begin with `%`. `throughput` is the one
//! result that there is, so it may be left out. Processors, stages and tasks are numbered from 1.
//!
//! - Of a *pipeline*, `w` is the work of a stage and `ds` the size of what it receives; there is one `ds` more than there are
//!   stages, for the output.
//! - A *skeleton* is written as in a file of its own, see [`text`](skel_core::skeleton::text), but for communication rates: how
//!   fast items move follows from their size and the links. The rate of a task is that on a processor of power 1, so
//!   its work is one over it. Its tasks are numbered in the order of the text, replicas counted. `ds` is the size of all that
//!   moves from one task to another, and `ds1-2` that of what moves from task 1 to task 2. Items come in where the first task
//!   runs and go out where the last does, so its mappings have no ends.
//!
//! The TOML form says the same with defaults for links:
//!
//! ```toml
//! output = 100                     # the size of the output
//!
//! [[processor]]                    # one for each, numbered from 1
//! power = 10
//! availability = 0.5               # a part of the power; 1 unless given
//! name = "node-1"
//!
//! [links]
//! all = 1000                       # between two processors
//! within = 10000                   # from a processor to itself
//! "1-2" = 100                      # from processor 1 to processor 2
//!
//! [[stage]]
//! work = 1
//! data = 100                       # the size of what it receives
//!
//! [[mapping]]
//! input = 1                        # where the first stage is, unless given
//! stages = [1]
//! output = 1                       # where the last stage is, unless given
//! ```
//! and of a skeleton, in place of stages and output:
//!
//! ```toml
//! skeleton = """
//!     pipe(3); task("read", 1.0); farm(2, "work", 0.5); task("write", 1.0);
//! """
//!
//! [moves]
//! all = 100                        # from any task to the next
//! "1-2" = 10                       # from task 1 to task 2
//!
//! [[mapping]]
//! tasks = [1, 1, 2, 1]             # the same word as `stages`
//! ```

mod check;
mod read;
mod toml;
mod write;
mod written;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::text::Rejected;

use crate::application::Application;
use crate::mapping::Mapping;
use crate::platform::Platform;
use written::Written;

/// A program, machines, and the mappings to compare.
///
/// It prints as a `.des` text that reads as the same description; names of processors and of a pipeline's stages are left out
/// there, and a skeleton's mappings have no ends.
///
/// # Examples
/// ```
/// use skel_plan::{Description, Planner};
/// let description = Description::from_text(
///     "type = pipeline; nbproc = 2; cp1 = 10; cp2 = 5; nl1-1 = 10000; nl1-2 = 8; nl2-2 = 10000;
///      nbstage = 2; w1 = 2; w2 = 4; ds1 = 1; ds2 = 1; ds3 = 1;
///      mappings = [1, (1,1), 1], [1, (1,2), 2]; throughput;",
/// )?;
/// assert_eq!(Description::from_text(&description.to_string())?, description);
/// let planner = Planner::new(description.application().clone(), description.platform().clone())?;
/// let ranking = planner.rank(description.mappings())?;
/// assert_eq!(ranking.best().mapping.to_string(), "[1, (1,1), 1]");
/// # Ok::<(), skel_solve::Error>(())
/// ```
/// A skeleton says how often each task is done on a processor of power 1, and the sizes of what moves.
/// ```
/// # use skel_plan::{Description, Planner};
/// let description = Description::from_text(
///     "type = skeleton; nbproc = 2; cp1 = 10; cp2 = 5; nl1-1 = 10000; nl1-2 = 800; nl2-1 = 800; nl2-2 = 10000;
///      skeleton = { pipe(3); task(\"read\", 1.0); farm(2, \"work\", 0.5); task(\"write\", 1.0); };
///      ds = 100; ds1-3 = 10; mappings = (1,1,1,1), (1,1,2,1);",
/// )?;
/// assert_eq!(Description::from_text(&description.to_string())?, description);
/// let planner = Planner::new(description.application().clone(), description.platform().clone())?;
/// let ranking = planner.rank(description.mappings())?;
/// assert_eq!(planner.application().mapping_text(&ranking.best().mapping), "(1,1,2,1)");
/// # Ok::<(), skel_solve::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    platform: Platform,
    application: Application,
    mappings: Vec<Mapping>,
}

/// What became of a text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The description, unless there are errors.
    pub description: Option<Description>,
    /// Everything found, in the order of the text.
    pub diagnostics: Vec<Diagnostic<TextSpan>>,
    text: String,
}

/// Reads and checks a `.des` text. Never panics; the cost is about linear in the text.
///
/// # Examples
/// ```
/// use skel_plan::description::parse;
/// let parsed = parse("type = pipeline; nbproc = 1; cp1 = 0; nl1-1 = 10; nbstage = 1; w1 = 1; ds1 = 1; ds2 = fast;");
/// let messages: Vec<&str> = parsed.diagnostics.iter().map(|found| found.message.as_str()).collect();
/// assert_eq!(messages, ["`cp1` is 0", "`fast` is not a number"]);
/// ```
#[must_use]
pub fn parse(text: &str) -> Parsed {
    let (written, diagnostics) = read::read(text);
    Parsed::of(&written, diagnostics, text)
}

/// Reads and checks a description in TOML. Never panics; the cost is about linear in the text.
///
/// # Examples
/// ```
/// use skel_plan::description::parse_toml;
/// let text = "
///     output = 1
///     processor = [{ power = 10 }, { power = 10, availability = 0.5 }]
///     links = { all = 10, within = 10000 }
///     stage = [{ work = 1, data = 1 }, { work = 1, data = 1 }]
///     mapping = [{ stages = [1, 2] }]";
/// let parsed = parse_toml(text);
/// assert_eq!(parsed.description.unwrap().mappings()[0].to_string(), "[1, (1,2), 2]");
/// ```
#[must_use]
pub fn parse_toml(text: &str) -> Parsed {
    let (written, diagnostics) = toml::read(text);
    Parsed::of(&written, diagnostics, text)
}

impl Parsed {
    fn of(written: &Written, mut diagnostics: Vec<Diagnostic<TextSpan>>, text: &str) -> Parsed {
        let description = check::check(written, &mut diagnostics);
        diagnostics.sort_by_key(|found| (found.span.start, found.span.end));
        let description = description.filter(|_| diagnostics.is_empty());
        Parsed { description, diagnostics, text: text.to_owned() }
    }

    /// The description, or what is wrong with the text.
    ///
    /// # Errors
    /// All diagnostics, if there is one.
    pub fn into_description(self) -> Result<Description, Rejected> {
        match self.description {
            Some(description) => Ok(description),
            None => Err(Rejected::new(self.diagnostics, self.text)),
        }
    }

    /// What is wrong where no search is asked for: a description without mappings then asks for nothing.
    ///
    /// # Examples
    /// ```
    /// use skel_plan::description::parse;
    /// let text = "type = pipeline; nbproc = 1; cp1 = 1; nl1-1 = 1; nbstage = 1; w1 = 1; ds1 = 1; ds2 = 1;";
    /// let finding = parse(text).without_search().unwrap();
    /// assert_eq!(finding.message, "there is no mapping to evaluate");
    /// ```
    #[must_use]
    pub fn without_search(&self) -> Option<Diagnostic<TextSpan>> {
        let description = self.description.as_ref()?;
        let end = self.text.trim_end().len();
        let at = TextSpan { start: end, end };
        let finding = Diagnostic::new(Code::NothingAsked, at, "there is no mapping to evaluate");
        let mapping = if description.application.has_ends() { "[1, (1,1,2), 2]" } else { "(1,1,2)" };
        let help = format!("name mappings, as `mappings = {mapping};`, or search for one");
        description.mappings.is_empty().then(|| finding.help(help))
    }
}

impl Description {
    /// Puts a description together.
    #[must_use]
    pub fn new(platform: Platform, application: Application, mappings: Vec<Mapping>) -> Description {
        Description { platform, application, mappings }
    }

    /// The description of a `.des` text.
    ///
    /// # Errors
    /// Everything that is wrong with the text.
    pub fn from_text(text: &str) -> Result<Description, Rejected> {
        parse(text).into_description()
    }

    /// The description of a text in TOML.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn from_toml(text: &str) -> Result<Description, Rejected> {
        parse_toml(text).into_description()
    }

    /// The machines.
    #[must_use]
    pub fn platform(&self) -> &Platform {
        &self.platform
    }

    /// The program.
    #[must_use]
    pub fn application(&self) -> &Application {
        &self.application
    }

    /// The mappings to compare, as they are written. There may be none.
    #[must_use]
    pub fn mappings(&self) -> &[Mapping] {
        &self.mappings
    }
}
