"""``review`` and ``share``: output, choice of a seat, interruption."""

import json
import os
import re
import signal
import subprocess
import time
from datetime import date

import pytest
from msgspec import structs

from cardtable.engine.errors import GameFailed
from cardtable.records import review, review_worker
from cardtable.store import profiles
from tests.cli.playing import PROGRAM, parse_error
from tests.records.archive_sessions import write_daily_session
from tests.records.review_journals import record_session, search_few_worlds


@pytest.fixture
def archive_session(home, monkeypatch):
    """Return a function that writes a session into the archive and returns its id."""
    search_few_worlds(monkeypatch)

    def put(key="gurka", **how):
        limit = {"limit": 21} if key == "gurka" else {}
        data = record_session(key, "novice", **limit, **how)
        (home / "archive").mkdir(parents=True, exist_ok=True)
        (home / "archive" / "s.jsonl").write_bytes(data)
        return "s"

    return put


def test_review_sorts_by_cost_and_is_saved(cardtable, archive_session, home):
    id_ = archive_session()
    lines = cardtable("review", id_).read_output().splitlines()
    assert lines[0].split() == ["Gurka", "s", "Anna"]
    assert lines[1].split() == ["round", "decision", "chosen", "cost", "better"]
    assert "points each on average" in lines[-2]
    assert lines[-1].startswith("Same deals: Anna ")
    printed_review = json.loads(cardtable("review", id_, "--json").out)
    costs = [decision["cost"] for decision in printed_review["decisions"]]
    assert costs == sorted(costs, reverse=True)
    assert printed_review["complete"]
    assert printed_review["mean_cost"] == pytest.approx(sum(costs) / len(costs), abs=0.001)
    figures = ["rounds", "own_points", "expert_points", "standard_error", "runs", "lead_per_round"]
    assert set(printed_review["same_deals"]) == {*figures}
    assert review_worker.get_review_path(home / "archive" / "s.jsonl").exists()


def test_costs_have_no_error_if_all_deals_were_counted(cardtable, archive_session, monkeypatch):
    judge = review.judge_decision

    def judge_in_all_deals(*arguments):
        evaluation, advice = judge(*arguments)
        return structs.replace(evaluation, error=0.0, worlds=0), advice

    monkeypatch.setattr(review, "judge_decision", judge_in_all_deals)
    id_ = archive_session(key="rikiki", rounds=4)
    costs = [line for line in cardtable("review", id_).out.splitlines() if " bid " in line or " card " in line]
    assert any("all deals" in line for line in costs)
    assert all(("error" in line) is ("all deals" not in line) for line in costs)


def test_seat_is_required_for_several_people(cardtable, archive_session):
    id_ = archive_session(people=(0, 2))
    assert "0 Anna, 1 Bo, 2 Cy, 3 Dee" in cardtable("review", id_).read_error(2)
    nobody = cardtable("review", id_, "--seat", "Nobody").read_error(1)
    assert "nobody called 'Nobody' played in it: Anna, Bo, Cy, Dee, or 0 to 3" in nobody
    by_nick = cardtable("review", id_, "--seat", "Cy", "--json")
    assert json.loads(by_nick.out)["seat"] == 2
    assert cardtable("review", id_, "--seat", "2", "--json").out == by_nick.out


def test_rejects_unfinished_session(cardtable, home):
    (home / "sessions").mkdir(parents=True)
    (home / "sessions" / "s.jsonl").write_bytes(record_session("gurka", "steady", rounds=1))
    assert "is not over" in cardtable("review", "s").read_error(1)


def test_interrupted_review_is_saved(archive_session, home):
    id_ = archive_session()
    review_path = home / "archive" / "s.review.json"
    with subprocess.Popen(
        [*PROGRAM, "review", id_, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ}
    ) as process:
        while not review_path.exists() and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    printed_review = json.loads(out)
    assert process.returncode == 130
    assert not printed_review["complete"]
    assert parse_error(err.decode()).startswith(f"stopped after {len(printed_review['decisions'])} of ")
    assert len(json.loads(review_path.read_bytes())["seats"]["0"]["judged"]) == len(printed_review["decisions"])


def test_review_stopped_by_an_error_prints_partial_result(cardtable, archive_session, monkeypatch):
    compute_next_piece = review_worker.compute_next_piece

    def compute_and_fail(session, review, **how):
        if review.done_count:
            raise GameFailed("Gurka (gurka-game 1.0) has failed: no answer within 10 s")
        return compute_next_piece(session, review, **how)

    monkeypatch.setattr(review_worker, "compute_next_piece", compute_and_fail)
    result = cardtable("review", archive_session())
    assert (result.code, result.out.splitlines()[0].split()) == (1, ["Gurka", "s", "Anna"])
    assert re.fullmatch(
        r"stopped after 1 of \d+ steps: Gurka \(gurka-game 1\.0\) has failed: no answer within 10 s",
        parse_error(result.err),
    )


def test_share_prints_result_after_experts(cardtable, monkeypatch):
    search_few_worlds(monkeypatch, 3)
    monkeypatch.setattr(review, "MAX_RUNS", 1)
    profiles.register("Anna")
    profiles.sign_in("Anna")
    path = write_daily_session(date(2026, 11, 22))
    shared = cardtable("share")
    lines = shared.out.splitlines()
    assert lines[0] == "cardtable, deal of the day, 22 Nov 2026: Gurka"
    assert re.fullmatch(r"\d\w\w of 4 with \d+ points?, .* an expert on the same deal", lines[1])
    assert lines[2].endswith("rounds won, 1 day in a row")
    monkeypatch.setattr(review, "play_round_by_experts", lambda *_: pytest.fail("the experts' rounds are stored"))
    assert cardtable("share", path.stem[:12]).out == shared.out


def test_share_without_experts_when_stopped(cardtable, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(review, "play_round_by_experts", stop)
    shared = cardtable("share", write_daily_session(date(2026, 11, 22)))
    assert shared.code == 130
    assert len(shared.out.splitlines()) == 3
    assert "expert" not in shared.out
