"""Endpoint of a club for ssh; each guest's client program runs at the host, in a terminal of the guest's size."""

import asyncio
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple

import asyncssh
from asyncssh import SSHKey, SSHServer, SSHServerChannel, SSHServerConnection, SSHServerSession

from cardtable.club.addresses import ConnectionOrigin, LoginIdentity
from cardtable.club.protocol import hash_token
from cardtable.club.server import host_events
from cardtable.club.server.admission import format_word, normalize_word
from cardtable.club.server.authenticator import NEW_CODE
from cardtable.club.server.connections import PendingConnection, PendingConnections, compute_max_pending
from cardtable.club.server.hosted_clients import CapacityError, HostedClient, HostedClients, PtyProcess
from cardtable.club.server.limits import LoginError
from cardtable.club.terminal_size import TerminalSize
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import capitalize_first
from cardtable.store import atomic_io, paths
from cardtable.store.club_tokens import RETURN_WORD_VARIABLE, is_word_noted
from cardtable.workers.tasks import run_beside, start_task

_FAILED: Final = 1
"""Exit code of a client process that has failed and has said why; after Ctrl+C it is another one."""
MAX_OFFERED_KEYS: Final = 8
"""Maximum number of unknown keys per connection whose signatures are checked."""
MAX_WRONG_ANSWERS: Final = 3
"""Maximum number of wrong answers per connection."""
MAX_EARLY_BYTES: Final = 1000
"""Number of buffered bytes from which further input is discarded until the client process has started."""
MAX_ANSWER_LENGTH: Final = 200
"""Maximum length of a code, password or typed token, in characters."""
LOGIN_TIMEOUT: Final = 60.0
"""Time in seconds allowed for the login, and then again for the request of a terminal."""
_MAX_UNANSWERED: Final = 3
"""Number of requests for a sign of life that go unanswered before."""
_MAX_KEY_BYTES: Final = 16 * 1024
_CODE_PROMPT: Final = "Code of the club: "
_PASSWORD_PROMPT: Final = "Your password or word: "  # noqa: S105 - a question
_TERM_PATTERN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,40}")


def load_host_key() -> SSHKey:
    """Load the ssh key of this host; generate and store it if there is none.

    Raises ``CardtableError`` if the file does not contain a private key, and ``OSError`` if it cannot be read or
    written.
    """
    file = paths.host_key_file()
    try:
        return asyncssh.import_private_key(atomic_io.read(file, _MAX_KEY_BYTES, follow_links=True))
    except FileNotFoundError:
        key = asyncssh.generate_private_key("ssh-ed25519")
        paths.create_folder(file.parent)
        with atomic_io.create(atomic_io.resolve_links(file)) as output:
            output.write(key.export_private_key())
        return key
    except (ValueError, re.error) as error:  # besides KeyImportError those of the libraries
        raise CardtableError(f"{file} is not a key: {error}") from None


def _ensure_home_variable() -> None:
    """Set ``HOME`` if the user of this process has no home folder, because asyncssh looks for it.

    A service may run as such a user.
    """
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = str(paths.home())


class SshEndpoint:
    """Endpoint of one club for ssh.

    Each guest gets a client process, which connects to the WebSocket endpoint.
    """

    def __init__(self, hosted_clients: HostedClients) -> None:
        self.hosted_clients: Final = hosted_clients
        self.close_reason: str | None = None
        """Reason why the endpoint has been closed; ``None`` while it is open."""
        self.pending_connections: Final = PendingConnections(
            on_drop=partial(self.hosted_clients.emit, host_events.ConnectionDropped("ssh"))
        )
        self._terminals: dict[_Terminal, asyncio.Task[None]] = {}
        self._forgetting: set[asyncio.Task[None]] = set()

    async def listen(self, host: str, port: int, key: SSHKey, timeout: float) -> asyncssh.SSHAcceptor:
        """Start to listen at an address, with ``key`` as the host's key.

        A connection ends after ``timeout`` seconds without a sign of life of its client. Raises ``OSError`` if the
        address or port cannot be bound.
        """
        _ensure_home_variable()
        return await asyncssh.create_server(
            lambda: _GuestConnection(self),
            host,
            port,
            backlog=compute_max_pending(),
            server_host_keys=[key],
            encoding=None,
            line_editor=False,
            login_timeout=LOGIN_TIMEOUT,
            keepalive_interval=timeout / (_MAX_UNANSWERED + 2),  # leaves time for the program to end
            keepalive_count_max=_MAX_UNANSWERED,
            gss_host=None,
            x11_forwarding=False,
            agent_forwarding=False,
            allow_scp=False,
            sftp_factory=None,
            server_version="cardtable",
        )

    def start_terminal(self, terminal: "_Terminal") -> None:
        """Start a task that runs the client process of a terminal."""
        task = self._terminals[terminal] = start_task(terminal.run())
        task.add_done_callback(lambda _done: self._terminals.pop(terminal))

    def forget_guest(self, admission: "_Admission") -> None:
        """Start a task that frees the nick of a guest who has got no program, and so no word to come back."""
        if admission.new_word:
            task = start_task(self.hosted_clients.authenticator.forget_unconfirmed_guest(admission.nick))
            self._forgetting.add(task)
            task.add_done_callback(self._forgetting.discard)

    async def close(self, reason: str) -> None:
        """End all client processes, print the reason in their terminals, and wait until they have ended.

        The listening socket is closed by the caller.
        """
        self.close_reason = reason
        for terminal in self._terminals:
            terminal.request_end()
        if tasks := [*self._terminals.values(), *self._forgetting]:
            await asyncio.wait(tasks)


