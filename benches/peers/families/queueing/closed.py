"""A closed network: customers go round five stations with one server each (W. J. Gordon and G. F. Newell 1967).

Who leaves the first station goes to one of the others, with different shares, and all come back to the first. Only
the customers at each station count: `C(N + 4, 4)` states.
"""

from __future__ import annotations

from math import comb

from case import Case

SHARES = (0.4, 0.3, 0.2, 0.1)  # times the rate 1 of the first station
RATES = (0.5, 0.25, 0.3, 0.15)


def case(customers: int) -> Case:
    """So many customers."""
    states = comb(customers + 4, 4)
    return Case(
        name=f"closed network N={customers}",
        pepa=pepa(customers),
        prism=prism(customers),
        action="back1",
        states=states,
        lumped=states,
        is_counted=True,
    )


def pepa(customers: int) -> str:
    """Customers that are counted, and one component that has all rates."""
    numbers = range(1, len(RATES) + 1)
    lines = ["At0 = " + " + ".join(f"(go{i}, infty).At{i}" for i in numbers) + ";"]
    lines += [f"At{i} = (back{i}, infty).At0;" for i in numbers]
    rates = [(f"go{i}", SHARES[i - 1]) for i in numbers] + [(f"back{i}", RATES[i - 1]) for i in numbers]
    lines.append("Servers = " + " + ".join(f"({action}, {rate}).Servers" for action, rate in rates) + ";")
    lines.append(f"Servers <{', '.join(action for action, _ in rates)}> At0[{customers}]")
    return "\n".join(lines) + "\n"


def prism(customers: int) -> str:
    """One module with the number of customers at each station but the first."""
    numbers = range(1, len(RATES) + 1)
    lines = ["ctmc", f"const int N = {customers};", "module network"]
    lines += [f"  n{i} : [0..N] init 0;" for i in numbers]
    others = "+".join(f"n{i}" for i in numbers)
    for i in numbers:
        lines.append(f"  [] {others}<N & n{i}<N -> {SHARES[i - 1]} : (n{i}'=n{i}+1);")
        lines.append(f"  [] n{i}>0 -> {RATES[i - 1]} : (n{i}'=n{i}-1);")
    lines.append(f'endmodule\nrewards "throughput"\n  n1>0 : {RATES[0]};\nendrewards')
    return "\n".join(lines) + "\n"
