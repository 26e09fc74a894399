"""Players page by keys and mouse, and the signed-in player on other screens."""

import re
from contextlib import asynccontextmanager

import msgspec
import pytest

from cardtable.store import passwords, paths, profiles, summaries
from cardtable.store.errors import FileError
from cardtable.store.profiles import Transaction
from cardtable.ui.app import CardtableApp
from cardtable.ui.new_table import NewTableForm
from cardtable.ui.players import PlayersPage
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.preferences import Preferences
from tests.ui.driver import LARGE, SMALL, at_screen
from tests.ui.table_host import QUICK

pytestmark = pytest.mark.usefixtures("in_process_statistics")


@pytest.fixture(autouse=True)
def cheap(monkeypatch):
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))


def forget_entered_passwords(monkeypatch):
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())


@pytest.fixture
def locked_anna(monkeypatch):
    """Register Anna with a password that has not been entered in this run."""
    profiles.register("Anna", password="sesame77", again="sesame77")
    forget_entered_passwords(monkeypatch)


def add_transaction(nick, reason, change, at="2026-11-20T12:00:00Z"):
    profile = profiles.find(nick)
    longer = msgspec.structs.replace(profile, ledger=(*profile.ledger, Transaction(at, "x", reason, change)))
    profiles.PROFILES.update(lambda store: store.with_profile(longer))


def open_program(size=SMALL):
    """Start the program with its picker."""
    return at_screen(CardtableApp(Preferences(msgspec.structs.replace(QUICK, key_guard=0))), size)


async def press_p(screen):
    """Open the page by its key in the picker."""
    await screen.press("p")
    await screen.is_at(PlayersPage)
    return screen.page


@asynccontextmanager
async def open_players(size=SMALL):
    """Open the page; yield the driver and the page."""
    async with open_program(size) as screen:
        yield screen, await press_p(screen)


async def wait_for_nick(screen, nick):
    """Wait until this player is signed in."""
    await screen.wait_until(lambda: profiles.get_current_nick() == screen.app.context.nick == nick)


async def fill_form(screen, *lines):
    """Type into the rows of a form and press Enter."""
    for number, line in enumerate(lines):
        await screen.press(*(["tab"] if number else []), *line)
    await screen.press("enter")


async def test_players_page_golden():
    profiles.register("Tom")
    profiles.register("Anna", "Anna Katharina", "anna@example.org", "sesame77", "sesame77")
    for reason, change in (("stake", -50), ("won", 200), ("stake", -1000), ("lost", 0), ("gift", 0)):
        add_transaction("Anna", reason, change)
    async with open_players() as (screen, _):
        await screen.check_golden_in_sizes("players")


async def test_new_player_form_golden():
    async with open_players() as (screen, _):
        await screen.check_golden_in_sizes("players_none")
        await screen.press("n")
        await fill_form(screen, "Anna", "Anna B", "nowhere", "sesame77", "sesame77")
        await screen.check_golden_in_sizes("players_wrong")


async def test_field_is_checked_when_left_then_at_each_key():
    profiles.register("Tom")
    async with open_players() as (screen, page):
        await screen.press("n", *"Tom")
        assert not page.form.message, "no error while a field is typed for the first time"
        await screen.press("tab")
        assert page.form.message == "There is already a player Tom; choose another nick"
        await screen.press("tab", *"nowhere", "tab")
        assert page.form.errors["email"] == "Enter an e-mail address like anna@example.org"
        await screen.press("shift+tab", *"@example.")
        assert page.form.message == "Enter an e-mail address like anna@example.org"
        await screen.press("o")
        assert list(page.form.errors) == ["nick"]
        assert "There is already a player Tom" in screen.text, "other errors are still shown"
        await screen.press("down", *"two words", "tab", *"sesame77", "tab")
        assert page.form.errors["password"] == "A password has no spaces"
        assert page.form.cursor == "nick", "Tab goes from the last field to the first"
        await screen.press("m")
        assert "nick" not in page.form.errors


async def test_ledger_adds_up_to_balance():
    profiles.register("Anna")
    for number in range(30):
        add_transaction("Anna", "won" if number % 3 else "stake", 150 if number % 3 else -50)
    async with open_players() as (screen, _):
        seen = {}
        for _ in range(8):
            text = screen.text
            first, count = map(int, re.search(r"Ledger +(\d+) to \d+ of (\d+)", text).groups())
            changes = re.findall(r"(?:stake|pot won|starting credits) +([+−]\d+)", text.partition("Ledger")[2])
            seen |= dict(enumerate(changes, first))
            await screen.press("pagedown")
        await screen.press("pageup " * 8)
        assert re.search(r"Ledger +1 to", screen.text)
        assert len(seen) == count == 31
        assert sum(int(change.replace("−", "-")) for change in seen.values()) == profiles.find("Anna").credits


