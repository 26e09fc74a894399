"""Table screen of Gurka, with the card to head, the effect of each card in the trick, and the totals relative to the
limit.
"""

from typing import Final

from cardtable.engine.cards import Card, iter_cards
from cardtable.engine.game import Seat
from cardtable.engine.text_format import with_count
from cardtable.engine.tricks import Play
from cardtable.games.gurka.rules import CARDS_EACH, GurkaView, lowest, or_higher, play_effect, winner
from cardtable.ui.game_view import trick
from cardtable.ui.game_view.decision import Decision
from cardtable.ui.game_view.game_view import GameView, HeaderFacts, Names, Progress, Row, SeatPlate, Section, by_rank
from cardtable.ui.game_view.hand_cursor import Pointed
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.card_faces import SMALL
from cardtable.ui.toolkit.painting.layout import Layout, trick_card
from cardtable.wording.formatting import label, name_and_verb


def header(view: GurkaView) -> HeaderFacts:
    """Return the number of the round and, while it is played, of the trick."""
    trick = f"trick {min(sum(view.won) + 1, CARDS_EACH)} of {CARDS_EACH}"
    return HeaderFacts(f"round {view.round}", (trick,) if view.playing else ())


def plate(view: GurkaView, seat: Seat) -> SeatPlate:
    """Return the tricks of a seat, with the effect of its card on the current trick as its role."""
    return SeatPlate(with_count(view.won[seat], "trick"), _role(view, seat))


def _role(view: GurkaView, seat: Seat) -> str:
    place = (seat - view.leader) % len(view.totals)
    if place >= len(view.trick):
        return "dealer" if seat == view.dealer else ""
    did = play_effect(view.trick[place], view.trick[:place], view.options)
    if did == "heads":
        return "heads" if place == winner(view.trick) else "headed"
    return {"leads": "led"}.get(did, did)


def sections(view: GurkaView, names: Names) -> tuple[Section, ...]:
    """Return two sections: the totals as bars relative to the limit, and what the current trick requires."""
    order = [(view.seat + i) % len(names) for i in range(len(names))]
    limit = view.options.limit
    bars = [Row(names[s], (str(view.totals[s]),), own=s == view.seat, bar=(view.totals[s], limit)) for s in order]
    asked = [_asked(view)]
    if view.hand:
        asked.append(Row("your lowest", (" ".join(map(label, iter_cards(lowest(view.hand)))),)))
    return Section("Totals", f"ends over {limit}", tuple(bars)), Section("This trick", "", tuple(asked))


def _asked(view: GurkaView) -> Row:
    if view.bound:
        return Row("an ace", ("lowest only",))
    return Row("to head", ("–" if view.best is None else or_higher(view.best),))


def prompt(view: GurkaView, _pointed: Pointed) -> tuple[str, str]:
    """Return the task of the player to act, and the alternative."""
    if view.best is None:
        return "You lead.", "Any card"
    if view.bound:
        return "An ace is down.", "Play your lowest card"
    if "head" not in feet(view).values():
        return "You cannot head.", "Play your lowest card"
    heads = or_higher(view.best)
    must = view.options.must_head == "on"
    return f"{heads[0].upper()}{heads[1:]} heads.", "You must head" if must else "Or your lowest"


def feet(view: GurkaView) -> dict[Card, str]:
    """Return the label of each legal card: ``head`` or ``low``; empty if the player leads."""
    if not view.trick:
        return {}
    plays = [action.card for action in view.legal if isinstance(action, Play)]
    heads = [card for card in plays if play_effect(card, view.trick, view.options) == "heads"]
    return {card: "head" if card in heads else "low" for card in plays}


def middle(canvas: Canvas, layout: Layout, view: GurkaView, _pointed: Pointed, _names: Names) -> None:
    """Paint the trick and, in its centre, the rank that heads it."""
    trick.paint(canvas, layout, view, _winning(view))
    if view.best is not None and view.turn >= 0:
        short = trick_card(layout) is SMALL
        low = "low only" if short else "lowest only"
        text = low if view.bound else f"{card_faces.rank(view.best)} {'heads' if short else 'to head'}"
        canvas.centre(*layout.mat.centre, text, canvas.theme.inks.text, bold=True)


def _winning(view: GurkaView) -> int | None:
    return winner(view.trick) if view.trick else None


def decision(_view: GurkaView, _names: Names) -> Decision | None:
    """Return ``None``, as Gurka has no decisions other than cards."""
    return None


def order(view: GurkaView) -> list[Card]:
    """Return the player's hand, sorted by rank."""
    return by_rank(view.hand)


def progress(view: GurkaView) -> tuple[Progress, ...]:
    """Return a bar of the player's total, up to the limit."""
    return (Progress("Your points", view.totals[view.seat], view.options.limit),)


def next_round(view: GurkaView, names: Names) -> tuple[Row, ...]:
    """Return rows with the player who leads next and the total at which the session ends."""
    leads = name_and_verb(names[view.finished % len(names)], "leads", "lead")
    return Row(f"round {view.finished + 1}", (leads,)), Row("the end", (f"over {view.options.limit}",))


PIECE: Final[GameView[GurkaView]] = GameView(
    header=header,
    plate=plate,
    sections=sections,
    prompt=prompt,
    middle=middle,
    decision=decision,
    order=order,
    next_round=next_round,
    previous_trick=trick.previous_trick_view,
    intermediate_views=trick.frames,
    winning=_winning,
    progress=progress,
    card_footers=feet,
    gaps=False,
    best_rounds="Rounds without points",
)
