"""How it stood when somebody had to choose, by what that seat saw: facts for the review."""

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import NAME
from cardtable.engine.contract import AnyGame, Seat
from cardtable.engine.words import counted
from cardtable.records.review import PastDecision
from cardtable.wording.names import Names
from cardtable.wording.reviewed import kind
from cardtable.wording.titles import trump_words
from cardtable.wording.words import ordinal


def heading(game: AnyGame, decision: PastDecision) -> str:
    """Where in the session it was."""
    return f"Round {decision.round}, {kind(game, decision)}"


def aims(game: AnyGame, decision: PastDecision) -> str:
    """What the seat had bid and has; nothing (``""``) where nothing was bid."""
    bids, seat = game.bids(decision.view), decision.view.seat
    return "" if bids is None or bids.made[seat] is None else f"bid {bids.made[seat]}, has {bids.won[seat]}"


def facts(game: AnyGame, decision: PastDecision) -> list[str]:
    """What was played, and whose turn it was in the trick."""
    contract = game.contract(decision.view)
    return list(filter(None, [contract.words if contract else "", *_bidding(game, decision), _place(game, decision)]))


def _bidding(game: AnyGame, decision: PastDecision) -> list[str]:
    """What was bid on."""
    if (bids := game.bids(decision.view)) is None:
        return []
    return [counted(bids.cards, "card"), trump_words(bids.trump)]


def _place(game: AnyGame, decision: PastDecision) -> str:
    """The turn among those who bid, or in the trick."""
    bids, trick = game.bids(decision.view), game.trick(decision.view)
    if bids and isinstance(decision.action, Bid):
        return f"{ordinal(1 + sum(bid is not None for bid in bids.made))} to bid"
    if trick is None or not decision.action.uses():
        return ""
    return f"{ordinal(1 + len(trick.lying))} to play" if trick.lying else "you lead"


def lying(game: AnyGame, decision: PastDecision, names: Names) -> list[tuple[str, str]]:
    """What lay open or was said, each after whose or what it is; cards in notation."""
    bids, trick = game.bids(decision.view), game.trick(decision.view)
    if bids and isinstance(decision.action, Bid):
        return [(names[seat], f"bids {bid}") for seat, bid in enumerate(bids.made) if bid is not None]
    if trick:
        return [(names[seat], NAME[card]) for seat, card in trick.lying]
    zones = [zone for zone in game.scene(decision.view) if zone.seat is None]
    return [(zone.name, " ".join(NAME[card] for card in zone.cards if card is not None)) for zone in zones]


def everyone(names: Names, me: Seat) -> list[str]:
    """The names, the own one as the person is spoken to."""
    return ["you" if seat == me else name for seat, name in enumerate(names)]
