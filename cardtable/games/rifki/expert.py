"""Expert of Rifki: Monte Carlo search with fast rollouts by the estimates of the rule policy.

In a rollout, a player plays the card with the best balance of the units expected in the current trick and in later
ones. Players are numbered in order of play: the number of the next player is one higher, modulo 4. A player uses only
their own cards, the cards played, and the voids that others have shown.
"""

from collections.abc import Sequence
from functools import cache
from math import exp
from random import Random
from typing import Final, NamedTuple

import msgspec

from cardtable.engine.cards import BIT, HEARTS, OF_SUIT, PACK_52, SUIT, Card, Cards, all_of, mask_of
from cardtable.engine.game import Action
from cardtable.engine.tricks import PLAY, Play, list_lowest_of_runs
from cardtable.games.rifki.policy import (
    ENDING,
    LATER_WEIGHTS,
    MAX_LOG_UNITS,
    MISS_PROBABILITIES,
    SIDE_WEIGHTS,
    TRUMP_WEIGHTS,
    WILLING_PROBABILITY,
    Weights,
    steady,
)
from cardtable.games.rifki.rules import (
    CARDS_EACH,
    GAME,
    NEGATIVE_CONTRACTS,
    SEATS,
    SON_IKI,
    TIMES_EACH,
    RifkiContract,
    RifkiState,
    RifkiView,
)
from cardtable.robots.kit.search_spec import SearchSpec, make_rollout_chooser, make_sampler

FORCED_WEIGHT: Final = 0.8
"""Weight of each penalty card of the suit led that a later player may be forced to play."""
DISCARD_WEIGHT: Final = 0.8
"""Weight of each penalty card that a later player may discard if they are void in the suit led."""
_SIZE: Final = CARDS_EACH + 1


class SuitTables(NamedTuple):
    """Tables for the units that cards of one suit are expected to take in later tricks."""

    takes: list[list[float]]
    """Expected units of a card: ``takes[unseen cards][lower cards in the hand * 14 + lower unseen cards]``."""
    loss: float
    """Share of a card's expected units that is lost when a lower card of the hand is played; negative if they increase.
    """
    marked: Cards
    """Penalty cards of the suit; 0 if all cards of the suit are penalty cards, or none."""
    mark: float
    """Factor on the expected units of a marked card."""
    low: list[float]
    """Factors on the expected units, by the number of unseen marked cards below the card."""
    others: list[float]
    """Factors on the expected units, by the number of unseen marked cards above the card."""


class TakeChances(NamedTuple):
    """Chances of a card of one suit in the current trick of a negative contract, by other players and unseen cards."""

    penalties: Cards
    """All penalty cards of the contract."""
    take_probabilities: list[float]
    """Probability that a card that heads the trick takes it, by the number of lower unseen cards."""
    misses: Sequence[float]
    """Probability that one of the players who may hold the suit holds none of n cards of it, by n."""
    able: int
    """Number of later players who may be able to follow suit."""


class ContractTables(NamedTuple):
    """Tables for one negative contract."""

    suits: tuple[SuitTables, ...]
    chances: tuple[tuple[list[TakeChances], ...], ...]
    """Chances in a trick: ``chances[holders][later][unseen cards]``.

    ``holders`` is the number of players who may hold the suit, and ``later`` the number of them still to play.
    """


class TakeCoefficients(NamedTuple):
    """Coefficients of the probability that a card takes a trick in a trump contract.

    The probability is ``times * (least + share * a) ** able * a ** unable``, where ``a`` is the probability that one
    player holds no higher card of the suit.
    """

    least: float
    share: float
    able: int
    """Number of later players who may be able to follow suit."""
    unable: int
    """Number of later players who are void in the suit led and may overruff."""
    times: float


@cache
def make_tables(contract: RifkiContract) -> ContractTables:
    """Return the tables for a negative contract, from the weights of the rule policy."""
    suits = [_make_suit_tables(LATER_WEIGHTS[contract.name], contract.penalties & members) for members in OF_SUIT]
    willing = WILLING_PROBABILITY if contract.penalties else 0.0
    chances = [
        tuple([_tabulate_chances(contract.penalties, holders, later, willing) for later in range(holders + 1)])
        for holders in range(SEATS)
    ]
    return ContractTables(tuple(suits), tuple(chances))


