"""The door for those who have nothing but ssh: one terminal with the program, and nothing else."""

import asyncio
import os
import re
import stat
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import asyncssh
import pytest

from cardtable.club import addresses
from cardtable.club.server import accounts, limits, ssh_server
from cardtable.club.server.accounts import AccountStore
from cardtable.club.server.hosted_clients import HostedClients, PtyProcess
from cardtable.club.server.ssh_server import SshEndpoint
from cardtable.engine.errors import CardtableError
from cardtable.store import paths, profiles
from tests.club.over_loopback import is_closed, silent_connection

PATIENCE = 20
PROGRAM = """
import os, signal, sys, termios, tty

def tell(*_):
    columns, rows = os.get_terminal_size(0)
    about = [os.environ[name] for name in ("TERM", "CARDTABLE_NICK", "CARDTABLE_HOME")]
    os.write(1, "{}x{} {} {} in {}\\n".format(columns, rows, *about).encode())

signal.signal(signal.SIGWINCH, tell)
attributes = termios.tcgetattr(0)
attributes[3] &= ~termios.ECHO
termios.tcsetattr(0, termios.TCSANOW, attributes)
print("pid", os.getpid(), flush=True)
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
"""Tells its size, and what is typed."""


@asynccontextmanager
async def opened(members, *, most=32, program=PROGRAM):
    """A door; where it is, and itself."""
    door = SshEndpoint(HostedClients(members, [sys.executable, "-c", program], most=most))
    async with await door.listen("127.0.0.1", 0, ssh_server.host_key()) as listening:
        try:
            yield door, listening.get_port()
        finally:
            await door.close("It is over.")


class Answers(asyncssh.SSHClient):
    """Somebody who types answers to what she is asked."""

    def __init__(self, *answers):
        self.answers, self.asked, self.told = list(answers), [], []

    def kbdint_auth_requested(self):
        return "" if self.answers or not self.asked else None

    def kbdint_challenge_received(self, name, instructions, lang, prompts):
        self.asked += [prompt for prompt, _ in prompts]
        return [self.answers.pop(0) for _ in prompts]

    def auth_banner_received(self, msg, lang):
        self.told.append(msg.strip())


@asynccontextmanager
async def come(port, nick, *answers, keys=(), client=None):
    """Somebody who comes in by ssh."""
    async with asyncssh.connect(
        "127.0.0.1", port, username=nick, known_hosts=None, config=None, client_keys=list(keys) or None,
        agent_path=None, client_factory=lambda: client or Answers(*answers),
    ) as connection:  # fmt: skip
        yield connection


@asynccontextmanager
async def terminal(connection, size=(100, 30), **more):
    """Her terminal."""
    async with connection.create_process(term_type="xterm", term_size=size, **more) as process:
        yield process


async def line(process, beginning=""):
    """The next line of her terminal that begins so."""
    async with asyncio.timeout(PATIENCE):
        while True:
            text = await process.stdout.readline()
            assert text, "the terminal was closed"
            if text.startswith(beginning):
                return text.strip()


async def ended(pid):
    """Wait until a process has ended."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return
            await asyncio.sleep(0.01)


async def test_a_terminal_of_the_guest_s_size_that_follows_her_window(home):
    async with opened(AccountStore()) as (_, port), come(port, "anna") as connection, terminal(connection) as process:
        assert (await line(process, "100x30")).startswith("100x30 xterm Anna in ")
        process.stdin.write("good evening\n")
        assert await line(process, "typed") == "typed good evening"
        process.change_terminal_size(60, 18)
        assert (await line(process, "60x18")).startswith("60x18 xterm Anna in ")


@pytest.mark.promise("The club", "A guest's program ends with the ssh connection and leaves nothing behind.")
async def test_the_program_ends_with_the_connection_and_leaves_nothing(home):
    async with opened(AccountStore()) as (_, port):
        async with come(port, "Anna") as connection, terminal(connection) as process:
            pid = int((await line(process, "pid"))[4:])
            folder = (await line(process, "100x30")).rpartition(" ")[2]
            assert Path(folder).is_dir()
            connection.abort()
        await ended(pid)
        async with asyncio.timeout(PATIENCE):
            while Path(folder).exists():
                await asyncio.sleep(0.01)


