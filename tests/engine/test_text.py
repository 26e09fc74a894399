"""Text from outside, before it is shown."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtable.engine.errors import CardtableError
from cardtable.engine.text import clean, place


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Anna", "Anna"),
        ("Jo\u0308rg", "Jörg"),
        ("♠ 10 – “yes”", "♠ 10 – “yes”"),
        ("\x1b]52;c;AAAA\x07", "\ufffd]52;c;AAAA\ufffd"),
        ("\x9b2J", "\ufffd2J"),
        ("a\tb\r\nc\0", "a\ufffdb\ufffd\ufffdc\ufffd"),
        ("\u202etxt.exe", "\ufffdtxt.exe"),
        ("zero\u200bwidth\ufeff", "zero\ufffdwidth\ufffd"),
        ("\ud800", "\ufffd"),
        ("\ue000", "\ufffd"),
        ("\u2028\u2029", "\ufffd\ufffd"),
        ("\u0378", "\ufffd"),
        ("[@click=app.quit]x", "[@click=app.quit]x"),
    ],
)
def test_what_would_steer_a_terminal_is_replaced(text, shown):
    assert clean(text) == shown


def test_long_text_is_cut():
    assert clean("x" * 200) == "x" * 200
    assert clean("x" * 201) == "x" * 199 + "…"
    assert clean("abcdef", 4) == "abc…"
    assert len(clean("e\u0301" * 10**6, 24)) == 24


@given(st.text(st.characters(codec=None)), st.integers(1, 60))
def test_no_text_is_shown_with_anything_hidden_or_too_long(text, most):
    shown = clean(text, most)
    assert len(shown) <= most
    assert not {unicodedata.category(c) for c in shown} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert clean(shown, most) == shown


@given(st.text(st.characters(codec=None), max_size=300))
def test_an_error_is_one_line(text):
    said = str(CardtableError(text))
    assert len(said) <= 200
    assert len(said.splitlines()) <= 1


def test_of_a_long_path_the_end_is_shown():
    assert place("/home/anna/x.jsonl") == "/home/anna/x.jsonl"
    assert place("/" + "very/" * 40 + "x.jsonl", 20) == "…y/very/very/x.jsonl"
