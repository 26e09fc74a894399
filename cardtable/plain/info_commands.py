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
from cardtable.engine.text_format import weighted
from cardtable.engine.tricks import TrickView
from cardtable.plain.console import print_lines
from cardtable.plain.last_round import LastRound
from cardtable.plain.position_text import contracts_left, hands, possible, previous_trick
from cardtable.plain.speech_text import figures, message, sentence, to_ascii, to_spoken
from cardtable.robots import worker
from cardtable.robots.hints import Advice, AdviceLine
from cardtable.robots.kit.hint_spec import format_difference, per_cent
from cardtable.session.session_protocol import PlayableSession
from cardtable.wording import score_sheet as sheets
from cardtable.wording.formatting import in_words
from cardtable.wording.players import Names
from cardtable.wording.rules_page import mark_options, rules_of
from cardtable.wording.score_sheet import HasScoreSheet

_STRESS: Final = re.compile(r"\*\*|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")
_MARK: Final = re.compile(r"(#+|[-+*]) ")
_MARKS: Final = {"- ": "- ", "+ ": "in force: ", "* ": "not in force: ", "# ": "", "## ": "", "### ": ""}
"""Markers of headings and list items in Markdown, with the text printed for each."""
_TABLE: Final = "    "
"""Indentation of lines that are printed unchanged, such as tables."""


def say_sheet(table: HasScoreSheet, view: View, names: Sequence[str]) -> None:
    """Print the score sheet: a line for each finished round, the contracts left, and the standing.

    ``view`` determines the contracts that are left.
    """
    print_lines(*rounds(table, names))
    print_lines(*contracts_left(table.game, view, names))
    print_lines(sentence(sheets.standing(names, table)))


def rounds(table: HasScoreSheet, names: Sequence[str]) -> list[str]:
    """Describe the finished rounds, each in one line."""
    heads, lines = sheets.heads(table), []
    for number, score in enumerate(table.scores, 1):
        seats = [f"{name} {', '.join(figures(heads, sheets.cells(score, seat)))}" for seat, name in enumerate(names)]
        played, bonuses = (
            weighted(_describe_title(score.title), score.weight),
            sheets.bonuses(names, score, table.sides),
        )
        lines.append(to_ascii(f"Round {number}{f', {played}' if played else ''}: {'; '.join([*seats, *bonuses])}."))
    return lines


def _describe_title(title: Title) -> str:
    """Return the title of a round in words; empty if it has none."""
    if isinstance(title, HighTitle):
        return f"{RANK_WORDS[title.rank]} high" if title.suit is None else to_spoken(str(title))
    return in_words(title) or str(title)


def rules(key: str, options: Options) -> None:
    """Print the rules page of a game; each house rule is marked as in force or not."""
    print_lines(*_read_out(mark_options(rules_of(key), options)))


def _read_out(page: str) -> list[str]:
    """Convert Markdown to lines for reading aloud: whole paragraphs, without markup."""
    lines: list[str] = []
    for line in to_ascii(_STRESS.sub("", page)).splitlines():
        begins = not line or line.startswith(_TABLE) or _MARK.match(line)
        if begins or not lines or not lines[-1] or lines[-1].startswith(_TABLE):
            mark = _MARK.match(line)
            lines.append(_MARKS[mark[0]] + line[mark.end() :] if mark else line)
        else:
            lines[-1] += f" {line.strip()}"
    return lines


def talk(notes: Iterable[Note], names: Sequence[str]) -> None:
    """Print the chat among the log entries of a seat."""
    talk = [note for note in notes if isinstance(note, Said)]
    print_lines(*([message(note, names) for note in talk] or ["Nothing has been said yet."]))


def say_advice(given: Advice) -> None:
    """Print a hint: the expert's action with its reasons, and a comparison of all actions."""
    print_lines(sentence(to_spoken(given.sentence)))
    if len(given.lines) > 1:
        print_lines(f"{given.measure.sentence}:")
        print_lines(*[_compare(line, given) for line in given.lines])
        print_lines(*([sentence(given.order)] if given.order else []))