async def test_what_is_painted_for_somebody_who_has_gone_is_no_fault(home, caplog):
    paints = "import os\nprint('pid', os.getpid(), flush=True)\nwhile True:\n    print('x' * 1000)"
    async with opened(AccountStore(), program=paints) as (_, port):
        async with come(port, "Anna") as connection, terminal(connection) as process:
            pid = int((await line(process, "pid"))[4:])
            connection.abort()
        await ended(pid)
    assert [record for record in caplog.records if record.name == "asyncio"] == []


async def test_a_program_that_does_not_care_is_killed(home, monkeypatch):
    monkeypatch.setattr("cardtable.club.server.hosted_clients.GRACE_SECONDS", 0.1)
    stubborn = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + PROGRAM.replace("break", "pass")
    stubborn = stubborn.replace("while line := sys.stdin.readline():", "while True:\n    line = sys.stdin.readline()")
    async with opened(AccountStore(), program=stubborn) as (_, port):
        async with come(port, "Anna") as connection, terminal(connection) as process:
            pid = int((await line(process, "pid"))[4:])
            connection.abort()
        await ended(pid)


async def test_a_program_that_cannot_be_started_is_told_of(home):
    async with opened(AccountStore()) as (door, port), come(port, "Anna") as connection:
        door.programs.command[0] = "/nowhere"
        async with terminal(connection) as process:
            await line(process, "The program cannot be started")
            assert (await process.wait()).exit_status == 1


async def test_all_that_it_painted_is_seen_before_it_is_over(home):
    async with opened(AccountStore()) as (_, port), come(port, "Anna") as connection, terminal(connection) as process:
        process.stdin.write("enough\n")
        process.stdin.write("end\n")
        painted = await process.stdout.read()
    assert painted.count("x" * 1000) == 300
    assert "Good night." in painted.splitlines()[-2:][0]


