"""Players page by keys and mouse, and the signed-in player on other screens."""

import re

import pytest

from cardtable.store import credit_ledger, passwords, paths, profiles, summaries
from cardtable.store.errors import FileError
from cardtable.store.profiles import Transaction
from cardtable.ui.app import CardtableApp
from cardtable.ui.new_table import NewTableForm
from cardtable.ui.players import PlayersPage
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.preferences import Preferences
from tests.golden_files import check_golden
from tests.ui.bursts import key_event, send
from tests.ui.current_screen import is_shown
from tests.ui.screen_text import screen_text
from tests.ui.table_host import QUICK, wait_until

pytestmark = pytest.mark.usefixtures("in_process_statistics")

SMALL, LARGE, TINY = (80, 24), (120, 40), (60, 18)


@pytest.fixture(autouse=True)
def cheap(monkeypatch):
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))


def forget_entered_passwords(monkeypatch):
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())


def add_transaction(nick, reason, change, at="2026-11-20T12:00:00Z"):
    profile = profiles.find(nick)
    profiles.PROFILES.update(
        lambda store: credit_ledger._add_transactions(store, profile, [Transaction(at, "x", reason, change)])
    )


def create_app():
    return CardtableApp(Preferences(QUICK))


async def open_players_page(pilot):
    """Open the page by its key in the picker."""
    await pilot.press("p")
    await wait_until(pilot, lambda: is_shown(pilot.app, PlayersPage))
    await pilot.pause()
    return pilot.app.screen.page


async def fill_form(pilot, *lines):
    """Type into the rows of a form and press Enter."""
    for number, line in enumerate(lines):
        await pilot.press(*(["tab"] if number else []), *line)
    await pilot.press("enter")
    await pilot.pause()


async def click(pilot, text):
    rows = screen_text(pilot.app).split("\n")
    x, y = next((row.index(text), y) for y, row in enumerate(rows) if text in row and y > 2)
    await pilot.click(offset=(x, y))
    await pilot.pause()


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_players_page_golden(size):
    profiles.register("Tom")
    profiles.register("Anna", "Anna Katharina", "anna@example.org", "sesame77", "sesame77")
    for reason, change in (("stake", -50), ("won", 200), ("stake", -1000), ("lost", 0), ("gift", 0)):
        add_transaction("Anna", reason, change)
    async with create_app().run_test(size=size) as pilot:
        await open_players_page(pilot)
        check_golden(f"players_{size[0]}x{size[1]}.txt", screen_text(pilot.app))


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_new_player_form_golden(size):
    async with create_app().run_test(size=size) as pilot:
        await open_players_page(pilot)
        check_golden(f"players_none_{size[0]}x{size[1]}.txt", screen_text(pilot.app))
        await pilot.press("n")
        await fill_form(pilot, "Anna", "Anna B", "nowhere", "sesame77", "sesame77")
        check_golden(f"players_wrong_{size[0]}x{size[1]}.txt", screen_text(pilot.app))


async def test_field_is_checked_when_left_then_at_each_key():
    profiles.register("Tom")
    async with create_app().run_test(size=SMALL) as pilot:
        page = await open_players_page(pilot)
        await pilot.press("n", *"Tom")
        assert not page.form.message, "no error while a field is typed for the first time"
        await pilot.press("tab")
        assert page.form.message == "There is already a player Tom; choose another nick"
        await pilot.press("tab", *"nowhere", "tab")
        assert page.form.errors["email"] == "Enter an e-mail address like anna@example.org"
        await pilot.press("shift+tab", *"@example.")
        assert page.form.message == "Enter an e-mail address like anna@example.org"
        await pilot.press("o")
        assert list(page.form.errors) == ["nick"]
        assert "There is already a player Tom" in screen_text(pilot.app), "other errors are still shown"
        await pilot.press("down", *"two words", "tab", *"sesame77", "tab")
        assert page.form.errors["password"] == "A password has no spaces"
        assert page.form.cursor == "nick", "Tab goes from the last field to the first"
        await pilot.press("m")
        assert "nick" not in page.form.errors


