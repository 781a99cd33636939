//! The text form: `.skel` files.
//!
//! ```text
//! file      = { statement }                  one skeleton; definitions and communication rates before, in or behind it
//! statement = "pipe" "(" count ")" ";"       and as many statements as it has stages
//!           | ("deal" | "farm") "(" count ")" ";"      and the statement of its worker
//!           | stage ";"
//!           | "communication" "(" [ task "," task "," ] ( rate | "none" ) ")" ";"
//!           | "buffers" "(" [ name "," | task "," task "," ] count ")" ";"      before the task of that name, or on a link
//!           | "one_port" ";"
//!           | name "=" rate ";"              before the name is used
//! stage     = "task" "(" [ name "," ] service ")"
//!           | ("deal" | "farm") "(" count "," ( [ name "," ] service | stage ) ")"
//!           | "pipe" "(" stage { "," stage } ")"
//!           | "map" "(" count "," worker ")"
//!           | "fault_tolerant" "(" count "," worker [ "," "early" ] ")"
//!           | "map_with_state" "(" count "," worker "," "state" "(" service "," value ")" ")"      and the items for each state
//! worker    = [ name "," ] service | "task" "(" [ name "," ] service ")"
//! service   = rate                           the time is exponential
//!           | distribution "(" argument { "," argument } ")"
//!           | "measured" "(" file [ "," ( name | number ) ] [ "," unit ] ")"       a column, and a unit
//! argument  = [ "-" ] value | time | "[" argument { "," argument } "]"
//! rate      = value | time                   of a time, the mean: the rate is its inverse, per second
//! value     = ( number | name ) [ "/" ( number | name ) ]
//! time      = number unit
//! unit      = "s" | "ms" | "us"
//! count     = number | name
//! ```
//! The distributions are `exponential(rate)`, `erlang(phases, mean)`,
//! `hyperexponential([probabilities], [rates])`, `phases([probabilities], [[rates], ...])`,
//! `fitted(mean, scv)`, `measured("times.csv")`, `deterministic(time)`, `uniform(from, to)`,
//! `lognormal(mean, scv)` and `weibull(mean, shape)`, where `scv` is the squared coefficient of variation. A
//! time without a unit is in that of the rates.
//!
//! The statements are the paper's, which describe the tree depth first and from left to right; the nested
//! form is that of the macros. A task's name is the component that it runs: several tasks may have the same.
//! Other names stand for numbers, which [`parse_with`] may give other values. Communication of `none` takes
//! no time. Comments are `//` and `/* */`.

mod read;
mod write;

use std::path::Path;

use crate::diagnostic::{Code, Diagnostic, TextSpan, sort_by_place};
use crate::rate::Rate;
use crate::skeleton::buffers::Buffers;
use crate::skeleton::check::{TaskNames, check, check_time};
use crate::skeleton::communication::Communication;
use crate::skeleton::lowering::graph::Graph;
use crate::skeleton::lowering::system::System;
use crate::skeleton::program::Program;
use crate::skeleton::tree::{StageId, Tree};
use crate::syntax::cursor::Cursor;
use crate::syntax::lex::lex;
use crate::syntax::token::Token;
use crate::text::Rejected;
use crate::time::ServiceTime;
use read::Parser;

/// The result of reading a text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree, unless there are errors.
    pub tree: Option<Tree>,
    /// The communication rates that the text gives.
    pub communication: Communication,
    /// The buffers that the text gives.
    pub buffers: Buffers,
    /// Whether the text says that items move one at a time between two stages.
    pub one_port: bool,
    /// Everything found, in the order of the text.
    pub diagnostics: Vec<Diagnostic<TextSpan>>,
    /// The places of the tree's nodes.
    spans: Vec<TextSpan>,
    links: Vec<((usize, usize), TextSpan)>,
    /// The place of the communication rate of all moves.
    place_of_everywhere: Option<TextSpan>,
    places_of_buffers: Vec<TextSpan>,
    place_of_one_port: Option<TextSpan>,
    /// The names of numbers that the text defines.
    names: Vec<String>,
    unused: Vec<Diagnostic<TextSpan>>,
    text: String,
}

