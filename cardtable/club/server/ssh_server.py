"""The door of a club for those who have nothing but ``ssh``: the program runs here, in a terminal of their size."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import asyncssh
from asyncssh import SSHKey, SSHServer, SSHServerChannel, SSHServerConnection, SSHServerSession

from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.server.accounts import KnownGuest, LoginError, new_word, shown_word
from cardtable.club.server.hosted_clients import CapacityError, HostedClients, PtyProcess
from cardtable.club.server.limits import PendingConnection, PendingConnections, most_pending
from cardtable.engine.errors import CardtableError
from cardtable.store import atomic_io, passwords, paths, profiles, seating
from cardtable.store.club_tokens import WORD_VARIABLE, is_word_noted

MOST_OFFERED: Final = 8
"""Unknown keys of one connection whose signatures are looked at."""
MOST_WRONG: Final = 3
"""Answers of one connection."""
MOST_EARLY: Final = 1000
"""Bytes that are typed before the program is there."""
MOST_ANSWER: Final = 200
"""Characters of a code or password."""
PATIENCE: Final = 60.0
"""Seconds in which somebody has to say who she is."""
ALIVE: Final = 20.0
_MOST_KEY_BYTES: Final = 16 * 1024
_TERM: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,40}")


def host_key() -> SSHKey:
    """The key by which this host is known; it is made when it is needed first.

    Raises ``CardtableError`` and ``OSError``.
    """
    file = paths.host_key_file()
    try:
        return asyncssh.import_private_key(atomic_io.read(file, _MOST_KEY_BYTES, links=True))
    except FileNotFoundError:
        key = asyncssh.generate_private_key("ssh-ed25519")
        paths.make(file.parent)
        atomic_io.write_new(atomic_io.real(file), key.export_private_key())
        return key
    except asyncssh.KeyImportError as error:
        raise CardtableError(f"{file} is not a key: {error}") from None


class SshEndpoint:
    """Lets guests into one club, each with a program of her own that goes in by another door."""

    def __init__(self, programs: HostedClients) -> None:
        self.programs: Final = programs
        self.closed = ""
        """Why it is over."""
        self.connections: Final = PendingConnections()
        self._terminals: dict[_Terminal, asyncio.Task[None]] = {}

    async def listen(self, host: str, port: int, key: SSHKey) -> asyncssh.SSHAcceptor:
        """Open it.  Raises ``OSError``."""
        return await asyncssh.create_server(
            lambda: _Guest(self),
            host,
            port,
            backlog=most_pending(),
            server_host_keys=[key],
            encoding=None,
            line_editor=False,
            login_timeout=PATIENCE,
            keepalive_interval=ALIVE,
            gss_host=None,
            x11_forwarding=False,
            agent_forwarding=False,
            allow_scp=False,
            sftp_factory=None,
            server_version="cardtable",
        )

    def attend(self, terminal: "_Terminal") -> None:
        """Have a guest's program run until it ends, or she goes."""
        task = self._terminals[terminal] = asyncio.create_task(terminal.run())
        task.add_done_callback(lambda _done: self._terminals.pop(terminal))

    async def close(self, why: str) -> None:
        """End all guests' programs, and tell them why."""
        self.closed = why
        for terminal in self._terminals:
            terminal.leave()
        if self._terminals:
            await asyncio.wait([*self._terminals.values()])


