"""Local table in plain text: plays a session with prompts and printed events."""

from collections.abc import Callable, Sequence

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import CHANCE, Seat, View
from cardtable.plain import console
from cardtable.plain.action_menu import ActionMenu, AmbiguousInput, choose_action, print_clocks
from cardtable.plain.console import QuitRequested, defer_signals, print_lines
from cardtable.plain.info_commands import SpectatorPace
from cardtable.plain.players import ask_password, begin_session, require_password
from cardtable.plain.position_text import (
    describe_legal_actions,
    describe_own_hand,
    describe_position,
    describe_ranking,
    describe_turn,
    make_action_menu,
)
from cardtable.plain.save_prompts import SessionSaver
from cardtable.plain.speech_text import describe_partnerships, format_by_side, to_ascii, to_sentence
from cardtable.plain.table_commands import StartAnother, TableCommands
from cardtable.plain.unread_messages import UnreadMessages
from cardtable.robots import worker
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
from cardtable.store.profiles import map_profile_nicks
from cardtable.store.session_setup import create_rematch
from cardtable.store.sessions import Session
from cardtable.store.settings import Settings
from cardtable.wording.archive_rows import explain_unrated
from cardtable.wording.formatting import YOU
from cardtable.wording.missed import TURN_PROMPT
from cardtable.wording.players import describe_payouts, describe_stake, list_own_seat_first, list_seat_names


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
        _TableDialog(session, settings).run()
    except StartAnother as wanted:
        following = wanted.setup
    else:
        return None
    finally:
        with defer_signals():
            session.close()
        if session.file.loss_message:
            loss_messages.append(session.file.loss_message)
    return begin_session(following)


