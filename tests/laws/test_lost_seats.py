"""Sessions on terms: robots decide for people who are late, and seats lose the session, which goes on."""

from itertools import count
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine import journal, replay
from cardtable.engine.checksummed_jsonl import JournalError
from cardtable.engine.game import OVER
from cardtable.engine.journal import ActionLine, Header, LostLine, Occupant, OccupantLine, PlayerClock, Terms
from cardtable.engine.referee import IllegalAction, rank_lost_last
from cardtable.games import GAMES
from cardtable.store import summaries
from tests.budgets import get_trials
from tests.laws.sessions import CASES, get_share
from tests.records.archive_sessions import archive_journal

every_case = pytest.mark.parametrize("case", CASES, ids=str)
TERMS = Terms(rated=True, aids=False, clock=PlayerClock(30, 300))


def play_on_terms(case, seed):
    """Return the referee and the journal of a session of people, some of whom are late or lose it."""
    game, rng, lines = case.game, Random(seed), []
    header = Header(
        cardtable=journal.VERSION,
        id=f"{game.about.key}-{seed}",
        game=game.about.key,
        created="2026-11-20T08:37:28Z",
        seed=seed,
        options=case.options.to_header(),
        seats=(*[Occupant(f"P{seat}") for seat in range(case.seats - 1)], Occupant("Bo", "steady")),
        terms=TERMS,
    )
    table = replay.create_referee(header, {game.about.key: game})
    table.record = lines.append
    own, due, late = ([0] * case.seats for _ in range(3))
    while table.turn != OVER:
        table.advance()
        if table.turn == OVER:
            break
        seat = rng.choice(table.list_seats_to_act())
        if rng.random() < 0.02 and seat in header.people and seat not in table.occupants.lost:
            table.record_line(LostLine(seat, rng.choice(["clock", "left"]), "steady"))
        state = table.state.copy()
        if seat != state.turn:
            state.give_turn(seat)
        legal = state.legal()
        is_late = rng.random() < 0.1 and seat in header.people
        robot = "steady" if is_late or seat in table.occupants.lost else None
        why = rng.choice(["clock", "round"]) if is_late and seat not in table.occupants.lost else None
        others = [other for other in header.people if other != seat and other not in table.occupants.lost]
        due[seat] += len(legal) > 1
        own[seat] += len(legal) > 1 and robot is None and seat in header.people
        late[seat] += len(legal) > 1 and why == "clock" and bool(others)
        table.play(seat, rng.choice(legal), robot=robot, why=why)
    return table, header, lines, (own, due, late)


def read_back(header, lines):
    return journal.read(journal.encode(header, lines))


