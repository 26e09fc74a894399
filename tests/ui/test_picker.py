"""Picker by keys and mouse, with saved and with made-up sessions."""

import errno
import re
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from textual.app import App
from textual.screen import Screen

from cardtable.engine import replay
from cardtable.engine.game import CHANCE
from cardtable.engine.journal import Header, Occupant
from cardtable.games import ABOUT, GAMES, KEYS
from cardtable.store import atomic_io, session_setup, sessions, summaries
from cardtable.store.settings import Settings
from cardtable.store.summaries import Summary
from cardtable.ui.picker import model
from cardtable.ui.picker.model import DailyDeal, load_preview
from cardtable.ui.picker.screen import Picker
from cardtable.ui.toolkit.page import PageScreen
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.ui.toolkit.scroll_list import BlockArea
from cardtable.wording.formatting import SUIT_SIGNS
from tests.golden_files import check_golden
from tests.journal_times import set_last_played
from tests.ui.canvas_rendering import APPEARANCE
from tests.ui.recording_context import RecordingContext
from tests.ui.screen_text import screen_text

NOW = datetime(2026, 11, 20, 21, 30, tzinfo=UTC)
SMALL, LARGE, TINY = (80, 24), (120, 40), (60, 18)
DEAL = session_setup.get_daily_game(NOW.date())
FIRST, SECOND = [ABOUT[key].title for key in KEYS[:2]]
DOWN_TO_TABLES = ("down",) * (len(KEYS) - 1)
"""Keys from the second game to the first saved table."""
GUEST, BO, CY, DEE = Occupant("Guest"), Occupant("Bo", "steady"), Occupant("Cy", "steady"), Occupant("Dee", "steady")


class Host(App[None]):
    """App that shows the picker and records its requests."""

    def __init__(self, entries=summaries.list_unfinished):
        super().__init__()
        self.preferences = Preferences(Settings())
        self.now = NOW
        self.context = RecordingContext(self, self.preferences)
        self.picker = PageScreen(Picker(self.context, entries, lambda: self.now))

    def on_mount(self):
        self.push_screen(self.picker)

    @property
    def requests(self):
        """Return the requests: a kind, and the game, day or session."""
        return [self._describe_request(*asked) for asked in self.context.requests]

    def _describe_request(self, name, about, *_):
        if name != "begin":
            return name, about.stem if isinstance(about, Path) else about
        if about == session_setup.create_daily_setup(self.now.date()):
            return "deal", self.now.date()
        return "play" if any(not occupant.robot for occupant in about.seats) else "watch", about.game.about.key

    @asynccontextmanager
    async def open_picker(self, size=SMALL):
        """Show the picker and wait until all sessions are read."""
        async with self.run_test(size=size) as pilot:
            await self.settle(pilot)
            yield pilot

    async def settle(self, pilot):
        """Wait until no more sessions are being read."""
        await pilot.pause()
        await self.workers.wait_for_complete()
        await pilot.pause()

    async def press(self, pilot, *keys):
        """Press keys; return the requests made since."""
        self.context.requests.clear()
        await pilot.press(*keys)
        await self.settle(pilot)
        return self.requests


def read_cursor_rows(app):
    """Return the text of the rows marked by the cursor's bar."""
    rows = [row for row in screen_text(app).split("\n") if "▌" in row]
    return "\n".join([row.split("▌")[1].strip() for row in rows]).strip()


def make_summary(name, *, game="bridge", round_=3, totals=(0, 5, 10, 15), names=("Guest", "Bo", "Cy", "Dee"), hours=0):
    """Return a made-up saved table, with robots in all seats but the first."""
    seats = (Occupant(names[0]), *[Occupant(n, "steady") for n in names[1:]])
    header = Header(cardtable=3, id=name, game=game, created="", seed=1, options={}, seats=seats)
    played = (NOW - timedelta(hours=hours)).timestamp()
    return Summary(name, Path("nowhere") / f"{name}.jsonl", header, "open", round_, totals, None, played)


def make_broken_summary(name="20261101-101500-rikiki-77aa", reason="line 12: the checksum is wrong"):
    path = Path("nowhere") / f"{name}.jsonl"
    return Summary(name, path, None, "open", 0, (), None, 0.0, f"{path}: {reason}", reason=reason)


