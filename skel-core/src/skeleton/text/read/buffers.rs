//! The statements that say how items wait between stages: `buffers(4);` and `one_port;`.

use super::Parser;
use crate::diagnostic::{Code, Diagnostic, Span, TextSpan, did_you_mean};
use crate::skeleton::buffers::Buffers;
use crate::skeleton::lowering::capacities::{Statement, capacities};
use crate::skeleton::lowering::graph::{Graph, Reading};
use crate::skeleton::tree::Tree;
use crate::syntax::cursor::Read;
use crate::syntax::token::TokenKind;

/// The statements of a text about buffers and ports.
#[derive(Default)]
pub(in crate::skeleton::text) struct WrittenBuffers {
    everywhere: Option<(i128, TextSpan)>,
    /// By the name of the stage behind the buffer, which has the first of the places.
    before: Vec<(String, TextSpan, i128, TextSpan)>,
    links: Vec<((usize, usize), i128, TextSpan)>,
    one_port: Option<TextSpan>,
}

impl WrittenBuffers {
    /// Where it is said that items move one at a time.
    pub(in crate::skeleton::text) fn place_of_one_port(&self) -> Option<TextSpan> {
        self.one_port
    }

    /// The places of the buffers, in the order of the text.
    #[cfg_attr(debug_assertions, inline)]
    pub(in crate::skeleton::text) fn places(&self) -> Vec<TextSpan> {
        let everywhere = self.everywhere.iter().map(|(_, at)| *at);
        let before = self.before.iter().map(|(.., at)| *at);
        let links = self.links.iter().map(|(.., at)| *at);
        let mut places: Vec<TextSpan> = everywhere.chain(before).chain(links).collect();
        places.sort_by_key(|place| (place.start, place.end));
        places
    }

    /// The buffers for a tree, and what is wrong with them.
    #[cfg_attr(debug_assertions, inline)]
    pub(in crate::skeleton::text) fn of_tree(&self, tree: &Tree) -> (Buffers, Vec<Diagnostic<TextSpan>>) {
        let mut findings = Vec::new();
        let everywhere = self.everywhere.map(|(capacity, _)| Buffers::everywhere(capacity));
        let mut buffers = everywhere.unwrap_or_default();
        let mut places = Vec::new();
        for (name, name_at, capacity, at) in &self.before {
            match tree.task_named(name) {
                Some(stage) => {
                    buffers = buffers.before(stage, *capacity);
                    places.push(*at);
                }
                None => findings.push(no_single_task(tree, name, *name_at)),
            }
        }
        for ((from, to), capacity, _) in &self.links {
            buffers = buffers.between(*from, *to, *capacity);
        }
        // Without a graph there is an error about the skeleton itself, which is found when it is lowered.
        if let Ok(graph) = Graph::from_tree(tree, Reading::Corrected)
            && let Err(problems) = capacities(&buffers, tree, &graph)
        {
            let place = |statement| match statement {
                Statement::Everywhere => self.everywhere.map(|(_, at)| at),
                Statement::Before(number) => places.get(number).copied(),
                Statement::Link(number) => self.links.get(number).map(|(.., at)| *at),
            };
            let placed = |(statement, finding): (Statement, Diagnostic<_>)| {
                finding.at(|_| place(statement).unwrap_or(TextSpan::NOWHERE))
            };
            findings.extend(problems.into_iter().map(placed));
        }
        (buffers, findings)
    }
}

/// A name that belongs to no task, or to several.
#[cfg_attr(debug_assertions, inline)]
fn no_single_task(tree: &Tree, name: &str, at: TextSpan) -> Diagnostic<TextSpan> {
    let names: Vec<&str> = tree.stages().iter().filter_map(|stage| stage.task()?.name.as_deref()).collect();
    let error = |message: String| Diagnostic::new(Code::BadBuffer, at, message);
    match names.iter().filter(|known| **known == name).count() {
        0 => {
            let error = error(format!("no task is named `{name}`"));
            error.help(match did_you_mean(name, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    "name the task behind the buffer: `task(\"write\", 1.0)`, then `buffers(\"write\", 4);`"
                        .to_owned()
                }
            })
        }
        count => error(format!("{count} stages are named `{name}`"))
            .help("give the stage behind the buffer a name of its own"),
    }
}

