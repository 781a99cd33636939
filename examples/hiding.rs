//! Hiding: a handshake that nobody outside can join.
//!
//! A producer and a consumer meet in `hand_over`, at the slower of their rates, 2 and 3; outside it is `tau`.
//! The chain has four states; with the producer's pause at rate 1 and the consumer's at rate 1 the handshake
//! happens once every `1/2 + 3/2` units of time: the first to rest waits for the other, and the maximum of
//! two rests lasts 3/2 on average.

use skel::prelude::*;

pepa! {
    /// A producer and a consumer with a private handshake.
    pub model Handshake {
        Producer = (hand_over, 2).Resting;
        Resting = (produce, 1).Producer;
        Consumer = (hand_over, 3).Eating;
        Eating = (consume, 1).Consumer;
        (Producer <hand_over> Consumer) / {hand_over}
    }
}

fn main() -> skel::Result<()> {
    let pi = Handshake::new().explore()?.steady_state_exact()?;
    println!("states: {}", pi.space().states());
    println!("throughput of tau (the handshake): {} (expected 1/2)", pi.throughput_of(Handshake::tau));
    println!("throughput of hand_over, which is hidden: {}", pi.throughput_of(Handshake::hand_over));
    assert_eq!(pi.throughput_of(Handshake::tau), ratio(1, 2));
    assert_eq!(pi.throughput_of(Handshake::produce), ratio(1, 2));
    Ok(())
}
