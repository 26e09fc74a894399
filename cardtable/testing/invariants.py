"""Invariants of games; each function raises ``AssertionError`` if one is violated."""

import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from random import Random
from typing import Final, TypeAlias

from msgspec.structs import asdict, replace

from cardtable.engine import chance
from cardtable.engine.cards import COPY_OFFSET, NAME, Card, Cards, iter_cards, mask_of, names
from cardtable.engine.chance import Deal, Shuffle
from cardtable.engine.game import (
    CHANCE,
    MAX_CARD_TEXT,
    OVER,
    AnyGame,
    Chance,
    Event,
    Note,
    Score,
    Seat,
    State,
    View,
    competition_ranks,
)
from cardtable.engine.log_entries import Drew
from cardtable.engine.presentation import SEAT_NAMES, explain_refusal
from cardtable.engine.tricks import Play, TrickView
from cardtable.engine.value_checks import find_invalid_field
from cardtable.games import GAMES
from cardtable.plain import replay as plain_text
from cardtable.robots.kit.robot import Robot
from cardtable.session.round_replay import RoundReplay, restrict_replay
from cardtable.testing.cases import (
    Case,
    LawFailure,
    apply_random_event,
    describe_phase,
    freeze_data,
    iter_random_positions,
    list_legal,
)
from cardtable.testing.worlds import (
    describe_field,
    find_different_fields,
    find_named_cards,
    find_shown_cards,
    format_notes,
    is_identical,
    parse_named_cards,
)
from cardtable.ui.game_view.hand_cursor import find_matching_actions, find_selectable_cards
from cardtable.ui.round_view.playhead import Playhead, RoundCursor, RowSnapshot, StopSnapshot
from cardtable.wording import log_entries
from cardtable.wording.formatting import insert_suit_signs
from cardtable.wording.log_entries import format_note

AnyState: TypeAlias = State[View]
AddPoints: TypeAlias = Callable[[Score, int, int], int]
"""Function that returns the new total of a seat, given the score, its previous total and its points in the round."""
CONTINUED_EVENTS: Final = 12
"""Number of events for which a copy or a sampled state is played on."""


# Checks of a state


def assert_actions_distinct(state: AnyState) -> None:
    """Assert that the legal actions have distinct texts, and that each can be selected by its cards."""
    if state.turn < 0:
        return
    legal, mover = list_legal(state), f"seat {state.turn}"
    counts = Counter(map(str, legal))
    (text, times), *_ = counts.most_common(1)
    if times > 1 or len(set(legal)) != len(legal):
        raise LawFailure(
            f"two actions have one text: {text!r} of {mover}", seat=state.turn, field="legal",
            advice="list each action once, and let `notation` tell actions apart",
        )  # fmt: skip
    for action in legal:
        is_selectable = not action.cards_used() & ~find_selectable_cards(legal)
        if not is_selectable or action not in find_matching_actions(legal, action.cards_used()):
            raise LawFailure(
                f"the action {str(action)!r} of {mover} cannot be chosen by its cards", seat=state.turn,
                field="cards_used", advice="return from `cards_used` exactly the cards that a player selects",
            )  # fmt: skip
        if str(action) != str(action).strip() or not str(action):
            raise LawFailure(
                f"the text {str(action)!r} of an action is empty, or begins or ends with a blank", seat=state.turn,
                field="notation", advice="return the text without blanks around it",
            )  # fmt: skip


def assert_card_texts(game: AnyGame, view: View) -> None:
    """Assert that what the game says of each card in the player's hand is one sentence that fits on the screen."""
    for card in iter_cards(view.hand):
        text = game.explain_card(view, card)
        if text is not None:
            subject = f"what {NAME[card]} does for seat {view.seat}"
            assert text.endswith("."), f"{subject} is no sentence: {text!r}; end it with a full stop in `explain_card`"
            assert len(insert_suit_signs(text)) <= MAX_CARD_TEXT, (
                f"{subject} is too long: {text!r}; `explain_card` has {MAX_CARD_TEXT} characters"
            )