def save_session(game, seats, seed, decisions, ago, *, turn=None):
    """Save a session after the given number of decisions, continued until it is the turn of `turn`."""
    session = sessions.create(GAMES[game], seats, GAMES[game].options(), seed, now=NOW)
    rng, table = Random(seed), session.referee
    done = 0
    while done < decisions or turn not in (None, table.turn):
        if table.turn == CHANCE:
            table.advance()
        else:
            table.play(table.turn, rng.choice(table.view(table.turn).legal))
            done += 1
    session.close()
    set_last_played(session.path, (NOW - ago).timestamp())
    return session


@pytest.fixture
def mixed_sessions():
    """Save a Rikiki session two minutes old and two older ones; list them and a broken one."""
    save_session("rikiki", (BO, GUEST, CY, DEE), 5, 172, timedelta(minutes=2), turn=1)
    save_session("bridge", (GUEST, BO), 6, 40, timedelta(days=1))
    save_session("rikiki", (GUEST, Occupant("Anna"), CY, DEE), 7, 60, timedelta(days=8))
    return lambda: [*summaries.list_unfinished(), make_broken_summary()]


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_latest_session_is_first_row(mixed_sessions, size):
    app = Host(mixed_sessions)
    async with app.open_picker(size):
        check_golden(f"picker_{size[0]}x{size[1]}.txt", screen_text(app))


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_first_game_is_selected_without_sessions(size):
    app = Host()
    async with app.open_picker(size):
        check_golden(f"picker_empty_{size[0]}x{size[1]}.txt", screen_text(app))


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
@pytest.mark.parametrize("has_tables", [False, True])
async def test_home_that_cannot_be_written(size, has_tables, home, monkeypatch):
    if has_tables:
        save_session("gurka", (GUEST, BO, CY, DEE), 5, 6, timedelta(minutes=12))
    monkeypatch.setattr(atomic_io, "write_new", lambda *_: (_ for _ in ()).throw(OSError(errno.EROFS, "Read-only")))
    app = Host()
    async with app.open_picker(size):
        assert "Every move is saved" not in screen_text(app)
        assert "Nothing can be saved:" in screen_text(app)
        assert "tells more." in screen_text(app)


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_text_beside_long_hand_is_not_cut(size):
    save_session("rifki", (GUEST, BO, CY, DEE), 5, 6, timedelta(minutes=12), turn=0)
    app = Host()
    async with app.open_picker(size):
        assert "12 minutes ago" in read_cursor_rows(app)
        assert "your turn" in read_cursor_rows(app)
        assert "…" not in read_cursor_rows(app)


async def test_no_hand_is_shown_at_hot_seat():
    seats = (GUEST, Occupant("Anna"), CY, DEE)
    save_session("rikiki", seats, 5, 172, timedelta(minutes=2), turn=1)
    app = Host()
    async with app.open_picker(SMALL):
        text = screen_text(app)
        check_golden("picker_hot_seat_80x24.txt", text)
        assert not set(SUIT_SIGNS) & set("".join(text.split("\n")[2:5]))


async def test_enter_continues_or_starts(mixed_sessions):
    app = Host(mixed_sessions)
    last = summaries.list_unfinished()[0].id
    async with app.open_picker(SMALL) as pilot:
        assert await app.press(pilot, "enter") == [("go on", last)]
        assert await app.press(pilot, "down", "enter") == [("play", KEYS[0])]
        assert await app.press(pilot, "down", "space") == [("play", KEYS[1])]
        assert await app.press(pilot, *DOWN_TO_TABLES, "enter") == [("go on", summaries.list_unfinished()[1].id)]
        assert await app.press(pilot, "home", "enter") == [("go on", last)]
        assert await app.press(pilot, "up", "enter") == [("deal", NOW.date())]
        assert await app.press(pilot, "up", "enter") == [("go on", make_broken_summary().id)]
        assert await app.press(pilot, "down", "down", "enter") == [("go on", last)]


