"""Endpoint for ssh: one terminal with the program, and nothing else."""

import asyncio
import os
import pwd
import re
import stat
import subprocess
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import asyncssh
import pytest

from cardtable.club import addresses
from cardtable.club.addresses import LoginIdentity
from cardtable.club.server import club_file
from cardtable.club.server import ssh_endpoint as ssh_server
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.host_events import ConnectionDropped, LoggedIn, ignore_event
from cardtable.club.server.hosted_clients import HostedClients, PtyProcess
from cardtable.club.server.ssh_endpoint import SshEndpoint
from cardtable.club.terminal_size import TerminalSize
from cardtable.engine.errors import CardtableError
from cardtable.store import paths, profiles
from tests.club.loopback_club import TIMEOUT, always_run, poll_until, silent_connection, wait_until_closed

PROGRAM = """
import os, signal, sys, termios, tty

def tell(*_):
    columns, rows = os.get_terminal_size(0)
    about = [os.environ[name] for name in ("TERM", "CARDTABLE_NICK", "CARDTABLE_HOME")]
    os.write(1, "{}x{} {} {} in {}\\n".format(columns, rows, *about).encode())

attributes = termios.tcgetattr(0)
attributes[3] &= ~termios.ECHO
termios.tcsetattr(0, termios.TCSANOW, attributes)
print("pid", os.getpid(), flush=True)
signal.signal(signal.SIGWINCH, tell)
tell()
while line := sys.stdin.readline():
    if line == "environment\\n":
        print(sorted(os.environ), flush=True)
    elif line == "enough\\n":
        print(*["x" * 1000] * 300, sep="\\n", flush=True)
    elif line == "end\\n":
        print("Good night.", flush=True)
        break
    else:
        print("typed", line.strip(), flush=True)
"""
"""A program that prints its size and every line it reads."""
STUBBORN_PROGRAM = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + PROGRAM.replace(
    "while line := sys.stdin.readline():", "while True:\n    line = sys.stdin.readline()"
).replace("break", "pass")
"""The same, which does not end when the connection is cut."""


@asynccontextmanager
async def ssh_endpoint(
    accounts,
    *,
    max_programs=32,
    program=PROGRAM,
    flags=("-I", "-S"),
    python=sys.executable,
    timeout=TIMEOUT,
    emit=ignore_event,
):
    """Open an endpoint for ssh; yield it and its port."""
    command = python, *flags, "-c", program
    endpoint = SshEndpoint(HostedClients(accounts, always_run(*command), max_processes=max_programs, emit=emit))
    async with await endpoint.listen("127.0.0.1", 0, ssh_server.load_host_key(), timeout) as listening:
        try:
            yield endpoint, listening.get_port()
        finally:
            await endpoint.close("It is over.")


class AnsweringClient(asyncssh.SSHClient):
    """An ssh client that gives prepared answers to the prompts, and then only presses Enter."""

    def __init__(self, *answers):
        self.answers, self.prompts, self.banners, self.instructions = list(answers), [], [], []

    def kbdint_auth_requested(self):
        return "" if self.answers or not self.prompts else None

    def kbdint_challenge_received(self, name, instructions, lang, prompts):
        self.prompts += [prompt for prompt, _ in prompts]
        self.instructions.append(instructions)
        return [self.answers.pop(0) if self.answers else "" for _ in prompts]

    def auth_banner_received(self, msg, lang):
        self.banners.append(msg.strip())


@asynccontextmanager
async def connect_ssh(port, nick, *answers, keys=(), client=None, **options):
    """Connect to the endpoint by ssh; ``options`` are those of asyncssh."""
    async with asyncssh.connect(
        "127.0.0.1", port, username=nick, known_hosts=None, config=None, client_keys=list(keys) or None,
        agent_path=None, client_factory=lambda: client or AnsweringClient(*answers), **options,
    ) as connection:  # fmt: skip
        yield connection


