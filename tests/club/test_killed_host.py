"""A host that is killed while guests play by ssh and in a browser, whose programs run at the host."""

import asyncio
import re
from itertools import chain
from random import Random
from types import SimpleNamespace

import pytest

from cardtable.engine import journal
from cardtable.session.round_replay import replay_messages
from cardtable.session.session_events import MessageLog
from cardtable.store import paths
from cardtable.wording.formatting import YOU, insert_suit_signs
from cardtable.wording.log_entries import format_note
from tests.budgets import get_trials
from tests.club.behind_nginx import find_free_ports
from tests.club.screen_guests import BrowserGuest, SshGuest
from tests.club.test_browser_server import CODE, browser
from tests.club.test_server import HostProcess
from tests.club.test_ssh_server import wait_for_process_end
from tests.serving import list_children
from tests.session.session_player import SessionPlayer, create_session

TIMEOUT = 600
"""Seconds for guests to come in and sit down; their programs have a low priority on a machine that may be busy."""
MOVE = re.compile(r" bids? \d| [\dJQKA]+[♠♥♦♣]$| in round \d")
"""Part of a message that a decision or the end of a round causes."""


def list_descendants(process):
    """Return the ids of all processes that a process has started, directly or not."""
    children = list_children(process)
    return [*children, *chain.from_iterable(map(list_descendants, children))]


def list_moves(path, nick):
    """Return the messages about decisions and points in a journal as the player with a nick reads them, in order."""
    names = [occupant.name for occupant in journal.read(path.read_bytes()).header.seats]
    seat = names.index(nick)
    names[seat] = YOU
    log = MessageLog(range(2))
    replay_messages(path, log)
    texts = [
        insert_suit_signs(f"{names[note.seat]} {format_note(note, you=note.seat == seat)}")
        for note in log.notes
        if note.seat is not None
    ]
    return list(filter(MOVE.search, texts))


def list_shown_moves(guest):
    """Return the messages about decisions and points on a guest's screen, in order."""
    return list(filter(MOVE.search, guest.list_messages()))


def assert_moves_stored(guest):
    """Assert that a journal has the moves on a guest's screen, in this order."""
    shown = list_shown_moves(guest)
    stored = [iter(list_moves(path, guest.nick)) for path in paths.sessions_folder().glob("*.jsonl")]
    assert not shown or any(all(move in moves for move in shown) for moves in stored), (
        f"{guest.nick} was shown what no journal has:\n{guest.text}"
    )


async def wait_for_moves(guests):
    """Wait until all guests are at the table and have seen a move."""
    async with asyncio.timeout(TIMEOUT):
        while not all(map(list_shown_moves, guests)):
            await asyncio.sleep(0.05)


async def test_killed_host_of_ssh_and_browser_guests(home):
    """Their programs end with the host, and they return without the code to a table that has all they have seen."""
    rng, (port, ssh_port, web_port) = Random("killed host"), find_free_ports(3)
    options = ("--port", port, "--ssh", ssh_port, "--web", web_port, "--code", CODE)
    async with browser() as tabs:
        guests = [SshGuest("Anna", CODE, ssh_port, opens_table=True), BrowserGuest("Bob", CODE, web_port, tabs)]
        for kill in range(get_trials("hosts of programs killed") + 1):
            with HostProcess(home, options=options) as host:
                visits = [asyncio.create_task(guest.visit()) for guest in guests]
                if rng.random() < 0.8 or kill < 2:
                    await wait_for_moves(guests)
                await asyncio.sleep(rng.uniform(0.0, 3.0))
                assert not any(visit.done() for visit in visits), [guest.text for guest in guests]
                assert len([*(home / "club-guests").iterdir()]) <= len(guests)
                programs = list_descendants(host.process.pid)
                host.process.kill()
                await asyncio.gather(*visits)
                for program in programs:
                    await wait_for_process_end(program)
            for guest in guests:
                assert_moves_stored(guest)


def test_moves_missing_from_the_journal_are_found(home):
    session = create_session("rikiki", people=2)
    SessionPlayer(session).run_until(lambda runner: runner.referee.decisions == 15)
    session.close()
    moves = list_moves(session.path, "Anna")
    assert_moves_stored(SimpleNamespace(nick="Anna", list_messages=lambda: [*moves, "Bob is away"]))
    for wrong in ([*moves, "Bob bids 9"], moves[::-1]):
        with pytest.raises(AssertionError, match="Anna was shown what no journal has"):
            assert_moves_stored(SimpleNamespace(nick="Anna", text="", list_messages=lambda wrong=wrong: wrong))
