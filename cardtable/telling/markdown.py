"""A session as Markdown text, to be kept or sent to somebody: who played, the result, the score sheet, every round."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from cardtable.engine.cards import NAME, RANKS, SUITS, each
from cardtable.engine.cards import names as written
from cardtable.engine.contract import Seat
from cardtable.engine.journal import Header, Journal
from cardtable.engine.options import Value, choices
from cardtable.engine.table import Table
from cardtable.store import files
from cardtable.telling import round_words, sheet
from cardtable.telling.finished_round import FinishedRound, rounds_again
from cardtable.telling.names import Names
from cardtable.telling.words import ordinal, signed

_MEANING: Final = re.compile(r"([\\`*_{}\[\]<>#|~])")
"""Characters that mean something to Markdown, wherever they stand."""
_CARD: Final = re.compile(rf"\b([{RANKS}])([{SUITS}])\b")
_SUIT: Final = re.compile(rf"(\d|Trump) ?([{SUITS}])$")
_SIGNS: Final = dict(zip(SUITS, "♣♦♥♠", strict=True))


def session(journal: Journal, table: Table) -> str:
    """The session of a journal, of which ``table`` is the last position.  Raises ``BadJournal``."""
    header = files.shown(journal.header)
    names = [_escaped(who.name) for who in header.seats]
    about = table.game.about
    lines = [f"# {about.title}, {header.created[:10]}", "", *_players(header, names, table), ""]
    lines += [f"Deal number {header.seed}, session `{header.id}`.", *_house_rules(table), ""]
    lines += ["## Score sheet", "", *_sheet(names, table), ""]
    for finished in rounds_again(journal):
        lines += [*_round(finished, names), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _players(header: Header, names: Names, table: Table) -> Iterator[str]:
    """Who came in where; in order of seats while the session is not over."""
    seats = list(range(table.seats))
    if table.ranks:
        seats.sort(key=table.ranks.__getitem__)
    for seat in seats:
        robot = header.seats[seat].robot
        kind = f" ({robot} robot)" if robot else ""
        place = f"{ordinal(table.ranks[seat])}: " if table.ranks else ""
        yield f"- {place}**{names[seat]}**{kind} {signed(table.totals[seat])}"
    if not table.ranks:
        yield "\nThe session is not over."


def _house_rules(table: Table) -> list[str]:
    """The house rules that are not as usual."""
    usual: dict[str, Value] = {rule.name: rule.default for rule in choices(table.game.options)}
    other = [f"{name} = {value}" for name, value in table.options.items().items() if value != usual[name]]
    return ["", f"House rules: {', '.join(other)}."] if other else []


def _sheet(names: Names, table: Table) -> Iterator[str]:
    heads = sheet.heads(table)
    seats = range(table.seats)
    yield _row(["round", "played", *[f"{names[seat]} {head}" for seat in seats for head in heads], "bonuses"])
    yield _row(["---:", "---", *["---:" for _ in seats for _ in heads], "---"])
    for number, score in enumerate(table.scores, 1):
        told = [signed(cell) for seat in seats for cell in sheet.cells(score, seat)]
        yield _row([str(number), _title(score.title), *told, "; ".join(sheet.bonuses(names, score))])


def _round(finished: FinishedRound, names: Names) -> Iterator[str]:
    """One round: the hands as they were dealt, what was done, what it brought."""
    what = _signs(round_words.what(finished))
    yield f"## Round {finished.number}{f': {what}' if what else ''}"
    yield ""
    begins = round_words.begins(finished, names)
    yield f"{begins[:1].upper()}{begins[1:]}. Hands as dealt:"
    yield ""
    for seat in finished.seats:
        yield f"- {names[seat]}: {_signs(written(each(finished.hand(seat, 0))))}"
    yield ""
    if finished.tricks:
        yield from _tricks(finished, names)
    else:
        for row in finished.rows[:-1]:
            yield f"1. {_signs(round_words.row_words(finished, row, names))}"
    yield ""
    yield f"Points: {', '.join([_made(finished, names, seat) for seat in finished.seats])}"


def _made(finished: FinishedRound, names: Names, seat: Seat) -> str:
    """What a seat made in a round: ``Anna +14 (bid 2, won 2)``."""
    did, points = round_words.made(finished, seat)
    return f"{names[seat]} {points}" + f" ({', '.join(did)})" * bool(did)


def _tricks(finished: FinishedRound, names: Names) -> Iterator[str]:
    """What was said before the first trick, then a table of the tricks, the leader's card first."""
    rows = list(finished.rows)
    for row in rows:
        if not row.trick:
            yield f"{_signs(round_words.row_words(finished, row, names))}."
    yield ""
    yield _row(["trick", "leads", *["follows"] * (len(names) - 1), "taken by"])
    yield _row(["---:"] + ["---"] * (len(names) + 1))
    for row in rows:
        if row.trick:
            played = [f"{names[seat]} {_signs(NAME[card])}" for seat, card in row.cards]
            taker = names[row.taker] if row.taker is not None else ""
            yield _row([str(row.trick), *played, *[""] * (len(names) - len(played)), taker])


def _title(played: str) -> str:
    """What was played in a round: ``10C`` as ``10 ♣``, ``Trump C`` as ``Trump ♣``."""
    return _SUIT.sub(lambda found: f"{found[1]} {_SIGNS[found[2]]}", played)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _signs(told: str) -> str:
    """Cards in notation with the signs of their suits: ``TH`` as ``10♥``."""
    return _CARD.sub(lambda found: found[1].replace("T", "10") + _SIGNS[found[2]], told)


def _escaped(told: str) -> str:
    """Text from outside, of which nothing means anything to Markdown."""
    return _MEANING.sub(r"\\\1", told)
