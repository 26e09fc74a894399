"""Key bindings: names, presets, rebinding, the key sheet, and keyboards of other alphabets."""

import re
from importlib import import_module
from inspect import signature
from pathlib import Path
from random import Random

import pytest
from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.actions import parse

from cardtable import ui
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.session.session_events import Stage
from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.game_view.hand_cursor import NO_CURSOR, CursorState
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.keys.bindings import LESSON_END, PALETTE, PICKER, QUESTION, SHARED_KEYS
from cardtable.ui.keys.keymap import DEFAULT_KEYMAP, PRESETS, SCOPES, build_keymap, find_binding_error, find_refusal
from cardtable.ui.keys.table_keys import TABLE
from cardtable.ui.table.input import TableKeys
from cardtable.ui.table.paint.table_widget import Overlay
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.terminal.input_parser import InputParser
from cardtable.ui.terminal.keyboard_layouts import LAYOUTS, US, find_us_key
from cardtable.ui.toolkit.overlay import build_key_groups
from cardtable.ui.toolkit.page import Page, find_key_name
from tests.ui.driver import sit_at
from tests.ui.table_host import create_session


def list_key_names(scope):
    return [key.name for key in scope.keys]


@pytest.mark.parametrize("preset", PRESETS)
def test_keys_are_unique_in_each_scope(preset):
    keys, complaints = build_keymap(preset)
    assert complaints == []
    for scope in SCOPES:
        assert len(list_key_names(scope)) == len(set(list_key_names(scope)))
        bound = [key for name in list_key_names(scope) for key in keys.format_all_labels([name]).split()]
        assert len(bound) == len(set(bound)), scope.location


def test_each_name_has_usual_keys_once():
    declared = [*SHARED_KEYS, *[key.name for scope in (*SCOPES, PALETTE, QUESTION) for key in scope.keys if key.keys]]
    assert len(declared) == len(set(declared))
    assert {name for scope in (*SCOPES, PALETTE, QUESTION) for name in list_key_names(scope)} == set(declared)


def test_texts_name_bound_keys():
    text = "{play} goes on, {switch} changes; {nobody} and {} stand"
    assert DEFAULT_KEYMAP.format_keys(text) == "Enter goes on, Tab changes; {nobody} and {} stand"
    keys, _ = build_keymap("default", {"play": "f5", "switch": "x tab"})
    assert keys.format_keys(text) == "F5 goes on, x changes; {nobody} and {} stand"


REBOUND_KEYS = {"play": "f5", "choose": "f6", "switch": "f7", "leave": "f8", "up": "f9", "down": "f10"}
"""Rebindings of keys that are named in texts."""
DEFAULT_LABELS = re.compile(r"\b(Enter|Space|Tab|Esc|Up|Down|F2)\b")


@pytest.mark.parametrize("key", GAMES)
def test_prompts_name_rebound_keys(key):
    game, shape, (keys, _) = GAMES[key], get_game_view(key), build_keymap("default", REBOUND_KEYS)
    seats = game.about.seats[0]
    labels = set()
    for seed in range(6):
        table, choose = Referee(game, seats, game.options(), seed), Random(seed)
        while table.turn != OVER and table.decisions < 400:
            if table.turn == CHANCE:
                table.advance()
                continue
            view = table.view(table.turn)
            box = shape.decision(view, ["You", "Ada", "Bo", "Cy", "Dee", "Eve"][:seats])
            cursors = [CursorState(option.action, in_box=True) for option in box.options] if box else []
            cursors += [CursorState(chosen=action.cards_used()) for action in view.legal if action.cards_used()]
            for at in (NO_CURSOR, *cursors):
                labels |= set(map(keys.format_keys, shape.prompt(view, at)))
            table.play(view.turn, choose.choice(view.legal))
    assert not [text for text in labels if DEFAULT_LABELS.search(text)]
    assert not [text for text in labels if "{" in text]


async def test_screens_name_rebound_keys():
    settings = Settings(robot_pace=0, trick_pause="key", animation=False, keys=REBOUND_KEYS)
    session, situations = create_session("rikiki", 11, people=2, length="short"), set()
    async with sit_at(session, settings=settings) as table:
        while Stage.ROUND_END not in situations:
            await table.wait_until(lambda: table.screen.controller.is_awaiting_input or table.frame.shows_trick)
            assert not DEFAULT_LABELS.search(table.text)
            situations |= {table.frame.stage, table.frame.shows_trick}
            await table.press("f5")
    assert situations == {Stage.CURTAIN, Stage.PLAY, Stage.ROUND_END, True, False}


