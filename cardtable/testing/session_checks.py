"""Checks of whole sessions, played with random legal actions determined by a seed, or by robots of every level.

A check raises ``AssertionError`` if an invariant is violated.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice, takewhile
from random import Random
from typing import Final

from msgspec.structs import astuple

from cardtable.engine import journal, replay
from cardtable.engine import options as house
from cardtable.engine.cards import COPY_OFFSET
from cardtable.engine.chance import Deal, FirstSeatDraw
from cardtable.engine.game import CHANCE, OVER, Action, Chance, Event, Seat, competition_ranks
from cardtable.engine.journal import ActionLine, ChanceLine, Line, ResultLine, SessionResult
from cardtable.engine.referee import IllegalAction, Referee
from cardtable.games import GAMES, find_plugin_failure
from cardtable.robots.kit.levels import LEVELS
from cardtable.robots.kit.robot import Robot, decide, make_robot
from cardtable.session.round_replay import replay_rounds
from cardtable.testing import invariants
from cardtable.testing.cases import (
    MAX_EVENTS,
    Case,
    LawFailure,
    apply_random_event,
    freeze_data,
    iter_random_positions,
    play_random_action,
)
from cardtable.testing.invariants import AddPoints, add_points, find_different_data
from cardtable.wording import export_formats


def reload_referee(case: Case, lines: Iterable[Line]) -> Referee:
    """Encode the lines as a journal and replay it; return the referee after the last line."""
    return replay.load(journal.read(encode_journal(case, lines)), {case.game.about.key: case.game})


def encode_journal(case: Case, lines: Iterable[Line]) -> bytes:
    """Return the journal of a session with these lines, as bytes."""
    seats = tuple(journal.Occupant(f"Seat{seat}", "random") for seat in range(case.seats))
    header = journal.Header(
        cardtable=3,
        id="soak",
        created="2000-01-01T00:00:00Z",
        game=case.game.about.key,
        seed=0,
        options=case.options.to_header(),
        seats=seats,
    )
    return journal.encode(header, lines)


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
        astuple(referee._chance),
    )


def assert_rejected(referee: Referee, *attempts: Callable[[], object]) -> None:
    """Assert that each of ``attempts`` raises ``IllegalAction`` and leaves the referee unchanged."""
    before = snapshot_referee(referee)
    for attempt in attempts:
        attempt_text = describe_attempt(attempt)
        try:
            attempt()
        except IllegalAction:
            assert snapshot_referee(referee) == before, f"what was refused changed something: {attempt_text}"
        else:
            raise AssertionError(f"it was not refused, although `legal` does not list it: {attempt_text}")


def describe_attempt(attempt: Callable[[], object]) -> str:
    """Describe an attempt that has to be rejected: the method of the referee and its arguments."""
    if not isinstance(attempt, partial):
        return "an undo, a void round or a forfeit"
    return f"{attempt.func.__name__}({', '.join(map(str, attempt.args))})"


def assert_illegal_rejected(referee: Referee, other_actions: Iterable[Action]) -> None:
    """Assert that actions out of turn, illegal actions and invalid lines are rejected in the present position.

    ``other_actions``: actions from other positions, to be tried here.
    """
    turn, legal = referee.turn, referee.state.legal() if referee.turn >= 0 else ()
    legal_by_seat = {seat: referee.view(seat).legal for seat in range(referee.seats)}
    back = len(referee._history.decisions)
    attempts: list[Callable[[], object]] = [partial(referee.undo, back + 1), partial(referee.undo, 0)]
    for seat in range(-2, referee.seats + 1):
        for action in [*legal[:2], *other_actions]:
            if action not in legal_by_seat.get(seat, ()):
                attempts.append(partial(referee.play, seat, action))
                attempts.append(partial(referee.apply_line, ActionLine(seat, str(action))))
    if turn != CHANCE:
        attempts += [partial(referee.apply_line, ChanceLine(text)) for text in ("deal AS", "first 0")]
    if turn != OVER:
        end = SessionResult(referee.totals, competition_ranks(referee.totals), referee.undone)
        attempts.append(partial(referee.apply_line, ResultLine(end)))
    if not referee.playing:
        attempts.append(partial(referee.void, "clock"))
    assert_rejected(referee, *attempts)


ACTS_PER_DECISION: Final = 3
"""Maximum number of decisions made in a check of undo for each decision that may stand."""
MAX_UNDO: Final = 8
"""Number of decisions that most undos go back at most; a part of them go back any number."""
MAX_BEFORE_VOID: Final = 20
"""Maximum number of decisions before a round is made void."""
_ROUNDS_WITH_DEALS: Final = 4
"""Number of rounds whose deals are compared."""
_EARLY_CUTS: Final = 8
"""Number of lines at the beginning of a session after each of which it is cut."""


def check_options(case: Case) -> None:
    """Check that house rules are the same after a round trip through a journal header, and after parsing from text."""
    chosen = case.options.to_dict()
    as_text = {name: str(value) for name, value in chosen.items()}
    for source, read in (
        ("from its values", house.read(case.game.options, chosen)),
        ("from text", house.read(case.game.options, as_text)),
        ("from the header of a journal", reload_referee(case, []).options),
    ):
        assert read == case.options, f"the options {chosen} read {source} are {read.to_dict()}"


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
    referee.on_event = lambda _event: referee.state.assert_invariants()
    shadow, compared_lines = case.create_referee(0, lines.append), 0
    while not referee.ended:
        play_random_action(referee, rng)
        if referee.decisions % 10 == 0 or referee.ended:
            new_lines = [entry.line for entry in journal.read(encode_journal(case, lines[compared_lines:])).entries]
            for line in new_lines:
                shadow.apply_line(line)
            compared_lines = len(lines)
            assert_referees_equal(shadow, referee, "the journal leads elsewhere")
        assert_not_endless(lines)
    assert_referees_equal(reload_referee(case, lines), referee, "a session that is read again is another")
    invariants.assert_scores_add_up(case.game, referee.scores, referee.raw_totals, add)
    invariants.assert_partners_equal(case.game, referee.state)
    invariants.assert_ranks_follow_results(referee.state, case.game.lowest_wins)
    last = lines[-1]
    assert isinstance(last, ResultLine)
    end = last.result
    assert (referee.totals, referee.ranks) == (end.totals, end.ranks), (
        f"the end of the journal is another: {end.totals} and places {end.ranks}, not {referee.totals}, {referee.ranks}"
    )


def assert_referees_equal(one: Referee, other: Referee, law: str) -> None:
    """Assert that two referees have equal data; ``law``: beginning of the message."""
    if snapshot_referee(one) != snapshot_referee(other):
        attributes = find_different_data(freeze_data(other.state), freeze_data(one.state))
        raise LawFailure(
            f"{law}: {attributes or 'the scores'} of the state in round {other.round}, after {other.decisions} "
            "decisions",
            field=attributes, worlds=[format_trace(other), format_trace(one)],
            advice="let `apply` and `draw_chance` depend on the state and the event alone, not on time, global values "
            "or random numbers of their own",
        )  # fmt: skip


def assert_not_endless(lines: Sequence[Line]) -> None:
    assert len(lines) < MAX_EVENTS, f"the session does not end: it has {MAX_EVENTS} lines; see `is_over`"


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

    The session ends early when ``max_decisions`` decisions stand, or ``ACTS_PER_DECISION`` times as many have been
    made, undone ones included. Most undos go back at most ``MAX_UNDO`` decisions, one in ten any number of them.
    """
    rng, referee = Random(f"undo {case} {seed}"), case.create_referee(seed, _discard_line)
    earlier: list[tuple[object, str]] = []
    chances: list[Event] = []
    referee.on_event = lambda event: chances.append(event) if isinstance(event, Chance) else None
    for _ in range(ACTS_PER_DECISION * max_decisions):
        if referee.ended or referee.decisions >= max_decisions:
            return
        if earlier and rng.random() < 0.1:
            deepest = len(earlier) if rng.random() < 0.1 else min(MAX_UNDO, len(earlier))
            number = rng.randint(1, deepest)
            if number <= sum(referee.state.chosen):  # others have chosen, too
                assert_rejected(referee, partial(referee.undo, number))
                continue
            referee.undo(number)
            before = freeze_data(referee.state)
            if (before, format_trace(referee)) != earlier[-number]:
                raise LawFailure(
                    f"not what it was: {find_different_data(earlier[-number][0], before)} differs after an undo of "
                    f"{number} decisions in round {referee.round}",
                    field=find_different_data(earlier[-number][0], before),
                    worlds=[earlier[-number][1], format_trace(referee)],
                    advice="assign new values in `apply` in place of changing lists, or annotate lists in the class",
                )  # fmt: skip
            del earlier[-number:]
        elif rng.random() < 0.1:
            too_many = len(earlier) + 1
            assert_rejected(referee, partial(referee.undo, too_many))
        earlier.append((freeze_data(referee.state), format_trace(referee)))
        chances.clear()
        had_choices = any(referee.state.chosen)
        play_random_action(referee, rng)
        if chances or (had_choices and not any(referee.state.chosen)):
            earlier.clear()


