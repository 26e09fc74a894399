"""Table screen of Bridge, with the blind, the stack and its run, the named suit, and the cards that may follow."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.cards import JACK, RANK, SIX, SUIT_WORDS, Card
from cardtable.engine.game import Action, Seat
from cardtable.engine.tricks import Play
from cardtable.games.bridge.rules.actions import BRIDGE, DONE, DRAW, FOUR, Eights, Jacks, Suit, effect, worth
from cardtable.games.bridge.rules.state import BridgeView
from cardtable.ui.game_view.card_animation import STOCK
from cardtable.ui.game_view.decision import Decision, Option, list_decision
from cardtable.ui.game_view.game_view import GameView, HeaderFacts, Names, Row, SeatPlate, Section, by_rank
from cardtable.ui.game_view.hand_cursor import PointAction, Pointed
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas, CardBounds
from cardtable.ui.toolkit.painting.card_faces import FULL, LARGE, SMALL, Size
from cardtable.ui.toolkit.painting.layout import Box, Layout, trick_card
from cardtable.wording.formatting import SUIT_SIGNS, YOU, join_or, label, name_and_verb, signed

_LEAST_OF_FULL: Final = 9
"""Height of the mat, in rows, from which cards are shown at full size, with a row above them and the monitor below."""
LEAST_TOKEN: Final = 3
"""Minimum width of a suit sign, in columns."""
NUMBERS: Final = ("no", "one", "two", "three", "four")


def header(view: BridgeView) -> HeaderFacts:
    return HeaderFacts(f"round {view.round}")


def plate(view: BridgeView, seat: Seat) -> SeatPlate:
    """Return the number of cards of a seat, with the suit that it has named or ``next`` as its role."""
    number = view.sizes[seat]
    role = ""
    if view.named is not None and seat == view.named_by:
        role = f"named {SUIT_SIGNS[view.named]}"
    elif view.turn == view.seat and seat == (view.seat + 1) % len(view.sizes):
        role = "next"
    return SeatPlate(f"{number} card{'' if number == 1 else 's'}", role)


def sections(view: BridgeView, names: Names) -> tuple[Section, ...]:
    """Return two sections: the multiplier, the named suit and the cards that may follow; then the cards and totals of
    the players.
    """
    named = "–" if view.named is None else SUIT_SIGNS[view.named]
    if view.named_by is not None:
        by = names[view.named_by]
        named += f" by {by.lower() if by == YOU else by}"
    facts = (
        Row("multiplier", (f"×{view.multiplier}",), asked=view.multiplier > 1),
        Row("suit named", (named,)),
        Row("may follow", (" ".join(_may_follow(view)),)),
    )
    seats = range(len(names))
    order = [(view.seat + i) % len(names) for i in seats]
    table = [Row(names[s], (str(view.sizes[s]), signed(view.totals[s])), own=s == view.seat) for s in order]
    return Section("Round", "", facts), Section(rows=(Row("", ("cards", "total"), heading=True), *table))


def _may_follow(view: BridgeView) -> list[str]:
    """Return symbols for the cards that may be played now: ranks, suits, or words."""
    if not view.possible:
        return ["–"]
    if view.played and RANK[view.played[-1]] != SIX:
        return [card_faces.rank(view.played[-1])]
    if view.named is not None:
        return [SUIT_SIGNS[view.named], "J"]
    if not view.stack:
        return ["any card"]
    top = view.stack[-1]
    return ["J"] if RANK[top] == JACK else [card_faces.glyph(top), card_faces.rank(top), "J"]


def prompt(view: BridgeView, _pointed: Pointed) -> tuple[str, str]:
    legal = view.legal
    more = " or ".join(label(action.card) for action in legal if isinstance(action, Play))
    ended = ("You called bridge" if view.hand else "You are out") if view.finisher is not None else ""
    if any(isinstance(action, Jacks) for action in legal):
        return f"What {'do your jacks' if len(view.last_move) > 1 else 'does your jack'} count?", ended
    if any(isinstance(action, Eights) for action in legal):
        return f"Who draws for {NUMBERS[len(view.last_move)]} 8s?", f"or play {more}" if more else ended
    if BRIDGE in legal:
        return "Call bridge?", f"Your hand would count {worth(view.hand) * view.multiplier}"
    if any(isinstance(action, Suit) for action in legal):
        return "Name a suit.", f"or play {more}" if more else ""
    if legal == (DRAW,):
        return _must_draw(view)
    if view.played and RANK[view.played[-1]] == SIX:
        return "Cover the 6", f"with {join_or(_may_follow(view))}"
    if DONE in legal:
        if view.played:
            return "End the turn", f"or play {more}" if more else ""
        return f"{more} fits:", "play it, or {switch} to keep it"
    if not view.stack:
        return "You start.", "Any card will do"
    return "Play a card.", f"{join_or(_may_follow(view))} fits"


def _must_draw(view: BridgeView) -> tuple[str, str]:
    if view.played or view.drew:
        return "Cover the 6:", "draw until a card fits"
    if view.named is not None:
        return f"No {SUIT_WORDS[view.named]}, no jack:", "draw one card"
    return "Nothing fits:", "draw one card"


def middle(canvas: Canvas, layout: Layout, view: BridgeView, _pointed: Pointed, _names: Names) -> None:
    """Paint the blind, the stack with the present run, the bridge monitor, and the named suit."""
    size, inks = _size(layout), canvas.theme.inks
    x, y = layout.mat.centre
    top = layout.mat.y + 2 if layout.tiny else y - size.height // 2
    step, left, strip = {LARGE: (6, x - 21, x - 5), FULL: (4, x - 15, x - 4), SMALL: (3, x - 12, x - 4)}[size]
    _paint_blind(canvas, layout, view, left, top)
    pile = f"blind {view.blind}" if view.blind else "reshuffle" if view.legal == (DRAW,) else " blind"
    canvas.text(left, top - 2, pile, inks.muted)
    canvas.text(strip + step + 2, top - 2, f"stack {len(view.stack)}", inks.muted)
    canvas.fill(strip, top, 3 * step + size.width, size.height, canvas.theme.grounds.slot)
    run = view.stack[-max(view.run, 1) :]
    for i, card in enumerate(run):
        shown = 0 if i == len(run) - 1 else step
        card_faces.card(canvas, strip + i * step, top, size, card, shown=shown)
    if view.named is not None:
        used = (len(run) - 1) * step + size.width
        _paint_named_suit(
            canvas, view.named, Box(strip + used, top + size.height // 2 - 1, (FOUR - len(run)) * step, 3)
        )
    row = top + size.height + (not (layout.tiny and size is SMALL))
    for i in range(FOUR):
        sign, ink = ("■", inks.gold) if i < view.run else ("□", inks.muted)
        canvas.text(strip + 3 + 2 * i, row, sign, ink)
    canvas.text(strip + 12, row, f"run {view.run}", inks.text, bold=True)


def _size(layout: Layout) -> Size:
    """Return the card size of the blind and the stack, which depends on the height of the mat if there is no side
    panel.
    """
    if layout.tiny:
        return FULL if layout.mat.height >= _LEAST_OF_FULL else SMALL
    return trick_card(layout)


def _paint_blind(canvas: Canvas, layout: Layout, view: BridgeView, x: int, y: int) -> None:
    size = _size(layout)
    canvas.card_bounds[STOCK] = CardBounds(x, y, size.width, size.height)
    canvas.add_hit_box(x, y, size.width, size.height, PointAction(DRAW))
    if view.legal == (DRAW,):
        card_faces.back(canvas, x, y, size, word="draw", must=True)
    elif view.blind:
        card_faces.back(canvas, x, y, size)
    else:
        card_faces.empty(canvas, x, y, size, "empty")


def _paint_named_suit(canvas: Canvas, suit: int, free: Box) -> None:
    """Paint the named suit in the free space beside the run; leave out the word, or everything, if the space is too
    narrow.
    """
    theme, width = canvas.theme, min(free.width, 7)
    if width < LEAST_TOKEN:
        return
    x = free.x + min(2, free.width - width)
    card_faces.token(canvas, x, free.y, width, suit)
    if width > len("named"):
        canvas.text(x + width // 2 - 2, free.y, "named", theme.cards.star)


def decision(view: BridgeView, names: Names) -> Decision | None:
    """Return the decision box with all actions that use no cards; ``None`` if there are none, or only drawing, for
    which Enter and Down suffice.
    """
    said = [action for action in view.legal if not action.cards_used()]
    if not said or said == [DRAW]:
        return None
    options = tuple(_option(action, view, names) for action in said)
    if any(isinstance(action, Eights) for action in said):
        return list_decision(f"Your {NUMBERS[len(view.last_move)]} 8s", options)
    if any(isinstance(action, Suit) for action in said):
        return list_decision("Name a suit", options)
    if any(isinstance(action, Jacks) for action in said):
        return list_decision("Your jacks" if len(view.last_move) > 1 else "Your jack", options)
    if not view.played:
        return list_decision("The card you drew", options, cards_first=True)
    return list_decision("Bridge?" if BRIDGE in said else "Your turn", options)


def _option(action: Action, view: BridgeView, names: Names) -> Option:
    if isinstance(action, Suit):
        return Option(f"{SUIT_SIGNS[action.suit]} {SUIT_WORDS[action.suit]}s", action)
    if isinstance(action, Eights):
        summary, note = _effect_text(view, names, share=action.share)
        return Option("share" if action.share else "next", action, summary, note)
    if isinstance(action, Jacks):
        points = 20 * len(view.last_move) * view.multiplier
        return Option(
            *(("plus", action, f"the others +{points}") if action.plus else ("minus", action, f"you {signed(-points)}"))
        )
    if action == BRIDGE:
        return Option("bridge", action, "ends the round")
    if action == DRAW:
        return Option("draw", action, "until one fits")
    if not view.played:
        return Option("keep it", action, "", f"Then {names[(view.seat + 1) % len(names)]} plays")
    summary, note = _effect_text(view, names, share=view.options.eights == "share")
    return Option("done", action, summary, note)


def _effect_text(view: BridgeView, names: Names, *, share: bool) -> tuple[str, str]:
    """Describe the effect of the last move, in a few words and in a sentence."""
    last = view.last_move
    does = effect(len(names), view.seat, RANK[last[-1]], len(last), share)
    counts = {seat: does.due.count(seat) for seat in dict.fromkeys(does.due)}
    summary = " · ".join(f"{names[seat]} {number}" for seat, number in counts.items())
    if len(counts) == 1:
        summary = "".join(f"{names[seat]} draws {number}" for seat, number in counts.items())
    elif does.passed and not does.due:
        summary = f"{NUMBERS[len(does.passed)]} passed over"
    mover = "you play" if does.heir == view.seat else f"{names[does.heir]} plays"
    then = f"Then {mover}" if view.finisher is None else "Then the hands count"
    reshuffled = f"; the stack is shuffled: ×{view.multiplier + 1}" if len(does.due) > view.blind else ""
    return summary, f"{then}{reshuffled}"


def order(view: BridgeView) -> list[Card]:
    """Return the player's hand, sorted by rank."""
    return by_rank(view.hand)


