"""What can be typed at a table besides actions."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from cardtable.engine.contract import Seat, View
from cardtable.engine.the_rest import Verdict
from cardtable.plain import console, reading
from cardtable.plain.console import Left, say
from cardtable.plain.facts import hands, last_trick
from cardtable.plain.hearing import Hearing
from cardtable.plain.looking_back import LastRound
from cardtable.plain.saving import Saving
from cardtable.plain.speech import sentence
from cardtable.plain.stepping import HELP as WATCHING
from cardtable.play.news import MOST_SAID
from cardtable.play.run import Run
from cardtable.robots import worker
from cardtable.store.settings import Settings
from cardtable.store.setup import Setup, again
from cardtable.wording.names import Names

HELP: Final = (
    "Type the number of an action, or its text, such as play 7S; 7S or 7 of spades is enough where nothing else is "
    "meant.",
    "Cards are a rank, 2 to 9, T, J, Q, K or A, and a suit, C, D, H or S.",
    "An empty line tells how things stand. Besides there are:",
    "undo: take back your last decision, against robots only, and only while you have seen no new card.",
    "hint: what an expert would do, and why.",
    "deal: the last deal, all hands of the round before and what was done. why NUMBER: why it was done.",
    "last: the last trick. sheet: the score sheet. rules: the rules of the game.",
    "rest: play out the rest of the round at once, where every play gives the same points.",
    "talk TEXT: say something at the table. talk: what has been said.",
    "again: another session with the same deal, seats and options. new: the same with another deal.",
    "quit: leave. Everything is kept, also at the end of input and after Ctrl+C.",
)


class Another(Exception):
    """The person wants another session."""

    def __init__(self, setup: Setup) -> None:
        super().__init__()
        self.setup = setup


class Commands:
    """Does what is typed at one table."""

    def __init__(self, run: Run, settings: Settings, names: Names, hearing: Hearing, saving: Saving) -> None:
        self._run, self._session, self._table = run, run.session, run.table
        self._settings, self._people, self._names = settings, run.people, names
        self._hearing, self._saving = hearing, saving
        self._back = LastRound(run.session, names)
        self._does: dict[str, Callable[[View], None]] = {
            "help": lambda _: say(*(HELP if self._people else WATCHING)),
            "?": lambda _: say(*(HELP if self._people else WATCHING)),
            "hands": self.hands,
            "hint": self._hint,
            "last": self._last,
            "sheet": lambda _: reading.sheet(self._table, self._names),
            "rules": lambda _: reading.rules(self._table.game.about.key, self._table.options),
            "rest": self._rest,
            "again": lambda _: self._begin_another(same_deal=True),
            "new": lambda _: self._begin_another(same_deal=False),
        }

    def do(self, typed: str, view: View) -> bool:
        """Do what is typed if it is no action; whether it was none."""
        word, rest = _words(typed)
        if word == "quit" and not rest:
            raise Left
        if word == "talk":
            self._talk(view.seat, rest)
        elif word == "save" and rest and self._session.trouble:
            self._saving.into(Path(rest))
        elif word == "undo" and not rest:
            self._undo()
        elif word in self._does and not rest:
            self._does[word](view)
        else:
            return self._back.command(word, rest)
        return True

    def look_back(self, typed: str) -> bool:
        """Do what is typed if it is about the last deal; whether it was."""
        return self._back.command(*_words(typed))

    def hands(self, view: View) -> None:
        """The hands of the others, where all lie open; with nobody at the table those of all."""
        if not self._run.open:
            say("The hands of the others are closed.")
            return
        others = [other for seat, other in self._run.views.items() if not self._people or seat != view.seat]
        say(*hands(self._table.game, others, self._names))

    def _hint(self, view: View) -> None:
        """What the expert would do, why, and what else is worth a look."""
        if not view.legal:
            say("There is nothing to choose now.")
            return
        reading.advice(worker.advised(self._run.question(view)))

    def _rest(self, view: View) -> None:
        """Have the rest played out, where it cannot change the points any more."""
        if self._table.tricks is None:
            say(f"There are no tricks in {self._table.game.about.title}.")
        elif len(self._people) != 1:
            say("Nothing is played out where several people play.")
        else:
            found = self._run.rest(view.seat)()
            say(sentence(found.value))
            if found is Verdict.DECIDED:  # who asked for it need not be told that she does it
                self._saving.change(lambda: self._run.play_out()[1:])

    def _last(self, view: View) -> None:
        told = last_trick(self._table.game, view, self._names)
        if self._table.tricks is None:
            told = [f"There are no tricks in {self._table.game.about.title}."]
        say(*(told or ["No trick has been taken in this round."]))

    def _talk(self, seat: Seat, text: str) -> None:
        """Say something to the table, or hear what was said."""
        if not text:
            reading.talk(self._session.journal(), self._names)
        elif len(text) > MOST_SAID:
            say(f"At most {MOST_SAID} characters can be said at once; these are {len(text)}.")
        else:
            self._saving.change(lambda: self._run.say(text, seat))
            self._hearing.tell(seat)

    def _undo(self) -> None:
        """Take back to the last decision of the only person, where the table lets her; else say why not."""
        if len(self._people) != 1:
            say(f"Nothing can be taken back where {'several people' if self._people else 'robots'} play.")
            return
        me, choices = self._people[0], self._settings.fewest_choices
        if self._run.way_back(choices):
            self._saving.change(lambda: self._run.take_back(choices))
        else:
            say(f"There is no way back: {self._table.why_stays(me, choices)}.")

    def _begin_another(self, *, same_deal: bool) -> None:
        """Begin another session instead of this one, if that is wanted; what is not kept of it is asked about then."""
        if self._settings.confirm and not self._session.trouble:
            say("This session is not over. It is kept, to be gone on with. Type yes to begin another one.")
            if console.ask().lower() not in ("yes", "y"):
                say("This session goes on.")
                return
        raise Another(again(self._session, same_deal=same_deal))


def _words(typed: str) -> tuple[str, str]:
    """The first word, in small letters, and the rest."""
    word, _, rest = typed.partition(" ")
    return word.lower(), rest.strip()