def assert_outcomes_checked(state: AnyState, rng: Random) -> None:
    """Assert that an outcome of chance survives conversion to text and back, and that wrong outcomes are rejected.

    Does nothing if no outcome of chance is due.
    """
    if state.turn != CHANCE:
        return
    outcome = state.draw_chance(rng)
    assert isinstance(outcome, state.pending_chance_type()), (
        "chance owes another kind of outcome: `draw_chance` has to draw what `pending_chance_type` returns"
    )
    assert str(chance.read(str(outcome))) == str(outcome), f"the outcome {outcome} cannot be read from its own text"
    assert state.is_possible_chance(chance.read(str(outcome))), (
        f"what chance may say is not admitted: `is_possible_chance` rejects {outcome}, which `draw_chance` has drawn"
    )
    wrong: list[Chance] = [
        chance.FirstSeatDraw(99),
        chance.FirstSeatDraw(-1),
        chance.FirstCard(Card(0)),
        Deal(()),
        Shuffle(()),
        Deal((Card(0), Card(0))),
    ]
    if isinstance(outcome, Deal | Shuffle):
        order = outcome.order
        wrong += [type(outcome)(order[1:]), type(outcome)((*order[1:], order[1])), type(outcome)((*order, order[0]))]
        wrong.append((Shuffle if isinstance(outcome, Deal) else Deal)(order))
    for other in wrong:
        if type(other) is not chance.FirstCard or state.pending_chance_type() is not chance.FirstCard:
            assert not state.is_possible_chance(other), (
                f"{other} is admitted: `is_possible_chance` has to accept only whole packs without doubles"
            )


def assert_copies_independent(state: AnyState, rng: Random) -> None:
    """Assert that playing on in a copy of a state changes neither the state nor another copy."""
    before, clone = freeze_data(state), state.copy()
    assert freeze_data(clone) == before, (
        f"a copy differs in {find_different_data(before, freeze_data(clone))}: copy every attribute"
    )
    for changed, unchanged in ((clone, state), (state.copy(), state.copy())):
        for _ in range(CONTINUED_EVENTS):
            if changed.turn != OVER:
                apply_random_event(changed, rng)
        assert freeze_data(unchanged) == before, (
            f"a copy shares something: {find_different_data(before, freeze_data(unchanged))} has changed with another "
            "copy; assign new values, or annotate the lists in the class of the state"
        )


def find_different_data(one: object, other: object) -> str:
    """Return the names of the attributes in which two results of ``freeze_data`` differ."""
    if not isinstance(one, tuple) or not isinstance(other, tuple) or not isinstance(one[1], dict):
        return "its data"
    before, after = one[1], other[1]
    return ", ".join([name for name in {**before, **after} if before.get(name) != after.get(name)])


def add_points(_score: Score, total: int, points: int) -> int:
    """Return the sum of total and points; the rule of games in which points are simply added."""
    return total + points


def assert_scores_add_up(
    game: AnyGame, scores: Sequence[Score], totals: tuple[int, ...], add: AddPoints = add_points
) -> None:
    """Assert that the points scored in the rounds add up to the totals.

    ``add``: returns the new total of a seat after a round.
    """
    running = (0,) * len(totals)
    for score in scores:
        assert len(score.points) == len(score.bonuses) == len(score.figures) == len(totals), (
            f"a score is not by seat: points {score.points}, bonuses {score.bonuses}, figures {score.figures}"
        )
        assert all(len(figures) == len(game.columns) for figures in score.figures), (
            f"figures are not those of GAME.columns: {score.figures} under the headings {game.columns}"
        )
        previous = running
        running = tuple([add(score, *both) for both in zip(running, score.points, strict=True)])
        assert score.totals == running, (
            f"the points do not lead to the totals: {previous} and {score.points} are not {score.totals}; "
            "override `adds` of the test class if the game does not add them"
        )
    assert running == totals, f"the points do not lead to the totals: the scores give {running}, the state {totals}"


def assert_partners_equal(game: AnyGame, state: AnyState) -> None:
    """Assert that each seat is in exactly one partnership, and that partners are equal in points and rank."""
    seats = len(state.totals)
    sides = game.sides(seats, state.options)
    assert sorted([seat for side in sides for seat in side]) == list(range(seats)), (
        f"not everybody is on one side: `sides` gives {sides} for {seats} seats"
    )
    shared = {"totals": state.totals, "results": state.results(), "ranks": state.ranks()}
    shared |= {"points": state.score.points} if state.score else {}
    for name, values in shared.items():
        assert len(values) == seats, f"there is not a value for everybody in the {name} {values} of {seats} seats"
        for side in sides:
            assert len({values[seat] for seat in side}) == 1, (
                f"partners differ in points or place: the seats {side} have the {name} {values}"
            )


