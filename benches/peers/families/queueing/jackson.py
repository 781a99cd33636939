"""An open network of queues with feedback (J. R. Jackson 1963), but each queue has so many places and no more.

Customers come from outside, are served one at a time, and then go on to another queue or leave, with given shares. Who
comes from outside to a full queue is lost. A move into a full queue doesn't happen: the server goes on, and only its
other ways are open. So there is no product form. A lattice with a dimension for each queue, and moves in many
directions.
"""

from __future__ import annotations

from dataclasses import dataclass

from case import Case


@dataclass(frozen=True)
class Queue:
    """The rates of a queue, and the shares of its customers that go on to each queue; the others leave."""

    arrivals: float
    service: float
    shares: tuple[float, ...]


THREE = (Queue(0.5, 1, (0, 0.5, 0.3)), Queue(0.2, 1.1, (0.2, 0, 0.5)), Queue(0, 1.2, (0.3, 0.2, 0)))
FOUR = (
    Queue(0.5, 1, (0, 0.5, 0.3, 0)),
    Queue(0.2, 1.1, (0.2, 0, 0.3, 0.3)),
    Queue(0, 1.2, (0.3, 0.2, 0, 0.2)),
    Queue(0.1, 1, (0, 0.4, 0.3, 0)),
)


def case(places: int, queues: tuple[Queue, ...]) -> Case:
    """Queues of so many places each."""
    number = len(queues)
    side = places + 1
    ends = sum(queue.arrivals > 0 for queue in queues) + len(leaving(queues))
    return Case(
        name=f"open network {places}^{number}",
        pepa=pepa(places, queues),
        prism=prism(places, queues),
        action="leave0",
        states=side**number,
        transitions=ends * places * side ** (number - 1) + len(moving(queues)) * places**2 * side ** (number - 2),
    )


def leaving(queues: tuple[Queue, ...]) -> dict[int, str]:
    """By the queue: the rate at which customers leave the network from it, if any do."""
    rates = {at: f"{queue.service * (1 - sum(queue.shares)):.12g}" for at, queue in enumerate(queues)}
    return {at: rate for at, rate in rates.items() if float(rate) > 1e-9}  # shares of 1 may add up to a little less


def moving(queues: tuple[Queue, ...]) -> dict[tuple[int, int], str]:
    """By the queue before and the queue after: the rate of a move, if there is one."""
    return {
        (at, to): f"{queue.service * share:.12g}"
        for at, queue in enumerate(queues)
        for to, share in enumerate(queue.shares)
        if share > 0
    }


def pepa(places: int, queues: tuple[Queue, ...]) -> str:
    """A component for each queue, whose derivative says how many customers are in it; who takes one in is passive."""
    leaves, moves = leaving(queues), moving(queues)
    lines = []
    for at, queue in enumerate(queues):
        into = [(f"arrive{at}", queue.arrivals)] if queue.arrivals > 0 else []
        into += [(f"move{before}to{after}", "infty") for before, after in moves if after == at]
        out = [(f"leave{at}", leaves[at])] if at in leaves else []
        out += [(f"move{before}to{after}", rate) for (before, after), rate in moves.items() if before == at]
        for count in range(places + 1):
            ways = [f"({action}, {rate}).Queue{at}x{count + 1}" for action, rate in into if count < places]
            ways += [f"({action}, {rate}).Queue{at}x{count - 1}" for action, rate in out if count > 0]
            lines.append(f"Queue{at}x{count} = {' + '.join(ways)};")
    system = "Queue0x0"
    for at in range(1, len(queues)):
        shared = ", ".join(f"move{before}to{after}" for before, after in moves if max(before, after) == at)
        system = f"({system}) <{shared}> Queue{at}x0"
    return "\n".join([*lines, system]) + "\n"


def prism(places: int, queues: tuple[Queue, ...]) -> str:
    """A module with a variable for each queue."""
    leaves = leaving(queues)
    lines = ["ctmc", f"const int K = {places};", "module network"]
    lines += [f"  q{at} : [0..K] init 0;" for at in range(len(queues))]
    lines += [
        f"  [] q{at}<K -> {queue.arrivals} : (q{at}'=q{at}+1);"
        for at, queue in enumerate(queues)
        if queue.arrivals > 0
    ]
    lines += [f"  [] q{at}>0 -> {rate} : (q{at}'=q{at}-1);" for at, rate in leaves.items()]
    lines += [
        f"  [] q{at}>0 & q{to}<K -> {rate} : (q{at}'=q{at}-1) & (q{to}'=q{to}+1);"
        for (at, to), rate in moving(queues).items()
    ]
    lines.append(f'endmodule\nrewards "throughput"\n  q0>0 : {leaves[0]};\nendrewards')
    return "\n".join(lines) + "\n"
