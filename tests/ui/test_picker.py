"""Picker by keys and mouse, with saved and with made-up sessions."""

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
from cardtable.store import session_setup, sessions
from cardtable.store.sessions import Summary
from cardtable.store.settings import Settings
from cardtable.ui.picker.paint import load_preview
from cardtable.ui.picker.screen import Picker
from cardtable.ui.toolkit.page import PageScreen
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.formatting import SUIT_SIGNS
from tests.golden_files import check
from tests.played_at import played_at
from tests.ui.rooms import AskedRoom
from tests.ui.screen_text import screen_text

pytestmark = pytest.mark.promise("For maintainers", "Screens look exactly as in their golden files.")

NOW = datetime(2026, 11, 20, 21, 30, tzinfo=UTC)
SMALL, LARGE, TINY = (80, 24), (120, 40), (60, 18)
DEAL = session_setup.get_daily_game(NOW.date())
FIRST, SECOND = [ABOUT[key].title for key in KEYS[:2]]
TO_THE_TABLES = ("down",) * (len(KEYS) - 1)
"""Keys from the second game to the first saved table."""
GUEST, BO, CY, DEE = Occupant("Guest"), Occupant("Bo", "steady"), Occupant("Cy", "steady"), Occupant("Dee", "steady")


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Provide an empty home directory."""
    monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path))


class Host(App[None]):
    """App that shows the picker and records its requests."""

    def __init__(self, entries=sessions.list_unfinished):
        super().__init__()
        self.preferences = Preferences(Settings())
        self.now = NOW
        self.context = AskedRoom(self, self.preferences)
        self.picker = PageScreen(Picker(self.context, entries, lambda: self.now))

    def on_mount(self):
        self.push_screen(self.picker)

    @property
    def told(self):
        """Return the requests: a kind, and the game, day or session."""
        return [self._told(*asked) for asked in self.context.asked]

    def _told(self, way, about, *_):
        if way != "begin":
            return way, about.stem if isinstance(about, Path) else about
        if about == session_setup.create_daily_setup(self.now.date()):
            return "deal", self.now.date()
        return "play" if any(not who.robot for who in about.seats) else "watch", about.game.about.key

    @asynccontextmanager
    async def shown(self, size=SMALL):
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
        self.context.asked.clear()
        await pilot.press(*keys)
        await self.settle(pilot)
        return self.told


def under_cursor(app):
    """Return the text of the rows marked by the cursor's bar."""
    rows = [row for row in screen_text(app).split("\n") if "▌" in row]
    return "\n".join([row.split("▌")[1].strip() for row in rows]).strip()


def standing(name, *, game="bridge", round_=3, totals=(0, 5, 10, 15), names=("Guest", "Bo", "Cy", "Dee"), hours=0):
    """Return a made-up saved table, with robots in all seats but the first."""
    seats = (Occupant(names[0]), *[Occupant(n, "steady") for n in names[1:]])
    header = Header(cardtable=1, id=name, game=game, created="", seed=1, options={}, seats=seats)
    played = (NOW - timedelta(hours=hours)).timestamp()
    return Summary(name, Path("nowhere") / f"{name}.jsonl", header, "open", round_, totals, None, played)


def broken(name="20261101-101500-rikiki-77aa", why="line 12: the checksum is wrong"):
    path = Path("nowhere") / f"{name}.jsonl"
    return Summary(name, path, None, "open", 0, (), None, 0.0, f"{path}: {why}", why=why)


def played(game, seats, seed, decisions, ago, *, turn=None):
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
    played_at(session.path, (NOW - ago).timestamp())
    return session


@pytest.fixture
def evening():
    """Save a Rikiki session two minutes old and two older ones; list them and a broken one."""
    played("rikiki", (BO, GUEST, CY, DEE), 5, 172, timedelta(minutes=2), turn=1)
    played("bridge", (GUEST, BO), 6, 40, timedelta(days=1))
    played("rikiki", (GUEST, Occupant("Anna"), CY, DEE), 7, 60, timedelta(days=8))
    return lambda: [*sessions.list_unfinished(), broken()]


@pytest.mark.promise(
    "Starting, leaving and saving",
    "After a restart the first line of the picker continues the latest session and shows its round and age.",
)
@pytest.mark.promise(
    "The picker and new tables", "The picker lists all unfinished sessions with game, players, round, totals and age."
)
@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_the_session_played_last_is_the_first_line(evening, size):
    app = Host(evening)
    async with app.shown(size):
        check(f"picker_{size[0]}x{size[1]}.txt", screen_text(app))


