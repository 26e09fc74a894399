"""The commands that read sessions and print: ``list``, ``show``, ``trace`` and ``verify``."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from cardtable import program
from cardtable.engine import replay
from cardtable.engine.journal import BadJournal, Journal, SeatOf, is_score_table
from cardtable.games import GAMES
from cardtable.scoring.score_table import Read, ScoreTable
from cardtable.store import archive, files, paths, score_tables, sessions
from cardtable.store.errors import CardtableError, DamagedJournal
from cardtable.store.text import clean, place
from cardtable.telling import sheet


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
    return not player or player.casefold() in [who.name.casefold() for who in summary.header.seats]


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
        "ranks": summary.ranks,
        "players": [_player(who) for who in summary.header.seats],
        "created": summary.header.created,
        "real_cards": summary.real_cards,
    }


def _player(who: SeatOf) -> dict[str, str]:
    return {"name": who.name} if who.robot is None else {"name": who.name, "robot": who.robot}


def show(path: Path, form: str) -> int:
    """Print the score sheet of the one session in a file as ``text``, ``csv`` or ``json``."""
    if scores := _score_table(path):
        header = scores[0].header
        return _show(header.id, files.names(header.seats), scores[1].sheet, form)
    found = files.journals(path)
    try:
        journal = next(found)
        if next(found, None) is not None:
            raise click.UsageError(f"{path} holds several sessions; show prints one")
        table = replay.load(journal, GAMES)
    except BadJournal as error:
        raise CardtableError(_where(path, error)) from None
    return _show(journal.header.id, files.names(journal.header.seats), table, form)


def _show(id_: str, names: Sequence[str], scored: sheet.Scored, form: str) -> int:
    if form == "json":
        click.echo(json.dumps(sheet.as_json(id_, scored)))
    elif form == "csv":
        click.echo(sheet.as_csv(names, scored), nl=False)
    else:
        click.echo(sheet.as_text(id_, names, scored), nl=False)
    return 0


def _score_table(path: Path) -> tuple[Read, ScoreTable] | None:
    """The score table in a file, and what was read; ``None`` if the file holds journals.  Raises ``CardtableError``."""
    data = files.read_session(path)
    if not is_score_table(data):
        return None
    found = score_tables.read(path, data)
    return found, score_tables.loaded(path, found)


def trace(path: Path, as_open: bool) -> int:
    """Print a line of JSON after each line of the sessions in a file."""
    code = 0
    for read in _each(path):
        code |= program.complain(_where(path, read)) if isinstance(read, BadJournal) else _trace(path, read, as_open)
    return code


def _trace(path: Path, journal: Journal, as_open: bool) -> int:
    told, turn, damage = [], 0, None
    try:
        for number, table in replay.follow(journal, GAMES):
            told.append(json.dumps(replay.trace(number, table), separators=(",", ":")))
            turn = table.turn
    except BadJournal as error:
        damage = error
    if files.still_played(journal.header, turn) and not as_open:
        return program.complain(str(files.refusal(journal.header, "trace")))
    for text in told:
        click.echo(text)
    return program.complain(_where(path, damage)) if damage else 0


def verify(path: Path) -> int:
    """Replay every session in a file; say of each in a line whether it holds."""
    code = 0
    try:
        if scores := _score_table(path):
            click.echo(_verified_scores(*scores))
            return 0
    except DamagedJournal as error:
        click.echo(f"bad {error}")
        return 1
    for read in _each(path):
        try:
            if isinstance(read, BadJournal):
                raise read
            click.echo(_verified(read))
        except BadJournal as error:
            click.echo(f"bad {_where(path, error)}")
            code = 1
    return code


def _verified(journal: Journal) -> str:
    table = replay.load(journal, GAMES)
    totals = ",".join(map(str, table.totals))
    torn = " torn" if journal.torn else ""
    return f"ok {journal.header.id} {journal.header.game} rounds={len(table.scores)} totals={totals}{torn}"


def _verified_scores(found: Read, table: ScoreTable) -> str:
    totals = ",".join(map(str, table.sheet.totals))
    torn, head = " torn" if found.torn else "", table.header
    return f"ok {head.id} {head.game} rounds={len(table.rounds)} totals={totals}{torn} real-cards"


def _each(path: Path) -> Iterator[Journal | BadJournal]:
    """The sessions of a file, one at a time; in the place of one that does not hold, why."""
    found = files.journals(path)
    while True:
        try:
            yield next(found)
        except StopIteration:
            return
        except BadJournal as error:
            yield error


def _where(path: Path, error: BadJournal) -> str:
    """What is damaged, in one printable line."""
    return clean(f"{place(path)}:{error.line}: {error.why}")
