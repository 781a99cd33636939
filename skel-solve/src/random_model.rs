//! Random models for tests: small ones, some of whose combinations of local states cannot be reached.

/// A number below `many` that depends on a seed and its place in a model only.
fn choice(seed: usize, place: usize, many: usize) -> usize {
    ((crate::vector::random(1_000 * seed + place) - 0.5) * many as f64) as usize
}

/// A random model: components that go round, jump, and in part do a step together with the next one.
pub(crate) fn random_model(seed: usize) -> String {
    let components = 2 + choice(seed, 0, 4);
    let is_bound = |component: usize| component + 1 < components && choice(seed, 10 + component, 2) == 0;
    let mut text = String::new();
    for component in 0..components {
        let states = 2 + choice(seed, 20 + component, 4);
        for state in 0..states {
            let place = 100 + 50 * component + 5 * state;
            let rate = 1 + choice(seed, place, 2);
            let next = format!("C{component}_{}", (state + 1) % states);
            let other = format!("C{component}_{}", choice(seed, place + 1, states));
            let waits = component > 0 && is_bound(component - 1);
            let mut ways = vec![match waits && state == 0 {
                true => format!("(with{}, infty).{next}", component - 1),
                false => format!("(own{component}, {rate}).{next}"),
            }];
            if is_bound(component) && state + 1 == states {
                ways.push(format!("(with{component}, 3).{other}"));
            }
            if choice(seed, place + 2, 3) == 0 {
                ways.push(format!("(jump{component}, {rate}.5).{other}"));
            }
            text.push_str(&format!("C{component}_{state} = {};\n", ways.join(" + ")));
        }
    }
    let join = |system: String, component: usize| match is_bound(component - 1) {
        true => format!("({system} <with{}> C{component}_0)", component - 1),
        false => format!("({system} || C{component}_0)"),
    };
    let system = (1..components).fold("C0_0".to_owned(), join);
    match seed % 3 {
        0 => text + &system,
        // Of the six combinations of these two, three are not reachable.
        order => {
            text.push_str("X0 = (up, 3).X1; X1 = (down, 2).X2; X2 = (on, 1).X0;\n");
            text.push_str("Y0 = (up, infty).Y1; Y1 = (down, infty).Y0;\n");
            let pair = "(X0 <up, down> Y0)";
            text + &if order == 1 { format!("{pair} || {system}") } else { format!("{system} || {pair}") }
        }
    }
}
