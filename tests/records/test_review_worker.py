"""A review is kept piece by piece: stopped, gone on with, stale and damaged."""

import json
import os
import pickle
import subprocess
from contextlib import aclosing

import msgspec
import pytest

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.records import review_worker
from cardtable.records.review import Review
from cardtable.records.review_worker import ReviewJob, ReviewRequest
from cardtable.store import paths, session_files
from cardtable.workers.client import WorkerProcess
from cardtable.workers.server import ANSWER, build_command, encode_message
from tests.records.reviewed import recorded


@pytest.fixture
def path():
    """A short session in the archive."""
    paths.archive_folder().mkdir(parents=True)
    path = paths.archive_folder() / "s.jsonl"
    path.write_bytes(recorded("gurka", "novice", people=(0, 2), limit=21))
    return path


def pieces(reviewing, number):
    """Do so many pieces and stop."""
    steps = reviewing.iter_pieces()
    for _ in range(number):
        next(steps)
    steps.close()


def whole(path, seat=0):
    reviewing = ReviewJob(path, seat)
    done = len(list(reviewing.iter_pieces()))
    return reviewing, done


def kept(path):
    return review_worker.get_review_path(path)


@pytest.mark.promise(
    "Archive, replay, review and export",
    "A review answers keys while it runs, and continues later where it was stopped.",
)
def test_a_review_that_was_stopped_goes_on_where_it_was(path):
    first = ReviewJob(path, 0)
    pieces(first, 3)
    again, done = whole(path)
    assert done == again.session.step_count - 3
    assert again.review.judged[:3] == first.review.judged
    assert whole(path)[1] == 0
    data = kept(path).read_bytes()
    kept(path).unlink()
    assert whole(path)[0].review == again.review, "in one go it is the same"
    assert kept(path).read_bytes() == data


def test_reviews_of_several_seats_are_kept_side_by_side(path):
    pieces(ReviewJob(path, 0), 2)
    pieces(ReviewJob(path, 2), 1)
    assert ReviewJob(path, 0).review.done_count == 2
    assert ReviewJob(path, 2).review.done_count == 1


@pytest.mark.promise("For maintainers", "A stale or damaged review is computed again.")
def test_it_is_stale_once_the_journal_has_changed(path):
    pieces(ReviewJob(path, 0), 2)
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(1, 1))
    assert ReviewJob(path, 0).review == Review([], [])


def changed(kept, **how):
    """The file with other values in the review of seat 0."""
    found = json.loads(kept.read_bytes())
    found["seats"]["0"]["judged"][0].update(how)
    return json.dumps(found).encode()


@pytest.mark.promise("For maintainers", "A stale or damaged review is computed again.")
@pytest.mark.parametrize(
    "damage",
    [
        lambda kept: b"",
        lambda kept: b"[" * 100_000,
        lambda kept: b"\xff\xfe",
        lambda kept: kept.read_bytes()[:-9],
        lambda kept: kept.read_bytes().replace(b'"version":2', b'"version":1'),
        lambda kept: kept.read_bytes().replace(b'"cost"', b'"price"', 1),
        lambda kept: changed(kept, cost=-1),
        lambda kept: changed(kept, cost="much"),
        lambda kept: changed(kept, choices=[]),
        lambda kept: changed(kept, why=["\x1b]52;c;AAAA\x07"]),
        lambda kept: changed(kept, aim="\u202e"),
        lambda kept: changed(kept, cost=1e300),
        lambda kept: changed(kept, choices=[{"action": "play \x1b[2J", "worth": 1, "as_good": True, "share": None}]),
        lambda kept: msgspec.json.encode({"version": 2, "traces": [0, 0, 0], "seats": {}}),
    ],
)
def test_a_damaged_file_is_done_anew(path, damage):
    pieces(ReviewJob(path, 0), 2)
    before = kept(path).read_bytes()
    kept(path).write_bytes(damage(kept(path)))
    again = ReviewJob(path, 0)
    assert again.review == Review([], [])
    pieces(again, 2)
    assert kept(path).read_bytes() == before


def test_a_file_that_is_too_long_for_the_session_is_done_anew(path):
    pieces(ReviewJob(path, 0), 2)
    found = json.loads(kept(path).read_bytes())
    found["seats"]["0"]["judged"] *= 1000
    kept(path).write_text(json.dumps(found))
    assert ReviewJob(path, 0).review == Review([], [])
    reviewing, _ = whole(path)
    found["seats"]["0"] = msgspec.to_builtins(reviewing.review)
    found["seats"]["0"]["dealt"][0] = [10**400] * len(found["seats"]["0"]["dealt"][0])
    kept(path).write_text(json.dumps(found))
    assert ReviewJob(path, 0).review == Review([], [])
    found["seats"]["0"] = {"judged": [], "dealt": [[1, 2]]}
    kept(path).write_text(json.dumps(found))
    assert ReviewJob(path, 0).review == Review([], [])


def test_where_it_cannot_be_kept_it_is_done_all_the_same(path, monkeypatch):
    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(review_worker, "save", full)
    reviewing = ReviewJob(path, 0)
    pieces(reviewing, 2)
    assert reviewing.review.done_count == 2
    assert not kept(path).exists()


def test_of_a_journal_that_is_elsewhere_nothing_is_kept(path, tmp_path):
    elsewhere = tmp_path / "s.jsonl"
    elsewhere.write_bytes(path.read_bytes())
    pieces(ReviewJob(elsewhere, 0), 1)
    assert list(tmp_path.glob("*.json")) == []


def test_a_session_that_is_not_over_is_refused(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(recorded("gurka", "steady", rounds=2))
    with pytest.raises(CardtableError, match="the session is not over"):
        ReviewJob(path, 0)


def test_one_that_was_given_up_is_reviewed_also_in_the_round_in_progress(path):
    table = session_files.replay_journal(path, journal.read(recorded("gurka", "steady", rounds=2)))
    lines = recorded("gurka", "steady", rounds=3).splitlines(keepends=True)
    third = [i for i, line in enumerate(lines) if b'"chance":"deal ' in line][2]
    path.write_bytes(b"".join(lines[: third + 10]))
    session = ReviewJob(path, 0).session
    assert session.given_up
    assert {decision.round for decision in session.decisions} == {1, 2, 3}
    assert len(session.deals) == len(session.points) == len(table.scores) == 2


async def test_the_process_tells_what_there_is_and_then_each_piece(path):
    reviewing, child = ReviewJob(path, 0), WorkerProcess("cardtable.records.review_worker")
    pieces(reviewing, 2)
    async with aclosing(child.ask(ReviewRequest(path, 0))) as coming:
        assert await anext(coming) == reviewing.review
        third = await anext(coming)
    await child.stop()
    assert ReviewJob(path, 0).review.done_count == 2, "it is for who asked to keep them"
    pieces(reviewing, 1)
    assert reviewing.review.judged[2] == third


def test_the_process_ends_with_who_started_it(path):
    pipe = subprocess.PIPE
    with subprocess.Popen(build_command("cardtable.records.review_worker"), stdin=pipe, stdout=pipe) as process:
        process.stdin.write(encode_message(ANSWER, pickle.dumps(ReviewRequest(path, 0))))
        process.stdin.flush()
        process.stdout.read(1)
        process.stdin.close()
        process.stdout.close()
        assert process.wait(30) == 0
