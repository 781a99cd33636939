//! The way of an item through a model, as it is typed.

/// An action by which items come in or go out, and the position that they come to or leave.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EndOfPath {
    pub(crate) action: String,
    pub(crate) position: Option<u32>,
}

/// An action that carries an item from one position to another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Carry {
    pub(crate) action: String,
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// Reads `ACTION` or `ACTION:POSITION`.
pub(crate) fn parse_end_of_path(text: &str) -> Result<EndOfPath, String> {
    const ADVICE: &str = "write an action, as move1, or an action and the number of a position, as move1:1";
    let (action, position) = match text.rsplit_once(':') {
        None => (text, None),
        Some((action, position)) => {
            let number = position
                .trim()
                .parse()
                .map_err(|_| format!("`{}` is not the number of a position: {ADVICE}", position.trim()))?;
            (action, Some(number))
        }
    };
    Ok(EndOfPath { action: name(action, ADVICE)?, position })
}

/// Reads `ACTION:FROM-TO`.
pub(crate) fn parse_carry(text: &str) -> Result<Carry, String> {
    const ADVICE: &str = "write an action and two positions, as move2:1-2";
    let (action, positions) = text.rsplit_once(':').ok_or(ADVICE)?;
    let (from, to) = positions.split_once('-').ok_or(ADVICE)?;
    let [from, to] = [from, to].map(|position| {
        position
            .trim()
            .parse()
            .map_err(|_| format!("`{}` is not the number of a position: {ADVICE}", position.trim()))
    });
    Ok(Carry { action: name(action, ADVICE)?, from: from?, to: to? })
}

/// The name of an action, without the quotes in which a model may have it.
fn name(text: &str, advice: &str) -> Result<String, String> {
    let name = text.trim().trim_matches('"');
    if name.is_empty() {
        Err(format!("the name of the action is missing: {advice}"))
    } else {
        Ok(name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_may_have_positions() {
        let end = |action: &str, position| EndOfPath { action: action.to_owned(), position };
        assert_eq!(parse_end_of_path("move1"), Ok(end("move1", None)));
        assert_eq!(parse_end_of_path(" \"a b\" : 12 "), Ok(end("a b", Some(12))));
        for wrong in ["", ":1", "move1:", "move1:x", "move1:-1", "move1:1.5"] {
            assert!(parse_end_of_path(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn items_are_carried_between_positions() {
        let carry = Carry { action: "move2".to_owned(), from: 1, to: 2 };
        assert_eq!(parse_carry("move2:1-2"), Ok(carry.clone()));
        assert_eq!(parse_carry("move2 : 1 - 2"), Ok(carry));
        for wrong in ["", "move2", "move2:1", "move2:1-", "move2:a-b", ":1-2", "move2:1-2-3"] {
            assert!(parse_carry(wrong).is_err(), "{wrong}");
        }
    }
}
