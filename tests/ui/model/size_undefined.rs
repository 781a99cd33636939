use skel::prelude::*;

pepa! {
    pub model Fixture {
        clients = 3;
        Client = (think, 1).Client;
        Client[client] || Client[n]
    }
}

fn main() {}
