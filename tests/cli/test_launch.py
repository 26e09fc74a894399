"""Input of a command that is no text."""

import io
import sys

import pytest

from cardtable.cli import launch
from cardtable.plain import console


def test_undecodable_input_is_read(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"y\xe9s\n"), "utf-8"))
    assert launch.run_command(lambda: print(ascii(input()))) == 0
    assert capsys.readouterr().out == "'y\\ufffds'\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_input_without_byte_order_mark_ends(monkeypatch, encoding):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"quit\n"), encoding))
    with pytest.raises(console.QuitRequested):
        console.read_line()