def _compare(line: AdviceLine, given: Advice) -> str:
    """Describe one action of a hint: ``Queen of hearts: 2.1 points worse, error 0.8; you make it in 30 %; ...``."""
    lead = given.lead(line)
    parts = []
    if lead is not None:
        error = f", error {'unknown' if isinf(line.error) else f'{line.error:.1f}'}" if line.error else ""
        first = line is given.lines[0]
        close = f", {given.standing(line)}" if line.as_good and not first else ""
        parts.append(f"{format_difference(lead, exact=True, first=first)}{error}{close}")
    if line.share is not None and not given.measure.lasting:
        parts.append(f"{given.aim} in {per_cent(line.share)}")
    return sentence(to_spoken(f"{line.name}: {'; '.join([*parts, ', '.join(line.reasons)])}"))


_NOT_ENTER: Final = "An empty line plays nothing: it tells how things stand."


class SheetSeen(NamedTuple):
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

    def __init__(self, session: PlayableSession, names: Names, help_: Sequence[str]) -> None:
        """Create the commands for a session; ``help_lines`` is printed by ``help``."""
        self._run, self._names = session, names
        self._last_round = LastRound(session, names)
        self._commands: dict[str, Callable[[View], None]] = {
            "help": lambda _: print_lines(*help_),
            "?": lambda _: print_lines(*help_),
            "hands": self.hands,
            "hint": self._hint,
            "previous": self._previous,
            "sheet": self._sheet,
            "rules": lambda view: rules(session.game.about.key, view.options),
            "talk": lambda view: talk(session.messages(view.seat), names),
        }

    def execute(self, word: str, rest: str, view: View) -> bool:
        """Execute an information command for the view's seat; return False if the input is no such command.

        ``word`` is the first word in lower case, and ``rest`` the text after it.
        """
        if word in self._commands and not rest:
            self._commands[word](view)
            return True
        return self.look_back(word, rest)

    def look_back(self, word: str, rest: str) -> bool:
        """Execute ``deal`` or ``why`` for the last finished round; return False if the input is neither."""
        return self._last_round.command(word, rest)

    def hands(self, view: View) -> None:
        """Print the other players' hands if all hands are open; at a table of robots print all hands."""
        run = self._run
        if not run.hands_open:
            print_lines("The hands of the others are closed.")
            return
        seen = run.snapshot(view.seat)
        others = [*([] if run.people else [seen.view]), *seen.others.values()]
        print_lines(*hands(run.game, sorted(others, key=lambda other: other.seat), self._names))

    def _hint(self, view: View) -> None:
        if not view.legal:
            print_lines("There is nothing to choose now.")
            return
        advice = worker.advise_on(self._run.hint_request(view))
        say_advice(advice)
        if self._run.people:
            print_lines(
                f"To do that, type {possible(self._run.game, view).shortest(advice.lines[0].action)}. {_NOT_ENTER}"
            )

    def _previous(self, view: View) -> None:
        lines = previous_trick(self._run.game, view, self._names)
        if not isinstance(view, TrickView):
            lines = [f"There are no tricks in {self._run.game.about.title}."]
        print_lines(*(lines or ["No trick has been taken in this round."]))

    def _sheet(self, view: View) -> None:
        seen, game = self._run.snapshot(view.seat), self._run.game
        totals = seen.results or view.totals
        sheet = SheetSeen(game, len(totals), game.sides_of(view), game.columns, seen.scores, totals, seen.ranks)
        say_sheet(sheet, view, self._names)


ANOTHER: Final = "again: another session with the same deal, seats and options. new: the same with another deal."
HELP: Final = (
    "You watch robots play. An empty line is one step: the next decision, or the next deal.",
    "round: on to the end of the round. all: on to the end of the session.",
    "hands: all hands. hint: what an expert would do in the place of the robot to act.",
    "previous: the previous trick. sheet: the score sheet. rules: the rules of the game.",
    "talk TEXT: say something at the table. talk: what has been said.",
    ANOTHER,
    "quit: leave. Everything is kept, also at the end of input and after Ctrl+C.",
)


class SpectatorPace:
    """Pace at which a spectator watches robots: decides when play pauses for a command."""

    def __init__(self, table: Referee) -> None:
        self._table = table
        self._rounds = 0.0
        """Number of finished rounds at which play pauses again."""

    @property
    def due(self) -> bool:
        """True if play pauses for a command."""
        return len(self._table.scores) >= self._rounds

    def go_on(self, typed: str) -> bool:
        """Execute a step command; return False if the input is none.

        An empty line or ``1`` plays one step; ``round`` and ``all`` play to the end of the round or of the session.
        """
        if typed not in ("", "1", "round", "all"):
            return False
        if typed in ("round", "all"):
            self._rounds = len(self._table.scores) + 1 if typed == "round" else inf
        return True
