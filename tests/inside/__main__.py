import json
import sys
from importlib import import_module

if sys.argv[2:3] == ["cupy"]:
    import_module("tests.inside.stand_in").numpy_for_cupy()

for outcome in import_module(f"tests.inside.{sys.argv[1]}").main(*sys.argv[2:]):
    print("@" + json.dumps(outcome), flush=True)