async def test_ledger_adds_up_to_balance():
    profiles.register("Anna")
    for number in range(30):
        add_transaction("Anna", "won" if number % 3 else "stake", 150 if number % 3 else -50)
    async with create_app().run_test(size=SMALL) as pilot:
        await open_players_page(pilot)
        seen = {}
        for _ in range(8):
            text = screen_text(pilot.app)
            first, count = map(int, re.search(r"Ledger +(\d+) to \d+ of (\d+)", text).groups())
            changes = re.findall(r"(?:stake|pot won|starting credits) +([+−]\d+)", text.partition("Ledger")[2])
            seen |= dict(enumerate(changes, first))
            await pilot.press("pagedown")
        assert len(seen) == count == 31
        assert sum(int(change.replace("−", "-")) for change in seen.values()) == profiles.find("Anna").credits


async def test_registration_signs_in_everywhere():
    async with create_app().run_test(size=SMALL) as pilot:
        await open_players_page(pilot)
        await pilot.press("n")
        await fill_form(pilot, "Anna", "", "", "sesame77", "sesame77")
        await wait_until(pilot, lambda: profiles.get_current_nick() == "Anna")
        await pilot.pause()
        assert "sesame77" not in screen_text(pilot.app)
        assert "• Anna" in screen_text(pilot.app)
        await pilot.press("escape")
        await pilot.pause()
        assert " Anna   " in screen_text(pilot.app).split("\n")[0]
        assert pilot.app.context.nick == "Anna"
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, TableScreen))
        assert "Anna" in [occupant.name for occupant in pilot.app.screen.session.header.seats]


@pytest.mark.parametrize(
    ("lines", "message", "at"),
    [
        (["Tom"], "There is already a player Tom; choose another nick", "nick"),
        (["Annabella"], "A nick is one word of 3 to 8 letters", "nick"),
        (["tom"], "There is already a player Tom; choose another nick", "nick"),
        (["1st"], "A nick starts with a letter", "nick"),
        (["Ada"], "A robot has that name; choose another nick", "nick"),
        (["Anna", "", "nowhere"], "Enter an e-mail address like", "email"),
        (["Anna", "", "", "sesame77", "Sesame"], "The two passwords differ; type the same one twice", "again"),
    ],
)
async def test_invalid_field_is_explained_and_focused(lines, message, at):
    profiles.register("Tom")
    before = paths.profiles_file().read_bytes()
    async with create_app().run_test(size=SMALL) as pilot:
        page = await open_players_page(pilot)
        await pilot.press("n")
        await fill_form(pilot, *lines)
        assert page.form.message.startswith(message)
        assert message[:20] in screen_text(pilot.app)
        assert page.form.cursor == at
        assert paths.profiles_file().read_bytes() == before
        await pilot.press("escape", "escape")
        assert page.form is not None, "Escape keeps a partly filled form"
        await pilot.press("escape", "enter")
        assert page.form is None


async def test_untouched_form_closes_without_question():
    async with create_app().run_test(size=SMALL) as pilot:
        page = await open_players_page(pilot)
        await pilot.press("n", "down", "up", "escape")
        assert page.form is None


async def test_wrong_repetition_leaves_first_password():
    async with create_app().run_test(size=SMALL) as pilot:
        page = await open_players_page(pilot)
        await pilot.press("n")
        await fill_form(pilot, "Anna", "", "", "sesame77", "Sesame")
        assert [page.form.get_text(name) for name in ("password", "again")] == ["sesame77", ""]
        await fill_form(pilot, "sesame77")
        await wait_until(pilot, lambda: profiles.get_current_nick() == "Anna")