async def test_rules_open_for_selected_game(mixed_sessions):
    app = Host(mixed_sessions)
    async with app.open_picker(SMALL) as pilot:
        assert await app.press(pilot, "down", "i") == [("rules", KEYS[0])]
        assert await app.press(pilot, "down", "i") == [("rules", KEYS[1])]
        assert await app.press(pilot, *DOWN_TO_TABLES, "i") == [("rules", "bridge")], "the game of the selected table"
        assert await app.press(pilot, "end", "i") == [("rules", DEAL)], "the game of the daily deal"
        assert await app.press(pilot, "up", "i") == [], "a broken journal has no game"


async def test_new_table_opens_for_selected_game(mixed_sessions):
    app = Host(mixed_sessions)
    async with app.open_picker(SMALL) as pilot:
        assert await app.press(pilot, "down", "n") == [("new_table", KEYS[0])]
        assert await app.press(pilot, "down", "n") == [("new_table", KEYS[1])]
        assert await app.press(pilot, *DOWN_TO_TABLES, "n") == [("new_table", "bridge")], (
            "the game of the selected table"
        )
        assert await app.press(pilot, "end", "n") == [("new_table", DEAL)], "the game of the daily deal"
        assert await app.press(pilot, "up", "n") == [("new_table", KEYS[0])], (
            "the first game, since a broken journal has none"
        )


async def test_left_and_right_switch_between_columns():
    app = Host(lambda: [make_summary("first"), make_summary("second", game="rikiki")])
    async with app.open_picker(LARGE) as pilot:
        assert await app.press(pilot, "down", "right", "enter") == [("go on", "second")]
        assert await app.press(pilot, "right", "enter") == [("go on", "second")]
        assert await app.press(pilot, "left", "enter") == [("go on", "first")]


async def test_click_selects_and_second_click_opens(mixed_sessions):
    app = Host(mixed_sessions)
    async with app.open_picker(SMALL) as pilot:
        assert await click_text(app, pilot, "shed your cards") == []
        assert "Bridge" in read_cursor_rows(app)
        assert await click_text(app, pilot, "shed your cards") == [("play", "bridge")]
        assert await click_text(app, pilot, "Continue:", twice=True) == [("go on", summaries.list_unfinished()[0].id)]


async def click_text(app, pilot, text, *, twice=False):
    """Click the position of a text on the screen; return the requests made since."""
    app.context.requests.clear()
    rows = screen_text(app).split("\n")
    x, y = next((row.index(text), y) for y, row in enumerate(rows) if text in row)
    await (pilot.double_click if twice else pilot.click)(offset=(x, y))
    await pilot.pause()
    return app.requests


async def test_footer_keys_are_clickable():
    app = Host()
    async with app.open_picker(LARGE) as pilot:
        await click_text(app, pilot, "choose")
        assert SECOND in read_cursor_rows(app)
        assert await click_text(app, pilot, "rules") == [("rules", KEYS[1])]
        assert await click_text(app, pilot, "play ") == [("play", KEYS[1])]
        assert await click_text(app, pilot, "The Table") == []
        assert await click_text(app, pilot, "? help") == []
        assert "any key closes" in screen_text(app)
        await click_text(app, pilot, "any key closes")
        assert "any key closes" not in screen_text(app)


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_many_tables_scroll(size):
    app = Host(lambda: [make_summary(f"table{n}", round_=n, hours=n) for n in range(60)])
    async with app.open_picker(size) as pilot:
        assert "1 hour ago" in screen_text(app)
        assert "2 days ago" not in screen_text(app)
        assert await app.press(pilot, "end", "up", "enter") == [("go on", "table59")]
        assert read_cursor_rows(app).startswith("Bridge")
        assert "2 days ago" in read_cursor_rows(app)
        assert await app.press(pilot, "pageup", "enter") == [("go on", f"table{59 - size[1] // 2}")]
        assert read_cursor_rows(app)
        await app.press(pilot, "home")
        assert "Continue: Bridge" in read_cursor_rows(app)


async def test_wheel_scrolls_and_key_returns_to_cursor():
    app = Host(lambda: [make_summary(f"table{n}", round_=n, hours=n) for n in range(60)])
    async with app.open_picker(SMALL) as pilot:
        widget = app.screen.query_one(Picker)
        for _ in range(40):
            widget.on_wheel(1, 5)
        await pilot.pause()
        assert "2 days ago" in screen_text(app)
        assert not read_cursor_rows(app)
        await app.press(pilot, "down")
        assert FIRST in read_cursor_rows(app)


