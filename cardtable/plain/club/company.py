"""Who is at a table of a club, in lines: who is away, robots that stand in, seats that change hands."""

from collections.abc import Sequence
from typing import Final

from cardtable.club.guest_run import GuestRun
from cardtable.club.wire import EndWait, GiveSeat, PlayAgain
from cardtable.engine.contract import Seat
from cardtable.engine.text import clean
from cardtable.plain.club.presence import Presence
from cardtable.plain.console import say
from cardtable.plain.speech import sentence
from cardtable.store import seating

ROBOT: Final = "robot"


class Company:
    """The people of one table, and what is done about them."""

    def __init__(self, run: GuestRun, presence: Presence, names: Sequence[str]) -> None:
        """``names``: what each seat is called now."""
        self._run, self._presence, self._names = run, presence, names
        self._away: set[Seat] = set()
        self._stood_in: set[Seat] = set()
        """Those of them for whom robots play: who sits down there is told in any case."""
        self._again: Sequence[Seat] = ()

    def tell_news(self) -> None:
        """Tell who has gone and who is back, and who plays another session."""
        run = self._run
        away = {seat for seat, place in enumerate(run.places) if place.away}
        for seat in sorted(away - self._away):
            name, left = self._called(seat), run.away.get(seat)
            say(f"{name} is away." + f" The table waits {left} seconds." * bool(left))
            if run.people and seat in run.away:
                say(f"After that robot {name} has a robot play for {name}, once all who are here type it.")
        say(*[f"{self._called(seat)} is back." for seat in sorted(self._away - away - self._stood_in)])
        self._away, self._stood_in = away, {seat for seat in away if run.places[seat].robot}
        new = [seat for seat in run.again if seat not in self._again and seat not in run.people]
        say(*[f"{self._names[seat]} plays another session. Type again to play it, too." for seat in new])
        self._again = run.again

    def _called(self, seat: Seat) -> str:
        return clean(self._run.places[seat].name, 20)

    def does(self, word: str, rest: str) -> bool:
        """Do what is typed, if it is about the people of the table; whether it was."""
        table = self._run.table
        match word, rest.split():
            case "who", []:
                self._tell_who()
            case "robot", names:
                self._stand_in(" ".join(names))
            case "end", ["wait"]:
                self._presence.say(EndWait(table))
            case "give", [name, "to", nick]:
                seat = self._seat(name)
                if seat is not None:
                    self._presence.say(GiveSeat(table, seat, "" if nick == ROBOT else seating.as_nick(nick)))
            case "again", []:
                self._presence.say(PlayAgain(table))
            case _:
                return False
        return True

    def _tell_who(self) -> None:
        row = self._presence.visiting.tables.get(self._run.table)
        for seat, place in enumerate(self._run.places):
            told = [self._called(seat)]
            told += ["game master"] * (row is not None and row.master == place.name)
            told += ["away"] * place.away
            told += ["a robot plays" if place.away else "a robot"] * place.robot
            say(f"Seat {seat + 1}: {', '.join(told)}.")
        if self._run.looking_on:
            say(f"Watching: {', '.join([clean(nick, 20) for nick in self._run.looking_on])}.")

    def _seat(self, name: str) -> Seat | None:
        """The seat of somebody at the table; where nobody is called so, that is said."""
        for seat in range(len(self._run.places)):
            if seating.is_same_nick(self._called(seat), name):
                return seat
        say(f"Nobody at this table is called {name[:20]}; who lists them.")
        return None

    def _stand_in(self, name: str) -> None:
        """A robot for somebody who is away; without a name for who is to act, or the only one."""
        away = self._run.away
        turn = self._run.seen(self._run.first).view.turn
        seat = self._seat(name) if name else turn if turn in away else next(iter(away), None)
        if seat is None:
            say(*["Nobody is away here."] * (not name))
        elif why := self._run.stand_in(seat):
            say(sentence(why))
            self._presence.visiting.refused = ""