def check_undo_distance(case: Case, seed: int, max_decisions: int = MAX_EVENTS) -> None:
    """Check the undo distance of two seats before each decision.

    No undo may go back beyond an outcome of chance, a card that the seat has drawn unseen or that was turned up, or the
    last of several secret choices. Only the first ``max_decisions`` decisions of the session are played.
    """
    rng, referee = Random(f"back {case} {seed}"), case.create_referee(seed, _discard_line)
    decided: list[tuple[Seat | None, set[Seat]]] = []
    actions: list[Action] = []

    def observe(event: Event) -> None:
        if isinstance(event, Chance):
            decided.clear()
        elif isinstance(event, Action):
            if len(decided) > 1 and decided[-2][0] == decided[-1][0] and event.completes(actions[-1]):
                decided[-1] = None, set()
            actions.append(event)

    referee.on_event = observe
    while not referee.ended and referee.decisions < max_decisions:
        for seat in rng.sample(range(case.seats), 2):
            since = list(takewhile(lambda one, seat=seat: seat not in one[1], reversed(decided)))  # type: ignore[misc]
            own = [number for number, (mover, _) in enumerate(since, start=1) if mover == seat]
            if referee.has_secret_choice(seat):
                own = [1]
            distance, refusal = referee.compute_undo_distance(seat), referee.explain_undo_refusal(seat)
            assert (distance, not refusal) == (own[0] if own else 0, bool(own)), (
                f"seat {seat} can undo {distance} decisions in round {referee.round}, but its last choice since it saw "
                f"a new card is {own[0] if own else 0} back ({refusal or 'no refusal'}); see `scene` and "
                "`forced_silent_action`"
            )
        before = [referee.view(seat) for seat in range(case.seats)]
        mover = referee.turn if referee.turn >= 0 and not case.game.forced_silent_action(before[referee.turn]) else None
        decided.append((mover, set()))
        had_choices = any(referee.state.chosen)
        play_random_action(referee, rng)
        if had_choices and not any(referee.state.chosen):
            decided.clear()
        after = [referee.view(seat) for seat in range(case.seats)]
        for seat in range(case.seats) if decided else ():
            if invariants.find_new_cards(case.game, seat, before, after):
                decided[-1][1].add(seat)


