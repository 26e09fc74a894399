"""Keys: what they are called, which are chosen, and what cannot be chosen."""

import pytest
from textual.actions import parse

from cardtable.ui.app import CardtableApp
from cardtable.ui.key_sheet import sheet
from cardtable.ui.keys import (
    DEFAULT,
    LAST_DEAL,
    MESSAGES,
    NEW_TABLE,
    PICKER,
    PRESETS,
    RULES,
    SCOPES,
    SETTINGS,
    TABLE,
    USUAL,
    keymap,
)
from cardtable.ui.last_deal import LastDeal
from cardtable.ui.screens.new_table import NewTablePage
from cardtable.ui.screens.picker import Picker
from cardtable.ui.screens.rules import RulesPage
from cardtable.ui.screens.settings import SettingsPage
from cardtable.ui.screens.table import TableScreen
from cardtable.ui.talking import Messages


def names(scope):
    return [key.name for key in scope]


@pytest.mark.parametrize("preset", PRESETS)
def test_no_key_does_two_things_on_a_screen(preset):
    keys, complaints = keymap(preset)
    assert complaints == []
    for where, scope in SCOPES.items():
        bound = [key for name in names(scope) for key in keys.every([name]).split()]
        assert len(bound) == len(set(bound)), where


def test_every_name_is_used_on_some_screen_once():
    for scope in SCOPES.values():
        assert len(names(scope)) == len(set(names(scope)))
        assert set(names(scope)) <= set(USUAL)


def test_a_key_is_found_by_what_is_pressed():
    assert DEFAULT.find(TABLE, "h").name == "hint"
    assert DEFAULT.find(TABLE, "ctrl+z").name == "take_back"
    assert DEFAULT.find(TABLE, "?").name == "help"
    assert DEFAULT.find(TABLE, "x") is None


def test_labels_are_what_people_call_keys():
    assert DEFAULT.label("left right") == "←→"
    assert DEFAULT.label("leave") == "Esc"
    assert DEFAULT.label("0-9") == "0-9", "what is no name stands for itself"
    assert DEFAULT.every(["take_back"]) == "u Ctrl+Z"
    assert DEFAULT.every(["left_any", "right_any"]) == "Shift←→"


def test_vi_moves_with_letters_and_ranks_are_capitals():
    vim, _ = keymap("vim")
    assert [vim.find(TABLE, key).name for key in "hjklJKH"] == ["left", "down", "up", "right", "jack", "king", "hint"]


def test_keys_can_be_exchanged():
    keys, complaints = keymap("default", {"hint": "l", "last_trick": "h"})
    assert complaints == []
    assert keys.find(TABLE, "l").name == "hint"
    assert keys.find(TABLE, "h").name == "last_trick"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"hint": "l"}, "keys: 'l' is both hint and last_trick at the table; hint stays 'h'"),
        ({"hints": "x"}, "keys: there is no 'hints'"),
        ({"hint": "hyper+x"}, "keys: hint cannot be 'hyper+x': no such key can be chosen"),
        ({"hint": "7"}, "keys: hint cannot be '7': no such key can be chosen"),
        ({"hint": ""}, "keys: hint cannot be '': no such key can be chosen"),
    ],
)
def test_what_cannot_be_chosen_is_named_and_left_out(changed, said):
    keys, complaints = keymap("default", changed)
    assert complaints == [said]
    assert keys.find(TABLE, "h").name == "hint"


def test_the_key_sheet_has_what_works_and_joins_what_is_alike():
    groups = dict(sheet(DEFAULT, TABLE, lambda key: key.name in ("left", "right", "hint"), {"0-9": "your bid"}))
    assert groups == {"Move": [("←→", "legal card, or choice"), ("0-9", "your bid")], "See": [("h", "hint and reason")]}


@pytest.mark.parametrize(
    ("scope", "screen", "cover"),
    [
        (PICKER, Picker, None),
        (NEW_TABLE, NewTablePage, None),
        (RULES, RulesPage, None),
        (SETTINGS, SettingsPage, None),
        (TABLE, TableScreen, None),
        (MESSAGES, TableScreen, Messages),
        (LAST_DEAL, TableScreen, LastDeal),
    ],
)
def test_every_key_does_an_action_that_there_is(scope, screen, cover):
    owners = {"": screen, "cover": cover, "app": CardtableApp}
    for key in scope:
        owner, name, _ = parse(key.does)
        assert hasattr(owners[owner], f"action_{name}"), key
