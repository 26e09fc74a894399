"""Explanations of decisions: the expert's advice about another player's action, and what kind of player acted."""

import re

import msgspec
import pytest

from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.games.bridge.rules.actions import JACKS_ACTIONS
from cardtable.robots import worker
from cardtable.robots.kit.hint_spec import ANOTHER, format_action, format_action_in_sentence
from cardtable.wording import review
from tests.session.test_round_replay import RecordedSession

NAMES = ["You", "Ada", "Bo", "Cy"]


def play_round(key, level="steady", seed=1, **options):
    """Return a finished round, its header and the steps with a choice."""
    played = RecordedSession(key, GAMES[key].about.usual_seats, seed=seed, level=level, **options).play_through_round(1)
    replay = played.replay()
    return (
        replay,
        played.header,
        [step for step in replay.steps if step.seat is not None and not review.is_forced(step)],
    )


def explain(replay, header, step, names):
    advice = worker.compute_hint(review.create_hint_request(replay, step, header, names))
    return review.explain_decision(step, header, names, advice)


@pytest.mark.parametrize("key", GAMES)
def test_advice_uses_the_view_of_the_seat(key):
    replay, header, steps = play_round(key, level="novice")
    names = ["Eve", "Ada", "Bo", "Cy"]
    for step in steps[:: max(len(steps) // 3, 1)]:
        question = review.create_hint_request(replay, step, header, names)
        assert question.view is step.before[step.seat]
        assert question.view.seat == step.seat
        assert question.extra_action == step.event
        lines = explain(replay, header, step, names)
        assert lines[0].startswith(tuple([f"{names[step.seat]} {past} " for past in ("played", "bid", "chose")]))
        assert lines[1].startswith("The expert would have ")
        assert lines[-1].endswith("(novice) is hasty and forgetful. Robots see only their own cards.")
        assert not re.search(r"\byour?\b", " ".join(lines), re.IGNORECASE), "the acting player is not addressed as you"
        assert all(line.endswith(".") for line in lines)


def test_mistake_is_described_with_its_cost():
    replay, header, steps = play_round("gurka", level="random", seed=3)
    explanations = [lines for step in steps if "worse" in (lines := explain(replay, header, step, NAMES))[1]]
    assert explanations
    assert re.search(r"would have played .+, which .+; .+ is (much |a little )?worse\.", explanations[0][1])
    assert "(random) plays at random." in explanations[0][2]


def test_expert_agrees_with_an_expert():
    replay, header, steps = play_round("gurka", level="expert")
    for step in steps[:6]:
        chosen, name = explain(replay, header, step, ["Eve", *NAMES[1:]])
        assert chosen.startswith(f"{['Eve', *NAMES[1:]][step.seat]} played ")
        assert "(expert) looks ahead" in name


def test_own_decision_in_second_person():
    replay, header, steps = play_round("gurka")
    header = msgspec.structs.replace(header, seats=(Occupant("Anna"), *header.seats[1:]))
    own = next(step for step in steps if step.seat == 0)
    lines = explain(replay, header, own, NAMES)
    assert lines[0].startswith("You played ")
    assert "leaves you with AH" in lines[0]
    assert lines[-1] == "The expert sees only your cards."
    lines = explain(replay, header, own, ["Anna", "Ada", "Bo", "Cy"])
    assert "leaves them with AH" in lines[0]
    assert lines[-1] == "The expert sees only their cards."


def test_every_action_is_evaluated():
    replay, header, steps = play_round("ten_down", level="random", seed=2)
    for step in steps[::4]:
        advice = worker.compute_hint(review.create_hint_request(replay, step, header, NAMES))
        line = next(line for line in advice.lines if line.action == step.event)
        assert line.value is None or line.value <= advice.lines[0].value
        assert advice.format_line(line).startswith(line.name)


def test_forced_action():
    replay = RecordedSession("gurka", 4).play_through_round(1).replay()
    step = next(step for step in replay.steps if review.is_forced(step))
    assert review.explain_forced_step(step, NAMES) == [
        f"{NAMES[step.seat]} had no choice: {str(step.event).removeprefix('play ')} was the only legal move."
    ]


def test_jacks_action_in_second_and_third_person():
    less = JACKS_ACTIONS[0]
    assert (format_action(less), format_action_in_sentence(less)) == ("Less for you", "less for you")
    assert (format_action(less, ANOTHER), format_action_in_sentence(less, ANOTHER)) == (
        "Less for them",
        "less for them",
    )
