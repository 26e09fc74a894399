"""Duplicate tournaments at an open club."""

import asyncio
import json
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from itertools import chain

import pytest
from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.administration import CancelTournament, Done, EndTournament, NewTournament, ResumeTournament
from cardtable.club.protocol import RequestFailed
from cardtable.club.server import tournament_manager
from cardtable.club.server.administration import Administration
from cardtable.club.server.requests import execute_request
from cardtable.club.server.stored_sessions import FinishedSessions
from cardtable.club.server.table_registry import TableRegistry
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import ActionLine, ChanceLine, Occupant
from cardtable.records.competition_results import compute_scores, list_counted_deals
from cardtable.session.session_events import Stage
from cardtable.store import paths, profiles, session_files, summaries, tournaments
from cardtable.wording.seasons import format_tournament
from tests.club.guests import make_person
from tests.club.loopback_club import (
    club,
    connected_guests,
    joined,
    paused_session_setup,
    play_until,
    poll_until,
    repeat_random_ids,
    wait_for_all,
)
from tests.club.plain_guest import PlainGuest
from tests.club.tournament_club import (
    CUP,
    NEXT_ROUND,
    NICKS,
    begin_round,
    check_in,
    end_call,
    leave,
    load_cup,
    open_cup,
    play,
    sit_down,
)
from tests.journal_lines import select_lines
from tests.toy import layaway
from tests.toy.game_plugins import plug_in_from


def read_session(id_):
    path = summaries.find_session_file(id_)
    return session_files.parse_session(path, session_files.read_session(path))


def list_deals(id_):
    return [line.outcome for line in select_lines(ChanceLine, read_session(id_)) if line.is_deal]


async def test_tournament_of_two_rounds():
    async with open_cup() as (_, administration, people, _, lines):
        await begin_round(administration, people)
        assert await execute_request(administration, NEXT_ROUND) == RequestFailed(
            "round 1 of Cup is still being played"
        )
        await play(*chain(*await sit_down(people, 1)))
        await poll_until(lambda: load_cup().rounds[0].state == "finished")
        assert load_cup().key == ""
        await leave(*people.values())
        await begin_round(administration, people)
        await play(*chain(*await sit_down(people, 2)))
        await poll_until(lambda: load_cup().state == "ended")
        await people["Anna"].wait_until(lambda: any(load_cup().key in text for _, text in people["Anna"].talk))
    cup = load_cup()
    met = {nick: [] for nick in NICKS}
    for number, round_ in enumerate(cup.rounds):
        deals = [list_deals(table.session) for table in round_.tables]
        shared = min(map(len, deals))
        assert deals[0][:shared] == deals[1][:shared]
        for table, own in zip(round_.tables, deals, strict=True):
            for occupant in table.seats:
                met[occupant.name] += own
        for deal in list_counted_deals(round_):
            scores = compute_scores(cup, number, deal)
            assert [sum(in_seat) for in_seat in zip(*scores, strict=True)] == [0] * 4
    assert all(len(set(deals)) == len(deals) for deals in met.values())
    assert any("round 2 of Cup has finished: 1st " in line for line in lines)


async def test_nobody_checks_in():
    async with open_cup() as (room, administration, people, _, _):
        called = Done("Round 1 of Cup is called; its people have 180 s to check in.")
        assert await execute_request(administration, NEXT_ROUND) == called
        assert await execute_request(administration, NEXT_ROUND) == RequestFailed(
            "nobody has checked in to round 1 of Cup"
        )
        end_call(room)
        anna = people["Anna"]
        await anna.wait_until(lambda: ("", "Nobody has checked in to round 1 of Cup, which pauses.") in anna.talk)
        assert await anna.get_refusal(protocol.CheckIn("Cup")) == "no round of Cup is being called"
        paused = RequestFailed("Cup is paused; resume it first")
        assert await execute_request(administration, NEXT_ROUND) == paused
        assert isinstance(await execute_request(administration, ResumeTournament("Cup")), Done)
        assert await execute_request(administration, NEXT_ROUND) == called


