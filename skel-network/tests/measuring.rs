//! Messages are timed, over TCP and between threads, and neither side is at the mercy of the other. No time
//! is asserted, only what is there.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use skel_network::measure::{
    Control, Event, Limits, Listener, MeasureError, Peer, Plan, Series, between_peers,
};
use skel_network::{Bytes, Measured, Time};

/// A listener in a thread of its own. It ends with the test.
struct Other {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    events: Arc<Mutex<Vec<Event>>>,
    thread: Option<JoinHandle<()>>,
}

impl Other {
    fn start(name: &str, prepare: impl FnOnce(Listener) -> Listener) -> Other {
        let listener = prepare(Listener::bind("127.0.0.1:0", name).unwrap());
        let (address, is_over) = (listener.address(), Arc::new(AtomicBool::new(false)));
        let (over, events) = (Arc::clone(&is_over), Arc::new(Mutex::new(Vec::new())));
        let control = Control::default().stopping_when(move || over.load(Ordering::Relaxed));
        let heard = Arc::clone(&events);
        let thread = std::thread::spawn(move || {
            listener.serve(&control, &|event| heard.lock().unwrap().push(event)).unwrap();
        });
        Other { address, is_over, events, thread: Some(thread) }
    }

    fn connect(&self) -> Result<Peer, MeasureError> {
        Peer::connect(&self.address.to_string(), &small(), &Control::default())
    }

    fn stranger(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Waits until something has happened so many times.
    fn hears(&self, times: usize, is_it: impl Fn(&Event) -> bool) {
        let begun = Instant::now();
        while self.events.lock().unwrap().iter().filter(|event| is_it(event)).count() < times {
            assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", self.events.lock().unwrap());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let outcome = thread.join();
            assert!(outcome.is_ok() || std::thread::panicking());
        }
    }
}

fn is_broken_off(event: &Event) -> bool {
    matches!(event, Event::BrokenOff(_))
}

fn small() -> Plan {
    Plan::default().up_to(Bytes::new(3000)).unwrap().repeated(6, 2).unwrap()
}

const GREETING: &[u8; 16] = b"skel-net\x01\0\0\0\0\0\0\0";

/// A request in the bytes of the protocol.
fn request(what: u8, number: u32, size: u64, wait: u64) -> Vec<u8> {
    [&[what, 0, 0, 0], &number.to_le_bytes()[..], &size.to_le_bytes(), &wait.to_le_bytes()].concat()
}

/// Greets as a peer does.
fn welcomed(stream: &mut TcpStream, name: &str) {
    stream.write_all(GREETING).unwrap();
    let mut bytes = vec![0; 16 + name.len()];
    stream.read_exact(&mut bytes).unwrap();
    assert_eq!((&bytes[..11], &bytes[16..]), (&GREETING[..11], name.as_bytes()));
}

/// What is left until the other side closes.
fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => bytes,
        Err(error) => panic!("it was not closed: {error}"),
    }
}

fn is_complete(series: &[Series]) {
    let sizes = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3000];
    for size in sizes.map(Bytes::new) {
        let of_size: Vec<&Series> = series.iter().filter(|one| one.size == size).collect();
        for measured in
            [Measured::HalfRoundTrip, Measured::EmptyReply, Measured::SendOverhead, Measured::ReceiveOverhead]
        {
            let one = of_size.iter().find(|one| one.measured == measured).unwrap();
            assert!(
                one.repetitions >= 4 && one.median > Time::ZERO && one.deviation >= Time::ZERO,
                "{one:?}"
            );
        }
    }
    // A burst less the way of its reply may come out as nothing on a machine that is busy with something
    // else: for a size, not for all.
    let is_burst = |one: &Series| matches!(one.measured, Measured::Burst { messages } if messages >= 2);
    assert!(series.iter().any(|one| is_burst(one) || one.measured == Measured::Gap));
    assert!(series.iter().all(|one| sizes.contains(&one.size.get())));
}

#[test]
fn messages_to_another_process_are_timed() {
    let other = Other::start("there", |listener| listener);
    let steps = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&steps);
    let control = Control::default().reporting(move |progress| heard.lock().unwrap().push(progress));
    for _ in 0..2 {
        let peer = other.connect().unwrap();
        assert_eq!(peer.name(), "there");
        is_complete(&peer.measure(&small(), &control).unwrap());
    }
    let steps = steps.lock().unwrap();
    assert_eq!(steps.len(), 2 * 2 * 14);
    assert!(steps.last().is_some_and(|last| last.done == last.total));
    other.hears(2, |event| matches!(event, Event::Ended(_)));
    assert!(!other.events.lock().unwrap().iter().any(is_broken_off));
}

