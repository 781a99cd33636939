"""Measured runs as tables for people, which are Markdown too, and as one JSON object for programs."""

from __future__ import annotations

import datetime
import math
import os
import platform
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

from case import Case
from installation import REPOSITORY, STORM_VERSION, Tools
from measure import Run, call, floor

SECONDS = ("build s", "lump s", "solve s", "total s")
FIGURES = ("chain", "tool", "states", "transitions", *SECONDS, "iterations", "peak MB", "throughput")
SUMMARY = ("chain", "states", "skel: solve s", "total s", "of the best Storm: solve", "total", "memory")
RATIOS = ("chain", "skel / Storm with", "build", "solve", "total", "peak memory", "answers differ by")
LEGEND = """\
CPU seconds, medians. Of skel, `build` and `solve` are told by the clock and `total` is the whole process. Of Storm, `total`
leaves out what Python takes to start and to import it, its peak memory does not, and `lump` is the minimisation by
bisimulation; skel lumps while it builds. Ratios are skel / Storm, so below 1 skel is better; `build` is against
Storm's build and lump."""


@dataclass(frozen=True)
class Measured:
    """A chain, solved by skel and, by the name of the method, by Storm."""

    case: Case
    skel: Run | None  # nothing where it had no answer
    storm: dict[str, Run]
    failed: dict[str, str]  # by `skel` or the method of Storm: why there is no answer

    def runs(self) -> list[Run]:
        """Those with an answer."""
        return [run for run in (self.skel, *self.storm.values()) if run is not None]


def figures(all_measured: list[Measured]) -> str:
    """A line for each tool and chain."""
    rows = []
    for measured in all_measured:
        name = measured.case.name
        if measured.skel is not None:
            rows.append([name, "skel", *columns(measured.skel)])
        rows += [[name, f"Storm, {method}", *columns(run)] for method, run in measured.storm.items()]
    return table(FIGURES, rows)


def columns(run: Run) -> list[str]:
    """The figures of a run, as they are printed."""
    size = [f"{run.states:,}", f"{run.transitions:,}"]
    seconds = [f"{second:.3f}" for second in (run.build, run.minimise, run.solve, run.total)]
    return [*size, *seconds, str(run.iterations), f"{run.megabytes:.0f}", f"{run.throughput:.12g}"]


def ratios(all_measured: list[Measured]) -> str:
    """A line for each chain and method of Storm."""
    rows = [
        [measured.case.name, method, *map(shown, compared(measured.skel, run).values())]
        for measured in all_measured
        if measured.skel is not None
        for method, run in measured.storm.items()
    ]
    return table(RATIOS, rows)


def worst_first(all_measured: list[Measured]) -> str:
    """A line for each chain beside the best of Storm for each figure, those first in which skel is worst."""
    lines = []
    for measured in all_measured:
        best = beside_the_best(measured)
        first = [measured.case.name, f"{measured.case.states:,}"]
        if best is None:
            who = "both have" if not measured.runs() else "skel has" if measured.skel is None else "Storm has"
            figures = [f"{one:.3f}" for run in measured.runs()[:1] for one in (run.solve, run.total)]
            lines.append((0.0 if measured.skel else math.inf, [*first, *figures, *["-"] * (2 - len(figures)), f"{who} no answer", "", ""]))
        else:
            texts = [f"{measured.skel.solve:.3f}", f"{measured.skel.total:.3f}", *map(shown, best)]
            lines.append((max(ratio for ratio in best if ratio is not None), [*first, *texts]))
    return table(SUMMARY, [texts for _, texts in sorted(lines, key=lambda line: -line[0])])


def beside_the_best(measured: Measured) -> tuple[float | None, ...] | None:
    """Solve, total and memory of skel, each as a share of the least that Storm needs with any of its methods."""
    if measured.skel is None or not measured.storm:
        return None
    skel, storm = measured.skel, measured.storm.values()
    return (
        share(skel.solve, min(run.solve for run in storm)),
        share(skel.total, min(run.total for run in storm)),
        share(skel.megabytes, min(run.megabytes for run in storm)),
    )


