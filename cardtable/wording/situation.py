"""How it stood when somebody had to choose, by what that seat saw: facts for the review."""

from typing import Any

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import NAME, SUIT, SUIT_WORDS
from cardtable.engine.contract import AnyGame, Seat
from cardtable.engine.words import counted
from cardtable.play.news import by_whom
from cardtable.records.review import Decision
from cardtable.robots.kit.lesson import name
from cardtable.wording.names import Names
from cardtable.wording.reviewed import kind
from cardtable.wording.words import ordinal


def heading(decision: Decision) -> str:
    """Where in the session it was."""
    return f"Round {decision.round}, {kind(decision.view, decision.action)}"


def aims(decision: Decision) -> str:
    """What the seat had bid and has; nothing (``""``) where nothing was bid."""
    view: Any = decision.view
    bids = getattr(view, "bids", None)
    if bids is None or bids[view.seat] is None:
        return ""
    return f"bid {bids[view.seat]}, has {view.won[view.seat]}"


def facts(decision: Decision) -> list[str]:
    """What was played, and whose turn it was in the trick."""
    view: Any = decision.view
    return list(filter(None, [_contract(view), *_cards_and_trump(view), _place(view, decision)]))


def _contract(view: Any) -> str:
    contract = getattr(view, "contract", None)
    return name(contract) if contract else ""


def _cards_and_trump(view: Any) -> list[str]:
    if not hasattr(view, "bids"):
        return []
    shown = getattr(view, "trump_card", None)
    trump = SUIT[shown] if shown is not None else getattr(view, "trump", None)
    return [counted(view.cards, "card"), "no trump" if trump is None else f"{SUIT_WORDS[trump]}s are trump"]


def _place(view: Any, decision: Decision) -> str:
    if isinstance(decision.action, Bid):
        return f"{ordinal(1 + sum(bid is not None for bid in view.bids))} to bid"
    if not hasattr(view, "trick") or not decision.action.uses():
        return ""
    return "you lead" if not view.trick else f"{ordinal(1 + len(view.trick))} to play"


def lying(game: AnyGame, decision: Decision, names: Names) -> list[tuple[str, str]]:
    """What lay open or was said, each after whose or what it is; cards in notation."""
    view: Any = decision.view
    if isinstance(decision.action, Bid):
        said = [(seat, bid) for seat, bid in enumerate(view.bids) if bid is not None]
        return [(names[seat], f"bids {bid}") for seat, bid in said]
    if hasattr(view, "trick"):
        return [(names[seat], NAME[card]) for seat, card in by_whom(view, view.leader, view.trick)]
    zones = [zone for zone in game.scene(view) if zone.seat is None]
    return [(zone.name, " ".join(NAME[card] for card in zone.cards if card is not None)) for zone in zones]


def everyone(names: Names, me: Seat) -> list[str]:
    """The names, the own one as the person is spoken to."""
    return ["you" if seat == me else name for seat, name in enumerate(names)]
