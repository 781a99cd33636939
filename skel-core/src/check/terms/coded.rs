//! Terms of definitions that the outline keeps in a few bytes each.

use super::written::Within;
use super::{Place, Terms};
use crate::check::names::{Names, Symbol};
use crate::diagnostic::Span;
use crate::model::{ActionId, Activity, LocalStateId};
use crate::syntax::ast::Body;
use crate::syntax::outline::Operand;

/// The most definitions of which the trees are made again for what is wrong with them.
const MOST_REREAD: usize = 1000;

impl<S: Span> Terms<'_, S> {
    /// As [`Self::body`], for a body that the outline keeps. What is wrong with it is reported from its tree.
    pub(super) fn coded_body(&mut self, code: u32, within: &mut Within<'_, '_, '_, S>) {
        let (id, names) = (within.id, within.names);
        let is_sound = self.outline.operands(code).all(|operand| self.is_sound(operand, names));
        if is_sound {
            let outline = self.outline;
            for operand in outline.operands(code) {
                let term = self.coded(operand, within);
                self.in_bodies.push(term);
            }
            return;
        }
        self.reread += 1;
        let tree = (self.reread <= MOST_REREAD)
            .then(|| self.outline.kept_tree(names.process_name(id).at.0))
            .flatten();
        match tree.as_deref().map(|definition| &definition.body) {
            Some(Body::Process(body) | Body::Undecided(body)) => self.body(body, within),
            Some(Body::Rate(_)) | None => {
                let term = self.broken(id);
                self.in_bodies.push(term);
            }
        }
    }

    /// Whether nothing is to be reported of an operand that the outline keeps.
    fn is_sound(&mut self, operand: Operand<'_>, names: &Names<'_, S>) -> bool {
        let Some(Symbol::Process(constant)) = names.numbered(operand.constant) else { return false };
        !self.is_composition[constant]
            && operand.activities.chunks(2).all(|activity| self.is_sound_rate(activity[1], names))
    }

    fn is_sound_rate(&mut self, rate: u32, names: &Names<'_, S>) -> bool {
        let known = self.coded_rates[rate as usize].is_some();
        known || self.rates.is_sound(&self.outline.rates[rate as usize], names)
    }

    /// The term of an operand that the outline keeps, in a definition.
    fn coded(&mut self, operand: Operand<'_>, within: &mut Within<'_, '_, '_, S>) -> LocalStateId {
        let Within { id, names, findings, .. } = within;
        let mut term = match names.numbered(operand.constant) {
            Some(Symbol::Process(id)) => self.constant_term(id),
            _ => unreachable!("a sound operand ends in a process"),
        };
        for written in operand.activities.chunks(2).rev() {
            let action = self.coded_action(written[0]);
            let rate = match self.coded_rates[written[1] as usize] {
                Some(rate) => rate,
                None => {
                    let rate = self.rates.activity(&self.outline.rates[written[1] as usize], names, findings);
                    *self.coded_rates[written[1] as usize].insert(rate)
                }
            };
            term = self.prefix(Activity { action, rate, target: term });
            if let place @ Place::Nowhere = &mut self.places[term.index()] {
                *place = Place::Within(*id as u32);
            }
        }
        term
    }

    fn coded_action(&mut self, name: u32) -> ActionId {
        if let Some(action) = self.coded_actions[name as usize] {
            return action;
        }
        let action = self.action(self.outline.names.list[name as usize]);
        *self.coded_actions[name as usize].insert(action)
    }
}
