"""Score table: setup, entry by digits or mouse, undo, correction, closing."""

import re

import pytest

from cardtable.games import GAMES
from cardtable.scoring.round_entry import EntryField
from cardtable.store import paths, score_tables, summaries
from cardtable.ui.app import CardtableApp
from cardtable.ui.archive.screen import ArchivePage
from cardtable.ui.keys import input_guard
from cardtable.ui.keys.input_guard import InputGuard
from cardtable.ui.picker.screen import Picker
from cardtable.ui.score_table import screen
from cardtable.ui.score_table.screen import NewScoresPage, ScorePage
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.page import Page
from cardtable.ui.toolkit.preferences import Preferences
from tests.every_game import GAMES_WITH_SCORE_SHEET
from tests.golden_files import check_golden
from tests.scoring.tables import NAMES, play_session_with_entries
from tests.scoring.test_keys import enter_by_keys
from tests.ui.current_screen import is_shown
from tests.ui.screen_text import list_notices, screen_text
from tests.ui.table_host import infinite_clock, wait_until

SMALL, LARGE, TINY = (80, 24), (120, 40), (60, 18)
SIZES = {"80x24": SMALL, "120x40": LARGE, "60x18": TINY}


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


async def wait_for_page(pilot, kind=ScorePage):
    await wait_until(pilot, lambda: is_shown(pilot.app, kind) and pilot.app.screen.is_mounted)
    await pilot.pause()
    page = pilot.app.screen.query_one(Page)
    if isinstance(page, ScorePage):
        page.guard = InputGuard(lambda: 0, infinite_clock)
    return page


async def click(pilot, text, occurrence=0):
    """Click the first cell of a text on the screen."""
    rows = screen_text(pilot.app).split("\n")
    positions = [(y, row.index(text)) for y, row in enumerate(rows) if text in row]
    y, x = positions[occurrence]
    await pilot.click(offset=(x, y))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("name", "game", "rounds", "keys"),
    [
        ("rifki", "rifki", 11, ["7", "6", "4", "2"]),
        ("rifki_wrong", "rifki", 11, ["7", "6", "4", "2", "3"]),
        ("rifki_again", "rifki", 11, ["e", "e"]),
        ("rifki_over", "rifki", 20, []),
        ("king_jar", "king", 17, ["7", "3", "4", "2"]),
        ("rikiki", "rikiki", 9, ["2", "2", "1"]),
        ("gurka", "gurka", 2, ["1", "2", "0"]),
        ("bridge", "bridge", 0, ["1", "2"]),
        ("ten_down", "ten_down", 3, ["3", "2"]),
        ("rummy", "rummy", 0, ["2", "9"]),
    ],
)
async def test_score_table_golden(name, game, rounds, keys, size):
    path, _ = create_score_table(game, rounds)
    async with create_app(path).run_test(size=SIZES[size]) as pilot:
        await wait_for_page(pilot)
        await pilot.press(*keys)
        check_golden(f"score_table_{name}_{size}.txt", screen_text(pilot.app))


async def test_cursor_keys_do_nothing_after_session_end():
    path, _ = create_score_table("rifki", 20)
    async with create_app(path).run_test(size=SMALL) as pilot:
        table = await wait_for_page(pilot)
        await pilot.press("home", "end", "right", "tab", "5", "backspace")
        assert table.model.is_over
        assert "The session is over" in screen_text(pilot.app)


async def test_correction_asks_only_if_changed():
    path, _ = create_score_table("rifki", 3)
    async with create_app(path).run_test(size=SMALL) as pilot:
        table = await wait_for_page(pilot)
        await pilot.press("e", "tab", "escape")
        assert not table.model.is_correction
        await pilot.press("e", "1", "escape")
        await wait_until(pilot, lambda: is_shown(pilot.app, Dialog))
        await pilot.press("escape")
        await wait_until(pilot, lambda: is_shown(pilot.app, ScorePage))
        assert table.model.is_correction
        await pilot.press("escape", "enter")
        await wait_until(pilot, lambda: not table.model.is_correction)


@pytest.mark.parametrize("size", SIZES)
async def test_setup_golden(size):
    async with create_app().run_test(size=SIZES[size]) as pilot:
        await wait_for_page(pilot, NewScoresPage)
        check_golden(f"new_score_table_{size}.txt", screen_text(pilot.app))


async def test_default_setup_from_picker_takes_first_digit():
    async with CardtableApp(Preferences.load()).run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: is_shown(pilot.app, Picker))
        await pilot.press("c")
        await wait_for_page(pilot, NewScoresPage)
        await pilot.press("enter")
        await wait_for_page(pilot)
        await pilot.press(*"44621", "enter")
        assert "round 2 of 20" in screen_text(pilot.app)
    [path] = summaries.list_journals(paths.sessions_folder())
    opened = score_tables.resume(path)
    assert opened.names == ["Player1", "Player2", "Player3", "Player4"]
    assert opened.table.rounds == [{"contract": "kupa", "taken": (4, 6, 2, 1)}]


