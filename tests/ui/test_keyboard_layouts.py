"""Shortcuts on keyboards of other alphabets: the key at the same place of a US keyboard counts."""

import pytest

from cardtable.ui.keys.bindings import PICKER
from cardtable.ui.keys.keymap import DEFAULT_KEYMAP, build_keymap
from cardtable.ui.keys.table_keys import TABLE
from cardtable.ui.terminal.input_parser import InputParser
from cardtable.ui.terminal.keyboard_layouts import LAYOUTS, US, find_us_key
from tests.ui.driver import sit_at
from tests.ui.table_host import create_session


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
    ("code", "base", "key"),
    [("a", "q", "a"), ("q", "a", "q"), ("z", "y", "z"), ("é", "2", "2"), ("ö", ";", "semicolon")],
    ids=["AZERTY A", "AZERTY Q", "QWERTZ Z", "AZERTY 2", "QWERTZ Ö"],
)
def test_latin_layouts(code, base, key):
    assert parse_key(f"{ord(code)}::{ord(base)};5u") == f"ctrl+{key}"


def test_dvorak_punctuation_is_no_letter():
    assert parse_key(f"{ord(chr(39))}::{ord('q')};5u") == "ctrl+apostrophe"


def test_letter_of_legacy_alt():
    [key] = InputParser().feed("\x1bй".encode(), 0.0)
    assert key.key == "alt+q"


@pytest.mark.parametrize(
    ("letter", "name"),
    [("р", "hint"), ("ь", "messages"), ("ы", "sheet"), ("с", "rest"), ("б", "settings"), ("λ", "previous_trick")],
)
def test_letter_finds_shortcut_at_its_place(letter, name):
    assert DEFAULT_KEYMAP.find(TABLE, letter).name == name


def test_capital_letter_of_another_alphabet():
    vim, _ = build_keymap("vim")
    assert vim.find(TABLE, "Р").name == "hint"
    assert DEFAULT_KEYMAP.find(TABLE, "Р") is None
    assert find_us_key("Б") is None


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


async def test_letter_in_a_line_is_typed():
    async with sit_at(create_session("rikiki")) as table:
        await table.press("ь")
        await table.sees("Type a message")
        await table.press("ь й")
        assert table.overlay.text_input.text == "ьй"


@pytest.mark.parametrize("digit", ["1", "۱", "١", "१"])
async def test_digit_of_another_script_bids(digit):
    async with sit_at(create_session("rikiki")) as table:
        await table.press(digit)
        assert table.frame.option == 1
