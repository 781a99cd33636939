"""Two queues served in turns: a server empties one queue, goes to the other one, empties that, and so on.

Each queue has so many places, and who finds it full is lost. Both queues are seldom long, so that most states are rare;
and where the server is says which way probability flows: four layers of a lattice of two dimensions, with ways from one to
the next along a side, or anywhere.
"""

from __future__ import annotations

from case import Case

ARRIVALS = (0.3, 0.4)
SERVICE = (1.0, 1.1)
LEAVING, MOVING = 5.0, 2.0


def case(places: int) -> Case:
    """So many places in each queue; the server is at one of them, or on the way to one."""
    return Case(
        name=f"served in turns {places}^2",
        pepa=pepa(places),
        prism=prism(places),
        action="serve0",
        states=4 * (places + 1) ** 2,
    )


def pepa(places: int) -> str:
    """Queues that let the server go when they are empty."""
    lines = []
    for own in range(2):
        for count in range(places + 1):
            ways = [f"(arrive{own}, {ARRIVALS[own]}).Queue{own}x{count + 1}"] if count < places else []
            served = f"(serve{own}, {SERVICE[own]}).Queue{own}x{count - 1}"
            ways.append(served if count > 0 else f"(leave{own}, {LEAVING}).Queue{own}x0")
            lines.append(f"Queue{own}x{count} = {' + '.join(ways)};")
        lines.append(f"At{own} = (serve{own}, infty).At{own} + (leave{own}, infty).To{1 - own};")
        lines.append(f"To{own} = (come{own}, {MOVING}).At{own};")
    lines.append("(Queue0x0 || Queue1x0) <serve0, serve1, leave0, leave1> At0")
    return "\n".join(lines) + "\n"


def prism(places: int) -> str:
    """A module with both queues and the server: at the first, on the way to the second, there, and on the way back."""
    lines = ["ctmc", f"const int K = {places};", "module queues"]
    lines += ["  q0 : [0..K] init 0;", "  q1 : [0..K] init 0;", "  s : [0..3] init 0;"]
    for own, at, after in ((0, 0, 1), (1, 2, 3)):
        lines.append(f"  [] q{own}<K -> {ARRIVALS[own]} : (q{own}'=q{own}+1);")
        lines.append(f"  [] s={at} & q{own}>0 -> {SERVICE[own]} : (q{own}'=q{own}-1);")
        lines.append(f"  [] s={at} & q{own}=0 -> {LEAVING} : (s'={after});")
        lines.append(f"  [] s={after} -> {MOVING} : (s'={(after + 1) % 4});")
    lines.append(f'endmodule\nrewards "throughput"\n  s=0 & q0>0 : {SERVICE[0]};\nendrewards')
    return "\n".join(lines) + "\n"
