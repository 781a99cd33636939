//! One case: `skel-peers hop|farm|idle PEER ...`. It prints the checksum of what came out; the caller
//! measures the process.
//!
//! - `hop PEER CAPACITY BATCH ITEMS`: a pipe of a source, a stage and a sink, each in a thread of its own,
//!   that do next to nothing.
//! - `farm PEER ROUNDS ITEMS`: two workers, each task so many rounds of [`work::task`].
//! - `idle PEER MILLISECONDS`: the same pipe, with a hundred items in a second.
//! - `loop PEER WORKERS ROUNDS ITEMS`: a loop over so many indices on so many workers, each index so many
//!   rounds of work.
//! - `chunks SCHEDULE WORKERS LOOPS ITEMS`: so many loops, of which each chunk does nothing. It prints how
//!   many chunks there were.
//!
//! To add a peer, write a `Channel` (`channel.rs`) or a function of its own. Name it in the `match` of
//! `hop.rs`, `farm.rs`, `idle.rs` or `loops.rs`, and in `cases.py`.

#[allow(dead_code, reason = "the programs here use a part of it")]
#[path = "../../../../skel-run/src/queue/mod.rs"]
mod queue;
#[allow(dead_code, unused_imports, reason = "the programs here use a part of it")]
#[path = "../../../../skel-run/src/sync/mod.rs"]
mod sync;

mod channel;
mod executor;
mod farm;
mod hop;
mod idle;
mod loops;
mod work;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse().expect("a number");
    let answer = match words[..] {
        ["hop", peer, capacity, batch, items] => {
            hop::run(peer, number(capacity) as usize, number(batch) as usize, number(items))
        }
        ["farm", peer, rounds, items] => farm::run(peer, number(rounds), number(items)),
        ["idle", peer, milliseconds] => idle::run(peer, number(milliseconds)),
        ["loop", peer, workers, rounds, items] => {
            loops::run(peer, number(workers), number(rounds), number(items))
        }
        ["chunks", schedule, workers, loops, items] => {
            loops::chunks(schedule, number(workers), number(loops), number(items))
        }
        _ => None,
    };
    match answer {
        Some(checksum) => {
            println!("{checksum}");
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("error: no case `{}`", words.join(" "));
            ExitCode::FAILURE
        }
    }
}
