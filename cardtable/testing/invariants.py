"""Invariants of games; each function raises ``AssertionError`` if one is violated."""

import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from random import Random
from typing import Final, TypeAlias

from cardtable.engine import chance
from cardtable.engine.cards import BIT, COPY_OFFSET, NAME, RANKS, SUITS, Card, Cards, card, iter_cards, mask_of
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
from cardtable.engine.tricks import Play
from cardtable.games import GAMES
from cardtable.plain import last_round as plain_text
from cardtable.robots.kit.robot import Robot
from cardtable.session.round_replay import RoundReplay, restrict_replay
from cardtable.testing.cases import (
    Case,
    Position,
    apply_random_event,
    describe_phase,
    freeze_data,
    iter_random_positions,
)
from cardtable.ui.game_view.hand_cursor import find_matching_actions, find_selectable_cards
from cardtable.ui.round_view.playhead import Playhead, RoundCursor, RowSnapshot, StopSnapshot
from cardtable.wording import rounds
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
    legal = state.legal()
    assert legal, "nothing is legal"
    assert len({str(action) for action in legal}) == len(legal) == len(set(legal)), "two actions have one text"
    for action in legal:
        assert not action.cards_used() & ~find_selectable_cards(legal)
        assert action in find_matching_actions(legal, action.cards_used())
        assert str(action) == str(action).strip() != ""


def assert_card_texts(game: AnyGame, view: View) -> None:
    """Assert that what the game says of each card in the player's hand is one sentence that fits on the screen."""
    for held in iter_cards(view.hand):
        text = game.explain_card(view, held)
        if text is not None:
            assert text.endswith("."), f"what {NAME[held]} does is no sentence: {text!r}"
            assert len(insert_suit_signs(text)) <= MAX_CARD_TEXT, f"what {NAME[held]} does is too long: {text!r}"


def assert_outcomes_checked(state: AnyState, rng: Random) -> None:
    """Assert that an outcome of chance survives conversion to text and back, and that wrong outcomes are rejected.

    Does nothing if no outcome of chance is due.
    """
    if state.turn != CHANCE:
        return
    outcome = state.draw_chance(rng)
    assert isinstance(outcome, state.pending_chance_type()), "chance owes another kind of outcome"
    assert str(chance.read(str(outcome))) == str(outcome)
    assert state.is_possible_chance(chance.read(str(outcome))), "what chance may say is not admitted"
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
            assert not state.is_possible_chance(other), f"{other} is admitted"


def assert_copies_independent(state: AnyState, rng: Random) -> None:
    """Assert that playing on in a copy of a state changes neither the state nor another copy."""
    before, twin = freeze_data(state), state.copy()
    assert freeze_data(twin) == before, "a copy differs"
    for changed, unchanged in ((twin, state), (state.copy(), state.copy())):
        for _ in range(CONTINUED_EVENTS):
            if changed.turn != OVER:
                apply_random_event(changed, rng)
        assert freeze_data(unchanged) == before, "a copy shares something"


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
        assert len(score.points) == len(score.bonuses) == len(score.figures) == len(totals), "a score is not by seat"
        assert all(len(figures) == len(game.columns) for figures in score.figures), (
            "figures are not those of GAME.columns"
        )
        running = tuple([add(score, *both) for both in zip(running, score.points, strict=True)])
        assert score.totals == running, "the points do not lead to the totals"
    assert running == totals, "the points do not lead to the totals"


def assert_partners_equal(game: AnyGame, state: AnyState) -> None:
    """Assert that each seat is in exactly one partnership, and that partners are equal in points and rank."""
    seats = len(state.totals)
    sides = game.sides(seats, state.options)
    assert sorted([seat for side in sides for seat in side]) == list(range(seats)), "not everybody is on one side"
    shared = [state.totals, state.results(), state.ranks(), *([state.score.points] if state.score else [])]
    assert all(len({values[seat] for seat in side}) == 1 for values in shared for side in sides), (
        "partners differ in points or place"
    )


def assert_ranks_follow_results(state: AnyState, lowest_wins: bool) -> None:
    """Assert that a seat with a better result than another has a better rank."""
    results, places = state.results(), state.ranks()
    plain = competition_ranks(results, lowest_wins=lowest_wins)
    assert len(places) == len(results), "there is not a place for everybody"
    assert min(places) == 1, "nobody is first"
    for one, other in permutations(range(len(results)), 2):
        if plain[one] < plain[other]:
            assert places[one] < places[other], (
                "places are not those of the totals; lowest_wins is said in the state and in GAME"
            )


