"""Fair play at a table of a club: clocks, late players, leaving, and what counts afterwards."""

import asyncio

import pytest
from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.server.host_events import DecisionSaved, SeatLost
from cardtable.club.server.limits import RequestRefused
from cardtable.club.server.table_phases import choose_terms
from cardtable.engine.journal import (
    DEFAULT_CLOCK,
    ActionLine,
    LostLine,
    MarkLine,
    Occupant,
    PlayerClock,
    Terms,
    VoidLine,
)
from cardtable.engine.referee import IllegalAction
from cardtable.games import GAMES
from cardtable.records.competition_results import counts_by_itself
from cardtable.session.session_events import AutoAdvance, AwaitingPlayer, AwaitingRobot, Stage
from cardtable.session.session_runner import SessionRunner
from cardtable.store import sessions, summaries
from cardtable.store.seasons import Season
from tests.club.guests import HostedTable, choose_randomly
from tests.journal_lines import select_lines
from tests.session.session_player import PEOPLE
from tests.store.playing import CLUB_ID, NOW

RATED = Terms(rated=True, aids=False, clock=PlayerClock(30, 60))
CASUAL = Terms()


class Watch:
    """Time of a table, which passes only when a test says so."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


HOSTING = ("find_connected_network", "find_hold", "is_resumed", "emit")


class TimedTable(HostedTable):
    """A hosted session of a club with a watch of its own."""

    def __init__(self, terms, key="ten_down", people=2, robots=0, existing_session=None, **options):
        hosting = {name: options.pop(name) for name in HOSTING if name in options}
        game, self.watch = GAMES[key], Watch()
        seats = [Occupant(nick) for nick in PEOPLE[:people]] + [Occupant("Ada", "random")] * robots
        rules = game.options(**options).for_seats(len(seats))
        session = existing_session or sessions.create(game, seats, rules, 7, now=NOW, host_id=CLUB_ID, terms=terms)
        super().__init__(key, existing_session=session, clock=self.watch, **hosting)
        session.clocks.set_time_source(self.watch)

    async def pass_time(self, seconds):
        """Let time pass, and everything happen that is due then."""
        self.watch.seconds += seconds
        while await self.read(self._is_something_due):
            pass

    async def read(self, look):
        """Return what a function finds out between two changes, which are executed in a thread."""
        found = []
        await self.hosted.changes.submit(lambda: found.append(look()))
        return found[0]

    def _is_something_due(self):
        """True if the host, or a robot that does not think for ever, has to do something before time passes."""
        pending = self.hosted._runner.pending
        if isinstance(pending, AwaitingPlayer) and self.hosted._can_continue:
            times = self.hosted._runner.seconds_left, self.hosted.people.leaving_seconds
            return any(left is not None and left <= 0 for left in times)
        return isinstance(pending, AutoAdvance) or (
            isinstance(pending, AwaitingRobot) and self.hosted._think is choose_randomly
        )

    def select_lines(self, kind):
        return select_lines(kind, self.session.journal())

    @property
    def referee(self):
        return self.session.referee


async def wait_until_due(seat, guest, table):
    """Wait until a seat has to decide; the guest plays for the other seats until then."""
    while seat not in (due := await table.read(table.referee.list_seats_to_act)):
        guest.read_update()
        if guest.update and guest.update.stage is Stage.SESSION_END:
            return
        if guest.update and guest.update.stage is Stage.ROUND_END:
            await table.hosted.people.acknowledge_round(guest.seat, guest.view.round)
        elif guest.is_on_turn and guest.seat in due:
            await guest.act()


def list_choices(table, seat):
    return [(line.robot, line.why) for line in table.select_lines(ActionLine) if line.seat == seat]


async def test_player_who_is_late_three_times_in_a_row_loses_and_a_robot_plays_on():
    async with TimedTable(RATED).joined_by(0, 1) as (table, anna, bob):
        for times in range(1, 4):
            await wait_until_due(0, bob, table)
            await table.pass_time(89 if times == 1 else 29)
            assert len(list_choices(table, 0)) == times - 1
            await table.pass_time(1)
            assert list_choices(table, 0)[:3] == [("steady", "clock")] * times
        assert [(line.seat, line.reason) for line in table.select_lines(LostLine)] == [(0, "clock")]
        await anna.leave()
        await bob.play()
        assert bob.update.ranks == (2, 1)
        assert table.hosted.people.seat_infos[0].lost == "clock"
        assert {*list_choices(table, 0)[3:]} == {("steady", None)}
        assert {*list_choices(table, 1)} == {(None, None)}


async def test_own_decision_in_time_ends_the_row():
    async with TimedTable(RATED).joined_by(0, 1) as (table, anna, bob):
        for seconds in (91, 31, 0, 31, 31):
            await wait_until_due(0, bob, table)
            await table.pass_time(seconds)
            if not seconds:
                anna.read_update()
                await anna.act()
        assert [why for _, why in list_choices(table, 0)] == ["clock", "clock", None, "clock", "clock"]
        assert not table.select_lines(LostLine)


def test_done_that_bridge_plays_by_itself_does_not_end_the_row():
    game, seats, watch = GAMES["bridge"], [Occupant("Anna"), Occupant("Bob")], Watch()
    session = sessions.create(game, seats, game.options().for_seats(2), 7, now=NOW, host_id=CLUB_ID, terms=RATED)
    session.clocks.set_time_source(watch)
    session.referee.randomness = None  # the deal of the seed
    runner = SessionRunner(session, remote_seats=(0, 1))
    while not runner.referee.occupants.lost:
        match runner.pending:
            case AwaitingPlayer(seat=0):
                watch.seconds += 91
                runner.apply_timeout()
            case AwaitingPlayer(seat=seat) | AwaitingRobot(seat=seat):
                runner.play(runner.views[seat].legal[0])
            case _:
                runner.advance()
    choices = [(line.robot, line.why) for line in select_lines(ActionLine, session.journal()) if line.seat == 0]
    assert (None, None) in choices, "done was the only legal action"
    assert choices.count(("steady", "clock")) == 3


async def test_decision_of_a_late_player_is_refused_while_the_robot_thinks():
    thought = asyncio.Event()

    async def think(_request):
        await thought.wait()
        raise AssertionError

    async with TimedTable(RATED) as table:
        table.hosted._think = think
        anna, bob = await table.join(0), await table.join(1)
        await wait_until_due(0, bob, table)
        anna.read_update()
        await table.pass_time(91)
        with pytest.raises(IllegalAction, match="a robot decides"):
            await anna.act()
        anna.read_update()
        assert anna.update.clocks[0].total == 0
        assert 0 not in anna.update.waits_for


async def test_round_clock_of_a_club_gains_nothing_for_who_waits():
    """Case clock_void: a player who dislikes the hand waits until the round is void."""
    async with TimedTable(CASUAL, round_clock=1).joined_by(0, 1) as (table, _, bob):
        await wait_until_due(0, bob, table)
        hand = table.referee.view(0).hand
        await table.pass_time(61)
        assert list_choices(table, 0)[-1] == ("steady", "round")
        assert not table.select_lines(VoidLine)
        assert hand & table.referee.view(0).hand
        await bob.play(1)
        assert len(table.referee.scores) == 1
        assert [why for _, why in list_choices(table, 0)].count(None) <= 1
        assert {*list_choices(table, 1)} == {(None, None)}, "the clock of the round began anew for the other"


async def test_clocks_stand_still_while_nobody_is_at_the_table():
    async with TimedTable(RATED).joined_by(0, 1) as (table, anna, bob):
        await wait_until_due(0, bob, table)
        await anna.leave()
        await bob.leave()
        kay = await table.join(None)
        await table.pass_time(1000)
        kay.read_update()
        assert [clock.total for clock in kay.update.clocks] == [90, 90]
        assert not table.select_lines(LostLine)


@pytest.mark.parametrize(("terms", "lost"), [(RATED, [(0, "left")]), (CASUAL, [])], ids=["rated", "casual"])
async def test_leaver_loses_a_rated_session_after_the_grace(terms, lost):
    async with TimedTable(terms).joined_by(0, 1) as (table, anna, bob):
        await wait_until_due(1, anna, table)
        await anna.leave()
        await table.pass_time(59)
        assert not table.select_lines(LostLine)
        await table.pass_time(2)
        assert [(line.seat, line.reason) for line in table.select_lines(LostLine)] == lost
        if lost:
            await table.join(0)
            await bob.play()
            assert bob.update.ranks == (2, 1)
            assert not table.hosted.people.is_substituted(0)


async def test_nobody_loses_if_all_leave_and_the_session_waits_for_all():
    async with TimedTable(RATED).joined_by(0, 1) as (table, anna, bob):
        await wait_until_due(1, anna, table)
        await anna.leave()
        await bob.leave()
        await table.pass_time(500)
        assert not table.select_lines(LostLine)
        table.session.close()
    path = table.session.path
    async with TimedTable(RATED, existing_session=sessions.resume_at_club(path), is_resumed=True) as table:
        bob = await table.join(1)
        await table.pass_time(500)
        assert not table.select_lines(LostLine), "nobody loses who does not know that the session goes on"
        assert not table.hosted._can_continue
        await table.join(0)
        assert table.hosted._can_continue


async def test_lost_seat_of_a_casual_session_gets_no_other_robot():
    terms = replace(CASUAL, clock=PlayerClock(30))
    async with TimedTable(terms, people=3).joined_by(0, 1, 2) as (table, anna, bob, cara):
        people = table.hosted.people
        await anna.leave()
        await cara.leave()
        await table.pass_time(61)
        table.hosted._runner.lose(0, "clock")
        with pytest.raises(IllegalAction, match="has lost"):
            await people.vote_substitute(0, 1)
        await people.vote_substitute(2, 1)
        assert (people.is_substituted(0), people.is_substituted(2)) == (False, True)
        await people.substitute_robots("steady")
        assert not people.is_substituted(0)
        await people.vote_rematch(1)
        assert bob.seat in people.rematch.votes


async def test_nobody_is_replaced_in_a_rated_session():
    async with TimedTable(RATED).joined_by(0, 1) as (table, anna, bob):
        await wait_until_due(1, anna, table)
        await anna.leave()
        for request in (
            table.hosted.people.vote_substitute(0, 1),
            table.hosted.people.seat_robot(0, "steady"),
            table.hosted.people.vote_rematch(1),
        ):
            with pytest.raises(IllegalAction, match="rated"):
                await request
        await table.hosted.people.end_wait()
        bob.read_update()
        assert bob.update.absences == {0: 60}


@pytest.mark.parametrize(
    ("networks", "marks"),
    [({"Anna": "a", "Bob": "a"}, ["one-network"]), ({"Anna": "a", "Bob": "b"}, []), ({"Anna": "a", "Bob": ""}, [])],
    ids=["one", "two", "unknown"],
)
async def test_sessions_of_one_network_are_marked(networks, marks):
    async with TimedTable(RATED, find_connected_network=networks.get).joined_by(0, 1) as (table, anna, bob):
        await asyncio.gather(anna.play(1), bob.play(1))
        assert [line.mark for line in table.select_lines(MarkLine)] == marks
        assert b'"a"' not in table.session.file.data
        networks["Bob"] = "c"
        await asyncio.gather(anna.play(2), bob.play(2))
        assert [line.mark for line in table.select_lines(MarkLine)] == [*marks, *["networks-differ"] * len(marks)]


async def decide(anna, bob, table):
    guest = (anna, bob)[table.referee.turn]
    guest.read_update()
    await guest.act()


async def test_one_network_is_known_only_once_all_have_decided_since_the_session_was_opened():
    networks = {"Anna": "a", "Bob": "b"}
    async with TimedTable(RATED, find_connected_network=networks.get).joined_by(0, 1) as (table, anna, bob):
        await decide(anna, bob, table)
        table.session.close()
    session = sessions.resume_at_club(table.session.path)
    resumed = TimedTable(RATED, existing_session=session, find_connected_network=networks.get)
    async with resumed.joined_by(0, 1) as (table, anna, bob):
        await decide(anna, bob, table)
        assert {line.seat for line in table.select_lines(ActionLine)} == {0, 1}
        assert not table.select_lines(MarkLine)


async def test_host_logs_losses_and_whose_decisions_are_saved():
    events = []
    async with TimedTable(RATED, emit=events.append).joined_by(0, 1) as (table, anna, bob):
        await wait_until_due(0, bob, table)
        assert "robot" not in [event.by for event in events if isinstance(event, DecisionSaved)]
        await table.pass_time(91)
        await anna.leave()
        assert DecisionSaved("ten_down", "robot") in events
        await table.pass_time(61)
        await bob.leave()
        assert [str(event) for event in events if isinstance(event, SeatLost)] == [
            f"Anna loses the session {table.session.header.id} by leaving"
        ]


async def test_rematch_does_not_wait_for_who_has_lost():
    async with TimedTable(RATED).joined_by(0, 1) as (table, _, bob):
        people = table.hosted.people
        await table.hosted.changes.submit(lambda: table.hosted._runner.lose(0, "clock"))
        await bob.play()
        await people.vote_rematch(1)
        assert people.rematch_agreed
        assert {*people.rematch_people} == {1}
        await people.vote_rematch(0)
        assert {*people.rematch_people} == {0, 1}


@pytest.mark.parametrize(("rules", "counts"), [(0, True), (1, False)])
async def test_session_against_nobody_does_not_count(rules, counts):
    """Case win_by_absence: a second nick leaves at once, and a robot plays in its seat."""
    async with TimedTable(None).joined_by(0, 1) as (table, anna, alt):
        await alt.leave()
        table.watch.seconds += 60
        await table.hosted.people.vote_substitute(1, 0)
        await anna.play()
    summary = summaries.summarize(table.session.path)
    assert summary.state == "over"
    assert summary.own[1] == 0 < summary.due[1]
    assert counts_by_itself(Season("Farm", ("ten_down",), rules=rules), summary) is counts


SEASON = Season("Spring", ("rikiki",))


@pytest.mark.parametrize(
    ("changes", "seasons", "terms"),
    [
        ({}, [], Terms(False, True, None)),
        ({}, [SEASON], Terms(True, False, DEFAULT_CLOCK)),
        ({}, [Season("King", ("king",)), Season("Old", ("rikiki",), final=())], Terms(False, True, None)),
        ({"rated": False}, [SEASON], Terms(False, True, None)),
        ({"rated": True, "aids": True, "clock": PlayerClock(15)}, [], Terms(True, True, PlayerClock(15))),
        ({"private": True}, [SEASON], Terms(False, True, None)),
        ({"options": {"open_hands": "on"}}, [SEASON], Terms(False, True, None)),
    ],
)
def test_terms_of_a_new_table(changes, seasons, terms):
    wish = protocol.OpenTable("rikiki", 4, **changes)
    rules = GAMES["rikiki"].options(**wish.options)
    assert choose_terms(wish, rules, seasons) == terms


def test_private_table_cannot_be_rated():
    with pytest.raises(RequestRefused, match="cannot be rated"):
        choose_terms(protocol.OpenTable("rikiki", 4, private=True, rated=True), GAMES["rikiki"].options(), ())
