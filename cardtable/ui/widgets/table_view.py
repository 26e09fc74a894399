"""The table screen's one widget: it paints a ``Sight``, and what is laid over it."""

from cardtable.engine.contract import View
from cardtable.ui.canvas import Canvas, Painting
from cardtable.ui.deciding import Decision
from cardtable.ui.layout import Box, Layout, layout
from cardtable.ui.sight import Sight, Stage
from cardtable.ui.themes import Theme
from cardtable.ui.widgets import endings
from cardtable.ui.widgets.board import paint_board, paint_prompt
from cardtable.ui.widgets.curtain import paint_curtain
from cardtable.ui.widgets.decision_box import box_height, paint_decision
from cardtable.ui.widgets.frame import paint_footer, paint_header
from cardtable.ui.widgets.page import too_small
from cardtable.ui.widgets.panel import paint_panel


def paint_table(canvas: Canvas, sight: Sight) -> None:
    """The whole screen of a session."""
    if too_small(canvas):
        return
    grid = layout(canvas.width, canvas.height)
    if sight.stage is Stage.CURTAIN:
        paint_curtain(canvas, grid, sight)
        return
    paint_header(canvas, grid, sight)
    if sight.stage is Stage.PLAY:
        paint_board(canvas, grid, sight)
        sections = sight.piece.sections(sight.view, sight.names)
    else:
        endings.paint_round_end(canvas, grid, sight)
        paint_prompt(canvas, grid, sight, *endings.end_prompt(sight))
        sections = endings.end_sections(sight)
    if grid.panel.width:
        paint_panel(canvas, grid, sight, sections)
    elif sight.box and (sight.in_box or not sight.box.cards_first):
        _paint_box_on_mat(canvas, grid, sight, sight.box)
    paint_footer(canvas, keys_now(sight), grid.margin, sight.banner)


def _paint_box_on_mat(canvas: Canvas, grid: Layout, sight: Sight, decision: Decision) -> None:
    height = min(box_height(decision, sight.option, grid.mat.width - 4, airy=False), grid.mat.height)
    box = Box(grid.mat.x, grid.mat.bottom - height + 1, grid.mat.width, height)
    canvas.fill(box.x, box.y, box.width, box.height, canvas.theme.grounds.row)
    inner = Box(box.x + 2, box.y, box.width - 4, box.height)
    paint_decision(canvas, inner, sight, decision, airy=False)


def keys_now(sight: Sight) -> list[tuple[str, str]]:
    """The keys for the footer, the most wanted first."""
    back = [("u", "take back")] * sight.way_back + [("Esc", "leave")]
    if sight.stage is Stage.ROUND_END:
        return [("Enter", "next round"), ("s", "score"), ("m", "messages"), *back]
    if sight.stage is Stage.SESSION_END:
        return [("Enter", "leave"), ("s", "score"), ("n", "new session"), ("m", "messages")]
    see = [("s", "score"), ("m", "messages")]
    if sight.piece.last_trick(sight.view) is not None:
        see.insert(0, ("l", "last trick"))
    if sight.lingering:
        return [("Enter", "go on"), *see]
    if not sight.waiting:
        return [*see, ("Esc", "leave")]
    see.insert(0, ("h", "hint"))
    if sight.in_box and sight.decision:
        decision = sight.decision
        sideways = decision.beside(sight.option, 1) is not None
        digits = (("0-9", "digits"),) * decision.options[sight.option].label[:1].isdigit()
        others = decision.keys or digits
        moves = [("←→", decision.choose), *others] if sideways else [("↑↓", decision.choose)]
        to_cards = [("Tab" if sideways else "→", "cards")] if sight.hand.able else []
        return [*moves, ("Enter", decision.commit), *to_cards, *see]
    able = [card for card in sight.hand.cards if sight.hand.may(card)]
    if not able:
        return [("Enter", str(sight.view.legal[0]) if sight.view.legal else "go on"), *see, *back][:7]
    box = [("Tab", sight.decision.commit if sight.hand.several else "choices")] if sight.decision else []
    together = [("Space", "choose")] if sight.hand.several else []
    enter = [("Enter", str(sight.commits).partition(" ")[0])] if sight.commits else []
    return [("←→", "card"), *together, *enter, *box, *see, *back][:7]


class TableView(Painting):
    """Paints a ``Sight``; what is laid over it is painted by ``cover``."""

    can_focus = True

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, id="table")
        self.sight: Sight | None = None
        self.cover: Cover | None = None

    def paint(self, width: int, height: int) -> Canvas:
        """The table, and over it what is looked at."""
        canvas = Canvas(width, height, self.theme)
        if self.sight is None:
            return canvas
        if self.cover is None or not self.cover.alone:
            paint_table(canvas, self.sight)
        if self.cover is not None:
            self.cover.paint(canvas, self.sight)
        return canvas


class Cover:
    """Something laid over the table until a key is pressed."""

    alone = False
    """Whether it hides the table altogether."""
    other_keys: frozenset[str] = frozenset()
    """Keys that do what they do; every other one puts it away."""
    view: View | None = None
    """What it was laid over, if play goes on below it and the next move puts it away."""

    def paint(self, canvas: Canvas, sight: Sight) -> None:
        """Paint it."""
        raise NotImplementedError

    def closed_by(self, key: str) -> bool:
        """Whether a key puts it away."""
        return key not in self.other_keys

    def scroll(self, _rows: int) -> bool:
        """Scroll it by rows; whether it can."""
        return False