async def test_typed_names_are_offered_next_time():
    async with create_app("gurka").run_test(size=SMALL) as pilot:
        await wait_for_page(pilot, NewScoresPage)
        await pilot.press("up", "right", "down", *"zoe", "down", *"Zoe")
        await pilot.press("enter")
        assert "Zoe is already playing" in screen_text(pilot.app)
        await pilot.press("backspace")
        assert "a nick is one word" in screen_text(pilot.app), "the error stays while the field is edited"
        await pilot.press("x", "enter")
        table = await wait_for_page(pilot)
        assert table.opened.names[:3] == ["Zoe", "Zox", "Player3"]
        assert len(table.opened.names) == 6
    async with create_app("gurka").run_test(size=SMALL) as pilot:
        await wait_for_page(pilot, NewScoresPage)
        assert "Zox" in screen_text(pilot.app)


@pytest.mark.parametrize("game", GAMES_WITH_SCORE_SHEET)
async def test_whole_session_entered_by_keys_is_archived(game):
    path, rounds = create_score_table(game, 0)
    engine, _, _ = play_session_with_entries(game, 1)
    opened = score_tables.resume(path)
    opened.close()
    shadow = score_tables.ScoreTable(opened.table.header)
    async with create_app(path).run_test(size=SMALL) as pilot:
        table = await wait_for_page(pilot)
        for entered in rounds:
            await pilot.press(*enter_by_keys(shadow, entered))
            assert table.opened.table.rounds == shadow.rounds
        assert "The session is over" in screen_text(pilot.app)
        await pilot.press("enter")
        await wait_until(pilot, lambda: is_shown(pilot.app, Picker))
    assert summaries.list_unfinished() == []
    assert summaries.summarize(paths.archive_folder() / path.name).totals == engine.totals


async def test_cursor_leaves_contract_when_no_digit_can_join(monkeypatch):
    path, _ = create_score_table("king", 0)
    async with create_app(path).run_test(size=SMALL) as pilot:
        table = await wait_for_page(pilot)
        await pilot.press("1", "2")
        assert table.model.entry.choices["contract"] == "spades"
        await pilot.press("escape", "enter", "1")
        assert table.model.entry.current_field == EntryField("contract")
        for module in (input_guard, screen):
            monkeypatch.setattr(module, "JOIN_SECONDS", 0.02)
        await pilot.press("home", "1")
        await wait_until(pilot, lambda: table.model.entry.current_field == EntryField("tricks", 0))
        await pilot.press("2")
        assert table.model.entry.choices["contract"] == "no-tricks"


async def test_invalid_entry_is_refused_with_reason():
    path, _ = create_score_table("rifki", 0)
    async with create_app(path).run_test(size=SMALL) as pilot:
        table = await wait_for_page(pilot)
        await pilot.press("enter")
        assert "Contract: 1 to 7, or choose with the arrows" in screen_text(pilot.app)
        await pilot.press(*"46420", "enter")
        assert "12 of 13 hearts: 1 still missing" in screen_text(pilot.app)
        await pilot.press("2", "enter")
        assert "14 of 13 hearts: 1 too many" in screen_text(pilot.app)
        assert table.opened.table.rounds == []
        await pilot.press("1", "enter")
        assert table.opened.table.rounds == [{"contract": "kupa", "taken": (6, 4, 2, 1)}]


async def test_rounds_are_undone_and_corrected():
    path, rounds = create_score_table("rifki", 3)
    async with create_app(path).run_test(size=SMALL) as pilot:
        table = await wait_for_page(pilot)
        await pilot.press("u", "u")
        assert len(table.opened.table.rounds) == 1
        await pilot.press("e")
        assert "Round 1 again" in screen_text(pilot.app)
        await pilot.press(*"71300", "enter")
        assert table.opened.table.rounds == [{"contract": "koz", "taken": (13, 0, 0, 0)}]
        await pilot.press("u")
        assert table.opened.table.rounds == [dict(rounds[0])]
        await pilot.press("7", "1", "escape")
        await wait_until(pilot, lambda: is_shown(pilot.app, Dialog))
        await pilot.press("escape")
        assert table.model.entry.has_entries, "a partly filled round is kept"
        await pilot.press("escape", "enter")
        assert not table.model.entry.has_entries
        await pilot.press("escape")
        await wait_until(pilot, lambda: is_shown(pilot.app, Picker))


