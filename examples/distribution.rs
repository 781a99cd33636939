//! Which schedule to take: the machines of Laine and Midorikawa, and a master that needs more and more time
//! for each chunk.
//!
//! 2500 rows of a matrix are given to 4 machines of 1 s a row, 4 of 1.6 s and 6 of 8 s. For each overhead of
//! a chunk the program prints the end under VRP, SS and VRP-SS with the best number of phases K: first where
//! nothing happens, then where a machine becomes four times slower after 100 s. The lines with 0.5 s are
//! checked: 351, 1258 and 361.4 s with K = 10 become 1082, 1258 and 407 s.

use skel_distribute::{Scenario, Schedule};

fn end(scenario: &Scenario, schedule: Schedule) -> Result<f64, Box<dyn std::error::Error>> {
    Ok(*scenario.simulate(&schedule)?.makespan())
}

/// The best number of phases, and its end.
fn best_phases(scenario: &Scenario) -> Option<(String, f64)> {
    let phases: Vec<Schedule> = (2..=40).map(|phases| Schedule::VrpSelfScheduling { phases }).collect();
    let comparison = scenario.compare(&phases);
    let best = comparison.ranked().first()?;
    Some((best.schedule.to_string(), *best.outcome.makespan()))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seconds = [1.0, 1.0, 1.0, 1.0, 1.6, 1.6, 1.6, 1.6, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0];
    for is_slowed in [false, true] {
        println!("{}", if is_slowed { "\none machine slows down" } else { "nothing happens" });
        println!("overhead   bound     VRP      SS  VRP-SS(10)  VRP-SS, best K");
        for overhead in [0.0, 0.05, 0.1, 0.5, 1.0, 2.0] {
            let mut scenario = Scenario::new(2500, seconds)?.with_overhead(overhead)?;
            if is_slowed {
                scenario = scenario.with_change(0, 100, 4)?;
            }
            let bound: f64 = scenario.bound().ok_or("no machine is lost")?;
            let vrp = end(&scenario, Schedule::Vrp)?;
            let ss = end(&scenario, Schedule::SelfScheduling)?;
            let ten = end(&scenario, Schedule::VrpSelfScheduling { phases: 10 })?;
            let (name, best) = best_phases(&scenario).ok_or("a schedule ends")?;
            println!("{overhead:8.2} {bound:7.2} {vrp:7.2} {ss:7.2} {ten:11.2} {best:8.2} {name}");
            if overhead == 0.5 {
                let expected = if is_slowed { [1082.0, 1258.0, 407.0] } else { [351.0, 1258.0, 361.4] };
                assert!(
                    [vrp, ss, ten].iter().zip(expected).all(|(found, known)| (found - known).abs() < 1e-9)
                );
            }
        }
    }
    Ok(())
}
