"""The cases: what is run, by whom, and how many items, so that each takes a fraction of a second."""

from __future__ import annotations

from dataclasses import dataclass

GRAINS = (0.1, 1.0, 10.0)  # microseconds a task


@dataclass(frozen=True)
class Case:
    """A command of a program, and what its CPU time is divided by."""

    kind: str  # hop, farm, idle or loop
    column: str
    peer: str  # the row of the table
    program: str  # rust or tbb
    words: tuple[str, ...]
    items: int
    answer: str  # the cases with the same one must print the same


def hops() -> list[Case]:
    """Every capacity and batch with every peer."""
    return [
        hop(peer, word, capacity, batch)
        for capacity in (1024, 64)
        for batch in (1, 64)
        for peer, word in (
            ("skel: ring", "ring"),
            ("skel: a program that runs", "run"),
            ("skel: the same, times sampled", "run-sampled"),
            ("skel: shared queue", "shared"),
            ("crossbeam-channel", "crossbeam"),
            ("std mpsc", "std"),
            ("tokio mpsc", "tokio"),
            ("rayon par_bridge (no hop, no order)", "rayon"),
            ("oneTBB parallel_pipeline", "tbb"),
        )
    ]


def hop(peer: str, word: str, capacity: int, batch: int) -> Case:
    """A pipe of three."""
    slow = word in ("tokio", "tbb")
    items = (400_000 if slow else 2_000_000) if batch == 1 else (4_000_000 if slow else 16_000_000)
    numbers = (str(capacity), str(batch), str(items))
    words = ("hop", *numbers) if word == "tbb" else ("hop", word, *numbers)
    column = f"{capacity}, {'single' if batch == 1 else f'batches of {batch}'}"
    return Case("hop", column, peer, "tbb" if word == "tbb" else "rust", words, items, f"hop {items}")


def farms(nanoseconds: dict[str, float]) -> list[Case]:
    """Every grain with every peer, given what a round of work takes in each program."""
    return [
        farm(peer, word, grain, round(1000 * grain / nanoseconds["tbb" if word.startswith("tbb") else "rust"]))
        for grain in GRAINS
        for peer, word in (
            ("loop, Rust", "sequential"),
            ("loop, C++", "tbb-sequential"),
            ("skel: rings dealt by hand, batches of 64", "ring-64"),
            ("skel: rings dealt by hand, one by one", "ring"),
            ("skel: a farm that runs, threads", "run"),
            ("skel: a farm that runs, pull engine", "run-pull"),
            ("skel: a farm that runs, as it chooses", "run-automatic"),
            ("rayon par_bridge (no order)", "rayon"),
            ("oneTBB parallel_pipeline", "tbb"),
            ("tokio spawn, buffered(64)", "tokio"),
        )
    ]


def farm(peer: str, word: str, grain: float, rounds: int) -> Case:
    """Two workers; or the loop that they are compared with."""
    items = int(300_000 / grain) if grain < 10 else 40_000
    items = items // 10 if word == "tokio" and grain < 1 else items
    numbers = (str(rounds), str(items))
    words = {"tbb": ("farm", *numbers), "tbb-sequential": ("sequential", *numbers)}.get(word, ("farm", word, *numbers))
    answer = "unordered" if word == "rayon" else f"{rounds} {items}"
    return Case("farm", f"{grain:g} us", peer, "tbb" if word.startswith("tbb") else "rust", words, items, f"farm {grain} {answer}")


def idles() -> list[Case]:
    """Three seconds at a hundred items in a second."""
    names = (
        ("the source's sleeps alone", "sleep"),
        ("skel: ring", "ring"),
        ("skel: a program that runs", "run"),
        ("crossbeam-channel", "crossbeam"),
        ("std mpsc", "std"),
        ("tokio mpsc", "tokio"),
        ("oneTBB parallel_pipeline", "tbb"),
    )
    return [
        Case("idle", "% of a core", peer, "tbb" if word == "tbb" else "rust",
             ("idle", "3000") if word == "tbb" else ("idle", word, "3000"), 300, "idle")
        for peer, word in names
    ]


def loops(nanoseconds: float) -> list[Case]:
    """A loop over indices on two workers with every grain, given what a round of work takes."""
    return [
        Case("loop", f"{grain:g} us", peer, "rust", ("loop", word, "2", str(round(1000 * grain / nanoseconds)), str(items)), items, f"loop {grain}")
        for grain, items in ((0.01, 30_000_000), (0.1, 3_000_000), (1.0, 300_000), (10.0, 30_000))
        for peer, word in (
            ("loop, Rust", "sequential"),
            ("skel: distribute by SS", "SS"),
            ("skel: distribute by GSS", "GSS"),
            ("skel: distribute by FAC2", "FAC2"),
            ("skel: distribute by AWF-C", "AWF-C"),
            ("skel: distribute by VRP-SS(10)", "VRP-SS(10)"),
            ("rayon par_iter", "rayon"),
        )
        # A result for each of so many indices would need gigabytes.
        if not (word == "SS" and grain < 0.1)
    ]


# Loops whose chunks do nothing: a schedule, how many loops, of how many indices. Those of the second group give out few chunks, however many
# indices there are.
CHUNKS = (
    ("SS", 1, 1_000_000),
    ("VRP-SS(100000)", 4, 1_000_000),
    ("GSS", 3_000, 10**18),
    ("FAC2", 3_000, 10**18),
    ("AWF-C", 3_000, 10**18),
)
