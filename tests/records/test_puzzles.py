"""Search for puzzles in the reviews of a player's sessions."""

from contextlib import aclosing, closing
from datetime import date

import pytest

from cardtable.engine.game import find_action
from cardtable.records import puzzles, review
from cardtable.records.puzzles import DAYS, SearchRequest, create_puzzle, list_sources, search
from cardtable.records.review_worker import ReviewJob
from cardtable.robots.kit.robot import load_search_spec
from cardtable.store import archive_index, paths, profiles, puzzle_files
from cardtable.store.puzzle_files import SHIPPED
from cardtable.workers.client import WorkerProcess
from tests.games.king import test_rules as king
from tests.records.review_journals import record_session, review_decision, search_few_worlds
from tests.toy import layaway
from tests.toy.game_plugins import plug_in_from

TODAY = date(2026, 11, 20)


@pytest.fixture(autouse=True)
def no_shipped_puzzles(monkeypatch):
    monkeypatch.setattr(puzzles, "load_shipped_puzzles", list)


@pytest.fixture
def layaway_package(monkeypatch):
    """Plug in Layaway, and return its package; to be requested before ``add_session``."""
    plug_in_from(monkeypatch, layaway, "layaway 1.0")
    return "layaway 1.0"


@pytest.fixture
def add_session(monkeypatch):
    """Return a function that writes a session of Anna, played by a novice, into the archive."""
    search_few_worlds(monkeypatch)
    monkeypatch.setattr(puzzles, "COMPARISON_WORLDS", 60)
    monkeypatch.setattr(puzzles, "load_search_spec", review.load_search_spec)

    def add(id_="s", key="gurka", level="novice", **how):
        paths.create_folder(paths.archive_folder())
        path = paths.archive_folder() / f"{id_}.jsonl"
        limit = {"limit": 21} if key == "gurka" else {}
        path.write_bytes(record_session(key, level, id_=id_, **limit | {"rounds": 6} | how))
        return path

    return add


def find_last_played(path):
    """Return the time at which the session of a journal was played last."""
    return next(float(each.played) for each in archive_index.list_finished() if each.path == path)


def test_search(add_session):
    path = add_session()
    job, now = ReviewJob(path, 0), find_last_played(path)
    progress = list(search("Anna", now, TODAY))
    assert [progress[0].sessions, progress[-1].sessions] == [1, 0]
    own, _ = puzzle_files.load_puzzles("Anna")
    assert progress[-1].puzzle_count == len(own.puzzles) > 0
    assert own.searched == (SHIPPED, "s/0")
    # every puzzle is a decision of the player that cost much
    judged = {str(each.view): each for each in job.session.decisions}
    for key in own.puzzles:
        position = puzzle_files.open_position(puzzle_files.load_file(puzzle_files.get_path(key)))
        decision = judged[str(position.view)]
        assert decision.action == position.chosen
        worths = {choice.action: choice.worth for choice in position.puzzle.choices}
        assert set(worths) == {str(action) for action in decision.view.legal}
        assert max(worths.values()) - worths[str(decision.action)] > 0.5
        assert all(position.puzzle.why)
        assert all(find_action(position.view.legal, text) for text in worths)
    # what has been searched is not searched again
    assert list(search("Anna", now, TODAY)) == [puzzles.SearchProgress(0)]


def test_puzzles_name_the_package_of_their_game(layaway_package, add_session):
    path = add_session(key="layaway", level="random")
    list(search("Anna", find_last_played(path), TODAY))
    found = puzzle_files.load_puzzles("Anna")[0].puzzles
    files = [puzzle_files.load_file(puzzle_files.get_path(key)) for key in found]
    assert {each.package for each in (*found.values(), *files)} == {layaway_package}


def test_claim_makes_no_puzzle():
    game = king.start_contract("no-last-two", "6C 7C 8C 9C TC JC QC KC 7D").do("play 6C")
    while game.turn != 0 or game.view().complete < 2:
        game.do(game.legal()[-1])
    session, decision, evaluation = review_decision(game, "claim")
    spec = load_search_spec("king")
    assert evaluation.cost > spec.big_mistake
    assert create_puzzle(session, decision, evaluation, spec) is None


def test_only_own_recent_sessions_are_searched(add_session):
    path = add_session("new")
    now = find_last_played(path)
    add_session("practice", open_hands="on")
    assert [each.name for each in list_sources("Anna", now)[0]] == ["new/0"]
    assert list_sources("Guest", now) == ([], [])
    assert list_sources("Anna", now + DAYS * 86_400) == ([], [])


def test_stopped_search_keeps_the_review(add_session):
    path = add_session()
    now = find_last_played(path)
    with closing(search("Anna", now, TODAY)) as progress:
        while next(progress).done < 3:
            pass
    assert len(ReviewJob(path, 0).review.judged) == 3
    assert puzzle_files.load_puzzles("Anna")[0].searched == (SHIPPED,)
    assert next(each.done for each in search("Anna", now, TODAY) if each.decisions) == 3


def test_unreadable_session_is_skipped(add_session):
    path = add_session()
    now = find_last_played(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + b"{}\n" + data[len(data) // 2 :])
    assert [*search("Anna", now, TODAY)][-1] == puzzles.SearchProgress(0)


async def test_worker_process(add_session):
    path = add_session(limit=21, rounds=1)
    now = find_last_played(path)
    profiles.register("Anna")
    worker = WorkerProcess("cardtable.records.puzzles")
    async with aclosing(worker.ask(SearchRequest("Anna", now, TODAY))) as answers:
        async for progress in answers:
            if progress.done == 3:
                break
    await worker.stop()
    assert ReviewJob(path, 0).review.judged