async def test_undo_discards_entry_before_round():
    path, rounds = create_score_table("rifki", 3)
    async with create_app(path).run_test(size=SMALL) as pilot:
        table = await wait_for_page(pilot)
        before = [dict(entered) for entered in rounds[:3]]
        await pilot.press("e", "e")
        assert "Round 2 again" in screen_text(pilot.app)
        await pilot.press(*"71300", "u")
        assert "Round 4: " in screen_text(pilot.app)
        assert table.opened.table.rounds == before
        await pilot.press("7", "1", "u")
        assert not table.model.entry.has_entries
        assert table.opened.table.rounds == before
        await pilot.press("e", *"71300", "enter", "u")
        assert table.opened.table.rounds == before, "undo first reverts the correction"
        await pilot.press("u")
        assert table.opened.table.rounds == before[:2]


async def test_undo_without_rounds_clears_entry():
    path, _ = create_score_table("rifki", 0)
    async with create_app(path).run_test(size=SMALL) as pilot:
        table = await wait_for_page(pilot)
        await pilot.press("u", "7", "1", "u")
        assert not table.model.entry.has_entries


@pytest.mark.parametrize("size", [SMALL, TINY], ids=str)
async def test_footer_shows_effect_of_escape(size):
    path, _ = create_score_table("rifki", 3)
    async with create_app(path).run_test(size=size) as pilot:
        await wait_for_page(pilot)
        assert "Esc leave" in screen_text(pilot.app)
        await pilot.press("7")
        assert "Esc clear" in screen_text(pilot.app)
        await pilot.press("escape", "enter", "e")
        assert "Esc back" in screen_text(pilot.app)


async def test_setup_starts_at_first_name_if_game_is_given():
    async with create_app("king").run_test(size=SMALL) as pilot:
        await wait_for_page(pilot, NewScoresPage)
        await pilot.press(*"zoe", "down", *"max", "enter")
        table = await wait_for_page(pilot)
        assert table.opened.names == ["Zoe", "Max", "Player3", "Player4"]
    async with create_app().run_test(size=SMALL) as pilot:
        await wait_for_page(pilot, NewScoresPage)
        assert "▌ Game" in screen_text(pilot.app)


async def test_held_undo_removes_one_round():
    path, _ = create_score_table("rifki", 6)
    now = [100.0]
    async with create_app(path).run_test(size=SMALL) as pilot:
        table = await wait_for_page(pilot)
        table.guard = InputGuard(lambda: 0.3, lambda: now[0])
        for after in (0.0, 0.1, 0.092, 0.03, 0.06):
            now[0] += after
            await pilot.press("u")
        assert len(table.opened.table.rounds) == 5
        now[0] += 0.3
        await pilot.press("u")
        assert len(table.opened.table.rounds) == 4


async def test_contracts_left_in_short_session_of_king():
    game = GAMES["king"]
    opened = score_tables.create(game, NAMES[:4], game.options(length="short"))
    opened.enter_round({"contract": "no-king", "by": "points", "points": (36, 0, 0, 0)})
    opened.close()
    for size, left in ((SMALL, r"Negative +2 +3 +3 +3$"), (LARGE, r"Negative +●●· ●●● ●●● ●●●$")):
        async with create_app(opened.path).run_test(size=size) as pilot:
            await wait_for_page(pilot)
            assert re.search(left, screen_text(pilot.app), re.MULTILINE)
            assert re.search(r"Jar +● +● +● +●$", screen_text(pilot.app), re.MULTILINE)


async def test_quadrupled_points_are_marked():
    path, _ = create_score_table("king", 0)
    async with create_app(path).run_test(size=SMALL) as pilot:
        table = await wait_for_page(pilot)
        await pilot.press("2", *"333")
        assert "counts ×4" in screen_text(pilot.app)
        await pilot.press("escape", "enter", "7")
        assert "counts ×" not in screen_text(pilot.app)
        assert not table.opened.table.rounds


async def test_enter_moves_to_missing_field():
    path, _ = create_score_table("king", 0)
    async with create_app(path).run_test(size=SMALL) as pilot:
        table = await wait_for_page(pilot)
        await pilot.press("enter")
        assert table.model.entry.current_field == EntryField("contract")
        await pilot.press("right", "enter")
        assert table.model.entry.current_field == EntryField("tricks", 0)
        await pilot.press("3", "3", "home")
        assert "Contract: 1 to 14, or the arrows, then Tab" in screen_text(pilot.app)
        await pilot.press("enter")
        assert table.model.entry.current_field == EntryField("tricks", 2)
        assert table.opened.table.rounds == []


async def test_repeated_enter_does_not_close_finished_sheet():
    path, entered = create_score_table("rifki", 19)
    now = [100.0]
    one = create_app(path)
    async with one.run_test(size=SMALL) as pilot:
        table = await wait_for_page(pilot)
        table.guard = InputGuard(lambda: 0.3, lambda: now[0])
        await pilot.press(*enter_by_keys(score_tables.resume(path).table, entered[19])[:-1])
        await pilot.press("enter")
        for after in (0.05, 0.1, 0.2):
            now[0] += after
            await pilot.press("enter")
        assert "The session is over" in screen_text(one)
        await pilot.press("u")
        assert len(table.opened.table.rounds) == 19, "the last round can still be undone"