async def test_registration_signs_in_everywhere():
    async with open_players() as (screen, _):
        await screen.press("n")
        await fill_form(screen, "Anna", "", "", "sesame77", "sesame77")
        await wait_for_nick(screen, "Anna")
        assert "sesame77" not in screen.text
        await screen.sees("• Anna")
        await screen.press("escape")
        assert " Anna   " in screen.rows[0]
        assert screen.app.context.nick == "Anna"
        await screen.press("enter")
        await screen.is_at(TableScreen)
        assert "Anna" in [occupant.name for occupant in screen.app.screen.session.header.seats]


@pytest.mark.parametrize(
    ("lines", "message", "at"),
    [
        (["Tom"], "There is already a player Tom; choose another nick", "nick"),
        (["Ada"], "A robot has that name; choose another nick", "nick"),
        (["Anna", "", "nowhere"], "Enter an e-mail address like", "email"),
        (["Anna", "", "", "sesame77", "Sesame"], "The two passwords differ; type the same one twice", "again"),
    ],
)
async def test_invalid_field_is_explained_and_focused(lines, message, at):
    profiles.register("Tom")
    before = paths.profiles_file().read_bytes()
    async with open_players() as (screen, page):
        await screen.press("n")
        await fill_form(screen, *lines)
        assert page.form.message.startswith(message)
        await screen.sees(message[:20])
        assert page.form.cursor == at
        assert paths.profiles_file().read_bytes() == before
        await screen.press("escape escape")
        assert page.form is not None, "Escape keeps a partly filled form"
        await screen.press("escape enter")
        assert page.form is None


async def test_sign_in_asks_password_once(locked_anna):
    profiles.register("Tom")
    async with open_players() as (screen, page):
        assert page.model.nick == "Tom"
        await screen.press("home enter")
        await fill_form(screen, "wrong")
        await screen.sees("That is not the password")
        assert profiles.get_current_nick() == "Tom"
        await fill_form(screen, "sesame77")
        await wait_for_nick(screen, "Anna")
        await screen.press("down enter")
        await wait_for_nick(screen, "Tom")
        await screen.press("home enter")
        await wait_for_nick(screen, "Anna")
        await screen.press("down down enter")
        await wait_for_nick(screen, "Guest")


async def test_name_and_password_change(locked_anna, monkeypatch):
    async with open_players() as (screen, page):
        await screen.press("e tab")
        await fill_form(screen, "Anna B", "a@example.org", "wrong")
        assert profiles.find("Anna").name == "", "the wrong password changes nothing"
        await screen.press(*"sesame77", "enter")
        await screen.wait_until(lambda: profiles.find("Anna").name == "Anna B")
        await screen.press("w")
        await fill_form(screen, "no", "open7777", "open7777")
        assert page.form.cursor == "old"
        await fill_form(screen, "sesame77")
        await screen.wait_until(lambda: page.form is None)
        forget_entered_passwords(monkeypatch)
        assert profiles.verify_password("Anna", "open7777") is None


async def test_password_removal_is_its_own_choice_and_needs_two_answers(locked_anna):
    async with open_players() as (screen, page):
        await screen.press("w", *"sesame77", "enter")
        await screen.wait_until(lambda: "No new password was typed, so nothing has changed" in page.form.message)
        await screen.press("down down enter")
        await screen.sees("Anybody at this computer can then play as Anna.")
        await screen.press("escape enter")
        assert profiles.find("Anna").password, "the question was answered with no, and is open again"
        await screen.press("enter")
        await screen.wait_until(lambda: page.form is None)
        assert profiles.find("Anna").password is None


async def test_password_removal_needs_the_password(locked_anna):
    async with open_players() as (screen, page):
        await screen.press("w", *"wrong", "up enter enter")
        await screen.wait_until(lambda: page.form.message == "That is not the password")
        assert (page.form.cursor, bool(profiles.find("Anna").password)) == ("old", True)


async def test_password_is_tried_only_with_valid_fields(locked_anna):
    async with open_players() as (screen, page):
        await screen.press("e ctrl+u", *"1st", "enter")
        assert page.form.message.startswith("A nick starts with a letter")
        await screen.press("ctrl+u", *"Tom", "enter")
        for _ in range(passwords.ATTEMPTS_BEFORE_DELAY + 1):
            await screen.press("enter")
            await screen.wait_until(lambda: page.form.message == "The password is needed")
        await screen.press(*"sesame77", "enter")
        await screen.wait_until(lambda: profiles.find("Tom"))


async def test_password_frequency_is_changed_by_its_owner():
    profiles.register("Tom")
    profiles.register("Anna", password="sesame77", again="sesame77")
    async with open_players() as (screen, page):
        await screen.sees("asked every turn")
        await screen.press("o")
        await fill_form(screen, "wrong")
        await screen.wait_until(lambda: page.form.errors)
        assert not profiles.find("Anna").ask_once
        await fill_form(screen, "sesame77")
        await screen.wait_until(lambda: profiles.find("Anna").ask_once)
        await screen.sees("asked once")
        await screen.press("o")
        await screen.wait_until(lambda: not profiles.find("Anna").ask_once)
        await screen.press("down o")
        assert page.form is None, "the option needs a password, and Tom has none"


