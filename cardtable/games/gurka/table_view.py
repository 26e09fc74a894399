"""Table view of Gurka: the card to head, the effect of each card in the trick, and the distance to the limit."""

from typing import Final

from cardtable.engine.cards import SUIT, Card, iter_cards
from cardtable.engine.game import Seat
from cardtable.engine.text_format import format_count
from cardtable.engine.tricks import Play
from cardtable.games.gurka.rules import (
    CARDS_EACH,
    GAME,
    GurkaView,
    classify_play,
    find_lowest_cards,
    find_winner,
    format_rank_or_higher,
)
from cardtable.ui.game_view import trick_game
from cardtable.ui.game_view.game_view import (
    HeaderFacts,
    Progress,
    Row,
    SeatPlate,
    Section,
    find_winning_index,
    sort_by_rank,
)
from cardtable.ui.game_view.hand_cursor import CursorState
from cardtable.ui.game_view.trick_game import TrickTableView
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.card_faces import SMALL
from cardtable.ui.toolkit.painting.layout import Layout, choose_trick_card_size
from cardtable.wording.formatting import SUIT_SIGNS, format_card, join_name_and_verb
from cardtable.wording.players import Names


class GurkaTableView(TrickTableView[GurkaView]):
    gaps = False
    best_rounds = "Rounds without points"

    def header(self, view: GurkaView) -> HeaderFacts:
        """Return the number of the round and, while it is played, of the trick."""
        trick = f"trick {min(sum(view.won) + 1, CARDS_EACH)} of {CARDS_EACH}"
        return HeaderFacts(f"round {view.round}", (trick,) if view.playing else ())

    def plate(self, view: GurkaView, seat: Seat) -> SeatPlate:
        return SeatPlate(format_count(view.won[seat], "trick"), _format_role(view, seat))

    def sections(self, view: GurkaView, names: Names) -> tuple[Section, ...]:
        """Return two sections: the totals as bars relative to the limit, and what the current trick requires."""
        order = [(view.seat + i) % len(names) for i in range(len(names))]
        limit = view.options.limit
        bars = [Row(names[s], (str(view.totals[s]),), own=s == view.seat, bar=(view.totals[s], limit)) for s in order]
        best = "–" if view.best_card is None else format_card(view.best_card)
        asked = [Row("an ace", ("lowest only",)) if view.bound else Row("card to beat", (best,))]
        if view.hand:
            first, *others = iter_cards(find_lowest_cards(view.hand))
            same_rank = [SUIT_SIGNS[SUIT[card]] for card in others]
            asked.append(Row("your lowest", (" ".join([format_card(first), *same_rank]),)))
        return Section("Totals", f"ends over {limit}", tuple(bars)), Section("This trick", "", tuple(asked))

    def prompt(self, view: GurkaView, _pointed: CursorState) -> tuple[str, str]:
        """Return the task of the player to act, and the alternative."""
        if view.best_card is None:
            return "You lead:", "play any card"
        if view.bound:
            return "Ace in the trick:", "play your lowest"
        if "head" not in self.card_footers(view).values():
            return "You can't head it:", "play your lowest"
        heads = f"Play {format_rank_or_higher(view.best_card)}"
        return (f"{heads}:", "you must head") if view.options.must_head else (f"{heads},", "or your lowest card")

    def card_footers(self, view: GurkaView) -> dict[Card, str]:
        """Return the label of each legal card: ``head`` or ``low``; empty if the player leads."""
        if not view.trick:
            return {}
        plays = [action.card for action in view.legal if isinstance(action, Play)]
        heads = [card for card in plays if classify_play(card, view.trick, view.options) == "heads"]
        return {card: "head" if card in heads else "low" for card in plays}

    def middle(self, canvas: Canvas, layout: Layout, view: GurkaView, _pointed: CursorState, _names: Names) -> None:
        """Paint the trick and, in its centre, the rank that heads it."""
        trick_game.paint_trick(canvas, layout, view, find_winning_index(GAME, view))
        if view.best_card is not None and view.turn >= 0:
            short = choose_trick_card_size(layout) is SMALL
            low = "low only" if short else "lowest only"
            text = low if view.bound else f"{card_faces.format_rank(view.best_card)} {'heads' if short else 'to head'}"
            canvas.write_centred(*layout.mat.centre, text, canvas.theme.inks.text, bold=True)

    def order(self, view: GurkaView) -> list[Card]:
        return sort_by_rank(view.hand)

    def progress(self, view: GurkaView) -> tuple[Progress, ...]:
        return (Progress("Your points", view.totals[view.seat], view.options.limit),)

    def next_round(self, view: GurkaView, names: Names) -> tuple[Row, ...]:
        """Return rows with the player who leads next and the total at which the session ends."""
        leads = join_name_and_verb(names[view.finished % len(names)], "leads", "lead")
        return Row(f"round {view.finished + 1}", (leads,)), Row("the end", (f"over {view.options.limit}",))


def _format_role(view: GurkaView, seat: Seat) -> str:
    index = (seat - view.leader) % len(view.totals)
    if index >= len(view.trick):
        return "dealer" if seat == view.dealer else ""
    manner = classify_play(view.trick[index], view.trick[:index], view.options)
    if manner == "heads":
        return "heads" if index == find_winner(view.trick) else "headed"
    return "led" if manner == "leads" else manner


TABLE_VIEW: Final = GurkaTableView()
