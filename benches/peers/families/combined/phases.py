"""Two queues in a line whose services have three phases each."""

from __future__ import annotations

from case import Case
from parts import Group, Model, Queue

RATES = (3.0, 2.7)


def case(places: int) -> Case:
    """So many places in each queue."""
    parts: list[Group | Queue] = []
    for own, rate in enumerate(RATES):
        moves = [("One", f"on{own}", rate, "Two"), ("Two", f"on{own}", rate, "Three"), ("Three", f"end{own}", rate, "One")]
        entered = ("end0", None) if own else ("arrive", 0.5)
        parts += [Queue(f"Queue{own}", places, [entered], [(f"end{own}", None)]), Group(f"Server{own}", moves)]
    return Model(parts, "end1", (3 * (places + 1)) ** 2, name=f"service in phases {places}^2").case()
