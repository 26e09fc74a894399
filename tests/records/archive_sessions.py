"""Sessions for ratings and statistics: summaries, and journals in the archive."""

from datetime import date
from hashlib import md5
from pathlib import Path
from random import Random

import msgspec

from cardtable.engine import journal
from cardtable.engine import options as house
from cardtable.engine.journal import ActionLine, Header, Occupant, Origin
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.records.aggregation import aggregate
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import paths, profiles, session_setup
from cardtable.store.profiles import Profile
from cardtable.store.seating import GUEST
from cardtable.store.summaries import Summary
from tests.journal_lines import select_lines
from tests.journal_times import format_iso


def make_occupant(word):
    """Return the occupant named `word`, who has a profile; the name of a level gives a robot, `~Anna` a guest."""
    if word in LEVELS:
        return Occupant("Bo", word)
    is_guest = word.startswith("~") or word == GUEST
    return Occupant(word.removeprefix("~"), player=None if is_guest else find_or_add_profile(word).id)


def find_or_add_profile(nick):
    if (profile := profiles.load()[0].find(nick)) is None:
        profile = Profile(nick, id=md5(nick.encode(), usedforsecurity=False).hexdigest()[:16])
        profiles.PROFILES.update(lambda store: msgspec.structs.replace(store, players=(*store.players, profile)))
    return profile


def make_header(game, players, id_="s", created="2026-11-20T08:37:28Z", seed=7, **options):
    chosen = GAMES[game].options(**options).for_seats(len(players.split()))
    seats = tuple(map(make_occupant, players.split()))
    return Header(cardtable=3, id=id_, game=game, created=created, seed=seed, options=chosen.to_header(), seats=seats)


def make_summary(
    players, ranks=None, *, game="bridge", ended=0.0, id_="s", undone=0, coached=False, copied=False, **options
):
    """Return the summary of a session of players such as `Anna Bob`, finished with these places, or abandoned."""
    head = make_header(game, players, id_, **options)
    if copied:
        head = msgspec.structs.replace(head, origin=Origin("other", 5))
    state = "abandoned" if ranks is None else "over"
    totals = tuple(-10 * rank for rank in ranks or [1] * len(head.seats))
    places = None if ranks is None else tuple(ranks)
    return Summary(id_, Path(f"{id_}.jsonl"), head, state, 1, totals, places, ended, undone=undone, coached=coached)


def archive_random_session(
    game, players, *, id_="s", seed=7, ended=1_000_000, rounds=None, names=(), host=None, **options
):
    """Play a session at random, archive its journal, and return its referee.

    With `rounds`, the session is abandoned after that many rounds; `names` replaces the names of the first seats.
    """
    head = make_header(game, players, id_, seed=seed, **options)
    seats = (*map(Occupant, names), *head.seats[len(names) :])
    head = msgspec.structs.replace(head, seats=seats, host=host)
    lines = []
    table = play_at_random(head, lines, rounds)
    archive_journal(head, lines, ended)
    return table


def play_at_random(head, lines, rounds=None):
    """Play a session at random, appending its lines; return the referee."""
    rng = Random(head.seed)
    chosen = house.read(GAMES[head.game].options, head.options, len(head.seats))
    table = Referee(GAMES[head.game], len(head.seats), chosen, head.seed, lines.append, arrivals=head.arrivals)
    while not table.ended and (rounds is None or len(table.scores) < rounds):
        if table.turn < 0:
            table.advance()
        else:
            table.play(table.turn, rng.choice(table.view(table.turn).legal))
    return table


def archive_journal(head, lines, ended=1_000_000):
    """Archive a journal of these lines whose session was created `ended` seconds after 1970; return its path."""
    paths.create_folder(paths.archive_folder())
    path = paths.archive_folder() / f"{head.id}.jsonl"
    path.write_bytes(journal.encode(msgspec.structs.replace(head, created=format_iso(ended)), lines))
    return path


def write_daily_session(day, *, id_="", begun=0, player="Anna", is_over=True):
    """Write a session with the deal of a day, begun some days later and played at random; return its path.

    Unless `is_over`, it is not archived and the last decision of the player is missing.
    """
    setup = session_setup.create_daily_setup(day, player)
    header = make_header(
        setup.game.about.key,
        " ".join([player, *["steady"] * (len(setup.seats) - 1)]),
        id_ or f"{day:%Y%m%d}-083728-{setup.game.about.key}-0001",
        format_iso(((day - date(1970, 1, 1)).days + begun) * 86400 + 43200),
        setup.seed,
    )
    lines = []
    play_at_random(header, lines)
    if not is_over:
        lines = lines[: lines.index([line for line in select_lines(ActionLine, lines) if line.seat == 0][-1])]
    folder = paths.archive_folder() if is_over else paths.sessions_folder()
    paths.create_folder(folder)
    path = folder / f"{header.id}.jsonl"
    path.write_bytes(journal.encode(header, lines))
    return path


def aggregate_records():
    """Return the records of all archived sessions."""
    return [progress for progress in aggregate() if progress.records][-1].records
