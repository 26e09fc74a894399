"""Logins at the accounts of a club, with a clock and saves that the test controls."""

import asyncio
import queue
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin, LoginIdentity
from cardtable.club.client.client import ClubClient, ClubObserver
from cardtable.club.client.connection import Login
from cardtable.club.server import club_file
from cardtable.club.server.limits import LoginError
from cardtable.engine.errors import CardtableError
from tests.club.loopback_club import poll_until
from tests.waiting import TIMEOUT, describe_condition

CODE = "kmnpqrst"


ORIGIN, OTHER_ORIGIN, NEIGHBOUR = (ConnectionOrigin(address) for address in ("192.0.2.1", "198.51.100.1", "192.0.2.2"))


BY_SSH = ConnectionOrigin("192.0.2.1", transport="ssh")


def add_keys(accounts, nick, *keys):
    """Give an account ssh keys, as logins with them do."""
    accounts.store.put_account(replace(accounts.store.find_account(nick), keys=keys))


async def log_in(accounts, nick, origin=ORIGIN, *, code="", password="", token=""):
    if not token:
        return await accounts.authenticator.log_in(LoginIdentity(origin, nick), code=code, password=password)
    proof = protocol.compute_token_proof(protocol.hash_token(token), accounts.store.id, "host", "guest")
    hello = protocol.Hello(nick, code, nonce="guest", proof=proof)
    return accounts.authenticator.log_in_by_proof(hello, "host", origin)[0], ""


def hash_hex(token):
    return protocol.hash_token(token).hex()


async def assert_refused(accounts, nick, origin=ORIGIN, **credentials):
    with pytest.raises(LoginError) as refusal:
        await log_in(accounts, nick, origin, **credentials)
    return refusal.value


def make_nicks(letter, number):
    """Return different nicks that begin with a letter."""
    return [f"{letter}{chr(97 + each // 26)}{chr(97 + each % 26)}" for each in range(number)]


class Clock:
    """A clock that is set by the test."""

    def __init__(self):
        self.now = 1e9

    def __call__(self):
        return self.now


class ClientProgram(ClubObserver):
    """A guest's client, which finds its tickets."""

    def __init__(self, url, login):
        self.client = ClubClient(url, login, self)
        self.news = asyncio.Event()

    def handle_change(self):
        self.news.set()

    async def wait_until(self, condition):
        try:
            async with asyncio.timeout(TIMEOUT):
                while not condition():
                    self.news.clear()
                    await self.news.wait()
        except TimeoutError:
            raise AssertionError(f"this never became true: {describe_condition(condition)}") from None


@asynccontextmanager
async def running_client(url, login, code=""):
    """Run a client of this home at a club."""
    program = ClientProgram(url, Login(login, code=code) if isinstance(login, str) else login)
    task = asyncio.create_task(program.client.run())
    try:
        yield program
    finally:
        task.cancel()
        await asyncio.wait([task])


async def visit(url, login, code=""):
    """Let a client of this home enter a club and leave again; return the client."""
    async with running_client(url, login, code) as program:
        await program.wait_until(lambda: program.client.connection.is_connected)
        return program.client


async def read_refused_login(url, login):
    """Let a client of this home be refused by a club; return the client."""
    async with running_client(url, login) as program:
        await program.wait_until(lambda: program.client.connection.end_reason)
        return program.client


class ControlledSaves:
    """Saves of the accounts, each of which blocks until the test decides its result."""

    def __init__(self, monkeypatch):
        self._results, self._save = queue.Queue(), club_file.update_club_file
        monkeypatch.setattr(club_file, "update_club_file", self._wait)

    def _wait(self, change):
        if self._results.get(timeout=TIMEOUT) == "fails":
            raise CardtableError("the disk is full")
        return self._save(change)

    def finish(self, *results):
        for result in results:
            self._results.put(result)


async def wait_for_changes(accounts, number):
    """Wait until the accounts have been changed so often, whether or not that is saved."""
    await poll_until(lambda: accounts.store._change_count == number)


async def start_login(accounts, nick, origin=ORIGIN, **credentials):
    """Start a login and let it run up to the save."""
    task = asyncio.create_task(log_in(accounts, nick, origin, **credentials))
    for _ in range(3):
        await asyncio.sleep(0)
    return task
