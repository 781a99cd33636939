//! The queue M/M/1/5 against its closed form.
//!
//! Arrivals at rate `lambda`, one server at rate `mu`, room for five. With `rho = lambda / mu` the
//! probability of `n` customers is `rho^n (1 - rho) / (1 - rho^6)`; an arrival is lost if it finds five.

use skel::prelude::*;

pepa! {
    /// A queue with room for five.
    pub model Queue {
        lambda = 2; mu = 3;
        Q0 = (arrive, lambda).Q1;
        Q1 = (arrive, lambda).Q2 + (serve, mu).Q0;
        Q2 = (arrive, lambda).Q3 + (serve, mu).Q1;
        Q3 = (arrive, lambda).Q4 + (serve, mu).Q2;
        Q4 = (arrive, lambda).Q5 + (serve, mu).Q3;
        Q5 = (lose, lambda).Q5 + (serve, mu).Q4;
        Q0
    }
}

fn main() -> skel::Result<()> {
    println!("lambda   served, exactly     served, closed form   lost");
    for lambda in 1..=5_i64 {
        let pi = Queue { lambda: lambda.into(), ..Queue::new() }.explore()?.steady_state_exact()?;
        let rho = ratio(lambda, 3);
        let weights: Vec<Ratio> = (0..=5).map(|customers| rho.pow(customers)).collect();
        let total: Ratio = weights.iter().sum();
        let lost = ratio(lambda, 1) * &weights[5] / total;
        let expected = ratio(lambda, 1) - &lost;
        let served = pi.throughput_of(Queue::serve);
        println!("{lambda:6}   {:18}  {:20}  {lost}", served.to_string(), expected.to_string());
        assert_eq!(served, expected);
        assert_eq!(pi.throughput_of(Queue::lose), lost);
    }
    Ok(())
}
