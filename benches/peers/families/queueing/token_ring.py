"""A token ring: queues of so many places in a ring, and a token that goes round and serves a customer of each.

At a queue with customers the token serves one at the rate 2 and goes on to the next queue; at an empty one it goes on
at the rate 10. Customers come to queue i at the rate `0.1 + 0.02 i`, and who finds it full is lost. The token is
at one of n queues, and all fill as they may: `n (K + 1)^n` states. In each of them the token does one thing, and each
queue that is not full may get a customer.
"""

from __future__ import annotations

from case import Case

SERVE, SKIP = 2, 10


def case(queues: int, places: int) -> Case:
    """So many queues, two or more, of so many places."""
    side = places + 1
    states = queues * side**queues
    return Case(
        name=f"token ring {places}^{queues}",
        pepa=pepa(queues, places),
        prism=prism(queues, places),
        action="serve0",
        states=states,
        transitions=states + queues * states // side * places,
    )


def arrivals(queue: int) -> str:
    """The rate at which customers come to a queue."""
    return f"{0.1 + 0.02 * queue:.12g}"


def pepa(queues: int, places: int) -> str:
    """A component for each queue, with a derivative for each number of customers, and one for the token."""
    lines = []
    for i in range(queues):
        following = (i + 1) % queues
        lines.append(f"Token{i} = (serve{i}, {SERVE}).Token{following} + (skip{i}, {SKIP}).Token{following};")
        for count in range(places + 1):
            ways = [f"(arrive{i}, {arrivals(i)}).Queue{i}x{count + 1}"] if count < places else []
            ways.append(f"(serve{i}, infty).Queue{i}x{count - 1}" if count > 0 else f"(skip{i}, infty).Queue{i}x0")
            lines.append(f"Queue{i}x{count} = {' + '.join(ways)};")
    shared = ", ".join(f"serve{i}, skip{i}" for i in range(queues))
    lines.append(f"Token0 <{shared}> ({' || '.join(f'Queue{i}x0' for i in range(queues))})")
    return "\n".join(lines) + "\n"


def prism(queues: int, places: int) -> str:
    """One module: `t` is where the token is, `qi` how many customers are in queue i."""
    lines = ["ctmc", f"const int K = {places};", f"module ring\n  t : [0..{queues - 1}] init 0;"]
    lines += [f"  q{i} : [0..K] init 0;" for i in range(queues)]
    for i in range(queues):
        following = (i + 1) % queues
        lines.append(f"  [] q{i}<K -> {arrivals(i)} : (q{i}'=q{i}+1);")
        lines.append(f"  [] t={i} & q{i}>0 -> {SERVE} : (t'={following}) & (q{i}'=q{i}-1);")
        lines.append(f"  [] t={i} & q{i}=0 -> {SKIP} : (t'={following});")
    lines.append(f'endmodule\nrewards "throughput"\n  t=0 & q0>0 : {SERVE};\nendrewards')
    return "\n".join(lines) + "\n"
