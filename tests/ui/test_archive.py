"""Archive page: search, filters, order, keys and mouse, thousands of sessions."""

import time
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.journal import Header, NameLine, Occupant, Origin
from cardtable.games import GAMES
from cardtable.games.rikiki import rules as rikiki
from cardtable.records.archive import FILTERS, filter_rows, sort_rows
from cardtable.session.simulation import Plan, simulate
from cardtable.store import paths
from cardtable.store.archive_index import ReadingProgress
from cardtable.store.profiles import ProfileStore
from cardtable.store.summaries import Summary
from cardtable.ui.archive import screen as archive
from cardtable.ui.archive.screen import ArchivePage
from cardtable.ui.picker.screen import Picker
from cardtable.ui.table.screen import TableScreen
from cardtable.wording import archive_rows
from cardtable.wording.archive_rows import create_row
from tests.journal_times import format_iso
from tests.pty.test_hostile_text import NAMES
from tests.ui.bursts import key_event, send
from tests.ui.current_screen import is_shown
from tests.ui.driver import LARGE, SMALL, TINY, start_program
from tests.ui.table_host import wait_until

NOW = datetime(2026, 11, 20, 21, 30, tzinfo=UTC)
PEOPLE = ("Guest", "Tom", "Anna", *NAMES)


@pytest.fixture(autouse=True)
def fixed_time(monkeypatch):
    """Fix the time to an evening in November, UTC, and shorten sessions of Rikiki."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setattr(archive, "get_local_time", lambda: NOW)
    monkeypatch.setattr(rikiki, "FULL_SESSION", (2, 1))
    yield
    monkeypatch.undo()
    time.tzset()


def write_session(game, names, ago, *, seed=1, lines=None, name=None, **house):
    """Write a session of these people and robots, played by robots; unfinished if `lines` limits its lines."""
    about = GAMES[game]
    [session] = simulate(Plan(game, 1, seed, ("random",) * len(names), about.options(**house)))
    read = journal.read(session.journal)
    seats = tuple([Occupant(nick, None if nick in PEOPLE else "steady") for nick in names])
    number = len([*paths.archive_folder().glob("*"), *paths.sessions_folder().glob("*")])
    entries = [msgspec.structs.replace(entry.line, at=40 * i) for i, entry in enumerate(read.entries[:lines])]
    created = format_iso((NOW - ago).timestamp() - entries[-1].at)
    header = msgspec.structs.replace(read.header, seats=seats, id=f"20261101-{number:06}-{game}-7f3a", created=created)
    if name is not None:
        entries.insert(2, NameLine(name, at=1))
    folder = paths.archive_folder() if lines is None else paths.sessions_folder()
    paths.create_folder(folder)
    path = folder / f"{header.id}.jsonl"
    path.write_bytes(journal.encode(header, entries))
    return path


def give_up(path):
    return path.rename(paths.archive_folder() / path.name)


@pytest.fixture
def sample_sessions():
    """Sessions in every state."""
    write_session("rikiki", ("Guest", "Bo", "Cy", "Dee"), timedelta(minutes=2), lines=9)
    write_session("gurka", ("Bo", "Guest", "Cy", "Dee"), timedelta(days=1), lines=25, name="Friday")
    write_session("rikiki", ("Guest", "Tom", "Cy", "Dee"), timedelta(days=1, minutes=5), seed=3)
    write_session("rummy", ("Guest", "Bo"), timedelta(days=2))
    write_session("ten_down", ("Anna", "Bo", "Cy"), timedelta(days=5), room=50)
    give_up(write_session("bridge", ("Guest", "Bo", "Cy"), timedelta(days=6), lines=40))
    broken = write_session("gurka", ("Guest", "Bo", "Cy", "Dee"), timedelta(days=8), seed=2)
    broken.write_bytes(broken.read_bytes()[:-200].replace(b"play 9", b"play 8", 1))
    write_session("rikiki", ("Ada", "Bo", "Cy", "Dee"), timedelta(days=40), seed=5)
    write_session("rikiki", ("Guest", "Bo", "Cy", "Dee"), timedelta(days=400), seed=6, open_hands="on")


@asynccontextmanager
async def open_archive(size=SMALL):
    """Open the archive from the picker, wait until all sessions are read, and yield the program and the page."""
    async with start_program(size=size) as program:
        await program.press("a")
        yield program, await wait_until_loaded(program)


async def wait_until_loaded(program):
    page = (await program.is_at(ArchivePage)).page
    await program.wait_until(lambda: not page.model.progress and all(work.node is not page for work in page.workers))
    return page


def list_games(page):
    return [each.summary.header and each.summary.header.game for each in page.model.matches]


async def test_golden_screens_of_every_state(sample_sessions):
    async with open_archive(LARGE) as (program, _):
        await program.press("down down")
        await wait_until_loaded(program)
        await program.check_golden_in_sizes("archive", (LARGE, SMALL, TINY))


async def test_empty_archive():
    async with open_archive() as (program, page):
        await program.sees("No sessions yet")
        await program.press("g v down end pagedown o right backspace")
        assert program.app.screen is page.screen
        await program.press("enter")
        await program.sees("New table")
        await program.press("escape")
        await program.is_at(Picker)


async def test_search_filters_while_typing(sample_sessions):
    async with open_archive() as (program, page):
        await program.press("/")
        await program.write("gurka fri")
        assert list_games(page) == ["gurka"]
        await program.sees("1 of 9 sessions")
        await program.press("enter backspace")
        assert len(page.model.matches) == 9
        await program.press("/")
        await program.write("anna ten")
        assert list_games(page) == ["ten_down"]
        await program.press("backspace " * 4 + "space z z")
        await program.reads("No session matches. Esc clears the words.")
        await program.press("enter")
        await program.reads("No session matches. Backspace shows all sessions again.")
        await program.press("/ escape")
        assert len(page.model.matches) == 9
        await program.press("/ f r i d a y down left home delete")
        assert page.model.search_input.text == "riday"


async def test_tab_and_arrows_change_filters(sample_sessions):
    async with open_archive() as (program, page):
        await program.press("right")
        assert list_games(page) == ["rikiki"] * 4
        await program.press("tab right")
        assert (page.model.filter_values["player"], len(page.model.matches)) == ("Guest", 3)
        await program.press("tab left")
        assert page.model.filter_values["when"] == "2025"
        assert len(page.model.matches) == 1
        await program.press("backspace tab right")
        assert page.model.filter_values["result"] == "won"
        assert all(each.rank == 1 for each in page.model.matches)
        await program.press("tab")
        assert page.model.current_filter == next(iter(FILTERS))
        await program.press("shift+tab")
        assert page.model.current_filter == [*FILTERS][-1]


async def test_enter_returns_to_table_below(sample_sessions):
    async with start_program() as program:
        await program.press("enter")
        table = await program.is_at(TableScreen)
        program.app.context.show("archive")
        page = await wait_until_loaded(program)
        assert page.model.row.summary.path == table.session.path
        await program.press("enter")
        await program.wait_until(lambda: program.app.screen is table)
        assert not table.session.read_only_reason


async def test_opens_replay_and_review(sample_sessions, monkeypatch):
    requests = []
    async with open_archive() as (program, page):
        monkeypatch.setattr(page.context, "show", lambda *about: requests.append(about))
        await program.press("v down down enter v")
        path = page.model.row.summary.path
        assert requests == [("replay", path), ("review", path)]
        await program.press("/ 2 0 2 6 1 1 0 1 - 0 0 0 0 0 6 enter enter v g")
        assert page.model.row.summary.error
        assert len(requests) == 2


async def test_enter_on_deleted_session_notifies(sample_sessions):
    async with open_archive() as (program, page):
        page.model.row.summary.path.unlink()
        await program.press("enter")
        await program.wait_until(lambda: program.notices)
        assert program.app.screen is page.screen
        summary = msgspec.structs.replace(page.model.row.summary, real_cards=True)
        page.model.matches[0] = replace(page.model.row, summary=summary)
        await program.press("enter")
        await program.wait_until(lambda: len(program.notices) == 2)
        assert program.app.screen is page.screen


async def test_leaving_stops_background_reading(sample_sessions, monkeypatch):
    def read_forever(_archive, _interval):
        while True:
            time.sleep(0.01)
            yield ReadingProgress(1, 0, 1)

    async with start_program() as program:
        monkeypatch.setattr(archive.Archive, "read", read_forever)
        send(program.app, [key_event("a")])
        await wait_until(program.pilot, lambda: "still to be read" in program.text)  # it's never idle
        page = program.app.screen.page
        send(program.app, [key_event("escape")])
        await program.wait_until(lambda: is_shown(program.app, Picker) and not page.is_attached)
        await program.wait_until(lambda: not [worker for worker in program.app.workers if worker.node is page])


def create_summary(number, *, game="rikiki", names=("Guest", "Bo", "Cy", "Dee"), level="steady", state="over", **facts):
    """Return the summary of a session without a file."""
    seats = tuple([Occupant(nick, None if nick in PEOPLE else level) for nick in names])
    header_facts = {"options": {}, **{key: facts.pop(key) for key in ("options", "origin") if key in facts}}
    header = Header(cardtable=3, id=f"s{number}", game=game, created="", seed=1, seats=seats, **header_facts)
    totals = facts.pop("totals", (10, 20, 30, 40)[: len(names)])
    ranks = facts.pop("ranks", (4, 3, 2, 1)[-len(names) :]) if state == "over" else None
    when = (NOW - timedelta(days=number)).timestamp()
    return Summary(f"s{number}", Path(f"s{number}.jsonl"), header, state, 3, totals, ranks, when, **facts)


def create_rows(*summaries, me="Guest"):
    return [create_row(summary, me, ProfileStore()) for summary in summaries]


def list_ids(rows):
    return [each.summary.id for each in rows]


def test_search_covers_game_name_state_and_date():
    rows = create_rows(
        create_summary(1, name="Friday club"),
        create_summary(2, game="king"),
        create_summary(3, state="abandoned"),
        create_summary(400, name="İlk STRASSE", level="expert"),
    )
    for text, ids in (
        ("FRI", ["s1"]),
        ("king", ["s2"]),
        ("given", ["s3"]),
        ("nov 2026", ["s1", "s2", "s3"]),
        ("bo rikiki up", ["s3"]),
        ("2025", ["s400"]),
        ("", ["s1", "s2", "s3", "s400"]),
        ("ILK straße", ["s400"]),
        ("ilk", ["s400"]),
        ("expert", ["s400"]),
        ("nobody", []),
    ):
        assert list_ids(filter_rows(rows, text, {}, NOW.date())) == ids


def test_filters_by_game_player_date_result():
    rows = create_rows(
        create_summary(0, ranks=(1, 2, 3, 4)),
        create_summary(6, names=("Tom", "Guest", "Cy", "Dee"), state="open"),
        create_summary(7, state="abandoned"),
        create_summary(29, names=("Tom", "Bo", "Cy", "Dee"), ranks=(1, 2, 3, 4)),
        create_summary(30, game="king"),
    )
    for values, ids in (
        ({"game": "King"}, ["s30"]),
        ({"player": "Tom"}, ["s6", "s29"]),
        ({"when": "today"}, ["s0"]),
        ({"when": "7 days"}, ["s0", "s6"]),
        ({"when": "30 days"}, ["s0", "s6", "s7", "s29"]),
        ({"when": "2026"}, ["s0", "s6", "s7", "s29", "s30"]),
        ({"when": "2024"}, []),
        ({"result": "won"}, ["s0", "s29"]),
        ({"result": "not won"}, ["s30"]),
        ({"result": "open"}, ["s6"]),
        ({"result": "abandoned"}, ["s7"]),
        ({"game": "Rikiki", "player": "Tom", "result": "won"}, ["s29"]),
    ):
        assert list_ids(filter_rows(rows, "", values, NOW.date())) == ids, values


def test_sort_orders():
    rows = create_rows(
        create_summary(1, totals=(5, 6, 7, 8)),
        create_summary(2, game="king", names=("Bo", "Guest", "Cy", "Dee"), totals=(1, 90, 3, 4)),
        create_summary(3, names=("Anna", "Bo", "Cy", "Dee"), ranks=(1, 2, 3, 4), totals=(50, 2, 3, 4)),
        create_summary(4, state="open"),
    )
    for sort, ids in (
        ("newest", ["s1", "s2", "s3", "s4"]),
        ("oldest", ["s4", "s3", "s2", "s1"]),
        ("game", ["s2", "s1", "s3", "s4"]),
        ("players", ["s3", "s1", "s4", "s2"]),
        ("place", ["s3", "s2", "s1", "s4"]),
        ("result", ["s2", "s3", "s1", "s4"]),
    ):
        assert list_ids(sort_rows(rows, sort)) == ids, sort


def test_properties_places_and_results():
    [abandoned] = create_rows(create_summary(1, names=("Guest", "Tom", "Cy", "Dee"), state="abandoned"))
    assert (archive_rows.format_place(abandoned), archive_rows.format_result(abandoned)) == ("3rd", "10")
    assert archive_rows.list_properties(abandoned.summary) == ["abandoned", "hot seat"]
    [alone] = create_rows(create_summary(1, undone=3, options={"open_hands": "on"}, origin=Origin("s0", 9)))
    assert archive_rows.list_properties(alone.summary) == ["undone moves", "open hands", "continued"]
    [robots] = create_rows(create_summary(1, names=("Ada", "Bo", "Cy", "Dee")))
    assert (archive_rows.format_place(robots), archive_rows.format_result(robots)) == ("", "Dee 40")
    assert archive_rows.list_properties(robots.summary) == ["robots"]
    [two] = create_rows(create_summary(1, game="rummy", names=("Bo", "Guest"), totals=(101, -5), ranks=(1, 2)))
    assert (archive_rows.format_place(two), archive_rows.format_result(two)) == ("2nd", "−5 : 101")
    [stake] = create_rows(create_summary(1, game="ten_down", options={"room": 50}))
    assert archive_rows.list_properties(stake.summary) == ["50 room"]
    [real] = create_rows(create_summary(1, real_cards=True, names=("Guest", "Tom", "Anna", "Dee")))
    assert archive_rows.list_properties(real.summary) == ["real cards"]
    [half] = create_rows(create_summary(1, state="abandoned", totals=()))
    assert (archive_rows.format_place(half), archive_rows.format_result(half)) == ("4th", "")


def test_format_of_played_time():
    for ago, text in (
        (timedelta(seconds=30), "just now"),
        (timedelta(minutes=-30), "just now"),
        (timedelta(minutes=5), "5 min ago"),
        (timedelta(hours=3), "3 h ago"),
        (timedelta(hours=23), "yesterday"),
        (timedelta(days=3), "17 Nov"),
        (timedelta(days=330), "25 Dec 2025"),
    ):
        moved = msgspec.structs.replace(create_summary(0), played=(NOW - ago).timestamp())
        assert archive_rows.format_when(create_row(moved, "Guest", ProfileStore()), NOW) == text
