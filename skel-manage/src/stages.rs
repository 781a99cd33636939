//! Whether rules are of stages that a program has.

use skel_core::diagnostic::did_you_mean;
use skel_core::skeleton::Tree;

use crate::rule::Rules;

impl Rules {
    /// A sentence for each rule that looks at a stage that a program does not have.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::text::parse;
    /// use skel_manage::rule::Rules;
    ///
    /// let tree = parse("pipe(task(\"read\", 100), farm(8, \"sharpen\", 12.5));").into_tree()?;
    /// let rules = Rules::predefined().with_toml(
    ///     "[[rule]]\nname = 'more'\npriority = 130\nwhen = 'queue > 100'\nthen = 'add 1'\nstage = 'sharpn'",
    /// )?;
    /// assert_eq!(
    ///     rules.unknown_stages(&tree),
    ///     ["the rule `more` looks at the stage `sharpn`, which the program does not have: did you mean `sharpen`?"]
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn unknown_stages(&self, tree: &Tree) -> Vec<String> {
        unknown_stages(self, tree)
    }
}

fn unknown_stages(rules: &Rules, tree: &Tree) -> Vec<String> {
    let names: Vec<String> = tree.leaves().map(|id| tree.name(id)).collect();
    let known = || names.iter().map(String::as_str);
    let problem = |(rule, stage): (&str, &str)| {
        let help = match did_you_mean(stage, known()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it has {}", listed(&names)),
        };
        format!("the rule `{rule}` looks at the stage `{stage}`, which the program does not have: {help}")
    };
    let of_a_stage =
        rules.rules().iter().filter_map(|rule| Some((rule.name.as_str(), rule.stage.as_deref()?)));
    of_a_stage.filter(|(_, stage)| known().all(|name| name != *stage)).map(problem).collect()
}

/// ``  `read`, `sharpen` and `write` ``
fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => quoted.concat(),
    }
}
