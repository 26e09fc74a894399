"""Hints, reasons and reviews of every game: the first is best as printed, and sentences and figures never disagree."""

import re
from dataclasses import replace
from functools import cache
from operator import mul
from random import Random
from statistics import fmean

import pytest

from cardtable.engine.journal import Header, SeatOf
from cardtable.games import GAMES, KEYS
from cardtable.plain import reading
from cardtable.play.finished_round import Step
from cardtable.records import review
from cardtable.records.review import PastDecision, judge
from cardtable.robots import coach
from cardtable.robots.coach import advise
from cardtable.robots.kit.lesson import ANOTHER, YOURSELF, how_often, inside
from cardtable.robots.kit.measure import WITHIN
from cardtable.robots.kit.robot import never
from cardtable.robots.kit.search import Searcher
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.table.paint.hint import ALIKE, paint_hint
from cardtable.wording import why
from tests.robots.positions import positions
from tests.ui.painted import LOOK, NAMES, framed, rows

POSITIONS = 30
"""Positions of each game that are looked at, ..."""
WORLDS = 20
"""... in so few worlds that much is as good within the error."""
FIGURE = re.compile(r"([-+\u2212]|plus |minus )(\d+\.\d)")
SENSE = {key: -1 if GAMES[key].lowest_wins else 1 for key in KEYS}
every_game = pytest.mark.parametrize("key", KEYS)


@pytest.fixture(autouse=True)
def _cheap(monkeypatch):
    real = coach.guide_of
    few = {key: replace(real(key), worlds=WORLDS) for key in KEYS}
    monkeypatch.setattr(coach, "guide_of", few.__getitem__)
    monkeypatch.setattr(review, "guide_of", few.__getitem__)
    monkeypatch.setattr(review, "WORLDS", 2 * WORLDS)


