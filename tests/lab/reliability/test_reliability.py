"""Rows of the long run, their outcomes, and how a run is stopped and continued."""

import ast
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cardtable.store import atomic_io
from tests.budgets import BUDGETS
from tests.lab.reliability import __main__ as command_line
from tests.lab.reliability import outcomes, runner
from tests.lab.reliability.outcomes import PAGE, ROOT, Outcome, format_page, has_passed, load_outcomes, store_outcome
from tests.lab.reliability.rows import ROWS, Command, Row, find_rows

TODAY = datetime(2026, 11, 27, tzinfo=UTC)


def create_row(code: str, size: int = 100) -> Row:
    """Return a row whose command is a program in Python, with the size as its argument."""
    return Row("tried", "It works.", command=Command(("-c", code, "{size}"), size, "tries"))


def create_outcome(**changes) -> Outcome:
    values = {
        "row": "kills",
        "share": 0.1,
        "size": "100 kills",
        "failures": 0,
        "seconds": 60.0,
        "ended": TODAY,
        "commit": "abc",
    }
    return Outcome(**{**values, **changes})


class TestRows:
    @pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
    def test_names_existing_tests(self, row):
        assert bool(row.tests) != bool(row.command)
        for test in row.tests:
            file, _, name = test.partition("::")
            defined = ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
            names = {node.name for node in defined if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
            assert not name or name in names
        if row.command:
            first, module = row.command.arguments[:2]
            path = Path(first) if first != "-m" else Path(module.replace(".", "/"))
            assert (ROOT / path).exists() or (ROOT / path).with_suffix(".py").exists()

    def test_names_are_unique(self):
        assert len({row.name for row in ROWS}) == len(ROWS)

    @pytest.mark.parametrize("name", BUDGETS)
    def test_tests_of_each_budget_belong_to_one_row(self, name):
        tests = [test for row in ROWS if row.uses(BUDGETS[name]) for test in row.tests]
        assert tests
        assert not [test for test in tests if sum(each.startswith(test) for each in tests) > 1]

    def test_rows_are_picked_by_name(self):
        assert [row.name for row in find_rows(["stops", "kills"])] == ["stops", "kills"]
        with pytest.raises(ValueError, match="no row is named 'kill'"):
            find_rows(["kill"])

    def test_size_is_that_of_the_share(self):
        (kills,) = find_rows(["kills"])
        assert kills.describe_size(1) == "1,000 kills at any moment"
        assert kills.describe_size(0.1) == "100 kills at any moment"
        assert kills.describe_size(0.001) == "8 kills at any moment", "that of make test at least"
        assert create_row("").describe_size(0.001) == "1 tries"


class TestRun:
    def test_command_that_ends_well(self, tmp_path):
        outcome = runner.run_row(create_row("import sys; print(sys.argv[1], 'done')"), 0.5, "abc", folder=tmp_path)
        assert (outcome.failures, outcome.size, outcome.result) == (0, "50 tries", "50 done")
        assert (tmp_path / "tried.log").read_text() == "50 done\n"

    def test_result_names_files_as_seen_from_the_checkout(self, tmp_path):
        command = f"print('written to {ROOT}/build/fuzz/settings-crash')"
        outcome = runner.run_row(create_row(command), 1, "abc", folder=tmp_path)
        assert outcome.result == "written to build/fuzz/settings-crash"

    def test_command_that_fails(self, tmp_path):
        assert runner.run_row(create_row("raise SystemExit('wrong')"), 1, "abc", folder=tmp_path).failures == 1

    def test_tests_that_fail_are_counted(self, tmp_path):
        (tmp_path / "test_it.py").write_text(
            "def test_one(): assert 0\ndef test_two(): pass\ndef test_three(): assert 0\n"
        )
        row = Row("tried", "It works.", (str(tmp_path / "test_it.py"),))
        outcome = runner.run_row(row, 1, "abc", workers=1, folder=tmp_path)
        assert (outcome.failures, outcome.size) == (2, "every case: 3 tests")

    def test_other_runs_remove_no_file_of_the_tests(self, tmp_path):
        tests, output = tmp_path / "test_folder.py", tmp_path / "output"
        tests.write_text(f"def test_it(tmp_path): open({str(output)!r}, 'w').write(str(tmp_path))\n")
        assert not runner.run_row(Row("tried", "It works.", tests=(str(tests),)), 1, "abc", 1, tmp_path).failures
        folder = Path(output.read_text())
        assert tmp_path.parent.parent not in folder.parents
        assert not folder.exists()

    def test_command_that_cannot_be_run_has_no_outcome(self, tmp_path):
        with pytest.raises(runner.RowUnavailable, match="it is missing"):
            runner.run_row(create_row("print('it is missing'); raise SystemExit(3)"), 1, "abc", folder=tmp_path)

    def test_row_ended_by_a_signal_has_no_outcome(self, tmp_path):
        with pytest.raises(runner.RowInterrupted):
            runner.run_row(create_row("import os; os.kill(os.getpid(), 9)"), 1, "abc", folder=tmp_path)

    @pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 128 + signal.SIGTERM)])
    def test_stop_ends_all_processes(self, tmp_path, number, code):
        """The row ignores the first signal, and its child locks a file for as long as it lives."""
        locked, log = tmp_path / "locked", tmp_path / "tried.log"
        child = f"import fcntl, time; file = open({str(locked)!r}, 'w'); fcntl.flock(file, fcntl.LOCK_EX)"
        child += "; print('begun', flush=True); time.sleep(600)"
        row = "import signal, subprocess, sys; signal.signal(signal.SIGINT, signal.SIG_IGN)"
        row += f"; subprocess.run([sys.executable, '-c', {child!r}])"
        process = self.start(row, tmp_path)
        self.wait_for(process, log)
        process.send_signal(number)
        assert process.wait(30) == code
        descriptor = os.open(locked, os.O_RDWR)
        assert atomic_io.lock(descriptor), "the child has ended"
        atomic_io.unlock_and_close(descriptor)

    @staticmethod
    def start(row, folder, before="pass", patience=0.2):
        """Run a row of this program as ``python -m tests.lab.reliability`` does; ``before`` is done first.

        ``patience`` is the number of seconds between the signals that end the row.
        """
        starter = (
            "import functools, pathlib, signal, sys\nfrom tests.lab.reliability import __main__, runner\n"
            "from tests.lab.reliability.test_reliability import create_row\n"
            f"{before}\nrunner.PATIENCE, folder = {patience}, pathlib.Path({str(folder)!r})\n"
            "__main__.run_row = functools.partial(runner.run_row, folder=folder)\n"
            f"__main__.find_rows = lambda names: [create_row({row!r})]\n"
            "sys.argv[1:] = ['--again']\nsys.exit(__main__.main())"
        )
        return subprocess.Popen(
            [sys.executable, "-c", starter], cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True
        )

    @staticmethod
    def wait_for(process, log):
        """Wait until a row has written something."""
        while not (log.exists() and log.read_text()):
            assert process.poll() is None
            time.sleep(0.01)

    def test_row_cleans_up_after_a_stop_in_the_background(self, tmp_path):
        """A shell lets what it starts in the background ignore Ctrl+C; a row is stopped by it all the same."""
        log, cleaned = tmp_path / "tried.log", tmp_path / "cleaned"
        row = "import pathlib, time\ntry: print('begun', flush=True); time.sleep(600)\n"
        row += f"finally: pathlib.Path({str(cleaned)!r}).touch()"
        process = self.start(row, tmp_path, "signal.signal(signal.SIGINT, signal.SIG_IGN)", patience=20)
        self.wait_for(process, log)
        process.terminate()
        process.wait(30)
        assert cleaned.exists()


