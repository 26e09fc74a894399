"""Dialog at a table in plain text, with the parts that only some tables have.

These are messages that players have not read yet, verdicts of the coach, and failed saving.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from threading import RLock, Thread
from typing import TYPE_CHECKING, Final, get_args

from msgspec.structs import replace

from cardtable.engine.cards import SUITS, card
from cardtable.engine.errors import CardtableError
from cardtable.engine.faces import FRENCH
from cardtable.engine.game import Action, Note, Seat, View
from cardtable.engine.journal import allows_aids
from cardtable.engine.text_format import format_count
from cardtable.engine.tricks import TrickView
from cardtable.plain import console
from cardtable.plain.action_menu import AmbiguousInput, choose_action, parse_cards
from cardtable.plain.console import CommandRows, Commands, UnknownCommand, alone, defer_signals, print_lines, read_line
from cardtable.plain.position_text import (
    VisibleScoreSheet,
    describe_card_effects,
    describe_legal_actions,
    describe_open_hands,
    describe_own_hand,
    describe_position,
    describe_previous_trick,
    describe_ranking,
    describe_turn,
    make_action_menu,
    print_advice,
    print_chat,
    print_figures,
    print_glossary,
    print_rules,
    print_score_sheet,
)
from cardtable.plain.replay import describe_round, explain_decision
from cardtable.plain.speech_text import (
    describe_partnerships,
    format_by_side,
    format_card,
    format_log_entries,
    get_faces,
    to_sentence,
    to_spoken,
)
from cardtable.robots.hints import NOTHING_TO_DECIDE, Advice
from cardtable.session import local_robots
from cardtable.session.playable_session import PlayableSession, play_choice
from cardtable.session.round_replay import RoundReplay, replay_round
from cardtable.session.session_events import (
    MAX_TALK_LENGTH,
    ObservedEvent,
    SessionEvent,
    Stage,
    derive_public_entries,
    narrate_event,
)
from cardtable.session.session_runner import SessionRunner
from cardtable.store.score_tables import OpenScoreTable
from cardtable.store.sessions import Session
from cardtable.store.settings import CoachLevel, Settings
from cardtable.wording.formatting import join_or, join_words
from cardtable.wording.log_entries import NOT_RATED, list_verdict_sentences
from cardtable.wording.missed import format_heading, format_missed_events, format_time_since
from cardtable.wording.players import describe_payouts, describe_ties
from cardtable.wording.terms import NO_AIDS, describe_clock_left

if TYPE_CHECKING:
    import asyncio

    from cardtable.session.robot_client import CoachClient


def create_input_help() -> CommandRows:
    """Return the help on typing actions, with the names of the cards in the game."""
    faces = get_faces()

    def list_letters(letters: str, names: Iterable[str]) -> str:
        """Return the letters in a sentence, each with the name it stands for unless that is the usual one."""
        pairs = zip(letters, names, strict=True)
        return join_words([letter if faces == FRENCH else f"{letter} ({name})" for letter, name in pairs])

    ranks = list_letters("TJQKA", [rank.one for rank in faces.ranks[8:]])
    suits = list_letters(SUITS, [suit.many for suit in faces.suits])
    return {
        f"Type the number of your choice, or enough of its words, such as {format_card(card('7S'))}.\n"
        f"The short form works as well: play 7S, or just 7S. Ranks are 2 to 9, {ranks}, suits {suits}.\n"
        "An empty line describes the full position. You can also type:": {}
    }


def find_length_error(text: str) -> str | None:
    """Return an error message if chat text is longer than ``MAX_TALK_LENGTH``."""
    if len(text) <= MAX_TALK_LENGTH:
        return None
    return f"That has {len(text)} characters; at most {MAX_TALK_LENGTH} can be said at once."


class TableDialog:
    """Dialog at one table: prompts, actions, and the commands of every table."""

    commands: Commands
    """Set by subclasses."""
    _hint_help = "hint: what an expert would do, and why."
    _hands_help = "hands: all hands, if they are open."
    """Help of the two commands, which means something else to a spectator of robots."""

    def __init__(self, session: PlayableSession, settings: Settings, names: list[str]) -> None:
        """Create the dialog; ``names`` holds the name of each seat, and may be changed in place."""
        self._playable, self._settings, self._names = session, settings, names
        self._view: View
        """View of the seat for which a command is executed."""
        self._needs_full_position = session.progress[0] > 0
        """True if the complete position is printed before the next prompt."""
        self._hinted: tuple[View, Advice] | None = None
        """Last hint, with the view that it was for."""

    # Rows of commands

    def _create_commands(
        self, first: CommandRows, after_hint: CommandRows, after_hands: CommandRows, *last: CommandRows
    ) -> Commands:
        """Return the commands of the table of a session: those of all such tables, between those of its own kind."""
        card_row: CommandRows = {
            "what 8S: what this card of your hand does now. what: all cards that do something.": {
                "what": self._explain_cards
            }
        }
        return Commands(
            first,
            {
                f"{self._hint_help} more: all choices with figures.": {
                    "hint": alone(self._print_hint),
                    "more": alone(self._print_figures),
                }
            },
            after_hint,
            self._last_round_row,
            self._record_row,
            card_row if self._playable.game.has_card_texts else {},
            {self._hands_help: {"hands": alone(lambda: self._print_hands(self._view))}},
            after_hands,
            {"talk TEXT: say something at the table. talk: what has been said.": {"talk": self._talk}},
            *last,
        )

    @property
    def _last_round_row(self) -> CommandRows:
        return {
            "deal: the last deal, with all hands and moves of the round before. why NUMBER: the reason for a move.": {
                "deal": alone(self._print_last_round),
                "why": self._explain_decision,
            }
        }

    @property
    def _record_row(self) -> CommandRows:
        return {
            "previous: the previous trick. sheet: the score sheet. rules: the rules of the game. "
            "words: the words of card games.": {
                "previous": alone(self._print_previous_trick),
                "sheet": alone(self._print_sheet),
                "rules": alone(lambda: print_rules(self._playable.game.about.key, self._view.options)),
                "words": alone(print_glossary),
            }
        }

    def _change(self, change: Callable[[], Sequence[SessionEvent]]) -> None:
        """Execute a change of the session; the events that it returns are printed before the next prompt."""
        raise NotImplementedError

    # Output

    def _print_seats(self, first: Seat) -> None:
        """Print the game, the names of the seats in order of play from ``first`` on, and the partnerships."""
        game, seats = self._playable.game, len(self._names)
        view = self._playable.snapshot(self._playable.initial_seat).view
        trick = game.trick(view)
        step = trick.step if trick else 1
        names = [self._names[(first + step * i) % seats] for i in range(seats)]
        direction = "clockwise" if step == 1 else "counter-clockwise"
        print_lines(f"{game.about.title}. Around the table, {direction}: {', '.join(names)}.")
        print_lines(*describe_partnerships(self._names, game.sides_of(view), first))

    def _print_prompt(self, view: View, *, whole: bool) -> None:
        """Print the prompt for a decision: clocks, open hands, the turn, the hand and the legal actions.

        If ``whole``, the complete position is printed before the turn.
        """
        self._print_clocks(view)
        if self._playable.hands_open:
            self._print_hands(view)
        if whole:
            print_lines(*describe_position(self._playable.game, view, self._names))
        self._print_choices(view)
        self._needs_full_position = False

    def _print_clocks(self, view: View) -> None:
        """Print the time left to the view's seat for the round, the session and the decision, if there are clocks."""
        time = self._playable.get_time_left()
        if clock := time.clocks[view.seat] if time.clocks else None:
            print_lines(f"Time left: {describe_clock_left(clock)}.")
        of_session = time.seats_left[view.seat] if time.seats_left else None
        for period, left in (("this round", time.round_left), ("the session", of_session)):
            if left is not None:
                minutes, seconds = divmod(max(int(left), 0), 60)
                duration = f"{format_count(minutes, 'minute')} and {format_count(seconds, 'second')}"
                print_lines(f"Time left for {period}: {duration}.")

    def _print_choices(self, view: View) -> None:
        game = self._playable.game
        print_lines(
            *describe_turn(game, view, self._names),
            describe_own_hand(game, view),
            *describe_legal_actions(game, view, self._names),
        )

    def _print_totals(self, number: int, totals: Sequence[int]) -> None:
        """Print the totals after round ``number``."""
        sides = self._playable.game.sides_of(self._playable.snapshot(self._playable.initial_seat).view)
        print_lines(f"Round {number} is over. Totals: {format_by_side(self._names, totals, sides)}.")

    def _print_result(self) -> None:
        """Print the result of the finished session."""
        run, names = self._playable, self._names
        seen = run.snapshot(run.initial_seat)
        ranks, sides = seen.ranks or (), run.game.sides_of(seen.view)
        print_lines("The session is over.")
        print_lines(*describe_ranking(names, ranks, seen.results or (), seen.view.totals, sides))
        print_lines(*describe_ties(run.header, seen.view, ranks, names), *describe_payouts(run.header, ranks, names))

    # Commands and actions

    @property
    def _lists_cards(self) -> bool:
        """True if the cards that may be played are listed with numbers."""
        return True

    def _execute_action(self, typed: str, view: View) -> None:
        """Execute the action that ``typed`` identifies, or print why there is none."""
        game = self._playable.game
        try:
            menu = make_action_menu(game, view, self._names, lists_cards=self._lists_cards)
            action: Action = choose_action(typed, game, view, menu)
        except AmbiguousInput as error:
            print_lines(str(error))
        else:
            self._change(partial(play_choice, self._playable, action))

    def _execute_command(self, typed: str, view: View) -> bool:
        """Execute a command for the view's seat; return False if the input is none."""
        self._view = view
        try:
            self.commands.execute(typed)
        except UnknownCommand:
            return False
        return True

    def _print_hands(self, view: View) -> None:
        """Print the other players' hands if all hands are open; at a table of robots print all hands."""
        run = self._playable
        if not run.hands_open:
            print_lines("The other hands are hidden.")
            return
        seen = run.snapshot(view.seat)
        others = [*([] if run.people else [seen.view]), *seen.others.values()]
        print_lines(*describe_open_hands(run.game, sorted(others, key=lambda other: other.seat), self._names))

    def _print_hint(self) -> None:
        view = self._view
        if not view.legal:
            print_lines(NOTHING_TO_DECIDE)
            return
        if self._refuses_aids():
            return
        try:
            request = replace(self._playable.create_hint_request(view), names=tuple(self._names))
            advice = local_robots.advise(request)
        except CardtableError as error:
            print_lines(to_sentence(str(error)))
            return
        self._hinted = view, advice
        print_advice(advice)
        if self._playable.people:
            menu, best = make_action_menu(self._playable.game, view, self._names), advice.lines[0].action
            inputs = [menu.find_shortest_input(action) for action in menu.legal if action.steps[0] == best]
            print_lines(f"To do that, type {join_or(inputs)}.")

    def _print_figures(self) -> None:
        """Print the figures of the hint; the hint comes first if it has not been printed for this view."""
        if self._hinted is None or self._hinted[0] is not self._view:
            self._print_hint()
        if self._hinted and self._hinted[0] is self._view:
            print_figures(self._hinted[1])

    def _explain_cards(self, typed: str) -> None:
        """Print what a card of the hand does, or, if none is given, what each card does that does something special.

        Raises ``UnknownCommand`` if ``typed`` is not a card.
        """
        chosen = parse_cards(typed)
        if typed and chosen.bit_count() != 1:
            raise UnknownCommand
        lines = describe_card_effects(self._playable.game, self._view, chosen)
        print_lines(
            *(lines or ["You do not hold that card." if typed else "No card of your hand does anything special now."])
        )

    def _print_previous_trick(self) -> None:
        game = self._playable.game
        lines = describe_previous_trick(game, self._view, self._names)
        if not isinstance(self._view, TrickView):
            lines = [f"There are no tricks in {game.about.title}."]
        print_lines(*(lines or ["No trick has been taken in this round yet."]))

    def _print_sheet(self) -> None:
        view, game = self._view, self._playable.game
        seen = self._playable.snapshot(view.seat)
        totals = seen.results or view.totals
        sheet = VisibleScoreSheet(
            game=game,
            seats=len(totals),
            sides=game.sides_of(view),
            columns=game.columns,
            scores=seen.scores,
            totals=totals,
            ranks=seen.ranks,
        )
        print_score_sheet(sheet, view, self._names, seen.former_players)

    def _talk(self, text: str) -> None:
        """Print the chat, or say ``text`` unless it is empty."""
        if not text:
            print_chat(self._playable.get_messages(self._view.seat), self._names)
        elif wrong := find_length_error(text):
            print_lines(wrong)
        else:
            self._change(partial(self._playable.say, text, self._view.seat))

    def _refuses_aids(self) -> bool:
        """Return True, and print it, if hints and the last deal are not allowed now."""
        run = self._playable
        is_over = run.snapshot(run.initial_seat).stage is Stage.SESSION_END
        if allows_aids(run.header.terms, is_over=is_over):
            return False
        print_lines(NO_AIDS)
        return True

    def _print_last_round(self) -> None:
        if finished := self._find_last_round():
            print_lines(*describe_round(finished, self._names))

    def _explain_decision(self, number: str) -> None:
        if number and not number.isdecimal():
            raise UnknownCommand
        if finished := self._find_last_round():
            try:
                lines = explain_decision(finished, int(number[:5] or "0"), self._playable.header, self._names)
            except CardtableError as error:
                lines = [to_sentence(str(error))]
            print_lines(*lines)

    def _find_last_round(self) -> RoundReplay | None:
        """Return the last finished round; if there is none or it must not be read, print this and return ``None``."""
        run = self._playable
        if self._refuses_aids():
            return None
        try:
            finished = replay_round(run.journal(), len(run.snapshot(run.initial_seat).scores))
        except CardtableError as error:
            print_lines(to_sentence(str(error)))
            return None
        if finished is None:
            print_lines("No round is over yet.")
        return finished


