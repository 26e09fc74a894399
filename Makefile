# make play   set up what is needed (in .venv) and open the program; ARGS="play rikiki" is passed on
# make fast   compile the robots for this checkout: make play uses them from then on; make plain goes back
# make wheels  fill the folder wheels/, from which make play then installs without a network
# make test   set up what is needed, run all parts of the tests, and list at the end what has failed
# make test-long  long runs, one row after the other, which takes hours; it continues where it was stopped.
#                 ARGS="kills stops" picks rows, SHARE=0.01 a part of each, ARGS=--list lists them
# make test-mutation  small faults planted in the program, which tests have to find; ARGS="--count 20", ARGS=--help
# make check  formatting, types and the order of imports
# make test-compiled  the same choices by compiled robots as by plain ones; DECISIONS=2000 for as many of each level
# make test-lowest  run the tests with the oldest versions of all libraries that pyproject.toml allows
# make test-browser   play in headless Chromium, which must be installed
# make docs   build the documentation as a site, in build/docs; open build/docs/index.html
# make man    write the man page anew after a change of a command
# make release  build a release into dist/, check it, and play with it in an environment of its own
# make test-proxy   a club behind nginx, which must be installed; make test does it if nginx is there
# make bench  measure starting time, keys and engine
# make spiel  our robots among OpenSpiel's, which is installed into an environment of its own; ARGS="--help"
# PYTHON=...  the Python to use, if not the first good one on the path

#
# It works from anywhere: make -C FOLDER play, make -f FOLDER/Makefile test.

FOLDER := $(shell cd "$$(dirname "$(strip $(MAKEFILE_LIST))")" && pwd -P)

ifneq ($(FOLDER),$(shell pwd -P))

GOALS := $(or $(MAKECMDGOALS),play)
.PHONY: $(GOALS)
$(GOALS):
	@$(MAKE) --no-print-directory -C "$(FOLDER)" $@

else

