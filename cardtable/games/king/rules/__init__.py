"""Rules of King: the dealer names the contract of the round, which mostly says what costs points.

``rules.md`` explains the game to players; the actions are in a module of their own.
"""

from collections.abc import Hashable, Sequence
from random import Random
from typing import Annotated, Final

from cardtable.engine import determinization, tricks
from cardtable.engine import options as house
from cardtable.engine.annotations import OMITTED, CountOf, OneOf
from cardtable.engine.cards import (
    ACE,
    BIT,
    NAME,
    OF_SUIT,
    PACK_36,
    RANK,
    SIX,
    SUIT,
    SUIT_WORDS,
    Card,
    Cards,
    all_of,
    iter_cards,
    lowest,
    mask_of,
)
from cardtable.engine.chance import Deal
from cardtable.engine.game import Action, Contract, Event, Game, Note, Seat, TrickStatus, Zone
from cardtable.engine.log_entries import CustomLogEntry, Dealt, MadePoints, PlayedCard, TookTrick
from cardtable.engine.presentation import hands_seen
from cardtable.engine.round_state import with_value
from cardtable.engine.text_format import capitalize_first, format_count
from cardtable.engine.trick_game import TrickState
from cardtable.engine.tricks import PLAY, PLAYS, Play, TrickView
from cardtable.games.king import ABOUT
from cardtable.games.king.rules.actions import (
    ACE_OF_HEARTS,
    ALL_HEARTS,
    CLAIM,
    CONTRACTS,
    KING_BIT,
    KING_OF_HEARTS,
    MISER,
    OFFER_TRICKS,
    OFFERS_UP_TO,
    POZ_JAR,
    SEATS,
    STAKE,
    TAKES_UP_TO,
    TRICKS,
    Bargain,
    Claim,
    Kind,
    KingContract,
    Naming,
    Offer,
    Options,
    Take,
    compute_trick_shares,
    list_other_namings,
    list_remaining_namings,
)


class KingView(TrickView, frozen=True):
    options: Options
    dealer: Seat
    contract: Annotated[KingContract, OneOf(CONTRACTS)] | None
    """Contract of the round, which the dealer can change until the first lead; ``None`` before it is named."""
    declared: tuple[Annotated[tuple[KingContract, ...], CountOf(CONTRACTS)], ...]
    """Contracts that each dealer has played in finished rounds."""
    first: Card | None
    """First card led in the round; ``None`` before."""
    taken: tuple[Cards, ...]
    """Cards in the tricks that each seat has taken."""
    points: tuple[int, ...]
    """Points scored in the round by each seat so far, before the weight."""
    bargains: Annotated[tuple[Bargain, ...], OMITTED]
    """Offers made in the round, with the answers."""
    unclaimed: int
    """Points of the current offer that no seat has claimed yet; 0 if no offer is being answered."""
    offered: bool
    """True if the seat to act has already made an offer before playing its next card."""

    @property
    def points_left(self) -> int:
        """Number of points still to collect in a negative contract; 0 in other contracts."""
        if self.contract is None or self.contract.kind is not Kind.NEGATIVE:
            return 0
        return STAKE + sum(self.points)

    @property
    def complete(self) -> int:
        return sum(self.won)

    @property
    def scoring_cards_taken(self) -> tuple[Cards, ...]:
        """Scoring cards that each seat has taken."""
        scoring = self.contract.scoring_cards if self.contract else 0
        return tuple([cards & scoring for cards in self.taken])

    @property
    def must_play_king(self) -> bool:
        """True if this seat must play the king of hearts by rule K, and not merely to follow suit."""
        if not self.trick:
            return False
        follows = self.hand & OF_SUIT[SUIT[self.trick[0]]]
        return sum([action.cards_used() for action in self.legal]) == KING_BIT != (follows or self.hand)


_PLAY_KING: Final[tuple[Action, ...]] = (PLAY[KING_OF_HEARTS],)
_CLAIM: Final[tuple[Action, ...]] = (CLAIM,)
_NO_HEARTS: Final = PACK_36 & ~ALL_HEARTS


