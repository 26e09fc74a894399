"""No burst of keys, pastes and clicks ends the program, on any page or overlay."""

from random import Random

import pytest

from cardtable.store import paths, profiles, summaries
from cardtable.ui.club import local_server
from cardtable.ui.table.screen import TableScreen
from tests.budgets import get_trials
from tests.ui.bursts import key_event, random_burst, send
from tests.ui.screen_routes import (
    FROM_THE_PICKER,
    FROM_THE_TABLE,
    PLACES,
    SESSION_PAGES,
    START_SCREENS,
    DelayedStatistics,
    create_app,
    fast_program,
    wait_until_idle,
    write_home,
)
from tests.ui.table_host import create_session

__all__ = ["fast_program"]  # a fixture

BURSTS = get_trials("bursts")
"""Number of bursts for each page and overlay."""
BURSTS_PER_RUN = 10
"""Bursts after which the program is started anew, so that pages are opened for the first time again."""
SIZES = [(80, 24), (120, 40), (60, 18), (30, 6)]
WITH_STATISTICS_PROCESS = {"statistics", "new table"}
"""Places whose records come from a child process, as usual; starting one for each burst takes longer than the bursts.
"""


async def send_bursts(place, first, keys="", bursts_per_run=BURSTS_PER_RUN):
    """Start the program repeatedly, press keys and let a burst follow immediately.

    Sessions that a run has begun are deleted after it: the picker reads every unfinished one.
    """
    initial_sessions = summaries.list_journals(paths.sessions_folder())
    for number in range(0, BURSTS, bursts_per_run):
        start = first()
        app = create_app(*start)
        if place not in WITH_STATISTICS_PROCESS:
            app.context.statistics_client = DelayedStatistics()
        await _send_bursts_in_one_run(
            Random(f"{place} {number}"), range(number, number + bursts_per_run), app, keys, 1 + bool(start)
        )
        for path in summaries.list_journals(paths.sessions_folder()):
            if path not in initial_sessions:
                path.unlink(missing_ok=True)


async def _send_bursts_in_one_run(rng, numbers, app, keys, screen_count):
    """Send bursts in one run of the program, fewer if one of them ends it."""
    size = rng.choice(SIZES)
    async with app.run_test(size=size) as pilot:
        if rng.random() < 0.5:
            await wait_until_idle(pilot)
        for each in numbers:
            send(app, [*map(key_event, keys.split()), *random_burst(each, rng, size)])
            await wait_until_idle(pilot)
            if not app.is_running:
                break
            await return_to_start(pilot, app, screen_count)
    assert app.unhandled_error is None


async def return_to_start(pilot, app, screen_count):
    """Return to the start of the program: the picker or the page above it."""
    while len(app.screen_stack) > screen_count:
        await app.pop_screen()
    if isinstance(app.screen, TableScreen):
        app.screen.view.overlay = None
        app.screen.show()
    await wait_until_idle(pilot)


@pytest.mark.parametrize("place", FROM_THE_PICKER)
async def test_bursts_from_picker(place):
    write_home(place)
    await send_bursts(place, *PLACES[place])


@pytest.mark.parametrize("place", FROM_THE_TABLE)
async def test_bursts_at_table(place):
    await send_bursts(place, *PLACES[place])


@pytest.mark.parametrize("place", SESSION_PAGES)
async def test_bursts_on_session_pages(place):
    await send_bursts(place, *PLACES[place])


@pytest.mark.parametrize("place", START_SCREENS)
async def test_bursts_on_start_screens(place):
    await send_bursts(place, *PLACES[place], bursts_per_run=2)


async def test_bursts_at_password_prompt():
    profiles.register("Anna", password="sesame77", again="sesame77")
    await send_bursts("password", lambda: (create_session("rikiki", 11),))


async def test_bursts_while_hosting_club(monkeypatch):
    begin = local_server.LocalServer.start

    def start_on_any_local_port(club, name, *, on_network, code, port, ssh_port, web_port):
        begin(club, name, on_network=False, code=code, port=0, ssh_port=ssh_port and 0, web_port=web_port and 0)

    monkeypatch.setattr(local_server.LocalServer, "start", start_on_any_local_port)
    await send_bursts("open to others", lambda: (None, ("open_to_others",)))