class TestContinuing:
    def test_passed_row_is_skipped_for_its_commit(self):
        (row,) = find_rows(["kills"])
        passed = [create_outcome()]
        assert has_passed(row, 0.1, "abc", passed)
        assert has_passed(row, 0.05, "abc", passed)
        assert not has_passed(row, 0.2, "abc", passed), "less was run"
        assert not has_passed(row, 0.1, "abd", passed)
        assert not has_passed(row, 0.1, "abc", [create_outcome(failures=1)])
        assert not has_passed(row, 0.1, "abc+", [create_outcome(commit="abc+")]), "changes have no name"
        assert not has_passed(row, 0.1, "unknown", [create_outcome(commit="unknown")])

    def test_next_start_continues_with_rows_that_have_not_passed(self, tmp_path, monkeypatch, capsys):
        file, page = tmp_path / "outcomes.jsonl", tmp_path / "page.md"
        ran = []

        def run(row, share, commit, _workers):
            ran.append(row.name)
            if len(ran) == 2:
                raise KeyboardInterrupt
            return create_outcome(row=row.name, share=share, commit=commit, failures=int(row.name == "undo"))

        monkeypatch.setattr(command_line, "find_commit", lambda: "abc")
        monkeypatch.setattr(command_line, "run_row", run)
        monkeypatch.setattr(command_line, "load_outcomes", lambda: load_outcomes(file))
        monkeypatch.setattr(command_line, "store_outcome", lambda outcome: store_outcome(outcome, file))
        monkeypatch.setattr(command_line, "write_page", lambda results: outcomes.write_page(results, page))
        rows = find_rows(["kills", "stops", "undo"])
        assert command_line.run_rows(rows, 1, 2, again=False) == 130
        assert command_line.run_rows(rows, 1, 2, again=False) == 1
        assert ran == ["kills", "stops", "stops", "undo"]
        assert "kills: has passed for abc" in capsys.readouterr().out
        assert "3 of" in page.read_text()


class TestPage:
    def test_is_current(self):
        """`python -m tests.lab.reliability --page` writes it again."""
        assert PAGE.read_text(encoding="utf-8") == format_page(load_outcomes())

    def test_names_the_size_that_was_run(self):
        page = format_page([create_outcome(failures=2)])
        (row,) = [line for line in page.splitlines() if line.startswith("| `kills` |")]
        cells = [cell.strip() for cell in row.split("|")[3:-1]]
        assert cells == [
            "100 kills",
            "1,000 kills at any moment",
            "2",
            "60 s",
            "`make test-long ARGS=kills SHARE=0.1`",
            "2026-11-27",
            "abc",
        ]
        assert page.count("not run yet") == len(ROWS) - 1

    def test_lists_earlier_outcomes_with_their_commits(self):
        page = format_page([create_outcome(), create_outcome(commit="def", result="5 | 6")])
        assert "| `kills` | 5 / 6 |" in page
        _, _, earlier = page.partition("## Earlier runs")
        assert "| `kills` | 100 kills | 0 | 60 s | 2026-11-27 | abc |" in earlier

    def test_lists_outcomes_of_former_rows(self):
        page = format_page([create_outcome(row="bursts")])
        assert "| `bursts` | 100 kills | 0 | 60 s | 2026-11-27 | abc |" in page.partition("## Earlier runs")[2]
