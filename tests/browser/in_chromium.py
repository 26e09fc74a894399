"""The card room in headless Chromium: run by ``make test-browser``, not by ``make test``."""

import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import pyte
import pytest
from playwright.sync_api import sync_playwright

from tests.serving import ServeProcess
from tests.waiting import TIMEOUT

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM_ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


LATER_TRICKS = [f"trick {number} of 7" for number in range(2, 8)]
CURSOR = "\N{BLACK UP-POINTING TRIANGLE}"
"""Sign below the card that Enter plays."""
DESKTOP = {"viewport": {"width": 1100, "height": 640}}
PHONE = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 3, "is_mobile": True, "has_touch": True}


class Tab:
    """A browser tab, and the screen that its program has sent."""

    def __init__(self, browser, url, screen=DESKTOP, font_handler=None):
        """Open a page; ``font_handler`` handles requests for the terminal's font."""
        self.requested_urls = []
        self.page = browser.new_page(**screen)
        self.page.on("websocket", self._on_websocket)
        self.page.on("request", lambda request: self.requested_urls.append(request.url))
        if font_handler:
            self.page.route("**/*.ttf", font_handler)
        self._screen = pyte.Screen(1, 1)
        self.page.goto(url, wait_until="commit")

    def _on_websocket(self, socket):
        size = parse_qs(urlsplit(socket.url).query)
        self._screen.resize(int(size["height"][0]), int(size["width"][0]))
        stream = pyte.ByteStream(self._screen)
        socket.on("framereceived", lambda frame: isinstance(frame, bytes) and stream.feed(frame))
        socket.on("framesent", self._on_frame_sent)

    def _on_frame_sent(self, frame):
        kind, *about = json.loads(frame)
        if kind == "resize":
            self._screen.resize(about[0]["height"], about[0]["width"])

    @property
    def text(self):
        return "\n".join(self._screen.display)

    @property
    def size(self):
        """Size of the terminal in columns and rows."""
        return self._screen.columns, self._screen.lines

    @property
    def terminal_box(self):
        """Bounding box of the terminal, in pixels of the page."""
        return self.page.locator(".xterm-screen").bounding_box()

    @property
    def cell(self):
        """Width and height of a cell, in pixels of the page."""
        columns, rows = self.size
        return self.terminal_box["width"] / columns, self.terminal_box["height"] / rows

    def wait_for(self, *words):
        """Wait until one of the words is on the screen."""
        self.wait_until(lambda: self.shows(*words))

    def shows(self, *words):
        return any(word in self.text for word in words)

    def wait_until(self, condition):
        end = time.monotonic() + TIMEOUT
        while not condition():
            assert time.monotonic() < end, f"{self.size}:\n{self.text}"
            self.page.wait_for_timeout(50)

    def press(self, key):
        self.page.keyboard.press(key)
        self.page.wait_for_timeout(150)

    def tap_key(self, name):
        """Touch a button below the table."""
        self.page.get_by_role("button", name=name, exact=True).tap()
        self.page.wait_for_timeout(150)

    def tap(self, words, above=0):
        """Touch the screen where the words are, or a number of rows above them."""
        row, line = next((row, line) for row, line in enumerate(self._screen.display) if words in line)
        width, height = self.cell
        x, y = (
            self.terminal_box["x"] + (line.index(words) + 0.5) * width,
            self.terminal_box["y"] + (row - above + 0.5) * height,
        )
        self.page.touchscreen.tap(x, y)
        self.page.wait_for_timeout(150)


@pytest.fixture(scope="module")
def browser():
    executable = next(filter(None, map(shutil.which, CHROMIUM)), None)
    assert executable, "Chromium is needed for this test: apt install chromium, or the like"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=[*CHROMIUM_ARGUMENTS])
        yield chromium
        chromium.close()


@pytest.fixture
def served(home):
    home.mkdir(parents=True, exist_ok=True)
    (home / "settings.toml").write_text("robot_pace = 0\ntrick_pause = 0\nanimation = false\n")
    with ServeProcess(home) as served:
        yield served


def run_json_command(home, *arguments):
    """Run a command and return its JSON output."""
    command = [sys.executable, "-m", "cardtable", *arguments, "--json"]
    environment = {**os.environ, "CARDTABLE_HOME": str(home)}
    return json.loads(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)


