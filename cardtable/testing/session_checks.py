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
from cardtable.testing.cases import (
    MAX_EVENTS,
    Case,
    apply_random_event,
    freeze_data,
    iter_random_positions,
    play_random_action,
)
from cardtable.testing.invariants import AddPoints, add_points
from cardtable.wording import export_formats


def reload_referee(case: Case, lines: Iterable[Line]) -> Referee:
    """Encode the lines as a journal and replay it; return the referee after the last line."""
    return replay.load(journal.read(encode_journal(case, lines)), {case.game.about.key: case.game})


def encode_journal(case: Case, lines: Iterable[Line]) -> bytes:
    """Return the journal of a session with these lines, as bytes."""
    seats = tuple(journal.Occupant(f"Seat{seat}", "random") for seat in range(case.seats))
    header = journal.Header(
        cardtable=1,
        id="soak",
        created="2000-01-01T00:00:00Z",
        game=case.game.about.key,
        seed=0,
        options=case.options.to_header(),
        seats=seats,
    )
    return journal.encode([header, *lines])


def format_trace(referee: Referee) -> str:
    """Return the output of ``cardtable trace`` for the present position, without the line number."""
    return json.dumps({**replay.trace_position(0, referee), "turn": referee.turn})


def snapshot_referee(referee: Referee) -> tuple[object, ...]:
    """Return a comparable snapshot of all data of a referee."""
    return (
        freeze_data(referee.state),
        tuple(referee.scores),
        referee.decisions,
        referee.undone,
        referee.coached,
        referee.ended,
        referee._draw_count,
        referee._last_void,
    )


def assert_rejected(referee: Referee, *attempts: Callable[[], object]) -> None:
    """Assert that each of ``attempts`` raises ``IllegalAction`` and leaves the referee unchanged."""
    before = snapshot_referee(referee)
    for attempt in attempts:
        try:
            attempt()
        except IllegalAction:
            assert snapshot_referee(referee) == before, "what was refused changed something"
        else:
            raise AssertionError("it was not refused")


def assert_illegal_rejected(referee: Referee, other_actions: Iterable[Action]) -> None:
    """Assert that actions out of turn, illegal actions and invalid lines are rejected in the present position.

    ``other_actions``: actions from other positions, to be tried here.
    """
    turn, legal = referee.turn, referee.state.legal() if referee.turn >= 0 else ()
    back = len(referee._undo_stack)
    attempts: list[Callable[[], object]] = [partial(referee.undo, back + 1), partial(referee.undo, 0)]
    for seat in range(-2, referee.seats + 1):
        for action in [*legal[:2], *other_actions]:
            if seat != turn or action not in legal:
                attempts.append(partial(referee.play, seat, action))
                attempts.append(partial(referee.apply_line, Line(seat=seat, action=str(action))))
    if turn != CHANCE:
        attempts += [partial(referee.apply_line, Line(chance=text)) for text in ("deal AS", "first 0")]
    if turn != OVER:
        end = SessionResult(referee.totals, competition_ranks(referee.totals), referee.undone)
        attempts.append(partial(referee.apply_line, Line(end=end)))
    if not referee.playing:
        attempts.append(partial(referee.void, "clock"))
    assert_rejected(referee, *attempts)


_EARLY_CUTS: Final = 8
"""Number of lines at the beginning of a session after each of which it is cut."""


def check_options(case: Case) -> None:
    """Check that house rules are the same after a round trip through a journal header, and after parsing from text."""
    chosen = case.options.to_dict()
    assert house.read(case.game.options, chosen) == case.options
    assert house.read(case.game.options, {name: str(value) for name, value in chosen.items()}) == case.options
    assert reload_referee(case, []).options == case.options


def check_states(case: Case, seed: int) -> None:
    """Check the texts of actions and outcomes of chance, and the independence of copies, throughout a session."""
    rng = Random(f"states {case} {seed}")
    for position in iter_random_positions(case, seed):
        state = position.state
        invariants.assert_actions_distinct(state)
        if state.turn >= 0:
            invariants.assert_card_texts(case.game, state.view(state.turn))
        invariants.assert_outcomes_checked(state, rng)
        if rng.random() < 0.05:
            invariants.assert_copies_independent(state, rng)


