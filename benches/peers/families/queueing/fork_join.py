"""A fork and a join: what arrives is split into parts, each part is served in a queue of its own, and all parts go on together.

Each part waits for its server and then, in a second queue, for the other parts; each queue has so many places. Something
arrives only if there is room for all of its parts. As many parts of one kind as of another are there at all times, so
the states are a lattice of one dimension more than there are parts, of which the corners are missing.
"""

from __future__ import annotations

from case import Case

ARRIVALS, JOINS = 1.0, 2.0
SERVICE = (1.5, 1.3, 1.2)


def case(places: int, parts: int) -> Case:
    """So many parts, with so many places in each queue."""
    with_so_many = (min(total, places) - max(0, total - places) + 1 for total in range(2 * places + 1))
    return Case(
        name=f"fork and join {places}^{parts}",
        pepa=pepa(places, parts),
        prism=prism(places, parts),
        action="join",
        states=sum(ways**parts for ways in with_so_many),
    )


def pepa(places: int, parts: int) -> str:
    """Two queues for each part; who brings customers to a queue is active, or who takes them away."""
    lines = [f"Source = (arrive, {ARRIVALS}).Source;", f"Joiner = (join, {JOINS}).Joiner;"]
    before, behind = "Source", "Joiner"
    for part in range(parts):
        lines += queue(f"Before{part}", places, ("arrive", "infty"), (f"serve{part}", str(SERVICE[part])))
        lines += queue(f"Behind{part}", places, (f"serve{part}", "infty"), ("join", "infty"))
        before = f"({before} <arrive> Before{part}x0)"
        behind = f"({behind} <join> Behind{part}x0)"
    served = ", ".join(f"serve{part}" for part in range(parts))
    return "\n".join([*lines, f"{before} <{served}> {behind}"]) + "\n"


def queue(name: str, places: int, enter: tuple[str, str], leave: tuple[str, str]) -> list[str]:
    """A derivative for each number of customers."""
    lines = []
    for count in range(places + 1):
        ways = [f"({enter[0]}, {enter[1]}).{name}x{count + 1}"] if count < places else []
        ways += [f"({leave[0]}, {leave[1]}).{name}x{count - 1}"] if count > 0 else []
        lines.append(f"{name}x{count} = {' + '.join(ways)};")
    return lines


def prism(places: int, parts: int) -> str:
    """A module with two variables for each part."""
    numbers = range(parts)
    lines = ["ctmc", f"const int K = {places};", "module fork"]
    lines += [f"  a{part} : [0..K] init 0;\n  b{part} : [0..K] init 0;" for part in numbers]
    room, forked = (" & ".join(form.format(part) for part in numbers) for form in ("a{0}<K", "(a{0}'=a{0}+1)"))
    there, joined = (" & ".join(form.format(part) for part in numbers) for form in ("b{0}>0", "(b{0}'=b{0}-1)"))
    lines.append(f"  [] {room} -> {ARRIVALS} : {forked};")
    lines += [
        f"  [] a{part}>0 & b{part}<K -> {SERVICE[part]} : (a{part}'=a{part}-1) & (b{part}'=b{part}+1);"
        for part in numbers
    ]
    lines.append(f"  [] {there} -> {JOINS} : {joined};")
    lines.append(f'endmodule\nrewards "throughput"\n  {there} : {JOINS};\nendrewards')
    return "\n".join(lines) + "\n"