def check_void_rounds(case: Case, seed: int, *, first_deal_reveals: bool = False) -> None:
    """Make each round void at a random position, check that it is dealt the same again, and play it to its end.

    ``first_deal_reveals``: True if the first deal of a session makes known who holds a card, and a second deal does
    not; the first round is then compared by its trace only.
    """
    rng, referee = Random(f"void {case} {seed}"), case.create_referee(seed, _discard_line)
    while not referee.ended:
        events: list[Event] = []
        referee.on_event = events.append
        referee.advance()
        if referee.playing:
            dealt = freeze_data(referee.state), format_trace(referee)
            outcomes = [event for event in events if not isinstance(event, FirstSeatDraw)]
            actions = _list_actions_of_round(referee, rng)
            for action in actions[: rng.randrange(min(len(actions), MAX_BEFORE_VOID))]:
                referee.play(referee.turn, action)
            _check_redeal(referee, outcomes, dealt, trace_only=first_deal_reveals and referee.round == 1)
        _play_decisions(referee, rng, MAX_EVENTS)


def _list_actions_of_round(referee: Referee, rng: Random) -> list[Action]:
    """Return the actions with which random players end the round; it is played in a copy with the same chance."""
    clone, actions = referee.copy(), list[Action]()
    clone.on_event = lambda event: actions.append(event) if isinstance(event, Action) else None
    _play_decisions(clone, rng, MAX_EVENTS)
    return actions


def _play_decisions(referee: Referee, rng: Random, max_decisions: int) -> None:
    """Play at most ``max_decisions`` random actions, but not beyond the end of the round."""
    for _ in range(max_decisions):
        if not referee.playing:
            return
        play_random_action(referee, rng)
    assert not referee.playing or max_decisions < MAX_EVENTS, f"round {referee.round} does not end"


