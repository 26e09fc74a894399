"""Tables in the picker: rename, give up, undo, watch, deal of the day."""

from contextlib import closing
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from textual import events

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
from tests.ui.bursts import key_event
from tests.ui.current_screen import is_shown, wait_for_screen
from tests.ui.screen_text import list_notices, screen_text
from tests.ui.table_host import create_session, wait_until

SMALL = (80, 24)


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


def create_app(**chosen):
    return CardtableApp(Preferences(Settings(**chosen)))


async def wait_for_picker(pilot):
    """Wait until the picker has read all sessions."""
    await pilot.pause()
    reading = [worker for worker in pilot.app.workers if isinstance(worker.node, Picker)]
    if reading:
        await pilot.app.workers.wait_for_complete(reading)
    await pilot.pause()


async def press(pilot, *keys):
    await pilot.press(*keys)
    await wait_for_picker(pilot)
    return screen_text(pilot.app)


async def click(pilot, text):
    """Click a text on the screen; return the screen's text."""
    rows = screen_text(pilot.app).split("\n")
    x, y = next((row.index(text), y) for y, row in enumerate(rows) if text in row)
    await pilot.click(offset=(x, y))
    await wait_for_picker(pilot)
    return screen_text(pilot.app)


async def move_to_first_table(pilot):
    await wait_for_picker(pilot)
    return await press(pilot, "down", "right")


def list_unfinished_paths():
    return [summary.path for summary in summaries.list_unfinished()]


def list_archived_paths():
    return paths.list_files(paths.archive_folder(), ".jsonl")


async def wait_for_table(pilot):
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, TableScreen) and pilot.app.screen.is_mounted)
    return pilot.app.screen


async def test_give_up_asks_and_can_be_undone(three_tables):
    app = create_app()
    async with app.run_test(size=SMALL) as pilot:
        await move_to_first_table(pilot)
        asked = await press(pilot, "g")
        assert "Abandon King, round 1 of 40?" in asked
        assert "you count as last" in asked
        await press(pilot, "escape")
        assert list_unfinished_paths() == [*three_tables]
        text = await press(pilot, "g", "enter")
        assert list_unfinished_paths() == [three_tables[0], three_tables[2]]
        assert list_archived_paths() == [paths.archive_folder() / three_tables[1].name]
        assert "u undo" in text.split("\n")[-2], "the footer offers the undo"
        assert "Gurka" in read_cursor_rows(app), "the cursor goes on to the next table"
        text = await press(pilot, "u")
        assert list_unfinished_paths() == [*three_tables]
        assert list_archived_paths() == []
        assert "King" in read_cursor_rows(app)
        assert "undo" not in text


def read_cursor_rows(app):
    return "\n".join([row for row in screen_text(app).split("\n") if "▌" in row])


async def test_take_back_works_later(three_tables):
    app = create_app(confirm=False)
    async with app.run_test(size=SMALL) as pilot:
        await move_to_first_table(pilot)
        await press(pilot, "g", "g")
        assert list_unfinished_paths() == [three_tables[0]]
        await press(pilot, "home", "enter")
        await wait_for_table(pilot)
        await press(pilot, "escape")
        await wait_until(pilot, lambda: is_shown(app, Picker))
        await press(pilot, "ctrl+z")
        assert {path.name for path in list_unfinished_paths()} == {three_tables[0].name, three_tables[2].name}, (
            "the last abandoned table is restored first"
        )
        await press(pilot, "u")
        assert {*list_unfinished_paths()} == {*three_tables}


async def test_giving_up_latest_session_selects_next(three_tables):
    app = create_app(confirm=False)
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_picker(pilot)
        await press(pilot, "g")
        assert "Continue: King" in read_cursor_rows(app)
        await press(pilot, "g")
        assert "Continue: Gurka" in read_cursor_rows(app)
        await press(pilot, "g")
        assert list_unfinished_paths() == []
        assert "Rikiki" in read_cursor_rows(app), "without tables the cursor is on the first game"
        await press(pilot, "u", "u", "u")
        assert list_unfinished_paths() == [*three_tables]
        assert "Continue: Rikiki" in read_cursor_rows(app)


async def test_give_up_and_take_back_by_mouse(three_tables):
    app = create_app()
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_picker(pilot)
        await click(pilot, "2 minutes ago")
        await click(pilot, "abandon")
        await click(pilot, "keep it")
        await click(pilot, "abandon")
        await click(pilot, "Enter abandon it")
        assert list_unfinished_paths() == [three_tables[0], three_tables[2]]
        await click(pilot, "undo")
        assert list_unfinished_paths() == [*three_tables]


