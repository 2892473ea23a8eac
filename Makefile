# `make bench` measures and publishes, `make test` tests. Both set up what they need, and do it once.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: bench test site preview audit gpu wheel wheels vulnerabilities clean

bench: $(VENV)/ready
	$(BIN)/arrayspeed bench

test: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python -m pytest

audit: $(VENV)/ready
	$(BIN)/arrayspeed audit

# In GPU_PYTHON as it is, with what `make wheels` fetched for its version where there was a network.
GPU_PYTHON ?= python3
MINUTES ?= 8
gpu:
	@tools/gpu $(GPU_PYTHON) $(MINUTES)

WHEELS_FOR ?= 3.12
wheels: $(VENV)/ready
	@tools/wheels $(WHEELS_FOR)

# One file that installs the commands together with the kernels: uv tool install dist/arrayspeed-*.whl
wheel: $(VENV)/ready
	$(BIN)/uv build --quiet --wheel --out-dir dist .
	@ls dist/arrayspeed-*.whl

vulnerabilities: $(VENV)/ready
	.ci/vulnerabilities

site: $(VENV)/ready
	$(BIN)/arrayspeed site

preview: $(VENV)/ready
	$(BIN)/asv preview

# Everything that the commands need; the libraries that are compared are in environments of their own.
$(VENV)/ready: pyproject.toml Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "arrayspeed needs Python 3.11 or newer: make PYTHON=/path/to/python"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip setuptools
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch $@

clean:
	rm -rf $(VENV) .asv html