def assert_ranks_follow_results(state: AnyState, lowest_wins: bool) -> None:
    """Assert that a seat with a better result than another has a better rank."""
    results, places = state.results(), state.ranks()
    plain = competition_ranks(results, lowest_wins=lowest_wins)
    assert len(places) == len(results), f"there is not a place for everybody: `ranks` gives {places}"
    assert min(places) == 1, f"nobody is first: `ranks` gives {places}"
    for one, other in permutations(range(len(results)), 2):
        if plain[one] < plain[other]:
            assert places[one] < places[other], (
                f"places are not those of the totals: seat {one} has {results[one]} and place {places[one]}, seat "
                f"{other} has {results[other]} and place {places[other]}; set lowest_wins in the state and in GAME"
            )


def assert_round_replayable(replay: RoundReplay, seat: Seat) -> None:
    """Assert that a round can be shown at every moment, with all hands open and as ``seat`` saw it.

    Only texts are checked for a game that is not installed.
    """
    names = [f"Seat{seat}" for seat in replay.seats]
    for round_ in (replay, restrict_replay(replay, seat)):
        assert plain_text.describe_title(round_, names).isprintable()
        assert all(plain_text.describe_deal(round_, seat, names).isprintable() for seat in round_.seats)
        assert all(plain_text.describe_row(round_, row, names, {}).isprintable() for row in round_.rows)
        assert all(log_entries.describe_row(round_, row, names).isprintable() for row in round_.rows)
        if replay.game.about.key not in GAMES:  # a game that is not installed has no table screen
            continue
        head = Playhead(round_)
        for position in range(len(head.stops)):
            head.position = position
            snapshot = StopSnapshot(head, names, 0)
            assert len([snapshot.create_plate(seat) for seat in snapshot.seats]) == len(names)
            assert snapshot.get_table_cards().view.seat in replay.seats
            assert round_.deal_line <= head.journal_line <= round_.last_line
    for number in range(len(replay.rows) if replay.score and replay.game.about.key in GAMES else 0):
        cursor = RoundCursor(replay)
        cursor.move_to(number)
        assert RowSnapshot(cursor, names, 0).get_table_cards().view.seat in replay.seats


# Checks of views


def assert_sample_matches_view(game: AnyGame, state: AnyState, seat: Seat, rng: Random) -> AnyState:
    """Sample a state from the view of a seat and return it; assert that it is valid and gives the same view."""
    before, view = freeze_data(state), state.view(seat)
    assert view.seat == seat, f"the view of seat {seat} says that it is of seat {view.seat}"
    assert set(view.legal) == (set(state.legal()) if state.turn == seat else set()), (
        f"a view has other choices than the state: seat {seat} has {view.legal} in its view"
    )
    assert_hashable(view)
    assert_view_accepted_by_guests(view)
    world = game.imagine(view, rng)
    world.assert_invariants()
    for other in range(len(view.totals)) if view.remembered else ():
        held = names(iter_cards(world.view(other).hand & view.remembered))
        assert not held, f"`imagine` deals seat {other} a card that seat {seat} remembers to be in no hand: {held}"
    if not is_identical(world.view(seat), view):
        name = find_different_fields(view, world.view(seat))[0]
        raise LawFailure(
            f"the seat can tell the worlds apart: `imagine` changes the field {name} of the view of seat {seat}",
            seat=seat, field=name, worlds=[describe_field(one, name) for one in (view, world.view(seat))],
            advice="copy from the view to the state all that this field is computed from",
        )  # fmt: skip
    assert is_identical(pickle.loads(pickle.dumps(view)), view), (
        f"the view of seat {seat} differs after it was sent to another process; use plain values in its fields"
    )
    assert freeze_data(state) == before, (
        f"to look at a state changes it: {find_different_data(before, freeze_data(state))} has changed in `view`"
    )
    if state.turn == seat:
        assert list(map(str, world.legal())) == list(map(str, state.legal())), (
            f"the guess has other choices: `imagine` gives seat {seat} a state with other legal actions"
        )
    return world


def assert_view_accepted_by_guests(view: View) -> None:
    """Assert that the guests of a club accept a view: a guest leaves a table whose host sends impossible values."""
    if name := find_invalid_field(view, len(view.totals)):
        raise LawFailure(
            f"the guests of a club refuse the field {name} of the view of seat {view.seat}: "
            f"{describe_field(view, name)}",
            seat=view.seat, field=name,
            advice="annotate the field with `Meta(max_length=...)` if the tuple is not by seat, or with `OMITTED`",
        )  # fmt: skip


