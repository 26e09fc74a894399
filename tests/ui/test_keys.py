"""Key bindings: names, presets, rebinding and the key sheet."""

import inspect
import re
from random import Random

import pytest
from msgspec.structs import replace
from textual.actions import parse

from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.session.session_events import Stage
from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.archive.export_page import ExportPage
from cardtable.ui.archive.screen import ArchivePage
from cardtable.ui.club.host_page import OpenToOthersPage
from cardtable.ui.club.lobby import LobbyPage, OpenTablePage
from cardtable.ui.club.table_screen import PeoplePage
from cardtable.ui.game_view.hand_cursor import NO_CURSOR, CursorState
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.new_table.screen import NewTablePage
from cardtable.ui.picker.screen import Picker
from cardtable.ui.players.screen import PlayersPage
from cardtable.ui.records.rankings_page import RankingsPage
from cardtable.ui.records.statistics_page import StatisticsPage
from cardtable.ui.replay.screen import ReplayPage
from cardtable.ui.review.screen import ReviewPage
from cardtable.ui.rules.screen import RulesPage
from cardtable.ui.score_table.screen import ScorePage
from cardtable.ui.score_table.setup import NamesPage, NewScoresPage
from cardtable.ui.settings.screen import FileProblemsPage, SettingsPage
from cardtable.ui.table.input import enabled_keys
from cardtable.ui.table.input.table_actions import TableKeys
from cardtable.ui.table.overlays.last_deal import LastDeal
from cardtable.ui.table.overlays.messages import Messages
from cardtable.ui.table.overlays.simple import PasswordOverlay, PublicMessages
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.keys.bindings import (
    SCOPES,
    TABLE,
)
from cardtable.ui.toolkit.keys.keymap import DEFAULT_KEYMAP, DEFAULT_KEYS, PRESETS, build_keymap
from cardtable.ui.toolkit.overlay import build_key_groups
from cardtable.ui.toolkit.palette import PalettePage
from tests.ui.positions import reach_position
from tests.ui.screen_text import screen_text
from tests.ui.table_host import TableApp, create_session, wait_until


def list_key_names(scope):
    return [key.name for key in scope.keys]


@pytest.mark.parametrize("preset", PRESETS)
def test_keys_are_unique_in_each_scope(preset):
    keys, complaints = build_keymap(preset)
    assert complaints == []
    for scope in SCOPES:
        bound = [key for name in list_key_names(scope) for key in keys.format_all_labels([name]).split()]
        assert len(bound) == len(set(bound)), scope.where


def test_names_are_unique_in_each_scope():
    for scope in SCOPES:
        assert len(list_key_names(scope)) == len(set(list_key_names(scope)))
        assert set(list_key_names(scope)) <= set(DEFAULT_KEYS)


def test_find_binding_of_pressed_key():
    assert DEFAULT_KEYMAP.find(TABLE, "h").name == "hint"
    assert DEFAULT_KEYMAP.find(TABLE, "ctrl+z").name == "take_back"
    assert DEFAULT_KEYMAP.find(TABLE, "?").name == "help"
    assert DEFAULT_KEYMAP.find(TABLE, "x") is None


def test_texts_name_bound_keys():
    text = "{play} goes on, {switch} changes; {nobody} and {} stand"
    assert DEFAULT_KEYMAP.format_keys(text) == "Enter goes on, Tab changes; {nobody} and {} stand"
    keys, _ = build_keymap("default", {"play": "f5", "switch": "x tab"})
    assert keys.format_keys(text) == "F5 goes on, x changes; {nobody} and {} stand"


REBOUND_KEYS = {"play": "f5", "choose": "f6", "switch": "f7", "leave": "f8", "up": "f9", "down": "f10"}
"""Rebindings of keys that are named in texts."""
DEFAULT_LABELS = re.compile(r"\b(Enter|Space|Tab|Esc|Up|Down|F2)\b")


@pytest.mark.promise(
    "Keys and mouse", "Keys can be rebound; conflicts are reported and refused; the presets are default and vim."
)
@pytest.mark.parametrize("key", GAMES)
def test_prompts_name_rebound_keys(key):
    game, shape, (keys, _) = GAMES[key], get_game_view(key), build_keymap("default", REBOUND_KEYS)
    seats = game.about.seats[0]
    said = set()
    for seed in range(6):
        table, choose = Referee(game, seats, game.options(), seed), Random(seed)
        while table.turn != OVER and table.decisions < 400:
            if table.turn == CHANCE:
                table.advance()
                continue
            view = table.view(table.turn)
            box = shape.decision(view, ["You", "Ada", "Bo", "Cy", "Dee", "Eve"][:seats])
            pointed = [CursorState(option.action, in_box=True) for option in box.options] if box else []
            pointed += [CursorState(chosen=action.cards_used()) for action in view.legal if action.cards_used()]
            for at in (NO_CURSOR, *pointed):
                said |= set(map(keys.format_keys, shape.prompt(view, at)))
            table.play(view.turn, choose.choice(view.legal))
    assert not [text for text in said if DEFAULT_LABELS.search(text)]
    assert not [text for text in said if "{" in text]


async def test_screens_name_rebound_keys():
    settings = Settings(pace=0, trick_pause="key", animation=False, keys=REBOUND_KEYS)
    app, found = TableApp(create_session("rikiki", 11, people=2, length="short"), settings), set()
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(200):
            await wait_until(pilot, lambda: app.table.controller.is_awaiting_input or app.table.frame.shows_trick)
            assert not DEFAULT_LABELS.search(screen_text(app))
            found |= {app.table.frame.stage, app.table.frame.shows_trick}
            if app.table.frame.stage is Stage.ROUND_END:
                break
            await pilot.press("f5")
    assert found == {Stage.CURTAIN, Stage.PLAY, Stage.ROUND_END, True, False}