@asynccontextmanager
async def open_terminal(connection, size=(100, 30), **options):
    """Open a terminal in a connection."""
    async with connection.create_process(term_type="xterm", term_size=size, **options) as process:
        yield process


@asynccontextmanager
async def guest_terminal(port, nick, *answers, keys=(), **options):
    """Open a terminal over a connection of its own."""
    async with (
        connect_ssh(port, nick, *answers, keys=keys) as connection,
        open_terminal(connection, **options) as process,
    ):
        yield process


async def end_program(process):
    """Let a guest's program end, and wait until its place is free again."""
    process.stdin.write("end\n")
    await process.wait()


async def read_return_word(port, nick, code):
    """Let a guest without a key come in and leave again; return the word for the return."""
    async with guest_terminal(port, nick, code) as process:
        word = (await read_line(process, f"To come back as {nick}")).rpartition(" ")[2]
        await end_program(process)
    return word


def cut_connection(process):
    """Abort the connection of a terminal."""
    process.get_extra_info("connection").abort()


async def assert_admitted(port, nick, *answers, keys=()):
    """Assert that a guest gets a program; a guest with a key is told no word."""
    async with guest_terminal(port, nick, *answers, keys=keys) as process:
        assert (await read_line(process, "" if keys else "pid")).startswith("pid")


async def enter_by_ssh(port, nick, *answers, **options):
    """Log in by ssh, and disconnect again."""
    async with connect_ssh(port, nick, *answers, **options):
        pass


async def assert_denied(port, nick, *answers, **options):
    """Assert that a login is refused."""
    with pytest.raises(asyncssh.PermissionDenied):
        await enter_by_ssh(port, nick, *answers, **options)


async def read_line(process, prefix=""):
    """Return the next line of the terminal that begins with ``prefix``."""
    async with asyncio.timeout(TIMEOUT):
        while True:
            text = await process.stdout.readline()
            assert text, "the terminal was closed"
            if text.startswith(prefix):
                return text.strip()


async def wait_for_process_end(pid):
    """Wait until a process has ended."""

    def has_ended():
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        return False

    await poll_until(has_ended)


async def test_terminal_runs_the_program(home):
    async with ssh_endpoint(ClubAccounts()) as (_, port), guest_terminal(port, "anna") as process:
        assert (await read_line(process, "100x30")).startswith("100x30 xterm Anna in ")
        process.stdin.write("good evening\n")
        assert await read_line(process, "typed") == "typed good evening"


async def test_terminal_follows_window_size(home):
    """A size of zero is unknown (RFC 4254), as of a program without a window, or of a phone's that is not drawn yet."""
    async with ssh_endpoint(ClubAccounts()) as (_, port), guest_terminal(port, "anna", size=(0, 0)) as process:
        await read_line(process, "80x24")
        sizes = {(60, 18): "60x18", (0, 0): "80x24", (0, 30): "80x30", (9999, 0): "300x24", (301, 9999): "300x100"}
        for size, expected in sizes.items():
            process.change_terminal_size(*size)
            await read_line(process, f"{expected} ")


async def test_connection_without_login_times_out(home, monkeypatch):
    monkeypatch.setattr(ssh_server, "LOGIN_TIMEOUT", 0.05)
    events = []
    async with ssh_endpoint(ClubAccounts(), emit=events.append) as (_, port), silent_connection(port) as reader:
        await wait_until_closed(reader)
        await poll_until(lambda: events == [ConnectionDropped("ssh")])


async def test_user_of_the_host_without_a_home_folder(home, monkeypatch):
    """A service may run as a user whom no file of the system names."""

    def find_nobody(_key):
        raise KeyError

    monkeypatch.delenv("HOME")
    async with AsyncExitStack() as stack:
        with monkeypatch.context() as patch:
            patch.setattr(pwd, "getpwuid", find_nobody)
            _, port = await stack.enter_async_context(ssh_endpoint(ClubAccounts()))
        process = await stack.enter_async_context(guest_terminal(port, "anna"))
        assert await read_line(process, "100x30")


