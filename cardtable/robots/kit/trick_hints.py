"""Facts on cards, bids and contracts in trick-taking games, for hints."""

from collections.abc import Callable, Sequence
from math import inf
from random import Random
from typing import Final, NamedTuple, TypeVar

import msgspec

from cardtable.engine.bidding import Bid, BidView
from cardtable.engine.cards import BIT, COPY_OFFSET, JACK, NAME, OF_SUIT, RANK, SUIT, SUIT_WORDS, Card, Cards
from cardtable.engine.game import Action, Seat, State, View
from cardtable.engine.text_format import format_count
from cardtable.engine.tricks import Play, TrickView
from cardtable.robots.kit.bidding_policy import PolicyWeights, ViewFeatures, count_missing_tricks
from cardtable.robots.kit.endgame import filter_plays
from cardtable.robots.kit.hint_spec import AnyHintSpec, Fact, Facts, Goal, HintSpec, keep_card
from cardtable.robots.kit.robot import make_policy_chooser
from cardtable.robots.kit.search_spec import Candidate

T = TypeVar("T", bound=TrickView)
S = TypeVar("S", bound=State[TrickView])

_MAX_TRICK_DECISIONS: Final = 12
"""Maximum number of decisions to the end of a trick, including offers and the answers to them."""
_LIKELY: Final = 0.65
_UNLIKELY: Final = 0.15
"""Shares from which, and below which, a text says how likely something is, and not how it compares."""
_NEAR_WHOLE: Final = 0.3
"""Largest distance of a mean number of tricks from a whole number that is said to be about as many."""
_MIN_SHARE_DIFFERENCE: Final = 0.195
"""Difference of two shares above which it is mentioned; smaller ones may be due to the small number of worlds."""


class TrickHintSpec(msgspec.Struct, frozen=True):
    """Parameters, for one view, of the facts on the card to play."""

    trump: int | None = None
    wants_tricks: bool = True
    """True if the seat wants to take tricks, so that its high cards are worth keeping."""
    penalty_cards: Cards = 0
    """Cards that cost the seat that takes them points."""
    high_cards_win: bool = True
    """True if high cards take tricks; if False, facts on the rank of a card are left out."""
    highest_low_rank: int = 3
    """Highest rank of a card that is worth keeping to play below other cards."""


class TrickResults(NamedTuple):
    """Results of playing a card to one trick in several worlds."""

    takers: Sequence[Seat | None]
    """Seat that takes the trick, by world; ``None`` if the trick was not played to its end."""
    costs: float | None
    """Share of worlds, from 0 to 1, in which the trick costs points; ``None`` if it is not known which tricks do."""

    def compute_share(self, seat: Seat) -> float:
        """Return the share of worlds, from 0 to 1, in which ``seat`` takes the trick."""
        return self.takers.count(seat) / len(self.takers)


def make_card_facts(
    choose: Callable[[S, Random], Action],
    make_trick_hint_spec: Callable[[T], TrickHintSpec],
    compute_points_so_far: Callable[[S, Seat], float] | None = None,
) -> Callable[[T, Sequence[Candidate], Sequence[S]], list[Facts]]:
    """Return a function for ``HintSpec.facts`` that lists facts on plays; candidates of other kinds get none.

    ``choose`` plays on for all seats, and ``make_trick_hint_spec`` returns the parameters for a view.
    ``compute_points_so_far(state, seat)`` returns the points that a seat has scored in the round so far. It is needed
    in games in which a trick may cost nothing; without it, facts only tell how often a card takes the trick.
    """

    def list_facts(view: T, candidates: Sequence[Candidate], worlds: Sequence[S]) -> list[Facts]:
        cards = [one.action.card for one in candidates if isinstance(one.action, Play)]
        spec = make_trick_hint_spec(view)
        return [
            _list_card_facts(
                view, one.action.card, cards, play_tricks(worlds, one.action, choose, compute_points_so_far), spec
            )
            if isinstance(one.action, Play)
            else ()
            for one in candidates
        ]

    return list_facts


