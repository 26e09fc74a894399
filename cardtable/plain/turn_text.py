"""Description of a turn: the situation of the seat to act, and the reasons that limit its choices.

The texts are parts of sentences, without a capital letter and a full stop.
"""

from collections.abc import Iterator

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import BIT, COPY_OFFSET, SUIT, iter_cards
from cardtable.engine.game import Game, S, TrickStatus, V
from cardtable.engine.text_format import format_count
from cardtable.engine.tricks import Play
from cardtable.plain.speech_text import format_card, format_suit, to_possessive, to_spoken
from cardtable.wording.players import Names


def describe_default_turn(game: Game[S, V], view: V, names: Names) -> Iterator[str]:
    """Yield the description of a turn for any game: bids, the trick and the top card of the pile."""
    yield from describe_bidding(game, view)
    yield from describe_trick_turn(game, view, names)
    yield from _describe_top_card(game, view)
    if view.legal and all(action.cards_used().bit_count() > 1 for action in view.legal):
        yield _describe_selection(game, view)


def _describe_selection(game: Game[S, V], view: V) -> str:
    """Return what has to be chosen, which the game explains to a player who has not selected a card."""
    return to_spoken(game.explain_illegal(view, 0))


def _describe_top_card(game: Game[S, V], view: V) -> Iterator[str]:
    """Yield the top card of the pile and the named contract, if any; nothing if it is not the seat's turn."""
    if not view.legal:
        return
    for zone in game.scene(view):
        top = zone.cards[-1] if zone.name == "pile" and zone.cards else None
        if top is not None:
            yield f"the top card is {format_card(top, article=True)}"
            if named := game.contract(view):
                yield named.words


def describe_bidding(game: Game[S, V], view: V) -> Iterator[str]:
    """Yield the sum of the bids so far and the forbidden bid, if any; nothing if the view's seat is not to bid."""
    bids = game.bids(view)
    if bids is None or not any(isinstance(action, Bid) for action in view.legal):
        return
    made = [bid for bid in bids.made if bid is not None]
    last = len(made) == len(bids.made) - 1
    bid_total = f"the bids so far total {sum(made)}, with {format_count(bids.cards, 'trick')} to play"
    yield f"you bid {'last' if last else 'next'}; {bid_total}" if made else "you bid first"
    if len(view.legal) <= bids.cards:
        yield _describe_selection(game, view)


def describe_trick_turn(game: Game[S, V], view: V, names: Names) -> Iterator[str]:
    """Yield the lead, the winning card and what restricts the choice; nothing if the view's seat is not to play."""
    trick = game.trick(view)
    if trick is None or not any(isinstance(action, Play) for action in view.legal):
        return
    yield _describe_trick(trick, names) if trick.lying else _describe_lead(game, view)
    yield from explain_restrictions(game, view)


def _describe_lead(game: Game[S, V], view: V) -> str:
    bids = game.bids(view)
    return "you lead" if bids is None else f"you lead; you bid {bids.made[view.seat]} and have {bids.won[view.seat]}"


def _describe_trick(trick: TrickStatus, names: Names) -> str:
    """Describe the lead, and the winning card if more than one card has been played."""
    leader, first = trick.lying[0]
    if len(trick.lying) > 1 and leader == trick.winning:
        return f"{names[leader]} led {format_card(first, article=True)} and is winning"
    lead = f"{names[leader]} led {format_suit(SUIT[first])}"
    return lead if len(trick.lying) == 1 else f"{lead}; {describe_winning_card(trick, names)} is winning"


def describe_winning_card(trick: TrickStatus, names: Names) -> str:
    """Describe the card that is winning the trick: ``Bo's king of clubs``."""
    seat, best = next((seat, c) for seat, c in trick.lying if seat == trick.winning)
    return f"{to_possessive(names[seat])} {format_card(best)}"


def explain_restrictions(game: Game[S, V], view: V, *, must_follow: bool = True) -> Iterator[str]:
    """Yield the reason why some cards of the hand may not be played, if there are such cards.

    If the hand is void in the suit led, yield that any card may be played. ``must_follow`` is False in games without a
    duty to follow suit, in which a void is not mentioned.
    """
    playable = {c % COPY_OFFSET for action in view.legal for c in iter_cards(action.cards_used())}
    barred = [c for c in iter_cards(view.hand) if c % COPY_OFFSET not in playable]
    trick = game.trick(view)
    led = SUIT[trick.lying[0][1]] if trick and trick.lying else None
    if barred:
        nearest = min(barred, key=lambda c: SUIT[c] != led)
        yield to_spoken(game.explain_illegal(view, BIT[nearest]))
    elif must_follow and led is not None and all(SUIT[c] != led for c in iter_cards(view.hand)):
        yield f"you have no {format_suit(led)} and may play any card"
