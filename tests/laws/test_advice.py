"""Hints, reasons and reviews of every game: the first line is best as printed, and texts agree with figures."""

import re
from functools import cache
from itertools import islice
from random import Random

import pytest

from cardtable.engine.bidding import Bid
from cardtable.engine.game import Declaration
from cardtable.engine.journal import Header, Occupant
from cardtable.engine.tricks import Play
from cardtable.games import GAMES, KEYS
from cardtable.plain import position_text
from cardtable.records.review import PastDecision, judge_decision
from cardtable.robots import hints
from cardtable.robots.hints import advise
from cardtable.robots.kit.hint_spec import (
    ABOUT_EQUAL_TEXT,
    ANOTHER,
    EQUAL_TEXT,
    YOURSELF,
    compare_facts,
    format_action_in_sentence,
)
from cardtable.robots.kit.robot import no_time_limit
from cardtable.robots.kit.search import MonteCarloSearch, draw_worlds
from cardtable.session.round_replay import Step
from cardtable.ui.table.paint.advice import ALIKE_MARK, paint_hint
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.wording import review as reasons_in_words
from tests.records.review_journals import search_few_worlds
from tests.robots.positions import collect_positions
from tests.ui.canvas_rendering import APPEARANCE, NAMES, get_rows, make_view_frame

POSITIONS = 20
"""Number of positions of each game that are tested."""
WORLDS = 20
"""Number of worlds; so few that many choices are equal within the error."""
FIGURE = re.compile(r"([-+−])(\d+\.\d)")
PLAIN_TEXT = re.compile(r"(\d+\.\d) points (better|worse)(?:, error (\d+\.\d))?")
SENSE = {key: -1 if GAMES[key].lowest_wins else 1 for key in KEYS}
every_game = pytest.mark.parametrize("key", KEYS, scope="module")
"""Parameter whose scope lets the tests of one game follow each other, in one process with one cache."""


@pytest.fixture(autouse=True)
def _few_worlds(monkeypatch):
    search_few_worlds(monkeypatch, WORLDS)


