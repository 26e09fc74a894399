"""Picker by keys and mouse, with saved and with made-up sessions."""

import errno
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from textual.app import App
from textual.screen import Screen

from cardtable.engine.game import CHANCE
from cardtable.engine.journal import Header, Occupant
from cardtable.games import ABOUT, GAMES, KEYS
from cardtable.store import atomic_io, session_setup, sessions, summaries
from cardtable.store.settings import Settings
from cardtable.store.summaries import Summary
from cardtable.ui.picker.model import load_preview
from cardtable.ui.picker.screen import Picker
from cardtable.ui.toolkit.page import PageScreen
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.formatting import SUIT_SIGNS
from tests.journal_times import set_last_played
from tests.ui.driver import LARGE, SIZES, SMALL, TINY, Driver
from tests.ui.recording_context import RecordingContext

NOW = datetime(2026, 11, 20, 21, 30, tzinfo=UTC)
DEAL = session_setup.get_daily_game(NOW.date())
FIRST, SECOND = [ABOUT[key].title for key in KEYS[:2]]
DOWN_TO_TABLES = "down " * (len(KEYS) - 1)
"""Keys from the second game to the first saved table."""
ADA, BO, CY, DEE = [Occupant(name, "steady") for name in ("Ada", "Bo", "Cy", "Dee")]
GUEST = Occupant("Guest")


class Host(App[None]):
    """App that shows the picker and records its requests."""

    def __init__(self, entries=summaries.list_unfinished):
        super().__init__()
        self.preferences = Preferences(Settings(key_guard=0))
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


class PickerDriver(Driver[Host]):
    """Person at the picker."""

    async def settle(self):
        """Wait until no more sessions are being read."""
        await self.pilot.pause()
        await self.app.workers.wait_for_complete()
        await self.pilot.pause()

    async def do(self, *keys):
        """Press keys; return the requests made since."""
        self.app.context.requests.clear()
        await self.press(*keys)
        await self.settle()
        return self.app.requests

    async def click_for(self, text):
        """Click on a text; return the requests made since."""
        self.app.context.requests.clear()
        await self.click_text(text)
        return self.app.requests

    @property
    def cursor_rows(self):
        """Text of the rows marked by the cursor's bar."""
        return "\n".join([row.split("▌")[1].strip() for row in self.rows if "▌" in row]).strip()


@asynccontextmanager
async def open_picker(size=SMALL, entries=summaries.list_unfinished):
    """Show the picker and wait until all sessions are read."""
    app = Host(entries)
    async with app.run_test(size=size) as pilot:
        picker = PickerDriver(app, pilot)
        await picker.settle()
        yield picker


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


async def test_latest_session_is_first_row(mixed_sessions):
    async with open_picker(entries=mixed_sessions) as picker:
        await picker.check_golden_in_sizes("picker")


@pytest.mark.parametrize("has_tables", [False, True])
async def test_home_that_cannot_be_written(has_tables, home, monkeypatch):
    if has_tables:
        save_session("gurka", (GUEST, BO, CY, DEE), 5, 6, timedelta(minutes=12))
    monkeypatch.setattr(atomic_io, "write_new", lambda *_: (_ for _ in ()).throw(OSError(errno.EROFS, "Read-only")))
    async with open_picker() as picker:
        async for _ in picker.in_sizes():
            assert "Every move is saved" not in picker.text
            assert "Nothing can be saved:" in picker.text
            assert "tells more." in picker.text


async def test_totals_win_over_age():
    tables = [make_summary("a"), make_summary("b", totals=(-1200, -300, -250, -180), hours=2)]
    async with open_picker(entries=lambda: tables) as picker:
        assert "You Bo Cy Dee     3        −1200 −300 −250 −180 2 hours…" in picker.text


async def test_first_game_is_selected_without_sessions():
    async with open_picker() as picker:
        await picker.check_golden_in_sizes("picker_empty")


