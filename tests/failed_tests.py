"""Plugin of pytest that adds the names of failed tests to the file from which ``make test`` lists them."""

from pathlib import Path

FILE = Path(__file__).parent.parent / "build" / "failed-tests"


def pytest_terminal_summary(terminalreporter):
    failed = [report for kind in ("failed", "error") for report in terminalreporter.stats.get(kind, ())]
    if failed and FILE.parent.exists():
        with FILE.open("a", encoding="utf-8") as file:
            file.writelines(f"{report.nodeid}\n" for report in failed)
