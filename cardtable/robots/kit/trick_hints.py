"""What a card does in a trick-taking game, as facts by which cards can be compared."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple, TypeVar

from cardtable.engine.bidding import Bid, BidView
from cardtable.engine.cards import BIT, COPY, JACK, NAME, OF_SUIT, RANK, SUIT, SUIT_WORDS, Card, Cards
from cardtable.engine.game import Action, Seat, State, View
from cardtable.engine.text_format import counted
from cardtable.engine.tricks import Play, TrickView
from cardtable.robots.kit.bidding_policy import PolicyWeights, ViewFeatures
from cardtable.robots.kit.hint_spec import AnyLesson, Fact, Facts, Goal, HintSpec, per_cent
from cardtable.robots.kit.robot import Robot, make, never
from cardtable.robots.kit.search import Candidate

T = TypeVar("T", bound=TrickView)
S = TypeVar("S", bound=State[TrickView])

_LONGEST_TRICK: Final = 12
"""Decisions after which a trick is over, offers and their answers among them."""
_MARGIN: Final = 0.095
"""The least difference of two shares that is worth saying, in so few worlds."""


@dataclass(frozen=True, slots=True)
class TrickHintSpec:
    """What counts in a trick."""

    trump: int | None = None
    wanted: bool = True
    """Whether the seat wants tricks, so that high cards are worth keeping."""
    costly: Cards = 0
    """The cards that cost who takes them."""
    high: bool = True
    """Whether high cards take tricks."""
    low: int = 3
    """The highest rank of a card that is kept to stay under others."""


class Taking(NamedTuple):
    """How often a card takes its trick, and how often it collects points with it."""

    trick: float
    points: float


def teller(
    game: str, sense: Callable[[T], TrickHintSpec], collected: Callable[[S, Seat], float] | None = None
) -> Callable[[T, Sequence[Candidate], Sequence[S]], list[Facts]]:
    """Return what tells the facts of the cards of a game, and none of other actions.

    ``collected``: the points of a seat in the round so far, where tricks may cost nothing.
    """

    def facts(view: T, candidates: Sequence[Candidate], worlds: Sequence[S]) -> list[Facts]:
        plays = [one.action for one in candidates if isinstance(one.action, Play)]
        taken = takes(game, plays, worlds, collected)
        cards = [play.card for play in plays]
        return [
            _of_card(view, one.action.card, cards, taken, sense(view), costs=collected is not None)
            if isinstance(one.action, Play)
            else ()
            for one in candidates
        ]

    return facts


def by_rank(*, wanted: bool) -> AnyLesson:
    """Return the lesson of a game without one of its own: of cards in tricks it tells what they spend or get rid of."""

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


def takes(
    game: str,
    plays: Sequence[Play],
    worlds: Sequence[S],
    collected: Callable[[S, Seat], float] | None = None,
) -> Mapping[Card, Taking]:
    """How often each of some cards takes its trick, if the others follow the rule policy."""
    robot, number = make("steady", game), len(worlds)
    found = {}
    for play in plays:
        tried = [_play_trick(world, play, robot, collected) for world in worlds]
        found[play.card] = Taking(sum([took for took, _ in tried]) / number, sum([cost for _, cost in tried]) / number)
    return found


def _play_trick(world: S, play: Play, robot: Robot, collected: Callable[[S, Seat], float] | None) -> tuple[bool, bool]:
    """Return whether a card takes its trick, and whether it collects points by that."""
    state = world.copy()
    seat, before, rng = state.turn, state.tricks(), Random(0)
    had = collected(state, seat) if collected else 0.0
    state.apply(play)
    for _ in range(_LONGEST_TRICK):
        if state.tricks() != before or not state.playing:
            break
        state.apply(robot.choose(state.view(state.turn), rng, never))
    won = [after - earlier for earlier, after in zip(before or (), state.tricks() or (), strict=True)]
    # of two tricks the second has played itself
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
    """Return the facts of playing one of some cards; ``taken`` tells how often they take the trick."""
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
    """Return how often a trick is taken, in words."""
    if share in (0, 1):
        return "takes the trick" if share else "loses the trick"
    return f"takes the trick in {only}{per_cent(share)}"


def _kept(card: Card, sense: TrickHintSpec) -> list[Fact]:
    """Return what a card spends, or gets rid of, as far as that matters."""
    high, low = max(RANK[card] - JACK + 1, 0), max(sense.low + 1 - RANK[card], 0)
    if sense.wanted:
        keeps = f"keeps {NAME[card]}" * bool(high)
        return [Fact("spent", -high, bad="spends a high card", good_of_other=keeps)]
    leaves = f"leaves {{them}} with {NAME[card]}" * bool(high)
    keeps = f"keeps {NAME[card]}" * bool(low)
    return [
        Fact("high", high, "gets rid of a high card", bad_of_other=leaves),
        Fact("low", -low, bad="spends a low card", good_of_other=keeps),
    ]


def _of_suits(view: TrickView, card: Card, cards: Sequence[Card], trump: int | None) -> list[Fact]:
    """Return what a card does to the suits of the hand."""
    facts: list[Fact] = []
    suit = SUIT[card]
    if view.trick and trump not in (None, SUIT[view.trick[0]]) and any(SUIT[c] == trump for c in cards):
        facts.append(Fact("trump", -(suit == trump), "saves {your} trumps", "spends a trump"))
    rest = view.hand & ~BIT[card]
    if rest and suit != trump and not rest & (OF_SUIT[suit] | OF_SUIT[suit] << COPY):
        facts.append(Fact(f"void {suit}", 1, f"is {{your}} last {SUIT_WORDS[suit]}"))
    return facts


def of_contract(hand: Cards, trump: int | None, costly: Cards, long: int) -> Facts:
    """Return what a hand holds for a contract; ``long``: from how many cards on a trump suit is long."""
    facts = []
    if costly & (costly - 1):  # not for a single card, which three of four hands lack
        facts.append(Fact("cards", not hand & costly, "{you} hold none that count"))
    if trump is not None:
        held = (hand & OF_SUIT[trump]).bit_count()
        told = f"{{you}} hold {counted(held, SUIT_WORDS[trump])}"
        facts.append(Fact("trumps", held, told if held >= long else "", told if held < long else ""))
    return tuple(facts)


def expected(own: float, total: float, weight: int, what: str) -> Fact:
    """Return the fact of what a seat is to expect of a contract: ``own`` of ``total`` points, a quarter being usual.

    It speaks for the contract only where it is better than usual.
    """
    ahead = weight * (own - total / 4)
    share = per_cent(own / total)
    if ahead > 0:  # with penalties the smaller share is the better one
        less = "" if total < 0 else "only "
        return Fact("expected", ahead, f"about {share} of {what}", f"gains less, {less}{share} of {what}", margin=1.0)
    return Fact("expected", ahead, bad=f"about {share} of {what}", margin=1.0)


B = TypeVar("B", bound=BidView)

_OFTEN: Final = 0.02
"""The least difference of how often two bids are made that is worth saying."""


def lesson(
    game: str, sight: Callable[[B], ViewFeatures], skill: Callable[[int], PolicyWeights]
) -> HintSpec[State[B], B]:
    """Return that of a game; ``sight`` tells what the seat to act sees, ``skill`` what counts with so many seats."""

    def sense(view: B) -> TrickHintSpec:
        return TrickHintSpec(view.trump, wanted=None in view.bids or _missing(view) > 0)

    of_cards = teller(game, sense)

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
    """Return the facts of a bid: how near it is to what the hand should take, and what it brings if it is made."""
    assert isinstance(one.action, Bid)
    bid = one.action.tricks
    share = one.share(lambda points: _comes_out(points[view.seat])) if one.points else 0.0
    below = f"is below {{your}} {counted(sure, 'sure trick')}"
    return (
        Fact("sure", -max(sure - bid, 0), bad=below),
        Fact("near", -abs(bid - tricks), f"fits {{your}} hand ({tricks:.1f} tricks)", _off(bid, tricks), margin=0.05),
        Fact("high", bid, "brings more if made", "brings less if made"),
        Fact("often", share, "is made more often", "is made less often", margin=_OFTEN),
    )


def _off(bid: int, tricks: float) -> str:
    return f"is {'above' if bid > tricks else 'below'} {{your}} hand ({tricks:.1f} tricks)"


def _options(view: BidView, best: Action) -> list[Action]:
    """Return the bids beside the best one, or all cards."""
    if isinstance(best, Bid):
        return [bid for bid in view.legal if isinstance(bid, Bid) and abs(bid.tricks - best.tricks) == 1]
    return [play for play in view.legal if isinstance(play, Play)]


def _missing(view: BidView) -> int:
    """The tricks that the seat to act still needs; below 0 those it has too many."""
    return (view.bids[view.seat] or 0) - view.won[view.seat]


def _aim(view: BidView) -> Goal | None:
    """Ten points at least are for a bid that comes out; else only for all ten tricks of a round of Ten Down."""
    if isinstance(view.legal[0], Bid):
        return Goal("{you} make it", _comes_out)
    lost = "" if 0 <= _missing(view) <= view.sizes[view.seat] else "{your} bid is lost"
    return Goal("{you} make {your} bid", _comes_out, lost)


def _comes_out(points: float) -> bool:
    return points >= 10
