"""Lessons for tests, on Gurka: a text with events, a question, and a round that is played freely."""

import textwrap
from pathlib import Path

from msgspec.structs import replace

from cardtable.games import ABOUT
from cardtable.session.lessons import Course, parse_lessons

TEXT = """
[[lessons]]
name = "heading"
title = "Heading a trick"
options = {limit = 21}
hands = ["3C 5D 9H 9S QD KC AH", "2D 4C 6H 7S 8C 8D JC", "4H 5H 6C 8H TD JH KD", "3H 3S 6S 7D TC JD QS"]
start = ["deal", "play 9H"]

[[lessons.steps]]
text = "You led 9H. *Ada* plays next."
then = ["play JC", "play 4H", "play 3H"]

[[lessons.steps]]
text = "JC takes the trick, so Ada leads."
then = ["play 8C", "play 5H", "play 3S"]

[[lessons.steps]]
text = "Head the trick with 8 or higher, or play your lowest card."
ask = "Play your lowest card."
expect = ["play 3C"]
right = "You keep KC for later."
wrong = {"play KC" = "KC heads the trick."}
otherwise = "Your lowest card is a 3."
then = ["play 2D"]

[[lessons]]
name = "round"
title = "A round of your own"

[[lessons.steps]]
text = "Now play a round."
play_on = true
right = "The round is over."
"""
LONG_TEXT = textwrap.dedent("""
    The first player may play any card, says the long text, which has nine rows of fifty-four columns; it names 9H and
    ten other things. It is the longest one.

    You led 9H, and Ada played JC. Bo and Cy follow with something else, which is not decided by the lesson but drawn
    at random, always the same way, as the page on lessons says; what is missing is dealt so. A last line ends it here.
""").strip()
COURSE = Course(ABOUT["gurka"], tuple(replace(lesson, game="gurka") for lesson in parse_lessons(TEXT).lessons))


def write_lessons(folder: Path, text: str = TEXT) -> Path:
    """Write a file with lessons into a folder."""
    file = folder / "lessons.toml"
    file.write_text(text, encoding="utf-8")
    return file
