# `make bench` measures and publishes, `make test` tests. Both set up what they need, and do it once.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: bench check docs lock matrix test test-ci test-all site preview audit gpu wheel wheels dist release vulnerabilities clean

bench: $(VENV)/ready
	$(BIN)/arrayspeed bench

# Four targets, each with what the ones before it do: docs/testing.md. Tests run side by side, but for those that compare times.
# Python keeps what it compiles: tests start hundreds of processes, each of which would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE
PYTEST := $(BIN)/python -m pytest -q
BESIDE := --numprocesses 2 --dist loadscope --no-loadscope-reorder
check: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(PYTEST) --numprocesses 2 --dist worksteal --level check

test: check
	$(PYTEST) $(BESIDE) --level test
	$(PYTEST) --level test --alone

test-ci: test
	$(PYTEST) $(BESIDE) --level ci
	$(PYTEST) --level ci --alone

test-all: check
	$(PYTEST) $(BESIDE) --level test --level ci --level all
	$(PYTEST) --level test --level ci --level all --alone

audit: $(VENV)/ready
	$(BIN)/arrayspeed audit

# In GPU_PYTHON as it is, with what `make wheels` fetched for its version where there was a network.
GPU_PYTHON ?= python3
MINUTES ?= 8
ROUNDS ?= 2
gpu:
	@tools/gpu $(GPU_PYTHON) $(MINUTES) $(ROUNDS)

WHEELS_FOR ?= 3.12
wheels: $(VENV)/ready
	@tools/wheels $(WHEELS_FOR)

# One file that installs the commands together with the kernels: uv tool install dist/arrayspeed-*.whl
wheel: $(VENV)/ready
	$(BIN)/uv build --quiet --wheel --out-dir dist .
	@ls dist/arrayspeed-*.whl

# What is published: a wheel and the source that it is made from, checked as an index checks them.
dist: $(VENV)/ready
	rm -rf dist
	$(BIN)/uv build --quiet --out-dir dist .
	$(BIN)/uvx --quiet twine==7.0.0 check --strict dist/*

# A commit and a tag, here: CONTRIBUTING.md says what a maintainer does with them.
release: $(VENV)/ready
	@$(BIN)/python tools/release $(VERSION)

vulnerabilities: $(VENV)/ready
	.ci/vulnerabilities

site: $(VENV)/ready
	$(BIN)/arrayspeed site

# The releases of today in asv.conf.json: docs/measure.md.
matrix: $(VENV)/ready
	$(BIN)/arrayspeed matrix --update

# The documentation, in site/, with the report and asv's pages where `make site` or `make bench` has published them.
docs: $(VENV)/ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	$(BIN)/python tools/assemble site

preview: docs
	@echo "http://127.0.0.1:8000"
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory site 8000

# Everything that the commands need; the libraries that are compared are in environments of their own. uv installs; it
# is fetched where there is none. pip is there for `make wheels`, which downloads for other machines.
UV := PATH="$(CURDIR)/$(BIN):$$PATH" uv
$(VENV)/ready: pyproject.toml requirements.lock Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "arrayspeed needs Python 3.11 or newer: make PYTHON=/path/to/python"; exit 2; }
	$(UV) --version >/dev/null 2>&1 || { $(PYTHON) -m venv $(VENV) && $(BIN)/python -m pip install --quiet "uv>=0.9"; }
	[ -x $(BIN)/python ] || $(UV) venv --quiet --clear --seed --python $(PYTHON) $(VENV)
	$(UV) pip install --quiet --python $(BIN)/python --constraints requirements.lock --editable . --group test --group docs
	touch $@

# The exact packages that developers and CI have; users get what pyproject.toml allows.
lock: $(VENV)/ready
	$(UV) pip compile --quiet --universal --python-version 3.11 --no-annotate --no-emit-index-url --no-header --upgrade pyproject.toml --group test --group docs --output-file requirements.lock

clean:
	rm -rf $(VENV) .asv html site
