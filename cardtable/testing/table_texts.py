"""Invariants of the marks of a game, and of the labels and summaries of its zones."""

from random import Random
from typing import Final

from cardtable.engine.game import (
    MAX_MARK_NAME,
    MAX_MARK_NUMBER,
    MAX_MARK_VALUE,
    MAX_MARKS,
    MAX_ZONE_LABEL,
    MAX_ZONE_SUMMARY,
    AnyGame,
    Mark,
    View,
)
from cardtable.testing.cases import Case, iter_random_positions
from cardtable.testing.worlds import is_identical

_SHARE: Final = 0.2
"""Part of the positions of a session that are tested."""


def check_table_texts(case: Case, seed: int) -> None:
    """Play a session, and assert that marks and texts of zones are valid and reveal no hidden card.

    They must be the same in a state that the seat cannot distinguish from the true one, and for its spectators.
    """
    rng = Random(f"marks {case} {seed}")
    for position in iter_random_positions(case, seed):
        if not position.state.playing or rng.random() > _SHARE:
            continue
        for seat in range(case.seats):
            view = position.state.view(seat)
            other = case.game.imagine(view, rng).view(seat)
            for one, same in ((view, other), (view.public_view(), other.public_view())):
                texts = list_table_texts(case.game, one)
                assert is_identical(texts, list_table_texts(case.game, same)), "a mark or a zone's text differs"


def list_table_texts(game: AnyGame, view: View) -> tuple[object, ...]:
    """Return the marks of a view, and the labels and summaries of its zones; assert that they are valid."""
    marks, zones = game.marks(view), game.scene(view)
    assert isinstance(marks, tuple), "marks gives no tuple"
    for mark in marks:
        _assert_mark_valid(mark, len(view.totals))
    for seat in (None, *range(len(view.totals))):
        number = sum(mark.seat == seat for mark in marks)
        assert number <= MAX_MARKS, f"{number} marks are at one place, and {MAX_MARKS} are shown"
    for zone in zones:
        _assert_text_valid("label", zone.label, MAX_ZONE_LABEL)
        _assert_text_valid("summary", zone.summary, MAX_ZONE_SUMMARY)
    return marks, tuple([(zone.name, zone.seat, zone.label, zone.summary) for zone in zones])


def _assert_mark_valid(mark: Mark, seats: int) -> None:
    assert isinstance(mark, Mark), f"marks gives something that is no mark: {mark!r}"
    assert mark.name, "a mark has no name"
    _assert_text_valid("name", mark.name, MAX_MARK_NAME)
    assert mark.seat is None or 0 <= mark.seat < seats, f"the mark {mark.name!r} is at no seat"
    if isinstance(mark.value, str):
        _assert_text_valid("value", mark.value, MAX_MARK_VALUE)
        assert mark.of is None, f"the track {mark.name!r} has no number"
        return
    assert abs(mark.value) <= MAX_MARK_NUMBER, f"the value of {mark.name!r} is too large"
    assert mark.of is None or 0 < mark.of <= MAX_MARK_NUMBER, f"the track {mark.name!r} has no valid end"


def _assert_text_valid(kind: str, text: str, max_length: int) -> None:
    assert isinstance(text, str), f"a {kind} is no text: {text!r}"
    assert text.isprintable(), f"the {kind} {text!r} has characters that cannot be shown"
    assert text == text.strip(), f"the {kind} {text!r} begins or ends with a blank"
    assert len(text) <= max_length, f"the {kind} {text!r} is longer than {max_length} characters"
