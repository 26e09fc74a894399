"""First frame of the picker and of a table."""

import pytest

from tests.pty.terminal import FRAME_END, Terminal


@pytest.mark.parametrize("command", [[], ["play", "gurka", "--seed", "1"]], ids=["picker", "table"])
def test_first_frame_is_complete(command, tmp_path):
    with Terminal(tmp_path, *command) as terminal:
        terminal.wait(lambda: FRAME_END in terminal.output)
        assert b"help" in terminal.output.partition(FRAME_END)[0]
