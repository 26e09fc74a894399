"""Table view of Bridge: the blind, the stack and its run, the named suit, and the playable cards."""

from typing import Final

from msgspec.structs import replace

from cardtable.engine.cards import BIT, JACK, OF_RANK, OF_SUIT, RANK, SIX, SUIT_WORDS, Card, mask_of
from cardtable.engine.drawing import DRAW
from cardtable.engine.faces import FRENCH
from cardtable.engine.game import Action, Seat
from cardtable.engine.text_format import format_count
from cardtable.engine.tricks import Play
from cardtable.games.bridge.rules.actions import (
    BRIDGE,
    BRIDGE_RUN,
    DONE,
    JACK_POINTS,
    SUIT_ACTIONS,
    BridgeWith,
    Eights,
    Jacks,
    Suit,
    compute_effect,
    sum_points,
)
from cardtable.games.bridge.rules.state import BridgeView
from cardtable.ui.game_view.decision import Decision, Option, create_joint_decision, create_list_decision
from cardtable.ui.game_view.game_view import GameView, HeaderFacts, Row, SeatPlate, Section, sort_by_rank
from cardtable.ui.game_view.hand_cursor import CursorState, PointAction
from cardtable.ui.game_view.motion import STOCK
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas, CardBounds
from cardtable.ui.toolkit.painting.card_faces import FULL, HUGE, LARGE, SMALL, Size
from cardtable.ui.toolkit.painting.layout import Box, Layout, choose_trick_card_size
from cardtable.wording.formatting import SUIT_SIGNS, YOU, format_card, format_number, join_name_and_verb, join_or
from cardtable.wording.players import Names

_MIN_FULL_HEIGHT: Final = 9
"""Height of the mat, in rows, from which cards are shown at full size, with a row above them and the monitor below."""
MIN_TOKEN_WIDTH: Final = 3
"""Minimum width of a suit sign, in columns."""
NUMBER_WORDS: Final = ("no", "one", "two", "three", "four")
_HONOURS: Final = {"J": "jack", "Q": "queen", "K": "king", "A": "ace"}
"""Words for the ranks that are letters."""


