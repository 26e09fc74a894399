"""Facts on cards, bids and contracts in trick-taking games, for hints."""

from collections.abc import Callable, Mapping, Sequence
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
from cardtable.robots.kit.hint_spec import AnyHintSpec, Fact, Facts, Goal, HintSpec, format_chance
from cardtable.robots.kit.robot import Robot, make_robot, no_time_limit
from cardtable.robots.kit.search_spec import Candidate

T = TypeVar("T", bound=TrickView)
S = TypeVar("S", bound=State[TrickView])

_MAX_TRICK_DECISIONS: Final = 12
"""Maximum number of decisions to the end of a trick, including offers and the answers to them."""
_LIKELY: Final = 0.5
_UNLIKELY: Final = 0.3
_HARDLY: Final = 0.15
"""Shares from which, and below which, a text says how likely something is, and not how it compares."""
_MIN_SHARE_DIFFERENCE: Final = 0.095
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


class TakingShares(NamedTuple):
    """Shares of worlds, from 0 to 1, in which a card takes its trick, and in which it thereby collects penalty
    points.
    """

    trick: float
    points: float | None
    """``None`` if it is not known which tricks cost points."""


def make_card_facts(
    game: str,
    make_trick_hint_spec: Callable[[T], TrickHintSpec],
    compute_points_so_far: Callable[[S, Seat], float] | None = None,
) -> Callable[[T, Sequence[Candidate], Sequence[S]], list[Facts]]:
    """Return a function for ``HintSpec.facts`` that lists facts on plays; candidates of other kinds get none.

    ``game`` is the key of the game, and ``make_trick_hint_spec`` returns the parameters for a view.
    ``compute_points_so_far(state, seat)`` returns the points that a seat has scored in the round so far. It is needed
    in games in which a trick may cost nothing; without it, facts only tell how often a card takes the trick.
    """

    def list_facts(view: T, candidates: Sequence[Candidate], worlds: Sequence[S]) -> list[Facts]:
        plays = [one.action for one in candidates if isinstance(one.action, Play)]
        shares = estimate_taking_shares(game, plays, worlds, compute_points_so_far)
        cards, spec = [play.card for play in plays], make_trick_hint_spec(view)
        facts = {card: _list_card_facts(view, card, cards, shares[card], spec) for card in cards}
        return [facts[one.action.card] if isinstance(one.action, Play) else () for one in candidates]

    return list_facts


def make_rank_hint_spec(*, wants_tricks: bool) -> AnyHintSpec:
    """Return the hint specification for a game without one of its own, which judges cards by rank and suit only.

    ``wants_tricks``: True if players want to take tricks.
    """

    def list_facts(view: View, candidates: Sequence[Candidate], _worlds: Sequence[State[View]]) -> list[Facts]:
        spec = TrickHintSpec(wants_tricks=wants_tricks)
        cards = [one.action.card for one in candidates if isinstance(one.action, Play)]
        return [
            (*_list_rank_facts(one.action.card, spec), *_list_suit_facts(view, one.action.card, cards, None))
            if isinstance(one.action, Play) and isinstance(view, TrickView)
            else ()
            for one in candidates
        ]

    return HintSpec(list_facts)


def estimate_taking_shares(
    game: str,
    plays: Sequence[Play],
    worlds: Sequence[S],
    compute_points_so_far: Callable[[S, Seat], float] | None = None,
) -> Mapping[Card, TakingShares]:
    """Return, by card, how often it takes its trick in ``worlds``, which must not be empty.

    The trick is played to its end by the steady robot of the game.
    """
    robot, number = make_robot("steady", game), len(worlds)
    shares = {}
    for play in plays:
        tried = [_play_trick(world, play, robot, compute_points_so_far) for world in worlds]
        costly = [trial for trial in tried if trial.costs_points] if compute_points_so_far else None
        shares[play.card] = TakingShares(
            len([trial for trial in tried if trial.is_taken]) / number, None if costly is None else len(costly) / number
        )
    return shares


class _Trial(NamedTuple):
    """Result of playing a card to one trick."""

    is_taken: bool
    """True if the card takes the trick."""
    costs_points: bool
    """True if its seat thereby loses points."""