@pytest.mark.promise("The picker and new tables", "The picker lists every game on one line, with seats and length.")
@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_without_sessions_the_first_game_is_under_the_cursor(size):
    app = Host()
    async with app.shown(size):
        check(f"picker_empty_{size[0]}x{size[1]}.txt", screen_text(app))


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_beside_a_long_hand_as_many_words_stand_as_are_whole(size):
    played("rifki", (GUEST, BO, CY, DEE), 5, 6, timedelta(minutes=12), turn=0)
    app = Host()
    async with app.shown(size):
        assert "12 minutes ago" in under_cursor(app)
        assert "your turn" in under_cursor(app)
        assert "…" not in under_cursor(app)


async def test_of_two_people_neither_hand_is_shown():
    seats = (GUEST, Occupant("Anna"), CY, DEE)
    played("rikiki", seats, 5, 172, timedelta(minutes=2), turn=1)
    app = Host()
    async with app.shown(SMALL):
        text = screen_text(app)
        check("picker_hot_seat_80x24.txt", text)
        assert not set(SUIT_SIGNS) & set("".join(text.split("\n")[2:5]))


async def test_enter_goes_on_or_begins(evening):
    app = Host(evening)
    last = sessions.list_unfinished()[0].id
    async with app.shown(SMALL) as pilot:
        assert await app.press(pilot, "enter") == [("go on", last)]
        assert await app.press(pilot, "down", "enter") == [("play", KEYS[0])]
        assert await app.press(pilot, "down", "space") == [("play", KEYS[1])]
        assert await app.press(pilot, *TO_THE_TABLES, "enter") == [("go on", sessions.list_unfinished()[1].id)]
        assert await app.press(pilot, "home", "enter") == [("go on", last)]
        assert await app.press(pilot, "up", "enter") == [("deal", NOW.date())]
        assert await app.press(pilot, "up", "enter") == [("go on", broken().id)]
        assert await app.press(pilot, "down", "down", "enter") == [("go on", last)]


async def test_rules_of_the_game_under_the_cursor(evening):
    app = Host(evening)
    async with app.shown(SMALL) as pilot:
        assert await app.press(pilot, "down", "i") == [("rules", KEYS[0])]
        assert await app.press(pilot, "down", "i") == [("rules", KEYS[1])]
        assert await app.press(pilot, *TO_THE_TABLES, "i") == [("rules", "bridge")], "that of a table"
        assert await app.press(pilot, "end", "i") == [("rules", DEAL)], "that of the day"
        assert await app.press(pilot, "up", "i") == [], "no game is known of a broken journal"


async def test_a_new_table_is_set_for_the_game_under_the_cursor(evening):
    app = Host(evening)
    async with app.shown(SMALL) as pilot:
        assert await app.press(pilot, "down", "n") == [("new_table", KEYS[0])]
        assert await app.press(pilot, "down", "n") == [("new_table", KEYS[1])]
        assert await app.press(pilot, *TO_THE_TABLES, "n") == [("new_table", "bridge")], "that of a table"
        assert await app.press(pilot, "end", "n") == [("new_table", DEAL)], "that of the day"
        assert await app.press(pilot, "up", "n") == [("new_table", KEYS[0])], "the first, where none is known"


async def test_left_and_right_go_between_games_and_tables():
    app = Host(lambda: [standing("first"), standing("second", game="rikiki")])
    async with app.shown(LARGE) as pilot:
        assert await app.press(pilot, "down", "right", "enter") == [("go on", "second")]
        assert await app.press(pilot, "right", "enter") == [("go on", "second")]
        assert await app.press(pilot, "left", "enter") == [("go on", "first")]


async def test_a_click_chooses_and_a_second_one_opens(evening):
    app = Host(evening)
    async with app.shown(SMALL) as pilot:
        assert await clicked(app, pilot, "shed your cards") == []
        assert "Bridge" in under_cursor(app)
        assert await clicked(app, pilot, "shed your cards") == [("play", "bridge")]
        assert await clicked(app, pilot, "Go on:", twice=True) == [("go on", sessions.list_unfinished()[0].id)]