async def test_nick_change_updates_all_screens():
    profiles.register("Tom")
    profiles.register("Anna")
    async with open_players() as (screen, page):
        await screen.press("e", *["backspace"] * 4, *"Tom", "tab")
        assert page.form.message == "There is already a player Tom; choose another nick"
        await screen.press("up", *["backspace"] * 3, *"Berta", "enter")
        await wait_for_nick(screen, "Berta")
        assert page.model.line.name == "Berta"
        await screen.sees("• Berta")
        await screen.press("escape")
        assert " Berta   " in screen.rows[0]


@pytest.mark.parametrize("password", ["", "sesame77"])
async def test_removal_needs_two_confirmations(password, monkeypatch):
    profiles.register("Anna", password=password, again=password)
    forget_entered_passwords(monkeypatch)
    async with open_players() as (screen, _):
        for keys in ("d escape", "d enter escape"):
            await screen.press(keys)
            await screen.is_at(PlayersPage)
        assert profiles.find("Anna")
        await screen.press("d")
        await screen.reads("Sessions stay")
        await screen.press("enter")
        await screen.sees("Really remove Anna?")
        await screen.press("enter")
        assert profiles.find("Anna"), "Enter pressed twice removes nobody"
        await screen.press(*"wrong", "enter")
        await screen.sees(f"That is not the {'password' if password else 'nick'}")
        assert profiles.find("Anna")
        await screen.press(*(password or "Anna"), "enter")
        await screen.wait_until(lambda: profiles.find("Anna") is None)
        await wait_for_nick(screen, "Guest")
        assert "Anna" not in screen.text


async def test_damaged_profiles_file_is_reported_and_unchanged():
    paths.create_folder(paths.home())
    paths.profiles_file().write_bytes(b'{"profiles":1,"[red]":')
    async with open_program(LARGE) as screen:
        await screen.sees("truncated")
        await screen.press("enter")
        page = await press_p(screen)
        await screen.sees("truncated")
        await screen.press("n")
        await fill_form(screen, "Anna")
        assert "profiles.json" in page.form.message
        await screen.press("escape enter escape enter")
        await screen.is_at(TableScreen)
        assert paths.profiles_file().read_bytes() == b'{"profiles":1,"[red]":'


async def test_sign_in_works_for_this_run_if_saving_fails(monkeypatch):
    profiles.register("Anna")
    profiles.register("Tom")

    def fails(_how):
        raise FileError(paths.profiles_file(), "No space left on device")

    monkeypatch.setattr(profiles.PROFILES, "update", fails)
    async with open_players() as (screen, page):
        await screen.press("home enter")
        await screen.wait_until(lambda: page.model.nick == "Anna")
        assert screen.app.context.nick == "Anna"
        assert profiles.get_current_nick() == "Tom"


async def play_and_leave(screen):
    """Open a table and leave it again, with the picker's line for it under the cursor."""
    await screen.press("enter")
    await screen.wait_until(lambda: isinstance(screen.app.screen, TableScreen) and screen.app.screen.frame.waiting)
    await screen.press("escape")
    await screen.sees("Continue:")


async def test_picker_hides_hand_of_player_with_password(monkeypatch):
    profiles.register("Anna", password="sesame77", again="sesame77")
    async with open_program() as screen:
        await play_and_leave(screen)
        assert screen.page.model.preview.hand
        forget_entered_passwords(monkeypatch)
    async with open_program() as screen:
        await screen.sees("Continue:")
        preview = screen.page.model.preview
        assert (preview.hand, preview.backs) == ((), 1)


async def start_stake_table(screen):
    """Start Ten Down with a stake of 50 credits from a new table."""
    await screen.press("n")
    await screen.sees("New table")
    table = screen.app.context.get_page_state(NewTableForm)
    table.game_key = "ten_down"
    table.rules["ten_down"] = {"room": 50}
    await screen.press("end enter")


async def test_stakes_need_password_and_profile(monkeypatch):
    async with open_program(LARGE) as screen:
        await start_stake_table(screen)
        await screen.sees("Guest has no credits to stake")
    profiles.register("Anna", password="sesame77", again="sesame77")
    forget_entered_passwords(monkeypatch)
    async with open_program(LARGE) as screen:
        await start_stake_table(screen)
        await screen.sees("The password of Anna")
        await screen.press(*"wrong", "enter")
        await screen.sees("That is not")
        assert profiles.find("Anna").credits == 1000
        assert not summaries.list_unfinished()
        await screen.sees("The password of Anna")
        await screen.press(*"sesame77")
        assert "sesame77" not in screen.text
        await screen.press("enter")
        await screen.is_at(TableScreen)
        assert profiles.find("Anna").credits == 950


async def test_ledger_with_impossible_date():
    profiles.register("Anna")
    add_transaction("Anna", "stake", -10, at="2026-99-99T12:00:00Z")
    add_transaction("Anna", "stake", -10, at="9999-12-31T23:59:59Z")
    async with open_players(LARGE) as (screen, _):
        await screen.sees("no date stake")
