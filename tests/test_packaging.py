"""The systemd unit, the container file, and what the club's page says about them."""

import json
import re
import shlex
import tomllib
from pathlib import Path
from runpy import run_path

import click
import pytest

from cardtable.cli.main import commands

ROOT = Path(__file__).parent.parent
UNIT = (ROOT / "packaging/cardtable.service").read_text(encoding="utf-8")
CONTAINERFILE = (ROOT / "packaging/Containerfile").read_text(encoding="utf-8")
PAGE = (ROOT / "docs/club.md").read_text(encoding="utf-8")


def parse_host_command(words):
    """Return the options of a command line of ``cardtable host``."""
    assert [Path(words[0]).name, words[1]] == ["cardtable", "host"]
    _, command, rest = commands.resolve_command(click.Context(commands), words[1:])
    return command.make_context("host", list(rest)).params


@pytest.fixture
def container_options():
    return parse_host_command(json.loads(re.search(r"^ENTRYPOINT (.*)$", CONTAINERFILE, re.MULTILINE)[1]))


def test_unit_starts_a_host():
    assert parse_host_command(shlex.split(re.search(r"^ExecStart=(.*)$", UNIT, re.MULTILINE)[1]))["metrics"]


def test_page_replaces_the_command_of_the_unit():
    (command,) = re.findall(r"^    ExecStart=\n    ExecStart=(.*)$", PAGE, re.MULTILINE)
    assert parse_host_command(shlex.split(command))["public_url"]


def test_container_exposes_its_ports_and_checks_its_health(container_options):
    exposed = re.search(r"^EXPOSE (.*)$", CONTAINERFILE, re.MULTILINE)[1].split()
    assert [*map(int, exposed)] == [container_options["port"], container_options["ssh"]]
    assert f"http://127.0.0.1:{container_options['metrics']}/healthz" in CONTAINERFILE


def test_image_is_built_from_files_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    hatch = project["tool"]["hatch"]
    wheel = hatch["build"]["targets"]["wheel"]
    readme = [part["path"] for part in hatch["metadata"]["hooks"]["fancy-pypi-readme"]["fragments"]]
    needed = {"pyproject.toml", *readme, *project["project"]["license-files"]}
    needed |= {*wheel["packages"], *wheel["shared-data"]}
    needed |= {"hatch_build.py"} if "custom" in wheel["hooks"] else set()
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    patterns = [line for line in lines if not line.startswith("#")]
    assert patterns[0] == "*"
    assert {pattern[1:] for pattern in patterns if pattern[0] == "!"} == needed
    assert all((ROOT / name).exists() for name in needed)


def test_page_agrees_with_the_files():
    """The page quotes settings of the unit and the commands at the top of the container file."""
    section = PAGE[PAGE.index("## As a service") : PAGE.index("### Log, health")]
    quoted = re.findall(r"`([A-Z][A-Za-z]+=\S+?)`", section)
    assert len(quoted) == 3
    assert [setting for setting in quoted if setting not in UNIT.splitlines()] == []
    commented = re.findall(r"^#     (podman .*)$", CONTAINERFILE, re.MULTILINE)
    assert re.findall(r"^    (podman .*)$", section, re.MULTILINE) == commented


def test_list_for_a_release_names_what_the_check_asks_for():
    listed = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## A release")[2]
    required = run_path(str(ROOT / "packaging/check_release.py"))["REQUIRED"]
    assert [what for what in required if what not in " ".join(listed.split())] == []