class _Admission(NamedTuple):
    """Guest who has been let in."""

    nick: str
    method: host_events.LoginMethod
    credential: str
    """Fingerprint of the key, or hash of the word, by which the device is known from now on; empty for others."""
    new_word: str = ""
    """Word by which a newcomer without a key comes back; empty for others."""


class _GuestConnection(SSHServer):
    """Authentication of one connection, and its single session."""

    _connection: SSHServerConnection
    _pending: PendingConnection

    def __init__(self, endpoint: SshEndpoint) -> None:
        self._endpoint = endpoint
        self._accounts, self._authenticator = endpoint.hosted_clients.accounts, endpoint.hosted_clients.authenticator
        self._offered_key_count = 0
        """Number of offers and signatures of keys; the client offers each key before it signs."""
        self._verified_fingerprint = ""
        """Fingerprint of the first unknown key that gave a valid signature; empty if there is none.

        It is stored with the account after the login.
        """
        self._admission: _Admission | None = None
        """Guest who has been let in; ``None`` before the login."""
        self._code: str | None = None
        """Answer to the first question, for the code; ``None`` before it."""
        self._wrong_answer_count = 0
        self._terminal: _Terminal | None = None
        """Terminal that the connection has requested; it gets no second one."""

    def connection_made(self, conn: SSHServerConnection) -> None:
        self._connection, self._connected_at = conn, monotonic()
        self._pending = self._endpoint.pending_connections.add(self._origin.address, conn.abort)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the library's
        self._pending.close()
        if not self._admission and monotonic() - self._connected_at >= LOGIN_TIMEOUT:
            self._endpoint.hosted_clients.emit(host_events.ConnectionDropped("ssh"))
        if self._admission and not (self._terminal and self._terminal.has_started):
            self._endpoint.forget_guest(self._admission)

    def auth_completed(self) -> None:
        assert self._admission is not None
        self._endpoint.hosted_clients.emit(host_events.LoggedIn("ssh", self._admission.method))
        self._pending.count()  # pending again, as the newest, until the terminal is requested
        asyncio.get_running_loop().call_later(LOGIN_TIMEOUT, self._require_terminal)

    def _require_terminal(self) -> None:
        if not self._terminal:
            self._connection.abort()

    def begin_auth(self, username: str) -> bool:  # noqa: ARG002 - the library's
        self._offered_key_count, self._verified_fingerprint, self._admission = 0, "", None
        self._check_ban(LoginIdentity(self._origin))
        return True

    def _check_ban(self, identity: LoginIdentity) -> bool:
        """Return True if nothing is banned; otherwise disconnect the client with the reason and return False."""
        try:
            self._accounts.bans.check(identity)
        except LoginError as error:
            self._refuse(str(error), is_final=True)
            return False
        return True

    @property
    def _origin(self) -> ConnectionOrigin:
        return ConnectionOrigin(self._connection.get_extra_info("peername")[0], is_private=True, transport="ssh")

    # Login by key

    def public_key_auth_supported(self) -> bool:
        return True

    def _resolve_username(self, username: str) -> str:
        return self._accounts.resolve_nick(username[:64])

    def validate_public_key(self, username: str, key: SSHKey) -> bool:
        """Return True if a key may be used to sign, which tells nothing about the key.

        The signature of a key of the account logs the guest in. That of an unknown or suspended key is only recorded,
        the first one, or a suspended key instead; the login continues with questions. asyncssh has no hook between the
        check of a signature and the login, but it calls the ``verify`` method of this very object.
        """
        self._offered_key_count += 1
        if self._offered_key_count > 2 * MAX_OFFERED_KEYS:  # each key is offered, and then signs
            return False
        nick, verify, fingerprint = self._resolve_username(username), key.verify, key.get_fingerprint()
        person = self._accounts.find_returning_account(nick)
        is_suspended = self._authenticator.is_suspended(LoginIdentity(self._origin, nick, credential=fingerprint))

        def verify_and_record(data: bytes, signature: bytes) -> bool:
            if not (verify(data, signature) and self._check_ban(LoginIdentity(self._origin, credential=fingerprint))):
                return False
            if person and fingerprint in person.keys and not is_suspended:
                self._admission = _Admission(person.nick, "key", fingerprint)
                return self._check_ban(LoginIdentity(self._origin, person.nick, person.player))
            if is_suspended or not self._verified_fingerprint:
                self._verified_fingerprint = fingerprint
            return False

        object.__setattr__(key, "verify", verify_and_record)
        return True

    # Login by code, password or typed token

    def kbdint_auth_supported(self) -> bool:
        return True

    def get_kbdint_challenge(
        self,
        username: str,
        lang: str,  # noqa: ARG002 - the library's
        submethods: str,  # noqa: ARG002 - the library's
    ) -> tuple[str, str, str, Sequence[tuple[str, bool]]]:
        self._code = None
        identity = LoginIdentity(self._origin, self._resolve_username(username), credential=self._verified_fingerprint)
        instruction = f"{capitalize_first(NEW_CODE)}." if self._authenticator.is_suspended(identity) else ""
        return "", instruction, "", [(_CODE_PROMPT, False)] if self._accounts.code else []

    async def validate_kbdint_response(
        self, username: str, responses: Sequence[str]
    ) -> bool | tuple[str, str, str, Sequence[tuple[str, bool]]]:
        """Log a guest in by the code, or else ask for a password or word, whoever has the nick."""
        nick, answer = self._resolve_username(username), "".join(responses)
        if len(responses) > 1 or len(answer) > MAX_ANSWER_LENGTH:
            self._refuse("that is too long, or no answer to the question", is_final=True)
            return False
        is_first, code = self._code is None, self._code or ""
        if is_first:
            self._code = code = answer
        password = "" if is_first else answer
        identity = LoginIdentity(self._origin, nick, credential=self._verified_fingerprint)
        has_suspended_key = self._authenticator.is_suspended(identity)
        try:
            with self._pending.suspend_counting():
                person, token = await self._authenticator.log_in(identity, code=code, password=password)
        except LoginError as error:
            self._endpoint.hosted_clients.emit(host_events.create_login_refusal("ssh", error))
            if is_first and error.missing == "password":
                return "", f"{capitalize_first(str(error))}.", "", [(_PASSWORD_PROMPT, False)]
            self._refuse(str(error))
            return False
        is_known = bool(token) and any(token in (word.strip(), normalize_word(word)) for word in (code, password))
        typed: host_events.LoginMethod = "password" if person.is_member and password else "code"
        self._admission = _Admission(
            person.nick,
            "token" if is_known else "key" if has_suspended_key else typed,
            self._verified_fingerprint or (hash_token(token).hex() if token else ""),
            "" if is_known else token,
        )
        return True

    def _refuse(self, reason: str, *, is_final: bool = False) -> None:
        """Send the reason of a refusal; disconnect if it is final or the client has given too many wrong answers."""
        self._wrong_answer_count += 1
        if is_final or self._wrong_answer_count >= MAX_WRONG_ANSWERS:
            self._connection.disconnect(asyncssh.DISC_NO_MORE_AUTH_METHODS_AVAILABLE, reason)
        else:
            self._connection.send_auth_banner(f"{reason}\r\n")

    # Session: one terminal with the client process, and nothing else

    def session_requested(self) -> "_Terminal | bool":
        if self._terminal or not self._admission:
            return False
        self._terminal = _Terminal(self._endpoint, self._admission, self._origin, self._pending, self._connection.close)
        return self._terminal


