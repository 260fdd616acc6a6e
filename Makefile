# Two commands on a fresh machine with Python 3.11+: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test lint types pytest test-paper docs test-browser test-openrefine test-cluster campaign lock check-dependencies clean

demo: $(VENV)/demo.stamp
	@$(BIN)/eigenthemes demo

test: lint types pytest

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: $(VENV)/test.stamp
	$(BIN)/mypy

pytest: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n 2 --dist worksteal

# The evidence of the paper (paper/), which needs torch and scikit-learn
test-paper: $(VENV)/paper.stamp
	$(BIN)/python -m pytest -n 2 --dist worksteal paper/tests

# The documentation site, into site/: open site/index.html, or serve it with `python3 -m http.server -d site`
docs: $(VENV)/docs.stamp
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "built: site/index.html"

# What `make test` skips where it is missing, and these install: Debian's packages, by root or sudo
install = command -v $(1) > /dev/null || { root=$$([ "$$(id -u)" = 0 ] || echo sudo -n); echo "installing $(1) ..."; \
	$$root apt-get update -qq && $$root apt-get install -y -qq --no-install-recommends $(1) > /dev/null; } || \
	{ echo "$(1) is missing and cannot be installed here; install it, then run make $@ again"; exit 1; }

# The page in a real browser, driven by playwright
test-browser: $(VENV)/browser.stamp
	@$(call install,chromium)
	EIGENTHEMES_BROWSER=required $(BIN)/python -m pytest -n0 tests/browser

# OpenRefine itself against the service: some minutes
test-openrefine: $(VENV)/test.stamp
	@$(call install,openrefine)
	$(BIN)/python -m pytest -n0 -m openrefine -s tests/openrefine

# A Ray cluster of two nodes, which are killed while it links 20,000 documents: some minutes
test-cluster: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n0 -m cluster tests/cluster

# Trials that try to break the program, until the time is up; ONLY: kinds of trials, or how they begin (tests/campaign/)
MINUTES ?= 10
SEED ?= 0
campaign: $(VENV)/test.stamp
	$(BIN)/python -m tests.campaign --minutes $(MINUTES) --seed $(SEED) --only $(ONLY)

# Resolve all dependencies anew and write the lock file, from which everything here is installed
lock: $(VENV)/test.stamp
	$(BIN)/python .ci/dependencies.py lock

# What is installed fits together, has the versions of the lock file, and is under permissive licences
check-dependencies: $(VENV)/paper.stamp $(VENV)/browser.stamp
	$(BIN)/python -m pip check
	$(BIN)/python .ci/dependencies.py check

$(VENV)/demo.stamp: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "eigenthemes needs Python 3.11 or newer, this is %s; use: make PYTHON=python3.11" % sys.version.split()[0])'
	@echo "making $(VENV) and installing (about a minute) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[demo,serve]'
	@$(BIN)/python -m compileall -q eigenthemes  # at once: where Python may not write bytecode, every start would compile it again
	@touch $@

$(VENV)/test.stamp: $(VENV)/demo.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	@touch $@

$(VENV)/paper.stamp: $(VENV)/test.stamp paper/pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e . -e ./paper
	@touch $@

$(VENV)/docs.stamp: $(VENV)/demo.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	@touch $@

$(VENV)/browser.stamp: $(VENV)/test.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,browser]'
	@touch $@

clean:
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