async def test_no_hand_is_shown_at_hot_seat():
    seats = (GUEST, Occupant("Anna"), CY, DEE)
    save_session("rikiki", seats, 5, 172, timedelta(minutes=2), turn=1)
    async with open_picker() as picker:
        picker.check_golden("picker_hot_seat")
        assert not set(SUIT_SIGNS) & set("".join(picker.rows[2:5]))


async def test_enter_continues_or_starts(mixed_sessions):
    last = summaries.list_unfinished()[0].id
    async with open_picker(entries=mixed_sessions) as picker:
        assert await picker.do("enter") == [("go on", last)]
        assert await picker.do("down enter") == [("go on", last)]
        assert "Enter continue" in picker.text
        assert await picker.do("down space") == [("play", KEYS[1])]
        assert "Enter play" in picker.text
        assert await picker.do(DOWN_TO_TABLES, "enter") == [("go on", summaries.list_unfinished()[1].id)]
        assert await picker.do("home enter") == [("go on", last)]
        assert await picker.do("up enter") == [("deal", NOW.date())]
        assert await picker.do("up enter") == [("go on", make_broken_summary().id)]
        assert await picker.do("down down enter") == [("go on", last)]


async def test_game_at_hot_seat_or_of_others_starts_anew():
    for names in (("Guest", "Anna"), ("Anna", "Ada")):
        save_session("bridge", [Occupant(n, "steady" if n == "Ada" else None) for n in names], 5, 6, timedelta(hours=1))
    async with open_picker() as picker:
        assert await picker.do("down " * (KEYS.index("bridge") + 1), "enter") == [("play", "bridge")]


@pytest.mark.parametrize(
    ("key", "page", "for_broken_journal"), [("i", "rules", []), ("n", "new_table", [("new_table", KEYS[0])])]
)
async def test_page_opens_for_selected_game(mixed_sessions, key, page, for_broken_journal):
    async with open_picker(entries=mixed_sessions) as picker:
        for way, game in (("down", KEYS[0]), ("down", KEYS[1]), (DOWN_TO_TABLES, "bridge"), ("end", DEAL)):
            assert await picker.do(way, key) == [(page, game)]
        assert await picker.do("up", key) == for_broken_journal


async def test_click_selects_and_second_click_opens(mixed_sessions):
    async with open_picker(entries=mixed_sessions) as picker:
        assert await picker.click_for("ten contracts") == []
        assert "King" in picker.cursor_rows
        assert await picker.click_for("ten contracts") == [("play", "king")]
        await picker.click_for("Continue:")
        assert await picker.click_for("Continue:") == [("go on", summaries.list_unfinished()[0].id)]


@pytest.mark.parametrize("size", SIZES)
async def test_many_tables_scroll(size):
    async with open_picker(size, lambda: [make_summary(f"table{n}", round_=n, hours=n) for n in range(60)]) as picker:
        assert "1 hour ago" in picker.text
        assert "2 days ago" not in picker.text
        assert await picker.do("end up enter") == [("go on", "table59")]
        assert picker.cursor_rows.startswith("Bridge")
        assert "2 days ago" in picker.cursor_rows
        assert await picker.do("pageup enter") == [("go on", f"table{59 - size[1] // 2}")]
        assert picker.cursor_rows
        await picker.do("home")
        assert "Continue: Bridge" in picker.cursor_rows


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
    async with open_picker(size, lambda: tables) as picker:
        widget, reached = picker.page, set()
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


async def test_named_tables_and_daily_deal_golden(named_sessions):
    async with open_picker() as picker:
        await picker.do("end")
        await picker.check_golden_in_sizes("picker_tables", [*SIZES, (200, 60)])


async def test_rename_and_give_up_golden(named_sessions):
    async with open_picker() as picker:
        await picker.do("e")
        picker.check_golden("picker_rename")
        await picker.do("escape g")
        picker.check_golden("picker_give_up")
        await picker.do("enter")
        picker.check_golden("picker_abandoned")


