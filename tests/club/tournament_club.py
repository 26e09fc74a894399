"""A club with a tournament, and what its people do: check in, sit down, play and leave."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager

from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.administration import Done, NewTournament, NextTournamentRound
from cardtable.club.server.administration import Administration
from cardtable.club.server.requests import execute_request
from cardtable.store import tournaments
from tests.club.loopback_club import club, connected_guests, poll_until

NICKS = ("Anna", "Bob", "Cleo", "Dan", "Emil", "Finn", "Gina", "Hugo")
CUP = NewTournament("Cup", "gurka", 2, NICKS, options=("limit=21",))

NEXT_ROUND = NextTournamentRound("cup")


@asynccontextmanager
async def open_cup(tournament=CUP):
    """Open a club and a tournament; yield the lobby, its administration, and the people who take part, by nick."""
    async with AsyncExitStack() as stack:
        lines = []
        room, url = await stack.enter_async_context(club(log=lines.append))
        people = await stack.enter_async_context(connected_guests(url, *tournament.players))
        administration = Administration(room)
        assert isinstance(await execute_request(administration, tournament), Done)
        yield room, administration, {guest.nick: guest for guest in people}, url, lines


def load_cup():
    [cup] = tournaments.load()
    return cup


async def begin_round(administration, people):
    """Call the next round, and let these people check in, who are all that take part."""
    assert isinstance(await execute_request(administration, NEXT_ROUND), Done)
    await check_in(people.values())
    await poll_until(lambda: load_cup().rounds[load_cup().current_round].state == "playing")


async def check_in(guests):
    """Let guests check in once they are called, and wait until the host has it."""
    for guest in guests:
        await guest.wait_until(lambda guest=guest: guest.round_call and guest.round_call.seconds)
        await guest.send(protocol.CheckIn("Cup"), until=lambda guest=guest: not guest.round_call.seconds)


def end_call(room):
    """Let the time to check in be over."""
    cup = load_cup()
    called = cup.rounds[cup.current_round]
    tournaments.save(cup.replace_round(cup.current_round, replace(called, call_until=1)))
    room.tournament_manager.notice_change()


async def sit_down(people, number):
    """Let the people of a round take their seats; return them by table."""
    await poll_until(lambda: load_cup().rounds[number - 1].state == "playing")
    tables = []
    for table in load_cup().rounds[number - 1].tables:
        guests = [
            people[occupant.name] for occupant in table.seats if occupant.robot is None and occupant.name in people
        ]
        for guest in guests:
            await guest.wait_until(lambda guest=guest, id_=table.session: id_ in guest.tables)
            await guest.send(protocol.SitDown(table.session))
        for guest in guests:
            await guest.wait_until(lambda guest=guest, id_=table.session: guest.update and guest.update.table == id_)
        tables.append(guests)
    return tables


async def play(*guests):
    await asyncio.gather(*[guest.play() for guest in guests])


async def leave(*guests):
    """Let guests leave the table at which they are."""
    for guest in guests:
        await guest.send(protocol.Leave(guest.update.table))
