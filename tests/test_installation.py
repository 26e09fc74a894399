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
        ("uv-receipt.toml", "uv tool install 'cardtable[serve]'"),
    ],
)
def test_as_a_tool(prefix, file, command):
    (prefix / file).touch()
    assert format_install_command("serve") == command


@pytest.fixture
def checkout(prefix, monkeypatch):
    """Folder from which the program was installed with ``--editable``."""
    folder = prefix.parent / "check out"
    folder.mkdir()
    origin = '{"dir_info": {"editable": true}, "url": "file:///before/it/was/moved"}'
    monkeypatch.setattr(installation, "distribution", lambda _name: Installed(origin))
    monkeypatch.setattr(installation, "__file__", str(folder / "cardtable/installation.py"))
    monkeypatch.chdir(prefix)
    return folder


def test_from_a_checkout(checkout):
    assert format_install_command("cluster") == f"bin/python -m pip install --editable '{checkout}[cluster]'"


def test_from_a_checkout_with_wheels(checkout):
    (checkout / "wheels").mkdir()
    offline = f"--no-index --find-links '{checkout}/wheels' --editable '{checkout}[club]'"
    assert format_install_command("club") == f"bin/python -m pip install {offline}"


@pytest.mark.parametrize("origin", ['{"url": "file:///w/x.whl", "archive_info": {}}', '{"url": "file:///w/x.whl"}'])
def test_from_a_wheel(prefix, monkeypatch, origin):
    monkeypatch.setattr(installation, "distribution", lambda _name: Installed(origin))
    assert format_install_command("club") == "'my env/bin/python' -m pip install '/w/x.whl[club]'"
    (prefix / "pipx_metadata.json").touch()
    assert format_install_command("club") == "pipx inject cardtable '/w/x.whl[club]'"


def test_not_installed_at_all(prefix, monkeypatch):
    def fail(name):
        Distribution.from_name("no such package")

    monkeypatch.setattr(installation, "distribution", fail)
    assert format_install_command("club").endswith("-m pip install 'cardtable[club]'")
