"""Club table of a game in which seats choose at once: all guests choose, and no frame shows another's choice."""

import asyncio

import pytest

from cardtable.club.client.remote_session import RemoteSession
from cardtable.club.protocol import Seated
from cardtable.engine.game import View
from cardtable.engine.referee import IllegalAction
from cardtable.session.session_events import AwaitingPlayer, AwaitingRemote, ObservedEvent
from cardtable.testing.cases import Case
from cardtable.wording.players import format_wait
from tests.club.guests import HostedTable, choose_randomly
from tests.club.loopback_club import wait_for_all
from tests.club.recorded_frames import assert_leak_detected, change_unseen_decision, compare_frames
from tests.toy import blind
from tests.toy.game_plugins import plug_in


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    plug_in(monkeypatch, blind)


async def begin(table, *seats):
    """Let guests join, and wait until all can choose."""
    guests = [await table.join(seat) for seat in seats]
    await wait_for_all(guests, lambda guest: guest.view is not None and any(guest.view.choosing))
    return guests


async def test_guests_choose_in_any_order():
    async with HostedTable("blind", people=3, seats=3) as table:
        anna, bob, cleo, kay = await begin(table, 0, 1, 2, None)
        assert anna.is_on_turn
        assert bob.is_on_turn
        assert cleo.is_on_turn
        for guest in (cleo, anna):  # both have seen the position before any choice
            await table.hosted.act(guest.seat, 0, str(guest.view.legal[0]))
        await bob.wait_until(lambda: bob.view.chosen == (True, False, True))
        assert bob.update.waits_for == (1,)
        await kay.wait_until(lambda: kay.view.chosen == (True, False, True))
        assert not kay.view.laid
        await anna.wait_until(lambda: bool(anna.view.laid))
        assert anna.view.legal == ()
        await bob.act()
        await anna.wait_until(lambda: any(anna.view.shown))


async def test_choice_after_decisions_of_the_future_is_refused():
    async with HostedTable("blind", people=3, seats=3) as table:
        anna, bob, _ = await begin(table, 0, 1, 2)
        await bob.act()
        for at in (2, 7, 10**9):
            with pytest.raises(IllegalAction, match="the table has changed in the meantime"):
                await table.hosted.act(anna.seat, at, str(anna.view.legal[0]))
        await table.hosted.act(anna.seat, 0, str(anna.view.legal[0]))


async def test_others_get_the_same_messages_whatever_is_chosen():
    recorded = []
    for choice in (0, -1):
        async with HostedTable("blind", people=3, seats=3) as table:
            anna, bob, kay = await begin(table, 0, 1, None)
            await table.hosted.act(anna.seat, 0, str(anna.view.legal[choice]))
            await wait_for_all((bob, kay), lambda guest: guest.view.chosen[0])
            late = [await table.join(seat) for seat in (2, None)]
            await wait_for_all(late, lambda guest: guest.view is not None and guest.view.chosen[0])
            recorded.append([(guest.steps, guest.notes) for guest in (bob, kay, *late)])
            assert anna.view.hand
    assert recorded[0] == recorded[1]


async def test_choice_of_another_does_not_answer_a_pending_choice():
    async with HostedTable("blind", people=3, seats=3) as table:
        anna, bob = await begin(table, 0, 1)
        loop = asyncio.get_running_loop()

        def send(message):
            asyncio.run_coroutine_threadsafe(answer(message), loop)

        async def answer(message):
            await bob.act()
            await anna.wait_until(lambda: anna.view.chosen[1])
            run.on_update(anna.update)
            await table.hosted.act(0, message.at, message.action)
            await anna.wait_until(lambda: anna.view.chosen[0])
            run.on_update(anna.update)

        run = RemoteSession(Seated("t", table.session.header, 0), send, lambda _run: None)
        run.on_update(anna.update)
        run.apply_next()
        assert run.pending == AwaitingPlayer(0)
        events = await asyncio.to_thread(run.play, anna.view.legal[0])
        assert len([event for event in events if isinstance(event, ObservedEvent)]) == 2
        assert run.pending == AwaitingRemote(0)
        assert format_wait(run.snapshot(0).view, ("You", "Bob", "Cleo")) == "Waiting for Cleo"


async def test_absence_of_any_awaited_guest_is_announced():
    async with HostedTable("blind", people=3, seats=3) as table:
        anna, _, cleo = await begin(table, 0, 1, 2)
        await anna.act()
        await cleo.leave()
        await anna.wait_until(lambda: anna.view.chosen[0] and 2 in anna.update.absences)
        run = RemoteSession(Seated("t", table.session.header, 0), lambda _message: None, lambda _run: None)
        late = await table.join(0)
        await late.wait_until(lambda: late.view is not None)
        run.on_update(late.update)
        run.apply_next()
        assert run.spectator_reason == "Cleo is away (60 s)"


def test_choices_of_others_change_no_byte_sent():
    case, pairs = Case(blind.GAME, 3, blind.Options(length=1)), 0
    for seed in range(6):
        pairs += compare_frames(case, seed, change_unseen_decision)
    assert pairs


def test_choice_shown_to_spectators_is_detected(monkeypatch):
    monkeypatch.setattr(blind.BlindView, "public_view", View.public_view)
    assert_leak_detected(Case(blind.GAME, 3, blind.Options(length=1)), change_unseen_decision)


async def test_nobody_chooses_twice():
    async with HostedTable("blind", people=3, seats=3) as table:
        anna, _ = await begin(table, 0, 1)
        await anna.act()
        with pytest.raises(IllegalAction, match="the table has changed in the meantime"):
            await table.hosted.act(0, 0, str(anna.view.legal[0]))


async def test_choice_of_an_earlier_position_is_stale():
    async with HostedTable("blind", people=2, seats=2) as table:
        anna, bob = await begin(table, 0, 1)
        await asyncio.gather(anna.play(rounds=1), bob.play(rounds=1))
        for guest in (anna, bob):
            await table.hosted.people.acknowledge_round(guest.seat, 1)
        await anna.wait_until(lambda: anna.view.round == 2 and anna.is_on_turn)
        with pytest.raises(IllegalAction, match="the table has changed in the meantime"):
            await table.hosted.act(0, 0, str(anna.view.legal[0]))


async def test_guests_choose_while_a_robot_thinks():
    thinks = asyncio.Event()

    async def think(request):
        await thinks.wait()
        return await choose_randomly(request)

    async with HostedTable("blind", people=2, seats=3, think=think) as table:
        anna, bob = await begin(table, 0, 1)
        await anna.act()
        await bob.act()
        await anna.wait_until(lambda: anna.view.chosen == (True, True, False))
        thinks.set()
        await anna.wait_until(lambda: any(anna.view.shown))


async def test_absent_guest_is_awaited_and_replaced():
    now = [0.0]
    async with HostedTable("blind", people=3, seats=3, grace=60, clock=lambda: now[0]) as table:
        anna, bob, cleo = await begin(table, 0, 1, 2)
        await anna.act()
        await cleo.leave()
        await bob.wait_until(lambda: 2 in bob.update.absences)
        await bob.act()
        await anna.wait_until(lambda: anna.update.waits_for == (2,))
        now[0] += 61
        await table.hosted.people.vote_substitute(2, 0)
        await table.hosted.people.vote_substitute(2, 1)
        await anna.wait_until(lambda: any(anna.view.shown))


async def test_whole_session_of_guests():
    async with HostedTable("blind", people=3, seats=4) as table:
        guests = [await table.join(seat) for seat in range(3)]
        await asyncio.gather(*[guest.play() for guest in guests])
        assert len({guest.update.results for guest in guests}) == 1