def shortcut(view: BridgeView, hand: Sequence[Card], step: int) -> Action | None:
    """Return the action of an arrow key: Up (a negative ``step``) plays the rightmost card that may be played, and Down
    draws.

    Return ``None`` if that action is not legal.
    """
    if step > 0:
        return DRAW if DRAW in view.legal else None
    able = {action.card: action for action in view.legal if isinstance(action, Play)}
    return next((able[card] for card in reversed(hand) if card in able), None)


def next_round(view: BridgeView, names: Names) -> tuple[Row, ...]:
    """Return a row with the player who starts the next round."""
    return (Row(f"round {view.finished + 1}", (name_and_verb(names[view.starter], "starts", "start"),)),)


def in_force(view: BridgeView) -> list[str]:
    """Return the named suit, and the multiplier if it is not 1."""
    named = [] if view.named is None else [f"named {SUIT_WORDS[view.named]}s"]
    return [*named, *([f"×{view.multiplier}"] if view.multiplier > 1 else [])]


PIECE: Final[GameView[BridgeView]] = GameView(
    header=header,
    plate=plate,
    sections=sections,
    prompt=prompt,
    middle=middle,
    decision=decision,
    rules_in_force=in_force,
    order=order,
    next_round=next_round,
    shortcut=shortcut,
    tricks=False,
    draws=True,
    right_confirms=True,
    joins_messages=True,
    keys=(
        ("up", "rightmost card that fits"),
        ("down", "draw"),
        ("left", "card that fits, or back to the cards"),
        ("right", "card that fits, or what the box says"),
    ),
    always_dims=True,
    gaps=False,
)
