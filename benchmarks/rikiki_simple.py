"""How far a level is ahead of three simple robots in Rikiki: they bid by estimates and play greedily.

    python benchmarks/rikiki_simple.py [--level R] [--deals N] [--seed S]

A simple robot bids what its cards should take, as a steady one does.  While it needs tricks it leads an ace or its
highest card, trumps before others, and takes what it can; otherwise it leads low and loses with the highest card that
does not win.  It counts no cards.  With ``--level simple`` the figures are those among equals.  The deals are those of
``cardtable arena rikiki``: each is played in every seating.
"""

import argparse
from collections.abc import Callable
from random import Random
from statistics import fmean, stdev

from cardtable.engine.cards import RANK, SUIT, Card
from cardtable.engine.contract import Action
from cardtable.engine.table import Table, forget
from cardtable.engine.tricks import PLAY, order
from cardtable.games import GAMES
from cardtable.games.rikiki.policy import steady
from cardtable.games.rikiki.rules import SEATS, RikikiView
from cardtable.games.rikiki.rules.scoring import FULL
from cardtable.robots.arena import SESSIONS_A_SEED
from cardtable.robots.kit.robot import Robot, make
from cardtable.robots.simulation import play_round


class Simple:
    """A robot that bids by estimates and plays greedily."""

    def choose(self, view: RikikiView, rng: Random, stop: Callable[[], bool]) -> Action:  # noqa: ARG002 - never long
        """A bid by estimates, or a card by rules of thumb."""
        bid = view.bids[view.seat]
        if bid is None:
            return steady(view, rng)
        trump = None if view.trump_card is None else SUIT[view.trump_card]
        legal = [action.uses().bit_length() - 1 for action in view.legal]
        wants = bid > view.won[view.seat]
        return PLAY[answered(view, legal, trump, wants) if view.trick else led(legal, trump, wants)]


def led(legal: list[int], trump: int | None, wants: bool) -> int:
    """The card to lead."""
    plain = [card for card in legal if SUIT[card] != trump]
    trumps = [card for card in legal if SUIT[card] == trump]
    if not wants:
        return min(plain or trumps, key=RANK.__getitem__)
    best = max(plain, key=RANK.__getitem__, default=-1)
    return best if best >= 0 and RANK[best] == RANK[-1] else max(trumps or plain, key=RANK.__getitem__)


def answered(view: RikikiView, legal: list[int], trump: int | None, wants: bool) -> int:
    """The card to play to a trick."""
    lying, last = view.trick, len(view.trick) == SEATS - 1
    over = [card for card in legal if order(trump).winner((*lying, Card(card))) == len(lying)]
    under = [card for card in legal if card not in over]
    if wants and over:
        ruffs = SUIT[over[0]] == trump
        return min(over) if last or ruffs else max(over)
    if wants:
        return min([card for card in under if SUIT[card] != trump] or under, key=RANK.__getitem__)
    if under:
        return max(under, key=RANK.__getitem__)
    return max(over) if last else min(over)


def deals(level: str, number: int, seed: int) -> list[tuple[float, float, float]]:
    """By deal: how far the level is ahead of the others' mean, its own points, and its exact bids, of 1."""
    game, found = GAMES["rikiki"], []
    for session in range(-(-number // len(FULL))):
        rules, luck = game.options(bonuses="off"), SESSIONS_A_SEED * seed + session
        tables = [Table(game, SEATS, rules, luck, forget) for _ in range(SEATS)]
        robots: list[list[Robot]] = [[Simple()] * SEATS for _ in tables]
        if level != "simple":
            for place, seated in enumerate(robots):
                seated[place] = make(level, "rikiki")
        for _ in range(min(len(FULL), number - session * len(FULL))):
            seatings = []
            for place, (table, seated) in enumerate(zip(tables, robots, strict=True)):
                play_round(table, seated)
                score = table.scores[-1]
                own, (bid, won) = score.points[place], score.figures[place]
                seatings.append((own - (sum(score.points) - own) / (SEATS - 1), own, float(bid == won)))
            found.append((fmean(s[0] for s in seatings), fmean(s[1] for s in seatings), fmean(s[2] for s in seatings)))
    return found


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--level", default="expert", help="who meets three simple robots")
    parser.add_argument("--deals", type=int, default=280)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    found = deals(chosen.level, chosen.deals, chosen.seed)
    ahead = [deal[0] for deal in found]
    error = stdev(ahead) / len(ahead) ** 0.5
    print(
        f"{chosen.level} against 3 simple robots: {fmean(ahead):+.2f} +- {error:.2f} a round,"
        f" own {fmean(deal[1] for deal in found):.2f}, {fmean(deal[2] for deal in found):.1%} of its bids exact,"
        f" {len(found)} deals"
    )


if __name__ == "__main__":
    main()
