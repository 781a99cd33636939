"""Solves one PRISM text with Storm, in a process of its own: `solve.py MODEL METHOD MINIMISE ANSWER`.

Storm's sparse engine builds the chain; the long-run average of the reward is found from the equations of gain and bias
by a Krylov method of gmm++ with ILU(0), stopped at 1e-10. With MINIMISE the chain is first reduced to its coarsest
strong bisimulation that keeps the reward. The times are of CPU, without the interpreter's start and the import.

Storm takes its settings once, from the string that the package hands over when it is imported. The package hands over
an empty one and has no other way in, so the import is done here, with another string.
"""

import importlib.util
import json
import sys
from pathlib import Path
from time import process_time

SETTINGS = "--eqsolver gmm++ --gmm++:method {method} --gmm++:precond ilu --precision 1e-10"


def load(settings: str):
    """Imports stormpy with these settings."""
    specification = importlib.util.find_spec("stormpy")
    source = Path(specification.origin).read_text()
    empty, wanted = '_set_up("")', f"_set_up({settings!r})"
    if source.count(empty) != 1:
        raise ImportError("stormpy hands its settings over in another way than version 2.0.0 does")
    module = importlib.util.module_from_spec(specification)
    sys.modules["stormpy"] = module
    exec(compile(source.replace(empty, wanted), specification.origin, "exec"), module.__dict__)
    return module


def solve(stormpy, path: str, minimise: bool) -> dict:
    """The figures of one chain."""
    developer = stormpy.developer
    developer.set_log_level(developer.LogLevel.INFO)  # tells the number of iterations
    environment = developer.EnvironmentBuilder.build_environment()
    started = process_time()
    program = stormpy.parse_prism_program(path, prism_compatibility=True)
    properties = stormpy.parse_properties('R{"throughput"}=? [LRA]', program)
    model = stormpy.build_model(program, properties)
    built, states = process_time(), model.nr_states
    if minimise:
        model = stormpy.transformations.perform_bisimulation(model, properties)
    minimised = process_time()
    result = stormpy.model_checking(model, properties[0], environment=environment, only_initial_states=True)
    solved = process_time()
    return {
        "states": states,
        "solved_states": model.nr_states,
        "transitions": model.nr_transitions,
        "build": built - started,
        "minimise": minimised - built,
        "solve": solved - minimised,
        "throughput": result.get_value(model.initial_states[0]),
    }


if __name__ == "__main__":
    path, method, minimise, answer = sys.argv[1:]
    figures = solve(load(SETTINGS.format(method=method)), path, minimise == "yes")
    Path(answer).write_text(json.dumps(figures))