async def test_session_open_elsewhere_cannot_be_abandoned(three_tables):
    app = create_app(confirm=False)
    elsewhere = sessions.resume(three_tables[1])
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await move_to_first_table(pilot)
        text = await press(pilot, "g")
        for words in ("the session cannot be abandoned", "open in another program"):
            assert words in text
        assert list_unfinished_paths() == [*three_tables]
        assert "undo" not in text
    elsewhere.close()


async def test_failed_take_back_can_be_retried(three_tables):
    app = create_app(confirm=False)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await move_to_first_table(pilot)
        await press(pilot, "g")
        [path] = list_archived_paths()
        elsewhere = sessions.resume(path)
        text = await press(pilot, "u")
        assert "cannot be restored" in text
        elsewhere.close()
        await press(pilot, "u")
        assert list_unfinished_paths() == [*three_tables]


async def test_missing_session_does_not_block_take_back(three_tables):
    app = create_app(confirm=False)
    async with app.run_test(size=SMALL) as pilot:
        await move_to_first_table(pilot)
        await press(pilot, "g", "g")
        (paths.archive_folder() / three_tables[2].name).unlink()
        await press(pilot, "u", "u")
        assert list_unfinished_paths() == [*three_tables[:2]]


@pytest.mark.parametrize("key", ["g", "e"])
async def test_repeated_key_asks_once(three_tables, key):
    app = create_app()
    async with app.run_test(size=SMALL) as pilot:
        await move_to_first_table(pilot)
        picker = app.screen.query_one(Picker)
        for _ in range(2):
            picker.post_message(events.Key(key, key))
        await wait_until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.pause()  # the second key has come to the picker, too
        await press(pilot, "escape")
        await wait_until(pilot, lambda: is_shown(app, Picker))


async def test_damaged_journal_can_only_be_abandoned(three_tables):
    three_tables[1].write_bytes(three_tables[1].read_bytes().replace(b'"action"', b'"acting"', 1))
    app = create_app(confirm=False)
    async with app.run_test(size=SMALL) as pilot:
        await move_to_first_table(pilot)
        await press(pilot, "e", "w")
        assert is_shown(app, Picker)
        await press(pilot, "enter")
        assert isinstance(app.screen, Dialog), "Enter offers a copy of the undamaged lines"
        await press(pilot, "escape", "g")
        assert list_archived_paths() == [paths.archive_folder() / three_tables[1].name]


async def test_table_is_named_and_name_is_cleared(three_tables):
    app = create_app()
    async with app.run_test(size=SMALL) as pilot:
        await move_to_first_table(pilot)
        await press(pilot, "e")
        text = await press(pilot, *"Friday", "enter")
        rows = text.split("\n")
        at = next(y for y, row in enumerate(rows) if row.startswith("  ▌") and "King" in row)
        assert rows[at + 1].strip("▌ ") == '"Friday"'
        assert "2 minutes ago" in rows[at], "a new name does not change the age"
        await press(pilot, "e", "escape")
        assert '"Friday"' in screen_text(app)
        await press(pilot, "e", *["backspace"] * 6)
        text = await press(pilot, "enter")
        assert "Friday" not in text
        assert [summary.name for summary in summaries.list_unfinished()] == ["", "", ""]


@pytest.mark.parametrize("key", ["e", "g"])
async def test_key_pressed_twice_asks_once(three_tables, key):
    app = create_app()
    async with app.run_test(size=SMALL) as pilot:
        await move_to_first_table(pilot)
        for _ in range(2):
            app.post_message(key_event(key))
        await wait_for_screen(pilot, Dialog)
        await pilot.pause()
        assert len(app.screen_stack) == 2


async def test_table_is_named_by_mouse(three_tables):
    app = create_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await wait_for_picker(pilot)
        await click(pilot, "2 minutes ago")
        await click(pilot, "rename")
        await pilot.press(*"Sunday")
        text = await click(pilot, "name the table")
        assert '"Sunday"' in text


async def test_latest_session_shows_name(three_tables):
    for path, name in zip(three_tables, ("[b]Fri\x1bday[/b]" + "x" * 99, "Saturday", "漢字" * 30), strict=True):
        sessions.rename(path, name)
    for size in (SMALL, (120, 40), (60, 18)):
        app = create_app()
        async with app.run_test(size=size) as pilot:
            await wait_for_picker(pilot)
            text = screen_text(app)
            assert '"[b]Friday[/b]' in text
            assert "\x1b" not in text
            assert '"Saturday"' in text or size == (60, 18)