def assert_round_replayable(replay: RoundReplay) -> None:
    """Assert that a round can be shown at every moment, with all hands open and as each seat saw it.

    Only texts are checked for a game that is not installed.
    """
    names = [f"Seat{seat}" for seat in replay.seats]
    for round_ in (replay, *[restrict_replay(replay, seat) for seat in replay.seats]):
        assert plain_text.describe_title(round_, names).isprintable()
        assert all(plain_text.describe_deal(round_, seat, names).isprintable() for seat in round_.seats)
        assert all(plain_text.describe_row(round_, row, names, {}).isprintable() for row in round_.rows)
        assert all(rounds.describe_row(round_, row, names).isprintable() for row in round_.rows)
        if replay.game.about.key not in GAMES:  # a game that is not installed has no table screen
            continue
        head = Playhead(round_)
        for at in range(len(head.stops)):
            head.position = at
            shown = StopSnapshot(head, names, 0)
            assert len([shown.create_plate(seat) for seat in shown.seats]) == len(names)
            assert shown.get_table_cards().view.seat in replay.seats
            assert round_.deal_line <= head.journal_line <= round_.last_line
    for number in range(len(replay.rows) if replay.score and replay.game.about.key in GAMES else 0):
        cursor = RoundCursor(replay)
        cursor.move_to(number)
        assert RowSnapshot(cursor, names, 0).get_table_cards().view.seat in replay.seats


# Checks of views


def is_identical(one: object, other: object) -> bool:
    """Return True if two views cannot be distinguished: they are equal and have the same repr and pickle."""
    return one == other and repr(one) == repr(other) and pickle.dumps(one) == pickle.dumps(other)


def assert_sample_matches_view(game: AnyGame, state: AnyState, seat: Seat, rng: Random) -> AnyState:
    """Sample a state from the view of a seat and return it; assert that it is valid and gives the same view."""
    before, view = freeze_data(state), state.view(seat)
    assert view.seat == seat
    assert set(view.legal) == (set(state.legal()) if state.turn == seat else set()), (
        "a view has other choices than the state"
    )
    hash(view)
    world = game.imagine(view, rng)
    world.assert_invariants()
    assert is_identical(world.view(seat), view), "the seat can tell the worlds apart"
    assert is_identical(pickle.loads(pickle.dumps(view)), view)
    assert freeze_data(state) == before, "to look at a state changes it"
    if state.turn == seat:
        assert list(map(str, world.legal())) == list(map(str, state.legal())), "the guess has other choices"
    return world


def swap_hidden_cards(game: AnyGame, position: Position, seat: Seat, rng: Random) -> AnyState | None:
    """Return a state in which two cards that the seat has not seen are exchanged, after the same actions.

    Returns ``None`` if these actions are then impossible, or if there are no two such cards. The result therefore
    differs from the true state only in what the seat cannot know.
    """
    events = swap_hidden_in_events(game, position, seat, rng)
    if events is None:
        return None
    return apply_events(position.state_before_deal.copy(), events, position.state.turn)


def swap_hidden_in_events(
    game: AnyGame, position: Position, seat: Seat, rng: Random
) -> list[tuple[Seat, Event]] | None:
    """Return the events of the round with two cards exchanged that the seat has not seen.

    ``None`` if there are no two.
    """
    draws = [i for i, (_, event) in enumerate(position.events) if isinstance(event, Deal | Shuffle)]
    if not draws:
        return None
    swapped_index = rng.choice(draws)
    outcome = position.events[swapped_index][1]
    assert isinstance(outcome, Deal | Shuffle)
    later = " ".join(
        str(event) for _, event in position.events[swapped_index + 1 :] if not isinstance(event, Deal | Shuffle)
    )
    shown, named = assert_scene_valid(game, position.state.view(seat)), parse_named_cards(later)
    own = list_dealt_places(game, position, seat) if isinstance(outcome, Deal) else ()
    places = [i for i in range(len(outcome.order)) if is_hidden(i, outcome.order, own, shown, named)]
    if len(places) < 2:
        return None
    one, other = rng.sample(places, 2)
    order = list(outcome.order)
    order[one], order[other] = order[other], order[one]
    events = list(position.events)
    events[swapped_index] = CHANCE, chance.read(str(type(outcome)(tuple(order))))
    return events


