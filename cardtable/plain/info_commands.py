"""Commands at a table that only print information: score sheet, rules, hints, hands, tricks and chat."""

import re
from collections.abc import Callable, Iterable, Sequence
from math import inf, isinf
from typing import Final, NamedTuple

from cardtable.engine.cards import RANK_WORDS
from cardtable.engine.game import AnyGame, HighTitle, Note, Score, Sides, Title, View
from cardtable.engine.log_entries import Said
from cardtable.engine.options import Options
from cardtable.engine.referee import Referee
from cardtable.engine.text_format import format_weighted
from cardtable.engine.tricks import TrickView
from cardtable.plain.console import print_lines
from cardtable.plain.last_round import LastRoundCommands
from cardtable.plain.position_text import (
    describe_contracts_left,
    describe_open_hands,
    describe_previous_trick,
    make_action_menu,
)
from cardtable.plain.speech_text import format_figures, format_log_entry, to_ascii, to_sentence, to_spoken
from cardtable.robots import worker
from cardtable.robots.hints import Advice, AdviceLine
from cardtable.robots.kit.hint_spec import format_difference, format_percentage
from cardtable.session.session_protocol import PlayableSession
from cardtable.wording import score_sheet as sheets
from cardtable.wording.formatting import describe_title
from cardtable.wording.players import Names
from cardtable.wording.rules_page import mark_options, read_rules
from cardtable.wording.score_sheet import HasScoreSheet

_STRESS: Final = re.compile(r"\*\*|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")
_MARK: Final = re.compile(r"(#+|[-+*]) ")
_MARK_TEXTS: Final = {"- ": "- ", "+ ": "in force: ", "* ": "not in force: ", "# ": "", "## ": "", "### ": ""}
"""Markers of headings and list items in Markdown, with the text printed for each."""
_TABLE_INDENT: Final = "    "
"""Indentation of lines that are printed unchanged, such as tables."""


def print_score_sheet(table: HasScoreSheet, view: View, names: Sequence[str]) -> None:
    """Print the score sheet: a line for each finished round, the contracts left, and the standing.

    ``view`` determines the contracts that are left.
    """
    print_lines(*describe_rounds(table, names))
    print_lines(*describe_contracts_left(table.game, view, names))
    print_lines(to_sentence(sheets.format_standing(names, table)))


def describe_rounds(table: HasScoreSheet, names: Sequence[str]) -> list[str]:
    """Describe the finished rounds, each in one line."""
    heads, lines = sheets.list_headings(table), []
    for number, score in enumerate(table.scores, 1):
        seats = [
            f"{name} {', '.join(format_figures(heads, sheets.list_cells(score, seat)))}"
            for seat, name in enumerate(names)
        ]
        played, bonuses = (
            format_weighted(_describe_title(score.title), score.weight),
            sheets.format_bonuses(names, score, table.sides),
        )
        lines.append(to_ascii(f"Round {number}{f', {played}' if played else ''}: {'; '.join([*seats, *bonuses])}."))
    return lines


def _describe_title(title: Title) -> str:
    """Return the title of a round in words; empty if it has none."""
    if isinstance(title, HighTitle):
        return f"{RANK_WORDS[title.rank]} high" if title.suit is None else to_spoken(str(title))
    return describe_title(title) or str(title)


def print_rules(key: str, options: Options) -> None:
    """Print the rules page of a game; each house rule is marked as in force or not."""
    print_lines(*_to_paragraphs(mark_options(read_rules(key), options)))


def _to_paragraphs(page: str) -> list[str]:
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
    entries = [note for note in notes if isinstance(note, Said)]
    print_lines(*([format_log_entry(note, names) for note in entries] or ["Nothing has been said yet."]))


def print_advice(advice: Advice) -> None:
    """Print a hint: the expert's action with its reasons, and a comparison of all actions."""
    print_lines(to_sentence(to_spoken(advice.sentence)))
    if len(advice.lines) > 1:
        print_lines(f"{advice.scale.list_heading}:")
        print_lines(*[_describe_line(line, advice) for line in advice.lines])
        print_lines(*([to_sentence(advice.order_note)] if advice.order_note else []))


def _describe_line(line: AdviceLine, advice: Advice) -> str:
    """Describe one action of a hint: ``Queen of hearts: 2.1 points worse, error 0.8; you make it in 30 %; ...``."""
    lead = advice.compute_lead(line)
    parts = []
    if lead is not None:
        error = f", error {'unknown' if isinf(line.error) else f'{line.error:.1f}'}" if line.error else ""
        first = line is advice.lines[0]
        close = f", {advice.format_standing(line)}" if line.is_as_good and not first else ""
        parts.append(f"{format_difference(lead, show_tenths=True, is_best=first)}{error}{close}")
    if line.share is not None and not advice.scale.includes_later_rounds:
        parts.append(f"{advice.goal} in {format_percentage(line.share)}")
    return to_sentence(to_spoken(f"{line.name}: {'; '.join([*parts, ', '.join(line.reasons)])}"))