def _make_suit_tables(weights: Weights, marked: Cards) -> SuitTables:
    general, lower, higher, guard, mark, low, others = weights
    if marked.bit_count() == CARDS_EACH:
        general, lower, higher, marked = general + mark, lower + low, higher + others, 0
    size = range(_SIZE)
    takes = [
        [
            exp(min(MAX_LOG_UNITS, general + lower * below + higher * (number - below) + guard * guards))
            for guards in size
            for below in size
        ]
        for number in size
    ]
    return SuitTables(
        takes, 1 - exp(-guard), marked, exp(mark), [exp(low * n) for n in size], [exp(others * n) for n in size]
    )


TRUMP_TABLES: Final = _make_suit_tables(TRUMP_WEIGHTS, 0)
SIDE_TABLES: Final = _make_suit_tables(SIDE_WEIGHTS, 0)


def _tabulate_chances(penalties: Cards, holders: int, players_left: int, willing: float) -> list[TakeChances]:
    misses = MISS_PROBABILITIES[holders]

    def compute_probability(number: int, below: int) -> float:
        ducks = (1 - misses[below]) * (1 - willing)
        return float((1 - (1 - misses[number - below]) * (1 - ducks)) ** players_left)

    return [
        TakeChances(
            penalties, [compute_probability(number, below) for below in range(number + 1)], misses, players_left
        )
        for number in range(_SIZE)
    ]


def find_cheapest_card(
    suit: SuitTables, own: Cards, legal: Cards, out: Cards, above: Cards, units: float, chances: TakeChances
) -> tuple[Cards, float]:
    """Return the legal card of a suit with the lowest cost, and its cost; 0 and 1e9 if no card is legal.

    The cost is the units expected in the current trick, less the units saved in later tricks.

    ``own`` holds all cards of the suit in the hand, ``out`` the unseen ones. ``above`` holds the cards that would head
    the trick, which contains ``units`` so far: all bits are set on a lead, and none for a discard.
    """
    takes, loss, marked, mark, low, others = suit
    penalties, take_probabilities, misses, able = chances
    row, row_start = takes[out.bit_count()], own.bit_count() * _SIZE
    forced = out & penalties  # later players may have to play these under the card
    number = forced.bit_count()
    choice, least, guarded = 0, 1e9, 0.0
    while own:
        row_start -= _SIZE
        bit = 1 << own.bit_length() - 1
        own ^= bit
        below = (out & bit - 1).bit_count()
        later = row[row_start + below]
        under = 0
        if forced:
            under = (forced & bit - 1).bit_count()
        if marked:
            later *= low[under] * others[number - under]
            if bit & marked:
                later *= mark
        if bit & legal:
            cost = -later - guarded
            if bit & above:
                expected = units
                if under:
                    expected += FORCED_WEIGHT * able * (1 - misses[under])
                if bit & penalties:
                    expected += 1
                cost += expected * take_probabilities[below]
            if cost < least:
                choice, least = bit, cost
        guarded += later * loss
    return choice, least


def find_best_card(
    suit: SuitTables,
    own: Cards,
    legal: Cards,
    out: Cards,
    takes: Cards,
    misses: Sequence[float],
    chance: TakeCoefficients,
) -> tuple[Cards, float]:
    """Return the most valuable legal card of a suit in a trump contract, and its value.

    The value is the probability of winning the current trick, less the tricks expected of the card if it is kept. If no
    card is legal, the result is 0 and -1e9.

    ``takes`` holds the cards that would head the trick. ``misses`` lists the probability that one player holds none of
    n cards of the suit, by n.
    """
    number = out.bit_count()
    row, loss, row_start = suit.takes[number], suit.loss, own.bit_count() * _SIZE
    least, share, able, unable, times = chance
    choice, most, guarded = 0, -1e9, 0.0
    while own:
        row_start -= _SIZE
        bit = 1 << own.bit_length() - 1
        own ^= bit
        below = (out & bit - 1).bit_count()
        later = row[row_start + below]
        if bit & legal:
            worth = -later - guarded
            if bit & takes:
                alone = misses[number - below]
                miss = least + share * alone
                if miss > 0:
                    worth += times * miss**able * alone**unable
            if worth > most:
                choice, most = bit, worth
        guarded += later * loss
    return choice, most


_HEARTS: Final = OF_SUIT[HEARTS]
_PLAYER_COUNTS: Final = tuple(players.bit_count() for players in range(1 << SEATS))
_LATER_PLAYERS: Final = tuple(
    tuple(sum([1 << (player + i) % SEATS for i in range(1, SEATS - played)]) for played in range(SEATS))
    for player in range(SEATS)
)
"""Players still to play after a player, as bits, by that player and the number of cards played before theirs."""


