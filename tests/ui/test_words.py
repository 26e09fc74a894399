from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from cardtable.ui.draw.fitting import cut, whole, wrap


def test_what_does_not_fit_ends_in_an_ellipsis():
    assert cut("Bartholomew", 8) == "Barthol…"
    assert cut("Bo", 8) == "Bo"
    assert cut("two words", 5) == "two…"
    assert cut("漢字漢字", 5) == "漢字…"
    assert cut("anything", 0) == ""


def test_facts_are_told_whole_or_not_at_all():
    facts = ["round 8", "8 cards", "clubs are trump"]
    assert whole(facts, ", ", 40) == "round 8, 8 cards, clubs are trump"
    assert whole(facts, ", ", 30) == "round 8, 8 cards"
    assert whole(facts, ", ", 6) == "round…"


def test_lines_are_broken_between_words():
    assert wrap("you must follow hearts", 12) == ["you must", "follow", "hearts"]
    assert wrap("one\ntwo three", 20) == ["one", "two three"]
    assert wrap("", 10) == [""]


def test_a_word_longer_than_the_line_is_broken_inside():
    assert wrap("see /a/very/long/name now", 8) == ["see", "/a/very/", "long/nam", "e now"]


def test_words_may_be_wider_than_they_are_written():
    assert wrap("a TS b", 6, lambda text: len(text.replace("TS", "10 of spades"))) == ["a", "TS", "b"]


@given(st.text("ab 漢\u0301\n", max_size=60), st.integers(2, 20))
def test_nothing_is_lost_and_nothing_is_too_wide(text, width):
    lines = wrap(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert cell_len(cut(text.replace("\n", ""), width)) <= width
