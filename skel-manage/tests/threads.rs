//! However a managed run ends, its manager's thread ends with it. This test is alone in its process, since it
//! counts threads.
#![cfg(target_os = "linux")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::sleep;
use std::time::Duration;

use skel::prelude::*;
use skel::run::Control;

pipe! { skeleton Lines { task("read", 1e4), farm(2, "measure", 1e3) } }

/// The threads of this process with the manager's name.
fn managers() -> usize {
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        // A thread may end meanwhile.
        std::fs::read_to_string(entry.ok()?.path().join("comm")).ok()
    };
    threads.filter_map(name).filter(|name| name.trim() == "skel manager").count()
}

/// Whether there are so many, now or in a moment: the system has a thread on its list for a little longer
/// than it can be joined, and a new one without its name.
fn come_to(number: usize) -> bool {
    (0..200).any(|_| {
        sleep(Duration::from_millis(5));
        managers() == number
    })
}

macro_rules! lines {
    ($control:expr) => {
        Lines::new()
            .run()
            .read(|number: u64| number)
            .measure(|number| {
                sleep(Duration::from_millis(1));
                assert!(number != 500, "item 500 fails");
                number
            })
            .controlled_by($control)
            .contract(Contract::service_time(100.ms()))
    };
}

#[test]
fn no_thread_is_left() {
    let control = Control::new();
    let mut at_work = 0;
    lines!(&control).for_each(0..100, |_| at_work = at_work.max(managers())).unwrap();
    assert_eq!(at_work, 1);
    assert!(come_to(0));

    // The consumer panics, and an item fails.
    let panics = || lines!(&control).for_each(0..100, |number| assert!(number < 10, "enough"));
    assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
    assert!(come_to(0));
    lines!(&control).over(0..1000).unwrap_err();
    assert!(come_to(0));

    // The run is dropped while it goes on, and is cancelled.
    let mut running = lines!(&Control::new()).start(0..).unwrap();
    assert_eq!(running.next(), Some(0));
    assert!(come_to(1));
    drop(running);
    assert!(come_to(0));
    let running = lines!(&control).start(0..).unwrap();
    control.cancel();
    running.finish().unwrap();
    assert!(come_to(0));
}
