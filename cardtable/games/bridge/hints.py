"""Hints for Bridge: facts about cards, named suits, and the end of a turn or round."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.cards import (
    ACE,
    BIT,
    EIGHT,
    JACK,
    NAME,
    OF_RANK,
    OF_SUIT,
    RANK,
    SEVEN,
    SIX,
    SUIT_WORDS,
    Card,
    lowest,
    mask_of,
)
from cardtable.engine.drawing import DRAW
from cardtable.engine.game import Action, State
from cardtable.engine.text_format import format_count
from cardtable.engine.tricks import Play
from cardtable.games.bridge.rules.actions import (
    BRIDGE,
    DONE,
    JACK_POINTS,
    Eights,
    Jacks,
    Suit,
    compute_effect,
    find_fitting_cards,
    sum_points,
)
from cardtable.games.bridge.rules.state import BridgeView
from cardtable.robots.kit.hint_spec import Fact, Facts, Goal, HintSpec, keep_card
from cardtable.robots.kit.search_spec import Candidate

_USEFUL_RANKS: Final = {SEVEN: "a 7", EIGHT: "an 8", JACK: "a jack", ACE: "an ace"}
"""Ranks worth keeping, with their names: cards that affect other players or fit on every card."""


def list_facts(view: BridgeView, candidates: Sequence[Candidate], _worlds: Sequence[State[BridgeView]]) -> list[Facts]:
    return [(*_list_action_facts(view, one.action), *_list_useful_card_facts(view, one.action)) for one in candidates]


def _list_action_facts(view: BridgeView, action: Action) -> Facts:
    if isinstance(action, Play):
        return _list_card_facts(view, action.card)
    if isinstance(action, Suit):
        number, suit = (view.hand & OF_SUIT[action.suit]).bit_count(), SUIT_WORDS[action.suit]
        held = f"{number} {suit}s" if number > 1 else suit
        few = f"matches only {{your}} {held}" if number else "is a suit {you} do not hold"
        return (Fact("suit", number, f"matches {{your}} {held}" if number else "", few, habit=True),)
    if action == BRIDGE:
        hidden = sum(view.sizes) - view.sizes[view.seat]
        own = format_count(sum_points(view.hand) * view.multiplier, "point")
        return (
            Fact("ends", 1, f"ends the round while {{you}} hold {own} and the others {format_count(hidden, 'card')}"),
        )
    return _list_other_facts(view, action)


def _list_other_facts(view: BridgeView, action: Action) -> Facts:
    number = len(view.last_move)
    if action == DRAW:
        return (Fact("cards", -1, bad="adds a card to {your} hand"),)
    if isinstance(action, Jacks):
        points = JACK_POINTS * number * view.multiplier
        text = f"gives each of them {points} points" if action.plus else f"takes {points} points off {{your}} total"
        return (Fact(action.notation, 1, text),)
    return ()


def _list_card_facts(view: BridgeView, card: Card) -> Facts:
    sure = _list_sure_plays(view, card)
    last, rest = sure[-1], view.hand & ~mask_of(sure)
    covers = f", as {NAME[sure[1]]} must cover it" if len(sure) > 1 else ""
    if not rest and RANK[last] != SIX:
        both = f"gets rid of {{your}} last cards{covers}, and ends the round"
        return (Fact("out", 1, both if covers else "ends the round"),)
    facts = list(_list_effect_facts(view, last))
    if RANK[last] == SIX:
        covered = bool(rest & find_fitting_cards(last, None))
        facts.append(
            Fact("six", -1 if covered else -2, bad="must be covered" if covered else "must be covered, so {you} draw")
        )
    if RANK[last] == JACK and not mask_of(view.played) & OF_RANK[JACK]:
        facts.append(Fact("names", 1, "lets {them} name the suit"))
    if covers:
        facts.append(Fact("cards", len(sure), f"gets rid of {format_count(len(sure), 'card')}{covers}"))
    points, more = sum_points(mask_of(sure)), (rest & OF_RANK[RANK[last]]).bit_count()
    facts.append(Fact("points", points, f"gets rid of {points} points", "gets rid of fewer points", margin=4))
    if more and RANK[last] != SIX:
        facts.append(Fact("more", more, f"lets {{them}} play {more} more of that rank"))
    if not covers:
        facts.append(Fact("cards", 1, bad="gets rid of one card only"))
    return tuple(facts)


def _list_sure_plays(view: BridgeView, card: Card) -> list[Card]:
    """Return the card, and after a 6 the cards of the hand that have to follow it because no other one covers it."""
    sure = [card]
    while RANK[sure[-1]] == SIX:
        covers = view.hand & ~mask_of(sure) & find_fitting_cards(sure[-1], None)
        if covers.bit_count() != 1:
            break
        sure.append(lowest(covers))
    return sure


def _list_useful_card_facts(view: BridgeView, action: Action) -> list[Fact]:
    """Return the facts on the useful cards that an action keeps or spends."""
    useful = [play.card for play in view.legal if isinstance(play, Play) and RANK[play.card] in _USEFUL_RANKS]
    used = mask_of(_list_sure_plays(view, action.card)) if isinstance(action, Play) else 0
    return [
        Fact(f"keep {card}", -1 if used & BIT[card] else 0, keep_card(card), f"spends {_USEFUL_RANKS[RANK[card]]}")
        for card in useful
    ]


def _list_effect_facts(view: BridgeView, card: Card) -> list[Fact]:
    """Return the facts on the effect of a card on the other players, if the turn ends with it."""
    number = 1 + len([c for c in view.played if RANK[c] == RANK[card]])
    effect = compute_effect(len(view.sizes), view.seat, RANK[card], number, view.options.eights == "share")
    facts = []
    if effect.due:
        players = "the next player" if len(set(effect.due)) == 1 else "the others"
        facts.append(Fact("due", len(effect.due), f"makes {players} draw {format_count(len(effect.due), 'card')}"))
    if effect.next_seat == view.seat:
        facts.append(Fact("turn", 2, "gives {them} another turn"))
    elif effect.passed:
        facts.append(Fact("turn", 1, "skips the next player"))
    return facts


def find_goal(_view: BridgeView) -> Goal:
    return Goal("score no points", lambda _seat, points: points >= 0)


def name_action(view: BridgeView, action: Action) -> str | None:
    """Return the name of an action whose name on the table is not a command; ``None`` for other actions."""
    if isinstance(action, Suit):
        return f"Name {SUIT_WORDS[action.suit]}s"
    names: dict[Action, str] = {
        DRAW: "Draw a card",
        DONE: "End {your} turn" if view.played else "Keep the card",
        BRIDGE: "Call bridge",
        Eights(share=False): "Let the next player draw for all 8s",
        Eights(share=True): "Share the 8s among the others",
        Jacks(plus=False): "Count the jacks for {your} own score",
        Jacks(plus=True): "Count the jacks against the others",
    }
    return names.get(action)


HINT_SPEC: Final = HintSpec(list_facts, find_goal, action_name=name_action)
