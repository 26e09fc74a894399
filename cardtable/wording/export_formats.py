"""Export of sessions and score tables as Markdown, CSV or journal."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from cardtable.engine import journal
from cardtable.engine.cards import iter_cards
from cardtable.engine.game import AnyGame, CardsTitle, Contract, Seat, Title
from cardtable.engine.journal import Header, Journal, Occupant, is_score_table, replace_occupants
from cardtable.engine.log_entries import SeatChanged
from cardtable.engine.options import Options
from cardtable.engine.referee import Referee
from cardtable.engine.text_format import capitalize_first, format_weighted, sanitize
from cardtable.games import GAMES
from cardtable.scoring import score_table as scoring
from cardtable.scoring.score_table import ScoreTable
from cardtable.session.round_replay import RoundReplay, replay_rounds
from cardtable.store import paths, score_tables, session_files, visibility
from cardtable.wording import log_entries, score_sheet
from cardtable.wording.formatting import (
    SUIT_SIGNS,
    format_card,
    format_number,
    format_ordinal,
    format_round_title,
    insert_suit_signs,
    replace_faces,
)
from cardtable.wording.players import Names
from cardtable.wording.rules_page import format_other_rules
from cardtable.wording.score_sheet import StoredSheet

_SPECIAL_CHARACTERS: Final = re.compile(r"([\\`*_{}\[\]<>#|~])")
"""Characters that have a meaning in Markdown anywhere in a line."""


def format_session(
    journal: Journal,
    referee: Referee,
    *,
    is_abandoned: bool = False,
    is_part: bool = False,
    games: Mapping[str, AnyGame] = GAMES,
) -> str:
    """Return a session as Markdown: its players, score sheet, and all rounds.

    ``referee`` is the state after the last line of the journal. If ``is_part`` is True, the journal has the finished
    rounds of a club's session only, and the text says so. Raises ``JournalError`` if the journal cannot be replayed.
    """
    header = replace_occupants(journal.header, referee.occupants.changed)
    known_as = f"session `{header.id}`."
    source = f"S{known_as[1:]}" if is_part or header.club or header.host else f"Deal number {header.seed}, {known_as}"
    if is_part:
        source = f"{source} It is played at a club; these are its finished rounds."
    names = session_files.list_sheet_names(journal, referee)
    lines = _list_opening_lines(header, names, referee, referee.options, source, is_abandoned=is_abandoned)
    for replay in replay_rounds(journal, games):
        round_names = [escape_markdown(name) for name in session_files.format_names(replay.occupants)]
        round_lines = _iter_round_lines(replay, round_names)
        lines += [*[replace_faces(line, replay.game.about.faces) for line in round_lines], ""]
    return _join_lines(lines)


def format_score_table(table: ScoreTable, *, is_abandoned: bool = False) -> str:
    """Return a session played with real cards as Markdown: its players and score sheet."""
    source = f"With real cards, score table `{table.header.id}`."
    names, options = session_files.format_names(table.header.seats), table.sheet.options
    return _join_lines(
        _list_opening_lines(table.header, names, table.sheet, options, source, is_abandoned=is_abandoned)
    )


def _join_lines(lines: Sequence[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"


def _list_opening_lines(
    header: Header | scoring.ScoreTableHeader,
    names: Names,
    sheet: score_sheet.HasScoreSheet,
    options: Options,
    source: str,
    *,
    is_abandoned: bool,
) -> list[str]:
    """Return the lines before the rounds: game and date, players, house rules, and score sheet."""
    names = [escape_markdown(name) for name in names]
    lines = [f"# {sheet.game.about.title}, {escape_markdown(sanitize(header.created[:10]))}", ""]
    end = "The session was abandoned." if is_abandoned else "The session is not over."
    over = [] if sheet.ranks else ["", end]
    lines += [*_iter_player_lines(header.seats, names, sheet), *over, "", source]
    if other := format_other_rules(type(options), options.to_dict(), type(options)().to_dict()):
        lines += ["", f"House rules: {other}."]
    return [*lines, "", "## Score sheet", "", *_iter_sheet_rows(names, sheet), ""]


def _iter_player_lines(seats: Sequence[Occupant], names: Names, sheet: score_sheet.HasScoreSheet) -> Iterator[str]:
    """Yield a line for each player, by rank, or in the order of seats if the session has not ended."""
    order = list(range(sheet.seats))
    if sheet.ranks:
        order.sort(key=sheet.ranks.__getitem__)
    for seat in order:
        robot = seats[seat].robot
        kind = f" ({robot} robot)" if robot else ""
        place = f"{format_ordinal(sheet.ranks[seat])}: " if sheet.ranks else ""
        yield f"- {place}**{names[seat]}**{kind} {format_number(sheet.totals[seat])}"


def _iter_sheet_rows(names: Names, sheet: score_sheet.HasScoreSheet) -> Iterator[str]:
    """Yield the rows of the score sheet. The columns of contracts and of bonuses are left out if they are empty."""
    heads, seats = score_sheet.list_headings(sheet), range(sheet.seats)
    played = [format_weighted(_format_title(score.title), score.weight) for score in sheet.scores]
    bonuses = ["; ".join(score_sheet.format_bonuses(names, score, sheet.sides)) for score in sheet.scores]

    def format_row(number: str, title: str, cells: Sequence[str], bonus: str) -> str:
        return format_markdown_row(
            [number, *([title] if any(played) else []), *cells, *([bonus] if any(bonuses) else [])]
        )

    yield format_row("round", "played", [f"{names[seat]} {head}" for seat in seats for head in heads], "bonuses")
    yield format_row("---:", "---", ["---:" for _ in seats for _ in heads], "---")
    for number, (score, title, bonus) in enumerate(zip(sheet.scores, played, bonuses, strict=True), 1):
        cells = [cell for seat in seats for cell in score_sheet.format_cells(sheet, score, seat)]
        yield format_row(str(number), title, cells, bonus)


def _iter_round_lines(replay: RoundReplay, names: Names) -> Iterator[str]:
    """Yield the lines about one round: the hands as dealt, all actions, and the points."""
    title = insert_suit_signs(log_entries.describe_round_title(replay))
    yield f"## Round {replay.number}{f': {title}' if title else ''}"
    yield ""
    for note in [note for step in replay.steps for note in step.asides if isinstance(note, SeatChanged)]:
        yield f"{escape_markdown(log_entries.format_note(note, you=False))}."
        yield ""
    begins = log_entries.describe_starter(replay, names)
    yield f"{capitalize_first(begins)}. Hands as dealt:"
    yield ""
    for seat in replay.seats:
        yield f"- {names[seat]}: {' '.join(map(format_card, iter_cards(replay.get_hand(seat, 0))))}"
    yield ""
    if replay.has_tricks:
        yield from _iter_trick_lines(replay, names)
    else:
        for row in replay.rows:
            if row.steps:
                yield f"1. {insert_suit_signs(log_entries.describe_row(replay, row, names))}"
    yield ""
    if replay.score is None:
        yield "The round was not finished."
    else:
        yield f"Points: {', '.join([_format_result(replay, names, seat) for seat in replay.seats])}"


def _format_result(replay: RoundReplay, names: Names, seat: Seat) -> str:
    """Return the result of a seat in a round, such as ``Anna +14 (bid 2, won 2)``."""
    did, points = log_entries.format_seat_result(replay, seat)
    return f"{names[seat]} {points}" + (f" ({', '.join(did)})" if did else "")


def _iter_trick_lines(replay: RoundReplay, names: Names) -> Iterator[str]:
    """Yield lines about the declarations, and then a table of the tricks in which the leader's card comes first."""
    rows = list(replay.rows)
    for row in rows:
        if not row.trick:
            yield f"{insert_suit_signs(log_entries.describe_row(replay, row, names))}."
    if not any(row.trick for row in rows):
        return
    yield ""
    yield format_markdown_row(["trick", "leads", *["follows"] * (len(names) - 1), "taken by"])
    yield format_markdown_row(["---:"] + ["---"] * (len(names) + 1))
    for row in rows:
        if row.trick:
            played = [f"{names[seat]} {format_card(card)}" for seat, card in row.cards]
            taker = names[row.taker] if row.taker is not None else ""
            yield format_markdown_row([str(row.trick), *played, *[""] * (len(names) - len(played)), taker])