@pytest.mark.parametrize("keys", [["enter"], ["w"], ["g", "enter"], ["e", "X", "enter"]], ids=" ".join)
@pytest.mark.parametrize("end", ["is over", "was abandoned"])
async def test_session_archived_elsewhere_is_reported_and_removed(end, keys):
    path, app = save_table("gurka", 1, decisions=3, limit=21), create_app()
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_picker(pilot)
        if end == "is over":
            with closing(sessions.resume(path)) as elsewhere:
                play_randomly(elsewhere.referee, Random(1), 5000)
                elsewhere.referee.advance()
        else:
            sessions.abandon(path)
        await pilot.press(*keys)
        await wait_until(pilot, lambda: list_notices(app))
        [notice] = list_notices(app)
        assert notice == f"That session {end}: it is in the archive"
        await wait_until(pilot, lambda: is_shown(app, Picker) and "Continue:" not in screen_text(app))


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
    path, app = save_table("rikiki", 1, people=2), create_app(confirm=confirm)
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_picker(pilot)
        await pilot.press("g")
        await wait_until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.pause()
        text = " ".join(screen_text(app).split())
        assert "The password of" in text
        assert "Anna" in text
        assert "needed." in text
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, Dialog), "Enter without a password keeps the question open"
        await pilot.press(*"sesam", "enter")
        await wait_until(pilot, lambda: "That is not the password." in " ".join(screen_text(app).split()))
        assert "sesam" not in screen_text(app)
        assert path.exists()
        await pilot.press(*"sesame77", "enter")
        await wait_until(pilot, lambda: not path.exists())
    assert not profiles.is_password_required("Anna")
    path, app = save_table("rikiki", 1, people=2), create_app(confirm=confirm)
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_picker(pilot)
        await pilot.press("g")
        await wait_until(pilot, lambda: isinstance(app.screen, Dialog))
        assert path.exists(), "a table of several people needs confirmation"


async def test_no_password_needed_for_own_unlocked_or_robot_table(anna):
    profiles.verify_password("Anna", "sesame77")
    alone, others = save_table("rikiki", 1), save_table("gurka", 2, people=0)
    app = create_app(confirm=False)
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_picker(pilot)
        await pilot.press("g")
        await wait_until(pilot, lambda: not alone.exists())
        await wait_for_picker(pilot)
        await pilot.press("g")
        await wait_until(pilot, lambda: not others.exists())


async def test_notifications_show_whole_paths(tmp_path, monkeypatch):
    long = tmp_path.joinpath(*["a-folder-with-a-rather-long-name"] * 7)
    monkeypatch.setenv("CARDTABLE_HOME", str(long))
    path, app = save_table("gurka", 1, decisions=3), create_app()
    assert len(str(path)) > 200
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await wait_for_picker(pilot)
        await pilot.press("f3")
        await wait_until(pilot, lambda: list_notices(app))
        path.unlink()
        await pilot.press("enter")
        await wait_until(pilot, lambda: len(list_notices(app)) == 2)
        saved, gone = list_notices(app)
        assert saved == f"Saved as {long}/exports/cardtable.svg"
        assert gone == f"{path}: No such file or directory"
        await pilot.pause()
        text = "".join(screen_text(app).split())
        assert str(path)[-60:] in text


async def test_score_table_offers_only_its_actions():
    names = ["Anna", "Tom", "Zoe", "Max"]
    with closing(score_tables.create(GAMES["rifki"], names, GAMES["rifki"].options())):
        pass
    for size in (SMALL, (120, 40), (60, 18)):
        app = create_app()
        async with app.run_test(size=size) as pilot:
            await wait_for_picker(pilot)
            assert "real cards" in screen_text(app)
            assert "watch" not in screen_text(app)
            await pilot.press("?")
            assert "watch" not in screen_text(app)
            await pilot.press("?", "down")
            await pilot.pause()
            assert size == (60, 18) or "watch robots" in screen_text(app)
            await pilot.press("up", "g")
            await wait_until(pilot, lambda app=app: isinstance(app.screen, Dialog))
            assert "The score table moves to the archive as it is." in " ".join(screen_text(app).split())
            await pilot.press("escape")