def share(part: float, of: float) -> float | None:
    """A quotient; none where the clock saw nothing of the second."""
    return part / of if of > 0 else None


def shown(ratio: float | None) -> str:
    """A ratio as it is printed."""
    return "-" if ratio is None else f"{ratio:.2g}"


def without_answer(all_measured: list[Measured]) -> list[str]:
    """What each tool said, or got wrong, where it has no answer."""
    return [f"- {one.case.name}, {who}: {why}" for one in all_measured for who, why in one.failed.items()]


def compared(skel: Run, storm: Run) -> dict[str, float | None]:
    """The ratios skel / Storm, and the relative difference of the answers."""
    return {
        "build": share(skel.build, storm.build + storm.minimise),
        "solve": share(skel.solve, storm.solve),
        "total": share(skel.total, storm.total),
        "memory": share(skel.megabytes, storm.megabytes),
        "difference": abs(skel.throughput / storm.throughput - 1),
    }


def table(headings: tuple[str, ...], rows: list[list[str]]) -> str:
    """Aligned columns in Markdown, the first two to the left and numbers to the right."""
    widths = [max(len(line[column]) for line in [headings, *rows]) for column in range(len(headings))]
    sides = ["<", "<"] + [">"] * (len(headings) - 2)
    rule = ["-" * width if side == "<" else "-" * (width - 1) + ":" for width, side in zip(widths, sides)]
    first, *others = [
        [f"{text:{side}{width}}" for text, width, side in zip(line, widths, sides)] for line in [headings, *rows]
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in [first, rule, *others])


def waited(all_measured: list[Measured]) -> list[str]:
    """The chains in whose runs a process had to wait for a core."""
    return [one.case.name for one in all_measured if any(run.waited for run in one.runs())]


def as_json(all_measured: list[Measured], setting: dict[str, object]) -> dict[str, object]:
    """Everything that is known of the runs."""
    return {**setting, "measured": [one_as_json(measured) for measured in all_measured]}


def one_as_json(measured: Measured) -> dict[str, object]:
    """A chain's part of the object."""
    return {
        "chain": measured.case.name,
        "action": measured.case.action,
        "skel": None if measured.skel is None else asdict(measured.skel),
        "failed": measured.failed,
        "storm": {method: asdict(run) for method, run in measured.storm.items()},
        "skel_by_storm": {
            method: compared(measured.skel, run) for method, run in measured.storm.items() if measured.skel is not None
        },
    }


def setting(tools: Tools, command: str, runs: int, cores: int) -> dict[str, object]:
    """The machine, the date, the versions and the command."""
    return {
        "date": datetime.date.today().isoformat(),
        "machine": f"{processor()}, {os.cpu_count()} cores, {memory()}; {platform.system()}",
        "cores used": cores,
        "skel": said("git", "describe", "--always", "--dirty", "--abbrev=12"),
        "compiler": said("rustc", "--version"),
        "Storm": f"stormpy {STORM_VERSION}, Python {platform.python_version()}",
        "command": command,
        "runs of each": runs,
        "least peak that can be seen": f"{floor():.0f} MB",
        "Storm's peak without a model": f"{call([str(tools.storm_python), '-c', 'import stormpy']).megabytes:.0f} MB",
    }


def processor() -> str:
    """The processor's own name."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def memory() -> str:
    """The machine's memory."""
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"


def said(*command: str) -> str:
    """What a command prints."""
    return subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def document(all_measured: list[Measured], about: dict[str, object]) -> str:
    """The whole report."""
    parts = ["# skel and Storm, side by side", "\n".join(f"- {name}: {value}" for name, value in about.items())]
    parts += [LEGEND, "## The worst first", worst_first(all_measured)]
    if lines := without_answer(all_measured):
        parts += ["No answer, or a wrong one:", "\n".join(lines)]
    parts += ["## All figures", figures(all_measured), ratios(all_measured)]
    if names := waited(all_measured):
        parts.append(
            "The machine was not idle: a process shared its core, so that skel's clock was scaled by the CPU time that it "
            f"got, in {'; '.join(names)}."
        )
    return "\n\n".join(parts) + "\n"
