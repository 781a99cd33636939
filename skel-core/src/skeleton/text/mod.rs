//! The text form: `.skel` files.
//!
//! ```text
//! file      = { statement }                  one skeleton; communication rates before, in or behind it
//! statement = "pipe" "(" count ")" ";"       and as many statements as it has stages
//!           | ("deal" | "farm") "(" count ")" ";"      and the statement of its worker
//!           | stage ";"
//!           | "communication" "(" [ task "," task "," ] rate ")" ";"
//! stage     = "task" "(" [ name "," ] rate ")"
//!           | ("deal" | "farm") "(" count "," ( [ name "," ] rate | stage ) ")"
//!           | "pipe" "(" stage { "," stage } ")"
//! rate      = number [ "/" number ]
//! ```
//! The statements are the paper's, which describe the tree depth first and from left to right; the nested form is
//! that of the macros. A name is the component that a task runs: several tasks may have the same.
//! Comments are `//` and `/* */`.

mod read;

use crate::diagnostic::{Code, Diagnostic, TextSpan, sort_by_place};
use crate::skeleton::check::{TaskNames, check};
use crate::skeleton::graph::Graph;
use crate::skeleton::program::Program;
use crate::skeleton::rates::Communication;
use crate::skeleton::system::System;
use crate::skeleton::tree::{StageId, Tree};
use crate::syntax::cursor::Cursor;
use crate::syntax::lex::lex;
use crate::syntax::token::Token;
use crate::text::Rejected;
use read::Parser;

/// The result of reading a text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree, unless there are errors.
    pub tree: Option<Tree>,
    /// The communication rates that the text gives.
    pub communication: Communication,
    /// Everything found, in the order of the text.
    pub diagnostics: Vec<Diagnostic<TextSpan>>,
    /// The places of the tree's nodes.
    spans: Vec<TextSpan>,
    links: Vec<((usize, usize), TextSpan)>,
    /// The place of the communication rate of all moves.
    place_of_everywhere: Option<TextSpan>,
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
#[inline]
pub fn parse(text: &str) -> Parsed {
    let lexed = lex(text);
    let end = TextSpan { start: text.trim_end().len(), end: text.trim_end().len() };
    let mut tokens = Cursor::new(&lexed.tokens, end, "the end of the text");
    tokens.diagnostics = lexed.diagnostics;
    read(tokens, text)
}

/// Reads and checks a skeleton that stands in another text: these of its tokens, up to the place `end`. What is found has
/// its place in the whole text; what the lexer found is left to whoever asked it.
///
/// # Examples
/// ```
/// use skel_core::diagnostic::line_and_column;
/// use skel_core::skeleton::text::parse_part;
/// use skel_core::syntax::lex::lex;
/// let text = "program {\n  pipe(2); task(1.0); task(0);\n}";
/// let tokens = lex(text).tokens;
/// let end = tokens.len() - 1;
/// let parsed = parse_part(text, &tokens[2..end], tokens[end].span);
/// assert_eq!(parsed.diagnostics[0].message, "the rate of the task is 0");
/// assert_eq!(line_and_column(text, parsed.diagnostics[0].span.start), (2, 28));
/// ```
#[must_use]
#[inline]
pub fn parse_part(text: &str, tokens: &[Token<TextSpan>], end: TextSpan) -> Parsed {
    read(Cursor::new(tokens, end, "the end of the skeleton"), text)
}

#[inline]
fn read(tokens: Cursor<'_, TextSpan>, text: &str) -> Parsed {
    let mut parser = Parser::new(tokens);
    let written = parser.file();
    let links = parser.links.iter().map(|link| (link.ends, link.span)).collect();
    let rates = parser.links.into_iter().map(|link| (link.ends, link.rate));
    let (everywhere, place_of_everywhere) = parser.everywhere.unzip();
    let communication = Communication::links(rates, everywhere);
    let mut diagnostics = parser.tokens.diagnostics;
    let (tree, findings) = match &written {
        Some(written) => check(written, TaskNames::Shared),
        None => (None, Vec::new()),
    };
    diagnostics.extend(findings);
    sort_by_place(&mut diagnostics);
    let tree = tree.filter(|_| diagnostics.is_empty());
    let spans = written.map_or_else(Vec::new, |written| written.spans());
    Parsed { tree, communication, diagnostics, spans, links, place_of_everywhere, text: text.to_owned() }
}

impl Parsed {
    /// The tree, or what is wrong with the text.
    ///
    /// # Errors
    /// All diagnostics, if there is one.
    #[inline]
    pub fn into_tree(self) -> Result<Tree, Rejected> {
        match self.tree {
            Some(tree) => Ok(tree),
            None => Err(Rejected::new(self.diagnostics, self.text)),
        }
    }

    /// The skeleton with the communication rates of the text, unless there are errors.
    #[must_use]
    #[inline]
    pub fn program(&self) -> Option<Program<Tree>> {
        self.tree.as_ref().map(|tree| Program::new(tree.clone(), self.communication.clone()))
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
    #[inline]
    pub fn lower(&self, communication: Option<Communication>) -> Result<System, Vec<Diagnostic<TextSpan>>> {
        let Some(tree) = &self.tree else { return Err(self.diagnostics.clone()) };
        let communication = communication.unwrap_or_else(|| self.communication.clone());
        self.lower_program(&Program::new(tree.clone(), communication))
    }

    /// A program with this text's skeleton as a PEPA model.
    ///
    /// # Errors
    /// What rates, processors and sizes are wrong, each with its place in the text.
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
    #[inline]
    pub fn lower_program(&self, program: &Program<Tree>) -> Result<System, Vec<Diagnostic<TextSpan>>> {
        let placed = |findings: Vec<_>| findings.into_iter().map(|finding| self.placed(finding)).collect();
        program.lower_tree(program.skeleton()).map_err(placed)
    }

    /// A finding on a stage of the skeleton as one on its place in the text.
    ///
    /// # Panics
    /// If the text's skeleton has no such stage.
    #[inline]
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

    /// A warning for each link that has a rate of its own although nothing moves along it.
    #[must_use]
    #[inline]
    pub fn idle_links(&self, graph: &Graph) -> Vec<Diagnostic<TextSpan>> {
        let idle = self.links.iter().filter(|(link, _)| !graph.has_move(link.0, link.1));
        let warning = |&((from, to), span): &((usize, usize), TextSpan)| {
            let message = format!("nothing moves from task {from} to task {to}, so this rate is not used");
            Diagnostic::new(Code::IdleLink, span, message).help(graph.destinations_in_words(from))
        };
        idle.map(warning).collect()
    }
}
