"""Table of a club in plain text, which prints events as they arrive and executes commands in between."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Literal, TypeAlias

from cardtable.club.client.remote_session import RemoteSession
from cardtable.club.protocol import (
    AdmitSpectators,
    DeclineRematch,
    EndWait,
    GiveSeat,
    InviteToTable,
    SendAway,
    VoteRematch,
)
from cardtable.club.table_text import format_invited
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Note, Seat, View
from cardtable.engine.secret_choices import list_seats_to_act
from cardtable.engine.text_format import find_name, sanitize
from cardtable.plain import console
from cardtable.plain.club.client_thread import ClientThread, has_invited, list_hiding_rows
from cardtable.plain.console import UnknownCommand, alone, one_word, print_lines, request_quit
from cardtable.plain.position_text import describe_own_hand, describe_position, describe_previous_trick
from cardtable.plain.speech_text import format_log_entries, to_sentence
from cardtable.plain.table_dialog import TableDialog, create_input_help
from cardtable.session.session_events import (
    AwaitingNextRound,
    AwaitingPlayer,
    AwaitingRemote,
    ObservedEvent,
    SessionEvent,
    SessionOver,
    Stage,
    list_auto_played_cards,
)
from cardtable.store import seating, session_setup
from cardtable.store.club_tokens import is_hosted_client
from cardtable.store.session_files import MAX_NAME_LENGTH
from cardtable.store.settings import Settings
from cardtable.wording.players import describe_seats_to_act, describe_stake, format_wait, list_seat_names
from cardtable.wording.terms import describe_clock_left, describe_leaving, describe_terms, format_loss

ROBOT: Final = "robot"
_Wanted: TypeAlias = Literal["line", "news", "nothing"]
"""What a table waits for: a line of input or news, news only, or nothing, as it goes on by itself or has ended."""
HOW_TO_ANSWER: Final = (
    "It begins once all players who are here agree, and this session stays unfinished. Type new to agree, or decline."
)


class PeopleCommands:
    """Commands and messages about the people at a table."""

    def __init__(self, session: RemoteSession, thread: ClientThread, names: Sequence[str]) -> None:
        """Create the commands; ``names`` holds the names of the seats, which the dialog updates in place."""
        self._session, self._thread, self._names = session, thread, names
        self._away_seats: set[Seat] = set()
        self._substituted_seats: set[Seat] = set()
        """Seats of absent players for whom a robot plays; the session's log entries report the substitution."""
        self._rematch_seats: Sequence[Seat] = ()

    def print_news(self) -> None:
        """Print which players have become absent, have returned, or accept another session, since the last call."""
        session = self._session
        away = {seat for seat, info in enumerate(session.seat_infos) if info.away and not info.lost}
        for seat in sorted(away - self._away_seats):
            name, left = self._get_name(seat), session.absences.get(seat)
            print_lines(f"{name} is away." + (f" The table waits {left} seconds." if left else ""))
            if session.is_rated:
                print_lines(*([f"After that {name} loses, and a robot plays on."] if left else []))
            elif session.people and seat in session.absences:
                print_lines(f"After that, robot {name} has a robot play for {name}, once all who are here type it.")
        print_lines(
            *[f"{self._get_name(seat)} is back." for seat in sorted(self._away_seats - away - self._substituted_seats)]
        )
        self._away_seats, self._substituted_seats = away, {seat for seat in away if session.seat_infos[seat].robot}
        new = [seat for seat in session.rematch_seats if seat not in (*self._rematch_seats, *session.people)]
        new = [seat for seat in new if not session.is_hidden_seat(seat)]
        is_over = session.stage is Stage.SESSION_END
        if is_over:
            print_lines(*[f"{self._names[seat]} plays another session. Type again to play it, too." for seat in new])
        elif not self._rematch_seats and new and session.people:
            print_lines(HOW_TO_ANSWER)
        self._rematch_seats = session.rematch_seats

    def _get_name(self, seat: Seat) -> str:
        return sanitize(self._session.seat_infos[seat].name, 20)

    def give_seat(self, rest: str) -> None:
        """Give away the seat of an absent player; ``rest`` has the form ``NAME to NICK`` or ``NAME to robot``.

        Raises ``UnknownCommand`` if it has another form.
        """
        match rest.split():
            case [name, "to", nick]:
                new_nick = "" if nick == ROBOT else seating.normalize_nick(nick)
                self._thread.send(GiveSeat(self._session.table, self._find_seat(name), new_nick))
            case _:
                raise UnknownCommand

    def play_again(self) -> None:
        """Offer or accept another session after the end of this one."""
        if self._session.stage is Stage.SESSION_END:
            self._thread.send(VoteRematch(self._session.table))
        else:
            print_lines("The session is not over yet. Type new to offer another one all the same.")

    def invite(self, nick: str, *, withdrawn: bool = False) -> None:
        """Invite a person to watch a private table, or withdraw an invitation, and print who can see it."""
        message = InviteToTable(self._session.table, seating.normalize_nick(nick), withdrawn)
        has_changed = partial(has_invited, self._thread.client, message)
        if self._thread.send_and_wait(message, has_changed) and not self._thread.client.refusal:
            self._print_access()

    def send_away(self, nick: str) -> None:
        """Send a spectator away, and print it."""
        client, table, nick = self._thread.client, self._session.table, seating.normalize_nick(nick)
        before = client.tables.get(table)
        is_changed = self._thread.send_and_wait(SendAway(table, nick), lambda: client.tables.get(table) != before)
        if is_changed and not client.refusal:
            print_lines(f"You have sent {sanitize(nick, 20)} away.")

    def admit_spectators(self, word: str) -> None:
        """Close the table to spectators, or open it to them, and print which of the two is the case."""
        client, table = self._thread.client, self._session.table
        if word not in ("on", "off"):
            raise UnknownCommand

        def has_changed() -> bool:
            row = client.tables.get(table)
            return row is not None and row.no_spectators == (word == "off")

        if self._thread.send_and_wait(AdmitSpectators(table, admitted=word == "on"), has_changed):
            print_lines(f"This table is {'open' if word == 'on' else 'closed'} to spectators.")

    def print_people(self) -> None:
        session = self._session
        row, clocks = self._thread.client.tables.get(session.table), session.get_time_left().clocks
        for seat, info in enumerate(session.seat_infos):
            details = [self._get_name(seat)]
            details += ["game master"] if row is not None and row.master == info.name else []
            details += [format_loss(session.lost[seat])] if seat in session.lost else ["away"] if info.away else []
            clock = clocks[seat] if clocks else None
            details += [describe_clock_left(clock)] if clock else []
            details += ["a robot plays" if info.away else "a robot"] if info.robot else []
            print_lines(f"Seat {seat + 1}: {', '.join(details)}.")
        if session.spectators:
            print_lines(f"Watching: {', '.join([sanitize(nick, 20) for nick in session.spectators])}.")
        print_lines(*map(to_sentence, describe_terms(session.header.terms)))
        self._print_access()

    def _print_access(self) -> None:
        row = self._thread.client.tables.get(self._session.table)
        if row is not None and row.private:
            print_lines(f"Only {format_invited(row)} can see this table.")
        if row is not None and row.no_spectators:
            print_lines("This table is closed to spectators.")

    def _find_seat(self, name: str) -> Seat:
        """Return the seat of the player called ``name``. Raises ``CardtableError`` if there is none."""
        seats = {self._get_name(seat): seat for seat in range(len(self._session.seat_infos))}
        if match := find_name(name, seats):
            return seats[match]
        raise CardtableError(f"nobody at this table is called {name[:20]}; who lists them")

    def request_substitute(self, name: str) -> None:
        """Vote for a robot to substitute for an absent player, and print the host's refusal, if any.

        An empty name means the player to act, if absent, or else the first absent player.
        """
        away = self._session.absences
        awaited = list_seats_to_act(self._session.snapshot(self._session.initial_seat).view)
        absent = [*[seat for seat in awaited if seat in away], *away]
        seat = self._find_seat(name) if name else next(iter(absent), None)
        if seat is None:
            print_lines("Nobody is away here.")
        elif refusal := self._session.request_substitute(seat):
            print_lines(to_sentence(refusal))
            self._thread.client.refusal = ""
        elif any(
            not info.robot and not info.away and other not in self._session.people
            for other, info in enumerate(self._session.seat_infos)
        ):
            print_lines(f"You agree to a robot for {self._get_name(seat)}; it plays once the others agree, too.")