def make_rank_hint_spec(*, wants_tricks: bool) -> AnyHintSpec:
    """Return the hint specification for a game without one of its own, which judges cards by rank and suit only.

    ``wants_tricks``: True if players want to take tricks.
    """

    def list_facts(view: View, candidates: Sequence[Candidate], _worlds: Sequence[State[View]]) -> list[Facts]:
        spec = TrickHintSpec(wants_tricks=wants_tricks)
        cards = [one.action.card for one in candidates if isinstance(one.action, Play)]
        return [
            (*_list_rank_facts(one.action.card, spec), *_list_suit_facts(view, one.action.card, cards, spec))
            if isinstance(one.action, Play) and isinstance(view, TrickView)
            else ()
            for one in candidates
        ]

    return HintSpec(list_facts)


def play_tricks(
    worlds: Sequence[S],
    play: Play,
    choose: Callable[[S, Random], Action],
    compute_points_so_far: Callable[[S, Seat], float] | None = None,
) -> TrickResults:
    """Play a card in copies of ``worlds``, which must not be empty, and then by ``choose`` to the end of the trick."""
    takers, costs = list[Seat | None](), 0
    for world in worlds:
        state = world.copy()
        seat, before, rng = state.turn, state.tricks() or (), Random(0)
        had = compute_points_so_far(state, seat) if compute_points_so_far else 0.0
        state.apply(play)
        for _ in range(_MAX_TRICK_DECISIONS):
            if state.tricks() != before or not state.playing:
                break
            state.apply(choose(state, rng))
        won = [after - earlier for earlier, after in zip(before, state.tricks() or (), strict=True)]
        # the last trick plays itself: of two tricks, its leader took the first
        takers.append(None if not any(won) else won.index(1) if sum(won) == 1 else state.view(seat).last_leader)
        costs += compute_points_so_far is not None and compute_points_so_far(state, seat) < had
    return TrickResults(takers, costs / len(worlds) if compute_points_so_far else None)


def _list_card_facts(
    view: TrickView,
    card: Card,
    cards: Sequence[Card],
    results: TrickResults,
    trick_hint_spec: TrickHintSpec,
) -> Facts:
    """Return the facts on playing ``card``; ``cards`` are all cards that may be played."""
    facts = []
    share = results.compute_share(view.seat)
    if trick_hint_spec.penalty_cards & BIT[card]:
        keeps = f"keeps {NAME[card]} for another player's trick"
        thrown = 1 if share == 0 else -1 if share >= _LIKELY else 0
        facts.append(Fact("thrown", thrown, "goes on another player's trick", good_of_other=keeps))
    elif trick_hint_spec.penalty_cards:
        facts.append(Fact("thrown", 0))
    takes, loses, event = _describe_taker(view.seat, results)
    if trick_hint_spec.wants_tricks:
        facts.append(Fact("take", share, takes, loses, margin=_MIN_SHARE_DIFFERENCE, event=event))
    elif results.costs is None:
        facts.append(Fact("take", -share, loses, takes, margin=_MIN_SHARE_DIFFERENCE, event=event))
    else:
        bad, good = format_share_fact(results.costs, "take points")
        good = good if results.costs else "takes no points here"
        facts.append(Fact("take", -results.costs, good, bad, margin=_MIN_SHARE_DIFFERENCE, event=event))
    if trick_hint_spec.high_cards_win:
        facts += _list_rank_facts(card, trick_hint_spec)
    return (*facts, *_list_suit_facts(view, card, cards, trick_hint_spec))


def _describe_taker(own_seat: Seat, results: TrickResults) -> tuple[str, str, str]:
    """Return predicates that ``own_seat`` takes the trick and that it loses it, to another seat if that is likely.

    The last one is that of the two that comes true in most worlds; ``""`` if neither is likely.
    """
    share = results.compute_share(own_seat)
    takes, loses = format_share_fact(share, "take the trick")
    if share in (0, 1):
        takes, loses = "takes the trick", "loses the trick"
    seat = max({*results.takers} - {own_seat, None}, key=results.takers.count, default=None)
    if seat is not None and (chance := results.compute_share(seat)) >= _LIKELY:
        loses = f"{'loses' if chance == 1 else f'{_format_chance(chance)} lose'} the trick to {{{seat}}}"
        return takes, loses, loses
    return takes, loses, takes if share >= _LIKELY else ""


