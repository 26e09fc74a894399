"""End of a session: personal bests, deal of the day, best and worst decision."""

import asyncio
from datetime import date

import pytest
from textual.screen import Screen

from cardtable.engine.game import OVER
from cardtable.records import personal_bests, review
from cardtable.records.personal_bests import Achievements, BeatenBest
from cardtable.records.review import Review, compute_next_piece
from cardtable.records.review_worker import ReviewJob, load
from cardtable.session.session_events import Stage
from cardtable.store import profiles, sessions
from cardtable.store.archive_index import compute_fingerprint
from cardtable.ui.toolkit.context import SessionEvaluator
from tests.records.archive_sessions import write_daily_session
from tests.records.review_journals import search_few_worlds
from tests.ui.driver import at_table, sit_at
from tests.ui.table_host import TableApp, create_session, take_first_action

GURKA_DAY = date(2026, 11, 15)


class InProcessEvaluator(SessionEvaluator):
    """Evaluates in this process, one piece at a time, and stops when told so."""

    def __init__(self, pieces=10**6):
        super().__init__()
        self.pieces, self.requests = pieces, []

    async def find_achievements(self, path, seats):
        return personal_bests.find_achievements(path, seats)

    async def iter_review(self, path, seat, *, deals_first):
        self.requests.append((path, seat, deals_first))
        job = ReviewJob(path, seat)
        yield job.review
        done = Review([*job.review.judged], [*job.review.dealt])
        while done.done_count < job.session.step_count:
            if self.pieces == 0:
                await asyncio.Event().wait()
            self.pieces -= 1
            yield compute_next_piece(job.session, done, deals_first=deals_first)
            await asyncio.sleep(0)


@pytest.fixture
def daily_app(monkeypatch):
    """Return a function that creates an app with a deal of the day, in which few decisions are left."""
    search_few_worlds(monkeypatch, 3)
    monkeypatch.setattr(review, "MAX_RUNS", 1)
    profiles.register("Anna")
    profiles.sign_in("Anna")

    def create(pieces=10**6):
        session = sessions.resume(write_daily_session(GURKA_DAY, is_over=False))
        return TableApp(session, session_evaluator=InProcessEvaluator(pieces))

    return create


async def play_to_end(table):
    """Play the first legal action until the session has ended."""
    while table.frame.stage is not Stage.SESSION_END:
        await table.wait_for_input()
        if table.screen.controller.is_awaiting_input:
            take_first_action(table.screen)
        await table.pilot.pause(0)


async def test_daily_deal_is_compared_shared_and_reviewed(daily_app):
    async with at_table(daily_app()) as table:
        await play_to_end(table)
        await table.wait_until(lambda: table.frame.end_lines and table.frame.end_lines.best_decision is not None)
        await table.sees("Share  1 day in a row; ", " an expert ", "Worst  ", "Best   round ")
        await table.press("S")
        share = table.frame.end_lines.share
        assert table.app.clipboard == "\n".join(share)
        assert share[0] == "cardtable, deal of the day, 15 Nov 2026: Gurka"
        await table.sees("Copied to the clipboard")
        await table.press("escape *")
        await table.wait_until(lambda: table.app.requests)
        path, best = table.screen.controller.playable.journal_path, table.frame.end_lines.best_decision
        assert table.app.requests == [("review", path, None, best)]
        assert [deals_first for *_, deals_first in table.app.context.session_evaluator.requests] == [True]


async def test_evaluation_continues_after_another_screen(daily_app):
    """The pieces are kept while the review page, which computes them itself, covers the table."""
    app = daily_app(pieces=3)
    evaluator = app.context.session_evaluator
    async with at_table(app) as table:
        await play_to_end(table)
        await table.wait_until(lambda: evaluator.pieces == 0)
        lines = table.frame.end_lines
        assert "expert" not in "".join(lines.share)
        await table.sees("experts play the same deal")
        await app.push_screen(Screen())
        path = app.table.controller.playable.journal_path
        session = ReviewJob(path, 0).session
        await table.wait_until(lambda: load(path, compute_fingerprint(path.stat()), session).done_count == 3)
        evaluator.pieces = 10**6
        await app.pop_screen()
        await table.wait_until(lambda: evaluator.pieces < 10**6)
        assert len(evaluator.requests) == 2


@pytest.mark.parametrize(("people", "names"), [(0, []), (2, ["Anna's", "Bob's"])], ids=["robots", "hot seat"])
async def test_end_without_only_person(people, names):
    """At a hot seat every player is named and nobody's decisions are shown; robots have no bests."""

    class Evaluator(SessionEvaluator):
        async def find_achievements(self, _path, seats):
            return Achievements({seat: (BeatenBest("total", 9, 12),) for seat in seats})

        def iter_review(self, *_args, **_kwargs):
            pytest.fail("nobody's decisions are shown")

    async with at_table(
        TableApp(create_session("gurka", 3, people=people, limit=21), session_evaluator=Evaluator())
    ) as table:
        table.screen.view_model.update(playback=None)
        await play_to_end(table)
        await table.pilot.pause()
        await table.sees(*[f"{name} lowest total in Gurka: 9 (was 12)" for name in names])
        assert "Your" not in table.text
        assert "Share" not in table.text


@pytest.mark.parametrize("key", ["rummy", "bridge", "rikiki"])
async def test_last_round_is_shown_before_the_podium(key):
    session = create_session(key, 7)
    async with sit_at(session, until=lambda frame: frame.view.turn == OVER) as table:
        assert session.referee.ended
        await table.sees(f"Round {table.view.finished} is over.", "Enter shows the result", "Enter result")
        await table.press("u")
        await table.sees("Can't undo: the session is over")
        await table.press("enter")
        await table.sees("The session is over.")
