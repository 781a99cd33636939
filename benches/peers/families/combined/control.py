"""A control system: messages wait for a processor, and sensors, actuators and input processors fail, as the processor does, for
a moment or until they are repaired. Nearly all is likely to work, and the queue is nearly full.
"""

from __future__ import annotations

from case import Case
from parts import Group, Model, Queue


def case(places: int) -> Case:
    """So many places for messages."""
    sensors = [("Up", "sensor_fails", 0.0003, "Down"), ("Down", "sensor_repaired", 0.02, "Up")]
    actuators = [("Up", "actuator_fails", 0.0005, "Down"), ("Down", "actuator_repaired", 0.03, "Up")]
    inputs = [
        ("Up", "input_stops", 0.01, "Stopped"),
        ("Stopped", "input_starts", 2.0, "Up"),
        ("Up", "input_fails", 0.0001, "Down"),
        ("Down", "input_repaired", 0.02, "Up"),
    ]
    processor = [
        ("Up", "take", 4.0, "Up"),
        ("Up", "stop", 0.001, "Stopped"),
        ("Stopped", "start", 2.0, "Up"),
        ("Up", "fail", 0.0001, "Down"),
        ("Down", "repair", 0.02, "Up"),
    ]
    parts = [
        Group("Sensor", sensors, 3),
        Group("Actuator", actuators, 2),
        Group("Input", inputs, 2),
        Queue("Queue", places, [("arrive", 3.0)], [("take", None)]),
        Group("Processor", processor),
    ]
    return Model(parts, "take", 4 * 3 * 6 * (places + 1) * 3, name=f"control system {places}").case()