async def clicked(app, pilot, text, *, twice=False):
    """Click the position of a text on the screen; return the requests made since."""
    app.context.asked.clear()
    rows = screen_text(app).split("\n")
    x, y = next((row.index(text), y) for y, row in enumerate(rows) if text in row)
    await (pilot.double_click if twice else pilot.click)(offset=(x, y))
    await pilot.pause()
    return app.told


async def test_a_click_on_a_key_of_the_footer_presses_it():
    app = Host()
    async with app.shown(LARGE) as pilot:
        await clicked(app, pilot, "choose")
        assert SECOND in under_cursor(app)
        assert await clicked(app, pilot, "rules") == [("rules", KEYS[1])]
        assert await clicked(app, pilot, "play ") == [("play", KEYS[1])]
        assert await clicked(app, pilot, "The Table") == []
        assert await clicked(app, pilot, "? help") == []
        assert "any key closes" in screen_text(app)
        await clicked(app, pilot, "any key closes")
        assert "any key closes" not in screen_text(app)


@pytest.mark.promise(
    "The picker and new tables", "The picker lists all unfinished sessions with game, players, round, totals and age."
)
@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_many_tables_scroll(size):
    app = Host(lambda: [standing(f"table{n}", round_=n, hours=n) for n in range(60)])
    async with app.shown(size) as pilot:
        assert "1 hour ago" in screen_text(app)
        assert "2 days ago" not in screen_text(app)
        assert await app.press(pilot, "end", "up", "enter") == [("go on", "table59")]
        assert under_cursor(app).startswith("Bridge")
        assert "2 days ago" in under_cursor(app)
        assert await app.press(pilot, "pageup", "enter") == [("go on", f"table{59 - size[1] // 2}")]
        assert under_cursor(app)
        await app.press(pilot, "home")
        assert "Go on: Bridge" in under_cursor(app)


@pytest.mark.promise(
    "Keys and mouse",
    "A click selects, a second click plays, dragging a card to the middle plays it, the wheel scrolls.",
)
async def test_the_wheel_scrolls_and_a_key_comes_back_to_the_cursor():
    app = Host(lambda: [standing(f"table{n}", round_=n, hours=n) for n in range(60)])
    async with app.shown(SMALL) as pilot:
        widget = app.screen.query_one(Picker)
        for _ in range(40):
            widget.on_wheel(1, 5)
        await pilot.pause()
        assert "2 days ago" in screen_text(app)
        assert not under_cursor(app)
        await app.press(pilot, "down")
        assert FIRST in under_cursor(app)


