"""A score table in lines: round after round, what can be taken back and changed, and its end."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from cardtable.engine.errors import CardtableError
from cardtable.plain import reading
from cardtable.plain.commands import words_of
from cardtable.plain.console import Left, ask, say, unbroken
from cardtable.plain.facts import places
from cardtable.plain.saving import Keeping
from cardtable.plain.scores.questions import HOW, entered
from cardtable.plain.scores.setting_up import named
from cardtable.plain.speech import by_seat, letters, sentence
from cardtable.scoring.kit.asked import StillLeft
from cardtable.scoring.kit.sheet import Sheet
from cardtable.store.score_tables import OpenScores
from cardtable.wording import sheet as sheets
from cardtable.wording.tables import round_among

HELP: Final = (
    "Answer each question by a number or a name of its list; an empty line means what the question says.",
    f"Counts: {HOW[:1].lower()}{HOW[1:]}, such as Anna 3 Tom 1. A single count that is left out follows from the sum.",
    "undo: drop the round that you are entering; where none is begun, take the last round or change back.",
    "round NUMBER: enter that round again. sheet: all rounds, and what is left to be played. rules: the rules.",
    "names: other names for the players. rename NAME: a name for the table; without NAME it has none again.",
    "finish: put the sheet into the archive once the last round is entered.",
    "back: to the list of games and sessions. quit: leave. Everything is kept.",
)


class _Anew(Exception):
    """The question no longer holds: something else is entered now."""


class _Done(Exception):
    """The person goes back from the score table."""


def keep(opened: OpenScores, not_kept: list[str]) -> None:
    """Keep the score until the person goes back; what could not be kept in its place is added to ``not_kept``.

    Lets the file go in any case.  Raises ``Left``.
    """
    try:
        _Scoring(opened).run()
    finally:
        with unbroken():
            opened.close()
        if opened.file.not_kept:
            not_kept.append(opened.file.not_kept)


class _Scoring:
    """One score table, from opening it to going back."""

    def __init__(self, opened: OpenScores) -> None:
        self._opened, self._keeping = opened, Keeping(opened)
        self._number: int | None = None
        """Which round is entered again; ``None``: the next one."""
        self._begun = False
        """Whether something of the round has been answered."""
        self._does: dict[str, Callable[[str], None]] = {
            "undo": self._undo,
            "round": self._again,
            "sheet": lambda _: self._sheet(),
            "names": self._names,
            "rename": self._rename,
            "finish": self._finish,
            "rules": lambda _: reading.rules(self._counted.game.about.key, self._counted.options),
            "help": lambda _: say(*HELP),
            "?": lambda _: say(*HELP),
        }

    @property
    def _counted(self) -> Sheet[Any]:
        return self._opened.table.sheet

    def run(self) -> None:
        """Ask for round after round."""
        self._welcome()
        if self._opened.read_only:
            self._sheet()
            say(sentence(f"this score table can only be read: {self._opened.read_only}"))
            return
        while True:
            try:
                self._ask()
            except _Anew:
                continue
            except _Done:
                if not self._keeping.stays():
                    return
            except Left:
                if not self._stays():
                    say("Everything is kept." if not self._opened.trouble else "Not everything is kept.")
                    raise

    def _stays(self) -> bool:
        try:
            return self._keeping.stays()
        except Left:
            return False

    def _welcome(self) -> None:
        opened, sheet = self._opened, self._counted
        name = f' "{opened.table.name}"' if opened.table.name else ""
        say(f"{sheet.game.about.title} with real cards{name}: {', '.join(opened.names)}.")
        if opened.notice:
            say(sentence(opened.notice))
        if not opened.read_only:
            say("Type help for what can be typed.")
            self._tell_totals()

    def _ask(self) -> None:
        """Ask for a round and count it; once all are entered ask what is to follow."""
        self._begun = False
        if self._number is None and self._counted.ended:
            self._tell_end()
            while True:
                self._answer("Type finish to put the sheet into the archive, or undo to take the last round back.")
        opened, number = self._opened, self._number
        sheet = opened.table.before(number or self._counted.finished + 1)
        which = round_among(number or sheet.finished + 1, sheet.rounds)
        asked = sheet.asked({})
        say(letters(f"Round {which}{' again' if number else ''}: {opened.names[asked.who]} {asked.does}."))
        found = entered(sheet, opened.names, self._answered)
        if self._change(partial(opened.count, found, number)):
            self._number = None
            say(reading.rounds(self._counted, opened.names)[(number or 0) - 1])

    def _tell_end(self) -> None:
        sheet = self._counted
        say("The session is over.", *places(self._opened.names, sheet.places(), sheet.totals, sheet.running))

    def _tell_totals(self) -> None:
        if self._counted.finished:
            say(f"Totals: {by_seat(self._opened.names, self._counted.running)}.")

    def _answered(self, question: str) -> str:
        typed = self._answer(question)
        self._begun = self._begun or bool(typed)
        return typed

    def _answer(self, question: str) -> str:
        """What is typed, once it is nothing that can be done at once.  Raises ``Left``, ``_Done`` and ``_Anew``."""
        while True:
            say(question)
            typed = ask()
            word, rest = words_of(typed)
            if typed.lower() == "quit":
                raise Left
            if typed.lower() == "back":
                raise _Done
            if word == "save" and rest and self._opened.trouble:
                self._keeping.into(Path(rest))
            elif word in self._does:
                self._does[word](rest)
            else:
                return typed

    def _change(self, change: Callable[[], None]) -> bool:
        """Change what is kept, or say why that cannot be; whether it was changed."""
        try:
            with unbroken():
                change()
        except (ValueError, CardtableError) as error:
            say(sentence(str(error)))
            return False
        self._keeping.tell_trouble()
        return True

    def _undo(self, _rest: str) -> None:
        if self._begun or self._number is not None:
            say("What you were entering is dropped.")
        elif not self._opened.table.can_undo:
            say("There is nothing to take back.")
        elif self._change(self._opened.undo):
            say("The last round or change is taken back.")
            self._tell_totals()
        self._number = None
        raise _Anew

    def _again(self, rest: str) -> None:
        finished = self._counted.finished
        if not rest.isdecimal() or not 1 <= int(rest[:6]) <= finished:
            say(f"Type round and a number from 1 to {finished}." if finished else "No round is entered yet.")
            return
        self._number = int(rest)
        raise _Anew

    def _sheet(self) -> None:
        opened = self._opened
        say(*reading.rounds(self._counted, opened.names))
        for left in self._counted.left():
            say(*[letters(line) for line in _left(left, opened.names)])
        say(sentence(sheets.standing(opened.names, self._counted)))

    def _names(self, _rest: str) -> None:
        before = self._opened.names
        names = named(before, (len(before),), self._answer)
        if names != before and self._change(partial(self._opened.call, names)):
            say(f"At the table: {', '.join(names)}.")
            raise _Anew

    def _rename(self, rest: str) -> None:
        if self._change(partial(self._opened.rename, rest)):
            say(f'The table is called "{rest}" now.' if rest else "The table has no name now.")

    def _finish(self, _rest: str) -> None:
        if not self._counted.ended:
            say(sentence(f"this session is not over: it {self._counted.over_words}"))
            return
        if self._change(self._opened.end):
            say("The sheet is in the archive.")
            raise _Done


def _left(left: StillLeft, names: list[str]) -> list[str]:
    """What is left of something: a line for each row, or all in one where there is but one column."""
    labels = [names[row.label] if isinstance(row.label, int) else row.label for row in left.rows]
    heads = [names[head] if isinstance(head, int) else head for head in left.heads]
    figures = [[number for number, _ in row.left] for row in left.rows]
    if not heads:
        return [f"{left.heading}: {by_seat(labels, [number for numbers in figures for number in numbers])}."]
    told = zip(labels, figures, strict=True)
    return [f"{left.heading}, {label}: {by_seat(heads, numbers)}." for label, numbers in told]
