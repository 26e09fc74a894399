"""Check of a game of another package: its facts, parts and texts, and the types of its values."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from inspect import get_annotations
from typing import Any, NamedTuple

import msgspec
import pytest
from msgspec.structs import asdict, replace

from cardtable.engine.cards import Card, card
from cardtable.engine.errors import CardtableError, GameFailed, GameFault
from cardtable.engine.faces import FRENCH, Noun
from cardtable.engine.game import Action, AnyGame, Game
from cardtable.engine.plugin_guard import call_directly, check_game, guard_part
from cardtable.engine.value_checks import make_check
from cardtable.games import GAMES
from tests.engine.toy import GAME
from tests.overriding import override


@pytest.mark.parametrize("game", [GAME, *GAMES.values()], ids=lambda game: game.about.key)
def test_valid_game_is_unchanged(game: AnyGame):
    assert vars(check_game(game)).items() <= {fact: getattr(game, fact) for fact in get_annotations(Game)}.items()


@pytest.mark.parametrize(
    ("fact", "value", "message"),
    [
        ("title", None, "its about.title is nothing in place of str"),
        ("summary", 3, "its about.summary is int in place of str"),
        ("seats", ("4",), "its about.seats is str in place of int"),
        ("seats", (), "its numbers of seats"),
        ("seats", (4, 2), "its numbers of seats"),
        ("usual_seats", 9, "its numbers of seats"),
        ("emblem", "XX 2C 3C", "its emblem is not valid: 'XX' is not a card"),
        ("title", " ", "its title is empty"),
        ("faces", replace(FRENCH, signs="♣♦♥\x1b"), "the signs, letters or marks of its faces are not printable"),
        ("emblem", "2C 3C", "its emblem has 2 cards, not 3"),
    ],
)
def test_wrong_fact_is_named(fact, value, message):
    with pytest.raises(GameFault, match=message):
        check_game(override(GAME, about=replace(GAME.about, **{fact: value})))


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("about", None, "its about is nothing in place of GameInfo"),
        ("options", None, "its options cannot be used: it has to derive from Options"),
        ("view", dict, "its view cannot be used: it has to derive from View"),
        ("actions", None, r"its actions is nothing in place of tuple\[type\[Action\], ...\]"),
        ("actions", ("keep",), r"its actions is str in place of type\[Action\]"),
        ("columns", (1,), "its columns is int in place of str"),
        ("lowest_wins", "yes", "its lowest_wins is str in place of bool"),
        ("sides", None, "its sides is not a function"),
        ("trick", 3, "its trick is not a function"),
        ("marks", (), "its marks is not a function"),
    ],
)
def test_wrong_part_is_named(part, value, message):
    with pytest.raises(GameFault, match=message):
        check_game(override(GAME, **{part: value}))


@pytest.mark.parametrize("fact", ["title", "summary", "length", "aim"])
def test_texts_are_printable_and_short(fact):
    game = check_game(override(GAME, about=replace(GAME.about, **{fact: "a\x1b[2J\n\u202eb\ud800" + "x" * 100_000})))
    text = asdict(game.about)[fact]
    assert text.isprintable()
    assert len(text) in (40, 200)


@pytest.mark.parametrize("kind", [None, 3, "keep\n", "k" * 1000])
def test_action_without_a_printable_kind(kind):
    action = type("Odd", (Action,), {"kind": kind}, frozen=True)
    with pytest.raises(GameFault, match="the kind of its action Odd is not a printable text"):
        check_game(override(GAME, actions=(*GAME.actions, action)))


def test_columns_and_names_of_suits_are_printable_and_short():
    suits = (Noun("leaf\x1b[2J", "l" * 10_000), *FRENCH.suits[1:])
    columns = tuple("\x1b[2J" + "x" * 10_000 for _ in GAME.columns)
    game = check_game(override(GAME, about=replace(GAME.about, faces=replace(FRENCH, suits=suits)), columns=columns))
    for text in (*game.columns, *game.about.faces.suits[0]):
        assert text.isprintable()
        assert len(text) <= 30


# --- optional parts of games of other packages


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