def list_dealt_places(game: AnyGame, position: Position, seat: Seat) -> Sequence[int]:
    """Return the indices of the seat's cards in the order of the deal."""
    state = position.state_before_deal.copy()
    state.apply(position.events[0][1])
    number = get_own_cards(game, state.view(seat)).bit_count()
    return range(seat * number, (seat + 1) * number)


def is_hidden(place: int, order: Sequence[Card], own_places: Sequence[int], shown: Cards, named: Cards) -> bool:
    """Return True if the seat cannot know the card at index ``place`` of a deal or reshuffle.

    ``own_places``: indices of the cards that the seat was dealt. ``shown``: cards that it sees. ``named``: cards in the
    texts of later events. If the seat holds one copy of a card, it cannot know the place of the other copy.
    """
    first = order[place] % COPY_OFFSET
    seen = shown & (BIT[first] | BIT[first + COPY_OFFSET])
    in_own_hand = sum(order[i] % COPY_OFFSET == first for i in own_places)
    return not named & BIT[first] and (not seen or (place not in own_places and seen.bit_count() == in_own_hand))


def apply_events(state: AnyState, events: Sequence[tuple[Seat, Event]], turn: Seat) -> AnyState | None:
    """Apply the events to a state, in place, and return it; ``None`` if they are not possible.

    They are possible if each event is legal for the given seat and ``turn`` is to act after the last one.
    """
    for mover, event in events:
        fits = state.turn == mover and (
            state.is_possible_chance(event) if isinstance(event, Chance) else event in state.legal()
        )
        if not fits:
            return None
        state.apply(event)
    return state if state.turn == turn else None


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
        assert choice in view.legal, "the choice is not legal"
        assert str(robot.choose(other, again, lambda: False)) == str(choice), "the choices differ"
        assert once.getstate() == again.getstate(), "the numbers drawn differ"


def assert_scene_valid(game: AnyGame, view: View) -> Cards:
    """Assert that a scene has valid zones and shows each card at most once; return the cards shown."""
    zones = game.scene(view)
    assert all(zone.name for zone in zones), "a zone has no name"
    assert all(zone.seat is None or 0 <= zone.seat < len(view.totals) for zone in zones), "a zone is at no seat"
    shown = [one for zone in zones for one in zone.cards if one is not None]
    assert len(shown) == len(set(shown)), "a card is shown twice"
    assert not any(action.cards_used() & ~mask_of(shown) for action in view.legal), "a card to be chosen is not shown"
    return mask_of(shown)


def assert_refusals_explained(game: AnyGame, view: View, rng: Random) -> None:
    """Assert that selections of cards that are not legal are explained in at most 78 characters.

    Tries no card, some random cards and the cards of the seat.
    """
    tried = [
        0,
        *[1 << rng.randrange(52) for _ in range(3)],
        *[1 << one for one in iter_cards(get_own_cards(game, view))],
    ]
    for cards in tried:
        if not find_matching_actions(view.legal, cards):
            words = game.explain_illegal(view, cards)
            assert words.isprintable()
            assert 0 < len(words) <= 78, "a refusal is no line of 78 characters"


def get_own_cards(game: AnyGame, view: View) -> Cards:
    """Return the cards that a seat sees in its own zones."""
    return mask_of(one for zone in game.scene(view) if zone.seat == view.seat for one in zone.cards if one is not None)


def find_unseen_draws(game: AnyGame, before: View, after: View) -> Cards:
    """Return the cards that have entered the hand without having been face up in the middle of the table."""
    return (
        after.hand
        & ~before.hand
        & ~mask_of(c for zone in game.scene(before) if zone.seat is None for c in zone.cards if c is not None)
    )


