"""Evaluates kernels on inputs that it is sent, a JSON line each: ``python -m tests.inside.evaluate``.

Arrays travel as lists of their bytes' hexadecimal digits, so that every NaN and zero arrives as it is.
"""

import json
import sys
from functools import partial

import numpy as np

from kernels import BACKENDS, CATALOGUE
from kernels.backends import adapter
from kernels.preparation import library_function, put_each

_functions = {}


def function_of(kernel, backend, static):
    """A kernel's function on a backend, compiled where it is; and the library's adapter."""
    way = BACKENDS[backend]
    library = adapter(way.library, "cpu")
    key = kernel, backend, *static.items()
    if key not in _functions:
        function, arguments_from = library_function(CATALOGUE[kernel], way)
        assert arguments_from is put_each, "its arguments are not its inputs"
        function = partial(function, **static) if static else function
        _functions[key] = library.compile(function) if way.compiled else function
    return _functions[key], library


def evaluate(kernel, backend, inputs, static):
    """The results on the host."""
    function, library = function_of(kernel, backend, static)
    result = function(*(library.put(array) for array in inputs))
    return [np.array(library.get(part)) for part in (result if isinstance(result, (tuple, list)) else (result,))]


def decode(item):
    return np.frombuffer(bytes.fromhex(item["bytes"]), item["dtype"]).reshape(item["shape"])


def encode(array):
    array = np.ascontiguousarray(array)
    return {"bytes": array.tobytes().hex(), "dtype": str(array.dtype), "shape": array.shape}


if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        try:
            inputs = [decode(one) for one in request["inputs"]]
            results = evaluate(request["kernel"], request["backend"], inputs, request["static"])
            answer = {"results": [encode(one) for one in results]}
        except Exception as error:
            answer = {"problem": f"{type(error).__name__}: {error}"[:500]}
        print("@" + json.dumps(answer), flush=True)
