"""The command that adds optional libraries, by the way in which the program was installed."""

import sys
from importlib.metadata import Distribution

import pytest

from cardtable import installation
from cardtable.installation import format_install_command


class Installed:
    """Distribution with a given origin."""

    def __init__(self, origin):
        self.origin = origin

    def read_text(self, _name):
        return self.origin


@pytest.fixture
def prefix(tmp_path, monkeypatch):
    """Environment into which pip has installed the program from an index."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "my env"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "my env" / "bin" / "python"))
    monkeypatch.setattr(installation, "distribution", lambda _name: Installed(None))
    (tmp_path / "my env").mkdir()
    return tmp_path / "my env"


def test_quotes_of_windows(prefix, monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    assert format_install_command("club") == '"my env/bin/python" -m pip install cardtable[club]'


def test_from_an_index(prefix):
    assert format_install_command("club") == "'my env/bin/python' -m pip install 'cardtable[club]'"


@pytest.mark.parametrize(
    ("file", "command"),
    [
        ("pipx_metadata.json", "pipx inject cardtable 'cardtable[serve]'"),
        ("uv-receipt.toml", "uv tool install --with 'cardtable[serve]' cardtable"),
    ],
)
def test_as_a_tool(prefix, file, command):
    (prefix / file).touch()
    assert format_install_command("serve") == command


def test_from_a_checkout(prefix, monkeypatch):
    origin = '{"dir_info": {"editable": true}, "url": "file:///somewhere"}'
    monkeypatch.setattr(installation, "distribution", lambda _name: Installed(origin))
    monkeypatch.chdir(prefix)
    monkeypatch.setattr(installation, "__file__", str(prefix.parent / "check out" / "cardtable" / "installation.py"))
    folder = prefix.parent / "check out"
    assert format_install_command("cluster") == f"bin/python -m pip install --editable '{folder}[cluster]'"


def test_not_installed_at_all(prefix, monkeypatch):
    def fail(name):
        Distribution.from_name("no such package")

    monkeypatch.setattr(installation, "distribution", fail)
    assert format_install_command("club").endswith("-m pip install 'cardtable[club]'")
