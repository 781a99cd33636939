//! Files: from a `.pepa` text to a model, with everything that is wrong with the text.

mod pattern;
mod reading;

use std::path::{Path, PathBuf};

use crate::check::{self, Syntax};
use crate::diagnostic::{Code, Diagnostic, Lines, TextSpan, sort_by_place};
use crate::model::Model;
use crate::syntax::ast::{Ast, Process};
use crate::syntax::directive::Requests;
use crate::syntax::lex::Lexer;
use crate::syntax::outline::Outline;
use crate::syntax::parse::Statements;

pub use reading::Reading;

/// The result of reading a text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The model, unless there are errors.
    pub model: Option<Model>,
    /// Everything found, errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic<TextSpan>>,
    /// The findings that the text allows and the further checks that it asks for.
    pub requests: Requests<TextSpan>,
    /// The place of the system equation, if it could be read.
    pub system: Option<TextSpan>,
    text: String,
}

/// Lexes, parses and checks a text. Never panics; the cost is about linear in the text. It takes some 400
/// bytes and 1.5 microseconds for each local state that has two activities and a name.
///
/// # Examples
/// ```
/// let parsed = skel_core::text::parse("P = (a, r).P; P");
/// assert_eq!(parsed.diagnostics[0].message, "the rate `r` is not defined");
/// assert_eq!(parsed.diagnostics[0].span.start, 8);
/// ```
#[must_use]
pub fn parse(text: &str) -> Parsed {
    parse_with(text, Requests::default())
}

/// As [`parse`], with requests in addition to those of the text.
///
/// # Examples
/// ```
/// use skel_core::diagnostic::Code;
/// use skel_core::syntax::directive::Requests;
///
/// let text = "r = 1; P = (a, 2).P; P";
/// assert_eq!(skel_core::text::parse(text).diagnostics[0].code, Code::UnusedRate);
/// let requests = Requests { allowed: vec![Code::UnusedRate], ..Requests::default() };
/// assert!(skel_core::text::parse_with(text, requests).diagnostics.is_empty());
/// ```
#[must_use]
pub fn parse_with(text: &str, requests: Requests<TextSpan>) -> Parsed {
    let (parsed, unchanged) = parse_changed(text, requests, Ok::<Model, std::convert::Infallible>);
    debug_assert!(unchanged.is_none());
    parsed
}