def list_positions(key):
    """Return positions of a game as views, seeds and numbers of decisions."""
    return collect_positions(key)[:: -(-len(collect_positions(key)) // POSITIONS)]


@cache
def find_advice(key):
    """Return these positions with their advice and number of decisions."""
    return [
        (view, decisions, advise(key, view, Random(seed), no_time_limit))
        for view, seed, decisions in list_positions(key)
    ]


@cache
def search_positions(key):
    """Return what the search finds in each of these positions."""
    search = MonteCarloSearch(hints.load_search_spec(key))
    return [search.compare(view, Random(seed), no_time_limit) for view, seed, _ in list_positions(key)]


def parse_figure(text):
    """Return the first figure of a text on the screen, or None."""
    match = FIGURE.search(text)
    return float(match[2]) * (1 if match[1] == "+" else -1) if match else None


def read_plain_lines(advice, capsys):
    """Return the alternatives in plain text: lead, error and text of each."""
    capsys.readouterr()
    position_text.print_figures(advice)
    matches = [(PLAIN_TEXT.search(line), line) for line in capsys.readouterr().out.splitlines()[1:]]
    return [(float(f[1]) * (1 if f[2] == "better" else -1), float(f[3] or 0), line) for f, line in matches if f]


def read_screen_lines(key, view, advice):
    """Return the alternatives on a screen that has room for all."""
    seen = make_view_frame(GAMES[key], view, waiting=True, advice=advice)
    canvas = Canvas(120, 60, APPEARANCE)
    paint_hint(canvas, seen, shows_figures=True)
    heads = [i for i, row in enumerate(get_rows(canvas)) if advice.scale.column_heading in row]
    rows = get_rows(canvas)[heads[0] + 1 :] if heads else []
    return [row for row in rows if parse_figure(row) is not None]


@every_game
def test_first_line_has_the_best_figure(key, capsys):
    compared = 0
    for view, _, advice in find_advice(key):
        spoken = [lead for lead, _, _ in read_plain_lines(advice, capsys)]
        painted = [SENSE[key] * parse_figure(row) for row in read_screen_lines(key, view, advice)]
        for figures in (spoken, painted):
            assert not figures or figures[0] == max(figures), advice.sentence
            assert not figures or figures[0] >= 0 >= max(figures[1:], default=0)
            compared += len(figures) > 1
        assert spoken == painted
    assert compared > POSITIONS / 2


@every_game
def test_values_of_advice_share_one_scale(key):
    """Each figure is the distance from the best of the other choices, with the same sign for better."""
    for _, _, advice in find_advice(key):
        worths = [line.value for line in advice.lines]
        leads = [advice.compute_lead(line) for line in advice.lines]
        if len(worths) < 2:
            continue
        assert None not in worths
        assert leads[0] == pytest.approx(worths[0] - max(worths[1:]), abs=0.001)
        assert leads[1:] == pytest.approx([worth - worths[0] for worth in worths[1:]], abs=0.001)
        assert leads[1:] == sorted(leads[1:], reverse=True)
        assert ("lower is better" in advice.scale.column_heading) == GAMES[key].lowest_wins
        assert ("lower is better" in advice.scale.list_heading) == GAMES[key].lowest_wins


@every_game
def test_too_close_only_within_the_error(key, capsys):
    alike = 0
    for view, _, advice in find_advice(key):
        rows = read_screen_lines(key, view, advice)
        for i, (lead, error, line) in enumerate(read_plain_lines(advice, capsys)):
            close = i > 0 and -lead <= error
            standing, _, _ = line.partition(";")
            assert (ABOUT_EQUAL_TEXT in standing or EQUAL_TEXT in standing) == close, line
            assert (ALIKE_MARK in rows[i]) == close, rows[i]
            assert not error or f"±{error:.1f}" in rows[i]
            alike += close
    assert alike


@every_game
def test_reasons_of_every_line(key):
    for view, _, advice in find_advice(key):
        best, *others = advice.lines
        assert best.pros or advice.lines[1].is_as_good, advice.sentence
        assert not best.cons
        for line in others:
            assert line.cons or line.is_as_good, line.name
        for line in advice.lines:
            assert line.action in view.legal
            assert len(set(line.reasons)) == len(line.reasons)
            assert len([reason for reason in line.reasons if reason.startswith("but ")]) <= 1
            assert not re.search(r"\d of \d", " ".join([advice.sentence, *line.reasons])), "shares are per cent"
        names = [line.name for line in advice.lines]
        assert len(set(names)) == len(names)
        assert all(reason in advice.sentence for reason in best.pros[:1])


@every_game
def test_no_reason_favours_the_second_line(key):
    search_spec, hint_spec = hints.load_search_spec(key), hints.load_hint_spec(key)
    shared_count = 0
    for (view, seed, _), candidates in zip(list_positions(key), search_positions(key), strict=True):
        worlds = [world for world, _ in islice(draw_worlds(search_spec, view, Random(seed)), 10)]
        advice = hints.make_advice(key, view, candidates, worlds)
        if len(advice.lines) < 2:
            continue
        facts = dict(zip([one.action for one in candidates], hint_spec.facts(view, candidates, worlds), strict=True))
        best, second = (facts[line.action] for line in advice.lines[:2])
        pros, cons = compare_facts(best, second)
        assert not set(pros) & set(cons)
        against = {YOURSELF.fill_in(text) for text in cons.values() if text}
        assert not against & set(advice.lines[0].pros), advice.sentence
        shared_count += bool(set(map(YOURSELF.fill_in, pros.values())) & set(advice.lines[0].pros))
    assert shared_count


@every_game
def test_pronouns_of_hints(key):
    for (view, seed, _), (*_, to_her) in [*zip(list_positions(key), find_advice(key), strict=True)][::2]:
        of_her = advise(key, view, Random(seed), no_time_limit, pronouns=ANOTHER)
        own, other = (
            " ".join([advice.sentence, *map(advice.format_line, advice.lines)]) for advice in (to_her, of_her)
        )
        assert not re.search(r"\b(they|their|them)\b", own), own
        assert not re.search(r"\byour?\b", other, re.IGNORECASE), other
        assert not {"{", "}"} & {*own, *other}


@every_game
def test_sentence_agrees_with_figures(key):
    compared = 0
    for _, _, advice in find_advice(key):
        others = advice.lines[1:]
        _, _, beside = advice.sentence.partition("; ")
        assert not re.search(r"%|\d\.\d|similar deals", advice.sentence), "a hint begins with words"
        if not others or not beside:
            continue
        compared += 1
        unequal = [line for line in others if line.error or advice.compute_lead(line)]
        second = (unequal or others)[0]
        lead = -advice.compute_lead(second)
        assert second.is_as_good == ("worse" not in beside)
        if second.is_as_good:
            assert (EQUAL_TEXT in beside) == (advice.compute_lead(second) == 0 and not second.error), advice.sentence
        else:
            assert ("much" in beside) == (lead >= 2 * advice.scale.big_mistake > 0)
            assert ("a little" in beside) == (lead < advice.scale.big_mistake / 2)
    assert compared


@every_game
def test_hints_list_reasonable_choices(key):
    """Cards, contracts, melds and neighbouring bids have a line or are named as equivalent to one."""
    for view, _, advice in find_advice(key):
        if len(advice.lines) == 1:
            continue
        listed = {name for line in advice.lines for name in (line.name, *line.equivalents)}
        best = advice.lines[0].action
        for action in view.legal:
            near = isinstance(action, Bid) and isinstance(best, Bid) and abs(action.tricks - best.tricks) == 1
            card = isinstance(action, Play) and isinstance(best, Play) and key != "gurka"
            contract = isinstance(action, Declaration) and isinstance(best, Declaration)
            if near or card or contract:
                assert format_action_in_sentence(action) in listed or hints.format_action(action) in listed, (
                    advice.sentence,
                    action,
                )


def remove_names(texts, actions):
    """Replace the names of actions in texts by X."""
    names = sorted(
        {text for action in actions for text in (format_action_in_sentence(action), hints.format_action(action))},
        key=len,
        reverse=True,
    )
    return [re.sub("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names), "X", text) for text in texts]


@every_game
def test_review_agrees_with_figures_without_repetition(key):
    mistakes = 0
    for view, _, decisions in list_positions(key)[::2]:
        own = Random(decisions).choice(view.legal)
        evaluation, _ = judge_decision(key, 1, PastDecision(view.round, 0, decisions, view, own))
        best, chosen = evaluation.choices[0], next(one for one in evaluation.choices if one.action == str(own))
        assert best.worth == max(one.worth for one in evaluation.choices)
        assert evaluation.cost == pytest.approx(0 if chosen.as_good else best.worth - chosen.worth)
        assert (evaluation.cost == 0) == chosen.as_good
        assert all(one.as_good for one in evaluation.choices if one.worth == best.worth)
        assert len(set(remove_names(evaluation.why, view.legal))) == len(evaluation.why), evaluation.why
        mistakes += evaluation.cost > 0
    assert mistakes


@every_game
def test_explanation_has_no_repetition(key):
    header = Header(
        cardtable=3, id="x", game=key, created="2026-11-20T08:37:28Z", seed=1, options={},
        seats=tuple([Occupant(name, "steady") for name in ("Ada", "Bo", "Cy", "Dee", "Eve", "Flo")]),
    )  # fmt: skip
    for view, _, decisions in list_positions(key)[::2]:
        own = Random(decisions).choice(view.legal)
        advice = advise(key, view, Random(1), no_time_limit, own)
        step = Step(own, [view] * len(view.totals), [view] * len(view.totals), decisions, (), 1)
        sentences = reasons_in_words.explain_decision(step, header, NAMES, advice)
        parts = [part for text in sentences for part in re.split(r"; |\. ", text)]
        assert len(set(remove_names(parts, view.legal))) == len(parts), sentences
