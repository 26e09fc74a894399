"""The game King for all front ends: zones, explanations and log entries."""

from random import Random

from cardtable.engine import options as house
from cardtable.engine import tricks
from cardtable.engine.cards import ACE, BIT, NAME, RANK, SIX, SUIT, SUIT_WORDS, Card, Cards, iter_cards, lowest
from cardtable.engine.chance import Deal
from cardtable.engine.game import Contract, Event, Game, Note, Seat, TrickStatus, Zone, all_of, hands_seen
from cardtable.engine.log_entries import CustomLogEntry, Dealt, MadePoints, PlayedCard, TookTrick
from cardtable.engine.text_format import capitalize_first, format_count
from cardtable.engine.tricks import Play
from cardtable.games.king import ABOUT
from cardtable.games.king.rules.actions import (
    ACE_OF_HEARTS,
    ALL_HEARTS,
    KING_BIT,
    KING_OF_HEARTS,
    MISER,
    POZ_JAR,
    SEATS,
    TRICKS,
    Claim,
    Kind,
    KingContract,
    Naming,
    Offer,
    Options,
    Take,
)
from cardtable.games.king.rules.state import KingState, KingView, imagine


class KingGame(Game[KingState, KingView]):
    """The game of King."""

    about = ABOUT
    options = Options
    view = KingView
    actions = (Naming, Offer, Take, Claim, Play)
    columns = ("tricks",)

    def start(self, _seats: int, options: house.Options) -> KingState:
        assert isinstance(options, Options)
        return KingState(options)

    def imagine(self, view: KingView, rng: Random) -> KingState:
        return imagine(view, rng)

    def scene(self, view: KingView) -> tuple[Zone, ...]:
        """Return the hands, the trick, and the scoring cards that each seat has taken."""
        hands = hands_seen(view.seat, view.hand, view.sizes)
        taken = [Zone("taken", seat, tuple(iter_cards(cards))) for seat, cards in enumerate(view.scoring_cards_taken)]
        return (*hands, Zone("trick", None, view.trick), *taken)

    def explain_illegal(self, view: KingView, cards: Cards) -> str:
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
        if not view.trick:
            return _explain_illegal_lead(cards)
        if view.must_play_king:
            return f"{NAME[KING_OF_HEARTS]} must go: play it now"
        return tricks.format_must_follow(view.trick[0])

    def explain_card(self, view: KingView, card: Card) -> str | None:
        """Return what a card of the player's hand scores or must do in the contract; ``None`` before one is named."""
        contract, bit = view.contract, BIT[card]
        if contract is None:
            return None
        if contract.kind is Kind.POSITIVE:
            return _explain_rank_or_trump(contract, card)
        points, duty = contract.compute_points(bit, 0) - contract.compute_points(0, 0), ""
        if contract.king_must_fall and card == KING_OF_HEARTS:
            duty = "play it at the first chance"
        elif contract.king_must_fall and card == ACE_OF_HEARTS and _can_force_king(view):
            duty = "in a heart trick it forces KH out"
        if points:
            scoring = f"{'Costs' if points < 0 else 'Brings'} its taker {contract.format_points(str(abs(points)))}"
            return f"{scoring}; {duty}." if duty else f"{scoring}."
        if duty:
            return f"{capitalize_first(duty)}."
        must_wait = contract.no_heart_leads and bit & ALL_HEARTS and view.hand & ~ALL_HEARTS
        return "May not be led while you hold another suit." if must_wait else None

    def narrate(self, event: Event, before: KingView, after: KingView) -> tuple[Note, ...]:
        """Return the log entries of an event for one seat, given its views before and after the event."""
        if isinstance(event, Deal):
            return Dealt(None, after.round), CustomLogEntry(after.dealer, "deals", "deal")
        seat, contract = before.turn, before.contract
        notes: list[Note] = []
        if isinstance(event, Naming):
            contract_text = _format_contract(event.contract, is_change=contract is not None)
            notes.append(CustomLogEntry(seat, f"names {contract_text}", f"name {contract_text}"))
            contract = event.contract
        assert contract is not None
        if isinstance(event, Play):
            notes.append(PlayedCard(seat, event.card))
            if len(before.trick) == SEATS - 1:
                notes.append(TookTrick(_find_taker(before.leader, (*before.trick, event.card), after)))
        elif isinstance(event, Offer):
            part = f"{event.points} of {format_count(before.points_left, 'point')}"
            notes.append(CustomLogEntry(seat, f"offers to take {part}", f"offer to take {part}"))
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

    def trick(self, view: KingView) -> TrickStatus:
        return tricks.trick_status(view, (view.contract.order if view.contract else tricks.order()).winner)

    def contract(self, view: KingView) -> Contract | None:
        return view.contract.named if view.contract else None

    def dealer_or_declarer(self, view: KingView) -> tuple[str, Seat]:
        return "dealer", view.dealer


def _explain_illegal_lead(cards: Cards) -> str:
    if cards & ALL_HEARTS:
        return "You may not lead a heart while you hold another suit"
    suit = SUIT_WORDS[SUIT[lowest(cards)]]
    return f"You hold {NAME[KING_OF_HEARTS]}: your only {suit} may not be the first lead"


def _can_force_king(view: KingView) -> bool:
    """Return True if another player holds the king of hearts and must play it under the ace."""
    return view.options.king_drop == "under-ace" and not KING_BIT & (view.hand | all_of(view.played))


def _explain_rank_or_trump(contract: KingContract, card: Card) -> str | None:
    if contract.trump == SUIT[card]:
        return "A trump: it beats every card of the other suits."
    if contract is MISER and RANK[card] in (SIX, ACE):
        return f"The {'highest' if RANK[card] == SIX else 'lowest'} card of its suit in this contract."
    return None


def _format_contract(contract: KingContract, *, is_change: bool) -> str:
    """Describe a contract that the dealer names; ``is_change``: True if it replaces another one."""
    name = contract.named.name if contract.trump is None else f"{SUIT_WORDS[contract.trump]}s as trump"
    remark = ", where you want points" if contract == POZ_JAR else ""
    return f"{name}{' instead' if is_change else ''}{remark}"


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
        notes.append(CustomLogEntry(None, "no points are left: the round is over"))
    assert after.contract is not None
    weight = after.contract.weight
    return [*notes, *[MadePoints(seat, points, after.finished, weight) for seat, points in enumerate(after.points)]]