def check_whole_session(case: Case, seed: int, add: AddPoints = add_points) -> None:
    """Check a whole session: invariants after every event, the journal after every tenth decision, sums at the end.

    ``add``: returns the new total of a seat, given the score, its previous total and its points in the round.
    """
    lines: list[Line] = []
    rng = Random(f"soak {case} {seed}")
    referee = case.create_referee(seed, lines.append)
    referee.on_event = lambda _event: referee.assert_invariants()
    shadow, compared_lines = case.create_referee(0, lines.append), 0
    while not referee.ended:
        play_random_action(referee, rng)
        if referee.decisions % 10 == 0 or referee.ended:
            new_lines = [entry.line for entry in journal.read(encode_journal(case, lines[compared_lines:])).entries]
            for line in new_lines:
                shadow.apply_line(line)
            compared_lines = len(lines)
            assert snapshot_referee(shadow) == snapshot_referee(referee), "the journal leads elsewhere"
        assert len(lines) < MAX_EVENTS
    assert snapshot_referee(reload_referee(case, lines)) == snapshot_referee(referee), (
        "a session that is read again is another"
    )
    invariants.assert_scores_add_up(case.game, referee.scores, referee.raw_totals, add)
    invariants.assert_partners_equal(case.game, referee.state)
    invariants.assert_ranks_follow_results(referee.state, case.game.lowest_wins)
    end = lines[-1].end
    assert end is not None
    assert (referee.totals, referee.ranks) == (end.totals, end.ranks), "the end of the journal is another"


def check_illegal_actions(case: Case, seed: int) -> None:
    """Check at random positions of a session that illegal actions are rejected."""
    rng = Random(f"illegal {case} {seed}")
    seen_actions: list[Action] = []
    referee = case.create_referee(seed, _discard_line)
    while not referee.ended:
        if rng.random() < 0.03:
            assert_illegal_rejected(referee, rng.sample(seen_actions, min(len(seen_actions), 4)))
        if referee.turn >= 0:
            seen_actions = list(dict.fromkeys([*seen_actions, *referee.state.legal()]))
        play_random_action(referee, rng)
    assert_illegal_rejected(referee, seen_actions[:4])


def check_undo(case: Case, seed: int, max_decisions: int = MAX_EVENTS) -> None:
    """Undo at random positions and compare the result with the earlier states.

    Only the first ``max_decisions`` decisions of the session are played.
    """
    rng, referee = Random(f"undo {case} {seed}"), case.create_referee(seed, _discard_line)
    earlier: list[tuple[object, str]] = []
    chances: list[Event] = []
    referee.on_event = lambda event: chances.append(event) if isinstance(event, Chance) else None
    while not referee.ended and referee.decisions < max_decisions:
        if earlier and rng.random() < 0.1:
            number = rng.randint(1, len(earlier))
            referee.undo(number)
            assert (freeze_data(referee.state), format_trace(referee)) == earlier[-number], "not what it was"
            del earlier[-number:]
        elif rng.random() < 0.1:
            too_many = len(earlier) + 1
            assert_rejected(referee, lambda number=too_many: referee.undo(number))  # type: ignore[misc]
        earlier.append((freeze_data(referee.state), format_trace(referee)))
        chances.clear()
        play_random_action(referee, rng)
        if chances:
            earlier.clear()


def check_undo_distance(case: Case, seed: int, max_decisions: int = MAX_EVENTS) -> None:
    """Check the undo distance of every seat before each decision.

    No undo may go back beyond an outcome of chance or a card that the seat has drawn unseen. Only the first
    ``max_decisions`` decisions of the session are played.
    """
    rng, referee = Random(f"back {case} {seed}"), case.create_referee(seed, _discard_line)
    decided: list[tuple[Seat | None, set[Seat]]] = []
    referee.on_event = lambda event: decided.clear() if isinstance(event, Chance) else None
    while not referee.ended and referee.decisions < max_decisions:
        for seat in range(case.seats):
            since = list(takewhile(lambda one, seat=seat: seat not in one[1], reversed(decided)))  # type: ignore[misc]
            own = [number for number, (mover, _) in enumerate(since, start=1) if mover == seat]
            assert referee.compute_undo_distance(seat) == (own[0] if own else 0)
            assert (referee.explain_undo_refusal(seat) == "") == bool(own)
        before = [referee.view(seat) for seat in range(case.seats)]
        mover = referee.turn if referee.turn >= 0 and not case.game.forced_silent_action(before[referee.turn]) else None
        decided.append((mover, set()))
        play_random_action(referee, rng)
        for seat in range(case.seats) if decided else ():
            if invariants.find_unseen_draws(case.game, before[seat], referee.view(seat)):
                decided[-1][1].add(seat)