class UnreadMessages:
    """Unread messages of each human player, or of the spectator at a table of robots."""

    def __init__(self, runner: SessionRunner, names: Sequence[str]) -> None:
        self._runner, self._names = runner, names
        runner.load_recent_messages()
        self._unread = {seat: runner.message_log.messages_by_seat[seat][:] for seat in runner.people or (0,)}
        self._private: dict[Seat, list[Note]] = {seat: [] for seat in self._unread}
        """Unread messages that only this seat has received."""

    def add(self, events: Sequence[SessionEvent]) -> None:
        """Add the messages that result from events, for every seat."""
        for it in events:
            if isinstance(it, ObservedEvent):
                self._queue(it)
            else:
                for unheard in self._unread.values():
                    unheard.append(it)

    def _queue(self, observed: ObservedEvent) -> None:
        game = self._runner.referee.game
        heard = {
            seat: narrate_event(game, observed.event, observed.before[seat], observed.after[seat])
            for seat in self._unread
        }
        common = derive_public_entries(game, observed.event, observed.before, observed.after, self._unread)
        for seat, own in heard.items():
            self._unread[seat] += own
            self._private[seat] += [note for note in own if note not in common]

    def print_unread(self, seat: Seat) -> None:
        """Print the unread messages of ``seat``, which then count as read."""
        print_lines(*format_log_entries(self._unread[seat], self._names))
        self._unread[seat].clear()
        self._private[seat].clear()

    def print_public(self, seat: Seat) -> None:
        """Print the public events since ``seat`` last acted, for a curtain.

        Afterwards only messages for this seat alone count as unread.
        """
        missed = self._runner.get_missed_messages(seat)
        print_lines(f"{', '.join(filter(None, [format_heading(missed), format_time_since(missed)]))}:")
        entries = format_missed_events(missed.messages, self._names, winner_mark="takes it")
        lines = [f"{about}: {text}" if about else text for about, text in entries]
        print_lines(*[to_sentence(to_spoken(line)) for line in lines or ["nothing has happened yet"]])
        self._unread[seat] = self._private[seat][:]


