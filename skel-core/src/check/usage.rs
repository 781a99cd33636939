//! Definitions that the system does not use, and faulty sets in any definition, used or not.

use super::cooperation::check_written_sets;
use super::findings::Findings;
use super::names::{Names, Symbol};
use super::terms::Terms;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::ast::Ast;

/// Repeated names and `tau` in sets, also in definitions that are not used.
pub(super) fn check_sets<S: Span>(ast: &Ast<S>, names: &Names<'_, S>, findings: &mut Findings<'_, S>) {
    for body in names.processes.iter().filter_map(|definition| definition.tree) {
        check_written_sets(body, findings);
    }
    if let Some(system) = &ast.system {
        check_written_sets(system, findings);
    }
}

/// Processes that the system never uses, and rates that nothing uses.
pub(super) fn check_used<S: Span>(
    ast: &Ast<S>,
    names: &Names<'_, S>,
    terms: &Terms<'_, S>,
    findings: &mut Findings<'_, S>,
) {
    let mut reached = vec![false; names.processes.len()];
    let mut work = Vec::new();
    let mut reach = |id: usize, work: &mut Vec<usize>| {
        if !std::mem::replace(&mut reached[id], true) {
            work.push(id);
        }
    };
    if let Some(system) = &ast.system {
        system.for_each_constant(&mut |name| {
            if let Some(Symbol::Process(id)) = names.get(&name.text) {
                reach(id, &mut work);
            }
        });
    }
    while let Some(id) = work.pop() {
        names.for_each_used(id, &mut |used| reach(used, &mut work));
    }
    for (id, reached) in reached.into_iter().enumerate() {
        if !reached {
            let name = names.process_name(id);
            let message = format!("the process `{}` is defined, but the system never uses it", name.text);
            findings.push(
                Diagnostic::new(Code::UnreachableDefinition, name.at.0, message)
                    .help("remove it, or compose it in the system equation"),
            );
        }
    }
    for (definition, &used) in names.rates.iter().zip(&terms.rates.used) {
        if !used {
            let name = definition.name;
            let message = format!("the rate `{}` is defined, but nothing uses it", name.text);
            findings.push(
                Diagnostic::new(Code::UnusedRate, name.at.0, message)
                    .help("remove it, or use it in an activity"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::models;

    #[test]
    fn findings() {
        models(&[
            ("r = 1; P = (a, 2).P; P", &["unused_rate `r`: the rate `r` is defined, but nothing uses it"]),
            (
                "P = (a, 1).P; Q = (b, 1).Q; P",
                &["unreachable_definition `Q`: the process `Q` is defined, but the system never uses it"],
            ),
            ("P = (a, 1).P; Q = P <a, a> P; P", &["repeated_action `a`: a cooperation set names `a` twice"]),
            ("r = 1; P = (a, 2).Q; P", &["undefined_process `Q`: the process `Q` is not defined"]),
            ("r = 1; s = r; P = (a, s).P; P", &[]),
        ]);
    }
}