def check_void_rounds(case: Case, seed: int, *, first_deal_reveals: bool = False) -> None:
    """Make each round void at a random position, check that it is dealt the same again, and play it to its end.

    ``first_deal_reveals``: True if the first deal of a session makes known who holds a card, and a second deal does
    not; the first round is then compared by its trace only.
    """
    rng, referee = Random(f"void {case} {seed}"), case.create_referee(seed, _discard_line)
    voids = 0
    while not referee.ended:
        events: list[Event] = []
        referee.on_event = events.append
        referee.advance()
        if referee.playing:
            dealt = freeze_data(referee.state), format_trace(referee)
            outcomes = [event for event in events if not isinstance(event, FirstSeatDraw)]
            _play_decisions(referee, rng, rng.randrange(20))
            voids += _check_redeal(referee, outcomes, dealt, trace_only=first_deal_reveals and referee.round == 1)
        _play_decisions(referee, rng, MAX_EVENTS)
    assert voids


def _play_decisions(referee: Referee, rng: Random, max_decisions: int) -> None:
    """Play at most ``max_decisions`` random actions, but not beyond the end of the round."""
    for _ in range(max_decisions):
        if not referee.playing:
            return
        play_random_action(referee, rng)


def _check_redeal(
    referee: Referee, outcomes: Sequence[Event], first_deal: tuple[object, str], *, trace_only: bool
) -> bool:
    """Make the round void, apply the same outcomes of chance again and compare the result with the first deal.

    ``outcomes``: outcomes of chance of the first deal. ``first_deal``: data and trace after it; with ``trace_only``
    only the trace is compared. Returns False if no round is in progress.
    """
    if not referee.playing:
        return False
    scores, nothing = len(referee.scores), (0,) * len(referee.totals)
    before = referee.round, referee.scores[-1].totals if scores else nothing, scores
    referee.void("clock")
    referee.assert_invariants()
    assert (referee.turn, referee.playing) == (CHANCE, False)
    assert (referee.round, referee.totals, len(referee.scores)) == before, "a void round leaves points"
    assert not any(referee.tricks or ()), "a void round leaves tricks"
    for event in outcomes:
        referee.apply_line(Line(chance=str(event)))
    assert format_trace(referee) == first_deal[1], "the round dealt again is another"
    assert trace_only or freeze_data(referee.state) == first_deal[0], "the round dealt again is another"
    return True


def check_deals(case: Case, seed: int) -> None:
    """Check that sessions with equal seeds have equal deals, although the actions differ.

    Only the rounds that all of these sessions have are compared.
    """
    deals = [_list_deals(case, seed, Random(f"{case} {seed} {players}")) for players in range(3)]
    rounds = min(map(len, deals))
    assert rounds
    assert deals[0][:rounds] == deals[1][:rounds] == deals[2][:rounds]


def _list_deals(case: Case, seed: int, rng: Random) -> list[str | None]:
    lines: list[Line] = []
    referee = case.create_referee(seed, lines.append)
    while not referee.ended:
        play_random_action(referee, rng)
        if referee.playing and rng.random() < 0.05 and referee.compute_undo_distance(referee.turn):
            referee.undo(referee.compute_undo_distance(referee.turn))
    return [line.chance for line in lines if (line.chance or "").startswith("deal ")]