/// As [`parse_with`], with a model that is changed before what the text asks to be explored is explored:
/// given other rates and sizes, [`Model::with_rates`]. Where that fails there is no model, and the error
/// beside what was found.
///
/// # Examples
/// ```
/// use skel_core::syntax::directive::Requests;
/// use skel_core::text::parse_changed;
/// let text = "// skel: check(max_states = 5)\nn = 2; P = (a, 1).Q; Q = (b, 1).P; P[n]";
/// let set = |n: i32| parse_changed(text, Requests::default(), |model| {
///     let id = model.parameter_named("n").expect("it is defined");
///     model.with_rates(&[(id, n.into())])
/// });
/// assert_eq!(set(1).0.model.unwrap().positions(), 1);
/// assert_eq!(set(3).0.diagnostics[0].message, "the model has more than 5 states");
/// assert_eq!(set(0).1.unwrap().0[0].message, "the size `n` is 0");
/// ```
pub fn parse_changed<E>(
    text: &str,
    mut requests: Requests<TextSpan>,
    change: impl FnOnce(Model) -> Result<Model, E>,
) -> (Parsed, Option<E>) {
    let mut outline = Outline::new(text);
    let (mut lexer, mut statements) = (Lexer::new(text), Statements::new());
    let end = end_of(text);
    while !lexer.is_at_end() && outline.activities <= check::MOST_ACTIVITIES {
        if statements.take_definitions() {
            lexer.plain_definitions(|plain| {
                outline.activities <= check::MOST_ACTIVITIES && outline.add_plain(plain)
            });
        }
        statements.read(lexer.usual_piece(), end, &mut |definition, trees| outline.add(definition, trees));
    }
    if outline.activities > check::MOST_ACTIVITIES {
        // Nothing else is said of a text whose rest was not read.
        let diagnostics =
            outline.last().map(|(name, at)| check::too_many_activities(name, at)).into_iter().collect();
        return (Parsed { model: None, diagnostics, requests, system: None, text: text.to_owned() }, None);
    }
    let (ast, syntax_errors) = statements.finish(end);
    let (directives, mut diagnostics) = lexer.into_findings();
    let is_incomplete = !diagnostics.is_empty();
    let (asked, asked_at) = (requests.max_states, requests.bounded);
    diagnostics.extend(requests.read(&directives));
    // Both bounds on the states are to hold, so the smaller one is in force.
    if asked.is_some_and(|asked| requests.max_states.is_some_and(|written| asked < written)) {
        (requests.max_states, requests.bounded) = (asked, asked_at);
    }
    diagnostics.extend(syntax_errors);
    let syntax = match is_incomplete {
        true => Syntax::Incomplete,
        false if diagnostics.is_empty() => Syntax::Correct,
        false => Syntax::Faulty,
    };
    let checked = check::check_outlined(&ast, outline, &requests, syntax);
    diagnostics.extend(checked.diagnostics);
    let (mut model, error) = match checked.model.map(change) {
        Some(Ok(model)) => (Some(model), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    if let Some(changed) = &model {
        diagnostics.extend(check::explore(changed, &requests));
    }
    model = model.filter(|_| !diagnostics.iter().any(Diagnostic::is_error));
    sort_by_place(&mut diagnostics);
    let system = ast.system.as_ref().map(Process::span);
    (Parsed { model, diagnostics, requests, system, text: text.to_owned() }, error)
}

/// The place behind the last of a text.
fn end_of(text: &str) -> TextSpan {
    let end = text.trim_end().len();
    TextSpan { start: end, end }
}

impl Parsed {
    /// The syntax tree of everything that could be read. The text is read again for it: a tree takes some ten
    /// times the memory of the model.
    ///
    /// # Examples
    /// ```
    /// let parsed = skel_core::text::parse("P = (a, 1).P; P");
    /// assert_eq!(parsed.ast().definitions.len(), 1);
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn ast(&self) -> Ast<TextSpan> {
        let (mut lexer, mut statements) = (Lexer::new(&self.text), Statements::new());
        let end = end_of(&self.text);
        while !lexer.is_at_end() {
            statements
                .read(lexer.usual_piece(), end, &mut |definition, definitions| definitions.push(definition));
        }
        statements.finish(end).0
    }

    /// The model, or what is wrong with the text.
    ///
    /// # Errors
    /// All diagnostics, if one of them is an error.
    pub fn into_model(self) -> Result<Model, Rejected> {
        match self.model {
            Some(model) => Ok(model),
            None => Err(Rejected::new(self.diagnostics, self.text)),
        }
    }
}

impl Model {
    /// The model of a `.pepa` text; [`parse`] tells its warnings too.
    ///
    /// # Errors
    /// Everything that is wrong with the text.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// let model = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P || P").unwrap();
    /// assert_eq!(model.positions(), 2);
    /// let rejected = Model::from_text("Idle = (go, 1).Idel; Idle").unwrap_err();
    /// assert_eq!(rejected.to_string(), "1:16: the process `Idel` is not defined; help: did you mean `Idle`?");
    /// ```
    pub fn from_text(text: &str) -> Result<Model, Rejected> {
        parse(text).into_model()
    }

    /// The model of a `.pepa` file.
    ///
    /// # Errors
    /// That the file cannot be read, or everything that is wrong with its text.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// let rejected = Model::from_file("no_such_file.pepa").unwrap_err();
    /// assert!(rejected.to_string().starts_with("no_such_file.pepa: cannot be read"));
    /// ```
    pub fn from_file(path: impl AsRef<Path>) -> Result<Model, Rejected> {
        let path = path.as_ref();
        let of_file = |rejected| Rejected { path: Some(path.to_owned()), ..rejected };
        let text = std::fs::read_to_string(path).map_err(|error| {
            let start = TextSpan { start: 0, end: 0 };
            let finding = Diagnostic::new(Code::UnreadableFile, start, format!("cannot be read: {error}"));
            of_file(Rejected::new(vec![finding], String::new()))
        })?;
        Model::from_text(&text).map_err(of_file)
    }
}

/// A text that is no model or no skeleton, with everything that is wrong with it.
///
/// # Examples
/// ```
/// let rejected = skel_core::text::parse("P = (a, r).P;\nP <b> P").into_model().unwrap_err();
/// assert_eq!(rejected.diagnostics().len(), 2);
/// assert_eq!(rejected.to_string().lines().next(), Some(
///     "1:9: the rate `r` is not defined; help: define it before the system equation: `r = 1.0;`"
/// ));
/// ```
#[derive(Clone, Debug)]
pub struct Rejected {
    diagnostics: Vec<Diagnostic<TextSpan>>,
    text: String,
    /// The file that the text is from.
    path: Option<PathBuf>,
}

impl Rejected {
    /// A text and what is wrong with it, in the order of the text.
    #[must_use]
    pub fn new(diagnostics: Vec<Diagnostic<TextSpan>>, text: String) -> Self {
        Rejected { diagnostics, text, path: None }
    }

    /// Everything found, in the order of the text.
    pub fn diagnostics(&self) -> &[Diagnostic<TextSpan>] {
        &self.diagnostics
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl std::fmt::Display for Rejected {
    /// A line for each error: `line:column: message; help: ...`, after the name of the file if there is one.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let errors = self.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
        let mut lines = Lines::new(&self.text);
        for (index, diagnostic) in errors.enumerate() {
            f.write_str(if index == 0 { "" } else { "\n" })?;
            match &self.path {
                Some(path) if diagnostic.code == Code::UnreadableFile => write!(f, "{}: ", path.display())?,
                Some(path) => write!(f, "{}:", path.display())?,
                None => {}
            }
            if diagnostic.code != Code::UnreadableFile {
                let (line, column) = lines.at(diagnostic.span.start);
                write!(f, "{line}:{column}: ")?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Rejected {}

#[cfg(test)]
mod tests {
    use super::{end_of, parse};
    use crate::check::{Syntax, check};
    use crate::diagnostic::{Code, Diagnostic, TextSpan, sort_by_place};
    use crate::syntax::directive::Requests;
    use crate::syntax::lex::{Lexer, lex};

    /// A birth-death chain with a definition for each state, far more than a piece of tokens, and some other
    /// lines in it. Most of them need no tokens.
    fn chain(others: &[(usize, &str)]) -> String {
        const STATES: usize = 500;
        let mut text = String::from("P0 = (up, 1).P1;\n");
        for at in 1..STATES {
            let rate = if at % 100 == 0 { "2 * 3.0" } else { "25e-1" };
            text += &format!("P{at} = (up, 1).P{} + (down, {rate}).P{};\n", (at + 1) % STATES, at - 1);
            let here = others.iter().filter(|(place, _)| *place == at);
            here.for_each(|(_, line)| text.push_str(line));
        }
        text + "P0"
    }

    /// What is found when all tokens are in memory at once, and all definitions are trees.
    fn in_one_piece(text: &str) -> Vec<Diagnostic<TextSpan>> {
        let lexed = lex(text);
        let is_complete = lexed.diagnostics.is_empty();
        let (ast, syntax_errors) = crate::syntax::parse::parse(&lexed.tokens, end_of(text));
        let mut found: Vec<_> = lexed.diagnostics.into_iter().chain(syntax_errors).collect();
        let syntax = match (is_complete, found.is_empty()) {
            (false, _) => Syntax::Incomplete,
            (true, true) => Syntax::Correct,
            (true, false) => Syntax::Faulty,
        };
        let checked = check(&ast, &Requests::default(), syntax);
        assert_eq!(parse(text).ast(), ast);
        assert_eq!(parse(text).model, checked.model);
        found.extend(checked.diagnostics);
        sort_by_place(&mut found);
        found
    }

    #[test]
    fn a_text_in_pieces_is_what_it_is_in_one() {
        let faults = [
            "Q = (a, ).P0;\n",
            "Q = (a, 1.P0;\n",
            "Q = (a, r).P0;\nR = (a, r).Q;\n",
            "P7 = (a, 1).P0;\n",
            "Q = (a, 1).P0 + (b, infty * infty).P1;\n",
            "Q = (a, 0).P0;\n",
            "Q = (a, 1).P0 || P1;\nR = (b, 1).Q;\n",
            "r = 2;\nQ = (a, r).P0 + (b, 3 * r).Nowhere;\n",
            "Q = (a, infty).P0 + (a, 1).P0;\nP3 = Q;\n",
            "Q R = ; ) ( \n",
            "% a comment\n// another\n",
            "let x = 3;\n",
            "Q = (a, 1).P0\n",
            "tau = (a, 1).P0;\n",
            "Q = Q + (a, 1).P0;\n",
            "\"Q\" = (\"a b\", 1).P0;\n",
            "Q = (\u{22a4}, \u{22a4}).\u{22a4};\n",
            "Q = \" (a, 1).P0;\n/*",
            "Q = (a, 1e999).P0;\nR = (b, 2).Q + (c, 3e500).P0;\n",
            "P0;\nQ = (a, 1).P0;\n",
            "Q = (a, r).P0 + R;\nr = 2;\nR = (b, r).(c, 1).Q;\n",
            "#Q = (a, 1).P0;\n#R = (b, 1).Q;\n",
        ];
        for fault in faults {
            for places in [&[3][..], &[250], &[3, 250, 499]] {
                let others: Vec<_> = places.iter().map(|&place| (place, fault)).collect();
                let text = chain(&others);
                assert_eq!(parse(&text).diagnostics, in_one_piece(&text), "{fault}");
            }
        }
        assert_eq!(in_one_piece(&chain(&[])), []);
    }

    #[test]
    fn a_text_has_several_pieces() {
        let text = chain(&[]);
        let mut lexer = Lexer::new(&text);
        let mut tokens = lexer.usual_piece().to_vec();
        let mut pieces = 1;
        while !lexer.is_at_end() {
            tokens.extend_from_slice(&lexer.usual_piece()[1..]);
            pieces += 1;
        }
        assert!(pieces > 1);
        assert_eq!(tokens, lex(&text).tokens);
    }

    #[test]
    fn places_are_found_again() {
        let text = "P = (a, 1).Q;\nQ = (b, 2).P + (a, infty).P + (c, 3).(a, 2).P + (a, 1).P;\nP";
        let found = parse(text).diagnostics;
        let place = |span: TextSpan| &text[span.start..span.end];
        let places: Vec<_> = found.iter().map(|found| (found.code, place(found.span))).collect();
        assert_eq!(places, [(Code::NeverDriven, "a, infty"), (Code::MixedActivePassive, "a, 1")]);
        assert_eq!(place(found[1].related[0].0), "a, infty");
    }

    /// Activities are read from the last to the first, but of equal rates the first is shown.
    #[test]
    fn a_rate_without_a_value_is_shown_where_it_is_written_first() {
        for chain in ["(b, 0).(c, 0).P", "(b, 0).(P + (c, 1).(a, 0).P)", "(b, 0).(P + (c, 0).P)"] {
            let text = format!("P = (a, 1).{chain} + (d, 0).P;\nP");
            let first = text.find('0').unwrap();
            let parsed = parse(&text);
            let checked = check(&parsed.ast(), &parsed.requests, Syntax::Correct);
            for found in [parsed.diagnostics, checked.diagnostics] {
                let places: Vec<_> = found.iter().map(|found| (found.code, found.span.start)).collect();
                assert_eq!(places, [(Code::RateNotPositive, first)], "{text}");
            }
        }
    }
}
