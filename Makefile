# Two commands do everything on a fresh machine: `make run` and `make test`.
# Each target makes .venv when it needs one; a second run reuses it.

.DEFAULT_GOAL := help
.PHONY: help run test cover check lint soak mutate mutants audit bench docs format clean

VENV  ?= .venv
BIN   := $(VENV)/bin
CORES ?= $(shell getconf _NPROCESSORS_ONLN)

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

run: $(VENV)/.ready-run ## set up, then ask an invented hospital questions in SQL
	@$(BIN)/privet demo

test: lint ## set up, then run every check and every test
	@echo "privet: every test, doctest and page (pytest)"
	@$(BIN)/pytest -q -n $(CORES) --dist loadgroup
	@echo "privet: all tests passed"

cover: $(VENV)/.ready-dev ## every test again, and which lines none of them ran
	@$(BIN)/pytest -q -n $(CORES) --dist loadgroup --cov --cov-report=term

check: lint ## the fast loop: format, lint, types, tests of single parts
	@echo "privet: unit tests and doctests (pytest)"
	@$(BIN)/pytest -q -n $(CORES) --dist loadgroup -m "not soak and not whole"

lint: $(VENV)/.ready-dev
	@echo "privet: format and lint (ruff)"
	@$(BIN)/ruff format --check --quiet . || { echo "privet: run 'make format' to fix the layout"; exit 1; }
	@$(BIN)/ruff check --quiet .
	@echo "privet: types (mypy --strict)"
	@$(BIN)/mypy

soak: $(VENV)/.ready-dev ## the long statistical, crash and fuzz runs, on fresh entropy from the OS
	@PRIVET_TEST_ENTROPY=os HYPOTHESIS_PROFILE=soak $(BIN)/pytest -n $(CORES) --dist loadgroup -m "soak or not soak" --durations=10

mutate: $(VENV)/.ready-dev ## plant the faults that privacy hangs on into a copy, one at a time: tests must notice all
	@$(BIN)/python tools/mutate --jobs $(CORES)

mutants: $(VENV)/.ready-dev ## change the source by chance in a hundred places, one at a time, and print what no test notices
	@$(BIN)/python tools/mutate --mutants 100 --jobs $(CORES)

audit: $(VENV)/.ready-dev ## attack everything that makes a promise, about MINUTES=20 of one core, or PART=models; writes a page
	@$(BIN)/python tools/audit $(PART) --minutes $(or $(MINUTES),20)

bench: $(VENV)/.ready-dev ## measure Privet beside its peers, in one run
	@$(BIN)/python benchmarks/noise.py
	@$(BIN)/python benchmarks/loss.py
	@$(BIN)/python benchmarks/mechanisms.py
	@$(BIN)/python benchmarks/ledger.py
	@$(BIN)/python benchmarks/query_planning.py
	@$(BIN)/python benchmarks/query.py
	@$(BIN)/python benchmarks/query.py --shapes
	@$(BIN)/python benchmarks/start.py
	@$(BIN)/python benchmarks/accuracy.py
	@$(BIN)/python benchmarks/local.py
	@$(BIN)/python benchmarks/learn.py
	@$(BIN)/python benchmarks/networks.py

docs: $(VENV)/.ready-dev ## build the site into build/site/html: reference, gallery and matrix from the source; no dead link
	@$(BIN)/python tools/site

format: $(VENV)/.ready-dev ## lay out the code and fix what can be fixed without thinking
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format --quiet .

clean: ## remove what the other targets made
	rm -rf $(VENV) .peers .coverage* .hypothesis .mypy_cache .pytest_cache .ruff_cache

$(VENV)/.ready-%: pyproject.toml tools/setup
	@tools/setup $(VENV) $*
