"""Sentences on the seats that are to act, which are several if seats choose at once."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.game import View
from cardtable.engine.secret_choices import has_chosen, list_seats_to_act
from cardtable.wording.formatting import join_name_and_verb, join_words

READY: Final = "ready"
"""Mark of a seat that has chosen while others, which choose at the same time, have not."""


def format_wait(view: View, names: Sequence[str]) -> str:
    """Return ``Waiting for Bo and Cy`` if the seat of the view has chosen and others still have to, else ``""``."""
    if not has_chosen(view, view.seat):
        return ""
    return f"Waiting for {join_words([names[seat] for seat in list_seats_to_act(view)])}"


def describe_seats_to_act(view: View, names: Sequence[str]) -> str:
    """Return a sentence without a full stop, such as ``Bo is to act``; empty if no seat is to act."""
    seats = list_seats_to_act(view)
    if len(seats) > 1:
        return f"{join_words([names[seat] for seat in seats])} are to choose"
    return join_name_and_verb(names[seats[0]], "is to act", "are to act") if seats else ""
