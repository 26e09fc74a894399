"""The window changed again and again while cards are played."""

from random import Random

from tests.pty.playing import begin, reach_a_question
from tests.pty.terminal import Terminal

SIZES = 40


def test_a_storm_of_sizes_leaves_the_right_picture(home):
    rng = Random(1)
    with Terminal(home, "resume", begin()) as terminal:
        terminal.wait("? help")
        for _ in range(SIZES):
            terminal.resize(rng.choice((1, 20, 59, 60, 79, 80, 120, 220)), rng.choice((1, 8, 17, 18, 24, 40, 70)))
            terminal.send(rng.choice(("enter", "right", "m", "s", "?", "q")))
            terminal.read(rng.uniform(0, 0.05))
        terminal.resize(80, 24)
        terminal.wait(lambda: " Enter " in terminal.rows[-1], press="q")
        reach_a_question(terminal)
        ours = terminal.text
        terminal.resize(100, 30)
        terminal.rest()
        terminal.resize(80, 24)
        terminal.rest()
        assert terminal.text == ours
        assert "Rikiki  round" in ours
        assert terminal.leave() == 0
        assert b"Traceback" not in terminal.output
