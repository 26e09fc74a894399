"""Zones, explanations and log entries of King, which are the same for all front ends."""

from cardtable.engine import game, tricks
from cardtable.engine.cards import NAME, SUIT, SUIT_WORDS, Card, Cards, iter_cards, lowest
from cardtable.engine.chance import Deal
from cardtable.engine.game import Event, Note, Seat, Zone
from cardtable.engine.log_entries import CustomLogEntry, Dealt, MadePoints, PlayedCard, TookTrick
from cardtable.engine.text_format import format_count
from cardtable.engine.tricks import Play
from cardtable.games.king.rules.actions import SEATS, Claim, Naming, Offer, Take
from cardtable.games.king.rules.contracts import ALL_HEARTS, KING_OF_HEARTS, POZ_JAR, TRICKS, Contract
from cardtable.games.king.rules.state import KingView


def scene(view: KingView) -> tuple[Zone, ...]:
    """Return the hands, the trick, and the scoring cards that each seat has taken."""
    hands = game.hands_seen(view.seat, view.hand, view.sizes)
    taken = [Zone("taken", seat, tuple(iter_cards(cards))) for seat, cards in enumerate(view.scoring_cards_taken)]
    return (*hands, Zone("trick", None, view.trick), *taken)


def explain_illegal(view: KingView, cards: Cards) -> str:
    """Explain why the player cannot play ``cards`` now; without cards, why only a card can be played."""
    if view.turn != view.seat:
        return "It is not your turn"
    if view.contract is None:
        return "Name the contract first"
    if view.unclaimed:
        return "Answer the offer first"
    if not cards:
        return "You can only play a card now"
    if cards & ~view.hand:
        return "You do not hold that card"
    return _explain_illegal_follow(view) if view.trick else _explain_illegal_lead(cards)


def _explain_illegal_follow(view: KingView) -> str:
    if view.must_play_king:
        return f"{NAME[KING_OF_HEARTS]} must fall: play it now"
    return tricks.format_must_follow(view.trick[0])


def _explain_illegal_lead(cards: Cards) -> str:
    if cards & ALL_HEARTS:
        return "You may not lead a heart while you hold another suit"
    suit = SUIT_WORDS[SUIT[lowest(cards)]]
    return f"You hold {NAME[KING_OF_HEARTS]}: your only {suit} may not be the first lead"


def narrate(event: Event, before: KingView, after: KingView) -> tuple[Note, ...]:
    """Return the log entries of an event for one seat, given its views before and after the event."""
    if isinstance(event, Deal):
        return Dealt(None, after.round), CustomLogEntry(after.dealer, "deals", "deal")
    seat, contract = before.turn, before.contract
    notes: list[Note] = []
    if isinstance(event, Naming):
        what = _format_contract(event.contract, is_change=contract is not None)
        notes.append(CustomLogEntry(seat, f"names {what}", f"name {what}"))
        contract = event.contract
    assert contract is not None
    if isinstance(event, Play):
        notes.append(PlayedCard(seat, event.card))
        if len(before.trick) == SEATS - 1:
            notes.append(TookTrick(_find_taker(before.leader, (*before.trick, event.card), after)))
    elif isinstance(event, Offer):
        part = f"{event.points} of {format_count(before.points_left, 'point')}"
        notes.append(CustomLogEntry(seat, f"offers to collect {part}", f"offer to collect {part}"))
    elif isinstance(event, Take):
        part = format_count(event.points, "point") if event.points else "nothing"
        notes.append(CustomLogEntry(seat, f"takes {part}", f"take {part}"))
        if not after.unclaimed and after.playing:
            notes.append(CustomLogEntry(None, "the offer lapses"))
    elif isinstance(event, Claim):
        part = format_count(before.points_left, "point")
        notes.append(CustomLogEntry(seat, f"claims all {part}", f"claim all {part}"))
    if after.finished > before.finished:
        notes += _narrate_round_end(event, after)
    return tuple(notes)


def _format_contract(contract: Contract, *, is_change: bool) -> str:
    """Describe a contract that the dealer names; ``is_change``: True if it replaces another one."""
    what = contract.named.name if contract.trump is None else f"{SUIT_WORDS[contract.trump]}s as trump"
    wanted = ", where points are wanted" if contract == POZ_JAR else ""
    return f"{what}{' instead' if is_change else ''}{wanted}"


def _find_taker(leader: Seat, trick: tuple[Card, ...], view: KingView) -> Seat:
    """Return the seat that takes a complete trick under the contract of ``view``."""
    assert view.contract is not None
    return (leader + view.contract.order.winner(trick)) % SEATS


def _narrate_round_end(event: Event, after: KingView) -> list[Note]:
    """Return the log entries for the end of a round, with the points of each seat."""
    notes: list[Note] = []
    if after.complete == TRICKS:
        notes.append(TookTrick(_find_taker(after.last_leader, after.last_trick, after), last=True))
    elif isinstance(event, Play):
        notes.append(CustomLogEntry(None, "nothing is left to score"))
    assert after.contract is not None
    weight = after.contract.weight
    return [*notes, *[MadePoints(seat, points, after.finished, weight) for seat, points in enumerate(after.points)]]
