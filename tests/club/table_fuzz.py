"""Sends messages with any numbers to tables in every state; ``python -m tests.club.table_fuzz`` does so for an hour.

Its last line is the number of messages. It ends with an error if a message is not answered, a task of the club ends, or
a table does not go on afterwards.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections import Counter
from contextlib import AsyncExitStack
from functools import partial
from random import Random
from unittest.mock import patch

import msgspec

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.server import lobby
from cardtable.club.server.club_file import KnownGuest
from cardtable.club.server.club_table import TournamentSetting
from cardtable.club.server.host_events import Fault
from cardtable.club.server.requests import handle_request
from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.session.session_events import Stage
from cardtable.store import paths
from cardtable.store.session_setup import SessionSetup
from tests.club.loopback_club import TIMEOUT, Guest, open_lobby, play_until, start_table
from tests.club.messages import CLIENT_MESSAGES

SEATS = 4
SHORT = {"limit": 21}
"""House rules of Gurka by which a session is soon over."""
GAME_KEYS = ("gurka", "rikiki", "king", "bridge")
MESSAGES_PER_TABLE = 12
NUMBERS = (-1, *range(SEATS + 2), 7, 8, 2**15, 10**9, 10**9 + 1, 2**31 - 1, 2**31)
OPTIONS = ("round_clock", "limit", "clock")
"""House rules with numbers, and the name of none."""
SAMPLES = [each for each in CLIENT_MESSAGES if not isinstance(each, protocol.Register)]
"""All messages but the one that makes its sender another person, who has to come anew."""
SILENT_MESSAGES = (
    *(protocol.SitDown, protocol.Watch, protocol.ResumeSession, protocol.Start, protocol.AdmitSpectators),
)
"""Messages that change nothing for others if the sender is at the table already, agrees to robots there, or it is so.
"""


class FrozenTable(AssertionError):
    """A message was not answered, or a table has not gone on."""


class Visitor(Guest):
    """A guest in the lobby of this process, without a connection, who follows one table."""

    table = ""
    """Id of the table; news of others are ignored. Empty if it is not known yet."""
    received = 0
    """Number of frames received."""

    def __init__(self, room, nick):
        super().__init__("ws://nowhere", nick)
        self.room = room

    async def __aenter__(self):
        guest = self.room.accounts.put_account(KnownGuest(self.nick))
        self.client = self.room.add_client(guest, "", ConnectionOrigin(is_private=True))
        self.task = asyncio.create_task(self._receive_frames())
        return self

    async def __aexit__(self, *_):
        self.task.cancel()
        await asyncio.wait([self.task])
        async with asyncio.timeout(TIMEOUT):
            await self.room.remove_client(self.client)
        self.room.accounts.remove_account(self.nick)

    async def _receive_frames(self):
        while frame := await self.client.wait_for_frame():
            self._read_frame(frame)

    def _read_frame(self, frame):
        message = protocol.decode_server(frame)
        self.received += 1
        if not self.table or getattr(message, "table", self.table) == self.table:
            self.receive(message)

    async def send(self, message, *, until=lambda: True):
        try:
            async with asyncio.timeout(TIMEOUT):
                await handle_request(self.room, self.client, message)
        except TimeoutError:
            raise FrozenTable(f"no answer to {message}") from None
        for frame in iter(self.client.take_frame, b""):
            self._read_frame(frame)
        await self.wait_until(until)

    @property
    def is_at_table(self):
        return self.table in self.room.table_manager.limits.list_joined_tables(self.nick)

    def find_values(self, table):
        """Return what the guest could send now: table, absent seat, and what ``Act`` and ``AcknowledgeRound`` need."""
        values = {"t": table, 1: 2}
        if self.view and self.update:
            values |= {12: self.update.at, 3: self.view.round, "play AS": str(next(iter(self.view.legal), ""))}
        return values

    @property
    def plays(self):
        subscriber = self.client.subscriptions.get(self.table)
        return subscriber is not None and subscriber.seat is not None


class People:
    """The people of a table: Anna is its game master, Bob and Cleo play, Kay watches, Mal is in the lobby."""

    def __init__(self, room, game, visitors, *, is_private):
        self.room, self.game, self.visitors, self.is_private = room, game, visitors, is_private
        self.anna, self.bob, self.cleo, self.kay, self.mal = visitors
        self.players = (self.anna, self.bob, self.cleo)

    async def fill(self):
        """Return a table that waits for players."""
        before = {*self.room.table_manager.registry.list_lobby_tables()}
        invited = tuple([guest.nick for guest in self.players])
        await self.anna.send(protocol.OpenTable(self.game, SEATS, private=self.is_private, invited=invited))
        (table,) = self.room.table_manager.registry.list_lobby_tables().keys() - before
        await self.bob.send(protocol.SitDown(table, 2))
        return table

    async def play(self, **options):
        table = await start_table(*self.players, game=self.game, seats=SEATS, private=self.is_private, **options)
        await self.anna.send(protocol.InviteToTable(table, self.kay.nick))
        await self.kay.send(protocol.Watch(table))
        return table

    async def wait_for_absent_player(self):
        table = await self.play()
        await self.cleo.send(protocol.Leave(table))
        return table

    async def end_round(self):
        table = await self.play()
        await play_until(lambda: self.anna.update.stage is Stage.ROUND_END, *self.players)
        return table

    async def vote(self):
        """Return a table at which one of two players has voted for a robot in the third seat."""
        table = await self.wait_for_absent_player()
        await self.anna.send(protocol.EndWait(table))
        await self.anna.send(protocol.VoteSubstitute(table, 2))
        return table

    async def substitute(self):
        table = await self.vote()
        await self.bob.send(protocol.VoteSubstitute(table, 2))
        return table

    async def end_round_with_substitute(self):
        table = await self.substitute()
        await play_until(lambda: self.anna.update.stage is Stage.ROUND_END, self.anna, self.bob)
        return table

    async def offer_seat(self):
        table = await self.end_round_with_substitute()
        await self.anna.send(protocol.GiveSeat(table, 2, self.mal.nick))
        return table

    async def give_seat_to_robot(self):
        table = await self.end_round_with_substitute()
        await self.anna.send(protocol.GiveSeat(table, 2))
        return table

    async def end_session(self):
        self.game = "gurka"
        table = await self.play(**SHORT)
        await asyncio.gather(*[guest.play() for guest in self.players])
        return table

    async def offer_rematch(self):
        table = await self.play()
        await self.anna.send(protocol.VoteRematch(table))
        return table

    async def offer_rematch_at_the_end(self):
        table = await self.end_session()
        await self.anna.send(protocol.VoteRematch(table))
        return table

    async def leave_after_the_end(self):
        table = await self.end_session()
        for guest in (*self.players, self.kay):
            await guest.send(protocol.Leave(table))
        return table

    async def save(self):
        table = await self.play()
        for guest in (*self.players, self.kay):
            await guest.send(protocol.Leave(table))
        return table

    async def resume(self):
        table = await self.save()
        await self.anna.send(protocol.ResumeSession(table))
        return table

    async def conduct_tournament(self):
        """Return a table of a tournament, at which one of four players is missing."""
        manager, game, table = self.room.table_manager, GAMES[self.game], f"cup-{self.anna.nick}"
        seats = tuple([Occupant(guest.nick) for guest in (*self.players, self.kay)])
        setup = SessionSetup(game, seats, game.options().for_seats(SEATS), None, random_seating=False)
        manager.registry.add_tournament_table(table, 5, TournamentSetting("Cup", lambda _board: ""))
        begin = partial(setup.begin, table, authenticated=True, host_id=self.room.accounts.id)
        await manager.registry.open_tournament_table(table, begin)
        for guest in self.players:
            await guest.send(protocol.SitDown(table))
        return table


STATES = (
    *(People.fill, People.play, People.wait_for_absent_player, People.end_round, People.vote, People.substitute),
    *(People.end_round_with_substitute, People.offer_seat, People.give_seat_to_robot, People.end_session),
    *(People.leave_after_the_end, People.offer_rematch, People.offer_rematch_at_the_end, People.save, People.resume),
    People.conduct_tournament,
)
"""Functions that bring a table of new people into a state, and return its id."""


def make_frame(rng, nicks, values):
    """Return a message with any numbers and some of these nicks, by the names in the samples.

    ``values`` are what makes sense at the table in place of other values of the samples.
    """

    def change(value, name=""):
        if name == "options":
            return {each: rng.choice(NUMBERS) for each in rng.sample(OPTIONS, rng.randrange(2))}
        match value:
            case dict():
                return {each: change(member, each) for each, member in value.items()}
            case tuple() | list():
                return [*map(change, value)]
            case bool():
                return rng.random() < 0.5
            case int():
                return rng.choice((values.get(value, value), rng.choice(NUMBERS), rng.randint(-1, 2**31)))
        if value in nicks:
            return rng.choice(["", *nicks.values()])
        return rng.choice(GAME_KEYS) if name == "game" else values.get(value, value)

    return msgspec.json.encode(change(msgspec.to_builtins(rng.choice(SAMPLES))))


class Fuzz:
    """Messages to tables of one club, and what they have caused."""

    def __init__(self, seed):
        self._rng, self._faults = Random(seed), []
        self.counts = Counter()
        """Number of messages by state."""

    async def run(self, is_over):
        """Try one state after the other until ``is_over`` is true after all of them."""
        asyncio.get_running_loop().set_exception_handler(lambda _, context: self._faults.append(str(context)))
        with patch.object(lobby, "NEWS_DELAY", 0.001):
            async with open_lobby(emit=self._note_fault) as room:
                while not is_over():
                    for state in STATES:
                        await self._try_state(room, state)

    def _note_fault(self, event):
        if isinstance(event, Fault):
            self._faults.append(str(event))

    async def _try_state(self, room, state):
        number = self.counts.total() // MESSAGES_PER_TABLE % 1000  # others have used up what they may do in a second
        nicks = {nick: f"{nick}{number}" for nick in ("Anna", "Bob", "Cleo", "Kay", "Mal")}
        async with AsyncExitStack() as stack:
            visitors = [await stack.enter_async_context(Visitor(room, nick)) for nick in nicks.values()]
            people = People(room, self._rng.choice(GAME_KEYS), visitors, is_private=self._rng.random() < 0.3)
            table = await state(people)
            for visitor in visitors:
                visitor.table = table
            sent = []
            try:
                for _ in range(MESSAGES_PER_TABLE):
                    sender = self._rng.choice(visitors)
                    frame = make_frame(self._rng, nicks, sender.find_values(table))
                    sent.append(f"{sender.nick}: {frame.decode()}")
                    await self._try_message(sender, frame)
                await self._check_table(room, table, visitors)
            except AssertionError as error:
                error.add_note("\n".join([state.__name__, *sent]))
                raise
            self.counts[state.__name__] += len(sent)
        assert not self._faults, f"{state.__name__}: {self._faults}"
        for each in [*room.table_manager.registry.tables]:
            await room.table_manager.abandon_table(each, "")
        for path in (*paths.sessions_folder().glob("*.jsonl"), *paths.archive_folder().glob("*.jsonl")):
            path.unlink()

    async def _try_message(self, sender, frame):
        try:
            message = protocol.decode_client(frame)
        except msgspec.ValidationError:
            return
        before = sender.received, sender.room.table_manager.registry.list_lobby_tables()
        await sender.send(message)
        after = sender.received, sender.room.table_manager.registry.list_lobby_tables()
        if before == after and not (isinstance(message, SILENT_MESSAGES) and sender.is_at_table):
            raise FrozenTable(f"no answer to {message} of {sender.nick}")

    async def _check_table(self, room, table, visitors):
        """Let everybody who has a seat sit down, or take a free one; the session has to go on."""
        for visitor in visitors:
            await visitor.send(protocol.SitDown(table))
        row = room.table_manager.registry.list_lobby_tables().get(table)
        if row is None:  # all have left before it began, or after its end
            return
        for message in (protocol.Start(table), protocol.EndWait(table)):
            for visitor in visitors:
                await visitor.send(message)
        players = [visitor for visitor in visitors if visitor.plays]
        for player in players:
            await player.wait_until(lambda player=player: player.update)
            player.unread, player.answered = True, None
        at = max([player.update.at for player in players], default=0)

        def goes_on(player):
            return player.update.at > at + 1 or player.update.stage is Stage.SESSION_END

        try:
            async with asyncio.timeout(TIMEOUT):
                await room.table_manager.registry.tables[table].hosted_session.read_finished_rounds()
                await play_until(lambda: not players or any(map(goes_on, players)), *players)
        except TimeoutError:
            raise FrozenTable(f"the table stands still: {[player.update for player in players]}") from None


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.club.table_fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["CARDTABLE_HOME"] = home
        fuzz, end = Fuzz(chosen.seed), time.monotonic() + chosen.seconds
        asyncio.run(fuzz.run(lambda: time.monotonic() > end))
    for state, number in fuzz.counts.items():
        print(f"{number:>9}  {state.replace('_', ' ')}")
    print(f"{fuzz.counts.total():,} messages, all answered")
    return 0


if __name__ == "__main__":
    sys.exit(main())