class Position(msgspec.Struct):
    """Position of a round, changed as the round is played."""

    hands: list[Cards]
    voids: list[int]
    """Players who have shown a void, as bits, by suit."""
    complete: int
    """Number of finished tricks."""
    player: int
    """Player whose turn it is to play."""
    played: int
    """Number of cards in the trick."""
    led: Cards
    """All cards of the suit led."""
    best: Cards
    """Card that heads the trick, as a bit; 0 if no card has been led."""
    taker: int
    """Player whose card heads the trick."""
    lying: int
    """Number of penalty cards in the trick."""
    hearts_shut: bool
    any_opens: bool
    """True if leading a heart unlocks hearts as well, not only discarding one."""
    overruffs: bool


def play_negative(position: Position, contract: RifkiContract) -> list[int]:  # noqa: PLR0912 - one loop, kept tight
    """Play a negative contract to its end, and return the units that each player takes from now on.

    ``position`` is changed in part and must not be used afterwards.
    """
    hands, voids, player, played = position.hands, position.voids, position.player, position.played
    led, best, taker, lying = position.led, position.best, position.taker, position.lying
    shut, complete = position.hearts_shut, position.complete
    penalties, known, counts = contract.penalties, make_tables(contract), [0] * SEATS
    last = CARDS_EACH - 2 if contract == SON_IKI else 0
    out = hands[0] | hands[1] | hands[2] | hands[3]
    while True:
        hand = hands[player]
        if not played:
            bit = (hand & ~_HEARTS or hand) if shut else hand
            if bit & bit - 1:
                bit = _choose_lead(known, bit, hand, out ^ hand, voids, complete >= last)
            led, best, taker, lying = OF_SUIT[SUIT[bit.bit_length() - 1]], bit, player, 0
            if bit & _HEARTS and position.any_opens:
                shut = False
        elif bit := hand & led:
            bit = bit & penalties & best - 1 or bit
            if bit & bit - 1:
                if bit < best or complete < last:
                    bit = 1 << bit.bit_length() - 1
                else:
                    units = float(lying) if penalties else 1.0 if complete >= last else 0.0
                    to_come = _LATER_PLAYERS[player][played]
                    bit = _choose_follow(known, bit, hand & led, out ^ hand, voids, best, to_come, units)
            if bit > best:
                best, taker = bit, player
        else:
            voids[SUIT[led.bit_length() - 1]] |= 1 << player
            bit = hand & penalties or hand
            if bit & bit - 1:
                bit = _choose_discard(known, bit, hand, out ^ hand)
            if bit & _HEARTS:
                shut = False
        hands[player] = hand ^ bit
        out ^= bit
        if bit & penalties:
            lying += 1
        played += 1
        if played < SEATS:
            player = player + 1 & 3
            continue
        if penalties:
            counts[taker] += lying
        elif complete >= last:
            counts[taker] += 1
        complete += 1
        player, played = taker, 0
        if not out or (penalties and not out & penalties):
            return counts


def _choose_lead(
    known: ContractTables, legal: Cards, hand: Cards, out: Cards, voids: Sequence[int], trick_counts: bool
) -> Cards:
    """Return the lead with the lowest cost.

    ``trick_counts`` is True if the trick itself is a scoring unit, in contracts without penalty cards.
    """
    choice, least, units = 0, 1e9, float(trick_counts)
    for suit, members in enumerate(OF_SUIT):
        if not legal & members:
            continue
        rest = out & members
        number, holders = rest.bit_count(), SEATS - 1 - _PLAYER_COUNTS[voids[suit]]
        chances = known.chances[holders][holders][number]
        if chances.penalties:
            free = holders * chances.misses[number] + SEATS - 1 - holders
            marks = out & chances.penalties & ~members
            units = DISCARD_WEIGHT * free * (1 - MISS_PROBABILITIES[-1][marks.bit_count()])
        bit, cost = find_cheapest_card(known.suits[suit], hand & members, members, rest, -1, units, chances)
        if cost < least:
            choice, least = bit, cost
    return choice


def _choose_follow(
    known: ContractTables,
    legal: Cards,
    own: Cards,
    out: Cards,
    voids: Sequence[int],
    best: Cards,
    to_come: int,
    units: float,
) -> Cards:
    """Return the legal card of the suit led with the lowest cost.

    ``own`` holds all cards of the suit in the hand, ``best`` the card that heads the trick, ``to_come`` the players
    still to play, and ``units`` the units that the trick contains so far.
    """
    suit = SUIT[best.bit_length() - 1]
    members, void = OF_SUIT[suit], voids[suit]
    rest = out & members
    number = rest.bit_count()
    chances = known.chances[SEATS - 1 - _PLAYER_COUNTS[void]][_PLAYER_COUNTS[to_come & ~void]][number]
    if chances.penalties:
        free = chances.able * chances.misses[number] + _PLAYER_COUNTS[to_come & void]
        marks = out & chances.penalties & ~members
        units += DISCARD_WEIGHT * free * (1 - MISS_PROBABILITIES[-1][marks.bit_count()])
    return find_cheapest_card(known.suits[suit], own, legal, rest, -best, units, chances)[0]


