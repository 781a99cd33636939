//! The biometric identification of the paper on behavioural skeletons (GridCOMP D.NFCF.03, section 5.1), as a
//! map with state.
//!
//! A stream brings databases of fingerprints, and after each of them the fingerprints of people who are to be
//! identified:
//!
//! ```text
//! DB_1, fp_11, .., fp_1m,  DB_2, fp_21, .., fp_2m,  ..
//! ```
//!
//! A database is scattered over the workers, and each keeps its part. A fingerprint goes to all of them, and
//! each compares it with every fingerprint of its part. The answers are made one by `(false, -) + x = x`,
//! `(true, id) + x = (true, id)`, which is `Option::or`. Both fingerprints and databases are generated. A
//! scan shows some features in other places, misses some, and has some that are not there.
//!
//! ```text
//! cargo run --release --features run --example biometric
//! ```

use skel::prelude::*;
use skel::run::StateOr;

pipe! {
    /// Scans fingerprints, identifies them, counts the answers.
    skeleton Identification {
        task("scan", 1e5),
        map_with_state(2, "identify", 2e3, state(1e4, 250)),
        task("answer", 1e6),
    }
}

/// How many fingerprints each database has, and how many people are identified with it.
const DATABASES: [(usize, usize); 3] = [(1200, 250), (800, 250), (1600, 250)];

/// One feature of a fingerprint: where a ridge ends or branches, and in which direction.
#[derive(Clone, Copy)]
struct Feature {
    x: i32,
    y: i32,
    angle: i32,
}

#[derive(Clone)]
struct Fingerprint([Feature; 24]);

/// A fingerprint and whose it is.
#[derive(Clone)]
struct Entry {
    id: u32,
    fingerprint: Fingerprint,
}

type Database = Vec<Entry>;

impl Fingerprint {
    /// Whether most features of one are in the other.
    fn matches(&self, other: &Fingerprint) -> bool {
        let is_near = |a: &Feature, b: &Feature| {
            (a.x - b.x).abs() <= 6 && (a.y - b.y).abs() <= 6 && (a.angle - b.angle).abs() <= 12
        };
        let found = self.0.iter().filter(|feature| other.0.iter().any(|known| is_near(feature, known)));
        found.count() >= 14
    }
}

/// A generator of random numbers (G. Steele and others, *Fast splittable pseudorandom number generators*,
/// 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: i32) -> i32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed >> 33) % bound as u64) as i32
    }

    fn fingerprint(&mut self) -> Fingerprint {
        let mut feature = |_| Feature { x: self.below(500), y: self.below(500), angle: self.below(360) };
        Fingerprint(std::array::from_fn(&mut feature))
    }

    /// A scan of a fingerprint: places are some points off, and every eighth feature is another.
    fn scan(&mut self, of: &Fingerprint) -> Fingerprint {
        let Fingerprint(other) = self.fingerprint();
        let mut scanned = of.clone();
        for (feature, other) in scanned.0.iter_mut().zip(other) {
            match self.below(8) {
                0 => *feature = other,
                _ => {
                    feature.x += self.below(9) - 4;
                    feature.y += self.below(9) - 4;
                    feature.angle += self.below(17) - 8;
                }
            }
        }
        scanned
    }
}

/// The stream, and who is expected: every third person is in no database.
fn stream() -> (Vec<StateOr<Database, Fingerprint>>, Vec<Option<u32>>) {
    let mut random = Random(2008);
    let (mut inputs, mut expected) = (Vec::new(), Vec::new());
    for (number, (size, people)) in DATABASES.into_iter().enumerate() {
        let id = |place: usize| (10_000 * number + place) as u32;
        let entries = (0..size).map(|place| Entry { id: id(place), fingerprint: random.fingerprint() });
        let database: Database = entries.collect();
        inputs.push(StateOr::State(database.clone()));
        for person in 0..people {
            let known = (person % 3 > 0).then(|| &database[random.below(size as i32) as usize]);
            let finger = match known {
                Some(entry) => random.scan(&entry.fingerprint),
                None => random.fingerprint(),
            };
            inputs.push(StateOr::Item(finger));
            expected.push(known.map(|entry| entry.id));
        }
    }
    (inputs, expected)
}

fn identify(part: &Database, finger: &Fingerprint) -> Option<u32> {
    part.iter().find(|entry| finger.matches(&entry.fingerprint)).map(|entry| entry.id)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (inputs, expected) = stream();
    let (identified, report) = Identification::new()
        .run()
        .scan(|input: StateOr<Database, Fingerprint>| input)
        .identify(identify)
        .reduce(Option::or)
        .answer(|id| id)
        .collect(inputs)?;

    let known = identified.iter().flatten().count();
    println!("{known} of {} people identified, with {} databases", identified.len(), report.states());
    for (person, id) in identified.iter().enumerate().take(3) {
        println!("  person {person}: {}", id.map_or("unknown".to_owned(), |id| format!("id {id}")));
    }
    assert_eq!(identified, expected, "the sequential program identifies the same people");

    println!("\n{}", report.with_prediction()?);
    let task = report.task(Identification::identify);
    if let (Some(item), Some(state)) = (task.mean, task.state_mean) {
        let m = task.items as f64 / task.states as f64;
        let formula = item + (state + item) / m;
        println!(
            "the paper's formula for the map alone, T_W + (T_I + T_W) / m: {:.1} us for each of {m:.0} people per database",
            1e6 * formula
        );
    }
    Ok(())
}
