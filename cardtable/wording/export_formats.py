"""Export of sessions and score tables as Markdown, CSV or journal."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, TypeAlias

from cardtable.engine import journal
from cardtable.engine.cards import iter_cards
from cardtable.engine.game import AnyGame, CardsTitle, Contract, Seat, Title
from cardtable.engine.journal import Header, Journal, Occupant, is_score_table, with_occupants
from cardtable.engine.log_entries import SeatChanged
from cardtable.engine.options import Options, Value, choices
from cardtable.engine.referee import Referee
from cardtable.engine.text_format import sanitize, weighted
from cardtable.games import GAMES
from cardtable.scoring import score_table as scoring
from cardtable.scoring.score_table import ScoreTable
from cardtable.session.round_replay import RoundReplay, replay_rounds
from cardtable.store import club_sessions, paths, score_tables, session_files
from cardtable.wording import log_entries, rounds, score_sheet
from cardtable.wording.formatting import SUIT_SIGNS, label, ordinal, signed, title_text, with_suit_signs
from cardtable.wording.players import Names

_MEANING: Final = re.compile(r"([\\`*_{}\[\]<>#|~])")
"""Characters that have a meaning in Markdown anywhere in a line."""


def session(
    journal: Journal,
    table: Referee,
    *,
    given_up: bool = False,
    is_part: bool = False,
    games: Mapping[str, AnyGame] = GAMES,
) -> str:
    """Return a session as Markdown: its players, score sheet, and all rounds.

    ``referee`` is the state after the last line of the journal. If ``is_part`` is True, the journal has the finished
    rounds of a club's session only, and the text says so. Raises ``JournalError`` if the journal cannot be replayed.
    """
    header = with_occupants(journal.header, table.new_occupants)
    known_as = f"session `{header.id}`."
    where = f"S{known_as[1:]}" if is_part or header.club or header.host else f"Deal number {header.seed}, {known_as}"
    if is_part:
        where = f"{where} It is played at a club; these are its finished rounds."
    lines = _begun(header, table, table.options, where, given_up=given_up)
    for replay in replay_rounds(journal, games):
        lines += [*_round(replay, _names(replay.occupants)), ""]
    return _text(lines)


def score_table(table: ScoreTable, *, given_up: bool = False) -> str:
    """Return a session played with real cards as Markdown: its players and score sheet."""
    where = f"With real cards, score table `{table.header.id}`."
    return _text(_begun(table.header, table.sheet, table.sheet.options, where, given_up=given_up))


def _text(lines: Sequence[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"


def _names(seats: Sequence[Occupant]) -> list[str]:
    return [_escaped(name) for name in session_files.names(seats)]


def _begun(
    header: Header | scoring.ScoreTableHeader,
    scored: score_sheet.HasScoreSheet,
    options: Options,
    where: str,
    *,
    given_up: bool,
) -> list[str]:
    """Return the lines before the rounds: game and date, players, house rules, and score sheet."""
    names = _names(header.seats)
    lines = [f"# {scored.game.about.title}, {_escaped(sanitize(header.created[:10]))}", ""]
    end = "The session was given up." if given_up else "The session is not over."
    over = [] if scored.ranks else ["", end]
    lines += [*_players(header.seats, names, scored), *over, "", where, *_house_rules(options), ""]
    return [*lines, "## Score sheet", "", *_sheet(names, scored), ""]


def _players(seats: Sequence[Occupant], names: Names, scored: score_sheet.HasScoreSheet) -> Iterator[str]:
    """Yield a line for each player, by rank, or in the order of seats if the session has not ended."""
    order = list(range(scored.seats))
    if scored.ranks:
        order.sort(key=scored.ranks.__getitem__)
    for seat in order:
        robot = seats[seat].robot
        kind = f" ({robot} robot)" if robot else ""
        place = f"{ordinal(scored.ranks[seat])}: " if scored.ranks else ""
        yield f"- {place}**{names[seat]}**{kind} {signed(scored.totals[seat])}"


def _house_rules(options: Options) -> list[str]:
    """Return the lines about the house rules that differ from their defaults, if there are any."""
    usual: dict[str, Value] = {rule.name: rule.default for rule in choices(type(options))}
    other = [f"{name} = {value}" for name, value in options.items().items() if value != usual[name]]
    return ["", f"House rules: {', '.join(other)}."] if other else []


def _sheet(names: Names, scored: score_sheet.HasScoreSheet) -> Iterator[str]:
    """Yield the rows of the score sheet. The columns of contracts and of bonuses are left out if they are empty."""
    heads, seats = score_sheet.heads(scored), range(scored.seats)
    played = [weighted(_title(score.title), score.weight) for score in scored.scores]
    bonuses = ["; ".join(score_sheet.bonuses(names, score, scored.sides)) for score in scored.scores]
    before, after = ["played"] if any(played) else [], ["bonuses"] if any(bonuses) else []
    yield _row(["round", *before, *[f"{names[seat]} {head}" for seat in seats for head in heads], *after])
    yield _row(["---:", *["---"] * len(before), *["---:" for _ in seats for _ in heads], *["---"] * len(after)])
    for number, (score, what, more) in enumerate(zip(scored.scores, played, bonuses, strict=True), 1):
        cells = [cell for seat in seats for cell in score_sheet.cell_texts(scored, score, seat)]
        yield _row([str(number), *[what] * len(before), *cells, *[more] * len(after)])


def _round(finished: RoundReplay, names: Names) -> Iterator[str]:
    """Yield the lines about one round: the hands as dealt, all actions, and the points."""
    what = with_suit_signs(rounds.title_in_words(finished))
    yield f"## Round {finished.number}{f': {what}' if what else ''}"
    yield ""
    for note in [note for step in finished.steps for note in step.aside if isinstance(note, SeatChanged)]:
        yield f"{_escaped(log_entries.note_text(note, you=False))}."
        yield ""
    begins = rounds.starter_text(finished, names)
    yield f"{begins[:1].upper()}{begins[1:]}. Hands as dealt:"
    yield ""
    for seat in finished.seats:
        yield f"- {names[seat]}: {' '.join(map(label, iter_cards(finished.hand(seat, 0))))}"
    yield ""
    if finished.tricks:
        yield from _tricks(finished, names)
    else:
        for row in finished.rows:
            if row.steps:
                yield f"1. {with_suit_signs(rounds.row_words(finished, row, names))}"
    yield ""
    if finished.score is None:
        yield "The round was not finished."
    else:
        yield f"Points: {', '.join([_made(finished, names, seat) for seat in finished.seats])}"


def _made(finished: RoundReplay, names: Names, seat: Seat) -> str:
    """Return the result of a seat in a round, such as ``Anna +14 (bid 2, won 2)``."""
    did, points = rounds.seat_result(finished, seat)
    return f"{names[seat]} {points}" + (f" ({', '.join(did)})" if did else "")


def _tricks(finished: RoundReplay, names: Names) -> Iterator[str]:
    """Yield lines about the declarations, and then a table of the tricks in which the leader's card comes first."""
    rows = list(finished.rows)
    for row in rows:
        if not row.trick:
            yield f"{with_suit_signs(rounds.row_words(finished, row, names))}."
    if not any(row.trick for row in rows):
        return
    yield ""
    yield _row(["trick", "leads", *["follows"] * (len(names) - 1), "taken by"])
    yield _row(["---:"] + ["---"] * (len(names) + 1))
    for row in rows:
        if row.trick:
            played = [f"{names[seat]} {label(card)}" for seat, card in row.cards]
            taker = names[row.taker] if row.taker is not None else ""
            yield _row([str(row.trick), *played, *[""] * (len(names) - len(played)), taker])


