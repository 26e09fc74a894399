"""Tables in the picker: rename, give up, undo, watch, deal of the day."""

from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from cardtable.games import GAMES, KEYS
from cardtable.session.session_events import Stage
from cardtable.store import passwords, paths, profiles, score_tables, session_setup, sessions, summaries
from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.picker.screen import Picker
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.preferences import Preferences
from tests.journal_times import set_last_played
from tests.store.playing import play_randomly
from tests.ui.bursts import key_event, send
from tests.ui.driver import SIZES, SMALL, TINY, Driver
from tests.ui.table_host import create_session


def save_table(key, minutes, *, decisions=8, **options):
    """Save a session that was played `minutes` ago; return its path."""
    begun = create_session(key, 5, **options)
    play_randomly(begun.referee, Random(1), decisions)
    begun.close()
    set_last_played(begun.path, (datetime.now(UTC) - timedelta(minutes=minutes)).timestamp())
    return begun.path


@pytest.fixture
def three_tables():
    """Save the latest session, Rikiki, and two older tables."""
    return save_table("rikiki", 1), save_table("king", 2), save_table("gurka", 3)


class PickerDriver(Driver[CardtableApp]):
    """Person at the picker of the whole program."""

    async def settle(self):
        """Wait until the picker has read all sessions."""
        await self.pilot.pause()
        if reading := [worker for worker in self.app.workers if isinstance(worker.node, Picker)]:
            await self.app.workers.wait_for_complete(reading)
        await self.pilot.pause()

    async def do(self, *keys):
        """Press keys, and wait for what the picker reads then."""
        await self.press(*keys)
        await self.settle()

    async def click_text(self, text, **how):
        await super().click_text(text, **how)
        await self.settle()

    async def return_to_picker(self):
        await self.press("escape")
        await self.is_at(Picker)
        await self.settle()

    @property
    def cursor_rows(self):
        return "\n".join([row for row in self.rows if "▌" in row])


@asynccontextmanager
async def open_picker(size=SMALL, keys="", **chosen):
    """Open the picker of the program, and press keys once it has read all sessions."""
    app = CardtableApp(Preferences(Settings(**{"key_guard": 0} | chosen)))
    async with app.run_test(size=size) as pilot:
        picker = PickerDriver(app, pilot)
        await picker.settle()
        await picker.do(keys)
        yield picker


FIRST_TABLE = "down right"
"""Keys from the latest session to the first of the older tables."""


def list_unfinished_paths():
    return [summary.path for summary in summaries.list_unfinished()]


def list_archived_paths():
    return paths.list_files(paths.archive_folder(), ".jsonl")


async def test_give_up_asks_and_can_be_undone(three_tables):
    async with open_picker(keys=FIRST_TABLE) as picker:
        await picker.do("g")
        await picker.sees("Abandon King, round 1 of 40?", "you count as last")
        await picker.do("escape")
        assert list_unfinished_paths() == [*three_tables]
        await picker.do("g enter")
        assert list_unfinished_paths() == [three_tables[0], three_tables[2]]
        assert list_archived_paths() == [paths.archive_folder() / three_tables[1].name]
        assert "u undo" in picker.rows[-1], "the footer offers the undo"
        assert "Gurka" in picker.cursor_rows, "the cursor goes on to the next table"
        await picker.do("u")
        assert list_unfinished_paths() == [*three_tables]
        assert list_archived_paths() == []
        assert "King" in picker.cursor_rows
        assert "undo" not in picker.text


async def test_take_back_works_later(three_tables):
    async with open_picker(keys=FIRST_TABLE, confirm=False) as picker:
        await picker.do("g g")
        assert list_unfinished_paths() == [three_tables[0]]
        await picker.do("home enter")
        await picker.is_at(TableScreen)
        await picker.return_to_picker()
        await picker.do("ctrl+z")
        assert {path.name for path in list_unfinished_paths()} == {three_tables[0].name, three_tables[2].name}, (
            "the last abandoned table is restored first"
        )
        await picker.do("u")
        assert {*list_unfinished_paths()} == {*three_tables}


async def test_session_open_elsewhere_cannot_be_abandoned(three_tables):
    async with open_picker(keys=FIRST_TABLE, confirm=False) as picker:
        with closing(sessions.resume(three_tables[1])):
            await picker.do("g")
        [notice] = picker.notices
        assert "the session cannot be abandoned" in notice
        assert "open in another program" in notice
        assert list_unfinished_paths() == [*three_tables]
        assert "undo" not in picker.text