def _play_trick(world: S, play: Play, robot: Robot, compute_points_so_far: Callable[[S, Seat], float] | None) -> _Trial:
    """Play one trick in a copy of ``world``."""
    state = world.copy()
    seat, before, rng = state.turn, state.tricks(), Random(0)
    had = compute_points_so_far(state, seat) if compute_points_so_far else 0.0
    state.apply(play)
    for _ in range(_MAX_TRICK_DECISIONS):
        if state.tricks() != before or not state.playing:
            break
        state.apply(robot.choose(state.view(state.turn), rng, no_time_limit))
    won = [after - earlier for earlier, after in zip(before or (), state.tricks() or (), strict=True)]
    # the last trick plays itself: of two tricks, its leader took the first
    took = won[seat] > 0 if sum(won) < 2 else state.view(seat).last_leader == seat
    return _Trial(took, compute_points_so_far is not None and compute_points_so_far(state, seat) < had)


def _list_card_facts(
    view: TrickView,
    card: Card,
    cards: Sequence[Card],
    shares: TakingShares,
    trick_hint_spec: TrickHintSpec,
) -> Facts:
    """Return the facts on playing ``card``; ``cards`` are all cards that may be played."""
    facts = []
    if trick_hint_spec.penalty_cards & BIT[card]:
        facts.append(Fact("thrown", 0 if shares.trick else 1, "goes on another player's trick"))
    often, seldom = format_share_fact(shares.trick, "take the trick")
    if shares.trick in (0, 1):
        often = seldom = "takes the trick" if shares.trick else "loses the trick"
    if trick_hint_spec.wants_tricks:
        facts.append(Fact("take", shares.trick, often, seldom, margin=_MIN_SHARE_DIFFERENCE))
    elif shares.points is None:
        facts.append(Fact("take", -shares.trick, seldom, often, margin=_MIN_SHARE_DIFFERENCE))
    else:
        bad, good = format_share_fact(shares.points, "take points")
        good = good if shares.points else "takes no points here"
        facts.append(Fact("take", -shares.points, good, bad, margin=_MIN_SHARE_DIFFERENCE))
    if trick_hint_spec.high_cards_win:
        facts += _list_rank_facts(card, trick_hint_spec)
    return (*facts, *_list_suit_facts(view, card, cards, trick_hint_spec.trump))


def _list_rank_facts(card: Card, trick_hint_spec: TrickHintSpec) -> list[Fact]:
    """Return the facts on the rank of a card: playing it may waste a useful card or get rid of a dangerous one."""
    high, low = max(RANK[card] - JACK + 1, 0), max(trick_hint_spec.highest_low_rank + 1 - RANK[card], 0)
    if trick_hint_spec.wants_tricks:
        keeps = f"keeps {NAME[card]}" if high else ""
        return [Fact("spent", -high, bad="spends a high card", good_of_other=keeps)]
    leaves = f"leaves {{them}} with {NAME[card]}" if high else ""
    keeps = f"keeps {NAME[card]}" if low else ""
    return [
        Fact("high", high, "gets rid of a high card", bad_of_other=leaves),
        Fact("low", -low, bad="spends a low card", good_of_other=keeps),
    ]


