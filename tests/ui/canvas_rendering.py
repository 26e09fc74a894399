"""Screens painted without a terminal, and a search for text on them.

Sessions are written in figures: each line is a round, with its cards and trump, then bid/won of each seat.
"""

import re
from dataclasses import dataclass
from random import Random

from msgspec.structs import replace

from cardtable.engine.cards import SUITS
from cardtable.engine.game import Bonus, CardsTitle, EndingTitle, Score, competition_ranks
from cardtable.games import GAMES
from cardtable.games.rikiki.rules import FULL_SESSION
from cardtable.session.session_events import Stage
from cardtable.store import paths
from cardtable.ui.game_view.default_view import DefaultView
from cardtable.ui.game_view.hand_cursor import HandCursor
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.table.model.view_model import HintState, TableFrame
from cardtable.ui.table.paint import round_end, score_sheet
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import compute_layout
from cardtable.ui.toolkit.painting.themes import Appearance

THEME, _ = themes.load_theme("classic", paths.theme_files())
APPEARANCE = Appearance(THEME)
RIKIKI, BRIDGE, GURKA = GAMES["rikiki"], GAMES["bridge"], GAMES["gurka"]
NAMES = ("You", "Ada", "Bo", "Cy", "Dee", "Eve")
BONUSES = {
    "ten": Bonus("ten in a row", 20),
    "tenfalls": Bonus("ten misses running", 20),
    "four": Bonus("no-trump four", 10),
}


def parse_round(line, totals):
    """Parse a round of Rikiki, such as ``9H 2/2 0/1 3/3ten 1/1``."""
    played, *seats = line.split()
    cards, suit = re.fullmatch(r"(\d+)(\w?)", played).groups()
    title = CardsTitle(int(cards), SUITS.index(suit) if suit else None, no_trump=not suit)
    results = [re.fullmatch(r"(\d+)/(\d+)(\w*)", seat).groups() for seat in seats]
    figures = tuple((int(bid), int(won)) for bid, won, _ in results)
    bonuses = tuple((BONUSES[word],) if word else () for _, _, word in results)
    points = tuple(
        (10 + 2 * won if bid == won else -2 * abs(bid - won)) + sum(bonus.points for bonus in earned)
        for (bid, won), earned in zip(figures, bonuses, strict=True)
    )
    return Score(title, figures, points, bonuses, tuple(map(sum, zip(totals, points, strict=True))))


def parse_rounds(*lines):
    """Parse consecutive rounds of Rikiki."""
    scores = []
    for line in lines:
        scores.append(parse_round(line, scores[-1].totals if scores else (0,) * len(line.split()[1:])))
    return scores


def generate_rounds(number, seats=4, seed=2, bonus=""):
    """Generate rounds in which players make three bids of five; seat 0 earns the bonus in the last one."""
    rng, lines = Random(seed), []
    for cards in (FULL_SESSION + FULL_SESSION)[:number]:
        suit = "" if cards == 13 else "CDHS"[int(rng.random() * 4)]
        bids = [int(rng.random() * (cards + 2) / 2.5) for _ in range(seats)]
        results = [f"{bid}/{bid if rng.random() < 0.6 else max(bid - 1, 0) or 1}" for bid in bids]
        lines.append(" ".join([f"{cards}{suit}", *results]))
    if bonus:
        lines[-1] = re.sub(r" (\d+)/\d+", rf" \1/\1{bonus}", lines[-1], count=1)
    return parse_rounds(*lines)


def parse_bridge_rounds(*lines):
    """Parse rounds of Bridge: points of the hands; below 0 for the jacks of the player who went out."""
    totals, scores = (0,) * len(lines[0].split()), []
    for line in lines:
        points = tuple(map(int, line.split()))
        totals = tuple(map(sum, zip(totals, points, strict=True)))
        figures = tuple((max(count, 0), min(count, 0)) for count in points)
        scores.append(Score(EndingTitle("out"), figures, points, ((),) * len(points), totals))
    return scores


def make_frame(
    scores, *, seats=4, me=0, game=RIKIKI, names=NAMES, stage=Stage.ROUND_END, bids=None, totals=None, **of_view
):
    """Return the frame of a seat after these rounds; with ``bids``, during the bidding of the next round."""
    totals = totals or (scores[-1].totals if scores else (0,) * seats)
    state = game.start(seats if seats in game.about.seats else game.about.usual_seats, game.options())
    view = replace(state.view(0), seat=me, finished=len(scores), totals=totals, **of_view)
    view = replace(view, round=len(scores) + (bids is not None), playing=bids is not None)
    if bids is not None:
        stage = Stage.PLAY
        view = replace(view, bids=bids, turn=bids.index(None), trump_card=0, trump=0, cards=FULL_SESSION[len(scores)])
        view = replace(view, played=(0,) * seats)
    places = competition_ranks(totals, lowest_wins=game.lowest_wins) if stage is Stage.SESSION_END else None
    return make_view_frame(game, view, names, scores=tuple(scores), ranks=places, stage=stage)


def make_view_frame(game, view, names=NAMES, *, advice=None, **fields):
    """Return the frame of a view, with the hand in its default order."""
    shape = get_game_view(game.about.key)
    fields["latest_hint"] = advice and HintState(view, advice)
    hand = HandCursor().with_hand(shape.order(view), view.legal)
    usual = {"view": view, "game": game, "game_view": shape, "names": names[: len(view.totals)], "hand": hand}
    return TableFrame(**{**usual, **fields})


def render_table(frame, size=(80, 24), **appearance):
    """Paint the table."""
    canvas = Canvas(*size, replace(APPEARANCE, **appearance))
    paint_table(canvas, frame)
    return canvas


def render_default_view(game, view, size=(80, 24), names=NAMES, **fields):
    """Paint the table of a game without a screen of its own."""
    shape, names = DefaultView(game), names[: len(view.totals)]
    usual = {"game_view": shape, "decision": shape.decision(view, names) if view.legal else None}
    return render_table(make_view_frame(game, view, names, **{**usual, **fields}), size)


def render_round_end(seat_frame, width=80, height=24):
    """Paint the end of a round or session, without header, panel and prompt."""
    canvas, is_over = Canvas(width, height, APPEARANCE), seat_frame.stage is Stage.SESSION_END
    paint = round_end.paint_session_end if is_over else round_end.paint_round_end
    paint(canvas, compute_layout(width, height), seat_frame)
    return canvas


def render_sheet(seat_frame, scroll=None, width=80, height=24):
    """Paint the score sheet, scrolled as on opening or from a given round on."""
    canvas = Canvas(width, height, APPEARANCE)
    score_sheet.paint_sheet(
        canvas, seat_frame, score_sheet.compute_opening_scroll(canvas, seat_frame) if scroll is None else scroll
    )
    return canvas


@dataclass
class TextMatch:
    """A piece of text found on a canvas, with its row and colours."""

    row: int
    ink: str
    ground: str
    bold: bool


def get_rows(canvas):
    """Return the rows of a canvas as text."""
    return str(canvas).split("\n")


def find_text(canvas, pattern):
    """Return the first match of a pattern, row by row; if it has a group, the match of the group.

    Raises AssertionError if nothing matches.
    """
    for y, row in enumerate(get_rows(canvas)):
        if match := re.search(pattern, row):
            x = match.start(match.lastindex or 0)
            return TextMatch(y, canvas.inks[y][x], canvas.grounds[y][x], canvas.bold[y][x])
    raise AssertionError(f"{pattern!r} is not on the screen:\n{canvas}")
