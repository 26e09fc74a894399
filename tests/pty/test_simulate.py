"""Long simulation on a terminal."""

from tests.pty.terminal import Terminal


def test_progress_and_ctrl_c(home, tmp_path):
    many = tmp_path / "many"
    command = ("simulate", "rikiki", "--sessions", "100000", "--seed", "1", "--seats", "random,random,random,random")
    with Terminal(home, *command, "--output", str(many)) as terminal:
        terminal.wait(lambda: "Rikiki  [" in terminal.output.decode())
        terminal.wait(lambda: many.exists() and many.stat().st_size > 100_000)
        terminal.send("\x03")
        assert terminal.wait_for_end() == 130
        assert "stopped after" in terminal.output.decode()
    assert many.read_bytes().count(b'"cardtable":3') > 0