#[test]
fn messages_between_threads_are_timed() {
    is_complete(&Peer::between_threads(&small(), &Control::default()).unwrap());
}

#[test]
fn two_others_time_messages_between_them() {
    let [one, other] = ["one", "other"].map(|name| Other::start(name, |listener| listener));
    let [from, to] = [&one, &other].map(|other| other.address.to_string());
    let steps = Arc::new(Mutex::new(0));
    let heard = Arc::clone(&steps);
    let control = Control::default().reporting(move |_| *heard.lock().unwrap() += 1);
    is_complete(&between_peers(&from, &to, &small(), &control).unwrap());
    assert_eq!(*steps.lock().unwrap(), 28);
    // Nobody listens at the second address any more, and the first one says so.
    drop(other);
    let error = between_peers(&from, &to, &small(), &control).unwrap_err();
    assert!(error.to_string().starts_with(&format!("`one` refuses: nobody answers at `{to}`")), "{error}");
    // Not every address is connected to on behalf of a stranger.
    let error = between_peers(&from, "192.0.2.1:7600", &small(), &control).unwrap_err().to_string();
    assert!(error.contains("start it with `--allow HOST:PORT`"), "{error}");
}

#[test]
fn a_link_to_an_allowed_address_is_timed() {
    let one = Other::start("one", |listener| listener.allowing("192.0.2.1:1"));
    // It is allowed, but nobody is there: the answer takes no longer than the plan says.
    let plan = small().waiting_for(Duration::from_millis(200)).unwrap();
    let error = between_peers(&one.address.to_string(), "192.0.2.1:1", &plan, &Control::default());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("nobody answers at `192.0.2.1:1`"), "{error}");
}

#[test]
fn one_session_at_a_time() {
    let other = Other::start("there", |listener| listener);
    let first = other.connect().unwrap();
    match other.connect() {
        Err(error @ MeasureError::Busy { .. }) => assert!(error.help().contains("disturb each other")),
        outcome => panic!("{outcome:?}"),
    }
    drop(first);
    other.hears(1, is_broken_off);
    assert!(other.connect().is_ok());
}

#[test]
fn strangers_are_turned_away() {
    let other = Other::start("there", |listener| listener);
    let [mut silent, mut slow, mut web, mut new] = std::array::from_fn(|_| other.stranger());
    web.write_all(b"GET / HTTP/1.1\r\nHost: there\r\n\r\n").unwrap();
    assert!(rest(&mut web).is_empty());
    new.write_all(b"skel-net\x02\0\0\0\0\0\0\0").unwrap();
    assert_eq!(rest(&mut new)[..11], *b"skel-net\x01\0\x02");
    // A byte now and then does not keep the connection open.
    let drip = std::thread::spawn(move || {
        for byte in b"skel-net" {
            if slow.write_all(&[*byte]).is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(700));
        }
        rest(&mut slow)
    });
    assert!(rest(&mut silent).is_empty());
    assert!(drip.join().unwrap().is_empty());
    // And none of them has kept anybody else from a session.
    assert!(other.connect().is_ok());
}

#[test]
fn too_much_is_refused() {
    let limits = Limits { largest: Bytes::new(1000), ..Limits::default() };
    let other = Other::start("there", |listener| listener.within(limits));
    let refused = [
        (request(1, 1, 1001, 0), vec![1]),
        (request(3, 2, u64::MAX, 0), vec![1]),
        (request(2, u32::MAX, 1, 0), vec![2]),
        (request(4, 1, 1, 3_000_000_000), vec![2]),
        (request(99, 1, 1, 0), vec![3]),
        (request(5, 256, 1, 0), vec![2]),
        // A relay whose plan is out of all bounds, and a message out of turn.
        ([request(5, 1, 8, 0), vec![255; 20], b"x".to_vec()].concat(), vec![]),
        ([request(2, 1, 0, 0), vec![7]].concat(), vec![0, 0]),
    ];
    for (number, (bytes, answer)) in refused.into_iter().enumerate() {
        let mut stranger = other.stranger();
        welcomed(&mut stranger, "there");
        stranger.write_all(&bytes).unwrap();
        assert_eq!(rest(&mut stranger), answer);
        other.hears(number + 1, is_broken_off);
    }
    let error = other.connect().unwrap().measure(&small(), &Control::default()).unwrap_err();
    assert!(
        matches!(error, MeasureError::Refused { .. }) && error.to_string().contains("larger than it allows")
    );
}

#[test]
fn a_session_has_an_end() {
    let limits = Limits { session: Duration::from_secs(2), ..Limits::default() };
    let other = Other::start("there", |listener| listener.within(limits));
    let mut stranger = other.stranger();
    welcomed(&mut stranger, "there");
    // A message that never ends.
    stranger.write_all(&request(3, 1, 1 << 20, 0)).unwrap();
    assert_eq!(rest(&mut stranger), [0]);
    other.hears(1, is_broken_off);
}

