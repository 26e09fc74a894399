"""The program's other processes are the program's, whatever lies in the folder in which it was started."""

import os
import subprocess

import pytest

from cardtable.pipes.child import Child
from cardtable.pipes.serving import command
from cardtable.play.thinker import Thinker
from cardtable.ui.processes.reckoner import Reckoner
from tests.ui.test_thinking import requests


@pytest.fixture
def hostile_folder(tmp_path, monkeypatch):
    """A folder with modules of the same names as the program and what it uses."""
    for name in ("cardtable", "random", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('not the one that was meant')")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("hostile_folder")
def test_modules_that_lie_about_are_not_taken_for_its_own():
    told = subprocess.run(command("cardtable.__main__"), input="", capture_output=True, text=True, check=False)
    assert told.stderr.startswith("cardtable: the table needs a terminal")


@pytest.mark.usefixtures("hostile_folder")
async def test_statistics_are_reckoned_in_such_a_folder():
    told, reckoner = [], Reckoner()
    await reckoner.reckon(told.append)
    await reckoner.stop()
    assert told


@pytest.mark.usefixtures("hostile_folder")
async def test_robots_think_in_such_a_folder():
    thinker = Thinker()
    (request,) = requests(1)
    assert await thinker.choose(request) in request.view.legal
    await thinker.stop()


async def test_ctrl_c_is_for_the_program_and_not_for_those_that_are_only_beginning():
    """A terminal sends it to the group of the program."""
    child = Child("cardtable.robots.worker")
    await child.start()
    assert os.getpgid(child._process.pid) == child._process.pid != os.getpgrp()
    await child.stop()
