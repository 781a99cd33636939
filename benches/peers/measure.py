"""A run of a tool in a process of its own, and the figures of several.

The kernel counts a process's CPU seconds, of user and system together, and its peak resident memory. It also counts
the memory of the caller at the moment of the call, so that nothing below `floor()` can be seen.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import time
from dataclasses import dataclass, replace
from statistics import median


MOST_SECONDS = 600  # of CPU; a tool that needs more has no answer


class Failed(Exception):
    """A tool that did not answer."""


@dataclass(frozen=True)
class Process:
    """What a finished process used and wrote."""

    output: str
    cpu: float
    elapsed: float
    megabytes: float

    @property
    def waited(self) -> bool:
        """Whether much more time went by than was used; the start of a process is allowed for."""
        return self.elapsed > 1.1 * self.cpu + 0.02

    def used(self, seconds: float) -> float:
        """The CPU seconds in an interval by the clock: fewer where other programs had their turns on the core."""
        return seconds * self.cpu / self.elapsed if self.waited else seconds


@dataclass(frozen=True)
class Run:
    """A chain solved by a tool; times in seconds."""

    states: int  # of the chain that is solved
    transitions: int
    build: float
    minimise: float
    solve: float
    total: float
    iterations: int
    megabytes: float
    throughput: float
    waited: bool  # whether the process had to share its core


def call(command: list[str]) -> Process:
    """Runs a command to its end."""
    started = time.monotonic()
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=limit_seconds
    )
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise Failed(reason(child.returncode, output))
    cpu = usage.ru_utime + usage.ru_stime
    return Process(output, cpu, time.monotonic() - started, usage.ru_maxrss / 1024)


def limit_seconds() -> None:
    """Lets the kernel end a process that takes too long."""
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))


def reason(code: int, output: str) -> str:
    """Why a process ended without an answer, in one line."""
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"stopped after {MOST_SECONDS} s of CPU, or for its memory"
    try:
        return json.loads(output)["errors"][0]["message"]
    except (ValueError, LookupError, TypeError):
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        return f"ended with {code}: {lines[-1][:200] if lines else 'without a word'}"


def floor() -> float:
    """The least memory that can be seen, in megabytes."""
    return call(["true"]).megabytes


def medians(runs: list[Run]) -> Run:
    """The median of each figure; the answer is that of the last run."""
    names = ("build", "minimise", "solve", "total", "megabytes")
    middle = {name: median(getattr(run, name) for run in runs) for name in names}
    return replace(runs[-1], waited=any(run.waited for run in runs), **middle)