async def test_nothing_of_the_guest_s_environment_and_little_of_the_host_s_reaches_it(home, monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_HOST", "1")
    given = {"LD_PRELOAD": "x", "CARDTABLE_HOME": "/"}
    async with (
        opened(AccountStore()) as (_, port),
        come(port, "Anna") as connection,
        terminal(connection, env=given) as process,
    ):
        process.stdin.write("environment\n")
        names = await line(process, "[")
    assert "SECRET" not in names
    assert "LD_PRELOAD" not in names
    assert "CARDTABLE_TOKEN" in names


@pytest.mark.promise(
    "The club", "A guest by ssh gets one terminal with the program: no command, file copy or forwarding."
)
async def test_there_is_no_command_subsystem_copy_or_forwarding(home):
    async with opened(AccountStore()) as (_, port), come(port, "Anna") as connection:
        with pytest.raises(asyncssh.Error):
            await connection.open_connection("127.0.0.1", port)
        with pytest.raises(asyncssh.ChannelListenError):
            await connection.forward_remote_port("127.0.0.1", 0, "127.0.0.1", port)
        with pytest.raises(asyncssh.Error):
            await connection.open_unix_connection("/tmp/x")
    for nick, more in (("Bob", {"command": "id"}), ("Cleo", {"subsystem": "sftp"})):
        async with opened(AccountStore()) as (_, port), come(port, nick) as connection:
            with pytest.raises(asyncssh.Error):
                await connection.create_process(**more)


async def test_one_connection_has_one_terminal_and_it_has_to_be_one(home):
    async with opened(AccountStore()) as (_, port), come(port, "Anna") as connection, terminal(connection):
        with pytest.raises(asyncssh.Error):
            await connection.create_process(term_type="xterm")
    async with opened(AccountStore()) as (_, port), come(port, "Bob") as connection:
        told = await connection.run()
        assert (told.stdout.strip(), told.exit_status) == ("The club needs a terminal: ssh -t asks for one.", 1)


async def test_so_many_guests_at_a_time_and_one_more_is_told(home):
    async with opened(AccountStore(), most=1) as (_, port):
        async with come(port, "Anna") as connection, terminal(connection) as process:
            await line(process, "pid")
            async with come(port, "Bob") as other, terminal(other) as second:
                assert (
                    await line(second) == "1 guests are here by ssh or in a browser, and no more can. Try again later."
                )
            process.stdin.write("end\n")
            await process.wait()
        async with come(port, "Cleo") as third, terminal(third) as process:
            await line(process, "pid")


@pytest.mark.promise("The club", "Nobody enters a club with a code without knowing it.")
async def test_the_code_is_asked_and_a_wrong_one_told(home):
    async with opened(AccountStore("kmnpqrst")) as (_, port):
        wrong = Answers("sesame77")
        with pytest.raises(asyncssh.PermissionDenied):
            async with come(port, "Anna", client=wrong):
                pass
        assert (wrong.asked, wrong.told) == (
            ["Code of the club: "],
            ["that is not the code of this club; its host can tell you"],
        )
        async with come(port, "Anna", "kmnpqrst") as connection, terminal(connection) as process:
            await line(process, "pid")


@pytest.mark.promise("The club", "A nick with a password is only for the player who knows the password.")
async def test_a_nick_with_a_password_needs_it(home):
    profiles.register("Anna", password="sesame77", again="sesame77")
    async with opened(AccountStore("kmnpqrst")) as (_, port):
        wrong = Answers("kmnpqrst", "mellon")
        with pytest.raises(asyncssh.PermissionDenied):
            async with come(port, "Anna", client=wrong):
                pass
        assert wrong.asked == ["Code of the club: ", "Password of Anna: "]
        async with come(port, "Anna", "kmnpqrst", "sesame77") as connection, terminal(connection) as process:
            await line(process, "pid")


async def test_by_ssh_a_password_is_taken_from_another_machine(home, monkeypatch):
    monkeypatch.setattr(addresses, "is_local", lambda _address: False)
    profiles.register("Anna", password="sesame77", again="sesame77")
    async with (
        opened(AccountStore()) as (_, port),
        come(port, "Anna", "sesame77") as connection,
        terminal(connection) as process,
    ):
        await line(process, "pid")


@pytest.mark.parametrize("nick", ["Al", "Ann Marie", "Ada", "../Anna", "A" * 300])
async def test_a_nick_that_can_be_none_is_told_so(home, nick):
    async with opened(AccountStore()) as (_, port):
        with pytest.raises(asyncssh.DisconnectError, match="nick"):
            async with come(port, nick):
                pass


async def test_after_three_wrong_answers_she_has_to_connect_anew(home):
    async with opened(AccountStore("kmnpqrst")) as (_, port):
        who = Answers("a", "b", "c", "d")
        with pytest.raises(asyncssh.DisconnectError, match="that is not the code of this club; its host can tell you"):
            async with come(port, "Anna", client=who):
                pass
        assert who.answers == ["d"]


async def test_a_guest_comes_back_by_the_key_that_she_had(home):
    own, other = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    async with opened(AccountStore("kmnpqrst")) as (_, port):
        async with come(port, "Anna", "kmnpqrst", keys=[own]) as connection, terminal(connection) as process:
            assert (await line(process)).startswith("pid")
        async with come(port, "Anna", keys=[own]) as connection, terminal(connection) as process:
            await line(process, "pid")
    async with opened(AccountStore("kmnpqrst")) as (_, port):  # started again
        async with come(port, "Anna", keys=[own]) as connection, terminal(connection) as process:
            await line(process, "pid")
        with pytest.raises(asyncssh.PermissionDenied):
            async with come(port, "Anna", "kmnpqrst", keys=[other]):
                pass


async def test_a_guest_without_a_key_comes_back_with_what_she_was_told(home):
    async with opened(AccountStore("kmnpqrst")) as (_, port):
        async with come(port, "Anna", "kmnpqrst") as connection, terminal(connection) as process:
            word = (await line(process, "To come back as Anna")).rpartition(" ")[2]
            process.stdin.write("end\n")
            await process.wait()
        assert re.fullmatch(r"([a-z2-9]{4}-){3}[a-z2-9]{4}", word)
        back = Answers("kmnpqrst")
        with pytest.raises(asyncssh.PermissionDenied):
            async with come(port, "Anna", client=back):
                pass
        assert back.asked == ["Anna has been here before. The word that you were told: "]
        for typed in (word, word.upper(), f" {word.replace('-', ' ')} ", word.replace("-", "")):
            async with come(port, "Anna", typed) as connection, terminal(connection) as process:
                assert (await line(process)).startswith("pid")
                process.stdin.write("end\n")  # the place is free again
                await process.wait()


async def test_the_key_of_the_host_is_made_once_and_for_its_keeper_only(home):
    key = ssh_server.host_key()
    assert stat.S_IMODE(paths.host_key_file().stat().st_mode) == 0o600
    assert ssh_server.host_key().get_fingerprint() == key.get_fingerprint()


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2"])
async def test_guest_comes_in_past_silent_ssh_connections(home, monkeypatch, address):
    monkeypatch.setattr(limits, "MOST_PENDING", 8)
    async with opened(AccountStore("kmnpqrst")) as (door, port), AsyncExitStack() as stack:
        flood = [await stack.enter_async_context(silent_connection(port, local_addr=(address, 0))) for _ in range(20)]
        async with come(port, "Anna", "kmnpqrst") as connection, terminal(connection) as process:
            await line(process, "pid")
            assert door.connections.total <= 8
        for reader in flood[:12]:
            await is_closed(reader)


async def test_ssh_connections_without_a_terminal_are_pending(home, monkeypatch):
    """Somebody let in by ssh cannot hold connections that show no program."""
    monkeypatch.setattr(limits, "MOST_PENDING", 8)
    async with opened(AccountStore()) as (door, port), AsyncExitStack() as stack:
        idle = [await stack.enter_async_context(come(port, f"Guest{number}")) for number in range(9)]
        async with come(port, "Anna") as connection, terminal(connection) as process:
            await line(process, "pid")
            async with asyncio.timeout(PATIENCE):
                await idle[0].wait_closed()
            assert door.connections.total <= 8
            process.stdin.write("good evening\n")
            await line(process, "typed")


def forged(own, other):
    """A pair of keys that shows the public key of somebody else, and signs with its own."""
    (pair,) = asyncssh.load_keypairs([own])
    pair.public_data = other.public_data
    return pair


async def test_key_is_kept_only_after_its_signature(home):
    """Else the owner of a key that was merely offered could come in, or a guest could pass for having it."""
    own, anna_s = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    book = AccountStore("kmnpqrst")
    async with opened(book) as (_, port):
        async with (
            come(port, "Mallory", "kmnpqrst", keys=[forged(own, anna_s)]) as connection,
            terminal(connection) as process,
        ):
            assert (await line(process)).startswith("To come back as Mallory"), "she has no key"
        assert book.find_returning_account("Mallory").keys == ()
        async with come(port, "Anna", "kmnpqrst", keys=[own, anna_s]) as connection, terminal(connection) as process:
            await line(process, "pid")
        assert book.find_returning_account("Anna").keys == (own.convert_to_public().get_fingerprint(),), (
            "one of hers is enough"
        )
        with pytest.raises(asyncssh.PermissionDenied):
            async with come(port, "Anna", "wrong", keys=[forged(anna_s, own)]):
                pass


async def test_right_signature_alone_lets_nobody_in(home):
    own = asyncssh.generate_private_key("ssh-ed25519")
    async with opened(AccountStore("kmnpqrst")) as (_, port):
        with pytest.raises(asyncssh.PermissionDenied):
            async with come(port, "Mallory", "sesame77", keys=[own], client=Answers("sesame77")):
                pass


async def test_player_of_the_host_comes_back_by_key(home):
    own = asyncssh.generate_private_key("ssh-ed25519")
    profiles.register("Anna", password="sesame77", again="sesame77")
    book = AccountStore("kmnpqrst")
    async with opened(book) as (_, port):
        for answers in (["kmnpqrst", "sesame77"], []):
            async with come(port, "anna", *answers, keys=[own]) as connection, terminal(connection) as process:
                assert (await line(process, "100x30")).startswith("100x30 xterm Anna in ")
        assert book.find_returning_account("Anna").tokens == (), "no program keeps one"
        again = Answers("kmnpqrst", "wrong")
        with pytest.raises(asyncssh.PermissionDenied):
            async with come(port, "Anna", client=again):
                pass
        assert again.asked == ["Code of the club: ", "Password of Anna: "], "without the key, as the first time"
        profiles.set_password("Anna", "sesame77", "", "")
        with pytest.raises(asyncssh.PermissionDenied):
            async with come(port, "Anna", "kmnpqrst", keys=[own]):
                pass


@pytest.fixture
def key_not_saved(monkeypatch):
    """The disk is full when a key is to be saved."""
    write = accounts._write

    def write_without_keys(kept):
        if any(person.keys for person in kept.people):
            raise CardtableError("the club's host cannot save: No space left on device")
        write(kept)

    monkeypatch.setattr(accounts, "_write", write_without_keys)


async def test_new_guest_whose_key_cannot_be_saved(home, key_not_saved, caplog):
    """The guest reads why nobody new comes in, and is nobody yet."""
    own, book = asyncssh.generate_private_key("ssh-ed25519"), AccountStore("kmnpqrst")
    async with opened(book) as (_, port):
        guest = Answers("kmnpqrst")
        with pytest.raises(asyncssh.PermissionDenied):
            async with come(port, "Anna", keys=[own], client=guest):
                pass
        assert guest.told == ["the club's host cannot save: No space left on device; try again later"]
        assert book.find_returning_account("Anna") is None
    async with opened(AccountStore()) as (_, port):  # nothing is asked, so the reason is in the disconnection
        with pytest.raises(asyncssh.DisconnectError, match="No space left on device; try again later"):
            async with come(port, "Bob", keys=[own]):
                pass
    assert caplog.records == []


async def test_known_guest_whose_key_cannot_be_saved(home, key_not_saved):
    """The right word is enough; the key is unknown."""
    own, book = asyncssh.generate_private_key("ssh-ed25519"), AccountStore("kmnpqrst")
    profiles.register("Bob", password="sesame77", again="sesame77")
    _, word = await book.log_in("Anna", addresses.ConnectionOrigin(), code="kmnpqrst")
    async with opened(book) as (_, port):
        for nick, answers in (("Anna", [word]), ("Bob", ["kmnpqrst", "sesame77"])):
            async with come(port, nick, *answers, keys=[own]) as connection, terminal(connection) as process:
                await line(process, "pid")
            assert book.find_returning_account(nick).keys == ()


async def known_guests(book, *nicks):
    """Typed tokens of guests who have been in the club."""
    origin = addresses.ConnectionOrigin("127.0.0.1")
    return [(await book.log_in(nick, origin, new_token=lambda _person: accounts.new_word()))[1] for nick in nicks]


@pytest.mark.promise("The club", "A guest who returns by ssh or browser ends the oldest program of their own.")
@pytest.mark.parametrize("most", [6, 32])
async def test_guest_returns_while_earlier_programs_run(home, most):
    """The last one counts: with two programs of a guest, or if all places of the address (half of six) are taken."""
    book = AccountStore()
    anna, bob = await known_guests(book, "Anna", "Bob")
    async with opened(book, most=most) as (door, port), AsyncExitStack() as stack:
        shown = []
        for nick, word in (("Bob", bob), ("Anna", anna), ("Anna", anna), ("anna", anna)):
            connection = await stack.enter_async_context(come(port, nick, word))
            shown.append(await stack.enter_async_context(terminal(connection)))
            await line(shown[-1], "pid")
        assert await line(shown[1], "You have come in again, and the oldest of your programs ends.")
        assert (await shown[1].wait()).exit_status == 0
        for process in (shown[0], *shown[2:]):
            process.stdin.write("good evening\n")
            await line(process, "typed")
        assert book.find_returning_account("Anna")
        async with come(port, "Bob", bob) as connection, terminal(connection) as process:
            await line(process, "pid")
            if most == 6:
                await line(shown[0], "You have come in again")
        assert len(door.programs._places) == (3 if most == 6 else 4)


async def test_guest_returns_before_a_cut_program_has_ended(home, monkeypatch):
    """The program of a lost connection does not end at once; several that return wait for it."""
    book = AccountStore()
    (anna,) = await known_guests(book, "Anna")
    stubborn = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + PROGRAM.replace(
        "while line := sys.stdin.readline():", "while True:\n    line = sys.stdin.readline()"
    )
    monkeypatch.setattr("cardtable.club.server.hosted_clients.GRACE_SECONDS", 0.3)
    async with opened(book, program=stubborn) as (door, port), AsyncExitStack() as stack:
        for _ in range(2):
            async with come(port, "Anna", anna) as connection, terminal(connection) as process:
                await line(process, "pid")
                connection.abort()
        assert len(door.programs._places) == 2
        returning = [await stack.enter_async_context(come(port, "Anna", anna)) for _ in range(3)]
        shown = [await stack.enter_async_context(terminal(connection)) for connection in returning]
        for process in shown[-2:]:
            await line(process, "pid")
        assert len(door.programs._places) == 2


async def test_no_program_for_a_guest_who_has_gone_again(home, monkeypatch):
    """Connections that are cut while they wait for a place start nothing."""
    book, started, start = AccountStore(), [], PtyProcess.start
    (anna,) = await known_guests(book, "Anna")
    monkeypatch.setattr(PtyProcess, "start", lambda *given: started.append(given) or start(*given))
    async with opened(book) as (door, port), AsyncExitStack() as stack:
        for _ in range(2):
            connection = await stack.enter_async_context(come(port, "Anna", anna))
            await line(await stack.enter_async_context(terminal(connection)), "pid")
        (oldest, _), may_end = door.programs._places, asyncio.Event()
        monkeypatch.setattr(oldest, "end", lambda _why: may_end.wait())
        async with come(port, "Anna", anna) as connection, terminal(connection):
            while len(door._terminals) < 3:
                await asyncio.sleep(0.01)
            connection.abort()
        while not [*door._terminals][-1]._disconnected.is_set():
            await asyncio.sleep(0.01)
        oldest.is_free.set()
        door.programs._places.remove(oldest)
        may_end.set()
        async with asyncio.timeout(PATIENCE):
            while len(door._terminals) == 3:
                await asyncio.sleep(0.01)
        door.programs._places.insert(0, oldest)
        assert len(started) == 2


async def test_program_of_a_guest_gives_way(home):
    """It must not slow down the tables of others."""
    async with opened(AccountStore()) as (_, port), come(port, "Anna") as connection, terminal(connection) as process:
        pid = int((await line(process, "pid"))[4:])
        assert os.getpriority(os.PRIO_PROCESS, pid) == min(os.getpriority(os.PRIO_PROCESS, 0) + 10, 19)


@pytest.mark.parametrize("has_played", [False, True])
async def test_nick_of_a_connection_lost_before_the_word_was_noted(home, has_played):
    book = AccountStore("kmnpqrst")
    async with opened(book) as (door, port):
        async with come(port, "Anna", "kmnpqrst") as connection, terminal(connection) as process:
            pid = int((await line(process, "pid"))[4:])
            if has_played:
                book.mark_played(["Anna"])
            connection.abort()
        await ended(pid)
        await asyncio.wait([*door._terminals.values()] or [asyncio.create_task(asyncio.sleep(0))])
        assert bool(book.find_returning_account("Anna")) is has_played
        if not has_played:
            async with come(port, "Anna", "kmnpqrst") as connection, terminal(connection) as process:
                await line(process, "To come back as Anna")


NOTES_WORD = """
import os
from cardtable.store import club_tokens
print("pid", os.getpid(), club_tokens.find_pending_word(), flush=True)
club_tokens.mark_word_noted()
print("noted", repr(club_tokens.find_pending_word()), flush=True)
input()
"""
"""Does what the lobby does once a guest says that she has written down the word."""


async def test_word_that_is_noted_holds_also_after_a_lost_connection(home):
    book = AccountStore("kmnpqrst")
    async with opened(book, program=NOTES_WORD) as (door, port):
        async with come(port, "Anna", "kmnpqrst") as connection, terminal(connection) as process:
            _, pid, word = (await line(process, "pid")).split()
            await line(process, "noted ''")
            connection.abort()
        await ended(int(pid))
        await asyncio.wait([*door._terminals.values()] or [asyncio.create_task(asyncio.sleep(0))])
        async with come(port, "Anna", word) as connection, terminal(connection) as process:
            assert (await line(process, "pid")).split()[2:] == []


async def test_word_is_told_again_at_the_end(home):
    async with (
        opened(AccountStore()) as (_, port),
        come(port, "Anna") as connection,
        terminal(connection) as process,
    ):
        first = await line(process, "To come back as Anna")
        await line(process, "pid")
        process.stdin.write("end\n")
        assert await line(process, "To come back as Anna") == first


async def test_the_greeting_tells_no_version(home):
    async with opened(AccountStore()) as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        assert await reader.readline() == b"SSH-2.0-cardtable\r\n"
        writer.close()