@pytest.mark.parametrize(
    ("size", "number"),
    [(TINY, 0), (TINY, 1), (TINY, 200), (SMALL, 5), (SMALL, 200), (LARGE, 5), (LARGE, 200), ((200, 60), 200)],
)
async def test_every_table_is_reachable_and_fits_width(size, number):
    huge, wide = (10**15, -(10**15), 0, 7), ("漢字" * 12, "\u202e" * 24, "x" * 24, "Dee")
    tables = [
        make_broken_summary(f"broken{n}")
        if n % 7 == 3
        else replace(make_summary(f"table{n}", totals=huge, names=wide, round_=10**6), name="[b]" * 8 if n % 2 else "")
        for n in range(number)
    ]
    app = Host(lambda: tables)
    async with app.open_picker(size):
        widget, reached = app.screen.query_one(Picker), set()
        for _ in range(0, len(KEYS) + number + 1, step := 1 + number // 20):
            widget.action_move(step)
            canvas = widget.paint(*size)
            rows = str(canvas).split("\n")
            assert max(map(cell_len, rows)) <= size[0]
            bars = [y for y, row in enumerate(rows) if "▌" in row]
            assert bars, "the row of the cursor is visible"
            assert 0 < bars[0] <= bars[-1] < size[1] - 1
            reached.add(widget.model.cursor)
        assert len(reached) >= (len(KEYS) + number + 1) // step


@pytest.fixture
def named_sessions():
    """Save named tables, one of robots only, one of several people, and the unfinished daily deal."""
    save_session("rikiki", (GUEST, BO, CY, DEE), 5, 172, timedelta(minutes=2), turn=0)
    deal = session_setup.create_daily_setup(NOW.date())
    save_session(DEAL, deal.seats, deal.seed, 30, timedelta(hours=3))
    save_session("gurka", (GUEST, Occupant("Anna"), CY, DEE), 7, 60, timedelta(days=1))
    save_session("bridge", (Occupant("Ada", "steady"), BO), 8, 60, timedelta(days=9))
    for summary, name in zip(summaries.list_unfinished(), ("Monday club", "", "Friday, late", ""), strict=True):
        sessions.rename(summary.path, name)


@pytest.mark.parametrize("size", [TINY, SMALL, LARGE, (200, 60)])
async def test_named_tables_and_daily_deal_golden(named_sessions, size):
    app = Host()
    async with app.open_picker(size) as pilot:
        await app.press(pilot, "end")
        check_golden(f"picker_tables_{size[0]}x{size[1]}.txt", screen_text(app))


async def test_rename_and_give_up_golden(named_sessions):
    app = Host()
    async with app.open_picker() as pilot:
        await app.press(pilot, "e")
        check_golden("picker_rename_80x24.txt", screen_text(app))
        await app.press(pilot, "escape", "g")
        check_golden("picker_give_up_80x24.txt", screen_text(app))
        await app.press(pilot, "enter")
        check_golden("picker_abandoned_80x24.txt", screen_text(app))


async def test_cursor_moves_up_from_abandoned_last_table(named_sessions):
    app = Host()
    async with app.open_picker() as pilot:
        await app.press(pilot, "end")
        assert "Bridge" in read_cursor_rows(app)
        await app.press(pilot, "g", "enter")
        assert "Friday, late" in read_cursor_rows(app)


async def test_cursor_stays_on_renamed_table():
    save_session("gurka", (GUEST, Occupant("Anna"), CY, DEE), 7, 60, timedelta(minutes=1))
    save_session("rikiki", (GUEST, BO, CY, DEE), 5, 172, timedelta(hours=1))
    app = Host()
    async with app.open_picker() as pilot:
        await app.press(pilot, "down", *DOWN_TO_TABLES, "down", "e", *"Monday", "enter")
        assert "Monday" in screen_text(app)
        await app.press(pilot, "g")
        assert "Abandon Rikiki" in screen_text(app)


async def test_daily_deal_changes_at_midnight(named_sessions):
    app = Host()
    async with app.open_picker() as pilot:
        assert "  Today" not in screen_text(app), "today's deal is already listed as a table"
        app.now += timedelta(days=1)
        app.screen.query_one(Picker)._update_ages()
        await app.settle(pilot)
        following = session_setup.get_daily_game(app.now.date())
        assert following != DEAL
        assert f"{ABOUT[following].title} " in find_row(app, "  Today")
        assert "not played yet" in find_row(app, "  Today")
        assert await app.press(pilot, "end", "enter") == [("deal", app.now.date())]


def find_row(app, start):
    """Return the row that begins with `start`."""
    return next(row for row in screen_text(app).split("\n") if row.startswith(start))


async def test_w_watches_robot_tables():
    seats = (Occupant("Ada", "steady"), BO, CY, DEE)
    session = save_session("rikiki", seats, 5, 172, timedelta(0))
    app = Host()
    async with app.open_picker() as pilot:
        assert await app.press(pilot, "w") == [("go on", session.header.id)]
        assert await app.press(pilot, "down", "w") == [("watch", KEYS[0])]
        assert await app.press(pilot, "end", "w") == [("watch", DEAL)]


async def test_hostile_names_are_neutralised():
    names = ("[b]An[/]", "\x1b[31mBo\x07", "\u202eyC\u2066", "漢字漢字漢字漢字漢字")
    hostile = [
        make_summary("one", names=names),
        make_summary("two", names=names, game="rikiki"),
        make_broken_summary("[@click=app.quit]\x1b]0;x\x07\u202e", "\x1b[2J[/b]"),
    ]
    for size in (SMALL, LARGE, TINY):
        app = Host(lambda: hostile)
        async with app.open_picker(size):
            text = screen_text(app)
            assert not {"\x1b", "\x07", "\u202e", "\u2066"} & set(text)
            assert "[@click=app.quit]" in text or size == TINY
            assert "�[31mBo�" in text or size == TINY
            assert max(map(len, text.split("\n"))) <= size[0]


async def test_broken_session_shows_reason_without_path():
    app = Host(lambda: [make_broken_summary()])
    async with app.open_picker(LARGE):
        assert "cannot be opened: line 12:" in screen_text(app)
        assert "nowhere" not in screen_text(app)
        assert FIRST in screen_text(app).split("▌")[1], "a broken session is not selected first"


async def test_first_table_is_shown_before_rest_is_read():
    asked = []

    def entries():
        for n in range(5):
            asked.append(n)
            yield make_summary(f"table{n}", round_=n)

    app = Host(entries)
    async with app.open_picker(SMALL) as pilot:
        app.screen.query_one(Picker).on_resumed()
        assert asked[-1] == 0
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert asked[-5:] == [0, 1, 2, 3, 4]
        assert screen_text(app).count("You Bo Cy Dee") == 4


async def test_picker_refreshes_on_return():
    entries = [make_summary("old", hours=5)]
    app = Host(lambda: list(entries))
    async with app.open_picker(SMALL) as pilot:
        await app.press(pilot, "down", "down")
        await leave_and_return(app, pilot)
        assert SECOND in read_cursor_rows(app), "the cursor keeps its row"
        entries.insert(0, make_summary("new", game="rikiki"))
        await leave_and_return(app, pilot)
        assert read_cursor_rows(app).startswith("Continue: Rikiki")
        assert await app.press(pilot, "end", "up", "enter") == [("go on", "old")]
        entries.clear()
        await leave_and_return(app, pilot)
        assert FIRST in read_cursor_rows(app)
        assert "old" not in screen_text(app)


async def leave_and_return(app, pilot):
    """Go to another screen and come back."""
    await app.push_screen(Screen())
    app.pop_screen()
    await app.settle(pilot)


@pytest.mark.parametrize("key", ["enter", "escape", "down", "q", "question_mark"])
async def test_any_key_only_closes_key_sheet(key):
    app = Host()
    async with app.open_picker(SMALL) as pilot:
        before = screen_text(app)
        await app.press(pilot, "f1")
        assert "in the picker" in screen_text(app)
        assert await app.press(pilot, key) == []
        assert screen_text(app) == before


async def test_q_quits():
    app = Host()
    async with app.open_picker() as pilot:
        await pilot.press("q")
        assert app.return_code == 0


async def test_small_terminal_shows_size_needed():
    app = Host()
    async with app.run_test(size=(30, 8)) as pilot:
        await pilot.pause()
        assert "Needs 60x18." in screen_text(app)
        await pilot.resize_terminal(60, 18)
        await pilot.pause()
        assert FIRST in read_cursor_rows(app)


def load_saved_preview(session):
    return load_preview(next(summary for summary in summaries.list_unfinished() if summary.path == session.path))


def test_preview_has_round_turn_and_own_hand():
    session = save_session("rikiki", (BO, GUEST, CY, DEE), 5, 172, timedelta(0), turn=1)
    preview = load_saved_preview(session)
    assert preview.facts[0] == f"round {session.referee.round} of 28"
    assert preview.is_only_person
    assert sum(1 << card for card in preview.hand) == session.referee.view(1).hand


def test_preview_names_robot_on_turn():
    assert (
        load_saved_preview(save_session("rikiki", (BO, GUEST, CY, DEE), 5, 172, timedelta(0), turn=2)).turn
        == "Cy's turn"
    )


def test_hot_seat_preview_has_backs_of_seat_on_turn():
    session = save_session("rikiki", (GUEST, Occupant("Anna"), CY, DEE), 5, 172, timedelta(0), turn=1)
    preview = load_saved_preview(session)
    assert (preview.turn, preview.hand) == ("Anna's turn", ())
    assert preview.backs == session.referee.view(1).hand.bit_count() != session.referee.view(0).hand.bit_count()


async def test_preview_names_person_on_turn_if_not_guest():
    save_session("rikiki", (BO, Occupant("Anna"), CY, DEE), 5, 172, timedelta(minutes=2), turn=1)
    app = Host()
    async with app.open_picker(SMALL):
        assert "Anna's turn" in read_cursor_rows(app)


def test_preview_between_rounds():
    preview = load_saved_preview(save_session("rikiki", (GUEST, BO, CY, DEE), 5, 4, timedelta(0), turn=CHANCE))
    assert (preview.turn, preview.hand, preview.backs) == ("the next round has not been dealt yet", (), 0)


def test_preview_before_first_deal():
    preview = load_saved_preview(save_session("rikiki", (GUEST, BO, CY, DEE), 5, 0, timedelta(0)))
    assert preview.facts == ("nothing dealt yet",)


def test_preview_of_robots_has_only_backs():
    seats = (Occupant("Ada", "novice"), BO, CY, DEE)
    preview = load_saved_preview(save_session("rikiki", seats, 5, 172, timedelta(0)))
    assert preview.backs > 0
    assert preview.hand == ()


def test_preview_replays_journal_once(monkeypatch):
    session = save_session("rikiki", (BO, GUEST, CY, DEE), 5, 172, timedelta(0), turn=1)
    judged, load = [], replay.load
    monkeypatch.setattr(
        replay, "load", lambda *arguments, **named: judged.append(arguments) or load(*arguments, **named)
    )
    assert load_saved_preview(session)
    assert len(judged) == 1


def test_preview_of_missing_journal():
    assert load_preview(make_summary("gone")) is None


@pytest.mark.parametrize("width", [56, 76, 96])
@pytest.mark.parametrize("title", ["Thirty-One", "Nine Card Don", "Double Dutch Durak with Jokers and more"])
def test_long_title_does_not_collide_with_summary(width, title):
    game = replace(
        ABOUT["rummy"], title=title, summary="a summary that is long enough to reach the seats", length="x" * 30
    )
    canvas = Canvas(width + 4, 3, APPEARANCE)
    model.paint_game_line(BlockArea(canvas, 2, 0, width, has_cursor=False), game, odd=False)
    model.paint_deal_line(BlockArea(canvas, 2, 1, width, has_cursor=False), DailyDeal(game))
    for row, words in zip(str(canvas).split("\n"), ("a summ", "deal of"), strict=False):
        short_title = title if len(title) <= 24 else title[:23].rstrip() + "…"
        assert re.search(rf"{re.escape(short_title)} +{words}", row)
    if width >= model.FULL_WIDTH:
        assert re.search(r"… +2 +x", str(canvas))
