"""Tournaments of two tables, and their sessions played at random."""

from contextlib import closing
from hashlib import sha256
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.game import OVER
from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.store import tournaments
from cardtable.store.session_setup import SessionSetup
from cardtable.store.tournaments import Tournament, TournamentRound, TournamentTable
from tests.store.playing import CLUB_ID, play_randomly

KEY = bytes(range(16))
NAMES = ("Anna", "Bob", "Cleo", "Dan", "Emil", "Finn", "Gina", "Hugo", "Ivy", "Jan", "Kay", "Lea")


def store_tournament(game="gurka", rounds=1, state="playing", key=KEY, **options):
    """Store a tournament of two tables, whose sessions are called ``GAME-ROUND-TABLE``."""
    seats = GAMES[game].about.usual_seats
    people = tuple(map(Occupant, NAMES[: 2 * seats]))

    def create_table(round_, number):
        at = people[seats * number : seats * (number + 1)]
        return TournamentTable(at, f"{game}-{round_}-{number}" if round_ == 0 else "")

    tables = [
        TournamentRound(tuple([create_table(round_, number) for number in (0, 1)]), state if round_ == 0 else "planned")
        for round_ in range(rounds)
    ]
    made = Tournament(
        sha256(game.encode()).hexdigest()[:16], f"Cup-{game}", game, GAMES[game].options(**options).to_header(),
        people, tuple(tables), "random", 60, False, 0, tournaments.compute_commitment(key),
    )  # fmt: skip
    tournaments.add(made, key)
    return made


def begin(tournament, table, round_=0):
    """Begin the session of a table, without its first deal."""
    place, game = tournament.rounds[round_].tables[table], GAMES[tournament.game]
    options = game.options(**tournament.options)
    return SessionSetup(game, place.seats, options, None, random_seating=False).begin(place.session, host_id=CLUB_ID)


def play_rounds(session, rng, rounds):
    table = session.referee
    while len(table.scores) < rounds and table.turn != OVER:
        play_randomly(table, rng, 1)


@pytest.fixture
def tables():
    """Tournament whose first table has ended, and whose second table is in its first round."""
    tournament = store_tournament("gurka", limit=21)
    with closing(begin(tournament, 0)) as session:
        play_rounds(session, Random(1), 100)
        assert session.referee.ended
    with closing(begin(tournament, 1)) as session:
        play_rounds(session, Random(2), 1)
        play_randomly(session.referee, Random(3), 2)
    return tournament


def finish(tournament):
    """Store that all tables have finished the round."""
    round_ = replace(tournament.rounds[0], state="finished")
    tournaments.save(replace(tournament, rounds=(round_,), state="ended", key=KEY.hex()))
