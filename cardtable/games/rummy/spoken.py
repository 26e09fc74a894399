"""Rummy in plain lines."""

from collections.abc import Iterator
from typing import Final

from cardtable.engine.contract import Action
from cardtable.games.rummy.rules.actions import Take
from cardtable.games.rummy.rules.combinations import IN_ORDER
from cardtable.games.rummy.rules.view import RummyView
from cardtable.plain.speech import card, cards
from cardtable.plain.spoken import Spoken
from cardtable.wording.names import Names


def about(view: RummyView, names: Names) -> Iterator[str]:
    """What ends the session, and the combinations."""
    yield f"the session goes to {view.options.limit} points"
    for number, (combination, owner) in enumerate(zip(view.table, view.owners, strict=True), 1):
        yield f"combination {number}, laid by {names[owner]}: {cards(IN_ORDER[combination])}"


def explained(view: RummyView, action: Action) -> str:
    """The lowest card of those that are taken from the pile."""
    return f"from {card(view.pile[-action.number])}" if isinstance(action, Take) else ""


SPOKEN: Final = Spoken(about, explained)