impl Parser<'_> {
    /// Whether a statement about buffers or ports stands here.
    pub(super) fn starts_buffers(&self) -> bool {
        self.tokens.is_word(0, "buffers") || self.tokens.is_word(0, "one_port")
    }

    /// `buffers(capacity);`, `buffers("name", capacity);`, `buffers(from, to, capacity);` or `one_port;`
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn buffers_statement(&mut self) -> Read<()> {
        const FORMS: &str = "write `buffers(4);` for a buffer of 4 items between any two stages, `buffers(\"write\", 4);` for the one before \
                             the stage `write`, `buffers(0, 1, 4);` for the one between the tasks 0 and 1, and `one_port;` where items \
                             move one at a time";
        let found = self.tokens.diagnostics.len();
        let outcome = if self.tokens.is_word(0, "one_port") { self.one_port() } else { self.capacity() };
        let added = self.tokens.diagnostics[found..].iter_mut().filter(|finding| finding.help.is_none());
        added.for_each(|finding| finding.help = Some(FORMS.to_owned()));
        outcome
    }

    #[cfg_attr(debug_assertions, inline)]
    fn one_port(&mut self) -> Read<()> {
        let at = self.tokens.span();
        self.tokens.advance(1);
        self.semicolon()?;
        if let Some(earlier) = self.buffers.one_port.replace(at) {
            self.given_twice("one port for all moves", earlier, at);
        }
        Ok(())
    }

    #[cfg_attr(debug_assertions, inline)]
    fn capacity(&mut self) -> Read<()> {
        let begin = self.tokens.span();
        self.open()?;
        let named = match (self.tokens.kind(0), self.tokens.is_symbol(1, ',')) {
            (Some(TokenKind::Quoted(name)), _) => Some(name.clone()),
            (Some(TokenKind::Name(name)), true) if !self.names.has(name) => Some(name.clone()),
            _ => None,
        };
        if let Some(name) = named {
            let name_at = self.tokens.span();
            self.tokens.advance(1);
            let capacity = self.capacity_after_comma()?;
            let span = begin.join(self.close()?);
            self.semicolon()?;
            let earlier = self.buffers.before.iter().find(|(known, ..)| *known == name);
            if let Some(earlier) = earlier.map(|(.., at)| *at) {
                self.given_twice(&format!("the buffer before `{name}`"), earlier, span);
            }
            self.buffers.before.push((name, name_at, capacity, span));
            return Ok(());
        }
        let (first, first_at) = self.count()?;
        if self.tokens.is_close(0, crate::syntax::token::Bracket::Round) {
            let span = begin.join(self.close()?);
            self.semicolon()?;
            if let Some((_, earlier)) = self.buffers.everywhere.replace((first, span)) {
                self.given_twice("the capacity of all buffers", earlier, span);
            }
            return Ok(());
        }
        if !self.tokens.take(',') {
            return Err(self.tokens.expected("`,` or `)`"));
        }
        let (second, second_at) = self.count()?;
        let capacity = self.capacity_after_comma()?;
        let span = begin.join(self.close()?);
        self.semicolon()?;
        let ends = (self.task(first, first_at), self.task(second, second_at));
        let (Some(from), Some(to)) = ends else { return Ok(()) };
        let ends = (from, to);
        let earlier = self.buffers.links.iter().find(|(known, ..)| *known == ends);
        if let Some(earlier) = earlier.map(|(.., at)| *at) {
            self.given_twice(&format!("the buffer between task {first} and task {second}"), earlier, span);
        }
        self.buffers.links.push((ends, capacity, span));
        Ok(())
    }

    /// The number of a task, unless it cannot be one.
    #[cfg_attr(debug_assertions, inline)]
    fn task(&mut self, number: i128, at: TextSpan) -> Option<usize> {
        let task = usize::try_from(number).ok();
        if task.is_none() {
            let finding = Diagnostic::new(Code::BadBuffer, at, format!("there is no task {number}"));
            self.tokens.report(finding.help("tasks are numbered from 0, depth first and from left to right"));
        }
        task
    }

    #[cfg_attr(debug_assertions, inline)]
    fn capacity_after_comma(&mut self) -> Read<i128> {
        if !self.tokens.take(',') {
            return Err(self.tokens.expected("`,` and the capacity"));
        }
        Ok(self.count()?.0)
    }

    #[cfg_attr(debug_assertions, inline)]
    fn given_twice(&mut self, what: &str, earlier: TextSpan, at: TextSpan) {
        let finding = Diagnostic::new(Code::DuplicateDefinition, at, format!("{what} is given twice"));
        self.tokens.report(finding.related(earlier, "first here").help("keep one of the two"));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{skeletons, systems};

    #[test]
    fn findings() {
        skeletons(&[
            ("pipe(task(1), task(1)); buffers(4); one_port;", &[]),
            ("pipe(task(1), task(\"b\", 1)); buffers(\"b\", 4); buffers(0, 1, 2);", &[]),
            (
                "pipe(task(1), task(1)); buffers(-1);",
                &["bad_buffer `buffers(-1)`: the capacity of the buffer is -1, which is negative"],
            ),
            ("pipe(task(1), task(1)); buffers(1e9);", &["bad_number `1e9`: `1e9` is not a count"]),
            (
                "pipe(task(1), task(1)); buffers(2000000);",
                &["bad_buffer `buffers(2000000)`: the capacity of the buffer is 2000000, more than 1000000"],
            ),
            (
                "pipe(task(1), task(\"store\", 1)); buffers(stor, 4);",
                &["bad_buffer `stor`: no task is named `stor`"],
            ),
            (
                "pipe(task(\"a\", 1), task(\"a\", 1)); buffers(a, 4);",
                &["bad_buffer `a`: 2 stages are named `a`"],
            ),
            (
                "pipe(task(\"a\", 1), task(1)); buffers(a, 4);",
                &["bad_buffer `buffers(a, 4)`: a buffer before `a`, to which no stage sends"],
            ),
            (
                "pipe(task(1), farm(3, 1)); buffers(0, 2, 4);",
                &[
                    "bad_buffer `buffers(0, 2, 4)`: a buffer between task 0 and task 2 alone, but 3 workers of a farm share one buffer there",
                ],
            ),
            (
                "pipe(task(1), task(1)); buffers(1, 0, 4);",
                &[
                    "bad_buffer `buffers(1, 0, 4)`: a buffer between task 1 and task 0, between which nothing moves",
                ],
            ),
            ("pipe(task(1), task(1)); buffers(-1, 1, 4);", &["bad_buffer `-1`: there is no task -1"]),
            (
                "pipe(task(1), task(1)); buffers(1); buffers(2); one_port; one_port;",
                &[
                    "duplicate_definition `buffers(2)`: the capacity of all buffers is given twice",
                    "duplicate_definition `one_port`: one port for all moves is given twice",
                ],
            ),
            ("pipe(task(1), task(1)); buffers();", &["syntax `)`: expected a count, such as `3`, found `)`"]),
        ]);
    }

    #[test]
    fn links_that_are_served_as_one_have_one_rate() {
        systems(&[
            ("pipe(task(1), farm(2, 1)); communication(1); communication(0, 2, 3);", &[]),
            (
                "pipe(task(1), farm(2, 1)); communication(1); communication(0, 2, 3); one_port;",
                &[
                    "unequal_links `1`: the links from task 0 to task 1 and from task 0 to task 2 are served as one, but the first has the rate 1, and the second has the rate 3",
                ],
            ),
        ]);
    }
}
