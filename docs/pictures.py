"""Makes the pictures of the README from the program itself.

python -m docs.pictures
"""

import asyncio
import os
import re
import shutil
import tempfile
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

from textual.pilot import Pilot

from cardtable.store import paths, session_setup, sessions
from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.picker.screen import Picker
from cardtable.ui.toolkit.page import PageScreen
from cardtable.ui.toolkit.preferences import Preferences
from docs.film import format_film, shoot

SAVES = Path(__file__).parent.parent / "cardtable" / "saves"
FOLDER = Path(__file__).parent / "pictures"
TABLE, PICKER = (100, 30), (100, 24)
"""Columns and rows."""
NOW = datetime(2026, 11, 20, 21, 30, tzinfo=UTC)
"""When the picker is looked at: it tells how long ago each session was played."""
MOST_LOOKS = 500
IN_THE_PICKER = ("rikiki-round-9", "king-of-hearts", "rummy-deep-pile")


class Room(CardtableApp):
    """The program, always at the same moment."""

    def get_default_screen(self) -> PageScreen:
        """The picker at that moment."""
        return PageScreen(Picker(self.context, clock=lambda: NOW))


async def drawn() -> dict[str, str]:
    """Every picture by its name.  Sessions are copied to where the program keeps them."""
    pictures = {
        "session": format_film(await shoot()),
        "rummy": await at_table("rummy-deep-pile", "Draw an unseen card"),
    }
    shutil.rmtree(paths.sessions_folder())
    paths.sessions_folder().mkdir()
    for save in IN_THE_PICKER:
        shutil.copy(SAVES / f"{save}.jsonl", paths.sessions_folder())
    async with Room(Preferences(Settings())).run_test(size=PICKER) as pilot:
        return {"picker": await picture(pilot, "Continue: Rikiki", "King You Ada Bo Cy 23 of 40"), **pictures}


async def at_table(save: str, words: str) -> str:
    """The table of a session, whose clocks stand still."""
    session = sessions.fork(SAVES / f"{save}.jsonl")
    session.clocks.set_time_source(lambda: 0.0)
    session_setup.take_aim_at_first_start(session.referee.game.about)  # its aim is told at the very first start only
    async with Room(Preferences(Settings()), session).run_test(size=TABLE) as pilot:
        return await picture(pilot, words)


async def picture(pilot: Pilot[None], *words: str) -> str:
    """The screen once all these words are on it and it rests."""
    before, svg = "", pilot.app.export_screenshot()
    for _ in range(MOST_LOOKS):
        if svg == before and all(each in text(svg) for each in words):
            break
        await pilot.pause()
        before, svg = svg, pilot.app.export_screenshot()
    else:
        raise AssertionError(f"{words!r} is never seen: {text(svg)}")
    return svg


def text(svg: str) -> str:
    """What can be read in a picture, in its order."""
    return " ".join(unescape(" ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg))).split())


def main() -> None:
    """Write them into docs/pictures."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["CARDTABLE_HOME"] = home
        for name, svg in asyncio.run(drawn()).items():
            (FOLDER / f"{name}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