@pytest.mark.parametrize("key", ["g", "e"])
async def test_key_pressed_twice_asks_once(three_tables, key):
    async with open_picker(keys=FIRST_TABLE) as picker:
        send(picker.app, [key_event(key), key_event(key)])
        await picker.is_at(Dialog)
        assert len(picker.app.screen_stack) == 2
        await picker.return_to_picker()


async def test_damaged_journal_can_only_be_abandoned(three_tables):
    three_tables[1].write_bytes(three_tables[1].read_bytes().replace(b'"action"', b'"acting"', 1))
    async with open_picker(keys=FIRST_TABLE, confirm=False) as picker:
        await picker.do("e w")
        await picker.is_at(Picker)
        await picker.do("enter")
        assert isinstance(picker.app.screen, Dialog), "Enter offers a copy of the undamaged lines"
        await picker.do("escape g")
        assert list_archived_paths() == [paths.archive_folder() / three_tables[1].name]


async def test_table_is_named_and_name_is_cleared(three_tables):
    async with open_picker(keys=FIRST_TABLE) as picker:
        await picker.do("e", *"Friday", "enter")
        at = next(y for y, row in enumerate(picker.rows) if row.startswith("  ▌") and "King" in row)
        assert picker.rows[at + 1].strip("▌ ") == '"Friday"'
        assert "2 minutes ago" in picker.rows[at], "a new name does not change the age"
        await picker.do("e escape")
        await picker.sees('"Friday"')
        await picker.do("e", "backspace " * 6, "enter")
        assert "Friday" not in picker.text
        assert [summary.name for summary in summaries.list_unfinished()] == ["", "", ""]


@pytest.mark.parametrize("size", SIZES)
async def test_latest_session_shows_name(three_tables, size):
    for path, name in zip(three_tables, ("[b]Fri\x1bday[/b]" + "x" * 99, "Saturday", "漢字" * 30), strict=True):
        sessions.rename(path, name)
    async with open_picker(size) as picker:
        await picker.sees('"[b]Friday[/b]')
        assert "\x1b" not in picker.text
        assert '"Saturday"' in picker.text or size == TINY


@pytest.mark.parametrize("keys", ["enter", "w", "g enter", "e X enter"])
@pytest.mark.parametrize("end", ["is over", "was abandoned"])
async def test_session_archived_elsewhere_is_reported_and_removed(end, keys):
    path = save_table("gurka", 1, decisions=3, limit=21)
    async with open_picker() as picker:
        if end == "is over":
            with closing(sessions.resume(path)) as elsewhere:
                play_randomly(elsewhere.referee, Random(1), 5000)
                elsewhere.referee.advance()
        else:
            sessions.abandon(path)
        await picker.press(keys)
        await picker.wait_until(lambda: picker.notices)
        assert picker.notices == [f"That session {end}: it is in the archive"]
        await picker.is_at(Picker)
        await picker.sees_no_more("Continue:")


@pytest.fixture
def anna(monkeypatch):
    """Register Anna with a password that has not been entered in this run, and Bob without one."""
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))
    profiles.register("Anna", password="sesame77", again="sesame77")
    profiles.register("Bob")
    profiles.sign_in(None)
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())


@pytest.mark.parametrize("confirm", [True, False])
async def test_password_of_any_person_allows_giving_up(anna, confirm):
    path = save_table("rikiki", 1, people=2)
    async with open_picker(confirm=confirm) as picker:
        await picker.press("g")
        await picker.is_at(Dialog)
        await picker.reads("The password of", "Anna", "needed.")
        await picker.press("enter")
        assert isinstance(picker.app.screen, Dialog), "Enter without a password keeps the question open"
        await picker.press(*"sesam", "enter")
        await picker.reads("That is not the password.")
        assert "sesam" not in picker.text
        assert path.exists()
        await picker.press(*"sesame77", "enter")
        await picker.wait_until(lambda: not path.exists())
    assert not profiles.is_password_required("Anna")
    path = save_table("rikiki", 1, people=2)
    async with open_picker(keys="g", confirm=confirm) as picker:
        await picker.is_at(Dialog)
        assert path.exists(), "a table of several people needs confirmation"


async def test_no_password_needed_for_own_unlocked_or_robot_table(anna):
    profiles.verify_password("Anna", "sesame77")
    alone, others = save_table("rikiki", 1), save_table("gurka", 2, people=0)
    async with open_picker(keys="g", confirm=False) as picker:
        assert (alone.exists(), others.exists()) == (False, True)
        await picker.do("right", "g")
        assert not others.exists()


