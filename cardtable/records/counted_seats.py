"""Rule for which seats of a session count in ratings and seasons, so that nobody gains by playing against nobody.

At least two people must have made three quarters of the choices of their seats; else only those count who have lost the
session before its end. If all people came from one network, nobody does.
"""

from typing import Final, NamedTuple

from cardtable.engine.game import Seat, Sides
from cardtable.engine.referee import rank_lost_last
from cardtable.store.summaries import Summary

MIN_PLAYERS: Final = 2
"""Number of people who must have made most choices of their seats."""


class CountedSeats(NamedTuple):
    """Seats of a session that count."""

    seats: frozenset[Seat]
    losers: frozenset[Seat] = frozenset()
    """Those of them who have lost before the end, or let the clock decide too often."""


def find_counted_seats(session: Summary, sides: Sides, *, is_strict: bool) -> CountedSeats:
    """Return the seats that count; without ``is_strict``, and where choices were not counted, these are all seats."""
    assert session.header is not None
    every = frozenset(range(len(session.header.seats)))
    if not is_strict:
        return CountedSeats(every)
    if {"one-network", "networks-differ"} & session.marks == {"one-network"}:
        return CountedSeats(frozenset())
    lost = frozenset(dict(session.lost))
    if session.own is None or session.due is None or session.late is None:
        return CountedSeats(lost, lost) if session.header.terms else CountedSeats(every)
    replaced = {seat for seat, _ in session.replaced_occupants}
    people = [seat for seat in session.header.people if seat not in lost | replaced]
    players = {seat for seat in people if 4 * session.own[seat] >= 3 * session.due[seat]}
    late = {
        seat
        for seat in people
        if seat not in players and 4 * (session.own[seat] + session.late[seat]) >= 3 * session.due[seat]
    }
    losers = lost | late
    if len(players) < MIN_PLAYERS:
        return CountedSeats(losers, losers)
    partners = {seat for side in sides if losers & {*side} for seat in side} - losers
    robots = every.difference(session.header.people, replaced)
    return CountedSeats((losers | players | robots) - partners, losers)


def compute_counted_places(session: Summary, sides: Sides, losers: frozenset[Seat]) -> tuple[int, ...] | None:
    """Return the ranks by seat, with those last who have lost; ``None`` if the session has none."""
    last = losers if session.timed_out is None or not losers else losers | {session.timed_out}
    return None if session.places is None else rank_lost_last(session.places, last, sides)