async def test_sign_out_only_after_sign_in():
    profiles.register("Anna")
    profiles.sign_in(None)
    async with create_app().run_test(size=SMALL) as pilot:
        page = await open_players_page(pilot)
        assert page.model.line.name == "Guest"
        assert "Enter" not in screen_text(pilot.app).split("\n")[-1]
        await pilot.press("up")
        assert "Enter sign in" in screen_text(pilot.app)
        await pilot.press("enter")
        await wait_until(pilot, lambda: page.model.nick == "Anna")
        await pilot.pause()
        await pilot.press("down")
        assert "Enter sign out" in screen_text(pilot.app)
        await pilot.press("up")
        assert "Enter sign out" in screen_text(pilot.app)
        await pilot.press("enter")
        await wait_until(pilot, lambda: page.model.nick == "Guest")
        assert profiles.load()[0].signed_in is None


async def test_sign_in_asks_password_once(monkeypatch):
    profiles.register("Anna", password="sesame77", again="sesame77")
    profiles.register("Tom")
    forget_entered_passwords(monkeypatch)
    async with create_app().run_test(size=SMALL) as pilot:
        page = await open_players_page(pilot)
        assert page.model.nick == "Tom"
        await pilot.press("home", "enter")
        await fill_form(pilot, "wrong")
        assert "That is not the password" in screen_text(pilot.app)
        assert profiles.get_current_nick() == "Tom"
        await fill_form(pilot, "sesame77")
        await wait_until(pilot, lambda: profiles.get_current_nick() == "Anna")
        await pilot.press("down", "enter")
        await wait_until(pilot, lambda: profiles.get_current_nick() == "Tom")
        await pilot.press("home", "enter")
        await wait_until(pilot, lambda: profiles.get_current_nick() == "Anna")
        await pilot.press("down", "down", "enter")
        await wait_until(pilot, lambda: profiles.get_current_nick() == "Guest")


async def test_name_and_password_change(monkeypatch):
    profiles.register("Anna", password="sesame77", again="sesame77")
    forget_entered_passwords(monkeypatch)
    async with create_app().run_test(size=SMALL) as pilot:
        page = await open_players_page(pilot)
        await pilot.press("e", "tab")
        await fill_form(pilot, "Anna B", "a@example.org", "wrong")
        assert profiles.find("Anna").name == "", "the wrong password changes nothing"
        await pilot.press(*"sesame77", "enter")
        await wait_until(pilot, lambda: profiles.find("Anna").name == "Anna B")
        await pilot.press("w")
        await fill_form(pilot, "no", "open7777", "open7777")
        assert page.form.cursor == "old"
        await fill_form(pilot, "sesame77")
        await wait_until(pilot, lambda: page.form is None)
        forget_entered_passwords(monkeypatch)
        assert profiles.verify_password("Anna", "open7777") is None


async def test_password_removal_is_its_own_choice_and_needs_two_answers(monkeypatch):
    profiles.register("Anna", password="sesame77", again="sesame77")
    forget_entered_passwords(monkeypatch)
    async with create_app().run_test(size=SMALL) as pilot:
        page = await open_players_page(pilot)
        await pilot.press("w", *"sesame77", "enter")
        await wait_until(pilot, lambda: "No new password was typed, so nothing has changed" in page.form.message)
        await pilot.press("down", "down", "enter")
        await wait_until(pilot, lambda: "Anybody at this computer can then play as Anna." in screen_text(pilot.app))
        await pilot.press("escape", "enter")
        assert profiles.find("Anna").password, "the question was answered with no, and is open again"
        await pilot.press("enter")
        await wait_until(pilot, lambda: page.form is None)
        assert profiles.find("Anna").password is None


async def test_password_removal_needs_the_password(monkeypatch):
    profiles.register("Anna", password="sesame77", again="sesame77")
    forget_entered_passwords(monkeypatch)
    async with create_app().run_test(size=SMALL) as pilot:
        page = await open_players_page(pilot)
        await pilot.press("w", *"wrong", "up", "enter", "enter")
        await wait_until(pilot, lambda: page.form.message == "That is not the password")
        assert (page.form.cursor, bool(profiles.find("Anna").password)) == ("old", True)


