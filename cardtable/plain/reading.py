"""What can be read at a table beside the play: score sheet, rules, talk, advice."""

import re
from collections.abc import Iterable, Sequence
from math import isinf
from typing import Final

from cardtable.engine.cards import RANK_WORDS
from cardtable.engine.contract import Note, View
from cardtable.engine.notes import Said
from cardtable.engine.options import Options
from cardtable.engine.titles import HighTitle, Title
from cardtable.engine.words import weighted
from cardtable.plain.console import say
from cardtable.plain.facts import contracts_left
from cardtable.plain.speech import figures, letters, message, sentence, spoken
from cardtable.robots.coach import Advice, AdviceLine
from cardtable.robots.kit.lesson import per_cent
from cardtable.robots.kit.measure import better
from cardtable.wording import sheet as sheets
from cardtable.wording.in_force import marked, rules_of
from cardtable.wording.sheet import Scored
from cardtable.wording.titles import in_words

_STRESS: Final = re.compile(r"\*\*|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")
_MARK: Final = re.compile(r"(#+|[-+*]) ")
_MARKS: Final = {"- ": "- ", "+ ": "in force: ", "* ": "not in force: ", "# ": "", "## ": "", "### ": ""}
"""How headings and lists begin, and what is said for it."""
_TABLE: Final = "    "
"""Begins a line that stays as it is."""


def sheet(table: Scored, view: View, names: Sequence[str]) -> None:
    """The finished rounds, a line each, the contracts that are left as ``view`` shows them, and the standing."""
    say(*rounds(table, names))
    say(*contracts_left(table.game, view, names))
    say(sentence(sheets.standing(names, table)))


def rounds(table: Scored, names: Sequence[str]) -> list[str]:
    """The finished rounds, a line each."""
    heads, lines = sheets.heads(table), []
    for number, score in enumerate(table.scores, 1):
        told = [f"{name} {', '.join(figures(heads, sheets.cells(score, seat)))}" for seat, name in enumerate(names)]
        played, bonuses = weighted(_played(score.title), score.weight), sheets.bonuses(names, score, table.sides)
        lines.append(letters(f"Round {number}{f', {played}' * bool(played)}: {'; '.join([*told, *bonuses])}."))
    return lines


def _played(title: Title) -> str:
    """What a round was, for the ear."""
    if isinstance(title, HighTitle):
        return f"{RANK_WORDS[title.rank]} high" if title.suit is None else spoken(str(title))
    return in_words(title) or str(title)


def rules(key: str, options: Options) -> None:
    """The rules page, a paragraph a line; of each option what is in force and what is not."""
    say(*_read_out(marked(rules_of(key), options)))


def _read_out(page: str) -> list[str]:
    """A page of Markdown as it is read out: its paragraphs whole, without the signs for headings and stress."""
    lines: list[str] = []
    for line in letters(_STRESS.sub("", page)).splitlines():
        begins = not line or line.startswith(_TABLE) or _MARK.match(line)
        if begins or not lines or not lines[-1] or lines[-1].startswith(_TABLE):
            mark = _MARK.match(line)
            lines.append(_MARKS[mark[0]] + line[mark.end() :] if mark else line)
        else:
            lines[-1] += f" {line.strip()}"
    return lines


def talk(told: Iterable[Note], names: Sequence[str]) -> None:
    """What has been said, of all that somebody was told."""
    talk = [note for note in told if isinstance(note, Said)]
    say(*([message(note, names) for note in talk] or ["Nothing has been said yet."]))


def advice(given: Advice) -> None:
    """What the expert would do and why; how that and what else is worth a look compare."""
    say(sentence(spoken(given.sentence)))
    if len(given.lines) > 1:
        say(f"{given.measure.sentence}:")
        say(*[_compared(line, given) for line in given.lines])
        say(*([sentence(given.order)] if given.order else []))


def _compared(line: AdviceLine, given: Advice) -> str:
    """How an action compares: ``Queen of hearts: 2.1 points worse, error 0.8; you make it in 30 %; ...``."""
    lead = given.lead(line)
    parts = []
    if lead is not None:
        error = f", error {'unknown' if isinf(line.error) else f'{line.error:.1f}'}" * bool(line.error)
        first = line is given.lines[0]
        close = f", {given.standing(line)}" if line.as_good and not first else ""
        parts.append(f"{better(lead, exact=True, first=first)}{error}{close}")
    if line.share is not None and not given.measure.lasting:
        parts.append(f"{given.aim} in {per_cent(line.share)}")
    return sentence(spoken(f"{line.name}: {'; '.join([*parts, ', '.join(line.reasons)])}"))
