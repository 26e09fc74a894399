"""The decision under the cursor of the review: how it stood, what each choice was worth, and why."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.cards import Card
from cardtable.engine.contract import Action
from cardtable.engine.tricks import Play
from cardtable.engine.words import counted
from cardtable.records.review import Alternative
from cardtable.ui.draw import card_faces
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.fitting import ELLIPSIS, cut, wrap
from cardtable.ui.draw.layout import Box
from cardtable.ui.review.decisions import Reviewed
from cardtable.ui.review.paint import paint_bar
from cardtable.ui.rounds.board import paint_hand
from cardtable.ui.rounds.shown import HandShown
from cardtable.ui.table.paint.hint import ALIKE
from cardtable.wording import reviewed, situation
from cardtable.wording.reviewed import Judged
from cardtable.wording.words import tenths

_INDENT: Final = 3
_NAME: Final = 14
"""Columns of the name of a choice, at most."""
_LABEL: Final = 6
"""Columns of what a choice is: best, or yours."""
_FIGURE: Final = 6
_HIGH: Final = 36
"""Rows from which on there is room between the lines."""


def paint_panel(canvas: Canvas, it: Reviewed, x: int) -> None:
    """The right side, from column ``x`` on."""
    canvas.fill(x, 1, canvas.width - x, canvas.height - 2, canvas.theme.grounds.panel)
    one = it.current
    if one is None:
        return
    box = Box(x + _INDENT, 2, canvas.width - x - _INDENT - 2, canvas.height - 4)
    y = _paint_situation(canvas, box, it, one)
    y = _paint_choices(canvas, Box(box.x, y, box.width, box.bottom - y), one)
    y = _paint_why(canvas, Box(box.x, y, box.width, box.bottom - y), one)
    if canvas.height >= _HIGH:
        _paint_shares(canvas, Box(box.x, y, box.width, box.bottom - y), one)
    alike = any(map(one.is_close, range(len(one.judgement.choices))))
    all_of_them = not one.judgement.worlds and len(one.judgement.choices) > 1
    told = "all deals" if all_of_them else counted(one.judgement.worlds, "deal")
    told += f", ± {one.judgement.error:.1f}{'' if alike else ' points'}" * bool(one.judgement.worlds)
    told += f", {ALIKE} as good" * alike
    canvas.text(box.x, canvas.height - 3, told, canvas.theme.inks.quiet)


def _paint_situation(canvas: Canvas, box: Box, it: Reviewed, one: Judged) -> int:
    """Round and trick, what was played, what lay there, and the hand; the next free row."""
    inks, game, decision = canvas.theme.inks, one.game, one.decision
    view, aims = decision.view, situation.aims(one.game, decision)
    left = canvas.right(box.right, box.y, aims, inks.muted) if aims else box.right
    canvas.text(box.x, box.y, cut(situation.heading(game, decision), left - box.x), inks.text, bold=True)
    canvas.text(box.x, box.y + 1, cut(", ".join(situation.facts(game, decision)), box.width), inks.muted)
    lying = situation.lying(game, decision, it.names)
    told = "   ".join(f"{who} {what}" for who, what in lying if what)
    y = box.y + 3
    for line in wrap(told, box.width, card_faces.shown_width)[:2] if told else []:
        card_faces.words(canvas, box.x, y, line, inks.soft, most=box.width)
        y += 1
    y += bool(told)
    able = 0
    for action in view.legal:
        able |= action.uses()
    plate = HandShown((), view.hand, able or view.hand, decision.action.uses() & view.hand, 0, 0)
    paint_hand(canvas, Box(box.x, y, box.width, 1), plate)
    return y + 2 + (canvas.height >= _HIGH)


def _paint_choices(canvas: Canvas, box: Box, one: Judged) -> int:
    """What each choice was worth, the best first; the next free row."""
    inks = canvas.theme.inks
    choices, own = one.judgement.choices, str(one.decision.action)
    most = max(2, box.height - 3 - min(sum(len(_wrapped(text, box.width)) for text in one.judgement.why), 8))
    shown = _shown(choices, most, own)
    canvas.text(box.x, box.y, "Each choice", inks.text, bold=True)
    canvas.right(box.right, box.y, one.measure.head, inks.quiet)
    named = {str(action): action for action in one.decision.view.legal}
    width = min(max(_width(named[choice.action]) for choice in shown), _NAME)
    low, high = min(choice.worth for choice in choices), max(choice.worth for choice in choices)
    step = 2 if canvas.height >= _HIGH and len(shown) <= 6 else 1
    y = box.y + 1 + (canvas.height >= _HIGH)
    for number, choice in enumerate(shown):
        row = y + number * step
        best, yours = choice is choices[0], choice.action == own
        _paint_name(canvas, box.x, row, named[choice.action], width)
        label = "yours" if yours else "best" if best else ""
        ink = inks.loss if yours and not best and one.judgement.cost else inks.text
        x = canvas.text(box.x + width + 1, row, label, ink, bold=best)
        x = box.x + width + 1 + _LABEL
        share = 0.1 + 0.9 * (choice.worth - low) / (high - low) if high > low else 1.0
        bar = ink if yours and not best else inks.soft if best else inks.bar
        paint_bar(canvas, x, row, box.right - _FIGURE - x, share, bar, track=True)
        figure = canvas.right(
            box.right,
            row,
            tenths(one.measure.figure(one.lead(choices.index(choice)))),
            inks.text if best or yours else inks.muted,
            bold=best,
        )
        if one.is_close(choices.index(choice)):
            canvas.text(figure - 2, row, ALIKE, inks.muted)
    return y + len(shown) * step + 1


def _shown(choices: Sequence[Alternative], most: int, own: str) -> list[Alternative]:
    """The best ones that there is room for, and in any case what was chosen."""
    shown = list(choices[:most])
    if own not in [choice.action for choice in shown]:
        shown[-1:] = [choice for choice in choices if choice.action == own]
    return shown


def _width(action: Action) -> int:
    return card_faces.CHIP.width if isinstance(action, Play) else card_faces.shown_width(reviewed.choice(action))


def _paint_name(canvas: Canvas, x: int, y: int, action: Action, width: int) -> None:
    if isinstance(action, Play):
        card: Card = action.card
        card_faces.card(canvas, x, y, card_faces.CHIP, card)
    else:
        card_faces.words(canvas, x, y, reviewed.choice(action), canvas.theme.inks.text, most=width)


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(text, width, card_faces.shown_width)


def _paint_why(canvas: Canvas, box: Box, one: Judged) -> int:
    """What the choices do, as far as there is room; the next free row."""
    inks = canvas.theme.inks
    if box.height < 2:
        return box.y
    canvas.text(box.x, box.y, "Why", inks.text, bold=True)
    lines = [line for text in one.judgement.why for line in _wrapped(text, box.width)]
    room = box.height - 1
    for y, line in enumerate(lines[:room], box.y + 1):
        end = card_faces.words(canvas, box.x, y, line, inks.muted, most=box.width)
        if y == box.y + room < box.y + len(lines):
            canvas.text(min(end, box.right), y, ELLIPSIS, inks.muted)
    return box.y + 3 + min(len(lines), room)


def _paint_shares(canvas: Canvas, box: Box, one: Judged) -> None:
    """How often each choice brings what is wanted, where there is such a thing."""
    inks = canvas.theme.inks
    told = [(i, choice) for i, choice in enumerate(one.judgement.choices) if choice.share is not None]
    room = box.height - 3
    if not one.judgement.aim or room < 2 or len(told) < 2:
        return
    often = f"How often {one.judgement.aim}"
    canvas.text(box.x, box.y, cut(often, box.width), inks.text, bold=True)
    width = min(max(_width(one.action(i)) for i, _ in told), _NAME)
    for row, (i, choice) in enumerate(told[:room], box.y + 2):
        assert choice.share is not None
        _paint_name(canvas, box.x, row, one.action(i), width)
        x = box.x + width + 1 + _LABEL
        paint_bar(canvas, x, row, box.right - _FIGURE - x, choice.share, inks.bar, track=True)
        canvas.right(box.right, row, f"{100 * choice.share:.0f} %", inks.text)