async def test_password_is_tried_only_with_valid_fields(monkeypatch):
    profiles.register("Anna", password="sesame77", again="sesame77")
    forget_entered_passwords(monkeypatch)
    async with create_app().run_test(size=SMALL) as pilot:
        page = await open_players_page(pilot)
        await pilot.press("e", "ctrl+u", *"1st", "enter")
        assert page.form.message.startswith("A nick starts with a letter")
        await pilot.press("ctrl+u", *"Tom", "enter")
        for _ in range(passwords.ATTEMPTS_BEFORE_DELAY + 1):
            await pilot.press("enter")
            await wait_until(pilot, lambda: page.form.message == "The password is needed")
        await pilot.press(*"sesame77", "enter")
        await wait_until(pilot, lambda: profiles.find("Tom"))


async def test_password_frequency_is_changed_by_its_owner():
    profiles.register("Tom")
    profiles.register("Anna", password="sesame77", again="sesame77")
    async with create_app().run_test(size=SMALL) as pilot:
        page = await open_players_page(pilot)
        assert "asked every turn" in screen_text(pilot.app)
        await pilot.press("o")
        await fill_form(pilot, "wrong")
        await wait_until(pilot, lambda: page.form.errors)
        assert not profiles.find("Anna").ask_once
        await fill_form(pilot, "sesame77")
        await wait_until(pilot, lambda: profiles.find("Anna").ask_once)
        await wait_until(pilot, lambda: "asked once" in screen_text(pilot.app))
        await pilot.press("o")
        await wait_until(pilot, lambda: not profiles.find("Anna").ask_once)
        await pilot.press("down", "o")
        assert page.form is None, "the option needs a password, and Tom has none"


async def test_nick_change_updates_all_screens():
    profiles.register("Tom")
    profiles.register("Anna")
    async with create_app().run_test(size=SMALL) as pilot:
        page = await open_players_page(pilot)
        await pilot.press("e", *["backspace"] * 4, *"Tom", "tab")
        assert page.form.message == "There is already a player Tom; choose another nick"
        await pilot.press("up", *["backspace"] * 3, *"Berta", "enter")
        await wait_until(pilot, lambda: profiles.get_current_nick() == "Berta")
        await wait_until(pilot, lambda: pilot.app.context.nick == "Berta")
        assert page.model.line.name == "Berta"
        assert "• Berta" in screen_text(pilot.app)
        await pilot.press("escape")
        await pilot.pause()
        assert " Berta   " in screen_text(pilot.app).split("\n")[0]


async def test_external_changes_apply_when_picker_returns():
    profiles.register("Anna")
    async with create_app().run_test(size=SMALL) as pilot:
        await open_players_page(pilot)
        profiles.update_profile("Anna", "Berta", "", "")
        await pilot.press("escape")
        await wait_until(pilot, lambda: " Berta   " in screen_text(pilot.app).split("\n")[0])
        await open_players_page(pilot)
        assert pilot.app.context.nick == "Berta"
        profiles.remove("Berta", "")
        await pilot.press("escape")
        await wait_until(pilot, lambda: "Berta" not in screen_text(pilot.app).split("\n")[0])
        assert pilot.app.context.nick == "Guest"