async def test_round_begins_without_those_who_do_not_check_in():
    async with open_cup() as (room, administration, people, url, _), joined(url, "Kay") as kay:
        await execute_request(administration, NEXT_ROUND)
        assert await kay.get_refusal(protocol.CheckIn("Cup")) == "you do not take part in Cup"
        absent = [people.pop(occupant.name) for occupant in load_cup().rounds[0].tables[0].seats]
        hugo = absent.pop()
        await check_in([*people.values(), hugo])
        assert format_tournament(load_cup()).endswith("2 rounds, round 1 is being called")
        end_call(room)
        await hugo.wait_until(lambda: hugo.seated)
        names = [occupant.name for occupant in read_session(hugo.seated.table).header.seats if occupant.robot]
        assert len(names) == 3
        assert load_cup().rounds[0].checked_in == tuple(map(Occupant, [*people, hugo.nick]))
        left_out = ("", "Round 1 of Cup has begun without you, since you have not checked in.")
        await wait_for_all(absent, lambda guest: not guest.round_call.seconds and left_out in guest.talk)
        assert await execute_request(administration, NEXT_ROUND) == RequestFailed(
            "round 1 of Cup is still being played"
        )


async def test_tables_of_a_round_have_different_ids(monkeypatch):
    async with open_cup() as (_, administration, people, _url, _lines):
        repeat_random_ids(monkeypatch)
        await begin_round(administration, people)
        assert len({table.session for table in load_cup().rounds[0].tables}) == 2


async def test_others_are_refused_everything_about_a_table():
    async with open_cup(replace(CUP, ahead=100)) as (_, administration, people, url, _), joined(url, "Kay") as kay:
        await begin_round(administration, people)
        first, second = await sit_down(people, 1)
        await play(*first)
        ids = [table.session for table in load_cup().rounds[0].tables]
        await kay.wait_until(lambda: kay.tables[ids[0]].over and kay.tables[ids[1]].round)
        for guest, session in [(kay, ids[0]), (kay, ids[1]), (first[0], ids[1]), (second[0], ids[0])]:
            for request, answer in [
                (protocol.Watch(session), "nobody can watch"),
                (protocol.SitDown(session), "no seat is free"),
                (protocol.AskRounds(session), "you are not at that table"),
                (protocol.ResumeSession(session), "no seat is free"),
                (protocol.Say("what is trump?", session), "you are not at that table"),
            ]:
                assert answer in await guest.get_refusal(request)
        for request in (
            protocol.EndWait(ids[0]),
            protocol.GiveSeat(ids[0], 1, "Kay"),
            protocol.VoteRematch(ids[0]),
            protocol.AdmitSpectators(ids[0], admitted=False),
        ):
            assert "which the host conducts" in await first[0].get_refusal(request)
        for session in ids:
            assert await read_journal_as(first[0], session) == ""
        await play(*second)
        await poll_until(lambda: load_cup().rounds[0].state == "finished")
        assert "deal" in await read_journal_as(first[0], ids[0])
        assert await read_journal_as(first[0], ids[1]) == ""
        await kay.send(protocol.Watch(ids[1]), until=lambda: kay.update and kay.update.stage is Stage.SESSION_END)


async def read_journal_as(guest, session):
    """Return the journal of a finished session as the club sends it to a guest."""
    finished = FinishedSessions()
    text = await finished.read_journal(make_person(guest.nick), session)
    assert bool(text) == (session in await finished.list_ids(make_person(guest.nick)))
    return text


async def observe_second_table(action_seed):
    """Return the frames that others get while the second table plays, and the lobby's rows of it without the round."""
    tournament = replace(CUP, game="ten_down", options=(), rounds=1, players=NICKS[:4], seats=2, ahead=100)
    async with open_cup(tournament) as (_, administration, people, url, _), joined(url, "Kay") as kay:
        await begin_round(administration, people)
        first, second = await sit_down(people, 1)
        await play(*first)
        session = load_cup().rounds[0].tables[1].session
        for guest in (kay, *first):
            guest.messages.clear()
        for guest in second:
            guest.rng.seed(f"{action_seed} {guest.nick}")
        await play(*second)
        await kay.wait_until(lambda: kay.tables[session].over)
        await poll_until(lambda: load_cup().state == "ended")
        played = [line.action for line in select_lines(ActionLine, read_session(session))]
    frames = [protocol.encode(message) for guest in (kay, *first) for message in guest.messages]
    rows = set()
    for frame in frames:
        for row in json.loads(frame).get("tables", ()):
            if row["table"] == session and not row.get("over"):  # then all tables have finished
                rows.add(json.dumps({**row, "table": "", "round": 0, "since": 0}))
    others = [frame for frame in frames if session in frame and "lobby_news" not in frame]
    return played, rows, others


