"""Bridge in the coach's words."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.cards import BIT, JACK, OF_RANK, OF_SUIT, RANK, SIX, SUIT_WORDS, Card
from cardtable.engine.contract import Action, State
from cardtable.engine.tricks import Play
from cardtable.engine.words import counted
from cardtable.games.bridge.rules.actions import BRIDGE, DONE, Suit, effect
from cardtable.games.bridge.rules.view import BridgeView
from cardtable.robots.kit.lesson import Aim, Lesson, Merit, Reasons


def reasons(view: BridgeView, actions: Sequence[Action], _worlds: Sequence[State[BridgeView]]) -> list[Reasons]:
    """What cards do to the others and to the own hand; what is held of a suit that is named."""
    return [_of(view, action) for action in actions]


def _of(view: BridgeView, action: Action) -> Reasons:
    if isinstance(action, Play):
        return _of_card(view, action.card)
    if isinstance(action, Suit):
        number = (view.hand & OF_SUIT[action.suit]).bit_count()
        return (f"{{you}} hold {counted(number, SUIT_WORDS[action.suit])}",)
    if action == BRIDGE:
        return ("ends the round at once",)
    if action == DONE:
        return ("ends {your} turn",) if view.played else (Merit("keeps the card"),)
    return ()


def _of_card(view: BridgeView, card: Card) -> Reasons:
    rest = view.hand & ~BIT[card]
    if not rest and RANK[card] != SIX:
        return ("is {your} last card",)
    words = ["must be covered"] if RANK[card] == SIX else []
    if RANK[card] == JACK:
        words.append("lets {them} name the suit")
    elif rest & OF_RANK[JACK]:
        words.append(Merit("keeps a jack"))
    return (*_effect(view, card), *words, f"leaves {{them}} {counted(rest.bit_count(), 'card')}")


def _effect(view: BridgeView, card: Card) -> list[str]:
    """What it does to the others, with the cards of its rank that were played in this turn."""
    number = 1 + sum([RANK[c] == RANK[card] for c in view.played])
    does = effect(len(view.sizes), view.seat, RANK[card], number, view.options.eights == "share")
    words = []
    if does.due:
        who = "the next player" if len(set(does.due)) == 1 else "the others"
        words.append(f"makes {who} draw {len(does.due)}")
    if does.heir == view.seat:
        words.append("gives {them} another turn")
    elif does.passed:
        words.append("passes over the next player")
    return words


def aim(_view: BridgeView) -> Aim:
    """To have nothing left in the hand that counts."""
    return Aim("{you} get no points", lambda points: points >= 0)


LESSON: Final = Lesson(reasons, aim)
