"""A sensor that sends its data from a battery over a channel that fades; day and night change by themselves."""

from __future__ import annotations

from case import Case
from parts import Group, Model, Queue


def case(places: int) -> Case:
    """So many places for charges and for data."""
    channel = [("Good", "send", 3.0, "Good"), ("Good", "fade", 0.1, "Bad"), ("Bad", "send", 0.4, "Bad"), ("Bad", "clear", 0.2, "Good")]
    parts = [
        Queue("Battery", places, [("harvest", 2.0)], [("send", None), ("leak", 0.05)], taken=places // 2),
        Queue("Data", places, [("sense", 1.6)], [("send", None)]),
        Group("Channel", channel),
        Group("Sun", [("Day", "dusk", 0.01, "Night"), ("Night", "dawn", 0.01, "Day")]),
    ]
    return Model(parts, "send", 4 * (places + 1) ** 2, name=f"battery {places}").case()
