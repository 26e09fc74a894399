"""Club client in a thread of its own, so that messages arrive while the main thread waits for input."""

import asyncio
import io
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Condition, Event, Semaphore, Thread
from typing import Final

from cardtable.club.client.client import ClubClient, ClubObserver
from cardtable.club.client.connection import Login, Offline
from cardtable.club.client.remote_session import RESPONSE_TIMEOUT, RemoteSession
from cardtable.club.protocol import ClientMessage, DeviceWord, InviteToTable, Report, SayTo
from cardtable.club.table_text import format_talk
from cardtable.engine.text_format import fold, sanitize
from cardtable.plain.console import CommandRows, QuitRequested, one_word, print_lines, strip_control_sequences
from cardtable.plain.speech_text import to_sentence
from cardtable.session.session_events import MAX_TALK_LENGTH
from cardtable.store import profiles, seating
from cardtable.wording.formatting import YOU

_MAX_READ_BYTES: Final = 4096
"""Maximum number of bytes read from one line; the rest of the line is discarded."""
_MAX_INTERRUPT_DELAY: Final = 0.5
"""Maximum delay, in seconds, before Ctrl+C takes effect on systems where it does not interrupt a wait."""


class InputMux:
    """Multiplexer of input lines, which a thread of its own reads, and notices from the club.

    A terminal is read continuously. From a pipe a line is read only on request, since it answers the prompt that is on
    the screen.
    """

    def __init__(self) -> None:
        self._condition = Condition()
        self._lines: deque[str | None] = deque()
        self._has_notice = self._is_reading = False
        self._requests = Semaphore(0)
        self._is_terminal = bool(sys.stdin and sys.stdin.isatty())
        Thread(target=self._read_lines, daemon=True).start()

    def notify(self) -> None:
        """Report from any thread that the club has news.

        A notice carries no data, and several notices are merged into one.
        """
        with self._condition:
            self._has_notice = True
            self._condition.notify_all()

    def wait_for_input(self, *, needs_line: bool) -> str | None:
        """Wait for an input line and return it, or return ``None`` after a notice.

        ``needs_line`` is True if a prompt requires an answer, so that a line is read from a pipe, too. A notice
        precedes a line that has arrived as well. Raises ``QuitRequested`` at the end of input.
        """
        if needs_line or self._is_terminal:
            self._request_line()
        self.wait_until(lambda: self._has_notice or bool(self._lines))
        if self._has_notice:
            self._has_notice = False
            return None
        return self._take_line()

    def read_line(self) -> str:
        """Wait for an input line and return it, without regard to notices.

        Raises ``QuitRequested`` at the end of input.
        """
        self._request_line()
        self.wait_until(lambda: bool(self._lines))
        return self._take_line()

    def wait_until(self, condition: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait until ``condition()`` is true; it is tested after each notice or line.

        Return False if it is still false after ``seconds``; ``None`` means to wait without limit.
        """
        with self._condition:
            if seconds is not None:
                return self._condition.wait_for(condition, seconds)
            while not self._condition.wait_for(condition, _MAX_INTERRUPT_DELAY):
                pass
        return True

    def _request_line(self) -> None:
        if not self._is_reading:
            self._is_reading = True
            self._requests.release()

    def _take_line(self) -> str:
        line, self._is_reading = self._lines.popleft(), False
        if line is None:
            raise QuitRequested
        return line

    def _read_lines(self) -> None:
        """Read a line for each request; runs in a thread of its own.

        Reading is unbuffered, since the lock of a buffer would block the program's exit.
        """
        with io.FileIO(sys.stdin.fileno(), closefd=False) if sys.stdin else io.BytesIO() as typed:
            while True:
                self._requests.acquire()
                try:
                    line = rest = typed.readline(_MAX_READ_BYTES)
                    while rest and not rest.endswith(b"\n"):
                        rest = typed.readline(_MAX_READ_BYTES)
                except OSError:  # the terminal is gone
                    line = b""
                with self._condition:
                    self._lines.append(strip_control_sequences(line.decode(errors="replace")).strip() if line else None)
                    self._condition.notify_all()


class ClubOver(Exception):
    """Raised if the client has left the club or was refused for good; the message is the reason."""


class ClientThread(ClubObserver):
    """Client of one club, whose event loop runs in another thread."""

    client: ClubClient
    """State of the club, available after ``connect``.

    The other thread changes it at any time, but it replaces the people and the tables instead of modifying them.
    """

    def __init__(self, url: str, input_mux: InputMux) -> None:
        self._url, self.input = url, input_mux
        self._loop: asyncio.AbstractEventLoop
        self._task: asyncio.Task[None] | None = None
        self._thread: Thread | None = None
        self.new_sessions: Final[deque[RemoteSession]] = deque()
        """Sessions that the player has joined and whose dialog has not begun yet."""
        self.granted_login: tuple[str, str] | None = None
        """Nick and token of a player who has just registered or signed in, and who has to log in again with them.

        It is ``None`` if there is no such player.
        """
        self.device_words: Final[deque[DeviceWord]] = deque()
        """Words for other devices that the club has sent and that have not been printed yet."""
        self._was_connected = False
        self._error: Exception | None = None
        """Unexpected error that has ended the thread; ``None`` if there is none."""

    # Connecting and disconnecting

    def connect(self, login: Login) -> None:
        """Connect with a login, and wait until the client is admitted, is refused for good or cannot reach the club.

        An earlier connection is closed first. While the host refuses the login only temporarily, its reasons are
        printed and the client keeps trying.
        """
        known_talk = self.client.known_talk if self._thread else ()
        self.disconnect()
        has_begun = Event()

        async def run_client() -> None:
            self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
            self.client = client = ClubClient(self._url, login, self, profiles.get_current_nick(), known_talk)
            has_begun.set()
            try:
                await client.run()
            except asyncio.CancelledError:
                pass
            except Exception as error:
                self._error = error
                self.input.notify()

        self._thread = Thread(target=lambda: asyncio.run(run_client()), daemon=True)
        self._thread.start()
        has_begun.wait()
        self._wait_for_answer("")
        while isinstance(state := self.client.connection.state, Offline) and state.retry_seconds:
            print_lines(f"{to_sentence(state.error)} The program keeps trying.")
            self._wait_for_answer(state.error)
        self._was_connected = self.client.connection.is_connected

    def _wait_for_answer(self, known_error: str) -> None:
        """Wait until the client is admitted or refused for good, or has an error other than ``known_error``.

        Raises the error that has ended the thread, if there is one.
        """
        connection = self.client.connection
        self.input.wait_until(
            lambda: bool(
                not isinstance(connection.state, Offline)
                or connection.connection_error not in ("", known_error)
                or self._error
            )
        )
        if self._error:
            raise self._error

    def disconnect(self) -> None:
        """Disconnect from the club; the player still owns their seats.

        Nothing happens if there is no connection.
        """
        if self._thread is not None and self._task is not None:
            with suppress(RuntimeError):  # the loop may have ended
                self._loop.call_soon_threadsafe(self._task.cancel)
            self._thread.join(RESPONSE_TIMEOUT)
        self._thread = None

    def handle_change(self) -> None:
        self.input.notify()

    def handle_table_ready(self, session: RemoteSession) -> None:
        self.new_sessions.append(session)
        self.input.notify()

    def handle_account(self, nick: str, token: str) -> None:
        self.granted_login = nick, token
        self.input.notify()

    def handle_device_word(self, word: DeviceWord) -> None:
        self.device_words.append(word)
        self.input.notify()

    # Messages of the club

    def wait_for_input(self, *, needs_line: bool) -> str | None:
        """Wait for an input line and return it, or return ``None`` after a notice.

        ``needs_line`` is explained at ``InputMux.wait_for_input``. Raises ``QuitRequested`` at the end of input,
        ``ClubOver`` if the connection has ended for good, and the error that has ended the thread, if there is one.
        """
        typed = self.input.wait_for_input(needs_line=needs_line)
        if self._error:
            raise self._error
        if self.client.connection.end_reason:
            raise ClubOver(self.client.connection.end_reason)
        return typed

    def iter_news(self, *, at_table: bool = False) -> Iterator[str]:
        """Yield new chat, changes of the connection and refusals as sentences, each of them once.

        If ``at_table`` is true, messages of the club itself and to one person are left out, since the log entries of
        the session contain them.
        """
        client = self.client
        if client.connection.is_connected != self._was_connected:
            self._was_connected = client.connection.is_connected
            yield "You are back at the club." if self._was_connected else to_sentence(client.loss_reason)
        while client.talk:
            talk = client.talk.popleft()
            if client.is_talk_hidden(talk):
                continue
            sender = YOU if talk.who == client.nick else talk.who
            if at_table and (talk.to or not sender):
                continue
            said = format_talk(client, talk, sender) if sender else to_sentence(talk.text)
            yield f"In the lobby, {said}" if at_table else said
        if client.refusal and not client.connection.end_reason:
            refusal, client.refusal = client.refusal, ""
            yield to_sentence(refusal)

    def leave_undrawable_table(self, session: RemoteSession, error: Exception) -> None:
        """Leave a table whose position cannot be described because of ``error``; the reason arrives as news.

        Raises the error that has ended the thread, if there is one.
        """
        if self._error:
            raise self._error

        async def leave() -> None:
            self.client.leave_undrawable_table(session, error)

        asyncio.run_coroutine_threadsafe(leave(), self._loop).result()

    # Requests

    def send(self, message: ClientMessage) -> None:
        """Send a request; a refusal arrives later as news."""
        asyncio.run_coroutine_threadsafe(self.client.send_request(message), self._loop).result()

    def send_and_wait(self, message: ClientMessage, has_effect: Callable[[], bool]) -> bool:
        """Send a request, and return True once ``has_effect()`` is true.

        Return False if the club refuses, the connection is lost, or ``RESPONSE_TIMEOUT`` seconds pass first.
        """
        self.send(message)
        self.input.wait_until(
            lambda: bool(self.client.refusal) or not self.client.connection.is_connected or has_effect(),
            RESPONSE_TIMEOUT,
        )
        return has_effect()


def has_invited(client: ClubClient, message: InviteToTable) -> bool:
    """Return True if the people that a table is open to are those that the message asks for."""
    row = client.tables.get(message.table)
    return row is not None and message.withdrawn != (fold(message.nick) in map(fold, row.invited))


def list_hiding_rows(thread: ClientThread) -> CommandRows:
    """Return the commands that concern the talk of single people, for the lobby and for tables."""

    def hide(nick: str) -> None:
        if nick:
            thread.client.set_hidden(nick, is_hidden=True)
        hidden = [sanitize(hidden_nick, 20) for hidden_nick in thread.client.hidden_people.nicks]
        print_lines(f"Hidden: {', '.join(hidden)}." if hidden else "You have hidden nobody.")

    def show(nick: str) -> None:
        thread.client.set_hidden(nick, is_hidden=False)
        print_lines(f"What {sanitize(seating.normalize_nick(nick), 20)} says is shown.")

    def say_to(rest: str) -> None:
        nick, _, text = rest.partition(" ")
        if not text.strip():
            raise ValueError("add the nick of a person and what you say, such as tell Anna Good evening")
        thread.send(SayTo(seating.normalize_nick(nick)[:64], text[:MAX_TALK_LENGTH]))

    def report(nick: str) -> None:
        if not nick:
            raise ValueError("add the nick of a person: report NICK")
        thread.send(Report(seating.normalize_nick(nick)[:64]))

    return {
        "tell NICK TEXT: say something to one person alone. report NICK: let the host read what NICK has told you.": {
            "tell": say_to,
            "report": report,
        },
        "hide NICK: do not show what NICK says, here and at all tables. show NICK: show it again. hide: whom you "
        "have hidden.": {"hide": hide, "show": one_word(show)},
    }
