"""Golden archive of version 1 of the journal: 20 sessions of each game, written by a program of that time.

Robots played all seats, some under the names of people, from 2025 (``created``) on, with random house rules. Some
sessions were abandoned in a round, between rounds or before the first deal; others have undone moves, void rounds, a
forfeit by the clock, talk, names, open hands or stakes. The 7th and 17th of each game were begun from other sessions,
the 11th was written by hand, the 13th has members that version 2 knows and version 1 does not, and the 20th was torn by
a crash. The files are never regenerated: every later version must read them and compute the results in
``expected.json``, which that program produced.
"""

import hashlib
import json
import tarfile
from pathlib import Path

from msgspec.structs import astuple

from cardtable.engine import journal, replay
from cardtable.games import GAMES
from cardtable.records import aggregation
from cardtable.store import paths, summaries

HERE = Path(__file__).parent
EXPECTED = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))


def unpack(game):
    """Extract the sessions of a game into the archive and return their paths in the order of their creation."""
    paths.create_folder(paths.archive_folder())
    unpacked = []
    with tarfile.open(HERE / f"{game}.tar.xz") as packed:
        for member in packed:
            unpacked.append(paths.archive_folder() / member.name)
            unpacked[-1].write_bytes(packed.extractfile(member).read())
    return unpacked


def summarize_session(path):
    """Return the facts of a session, with a digest of its complete trace."""
    read = journal.read(path.read_bytes())
    traced = hashlib.sha256()
    for number, table in replay.iter_positions(read, GAMES):
        traced.update(json.dumps(replay.trace_position(number, table)).encode())
    summary = summaries.summarize(path)
    return {
        "state": summary.state,
        "round": summary.round,
        "totals": list(summary.totals),
        "ranks": None if summary.ranks is None else list(summary.ranks),
        "undone": summary.undone,
        "name": summary.name,
        "counted": summary.is_rated,
        "torn": bool(read.torn),
        "trace": traced.hexdigest()[:16],
    }


def compute_records():
    """Return ratings and statistics of the archived sessions by game and player."""
    *_, last = aggregation.aggregate()
    ratings = {
        game: {
            player.name: [round(rating.mu, 3), round(rating.sigma, 3), rating.sessions, rating.seats, rating.won]
            for player, rating in game_ratings.rank_players()
        }
        for game, game_ratings in last.records.ratings.items()
    }
    statistics = {
        f"{player.name} {game}": [
            figures.sessions,
            figures.given_up,
            figures.rated,
            dict(sorted(figures.places.items())),
            list(figures.totals),
            figures.rounds.rounds,
            figures.rounds.points,
            figures.best and astuple(figures.best),
            figures.worst and astuple(figures.worst),
        ]
        for (player, game), figures in sorted(last.records.statistics.items())
    }
    return json.loads(json.dumps({"ratings": ratings, "statistics": statistics}))