@pytest.mark.parametrize("password", ["", "sesame77"])
async def test_removal_needs_two_confirmations(password, monkeypatch):
    profiles.register("Anna", password=password, again=password)
    forget_entered_passwords(monkeypatch)
    async with create_app().run_test(size=SMALL) as pilot:
        await open_players_page(pilot)
        for keys in (["d", "escape"], ["d", "enter", "escape"]):
            await pilot.press(*keys)
            await wait_until(pilot, lambda: is_shown(pilot.app, PlayersPage))
        assert profiles.find("Anna")
        await pilot.press("d")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Dialog))
        await pilot.pause()
        assert "Sessions stay" in " ".join(screen_text(pilot.app).split())
        await pilot.press("enter")
        await wait_until(pilot, lambda: "Really remove Anna?" in screen_text(pilot.app))
        await pilot.press("enter")
        await pilot.pause()
        assert profiles.find("Anna"), "Enter pressed twice removes nobody"
        await pilot.press(*"wrong", "enter")
        await wait_until(
            pilot, lambda: f"That is not the {'password' if password else 'nick'}" in screen_text(pilot.app)
        )
        assert profiles.find("Anna")
        await pilot.press(*(password or "Anna"), "enter")
        await wait_until(pilot, lambda: profiles.find("Anna") is None)
        await wait_until(pilot, lambda: pilot.app.context.nick == "Guest")
        assert "Anna" not in screen_text(pilot.app)


async def test_unused_key_is_not_repeated_in_form():
    async with create_app().run_test(size=SMALL) as pilot:
        page = await open_players_page(pilot)
        send(pilot.app, [key_event(each) for each in "TmLng"])
        await wait_until(pilot, lambda: bool(page.form and page.form.get_text("nick")))
        await pilot.pause()
        assert page.form.get_text("nick") == "G"


async def test_mouse_selects_signs_in_and_fills_form():
    profiles.register("Anna")
    profiles.register("Tom")
    async with create_app().run_test(size=SMALL) as pilot:
        page = await open_players_page(pilot)
        await click(pilot, "Anna")
        assert page.model.line.name == "Anna"
        await click(pilot, "Anna")
        await wait_until(pilot, lambda: profiles.get_current_nick() == "Anna")
        await click(pilot, "new")
        await click(pilot, "E-mail")
        assert page.form.cursor == "email"
        await click(pilot, "Esc back")
        await click(pilot, "steady")
        await click(pilot, "steady")
        assert profiles.get_current_nick() == "Anna"


async def test_damaged_profiles_file_is_reported_and_unchanged():
    paths.create_folder(paths.home())
    paths.profiles_file().write_bytes(b'{"profiles":1,"[red]":')
    async with create_app().run_test(size=LARGE) as pilot:
        await pilot.pause()
        assert "profiles.json" in screen_text(pilot.app)
        await pilot.press("enter")
        page = await open_players_page(pilot)
        assert "profiles.json" in screen_text(pilot.app)
        await pilot.press("n")
        await fill_form(pilot, "Anna")
        assert "profiles.json" in page.form.message
        await pilot.press("escape", "enter", "escape")
        await pilot.pause()
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, TableScreen))
        assert paths.profiles_file().read_bytes() == b'{"profiles":1,"[red]":'


async def test_sign_in_works_for_this_run_if_saving_fails(monkeypatch):
    profiles.register("Anna")
    profiles.register("Tom")

    def fails(_how):
        raise FileError(paths.profiles_file(), "No space left on device")

    monkeypatch.setattr(profiles.PROFILES, "update", fails)
    async with create_app().run_test(size=SMALL) as pilot:
        page = await open_players_page(pilot)
        await pilot.press("home", "enter")
        await wait_until(pilot, lambda: page.model.nick == "Anna")
        assert pilot.app.context.nick == "Anna"
        assert profiles.get_current_nick() == "Tom"


async def test_ledger_scrolls():
    profiles.register("Anna")
    for number in range(40):
        add_transaction("Anna", "stake", -number)
    async with create_app().run_test(size=SMALL) as pilot:
        await open_players_page(pilot)
        first = screen_text(pilot.app)
        await pilot.press("pagedown")
        assert screen_text(pilot.app) != first
        await pilot.press("pagedown", "pagedown", "pagedown", "pagedown")
        assert "41 of 41" in screen_text(pilot.app)
        await pilot.press("pageup", "pageup", "pageup", "pageup", "pageup")
        assert screen_text(pilot.app) == first