_LEVELS: Final = {"off": "off", "big": "on for big mistakes", "all": "on for all mistakes"}


class PlainCoach:
    """Coach of one session, in a thread with an event loop of its own.

    A verdict is printed while a prompt waits for input. The main thread never waits for one.
    """

    def __init__(self, session: SessionRunner, settings: Settings) -> None:
        self._session, self._min_choices = session, settings.min_choices
        self._level: CoachLevel = settings.coach if session.can_be_coached else "off"
        self._running: tuple[CoachClient, asyncio.AbstractEventLoop, Thread] | None = None
        """Client, event loop and thread, from the first decision on that is made while the coach is on."""
        self._lock, self._is_prompting = RLock(), False
        session.is_coached = self._level != "off"

    def execute(self, level: str) -> None:
        """Set the level at this table, or print it if ``level`` is empty.

        Raises ``UnknownCommand`` if there is no such level.
        """
        if not self._session.can_be_coached:
            print_lines("The coach is for one player against robots.")
            return
        if level and level not in get_args(CoachLevel):
            raise UnknownCommand
        self._level = next((known for known in get_args(CoachLevel) if known == level), self._level)
        self._session.is_coached = self._level != "off"
        print_lines(f"The coach is {_LEVELS[self._level]}.")
        self.print_warning()

    def print_warning(self) -> None:
        """Print that the session will not be rated, if the coach ends its rating with the next move."""
        if self._session.is_coached and self._session.is_rated_so_far:
            print_lines(NOT_RATED)

    def follow_session(self) -> None:
        """Have the last decision judged, if the coach is on and the decision is a new one."""
        if self._running is None:
            if self._session.coached_decision is None:
                return
            self._running = self._start()
        client, loop, _ = self._running
        loop.call_soon_threadsafe(client.follow_session)

    def _start(self) -> "tuple[CoachClient, asyncio.AbstractEventLoop, Thread]":
        import asyncio  # noqa: PLC0415 - lazy: startup

        from cardtable.session.robot_client import CoachClient  # noqa: PLC0415 - lazy: startup

        client, loop = CoachClient(self._session, self._on_verdict), asyncio.new_event_loop()
        thread = Thread(target=loop.run_forever, daemon=True)
        thread.start()
        return client, loop, thread

    def stop(self) -> None:
        """End the process and the thread of the coach."""
        if self._running:
            import asyncio  # noqa: PLC0415 - lazy: startup

            client, loop, thread = self._running
            asyncio.run_coroutine_threadsafe(client.stop(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()
            self._running = None

    def read_line(self) -> str:
        """Read a line of input as ``console.read_line`` does; a verdict that arrives meanwhile is printed."""
        return console.read_line(self._begin_prompt, self._end_prompt)

    def _begin_prompt(self) -> None:
        with self._lock:
            print_lines(*self._take_verdict())
            console.print_prompt()
            self._is_prompting = True

    def _end_prompt(self) -> None:
        with self._lock:
            self._is_prompting = False

    def _on_verdict(self) -> None:
        with self._lock:  # the main thread changes the session only after this
            if self._is_prompting and (lines := self._take_verdict()):
                print_lines("", *lines)  # below the prompt
                console.print_prompt()

    def _take_verdict(self) -> list[str]:
        """Return the lines of a verdict that has not been shown; empty if there is none."""
        coach = self._running and self._running[0]
        verdict = coach and coach.take_verdict(self._level)
        if not coach or not verdict:
            return []
        refusal = coach.explain_undo_refusal(self._min_choices)
        offer = f"That can't be undone: {refusal}." if refusal else "Type undo to take it back."
        return [" ".join([to_sentence(to_spoken(sentence)) for sentence in list_verdict_sentences(verdict)]), offer]


class SavePrompts:
    """Prompts and reports about the saving of one session or score table."""

    def __init__(self, opened: Session | OpenScoreTable) -> None:
        self._opened = opened
        self._reported_error: str | None = None

    def execute_save(self, folder: str) -> None:
        """Save into another folder, as ``save FOLDER`` requests. Raises ``UnknownCommand`` unless saving fails."""
        if not folder or not self._opened.save_error:
            raise UnknownCommand
        self.save_into(Path(folder))

    def save_into(self, folder: Path) -> None:
        """Save into another folder from now on; an error is printed."""
        try:
            with defer_signals():
                self._opened.save_into(folder)
        except CardtableError as error:
            print_lines(to_sentence(str(error)))
        self.report_error()

    def confirm_staying(self) -> bool:
        """Ask before unsaved changes are left behind; return True if the user stays.

        Returns False at once if everything is saved. Raises ``QuitRequested`` at the end of input.
        """
        while unsaved := self._save():
            print_lines(
                to_sentence(f"not on the disk yet: {unsaved}; {self._opened.save_error}"),
                "Type save FOLDER to save the whole session there and leave, leave to leave without saving, or "
                "anything else to stay.",
            )
            word, _, folder = read_line().partition(" ")
            if word.lower() == "leave":
                self._opened.file.accept_loss = True
                return False
            if word.lower() != "save" or not folder.strip():
                return True
            self.save_into(Path(folder.strip()))
        return False

    def _save(self) -> str:
        with defer_signals():
            return self._opened.save()

    def report_error(self) -> None:
        """Print an error once when saving begins to fail, and a notice once when it works again."""
        if self._opened.save_error != self._reported_error:
            self._reported_error = self._opened.save_error
            again = "type save FOLDER to save the session in another folder"
            print_lines(
                to_sentence(f"{self._reported_error}; {again}" if self._reported_error else "saving works again")
            )
