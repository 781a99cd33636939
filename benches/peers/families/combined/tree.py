"""A tree of queues: customers of the first come to one of two others, and wait where that is full."""

from __future__ import annotations

from case import Case
from parts import Model, Queue


def case(places: int) -> Case:
    """So many places in each queue."""
    parts = [
        Queue("Root", places, [("arrive", 0.8)], [("left", 0.6), ("right", 0.55)]),
        Queue("Left", places, [("left", None)], [("leave_left", 0.7)]),
        Queue("Right", places, [("right", None)], [("leave_right", 0.65)]),
    ]
    return Model(parts, "leave_right", (places + 1) ** 3, name=f"tree of queues {places}^3").case()
