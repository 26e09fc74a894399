"""How it stands for the seat to act, and why it has just these choices: texts that become sentences."""

from collections.abc import Iterator

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import BIT, COPY, SUIT, Card, iter_cards
from cardtable.engine.game import Game, S, TrickStatus, V, View
from cardtable.engine.text_format import counted
from cardtable.engine.tricks import Play
from cardtable.plain.speech_text import SUIT_NAMES, card, spoken, whose
from cardtable.wording.players import Names


def usual(game: Game[S, V], view: V, names: Names) -> Iterator[str]:
    """What is said where a game has no words of its own: of the bids, of the trick, of what lies on top of a pile."""
    yield from bidding(game, view)
    yield from following(game, view, names)
    yield from _on_top(game, view)
    if view.legal and all(action.cards_used().bit_count() > 1 for action in view.legal):
        yield spoken(game.why_not(view, 0))


def _on_top(game: Game[S, V], view: V) -> Iterator[str]:
    """The top card of the pile, and what was named that may count instead; to who is to act."""
    if not view.legal:
        return
    for zone in game.scene(view):
        top = zone.cards[-1] if zone.name == "pile" and zone.cards else None
        if top is not None:
            yield f"the top card is {card(top)}"
            if named := game.contract(view):
                yield named.words


def bidding(game: Game[S, V], view: V) -> Iterator[str]:
    """What has been bid, to who is to bid; and the number that she may not say."""
    bids = game.bids(view)
    if bids is None or not any(isinstance(action, Bid) for action in view.legal):
        return
    made = [bid for bid in bids.made if bid is not None]
    last = len(made) == len(bids.made) - 1
    so_far = f"the bids so far come to {sum(made)}, for {counted(bids.cards, 'trick')}"
    yield f"you bid {'last' if last else 'next'}; {so_far}" if made else "you bid first"
    if len(view.legal) <= bids.cards:
        yield spoken(game.why_not(view, 0))


def following(game: Game[S, V], view: V, names: Names) -> Iterator[str]:
    """The suit that was led and by whom, who would take the trick, and what may be played; to who is to play."""
    trick = game.trick(view)
    if trick is None or not any(isinstance(action, Play) for action in view.legal):
        return
    yield _led(trick, names) if trick.lying else _leading(game, view)
    yield from why(game, view)


def _leading(game: Game[S, V], view: V) -> str:
    bids = game.bids(view)
    return "you lead" if bids is None else f"you lead; you bid {bids.made[view.seat]} and have {bids.won[view.seat]}"


def _led(trick: TrickStatus, names: Names) -> str:
    """Who led what, and whose card would take it where more lie."""
    leader, first = trick.lying[0]
    if len(trick.lying) > 1 and leader == trick.winning:
        return f"{names[leader]} led {card(first)} and is winning"
    said = f"{names[leader]} led {SUIT_NAMES[SUIT[first]]}"
    return said if len(trick.lying) == 1 else f"{said}; {winning(trick, names)} is winning"


def winning(trick: TrickStatus, names: Names) -> str:
    """Whose card would take the trick as it stands: ``Bo's king of clubs``."""
    seat, best = next((seat, c) for seat, c in trick.lying if seat == trick.winning)
    return f"{whose(names[seat])} {card(best)}"


def why(game: Game[S, V], view: V, *, follows: bool = True) -> Iterator[str]:
    """Why some cards of the hand may not be played, or that all may since there is none of the suit led.

    ``follows``: whether the suit led matters.
    """
    able = {c % COPY for action in view.legal for c in iter_cards(action.cards_used())}
    barred = [c for c in iter_cards(view.hand) if c % COPY not in able]
    trick = game.trick(view)
    led = SUIT[trick.lying[0][1]] if trick and trick.lying else None
    if barred:
        nearest = min(barred, key=lambda c: SUIT[c] != led)
        yield spoken(game.why_not(view, BIT[nearest]))
    elif follows and led is not None and not _holds(view, led):
        yield f"you have no {SUIT_NAMES[led]} and may play any card"


def _holds(view: View, suit: int) -> bool:
    """Whether the own hand has a card of a suit."""
    held: list[Card] = iter_cards(view.hand)
    return any(SUIT[c] == suit for c in held)