async def test_picker_hides_hand_of_player_with_password(monkeypatch):
    profiles.register("Anna", password="sesame77", again="sesame77")
    async with create_app().run_test(size=SMALL) as pilot:
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, TableScreen) and pilot.app.screen.frame.waiting)
        await pilot.press("escape")
        await wait_until(pilot, lambda: "Continue:" in screen_text(pilot.app))
        lobby = pilot.app.screen.page.model
        assert lobby.preview.hand
        forget_entered_passwords(monkeypatch)
        await pilot.press("p")
        await wait_until(pilot, lambda: is_shown(pilot.app, PlayersPage))
    async with create_app().run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: "Continue:" in screen_text(pilot.app))
        lobby = pilot.app.screen.page.model
        assert not lobby.preview.hand
        assert lobby.preview.backs == 1


async def test_picker_calls_only_signed_in_player_you():
    profiles.register("Anna")
    async with create_app().run_test(size=SMALL) as pilot:
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, TableScreen) and pilot.app.screen.frame.waiting)
        await pilot.press("escape")
        await wait_until(pilot, lambda: "You 0" in screen_text(pilot.app))
        profiles.register("Tom")
        pilot.app.context.player.switch_to("Tom")
        pilot.app.screen.page.repaint()
        await pilot.pause()
        assert "Anna 0" in screen_text(pilot.app)


async def start_stake_table(pilot):
    """Start Ten Down with a stake of 50 credits from a new table."""
    await pilot.press("n")
    await wait_until(pilot, lambda: "New table" in screen_text(pilot.app))
    table = pilot.app.context.get_page_state(NewTableForm)
    table.game_key = "ten_down"
    table.rules["ten_down"] = {"room": 50}
    await pilot.press("end", "enter")
    await pilot.pause()


async def test_stakes_need_password_and_profile(monkeypatch):
    async with create_app().run_test(size=LARGE) as pilot:
        await start_stake_table(pilot)
        assert "Guest has no credits to stake" in screen_text(pilot.app)
    profiles.register("Anna", password="sesame77", again="sesame77")
    forget_entered_passwords(monkeypatch)
    async with create_app().run_test(size=LARGE) as pilot:
        await start_stake_table(pilot)
        await wait_until(pilot, lambda: "The password of Anna" in screen_text(pilot.app))
        await pilot.press(*"wrong", "enter")
        await wait_until(pilot, lambda: "That is not" in screen_text(pilot.app))
        assert profiles.find("Anna").credits == 1000
        assert not summaries.list_unfinished()
        await wait_until(pilot, lambda: "The password of Anna" in screen_text(pilot.app))
        await pilot.press(*"sesame77")
        assert "sesame77" not in screen_text(pilot.app)
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, TableScreen))
        assert profiles.find("Anna").credits == 950


async def test_seats_step_through_players():
    profiles.register("Tom")
    profiles.register("Anna")
    async with create_app().run_test(size=LARGE) as pilot:
        await pilot.press("n")
        await wait_until(pilot, lambda: "New table" in screen_text(pilot.app))
        table = pilot.app.context.get_page_state(NewTableForm)
        assert table.names[0] == "Anna"
        await pilot.press("down", "down", "left", "left")
        assert table.names[:2] == ["Anna", "Tom"]
        await pilot.press("left")
        assert table.names[:2] == ["Anna", "Guest"]
        await pilot.press("up", "right")
        assert table.players[0].kind == "novice"


async def test_ledger_with_impossible_date():
    profiles.register("Anna")
    add_transaction("Anna", "stake", -10, at="2026-99-99T12:00:00Z")
    add_transaction("Anna", "stake", -10, at="9999-12-31T23:59:59Z")
    async with create_app().run_test(size=LARGE) as pilot:
        await open_players_page(pilot)
        assert "no date stake" in screen_text(pilot.app)