def _format_title(title: Title) -> str:
    """Return the title of a round, such as ``10 ♣``, ``Trump ♣`` or ``K♣``."""
    if isinstance(title, CardsTitle) and title.trump is not None:
        return f"{title.cards} {SUIT_SIGNS[title.trump]}"
    return format_round_title(title) if isinstance(title, Contract) else insert_suit_signs(str(title))


def format_markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escape_markdown(text: str) -> str:
    return _SPECIAL_CHARACTERS.sub(r"\\\1", text)


ExportFormat: TypeAlias = Literal["markdown", "csv", "journal"]
SUFFIXES: Final[Mapping[ExportFormat, str]] = {"markdown": ".md", "csv": ".csv", "journal": ".jsonl"}
"""Suffix of exported files, by format."""


def export_session(path: Path, export_format: ExportFormat, *, as_open: bool = False) -> bytes:
    """Return the content of an export file for a session or score table.

    If the club plays the session, only its finished rounds are exported. Any other session that human players have not
    finished is exported only if ``as_open`` is True.

    Raises ``StillPlayed`` if it is False, ``PlayedAtClub`` if it is True for a session that the club plays, and other
    kinds of ``CardtableError`` if the file cannot be read.
    """
    data = session_files.read_session(path)
    if is_score_table(data):
        return _export_score_table(path, data, export_format)
    exported = _load_session(path, data, as_open=as_open)
    match export_format:
        case "journal":
            return exported.data
        case "csv":
            names = session_files.list_sheet_names(exported.read, exported.referee)
            return score_sheet.to_csv(names, exported.referee).encode()
        case "markdown":
            return format_session(
                exported.read, exported.referee, is_abandoned=exported.is_abandoned, is_part=exported.is_part
            ).encode()