def _choose_discard(known: ContractTables, legal: Cards, hand: Cards, out: Cards) -> Cards:
    """Return the legal discard that saves the most units in later tricks."""
    choice, least, chances = 0, 1e9, known.chances[0][0][0]
    for suit, members in enumerate(OF_SUIT):
        if legal & members:
            bit, cost = find_cheapest_card(known.suits[suit], hand & members, legal, out & members, 0, 0.0, chances)
            if cost < least:
                choice, least = bit, cost
    return choice


def play_trump(position: Position, trump: int) -> list[int]:
    """Play a trump contract to its end, and return the tricks that each player takes from now on.

    ``position`` is changed in part and must not be used afterwards.
    """
    hands, voids, player, played = position.hands, position.voids, position.player, position.played
    led, taker, trumps, counts = position.led, position.taker, OF_SUIT[trump], [0] * SEATS
    takes = _find_beating_cards(position.best, led, trumps) if played else 0
    out = hands[0] | hands[1] | hands[2] | hands[3]
    while True:
        hand = hands[player]
        bit = hand & led if played else hand
        if not bit:
            voids[SUIT[led.bit_length() - 1]] |= 1 << player
            bit = hand & trumps or hand
            if position.overruffs:
                bit = bit & takes or bit
        if bit & bit - 1:
            to_come = _LATER_PLAYERS[player][played]
            if not played:
                bit = _choose_trump_card(trump, bit, hand, out ^ hand, voids, -1, to_come, 0)
            elif not bit & takes and bit & led:
                bit &= -bit
            elif not to_come and bit & takes:
                bit = bit & takes & -(bit & takes)
            else:
                bit = _choose_trump_card(trump, bit, hand, out ^ hand, voids, takes, to_come, led)
        if not played:
            led = OF_SUIT[SUIT[bit.bit_length() - 1]]
        if not played or bit & takes:
            taker, takes = player, _find_beating_cards(bit, led, trumps)
        hands[player] = hand ^ bit
        out ^= bit
        played += 1
        if played < SEATS:
            player = player + 1 & 3
            continue
        counts[taker] += 1
        player, played = taker, 0
        if not out:
            return counts


def _find_beating_cards(best: Cards, led: Cards, trumps: Cards) -> Cards:
    return trumps & -2 * best if best & trumps else trumps | led & -2 * best


def _choose_trump_card(
    trump: int, legal: Cards, hand: Cards, out: Cards, voids: Sequence[int], takes: Cards, to_come: int, led: Cards
) -> Cards:
    """Return the legal card with the highest value in a trump contract.

    ``takes`` holds the cards that would head the trick, ``to_come`` the players still to play, and ``led`` all cards
    of the suit led; on a lead ``led`` is 0 and all bits of ``takes`` are set.
    """
    ruffs = 1 - MISS_PROBABILITIES[-1][(out & OF_SUIT[trump]).bit_count()]
    choice, most = 0, -1e9
    for suit, members in enumerate(OF_SUIT):
        if not legal & members:
            continue
        rest, void, unable = out & members, voids[suit], 0
        misses = MISS_PROBABILITIES[SEATS - 1 - _PLAYER_COUNTS[void]]
        least, share, times = 0.0, 1.0, 1.0
        if suit != trump:
            least, times = -misses[rest.bit_count()] * ruffs, (1 - ruffs) ** _PLAYER_COUNTS[to_come & void]
        elif led & ~members:
            void = voids[SUIT[led.bit_length() - 1]]
            share = MISS_PROBABILITIES[SEATS - 1 - _PLAYER_COUNTS[void]][(out & led).bit_count()]
            least, unable = 1 - share, _PLAYER_COUNTS[to_come & void]
        chance = TakeCoefficients(least, share, _PLAYER_COUNTS[to_come & ~void], unable, times)
        bit, worth = find_best_card(
            TRUMP_TABLES if suit == trump else SIDE_TABLES, hand & members, legal, rest, takes, misses, chance
        )
        if worth > most:
            choice, most = bit, worth
    return choice


