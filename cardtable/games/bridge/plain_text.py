"""Description of a Bridge table in plain text."""

from collections.abc import Iterator
from typing import Final

from cardtable.engine.cards import JACK, RANK, RANK_WORDS, SIX, SUIT, SUIT_WORDS
from cardtable.engine.drawing import DRAW
from cardtable.engine.faces import FRENCH
from cardtable.engine.game import Action
from cardtable.engine.text_format import format_count
from cardtable.games.bridge.rules.actions import (
    BRIDGE,
    DONE,
    JACK_POINTS,
    BridgeWith,
    Eights,
    Jacks,
    Suit,
    compute_effect,
    sum_points,
)
from cardtable.games.bridge.rules.state import BridgeView
from cardtable.plain.speech_text import SUIT_NAMES, PlainTextSpec, format_card, to_inline_name
from cardtable.wording.formatting import YOU, join_words
from cardtable.wording.players import Names


def describe_round(view: BridgeView, names: Names) -> Iterator[str]:
    """Yield the multiplier, the named suit and the value of the bridge monitor."""
    if view.multiplier > 1:
        yield f"points count {view.multiplier} times"
    if view.named is not None and view.turn != view.seat:
        yield _format_named_suit(view, view.named, names)
    yield f"cards of equal rank in a row: {view.run}"


def _format_named_suit(view: BridgeView, suit: int, names: Names) -> str:
    """Describe the named suit, with the player who named it."""
    remark = "" if view.named_by is None else f", as {to_inline_name(names[view.named_by])} named"
    return f"{SUIT_NAMES[suit]} must follow{remark}"


def describe_turn(view: BridgeView, names: Names) -> Iterator[str]:
    """Yield the top card and the cards that fit, or what the player may do next."""
    if view.finisher is not None:
        yield "you called bridge" if view.hand else "you went out"
    elif view.played:
        yield _describe_further_plays(view)
    elif not view.stack:
        yield "any card will do"
    else:
        yield from _describe_fitting_cards(view, names)


def _describe_fitting_cards(view: BridgeView, names: Names) -> Iterator[str]:
    """Yield the top card and the cards that fit on it, at the beginning of a turn."""
    top = view.stack[-1]
    if view.named is not None:
        fits = f"{_format_named_suit(view, view.named, names)}: play a {SUIT_WORDS[view.named]} or a jack"
    elif RANK[top] == JACK:
        fits = "only a jack can be played"
    else:
        fits = f"play a {SUIT_WORDS[SUIT[top]]}, {FRENCH.ranks[RANK[top]].with_article} or a jack"
    yield f"the top card is {format_card(top, article=True)}; {fits}"
    if view.legal == (DRAW,):
        yield "you hold no playable card, so you draw one card"
    elif DONE in view.legal:
        yield "you can play the card you drew"


def _describe_further_plays(view: BridgeView) -> str:
    """Describe the cards that may follow a card played in this turn."""
    last = view.played[-1]
    if RANK[last] == SIX:
        suit = SUIT_WORDS[SUIT[last]]
        draws = "; you hold none, so draw until you can" if DRAW in view.legal else ""
        return f"your {format_card(last)} must be covered with a {suit}, a jack or another six{draws}"
    more = any(action.cards_used() for action in view.legal)
    end = "name a suit to end your turn" if RANK[last] == JACK else "end your turn"
    return f"you may play another {RANK_WORDS[RANK[last]]}, or {end}" if more else end


def name_action(view: BridgeView, action: Action) -> str | None:
    """Return the text of an action without cards, after its kind; ``None`` if the default text is good enough."""
    if isinstance(action, Suit):
        return SUIT_NAMES[action.suit]
    if isinstance(action, Eights):
        return "share the eights" if action.share else "all eights to the next player"
    if isinstance(action, BridgeWith):
        return f"bridge, and {name_action(view, action.then)}"
    if isinstance(action, Jacks):
        points = JACK_POINTS * len(view.last_move) * view.multiplier
        return f"plus: {points} more for each of the others" if action.plus else f"minus: {points} off for you"
    if action == DONE:
        return "end your turn" if view.played else "keep the card"
    return {BRIDGE: "bridge", DRAW: "draw a card"}.get(action)


def explain_action(view: BridgeView, names: Names, action: Action) -> str | None:
    """Explain the effect of an action on the other players, and its points; ``None`` if there is nothing to explain."""
    if BRIDGE in action.steps:
        draws = [_describe_effect(view, names, step, is_last=True) for step in action.steps if isinstance(step, Eights)]
        ends = f"this ends the round; your hand counts {sum_points(view.hand) * view.multiplier}"
        return ", ".join([ends, *draws])
    if isinstance(action, Eights) or (action == DONE and view.played):
        return _describe_effect(view, names, action, is_last=view.finisher is not None)
    return None


def _describe_effect(view: BridgeView, names: Names, action: Action, *, is_last: bool) -> str:
    """Describe the effect of the last cards if ``action`` ends the turn or, with ``is_last``, the round."""
    last, share = view.last_move, action.share if isinstance(action, Eights) else view.options.eights == "share"
    effect = compute_effect(len(names), view.seat, RANK[last[-1]], len(last), share)
    effects = []
    for seat in dict.fromkeys(effect.due if is_last else (*effect.due, *effect.passed)):
        cards = format_count(effect.due.count(seat), "card")
        draws, is_passed = seat in effect.due, seat in effect.passed and not is_last
        they = [*([f"draws {cards}"] if draws else []), *(["is skipped"] if is_passed else [])]
        you = [*([f"draw {cards}"] if draws else []), *(["are skipped"] if is_passed else [])]
        effects.append(f"{to_inline_name(names[seat])} {join_words(they if names[seat] != YOU else you)}")
    if not is_last:
        effects.append(
            f"{to_inline_name(names[effect.next_seat])} {'are' if names[effect.next_seat] == YOU else 'is'} next"
        )
    return ", ".join(effects)


PLAIN_TEXT: Final = PlainTextSpec(
    describe_round,
    describe_turn,
    name_action,
    explain_action,
    verbs={"suit": "name", "eights": "", "bridge": "", "jacks": ""},
    choices=lambda view: view.choices,
)