class PlainClubTable(TableDialog):
    """Dialog at one table of a club, for a player or a spectator."""

    def __init__(self, session: RemoteSession, thread: ClientThread, settings: Settings) -> None:
        super().__init__(session, settings, [])
        self._session, self._thread = session, thread
        self._own_seat: Seat = session.initial_seat
        self._update_names()
        self._people = people = PeopleCommands(session, thread, self._names)
        stays = "is kept for a short time" if session.is_rated else "stays yours"
        self.commands = self._create_commands(
            create_input_help(),
            {},
            {},
            {
                "who: the people at the table.": {"who": alone(people.print_people)},
                "robot NAME: have a robot play for an absent player until NAME is back, once all who are here agree.": {
                    "robot": people.request_substitute
                },
                "end wait, for the game master: stop waiting for absent players.": {
                    "end wait": alone(lambda: thread.send(EndWait(session.table)))
                },
                "give NAME to NICK, give NAME to robot, for the game master: "
                "give away the seat of an absent player, between rounds.": {"give": people.give_seat},
                "new: a new session at any time, if all players who are here agree; this one stays unfinished. "
                "decline: rather play on. again: a new session, after this one.": {
                    "new": alone(lambda: thread.send(VoteRematch(session.table))),
                    "decline": alone(lambda: thread.send(DeclineRematch(session.table))),
                    "again": alone(people.play_again),
                },
                "invite NICK, uninvite NICK, for the game master of a private table: invite someone to watch, or "
                "withdraw the invitation.": {
                    "invite": one_word(people.invite),
                    "uninvite": one_word(partial(people.invite, withdrawn=True)),
                },
                "send away NICK, for the game master: send a spectator away, who cannot come back. "
                "spectators off: close the table to spectators. spectators on: open it again.": {
                    "send away": one_word(people.send_away),
                    "spectators": one_word(people.admit_spectators),
                },
                "check in: play the round of a tournament that is called; leave this table before.": {
                    "check in": alone(lambda: print_lines("Type leave, then check in."))
                },
                **list_hiding_rows(thread),
                f"leave: to the lobby. quit: leave the club. Your seat {stays}, also at the end of input and after "
                "Ctrl+C.": {"leave": alone(self._leave), "quit": alone(request_quit)},
            },
        )
        self._printed_notes: list[Note] = []
        """Log entries printed so far, with which the present log entries are compared."""
        self._new_events: list[SessionEvent] = []
        """Events of which the automatically played tricks have not been printed yet."""
        self._printed_rounds = len(session.snapshot(self._own_seat).scores)
        """Number of finished rounds whose totals have been printed or need not be, as the player came later."""
        if session.stage is Stage.ROUND_END:
            self._printed_rounds -= 1
        self._prompted_view: View | None = None
        """View for which the player was last asked for a decision; ``None`` if the prompt has to be repeated."""
        self._is_paused = self._has_ended = self._is_journal_reported = False
        self._printed_wait_reason = ""
        self._announced_wait = ""
        """Last sentence that told for whose choices the table waits; empty if it does not wait for any."""
        self._announced_round = 0
        """Number of the last round for which the player who acts first was announced."""

    def run(self) -> None:
        """Print events and execute commands until the player leaves the table or a rematch replaces the session.

        It also ends if the host closes the table.

        Raises ``QuitRequested`` if the player quits, and ``ClubOver`` if the connection has ended for good.
        """
        self._print_seats(self._own_seat)
        print_lines(*filter(None, [session_setup.take_aim_at_first_start(self._session.game.about)]))
        print_lines(*([] if self._session.people else ["You are watching."]), "Type help for what can be typed.")
        print_lines(*filter(None, [describe_stake(self._session.header)]))
        print_lines(*map(to_sentence, describe_terms(self._session.header.terms)))
        while True:
            self._print_updates()
            if self._thread.new_sessions and self._session.table not in self._thread.client.remote_sessions:
                return  # a rematch has replaced this session
            if (departure := self._session.departure) and departure.kind == "closed":
                print_lines(departure.reason)
                return
            wanted = self._ask_due_decision()
            if wanted == "nothing":
                if self._has_ended:
                    return
                continue
            typed = self._thread.wait_for_input(needs_line=wanted == "line")
            if typed is not None and self._execute(typed):
                return

    def _leave(self) -> bool:
        """Warn a player who leaves a rated session, and return True."""
        row = self._thread.client.tables.get(self._session.table)
        if row and self._session.loses_by_leaving:
            print_lines(describe_leaving(row.grace))
        return True

    # Output

    def _print_updates(self) -> None:
        """Apply the updates that the host has sent, and print what they contain."""
        session = self._session
        while isinstance(pending := session.pending, AwaitingRemote) and pending.lines:
            self._new_events += session.apply_next()
        self._update_names()
        print_lines(*self._thread.iter_news(at_table=True))
        self._print_notes()
        self._print_automatic_trick()
        self._print_rounds()
        self._people.print_news()
        if session.journal_path and not (self._is_journal_reported or is_hosted_client()):
            self._is_journal_reported = True
            print_lines(f"The session is saved here, too: cardtable replay {session.journal_path.stem} shows it again.")
        has_continued = session.stage is Stage.ROUND_END and self._is_paused
        tells_reason = session.people and (has_continued or session.is_late or not session.has_own_seat)
        waiting = session.spectator_reason if tells_reason else ""
        if (
            waiting != self._printed_wait_reason
            and waiting
            and isinstance(session.pending, AwaitingRemote)
            and not session.departure
        ):
            print_lines(waiting)
        self._printed_wait_reason = waiting

    def _print_notes(self) -> None:
        """Print new log entries.

        If they do not continue those already printed, nothing is printed, and the next prompt begins with the complete
        position.
        """
        notes = [*self._session.get_messages(self._own_seat)]
        if notes[: len(self._printed_notes)] == self._printed_notes:
            print_lines(*format_log_entries(notes[len(self._printed_notes) :], self._names))
        else:
            self._needs_full_position, self._prompted_view = True, None
        self._printed_notes = notes

    def _print_automatic_trick(self) -> None:
        """Print the last trick if it was played automatically; the log has no entries for its cards."""
        events = [it for it in self._new_events if isinstance(it, ObservedEvent) and self._session.people]
        for it in events:
            if list_auto_played_cards(
                self._session.game, it.event, it.before[self._own_seat], it.after[self._own_seat]
            ):
                print_lines(*describe_previous_trick(self._session.game, it.after[self._own_seat], self._names))
        self._new_events.clear()

    def _print_rounds(self) -> None:
        scores = self._session.snapshot(self._own_seat).scores
        for number, score in enumerate(scores[self._printed_rounds :], self._printed_rounds + 1):
            self._print_totals(number, score.totals)
            self._is_paused = False
        self._printed_rounds = len(scores)

    def _update_names(self) -> None:
        """Update the names of the seats in place.

        The name of an absent player has no remark, since absence is reported separately.
        """
        session = self._session
        self._names[:] = list_seat_names(session.header, people=session.people)
        for seat, info in enumerate(session.seat_infos):
            if info.away and not info.robot and seat not in session.people:
                self._names[seat] = sanitize(info.name, MAX_NAME_LENGTH)

    # Prompts

    def _ask_due_decision(self) -> _Wanted:
        """Print a prompt if a decision of the player is due, and return what the table has to wait for."""
        match self._session.pending:
            case AwaitingPlayer(seat=seat):
                return self._ask_choice(self._session.snapshot(seat).view)
            case AwaitingNextRound():
                return self._ask_next_round()
            case SessionOver():
                return self._ask_after_end()
            case _:
                pass
        departure = self._session.departure
        if departure and departure.kind == "refused":
            return "line"
        if self._needs_full_position and not (self._session.people or departure):
            self._needs_full_position = False
            print_lines(*self._describe_position(self._session.snapshot(self._own_seat).view))
        self._print_first_player()
        return "news"

    def _print_first_player(self) -> None:
        """Print once per round which other player acts first, and who still has to choose when the player has chosen.

        Robots are not announced.
        """
        session = self._session
        view = session.snapshot(self._own_seat).view
        wait = format_wait(view, self._names) if session.people and not session.departure else ""
        if wait != self._announced_wait:
            self._announced_wait = wait
            print_lines(*([to_sentence(wait)] if wait else []))
            return
        if (
            view.turn >= 0
            and view.round != self._announced_round
            and not session.departure
            and not session.seat_infos[view.turn].robot
        ):
            self._announced_round = view.round
            print_lines(self._describe_turn(view))

    def _ask_choice(self, view: View) -> _Wanted:
        if view is self._prompted_view:
            return "line"
        self._prompted_view, self._announced_round = view, view.round
        self._print_prompt(view, whole=self._needs_full_position)
        if len(view.legal) < self._settings.min_choices:
            self._new_events += self._session.play(view.legal[0])
            return "nothing"
        return "line"

    def _ask_next_round(self) -> _Wanted:
        if not console.is_on_terminal() or self._settings.round_pause != "key":
            self._start_next_round()
            return "nothing"
        if not self._is_paused:
            self._is_paused = True
            print_lines("Press Enter for the next round.")
        return "line"

    def _start_next_round(self) -> None:
        self._is_paused = True
        self._new_events += self._session.advance()

    def _ask_after_end(self) -> _Wanted:
        """Print the result of the session once; on a terminal the player may then stay at the table."""
        if not self._has_ended:
            self._has_ended = True
            self._print_result()
            if console.is_on_terminal():
                print_lines("Press Enter to go to the lobby. again: a new session. deal: the last deal.")
        return "line" if console.is_on_terminal() else "nothing"

    # Input

    def _execute(self, typed: str) -> bool:
        """Execute a line of input; return True if the player leaves the table.

        Raises ``QuitRequested`` if the player quits.
        """
        self._view = view = self._session.snapshot(self._own_seat).view
        if not typed and self._has_ended:
            return True
        try:
            if not typed:
                self._execute_empty_line(view)
            else:
                known_people = self._thread.client.hidden_people.nicks
                is_left = self.commands.execute(typed)
                if self._thread.client.hidden_people.nicks != known_people:
                    self._printed_notes = [*self._session.get_messages(self._own_seat)]
                return is_left
        except UnknownCommand:
            self._execute_action(typed, view)
        except CardtableError as error:
            print_lines(to_sentence(str(error)))
        return False

    def _change(self, change: Callable[[], Sequence[SessionEvent]]) -> None:
        self._new_events += change()

    def _execute_empty_line(self, view: View) -> None:
        if isinstance(self._session.pending, AwaitingNextRound):
            self._start_next_round()
            return
        if isinstance(self._session.pending, AwaitingPlayer):
            self._print_clocks(view)
            print_lines(*describe_position(self._session.game, view, self._names))
            self._print_choices(view)
        else:
            print_lines(*self._describe_position(view), self._describe_turn(view))

    def _describe_position(self, view: View) -> list[str]:
        """Describe the position in sentences.

        The player's hand is included during a round, unless a spectator may not see it.
        """
        lines = describe_position(self._session.game, view, self._names)
        can_see_hand = view.playing and (self._session.people or self._session.hands_open)
        return [*lines, describe_own_hand(self._session.game, view)] if can_see_hand else lines

    def _describe_turn(self, view: View) -> str:
        if view.turn >= 0:
            return to_sentence(describe_seats_to_act(view, self._names))
        return to_sentence(self._session.spectator_reason or "nobody is to act")

    def _execute_action(self, typed: str, view: View) -> None:
        """Execute the action that ``typed`` identifies, or print why it cannot be executed."""
        if departure := self._session.departure:
            print_lines(to_sentence(departure.reason))
            return
        if not isinstance(self._session.pending, AwaitingPlayer):
            print_lines(f"You can't do that now. {self._session.spectator_reason or self._describe_turn(view)}")
            return
        try:
            super()._execute_action(typed, view)
        except CardtableError as error:
            print_lines(to_sentence(str(error)))
