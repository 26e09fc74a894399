"""The commands that read sessions and print: ``list``, ``show``, ``trace`` and ``verify``."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from cardtable.cli import program
from cardtable.engine import journal, replay
from cardtable.engine.journal import BadJournal, Header, Journal, is_score_table, seated
from cardtable.games import GAMES
from cardtable.scoring import score_table
from cardtable.store import archive, files, paths, score_tables, sessions, summaries
from cardtable.store.errors import CacheFile, DamagedJournal
from cardtable.store.text import clean, place
from cardtable.wording import sheet


def list_sessions(as_json: bool, game: str = "", player: str = "", state: str = "") -> int:
    """Print the sessions, the unfinished ones first; those that cannot be opened are complained of.

    With a ``game``, a ``player`` or a ``state`` those only, and nothing of what cannot be opened.
    """
    found = sorted(archive.entries(), key=lambda summary: summary.path.parent == paths.archive())
    if game or player or state:
        found = [summary for summary in found if _wanted(summary, game, player, state)]
    if as_json:
        click.echo(json.dumps([_told(summary) for summary in found], indent=1))
    code = 0
    for summary in found:
        if summary.header is None:
            code = program.complain(f"cannot be opened: {summary.trouble}")
        elif not as_json:
            totals = ",".join(map(str, summary.totals))
            players = ",".join(who.name for who in summary.header.seats)
            real = " real-cards" * summary.real_cards
            click.echo(f"{summary.id} {summary.header.game} {summary.state} {summary.round} {totals} {players}{real}")
    return code


def _wanted(summary: sessions.Summary, game: str, player: str, state: str) -> bool:
    if summary.header is None or (game and summary.header.game != game) or (state and summary.state != state):
        return False
    sitting = [*summary.header.seats, *[who for _, who in summary.left]]
    return not player or player.casefold() in [who.name.casefold() for who in sitting]


def _told(summary: sessions.Summary) -> dict[str, object]:
    """A session as ``list --json`` has it."""
    if summary.header is None:
        return {"id": summary.id, "trouble": summary.trouble}
    return {
        "id": summary.id,
        "game": summary.header.game,
        "state": summary.state,
        "round": summary.round,
        "totals": summary.totals,
        "ranks": summary.places,
        "players": _players(summary, summary.header),
        "created": summary.header.created,
        "played": f"{datetime.fromtimestamp(summary.played, UTC):%Y-%m-%dT%H:%M:%SZ}",
        "real_cards": summary.real_cards,
    }


def _players(summary: sessions.Summary, header: Header) -> list[dict[str, object]]:
    """Who sits there last, by seat; where somebody else sat at first, ``before`` has that name."""
    before = {seat: {"before": who.name} for seat, who in summary.left}
    return [{**msgspec.to_builtins(who), **before.get(seat, {})} for seat, who in enumerate(header.seats)]


def show(path: Path, form: str) -> int:
    """Print the score sheet of the one session in a file as ``text``, ``csv`` or ``json``."""
    data = files.read_session(path)
    if is_score_table(data):
        scores = score_tables.loaded(path, score_tables.read(path, data))
        given_up = not scores.ended and paths.in_archive(path)
        return _show(scores.header, scores.sheet, form, given_up=given_up)
    read = files.one(path, data)
    try:
        table = replay.load(read, GAMES)
    except BadJournal as error:
        raise files.damaged(path, error) from None
    return _show(seated(read.header, table.sitters), table, form, given_up=files.given_up(path, table.turn))


def _show(header: Header | score_table.Header, scored: sheet.Scored, form: str, *, given_up: bool) -> int:
    names = files.names(header.seats)
    if form == "json":
        ranks = summaries.places_given_up(header.seats) if given_up else scored.ranks
        click.echo(json.dumps(sheet.as_json(header.id, scored, ranks)))
    elif form == "csv":
        click.echo(sheet.as_csv(names, scored), nl=False)
    else:
        click.echo(sheet.as_text(header.id, names, scored, given_up=given_up), nl=False)
    return 0


def trace(path: Path, as_open: bool) -> int:
    """Print a line of JSON after each line of the sessions in a file."""
    code = 0
    for part in files.parts(path):
        try:
            code |= _trace(path, journal.read(part.data, part.first, more=part.more), as_open)
        except BadJournal as error:
            code |= program.complain(_where(path, error))
    return code


def _trace(path: Path, read: Journal, as_open: bool) -> int:
    told: list[dict[str, object]] = []
    turn, damage, header = 0, None, read.header
    try:
        for number, table in replay.follow(read, GAMES):
            told.append(replay.trace(number, table))
            turn, header = table.turn, seated(read.header, table.sitters)
    except BadJournal as error:
        damage = error
    if files.still_played(path, header, turn) and not as_open:
        return program.complain(str(files.refusal(header, "trace")))
    if files.given_up(path, turn) and told:
        told[-1]["given_up"] = True
    for line in told:
        click.echo(json.dumps(line, separators=(",", ":")))
    return program.complain(_where(path, damage)) if damage else 0


def verify(path: Path) -> int:
    """Replay every session in a file; say of each in a line whether it holds."""
    code = 0
    try:
        for part in files.parts(path):
            try:
                click.echo(_verified(part))
            except BadJournal as error:
                click.echo(f"bad {_where(path, error)}")
                code = 1
    except CacheFile as error:
        program.complain(str(error))
    except DamagedJournal as error:
        click.echo(f"bad {error}")
        code = 1
    return code


def _verified(part: files.Part) -> str:
    """What is said of a session that holds.  Raises ``BadJournal``."""
    if is_score_table(part.data):
        found = score_table.read(part.data, part.first, more=part.more)
        kept = score_table.load(found)
        return _ok(kept.header, kept.sheet.totals, found.torn, len(kept.rounds)) + " real-cards"
    read = journal.read(part.data, part.first, more=part.more)
    table = replay.load(read, GAMES)
    return _ok(read.header, table.totals, read.torn, len(table.scores))


def _ok(header: Header | score_table.Header, totals: Sequence[int], torn: bytes, rounds: int) -> str:
    figures = ",".join(map(str, totals))
    return f"ok {header.id} {header.game} rounds={rounds} totals={figures}{' torn' if torn else ''}"


def _where(path: Path, error: BadJournal) -> str:
    """What is damaged, in one printable line."""
    return clean(f"{place(path)}:{error.line}: {error.why}")
