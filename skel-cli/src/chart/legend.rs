//! What the marks of a figure mean, one below the other in the column beside the axes.

use plotters::prelude::*;
use skel::run::monitor::axes::{Area, Drawn};

use crate::report::table::printable;

/// How long the dashes of a line are, and the gaps between them: `None` is a line without gaps.
pub(crate) type Pattern = Option<(i32, i32)>;

/// From the left edge to the end of the marks.
const MARKS: i32 = 28;

const LINE: i32 = 20;

/// The column of names.
pub(crate) struct Legend<'l, 'a> {
    area: &'l Area<'a>,
    y: i32,
}

impl<'l, 'a> Legend<'l, 'a> {
    pub(crate) fn new(area: &'l Area<'a>) -> Self {
        Legend { area, y: 22 }
    }

    /// A line and its name.
    pub(crate) fn line(&mut self, style: ShapeStyle, pattern: Pattern, name: &str) -> Drawn {
        let (dash, gap) = pattern.unwrap_or((MARKS, 0));
        let mut x = 4;
        while x < MARKS {
            self.area.draw(&PathElement::new(vec![(x, self.y), ((x + dash).min(MARKS), self.y)], style))?;
            x += dash + gap;
        }
        self.text(name)
    }

    /// A bar and its name.
    pub(crate) fn bar(&mut self, style: ShapeStyle, name: &str) -> Drawn {
        self.area.draw(&Rectangle::new([(4, self.y - 6), (MARKS, self.y + 6)], style))?;
        self.text(name)
    }

    /// A ring and its name.
    pub(crate) fn ring(&mut self, style: ShapeStyle, name: &str) -> Drawn {
        self.area.draw(&Circle::new((4 + (MARKS - 4) / 2, self.y), 3, style))?;
        self.text(name)
    }

    /// A triangle and its name.
    pub(crate) fn triangle(&mut self, style: ShapeStyle, name: &str) -> Drawn {
        self.area.draw(&TriangleMarker::new((4 + (MARKS - 4) / 2, self.y), 6, style))?;
        self.text(name)
    }

    /// A line that ends in a point, and its name.
    pub(crate) fn arrow(&mut self, style: ShapeStyle, name: &str) -> Drawn {
        self.area.draw(&PathElement::new(vec![(4, self.y - 5), (MARKS - 3, self.y + 3)], style))?;
        self.area.draw(&Circle::new((MARKS - 3, self.y + 3), 3, style.filled()))?;
        self.text(name)
    }

    /// A text that takes the place of the marks as well.
    pub(crate) fn wide(&mut self, text: &str) -> Drawn {
        self.area.draw(&Text::new(fitting(text, 24), (4, self.y - 6), ("sans-serif", 12)))?;
        self.y += LINE;
        Ok(())
    }

    /// A name, or a line more of the name above.
    pub(crate) fn text(&mut self, name: &str) -> Drawn {
        self.area.draw(&Text::new(fitting(name, 18), (MARKS + 6, self.y - 6), ("sans-serif", 13)))?;
        self.y += LINE;
        Ok(())
    }
}

/// A name of at most so many characters. Of a longer one the middle is left out, since names of machines
/// often differ at their ends.
pub(crate) fn fitting(name: &str, most: usize) -> String {
    let name = printable(name);
    let count = name.chars().count();
    if count <= most {
        return name;
    }
    let end = most / 2 + 1;
    name.chars().take(most - end - 1).chain(['…']).chain(name.chars().skip(count - end)).collect()
}
