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

HAND, PILE, COMBINATIONS, TOGETHER = 20, 15, 5, 6
LIMIT = 5.0
"""Maximum milliseconds of any question."""


def positions(number: int, rng: Random) -> Iterator[tuple[Table, tuple[Card, ...], tuple[Card, ...]]]:
    """Yield melds on the table, a hand, and a face-up pile."""
    for odd in range(number):
        left, table = PACK_52, []
        for _ in range(rng.randint(0, COMBINATIONS)):
            meld = rng.choice(legal_turns.find_melds(left))
            if (left & ~MASK[meld]).bit_count() >= HAND + PILE:
                table.append(meld)
                left &= ~MASK[meld]
        low = rng.randrange(len(RANKS) - TOGETHER)
        near = sum(OF_RANK[low : low + TOGETHER]) if odd % 2 else 0
        order = shuffled(left & near, rng)[:HAND]
        order += shuffled(left & ~mask_of(order), rng)
        yield tuple(table), shuffled(mask_of(order[:HAND]), rng), order[HAND : HAND + PILE]


def milliseconds(ask: Callable[[], Sequence[Action]]) -> float:
    """Return the time of a question with empty caches."""
    times = []
    for _ in range(3):
        for remembered in (legal_turns.list_draws, legal_turns.list_actions_after_draw, legal_turns.can_lay_all):
            remembered.cache_clear()
        start = time.thread_time()
        ask()
        times.append(time.thread_time() - start)
    return min(times) * 1e3


def before_the_draw(table: Table, hand: tuple[Card, ...], pile: tuple[Card, ...], keep: bool) -> float:
    """Measure the legal actions at the beginning of a turn."""
    return milliseconds(lambda: legal_turns.list_draws(mask_of(hand), table, pile, 0, must_keep=keep))


def after_taking(table: Table, hand: tuple[Card, ...], taken: Cards, must: Card | None, keep: bool) -> float | None:
    """Measure the legal actions after cards were taken; None if the turn could not be completed."""
    barred = taken if keep else 0
    if not legal_turns.can_complete(mask_of(hand), legal_turns.find_open_ends(table), must, barred):
        return None
    return milliseconds(lambda: legal_turns.list_actions_after_draw(mask_of(hand), table, must, barred))


def main() -> None:
    """Measure many positions; print the mean, the 99th percentile and the maximum."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    rng = Random(chosen.seed)
    taken: dict[str, list[float]] = {}
    for table, hand, pile in positions(chosen.deals, rng):
        number = rng.randint(2, HAND - 1)
        for keep, rule in ((False, "free"), (True, "must-keep")):
            times = {
                f"{rule}: how to begin, pile of {PILE}": before_the_draw(table, hand, pile, keep),
                f"{rule}: after the stock": after_taking(table, hand, 0, None, keep),
                f"{rule}: a taken card must be used": after_taking(table, hand, mask_of(hand[:number]), hand[0], keep),
                f"{rule}: it is used": after_taking(table, hand, mask_of(hand[:number]), None, keep),
            }
            for label, spent in times.items():
                taken.setdefault(label, []).extend([] if spent is None else [spent])
    print(f"{'milliseconds, limit ' + str(LIMIT):48} {'mean':>6} {'99 %':>6} {'most':>6}")
    for label, spent_ in taken.items():
        spent_.sort()
        print(
            f"{label:40} {len(spent_):7} {fmean(spent_):6.3f} {spent_[int(0.99 * len(spent_))]:6.3f} {spent_[-1]:6.3f}"
        )


if __name__ == "__main__":
    main()