/// Reads and checks a `.skel` text. Never panics; the cost is linear in the text.
///
/// # Examples
/// ```
/// use skel_core::skeleton::text::parse;
/// let paper = parse("pipe(2); task(\"task\", 1.0); farm(3, \"task\", 3.0);");
/// let nested = parse("pipe(task(task, 1), farm(3, task, 3));");
/// assert_eq!(paper.tree, nested.tree);
///
/// let short = parse("pipe(3); task(1.0); task(0);");
/// let messages: Vec<&str> = short.diagnostics.iter().map(|found| found.message.as_str()).collect();
/// assert_eq!(messages, ["the pipe says 3 stages, but 2 follow", "the rate of the task is 0"]);
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn parse(text: &str) -> Parsed {
    parse_with(text, &[])
}

/// As [`parse`], with other values for numbers that the text gives names. What it doesn't define is left out
/// of account: [`Parsed::names`] are those that it does.
///
/// # Examples
/// ```
/// use skel_core::skeleton::text::parse_with;
/// let text = "n = 2; mu = 3; pipe(task(1), farm(n, mu), task(mu / 2));";
/// let tree = parse_with(text, &[("n".to_owned(), 4.into())]).into_tree()?;
/// assert_eq!(tree.to_string(), "pipe(3);\ntask(1.0);\nfarm(4, 3.0);\ntask(1.5);\n");
/// let zero = parse_with(text, &[("n".to_owned(), 0.into())]);
/// assert_eq!(zero.diagnostics[0].message, "the farm has 0 replicas");
/// # Ok::<(), skel_core::text::Rejected>(())
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn parse_with(text: &str, settings: &[(String, Rate)]) -> Parsed {
    parse_where(text, settings, None)
}

/// As [`parse_with`], for a text that is in this folder: the files that it names, as in
/// `measured("times.csv")`, are read.
///
/// # Examples
/// ```
/// use skel_core::skeleton::text::{parse, parse_in};
/// # let folder = std::env::temp_dir().join(format!("skel_parse_in_{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// std::fs::write(folder.join("times.csv"), "parse (ms)\n8\n12\n10\n")?;
/// let text = "task(measured(\"times.csv\"));";
/// let tree = parse_in(text, &[], &folder).into_tree()?;
/// # std::fs::remove_dir_all(&folder)?;
/// let words = tree.time(tree.root()).unwrap().in_words();
/// assert_eq!(words, "measured: 3 times of mean 0.01, scv 0.04; fitted by Erlang 25 at rate 2500");
/// assert!(parse(text).tree.is_none(), "nothing says in which folder the file is");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn parse_in(text: &str, settings: &[(String, Rate)], folder: &Path) -> Parsed {
    parse_where(text, settings, Some(folder))
}

#[cfg_attr(debug_assertions, inline)]
fn parse_where(text: &str, settings: &[(String, Rate)], folder: Option<&Path>) -> Parsed {
    let lexed = lex(text);
    let end = TextSpan { start: text.trim_end().len(), end: text.trim_end().len() };
    let mut tokens = Cursor::new(&lexed.tokens, end, "the end of the text");
    tokens.diagnostics = lexed.diagnostics;
    read(tokens, text, settings, folder)
}

/// Reads and checks a skeleton that stands in another text: these of its tokens, up to the place `end`. What
/// is found has its place in the whole text; what the lexer found is left to whoever asked it. Files that it
/// names are in the folder, if there is one.
///
/// # Examples
/// ```
/// use skel_core::diagnostic::line_and_column;
/// use skel_core::skeleton::text::parse_part;
/// use skel_core::syntax::lex::lex;
/// let text = "program {\n  pipe(2); task(1.0); task(0);\n}";
/// let tokens = lex(text).tokens;
/// let end = tokens.len() - 1;
/// let parsed = parse_part(text, &tokens[2..end], tokens[end].span, None);
/// assert_eq!(parsed.diagnostics[0].message, "the rate of the task is 0");
/// assert_eq!(line_and_column(text, parsed.diagnostics[0].span.start), (2, 28));
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn parse_part(text: &str, tokens: &[Token<TextSpan>], end: TextSpan, folder: Option<&Path>) -> Parsed {
    read(Cursor::new(tokens, end, "the end of the skeleton"), text, &[], folder)
}