@cache
def some(key):
    """Positions with the advice that is given there."""
    found = positions(key)[:: -(-len(positions(key)) // POSITIONS)]
    return [(view, decisions, advise(key, view, Random(seed), never)) for view, seed, decisions in found]


def figure(text):
    """The first figure of a text, as printed; ``None`` where there is none."""
    found = FIGURE.search(text)
    return float(found[2]) * (1 if found[1] in ("+", "plus ") else -1) if found else None


def in_lines(advice, capsys):
    """The alternatives as plain lines print them."""
    capsys.readouterr()
    reading.advice(advice)
    return [line for line in capsys.readouterr().out.splitlines() if figure(line) is not None]


def on_the_screen(key, view, advice):
    """The alternatives as the screen shows them, where all are in sight."""
    seen = framed(GAMES[key], view, waiting=True, advice=advice)
    canvas = Canvas(120, 60, LOOK)
    paint_hint(canvas, seen)
    return [row for row in rows(canvas) if figure(row) is not None]


@every_game
def test_the_first_line_of_a_hint_is_the_best_by_the_number_that_is_printed(key, capsys):
    compared = 0
    for view, _, advice in some(key):
        for printed in (in_lines(advice, capsys), on_the_screen(key, view, advice)):
            figures = [figure(line) for line in printed]
            assert SENSE[key] * figures[0] == max(SENSE[key] * each for each in figures) if figures else True, printed
            compared += len(figures) > 1
    assert compared > POSITIONS / 2


@every_game
def test_what_is_as_good_within_the_error_says_so(key, capsys):
    alike = 0
    for view, _, advice in some(key):
        lines = in_lines(advice, capsys)
        assert [WITHIN in line for line in lines[1:]] == [line.as_good for line in advice.lines[1:]] * bool(lines)
        shown = on_the_screen(key, view, advice)
        assert [ALIKE in row for row in shown[1:]] == [line.as_good for line in advice.lines[1:]]
        equal = [each for each, line in zip(lines, advice.lines, strict=False) if line.worth == advice.lines[0].worth]
        assert all(WITHIN in each for each in equal[1:]), "what is printed alike is as good"
        alike += any(line.as_good for line in advice.lines[1:])
    assert alike


@every_game
def test_figures_have_the_sign_of_the_score_sheet(key):
    """What is printed first is what the seat gets more than the others, as the sheet of the game counts."""
    guide = coach.guide_of(key)
    for view, seed, _ in positions(key)[::9]:
        advice = advise(key, view, Random(seed), never)
        found = Searcher(guide).compare(view, Random(seed), never)
        if advice.lines[0].worth is None:
            continue
        printed = advice.measure.figure(advice.lines[0].worth)
        assert printed == pytest.approx(SENSE[key] * guide.in_points(view, found[0].mean), abs=0.051)
        if key in ("gurka", "rikiki", "ten_down"):
            on_sheet = [[SENSE[key] * each for each in points] for points in found[0].points]
            more = [points[view.seat] - fmean(p for s, p in enumerate(points) if s != view.seat) for points in on_sheet]
            likely = found[0].chances or [1 / len(more)] * len(more)
            assert printed == pytest.approx(sum(map(mul, likely, more)), abs=0.051)


def amounts(sentence):
    """The amounts of points that a sentence tells, with the sign that they have on the sheet."""
    told = re.findall(r"(costs )?about (\d+(?:\.\d)?) points (fewer|behind)?", sentence)
    return [-float(amount) if minus or fewer else float(amount) for minus, amount, fewer in told]


def agrees(sentence, measure, line):
    """A sentence about an action says nothing else than its figures do."""
    for amount in amounts(sentence):
        assert amount == pytest.approx(measure.figure(line.worth), abs=0.051 if abs(amount) < 10 else 0.51), sentence
    if "level with" in sentence or "changes nothing" in sentence:
        assert line.worth == 0, sentence
    if line.share is not None and (said := re.search(r"in (\d+ of \d+) deals", sentence)):
        assert said[1] == how_often(line.share), sentence
    assert "costs nothing" not in sentence


@every_game
def test_a_hint_is_told_to_who_is_to_act_or_of_that_one(key):
    for view, seed, _ in positions(key)[::12]:
        to_her, of_her = (advise(key, view, Random(seed), never, person=person) for person in (YOURSELF, ANOTHER))
        own, other = (" ".join([given.sentence, *map(given.about, given.lines)]) for given in (to_her, of_her))
        assert not re.search(r"\b(they|their|them)\b", own), own
        assert not re.search(r"\byour?\b", other, re.IGNORECASE), other
        assert not {"{", "}"} & {*own, *other}


@every_game
def test_the_sentence_of_a_hint_agrees_with_its_figures(key):
    compared = 0
    for _, _, advice in some(key):
        best, *others = advice.lines
        about, _, beside = advice.sentence.partition("; ")
        agrees(about, advice.measure, best)
        for line in others:
            if not beside.startswith((f"{inside(line.action)} ", f"with {inside(line.action)} ")):
                continue
            compared += 1
            lag = best.worth - line.worth
            if worse := re.search(r" (\d+(?:\.\d)?) points worse", beside):
                assert float(worse[1]) == pytest.approx(lag, abs=0.051 if lag < 10 else 0.51)
            assert ("does as well" in beside) == (lag == 0), advice.sentence
            assert (WITHIN in beside) == (line.as_good and lag > 0), advice.sentence
            assert " in 0 of 10" not in beside or line.share == 0
    assert compared


def without_names(texts, actions):
    """What is said, whatever it is said of."""
    names = sorted({text for action in actions for text in (inside(action), coach.name(action))}, key=len, reverse=True)
    return [re.sub("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names), "X", text) for text in texts]


@every_game
def test_no_review_says_a_thing_twice_or_against_its_figures(key):
    mistakes = 0
    for view, decisions, _ in some(key):
        own = Random(decisions).choice(view.legal)
        found = judge(key, 1, PastDecision(view.round, 0, decisions, view, own))
        best, chosen = found.choices[0], next(one for one in found.choices if one.action == str(own))
        assert best.worth == max(one.worth for one in found.choices)
        assert found.cost == pytest.approx(0 if chosen.as_good else best.worth - chosen.worth)
        assert (found.cost == 0) == chosen.as_good
        assert all(one.as_good for one in found.choices if one.worth == best.worth)
        assert len(set(without_names(found.why, view.legal))) == len(found.why), found.why
        measure = coach.Measure(GAMES[key].lowest_wins, len(view.totals), found.lasting)
        told = [(found.why[0], best), *([(found.why[1], chosen)] if len(found.why) > 1 else [])]
        for sentence, choice in told:
            agrees(sentence, measure, choice)
        if len(found.why) > 1:
            assert (WITHIN in found.why[1] or "does as well" in found.why[1]) == chosen.as_good, found.why
        mistakes += found.cost > 0
    assert mistakes


@every_game
def test_why_says_nothing_twice(key):
    header = Header(
        cardtable=1, id="x", game=key, created="2026-11-20T08:37:28Z", seed=1, options={},
        seats=tuple([SeatOf(name, "steady") for name in ("Ada", "Bo", "Cy", "Dee", "Eve", "Flo")]),
    )  # fmt: skip
    for view, decisions, _ in some(key):
        own = Random(decisions).choice(view.legal)
        advice = advise(key, view, Random(1), never, own)
        step = Step(own, [view] * len(view.totals), [view] * len(view.totals), decisions, (), 1)
        said = why.reasons(step, header, NAMES, advice)
        parts = [part for text in said for part in re.split(r": |; |\. ", text)]
        assert len(set(without_names(parts, view.legal))) == len(parts), said
        of_chosen = [text for text in re.findall(r"[^;:]*\d+ of \d+", "; ".join(said)) if inside(own) in text]
        assert len(of_chosen) <= 1, said
