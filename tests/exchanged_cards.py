"""A round with two cards exchanged that a seat has not seen, for tests of what is sent to it and shown to it."""

from cardtable.engine.chance import Deal, Shuffle
from cardtable.engine.game import CHANCE, Chance
from cardtable.testing.worlds import KnownOrder, exchange_cards, find_own_indices, find_shown_cards, parse_named_cards


def swap_hidden_in_events(game, position, seat, rng):
    """Return the events of the round with two cards exchanged that the seat has not seen.

    ``None`` if there are no two.
    """
    draws = [i for i, (_, event) in enumerate(position.events) if isinstance(event, Deal | Shuffle)]
    if not draws:
        return None
    swapped_index = rng.choice(draws)
    outcome = position.events[swapped_index][1]
    later = " ".join(
        str(event) for _, event in position.events[swapped_index + 1 :] if not isinstance(event, Deal | Shuffle)
    )
    shown_cards, named = find_remembered_cards(game, position, seat), parse_named_cards(later)
    own = find_own_indices(position.state_before_deal, outcome, seat) if isinstance(outcome, Deal) else []
    hidden = KnownOrder(swapped_index, outcome, own, shown_cards, named).list_hidden_indices()
    if len(hidden) < 2:
        return None
    events = list(position.events)
    events[swapped_index] = CHANCE, exchange_cards(outcome, *rng.sample(hidden, 2))
    return events


def find_remembered_cards(game, position, seat):
    """Return the cards that a scene has shown to the seat in this round, some of which may be hidden again."""
    state, shown_cards = position.state_before_deal.copy(), 0
    for _, event in position.events:
        state.apply(event)
        shown_cards |= find_shown_cards(game, state.view(seat))
    return shown_cards


def apply_events(state, events, turn):
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
