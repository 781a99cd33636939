//! A JSON object that is written entry by entry, with the blanks of `serde_json`'s indented form.
//!
//! The figures of 100,000 local states take 100 MB as a tree of values, and the time to make, copy and drop
//! the tree was twice that of the solution. Here they go from the answer to the output.

use std::io::{self, Write};

use serde_json::{Map, Value};

use super::figure::Figure;

/// A line break, and the blanks of the deepest entry.
const MARGIN: &str = "\n                ";

/// How many entries deep an object can be.
const DEEPEST: usize = (MARGIN.len() - 1) / 2;

/// The entries of an object that is being written.
pub(crate) struct Entries<'o, W> {
    out: &'o mut W,
    /// How many objects and lists are open.
    depth: usize,
    is_empty: bool,
}

/// Writes an object that stands in nothing else.
pub(crate) fn write<W: Write>(
    out: &mut W,
    entries: impl FnOnce(&mut Entries<'_, W>) -> io::Result<()>,
) -> io::Result<()> {
    bracketed(out, 1, ["{", "}"], entries)
}

/// Writes an object or a list whose entries are this deep.
fn bracketed<W: Write>(
    out: &mut W,
    depth: usize,
    [open, close]: [&str; 2],
    entries: impl FnOnce(&mut Entries<'_, W>) -> io::Result<()>,
) -> io::Result<()> {
    debug_assert!(depth <= DEEPEST);
    out.write_all(open.as_bytes())?;
    let mut inside = Entries { out: &mut *out, depth, is_empty: true };
    entries(&mut inside)?;
    if !inside.is_empty {
        out.write_all(margin(depth - 1))?;
    }
    out.write_all(close.as_bytes())
}

fn margin(depth: usize) -> &'static [u8] {
    &MARGIN.as_bytes()[..=2 * depth]
}

impl<W: Write> Entries<'_, W> {
    fn begin(&mut self) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.out.write_all(b",")?;
        }
        self.out.write_all(margin(self.depth))
    }

    fn key(&mut self, key: &str) -> io::Result<()> {
        self.begin()?;
        serde_json::to_writer(&mut *self.out, key)?;
        self.out.write_all(b": ")
    }

    /// An entry that is a value.
    pub(crate) fn value(&mut self, key: &str, value: &Value) -> io::Result<()> {
        self.key(key)?;
        // A line break inside of a string is written as an escape.
        let lines = serde_json::to_string_pretty(value)?;
        for (number, line) in lines.split('\n').enumerate() {
            if number > 0 {
                self.out.write_all(margin(self.depth))?;
            }
            self.out.write_all(line.as_bytes())?;
        }
        Ok(())
    }

    /// The entries of a map.
    pub(crate) fn values(&mut self, map: &Map<String, Value>) -> io::Result<()> {
        map.iter().try_for_each(|(key, value)| self.value(key, value))
    }

    /// An entry that is a list of objects.
    pub(crate) fn objects<T>(
        &mut self,
        key: &str,
        items: &[T],
        entries: impl Fn(&mut Entries<'_, W>, &T) -> io::Result<()>,
    ) -> io::Result<()> {
        self.key(key)?;
        bracketed(self.out, self.depth + 1, ["[", "]"], |list| {
            items.iter().try_for_each(|item| {
                list.begin()?;
                bracketed(list.out, list.depth + 1, ["{", "}"], |object| entries(object, item))
            })
        })
    }

    /// An entry that is an object of figures.
    pub(crate) fn figures<'f>(
        &mut self,
        key: &str,
        mut figures: impl Iterator<Item = (&'f str, &'f Figure)>,
    ) -> io::Result<()> {
        self.key(key)?;
        bracketed(self.out, self.depth + 1, ["{", "}"], |object| {
            figures.try_for_each(|(name, figure)| object.figure(name, figure))
        })
    }

    /// As [`Figure::to_json`].
    fn figure(&mut self, name: &str, figure: &Figure) -> io::Result<()> {
        self.key(name)?;
        bracketed(self.out, self.depth + 1, ["{", "}"], |object| {
            object.begin()?;
            object.out.write_all(b"\"value\": ")?;
            serde_json::to_writer(&mut *object.out, &figure.value)?;
            object.begin()?;
            object.out.write_all(b"\"exact\": ")?;
            Ok(serde_json::to_writer(&mut *object.out, &figure.exact)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{Figure, write};

    #[test]
    fn the_text_is_that_of_a_tree_of_values() {
        let figures = [
            ("P", Figure { value: 0.1 + 0.2, exact: None }),
            ("a \"name\"\n", Figure { value: 1e-300, exact: Some("1/3".into()) }),
            ("not a number", Figure { value: f64::NAN, exact: None }),
        ];
        let Value::Object(others) = json!({ "n": 3, "list": [1, { "a": {}, "b": [] }], "text": "{\n\"x\"" })
        else {
            unreachable!("it is an object")
        };
        for few in 0..=figures.len() {
            let (figures, items) = (&figures[..few], &["one", "two"][..few.min(2)]);
            let mut text = Vec::new();
            let written = write(&mut text, |object| {
                object.values(&others)?;
                object.objects("items", items, |inner, item| {
                    inner.value("item", &json!(item))?;
                    inner.figures("figures", figures.iter().map(|(name, figure)| (*name, figure)))
                })
            });
            written.unwrap();
            let tree: Map<String, Value> =
                figures.iter().map(|(name, figure)| ((*name).to_owned(), figure.to_json())).collect();
            let items: Value = items.iter().map(|item| json!({ "item": item, "figures": tree })).collect();
            let mut all = others.clone();
            all.insert("items".into(), items);
            assert_eq!(String::from_utf8(text).unwrap(), serde_json::to_string_pretty(&all).unwrap());
        }
        let mut text = Vec::new();
        write(&mut text, |_| Ok(())).unwrap();
        assert_eq!(text, b"{}");
    }
}
