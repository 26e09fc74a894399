"""Rules of Bridge, a shedding game with 36 cards: match the suit or rank of the top card; a jack names the suit.

``rules.md`` explains the game to players; actions and state are in modules of their own.
"""

from random import Random
from typing import Final

from cardtable.engine import options as house
from cardtable.engine.cards import (
    ACE,
    BIT,
    EIGHT,
    JACK,
    RANK,
    RANK_WORDS,
    SEVEN,
    SIX,
    SUIT,
    SUIT_WORDS,
    TEN,
    Card,
    Cards,
    face_down,
    iter_cards,
)
from cardtable.engine.chance import Deal, FirstCard, Shuffle
from cardtable.engine.drawing import Draw
from cardtable.engine.game import Action, Event, Game, Note, Seat, Zone
from cardtable.engine.log_entries import CustomLogEntry, Dealt, Drew, MadePoints, PlayedCard
from cardtable.engine.presentation import hands_seen
from cardtable.engine.tricks import Play
from cardtable.games.bridge import ABOUT
from cardtable.games.bridge.rules.actions import (
    BRIDGE_RUN,
    CARDS_EACH,
    DONE,
    EIGHTS_ACTIONS,
    JACK_POINTS,
    TOTAL_LIMIT,
    Bridge,
    Done,
    Eights,
    Give,
    Jacks,
    Options,
    Suit,
    compute_effect,
)
from cardtable.games.bridge.rules.state import BridgeState, BridgeView, imagine

_RANK_NAMES: Final = {rank: str(rank + 2) if rank < TEN else RANK_WORDS[rank] for rank in range(SIX, ACE + 1)}
"""Names of ranks in sentences: ``6`` to ``9``, and words for higher ranks."""


class BridgeGame(Game[BridgeState, BridgeView]):
    """The game of Bridge."""

    about = ABOUT
    options = Options
    view = BridgeView
    actions = (Play, Draw, Done, Suit, Eights, Bridge, Jacks)
    columns = ("hand", "jacks")
    lowest_wins = True

    def start(self, seats: int, options: house.Options) -> BridgeState:
        assert isinstance(options, Options)
        return BridgeState(seats, options)

    def imagine(self, view: BridgeView, rng: Random) -> BridgeState:
        return imagine(view, rng)

    def scene(self, view: BridgeView) -> tuple[Zone, ...]:
        """Return the hands, the blind and the stack; after a round the hands are face up."""
        hands = hands_seen(view.seat, view.hand, view.sizes)
        if view.counted:
            hands = tuple([Zone("hand", seat, tuple(iter_cards(hand))) for seat, hand in enumerate(view.counted)])
        draw_pile = Zone("blind", None, face_down(view.blind), "draw pile")
        return (*hands, draw_pile, Zone("stack", None, view.stack, "played cards"))

    def explain_illegal(self, view: BridgeView, cards: Cards) -> str:
        """Explain why ``cards`` cannot be played now; without cards, why the player cannot end the turn or draw."""
        if cards & ~view.hand:
            return "You do not hold that card"
        if cards & (cards - 1):
            return "Play one card at a time"
        if view.finisher is not None:
            eights = RANK[view.played[-1]] == EIGHT
            return "First choose who draws for your 8s" if eights else "First choose how your jacks count"
        if view.played and RANK[view.played[-1]] != SIX:
            return _explain_no_further_play(view, RANK[view.played[-1]], cards)
        return _describe_fitting_cards(view) if cards else _explain_no_end(view)

    def explain_card(self, view: BridgeView, card: Card) -> str | None:
        """Return what a card of the player's hand does to the next turn, or the last card to the end of the round."""
        rank, is_last = RANK[card], view.hand == BIT[card]
        if view.stack and RANK[view.stack[-1]] == rank and view.run == BRIDGE_RUN - 1 and (not is_last or rank == SIX):
            return "The fourth of its rank in a row: you may call bridge."
        if rank == SIX:
            if is_last:
                return "You are not out with a 6: draw until you can cover it."
            return f"Cover it this turn with a {SUIT_WORDS[SUIT[card]]}, a jack or a 6."
        again = bool(view.played) and view.mover == view.seat and RANK[view.played[-1]] == rank
        return _explain_last_card(view, rank, again=again) if is_last else _explain_effect(view, rank, again=again)

    def forced_silent_action(self, view: BridgeView) -> Action | None:
        return DONE if view.legal == (DONE,) else None

    def narrate(self, event: Event, before: BridgeView, after: BridgeView) -> tuple[Note, ...]:
        """Return the log entries of an event for one seat, given its views before and after the event."""
        if isinstance(event, Deal):
            return Dealt(None, after.round, CARDS_EACH), CustomLogEntry(after.starter, "starts", "start")
        draws, skips = _narrate_draws(event, before, after), _narrate_skips(event, before)
        affected = dict.fromkeys([*skips, *draws])
        notes = _narrate_action(event, before, after)
        notes += [note for seat in affected for note in (draws.get(seat), skips.get(seat)) if note]
        if after.finished > before.finished:
            notes += _narrate_round_end(before, after)
        return tuple(notes)