def assert_narration_valid(game: AnyGame, event: Event, before: View, after: View) -> tuple[Note, ...]:
    """Assert that the log entries of an event have texts and name only cards that the seat sees; return the entries."""
    notes = game.narrate(event, before, after)
    for note in notes:
        assert isinstance(note, Note), "narrate gives something that is no note"
        assert note.seat is None or 0 <= note.seat < len(after.totals)
        for text in (format_note(note, you=False), format_note(note, you=True)):
            assert text.isprintable()
            assert text
            assert text == text.strip(), "the words break off"
        if note.seat is not None:
            they, you = (format_note(note, you=you).partition(" ")[0] for you in (False, True))
            assert they != you or not they.islower(), f"{they} is said in one person only"
    seen = (
        parse_named_cards(get_public_text(event)) | assert_scene_valid(game, before) | assert_scene_valid(game, after)
    )
    assert not parse_named_cards(" ".join(format_note(note, you=True) for note in notes)) & ~seen, (
        "a hidden card is told"
    )
    return notes


def get_public_text(event: Event) -> str:
    """Return the text of an event that everyone may know; empty for deals and reshuffles."""
    return "" if isinstance(event, Deal | Shuffle) else str(event)


def parse_named_cards(text: str) -> Cards:
    """Return the cards whose names occur in a text."""
    words = [word.strip(".,:;()") for word in text.split()]
    return mask_of(card(word) for word in words if len(word) == 2 and word[0] in RANKS and word[1] in SUITS)


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
            assert is_identical(*views)
            entries = [game.narrate(event, before, views[0]) for event, _ in worlds]
            assert entries[0] == entries[1], "a hidden card is told"


def assert_decision_not_leaked(game: AnyGame, state: AnyState, action: Event, rng: Random) -> None:
    """Assert that the cards in the log entries of an action depend only on what the seat sees afterwards.

    Compares ``action`` with another legal action. Plays to a trick are skipped because they are public.
    """
    if state.turn < 0 or isinstance(action, Play):
        return
    worlds = [(event, state.copy()) for event in (action, rng.choice(state.legal()))]
    for event, world in worlds:
        world.apply(event)
    for seat in set(range(len(state.totals))) - {state.turn}:
        views = [world.view(seat) for _, world in worlds]
        if views[0] == views[1]:
            notes = [game.narrate(event, state.view(seat), views[0]) for event, _ in worlds]
            entries = [parse_named_cards(" ".join([format_note(note, you=True) for note in each])) for each in notes]
            assert entries[0] == entries[1], "a hidden card is told"


def compare_worlds(case: Case, seed: int, robots: Iterable[Robot] = (), min_per_phase: int = 3) -> int:
    """Play a session and assert that no seat can distinguish the true state from others with the same known facts.

    The others are a sampled state and, within a round, the true state with two hidden cards exchanged. All of the first
    ``min_per_phase`` positions of each phase are tested, later ones are sampled. Returns the number of comparisons.
    """
    rng, pairs = Random(f"secrets {case} {seed}"), 0
    phase_counts: Counter[str] = Counter()
    for position in iter_random_positions(case, seed):
        current_phase = describe_phase(position.state)
        phase_counts[current_phase] += 1
        if phase_counts[current_phase] > min_per_phase and rng.random() > 0.02:
            continue
        for seat in range(case.seats):
            guess = assert_sample_matches_view(case.game, position.state, seat, rng)
            other = swap_hidden_cards(case.game, position, seat, rng) if position.state.playing else None
            for world in filter(None, (guess, other)):
                pairs += 1
                assert_indistinguishable(position.state, world, seat, robots, rng.random())
            assert_sample_playable(guess, rng)
    return pairs


def assert_indistinguishable(
    truth: AnyState, world: AnyState, seat: Seat, robots: Iterable[Robot], seed: float
) -> None:
    """Assert that the seat cannot distinguish two states, and that robots choose alike in both."""
    view, other = truth.view(seat), world.view(seat)
    assert is_identical(view, other), "hidden cards make a difference"
    if truth.turn == seat:
        assert_same_choices(robots, view, other, seed)


def assert_public_view_safe(game: AnyGame, state: AnyState, rng: Random) -> None:
    """Assert that the public views of a state reveal no hand.

    They must be the same in states that another seat cannot distinguish, and the log entries of an event must not name
    other cards than they show.
    """
    seats = range(len(state.totals))
    for other in seats:
        guess = assert_sample_matches_view(game, state, other, rng)
        for seat in seats:
            assert is_identical(state.view(seat).public_view(), guess.view(seat).public_view()), (
                "a covered view tells of a hand"
            )
    if state.turn == OVER:
        return
    after = state.copy()
    event = apply_random_event(after, rng)
    for seat in seats:
        assert_narration_valid(game, event, state.view(seat).public_view(), after.view(seat).public_view())