def _title(title: Title) -> str:
    """Return the title of a round, such as ``10 ♣``, ``Trump ♣`` or ``K♣``."""
    if isinstance(title, CardsTitle) and title.trump is not None:
        return f"{title.cards} {SUIT_SIGNS[title.trump]}"
    return title_text(title) if isinstance(title, Contract) else with_suit_signs(str(title))


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """Escape characters with a meaning in Markdown."""
    return _MEANING.sub(r"\\\1", text)


Form: TypeAlias = Literal["markdown", "csv", "journal"]
ENDINGS: Final[Mapping[Form, str]] = {"markdown": ".md", "csv": ".csv", "journal": ".jsonl"}
"""Suffix of exported files, by format."""


def exported(path: Path, form: Form, *, as_open: bool = False) -> bytes:
    """Return the content of an export file for a session or score table.

    If the club plays the session, only its finished rounds are exported. Any other session that human players have not
    finished is exported only if ``as_open`` is True.

    Raises ``StillPlayed`` if it is False, ``PlayedAtClub`` if it is True for a session that the club plays, and other
    kinds of ``CardtableError`` if the file cannot be read.
    """
    data = session_files.read_session(path)
    if is_score_table(data):
        return _real_cards(path, data, form)
    read = session_files.parse_session(path, data)
    table = session_files.replayed(path, read)
    header = with_occupants(read.header, table.new_occupants)
    given_up = session_files.given_up(path, table.turn)
    is_part = club_sessions.is_hidden(read, table.turn)
    if is_part and as_open:
        raise club_sessions.refusal_to_open(header.id)
    if is_part:
        read = club_sessions.finished_part(read)
        table = session_files.replayed(path, read)
        data = journal.write([read.header, *[entry.line for entry in read.entries]])
    elif session_files.still_played(path, header, table.turn) and not as_open:
        raise session_files.refusal(header, "export")
    if form == "journal":
        return data
    names = session_files.names(header.seats)
    if form == "csv":
        return score_sheet.as_csv(names, table).encode()
    return session(read, table, given_up=given_up, is_part=is_part).encode()


def _real_cards(path: Path, data: bytes, form: Form) -> bytes:
    """Return the content of an export file for a score table. Raises ``DamagedJournal`` if it is damaged."""
    table = score_tables.loaded(path, score_tables.read(path, data))
    if form == "journal":
        return data
    names = session_files.names(table.header.seats)
    if form == "csv":
        return score_sheet.as_csv(names, table.sheet).encode()
    return score_table(table, given_up=not table.ended and paths.in_archive(path)).encode()