class BridgeTableView(GameView[BridgeView]):
    right_click_confirms = True
    joins_messages = True
    always_dims = True
    gaps = False

    def header(self, view: BridgeView) -> HeaderFacts:
        return HeaderFacts(f"round {view.round}")

    def plate(self, view: BridgeView, seat: Seat) -> SeatPlate:
        """Return the number of cards of a seat, with the suit that it has named or ``next`` as its role."""
        role = ""
        if view.named is not None and seat == view.named_by:
            role = f"named {SUIT_SIGNS[view.named]}"
        elif view.turn == view.seat and seat == (view.seat + 1) % len(view.sizes):
            role = "next"
        return SeatPlate(format_count(view.sizes[seat], "card"), role)

    def sections(self, view: BridgeView, names: Names) -> tuple[Section, ...]:
        """Return two sections: how the points count, the named suit and the playable cards; then cards and totals."""
        named = "–" if view.named is None else SUIT_SIGNS[view.named]
        if view.named_by is not None:
            by = names[view.named_by]
            named += f" by {by.lower() if by == YOU else by}"
        facts = (
            *([Row("points count", (f"×{view.multiplier}",), asked=True)] if view.multiplier > 1 else []),
            *([Row("named suit", (named,))] if view.stack and RANK[view.stack[-1]] == JACK else []),
            Row("playable", (" ".join(_list_playable_symbols(view)),)),
        )
        seats = range(len(names))
        order = [(view.seat + i) % len(names) for i in seats]
        table = [Row(names[s], (str(view.sizes[s]), format_number(view.totals[s])), own=s == view.seat) for s in order]
        return Section("Round", "", facts), Section(rows=(Row("", ("cards", "total"), heading=True), *table))

    def prompt(self, view: BridgeView, _pointed: CursorState) -> tuple[str, str]:
        legal = view.legal
        more = " or ".join(format_card(action.card) for action in legal if isinstance(action, Play))
        ended = ("You called bridge" if view.hand else "You went out") if view.finisher is not None else ""
        if any(isinstance(action, Jacks) for action in legal):
            return f"How {'do your jacks' if len(view.last_move) > 1 else 'does your jack'} count?", ended
        if _suggests_card(view):
            return f"Play {more} too,", "or {switch} to end your turn"
        if any(isinstance(action, Eights) for action in legal) and BRIDGE not in legal:
            return f"Who draws for {NUMBER_WORDS[len(view.last_move)]} 8s?", ended
        if BRIDGE in legal:
            return "Call bridge?", f"Your hand would count {_count_hand(view)}"
        if any(isinstance(action, Suit) for action in legal):
            return ("Name a suit,", f"or play {more}") if more else ("Name a suit.", "")
        if legal == (DRAW,):
            return _format_draw_prompt(view)
        if view.played and RANK[view.played[-1]] == SIX:
            return "Cover the 6:", _describe_playable(view)
        if DONE in legal:
            if view.played:
                return "End your turn", ""
            return f"You drew {more}:", "play it, or keep it with {switch}, {play}"
        if not view.stack:
            return "You start:", "play any card"
        return f"Play {_describe_playable(view)}.", ""

    def middle(self, canvas: Canvas, layout: Layout, view: BridgeView, _pointed: CursorState, _names: Names) -> None:
        """Paint the blind, the stack with the present run, the bridge monitor, and the named suit."""
        size, inks = _choose_card_size(layout), canvas.theme.inks
        x, y = layout.mat.centre
        top = layout.mat.y + 2 if layout.tiny else y - size.height // 2
        step, left, strip = {
            HUGE: (7, x - 25, x - 6),
            LARGE: (6, x - 21, x - 5),
            FULL: (4, x - 15, x - 4),
            SMALL: (3, x - 12, x - 4),
        }[size]
        _paint_blind(canvas, layout, view, left, top)
        pile = f"draw pile {view.blind}" if view.blind else "reshuffle" if view.legal == (DRAW,) else "draw pile"
        canvas.write(left, top - 2, pile, inks.muted)
        canvas.write(strip + step + 2, top - 2, f"played cards {len(view.stack)}", inks.muted)
        canvas.fill(strip, top, 3 * step + size.width, size.height, canvas.theme.grounds.slot)
        run = view.stack[-max(view.run, 1) :]
        for i, card in enumerate(run):
            columns = 0 if i == len(run) - 1 else step
            card_faces.paint_card(canvas, strip + i * step, top, size, card, shown_columns=columns)
        if view.named is not None:
            used = (len(run) - 1) * step + size.width
            _paint_named_suit(
                canvas, view.named, Box(strip + used, top + size.height // 2 - 1, (BRIDGE_RUN - len(run)) * step, 3)
            )
        row = top + size.height if layout.tiny and size is SMALL else top + size.height + 1
        monitor = left if layout.tiny else strip + 3
        if view.run > 1:
            for i in range(BRIDGE_RUN):
                sign, ink = ("■", inks.gold) if i < view.run else ("□", inks.muted)
                canvas.write(monitor + 2 * i, row, sign, ink)
            ranks = FRENCH.ranks[RANK[view.stack[-1]]].many
            canvas.write(monitor + 9, row, f"{view.run} {ranks} in a row", inks.text, bold=True)

    def decision(self, view: BridgeView, names: Names) -> Decision | None:
        """Return the decision box with all actions that use no cards.

        ``None`` if there are none, or only drawing, for which Enter suffices.
        """
        actions = [action for action in view.choices if not action.cards_used()]
        if not actions or actions == [DRAW]:
            return None
        options = tuple(_create_option(action, view, names) for action in actions)
        if any(isinstance(action, Eights) for action in actions):
            title = f"Your {NUMBER_WORDS[len(view.last_move)]} 8s"
            if BRIDGE not in view.legal:
                return create_list_decision(title, options, cards_first=_suggests_card(view))
            return create_joint_decision(title, (("bridge", ("no", "yes")), ("8s", ("next", "share"))), options)
        if any(isinstance(action, Suit) for action in actions):
            held = [(view.hand & OF_SUIT[action.suit] & ~OF_RANK[JACK]).bit_count() for action in SUIT_ACTIONS]
            return replace(create_list_decision("Name a suit", options), start=held.index(max(held)))
        if any(isinstance(action, Jacks) for action in actions):
            return create_list_decision("Your jacks" if len(view.last_move) > 1 else "Your jack", options)
        if not view.played:
            return create_list_decision("The card you drew", options, cards_first=True)
        title = "Bridge?" if BRIDGE in actions else "Your turn"
        return create_list_decision(title, options, cards_first=_suggests_card(view))

    def order(self, view: BridgeView) -> list[Card]:
        return sort_by_rank(view.hand)

    def spare_card(self, view: BridgeView) -> Card | None:
        legal = mask_of([action.card for action in view.legal if isinstance(action, Play)])
        return next((card for card in self.order(view) if legal & BIT[card] and RANK[card] != JACK), None)

    def next_round(self, view: BridgeView, names: Names) -> tuple[Row, ...]:
        return (Row(f"round {view.finished + 1}", (join_name_and_verb(names[view.starter], "starts", "start"),)),)

    def rules_in_force(self, view: BridgeView) -> list[str]:
        """Return the named suit, and the multiplier if it is not 1."""
        named = [] if view.named is None else [f"named {SUIT_WORDS[view.named]}s"]
        return [*named, *([f"×{view.multiplier}"] if view.multiplier > 1 else [])]


def _list_playable_symbols(view: BridgeView) -> list[str]:
    """Return symbols for the cards that may be played now: ranks, suits, or words."""
    if not view.playable_cards & ~mask_of(view.stack):
        return ["–"]
    if view.played and RANK[view.played[-1]] != SIX:
        return [card_faces.format_rank(view.played[-1])]
    if view.named is not None:
        return [SUIT_SIGNS[view.named], "J"]
    if not view.stack:
        return ["any card"]
    top = view.stack[-1]
    return ["J"] if RANK[top] == JACK else [card_faces.get_suit_sign(top), card_faces.format_rank(top), "J"]


def _suggests_card(view: BridgeView) -> bool:
    """Return True if the cursor starts on a further card of the turn, so that a second Enter does not end the turn."""
    ranks = [RANK[action.card] for action in view.legal if isinstance(action, Play)]
    return bool(view.played and ranks) and RANK[view.played[-1]] not in (SIX, JACK) and BRIDGE not in view.legal


def _describe_playable(view: BridgeView) -> str:
    """Describe the cards that may be played now, such as ``any ♥, any ace or any jack``."""
    return join_or([f"any {_HONOURS.get(symbol, symbol)}" for symbol in _list_playable_symbols(view)])


def _format_draw_prompt(view: BridgeView) -> tuple[str, str]:
    if view.played or view.drew:
        return "Cover the 6:", "draw until you can"
    if view.named is not None:
        return f"No {SUIT_WORDS[view.named]}s, no jacks:", "draw a card"
    return "You have no card to play:", "draw one"


def _choose_card_size(layout: Layout) -> Size:
    """Return the card size of the blind and the stack, which depends on the height of the mat if there is no side
    panel.
    """
    if layout.tiny:
        return FULL if layout.mat.height >= _MIN_FULL_HEIGHT else SMALL
    return choose_trick_card_size(layout)


def _paint_blind(canvas: Canvas, layout: Layout, view: BridgeView, x: int, y: int) -> None:
    size = _choose_card_size(layout)
    canvas.card_bounds[STOCK] = CardBounds(x, y, size.width, size.height)
    canvas.add_hit_box(x, y, size.width, size.height, PointAction(DRAW))
    if view.legal == (DRAW,):
        card_faces.paint_back(canvas, x, y, size, word="draw", is_mandatory=True)
    elif view.blind:
        card_faces.paint_back(canvas, x, y, size)
    else:
        card_faces.paint_empty_pile(canvas, x, y, size, "empty")


def _paint_named_suit(canvas: Canvas, suit: int, free: Box) -> None:
    """Paint the named suit in the free space beside the run.

    Leave out the word, or everything, if the space is too narrow.
    """
    theme, width = canvas.theme, min(free.width, 7)
    if width < MIN_TOKEN_WIDTH:
        return
    x = free.x + min(2, free.width - width)
    card_faces.paint_suit_token(canvas, x, free.y, width, suit)
    if width > len("named"):
        canvas.write(x + width // 2 - 2, free.y, "named", theme.cards.star)


def _create_option(action: Action, view: BridgeView, names: Names) -> Option:
    if isinstance(action, Suit):
        return Option(f"{SUIT_SIGNS[action.suit]} {SUIT_WORDS[action.suit]}s", action)
    if isinstance(action, BridgeWith):
        then = _create_option(action.then, view, names)
        ends = f"Bridge ends the round: your hand counts {_count_hand(view)}"
        return Option(f"bridge, {then.label}", action, then.effect, ends)
    if isinstance(action, Eights):
        summary, note = _describe_effect(view, names, share=action.share)
        return Option("share" if action.share else "next", action, summary, note)
    if isinstance(action, Jacks):
        points = JACK_POINTS * len(view.last_move) * view.multiplier
        if action.plus:
            return Option("plus", action, f"they +{points}")
        return Option("minus", action, f"you {format_number(-points)}")
    if action == BRIDGE:
        return Option("bridge", action, "ends the round")
    if action == DRAW:
        return Option("draw", action, "until you can")
    if not view.played:
        return Option("keep it", action, "", f"Then {names[(view.seat + 1) % len(names)]} plays")
    summary, note = _describe_effect(view, names, share=view.options.eights == "share")
    return Option("end turn", action, summary, note)


def _count_hand(view: BridgeView) -> int:
    return sum_points(view.hand) * view.multiplier


def _describe_effect(view: BridgeView, names: Names, *, share: bool) -> tuple[str, str]:
    """Describe the effect of the last move, in a few words and in a sentence."""
    last = view.last_move
    effect = compute_effect(len(names), view.seat, RANK[last[-1]], len(last), share)
    drawing = list(dict.fromkeys(effect.due))
    summary = " · ".join([f"{names[seat]} {effect.due.count(seat)}" for seat in drawing])
    if len(drawing) == 1:
        summary = f"{names[drawing[0]]} draws {len(effect.due)}"
    elif effect.passed and not effect.due:
        summary = f"{NUMBER_WORDS[len(effect.passed)]} skipped"
    mover = "you play" if effect.next_seat == view.seat else f"{names[effect.next_seat]} plays"
    then = f"Then {mover}" if view.finisher is None else "Then the hands are counted"
    reshuffled = f"; reshuffle: ×{view.multiplier + 1}" if len(effect.due) > view.blind else ""
    return summary, f"{then}{reshuffled}"


TABLE_VIEW: Final = BridgeTableView()
