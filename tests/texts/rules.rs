//! What holds of any text, read as rules: a set that prints as a text of the same set, or findings with
//! places in the text.

use skel_manage::rule::Rules;

use super::places;

/// Holds for what becomes of a text.
pub(crate) fn is_lawful(text: &str) {
    match Rules::none().with_toml(text) {
        Ok(rules) => {
            let printed = rules.to_toml();
            let again = Rules::none().with_toml(&printed);
            assert_eq!(again.unwrap_or_else(|errors| panic!("{errors}\n{printed}")), rules);
        }
        Err(errors) => {
            assert!(!errors.diagnostics().is_empty(), "{text:?}");
            places::are_within(errors.diagnostics(), errors.text());
        }
    }
    // Beside the predefined rules there are more names, overrides and conflicts.
    if let Err(errors) = Rules::predefined().with_toml(text) {
        assert!(!errors.diagnostics().is_empty(), "{text:?}");
        places::are_within(errors.diagnostics(), errors.text());
    }
}
