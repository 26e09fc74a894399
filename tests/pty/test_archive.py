"""Archive in a terminal: search and resume, with and without a damaged index."""

from cardtable.store import paths
from tests.pty.playing import create_session
from tests.pty.terminal import Terminal


def test_session_is_found_and_resumed(home):
    create_session()
    for index in (None, b"\x00\xff{" * 500):
        if index is not None:
            paths.create_folder(paths.archive_folder())
            paths.index_file().write_bytes(index)
        with Terminal(home) as terminal:
            terminal.wait("Continue: Rikiki")
            terminal.send("a")
            terminal.wait("1 session")
            terminal.send("/", *"king")
            terminal.wait("No session matches")
            terminal.send("escape")
            terminal.wait("open")
            terminal.send("enter")
            terminal.wait(lambda: terminal.rows[0].startswith(" Rikiki"))
            assert terminal.quit() == 0
