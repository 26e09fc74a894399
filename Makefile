# The targets are listed by make help. It works from anywhere: make -C FOLDER play, make -f FOLDER/Makefile test.

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
COMMA := ,
BUILD_TOOLS := 'hatchling>=1.27' 'hatch-fancy-pypi-readme>=24' 'editables>=0.5'
# from the folder wheels/ alone, if make wheels has filled it, and else from the package index
OFFLINE := $(if $(wildcard wheels),--no-index --find-links "$(FOLDER)/wheels")
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check $(OFFLINE) --editable
# the same, with a line for each library as it comes
INSTALL_SLOWLY = { $(subst --quiet,,$(INSTALL)) $(1); echo $$? > .venv/exit-code; } | while read -r word name rest; do \
	case $$word in Collecting) echo "  $$name" >&2 ;; esac; done; exit $$(cat .venv/exit-code)
# of the sources without git: the time that their archive gives each file
COMMIT_TIME = $${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || \
	$(BIN)/python -c "import os; print(int(os.stat('pyproject.toml').st_mtime))")}
SPHINX := .venv-docs/bin/python -m sphinx --quiet --fresh-env --fail-on-warning --keep-going -c docs/site -d build/doctrees
# Python reads .pth files in the encoding of the locale: a path with other letters in it would keep it from starting, so
# the paths to this folder are made relative.
RELATE = for file in $(1)/lib/python*/site-packages/*cardtable*.pth; do \
	read -r path < "$$file" || test -n "$$path"; \
	case "$$path" in "$$PWD"*) printf '../../../..%s\n' "$${path\#"$$PWD"}" > "$$file" ;; esac; done

# the program as it is installed with compiled robots, beside the libraries in .venv
COMPILED := build/compiled
RUN_COMPILED := PYTHONPATH="$(FOLDER)/$(COMPILED)" PYTHONSAFEPATH=1
SOURCES := $(shell find cardtable -name '*.py' 2>/dev/null)

# a folder .venv-NAME with cardtable and what else pip installs: NAME, in words, for pip, and what is run afterwards
define ENVIRONMENT
.venv-$(1)/ready: pyproject.toml $(EXAMPLES:%=%/pyproject.toml) | .venv/bin/python
	@echo "Installing cardtable and $(2) into .venv-$(1)" >&2
	@$(BIN)/python -m venv --clear .venv-$(1)
	@.venv-$(1)/bin/python -m pip install --quiet --disable-pip-version-check $(3)
	@$(4)
	@$$(call RELATE,.venv-$(1))
	@touch $$@
endef

# the extras of pyproject.toml that .venv needs to be ready for something
define READY
.venv/ready-to-$(1): pyproject.toml | .venv/bin/python
	@echo "Installing cardtable $(3) into .venv" >&2
	@($$(call INSTALL_SLOWLY,$(2)))
	@$$(call RELATE,.venv)
	@$(BIN)/python -m compileall -q cardtable
	@touch .venv/ready-to-play $$@
endef

.PHONY: play fast plain wheels help test test-main test-compiled test-outside test-proxy no-nginx test-long \
	test-mutation test-lowest test-browser check docs man reports distribution release bench spiel clean

play: .venv/ready-to-play $(wildcard $(COMPILED)/ready)  ## set up what is needed, and open the program
	@$(if $(wildcard $(COMPILED)/ready),$(RUN_COMPILED)) $(BIN)/python -m cardtable $(ARGS)

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*  ## /  make \1|/p' "$(FOLDER)/Makefile" | while IFS='|' read -r target text; do \
		printf '%-22s%s\n' "$$target" "$$text"; done
	@echo 'ARGS="..." is passed on, as in make play ARGS="play rikiki"; PYTHON=... is the Python to use, if not the first'
	@echo 'good one on the path.'

fast: $(COMPILED)/ready  ## compile the robots for this checkout, which make play uses from then on

plain:  ## remove the compiled robots
	rm -rf $(COMPILED)

$(COMPILED)/ready: hatch_build.py pyproject.toml $(SOURCES) | .venv/ready-to-play
	@echo "Compiling the robots into $(COMPILED), which takes a minute or two; make plain removes them" >&2
	@rm -rf $(COMPILED)
	@CARDTABLE_COMPILE=1 $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile $(OFFLINE) \
		--target $(COMPILED) .
	@$(BIN)/python -m compileall -q $(COMPILED)
	@touch $@

test:  ## run all parts of the tests, and list at the end what has failed
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
test-outside: .venv-outside/ready
	.venv-outside/bin/python $(PYTEST) -q -n 3 tests/outside --confcutdir=tests/outside -c tests/outside/pytest.ini \
		$(EXAMPLES:%=%/tests)

# a list that records its changes cannot stand in for a list in compiled code
RECORDED := $(foreach game,rifki ten_down,--deselect tests/games/$(game)/test_expert.py::test_rollouts_obey_rules)

# the comparison with plain robots, and the tests of what is compiled
test-compiled: .venv/ready-to-test $(COMPILED)/ready  ## compare compiled robots with plain ones; DECISIONS=2000
	$(RUN_COMPILED) CARDTABLE_DECISIONS=$(DECISIONS) $(BIN)/python -m pytest -n 2 --import-mode=append $(RECORDED) \
		-o faulthandler_timeout=0 \
		$(or $(ARGS),tests/compiled/same_choices.py tests/engine tests/games tests/robots tests/laws)

test-long: .venv/ready-to-fuzz  ## make long runs for hours, or go on with them; SHARE=0.01 is a part, ARGS=--list lists them
	$(BIN)/python -m tests.lab.reliability --share $(SHARE) $(ARGS)

test-mutation: .venv/ready-to-mutate  ## plant small faults in the program, which tests have to find; ARGS=--help
	$(BIN)/python -m tests.lab.mutation $(ARGS)

test-lowest: .venv-lowest/ready  ## run the tests with the oldest libraries that pyproject.toml allows
	.venv-lowest/bin/python -m pytest -n 3 $(ARGS)

# all that make play needs on a machine without a network, for this system and version of Python
wheels: .venv/bin/python  ## fill the folder wheels/, from which make play then installs without a network
	@$(BIN)/python -m pip download --quiet --disable-pip-version-check --dest wheels '.[club,serve]' $(BUILD_TOOLS)
	@rm -f wheels/cardtable-*

test-browser: .venv/ready-to-browse  ## play in headless Chromium, which must be installed
	$(BIN)/python -m pytest tests/browser/in_chromium.py $(ARGS)

check: .venv/ready-to-test  ## check formatting, types, imports and the package
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	@for system in win32 darwin; do \
		echo "mypy for $$system"; $(BIN)/python -m mypy --platform $$system --cache-dir .mypy_cache/$$system cardtable || exit 1; done
	$(BIN)/python -c 'from importlinter.cli import lint_imports_command as lint; lint()'
	@$(MAKE) --no-print-directory distribution

docs: reports  ## build the documentation as a site, in build/docs; a warning is an error
	$(SPHINX) -b html . build/docs

# the page keeps its date unless it changes
man: reports  ## write the man page anew after a change of a command
	SOURCE_DATE_EPOCH=$(COMMIT_TIME) $(SPHINX) -b man . build/man
	@diff -I '^\.TH' build/man/cardtable.1 packaging/share/man/man1 >/dev/null || cp build/man/cardtable.1 packaging/share/man/man1

reports: .venv-docs/ready  ## write the reports of tests and measurements, in build/reports
	.venv-docs/bin/python -m tests.reports

# a wheel and an archive of the sources, the same bytes for the same commit, in dist/; pyroma gives 10 points once there
# are an address and a maintainer, for which packaging/check_release.py asks
distribution: .venv/ready-to-test
	@rm -rf dist
	SOURCE_DATE_EPOCH=$(COMMIT_TIME) $(BIN)/python -m build --no-isolation --outdir dist . >/dev/null
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python -m check_wheel_contents dist/*.whl
	$(BIN)/python -m pyroma --min=8 --quiet dist/*.tar.gz

release: distribution  ## build a release into dist/, check it, and play with it in an environment of its own
	$(BIN)/python packaging/try_wheel.py dist

test-proxy: .venv/ready-to-test  ## open a club behind nginx, which must be installed
	$(BIN)/python $(PYTEST) -q tests/club/behind_nginx.py

no-nginx:
	@echo "cardtable: nginx is missing, so no club behind a proxy is tested: apt install nginx-light, then make test-proxy" >&2

bench: .venv/ready-to-test  ## measure the start, keys and the engine
	@for script in startup first_frame latency repaint archive engine journals search rummy_legal_actions; do \
		echo "== $$script"; $(BIN)/python benchmarks/$$script.py || exit 1; done

spiel: .venv-spiel/ready  ## play our robots against OpenSpiel's; ARGS=--help
	@.venv-spiel/bin/python benchmarks/oh_hell.py $(ARGS)

$(eval $(call ENVIRONMENT,docs,the tools of its documentation,--editable '.[docs]'))
$(eval $(call ENVIRONMENT,spiel,OpenSpiel,--editable . 'open_spiel>=2'))
$(eval $(call ENVIRONMENT,outside,the example games,--editable . $(EXAMPLES:%=--editable ./%) 'pytest>=9.0.1' 'pytest-xdist>=3.8'))
$(eval $(call ENVIRONMENT,lowest,the oldest libraries that it allows,'uv>=0.9',.venv-lowest/bin/uv pip install --quiet \
	--python .venv-lowest/bin/python --resolution lowest-direct --editable '.[club$(COMMA)cluster$(COMMA)dev$(COMMA)serve]'))
$(eval $(call READY,play,.))
$(eval $(call READY,test,'.[dev]',and its tests))
$(eval $(call READY,browse,'.[dev$$(COMMA)browser-test]',and its tests in a browser))
$(eval $(call READY,mutate,'.[dev$$(COMMA)mutation]',and mutation testing))

# without the fuzzer the other rows still run
.venv/ready-to-fuzz: .venv/ready-to-test
	@$(INSTALL) '.[dev,fuzz]' || echo "cardtable: atheris cannot be installed, so no row of fuzzing is run" >&2
	@$(call RELATE,.venv)
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

endif
