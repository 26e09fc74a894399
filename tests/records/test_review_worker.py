"""Review worker: stopped, continued, stale and damaged reviews."""

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
from tests.records.review_journals import record_session, search_few_worlds


@pytest.fixture
def path(monkeypatch):
    """Journal of a session in the archive that was abandoned after its first round."""
    search_few_worlds(monkeypatch, 6)
    paths.archive_folder().mkdir(parents=True)
    path = paths.archive_folder() / "s.jsonl"
    path.write_bytes(record_session("gurka", "novice", people=(0, 2), rounds=1))
    return path


def compute_pieces(reviewing, number):
    """Compute `number` pieces of a review and stop."""
    steps = reviewing.iter_pieces()
    for _ in range(number):
        next(steps)
    steps.close()


def finish_review(path, seat=0):
    reviewing = ReviewJob(path, seat)
    done = len(list(reviewing.iter_pieces()))
    return reviewing, done


def get_review_file(path):
    return review_worker.get_review_path(path)


def test_stopped_review_continues(path):
    first = ReviewJob(path, 0)
    compute_pieces(first, 3)
    again, done = finish_review(path)
    assert done == again.session.step_count - 3
    assert again.review.judged[:3] == first.review.judged
    assert finish_review(path)[1] == 0
    data = get_review_file(path).read_bytes()
    get_review_file(path).unlink()
    assert finish_review(path)[0].review == again.review, "in one go it is the same"
    assert get_review_file(path).read_bytes() == data


def test_reviews_of_several_seats_share_a_file(path):
    compute_pieces(ReviewJob(path, 0), 2)
    compute_pieces(ReviewJob(path, 2), 1)
    assert ReviewJob(path, 0).review.done_count == 2
    assert ReviewJob(path, 2).review.done_count == 1


def test_review_is_stale_after_journal_changed(path):
    compute_pieces(ReviewJob(path, 0), 2)
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(1, 1))
    assert ReviewJob(path, 0).review == Review([], [])


def replace_review_members(file, **members):
    """Return the bytes of the review file with other values in the first decision of seat 0."""
    content = json.loads(file.read_bytes())
    content["seats"]["0"]["judged"][0].update(members)
    return json.dumps(content).encode()


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.read_bytes().replace(b'"cost"', b'"price"', 1),
        lambda file: replace_review_members(file, cost=-1),
        lambda file: replace_review_members(file, cost="much"),
        lambda file: replace_review_members(file, choices=[]),
        lambda file: replace_review_members(file, why=["\x1b]52;c;AAAA\x07"]),
        lambda file: replace_review_members(file, aim="\u202e"),
        lambda file: replace_review_members(file, cost=1e300),
        lambda file: replace_review_members(
            file, choices=[{"action": "play \x1b[2J", "worth": 1, "as_good": True, "share": None}]
        ),
        lambda file: msgspec.json.encode({"version": 2, "traces": [0, 0, 0], "seats": {}}),
    ],
)
def test_damaged_review_file_is_recomputed(path, damage):
    compute_pieces(ReviewJob(path, 0), 2)
    before = get_review_file(path).read_bytes()
    get_review_file(path).write_bytes(damage(get_review_file(path)))
    again = ReviewJob(path, 0)
    assert again.review == Review([], [])
    compute_pieces(again, 2)
    assert get_review_file(path).read_bytes() == before


def test_review_file_that_does_not_fit_the_session(path):
    compute_pieces(ReviewJob(path, 0), 2)
    content = json.loads(get_review_file(path).read_bytes())
    content["seats"]["0"]["judged"] *= 1000
    get_review_file(path).write_text(json.dumps(content))
    assert ReviewJob(path, 0).review == Review([], [])
    reviewing, _ = finish_review(path)
    content["seats"]["0"] = msgspec.to_builtins(reviewing.review)
    content["seats"]["0"]["dealt"][0] = [10**400] * len(content["seats"]["0"]["dealt"][0])
    get_review_file(path).write_text(json.dumps(content))
    assert ReviewJob(path, 0).review == Review([], [])
    content["seats"]["0"] = {"judged": [], "dealt": [[1, 2]]}
    get_review_file(path).write_text(json.dumps(content))
    assert ReviewJob(path, 0).review == Review([], [])


def test_review_continues_when_disk_is_full(path, monkeypatch):
    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(review_worker, "save", full)
    reviewing = ReviewJob(path, 0)
    compute_pieces(reviewing, 2)
    assert reviewing.review.done_count == 2
    assert not get_review_file(path).exists()


def test_no_review_file_outside_the_archive(tmp_path):
    elsewhere = tmp_path / "s.jsonl"
    elsewhere.write_bytes(record_session("gurka", "steady", limit=21))
    compute_pieces(ReviewJob(elsewhere, 0), 1)
    assert list(tmp_path.glob("*.json")) == []


def test_unfinished_session_is_refused(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(record_session("gurka", "steady", rounds=2))
    with pytest.raises(CardtableError, match="the session is not over"):
        ReviewJob(path, 0)


def test_abandoned_session_is_reviewed_to_its_last_round(path):
    table = session_files.replay_journal(path, journal.read(record_session("gurka", "steady", rounds=2)))
    lines = record_session("gurka", "steady", rounds=3).splitlines(keepends=True)
    third = [i for i, line in enumerate(lines) if b'"chance":"deal ' in line][2]
    path.write_bytes(b"".join(lines[: third + 10]))
    session = ReviewJob(path, 0).session
    assert session.is_abandoned
    assert {decision.round for decision in session.decisions} == {1, 2, 3}
    assert len(session.deals) == len(session.points) == len(table.scores) == 2


async def test_worker_sends_saved_review_then_each_piece(path, monkeypatch):
    monkeypatch.undo()  # the process searches all worlds
    reviewing, child = ReviewJob(path, 0), WorkerProcess("cardtable.records.review_worker")
    compute_pieces(reviewing, 2)
    async with aclosing(child.ask(ReviewRequest(path, 0))) as answers:
        assert await anext(answers) == reviewing.review
        third = await anext(answers)
    await child.stop()
    assert ReviewJob(path, 0).review.done_count == 2, "it is for who asked to keep them"
    compute_pieces(reviewing, 1)
    assert reviewing.review.judged[2] == third


def test_worker_ends_with_its_parent(path):
    pipe = subprocess.PIPE
    with subprocess.Popen(build_command("cardtable.records.review_worker"), stdin=pipe, stdout=pipe) as process:
        process.stdin.write(encode_message(ANSWER, pickle.dumps(ReviewRequest(path, 0))))
        process.stdin.flush()
        process.stdout.read(1)
        process.stdin.close()
        process.stdout.close()
        assert process.wait(30) == 0