def test_round_of_rikiki_played_by_keys(browser, served, home):
    tab = Tab(browser, served.url)
    tab.wait_for("Rikiki")
    tab.press("Enter")
    tab.wait_for("round 1 of 28")

    def is_second_round_dealt():
        tab.press("Enter")
        return tab.shows("round 2 of 28")

    tab.wait_until(is_second_round_dealt)
    (session,) = run_json_command(home, "list")
    assert session["game"] == "rikiki"
    assert run_json_command(home, "show", session["id"])["rounds"]
    assert {urlsplit(url).netloc for url in tab.requested_urls if not url.startswith("data:")} == {
        urlsplit(served.url).netloc
    }


def test_page_for_a_tab_over_the_limit(browser, home):
    with ServeProcess(home, "--max-tabs", "1") as served:
        first = Tab(browser, served.url)
        first.wait_for("Rikiki")
        second = Tab(browser, served.url)
        second.page.get_by_text("One tab is open already").wait_for()
        first.page.close()
        second.page.get_by_role("link").click()
        second.wait_for("Rikiki")


def test_token_leaves_address_and_reload_still_works(browser, served):
    tab = Tab(browser, served.url)
    tab.wait_for("Rikiki")
    assert tab.page.url == f"{served.origin}/"
    tab.page.reload()
    tab.wait_for("Rikiki")


def test_trick_played_with_phone_buttons(browser, served, home):
    tab = Tab(browser, served.url, PHONE)
    tab.wait_for("Gurka")
    tab.tap("Gurka")
    tab.tap_key("Enter")
    tab.wait_for("trick 1 of 7")
    tab.tap_key("?")
    tab.wait_for("any key")
    tab.tap_key("Esc")
    for _ in range(20):
        if tab.shows(*LATER_TRICKS):
            break
        tab.tap_key("Enter")
    tab.wait_for(*LATER_TRICKS)
    (session,) = run_json_command(home, "list")
    assert session["game"] == "gurka"


def test_cards_played_on_phone_by_touching_them(browser, served):
    tab = Tab(browser, served.url, PHONE)
    tab.wait_for("Gurka")
    for _ in range(2):  # the first selects
        tab.tap("Gurka")
    tab.wait_for("trick 1 of 7")
    for _ in range(20):
        if tab.shows(*LATER_TRICKS):
            break
        tab.wait_for(CURSOR)
        tab.tap(CURSOR, above=2)
    tab.wait_for(*LATER_TRICKS)


def test_phone_keyboard_opens_only_on_request(browser, served):
    tab = Tab(browser, served.url, PHONE)
    tab.wait_for("Rikiki")
    written = tab.page.locator("textarea")
    assert written.get_attribute("inputmode") == "none"  # no keyboard comes over the table by itself
    tab.tap_key("Letters")
    assert written.get_attribute("inputmode") == "text"
    tab.press("p")
    tab.wait_for("Players")
    tab.tap_key("Letters")
    assert written.get_attribute("inputmode") == "none"


@pytest.mark.parametrize(("width", "height"), [(360, 740), (390, 844), (740, 360), (844, 390)])
def test_terminal_fits_phone_in_both_orientations(browser, served, width, height):
    tab = Tab(browser, served.url, {**PHONE, "viewport": {"width": width, "height": height}})
    tab.wait_for("Rikiki")
    for wide, high in ((width, height), (height, width), (width, height)):
        tab.page.set_viewport_size({"width": wide, "height": high})
        tab.wait_until(lambda wide=wide, high=high: _is_playable(tab, wide, high))
        assert tab.page.get_by_role("button", name="Enter").is_visible()


def _is_playable(tab, screen_width, screen_height):
    """True if at least 60 by 18 cells of legible size fill the screen above the buttons."""
    columns, rows = tab.size
    scale = screen_width / tab.page.evaluate("innerWidth")
    width, height = (scale * length for length in tab.cell)
    enough = columns >= 60 and rows >= 18 and width >= 5.5 and height >= 13
    return (
        enough
        and screen_width - 10 < columns * width <= screen_width
        and screen_height - 130 < rows * height < screen_height - 30
    )