def load_sheet(path: Path, *, as_open: bool = False) -> StoredSheet:
    """Return the score sheet of a session or score table that may be exported.

    Raises the same errors as ``export_session``.
    """
    data = session_files.read_session(path)
    if is_score_table(data):
        return score_sheet.load(path)
    exported = _load_session(path, data, as_open=as_open)
    names = session_files.list_sheet_names(exported.read, exported.referee)
    return StoredSheet(exported.header, names, exported.referee, exported.is_abandoned)


class _ExportedSession(NamedTuple):
    """Session, or the finished rounds of one that the club plays."""

    read: Journal
    data: bytes
    """File content of the journal."""
    referee: Referee
    """State after the last line."""
    header: Header
    """Header with the occupants after the last line."""
    is_abandoned: bool
    is_part: bool
    """True if only the finished rounds are exported."""


def _load_session(path: Path, data: bytes, *, as_open: bool) -> _ExportedSession:
    """Return the part of a session that may be exported. Raises the errors of ``export_session``."""
    read = session_files.parse_session(path, data)
    referee = session_files.replay_journal(path, read)
    header = replace_occupants(read.header, referee.occupants.changed)
    is_abandoned = session_files.is_abandoned(path, referee.turn)
    extent = visibility.check_request(path, read, header, referee.turn, "export", as_open=as_open)
    is_part = extent == "finished rounds"
    if is_part:
        read = visibility.extract_finished_part(read)
        referee = session_files.replay_journal(path, read)
        data = journal.encode(read.header, [entry.line for entry in read.entries])
    return _ExportedSession(read, data, referee, header, is_abandoned, is_part)


def _export_score_table(path: Path, data: bytes, export_format: ExportFormat) -> bytes:
    """Return the content of an export file for a score table. Raises ``DamagedJournal`` if it is damaged."""
    table = score_tables.replay(path, score_tables.parse(path, data))
    match export_format:
        case "journal":
            return data
        case "csv":
            return score_sheet.to_csv(session_files.format_names(table.header.seats), table.sheet).encode()
        case "markdown":
            return format_score_table(table, is_abandoned=not table.ended and paths.is_in_archive(path)).encode()