@pytest.mark.parametrize(
    ("game", "count_text"), [("rikiki", "deals and bids first, 1 card each"), ("ten_down", "10 cards each")]
)
async def test_card_count_of_deal_is_shown(game, count_text):
    path, _ = create_score_table(game, 0)
    async with create_app(path).run_test(size=TINY) as pilot:
        await wait_for_page(pilot)
        assert count_text in screen_text(pilot.app)


@pytest.mark.parametrize("game", ["rikiki", "ten_down"])
async def test_round_without_trump_shows_card_count(game):
    path, (first, *_) = create_score_table(game, 0)
    opened = score_tables.resume(path)
    opened.enter_round({**first, "trump": "-"})
    opened.close()
    async with create_app(path).run_test(size=SMALL) as pilot:
        table = await wait_for_page(pilot)
        [score] = table.model.sheet.scores
        [row] = [line for line in screen_text(pilot.app).splitlines() if line.split()[:1] == ["1"]]
        assert f" {score.title.cards} " in row


async def test_entry_and_undo_by_mouse():
    path, _ = create_score_table("rifki", 2)
    async with create_app(path).run_test(size=SMALL) as pilot:
        table = await wait_for_page(pilot)
        await click(pilot, "Son Iki")
        assert table.model.entry.choices == {"contract": "son-iki"}
        end = table.canvas.hit_boxes
        field = next(spot for spot in end if getattr(spot.target, "seat", None) == 2)
        await pilot.click(offset=(field.x, field.y))
        assert table.model.entry.current_field.seat == 2
        await click(pilot, "e edit")
        assert "Round 2 again" in screen_text(pilot.app)
        await pilot.click(offset=(20, 5))
        assert "Round 1 again" in screen_text(pilot.app)
        await click(pilot, "u undo")
        assert "Round 3: " in screen_text(pilot.app)
        await click(pilot, "u undo")
        assert len(table.opened.table.rounds) == 1


async def test_enter_in_picker_continues_score_table():
    create_score_table("rifki", 2)
    async with CardtableApp(Preferences.load()).run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: "Continue: Rifki" in screen_text(pilot.app))
        assert "real cards" in screen_text(pilot.app)
        await pilot.press("enter")
        await wait_for_page(pilot)
        assert "Round 3:" in screen_text(pilot.app)


async def test_table_open_elsewhere_is_read_only():
    path, _ = create_score_table("rifki", 2)
    other = score_tables.resume(path)
    async with create_app(path).run_test(size=SMALL) as pilot:
        table = await wait_for_page(pilot)
        await pilot.press("7", "1", "enter", "u", "e")
        assert "This score table is read-only" in screen_text(pilot.app)
        assert len(table.opened.table.rounds) == 2
    other.close()


async def test_damaged_table_is_reported():
    path, _ = create_score_table("rifki", 2)
    path.write_bytes(path.read_bytes().replace(b"taken", b"token"))
    async with create_app(path).run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: any("checksum is wrong" in each for each in list_notices(pilot.app)))
        assert is_shown(pilot.app, Picker)


@pytest.mark.parametrize("game", GAMES_WITH_SCORE_SHEET)
async def test_hostile_names_at_every_size(game):
    names = ["[bold]An", "\x1b[2J", "\u202eIda", "漢字漢字漢字", "L" * 60, ""]
    path, _ = create_score_table(game, 3, names=names)
    async with create_app(path).run_test(size=SMALL) as pilot:
        await wait_for_page(pilot)
        for size in [(1, 1), (59, 17), TINY, (79, 23), LARGE, (200, 60)]:
            await pilot.resize_terminal(*size)
            await pilot.press("1")
            assert "\x1b" not in screen_text(pilot.app)


async def test_reopened_from_archive_is_editable():
    path, _ = create_score_table("rifki", 2)
    one = create_app(path)
    async with one.run_test(size=(80, 24)) as pilot:
        first = await wait_for_page(pilot)
        one.context.show("archive")
        await wait_until(pilot, lambda: is_shown(one, ArchivePage) and one.screen.page.model.row)
        await pilot.press("enter")
        await wait_until(pilot, lambda: is_shown(one, ScorePage))
        again = await wait_for_page(pilot)
        assert again is not first
        assert "save round" in screen_text(one)


async def test_repeated_enter_creates_one_table():
    one = create_app()
    async with one.run_test(size=(80, 24)) as pilot:
        form = await wait_for_page(pilot, NewScoresPage)
        form.action_begin()
        form.action_begin()
        await wait_for_page(pilot)
        assert len([*paths.sessions_folder().glob("*.jsonl")]) == 1
