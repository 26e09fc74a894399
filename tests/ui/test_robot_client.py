"""Robots' process as the table uses it."""

import asyncio
import os
import signal
from pathlib import Path
from random import Random

import msgspec
import pytest

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import CHANCE
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.robots.worker import ChooseRequest, HintRequest
from cardtable.session.robot_client import RobotClient
from tests.club.loopback_club import poll_until
from tests.serving import list_children


@pytest.fixture
async def robot_client():
    """Yield a client that is stopped afterwards."""
    made = RobotClient()
    yield made
    await made.stop()


def requests(number):
    """Return requests from the bidding of a second round on; each action is legal in one of them only."""
    rikiki, rng = GAMES["rikiki"], Random(1)
    table = Referee(rikiki, 4, rikiki.options(), 7)
    asked = []
    while len(asked) < number:
        if table.turn == CHANCE:
            table.advance()
            continue
        view = table.view(table.turn)
        if table.round == 2:
            asked.append(ChooseRequest("rikiki", "random", view, table.seed, table.decisions))
        table.play(table.turn, rng.choice(view.legal))
    return asked


async def test_each_request_gets_own_answer(robot_client):
    asked = requests(6)
    answers = await asyncio.gather(*[robot_client.choose(request) for request in asked])
    assert all(answer.action in request.view.legal for answer, request in zip(answers, asked, strict=True))


async def test_hints_are_given_between_choices(robot_client):
    asked = requests(3)
    questions = [HintRequest("rikiki", request.view, request.seed, request.decisions) for request in asked]
    answers = asyncio.gather(*[robot_client.choose(request) for request in asked])
    advice = await asyncio.gather(*[robot_client.advise(question) for question in questions])
    assert all(hint.lines[0].action in question.view.legal for hint, question in zip(advice, questions, strict=True))
    assert len(await answers) == 3
    with pytest.raises(CardtableError, match="there is no advice"):
        await robot_client.advise(msgspec.structs.replace(questions[0], game="snap"))


async def test_cancelled_request_does_not_answer_next(robot_client):
    bid, *_, card = requests(6)
    await robot_client.start()
    task = asyncio.create_task(robot_client.choose(bid))
    await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await robot_client.choose(card)).action in card.view.legal


async def test_lost_process_is_restarted(robot_client):
    first, second = requests(2)
    before = list_children(os.getpid())
    await robot_client.choose(first)
    [process_id] = {*list_children(os.getpid())} - {*before}
    os.kill(process_id, signal.SIGKILL)
    assert (await robot_client.choose(second)).action in second.view.legal


async def test_unknown_level_raises_readable_error(robot_client):
    (request,) = requests(1)
    with pytest.raises(CardtableError, match="the robot cannot choose: ValueError: no level is called 'clever'"):
        await robot_client.choose(msgspec.structs.replace(request, level="clever"))


@pytest.mark.parametrize(
    "error", [FileNotFoundError(), RuntimeError("can't start new thread"), MemoryError(), BlockingIOError()], ids=repr
)
async def test_process_that_cannot_start_raises_readable_error(robot_client, monkeypatch, error):
    async def fail(*_words, **_how):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(asyncio, "create_subprocess_exec", fail)
        await robot_client.start()
        with pytest.raises(CardtableError, match="does not answer"):
            await robot_client.choose(requests(1)[0])
        with pytest.raises(CardtableError, match="does not answer"):
            await robot_client.advise(HintRequest("rikiki", requests(1)[0].view, 1, 0))
    (request,) = requests(1)
    assert (await robot_client.choose(request)).action in request.view.legal


async def test_stopped_processes_leave_no_pipes(robot_client):
    def list_left():
        return {*list_children(os.getpid()), *Path("/dev/fd").iterdir()}

    (first, second), before = requests(2), list_left()
    task = asyncio.create_task(robot_client.choose(first))
    while list_left() <= before:
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    await robot_client.choose(second)
    await robot_client.stop()
    await poll_until(lambda: list_left() <= before)
