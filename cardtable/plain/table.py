"""Local table in plain text: plays a session with prompts and printed events."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from time import monotonic
from typing import Final

from cardtable.engine.claims import ClaimVerdict
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import CHANCE, Seat
from cardtable.engine.undo_history import NOTHING_YET
from cardtable.games import ABOUT
from cardtable.plain import console
from cardtable.plain.console import (
    CommandRows,
    Commands,
    QuitRequested,
    UnknownCommand,
    alone,
    confirm,
    defer_signals,
    format_unknown,
    print_lines,
    request_quit,
)
from cardtable.plain.lessons import PlainLessons
from cardtable.plain.players import ask_password, begin_session, require_password
from cardtable.plain.speech_text import to_ascii, to_sentence, use_faces
from cardtable.plain.table_dialog import PlainCoach, SavePrompts, TableDialog, UnreadMessages, create_input_help
from cardtable.records.personal_bests import find_achievements
from cardtable.records.review import compare_same_deals
from cardtable.records.review_worker import ReviewJob
from cardtable.session.lessons import should_offer_lessons
from cardtable.session.local_robots import LocalRobots
from cardtable.session.session_events import (
    AutoAdvance,
    AwaitingHandover,
    AwaitingNextRound,
    AwaitingPlayer,
    AwaitingRobot,
    SessionEvent,
    SessionOver,
)
from cardtable.session.session_runner import SessionRunner
from cardtable.store import session_setup
from cardtable.store.profiles import get_current_nick, map_profile_nicks
from cardtable.store.session_setup import SessionSetup, create_rematch, find_deal_day
from cardtable.store.sessions import Session
from cardtable.store.settings import Settings
from cardtable.wording.archive_rows import explain_unrated
from cardtable.wording.formatting import format_time_left
from cardtable.wording.missed import TURN_PROMPT
from cardtable.wording.players import describe_stake, list_own_seat_first, list_seat_names
from cardtable.wording.session_end import DailyResult, load_daily_result
from cardtable.wording.statistics import format_beaten

_MAX_UNREAD: Final = 50
"""Maximum number of journals that are read at the end of a session to find personal bests."""


class StartAnother(Exception):
    """Raised if the player starts another session, which ``setup`` describes."""

    def __init__(self, setup: SessionSetup) -> None:
        super().__init__()
        self.setup = setup


def play_session(session: Session, settings: Settings, loss_messages: list[str]) -> None:
    """Play a session until it ends or the player leaves, then every other session that the player starts from it.

    Each session is closed in any case. If lines could not be saved in their place, a message is appended to
    ``loss_messages``. Raises ``QuitRequested`` after the player has left, and ``CardtableError`` if a session cannot be
    played.
    """
    following: Session | None = session
    while following is not None:
        following = _play_one(following, settings, loss_messages)


def _play_one(session: Session, settings: Settings, loss_messages: list[str]) -> Session | None:
    """Play one session; return the session that the player starts next, or ``None``."""
    try:
        console.require_privacy(len(session.header.people))
        if session.read_only_reason:
            raise CardtableError(f"the session cannot be played here: {session.read_only_reason}")
        if len(session.header.people) == 1:
            require_password(map_profile_nicks(session.header).get(session.header.people[0], ""))
        with use_faces(ABOUT[session.header.game].faces):
            create_dialog(session, settings).run()
    except StartAnother as request:
        following = request.setup
    else:
        return None
    finally:
        with defer_signals():
            session.close()
        if session.file.loss_message:
            loss_messages.append(session.file.loss_message)
    return begin_session(following)


class LocalTable(TableDialog):
    """Dialog of one session at a local table: asks the players for decisions, and prints events."""

    def __init__(self, session: Session, settings: Settings) -> None:
        self._session, self._referee = session, session.referee
        self._runner = SessionRunner(session)
        self._people = self._runner.people
        super().__init__(self._runner, settings, list_seat_names(session.header))
        self._messages = UnreadMessages(self._runner, self._names)
        self._saving = SavePrompts(session)
        self._coach = PlainCoach(self._runner, settings)
        self._robots = LocalRobots()
        self._daily_result: DailyResult | None = None
        """Result of a finished deal of the day."""
        self.commands = self._list_commands()

    def _list_commands(self) -> Commands:
        rest_help = "rest: play out the rest of the round at once, if every play gives the same points."
        practice_row: CommandRows = {
            "give: one more card for you, in Bridge. finish: robots play the round to its end.": {
                "give": alone(self._give_card),
                "finish": alone(self._finish_round),
            }
        }
        return self._create_commands(
            {
                **create_input_help(),
                "undo: undo your last decision, against robots only, and only until you see a new card.": {
                    "undo": alone(self._undo)
                },
            },
            {
                "coach big, coach all or coach off: what your last move cost, and why, if it was a mistake. "
                "For one player against robots; the session is not rated.": {"coach": self._coach.execute}
            },
            {
                **(practice_row if self._runner.hands_open else {}),
                "" if self._referee.tricks is None else rest_help: {"rest": alone(self._play_rest)},
                "learn: short lessons on this game.": {"learn": alone(self._learn)},
            },
            self._session_rows,
        )

    @property
    def _session_rows(self) -> CommandRows:
        another = "new: a new session with the same seats and house rules."
        if self._session.can_deal_again:
            another = "again: a new session with the same deal, seats and house rules. new: the same with a new deal."
        return {
            another: {
                "again": alone(lambda: self._begin_another(same_deal=True)),
                "new": alone(lambda: self._begin_another(same_deal=False)),
            },
            "quit: leave, as at the end of input and after Ctrl+C. Everything is saved, unless a line says that it "
            "is not.": {"quit": alone(request_quit)},
            "": {"save": self._saving.execute_save},
        }

    def run(self) -> None:
        """Play from the present position until the session ends or the player leaves.

        Raises ``QuitRequested`` or ``StartAnother`` once the player may leave.
        """
        try:
            self._play_until_left()
        finally:
            self._coach.stop()
            self._robots.stop()

    def _play_until_left(self) -> None:
        self._print_welcome()
        if self._session.notice:
            print_lines(to_sentence(self._session.notice))
        while True:
            try:
                self._play_to_end()
            except (QuitRequested, StartAnother):
                if not self._confirm_staying():
                    self._leave()
                    raise
            except KeyboardInterrupt:
                print_lines("")  # ends the line of the prompt
                self._leave()
                raise
            else:
                if not self._confirm_staying():
                    return

    def _play_to_end(self) -> None:
        """Play to the end of the session, and print the result."""
        referee = self._referee
        while not isinstance(self._runner.pending, SessionOver):
            self._execute_step()
        self._print_news()
        if len(referee.scores) == referee.round:
            self._print_totals(referee.round, referee.raw_totals)
        self._print_result()
        print_lines(*filter(None, [explain_unrated(self._session)]))
        self._print_achievements()
        if console.is_on_terminal():
            self._offer_another()

    def _print_achievements(self) -> None:
        """Print the personal bests that the session has beaten, and the result of a deal of the day."""
        if self._session.save_error or not self._people:
            return
        achievements = find_achievements(self._session.path, self._people, _MAX_UNREAD)
        game = self._referee.game.about.key
        for seat, bests in achievements.beaten.items():
            print_lines(*[f"{to_ascii(format_beaten(best, game, self._names[seat]))}." for best in bests])
        if find_deal_day(self._session.header):
            self._daily_result = load_daily_result(self._session.path, achievements.streak)
            print_lines("To share:", *self._daily_result.format_lines(None))

    def _let_experts_play(self) -> None:
        """Let experts play the deal of the day, and print the result to share again. Ctrl+C stops them."""
        assert self._daily_result is not None
        job, start = ReviewJob(self._session.path, self._people[0]), monotonic()
        with suppress(KeyboardInterrupt):
            for number, _ in enumerate(job.iter_pieces(deals_only=True), 1):
                if number == 1 and job.has_missing_deals:
                    left = (monotonic() - start) * (len(job.session.deals) - len(job.review.dealt))
                    print_lines(f"Experts play the same deal; this takes {format_time_left(left)}. Ctrl+C stops them.")
        print_lines(*self._daily_result.format_lines(compare_same_deals(job.session, job.review)))

    def _offer_another(self) -> None:
        """Offer to start another session after this one. Raises ``StartAnother`` if the player accepts."""
        same = self._session.can_deal_again
        repeat = "again: the same deal again. " if same else ""
        share = "share: let experts play the same deal, to compare." if self._daily_result else ""
        print_lines(f"Press Enter to leave. {repeat}new: a new deal. deal: the last deal.{share and ' '}{share}")
        share_row: CommandRows = {share: {"share": alone(self._let_experts_play)}} if share else {}
        last_round = Commands(self._last_round_row, share_row)
        with suppress(UnknownCommand):
            while True:
                typed = self._coach.read_line().lower()
                last_round.execute(typed)
        if typed == "new" or (typed == "again" and same):
            raise StartAnother(create_rematch(self._session, same_deal=typed == "again"))

    def _confirm_staying(self) -> bool:
        """Return True if the player stays because of unsaved changes."""
        try:
            stays = self._saving.confirm_staying()
        except QuitRequested:
            return False
        self._runner.leave_keyboard()  # another player than the one at the keyboard may have answered
        return stays

    def _leave(self) -> None:
        """Close the session, and print how to continue it, or that data is lost."""
        if len(self._people) > 1:
            console.clear_screen()
        with defer_signals():
            self._session.close()
        resume_hint = f"Saved. To continue: cardtable resume {self._session.header.id} --plain"
        print_lines("Not everything is saved." if self._session.file.loss_message else resume_hint)

    def _print_welcome(self) -> None:
        header = self._session.header
        self._print_seats(list_own_seat_first(header)[0])
        about = self._referee.game.about
        aim = session_setup.take_aim_at_first_start(about)
        is_new = bool(aim) and self._referee.round <= 1
        offer = is_new and self._people and should_offer_lessons(about.key, get_current_nick())
        print_lines("Type help for what can be typed.")
        print_lines(
            *([aim] if is_new else []),
            *([f"Type learn for short lessons if {about.title} is new to you."] if offer else []),
            *filter(None, [describe_stake(header)]),
        )

    def _execute_step(self) -> None:
        """Execute the next step according to the pending input of the session."""
        match self._runner.pending:
            case AwaitingNextRound():
                self._end_round()
            case AutoAdvance():
                self._change(self._runner.advance)
            case AwaitingRobot():
                action, worlds, notice = self._robots.choose(self._runner.create_robot_request())
                if notice:
                    print_lines(to_sentence(notice))
                self._change(lambda: self._runner.play(action, worlds=worlds))
            case AwaitingHandover() as handover:
                self._hand_over(handover)
            case AwaitingPlayer(seat=seat):
                self._ask_player(seat)
            case _:
                pass

    def _ask_player(self, seat: Seat) -> None:
        """Ask a player for a decision, and execute commands until the position has changed.

        A turn with few choices is decided automatically if the settings require it.
        """
        self._print_news()
        view = self._runner.views[seat]
        self._print_prompt(view, whole=self._needs_full_position)
        self._coach.print_warning()
        if len(view.legal) < self._settings.min_choices:
            self._change(lambda: self._runner.play(view.legal[0]))
        while self._runner.views[seat] is view and not self._apply_due_timeout():
            typed = self._coach.read_line()
            if self._apply_due_timeout():
                return
            if not typed:
                self._print_prompt(view, whole=True)
            elif not self._execute_command(typed, view):
                self._execute_action(typed, view)

    def _end_round(self) -> None:
        """Print the points of a round, and begin the next one.

        On a terminal it waits for Enter if the settings require it.
        """
        self._print_news()
        self._print_totals(len(self._referee.scores), self._referee.raw_totals)
        stays = console.is_on_terminal() and self._settings.round_pause == "key"
        while isinstance(self._runner.pending, AwaitingNextRound):
            if stays:
                print_lines("Press Enter for the next round.")
            typed = self._coach.read_line() if stays else ""
            if typed in ("", "1"):
                self._change(self._runner.advance)
            elif not self._execute_command(
                typed, self._runner.views[self._people[0] if self._visible_seat is None else self._visible_seat]
            ):
                print_lines("You can't do that now.")

    def _apply_due_timeout(self) -> bool:
        """Apply the timeout if a clock has run out; return True if one has."""
        left = self._runner.seconds_left
        if left is None or left > 0:
            return False
        self._change(self._runner.apply_timeout)
        return True

    def _hand_over(self, handover: AwaitingHandover) -> None:
        """Show the curtain: clear the screen, and wait until the next hot-seat player confirms their presence.

        Raises ``QuitRequested`` if the player quits.
        """
        self._needs_full_position = True
        console.clear_screen()
        self._messages.print_public(handover.seat)
        while isinstance(self._runner.pending, AwaitingHandover):
            print_lines(to_ascii(TURN_PROMPT.format(self._names[handover.seat], "Enter")))
            console.discard_input()
            typed = console.read_line()
            if typed.lower() == "quit":
                raise QuitRequested
            if not typed and (
                not handover.password or ask_password(handover.password, submit=self._runner.submit_password)
            ):
                self._runner.confirm_handover()

    def _change(self, change: Callable[[], Sequence[SessionEvent]]) -> None:
        """Execute a change, which is on the disk on return unless saving fails, and queue its events.

        SIGINT (Ctrl+C) and signals that end the program are deferred meanwhile.
        """
        with defer_signals():
            self._messages.add(change())
        self._saving.report_error()
        self._coach.follow_session()

    @property
    def _visible_seat(self) -> Seat | None:
        """Seat whose hand may be on the screen; ``None`` before the first curtain."""
        return self._runner.hot_seat.seat

    def _print_news(self) -> None:
        """Print the unread messages of the player at the keyboard."""
        if self._visible_seat is not None:
            self._messages.print_unread(self._visible_seat)

    # Commands

    def _learn(self) -> None:
        """Open the lessons of the game; this session waits."""
        PlainLessons(self._settings).run(self._referee.game.about.key)
        if self._view.legal:
            self._print_prompt(self._view, whole=True)

    def _play_rest(self) -> None:
        """Play out the rest of the round if its points are decided (claim); else print why not."""
        if self._referee.tricks is None:
            print_lines(f"There are no tricks in {self._referee.game.about.title}.")
        elif len(self._people) != 1:
            print_lines("The rest cannot be played out with several people at the table.")
        else:
            verdict = self._referee.check_claim(self._view.seat)()
            print_lines(to_sentence(verdict.value))
            if verdict is ClaimVerdict.DECIDED:  # [1:] leaves out the note about the player's own claim
                self._change(lambda: self._runner.claim_rest()[1:])

    def _give_card(self) -> None:
        if not self._view.practice_actions:
            print_lines("There is no card to give now.")
        else:
            self._change(self._runner.give_card)

    def _finish_round(self) -> None:
        if self._referee.playing:
            self._change(self._runner.finish_round)
        else:
            print_lines("The round is over.")

    def _talk(self, text: str) -> None:
        super()._talk(text)
        if text:
            self._messages.print_unread(self._view.seat)

    def _undo(self) -> None:
        """Undo back to the last decision of the only human player, or print why this is impossible."""
        if len(self._people) != 1:
            print_lines(f"Nothing can be undone where {'several people' if self._people else 'only robots'} play.")
            return
        me, choices = self._people[0], self._settings.min_choices
        if self._runner.compute_undo_distance(choices):
            self._change(lambda: self._runner.take_back(choices))
            self._needs_full_position = True
        else:
            refusal = self._referee.explain_undo_refusal(me, choices)
            print_lines(to_sentence(refusal) if refusal == NOTHING_YET else f"You can't undo that: {refusal}.")

    def _begin_another(self, *, same_deal: bool) -> None:
        """Begin another session, after a confirmation if the settings require it. Raises ``StartAnother``.

        If the same deal must not be repeated, or the player does not confirm, this session continues.
        """
        try:
            following = create_rematch(self._session, same_deal=same_deal)
        except CardtableError as error:
            print_lines(to_sentence(f"{error}; new starts another session"))
            return
        asks = self._settings.confirm and not self._session.save_error
        if asks and not confirm("This session is not over. It stays saved. Type yes to start another one."):
            print_lines("This session continues.")
            return
        raise StartAnother(following)


class WatchedTable(LocalTable):
    """Dialog of a session between robots, which pauses for commands of the spectator before each step."""

    _hint_help = "hint: what an expert would do in place of the robot to act."
    _hands_help = "hands: all hands."
    _pauses_from = 0.0
    """Number of finished rounds from which on play pauses before each step."""

    def _list_commands(self) -> Commands:
        return self._create_commands(
            {
                "You are watching robots. An empty line is one step: the next decision, or the next deal.": {
                    "": lambda _: True,
                    "1": alone(lambda: True),
                },
                "round: go to the end of the round. all: go to the end of the session.": {
                    "round": alone(lambda: self._watch_until(len(self._referee.scores) + 1)),
                    "all": alone(lambda: self._watch_until(inf)),
                },
            },
            {},
            {},
            self._session_rows,
            {"": {"undo": alone(self._undo), "rest": alone(self._play_rest)}},
        )

    def _print_welcome(self) -> None:
        super()._print_welcome()
        print_lines("You are watching. Press Enter for the next step, or type round to watch to the end of the round.")

    def _execute_step(self) -> None:
        if self._referee.round:
            self._ask_spectator()
        super()._execute_step()

    def _end_round(self) -> None:
        self._change(self._runner.advance)

    def _ask_spectator(self) -> None:
        """Execute commands of the spectator until the next step is due."""
        self._print_news()
        if self._referee.turn == CHANCE and not self._referee.playing:
            self._print_totals(len(self._referee.scores), self._referee.raw_totals)
        while len(self._referee.scores) >= self._pauses_from:
            typed = console.read_line()
            self._view = self._runner.views[max(self._referee.turn, 0)]
            try:
                if self.commands.execute(typed):
                    return
            except UnknownCommand:
                print_lines(format_unknown(typed))

    def _watch_until(self, rounds: float) -> bool:
        """Watch without a pause until this number of rounds is finished; return True, since a step is due."""
        self._pauses_from = rounds
        return True

    @property
    def _visible_seat(self) -> Seat:
        return 0


def create_dialog(session: Session, settings: Settings) -> LocalTable:
    return LocalTable(session, settings) if session.header.people else WatchedTable(session, settings)
