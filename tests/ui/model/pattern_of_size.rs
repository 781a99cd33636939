use skel::prelude::*;

pepa! {
    pub model Fixture {
        n = 2;
        Client = (think, 1).Wait;
        Wait = (serve, infty).Client;
        Server = (serve, 2).Server;
        Client[n] <serve> Server;
        both = {(Wait || **) || Server};
        one = {Wait || Server};
    }
}

fn main() {}
