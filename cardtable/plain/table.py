"""A session played in lines: told what happened, asked what to do."""

from cardtable.engine.contract import CHANCE, OVER, Action, Seat, View
from cardtable.plain import console
from cardtable.plain.choices import Choices, Unclear, choices, left_out, listed, named, understood
from cardtable.plain.commands import Another, Commands
from cardtable.plain.console import Left, say, unbroken
from cardtable.plain.facts import by_seat, explained, own, situation
from cardtable.plain.hearing import Hearing
from cardtable.plain.passwords import begun, prove, prove_at_curtain
from cardtable.plain.saving import Saving
from cardtable.plain.speech import letters, sentence, spoken
from cardtable.plain.stepping import Steps
from cardtable.play.news import TURN
from cardtable.robots import worker
from cardtable.store.errors import CardtableError
from cardtable.store.sessions import Session
from cardtable.store.settings import Settings
from cardtable.store.setup import again
from cardtable.store.whose_seat import players_at
from cardtable.wording.clocks import DEALT_AGAIN, lost, minutes, run_out
from cardtable.wording.names import called, own_first
from cardtable.wording.words import YOU


def play(session: Session, settings: Settings, not_kept: list[str]) -> None:
    """Play a session to its end, or until the person leaves, and others that she wants instead or after it.

    Lets each go in any case; what of it could not be kept in its place is added to ``not_kept``, in a line each.
    Raises ``Left`` after the person has left, and ``CardtableError`` where one cannot be played.
    """
    following: Session | None = session
    while following is not None:
        following = _played(following, settings, not_kept)


def _played(session: Session, settings: Settings, not_kept: list[str]) -> Session | None:
    """Play one session; the one that is wanted then."""
    try:
        console.need_privacy(len(session.header.people))
        if session.read_only:
            raise CardtableError(f"the session cannot be played here: {session.read_only}")
        if len(session.header.people) == 1:
            prove(players_at(session.header).get(session.header.people[0], ""))
        _Sitting(session, settings).run()
    except Another as wanted:
        following = wanted.setup
    else:
        return None
    finally:
        with unbroken():
            session.close()
        if session.file.not_kept:
            not_kept.append(session.file.not_kept)
    return begun(following)


class _Sitting:
    """One session, from sitting down to getting up."""

    def __init__(self, session: Session, settings: Settings) -> None:
        self._session, self._settings, self._table = session, settings, session.table
        self._people = session.header.people
        self._names = called(session.header, YOU)
        self._players = players_at(session.header)
        self._here: Seat | None = None if len(self._people) > 1 else (self._people or [0])[0]
        """Whose hand may be on the screen; ``None`` before the first curtain."""
        self._hearing = Hearing(session, self._names)
        self._saving = Saving(session, self._hearing)
        self._commands = Commands(session, settings, self._names, self._hearing, self._saving)
        self._anew = session.table.round > 0
        """Whether all that can be seen is to be told before the next question."""
        self._steps = None if self._people else Steps(session.table)

    def run(self) -> None:
        """Play on from where the session stands, until the person leaves or it is over."""
        self._welcome()
        while True:
            try:
                self._play_on()
            except (Left, Another):
                if not self._stays():
                    self._leave()
                    raise
            except KeyboardInterrupt:
                say("")  # after the prompt, on a line of its own
                self._leave()
                raise
            else:
                if not self._stays():
                    return

    def _play_on(self) -> None:
        """Play to the end of the session, and tell what it came to."""
        table = self._table
        while table.turn != OVER:
            self._step()
        if not table.ended:
            self._saving.change(table.go_on)
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
        while self._commands.look_back(typed):
            typed = console.ask().lower()
        if typed in ("again", "new"):
            raise Another(again(self._session, same_deal=typed == "again"))

    def _stays(self) -> bool:
        """Whether the person stays, since not everything is on the disk."""
        try:
            stays = self._saving.stays()
        except Left:
            return False
        if len(self._people) > 1:  # who stays is not who was about to see her hand
            self._here = None
        return stays

    def _leave(self) -> None:
        """Let the session go; say whether all is kept."""
        if len(self._people) > 1:
            console.clear()
        with unbroken():
            self._session.close()
        kept = f"Everything is kept. cardtable resume {self._session.header.id} --plain goes on from here."
        say("Not everything is kept." if self._session.file.not_kept else kept)

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
                self._saving.change(table.go_on)
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
        if self._commands.open:
            self._commands.hands(view)
        say(*(situation(game, view, self._names) if whole else own(game, view)))
        say("What do you do?", *listed(given, explained(game, view)))

    def _tell_time(self, seat: Seat) -> None:
        clocks = self._session.clocks
        for what, left in (("this round", clocks.of_round), ("the session", clocks.of_seat(seat))):
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
        undone = self._table.undone
        done = self._commands.do(typed, view)
        self._anew = self._anew or self._table.undone != undone
        return done

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
        if run_out(self._session.clocks.of_seat(seat)):
            self._saving.change(lambda: table.forfeit(seat, "clock"))
            self._hearing.note(lost(seat))
        elif run_out(self._session.clocks.of_round):
            self._saving.change(lambda: table.void("clock"))
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
            say(letters(TURN.format(self._names[seat], "Enter")))
            console.forget_typed()
            typed = console.ask()
            if typed.lower() == "quit":
                raise Left
            if not typed and prove_at_curtain(self._players.get(seat, "")):
                return

    def _play(self, seat: Seat, action: Action) -> None:
        self._saving.change(lambda: self._table.play(seat, action))

    def _tell_news(self) -> None:
        """Tell the person who is here what has happened."""
        if self._here is not None:
            self._hearing.tell(self._here)
