"""What can be typed at any table besides actions: what is to be read and heard there, and what the expert thinks."""

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
from cardtable.plain.console import say
from cardtable.plain.last_round import LastRound
from cardtable.plain.position_text import contracts_left, hands, possible, previous_trick
from cardtable.plain.speech_text import figures, letters, message, sentence, spoken
from cardtable.robots import worker
from cardtable.robots.hints import Advice, AdviceLine
from cardtable.robots.kit.hint_spec import better, per_cent
from cardtable.session.session_protocol import PlayableSession
from cardtable.wording import score_sheet as sheets
from cardtable.wording.formatting import in_words
from cardtable.wording.players import Names
from cardtable.wording.rules_page import marked, rules_of
from cardtable.wording.score_sheet import HasScoreSheet

_STRESS: Final = re.compile(r"\*\*|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")
_MARK: Final = re.compile(r"(#+|[-+*]) ")
_MARKS: Final = {"- ": "- ", "+ ": "in force: ", "* ": "not in force: ", "# ": "", "## ": "", "### ": ""}
"""How headings and lists begin, and what is said for it."""
_TABLE: Final = "    "
"""Begins a line that stays as it is."""


def say_sheet(table: HasScoreSheet, view: View, names: Sequence[str]) -> None:
    """The finished rounds, a line each, the contracts that are left as ``view`` shows them, and the standing."""
    say(*rounds(table, names))
    say(*contracts_left(table.game, view, names))
    say(sentence(sheets.standing(names, table)))


def rounds(table: HasScoreSheet, names: Sequence[str]) -> list[str]:
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


def say_advice(given: Advice) -> None:
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


_NOT_ENTER: Final = "An empty line plays nothing: it tells how things stand."


class SheetSeen(NamedTuple):
    """A score sheet, as those see it who sit at the table."""

    game: AnyGame
    seats: int
    sides: Sides
    columns: tuple[str, ...]
    scores: Sequence[Score]
    totals: tuple[int, ...]
    ranks: tuple[int, ...] | None


class InfoCommands:
    """Tells it at one table."""

    def __init__(self, run: PlayableSession, names: Names, help_: Sequence[str]) -> None:
        """``help_``: what can be typed there, in lines."""
        self._run, self._names = run, names
        self._back = LastRound(run, names)
        self._tells: dict[str, Callable[[View], None]] = {
            "help": lambda _: say(*help_),
            "?": lambda _: say(*help_),
            "hands": self.hands,
            "hint": self._hint,
            "previous": self._previous,
            "sheet": self._sheet,
            "rules": lambda view: rules(run.game.about.key, view.options),
            "talk": lambda view: talk(run.messages(view.seat), names),
        }

    def tell(self, word: str, rest: str, view: View) -> bool:
        """Tell what is typed, from the seat of ``view``, if it is one of these; whether it was."""
        if word in self._tells and not rest:
            self._tells[word](view)
            return True
        return self.look_back(word, rest)

    def look_back(self, word: str, rest: str) -> bool:
        """Tell what is typed, if it is about the last deal; whether it was."""
        return self._back.command(word, rest)

    def hands(self, view: View) -> None:
        """The hands of the others, where all lie open; with nobody at the table those of all."""
        run = self._run
        if not run.hands_open:
            say("The hands of the others are closed.")
            return
        seen = run.seen(view.seat)
        others = [*([] if run.people else [seen.view]), *seen.others.values()]
        say(*hands(run.game, sorted(others, key=lambda other: other.seat), self._names))

    def _hint(self, view: View) -> None:
        """What the expert would do, why, and what else is worth a look."""
        if not view.legal:
            say("There is nothing to choose now.")
            return
        advice = worker.advised(self._run.question(view))
        say_advice(advice)
        if self._run.people:
            say(f"To do that, type {possible(self._run.game, view).shortest(advice.lines[0].action)}. {_NOT_ENTER}")

    def _previous(self, view: View) -> None:
        told = previous_trick(self._run.game, view, self._names)
        if not isinstance(view, TrickView):
            told = [f"There are no tricks in {self._run.game.about.title}."]
        say(*(told or ["No trick has been taken in this round."]))

    def _sheet(self, view: View) -> None:
        seen, game = self._run.seen(view.seat), self._run.game
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


class Steps:
    """How far robots play on before the person watching is asked again."""

    def __init__(self, table: Referee) -> None:
        self._table = table
        self._rounds = 0.0
        """Until so many rounds are finished nobody is asked."""

    @property
    def due(self) -> bool:
        """Whether the person is to be asked."""
        return len(self._table.scores) >= self._rounds

    def go_on(self, typed: str) -> bool:
        """Whether play is to go on after what is typed."""
        if typed not in ("", "1", "round", "all"):
            return False
        if typed in ("round", "all"):
            self._rounds = len(self._table.scores) + 1 if typed == "round" else inf
        return True
