"""Texts that fit a width: cut with an ellipsis, joined, shortened to distinct names, wrapped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from cardtable.ui.toolkit.painting.canvas import join_fitting, shorten_names, truncate, wrap


def test_long_text_ends_in_ellipsis():
    assert truncate("Bartholomew", 8) == "Barthol…"
    assert truncate("Bo", 8) == "Bo"
    assert truncate("two words", 5) == "two…"
    assert truncate("漢字漢字", 5) == "漢字…"
    assert truncate("anything", 0) == ""


def test_facts_are_joined_uncut_if_they_fit():
    facts = ["round 8", "8 cards", "clubs are trump"]
    assert join_fitting(facts, ", ", 40) == "round 8, 8 cards, clubs are trump"
    assert join_fitting(facts, ", ", 30) == "round 8, 8 cards"
    assert join_fitting(facts, ", ", 6) == "round…"


@pytest.mark.parametrize(
    ("names", "width", "shortened"),
    [
        ("You Ferdinan Bo", 8, "You Ferdinan Bo"),
        ("You Ferdinan Wilhelmi", 6, "You Ferdi… Wilhe…"),
        ("You Ferdinan Wilhelmi", 3, "You Fer Wil"),
        ("You Ferdinan Ferdinal", 6, "You Ferd…n Ferd…l"),
        ("You Ferdinan Ferdinal", 3, "You F…n F…l"),
        ("Ferdinon Ferdinan Ferdinen", 7, "Ferd…on Ferd…an Ferd…en"),
        ("Ferdinan Ferdilan", 4, "Fn Fl"),
        ("Anna Tom Ida Lea", 1, "A T I L"),
        ("Anna Tom Anton Lea", 1, "An Tm At La"),
        ("Player1 Player2 Player3", 1, "P1 P2 P3"),
        ("Tom Tomas", 1, "T Ta"),
        ("Abcxcba Abcycba", 3, "Ax Ay"),
        ("Abc Bac Aac", 1, "Ab Ba Aa"),
        ("Anna Anna", 1, "A A"),
    ],
)
def test_shortened_names_are_distinct_and_similar_in_form(names, width, shortened):
    assert shorten_names(names.split(), width) == shortened.split()


@given(st.lists(st.text("abAB漢", max_size=9), min_size=1, max_size=6, unique=True), st.integers(1, 10))
def test_shortened_names_stay_distinct(names, width):
    shortened = shorten_names(names, width)
    assert len(set(shortened)) == len(names)
    assert all(cell_len(name) <= max(width, 4) for name in shortened)


def test_wrap_breaks_between_words():
    assert wrap("you must follow hearts", 12) == ["you must", "follow", "hearts"]
    assert wrap("one\ntwo three", 20) == ["one", "two three"]
    assert wrap("", 10) == [""]


def test_wrap_breaks_inside_long_word():
    assert wrap("see /a/very/long/name now", 8) == ["see", "/a/very/", "long/nam", "e now"]


def test_wrap_uses_displayed_width():
    assert wrap("a TS b", 6, lambda text: len(text.replace("TS", "10 of spades"))) == ["a", "TS", "b"]


@given(st.text("ab 漢\u0301\n", max_size=60), st.integers(2, 20))
def test_wrap_loses_nothing_and_fits_width(text, width):
    lines = wrap(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert cell_len(truncate(text.replace("\n", ""), width)) <= width
