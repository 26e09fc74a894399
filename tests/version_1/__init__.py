"""The golden archive of version 1 of the journal: 20 sessions of each game, as a program of that time left them.

They were played by robots in all seats, some of them in the names of people, from ``created`` in 2025 on, with house
rules drawn by lot.  There are sessions that were given up in a round, between rounds and before anything was dealt,
with moves taken back, void rounds, a clock run out, talk and names, open hands and stakes; begun from others (the 7th
and 17th of a game), written by hand (the 11th), with members that version 1 does not know and version 2 does (the
13th), and torn by a crash (the 20th).  They are never made anew: what is in them must be read for ever, and come to
what ``expected.json`` says, which that program said of them.
"""

import hashlib
import json
import tarfile
from pathlib import Path

from cardtable.engine import journal, replay
from cardtable.games import GAMES
from cardtable.records import aggregation
from cardtable.store import paths, summaries

HERE = Path(__file__).parent
EXPECTED = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))


def unpack(game):
    """Lay the sessions of a game into the archive; their paths, in the order in which they were begun."""
    paths.create_folder(paths.archive_folder())
    with tarfile.open(HERE / f"{game}.tar.xz") as packed:
        packed.extractall(paths.archive_folder(), filter="data")
        return [paths.archive_folder() / name for name in packed.getnames()]


def told(path):
    """What the program says of a session, the whole of what ``trace`` prints as a digest."""
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


def reckoned():
    """What the sessions in the archive come to: ratings and statistics by game and player."""
    *_, last = aggregation.aggregate()
    ratings = {
        game: {
            player.name: [round(rating.mu, 3), round(rating.sigma, 3), rating.sessions, rating.seats, rating.won]
            for player, rating in found.rank_players()
        }
        for game, found in last.records.ratings.items()
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
            figures.best and list(figures.best),
            figures.worst and list(figures.worst),
        ]
        for (player, game), figures in sorted(last.records.statistics.items())
    }
    return json.loads(json.dumps({"ratings": ratings, "statistics": statistics}))
