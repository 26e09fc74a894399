"""Random arguments: a printable answer and an exit code, never a traceback."""

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cardtable.cli import launch
from cardtable.cli import main as cli
from tests.budgets import get_trials
from tests.cli.playing import parse_error, write_session

WORDS = (
    "play", "resume", "list", "show", "trace", "verify", "rules", "rikiki", "bridge", "--seats", "--seed",
    "--option", "--plain", "--json", "--csv", "--show-hands", "--copy", "--", "-", "--help", "--version",
    "me,steady,novice,random", "hook=never", "hook=", "=", "7", "-1", "20261120", "going.jsonl", "bad.jsonl", "./",
    "..", "\x1b[2J", "\x1b]52;c;QQ==\x07", "[@click=app.quit]x[/]", "\u202e", "%s", "{}", "\ud800",
)  # fmt: skip


@pytest.fixture
def home_with_sessions(home, tmp_path, monkeypatch):
    """Write a session and a damaged file, and open no screen."""
    monkeypatch.setattr(launch, "open_screen", lambda session, *_: session and session.close())
    monkeypatch.setattr(launch, "open_plain", lambda session, *_: session and session.close())
    write_session(home / "sessions" / "20261120-083728-rikiki-7f3a.jsonl", decisions=1)
    write_session(tmp_path / "going.jsonl", decisions=1)
    (tmp_path / "bad.jsonl").write_bytes(b'{"cardtable":2}\nnot a line\n')


@settings(
    max_examples=get_trials("arguments"), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=12), max_size=6))
def test_any_arguments(home_with_sessions, arguments):
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = cli.run(arguments)
    assert code in (0, 1, 2)
    if err.getvalue():
        for line in err.getvalue().splitlines(keepends=True):
            parse_error(line)
    assert all(line.isprintable() for line in out.getvalue().splitlines())
    assert bool(err.getvalue()) == (code == 2) or code == 1
