//! The three programs of the examples `matrix`, `heat` and `particles` have the same exact results for every
//! number of workers and every schedule, on threads and in turn.

#[path = "../examples/programs/gravity.rs"]
mod gravity;
#[path = "../examples/programs/loops/mod.rs"]
mod loops;
#[path = "../examples/programs/plate.rs"]
mod plate;
#[path = "../examples/programs/product.rs"]
mod product;

use gravity::Particles;
use loops::{InTurn, Loops, Manner, OnThreads, TYPES, Team, Wire, repeated};
use plate::{Edges, Plate, Settled, Until};
use product::Factors;
use serde_json::Value;
use skel::distribute::Schedule;
use skel::fit::timer::Timer;

fn reference() -> Value {
    serde_json::from_str(include_str!("seeds/programs.json")).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn is_near(found: f64, expected: &Value, tolerance: f64) {
    let expected = number(expected);
    assert!((found - expected).abs() <= tolerance * expected.abs(), "{found} instead of {expected}");
}

/// One worker, some, and as many as the paper has.
const COUNTS: [[usize; 3]; 4] = [[1, 0, 0], [1, 1, 1], [3, 0, 2], [4, 4, 6]];

fn schedules() -> Vec<Schedule> {
    let with_parameters = [
        Schedule::Chunked { items: 3 },
        Schedule::VrpSelfScheduling { phases: 1 },
        Schedule::VrpSelfScheduling { phases: 4 },
    ];
    [&Schedule::PLAIN[..], &with_parameters].concat()
}

/// A program that any loop can run.
trait Program {
    fn run(&self, loops: &mut impl Loops);
}

/// Runs a program in turn. The result is how many seconds it took.
fn play(program: &impl Program, team: &Team, schedule: Schedule, has_master: bool) -> f64 {
    let (timer, segments) = Timer::new(["work", "message"]);
    let pace = |worker: usize, _| team.machines[worker].tenths;
    let mut wire = Wire::new().unwrap();
    let mut loops = InTurn::new(team, Manner { schedule, has_master }, &pace, &mut wire, (&timer, segments));
    program.run(&mut loops);
    let played = loops.end();
    let times = timer.times();
    let items: u64 = played.items.iter().sum();
    assert!(items > 0 && played.values > 0 && times.of(segments[0]).len() <= team.machines.len());
    played.seconds
}

fn on_every_team(program: &impl Program) {
    for counts in COUNTS {
        let team = Team::of(counts).unwrap();
        for schedule in schedules() {
            program.run(&mut OnThreads::new(&team, schedule));
            for has_master in [true, false] {
                assert!(play(program, &team, schedule, has_master) > 0.0);
            }
        }
    }
}

struct Product<'v>(&'v Value);

impl Program for Product<'_> {
    fn run(&self, loops: &mut impl Loops) {
        let side = self.0["n"].as_u64().unwrap() as usize;
        let product = Factors::new(side).product(loops).unwrap();
        let sum = |value: fn(usize, usize, f64) -> f64| {
            product.iter().enumerate().map(|(place, &entry)| value(place / side, place % side, entry)).sum()
        };
        let trace = |row, column, entry| if row == column { entry } else { 0.0 };
        let weighted = |row, column, entry: f64| ((row + 1) * (column + 1)) as f64 * entry;
        let found: [(&str, f64); 6] = [
            ("c00", product[0]),
            ("c_last", product[side * side - 1]),
            ("trace", sum(trace)),
            ("sum", sum(|_, _, entry| entry)),
            ("weighted", sum(weighted)),
            ("sum_abs", sum(|_, _, entry| entry.abs())),
        ];
        for (name, value) in found {
            assert_eq!(value, number(&self.0[name]), "{name} of {side}");
        }
    }
}

#[test]
fn products_are_exact() {
    for case in reference()["matrix"].as_array().unwrap() {
        if case["n"].as_u64() < Some(200) {
            on_every_team(&Product(case));
        } else {
            let team = Team::of([1, 1, 0]).unwrap();
            play(&Product(case), &team, Schedule::Vrp, true);
            Product(case).run(&mut OnThreads::new(&team, Schedule::SelfScheduling));
        }
    }
}

struct Heat<'v>(&'v Value);

impl Program for Heat<'_> {
    fn run(&self, loops: &mut impl Loops) {
        let case = self.0;
        let edge = |name: &str| number(&case["edges"][name]);
        let edges =
            Edges { top: edge("top"), left: edge("left"), right: edge("right"), bottom: edge("bottom") };
        let side = case["n"].as_u64().unwrap() as usize;
        let mut plate = Plate::new(side, number(&case["alpha"]), edges);
        let until = match case["iterations"].as_u64() {
            Some(sweeps) => Until::Sweeps(sweeps as u32),
            None => Until::Change(number(&case["eps"])),
        };
        let Settled { sweeps, change } = plate.settle(loops, until).unwrap();
        let expected = &case["expect"];
        assert_eq!(u64::from(sweeps), expected["iterations"].as_u64().unwrap());
        is_near(change, &expected["last_max_change"], 1e-9);
        is_near(plate.at(1, 1), &expected["t_1_1"], 1e-12);
        is_near(plate.at(side / 2, side / 2), &expected["t_mid"], 1e-12);
        is_near(plate.heat(), &expected["sum_interior"], 1e-12);
    }
}

#[test]
fn plates_settle_alike() {
    for case in reference()["heat"].as_array().unwrap() {
        if case["iterations"].as_u64().is_some_and(|sweeps| sweeps < 100) {
            on_every_team(&Heat(case));
        } else {
            for counts in COUNTS {
                let team = Team::of(counts).unwrap();
                play(&Heat(case), &team, Schedule::Vrp, false);
            }
            let team = Team::of([1, 1, 0]).unwrap();
            Heat(case).run(&mut OnThreads::new(&team, Schedule::Vrp));
        }
    }
}

struct Gravity<'v>(&'v Value);

impl Program for Gravity<'_> {
    fn run(&self, loops: &mut impl Loops) {
        let case = self.0;
        let count = case["n"].as_u64().unwrap() as usize;
        let mut particles = Particles::new(count);
        let expected = &case["expect"];
        is_near(particles.energy(), &expected["energy_before"], 1e-9);
        particles.pass(loops, case["steps"].as_u64().unwrap() as u32, number(&case["dt"])).unwrap();
        is_near(particles.energy(), &expected["energy_after"], 1e-9);
        let near = |found: [f64; 3], name: &str| {
            found.into_iter().enumerate().for_each(|(at, found)| is_near(found, &expected[name][at], 1e-9));
        };
        near(particles.positions[0], "x0");
        near(particles.velocities[count - 1], "v_last");
    }
}

#[test]
fn particles_move_alike() {
    for case in reference()["pgf"].as_array().unwrap() {
        if case["steps"].as_u64() < Some(20) {
            on_every_team(&Gravity(case));
        } else {
            for counts in COUNTS {
                let team = Team::of(counts).unwrap();
                play(&Gravity(case), &team, Schedule::Factoring, true);
            }
            let team = Team::of([1, 1, 1]).unwrap();
            Gravity(case).run(&mut OnThreads::new(&team, Schedule::Vrp));
        }
    }
}

/// The unequal speeds: 1, 1.6 and 8 times the work.
#[test]
fn work_is_repeated_as_often_as_is_said() {
    let done = TYPES.map(|machine| {
        let mut done = 0;
        repeated(machine.tenths, 50, |parts| done += parts.len());
        done
    });
    assert_eq!(done, [50, 80, 400]);
}
