"""The card room in headless Chromium: ``make test-browser``, since ``make test`` does without a browser."""

import json
import os
import shutil
import subprocess
import sys
import time
from urllib.parse import parse_qs, urlsplit

import pyte
import pytest
from playwright.sync_api import sync_playwright

from tests.serving import Served

PATIENCE = 30.0
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


class Tab:
    """A tab of the browser, and the picture that its program has sent."""

    def __init__(self, browser, url):
        self.asked = []
        self.page = browser.new_page(viewport={"width": 1100, "height": 640})
        self.page.on("websocket", self._connected)
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(url)

    def _connected(self, socket):
        size = parse_qs(urlsplit(socket.url).query)
        self._screen = pyte.Screen(int(size["width"][0]), int(size["height"][0]))
        stream = pyte.ByteStream(self._screen)
        socket.on("framereceived", lambda frame: isinstance(frame, bytes) and stream.feed(frame))

    @property
    def text(self):
        return "\n".join(self._screen.display) if hasattr(self, "_screen") else ""

    def wait_for(self, *words):
        """Wait until the picture has one of these words."""
        end = time.monotonic() + PATIENCE
        while not any(word in self.text for word in words):
            assert time.monotonic() < end, f"none of {words} has come:\n{self.text}"
            self.page.wait_for_timeout(50)

    def press(self, key):
        self.page.keyboard.press(key)
        self.page.wait_for_timeout(150)


@pytest.fixture(scope="module")
def browser():
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    assert found, "Chromium is needed for this test: apt install chromium, or the like"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=[*QUIET])
        yield chromium
        chromium.close()


@pytest.fixture
def served(home):
    with Served(home) as served:
        yield served


def told(home, *words):
    """What a command prints as JSON."""
    command = [sys.executable, "-m", "cardtable", *words, "--json"]
    environment = {**os.environ, "CARDTABLE_HOME": str(home)}
    return json.loads(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)


def test_a_round_of_rikiki_is_played_by_keys(browser, served, home):
    home.mkdir(parents=True, exist_ok=True)
    (home / "settings.toml").write_text("pace = 0\ntrick_pause = 0\nanimation = false\n")
    tab = Tab(browser, served.url)
    tab.wait_for("Rikiki")
    tab.press("Enter")
    tab.wait_for("round 1 of 28")
    for _ in range(100):
        if "Round 1" in tab.text:
            break
        tab.press("Enter")
    (session,) = told(home, "list")
    assert session["game"] == "rikiki"
    assert len(told(home, "show", session["id"])["rounds"]) == 1
    assert {urlsplit(url).netloc for url in tab.asked if not url.startswith("data:")} == {urlsplit(served.url).netloc}


def test_each_tab_is_a_program_of_its_own(browser, served):
    tabs = [Tab(browser, served.url) for _ in range(2)]
    for tab in tabs:
        tab.wait_for("Rikiki")
    tabs[0].press("Enter")
    tabs[0].wait_for("round 1 of 28")
    assert "round 1 of 28" not in tabs[1].text
    assert served.programs() == 2
    tabs[0].page.close()
    served.wait_for_programs(1)