def assert_hashable(view: View) -> None:
    """Assert that all fields of a view can be hashed, which views of the searcher have to be."""
    for name, value in asdict(view).items():
        try:
            hash(value)
        except TypeError as error:
            raise LawFailure(
                f"the field {name} of the view of seat {view.seat} cannot be hashed: {error}",
                seat=view.seat, field=name, advice="use a tuple in place of a list, and no dictionary",
            ) from None  # fmt: skip


def assert_sample_playable(world: AnyState, rng: Random) -> None:
    """Assert that a sampled state, which is changed, can be played on and remains valid."""
    for _ in range(CONTINUED_EVENTS):
        if world.turn == OVER:
            return
        event = apply_random_event(world, rng)
        world.assert_invariants()
        assert str(event)


def assert_same_choices(robots: Iterable[Robot], view: View, other: View, seed: float) -> None:
    """Assert that each robot makes the same choice in two equal views and draws the same random numbers."""
    for robot in robots:
        once, again = Random(seed), Random(seed)
        choice = robot.choose(view, once, lambda: False)
        chooser = f"a robot at seat {view.seat}"
        assert choice in view.legal, f"the choice is not legal: {chooser} chooses {choice}"
        assert str(robot.choose(other, again, lambda: False)) == str(choice), (
            f"the choices differ: {chooser} chooses {choice}, and something else in an equal view"
        )
        assert once.getstate() == again.getstate(), f"the numbers drawn differ: {chooser} in two equal views"


def assert_scene_valid(game: AnyGame, view: View) -> Cards:
    """Assert that a scene has valid zones and shows each card at most once; return the cards shown."""
    zones = game.scene(view)
    source = f"`scene` of seat {view.seat}"
    for zone in zones:
        assert zone.name, f"a zone has no name: {source}, {zone}"
        assert zone.seat is None or 0 <= zone.seat < len(view.totals), f"a zone is at no seat: {source}, {zone}"
    shown_cards = [one for zone in zones for one in zone.cards if one is not None]
    twice = [one for one, times in Counter(shown_cards).items() if times > 1]
    if twice:
        zone_names = " and ".join([f"{zone.name!r} of seat {zone.seat}" for zone in zones if twice[0] in zone.cards])
        raise LawFailure(
            f"a card is shown twice: {NAME[twice[0]]} in {source}, in {zone_names}", seat=view.seat, field="scene",
            advice="show each card in one zone",
        )  # fmt: skip
    for action in view.legal:
        missing = action.cards_used() & ~mask_of(shown_cards)
        if missing:
            raise LawFailure(
                f"a card to be chosen is not shown: {names(iter_cards(missing))} of {str(action)!r} in {source}",
                seat=view.seat, field="scene", advice="show the cards of `cards_used` in a zone",
            )  # fmt: skip
    return mask_of(shown_cards)


def assert_refusals_explained(game: AnyGame, view: View, rng: Random) -> None:
    """Assert that selections of cards that are not legal are explained in at most 78 characters.

    Tries no card, some random cards and the cards of the seat; also the description of the cards to select.
    """
    requirement = game.describe_selection(view)
    assert requirement is None or (requirement.isprintable() and 0 < len(requirement) <= 78), (
        f"a prompt is no line of 78 characters: `describe_selection` tells seat {view.seat} {requirement!r}"
    )
    tried = [
        0,
        *[1 << rng.randrange(52) for _ in range(3)],
        *[1 << one for one in iter_cards(get_own_cards(game, view))],
    ]
    for cards in tried:
        if not find_matching_actions(view.legal, cards):
            words = explain_refusal(game, view, cards)
            assert words.isprintable() and 0 < len(words) <= 78, (
                f"a refusal is no line of 78 characters: `explain_illegal` tells seat {view.seat} {words!r} for "
                f"{names(iter_cards(cards)) or 'no card'}"
            )


def get_own_cards(game: AnyGame, view: View) -> Cards:
    return mask_of(one for zone in game.scene(view) if zone.seat == view.seat for one in zone.cards if one is not None)


