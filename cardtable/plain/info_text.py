"""Score sheet, rules, hints and chat in plain text."""

import re
from collections.abc import Iterable, Sequence
from math import isinf
from typing import Final, NamedTuple

from cardtable.engine.game import AnyGame, HighTitle, Note, Score, Sides, Title, View
from cardtable.engine.log_entries import Said
from cardtable.engine.options import Options
from cardtable.engine.text_format import format_weighted
from cardtable.plain.console import print_lines
from cardtable.plain.position_text import describe_contracts_left
from cardtable.plain.speech_text import format_figures, format_log_entry, format_rank, to_ascii, to_sentence, to_spoken
from cardtable.robots.hints import Advice, AdviceLine, DealSample
from cardtable.robots.kit.hint_spec import format_difference, format_percentage
from cardtable.wording import score_sheet as sheets
from cardtable.wording.formatting import describe_title
from cardtable.wording.players import list_names_in_round
from cardtable.wording.rules_page import mark_options, read_glossary, read_rules
from cardtable.wording.score_sheet import HasScoreSheet

_STRESS: Final = re.compile(r"\*\*|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")
_MARK: Final = re.compile(r"(#+|[-+*]) ")
_MARK_TEXTS: Final = {"- ": "- ", "+ ": "At this table: ", "* ": "Not at this table: ", "# ": "", "## ": "", "### ": ""}
"""Markers of headings and list items in Markdown, with the text printed for each."""
_TABLE_INDENT: Final = "    "
"""Indentation of lines that are printed unchanged, such as tables."""


def print_score_sheet(
    table: HasScoreSheet, view: View, names: Sequence[str], former: Sequence[Sequence[str]] = ()
) -> None:
    """Print the score sheet: a line for each finished round, the contracts left, and the standing.

    ``view`` determines the contracts that are left; ``former`` as in ``list_former_players``.
    """
    print_lines(*describe_rounds(table, names, former))
    print_lines(*describe_contracts_left(table.game, view, names))
    print_lines(to_sentence(sheets.format_standing(names, table)))


def describe_rounds(table: HasScoreSheet, names: Sequence[str], former: Sequence[Sequence[str]] = ()) -> list[str]:
    """Describe the finished rounds, each in one line with the names of those who made it."""
    heads, lines = sheets.list_headings(table), []
    for number, score in enumerate(table.scores, 1):
        makers = list_names_in_round(names, former, number)
        figures = [", ".join(format_figures(heads, sheets.list_cells(score, seat))) for seat in range(len(makers))]
        seats = [f"{name} {text}" for name, text in zip(makers, figures, strict=True)]
        played = format_weighted(_describe_title(score.title), score.weight)
        bonuses = sheets.format_bonuses(makers, score, table.sides)
        lines.append(to_ascii(f"Round {number}{f', {played}' if played else ''}: {'; '.join([*seats, *bonuses])}."))
    return lines


def _describe_title(title: Title) -> str:
    """Return the title of a round in words; empty if it has none."""
    if isinstance(title, HighTitle):
        return f"{format_rank(title.rank)} high" if title.suit is None else to_spoken(str(title))
    return describe_title(title) or str(title)


def print_glossary() -> None:
    print_lines(*to_paragraphs(read_glossary()))


def print_rules(key: str, options: Options | None = None) -> None:
    """Print the rules page of a game; with ``options``, it says which house rules a table has."""
    text = read_rules(key)
    print_lines(*to_paragraphs(text if options is None else mark_options(text, options)))


def to_paragraphs(page: str) -> list[str]:
    """Convert Markdown to lines for reading aloud: whole paragraphs, without markup."""
    lines: list[str] = []
    for line in to_ascii(_STRESS.sub("", page)).splitlines():
        begins = not line or line.startswith(_TABLE_INDENT) or _MARK.match(line)
        if begins or not lines or not lines[-1] or lines[-1].startswith(_TABLE_INDENT):
            mark = _MARK.match(line)
            lines.append(_MARK_TEXTS[mark[0]] + line[mark.end() :] if mark else line)
        else:
            lines[-1] += f" {line.strip()}"
    return lines


def print_chat(notes: Iterable[Note], names: Sequence[str]) -> None:
    """Print the chat among the log entries of a seat."""
    entries = [format_log_entry(note, names) for note in notes if isinstance(note, Said)]
    print_lines(*(entries or ["Nothing has been said yet."]))


def print_advice(advice: Advice) -> None:
    """Print a hint: the expert's action with its reasons, and a comparison of all actions."""
    print_lines(to_sentence(to_spoken(advice.sentence)))
    if len(advice.lines) > 1:
        print_lines(f"{advice.scale.list_heading}:")
        print_lines(*[_describe_line(line, advice) for line in advice.lines])
        print_lines(*([to_sentence(advice.order_note)] if advice.order_note else []))


def print_deal_sample(advice: Advice, sample: DealSample) -> None:
    """Print in how many of the sampled deals each choice of a hint was best, alone or with others."""
    print_lines(f"In how many of {sample.deals} possible deals each choice is best or tied for best:")
    rows = zip(advice.lines, sample.best_counts, strict=True)
    print_lines(*[to_sentence(to_spoken(f"{line.name}: {count}")) for line, count in rows])
    print_lines(*filter(None, [sample.note]))


def _describe_line(line: AdviceLine, advice: Advice) -> str:
    """Describe one action of a hint: ``Queen of hearts: 2.1 points worse, error 0.8; you make it in 30%; ...``."""
    lead = advice.compute_lead(line)
    parts = []
    if lead is not None:
        error = f", error {'unknown' if isinf(line.error) else f'{line.error:.1f}'}" if line.error else ""
        first = line is advice.lines[0]
        close = f", {advice.format_standing(line)}" if line.is_as_good and not first else ""
        parts.append(f"{format_difference(lead, show_tenths=True, is_best=first)}{error}{close}")
    if line.share is not None and not advice.scale.includes_later_rounds:
        parts.append(f"{advice.format_goal()} in {format_percentage(line.share)}")
    return to_sentence(to_spoken(f"{line.name}: {'; '.join([*parts, ', '.join(line.reasons)])}"))


class VisibleScoreSheet(NamedTuple):
    """Score sheet of a session as one seat sees it."""

    game: AnyGame
    seats: int
    sides: Sides
    columns: tuple[str, ...]
    scores: Sequence[Score]
    totals: tuple[int, ...]
    ranks: tuple[int, ...] | None
