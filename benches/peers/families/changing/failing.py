"""A queue whose three servers fail seldom and are repaired slowly, between others that change as slowly, and a second queue behind it."""

from __future__ import annotations

from case import Case
from parts import Group, Model, Queue

BEHIND = 30


def case(places: int, failure: float, repair: float) -> Case:
    """So many places, and the rates at which a server fails and is repaired."""
    server = [("Up", "serve", 1.0, "Up"), ("Up", "fail", failure, "Down"), ("Down", "repair", repair, "Up")]
    parts = [
        Queue("Queue", places, [("arrive", 0.8)], [("serve", None)]),
        Group("Server", server, 3),
        Group("Season", [("Low", "rise", failure, "High"), ("High", "fall", repair, "Low")], 4),
        Queue("Behind", BEHIND, [("serve", None)], [("leave", 1.1)]),
    ]
    states = (places + 1) * 4 * 5 * (BEHIND + 1)
    return Model(parts, "leave", states, name=f"servers that fail {places}, {failure:g}").case()