def _list_rank_facts(card: Card, trick_hint_spec: TrickHintSpec) -> list[Fact]:
    """Return the facts on the rank of a card: playing it may waste a useful card or get rid of a dangerous one."""
    high, low = max(RANK[card] - JACK + 1, 0), max(trick_hint_spec.highest_low_rank + 1 - RANK[card], 0)
    if trick_hint_spec.wants_tricks:
        keeps = keep_card(card) if high else ""
        return [Fact("spent", -high, bad="spends a high card", good_of_other=keeps)]
    leaves = f"leaves {{them}} with {NAME[card]}" if high else ""
    keeps = keep_card(card) if low else ""
    return [
        Fact("high", high, "gets rid of a high card", bad_of_other=leaves),
        Fact("low", -low, bad="spends a low card", good_of_other=keeps),
    ]


def _list_suit_facts(view: TrickView, card: Card, cards: Sequence[Card], trick_hint_spec: TrickHintSpec) -> list[Fact]:
    """Return the facts on the suit of a card: a trump is spent or saved, or the card is the last of its suit.

    A missing suit is an advantage to a seat that can trump it, or that wants to throw cards away, while it has a choice
    of cards.
    """
    facts: list[Fact] = []
    suit, trump = SUIT[card], trick_hint_spec.trump
    if view.trick and trump not in (None, SUIT[view.trick[0]]) and any(SUIT[c] == trump for c in cards):
        facts.append(Fact("trump", -1 if suit == trump else 0, "saves {your} trumps", "spends a trump"))
    rest = view.hand & ~BIT[card]
    gains = rest & (OF_SUIT[trump] | OF_SUIT[trump] << COPY_OFFSET) if trump is not None else 0
    if (
        (gains or not trick_hint_spec.wants_tricks)
        and rest.bit_count() > 1
        and suit != trump
        and not rest & (OF_SUIT[suit] | OF_SUIT[suit] << COPY_OFFSET)
    ):
        use = "trump" if trick_hint_spec.wants_tricks else "discard on"
        facts.append(Fact("void", 1, f"lets {{them}} {use} {SUIT_WORDS[suit]}s later"))
    return facts


def list_contract_facts(hand: Cards, trump: int | None, penalty_cards: Cards, min_length: int) -> Facts:
    """Return the facts on a hand as the basis of a contract.

    ``trump`` is ``None`` in a contract without trumps. ``min_length``: number of trumps from which their length speaks
    for the contract.
    """
    facts = []
    if penalty_cards & (penalty_cards - 1):  # a single card is missing from three of four hands
        facts.append(Fact("cards", 0 if hand & penalty_cards else 1, "suits a hand without penalty cards"))
    if trump is not None:
        number = (hand & OF_SUIT[trump]).bit_count()
        trumps = format_count(number, "trump")
        few = f"leaves {{them}} with only {trumps}" if number else "leaves {them} without a trump"
        is_long = number >= min_length
        facts.append(Fact("trumps", number, f"gives {{them}} {trumps}" if is_long else "", "" if is_long else few))
    return tuple(facts)


def make_expected_points_fact(expected: float, total: float, weight: int, unit_name: str) -> Fact:
    """Return the fact on the points that a seat is expected to score in a contract for four players.

    ``expected`` is its part of the ``total`` points of all seats, ``weight`` their factor in the totals of the session,
    and ``unit_name`` what scores. The fact speaks for the contract only if the expectation is better than a quarter of
    the total, and against one with penalties only if it is not.
    """
    ahead = weight * (expected - total / 4)
    share = next(text for most, text in _SHARES_IN_WORDS if expected / total < most)
    text = f"should {'cost' if total < 0 else 'bring'} {{them}} {share} {unit_name}"
    good, bad = text if ahead > 0 else "", "" if total < 0 < ahead else text
    return Fact("expected", ahead, good, bad, margin=1.0)


_SHARES_IN_WORDS: Final = (
    (0.05, "hardly any of"),
    (0.13, "a tenth of"),
    (0.19, "a sixth of"),
    (0.225, "a fifth of"),
    (0.29, "a quarter of"),
    (0.42, "a third of"),
    (0.58, "half of"),
    (0.71, "two thirds of"),
    (0.85, "three quarters of"),
    (inf, "almost all of"),
)
"""Texts for a share, each with the share at which the next text begins."""


