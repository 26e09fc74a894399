"""Time to list the legal actions of Rummy with a large hand and a long face-up pile.

    python benchmarks/rummy_legal_actions.py [--deals N] [--seed S]

The positions are constructed from a shuffled pack: up to five melds on the table, 15 cards face up, and 20 in the hand;
in every other position as many cards of the hand as possible are of six ranks that fit together.  In the middle of a
turn some cards of the hand have just been taken, and the deepest of them must be used.  Each question is measured three
times with empty caches, and the minimum counts.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from random import Random
from statistics import fmean

from cardtable.engine.cards import OF_RANK, PACK_52, RANKS, Card, Cards, mask_of
from cardtable.engine.chance import shuffled
from cardtable.engine.game import Action
from cardtable.games.rummy.rules import legal_turns
from cardtable.games.rummy.rules.legal_turns import Table
from cardtable.games.rummy.rules.melds import MASK

HAND, PILE, COMBINATIONS, NEAR_RANKS = 20, 15, 5, 6
LIMIT = 5.0
"""Maximum milliseconds of any question."""


def iter_positions(number: int, rng: Random) -> Iterator[tuple[Table, tuple[Card, ...], tuple[Card, ...]]]:
    """Yield melds on the table, a hand, and a face-up pile."""
    for index in range(number):
        remaining, table = PACK_52, []
        for _ in range(rng.randint(0, COMBINATIONS)):
            meld = rng.choice(legal_turns.find_melds(remaining))
            if (remaining & ~MASK[meld]).bit_count() >= HAND + PILE:
                table.append(meld)
                remaining &= ~MASK[meld]
        low = rng.randrange(len(RANKS) - NEAR_RANKS)
        near = sum(OF_RANK[low : low + NEAR_RANKS]) if index % 2 else 0
        order = shuffled(remaining & near, rng)[:HAND]
        order += shuffled(remaining & ~mask_of(order), rng)
        yield tuple(table), shuffled(mask_of(order[:HAND]), rng), order[HAND : HAND + PILE]


def measure_milliseconds(call: Callable[[], Sequence[Action]]) -> float:
    """Return the time of a question with empty caches."""
    times = []
    for _ in range(3):
        for cached_function in (legal_turns.list_draws, legal_turns.list_actions_after_draw, legal_turns.can_lay_all):
            cached_function.cache_clear()
        start = time.thread_time()
        call()
        times.append(time.thread_time() - start)
    return min(times) * 1e3


def measure_before_draw(table: Table, hand: tuple[Card, ...], pile: tuple[Card, ...], keep: bool) -> float:
    """Measure the legal actions at the beginning of a turn."""
    return measure_milliseconds(lambda: legal_turns.list_draws(mask_of(hand), table, pile, 0, must_keep=keep))


def measure_after_taking(
    table: Table, hand: tuple[Card, ...], taken: Cards, must: Card | None, keep: bool
) -> float | None:
    """Measure the legal actions after cards were taken; None if the turn could not be completed."""
    blocked_cards = taken if keep else 0
    if not legal_turns.can_complete(mask_of(hand), legal_turns.find_open_ends(table), must, blocked_cards):
        return None
    return measure_milliseconds(lambda: legal_turns.list_actions_after_draw(mask_of(hand), table, must, blocked_cards))


def main() -> None:
    """Measure many positions; print the mean, the 99th percentile and the maximum."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = Random(options.seed)
    times_by_label: dict[str, list[float]] = {}
    for table, hand, pile in iter_positions(options.deals, rng):
        number = rng.randint(2, HAND - 1)
        for keep, rule in ((False, "free"), (True, "must-keep")):
            times = {
                f"{rule}: how to begin, pile of {PILE}": measure_before_draw(table, hand, pile, keep),
                f"{rule}: after the stock": measure_after_taking(table, hand, 0, None, keep),
                f"{rule}: a taken card must be used": measure_after_taking(
                    table, hand, mask_of(hand[:number]), hand[0], keep
                ),
                f"{rule}: it is used": measure_after_taking(table, hand, mask_of(hand[:number]), None, keep),
            }
            for label, milliseconds in times.items():
                times_by_label.setdefault(label, []).extend([] if milliseconds is None else [milliseconds])
    print(f"{'milliseconds, limit ' + str(LIMIT):48} {'mean':>6} {'99 %':>6} {'most':>6}")
    for label, all_milliseconds in times_by_label.items():
        all_milliseconds.sort()
        print(
            f"{label:40} {len(all_milliseconds):7} {fmean(all_milliseconds):6.3f} "
            f"{all_milliseconds[int(0.99 * len(all_milliseconds))]:6.3f} {all_milliseconds[-1]:6.3f}"
        )


if __name__ == "__main__":
    main()