/// Reads and checks a distribution that stands in another text: these of its tokens, up to the place `end`.
/// It is written as the time of a task. `subject` names whose time it is in the findings. Files that it names
/// are in the folder, if there is one.
///
/// # Examples
/// ```
/// use skel_core::number::ratio;
/// use skel_core::skeleton::text::parse_time_part;
/// use skel_core::syntax::lex::lex;
/// let text = "w1 = erlang(4, 2);";
/// let tokens = lex(text).tokens;
/// let end = tokens.len() - 1;
/// let (time, findings) = parse_time_part(&tokens[2..end], tokens[end].span, "of stage 1", None);
/// assert_eq!((time.unwrap().mean(), findings.len()), (&ratio(2, 1), 0));
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn parse_time_part(
    tokens: &[Token<TextSpan>],
    end: TextSpan,
    subject: &str,
    folder: Option<&Path>,
) -> (Option<ServiceTime>, Vec<Diagnostic<TextSpan>>) {
    let mut parser = Parser::new(Cursor::new(tokens, end, "the end of the time"), &[], folder);
    let Ok(written) = parser.time_alone() else { return (None, parser.tokens.diagnostics) };
    check_time(&written, subject)
}

#[cfg_attr(debug_assertions, inline)]
fn read<'t>(
    tokens: Cursor<'t, TextSpan>,
    text: &str,
    settings: &'t [(String, Rate)],
    folder: Option<&'t Path>,
) -> Parsed {
    let mut parser = Parser::new(tokens, settings, folder);
    let written = parser.file();
    let links = parser.links.iter().map(|link| (link.ends, link.span)).collect();
    let times = parser.links.into_iter().map(|link| (link.ends, link.time));
    let (everywhere, place_of_everywhere) = parser.everywhere.unzip();
    let communication = Communication::from_times(times, everywhere);
    let unused = parser.names.unused();
    let names = parser.names.defined.into_iter().map(|defined| defined.name).collect();
    let mut diagnostics = parser.tokens.diagnostics;
    let (tree, findings) = match &written {
        Some(written) => check(written, TaskNames::Shared),
        None => (None, Vec::new()),
    };
    diagnostics.extend(findings);
    let (place_of_one_port, places_of_buffers) =
        (parser.buffers.place_of_one_port(), parser.buffers.places());
    let (buffers, findings) = match &tree {
        Some(tree) => parser.buffers.of_tree(tree),
        None => Default::default(),
    };
    diagnostics.extend(findings);
    sort_by_place(&mut diagnostics);
    let tree = tree.filter(|_| diagnostics.is_empty());
    let spans = written.map_or_else(Vec::new, |written| written.spans());
    let text = text.to_owned();
    Parsed {
        tree,
        communication,
        buffers,
        one_port: place_of_one_port.is_some(),
        diagnostics,
        spans,
        links,
        place_of_everywhere,
        places_of_buffers,
        place_of_one_port,
        names,
        unused,
        text,
    }
}

impl Parsed {
    /// The tree, or what is wrong with the text.
    ///
    /// # Errors
    /// All diagnostics, if there is one.
    #[cfg_attr(debug_assertions, inline)]
    pub fn into_tree(self) -> Result<Tree, Rejected> {
        match self.tree {
            Some(tree) => Ok(tree),
            None => Err(Rejected::new(self.diagnostics, self.text)),
        }
    }

