"""Review: cost of decisions, same deals, and the worker that computes and saves it."""

import json
import os
import pickle
import subprocess
from contextlib import aclosing
from random import Random

import msgspec
import pytest

from cardtable.engine import journal, replay
from cardtable.engine.cards import NAME
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import ActionLine, ChanceLine, UndoLine
from cardtable.games import GAMES, KEYS
from cardtable.records import review_worker
from cardtable.records.review import (
    CoachRequest,
    PastDecision,
    Review,
    compare_same_deals,
    compute_next_piece,
    judge_choice,
    judge_decision,
    load_reviewed_session,
    play_round_by_experts,
)
from cardtable.records.review_worker import ReviewJob, ReviewRequest
from cardtable.robots.kit.hint_spec import YOURSELF, make_score_scale
from cardtable.store import paths, session_files
from cardtable.wording.review import ReviewText
from cardtable.workers.client import WorkerProcess
from cardtable.workers.server import ANSWER, build_command, encode_message
from tests.journal_lines import select_lines
from tests.records.review_journals import (
    find_worst_action,
    record_expert_session,
    record_session,
    review_session,
    search_few_worlds,
)
from tests.toy import layaway
from tests.toy.game_plugins import plug_in


@pytest.mark.parametrize("key", KEYS)
def test_planted_blunder_is_listed_first(key):
    blunder = find_worst_action(load_reviewed_session(journal.read(record_expert_session(key)), 0))
    session, review = review_session(record_expert_session(key, blunder))
    costs = [judgement.cost for judgement in review.judged]
    first = session.decisions[costs.index(max(costs))]
    assert (first.decisions, first.action) == blunder
    assert sorted(costs)[-2] < max(costs)


def test_expert_play_costs_next_to_nothing():
    reviews = [review_session(record_expert_session(key))[1] for key in ("rikiki", "gurka", "bridge", "rifki")]
    costs = [judgement.cost for review in reviews for judgement in review.judged]
    assert sum(costs) / len(costs) < 0.1


def test_cost_is_zero_or_exceeds_its_error():
    session, review = review_session(record_session("gurka", "random", rounds=3))
    costly = [judgement for judgement in review.judged if judgement.cost]
    assert costly
    for decision, judgement in zip(session.decisions, review.judged, strict=False):
        assert judgement.cost == 0 or judgement.cost > judgement.error > 0
        assert judgement.choices[0].action != str(decision.action) or not judgement.cost
        assert str(decision.action) in [choice.action for choice in judgement.choices]
        best, own = judgement.choices[0], next(c for c in judgement.choices if c.action == str(decision.action))
        assert not judgement.cost or judgement.cost == pytest.approx(best.worth - own.worth, abs=0.02)
        assert all(choice.share is None or 0 <= choice.share <= 1 for choice in judgement.choices)
        assert 1 <= len(judgement.why) <= 2


def test_review_is_deterministic(monkeypatch):
    search_few_worlds(monkeypatch)
    data = record_session("gurka", "novice", rounds=1)
    assert review_session(data)[1] == review_session(data)[1]
    session = load_reviewed_session(journal.read(data), 0)
    assert play_round_by_experts(session, 0) == play_round_by_experts(session, 0)