@pytest.mark.parametrize("size", SIZES)
async def test_score_table_offers_only_its_actions(size):
    score_tables.create(GAMES["rifki"], ["Anna", "Tom", "Zoe", "Max"], GAMES["rifki"].options()).close()
    async with open_picker(size, keys="right") as picker:
        await picker.sees("real cards")
        assert "watch" not in picker.text
        await picker.press("?")
        assert "watch" not in picker.text
        await picker.press("? down")
        assert size == TINY or "w watch" in picker.text
        await picker.press("up g")
        await picker.reads("The score table moves to the archive as it is.")


async def test_watch_robots_and_continue_watching():
    async with open_picker(keys="down w") as picker:
        table = await picker.is_at(TableScreen)
        assert (table.session.header.game, table.session.header.people) == ("king", [])
        assert {occupant.robot for occupant in table.session.header.seats} == {"steady"}
        await picker.return_to_picker()
        await picker.press("right w")
        again = await picker.is_at(TableScreen)
        assert (again.session.path, again.session.read_only_reason) == (table.session.path, None), (
            "the same robots' session continues"
        )


async def test_watched_table_of_one_person_shows_hand():
    path = save_table("rikiki", 1, decisions=150)
    before = path.read_bytes()
    async with open_picker(keys="w") as picker:
        table = await picker.is_at(TableScreen)
        await picker.wait_until(lambda: table.frame.spectator_reason)
        assert table.frame.hand.cards
        await picker.press("1 u space h")
        await picker.sees("You are watching.")
        assert "s score" in picker.rows[-1]
        await picker.press("m", *"hello", "enter")
        assert "hello" not in picker.text
        assert "say it" not in picker.text
    assert path.read_bytes() == before


async def test_watching_person_sits_down_by_enter():
    path = save_table("rikiki", 1, decisions=150)
    async with open_picker(keys="w", key_guard=0) as picker:
        table = await picker.is_at(TableScreen)
        await picker.sees("You are watching.  Enter sits down")
        await picker.press("enter")
        await picker.wait_until(lambda: picker.app.screen is not table)
        table = await picker.is_at(TableScreen)
        assert (table.session.path, table.session.view_only) == (path, False)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", KEYS)
async def test_watched_hot_seat_table_shows_no_hand(key, size):
    path = save_table(key, 1, decisions=9, people=2)
    with closing(sessions.resume(path)) as session:
        assert any(session.referee.view(seat).hand for seat in range(session.referee.seats))
    async with open_picker(size, "w") as picker:
        table = await picker.is_at(TableScreen)
        await picker.wait_until(lambda: table.frame.spectator_reason)
        for keys in ("", "m", "m l", "l s", "s h", "escape"):
            await picker.press(keys)
            assert table.frame.stage is not Stage.CURTAIN
            assert not table.frame.hand.cards
            assert not table.frame.view.hand


@pytest.mark.parametrize("game", KEYS)
async def test_daily_deal_is_started_continued_and_listed(monkeypatch, game):
    monkeypatch.setattr(session_setup, "get_daily_game", lambda _day: game)
    day = datetime.now(UTC).astimezone().date()
    async with open_picker(confirm=False) as picker:
        await picker.sees("not played yet")
        await picker.press("end enter")
        table = await picker.is_at(TableScreen)
        header = table.session.header
        assert (header.game, header.seed, header.people) == (game, session_setup.get_daily_seed(day), [0])
        await picker.wait_until(lambda: table.session.referee.turn == 0)
        await picker.return_to_picker()
        assert picker.text.count("deal of the day") == 1, "a table is listed once"
        no_room = game == "rifki"  # beside thirteen cards
        assert no_room or "deal of the day · your turn" in picker.text
        await picker.do("home enter")
        assert (await picker.is_at(TableScreen)).session.path == table.session.path
        await picker.return_to_picker()
        await picker.do("home g")
        assert "abandoned" in picker.find_row("  Today")


@pytest.mark.parametrize("game", KEYS)
async def test_daily_deal_shows_result_and_can_be_replayed(monkeypatch, game):
    monkeypatch.setattr(session_setup, "get_daily_game", lambda _day: game)
    deal = session_setup.create_daily_setup(datetime.now(UTC).astimezone().date()).begin()
    play_randomly(deal.referee, Random(1), 10_000)
    place, points = deal.referee.ranks[0], deal.referee.totals[0]
    deal.close()
    async with open_picker() as picker:
        ordinal = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th"}[place]
        await picker.sees(f"{ordinal} of {GAMES[game].about.usual_seats}, {points} point".replace("-", "\u2212"))
        await picker.click_text("deal of the day")
        await picker.click_text("deal of the day")
        assert (await picker.is_at(TableScreen)).session.path != deal.path
