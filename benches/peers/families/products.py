"""Nearly decomposable products: three walkers on two islands each, and seldom on the way between the islands.

A walker goes up and down its island at rates near 1; from the top of the first it comes to the foot of the second, and
back, at the rate `epsilon`. Where the walkers are is a product, so its answer is known: each walker is a birth-death
chain.
"""

from __future__ import annotations

from fractions import Fraction

from case import Case

WALKERS = 3


def case(island: int, exponent: int) -> Case:
    """Islands of so many places, at the distance `10^-exponent`."""
    return Case(
        name=f"nearly decomposable {2 * island}^3, 1e-{exponent}",
        pepa=pepa(island, exponent),
        prism=prism(island, exponent),
        action="cross0",
        states=(2 * island) ** WALKERS,
        answer=crossings(island, exponent),
    )


def up(walker: int, at: int, island: int, exponent: int) -> tuple[str, Fraction]:
    """How a walker goes on from a place: the action and its rate."""
    if at == island - 1:
        return f"cross{walker}", Fraction(1, 10**exponent) * (1 + walker)
    return f"up{walker}", Fraction(10 + walker, 10)


def down(walker: int, at: int, island: int, exponent: int) -> tuple[str, Fraction]:
    """How a walker comes back to the place before."""
    if at == island:
        return f"back{walker}", Fraction(2, 10**exponent)
    return f"down{walker}", Fraction(11, 10)


def crossings(island: int, exponent: int) -> Fraction:
    """How often the first walker crosses."""
    weight = total = Fraction(1)
    crossing = Fraction(0)
    for at in range(2 * island - 1):
        if at == island - 1:
            crossing = weight * up(0, at, island, exponent)[1]
        weight *= up(0, at, island, exponent)[1] / down(0, at + 1, island, exponent)[1]
        total += weight
    return crossing / total


def pepa(island: int, exponent: int) -> str:
    """A component for each walker."""
    lines, last = [], 2 * island - 1
    for walker in range(WALKERS):
        for at in range(last + 1):
            ways = []
            if at < last:
                action, rate = up(walker, at, island, exponent)
                ways.append(f"({action}, {rate}).W{walker}at{at + 1}")
            if at > 0:
                action, rate = down(walker, at, island, exponent)
                ways.append(f"({action}, {rate}).W{walker}at{at - 1}")
            lines.append(f"W{walker}at{at} = {' + '.join(ways)};")
    lines.append(" || ".join(f"W{walker}at0" for walker in range(WALKERS)))
    return "\n".join(lines) + "\n"


def prism(island: int, exponent: int) -> str:
    """A module for each walker."""
    lines, last = ["ctmc"], 2 * island - 1
    for walker in range(WALKERS):
        lines.append(f"module walker{walker}\n  w{walker} : [0..{last}] init 0;")
        for at in range(last):
            go, back = up(walker, at, island, exponent)[1], down(walker, at + 1, island, exponent)[1]
            lines.append(f"  [] w{walker}={at} -> {go} : (w{walker}'={at + 1});")
            lines.append(f"  [] w{walker}={at + 1} -> {back} : (w{walker}'={at});")
        lines.append("endmodule")
    rate = up(0, island - 1, island, exponent)[1]
    lines.append(f'rewards "throughput"\n  w0={island - 1} : {rate};\nendrewards')
    return "\n".join(lines) + "\n"
