"""Two machines in a line that fail, with a queue before each, and arrivals that come in rushes."""

from __future__ import annotations

from case import Case
from parts import Group, Model, Queue


def case(places: int) -> Case:
    """So many places in each queue."""
    source = [
        ("Calm", "arrive", 1.0, "Calm"),
        ("Calm", "wake", 0.05, "Rush"),
        ("Rush", "arrive", 3.0, "Rush"),
        ("Rush", "sleep", 0.1, "Calm"),
    ]
    first = [("Up", "one", 2.2, "Up"), ("Up", "break1", 0.01, "Down"), ("Down", "mend1", 0.2, "Up")]
    second = [("Up", "two", 2.0, "Up"), ("Up", "break2", 0.02, "Down"), ("Down", "mend2", 0.3, "Up")]
    parts = [
        Group("Source", source),
        Queue("Before", places, [("arrive", None)], [("one", None)]),
        Group("First", first),
        Queue("Between", places, [("one", None)], [("two", None)]),
        Group("Second", second),
    ]
    return Model(parts, "two", 8 * (places + 1) ** 2, name=f"machines and rushes {places}").case()