async def test_play_at_a_table_changes_nothing_that_others_receive(home):
    """The same people play two tournaments in homes of their own, with other decisions at the second table."""
    results = []
    for seed in (1, 2):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CARDTABLE_HOME", str(home / str(seed)))
            results.append(await observe_second_table(seed))
    (one, rows, frames), (other, other_rows, other_frames) = results
    assert one != other
    assert rows == other_rows
    assert {json.loads(row).get("turn", "") for row in rows} == {""}, "whose turn it is shows who takes the tricks"
    assert not frames
    assert not other_frames


@asynccontextmanager
async def returned_guests(url, tokens):
    """Connect guests who have been in the club before; yield them by nick."""
    async with AsyncExitStack() as stack:
        yield {nick: await stack.enter_async_context(joined(url, nick, token=token)) for nick, token in tokens.items()}


@contextmanager
def limit_to_one_table(monkeypatch):
    """Let only the first table of a round be opened, until the context ends."""
    opened = []

    async def open_only_first(self, id_, create_session, open_table=TableRegistry.open_tournament_table):
        if opened:
            raise CardtableError("the disk is full")
        opened.append(id_)
        await open_table(self, id_, create_session)

    with monkeypatch.context() as patch:
        patch.setattr(TableRegistry, "open_tournament_table", open_only_first)
        yield


@asynccontextmanager
async def open_cup_with_one_table(monkeypatch):
    """Open a club whose tournament plays a round of which only the first table could be opened."""
    with limit_to_one_table(monkeypatch):
        async with open_cup() as cup:
            _, administration, people, _, lines = cup
            await begin_round(administration, people)
            await poll_until(lambda: "the tournament waits: the disk is full" in lines)
            yield cup


@pytest.mark.parametrize("is_again", [False, True])
async def test_club_closes_while_a_table_is_opened(monkeypatch, is_again):
    """The administrator begins a round, or a table that could not be opened before is opened again."""
    async with open_cup() as (room, administration, people, _, _):
        await execute_request(administration, NEXT_ROUND)
        del people["Hugo"]
        await check_in(people.values())
        if is_again:
            with limit_to_one_table(monkeypatch):
                assert await execute_request(administration, NEXT_ROUND) == RequestFailed("the disk is full")
        with paused_session_setup(monkeypatch) as wait_until_tried:
            if is_again:
                room.tournament_manager.notice_change()
            else:
                beginning = asyncio.create_task(execute_request(administration, NEXT_ROUND))
            assert await wait_until_tried()
            closing = asyncio.create_task(room.close("The club has closed."))
            await asyncio.sleep(0)
        await closing
        assert is_again or await beginning == RequestFailed("the club is closing")
    async with club() as (room, _):
        assert all(table.hosted_session for table in room.table_manager.registry.tables.values())
        assert len(room.table_manager.registry.tables) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "hearts"}, "the game 'hearts' is not installed"),
        ({"options": {"gone": 3}}, "no option is called 'gone'; the options are "),
        ({"game": "rummy", "options": {}}, "Rummy is not for 4 seats"),
    ],
)
async def test_round_whose_game_is_gone_or_has_other_rules_does_not_begin(change, message):
    async with open_cup() as (_, administration, _, _, _):
        tournaments.save(replace(load_cup(), **change))
        refused = await execute_request(administration, NEXT_ROUND)
        assert refused.why.startswith(f"Cup cannot go on: {message}")
        assert load_cup().current_round is None