_EMPTY_LINE_NOTE: Final = "An empty line plays nothing: it tells how things stand."


class VisibleScoreSheet(NamedTuple):
    """Score sheet of a session as one seat sees it."""

    game: AnyGame
    seats: int
    sides: Sides
    columns: tuple[str, ...]
    scores: Sequence[Score]
    totals: tuple[int, ...]
    ranks: tuple[int, ...] | None


class InfoCommands:
    """Commands, at a local table or a club, that only print information."""

    def __init__(self, session: PlayableSession, names: Names, help_lines: Sequence[str]) -> None:
        """Create the commands for a session; ``help_lines`` is printed by ``help``."""
        self._session, self._names = session, names
        self._last_round = LastRoundCommands(session, names)
        self._commands: dict[str, Callable[[View], None]] = {
            "help": lambda _: print_lines(*help_lines),
            "?": lambda _: print_lines(*help_lines),
            "hands": self.print_hands,
            "hint": self._print_hint,
            "previous": self._print_previous_trick,
            "sheet": self._print_sheet,
            "rules": lambda view: print_rules(session.game.about.key, view.options),
            "talk": lambda view: print_chat(session.get_messages(view.seat), names),
        }

    def execute(self, word: str, rest: str, view: View) -> bool:
        """Execute an information command for the view's seat; return False if the input is no such command.

        ``word`` is the first word in lower case, and ``rest`` the text after it.
        """
        if word in self._commands and not rest:
            self._commands[word](view)
            return True
        return self.execute_last_deal(word, rest)

    def execute_last_deal(self, word: str, rest: str) -> bool:
        """Execute ``deal`` or ``why`` for the last finished round; return False if the input is neither."""
        return self._last_round.execute(word, rest)

    def print_hands(self, view: View) -> None:
        """Print the other players' hands if all hands are open; at a table of robots print all hands."""
        run = self._session
        if not run.hands_open:
            print_lines("The hands of the others are closed.")
            return
        seen = run.snapshot(view.seat)
        others = [*([] if run.people else [seen.view]), *seen.others.values()]
        print_lines(*describe_open_hands(run.game, sorted(others, key=lambda other: other.seat), self._names))

    def _print_hint(self, view: View) -> None:
        if not view.legal:
            print_lines("There is nothing to choose now.")
            return
        advice = worker.compute_hint(self._session.create_hint_request(view))
        print_advice(advice)
        if self._session.people:
            menu = make_action_menu(self._session.game, view)
            print_lines(f"To do that, type {menu.find_shortest_input(advice.lines[0].action)}. {_EMPTY_LINE_NOTE}")

    def _print_previous_trick(self, view: View) -> None:
        lines = describe_previous_trick(self._session.game, view, self._names)
        if not isinstance(view, TrickView):
            lines = [f"There are no tricks in {self._session.game.about.title}."]
        print_lines(*(lines or ["No trick has been taken in this round."]))

    def _print_sheet(self, view: View) -> None:
        seen, game = self._session.snapshot(view.seat), self._session.game
        totals = seen.results or view.totals
        sheet = VisibleScoreSheet(game, len(totals), game.sides_of(view), game.columns, seen.scores, totals, seen.ranks)
        print_score_sheet(sheet, view, self._names)


ANOTHER_HELP: Final = "again: another session with the same deal, seats and options. new: the same with another deal."
WATCHING_HELP: Final = (
    "You watch robots play. An empty line is one step: the next decision, or the next deal.",
    "round: on to the end of the round. all: on to the end of the session.",
    "hands: all hands. hint: what an expert would do in the place of the robot to act.",
    "previous: the previous trick. sheet: the score sheet. rules: the rules of the game.",
    "talk TEXT: say something at the table. talk: what has been said.",
    ANOTHER_HELP,
    "quit: leave. Everything is kept, also at the end of input and after Ctrl+C.",
)


class SpectatorPace:
    """Pace at which a spectator watches robots: decides when play pauses for a command."""

    def __init__(self, table: Referee) -> None:
        self._table = table
        self._rounds = 0.0
        """Number of finished rounds at which play pauses again."""

    @property
    def is_due(self) -> bool:
        """True if play pauses for a command."""
        return len(self._table.scores) >= self._rounds

    def execute(self, typed: str) -> bool:
        """Execute a step command; return False if the input is none.

        An empty line or ``1`` plays one step; ``round`` and ``all`` play to the end of the round or of the session.
        """
        if typed not in ("", "1", "round", "all"):
            return False
        if typed in ("round", "all"):
            self._rounds = len(self._table.scores) + 1 if typed == "round" else inf
        return True
