"""New table for two people, by keyboard only."""

import json

from tests.pty.terminal import Terminal


def test_two_people_take_turns(home):
    with Terminal(home) as terminal:
        terminal.wait("n new table")
        terminal.send("n")
        terminal.wait("House rules of Rikiki")
        terminal.send("down", "anna", "down", "right", "right", "tom", "enter")
        terminal.wait("'s turn")
        [first] = [name for name in ("Anna", "Tom") if f"{name}'s turn" in terminal.text]
        [second] = {"Anna", "Tom"} - {first}
        terminal.wait(f"{second}'s turn", press="enter")
        assert terminal.quit() == 0
        assert b"Traceback" not in terminal.output
    [path] = (home / "sessions").iterdir()
    header = json.loads(path.read_bytes().split(b"\n")[0])
    assert header["game"] == "rikiki"
    seats = {occupant["name"]: occupant.get("robot") for occupant in header["seats"]}
    assert seats == {"Anna": None, "Tom": None, "Ada": "steady", "Bo": "steady"}


def test_invalid_nicks_are_reported_and_corrected(home):
    with Terminal(home) as terminal:
        terminal.wait("n new table")
        terminal.send("n")
        terminal.wait("House rules of Rikiki")
        terminal.send("down", "down", "right", "right", "enter")
        terminal.wait("Only one seat can be Guest")
        terminal.send("bo", "enter")
        terminal.wait("one word of 3 to 8 letters")
        terminal.send("b", "enter")
        terminal.wait("'s turn")
        assert terminal.quit() == 0
