"""Fits every data set of a file by Extra-P: a line of JSON for each. Runs in the virtual environment of Extra-P.

A line has the terms as pairs of exponents of each parameter and of its logarithm, the value at the far point, and the CPU seconds of the modeler
alone, after the means of the runs were taken.
"""

import json
import sys
import time
import warnings

from extrap.entities.callpath import Callpath
from extrap.entities.coordinate import Coordinate
from extrap.entities.measurement import Measurement
from extrap.entities.metric import Metric
from extrap.entities.parameter import Parameter
from extrap.modelers.multi_parameter.multi_parameter_modeler import MultiParameterModeler
from extrap.modelers.single_parameter.basic import SingleParameterModeler

warnings.filterwarnings("ignore")


def exponents(compound):
    """The exponents of a parameter and of its logarithm."""
    found = {"polynomial": 0.0, "logarithm": 0.0}
    for term in compound.simple_terms:
        found[term.term_type] += float(term.exponent)
    return [found["polynomial"], found["logarithm"]]


def terms(function, parameters):
    """All terms besides the constant."""
    found = []
    for term in function.compound_terms:
        powers = [[0.0, 0.0] for _ in range(parameters)]
        if parameters == 1:
            powers[0] = exponents(term)
        else:
            for parameter, compound in term.parameter_term_pairs:
                powers[parameter.id if isinstance(parameter, Parameter) else parameter] = exponents(compound)
        found.append(powers)
    return found


path, metric = Callpath("program"), Metric("time")
modelers = {1: SingleParameterModeler(), 2: MultiParameterModeler()}
for line in open(sys.argv[1]):
    data = json.loads(line)
    parameters = len(data["far"])
    pairs = zip(data["points"], data["values"])
    measurements = [Measurement(Coordinate(*point), path, metric, values) for point, values in pairs]
    begin = time.thread_time()
    [model] = modelers[parameters].model([measurements])
    cpu = time.thread_time() - begin
    function = model.hypothesis.function
    far = function.evaluate(data["far"][0] if parameters == 1 else data["far"])
    print(json.dumps({"terms": terms(function, parameters), "far": float(far), "cpu": cpu}))