def _explain_no_further_play(view: BridgeView, rank: int, cards: Cards) -> str:
    """Explain why a choice cannot follow a card of ``rank`` that was played in the same turn.

    ``cards`` is empty if the choice uses none.
    """
    if cards:
        return f"You may only play another {_RANK_NAMES[rank]} now"
    if rank == JACK:
        return "Name a suit to end your turn"
    asked = EIGHTS_ACTIONS[0] in view.legal
    return "First choose who draws for your 8s" if asked else "You have played a card: no need to draw"


def _describe_fitting_cards(view: BridgeView) -> str:
    """Describe the cards that fit to a player who has chosen others."""
    if view.drew and view.hand & view.fitting_cards:
        return "You may only play the card you drew"
    top, can_play = view.stack[-1], view.hand & view.fitting_cards
    if view.named is not None:
        suit = SUIT_WORDS[view.named]
        if not can_play:
            return f"You must draw: you hold no {suit} and no jack"
        return f"{suit.capitalize()}s are named: play a {suit} or a jack"
    suit, rank = SUIT_WORDS[SUIT[top]], _RANK_NAMES[RANK[top]]
    if view.played:
        return f"Cover the 6 with a {suit}, a jack or a 6" if can_play else "Cover the 6: draw until you can"
    if not can_play:
        return f"You must draw: you hold no {suit}, no {rank} and no jack"
    return f"Play a {suit}, {'an' if rank in ('8', 'ace') else 'a'} {rank} or a jack"


def _explain_no_end(view: BridgeView) -> str:
    """Explain why the player cannot end the turn, or draw a card, now."""
    if view.played:
        return "You must cover the 6" if view.hand & view.fitting_cards else "Cover the 6: draw until you can"
    if view.drew:
        return "You have already drawn"
    return "You must play: you hold a playable card" if view.hand & view.fitting_cards else "You must draw a card first"


_JACK_ENDINGS: Final = {
    "choose": f"You go out: {JACK_POINTS} off for you, or {JACK_POINTS} more for the others.",
    "minus": f"You go out with {JACK_POINTS} points off.",
    "plus": f"You go out, with {JACK_POINTS} points more for all the others.",
    "off": "You go out, and the round is over.",
}
"""Effect of a jack that is the last card of a hand, by the option ``jacks``."""
_SEVERAL_EIGHTS: Final = {
    "choose": "Then you choose who draws for all your 8s.",
    "next": "The next player draws 2 cards for each of your 8s.",
    "share": "One more player draws 2 cards and is skipped.",
}
"""Effect of another 8 in a turn with three or four players, by the option ``eights``."""


def _explain_last_card(view: BridgeView, rank: int, *, again: bool) -> str:
    """Return what a card of ``rank`` does with which the player goes out.

    ``again``: True if it follows another card of its rank in the same turn.
    """
    if rank == JACK:
        return _JACK_ENDINGS[view.options.jacks]
    if rank not in (SEVEN, EIGHT):
        return "You go out, and the round is over."
    draws = f"for your {_RANK_NAMES[rank]}s" if again else "a card" if rank == SEVEN else "2 cards"
    return f"You go out, and the next player still draws {draws}."


def _explain_effect(view: BridgeView, rank: int, *, again: bool) -> str | None:
    """Return the effect on the next turn of a card of ``rank`` that ends a turn."""
    if rank == SEVEN:
        return "The next player draws a card for each 7."
    if rank == JACK:
        return "Fits on any card; then you name the suit to follow."
    if len(view.sizes) == 2:
        return {EIGHT: "The other player draws 2 cards, and you play again.", ACE: "You have another turn."}.get(rank)
    if rank == EIGHT:
        return _SEVERAL_EIGHTS[view.options.eights] if again else "The next player draws 2 cards and is skipped."
    if rank == ACE:
        return "One more player is skipped." if again else "The next player is skipped."
    return None