async def test_daily_deal_changes_at_midnight(named_sessions):
    async with open_picker() as picker:
        assert "  Today" not in picker.text, "today's deal is already listed as a table"
        picker.app.now += timedelta(days=1)
        picker.page._update_ages()
        await picker.settle()
        following = session_setup.get_daily_game(picker.app.now.date())
        assert following != DEAL
        assert f"{ABOUT[following].title} " in picker.find_row("  Today")
        assert "not played yet" in picker.find_row("  Today")
        assert await picker.do("end enter") == [("deal", picker.app.now.date())]


async def test_hostile_names_are_neutralised():
    names = ("[b]An[/]", "\x1b[31mBo\x07", "\u202eyC\u2066", "漢字漢字漢字漢字漢字")
    broken = make_broken_summary("[@click=app.quit]\x1b]0;x\x07\u202e", "\x1b[2J[/b]")
    async with open_picker(entries=lambda: [make_summary("one", names=names), broken]) as picker:
        async for size in picker.in_sizes():
            assert not {"\x1b", "\x07", "\u202e", "\u2066"} & set(picker.text)
            assert "[@click=app.quit]" in picker.text or size == TINY
            assert "�[31mBo�" in picker.text or size == TINY
            assert max(map(len, picker.rows)) <= size[0]


async def test_broken_session_shows_reason_without_path():
    async with open_picker(LARGE, lambda: [make_broken_summary()]) as picker:
        assert "cannot be opened: line 12:" in picker.text
        assert "nowhere" not in picker.text
        assert FIRST in picker.text.split("▌")[1], "a broken session is not selected first"


async def test_picker_refreshes_on_return():
    tables = [make_summary("old", hours=5)]

    async def leave_and_return(picker):
        await picker.app.push_screen(Screen())
        picker.app.pop_screen()
        await picker.settle()

    async with open_picker(entries=lambda: list(tables)) as picker:
        await picker.do("down down")
        await leave_and_return(picker)
        assert SECOND in picker.cursor_rows, "the cursor keeps its row"
        tables.insert(0, make_summary("new", game="rikiki"))
        await leave_and_return(picker)
        assert picker.cursor_rows.startswith("Continue: Rikiki")
        assert await picker.do("end up enter") == [("go on", "old")]
        tables.clear()
        await leave_and_return(picker)
        assert FIRST in picker.cursor_rows
        assert "old" not in picker.text


async def test_q_quits():
    async with open_picker() as picker:
        await picker.press("q")
        assert picker.app.return_code == 0


def load_saved_preview(session):
    return load_preview(next(summary for summary in summaries.list_unfinished() if summary.path == session.path))


@pytest.mark.parametrize(
    ("seats", "decisions", "turn", "text", "is_dealt"),
    [
        ((GUEST, BO, CY, DEE), 0, None, "nothing dealt yet", False),
        ((GUEST, BO, CY, DEE), 4, CHANCE, "the next round has not been dealt yet", False),
        ((BO, GUEST, CY, DEE), 172, 2, "Cy's turn", True),
        ((BO, Occupant("Anna"), CY, DEE), 172, 1, "Anna's turn", True),
        ((Occupant("Ada", "novice"), BO, CY, DEE), 172, 0, "Ada's turn", True),
    ],
    ids=["before the first deal", "between rounds", "robot on turn", "person but not the guest", "robots only"],
)
def test_preview(seats, decisions, turn, text, is_dealt):
    preview = load_saved_preview(save_session("rikiki", seats, 5, decisions, timedelta(0), turn=turn))
    assert text in (preview.turn, *preview.facts)
    assert bool(preview.hand or preview.backs) == is_dealt
    assert not preview.hand or any(occupant.robot is None for occupant in seats)


def test_preview_of_missing_journal():
    assert load_preview(make_summary("gone")) is None
