"""Child processes of the program: modules they import, environment, failures to start."""

import asyncio
import errno
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.hosted_clients import HostedClients, PtyProcess
from cardtable.club.terminal_size import TerminalSize
from cardtable.club.web_terminal import TextualProcess
from cardtable.session.robot_client import RobotClient
from cardtable.workers.client import WorkerProcess
from cardtable.workers.server import PATH_VARIABLE, build_command, build_environment
from cardtable.workers.tasks import use_reusing_executor
from tests.club.loopback_club import always_run, poll_until
from tests.serving import list_children
from tests.ui.test_robot_client import requests


@pytest.fixture
def hostile_folder(tmp_path, monkeypatch):
    """Work in a folder with modules named like the program and its imports."""
    for name in ("cardtable", "random", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('not the one that was meant')")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("hostile_folder")
def test_modules_in_working_directory_are_ignored():
    result = subprocess.run(build_command("cardtable.__main__"), input="", capture_output=True, text=True, check=False)
    assert result.stderr.startswith("cardtable: the table needs a terminal")


def test_packages_added_by_wrapper_are_found(tmp_path):
    """A wrapper adds the folder of the packages to the path; the bare interpreter does not know it."""
    script = tmp_path / "wrapper.py"
    script.write_text(
        "import asyncio, sys\n"
        f"sys.path[:0] = {[entry for entry in sys.path if Path(entry).is_absolute()]!r}\n"
        "from tests.ui.test_robot_client import requests\n"
        "from cardtable.session.robot_client import RobotClient\n"
        "async def choose():\n"
        "    robot_client = RobotClient()\n"
        "    await robot_client.choose(requests(1)[0])\n"
        "    await robot_client.stop()\n"
        "asyncio.run(choose())\n"
    )
    bare = Path(sys.executable).resolve()  # not that of an environment in which the package is installed
    done = subprocess.run(
        [bare, "-I", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"]},
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_child_path_excludes_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", ".", str(tmp_path), "here", *sys.path])
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "shows_path.py").write_text("import sys\ndef main(): print(*sys.path, sep='\\n')\n")
    sys.path.append(str(tmp_path / "elsewhere"))
    done = subprocess.run(
        build_command("shows_path"), env=build_environment(), capture_output=True, text=True, check=True
    )
    folders = done.stdout.splitlines()
    assert str(tmp_path / "elsewhere") in folders
    assert not {"", ".", "here", str(tmp_path)} & set(folders)


def test_pythonpath_entry_keeps_its_position(tmp_path, monkeypatch):
    """A developer works on a copy of the package there while another one is installed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (tmp_path / "cardtable").mkdir()
    (tmp_path / "cardtable" / "__init__.py").touch()
    (tmp_path / "cardtable" / "copied.py").write_text("def main(): print('the copy')\n")
    words = build_command("cardtable.copied")
    done = subprocess.run(words, env=build_environment(), capture_output=True, text=True, check=False)
    assert done.stdout == "the copy\n"


@pytest.mark.usefixtures("hostile_folder")
async def test_robots_work_in_hostile_folder():
    robot_client = RobotClient()
    (request,) = requests(1)
    assert (await robot_client.choose(request)).action in request.view.legal
    await robot_client.stop()


async def test_starting_child_is_not_in_program_group():
    """A terminal sends Ctrl+C to the program's process group."""
    child, before = WorkerProcess("cardtable.robots.worker"), list_children(os.getpid())
    await child.start()
    [process_id] = {*list_children(os.getpid())} - {*before}
    assert os.getpgid(process_id) == process_id != os.getpgrp()
    await child.stop()


async def test_hosted_clients_find_packages_without_pythonpath(tmp_path, monkeypatch):
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra" / "shows_path.py").write_text(
        "import os\ndef main(): print('PYTHONPATH' in os.environ, *os.environ)\n"
    )
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "extra")])
    monkeypatch.delenv("PYTHONPATH", raising=False)
    async with HostedClients(ClubAccounts(""), always_run(*build_command("shows_path"))).reserve_slot(
        "Anna", ConnectionOrigin("127.0.0.1"), "", print
    ) as (command, environment):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("False ")
    assert PATH_VARIABLE not in done.stdout, "the path is not passed on to child processes"


@pytest.mark.parametrize("error", [RuntimeError("can't start new thread"), MemoryError()], ids=repr)
@pytest.mark.parametrize(
    "start",
    [
        lambda: WorkerProcess("cardtable.robots.worker").start(),
        lambda: TextualProcess.start(build_command("cardtable.__main__"), build_environment(), 80, 24),
        lambda: PtyProcess.start(
            build_command("cardtable.__main__"), build_environment(), TerminalSize(80, 24), print, print
        ),
    ],
    ids=["child", "tab", "terminal"],
)
async def test_failed_thread_start_leaves_no_process(monkeypatch, start, error):
    def fail(_thread):
        raise error

    before = list_children(os.getpid())
    with monkeypatch.context() as patch:
        patch.setattr(Thread, "start", fail)
        patch.delattr(os, "pidfd_open", raising=False)  # with it, newer versions of Python need no thread
        with pytest.raises(OSError, match="no process can be started"):
            await start()
    assert set(list_children(os.getpid())) <= set(before)


@pytest.mark.parametrize("failing", ["connect_read_pipe", "connect_write_pipe"])
async def test_failed_terminal_leaves_no_process_and_no_file(monkeypatch, failing):
    def count_files():
        return len([*Path("/dev/fd").iterdir()])

    async def fail(*_):
        raise OSError(errno.EMFILE, "too many open files")

    command, size = build_command("cardtable.__main__"), TerminalSize(80, 24)
    processes, files = list_children(os.getpid()), count_files()
    with monkeypatch.context() as patch:
        patch.setattr(asyncio.get_running_loop(), failing, fail)
        with pytest.raises(OSError, match="too many open files"):
            await PtyProcess.start(command, build_environment(), size, print, print)
    await poll_until(lambda: set(list_children(os.getpid())) <= set(processes) and count_files() <= files)


async def test_started_threads_do_all_work(monkeypatch):
    use_reusing_executor()
    await asyncio.to_thread(int)

    def fail(_thread):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(Thread, "start", fail)
        both = [asyncio.to_thread(sorted, [number, 0]) for number in (1, 2)]
        assert await asyncio.gather(*both) == [[0, 1], [0, 2]]