async def test_watch_robots_and_continue_watching():
    app = create_app()
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_picker(pilot)
        await pilot.press("down", "w")
        screen = await wait_for_table(pilot)
        assert (screen.session.header.game, screen.session.header.people) == ("king", [])
        assert {occupant.robot for occupant in screen.session.header.seats} == {"steady"}
        await pilot.press("escape")
        await wait_until(pilot, lambda: is_shown(app, Picker))
        await wait_for_picker(pilot)
        await pilot.press("w")
        again = await wait_for_table(pilot)
        assert (again.session.path, again.session.read_only_reason) == (screen.session.path, None), (
            "the same robots' session continues"
        )


async def test_watch_robots_by_mouse():
    app = create_app()
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_picker(pilot)
        await click(pilot, "shed your cards")
        await click(pilot, "watch robots")
        assert (await wait_for_table(pilot)).session.header.game == "bridge"


async def test_watched_table_of_one_person_shows_hand():
    path = save_table("rikiki", 1, decisions=150)
    before = path.read_bytes()
    app = create_app()
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_picker(pilot)
        await pilot.press("w")
        screen = await wait_for_table(pilot)
        await wait_until(pilot, lambda: screen.frame.spectator_reason)
        assert screen.frame.hand.cards
        text = await press(pilot, "enter", "1", "u", "space", "h")
        assert "You are watching." in text
        assert "s score" in text.split("\n")[-2]
        text = await press(pilot, "m", *"hello", "enter")
        assert "hello" not in text
        assert "say it" not in text
    assert path.read_bytes() == before


@pytest.mark.parametrize("size", [(60, 18), SMALL, (120, 40)])
@pytest.mark.parametrize("key", KEYS)
async def test_watched_hot_seat_table_shows_no_hand(key, size):
    path = save_table(key, 1, decisions=9, people=2)
    looked = sessions.resume(path)
    hands = [looked.referee.view(seat).hand for seat in range(looked.referee.seats)]
    looked.close()
    assert any(hands)
    app = create_app()
    async with app.run_test(size=size) as pilot:
        await wait_for_picker(pilot)
        await pilot.press("w")
        screen = await wait_for_table(pilot)
        await wait_until(pilot, lambda: screen.frame.spectator_reason)
        for keys in ((), ("m",), ("m", "l"), ("l", "s"), ("s", "h"), ("escape",)):
            await pilot.press(*keys)
            assert screen.frame.stage is not Stage.CURTAIN
            assert not screen.frame.hand.cards
            assert not screen.frame.view.hand


@pytest.mark.parametrize("game", KEYS)
async def test_daily_deal_is_started_continued_and_listed(monkeypatch, game):
    monkeypatch.setattr(session_setup, "get_daily_game", lambda _day: game)
    day = datetime.now(UTC).astimezone().date()
    app = create_app(confirm=False)
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_picker(pilot)
        assert "not played yet" in screen_text(app)
        await pilot.press("end", "enter")
        screen = await wait_for_table(pilot)
        header = screen.session.header
        assert (header.game, header.seed) == (game, session_setup.get_daily_seed(day))
        assert header.people == [0]
        await wait_until(pilot, lambda: screen.session.referee.turn == 0)
        await pilot.press("escape")
        await wait_until(pilot, lambda: is_shown(app, Picker))
        await wait_for_picker(pilot)
        shown_text = screen_text(app)
        assert shown_text.count("deal of the day") == 1, "a table is listed once"
        no_room = game == "rifki"  # beside thirteen cards
        assert no_room or "deal of the day · your turn" in shown_text
        await pilot.press("home")
        await press(pilot, "enter")
        again = await wait_for_table(pilot)
        assert again.session.path == screen.session.path
        await pilot.press("escape")
        await wait_until(pilot, lambda: is_shown(app, Picker))
        await wait_for_picker(pilot)
        text = await press(pilot, "home", "g")
        assert "abandoned" in next(row for row in text.split("\n") if row.startswith("  Today"))


@pytest.mark.parametrize("game", KEYS)
async def test_daily_deal_shows_result_and_can_be_replayed(monkeypatch, game):
    monkeypatch.setattr(session_setup, "get_daily_game", lambda _day: game)
    deal = session_setup.create_daily_setup(datetime.now(UTC).astimezone().date()).begin()
    play_randomly(deal.referee, Random(1), 10_000)
    place, points = deal.referee.ranks[0], deal.referee.totals[0]
    deal.close()
    app = create_app()
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_picker(pilot)
        text = screen_text(app)
        ordinal = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th"}[place]
        assert f"{ordinal} of {GAMES[game].about.usual_seats}, {points} point".replace("-", "\u2212") in text
        await click(pilot, "deal of the day")
        await click(pilot, "deal of the day")
        assert (await wait_for_table(pilot)).session.path != deal.path
