"""The page of results, and the reports of the site."""

from tests import reports


def test_results_are_current():
    assert reports.RESULTS.read_text(encoding="utf-8") == reports.render_results(), "run python -m tests.reports"


def test_every_report_is_written(tmp_path):
    reports.write_reports(tmp_path)
    texts = {path.stem: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert texts.keys() == reports.REPORTS.keys()
    assert [name for name, text in texts.items() if not text.startswith("# ") or "\n| " not in text] == []
