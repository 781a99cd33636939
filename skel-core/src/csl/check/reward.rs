//! What a reward counts.

use super::Checker;
use crate::csl::formula::Reward;
use crate::diagnostic::{Code, Diagnostic, TextSpan, did_you_mean};
use crate::model::{ActionId, Node, Position};
use crate::syntax::ast::Name;
use crate::syntax::cursor::Read;

impl Checker<'_> {
    /// `R{"serve"}`: an action, a local state, a result line or the time.
    pub(super) fn reward(&mut self, name: &Name<TextSpan>) -> Read<Reward> {
        let text = name.text.as_str();
        let action = self.model.action_named(text);
        let local = self.model.local_state_named(text);
        let line = self.model.results().iter().position(|line| line.name == text);
        let known = [
            action.map(|action| ("an action", Reward::Action(action))),
            local.map(|state| ("a local state", Reward::Population(state))),
            line.map(|line| ("a result line", Reward::Result(line))),
            (text == "time").then_some(("the time", Reward::Time)),
        ];
        let mut known: Vec<(&str, Reward)> = known.into_iter().flatten().collect();
        match known.as_slice() {
            [] => Err(self.unknown_reward(name)),
            [(_, Reward::Action(action))] if !self.is_done(*action) => {
                let message = format!("no component of the system does the action `{text}`");
                let finding = Diagnostic::new(Code::UndefinedName, name.at.0, message);
                let help =
                    "it belongs to a local state that no component comes to: count an action that is done";
                Err(self.report(finding.help(help)))
            }
            [(_, Reward::Action(action))] if self.is_hidden(*action) => {
                let message = format!(
                    "the action `{text}` is hidden wherever it is done, so it is counted under `tau`"
                );
                let finding = Diagnostic::new(Code::UndefinedName, name.at.0, message);
                Err(self.report(finding.help("count `tau`, which is all hidden actions, or do not hide it")))
            }
            [_] => Ok(known.remove(0).1),
            several => {
                let kinds: Vec<&str> = several.iter().map(|(kind, _)| *kind).collect();
                let message = format!("`{text}` is {}", kinds.join(" and "));
                let finding = Diagnostic::new(Code::AmbiguousName, name.at.0, message);
                Err(self.report(finding.help("give one of them another name in the model")))
            }
        }
    }

    fn unknown_reward(&mut self, name: &Name<TextSpan>) -> crate::syntax::cursor::Reported {
        let model = self.model;
        let message = format!("the model has no action, local state or result line `{}`", name.text);
        let actions = model.actions().map(|(_, action)| action);
        let states = model.local_states().iter().map(|state| state.name.as_str());
        let lines = model.results().iter().map(|line| line.name.as_str());
        let near = did_you_mean(&name.text, actions.chain(states).chain(lines).chain(["time"]));
        let finding = Diagnostic::new(Code::UndefinedName, name.at.0, message);
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "a reward is counted for an action, a local state, a result line or `time`".to_owned(),
        };
        self.report(finding.help(help))
    }

    /// Whether a component does the action itself.
    fn does(&self, position: Position, action: ActionId) -> bool {
        let model = self.model;
        let states = model.component(model.component_at(position)).local_states.iter();
        let mut activities = states.flat_map(|state| &model.local_state(*state).activities);
        activities.any(|activity| activity.action == action)
    }

    /// Whether a component of the system does the action. Hidden ones make `tau`.
    fn is_done(&self, action: ActionId) -> bool {
        let mut nodes = self.model.nodes().iter();
        action == ActionId::TAU
            || nodes.any(|node| matches!(node, Node::Leaf(position) if self.does(*position, action)))
    }

    /// Whether every component that does the action stands inside a hiding of it.
    fn is_hidden(&self, action: ActionId) -> bool {
        let model = self.model;
        let mut shows: Vec<bool> = Vec::with_capacity(model.nodes().len());
        for node in model.nodes() {
            shows.push(match node {
                Node::Leaf(position) => self.does(*position, action),
                Node::Hiding { of, set } => shows[of.index()] && !set.contains(action),
                Node::Cooperation { left, right, .. } => shows[left.index()] || shows[right.index()],
            });
        }
        action != ActionId::TAU && !shows.last().copied().unwrap_or(false)
    }
}
