"""What can be typed at any table besides actions: what is to be read and heard there, and what the expert thinks."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from cardtable.engine.contract import AnyGame, Score, Sides, View
from cardtable.engine.tricks import TrickView
from cardtable.plain import reading
from cardtable.plain.console import say
from cardtable.plain.facts import hands, possible, previous_trick
from cardtable.plain.looking_back import LastRound
from cardtable.play.sitting import Sitting
from cardtable.robots import worker
from cardtable.wording.names import Names

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


class Asides:
    """Tells it at one table."""

    def __init__(self, run: Sitting, names: Names, help_: Sequence[str]) -> None:
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
            "rules": lambda view: reading.rules(run.game.about.key, view.options),
            "talk": lambda view: reading.talk(run.messages(view.seat), names),
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
        if not run.open:
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
        reading.advice(advice)
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
        reading.sheet(sheet, view, self._names)
