"""Text input: terminal editing keys in the model, on the canvas and on every page."""

import pytest
from rich.cells import cell_len

from cardtable.store import passwords
from cardtable.ui.app import CardtableApp
from cardtable.ui.keys.bindings import PALETTE
from cardtable.ui.keys.keymap import build_keymap
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.ui.toolkit.text_input import CLIPBOARD, TextInput, paint_text_input
from tests.ui.canvas_rendering import APPEARANCE
from tests.ui.driver import at_screen
from tests.ui.table_host import QUICK, create_session

PERSIAN = "می\u200cروم"
CODER = "👩\u200d💻"


@pytest.fixture(autouse=True)
def empty_clipboard():
    CLIPBOARD.text = ""


def create_input(text, *, masked=False, max_length=40):
    """Create an input from a text that marks the cursor with `|`; without one it is at the end."""
    before, _, after = text.partition("|")
    made = TextInput(max_length, before + after, masked=masked)
    made.cursor = len(before)
    return made


def format_input(made):
    return f"{made.text[: made.cursor]}|{made.text[made.cursor :]}"


@pytest.mark.parametrize(
    ("keys", "before", "after"),
    [
        ("backspace", "ab|cd", "a|cd"),
        ("ctrl+h", "ab|cd", "a|cd"),
        ("delete", "ab|cd", "ab|d"),
        ("ctrl+d", "ab|cd", "ab|d"),
        ("delete", "ab|", "ab|"),
        ("backspace", "|ab", "|ab"),
        ("home", "ab|cd", "|abcd"),
        ("ctrl+a", "ab|cd", "|abcd"),
        ("end", "ab|cd", "abcd|"),
        ("ctrl+e", "ab|cd", "abcd|"),
        ("left left right", "abc|", "ab|c"),
        ("ctrl+left", "one two|", "one |two"),
        ("alt+b alt+left", "one two three|", "one |two three"),
        ("ctrl+right", "|one two", "one| two"),
        ("alt+f alt+right", "|one two three", "one two| three"),
        ("ctrl+w", "one two|", "one |"),
        ("alt+backspace", "one two, |", "one |"),
        ("ctrl+backspace", "/home/anna|", "/home/|"),
        ("alt+d", "one| two", "one|"),
        ("ctrl+delete", "|one two", "| two"),
        ("ctrl+k", "one| two", "one|"),
        ("ctrl+u", "one| two", "|"),
        ("ctrl+u ctrl+v", "one| two", "one two|"),
        ("ctrl+w ctrl+y ctrl+y", "one|", "oneone|"),
        ("ctrl+k home ctrl+v", "one| two", " two|one"),
        ("shift+left shift+left delete", "abcd|", "ab|"),
        ("ctrl+shift+left ctrl+x home ctrl+v", "one two|", "two|one "),
        ("shift+home left", "ab|cd", "|abcd"),
        ("shift+home right", "ab|cd", "ab|cd"),
        ("shift+end backspace", "ab|cd", "ab|"),
        ("shift+left end backspace", "ab|cd", "abc|"),
        ("backspace", f"a{CODER}|", "a|"),
        ("left delete", f"a{CODER}b|", f"a{CODER}|"),
        ("left left delete", f"a{CODER}b|", "a|b"),
        ("left backspace", "x\u0301y|", "|y"),
        ("left left", "🇩🇪🇫🇷|", "|🇩🇪🇫🇷"),
        ("ctrl+left", f"سلام {PERSIAN}|", f"سلام |{PERSIAN}"),
    ],
)
def test_editing_keys(keys, before, after):
    made = create_input(before)
    for key in keys.split():
        made.edit(key)
    assert format_input(made) == after


def test_typing_replaces_selection():
    made = create_input("one two|")
    made.edit("ctrl+shift+left")
    assert made.handle_key("x", "x", None)
    assert format_input(made) == "one x|"


def test_masked_text_is_never_copied_and_has_no_words():
    for key in ("ctrl+u", "ctrl+w", "ctrl+k", "ctrl+x"):
        made = create_input("|", masked=True)
        made.insert("correct horse")
        made.edit("shift+home")
        made.edit(key)
        made.edit("ctrl+v")
        assert made.text == ""
    made = create_input("correct horse|", masked=True)
    made.edit("ctrl+left")
    assert made.cursor == 0
    assert set(made.visible_clusters) == {"•"}


def test_history_recall_restores_draft():
    made = TextInput(40, history=["first"])
    made.insert("second")
    made.add_to_history()
    made.insert("dra")
    assert [(made.edit("up"), made.text) for _ in range(3)] == [(True, "second"), (True, "first"), (False, "first")]
    made.insert("!")
    assert [(made.edit("down"), made.text) for _ in range(3)] == [(True, "second"), (True, "dra"), (False, "dra")]
    made.set_text("first")
    made.add_to_history()
    made.set_text("first")
    made.add_to_history()
    made.edit("up")
    assert (made.edit("up"), made.text) == (True, "second"), "a repeated text is in the history once"