/// A server that says something else.
fn impostor(say: impl FnOnce(&mut TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || say(&mut listener.accept().unwrap().0));
    address
}

/// What is said of somebody who answers.
fn error_of(address: &str) -> String {
    error_within(address, Duration::from_secs(20))
}

/// What is said of somebody, if an answer may take so long.
fn error_within(address: &str, time: Duration) -> String {
    let plan = small().waiting_for(time).unwrap();
    let outcome = Peer::connect(address, &plan, &Control::default());
    outcome.and_then(|peer| peer.measure(&plan, &Control::default())).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_with_the_other_side_is_said() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    assert!(error_of(&closed).starts_with(&format!("nobody answers at `{closed}`: ")));
    for address in ["", "node", "127.0.0.1", "127.0.0.1:99999", "no such host:1"] {
        assert!(error_of(address).starts_with(&format!("`{address}` is not an address: ")), "{address}");
    }
    let wrong_peer = |say: fn(&mut TcpStream)| {
        let address = impostor(say);
        let expected = format!("whoever answers at `{address}` is not `skel network measure --listen`");
        assert_eq!(error_within(&address, Duration::from_millis(300)), expected);
    };
    wrong_peer(|stream| stream.write_all(b"220 mail.example ESMTP ready\r\n").unwrap());
    wrong_peer(|_| {});
    wrong_peer(|stream| drop(rest(stream)));
    let newer = impostor(|stream| stream.write_all(b"skel-net\x09\0\0\0\0\0\0\0").unwrap());
    assert_eq!(
        error_of(&newer),
        format!("`{newer}` speaks version 9 of the protocol, and this is version 1")
    );
    let unnamed = impostor(|stream| stream.write_all(b"skel-net\x01\0\0\x02\0\0\0\0\x1b[").unwrap());
    assert!(error_of(&unnamed).ends_with("sent something that the protocol does not have there"));

    const NAMED: &[u8] = b"skel-net\x01\0\0\x01\0\0\0\0x";
    let gone = impostor(|stream| {
        stream.write_all(NAMED).unwrap();
        stream.read_exact(&mut [0; 16]).unwrap();
    });
    assert_eq!(error_of(&gone), "`x` has closed the connection");
    let silent = impostor(|stream| {
        stream.write_all(NAMED).unwrap();
        rest(stream);
    });
    assert_eq!(error_within(&silent, Duration::from_millis(300)), "`x` has not answered for 0.3 s");
    let wrong = impostor(|stream| {
        stream.write_all(NAMED).unwrap();
        // A message that comes back with another number.
        stream.write_all(&[0, 77, 77]).unwrap();
        rest(stream);
    });
    assert_eq!(error_of(&wrong), "`x` sent something that the protocol does not have there");
}

#[test]
fn it_can_be_stopped() {
    let other = Other::start("there", |listener| listener);
    let long = Plan::default().repeated(100_000, 1000).unwrap();
    let seen = Arc::new(AtomicBool::new(false));
    let (asked, heard) = (Arc::clone(&seen), Arc::clone(&seen));
    let control = Control::default()
        .stopping_when(move || asked.load(Ordering::Relaxed))
        .reporting(move |_| heard.store(true, Ordering::Relaxed));
    let error = other.connect().unwrap().measure(&long, &control).unwrap_err();
    assert!(matches!(error, MeasureError::Stopped));
    other.hears(1, is_broken_off);
    let error = Peer::between_threads(&long, &control).unwrap_err();
    assert!(matches!(error, MeasureError::Stopped));
}

#[test]
fn names_and_plans_are_checked() {
    for name in ["", " x", "a\nb", &"x".repeat(256)] {
        assert!(Listener::bind("127.0.0.1:0", name).is_err(), "{name:?}");
    }
    let taken = Listener::bind("127.0.0.1:0", "here").unwrap();
    let error = Listener::bind(&taken.address().to_string(), "here").unwrap_err();
    assert!(error.to_string().starts_with("cannot listen at") && error.help().contains("port 0"));
    let plan = Plan::default();
    for wrong in [
        plan.up_to(Bytes::new(0)),
        plan.up_to(Bytes::new(1 << 31)),
        plan.repeated(0, 1),
        plan.repeated(1, 0),
        plan.warmed_up_by(1001),
        plan.waiting_for(Duration::ZERO),
    ] {
        let error = wrong.unwrap_err();
        assert!(error.0[0].help.starts_with("it may be from "), "{error}");
    }
}
