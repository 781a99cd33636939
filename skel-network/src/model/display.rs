//! Models as one line of text.

use std::fmt;

/// Writes `NAME: a = .., b = ..`; a precision is that of every number.
pub(super) fn write_model(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    parameters: &[(&str, &dyn fmt::Display, &str)],
) -> fmt::Result {
    f.write_str(name)?;
    for (index, (parameter, value, unit)) in parameters.iter().enumerate() {
        write!(f, "{} {parameter} = ", if index == 0 { ":" } else { "," })?;
        value.fmt(f)?;
        f.write_str(unit)?;
    }
    Ok(())
}
