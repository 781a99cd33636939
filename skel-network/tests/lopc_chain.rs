//! LoPC against the Markov chain of the same system: a PEPA model whose nodes keep the order of their queues,
//! solved by `skel-solve`.
//!
//! A node is a thread, which works or waits for its reply, and a queue. The queue holds requests, each by the
//! number of the customer that sent it, and the node's own reply. The work rests while the queue is not
//! empty. A message is a component of its own, which says where the customer's request or reply is.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::Value;
use skel_network::{LoPc, Time};
use skel_solve::Explore;

/// How a node serves what has arrived.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    FirstComeFirstServed,
    /// All at once, each at an equal part of the speed.
    ProcessorSharing,
}

/// Mean times of work, latency and handlers, and the number of processors.
#[derive(Clone, Copy)]
struct System {
    processors: usize,
    work: f64,
    latency: f64,
    handler: f64,
    order: Order,
}

/// What is in a queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Job {
    RequestOf(usize),
    OwnReply,
}

/// A local state of a node.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    works: bool,
    queue: Vec<Job>,
}

impl Node {
    fn name(&self, node: usize) -> String {
        let mut name = format!("Node{node}{}", if self.works { "works" } else { "waits" });
        for job in &self.queue {
            match job {
                Job::RequestOf(customer) => write!(name, "_{customer}").unwrap(),
                Job::OwnReply => name.push_str("_own"),
            }
        }
        name
    }

    fn with(&self, job: Job, order: Order) -> Node {
        let mut next = self.clone();
        next.queue.push(job);
        if order == Order::ProcessorSharing {
            next.queue.sort();
        }
        next
    }

    fn without(&self, at: usize) -> Node {
        let mut next = self.clone();
        next.works |= next.queue.remove(at) == Job::OwnReply;
        next
    }
}

impl System {
    fn others(&self, node: usize) -> impl Iterator<Item = usize> + use<> {
        (1..=self.processors).filter(move |&other| other != node)
    }

    /// The actions of a node in a local state: name, rate, next state.
    fn activities(&self, node: usize, state: &Node) -> Vec<(String, String, Node)> {
        let mut activities = Vec::new();
        let passive = || "infty".to_owned();
        if state.works && state.queue.is_empty() {
            let waits = Node { works: false, queue: Vec::new() };
            let rate = 1.0 / self.work;
            if self.latency > 0.0 {
                activities.push((format!("send_{node}"), rate.to_string(), waits));
            } else {
                let rate = (rate / (self.processors - 1) as f64).to_string();
                let to = self.others(node).map(|to| format!("send_{node}_{to}"));
                activities.extend(to.map(|action| (action, rate.clone(), waits.clone())));
            }
        }
        let arrives = if self.latency > 0.0 { "arrive" } else { "send" };
        for from in self.others(node).filter(|&from| !state.queue.contains(&Job::RequestOf(from))) {
            let next = state.with(Job::RequestOf(from), self.order);
            activities.push((format!("{arrives}_{from}_{node}"), passive(), next));
        }
        if !state.works && !state.queue.contains(&Job::OwnReply) {
            let next = state.with(Job::OwnReply, self.order);
            let replies = self.others(node).map(|at| format!("serve_{node}_{at}"));
            let replies = if self.latency > 0.0 { vec![format!("reply_{node}")] } else { replies.collect() };
            activities.extend(replies.into_iter().map(|action| (action, passive(), next.clone())));
        }
        let served =
            if self.order == Order::ProcessorSharing { state.queue.len() } else { state.queue.len().min(1) };
        for at in 0..served {
            let rate = (1.0 / self.handler / served as f64).to_string();
            let action = match state.queue[at] {
                Job::RequestOf(customer) => format!("serve_{customer}_{node}"),
                Job::OwnReply => format!("done_{node}"),
            };
            activities.push((action, rate, state.without(at)));
        }
        activities
    }

    /// The definitions of a node, and its actions.
    fn node(&self, node: usize, text: &mut String) -> BTreeSet<String> {
        let first = Node { works: true, queue: Vec::new() };
        let mut known: BTreeMap<Node, Vec<(String, String, Node)>> = BTreeMap::new();
        let mut work = vec![first];
        while let Some(state) = work.pop() {
            if known.contains_key(&state) {
                continue;
            }
            let activities = self.activities(node, &state);
            work.extend(activities.iter().map(|(.., next)| next.clone()));
            known.insert(state, activities);
        }
        for (state, activities) in &known {
            let choices = activities
                .iter()
                .map(|(action, rate, next)| format!("({action}, {rate}).{}", next.name(node)));
            writeln!(text, "{} = {};", state.name(node), choices.collect::<Vec<_>>().join(" + ")).unwrap();
        }
        known.into_values().flatten().map(|(action, ..)| action).collect()
    }