async def test_tournament_belongs_to_the_package_of_its_game(monkeypatch):
    """Another package with a game of the same key does not continue it, another version does."""
    plug_in_from(monkeypatch, layaway, "layaway 1.0")
    async with open_cup(NewTournament("Cup", "layaway", 2, NICKS[:4], seats=3, options=("length=1",))) as club_parts:
        _, administration, people, *_ = club_parts
        assert load_cup().package == "layaway 1.0"
        plug_in_from(monkeypatch, layaway, "other 1.0")
        reason = "it was played with 'layaway 1.0', and 'layaway' is now a game of 'other 1.0'"
        assert await execute_request(administration, NEXT_ROUND) == RequestFailed(f"Cup cannot go on: {reason}")
        assert "Tournament of layaway (the game is not installed)" in format_tournament(load_cup())
        assert load_cup().current_round is None
        tournaments.save(replace(load_cup(), options={"rounds": 1}))
        plug_in_from(
            monkeypatch, layaway, "layaway 2.0", migrate_options=lambda values, _: {"length": values["rounds"]}
        )
        await begin_round(administration, people)
        await poll_until(
            lambda: all(summaries.find_session_file(table.session) for table in load_cup().rounds[0].tables)
        )
        headers = [read_session(table.session).header for table in load_cup().rounds[0].tables]
        assert {(header.package, header.options["length"]) for header in headers} == {("layaway 2.0", 1)}


async def test_tournament_of_a_missing_game_hinders_no_other(monkeypatch):
    """A round is saved as being played, and its game is gone when the host starts again."""
    async with open_cup_with_one_table(monkeypatch):
        cup, key = load_cup(), tournaments.read_key(load_cup())
    tables = [replace(table, session=f"other-{number}") for number, table in enumerate(cup.rounds[0].tables)]
    other = cup.replace_round(0, replace(cup.rounds[0], tables=tuple(tables)))
    tournaments.add(replace(other, id="0" * 16, name="Other"), key)
    tournaments.save(replace(cup, game="hearts"))
    lines = []
    async with club(log=lines.append) as (room, _):
        active_tables = room.table_manager.registry.tables
        assert all(active_tables[table.session].hosted_session for table in tables)
    assert "the tournament waits: Cup cannot go on: the game 'hearts' is not installed" in lines


async def test_tournament_goes_on_after_a_mistake_of_the_program(monkeypatch):
    async with open_cup() as (_, administration, people, _, lines):
        await begin_round(administration, people)
        with monkeypatch.context() as patch:
            patch.setattr(tournament_manager, "extract_deals", lambda _: 1 / 0)
            await play(*chain(*await sit_down(people, 1)))
            await poll_until(lambda: any("the tournament waits: Cup has failed: ZeroDivis" in line for line in lines))
        await poll_until(lambda: load_cup().rounds[0].state == "finished")


async def test_killed_host_goes_on_with_the_same_tables(monkeypatch):
    """The host ends after the first of two tables has been created, and again within the round."""
    async with open_cup_with_one_table(monkeypatch) as (_, _, people, url, _):
        tokens = {nick: guest.welcome.token for nick, guest in people.items()}
    ids = [table.session for table in load_cup().rounds[0].tables]
    async with club() as (_, url), returned_guests(url, tokens) as people:
        tables = await sit_down(people, 1)
        for seated in tables:
            await play_until(lambda seated=seated: seated[0].scores, *seated)
    deals = [list_deals(id_) for id_ in ids]
    async with club() as (_, url), returned_guests(url, tokens) as people:
        await play(*chain(*await sit_down(people, 1)))
        await poll_until(lambda: load_cup().rounds[0].state == "finished")
    assert [table.session for table in load_cup().rounds[0].tables] == ids
    again = [list_deals(id_) for id_ in ids]
    assert [later[: len(before)] for later, before in zip(again, deals, strict=True)] == deals
    shared = min(map(len, again))
    assert again[0][:shared] == again[1][:shared]


@pytest.mark.parametrize(("command_type", "state"), [(EndTournament, "ended"), (CancelTournament, "cancelled")])
async def test_end_publishes_the_key_and_closes_the_tables(command_type, state):
    async with open_cup() as (room, administration, people, _, lines):
        await begin_round(administration, people)
        first, _ = await sit_down(people, 1)
        ids = [table.session for table in load_cup().rounds[0].tables]
        result = await execute_request(administration, command_type("Cup"))
        cup = load_cup()
        assert result == Done(f"The tournament Cup is {state}. The key of its deals is {cup.key}.")
        assert tournaments.compute_commitment(tournaments.read_key(cup)) == cup.commitment
        await first[0].wait_until(lambda: first[0].update.closed == "The host has ended the tournament Cup.")
        assert not room.table_manager.registry.tables
        assert [summaries.summarize(summaries.find_session_file(id_)).state for id_ in ids] == ["abandoned"] * 2
        assert await execute_request(administration, NEXT_ROUND) == RequestFailed(f"the tournament Cup is {state}")
        assert any(f"the tournament Cup is {state}; its key is {cup.key}" in line for line in lines)