class _Terminal(SSHServerSession[bytes]):
    """Terminal session of a guest who has logged in."""

    _channel: SSHServerChannel[bytes]

    def __init__(
        self,
        endpoint: SshEndpoint,
        admission: _Admission,
        origin: ConnectionOrigin,
        pending: PendingConnection,
        disconnect: Callable[[], None],
    ) -> None:
        self._endpoint, self._admission, self._origin = endpoint, admission, origin
        self._pending, self._disconnect = pending, disconnect
        self._term, self._size = "", TerminalSize(0, 0)
        self._disconnected = asyncio.Event()
        self._replacement_reason: str | None = None
        """Reason why the client process ends in favour of a newer one of the same guest; ``None`` if it does not."""
        self.has_started = False
        """True once the client has asked for a program, not for a command or a subsystem, which it does not get."""
        self._program: PtyProcess | None = None
        self._early_input = b""
        """Input received before the client process has started."""

    def connection_made(self, chan: SSHServerChannel[bytes]) -> None:
        self._channel = chan

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the library's
        self.request_end()
        self._disconnect()

    def request_end(self) -> None:
        """Request the end of the client process; one that has not started yet ends at once or is not started."""
        self._disconnected.set()

    async def _replace(self, reason: str) -> None:
        """Request the end of the client process, and have the reason printed afterwards."""
        self._replacement_reason = reason
        self.request_end()

    def pty_requested(
        self,
        term_type: str,
        term_size: tuple[int, int, int, int],
        term_modes: Mapping[int, int],  # noqa: ARG002 - the library's
    ) -> bool:
        self._term = term_type if _TERM_PATTERN.fullmatch(term_type) else "xterm-256color"
        self._size = TerminalSize(*term_size[:2])
        return True

    def shell_requested(self) -> bool:
        return True

    def session_started(self) -> None:
        self.has_started = True
        self._endpoint.start_terminal(self)

    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:  # noqa: ARG002 - the library's
        self._size = TerminalSize(width, height)
        if self._program:
            self._program.resize(self._size)

    def data_received(self, data: bytes, datatype: int | None) -> None:  # noqa: ARG002 - the library's
        if self._program:
            self._program.write_input(data)
        elif len(self._early_input) < MAX_EARLY_BYTES:
            self._early_input += data

    def eof_received(self) -> bool:
        return not self._term  # a client without input still reads why it gets no program

    def pause_writing(self) -> None:
        if self._program:
            self._program.pause_output(True)

    def resume_writing(self) -> None:
        if self._program:
            self._program.pause_output(False)

    async def run(self) -> None:
        """Run the client process until it ends or its end is requested.

        If the guest has requested no terminal, or the process cannot be started, the guest is told why, and the nick of
        a newcomer is free again.
        """
        if not self._term:
            self._print_and_exit("The club needs a terminal: ssh -t asks for one.")
            self._endpoint.forget_guest(self._admission)
            return
        try:
            async with self._endpoint.hosted_clients.reserve_slot(
                self._admission.nick, self._origin, self._admission.credential, self._replace
            ) as client:
                with self._pending.suspend_counting():
                    if self._admission.new_word:
                        self._print_new_word()
                        client.environment[RETURN_WORD_VARIABLE] = format_word(self._admission.new_word)
                    if self._disconnected.is_set():  # while it waited for the place
                        self._close_session(Path(client.environment["CARDTABLE_HOME"]))
                    else:
                        await self._run_program(client)
        except CapacityError as full:
            self._print_and_exit(str(full))
            self._endpoint.forget_guest(self._admission)
        except OSError as error:
            self._print_and_exit(f"The program cannot be started: {error.strerror or error}")
            self._endpoint.forget_guest(self._admission)

    def _print_new_word(self) -> None:
        nick, word = self._admission.nick, format_word(self._admission.new_word)
        self._print(f"To come back as {nick}, type this instead of the code: {word}")

    def _repeat_new_word(self, home: Path) -> None:
        """Print the new word again if the guest has not confirmed having noted it.

        If the connection was lost, the unused nick is freed as well, since the guest could not return under it.
        """
        if self._admission.new_word and not is_word_noted(home):
            self._print_new_word()
            if self._disconnected.is_set() and not self._endpoint.close_reason:
                self._endpoint.forget_guest(self._admission)

    def _print(self, line: str) -> None:
        self._write(f"{line}\r\n".encode())

    def _write(self, output: bytes) -> None:
        with suppress(OSError):  # the guest may have disconnected
            self._channel.write(output)

    def _print_and_exit(self, line: str) -> None:
        self._print(line)
        with suppress(OSError):
            self._channel.exit(1)

    async def _run_program(self, client: HostedClient) -> None:
        environment = {**client.environment, "TERM": self._term}
        program = await PtyProcess.start(client.command, environment, self._size, self._write, self._pause_input)
        self._program = program
        program.resize(self._size)  # the size may have changed during the start
        program.write_input(self._early_input)
        has_failed = False
        try:
            async with run_beside(program.wait()) as ending, run_beside(self._disconnected.wait()) as leaving:
                await asyncio.wait([ending, leaving], return_when=asyncio.FIRST_COMPLETED)
                has_failed = ending.done() and ending.result() == _FAILED
                if ending.done() and ending.result():
                    self._endpoint.hosted_clients.emit(host_events.ProgramCrashed(self._admission.nick))
        finally:
            self._program = None
            await program.end()
            self._close_session(Path(environment["CARDTABLE_HOME"]), has_failed=has_failed)

    def _close_session(self, home: Path, *, has_failed: bool = False) -> None:
        """Print why the client process has ended, and close the session.

        A process that has failed has said why. What was printed before is still above it then.
        """
        if not has_failed:
            self._repeat_new_word(home)
        if reason := self._endpoint.close_reason or self._replacement_reason:
            self._print(reason)
        with suppress(OSError):
            self._channel.exit(_FAILED if has_failed else 0)

    def _pause_input(self, is_paused: bool) -> None:
        if is_paused:
            self._channel.pause_reading()
        else:
            self._channel.resume_reading()
