"""Queues in a line: customers come to the first, go on from each to the next while that has room, and leave the last.

Each queue has so many places, and serves at a rate of its own. Who finds the first queue full is lost, and who finds the
next one full waits, so that a queue may be blocked. A lattice of two or three dimensions, in which probability
is spread over all states where the loads are about one.
"""

from __future__ import annotations

from math import prod

from case import Case


def case(places: list[int], rates: list[str]) -> Case:
    """Queues of so many places; the rate of arrivals, then that of each queue."""
    sides = [of_queue + 1 for of_queue in places]
    states = prod(sides)
    arrivals, departures = (states // side * (side - 1) for side in (sides[0], sides[-1]))
    moves = [
        states // one // other * (one - 1) * (other - 1) for one, other in zip(sides, sides[1:], strict=False)
    ]
    return Case(
        name=f"queues in a line, {places[0]}^{len(places)}, arrivals {rates[0]}",
        pepa=pepa(places, rates),
        prism=prism(places, rates),
        action="step" + str(len(places)),
        states=states,
        transitions=arrivals + sum(moves) + departures,
    )


def pepa(places: list[int], rates: list[str]) -> str:
    """A component for each queue, whose derivative says how many customers are in it."""
    lines = []
    for at, of_queue in enumerate(places):
        coming = rates[0] if at == 0 else "infty"
        for count in range(of_queue + 1):
            ways = []
            if count < of_queue:
                ways.append(f"(step{at}, {coming}).Queue{at}x{count + 1}")
            if count > 0:
                ways.append(f"(step{at + 1}, {rates[at + 1]}).Queue{at}x{count - 1}")
            lines.append(f"Queue{at}x{count} = {' + '.join(ways)};")
    system = "Queue0x0"
    for at in range(1, len(places)):
        system = f"({system}) <step{at}> Queue{at}x0"
    return "\n".join([*lines, system]) + "\n"


def prism(places: list[int], rates: list[str]) -> str:
    """A module with a variable for each queue."""
    last = len(places) - 1
    lines = ["ctmc", "module queues"]
    lines += [f"  q{at} : [0..{of_queue}] init 0;" for at, of_queue in enumerate(places)]
    lines.append(f"  [] q0<{places[0]} -> {rates[0]} : (q0'=q0+1);")
    lines += [
        f"  [] q{at}>0 & q{at + 1}<{places[at + 1]} -> {rates[at + 1]} : (q{at}'=q{at}-1) & (q{at + 1}'=q{at + 1}+1);"
        for at in range(last)
    ]
    lines.append(f"  [] q{last}>0 -> {rates[last + 1]} : (q{last}'=q{last}-1);\nendmodule")
    lines.append(f'rewards "throughput"\n  q{last}>0 : {rates[last + 1]};\nendrewards')
    return "\n".join(lines) + "\n"
