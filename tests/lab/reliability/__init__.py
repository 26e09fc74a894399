"""Long runs, one row after the other, and the page of their outcomes: ``python -m tests.lab.reliability``."""