@pytest.mark.parametrize("number", [0, 1, 5, 200])
@pytest.mark.parametrize("size", [TINY, SMALL, LARGE, (200, 60)])
async def test_with_any_number_of_tables_each_can_be_reached_and_none_is_too_wide(size, number):
    huge, wide = (10**15, -(10**15), 0, 7), ("漢字" * 12, "\u202e" * 24, "x" * 24, "Dee")
    tables = [
        broken(f"broken{n}")
        if n % 7 == 3
        else replace(standing(f"table{n}", totals=huge, names=wide, round_=10**6), name="[b]" * 8 if n % 2 else "")
        for n in range(number)
    ]
    app = Host(lambda: tables)
    async with app.shown(size):
        widget, reached = app.screen.query_one(Picker), set()
        for _ in range(0, len(KEYS) + number + 1, step := 1 + number // 20):
            widget.action_move(step)
            canvas = widget.paint(*size)
            rows = str(canvas).split("\n")
            assert max(map(cell_len, rows)) <= size[0]
            bars = [y for y, row in enumerate(rows) if "▌" in row]
            assert bars, "the cursor is in sight"
            assert 0 < bars[0] <= bars[-1] < size[1] - 1
            reached.add(widget.model.cursor)
        assert len(reached) >= (len(KEYS) + number + 1) // step


@pytest.fixture
def week():
    """Save named tables, one of robots only, one of several people, and the unfinished daily deal."""
    played("rikiki", (GUEST, BO, CY, DEE), 5, 172, timedelta(minutes=2), turn=0)
    deal = session_setup.create_daily_setup(NOW.date())
    played(DEAL, deal.seats, deal.seed, 30, timedelta(hours=3))
    played("gurka", (GUEST, Occupant("Anna"), CY, DEE), 7, 60, timedelta(days=1))
    played("bridge", (Occupant("Ada", "steady"), BO), 8, 60, timedelta(days=9))
    for summary, name in zip(sessions.list_unfinished(), ("Monday club", "", "Friday, late", ""), strict=True):
        sessions.rename(summary.path, name)


@pytest.mark.parametrize("size", [TINY, SMALL, LARGE, (200, 60)])
async def test_named_tables_and_the_deal_of_the_day_stand_in_their_places(week, size):
    app = Host()
    async with app.shown(size) as pilot:
        await app.press(pilot, "end")
        check(f"picker_tables_{size[0]}x{size[1]}.txt", screen_text(app))


async def test_the_questions_look_as_drawn_and_the_footer_says_how_to_take_back(week):
    app = Host()
    async with app.shown() as pilot:
        await app.press(pilot, "e")
        check("picker_rename_80x24.txt", screen_text(app))
        await app.press(pilot, "escape", "g")
        check("picker_give_up_80x24.txt", screen_text(app))
        await app.press(pilot, "enter")
        check("picker_given_up_80x24.txt", screen_text(app))


async def test_the_cursor_stays_on_a_table_that_is_named_also_below_a_hot_seat():
    played("gurka", (GUEST, Occupant("Anna"), CY, DEE), 7, 60, timedelta(minutes=1))
    played("rikiki", (GUEST, BO, CY, DEE), 5, 172, timedelta(hours=1))
    app = Host()
    async with app.shown() as pilot:
        await app.press(pilot, "down", *TO_THE_TABLES, "down", "e", *"Monday", "enter")
        assert "Monday" in screen_text(app)
        await app.press(pilot, "g")
        assert "Give up Rikiki" in screen_text(app)


async def test_at_midnight_there_is_another_deal(week):
    app = Host()
    async with app.shown() as pilot:
        assert "  Today" not in screen_text(app), "the deal of this day is among the tables"
        app.now += timedelta(days=1)
        app.screen.query_one(Picker)._update_ages()
        await app.settle(pilot)
        following = session_setup.get_daily_game(app.now.date())
        assert following != DEAL
        assert f"{ABOUT[following].title} " in row_of(app, "  Today")
        assert "not played yet" in row_of(app, "  Today")
        assert await app.press(pilot, "end", "enter") == [("deal", app.now.date())]


def row_of(app, start):
    """Return the row that begins with `start`."""
    return next(row for row in screen_text(app).split("\n") if row.startswith(start))


async def test_without_a_session_of_ones_own_the_tables_of_robots_are_watched_on():
    seats = (Occupant("Ada", "steady"), BO, CY, DEE)
    kept = played("rikiki", seats, 5, 172, timedelta(0))
    app = Host()
    async with app.shown() as pilot:
        assert await app.press(pilot, "w") == [("go on", kept.header.id)]
        assert await app.press(pilot, "down", "w") == [("watch", KEYS[0])]
        assert await app.press(pilot, "end", "w") == [("watch", DEAL)]


async def test_names_from_outside_do_nothing_but_show():
    names = ("[b]An[/]", "\x1b[31mBo\x07", "\u202eyC\u2066", "漢字漢字漢字漢字漢字")
    hostile = [
        standing("one", names=names),
        standing("two", names=names, game="rikiki"),
        broken("[@click=app.quit]\x1b]0;x\x07\u202e", "\x1b[2J[/b]"),
    ]
    for size in (SMALL, LARGE, TINY):
        app = Host(lambda: hostile)
        async with app.shown(size):
            text = screen_text(app)
            assert not {"\x1b", "\x07", "\u202e", "\u2066"} & set(text)
            assert "[@click=app.quit]" in text or size == TINY
            assert "�[31mBo�" in text or size == TINY
            assert max(map(len, text.split("\n"))) <= size[0]


async def test_a_broken_session_says_why_without_its_path():
    app = Host(lambda: [broken()])
    async with app.shown(LARGE):
        assert "cannot be opened: line 12:" in screen_text(app)
        assert "nowhere" not in screen_text(app)
        assert FIRST in screen_text(app).split("▌")[1], "there is nothing to go on with"


async def test_tables_are_read_one_by_one_and_the_first_at_once():
    asked = []

    def entries():
        for n in range(5):
            asked.append(n)
            yield standing(f"table{n}", round_=n)

    app = Host(entries)
    async with app.shown(SMALL) as pilot:
        app.screen.query_one(Picker).on_resumed()
        assert asked[-1] == 0
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert asked[-5:] == [0, 1, 2, 3, 4]
        assert screen_text(app).count("you Bo Cy Dee") == 4


async def test_coming_back_the_picker_looks_again():
    kept = [standing("old", hours=5)]
    app = Host(lambda: list(kept))
    async with app.shown(SMALL) as pilot:
        await app.press(pilot, "down", "down")
        await back(app, pilot)
        assert SECOND in under_cursor(app), "nothing has changed: the cursor is where it was"
        kept.insert(0, standing("new", game="rikiki"))
        await back(app, pilot)
        assert under_cursor(app).startswith("Go on: Rikiki")
        assert await app.press(pilot, "end", "up", "enter") == [("go on", "old")]
        kept.clear()
        await back(app, pilot)
        assert FIRST in under_cursor(app)
        assert "old" not in screen_text(app)


async def back(app, pilot):
    """Go to another screen and come back."""
    await app.push_screen(Screen())
    app.pop_screen()
    await app.settle(pilot)


@pytest.mark.parametrize("key", ["enter", "escape", "down", "q", "question_mark"])
async def test_any_key_puts_the_key_sheet_away_and_does_nothing_else(key):
    app = Host()
    async with app.shown(SMALL) as pilot:
        before = screen_text(app)
        await app.press(pilot, "f1")
        assert "in the picker" in screen_text(app)
        assert await app.press(pilot, key) == []
        assert screen_text(app) == before


async def test_q_quits():
    app = Host()
    async with app.shown() as pilot:
        await pilot.press("q")
        assert app.return_code == 0


async def test_a_small_terminal_is_told_how_large_it_must_be():
    app = Host()
    async with app.run_test(size=(30, 8)) as pilot:
        await pilot.pause()
        assert "60x18 is needed" in screen_text(app)
        await pilot.resize_terminal(60, 18)
        await pilot.pause()
        assert FIRST in under_cursor(app)


def told_of(session):
    return load_preview(next(summary for summary in sessions.list_unfinished() if summary.path == session.path))


def test_recalled_is_the_round_the_turn_and_the_own_hand():
    session = played("rikiki", (BO, GUEST, CY, DEE), 5, 172, timedelta(0), turn=1)
    told = told_of(session)
    assert told.facts[0] == f"round {session.referee.round} of 28"
    assert told.is_only_person
    assert sum(1 << card for card in told.hand) == session.referee.view(1).hand


def test_recalled_is_whose_turn_it_is():
    assert told_of(played("rikiki", (BO, GUEST, CY, DEE), 5, 172, timedelta(0), turn=2)).turn == "Cy's turn"


def test_where_people_take_turns_the_backs_are_of_whose_turn_it_is():
    session = played("rikiki", (GUEST, Occupant("Anna"), CY, DEE), 5, 172, timedelta(0), turn=1)
    told = told_of(session)
    assert (told.turn, told.hand) == ("Anna's turn", ())
    assert told.backs == session.referee.view(1).hand.bit_count() != session.referee.view(0).hand.bit_count()


async def test_it_is_your_turn_only_at_a_table_of_your_own():
    played("rikiki", (BO, Occupant("Anna"), CY, DEE), 5, 172, timedelta(minutes=2), turn=1)
    app = Host()
    async with app.shown(SMALL):
        assert "Anna's turn" in under_cursor(app)


def test_between_rounds_there_is_no_hand_and_a_round_to_be_dealt():
    told = told_of(played("rikiki", (GUEST, BO, CY, DEE), 5, 4, timedelta(0), turn=CHANCE))
    assert (told.turn, told.hand, told.backs) == ("the next round is still to be dealt", (), 0)


def test_before_the_first_deal_nothing_is_dealt():
    told = told_of(played("rikiki", (GUEST, BO, CY, DEE), 5, 0, timedelta(0)))
    assert told.facts == ("nothing dealt yet",)


def test_of_a_table_of_robots_only_backs_are_recalled():
    seats = (Occupant("Ada", "novice"), BO, CY, DEE)
    told = told_of(played("rikiki", seats, 5, 172, timedelta(0)))
    assert told.backs > 0
    assert told.hand == ()


def test_what_is_listed_and_recalled_is_judged_once(monkeypatch):
    session = played("rikiki", (BO, GUEST, CY, DEE), 5, 172, timedelta(0), turn=1)
    judged, load = [], replay.load
    monkeypatch.setattr(replay, "load", lambda *given, **named: judged.append(given) or load(*given, **named))
    assert told_of(session)
    assert len(judged) == 1


def test_a_journal_that_has_gone_is_not_recalled():
    assert load_preview(standing("gone")) is None
