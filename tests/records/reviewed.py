"""Journals of sessions in which seat 0 is to be reviewed."""

from dataclasses import replace
from random import Random

from cardtable.engine import journal
from cardtable.engine.game import OVER
from cardtable.engine.journal import Header, Occupant
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.records.review import Review, compute_next_piece, load_reviewed_session
from cardtable.robots.hints import load_search_spec
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.robots.kit.search import evaluate_all

NAMES = ("Anna", "Bo", "Cy", "Dee")
MOST = 8
"""Decisions of a session that are judged."""
ROUNDS = {"rikiki": 4, "gurka": 3, "bridge": 2, "ten_down": 3}
"""How many rounds are enough to see something, where that is not one."""


def recorded(key, level="expert", *, seed=1, rounds=1000, instead=None, people=(0,), id_="s", void=False, **house):
    """The bytes of the journal of a session that a robot of a level played in seat 0, against steady ones.

    ``instead`` has what is done instead, by number of the decision; with ``void`` the first round is dealt twice.
    """
    game, seats = GAMES[key], GAMES[key].about.usual_seats
    levels = [level, *["steady"] * (seats - 1)]
    options = replace(game.options().for_seats(seats), **house)
    sitting = [Occupant(NAMES[i], None if i in people else each) for i, each in enumerate(levels)]
    header = Header(
        cardtable=1, id=id_, game=key, created="2026-11-20T08:37:28Z", seed=seed,
        options=options.to_dict(), seats=tuple(sitting),
    )  # fmt: skip
    lines = [header]
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
            usual = (instead or {}).get(table.decisions)
            table.play(view.seat, usual or decide(robots[view.seat], view, seed, table.decisions))
    return journal.encode(lines)


def reviewed(data, seat=0):
    """A journal's session as a seat played it, and the review of its first decisions."""
    session = load_reviewed_session(journal.read(data), seat)
    review = Review([], [])
    for _ in session.decisions[:MOST]:
        compute_next_piece(session, review)
    return session, review


def blunder(session):
    """The decision in which most can be lost, its number, and the action that loses it."""
    guide = load_search_spec(session.header.game)
    lost = []
    for decision in session.decisions[:MOST]:
        found = sorted(evaluate_all(guide, decision.view, decision.view.legal, 40, Random(5)), key=lambda one: one.mean)
        lost.append((found[-1].mean - found[0].mean, decision.decisions, found[0].action))
    return max(lost, key=lambda each: each[0])[1:]
