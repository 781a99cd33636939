"""Checks one property of a PRISM text with Storm, in a process of its own: `check.py MODEL PROPERTY ANSWER`.

Storm's sparse engine builds the chain and checks the property for the initial state alone, by uniformisation, with 1e-9
as its precision. The times are of CPU, without the interpreter's start and the import.
"""

import json
import sys
from pathlib import Path
from time import process_time

from solve import load


def check(stormpy, path: str, text: str) -> dict:
    """The figures of one property."""
    environment = stormpy.developer.EnvironmentBuilder.build_environment()
    started = process_time()
    program = stormpy.parse_prism_program(path, prism_compatibility=True)
    properties = stormpy.parse_properties(text, program)
    model = stormpy.build_model(program, properties)
    built = process_time()
    result = stormpy.model_checking(model, properties[0], environment=environment, only_initial_states=True)
    checked = process_time()
    value = result.get_value(model.initial_states[0])
    return {"build": built - started, "check": checked - built, "states": model.nr_states, "value": value}


if __name__ == "__main__":
    path, text, answer = sys.argv[1:]
    Path(answer).write_text(json.dumps(check(load("--precision 1e-9"), path, text)))