def check_randomness(case: Case, seed: int) -> None:
    """Check that deals from a separate source of randomness differ from the deals of the seed, and can be replayed."""
    rng, lines = Random(f"source {case} {seed}"), list[Line]()
    referee = case.create_referee(seed, lines.append)
    system = Random(f"system {case} {seed}")
    referee.randomness = lambda _position: system
    while not referee.ended:
        play_random_action(referee, rng)
        if referee.playing and rng.random() < 0.05 and referee.compute_undo_distance(referee.turn):
            referee.undo(referee.compute_undo_distance(referee.turn))
        assert len(lines) < MAX_EVENTS
    assert snapshot_referee(reload_referee(case, lines)) == snapshot_referee(referee), "the journal leads elsewhere"
    deals = {line.chance for line in lines if (line.chance or "").startswith("deal ")}
    seeded_deals = _list_deals(case, seed, Random(f"{case} {seed}"))
    assert deals
    assert deals.isdisjoint(seeded_deals), "the seed tells the cards"


def check_forfeit(case: Case, seed: int) -> None:
    """Forfeit the session at a random position and check that its round does not count and that it is over.

    In games without clocks, check that forfeiting is rejected.
    """
    rng = Random(f"forfeit {case} {seed}")
    lines: list[Line] = []
    referee = case.create_referee(seed, lines.append)
    for _ in range(rng.randrange(150)):
        play_random_action(referee, rng)
    referee.advance()
    seat, running, scores = referee.turn, referee.raw_totals, list(referee.scores)
    for other in set(range(case.seats)) - {seat}:
        assert_rejected(referee, lambda other=other: referee.forfeit(other, "clock"))  # type: ignore[misc]
    if case.options.to_dict().get("clock", "off") == "off" or referee.ended:
        assert_rejected(referee, lambda: referee.forfeit(seat, "clock"))
        return
    referee.forfeit(seat, "clock")
    referee.assert_invariants()
    assert referee.turn == OVER
    assert (referee.raw_totals, referee.scores) == (running, scores)
    assert [place > 1 for place in referee.ranks or ()] == [one == seat for one in range(case.seats)]
    for undoing in (lambda: referee.undo(1), lambda: referee.void("clock"), lambda: referee.forfeit(seat, "clock")):
        assert_rejected(referee, undoing)
    assert snapshot_referee(reload_referee(case, lines)) == snapshot_referee(referee)


def check_zones_and_texts(case: Case, seed: int, max_positions: int = MAX_EVENTS) -> None:
    """Check zones, explanations and log entries of each seat in the first ``max_positions`` positions."""
    rng, seats = Random(f"words {case} {seed}"), range(case.seats)
    for state in (position.state for position in islice(iter_random_positions(case, seed), max_positions)):
        before = [state.view(seat) for seat in seats]
        for view in before:
            invariants.assert_refusals_explained(case.game, view, rng)
        if state.turn == OVER:
            return
        after = state.copy()
        event = apply_random_event(after, rng)
        for seat in seats:
            invariants.assert_narration_valid(case.game, event, before[seat], after.view(seat))
        invariants.assert_chance_not_leaked(case.game, state, event, rng)
        invariants.assert_decision_not_leaked(case.game, state, event, rng)


def check_unfinished_sessions(case: Case, seed: int) -> None:
    """Check that a session that stops after any of its lines can be replayed and exported.

    The session has just over one round, and only some of its lines are tried.
    """
    rng, games = Random(f"beginnings {case} {seed}"), {case.game.about.key: case.game}
    lines: list[Line] = []
    table = case.create_referee(seed, lines.append)
    while not table.scores:
        play_random_action(table, rng)
    table.advance()
    _play_decisions(table, rng, rng.randrange(4))
    around_deals = [at + by for at, line in enumerate(lines) if line.chance for by in (0, 1)]
    cuts = {*range(_EARLY_CUTS), *around_deals, rng.randrange(len(lines)), len(lines)}
    for cut in sorted(cut for cut in cuts if cut <= len(lines)):
        read = journal.read(encode_journal(case, lines[:cut]))
        referee = replay.load(read, games)
        rounds = list(replay_rounds(read, games))
        assert len(rounds) == referee.round, "a round that was dealt is missing"
        assert [one.score for one in rounds if one.score] == referee.scores
        for one in rounds[-1:]:
            invariants.assert_round_replayable(one)
        assert export_formats.format_session(read, referee, games=games, given_up=True)


def _discard_line(_line: Line) -> None:
    """Discard a line; the recorder of checks that need no journal."""
