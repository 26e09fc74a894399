"""Pilots wait until the app is idle in these tests too; statistics without a child process for tests that want it."""

import pytest

from cardtable.ui.toolkit.context import StatisticsWorker
from tests.idle_waiter import idle_waiter
from tests.ui.records_host import InProcessStatistics

__all__ = ["idle_waiter"]


@pytest.fixture
def in_process_statistics(monkeypatch):
    """Compute statistics in this process: starting a child process takes longer than many a test."""
    monkeypatch.setattr(StatisticsWorker, "compute_records", InProcessStatistics.compute_records)
