"""Journals of sessions in which seat 0 is reviewed."""

from dataclasses import replace
from functools import cache
from random import Random

from msgspec import structs

from cardtable.engine import journal
from cardtable.engine.game import OVER, find_action
from cardtable.engine.journal import Header, Occupant
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.records import review
from cardtable.records.review import (
    PastDecision,
    Review,
    ReviewedSession,
    compute_next_piece,
    judge_decision,
    load_reviewed_session,
)
from cardtable.robots import hints
from cardtable.robots.kit.robot import decide, load_search_spec, make_robot
from cardtable.robots.kit.search import evaluate_all
from cardtable.session.playable_session import create_transient_header

NAMES = ("Anna", "Bo", "Cy", "Dee")
MAX_DECISIONS = 6
"""Number of decisions of a session that are evaluated."""
ROUNDS_BY_GAME = {"rikiki": 4, "gurka": 2, "bridge": 2}
"""Number of rounds that give enough decisions, in games in which one round is too short."""


def record_session(
    key,
    level="expert",
    *,
    seed=1,
    rounds=1000,
    replacements=None,
    choices=None,
    people=(0,),
    id_="s",
    void=False,
    **house,
):
    """Return the journal of a session in which a robot of `level` plays seat 0 against steady robots.

    `replacements` maps the number of a decision to the action played there. After `choices` decisions of seat 0 a
    steady robot plays there. With `void` the first round is dealt twice.
    """
    game, seats = GAMES[key], GAMES[key].about.usual_seats
    levels = [level, *["steady"] * (seats - 1)]
    options = replace(game.options().for_seats(seats), **house)
    sitting = [Occupant(NAMES[i], None if i in people else each) for i, each in enumerate(levels)]
    header = Header(
        cardtable=3, id=id_, game=key, created="2026-11-20T08:37:28Z", seed=seed,
        options=options.to_dict(), seats=tuple(sitting),
    )  # fmt: skip
    lines = []
    table = Referee(game, seats, options, seed, lines.append)
    robots = [make_robot(each, key) for each in levels]
    if void:
        table.advance()
        table.play(table.turn, table.view(table.turn).legal[0])
        table.void("clock")
    while table.turn != OVER and len(table.scores) < rounds:
        table.advance()
        while table.turn >= 0:
            view = table.view(table.turn)
            usual = (replacements or {}).get(table.decisions)
            if view.seat == 0 and choices is not None and len(view.legal) > 1:
                choices -= 1
                if choices < 0:
                    robots[0] = make_robot("steady", key)
            table.play(view.seat, usual or decide(robots[view.seat], view, seed, table.decisions))
    return journal.encode(header, lines)


@cache
def record_expert_session(key, blunder=None):
    """Return the journal of a session in which the expert makes the decisions that `review_session` evaluates.

    `blunder` replaces one of them: its number, as in `find_worst_action`, and the action played there.
    """
    rounds, replacements = ROUNDS_BY_GAME.get(key, 1), {}
    if blunder:
        number, action = blunder
        usual = load_reviewed_session(journal.read(record_expert_session(key)), 0)
        replacements = {each.decisions: each.action for each in usual.decisions if each.decisions < number}
        replacements[number] = action
    return record_session(key, rounds=rounds, replacements=replacements, choices=MAX_DECISIONS)


def review_decision(game, action):
    """Return the session, the decision and its evaluation if the seat on turn of a `ScriptedGame` chooses `action`."""
    view = game.view()
    decision = PastDecision(view.round, 0, 0, view, find_action(view.legal, action))
    header = create_transient_header(
        "s", game.game, view.options, [Occupant(name) for name in NAMES[: game.table.seats]]
    )
    session = ReviewedSession(header, view.seat, (decision,), (), (), scores=tuple(game.table.scores))
    return session, decision, judge_decision(header.game, 1, decision)[0]


def search_few_worlds(monkeypatch, worlds=20):
    """Let hints and reviews search few worlds, where their figures are not the subject."""
    specs = {key: structs.replace(load_search_spec(key), worlds=worlds) for key in GAMES}
    monkeypatch.setattr(hints, "load_search_spec", lambda game, _worlds=None: specs[game])
    monkeypatch.setattr(review, "load_search_spec", lambda game, _worlds=None: specs[game])
    monkeypatch.setattr(review, "COMPARISON_WORLDS", 2 * worlds)


def review_session(data, seat=0):
    """Return the session of a journal as a seat played it, and the review of its first decisions."""
    session = load_reviewed_session(journal.read(data), seat)
    reviewed = Review([], [])
    for _ in session.decisions[:MAX_DECISIONS]:
        compute_next_piece(session, reviewed)
    return session, reviewed


def find_worst_action(session):
    """Return the number of the decision in which most can be lost, and the action that loses it."""
    spec = load_search_spec(session.header.game)
    lost = []
    for decision in session.decisions[:MAX_DECISIONS]:
        candidates = sorted(
            evaluate_all(spec, decision.view, decision.view.legal, 20, Random(5)), key=lambda one: one.mean
        )
        lost.append((candidates[-1].mean - candidates[0].mean, decision.decisions, candidates[0].action))
    return max(lost, key=lambda each: each[0])[1:]
