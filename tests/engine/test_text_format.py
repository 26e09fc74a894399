"""Sanitizing and shortening text from outside before it is shown."""

import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import (
    find_name,
    fold,
    format_estimate,
    sanitize,
    shorten_path,
    split_graphemes,
    to_one_line,
)


@pytest.mark.parametrize(
    ("text", "sanitized"),
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
        ("می\u200cروم", "می\u200cروم"),
        ("\u200cab\u200c \u200c♥\u200cx\u200c\u200cy", "ab ♥xy"),
        ("👩\u200d💻", "👩💻"),
        ("क\u094d\u200dष", "क\u094dष"),
        ("❤\ufe0f 👍\U0001f3fd \U0001f3fd", "❤ 👍 \ufffd"),
        ("e\u200d\u0301", "é"),
    ],
)
def test_sanitize_replaces_control_characters(text, sanitized):
    assert sanitize(text) == sanitized


def test_sanitize_shortens_long_text():
    assert sanitize("x" * 200) == "x" * 200
    assert sanitize("x" * 201) == "x" * 199 + "…"
    assert sanitize("abcdef", 4) == "abc…"
    assert len(sanitize("e\u0301" * 10**6, 24)) == 24


@given(st.text(st.characters(codec=None)), st.integers(1, 60))
def test_sanitized_text_is_printable_and_short(text, most):
    result = sanitize(text, most)
    assert len(result) <= most
    assert not {unicodedata.category(c) for c in result if c != "\u200c"} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert sanitize(result, most) == result


MARKS = st.sampled_from("aé\u0301ی\u200c\u200d❤\ufe0f👍\U0001f3fd🇩王ᅠ\u202e")


@given(st.text(MARKS), st.integers(1, 12))
@example("a\u200c\ufe0f", 2)
def test_sanitized_width_is_sum_of_characters(text, most):
    result = sanitize(text, most)
    assert cell_len(result) == sum(map(cell_len, result))
    assert sanitize(result, most) == result


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("Jo\u0308rg", "Jörg"),
        ("a\r\nb\tc\u2028d", "a b c d"),
        ("\x1b[31m\x9bred\0\ud800", "[31mred"),
        ("می\u200cروم 👩\u200d💻 \u202e", "می\u200cروم 👩\u200d💻 \u202e"),
        ("a  b", "a  b"),
    ],
)
def test_typed_text_is_stored_on_one_line(typed, stored):
    assert to_one_line(typed) == stored
    assert to_one_line(typed, 3) == stored[:3]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("abc", ["a", "b", "c"]),
        ("x\u0301y", ["x\u0301", "y"]),
        ("👩\u200d💻!", ["👩\u200d💻", "!"]),
        ("👍\U0001f3fd👍", ["👍\U0001f3fd", "👍"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
        ("🇦🇿🈀🈀", ["🇦🇿", "🈀", "🈀"]),
        ("می\u200cر", ["م", "ی\u200c", "ر"]),
        ("हिन्दी", ["हि", "न्", "दी"]),
        ("a\u200db", ["a\u200d", "b"]),
        ("", []),
    ],
)
def test_split_graphemes(text, seen):
    assert split_graphemes(text) == seen


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("İrem", "irem"),
        ("İrem", "IREM"),
        ("İrem", "ırem"),
        ("İrem", "i\u0307rem"),
        ("Straße", "STRASSE"),
        ("ẞ", "ss"),
        ("ŉ", "ʼN"),
        ("ﬁn", "FIN"),
        ("Σοφός", "ΣΟΦΌΣ"),
        ("ᾳ", "ΑΙ"),
        ("Ａｎｎａ", "anna"),
        ("e\u0301mile", "ÉMILE"),
    ],
)
def test_texts_that_people_take_for_the_same_are_equal(one, other):
    assert fold(one) == fold(other)


def test_no_letter_depends_on_the_case_in_which_it_is_typed():
    for char in filter(str.isprintable, map(chr, range(sys.maxunicode + 1))):
        word = f"b{char}b"
        forms = {word, word.upper(), word.lower(), word.title(), word.casefold(), unicodedata.normalize("NFD", word)}
        assert len({fold(form) for form in [*forms, fold(word)]}) == 1, word


def test_exact_name_is_found_before_one_that_differs_in_dots():
    assert find_name("Irem", ["İrem", "Irem"]) == "Irem"
    assert find_name("irem", ["Anna", "İrem"]) == "İrem"
    assert find_name("Iren", ["İrem"]) is None


@given(st.text(st.characters(codec=None), max_size=300))
def test_error_message_is_one_line(text):
    message = str(CardtableError(text))
    assert len(message) <= 200
    assert len(message.splitlines()) <= 1


def test_shortened_path_ends_with_file_name():
    assert shorten_path("/home/anna/x.jsonl") == "/home/anna/x.jsonl"
    assert shorten_path("/" + "very/" * 40 + "x.jsonl", 20) == "…y/very/very/x.jsonl"


@pytest.mark.parametrize(
    ("points", "error", "text"),
    [(43.4, 10.2, "40"), (6.5, 1.2, "6"), (6.5, 0.8, "6.5"), (0.84, 0.03, "0.8"), (12.0, 0.0, "12.0")],
)
def test_estimate_has_no_more_digits_than_its_error_allows(points, error, text):
    assert format_estimate(points, error) == text
