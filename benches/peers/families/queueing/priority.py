"""Queues with priorities: one server, who serves a customer of a class only as long as nobody of a class before is there.

Each class has so many places, and who finds them taken is lost. A customer of the last class waits until all others are
served: a lattice in which only the first class that is there gets smaller.
"""

from __future__ import annotations

from case import Case

ARRIVALS = (0.2, 0.25, 0.3, 0.2)
SERVICE = (1.0, 1.1, 0.9, 1.0)


def case(places: int, classes: int) -> Case:
    """So many classes with so many places each."""
    return Case(
        name=f"priorities {places}^{classes}",
        pepa=pepa(places, classes),
        prism=prism(places, classes),
        action="serve0",
        states=(places + 1) ** classes,
    )


def pepa(places: int, classes: int) -> str:
    """A component for each class; while it is empty, it lets the classes behind it be served."""
    lines = []
    for own in range(classes):
        for count in range(places + 1):
            ways = [f"(arrive{own}, {ARRIVALS[own]}).Class{own}x{count + 1}"] if count < places else []
            ways += [f"(serve{own}, {SERVICE[own]}).Class{own}x{count - 1}"] if count > 0 else []
            behind = range(own + 1, classes) if count == 0 else ()
            ways += [f"(serve{other}, infty).Class{own}x0" for other in behind]
            lines.append(f"Class{own}x{count} = {' + '.join(ways)};")
    system = "Class0x0"
    for own in range(1, classes):
        shared = ", ".join(f"serve{other}" for other in range(own, classes))
        system = f"({system}) <{shared}> Class{own}x0"
    return "\n".join([*lines, system]) + "\n"


def prism(places: int, classes: int) -> str:
    """A module with a variable for each class."""
    lines = ["ctmc", f"const int K = {places};", "module server"]
    lines += [f"  q{own} : [0..K] init 0;" for own in range(classes)]
    for own in range(classes):
        first = " & ".join([f"q{other}=0" for other in range(own)] + [f"q{own}>0"])
        lines.append(f"  [] q{own}<K -> {ARRIVALS[own]} : (q{own}'=q{own}+1);")
        lines.append(f"  [] {first} -> {SERVICE[own]} : (q{own}'=q{own}-1);")
    lines.append(f'endmodule\nrewards "throughput"\n  q0>0 : {SERVICE[0]};\nendrewards')
    return "\n".join(lines) + "\n"