def _list_suit_facts(view: TrickView, card: Card, cards: Sequence[Card], trump: int | None) -> list[Fact]:
    """Return the facts on the suit of a card: a trump is spent or saved, or the card is the last of its suit."""
    facts: list[Fact] = []
    suit = SUIT[card]
    if view.trick and trump not in (None, SUIT[view.trick[0]]) and any(SUIT[c] == trump for c in cards):
        facts.append(Fact("trump", -1 if suit == trump else 0, "saves {your} trumps", "spends a trump"))
    rest = view.hand & ~BIT[card]
    if rest and suit != trump and not rest & (OF_SUIT[suit] | OF_SUIT[suit] << COPY_OFFSET):
        facts.append(Fact(f"void {suit}", 1, f"is {{your}} last {SUIT_WORDS[suit]}"))
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
    the total.
    """
    ahead = weight * (expected - total / 4)
    share = next(text for most, text in _SHARES_IN_WORDS if expected / total < most)
    text = f"should {'cost' if total < 0 else 'bring'} {{them}} {share} {unit_name}"
    if ahead > 0:  # with penalties a smaller share is better
        return Fact("expected", ahead, text, f"{text}, but gains less" if total < 0 else text, margin=1.0)
    return Fact("expected", ahead, bad=text, margin=1.0)


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


def format_share_fact(share: float, what: str) -> tuple[str, str]:
    """Return predicates for a choice that does something, an infinitive, more often, and less often, than another.

    They do not say that it ``may`` do it, which is no reason in either direction.
    """
    chance = f"{format_chance(share)} {what}"
    often = chance if share >= _LIKELY else f"is more likely to {what}"
    return often, chance if share < _HARDLY else f"is less likely to {what}"


B = TypeVar("B", bound=BidView)


def make_bidding_hint_spec(
    game: str, make_features: Callable[[B], ViewFeatures], get_weights: Callable[[int], PolicyWeights]
) -> HintSpec[State[B], B]:
    """Return the hint specification of a game in which the bid has to be made exactly.

    ``game`` is the key of the game. ``make_features`` returns the policy features of a view, and ``get_weights`` the
    policy weights for a number of seats.
    """

    def make_trick_hint_spec(view: B) -> TrickHintSpec:
        return TrickHintSpec(view.trump, wants_tricks=None in view.bids or count_missing_tricks(view) > 0)

    list_card_facts = make_card_facts(game, make_trick_hint_spec)

    def list_facts(view: B, candidates: Sequence[Candidate], worlds: Sequence[State[B]]) -> list[Facts]:
        if not isinstance(view.legal[0], Bid):
            return list_card_facts(view, candidates, worlds)
        features, weights, seats = make_features(view), get_weights(len(view.totals)), len(view.totals)
        made = [bid for bid in view.bids if bid is not None]
        sure = features.count_sure_tricks(view)
        tricks = max(features.estimate_tricks(weights) - weights.compute_crowding(view.cards, made, seats), sure)
        bids = [one.action for one in candidates]
        return [_list_bid_facts(bid.tricks, tricks, sure) if isinstance(bid, Bid) else () for bid in bids]

    return HintSpec(list_facts, _find_goal, _list_alternatives)


def _list_bid_facts(bid: int, expected: float, sure_tricks: int) -> Facts:
    """Return the facts on a bid: tricks certain to be taken, distance from the ``expected`` tricks, and points."""
    below = f"is less than {{your}} {format_count(sure_tricks, 'sure trick')}"
    return (
        Fact("sure", -max(sure_tricks - bid, 0), bad=below),
        Fact(
            "near",
            -abs(bid - expected),
            f"fits a hand worth {_format_expected_tricks(expected)}",
            f"is {'more' if bid > expected else 'less'} than the hand is worth",
            margin=0.05,
        ),
        Fact("high", bid, "scores more if made", "scores less if made"),
    )


def _format_expected_tricks(expected: float) -> str:
    """Return a mean number of tricks in words: ``about 2 tricks``, or ``1 or 2 tricks`` if it is in the middle."""
    whole, part = divmod(expected, 1)
    if _UNLIKELY < part < 1 - _UNLIKELY:
        return f"{int(whole)} or {int(whole) + 1} tricks"
    return f"about {format_count(round(expected), 'trick')}"


def _list_alternatives(view: BidView, best: Action) -> Sequence[Action]:
    """Return the bids one trick above and below the best bid; in play, all legal cards."""
    if isinstance(best, Bid):
        return [bid for bid in view.legal if isinstance(bid, Bid) and abs(bid.tricks - best.tricks) == 1]
    return filter_plays(view.legal)


def _find_goal(view: BidView) -> Goal | None:
    """Return the goal of making the bid, which is recognised by at least 10 points in the round.

    A missed bid scores that many only in Ten Down, if all ten tricks of a round are taken.
    """
    if isinstance(view.legal[0], Bid):
        return Goal("make it", _is_bid_made)
    lost = "" if 0 <= count_missing_tricks(view) <= view.sizes[view.seat] else "{your} bid is lost"
    return Goal("make {your} bid", _is_bid_made, lost)


def _is_bid_made(points: float) -> bool:
    return points >= 10
