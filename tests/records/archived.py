"""Sessions for ratings and statistics: told in a line, or played by hand and laid into the archive."""

from pathlib import Path
from random import Random

import msgspec

from cardtable.engine import journal
from cardtable.engine import options as house
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.journal import Header, Occupant, Origin
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import paths
from cardtable.store.summaries import Summary
from tests.played_at import iso


def seat(word):
    """A seat of ``Anna``, or of a robot by its level."""
    return Occupant("Bo", word) if word in LEVELS else Occupant(word)


def header(game, who, id_="s", created="2026-11-20T08:37:28Z", seed=7, **options):
    chosen = GAMES[game].options(**options).for_seats(len(who.split()))
    seats = tuple(map(seat, who.split()))
    return Header(
        cardtable=1,
        id=id_,
        game=game,
        created=created,
        seed=seed,
        options=chosen.to_dict(),
        seats=seats,
    )


def session(who, ranks=None, *, game="bridge", ended=0.0, id_="s", undone=0, copied=False, **options):
    """A session of ``Anna Bob expert`` that is over with these places, or else was given up."""
    head = header(game, who, id_, **options)
    if copied:
        head = msgspec.structs.replace(head, origin=Origin("other", 5))
    state = "given-up" if ranks is None else "over"
    totals = tuple(-10 * rank for rank in ranks or [1] * len(head.seats))
    places = None if ranks is None else tuple(ranks)
    return Summary(id_, Path(f"{id_}.jsonl"), head, state, 1, totals, places, ended, undone=undone)


def put(game, who, *, id_="s", seed=7, ended=1_000_000, rounds=None, names=(), **options):
    """Lay a session into the archive in which everybody chooses at random; its table.

    With ``rounds`` it is given up once so many are over; ``names`` are those of the first seats.
    """
    head = header(game, who, id_, seed=seed, **options)
    seats = (*map(Occupant, names), *head.seats[len(names) :])
    head = msgspec.structs.replace(head, seats=seats)
    rng, lines = Random(seed), []
    chosen = house.read(GAMES[game].options, head.options, len(head.seats))
    table = Referee(GAMES[game], len(head.seats), chosen, seed, lines.append)
    while table.turn != OVER and (rounds is None or len(table.scores) < rounds):
        if table.turn == CHANCE:
            table.advance()
        else:
            table.play(table.turn, rng.choice(table.view(table.turn).legal))
    write(head, lines, ended)
    return table


def write(head, lines, ended=1_000_000):
    """Lay a journal of these lines into the archive, of a session that ended so many seconds after 1970."""
    paths.create_folder(paths.archive_folder())
    path = paths.archive_folder() / f"{head.id}.jsonl"
    path.write_bytes(journal.encode([msgspec.structs.replace(head, created=iso(ended)), *lines]))
    return path
