"""Score table: setup, entry by digits or mouse, undo, correction, closing."""

from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from cardtable.store import paths, score_tables, summaries
from cardtable.ui.app import CardtableApp
from cardtable.ui.keys.input_guard import InputGuard
from cardtable.ui.picker.screen import Picker
from cardtable.ui.score_table.screen import NewScoresPage, ScorePage
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.preferences import Preferences
from tests.every_game import GAMES_WITH_SCORE_SHEET
from tests.scoring.tables import NAMES, play_session_with_entries
from tests.scoring.test_keys import enter_by_keys
from tests.ui.current_screen import is_shown
from tests.ui.driver import LARGE, SMALL, TINY, at_screen
from tests.ui.table_host import infinite_clock


def create_score_table(game, rounds, seed=1, names=NAMES):
    """Return the path of a score table with some rounds entered, and all rounds of its session."""
    engine, first, entered = play_session_with_entries(game, seed)
    opened = score_tables.create(engine.game, names[: engine.seats], engine.options, first)
    for each in entered[:rounds]:
        opened.enter_round(each)
    opened.close()
    return opened.path, entered


def create_app(*about):
    return CardtableApp(Preferences.load(), page=("score_table", *about))


async def wait_for_page(screen, kind=ScorePage):
    await screen.is_at(kind)
    page = screen.page
    if isinstance(page, ScorePage):
        page.guard = InputGuard(lambda: 0, infinite_clock)
    return page


@asynccontextmanager
async def open_scores(*about, size=SMALL):
    """Open a score table, or the form for one of a game; yield the driver and the page."""
    kind = ScorePage if about and isinstance(about[0], Path) else NewScoresPage
    async with at_screen(create_app(*about), size) as screen:
        yield screen, await wait_for_page(screen, kind)


def open_table_of(game, rounds, size=SMALL, names=NAMES):
    """Open a score table with some rounds entered; yield the driver and the page."""
    return open_scores(create_score_table(game, rounds, names=names)[0], size=size)


@pytest.mark.parametrize(
    ("name", "game", "rounds", "keys"),
    [
        ("rifki", "rifki", 11, "7 6 4 2"),
        ("rifki_wrong", "rifki", 11, "7 6 4 2 3"),
        ("rifki_again", "rifki", 11, "e e"),
        ("rifki_over", "rifki", 20, ""),
        ("king_jar", "king", 17, "7 3 4 2"),
        ("rikiki", "rikiki", 9, "2 2 1"),
        ("gurka", "gurka", 2, "1 2 0"),
        ("bridge", "bridge", 0, "1 2"),
        ("ten_down", "ten_down", 3, "3 2"),
        ("rummy", "rummy", 0, "2 9"),
    ],
)
async def test_score_table_golden(name, game, rounds, keys):
    async with open_table_of(game, rounds, size=TINY) as (screen, _):
        await screen.press(keys)
        await screen.check_golden_in_sizes(f"score_table_{name}", (TINY, SMALL, LARGE))


async def test_correction_asks_only_if_changed():
    async with open_table_of("rifki", 3) as (screen, table):
        await screen.press("e tab escape")
        assert not table.model.is_correction
        await screen.press("e 1 escape")
        await screen.is_at(Dialog)
        await screen.press("escape")
        await screen.is_at(ScorePage)
        assert table.model.is_correction
        await screen.press("escape enter")
        await screen.wait_until(lambda: not table.model.is_correction)


async def test_setup_golden():
    async with open_scores() as (screen, _):
        await screen.check_golden_in_sizes("new_score_table")


async def test_default_setup_from_picker_takes_first_digit():
    async with at_screen(CardtableApp(Preferences.load())) as screen:
        await screen.is_at(Picker)
        await screen.press("c")
        await wait_for_page(screen, NewScoresPage)
        await screen.press("enter")
        await wait_for_page(screen)
        await screen.press(*"44621", "enter")
        await screen.sees("round 2 of 20")
    [path] = summaries.list_journals(paths.sessions_folder())
    opened = score_tables.resume(path)
    assert opened.names == ["Player1", "Player2", "Player3", "Player4"]
    assert opened.table.rounds == [{"contract": "kupa", "taken": (4, 6, 2, 1)}]


