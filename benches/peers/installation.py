"""Both tools, ready to run: skel built by cargo, Storm in a virtual environment of its own under `target/peers`.

Needed are Python with `venv` and `pip`, a Rust toolchain and the registries of both; what is missing is said in words.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

STORM_VERSION = "2.0.0"
REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "target" / "peers"


class Missing(Exception):
    """Something that is not on this machine, and what to do about it."""


@dataclass(frozen=True)
class Tools:
    """The programs to call."""

    skel: Path
    storm_python: Path


def install() -> Tools:
    """Builds and installs what is not there yet."""
    if not sys.platform.startswith("linux"):
        raise Missing("CPU time, memory and cores are asked in the way of Linux: run this on Linux")
    FOLDER.mkdir(parents=True, exist_ok=True)
    return Tools(build_skel(), install_storm())


def build_skel() -> Path:
    """The command, built for release."""
    if shutil.which("cargo") is None:
        raise Missing("there is no `cargo`: install a Rust toolchain")
    command = "cargo build --release --locked --message-format json-render-diagnostics --package skel-cli".split()
    finished = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    if finished.returncode != 0:
        raise Missing(f"`{' '.join(command)}` failed, see above")
    messages = map(json.loads, finished.stdout.splitlines())
    [executable] = [message["executable"] for message in messages if message.get("executable")]
    return Path(executable)


def install_storm() -> Path:
    """The interpreter that can import stormpy."""
    environment = FOLDER / f"stormpy-{STORM_VERSION}"
    python = environment / "bin" / "python"
    if not has_storm(python):
        print(f"installing stormpy {STORM_VERSION} into {environment}", file=sys.stderr)
        shutil.rmtree(environment, ignore_errors=True)
        attempt([sys.executable, "-m", "venv", str(environment)], "needs Python's `venv` and `ensurepip`")
        pip = [str(python), "-m", "pip", "install", "--quiet", "--only-binary", ":all:", f"stormpy=={STORM_VERSION}"]
        attempt(pip, "needs the registry PyPI, and a wheel of stormpy for this Python and processor")
    if not has_storm(python):
        raise Missing(f"stormpy is installed in {environment}, but `import stormpy` fails")
    return python


def has_storm(python: Path) -> bool:
    """Whether the environment is complete."""
    command = [python, "-c", "import stormpy"]
    return python.exists() and subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0


def attempt(command: list[str], needs: str) -> None:
    """Runs a step of the installation."""
    if subprocess.run(command).returncode != 0:
        raise Missing(f"`{' '.join(command)}` failed: it {needs}")
