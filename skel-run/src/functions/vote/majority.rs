//! What the majority of workers say.

use std::error::Error;
use std::fmt;

use crate::functions::cause::Cause;
use crate::parcel::drop_safely;

/// The replies to one item, as they are counted.
#[derive(Debug)]
pub(in crate::functions) struct Ballot<B> {
    workers: usize,
    /// Different replies, and how many workers gave each.
    said: Vec<(B, usize)>,
    failed: Vec<(usize, Cause)>,
}

/// No majority of the workers agreed on the result of an item.
#[derive(Debug)]
pub struct NoMajority {
    /// How many workers there were.
    pub workers: usize,
    /// How many replied.
    pub replied: usize,
    /// How many of the replies agreed at most.
    pub agreed: usize,
    /// The workers that failed, by their numbers from 0, and why.
    pub failed: Vec<(usize, Cause)>,
}

impl<B: Eq> Ballot<B> {
    /// No replies yet.
    pub(in crate::functions) fn new(workers: usize) -> Self {
        Ballot { workers, said: Vec::new(), failed: Vec::new() }
    }

    /// Counts the reply of a worker. What the majority say, as soon as that is certain, or that there is
    /// none.
    ///
    /// A worker that failed agrees with nobody.
    pub(in crate::functions) fn add(
        &mut self,
        number: usize,
        reply: Result<B, Cause>,
    ) -> Option<Result<B, NoMajority>> {
        match reply {
            Err(cause) => self.failed.push((number, cause)),
            Ok(said) => match self.said.iter_mut().find(|(known, _)| *known == said) {
                Some((_, workers)) => {
                    *workers += 1;
                    drop_safely(said);
                }
                None => self.said.push((said, 1)),
            },
        }
        let needed = self.workers / 2 + 1;
        if let Some(place) = self.said.iter().position(|(_, workers)| *workers >= needed) {
            return Some(Ok(self.said.swap_remove(place).0));
        }
        let missing = self.workers - self.replied();
        (self.agreed() + missing < needed).then(|| Err(self.no_majority()))
    }

    fn replied(&self) -> usize {
        self.failed.len() + self.said.iter().map(|(_, workers)| workers).sum::<usize>()
    }

    fn agreed(&self) -> usize {
        self.said.iter().map(|(_, workers)| *workers).max().unwrap_or(0)
    }

    fn no_majority(&mut self) -> NoMajority {
        NoMajority {
            workers: self.workers,
            replied: self.replied(),
            agreed: self.agreed(),
            failed: std::mem::take(&mut self.failed),
        }
    }
}

/// What was said is of the user's types, and whether it can be dropped changes nothing in what was decided.
impl<B> Drop for Ballot<B> {
    fn drop(&mut self) {
        self.said.drain(..).for_each(drop_safely);
        self.failed.drain(..).for_each(drop_safely);
    }
}

impl fmt::Display for NoMajority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoMajority { workers, replied, agreed, failed } = self;
        let needed = workers / 2 + 1;
        match agreed {
            0 => write!(f, "no majority: none of {workers} workers gave a result")?,
            1 => write!(f, "no majority: no two of {workers} workers agree, where {needed} have to")?,
            _ => write!(f, "no majority: {agreed} of {workers} workers agree, where {needed} have to")?,
        }
        match workers - replied {
            0 => {}
            1 => f.write_str("; 1 has not replied")?,
            missing => write!(f, "; {missing} have not replied")?,
        }
        let mut failed = failed.iter();
        failed.try_for_each(|(number, cause)| write!(f, "; worker {number}, counted from 0, failed: {cause}"))
    }
}

impl Error for NoMajority {}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is decided after how many replies; `-` stands for a worker that fails.
    fn decided(replies: &str) -> (Option<char>, usize, String) {
        let mut ballot = Ballot::new(replies.len());
        for (number, reply) in replies.chars().enumerate() {
            let reply = if reply == '-' { Err(Cause::Panic("no".to_owned())) } else { Ok(reply) };
            match ballot.add(number, reply) {
                Some(Ok(said)) => return (Some(said), number + 1, String::new()),
                Some(Err(error)) => return (None, number + 1, error.to_string()),
                None => {}
            }
        }
        unreachable!("all replies decide")
    }

    #[test]
    fn majorities() {
        let sure = |said, after| (Some(said), after, String::new());
        for (replies, expected) in [
            ("aaa", sure('a', 2)),
            ("aba", sure('a', 3)),
            ("baa", sure('a', 3)),
            ("a-a", sure('a', 3)),
            ("-aa", sure('a', 3)),
            ("aaaaa", sure('a', 3)),
            ("ababa", sure('a', 5)),
            ("abcaa", sure('a', 5)),
            ("-a-aa", sure('a', 5)),
        ] {
            assert_eq!(decided(replies), expected, "{replies}");
        }
        for (replies, after, words) in [
            ("abc", 3, "no majority: no two of 3 workers agree, where 2 have to"),
            (
                "a--",
                3,
                "no majority: no two of 3 workers agree, where 2 have to; worker 1, counted from 0, failed: it panicked: no; \
                 worker 2, counted from 0, failed: it panicked: no",
            ),
            (
                "--a",
                2,
                "no majority: none of 3 workers gave a result; 1 has not replied; worker 0, counted from 0, failed: it panicked: no; \
                 worker 1, counted from 0, failed: it panicked: no",
            ),
            ("aabbc", 5, "no majority: 2 of 5 workers agree, where 3 have to"),
            ("abcde", 4, "no majority: no two of 5 workers agree, where 3 have to; 1 has not replied"),
        ] {
            assert_eq!(decided(replies), (None, after, words.to_owned()), "{replies}");
        }
    }
}
