//! Exact numbers.

use skel_core::number::NumberError;
use skel_core::rate::Rate;
use toml::de::DeValue;

use crate::value::whole_number;

/// The exact number of a value, if its type has one: a whole number, a decimal, or a fraction in quotation
/// marks. `inf` and `nan` are numbers that no check lets pass.
///
/// # Errors
/// If the number or the fraction cannot be read.
///
/// # Examples
/// ```
/// let file = skel_toml::DeTable::parse("seconds = '1/3'").unwrap();
/// let seconds = skel_toml::number(file.get_ref()["seconds"].get_ref()).unwrap().unwrap();
/// assert_eq!(seconds, skel_core::rate::Rate::parse("1/3").unwrap());
/// ```
pub fn number(value: &DeValue<'_>) -> Option<Result<Rate, NumberError>> {
    match value {
        DeValue::Integer(number) if number.radix() != 10 => {
            let number = whole_number(value).and_then(|number| i64::try_from(number).ok());
            Some(Ok(number.map_or_else(|| Rate::from(f64::INFINITY), Rate::from)))
        }
        DeValue::Integer(number) => Some(Rate::parse(number.as_str().trim_start_matches('+'))),
        DeValue::Float(number) => {
            let digits = number.as_str().trim_start_matches('+');
            match digits.trim_start_matches('-') {
                "inf" | "nan" => Some(Ok(Rate::from(digits.parse::<f64>().unwrap_or(f64::NAN)))),
                _ => Some(Rate::parse(digits)),
            }
        }
        DeValue::String(text) => Some(Rate::parse(text)),
        _ => None,
    }
}