    /// The skeleton with the communication rates, buffers and ports of the text, unless there are errors.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn program(&self) -> Option<Program<Tree>> {
        self.program_of(self.communication.clone())
    }

    #[cfg_attr(debug_assertions, inline)]
    fn program_of(&self, communication: Communication) -> Option<Program<Tree>> {
        let program = Program::new(self.tree.clone()?, communication).with_buffers(self.buffers.clone());
        Some(if self.one_port { program.one_port() } else { program })
    }

    /// The skeleton as a PEPA model, with the communication rates of the text unless others are given.
    ///
    /// # Errors
    /// All diagnostics: those of the text or, if there is none, what rates and sizes are wrong, each with its
    /// place.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::text::parse;
    /// let parsed = parse("pipe(2); task(1.0); task(2.0);");
    /// let error = parsed.lower(None).unwrap_err();
    /// assert_eq!(error[0].message, "the move from task 0 to task 1 has no communication rate");
    /// assert!(parsed.lower(Some(10.into())).is_ok());
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn lower(&self, communication: Option<Communication>) -> Result<System, Vec<Diagnostic<TextSpan>>> {
        let program = self.program_of(communication.unwrap_or_else(|| self.communication.clone()));
        self.lower_program(&program.ok_or_else(|| self.diagnostics.clone())?)
    }

    /// A program with this text's skeleton as a PEPA model.
    ///
    /// # Errors
    /// What rates, processors and sizes are wrong, each with its place in the text; communication that is
    /// negligible.
    ///
    /// # Panics
    /// If the program's skeleton has more stages than the text's.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{text::parse, Reading};
    /// let parsed = parse("pipe(task(1), deal(3, 1), deal(3, 1), task(1)); communication(1);");
    /// let literal = parsed.program().unwrap().with_reading(Reading::Literal);
    /// assert_eq!(parsed.lower_program(&literal).unwrap().graph().flow(1).destinations, [4, 5, 6]);
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn lower_program(&self, program: &Program<Tree>) -> Result<System, Vec<Diagnostic<TextSpan>>> {
        self.all_placed(program.lower_tree(program.skeleton()).and_then(System::require_timed_moves))
    }

    /// As [`Self::lower_program`], also where moves take no time; see
    /// [`Program::lower_with_immediate_moves`].
    ///
    /// # Errors
    /// What rates, processors and sizes are wrong, each with its place in the text.
    ///
    /// # Panics
    /// If the program's skeleton has more stages than the text's.
    #[cfg_attr(debug_assertions, inline)]
    pub fn lower_program_with_immediate_moves(
        &self,
        program: &Program<Tree>,
    ) -> Result<System, Vec<Diagnostic<TextSpan>>> {
        self.all_placed(program.lower_tree(program.skeleton()))
    }

    #[cfg_attr(debug_assertions, inline)]
    fn all_placed(
        &self,
        lowered: Result<System, Vec<Diagnostic<StageId>>>,
    ) -> Result<System, Vec<Diagnostic<TextSpan>>> {
        lowered.map_err(|findings| findings.into_iter().map(|finding| self.placed(finding)).collect())
    }

    /// A finding on a stage of the skeleton as one on its place in the text.
    ///
    /// # Panics
    /// If the text's skeleton has no such stage.
    #[cfg_attr(debug_assertions, inline)]
    pub fn placed(&self, finding: Diagnostic<StageId>) -> Diagnostic<TextSpan> {
        finding.at(|id| self.spans[id.index()])
    }

    /// The place of the whole skeleton: its first statement or, in the nested form, all of it.
    #[must_use]
    pub fn place_of_whole(&self) -> TextSpan {
        self.spans.first().copied().unwrap_or(TextSpan { start: 0, end: 0 })
    }

    /// The links that the text gives a rate of their own, sender and receiver, and where.
    #[must_use]
    pub fn links(&self) -> &[((usize, usize), TextSpan)] {
        &self.links
    }

    /// The places of all communication rates that the text gives.
    pub fn places_of_communication(&self) -> impl Iterator<Item = TextSpan> {
        self.place_of_everywhere.into_iter().chain(self.links.iter().map(|&(_, place)| place))
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The places of all statements about buffers, in the order of the text.
    #[must_use]
    pub fn places_of_buffers(&self) -> &[TextSpan] {
        &self.places_of_buffers
    }

    /// The place where the text says that items move one at a time.
    #[must_use]
    pub fn place_of_one_port(&self) -> Option<TextSpan> {
        self.place_of_one_port
    }

    /// The names of numbers that the text defines, in its order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// A warning for each name of a number that nothing uses.
    pub fn unused_names(&self) -> &[Diagnostic<TextSpan>] {
        &self.unused
    }

    /// A warning for each link that has a rate of its own although nothing moves along it.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn idle_links(&self, graph: &Graph) -> Vec<Diagnostic<TextSpan>> {
        let idle = self.links.iter().filter(|(link, _)| !graph.has_move(link.0, link.1));
        let warning = |&((from, to), span): &((usize, usize), TextSpan)| {
            let message = format!("nothing moves from task {from} to task {to}, so this rate is not used");
            Diagnostic::new(Code::IdleLink, span, message).help(graph.destinations_in_words(from))
        };
        idle.map(warning).collect()
    }
}
