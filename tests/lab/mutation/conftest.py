"""Tests that need the tools of mutation testing are collected where these are installed: by make test-mutation."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("cosmic_ray") and find_spec("coverage") else ["test_mutants.py"]