async def test_typed_names_are_offered_next_time():
    async with open_scores("gurka") as (screen, _):
        await screen.press("up right down", *"zoe", "down", *"Zoe", "enter")
        await screen.sees("Zoe is already playing")
        await screen.press("backspace")
        assert "a nick is one word" in screen.text, "the error stays while the field is edited"
        await screen.press("x enter")
        table = await wait_for_page(screen)
        assert table.opened.names[:3] == ["Zoe", "Zox", "Player3"]
        assert len(table.opened.names) == 6
    async with open_scores("gurka") as (screen, _):
        await screen.sees("Zox")


@pytest.mark.parametrize("game", GAMES_WITH_SCORE_SHEET)
async def test_whole_session_entered_by_keys_is_archived(game):
    path, rounds = create_score_table(game, 0)
    engine, _, _ = play_session_with_entries(game, 1)
    opened = score_tables.resume(path)
    opened.close()
    shadow = score_tables.ScoreTable(opened.table.header)
    async with open_scores(path) as (screen, table):
        for entered in rounds:
            await screen.press(*enter_by_keys(shadow, entered))
            assert table.opened.table.rounds == shadow.rounds
        await screen.sees("The session is over")
        await screen.press("enter")
        await screen.is_at(Picker)
    assert summaries.list_unfinished() == []
    assert summaries.summarize(paths.archive_folder() / path.name).totals == engine.totals


async def test_invalid_entry_is_refused_with_reason():
    async with open_table_of("rifki", 0) as (screen, table):
        await screen.press("enter")
        await screen.sees("Contract: 1 to 7, or choose with the arrows")
        await screen.press(*"46420", "enter")
        await screen.sees("12 of 13 hearts: 1 still missing")
        await screen.press("2 enter")
        await screen.sees("14 of 13 hearts: 1 too many")
        assert table.opened.table.rounds == []
        await screen.press("1 enter")
        assert table.opened.table.rounds == [{"contract": "kupa", "taken": (6, 4, 2, 1)}]


async def test_rounds_are_undone_and_corrected():
    path, rounds = create_score_table("rifki", 3)
    async with open_scores(path) as (screen, table):
        await screen.press("u u")
        assert len(table.opened.table.rounds) == 1
        await screen.press("e")
        await screen.sees("Round 1 again")
        await screen.press(*"71300", "enter")
        assert table.opened.table.rounds == [{"contract": "koz", "taken": (13, 0, 0, 0)}]
        await screen.press("u")
        assert table.opened.table.rounds == [dict(rounds[0])]
        await screen.press("7 1 escape")
        await screen.is_at(Dialog)
        await screen.press("escape")
        assert table.model.entry.has_entries, "a partly filled round is kept"
        await screen.press("escape enter")
        assert not table.model.entry.has_entries
        await screen.press("escape")
        await screen.is_at(Picker)


async def test_undo_discards_entry_before_round():
    path, rounds = create_score_table("rifki", 3)
    async with open_scores(path) as (screen, table):
        before = [dict(entered) for entered in rounds[:3]]
        await screen.press("e e")
        await screen.sees("Round 2 again")
        await screen.press(*"71300", "u")
        await screen.sees("Round 4: ")
        assert table.opened.table.rounds == before
        await screen.press("7 1 u")
        assert not table.model.entry.has_entries
        assert table.opened.table.rounds == before
        await screen.press("e", *"71300", "enter u")
        assert table.opened.table.rounds == before, "undo first reverts the correction"
        await screen.press("u")
        assert table.opened.table.rounds == before[:2]


