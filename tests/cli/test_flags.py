"""Terminal flags before or after a command."""

import pytest

from cardtable.cli import launch


@pytest.fixture
def opened_flags(monkeypatch):
    """Return the list of flags with which the program was opened."""
    flags = []

    def open_program(session, terminal_flags, _page):
        flags.append(terminal_flags)
        if session is not None:
            session.close()

    monkeypatch.setattr(launch, "require_terminal", lambda: None)
    monkeypatch.setattr(launch, "open_screen", open_program)
    return flags


@pytest.mark.parametrize(
    ("arguments", "flags"),
    [
        ("--ascii", {"ascii": True}),
        ("--mono", {"mono": True}),
        ("--no-mouse", {"mouse": False}),
        ("--mono play rikiki", {"mono": True}),
        ("play rikiki --mono", {"mono": True}),
        ("--ascii play rikiki --no-mouse --mono --seed 3", {"ascii": True, "mono": True, "mouse": False}),
        ("--ascii play rikiki --ascii", {"ascii": True}),
        ("play rikiki", {}),
    ],
)
def test_flags_before_or_after_a_command(cardtable, opened_flags, arguments, flags):
    assert cardtable(*arguments.split()).code == 0
    assert opened_flags == [flags]