@pytest.mark.parametrize("nick", ["Hanna", "Bob", None])
async def test_player_renamed_or_removed_between_rounds_keeps_the_seat(nick, anna_with_password):
    """The nick may be that of a guest in the same tournament, who keeps their own seat while connected."""
    tournament = replace(CUP, players=NICKS[:5], level="random")
    async with open_cup(tournament) as (_, administration, people, _, _):
        await begin_round(administration, people)
        await play(*chain(*await sit_down(people, 1)))
        await poll_until(lambda: load_cup().rounds[0].state == "finished")
        await leave(*people.values())
        if nick:
            profiles.update_profile("Anna", nick, "", "")
        else:
            profiles.remove_unchecked("Anna")
        await begin_round(administration, people)
        seats = {
            (table.session, seat): occupant
            for table in load_cup().rounds[1].tables
            for seat, occupant in enumerate(table.seats)
        }
        for guest in people.values():
            [own] = [
                place
                for place, occupant in seats.items()
                if (occupant.player if guest.nick == "Anna" else occupant == Occupant(guest.nick))
            ]
            await guest.wait_until(lambda guest=guest, own=own: (guest.seated.table, guest.seated.seat) == own)


async def test_tournament_can_end_without_its_key():
    async with open_cup() as (_, administration, _, _, _):
        paths.tournament_keys_file().unlink()
        result = await execute_request(administration, EndTournament("Cup"))
        assert result == Done("The tournament Cup is ended. The key of its deals is lost.")


async def test_robots_fill_up_and_the_next_round_begins_by_itself():
    tournament = replace(CUP, players=NICKS[:5], automatic=True, pause=0, level="random")
    async with open_cup(tournament) as (_, administration, people, _, _):
        await execute_request(administration, NEXT_ROUND)
        for number in (1, 2):
            await check_in(people.values())
            await play(*chain(*await sit_down(people, number)))
            await poll_until(lambda number=number: load_cup().rounds[number - 1].state == "finished")
            await leave(*people.values())
        assert load_cup().state == "ended"
        assert [
            sum(occupant.robot is not None for occupant in table.seats) for table in load_cup().rounds[0].tables
        ].count(0) == 0


IMPOSSIBLE = [
    ({"players": NICKS[:4]}, "a tournament needs 5 to 200 people, for at least two tables"),
    ({"players": (*NICKS[:7], "anna")}, "somebody is named twice"),
    ({"players": (*NICKS[:7], "Zoe")}, "nobody called Zoe has been in the club"),
    ({"name": " "}, "a tournament has a name of 1 to 24 characters"),
    ({"name": "cup"}, "there is already a tournament called cup"),
    ({"game": "whist"}, "whist"),
    ({"seats": 5}, "Gurka has 4 or 6 seats, not 5"),
    ({"options": ("limit=7",)}, "option limit cannot be"),
    ({"game": "ten_down", "options": ("room=50",)}, "a tournament has no stakes"),
    ({"level": "genius"}, "robot levels are"),
]


async def test_impossible_tournaments_are_refused():
    async with open_cup() as (_, administration, _, _, _):
        for changes, message in IMPOSSIBLE:
            result = await execute_request(administration, replace(CUP, **{"name": "Other", **changes}))
            assert isinstance(result, RequestFailed)
            assert message in result.why
        assert len(tournaments.load()) == 1


async def test_tournament_in_plain_lines(tmp_path):
    async with (
        club() as (room, url),
        connected_guests(url, *NICKS[1:5]) as others,
        PlainGuest(tmp_path, url, "Anna") as anna,
    ):
        await anna.read_until("Type help")
        tournament = replace(CUP, players=NICKS[:5], seats=4)
        administration = Administration(room)
        assert isinstance(await execute_request(administration, tournament), Done)
        await anna.read_until("The tournament Cup is open. The SHA-256 of the key of its deals begins with")
        await execute_request(administration, NEXT_ROUND)
        await anna.read_until("Round 1 of Cup is called: check in within ")
        await anna.ask("season cup", "The SHA-256 of the key of the deals is")
        await anna.ask("check in", "You have checked in.")
        await check_in(others)
        await anna.read_until("Round 1: 7 cards each.")