    /// The definitions of a customer's message. On its way, a request has no destination yet: it is chosen on
    /// arrival.
    fn message(&self, customer: usize, text: &mut String) {
        let travels = self.latency > 0.0;
        let rate = 1.0 / self.latency;
        let to_each = |action: &str, rate: &str| {
            let choices = self
                .others(customer)
                .map(|to| format!("({action}_{customer}_{to}, {rate}).Message{customer}At{to}"));
            choices.collect::<Vec<_>>().join(" + ")
        };
        let replied = if travels { "Back" } else { "Reply" };
        if travels {
            let part = (rate / (self.processors - 1) as f64).to_string();
            writeln!(text, "Message{customer} = (send_{customer}, infty).Message{customer}Sent;").unwrap();
            writeln!(text, "Message{customer}Sent = {};", to_each("arrive", &part)).unwrap();
            writeln!(text, "Message{customer}Back = (reply_{customer}, {rate}).Message{customer}Reply;")
                .unwrap();
        } else {
            writeln!(text, "Message{customer} = {};", to_each("send", "infty")).unwrap();
        }
        for to in self.others(customer) {
            let served = format!("(serve_{customer}_{to}, infty).Message{customer}{replied}");
            writeln!(text, "Message{customer}At{to} = {served};").unwrap();
        }
        writeln!(text, "Message{customer}Reply = (done_{customer}, infty).Message{customer};").unwrap();
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut nodes = String::new();
        let mut known = BTreeSet::new();
        for node in 1..=self.processors {
            let actions = self.node(node, &mut text);
            let shared: Vec<&str> = actions.intersection(&known).map(String::as_str).collect();
            let first = Node { works: true, queue: Vec::new() }.name(node);
            nodes = match (node, shared.is_empty()) {
                (1, _) => first,
                (_, true) => format!("({nodes} || {first})"),
                (_, false) => format!("({nodes} <{}> {first})", shared.join(", ")),
            };
            known.extend(actions);
            self.message(node, &mut text);
        }
        let messages: Vec<String> =
            (1..=self.processors).map(|customer| format!("Message{customer}")).collect();
        let all: Vec<String> = known.into_iter().collect();
        text + &format!("{nodes} <{}> ({})", all.join(", "), messages.join(" || "))
    }

    /// The number of states, and the mean times of a cycle, of a request and of a reply.
    fn solve(&self) -> (usize, [f64; 3]) {
        let model = skel_core::text::parse(&self.text()).into_model().unwrap();
        let space = model.explore().unwrap();
        let steady = space.steady_state().unwrap();
        let cycle = 1.0 / steady.throughput_named("done_1").unwrap();
        let at = |to: usize| steady.population_named(&format!("Message1At{to}")).unwrap();
        let request: f64 = self.others(1).map(at).sum();
        let reply = steady.population_named("Message1Reply").unwrap();
        (space.states(), [cycle, request * cycle, reply * cycle])
    }
}

fn reference() -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("seeds/communication_more.json")).unwrap();
    all["a_lopc"].as_array().unwrap().clone()
}

/// The three parameters of a set: W, L and o.
fn parameters(set: &Value) -> [f64; 3] {
    ["W", "L", "o"].map(|name| set[name].as_f64().unwrap())
}

#[test]
fn the_chains_have_the_states_and_times_of_an_independent_program() {
    let mut least = f64::INFINITY;
    let mut most: f64 = 0.0;
    for set in reference() {
        let [work, latency, handler] = parameters(&set);
        let us = Time::microseconds;
        let lopc =
            LoPc::new(us(work), us(latency), us(handler), 1.0).unwrap().solve().cycle.as_microseconds();
        for (exact, states) in set["exact_ctmc"].as_array().unwrap().iter().zip(states(latency)) {
            let processors = exact["P"].as_u64().unwrap() as usize;
            let system = System { processors, work, latency, handler, order: Order::FirstComeFirstServed };
            let (found, times) = system.solve();
            assert_eq!(found, states, "{set}");
            for (time, name) in times.iter().zip(["R", "Rq", "Ry"]) {
                let expected = exact[name].as_f64().unwrap();
                assert!((time - expected).abs() <= 1e-9 * expected, "{name} {time} {expected}");
            }
            let above = lopc / times[0] - 1.0;
            assert!((above - exact["lopc_over_exact"].as_f64().unwrap()).abs() <= 1e-9);
            least = least.min(above);
            most = most.max(above);
        }
    }
    // As the documentation of `LoPc` says: above the exact cycle in every set, by 0.1 % to 6.8 %.
    assert_eq!(format!("{:.1} {:.1}", 100.0 * least, 100.0 * most), "0.1 6.8");
}

/// How many states 2, 3 and 4 processors have.
fn states(latency: f64) -> [usize; 3] {
    if latency > 0.0 { [27, 276, 3873] } else { [7, 80, 1036] }
}

#[test]
fn processor_sharing_would_be_up_to_4_percent_faster() {
    let ratio = |set: &Value, processors: usize| {
        let [work, latency, handler] = parameters(set);
        let cycle = |order| System { processors, work, latency, handler, order }.solve().1[0];
        1.0 - cycle(Order::ProcessorSharing) / cycle(Order::FirstComeFirstServed)
    };
    let sets = reference();
    let lower: Vec<f64> =
        sets.iter().flat_map(|set| [2, 3].map(|processors| ratio(set, processors))).collect();
    let most = lower.iter().copied().fold(0.0, f64::max);
    assert!(lower.iter().all(|&part| part > -1e-9), "{lower:?}");
    assert_eq!(format!("{:.1} %", 100.0 * most), "4.2 %");
    assert_eq!(most, ratio(&sets[5], 2));
}