async def test_repeated_enter_does_not_close_finished_sheet():
    path, entered = create_score_table("rifki", 19)
    now = [100.0]
    async with open_scores(path) as (screen, table):
        table.guard = InputGuard(lambda: 0.3, lambda: now[0])
        await screen.press(*enter_by_keys(score_tables.resume(path).table, entered[19])[:-1])
        await screen.press("enter")
        for after in (0.05, 0.1, 0.2):
            now[0] += after
            await screen.press("enter")
        await screen.sees("The session is over")
        await screen.press("u")
        assert len(table.opened.table.rounds) == 19, "the last round can still be undone"


async def test_table_open_elsewhere_is_read_only():
    path, _ = create_score_table("rifki", 2)
    other = score_tables.resume(path)
    async with open_scores(path) as (screen, table):
        await screen.press("7 1 enter u e")
        await screen.sees("This score table is read-only")
        assert len(table.opened.table.rounds) == 2
    other.close()


async def test_damaged_table_is_reported():
    path, _ = create_score_table("rifki", 2)
    path.write_bytes(path.read_bytes().replace(b"taken", b"token"))
    async with at_screen(create_app(path)) as screen:
        await screen.wait_until(lambda: any("checksum is wrong" in each for each in screen.notices))
        assert is_shown(screen.app, Picker)


@pytest.mark.parametrize("game", GAMES_WITH_SCORE_SHEET)
async def test_hostile_names_at_every_size(game):
    names = ["[bold]An", "\x1b[2J", "\u202eIda", "漢字漢字漢字", "L" * 60, ""]
    async with open_table_of(game, 3, names=names) as (screen, _):
        async for _ in screen.in_sizes([(1, 1), (59, 17), TINY, (79, 23), LARGE, (200, 60)]):
            await screen.press("1")
            assert "\x1b" not in screen.text


async def test_repeated_enter_creates_one_table():
    async with open_scores() as (screen, form):
        form.action_begin()
        form.action_begin()
        await wait_for_page(screen)
        assert len([*paths.sessions_folder().glob("*.jsonl")]) == 1


LONG_NAMES = ["Wilhelma", "Friedric", "Waldemar", "Leopoldi"]
DEFAULT_NAMES = ["Player1", "Player2", "Player3", "Player4"]


@pytest.mark.parametrize("game", ["king", "rifki", "rikiki", "ten_down", "bridge"])
async def test_long_nick_fits_beside_star(game):
    async with open_table_of(game, 3, names=LONG_NAMES) as (screen, _):
        async for _ in screen.in_sizes():
            assert all(name in screen.rows[2] for name in LONG_NAMES)
            assert "★" in screen.rows[3]


@pytest.mark.parametrize("size", [SMALL, TINY], ids=str)
async def test_renaming_leaves_entry_in_progress(size):
    path, _ = create_score_table("rifki", 3, names=DEFAULT_NAMES)
    async with open_scores(path, size=size) as (screen, table):
        await screen.press("7 5 n")
        await screen.sees("names of the players")
        await screen.press(*"zoe", "down", *"Zoe", "enter")
        await screen.sees("Zoe is already playing")
        await screen.press("backspace x enter")
        await screen.sees_no_more("names of the players")
        assert screen.rows[2].split()[:4] == ["Zoe", "Zox", "Player3", "Player4"]
        assert table.model.entry.choices == {"contract": "koz"}
        await screen.press("4 4 0 enter")
        assert len(table.opened.table.rounds) == 4
    again = score_tables.resume(path)
    assert again.names == ["Zoe", "Zox", "Player3", "Player4"]
    again.close()


@pytest.mark.parametrize(
    ("keys", "asks"), [("z", True), ("up right", True), ("right down up", False)], ids=["name", "game", "unchanged"]
)
async def test_changed_setup_asks_before_closing(keys, asks):
    async with open_scores("rifki") as (screen, form):
        await screen.press(keys)
        filled = screen.text
        await screen.press("escape")
        if asks:
            await screen.is_at(Dialog)
            await screen.press("escape")
            await screen.wait_until(lambda: screen.app.screen is form.screen)
            assert screen.text == filled
            await screen.press("escape enter")
        await screen.is_at(Picker)