async def test_program_and_home_removed_with_the_connection(home):
    async with ssh_endpoint(ClubAccounts()) as (_, port):
        async with guest_terminal(port, "Anna") as process:
            pid = int((await read_line(process, "pid"))[4:])
            folder = (await read_line(process, "100x30")).rpartition(" ")[2]
            assert Path(folder).is_dir()
            cut_connection(process)
        await wait_for_process_end(pid)
        await poll_until(lambda: not Path(folder).exists())


@asynccontextmanager
async def cuttable_network(port):
    """Pass on what is sent to a port; yield another port, and a function after which nothing is passed on any more."""
    is_cut, tasks, writers = asyncio.Event(), [], []

    async def pass_on(reader, writer):
        while data := await reader.read(10_000):
            if not is_cut.is_set():
                writer.write(data)

    async def connect(reader, writer):
        host_reader, host_writer = await asyncio.open_connection("127.0.0.1", port)
        writers.extend([writer, host_writer])
        tasks.extend([asyncio.create_task(pass_on(*way)) for way in ((reader, host_writer), (host_reader, writer))])

    async with await asyncio.start_server(connect, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1], is_cut.set
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        for writer in writers:
            writer.transport.abort()


async def test_program_ends_with_a_dead_network(home):
    async with (
        ssh_endpoint(ClubAccounts(), timeout=3) as (_, port),
        cuttable_network(port) as (own_port, cut),
        guest_terminal(own_port, "Anna") as process,
    ):
        pid = int((await read_line(process, "pid"))[4:])
        cut()
        await wait_for_process_end(pid)
        cut_connection(process)


async def test_output_after_disconnection_logs_no_error(home, caplog):
    paints = "import os\nprint('pid', os.getpid(), flush=True)\nwhile True:\n    print('x' * 1000)"
    async with ssh_endpoint(ClubAccounts(), program=paints) as (_, port):
        async with guest_terminal(port, "Anna") as process:
            pid = int((await read_line(process, "pid"))[4:])
            cut_connection(process)
        await wait_for_process_end(pid)
    assert [record for record in caplog.records if record.name == "asyncio"] == []


async def test_program_that_ignores_hangup_is_killed(home, monkeypatch):
    monkeypatch.setattr("cardtable.club.server.hosted_clients.GRACE_SECONDS", 0.1)
    async with ssh_endpoint(ClubAccounts(), program=STUBBORN_PROGRAM) as (_, port):
        async with guest_terminal(port, "Anna") as process:
            pid = int((await read_line(process, "pid"))[4:])
            cut_connection(process)
        await wait_for_process_end(pid)


async def test_reports_program_that_cannot_be_started(home):
    async with ssh_endpoint(ClubAccounts(), python="/nowhere") as (_, port), guest_terminal(port, "Anna") as process:
        await read_line(process, "The program cannot be started")
        assert (await process.wait()).exit_status == 1


async def test_all_output_arrives_before_the_end(home):
    async with ssh_endpoint(ClubAccounts()) as (_, port), guest_terminal(port, "Anna") as process:
        process.stdin.write("enough\n")
        process.stdin.write("end\n")
        painted = await process.stdout.read()
    assert painted.count("x" * 1000) == 300
    assert "Good night." in painted.splitlines()[-2:][0]