WORLDS: Final = 100
KEPT_TRUMP_VALUES: Final = {(2, 3): 93.0, (2, 2): 68.0, (2, 1): 17.0, (1, 3): 149.0, (1, 2): 126.0, (1, 1): 70.0}
"""Value of keeping a trump contract for a later round by declaring a negative one, in points relative to the others.

The key is the number of trump and of negative contracts left to the declarer. The values hold if ``USUAL_KINDS`` of the
six negative contracts may still be played.
"""
USUAL_KINDS: Final = 5
MISSING_KIND_VALUE: Final = 7.0
"""Increase of ``KEPT_TRUMP_VALUES`` for each playable negative contract fewer than ``USUAL_KINDS``, in points."""


def run_rollout(state: RifkiState, _luck: float) -> Sequence[float]:
    """Play the round out, all seats by the estimates of the policy, and return the points of each seat.

    ``state`` is not changed. If its round is finished, the points of that round are returned.
    """
    if not state.playing:
        assert state.score is not None
        return state.score.points
    contract, step = state.contract, state.step
    assert contract is not None
    seats = [step * player % SEATS for player in range(SEATS)]
    position = _make_position(state, seats)
    more = play_negative(position, contract) if contract.trump is None else play_trump(position, contract.trump)
    counts = state.counts
    return [contract.worth * (counts[seat] + more[seats[seat]]) for seat in range(SEATS)]


def _make_position(state: RifkiState, seats: Sequence[int]) -> Position:
    """Return the rollout position of a state.

    ``seats`` maps seats to players in order of play. It is its own inverse, so that it also maps players to seats.
    """
    out = all_of(state.hands)
    voids = [
        sum([1 << seats[seat] for seat in range(SEATS) if not out & members & ~state.excluded_cards[seat]])
        for members in OF_SUIT
    ]
    trick = state.trick
    return Position(
        hands=[state.hands[seat] for seat in seats],
        voids=voids,
        complete=sum(state.won),
        player=seats[state.turn],
        played=len(trick),
        led=state.led,
        best=BIT[trick[state.order.winner(trick)]] if trick else 0,
        taker=(seats[state.leader] + state.order.winner(trick)) % SEATS if trick else 0,
        lying=(mask_of(trick) & state.penalties).bit_count(),
        hearts_shut=state.hearts_shut,
        any_opens=state.options.hearts_unlock == "any",
        overruffs=state.overruffs,
    )


def list_candidates(view: RifkiView) -> Sequence[Action]:
    """Return all legal actions before the declaration, else the lowest card of each group of equivalent cards.

    Penalty cards are never equivalent to other cards.
    """
    if view.contract is None:
        return view.legal
    penalties = view.contract.penalties
    return [PLAY[c] for cards in (penalties, PACK_52 ^ penalties) for c in _list_distinct_cards(view, cards)]


def choose_by_rule(view: RifkiView) -> Action | None:
    """Return the rule policy's card, replaced by the lowest equivalent one; ``None`` before the declaration."""
    if view.contract is None:
        return None
    action, penalties = steady(view, Random(0)), view.contract.penalties
    assert isinstance(action, Play)
    alike = penalties if action.cards_used() & penalties else PACK_52 ^ penalties
    return PLAY[max([c for c in _list_distinct_cards(view, alike) if c <= action.card])]


def _list_distinct_cards(view: RifkiView, among: Cards) -> Sequence[Card]:
    """Return the lowest card of each group of equivalent legal cards in ``among``.

    Cards of a suit are equivalent if no card of another hand or of the trick lies between them.
    """
    legal = mask_of([play.card for play in view.legal if isinstance(play, Play)])
    between = PACK_52 & ~view.hand & ~all_of(view.played) | mask_of(view.trick)
    return list_lowest_of_runs(legal & among, between)


def estimate_future_value(view: RifkiView, action: Action) -> float:
    """Return the future value of a declaration, in points; 0 unless it keeps a trump contract for a later round.

    The effect on the number of playable contracts is ignored, since it affects all declarers alike.
    """
    if not isinstance(action, RifkiContract) or action.trump is not None:
        return 0.0
    left = view.options.quota.count_left(view.list_declared(view.seat))
    kinds = sum([view.declared.count(contract) < TIMES_EACH for contract in NEGATIVE_CONTRACTS])
    if not left.trump:
        return 0.0
    return KEPT_TRUMP_VALUES[left.trump, left.negative] + MISSING_KIND_VALUE * (USUAL_KINDS - kinds)


SEARCH_SPEC: Final = SearchSpec(
    make_sampler(GAME.imagine),
    make_rollout_chooser(run_rollout),
    WORLDS,
    list_candidates,
    future_value=estimate_future_value,
    rule=choose_by_rule,
    list_worlds=ENDING.list_states,
    big_mistake=20.0,
)