def test_pastes_are_cleaned_and_cut():
    made = TextInput(12)
    assert made.insert("a\x1b[31m\r\nb\tc\x00\x9b")
    assert made.text == "a[31m b c"
    assert not made.insert("12345")
    assert made.text == "a[31m b c123"
    assert not made.insert("x" * 10**6)
    assert not made.insert("a" + "\u0301" * 10**6)
    assert made.text == "a[31m b c123"


def test_typed_text_is_nfc_with_joiners():
    made = TextInput(40)
    for char in ("e", "\u0301", " ", *PERSIAN, " ", *CODER):
        assert made.handle_key("key", char, None)
    assert made.text == f"é {PERSIAN} {CODER}"
    assert made.cursor == len(made.text)


@pytest.mark.parametrize("preset", ["default", "vim"])
def test_letters_are_typed_despite_key_bindings(preset):
    keys, _ = build_keymap(preset, {"rub_out": "f5", "clear": "f6", "up": "x", "leave": "ctrl+w"})
    made = TextInput(200)
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ?/=,.+-0123456789^$"
    for letter in letters:
        assert made.handle_key(letter, letter, keys.find(PALETTE, letter))
    assert made.text == letters
    assert made.handle_key("backspace", "\x7f", keys.find(PALETTE, "backspace"))
    assert made.text == letters[:-1], "Backspace keeps its meaning"
    assert made.handle_key("f5", None, keys.find(PALETTE, "f5"))
    assert made.text == letters[:-2]
    assert not made.handle_key("ctrl+w", "\x17", keys.find(PALETTE, "ctrl+w")), "the player's own key for leaving"
    assert made.handle_key("f6", None, keys.find(PALETTE, "f6"))
    assert made.text == ""


class TestPainting:
    @staticmethod
    def paint_input(made, width, **how):
        canvas = Canvas(width, 1, APPEARANCE)
        paint_text_input(canvas, 0, 0, width, made, "type", **how)
        return canvas

    @pytest.mark.parametrize(
        "text", ["abcdefghijkl", "王小明明" * 2, f"{PERSIAN} {PERSIAN}", CODER * 5, "x\u0301" * 12]
    )
    @pytest.mark.parametrize("width", [2, 3, 5, 8, 20])
    def test_cursor_is_visible_and_width_fits(self, text, width):
        made = TextInput(80, text)
        for cursor in made.list_boundaries():
            made.cursor = cursor
            canvas = self.paint_input(made, width)
            gold = [x for x, ground in enumerate(canvas.grounds[0]) if ground == APPEARANCE.theme.inks.gold]
            assert gold, (cursor, str(canvas))
            row = "".join(canvas.chars[0])
            assert cell_len(row) == sum(map(cell_len, row)) == width

    def test_end_of_long_text_is_shown_while_focused(self):
        assert str(self.paint_input(TextInput(80, "abcdefghijkl"), 6)) == "hijkl"
        assert str(self.paint_input(TextInput(80, "abcdefghijkl"), 6, has_focus=False)) == "abcde…"

    def test_password_is_painted_as_dots(self):
        assert str(self.paint_input(TextInput(80, "geheim", masked=True), 10)) == "••••••"


async def open_input(screen, keys):
    """Open a page by keys and return its text input."""
    await screen.press(keys)
    opened = screen.app.screen
    if isinstance(opened, Dialog):
        return opened._input
    if isinstance(opened, TableScreen):
        return opened.view.overlay.text_input
    await screen.wait_until(lambda: screen.page.text_input is not None)
    return screen.page.text_input


TEXT_INPUTS = {
    "palette": (None, "ctrl+p"),
    "archive": (None, "a /"),
    "new player": (None, "p n tab"),
    "password of a player": (None, "p n tab tab tab"),
    "name of a score table": (None, "c down down ctrl+u"),
    "nick at a new table": (None, "n down"),
    "talk": ("rikiki", "m"),
    "name of a table": ("resumed", "e"),
}


@pytest.mark.parametrize("input_name", TEXT_INPUTS)
async def test_every_input_has_terminal_keys(input_name, monkeypatch):
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))
    game, keys = TEXT_INPUTS[input_name]
    if game == "resumed":
        begun = create_session("rikiki", 11)
        begun.close()
        keys, game = f"home {keys}", None
    async with at_screen(CardtableApp(Preferences(QUICK), create_session(game, 11) if game else None)) as screen:
        if game:
            await screen.wait_until(lambda: screen.app.screen.frame.waiting)
        made = await open_input(screen, keys)
        made.clear()
        await screen.press(*"abcd", "home delete end backspace")
        assert made.text.casefold() == "bc"
        await screen.press("ctrl+a x ctrl+e y")
        assert made.text.casefold() == "xbcy"
        await screen.press("ctrl+u")
        assert made.text == ""
        await screen.paste("pas\nted")
        assert made.text.casefold() in ("pas ted", "pasted")
        await screen.press("ctrl+w ctrl+w")
        assert made.text == ""
        assert cell_len(screen.rows[0]) <= 80
