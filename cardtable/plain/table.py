"""A session played in lines: told what happened, asked what to do."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from cardtable.engine.claiming import Verdict
from cardtable.engine.contract import CHANCE, OVER, Action, Seat, View
from cardtable.plain import console, reading
from cardtable.plain.choices import Choices, Unclear, choices, left_out, listed, named, understood
from cardtable.plain.console import Left, say, unbroken
from cardtable.plain.facts import by_seat, explained, hands, last_trick, own, situation
from cardtable.plain.hearing import Hearing
from cardtable.plain.looking_back import LookingBack
from cardtable.plain.speech import letters, sentence, spoken
from cardtable.plain.stepping import HELP as WATCHING
from cardtable.plain.stepping import Steps
from cardtable.robots import worker
from cardtable.store.errors import CardtableError
from cardtable.store.sessions import Session
from cardtable.store.settings import Settings
from cardtable.store.setup import Setup, again
from cardtable.telling.clocks import DEALT_AGAIN, lost, minutes, run_out
from cardtable.telling.names import called, own_first
from cardtable.telling.news import TURN
from cardtable.telling.story import TAKEN_BACK
from cardtable.telling.words import MOST_SAID, YOU, said

HELP: Final = (
    "Type the number of an action, or its text, such as play 7S; 7S or 7 of spades is enough where nothing else is "
    "meant.",
    "Cards are a rank, 2 to 9, T, J, Q, K or A, and a suit, C, D, H or S.",
    "An empty line tells how things stand. Besides there are:",
    "undo: take back your last decision, against robots only, and only while you have seen no new card.",
    "hint: what an expert would do, and why.",
    "deal: the last deal, all hands of the round before and what was done. why NUMBER: why it was done.",
    "last: the last trick. sheet: the score sheet. rules: the rules of the game.",
    "claim or rest: play out the rest of the round at once, where every play gives the same points.",
    "talk TEXT: say something at the table. talk: what has been said.",
    "again: another session with the same deal, seats and options. new: the same with another deal.",
    "quit: leave. Everything is kept, also at the end of input and after Ctrl+C.",
)


class Another(Exception):
    """The person wants another session."""

    def __init__(self, setup: Setup) -> None:
        super().__init__()
        self.setup = setup


def play(session: Session, settings: Settings) -> None:
    """Play a session to its end, or until the person leaves, and others that she wants instead or after it.

    Lets each go in any case.  Raises ``Left`` after the person has left, and ``CardtableError``
    where one cannot be played.
    """
    following: Session | None = session
    while following is not None:
        following = _played(following, settings)


def _played(session: Session, settings: Settings) -> Session | None:
    """Play one session; the one that is wanted then."""
    try:
        console.need_privacy(len(session.header.people))
        if session.read_only:
            raise CardtableError(f"the session cannot be played here: {session.read_only}")
        _Sitting(session, settings).run()
    except Another as wanted:
        following = wanted.setup
    else:
        return None
    finally:
        with unbroken():
            session.close()
    return following.begin()


class _Sitting:
    """One session, from sitting down to getting up."""

    def __init__(self, session: Session, settings: Settings) -> None:
        self._session, self._settings, self._table = session, settings, session.table
        self._people = session.header.people
        self._names = called(session.header, YOU)
        self._here: Seat | None = None if len(self._people) > 1 else (self._people or [0])[0]
        """Whose hand may be on the screen; ``None`` before the first curtain."""
        self._hearing = Hearing(session, self._names)
        self._back = LookingBack(session, self._names)
        self._anew = session.table.round > 0
        """Whether all that can be seen is to be told before the next question."""
        self._trouble: str | None = None
        self._steps = None if self._people else Steps(session.table)
        self._open = not self._people or session.table.options.items()["open_hands"] == "on"
        self._commands: dict[str, Callable[[View], None]] = {
            "help": lambda _: say(*(WATCHING if self._steps else HELP)),
            "?": lambda _: say(*(WATCHING if self._steps else HELP)),
            "hands": self._hands,
            "hint": self._hint,
            "last": self._last,
            "sheet": lambda _: reading.sheet(self._table, self._names),
            "rules": lambda _: reading.rules(self._table.game.about.key, self._table.options),
            "claim": self._claim,
            "rest": self._claim,
            "again": lambda _: self._begin_another(same_deal=True),
            "new": lambda _: self._begin_another(same_deal=False),
        }

    def run(self) -> None:
        """Play on from where the session stands."""
        table = self._table
        self._welcome()
        try:
            while table.turn != OVER:
                self._step()
        except (Left, Another):
            self._leave()
            raise
        except KeyboardInterrupt:
            say("")  # after the prompt, on a line of its own
            self._leave()
            raise
        self._change(table.go_on)
        self._tell_news()
        if len(table.scores) == table.round:
            self._tell_round()
        say("The session is over.")
        places = sorted(zip(table.ranks or (), self._names, table.totals, strict=True))
        say(*[f"Place {rank}: {name}, {total}." for rank, name, total in places])
        if console.on_terminal():
            self._offer_another()

    def _offer_another(self) -> None:
        """Ask whether another session is wanted after this one."""
        say("Press Enter to leave. again: the same deal once more. new: another deal. deal: the last deal.")
        typed = console.ask().lower()
        while self._back.command(*_words(typed)):
            typed = console.ask().lower()
        if typed in ("again", "new"):
            raise Another(again(self._session, same_deal=typed == "again"))

    def _begin_another(self, *, same_deal: bool) -> None:
        """Begin another session instead of this one, which is kept, if that is wanted."""
        if self._settings.confirm:
            say("This session is not over. It is kept, to be gone on with. Type yes to begin another one.")
            if console.ask().lower() not in ("yes", "y"):
                say("This session goes on.")
                return
        raise Another(again(self._session, same_deal=same_deal))

    def _leave(self) -> None:
        """Let the session go; say whether all is kept."""
        if len(self._people) > 1:
            console.clear()
        with unbroken():
            self._session.close()
        kept = f"Everything is kept. cardtable resume {self._session.header.id} --plain goes on from here."
        say(f"Not everything is kept: {self._session.trouble}" if self._session.trouble else kept)

    def _welcome(self) -> None:
        header, about = self._session.header, self._table.game.about
        names = ", ".join([self._names[seat] for seat in own_first(header)])
        say(f"{about.title}. Around the table, clockwise: {names}.", "Type help for what can be typed.")
        if self._steps:
            say("You watch. Press Enter for the next step, or type round to let them play to the end of the round.")
        if self._session.notice:
            say(sentence(self._session.notice))

    def _step(self) -> None:
        """What is to happen next."""
        table = self._table
        seat = table.turn
        if self._steps and table.round:
            self._watch(self._steps)
        if seat == CHANCE:
            if table.round == len(table.scores) > 0 and not self._steps:
                self._round_end()
                if len(self._people) > 1:  # all of them have heard the points: nobody sits at the keyboard
                    self._here = None
            if table.turn == CHANCE:
                self._change(table.go_on)
        elif silent := table.game.silent(table.view(seat)):
            self._play(seat, silent)
        elif level := self._session.header.seats[seat].robot:
            request = worker.Request(table.game.about.key, level, table.view(seat), table.seed, table.decisions)
            self._play(seat, worker.chosen(request))
        else:
            self._person(seat)

    def _watch(self, steps: Steps) -> None:
        """Ask who watches robots whether they are to go on."""
        self._tell_news()
        if self._table.turn == CHANCE and not self._table.playing:
            self._tell_round()
        while steps.due:
            typed = console.ask().lower()
            if steps.go_on(typed):
                return
            if not self._command(typed, self._table.view(max(self._table.turn, 0))):
                say(f"That is not possible here: {typed[:40]}. Type help.")

    def _person(self, seat: Seat) -> None:
        """Ask until something has happened."""
        table = self._table
        if seat != self._here:
            self._curtain(seat)
        self._tell_news()
        view, decisions = table.view(seat), (table.decisions, table.undone, table.round)
        given = choices(view.legal)
        self._ask(view, given, whole=self._anew)
        self._anew = False
        if len(view.legal) < self._settings.fewest_choices:
            self._play(seat, view.legal[0])
        while decisions == (table.decisions, table.undone, table.round) and table.turn == seat and not self._late(seat):
            typed = console.ask()
            if self._late(seat):
                return
            if not typed:
                self._ask(view, given, whole=True)
            elif not self._command(typed, view):
                self._act(typed, view, given)

    def _ask(self, view: View, given: Choices, *, whole: bool) -> None:
        """The own hand, or all that can be seen, and what may be done."""
        game = self._table.game
        self._tell_time(view.seat)
        if self._open:
            self._hands(view)
        say(*(situation(game, view, self._names) if whole else own(game, view)))
        say("What do you do?", *listed(given, explained(game, view)))

    def _tell_time(self, seat: Seat) -> None:
        session = self._session
        for what, left in (("this round", session.seconds_left), ("the session", session.time_left(seat))):
            if left is not None:
                say(f"Time left for {what}: {minutes(left)}.")

    def _act(self, typed: str, view: View, given: Choices) -> None:
        """Do what is typed, or say why not."""
        try:
            self._play(view.seat, understood(typed, given))
        except Unclear as error:
            say(self._why_not(typed, view, given) or str(error) or f"I do not understand: {typed[:40]}. Type help.")

    def _why_not(self, typed: str, view: View, given: Choices) -> str:
        """Why what is typed may not be done, as the rules have it; nothing where they say nothing of it."""
        cards = named(typed)
        if not cards & (cards - 1) or any(action.uses() & (action.uses() - 1) for action in view.legal):
            possible = any(action.uses() == cards for action in view.legal) if cards else not left_out(typed, given)
            return "" if possible else sentence(spoken(self._table.game.why_not(view, cards)))
        return "One card can be played at a time."

    def _command(self, typed: str, view: View) -> bool:
        """Do what is typed if it is no action; whether it was none."""
        word, rest = _words(typed)
        if word == "quit" and not rest:
            raise Left
        if word == "talk":
            self._talk(view.seat, rest)
        elif word == "save" and rest and self._session.trouble:
            self._save_into(Path(rest))
        elif word == "undo" and not rest:
            self._undo()
        elif word in self._commands and not rest and typed not in map(str, view.legal):  # King has claims of its own
            self._commands[word](view)
        else:
            return self._back.command(word, rest)
        return True

    def _hands(self, view: View) -> None:
        """The hands of the others, where all lie open; with nobody at the table those of all."""
        if not self._open:
            say("The hands of the others are closed.")
            return
        views = [self._table.view(seat) for seat in range(self._table.seats) if self._steps or seat != view.seat]
        say(*hands(self._table.game, views, self._names))

    def _hint(self, view: View) -> None:
        """What the expert would do, why, and what else is worth a look."""
        if not view.legal:
            say("There is nothing to choose now.")
            return
        table = self._table
        question = worker.Question(table.game.about.key, view, table.seed, table.decisions)
        reading.advice(worker.advised(question))

    def _claim(self, view: View) -> None:
        """Have the rest played out, where it cannot change the points any more."""
        if self._table.tricks is None:
            say(f"There are no tricks in {self._table.game.about.title}.")
        elif len(self._people) != 1:
            say("Nothing is played out where several people play.")
        else:
            found = self._table.claim(view.seat)()
            say(sentence(found.value))
            if found is Verdict.GRANTED:
                self._change(self._table.play_out)

    def _save_into(self, folder: Path) -> None:
        """Keep the session in another folder."""
        try:
            with unbroken():
                self._session.save_into(folder)
        except CardtableError as error:
            say(sentence(str(error)))
        self._tell_trouble()

    def _last(self, view: View) -> None:
        told = last_trick(view, self._names)
        if self._table.tricks is None:
            told = [f"There are no tricks in {self._table.game.about.title}."]
        say(*(told or ["No trick has been taken in this round."]))

    def _talk(self, seat: Seat, text: str) -> None:
        """Say something to the table, or hear what was said."""
        if not text:
            reading.talk(self._session.path, self._names)
        elif len(text) > MOST_SAID:
            say(f"At most {MOST_SAID} characters can be said at once; these are {len(text)}.")
        else:
            speaker = seat if seat in self._people else None
            note = said(text, speaker)
            with unbroken():
                self._table.say(note.text, speaker)
            self._hearing.note(note)
            self._hearing.tell(seat)

    def _undo(self) -> None:
        """Take back to the last decision of the only person, where the table lets her; else say why not."""
        if len(self._people) != 1:
            say(f"Nothing can be taken back where {'several people' if self._people else 'robots'} play.")
            return
        me, choices = self._people[0], self._settings.fewest_choices
        number = self._table.since(me, choices)
        if not number:
            say(f"There is no way back: {self._table.why_stays(me, choices)}.")
            return
        self._change(lambda: self._table.undo(number))
        self._anew = True
        self._hearing.note(TAKEN_BACK)

    def _round_end(self) -> None:
        """Points and totals; somebody at a terminal may stay a while, unless the settings have a time for it."""
        table = self._table
        self._tell_news()
        self._tell_round()
        if not (self._people and console.on_terminal() and self._settings.round_pause == "key"):
            return
        undone = table.undone
        while table.undone == undone:
            say("Press Enter for the next round.")
            typed = console.ask()
            if typed in ("", "1"):
                return
            seat = self._people[0] if self._here is None else self._here
            if not self._command(typed, table.view(seat)):
                say(f"That is not possible now: {typed[:40]}.")

    def _tell_round(self) -> None:
        totals = by_seat(self._names, self._table.running)
        say(f"Round {len(self._table.scores)} is over. Totals: {totals}.")

    def _late(self, seat: Seat) -> bool:
        """Whether a clock has run out, and what follows from that."""
        table = self._table
        if table.turn != seat:
            return False
        if run_out(self._session.time_left(seat)):
            self._change(lambda: table.forfeit(seat, "clock"))
            self._hearing.note(lost(seat))
        elif run_out(self._session.seconds_left):
            self._change(lambda: table.void("clock"))
            self._hearing.note(DEALT_AGAIN)
        else:
            return False
        return True

    def _curtain(self, seat: Seat) -> None:
        """Hide what another person has seen until the one at ``seat`` says that she is there."""
        console.clear()
        self._here, self._anew = seat, True
        self._hearing.tell_all(seat)
        while True:
            say(letters(TURN.format(self._names[seat])))
            typed = console.ask()
            if typed.lower() == "quit":
                raise Left
            if not typed:
                return

    def _play(self, seat: Seat, action: Action) -> None:
        self._change(lambda: self._table.play(seat, action))

    def _change(self, change: Callable[[], None]) -> None:
        """Change the table, the disk first; Ctrl+C waits for it."""
        self._hearing.changing()
        with unbroken():
            change()
        self._hearing.changing()
        self._tell_trouble()

    def _tell_news(self) -> None:
        """Tell the person who is here what has happened."""
        if self._here is not None:
            self._hearing.tell(self._here)

    def _tell_trouble(self) -> None:
        """Say once that saving fails, and once that it works again."""
        if self._session.trouble != self._trouble:
            self._trouble = self._session.trouble
            again = "type save FOLDER to keep the session in another folder"
            say(sentence(f"{self._trouble}; {again}" if self._trouble else "saving works again"))


def _words(typed: str) -> tuple[str, str]:
    """The first word, in small letters, and the rest."""
    word, _, rest = typed.partition(" ")
    return word.lower(), rest.strip()
