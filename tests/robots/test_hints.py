"""Hints: the expert's choice, with reasons counted in sampled worlds."""

import re
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import NAME, card
from cardtable.engine.game import find_action
from cardtable.engine.referee import Referee
from cardtable.engine.tricks import Play
from cardtable.games import GAMES, KEYS
from cardtable.games.rikiki import expert as rikiki
from cardtable.records import review
from cardtable.robots import hints
from cardtable.robots.hints import Advice, AdviceLine, advise
from cardtable.robots.kit.hint_spec import Fact, HintSpec
from cardtable.robots.kit.robot import make_robot, no_time_limit
from cardtable.robots.kit.search import MonteCarloSearch
from cardtable.robots.kit.search_spec import Candidate, no_tree
from tests.games.rikiki.test_rules import start_session
from tests.games.rummy import test_rules as rummy
from tests.records.review_journals import review_decision
from tests.robots.positions import collect_positions


def get_advice(key, view, seed=1):
    return advise(key, view, Random(seed), no_time_limit)


def test_hint_for_sure_trick_that_makes_bid():
    game = start_session(after=4).deal("AS 2C 3C 2D 2H", "KC", "QC", "JC", then="KS")
    game.do("bid 1, bid 1, bid 1, bid 1")
    advice = get_advice("rikiki", game.view())
    by_name = {line.name: line for line in advice.lines}
    assert by_name["AS"].pros[0] == "takes the trick"
    assert by_name["2D"].cons[0] == "will probably lose the trick to seat 2"
    assert by_name["AS"].share == pytest.approx(1.0, abs=0.05), "there is no other trick in this hand"
    assert advice.goal_clause == "you make your bid"
    assert advice.sentence == "Play AS, which takes the trick; 2H is about as good."


def test_hint_counts_tricks_and_names_retained_card():
    by_name = {line.name: line for line in get_advice("rikiki", start_follow().view()).lines}
    assert "keeps KC for later" in by_name["3C"].pros
    assert any("take the trick" in reason for reason in by_name["KC"].reasons)


def replace_rollouts(monkeypatch, roll_out):
    """Let the search of Rikiki use these rollouts, without trees."""
    spec = replace(rikiki.SEARCH_SPEC, rollouts=lambda _view: roll_out, tree_config=no_tree)
    for module in (hints, review):
        monkeypatch.setattr(module, "load_search_spec", lambda _key, _worlds=None: spec)


def start_follow():
    """Return a round of Rikiki in which 3C or KC may be played."""
    game = start_session(after=4).deal("2C", "3C KC 2D 3D 4D", "AC", "4C", then="2S")
    return game.do("bid 0, bid 1, bid 1, bid 0, play 2C")


def test_lead_comes_from_other_worlds_than_the_choice(monkeypatch):
    """KC loses points in the worlds of the search only, by chance."""
    tried = []

    def roll_out(state, _luck):
        tried.append(state)
        is_unlucky = len(tried) <= 2 * rikiki.WORLDS and len(tried) % 4 == 2
        return [0.0, -20.0 * is_unlucky, 0.0, 0.0]

    replace_rollouts(monkeypatch, roll_out)
    monkeypatch.setattr(hints, "MonteCarloSearch", lambda spec: MonteCarloSearch(replace(spec, drop_threshold=99.0)))
    best, other = get_advice("rikiki", start_follow().view(), 2).lines
    assert (best.name, best.value) == ("3C", 0)
    assert (other.name, other.value, other.error) == ("KC", 0, 0)


def test_cards_alike_in_the_first_worlds_are_compared_in_more(monkeypatch):
    """KC loses points in one deal of twenty, in none of the first sixteen."""

    def roll_out(state, luck):
        return [0.0, -20.0 if luck > 0.95 and state.trick[-1:] == (card("KC"),) else 0.0, 0.0, 0.0]

    replace_rollouts(monkeypatch, roll_out)
    game = start_follow()
    best, other = get_advice("rikiki", game.view(), 2).lines
    assert (best.name, other.name) == ("3C", "KC")
    assert best.value - other.value == pytest.approx(1, abs=0.8)
    assert other.error > 0
    assert review_decision(game, "play KC")[2].cost == pytest.approx(1, abs=0.8)