@pytest.mark.parametrize("key", KEYS)
def test_hidden_cards_do_not_affect_evaluation(monkeypatch, key):
    search_few_worlds(monkeypatch)
    session = load_reviewed_session(journal.read(record_session(key, "random", rounds=1)), 0)
    game = GAMES[key]
    for decision in session.decisions[:: len(session.decisions) // 2 + 1]:
        other = game.imagine(decision.view, Random(3)).view(0)
        changed = type(decision)(decision.round, decision.line, decision.decisions, other, decision.action)
        assert judge_decision(key, 1, changed) == judge_decision(key, 1, decision)


def test_forced_decisions_and_unfinished_rounds_are_skipped():
    data = record_session("gurka", "steady", rounds=2)
    session = load_reviewed_session(journal.read(data), 0)
    assert all(len(decision.view.legal) > 1 for decision in session.decisions)
    lines = data.split(b"\n")
    last = max(i for i, line in enumerate(lines) if b'"chance"' in line)
    cut = b"\n".join(lines[: last + 12]) + b"\n"
    assert {decision.round for decision in load_reviewed_session(journal.read(cut), 0).decisions} == {1}
    assert len(load_reviewed_session(journal.read(cut), 0).deals) == 1


def test_decisions_of_practice_and_of_robots_are_skipped():
    """An extra card is no decision by the rules, and a round that robots finish is not the player's."""
    header, lines = journal.read(record_session("bridge", "random", rounds=1, open_hands="on")).header, []
    table = replay.create_referee(header, GAMES)
    table.record = lines.append
    table.advance()
    while not table.scores:
        seat, own = table.turn, table.decisions < 12
        table.play(seat, table.view(seat).legal[0], robot="steady" if seat == 0 and not own else None)
        if own and table.view(0).practice_actions:
            table.play(0, table.view(0).practice_actions[0])
    decided = select_lines(ActionLine, lines)
    own = [each for each in decided if each.seat == 0 and not each.robot and each.action != "give"]
    session = load_reviewed_session(journal.read(journal.encode(header, lines)), 0)
    assert any(each.robot for each in decided)
    assert 0 < len(session.decisions) <= len(own)
    assert max(one.decisions for one in session.decisions) < 12


def test_undone_decisions_are_skipped():
    data = record_session("rikiki", "steady", rounds=1)
    read = journal.read(data)
    lines = [entry.line for entry in read.entries]
    first = next(line for line in select_lines(ActionLine, lines) if line.seat == 0)
    at = lines.index(first)
    twice = [*lines[: at + 1], UndoLine(decisions=1), *lines[at:]]
    again = journal.read(journal.encode(read.header, twice))
    usual, undone = load_reviewed_session(read, 0), load_reviewed_session(again, 0)
    assert [(one.decisions, one.action) for one in undone.decisions] == [
        (one.decisions, one.action) for one in usual.decisions
    ]
    assert first.action == str(usual.decisions[0].action)
    assert undone.decisions[0].line == usual.decisions[0].line + 2


def test_review_uses_final_deal_of_each_round():
    read = journal.read(record_session("gurka", "steady", rounds=2, void=True))
    session = load_reviewed_session(read, 0)
    assert session.decisions[0].decisions == 1, "that of the void round is none"
    dealt = [line.outcome.split()[1:] for line in select_lines(ChanceLine, read) if line.is_deal]
    for deal, cards in zip(session.deals, dealt[1:], strict=True):
        hand = next(zone.cards for zone in GAMES["gurka"].scene(deal.view(0)) if zone.name == "hand")
        assert {NAME[card] for card in hand} == set(cards[: len(hand)])
    before = [deal.view(0) for deal in session.deals]
    play_round_by_experts(session, 1)
    assert [deal.view(0) for deal in session.deals] == before, "the deals themselves are not played"


def test_expert_beats_random_play_on_same_deals():
    session = load_reviewed_session(journal.read(record_session("rikiki", "random", rounds=2)), 0)
    review = Review([], [])
    whole = type(session)(session.header, 0, (), session.deals, session.points)
    assert compare_same_deals(whole, review) is None
    for _ in whole.deals:
        compute_next_piece(whole, review)
    same = compare_same_deals(whole, review)
    assert same.own == sum(session.points)
    assert same.runs == 4
    assert same.experts > same.own
    assert same.lead_per_round == pytest.approx((same.own - same.experts) / 2)


# --- review worker


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


def test_choices_name_players(monkeypatch):
    plug_in(monkeypatch, layaway)
    monkeypatch.setattr(layaway.Go, "label", "go to {1}")
    rng, state = Random(1), layaway.GAME.start(2, layaway.GAME.options())
    while layaway.GO not in state.legal():
        state.apply(state.draw_chance(rng) if state.turn < 0 else state.legal()[0])
    decision = PastDecision(1, 0, 0, state.view(state.turn), layaway.GO)
    assert judge_choice(CoachRequest("layaway", 1, decision, names=("Ada", "Bo"))).own == "going to Bo"
    evaluation, _ = judge_decision("layaway", 1, decision)
    pronouns = YOURSELF._replace(names=("Ada", "Bo"))
    text = ReviewText(layaway.GAME, decision, evaluation, make_score_scale(layaway.GAME), pronouns)
    assert (text.format_choice(layaway.GO), text.chosen) == ("Go to Bo", "Go to Bo")
