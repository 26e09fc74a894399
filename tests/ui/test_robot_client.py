"""Robots' process as the table uses it."""

import asyncio
from random import Random

import msgspec
import pytest

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import CHANCE
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.robots.worker import ChooseRequest, HintRequest
from cardtable.session.robot_client import RobotClient


@pytest.fixture
async def thinker():
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


async def test_each_request_gets_its_own_answer(thinker):
    asked = requests(6)
    answers = await asyncio.gather(*[thinker.choose(request) for request in asked])
    assert all(answer in request.view.legal for answer, request in zip(answers, asked, strict=True))


async def test_people_are_advised_in_between(thinker):
    asked = requests(3)
    questions = [HintRequest("rikiki", request.view, request.seed, request.decisions) for request in asked]
    answers = asyncio.gather(*[thinker.choose(request) for request in asked])
    advice = await asyncio.gather(*[thinker.advise(question) for question in questions])
    assert all(given.lines[0].action in one.view.legal for given, one in zip(advice, questions, strict=True))
    assert len(await answers) == 3
    with pytest.raises(CardtableError, match="there is no advice"):
        await thinker.advise(msgspec.structs.replace(questions[0], game="snap"))


async def test_a_request_given_up_does_not_answer_the_next(thinker):
    bid, *_, card = requests(6)
    await thinker.start()
    given_up = asyncio.create_task(thinker.choose(bid))
    await asyncio.sleep(0.001)
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    assert await thinker.choose(card) in card.view.legal


async def test_a_process_that_was_lost_is_started_again(thinker):
    first, second = requests(2)
    await thinker.choose(first)
    thinker._worker._process.kill()
    assert await thinker.choose(second) in second.view.legal


async def test_what_a_robot_cannot_do_is_an_error_for_people(thinker):
    (request,) = requests(1)
    with pytest.raises(CardtableError, match="the robot cannot choose: ValueError: no level is called 'clever'"):
        await thinker.choose(msgspec.structs.replace(request, level="clever"))


async def test_where_no_process_can_be_started_the_error_is_for_people_too(thinker, monkeypatch):
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    await thinker.start()
    with pytest.raises(CardtableError, match="does not answer"):
        await thinker.choose(requests(1)[0])


@pytest.mark.parametrize("error", [RuntimeError("can't start new thread"), MemoryError(), BlockingIOError()], ids=repr)
async def test_the_system_has_no_threads_or_memory(thinker, monkeypatch, error):
    async def fail(*_words, **_how):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(asyncio, "create_subprocess_exec", fail)
        await thinker.start()
        with pytest.raises(CardtableError, match="does not answer"):
            await thinker.choose(requests(1)[0])
        with pytest.raises(CardtableError, match="does not answer"):
            await thinker.advise(HintRequest("rikiki", requests(1)[0].view, 1, 0))
    (request,) = requests(1)
    assert await thinker.choose(request) in request.view.legal


async def test_whoever_was_sent_home_leaves_no_pipe_behind(thinker):
    first, second = requests(2)
    given_up = asyncio.create_task(thinker.choose(first))
    while thinker._worker._process is None:
        await asyncio.sleep(0)
    processes = [thinker._worker._process]
    given_up.cancel()
    await asyncio.wait([given_up])
    await thinker.choose(second)
    processes.append(thinker._worker._process)
    await thinker.stop()
    await asyncio.sleep(0)
    assert all(process.returncode is not None for process in processes)
    assert all(process._transport.is_closing() for process in processes)
