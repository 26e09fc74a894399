"""Review: blunders are found, expert play costs nothing, and hidden cards do not matter."""

from random import Random

import pytest

from cardtable.engine import journal, replay
from cardtable.engine.cards import NAME
from cardtable.engine.journal import ActionLine, ChanceLine, UndoLine
from cardtable.games import GAMES, KEYS
from cardtable.records.review import (
    Review,
    compare_same_deals,
    compute_next_piece,
    judge_decision,
    load_reviewed_session,
    play_round_by_experts,
)
from tests.journal_lines import select_lines
from tests.records.review_journals import (
    find_worst_action,
    record_expert_session,
    record_session,
    review_session,
    search_few_worlds,
)


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