@pytest.mark.parametrize(
    ("takes", "reasons"),
    [
        ({"AS": 1, "2H": 1}, ("takes the trick", "is of a good suit")),
        ({}, ("should bring you more points", "is of a good suit")),
    ],
)
def test_reasons_explain_the_difference_largest_part_first(monkeypatch, takes, reasons):
    """Taking the trick explains 9 of the 10 points by which AS is better than 2C, the suit one of them."""
    game = start_session(after=4).deal("AS 2C 9D 2H", "KC", "QC", "JC").do("bid 1, bid 1, bid 1, bid 1")
    values = {"AS": 10.0, "2H": 9.0, "9D": 1.0, "2C": 0.0}
    candidates = [
        Candidate(Play(card(name)), 0.0, [value] * 3, [[value, 0.0, 0.0, 0.0]] * 3) for name, value in values.items()
    ]

    def list_facts(_view, candidates, _worlds):
        names = [NAME[candidate.action.card] for candidate in candidates]
        return [
            (
                Fact("suit", name in ("AS", "9D"), "is of a good suit"),
                Fact("take", takes.get(name, 0), "takes the trick"),
            )
            for name in names
        ]

    monkeypatch.setattr(hints, "load_hint_spec", lambda _key: HintSpec(list_facts))
    advice = hints.make_advice("rikiki", game.view(), candidates, [], own_action=Play(card("2C")))
    assert advice.lines[0].pros == reasons


def test_hint_for_only_card():
    game = start_session(after=4).deal("2C", "3C 2D 3D 4D 5D", "AC", "4C", then="2S")
    game.do("bid 0, bid 1, bid 1, bid 0, play 2C")
    advice = get_advice("rikiki", game.view())
    assert advice.sentence == "Play 3C, which is the only card you may play."
    (line,) = advice.lines
    assert line.value is None


@pytest.mark.parametrize("key", KEYS)
def test_hint_is_experts_choice_in_one_line(key):
    expert = make_robot("expert", key)
    positions = collect_positions(key)
    for view, seed, _ in positions[:: len(positions) // 4]:
        advice = get_advice(key, view, seed)
        assert advice.lines[0].action == expert.choose(view, Random(seed), no_time_limit)
        assert len({line.action for line in advice.lines} & set(view.legal)) == len(advice.lines)
        assert advice.lines[0].name.lower() in advice.sentence.lower()
        assert advice.sentence.isprintable()
        assert len(advice.sentence) <= 150
        assert not re.search(r"%|\d\.\d|points (better|worse)|similar deals", advice.sentence), "words, not figures"
    assert get_advice(key, view, seed) == advice, "the same seed gives the same advice"


@pytest.mark.parametrize(
    ("hand", "passed", "reason"), [("5C 6C 7C KH", 0, True), ("5C 8C 2H KH", 0, False), ("5C 6C 7C KH", 24, False)]
)
def test_rummy_reason_for_keeping_melds_back(hand, passed, reason):
    """The reason applies only while there is time to meld, so not in the last turn."""
    game = rummy.start_round(hand, then="2D")
    for _ in range(passed):
        rummy.drop_drawn_card(game)
    view = game.do("stock").view()
    drop = next(action for action in view.legal if str(action) == "drop KH")
    advice = advise("rummy", view, Random(1), no_time_limit, drop)
    line = next(line for line in advice.lines if line.action == drop)
    assert ("keeps your melds hidden for now" in line.pros) is reason


def test_no_hint_for_a_seat_that_is_not_to_act():
    game = start_session(after=4).deal("2C", "3C", "AC", "4C", then="2S")
    waiting = game.table.view((game.table.turn + 1) % 4)
    assert get_advice("rikiki", waiting) == Advice(hints.NOTHING_TO_DECIDE, ())


def test_equal_choices_are_named_in_few_words():
    best, other = [
        AdviceLine(Play(card), NAME[card], 0.0, 0.0, True, None, pros=pros, equivalents=equivalents)
        for card, pros, equivalents in ((0, ("ruffs",), ("3C",)), (13, (), ("3D", "4D")))
    ]
    advice = Advice("", (best, other))
    assert hints.format_sentence(advice) == "Play 2C or 3C, which ruffs; 2D is just as good."
    assert advice.format_choice(other) == "2D is just as good. The same goes for 3D and 4D."


def test_late_hint_has_error_of_each_choice():
    for key in KEYS:
        view, seed, _ = collect_positions(key)[3]
        for line in advise(key, view, Random(seed), lambda: True).lines:
            assert line.error < 1000, (key, line)


def test_hint_while_the_contract_may_be_changed():
    """The dealer's low hand suits Miser, and no trump contract."""
    game = Referee(GAMES["king"], 4, GAMES["king"].options(), 0)
    game.advance()
    for named, sentence in (("spades", r"Choose Miser, .*; Trump spades is much worse\."), ("miser", r"Play ")):
        dealer = game.turn
        game.play(dealer, find_action(game.view(dealer).legal, f"contract {named}"))
        advice = get_advice("king", game.view(dealer))
        assert re.match(sentence, advice.sentence)
        assert all(line.action in game.view(dealer).legal for line in advice.lines)
        lead = next(action for action in game.view(dealer).legal if isinstance(action, Play))
        lines = advise("king", game.view(dealer), Random(1), no_time_limit, lead).lines
        assert lead in [line.action for line in lines], "a question about a card is not answered with a contract"