class _Guest(SSHServer):
    """One connection: who it is."""

    _connection: SSHServerConnection
    _pending: PendingConnection

    def __init__(self, door: SshEndpoint) -> None:
        self._door, self._members = door, door.programs.members
        self._offers = 0
        """Unknown keys that were offered."""
        self._verified = ""
        """The fingerprint of the first unknown key that has signed: by that she can be known."""
        self._person = ""
        """The nick of who was let in."""
        self._word = ""
        """With which she comes back who has no key."""
        self._wrong = 0
        """Answers that were not right."""
        self._attended = False
        """Whether she has her terminal."""

    def connection_made(self, conn: SSHServerConnection) -> None:
        self._connection = conn
        self._pending = self._door.connections.add(self._whence.address, conn.abort)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the library's
        self._pending.close()

    def auth_completed(self) -> None:
        self._pending.count()  # as the newest, until it has its terminal
        asyncio.get_running_loop().call_later(PATIENCE, self._expect_a_terminal)

    def _expect_a_terminal(self) -> None:
        if not self._attended:
            self._connection.abort()

    def begin_auth(self, username: str) -> bool:  # noqa: ARG002 - the library's
        self._offers, self._verified, self._person = 0, "", ""
        return True

    @property
    def _whence(self) -> ConnectionOrigin:
        return ConnectionOrigin(self._connection.get_extra_info("peername")[0], secret=True, how="by ssh")

    # By a key that she had the first time

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: SSHKey) -> bool:
        """Take a key that is known; of another one note whether it can sign, and go on to the questions."""
        person, fingerprint = self._members.known(_nick(username)), key.get_fingerprint()
        if person and fingerprint in person.keys:
            self._person = person.nick
            return True
        self._offers += 1
        if self._verified or self._offers > 2 * MOST_OFFERED:  # an offer, and then a signature
            return False
        self._verify_only(key, fingerprint)
        return True

    def _verify_only(self, key: SSHKey, fingerprint: str) -> None:
        """Have `key` refuse every signature, and note it if the signature is right.

        asyncssh has no hook between the check of a signature and the admission; it calls `verify` of this very object.
        """
        verify = key.verify

        def note(data: bytes, signature: bytes) -> bool:
            if verify(data, signature):
                self._verified = fingerprint
            return False

        object.__setattr__(key, "verify", note)

    # By the code, a password, or what she was told to come back with

    def kbdint_auth_supported(self) -> bool:
        return True

    def get_kbdint_challenge(
        self,
        username: str,
        lang: str,  # noqa: ARG002 - the library's
        submethods: str,  # noqa: ARG002 - the library's
    ) -> tuple[str, str, str, Sequence[tuple[str, bool]]]:
        return "", "", "", [(asked, False) for asked in self._asks(_nick(username))]

    def _asks(self, nick: str) -> list[str]:
        if self._is_guest_again(nick):
            return [f"{nick} has been here before. The word that you were told: "]
        code = ["Code of the club: "] if self._members.code else []
        return [*code, f"Password of {nick}: "] if _password_of(nick) else code

    def _is_guest_again(self, nick: str) -> bool:
        person = self._members.known(nick)
        return person is not None and not person.member

    async def validate_kbdint_response(self, username: str, responses: Sequence[str]) -> bool:
        nick = _nick(username)
        asked = self._asks(nick)
        if len(responses) != len(asked) or any(len(answer) > MOST_ANSWER for answer in responses):
            self._refuse("that is too long, or not what was asked", last=True)
            return False
        answers = iter(responses)
        try:
            if self._is_guest_again(nick):
                person = self._members.enter_by_word(nick, next(answers))
            else:
                code = next(answers) if self._members.code else ""
                with self._pending.exempt():
                    person, self._word = await self._members.log_in(
                        nick, self._whence, code=code, password=next(answers, ""), new_token=self._new_word
                    )
        except LoginError as error:
            self._refuse(str(error), last=not asked)
            return False
        self._person = person.nick
        if self._verified:
            await self._members.remember(person.nick, (self._verified,))
        return True

    def _new_word(self, person: KnownGuest) -> str:
        """Return the word for who has nothing else to come back with, else ""."""
        return "" if person.member or self._verified else new_word()

    def _refuse(self, why: str, *, last: bool) -> None:
        """Tell her why she is not let in; after the last try she has to connect anew."""
        self._wrong += 1
        if last or self._wrong >= MOST_WRONG:
            self._connection.disconnect(asyncssh.DISC_NO_MORE_AUTH_METHODS_AVAILABLE, why)
        else:
            self._connection.send_auth_banner(f"{why}\r\n")

    # What she gets: one terminal with the program, and nothing else

    def session_requested(self) -> "_Terminal | bool":
        if self._attended:
            return False
        self._attended = True
        return _Terminal(self._door, self._person, self._whence, self._word, self._pending, self._connection.close)