def find_new_cards(game: AnyGame, seat: Seat, before: Sequence[View], after: Sequence[View]) -> Cards:
    """Return the cards that a seat had not seen and that have entered its hand, or were turned up from no hand.

    ``before`` and ``after`` are the views of all seats. Of two copies, the one on the table may be from a hand.
    """
    drawn = after[seat].hand & ~before[seat].hand
    hands = mask_of(card for view in (*before, *after) for card in iter_cards(view.hand))
    turned = find_shown_cards(game, after[seat]) & ~(hands | hands << COPY_OFFSET)
    return (drawn | turned) & ~find_shown_cards(game, before[seat])


def assert_trick_winner_named(game: AnyGame, event: Event, before: View, after: View) -> None:
    """Assert that ``Game.trick`` names the seat that takes the trick which a play completes."""
    if not (isinstance(event, Play) and isinstance(before, TrickView) and isinstance(after, TrickView)):
        return
    takers = [seat for seat, (fewer, more) in enumerate(zip(before.won, after.won, strict=True)) if more > fewer]
    trick = game.trick(replace(before, trick=(*before.trick, event.card)))
    if trick and sum(after.won) == sum(before.won) + 1:
        assert trick.winning == takers[0], (
            f"seat {takers[0]} takes a trick that seat {trick.winning} is winning: `trick` has to agree with the state"
        )


def assert_narration_valid(game: AnyGame, event: Event, before: View, after: View) -> tuple[Note, ...]:
    """Assert that the log entries of an event have texts and name only cards that the seat sees; return the entries."""
    notes = game.narrate(event, before, after)
    source, seat_names = f"`narrate` for seat {after.seat}", SEAT_NAMES[: len(after.totals)]
    for note in notes:
        assert isinstance(note, Note), f"narrate gives something that is no note: {note!r} in {source}"
        assert note.seat is None or 0 <= note.seat < len(after.totals), f"a note is of no seat: {note} in {source}"
        for text in (format_note(note, seat_names, you=False), format_note(note, seat_names, you=True)):
            assert text.isprintable() and text, f"a note has no printable text: {note} in {source}"
            assert text == text.strip(), f"the words break off: {text!r} in {source}"
            assert "{" not in text, f"braces stand for neither cards nor a player: {text!r} in {source}"
        if note.seat is not None:
            they, you = (format_note(note, you=you).partition(" ")[0] for you in (False, True))
            assert they != you or not they.islower(), f"{they} is said in one person only: {note} in {source}"
    seen = (
        parse_named_cards(get_public_text(event)) | assert_scene_valid(game, before) | assert_scene_valid(game, after)
    )
    leaked_cards = find_named_cards(notes) & ~seen
    if leaked_cards:
        raise LawFailure(
            f"a hidden card is told: {source} names {names(iter_cards(leaked_cards))}: "
            f"{format_notes(notes, after.seat)!r}",
            seat=after.seat, field="narrate", advice="name only cards that `scene` shows to the seat",
        )  # fmt: skip
    return notes


def assert_drawn_cards_elsewhere(notes: Iterable[Note], view: View) -> None:
    """Assert that no card which another seat has drawn is in the hand of the reader; for packs without doubles."""
    for note in notes:
        own = mask_of(note.cards) & view.hand if isinstance(note, Drew) and note.seat != view.seat else 0
        if own:
            raise LawFailure(
                f"seat {view.seat} reads that seat {note.seat} has drawn {names(iter_cards(own))}, which is in its own "
                "hand",
                seat=view.seat, field="narrate",
                advice="give `Drew` the cards of the acting seat only in the view of that seat",
            )  # fmt: skip


def get_public_text(event: Event) -> str:
    """Return the text of an event that everyone may know; empty for deals and reshuffles."""
    return "" if isinstance(event, Deal | Shuffle) else str(event)


def assert_chance_not_leaked(game: AnyGame, state: AnyState, outcome: Event, rng: Random) -> None:
    """Assert that the log entries of an outcome of chance depend only on what the seat sees afterwards.

    Compares ``outcome`` with a copy in which two cards are exchanged.
    """
    if not isinstance(outcome, Deal | Shuffle) or not outcome.order:
        return
    order = list(outcome.order)
    i, j = rng.randrange(len(order)), rng.choice((rng.randrange(len(order)), -1))  # the last card is rarely visible
    order[i], order[j] = order[j], order[i]
    worlds = [(outcome, state.copy()), (type(outcome)(tuple(order)), state.copy())]
    for event, world in worlds:
        world.apply(event)
    for seat in range(len(state.totals)):
        before = state.view(seat)
        views = [world.view(seat) for _, world in worlds]
        if views[0] == views[1]:
            assert is_identical(*views), f"equal views of seat {seat} differ in {find_different_fields(*views)[0]}"
            entries = [game.narrate(event, before, views[0]) for event, _ in worlds]
            assert_entries_equal(entries, seat, "the order of the pack")