def _check_redeal(
    referee: Referee, outcomes: Sequence[Event], first_deal: tuple[object, str], *, trace_only: bool
) -> None:
    """Make the round void, apply the same outcomes of chance again and compare the result with the first deal.

    ``outcomes``: outcomes of chance of the first deal. ``first_deal``: data and trace after it; with ``trace_only``
    only the trace is compared.
    """
    scores, nothing = len(referee.scores), (0,) * len(referee.totals)
    before = referee.round, referee.scores[-1].totals if scores else nothing, scores
    referee.void("clock")
    referee.state.assert_invariants()
    assert (referee.turn, referee.playing) == (CHANCE, False), (
        "after a void round no deal is due: `cancel_round` has to set turn to CHANCE and playing to False"
    )
    after = referee.round, referee.totals, len(referee.scores)
    assert after == before, f"a void round leaves a round, points or scores: {before} became {after}"
    assert not any(referee.tricks or ()), f"a void round leaves tricks: {referee.tricks}; clear them in `cancel_round`"
    for event in outcomes:
        referee.apply_line(ChanceLine(str(event)))
    data = freeze_data(referee.state)
    if format_trace(referee) != first_deal[1] or not (trace_only or data == first_deal[0]):
        raise LawFailure(
            f"the round dealt again is another: {find_different_data(first_deal[0], data)} of the state differs in "
            f"round {referee.round}",
            field=find_different_data(first_deal[0], data), worlds=[first_deal[1], format_trace(referee)],
            advice="reset it in `cancel_round` or in `clear`",
        )  # fmt: skip


def check_deals(case: Case, seed: int) -> None:
    """Check that two sessions with the same seed have equal deals, although the actions differ."""
    deals = [_list_deals(case, seed, Random(f"{case} {seed} {players}")) for players in range(2)]
    rounds = min(map(len, deals))
    assert rounds, "the session has no deal"
    for number, same in enumerate(zip(*[session_deals[:rounds] for session_deals in deals], strict=True), 1):
        assert len({*same}) == 1, f"deal {number} depends on the actions: `draw_chance` has to use only its `rng`"


def _list_deals(case: Case, seed: int, rng: Random) -> list[str]:
    lines: list[Line] = []
    _play_with_undo(case.create_referee(seed, lines.append), lines, rng)
    return _filter_deals(lines)


def _play_with_undo(referee: Referee, lines: Sequence[Line], rng: Random) -> None:
    """Play the first rounds of a session, and undo some decisions; ``lines`` is what the referee records."""
    while not referee.ended and referee.round <= _ROUNDS_WITH_DEALS:
        play_random_action(referee, rng)
        if referee.playing and rng.random() < 0.05 and referee.compute_undo_distance(referee.turn):
            referee.undo(referee.compute_undo_distance(referee.turn))
        assert_not_endless(lines)


def _filter_deals(lines: Sequence[Line]) -> list[str]:
    return [line.outcome for line in lines if isinstance(line, ChanceLine) and line.is_deal]


def check_randomness(case: Case, seed: int) -> None:
    """Check that deals from a separate source of randomness differ from the deals of the seed, and can be replayed."""
    rng, lines = Random(f"source {case} {seed}"), list[Line]()
    referee = case.create_referee(seed, lines.append)
    system = Random(f"system {case} {seed}")
    referee.randomness = lambda _position: system
    _play_with_undo(referee, lines, rng)
    assert_referees_equal(reload_referee(case, lines), referee, "the journal leads elsewhere")
    deals = set(_filter_deals(lines))
    seeded_deals = _list_deals(case, seed, Random(f"{case} {seed}"))
    assert deals, "the session has no deal"
    assert deals.isdisjoint(seeded_deals), "the seed tells the cards: `draw_chance` has to use only its `rng`"


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
    for other in set(range(case.seats)) - {seat, *referee.list_seats_to_act()}:
        assert_rejected(referee, partial(referee.forfeit, other, "clock"))
    if case.options.to_dict().get("clock", "off") == "off" or referee.ended:
        assert_rejected(referee, partial(referee.forfeit, seat, "clock"))
        return
    referee.forfeit(seat, "clock")
    referee.state.assert_invariants()
    assert referee.turn == OVER, "a forfeited session is not over: `forfeit` has to set turn to OVER"
    assert (referee.raw_totals, referee.scores) == (running, scores), "`forfeit` changes the totals or the scores"
    assert [place > 1 for place in referee.ranks or ()] == [one == seat for one in range(case.seats)], (
        f"seat {seat} has forfeited, but the places are {referee.ranks}: it alone is not first"
    )
    end = partial(referee.undo, 1), partial(referee.void, "clock"), partial(referee.forfeit, seat, "clock")
    assert_rejected(referee, *end)
    assert_referees_equal(reload_referee(case, lines), referee, "a forfeited session that is read again is another")


