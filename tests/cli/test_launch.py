"""What a command is given by its surroundings: input that is no text, and an impossible time zone."""

import io
import sys
import time
from datetime import datetime

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


@pytest.fixture
def set_zone(monkeypatch):
    """Return a function that sets the time zone; the one of the machine is restored at the end."""

    def set_variable(zone):
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield set_variable
    monkeypatch.undo()
    time.tzset()


@pytest.mark.skipif(sys.platform == "win32", reason="TZ sets no zone there")
@pytest.mark.parametrize("zone", ["UTC-99", "UTC+24", "ABC0DEF-30,M3.2.0,M11.1.0"])
def test_impossible_time_zone_is_utc(set_zone, zone):
    set_zone(zone)
    assert launch.run_command(lambda: print(datetime.now().astimezone().tzname())) == 0
    assert time.tzname[0] == "UTC"