class KingState(TrickState[KingView]):
    __slots__ = (
        "bargains", "complete", "contract", "dealer", "declared", "first", "offered", "points", "taken", "unclaimed",
    )  # fmt: skip
    pack = PACK_36
    plays_last_trick = True
    options: Options
    taken: list[Cards]
    """Cards taken, by seat."""
    points: list[int]
    """Points made in this round, by seat."""

    def __init__(self, options: Options) -> None:
        super().__init__(SEATS, options)
        self.declared: tuple[tuple[KingContract, ...], ...] = ((),) * SEATS

    def clear(self) -> None:
        super().clear()
        self.dealer: Seat = self.first_seat
        self.contract: KingContract | None = None
        self.first: Card | None = None
        self.complete = 0
        self.taken, self.points = [0] * SEATS, [0] * SEATS
        self.bargains: tuple[Bargain, ...] = ()
        self.unclaimed = 0
        self.offered = False

    def legal(self) -> Sequence[Action]:
        contract = self.contract
        if self.first is None:
            return self._list_opening_actions()
        assert contract is not None
        if self.unclaimed:
            return TAKES_UP_TO[self.unclaimed]
        plays = self._list_plays(contract)
        if self.offered or contract.kind is not Kind.NEGATIVE or not self.options.offers:
            return plays
        return plays + (OFFERS_UP_TO[STAKE + sum(self.points)] if self.complete < OFFER_TRICKS else _CLAIM)

    def _list_opening_actions(self) -> Sequence[Action]:
        contract, namings = self.contract, list_remaining_namings(self.declared[self.dealer], self.options.quota)
        if contract is None:
            return namings
        leads = PLAYS.of(contract.find_leads(self.hands[self.dealer], first=True))
        return list_other_namings(namings, contract) + leads

    def _list_plays(self, contract: KingContract) -> tuple[Action, ...]:
        hand, led = self.hands[self.turn], self.led
        if not led:
            return PLAYS.of(contract.find_leads(hand, first=False))
        same = hand & led
        if contract.king_must_fall and hand & KING_BIT and (not same or self._is_king_under_ace()):
            return _PLAY_KING
        return PLAYS[same] if same else PLAYS.of(hand)

    def _is_king_under_ace(self) -> bool:
        """Return True if the king of hearts must be played because the ace of hearts is in a trick of hearts (option
        ``king_drop``).
        """
        return self.led == ALL_HEARTS and ACE_OF_HEARTS in self.trick and self.options.king_drop == "under-ace"

    def act(self, action: Action) -> None:
        if isinstance(action, Take):
            self._apply_answer(action.points)
        elif isinstance(action, Offer):
            self.bargains = (*self.bargains, Bargain(self.turn, (action.points,)))
            self.unclaimed = STAKE + sum(self.points) - action.points
            self._ask_next()
        elif isinstance(action, Naming):
            self.contract = action.contract
        elif isinstance(action, Claim):
            self.points[self.turn] -= STAKE + sum(self.points)
            self.end_round()
        else:
            raise TypeError(action)

    def play(self, card: Card) -> None:
        seat, bit, led, contract = self.turn, BIT[card], self.led, self.contract
        assert contract is not None
        self.hands[seat] ^= bit
        if not led:
            self.led = OF_SUIT[SUIT[card]]
            if self.first is None:
                self.first = card
            if contract.no_heart_leads and bit & ALL_HEARTS:
                self.excluded_cards[seat] |= _NO_HEARTS
        else:
            if not bit & led:
                self.excluded_cards[seat] |= led
            if contract.king_must_fall and bit != KING_BIT and (not bit & led or self._is_king_under_ace()):
                self.excluded_cards[seat] |= KING_BIT
        self.offered = False
        self.add_to_trick(card)

    def taker(self, trick: Sequence[Card]) -> int:
        assert self.contract is not None
        return self.contract.order.winner(trick)

    def record_trick(self, taker: Seat) -> bool:
        contract, trick = self.contract, self.last_trick
        assert contract is not None
        cards = BIT[trick[0]] | BIT[trick[1]] | BIT[trick[2]] | BIT[trick[3]]
        self.taken[taker] |= cards
        if contract.kind is Kind.POSITIVE:
            self.points = [
                p + share for p, share in zip(self.points, compute_trick_shares(self.dealer, taker), strict=True)
            ]
        else:
            self.points[taker] += contract.compute_points(cards, self.complete)
        self.complete += 1
        return contract.kind is Kind.NEGATIVE and sum(self.points) == -STAKE

    def position_key(self) -> Hashable:
        return self.turn, self.trick, tuple(self.hands), tuple(self.points)

    def _apply_answer(self, points: int) -> None:
        *before, (seat, claims) = self.bargains
        self.bargains = (*before, Bargain(seat, (*claims, points)))
        self.unclaimed -= points
        self._ask_next()

    def _ask_next(self) -> None:
        """Pass the turn to the next seat that has to answer the offer.

        If all points are claimed, end the round instead; if all seats have answered without that, the offer lapses.
        """
        seat, claims = self.bargains[-1]
        if not self.unclaimed:
            for i, claim in enumerate(claims):
                self.points[(seat + i) % SEATS] -= claim
            self.end_round()
        elif len(claims) < SEATS:
            self.turn = (self.turn + 1) % SEATS
        else:
            self.turn, self.unclaimed, self.offered = seat, 0, True

    def end_round(self) -> None:
        """Score the round. Cards that have not been played remain hidden."""
        contract = self.contract
        assert contract is not None
        self.dealt, self.hands = self.played, [0] * SEATS
        self.trick, self.led, self.unclaimed = (), 0, 0
        self.declared = with_value(self.declared, self.dealer, (*self.declared[self.dealer], contract))
        self.record_score(contract.named, self.figures(), tuple(self.points), weight=contract.weight)

    def assert_invariants(self) -> None:
        super().assert_invariants()
        taken = all_of([*self.taken, mask_of(self.trick)])
        assert taken.bit_count() == SEATS * self.complete + len(self.trick)
        assert sum(self.won) == self.complete
        if self.playing:
            assert taken == all_of(self.played)


