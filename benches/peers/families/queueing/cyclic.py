"""A cyclic network (E. Koenigsberg 1958): customers go round stations with one server each, always in the same order.

Only the customers at each of the n stations count: `C(N + n - 1, n - 1)` states. A customer moves from each station
that has any, and the states in which one station has a customer are as many as those of the network with one less. The
probabilities have a product form, so the answer is known: it is the ratio of the sums of products for `N - 1` and for
`N` customers (W. J. Gordon and G. F. Newell 1967).
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

from case import Case


def case(customers: int, rates: list[str]) -> Case:
    """So many customers, and the rate of each station's server."""
    stations = len(rates)
    states = comb(customers + stations - 1, stations - 1)
    return Case(
        name=f"cyclic network n={stations} N={customers}",
        pepa=pepa(customers, rates),
        prism=prism(customers, rates),
        action="serve0",
        states=states,
        transitions=stations * comb(customers + stations - 2, stations - 1),
        lumped=states,
        is_counted=True,
        answer=throughput(customers, rates),
    )


def throughput(customers: int, rates: list[str]) -> Fraction:
    """How often a customer leaves a station: the same for all of them."""
    sums = [Fraction(1)] + [Fraction(0)] * customers  # by the number of customers, at the stations so far
    for rate in rates:
        for count in range(1, customers + 1):
            sums[count] += sums[count - 1] / Fraction(rate)
    return sums[-2] / sums[-1]


def pepa(customers: int, rates: list[str]) -> str:
    """Customers that are counted, and one component that has all rates."""
    stations = range(len(rates))
    lines = [f"At{i} = (serve{i}, infty).At{(i + 1) % len(rates)};" for i in stations]
    lines.append("Servers = " + " + ".join(f"(serve{i}, {rates[i]}).Servers" for i in stations) + ";")
    lines.append(f"Servers <{', '.join(f'serve{i}' for i in stations)}> At0[{customers}]")
    return "\n".join(lines) + "\n"


def prism(customers: int, rates: list[str]) -> str:
    """One module with the number of customers at each station but the first."""
    last = len(rates) - 1
    lines = ["ctmc", f"const int N = {customers};", "module network"]
    lines += [f"  n{i} : [0..N] init 0;" for i in range(1, last + 1)]
    others = "+".join(f"n{i}" for i in range(1, last + 1))
    lines.append(f"  [] {others}<N & n1<N -> {rates[0]} : (n1'=n1+1);")
    lines += [
        f"  [] n{i}>0 & n{i + 1}<N -> {rates[i]} : (n{i}'=n{i}-1) & (n{i + 1}'=n{i + 1}+1);" for i in range(1, last)
    ]
    lines.append(f"  [] n{last}>0 -> {rates[last]} : (n{last}'=n{last}-1);")
    lines.append(f'endmodule\nrewards "throughput"\n  {others}<N : {rates[0]};\nendrewards')
    return "\n".join(lines) + "\n"