PYTHON ?=
ARGS ?=
SHARE ?= 1
DECISIONS ?= 20
BIN := .venv/bin
NGINX := $(shell PATH="$$PATH:/usr/sbin" command -v nginx)
EXAMPLES := $(wildcard examples/*)
BUILD_TOOLS := 'hatchling>=1.27' 'hatch-fancy-pypi-readme>=24' 'editables>=0.5'
# from the folder wheels/ alone, if make wheels has filled it, and else from the package index
OFFLINE := $(if $(wildcard wheels),--no-index --find-links "$(FOLDER)/wheels")
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check $(OFFLINE) --editable
# the same, with a line for each library as it comes
INSTALL_SLOWLY = { $(subst --quiet,,$(INSTALL)) $(1); echo $$? > .venv/exit-code; } | while read -r word name rest; do \
	case $$word in Collecting) echo "  $$name" >&2 ;; esac; done; exit $$(cat .venv/exit-code)
COMMIT_TIME = $${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)}
SPHINX := .venv-docs/bin/sphinx-build --quiet --fresh-env --fail-on-warning --keep-going -c docs/site -d build/doctrees
# Python reads .pth files in the encoding of the locale: a path with other letters in it would keep it from starting, so
# the paths to this folder are made relative.
RELATE = for file in $(1)/lib/python*/site-packages/*cardtable*.pth; do \
	read -r path < "$$file" || test -n "$$path"; \
	case "$$path" in "$$PWD"*) printf '../../../..%s\n' "$${path\#"$$PWD"}" > "$$file" ;; esac; done

# the program as it is installed with compiled robots, beside the libraries in .venv
COMPILED := build/compiled
RUN_COMPILED := PYTHONPATH="$(FOLDER)/$(COMPILED)" PYTHONSAFEPATH=1
SOURCES := $(shell find cardtable -name '*.py' 2>/dev/null)

.PHONY: play fast plain wheels test test-main test-compiled test-outside test-long test-mutation test-lowest test-browser check docs man reports distribution \
	release bench spiel clean

play: .venv/ready-to-play $(wildcard $(COMPILED)/ready)
	@$(if $(wildcard $(COMPILED)/ready),$(RUN_COMPILED)) $(BIN)/cardtable $(ARGS)

fast: $(COMPILED)/ready

plain:
	rm -rf $(COMPILED)

$(COMPILED)/ready: hatch_build.py pyproject.toml $(SOURCES) | .venv/ready-to-play
	@echo "Compiling the robots into $(COMPILED), which takes a minute or two; make plain removes them" >&2
	@rm -rf $(COMPILED)
	@CARDTABLE_COMPILE=1 $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile $(OFFLINE) \
		--target $(COMPILED) .
	@$(BIN)/python -m compileall -q $(COMPILED)
	@touch $@

# all parts are run, and what has failed is listed at the end
test:
	@rm -f $(FAILED); mkdir -p build; \
	for part in $(if $(ARGS),test-main,test-outside $(if $(NGINX),test-proxy,no-nginx) test-main); do \
		$(MAKE) --no-print-directory $$part || echo "make $$part" >> $(FAILED); done; \
	test ! -e $(FAILED) || { echo "cardtable: these have failed:"; cat $(FAILED); exit 1; } >&2

FAILED := build/failed-tests
PYTEST = -m pytest -p tests.failed_tests

# three at a time keep two cores busy: tests in a terminal mostly wait
test-main: .venv/ready-to-test
	$(BIN)/python $(PYTEST) -n 3 $(ARGS)

# the examples as they are installed beside the program; no other test sees a game from outside
test-outside: .venv-outside/ready-to-test
	.venv-outside/bin/python $(PYTEST) -q -n 3 tests/outside --confcutdir=tests/outside -c tests/outside/pytest.ini \
		$(EXAMPLES:%=%/tests)

# a list that records its changes cannot stand in for a list in compiled code
RECORDED := $(foreach game,rifki ten_down,--deselect tests/games/$(game)/test_expert.py::test_rollouts_obey_rules)

# the comparison with plain robots, and the tests of what is compiled
test-compiled: .venv/ready-to-test $(COMPILED)/ready
	$(RUN_COMPILED) CARDTABLE_DECISIONS=$(DECISIONS) $(BIN)/python -m pytest -n 2 --import-mode=append $(RECORDED) \
		-o faulthandler_timeout=0 \
		$(or $(ARGS),tests/compiled/same_choices.py tests/engine tests/games tests/robots tests/laws)

test-long: .venv/ready-to-fuzz
	$(BIN)/python -m tests.lab.reliability --share $(SHARE) $(ARGS)

# without the fuzzer the other rows still run
.venv/ready-to-fuzz: .venv/ready-to-test
	@$(INSTALL) '.[dev,fuzz]' || echo "cardtable: atheris cannot be installed, so no row of fuzzing is run" >&2
	@$(call RELATE,.venv)
	@touch $@

test-mutation: .venv/ready-to-mutate
	$(BIN)/python -m tests.lab.mutation $(ARGS)

.venv/ready-to-mutate: .venv/ready-to-test
	@$(INSTALL) '.[dev,mutation]'
	@$(call RELATE,.venv)
	@touch $@

test-lowest: .venv-lowest/ready
	.venv-lowest/bin/python -m pytest -n 3 $(ARGS)

.venv-lowest/ready: pyproject.toml | .venv/bin/python
	@echo "Installing cardtable and the oldest libraries that it allows into .venv-lowest" >&2
	@$(BIN)/python -m venv --clear .venv-lowest
	@.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check 'uv>=0.9'
	@.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct \
		--editable '.[club,cluster,dev,serve]'
	@$(call RELATE,.venv-lowest)
	@touch $@

# all that make play needs on a machine without a network, for this system and version of Python
wheels: .venv/bin/python
	@$(BIN)/python -m pip download --quiet --disable-pip-version-check --dest wheels '.[club,serve]' $(BUILD_TOOLS)
	@rm -f wheels/cardtable-*

test-browser: .venv/ready-to-test
	@$(INSTALL) '.[dev,browser-test]'
	@$(call RELATE,.venv)
	$(BIN)/python -m pytest tests/browser/in_chromium.py $(ARGS)

check: .venv/ready-to-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@for system in win32 darwin; do \
		echo "mypy for $$system"; $(BIN)/mypy --platform $$system --cache-dir .mypy_cache/$$system cardtable || exit 1; done
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory distribution

# a warning, such as a link without a target or a name of the reference without a docstring, is an error
docs: reports
	$(SPHINX) -b html . build/docs

man: reports
	SOURCE_DATE_EPOCH=$(COMMIT_TIME) $(SPHINX) -b man . packaging/share/man/man1

reports: .venv-docs/ready
	.venv-docs/bin/python -m tests.reports

.venv-docs/ready: pyproject.toml | .venv/bin/python
	@echo "Installing cardtable and the tools of its documentation into .venv-docs" >&2
	@$(BIN)/python -m venv .venv-docs
	@.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@$(call RELATE,.venv-docs)
	@touch $@

# a wheel and an archive of the sources, the same bytes for the same commit, in dist/
distribution: .venv/ready-to-test
	@rm -rf dist
	SOURCE_DATE_EPOCH=$(COMMIT_TIME) $(BIN)/python -m build --no-isolation --outdir dist . >/dev/null
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/pyroma --min=10 --quiet dist/*.tar.gz

release: distribution
	$(BIN)/python packaging/try_wheel.py dist

.PHONY: test-proxy no-nginx

test-proxy: .venv/ready-to-test
	$(BIN)/python $(PYTEST) -q tests/club/behind_nginx.py

no-nginx:
	@echo "cardtable: nginx is missing, so no club behind a proxy is tested: apt install nginx-light, then make test-proxy" >&2

bench: .venv/ready-to-test
	@for script in startup first_frame latency repaint archive engine journals search rummy_legal_actions; do \
		echo "== $$script"; $(BIN)/python benchmarks/$$script.py || exit 1; done

spiel: .venv-spiel/ready
	@.venv-spiel/bin/python benchmarks/oh_hell.py $(ARGS)

.venv-spiel/ready: pyproject.toml | .venv/bin/python
	@echo "Installing cardtable and OpenSpiel into .venv-spiel" >&2
	@$(BIN)/python -m venv .venv-spiel
	@.venv-spiel/bin/python -m pip install --quiet --disable-pip-version-check --editable . 'open_spiel>=2'
	@$(call RELATE,.venv-spiel)
	@touch $@

.venv-outside/ready-to-test: Makefile pyproject.toml $(EXAMPLES:%=%/pyproject.toml) | .venv/bin/python
	@echo "Installing cardtable and the example games into .venv-outside" >&2
	@$(BIN)/python -m venv .venv-outside
	@.venv-outside/bin/python -m pip install --quiet --disable-pip-version-check --editable . $(EXAMPLES:%=--editable ./%) 'pytest>=8.4' \
		'pytest-xdist>=3.8'
	@$(call RELATE,.venv-outside)
	@touch $@

clean:
	rm -rf .venv .venv-docs .venv-lowest .venv-outside .venv-spiel build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.venv/bin/python:
	@for python in $(PYTHON) $(if $(PYTHON),,python3 python3.14 python3.13 python3.12 python3.11 python); do \
		command -v $$python >/dev/null 2>&1 || continue; \
		$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' || continue; \
		$$python -c 'import ensurepip, venv' 2>/dev/null || { \
			echo "cardtable: $$python has no venv; install it (on Debian and Ubuntu: apt install python3-venv)" >&2; exit 1; }; \
		echo "Setting up .venv with $$($$python --version) (once)" >&2; \
		$$python -m venv .venv || { rm -rf .venv; exit 1; }; \
		exit 0; \
	done; \
	echo "cardtable: Python 3.11 or newer is needed; make PYTHON=/path/to/python3 names one" >&2; exit 1

# The program is installed again only when pyproject.toml has changed.
.venv/ready-to-play: pyproject.toml | .venv/bin/python
	@echo "Installing cardtable into .venv" >&2
	@($(call INSTALL_SLOWLY,.))
	@$(call RELATE,.venv)
	@$(BIN)/python -m compileall -q cardtable
	@touch $@

.venv/ready-to-test: pyproject.toml | .venv/bin/python
	@echo "Installing cardtable and its tests into .venv" >&2
	@($(call INSTALL_SLOWLY,'.[dev]'))
	@$(call RELATE,.venv)
	@$(BIN)/python -m compileall -q cardtable
	@touch .venv/ready-to-play $@

endif