class _Terminal(SSHServerSession[bytes]):
    """The terminal of a guest who was let in."""

    _channel: SSHServerChannel[bytes]

    def __init__(
        self,
        door: SshEndpoint,
        nick: str,
        whence: ConnectionOrigin,
        word: str,
        pending: PendingConnection,
        disconnect: Callable[[], None],
    ) -> None:
        self._door, self._nick, self._whence, self._word, self._disconnect = door, nick, whence, word, disconnect
        self._pending = pending
        self._term, self._size = "", (80, 24)
        self._gone = asyncio.Event()
        self._program: PtyProcess | None = None
        self._early = b""
        """What was typed before the program was there."""

    def connection_made(self, chan: SSHServerChannel[bytes]) -> None:
        self._channel = chan

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the library's
        self.leave()
        self._disconnect()

    def leave(self) -> None:
        """End the program, as soon as it has begun."""
        self._gone.set()

    def pty_requested(
        self,
        term_type: str,
        term_size: tuple[int, int, int, int],
        term_modes: Mapping[int, int],  # noqa: ARG002 - the library's
    ) -> bool:
        self._term = term_type if _TERM.fullmatch(term_type) else "xterm-256color"
        self._size = term_size[:2]
        return True

    def shell_requested(self) -> bool:
        return True

    def session_started(self) -> None:
        self._door.attend(self)

    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:  # noqa: ARG002 - the library's
        self._size = width, height
        if self._program:
            self._program.resize(self._size)

    def data_received(self, data: bytes, datatype: int | None) -> None:  # noqa: ARG002 - the library's
        if self._program:
            self._program.type(data)
        elif len(self._early) < MOST_EARLY:
            self._early += data

    def pause_writing(self) -> None:
        if self._program:
            self._program.hold(True)

    def resume_writing(self) -> None:
        if self._program:
            self._program.hold(False)

    async def run(self) -> None:
        """Have the program run until it ends or she goes."""
        if not self._term:
            self._end("The club needs a terminal: ssh -t asks for one.", 1)
            return
        try:
            with self._door.programs.place(self._nick, self._whence) as environment, self._pending.exempt():
                if self._word:
                    self._tell_word()
                    environment[WORD_VARIABLE] = shown_word(self._word)
                await self._in(environment)
        except CapacityError as full:
            self._end(str(full), 1)
        except OSError as error:
            self._end(f"The program cannot be started: {error.strerror or error}", 1)

    def _tell_word(self) -> None:
        self._tell(f"To come back as {self._nick}, type this instead of the code: {shown_word(self._word)}")

    async def _remind(self, home: Path) -> None:
        """Tell the word once more if it is not noted; of a lost connection the nick is free again, if it can be."""
        if self._word and not is_word_noted(home):
            self._tell_word()
            if self._gone.is_set() and not self._door.closed:
                await self._door.programs.members.release(self._nick)

    def _tell(self, line: str) -> None:
        self._write(f"{line}\r\n".encode())

    def _write(self, painted: bytes) -> None:
        with suppress(OSError):  # she has gone
            self._channel.write(painted)

    def _end(self, line: str, code: int) -> None:
        self._tell(line)
        with suppress(OSError):
            self._channel.exit(code)

    async def _in(self, environment: Mapping[str, str]) -> None:
        words, environment = self._door.programs.words, {**environment, "TERM": self._term}
        program = await PtyProcess.start(words, environment, self._size, self._write, self._full)
        self._program = program
        program.resize(self._size)  # it may have changed meanwhile
        program.type(self._early)
        tasks = [asyncio.create_task(program.ended()), asyncio.create_task(self._gone.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            self._program = None
            await program.end()
            await self._remind(Path(environment["CARDTABLE_HOME"]))
            if self._door.closed:
                self._tell(self._door.closed)
            with suppress(OSError):
                self._channel.exit(0)

    def _full(self, on: bool) -> None:
        if on:
            self._channel.pause_reading()
        else:
            self._channel.resume_reading()


def _nick(username: str) -> str:
    """The nick of who calls herself so."""
    return seating.as_nick(username[:64])


def _password_of(nick: str) -> passwords.KeptPassword | None:
    profile = profiles.find(nick)
    return profile.password if profile else None