async def test_program_environment_is_filtered(home, monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_HOST", "1")
    variables = {"LD_PRELOAD": "x", "CARDTABLE_HOME": "/"}
    async with ssh_endpoint(ClubAccounts()) as (_, port), guest_terminal(port, "Anna", env=variables) as process:
        process.stdin.write("environment\n")
        names = await read_line(process, "[")
    assert "SECRET" not in names
    assert "LD_PRELOAD" not in names
    assert "CARDTABLE_TOKEN" in names


async def test_rejects_command_subsystem_and_forwarding(home):
    async with ssh_endpoint(ClubAccounts()) as (_, port), connect_ssh(port, "Anna") as connection:
        with pytest.raises(asyncssh.Error):
            await connection.open_connection("127.0.0.1", port)
        with pytest.raises(asyncssh.ChannelListenError):
            await connection.forward_remote_port("127.0.0.1", 0, "127.0.0.1", port)
        with pytest.raises(asyncssh.Error):
            await connection.open_unix_connection("/tmp/x")
    for nick, more in (("Bob", {"command": "id"}), ("Cleo", {"subsystem": "sftp"})):
        async with ssh_endpoint(ClubAccounts()) as (_, port), connect_ssh(port, nick) as connection:
            with pytest.raises(asyncssh.Error):
                await connection.create_process(**more)


async def test_connection_has_exactly_one_terminal(home):
    async with ssh_endpoint(ClubAccounts()) as (_, port), guest_terminal(port, "Anna") as process:
        with pytest.raises(asyncssh.Error):
            await process.get_extra_info("connection").create_process(term_type="xterm")
    async with ssh_endpoint(ClubAccounts()) as (_, port), connect_ssh(port, "Bob") as connection:
        result = await connection.run(stdin=asyncssh.DEVNULL)
        assert (result.stdout.strip(), result.exit_status) == ("The club needs a terminal: ssh -t asks for one.", 1)


async def test_limit_of_guests_with_programs(home):
    async with ssh_endpoint(ClubAccounts(), max_programs=1) as (_, port):
        async with guest_terminal(port, "Anna") as process:
            await read_line(process, "pid")
            async with guest_terminal(port, "Bob") as second:
                full = "1 guests are here by ssh or in a browser; no room for more. Try again later."
                assert await read_line(second) == full
            await end_program(process)
        await assert_admitted(port, "Cleo")


async def test_wrong_code_is_refused_with_reason(home):
    async with ssh_endpoint(ClubAccounts("kmnpqrst")) as (_, port):
        wrong = AnsweringClient("sesame77")
        await assert_denied(port, "Anna", client=wrong)
        assert wrong.banners == ["that is not the code of this club; ask its host"]
        await assert_admitted(port, "Anna", "kmnpqrst")


async def test_protected_nick_requires_its_password(home, anna_with_password):
    async with ssh_endpoint(ClubAccounts("kmnpqrst")) as (_, port):
        wrong = AnsweringClient("kmnpqrst", "mellon")
        await assert_denied(port, "Anna", client=wrong)
        assert wrong.banners == ["That is not the password"]
        await assert_admitted(port, "Anna", "kmnpqrst", "sesame77")


async def test_accepts_password_from_another_machine(home, monkeypatch):
    monkeypatch.setattr(addresses, "is_local", lambda _address: False)
    profiles.register("Anna", password="sesame77", again="sesame77")
    async with ssh_endpoint(ClubAccounts()) as (_, port), guest_terminal(port, "Anna", "sesame77") as process:
        await read_line(process, "pid")


@pytest.mark.parametrize("nick", ["Al", "Ann Marie", "Ada", "../Anna", "A" * 300])
async def test_rejects_invalid_nick(home, nick):
    async with ssh_endpoint(ClubAccounts()) as (_, port):
        client = AnsweringClient()
        await assert_denied(port, nick, client=client)
        assert "a robot has that name" in client.banners[0] or "a nick is one word" in client.banners[0]


async def test_disconnects_after_three_wrong_answers(home):
    async with ssh_endpoint(ClubAccounts("kmnpqrst")) as (_, port):
        client = AnsweringClient("a", "b", "c", "d")
        with pytest.raises(asyncssh.DisconnectError, match="that is not the code of this club; ask its host"):
            await enter_by_ssh(port, "Anna", client=client)
        assert client.answers == ["d"]


async def test_guest_returns_by_ssh_key(home):
    own, other = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    async with ssh_endpoint(ClubAccounts("kmnpqrst")) as (_, port):
        await assert_admitted(port, "Anna", "kmnpqrst", keys=[own])
        await assert_admitted(port, "Anna", keys=[own])
    async with ssh_endpoint(ClubAccounts("kmnpqrst")) as (_, port):  # started again
        await assert_admitted(port, "Anna", keys=[own])
        await assert_denied(port, "Anna", "kmnpqrst", keys=[other])


async def test_guest_without_a_key_returns_by_word(home):
    async with ssh_endpoint(ClubAccounts("kmnpqrst")) as (_, port):
        word = await read_return_word(port, "Anna", "kmnpqrst")
        assert re.fullmatch(r"([a-z2-9]{4}-){3}[a-z2-9]{4}", word)
        back = AnsweringClient("kmnpqrst")
        await assert_denied(port, "Anna", client=back)
        assert back.instructions[1].startswith("Anna is not free; if it is yours, give your password, or a word")
        spellings = (word, word.upper(), f" {word.replace('-', ' ')} ", word.replace("-", ""))
        for answers in [*[[typed] for typed in spellings], ["kmnpqrst", word]]:
            async with guest_terminal(port, "Anna", *answers) as process:
                assert (await read_line(process)).startswith("pid")
                await end_program(process)


async def test_new_code_for_everybody_lets_a_known_key_in(home):
    own, other = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    accounts, events = ClubAccounts("kmnpqrst"), []
    async with ssh_endpoint(accounts, emit=events.append) as (_, port):
        await assert_admitted(port, "Anna", "kmnpqrst", keys=[own])
        await accounts.administration.change_code("another1", everybody=True)
        back = AnsweringClient("kmnpqrst")
        await assert_denied(port, "Anna", client=back, keys=[other, own])
        assert back.instructions[0] == "The club has a new code; ask its host for it."
        await assert_denied(port, "Anna", "another1", "another1", keys=[other])
        await assert_admitted(port, "Anna", "another1", keys=[other, own])
        await assert_admitted(port, "Anna", keys=[own])
        await accounts.administration.change_code("another2", everybody=True)
        await assert_admitted(port, "Anna", await accounts.administration.create_invitation("Anna"), keys=[own])
        await assert_admitted(port, "Anna", keys=[own])
    methods = [event.method for event in events if isinstance(event, LoggedIn)]
    assert methods == ["code", "key", "key", "key", "key"]


async def test_new_code_for_everybody_lets_a_known_word_in(home):
    accounts = ClubAccounts("kmnpqrst")
    async with ssh_endpoint(accounts) as (_, port):
        word = await read_return_word(port, "Anna", "kmnpqrst")
        await assert_admitted(port, "Anna", word)
        await accounts.administration.change_code("another1", everybody=True)
        await assert_denied(port, "Anna", word, "kmnpqrst", word)
        await assert_denied(port, "Anna", "another1", "")
        await assert_admitted(port, "Anna", word, "another1", word)
        await assert_admitted(port, "Anna", word)


async def test_host_key_is_created_once_with_private_mode(home):
    key = ssh_server.load_host_key()
    assert stat.S_IMODE(paths.host_key_file().stat().st_mode) == 0o600
    assert ssh_server.load_host_key().get_fingerprint() == key.get_fingerprint()


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2"])
async def test_guest_enters_despite_silent_connections(home, set_limit, address):
    set_limit("pending", number=8)
    async with ssh_endpoint(ClubAccounts("kmnpqrst")) as (endpoint, port), AsyncExitStack() as stack:
        flood = [await stack.enter_async_context(silent_connection(port, local_addr=(address, 0))) for _ in range(20)]
        async with guest_terminal(port, "Anna", "kmnpqrst") as process:
            await read_line(process, "pid")
            assert endpoint.pending_connections.total <= 8
        for reader in flood[:12]:
            await wait_until_closed(reader)


async def test_connections_without_a_terminal_are_pending(home, set_limit):
    """A guest by ssh cannot hold connections that run no program."""
    set_limit("pending", number=8)
    async with ssh_endpoint(ClubAccounts()) as (endpoint, port), AsyncExitStack() as stack:
        idle = [await stack.enter_async_context(connect_ssh(port, f"Guest{number}")) for number in range(9)]
        async with guest_terminal(port, "Anna") as process:
            await read_line(process, "pid")
            async with asyncio.timeout(TIMEOUT):
                await idle[0].wait_closed()
            assert endpoint.pending_connections.total <= 8
            process.stdin.write("good evening\n")
            await read_line(process, "typed")


def forge_key_pair(own, other):
    """Return a key pair that shows the public key of ``other`` and signs with ``own``."""
    (pair,) = asyncssh.load_keypairs([own])
    pair.public_data = other.public_data
    return pair


async def test_key_is_stored_only_after_its_signature(home):
    """Otherwise a guest could pass for the owner of a key, or the owner of a merely offered key could come in."""
    own, anna_s = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    accounts = ClubAccounts("kmnpqrst")
    async with ssh_endpoint(accounts) as (_, port):
        async with guest_terminal(port, "Mallory", "kmnpqrst", keys=[forge_key_pair(own, anna_s)]) as process:
            assert (await read_line(process)).startswith("To come back as Mallory"), "she has no key"
        assert accounts.store.find_returning_account("Mallory").keys == ()
        await assert_admitted(port, "Anna", "kmnpqrst", keys=[own, anna_s])
        assert accounts.store.find_returning_account("Anna").keys == (own.convert_to_public().get_fingerprint(),), (
            "one of hers is enough"
        )
        await assert_denied(port, "Anna", "wrong", keys=[forge_key_pair(anna_s, own)])


async def test_player_of_the_host_returns_by_key(home):
    own = asyncssh.generate_private_key("ssh-ed25519")
    profiles.register("Anna", password="sesame77", again="sesame77")
    accounts = ClubAccounts("kmnpqrst")
    async with ssh_endpoint(accounts) as (_, port):
        for answers in (["kmnpqrst", "sesame77"], []):
            async with guest_terminal(port, "anna", *answers, keys=[own]) as process:
                assert (await read_line(process, "100x30")).startswith("100x30 xterm Anna in ")
        assert accounts.store.find_returning_account("Anna").tokens == (), "no program keeps one"
        await assert_denied(port, "Anna", "kmnpqrst", "wrong")
        profiles.remove_password("Anna", "sesame77")
        await assert_denied(port, "Anna", "kmnpqrst", keys=[own])


async def test_new_guest_refused_if_key_cannot_be_saved(home, monkeypatch, caplog):
    """The guest reads the reason, and the nick stays free."""
    own, accounts = asyncssh.generate_private_key("ssh-ed25519"), ClubAccounts("kmnpqrst")
    write = club_file.update_club_file

    def write_without_keys(change):
        if any(person.keys for person in change(club_file.read_club_file()).people):
            raise CardtableError("the club's host cannot save: No space left on device")
        return write(change)

    monkeypatch.setattr(club_file, "update_club_file", write_without_keys)
    async with ssh_endpoint(accounts) as (_, port):
        guest = AnsweringClient("kmnpqrst")
        await assert_denied(port, "Anna", keys=[own], client=guest)
        assert guest.banners == ["the club's host cannot save: No space left on device; try again later"]
        assert accounts.store.find_returning_account("Anna") is None
    assert caplog.records == []


async def create_known_guests(accounts, *nicks):
    """Create guests that have been in the club, and return their return words."""
    origin = addresses.ConnectionOrigin("127.0.0.1", transport="ssh")
    return [(await accounts.authenticator.log_in(LoginIdentity(origin, nick)))[1] for nick in nicks]


@pytest.mark.parametrize("max_programs", [6, 32])
async def test_returning_guest_ends_the_oldest_program(home, max_programs):
    """The oldest program ends if the guest has two, or if all places of the address (half of six) are taken."""
    accounts = ClubAccounts()
    anna, bob = await create_known_guests(accounts, "Anna", "Bob")
    async with ssh_endpoint(accounts, max_programs=max_programs) as (endpoint, port), AsyncExitStack() as stack:
        processes = []
        for nick, word in (("Bob", bob), ("Anna", anna), ("Anna", anna), ("anna", anna)):
            processes.append(await stack.enter_async_context(guest_terminal(port, nick, word)))
            await read_line(processes[-1], "pid")
        assert await read_line(processes[1], "You have joined again, and the oldest of your programs ends.")
        assert (await processes[1].wait()).exit_status == 0
        for process in (processes[0], *processes[2:]):
            process.stdin.write("good evening\n")
            await read_line(process, "typed")
        assert accounts.store.find_returning_account("Anna")
        async with guest_terminal(port, "Bob", bob) as process:
            await read_line(process, "pid")
            if max_programs == 6:
                await read_line(processes[0], "You have joined again")
        assert endpoint.hosted_clients.process_count == (3 if max_programs == 6 else 4)


async def test_returning_guest_waits_for_dying_program(home, monkeypatch):
    """The program of a lost connection does not end at once; several returning connections wait for it."""
    accounts = ClubAccounts()
    (anna,) = await create_known_guests(accounts, "Anna")
    monkeypatch.setattr("cardtable.club.server.hosted_clients.GRACE_SECONDS", 0.3)
    async with ssh_endpoint(accounts, program=STUBBORN_PROGRAM) as (endpoint, port), AsyncExitStack() as stack:
        for _ in range(2):
            async with guest_terminal(port, "Anna", anna) as process:
                await read_line(process, "pid")
                cut_connection(process)
        returning = [await stack.enter_async_context(connect_ssh(port, "Anna", anna)) for _ in range(3)]
        processes = [await stack.enter_async_context(open_terminal(connection)) for connection in returning]
        for process in processes[-2:]:
            await read_line(process, "pid")
        assert endpoint.hosted_clients.process_count == 2


async def test_no_program_for_connection_cut_while_waiting(home, monkeypatch):
    accounts, started, start, ending = ClubAccounts(), [], PtyProcess.start, asyncio.Event()
    (anna,) = await create_known_guests(accounts, "Anna")
    monkeypatch.setattr(PtyProcess, "start", lambda *arguments: started.append(arguments) or start(*arguments))

    async def end_later(_message):
        ending.set()

    async with ssh_endpoint(accounts) as (endpoint, port), AsyncExitStack() as places:
        for _ in range(2):
            place = endpoint.hosted_clients.reserve_slot("Anna", addresses.ConnectionOrigin(), "", end_later)
            await places.enter_async_context(place)
        async with guest_terminal(port, "Anna", anna) as process:
            await ending.wait()
            cut_connection(process)
        await enter_by_ssh(port, "Bob")  # meanwhile the host notices that Anna is gone
    assert started == []


async def test_program_runs_at_lower_priority(home):
    """The program must not slow down the tables of other players."""
    async with ssh_endpoint(ClubAccounts()) as (_, port), guest_terminal(port, "Anna") as process:
        pid = int((await read_line(process, "pid"))[4:])
        assert os.getpriority(os.PRIO_PROCESS, pid) == min(os.getpriority(os.PRIO_PROCESS, 0) + 10, 19)


@pytest.mark.parametrize("has_played", [False, True])
async def test_nick_freed_if_word_was_not_confirmed(home, has_played):
    accounts = ClubAccounts("kmnpqrst")
    async with ssh_endpoint(accounts) as (endpoint, port):
        async with guest_terminal(port, "Anna", "kmnpqrst") as process:
            pid = int((await read_line(process, "pid"))[4:])
            if has_played:
                accounts.store.mark_played(["Anna"])
            cut_connection(process)
        await wait_for_process_end(pid)
        await poll_until(lambda: endpoint.hosted_clients.process_count == 0)
        await poll_until(lambda: bool(accounts.store.find_returning_account("Anna")) is has_played)
        if not has_played:
            async with guest_terminal(port, "Anna", "kmnpqrst") as process:
                await read_line(process, "To come back as Anna")


@pytest.mark.parametrize("request_", ["command", "subsystem", "no terminal", "no session", "no room"])
async def test_nick_stays_free_if_there_is_no_program(home, request_):
    accounts = ClubAccounts("kmnpqrst")
    async with ssh_endpoint(accounts, max_programs=0 if request_ == "no room" else 32) as (_, port):
        async with connect_ssh(port, "Anna", "kmnpqrst") as connection:
            assert accounts.store.find_account("Anna")
            if request_ == "no terminal":
                await connection.run()
            elif request_ == "no room":
                async with open_terminal(connection) as process:
                    await process.wait()
            elif request_ != "no session":
                with pytest.raises(asyncssh.Error):
                    await connection.create_process(**{request_: "sftp"})
        await poll_until(lambda: accounts.store.find_account("Anna") is None)
    async with ssh_endpoint(accounts) as (_, port):
        await assert_admitted(port, "Anna", "kmnpqrst")


CONFIRMING_PROGRAM = """
import os
from cardtable.store import club_tokens
print("pid", os.getpid(), club_tokens.find_pending_word(), flush=True)
club_tokens.mark_word_noted()
print("noted", repr(club_tokens.find_pending_word()), flush=True)
input()
"""
"""Program that confirms the return word, as the lobby does once the guest has written it down."""


async def test_confirmed_word_survives_a_lost_connection(home):
    accounts = ClubAccounts("kmnpqrst")
    async with ssh_endpoint(accounts, program=CONFIRMING_PROGRAM, flags=()) as (endpoint, port):
        async with guest_terminal(port, "Anna", "kmnpqrst") as process:
            _, pid, word = (await read_line(process, "pid")).split()
            await read_line(process, "noted ''")
            cut_connection(process)
        await wait_for_process_end(int(pid))
        await poll_until(lambda: endpoint.hosted_clients.process_count == 0)
        async with guest_terminal(port, "Anna", word) as process:
            assert (await read_line(process, "pid")).split()[2:] == []


async def test_signal_leaves_the_exit_code_to_asyncio(monkeypatch):
    """``Popen.poll`` would take the code of a program that has just ended."""
    command = (sys.executable, "-c", "input(); raise SystemExit(1)")
    program = await PtyProcess.start(command, os.environ, TerminalSize(80, 24), print, print)
    with monkeypatch.context() as patch:
        patch.delattr(subprocess.Popen, "poll")
        program.resize(TerminalSize(60, 18))
    program.write_input(b"\n")
    assert await program.wait() == 1
    await program.end()


async def test_word_is_printed_once_if_there_are_no_screens(home):
    events, program = [], "import sys; sys.exit('no screens')"
    async with ssh_endpoint(ClubAccounts("kmnpqrst"), program=program, emit=events.append) as (_, port):
        async with connect_ssh(port, "Anna", "kmnpqrst") as connection:
            done = await connection.run(term_type="dumb", term_size=(100, 30))
        lines = done.stdout.splitlines()
        assert done.exit_status == 1
        assert "the program of Anna has crashed" in map(str, events)
        assert [line.startswith("To come back as Anna") for line in lines] == [True, False]
        assert lines[1] == "no screens"
        async with guest_terminal(port, "Anna", lines[0].rpartition(" ")[2]):
            pass


def test_damaged_host_key(home):
    home.mkdir()
    numbers = bytearray(asyncssh.generate_private_key("ssh-rsa").export_private_key("pkcs1-der"))
    numbers[-1] ^= 1
    for data in (b"", b"\xff\xfe", b"-----BEGIN \\E PRIVATE KEY-----\n", bytes(numbers)):
        paths.host_key_file().write_bytes(data)
        with pytest.raises(CardtableError, match="ssh-host-key is not a key"):
            ssh_server.load_host_key()


async def test_greeting_reveals_no_version(home):
    async with ssh_endpoint(ClubAccounts()) as (_, port), silent_connection(port) as reader:
        assert await reader.readline() == b"SSH-2.0-cardtable\r\n"
