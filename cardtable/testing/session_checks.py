"""Checks of whole sessions: each function plays a session of random legal actions, determined by its seed.

A check raises ``AssertionError`` if an invariant is violated.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice, takewhile
from random import Random
from typing import Final

from cardtable.engine import journal, replay
from cardtable.engine import options as house
from cardtable.engine.chance import FirstSeatDraw
from cardtable.engine.game import CHANCE, OVER, Action, Chance, Event, Seat, competition_ranks
from cardtable.engine.journal import Line, SessionResult
from cardtable.engine.referee import IllegalAction, Referee
from cardtable.session.round_replay import replay_rounds
from cardtable.testing import invariants
from cardtable.testing.cases import ENDLESS, Case, act, facts, positions, step
from cardtable.testing.invariants import Adding, add_plainly
from cardtable.wording import export_formats


def reloaded(case: Case, lines: Iterable[Line]) -> Referee:
    """Encode the lines as a journal and replay it; return the referee after the last line."""
    return replay.load(journal.read(written(case, lines)), {case.game.about.key: case.game})


def written(case: Case, lines: Iterable[Line]) -> bytes:
    """Return the journal of a session with these lines, as bytes."""
    seats = tuple(journal.Occupant(f"Seat{seat}", "random") for seat in range(case.seats))
    header = journal.Header(
        cardtable=1,
        id="soak",
        created="2000-01-01T00:00:00Z",
        game=case.game.about.key,
        seed=0,
        options=case.options.items(),
        seats=seats,
    )
    return journal.write([header, *lines])


def trace_text(table: Referee) -> str:
    """Return the output of ``cardtable trace`` for the present position, without the line number."""
    return json.dumps({**replay.trace(0, table), "turn": table.turn})


def referee_snapshot(table: Referee) -> tuple[object, ...]:
    """Return a comparable snapshot of all data of a referee."""
    return (
        facts(table._state),
        tuple(table.scores),
        table.decisions,
        table.undone,
        table.ended,
        table._drawn,
        table._voids,
    )


def assert_rejected(table: Referee, attempt: Callable[[], object]) -> None:
    """Assert that ``attempt`` raises ``IllegalAction`` and leaves the referee unchanged."""
    before = referee_snapshot(table)
    try:
        attempt()
    except IllegalAction:
        assert referee_snapshot(table) == before, "what was refused changed something"
    else:
        raise AssertionError("it was not refused")


def only_what_is_legal_can_be_done(table: Referee, other_actions: Iterable[Action]) -> None:
    """Assert that actions out of turn, illegal actions and invalid lines are rejected in the present position.

    ``other_actions``: actions from other positions, to be tried here.
    """
    turn, legal = table.turn, table._state.legal() if table.turn >= 0 else ()
    for seat in range(-2, table.seats + 1):
        for action in [*legal[:2], *other_actions]:
            if seat != turn or action not in legal:
                assert_rejected(table, partial(table.play, seat, action))
                assert_rejected(table, partial(table.apply_line, Line(seat=seat, action=str(action))))
    if turn != CHANCE:
        assert_rejected(table, lambda: table.apply_line(Line(chance="deal AS")))
        assert_rejected(table, lambda: table.apply_line(Line(chance="first 0")))
    if turn != OVER:
        totals = table.totals
        assert_rejected(
            table, lambda: table.apply_line(Line(end=SessionResult(totals, competition_ranks(totals), table.undone)))
        )
    if not table.playing:
        assert_rejected(table, lambda: table.void("clock"))
    back = len(table._before)
    assert_rejected(table, lambda: table.undo(back + 1))
    assert_rejected(table, lambda: table.undo(0))


_FIRST_CUTS: Final = 8
"""Number of lines at the beginning of a session after each of which it is cut."""


def options_come_back(case: Case) -> None:
    """Check that house rules are the same after a round trip through a journal header, and after parsing from text."""
    chosen = case.options.items()
    assert house.read(case.game.options, chosen) == case.options
    assert house.read(case.game.options, {name: str(value) for name, value in chosen.items()}) == case.options
    assert reloaded(case, []).options == case.options


def look_at_states(case: Case, seed: int) -> None:
    """Check the texts of actions and outcomes of chance, and the independence of copies, throughout a session."""
    rng = Random(f"states {case} {seed}")
    for position in positions(case, seed):
        state = position.state
        invariants.legal_actions_are_told_apart(state)
        invariants.outcomes_are_told_apart(state, rng)
        if rng.random() < 0.05:
            invariants.copies_are_independent(state, rng)


def soak(case: Case, seed: int, add: Adding = add_plainly) -> None:
    """Check a whole session: invariants after every event, the journal after every tenth decision, sums at the end.

    ``add``: returns the new total of a seat, given the score, its previous total and its points in the round.
    """
    lines: list[Line] = []
    rng = Random(f"soak {case} {seed}")
    table = case.table(seed, lines.append)
    table.on_event = lambda _event: table.check()
    shadow, taken = case.table(0, lines.append), 0
    while not table.ended:
        act(table, rng)
        if table.decisions % 10 == 0 or table.ended:
            again = [entry.line for entry in journal.read(written(case, lines[taken:])).entries]
            for line in again:
                shadow.apply_line(line)
            taken = len(lines)
            assert referee_snapshot(shadow) == referee_snapshot(table), "the journal leads elsewhere"
        assert len(lines) < ENDLESS
    assert referee_snapshot(reloaded(case, lines)) == referee_snapshot(table), "a session that is read again is another"
    invariants.scores_add_up(case.game, table.scores, table.raw_totals, add)
    invariants.partners_share_points_and_places(case.game, table._state)
    invariants.places_are_those_of_the_results(table._state, case.game.lowest_wins)
    end = lines[-1].end
    assert end is not None
    assert (table.totals, table.ranks) == (end.totals, end.ranks), "the end of the journal is another"


def try_what_is_not_legal(case: Case, seed: int) -> None:
    """Check at random positions of a session that illegal actions are rejected."""
    rng = Random(f"illegal {case} {seed}")
    met: list[Action] = []
    table = case.table(seed, _forget)
    while not table.ended:
        if rng.random() < 0.03:
            only_what_is_legal_can_be_done(table, rng.sample(met, min(len(met), 4)))
        if table.turn >= 0:
            met = list(dict.fromkeys([*met, *table._state.legal()]))
        act(table, rng)
    only_what_is_legal_can_be_done(table, met[:4])


def take_back_now_and_then(case: Case, seed: int, most: int = ENDLESS) -> None:
    """Undo at random positions and compare the result with the earlier states.

    Only the first ``max_decisions`` decisions of the session are played.
    """
    rng, table = Random(f"undo {case} {seed}"), case.table(seed, _forget)
    behind: list[tuple[object, str]] = []
    chances: list[Event] = []
    table.on_event = lambda event: chances.append(event) if isinstance(event, Chance) else None
    while not table.ended and table.decisions < most:
        if behind and rng.random() < 0.1:
            number = rng.randint(1, len(behind))
            table.undo(number)
            assert (facts(table._state), trace_text(table)) == behind[-number], "not what it was"
            del behind[-number:]
        elif rng.random() < 0.1:
            too_many = len(behind) + 1
            assert_rejected(table, lambda number=too_many: table.undo(number))  # type: ignore[misc]
        behind.append((facts(table._state), trace_text(table)))
        chances.clear()
        act(table, rng)
        if chances:
            behind.clear()


def look_for_ways_back(case: Case, seed: int, most: int = ENDLESS) -> None:
    """Check the undo distance of every seat before each decision.

    No undo may go back beyond an outcome of chance or a card that the seat has drawn unseen. Only the first
    ``max_decisions`` decisions of the session are played.
    """
    rng, table = Random(f"back {case} {seed}"), case.table(seed, _forget)
    decided: list[tuple[Seat | None, set[Seat]]] = []
    table.on_event = lambda event: decided.clear() if isinstance(event, Chance) else None
    while not table.ended and table.decisions < most:
        for seat in range(case.seats):
            since = list(takewhile(lambda one, seat=seat: seat not in one[1], reversed(decided)))  # type: ignore[misc]
            own = [number for number, (mover, _) in enumerate(since, start=1) if mover == seat]
            assert table.undo_distance(seat) == (own[0] if own else 0)
            assert (table.undo_refusal(seat) == "") == bool(own)
        before = [table.view(seat) for seat in range(case.seats)]
        mover = table.turn if table.turn >= 0 and not case.game.forced_silent_action(before[table.turn]) else None
        decided.append((mover, set()))
        act(table, rng)
        for seat in range(case.seats) if decided else ():
            if invariants.drawn_unseen(case.game, before[seat], table.view(seat)):
                decided[-1][1].add(seat)


def make_rounds_void(case: Case, seed: int) -> None:
    """Make each round void at a random position, check that it is dealt the same again, and play it to its end."""
    rng, table = Random(f"void {case} {seed}"), case.table(seed, _forget)
    voids = 0
    while not table.ended:
        heard: list[Event] = []
        table.on_event = heard.append
        table.advance()
        if table.playing:
            dealt = facts(table._state), trace_text(table)
            outcomes = [event for event in heard if not isinstance(event, FirstSeatDraw)]
            _play_on(table, rng, rng.randrange(20))
            voids += _void_and_deal_again(table, outcomes, dealt)
        _play_on(table, rng, ENDLESS)
    assert voids


def _play_on(table: Referee, rng: Random, decisions: int) -> None:
    """Play at most ``max_decisions`` random actions, but not beyond the end of the round."""
    for _ in range(decisions):
        if not table.playing:
            return
        act(table, rng)


def _void_and_deal_again(table: Referee, outcomes: Sequence[Event], dealt: tuple[object, str]) -> bool:
    """Make the round void, apply the same outcomes of chance again and compare the result with the first deal.

    ``outcomes``: outcomes of chance of the first deal. ``first_deal``: data and trace after it. Returns False if no
    round is in progress.
    """
    if not table.playing:
        return False
    before = table.round, table.totals, len(table.scores)
    table.void("clock")
    table.check()
    assert (table.turn, table.playing) == (CHANCE, False)
    assert (table.round, table.totals, len(table.scores)) == before
    assert not any(table.tricks or ()), "a void round leaves tricks"
    for event in outcomes:
        table.apply_line(Line(chance=str(event)))
    assert trace_text(table) == dealt[1], "the round dealt again is another"
    assert _tells_once(table) or facts(table._state) == dealt[0], "the round dealt again is another"
    return True


def _tells_once(table: Referee) -> bool:
    """Return True if the first deal reveals who holds a card and therefore declares first; a second deal does not."""
    return table.round == 1 and table.options.items().get("first_declarer") == "2d"


def compare_deals(case: Case, seed: int) -> None:
    """Check that sessions with equal seeds have equal deals, although the actions differ.

    Only the rounds that all of these sessions have are compared.
    """
    deals = [_deals_of(case, seed, Random(f"{case} {seed} {players}")) for players in range(3)]
    rounds = min(map(len, deals))
    assert rounds
    assert deals[0][:rounds] == deals[1][:rounds] == deals[2][:rounds]


def _deals_of(case: Case, seed: int, rng: Random) -> list[str | None]:
    lines: list[Line] = []
    table = case.table(seed, lines.append)
    while not table.ended:
        act(table, rng)
        if table.playing and rng.random() < 0.05 and table.undo_distance(table.turn):
            table.undo(table.undo_distance(table.turn))
    return [line.chance for line in lines if (line.chance or "").startswith("deal ")]


def draw_from_a_source(case: Case, seed: int) -> None:
    """Check that deals from a separate source of randomness differ from the deals of the seed, and can be replayed."""
    rng, lines = Random(f"source {case} {seed}"), list[Line]()
    table = case.table(seed, lines.append)
    table.randomness = Random(f"system {case} {seed}")
    while not table.ended:
        act(table, rng)
        if table.playing and rng.random() < 0.05 and table.undo_distance(table.turn):
            table.undo(table.undo_distance(table.turn))
        assert len(lines) < ENDLESS
    assert referee_snapshot(reloaded(case, lines)) == referee_snapshot(table), "the journal leads elsewhere"
    deals = {line.chance for line in lines if (line.chance or "").startswith("deal ")}
    by_seed = _deals_of(case, seed, Random(f"{case} {seed}"))
    assert deals
    assert deals.isdisjoint(by_seed), "the seed tells the cards"


def let_the_time_run_out(case: Case, seed: int) -> None:
    """Forfeit the session at a random position and check that its round does not count and that it is over.

    In games without clocks, check that forfeiting is rejected.
    """
    rng = Random(f"forfeit {case} {seed}")
    lines: list[Line] = []
    table = case.table(seed, lines.append)
    for _ in range(rng.randrange(150)):
        act(table, rng)
    table.advance()
    seat, running, scores = table.turn, table.raw_totals, list(table.scores)
    for other in set(range(case.seats)) - {seat}:
        assert_rejected(table, lambda other=other: table.forfeit(other, "clock"))  # type: ignore[misc]
    if case.options.items().get("clock", "off") == "off" or table.ended:
        assert_rejected(table, lambda: table.forfeit(seat, "clock"))
        return
    table.forfeit(seat, "clock")
    table.check()
    assert table.turn == OVER
    assert (table.raw_totals, table.scores) == (running, scores)
    assert [place > 1 for place in table.ranks or ()] == [one == seat for one in range(case.seats)]
    for undoing in (lambda: table.undo(1), lambda: table.void("clock"), lambda: table.forfeit(seat, "clock")):
        assert_rejected(table, undoing)
    assert referee_snapshot(reloaded(case, lines)) == referee_snapshot(table)


def look_and_listen(case: Case, seed: int, most: int = ENDLESS) -> None:
    """Check zones, explanations and log entries of each seat in the first ``max_positions`` positions."""
    rng, seats = Random(f"words {case} {seed}"), range(case.seats)
    for state in (position.state for position in islice(positions(case, seed), most)):
        before = [state.view(seat) for seat in seats]
        for view in before:
            invariants.refusals_have_words(case.game, view, rng)
        if state.turn == OVER:
            return
        after = state.copy()
        event = step(after, rng)
        for seat in seats:
            invariants.narration_has_words(case.game, event, before[seat], after.view(seat))
        invariants.chance_tells_only_what_is_seen(case.game, state, event, rng)
        invariants.decisions_tell_only_what_is_seen(case.game, state, event, rng)


def look_back_at_beginnings(case: Case, seed: int) -> None:
    """Check that a session that stops after any of its lines can be replayed and exported.

    The session has just over one round, and only some of its lines are tried.
    """
    rng, games = Random(f"beginnings {case} {seed}"), {case.game.about.key: case.game}
    lines: list[Line] = []
    table = case.table(seed, lines.append)
    while not table.scores:
        act(table, rng)
    table.advance()
    _play_on(table, rng, rng.randrange(4))
    around_deals = [at + by for at, line in enumerate(lines) if line.chance for by in (0, 1)]
    cuts = {*range(_FIRST_CUTS), *around_deals, rng.randrange(len(lines)), len(lines)}
    for cut in sorted(cut for cut in cuts if cut <= len(lines)):
        read = journal.read(written(case, lines[:cut]))
        again = replay.load(read, games)
        rounds = list(replay_rounds(read, games))
        assert len(rounds) == again.round, "a round that was dealt is missing"
        assert [one.score for one in rounds if one.score] == again.scores
        for one in rounds[-1:]:
            invariants.round_can_be_shown_again(one)
        assert export_formats.session(read, again, games=games, given_up=True)


def _forget(_line: Line) -> None:
    """Discard a line; the recorder of checks that need no journal."""
