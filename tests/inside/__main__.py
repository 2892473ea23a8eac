import json
import sys
from importlib import import_module

for outcome in import_module(f"tests.inside.{sys.argv[1]}").main(*sys.argv[2:]):
    print("@" + json.dumps(outcome), flush=True)
