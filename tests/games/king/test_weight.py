"""Weights of King's contracts (x4 or x1) beside points, on the screen and in exports."""

import re

import pytest

from cardtable.engine import journal
from cardtable.session.session_events import Stage
from cardtable.wording import export_formats, score_sheet
from cardtable.wording.score_sheet import StoredSheet
from tests.games.king.test_table_view import KING_FALLS, open_claiming, open_naming, open_neg_jar, open_session_until
from tests.session.test_round_replay import RecordedSession
from tests.ui.screen_text import screen_text
from tests.ui.table_host import TableApp, open_table, wait_for_input
from tests.ui.test_table_screen import LARGE, SMALL, TINY, sessions

FOUR_TIMES = re.compile(r"[\u22120-9]\d* ×4|pts ×4|points ×4")


async def wait_and_read(pilot, app):
    await wait_for_input(pilot, app)
    return screen_text(app)


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_decision_box_shows_weight_of_each_kind(home, size):
    app = open_naming(home)
    async with app.run_test(size=size) as pilot:
        text = await wait_and_read(pilot, app)
        await pilot.press(*["down"] * 9)
        text += screen_text(app)
        assert [kind in text for kind in ("Negative ×4", "Jar ×1", "Positive ×4")] == [True] * 3


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_contract_description_shows_weight(home, size):
    app = open_naming(home)
    async with app.run_test(size=size) as pilot:
        assert "−4 ×4 for a trick" in await wait_and_read(pilot, app)
        await pilot.press(*["down"] * 6)
        assert "−216 for all six" in screen_text(app)
        await pilot.press("down")
        assert "+216 for all six" in screen_text(app)
        assert "All six are gains." in screen_text(app)
        await pilot.press("down")
        assert "12 ×4 for a dealer's trick" in screen_text(app)


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_offers_and_points_left_show_weight(home, size):
    app = TableApp(sessions.fork(KING_FALLS))
    async with open_table(app, size) as pilot:
        await pilot.press("tab")
        text = screen_text(app)
        assert "12 ×4 ▸" in text
        assert "−24 ×4, or" in text
        assert ("pts ×4" in text) == (size != TINY), "the panel"
    app = open_claiming(home)
    async with open_table(app, size) as pilot:
        await pilot.press("tab")
        assert f"−{app.view.points_left} ×4" in screen_text(app)


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_round_points_of_36_lower_total_by_144(size):
    app = TableApp(sessions.fork(KING_FALLS))
    async with open_table(app, size) as pilot:
        before = app.view.totals
        await pilot.press("enter")
        text = await wait_and_read(pilot, app)
        assert app.table.frame.stage is Stage.ROUND_END
        assert [after - old for after, old in zip(app.view.totals, before, strict=True)].count(-4 * 36) == 1
        assert "points ×4" in text
        assert ("Cy −36 ×4 in round 23" in text) == (size != TINY)
        await pilot.press("s")
        [row] = [line for line in screen_text(app).split("\n") if " 23 " in line and "King ×4" in line]
        assert "−36" in row


async def test_jar_points_show_no_weight(home):
    app = open_neg_jar(home)
    async with app.run_test(size=SMALL) as pilot:
        assert not FOUR_TIMES.search(await wait_and_read(pilot, app))
    jar = open_session_until(
        home, "novice", lambda view: view.finished and view.contract and view.contract.text == "poz-jar"
    )
    async with jar.run_test(size=SMALL) as pilot:
        text = await wait_and_read(pilot, jar)
        assert "+216" in text
        assert not FOUR_TIMES.search(text.partition("Messages")[0])


def test_exports_show_weight():
    played = RecordedSession("king", 4).play_through_round(4)
    weights = [score.weight for score in played.table.scores]
    written = journal.read(journal.encode(played.header, played.lines))
    export_lines = export_formats.format_session(written, played.table).partition("## Round 1")[0].split("\n")
    stored = StoredSheet(played.header, ["Ada", "Bo", "Cy", "Dee"], played.table, is_abandoned=False)
    lines = score_sheet.to_text(stored).split("\n")
    for number, weight in enumerate(weights, 1):
        [row] = [line for line in export_lines if line.startswith(f"| {number} |")]
        assert (" ×4 |" in row) == (weight == 4)
        assert (" x4 " in lines[number + 2]) == (weight == 4)