@every_case
def test_journals_read_back_equal(case):
    games = {case.game.about.key: case.game}
    for seed in range(get_share(get_trials("soak"), case)):
        table, header, lines, counted = play_on_terms(case, seed)
        written = read_back(header, lines)
        assert [entry.line for entry in written.entries] == lines
        again = replay.load(written, games, read_only=True)
        for copy in (again, again.copy()):
            assert (copy.occupants.lost, copy.ranks, copy.totals) == (table.occupants.lost, table.ranks, table.totals)
            assert (copy.occupants.own, copy.occupants.due, copy.occupants.late) == counted
        assert (table.result.own, table.result.due, table.result.late) == tuple(map(tuple, counted))
        for end in range(0, len(lines), 1 + len(lines) // 20):
            cut = replay.load(read_back(header, lines[:end]), games)
            assert list(cut.occupants.lost) == [line.seat for line in lines[:end] if isinstance(line, LostLine)]


@every_case
def test_lost_seats_rank_last_and_change_no_points(case):
    games = {case.game.about.key: case.game}
    for seed in range(get_share(get_trials("soak"), case)):
        table, header, lines, _ = play_on_terms(case, seed)
        played = [line for line in lines if not isinstance(line, LostLine | journal.ResultLine)]
        plain = replay.load(read_back(header, [clean(line) for line in played]), games)
        assert (plain.totals, plain.scores) == (table.totals, table.scores)
        losers = {seat for side in table.sides for seat in side if table.occupants.lost.keys() & {*side}}
        if not losers:
            assert plain.ranks == table.ranks
            continue
        others = [seat for seat in range(case.seats) if seat not in losers]
        assert len({table.ranks[seat] for seat in losers}) == 1
        assert all(table.ranks[seat] < table.ranks[loser] for seat in others for loser in losers)
        assert not others or min(table.ranks[seat] for seat in others) == 1
        for one in others:
            for other in others:
                assert (plain.ranks[one] < plain.ranks[other]) == (table.ranks[one] < table.ranks[other])


def clean(line):
    return replace(line, robot=None, why=None) if isinstance(line, ActionLine) else line


@pytest.mark.parametrize(
    ("ranks", "lost", "sides", "expected"),
    [
        ((1, 2, 3, 4), [], 4, (1, 2, 3, 4)),
        ((1, 2, 3, 4), [0], 4, (4, 1, 2, 3)),
        ((1, 1, 3, 4), [0, 2], 4, (3, 1, 3, 2)),
        ((2, 2, 1, 4), [2], 4, (1, 1, 4, 3)),
        ((1, 2, 3), [0, 1, 2], 3, (3, 3, 3)),
        ((1, 2, 1, 2), [2], 2, (2, 1, 2, 1)),
        ((1, 2, 1, 2), [0, 3], 2, (2, 2, 2, 2)),
    ],
)
def test_ranks(ranks, lost, sides, expected):
    partnerships = tuple([tuple(range(first, len(ranks), sides)) for first in range(sides)])
    assert rank_lost_last(ranks, lost, partnerships) == expected


def begin(**changes):
    """Return the referee of a session of Rikiki, in which Anna and Bo play with robots."""
    header = Header(
        cardtable=journal.VERSION,
        id="rikiki-1",
        game="rikiki",
        created="2026-11-20T08:37:28Z",
        seed=1,
        options={},
        seats=(Occupant("Anna"), Occupant("Bo"), Occupant("Cy", "steady"), Occupant("Di", "steady")),
        terms=TERMS,
    )
    table = replay.create_referee(replace(header, **changes), GAMES)
    table.advance()
    return table


ROUND, CLOCK = ({"robot": "steady", "why": why} for why in ("round", "clock"))
LOST = LostLine(1, "left", "steady")


@pytest.mark.parametrize(
    ("changes", "before", "line", "reason"),
    [
        ({"terms": None}, [], LOST, "without terms"),
        ({"terms": None}, [], ActionLine(0, "", **CLOCK), "no clocks"),
        ({}, [], LostLine(2, "left", "steady"), "cannot lose"),
        ({}, [], LostLine(4, "left", "steady"), "no seat 4"),
        ({}, [LOST], LOST, "cannot lose"),
        ({}, [OccupantLine(1, "Bo", robot="steady")], LOST, "cannot lose"),
        ({}, [LOST], OccupantLine(1, "Cy"), "has lost"),
        ({}, [LostLine(0, "clock", "steady")], ActionLine(0, ""), "has lost"),
        ({}, [LostLine(0, "clock", "steady")], ActionLine(0, "", **ROUND), "has lost"),
        ({}, [], ActionLine(0, "", why="clock"), "only a robot"),
    ],
)
def test_refused_lines(changes, before, line, reason):
    table = begin(**changes)
    for one in before:
        table.apply_line(one)
    if isinstance(line, ActionLine):
        line = replace(line, seat=table.turn, action=table.list_legal_texts()[0])
        before_action = replace(LOST, seat=table.turn)
        if before:
            table = begin(**changes)
            table.apply_line(before_action)
    with pytest.raises(IllegalAction, match=reason):
        table.apply_line(line)


def archive_on_terms(change=lambda line: line):
    """Archive a session in which seats have lost, with its lines changed; return its path and last line."""
    case = next(case for case in CASES if case.game.about.key == "rikiki")
    seed = next(seed for seed in count() if play_on_terms(case, seed)[0].occupants.lost)
    _, header, lines, _ = play_on_terms(case, seed)
    return archive_journal(header, [change(line) for line in lines]), lines[-1].result


def test_summary_has_what_the_last_line_says():
    path, result = archive_on_terms()
    full, fast = summaries.summarize_full(path), summaries.summarize_fast(path)
    for summary in (full, fast):
        assert (summary.own, summary.due, summary.late) == (result.own, result.due, result.late)
    assert fast.lost == full.lost != ()


def test_end_line_with_too_few_numbers_is_not_believed():
    def drop(line):
        return replace(line, result=replace(line.result, own=(1,))) if isinstance(line, journal.ResultLine) else line

    path, _ = archive_on_terms(drop)
    assert summaries.summarize_fast(path).ranks is None
    assert "another number of choices" in str(summaries.summarize_full(path).error)


def test_unknown_robot_of_a_lost_seat():
    path, _ = archive_on_terms(lambda line: replace(line, robot="wise") if isinstance(line, LostLine) else line)
    assert "'wise'" in str(summaries.summarize_full(path).error)


def test_forfeit_after_the_loss_of_another():
    table = begin(game="rummy", options={"clock": 30}, seats=(Occupant("Anna"), Occupant("Bo")))
    table.record_line(LostLine(1 - table.turn, "left", "steady"))
    table.forfeit(table.turn, "clock")
    assert table.ranks == table.result.ranks == (2, 2)


def test_undone_choices_do_not_count():
    table = begin(seats=(Occupant("Anna"),) * 4)
    first = table.turn
    table.play(first, next(iter(table.state.legal())))
    assert table.occupants.own[first] == table.occupants.due[first] == 1
    table.undo(1)
    assert table.occupants.own == table.occupants.due == [0] * 4


def test_version_3_knows_no_terms():
    table = begin()
    legal = table.list_legal_texts()[0]
    lines = [ActionLine(0, legal, **CLOCK), LostLine(1, "clock", "steady")]
    header = Header(
        cardtable=3, id="g-1", game="rikiki", created="", seed=1, options={}, seats=(Occupant("Anna"),) * 4, terms=TERMS
    )
    with pytest.raises(JournalError, match="nothing known"):
        journal.read(journal.encode(header, lines))
    read = journal.read(journal.encode(header, lines[:1]))
    assert (read.header.terms, read.entries[0].line.why) == (None, None)
