"""Robot client: the thinking lock of hosted clients, and the time limit of games of other packages."""

import asyncio
from itertools import count

import pytest

from cardtable import games
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import CHANCE
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.robots import worker
from cardtable.robots.worker import ChooseRequest, HintRequest, MeasureRequest
from cardtable.session.local_robots import LocalRobots
from cardtable.session.robot_client import RobotClient, hold_thinking_lock
from cardtable.store import paths
from cardtable.store.club_tokens import HINT_LOCK_VARIABLE
from cardtable.workers import time_limit
from cardtable.workers.client import WorkerTimeout
from cardtable.workers.time_limit import TimeLimit, TimeLimitExceeded


async def count_concurrent_thinkers(number):
    """Return how many of `number` tasks held the thinking lock at the same time."""
    count = most = 0

    async def think():
        nonlocal count, most
        async with hold_thinking_lock():
            count += 1
            most = max(most, count)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            count -= 1

    await asyncio.gather(*[think() for _ in range(number)])
    return most


async def test_no_thinking_lock_at_a_local_table():
    assert await count_concurrent_thinkers(3) == 3


async def test_hosted_clients_think_one_at_a_time(monkeypatch):
    paths.create_folder(paths.home())
    monkeypatch.setenv(HINT_LOCK_VARIABLE, str(paths.hint_lock_file()))
    assert await count_concurrent_thinkers(3) == 1


class SilentWorker:
    """Worker process that gives no answer for some levels: it is late, or ends."""

    def __init__(self, error, *silent_levels):
        self.error, self.silent_levels, self.asked, self.worlds = error, silent_levels, [], []

    async def stop(self):
        pass

    async def ask_once(self, request, limit_seconds):
        assert limit_seconds == time_limit.ELAPSED_FACTOR * time_limit.LIMIT_SECONDS
        match request:
            case HintRequest():
                raise self.error
            case MeasureRequest():
                return 32
        self.asked.append(request.level)
        self.worlds.append(request.worlds)
        if request.level in self.silent_levels:
            raise self.error
        return str(request.view.legal[0])


@pytest.fixture
def create_client(monkeypatch):
    """Return a function that returns a client and its worker process, which is silent for some levels."""

    def create(*silent_levels, error=WorkerTimeout):
        worker_process = SilentWorker(error, *silent_levels)
        monkeypatch.setattr("cardtable.workers.client.WorkerProcess", lambda _module: worker_process)
        return RobotClient(), worker_process

    return create


def create_request(level, seed=7, worlds=None):
    game = GAMES["gurka"]
    table = Referee(game, 4, game.options(), seed)
    while table.turn == CHANCE:
        table.advance()
    return ChooseRequest("late", level, table.view(table.turn), seed, table.decisions, worlds)


@pytest.fixture
def plugin(monkeypatch):
    """Install Gurka as the game ``late`` of another package."""
    installed = games.PluginGame("late_game", "late-game 1.0", GAMES["gurka"], TimeLimit())
    monkeypatch.setattr(games, "find_plugins", lambda: games.PluginScan({"late": installed}, ()))


LATE = "Gurka (late-game 1.0) gave no answer within 10 seconds; "
ENDED = "Gurka (late-game 1.0) has ended the robots' process; "


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(("error", "notice", "times"), [(WorkerTimeout, LATE, 1), (ChildProcessError, ENDED, 2)])
async def test_steady_robot_stands_in_for_a_silent_one(create_client, error, notice, times):
    (client, worker_process), request = create_client("expert", error=error), create_request("expert")
    choice = await client.choose(request)
    assert choice == (request.view.legal[0], 32, notice + "a robot of level steady has chosen")
    assert worker_process.asked == ["expert"] * times + ["steady"]


@pytest.mark.usefixtures("plugin")
async def test_random_choice_stands_in_if_all_robots_are_silent(create_client):
    (client, _), request = create_client("expert", "steady"), create_request("expert")
    choice = await client.choose(request)
    assert choice.notice == LATE + "a legal move was chosen at random"
    assert choice.action in request.view.legal


@pytest.mark.usefixtures("plugin")
async def test_silent_robot_is_asked_and_reported_once_a_session(create_client):
    client, worker_process = create_client("expert")
    for seed in (7, 8):
        assert (await client.choose(create_request("expert", seed))).notice
        assert not (await client.choose(create_request("expert", seed))).notice
    assert worker_process.asked == ["expert", "steady", "steady"] * 2


@pytest.mark.usefixtures("plugin")
async def test_worlds_are_measured_at_the_first_decision(create_client):
    client, worker_process = create_client()
    choices = [await client.choose(create_request("expert", worlds=worlds)) for worlds in (None, 32)]
    assert [choice.worlds for choice in choices] == [32, None]
    assert worker_process.worlds == [32, 32]


@pytest.mark.usefixtures("plugin")
async def test_late_hint_is_refused_with_the_package(create_client):
    request = create_request("expert")
    with pytest.raises(CardtableError, match=r"there is no advice: Gurka \(late-game 1\.0\) gave no answer within 10"):
        await create_client()[0].advise(HintRequest("late", request.view, request.seed, request.decisions))


@pytest.mark.usefixtures("plugin")
def test_late_robot_in_its_own_process(monkeypatch):
    monkeypatch.setattr(time_limit, "LIMIT_SECONDS", 0.01)
    monkeypatch.setattr(worker, "choose", lambda _: [0 for _ in count()])
    with pytest.raises(TimeLimitExceeded):
        next(worker.answer_request(create_request("expert")))


@pytest.mark.usefixtures("plugin")
def test_robot_without_an_event_loop(create_client):
    create_client("expert")
    robots, request = LocalRobots(), create_request("expert")
    assert [robots.choose(request).notice for _ in range(2)] == [LATE + "a robot of level steady has chosen", ""]
    robots.stop()
