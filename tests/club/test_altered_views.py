"""Views of a hostile host in which one value is another valid one: a table that cannot be drawn is left."""

import asyncio
import json
from contextlib import asynccontextmanager
from itertools import islice
from random import Random

import pytest
from msgspec import Raw

from cardtable.club.client import remote_session
from cardtable.club.client.client import ClubClient
from cardtable.club.client.connection import Login
from cardtable.club.protocol import Seated, SeatInfo, SeenStep, Update
from cardtable.engine.cards import CARDS
from cardtable.engine.game import OVER
from cardtable.engine.journal import VERSION, Header, Occupant
from cardtable.engine.value_checks import MAX_NUMBER, encode_view
from cardtable.games import GAMES, KEYS
from cardtable.plain.club.client_thread import ClientThread
from cardtable.plain.club.lobby import PlainLobby
from cardtable.plain.console import QuitRequested
from cardtable.session.session_events import Stage
from cardtable.store.settings import Settings
from cardtable.testing.cases import describe_phase, iter_random_positions, list_cases
from tests.budgets import get_trials
from tests.club.lobby_screen import lobby_app
from tests.club.test_invalid_messages import WELCOME, hostile_host

NAMES = ("Anna", "Bob", "Cleo", "Dan", "Eve", "Fay")
MAX_EVENTS = 200
"""Maximum number of events before an altered view."""


def alter_value(value, rng):
    """Return another value of the same kind for a value of JSON."""
    match value:
        case bool():
            return not value
        case int():
            numbers = 0, value + 1, value - 1, rng.randrange(14), rng.randrange(len(CARDS)), rng.getrandbits(len(CARDS))
            return rng.choice((*numbers, -1, MAX_NUMBER, None))
        case None:
            return rng.choice((0, rng.randrange(14), rng.randrange(len(CARDS)), []))
        case list() if value and rng.random() < 0.5:
            place = rng.randrange(len(value))
            return [*value[:place], alter_value(value[place], rng), *value[place + 1 :]]
        case list():
            return rng.choice(([], value[1:], value[:-1], value[::-1], value * 2))
        case dict():
            name = rng.choice([*value])
            return {**value, name: alter_value(value[name], rng)}
    return ""


def alter_view(view, rng):
    """Return a view as JSON in which one field has another value."""
    fields = json.loads(bytes(encode_view(view)))
    name = rng.choice([name for name in fields if name not in ("seat", "options")])
    return encode_fields({**fields, name: alter_value(fields[name], rng)})


def encode_fields(fields):
    return Raw(json.dumps(fields).encode())


def choose_position(key, rng):
    """Return a random case of a game and a state of a session that is not over."""
    case = rng.choice(list_cases(GAMES[key]))
    positions = iter_random_positions(case, rng.randrange(10**6))
    for position in islice(positions, rng.randint(1, MAX_EVENTS)):
        if position.state.turn != OVER:
            state = position.state.copy()
    return case, state


def create_messages(case, view, data, table="t"):
    """Return the messages by which a host shows a table to the player at the seat of ``view``, as ``data``."""
    seats = tuple([Occupant(name) for name in NAMES[: case.seats]])
    header = Header(
        cardtable=VERSION,
        id="20260101-120000-aaaa",
        game=case.game.about.key,
        created="2026-01-01T12:00:00Z",
        seed=0,
        options=case.options.to_header(),
        seats=seats,
    )
    stage = Stage.PLAY if view.playing or not view.round else Stage.ROUND_END
    places = tuple([SeatInfo(seat.name) for seat in seats])
    return Seated(table, header, view.seat), Update(table, 1, (SeenStep(data),), stage, whole=True, seats=places)


class ScriptedInput:
    """Input of a plain-text client that types the lines of a script at every table, and then leaves."""

    SCRIPT = ("", "previous", "sheet", "what", "hands", "who", "1", "7S", "leave")

    def __init__(self):
        self._lines = list(self.SCRIPT)

    def notify(self):
        pass

    def wait_for_input(self, *, needs_line):
        if not self._lines:
            raise QuitRequested
        return self._lines.pop(0)

    def wait_until(self, condition, seconds=None):
        return condition()


@asynccontextmanager
async def plain_lobby():
    """Yield the lobby of a plain-text client that gets the messages of its host from the test."""
    thread = ClientThread("ws://localhost:1", ScriptedInput())
    thread.client = client = ClubClient("ws://localhost:1", Login("Anna"), thread)
    client._loop = thread._loop = asyncio.get_running_loop()
    yield PlainLobby(thread, Settings()), thread


async def show_plain_table(lobby, thread, messages):
    """Let the player join a table and leave it again; return True if the messages about it are valid."""
    thread.input = ScriptedInput()
    for message in messages:
        thread.client.handle_message(message)
    is_valid = bool(thread.new_sessions)
    if is_valid:
        await asyncio.to_thread(lobby._run_table)
        await asyncio.sleep(0)
    assert not thread.client.remote_sessions
    return is_valid


@pytest.mark.parametrize("key", KEYS)
async def test_altered_views_in_plain_text(key):
    rng, shown = Random(f"altered {key}"), 0
    async with plain_lobby() as (lobby, thread):
        while shown < get_trials("altered views"):
            case, state = choose_position(key, rng)
            view = state.view(max(state.turn, 0))
            for _ in range(5):
                shown += await show_plain_table(lobby, thread, create_messages(case, view, alter_view(view, rng)))


def create_rifki_without_tricks():
    """Return the messages about a trick of Rifki, in which no seat has a number of tricks."""
    case = list_cases(GAMES["rifki"])[0]
    state = next(
        position.state for position in iter_random_positions(case, 1) if describe_phase(position.state) == "play"
    )
    view = state.view(state.turn)
    fields = json.loads(bytes(encode_view(view)))
    return create_messages(case, view, encode_fields({**fields, "won": []}))


async def test_table_that_plain_text_cannot_describe_is_left(capsys):
    async with plain_lobby() as (lobby, thread):
        assert await show_plain_table(lobby, thread, create_rifki_without_tricks())
        lobby._print_news()
    assert "You have left the table: its position cannot be shown" in capsys.readouterr().out


async def test_table_that_the_screen_cannot_draw_is_left():
    async with hostile_host(WELCOME) as (url, _), lobby_app(url) as screen:
        await screen.sees("No table is open yet")
        client = screen.page.client
        for message in create_rifki_without_tricks():
            client.handle_message(message)
        await screen.sees("Tables", "You have left the table")
        assert client.connection.is_connected
        assert not client.remote_sessions


@pytest.mark.parametrize("key", KEYS)
async def test_altered_views_on_the_screen(key, monkeypatch):
    monkeypatch.setattr(remote_session, "RESPONSE_TIMEOUT", 0.01)  # the host answers no action
    rng, shown = Random(f"altered {key}"), 0
    async with hostile_host(WELCOME) as (url, _), lobby_app(url) as screen:
        await screen.sees("No table is open yet")
        lobby, client = screen.app.screen, screen.page.client
        while shown < get_trials("views on screen"):
            case, state = choose_position(key, rng)
            view = state.view(max(state.turn, 0))
            for message in create_messages(case, view, alter_view(view, rng), f"t{shown}"):
                client.handle_message(message)
            shown += bool(client.remote_sessions)
            for name in ("right", "s", "s", "l", "l", "enter"):
                if screen.app.screen is not lobby:
                    await screen.press(name)
            if screen.app.screen is not lobby:
                screen.app.context.leave(screen.app.screen)
            await screen.wait_until(lambda: screen.app.screen is lobby and not client.remote_sessions)
        assert client.connection.is_connected
