"""Kits of three pieces that come one by one: a machine that fails joins them, and they are shipped from a small store."""

from __future__ import annotations

from case import Case
from parts import Group, Model, Queue

STORE = 3


def case(places: int) -> Case:
    """So many places for the pieces of each kind."""
    pieces = [Queue(name, places, [(f"bring_{name}", rate)], [("join", None)]) for name, rate in (("A", 1.0), ("B", 1.05), ("C", 0.95))]
    machine = [("Up", "join", 1.3, "Up"), ("Up", "break", 0.02, "Down"), ("Down", "mend", 0.15, "Up")]
    parts = [*pieces, Group("Machine", machine), Queue("Store", STORE, [("join", None)], [("ship", 1.2)])]
    return Model(parts, "ship", (places + 1) ** 3 * 2 * (STORE + 1), name=f"kitting {places}").case()
