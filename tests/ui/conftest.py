"""Fixtures for tests of the screens: fast style sheets, idle pilots, and statistics without a child process."""

import pytest

from cardtable.ui.toolkit.context import StatisticsWorker
from tests.idle_waiter import idle_waiter
from tests.stylesheet_cache import stylesheet_cache
from tests.ui.records_host import InProcessStatistics

__all__ = ["idle_waiter", "stylesheet_cache"]


@pytest.fixture
def in_process_statistics(monkeypatch):
    """Compute statistics in this process: starting a child process takes longer than many a test."""
    monkeypatch.setattr(StatisticsWorker, "compute_records", InProcessStatistics.compute_records)


@pytest.fixture(autouse=True)
def join_digits(monkeypatch):
    """Let digits that a test types form one number, however long a busy machine takes for each."""
    monkeypatch.setattr("cardtable.ui.score_table.screen.JOIN_SECONDS", 60.0)