def assert_decision_not_leaked(game: AnyGame, state: AnyState, action: Event, rng: Random) -> None:
    """Assert that the log entries of an action depend only on what the seat sees afterwards.

    Compares ``action`` with another legal action: all of the entries if the actions are of one kind, else the cards
    that they name. Plays to a trick are skipped because they are public.
    """
    if state.turn < 0 or isinstance(action, Play):
        return
    legal = state.legal()
    alike = [alternative for alternative in legal if type(alternative) is type(action) and alternative != action]
    for other in [rng.choice(actions) for actions in (legal, alike) if actions]:
        worlds = [(event, state.copy()) for event in (action, other)]
        for event, world in worlds:
            world.apply(event)
        for seat in set(range(len(state.totals))) - {state.turn}:
            views = [world.view(seat) for _, world in worlds]
            if views[0] == views[1]:
                notes = [game.narrate(event, state.view(seat), views[0]) for event, _ in worlds]
                secret = f"that seat {state.turn} chose {str(action)!r} and not {str(other)!r}"
                if type(action) is type(other):
                    assert_entries_equal(notes, seat, secret)
                else:
                    entries = [find_named_cards(world_notes) for world_notes in notes]
                    assert entries[0] == entries[1], f"a hidden card is told: `narrate` tells seat {seat} {secret}"


def assert_entries_equal(entries: Sequence[tuple[Note, ...]], seat: Seat, secret: str) -> None:
    """Assert that a seat reads the same entries in two worlds; ``secret``: what it could tell from the difference."""
    if entries[0] != entries[1]:
        raise LawFailure(
            f"a hidden card is told: `narrate` tells seat {seat} {secret}, although its view does not", seat=seat,
            field="narrate", worlds=[repr(format_notes(world_notes, seat)) for world_notes in entries],
            advice="tell it only in the view of the seat that may know it, or add a field to the view if all may know",
        )  # fmt: skip


def compare_worlds(case: Case, seed: int, robots: Iterable[Robot] = (), min_per_phase: int = 3) -> int:
    """Play a session and assert that sampled states give each seat the same view as the true one, and can be played on.

    Robots choose alike in both. All of the first ``min_per_phase`` positions of each phase are tested, later ones are
    sampled. Returns the number of comparisons.
    """
    rng, pairs = Random(f"secrets {case} {seed}"), 0
    phase_counts: Counter[str] = Counter()
    for position in iter_random_positions(case, seed):
        state = position.state
        current_phase = describe_phase(state)
        phase_counts[current_phase] += 1
        if phase_counts[current_phase] > min_per_phase and rng.random() > 0.02:
            continue
        for seat in range(case.seats):
            world = assert_sample_matches_view(case.game, state, seat, rng)
            pairs += 1
            if state.turn == seat:
                assert_same_choices(robots, state.view(seat), world.view(seat), rng.random())
            assert_sample_playable(world, rng)
    return pairs


def assert_public_view_safe(game: AnyGame, state: AnyState, rng: Random) -> None:
    """Assert that the public views of a state reveal no hand.

    They must be the same in states that another seat cannot distinguish, and the log entries of an event must not name
    other cards than they show.
    """
    seats = range(len(state.totals))
    for other in seats:
        guess = assert_sample_matches_view(game, state, other, rng)
        for seat in seats:
            views = [world.view(seat).public_view() for world in (state, guess)]
            if not is_identical(*views):
                name = find_different_fields(*views)[0]
                raise LawFailure(
                    f"a covered view tells of a hand: the public view of seat {seat} has a field {name} that seat "
                    f"{other} cannot know",
                    seat=seat, field=name, worlds=[describe_field(one, name) for one in views],
                    advice="annotate the private fields of the view with `PRIVATE`",
                )  # fmt: skip
    if state.turn == OVER:
        return
    after = state.copy()
    event = apply_random_event(after, rng)
    for seat in seats:
        assert_narration_valid(game, event, state.view(seat).public_view(), after.view(seat).public_view())