def check_zones_and_texts(case: Case, seed: int, max_positions: int = MAX_EVENTS) -> None:
    """Check zones, explanations and log entries of each seat in the first ``max_positions`` positions."""
    rng, seats, has_copies = Random(f"words {case} {seed}"), range(case.seats), False
    for state in (position.state for position in islice(iter_random_positions(case, seed), max_positions)):
        before = [state.view(seat) for seat in seats]
        for view in before:
            invariants.assert_refusals_explained(case.game, view, rng)
        if state.turn == OVER:
            return
        after = state.copy()
        event = apply_random_event(after, rng)
        has_copies = has_copies or (isinstance(event, Deal) and max(event.order, default=0) >= COPY_OFFSET)
        invariants.assert_trick_winner_named(case.game, event, before[0], after.view(0))
        for seat in seats:
            view = after.view(seat)
            notes = invariants.assert_narration_valid(case.game, event, before[seat], view)
            if not has_copies:
                invariants.assert_drawn_cards_elsewhere(notes, view)
        invariants.assert_chance_not_leaked(case.game, state, event, rng)
        invariants.assert_decision_not_leaked(case.game, state, event, rng)


def check_unfinished_sessions(case: Case, seed: int) -> None:
    """Check that a session that stops after any of its lines can be replayed and exported.

    The session has just over one round, and only some of its lines are tried.
    """
    rng, games = Random(f"beginnings {case} {seed}"), {case.game.about.key: case.game}
    lines: list[Line] = []
    referee = case.create_referee(seed, lines.append)
    while not referee.scores:
        play_random_action(referee, rng)
    referee.advance()
    _play_decisions(referee, rng, rng.randrange(4))
    around_deals = [index + by for index, line in enumerate(lines) if isinstance(line, ChanceLine) for by in (0, 1)]
    cuts = {*range(_EARLY_CUTS), *around_deals, rng.randrange(len(lines)), len(lines)}
    for cut in sorted(cut for cut in cuts if cut <= len(lines)):
        read = journal.read(encode_journal(case, lines[:cut]))
        referee = replay.load(read, games)
        rounds = list(replay_rounds(read, games))
        assert len(rounds) == referee.round, (
            f"a round that was dealt is missing: the replay has {len(rounds)} of {referee.round}"
        )
        assert [replayed.score for replayed in rounds if replayed.score] == referee.scores, (
            "the replay has other scores"
        )
        for replayed in rounds[-1:]:
            invariants.assert_round_replayable(replayed, rng.randrange(case.seats))
        text = export_formats.format_session(read, referee, games=games, is_abandoned=True)
        assert text, f"the export after {cut} lines is empty"


def _discard_line(_line: Line) -> None:
    """Discard a line; the recorder of checks that need no journal."""


MAX_DECISIONS: Final = 60
"""Maximum number of decisions of the robots of a level, about a round."""


def check_robots(case: Case, seed: int) -> None:
    """Let robots of each level play a round, if the game is installed: a policy is found in an installed package.

    A searching robot is stopped at once, so that it is fast.
    """
    if case.game.about.key not in GAMES:
        return
    for level in LEVELS:
        try:
            _play_round(case, seed, level, make_robot(level, case.game.about.key))
        except AssertionError:
            raise
        except Exception as error:
            if (failed := find_plugin_failure(error, with_text=True)) is None:
                raise
            raise LawFailure(
                f"a robot of the level {level} fails: {failed}",
                field="policy",
                advice="let what is named work in the states of `imagine`, too, and let `novice` and `steady` in the "
                "module `policy`, if there is one, take a view and a `Random`, and return one of `view.legal`",
            ) from error


def _play_round(case: Case, seed: int, level: str, robot: Robot) -> None:
    """Let one robot decide for all seats until the round is over."""
    referee = case.create_referee(seed, lambda _line: None)
    referee.advance()
    for _ in range(MAX_DECISIONS):
        if referee.turn < 0:
            return
        view = referee.view(referee.turn)
        action = decide(robot, view, seed, referee.decisions, stop=lambda: True)
        if action not in view.legal:
            raise LawFailure(
                f"a robot of the level {level} chooses {action}, which is not legal",
                field="policy",
                seat=view.seat,
                advice="return one of `view.legal`",
            )
        referee.play(view.seat, action)
