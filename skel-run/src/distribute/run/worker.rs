//! A worker of a loop: it asks the master for chunks, and calls the function.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::given::{Counted, Done, Given};
use super::master::Master;
use super::time::Time;
use crate::distribute::report::LoopPiece;
use crate::functions::Cause;
use crate::parcel::drop_safely;

/// A call of the function, and what it returned if that counts.
#[derive(Debug)]
pub(in super::super) struct Call<R> {
    pub(in super::super) piece: LoopPiece,
    pub(in super::super) result: Option<R>,
}

/// What a worker did.
#[derive(Debug)]
pub(in super::super) struct Output<R> {
    pub(in super::super) calls: Vec<Call<R>>,
    /// How many chunks it was given.
    pub(in super::super) chunks: u64,
    /// For how long it waited for others, in seconds.
    pub(in super::super) idle: f64,
    /// How long it took from the ends of its chunks to the beginnings of the next ones, without waits for
    /// others.
    pub(in super::super) overhead: f64,
}

impl<R> Default for Output<R> {
    fn default() -> Self {
        Output { calls: Vec::new(), chunks: 0, idle: 0.0, overhead: 0.0 }
    }
}

/// Works until nothing is left, or the worker is lost.
pub(super) fn work<R, T: Time>(
    worker: usize,
    master: &Master<'_>,
    time: &T,
    function: &impl Fn(usize, Range<u64>) -> R,
) -> Output<R> {
    time.goes_on(worker);
    let mut output = Output::default();
    let mut done = None;
    let mut asked = time.now();
    loop {
        let answer = master.next(worker, done.take(), time);
        output.settle(&answer.counted);
        output.idle += answer.idle;
        let Some(given) = answer.given else { return output };
        let started = time.now();
        output.chunks += 1;
        output.overhead += started - asked - answer.idle;
        let served = output.serve(worker, &given, Times { asked, started }, time, function);
        match served {
            Ok(ended) => {
                done = Some(Done { given, seconds: ended - started });
                asked = ended;
            }
            Err(Panic { range, message }) => {
                master.panicked(worker, &given, &range, message, time);
                return output;
            }
        }
    }
}

/// When a worker asked for a chunk, and when it began to work on it.
#[derive(Clone, Copy)]
struct Times {
    asked: f64,
    started: f64,
}

/// The function panicked.
struct Panic {
    range: Range<u64>,
    message: String,
}

impl<R> Output<R> {
    /// Calls the function for each range of a chunk. The answer is when it ended.
    fn serve(
        &mut self,
        worker: usize,
        given: &Given,
        Times { asked, mut started }: Times,
        time: &impl Time,
        function: &impl Fn(usize, Range<u64>) -> R,
    ) -> Result<f64, Panic> {
        let before = self.calls.len();
        for range in given.ranges() {
            let attempt = catch_unwind(AssertUnwindSafe(|| function(worker, range.clone())));
            let ended = time.now();
            let counts = attempt.is_ok();
            let piece = LoopPiece { worker, items: range.clone(), asked, started, ended, counts };
            started = ended;
            match attempt {
                Ok(result) => self.calls.push(Call { piece, result: Some(result) }),
                Err(thrown) => {
                    self.calls.push(Call { piece, result: None });
                    // What a chunk returned that is not whole is nothing.
                    self.calls[before..].iter_mut().for_each(Call::forget);
                    let message = match Cause::of_panic(&*thrown) {
                        Cause::Panic(message) => message,
                        other => other.to_string(),
                    };
                    drop_safely(thrown);
                    return Err(Panic { range, message });
                }
            }
        }
        Ok(started)
    }

    /// Forgets those results of the last chunk that do not count.
    fn settle(&mut self, counted: &Counted) {
        let Counted::Some(counted) = counted else { return };
        let first = self.calls.len() - counted.len();
        let calls = self.calls[first..].iter_mut().zip(counted);
        calls.filter(|(_, counts)| !**counts).for_each(|(call, _)| call.forget());
    }
}

impl<R> Call<R> {
    fn forget(&mut self) {
        self.piece.counts = false;
        drop_safely(self.result.take());
    }
}
