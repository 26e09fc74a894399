"""Facts on cards, bids and contracts in trick-taking games, for hints."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple, TypeVar

from cardtable.engine.bidding import Bid, BidView
from cardtable.engine.cards import BIT, COPY, JACK, NAME, OF_SUIT, RANK, SUIT, SUIT_WORDS, Card, Cards
from cardtable.engine.game import Action, Seat, State, View
from cardtable.engine.text_format import with_count
from cardtable.engine.tricks import Play, TrickView
from cardtable.robots.kit.bidding_policy import PolicyWeights, ViewFeatures
from cardtable.robots.kit.hint_spec import AnyHintSpec, Fact, Facts, Goal, HintSpec, per_cent
from cardtable.robots.kit.robot import Robot, make, no_time_limit
from cardtable.robots.kit.search import Candidate

T = TypeVar("T", bound=TrickView)
S = TypeVar("S", bound=State[TrickView])

_LONGEST_TRICK: Final = 12
"""Maximum number of decisions to the end of a trick, including offers and the answers to them."""
_MARGIN: Final = 0.095
"""Difference of two shares above which it is mentioned; smaller ones may be due to the small number of worlds."""


@dataclass(frozen=True, slots=True)
class TrickHintSpec:
    """Parameters, for one view, of the facts on the card to play."""

    trump: int | None = None
    wanted: bool = True
    """True if the seat wants to take tricks, so that its high cards are worth keeping."""
    costly: Cards = 0
    """Cards that cost the seat that takes them points."""
    high: bool = True
    """True if high cards take tricks; if False, facts on the rank of a card are left out."""
    low: int = 3
    """Highest rank of a card that is worth keeping to play below other cards."""


class Taking(NamedTuple):
    """Shares of worlds, from 0 to 1, in which a card takes its trick, and in which it thereby collects penalty points."""

    trick: float
    points: float


def card_facts(
    game: str, sense: Callable[[T], TrickHintSpec], collected: Callable[[S, Seat], float] | None = None
) -> Callable[[T, Sequence[Candidate], Sequence[S]], list[Facts]]:
    """Return a function for ``HintSpec.facts`` that lists facts on plays; candidates of other kinds get none.

    ``game`` is the key of the game, and ``make_trick_hint_spec`` returns the parameters for a view.
    ``compute_points_so_far(state, seat)`` returns the points that a seat has scored in the round so far. It is needed
    in games in which a trick may cost nothing; without it, facts only tell how often a card takes the trick.
    """

    def facts(view: T, candidates: Sequence[Candidate], worlds: Sequence[S]) -> list[Facts]:
        plays = [one.action for one in candidates if isinstance(one.action, Play)]
        taken = taking_shares(game, plays, worlds, collected)
        cards = [play.card for play in plays]
        return [
            _of_card(view, one.action.card, cards, taken, sense(view), costs=collected is not None)
            if isinstance(one.action, Play)
            else ()
            for one in candidates
        ]

    return facts


def rank_hint_spec(*, wanted: bool) -> AnyHintSpec:
    """Return the hint specification for a game without one of its own, which judges cards by rank and suit only.

    ``wants_tricks``: True if players want to take tricks.
    """

    def facts(view: View, candidates: Sequence[Candidate], _worlds: Sequence[State[View]]) -> list[Facts]:
        sense = TrickHintSpec(wanted=wanted)
        cards = [one.action.card for one in candidates if isinstance(one.action, Play)]
        return [
            (*_kept(one.action.card, sense), *_of_suits(view, one.action.card, cards, None))
            if isinstance(one.action, Play) and isinstance(view, TrickView)
            else ()
            for one in candidates
        ]

    return HintSpec(facts)


def taking_shares(
    game: str,
    plays: Sequence[Play],
    worlds: Sequence[S],
    collected: Callable[[S, Seat], float] | None = None,
) -> Mapping[Card, Taking]:
    """Return, by card, how often it takes its trick in ``worlds``, which must not be empty.

    The trick is played to its end by the steady robot of the game.
    """
    robot, number = make("steady", game), len(worlds)
    found = {}
    for play in plays:
        tried = [_play_trick(world, play, robot, collected) for world in worlds]
        found[play.card] = Taking(sum([took for took, _ in tried]) / number, sum([cost for _, cost in tried]) / number)
    return found


def _play_trick(world: S, play: Play, robot: Robot, collected: Callable[[S, Seat], float] | None) -> tuple[bool, bool]:
    """Play one trick in a copy of ``world``; return two flags.

    The first is True if the card takes the trick, the second if its seat thereby loses points.
    """
    state = world.copy()
    seat, before, rng = state.turn, state.tricks(), Random(0)
    had = collected(state, seat) if collected else 0.0
    state.apply(play)
    for _ in range(_LONGEST_TRICK):
        if state.tricks() != before or not state.playing:
            break
        state.apply(robot.choose(state.view(state.turn), rng, no_time_limit))
    won = [after - earlier for earlier, after in zip(before or (), state.tricks() or (), strict=True)]
    # the last trick plays itself: of two tricks, its leader took the first
    took = won[seat] > 0 if sum(won) < 2 else state.view(seat).last_leader == seat
    return took, collected is not None and collected(state, seat) < had


def _of_card(
    view: TrickView,
    card: Card,
    cards: Sequence[Card],
    taken: Mapping[Card, Taking],
    sense: TrickHintSpec,
    *,
    costs: bool,
) -> Facts:
    """Return the facts on playing ``card``; ``cards`` are all cards that may be played.

    ``can_cost_points``: True if the points collected are known, so that a trick may cost nothing.
    """
    shares = taken[card]
    facts = []
    if sense.costly & BIT[card]:
        facts.append(Fact("thrown", not shares.trick, "is thrown on another's trick"))
    if not sense.wanted and costs:
        bad = f"collects points in {per_cent(shares.points)}"
        good = f"collects points in only {per_cent(shares.points)}" if shares.points else "collects nothing here"
        facts.append(Fact("take", -shares.points, good, bad, margin=_MARGIN))
    elif sense.wanted:
        facts.append(
            Fact("take", shares.trick, _takes(shares.trick), _takes(shares.trick, only="only "), margin=_MARGIN)
        )
    else:
        facts.append(
            Fact("take", -shares.trick, _takes(shares.trick, only="only "), _takes(shares.trick), margin=_MARGIN)
        )
    if sense.high:
        facts += _kept(card, sense)
    return (*facts, *_of_suits(view, card, cards, sense.trump))


def _takes(share: float, only: str = "") -> str:
    """Describe the share of worlds in which a card takes its trick; ``only`` is put before the percentage."""
    if share in (0, 1):
        return "takes the trick" if share else "loses the trick"
    return f"takes the trick in {only}{per_cent(share)}"


def _kept(card: Card, sense: TrickHintSpec) -> list[Fact]:
    """Return the facts on the rank of a card: playing it may waste a useful card or get rid of a dangerous one."""
    high, low = max(RANK[card] - JACK + 1, 0), max(sense.low + 1 - RANK[card], 0)
    if sense.wanted:
        keeps = f"keeps {NAME[card]}" if high else ""
        return [Fact("spent", -high, bad="spends a high card", good_of_other=keeps)]
    leaves = f"leaves {{them}} with {NAME[card]}" if high else ""
    keeps = f"keeps {NAME[card]}" if low else ""
    return [
        Fact("high", high, "gets rid of a high card", bad_of_other=leaves),
        Fact("low", -low, bad="spends a low card", good_of_other=keeps),
    ]


def _of_suits(view: TrickView, card: Card, cards: Sequence[Card], trump: int | None) -> list[Fact]:
    """Return the facts on the suit of a card: a trump is spent or saved, or the card is the last of its suit."""
    facts: list[Fact] = []
    suit = SUIT[card]
    if view.trick and trump not in (None, SUIT[view.trick[0]]) and any(SUIT[c] == trump for c in cards):
        facts.append(Fact("trump", -(suit == trump), "saves {your} trumps", "spends a trump"))
    rest = view.hand & ~BIT[card]
    if rest and suit != trump and not rest & (OF_SUIT[suit] | OF_SUIT[suit] << COPY):
        facts.append(Fact(f"void {suit}", 1, f"is {{your}} last {SUIT_WORDS[suit]}"))
    return facts


def contract_facts(hand: Cards, trump: int | None, costly: Cards, long: int) -> Facts:
    """Return the facts on a hand as the basis of a contract.

    ``trump`` is ``None`` in a contract without trumps. ``min_length``: number of trumps from which their length speaks
    for the contract.
    """
    facts = []
    if costly & (costly - 1):  # a single card is missing from three of four hands
        facts.append(Fact("cards", not hand & costly, "{you} hold none that count"))
    if trump is not None:
        held = (hand & OF_SUIT[trump]).bit_count()
        text = f"{{you}} hold {with_count(held, SUIT_WORDS[trump])}"
        facts.append(Fact("trumps", held, text if held >= long else "", text if held < long else ""))
    return tuple(facts)


def expected_points_fact(own: float, total: float, weight: int, what: str) -> Fact:
    """Return the fact on the points that a seat is expected to score in a contract for four players.

    ``expected`` is its part of the ``total`` points of all seats, ``weight`` their factor in the totals of the session,
    and ``unit_name`` what scores. The fact speaks for the contract only if the expectation is better than a quarter of
    the total.
    """
    ahead = weight * (own - total / 4)
    share = per_cent(own / total)
    if ahead > 0:  # with penalties a smaller share is better
        less = "" if total < 0 else "only "
        return Fact("expected", ahead, f"about {share} of {what}", f"gains less, {less}{share} of {what}", margin=1.0)
    return Fact("expected", ahead, bad=f"about {share} of {what}", margin=1.0)


B = TypeVar("B", bound=BidView)

_OFTEN: Final = 0.02
"""Difference of the probabilities of making two bids above which it is mentioned."""


def bidding_hint_spec(
    game: str, sight: Callable[[B], ViewFeatures], skill: Callable[[int], PolicyWeights]
) -> HintSpec[State[B], B]:
    """Return the hint specification of a game in which the bid has to be made exactly.

    ``game`` is the key of the game. ``make_features`` returns the policy features of a view, and ``get_weights`` the
    policy weights for a number of seats.
    """

    def sense(view: B) -> TrickHintSpec:
        return TrickHintSpec(view.trump, wanted=None in view.bids or _missing(view) > 0)

    of_cards = card_facts(game, sense)

    def facts(view: B, candidates: Sequence[Candidate], worlds: Sequence[State[B]]) -> list[Facts]:
        if not isinstance(view.legal[0], Bid):
            return of_cards(view, candidates, worlds)
        seen, taught, seats = sight(view), skill(len(view.totals)), len(view.totals)
        made = [bid for bid in view.bids if bid is not None]
        tricks = max(seen.tricks(taught) - taught.taken(view.cards, made, seats), 0.0)
        sure = seen.sure_tricks(view)
        return [_of_bid(view, one, tricks, sure) if isinstance(one.action, Bid) else () for one in candidates]

    return HintSpec(facts, _aim, _options)


def _of_bid(view: BidView, one: Candidate, tricks: float, sure: int) -> Facts:
    """Return the facts on a bid: tricks certain to be taken, distance from the ``expected`` tricks, points, and
    probability of making it.
    """
    assert isinstance(one.action, Bid)
    bid = one.action.tricks
    share = one.share(lambda points: _comes_out(points[view.seat])) if one.points else 0.0
    below = f"is below {{your}} {with_count(sure, 'sure trick')}"
    return (
        Fact("sure", -max(sure - bid, 0), bad=below),
        Fact("near", -abs(bid - tricks), f"fits {{your}} hand ({tricks:.1f} tricks)", _off(bid, tricks), margin=0.05),
        Fact("high", bid, "brings more if made", "brings less if made"),
        Fact("often", share, "is made more often", "is made less often", margin=_OFTEN),
    )


def _off(bid: int, tricks: float) -> str:
    return f"is {'above' if bid > tricks else 'below'} {{your}} hand ({tricks:.1f} tricks)"


def _options(view: BidView, best: Action) -> list[Action]:
    """Return the bids one trick above and below the best bid; in play, all legal cards."""
    if isinstance(best, Bid):
        return [bid for bid in view.legal if isinstance(bid, Bid) and abs(bid.tricks - best.tricks) == 1]
    return [play for play in view.legal if isinstance(play, Play)]


def _missing(view: BidView) -> int:
    """Return the number of tricks that the view's seat still needs, negative if it has taken too many."""
    return (view.bids[view.seat] or 0) - view.won[view.seat]


def _aim(view: BidView) -> Goal | None:
    """Return the goal of making the bid, which is recognised by at least 10 points in the round.

    A missed bid scores that many only in Ten Down, if all ten tricks of a round are taken.
    """
    if isinstance(view.legal[0], Bid):
        return Goal("{you} make it", _comes_out)
    lost = "" if 0 <= _missing(view) <= view.sizes[view.seat] else "{your} bid is lost"
    return Goal("{you} make {your} bid", _comes_out, lost)


def _comes_out(points: float) -> bool:
    return points >= 10