def _narrate_action(event: Event, before: BridgeView, after: BridgeView) -> list[Note]:
    """Return the entries for an event, without draws, skipped seats and the end of the round."""
    mover = before.mover
    if isinstance(event, Shuffle):
        return [CustomLogEntry(None, f"points count{_format_times(after.multiplier)}: the played cards are reshuffled")]
    if isinstance(event, FirstCard):
        return [PlayedCard(mover, event.card, "by lot")]
    if isinstance(event, Play):
        out = [CustomLogEntry(mover, "goes out", "go out")] if after.finisher is not None else []
        return [PlayedCard(mover, event.card), *out]
    if isinstance(event, Suit):
        suit = SUIT_WORDS[event.suit]
        return [CustomLogEntry(mover, f"names {suit}s", f"name {suit}s")]
    if isinstance(event, Give):
        return [CustomLogEntry(mover, "gets an extra card", "get an extra card")]
    if isinstance(event, Bridge):
        return [CustomLogEntry(mover, "calls bridge", "call bridge")]
    if isinstance(event, Jacks):
        points = f"the others {JACK_POINTS} points" if event.plus else f"{JACK_POINTS} points off"
        verb = "give" if event.plus else "take"
        return [CustomLogEntry(mover, f"{verb}s {points} for each jack", f"{verb} {points} for each jack")]
    if isinstance(event, Eights):
        if event.share:
            return [CustomLogEntry(mover, "shares the 8s", "share the 8s")]
        draws = f"the next player draw {2 * len(before.last_move)}"
        return [CustomLogEntry(mover, f"makes {draws}", f"make {draws}")]
    if isinstance(event, Done) and not before.played:
        return [CustomLogEntry(mover, "keeps the card", "keep the card")]
    return []


def _narrate_skips(event: Event, before: BridgeView) -> dict[Seat, Note]:
    """Return the entry of each seat that is skipped at the end of the turn, in the order of skipping."""
    ends_turn = isinstance(event, Eights) or (isinstance(event, Done) and bool(before.played))
    if before.finisher is not None or not ends_turn:
        return {}
    move, share = before.last_move, event.share if isinstance(event, Eights) else before.options.eights == "share"
    skipped = compute_effect(len(before.sizes), before.mover, RANK[move[0]], len(move), share).passed
    times = {seat: _format_times(skipped.count(seat)) for seat in skipped}
    return {seat: CustomLogEntry(seat, f"is skipped{often}", f"are skipped{often}") for seat, often in times.items()}


def _format_times(number: int) -> str:
    return {1: "", 2: " twice"}.get(number, f" {number} times")


def _narrate_draws(event: Event, before: BridgeView, after: BridgeView) -> dict[Seat, Note]:
    """Return the entry of each seat that has drawn cards, which names them if the observing seat has drawn them."""
    notes: dict[Seat, Note] = {}
    for seat, size in enumerate(after.sizes):
        number = size - before.sizes[seat]
        if isinstance(event, Play | FirstCard) and seat == before.mover:
            number += 1  # the card that was played
        if number:
            seen = tuple(iter_cards(after.hand & ~before.hand)) if seat == after.seat else ()
            notes[seat] = Drew(seat, number, seen)
            if seat != before.mover and before.played and RANK[before.played[-1]] == SEVEN:
                cards = "{}" if seen else "a card" if number == 1 else f"{number} cards"
                cause = f"{cards} for the 7{'s' if len(before.last_move) > 1 else ''}"
                notes[seat] = CustomLogEntry(seat, f"draws {cause}", f"draw {cause}", seen)
    return notes


def _narrate_round_end(before: BridgeView, after: BridgeView) -> list[Note]:
    """Return the entries for the end of a round, which report the points of each seat and totals of exactly 125."""
    notes: list[Note] = []
    if after.finisher is None:
        notes.append(CustomLogEntry(None, "no card is left to draw: the round is over"))
    for seat, points in enumerate(after.points):
        notes.append(MadePoints(seat, points, after.finished))
        if before.totals[seat] + points == TOTAL_LIMIT:
            notes.append(
                CustomLogEntry(seat, f"has exactly {TOTAL_LIMIT}: back to 0", f"have exactly {TOTAL_LIMIT}: back to 0")
            )
    return notes


GAME: Final = BridgeGame()