def test_key_labels_are_readable():
    assert DEFAULT_KEYMAP.format_label("left right") == "←→"
    assert DEFAULT_KEYMAP.format_label("leave") == "Esc"
    assert DEFAULT_KEYMAP.format_label("0-9") == "0-9", "a text that is no key name is shown unchanged"
    assert DEFAULT_KEYMAP.format_all_labels(["take_back"]) == "u Ctrl+Z"
    assert DEFAULT_KEYMAP.format_all_labels(["left_any", "right_any"]) == "Shift←→"


def test_user_binding_displaces_later_default_key():
    keys, complaints = build_keymap("default", {"hint": "x", "sheet": "g"})
    assert complaints == []
    assert [keys.find(TABLE, key).name for key in ("x", "f4", "f8")] == ["hint", "explain_card", "coach"]
    assert find_refusal(DEFAULT_KEYMAP, "hint", "x") is None
    assert find_refusal(keys, "explain_card", "h m").startswith("m is already “messages and talk” (at the table")


CHOICE = "choose a character, ctrl+ a letter or a name such as f2"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"hint": "l"}, "keys: 'l' is both hint and previous_trick (at the table); hint stays 'h'"),
        ({"hints": "x"}, "keys: no key is called 'hints'; did you mean hint?"),
        ({"hint": "hyper+x"}, f"keys: hint cannot be 'hyper+x', which most terminals cannot send; {CHOICE}"),
        ({"hint": "x ctrl+m"}, f"keys: hint cannot be 'ctrl+m', which most terminals cannot tell from enter; {CHOICE}"),
        ({"hint": "7"}, f"keys: hint cannot be '7'; {CHOICE}"),
        ({"hint": ""}, f"keys: hint cannot be ''; {CHOICE}"),
    ],
)
def test_invalid_bindings_are_reported_and_ignored(changed, message):
    keys, complaints = build_keymap("default", changed)
    assert complaints == [message]
    assert keys.find(TABLE, "h").name == "hint"


def list_keys_of_xterm():
    """Return the keys that arrive from a terminal without the kitty keyboard protocol."""
    modified = [f"[1;{mask}{end}" for mask in range(2, 17) for end in "ABCDFHPQRS"]
    modified += [f"[{number};{mask}~" for mask in range(2, 17) for number in (2, 3, 5, 6, 13, 15, *range(17, 25))]
    sent = [*map(chr, range(128)), *ANSI_SEQUENCES_KEYS, *[f"\x1b{rest}" for rest in modified]]
    messages = [message for sequence in sent for message in InputParser().feed(sequence.encode(), 0)]
    return {find_key_name(message) for message in messages if isinstance(message, events.Key)}


KEY_NAMES = (
    *("left", "right", "up", "down", "home", "end", "pageup", "pagedown", "insert", "delete"),
    *("backspace", "tab", "enter", "space", "escape", *[f"f{number}" for number in range(1, 13)]),
)
PREFIXES = ("", "ctrl+", "shift+", "alt+", "ctrl+shift+", "shift+ctrl+", "alt+shift+", "super+", "hyper+")


@pytest.mark.parametrize("prefix", PREFIXES)
def test_key_is_bound_only_if_xterm_sends_it(prefix):
    sent = list_keys_of_xterm() - {"ctrl+@"}  # also sent for Ctrl+Space and Ctrl+2
    for last in (*KEY_NAMES, *filter(str.isprintable, map(chr, range(33, 127)))):
        key = prefix + last
        assert bool(find_binding_error("rename", key)) is (key not in sent or last.isdigit()), key


@pytest.mark.parametrize("key", ["ö", "²", "ctrl+ö", "ctrl+й", "ctrl+at", "ctrl+left_square_bracket"])
def test_key_of_other_keyboards_is_bound_only_without_ctrl(key):
    assert bool(find_refusal(DEFAULT_KEYMAP, "hint", key)) is (len(key) > 1)


def test_key_sheet_groups_enabled_keys():
    enabled = [TABLE.find(name) for name in ("left", "right", "hint")]
    groups = dict(build_key_groups(DEFAULT_KEYMAP, enabled, {"0-9": "your bid"}))
    moves = [("←→", "next playable card or option"), ("0-9", "your bid")]
    assert groups == {"Move": moves, "See": [("h", "hint and reasons")]}


def list_subclasses(base):
    """Return all subclasses of a class, direct and indirect."""
    return [each for direct in base.__subclasses__() for each in (direct, *list_subclasses(direct))]


