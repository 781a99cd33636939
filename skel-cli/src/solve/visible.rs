//! Which actions the system shows. What is hidden, wherever it is done, is counted under `tau`, so a
//! throughput of 0 under its own name would be misread.

use skel::model::{ActionId, Model, Node};

/// Per action whether some component does it and no hiding around that component has it; for `tau`, whether
/// something is hidden.
pub(crate) fn visible_actions(model: &Model) -> Vec<bool> {
    let mut of_nodes: Vec<Vec<bool>> = Vec::with_capacity(model.nodes().len());
    for node in model.nodes() {
        let mut visible = vec![false; model.actions().len()];
        match node {
            Node::Leaf(position) => {
                for &state in &model.component(model.component_at(*position)).local_states {
                    for activity in &model.local_state(state).activities {
                        visible[activity.action.index()] = true;
                    }
                }
            }
            Node::Hiding { of, set } => {
                visible = std::mem::take(&mut of_nodes[of.index()]);
                for action in set.iter() {
                    let was_visible = std::mem::take(&mut visible[action.index()]);
                    visible[ActionId::TAU.index()] |= was_visible;
                }
            }
            Node::Cooperation { left, right, .. } => {
                let left = std::mem::take(&mut of_nodes[left.index()]);
                let right = std::mem::take(&mut of_nodes[right.index()]);
                visible = left.into_iter().zip(right).map(|(left, right)| left || right).collect();
            }
        }
        of_nodes.push(visible);
    }
    of_nodes.pop().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visible(text: &str) -> Vec<String> {
        let model = Model::from_text(text).unwrap();
        let shown = visible_actions(&model);
        let actions = model.actions().filter(|(id, _)| shown[id.index()]);
        let mut names: Vec<String> = actions.map(|(_, name)| name.to_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn an_action_is_visible_where_some_component_shows_it() {
        assert_eq!(visible("P = (a, 1).(b, 1).P; P"), ["a", "b"]);
        assert_eq!(visible("P = (a, 1).(b, 1).P; P/{a}"), ["b", "tau"]);
        assert_eq!(visible("P = (a, 1).(b, 1).P; (P/{a}) || P"), ["a", "b", "tau"]);
        assert_eq!(visible("P = (tau, 1).(b, 1).P; P"), ["b", "tau"]);
    }
}
