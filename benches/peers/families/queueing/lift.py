"""A lift that goes round between floors, takes people in at each as long as it stays, and moves on whether some are left or not."""

from __future__ import annotations

from case import Case
from parts import Group, Model, Queue


def case(floors: int, places: int) -> Case:
    """So many floors, and places for people who wait at each."""
    lift = []
    for floor in range(floors):
        lift += [(f"At{floor}", f"enter{floor}", 2.0, f"At{floor}"), (f"At{floor}", f"move{floor}", 1.0, f"At{(floor + 1) % floors}")]
    queues = [Queue(f"Floor{floor}", places, [(f"come{floor}", 0.3)], [(f"enter{floor}", None)]) for floor in range(floors)]
    return Model([Group("Lift", lift), *queues], "enter0", floors * (places + 1) ** floors, name=f"lift {floors}, {places}").case()
