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
from cardtable.robots.worker import ChooseRequest, HintRequest
from cardtable.session.robot_client import RobotClient, hold_thinking_lock
from cardtable.session.robot_time_limit import LocalRobots, StandInChosen
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


class LateWorker:
    """Worker process that exceeds the limit for some levels."""

    def __init__(self, *late_levels):
        self.late_levels, self.asked = late_levels, []

    async def ask_once(self, request, limit_seconds):
        assert limit_seconds == time_limit.ELAPSED_FACTOR * time_limit.LIMIT_SECONDS
        if isinstance(request, HintRequest):
            raise WorkerTimeout
        self.asked.append(request.level)
        if request.level in self.late_levels:
            raise WorkerTimeout
        return str(request.view.legal[0])


@pytest.fixture
def create_client(monkeypatch):
    """Return a function that returns a client and its worker process, which exceeds the limit for some levels."""

    def create(*late_levels):
        worker_process = LateWorker(*late_levels)
        monkeypatch.setattr("cardtable.workers.client.WorkerProcess", lambda _module: worker_process)
        return RobotClient(), worker_process

    return create


def create_request(level, seed=7):
    game = GAMES["gurka"]
    table = Referee(game, 4, game.options(), seed)
    while table.turn == CHANCE:
        table.advance()
    return ChooseRequest("late", level, table.view(table.turn), seed, table.decisions)


@pytest.fixture
def plugin(monkeypatch):
    """Install Gurka as the game ``late`` of another package."""
    installed = games.PluginGame("late_game", "late-game 1.0", GAMES["gurka"], TimeLimit())
    monkeypatch.setattr(games, "find_plugins", lambda: games.PluginScan({"late": installed}, ()))


TOLD = "Gurka (late-game 1.0) gave no move within 10 seconds; "


@pytest.mark.usefixtures("plugin")
async def test_steady_robot_stands_in_for_a_late_one(create_client):
    (client, worker_process), request = create_client("expert"), create_request("expert")
    with pytest.raises(StandInChosen) as raised:
        await client.choose(request)
    assert str(raised.value) == TOLD + "a robot of level steady has chosen"
    assert raised.value.action == request.view.legal[0]
    assert worker_process.asked == ["expert", "steady"]


@pytest.mark.usefixtures("plugin")
async def test_random_choice_stands_in_if_all_robots_are_late(create_client):
    (client, _), request = create_client("expert", "steady"), create_request("expert")
    with pytest.raises(StandInChosen) as raised:
        await client.choose(request)
    assert str(raised.value) == TOLD + "a legal move was chosen at random"
    assert raised.value.action in request.view.legal


@pytest.mark.usefixtures("plugin")
async def test_late_robot_is_asked_and_reported_once_a_session(create_client):
    client, worker_process = create_client("expert")
    for seed in (7, 8):
        with pytest.raises(StandInChosen):
            await client.choose(create_request("expert", seed))
        assert await client.choose(create_request("expert", seed))
    assert worker_process.asked == ["expert", "steady", "steady"] * 2


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
def test_late_robot_in_this_process(monkeypatch):
    asked = []

    def choose(request):
        asked.append(request.level)
        while request.level == "expert":
            pass
        return request.view.legal[-1]

    monkeypatch.setattr(worker, "choose", choose)
    monkeypatch.setattr(time_limit, "LIMIT_SECONDS", 0.01)
    robots, request = LocalRobots(), create_request("expert")
    with pytest.raises(StandInChosen, match="a robot of level steady has chosen") as raised:
        robots.choose(request)
    assert raised.value.action == robots.choose(request) == request.view.legal[-1]
    assert asked == ["expert", "steady", "steady"]