class _TableDialog:
    """Dialog of one session at a local table: asks the players for decisions, and prints events."""

    def __init__(self, session: Session, settings: Settings) -> None:
        self._session, self._settings, self._table = session, settings, session.referee
        self._runner = SessionRunner(session)
        self._people = self._runner.people
        self._names = list_seat_names(session.header, YOU)
        self._messages = UnreadMessages(self._runner, self._names)
        self._saving = SessionSaver(session, self._messages)
        self._commands = TableCommands(self._runner, settings, self._names, self._messages, self._saving)
        self._needs_full_position = session.referee.round > 0
        """True if the complete position is printed before the next prompt."""
        self._pace = None if self._people else SpectatorPace(session.referee)

    def run(self) -> None:
        """Play from the present position until the session ends or the player leaves.

        Raises ``QuitRequested`` or ``StartAnother`` once the player may leave.
        """
        self._print_welcome()
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
        table = self._table
        while not isinstance(self._runner.pending, SessionOver):
            self._execute_step()
        self._print_news()
        if len(table.scores) == table.round:
            self._print_totals()
        print_lines("The session is over.")
        print_lines(*describe_ranking(self._names, table.ranks or (), table.totals, table.raw_totals, table.sides))
        print_lines(*describe_payouts(self._session.header, table.ranks or (), self._names))
        print_lines(*filter(None, [explain_unrated(self._session)]))
        if console.is_on_terminal():
            self._offer_another()

    def _offer_another(self) -> None:
        """Offer to start another session after this one. Raises ``StartAnother`` if the player accepts."""
        same = self._session.can_deal_again
        repeat = "again: the same deal once more. " if same else ""
        print_lines(f"Press Enter to leave. {repeat}new: another deal. deal: the last deal.")
        typed = console.read_line().lower()
        while self._commands.execute_last_deal(typed):
            typed = console.read_line().lower()
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
        kept = f"Everything is kept. cardtable resume {self._session.header.id} --plain goes on from here."
        print_lines("Not everything is kept." if self._session.file.loss_message else kept)

    def _print_welcome(self) -> None:
        header, about = self._session.header, self._table.game.about
        names = ", ".join([self._names[seat] for seat in list_own_seat_first(header)])
        print_lines(f"{about.title}. Around the table, clockwise: {names}.")
        print_lines(
            *describe_partnerships(self._names, self._table.sides, list_own_seat_first(header)[0]),
            "Type help for what can be typed.",
        )
        aim = session_setup.get_aim_at_first_start(about)
        print_lines(*filter(None, [aim if self._table.round <= 1 else "", describe_stake(header)]))
        if self._pace:
            print_lines(
                "You watch. Press Enter for the next step, or type round to let them play to the end of the round."
            )
        if self._session.notice:
            print_lines(to_sentence(self._session.notice))

    def _execute_step(self) -> None:
        """Execute the next step according to the pending input of the session."""
        run = self._runner
        if self._pace and self._table.round:
            self._ask_spectator(self._pace)
        match run.pending:
            case AwaitingNextRound() if self._people:
                self._end_round()
            case AutoAdvance() | AwaitingNextRound():
                self._change(run.advance)
            case AwaitingRobot():
                action = worker.choose(run.create_robot_request())
                self._change(lambda: run.play(action))
            case AwaitingHandover() as wanted:
                self._hand_over(wanted)
            case AwaitingPlayer(seat=seat):
                self._ask_player(seat)

    def _ask_spectator(self, pace: SpectatorPace) -> None:
        """Execute commands of the spectator until the next step is due."""
        self._print_news()
        if self._table.turn == CHANCE and not self._table.playing:
            self._print_totals()
        while pace.is_due:
            typed = console.read_line().lower()
            if pace.execute(typed):
                return
            if not self._execute_command(typed, self._runner.views[max(self._table.turn, 0)]):
                print_lines(f"That is not possible here: {typed[:40]}. Type help.")

    def _ask_player(self, seat: Seat) -> None:
        """Ask a player for a decision, and execute commands until the position has changed.

        A turn with few choices is decided automatically if the settings require it.
        """
        run = self._runner
        self._print_news()
        view = run.views[seat]
        given = make_action_menu(self._table.game, view)
        self._print_prompt(view, whole=self._needs_full_position)
        self._needs_full_position = False
        if len(view.legal) < self._settings.min_choices:
            self._change(lambda: run.play(view.legal[0]))
        while run.views[seat] is view and not self._apply_due_timeout():
            typed = console.read_line()
            if self._apply_due_timeout():
                return
            if not typed:
                self._print_prompt(view, whole=True)
            elif not self._execute_command(typed, view):
                self._execute_action(typed, view, given)

    def _print_prompt(self, view: View, *, whole: bool) -> None:
        """Print the prompt for a decision: clocks, open hands, the turn, the hand and the legal actions.

        If ``whole``, the complete position is printed first.
        """
        game = self._table.game
        print_clocks(self._runner, view)
        if self._runner.hands_open:
            self._commands.print_hands(view)
        if whole:
            print_lines(*describe_position(game, view, self._names))
        print_lines(
            *describe_turn(game, view, self._names),
            describe_own_hand(game, view),
            *describe_legal_actions(game, view, self._names),
        )

    def _execute_action(self, typed: str, view: View, menu: ActionMenu) -> None:
        """Execute the action that ``typed`` identifies, or print why there is none."""
        try:
            action = choose_action(typed, self._table.game, view, menu)
        except AmbiguousInput as error:
            print_lines(str(error))
        else:
            self._change(lambda: self._runner.play(action))

    def _execute_command(self, typed: str, view: View) -> bool:
        """Execute a command; return False if the input is none."""
        undone = self._table.undone
        done = self._commands.execute(typed, view)
        self._needs_full_position = self._needs_full_position or self._table.undone != undone
        return done

    def _end_round(self) -> None:
        """Print the points of a round, and begin the next one.

        On a terminal it waits for Enter if the settings require it.
        """
        run = self._runner
        self._print_news()
        self._print_totals()
        stays = console.is_on_terminal() and self._settings.round_pause == "key"
        while isinstance(run.pending, AwaitingNextRound):
            if stays:
                print_lines("Press Enter for the next round.")
            typed = console.read_line() if stays else ""
            if typed in ("", "1"):
                self._change(run.advance)
            elif not self._execute_command(
                typed, run.views[self._people[0] if self._visible_seat is None else self._visible_seat]
            ):
                print_lines(f"That is not possible now: {typed[:40]}.")

    def _print_totals(self) -> None:
        totals = format_by_side(self._names, self._table.raw_totals, self._table.sides)
        print_lines(f"Round {len(self._table.scores)} is over. Totals: {totals}.")

    def _apply_due_timeout(self) -> bool:
        """Apply the timeout if a clock has run out; return True if one has."""
        left = self._runner.seconds_left
        if left is None or left > 0:
            return False
        self._change(self._runner.apply_timeout)
        return True

    def _hand_over(self, wanted: AwaitingHandover) -> None:
        """Show the curtain: clear the screen, and wait until the next hot-seat player confirms their presence.

        Raises ``QuitRequested`` if the player quits.
        """
        run, self._needs_full_position = self._runner, True
        console.clear_screen()
        self._messages.print_public(wanted.seat)
        while isinstance(run.pending, AwaitingHandover):
            print_lines(to_ascii(TURN_PROMPT.format(self._names[wanted.seat], "Enter")))
            console.discard_input()
            typed = console.read_line()
            if typed.lower() == "quit":
                raise QuitRequested
            if not typed and (not wanted.password or ask_password(wanted.password, submit=run.submit_password)):
                run.confirm_handover()

    def _change(self, change: Callable[[], Sequence[SessionEvent]]) -> None:
        self._saving.change(change)

    @property
    def _visible_seat(self) -> Seat | None:
        """Seat whose hand may be on the screen; ``None`` before the first curtain."""
        return self._runner.hot_seat.seat if self._people else 0

    def _print_news(self) -> None:
        """Print the unread messages of the player at the keyboard."""
        if self._visible_seat is not None:
            self._messages.print_unread(self._visible_seat)
