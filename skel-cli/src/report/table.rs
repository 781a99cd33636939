//! Tables for people: aligned columns under a rule, numbers to ten significant digits.

use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};

/// A table with these headings; the columns of `right` are aligned to the right.
pub(crate) fn table(headings: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('-').junction('-')));
    table.set_header(headings.iter().copied());
    for column in table.column_iter_mut() {
        let left = if column.index == 0 { 0 } else { 1 };
        column.set_padding((left, 0));
    }
    for &index in right {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// The table as text, without blanks at the ends of lines.
pub(crate) fn lines(table: &Table) -> String {
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A number to ten significant digits, without zeros at its end.
pub(crate) fn decimal(value: f64) -> String {
    const DIGITS: i32 = 10;
    const LARGEST_EXPONENT: i32 = 14;
    const SMALLEST_EXPONENT: i32 = -5;
    let scientific = format!("{value:.*e}", DIGITS as usize - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (SMALLEST_EXPONENT..=LARGEST_EXPONENT).contains(&exponent) {
        let decimals = usize::try_from(DIGITS - 1 - exponent).unwrap_or_default();
        without_zeros(&format!("{value:.decimals$}")).to_owned()
    } else {
        format!("{}e{exponent}", without_zeros(mantissa))
    }
}

/// A number with so many significant digits at most.
pub(crate) fn rounded(value: f64, digits: usize) -> String {
    decimal(format!("{value:.*e}", digits - 1).parse().unwrap_or(value))
}

fn without_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// The rows with the decimal points of a column below one another.
pub(crate) fn aligned_columns(mut rows: Vec<Vec<String>>, columns: &[usize]) -> Vec<Vec<String>> {
    let after_point = |number: &str| number.find('.').map_or(0, |point| number.len() - point);
    for &column in columns {
        let most = rows.iter().map(|row| after_point(&row[column])).max().unwrap_or_default();
        for row in &mut rows {
            let missing = most - after_point(&row[column]);
            row[column].extend(std::iter::repeat_n(' ', missing));
        }
    }
    rows
}

/// A name as it can be shown on a terminal: a quoted name may hold control characters.
pub(crate) fn printable(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_ten_digits() {
        for (value, shown) in [
            (0.0, "0"),
            (1.25, "1.25"),
            (1.0 / 3.0, "0.3333333333"),
            (2.0 / 3.0, "0.6666666667"),
            (100.0 / 3.0, "33.33333333"),
            (1e-5, "0.00001"),
            (1.5e-9, "1.5e-9"),
            (123_456_789_012.0, "123456789012"),
            (1e20, "1e20"),
            (-0.1, "-0.1"),
            (0.099_999_999_999_9, "0.1"),
        ] {
            assert_eq!(decimal(value), shown);
        }
        assert_eq!(decimal(f64::NAN), "NaN");
    }

    #[test]
    fn tables_are_aligned() {
        let mut table = table(&["action", "throughput"], &[1]);
        table.add_row(["run", "1.25"]);
        assert_eq!(lines(&table), "action  throughput\n------------------\nrun           1.25\n");
    }
}
