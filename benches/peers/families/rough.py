"""A rough lattice: a walk on a square, with another rate for each step from each place.

The rates lie between 0.1 and 1.1 and look random, so the walk stays long where they happen to lead. There is nothing to
make a short text of: each place is a derivative, with rates of four digits that are hardly ever the same.
"""

from __future__ import annotations

from case import Case

STEPS = {"right": (1, 0), "left": (-1, 0), "up": (0, 1), "down": (0, -1)}
BOUND = 9973


def case(side: int) -> Case:
    """A square of so many places in each direction."""
    return Case(
        name=f"rough lattice {side}^2",
        pepa=pepa(side),
        prism=prism(side),
        action="right",
        states=side**2,
        transitions=4 * side * (side - 1),
    )


def pepa(side: int) -> str:
    """One component, with a derivative for each place."""
    lines = []
    for x in range(side):
        for y in range(side):
            ways = [
                f"({action}, {(1000 + mixed(x, y, number)) / 10000:.4f}).At{x + dx}x{y + dy}"
                for number, (action, (dx, dy)) in enumerate(STEPS.items())
                if 0 <= x + dx < side and 0 <= y + dy < side
            ]
            lines.append(f"At{x}x{y} = {' + '.join(ways)};")
    return "\n".join([*lines, "At0x0"]) + "\n"


def mixed(x: int, y: int, step: int) -> int:
    """A number below the bound for a place and a step."""
    return (7919 * x + 104729 * y + 13 * x * y + 2503 * step) % BOUND


def prism(side: int) -> str:
    """A module with a variable for each direction."""
    rates = [f"(1000+mod(7919*x+104729*y+13*x*y+{2503 * step},{BOUND}))/10000" for step in range(len(STEPS))]
    return (
        f"ctmc\nconst int K = {side - 1};\nmodule lattice\n  x : [0..K] init 0;\n  y : [0..K] init 0;\n"
        f"  [] x<K -> {rates[0]} : (x'=x+1);\n  [] x>0 -> {rates[1]} : (x'=x-1);\n"
        f"  [] y<K -> {rates[2]} : (y'=y+1);\n  [] y>0 -> {rates[3]} : (y'=y-1);\n"
        f'endmodule\nrewards "throughput"\n  x<K : {rates[0]};\nendrewards\n'
    )
