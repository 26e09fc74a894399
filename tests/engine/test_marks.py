"""Marks at the table and texts of zones: Pegging obeys the laws, and wrong values are reported."""

from functools import partial
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.errors import GameFailed
from cardtable.engine.game import MAX_MARKS, Mark, Zone
from cardtable.engine.plugin_guard import create_game_failure, guard_game
from cardtable.games import GAMES
from cardtable.testing import GameTests
from cardtable.testing.cases import Case
from cardtable.testing.table_checks import check_table_texts
from cardtable.wording.players import describe_marks, format_mark, format_plate_mark, format_short_mark, list_marks
from tests.overriding import override
from tests.toy import pegging
from tests.toy.pegging import PeggingState

GAME = pegging.GAME


class TestPegging(GameTests):
    game = GAME


def deal(seats=2, seed=1):
    state = PeggingState(seats, pegging.Options())
    state.apply(state.draw_chance(Random(seed)))
    return state


@pytest.mark.parametrize(
    ("mark", "long", "plate", "short"),
    [
        (Mark("count", None, 27, 31), "count 27 of 31", "count 27/31", "27/31"),
        (Mark("scope", 1, 2), "scope 2", "scope 2", "scope 2"),
        (Mark("lives", 1, -2), "lives −2", "lives −2", "lives −2"),
        (Mark("suit", 1, "hearts"), "suit hearts", "suit hearts", "suit hearts"),
        (Mark("passed", 1), "passed", "passed", "passed"),
        (Mark("trump", None, suit=0), "trump ♣", "trump ♣", "trump ♣"),
    ],
)
def test_formats_of_a_mark(mark, long, plate, short):
    assert (format_mark(mark), format_plate_mark(mark), format_short_mark(mark)) == (long, plate, short)


def test_description_by_name():
    marks = (
        Mark("count", None, 27, 31),
        Mark("pegs", 0, 4, 11),
        Mark("pegs", 1, 6, 11),
        Mark("passed", 1),
        Mark("again", None),
    )
    game = override(GAME, marks=lambda _: marks)
    assert describe_marks(game, deal().view(0), ("You", "Bo")) == [
        "count: 27 of 31",
        "again",
        "pegs: You 4 of 11, Bo 6 of 11",
        "passed: Bo",
    ]


def test_marks_are_shown_during_a_round_only():
    state = deal()
    assert list_marks(GAME, state.view(0))
    state.cancel_round()
    assert not list_marks(GAME, state.view(0))
    assert not list_marks(GAMES["gurka"], state.view(0))


def test_texts_are_cleaned_and_cut_and_marks_limited():
    marks = (Mark("a\x1b[2Jb" * 9, 0, "\u202e" * 99), *[Mark(f"m{number}", 0) for number in range(9)])
    cleaned = list_marks(override(GAME, marks=lambda _: marks), deal().view(0))
    assert len(cleaned) == MAX_MARKS
    assert cleaned[0].name.isprintable()
    assert cleaned[0].value.isprintable()
    assert (len(cleaned[0].name), len(cleaned[0].value)) == (12, 12)


WRONG_MARKS = {
    "marks gives nothing in place of tuple[Mark, ...]": None,
    "marks gives list in place of tuple[Mark, ...]": [],
    "marks gives str in place of Mark": ("count",),
    "marks.name gives nothing in place of str": (Mark(None, 0),),
    "marks.value gives float in place of int | str": (Mark("count", 0, 1.5),),
    "marks gives a mark of a seat that is not at the table": (Mark("passed", 2),),
    "marks.seat gives str in place of int": (Mark("passed", "Bo"),),
    "marks gives a track without a number above 0": (Mark("count", None, 3, 0),),
    "marks gives a track without a number above 0 ": (Mark("count", None, "3", 31),),
    "marks gives a wrong suit": (Mark("trump", None, suit=4),),
    "marks gives a number that is too large": (Mark("count", None, 10**5000),),
}


def guard(**parts):
    return guard_game(
        override(GAME, **parts), partial(create_game_failure, "Pegging", "cardtable-pegging 1.0", __name__)
    )


@pytest.mark.parametrize(("reason", "marks"), WRONG_MARKS.items())
def test_wrong_marks_blame_the_package(reason, marks):
    with pytest.raises(GameFailed) as failed:
        guard(marks=lambda _: marks).marks(deal().view(0))
    assert str(failed.value).startswith(f"Pegging (cardtable-pegging 1.0) has failed: {reason.strip()};")
    assert "\n" not in str(failed.value)


@pytest.mark.parametrize(("field", "text", "kind"), [("label", None, "nothing"), ("summary", 7, "int")])
def test_wrong_text_of_a_zone_blames_the_package(field, text, kind):
    game = guard(scene=lambda _: (replace(Zone("played", 0, ()), **{field: text}),))
    with pytest.raises(GameFailed, match=f"scene.{field} gives {kind} in place of str"):
        game.scene(deal().view(0))


class Leak:
    """Marks that depend on something other than the view."""

    calls = 0

    def __call__(self, _view):
        Leak.calls += 1
        return (Mark("calls", None, Leak.calls),)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"marks": Leak()}, "a mark or a zone's text differs"),
        ({"marks": lambda _: (Mark("", 0),)}, "no name"),
        ({"marks": lambda _: (Mark("passed", 7),)}, "at no seat"),
        ({"marks": lambda _: (Mark("a name that is long", 0),)}, "longer than 12"),
        ({"marks": lambda _: (Mark("tab\t", 0),)}, "cannot be shown"),
        ({"marks": lambda _: (Mark("count", None, "3", 31),)}, "no number"),
        ({"marks": lambda _: (Mark("passed", 0),) * 5}, "5 marks are at one place"),
        ({"scene": lambda _: (Zone("played", 0, (), label="x" * 17),)}, "longer than 16"),
        ({"scene": lambda _: (Zone("played", 0, (), summary="x" * 33),)}, "longer than 32"),
    ],
)
def test_law_finds_planted_fault(parts, message):
    with pytest.raises(AssertionError, match=message):
        check_table_texts(Case(override(GAME, **parts), 2, pegging.Options()), 0)