def _format_chance(share: float) -> str:
    """Return a share from ``_LIKELY``, or below ``_UNLIKELY``, as the beginning of a predicate: ``will probably``."""
    return "will almost surely" if share >= 0.95 else "will probably" if share >= _LIKELY else "will hardly"


def format_share_fact(share: float, what: str) -> tuple[str, str]:
    """Return two predicates on a choice that does ``what``, an infinitive, in this share of the deals.

    The first is for a comparison with a choice that does it less often, the second with one that does it more often.
    """
    chance = f"{_format_chance(share)} {what}"
    often = chance if share >= _LIKELY else f"is more likely to {what}"
    return often, chance if share < _UNLIKELY else f"is less likely to {what}"


B = TypeVar("B", bound=BidView)


def make_bidding_hint_spec(
    policy: Callable[[B, Random], Action],
    make_features: Callable[[B], ViewFeatures],
    get_weights: Callable[[int], PolicyWeights],
) -> HintSpec[State[B], B]:
    """Return the hint specification of a game in which the bid has to be made exactly.

    ``policy`` plays the rest of a trick. ``make_features`` returns the features of a view, and ``get_weights`` the
    weights of the policy for a number of seats.
    """

    def make_trick_hint_spec(view: B) -> TrickHintSpec:
        return TrickHintSpec(view.trump, wants_tricks=None in view.bids or count_missing_tricks(view) > 0)

    list_card_facts = make_card_facts(make_policy_chooser(policy), make_trick_hint_spec)

    def list_facts(view: B, candidates: Sequence[Candidate], worlds: Sequence[State[B]]) -> list[Facts]:
        if not isinstance(view.legal[0], Bid):
            return list_card_facts(view, candidates, worlds)
        features, weights, seats = make_features(view), get_weights(len(view.totals)), len(view.totals)
        made = [bid for bid in view.bids if bid is not None]
        sure = features.count_sure_tricks(view)
        tricks = max(features.estimate_tricks(weights) - weights.compute_crowding(view.cards, made, seats), sure)
        bids = [one.action for one in candidates]
        return [_list_bid_facts(bid.tricks, tricks, sure) if isinstance(bid, Bid) else () for bid in bids]

    return HintSpec(list_facts, _find_goal, alternatives=_list_alternatives)


def _list_bid_facts(bid: int, expected: float, sure_tricks: int) -> Facts:
    """Return the facts on a bid: tricks certain to be taken, distance from the ``expected`` tricks, and points."""
    below = f"is less than {{your}} {format_count(sure_tricks, 'sure trick')}"
    fits = "fits" if abs(bid - expected) < 1 - _NEAR_WHOLE else "is nearer to"
    return (
        Fact("sure", -max(sure_tricks - bid, 0), bad=below),
        Fact(
            "near",
            -abs(bid - expected),
            f"{fits} a hand worth {_format_expected_tricks(expected)}",
            f"is {'more' if bid > expected else 'less'} than the hand is worth",
            margin=0.05,
        ),
        Fact("high", bid, "scores more if made", "scores less if made"),
    )


def _format_expected_tricks(expected: float) -> str:
    """Return a mean number of tricks in words: ``about 2 tricks``, or ``1 or 2 tricks`` if it is in the middle."""
    whole, part = divmod(expected, 1)
    if _NEAR_WHOLE < part < 1 - _NEAR_WHOLE:
        return f"{int(whole)} or {int(whole) + 1} tricks"
    return f"about {format_count(round(expected), 'trick')}" if round(expected) else "hardly a trick"


def _list_alternatives(view: BidView, best: Action) -> Sequence[Action]:
    """Return the bids one trick above and below the best bid; in play, all legal cards."""
    if isinstance(best, Bid):
        return [bid for bid in view.legal if isinstance(bid, Bid) and abs(bid.tricks - best.tricks) == 1]
    return filter_plays(view.legal)


def _find_goal(_view: BidView) -> Goal:
    """Return the goal of making the bid, which is recognised by at least 10 points in the round.

    A missed bid scores that many only in Ten Down, if all ten tricks of a round are taken.
    """
    return Goal("make {your} bid", lambda _seat, points: points >= 10)
