"""``cardtable export``: formats and refusals."""

import pytest

from cardtable.cli import launch
from tests.cli.playing import PEOPLE, write_session


def test_formats_of_a_robot_session(cardtable, tmp_path):
    path = tmp_path / "a.jsonl"
    write_session(path)
    assert cardtable("export", path).out.startswith("# Rikiki, 2026-11-20\n")
    assert cardtable("export", path, "--format", "csv").out == cardtable("show", path, "--csv").out
    assert cardtable("export", path, "--format", "journal").out == path.read_text()


@pytest.mark.parametrize("form", ["markdown", "csv", "journal"])
def test_session_in_progress_needs_open(cardtable, tmp_path, form):
    path = tmp_path / "a.jsonl"
    write_session(path, PEOPLE)
    refused = cardtable("export", path, "--format", form)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.count("\n") == 1
    assert "this game is still going on" in refused.err
    assert cardtable("export", path, "--format", form, "--show-hands").code == 0


def test_journal_sends_no_control_character_to_a_terminal(cardtable, tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    write_session(path, message="\x9b2J\x7f\u202e")
    assert "\x9b" in cardtable("export", path, "--format", "journal").out
    monkeypatch.setattr(launch, "is_terminal", lambda _stream: True)
    output = cardtable("export", path, "--format", "journal").out
    assert "\ufffd2J\ufffd\ufffd" in output
    assert len(output) == len(path.read_text())


def test_unreadable_sessions(cardtable, tmp_path):
    (tmp_path / "b.jsonl").write_bytes(b"\xff")
    for name in ("b.jsonl", "c.jsonl", "nothing"):
        result = cardtable("export", name)
        assert (result.code, result.out) == (1, "")
        assert result.err.startswith("cardtable: ")
        assert result.err.count("\n") == 1