def test_key_labels_are_readable():
    assert DEFAULT_KEYMAP.format_label("left right") == "←→"
    assert DEFAULT_KEYMAP.format_label("leave") == "Esc"
    assert DEFAULT_KEYMAP.format_label("0-9") == "0-9", "what is no name stands for itself"
    assert DEFAULT_KEYMAP.format_all_labels(["take_back"]) == "u Ctrl+Z"
    assert DEFAULT_KEYMAP.format_all_labels(["left_any", "right_any"]) == "Shift←→"


@pytest.mark.promise(
    "Keys and mouse", "Keys can be rebound; conflicts are reported and refused; the presets are default and vim."
)
def test_vim_preset_uses_letters_and_capital_ranks():
    vim, _ = build_keymap("vim")
    assert [vim.find(TABLE, key).name for key in "hjklJKH"] == ["left", "down", "up", "right", "jack", "king", "hint"]


def test_two_keys_can_be_swapped():
    keys, complaints = build_keymap("default", {"hint": "l", "previous_trick": "h"})
    assert complaints == []
    assert keys.find(TABLE, "l").name == "hint"
    assert keys.find(TABLE, "h").name == "previous_trick"


@pytest.mark.promise(
    "Keys and mouse", "Keys can be rebound; conflicts are reported and refused; the presets are default and vim."
)
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"hint": "l"}, "keys: 'l' is both hint and previous_trick at the table; hint stays 'h'"),
        ({"hints": "x"}, "keys: no key is called 'hints'; did you mean hint?"),
        (
            {"hint": "hyper+x"},
            "keys: hint cannot be 'hyper+x'; choose a character, ctrl+ a letter or a name such as f2",
        ),
        (
            {"hint": "7"},
            "keys: hint cannot be '7'; choose a character, ctrl+ a letter or a name such as f2",
        ),
        (
            {"hint": ""},
            "keys: hint cannot be ''; choose a character, ctrl+ a letter or a name such as f2",
        ),
    ],
)
def test_invalid_bindings_are_reported_and_ignored(changed, said):
    keys, complaints = build_keymap("default", changed)
    assert complaints == [said]
    assert keys.find(TABLE, "h").name == "hint"


@pytest.mark.promise("Keys and mouse", "The key sheet lists the keys that work now, and no others, at every size.")
def test_key_sheet_groups_enabled_keys():
    groups = dict(
        build_key_groups(DEFAULT_KEYMAP, TABLE, lambda key: key.name in ("left", "right", "hint"), {"0-9": "your bid"})
    )
    moves = [("←→", "card that may be played, or choice"), ("0-9", "your bid")]
    assert groups == {"Move": moves, "See": [("h", "hint and reason")]}


@pytest.mark.parametrize(
    ("key", "decisions", "in_box", "told"),
    [
        ("rummy", 6, True, {"down": "draw from the stock"}),
        ("rummy", 39, False, {"down": "draw from the stock"}),
        ("rummy", 39, True, dict.fromkeys(("up", "down"), "choice above or below")),
        ("bridge", 0, False, {"up": "rightmost card that fits", "down": "draw"}),
        ("bridge", 12, True, {"down": "draw"}),
        ("king", 0, True, dict.fromkeys(("up", "down"), "choice above or below")),
        ("king", 3, False, {}),
        ("gurka", 0, False, {}),
    ],
)
def test_key_sheet_labels_of_up_and_down(key, decisions, in_box, told):
    seen = replace(reach_position(key, decisions=decisions), in_box=in_box)
    words = enabled_keys.build_labels(seen)
    found = {each.name: words.get(each.name) for each in TABLE.keys if enabled_keys.TableConditions(seen).enables(each)}
    assert {name: found[name] for name in ("up", "down") if name in found} == told


PAGES = (
    *(Picker, NewTablePage, RulesPage, SettingsPage, StatisticsPage, RankingsPage, ArchivePage, ExportPage, ReplayPage),
    *(ReviewPage, PlayersPage, ScorePage, NamesPage, NewScoresPage, FileProblemsPage, PalettePage, LobbyPage),
    *(OpenTablePage, PeoplePage, OpenToOthersPage),
)


@pytest.mark.parametrize(
    ("scope", "owner"),
    [
        *[(page.SCOPE, page) for page in PAGES],
        *[(overlay.scope, overlay) for overlay in (Messages, PublicMessages, PasswordOverlay, LastDeal)],
        (TABLE, TableScreen),
    ],
    ids=lambda value: getattr(value, "where", ""),
)
def test_every_action_and_condition_exists(scope, owner):
    on_table = hasattr(owner, "scope") or owner is TableScreen
    owners = {"": TableScreen if on_table else owner, "table": TableKeys, "overlay": owner, "app": CardtableApp}
    conditions = enabled_keys.TableConditions if scope is TABLE else owner
    code = "".join(map(inspect.getsource, conditions.__mro__[:-1]))
    for key in scope.keys:
        prefix, name, _ = parse(key.action)
        assert hasattr(owners[prefix], f"action_{name}"), key
        condition = key.when.partition(".")[0]
        assert hasattr(conditions, condition) or f"self.{condition}" in code or not condition, key