def imagine(view: KingView, rng: Random) -> KingState:
    """Sample a state that is consistent with the view; all distributions of the hidden cards are equally likely."""
    return build_state(view, _sample_hands(view, rng) if view.playing else [0] * SEATS)


def build_state(view: KingView, hands: list[Cards]) -> KingState:
    """Return the state that has the given hands and agrees with the view in everything else."""
    state = KingState(view.options)
    state.copy_trick_fields(view)
    state.dealer, state.contract, state.declared, state.first = view.dealer, view.contract, view.declared, view.first
    state.bargains, state.unclaimed, state.offered = view.bargains, view.unclaimed, view.offered
    state.taken, state.points, state.complete = list(view.taken), list(view.points), view.complete
    state.set_hands(hands, view)
    return state


def _sample_hands(view: KingView, rng: Random) -> list[Cards]:
    """Sample the hands that are consistent with the view uniformly, by rejecting those in which the first lead was
    illegal.
    """
    unseen = find_unseen_cards(view)
    while True:
        hands = determinization.sample_hands(view.hand, view.seat, unseen, view.sizes, view.excluded_cards, rng)
        if is_first_lead_legal(view, hands):
            return hands


def find_unseen_cards(view: KingView) -> Cards:
    return PACK_36 & ~(view.hand | sum(view.played))


def is_first_lead_legal(view: KingView, hands: Sequence[Cards]) -> bool:
    """Return True if the dealer, with this hand left, could lead the first card of the round (rules H and S)."""
    if view.first is None or view.contract is None or not view.contract.king_must_fall:
        return True
    dealt = hands[view.dealer] | view.played[view.dealer]
    return bool(BIT[view.first] & view.contract.find_leads(dealt, first=True))


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
        return tricks.format_must_follow(view.led)

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
    if contract == MISER and RANK[card] in (SIX, ACE):
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


GAME: Final = KingGame()