def test_desktop_has_full_size_cells_and_no_buttons(browser, served):
    tab = Tab(browser, served.url, {"viewport": {"width": 1280, "height": 800}})
    tab.wait_for("Rikiki")
    assert not tab.page.get_by_role("button", name="Enter").is_visible()
    assert tab.cell == (9, 21)


def test_late_font_does_not_change_cell_size(browser, served):
    waiting = []

    def keep_waiting(route):
        waiting.append(route)

    late = Tab(browser, served.url, font_handler=keep_waiting)
    early = Tab(browser, served.url)
    early.wait_for("Rikiki")
    late.wait_until(lambda: waiting)
    waiting[0].continue_()
    late.wait_for("Rikiki")
    assert late.cell == early.cell == (9, 21)
    for tab in (late, early):
        tab.page.set_viewport_size({"width": 1000, "height": 600})
        tab.wait_until(lambda tab=tab: tab.size[0] * 9 <= 1000)
    assert late.cell == early.cell == (9, 21)


@contextmanager
def open_club(home, port=0):
    """Open a club to browsers; yield its address and its process."""
    command = [sys.executable, "-m", "cardtable", "host", "--port", "0", "--web", str(port), "--code", "sesame77"]
    environment = {**os.environ, "CARDTABLE_HOME": str(home)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as host:
        _, _, line = (host.stdout.readline() for _ in range(3))
        yield line.removesuffix(" in a browser\n"), host
        host.terminate()


@pytest.fixture
def club(home):
    with open_club(home) as (url, _):
        yield url


def join_club(browser, club, nick, code="sesame77"):
    """Fill in the login page and return the tab."""
    tab = Tab(browser, club)
    tab.page.get_by_label("nick").fill(nick)
    tab.page.get_by_label("code").fill(code)
    tab.page.get_by_role("button").click()
    return tab


def test_page_opens_again_after_the_host_was_killed(browser, home):
    with open_club(home) as (url, host):
        zoe = join_club(browser, url, "Zoe")
        zoe.wait_for("Zoe (guest)")
        host.kill()
    zoe.page.get_by_text("The card room does not answer. This page keeps trying").wait_for()
    with open_club(home, urlsplit(url).port):
        zoe.page.locator(".-first-byte").wait_for()
        zoe.wait_for("Zoe (guest)")


def test_page_of_a_club_that_has_closed_says_so(browser, home):
    with open_club(home) as (url, _):
        zoe = join_club(browser, url, "Zoe")
        zoe.wait_for("Zoe (guest)")
    zoe.page.get_by_text("The club has closed.").wait_for()


def test_club_guests_play_a_round_and_reconnect(browser, club):
    bob = join_club(browser, club, "Bob", "sesame78")
    bob.page.get_by_text("that is not the code of this club; ask its host").wait_for()
    bob.page.get_by_label("code").fill("sesame77")
    bob.page.get_by_role("button").click()
    zoe = join_club(browser, club, "Zoe")
    zoe.wait_for("Bob (guest)")
    zoe.press("n")
    zoe.wait_for("House rules")
    zoe.press("Enter")
    bob.wait_for("sit here")
    bob.press("Home")
    bob.press("Enter")
    zoe.wait_for("Bob (guest), at Rikiki")
    zoe.press("Enter")
    for tab in (zoe, bob):
        tab.wait_for("round 1 of 28")
    for _ in range(60):
        if zoe.shows("Round 1", "round 2 of 28"):
            break
        zoe.press("Enter")
        bob.press("Enter")
    zoe.wait_for("Round 1", "round 2 of 28")
    zoe.page.set_viewport_size({"width": 1600, "height": 900})
    zoe.wait_until(lambda: zoe.size[0] > 120)
    zoe.page.reload()
    zoe.page.locator(".-first-byte").wait_for()
    zoe.wait_for("of 28")
    zoe.press("Escape")
    zoe.wait_for("A new table")
    zoe.press("Escape")
    zoe.page.get_by_role("link", name="somebody else").click()
    zoe.page.get_by_label("nick").wait_for()
    assert {urlsplit(url).netloc for url in zoe.requested_urls if not url.startswith("data:")} == {
        urlsplit(club).netloc
    }
