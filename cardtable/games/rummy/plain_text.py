"""Description of a Rummy table in plain text."""

from collections.abc import Iterator, Sequence
from typing import Final

from cardtable.engine.cards import Card, iter_cards
from cardtable.engine.game import Action
from cardtable.games.rummy.rules import RummyView, list_hand_melds
from cardtable.games.rummy.rules.actions import STOCK, Add, Meld, Take
from cardtable.games.rummy.rules.melds import ORDERED_CARDS
from cardtable.plain.speech_text import PlainTextSpec, format_card, format_cards, to_inline_name
from cardtable.wording.players import Names


def describe_round(view: RummyView, names: Names) -> Iterator[str]:
    """Yield the limit of the session, then one sentence for each meld on the table."""
    yield f"the session ends at {view.options.limit} points"
    for number, (combination, owner) in enumerate(zip(view.table, view.owners, strict=True), 1):
        yield f"meld {number}, by {to_inline_name(names[owner])}: {format_cards(ORDERED_CARDS[combination])}"


def describe_turn(view: RummyView, _names: Names) -> Iterator[str]:
    """Yield what the turn demands: to draw, to use the mandatory card, or not to discard certain cards.

    Nothing is yielded if the player is free to act.
    """
    if not view.drew:
        yield "your turn to draw"
    elif view.must is not None:
        yield f"you must still meld or lay off {format_card(view.must, article=True)}"
    elif view.hand & view.barred:
        yield f"you can't discard {format_cards(iter_cards(view.hand & view.barred), article=True)} this turn"


def name_action(view: RummyView, action: Action) -> str | None:
    """Return the name of a lay-off or draw, with its meld or cards; ``None`` for actions whose usual name is enough."""
    if isinstance(action, Add):
        return f"{format_card(action.card, article=True)} on meld {action.number}"
    if isinstance(action, Take):
        deepest, *above = view.pile[-action.number :]
        on_top = f" with {format_cards(above, article=True)} on it" if above else ""
        return f"{format_card(deepest, article=True)}{on_top}"
    return "draw from the stock" if action == STOCK else None


def explain_action(view: RummyView, _names: Names, action: Action) -> str | None:
    """Explain the meld that a lay-off extends, or the duty that comes with taken cards; ``None`` for other actions."""
    if isinstance(action, Add):
        return format_cards(ORDERED_CARDS[view.table[action.number - 1]])
    if isinstance(action, Take):
        card = format_card(view.pile[-action.number], article=True)
        return "you can't discard it this turn" if action.number == 1 else f"you must then meld or lay off {card}"
    return None


def list_unlisted_melds(view: RummyView) -> Sequence[Sequence[Card]]:
    """Return the melds in the hand, unless the choices name them."""
    return () if any(isinstance(action, Meld) for action in view.legal) else list_hand_melds(view)


PLAIN_TEXT: Final = PlainTextSpec(describe_round, describe_turn, name_action, explain_action, melds=list_unlisted_melds)
