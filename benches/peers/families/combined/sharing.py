"""Peers that share a file: they come, get two pieces from servers that are online, and go, some before they have all. Neither
clients nor servers are mostly anywhere, so that nearly all states are likely.
"""

from __future__ import annotations

from math import comb

from case import Case
from parts import Group, Model


def case(clients: int, servers: int) -> Case:
    """So many clients and servers."""
    client = [
        ("Away", "join", 0.1, "Empty"),
        ("Empty", "first", None, "Half"),
        ("Half", "second", None, "Full"),
        ("Full", "leave", 0.2, "Away"),
        ("Empty", "quit", 0.02, "Away"),
        ("Half", "give_up", 0.02, "Away"),
    ]
    server = [
        ("Idle", "first", 0.5, "Busy"),
        ("Idle", "second", 0.4, "Busy"),
        ("Busy", "rest", 1.0, "Idle"),
        ("Idle", "off", 0.01, "Off"),
        ("Off", "on", 0.1, "Idle"),
    ]
    states = comb(clients + 3, 3) * comb(servers + 2, 2)
    parts = [Group("Client", client, clients), Group("Server", server, servers)]
    return Model(parts, "second", states, name=f"file sharing {clients}, {servers}").case()