def import_modules_with_keys():
    """Import each module of the screens that gives a page or an overlay its keys."""
    folder = Path(ui.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        if re.search(r"^    (SCOPE|scope) = ", path.read_text(encoding="utf-8"), re.MULTILINE):
            import_module(".".join(("cardtable.ui", *path.relative_to(folder).with_suffix("").parts)))


import_modules_with_keys()
OVERLAYS = [each for each in list_subclasses(Overlay) if "scope" in vars(each)]
PAGES = [each for each in list_subclasses(Page) if "SCOPE" in vars(each) and each.__module__.startswith("cardtable.")]
OWNERS = [*[(page.SCOPE, page) for page in PAGES], *[(each.scope, each) for each in OVERLAYS], (TABLE, TableScreen)]


@pytest.mark.parametrize(("scope", "owner"), OWNERS, ids=lambda value: getattr(value, "location", ""))
def test_every_action_exists(scope, owner):
    on_table = hasattr(owner, "scope") or owner is TableScreen
    owners = {"": TableScreen if on_table else owner, "table": TableKeys, "overlay": owner, "app": CardtableApp}
    for key in scope.keys:
        prefix, name, arguments = parse(key.action)
        signature(getattr(owners[prefix], f"action_{name}")).bind(owner, *arguments)


def test_settings_know_every_screen():
    assert {scope.location for scope, _ in OWNERS} - {scope.location for scope in SCOPES} == {PALETTE.location}


@pytest.mark.parametrize("scope", [PALETTE, QUESTION, LESSON_END], ids=lambda scope: scope.location)
def test_conflicts_of_unlisted_screens_are_found(scope):
    assert any(set(list_key_names(scope)) <= set(list_key_names(listed)) for listed in SCOPES)


@pytest.fixture(autouse=True)
def locale(monkeypatch):
    """An English locale; call the fixture to set another one."""
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    return lambda name: monkeypatch.setenv("LC_ALL", name)


def parse_key(sequence: str) -> str:
    """Return the one key of a sequence."""
    [key] = InputParser().feed(f"\x1b[{sequence}".encode(), 0.0)
    return key.key


def list_layout_keys(language: str, letters: str) -> list[tuple[str, str]]:
    """Return pairs of a layout's character and the US letter on the same key."""
    return [(LAYOUTS[language][US.index(letter)], letter) for letter in letters]


@pytest.mark.parametrize("language", LAYOUTS)
def test_layout_has_every_key_once(language):
    assert len(LAYOUTS[language]) == len(US) == len(set(LAYOUTS[language]))


@pytest.mark.parametrize("language", LAYOUTS)
def test_ctrl_with_base_layout_key(language):
    for character, letter in list_layout_keys(language, "qcpz"):
        assert parse_key(f"{ord(character)}::{ord(letter)};5u") == f"ctrl+{letter}"
        assert parse_key(f"{ord(character)}:{ord(character.upper()[0])}:{ord(letter)};69:1u") == f"ctrl+{letter}"
        assert parse_key(f"{ord(character)}::{ord(letter)};6u") == f"ctrl+shift+{letter}"
        assert parse_key(f"{ord(character)}::{ord(letter)};3u") == f"alt+{letter}"


@pytest.mark.parametrize("language", LAYOUTS)
def test_ctrl_without_base_layout_key(language, locale):
    locale(f"{language}_XX.UTF-8")
    for character, letter in list_layout_keys(language, "qcpz"):
        assert parse_key(f"{ord(character)};5u") == f"ctrl+{letter}"


@pytest.mark.parametrize("language", ["ru", "uk", "be", "kk", "el", "he", "ar", "ka", "hy", "th", "hi", "ko"])
def test_ctrl_with_another_locale(language):
    for character, letter in list_layout_keys(language, "qcp"):
        if not character.isascii():
            assert parse_key(f"{ord(character)};5u") == f"ctrl+{letter}"


@pytest.mark.parametrize(
    ("letter", "name"),
    [("р", "hint"), ("ь", "messages"), ("ы", "sheet"), ("с", "rest"), ("б", "settings"), ("λ", "previous_trick")],
)
def test_letter_finds_shortcut_at_its_place(letter, name):
    assert DEFAULT_KEYMAP.find(TABLE, letter).name == name


def test_bound_letter_takes_precedence():
    keys, complaints = build_keymap(changes={"sheet": "р"})
    assert complaints == []
    assert keys.find(TABLE, "р").name == "sheet"
    assert keys.find(TABLE, "h").name == "hint"


def test_locale_decides_between_layouts(locale):
    assert find_us_key("е") == "t"
    locale("sr_RS.UTF-8")
    assert find_us_key("е") == "e"
    locale("bg_BG")
    assert find_us_key("е") == "e"


@pytest.mark.parametrize("character", ["é", "ß", "§", "♠", "中", "", "ab"])
def test_no_key_of_another_alphabet(character):
    assert find_us_key(character) is None
    assert DEFAULT_KEYMAP.find(PICKER, character) is None
