"""Optional parts of games of other packages: checks of their types, and of what their functions return."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import pytest

from cardtable.engine.cards import Card, card
from cardtable.engine.errors import CardtableError, GameFailed
from cardtable.engine.plugin_guard import call_directly, guard_part
from cardtable.engine.value_checks import make_check


class Amount(NamedTuple):
    words: str
    points: float = 0.0


class Line(msgspec.Struct, frozen=True):
    label: str
    amounts: tuple[Amount, ...] = ()


class LongLine(Line, frozen=True):
    length: int = 0


class Page(msgspec.Struct, frozen=True):
    lines: Callable[[int], tuple[Line, ...]]
    texts: Callable[[int], Iterable[str]] | None = None
    paint: Callable[[list[int]], None] = lambda _canvas: None
    wide: bool = False


@pytest.mark.parametrize(
    ("annotation", "right", "wrong"),
    [
        (int | None, [3, None], ["3", 1.5]),
        (float, [1.5, 2], ["2", None]),
        (Any, [3, None], []),
        (Card, [card("AS")], [-1, 104, "AS"]),
        (tuple[int, ...], [(), (1, 2)], [[1], (1, "2"), None]),
        (tuple[int, str], [(1, "a")], [(1,), (1, "a", 2), ("a", 1)]),
        (Sequence[str], [["a"], ("a",)], ["a", [1], {"a"}]),
        (Mapping[int, str], [{}, {1: "a"}], [{1: 2}, {"a": "a"}, ["a"]]),
        (Callable[[int], str], [str], ["a"]),
        (Iterator[int], [iter([1])], [[1]]),
        (type[Exception], [LookupError], [int, LookupError("a")]),
        (type[Sequence[int]], [list], [Sequence]),
        (Amount, [Amount("a")], [("a", 0.0), Amount(3)]),
        (Line, [Line("a", (Amount("a"),)), LongLine("a", (), 3)], [Line(3), Line("a", (Amount("a", "b"),)), "a"]),
    ],
)
def test_types_of_values_and_their_contents(annotation, right, wrong):
    check = make_check(annotation)
    assert [value for value in right if not check(value)] == []
    assert [value for value in wrong if check(value)] == []


def make_failure(error):
    return GameFailed(str(error) or type(error).__name__)


def guard(part):
    return guard_part("PAGE", part, Page, make_failure, call_directly)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (None, "PAGE is nothing in place of Page"),
        (Line("a"), "PAGE is Line in place of Page"),
        (Page("a"), "PAGE.lines is str in place of Callable[[int], tuple[Line, ...]]"),
        (Page(lambda _: (), wide="yes"), "PAGE.wide is str in place of bool"),
    ],
)
def test_part_of_a_wrong_type(part, message):
    with pytest.raises(GameFailed) as raised:
        guard(part)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda _: None, "PAGE.lines gives nothing in place of tuple[Line, ...]"),
        (lambda _: (Line(3),), "PAGE.lines.label gives int in place of str"),
        (lambda number: 1 // number, "integer division or modulo by zero"),
    ],
)
def test_function_that_fails_or_returns_a_wrong_type(function, message):
    with pytest.raises(GameFailed) as raised:
        guard(Page(function)).lines(0)
    assert str(raised.value) == message


def test_functions_that_return_the_annotated_types():
    page = guard(
        Page(lambda number: (Line(str(number)),), lambda _: (text for text in "ab"), lambda canvas: canvas.pop())
    )
    assert page.lines(3) == (Line("3"),)
    assert page.texts(3) == ("a", "b")
    page.paint([1])


def test_single_string_is_no_iterable_of_texts():
    with pytest.raises(GameFailed, match=r"^PAGE\.texts gives str in place of Iterable\[str\]$"):
        guard(Page(lambda _: (), lambda _: "ab")).texts(1)


def test_errors_of_the_program_pass():
    def refuse(_number):
        raise CardtableError("the host cannot be reached")

    with pytest.raises(CardtableError, match="the host"):
        guard(Page(refuse)).lines(0)
