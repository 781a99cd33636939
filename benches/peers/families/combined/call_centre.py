"""A call centre: two queues of callers, some of whom give up, and two groups of agents. Those of the first take breaks, those of
the second help out where they are not needed. Nearly all states are likely, and sweeps are slow in any order.
"""

from __future__ import annotations

from math import comb

from case import Case
from parts import Group, Model, Queue


def case(places: int, agents: int) -> Case:
    """So many places in each queue, and so many agents in each group."""
    first = [
        ("Free", "take1", None, "Busy"),
        ("Busy", "done1", 1.0, "Free"),
        ("Free", "pause", 0.1, "Off"),
        ("Off", "back", 0.5, "Free"),
    ]
    second = [
        ("Free", "take2", None, "Busy"),
        ("Busy", "done2", 0.8, "Free"),
        ("Free", "help", None, "Helps"),
        ("Helps", "helped", 0.7, "Free"),
    ]
    parts = [
        Queue("First", places, [("call1", 0.9 * agents)], [("take1", 20.0), ("help", 1.0), ("leave1", 0.3)]),
        Queue("Second", places, [("call2", 0.6 * agents)], [("take2", 20.0), ("leave2", 0.2)]),
        Group("Agent", first, agents),
        Group("Helper", second, agents),
    ]
    states = ((places + 1) * comb(agents + 2, 2)) ** 2
    return Model(parts, "take1", states, name=f"call centre {places}, {agents}").case()
